//! Proofs in programs that call functions without a body.
//!
//! Engines first look at executions in which such functions are harmless (`symex::Bodiless`): these can be run, so violations are found there.
//! That something holds in them says little, since the real function may write to whatever it can reach. So what the first
//! look proved is asked once more with these functions doing anything they can. What holds then is proved; the rest is `unknown`, and the
//! reason names the functions and what the user can do.
//!
//! The second look costs at most `BODILESS_STEPS_PER_STEP` times the symbolic steps of the first (loops whose ends hang on what the
//! function writes never end), and `BODILESS_QUERY_CONFLICTS` per question.

use crate::config::{CheckConfig, Engine};
use crate::progress::Observer;
use crate::reason::Reason;
use crate::tuning::{BODILESS_MIN_STEPS, BODILESS_QUERY_CONFLICTS, BODILESS_STEPS_PER_STEP};
use crate::verdict::{Report, Status, Verdict};
use crate::{Refused, run_engine};
use blitz_base::Budget;
use blitz_ir::{Program, PropertyId, Unsupported};
use blitz_symex::Bodiless;
use std::collections::BTreeMap;

/// Keeps of an answer what holds whatever functions without a body do.
pub(crate) fn reconsider(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
    first: Report,
) -> Result<Report, Refused> {
    let stopped = config.stop_at_first && !first.violations.is_empty();
    let held: Vec<PropertyId> = first.properties.iter().filter(|r| holds(&r.status)).map(|r| r.property).collect();
    let claimed = matches!(first.verdict, Verdict::Safe | Verdict::Bounded) || !held.is_empty();
    if first.bodiless.is_empty() || stopped || !claimed {
        return Ok(first);
    }
    let again = CheckConfig {
        engine: prover(&first, config),
        bodiless: Bodiless::Havoc,
        max_steps: Some(first.stats.steps * BODILESS_STEPS_PER_STEP + BODILESS_MIN_STEPS),
        ..config.clone()
    };
    config.say(|| format!("{} without a body: once more, doing anything they can", first.bodiless.join(", ")));
    let second = run_engine(program, &again, &budget.with_effort(BODILESS_QUERY_CONFLICTS), observer)?;
    Ok(weaker(program, first, second))
}

fn holds(status: &Status) -> bool {
    match status {
        Status::Proved | Status::Unreachable | Status::HoldsUpTo(_) => true,
        Status::Violated | Status::Unknown(_) => false,
    }
}

/// The engine that proved most by itself.
fn prover(first: &Report, config: &CheckConfig) -> Engine {
    let said =
        |wanted: Verdict| first.runs.iter().find(|(_, v)| *v == wanted).and_then(|(name, _)| Engine::from_name(name));
    let single = |e: &Engine| *e != Engine::Auto && *e != Engine::Compositional;
    let best = said(Verdict::Safe).or_else(|| said(Verdict::Bounded)).filter(single);
    best.unwrap_or(if single(&config.engine) { config.engine } else { Engine::Incremental })
}

/// Of each property that held in the first look, what the second says of it.
fn weaker(program: &Program, mut first: Report, second: Report) -> Report {
    let what = Unsupported::NoBody(first.bodiless.clone());
    let again: BTreeMap<PropertyId, Status> =
        second.properties.iter().map(|r| (r.property, r.status.clone())).collect();
    for result in first.properties.iter_mut().filter(|r| holds(&r.status)) {
        result.status = match again.get(&result.property) {
            Some(status @ (Status::Violated | Status::Proved | Status::Unreachable)) => status.clone(),
            Some(Status::HoldsUpTo(k)) => Status::HoldsUpTo(*k),
            Some(Status::Unknown(_)) | None => Status::Unknown(Reason::Unsupported(what.clone())),
        };
    }
    for violation in second.violations {
        if !first.violations.iter().any(|v| v.what().property == violation.what().property) {
            first.violations.push(violation);
        }
    }
    first.stats.add(&second.stats);
    first.coverage.add(second.coverage);
    first.stats.total_time = first.stats.total_time.max(second.stats.total_time);
    // A check inside a library model that the second look could not settle has no row of its own.
    let unsettled = second.verdict == Verdict::Unknown || first.properties.iter().any(|r| !settled(&r.status));
    first.verdict = match (first.verdict, second.verdict) {
        _ if !first.violations.is_empty() => Verdict::Violation,
        (Verdict::Safe | Verdict::Bounded, _) if unsettled => Verdict::Unknown,
        (Verdict::Safe, Verdict::Bounded) => Verdict::Bounded,
        (verdict, _) => verdict,
    };
    if first.verdict == Verdict::Bounded && first.bounds.is_empty() {
        first.bounds = second.bounds;
    }
    if first.verdict == Verdict::Unknown {
        let gap = second.gaps.into_iter().next().filter(|_| first.gaps.is_empty());
        first.gaps.extend(gap.or_else(|| first.gaps.is_empty().then(|| (what, call_place(program, &first.bodiless)))));
    }
    first
}

fn settled(status: &Status) -> bool {
    !matches!(status, Status::Unknown(_))
}

/// Where the first of these functions is declared or called, as far as the program says.
fn call_place(program: &Program, names: &[String]) -> blitz_base::span::Loc {
    names.first().and_then(|n| program.func_named(n)).map_or(blitz_base::span::Loc::UNKNOWN, |f| program.decl(f).loc)
}
