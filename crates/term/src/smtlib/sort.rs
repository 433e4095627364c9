//! Sorts as SMT-LIB has them. `Terms` knows fewer: a Boolean is a bit-vector of one bit there, a float is its packed bits.

use crate::float::{Format, Rounding};
use crate::node::Term;
use crate::sort::Sort;
use std::fmt;

/// A sort of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SmtSort {
    Scalar(Scalar),
    Array { index: Scalar, elem: Scalar },
}

/// A sort that is not an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Bool,
    BitVec(u16),
    Float(Format),
    RoundingMode,
}

/// A term with its sort in the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typed {
    pub term: Term,
    pub sort: SmtSort,
}

impl Scalar {
    /// The number of bits that represent it.
    pub fn width(self) -> u16 {
        match self {
            Scalar::Bool => 1,
            Scalar::BitVec(width) => width,
            Scalar::Float(format) => format.width(),
            Scalar::RoundingMode => Rounding::WIDTH,
        }
    }
}

impl SmtSort {
    pub const BOOL: SmtSort = SmtSort::Scalar(Scalar::Bool);

    pub(super) fn bv(width: u16) -> Self {
        SmtSort::Scalar(Scalar::BitVec(width))
    }

    /// The sort of the terms that represent it.
    pub fn term_sort(self) -> Sort {
        match self {
            SmtSort::Scalar(scalar) => Sort::Bv(scalar.width()),
            SmtSort::Array { index, elem } => Sort::Array { index: index.width(), elem: elem.width() },
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::Bool => f.write_str("Bool"),
            Scalar::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Scalar::Float(format) => write!(f, "(_ FloatingPoint {} {})", format.exp_bits(), format.sig_bits()),
            Scalar::RoundingMode => f.write_str("RoundingMode"),
        }
    }
}

impl fmt::Display for SmtSort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SmtSort::Scalar(scalar) => scalar.fmt(f),
            SmtSort::Array { index, elem } => write!(f, "(Array {index} {elem})"),
        }
    }
}
