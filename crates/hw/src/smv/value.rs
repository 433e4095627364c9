//! Types and values: what an expression is worth, as terms.
//!
//! Invariants: an integer's term is a signed bit-vector exactly as wide as its interval needs; the conditions of a symbolic value exclude each other
//! and cover every valuation (up to cases that `check` shows not to happen).

use super::ast::EnumValue;
use super::{Pos, SmvError};
use blitz_term::{Sort, Term, Terms};

/// The type of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Type {
    Bool,
    Range { low: i64, high: i64 },
    Enum(Vec<EnumValue>),
    Word { width: u16, signed: bool },
}

/// What an expression is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Bool(Term),
    Int(Int),
    Word {
        term: Term,
        signed: bool,
    },
    /// Each possible constant with the condition under which it is this one.
    Symbol(Vec<(EnumValue, Term)>),
}

/// An integer between `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int {
    pub term: Term,
    pub low: i64,
    pub high: i64,
}

/// Bits of a signed number that has to hold both.
pub fn signed_width(low: i64, high: i64) -> u16 {
    let bits = |v: i64| 65 - (if v < 0 { !v } else { v }).leading_zeros();
    bits(low).max(bits(high)) as u16
}

impl Type {
    /// How many bits a variable of the type has.
    pub fn width(&self) -> u16 {
        match self {
            Type::Bool => 1,
            Type::Range { low, high } if *low >= 0 => (signed_width(0, *high) - 1).max(1),
            Type::Range { low, high } => signed_width(*low, *high),
            Type::Enum(values) => (usize::BITS - (values.len() - 1).leading_zeros()).max(1) as u16,
            Type::Word { width, .. } => *width,
        }
    }

    pub fn sort(&self) -> Sort {
        Sort::Bv(self.width())
    }

    /// The type in words.
    pub fn shown(&self) -> String {
        match self {
            Type::Bool => "boolean".to_owned(),
            Type::Range { low, high } => format!("{low}..{high}"),
            Type::Enum(values) => {
                let values: Vec<String> = values.iter().map(EnumValue::shown).collect();
                format!("{{{}}}", values.join(", "))
            }
            Type::Word { width, signed: true } => format!("signed word[{width}]"),
            Type::Word { width, signed: false } => format!("unsigned word[{width}]"),
        }
    }

    /// The value that the bits of a variable stand for.
    pub fn read(&self, terms: &mut Terms, bits: Term) -> Value {
        match self {
            Type::Bool => Value::Bool(bits),
            &Type::Range { low, high } => {
                let wanted = signed_width(low, high);
                let term = if low >= 0 { widen_unsigned(terms, bits, wanted) } else { bits };
                Value::Int(Int { term, low, high })
            }
            Type::Enum(values) => read_enum(terms, values, bits),
            Type::Word { signed, .. } => Value::Word { term: bits, signed: *signed },
        }
    }

    /// That the bits of a variable stand for a value at all.
    pub fn valid(&self, terms: &mut Terms, bits: Term) -> Term {
        match self {
            Type::Bool | Type::Word { .. } => terms.tru(),
            &Type::Range { low, high } if low >= 0 => {
                let (low, high) = (terms.bv(self.width(), low as u64), terms.bv(self.width(), high as u64));
                let above = terms.ule(low, bits);
                let below = terms.ule(bits, high);
                terms.and(above, below)
            }
            &Type::Range { low, high } => {
                let (low, high) = (terms.bv_signed(self.width(), low), terms.bv_signed(self.width(), high));
                let above = terms.sle(low, bits);
                let below = terms.sle(bits, high);
                terms.and(above, below)
            }
            Type::Enum(values) => {
                let last = terms.bv(self.width(), values.len() as u64 - 1);
                terms.ule(bits, last)
            }
        }
    }

    /// The bits of a value, with the condition under which it belongs to the type; none where it never can.
    pub fn store(&self, terms: &mut Terms, value: &Value) -> Option<(Term, Term)> {
        match (self, value) {
            (Type::Bool, Value::Bool(bit)) => Some((*bit, terms.tru())),
            (Type::Bool, Value::Int(int)) => bool_of(terms, *int).map(|bit| (bit, terms.tru())),
            (Type::Range { low, high }, Value::Int(int)) => Some(store_int(terms, *int, *low, *high, self.width())),
            (Type::Enum(values), Value::Symbol(cases)) => Some(store_enum(terms, values, cases, self.width())),
            (Type::Enum(values), Value::Int(int)) => {
                let cases = int_cases(terms, *int)?;
                Some(store_enum(terms, values, &cases, self.width()))
            }
            (Type::Range { low, high }, Value::Symbol(cases)) => {
                let int = cases_int(terms, cases)?;
                Some(store_int(terms, int, *low, *high, self.width()))
            }
            (Type::Word { width, signed }, Value::Word { term, signed: found }) => {
                (terms.width(*term) == *width && signed == found).then(|| (*term, terms.tru()))
            }
            (Type::Word { width, signed }, Value::Int(int)) => {
                let term = word_of(terms, *int, *width, *signed)?;
                Some((term, terms.tru()))
            }
            (Type::Bool, Value::Word { .. } | Value::Symbol(_))
            | (Type::Range { .. }, Value::Bool(_) | Value::Word { .. })
            | (Type::Enum(_), Value::Bool(_) | Value::Word { .. })
            | (Type::Word { .. }, Value::Bool(_) | Value::Symbol(_)) => None,
        }
    }
}

impl EnumValue {
    /// As written.
    pub fn shown(&self) -> String {
        match self {
            EnumValue::Symbol(name) => name.clone(),
            EnumValue::Int(n) => n.to_string(),
        }
    }
}

impl Value {
    /// The type of the value in words.
    pub fn kind(&self, terms: &Terms) -> String {
        match self {
            Value::Bool(_) => "a boolean".to_owned(),
            Value::Int(_) => "an integer".to_owned(),
            Value::Word { term, signed: true } => format!("a signed word of {} bits", terms.width(*term)),
            Value::Word { term, signed: false } => format!("an unsigned word of {} bits", terms.width(*term)),
            Value::Symbol(_) => "a symbolic constant".to_owned(),
        }
    }

    /// The Boolean, if it is one; the integers 0 and 1 are.
    pub fn truth(&self, terms: &mut Terms) -> Option<Term> {
        match self {
            Value::Bool(bit) => Some(*bit),
            Value::Int(int) => bool_of(terms, *int),
            Value::Word { .. } | Value::Symbol(_) => None,
        }
    }

    /// The integer constant, if it is one.
    pub fn constant(&self) -> Option<i64> {
        match self {
            Value::Int(int) if int.low == int.high => Some(int.low),
            _ => None,
        }
    }
}

/// A zero extension, or nothing where the width is right.
pub fn widen_unsigned(terms: &mut Terms, bits: Term, width: u16) -> Term {
    if terms.width(bits) >= width { bits } else { terms.zext(bits, width) }
}

/// The integer in at least `width` bits.
pub fn widen(terms: &mut Terms, int: Int, width: u16) -> Term {
    if terms.width(int.term) >= width { int.term } else { terms.sext(int.term, width) }
}

/// An integer constant.
pub fn int_const(terms: &mut Terms, value: i64) -> Int {
    let width = signed_width(value, value);
    Int { term: terms.bv_signed(width, value), low: value, high: value }
}

/// An integer in a term that may be wider than its interval needs.
pub fn fit(terms: &mut Terms, term: Term, low: i64, high: i64) -> Int {
    let width = signed_width(low, high);
    let term = match terms.width(term).cmp(&width) {
        std::cmp::Ordering::Equal => term,
        std::cmp::Ordering::Greater => terms.extract(term, width - 1, 0),
        std::cmp::Ordering::Less => terms.sext(term, width),
    };
    Int { term, low, high }
}

fn bool_of(terms: &mut Terms, int: Int) -> Option<Term> {
    match (int.low, int.high) {
        (0, 0) => Some(terms.fls()),
        (1, 1) => Some(terms.tru()),
        _ => None,
    }
}

/// An integer constant as a word, where it fits.
pub fn word_of(terms: &mut Terms, int: Int, width: u16, signed: bool) -> Option<Term> {
    if int.low != int.high {
        return None;
    }
    let fits = match signed {
        true => signed_width(int.low, int.low) <= width,
        false => int.low >= 0 && signed_width(0, int.low) - 1 <= width,
    };
    fits.then(|| terms.bv_signed(width, int.low))
}

fn read_enum(terms: &mut Terms, values: &[EnumValue], bits: Term) -> Value {
    let width = terms.width(bits);
    let case = |(i, value): (usize, &EnumValue)| {
        let index = terms.bv(width, i as u64);
        (value.clone(), terms.eq(bits, index))
    };
    let cases: Vec<(EnumValue, Term)> = values.iter().enumerate().map(case).collect();
    match cases_int(terms, &cases) {
        Some(int) => Value::Int(int),
        None => Value::Symbol(cases),
    }
}

/// The integer that cases without symbols are.
pub fn cases_int(terms: &mut Terms, cases: &[(EnumValue, Term)]) -> Option<Int> {
    let mut numbers = Vec::new();
    for (value, condition) in cases {
        match value {
            EnumValue::Int(n) => numbers.push((*n, *condition)),
            EnumValue::Symbol(_) => return None,
        }
    }
    let low = numbers.iter().map(|(n, _)| *n).min()?;
    let high = numbers.iter().map(|(n, _)| *n).max()?;
    let width = signed_width(low, high);
    let mut term = terms.bv_signed(width, numbers[0].0);
    for &(n, condition) in &numbers[1..] {
        let n = terms.bv_signed(width, n);
        term = terms.ite(condition, n, term);
    }
    Some(Int { term, low, high })
}

/// How many values an integer may have to be taken apart into cases.
const MAX_CASES: i64 = 1024;

/// Each value of an integer with its condition, where there are few.
pub fn int_cases(terms: &mut Terms, int: Int) -> Option<Vec<(EnumValue, Term)>> {
    if int.high.checked_sub(int.low)? >= MAX_CASES {
        return None;
    }
    let width = terms.width(int.term);
    let case = |n: i64| {
        let constant = terms.bv_signed(width, n);
        (EnumValue::Int(n), terms.eq(int.term, constant))
    };
    Some((int.low..=int.high).map(case).collect())
}

fn store_enum(terms: &mut Terms, values: &[EnumValue], cases: &[(EnumValue, Term)], width: u16) -> (Term, Term) {
    let mut bits = terms.bv(width, 0);
    let mut inside = Vec::new();
    for (value, condition) in cases {
        if let Some(index) = values.iter().position(|v| v == value) {
            let index = terms.bv(width, index as u64);
            bits = terms.ite(*condition, index, bits);
            inside.push(*condition);
        }
    }
    if inside.len() == cases.len() {
        return (bits, terms.tru());
    }
    (bits, terms.or_all(&inside))
}

fn store_int(terms: &mut Terms, int: Int, low: i64, high: i64, width: u16) -> (Term, Term) {
    let inside = if low <= int.low && int.high <= high {
        terms.tru()
    } else {
        let wide = signed_width(low.min(int.low), high.max(int.high));
        let value = widen(terms, int, wide);
        let (low, high) = (terms.bv_signed(wide, low), terms.bv_signed(wide, high));
        let above = terms.sle(low, value);
        let below = terms.sle(value, high);
        terms.and(above, below)
    };
    let value = widen(terms, int, width);
    (terms.extract(value, width - 1, 0), inside)
}

/// Whether two values are the same; the types have to agree.
pub fn equal(terms: &mut Terms, a: &Value, b: &Value, pos: Pos, op: &str) -> Result<Term, SmvError> {
    match (a, b) {
        (Value::Bool(x), Value::Bool(y)) => Ok(terms.eq(*x, *y)),
        (Value::Int(x), Value::Int(y)) => {
            let width = terms.width(x.term).max(terms.width(y.term));
            let (x, y) = (widen(terms, *x, width), widen(terms, *y, width));
            Ok(terms.eq(x, y))
        }
        (Value::Word { term: x, signed: s }, Value::Word { term: y, signed: t })
            if s == t && terms.width(*x) == terms.width(*y) =>
        {
            Ok(terms.eq(*x, *y))
        }
        (Value::Symbol(x), Value::Symbol(y)) => Ok(equal_cases(terms, x, y)),
        _ => equal_mixed(terms, a, b).ok_or_else(|| mismatch(terms, a, b, pos, op)),
    }
}

fn equal_cases(terms: &mut Terms, a: &[(EnumValue, Term)], b: &[(EnumValue, Term)]) -> Term {
    let mut both = Vec::new();
    for (value, x) in a {
        for (_, y) in b.iter().filter(|(other, _)| other == value) {
            both.push(terms.and(*x, *y));
        }
    }
    terms.or_all(&both)
}

/// An integer constant beside a Boolean, a word or a symbol.
fn equal_mixed(terms: &mut Terms, a: &Value, b: &Value) -> Option<Term> {
    let (int, other) = match (a, b) {
        (Value::Int(int), other) | (other, Value::Int(int)) => (*int, other),
        _ => return None,
    };
    match other {
        Value::Bool(bit) => {
            let constant = bool_of(terms, int)?;
            Some(terms.eq(*bit, constant))
        }
        Value::Word { term, signed } => {
            let width = terms.width(*term);
            let constant = word_of(terms, int, width, *signed)?;
            Some(terms.eq(*term, constant))
        }
        Value::Symbol(cases) => {
            let ints = int_cases(terms, int)?;
            Some(equal_cases(terms, &ints, cases))
        }
        Value::Int(_) => None,
    }
}

/// Two values that don't go together.
pub fn mismatch(terms: &Terms, a: &Value, b: &Value, pos: Pos, op: &str) -> SmvError {
    SmvError::new(pos, format!("`{op}` does not go with {} and {}", a.kind(terms), b.kind(terms)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_as_small_as_they_can_be() {
        for (low, high, wanted) in
            [(0, 0, 1), (0, 1, 2), (-1, 0, 1), (-2, 1, 2), (0, 7, 4), (-9, 3, 5), (i64::MIN, 0, 64)]
        {
            assert_eq!(signed_width(low, high), wanted, "{low}..{high}");
        }
        assert_eq!(Type::Range { low: 0, high: 7 }.width(), 3);
        assert_eq!(Type::Range { low: 0, high: 8 }.width(), 4);
        assert_eq!(Type::Range { low: 0, high: 0 }.width(), 1);
        assert_eq!(Type::Range { low: -1, high: 6 }.width(), 4);
        let values = |n: i64| (0..n).map(EnumValue::Int).collect();
        assert_eq!(Type::Enum(values(1)).width(), 1);
        assert_eq!(Type::Enum(values(4)).width(), 2);
        assert_eq!(Type::Enum(values(5)).width(), 3);
    }
}
