//! The value of terms under an assignment.
//!
//! Why: every model is held against the original terms before it is used, and the simplifier's tests hold each rule against this.
//! So evaluation shares no code with the builders. It is iterative and remembers every value, for many terms of one assignment.
//! Invariant: total. A variable without a value is zero, an array without a value holds zero everywhere.

mod array;

pub use array::ArrayValue;

use crate::hash::FastHash;
use crate::node::{Op, Term};
use crate::sort::Sort;
use crate::terms::{Children, Terms};
use blitz_base::Bv;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// The value of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Bv(Bv),
    Array(ArrayValue),
}

impl Value {
    /// The bit-vector; an array is a caller's defect.
    pub fn bv(&self) -> &Bv {
        match self {
            Value::Bv(value) => value,
            Value::Array(_) => panic!("a bit-vector value should be here, not an array"),
        }
    }

    /// The array; a bit-vector is a caller's defect.
    pub fn array(&self) -> &ArrayValue {
        match self {
            Value::Array(value) => value,
            Value::Bv(_) => panic!("an array value should be here, not a bit-vector"),
        }
    }

    /// Whether this is the single bit one.
    pub fn is_true(&self) -> bool {
        matches!(self, Value::Bv(value) if value.width() == 1 && value.is_one())
    }

    /// Zero of this sort.
    pub fn zero(sort: Sort) -> Self {
        match sort {
            Sort::Bv(width) => Value::Bv(Bv::zero(width)),
            Sort::Array { index, elem } => Value::Array(ArrayValue::new(index, Bv::zero(elem))),
        }
    }
}

/// Values of variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    values: BTreeMap<Term, Value>,
}

impl Assignment {
    /// No values: everything is zero.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives a variable its value.
    pub fn set(&mut self, var: Term, value: Value) {
        self.values.insert(var, value);
    }

    /// Gives a bit-vector variable its value.
    pub fn set_bv(&mut self, var: Term, value: Bv) {
        self.set(var, Value::Bv(value));
    }

    /// The value of a variable, if it has one.
    pub fn get(&self, var: Term) -> Option<&Value> {
        self.values.get(&var)
    }

    /// All values, by id of the variable.
    pub fn iter(&self) -> impl Iterator<Item = (Term, &Value)> {
        self.values.iter().map(|(&t, v)| (t, v))
    }
}

/// The value of one term.
pub fn eval(terms: &Terms, assignment: &Assignment, t: Term) -> Value {
    Evaluator::new(assignment).eval(terms, t)
}

/// Evaluates many terms under one assignment, each subterm once.
pub struct Evaluator<'a> {
    assignment: Cow<'a, Assignment>,
    values: HashMap<Term, Value, FastHash>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for this assignment.
    pub fn new(assignment: &'a Assignment) -> Self {
        Self { assignment: Cow::Borrowed(assignment), values: HashMap::default() }
    }

    /// An evaluator that keeps the assignment.
    pub fn owned(assignment: Assignment) -> Evaluator<'static> {
        Evaluator { assignment: Cow::Owned(assignment), values: HashMap::default() }
    }

    /// The assignment.
    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    /// Gives one more variable its value; none that was evaluated before.
    pub fn set(&mut self, var: Term, value: Value) {
        assert!(!self.values.contains_key(&var), "a variable should get its value before it is evaluated");
        self.assignment.to_mut().set(var, value);
    }

    /// The value of a term.
    pub fn eval(&mut self, terms: &Terms, t: Term) -> Value {
        let mut open = vec![t];
        while let Some(&t) = open.last() {
            if self.values.contains_key(&t) {
                open.pop();
                continue;
            }
            let before = open.len();
            let missing = self.needed(terms, t);
            open.extend(missing);
            if open.len() == before {
                let value = self.compute(terms, t);
                self.values.insert(t, value);
                open.pop();
            }
        }
        self.get(t).clone()
    }

    /// Whether a term is the single bit one.
    pub fn holds(&mut self, terms: &Terms, t: Term) -> bool {
        self.eval(terms, t).is_true()
    }

    /// Children without a value yet; of a choice only the condition and the branch taken.
    fn needed(&self, terms: &Terms, t: Term) -> Children {
        let open = |t: &Term| !self.values.contains_key(t);
        if let Op::Ite(c, x, y) = terms.op(t) {
            return match self.values.get(&c) {
                None => Children::from_slice(&[c]),
                Some(value) => {
                    let taken = if value.is_true() { x } else { y };
                    [taken].into_iter().filter(open).collect()
                }
            };
        }
        terms.children(t).into_iter().filter(open).collect()
    }

    fn get(&self, t: Term) -> &Value {
        self.values.get(&t).expect("children should be evaluated first")
    }

    fn bv(&self, t: Term) -> &Bv {
        self.get(t).bv()
    }

    fn array(&self, t: Term) -> &ArrayValue {
        self.get(t).array()
    }

    fn compute(&self, terms: &Terms, t: Term) -> Value {
        match terms.sort(t) {
            Sort::Array { .. } => self.compute_array(terms, t),
            Sort::Bv(width) => Value::Bv(self.compute_bv(terms, t, width)),
        }
    }

    fn compute_bv(&self, terms: &Terms, t: Term, width: u16) -> Bv {
        match terms.op(t) {
            Op::Const => terms.as_const(t).expect("a constant should have a value"),
            Op::Var(_) => match self.assignment.get(t) {
                Some(value) => value.bv().clone(),
                None => Bv::zero(width),
            },
            Op::Not(x) => self.bv(x).not(),
            Op::And(x, y) => self.bv(x).and(self.bv(y)),
            Op::Xor(x, y) => self.bv(x).xor(self.bv(y)),
            Op::Neg(x) => self.bv(x).neg(),
            Op::Add(x, y) => self.bv(x).add(self.bv(y)),
            Op::Mul(x, y) => self.bv(x).mul(self.bv(y)),
            Op::Udiv(x, y) => self.bv(x).udiv(self.bv(y)),
            Op::Urem(x, y) => self.bv(x).urem(self.bv(y)),
            Op::Sdiv(x, y) => self.bv(x).sdiv(self.bv(y)),
            Op::Srem(x, y) => self.bv(x).srem(self.bv(y)),
            Op::Shl(x, y) => self.bv(x).shl(self.bv(y)),
            Op::Lshr(x, y) => self.bv(x).lshr(self.bv(y)),
            Op::Ashr(x, y) => self.bv(x).ashr(self.bv(y)),
            Op::Eq(x, y) => Bv::bool(self.equal(x, y)),
            Op::Ult(x, y) => Bv::bool(self.bv(x).ult(self.bv(y))),
            Op::Slt(x, y) => Bv::bool(self.bv(x).slt(self.bv(y))),
            Op::Ite(c, x, y) => self.bv(self.taken(c, x, y)).clone(),
            Op::Concat(x, y) => self.bv(x).concat(self.bv(y)),
            Op::Extract { arg, hi, lo } => self.bv(arg).extract(hi, lo),
            Op::Sext(x) => self.bv(x).sext(width),
            Op::Select(a, i) => self.array(a).get(self.bv(i)),
            Op::Scan { array, off, value, limit } => {
                self.array(array).scan(self.bv(off), self.bv(value), self.bv(limit))
            }
            Op::Mismatch { a, a_off, b, b_off, limit } => {
                self.array(a).mismatch(self.bv(a_off), (self.array(b), self.bv(b_off)), self.bv(limit))
            }
            Op::ConstArray(_) | Op::Store(..) | Op::Copy { .. } | Op::Fill { .. } => {
                unreachable!("an array operator should not have a bit-vector sort")
            }
        }
    }

    fn taken(&self, c: Term, x: Term, y: Term) -> Term {
        if self.get(c).is_true() { x } else { y }
    }

    fn equal(&self, x: Term, y: Term) -> bool {
        match (self.get(x), self.get(y)) {
            (Value::Bv(a), Value::Bv(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => a.same(b),
            (Value::Bv(_), Value::Array(_)) | (Value::Array(_), Value::Bv(_)) => false,
        }
    }

    fn compute_array(&self, terms: &Terms, t: Term) -> Value {
        let (index, _) = terms.array_widths(t);
        Value::Array(match terms.op(t) {
            Op::Var(_) => match self.assignment.get(t) {
                Some(value) => value.array().clone(),
                None => return Value::zero(terms.sort(t)),
            },
            Op::ConstArray(v) => ArrayValue::new(index, self.bv(v).clone()),
            Op::Store(a, i, v) => self.array(a).with(self.bv(i).clone(), self.bv(v).clone()),
            Op::Ite(c, x, y) => self.array(self.taken(c, x, y)).clone(),
            Op::Copy { dst, dst_off, src, src_off, len } => {
                self.array(dst).copied(self.bv(dst_off), (self.array(src), self.bv(src_off)), self.bv(len))
            }
            Op::Fill { array, off, value, len } => self.array(array).filled(self.bv(off), self.bv(value), self.bv(len)),
            other => unreachable!("{other:?} should not have an array sort"),
        })
    }
}
