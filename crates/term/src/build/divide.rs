//! Quotients and remainders. Division by zero follows SMT-LIB; whether it may happen is a check of the program, not of the term.

use crate::node::{Kind, Term};
use crate::terms::Terms;
use blitz_base::Bv;

impl Terms {
    /// Unsigned quotient; by zero all ones.
    pub fn udiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bv_const(x.udiv(&y));
        }
        if width == 1 {
            let not_b = self.not(b);
            return self.or(a, not_b);
        }
        if self.is_zero(b) {
            return self.ones(width);
        }
        if let Some(k) = self.as_const(b) {
            if let Some(t) = self.udiv_const(a, &k) {
                return t;
            }
        } else if a == b || self.is_zero(a) {
            return self.quotient_or_ones(a, b);
        }
        if let Some(t) = self.lift2(a, b, Bv::udiv) {
            return t;
        }
        self.binary(Kind::Udiv, width, a, b)
    }

    /// `x / x` and `0 / x`, which still depend on whether `x` is zero.
    fn quotient_or_ones(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(b);
        let quotient = self.bv(width, u64::from(a == b));
        let ones = self.ones(width);
        let zero = self.zero(width);
        let by_zero = self.eq(b, zero);
        self.ite(by_zero, ones, quotient)
    }

    fn udiv_const(&mut self, a: Term, k: &Bv) -> Option<Term> {
        let width = k.width();
        if let Some(shift) = k.log2_exact() {
            let slice = self.extract(a, width - 1, shift);
            return Some(self.zext(slice, width));
        }
        if self.surely_below(a, k) {
            return Some(self.zero(width));
        }
        let low = self.as_zext(a)?;
        let narrow = k.extract(self.width(low) - 1, 0);
        // The divisor is at most the largest dividend, so it fits.
        let divisor = self.bv_const(narrow);
        let quotient = self.udiv(low, divisor);
        Some(self.zext(quotient, width))
    }

    /// Whether the known bits keep `a` below the constant.
    fn surely_below(&self, a: Term, k: &Bv) -> bool {
        match (k.to_u64(), self.as_zext(a)) {
            (Some(k), _) if self.width(a) <= 64 => self.known_bits(a).max(self.width(a)) < k,
            (_, Some(low)) => Bv::ones(self.width(low)).zext(k.width()).ult(k),
            _ => false,
        }
    }

    /// Unsigned remainder; by zero the dividend.
    pub fn urem(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bv_const(x.urem(&y));
        }
        if width == 1 {
            let not_b = self.not(b);
            return self.and(a, not_b);
        }
        if self.is_zero(b) || self.is_zero(a) {
            return a;
        }
        if a == b {
            return self.zero(width);
        }
        if let Some(k) = self.as_const(b) {
            if let Some(shift) = k.log2_exact() {
                return self.low_bits(a, shift);
            }
            if self.surely_below(a, &k) {
                return a;
            }
        }
        if let Some(t) = self.urem_narrow(a, b) {
            return t;
        }
        if let Some(t) = self.lift2(a, b, Bv::urem) {
            return t;
        }
        self.binary(Kind::Urem, width, a, b)
    }

    /// The lowest `count` bits, the rest zero.
    pub(crate) fn low_bits(&mut self, a: Term, count: u16) -> Term {
        let width = self.width(a);
        if count == 0 {
            return self.zero(width);
        }
        let low = self.extract(a, count - 1, 0);
        self.zext(low, width)
    }

    /// Both sides fit in fewer bits: so does the remainder.
    fn urem_narrow(&mut self, a: Term, b: Term) -> Option<Term> {
        let width = self.width(a);
        let used = |terms: &Terms, t: Term| match terms.as_const(t) {
            Some(k) => Some(k.width() - k.ctlz()),
            None => terms.as_zext(t).map(|low| terms.width(low)),
        };
        let needed = used(self, a)?.max(used(self, b)?).max(1);
        if needed >= width {
            return None;
        }
        let (x, y) = (self.extract(a, needed - 1, 0), self.extract(b, needed - 1, 0));
        let rest = self.urem(x, y);
        Some(self.zext(rest, width))
    }

    /// Signed quotient, rounded towards zero; by zero 1 if the dividend is negative, else -1.
    pub fn sdiv(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bv_const(x.sdiv(&y));
        }
        if width == 1 {
            let not_b = self.not(b);
            return self.or(a, not_b);
        }
        if self.as_u64(b) == Some(1) {
            return a;
        }
        if self.is_ones(b) {
            return self.neg(a);
        }
        if self.known_sign(a) == Some(false) && self.known_sign(b) == Some(false) {
            return self.udiv(a, b);
        }
        if let Some(t) = self.lift2(a, b, Bv::sdiv) {
            return t;
        }
        self.binary(Kind::Sdiv, width, a, b)
    }

    /// Signed remainder with the dividend's sign; by zero the dividend.
    pub fn srem(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bv_const(x.srem(&y));
        }
        if width == 1 {
            let not_b = self.not(b);
            return self.and(a, not_b);
        }
        if self.is_zero(b) {
            return a;
        }
        if a == b || self.is_ones(b) || self.as_u64(b) == Some(1) {
            return self.zero(width);
        }
        if self.known_sign(a) == Some(false) && self.known_sign(b) == Some(false) {
            return self.urem(a, b);
        }
        if let Some(t) = self.lift2(a, b, Bv::srem) {
            return t;
        }
        self.binary(Kind::Srem, width, a, b)
    }

    /// Signed remainder with the divisor's sign (SMT-LIB's `bvsmod`), composed.
    pub fn smod(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let rest = self.srem(a, b);
        let zero = self.zero(width);
        let is_zero = self.eq(rest, zero);
        let (sign_rest, sign_b) = (self.sign_bit(rest), self.sign_bit(b));
        let differ = self.xor(sign_rest, sign_b);
        let not_zero = self.not(is_zero);
        let adjust = self.and(differ, not_zero);
        let adjusted = self.add(rest, b);
        self.ite(adjust, adjusted, rest)
    }

    /// The highest bit.
    pub fn sign_bit(&mut self, a: Term) -> Term {
        let top = self.width(a) - 1;
        self.extract(a, top, top)
    }
}
