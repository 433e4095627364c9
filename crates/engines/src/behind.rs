//! What a report says where executions went on behind violations of kinds that are switched off (`blitz_symex::Behind`).
//!
//! Direction: more, but for what was freed and is kept. What was proved holds for whatever value such an execution goes on with; the sentence names where that is.

use crate::answer::Inquiry;
use crate::tuning::MAX_NAMED_PLACES;
use blitz_base::span::Loc;
use blitz_ir::{CheckKind, Program};
use blitz_solver::Outcome;
use blitz_symex::{Execution, Passing, Yields};
use blitz_term::{Evaluator, Term};
use std::collections::BTreeSet;

/// The sentences, if any execution goes on in that way, or nobody can say.
pub(crate) fn notes(inquiry: &mut Inquiry<'_>, execution: &Execution) -> Vec<String> {
    let guards: Vec<Term> = execution.behind.iter().map(|p| p.guard).collect();
    let any = inquiry.terms.or_all(&guards);
    let (may, shown): (&str, Vec<&Passing>) = match inquiry.ask(any) {
        Outcome::Unsat => return Vec::new(),
        Outcome::Unknown(_) => ("may go", execution.behind.iter().collect()),
        Outcome::Sat => {
            let model = inquiry.solver.model(inquiry.terms, &guards);
            let mut eval = Evaluator::new(&model);
            ("go", execution.behind.iter().filter(|p| eval.holds(inquiry.terms, p.guard)).collect())
        }
    };
    let places = |yields| shown.iter().filter(|p| p.yields == yields).map(|p| (p.kind, p.loc)).collect();
    let program = inquiry.program;
    let anything = at(program, &places(Yields::Anything)).map(|at| {
        format!(
            "executions {may} on behind violations of kinds that are switched off ({at}): what was proved holds for any value that is read or computed there; a write \
             through a pointer to no object changes nothing"
        )
    });
    let kept = at(program, &places(Yields::Kept)).map(|at| {
        format!("executions {may} on behind violations of kinds that are switched off ({at}): memory that was freed still holds what it held, as CBMC has it")
    });
    anything.into_iter().chain(kept).collect()
}

/// The first few of these places; none if there are none.
fn at(program: &Program, places: &BTreeSet<(CheckKind, Loc)>) -> Option<String> {
    let named: Vec<String> = places.iter().take(MAX_NAMED_PLACES).map(|place| named(program, *place)).collect();
    let more = if named.len() < places.len() { ", ..." } else { "" };
    (!named.is_empty()).then(|| format!("{}{more}", named.join(", ")))
}

fn named(program: &Program, (kind, loc): (CheckKind, Loc)) -> String {
    format!("{kind} at {}:{}", program.file(loc.file), loc.line)
}
