//! Conversions between formats and from and to integers.

use super::arith::choose;
use super::bits::{add_bit, any, bit, int, is_zero, low, normalise, pad_low, shr_sticky, top};
use super::format::{Format, bits_for};
use super::parts::{Normal, Parts, canonical, effective_exp, finish, normal, significand, unpack};
use super::round::{Exact, Range, Rounding, increment, round};
use crate::{Sort, Term, Terms};
use blitz_base::Bv;

/// The float `x` of one format in another.
pub fn convert(t: &mut Terms, from: Format, to: Format, rm: impl Into<Rounding>, x: Term) -> Term {
    let rm = rm.into();
    if from == to {
        return canonical(t, from, x);
    }
    let x = unpack(t, from, x);
    let n = source(t, from, to, &x);
    let w = from.wide_exp().max(to.wide_exp());
    let exp = t.sext(n.exp, w);
    let shift = int(t, w, to.bias() - from.bias());
    let exp = t.add(exp, shift);
    let exact = Exact { sign: x.sign, exp, sig: n.sig };
    let range = Range { under: -from.bias() - i64::from(from.frac_bits()) < -to.bias(), over: from.bias() > to.bias() };
    let mag = round(t, to, rm, exact, range);
    let mag = choose(t, to, x.zero, x.inf, mag);
    finish(t, to, &[&x], x.nan, x.sign, mag)
}

/// The number normalised, unless every subnormal is below half of the target's smallest number and so only a sticky bit.
fn source(t: &mut Terms, from: Format, to: Format, x: &Parts) -> Normal {
    let vanishes = -from.bias() <= -to.bias() - i64::from(to.sig_bits());
    if !vanishes {
        return normal(t, from, x);
    }
    let exp = effective_exp(t, x.exp, x.tiny);
    Normal { exp: t.zext(exp, from.wide_exp()), sig: significand(t, x) }
}

/// The signed integer `x` as a float.
pub fn from_sint(t: &mut Terms, f: Format, rm: impl Into<Rounding>, x: Term) -> Term {
    let sign = top(t, x, 1);
    let negated = t.neg(x);
    let mag = t.ite(sign, negated, x);
    from_mag(t, f, rm.into(), sign, mag)
}

/// The unsigned integer `x` as a float.
pub fn from_uint(t: &mut Terms, f: Format, rm: impl Into<Rounding>, x: Term) -> Term {
    let sign = t.fls();
    from_mag(t, f, rm.into(), sign, x)
}

fn from_mag(t: &mut Terms, f: Format, rm: Rounding, sign: Term, x: Term) -> Term {
    let n = t.width(x);
    let zero = is_zero(t, x);
    let (sig, count) = normalise(t, x);
    let w = f.exp_bits().max(bits_for(u64::from(n))) + 2;
    let highest = int(t, w, f.bias() + i64::from(n) - 1);
    let count = t.zext(count, w);
    let exp = t.sub(highest, count);
    let range = Range { under: false, over: i64::from(n) - 1 > f.bias() };
    let mag = round(t, f, rm, Exact { sign, exp, sig }, range);
    let never = t.fls();
    let mag = choose(t, f, zero, never, mag);
    finish(t, f, &[], never, sign, mag)
}

/// An integer and whether the float had one: not a NaN, and in range after rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntResult {
    /// The integer; without meaning where `valid` does not hold.
    pub value: Term,
    pub valid: Term,
}

/// The float as a signed integer of `width` bits; out of range (and for a NaN) the smallest integer, as x86's `cvt` instructions give.
pub fn to_sint(t: &mut Terms, f: Format, rm: impl Into<Rounding>, x: Term, width: u16) -> Term {
    let result = to_sint_checked(t, f, rm, x, width);
    let indefinite = t.bv_const(Bv::min_signed(width));
    t.ite(result.valid, result.value, indefinite)
}

/// The float as an unsigned integer of `width` bits; out of range the bits that the signed conversion gives
/// (the integer of that value if it fits a signed one, else only the top bit set).
///
/// That is what x86-64 compilers do for 64 bits, so that -1.0 becomes all ones.
pub fn to_uint(t: &mut Terms, f: Format, rm: impl Into<Rounding>, x: Term, width: u16) -> Term {
    let rm = rm.into();
    let result = to_uint_checked(t, f, rm, x, width);
    let signed = to_sint(t, f, rm, x, width);
    t.ite(result.valid, result.value, signed)
}

/// SMT-LIB's `fp.to_sbv`: out of range some function of mode and float that nothing is known about.
pub fn to_sint_unspecified(t: &mut Terms, f: Format, rm: impl Into<Rounding>, x: Term, width: u16) -> Term {
    let rm = rm.into();
    let result = to_sint_checked(t, f, rm, x, width);
    or_unspecified(t, "fp.to_sbv", f, (rm, x), result)
}

/// SMT-LIB's `fp.to_ubv`: out of range some function of mode and float that nothing is known about.
pub fn to_uint_unspecified(t: &mut Terms, f: Format, rm: impl Into<Rounding>, x: Term, width: u16) -> Term {
    let rm = rm.into();
    let result = to_uint_checked(t, f, rm, x, width);
    or_unspecified(t, "fp.to_ubv", f, (rm, x), result)
}

/// The unspecified function is an array variable, so that equal arguments give equal results.
fn or_unspecified(t: &mut Terms, name: &str, f: Format, (rm, x): (Rounding, Term), result: IntResult) -> Term {
    let width = t.width(result.value);
    if t.is_true(result.valid) {
        return result.value;
    }
    let name = format!("{name}.unspecified!{}!{}!{width}", f.exp_bits(), f.sig_bits());
    let function = t.var(&name, Sort::Array { index: Rounding::WIDTH + f.width(), elem: width });
    let rm = rm.term(t);
    let x = canonical(t, f, x);
    let arguments = t.concat(rm, x);
    let other = t.select(function, arguments);
    t.ite(result.valid, result.value, other)
}

/// The float as a signed integer of `width` bits.
pub fn to_sint_checked(t: &mut Terms, f: Format, rm: impl Into<Rounding>, x: Term, width: u16) -> IntResult {
    let x = unpack(t, f, x);
    let (mag, fits) = int_mag(t, f, rm.into(), &x, width);
    let smallest = t.bv_const(Bv::one(width + 1).shl_by(width - 1));
    let below = t.ult(mag, smallest);
    let equal = t.eq(mag, smallest);
    let equal = t.and(equal, x.sign);
    let in_range = t.or(below, equal);
    let mag = low(t, mag, width);
    let negated = t.neg(mag);
    IntResult { value: t.ite(x.sign, negated, mag), valid: t.and(fits, in_range) }
}

/// The float as an unsigned integer of `width` bits.
pub fn to_uint_checked(t: &mut Terms, f: Format, rm: impl Into<Rounding>, x: Term, width: u16) -> IntResult {
    let x = unpack(t, f, x);
    let (mag, fits) = int_mag(t, f, rm.into(), &x, width);
    let carry = bit(t, mag, width);
    let some = any(t, mag);
    let negative = t.and(x.sign, some);
    let out = t.or(carry, negative);
    let in_range = t.not(out);
    IntResult { value: low(t, mag, width), valid: t.and(fits, in_range) }
}

/// The magnitude rounded to an integer of `width + 1` bits, and whether it fits that.
fn int_mag(t: &mut Terms, f: Format, rm: Rounding, x: &Parts, width: u16) -> (Term, Term) {
    let p = f.sig_bits();
    let n = p.max(width + 1);
    let sig = significand(t, x);
    let word = pad_low(t, sig, n - p);
    let w = f.exp_bits().max(bits_for(u64::from(width))) + 2;
    let exp = effective_exp(t, x.exp, x.tiny);
    let exp = t.zext(exp, w);
    let highest = int(t, w, f.bias() + i64::from(width) - 1);
    let amount = t.sub(highest, exp);
    let too_big = top(t, amount, 1);
    let amount = low(t, amount, w - 1);
    let (word, lost) = shr_sticky(t, word, amount);
    let whole = top(t, word, width);
    let lsb = bit(t, word, n - width);
    let guard = bit(t, word, n - width - 1);
    let mut sticky = lost;
    if n - width > 1 {
        let rest = low(t, word, n - width - 1);
        let rest = any(t, rest);
        sticky = t.or(sticky, rest);
    }
    let up = increment(t, rm, x.sign, lsb, guard, sticky);
    let whole = t.zext(whole, width + 1);
    let special = t.or_all(&[x.nan, x.inf, too_big]);
    (add_bit(t, whole, up), t.not(special))
}
