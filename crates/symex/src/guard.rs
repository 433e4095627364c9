//! Path conditions as a shared list of conjuncts.
//!
//! Why not a bare term: two paths that meet again share all conjuncts up to where they parted. The list finds that
//! place, so that the merged condition is the common part again (`c or not c` vanishes) and values are
//! merged under the condition of the branch alone, not of the whole path.

use crate::ranges::Facts;
use blitz_term::{Term, Terms};
use std::rc::Rc;

/// A conjunction; cloning is cheap.
#[derive(Clone)]
pub struct Guard(Option<Rc<Link>>);

struct Link {
    conjunct: Term,
    parent: Guard,
    depth: u32,
    whole: Term,
    facts: Facts,
}

impl Drop for Link {
    /// Long lists are taken apart by a loop: the derived drop would recurse.
    fn drop(&mut self) {
        let mut next = self.parent.0.take();
        while let Some(link) = next {
            match Rc::try_unwrap(link) {
                Ok(mut inner) => next = inner.parent.0.take(),
                Err(_) => break,
            }
        }
    }
}

impl Guard {
    /// The condition that always holds.
    pub fn truth() -> Self {
        Guard(None)
    }

    /// The whole condition as one term.
    pub fn term(&self, terms: &Terms) -> Term {
        self.0.as_ref().map_or(terms.tru(), |l| l.whole)
    }

    /// Whether nothing can satisfy it.
    pub fn is_false(&self, terms: &Terms) -> bool {
        self.0.as_ref().is_some_and(|l| terms.is_false(l.whole))
    }

    /// This and one more conjunct.
    pub fn and(&self, terms: &mut Terms, conjunct: Term) -> Guard {
        if terms.is_true(conjunct) {
            return self.clone();
        }
        let before = self.term(terms);
        let whole = terms.and(before, conjunct);
        if whole == before {
            return self.clone();
        }
        let facts = self.facts().with(terms, conjunct);
        Guard(Some(Rc::new(Link { conjunct, parent: self.clone(), depth: self.depth() + 1, whole, facts })))
    }

    /// This and all of another one, as one conjunct.
    pub fn and_guard(&self, terms: &mut Terms, other: &Guard) -> Guard {
        let conjunct = other.term(terms);
        let whole = terms.and(self.term(terms), conjunct);
        let facts = self.facts().and(other.facts());
        Guard(Some(Rc::new(Link { conjunct, parent: self.clone(), depth: self.depth() + 1, whole, facts })))
    }

    /// How large terms are wherever the condition holds.
    pub fn facts(&self) -> Facts {
        self.0.as_ref().map(|l| l.facts.clone()).unwrap_or_default()
    }

    /// Where two paths meet: the condition of either, and a condition that tells the second from the first
    /// given that one of them was taken.
    pub fn join(&self, other: &Guard, terms: &mut Terms) -> (Guard, Term) {
        let (mut a, mut b) = (self.clone(), other.clone());
        let (mut only_a, mut only_b) = (Vec::new(), Vec::new());
        while a.depth() > b.depth() {
            a = a.pop(&mut only_a);
        }
        while b.depth() > a.depth() {
            b = b.pop(&mut only_b);
        }
        while !a.same(&b) {
            a = a.pop(&mut only_a);
            b = b.pop(&mut only_b);
        }
        let in_a = conjunction(terms, &only_a);
        let in_b = conjunction(terms, &only_b);
        let either = terms.or(in_a, in_b);
        (a.and(terms, either), in_b)
    }

    /// The conjuncts after the first `depth` ones, in order.
    pub fn since(&self, depth: u32) -> Vec<Term> {
        let (mut at, mut out) = (self.clone(), Vec::new());
        while at.depth() > depth {
            at = at.pop(&mut out);
        }
        out.reverse();
        out
    }

    /// How many conjuncts there are.
    pub fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |l| l.depth)
    }

    fn same(&self, other: &Guard) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, Some(_)) | (Some(_), None) => false,
        }
    }

    fn pop(self, into: &mut Vec<Term>) -> Guard {
        let link = self.0.expect("a deeper guard should have a link");
        into.push(link.conjunct);
        link.parent.clone()
    }
}

/// Innermost conjunct last, as they were collected from the inside out.
fn conjunction(terms: &mut Terms, inside_out: &[Term]) -> Term {
    let mut out = terms.tru();
    for &c in inside_out.iter().rev() {
        out = terms.and(out, c);
    }
    out
}
