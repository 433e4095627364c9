//! What a report says where executions went on behind violations of kinds that are switched off (`blitz_symex::Behind`).
//!
//! Direction: more. What was proved holds for whatever value such an execution goes on with; the sentence names where that is.

use crate::answer::Inquiry;
use crate::tuning::MAX_NAMED_PLACES;
use blitz_base::span::Loc;
use blitz_ir::{CheckKind, Program};
use blitz_solver::Outcome;
use blitz_symex::{Execution, Passing};
use blitz_term::{Evaluator, Term};
use std::collections::BTreeSet;

/// The sentence, if any execution goes on in that way, or nobody can say.
pub(crate) fn note(inquiry: &mut Inquiry<'_>, execution: &Execution) -> Option<String> {
    let guards: Vec<Term> = execution.behind.iter().map(|p| p.guard).collect();
    let any = inquiry.terms.or_all(&guards);
    let (may, shown): (&str, Vec<&Passing>) = match inquiry.ask(any) {
        Outcome::Unsat => return None,
        Outcome::Unknown(_) => ("may go", execution.behind.iter().collect()),
        Outcome::Sat => {
            let model = inquiry.solver.model(inquiry.terms, &guards);
            let mut eval = Evaluator::new(&model);
            ("go", execution.behind.iter().filter(|p| eval.holds(inquiry.terms, p.guard)).collect())
        }
    };
    let places: BTreeSet<(CheckKind, Loc)> = shown.iter().map(|p| (p.kind, p.loc)).collect();
    let named = places.iter().take(MAX_NAMED_PLACES).map(|place| named(inquiry.program, *place));
    let named: Vec<String> = named.collect();
    let more = if named.len() < places.len() { ", ..." } else { "" };
    Some(format!(
        "executions {may} on behind violations of kinds that are switched off ({}{more}): what was proved holds for any value that is read or computed there; a write \
         through a pointer to no object changes nothing",
        named.join(", ")
    ))
}

fn named(program: &Program, (kind, loc): (CheckKind, Loc)) -> String {
    format!("{kind} at {}:{}", program.file(loc.file), loc.line)
}
