//! What the conditions of a path say of how large numbers are.
//!
//! Why: whether `7 * y * y` overflows where `-4681 < y && y < 4681` is a question for two multipliers to a solver, and for a few comparisons to
//! anyone who looks at the path. Ranges are read off the latest conjuncts of the guard and carried through sums, products and extensions, some
//! levels deep. They are worth nothing where the path's condition does not hold; nothing is asked of them there.
//!
//! Absent: numbers of more than 64 bits, ranges of unsigned comparisons beyond the sign bit, relations between variables.

use crate::guard::Guard;
use blitz_ir::OverflowOp;
use blitz_term::{Op, Term, Terms};

/// How many operations below a value are looked at.
const DEPTH: u32 = 4;

/// Signed numbers from the first to the second.
type Range = (i128, i128);

/// Whether the operation stays in range wherever the guard holds, as far as that is evident.
pub(crate) fn stays_in_range(terms: &Terms, guard: &Guard, op: OverflowOp, a: Term, b: Term) -> bool {
    let width = terms.width(a);
    if width > 64 || terms.is_const(a) && terms.is_const(b) {
        return false;
    }
    let facts = guard.latest(terms);
    let (x, y) = (range(terms, &facts, a, DEPTH), range(terms, &facts, b, DEPTH));
    let result = match op {
        OverflowOp::SAdd => sum(x, y),
        OverflowOp::SSub => sum(x, (-y.1, -y.0)),
        OverflowOp::SMul => product(x, y),
        OverflowOp::UAdd | OverflowOp::USub | OverflowOp::UMul => return false,
    };
    within(result, all(width))
}

fn all(width: u16) -> Range {
    let half = 1i128 << (width - 1);
    (-half, half - 1)
}

fn within(inner: Range, outer: Range) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

fn meet(a: Range, b: Range) -> Range {
    (a.0.max(b.0), a.1.min(b.1))
}

fn sum(a: Range, b: Range) -> Range {
    (a.0 + b.0, a.1 + b.1)
}

/// Of numbers of up to 64 bits the product fits.
fn product(a: Range, b: Range) -> Range {
    let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    let least = corners.into_iter().min().unwrap_or(0);
    (least, corners.into_iter().max().unwrap_or(0))
}

/// The signed value of a term lies in this range wherever the facts hold.
fn range(terms: &Terms, facts: &[Term], t: Term, depth: u32) -> Range {
    let whole = all(terms.width(t));
    if let Some(k) = signed(terms, t) {
        return (k, k);
    }
    let mut out = known(terms, t);
    for &fact in facts {
        out = meet(out, told(terms, fact, t).unwrap_or(whole));
    }
    if depth > 0 {
        let below = |x: Term| range(terms, facts, x, depth - 1);
        let computed = match terms.op(t) {
            Op::Add(x, y) => sum(below(x), below(y)),
            Op::Mul(x, y) => product(below(x), below(y)),
            Op::Neg(x) => {
                let x = below(x);
                (-x.1, -x.0)
            }
            Op::Sext(x) => below(x),
            Op::Ite(_, x, y) => {
                let (x, y) = (below(x), below(y));
                (x.0.min(y.0), x.1.max(y.1))
            }
            _ => whole,
        };
        // What leaves the range of the width has wrapped around.
        if within(computed, whole) {
            out = meet(out, computed);
        }
    }
    // Facts that exclude one another: nothing gets here, and anything may be said.
    if out.0 > out.1 { whole } else { out }
}

/// By the bits that are the same under every assignment.
fn known(terms: &Terms, t: Term) -> Range {
    let width = terms.width(t);
    let bits = terms.known_bits(t);
    let (least, most) = (i128::from(bits.min()), i128::from(bits.max(width)));
    if most <= all(width).1 { (least, most) } else { all(width) }
}

fn signed(terms: &Terms, t: Term) -> Option<i128> {
    let width = terms.width(t);
    let value = i128::from(terms.as_u64(t)?);
    Some(if value > all(width).1 { value - (1i128 << width) } else { value })
}

/// What one fact says of a term.
fn told(terms: &Terms, fact: Term, t: Term) -> Option<Range> {
    let (test, holds) = match terms.op(fact) {
        Op::Not(inner) => (inner, false),
        _ => (fact, true),
    };
    let (least, most) = all(terms.width(t));
    match terms.op(test) {
        Op::Slt(a, b) if a == t => {
            let k = signed(terms, b)?;
            Some(if holds { (least, k - 1) } else { (k, most) })
        }
        Op::Slt(a, b) if b == t => {
            let k = signed(terms, a)?;
            Some(if holds { (k + 1, most) } else { (least, k) })
        }
        // Unsigned below something that has no sign bit.
        Op::Ult(a, b) if a == t && holds => signed(terms, b).filter(|k| *k > 0).map(|k| (0, k - 1)),
        Op::Eq(a, b) if a == t && holds => signed(terms, b).map(|k| (k, k)),
        Op::Extract { arg, hi, lo } if arg == t && hi == lo && hi + 1 == terms.width(t) => {
            Some(if holds { (least, -1) } else { (0, most) })
        }
        _ => None,
    }
}
