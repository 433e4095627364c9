//! What turns a test into children, and looks at it more closely than a native run does.

use crate::crash::Crash;
use crate::interpret::{Interpreter, ending};
use crate::sage::Child;
use blitz_base::Budget;
use blitz_interp::{Outcome, RunResult};
use blitz_ir::Program;

/// What came of looking at a test.
#[derive(Default)]
pub struct Expansion {
    pub children: Vec<Child>,
    /// Decisions from here on are still to be negated.
    pub resume: Option<u32>,
    /// Texts that the program compares with.
    pub words: Vec<Vec<u8>>,
    pub tally: Tally,
    /// How the interpreter's run ended.
    pub ending: Option<String>,
    pub violation: Option<Crash>,
    /// What did not go as predicted: kind and example.
    pub surprises: Vec<(String, String)>,
}

/// What an expansion took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub followed: bool,
    pub decisions: u64,
    pub queries: u64,
    pub solved: u64,
    pub refuted: u64,
    pub undecided: u64,
}

/// Expands tests.
pub trait Expander {
    /// The children of a test, from its bound on.
    fn expand(&mut self, bytes: &[u8], bound: u32, budget: &Budget) -> Expansion;
}

/// Makes up texts from what the program does with others.
pub trait Source {
    /// The next ones, none if it knows no more.
    fn more(&mut self) -> Vec<Vec<u8>>;
}

impl Source for blitz_engines::RequestTexts<'_, '_> {
    fn more(&mut self) -> Vec<Vec<u8>> {
        blitz_engines::RequestTexts::more(self)
    }
}

/// Nothing but native runs.
pub struct Nothing;

impl Expander for Nothing {
    fn expand(&mut self, _: &[u8], _: u32, _: &Budget) -> Expansion {
        Expansion::default()
    }
}

/// The interpreter alone: its checks and the words it compares, no children.
impl Expander for Interpreter<'_> {
    fn expand(&mut self, bytes: &[u8], _: u32, budget: &Budget) -> Expansion {
        let run = self.run(bytes, budget);
        observed(self.program(), &run)
    }
}

/// What a run in the interpreter shows.
pub fn observed(program: &Program, run: &RunResult) -> Expansion {
    let words = run.observed.comparisons.iter().flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    Expansion { words, ending: Some(ending(program, run)), violation: crash(program, run), ..Expansion::default() }
}

/// The violation of a run, as a crash is described.
fn crash(program: &Program, run: &RunResult) -> Option<Crash> {
    let Outcome::Violation(what) = &run.outcome else { return None };
    let function = what.stack.iter().find(|f| !program.decl(f.func).model);
    Some(Crash {
        text: what.kind.name().to_owned(),
        file: program.file(what.loc.file).to_owned(),
        line: what.loc.line,
        function: function.map(|f| program.decl(f.func).name.clone()).unwrap_or_default(),
        report: String::new(),
    })
}
