//! What an engine says about a property, and what the check says about the system.

use crate::sim::{self, Stimulus};
use crate::trace::Trace;
use crate::ts::{Goal, Ts};
use blitz_solver::UnknownReason;
use blitz_term::Sort;
use std::fmt;

/// A counterexample that the simulator accepted.
#[derive(Clone, Debug)]
pub struct Violation {
    trace: Trace,
}

impl Violation {
    /// Replays a trace. One that is no counterexample is a defect of the engine that found it.
    pub fn confirmed(ts: &Ts, goal: &Goal, trace: Trace, engine: &str) -> Violation {
        if let Err(mismatch) = sim::replay(ts, &trace, goal) {
            panic!("a counterexample of {engine} should replay in the simulator: {mismatch}");
        }
        Violation { trace }
    }

    /// The counterexample that these values lead to; none if its loop does not close for the states that the property does not depend on.
    pub fn from_stimulus(ts: &Ts, goal: &Goal, stimulus: &Stimulus, engine: &str) -> Option<Violation> {
        sim::run_closed(ts, stimulus).map(|trace| Violation::confirmed(ts, goal, trace, engine))
    }

    /// The path.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }
}

/// Why a property holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// No state without repetition leads to it in more than `k` steps, and none in fewer from an initial state.
    Induction { k: usize },
    /// Clauses over bits of states that hold initially, stay true, and exclude the bad states.
    Invariant(Invariant),
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::Induction { k } => write!(f, "by induction with k = {k}"),
            Proof::Invariant(invariant) => {
                let count = invariant.clauses.len();
                write!(f, "by an inductive invariant of {count} clause{}", if count == 1 { "" } else { "s" })
            }
        }
    }
}

/// A literal of an invariant: a bit of a state, true or false. The bits of a memory are those of its cells, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateLit {
    pub state: usize,
    pub bit: u32,
    pub value: bool,
}

/// A conjunction of clauses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariant {
    pub clauses: Vec<Vec<StateLit>>,
}

impl Invariant {
    /// The invariant as a function of SMT-LIB over the states it mentions; none if it mentions latches that an encoding added.
    pub fn smtlib(&self, ts: &Ts) -> Option<String> {
        let literals = || self.clauses.iter().flatten();
        if literals().any(|l| l.state >= ts.states.len()) {
            return None;
        }
        let states: std::collections::BTreeSet<usize> = literals().map(|l| l.state).collect();
        let parameter =
            |s: usize| format!("(|{}| {})", ts.states[s].name, smtlib_sort(ts.terms.sort(ts.states[s].var)));
        let parameters: Vec<String> = states.into_iter().map(parameter).collect();
        let literal = |l: &StateLit| {
            let state = &ts.states[l.state];
            let (word, bit) = match ts.terms.sort(state.var) {
                Sort::Bv(_) => (format!("|{}|", state.name), l.bit),
                Sort::Array { index, elem } => {
                    let elem = u32::from(elem);
                    (format!("(select |{}| (_ bv{} {index}))", state.name, l.bit / elem), l.bit % elem)
                }
            };
            format!("(= ((_ extract {bit} {bit}) {word}) #b{})", u8::from(l.value))
        };
        let clause =
            |c: &Vec<StateLit>| format!("  (or false {})\n", c.iter().map(literal).collect::<Vec<_>>().join(" "));
        let clauses: String = self.clauses.iter().map(clause).collect();
        Some(format!("(define-fun invariant ({}) Bool (and true\n{clauses}))\n", parameters.join(" ")))
    }
}

fn smtlib_sort(sort: Sort) -> String {
    match sort {
        Sort::Bv(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, elem } => format!("(Array (_ BitVec {index}) (_ BitVec {elem}))"),
    }
}

/// What is known about one property.
#[derive(Clone, Debug)]
pub enum Status {
    Violated(Violation),
    Proved(Proof),
    /// Holds on all paths of at most so many steps, and no more was asked for.
    HoldsUpTo(usize),
    Unknown {
        reason: Reason,
        /// Up to how many steps it holds, as far as that is known.
        holds_up_to: Option<usize>,
    },
}

impl Status {
    /// As in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Status::Violated(_) => "violated",
            Status::Proved(_) => "proved",
            Status::HoldsUpTo(_) => "bounded",
            Status::Unknown { .. } => "unknown",
        }
    }
}

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Solver(UnknownReason),
    /// The model has something the engine can't do; the text names it.
    Unsupported(String),
    /// A lasso was found that the states its property does not depend on do not follow within reason.
    OpenLoop,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Solver(UnknownReason::Timeout) => f.write_str("out of time"),
            Reason::Solver(UnknownReason::Memory) => f.write_str("out of memory"),
            Reason::Solver(UnknownReason::Cancelled) => f.write_str("interrupted"),
            Reason::Solver(other) => write!(f, "{other}"),
            Reason::OpenLoop => f.write_str("a lasso was found whose other states do not repeat"),
            Reason::Unsupported(what) => write!(f, "not supported: {what}"),
        }
    }
}

/// The answer for the system as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Safe,
    Violation,
    Bounded,
    Unknown,
}

impl Verdict {
    /// As in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Violation => "violation",
            Verdict::Bounded => "bounded",
            Verdict::Unknown => "unknown",
        }
    }

    /// What the statuses of all properties add up to.
    pub fn of<'a>(statuses: impl IntoIterator<Item = &'a Status>) -> Verdict {
        let mut verdict = Verdict::Safe;
        for status in statuses {
            verdict = match (status, verdict) {
                (Status::Violated(_), _) | (_, Verdict::Violation) => Verdict::Violation,
                (Status::Unknown { .. }, _) | (_, Verdict::Unknown) => Verdict::Unknown,
                (Status::HoldsUpTo(_), _) | (_, Verdict::Bounded) => Verdict::Bounded,
                (Status::Proved(_), Verdict::Safe) => Verdict::Safe,
            };
        }
        verdict
    }
}
