//! Walking terms without recursion, each term once.

use crate::node::Term;
use crate::terms::Terms;

/// Every term below the roots once, children before parents.
pub struct Postorder<'a> {
    terms: &'a Terms,
    stack: Vec<(Term, bool)>,
    seen: Seen,
}

/// A set of terms, as bits over their ids.
#[derive(Clone, Default)]
pub struct Seen(Vec<u64>);

impl Seen {
    /// Adds a term; false if it was there already.
    pub fn insert(&mut self, t: Term) -> bool {
        let (word, bit) = (t.index() / 64, 1u64 << (t.index() % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// Whether a term is in the set.
    pub fn contains(&self, t: Term) -> bool {
        self.0.get(t.index() / 64).is_some_and(|word| word & 1 << (t.index() % 64) != 0)
    }
}

impl<'a> Postorder<'a> {
    /// A walk over everything below the roots, in the order of the roots.
    pub fn new(terms: &'a Terms, roots: &[Term]) -> Self {
        Self { terms, stack: roots.iter().rev().map(|&t| (t, false)).collect(), seen: Seen::default() }
    }
}

impl Iterator for Postorder<'_> {
    type Item = Term;

    fn next(&mut self) -> Option<Term> {
        while let Some((t, expanded)) = self.stack.pop() {
            if expanded {
                return Some(t);
            }
            if !self.seen.insert(t) {
                continue;
            }
            self.stack.push((t, true));
            for &child in self.terms.children(t).iter().rev() {
                if !self.seen.contains(child) {
                    self.stack.push((child, false));
                }
            }
        }
        None
    }
}

/// The number of different terms below the roots.
pub fn dag_size(terms: &Terms, roots: &[Term]) -> usize {
    Postorder::new(terms, roots).count()
}

/// The variables below the roots, by id.
pub fn vars_of(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut vars: Vec<Term> = Postorder::new(terms, roots).filter(|&t| terms.is_var(t)).collect();
    vars.sort_unstable();
    vars
}
