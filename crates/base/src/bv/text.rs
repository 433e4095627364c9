//! Text of values: SMT-LIB literals (`#x2a`, `#b101`) and decimal numbers.

use super::{Bv, wide};
use std::fmt;

/// Why a text is no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseBvError {
    /// Neither `#b` nor `#x`, or no digits, or a wrong digit.
    Malformed,
    /// The value does not fit in the width, or the width is not between 1 and 65535.
    Width,
}

impl fmt::Display for ParseBvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseBvError::Malformed => "not a bit-vector literal",
            ParseBvError::Width => "the bit-vector's width or value is out of range",
        })
    }
}

impl std::error::Error for ParseBvError {}

impl Bv {
    /// Reads `#b...` or `#x...`; the number of digits gives the width.
    pub fn parse(text: &str) -> Result<Self, ParseBvError> {
        let (bits_per_digit, digits) = if let Some(digits) = text.strip_prefix("#b") {
            (1usize, digits)
        } else if let Some(digits) = text.strip_prefix("#x") {
            (4, digits)
        } else {
            return Err(ParseBvError::Malformed);
        };
        if digits.is_empty() {
            return Err(ParseBvError::Malformed);
        }
        let width = u16::try_from(digits.len() * bits_per_digit).map_err(|_| ParseBvError::Width)?;
        let mut limbs = vec![0u64; wide::limbs_for(width)];
        for (i, digit) in digits.bytes().rev().enumerate() {
            let value = char::from(digit).to_digit(1 << bits_per_digit).ok_or(ParseBvError::Malformed)?;
            let at = i * bits_per_digit;
            limbs[at / 64] |= u64::from(value) << (at % 64);
        }
        Ok(Self::from_limbs(width, &limbs))
    }

    /// Reads a decimal number that has to fit in `width` bits.
    pub fn parse_decimal(width: u16, digits: &str) -> Result<Self, ParseBvError> {
        if digits.is_empty() {
            return Err(ParseBvError::Malformed);
        }
        if width == 0 {
            return Err(ParseBvError::Width);
        }
        let ten = Self::from_u64(width.saturating_add(4), 10);
        let mut value = Self::zero(ten.width());
        for digit in digits.chars() {
            let digit = digit.to_digit(10).ok_or(ParseBvError::Malformed)?;
            value = value.mul(&ten).add(&Self::from_u64(ten.width(), digit.into()));
            if value.lshr_by(width) != Self::zero(ten.width()) {
                return Err(ParseBvError::Width);
            }
        }
        Ok(value.resize(width))
    }

    /// The unsigned value in decimal.
    pub fn to_decimal(&self) -> String {
        if let Some(v) = self.to_u128() {
            return v.to_string();
        }
        let chunk = Self::from_u64(self.width(), 10u64.pow(19));
        let mut rest = self.clone();
        let mut chunks = Vec::new();
        while !rest.is_zero() {
            chunks.push(rest.urem(&chunk).to_u64().unwrap_or(0));
            rest = rest.udiv(&chunk);
        }
        let mut out = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.iter().rev() {
            out.push_str(&format!("{chunk:019}"));
        }
        out
    }
}

/// An SMT-LIB literal: hexadecimal if the width is a multiple of four, else binary.
impl fmt::Display for Bv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let per_digit: u16 = if self.width().is_multiple_of(4) { 4 } else { 1 };
        f.write_str(if per_digit == 4 { "#x" } else { "#b" })?;
        for digit in (0..self.width() / per_digit).rev() {
            let lo = digit * per_digit;
            let value = self.extract(lo + per_digit - 1, lo).to_u64().unwrap_or(0);
            write!(f, "{value:x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Bv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
