//! The operations on values: arithmetic, bitwise, shifts, structure, comparisons, overflow, counting.

use super::{Bv, mask128, wide};

/// Arithmetic and bitwise operations, modulo two to the width.
impl Bv {
    fn binary(
        &self,
        other: &Self,
        narrow: impl FnOnce(u128, u128) -> u128,
        broad: impl FnOnce(&[u64], &[u64]) -> Vec<u64>,
    ) -> Self {
        self.check_same_width(other);
        match (self.small(), other.small()) {
            (Some(a), Some(b)) => Self::from_u128(self.width(), narrow(a, b)),
            _ => Self::from_limbs(self.width(), &broad(&self.limbs(), &other.limbs())),
        }
    }

    /// Sum.
    pub fn add(&self, other: &Self) -> Self {
        self.binary(other, u128::wrapping_add, wide::add)
    }

    /// Difference.
    pub fn sub(&self, other: &Self) -> Self {
        self.binary(other, u128::wrapping_sub, wide::sub)
    }

    /// Product.
    pub fn mul(&self, other: &Self) -> Self {
        self.binary(other, u128::wrapping_mul, wide::mul)
    }

    /// Two's complement negation.
    pub fn neg(&self) -> Self {
        Self::zero(self.width()).sub(self)
    }

    /// Bitwise complement.
    pub fn not(&self) -> Self {
        match self.small() {
            Some(a) => Self::from_u128(self.width(), !a),
            None => {
                let limbs: Vec<u64> = self.limbs().iter().map(|l| !l).collect();
                Self::from_limbs(self.width(), &limbs)
            }
        }
    }

    /// Bitwise and.
    pub fn and(&self, other: &Self) -> Self {
        self.binary(other, |a, b| a & b, |a, b| wide::zip(a, b, |x, y| x & y))
    }

    /// Bitwise or.
    pub fn or(&self, other: &Self) -> Self {
        self.binary(other, |a, b| a | b, |a, b| wide::zip(a, b, |x, y| x | y))
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Self) -> Self {
        self.binary(other, |a, b| a ^ b, |a, b| wide::zip(a, b, |x, y| x ^ y))
    }

    /// Unsigned quotient; all ones if the divisor is zero.
    pub fn udiv(&self, other: &Self) -> Self {
        if other.is_zero() {
            self.check_same_width(other);
            return Self::ones(self.width());
        }
        self.binary(other, |a, b| a / b, |a, b| wide::divide(a, b).0)
    }

    /// Unsigned remainder; the dividend if the divisor is zero.
    pub fn urem(&self, other: &Self) -> Self {
        if other.is_zero() {
            self.check_same_width(other);
            return self.clone();
        }
        self.binary(other, |a, b| a % b, |a, b| wide::divide(a, b).1)
    }

    /// The absolute value, read as unsigned.
    pub fn abs(&self) -> Self {
        if self.sign() { self.neg() } else { self.clone() }
    }

    fn neg_if(self, negative: bool) -> Self {
        if negative { self.neg() } else { self }
    }

    /// Signed quotient, rounded towards zero; 1 or -1 by the dividend's sign if the divisor is zero.
    pub fn sdiv(&self, other: &Self) -> Self {
        self.abs().udiv(&other.abs()).neg_if(self.sign() != other.sign())
    }

    /// Signed remainder with the dividend's sign; the dividend if the divisor is zero.
    pub fn srem(&self, other: &Self) -> Self {
        self.abs().urem(&other.abs()).neg_if(self.sign())
    }

    /// Signed remainder with the divisor's sign; the dividend if the divisor is zero.
    pub fn smod(&self, other: &Self) -> Self {
        let rest = self.abs().urem(&other.abs());
        if rest.is_zero() {
            return rest;
        }
        match (self.sign(), other.sign()) {
            (false, false) => rest,
            (true, false) => rest.neg().add(other),
            (false, true) => rest.add(other),
            (true, true) => rest.neg(),
        }
    }
}

/// Shifts and rotations.
impl Bv {
    /// The amount `self` as a number capped at `width`.
    fn amount(&self, width: u16) -> u16 {
        match self.to_u64() {
            Some(n) if n < u64::from(width) => n as u16,
            _ => width,
        }
    }

    /// Left shift; zero if the amount reaches the width.
    pub fn shl(&self, amount: &Self) -> Self {
        self.check_same_width(amount);
        self.shl_by(amount.amount(self.width()))
    }

    /// Left shift by a number.
    pub fn shl_by(&self, by: u16) -> Self {
        if by >= self.width() {
            return Self::zero(self.width());
        }
        match self.small() {
            Some(a) => Self::from_u128(self.width(), a << by),
            None => Self::from_limbs(self.width(), &wide::shl(&self.limbs(), by.into())),
        }
    }

    /// Right shift filling with zeros; zero if the amount reaches the width.
    pub fn lshr(&self, amount: &Self) -> Self {
        self.check_same_width(amount);
        self.lshr_by(amount.amount(self.width()))
    }

    /// Right shift by a number, filling with zeros.
    pub fn lshr_by(&self, by: u16) -> Self {
        if by >= self.width() {
            return Self::zero(self.width());
        }
        match self.small() {
            Some(a) => Self::from_u128(self.width(), a >> by),
            None => Self::from_limbs(self.width(), &wide::shr(&self.limbs(), by.into())),
        }
    }

    /// Right shift filling with the sign.
    pub fn ashr(&self, amount: &Self) -> Self {
        self.check_same_width(amount);
        self.ashr_by(amount.amount(self.width()))
    }

    /// Right shift by a number, filling with the sign.
    pub fn ashr_by(&self, by: u16) -> Self {
        if self.sign() { self.not().lshr_by(by).not() } else { self.lshr_by(by) }
    }

    /// Rotation to the left by a number, modulo the width.
    pub fn rotl_by(&self, by: u16) -> Self {
        let by = by % self.width();
        self.shl_by(by).or(&self.lshr_by(self.width() - by))
    }
}

/// Structure.
impl Bv {
    /// `self` above `low`.
    pub fn concat(&self, low: &Self) -> Self {
        let width = self.width().checked_add(low.width()).expect("a concatenation should have at most 65535 bits");
        self.zext(width).shl_by(low.width()).or(&low.zext(width))
    }

    /// The bits `hi` down to `lo`, both included.
    pub fn extract(&self, hi: u16, lo: u16) -> Self {
        assert!(lo <= hi && hi < self.width(), "extracted bits should lie inside");
        let width = hi - lo + 1;
        match self.small() {
            Some(a) => Self::from_u128(width, a >> lo),
            None => Self::from_limbs(width, &self.lshr_by(lo).limbs()),
        }
    }

    /// Widened to `width` bits with zeros.
    pub fn zext(&self, width: u16) -> Self {
        assert!(width >= self.width(), "an extension should not narrow");
        match self.small() {
            Some(a) => Self::from_u128(width, a),
            None => Self::from_limbs(width, &self.limbs()),
        }
    }

    /// Widened to `width` bits with the sign.
    pub fn sext(&self, width: u16) -> Self {
        if self.sign() { self.not().zext(width).not() } else { self.zext(width) }
    }
}

/// Comparisons.
impl Bv {
    /// Unsigned less.
    pub fn ult(&self, other: &Self) -> bool {
        self.check_same_width(other);
        self < other
    }

    /// Unsigned less or equal.
    pub fn ule(&self, other: &Self) -> bool {
        !other.ult(self)
    }

    /// Unsigned greater.
    pub fn ugt(&self, other: &Self) -> bool {
        other.ult(self)
    }

    /// Unsigned greater or equal.
    pub fn uge(&self, other: &Self) -> bool {
        !self.ult(other)
    }

    /// Signed less.
    pub fn slt(&self, other: &Self) -> bool {
        match (self.sign(), other.sign()) {
            (true, false) => true,
            (false, true) => false,
            (true, true) | (false, false) => self.ult(other),
        }
    }

    /// Signed less or equal.
    pub fn sle(&self, other: &Self) -> bool {
        !other.slt(self)
    }

    /// Signed greater.
    pub fn sgt(&self, other: &Self) -> bool {
        other.slt(self)
    }

    /// Signed greater or equal.
    pub fn sge(&self, other: &Self) -> bool {
        !self.slt(other)
    }
}

/// Whether an operation leaves the range of its width.
impl Bv {
    /// Unsigned addition overflows.
    pub fn uaddo(&self, other: &Self) -> bool {
        self.add(other).ult(self)
    }

    /// Unsigned subtraction goes below zero.
    pub fn usubo(&self, other: &Self) -> bool {
        self.ult(other)
    }

    /// Unsigned multiplication overflows.
    pub fn umulo(&self, other: &Self) -> bool {
        !self.is_zero() && self.mul(other).udiv(self) != *other
    }

    /// Signed addition overflows.
    pub fn saddo(&self, other: &Self) -> bool {
        self.sign() == other.sign() && self.add(other).sign() != self.sign()
    }

    /// Signed subtraction overflows.
    pub fn ssubo(&self, other: &Self) -> bool {
        self.sign() != other.sign() && self.sub(other).sign() != self.sign()
    }

    /// Signed multiplication overflows.
    pub fn smulo(&self, other: &Self) -> bool {
        let (a, b) = (self.abs(), other.abs());
        if a.umulo(&b) {
            return true;
        }
        let product = a.mul(&b);
        let limit = Self::min_signed(self.width());
        if self.sign() == other.sign() { !product.ult(&limit) } else { limit.ult(&product) }
    }
}

/// Counting and reordering bits.
impl Bv {
    /// The number of set bits.
    pub fn ctpop(&self) -> u16 {
        self.limbs().iter().map(|l| l.count_ones() as u16).sum()
    }

    /// The number of zero bits above the highest set one.
    pub fn ctlz(&self) -> u16 {
        (0..self.width()).rev().position(|i| self.bit(i)).map_or(self.width(), |n| n as u16)
    }

    /// The number of zero bits below the lowest set one.
    pub fn cttz(&self) -> u16 {
        (0..self.width()).position(|i| self.bit(i)).map_or(self.width(), |n| n as u16)
    }

    /// The bits in the opposite order.
    pub fn bitreverse(&self) -> Self {
        let top = self.width() - 1;
        Self::from_bits(self.width(), |i| self.bit(top - i))
    }

    /// The bytes in the opposite order; the width is a multiple of 8.
    pub fn bswap(&self) -> Self {
        let width = self.width();
        assert!(width.is_multiple_of(8), "bswap should be on whole bytes");
        Self::from_bits(width, |i| self.bit(width - 8 - i / 8 * 8 + i % 8))
    }

    /// The lowest `width` bits of a value that need not be narrower, or the value widened with zeros.
    pub fn resize(&self, width: u16) -> Self {
        match self.small() {
            Some(a) if width <= 128 => Self::from_u128(width, a & mask128(width)),
            _ => Self::from_limbs(width, &self.limbs()),
        }
    }
}
