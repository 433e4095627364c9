//! Which atoms of the theory a check has to care about.
//!
//! A live solver collects the reads of every question ever asked. Those below the asserted terms and the assumptions of this
//! check decide it; the others may have any value, since the model is made of the former alone. Atoms the theory made itself
//! (instances of scans, witnesses of difference) are below no question and always count.

use super::Core;
use blitz_term::{Term, Terms};
use rustc_hash::FxHashSet;

#[derive(Default)]
pub(super) struct Relevance {
    /// Per term the last check that it was below.
    seen: Vec<u32>,
    check: u32,
    always: FxHashSet<Term>,
}

impl Relevance {
    pub(super) fn holds(&self, atom: Term) -> bool {
        self.seen.get(atom.index()) == Some(&self.check) || self.always.contains(&atom)
    }

    /// An atom of the theory itself.
    pub(super) fn pin(&mut self, atom: Term) {
        if !self.holds(atom) {
            self.always.insert(atom);
        }
    }
}

impl Core {
    /// Starts a check with these roots.
    pub fn mark_relevant(&mut self, terms: &Terms, roots: &[Term]) {
        if self.circuit.atoms().is_empty() {
            return;
        }
        let relevance = &mut self.theory.relevance;
        relevance.check += 1;
        relevance.seen.resize(terms.len(), 0);
        let mut stack = roots.to_vec();
        while let Some(t) = stack.pop() {
            let seen = &mut relevance.seen[t.index()];
            if *seen != relevance.check {
                *seen = relevance.check;
                stack.extend(terms.children(t));
            }
        }
    }
}
