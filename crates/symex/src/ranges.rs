//! How large numbers are, by what the conditions of a path say of them and by how they were computed.
//!
//! Why: whether `7 * y * y` overflows where `-4681 < y && y < 4681` is a question for two multipliers to a solver, and for a few comparisons to
//! anyone who looks at the path. The same ranges say which bytes of an object an access can touch (`confine.rs`).
//! Each conjunct of a guard adds what it says to the guard's [`Facts`]; ranges are carried through sums, products and extensions, some
//! levels deep. They are worth nothing where the path's condition does not hold; nothing is asked of them there.
//!
//! Absent: numbers of more than 64 bits, unsigned numbers that have the sign bit, relations between variables.

use blitz_ir::{CmpOp, OverflowOp};
use blitz_term::{Op, Term, Terms};
use imbl::{OrdMap, OrdSet};

/// Operations below a value that are looked at. Choices double the work with each level.
const DEPTH: u32 = 6;
/// Conjuncts of one condition that are taken apart.
const MAX_CONJUNCTS: usize = 32;
/// Operations through which a fact about a sum or an extension becomes one about what is inside it.
const MAX_INWARDS: u32 = 4;

/// Signed numbers from the first to the second.
pub(crate) type Range = (i128, i128);

/// What is known of terms on one path; cloning is cheap.
#[derive(Clone, Default)]
pub struct Facts {
    ranges: OrdMap<Term, Range>,
    /// Numbers that are not zero.
    nonzero: OrdSet<Term>,
    /// Conditions that hold, or don't.
    decided: OrdMap<Term, bool>,
}

impl Facts {
    /// These and what a condition says that holds as well.
    pub(crate) fn with(&self, terms: &Terms, condition: Term) -> Facts {
        let mut out = self.clone();
        let mut parts = vec![condition];
        for _ in 0..MAX_CONJUNCTS {
            let Some(part) = parts.pop() else { break };
            match terms.op(part) {
                Op::And(a, b) => {
                    out.learn_ranges(terms, part);
                    parts.extend([a, b]);
                }
                _ => out.learn(terms, part),
            }
        }
        out
    }

    /// What either says, where both hold.
    pub(crate) fn and(self, other: Facts) -> Facts {
        let ranges = other.ranges.union_with(self.ranges, meet);
        let nonzero = other.nonzero.union(self.nonzero);
        Facts { ranges, nonzero, decided: other.decided.union(self.decided) }
    }

    /// Whether a condition holds, if the path says so.
    pub(crate) fn holds(&self, terms: &Terms, test: Term) -> Option<bool> {
        if terms.is_const(test) {
            return Some(terms.is_true(test));
        }
        if let Some(&known) = self.decided.get(&test) {
            return Some(known);
        }
        match terms.op(test) {
            Op::Not(inner) => self.decided.get(&inner).map(|holds| !holds),
            _ => None,
        }
    }

    fn learn(&mut self, terms: &Terms, fact: Term) {
        match terms.op(fact) {
            Op::Not(inner) => {
                self.decided.insert(inner, false);
                // Of two that don't both hold, one is known to hold.
                if let Op::And(a, b) = terms.op(inner) {
                    for (one, other) in [(a, b), (b, a)] {
                        if self.holds(terms, one) == Some(true) {
                            self.learn_negated(terms, other);
                        }
                    }
                }
            }
            _ => {
                self.decided.insert(fact, true);
            }
        }
        self.learn_ranges(terms, fact);
        if let Some(t) = told_nonzero(terms, fact) {
            self.nonzero.insert(t);
        }
    }

    fn learn_ranges(&mut self, terms: &Terms, fact: Term) {
        for (t, range) in told(terms, fact).into_iter().flatten() {
            self.narrow(terms, t, range);
        }
    }

    fn learn_negated(&mut self, terms: &Terms, fact: Term) {
        match terms.op(fact) {
            Op::Not(inner) => self.decided.insert(inner, true),
            _ => self.decided.insert(fact, false),
        };
    }

    /// The term lies in the range; so does what it was made from, moved accordingly.
    fn narrow(&mut self, terms: &Terms, t: Term, range: Range) {
        let (mut t, mut range) = (t, range);
        for _ in 0..MAX_INWARDS {
            if terms.is_const(t) || terms.width(t) > 64 {
                return;
            }
            let old = self.ranges.get(&t).copied().unwrap_or(all(terms.width(t)));
            let new = meet(old, range);
            if new != old {
                self.ranges.insert(t, new);
            }
            match terms.op(t) {
                Op::Sext(inner) => t = inner,
                Op::Concat(zero, inner) if terms.is_zero(zero) => {
                    let most = all(terms.width(inner)).1;
                    if range.1 > most {
                        return;
                    }
                    (t, range) = (inner, (range.0.max(0), range.1));
                }
                Op::Add(inner, k) => {
                    let Some(k) = signed(terms, k) else { return };
                    let moved = (range.0 - k, range.1 - k);
                    if !within(moved, all(terms.width(inner))) {
                        return;
                    }
                    (t, range) = (inner, moved);
                }
                Op::Ite(..) => {
                    // `|x| <= k` says `-k <= x <= k`, unless x is the one number whose magnitude is negative.
                    let Some(x) = magnitude_of(terms, t) else { return };
                    let least = all(terms.width(x)).0;
                    if range.1 < 0 || self.range_at(terms, x, DEPTH).0 == least {
                        return;
                    }
                    (t, range) = (x, (-range.1, range.1));
                }
                _ => return,
            }
        }
    }

    /// The signed value of a term of at most 64 bits lies in this range wherever the facts hold.
    pub(crate) fn range(&self, terms: &Terms, t: Term) -> Range {
        self.range_at(terms, t, DEPTH)
    }

    fn range_at(&self, terms: &Terms, t: Term, depth: u32) -> Range {
        let whole = all(terms.width(t));
        if let Some(k) = signed(terms, t) {
            return (k, k);
        }
        let mut out = known(terms, t);
        if let Some(fact) = self.ranges.get(&t) {
            out = meet(out, *fact);
        }
        if depth > 0
            && let Some(computed) = self.computed(terms, t, depth - 1)
            && within(computed, whole)
        {
            // What leaves the range of the width has wrapped around.
            out = meet(out, computed);
        }
        if out.0 == 0 && self.nonzero.contains(&t) {
            out.0 = 1;
        }
        // Facts that exclude one another: nothing gets here, and anything may be said.
        if out.0 > out.1 { whole } else { out }
    }

    /// By the operation that makes it, as if nothing wrapped around.
    fn computed(&self, terms: &Terms, t: Term, depth: u32) -> Option<Range> {
        let below = |x: Term| self.range_at(terms, x, depth);
        Some(match terms.op(t) {
            Op::Add(x, y) => sum(below(x), below(y)),
            Op::Mul(x, y) => product(below(x), below(y)),
            Op::Neg(x) => {
                let x = below(x);
                (-x.1, -x.0)
            }
            Op::Sext(x) => below(x),
            Op::Ite(..) if magnitude_of(terms, t).is_some() => {
                let x = below(magnitude_of(terms, t)?);
                if x.0 == all(terms.width(t)).0 {
                    return None;
                }
                let most = x.1.max(-x.0);
                (if x.0 > 0 { x.0 } else { 0 }, most)
            }
            Op::Ite(c, x, y) => {
                let (x, y) = (chosen(terms, c, true, x, below(x)), chosen(terms, c, false, y, below(y)));
                (x.0.min(y.0), x.1.max(y.1))
            }
            Op::Concat(zero, x) if terms.is_zero(zero) => {
                let x = below(x);
                if x.0 < 0 {
                    return None;
                }
                x
            }
            Op::Concat(x, low) if terms.is_const(low) => {
                let (x, scale) = (below(x), 1i128 << terms.width(low));
                let low = i128::from(terms.as_u64(low)?);
                (x.0 * scale + low, x.1 * scale + low)
            }
            // Cutting off high bits changes nothing if the value fits.
            Op::Extract { arg, lo: 0, .. } if terms.width(arg) <= 64 => below(arg),
            Op::And(x, y) => {
                let (x, y) = (below(x), below(y));
                match (x.0 >= 0, y.0 >= 0) {
                    (true, true) => (0, x.1.min(y.1)),
                    (true, false) => (0, x.1),
                    (false, true) => (0, y.1),
                    (false, false) => return None,
                }
            }
            Op::Lshr(x, k) => {
                let (x, k) = (below(x), terms.as_u64(k)?);
                if x.0 < 0 || k >= 64 {
                    return None;
                }
                (x.0 >> k, x.1 >> k)
            }
            Op::Udiv(x, y) | Op::Sdiv(x, y) => {
                let (x, y) = (below(x), below(y));
                if x.0 < 0 || y.0 <= 0 {
                    return None;
                }
                (x.0 / y.1, x.1 / y.0)
            }
            Op::Urem(x, y) => match (below(x), below(y)) {
                (x, y) if y.0 > 0 && x.0 >= 0 => (0, x.1.min(y.1 - 1)),
                (_, y) if y.0 > 0 => (0, y.1 - 1),
                (x, _) if x.0 >= 0 => (0, x.1),
                _ => return None,
            },
            Op::Srem(x, k) => {
                let (x, k) = (below(x), signed(terms, k)?.abs());
                if k == 0 {
                    return None;
                }
                (if x.0 < 0 { 1 - k } else { 0 }, if x.1 > 0 { k - 1 } else { 0 })
            }
            _ => return None,
        })
    }

    /// Whether the operation stays in range wherever the facts hold, as far as the terms' shapes show it.
    pub(crate) fn stays_in_range(&self, terms: &Terms, op: OverflowOp, a: Term, b: Term) -> bool {
        let width = terms.width(a);
        if width > 64 || terms.is_const(a) && terms.is_const(b) {
            return false;
        }
        let (x, y) = (self.range(terms, a), self.range(terms, b));
        let result = match op {
            OverflowOp::SAdd => sum(x, y),
            OverflowOp::SSub => sum(x, (-y.1, -y.0)),
            OverflowOp::SMul => product(x, y),
            OverflowOp::UAdd | OverflowOp::USub | OverflowOp::UMul => return false,
        };
        within(result, all(width))
    }

    /// What a comparison of integers gives wherever the facts hold, if the terms' shapes show it.
    pub(crate) fn compare(&self, terms: &Terms, op: CmpOp, a: Term, b: Term) -> Option<bool> {
        if terms.width(a) > 64 || terms.width(a) < 2 {
            return None;
        }
        let (x, y) = (self.range(terms, a), self.range(terms, b));
        let same_sign = x.0 >= 0 && y.0 >= 0 || x.1 < 0 && y.1 < 0;
        match op {
            CmpOp::Eq if x.1 < y.0 || y.1 < x.0 => Some(false),
            CmpOp::Ne if x.1 < y.0 || y.1 < x.0 => Some(true),
            CmpOp::Slt => below(x, y),
            CmpOp::Sgt => below(y, x),
            CmpOp::Sle => below(y, x).map(|holds| !holds),
            CmpOp::Sge => below(x, y).map(|holds| !holds),
            CmpOp::Ult if same_sign => below(x, y),
            CmpOp::Ugt if same_sign => below(y, x),
            CmpOp::Ule if same_sign => below(y, x).map(|holds| !holds),
            CmpOp::Uge if same_sign => below(x, y).map(|holds| !holds),
            _ => None,
        }
    }
}

/// Whether all numbers of one range are below all of the other, or none is.
fn below(x: Range, y: Range) -> Option<bool> {
    match (x.1 < y.0, x.0 >= y.1) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

pub(crate) fn all(width: u16) -> Range {
    let half = 1i128 << (width - 1);
    (-half, half - 1)
}

pub(crate) fn within(inner: Range, outer: Range) -> bool {
    outer.0 <= inner.0 && inner.1 <= outer.1
}

fn meet(a: Range, b: Range) -> Range {
    (a.0.max(b.0), a.1.min(b.1))
}

fn sum(a: Range, b: Range) -> Range {
    (a.0 + b.0, a.1 + b.1)
}

/// Of numbers of up to 64 bits the product fits.
pub(crate) fn product(a: Range, b: Range) -> Range {
    let corners = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
    let least = corners.into_iter().min().unwrap_or(0);
    (least, corners.into_iter().max().unwrap_or(0))
}

/// By the bits that are the same under every assignment.
fn known(terms: &Terms, t: Term) -> Range {
    let width = terms.width(t);
    if width > 64 {
        return all(width.min(126));
    }
    let bits = terms.known_bits(t);
    let (least, most) = (i128::from(bits.min()), i128::from(bits.max(width)));
    if most <= all(width).1 { (least, most) } else { all(width) }
}

pub(crate) fn signed(terms: &Terms, t: Term) -> Option<i128> {
    let width = terms.width(t);
    if width > 64 {
        return None;
    }
    let value = i128::from(terms.as_u64(t)?);
    Some(if value > all(width).1 { value - (1i128 << width) } else { value })
}

/// The `x` of `x < 0 ? -x : x`, however it is written.
fn magnitude_of(terms: &Terms, t: Term) -> Option<Term> {
    let Op::Ite(cond, then, other) = terms.op(t) else { return None };
    let (least, most) = all(terms.width(t));
    let negated = |a: Term, b: Term| terms.op(a) == Op::Neg(b);
    let negative = negated(then, other);
    if !negative && !negated(other, then) {
        return None;
    }
    let x = if negative { other } else { then };
    let says = told(terms, cond).into_iter().flatten().find(|(about, _)| *about == x)?.1;
    let fits = match negative {
        true => says == (least, -1) || says == (least, 0),
        false => says == (0, most) || says == (1, most),
    };
    fits.then_some(x)
}

/// The number of which a fact says that it is not zero, without the zeros before it.
fn told_nonzero(terms: &Terms, fact: Term) -> Option<Term> {
    let Op::Not(test) = terms.op(fact) else { return None };
    let Op::Eq(a, b) = terms.op(test) else { return None };
    if terms.is_array(a) || !terms.is_zero(b) {
        return None;
    }
    match terms.op(a) {
        Op::Concat(zero, inner) if terms.is_zero(zero) => Some(inner),
        _ => Some(a),
    }
}

/// The range of a number that is chosen because a test holds, or does not: `n < 8 ? n : 7`.
fn chosen(terms: &Terms, test: Term, holds: bool, t: Term, range: Range) -> Range {
    let most = all(terms.width(unextended(terms, t))).1;
    let about = |(compared, says): (Term, Range)| {
        // A small number that is not negative is the same in all widths.
        let same = unextended(terms, compared) == unextended(terms, t) && says.0 >= 0 && says.1 <= most;
        same.then_some(says)
    };
    told_if(terms, test, holds).into_iter().flatten().filter_map(about).fold(range, meet)
}

/// What a number was extended from.
fn unextended(terms: &Terms, mut t: Term) -> Term {
    loop {
        t = match terms.op(t) {
            Op::Sext(inner) => inner,
            Op::Concat(zero, inner) if terms.is_zero(zero) => inner,
            _ => return t,
        };
    }
}

/// What one fact says of the terms it compares.
fn told(terms: &Terms, fact: Term) -> [Option<(Term, Range)>; 2] {
    told_if(terms, fact, true)
}

/// What a test says of the terms it compares, if it holds or if it does not.
fn told_if(terms: &Terms, fact: Term, holds: bool) -> [Option<(Term, Range)>; 2] {
    let (test, holds) = match terms.op(fact) {
        Op::Not(inner) => (inner, !holds),
        _ => (fact, holds),
    };
    let (test, holds) = match (terms.op(test), terms.compared(test)) {
        (op @ (Op::Slt(..) | Op::Ult(..)), _) => (op, holds),
        (_, Some((comparison, same))) => (comparison, holds == same),
        (op, None) => (op, holds),
    };
    match test {
        Op::Slt(a, b) if terms.width(a) <= 64 => {
            let (least, most) = all(terms.width(a));
            let of_a = signed(terms, b).map(|k| (a, if holds { (least, k - 1) } else { (k, most) }));
            let of_b = signed(terms, a).map(|k| (b, if holds { (k + 1, most) } else { (least, k) }));
            [of_a, of_b]
        }
        // Unsigned below something that has no sign bit.
        Op::Ult(a, b) if holds => [signed(terms, b).filter(|k| *k > 0).map(|k| (a, (0, k - 1))), None],
        Op::Ult(a, b) => [None, signed(terms, a).filter(|k| *k >= 0).map(|k| (b, (0, k)))],
        Op::Eq(a, b) if holds && !terms.is_array(a) => [signed(terms, b).map(|k| (a, (k, k))), None],
        // Not the smallest or the largest number.
        Op::Eq(a, b) if !terms.is_array(a) && terms.width(a) <= 64 => {
            let (least, most) = all(terms.width(a));
            let without = |k: i128| match k {
                _ if k == least => Some((least + 1, most)),
                _ if k == most => Some((least, most - 1)),
                _ => None,
            };
            [signed(terms, b).and_then(without).map(|range| (a, range)), None]
        }
        Op::Extract { arg, hi, lo } if hi == lo && hi + 1 == terms.width(arg) && hi < 64 => {
            let (least, most) = all(terms.width(arg));
            [Some((arg, if holds { (least, -1) } else { (0, most) })), None]
        }
        _ => [None, None],
    }
}
