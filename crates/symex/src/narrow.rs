//! Products and quotients in as many bits as the path leaves to their operands.
//!
//! Why: a divider of 64 bits is among the hardest circuits that a solver meets, and programs divide small numbers: an index by a capacity, a hash by
//! the size of a table, a row by a width. Where the path bounds both operands, a circuit of a few bits gives the same value.
//!
//! Invariant: the result is the operation's wherever the facts hold, also where the divisor is zero (SMT-LIB's value). Elsewhere it is worth nothing, as
//! everything that rests on facts (`ranges.rs`).
//! Absent: operands of more than 64 bits; products with a constant, whose shape says where an access can be (`confine.rs`).

use crate::ranges::{Facts, Range, all, product, within};
use blitz_ir::BinOp;
use blitz_term::{Term, Terms};

/// What is computed.
#[derive(Clone, Copy)]
enum Op {
    Product,
    Quotient,
    Remainder,
}

/// The operation in fewer bits, if it is one of those and the facts allow it.
pub(crate) fn binary(terms: &mut Terms, facts: &Facts, op: BinOp, a: Term, b: Term) -> Option<Term> {
    let (op, any_sign) = match op {
        BinOp::Mul => (Op::Product, true),
        BinOp::SDiv => (Op::Quotient, true),
        BinOp::SRem => (Op::Remainder, true),
        BinOp::UDiv => (Op::Quotient, false),
        BinOp::URem => (Op::Remainder, false),
        BinOp::Add | BinOp::Sub | BinOp::Shl | BinOp::LShr | BinOp::AShr | BinOp::And | BinOp::Or | BinOp::Xor => {
            return None;
        }
        BinOp::UMin | BinOp::UMax | BinOp::SMin | BinOp::SMax | BinOp::FAdd | BinOp::FSub | BinOp::FMul => return None,
        BinOp::FDiv | BinOp::FRem | BinOp::FMin | BinOp::FMax | BinOp::FCopySign => return None,
    };
    let settled = match op {
        Op::Product => terms.is_const(a) || terms.is_const(b),
        Op::Quotient | Op::Remainder => terms.is_const(a) && terms.is_const(b),
    };
    if settled || terms.width(a) > 64 {
        return None;
    }
    let (x, y) = (facts.range(terms, a), facts.range(terms, b));
    match x.0 >= 0 && y.0 >= 0 {
        true => unsigned(terms, op, (a, x), (b, y)),
        false if any_sign => signed(terms, op, (a, x), (b, y)),
        false => None,
    }
}

/// Of operands that are not negative; the sign of the operation makes no difference then.
fn unsigned(terms: &mut Terms, op: Op, (a, x): (Term, Range), (b, y): (Term, Range)) -> Option<Term> {
    let most = match op {
        Op::Product => x.1.max(y.1).max(product(x, y).1),
        // By zero a quotient has all bits set, which the narrow one has not.
        Op::Quotient if y.0 == 0 => return None,
        Op::Quotient | Op::Remainder => x.1.max(y.1),
    };
    let (width, bits) = (terms.width(a), unsigned_bits(most));
    if bits >= width {
        return None;
    }
    let (low_a, low_b) = (terms.extract(a, bits - 1, 0), terms.extract(b, bits - 1, 0));
    let low = match op {
        Op::Product => terms.mul(low_a, low_b),
        Op::Quotient => terms.udiv(low_a, low_b),
        Op::Remainder => terms.urem(low_a, low_b),
    };
    Some(terms.zext(low, width))
}

fn signed(terms: &mut Terms, op: Op, (a, x): (Term, Range), (b, y): (Term, Range)) -> Option<Term> {
    let result = match op {
        Op::Product => product(x, y),
        // The quotient by -1 is the largest; by zero it is 1 or -1.
        Op::Quotient => (x.0.min(-x.1).min(-1), x.1.max(-x.0).max(1)),
        Op::Remainder => x,
    };
    let width = terms.width(a);
    let bits = (2..width).find(|&bits| [x, y, result].into_iter().all(|r| within(r, all(bits))))?;
    let (low_a, low_b) = (terms.extract(a, bits - 1, 0), terms.extract(b, bits - 1, 0));
    let low = match op {
        Op::Product => terms.mul(low_a, low_b),
        Op::Quotient => terms.sdiv(low_a, low_b),
        Op::Remainder => terms.srem(low_a, low_b),
    };
    Some(terms.sext(low, width))
}

/// Bits of an unsigned number, one at least.
fn unsigned_bits(most: i128) -> u16 {
    u16::try_from(128 - most.max(1).leading_zeros()).unwrap_or(u16::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_base::Bv;
    use blitz_term::{Assignment, Sort, eval};

    const WIDTH: u16 = 5;
    const OPS: [BinOp; 5] = [BinOp::Mul, BinOp::UDiv, BinOp::SDiv, BinOp::URem, BinOp::SRem];
    const RANGES: [(i64, i64); 7] = [(0, 3), (1, 2), (-1, 1), (-3, 2), (0, 15), (-2, -1), (-4, 0)];

    fn number(terms: &mut Terms, n: i64) -> Term {
        terms.bv_const(Bv::from_u64(WIDTH, n as u64 & 31))
    }

    fn bounded(terms: &mut Terms, facts: &Facts, t: Term, (least, most): (i64, i64)) -> Facts {
        let (least, most) = (number(terms, least), number(terms, most));
        let (from, to) = (terms.sle(least, t), terms.sle(t, most));
        facts.with(terms, from).with(terms, to)
    }

    /// Every pair of numbers in the ranges gives what the wide operation gives.
    fn agrees(op: BinOp, of_a: (i64, i64), of_b: (i64, i64)) -> bool {
        let mut terms = Terms::new();
        let (a, b) = (terms.fresh("a", Sort::Bv(WIDTH)), terms.fresh("b", Sort::Bv(WIDTH)));
        let facts = bounded(&mut terms, &Facts::default(), a, of_a);
        let facts = bounded(&mut terms, &facts, b, of_b);
        let wide = crate::ops::binary(&mut terms, op, blitz_ir::Type::Int(WIDTH), a, b);
        let Some(narrow) = binary(&mut terms, &facts, op, a, b) else { return false };
        for x in of_a.0..=of_a.1 {
            for y in of_b.0..=of_b.1 {
                let mut values = Assignment::new();
                values.set_bv(a, Bv::from_u64(WIDTH, x as u64 & 31));
                values.set_bv(b, Bv::from_u64(WIDTH, y as u64 & 31));
                let (is, should) = (eval(&terms, &values, narrow), eval(&terms, &values, wide));
                assert_eq!(is.bv(), should.bv(), "{op:?} of {x} and {y}");
            }
        }
        true
    }

    #[test]
    fn fewer_bits_give_the_same_value() {
        let mut narrowed = 0;
        for op in OPS {
            for of_a in RANGES {
                for of_b in RANGES {
                    narrowed += usize::from(agrees(op, of_a, of_b));
                }
            }
        }
        assert!(narrowed > 100, "{narrowed} of 245 were narrowed");
    }
}
