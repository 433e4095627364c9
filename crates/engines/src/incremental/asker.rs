//! The live solver, shared by the engine's questions and by those that come up while the program is run.

use super::witness::Witnesses;
use crate::config::CheckConfig;
use crate::tuning::{ASKER_MAX_WORK, ASKER_MIN_WORK, ASKER_QUERY_CONFLICTS, ASKER_TIME_PART};
use crate::{Refused, answer};
use blitz_base::{Budget, Work};
use blitz_solver::{Outcome, Solver, SolverStats};
use blitz_symex::generalise::Judge;
use blitz_symex::waves::Holds;
use blitz_symex::{Input, Site};
use blitz_term::{Evaluator, Term, Terms};
use std::cell::{RefCell, RefMut};
use std::rc::Rc;

/// A handle; clones share the solver.
#[derive(Clone)]
pub(super) struct Asker {
    inner: Rc<RefCell<Inner>>,
    budget: Budget,
    counts_conflicts: bool,
}

struct Inner {
    solver: Box<dyn Solver>,
    witnesses: Witnesses,
}

impl Asker {
    pub fn new(config: &CheckConfig, budget: &Budget) -> Result<Self, Refused> {
        let inner = Inner { solver: answer::solver(config)?, witnesses: Witnesses::default() };
        let counts_conflicts = answer::counts_conflicts(config);
        Ok(Self { inner: Rc::new(RefCell::new(inner)), budget: budget.clone(), counts_conflicts })
    }

    pub fn solver(&self) -> RefMut<'_, Box<dyn Solver>> {
        RefMut::map(self.inner.borrow_mut(), |i| &mut i.solver)
    }

    pub fn stats(&self) -> SolverStats {
        self.inner.borrow().solver.stats()
    }

    /// Whether an execution satisfies the condition of going on at a site. What none does is asserted never to hold.
    pub fn goes_on(&self, terms: &mut Terms, inputs: &[Input], site: Site, condition: Term, budget: &Budget) -> Holds {
        self.ask(terms, inputs, site, condition, budget)
    }

    /// The same for a question that comes up while the program is run.
    pub fn quick(&self, terms: &mut Terms, inputs: &[Input], site: Site, condition: Term) -> Holds {
        let budget = side_question(self.counts_conflicts, &self.budget, ASKER_MAX_WORK, ASKER_TIME_PART)
            .with_effort(ASKER_QUERY_CONFLICTS);
        self.ask(terms, inputs, site, condition, &budget)
    }

    fn ask(&self, terms: &mut Terms, inputs: &[Input], site: Site, condition: Term, budget: &Budget) -> Holds {
        let Inner { solver, witnesses } = &mut *self.inner.borrow_mut();
        if terms.is_true(condition) || witnesses.reach(terms, inputs, site, condition) {
            return Holds::InSome;
        }
        match solver.check(terms, &[condition], budget) {
            Outcome::Unsat => {
                let never = terms.not(condition);
                solver.assert(terms, never);
                Holds::InNone
            }
            Outcome::Sat => {
                let model = solver.model(terms, &[condition]);
                witnesses.note(site, model);
                Holds::InSome
            }
            Outcome::Unknown(_) => Holds::TooHard,
        }
    }
}

/// The budget for what may be of no use: `most`, or where time is the measure a part of what the check has taken so far.
pub(super) fn side_question(counts_conflicts: bool, budget: &Budget, most: Work, part: u32) -> Budget {
    if counts_conflicts {
        return budget.worth(most);
    }
    budget.child((budget.elapsed() / part).clamp(ASKER_MIN_WORK.as_time(), most.as_time()))
}

impl Judge for Asker {
    fn always(&mut self, terms: &mut Terms, guard: Term, conditions: &[Term]) -> Vec<bool> {
        let mut kept = vec![true; conditions.len()];
        loop {
            let mut broken = Vec::new();
            for (&c, _) in conditions.iter().zip(&kept).filter(|(_, kept)| **kept) {
                let not = terms.not(c);
                broken.push(terms.and(guard, not));
            }
            let any = terms.or_all(&broken);
            if terms.is_false(any) {
                return kept;
            }
            let mut inner = self.inner.borrow_mut();
            match inner.solver.check(terms, &[any], &self.budget) {
                Outcome::Unsat => return kept,
                Outcome::Unknown(_) => return vec![false; conditions.len()],
                Outcome::Sat => {}
            }
            let model = inner.solver.model(terms, &[any]);
            let mut eval = Evaluator::new(&model);
            let before = kept.clone();
            for (kept, &c) in kept.iter_mut().zip(conditions) {
                *kept = *kept && eval.holds(terms, c);
            }
            assert!(kept != before, "a model should break one of the conditions it was asked for");
        }
    }
}
