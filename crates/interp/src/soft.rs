//! Floats in software, for the formats the CPU does not compute in: half, bfloat, x87's 80 bits, quad.
//!
//! A finite value is taken apart into an exact `sign * sig * 2^exp`; operations are exact on big integers, and one function
//! rounds and packs. Slow and simple on purpose.
//!
//! Absent: exception flags, signalling NaNs (they become quiet).

use blitz_base::Bv;
use std::cmp::Ordering;

/// Bits of the integers that operations are exact in.
const W: u16 = 512;

/// A binary format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub exp_bits: u16,
    /// Bits of the significand, the leading one included.
    pub precision: u16,
    /// Whether the leading one is stored (x87).
    pub explicit: bool,
}

pub const HALF: Format = Format { exp_bits: 5, precision: 11, explicit: false };
pub const BFLOAT: Format = Format { exp_bits: 8, precision: 8, explicit: false };
pub const SINGLE: Format = Format { exp_bits: 8, precision: 24, explicit: false };
pub const DOUBLE: Format = Format { exp_bits: 11, precision: 53, explicit: false };
pub const X87: Format = Format { exp_bits: 15, precision: 64, explicit: true };
pub const QUAD: Format = Format { exp_bits: 15, precision: 113, explicit: false };

impl Format {
    pub fn bits(self) -> u16 {
        1 + self.exp_bits + self.stored()
    }

    /// Significand bits that are stored.
    fn stored(self) -> u16 {
        if self.explicit { self.precision } else { self.precision - 1 }
    }

    fn bias(self) -> i64 {
        (1 << (self.exp_bits - 1)) - 1
    }

    /// The exponent of the lowest bit of a subnormal number.
    fn min_exp(self) -> i64 {
        1 - self.bias() - i64::from(self.precision - 1)
    }
}

/// How results are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To nearest, ties to even.
    Nearest,
    Down,
    Up,
    Zero,
}

impl Mode {
    /// By the number that the program has for it.
    pub fn of(number: u64) -> Mode {
        match number {
            1 => Mode::Down,
            2 => Mode::Up,
            3 => Mode::Zero,
            _ => Mode::Nearest,
        }
    }

    pub fn integral(self) -> Integral {
        match self {
            Mode::Nearest => Integral::NearestEven,
            Mode::Down => Integral::Floor,
            Mode::Up => Integral::Ceil,
            Mode::Zero => Integral::Trunc,
        }
    }

    /// Whether the magnitude of a number of this sign is rounded away from zero; `half` and `rest` say what is cut off.
    fn away(self, sign: bool, half: bool, rest: bool, odd: bool) -> bool {
        match self {
            Mode::Nearest => half && (rest || odd),
            Mode::Down => sign && (half || rest),
            Mode::Up => !sign && (half || rest),
            Mode::Zero => false,
        }
    }
}

/// A number taken apart.
#[derive(Clone, Debug, PartialEq)]
pub enum Num {
    /// The payload, its highest bit (the quiet one) first, in 128 bits.
    Nan {
        sign: bool,
        payload: u128,
    },
    Inf {
        sign: bool,
    },
    Zero {
        sign: bool,
    },
    /// `sig * 2^exp`, `sig` not zero.
    Finite {
        sign: bool,
        exp: i64,
        sig: Bv,
    },
}

/// The NaN that invalid operations give (x86's: negative, quiet).
const DEFAULT_NAN: Num = Num::Nan { sign: true, payload: 1 << 127 };

impl Num {
    pub fn sign(&self) -> bool {
        match self {
            Num::Nan { sign, .. } | Num::Inf { sign } | Num::Zero { sign } | Num::Finite { sign, .. } => *sign,
        }
    }

    pub fn is_nan(&self) -> bool {
        matches!(self, Num::Nan { .. })
    }

    fn with_sign(self, sign: bool) -> Num {
        match self {
            Num::Nan { payload, .. } => Num::Nan { sign, payload },
            Num::Inf { .. } => Num::Inf { sign },
            Num::Zero { .. } => Num::Zero { sign },
            Num::Finite { exp, sig, .. } => Num::Finite { sign, exp, sig },
        }
    }
}

fn length(sig: &Bv) -> u16 {
    sig.width() - sig.ctlz()
}

fn wide(bits: u128) -> Bv {
    Bv::from_u128(W, bits)
}

/// Takes the bits of a number apart.
pub fn unpack(f: Format, bits: &Bv) -> Num {
    let raw = bits.to_u128().expect("floats should have at most 128 bits");
    let stored = raw & ((1 << f.stored()) - 1);
    let exp_field = (raw >> f.stored()) as i64 & ((1 << f.exp_bits) - 1);
    let sign = raw >> (f.bits() - 1) & 1 == 1;
    let fraction = stored & ((1 << (f.precision - 1)) - 1);
    let leading = 1u128 << (f.precision - 1);
    if exp_field == (1 << f.exp_bits) - 1 {
        return match fraction {
            0 => Num::Inf { sign },
            _ => Num::Nan { sign, payload: fraction << (128 - (f.precision - 1)) },
        };
    }
    if f.explicit && exp_field != 0 && stored & leading == 0 {
        return DEFAULT_NAN;
    }
    let sig = match (f.explicit, exp_field) {
        (true, _) | (false, 0) => stored,
        (false, _) => stored | leading,
    };
    if sig == 0 {
        return Num::Zero { sign };
    }
    Num::Finite { sign, exp: f.min_exp() + exp_field.max(1) - 1, sig: wide(sig) }
}

/// Rounds to nearest and packs.
pub fn pack(f: Format, num: &Num) -> Bv {
    pack_in(f, Mode::Nearest, num)
}

/// Rounds to the format and packs.
pub fn pack_in(f: Format, mode: Mode, num: &Num) -> Bv {
    let infinite = (1u128 << f.exp_bits) - 1;
    let leading = if f.explicit { 1u128 << (f.precision - 1) } else { 0 };
    let (sign, exp_field, stored) = match num {
        Num::Nan { sign, payload } => {
            let quiet = 1u128 << (f.precision - 2);
            (*sign, infinite, payload >> (128 - (f.precision - 1)) | quiet | leading)
        }
        Num::Inf { sign } => (*sign, infinite, leading),
        Num::Zero { sign } => (*sign, 0, 0),
        Num::Finite { sign, exp, sig } => {
            let (exp_field, stored) = round(f, mode, *sign, *exp, sig);
            (*sign, exp_field, stored)
        }
    };
    let raw = u128::from(sign) << (f.bits() - 1) | exp_field << f.stored() | stored;
    Bv::from_u128(f.bits(), raw)
}

/// The fields of `sig * 2^exp`, rounded.
fn round(f: Format, mode: Mode, sign: bool, exp: i64, sig: &Bv) -> (u128, u128) {
    let len = i64::from(length(sig));
    let drop = (len - i64::from(f.precision)).max(f.min_exp() - exp);
    let mut kept = if drop <= 0 {
        sig.to_u128().expect("a short significand should fit") << -drop
    } else {
        shift_rounding(mode, sign, sig, drop)
    };
    let mut lowest = exp + drop;
    if kept >> f.precision != 0 {
        kept >>= 1;
        lowest += 1;
    }
    let normal = kept >> (f.precision - 1) != 0;
    let exp_field = if normal { lowest - f.min_exp() + 1 } else { 0 };
    if exp_field >= (1 << f.exp_bits) - 1 {
        let leading = if f.explicit { 1u128 << (f.precision - 1) } else { 0 };
        // Beyond the largest number: infinity, or that number where the mode does not go away from zero.
        return match mode == Mode::Nearest || mode.away(sign, true, true, true) {
            true => ((1 << f.exp_bits) - 1, leading),
            false => ((1 << f.exp_bits) - 2, (1 << f.stored()) - 1),
        };
    }
    let stored = if f.explicit { kept } else { kept & ((1 << (f.precision - 1)) - 1) };
    (exp_field as u128, stored)
}

/// `sig >> by`, rounded.
fn shift_rounding(mode: Mode, sign: bool, sig: &Bv, by: i64) -> u128 {
    if by > i64::from(sig.width()) {
        return u128::from(mode.away(sign, false, true, false));
    }
    let by = by as u16;
    let kept = if by >= sig.width() { 0 } else { sig.lshr_by(by).to_u128().expect("a rounded significand should fit") };
    let half = sig.bit(by - 1);
    let sticky = sig.cttz() < by - 1;
    kept + u128::from(mode.away(sign, half, sticky, kept & 1 == 1))
}

fn pick_nan(a: &Num, b: &Num) -> Num {
    if a.is_nan() { a.clone() } else { b.clone() }
}

/// Moves the significand so that its highest bit is at a fixed place; the value stays the same.
fn normalised(exp: i64, sig: &Bv, len: u16) -> (i64, Bv) {
    let up = len - length(sig);
    (exp - i64::from(up), sig.shl_by(up))
}

pub fn add(a: &Num, b: &Num) -> Num {
    match (a, b) {
        (Num::Nan { .. }, _) | (_, Num::Nan { .. }) => pick_nan(a, b),
        (Num::Inf { sign: s }, Num::Inf { sign: t }) if s != t => DEFAULT_NAN,
        (Num::Inf { .. }, _) => a.clone(),
        (_, Num::Inf { .. }) => b.clone(),
        (Num::Zero { sign: s }, Num::Zero { sign: t }) => Num::Zero { sign: *s && *t },
        (Num::Zero { .. }, Num::Finite { .. }) => b.clone(),
        (Num::Finite { .. }, Num::Zero { .. }) => a.clone(),
        (Num::Finite { sign: s, exp: e, sig: x }, Num::Finite { sign: t, exp: g, sig: y }) => {
            let (e, x) = normalised(*e, x, 228);
            let (g, y) = normalised(*g, y, 228);
            if e >= g { sum(*s, e, &x, *t, g, &y) } else { sum(*t, g, &y, *s, e, &x) }
        }
    }
}

/// The sum in a mode: a sum that is exactly zero is negative when rounding down, unless both are zeros of one sign.
pub fn add_in(mode: Mode, a: &Num, b: &Num) -> Num {
    match (add(a, b), a, b) {
        (Num::Zero { .. }, Num::Zero { sign: s }, Num::Zero { sign: t }) if s == t => Num::Zero { sign: *s },
        (Num::Zero { .. }, _, _) => Num::Zero { sign: mode == Mode::Down },
        (sum, _, _) => sum,
    }
}

/// The sum of two normalised numbers, the larger exponent first. One that is far below counts as next to nothing.
fn sum(s: bool, e: i64, x: &Bv, t: bool, g: i64, y: &Bv) -> Num {
    let far = e - g > 280;
    let (g, y) = if far { (e - 280, wide(1)) } else { (g, y.clone()) };
    let x = x.shl_by((e - g) as u16);
    let (sign, sig) = match (s == t, x.ult(&y)) {
        (true, _) => (s, x.add(&y)),
        (false, true) => (t, y.sub(&x)),
        (false, false) => (s, x.sub(&y)),
    };
    if sig.is_zero() { Num::Zero { sign: false } } else { Num::Finite { sign, exp: g, sig } }
}

pub fn negated(a: &Num) -> Num {
    a.clone().with_sign(!a.sign())
}

pub fn mul(a: &Num, b: &Num) -> Num {
    let sign = a.sign() != b.sign();
    match (a, b) {
        (Num::Nan { .. }, _) | (_, Num::Nan { .. }) => pick_nan(a, b),
        (Num::Inf { .. }, Num::Zero { .. }) | (Num::Zero { .. }, Num::Inf { .. }) => DEFAULT_NAN,
        (Num::Inf { .. }, _) | (_, Num::Inf { .. }) => Num::Inf { sign },
        (Num::Zero { .. }, _) | (_, Num::Zero { .. }) => Num::Zero { sign },
        (Num::Finite { exp: e, sig: x, .. }, Num::Finite { exp: g, sig: y, .. }) => {
            Num::Finite { sign, exp: e + g, sig: x.mul(y) }
        }
    }
}

pub fn div(a: &Num, b: &Num) -> Num {
    let sign = a.sign() != b.sign();
    match (a, b) {
        (Num::Nan { .. }, _) | (_, Num::Nan { .. }) => pick_nan(a, b),
        (Num::Inf { .. }, Num::Inf { .. }) | (Num::Zero { .. }, Num::Zero { .. }) => DEFAULT_NAN,
        (Num::Inf { .. }, _) | (_, Num::Zero { .. }) => Num::Inf { sign },
        (Num::Zero { .. }, _) | (_, Num::Inf { .. }) => Num::Zero { sign },
        (Num::Finite { exp: e, sig: x, .. }, Num::Finite { exp: g, sig: y, .. }) => {
            let (e, x) = normalised(*e, x, 400);
            let rest = u128::from(!x.urem(y).is_zero());
            Num::Finite { sign, exp: e - g - 1, sig: x.udiv(y).shl_by(1).or(&wide(rest)) }
        }
    }
}

pub fn sqrt(a: &Num) -> Num {
    match a {
        Num::Nan { .. } | Num::Zero { .. } | Num::Inf { sign: false } => a.clone(),
        Num::Inf { sign: true } | Num::Finite { sign: true, .. } => DEFAULT_NAN,
        Num::Finite { sign: false, exp, sig } => {
            let len = if (exp - i64::from(300 - length(sig))) % 2 == 0 { 300 } else { 301 };
            let (e, x) = normalised(*exp, sig, len);
            let root = integer_root(&x);
            let rest = u128::from(root.mul(&root) != x);
            Num::Finite { sign: false, exp: e / 2 - 1, sig: root.shl_by(1).or(&wide(rest)) }
        }
    }
}

/// The largest integer whose square is at most `x`, bit by bit.
fn integer_root(x: &Bv) -> Bv {
    let mut root = wide(0);
    for bit in (0..length(x).div_ceil(2)).rev() {
        let tried = root.or(&wide(1).shl_by(bit));
        if tried.mul(&tried).ule(x) {
            root = tried;
        }
    }
    root
}

pub fn fused(x: &Num, y: &Num, z: &Num) -> Num {
    add(&mul(x, y), z)
}

/// C's `fmod`.
pub fn rem(a: &Num, b: &Num) -> Num {
    match (a, b) {
        (Num::Nan { .. }, _) | (_, Num::Nan { .. }) => pick_nan(a, b),
        (Num::Inf { .. }, _) | (_, Num::Zero { .. }) => DEFAULT_NAN,
        (Num::Zero { .. }, _) | (_, Num::Inf { .. }) => a.clone(),
        (Num::Finite { sign, exp: e, sig: x }, Num::Finite { exp: g, sig: y, .. }) => {
            let (rest, exp) = if e >= g { (shifted_rem(x, e - g, y), *g) } else { low_rem(x, *e, y, *g) };
            if rest.is_zero() { Num::Zero { sign: *sign } } else { Num::Finite { sign: *sign, exp, sig: rest } }
        }
    }
}

/// `x * 2^by mod y`, in steps.
fn shifted_rem(x: &Bv, by: i64, y: &Bv) -> Bv {
    let mut rest = x.urem(y);
    let mut left = by;
    while left > 0 && !rest.is_zero() {
        let step = left.min(128);
        rest = rest.shl_by(step as u16).urem(y);
        left -= step;
    }
    rest
}

/// The remainder where the divisor's lowest bit is above the dividend's.
fn low_rem(x: &Bv, e: i64, y: &Bv, g: i64) -> (Bv, i64) {
    if g - e > 250 { (x.clone(), e) } else { (x.urem(&y.shl_by((g - e) as u16)), e) }
}

/// How a number is made integral.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Integral {
    Floor,
    Ceil,
    Trunc,
    NearestEven,
    NearestAway,
}

pub fn integral(how: Integral, a: &Num) -> Num {
    let Num::Finite { sign, exp, sig } = a else { return a.clone() };
    if *exp >= 0 {
        return a.clone();
    }
    let drop = (-exp).min(i64::from(W) - 1) as u16;
    let whole = sig.lshr_by(drop);
    let half = sig.bit(drop - 1);
    let exact = sig.cttz() >= drop;
    let tie = half && sig.cttz() == drop - 1;
    let up = match how {
        Integral::Floor => *sign && !exact,
        Integral::Ceil => !*sign && !exact,
        Integral::Trunc => false,
        Integral::NearestEven => half && (!tie || whole.bit(0)),
        Integral::NearestAway => half,
    };
    let sig = if up { whole.add(&wide(1)) } else { whole };
    if sig.is_zero() { Num::Zero { sign: *sign } } else { Num::Finite { sign: *sign, exp: 0, sig } }
}

/// `None` if one is a NaN.
pub fn order(a: &Num, b: &Num) -> Option<Ordering> {
    let rank = |n: &Num| match n {
        Num::Zero { .. } | Num::Nan { .. } => 0,
        Num::Finite { sign, .. } => {
            if *sign {
                -1
            } else {
                1
            }
        }
        Num::Inf { sign } => {
            if *sign {
                -2
            } else {
                2
            }
        }
    };
    if a.is_nan() || b.is_nan() {
        return None;
    }
    let (Num::Finite { sign, exp: e, sig: x }, Num::Finite { exp: g, sig: y, .. }) = (a, b) else {
        return Some(rank(a).cmp(&rank(b)));
    };
    if rank(a) != rank(b) {
        return Some(rank(a).cmp(&rank(b)));
    }
    let (e, x) = normalised(*e, x, 228);
    let (g, y) = normalised(*g, y, 228);
    let magnitude = e.cmp(&g).then_with(|| x.cmp(&y));
    Some(if *sign { magnitude.reverse() } else { magnitude })
}

/// An integer, as an exact number.
pub fn from_int(sign: bool, magnitude: &Bv) -> Num {
    if magnitude.is_zero() {
        return Num::Zero { sign: false };
    }
    Num::Finite { sign, exp: 0, sig: magnitude.resize(magnitude.width().max(W)) }
}

/// Sign and magnitude of the integer part, if it has at most `width` bits.
pub fn to_int(a: &Num, width: u16) -> Option<(bool, Bv)> {
    match integral(Integral::Trunc, a) {
        Num::Nan { .. } | Num::Inf { .. } => None,
        Num::Zero { sign } => Some((sign, Bv::zero(width + 1))),
        Num::Finite { sign, exp, sig } => {
            let fits = i64::from(length(&sig)) + exp <= i64::from(width);
            fits.then(|| (sign, sig.resize(sig.width().max(width + 1)).shl_by(exp as u16).resize(width + 1)))
        }
    }
}

/// Whether the bits are a subnormal number.
pub fn is_subnormal(f: Format, bits: &Bv) -> bool {
    let raw = bits.to_u128().expect("floats should have at most 128 bits");
    let exp_field = raw >> f.stored() & ((1 << f.exp_bits) - 1);
    exp_field == 0 && matches!(unpack(f, bits), Num::Finite { .. })
}

#[cfg(test)]
mod tests;
