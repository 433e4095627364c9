//! One way through the choices of a large condition.
//!
//! How a program gets somewhere is mostly easier to find than what has to be the case there. A model of the smaller parts of a
//! condition decides the choices in them (which argument, which round of a loop); with these decided the rest is a
//! condition about one path. It implies the whole; without a model it says nothing.

use blitz_base::Budget;
use blitz_solver::{Outcome, Solver};
use blitz_term::{Evaluator, Op, Postorder, Term, Terms, dag_size};

/// Parts are taken until they have this many terms.
const SMALL: usize = 12_000;

/// A part of the condition that one path makes true, if any.
pub(super) fn guided(terms: &mut Terms, solver: &mut dyn Solver, condition: Term, budget: &Budget) -> Option<Term> {
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
        dag_size(terms, &parts[..=upto]) <= SMALL
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
