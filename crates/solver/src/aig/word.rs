//! Words as circuits: one function per operation, least significant bit first.
//!
//! Choices: ripple adders (their carry chain propagates best in a SAT solver), column-compressed multiplication with full
//! adders, restoring division with a remainder no wider than needed, logarithmic shifters, comparison by the carry chain.
//! Invariant: operands of a binary operation have the same length, which is the length of the result.

use super::{Aig, Edge};

pub type Word = Vec<Edge>;

/// The word of a constant given bit by bit.
pub fn constant(width: usize, bit: impl Fn(usize) -> bool) -> Word {
    (0..width).map(|i| Edge::constant(bit(i))).collect()
}

pub fn not(a: &[Edge]) -> Word {
    a.iter().map(|e| !*e).collect()
}

pub fn bitwise(g: &mut Aig, a: &[Edge], b: &[Edge], f: fn(&mut Aig, Edge, Edge) -> Edge) -> Word {
    a.iter().zip(b).map(|(x, y)| f(g, *x, *y)).collect()
}

pub fn mux(g: &mut Aig, c: Edge, t: &[Edge], e: &[Edge]) -> Word {
    t.iter().zip(e).map(|(x, y)| g.mux(c, *x, *y)).collect()
}

pub fn eq(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Edge {
    let mut bits = Vec::with_capacity(a.len());
    for (x, y) in a.iter().zip(b) {
        let same = g.xnor(*x, *y);
        if same == Edge::FALSE {
            return Edge::FALSE;
        }
        bits.push(same);
    }
    g.and_all(&bits)
}

/// Sum and carry out.
pub fn add_carry(g: &mut Aig, a: &[Edge], b: &[Edge], carry: Edge) -> (Word, Edge) {
    let mut carry = carry;
    let mut sum = Vec::with_capacity(a.len());
    for (x, y) in a.iter().zip(b) {
        let (s, c) = full_adder(g, *x, *y, carry);
        sum.push(s);
        carry = c;
    }
    (sum, carry)
}

pub fn full_adder(g: &mut Aig, x: Edge, y: Edge, z: Edge) -> (Edge, Edge) {
    let half = g.xor(x, y);
    let sum = g.xor(half, z);
    let carry = g.maj(x, y, z);
    (sum, carry)
}

pub fn add(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    add_carry(g, a, b, Edge::FALSE).0
}

pub fn sub(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    add_carry(g, a, &not(b), Edge::TRUE).0
}

pub fn neg(g: &mut Aig, a: &[Edge]) -> Word {
    let zero = vec![Edge::FALSE; a.len()];
    sub(g, &zero, a)
}

/// `a < b` unsigned: `b - a - 1` does not borrow.
pub fn ult(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Edge {
    let mut carry = Edge::FALSE;
    for (x, y) in a.iter().zip(b) {
        carry = g.maj(!*x, *y, carry);
    }
    carry
}

pub fn ule(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Edge {
    !ult(g, b, a)
}

/// `a < b` signed: the sign bits change sides.
pub fn slt(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Edge {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    if let (Some(x), Some(y)) = (a.last_mut(), b.last_mut()) {
        std::mem::swap(x, y);
    }
    ult(g, &a, &b)
}

/// Product of the same width: partial products are compressed column by column with full adders.
pub fn mul(g: &mut Aig, a: &[Edge], b: &[Edge]) -> Word {
    let width = a.len();
    // The operand with more constant zeros selects the rows.
    let zeros = |w: &[Edge]| w.iter().filter(|e| **e == Edge::FALSE).count();
    let (a, b) = if zeros(b) > zeros(a) { (b, a) } else { (a, b) };
    if let Some(signed) = few_digits(a) {
        return mul_by_digits(g, b, &signed);
    }
    let mut sum = vec![Edge::FALSE; width];
    for (i, row) in a.iter().enumerate() {
        if *row == Edge::FALSE {
            continue;
        }
        let partial: Word = b[..width - i].iter().map(|x| g.and(*row, *x)).collect();
        let high = add(g, &sum[i..], &partial);
        sum.truncate(i);
        sum.extend(high);
    }
    sum
}

/// The signed digits (canonical form) of a constant operand: position and whether it is subtracted.
fn few_digits(a: &[Edge]) -> Option<Vec<(usize, bool)>> {
    if !a.iter().all(|e| e.is_const()) {
        return None;
    }
    let mut bits: Vec<bool> = a.iter().map(|e| *e == Edge::TRUE).collect();
    bits.push(false);
    let mut digits = Vec::new();
    let mut carry = false;
    for i in 0..a.len() {
        let one = bits[i] ^ carry;
        if one {
            let negative = bits[i + 1];
            digits.push((i, negative));
            carry = negative;
        } else {
            carry &= bits[i];
        }
    }
    Some(digits)
}

fn mul_by_digits(g: &mut Aig, b: &[Edge], digits: &[(usize, bool)]) -> Word {
    let width = b.len();
    let mut sum = vec![Edge::FALSE; width];
    for (shift, negative) in digits {
        let mut partial = vec![Edge::FALSE; *shift];
        partial.extend_from_slice(&b[..width - shift]);
        sum = if *negative { sub(g, &sum, &partial) } else { add(g, &sum, &partial) };
    }
    sum
}

/// Quotient and remainder; division by zero gives all ones and the dividend, as SMT-LIB has it.
pub fn udivrem(g: &mut Aig, a: &[Edge], b: &[Edge]) -> (Word, Word) {
    let width = a.len();
    let mut quotient = vec![Edge::FALSE; width];
    let mut rest: Word = Vec::new();
    for i in (0..width).rev() {
        // The remainder so far has width - 1 - i bits; shift the next bit in.
        rest.insert(0, a[i]);
        let len = rest.len();
        // Where a bit of the divisor above the remainder is set, it does not fit.
        let high = g.or_all(&b[len.min(width)..]);
        let (difference, carry) = add_carry(g, &rest, &not(&b[..len]), Edge::TRUE);
        let fits = g.and(carry, !high);
        quotient[i] = fits;
        rest = mux(g, fits, &difference, &rest);
    }
    (quotient, rest)
}

/// Signed quotient (truncating) and remainder (sign of the dividend).
pub fn sdivrem(g: &mut Aig, a: &[Edge], b: &[Edge]) -> (Word, Word) {
    let (Some(&sign_a), Some(&sign_b)) = (a.last(), b.last()) else {
        return (Vec::new(), Vec::new());
    };
    let abs_a = negate_if(g, sign_a, a);
    let abs_b = negate_if(g, sign_b, b);
    let (quotient, rest) = udivrem(g, &abs_a, &abs_b);
    let differ = g.xor(sign_a, sign_b);
    let quotient = negate_if(g, differ, &quotient);
    let rest = negate_if(g, sign_a, &rest);
    (quotient, rest)
}

pub fn negate_if(g: &mut Aig, c: Edge, a: &[Edge]) -> Word {
    let flipped: Word = a.iter().map(|x| g.xor(c, *x)).collect();
    let zero = vec![Edge::FALSE; a.len()];
    add_carry(g, &flipped, &zero, c).0
}

/// Which way a shifter moves and what it moves in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shift {
    Left,
    Logical,
    Arithmetic,
}

/// Logarithmic shifter; amounts of the width or more shift everything out.
pub fn shift(g: &mut Aig, kind: Shift, a: &[Edge], amount: &[Edge]) -> Word {
    let width = a.len();
    let fill = match kind {
        Shift::Left | Shift::Logical => Edge::FALSE,
        Shift::Arithmetic => a.last().copied().unwrap_or(Edge::FALSE),
    };
    let mut word = a.to_vec();
    let mut stage = 0;
    while stage < amount.len() && (1_usize << stage) < width {
        let by = 1 << stage;
        let moved: Word = (0..width)
            .map(|i| match kind {
                Shift::Left => i.checked_sub(by).map_or(fill, |j| word[j]),
                Shift::Logical | Shift::Arithmetic => word.get(i + by).copied().unwrap_or(fill),
            })
            .collect();
        word = mux(g, amount[stage], &moved, &word);
        stage += 1;
    }
    let out = g.or_all(&amount[stage.min(amount.len())..]);
    let gone = vec![fill; width];
    mux(g, out, &gone, &word)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Op = fn(&mut Aig, &[Edge], &[Edge]) -> Word;
    type Expected = fn(u64, u64, u64, u64) -> u64;

    fn sign(x: u64, width: u64) -> i64 {
        ((x << (64 - width)) as i64) >> (64 - width)
    }

    fn ops() -> Vec<(&'static str, Op, Expected)> {
        vec![
            ("add", add, |a, b, _, m| a.wrapping_add(b) & m),
            ("sub", sub, |a, b, _, m| a.wrapping_sub(b) & m),
            ("mul", mul, |a, b, _, m| a.wrapping_mul(b) & m),
            ("udiv", |g, a, b| udivrem(g, a, b).0, |a, b, _, m| a.checked_div(b).unwrap_or(m)),
            ("urem", |g, a, b| udivrem(g, a, b).1, |a, b, _, _| a.checked_rem(b).unwrap_or(a)),
            ("ult", |g, a, b| vec![ult(g, a, b)], |a, b, _, _| u64::from(a < b)),
            ("ule", |g, a, b| vec![ule(g, a, b)], |a, b, _, _| u64::from(a <= b)),
            ("eq", |g, a, b| vec![eq(g, a, b)], |a, b, _, _| u64::from(a == b)),
            ("slt", |g, a, b| vec![slt(g, a, b)], |a, b, w, _| u64::from(sign(a, w) < sign(b, w))),
            ("shl", |g, a, b| shift(g, Shift::Left, a, b), |a, b, w, m| if b < w { a << b & m } else { 0 }),
            ("lshr", |g, a, b| shift(g, Shift::Logical, a, b), |a, b, w, _| if b < w { a >> b } else { 0 }),
            ("ashr", |g, a, b| shift(g, Shift::Arithmetic, a, b), |a, b, w, m| (sign(a, w) >> b.min(w - 1)) as u64 & m),
            (
                "srem",
                |g, a, b| sdivrem(g, a, b).1,
                |a, b, w, m| {
                    let (x, y) = (sign(a, w), sign(b, w));
                    if y == 0 { a } else { x.wrapping_rem(y) as u64 & m }
                },
            ),
            (
                "sdiv",
                |g, a, b| sdivrem(g, a, b).0,
                |a, b, w, m| {
                    let (x, y) = (sign(a, w), sign(b, w));
                    match y {
                        0 if x < 0 => 1,
                        0 => m,
                        _ => x.wrapping_div(y) as u64 & m,
                    }
                },
            ),
        ]
    }

    fn read(values: &[bool], word: &[Edge]) -> u64 {
        word.iter().enumerate().map(|(i, e)| u64::from(values[e.node() as usize] ^ e.inverted()) << i).sum()
    }

    #[test]
    fn circuits_agree_with_arithmetic_up_to_width_four() {
        for width in 1..=4_u64 {
            let mask = (1 << width) - 1;
            for (name, op, expected) in ops() {
                let mut g = Aig::default();
                let a: Word = (0..width).map(|_| g.input()).collect();
                let b: Word = (0..width).map(|_| g.input()).collect();
                let result = op(&mut g, &a, &b);
                for x in 0..=mask {
                    for y in 0..=mask {
                        let bits = x | y << width;
                        let mut values = Vec::new();
                        g.evaluate(&mut values, |node| bits >> (node - 1) & 1 == 1);
                        let got = read(&values, &result);
                        assert_eq!(got, expected(x, y, width, mask), "{name} width {width} of {x} and {y}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_constant_operand_gives_the_same_function() {
        let width = 4;
        for (name, op, expected) in ops() {
            for y in 0..16_u64 {
                for swap in [false, true] {
                    let mut g = Aig::default();
                    let a: Word = (0..width).map(|_| g.input()).collect();
                    let b = constant(width, |i| y >> i & 1 == 1);
                    let result = if swap { op(&mut g, &b, &a) } else { op(&mut g, &a, &b) };
                    for x in 0..16_u64 {
                        let mut values = Vec::new();
                        g.evaluate(&mut values, |node| x >> (node - 1) & 1 == 1);
                        let want = if swap { expected(y, x, 4, 15) } else { expected(x, y, 4, 15) };
                        assert_eq!(read(&values, &result), want, "{name} of {x} and {y}");
                    }
                }
            }
        }
    }
}
