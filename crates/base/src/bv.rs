//! Bit-vector values: the numbers that terms, the interpreter and models are made of.
//!
//! Why: one exact meaning of every SMT-LIB bit-vector operation, in one place, for every width. Values up to
//! 128 bits are held inline and computed with machine arithmetic; wider ones live on the heap as 64-bit limbs.
//!
//! Invariants: the width is at least 1; bits above the width are zero; a value of at most 128 bits is always inline,
//! so that equality and hashing are structural. Division follows SMT-LIB: `x / 0` is all ones, `x % 0` is `x`.
//!
//! Absent: signedness. An operation is signed, a value is not. Operands of different widths are a caller's defect.

mod ops;
mod text;
mod wide;

use std::cmp::Ordering;

pub use text::ParseBvError;

/// A bit-vector value of 1 to 65535 bits.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Bv(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small { width: u16, lo: u64, hi: u64 },
    Big { width: u16, limbs: Box<[u64]> },
}

/// The number with the lowest `width` bits set, for widths of at most 128.
fn mask128(width: u16) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

impl Bv {
    /// The value `bits` cut to `width` bits.
    pub fn from_u64(width: u16, bits: u64) -> Self {
        Self::from_u128(width, u128::from(bits))
    }

    /// The value `bits` cut to `width` bits.
    pub fn from_u128(width: u16, bits: u128) -> Self {
        assert!(width > 0, "a bit-vector should have at least one bit");
        if width > 128 {
            return Self::from_limbs(width, &[bits as u64, (bits >> 64) as u64]);
        }
        let bits = bits & mask128(width);
        Self(Repr::Small { width, lo: bits as u64, hi: (bits >> 64) as u64 })
    }

    /// The two's complement of `value`, sign-extended or cut to `width` bits.
    pub fn from_i64(width: u16, value: i64) -> Self {
        Self::from_i128(width, i128::from(value))
    }

    /// The two's complement of `value`, sign-extended or cut to `width` bits.
    pub fn from_i128(width: u16, value: i128) -> Self {
        if width <= 128 {
            Self::from_u128(width, value as u128)
        } else {
            Self::from_u128(128, value as u128).sext(width)
        }
    }

    /// The value with these limbs, lowest first; missing limbs are zero, surplus bits are cut.
    pub fn from_limbs(width: u16, limbs: &[u64]) -> Self {
        let limb = |i: usize| limbs.get(i).copied().unwrap_or(0);
        if width <= 128 {
            return Self::from_u128(width, u128::from(limb(0)) | u128::from(limb(1)) << 64);
        }
        let mut all: Box<[u64]> = (0..wide::limbs_for(width)).map(limb).collect();
        wide::clear_above(&mut all, width);
        Self(Repr::Big { width, limbs: all })
    }

    /// The value whose bit `i` is `bit(i)`.
    pub fn from_bits(width: u16, mut bit: impl FnMut(u16) -> bool) -> Self {
        let mut limbs = vec![0u64; wide::limbs_for(width)];
        for i in 0..width {
            if bit(i) {
                limbs[usize::from(i / 64)] |= 1 << (i % 64);
            }
        }
        Self::from_limbs(width, &limbs)
    }

    /// One bit.
    pub fn bool(value: bool) -> Self {
        Self::from_u64(1, u64::from(value))
    }

    /// Zero.
    pub fn zero(width: u16) -> Self {
        Self::from_u64(width, 0)
    }

    /// One.
    pub fn one(width: u16) -> Self {
        Self::from_u64(width, 1)
    }

    /// All bits set.
    pub fn ones(width: u16) -> Self {
        Self::zero(width).not()
    }

    /// The smallest signed value: only the highest bit set.
    pub fn min_signed(width: u16) -> Self {
        Self::from_bits(width, |i| i + 1 == width)
    }

    /// The largest signed value: all bits but the highest set.
    pub fn max_signed(width: u16) -> Self {
        Self::min_signed(width).not()
    }

    /// The number of bits.
    pub fn width(&self) -> u16 {
        match self.0 {
            Repr::Small { width, .. } | Repr::Big { width, .. } => width,
        }
    }

    /// The 64-bit limbs, lowest first.
    pub fn limbs(&self) -> Vec<u64> {
        match &self.0 {
            Repr::Small { width, lo, hi } if *width > 64 => vec![*lo, *hi],
            Repr::Small { lo, .. } => vec![*lo],
            Repr::Big { limbs, .. } => limbs.to_vec(),
        }
    }

    /// The unsigned value if it fits in 64 bits, whatever the width.
    pub fn to_u64(&self) -> Option<u64> {
        self.to_u128().and_then(|v| u64::try_from(v).ok())
    }

    /// The unsigned value if it fits in 128 bits, whatever the width.
    pub fn to_u128(&self) -> Option<u128> {
        match &self.0 {
            Repr::Small { lo, hi, .. } => Some(u128::from(*lo) | u128::from(*hi) << 64),
            Repr::Big { limbs, .. } if limbs[2..].iter().all(|&l| l == 0) => {
                Some(u128::from(limbs[0]) | u128::from(limbs[1]) << 64)
            }
            Repr::Big { .. } => None,
        }
    }

    /// The signed value if it fits in 64 bits, whatever the width.
    pub fn to_i64(&self) -> Option<i64> {
        self.to_i128().and_then(|v| i64::try_from(v).ok())
    }

    /// The signed value if it fits in 128 bits, whatever the width.
    pub fn to_i128(&self) -> Option<i128> {
        let width = self.width();
        if width <= 128 {
            let unused = 128 - u32::from(width);
            return self.to_u128().map(|v| ((v << unused) as i128) >> unused);
        }
        let low = self.extract(127, 0);
        (low.sext(width) == *self).then(|| low.to_u128().map(|v| v as i128)).flatten()
    }

    /// Bit `i`, counted from the lowest.
    pub fn bit(&self, i: u16) -> bool {
        assert!(i < self.width(), "bit index should be below the width");
        match &self.0 {
            Repr::Small { lo, hi, .. } => {
                let limb = if i < 64 { lo } else { hi };
                limb >> (i % 64) & 1 == 1
            }
            Repr::Big { limbs, .. } => limbs[usize::from(i / 64)] >> (i % 64) & 1 == 1,
        }
    }

    /// The highest bit.
    pub fn sign(&self) -> bool {
        self.bit(self.width() - 1)
    }

    /// Whether every bit is zero.
    pub fn is_zero(&self) -> bool {
        match &self.0 {
            Repr::Small { lo, hi, .. } => *lo == 0 && *hi == 0,
            Repr::Big { limbs, .. } => limbs.iter().all(|&l| l == 0),
        }
    }

    /// Whether the value is one.
    pub fn is_one(&self) -> bool {
        self.to_u64() == Some(1)
    }

    /// Whether every bit is set.
    pub fn is_ones(&self) -> bool {
        *self == Self::ones(self.width())
    }

    /// The exponent if the value is a power of two.
    pub fn log2_exact(&self) -> Option<u16> {
        (self.ctpop() == 1).then(|| self.cttz())
    }

    fn small(&self) -> Option<u128> {
        match self.0 {
            Repr::Small { lo, hi, .. } => Some(u128::from(lo) | u128::from(hi) << 64),
            Repr::Big { .. } => None,
        }
    }

    fn check_same_width(&self, other: &Self) {
        assert_eq!(self.width(), other.width(), "operands should have the same width");
    }
}

/// By width first, then by unsigned value.
impl Ord for Bv {
    fn cmp(&self, other: &Self) -> Ordering {
        self.width().cmp(&other.width()).then_with(|| match (self.small(), other.small()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => self.limbs().iter().rev().cmp(other.limbs().iter().rev()),
        })
    }
}

impl PartialOrd for Bv {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests;
