//! Literal reals, rounded to floats. A real is a quotient of two natural numbers with a sign.

use crate::float::{self, Format, Rounding};
use crate::node::Term;
use crate::terms::Terms;
use blitz_base::Bv;

/// A sign and a quotient; the widths leave room for the digits.
pub(super) struct Real {
    negative: bool,
    numerator: Bv,
    denominator: Bv,
}

/// The most bits a numerator or denominator may take.
const MOST_BITS: usize = 8000;

impl Real {
    /// A number with or without a decimal point.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = format!("{whole}{fraction}");
        let scale = format!("1{}", "0".repeat(fraction.len()));
        let bits = (digits.len().max(scale.len())) * 4;
        let width = u16::try_from(bits).ok().filter(|&w| usize::from(w) <= MOST_BITS)?;
        Some(Self {
            negative: false,
            numerator: Bv::parse_decimal(width, &digits).ok()?,
            denominator: Bv::parse_decimal(width, &scale).ok()?,
        })
    }

    pub fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    pub fn divided(&self, other: &Self) -> Option<Self> {
        if other.numerator.is_zero() {
            return None;
        }
        let width = self.numerator.width() + other.numerator.width();
        if usize::from(width) > MOST_BITS {
            return None;
        }
        let product = |a: &Bv, b: &Bv| a.zext(width).mul(&b.zext(width));
        Some(Self {
            negative: self.negative != other.negative,
            numerator: product(&self.numerator, &other.denominator),
            denominator: product(&self.denominator, &other.numerator),
        })
    }
}

/// The real rounded once: an exact quotient with a sticky bit, in a format wide enough to hold it, converted.
pub(super) fn to_float(terms: &mut Terms, format: Format, rm: Rounding, real: &Real) -> Option<Term> {
    let sign = terms.bool(real.negative);
    if real.numerator.is_zero() {
        return Some(float::zero(terms, format, sign));
    }
    // The quotient gets at least three bits more than the significand has.
    let used = |v: &Bv| v.width() - v.ctlz();
    let (n, d) = (used(&real.numerator), used(&real.denominator));
    let shift = (format.sig_bits() + 3 + d).saturating_sub(n);
    let width = n.max(d) + shift + 1;
    let numerator = real.numerator.resize(width).shl_by(shift);
    let denominator = real.denominator.resize(width);
    let (quotient, rest) = (numerator.udiv(&denominator), numerator.urem(&denominator));
    // Value = significand * 2^-(shift + 1), the lowest bit standing for everything below.
    let significand = quotient.zext(width + 1).shl_by(1).or(&Bv::bool(!rest.is_zero()).zext(width + 1));
    let length = used(&significand);
    let exponent = i64::from(length) - 1 - i64::from(shift) - 1;
    let exp_bits: u16 = 40;
    let wide = Format::ieee(exp_bits, length.max(2));
    let biased = u64::try_from(exponent + (1 << (exp_bits - 1)) - 1).ok()?;
    // The leading bit is implicit.
    let fraction = significand.resize(length.max(2)).shl_by(if length < 2 { 1 } else { 0 });
    let fraction = fraction.extract(wide.sig_bits() - 2, 0);
    let bits = Bv::bool(real.negative).concat(&Bv::from_u64(exp_bits, biased)).concat(&fraction);
    let exact = terms.bv_const(bits);
    Some(float::convert(terms, wide, format, rm, exact))
}
