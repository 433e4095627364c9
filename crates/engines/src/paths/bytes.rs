//! Conditions on one byte, as the set of values for which they hold.
//!
//! Most conditions of programs that read text are about one byte of it, and most of those that can't hold contradict what the path has said of the same
//! byte: after `c == 'x'` every other comparison of `c` goes one way. So a condition in which nothing but one byte is open is a table of 256 bits, made
//! once for each shape of condition, and whether it can hold beside others on the same byte is their intersection.
//!
//! Direction: an empty intersection refutes (whatever the byte is made of, it has one of 256 values). What is in it is a guess, which is held against the
//! whole question: the byte may not be free. Absent: conditions on two bytes.

use crate::tuning::{BYTES_MAX_TERMS, BYTES_MAX_TRIED};
use blitz_base::Bv;
use blitz_term::subst::Substitution;
use blitz_term::{Assignment, Evaluator, Op, Sort, Term, Terms, Value};
use std::collections::{HashMap, HashSet};

/// Values of up to eight bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Values([u64; 4]);

impl Values {
    const NONE: Values = Values([0; 4]);

    fn add(&mut self, value: u8) {
        self.0[usize::from(value >> 6)] |= 1 << (value & 63);
    }

    fn has(self, value: u8) -> bool {
        self.0[usize::from(value >> 6)] >> (value & 63) & 1 == 1
    }

    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    pub fn and(self, other: Values) -> Values {
        let mut out = self;
        out.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= b);
        out
    }

    /// A few of them, those that can be typed first.
    pub fn some(self) -> impl Iterator<Item = u8> {
        let typed = b' '..=b'~';
        let others = (0..=u8::MAX).filter(|v| !(b' '..=b'~').contains(v));
        typed.chain(others).filter(move |v| self.has(*v)).take(BYTES_MAX_TRIED)
    }
}

/// What is known of conditions.
#[derive(Default)]
pub(super) struct Bytes {
    conditions: HashMap<Term, Option<(Term, Values)>>,
    /// By condition on a variable that stands for any byte.
    shapes: HashMap<Term, Values>,
}

impl Bytes {
    /// The byte that a condition is about, and the values for which it holds; none if it is about anything else.
    pub fn of(&mut self, terms: &mut Terms, condition: Term) -> Option<(Term, Values)> {
        if let Some(known) = self.conditions.get(&condition) {
            return *known;
        }
        let found = only_byte(terms, condition).map(|byte| (byte, self.table(terms, condition, byte)));
        self.conditions.insert(condition, found);
        found
    }

    fn table(&mut self, terms: &mut Terms, condition: Term, byte: Term) -> Values {
        let width = terms.width(byte);
        let any = terms.var(&format!("(any {width} bits)"), Sort::Bv(width));
        let mut to_any = Substitution::new();
        to_any.replace(terms, byte, any);
        let shape = to_any.apply(terms, condition);
        *self.shapes.entry(shape).or_insert_with(|| {
            let mut out = Values::NONE;
            for value in 0..1u64 << width {
                let mut assignment = Assignment::new();
                assignment.set(any, Value::Bv(Bv::from_u64(width, value)));
                if Evaluator::new(&assignment).holds(terms, shape) {
                    out.add(value as u8);
                }
            }
            out
        })
    }

    pub fn forget(&mut self) {
        *self = Self::default();
    }
}

/// The one term of at most eight bits on which a condition hangs: a variable, or an element of an array that is not constant.
fn only_byte(terms: &Terms, condition: Term) -> Option<Term> {
    let (mut open, mut seen, mut byte) = (vec![condition], HashSet::new(), None);
    while let Some(t) = open.pop() {
        if !seen.insert(t) {
            continue;
        }
        if seen.len() > BYTES_MAX_TERMS {
            return None;
        }
        let is_byte = match terms.op(t) {
            Op::Var(_) => true,
            Op::Select(array, _) => !is_constant(terms, array, &mut seen)?,
            _ => false,
        };
        if !is_byte {
            open.extend(terms.children(t));
        } else if matches!(terms.sort(t), Sort::Bv(1..=8)) && byte.is_none_or(|b| b == t) {
            byte = Some(t);
        } else {
            return None;
        }
    }
    byte
}

/// Whether an array has no variables; none if it is too large to tell.
fn is_constant(terms: &Terms, array: Term, seen: &mut HashSet<Term>) -> Option<bool> {
    let (mut open, mut below) = (vec![array], HashSet::new());
    while let Some(t) = open.pop() {
        if terms.is_var(t) {
            return Some(false);
        }
        if below.insert(t) {
            open.extend(terms.children(t));
        }
        if seen.len() + below.len() > BYTES_MAX_TERMS {
            return None;
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_contradicts_on_one_byte_is_refuted() {
        let mut terms = Terms::new();
        let text = terms.var("text", Sort::Array { index: 32, elem: 8 });
        let (third, fourth) = (terms.bv(32, 3), terms.bv(32, 4));
        let (c, other) = (terms.select(text, third), terms.select(text, fourth));
        let (zero, x) = (terms.bv(8, u64::from(b'0')), terms.bv(8, u64::from(b'x')));
        let digit = terms.sub(c, zero);
        let ten = terms.bv(8, 10);
        let is_digit = terms.ult(digit, ten);
        let is_x = terms.eq(c, x);
        let other_is_x = terms.eq(other, x);
        let mut bytes = Bytes::default();
        let (of_digit, digits) = bytes.of(&mut terms, is_digit).expect("one byte");
        let (of_x, xs) = bytes.of(&mut terms, is_x).expect("one byte");
        assert_eq!((of_digit, of_x), (c, c));
        assert!(digits.and(xs).is_empty() && !digits.is_empty());
        assert_eq!(digits.some().next(), Some(b'0'));
        let (of_other, same) = bytes.of(&mut terms, other_is_x).expect("one byte");
        assert_eq!((of_other, same), (other, xs));
        let equal = terms.eq(c, other);
        assert!(bytes.of(&mut terms, equal).is_none(), "two bytes");
        let length = terms.var("length", Sort::Bv(32));
        let long = terms.ult(third, length);
        assert!(bytes.of(&mut terms, long).is_none(), "no byte");
    }

    #[test]
    fn a_table_of_constants_is_no_byte() {
        let mut terms = Terms::new();
        let c = terms.var("c", Sort::Bv(8));
        let (no, yes) = (terms.bv(8, 0), terms.bv(8, 1));
        let mut table = terms.const_array(8, no);
        for letter in b'a'..=b'c' {
            let at = terms.bv(8, u64::from(letter));
            table = terms.store(table, at, yes);
        }
        let class = terms.select(table, c);
        let is_letter = terms.eq(class, yes);
        let (byte, values) = Bytes::default().of(&mut terms, is_letter).expect("one byte");
        assert_eq!((byte, values.some().collect::<Vec<_>>()), (c, b"abc".to_vec()));
    }
}
