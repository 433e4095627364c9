//! Why something is not decided: a sentence for people, and a code for programs.
//!
//! Invariant: nothing decides by the sentence. `docs/report.md` lists the codes.

use blitz_base::Stop;
use blitz_engines::{Reason, RunEnd, UnknownReason};
use blitz_ir::Unsupported;
use serde::Serialize;

/// In JSON the fields `reason` and `reason_code` of what it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Why {
    #[serde(rename = "reason")]
    pub text: String,
    #[serde(rename = "reason_code")]
    pub code: Code,
}

/// What kind of reason it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    OutOfTime,
    OutOfMemory,
    /// All of the work that a question or a search is worth was done.
    OutOfWork,
    Interrupted,
    /// The solver died or answered what makes no sense.
    SolverFailed,
    /// The solver can't answer.
    SolverGaveUp,
    NotLookedAt,
    /// A library model leaves behaviours out.
    LibraryModel,
    /// Functions without a body decide.
    NoBody,
    /// 32-bit pointers, as they are split, do not reach.
    OutOfReach,
    /// An execution runs into a violation of a kind that is switched off.
    SwitchedOff,
    Unsupported,
    /// A run did not show a violation that was predicted.
    NotConfirmed,
    /// A violation rests on more than the real program may do.
    Doubtful,
    /// The engine that looked can't prove anything, and found nothing.
    NothingFound,
    /// A limit of an engine that is not time, memory or work.
    Limit,
    /// Executions go on beyond a bound.
    Bound,
    /// A function needs a precondition.
    NeedsPrecondition,
}

impl Why {
    pub fn new(code: Code, text: impl Into<String>) -> Self {
        Self { text: text.into(), code }
    }
}

impl From<&Reason> for Why {
    fn from(reason: &Reason) -> Self {
        Why::new(code(reason), reason.to_string())
    }
}

impl From<Stop> for Code {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Time => Code::OutOfTime,
            Stop::Memory => Code::OutOfMemory,
            Stop::Cancelled => Code::Interrupted,
            Stop::Effort => Code::OutOfWork,
        }
    }
}

/// The kind of a reason.
pub fn code(reason: &Reason) -> Code {
    match reason {
        Reason::Stopped(stop) => (*stop).into(),
        Reason::Solver(why) => of_solver(why),
        Reason::BeyondBound => Code::SolverGaveUp,
        Reason::NotLookedAt => Code::NotLookedAt,
        Reason::Unsupported(what) => of_unsupported(what),
        Reason::NotShown(RunEnd::Unsupported {
            what: what @ (Unsupported::OutOfReach(_) | Unsupported::Unasked(_)),
            ..
        }) => of_unsupported(what),
        Reason::NotShown(_) | Reason::Overtaken => Code::NotConfirmed,
        Reason::NothingFound { .. } | Reason::RunsOnly => Code::NothingFound,
        Reason::Limit(_) => Code::Limit,
    }
}

fn of_solver(why: &UnknownReason) -> Code {
    match why {
        UnknownReason::Timeout => Code::OutOfTime,
        UnknownReason::Memory => Code::OutOfMemory,
        UnknownReason::Conflicts => Code::OutOfWork,
        UnknownReason::Cancelled => Code::Interrupted,
        UnknownReason::Backend(_) => Code::SolverFailed,
        UnknownReason::Unsupported(_) => Code::SolverGaveUp,
    }
}

/// The kind of something unsupported.
pub fn of_unsupported(what: &Unsupported) -> Code {
    match what {
        Unsupported::Model(_) => Code::LibraryModel,
        Unsupported::OutOfReach(_) => Code::OutOfReach,
        Unsupported::NoBody(_) => Code::NoBody,
        Unsupported::Unasked(_) | Unsupported::Before(_) => Code::SwitchedOff,
        Unsupported::Instruction(_) | Unsupported::UnknownPointer | Unsupported::Other(_) => Code::Unsupported,
    }
}
