//! Where the value of a read can come from at all.
//!
//! The lemmas of `walk` say what a read sees on one path. Where thousands of writes at free indices may be meant, refuting
//! them one path at a time needs comparisons in both directions: a write is seen only where all later ones are elsewhere. A
//! read that keeps being wrong is therefore told that it sees *some* write below it: first that its value is one of those
//! written, then that it is one written at its index. That leaves out that a later write hides an earlier one, which `walk`
//! adds where a candidate needs it; but it is linear in the stores and its clauses have one polarity, two per bit.
//!
//! Invariant: the fact is true in every model of the array theory, whatever the candidate.
//! Absent: looking into bulk writes; what lies below them is another read, with lemmas of its own.

use super::{Candidate, Core};
use crate::aig::Edge;
use blitz_term::{Op, Term, Terms};
use rustc_hash::FxHashMap;

/// Arrays below one read that are looked at; with more, the read is left to the lemmas of `walk`.
const MOST_ARRAYS: usize = 50_000;
/// After so many of them the budget is looked at.
const LOOK_EVERY: usize = 256;

/// What is said of a write that may be the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Detail {
    Value,
    ValueAndIndex,
}

impl Core {
    /// That the read sees one of the writes below it, as an edge that is always true; `None` if that was said before,
    /// or when there is no time to say it.
    pub(super) fn some_source(
        &mut self,
        terms: &mut Terms,
        candidate: &Candidate,
        read: Term,
        detail: Detail,
    ) -> Option<Edge> {
        if !self.theory.told.insert((read, detail)) {
            return None;
        }
        let Op::Select(array, index) = terms.op(read) else { unreachable!("a read should be a select") };
        let order = arrays_below(terms, array)?;
        let mut from: FxHashMap<Term, Edge> = FxHashMap::default();
        for (i, at) in order.into_iter().enumerate() {
            if i % LOOK_EVERY == LOOK_EVERY - 1 && candidate.stopped().is_some() {
                self.theory.told.remove(&(read, detail));
                return None;
            }
            let edge = match terms.op(at) {
                Op::Store(below, written, value) => {
                    let same = terms.eq(index, written);
                    self.seen_here_or(terms, (read, value), same, detail, from[&below])
                }
                Op::Ite(c, then_side, else_side) => {
                    let c = self.circuit.edge(terms, c);
                    self.circuit.g.mux(c, from[&then_side], from[&else_side])
                }
                Op::ConstArray(value) => self.equal_words(terms, read, value),
                _ => {
                    let below = terms.select(at, index);
                    self.support(terms, read, below);
                    self.equal_words(terms, read, below)
                }
            };
            from.insert(at, edge);
        }
        from.get(&array).copied()
    }

    /// The read sees this write, or what `below` says.
    fn seen_here_or(
        &mut self,
        terms: &Terms,
        (read, value): (Term, Term),
        same: Term,
        detail: Detail,
        below: Edge,
    ) -> Edge {
        if terms.is_false(same) {
            return below;
        }
        let equal = self.equal_words(terms, read, value);
        if terms.is_true(same) {
            return equal;
        }
        let here = match detail {
            Detail::Value => equal,
            Detail::ValueAndIndex => {
                let same = self.circuit.edge(terms, same);
                self.circuit.g.and(same, equal)
            }
        };
        self.circuit.g.or(here, below)
    }
}

/// The stores and choices below an array and what they end in, children first; `None` if there are too many.
fn arrays_below(terms: &Terms, array: Term) -> Option<Vec<Term>> {
    let mut done: FxHashMap<Term, bool> = FxHashMap::default();
    let mut order = Vec::new();
    let mut stack = vec![array];
    while let Some(&at) = stack.last() {
        match done.get(&at) {
            Some(true) => {
                stack.pop();
            }
            Some(false) => {
                stack.pop();
                done.insert(at, true);
                order.push(at);
            }
            None => {
                if done.len() == MOST_ARRAYS {
                    return None;
                }
                done.insert(at, false);
                match terms.op(at) {
                    Op::Store(below, _, _) => stack.push(below),
                    Op::Ite(_, then_side, else_side) => stack.extend([else_side, then_side]),
                    _ => {}
                }
            }
        }
    }
    Some(order)
}
