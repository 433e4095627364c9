//! Chooses and combines engines within one budget.
//!
//! Rounds: in each every engine gets a part of the round's work, and each round has four times the work of the one before. An engine that ended by itself
//! is not asked again, and the last one left works on without a limit. So what is found hangs on neither the clock nor the user's time limit, which
//! only ends the search; at most a third of the work is done twice.
//!
//! Small programs: mostly for the incremental engine, since it can end in a proof; the stratified one is for properties that don't hang on the
//! loops that keep the first going, the compositional one for bugs further away. The larger a program is, the more goes to the compositional engine, since one
//! formula for everything would never be solved. Going path by path finds what needs few decisions behind operations that no formula about all paths at once can be
//! solved with: products, numbers read from text, recursive descent over bytes. The first answer that decides everything ends the search.
//!
//! Every status is one engine's own. A violation was executed, so it outweighs a proof; that both are there is a defect, and said.

use crate::config::{CheckConfig, Engine, SearchOn};
use crate::progress::Observer;
use crate::reason::Reason;
use crate::tuning::{
    DEFAULT_BOUND, DEFAULT_WORK, FIRST_ROUND_INSTS_PER_MS, FIRST_ROUND_WORK, MEDIUM_PROGRAM_INSTS, ROUND_GROWTH,
    SMALL_PROGRAM_INSTS,
};
use crate::verdict::{PropertyResult, Report, Status, Verdict, Violation};
use crate::{Refused, Tactic, announced_in_order, bmc, compositional, explore, incremental, probes, stratified};
use blitz_base::{Budget, Stop, Work};
use blitz_ir::{Program, PropertyId};
use blitz_solver::UnknownReason;
use std::collections::BTreeMap;

/// The engines in the order they are asked, each with its part of a round's work.
type Schedule = &'static [(Engine, f64)];
const FOR_SMALL: Schedule =
    &[(Engine::Incremental, 1.0), (Engine::Stratified, 0.3), (Engine::Explore, 0.7), (Engine::Compositional, 1.0)];
const FOR_MEDIUM: Schedule =
    &[(Engine::Incremental, 1.0), (Engine::Explore, 0.7), (Engine::Compositional, 3.0), (Engine::Stratified, 1.0)];
const FOR_LARGE: Schedule = &[(Engine::Incremental, 1.0), (Engine::Compositional, 4.0), (Engine::Stratified, 1.0)];

pub(crate) fn check(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let whole = if budget.remaining().is_some() { budget.clone() } else { budget.worth(DEFAULT_WORK) };
    let instructions = size(program);
    config.say(|| format!("{instructions} instructions"));
    let schedule = match instructions {
        n if n <= SMALL_PROGRAM_INSTS => FOR_SMALL,
        n if n <= MEDIUM_PROGRAM_INSTS => FOR_MEDIUM,
        _ => FOR_LARGE,
    };
    let mut waiting: Vec<(Engine, f64)> = schedule.to_vec();
    let mut round = first_round(instructions);
    let mut sum = probed(program, config, &whole);
    // No engine makes these runs again.
    let config = &CheckConfig { tactics: config.tactics.without(Tactic::Probes), ..config.clone() };
    if let Some(report) = &mut sum {
        if config.stop_at_first {
            return Ok(finished(sum, &whole));
        }
        // Of everything else the engines say more.
        report.properties.retain(|p| p.status == Status::Violated);
    }
    while !waiting.is_empty() && (sum.is_none() || whole.expired().is_none()) {
        let mut cut = Vec::new();
        for &(engine, share) in &waiting {
            if sum.is_some() && whole.expired().is_some() {
                break;
            }
            let alone = waiting.len() == 1;
            let part = if alone { whole.clone() } else { whole.worth(round.share(share)) };
            config.say(|| {
                let seconds = part.work_left().map(|w| w.as_time().as_secs_f64());
                let limit = seconds.map_or("no limit".to_owned(), |s| format!("the work of about {s:.0} s"));
                format!("the {} engine gets {limit}", engine.name())
            });
            let before = whole.spent();
            let mut report = run(engine, program, config, &part, observer)?;
            config.say(|| {
                let spent = Work::units(whole.spent().as_units() - before.as_units()).as_time().as_secs_f64();
                format!("the {} engine did the work of about {spent:.1} s", engine.name())
            });
            report.runs = vec![(engine.name(), report.verdict)];
            let all = match sum.take() {
                None => report,
                Some(before) => combine(program, before, report),
            };
            let decided = is_enough(program, &all, config);
            sum = Some(all);
            if decided {
                return Ok(finished(sum, &whole));
            }
            if part.work_left() == Some(Work::default()) {
                cut.push((engine, share));
            }
        }
        waiting = cut;
        round = round.times(ROUND_GROWTH);
    }
    Ok(finished(sum, &whole))
}

/// What runs on made-up texts show before anything is encoded, if it is anything. Where there is a bound, it is part of the question.
fn probed(program: &Program, config: &CheckConfig, whole: &Budget) -> Option<Report> {
    if config.unwind.is_some() || !config.unwindset.is_empty() || !config.tactics.has(Tactic::Probes) {
        return None;
    }
    let report = probes::check(program, config, whole);
    (report.verdict == Verdict::Violation).then_some(report)
}

/// What the first round is worth for a program of so many instructions.
fn first_round(instructions: usize) -> Work {
    let more = Work::about_millis(instructions as u64 / FIRST_ROUND_INSTS_PER_MS);
    Work::units(FIRST_ROUND_WORK.as_units() + more.as_units())
}

/// Whether nobody has to look any further.
fn is_enough(program: &Program, sum: &Report, config: &CheckConfig) -> bool {
    let asked = |v: &Violation| config.asks_for(&program.property(v.what().property).name);
    match (sum.verdict, config.search_on) {
        (Verdict::Safe, _) => true,
        // Another violation on the way decides nothing that was asked for.
        (Verdict::Violation, _) if !sum.violations.iter().any(asked) => false,
        (Verdict::Violation, SearchOn::Somewhat) => true,
        (Verdict::Violation, SearchOn::ToTheEnd) => {
            config.stop_at_first || sum.properties.iter().all(|p| rank_of_status(&p.status) >= 2)
        }
        (Verdict::Bounded | Verdict::Unknown, _) => false,
    }
}

fn finished(sum: Option<Report>, whole: &Budget) -> Report {
    let mut report = sum.expect("a schedule should name an engine");
    if let Some(stop @ (Stop::Cancelled | Stop::Time | Stop::Memory)) = whole.expired() {
        report.properties.iter_mut().for_each(|p| p.status = ended_by(stop, &p.status));
    }
    if report.runs.len() > 1 {
        report.notes.insert(0, told(&report.runs));
    }
    report
}

/// What a round's share of work ended would have been taken up in the next round, had the search not been stopped.
fn ended_by(stop: Stop, status: &Status) -> Status {
    match status {
        Status::Unknown(Reason::Stopped(Stop::Effort) | Reason::Solver(UnknownReason::Conflicts)) => {
            Status::Unknown(Reason::Stopped(stop))
        }
        known => known.clone(),
    }
}

fn run(
    engine: Engine,
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let bounded = || CheckConfig { unwind: config.unwind.or(Some(DEFAULT_BOUND)), ..config.clone() };
    match engine {
        Engine::Bmc => announced_in_order(&bounded(), |c| bmc::check(program, c, budget, observer)),
        Engine::Stratified => announced_in_order(&bounded(), |c| stratified::check(program, c, budget)),
        Engine::Incremental => incremental::check(program, config, budget, observer),
        Engine::Compositional => announced_in_order(config, |c| compositional::check(program, c, budget, observer)),
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
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in runs {
        if !names.contains(name) {
            names.push(name);
        }
    }
    format!("engines asked: {}", names.join(", "))
}

/// Both answers: of each property what says more, all violations, the stronger verdict.
fn combine(program: &Program, first: Report, second: Report) -> Report {
    let runs = [first.runs.clone(), second.runs.clone()].concat();
    let (properties, disputed) = better(&first.properties, &second.properties);
    // An engine that was asked again got further than the first time.
    let again = second.runs.iter().all(|(name, _)| first.runs.iter().any(|(n, _)| n == name));
    let (old, new) = (rank_of_verdict(first.verdict), rank_of_verdict(second.verdict));
    let weaker = if again { new < old } else { new <= old };
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
    main.coverage.add(other.coverage);
    let said: Vec<String> = other.notes.into_iter().filter(|note| !main.notes.contains(note)).collect();
    main.notes.extend(said);
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

/// Whether both hold up to a bound, the second one up to a larger one.
fn deeper(known: &Status, new: &Status) -> bool {
    matches!((known, new), (Status::HoldsUpTo(a), Status::HoldsUpTo(b)) if b > a)
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
        if new > old || deeper(&known.status, &result.status) {
            best.insert(result.property, result.clone());
        }
    }
    (best.into_values().collect(), disputed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_stops_a_search_is_why_it_ended() {
        let effort = Status::Unknown(Reason::Stopped(Stop::Effort));
        let conflicts = Status::Unknown(Reason::Solver(UnknownReason::Conflicts));
        for status in [&effort, &conflicts] {
            assert_eq!(ended_by(Stop::Cancelled, status), Status::Unknown(Reason::Stopped(Stop::Cancelled)));
        }
        for status in [Status::Proved, Status::HoldsUpTo(3), Status::Unknown(Reason::BeyondBound)] {
            assert_eq!(ended_by(Stop::Time, &status), status);
        }
    }
}
