//! A guess before the solver: change one variable, or one byte of an array, so that a condition that does not hold comes true.
//!
//! Most forks of real programs compare a byte of the input with a constant. Going from the condition down to the variable and turning each operation around
//! gives the byte; everything on the side keeps its value. It is a guess: whoever asks holds it against the whole question.
//!
//! Direction: neither. What is not found says nothing.
//! A byte behind the end of a text needs the text to be longer as well: then the length is changed first.
//!
//! Absent: products, shifts by variables, two variables at once otherwise.

use crate::tuning::{STEER_MAX_LONGER, STEER_MAX_STEPS};
use blitz_base::Bv;
use blitz_term::{Assignment, Evaluator, Op, Sort, Term, Terms, Value};

/// The base with one value changed such that `condition` may hold; or two, the other being the length of a text that has to go on.
pub(super) fn steer(terms: &Terms, base: &Assignment, condition: Term) -> Option<Assignment> {
    steer_term(terms, base, condition, Bv::bool(true))
}

/// The same for any term and what it is to be.
pub(super) fn steer_term(terms: &Terms, base: &Assignment, term: Term, want: Bv) -> Option<Assignment> {
    let (mut base, mut longer) = (base.clone(), 0);
    loop {
        match steer_to(terms, &base, (term, want.clone())) {
            Steered::To(found) => return Some(found),
            Steered::Nowhere => return None,
            // The text ends where it should go on.
            Steered::Ends(len, more) if longer < STEER_MAX_LONGER => {
                let Steered::To(found) = steer_to(terms, &base, (len, more)) else { return None };
                (base, longer) = (found, longer + 1);
            }
            Steered::Ends(..) => return None,
        }
    }
}

enum Steered {
    To(Assignment),
    /// First this term, the length of a text or what chooses between two values, has to be that.
    Ends(Term, Bv),
    Nowhere,
}

/// The base with one value changed such that a term may be what is wanted.
fn steer_to(terms: &Terms, base: &Assignment, (mut at, mut want): (Term, Bv)) -> Steered {
    let mut side = Evaluator::new(base);
    for _ in 0..STEER_MAX_STEPS {
        if let Op::Var(_) = terms.op(at) {
            let mut out = base.clone();
            out.set(at, Value::Bv(want));
            return Steered::To(out);
        }
        if let Op::Select(array, index) = terms.op(at) {
            let index = side.eval(terms, index).bv().clone();
            match source(terms, &mut side, array, index) {
                Some(Source::Byte(array, index)) => {
                    let mut out = base.clone();
                    let Value::Array(old) = side.eval(terms, array) else { return Steered::Nowhere };
                    out.set(array, Value::Array(old.with(index, want)));
                    return Steered::To(out);
                }
                Some(Source::Value(value, end)) => match end {
                    Some((len, more)) if terms.is_const(value) => return Steered::Ends(len, more),
                    Some(_) | None => at = value,
                },
                None => return Steered::Nowhere,
            }
            continue;
        }
        if let Some(first) = turned(terms, &mut side, at, &want) {
            return first;
        }
        match back(terms, &mut side, at, want) {
            Some(next) => (at, want) = next,
            None => return Steered::Nowhere,
        }
    }
    Steered::Nowhere
}

/// A choice whose side that is taken never is what is wanted: the other one has to be taken first, whatever it is there.
fn turned(terms: &Terms, side: &mut Evaluator<'_>, at: Term, want: &Bv) -> Option<Steered> {
    let Op::Ite(c, a, b) = terms.op(at) else { return None };
    let holds = side.eval(terms, c).bv().is_one();
    let (taken, other) = if holds { (a, b) } else { (b, a) };
    let stuck = terms.as_const(taken).is_some_and(|v| v != *want) && side.eval(terms, other).bv() != want;
    stuck.then(|| Steered::Ends(c, Bv::bool(!holds)))
}

/// Where an element of an array comes from.
enum Source {
    Byte(Term, Bv),
    /// A value, and the length that would have to be another for it to come from elsewhere.
    Value(Term, Option<(Term, Bv)>),
}

fn source(terms: &Terms, side: &mut Evaluator<'_>, mut array: Term, mut index: Bv) -> Option<Source> {
    let mut value = |t: Term| side.eval(terms, t).bv().clone();
    let mut end = None;
    for _ in 0..STEER_MAX_STEPS {
        array = match terms.op(array) {
            Op::Var(_) => return Some(Source::Byte(array, index)),
            Op::ConstArray(all) => return Some(Source::Value(all, end)),
            Op::Store(_, at, new) if value(at) == index => {
                // A text's last byte: it goes on if that is further away.
                let further = (!terms.is_const(at)).then(|| (at, index.add(&Bv::one(index.width()))));
                return Some(Source::Value(new, end.or(further)));
            }
            Op::Store(rest, _, _) => rest,
            Op::Ite(c, a, b) => {
                if value(c).is_one() {
                    a
                } else {
                    b
                }
            }
            Op::Copy { dst, dst_off, src, src_off, len } => {
                let into = index.sub(&value(dst_off));
                if into.ult(&value(len)) {
                    index = value(src_off).add(&into);
                    src
                } else {
                    let further = || (len, into.add(&Bv::one(into.width())).resize(terms.width(len)));
                    end = end.or_else(|| (!terms.is_const(len)).then(further));
                    dst
                }
            }
            Op::Fill { array: rest, off, value: byte, len } => {
                if index.sub(&value(off)).ult(&value(len)) {
                    return Some(Source::Value(byte, end));
                }
                rest
            }
            Op::Const | Op::Not(_) | Op::And(..) | Op::Xor(..) | Op::Neg(_) | Op::Add(..) | Op::Mul(..) => return None,
            Op::Udiv(..) | Op::Urem(..) | Op::Sdiv(..) | Op::Srem(..) | Op::Shl(..) | Op::Lshr(..) => return None,
            Op::Ashr(..) | Op::Eq(..) | Op::Ult(..) | Op::Slt(..) | Op::Concat(..) | Op::Extract { .. } => return None,
            Op::Sext(_) | Op::Select(..) | Op::Scan { .. } | Op::Mismatch { .. } => return None,
        };
    }
    None
}

/// The operand that has to change, and what it has to be, so that `t` is `want`.
fn back(terms: &Terms, side: &mut Evaluator<'_>, t: Term, want: Bv) -> Option<(Term, Bv)> {
    let mut value = |t: Term| side.eval(terms, t).bv().clone();
    // The side without a constant changes.
    let order = |a: Term, b: Term| if terms.is_const(b) { (b, a) } else { (a, b) };
    match terms.op(t) {
        Op::Not(a) => Some((a, want.not())),
        Op::Neg(a) => Some((a, want.neg())),
        Op::Add(a, b) => {
            let (kept, changed) = order(a, b);
            Some((changed, want.sub(&value(kept))))
        }
        Op::Xor(a, b) => {
            let (kept, changed) = order(a, b);
            Some((changed, want.xor(&value(kept))))
        }
        Op::And(a, b) if want.is_ones() => {
            // The operand that is in the way; the other holds, or it is no use.
            let changed = if value(a).is_ones() { b } else { a };
            Some((changed, want))
        }
        Op::And(a, b) => {
            let (kept, changed) = order(a, b);
            let (mask, old) = (value(kept), value(changed));
            let fits = want.and(&mask.not()).is_zero();
            fits.then(|| (changed, old.and(&mask.not()).or(&want)))
        }
        Op::Eq(a, _) if matches!(terms.sort(a), Sort::Array { .. }) => None,
        Op::Eq(a, b) => {
            let (kept, changed) = order(a, b);
            let same = value(kept);
            let one = Bv::one(same.width());
            Some((changed, if want.is_one() { same } else { same.add(&one) }))
        }
        Op::Ult(a, b) => Some(less(terms, (a, b), (value(a), value(b)), want.is_one())),
        Op::Slt(a, b) => Some(less(terms, (a, b), (value(a), value(b)), want.is_one())),
        Op::Ite(c, a, b) => {
            let holds = value(c).is_one();
            let (taken, other) = if holds { (a, b) } else { (b, a) };
            if value(other) == want {
                return Some((c, Bv::bool(!holds)));
            }
            Some((taken, want))
        }
        Op::Concat(high, low) => {
            let bits = value(low).width();
            let (up, down) = (want.extract(want.width() - 1, bits), want.extract(bits - 1, 0));
            if value(high) == up { Some((low, down)) } else { (value(low) == down).then_some((high, up)) }
        }
        Op::Extract { arg, hi, lo } => {
            let old = value(arg);
            let new = |i: u16| if (lo..=hi).contains(&i) { want.bit(i - lo) } else { old.bit(i) };
            Some((arg, Bv::from_bits(old.width(), new)))
        }
        Op::Sext(a) => {
            let narrow = want.resize(value(a).width());
            (narrow.sext(want.width()) == want).then_some((a, narrow))
        }
        Op::Const | Op::Var(_) | Op::Select(..) | Op::Mul(..) | Op::Udiv(..) | Op::Urem(..) | Op::Sdiv(..) => None,
        Op::Srem(..) | Op::Shl(..) | Op::Lshr(..) | Op::Ashr(..) | Op::ConstArray(_) | Op::Store(..) => None,
        Op::Copy { .. } | Op::Fill { .. } | Op::Scan { .. } | Op::Mismatch { .. } => None,
    }
}

/// `a < b`, or not: next to the side that stays.
fn less(terms: &Terms, (a, b): (Term, Term), (x, y): (Bv, Bv), holds: bool) -> (Term, Bv) {
    let one = Bv::one(x.width());
    match (terms.is_const(b), holds) {
        (true, true) => (a, y.sub(&one)),
        (true, false) => (a, y),
        (false, true) => (b, x.add(&one)),
        (false, false) => (b, x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steered(terms: &Terms, base: &Assignment, condition: Term) -> bool {
        steer(terms, base, condition).is_some_and(|found| Evaluator::new(&found).holds(terms, condition))
    }

    #[test]
    fn a_byte_behind_operations_gets_its_value() {
        let mut terms = Terms::new();
        let bytes = terms.var("input", Sort::Array { index: 32, elem: 8 });
        let (place, seven) = (terms.bv(32, 3), terms.bv(8, 7));
        let byte = terms.select(bytes, place);
        let moved = terms.add(byte, seven);
        let wide = terms.zext(moved, 32);
        let wanted = terms.bv(32, u64::from(b'x'));
        let same = terms.eq(wide, wanted);
        let base = Assignment::new();
        assert!(steered(&terms, &base, same));
        let found = steer(&terms, &base, same).expect("a byte");
        let Some(Value::Array(array)) = found.get(bytes) else { panic!("the array should have a value") };
        assert_eq!(array.get(&Bv::from_u64(32, 3)).to_u64(), Some(u64::from(b'x') - 7));
    }

    #[test]
    fn comparisons_and_negations_are_turned_around() {
        let mut terms = Terms::new();
        let (x, y) = (terms.var("x", Sort::Bv(8)), terms.var("y", Sort::Bv(8)));
        let base = Assignment::new();
        let ten = terms.bv(8, 10);
        let less = terms.ult(ten, x);
        assert!(steered(&terms, &base, less));
        let other = terms.ne(x, y);
        assert!(steered(&terms, &base, other));
        let wide = terms.bv(16, 0x1_00);
        let far = terms.zext(x, 16);
        let never = terms.eq(far, wide);
        assert!(!steered(&terms, &base, never), "no byte is 256");
    }
}
