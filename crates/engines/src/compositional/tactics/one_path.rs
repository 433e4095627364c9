//! One way through the choices of a large condition.
//!
//! How a program gets somewhere is mostly easier to find than what has to be the case there. A model of the smaller parts of a
//! condition decides the choices in them (which argument, which round of a loop); with these decided the rest is a
//! condition about one path. It implies the whole; without a model it says nothing.

use super::super::hunt::{Attempt, Hunt};
use super::super::obligation::Obligation;
use super::Tactic;
use crate::tuning::{ONE_PATH_MIN_TERMS, ONE_PATH_PART_TERMS};
use blitz_base::Budget;
use blitz_solver::{Outcome, Solver};
use blitz_term::{Evaluator, Op, Postorder, Term, Terms, dag_size};

impl<'p> Hunt<'p, '_> {
    /// A large condition on one path through its choices.
    pub(in super::super) fn on_one_path(&mut self, o: &Obligation<'p>, psi: Term, assumptions: &[Term]) -> Attempt {
        if !self.uses(Tactic::OnePath) || dag_size(self.mover.terms, &[psi]) <= ONE_PATH_MIN_TERMS {
            return Attempt::Continue(());
        }
        self.renew_solver();
        let query = self.budget.worth(self.query_work());
        let all = self.mover.terms.and_all(assumptions);
        let path = guided(self.mover.terms, self.solver.as_mut(), all, &query);
        self.config.say(|| format!("  one path: {:?} terms", path.map(|t| dag_size(self.mover.terms, &[t]))));
        let Some(path) = path else { return Attempt::Continue(()) };
        self.renew_solver();
        let outcome = self.solver.check(self.mover.terms, &[path], &query);
        self.config.say(|| format!("  on it: {outcome:?}"));
        if outcome == Outcome::Sat {
            self.confirm(o, path)?;
        }
        Attempt::Continue(())
    }
}

/// A part of the condition that one path makes true, if any.
fn guided(terms: &mut Terms, solver: &mut dyn Solver, condition: Term, budget: &Budget) -> Option<Term> {
    let small = small_parts(terms, condition);
    let outcome = solver.check(terms, &small, budget);
    if small.is_empty() || outcome != Outcome::Sat {
        return None;
    }
    let model = solver.model(terms, &small);
    let mut eval = Evaluator::new(&model);
    let mut literals = vec![condition];
    for choice in choices(terms, &small) {
        let holds = eval.holds(terms, choice);
        literals.push(if holds { choice } else { terms.not(choice) });
    }
    let decided = terms.and_all(&literals);
    let decided = terms.propagate(decided, budget);
    (!terms.is_false(decided)).then_some(decided)
}

fn small_parts(terms: &Terms, condition: Term) -> Vec<Term> {
    let mut parts: Vec<(usize, Term)> =
        terms.conjuncts(condition).into_iter().map(|part| (dag_size(terms, &[part]), part)).collect();
    parts.sort_unstable();
    let parts: Vec<Term> = parts.into_iter().map(|(_, part)| part).collect();
    let taken = parts.partition_point(|last| {
        let upto = parts.iter().position(|p| p == last).unwrap_or(0);
        dag_size(terms, &parts[..=upto]) <= ONE_PATH_PART_TERMS
    });
    parts[..taken].to_vec()
}

/// The conditions of all choices.
fn choices(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut out: Vec<Term> = Postorder::new(terms, roots)
        .filter_map(|t| match terms.op(t) {
            Op::Ite(c, _, _) => Some(c),
            _ => None,
        })
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}
