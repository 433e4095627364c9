//! Rounding: from a sign, an exponent and a significand with more bits than the format has, to the magnitude of a float.

use super::bits::{add_bit, any, bit, compress, int, is_ones, leading_zeros, low, pad_low, shl, shr_jam, top};
use super::format::{Format, bits_for};
use super::parts::{inf_mag, max_mag};
use crate::{Term, Terms};

/// Where a result that is no float of the format goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RoundingMode {
    /// To the nearest, of two equally near to the even one (the default everywhere).
    NearestEven,
    /// To the nearest, of two equally near to the one away from zero.
    NearestAway,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    Zero,
}

impl RoundingMode {
    /// All of them, in the order of their codes.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::Up,
        RoundingMode::Down,
        RoundingMode::Zero,
    ];

    /// The value that stands for the mode in a symbolic rounding mode.
    pub fn code(self) -> u64 {
        match self {
            RoundingMode::NearestEven => 0,
            RoundingMode::NearestAway => 1,
            RoundingMode::Up => 2,
            RoundingMode::Down => 3,
            RoundingMode::Zero => 4,
        }
    }
}

/// A rounding mode that is known, or a term of three bits holding a `RoundingMode::code` (5 to 7 act as `Zero`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    Fixed(RoundingMode),
    Symbolic(Term),
}

impl Rounding {
    /// Bits of a symbolic rounding mode.
    pub const WIDTH: u16 = 3;

    /// The mode as a term of three bits.
    pub fn term(self, t: &mut Terms) -> Term {
        match self {
            Rounding::Fixed(mode) => t.bv(Self::WIDTH, mode.code()),
            Rounding::Symbolic(term) => term,
        }
    }

    /// Whether the mode is this one.
    pub(super) fn is(self, t: &mut Terms, mode: RoundingMode) -> Term {
        let term = self.term(t);
        let code = t.bv(Self::WIDTH, mode.code());
        t.eq(term, code)
    }
}

impl From<RoundingMode> for Rounding {
    fn from(mode: RoundingMode) -> Self {
        Rounding::Fixed(mode)
    }
}

impl From<Term> for Rounding {
    fn from(term: Term) -> Self {
        Rounding::Symbolic(term)
    }
}

/// What can happen to the exponent; what cannot gets no circuit.
#[derive(Clone, Copy)]
pub(super) struct Range {
    /// The result may lie below the normal numbers.
    pub under: bool,
    /// The result may lie above the finite ones.
    pub over: bool,
}

impl Range {
    pub const FULL: Range = Range { under: true, over: true };
}

/// A magnitude before rounding: `sig` has its leading one at the top (or is zero), its last bit may stand for lost ones.
#[derive(Clone, Copy)]
pub(super) struct Exact {
    pub sign: Term,
    /// The exponent field of the leading bit, signed, unbounded.
    pub exp: Term,
    pub sig: Term,
}

/// Whether the bits below the last kept one make it one more.
pub(super) fn increment(t: &mut Terms, rm: Rounding, sign: Term, lsb: Term, guard: Term, sticky: Term) -> Term {
    let nearest_even = rm.is(t, RoundingMode::NearestEven);
    let odd = t.or(lsb, sticky);
    let even = t.and_all(&[nearest_even, guard, odd]);
    let nearest_away = rm.is(t, RoundingMode::NearestAway);
    let away = t.and(nearest_away, guard);
    let outwards = outwards(t, rm, sign);
    let inexact = t.or(guard, sticky);
    let directed = t.and(outwards, inexact);
    t.or_all(&[even, away, directed])
}

/// Rounding goes away from zero for this sign.
fn outwards(t: &mut Terms, rm: Rounding, sign: Term) -> Term {
    let positive = t.not(sign);
    let up = rm.is(t, RoundingMode::Up);
    let up = t.and(up, positive);
    let down = rm.is(t, RoundingMode::Down);
    let down = t.and(down, sign);
    t.or(up, down)
}

/// The magnitude on overflow: infinity or the largest finite number.
fn overflowed(t: &mut Terms, f: Format, rm: Rounding, sign: Term) -> Term {
    let even = rm.is(t, RoundingMode::NearestEven);
    let away = rm.is(t, RoundingMode::NearestAway);
    let outwards = outwards(t, rm, sign);
    let to_inf = t.or_all(&[even, away, outwards]);
    let (inf, max) = (inf_mag(t, f), max_mag(t, f));
    t.ite(to_inf, inf, max)
}

/// The sign of a sum that is exactly zero.
pub(super) fn zero_sign(t: &mut Terms, rm: Rounding, a: Term, b: Term) -> Term {
    let both = t.and(a, b);
    let some = t.or(a, b);
    let down = rm.is(t, RoundingMode::Down);
    let down = t.and(some, down);
    t.or(both, down)
}

/// The rounded magnitude of `x`. A zero significand gives zero only where `range.under` is set and the exponent is small enough.
pub(super) fn round(t: &mut Terms, f: Format, rm: Rounding, x: Exact, range: Range) -> Term {
    let mut sig = compress(t, x.sig, f.sig_bits() + 2);
    let w = t.width(x.exp).max(f.exp_bits() + 2);
    let exp = t.sext(x.exp, w);
    let mut field = low(t, exp, f.exp_bits());
    let mut too_big = if range.over { above_finite(t, f, exp) } else { t.fls() };
    if range.under {
        let one = int(t, w, 1);
        let under = t.slt(exp, one);
        let amount = t.sub(one, exp);
        let zero = t.bv(w, 0);
        let amount = t.ite(under, amount, zero);
        sig = shr_jam(t, sig, amount);
        let no_exp = t.bv(f.exp_bits(), 0);
        field = t.ite(under, no_exp, field);
        let not_under = t.not(under);
        too_big = t.and(too_big, not_under);
    }
    let rounded = round_fields(t, f, rm, x.sign, field, sig);
    if !range.over {
        return rounded;
    }
    let overflowed = overflowed(t, f, rm, x.sign);
    t.ite(too_big, overflowed, rounded)
}

/// The signed exponent lies above those of finite numbers.
fn above_finite(t: &mut Terms, f: Format, exp: Term) -> Term {
    let w = t.width(exp);
    let last = int(t, w, f.exp_special() - 1);
    t.sgt(exp, last)
}

/// The rounded magnitude for an exponent field and a significand whose top bit the field implies.
fn round_fields(t: &mut Terms, f: Format, rm: Rounding, sign: Term, field: Term, sig: Term) -> Term {
    let w = t.width(sig);
    let frac = t.extract(sig, w - 2, w - f.sig_bits());
    let lsb = bit(t, sig, w - f.sig_bits());
    let guard = bit(t, sig, w - f.sig_bits() - 1);
    let rest = low(t, sig, w - f.sig_bits() - 1);
    let sticky = any(t, rest);
    let up = increment(t, rm, sign, lsb, guard, sticky);
    let mag = t.concat(field, frac);
    add_bit(t, mag, up)
}

/// The rounded magnitude of a sum: the significand is shifted left as far as its leading zeros and the exponent allow.
///
/// `exp` is the exponent field of the top bit, unsigned and at least 1 and at most `exp_special`, of the format's exponent width.
pub(super) fn round_sum(t: &mut Terms, f: Format, rm: Rounding, sign: Term, exp: Term, sig: Term) -> Term {
    let n = t.width(sig);
    let zeros = leading_zeros(t, sig);
    let w = t.width(zeros).max(f.exp_bits()).max(bits_for(u64::from(n)));
    let zeros = t.zext(zeros, w);
    let wide = t.zext(exp, w);
    let one = t.bv(w, 1);
    let room = t.sub(wide, one);
    let limited = t.ult(room, zeros);
    let amount = t.ite(limited, room, zeros);
    let sig = shl(t, sig, amount);
    let lead = top(t, sig, 1);
    let field = t.sub(wide, amount);
    let field = low(t, field, f.exp_bits());
    let no_exp = t.bv(f.exp_bits(), 0);
    let field = t.ite(lead, field, no_exp);
    let need = f.sig_bits() + 2;
    let sig = if n < need { pad_low(t, sig, need - n) } else { sig };
    let rounded = round_fields(t, f, rm, sign, field, sig);
    let too_big = is_ones(t, field);
    let overflowed = overflowed(t, f, rm, sign);
    t.ite(too_big, overflowed, rounded)
}
