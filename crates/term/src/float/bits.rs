//! Small circuits that the float operations share: bits, shifts that keep what they lose, normalisation.

use super::format::bits_for;
use crate::{Term, Terms};
use blitz_base::Bv;

/// Bit `i`.
pub(super) fn bit(t: &mut Terms, x: Term, i: u16) -> Term {
    t.extract(x, i, i)
}

/// The upper bits, `n` of them.
pub(super) fn top(t: &mut Terms, x: Term, n: u16) -> Term {
    let w = t.width(x);
    t.extract(x, w - 1, w - n)
}

/// The lower bits, `n` of them.
pub(super) fn low(t: &mut Terms, x: Term, n: u16) -> Term {
    t.extract(x, n - 1, 0)
}

/// All bits zero.
pub(super) fn is_zero(t: &mut Terms, x: Term) -> Term {
    let zero = t.bv(t.width(x), 0);
    t.eq(x, zero)
}

/// Some bit one.
pub(super) fn any(t: &mut Terms, x: Term) -> Term {
    let zero = is_zero(t, x);
    t.not(zero)
}

/// All bits one.
pub(super) fn is_ones(t: &mut Terms, x: Term) -> Term {
    let ones = t.bv_const(Bv::ones(t.width(x)));
    t.eq(x, ones)
}

/// A signed constant of any width.
pub(super) fn int(t: &mut Terms, w: u16, value: i64) -> Term {
    t.bv_const(Bv::from_i64(w, value))
}

/// `n` zero bits appended below.
pub(super) fn pad_low(t: &mut Terms, x: Term, n: u16) -> Term {
    if n == 0 {
        return x;
    }
    let zeros = t.bv(n, 0);
    t.concat(x, zeros)
}

/// The width becomes `w` by zeros above or by cutting off above.
pub(super) fn resize(t: &mut Terms, x: Term, w: u16) -> Term {
    if t.width(x) >= w { low(t, x, w) } else { t.zext(x, w) }
}

/// The width becomes `w` by copies of the sign above or by cutting off above.
pub(super) fn resize_signed(t: &mut Terms, x: Term, w: u16) -> Term {
    if t.width(x) >= w { low(t, x, w) } else { t.sext(x, w) }
}

/// `x + carry` for a single bit.
pub(super) fn add_bit(t: &mut Terms, x: Term, carry: Term) -> Term {
    let carry = t.zext(carry, t.width(x));
    t.add(x, carry)
}

/// `x` with its last bit set if `sticky` holds.
pub(super) fn jam(t: &mut Terms, x: Term, sticky: Term) -> Term {
    let sticky = t.zext(sticky, t.width(x));
    t.or(x, sticky)
}

/// The top `n` bits, the last of them standing for all bits below too.
pub(super) fn compress(t: &mut Terms, x: Term, n: u16) -> Term {
    let w = t.width(x);
    if w <= n {
        return pad_low(t, x, n - w);
    }
    let kept = top(t, x, n);
    let lost = low(t, x, w - n);
    let sticky = any(t, lost);
    jam(t, kept, sticky)
}

/// `x` shifted right by `amount` (unsigned, any width), and whether a one was lost.
///
/// One stage per bit of the amount, each looking only at the bits that it drops: the sticky bit costs as many gates as `x` has bits.
pub(super) fn shr_sticky(t: &mut Terms, x: Term, amount: Term) -> (Term, Term) {
    let w = t.width(x);
    let stages = t.width(amount).min(bits_for(u64::from(w - 1)));
    let mut x = x;
    let mut sticky = t.fls();
    for k in 0..stages {
        let on = bit(t, amount, k);
        let step = 1u16 << k;
        let lost = low(t, x, step);
        let lost = any(t, lost);
        let lost = t.and(on, lost);
        sticky = t.or(sticky, lost);
        let kept = top(t, x, w - step);
        let shifted = t.zext(kept, w);
        x = t.ite(on, shifted, x);
    }
    if stages < t.width(amount) {
        let over = t.extract(amount, t.width(amount) - 1, stages);
        let over = any(t, over);
        let some = any(t, x);
        let lost = t.and(over, some);
        sticky = t.or(sticky, lost);
        let zero = t.bv(w, 0);
        x = t.ite(over, zero, x);
    }
    (x, sticky)
}

/// `x` shifted right by `amount`, the last bit standing for all that was lost.
pub(super) fn shr_jam(t: &mut Terms, x: Term, amount: Term) -> Term {
    let (x, sticky) = shr_sticky(t, x, amount);
    jam(t, x, sticky)
}

/// `x` shifted left by an unsigned amount of any width.
pub(super) fn shl(t: &mut Terms, x: Term, amount: Term) -> Term {
    let (w, aw) = (t.width(x), t.width(amount));
    if aw <= w {
        let amount = t.zext(amount, w);
        return t.shl(x, amount);
    }
    let x = t.zext(x, aw);
    let shifted = t.shl(x, amount);
    low(t, shifted, w)
}

/// `x` shifted left until its top bit is one, and by how much. For zero: zero, and some amount below `2 * width`.
pub(super) fn normalise(t: &mut Terms, x: Term) -> (Term, Term) {
    let w = t.width(x);
    if w == 1 {
        return (x, t.bv(1, 0));
    }
    let stages = bits_for(u64::from(w - 1));
    let mut x = x;
    let mut count: Option<Term> = None;
    for k in (0..stages).rev() {
        let step = 1u16 << k;
        let head = top(t, x, step);
        let empty = is_zero(t, head);
        let rest = low(t, x, w - step);
        let shifted = pad_low(t, rest, step);
        x = t.ite(empty, shifted, x);
        count = Some(match count {
            None => empty,
            Some(c) => t.concat(c, empty),
        });
    }
    (x, count.expect("there should be a stage"))
}

/// The number of leading zeros; for zero some number in `width - 1 ..= width`.
///
/// By halving: each step keeps the half that has the first one, so the whole takes about `width` multiplexers.
pub(super) fn leading_zeros(t: &mut Terms, x: Term) -> Term {
    let w = t.width(x);
    if w == 1 {
        return t.not(x);
    }
    let stages = bits_for(u64::from(w - 1));
    let padding = (1u32 << stages) - u32::from(w);
    let mut x = x;
    if padding > 0 {
        let ones = t.bv_const(Bv::ones(padding as u16));
        x = t.concat(x, ones);
    }
    let mut count: Option<Term> = None;
    for k in (0..stages).rev() {
        let half = 1u16 << k;
        let head = top(t, x, half);
        let rest = low(t, x, half);
        let empty = is_zero(t, head);
        x = t.ite(empty, rest, head);
        count = Some(match count {
            None => empty,
            Some(c) => t.concat(c, empty),
        });
    }
    count.expect("there should be a stage")
}

/// `x - y` if `subtract` holds, else `x + y`, with one adder: the carry comes in through a bit appended below.
pub(super) fn add_or_sub(t: &mut Terms, subtract: Term, x: Term, y: Term) -> Term {
    let w = t.width(x);
    let mask = t.sext(subtract, w);
    let y = t.xor(y, mask);
    let one = t.tru();
    let x = t.concat(x, one);
    let y = t.concat(y, subtract);
    let sum = t.add(x, y);
    top(t, sum, w)
}
