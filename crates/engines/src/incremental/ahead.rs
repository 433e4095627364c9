//! What holds however often loops run, found out ahead of unwinding them.
//!
//! The analyses the NBIS paper wants up front (constants, intervals, known bits, alignment, never-null) are about what a loop's variables are
//! in every iteration. Here the loops that did not end by themselves are run once for all their iterations (`symex::generalise`): their variables
//! are anything within ranges that the solver has confirmed, what they write is anything. Properties that hold even so are proved for good, and loops
//! that lead to no other property need not be unwound any further.
//!
//! Only proofs come from here. What does not hold is no violation, and is looked for by unwinding as before.
//! Nothing is shared with the live solver: the conditions of an abstract run would only slow it down.

use super::asker::{self, Asker};
use crate::answer;
use crate::bounds::Unwind;
use crate::config::CheckConfig;
use crate::tuning::{AHEAD_BOUND, AHEAD_MAX_ROUNDS, AHEAD_QUERY_CONFLICTS, AHEAD_TIME_PART, AHEAD_WORK};
use blitz_base::Budget;
use blitz_ir::{Program, PropertyId};
use blitz_solver::Outcome;
use blitz_symex::state::State;
use blitz_symex::{CutKind, Execution, Executor, Site};
use blitz_term::{Evaluator, Term, Terms};
use std::collections::BTreeSet;

/// The properties among `wanted` that no execution violates, however often these loops run. None if nothing can be said.
pub(super) fn proved(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    sites: BTreeSet<Site>,
    wanted: &BTreeSet<PropertyId>,
) -> Option<BTreeSet<PropertyId>> {
    let budget = asker::side_question(answer::counts_conflicts(config), budget, AHEAD_WORK, AHEAD_TIME_PART)
        .with_effort(AHEAD_QUERY_CONFLICTS);
    let mut sites = sites;
    for _ in 0..AHEAD_MAX_ROUNDS {
        if sites.iter().any(|s| matches!(s.what, CutKind::Recursion | CutKind::Jump)) {
            return None;
        }
        let mut attempt =
            Attempt { terms: Terms::new(), asker: Asker::new(config, &budget).ok()?, budget: budget.clone() };
        let out = attempt.run(program, config, sites.clone())?;
        let cut = attempt.reached_cuts(&out)?;
        if cut.is_empty() {
            return attempt.refuted(&out, wanted);
        }
        sites.extend(cut);
    }
    None
}

struct Attempt {
    terms: Terms,
    asker: Asker,
    budget: Budget,
}

impl Attempt {
    fn run(&mut self, program: &Program, config: &CheckConfig, sites: BTreeSet<Site>) -> Option<Execution> {
        let entry = crate::start(program).ok()?;
        let bounds = Unwind::new(program, config, AHEAD_BOUND).ok()?;
        let symex = config.symbolic(&bounds, AHEAD_BOUND);
        let judge = Box::new(self.asker.clone());
        let mut executor = Executor::generalising(program, &mut self.terms, &symex, &self.budget, sites, judge);
        executor.run(entry, Vec::new(), State::start());
        let out = executor.finish();
        (out.stopped.is_none() && self.unsat(out.gaps.iter().map(|g| g.guard).collect())).then_some(out)
    }

    /// Whether none of these can hold.
    fn unsat(&mut self, conditions: Vec<Term>) -> bool {
        let any = self.terms.or_all(&conditions);
        self.ask(any) == Some(false)
    }

    /// Whether a condition can hold; `None` if that is too hard.
    fn ask(&mut self, condition: Term) -> Option<bool> {
        if self.terms.is_false(condition) {
            return Some(false);
        }
        match self.asker.solver().check(&mut self.terms, &[condition], &self.budget) {
            Outcome::Sat => Some(true),
            Outcome::Unsat => Some(false),
            Outcome::Unknown(_) => None,
        }
    }

    /// The loops and recursions that were cut off though they go on.
    fn reached_cuts(&mut self, out: &Execution) -> Option<BTreeSet<Site>> {
        let mut found = BTreeSet::new();
        for cut in &out.cuts {
            let site = Site { func: cut.func, what: cut.what };
            if !found.contains(&site) && self.ask(cut.guard)? {
                found.insert(site);
            }
        }
        Some(found)
    }

    /// The properties that can't be violated.
    fn refuted(&mut self, out: &Execution, wanted: &BTreeSet<PropertyId>) -> Option<BTreeSet<PropertyId>> {
        let mut left = wanted.clone();
        loop {
            let claims: Vec<(PropertyId, Term)> =
                out.claims.iter().filter(|c| left.contains(&c.property)).map(|c| (c.property, c.violated)).collect();
            let conditions: Vec<Term> = claims.iter().map(|(_, t)| *t).collect();
            let any = self.terms.or_all(&conditions);
            if !self.ask(any)? {
                return Some(left);
            }
            let model = self.asker.solver().model(&mut self.terms, &[any]);
            let mut eval = Evaluator::new(&model);
            let before = left.len();
            for (property, violated) in claims {
                if eval.holds(&self.terms, violated) {
                    left.remove(&property);
                }
            }
            assert!(left.len() < before, "a model should satisfy one of the claims it was asked for");
        }
    }
}
