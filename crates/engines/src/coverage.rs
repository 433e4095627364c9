//! What of the program a search has looked at, and what of that executions reach.
//!
//! Why apart from verdicts: `safe` says nothing of code that no execution gets to, and the user has to see which that is.
//!
//! A block that was run over terms was *looked at*; it is *reached* if its condition is true or a solver's model satisfies it. The questions
//! are worth little work, which counts for no engine; what they leave open stays looked at. Direction: reached is never said of code that no execution gets to.

use crate::BoundReached;
use crate::answer::Inquiry;
use crate::tuning::{COVERAGE_CONFLICTS, COVERAGE_MAX_PLACES, COVERAGE_MAX_QUESTIONS, COVERAGE_WORK};
use blitz_base::span::Loc;
use blitz_ir::{Block, FuncId};
use blitz_solver::Outcome;
use blitz_symex::{Guards, Passed};
use blitz_term::{Evaluator, Term};
use std::collections::BTreeMap;

/// What is known of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// No execution of those that were looked at gets there.
    Refuted,
    /// It was looked at; whether an execution gets there is not known.
    LookedAt,
    Reached,
}

/// What a search has gone through.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Blocks of the user's functions. What is missing was not looked at.
    pub blocks: BTreeMap<(FuncId, Block), Seen>,
    /// Assumptions, each with whether an execution goes on behind it.
    pub assumes: BTreeMap<(FuncId, Block, usize), (Loc, Seen)>,
    /// Every loop that is not among these was unwound to its end, as far as it was looked at; nothing is known of any loop where there is none.
    pub bounds: Option<Vec<BoundReached>>,
}

impl Coverage {
    /// Both together; what one has reached is reached.
    pub fn add(&mut self, other: Coverage) {
        for (place, seen) in other.blocks {
            let known = self.blocks.entry(place).or_insert(seen);
            *known = seen.max(*known);
        }
        for (place, (loc, seen)) in other.assumes {
            let known = self.assumes.entry(place).or_insert((loc, seen));
            known.1 = seen.max(known.1);
        }
        // Whoever stands at fewer loops got further.
        self.bounds = match (self.bounds.take(), other.bounds) {
            (Some(a), Some(b)) => Some(if b.len() < a.len() { b } else { a }),
            (known, None) | (None, known) => known,
        };
    }
}

/// A place whose condition is asked for.
#[derive(Clone, Copy)]
enum Place {
    Block((FuncId, Block)),
    Assume((FuncId, Block, usize)),
}

/// The coverage of an execution.
pub(crate) fn of(inquiry: &mut Inquiry<'_>, passed: &Passed, bounds: Option<Vec<BoundReached>>) -> Coverage {
    let mut out = Coverage { bounds, ..Coverage::default() };
    let mut open: Vec<(Place, Term, bool)> = Vec::new();
    for (&place, guards) in &passed.blocks {
        let (seen, asked) = first_answer(inquiry, guards);
        out.blocks.insert(place, seen);
        open.extend(asked.map(|t| (Place::Block(place), t, guards.more)));
    }
    for (&place, (loc, guards)) in &passed.assumes {
        let (seen, asked) = first_answer(inquiry, guards);
        out.assumes.insert(place, (*loc, seen));
        open.extend(asked.map(|t| (Place::Assume(place), t, guards.more)));
    }
    if open.len() <= COVERAGE_MAX_PLACES && inquiry.budget.expired().is_none() {
        ask(inquiry, open, &mut out);
    }
    out
}

/// What the condition's own shape says, else the condition to ask for.
fn first_answer(inquiry: &mut Inquiry<'_>, guards: &Guards) -> (Seen, Option<Term>) {
    let any = inquiry.terms.or_all(&guards.terms);
    match (inquiry.terms.is_true(any), inquiry.terms.is_false(any) && !guards.more) {
        (true, _) => (Seen::Reached, None),
        (_, true) => (Seen::Refuted, None),
        (false, false) => (Seen::LookedAt, Some(any)),
    }
}

fn ask(inquiry: &mut Inquiry<'_>, mut open: Vec<(Place, Term, bool)>, out: &mut Coverage) {
    let budget = inquiry.budget.separate().worth(COVERAGE_WORK).with_effort(COVERAGE_CONFLICTS);
    for _ in 0..COVERAGE_MAX_QUESTIONS {
        let conditions: Vec<Term> = open.iter().map(|(_, t, _)| *t).collect();
        let any = inquiry.terms.or_all(&conditions);
        if inquiry.terms.is_false(any) || budget.expired().is_some() {
            return;
        }
        match inquiry.solver.check(inquiry.terms, &[any], &budget) {
            Outcome::Unknown(_) => return,
            Outcome::Unsat => {
                open.iter().filter(|(_, _, more)| !more).for_each(|(place, _, _)| out.note(*place, Seen::Refuted));
                return;
            }
            Outcome::Sat => {}
        }
        let model = inquiry.solver.model(inquiry.terms, &conditions);
        let mut eval = Evaluator::new(&model);
        open.retain(|(place, guard, _)| {
            let holds = eval.holds(inquiry.terms, *guard);
            if holds {
                out.note(*place, Seen::Reached);
            }
            !holds
        });
    }
}

impl Coverage {
    fn note(&mut self, place: Place, seen: Seen) {
        match place {
            Place::Block(place) => drop(self.blocks.insert(place, seen)),
            Place::Assume(place) => {
                if let Some(entry) = self.assumes.get_mut(&place) {
                    entry.1 = seen;
                }
            }
        }
    }
}
