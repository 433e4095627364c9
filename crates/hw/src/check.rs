//! The check: each property decided by the engine that was asked for, within the budget.

use crate::answer::{Invariant, Proof, Reason, Status, Verdict, Violation};
use crate::bits::{Bits, NoBits};
use crate::engine::Engine;
use crate::invariant::Trust;
use crate::ltl::{Formula, monitored};
use crate::memories::{Cells, NoCells};
use crate::schedule::{self, Decided};
use crate::ts::{Goal, Ts};
use crate::words;
use blitz_base::{Budget, Stop};

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    pub engine: Engine,
    /// The most steps of a counterexample that is looked for.
    pub bound: Option<usize>,
    /// Whether proofs need certificates.
    pub trust: Trust,
    /// Which properties; none: all.
    pub properties: Option<Vec<usize>>,
}

impl Default for Options {
    fn default() -> Self {
        Self { engine: Engine::Auto, bound: None, trust: Trust::Solver, properties: None }
    }
}

/// The answer for one property.
#[derive(Clone, Debug)]
pub struct PropertyResult {
    pub property: usize,
    pub status: Status,
    /// Which engine gave it.
    pub engine: Engine,
    pub stats: Stats,
}

/// What it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Latches and gates that the property depends on.
    pub latches: usize,
    pub gates: usize,
    pub vars: u64,
    pub clauses: u64,
    pub conflicts: u64,
}

/// The answer.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub verdict: Verdict,
    pub results: Vec<PropertyResult>,
}

/// Decides the properties, one after the other.
pub fn check(ts: &Ts, options: &Options, budget: &Budget) -> Outcome {
    let wanted = options.properties.clone().unwrap_or_else(|| (0..ts.properties.len()).collect());
    let bits = Bits::new(ts, budget);
    let mut results = Vec::new();
    for (done, &property) in wanted.iter().enumerate() {
        let left = wanted.len() - done;
        let share = budget.remaining().map(|time| budget.child(time / left as u32));
        let budget = share.as_ref().unwrap_or(budget);
        if let Goal::Ltl(formula) = &ts.properties[property].goal {
            results.push(formula_holds(ts, property, formula, options, budget));
            continue;
        }
        results.push(match &bits {
            Ok(bits) => decide(ts, property, bits, options, budget),
            Err(NoBits::Array) => with_arrays(ts, property, options, budget),
            Err(NoBits::Stopped(stop)) => stopped(property, *stop, options.engine),
        });
    }
    Outcome { verdict: Verdict::of(results.iter().map(|r| &r.status)), results }
}

/// Decides a formula of LTL on the system with its monitor. What is found there is a path of the system too, and is replayed as one.
fn formula_holds(ts: &Ts, property: usize, formula: &Formula, options: &Options, budget: &Budget) -> PropertyResult {
    let composed = monitored(ts, formula, &ts.properties[property].name, None);
    let result = match Bits::new(&composed.ts, budget) {
        Ok(bits) => decide(&composed.ts, 0, &bits, options, budget),
        Err(NoBits::Array) => with_arrays(&composed.ts, 0, options, budget),
        Err(NoBits::Stopped(stop)) => stopped(0, stop, options.engine),
    };
    let status = match result.status {
        Status::Violated(violation) => {
            let path = composed.project(violation.trace());
            Status::Violated(Violation::confirmed(ts, &ts.properties[property].goal, path, result.engine.name()))
        }
        Status::Proved(Proof::Invariant(invariant)) => {
            let monitor = composed.ts.states[ts.states.len()..].iter().map(|s| s.name.clone()).collect();
            Status::Proved(Proof::Invariant(Invariant { monitor, ..invariant }))
        }
        other => other,
    };
    PropertyResult { property, status, ..result }
}

fn stopped(property: usize, stop: Stop, engine: Engine) -> PropertyResult {
    let status = Status::Unknown { reason: Reason::Solver(stop.into()), holds_up_to: None };
    PropertyResult { property, status, engine, stats: Stats::default() }
}

/// Decides a property of a system with memories: as cells, where these are few enough.
fn with_arrays(ts: &Ts, property: usize, options: &Options, budget: &Budget) -> PropertyResult {
    match Cells::new(ts, property, budget) {
        Ok(cells) => in_cells(ts, property, &cells, options, budget),
        Err(NoCells::TooLarge) => in_words(ts, property, options, budget),
        Err(NoCells::Stopped(stop)) => stopped(property, stop, options.engine),
    }
}

fn in_cells(ts: &Ts, property: usize, cells: &Cells, options: &Options, budget: &Budget) -> PropertyResult {
    let bits = match Bits::new(&cells.ts, budget) {
        Ok(bits) => bits,
        Err(NoBits::Array) => panic!("a system of cells should have no arrays"),
        Err(NoBits::Stopped(stop)) => return stopped(property, stop, options.engine),
    };
    let result = decide(&cells.ts, 0, &bits, options, budget);
    let status = match result.status {
        Status::Violated(violation) => {
            let stimulus = cells.stimulus(ts, violation.trace());
            let goal = &ts.properties[property].goal;
            match Violation::from_stimulus(ts, goal, &stimulus, result.engine.name()) {
                Some(violation) => Status::Violated(violation),
                None => Status::Unknown { reason: Reason::OpenLoop, holds_up_to: None },
            }
        }
        Status::Proved(Proof::Invariant(invariant)) => Status::Proved(Proof::Invariant(cells.invariant(ts, invariant))),
        other => other,
    };
    PropertyResult { property, status, ..result }
}

fn in_words(ts: &Ts, property: usize, options: &Options, budget: &Budget) -> PropertyResult {
    let Decided { status, engine, stats } = words::decide(ts, &ts.properties[property].goal, options, budget);
    PropertyResult { property, status, engine, stats }
}

fn decide(ts: &Ts, property: usize, all: &Bits, options: &Options, budget: &Budget) -> PropertyResult {
    let goal = &ts.properties[property].goal;
    let bits = all.cone(property);
    let mut decided = schedule::decide(ts, goal, &bits, options, budget);
    if matches!(decided.status, Status::Unknown { reason: Reason::OpenLoop, .. }) {
        decided = schedule::decide(ts, goal, &all.whole(property), options, budget);
    }
    let stats = Stats { latches: bits.latches.len(), gates: bits.g.len(), ..decided.stats };
    PropertyResult { property, status: decided.status, engine: decided.engine, stats }
}
