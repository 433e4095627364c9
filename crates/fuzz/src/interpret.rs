//! A test in the interpreter: the same bytes by the same way, every check on.
//!
//! Why: the interpreter sees what no sanitizer does (leaks, values that were never set, indices inside a struct), and what a native run shows is
//! reported with the interpreter's account of it. Where the two differ, the difference is named.

use crate::carrier::{Carrier, FILE_NAME, arguments};
use blitz_base::Budget;
use blitz_engines::Violation;
use blitz_interp::{InputSource, InputValue, Outcome, RunConfig, RunResult, Runner, Script, TraceLevel};
use blitz_ir::{Checks, Program};

/// Instructions of one run: what takes longer natively than a tenth of a second is of no use for a search.
const STEPS: u64 = 10_000_000;

/// Runs tests of one program.
pub struct Interpreter<'p> {
    runner: Runner<'p>,
    way: Way,
}

/// How tests get in.
#[derive(Clone, Debug)]
pub struct Way {
    pub carrier: Carrier,
    /// The program's other arguments.
    pub args: Vec<Vec<u8>>,
    pub checks: Checks,
}

impl Way {
    /// What is typed for a test.
    pub fn script(&self, bytes: &[u8]) -> Script {
        // The file and the variable are the only ones there are; nobody else answers.
        let mut script = Script {
            args: self.args.clone(),
            file: Some((FILE_NAME.as_bytes().to_vec(), Vec::new())),
            variable: Some((Vec::new(), Vec::new())),
            ..Script::default()
        };
        match &self.carrier {
            Carrier::Stdin | Carrier::Socket => script.stdin = bytes.to_vec(),
            Carrier::File => script.file = Some((FILE_NAME.as_bytes().to_vec(), bytes.to_vec())),
            Carrier::Argv => script.args.extend(arguments(bytes).into_iter().map(|(_, a)| a.to_vec())),
            Carrier::Env(name) => script.variable = Some((name.as_bytes().to_vec(), bytes.to_vec())),
            Carrier::Direct => script.values = Some(bytes.to_vec()),
        }
        if self.carrier != Carrier::File {
            script.file = Some((Vec::new(), Vec::new()));
        }
        script
    }
}

impl<'p> Interpreter<'p> {
    pub fn new(program: &'p Program, way: Way) -> Self {
        Self { runner: Runner::new(program, TraceLevel::Branches), way }
    }

    pub fn program(&self) -> &'p Program {
        self.runner.program()
    }

    pub fn way(&self) -> &Way {
        &self.way
    }

    fn config(&self, inputs: InputSource, trace: TraceLevel) -> RunConfig {
        RunConfig { inputs, trace, max_steps: Some(STEPS), checks: self.way.checks, ..RunConfig::default() }
    }

    /// Runs a test; branches are traced.
    pub fn run(&self, bytes: &[u8], budget: &Budget) -> RunResult {
        let inputs = InputSource::Script(self.way.script(bytes));
        self.runner.run(&self.config(inputs, TraceLevel::Branches), budget)
    }

    /// The violation a test shows, with everything that is reported of one.
    pub fn violation(&self, bytes: &[u8], budget: &Budget) -> Result<Violation, Unseen> {
        let first = self.run(bytes, budget);
        match first.outcome {
            Outcome::Violation(_) => {}
            Outcome::Halt(_) => return Err(Unseen::Aborted),
            _ => return Err(Unseen::Otherwise(ending(self.program(), &first))),
        }
        let values: Vec<InputValue> = first.inputs_used.iter().map(|u| u.value.clone()).collect();
        let inputs = InputSource::Recorded(values.clone());
        let full = blitz_interp::run(self.program(), &self.config(inputs, TraceLevel::Full), budget);
        let why = ending(self.program(), &full);
        let names = full.inputs_used.iter().map(|u| u.name.clone()).collect();
        Violation::confirmed(full, values, names, "fuzz").ok_or(Unseen::Otherwise(why))
    }
}

/// How a run without a violation ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unseen {
    /// The program ended itself abnormally, which is no violation of C's rules; a native run dies of it all the same.
    Aborted,
    /// In any other way, in words.
    Otherwise(String),
}

/// How a run ended, in words.
pub fn ending(program: &Program, run: &RunResult) -> String {
    match &run.outcome {
        Outcome::Exit(status) => format!("exit {}", status & 0xff),
        Outcome::Halt(status) => format!("abnormal end with status {status}"),
        Outcome::Violation(what) => {
            format!("{} at {}:{}", what.kind, program.file(what.loc.file), what.loc.line)
        }
        Outcome::AssumeFailed(_) => "left what is assumed".to_owned(),
        Outcome::Unsupported { what, loc } => {
            let place =
                if loc.is_known() { format!(" at {}:{}", program.file(loc.file), loc.line) } else { String::new() };
            format!("not supported: {what}{place}")
        }
        Outcome::OutOfSteps => "no end within 10 million instructions".to_owned(),
        Outcome::Stopped(stop) => stop.to_string(),
    }
}
