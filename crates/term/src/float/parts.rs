//! Taking floats apart and putting them together; the only place that knows how a format lies in memory.
//!
//! The x87 format has encodings that no operation produces. They are read as the CPU reads them: a pseudo-denormal (exponent 0 with the
//! leading bit set) is the normal number it spells, and an unnormal, pseudo-infinity or pseudo-NaN (exponent not 0 without the leading
//! bit) is an invalid operand, so every operation on it gives a NaN.

use super::bits::{any, bit, int, is_ones, is_zero, low, normalise, resize};
use super::format::{Encoding, Format, Nans};
use crate::{Term, Terms};
use blitz_base::Bv;

/// A float by its fields. `mag` is exponent and fraction together, in the implicit layout whatever the format's own.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    pub sign: Term,
    pub mag: Term,
    pub exp: Term,
    pub frac: Term,
    pub nan: Term,
    pub inf: Term,
    pub zero: Term,
    /// The exponent field is zero: a zero or a subnormal number.
    pub tiny: Term,
}

/// A finite float with its leading one at the top of the significand.
#[derive(Clone, Copy)]
pub(super) struct Normal {
    /// The exponent field if that were unbounded: signed, `Format::wide_exp` bits.
    pub exp: Term,
    /// The significand, all zero for zero.
    pub sig: Term,
}

/// The fields of a packed float.
pub(super) fn unpack(t: &mut Terms, f: Format, x: Term) -> Parts {
    assert_eq!(t.width(x), f.width(), "the term should be a packed float of the format");
    let sign = bit(t, x, f.width() - 1);
    let (mag, invalid) = implicit_mag(t, f, x);
    let exp = t.extract(mag, f.mag_bits() - 1, f.frac_bits());
    let frac = low(t, mag, f.frac_bits());
    let special = is_ones(t, exp);
    let tiny = is_zero(t, exp);
    let no_frac = is_zero(t, frac);
    let some_frac = t.not(no_frac);
    let nan = t.and(special, some_frac);
    Parts { sign, mag, exp, frac, nan: t.or(nan, invalid), inf: t.and(special, no_frac), zero: is_zero(t, mag), tiny }
}

/// Exponent and fraction in the implicit layout, and whether the encoding is invalid.
fn implicit_mag(t: &mut Terms, f: Format, x: Term) -> (Term, Term) {
    match f.encoding() {
        Encoding::Implicit => (low(t, x, f.mag_bits()), t.fls()),
        Encoding::Explicit => {
            let exp = t.extract(x, f.width() - 2, f.sig_bits());
            let lead = bit(t, x, f.sig_bits() - 1);
            let frac = low(t, x, f.frac_bits());
            let tiny = is_zero(t, exp);
            let pseudo_denormal = t.and(tiny, lead);
            let raised = resize(t, pseudo_denormal, f.exp_bits());
            let exp = t.or(exp, raised);
            let big = t.not(tiny);
            let no_lead = t.not(lead);
            let invalid = t.and(big, no_lead);
            let mag = t.concat(exp, frac);
            // An invalid encoding with all exponent bits set and no fraction should not look like an infinity.
            let nan = nan_mag(t, f);
            (t.ite(invalid, nan, mag), invalid)
        }
    }
}

/// The packed float of a sign and a magnitude in the implicit layout.
pub fn pack(t: &mut Terms, f: Format, sign: Term, mag: Term) -> Term {
    let mag = match f.encoding() {
        Encoding::Implicit => mag,
        Encoding::Explicit => {
            let exp = t.extract(mag, f.mag_bits() - 1, f.frac_bits());
            let frac = low(t, mag, f.frac_bits());
            let lead = any(t, exp);
            let sig = t.concat(lead, frac);
            t.concat(exp, sig)
        }
    };
    t.concat(sign, mag)
}

/// The exponent field as it counts: a subnormal has the exponent of the smallest normals.
pub(super) fn effective_exp(t: &mut Terms, exp: Term, tiny: Term) -> Term {
    let raised = resize(t, tiny, t.width(exp));
    t.or(exp, raised)
}

/// The significand with its leading bit.
pub(super) fn significand(t: &mut Terms, x: &Parts) -> Term {
    let lead = t.not(x.tiny);
    t.concat(lead, x.frac)
}

/// A finite float normalised.
pub(super) fn normal(t: &mut Terms, f: Format, x: &Parts) -> Normal {
    let w = f.wide_exp();
    let sig = significand(t, x);
    let (sig, count) = normalise(t, sig);
    let exp = effective_exp(t, x.exp, x.tiny);
    let exp = t.zext(exp, w);
    let count = t.zext(count, w);
    Normal { exp: t.sub(exp, count), sig }
}

/// Whether it is syntactically 1 or -1: dividing or multiplying by that changes the sign at most, whatever the rounding mode.
pub(super) fn is_one(t: &mut Terms, f: Format, x: &Parts) -> bool {
    let exp = int(t, f.exp_bits(), f.bias());
    x.exp == exp && t.is_zero(x.frac)
}

/// The magnitude of infinity in the implicit layout.
pub(super) fn inf_mag(t: &mut Terms, f: Format) -> Term {
    let exp = int(t, f.exp_bits(), -1);
    let frac = t.bv(f.frac_bits(), 0);
    t.concat(exp, frac)
}

/// The magnitude of the largest finite number in the implicit layout.
pub(super) fn max_mag(t: &mut Terms, f: Format) -> Term {
    let exp = int(t, f.exp_bits(), -2);
    let frac = t.bv_const(Bv::ones(f.frac_bits()));
    t.concat(exp, frac)
}

/// The magnitude of the canonical NaN in the implicit layout.
pub(super) fn nan_mag(t: &mut Terms, f: Format) -> Term {
    let exp = int(t, f.exp_bits(), -1);
    let frac = t.bv_const(Bv::min_signed(f.frac_bits()));
    t.concat(exp, frac)
}

/// The canonical quiet NaN (the positive one).
pub fn nan(t: &mut Terms, f: Format) -> Term {
    let (sign, mag) = (t.fls(), nan_mag(t, f));
    pack(t, f, sign, mag)
}

/// The infinity of this sign.
pub fn inf(t: &mut Terms, f: Format, sign: Term) -> Term {
    let mag = inf_mag(t, f);
    pack(t, f, sign, mag)
}

/// The zero of this sign.
pub fn zero(t: &mut Terms, f: Format, sign: Term) -> Term {
    let mag = t.bv(f.mag_bits(), 0);
    pack(t, f, sign, mag)
}

/// The largest finite number of this sign.
pub fn max_finite(t: &mut Terms, f: Format, sign: Term) -> Term {
    let mag = max_mag(t, f);
    pack(t, f, sign, mag)
}

/// The same float with every NaN (and every encoding the CPU rejects) as a canonical one and pseudo-denormals spelled as normals.
pub fn canonical(t: &mut Terms, f: Format, x: Term) -> Term {
    let p = unpack(t, f, x);
    finish(t, f, &[&p], p.nan, p.sign, p.mag)
}

/// A NaN where `is_nan` holds, else the packed float of sign and magnitude.
pub(super) fn finish(t: &mut Terms, f: Format, operands: &[&Parts], is_nan: Term, sign: Term, mag: Term) -> Term {
    let value = pack(t, f, sign, mag);
    let nan = nan_of(t, f, operands);
    t.ite(is_nan, nan, value)
}

/// What multiplying or dividing `x` by 1 or -1 gives: only a NaN changes more than its sign. Put together field by field, so that doing it again
/// is syntactically the same: a NaN has all exponent bits set already.
pub(super) fn resigned(t: &mut Terms, f: Format, operands: &[&Parts], x: &Parts, sign: Term) -> Term {
    let nan_sign = nan_sign(t, f, operands);
    let nan_frac = t.bv_const(Bv::min_signed(f.frac_bits()));
    let sign = t.ite(x.nan, nan_sign, sign);
    let frac = t.ite(x.nan, nan_frac, x.frac);
    let mag = t.concat(x.exp, frac);
    pack(t, f, sign, mag)
}

/// The NaN that an operation on these operands gives.
pub(super) fn nan_of(t: &mut Terms, f: Format, operands: &[&Parts]) -> Term {
    let sign = nan_sign(t, f, operands);
    let mag = nan_mag(t, f);
    pack(t, f, sign, mag)
}

fn nan_sign(t: &mut Terms, f: Format, operands: &[&Parts]) -> Term {
    match f.nans() {
        Nans::Positive => t.fls(),
        Nans::X86 => {
            let default = t.tru();
            operands.iter().rev().fold(default, |sign, x| t.ite(x.nan, x.sign, sign))
        }
    }
}
