//! Conditions in the user's own names, in the syntax of C, for the chain of preconditions in a report.
//!
//! Only what can be said briefly is said: a conjunct that has no short form is counted, not printed.

use crate::tuning::{EXPLAIN_MAX_CONJUNCTS, EXPLAIN_MAX_DEPTH, EXPLAIN_MAX_LETTERS};
use blitz_ir::{Channel, FuncId, InputName, Program};
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
/// The condition of a chapter in words and C.
pub(crate) fn condition(program: &Program, terms: &Terms, chapter: &Chapter) -> String {
    let printer = Printer { program, terms, names: &chapter.names, off_bits: program.target.offset_bits() };
    let Some(psi) = chapter.psi else { return PASSED_OVER.to_string() };
    let mut conjuncts = conjuncts_of(terms, psi);
    conjuncts.sort_unstable();
    conjuncts.dedup();
    let worth_saying: Vec<Term> = conjuncts.iter().copied().filter(|t| !printer.is_usual(*t)).collect();
    if !worth_saying.is_empty() {
        conjuncts = worth_saying;
    }
    let (mut joined, conjuncts) = printer.joined(conjuncts);
    if joined.len() + conjuncts.len() > 1 {
        joined.retain(|(read, value)| *value != 0 || !printer.is_offset(read));
    }
    let total = joined.len() + conjuncts.len();
    let mut said: Vec<String> = Vec::new();
    let equalities = joined.iter().map(|(read, value)| printer.bytes_are(read, *value, true));
    for text in equalities.chain(conjuncts.iter().map(|t| printer.truth(*t, true, EXPLAIN_MAX_DEPTH))).flatten() {
        if text.len() <= EXPLAIN_MAX_LETTERS && !said.contains(&text) {
            said.push(text);
        }
    }
    said.sort_by_key(String::len);
    said.truncate(EXPLAIN_MAX_CONJUNCTS);
    let more = total - said.len();
    match (said.is_empty(), more) {
        (true, 1) => "a condition on memory holds that has no short form".to_string(),
        (true, _) => format!("{total} conditions on memory hold that have no short form"),
        (false, 0) => said.join(" and "),
        (false, 1) => format!("{}, and one further condition", said.join(" and ")),
        (false, n) => format!("{}, and {n} further conditions", said.join(" and ")),
    }
}

/// The parts of a one-bit term that all have to hold.
fn conjuncts_of(terms: &Terms, all: Term) -> Vec<Term> {
    let mut conjuncts = Vec::new();
    let mut work = vec![all];
    while let Some(t) = work.pop() {
        match terms.op(t) {
            Op::And(a, b) if terms.width(t) == 1 => work.extend([a, b]),
            _ => conjuncts.push(t),
        }
    }
    conjuncts
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
        let usual = |name: &String| {
            let channel = InputName::new(name).channel();
            channel == Channel::AllocationFails || channel.is_size()
        };
        names.is_some_and(|all| all.iter().all(usual))
    }

    /// Bytes next to one another that are each said to have a value, together; and the other conjuncts.
    fn joined(&self, conjuncts: Vec<Term>) -> (Vec<(Read, u64)>, Vec<Term>) {
        let (mut bytes, mut rest) = (Vec::new(), Vec::new());
        for t in conjuncts {
            match self.byte_is(t) {
                Some(byte) => bytes.push(byte),
                None => rest.push(t),
            }
        }
        bytes.sort_unstable_by_key(|&(array, index, _)| (array, self.split(index)));
        let mut joined: Vec<(Term, Read, u64)> = Vec::new();
        for (array, index, value) in bytes {
            match joined.last_mut() {
                Some((a, read, sum)) if *a == array && read.count < 8 && self.apart(read.first, index, read.count) => {
                    *sum |= value << (8 * read.count);
                    read.count += 1;
                }
                Some(_) | None => joined.push((array, Read { first: index, count: 1 }, value)),
            }
        }
        (joined.into_iter().map(|(_, read, value)| (read, value)).collect(), rest)
    }

    /// A byte of memory, by class and address, and what a conjunct says that it is.
    fn byte_is(&self, t: Term) -> Option<(Term, Term, u64)> {
        let Op::Eq(a, b) = self.terms.op(t) else { return None };
        let Op::Select(array, index) = self.terms.op(a) else { return None };
        let known = self.terms.width(a) == 8 && self.names.contains_key(&array);
        self.terms.as_u64(b).filter(|_| known).map(|value| (array, index, value))
    }

    /// An address as a base, none for a constant, and what is added to it.
    fn split(&self, address: Term) -> (Option<Term>, u64) {
        if let Some(n) = self.terms.as_u64(address) {
            return (None, n);
        }
        match self.terms.op(address) {
            Op::Add(base, c) => self.terms.as_u64(c).map_or((Some(address), 0), |n| (Some(base), n)),
            _ => (Some(address), 0),
        }
    }

    fn bytes_are(&self, read: &Read, value: u64, holds: bool) -> Option<String> {
        let is = if holds { "==" } else { "!=" };
        if value == 0
            && let Some(pointer) = self.upper_part(read, EXPLAIN_MAX_DEPTH).or_else(|| self.pointer_variable(read))
        {
            return Some(format!("{pointer} {is} NULL"));
        }
        let value = self.constant(value, u16::try_from(8 * read.count).ok()?);
        Some(format!("{} {is} {value}", self.read(read, EXPLAIN_MAX_DEPTH)?))
    }

    /// The variable that these bytes are, if it is a pointer.
    fn pointer_variable(&self, read: &Read) -> Option<String> {
        let variable = self.variable_at(self.terms.as_u64(read.first)?)?;
        (variable.size == read.count && variable.ty.ends_with('*')).then(|| variable.name.clone())
    }

    /// Whether these bytes are the offset of a pointer: of one that was not computed with it is 0.
    fn is_offset(&self, read: &Read) -> bool {
        self.read(read, EXPLAIN_MAX_DEPTH).is_some_and(|name| name.starts_with("offset("))
    }

    /// Not all of these bytes have these values.
    fn some_byte_is_not(&self, all: Term) -> Option<String> {
        match self.joined(conjuncts_of(self.terms, all)) {
            (joined, rest) if rest.is_empty() => match joined.as_slice() {
                [(read, value)] => self.bytes_are(read, *value, false),
                _ => None,
            },
            _ => None,
        }
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
                if let Some(text) = self.some_byte_is_not(t).filter(|_| !holds) {
                    return Some(text);
                }
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
        if let Some(pointer) = self.bytes_read(a).and_then(|read| self.upper_part(&read, depth))
            && self.terms.is_zero(b)
        {
            return Some(format!("{pointer} {} NULL", if holds { "==" } else { "!=" }));
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
        if let Some(p) = self.object_number(t) {
            return Some(format!("*{}", self.value(p, depth)?));
        }
        match self.bytes_read(t).and_then(|read| self.upper_part(&read, depth)) {
            Some(pointer) => Some(format!("*{pointer}")),
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

    /// What the source reads at a place.
    fn memory(&self, t: Term, depth: u32) -> Option<String> {
        self.read(&self.bytes_read(t)?, depth)
    }

    /// The bytes as the source names them. Of a pointer those that are its offset are told so; those that say which object it points to
    /// have a meaning in comparisons with zero only, and a part of a variable has no name.
    fn read(&self, read: &Read, depth: u32) -> Option<String> {
        let place = self.value(read.first, depth)?;
        let name = self.read_at(&place);
        let (ptr, off) = (u64::from(self.program.target.ptr_bits), u64::from(self.off_bits));
        let whole = self.terms.as_u64(read.first).and_then(|n| self.variable_at(n)).map(|g| g.size);
        match 8 * read.count {
            _ if whole == Some(read.count) => Some(name),
            bits if bits == off && bits > 8 && whole.is_none_or(|size| 8 * size == ptr) => {
                Some(format!("offset({name})"))
            }
            _ if whole.is_some() || self.upper_part(read, depth).is_some() => None,
            _ => Some(name),
        }
    }

    /// The variable that begins at an address.
    fn variable_at(&self, address: u64) -> Option<&blitz_ir::Global> {
        let number = (address >> self.off_bits).checked_sub(1).filter(|_| address & ((1 << self.off_bits) - 1) == 0)?;
        self.program.globals.get(usize::try_from(number).ok()?)
    }

    /// The pointer in memory of which these bytes say the object it points to.
    fn upper_part(&self, read: &Read, depth: u32) -> Option<String> {
        let (ptr, off) = (self.program.target.ptr_bits, self.off_bits);
        if off % 8 != 0 || 8 * read.count != u64::from(ptr - off) {
            return None;
        }
        let below = u64::from(off / 8);
        let place = match (self.terms.as_u64(read.first), self.terms.op(read.first)) {
            (Some(n), _) if n % u64::from(ptr / 8) == below => self.constant(n - below, ptr),
            (None, Op::Add(base, c)) if self.terms.as_u64(c)? % u64::from(ptr / 8) == below => {
                match self.terms.as_u64(c)? - below {
                    0 => self.value(base, depth)?,
                    n => format!("{} + {n}", self.value(base, depth)?),
                }
            }
            _ => return None,
        };
        Some(self.read_at(&place))
    }

    /// What the source writes for what is at an address.
    fn read_at(&self, place: &str) -> String {
        match place.strip_prefix('&') {
            Some(global) if !global.contains(' ') => global.to_string(),
            _ if place.contains(' ') => format!("*({place})"),
            _ => format!("*{place}"),
        }
    }

    /// Bytes next to one another in a class of memory.
    fn bytes_read(&self, t: Term) -> Option<Read> {
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
        let adjacent = bytes.iter().enumerate().all(|(k, (a, i))| *a == array && self.apart(first, *i, k as u64));
        adjacent.then_some(Read { first, count: bytes.len() as u64 })
    }

    /// Whether an address is this far behind another.
    fn apart(&self, first: Term, address: Term, by: u64) -> bool {
        let ((base, n), (other, m)) = (self.split(first), self.split(address));
        base == other && m.wrapping_sub(n) == by
    }
}

/// Bytes of memory, the first of them by its address.
struct Read {
    first: Term,
    count: u64,
}
