//! Orders: `ult` and `slt`; the other six are these, swapped or negated.

use crate::node::{Kind, Op, Term};
use crate::terms::Terms;
use blitz_base::Bv;

impl Terms {
    /// Unsigned less or equal.
    pub fn ule(&mut self, a: Term, b: Term) -> Term {
        let greater = self.ult(b, a);
        self.not(greater)
    }

    /// Unsigned greater.
    pub fn ugt(&mut self, a: Term, b: Term) -> Term {
        self.ult(b, a)
    }

    /// Unsigned greater or equal.
    pub fn uge(&mut self, a: Term, b: Term) -> Term {
        self.ule(b, a)
    }

    /// Signed less or equal.
    pub fn sle(&mut self, a: Term, b: Term) -> Term {
        let greater = self.slt(b, a);
        self.not(greater)
    }

    /// Signed greater.
    pub fn sgt(&mut self, a: Term, b: Term) -> Term {
        self.slt(b, a)
    }

    /// Signed greater or equal.
    pub fn sge(&mut self, a: Term, b: Term) -> Term {
        self.sle(b, a)
    }

    /// Unsigned less.
    pub fn ult(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bool(x.ult(&y));
        }
        if a == b || self.is_zero(b) || self.is_ones(a) {
            return self.fls();
        }
        if width == 1 {
            let not_a = self.not(a);
            return self.and(not_a, b);
        }
        if self.is_zero(a) {
            return self.ne(b, a);
        }
        if self.is_ones(b) {
            return self.ne(a, b);
        }
        if let Some(t) =
            self.ult_known(a, b, width).or_else(|| self.ult_border(a, b, width)).or_else(|| self.ult_rules(a, b))
        {
            self.note_comparison(t, Op::Ult(a, b));
            return t;
        }
        if let Some(k) = self.as_const(a) {
            // One form for both ways to say it: `k < x` is not `x < k + 1`.
            let above = self.bv_const(k.add(&Bv::one(width)));
            let below = self.binary(Kind::Ult, 1, b, above);
            return self.not(below);
        }
        self.binary(Kind::Ult, 1, a, b)
    }

    /// A choice compared with a constant became conditions of the choice, in which the number no longer stands.
    fn note_comparison(&mut self, result: Term, comparison: Op) {
        let (Op::Ult(a, b) | Op::Slt(a, b)) = comparison else { return };
        let of_choice = |x: Term, k: Term| self.is_const(k) && matches!(self.op(x), Op::Ite(..));
        if self.is_const(result) || !of_choice(a, b) && !of_choice(b, a) {
            return;
        }
        let (condition, same) = if let Op::Not(inner) = self.op(result) { (inner, false) } else { (result, true) };
        self.compared.insert(condition, (comparison, same));
    }

    /// The comparison that a condition was made from, if the simplifier left nothing of it, and whether it holds where the condition does.
    pub fn compared(&self, condition: Term) -> Option<(Op, bool)> {
        self.compared.get(&condition).copied()
    }

    /// The known bits keep the ranges apart.
    fn ult_known(&mut self, a: Term, b: Term, width: u16) -> Option<Term> {
        if width > 64 {
            return None;
        }
        let (x, y) = (self.known_bits(a), self.known_bits(b));
        if x.max(width) < y.min() {
            return Some(self.tru());
        }
        (x.min() >= y.max(width)).then(|| self.fls())
    }

    /// Only one value satisfies it.
    fn ult_border(&mut self, a: Term, b: Term, width: u16) -> Option<Term> {
        if self.as_u64(b) == Some(1) {
            let zero = self.zero(width);
            return Some(self.eq(a, zero));
        }
        let top = self.as_const(a)?.add(&Bv::one(width));
        if top.is_ones() {
            let top = self.bv_const(top);
            return Some(self.eq(b, top));
        }
        None
    }

    fn ult_rules(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.op(a), self.op(b)) {
            (Op::Not(x), Op::Not(y)) => Some(self.ult(y, x)),
            (Op::Not(x), Op::Const) => {
                let k = self.not(b);
                Some(self.ult(k, x))
            }
            (Op::Const, Op::Not(y)) => {
                let k = self.not(a);
                Some(self.ult(y, k))
            }
            (Op::Concat(h, x), Op::Concat(i, y)) => self.ult_concats((h, x), (i, y)),
            (Op::Concat(h, x), Op::Const) => self.ult_concat_const((h, x), b),
            (Op::Const, Op::Concat(h, x)) => self.ult_const_concat(a, (h, x)),
            (Op::Sext(x), Op::Sext(y)) if self.width(x) == self.width(y) => Some(self.ult(x, y)),
            (Op::Sext(x), Op::Const) => Some(self.sext_below(x, b, Terms::ult)),
            (Op::Const, Op::Sext(y)) => Some(self.sext_above(a, y, Terms::ult)),
            (Op::Ite(..), _) | (_, Op::Ite(..)) => {
                let decided = self.compare_choices(a, b, Terms::ult).or_else(|| self.ult_ranges(a, b));
                decided.or_else(|| self.compare_extremum(a, b, Kind::Ult))
            }
            _ => None,
        }
    }

    /// A branch of a choice is decided by its range.
    fn ult_ranges(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let (c, (x, u), (y, v)) = match (self.op(a), self.op(b)) {
            (Op::Ite(c, x, y), _) => (c, (x, b), (y, b)),
            (_, Op::Ite(c, x, y)) => (c, (a, x), (a, y)),
            _ => return None,
        };
        if self.ult_known(x, u, width).is_none() && self.ult_known(y, v, width).is_none() {
            return None;
        }
        self.descend(|terms| {
            let (then, other) = (terms.ult(x, u), terms.ult(y, v));
            terms.ite(c, then, other)
        })
    }

    /// Equal high parts drop out; so do equal low parts.
    fn ult_concats(&mut self, (h, x): (Term, Term), (i, y): (Term, Term)) -> Option<Term> {
        if self.width(x) == self.width(y) {
            if h == i {
                return Some(self.ult(x, y));
            }
            if x == y {
                return Some(self.ult(h, i));
            }
            return None;
        }
        if self.is_zero(h) && self.is_zero(i) {
            let width = self.width(x).max(self.width(y));
            let (x, y) = (self.zext(x, width), self.zext(y, width));
            return Some(self.ult(x, y));
        }
        None
    }

    fn ult_concat_const(&mut self, (h, x): (Term, Term), b: Term) -> Option<Term> {
        let k = self.as_const(b)?;
        let cut = self.width(x);
        let (high, low) = (k.extract(k.width() - 1, cut), k.extract(cut - 1, 0));
        if low.is_zero() {
            let high = self.bv_const(high);
            return Some(self.ult(h, high));
        }
        let low = self.bv_const(low);
        if self.is_const(h) {
            let high = self.bv_const(high);
            let (less, same) = (self.ult(h, high), self.eq(h, high));
            let below = self.ult(x, low);
            let here = self.and(same, below);
            return Some(self.or(less, here));
        }
        if self.is_const(x) {
            // Decided by the high parts, with a tie broken by constants.
            let high = self.bv_const(high);
            let tie = self.ult(x, low);
            let less = if self.is_true(tie) { self.ule(h, high) } else { self.ult(h, high) };
            return Some(less);
        }
        None
    }

    fn ult_const_concat(&mut self, a: Term, (h, x): (Term, Term)) -> Option<Term> {
        let k = self.as_const(a)?;
        let cut = self.width(x);
        let (high, low) = (k.extract(k.width() - 1, cut), k.extract(cut - 1, 0));
        if low.is_ones() {
            let high = self.bv_const(high);
            return Some(self.ult(high, h));
        }
        let low = self.bv_const(low);
        let high = self.bv_const(high);
        if self.is_const(h) {
            let (less, same) = (self.ult(high, h), self.eq(h, high));
            let below = self.ult(low, x);
            let here = self.and(same, below);
            return Some(self.or(less, here));
        }
        if self.is_const(x) {
            let tie = self.ult(low, x);
            let less = if self.is_true(tie) { self.ule(high, h) } else { self.ult(high, h) };
            return Some(less);
        }
        None
    }

    /// `sext(x) < k`: the constant is cut to the narrow width if it is an extension itself; else only the sign matters.
    fn sext_below(&mut self, x: Term, b: Term, f: fn(&mut Terms, Term, Term) -> Term) -> Term {
        let k = self.as_const(b).expect("the bound should be constant");
        let narrow = k.extract(self.width(x) - 1, 0);
        if narrow.sext(k.width()) == k {
            let narrow = self.bv_const(narrow);
            return f(self, x, narrow);
        }
        let (yes, no) = (Bv::zero(1).sext(k.width()), Bv::ones(k.width()));
        let nonneg = self.bv_const(yes);
        let negative = self.bv_const(no);
        let (if_nonneg, if_negative) = (f(self, nonneg, b), f(self, negative, b));
        let sign = self.sign_bit(x);
        self.ite(sign, if_negative, if_nonneg)
    }

    /// `k < sext(y)`, likewise.
    fn sext_above(&mut self, a: Term, y: Term, f: fn(&mut Terms, Term, Term) -> Term) -> Term {
        let k = self.as_const(a).expect("the bound should be constant");
        let narrow = k.extract(self.width(y) - 1, 0);
        if narrow.sext(k.width()) == k {
            let narrow = self.bv_const(narrow);
            return f(self, narrow, y);
        }
        let nonneg = self.zero(k.width());
        let negative = self.ones(k.width());
        let (if_nonneg, if_negative) = (f(self, a, nonneg), f(self, a, negative));
        let sign = self.sign_bit(y);
        self.ite(sign, if_negative, if_nonneg)
    }

    /// A choice with a constant branch against a constant, or two choices by the same condition.
    fn compare_choices(&mut self, a: Term, b: Term, f: fn(&mut Terms, Term, Term) -> Term) -> Option<Term> {
        let (c, (x, u), (y, v)) = match (self.op(a), self.op(b)) {
            (Op::Ite(c, x, y), Op::Const) if self.is_const(x) || self.is_const(y) => (c, (x, b), (y, b)),
            (Op::Const, Op::Ite(c, x, y)) if self.is_const(x) || self.is_const(y) => (c, (a, x), (a, y)),
            (Op::Ite(c, x, y), Op::Ite(d, u, v)) if c == d => (c, (x, u), (y, v)),
            _ => return None,
        };
        self.descend(|terms| {
            let (then, other) = (f(terms, x, u), f(terms, y, v));
            terms.ite(c, then, other)
        })
    }

    /// Signed less.
    pub fn slt(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bool(x.slt(&y));
        }
        if a == b {
            return self.fls();
        }
        if width == 1 {
            let not_b = self.not(b);
            return self.and(a, not_b);
        }
        match (self.known_sign(a), self.known_sign(b)) {
            (Some(x), Some(y)) if x == y => return self.ult(a, b),
            (Some(x), Some(_)) => return self.bool(x),
            _ => {}
        }
        if let Some(t) = self.slt_border(a, b).or_else(|| self.slt_rules(a, b)) {
            self.note_comparison(t, Op::Slt(a, b));
            return t;
        }
        if let Some(k) = self.as_const(a) {
            let above = self.bv_const(k.add(&Bv::one(width)));
            let below = self.binary(Kind::Slt, 1, b, above);
            return self.not(below);
        }
        self.binary(Kind::Slt, 1, a, b)
    }

    /// Only one value, all values but one, or only the sign decides.
    fn slt_border(&mut self, a: Term, b: Term) -> Option<Term> {
        if let Some(k) = self.as_const(b) {
            let (width, min) = (k.width(), Bv::min_signed(k.width()));
            if k == min {
                return Some(self.fls());
            }
            if k.is_zero() {
                return Some(self.sign_bit(a));
            }
            if k == Bv::max_signed(width) {
                return Some(self.ne(a, b));
            }
            if k.sub(&Bv::one(width)) == min {
                let min = self.bv_const(min);
                return Some(self.eq(a, min));
            }
        }
        if let Some(k) = self.as_const(a) {
            let (width, max) = (k.width(), Bv::max_signed(k.width()));
            if k == max {
                return Some(self.fls());
            }
            if k.is_ones() {
                let negative = self.sign_bit(b);
                return Some(self.not(negative));
            }
            if k == Bv::min_signed(width) {
                return Some(self.ne(b, a));
            }
            if k.add(&Bv::one(width)) == max {
                let max = self.bv_const(max);
                return Some(self.eq(b, max));
            }
        }
        None
    }

    fn slt_rules(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.op(a), self.op(b)) {
            (Op::Not(x), Op::Not(y)) => Some(self.slt(y, x)),
            (Op::Not(x), Op::Const) => {
                let k = self.not(b);
                Some(self.slt(k, x))
            }
            (Op::Const, Op::Not(y)) => {
                let k = self.not(a);
                Some(self.slt(y, k))
            }
            (Op::Sext(x), Op::Sext(y)) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.sext(x, width), self.sext(y, width));
                Some(self.slt(x, y))
            }
            (Op::Sext(x), Op::Const) => Some(self.sext_below(x, b, Terms::slt)),
            (Op::Const, Op::Sext(y)) => Some(self.sext_above(a, y, Terms::slt)),
            (Op::Ite(..), _) | (_, Op::Ite(..)) => {
                self.compare_choices(a, b, Terms::slt).or_else(|| self.compare_extremum(a, b, Kind::Slt))
            }
            (Op::Concat(h, x), Op::Concat(i, y)) if self.width(x) == self.width(y) => {
                if x == y {
                    return Some(self.slt(h, i));
                }
                (h == i).then(|| self.ult(x, y))
            }
            _ => None,
        }
    }

    /// The larger of two is below `b` if both are, the smaller if one is, and so on. Taken only where that decides one of the two
    /// comparisons: what a loop over an array found to be its largest element is then at least every element.
    fn compare_extremum(&mut self, a: Term, b: Term, order: Kind) -> Option<Term> {
        let (pairs, both) = match (self.extremum(a, order), self.extremum(b, order)) {
            (Some((x, y, larger)), _) => ([(x, b), (y, b)], larger),
            (None, Some((x, y, larger))) => ([(a, x), (a, y)], !larger),
            (None, None) => return None,
        };
        let mut decided = false;
        let joined = self.descend(|terms| {
            let [one, other] = pairs.map(|(x, y)| if order == Kind::Slt { terms.slt(x, y) } else { terms.ult(x, y) });
            decided = terms.is_const(one) || terms.is_const(other);
            if both { terms.and(one, other) } else { terms.or(one, other) }
        });
        joined.filter(|_| decided)
    }

    /// The two values of which `t` is the larger (or the smaller, then `false`) in this order.
    fn extremum(&self, t: Term, order: Kind) -> Option<(Term, Term, bool)> {
        let Op::Ite(c, x, y) = self.op(t) else { return None };
        let (p, q) = match self.op(c) {
            Op::Ult(p, q) if order == Kind::Ult => (p, q),
            Op::Slt(p, q) if order == Kind::Slt => (p, q),
            _ => return None,
        };
        let chosen_by = (p == x && q == y) || (p == y && q == x);
        chosen_by.then_some((x, y, p == y))
    }
}
