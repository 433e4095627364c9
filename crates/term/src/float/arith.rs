//! Addition, subtraction, multiplication and fused multiply-add.

use super::bits::{add_bit, add_or_sub, bit, compress, int, is_zero, low, normalise, pad_low, shr_jam};
use super::compare::{is_nan, neg};
use super::format::{Format, Nans};
use super::parts::{Normal, Parts, effective_exp, finish, inf_mag, is_one, normal, resigned, unpack};
use super::round::{Exact, Range, Rounding, round, round_sum, zero_sign};
use crate::{Term, Terms};

/// Bits kept below the significand while adding: two that a normalising shift can bring back, and the sticky bit.
const GUARDS: u16 = 3;

/// `a + b`.
///
/// Subnormal operands are not normalised: a sum is exact there, and the final shift is limited by the exponent anyway.
pub fn add(t: &mut Terms, f: Format, rm: impl Into<Rounding>, a: Term, b: Term) -> Term {
    let rm = rm.into();
    let operands = [unpack(t, f, a), unpack(t, f, b)];
    let (a, b) = ordered(a, b);
    let (a, b) = (unpack(t, f, a), unpack(t, f, b));
    let differ = t.xor(a.sign, b.sign);
    let swap = t.ult(a.mag, b.mag);
    let large_sign = t.ite(swap, b.sign, a.sign);
    let large = t.ite(swap, b.mag, a.mag);
    let small = t.ite(swap, a.mag, b.mag);
    let (large_exp, large_sig) = split(t, f, large);
    let (small_exp, small_sig) = split(t, f, small);
    let distance = t.sub(large_exp, small_exp);
    let x = pad_low(t, large_sig, GUARDS);
    let y = pad_low(t, small_sig, GUARDS);
    let y = shr_jam(t, y, distance);
    let w = f.sig_bits() + GUARDS + 1;
    let (x, y) = (t.zext(x, w), t.zext(y, w));
    let sum = add_or_sub(t, differ, x, y);
    let cancelled = is_zero(t, sum);
    let zero_sign = zero_sign(t, rm, a.sign, b.sign);
    let sign = t.ite(cancelled, zero_sign, large_sign);
    let one = t.bv(f.exp_bits(), 1);
    let exp = t.add(large_exp, one);
    let mag = round_sum(t, f, rm, sign, exp, sum);
    sum_specials(t, f, [&operands[0], &operands[1]], differ, sign, mag)
}

/// The same operands in one order, so that `a + b` and `b + a` are one term: to find that out by search takes seconds.
fn ordered(a: Term, b: Term) -> (Term, Term) {
    if a <= b { (a, b) } else { (b, a) }
}

/// The finished sum: NaNs and infinities decided.
fn sum_specials(t: &mut Terms, f: Format, [a, b]: [&Parts; 2], differ: Term, sign: Term, mag: Term) -> Term {
    let clash = t.and_all(&[a.inf, b.inf, differ]);
    let nan = t.or_all(&[a.nan, b.nan, clash]);
    let is_inf = t.or(a.inf, b.inf);
    let inf = inf_mag(t, f);
    let mag = t.ite(is_inf, inf, mag);
    finish(t, f, &[a, b], nan, sign, mag)
}

/// The effective exponent and the significand of a magnitude.
fn split(t: &mut Terms, f: Format, mag: Term) -> (Term, Term) {
    let exp = t.extract(mag, f.mag_bits() - 1, f.frac_bits());
    let frac = low(t, mag, f.frac_bits());
    let tiny = is_zero(t, exp);
    let lead = t.not(tiny);
    (effective_exp(t, exp, tiny), t.concat(lead, frac))
}

/// `a - b`.
pub fn sub(t: &mut Terms, f: Format, rm: impl Into<Rounding>, a: Term, b: Term) -> Term {
    let negated = neg(t, f, b);
    let b = match f.nans() {
        Nans::Positive => negated,
        // A NaN passes through a subtraction as it is.
        Nans::X86 => {
            let nan = is_nan(t, f, b);
            t.ite(nan, b, negated)
        }
    };
    add(t, f, rm, a, b)
}

/// `a * b`.
pub fn mul(t: &mut Terms, f: Format, rm: impl Into<Rounding>, a: Term, b: Term) -> Term {
    let rm = rm.into();
    let operands = [unpack(t, f, a), unpack(t, f, b)];
    let (a, b) = ordered(a, b);
    let (a, b) = (unpack(t, f, a), unpack(t, f, b));
    let sign = t.xor(a.sign, b.sign);
    for (one, other) in [(&a, &b), (&b, &a)] {
        if is_one(t, f, one) {
            return resigned(t, f, &[&operands[0], &operands[1]], other, sign);
        }
    }
    let product = product(t, f, &a, &b);
    let sig = compress(t, product.sig, f.sig_bits() + 2);
    let exact = Exact { sign, exp: product.exp, sig };
    let mag = round(t, f, rm, exact, Range::FULL);
    let zero = t.or(a.zero, b.zero);
    let inf = t.or(a.inf, b.inf);
    let clash = t.and(zero, inf);
    let nan = t.or_all(&[a.nan, b.nan, clash]);
    let mag = choose(t, f, zero, inf, mag);
    finish(t, f, &[&operands[0], &operands[1]], nan, sign, mag)
}

/// Zero, infinity or the computed magnitude.
pub(super) fn choose(t: &mut Terms, f: Format, zero: Term, inf: Term, mag: Term) -> Term {
    let (zero_mag, inf_mag) = (t.bv(f.mag_bits(), 0), inf_mag(t, f));
    let mag = t.ite(inf, inf_mag, mag);
    t.ite(zero, zero_mag, mag)
}

/// The exact product of two finite numbers, normalised, twice as many bits as the format has.
fn product(t: &mut Terms, f: Format, a: &Parts, b: &Parts) -> Normal {
    let (a, b) = (normal(t, f, a), normal(t, f, b));
    let w = 2 * f.sig_bits();
    let (x, y) = (t.zext(a.sig, w), t.zext(b.sig, w));
    let sig = t.mul(x, y);
    let carry = bit(t, sig, w - 1);
    let rest = low(t, sig, w - 1);
    let shifted = pad_low(t, rest, 1);
    let sig = t.ite(carry, sig, shifted);
    let exp = t.add(a.exp, b.exp);
    let bias = int(t, f.wide_exp(), -f.bias());
    let exp = t.add(exp, bias);
    Normal { exp: add_bit(t, exp, carry), sig }
}

/// `a * b + c`, rounded once.
///
/// The addition works on significands of twice the precision; that and the sticky bit decide the rounding.
pub fn fma(t: &mut Terms, f: Format, rm: impl Into<Rounding>, a: Term, b: Term, c: Term) -> Term {
    let rm = rm.into();
    let operands = [unpack(t, f, a), unpack(t, f, b), unpack(t, f, c)];
    let (a, b) = ordered(a, b);
    let (a, b, c) = (unpack(t, f, a), unpack(t, f, b), unpack(t, f, c));
    let product_sign = t.xor(a.sign, b.sign);
    let zero = t.or(a.zero, b.zero);
    let product = product(t, f, &a, &b);
    let addend = normal(t, f, &c);
    let sum = wide_sum(t, f, (product_sign, zero, product), (c.sign, c.zero, addend));
    let cancelled = is_zero(t, sum.sig);
    let zero_sign = zero_sign(t, rm, product_sign, c.sign);
    let sign = t.ite(cancelled, zero_sign, sum.sign);
    let exact = Exact { sign, ..sum };
    let mag = round(t, f, rm, exact, Range::FULL);
    fma_specials(t, f, [&operands[0], &operands[1], &operands[2]], (product_sign, zero, cancelled), sign, mag)
}

/// The finished multiply-add: NaNs, infinities and exact zeros decided.
fn fma_specials(
    t: &mut Terms,
    f: Format,
    [a, b, c]: [&Parts; 3],
    (product_sign, zero, cancelled): (Term, Term, Term),
    sign: Term,
    mag: Term,
) -> Term {
    let product_inf = t.or(a.inf, b.inf);
    let no_product = t.and(product_inf, zero);
    let differ = t.xor(product_sign, c.sign);
    let clash = t.and_all(&[product_inf, c.inf, differ]);
    let nan = t.or_all(&[a.nan, b.nan, c.nan, no_product, clash]);
    let inf = t.or(product_inf, c.inf);
    let sign_inf = t.ite(product_inf, product_sign, c.sign);
    let sign = t.ite(inf, sign_inf, sign);
    let finite = t.not(inf);
    let cancelled = t.and(cancelled, finite);
    let mag = choose(t, f, cancelled, inf, mag);
    finish(t, f, &[a, b, c], nan, sign, mag)
}

/// The sum of two finite numbers (sign, zero?, value), the first with twice the precision of the second.
fn wide_sum(t: &mut Terms, f: Format, a: (Term, Term, Normal), b: (Term, Term, Normal)) -> Exact {
    let (a_sign, a_zero, a) = a;
    let (b_sign, b_zero, b) = b;
    let b_sig = pad_low(t, b.sig, f.sig_bits());
    let (a_key, b_key) = (t.concat(a.exp, a.sig), t.concat(b.exp, b_sig));
    let less = t.slt(a_key, b_key);
    let less = t.or(a_zero, less);
    let b_some = t.not(b_zero);
    let swap = t.and(less, b_some);
    let sign = t.ite(swap, b_sign, a_sign);
    let large_exp = t.ite(swap, b.exp, a.exp);
    let small_exp = t.ite(swap, a.exp, b.exp);
    let large = t.ite(swap, b_sig, a.sig);
    let small = t.ite(swap, a.sig, b_sig);
    let distance = t.sub(large_exp, small_exp);
    let x = pad_low(t, large, GUARDS);
    let y = pad_low(t, small, GUARDS);
    let y = shr_jam(t, y, distance);
    let w = t.width(x) + 1;
    let (x, y) = (t.zext(x, w), t.zext(y, w));
    let differ = t.xor(a_sign, b_sign);
    let sum = add_or_sub(t, differ, x, y);
    let (sig, count) = normalise(t, sum);
    let count = t.zext(count, f.wide_exp());
    let exp = t.sub(large_exp, count);
    let one = int(t, f.wide_exp(), 1);
    Exact { sign, exp: t.add(exp, one), sig }
}
