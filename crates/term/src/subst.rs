//! Substitution: terms rebuilt, and so simplified again, with some subterms replaced.

use crate::hash::FastHash;
use crate::node::{Op, Term};
use crate::terms::Terms;
use blitz_base::{Budget, Labour};
use std::collections::HashMap;

/// Terms that are rebuilt between two looks at the budget: about a millisecond.
const STEPS: u32 = 1 << 12;

/// What replaces what. Replacements are not themselves substituted in. Keeps its results, so one substitution serves many terms.
#[derive(Clone, Default)]
pub struct Substitution {
    map: HashMap<Term, Term, FastHash>,
}

impl Substitution {
    /// Replaces nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces `from`, which may be any term, by `to` of the same sort. All replacements come before the first `apply`.
    pub fn replace(&mut self, terms: &Terms, from: Term, to: Term) {
        assert_eq!(terms.sort(from), terms.sort(to), "a replacement should have the same sort");
        self.map.insert(from, to);
    }

    /// The term with everything replaced.
    pub fn apply(&mut self, terms: &mut Terms, t: Term) -> Term {
        self.apply_within(terms, t, &Budget::unlimited()).expect("without a limit the work should end")
    }

    /// The same, unless the budget ends first.
    fn apply_within(&mut self, terms: &mut Terms, t: Term, budget: &Budget) -> Option<Term> {
        let mut stack = vec![t];
        let mut steps = 0u32;
        while let Some(&t) = stack.last() {
            steps += 1;
            if steps.is_multiple_of(STEPS) {
                budget.spend(Labour::Rewrite, STEPS.into());
                budget.spend(Labour::Lookup, terms.take_lookups());
                if budget.expired().is_some() {
                    return None;
                }
            }
            if self.map.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            stack.extend(terms.children(t).into_iter().filter(|child| !self.map.contains_key(child)));
            if stack.len() == before {
                let rebuilt = terms.rebuild(t, |child| self.map[&child]);
                self.map.insert(t, rebuilt);
                stack.pop();
            }
        }
        budget.spend(Labour::Rewrite, (steps % STEPS).into());
        budget.spend(Labour::Lookup, terms.take_lookups());
        Some(self.map[&t])
    }

    /// The term with everything below it replaced, but not it as a whole; nothing if the budget ends first.
    pub fn apply_below(&mut self, terms: &mut Terms, t: Term, budget: &Budget) -> Option<Term> {
        if budget.interrupted().is_some() {
            return None;
        }
        for child in terms.children(t) {
            self.apply_within(terms, child, budget)?;
        }
        Some(terms.rebuild(t, |child| self.map[&child]))
    }
}

impl Terms {
    /// The term with its children replaced, through the builders.
    pub fn rebuild(&mut self, t: Term, f: impl Fn(Term) -> Term) -> Term {
        match self.op(t) {
            Op::Const | Op::Var(_) => t,
            Op::Not(x) => self.not(f(x)),
            Op::And(x, y) => self.and(f(x), f(y)),
            Op::Xor(x, y) => self.xor(f(x), f(y)),
            Op::Neg(x) => self.neg(f(x)),
            Op::Add(x, y) => self.add(f(x), f(y)),
            Op::Mul(x, y) => self.mul(f(x), f(y)),
            Op::Udiv(x, y) => self.udiv(f(x), f(y)),
            Op::Urem(x, y) => self.urem(f(x), f(y)),
            Op::Sdiv(x, y) => self.sdiv(f(x), f(y)),
            Op::Srem(x, y) => self.srem(f(x), f(y)),
            Op::Shl(x, y) => self.shl(f(x), f(y)),
            Op::Lshr(x, y) => self.lshr(f(x), f(y)),
            Op::Ashr(x, y) => self.ashr(f(x), f(y)),
            Op::Eq(x, y) => self.eq(f(x), f(y)),
            Op::Ult(x, y) => self.ult(f(x), f(y)),
            Op::Slt(x, y) => self.slt(f(x), f(y)),
            Op::Ite(c, x, y) => self.ite(f(c), f(x), f(y)),
            Op::Concat(x, y) => self.concat(f(x), f(y)),
            Op::Extract { arg, hi, lo } => self.extract(f(arg), hi, lo),
            Op::Sext(x) => {
                let width = self.width(t);
                self.sext(f(x), width)
            }
            Op::ConstArray(v) => {
                let (index, _) = self.array_widths(t);
                self.const_array(index, f(v))
            }
            Op::Store(a, i, v) => self.store(f(a), f(i), f(v)),
            Op::Select(a, i) => self.select(f(a), f(i)),
            Op::Copy { dst, dst_off, src, src_off, len } => self.copy(f(dst), f(dst_off), f(src), f(src_off), f(len)),
            Op::Fill { array, off, value, len } => self.fill(f(array), f(off), f(value), f(len)),
            Op::Scan { array, off, value, limit } => self.scan(f(array), f(off), f(value), f(limit)),
            Op::Mismatch { a, a_off, b, b_off, limit } => self.mismatch(f(a), f(a_off), f(b), f(b_off), f(limit)),
        }
    }

    /// `t` with each `from` replaced by its `to`, for a single term.
    pub fn substitute(&mut self, t: Term, pairs: &[(Term, Term)]) -> Term {
        self.substitute_within(t, pairs, &Budget::unlimited()).expect("without a limit the work should end")
    }

    /// The same, unless the budget ends first.
    pub fn substitute_within(&mut self, t: Term, pairs: &[(Term, Term)], budget: &Budget) -> Option<Term> {
        let mut substitution = Substitution::new();
        for &(from, to) in pairs {
            substitution.replace(self, from, to);
        }
        substitution.apply_within(self, t, budget)
    }
}
