//! Rounding to an integral value in the same format: `rint`, `trunc`, `floor`, `ceil`, `round`.
//!
//! Works on exponent and fraction as one word: the bits below the binary point are masked off and the increment is added at the unit's
//! place, so that no significand is shifted. The carry raises the exponent by itself. The unit's place of numbers in [1, 2) is the last bit of the
//! exponent field, which is 1 there like the implicit bit it stands for, because the bias is odd.

use super::bits::{any, int, is_zero, low, shl};
use super::format::{Format, bits_for};
use super::parts::{Parts, finish, unpack};
use super::round::{Rounding, increment};
use crate::{Term, Terms};
use blitz_base::Bv;

/// `x` rounded to an integral value; the sign is kept, also for zero.
pub fn round_to_integral(t: &mut Terms, f: Format, rm: impl Into<Rounding>, x: Term) -> Term {
    let rm = rm.into();
    let x = unpack(t, f, x);
    let w = f.exp_bits() + 2;
    let exp = t.zext(x.exp, w);
    let bias = int(t, w, f.bias());
    let fraction = t.slt(exp, bias);
    let (cleared, unit, [lsb, guard, sticky]) = masked(t, f, &x);
    let [small_guard, small_sticky] = below_one(t, f, &x);
    let never = t.fls();
    let lsb = t.ite(fraction, never, lsb);
    let guard = t.ite(fraction, small_guard, guard);
    let sticky = t.ite(fraction, small_sticky, sticky);
    let up = increment(t, rm, x.sign, lsb, guard, sticky);
    let zero = t.bv(f.mag_bits(), 0);
    let step = t.ite(up, unit, zero);
    let rounded = t.add(cleared, step);
    let one = one_mag(t, f);
    let small = t.ite(up, one, zero);
    let rounded = t.ite(fraction, small, rounded);
    let integral = is_integral_exp(t, f, exp);
    let mag = t.ite(integral, x.mag, rounded);
    finish(t, f, &[&x], x.nan, x.sign, mag)
}

/// The magnitude of 1.
fn one_mag(t: &mut Terms, f: Format) -> Term {
    let exp = int(t, f.exp_bits(), f.bias());
    let frac = t.bv(f.frac_bits(), 0);
    t.concat(exp, frac)
}

/// The exponent (with two zero bits above) is so large that there are no bits below the point; infinities and NaNs too.
fn is_integral_exp(t: &mut Terms, f: Format, exp: Term) -> Term {
    let w = t.width(exp);
    let last = f.bias() + i64::from(f.frac_bits());
    if last > f.exp_special() {
        let special = int(t, w, f.exp_special());
        return t.eq(exp, special);
    }
    let last = int(t, w, last);
    t.sge(exp, last)
}

/// For numbers from 1 on: the magnitude without its bits below the point, the unit's place, and the bits that decide the rounding.
fn masked(t: &mut Terms, f: Format, x: &Parts) -> (Term, Term, [Term; 3]) {
    let p = f.sig_bits();
    let w = f.exp_bits().max(bits_for(u64::from(p))) + 1;
    let exp = t.zext(x.exp, w);
    let last = int(t, w, f.bias() + i64::from(f.frac_bits()));
    let below = t.sub(last, exp);
    let below = low(t, below, bits_for(u64::from(p)));
    let ones = t.bv_const(Bv::ones(p));
    let keep = shl(t, ones, below);
    let lost = t.not(keep);
    let one = t.bv(p, 1);
    let unit = shl(t, one, below);
    let half = t.lshr(unit, one);
    let not_half = t.not(half);
    let rest = t.and(lost, not_half);
    let word = low(t, x.mag, p);
    let decide = [unit, half, rest].map(|mask| {
        let bits = t.and(word, mask);
        any(t, bits)
    });
    let n = f.mag_bits();
    let lost = t.zext(lost, n);
    let keep = t.not(lost);
    (t.and(x.mag, keep), t.zext(unit, n), decide)
}

/// For numbers below 1: whether they are at least a half, and whether there is more.
fn below_one(t: &mut Terms, f: Format, x: &Parts) -> [Term; 2] {
    let half = int(t, f.exp_bits(), f.bias() - 1);
    let half = t.eq(x.exp, half);
    if f.bias() == 1 {
        // The exponent field of a half is that of the subnormals: the top fraction bit is the half.
        return below_one_tiny(t, f, x);
    }
    let no_frac = is_zero(t, x.frac);
    let exact = t.ite(half, no_frac, x.zero);
    [half, t.not(exact)]
}

/// The same where subnormal numbers reach up to 1.
fn below_one_tiny(t: &mut Terms, f: Format, x: &Parts) -> [Term; 2] {
    let half = super::bits::top(t, x.frac, 1);
    if f.frac_bits() == 1 {
        return [half, t.fls()];
    }
    let rest = low(t, x.frac, f.frac_bits() - 1);
    [half, any(t, rest)]
}
