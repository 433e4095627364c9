//! What an engine says about a property, and what the check says about the system.

use crate::bits::{BEGUN, FIRST_SEEN, Of};
use crate::sim::{self, Stimulus};
use crate::trace::Trace;
use crate::ts::{Goal, Ts};
use blitz_solver::UnknownReason;
use blitz_term::Sort;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

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
    /// No path of `k` good states leads to a bad one, and none of fewer from an initial state. States are good that violate neither this property nor
    /// any of the `others` that were proved with it.
    Induction { k: usize, others: usize },
    /// Clauses over bits of states that hold initially, stay true, and exclude the bad states.
    Invariant(Invariant),
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::Induction { k, others: 0 } => write!(f, "by induction with k = {k}"),
            Proof::Induction { k, others } => {
                write!(
                    f,
                    "by induction with k = {k}, together with {others} other{}",
                    if *others == 1 { "" } else { "s" }
                )
            }
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
    /// Names of the states behind those of the system: one bit each, of the monitor of a formula of LTL.
    pub monitor: Vec<String>,
}

impl Invariant {
    /// The invariant as a function of SMT-LIB over the states it mentions, and over what an encoding added to them, said in comments.
    pub fn smtlib(&self, ts: &Ts) -> String {
        let places: BTreeSet<usize> = self.clauses.iter().flatten().map(|l| l.state).collect();
        let mut text = String::new();
        for &place in &places {
            if let Some(meaning) = self.meaning(ts, place) {
                let _ = writeln!(text, "; {}: {meaning}", self.name(ts, place));
            }
        }
        let parameters: Vec<String> =
            places.iter().map(|&p| format!("({} {})", self.name(ts, p), smtlib_sort(self.sort(ts, p)))).collect();
        let _ = writeln!(text, "(define-fun invariant ({}) Bool (and true", parameters.join(" "));
        for clause in &self.clauses {
            let literals: Vec<String> = clause.iter().map(|l| self.literal(ts, l)).collect();
            let _ = writeln!(text, "  (or false {})", literals.join(" "));
        }
        text + "))\n"
    }

    fn literal(&self, ts: &Ts, l: &StateLit) -> String {
        let name = self.name(ts, l.state);
        let (word, bit) = match self.sort(ts, l.state) {
            Sort::Bv(_) => (name, l.bit),
            Sort::Array { index, elem } => {
                let elem = u32::from(elem);
                (format!("(select {name} (_ bv{} {index}))", l.bit / elem), l.bit % elem)
            }
        };
        format!("(= ((_ extract {bit} {bit}) {word}) #b{})", u8::from(l.value))
    }

    /// The state's name, or a name for what an encoding added.
    fn name(&self, ts: &Ts, place: usize) -> String {
        match Of::index(place) {
            Of::State(s) => format!("|{}|", self.state_name(ts, s)),
            Of::Copy(s) => format!("|{}!saved|", self.state_name(ts, s)),
            Of::Own(BEGUN) => "|loop!begun|".to_owned(),
            Of::Own(n) if n >= FIRST_SEEN => format!("|seen!{}|", n - FIRST_SEEN),
            Of::Own(_) => "|first!step|".to_owned(),
        }
    }

    fn state_name<'a>(&'a self, ts: &'a Ts, state: usize) -> &'a str {
        match ts.states.get(state) {
            Some(state) => &state.name,
            None => &self.monitor[state - ts.states.len()],
        }
    }

    fn sort(&self, ts: &Ts, place: usize) -> Sort {
        match Of::index(place) {
            Of::State(s) | Of::Copy(s) => ts.states.get(s).map_or(Sort::BOOL, |s| ts.terms.sort(s.var)),
            Of::Own(_) => Sort::BOOL,
        }
    }

    /// What that is which is no state of the model.
    fn meaning(&self, ts: &Ts, place: usize) -> Option<String> {
        match Of::index(place) {
            Of::State(s) if s < ts.states.len() => None,
            Of::State(_) => Some("a bit of the monitor of the formula".to_owned()),
            Of::Copy(s) => Some(format!("the value of {} where the loop began", self.state_name(ts, s))),
            Of::Own(BEGUN) => Some("1 once a loop was begun".to_owned()),
            Of::Own(n) if n >= FIRST_SEEN => {
                let n = n - FIRST_SEEN;
                Some(format!("1 once condition {n} of the property held in the loop, fairness conditions counted last"))
            }
            Of::Own(_) => Some("1 at time 0, then 0".to_owned()),
        }
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
