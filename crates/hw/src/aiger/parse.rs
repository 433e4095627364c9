//! The file as it is: literals, checked to be in range, defined once, and of the right kind.

use crate::read::ReadError;
use rustc_hash::FxHashMap;

/// Inputs of a binary file take no bytes, so their number is believed only up to here.
const MAX_IMPLICIT_INPUTS: u64 = 1 << 22;
/// The largest variable: literals are twice that and have to stay in 32 bits.
const MAX_VARIABLE: u64 = (1 << 31) - 2;

/// A literal: twice a variable, plus one if negated.
pub type Lit = u32;

/// A value of a latch at time 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reset {
    Zero,
    One,
    Any,
}

/// A latch.
pub struct Latch {
    pub lit: Lit,
    pub next: Lit,
    pub reset: Reset,
}

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    Input(u32),
    Latch(u32),
    And { left: Lit, right: Lit, line: usize },
}

/// The names that symbols give, by kind and number.
#[derive(Default)]
pub struct Symbols(FxHashMap<(u8, u32), String>);

impl Symbols {
    /// The name of the i-th input (`i`), latch (`l`), output (`o`), bad state (`b`), constraint (`c`), justice (`j`) or fairness (`f`).
    pub fn get(&self, kind: u8, index: usize) -> Option<&str> {
        self.0.get(&(kind, u32::try_from(index).ok()?)).map(String::as_str)
    }
}

/// A file taken apart.
#[derive(Default)]
pub struct File {
    pub inputs: Vec<Lit>,
    pub latches: Vec<Latch>,
    pub outputs: Vec<Lit>,
    pub bad: Vec<Lit>,
    pub constraints: Vec<Lit>,
    pub justice: Vec<Vec<Lit>>,
    pub fair: Vec<Lit>,
    pub defs: FxHashMap<u32, Def>,
    pub symbols: Symbols,
}

struct Header {
    binary: bool,
    /// M I L O A B C J F.
    counts: [u64; 9],
}

/// Takes a file apart.
pub fn parse(bytes: &[u8]) -> Result<File, ReadError> {
    let mut cursor = Cursor { bytes, at: 0, line: 1 };
    let header = header(&mut cursor)?;
    let mut parser = Parser { cursor, max: header.counts[0], file: File::default() };
    parser.body(&header)?;
    parser.check_used()?;
    Ok(parser.file)
}

fn header(cursor: &mut Cursor) -> Result<Header, ReadError> {
    let text = cursor.line_text()?;
    let mut words = text.split(' ');
    let binary = match words.next() {
        Some("aag") => false,
        Some("aig") => true,
        _ => return Err(ReadError::at(1, "an AIGER file begins with `aag` or `aig`")),
    };
    let mut counts = [0; 9];
    let mut found = 0;
    for word in words {
        let number = number(word).ok_or_else(|| ReadError::at(1, format!("`{word}` in the header is no number")))?;
        let slot = counts.get_mut(found).ok_or_else(|| ReadError::at(1, "the header has more than nine numbers"))?;
        *slot = number;
        found += 1;
    }
    if found < 5 {
        return Err(ReadError::at(1, "the header needs five numbers at least: M I L O A"));
    }
    let [max, inputs, latches, _, ands, ..] = counts;
    let defined = inputs.checked_add(latches).and_then(|n| n.checked_add(ands));
    match defined {
        _ if max > MAX_VARIABLE => {
            Err(ReadError::at(1, format!("more than {MAX_VARIABLE} variables are not supported")))
        }
        Some(n) if n <= max && (!binary || n == max) => Ok(Header { binary, counts }),
        _ => Err(ReadError::at(1, "M in the header does not fit the numbers of inputs, latches and ands")),
    }
}

fn number(word: &str) -> Option<u64> {
    (!word.is_empty() && word.len() <= 18 && word.bytes().all(|b| b.is_ascii_digit())).then(|| word.parse().ok())?
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
}

impl<'a> Cursor<'a> {
    fn done(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next line without its end.
    fn line_text(&mut self) -> Result<&'a str, ReadError> {
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return Err(ReadError::at(self.line, "the file ends too early"));
        }
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        let text = std::str::from_utf8(&rest[..length]);
        let text = text.map_err(|_| ReadError::at(self.line, "the line is no text"))?;
        self.at = (self.at + length + 1).min(self.bytes.len());
        self.line += 1;
        Ok(text.strip_suffix('\r').unwrap_or(text))
    }

    /// A number in the binary form of seven bits a byte, low ones first.
    fn delta(&mut self) -> Result<u64, ReadError> {
        let mut value = 0u64;
        for shift in (0..35).step_by(7) {
            let byte =
                *self.bytes.get(self.at).ok_or_else(|| self.binary_error("the binary section ends too early"))?;
            self.at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(self.binary_error("a number of the binary section is too large"))
    }

    fn binary_error(&self, what: &str) -> ReadError {
        ReadError::at(self.line, format!("{what} (byte {})", self.at))
    }
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    max: u64,
    file: File,
}

impl Parser<'_> {
    fn body(&mut self, header: &Header) -> Result<(), ReadError> {
        let [_, inputs, latches, outputs, ands, bad, constraints, justice, fair] = header.counts;
        self.inputs(inputs, header.binary)?;
        self.latches(latches, header.binary)?;
        self.file.outputs = self.literals(outputs)?;
        self.file.bad = self.literals(bad)?;
        self.file.constraints = self.literals(constraints)?;
        let mut sizes = Vec::new();
        for _ in 0..justice {
            let [size] = self.numbers::<1>()?;
            sizes.push(size);
        }
        for size in sizes {
            let literals = self.literals(size)?;
            self.file.justice.push(literals);
        }
        self.file.fair = self.literals(fair)?;
        if header.binary {
            self.binary_ands(ands, inputs + latches)?
        } else {
            self.ascii_ands(ands)?
        };
        self.symbols()
    }

    /// The numbers of a line, which has to have as many.
    fn numbers<const N: usize>(&mut self) -> Result<[u64; N], ReadError> {
        let line = self.cursor.line;
        let text = self.cursor.line_text()?;
        let found: Option<Vec<u64>> = text.split(' ').map(number).collect();
        let wrong = || ReadError::at(line, format!("{} should be here, not `{}`", count_text(N), shorten(text)));
        found.ok_or_else(wrong)?.try_into().map_err(|_| wrong())
    }

    fn literal(&self, number: u64, line: usize) -> Result<Lit, ReadError> {
        if number > 2 * self.max + 1 {
            return Err(ReadError::at(line, format!("literal {number} is larger than the header's M allows")));
        }
        Ok(number as Lit)
    }

    fn literals(&mut self, count: u64) -> Result<Vec<Lit>, ReadError> {
        let mut found = Vec::new();
        for _ in 0..count {
            let line = self.cursor.line;
            let [number] = self.numbers::<1>()?;
            found.push(self.literal(number, line)?);
        }
        Ok(found)
    }

    fn define(&mut self, number: u64, line: usize, def: Def) -> Result<Lit, ReadError> {
        let lit = self.literal(number, line)?;
        if lit < 2 || lit % 2 == 1 {
            return Err(ReadError::at(line, format!("literal {number} can't be defined: it is negated or constant")));
        }
        match self.file.defs.insert(lit / 2, def) {
            None => Ok(lit),
            Some(_) => Err(ReadError::at(line, format!("literal {number} is defined twice"))),
        }
    }

    fn inputs(&mut self, count: u64, binary: bool) -> Result<(), ReadError> {
        if binary && count > MAX_IMPLICIT_INPUTS {
            return Err(ReadError::at(1, format!("more than {MAX_IMPLICIT_INPUTS} inputs are not supported")));
        }
        for i in 0..count {
            let line = self.cursor.line;
            let number = if binary { 2 * (i + 1) } else { self.numbers::<1>()?[0] };
            let lit = self.define(number, line, Def::Input(i as u32))?;
            self.file.inputs.push(lit);
        }
        Ok(())
    }

    fn latches(&mut self, count: u64, binary: bool) -> Result<(), ReadError> {
        let first = self.file.inputs.len() as u64;
        for i in 0..count {
            let line = self.cursor.line;
            let text = self.cursor.line_text()?;
            let words: Option<Vec<u64>> = text.split(' ').map(number).collect();
            let wrong = || ReadError::at(line, format!("a latch should be here, not `{}`", shorten(text)));
            let mut words = words.ok_or_else(wrong)?;
            if binary {
                words.insert(0, 2 * (first + i + 1));
            }
            let (lit, next, reset) = match words[..] {
                [lit, next] => (lit, next, 0),
                [lit, next, reset] => (lit, next, reset),
                _ => return Err(wrong()),
            };
            let reset = match reset {
                0 => Reset::Zero,
                1 => Reset::One,
                other if other == lit => Reset::Any,
                other => {
                    return Err(ReadError::at(line, format!("a latch is reset to 0, 1 or itself, not {other}")));
                }
            };
            let next = self.literal(next, line)?;
            let lit = self.define(lit, line, Def::Latch(i as u32))?;
            self.file.latches.push(Latch { lit, next, reset });
        }
        Ok(())
    }

    fn ascii_ands(&mut self, count: u64) -> Result<(), ReadError> {
        for _ in 0..count {
            let line = self.cursor.line;
            let [out, left, right] = self.numbers::<3>()?;
            let (left, right) = (self.literal(left, line)?, self.literal(right, line)?);
            self.define(out, line, Def::And { left, right, line })?;
        }
        Ok(())
    }

    fn binary_ands(&mut self, count: u64, before: u64) -> Result<(), ReadError> {
        let line = self.cursor.line;
        for i in 0..count {
            let out = 2 * (before + i + 1);
            let left = out.checked_sub(self.cursor.delta()?).filter(|&l| l < out);
            let left = left.ok_or_else(|| self.cursor.binary_error("an and refers to itself or below zero"))?;
            let right = left.checked_sub(self.cursor.delta()?);
            let right = right.ok_or_else(|| self.cursor.binary_error("an and refers below zero"))?;
            self.define(out, line, Def::And { left: left as Lit, right: right as Lit, line })?;
        }
        Ok(())
    }

    fn symbols(&mut self) -> Result<(), ReadError> {
        while !self.cursor.done() {
            // Comments may be anything, text or not.
            if self.cursor.bytes[self.cursor.at..].starts_with(b"c\n") || self.cursor.bytes[self.cursor.at..] == *b"c" {
                return Ok(());
            }
            let line = self.cursor.line;
            let text = self.cursor.line_text()?;
            if text == "c" {
                return Ok(());
            }
            self.symbol(text, line)?;
        }
        Ok(())
    }

    fn symbol(&mut self, text: &str, line: usize) -> Result<(), ReadError> {
        let wrong = || ReadError::at(line, format!("a symbol or `c` should be here, not `{}`", shorten(text)));
        let (place, name) = text.split_once(' ').ok_or_else(wrong)?;
        let kind = *place.as_bytes().first().ok_or_else(wrong)?;
        let index = place.get(1..).and_then(number).ok_or_else(wrong)?;
        let file = &self.file;
        let count = match kind {
            b'i' => file.inputs.len(),
            b'l' => file.latches.len(),
            b'o' => file.outputs.len(),
            b'b' => file.bad.len(),
            b'c' => file.constraints.len(),
            b'j' => file.justice.len(),
            b'f' => file.fair.len(),
            _ => return Err(wrong()),
        };
        if index >= count as u64 {
            return Err(ReadError::at(line, format!("there is no `{place}` to name")));
        }
        match self.file.symbols.0.insert((kind, index as u32), name.to_owned()) {
            None => Ok(()),
            Some(_) => Err(ReadError::at(line, format!("`{place}` is named twice"))),
        }
    }

    /// Every literal that is used is defined.
    fn check_used(&self) -> Result<(), ReadError> {
        let file = &self.file;
        let undefined = |lit: Lit| lit >= 2 && !file.defs.contains_key(&(lit / 2));
        for def in file.defs.values() {
            if let Def::And { left, right, line } = *def
                && let Some(lit) = [left, right].into_iter().find(|&l| undefined(l))
            {
                return Err(ReadError::at(line, format!("literal {lit} is defined nowhere")));
            }
        }
        let rest = file.latches.iter().map(|l| l.next).chain(file.outputs.iter().copied());
        let rest = rest.chain(file.bad.iter().chain(&file.constraints).chain(&file.fair).copied());
        match rest.chain(file.justice.iter().flatten().copied()).find(|&l| undefined(l)) {
            None => Ok(()),
            Some(lit) => Err(ReadError::whole(format!("literal {lit} is used but defined nowhere"))),
        }
    }
}

fn count_text(count: usize) -> String {
    if count == 1 { "a number".to_owned() } else { format!("{count} numbers") }
}

fn shorten(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { short + "..." } else { short }
}
