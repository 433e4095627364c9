//! Why nothing is known about a property: a type, since others decide by it.
//!
//! Whether a check is repeated, which hint a user gets and what a report's `reason_code` says follow from the variant; the sentence (`Display`) is for
//! people. Absent: places, which belong to the property or to the gap.

use blitz_base::Stop;
use blitz_ir::Unsupported;
use blitz_solver::UnknownReason;
use std::fmt;

/// Why a property is not decided, or why a search ended before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The budget was used up.
    Stopped(Stop),
    /// The solver gave up on the question.
    Solver(UnknownReason),
    /// The solver gave up on whether executions go on beyond the bound.
    BeyondBound,
    /// The search ended before it came to the property, by the user's wish.
    NotLookedAt,
    /// An execution reaches something unsupported, and the property hangs on it.
    Unsupported(Unsupported),
    /// A violation was predicted, but its run did something else.
    NotShown(RunEnd),
    /// A violation was predicted, but its run violated another property before.
    Overtaken,
    /// A search that can't prove anything found no violation up to this bound.
    NothingFound { bound: u32 },
    /// A limit of an engine.
    Limit(Limit),
    /// Only runs were looked at.
    RunsOnly,
}

/// A limit of an engine that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Obligations,
    PreconditionSize,
    Weakenings(u32),
    Paths(u64),
    PathSteps(u64),
    Forks(u64),
}

/// How a run ended that should have shown a violation. Places are `file:line`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    Exit(i32),
    Halt(i32),
    AssumeFailed { place: String },
    Unsupported { what: Unsupported, place: String },
    OutOfSteps,
    Stopped(Stop),
}

impl From<Stop> for Reason {
    fn from(stop: Stop) -> Self {
        Reason::Stopped(stop)
    }
}

impl From<UnknownReason> for Reason {
    fn from(why: UnknownReason) -> Self {
        Reason::Solver(why)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(stop) => stop.fmt(f),
            Reason::Solver(why) => why.fmt(f),
            Reason::BeyondBound => f.write_str("the solver gave up on what lies beyond the bound"),
            Reason::NotLookedAt => f.write_str("not looked at"),
            // It is what the user can change, not what we can't do.
            Reason::Unsupported(what @ Unsupported::NoBody(_)) => what.fmt(f),
            Reason::Unsupported(what) => write!(f, "unsupported: {what}"),
            Reason::NotShown(end) => write!(f, "a violation was predicted but its run did not show it: {end}"),
            Reason::Overtaken => f.write_str("a violation was predicted but its run violated another property before"),
            Reason::NothingFound { bound } => {
                write!(f, "no violation was found at bound {bound}; this engine does not prove absence")
            }
            Reason::Limit(limit) => limit.fmt(f),
            Reason::RunsOnly => f.write_str("runs alone prove nothing"),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Obligations => f.write_str("too many obligations"),
            Limit::PreconditionSize => f.write_str("a precondition grew too large"),
            Limit::Weakenings(most) => write!(f, "{most} weakenings of a precondition were not enough"),
            Limit::Paths(most) => write!(f, "{most} paths were looked at"),
            Limit::PathSteps(most) => write!(f, "a path did not end within {most} steps"),
            Limit::Forks(most) => write!(f, "the limit of {most} forks was reached"),
        }
    }
}

impl fmt::Display for RunEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunEnd::Exit(status) => write!(f, "the run ended normally with status {status}"),
            RunEnd::Halt(status) => write!(f, "the run ended abnormally with status {status}"),
            RunEnd::AssumeFailed { place } => write!(f, "the run left what is assumed at {place}"),
            RunEnd::Unsupported { what, place } => write!(f, "the run met something unsupported at {place}: {what}"),
            RunEnd::OutOfSteps => f.write_str("the run did not end"),
            RunEnd::Stopped(stop) => write!(f, "the run was stopped: {stop}"),
        }
    }
}
