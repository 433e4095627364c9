//! Whether an operation leaves its range, as a single bit, composed of the other operators.

use crate::node::{Op, Term};
use crate::terms::Terms;
use blitz_base::Bv;

impl Terms {
    /// Unsigned addition overflows: `a` exceeds what is left above `b`.
    pub fn uaddo(&mut self, a: Term, b: Term) -> Term {
        let room = self.not(b);
        self.ult(room, a)
    }

    /// Unsigned subtraction goes below zero.
    pub fn usubo(&mut self, a: Term, b: Term) -> Term {
        self.ult(a, b)
    }

    /// Unsigned multiplication overflows.
    pub fn umulo(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some(k) = self.as_const(b) {
            if k.is_zero() {
                return self.fls();
            }
            let most = self.bv_const(Bv::ones(width).udiv(&k));
            return self.ult(most, a);
        }
        if self.used_bits(a) + self.used_bits(b) <= u32::from(width) {
            return self.fls();
        }
        // Two set bits whose positions add up to the width, or else the product has one bit more at most.
        let far = self.far_bits(a, b, width);
        let (x, y) = (self.zext(a, width + 1), self.zext(b, width + 1));
        let product = self.mul(x, y);
        let carry = self.sign_bit(product);
        self.or(far, carry)
    }

    /// Whether there are set bits `i` of `a` and `j` of `b` with `i + j >= bits`, both below `bits`.
    fn far_bits(&mut self, a: Term, b: Term, bits: u16) -> Term {
        let mut above = self.fls();
        let mut found = Vec::new();
        for j in 1..bits {
            let i = bits - j;
            let (x, y) = (self.extract(a, i, i), self.extract(b, j, j));
            above = self.or(above, x);
            found.push(self.and(above, y));
        }
        self.or_all(&found)
    }

    /// Signed addition overflows.
    pub fn saddo(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.ordered(a, b);
        let width = self.same_width(a, b);
        if let Some(k) = self.as_const(b) {
            return self.saddo_const(a, &k);
        }
        if self.signed_bits(a).max(self.signed_bits(b)) < u32::from(width) {
            return self.fls();
        }
        let sum = self.add(a, b);
        let (x, y, s) = (self.sign_bit(a), self.sign_bit(b), self.sign_bit(sum));
        let same = self.eq(x, y);
        let changed = self.xor(x, s);
        self.and(same, changed)
    }

    fn saddo_const(&mut self, a: Term, k: &Bv) -> Term {
        if k.sign() {
            let least = self.bv_const(Bv::min_signed(k.width()).sub(k));
            self.slt(a, least)
        } else {
            let most = self.bv_const(Bv::max_signed(k.width()).sub(k));
            self.slt(most, a)
        }
    }

    /// Signed subtraction overflows.
    pub fn ssubo(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some(k) = self.as_const(b) {
            return self.ssubo_const(a, &k);
        }
        if a == b || self.signed_bits(a).max(self.signed_bits(b)) < u32::from(width) {
            return self.fls();
        }
        let difference = self.sub(a, b);
        let (x, y, d) = (self.sign_bit(a), self.sign_bit(b), self.sign_bit(difference));
        let differ = self.xor(x, y);
        let changed = self.xor(x, d);
        self.and(differ, changed)
    }

    fn ssubo_const(&mut self, a: Term, k: &Bv) -> Term {
        if k.sign() {
            let most = self.bv_const(Bv::max_signed(k.width()).add(k));
            self.slt(most, a)
        } else {
            let least = self.bv_const(Bv::min_signed(k.width()).add(k));
            self.slt(a, least)
        }
    }

    /// Signed multiplication overflows.
    pub fn smulo(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some(k) = self.as_const(b) {
            return self.smulo_const(a, &k);
        }
        if self.signed_bits(a) + self.signed_bits(b) <= u32::from(width) {
            return self.fls();
        }
        // As for unsigned, on the bits that differ from the sign.
        let (x_sign, y_sign) = (self.sign_bit(a), self.sign_bit(b));
        let (x_signs, y_signs) = (self.sext(x_sign, width), self.sext(y_sign, width));
        let (x, y) = (self.xor(a, x_signs), self.xor(b, y_signs));
        let far = self.far_bits(x, y, width - 1);
        let (x, y) = (self.sext(a, width + 1), self.sext(b, width + 1));
        let product = self.mul(x, y);
        let (high, low) = (self.extract(product, width, width), self.extract(product, width - 1, width - 1));
        let differ = self.xor(high, low);
        self.or(far, differ)
    }

    /// Only the factors between two quotients stay in range.
    fn smulo_const(&mut self, a: Term, k: &Bv) -> Term {
        let width = k.width();
        let (min, max) = (Bv::min_signed(width), Bv::max_signed(width));
        if k.is_zero() || (k.is_one() && width > 1) {
            return self.fls();
        }
        if k.is_ones() {
            let min = self.bv_const(min);
            return self.eq(a, min);
        }
        let (least, most) = if k.sign() { (max.sdiv(k), min.sdiv(k)) } else { (min.sdiv(k), max.sdiv(k)) };
        let (least, most) = (self.bv_const(least), self.bv_const(most));
        let (below, above) = (self.slt(a, least), self.slt(most, a));
        self.or(below, above)
    }

    /// How many low bits can be other than zero.
    fn used_bits(&self, t: Term) -> u32 {
        let width = self.width(t);
        if width <= 64 {
            return 64 - self.known_bits(t).max(width).leading_zeros();
        }
        self.as_zext(t).map_or(u32::from(width), |low| u32::from(self.width(low)))
    }

    /// How many bits a signed representation of the term needs.
    fn signed_bits(&self, t: Term) -> u32 {
        match self.op(t) {
            Op::Sext(x) => u32::from(self.width(x)),
            _ => (self.used_bits(t) + 1).min(u32::from(self.width(t))),
        }
    }
}
