//! The check: each property decided by the engine that was asked for, within the budget.

use crate::answer::{Invariant, Proof, Reason, Status, Verdict, Violation};
use crate::bits::{Bits, NoBits};
use crate::engine::Engine;
use crate::invariant::Trust;
use crate::joint::Joint;
use crate::ltl::{Formula, monitored};
use crate::memories::{Cells, NoCells};
use crate::schedule::{self, Decided};
use crate::ts::{Goal, Ts};
use crate::words;
use blitz_base::{Budget, Stop, Work};
use blitz_solver::UnknownReason;
use std::collections::BTreeMap;
use std::time::Duration;

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

/// What each of several properties is worth in the first pass, for any system and more for each of its gates, and how many times more in each later pass.
/// A hard property does not keep the others waiting, and what a pass did in vain is a fraction of what the next one does.
const FIRST_PASS: Work = Work::about_millis(100);
const FIRST_PASS_MICROS_PER_GATE: u64 = 10;
const PASS_GROWTH: u64 = 4;

/// Decides the properties: in passes, each of which is worth more work than the one before. A pass asks about each property, then about those that are
/// left together (`joint`), which is worth as much as they were one by one.
pub fn check(ts: &Ts, options: &Options, budget: &Budget) -> Outcome {
    let wanted = options.properties.clone().unwrap_or_else(|| (0..ts.properties.len()).collect());
    let bits = Bits::new(ts, budget);
    let gates = bits.as_ref().map_or(0, |b| b.g.len() as u64);
    let mut worth = FIRST_PASS.plus(Work::about(Duration::from_micros(FIRST_PASS_MICROS_PER_GATE * gates)));
    let mut results: BTreeMap<usize, PropertyResult> = BTreeMap::new();
    loop {
        let open = open(&wanted, &results);
        let alone = Joint::new(ts, &not_refuted(&wanted, &results)).is_none() && open.len() == 1;
        for &property in &open {
            let turn = if alone { budget.clone() } else { budget.worth(worth) };
            results.insert(property, decide_one(ts, property, &bits, options, &turn));
        }
        if open.is_empty() || alone || budget.expired().is_some() {
            break;
        }
        decide_together(ts, &wanted, &mut results, options, worth, budget);
        worth = worth.times(PASS_GROWTH);
    }
    let ended = budget.expired();
    let results: Vec<PropertyResult> =
        wanted.iter().filter_map(|p| Some(ended_by(results.remove(p)?, ended))).collect();
    Outcome { verdict: Verdict::of(results.iter().map(|r| &r.status)), results }
}

/// The properties that are not decided, or only because their turn was over.
fn open(wanted: &[usize], results: &BTreeMap<usize, PropertyResult>) -> Vec<usize> {
    wanted.iter().copied().filter(|p| results.get(p).is_none_or(is_cut)).collect()
}

/// These and the ones that were proved: what the open ones may lean on.
fn not_refuted(wanted: &[usize], results: &BTreeMap<usize, PropertyResult>) -> Vec<usize> {
    let proved = |p: &usize| matches!(results.get(p).map(|r| &r.status), Some(Status::Proved(_)));
    let open = open(wanted, results);
    wanted.iter().copied().filter(|p| proved(p) || open.contains(p)).collect()
}

/// Asks about all open properties at once, with those that were proved, and again about those that are left where some are violated.
fn decide_together(
    ts: &Ts,
    wanted: &[usize],
    results: &mut BTreeMap<usize, PropertyResult>,
    options: &Options,
    worth: Work,
    budget: &Budget,
) {
    while let Some(joint) = Joint::new(ts, &not_refuted(wanted, results)) {
        let left = open(wanted, results);
        let turn = budget.worth(worth.times(joint.count() as u64));
        let bits = Bits::new(&joint.all, &turn);
        let mut decided = joint.decided(&decide_one(&joint.all, 0, &bits, options, &turn));
        decided.retain(|r| left.contains(&r.property));
        if decided.is_empty() {
            return;
        }
        results.extend(decided.into_iter().map(|r| (r.property, r)));
    }
}

/// The result as it is when the check ends: a property whose turn was over would have had another, but for this.
fn ended_by(mut result: PropertyResult, stop: Option<Stop>) -> PropertyResult {
    if let (true, Some(stop), Status::Unknown { reason, .. }) = (is_cut(&result), stop, &mut result.status) {
        *reason = Reason::Solver(stop.into());
    }
    result
}

/// Whether the property is open because its turn was over.
fn is_cut(result: &PropertyResult) -> bool {
    matches!(result.status, Status::Unknown { reason: Reason::Solver(UnknownReason::Conflicts), .. })
}

fn decide_one(
    ts: &Ts,
    property: usize,
    bits: &Result<Bits, NoBits>,
    options: &Options,
    budget: &Budget,
) -> PropertyResult {
    if let Goal::Ltl(formula) = &ts.properties[property].goal {
        return formula_holds(ts, property, formula, options, budget);
    }
    match bits {
        Ok(bits) => decide(ts, property, bits, options, budget),
        Err(NoBits::Array) => with_arrays(ts, property, options, budget),
        Err(NoBits::Stopped(stop)) => stopped(property, *stop, options.engine),
    }
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
