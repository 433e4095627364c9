//! IEEE 754 arithmetic as circuits over bit-vector terms.
//!
//! Every function takes floats *packed* (the bits as they lie in memory, see `Format`) and gives back packed floats, truth values or
//! integers. There is no float sort: a circuit is ordinary terms, so constants fold through the simplifier to the exact result and the
//! solver needs to know nothing about floats.
//!
//! How it is built (after Brain, Schanda and Sun, "Building better bit-blasting for floating-point problems", TACAS 2019, with
//! leaner rounding): `parts` takes a float apart, `arith`, `rem` and `convert` compute an exact (or sticky) intermediate result, `round` turns that
//! into a float in one place. Rounding adds its increment to exponent and fraction together, so that the carry into the next
//! binade, from the subnormals to the normals and into infinity needs no circuit of its own.
//!
//! Invariants: a NaN result is always the canonical quiet NaN (only the top fraction bit set; positive, unless `Nans` says otherwise); a result is the
//! correctly rounded one; no function looks at flags or traps.
//!
//! Absent: exception flags (inexact, underflow, ...), NaN payload propagation, signalling NaNs (all NaNs are one), decimal formats,
//! conversion to reals.
//!
//! Cost: add, comparisons and conversions are some hundred gates per bit of exponent and significand; mul, div, sqrt and fma are quadratic in
//! the significand; `fmod` and `remainder` take about as many multiplications and divisions as the exponent has bits.

mod arith;
mod bits;
mod compare;
mod convert;
mod divide;
mod format;
mod integral;
mod parts;
mod rem;
mod round;

pub mod batch;

pub use arith::{add, fma, mul, sub};
pub use compare::{
    Class, abs, copysign, is_class, is_finite, is_inf, is_nan, is_negative, is_normal, is_positive, is_subnormal,
    is_zero, max, maximum, min, minimum, neg, oeq, oge, ogt, ole, olt, one, ord, sign, ueq, uge, ugt, ule, ult, une,
    uno,
};
pub use convert::{
    IntResult, convert, from_sint, from_uint, to_sint, to_sint_checked, to_sint_unspecified, to_uint, to_uint_checked,
    to_uint_unspecified,
};
pub use divide::{div, sqrt};
pub use format::{Encoding, Format, Nans};
pub use integral::round_to_integral;
pub use parts::{canonical, inf, max_finite, nan, pack, zero};
pub use rem::{fmod, remainder};
pub use round::{Rounding, RoundingMode};
