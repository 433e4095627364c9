//! Deciding formulas: the `Solver` trait and its back ends.
//!
//! A back end is asked with terms and answers with terms: assumptions, failed assumptions, values. The default, `cadical`,
//! is our own bit-blaster on CaDiCaL with lazy array lemmas; `smtlib:<command>` drives any SMT-LIB 2 process; `portfolio` and
//! `crosscheck` combine others. `make` builds one from its name.
//!
//! Invariants: a model is evaluated against every asserted term and assumption before anything of it is handed out; what
//! goes wrong outside (a process that dies, a full disk, no time) is `Outcome::Unknown` with the reason, never a verdict.
//! Absent: printing, exit codes, and any knowledge of programs.

pub mod aig;
pub mod arrays;
pub mod blast;
pub mod cadical;
pub mod cnf;
pub mod crosscheck;
mod dimacs;
mod factory;
mod linear;
pub mod portfolio;
pub mod sat;
mod script;
pub mod smtlib;
pub mod verify;

pub use dimacs::{Dimacs, dimacs};
pub use factory::{installed, make};
pub use script::{Factory, ScriptError, ScriptErrorCause, run_script};

use blitz_base::{Budget, Stop};
use blitz_term::{Assignment, Term, Terms, Value};
use std::fmt;
use std::time::Duration;

/// What a check said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Sat,
    Unsat,
    Unknown(UnknownReason),
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    Timeout,
    Memory,
    Conflicts,
    Cancelled,
    /// The back end failed; the text says how.
    Backend(String),
    /// The formula has something the back end does not know.
    Unsupported(String),
}

impl From<Stop> for UnknownReason {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Time => UnknownReason::Timeout,
            Stop::Memory => UnknownReason::Memory,
            Stop::Cancelled => UnknownReason::Cancelled,
            Stop::Effort => UnknownReason::Conflicts,
        }
    }
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Timeout => f.write_str("the solver ran out of time"),
            UnknownReason::Memory => f.write_str("the solver ran out of memory"),
            UnknownReason::Conflicts => f.write_str("the solver reached its limit of conflicts"),
            UnknownReason::Cancelled => f.write_str("the solver was interrupted"),
            UnknownReason::Backend(why) => write!(f, "the solver failed: {why}"),
            UnknownReason::Unsupported(what) => write!(f, "the solver does not support {what}"),
        }
    }
}

/// Counts of one solver since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverStats {
    pub vars: u64,
    pub clauses: u64,
    pub checks: u64,
    pub conflicts: u64,
    /// Instances of the array theory added on demand.
    pub lemmas: u64,
    /// Proof steps checked, in certified mode.
    pub certified: u64,
    pub solve_time: Duration,
}

/// Why a back end can't be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverError {
    /// No back end of this name; the text lists those there are.
    UnknownName(String),
    /// A solver that is not installed; the text says how to get it.
    Missing(String),
    /// It exists but did not start.
    Start(String),
}

impl fmt::Display for SolverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SolverError::UnknownName(text) | SolverError::Missing(text) | SolverError::Start(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for SolverError {}

/// Settings of a back end.
#[derive(Clone, Debug, Default)]
pub struct SolverConfig {
    /// Give up a check after this many conflicts.
    pub conflicts: Option<u32>,
    pub certify: Certify,
    /// Where `crosscheck` saves the formula of a disagreement; the current directory if unset.
    pub save_dir: Option<std::path::PathBuf>,
}

/// Whether `unsat` answers of the built-in solver carry a checked proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Certify {
    #[default]
    Off,
    /// The proof is kept in memory until it is checked.
    InMemory,
    /// The proof is written to this file, which stays.
    ToFile(std::path::PathBuf),
}

/// A live solver: terms are added, nothing is ever rebuilt or removed.
///
/// All terms must come from the same `Terms`.
pub trait Solver: Send {
    fn name(&self) -> String;

    /// Adds a Boolean term for good.
    fn assert(&mut self, terms: &mut Terms, t: Term);

    /// Decides the asserted terms together with the assumptions, which hold for this call only.
    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &Budget) -> Outcome;

    /// The value of any term after `Sat`; what nothing constrains is zero.
    fn value(&mut self, terms: &mut Terms, t: Term) -> Value;

    /// The values of the variables below `roots` after `Sat`.
    fn model(&mut self, terms: &mut Terms, roots: &[Term]) -> Assignment;

    /// After `Unsat`: assumptions that together with the asserted terms can't hold.
    fn failed_assumptions(&mut self) -> Vec<Term>;

    fn stats(&self) -> SolverStats;
}
