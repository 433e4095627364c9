//! The check: each property decided by the engine that was asked for, within the budget.

use crate::answer::{Reason, Status, Verdict, Violation};
use crate::bits::{BitGoal, Bits, NoBits};
use crate::bmc::Bmc;
use crate::engine::{Engine, Progress};
use crate::ltl::{Formula, monitored};
use crate::ts::{Goal, Ts};
use blitz_base::Budget;

/// What is asked for.
#[derive(Clone, Debug)]
pub struct Options {
    pub engine: Engine,
    /// The most steps of a counterexample that is looked for.
    pub bound: Option<usize>,
    /// Which properties; none: all.
    pub properties: Option<Vec<usize>>,
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
            Ok(bits) => decide(ts, property, &bits.cone(property), options, budget),
            Err(why) => refused(property, why, options.engine),
        });
    }
    Outcome { verdict: Verdict::of(results.iter().map(|r| &r.status)), results }
}

/// Decides a formula of LTL on the system with its monitor. What is found there is a path of the system too, and is replayed as one.
fn formula_holds(ts: &Ts, property: usize, formula: &Formula, options: &Options, budget: &Budget) -> PropertyResult {
    let composed = monitored(ts, formula, &ts.properties[property].name, None);
    let result = match Bits::new(&composed.ts, budget) {
        Ok(bits) => decide(&composed.ts, 0, &bits.cone(0), options, budget),
        Err(why) => refused(0, &why, options.engine),
    };
    let status = match result.status {
        Status::Violated(violation) => {
            let path = composed.project(violation.trace());
            Status::Violated(Violation::confirmed(ts, &ts.properties[property].goal, path, result.engine.name()))
        }
        other => other,
    };
    PropertyResult { property, status, ..result }
}

fn refused(property: usize, why: &NoBits, engine: Engine) -> PropertyResult {
    let reason = match why {
        NoBits::Array(name) => Reason::Unsupported(format!("`{name}` is an array")),
        NoBits::Stopped(stop) => Reason::Solver((*stop).into()),
    };
    PropertyResult { property, status: Status::Unknown { reason, holds_up_to: None }, engine, stats: Stats::default() }
}

fn decide(ts: &Ts, property: usize, bits: &Bits, options: &Options, budget: &Budget) -> PropertyResult {
    let stats = Stats { latches: bits.latches.len(), gates: bits.g.len(), ..Stats::default() };
    match bits.goal(0) {
        BitGoal::Bad(_) => bounded(ts, property, bits, options, budget, stats),
        BitGoal::Justice(_) => {
            let reason = Reason::Unsupported("justice properties".to_owned());
            let status = Status::Unknown { reason, holds_up_to: None };
            PropertyResult { property, status, engine: options.engine, stats }
        }
    }
}

fn bounded(ts: &Ts, property: usize, bits: &Bits, options: &Options, budget: &Budget, stats: Stats) -> PropertyResult {
    let mut bmc = Bmc::new(ts, &ts.properties[property].goal, bits);
    let status = loop {
        if options.bound.is_some_and(|most| bmc.bound() > most) {
            break Status::HoldsUpTo(bmc.bound() - 1);
        }
        match bmc.advance(None, budget) {
            Progress::Violated(violation) => break Status::Violated(violation),
            Progress::Proved(proof) => break Status::Proved(proof),
            Progress::More => {}
            Progress::Stopped(reason) => {
                let holds_up_to = bmc.bound().checked_sub(1);
                break Status::Unknown { reason: Reason::Solver(reason), holds_up_to };
            }
        }
    };
    let (vars, clauses) = bmc.size();
    let stats = Stats { vars: vars.into(), clauses, conflicts: bmc.conflicts(), ..stats };
    PropertyResult { property, status, engine: Engine::Bmc, stats }
}
