//! If-then-else on bit-vectors and arrays.

use crate::node::{Kind, Op, Term};
use crate::sort::Sort;
use crate::terms::Terms;

impl Terms {
    /// `then` if `cond`, else `other`.
    pub fn ite(&mut self, cond: Term, then: Term, other: Term) -> Term {
        assert_eq!(self.width(cond), 1, "a condition should be one bit");
        let sort = self.sort(then);
        assert_eq!(sort, self.sort(other), "branches should have the same sort");
        if self.is_true(cond) || then == other {
            return then;
        }
        if self.is_false(cond) {
            return other;
        }
        if let Op::Not(c) = self.op(cond) {
            return self.ite(c, other, then);
        }
        if sort == Sort::BOOL
            && let Some(t) = self.ite_bool(cond, then, other)
        {
            return t;
        }
        if let Some(t) = self.ite_nested(cond, then, other).or_else(|| self.ite_equality(cond, then, other)) {
            return t;
        }
        match sort {
            Sort::Bv(width) => match self.ite_factor(cond, then, other) {
                Some(t) => t,
                None => self.bv_node(Kind::Ite, width, [cond.raw(), then.raw(), other.raw()]),
            },
            Sort::Array { .. } => self.ite_arrays(cond, then, other),
        }
    }

    /// Single bits: a constant or repeated branch makes it a conjunction, disjunction or equivalence.
    fn ite_bool(&mut self, c: Term, then: Term, other: Term) -> Option<Term> {
        if self.is_true(then) || then == c {
            return Some(self.or(c, other));
        }
        if self.is_false(other) || other == c {
            return Some(self.and(c, then));
        }
        if self.is_false(then) || self.opposite(c, then) {
            let not_c = self.not(c);
            return Some(self.and(not_c, other));
        }
        if self.is_true(other) || self.opposite(c, other) {
            return Some(self.implies(c, then));
        }
        if self.opposite(then, other) {
            return Some(self.eq(c, then));
        }
        None
    }

    /// A branch is a choice by the same condition, or shares a result with the other branch.
    fn ite_nested(&mut self, c: Term, then: Term, other: Term) -> Option<Term> {
        if let Op::Ite(d, x, y) = self.op(then) {
            if d == c {
                return Some(self.ite(c, x, other));
            }
            if y == other {
                let both = self.and(c, d);
                return Some(self.ite(both, x, other));
            }
            if x == other {
                let not_d = self.not(d);
                let both = self.and(c, not_d);
                return Some(self.ite(both, y, other));
            }
        }
        if let Op::Ite(d, x, y) = self.op(other) {
            if d == c {
                return Some(self.ite(c, then, y));
            }
            if x == then {
                let either = self.or(c, d);
                return Some(self.ite(either, then, y));
            }
            if y == then {
                let not_c = self.not(c);
                let both = self.and(not_c, d);
                return Some(self.ite(both, x, then));
            }
        }
        None
    }

    /// `x = y ? x : y` is `y`.
    fn ite_equality(&mut self, c: Term, then: Term, other: Term) -> Option<Term> {
        let Op::Eq(x, y) = self.op(c) else {
            return None;
        };
        ((x == then && y == other) || (y == then && x == other)).then_some(other)
    }

    /// What both branches have in common moves outside.
    fn ite_factor(&mut self, c: Term, then: Term, other: Term) -> Option<Term> {
        match (self.op(then), self.op(other)) {
            (Op::Concat(h, x), Op::Concat(i, y)) if self.width(x) == self.width(y) => {
                if h != i && x != y {
                    return None;
                }
                self.descend(|terms| {
                    let (high, low) = (terms.ite(c, h, i), terms.ite(c, x, y));
                    terms.concat(high, low)
                })
            }
            (Op::Concat(h, x), Op::Const) | (Op::Const, Op::Concat(h, x)) => {
                self.ite_concat_const((h, x), c, then, other)
            }
            (Op::Add(x, j), Op::Add(y, k)) if x == y && self.is_const(j) && self.is_const(k) => {
                let offset = self.ite(c, j, k);
                Some(self.add(x, offset))
            }
            (Op::Not(x), Op::Not(y)) => {
                let inner = self.ite(c, x, y);
                Some(self.not(inner))
            }
            (Op::Sext(x), Op::Sext(y)) if self.width(x) == self.width(y) => {
                let inner = self.ite(c, x, y);
                let width = self.width(then);
                Some(self.sext(inner, width))
            }
            _ => None,
        }
    }

    /// A concatenation with a constant part against a constant with the same part.
    fn ite_concat_const(&mut self, (h, x): (Term, Term), c: Term, then: Term, other: Term) -> Option<Term> {
        let cut = self.width(x);
        let top = self.width(then) - 1;
        let k = if self.is_const(then) { then } else { other };
        let (high, low) = (self.extract(k, top, cut), self.extract(k, cut - 1, 0));
        if high != h && low != x {
            return None;
        }
        let (then_high, then_low, other_high, other_low) =
            if k == then { (high, low, h, x) } else { (h, x, high, low) };
        self.descend(|terms| {
            let high = terms.ite(c, then_high, other_high);
            let low = terms.ite(c, then_low, other_low);
            terms.concat(high, low)
        })
    }
}
