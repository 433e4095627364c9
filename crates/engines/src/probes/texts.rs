//! The texts of probes: what a program is given in place of the word that it does not know.

use crate::characters::{characters, constant};
use crate::tuning::{
    PROBE_LENGTHS, PROBE_LONG, PROBE_MAX_CHARACTERS, PROBE_MAX_DELIMITERS, PROBE_MAX_SIZES, PROBE_MAX_TEXT_BYTES,
    PROBE_MAX_WORDS, PROBE_REPEATS,
};
use blitz_ir::{CallSite, CmpOp, Const, Func, FuncId, Global, Inst, Program, Target, Value, ValueDef};
use std::collections::BTreeSet;

pub(super) type Text = Vec<u8>;

/// Stands for what is not known yet: no program has a word for it.
pub(super) const PLACEHOLDER: &[u8] = b"qz";

/// Numbers that programs are not ready for, the large ones first: what is new about them is varied further.
const NUMBERS: &[&[u8]] = &[
    b"2147483647",
    b"-1",
    b"0",
    b"1",
    b"2",
    b"7 9",
    b"255",
    b"65536",
    b"99999",
    b"-2147483648",
    b"4294967295",
    b"18446744073709551615",
    b"0x7fffffff",
    b"1 1 1 1 1 1",
    b"1.5e300",
];

/// What stands between numbers that are read together, as dates and sizes are.
const BETWEEN_NUMBERS: &[u8] = b"-/:,.x ";

/// Stand for the classes of characters: a letter, a digit, a blank, a byte that is not ASCII, punctuation.
const LETTERS: &[u8] = b"a1 \xc3.";

/// What a program is known to tell apart.
pub(super) struct Words {
    characters: BTreeSet<u8>,
    /// Lengths at which arrays of the program are full.
    sizes: BTreeSet<usize>,
    /// What it compared a placeholder with.
    dictionary: BTreeSet<Text>,
    /// Letters of options that have an argument, for `getopt`.
    pub options: BTreeSet<u8>,
}

impl Words {
    /// From the program's variables.
    pub fn of(program: &Program) -> Self {
        let sizes =
            program.globals.iter().filter(|g| !g.model && !g.constant).filter_map(|g| usize::try_from(g.size).ok());
        let mut words = Self {
            characters: BTreeSet::new(),
            sizes: BTreeSet::new(),
            dictionary: BTreeSet::new(),
            options: BTreeSet::new(),
        };
        sizes.for_each(|n| words.add_size(n));
        words
    }

    /// From a function that a run came to.
    pub fn learn(&mut self, program: &Program, func: FuncId) {
        let Some(body) = program.body(func) else { return };
        self.characters.extend(characters(body));
        for data in &body.insts {
            match &data.inst {
                Inst::Alloca { size, .. } => constant(body, *size).into_iter().for_each(|n| self.add_size(n as usize)),
                // An index that is checked against an array's length.
                Inst::Compare { op: CmpOp::Ult, rhs, .. } => {
                    constant(body, *rhs).into_iter().for_each(|n| self.add_size(n as usize));
                }
                Inst::Call(site) => {
                    site.args.iter().for_each(|&arg| self.learn_argument(program, body, arg));
                    self.options.extend(options(program, body, site));
                }
                _ => {}
            }
        }
    }

    /// What is looked for with library functions: `strchr(line, '=')`, `strtok(line, " ,")`.
    fn learn_argument(&mut self, program: &Program, body: &Func, arg: Value) {
        let characters = match &body.values[arg.index()].def {
            ValueDef::Const(Const::Bits(bits)) => {
                bits.to_u64().and_then(|n| u8::try_from(n).ok()).into_iter().collect()
            }
            ValueDef::Const(Const::Global(g, _)) => delimiters(&program.globals[g.index()]),
            ValueDef::Const(_) | ValueDef::Param(..) | ValueDef::Inst(..) => return,
        };
        self.characters.extend(characters.into_iter().filter(u8::is_ascii_graphic));
    }

    fn add_size(&mut self, n: usize) {
        if (2..=PROBE_MAX_TEXT_BYTES).contains(&n) {
            self.sizes.insert(n);
        }
    }

    /// Notes what a run compared.
    pub fn compare(&mut self, comparisons: &[(Vec<u8>, Vec<u8>)]) {
        for word in words(comparisons) {
            if self.dictionary.len() < PROBE_MAX_WORDS {
                self.dictionary.insert(word);
            }
        }
    }

    /// Lines that may follow another.
    pub fn lines(&self) -> Vec<Text> {
        let line = |word: &[u8], rest: &[u8]| [word, rest, b"\n"].concat();
        let known = self.dictionary.iter().flat_map(|word| [line(word, b"255"), line(word, PLACEHOLDER)]);
        [line(PLACEHOLDER, b"")].into_iter().chain(known).collect()
    }

    /// The text with something else in place of its first or last placeholder, and many times over.
    pub fn variants(&self, text: &[u8], comparisons: &[(Vec<u8>, Vec<u8>)]) -> Vec<Text> {
        let mut out = self.repeated(text);
        let Some(last) = last_position(text, PLACEHOLDER) else { return out };
        let fillings = self.fillings(comparisons);
        fill(text, last, &fillings, &mut out);
        match text.windows(PLACEHOLDER.len()).position(|w| w == PLACEHOLDER) {
            Some(first) if first != last => fill(text, first, &fillings, &mut out),
            Some(_) | None => {}
        }
        out
    }

    /// What is put in place of a placeholder.
    fn fillings(&self, comparisons: &[(Vec<u8>, Vec<u8>)]) -> Vec<Text> {
        let mut out: Vec<Text> = PROBE_LONG.map(|n| vec![b'a'; n]).to_vec();
        out.extend(self.letters().into_iter().flat_map(|letter| PROBE_LENGTHS.map(|n| vec![letter; n])));
        out.extend(NUMBERS.iter().map(|n| n.to_vec()));
        for &between in BETWEEN_NUMBERS {
            out.extend([b"0", b"1"].map(|n| [n.as_slice(), n, n].join(&between)));
        }
        for word in words(comparisons) {
            out.extend(NUMBERS.iter().map(|n| [&word, *n].concat()));
            out.extend([[&word, b" ".as_slice(), PLACEHOLDER].concat(), [&word, PLACEHOLDER].concat(), word]);
        }
        for &c in self.known() {
            let c: &[u8] = &[c];
            out.extend([c.to_vec(), [c, PLACEHOLDER].concat(), [PLACEHOLDER, c, PLACEHOLDER].concat()]);
            out.push([c, PLACEHOLDER, c].concat());
            out.extend(NUMBERS.iter().map(|n| [c, b" ", n].concat()));
        }
        out.extend(self.pairs().into_iter().flat_map(|pair| PROBE_LENGTHS.map(|n| pair.repeat(n / 2))));
        for &n in self.sizes.iter().take(PROBE_MAX_SIZES) {
            out.extend([b'a', b'1'].into_iter().flat_map(|letter| [n - 1, n, n + 1].map(|n| vec![letter; n])));
        }
        out
    }

    /// A whole text many times over.
    fn repeated(&self, text: &[u8]) -> Vec<Text> {
        let fits = |n: &&usize| **n * text.len() <= PROBE_MAX_TEXT_BYTES;
        PROBE_REPEATS.iter().filter(fits).map(|&n| text.repeat(n)).collect()
    }

    /// A function that knows more characters than this reads any text.
    fn known(&self) -> impl Iterator<Item = &u8> {
        self.characters.iter().take(PROBE_MAX_CHARACTERS)
    }

    fn letters(&self) -> BTreeSet<u8> {
        LETTERS.iter().chain(self.known()).copied().collect()
    }

    /// Words and what stands between them.
    fn pairs(&self) -> Vec<[u8; 2]> {
        let between: BTreeSet<u8> = [b' ', b'\n'].into_iter().chain(self.known().copied()).collect();
        between.iter().flat_map(|&c| [[b'a', c], [b'1', c]]).collect()
    }
}

/// A constant text that is short enough for a list of characters, and no format.
fn delimiters(global: &Global) -> Vec<u8> {
    let text = global.init.as_ref().filter(|_| global.constant && !global.model);
    let list = text.filter(|text| text.len() <= PROBE_MAX_DELIMITERS && !text.contains(&b'%'));
    list.map_or_else(Vec::new, Clone::clone)
}

/// The letters of options that a colon follows, if the call is one of `getopt`.
fn options(program: &Program, body: &Func, site: &CallSite) -> Vec<u8> {
    let Target::Func(callee) = site.target else { return Vec::new() };
    if !matches!(&*program.decl(callee).name, "getopt" | "getopt_long" | "getopt_long_only") {
        return Vec::new();
    }
    let letters = site.args.get(2).and_then(|&v| constant_text(program, body, v)).unwrap_or_default();
    letters.windows(2).filter(|pair| pair[0] != b':' && pair[1] == b':').map(|pair| pair[0]).collect()
}

fn constant_text(program: &Program, body: &Func, value: Value) -> Option<Text> {
    let ValueDef::Const(Const::Global(global, offset)) = &body.values[value.index()].def else { return None };
    let bytes = program.globals[global.index()].init.as_ref()?;
    let rest = bytes.get(usize::try_from(*offset).ok()?..)?;
    Some(rest.iter().copied().take_while(|b| *b != 0).collect())
}

/// Puts each filling where the placeholder is.
fn fill(text: &[u8], at: usize, fillings: &[Text], out: &mut Vec<Text>) {
    let (before, after) = (&text[..at], &text[at + PLACEHOLDER.len()..]);
    out.extend(fillings.iter().map(|filling| [before, filling, after].concat()));
}

/// What the placeholder, or a text that begins with it, was compared with.
fn words(comparisons: &[(Vec<u8>, Vec<u8>)]) -> BTreeSet<Text> {
    let mut out = BTreeSet::new();
    for (a, b) in comparisons {
        let other = match (last_position(a, PLACEHOLDER), last_position(b, PLACEHOLDER)) {
            (Some(_), None) => b,
            (None, Some(_)) => a,
            (Some(_), Some(_)) | (None, None) => continue,
        };
        if out.len() < PROBE_MAX_WORDS && !other.is_empty() && other.iter().all(|c| (b' '..=b'~').contains(c)) {
            out.insert(other.clone());
        }
    }
    out
}

fn last_position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).rposition(|w| w == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knowing(characters: &[u8], sizes: &[usize]) -> Words {
        Words {
            characters: characters.iter().copied().collect(),
            sizes: sizes.iter().copied().collect(),
            dictionary: BTreeSet::new(),
            options: BTreeSet::new(),
        }
    }

    #[test]
    fn the_last_placeholder_gives_way() {
        let texts = knowing(b",", &[16]).variants(b"x=qz\n", &[(b"qz".to_vec(), b"Root".to_vec())]);
        for text in ["x=aaaaaaaaaaaaaaaa\n", "x=Root qz\n", "x=,qz\n", "x=qz,qz\n", "x=-1\n", "x=0/0/0\n"] {
            assert!(texts.contains(&text.as_bytes().to_vec()), "{text:?} should be tried");
        }
        assert!(texts.iter().any(|t| t.starts_with(b"x=a,a,a,a,") && t.ends_with(b",\n")));
        assert!(texts.iter().any(|t| t.starts_with(b"x=qz\nx=qz\nx=qz\n")));
    }

    #[test]
    fn of_two_placeholders_either_gives_way() {
        let texts = knowing(b"", &[]).variants(b"qz=qz", &[]);
        assert!(texts.contains(&b"-1=qz".to_vec()) && texts.contains(&b"qz=-1".to_vec()));
    }

    #[test]
    fn only_what_the_placeholder_was_compared_with_is_a_word() {
        let word = |a: &[u8], b: &[u8]| words(&[(a.to_vec(), b.to_vec())]).into_iter().next();
        assert_eq!(word(b"Root", b"qz and more"), Some(b"Root".to_vec()));
        assert_eq!(word(b"Root", b"Directory"), None);
        assert_eq!(word(b"qz", b"two\nlines"), None);
    }
}
