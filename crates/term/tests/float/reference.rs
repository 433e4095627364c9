//! A plain model of IEEE 754 on exact integers, for formats of at most 53 significand bits; what the CPU has no instruction for is held against it.
//!
//! It shares nothing with the circuits: values are `m * 2^e` in 128-bit integers, an operation is done exactly (or with a sticky last bit far below the
//! precision) and rounded once.

use blitz_term::float::{Format, RoundingMode};

/// A float by its value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    Nan,
    Inf(bool),
    /// Sign, and `m * 2^e`.
    Finite(bool, u128, i32),
}

use Value::{Finite, Inf, Nan};

fn bias(f: Format) -> i32 {
    (1 << (f.exp_bits() - 1)) - 1
}

fn frac_bits(f: Format) -> u32 {
    u32::from(f.sig_bits()) - 1
}

fn exp_mask(f: Format) -> u128 {
    (1 << f.exp_bits()) - 1
}

/// The bits of an infinity.
pub fn inf(f: Format, sign: bool) -> u128 {
    u128::from(sign) << (f.width() - 1) | exp_mask(f) << frac_bits(f)
}

/// The bits of the canonical NaN.
pub fn nan(f: Format) -> u128 {
    inf(f, false) | 1 << (frac_bits(f) - 1)
}

/// The value of a packed float.
pub fn decode(f: Format, x: u128) -> Value {
    let sign = x >> (f.width() - 1) & 1 == 1;
    let exp = x >> frac_bits(f) & exp_mask(f);
    let frac = x & ((1 << frac_bits(f)) - 1);
    let lowest = 1 - bias(f) - frac_bits(f) as i32;
    if exp == exp_mask(f) {
        return if frac == 0 { Inf(sign) } else { Nan };
    }
    if exp == 0 {
        return Finite(sign, frac, lowest);
    }
    Finite(sign, frac | 1 << frac_bits(f), lowest + exp as i32 - 1)
}

fn bit_length(m: u128) -> i32 {
    128 - m.leading_zeros() as i32
}

/// `m >> shift` rounded (`m << -shift` for a negative one).
fn round_shift(rm: RoundingMode, sign: bool, m: u128, shift: i32) -> u128 {
    if shift <= 0 {
        return m << -shift;
    }
    let (kept, rest, half) = match shift {
        0..=127 => (m >> shift, m & ((1 << shift) - 1), 1u128 << (shift - 1)),
        128 => (0, m, 1 << 127),
        _ => (0, u128::from(m != 0), 2),
    };
    let up = match rm {
        RoundingMode::NearestEven => rest > half || rest == half && kept & 1 == 1,
        RoundingMode::NearestAway => rest >= half,
        RoundingMode::Up => !sign && rest != 0,
        RoundingMode::Down => sign && rest != 0,
        RoundingMode::Zero => false,
    };
    kept + u128::from(up)
}

/// The float nearest to `m * 2^e` in the sense of the mode.
pub fn round(f: Format, rm: RoundingMode, sign: bool, m: u128, e: i32) -> u128 {
    let head = u128::from(sign) << (f.width() - 1);
    if m == 0 {
        return head;
    }
    let p = i32::from(f.sig_bits());
    let lowest = 2 - bias(f) - p;
    let mut quantum = (bit_length(m) + e - p).max(lowest);
    let mut kept = round_shift(rm, sign, m, quantum - e);
    if bit_length(kept) > p {
        kept >>= 1;
        quantum += 1;
    }
    if quantum + p - 1 > bias(f) {
        let outwards = match rm {
            RoundingMode::NearestEven | RoundingMode::NearestAway => true,
            RoundingMode::Up => !sign,
            RoundingMode::Down => sign,
            RoundingMode::Zero => false,
        };
        return inf(f, sign) - u128::from(!outwards);
    }
    let normal = kept >> frac_bits(f) == 1;
    let exp = if normal { (quantum - lowest + 1) as u128 } else { 0 };
    head | exp << frac_bits(f) | kept & ((1 << frac_bits(f)) - 1)
}

/// The exact sum, or one whose last bit stands for what is far below.
fn sum(rm: RoundingMode, a: (bool, u128, i32), b: (bool, u128, i32)) -> (bool, u128, i32) {
    let zero_sign = if a.0 == b.0 { a.0 } else { rm == RoundingMode::Down };
    if a.1 == 0 && b.1 == 0 {
        return (zero_sign, 0, 0);
    }
    if a.1 == 0 {
        return b;
    }
    if b.1 == 0 {
        return a;
    }
    let (high, low) = if a.2 >= b.2 { (a, b) } else { (b, a) };
    let room = (126 - bit_length(high.1)).max(0);
    let lift = (high.2 - low.2).min(room);
    let m = high.1 << lift;
    let drop = high.2 - lift - low.2;
    let jammed = match drop {
        0 => low.1,
        1..=127 => low.1 >> drop | u128::from(low.1 & ((1 << drop) - 1) != 0),
        _ => 1,
    };
    let e = high.2 - lift;
    if high.0 == low.0 {
        (high.0, m + jammed, e)
    } else if m > jammed {
        (high.0, m - jammed, e)
    } else if m < jammed {
        (low.0, jammed - m, e)
    } else {
        (zero_sign, 0, 0)
    }
}

pub fn add(f: Format, rm: RoundingMode, a: u128, b: u128) -> u128 {
    match (decode(f, a), decode(f, b)) {
        (Nan, _) | (_, Nan) => nan(f),
        (Inf(s), Inf(r)) => {
            if s == r {
                inf(f, s)
            } else {
                nan(f)
            }
        }
        (Inf(s), Finite(..)) | (Finite(..), Inf(s)) => inf(f, s),
        (Finite(s, m, e), Finite(r, n, d)) => {
            let (s, m, e) = sum(rm, (s, m, e), (r, n, d));
            round(f, rm, s, m, e)
        }
    }
}

pub fn sub(f: Format, rm: RoundingMode, a: u128, b: u128) -> u128 {
    add(f, rm, a, b ^ 1 << (f.width() - 1))
}

pub fn mul(f: Format, rm: RoundingMode, a: u128, b: u128) -> u128 {
    match (decode(f, a), decode(f, b)) {
        (Nan, _) | (_, Nan) => nan(f),
        (Inf(s), Inf(r)) => inf(f, s != r),
        (Inf(s), Finite(r, m, _)) | (Finite(r, m, _), Inf(s)) => {
            if m == 0 {
                nan(f)
            } else {
                inf(f, s != r)
            }
        }
        (Finite(s, m, e), Finite(r, n, d)) => round(f, rm, s != r, m * n, e + d),
    }
}

pub fn div(f: Format, rm: RoundingMode, a: u128, b: u128) -> u128 {
    match (decode(f, a), decode(f, b)) {
        (Nan, _) | (_, Nan) | (Inf(_), Inf(_)) => nan(f),
        (Inf(s), Finite(r, ..)) => inf(f, s != r),
        (Finite(s, ..), Inf(r)) => round(f, rm, s != r, 0, 0),
        (Finite(_, 0, _), Finite(_, 0, _)) => nan(f),
        (Finite(s, ..), Finite(r, 0, _)) => inf(f, s != r),
        (Finite(s, 0, _), Finite(r, ..)) => round(f, rm, s != r, 0, 0),
        (Finite(s, m, e), Finite(r, n, d)) => {
            let lift = m.leading_zeros() as i32 - 1;
            let m = m << lift;
            let quotient = ((m / n) << 1) | u128::from(!m.is_multiple_of(n));
            round(f, rm, s != r, quotient, e - lift - d - 1)
        }
    }
}

pub fn sqrt(f: Format, rm: RoundingMode, a: u128) -> u128 {
    match decode(f, a) {
        Nan | Inf(true) => nan(f),
        Inf(false) => inf(f, false),
        Finite(s, 0, _) => round(f, rm, s, 0, 0),
        Finite(true, ..) => nan(f),
        Finite(false, m, e) => {
            let mut lift = m.leading_zeros() as i32 - 2;
            lift -= (e - lift) & 1;
            let m = m << lift;
            let root = m.isqrt();
            let jammed = root << 1 | u128::from(root * root != m);
            round(f, rm, false, jammed, (e - lift) / 2 - 1)
        }
    }
}

pub fn fma(f: Format, rm: RoundingMode, a: u128, b: u128, c: u128) -> u128 {
    let product = match (decode(f, a), decode(f, b)) {
        (Nan, _) | (_, Nan) => Nan,
        (Inf(s), Inf(r)) => Inf(s != r),
        (Inf(s), Finite(r, m, _)) | (Finite(r, m, _), Inf(s)) => {
            if m == 0 {
                Nan
            } else {
                Inf(s != r)
            }
        }
        (Finite(s, m, e), Finite(r, n, d)) => Finite(s != r, m * n, e + d),
    };
    match (product, decode(f, c)) {
        (Nan, _) | (_, Nan) => nan(f),
        (Inf(s), Inf(r)) => {
            if s == r {
                inf(f, s)
            } else {
                nan(f)
            }
        }
        (Inf(s), Finite(..)) | (Finite(..), Inf(s)) => inf(f, s),
        (Finite(s, m, e), Finite(r, n, d)) => {
            let (s, m, e) = sum(rm, (s, m, e), (r, n, d));
            round(f, rm, s, m, e)
        }
    }
}

/// The remainder of the magnitudes in units of `2^e`, the parity of the quotient, and the divisor in those units.
fn long_division(m: u128, e: i32, n: u128, d: i32) -> (u128, bool, u128, i32) {
    if e < d {
        let n = n << (d - e);
        return (m % n, (m / n) & 1 == 1, n, e);
    }
    let (mut rest, mut odd) = (m % n, (m / n) & 1 == 1);
    for _ in d..e {
        rest <<= 1;
        odd = rest >= n;
        rest %= n;
    }
    (rest, odd, n, d)
}

pub fn fmod(f: Format, a: u128, b: u128) -> u128 {
    match (decode(f, a), decode(f, b)) {
        (Nan, _) | (_, Nan) | (Inf(_), _) | (_, Finite(_, 0, _)) => nan(f),
        (Finite(..), Inf(_)) => a,
        (Finite(_, m, e), Finite(_, _, d)) if d - e > 60 || m == 0 => a,
        (Finite(s, m, e), Finite(_, n, d)) => {
            let (rest, _, _, unit) = long_division(m, e, n, d);
            round(f, RoundingMode::Zero, s, rest, unit)
        }
    }
}

pub fn remainder(f: Format, a: u128, b: u128) -> u128 {
    match (decode(f, a), decode(f, b)) {
        (Nan, _) | (_, Nan) | (Inf(_), _) | (_, Finite(_, 0, _)) => nan(f),
        (Finite(..), Inf(_)) => a,
        (Finite(_, m, e), Finite(_, _, d)) if d - e > 60 || m == 0 => a,
        (Finite(s, m, e), Finite(_, n, d)) => {
            let (rest, odd, n, unit) = long_division(m, e, n, d);
            let up = 2 * rest > n || 2 * rest == n && odd;
            let (sign, rest) = if up { (!s, n - rest) } else { (s, rest) };
            round(f, RoundingMode::Zero, sign, rest, unit)
        }
    }
}

pub fn round_to_integral(f: Format, rm: RoundingMode, a: u128) -> u128 {
    match decode(f, a) {
        Nan => nan(f),
        Inf(_) => a,
        Finite(_, _, e) if e >= 0 => a,
        // In formats with few exponents the integer can lie above all finite numbers.
        Finite(s, m, e) => round(f, rm, s, round_shift(rm, s, m, -e), 0),
    }
}

pub fn convert(from: Format, to: Format, rm: RoundingMode, a: u128) -> u128 {
    match decode(from, a) {
        Nan => nan(to),
        Inf(s) => inf(to, s),
        Finite(s, m, e) => round(to, rm, s, m, e),
    }
}

/// The integer, if there is one in -2^126 to 2^126.
pub fn to_int(f: Format, rm: RoundingMode, a: u128) -> Option<i128> {
    match decode(f, a) {
        Nan | Inf(_) => None,
        Finite(_, m, e) if m != 0 && bit_length(m) + e > 126 => None,
        Finite(_, 0, _) => Some(0),
        Finite(s, m, e) => {
            let whole = round_shift(rm, s, m, -e) as i128;
            Some(if s { -whole } else { whole })
        }
    }
}

pub fn from_int(f: Format, rm: RoundingMode, x: i128) -> u128 {
    round(f, rm, x < 0, x.unsigned_abs(), 0)
}
