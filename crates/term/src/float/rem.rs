//! The remainders: C's `fmod` (quotient truncated) and IEEE `remainder` (quotient to the nearest).
//!
//! `x mod y` of significands `mx`, `my` with exponents `d` apart is `mx * 2^d mod my`, and `d` reaches 2097 for doubles, 32828 for the x87.
//! Long division would take a subtraction per unit of `d`. Instead `2^d mod my` comes from the bits of `d` by squaring
//! modulo `my`: the first five or six bits are one shift, each further bit is a multiplication, a reduction and a doubling.
//!
//! Cost: with `k` bits of `d` beyond that shift, about `k + 2` multiplications and reductions of the precision's width. As clauses: 17,000 for a half,
//! 114,000 for a single, 730,000 for a double, 1.5 million for the x87; less than half of that for a constant `y`. (Long division would
//! take 126,000 for a single, 2.2 million for a double, 40 million for the x87.) All of it folds away where both operands are constant.

use super::arith::choose;
use super::bits::{bit, int, low, normalise, pad_low, resize_signed, shl, top};
use super::divide::subtract_if_fits;
use super::format::{Format, bits_for};
use super::parts::{Normal, Parts, finish, normal, unpack};
use super::round::{Exact, Range, Rounding, RoundingMode, round};
use crate::{Term, Terms};

/// C's `fmod`: `x - n * y` with `n` the quotient rounded towards zero. Exact; the sign is that of `x`.
pub fn fmod(t: &mut Terms, f: Format, x: Term, y: Term) -> Term {
    let (x, y) = (unpack(t, f, x), unpack(t, f, y));
    let (nx, ny) = (normal(t, f, &x), normal(t, f, &y));
    let (distance, smaller) = distance(t, f, &nx, &ny);
    let power = power_of_two_mod(t, distance, ny.sig);
    let rest = mul_mod(t, nx.sig, power, ny.sig);
    let result = pack_exact(t, f, x.sign, ny.exp, rest);
    keep_or(t, f, [&x, &y], smaller, x.sign, result)
}

/// IEEE `remainder`: `x - n * y` with `n` the quotient rounded to the nearest, ties to even. Exact; a zero has the sign of `x`.
pub fn remainder(t: &mut Terms, f: Format, x: Term, y: Term) -> Term {
    let (x, y) = (unpack(t, f, x), unpack(t, f, y));
    let (nx, ny) = (normal(t, f, &x), normal(t, f, &y));
    let (distance, smaller) = distance(t, f, &nx, &ny);
    let w = f.sig_bits() + 1;
    // Modulo 2y, so that the parity of the quotient is seen.
    let twice = pad_low(t, ny.sig, 1);
    let power = power_of_two_mod(t, distance, twice);
    let rest = mul_mod(t, nx.sig, power, twice);
    let divisor = t.zext(ny.sig, w + 1);
    let (odd, rest) = subtract_if_fits(t, rest, divisor);
    let rest = low(t, rest, f.sig_bits());
    // In halves of y's last place, so that an x just below y can be compared with y/2.
    let halves = pad_low(t, rest, 1);
    let small = t.zext(nx.sig, w);
    let halves = t.ite(smaller, small, halves);
    let bigger = t.not(smaller);
    let odd = t.and(odd, bigger);
    let divisor = t.zext(ny.sig, w);
    let above = t.ugt(halves, divisor);
    let tie = t.eq(halves, divisor);
    let tie = t.and(tie, odd);
    let up = t.or(above, tie);
    let complement = t.sub(twice, halves);
    let halves = t.ite(up, complement, halves);
    let sign = t.xor(x.sign, up);
    let result = pack_exact(t, f, sign, ny.exp, halves);
    let far_smaller = far_smaller(t, f, &nx, &ny);
    keep_or(t, f, [&x, &y], far_smaller, sign, result)
}

/// How much larger the exponent of `x` is (if it is), and whether it is smaller.
fn distance(t: &mut Terms, f: Format, x: &Normal, y: &Normal) -> (Term, Term) {
    let difference = t.sub(x.exp, y.exp);
    let smaller = bit(t, difference, f.wide_exp() - 1);
    let most = (1u64 << f.exp_bits()) - 3 + u64::from(f.sig_bits());
    let distance = low(t, difference, bits_for(most).min(f.wide_exp() - 1));
    (distance, smaller)
}

/// The exponent of `x` is smaller by two or more, so that `|x| < |y| / 2`.
fn far_smaller(t: &mut Terms, f: Format, x: &Normal, y: &Normal) -> Term {
    let difference = t.sub(x.exp, y.exp);
    let minus_one = int(t, f.wide_exp(), -1);
    t.slt(difference, minus_one)
}

/// `2^d mod m` (not reduced if `d` has very few bits), for `m` with its top bit set.
fn power_of_two_mod(t: &mut Terms, d: Term, m: Term) -> Term {
    let (dw, w) = (t.width(d), t.width(m));
    // The power for this many leading bits of d is below 2^(2w), one shift.
    let head_bits = (bits_for(u64::from(w)) - 1 + 1).min(dw);
    let head = top(t, d, head_bits);
    let one = t.bv(2 * w, 1);
    let head = shl(t, one, head);
    let mut power = reduce(t, head, m);
    for i in (0..dw - head_bits).rev() {
        power = mul_mod(t, power, power, m);
        let doubled = double_mod(t, power, m);
        let on = bit(t, d, i);
        power = t.ite(on, doubled, power);
    }
    power
}

/// `x * y mod m`, as wide as `m`.
fn mul_mod(t: &mut Terms, x: Term, y: Term, m: Term) -> Term {
    let w = t.width(x) + t.width(y);
    let (x, y) = (t.zext(x, w), t.zext(y, w));
    let product = t.mul(x, y);
    reduce(t, product, m)
}

/// `2x mod m` for `x` below `m`.
fn double_mod(t: &mut Terms, x: Term, m: Term) -> Term {
    let w = t.width(m);
    let m = t.zext(m, w + 2);
    let doubled = pad_low(t, x, 1);
    let (_, rest) = subtract_if_fits(t, doubled, m);
    low(t, rest, w)
}

/// `x mod m` by restoring division, for `m` with its top bit set and `x` at least as wide.
fn reduce(t: &mut Terms, x: Term, m: Term) -> Term {
    let (xw, w) = (t.width(x), t.width(m));
    let m = t.zext(m, w + 2);
    // Fewer bits than m has cannot reach it.
    let mut rest = top(t, x, w - 1);
    for i in (0..xw - (w - 1)).rev() {
        let next = bit(t, x, i);
        let dividend = t.concat(rest, next);
        let (_, kept) = subtract_if_fits(t, dividend, m);
        rest = low(t, kept, w);
    }
    rest
}

/// The magnitude of a significand (not normalised) whose top bit has this exponent field; nothing is lost.
fn pack_exact(t: &mut Terms, f: Format, sign: Term, exp: Term, sig: Term) -> Term {
    let zero = super::bits::is_zero(t, sig);
    let (sig, count) = normalise(t, sig);
    let w = f.wide_exp();
    let exp = resize_signed(t, exp, w);
    let count = t.zext(count, w);
    let exp = t.sub(exp, count);
    let range = Range { under: true, over: false };
    let exact = Exact { sign, exp, sig };
    let mag = round(t, f, Rounding::Fixed(RoundingMode::Zero), exact, range);
    let never = t.fls();
    choose(t, f, zero, never, mag)
}

/// `x` itself where it is small (or zero, or `y` infinite), else the result; NaN where there is none.
fn keep_or(t: &mut Terms, f: Format, [x, y]: [&Parts; 2], small: Term, sign: Term, mag: Term) -> Term {
    let keep = t.or_all(&[small, x.zero, y.inf]);
    let mag = t.ite(keep, x.mag, mag);
    let sign = t.ite(keep, x.sign, sign);
    let nan = t.or_all(&[x.nan, y.nan, x.inf, y.zero]);
    finish(t, f, &[x, y], nan, sign, mag)
}
