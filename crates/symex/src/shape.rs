//! Cheap facts about terms that decide how memory is encoded: alignment, range, possible constants.
//!
//! All are approximations on the safe side: fewer trailing zeros, more significant bits, or no answer.

use blitz_term::{Op, Term, Terms};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// How deep a term is looked into.
const DEPTH: u32 = 12;

/// At least this many low bits are zero.
pub fn trailing_zeros(terms: &Terms, t: Term) -> u16 {
    zeros(terms, t, DEPTH)
}

fn zeros(terms: &Terms, t: Term, fuel: u32) -> u16 {
    let width = terms.width(t);
    if let Some(c) = terms.as_u64(t) {
        return if c == 0 { width } else { c.trailing_zeros() as u16 };
    }
    if fuel == 0 {
        return 0;
    }
    let fuel = fuel - 1;
    match terms.op(t) {
        Op::Add(a, b) => zeros(terms, a, fuel).min(zeros(terms, b, fuel)),
        Op::Mul(a, b) => (zeros(terms, a, fuel) + zeros(terms, b, fuel)).min(width),
        Op::And(a, b) => zeros(terms, a, fuel).max(zeros(terms, b, fuel)),
        Op::Neg(a) => zeros(terms, a, fuel),
        Op::Shl(a, b) => match terms.as_u64(b) {
            Some(k) => (zeros(terms, a, fuel) + k.min(u64::from(width)) as u16).min(width),
            None => zeros(terms, a, fuel),
        },
        Op::Ite(_, a, b) => zeros(terms, a, fuel).min(zeros(terms, b, fuel)),
        Op::Concat(hi, lo) => {
            let low = zeros(terms, lo, fuel);
            if low == terms.width(lo) { low + zeros(terms, hi, fuel) } else { low }
        }
        Op::Extract { arg, hi: _, lo: 0 } => zeros(terms, arg, fuel).min(width),
        Op::Sext(a) => zeros(terms, a, fuel),
        _ => 0,
    }
}

/// The value fits into a signed number of this many bits.
pub fn signed_bits(terms: &Terms, t: Term) -> u16 {
    signed(terms, t, DEPTH)
}

fn signed(terms: &Terms, t: Term, fuel: u32) -> u16 {
    let width = terms.width(t);
    if let Some(c) = terms.as_const(t) {
        let negative = c.bit(width - 1);
        let mut n = width;
        while n > 1 && c.bit(n - 2) == negative {
            n -= 1;
        }
        return n;
    }
    if fuel == 0 {
        return width;
    }
    let fuel = fuel - 1;
    let bits = match terms.op(t) {
        Op::Add(a, b) => signed(terms, a, fuel).max(signed(terms, b, fuel)) + 1,
        Op::Mul(a, b) => signed(terms, a, fuel) + signed(terms, b, fuel),
        Op::Neg(a) => signed(terms, a, fuel) + 1,
        Op::Shl(a, b) => match terms.as_u64(b) {
            Some(k) if k < u64::from(width) => signed(terms, a, fuel) + k as u16,
            _ => width,
        },
        Op::Ite(_, a, b) => signed(terms, a, fuel).max(signed(terms, b, fuel)),
        Op::Sext(a) => signed(terms, a, fuel),
        Op::Concat(hi, lo) => {
            if terms.is_zero(hi) {
                unsigned(terms, lo, fuel) + 1
            } else {
                signed(terms, hi, fuel) + terms.width(lo)
            }
        }
        Op::And(a, b) => unsigned(terms, a, fuel).min(unsigned(terms, b, fuel)) + 1,
        Op::Extract { arg, lo: 0, .. } => signed(terms, arg, fuel),
        Op::Lshr(..) | Op::Urem(..) => unsigned(terms, t, fuel) + 1,
        _ => width,
    };
    bits.min(width)
}

/// The value fits into an unsigned number of this many bits.
pub fn unsigned_bits(terms: &Terms, t: Term) -> u16 {
    unsigned(terms, t, DEPTH)
}

fn unsigned(terms: &Terms, t: Term, fuel: u32) -> u16 {
    let width = terms.width(t);
    if let Some(c) = terms.as_const(t) {
        let mut n = width;
        while n > 0 && !c.bit(n - 1) {
            n -= 1;
        }
        return n;
    }
    if fuel == 0 {
        return width;
    }
    let fuel = fuel - 1;
    let bits = match terms.op(t) {
        Op::Add(a, b) => unsigned(terms, a, fuel).max(unsigned(terms, b, fuel)) + 1,
        Op::Mul(a, b) => unsigned(terms, a, fuel) + unsigned(terms, b, fuel),
        Op::Concat(hi, lo) => {
            if terms.is_zero(hi) {
                unsigned(terms, lo, fuel)
            } else {
                unsigned(terms, hi, fuel) + terms.width(lo)
            }
        }
        Op::And(a, b) => unsigned(terms, a, fuel).min(unsigned(terms, b, fuel)),
        Op::Ite(_, a, b) => unsigned(terms, a, fuel).max(unsigned(terms, b, fuel)),
        Op::Shl(a, b) => match terms.as_u64(b) {
            Some(k) if k < u64::from(width) => unsigned(terms, a, fuel) + k as u16,
            _ => width,
        },
        Op::Lshr(a, b) => match terms.as_u64(b) {
            Some(k) if k < u64::from(width) => unsigned(terms, a, fuel).saturating_sub(k as u16),
            _ => unsigned(terms, a, fuel),
        },
        Op::Urem(_, b) => unsigned(terms, b, fuel),
        Op::Extract { arg, lo: 0, .. } => unsigned(terms, arg, fuel),
        _ => width,
    };
    bits.min(width)
}

/// The constants a term of at most 64 bits can be, if they are few and the term shows them.
#[derive(Clone)]
pub struct Candidates {
    memo: HashMap<Term, Option<BTreeSet<u64>>>,
    /// What the arrays looked into may hold somewhere. A program writes one array many times and each write makes a term: without this every
    /// question walks down the whole history.
    held: HashMap<Term, Held>,
    /// Parts whose values do not show count as none: for questions where inputs can't be meant.
    skip_unknown: bool,
}

/// The values an array may hold somewhere; `None` if it has an unknown part, or too many.
type Held = Option<Rc<[Term]>>;

/// More candidates than this count as "anything".
const MAX_CANDIDATES: usize = 600;

impl Default for Candidates {
    fn default() -> Self {
        Self::new()
    }
}

impl Candidates {
    pub fn new() -> Self {
        Self { memo: HashMap::new(), held: HashMap::new(), skip_unknown: false }
    }

    /// The constants that show only, whatever else the term may be.
    pub fn named() -> Self {
        Self { memo: HashMap::new(), held: HashMap::new(), skip_unknown: true }
    }

    /// All values `t` can have, or `None` if it does not show them.
    pub fn of(&mut self, terms: &mut Terms, t: Term) -> Option<BTreeSet<u64>> {
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.memo.contains_key(&top) {
                stack.pop();
                continue;
            }
            let needs = self.needs(terms, top);
            let missing: Vec<Term> = needs.into_iter().filter(|n| !self.memo.contains_key(n)).collect();
            if missing.is_empty() {
                let set = self.combine(terms, top);
                let set = if self.skip_unknown { Some(set.unwrap_or_default()) } else { set };
                self.memo.insert(top, set);
                stack.pop();
            } else {
                stack.extend(missing);
            }
        }
        self.memo[&t].clone()
    }

    fn needs(&mut self, terms: &mut Terms, t: Term) -> Vec<Term> {
        match terms.op(t) {
            Op::Ite(_, a, b) => vec![a, b],
            Op::Concat(a, b) => vec![a, b],
            Op::Extract { arg, hi, lo } => match terms.op(arg) {
                Op::Ite(_, a, b) => vec![terms.extract(a, hi, lo), terms.extract(b, hi, lo)],
                Op::Select(array, _) => {
                    let values = self.array_values(terms, array);
                    values.iter().flat_map(|all| all.iter()).map(|v| terms.extract(*v, hi, lo)).collect()
                }
                _ => Vec::new(),
            },
            Op::Select(array, _) => self.array_values(terms, array).map(|all| all.to_vec()).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    fn combine(&mut self, terms: &mut Terms, t: Term) -> Option<BTreeSet<u64>> {
        if let Some(c) = terms.as_u64(t) {
            return Some(BTreeSet::from([c]));
        }
        if terms.width(t) > 64 {
            return None;
        }
        match terms.op(t) {
            Op::Ite(_, a, b) => self.union(&[a, b]),
            Op::Concat(a, b) => self.product(terms, a, b),
            Op::Extract { arg, .. } => match terms.op(arg) {
                Op::Ite(..) => {
                    let needs = self.needs(terms, t);
                    self.union(&needs)
                }
                Op::Select(array, _) => {
                    self.array_values(terms, array)?;
                    let needs = self.needs(terms, t);
                    self.union(&needs)
                }
                Op::Add(..) => high_part_of_sum(terms, t),
                _ => None,
            },
            Op::Select(array, _) => {
                let values = self.array_values(terms, array)?;
                self.union(&values)
            }
            _ => None,
        }
    }

    fn array_values(&mut self, terms: &Terms, array: Term) -> Held {
        if let Some(known) = self.held.get(&array) {
            return known.clone();
        }
        let values = array_values(terms, array, self.skip_unknown, &self.held).map(Rc::from);
        self.held.insert(array, values.clone());
        values
    }

    fn union(&self, parts: &[Term]) -> Option<BTreeSet<u64>> {
        let mut out = BTreeSet::new();
        for p in parts {
            out.extend(self.memo.get(p)?.as_ref()?);
            if out.len() > MAX_CANDIDATES {
                return None;
            }
        }
        Some(out)
    }

    fn product(&self, terms: &Terms, hi: Term, lo: Term) -> Option<BTreeSet<u64>> {
        let (high, low) = (self.memo[&hi].as_ref()?, self.memo[&lo].as_ref()?);
        if high.len() * low.len() > MAX_CANDIDATES {
            return None;
        }
        let shift = terms.width(lo);
        Some(high.iter().flat_map(|h| low.iter().map(move |l| h << shift | l)).collect())
    }
}

/// The upper bits of a constant and something small: those of the constant, or, where that lies near a border, their neighbours.
fn high_part_of_sum(terms: &Terms, t: Term) -> Option<BTreeSet<u64>> {
    let Op::Extract { arg, hi, lo } = terms.op(t) else { return None };
    let Op::Add(small, k) = terms.op(arg) else { return None };
    let (width, k) = (terms.width(arg), terms.as_u64(k)?);
    let bits = signed_bits(terms, small);
    if width > 64 || hi + 1 != width || bits > lo {
        return None;
    }
    let reach = 1i128 << (bits - 1);
    let value = |x: i128| ((i128::from(k) + x) >> lo) as u64 & (u64::MAX >> (64 - (width - lo)));
    Some(BTreeSet::from([value(-reach), value(0), value(reach - 1)]))
}

/// Every value an array term may hold somewhere, in the order of the terms; `None` if it has an unknown part that is not to be skipped, or too many values.
/// What is `known` of an array below is taken over.
fn array_values(terms: &Terms, array: Term, skip_unknown: bool, known: &HashMap<Term, Held>) -> Option<Vec<Term>> {
    let mut seen = HashSet::new();
    let mut values = HashSet::new();
    let mut stack = vec![array];
    while let Some(a) = stack.pop() {
        if !seen.insert(a) {
            continue;
        }
        if let Some(below) = known.get(&a) {
            values.extend(below.as_ref()?.iter().copied());
        } else {
            match terms.op(a) {
                Op::Store(rest, _, v) => {
                    values.insert(v);
                    stack.push(rest);
                }
                Op::ConstArray(v) => {
                    values.insert(v);
                }
                Op::Ite(_, x, y) => stack.extend([x, y]),
                Op::Copy { dst, src, .. } => stack.extend([dst, src]),
                Op::Fill { array, value, .. } => {
                    values.insert(value);
                    stack.push(array);
                }
                _ if skip_unknown => {}
                _ => return None,
            }
        }
        if values.len() > MAX_CANDIDATES {
            return None;
        }
    }
    let mut values: Vec<Term> = values.into_iter().collect();
    values.sort_unstable();
    Some(values)
}

/// The values an array syntactically holds somewhere; what came from outside is not among them.
pub fn named_values(terms: &Terms, array: Term) -> Vec<Term> {
    array_values(terms, array, true, &HashMap::new()).unwrap_or_default()
}
