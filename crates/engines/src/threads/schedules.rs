//! Every schedule, one run after the other (`interp::explore`), before anything is made symbolic.
//!
//! Why: many programs with threads read no input, or bits only (whether an allocation fails). Then an execution is its schedule, and schedules that end in a state that was
//! seen before need no second look: loops that wait for another thread (Peterson, Dekker) come to an end, which no number of rounds does. It is also how bugs in few
//! steps are found at once.
//!
//! Direction: exact where the exploration is complete; what it found counts in any case, since each violation is a run. It gives up at the first thing that
//! makes a proof impossible, and after `SCHEDULES_WORK`. Points that make no difference are passed over (`interp/src/explore/reduce.rs`). Absent: bounds (`--unwind`,
//! `--rounds` ask for the symbolic engine), proofs to certify.

use crate::answer::Findings;
use crate::config::{CheckConfig, Engine, Sequentialization};
use crate::replay;
use crate::tuning::{SCHEDULE_MAX_STEPS, SCHEDULES_WORK};
use blitz_base::Budget;
use blitz_interp::{Explored, Extent, InputSource, RunConfig, Schedule};
use blitz_ir::{Program, PropertyId};
use std::collections::BTreeSet;

/// What all schedules have shown.
pub(super) struct AllSchedules {
    pub states: usize,
    pub threads: usize,
    pub reached: BTreeSet<PropertyId>,
}

/// Runs the program in every schedule; none if there are too many, or if inputs decide more than schedules do. Violations go to `found` in any case.
pub(super) fn all(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    found: &mut Findings,
) -> Option<AllSchedules> {
    let asked = config.unwind.is_some() || config.rounds.is_some() || !config.unwindset.is_empty() || config.certify;
    if asked || config.engine == Engine::Bmc || config.threads != Sequentialization::SchedulesFirst {
        return None;
    }
    let run = RunConfig {
        inputs: InputSource::Recorded(Vec::new()),
        max_steps: Some(SCHEDULE_MAX_STEPS),
        checks: config.checks,
        assumed_models: config.assumed_models.clone(),
        ..RunConfig::default()
    };
    let extent = Extent { max_runs: u64::MAX, failures: config.alloc_may_fail, proof: true, reduced: true };
    let explored = blitz_interp::explore(program, &run, extent, &budget.worth(SCHEDULES_WORK));
    config.say(|| {
        let how = explored.incomplete.as_deref().unwrap_or("complete");
        format!("{} runs in different schedules over {} states: {how}", explored.runs, explored.states)
    });
    let masked = confirm(program, config, budget, &explored, found);
    let complete = explored.incomplete.is_none() && !masked;
    complete.then_some(AllSchedules { states: explored.states, threads: explored.threads, reached: explored.reached })
}

/// Runs what was found once more, for its trace. Whether runs ended in something that nobody asked for: what comes after that was not looked at.
fn confirm(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    explored: &Explored,
    found: &mut Findings,
) -> bool {
    let mut masked = false;
    for (property, result) in &explored.violated {
        if !config.asks_for(&program.property(*property).name) {
            masked = true;
            continue;
        }
        let values = result.inputs_used.iter().map(|i| i.value.clone()).collect();
        let schedule = Schedule::Slots(result.schedule.clone());
        let again = replay::run_schedule(program, config, values, schedule, config.threads.name(), budget);
        let Ok(violation) = again else {
            masked = true;
            continue;
        };
        if found.violated.insert(violation.what().property) {
            config.announce(&violation);
            found.violations.push(violation);
        }
        if config.stop_at_first {
            break;
        }
    }
    masked
}
