//! What an engine answers.

use crate::coverage::Coverage;
use crate::explore::Exploration;
use crate::reason::{Reason, RunEnd};
use blitz_base::span::Loc;
use blitz_interp::{InputValue, Outcome, RunResult};
use blitz_ir::{CheckKind, InputName, PropertyId, Unsupported};
use blitz_solver::SolverStats;
use std::time::Duration;

/// The answer for the program as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// All properties hold, unwinding was complete.
    Safe,
    Violation,
    /// Everything holds up to the bound.
    Bounded,
    Unknown,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Violation => "violation",
            Verdict::Bounded => "bounded",
            Verdict::Unknown => "unknown",
        }
    }
}

/// The answer for one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Violated,
    Proved,
    /// No execution within what was looked at gets there, and what was looked at is everything.
    Unreachable,
    HoldsUpTo(u32),
    Unknown(Reason),
}

impl Status {
    pub fn name(&self) -> &'static str {
        match self {
            Status::Violated => "violated",
            Status::Proved => "proved",
            Status::Unreachable => "unreachable",
            Status::HoldsUpTo(_) => "bounded",
            Status::Unknown(_) => "unknown",
        }
    }
}

#[derive(Clone, Debug)]
pub struct PropertyResult {
    pub property: PropertyId,
    pub status: Status,
    pub engine: &'static str,
    /// What it took, where the engine looks at properties one by one.
    pub effort: Option<Effort>,
}

/// What the compositional engine did for one property: the columns of the paper's table.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    pub segments: u32,
    /// Segments on the way from the violation to the start of the program, in the longest chain.
    pub refinements: u32,
    pub weakenings: u32,
    /// Terms of the largest formula.
    pub terms: usize,
    pub queries: u64,
    pub solve_time: Duration,
    /// The chain of preconditions that came nearest to the start, from the error on.
    pub nearest: Vec<Precondition>,
}

impl Effort {
    /// Both together.
    pub fn add(&mut self, other: Effort) {
        self.segments += other.segments;
        self.refinements = self.refinements.max(other.refinements);
        self.weakenings = self.weakenings.max(other.weakenings);
        self.terms = self.terms.max(other.terms);
        self.queries += other.queries;
        self.solve_time += other.solve_time;
        if self.nearest.len() < other.nearest.len() {
            self.nearest = other.nearest;
        }
    }
}

/// A violation that was executed.
#[derive(Clone, Debug)]
pub struct Violation {
    run: RunResult,
    pub inputs: Vec<InputValue>,
    pub input_names: Vec<InputName>,
    pub engine: &'static str,
    /// From the error back to the entry: conditions under which it happens, for people.
    pub preconditions: Vec<Precondition>,
    /// As it was found, where the inputs were made smaller since: a native run may show the one and not the other.
    pub as_found: Option<Box<Violation>>,
}

/// Under which condition a call of a function ends in the violation.
#[derive(Clone, Debug)]
pub struct Precondition {
    pub func: blitz_ir::FuncId,
    /// The function, or the statement of it that is meant.
    pub loc: blitz_base::span::Loc,
    pub condition: String,
}

impl Violation {
    /// Only from a run that ended in a violation.
    pub fn confirmed(
        run: RunResult,
        inputs: Vec<InputValue>,
        input_names: Vec<InputName>,
        engine: &'static str,
    ) -> Option<Self> {
        matches!(run.outcome, Outcome::Violation(_)).then_some(Self {
            run,
            inputs,
            input_names,
            engine,
            preconditions: Vec::new(),
            as_found: None,
        })
    }

    /// The run that showed it.
    pub fn run(&self) -> &RunResult {
        &self.run
    }

    /// What was violated.
    pub fn what(&self) -> &blitz_interp::Violation {
        match &self.run.outcome {
            Outcome::Violation(v) => v,
            Outcome::Exit(_)
            | Outcome::AssumeFailed(_)
            | Outcome::Unsupported { .. }
            | Outcome::OutOfSteps
            | Outcome::Stopped(_)
            | Outcome::Halt(_) => unreachable!("the constructor admits violations only"),
        }
    }
}

/// What a bound is a bound of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundKind {
    Loop,
    Recursion,
    /// Turns of each thread.
    Rounds,
}

/// A place where unwinding ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundReached {
    /// `main.1`, or the function's name for recursion.
    pub name: String,
    pub kind: BoundKind,
    pub bound: u32,
    pub loc: Loc,
}

/// Something of ours that went wrong without making the answer wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unconfirmed {
    pub property: PropertyId,
    pub kind: CheckKind,
    pub why: RunEnd,
}

#[derive(Clone, Debug, Default)]
pub struct Stats {
    pub terms: usize,
    pub clauses: u64,
    pub variables: u64,
    pub queries: u64,
    pub conflicts: u64,
    pub lemmas: u64,
    /// Steps of proofs checked, with `--certify`.
    pub certified: u64,
    pub claims: usize,
    pub rounds: u32,
    /// How often a precondition of the violation found was weakened.
    pub weakenings: u32,
    /// Calls that were opened, and calls that nobody had to look into.
    pub inlined: u32,
    pub left_open: u32,
    /// Steps of symbolic execution.
    pub steps: u64,
    pub solve_time: Duration,
    pub total_time: Duration,
    /// Why the search ended before its end, if it did.
    pub stopped: Option<Reason>,
}

impl Stats {
    /// Takes over what was spent elsewhere; the clock is nobody's sum, and why one search ended not why all did.
    pub(crate) fn add(&mut self, other: &Stats) {
        self.terms += other.terms;
        self.clauses += other.clauses;
        self.variables += other.variables;
        self.queries += other.queries;
        self.conflicts += other.conflicts;
        self.lemmas += other.lemmas;
        self.certified += other.certified;
        self.claims += other.claims;
        self.rounds += other.rounds;
        self.weakenings += other.weakenings;
        self.inlined += other.inlined;
        self.left_open += other.left_open;
        self.steps += other.steps;
        self.solve_time += other.solve_time;
    }

    /// Adds what a solver has done.
    pub(crate) fn add_solver(&mut self, solver: &SolverStats) {
        self.clauses += solver.clauses;
        self.variables += solver.vars;
        self.queries += solver.checks;
        self.conflicts += solver.conflicts;
        self.lemmas += solver.lemmas;
        self.certified += solver.certified;
        self.solve_time += solver.solve_time;
    }
}

/// The whole answer.
#[derive(Clone, Debug)]
pub struct Report {
    pub verdict: Verdict,
    pub properties: Vec<PropertyResult>,
    pub violations: Vec<Violation>,
    /// Loops and recursions that go on beyond what was looked at.
    pub bounds: Vec<BoundReached>,
    /// Functions that were called without body or model; Violations assume that they change nothing, proofs that they change anything they reach.
    pub bodiless: Vec<String>,
    /// The engines that were asked, in order, each with its own verdict.
    pub runs: Vec<(&'static str, Verdict)>,
    /// What was done and what the answer rests on, for people.
    pub notes: Vec<String>,
    /// Reasons for `unknown`, with their places.
    pub gaps: Vec<(Unsupported, Loc)>,
    pub unconfirmed: Vec<Unconfirmed>,
    /// What was looked at and reached, where the engine runs the program from its start.
    pub coverage: Coverage,
    /// The paths, where they were asked for.
    pub exploration: Option<Box<Exploration>>,
    pub stats: Stats,
}
