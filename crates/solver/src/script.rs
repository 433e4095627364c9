//! Runs SMT-LIB 2 scripts on any back end: the solver layer by itself.
//!
//! A level of `push` is an activation literal: its assertions hold under the literal, `check-sat` assumes the literals of the
//! live levels, `pop` drops one. So one live solver serves the whole script. Named assertions get a literal each when cores
//! are asked for.
//!
//! Invariant: what comes before a mistake in the script is run and its output kept; nothing is printed for what comes after.
//! Absent: proofs, `get-assertions`, `get-assignment` (answered `unsupported`, as the standard allows).

use crate::{Outcome, Solver, SolverError};
use blitz_base::Budget;
use blitz_term::smtlib::{Command, Declared, Labelled, ParseError, ScriptReader, print_value, quote_symbol};
use blitz_term::{Sort, Term, Terms};
use std::fmt;

/// Makes the solver of a script; called again when the script resets it.
pub type Factory<'a> = dyn Fn() -> Result<Box<dyn Solver>, SolverError> + 'a;

/// Why a script stopped early.
#[derive(Debug)]
pub struct ScriptError {
    /// What was answered before.
    pub output: Vec<String>,
    pub cause: ScriptErrorCause,
}

#[derive(Debug)]
pub enum ScriptErrorCause {
    Parse(ParseError),
    Solver(SolverError),
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            ScriptErrorCause::Parse(e) => write!(f, "{e}"),
            ScriptErrorCause::Solver(e) => write!(f, "{e}"),
        }
    }
}

impl std::error::Error for ScriptError {}

/// Runs a script and gives its answers, line by line.
pub fn run_script(text: &str, factory: &Factory<'_>, budget: &Budget) -> Result<Vec<String>, ScriptError> {
    let mut output = Vec::new();
    match run(text, factory, budget, &mut output) {
        Ok(()) => Ok(output),
        Err(cause) => Err(ScriptError { output, cause }),
    }
}

fn run(text: &str, factory: &Factory<'_>, budget: &Budget, output: &mut Vec<String>) -> Result<(), ScriptErrorCause> {
    let mut terms = Terms::new();
    let mut reader = ScriptReader::new(text);
    let mut session = Session::new(factory).map_err(ScriptErrorCause::Solver)?;
    while let Some(command) = reader.next(&mut terms).map_err(ScriptErrorCause::Parse)? {
        if command == Command::Exit {
            return Ok(());
        }
        let answer = session.command(&mut terms, command, budget).map_err(ScriptErrorCause::Solver)?;
        match answer {
            Answer::Nothing if session.print_success => output.push("success".to_owned()),
            Answer::Nothing => {}
            Answer::Text(text) => output.push(text),
        }
    }
    Ok(())
}

enum Answer {
    Nothing,
    Text(String),
}

fn text(s: &str) -> Answer {
    Answer::Text(s.to_owned())
}

fn error(why: &str) -> Answer {
    Answer::Text(format!("(error \"{}\")", why.replace('"', "\"\"")))
}

/// What lives between `push` and `pop`.
struct Level {
    /// Literal that switches the level's assertions on; the outermost has none.
    active: Option<Term>,
    named: Vec<(String, Term)>,
    declared: Vec<Declared>,
}

struct Session<'a> {
    factory: &'a Factory<'a>,
    solver: Box<dyn Solver>,
    levels: Vec<Level>,
    print_success: bool,
    cores: bool,
    last: Option<Outcome>,
    assumed: Vec<Labelled>,
}

impl<'a> Session<'a> {
    fn new(factory: &'a Factory<'a>) -> Result<Self, SolverError> {
        Ok(Self {
            factory,
            solver: factory()?,
            levels: vec![Level { active: None, named: Vec::new(), declared: Vec::new() }],
            print_success: false,
            cores: false,
            last: None,
            assumed: Vec::new(),
        })
    }

    fn command(&mut self, terms: &mut Terms, command: Command, budget: &Budget) -> Result<Answer, SolverError> {
        Ok(match command {
            Command::SetLogic(_) | Command::SetInfo(..) | Command::DefineFun(_) | Command::DefineSort(_) => {
                Answer::Nothing
            }
            Command::SetOption(name, value) => self.set_option(&name, &value),
            Command::Declare(declared) => {
                self.top().declared.push(declared);
                Answer::Nothing
            }
            Command::Assert(t, name) => self.assert(terms, t, name),
            Command::Push(levels) => self.push(terms, levels),
            Command::Pop(levels) => self.pop(terms, levels),
            Command::CheckSat => self.check(terms, Vec::new(), budget),
            Command::CheckSatAssuming(assumed) => self.check(terms, assumed, budget),
            Command::GetValue(asked) => self.values(terms, &asked),
            Command::GetModel => self.model(terms),
            Command::GetUnsatCore => self.core(),
            Command::GetUnsatAssumptions => self.unsat_assumptions(),
            Command::GetInfo(keyword) => self.info(&keyword),
            Command::Echo(words) => Answer::Text(format!("\"{}\"", words.replace('"', "\"\""))),
            Command::Reset => {
                *self = Session::new(self.factory)?;
                Answer::Nothing
            }
            Command::ResetAssertions => {
                let (print_success, cores) = (self.print_success, self.cores);
                let declared = std::mem::take(&mut self.levels[0].declared);
                *self = Session { print_success, cores, ..Session::new(self.factory)? };
                self.levels[0].declared = declared;
                Answer::Nothing
            }
            Command::GetAssertions | Command::GetAssignment | Command::GetProof | Command::GetOption(_) => {
                text("unsupported")
            }
            Command::Exit => Answer::Nothing,
        })
    }

    fn top(&mut self) -> &mut Level {
        self.levels.last_mut().expect("the outermost level should stay")
    }

    fn set_option(&mut self, name: &str, value: &str) -> Answer {
        match name {
            ":print-success" => self.print_success = value == "true",
            ":produce-unsat-cores" => self.cores = value == "true",
            _ => {}
        }
        Answer::Nothing
    }

    fn assert(&mut self, terms: &mut Terms, t: Term, name: Option<String>) -> Answer {
        self.last = None;
        let mut t = t;
        if let (Some(name), true) = (name, self.cores) {
            let literal = terms.fresh("named", Sort::BOOL);
            self.top().named.push((name, literal));
            t = terms.implies(literal, t);
        }
        if let Some(active) = self.top().active {
            t = terms.implies(active, t);
        }
        self.solver.assert(terms, t);
        Answer::Nothing
    }

    fn push(&mut self, terms: &mut Terms, levels: u32) -> Answer {
        self.last = None;
        for _ in 0..levels {
            let active = Some(terms.fresh("level", Sort::BOOL));
            self.levels.push(Level { active, named: Vec::new(), declared: Vec::new() });
        }
        Answer::Nothing
    }

    fn pop(&mut self, terms: &mut Terms, levels: u32) -> Answer {
        self.last = None;
        if levels as usize >= self.levels.len() {
            return error("more levels popped than pushed");
        }
        for _ in 0..levels {
            let Some(active) = self.levels.pop().and_then(|l| l.active) else { break };
            // The level never comes back: its clauses are satisfied for good.
            let off = terms.not(active);
            self.solver.assert(terms, off);
        }
        Answer::Nothing
    }

    fn check(&mut self, terms: &mut Terms, assumed: Vec<Labelled>, budget: &Budget) -> Answer {
        let mut assumptions: Vec<Term> = Vec::new();
        for level in &self.levels {
            assumptions.extend(level.active);
            assumptions.extend(level.named.iter().map(|(_, literal)| *literal));
        }
        assumptions.extend(assumed.iter().map(|l| l.value.term));
        let outcome = self.solver.check(terms, &assumptions, budget);
        let word = match &outcome {
            Outcome::Sat => "sat",
            Outcome::Unsat => "unsat",
            Outcome::Unknown(_) => "unknown",
        };
        self.last = Some(outcome);
        self.assumed = assumed;
        text(word)
    }

    fn values(&mut self, terms: &mut Terms, asked: &[Labelled]) -> Answer {
        if self.last != Some(Outcome::Sat) {
            return error("values are known only after sat");
        }
        let mut pairs = Vec::new();
        for item in asked {
            let value = self.solver.value(terms, item.value.term);
            pairs.push(format!("({} {})", item.text, print_value(item.sort(), &value)));
        }
        Answer::Text(format!("({})", pairs.join("\n ")))
    }

    fn model(&mut self, terms: &mut Terms) -> Answer {
        if self.last != Some(Outcome::Sat) {
            return error("a model is known only after sat");
        }
        let mut lines = vec!["(".to_owned()];
        for declared in self.levels.iter().flat_map(|l| &l.declared) {
            let value = self.solver.value(terms, declared.value.term);
            let (name, sort) = (quote_symbol(&declared.name), declared.value.sort);
            lines.push(format!("  (define-fun {name} () {sort} {})", print_value(sort, &value)));
        }
        lines.push(")".to_owned());
        Answer::Text(lines.join("\n"))
    }

    fn core(&mut self) -> Answer {
        if !self.cores {
            return error("unsat cores need (set-option :produce-unsat-cores true)");
        }
        if self.last != Some(Outcome::Unsat) {
            return error("a core is known only after unsat");
        }
        let failed = self.solver.failed_assumptions();
        let names: Vec<String> = self
            .levels
            .iter()
            .flat_map(|l| &l.named)
            .filter(|(_, literal)| failed.contains(literal))
            .map(|(name, _)| quote_symbol(name))
            .collect();
        Answer::Text(format!("({})", names.join(" ")))
    }

    fn unsat_assumptions(&mut self) -> Answer {
        if self.last != Some(Outcome::Unsat) {
            return error("failed assumptions are known only after unsat");
        }
        let failed = self.solver.failed_assumptions();
        let texts: Vec<&str> =
            self.assumed.iter().filter(|l| failed.contains(&l.value.term)).map(|l| l.text.as_str()).collect();
        Answer::Text(format!("({})", texts.join(" ")))
    }

    fn info(&self, keyword: &str) -> Answer {
        match keyword {
            ":name" => text("(:name \"blitz\")"),
            ":version" => Answer::Text(format!("(:version \"{}\")", env!("CARGO_PKG_VERSION"))),
            ":error-behavior" => text("(:error-behavior continued-execution)"),
            ":reason-unknown" => match &self.last {
                Some(Outcome::Unknown(reason)) => {
                    Answer::Text(format!("(:reason-unknown \"{}\")", reason.to_string().replace('"', "\"\"")))
                }
                Some(Outcome::Sat | Outcome::Unsat) | None => error("the last answer was not unknown"),
            },
            _ => text("unsupported"),
        }
    }
}
