//! Conditions in the user's own names, in the syntax of C, for the chain of preconditions in a report.
//!
//! Only what can be said briefly is said: a conjunct that has no short form is counted, not printed.

use blitz_ir::{FuncId, Program};
use blitz_term::{Op, Term, Terms, vars_of};
use std::collections::HashMap;
use std::rc::Rc;

/// A step of the chain from the error to the program's start.
#[derive(Clone)]
pub(crate) struct Chapter {
    pub func: FuncId,
    /// `None`: nothing in it matters, so that it was passed over.
    pub psi: Option<Term>,
    /// What the terms of the condition that come from outside are called.
    pub names: Rc<HashMap<Term, String>>,
}

/// As in the paper's Figure 2.
const PASSED_OVER: &str = "-";
/// Conjuncts of a condition that are printed.
const MAX_CONJUNCTS: usize = 5;
/// Characters of a conjunct that is still brief.
const MAX_LENGTH: usize = 120;
/// How deep an expression that is still brief is nested.
const MAX_DEPTH: u32 = 12;

/// The condition of a chapter in words and C.
pub(crate) fn condition(program: &Program, terms: &Terms, chapter: &Chapter) -> String {
    let printer = Printer { program, terms, names: &chapter.names, off_bits: program.target.offset_bits() };
    let mut conjuncts = Vec::new();
    let Some(psi) = chapter.psi else { return PASSED_OVER.to_string() };
    let mut work = vec![psi];
    while let Some(t) = work.pop() {
        match terms.op(t) {
            Op::And(a, b) if terms.width(t) == 1 => work.extend([a, b]),
            _ => conjuncts.push(t),
        }
    }
    conjuncts.sort_unstable();
    conjuncts.dedup();
    let worth_saying: Vec<Term> = conjuncts.iter().copied().filter(|t| !printer.is_usual(*t)).collect();
    if !worth_saying.is_empty() {
        conjuncts = worth_saying;
    }
    let total = conjuncts.len();
    let mut said: Vec<String> = Vec::new();
    for t in conjuncts {
        if let Some(text) = printer.truth(t, true, MAX_DEPTH)
            && text.len() <= MAX_LENGTH
            && !said.contains(&text)
        {
            said.push(text);
        }
    }
    said.sort_by_key(String::len);
    said.truncate(MAX_CONJUNCTS);
    let more = total - said.len();
    match (said.is_empty(), more) {
        (true, 1) => "a condition on memory holds that has no short form".to_string(),
        (true, _) => format!("{total} conditions on memory hold that have no short form"),
        (false, 0) => said.join(" and "),
        (false, n) => format!("{}, and {n} further conditions", said.join(" and ")),
    }
}

struct Printer<'a> {
    program: &'a Program,
    terms: &'a Terms,
    names: &'a HashMap<Term, String>,
    off_bits: u16,
}

impl Printer<'_> {
    /// What holds of nearly every run: an allocation does not fail, an input has a length that it may have.
    fn is_usual(&self, t: Term) -> bool {
        let names: Option<Vec<String>> = vars_of(self.terms, &[t]).into_iter().map(|v| self.variable(v)).collect();
        names.is_some_and(|all| all.iter().all(|n| n == "allocation fails" || n.ends_with(" length")))
    }

    /// A one-bit term as a condition.
    fn truth(&self, t: Term, holds: bool, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        match self.terms.op(t) {
            Op::Not(x) => self.truth(x, !holds, depth),
            Op::Eq(a, b) => self.equality(a, b, holds, depth),
            Op::Ult(a, b) | Op::Slt(a, b) => {
                let (x, y) = (self.value(a, depth)?, self.value(b, depth)?);
                Some(format!("{x} {} {y}", if holds { "<" } else { ">=" }))
            }
            Op::And(a, b) => {
                let (x, y) = (self.truth(a, holds, depth)?, self.truth(b, holds, depth)?);
                Some(if holds { format!("({x} && {y})") } else { format!("({x} || {y})") })
            }
            Op::Select(array, index) => {
                let name = self.names.get(&array)?;
                let what = self.object(index, depth)?;
                name.strip_suffix(".live")?;
                Some(if holds { format!("{what} is alive") } else { format!("{what} was freed") })
            }
            Op::Extract { arg, hi, lo } if hi == lo && hi + 1 == self.terms.width(arg) => {
                Some(format!("{} {} 0", self.value(arg, depth)?, if holds { "<" } else { ">=" }))
            }
            Op::Var(_) => Some(format!("{}{}", if holds { "" } else { "!" }, self.variable(t)?)),
            _ => None,
        }
    }

    /// A name from the source, or that of an input.
    fn variable(&self, t: Term) -> Option<String> {
        if let Some(name) = self.names.get(&t) {
            return Some(name.clone());
        }
        match self.terms.op(t) {
            Op::Var(_) => {
                let name = self.terms.var_name(t)?;
                let (input, _) = name.rsplit_once('!')?;
                Some(input.to_string())
            }
            _ => None,
        }
    }

    fn equality(&self, a: Term, b: Term, holds: bool, depth: u32) -> Option<String> {
        if let Some(object) = self.object_number(a)
            && self.terms.is_zero(b)
        {
            return Some(format!("{} {} NULL", self.value(object, depth)?, if holds { "==" } else { "!=" }));
        }
        let (x, y) = (self.value(a, depth)?, self.value(b, depth)?);
        Some(format!("{x} {} {y}", if holds { "==" } else { "!=" }))
    }

    /// The pointer whose object number this is.
    fn object_number(&self, t: Term) -> Option<Term> {
        match self.terms.op(t) {
            Op::Extract { arg, hi, lo } if lo == self.off_bits && hi + 1 == self.terms.width(arg) => Some(arg),
            _ => None,
        }
    }

    /// What an object number in an index means.
    fn object(&self, t: Term, depth: u32) -> Option<String> {
        match self.object_number(t) {
            Some(p) => Some(format!("*{}", self.value(p, depth)?)),
            None => self.global(self.terms.as_u64(t)?),
        }
    }

    fn global(&self, number: u64) -> Option<String> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        self.program.globals.get(index).map(|g| g.name.clone())
    }

    fn value(&self, t: Term, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        if let Some(name) = self.variable(t) {
            return Some(name);
        }
        if let Some(n) = self.terms.as_u64(t) {
            return Some(self.constant(n, self.terms.width(t)));
        }
        if let Some(read) = self.memory(t, depth) {
            return Some(read);
        }
        match self.terms.op(t) {
            Op::Add(a, b) => self.sum(a, b, depth),
            Op::Neg(a) => Some(format!("-{}", self.value(a, depth)?)),
            Op::Mul(a, b) => Some(format!("{} * {}", self.value(a, depth)?, self.value(b, depth)?)),
            Op::Ite(c, a, b) => {
                let (when, x, y) = (self.truth(c, true, depth)?, self.value(a, depth)?, self.value(b, depth)?);
                Some(format!("({when} ? {x} : {y})"))
            }
            Op::Sext(a) => self.value(a, depth),
            Op::Concat(a, b) if self.terms.is_zero(a) => self.value(b, depth),
            Op::Extract { arg, hi, lo: 0 } if hi + 1 == self.off_bits => {
                Some(format!("offset({})", self.value(arg, depth)?))
            }
            Op::Extract { arg, lo: 0, .. } => self.value(arg, depth),
            Op::Select(array, index) if self.names.get(&array).is_some_and(|n| n.ends_with(".size")) => {
                Some(format!("sizeof {}", self.object(index, depth)?))
            }
            Op::Scan { array, off, value, .. } if self.terms.is_zero(value) => self.text_length(array, off, depth),
            _ => None,
        }
    }

    /// How long a text is: one in memory, or an input.
    fn text_length(&self, array: Term, off: Term, depth: u32) -> Option<String> {
        let input = self.variable(array).filter(|_| !self.names.contains_key(&array));
        let text = match (input, self.terms.as_u64(off)) {
            (Some(input), Some(0)) => input.strip_prefix('*').map_or(input.clone(), str::to_owned),
            (Some(input), _) => format!("{} + {}", input.trim_start_matches('*'), self.value(off, depth)?),
            (None, Some(_)) => return None,
            (None, None) => self.value(off, depth)?,
        };
        Some(format!("strlen({text})"))
    }

    fn sum(&self, a: Term, b: Term, depth: u32) -> Option<String> {
        let x = self.value(a, depth)?;
        if let Op::Neg(c) = self.terms.op(b) {
            return Some(format!("{x} - {}", self.value(c, depth)?));
        }
        match self.terms.as_const(b).and_then(|c| c.to_i64()) {
            Some(n) if n < 0 => Some(format!("{x} - {}", n.unsigned_abs())),
            _ => Some(format!("{x} + {}", self.value(b, depth)?)),
        }
    }

    fn constant(&self, n: u64, width: u16) -> String {
        if width == self.program.target.ptr_bits
            && let Some(name) = self.global(n >> self.off_bits)
            && n >> self.off_bits != 0
        {
            let offset = n & ((1 << self.off_bits) - 1);
            return if offset == 0 { format!("&{name}") } else { format!("&{name} + {offset}") };
        }
        match u8::try_from(n) {
            Ok(c) if width == 8 && (c.is_ascii_graphic() || c == b' ') => format!("'{}'", c as char),
            _ => n.to_string(),
        }
    }

    /// Bytes next to one another in a class of memory: what the source reads at a place.
    fn memory(&self, t: Term, depth: u32) -> Option<String> {
        let mut parts = vec![t];
        let mut bytes = Vec::new();
        while let Some(p) = parts.pop() {
            match self.terms.op(p) {
                Op::Concat(high, low) => parts.extend([high, low]),
                Op::Select(array, index) if self.terms.width(p) == 8 => bytes.push((array, index)),
                _ => return None,
            }
        }
        let &(array, first) = bytes.first()?;
        self.names.get(&array)?;
        let apart = |index: Term, k: u64| match (self.terms.as_u64(index), self.terms.as_u64(first)) {
            (Some(a), Some(b)) => a.wrapping_sub(b) == k,
            _ => match self.terms.op(index) {
                Op::Add(base, c) => base == first && self.terms.as_u64(c) == Some(k),
                _ => k == 0 && index == first,
            },
        };
        let adjacent = bytes.iter().enumerate().all(|(k, (a, i))| *a == array && apart(*i, k as u64));
        if !adjacent {
            return None;
        }
        let place = self.value(first, depth)?;
        Some(match place.strip_prefix('&') {
            Some(global) if !global.contains(' ') => global.to_string(),
            _ if place.contains(' ') => format!("*({place})"),
            _ => format!("*{place}"),
        })
    }
}
