//! Division and square root, by the restoring method one bit at a time.
//!
//! Why not `udiv` of doubled words: the loop needs one subtraction of the precision's width per result bit, a division of doubled words twice as
//! many of twice the width.

use super::arith::choose;
use super::bits::{any, bit, int, low, pad_low, top};
use super::format::Format;
use super::parts::{finish, is_one, normal, resigned, unpack};
use super::round::{Exact, Range, Rounding, round};
use crate::{Term, Terms};

/// `a / b`.
pub fn div(t: &mut Terms, f: Format, rm: impl Into<Rounding>, a: Term, b: Term) -> Term {
    let rm = rm.into();
    let (a, b) = (unpack(t, f, a), unpack(t, f, b));
    let sign = t.xor(a.sign, b.sign);
    if is_one(t, f, &b) {
        return resigned(t, f, &[&a, &b], &a, sign);
    }
    let (x, y) = (normal(t, f, &a), normal(t, f, &b));
    let (quotient, sticky) = quotient(t, x.sig, y.sig, f.sig_bits() + 2);
    let sig = t.concat(quotient, sticky);
    let lead = top(t, sig, 1);
    let rest = low(t, sig, f.sig_bits() + 2);
    let shifted = pad_low(t, rest, 1);
    let sig = t.ite(lead, sig, shifted);
    let w = f.wide_exp();
    let exp = t.sub(x.exp, y.exp);
    let (full, less) = (int(t, w, f.bias()), int(t, w, f.bias() - 1));
    let bias = t.ite(lead, full, less);
    let exp = t.add(exp, bias);
    let mag = round(t, f, rm, Exact { sign, exp, sig }, Range::FULL);
    let zero_by_zero = t.and(a.zero, b.zero);
    let inf_by_inf = t.and(a.inf, b.inf);
    let nan = t.or_all(&[a.nan, b.nan, zero_by_zero, inf_by_inf]);
    let zero = t.or(a.zero, b.inf);
    let inf = t.or(a.inf, b.zero);
    let mag = choose(t, f, zero, inf, mag);
    finish(t, f, &[&a, &b], nan, sign, mag)
}

/// The first `bits` bits of `x / y` from the integer bit on, and whether something remains. Both have their top bit set.
fn quotient(t: &mut Terms, x: Term, y: Term, bits: u16) -> (Term, Term) {
    let w = t.width(x) + 2;
    let y = t.zext(y, w);
    let mut rest = x;
    let mut quotient: Option<Term> = None;
    for i in 0..bits {
        if i > 0 {
            rest = pad_low(t, rest, 1);
        }
        let (fits, next) = subtract_if_fits(t, rest, y);
        rest = low(t, next, w - 2);
        quotient = Some(match quotient {
            None => fits,
            Some(q) => t.concat(q, fits),
        });
    }
    let sticky = any(t, rest);
    (quotient.expect("a bit should be asked for"), sticky)
}

/// Whether `y <= x`, and `x - y` if so, else `x`. `x` is at most one bit narrower than `y`'s word, whose top bit is zero.
pub(super) fn subtract_if_fits(t: &mut Terms, x: Term, y: Term) -> (Term, Term) {
    let w = t.width(y);
    let x = t.zext(x, w);
    let difference = t.sub(x, y);
    let borrow = bit(t, difference, w - 1);
    let fits = t.not(borrow);
    (fits, t.ite(fits, difference, x))
}

/// The square root.
pub fn sqrt(t: &mut Terms, f: Format, rm: impl Into<Rounding>, a: Term) -> Term {
    let rm = rm.into();
    let a = unpack(t, f, a);
    let x = normal(t, f, &a);
    let w = f.wide_exp();
    let minus_bias = int(t, w, -f.bias());
    let exp = t.add(x.exp, minus_bias);
    let odd = bit(t, exp, 0);
    let doubled = pad_low(t, x.sig, 1);
    let plain = t.zext(x.sig, f.sig_bits() + 1);
    let radicand = t.ite(odd, doubled, plain);
    let (root, sticky) = root(t, radicand, f.sig_bits() + 1);
    let half = t.extract(exp, w - 1, 1);
    let half = t.sext(half, w);
    let bias = int(t, w, f.bias());
    let exp = t.add(half, bias);
    let sig = t.concat(root, sticky);
    let positive = t.fls();
    let mag = round(t, f, rm, Exact { sign: positive, exp, sig }, root_range(f));
    let some = t.not(a.zero);
    let below_zero = t.and(a.sign, some);
    let nan = t.or(a.nan, below_zero);
    let mag = choose(t, f, a.zero, a.inf, mag);
    finish(t, f, &[&a], nan, a.sign, mag)
}

/// A root is never subnormal, but in formats with hardly any exponents.
fn root_range(f: Format) -> Range {
    let smallest = 1 - f.bias() - i64::from(f.frac_bits());
    Range { under: smallest.div_euclid(2) < 1 - f.bias(), over: false }
}

/// The first `bits` bits of the root of a number with two integer bits, and whether something remains.
fn root(t: &mut Terms, radicand: Term, bits: u16) -> (Term, Term) {
    let radicand = pad_low(t, radicand, 2 * bits - t.width(radicand));
    let mut root: Option<Term> = None;
    let mut rest: Option<Term> = None;
    for i in 0..bits {
        let hi = 2 * (bits - i) - 1;
        let pair = t.extract(radicand, hi, hi - 1);
        let dividend = match rest {
            None => pair,
            Some(rest) => t.concat(rest, pair),
        };
        let one = t.bv(2, 1);
        let trial = match root {
            None => one,
            Some(root) => t.concat(root, one),
        };
        // The remainder is at most twice the root: a root of i+1 bits leaves i+2, so the next dividend has i+4.
        let w = i + 4;
        let trial = t.zext(trial, w);
        let (fits, next) = subtract_if_fits(t, dividend, trial);
        rest = Some(low(t, next, i + 2));
        root = Some(match root {
            None => fits,
            Some(root) => t.concat(root, fits),
        });
    }
    let rest = rest.expect("a bit should be asked for");
    let sticky = any(t, rest);
    (root.expect("a bit should be asked for"), sticky)
}
