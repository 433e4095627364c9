//! Known bits: which bits of a term are the same under every assignment.
//!
//! Why: masks, extensions and alignments make many comparisons decidable without a solver. Bits are learned once, when a
//! term is made, from what is known of its children; only terms with a known bit take space.
//! Of an array the bits are known that all its elements share, so a read of a table of small constants is known to be small.
//! Absent: terms of more than 64 bits, for which nothing is learned; their structure (concatenations) is simplified instead.

use crate::node::{KNOWN, Op, Term};
use crate::terms::{Terms, mask};

/// Bits that are surely zero and bits that are surely one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownBits {
    pub zeros: u64,
    pub ones: u64,
}

impl KnownBits {
    fn constant(value: u64, width: u16) -> Self {
        Self { zeros: !value & mask(width), ones: value }
    }

    /// All bits known.
    fn all(self) -> u64 {
        self.zeros | self.ones
    }

    /// The smallest unsigned value.
    pub fn min(self) -> u64 {
        self.ones
    }

    /// The largest unsigned value at this width.
    pub fn max(self, width: u16) -> u64 {
        !self.zeros & mask(width)
    }

    fn trailing_known(self) -> u32 {
        (!self.all()).trailing_zeros()
    }

    fn both(self, other: Self) -> Self {
        Self { zeros: self.zeros & other.zeros, ones: self.ones & other.ones }
    }

    fn not(self) -> Self {
        Self { zeros: self.ones, ones: self.zeros }
    }

    fn and(self, other: Self) -> Self {
        Self { zeros: self.zeros | other.zeros, ones: self.ones & other.ones }
    }

    fn xor(self, other: Self) -> Self {
        let both = self.all() & other.all();
        let value = self.ones ^ other.ones;
        Self { zeros: both & !value, ones: both & value }
    }

    /// The low bits up to the first unknown one of either side, and the leading zeros that a carry cannot reach.
    fn add(self, other: Self, width: u16) -> Self {
        let low = self.trailing_known().min(other.trailing_known());
        let low_mask = if low >= 64 { u64::MAX } else { (1 << low) - 1 };
        let sum = self.ones.wrapping_add(other.ones);
        let mut known = Self { zeros: !sum & low_mask, ones: sum & low_mask };
        let top = self.max(width).checked_add(other.max(width)).filter(|&top| top <= mask(width));
        if let Some(top) = top {
            known.zeros |= above(top);
        }
        known.cut(width)
    }

    fn mul(self, other: Self, width: u16) -> Self {
        let zeros = self.zeros.trailing_ones() + other.zeros.trailing_ones();
        let mut known = Self { zeros: if zeros >= 64 { u64::MAX } else { (1 << zeros) - 1 }, ones: 0 };
        let top = self.max(width).checked_mul(other.max(width)).filter(|&top| top <= mask(width));
        if let Some(top) = top {
            known.zeros |= above(top);
        }
        known.cut(width)
    }

    /// All that is known is the largest value.
    fn at_most(top: u64, width: u16) -> Self {
        Self { zeros: above(top), ones: 0 }.cut(width)
    }

    fn cut(self, width: u16) -> Self {
        Self { zeros: self.zeros & mask(width), ones: self.ones & mask(width) }
    }

    fn sext(self, from: u16, to: u16) -> Self {
        let sign = 1 << (from - 1);
        let high = mask(to) & !mask(from);
        Self {
            zeros: self.zeros | if self.zeros & sign != 0 { high } else { 0 },
            ones: self.ones | if self.ones & sign != 0 { high } else { 0 },
        }
    }
}

/// The bits above the highest set bit of `value`.
fn above(value: u64) -> u64 {
    u64::MAX.checked_shl(64 - value.leading_zeros()).unwrap_or(0)
}

impl Terms {
    /// The known bits of a bit-vector term, or of every element of an array; nothing for more than 64 bits.
    pub fn known_bits(&self, t: Term) -> KnownBits {
        let node = self.node(t);
        if node.flags & KNOWN != 0 {
            return self.known.get(&t).copied().unwrap_or_default();
        }
        if self.is_array(t) {
            return KnownBits::default();
        }
        match self.as_u64(t) {
            Some(value) if node.width <= 64 => KnownBits::constant(value, node.width),
            _ => KnownBits::default(),
        }
    }

    /// Whether the highest bit is known, and which it is.
    pub fn known_sign(&self, t: Term) -> Option<bool> {
        let width = self.width(t);
        if width > 64 {
            return match self.op(t) {
                Op::Const => self.as_const(t).map(|v| v.sign()),
                Op::Concat(high, _) => self.as_const(high).map(|v| v.sign()),
                _ => None,
            };
        }
        let known = self.known_bits(t);
        let sign = 1u64 << (width - 1);
        if known.zeros & sign != 0 {
            Some(false)
        } else if known.ones & sign != 0 {
            Some(true)
        } else {
            None
        }
    }

    /// Learns the bits of a term just made.
    pub(crate) fn learn_bits(&mut self, t: Term) {
        let known = if self.is_array(t) {
            self.element_bits(t)
        } else if self.width(t) > 64 || self.is_const(t) {
            return;
        } else {
            self.derive_bits(t)
        };
        debug_assert!(known.zeros & known.ones == 0, "known bits should not clash");
        if known != KnownBits::default() {
            self.known.insert(t, known);
            self.mark_known(t);
        }
    }

    /// The bits that all elements of an array share.
    fn element_bits(&self, t: Term) -> KnownBits {
        let of = |x: Term| self.known_bits(x);
        match self.op(t) {
            Op::ConstArray(value) => of(value),
            Op::Store(below, _, value) => of(below).both(of(value)),
            Op::Ite(_, x, y) => of(x).both(of(y)),
            Op::Fill { array, value, .. } => of(array).both(of(value)),
            Op::Copy { dst, src, .. } => of(dst).both(of(src)),
            // A variable: the other terms are no arrays.
            _ => KnownBits::default(),
        }
    }

    fn derive_bits(&self, t: Term) -> KnownBits {
        let width = self.width(t);
        let of = |x: Term| self.known_bits(x);
        match self.op(t) {
            Op::Not(x) => of(x).not(),
            Op::And(x, y) => of(x).and(of(y)),
            Op::Xor(x, y) => of(x).xor(of(y)),
            Op::Neg(x) => {
                let zeros = of(x).zeros.trailing_ones();
                KnownBits { zeros: if zeros >= 64 { u64::MAX } else { (1 << zeros) - 1 }, ones: 0 }.cut(width)
            }
            Op::Add(x, y) => of(x).add(of(y), width),
            Op::Mul(x, y) => of(x).mul(of(y), width),
            Op::Udiv(x, y) if of(y).min() > 0 => KnownBits::at_most(of(x).max(width) / of(y).min(), width),
            Op::Urem(x, y) if of(y).min() > 0 => KnownBits::at_most(of(x).max(width).min(of(y).max(width) - 1), width),
            Op::Urem(x, _) | Op::Lshr(x, _) => KnownBits::at_most(of(x).max(width), width),
            Op::Shl(x, _) => {
                let zeros = of(x).zeros.trailing_ones();
                KnownBits { zeros: if zeros >= 64 { u64::MAX } else { (1 << zeros) - 1 }, ones: 0 }.cut(width)
            }
            Op::Ite(_, x, y) => of(x).both(of(y)),
            Op::Concat(x, y) => {
                let (high, low) = (of(x), of(y));
                let by = self.width(y);
                KnownBits { zeros: high.zeros << by | low.zeros, ones: high.ones << by | low.ones }
            }
            Op::Extract { arg, hi, lo } if hi < 64 => {
                let known = of(arg);
                KnownBits { zeros: known.zeros >> lo, ones: known.ones >> lo }.cut(width)
            }
            Op::Sext(x) => of(x).sext(self.width(x), width),
            Op::Select(array, _) => of(array),
            Op::Const
            | Op::Var(_)
            | Op::Udiv(..)
            | Op::Sdiv(..)
            | Op::Srem(..)
            | Op::Ashr(..)
            | Op::Eq(..)
            | Op::Ult(..)
            | Op::Slt(..)
            | Op::Extract { .. }
            | Op::ConstArray(_)
            | Op::Store(..)
            | Op::Copy { .. }
            | Op::Fill { .. } => KnownBits::default(),
            Op::Scan { limit, .. } | Op::Mismatch { limit, .. } => KnownBits::at_most(of(limit).max(width), width),
        }
    }
}
