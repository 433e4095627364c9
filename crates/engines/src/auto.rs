//! Chooses and combines engines within one budget.
//!
//! Small programs: the incremental engine first, since it can end in a proof; then the stratified one, for properties that don't hang on the
//! loops that keep the first going; then the compositional one, for bugs further away. Programs of some thousand instructions: the incremental one only for a
//! while, in case they are simpler than they look. Larger programs: the incremental one for a fixed number of steps, since the first iterations of a
//! program whose state is divided by member cost little; then the compositional engine, since one
//! formula for everything would never be solved; then the stratified one for proofs, which need not look into every call; then the incremental one.
//! The first answer that decides everything ends the search.
//!
//! Every status is one engine's own. A violation was executed, so it outweighs a proof; that both are there is a defect, and said.

use crate::config::{CheckConfig, Engine};
use crate::progress::Observer;
use crate::verdict::{PropertyResult, Report, Status, Verdict};
use crate::{Refused, bmc, compositional, explore, incremental, stratified};
use blitz_base::Budget;
use blitz_ir::{Program, PropertyId};
use std::collections::BTreeMap;
use std::time::Duration;

/// Instructions of the user's functions up to which a program counts as small, or as neither small nor large.
const SMALL: usize = 2_000;
const MEDIUM: usize = 6_000;
/// Without a limit of the user's, what the engines get.
const DEFAULT_TIME: Duration = Duration::from_secs(600);
/// How often loops are run by an engine that needs a bound, if the user gives none.
const UNWIND: u32 = 8;

/// Steps of symbolic execution, and conflicts per question, of the first stage for large programs. `bench/scale gen 1400 --state struct` is
/// found within them in 0.4 s; the compositional engine alone had not found it after 90 s.
const FIRST_STEPS: u64 = 60_000;
const FIRST_CONFLICTS: u32 = 20_000;

/// An engine with its share of the time that is left, and with the work it may do if that is limited.
#[derive(Clone, Copy)]
struct Stage {
    engine: Engine,
    share: f64,
    steps: Option<u64>,
}

const fn stage(engine: Engine, share: f64) -> Stage {
    Stage { engine, share, steps: None }
}

type Schedule = &'static [Stage];
const FOR_SMALL: Schedule =
    &[stage(Engine::Incremental, 0.7), stage(Engine::Stratified, 0.4), stage(Engine::Compositional, 1.0)];
const FOR_MEDIUM: Schedule =
    &[stage(Engine::Incremental, 0.05), stage(Engine::Compositional, 0.9), stage(Engine::Stratified, 1.0)];
const FOR_LARGE: Schedule = &[
    Stage { engine: Engine::Incremental, share: 0.05, steps: Some(FIRST_STEPS) },
    stage(Engine::Compositional, 0.9),
    stage(Engine::Stratified, 0.5),
    stage(Engine::Incremental, 1.0),
];

pub(crate) fn check(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let whole = budget.child(budget.remaining().unwrap_or(DEFAULT_TIME));
    let schedule = match size(program) {
        n if n <= SMALL => FOR_SMALL,
        n if n <= MEDIUM => FOR_MEDIUM,
        _ => FOR_LARGE,
    };
    let mut sum: Option<Report> = None;
    for &Stage { engine, share, steps } in schedule {
        if sum.is_some() && budget.expired().is_some() {
            break;
        }
        let time = whole.remaining().unwrap_or(DEFAULT_TIME).mul_f64(share);
        config.say(|| format!("the {} engine has {:.0} s", engine.name(), time.as_secs_f64()));
        let limited = CheckConfig { max_steps: config.max_steps.or(steps), ..config.clone() };
        let part = whole.child(time);
        let part = if steps.is_some() { part.with_effort(FIRST_CONFLICTS) } else { part };
        let mut report = run(engine, program, &limited, &part, observer)?;
        report.runs = vec![(engine.name(), report.verdict)];
        let all = match sum.take() {
            None => report,
            Some(before) => combine(program, before, report),
        };
        let decided = matches!(all.verdict, Verdict::Safe | Verdict::Violation);
        sum = Some(all);
        if decided {
            break;
        }
    }
    let mut report = sum.expect("a schedule should name an engine");
    if report.runs.len() > 1 {
        report.notes.insert(0, told(&report.runs));
    }
    Ok(report)
}

fn run(
    engine: Engine,
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let bounded = || CheckConfig { unwind: config.unwind.or(Some(UNWIND)), ..config.clone() };
    match engine {
        Engine::Bmc => bmc::check(program, &bounded(), budget, observer),
        Engine::Stratified => stratified::check(program, &bounded(), budget),
        Engine::Incremental => incremental::check(program, config, budget, observer),
        Engine::Compositional => compositional::check(program, config, budget, observer),
        Engine::Explore => explore::check(program, config, budget, observer),
        Engine::Auto => unreachable!("a schedule names single engines"),
    }
}

fn size(program: &Program) -> usize {
    (0..program.funcs.len())
        .map(blitz_ir::FuncId::new)
        .filter(|f| !program.decl(*f).model)
        .filter_map(|f| program.body(f))
        .map(|b| b.insts.len())
        .sum()
}

fn told(runs: &[(&'static str, Verdict)]) -> String {
    let names: Vec<&str> = runs.iter().map(|(name, _)| *name).collect();
    format!("engines asked: {}", names.join(", "))
}

/// Both answers: of each property what says more, all violations, the stronger verdict.
fn combine(program: &Program, first: Report, second: Report) -> Report {
    let runs = [first.runs.clone(), second.runs.clone()].concat();
    let (properties, disputed) = better(&first.properties, &second.properties);
    let weaker = rank_of_verdict(second.verdict) <= rank_of_verdict(first.verdict);
    // What stands in the way of more is the stronger answer's: its bounds, its gaps, why it ended.
    let (mut main, other) = if weaker { (first, second) } else { (second, first) };
    main.stats.add(&other.stats);
    main.stats.total_time = main.stats.total_time.max(other.stats.total_time);
    main.properties = properties;
    main.runs = runs;
    for violation in other.violations {
        if !main.violations.iter().any(|v| v.what().property == violation.what().property) {
            main.violations.push(violation);
        }
    }
    main.unconfirmed.extend(other.unconfirmed);
    main.notes.extend(other.notes);
    main.notes.extend(disputed.into_iter().map(|p| {
        format!(
            "one engine proved {} and another showed it violated; that is a defect of blitz",
            program.property(p).name
        )
    }));
    for name in other.bodiless {
        if !main.bodiless.contains(&name) {
            main.bodiless.push(name);
        }
    }
    main
}

fn rank_of_verdict(verdict: Verdict) -> u32 {
    match verdict {
        Verdict::Violation => 3,
        Verdict::Safe => 2,
        Verdict::Bounded => 1,
        Verdict::Unknown => 0,
    }
}

fn rank_of_status(status: &Status) -> u32 {
    match status {
        Status::Violated => 3,
        Status::Proved | Status::Unreachable => 2,
        Status::HoldsUpTo(_) => 1,
        Status::Unknown(_) => 0,
    }
}

/// Of each property the status that says more, the first where they say as much; and those the engines disagree on.
fn better(first: &[PropertyResult], second: &[PropertyResult]) -> (Vec<PropertyResult>, Vec<PropertyId>) {
    let mut best: BTreeMap<PropertyId, PropertyResult> = first.iter().map(|r| (r.property, r.clone())).collect();
    let mut disputed = Vec::new();
    for result in second {
        let Some(known) = best.get(&result.property) else {
            best.insert(result.property, result.clone());
            continue;
        };
        let (old, new) = (rank_of_status(&known.status), rank_of_status(&result.status));
        if old.max(new) == 3 && old.min(new) == 2 {
            disputed.push(result.property);
        }
        if new > old {
            best.insert(result.property, result.clone());
        }
    }
    (best.into_values().collect(), disputed)
}
