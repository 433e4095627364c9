//! Comparison, classification, sign operations, minimum and maximum.

use super::bits::{bit, low};
use super::format::Format;
use super::parts::{Parts, nan_of, unpack};
use crate::{Term, Terms};

/// The sign flipped, whatever the rest is.
pub fn neg(t: &mut Terms, f: Format, x: Term) -> Term {
    let sign = sign(t, f, x);
    let sign = t.not(sign);
    with_sign(t, f, x, sign)
}

/// The sign cleared, whatever the rest is.
pub fn abs(t: &mut Terms, f: Format, x: Term) -> Term {
    let positive = t.fls();
    with_sign(t, f, x, positive)
}

/// `x` with the sign of `y`.
pub fn copysign(t: &mut Terms, f: Format, x: Term, y: Term) -> Term {
    let sign = sign(t, f, y);
    with_sign(t, f, x, sign)
}

fn with_sign(t: &mut Terms, f: Format, x: Term, sign: Term) -> Term {
    let rest = low(t, x, f.width() - 1);
    t.concat(sign, rest)
}

/// The sign bit.
pub fn sign(t: &mut Terms, f: Format, x: Term) -> Term {
    bit(t, x, f.width() - 1)
}

/// The classes of C's `fpclassify`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    Nan,
    Inf,
    Zero,
    Subnormal,
    Normal,
}

/// Whether `x` is of this class.
pub fn is_class(t: &mut Terms, f: Format, class: Class, x: Term) -> Term {
    let p = unpack(t, f, x);
    match class {
        Class::Nan => p.nan,
        Class::Inf => p.inf,
        Class::Zero => p.zero,
        Class::Subnormal => subnormal(t, &p),
        Class::Normal => {
            let other = t.or_all(&[p.nan, p.inf, p.tiny]);
            t.not(other)
        }
    }
}

fn subnormal(t: &mut Terms, p: &Parts) -> Term {
    let some = t.not(p.zero);
    t.and(p.tiny, some)
}

/// A NaN (or, on the x87, an encoding that the CPU rejects).
pub fn is_nan(t: &mut Terms, f: Format, x: Term) -> Term {
    is_class(t, f, Class::Nan, x)
}

/// An infinity of either sign.
pub fn is_inf(t: &mut Terms, f: Format, x: Term) -> Term {
    is_class(t, f, Class::Inf, x)
}

/// A zero of either sign.
pub fn is_zero(t: &mut Terms, f: Format, x: Term) -> Term {
    is_class(t, f, Class::Zero, x)
}

/// Not zero and below the normal numbers.
pub fn is_subnormal(t: &mut Terms, f: Format, x: Term) -> Term {
    is_class(t, f, Class::Subnormal, x)
}

/// Finite, not zero, not subnormal.
pub fn is_normal(t: &mut Terms, f: Format, x: Term) -> Term {
    is_class(t, f, Class::Normal, x)
}

/// Neither an infinity nor a NaN.
pub fn is_finite(t: &mut Terms, f: Format, x: Term) -> Term {
    let p = unpack(t, f, x);
    let special = t.or(p.nan, p.inf);
    t.not(special)
}

/// Not a NaN and with the sign set (`fp.isNegative`).
pub fn is_negative(t: &mut Terms, f: Format, x: Term) -> Term {
    let p = unpack(t, f, x);
    let number = t.not(p.nan);
    t.and(number, p.sign)
}

/// Not a NaN and without the sign set (`fp.isPositive`).
pub fn is_positive(t: &mut Terms, f: Format, x: Term) -> Term {
    let p = unpack(t, f, x);
    let negative = t.or(p.nan, p.sign);
    t.not(negative)
}

/// Equal as numbers, both not NaN.
pub fn oeq(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let (a, b) = (unpack(t, f, a), unpack(t, f, b));
    let unordered = t.or(a.nan, b.nan);
    let ordered = t.not(unordered);
    let equal = equal(t, &a, &b);
    t.and(ordered, equal)
}

/// Less as numbers, both not NaN.
pub fn olt(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let (a, b) = (unpack(t, f, a), unpack(t, f, b));
    let unordered = t.or(a.nan, b.nan);
    let ordered = t.not(unordered);
    let less = less(t, &a, &b);
    t.and(ordered, less)
}

/// Less or equal as numbers, both not NaN.
pub fn ole(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let (a, b) = (unpack(t, f, a), unpack(t, f, b));
    let unordered = t.or(a.nan, b.nan);
    let greater = less(t, &b, &a);
    let no = t.or(unordered, greater);
    t.not(no)
}

/// Equal numbers; nothing is said about NaNs.
fn equal(t: &mut Terms, a: &Parts, b: &Parts) -> Term {
    let same_mag = t.eq(a.mag, b.mag);
    let same_sign = t.eq(a.sign, b.sign);
    let same = t.or(same_sign, a.zero);
    t.and(same_mag, same)
}

/// Smaller number; nothing is said about NaNs.
fn less(t: &mut Terms, a: &Parts, b: &Parts) -> Term {
    let mag_less = t.ult(a.mag, b.mag);
    let mag_greater = t.ult(b.mag, a.mag);
    let both_zero = t.and(a.zero, b.zero);
    let some = t.not(both_zero);
    let b_positive = t.not(b.sign);
    let positive = t.and(b_positive, mag_less);
    let negative = t.ite(b.sign, mag_greater, some);
    t.ite(a.sign, negative, positive)
}

/// Greater, both not NaN.
pub fn ogt(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    olt(t, f, b, a)
}

/// Greater or equal, both not NaN.
pub fn oge(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    ole(t, f, b, a)
}

/// Different, both not NaN.
pub fn one(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let no = ueq(t, f, a, b);
    t.not(no)
}

/// Neither is a NaN.
pub fn ord(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let no = uno(t, f, a, b);
    t.not(no)
}

/// One is a NaN.
pub fn uno(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let (a, b) = (is_nan(t, f, a), is_nan(t, f, b));
    t.or(a, b)
}

/// Equal, or one is a NaN.
pub fn ueq(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let (x, y) = (unpack(t, f, a), unpack(t, f, b));
    let equal = equal(t, &x, &y);
    t.or_all(&[x.nan, y.nan, equal])
}

/// Different, or one is a NaN: C's `!=`.
pub fn une(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let no = oeq(t, f, a, b);
    t.not(no)
}

/// Less, or one is a NaN.
pub fn ult(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let no = ole(t, f, b, a);
    t.not(no)
}

/// Less or equal, or one is a NaN.
pub fn ule(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let no = olt(t, f, b, a);
    t.not(no)
}

/// Greater, or one is a NaN.
pub fn ugt(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    ult(t, f, b, a)
}

/// Greater or equal, or one is a NaN.
pub fn uge(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    ule(t, f, b, a)
}

/// C's `fmin`: the other operand if one is a NaN. Of two zeros the negative one.
pub fn min(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let smaller = smaller(t, f, a, b);
    prefer_number(t, f, a, b, smaller)
}

/// C's `fmax`: the other operand if one is a NaN. Of two zeros the positive one.
pub fn max(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let larger = smaller(t, f, b, a);
    prefer_number(t, f, a, b, larger)
}

/// IEEE 754-2019 `minimum`: a NaN if one operand is. Of two zeros the negative one.
pub fn minimum(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let smaller = smaller(t, f, a, b);
    propagate_nan(t, f, a, b, smaller)
}

/// IEEE 754-2019 `maximum`: a NaN if one operand is. Of two zeros the positive one.
pub fn maximum(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let larger = smaller(t, f, b, a);
    propagate_nan(t, f, a, b, larger)
}

/// Whether `a` is before `b` with -0 before +0; nothing is said about NaNs.
fn smaller(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let (a, b) = (unpack(t, f, a), unpack(t, f, b));
    let mag_less = t.ult(a.mag, b.mag);
    let mag_greater = t.ult(b.mag, a.mag);
    let b_positive = t.not(b.sign);
    let positive = t.and(b_positive, mag_less);
    let negative = t.or(b_positive, mag_greater);
    t.ite(a.sign, negative, positive)
}

/// `a` if `first`, else `b`, but never a NaN where there is a number.
fn prefer_number(t: &mut Terms, f: Format, a: Term, b: Term, first: Term) -> Term {
    let (a_nan, b_nan) = (is_nan(t, f, a), is_nan(t, f, b));
    let first = t.or(first, b_nan);
    let a_number = t.not(a_nan);
    let first = t.and(first, a_number);
    let chosen = t.ite(first, a, b);
    let both = t.and(a_nan, b_nan);
    let nan = nan_of_two(t, f, a, b);
    t.ite(both, nan, chosen)
}

/// `a` if `first`, else `b`, but a NaN where one of them is.
fn propagate_nan(t: &mut Terms, f: Format, a: Term, b: Term, first: Term) -> Term {
    let unordered = uno(t, f, a, b);
    let chosen = t.ite(first, a, b);
    let nan = nan_of_two(t, f, a, b);
    t.ite(unordered, nan, chosen)
}

fn nan_of_two(t: &mut Terms, f: Format, a: Term, b: Term) -> Term {
    let (a, b) = (unpack(t, f, a), unpack(t, f, b));
    nan_of(t, f, &[&a, &b])
}
