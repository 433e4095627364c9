//! Shifts and rotations. A shift by a constant is a slice, which other rules understand.

use crate::node::{Kind, Term};
use crate::terms::Terms;
use blitz_base::Bv;

impl Terms {
    /// The amount if it is constant, capped at the width.
    fn constant_amount(&self, amount: Term) -> Option<u16> {
        let width = self.width(amount);
        let amount = self.as_const(amount)?;
        Some(match amount.to_u64() {
            Some(n) if n < u64::from(width) => n as u16,
            _ => width,
        })
    }

    /// Whether the known bits say that the amount reaches the width.
    fn shifts_out(&self, amount: Term) -> bool {
        let width = self.width(amount);
        width <= 64 && self.known_bits(amount).min() >= u64::from(width)
    }

    /// Left shift; zero if the amount reaches the width.
    pub fn shl(&mut self, a: Term, amount: Term) -> Term {
        self.same_width(a, amount);
        match self.constant_amount(amount) {
            Some(n) => self.shl_by(a, n),
            None => self.shift_with_zeros(Kind::Shl, a, amount, Bv::shl),
        }
    }

    /// Left shift by a number.
    pub fn shl_by(&mut self, a: Term, by: u16) -> Term {
        let width = self.width(a);
        if by >= width {
            return self.zero(width);
        }
        let kept = self.extract(a, width - 1 - by, 0);
        self.append_zeros(kept, by)
    }

    /// Right shift filling with zeros; zero if the amount reaches the width.
    pub fn lshr(&mut self, a: Term, amount: Term) -> Term {
        self.same_width(a, amount);
        match self.constant_amount(amount) {
            Some(n) => self.lshr_by(a, n),
            None => self.shift_with_zeros(Kind::Lshr, a, amount, Bv::lshr),
        }
    }

    /// A shift that fills with zeros, by an amount that is not constant.
    fn shift_with_zeros(&mut self, kind: Kind, a: Term, amount: Term, of_constants: fn(&Bv, &Bv) -> Bv) -> Term {
        let width = self.width(a);
        if self.is_zero(a) {
            return a;
        }
        if self.shifts_out(amount) {
            return self.zero(width);
        }
        if width == 1 {
            let stays = self.not(amount);
            return self.and(a, stays);
        }
        if let Some(t) = self.lift2(a, amount, of_constants) {
            return t;
        }
        self.binary(kind, width, a, amount)
    }

    /// Right shift by a number, filling with zeros.
    pub fn lshr_by(&mut self, a: Term, by: u16) -> Term {
        let width = self.width(a);
        if by >= width {
            return self.zero(width);
        }
        let kept = self.extract(a, width - 1, by);
        self.zext(kept, width)
    }

    /// Right shift filling with the sign.
    pub fn ashr(&mut self, a: Term, amount: Term) -> Term {
        let width = self.same_width(a, amount);
        if width == 1 || self.is_zero(a) || self.is_ones(a) {
            return a;
        }
        if let Some(n) = self.constant_amount(amount) {
            let kept = self.extract(a, width - 1, n.min(width - 1));
            return self.sext(kept, width);
        }
        if self.known_sign(a) == Some(false) {
            return self.lshr(a, amount);
        }
        if let Some(t) = self.lift2(a, amount, Bv::ashr) {
            return t;
        }
        self.binary(Kind::Ashr, width, a, amount)
    }

    /// Rotation to the left by a term, modulo the width.
    pub fn rotl(&mut self, a: Term, amount: Term) -> Term {
        self.rotate(a, amount, Terms::shl, Terms::lshr)
    }

    /// Rotation to the right by a term, modulo the width.
    pub fn rotr(&mut self, a: Term, amount: Term) -> Term {
        self.rotate(a, amount, Terms::lshr, Terms::shl)
    }

    fn rotate(
        &mut self,
        a: Term,
        amount: Term,
        there: fn(&mut Terms, Term, Term) -> Term,
        back: fn(&mut Terms, Term, Term) -> Term,
    ) -> Term {
        let width = self.same_width(a, amount);
        if width == 1 {
            return a;
        }
        // The width itself may not fit in the width only for 1 bit.
        let modulus = self.bv(width, width.into());
        let n = self.urem(amount, modulus);
        let rest = self.sub(modulus, n);
        let (x, y) = (there(self, a, n), back(self, a, rest));
        self.or(x, y)
    }
}
