//! Which atoms of the theory a check has to care about.
//!
//! A live solver collects the reads of every question ever asked. Those below the asserted terms and the assumptions of this
//! check decide it; the others may have any value, since the model is made of the former alone. What the theory said of an
//! atom (instances of scans, witnesses of difference) rests on reads that are below no question, or below an older one:
//! its *support*, which counts whenever the atom does. A read that counted for nobody would have any value, and what it was to
//! say of its atom would never be said.

use super::Core;
use blitz_term::{Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(super) struct Relevance {
    /// Per term the last check that it was below.
    seen: Vec<u32>,
    check: u32,
    support: FxHashMap<Term, FxHashSet<Term>>,
}

impl Relevance {
    pub(super) fn holds(&self, atom: Term) -> bool {
        self.check > 0 && self.seen.get(atom.index()) == Some(&self.check)
    }

    /// From now on the term counts whenever the atom does.
    pub(super) fn support(&mut self, terms: &Terms, atom: Term, term: Term) {
        self.support.entry(atom).or_default().insert(term);
        if self.holds(atom) {
            self.mark(terms, vec![term]);
        }
    }

    fn mark(&mut self, terms: &Terms, mut stack: Vec<Term>) {
        self.seen.resize(terms.len(), 0);
        while let Some(t) = stack.pop() {
            let seen = &mut self.seen[t.index()];
            if *seen == self.check {
                continue;
            }
            *seen = self.check;
            stack.extend(terms.children(t));
            stack.extend(self.support.get(&t).into_iter().flatten());
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
        relevance.mark(terms, roots.to_vec());
    }
}
