//! Terms over the inputs of a path in C, with the names the user knows.
//!
//! Sums are collected, so that `a + b + (b + c) - b` reads `a + b + c`. Machine arithmetic is what is meant: widths are not printed, an unsigned
//! comparison of what may be negative says `(unsigned)`. What is too deep or has no form in C is `...`.

use blitz_base::Bv;
use blitz_symex::{Input, InputKind};
use blitz_term::{Op, Term, Terms};
use std::collections::HashMap;

/// How deep an expression is printed.
const MAX_DEPTH: u32 = 16;
/// What stands for the rest.
const ELLIPSIS: &str = "...";

/// How tightly an expression holds together: C's precedence, the tightest last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tie {
    Choice,
    Or,
    And,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Whole,
}

/// What the variables of paths are called.
#[derive(Default)]
pub(crate) struct Names {
    names: HashMap<Term, (String, Option<u64>)>,
}

impl Names {
    /// The inputs of one more path; what has a name keeps it. Inputs of one name are numbered from the second on.
    pub fn add(&mut self, terms: &Terms, inputs: &[Input]) {
        let mut seen: HashMap<&str, u32> = HashMap::new();
        for input in inputs {
            let n = seen.entry(input.name.as_str()).or_default();
            *n += 1;
            let name = if *n == 1 { input.name.to_string() } else { format!("{}#{n}", input.name) };
            let (term, len) = match input.kind {
                InputKind::Value { term, .. } | InputKind::AllocFails { term } => (term, None),
                InputKind::Bytes { array, len } => (array, terms.as_u64(len)),
            };
            self.names.entry(term).or_insert((name, len));
        }
    }
}

/// Prints terms.
pub(crate) struct Words<'a> {
    pub terms: &'a Terms,
    pub names: &'a Names,
}

type Text = (String, Tie);

impl Words<'_> {
    /// A value.
    pub fn value(&self, t: Term) -> String {
        self.text(t, MAX_DEPTH).0
    }

    /// The condition of a way. Terms know only `<` and its negation, so `x > 7` has become `!(x < 8)`: of the first way, which is the condition as it was
    /// written, a negation reads `x > 7`; of the others, which negate it, `x < 8` reads `x <= 7`.
    pub fn way(&self, t: Term, is_first: bool) -> String {
        let (inner, holds) = match self.terms.op(t) {
            Op::Not(inner) => (inner, false),
            _ => (t, true),
        };
        if let Op::Slt(a, b) | Op::Ult(a, b) = self.terms.op(inner)
            && holds != is_first
            && let Some(limit) = self.terms.as_const(b).filter(|b| !b.is_zero() && *b != Bv::min_signed(b.width()))
        {
            let unsigned = matches!(self.terms.op(inner), Op::Ult(..));
            let less = limit.sub(&Bv::one(limit.width()));
            return self.compared(a, if holds { "<=" } else { ">" }, &less, unsigned, MAX_DEPTH).0;
        }
        self.truth(t, true, MAX_DEPTH).0
    }

    fn text(&self, t: Term, depth: u32) -> Text {
        if depth == 0 {
            return (ELLIPSIS.into(), Tie::Whole);
        }
        if let Some(value) = self.terms.as_const(t) {
            return number(&value);
        }
        let width = self.terms.width(t);
        if let Some(whole) = self.bytes(t, depth) {
            return whole;
        }
        match self.terms.op(t) {
            Op::Var(_) => (self.name(t), Tie::Whole),
            Op::Select(array, index) => (format!("{}[{}]", self.array(array), self.value_at(index, depth)), Tie::Whole),
            Op::Not(_) | Op::And(..) | Op::Xor(..) | Op::Eq(..) | Op::Ult(..) | Op::Slt(..) if width == 1 => {
                self.truth(t, true, depth)
            }
            Op::Add(..) | Op::Neg(_) => self.sum(t, depth),
            Op::Mul(a, b) => self.binary(a, " * ", b, Tie::Product, depth),
            Op::Udiv(a, b) | Op::Sdiv(a, b) => self.binary(a, " / ", b, Tie::Product, depth),
            Op::Urem(a, b) | Op::Srem(a, b) => self.binary(a, " % ", b, Tie::Product, depth),
            Op::Shl(a, b) => self.binary(a, " << ", b, Tie::Shift, depth),
            Op::Lshr(a, b) | Op::Ashr(a, b) => self.binary(a, " >> ", b, Tie::Shift, depth),
            Op::And(a, b) => self.binary(a, " & ", b, Tie::BitAnd, depth),
            Op::Xor(a, b) => self.binary(a, " ^ ", b, Tie::BitXor, depth),
            Op::Not(a) => (format!("~{}", self.tied(a, Tie::Unary, depth)), Tie::Unary),
            Op::Sext(a) => self.text(a, depth - 1),
            Op::Concat(high, low) if self.terms.is_zero(high) => self.text(low, depth - 1),
            Op::Extract { arg, hi, lo: 0 } => {
                (format!("({}){}", int(hi + 1), self.tied(arg, Tie::Unary, depth)), Tie::Unary)
            }
            Op::Extract { arg, hi, lo } => {
                let shifted = format!("{} >> {lo}", self.tied(arg, Tie::Shift, depth));
                (format!("({})({shifted})", int(hi - lo + 1)), Tie::Unary)
            }
            Op::Ite(c, a, b) => {
                let (a, b) = (self.tied(a, Tie::Or, depth), self.tied(b, Tie::Choice, depth));
                (format!("{} ? {a} : {b}", self.truth_tied(c, true, Tie::Or, depth)), Tie::Choice)
            }
            Op::Scan { array, off, value, .. } if self.terms.is_zero(value) => {
                (format!("strlen({})", self.moved(array, off, depth)), Tie::Whole)
            }
            Op::Const
            | Op::Concat(..)
            | Op::Eq(..)
            | Op::Ult(..)
            | Op::Slt(..)
            | Op::ConstArray(_)
            | Op::Store(..)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Scan { .. }
            | Op::Mismatch { .. } => (ELLIPSIS.into(), Tie::Whole),
        }
    }

    fn value_at(&self, t: Term, depth: u32) -> String {
        self.text(t, depth - 1).0
    }

    fn tied(&self, t: Term, around: Tie, depth: u32) -> String {
        let (text, tie) = self.text(t, depth - 1);
        if tie < around { format!("({text})") } else { text }
    }

    fn binary(&self, a: Term, op: &str, b: Term, tie: Tie, depth: u32) -> Text {
        let (text, right) = self.text(b, depth - 1);
        let right = if right <= tie { format!("({text})") } else { text };
        (format!("{}{op}{right}", self.tied(a, tie, depth)), tie)
    }

    /// A condition, or its negation.
    fn truth(&self, t: Term, holds: bool, depth: u32) -> Text {
        if depth == 0 {
            return (ELLIPSIS.into(), Tie::Whole);
        }
        match self.terms.op(t) {
            Op::Not(a) => self.truth(a, !holds, depth),
            Op::And(a, b) if self.terms.width(t) == 1 => {
                let (op, tie) = if holds { (" && ", Tie::And) } else { (" || ", Tie::Or) };
                let (a, b) = (self.truth_tied(a, holds, tie, depth), self.truth_tied(b, holds, tie, depth));
                (format!("{a}{op}{b}"), tie)
            }
            Op::Xor(a, b) if self.terms.width(t) == 1 => {
                let op = if holds { "!=" } else { "==" };
                let (a, b) =
                    (self.truth_tied(a, true, Tie::Relation, depth), self.truth_tied(b, true, Tie::Relation, depth));
                (format!("{a} {op} {b}"), Tie::Equality)
            }
            Op::Eq(a, b) => self.relation(a, if holds { "==" } else { "!=" }, b, false, depth),
            Op::Slt(a, b) => self.relation(a, if holds { "<" } else { ">=" }, b, false, depth),
            Op::Ult(a, b) => self.relation(a, if holds { "<" } else { ">=" }, b, true, depth),
            Op::Const => (u8::from(self.terms.is_true(t) == holds).to_string(), Tie::Whole),
            Op::Extract { arg, hi, lo } if hi == lo && hi + 1 == self.terms.width(arg) => {
                let zero = Bv::zero(self.terms.width(arg));
                self.compared(arg, if holds { "<" } else { ">=" }, &zero, false, depth)
            }
            Op::Extract { arg, hi, lo } if hi == lo => {
                let bit = format!("{} >> {lo} & 1", self.tied(arg, Tie::Shift, depth));
                if holds { (bit, Tie::BitAnd) } else { (format!("!({bit})"), Tie::Unary) }
            }
            _ => {
                let (text, tie) = self.text_of_bit(t, depth);
                match holds {
                    true => (text, tie),
                    false if tie < Tie::Unary => (format!("!({text})"), Tie::Unary),
                    false => (format!("!{text}"), Tie::Unary),
                }
            }
        }
    }

    fn text_of_bit(&self, t: Term, depth: u32) -> Text {
        match self.terms.op(t) {
            Op::Ite(c, a, b) => {
                let (a, b) = (self.truth_tied(a, true, Tie::Or, depth), self.truth_tied(b, true, Tie::Choice, depth));
                (format!("{} ? {a} : {b}", self.truth_tied(c, true, Tie::Or, depth)), Tie::Choice)
            }
            _ => self.text(t, depth),
        }
    }

    fn truth_tied(&self, t: Term, holds: bool, around: Tie, depth: u32) -> String {
        let (text, tie) = self.truth(t, holds, depth - 1);
        if tie < around { format!("({text})") } else { text }
    }

    /// A comparison, with the constant on the right.
    fn relation(&self, a: Term, op: &str, b: Term, unsigned: bool, depth: u32) -> Text {
        let (a, op, b) = match self.terms.is_const(a) || (!self.terms.is_const(b) && b < a) {
            true => (b, mirrored(op), a),
            false => (a, op, b),
        };
        if let Some(value) = self.terms.as_const(b) {
            return self.compared(a, op, &value, unsigned, depth);
        }
        let tie = if op == "==" || op == "!=" { Tie::Equality } else { Tie::Relation };
        let cast = if unsigned && !(self.is_small(a) && self.is_small(b)) { "(unsigned)" } else { "" };
        let left = self.tied(a, if cast.is_empty() { Tie::Shift } else { Tie::Unary }, depth);
        (format!("{cast}{left} {op} {}", self.tied(b, Tie::Shift, depth)), tie)
    }

    /// A comparison with a constant.
    fn compared(&self, a: Term, op: &str, value: &Bv, unsigned: bool, depth: u32) -> Text {
        let tie = if op == "==" || op == "!=" { Tie::Equality } else { Tie::Relation };
        let cast = if unsigned && (value.sign() || !self.is_small(a)) { "(unsigned)" } else { "" };
        let left = self.tied(a, if cast.is_empty() { Tie::Shift } else { Tie::Unary }, depth);
        let right = if value.width() == 8 || self.is_byte(a) { letter(value) } else { number(value).0 };
        (format!("{cast}{left} {op} {right}"), tie)
    }

    /// Whether a term is a byte made wider.
    fn is_byte(&self, t: Term) -> bool {
        match self.terms.op(t) {
            Op::Sext(a) => self.terms.width(a) == 8,
            Op::Concat(high, low) => self.terms.is_zero(high) && self.terms.width(low) == 8,
            _ => false,
        }
    }

    /// Whether the highest bit of a term is plainly zero.
    fn is_small(&self, t: Term) -> bool {
        match self.terms.op(t) {
            Op::Const => self.terms.as_const(t).is_some_and(|v| !v.bit(v.width() - 1)),
            Op::Concat(high, _) => self.terms.is_zero(high),
            _ => false,
        }
    }

    /// A sum with its parts collected: positive ones first, each in the order of the variables.
    fn sum(&self, t: Term, depth: u32) -> Text {
        let width = self.terms.width(t);
        let mut parts: Vec<(Term, Bv)> = Vec::new();
        let mut constant = Bv::zero(width);
        let mut open = vec![(t, Bv::one(width))];
        while let Some((t, factor)) = open.pop() {
            match self.terms.op(t) {
                Op::Add(a, b) => open.extend([(b, factor.clone()), (a, factor)]),
                Op::Neg(a) => open.push((a, factor.neg())),
                Op::Mul(a, k) if self.terms.is_const(k) => {
                    let k = self.terms.as_const(k).expect("a constant should have a value");
                    open.push((a, factor.mul(&k)));
                }
                Op::Const => {
                    let value = self.terms.as_const(t).expect("a constant should have a value");
                    constant = constant.add(&value.mul(&factor));
                }
                _ => match parts.iter_mut().find(|(p, _)| *p == t) {
                    Some((_, sum)) => *sum = sum.add(&factor),
                    None => parts.push((t, factor)),
                },
            }
        }
        parts.retain(|(_, factor)| !factor.is_zero());
        let negative = |v: &Bv| v.bit(width - 1);
        parts.sort_by_key(|(t, factor)| (negative(factor), *t));
        let mut out = String::new();
        for (part, factor) in &parts {
            let minus = negative(factor);
            let size = if minus { factor.neg() } else { factor.clone() };
            let text = match size.is_one() {
                true => self.tied(*part, Tie::Product, depth),
                false => format!("{} * {}", number(&size).0, self.tied(*part, Tie::Unary, depth)),
            };
            join(&mut out, minus, &text);
        }
        if !constant.is_zero() || out.is_empty() {
            let minus = negative(&constant) && !out.is_empty();
            let size = if minus { constant.neg() } else { constant };
            join(&mut out, minus, &number(&size).0);
        }
        (out, Tie::Sum)
    }

    /// Bytes of an array that stand one after the other: the whole of it by its name, a part by its range.
    fn bytes(&self, t: Term, depth: u32) -> Option<Text> {
        let mut pieces = Vec::new();
        let mut open = vec![t];
        while let Some(t) = open.pop() {
            match self.terms.op(t) {
                Op::Concat(high, low) => open.extend([high, low]),
                Op::Select(array, index) if self.terms.width(t) == 8 => {
                    pieces.push((array, self.terms.as_u64(index)?));
                }
                _ => return None,
            }
        }
        let &(array, first) = pieces.first()?;
        let row = pieces.iter().enumerate().all(|(i, &(a, at))| a == array && at == first + i as u64);
        let whole = self.names.names.get(&array).is_some_and(|(_, len)| *len == Some(pieces.len() as u64));
        let name = self.array(array);
        match (row, pieces.len()) {
            (true, n) if first == 0 && whole && n > 1 => Some((name, Tie::Whole)),
            (true, 1) => Some((format!("{name}[{first}]"), Tie::Whole)),
            (true, n) => Some((format!("{name}[{first}..{}]", first + n as u64), Tie::Whole)),
            (false, _) => None,
        }
        .filter(|_| depth > 0)
    }

    fn name(&self, t: Term) -> String {
        self.names.names.get(&t).map_or_else(|| ELLIPSIS.to_owned(), |(name, _)| name.clone())
    }

    /// The name of a text; a copy of one with its end behind it has the same bytes.
    fn array(&self, mut t: Term) -> String {
        while let Some(text) = self.copied(t) {
            t = text;
        }
        match self.terms.op(t) {
            Op::Var(_) => self.name(t),
            _ => ELLIPSIS.to_owned(),
        }
    }

    /// What an array is a copy of, from the first byte to the end that a text has.
    fn copied(&self, t: Term) -> Option<Term> {
        if let Op::Store(text, end, nul) = self.terms.op(t) {
            return (self.terms.is_zero(nul) && !self.terms.is_const(end)).then_some(text);
        }
        let Op::Copy { dst, dst_off, src, src_off, .. } = self.terms.op(t) else { return None };
        let whole = self.terms.is_zero(dst_off) && self.terms.is_zero(src_off);
        (whole && matches!(self.terms.op(dst), Op::ConstArray(_))).then_some(src)
    }

    fn moved(&self, array: Term, off: Term, depth: u32) -> String {
        match self.terms.is_zero(off) {
            true => self.array(array),
            false => format!("{} + {}", self.array(array), self.value_at(off, depth)),
        }
    }
}

fn join(out: &mut String, minus: bool, text: &str) {
    match (out.is_empty(), minus) {
        (true, false) => out.push_str(text),
        (true, true) => *out = format!("-{text}"),
        (false, false) => *out = format!("{out} + {text}"),
        (false, true) => *out = format!("{out} - {text}"),
    }
}

fn mirrored(op: &str) -> &str {
    match op {
        "<" => ">",
        ">=" => "<=",
        other => other,
    }
}

/// A number; what looks negative is printed so.
fn number(value: &Bv) -> Text {
    let width = value.width();
    let negative = width > 1 && value.bit(width - 1);
    let size = if negative { value.neg() } else { value.clone() };
    match (size.to_u64(), negative) {
        (Some(n), true) => (format!("-{n}"), Tie::Unary),
        (Some(n), false) => (n.to_string(), Tie::Whole),
        (None, _) => (ELLIPSIS.to_owned(), Tie::Whole),
    }
}

/// A byte as a letter where it is one.
fn letter(value: &Bv) -> String {
    match value.to_u64().and_then(|n| u8::try_from(n).ok()) {
        Some(b @ (b'\'' | b'\\')) => format!("'\\{}'", b as char),
        Some(b) if b.is_ascii_graphic() || b == b' ' => format!("'{}'", b as char),
        Some(b'\n') => "'\\n'".to_owned(),
        Some(b'\t') => "'\\t'".to_owned(),
        _ => number(value).0,
    }
}

/// C's integer type of a width, as far as there is one.
fn int(width: u16) -> String {
    match width {
        8 => "char".to_owned(),
        16 => "short".to_owned(),
        32 => "int".to_owned(),
        64 => "long".to_owned(),
        n => format!("_BitInt({n})"),
    }
}
