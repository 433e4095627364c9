//! The command line of `blitz cbmc`: CBMC's options, each understood, without effect on the answer, or refused by name.

use super::goto::EarlyBounds;
use super::{needs_value, not_understood};
use crate::Fault;
use blitz_ir::{CheckKind, Checks};
use std::path::PathBuf;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ui {
    Text,
    Json,
    Xml,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Check,
    ShowProperties,
    ShowLoops,
    ShowSymbols,
    /// Which blocks are reached.
    Cover,
    /// The formula is written, not decided.
    Write(Written),
    Version,
}

/// A form of the formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// `--show-vcc`
    Conditions,
    Smt2,
    Dimacs,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub task: Task,
    pub ui: Ui,
    pub files: Vec<PathBuf>,
    pub flags: Vec<String>,
    pub function: Option<String>,
    pub unwind: Option<u32>,
    pub unwindset: Vec<(String, u32)>,
    pub unwinding_assertions: bool,
    pub checks: Checks,
    pub malloc_may_fail: Option<bool>,
    pub nondet_static: bool,
    pub properties: Vec<String>,
    pub stop_on_fail: bool,
    pub trace: bool,
    /// `--smt2` was given.
    pub smt2: bool,
    /// Where a formula is written; stdout if not given.
    pub outfile: Option<PathBuf>,
    /// Checks that CBMC would make and blitz does not.
    pub unchecked: Vec<String>,
}

/// Options that change how CBMC works, not what it answers; with the number of words that follow.
const TUNING: &[(&str, usize)] = &[
    ("--flush", 0),
    ("--verbosity", 1),
    ("--object-bits", 1),
    ("--timestamp", 1),
    ("--sat-solver", 1),
    ("--external-sat-solver", 1),
    ("--external-smt2-solver", 1),
    ("--sat-preprocessor", 0),
    ("--no-sat-preprocessor", 0),
    ("--boolector", 0),
    ("--cvc5", 0),
    ("--mathsat", 0),
    ("--yices", 0),
    ("--z3", 0),
    ("--bitwuzla", 0),
    ("--beautify", 0),
    ("--no-simplify", 0),
    ("--no-simplify-if", 0),
    ("--no-propagation", 0),
    ("--no-pretty-names", 0),
    ("--slice-formula", 0),
    ("--reachability-slice", 0),
    ("--reachability-slice-fb", 0),
    ("--full-slice", 0),
    ("--drop-unused-functions", 0),
    ("--slice-global-inits", 0),
    ("--refine", 0),
    ("--refine-arrays", 0),
    ("--refine-arithmetic", 0),
    ("--arrays-uf-always", 0),
    ("--arrays-uf-never", 0),
    ("--max-field-sensitivity-array-size", 1),
    ("--no-array-field-sensitivity", 0),
    ("--symex-cache-dereferences", 0),
    ("--no-self-loops-to-assumptions", 0),
    ("--validate-goto-model", 0),
    ("--validate-ssa-equation", 0),
    ("--validate-trace", 0),
    ("--trace-hex", 0),
    ("--trace-show-code", 0),
    ("--trace-show-function-calls", 0),
    ("--compact-trace", 0),
    ("--stack-trace", 0),
    ("--malloc-fail-null", 0),
    ("--round-to-nearest", 0),
    ("--little-endian", 0),
];

/// Checks by CBMC's names, and what they are here. `standard` are on by default.
const CHECKS: &[(&str, &[CheckKind], bool)] = &[
    ("bounds-check", &[CheckKind::ArrayBounds], true),
    (
        "pointer-check",
        &[
            CheckKind::NullDeref,
            CheckKind::BufferOverflow,
            CheckKind::UseAfterFree,
            CheckKind::UseAfterScope,
            CheckKind::DoubleFree,
            CheckKind::InvalidFree,
        ],
        true,
    ),
    ("div-by-zero-check", &[CheckKind::DivByZero], true),
    ("signed-overflow-check", &[CheckKind::SignedOverflow], true),
    ("undefined-shift-check", &[CheckKind::Shift], true),
    ("unsigned-overflow-check", &[CheckKind::UnsignedOverflow], false),
    ("pointer-overflow-check", &[CheckKind::PointerOverflow], false),
    ("memory-leak-check", &[CheckKind::MemoryLeak], false),
    ("memory-cleanup-check", &[CheckKind::MemoryLeak], false),
];

/// Checks that blitz has no counterpart for: accepted, and named in the output.
const NOT_CHECKED: &[&str] = &[
    "conversion-check",
    "float-overflow-check",
    "nan-check",
    "enum-range-check",
    "float-div-by-zero-check",
    // Questions about a pointer that is none are answered here, not refused.
    "pointer-primitive-check",
];

impl Options {
    pub fn parse(words: &[String]) -> Result<Options, Fault> {
        let mut o = Options {
            task: Task::Check,
            ui: Ui::Text,
            files: Vec::new(),
            flags: Vec::new(),
            function: None,
            unwind: None,
            unwindset: Vec::new(),
            unwinding_assertions: true,
            checks: standard(),
            malloc_may_fail: None,
            nondet_static: false,
            properties: Vec::new(),
            stop_on_fail: false,
            trace: false,
            smt2: false,
            outfile: None,
            unchecked: Vec::new(),
        };
        let mut rest = words.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            o.word(word, &mut rest)?;
        }
        // With a file to write to, a solver's format is a wish for the formula; without one it names the solver.
        if o.smt2 && o.outfile.is_some() {
            o.task = Task::Write(Written::Smt2);
        }
        Ok(o)
    }

    fn word<'a>(&mut self, word: &str, rest: &mut impl Iterator<Item = &'a str>) -> Result<(), Fault> {
        let mut value = || rest.next().map(str::to_owned).ok_or_else(|| needs_value(word));
        match word {
            "--function" => self.function = Some(value()?),
            "--unwind" => self.unwind = Some(number(word, &value()?)?),
            "--unwindset" => self.unwindset.extend(loop_bounds(&value()?)?),
            "--unwinding-assertions" => self.unwinding_assertions = true,
            "--no-unwinding-assertions" => self.unwinding_assertions = false,
            "--trace" => self.trace = true,
            "--property" => self.properties.push(value()?),
            "--stop-on-fail" => self.stop_on_fail = true,
            "--json-ui" => self.ui = Ui::Json,
            "--xml-ui" => self.ui = Ui::Xml,
            "--show-properties" => self.task = Task::ShowProperties,
            "--show-loops" => self.task = Task::ShowLoops,
            "--show-symbol-table" => self.task = Task::ShowSymbols,
            "--show-vcc" => self.task = Task::Write(Written::Conditions),
            "--dimacs" => self.task = Task::Write(Written::Dimacs),
            "--smt2" => self.smt2 = true,
            "--outfile" => self.outfile = Some(PathBuf::from(value()?)),
            "--cover" => self.cover(&value()?)?,
            "--version" => self.task = Task::Version,
            "--malloc-may-fail" => self.malloc_may_fail = Some(true),
            "--no-malloc-may-fail" => self.malloc_may_fail = Some(false),
            "--nondet-static" => self.nondet_static = true,
            "--no-standard-checks" => self.no_standard_checks(),
            "--no-assertions" => self.checks = self.checks.without(CheckKind::Assertion),
            "--unsigned-char" => self.flags.push("-funsigned-char".to_owned()),
            "--32" => self.flags.push("-m32".to_owned()),
            "--64" => self.flags.push("-m64".to_owned()),
            "-I" | "-D" => self.flags.extend([word.to_owned(), value()?]),
            _ if word.starts_with("-I") || word.starts_with("-D") => self.flags.push(word.to_owned()),
            _ if word.starts_with('-') => self.other(word, rest)?,
            _ => self.files.push(PathBuf::from(word)),
        }
        Ok(())
    }

    fn other<'a>(&mut self, word: &str, rest: &mut impl Iterator<Item = &'a str>) -> Result<(), Fault> {
        let name = word.trim_start_matches('-');
        let (on, check) = match name.strip_prefix("no-") {
            Some(check) => (false, check),
            None => (true, name),
        };
        if let Some((_, kinds, _)) = CHECKS.iter().find(|(n, _, _)| *n == check) {
            let change = |set: Checks, kind: &CheckKind| if on { set.with(*kind) } else { set.without(*kind) };
            self.checks = kinds.iter().fold(self.checks, change);
        } else if NOT_CHECKED.contains(&check) {
            self.unchecked.retain(|u| u != check);
            self.unchecked.extend(on.then(|| check.to_owned()));
        } else if let Some((_, skipped)) = TUNING.iter().find(|(n, _)| *n == word) {
            rest.take(*skipped).for_each(drop);
        } else {
            return Err(not_understood("cbmc", word));
        }
        Ok(())
    }

    /// Coverage replaces the check; CBMC then leaves unwinding assertions aside.
    fn cover(&mut self, criterion: &str) -> Result<(), Fault> {
        if !matches!(criterion, "location" | "locations") {
            return Err(not_understood("cbmc", &format!("--cover {criterion}")));
        }
        self.task = Task::Cover;
        self.unwinding_assertions = false;
        Ok(())
    }

    fn no_standard_checks(&mut self) {
        self.checks = Checks::none().with(CheckKind::Assertion);
        self.unwinding_assertions = false;
        self.malloc_may_fail = self.malloc_may_fail.or(Some(false));
    }

    /// With the bounds that `goto-instrument` was given, which come first and are asserted.
    pub fn bounded_by(&self, early: &EarlyBounds) -> Options {
        let mut bounded = self.clone();
        let (unwind, unwindset) = early.as_cbmc_counts();
        if unwind.is_some() {
            bounded.unwind = unwind;
            bounded.unwindset.clear();
        }
        bounded.unwindset.extend(unwindset);
        bounded.unwinding_assertions |= early.any() && self.task != Task::Cover;
        bounded
    }
}

/// The bounds of `--unwindset`: `LOOP:K,LOOP:K`.
pub fn loop_bounds(list: &str) -> Result<Vec<(String, u32)>, Fault> {
    let one = |item: &str| {
        let split = item.rsplit_once(':').ok_or_else(|| Fault::new(format!("--unwindset: `{item}` is no LOOP:K")))?;
        Ok((split.0.to_owned(), number("--unwindset", split.1)?))
    };
    list.split(',').filter(|i| !i.is_empty()).map(one).collect()
}

pub fn number(option: &str, text: &str) -> Result<u32, Fault> {
    text.parse().map_err(|_| Fault::new(format!("{option}: `{text}` is no number")))
}

fn standard() -> Checks {
    let on = CHECKS.iter().filter(|(_, _, standard)| *standard).flat_map(|(_, kinds, _)| kinds.iter());
    on.fold(Checks::none().with(CheckKind::Assertion), |set, kind| set.with(*kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, Fault> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn checks_are_on_and_off_by_name() {
        let plain = parse("a.c").unwrap();
        assert!(plain.checks.has(CheckKind::SignedOverflow) && !plain.checks.has(CheckKind::MemoryLeak));
        let other = parse("--no-signed-overflow-check --memory-leak-check --conversion-check a.c").unwrap();
        assert!(!other.checks.has(CheckKind::SignedOverflow) && other.checks.has(CheckKind::MemoryLeak));
        assert_eq!(other.unchecked, ["conversion-check"]);
    }

    #[test]
    fn what_would_change_the_answer_is_refused() {
        let said = match parse("--depth 5 a.c") {
            Err(Fault::Sentence(text)) => text,
            other => panic!("{other:?}"),
        };
        assert!(said.contains("--depth"), "{said}");
        assert!(parse("--unwindset f.0:3,g.1:x").is_err());
        assert_eq!(parse("--unwindset f.0:3 --unwindset g.1:4").unwrap().unwindset.len(), 2);
    }
}
