//! Sums and products, kept as linear as they are: a constant stands outermost, coefficients are collected, negation is pushed inwards.
//! Why: addresses are `base + constant` or `base + 4 * i + constant`, and equal ones should be the same term.

use crate::node::{Kind, Op, Term};
use crate::terms::Terms;
use blitz_base::Bv;

impl Terms {
    /// Two's complement negation.
    pub fn neg(&mut self, a: Term) -> Term {
        let width = self.width(a);
        if width == 1 {
            return a;
        }
        match self.op(a) {
            Op::Const => {
                let value = self.as_const(a).expect("a constant should have a value");
                self.bv_const(value.neg())
            }
            Op::Neg(x) => x,
            Op::Not(x) => {
                let one = self.bv(width, 1);
                self.add(x, one)
            }
            Op::Add(x, k) if self.is_const(k) => {
                let (x, k) = (self.neg(x), self.neg(k));
                self.add(x, k)
            }
            Op::Mul(x, k) if self.is_const(k) => {
                let k = self.neg(k);
                self.mul(x, k)
            }
            // Zero or all ones, as masks are made without a branch.
            Op::Concat(high, bit) if self.width(bit) == 1 && self.is_zero(high) => self.sext(bit, width),
            Op::Ite(..) => match self.lift1(a, Bv::neg) {
                Some(lifted) => lifted,
                None => self.unary(Kind::Neg, width, a),
            },
            _ => self.unary(Kind::Neg, width, a),
        }
    }

    /// Difference, as a sum with the negation.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        if a == b {
            return self.zero(self.width(a));
        }
        let minus_b = self.neg(b);
        self.add(a, minus_b)
    }

    /// A term as `x + constant`.
    pub(crate) fn split_offset(&self, t: Term) -> (Term, Option<Term>) {
        match self.op(t) {
            Op::Add(x, k) if self.is_const(k) => (x, Some(k)),
            _ => (t, None),
        }
    }

    /// A term as `x * coefficient`.
    fn coefficient(&self, t: Term) -> (Term, Bv) {
        let one = || Bv::one(self.width(t));
        match self.op(t) {
            Op::Mul(x, k) => match self.as_const(k) {
                Some(k) => (x, k),
                None => (t, one()),
            },
            Op::Neg(x) => (x, one().neg()),
            _ => (t, one()),
        }
    }

    /// Sum.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bv_const(x.add(&y));
        }
        if width == 1 {
            return self.xor(a, b);
        }
        if self.is_const(b) {
            return self.add_const(a, b);
        }
        // Constants of both sides meet outside.
        let ((x, j), (y, k)) = (self.split_offset(a), self.split_offset(b));
        if let Some(constant) = match (j, k) {
            (Some(j), Some(k)) => Some(self.add(j, k)),
            (j, k) => j.or(k),
        } {
            let sum = self.add(x, y);
            return self.add(sum, constant);
        }
        self.add_plain(a, b, width)
    }

    fn add_const(&mut self, a: Term, k: Term) -> Term {
        let width = self.width(a);
        if self.is_zero(k) {
            return a;
        }
        match self.op(a) {
            Op::Add(x, j) if self.is_const(j) => {
                let sum = self.add(j, k);
                self.add_const(x, sum)
            }
            Op::Not(x) => {
                // ~x + k = (k - 1) - x
                let minus_x = self.neg(x);
                let one = self.bv(width, 1);
                let rest = self.sub(k, one);
                self.add_const(minus_x, rest)
            }
            Op::Concat(high, low) if self.is_const(low) => self.add_concat(high, low, k),
            Op::Ite(..) => match self.lift2(a, k, Bv::add) {
                Some(lifted) => lifted,
                None => self.binary(Kind::Add, width, a, k),
            },
            _ => self.binary(Kind::Add, width, a, k),
        }
    }

    /// A constant onto a concatenation with a constant low part: the carry is known.
    fn add_concat(&mut self, high: Term, low: Term, k: Term) -> Term {
        let (width, cut) = (self.width(k), self.width(low));
        let (low, k) = self.consts(low, k).expect("both should be constants here");
        let low_sum = low.zext(width).add(&k.extract(cut - 1, 0).zext(width));
        let carry = low_sum.extract(width - 1, cut);
        let high_addend = self.bv_const(k.extract(width - 1, cut).add(&carry));
        let high = self.add(high, high_addend);
        let low = self.bv_const(low_sum.extract(cut - 1, 0));
        self.concat(high, low)
    }

    /// Neither side has a constant summand.
    fn add_plain(&mut self, a: Term, b: Term, width: u16) -> Term {
        let ((x, j), (y, k)) = (self.coefficient(a), self.coefficient(b));
        if x == y {
            let k = self.bv_const(j.add(&k));
            return self.mul(x, k);
        }
        if self.opposite(a, b) {
            return self.ones(width);
        }
        if let Some(t) = self.add_cancel(a, b).or_else(|| self.add_cancel(b, a)) {
            return t;
        }
        if let (Op::Neg(x), Op::Neg(y)) = (self.op(a), self.op(b)) {
            let sum = self.add(x, y);
            return self.neg(sum);
        }
        if let Some(t) = self.lift2(a, b, Bv::add) {
            return t;
        }
        let (a, b) = self.ordered(a, b);
        self.binary(Kind::Add, width, a, b)
    }

    /// `(x + y) + z` where `z` cancels or collects with `x` or `y`.
    fn add_cancel(&mut self, a: Term, b: Term) -> Option<Term> {
        let Op::Add(x, y) = self.op(a) else {
            return None;
        };
        let (z, k) = self.coefficient(b);
        for (x, y) in [(x, y), (y, x)] {
            let (base, j) = self.coefficient(x);
            if base == z {
                let k = self.bv_const(j.add(&k));
                let part = self.mul(z, k);
                return Some(self.add(part, y));
            }
        }
        None
    }

    /// Product.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bv_const(x.mul(&y));
        }
        if width == 1 {
            return self.and(a, b);
        }
        if self.is_const(b) {
            return self.mul_const(a, b);
        }
        for (x, y) in [(a, b), (b, a)] {
            match self.op(x) {
                Op::Neg(x) => {
                    let product = self.mul(x, y);
                    return self.neg(product);
                }
                Op::Mul(x, k) if self.is_const(k) => {
                    let product = self.mul(x, y);
                    return self.mul(product, k);
                }
                _ => {}
            }
        }
        self.binary(Kind::Mul, width, a, b)
    }

    fn mul_const(&mut self, a: Term, k: Term) -> Term {
        let width = self.width(a);
        if self.is_zero(k) {
            return k;
        }
        if self.as_u64(k) == Some(1) {
            return a;
        }
        if self.is_ones(k) {
            return self.neg(a);
        }
        match self.op(a) {
            Op::Mul(x, j) if self.is_const(j) => {
                let product = self.mul(j, k);
                self.mul_const(x, product)
            }
            Op::Neg(x) => {
                let k = self.neg(k);
                self.mul(x, k)
            }
            Op::Add(x, j) if self.is_const(j) => {
                let (x, j) = (self.mul(x, k), self.mul(j, k));
                self.add(x, j)
            }
            Op::Ite(..) => match self.lift2(a, k, Bv::mul) {
                Some(lifted) => lifted,
                None => self.binary(Kind::Mul, width, a, k),
            },
            _ => self.binary(Kind::Mul, width, a, k),
        }
    }
}
