//! Sorts of terms. A Boolean is a bit-vector of one bit.

use std::fmt;

/// The sort of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// A bit-vector of this many bits, at least one.
    Bv(u16),
    /// An array from bit-vectors of `index` bits to bit-vectors of `elem` bits.
    Array { index: u16, elem: u16 },
}

impl Sort {
    /// The sort of truth values.
    pub const BOOL: Sort = Sort::Bv(1);

    /// Whether this is an array sort.
    pub fn is_array(self) -> bool {
        matches!(self, Sort::Array { .. })
    }

    /// The number of bits; an array is a caller's defect.
    pub fn width(self) -> u16 {
        match self {
            Sort::Bv(width) => width,
            Sort::Array { .. } => panic!("a bit-vector should be here, not an array"),
        }
    }
}

/// The sort in SMT-LIB, with one bit as `Bool`.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bv(1) => f.write_str("Bool"),
            Sort::Bv(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array { index, elem } => {
                write!(f, "(Array (_ BitVec {index}) (_ BitVec {elem}))")
            }
        }
    }
}
