//! Equality. Single bits have none of their own: `a = b` is `not (a xor b)`.

use crate::node::{Kind, Op, Term};
use crate::terms::Terms;
use blitz_base::Bv;

impl Terms {
    /// Equality of bit-vectors or arrays.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "both sides should have the same sort");
        if a == b {
            return self.tru();
        }
        if self.is_array(a) {
            return self.eq_arrays(a, b);
        }
        if self.width(a) == 1 {
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        let (a, b) = self.ordered(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bool(x == y);
        }
        if self.bits_clash(a, b) {
            return self.fls();
        }
        if let Some(t) = self.eq_rules(a, b) {
            return t;
        }
        self.binary(Kind::Eq, 1, a, b)
    }

    /// Disequality.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// Whether a bit is known to differ.
    pub(crate) fn bits_clash(&self, a: Term, b: Term) -> bool {
        let (x, y) = (self.known_bits(a), self.known_bits(b));
        x.zeros & y.ones != 0 || x.ones & y.zeros != 0
    }

    fn eq_rules(&mut self, a: Term, b: Term) -> Option<Term> {
        if let Some(k) = self.as_const(b) {
            return self.eq_const(a, b, &k);
        }
        self.eq_offsets(a, b)
            .or_else(|| self.eq_same_shape(a, b))
            .or_else(|| self.eq_one_side(a, b))
            .or_else(|| self.eq_one_side(b, a))
            .or_else(|| self.eq_choices(a, b))
    }

    /// The constant moves through everything that can be undone.
    fn eq_const(&mut self, a: Term, b: Term, k: &Bv) -> Option<Term> {
        match self.op(a) {
            Op::Add(x, j) if self.is_const(j) => {
                let rest = self.sub(b, j);
                Some(self.eq(x, rest))
            }
            Op::Add(x, y) if k.is_zero() => self.eq_sum_zero(x, y),
            Op::Xor(x, j) if self.is_const(j) => {
                let rest = self.xor(b, j);
                Some(self.eq(x, rest))
            }
            Op::Xor(x, y) if k.is_zero() => Some(self.eq(x, y)),
            Op::Not(x) => {
                let rest = self.not(b);
                Some(self.eq(x, rest))
            }
            Op::Neg(x) => {
                let rest = self.neg(b);
                Some(self.eq(x, rest))
            }
            Op::Mul(x, j) => self.eq_mul_const(x, j, k),
            Op::Concat(high, low) => {
                let cut = self.width(low);
                let (h, l) = (k.extract(k.width() - 1, cut), k.extract(cut - 1, 0));
                self.descend(|terms| {
                    let (h, l) = (terms.bv_const(h), terms.bv_const(l));
                    let (upper, lower) = (terms.eq(high, h), terms.eq(low, l));
                    terms.and(upper, lower)
                })
            }
            Op::Sext(x) => {
                let low = k.extract(self.width(x) - 1, 0);
                if low.sext(k.width()) != *k {
                    return Some(self.fls());
                }
                let low = self.bv_const(low);
                Some(self.eq(x, low))
            }
            Op::Ite(c, x, y) if self.settles(x, b) || self.settles(y, b) => self.descend(|terms| {
                let (then, other) = (terms.eq(x, b), terms.eq(y, b));
                terms.ite(c, then, other)
            }),
            Op::And(..) if k.is_zero() => self.nothing_left(a),
            _ => None,
        }
    }

    /// `x - y = 0` is `x = y`.
    fn eq_sum_zero(&mut self, x: Term, y: Term) -> Option<Term> {
        match (self.op(x), self.op(y)) {
            (_, Op::Neg(y)) => Some(self.eq(x, y)),
            (Op::Neg(x), _) => Some(self.eq(x, y)),
            _ => None,
        }
    }

    /// An odd factor has an inverse.
    fn eq_mul_const(&mut self, x: Term, j: Term, k: &Bv) -> Option<Term> {
        let factor = self.as_const(j)?;
        if !factor.bit(0) {
            return None;
        }
        let quotient = self.bv_const(inverse(&factor).mul(k));
        Some(self.eq(x, quotient))
    }

    /// Constants on both sides meet on one.
    fn eq_offsets(&mut self, a: Term, b: Term) -> Option<Term> {
        let ((x, j), (y, k)) = (self.split_offset(a), self.split_offset(b));
        match (j, k) {
            (Some(j), Some(k)) => {
                let rest = self.sub(j, k);
                let left = self.add(x, rest);
                Some(self.eq(left, y))
            }
            (Some(j), None) if x == b => Some(self.bool(self.is_zero(j))),
            (None, Some(k)) if y == a => Some(self.bool(self.is_zero(k))),
            _ => None,
        }
    }

    /// The same invertible operator on both sides.
    fn eq_same_shape(&mut self, a: Term, b: Term) -> Option<Term> {
        match (self.op(a), self.op(b)) {
            (Op::Not(x), Op::Not(y)) | (Op::Neg(x), Op::Neg(y)) => Some(self.eq(x, y)),
            (Op::Add(x, y), Op::Add(u, v)) | (Op::Xor(x, y), Op::Xor(u, v)) => {
                let (left, right) = cancel((x, y), (u, v))?;
                Some(self.eq(left, right))
            }
            (Op::Mul(x, j), Op::Mul(y, k)) if j == k => {
                let odd = self.as_const(j)?.bit(0);
                odd.then(|| self.eq(x, y))
            }
            (Op::Sext(x), Op::Sext(y)) if self.width(x) == self.width(y) => Some(self.eq(x, y)),
            (Op::Concat(h, low), Op::Concat(i, other)) => self.eq_concats((h, low), (i, other)),
            _ => None,
        }
    }

    fn eq_concats(&mut self, (h, x): (Term, Term), (i, y): (Term, Term)) -> Option<Term> {
        let (n, m) = (self.width(x), self.width(y));
        if n == m {
            return self.descend(|terms| {
                let (upper, lower) = (terms.eq(h, i), terms.eq(x, y));
                terms.and(upper, lower)
            });
        }
        // Two extensions of different widths: the longer low part ends in known bits.
        if self.is_const(h) && self.is_const(i) {
            let (high, short, long) = if n < m { (h, x, y) } else { (i, y, x) };
            let (cut, top) = (n.min(m), n.max(m));
            let lower = self.extract(long, cut - 1, 0);
            let lower = self.eq(lower, short);
            let upper = self.extract(long, top - 1, cut);
            let known = self.extract(high, top - cut - 1, 0);
            let upper = self.eq(upper, known);
            // The part above both is constant on both sides.
            let (rest_h, rest_i) = if n < m {
                let w = self.width(h);
                (self.extract(h, w - 1, top - cut), i)
            } else {
                let w = self.width(i);
                (h, self.extract(i, w - 1, top - cut))
            };
            let rest = self.eq(rest_h, rest_i);
            let both = self.and(upper, lower);
            return Some(self.and(both, rest));
        }
        None
    }

    /// `b` is a part of `a`.
    fn eq_one_side(&mut self, a: Term, b: Term) -> Option<Term> {
        match self.op(a) {
            Op::Add(x, y) | Op::Xor(x, y) if x == b || y == b => {
                let rest = if x == b { y } else { x };
                let zero = self.zero(self.width(b));
                Some(self.eq(rest, zero))
            }
            Op::Not(x) if x == b => Some(self.fls()),
            Op::Ite(c, x, y) if x == b => self.descend(|terms| {
                let other = terms.eq(y, b);
                terms.or(c, other)
            }),
            Op::Ite(c, x, y) if y == b => self.descend(|terms| {
                let other = terms.eq(x, b);
                terms.implies(c, other)
            }),
            Op::Ite(c, x, y) if self.surely_different(x, b) || self.surely_different(y, b) => self.descend(|terms| {
                let (then, other) = (terms.eq(x, b), terms.eq(y, b));
                terms.ite(c, then, other)
            }),
            _ => None,
        }
    }

    /// Whether the equality with a constant is decided without a term.
    fn settles(&self, t: Term, constant: Term) -> bool {
        self.is_const(t) || self.surely_different(t, constant)
    }

    /// Whether two terms differ under every assignment, as far as a short look tells.
    pub(crate) fn surely_different(&self, a: Term, b: Term) -> bool {
        if self.bits_clash(a, b) {
            return true;
        }
        let distinct_consts = |x: Term, y: Term| x != y && self.is_const(x) && self.is_const(y);
        let ((x, j), (y, k)) = (self.split_offset(a), self.split_offset(b));
        if x == y && j != k {
            return true;
        }
        match (self.op(a), self.op(b)) {
            (Op::Const, Op::Const) => a != b,
            (Op::Concat(h, x), Op::Concat(k, y)) if self.width(x) == self.width(y) => {
                distinct_consts(h, k) || distinct_consts(x, y) || self.bits_clash(h, k) || self.bits_clash(x, y)
            }
            _ => false,
        }
    }

    /// Both sides choose by the same condition and share a branch, or choose between constants.
    fn eq_choices(&mut self, a: Term, b: Term) -> Option<Term> {
        let (Op::Ite(c, x, y), Op::Ite(d, u, v)) = (self.op(a), self.op(b)) else {
            return None;
        };
        if c == d {
            return self.descend(|terms| {
                let (then, other) = (terms.eq(x, u), terms.eq(y, v));
                terms.ite(c, then, other)
            });
        }
        if [x, y, u, v].iter().all(|&t| self.is_const(t)) {
            let (then, other) = (self.eq(b, x), self.eq(b, y));
            return Some(self.ite(c, then, other));
        }
        None
    }

    fn eq_arrays(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        match (self.op(a), self.op(b)) {
            (Op::ConstArray(x), Op::ConstArray(y)) => self.eq(x, y),
            (Op::Store(x, i, v), Op::Store(y, j, w)) if x == y && i == j => self.eq(v, w),
            (Op::Store(x, i, v), _) if x == b => self.eq_own_store(b, i, v),
            (_, Op::Store(y, i, v)) if y == a => self.eq_own_store(a, i, v),
            _ => self.binary(Kind::Eq, 1, a, b),
        }
    }

    /// A store changes nothing if the value is there already.
    fn eq_own_store(&mut self, array: Term, index: Term, value: Term) -> Term {
        let there = self.select(array, index);
        self.eq(there, value)
    }
}

/// The other operands if one operand is the same.
fn cancel((x, y): (Term, Term), (u, v): (Term, Term)) -> Option<(Term, Term)> {
    if x == u {
        Some((y, v))
    } else if x == v {
        Some((y, u))
    } else if y == u {
        Some((x, v))
    } else if y == v {
        Some((x, u))
    } else {
        None
    }
}

/// The inverse of an odd number modulo two to its width, by Newton's iteration: each step doubles the right bits.
fn inverse(odd: &Bv) -> Bv {
    let two = Bv::from_u64(odd.width(), 2);
    let mut guess = odd.clone();
    let mut right_bits = 3u32;
    while right_bits < u32::from(odd.width()) {
        guess = guess.mul(&two.sub(&odd.mul(&guess)));
        right_bits *= 2;
    }
    guess
}
