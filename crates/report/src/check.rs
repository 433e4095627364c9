//! From an engine's answer to the report.

use crate::coverage::coverage_report;
use crate::finding::{Finding, place};
use crate::model::{EffortRow, EngineRow, Precondition, PropertyRow, Report, Stats, Status, Verdict};
use crate::why::{Code, Why, code, of_unsupported};
use blitz_base::Budget;
use blitz_engines as engines;
use blitz_ir::{CheckKind, Program, Unsupported};

/// The report on what an engine answered.
pub fn from_check(program: &Program, answer: &engines::Report, budget: &Budget) -> Report {
    let mut properties: Vec<PropertyRow> = answer.properties.iter().map(|p| property_row(program, p)).collect();
    properties.extend(answer.bounds.iter().map(|b| bound_row(program, b)));
    let violations = answer.violations.iter().map(|v| finding(program, v)).collect();
    let verdict = verdict(answer.verdict);
    let mut report = Report::new(verdict, properties, violations, stats(&answer.stats, budget));
    report.reason = reason(program, verdict, answer);
    report.engines = answer.runs.iter().map(engine_row).collect();
    report.notes = notes(program, answer);
    report.coverage = coverage_report(program, answer);
    report.notes.extend(how_far(&report.properties));
    report
}

fn engine_row((name, said): &(&'static str, engines::Verdict)) -> EngineRow {
    EngineRow { engine: (*name).to_owned(), verdict: verdict(*said) }
}

fn verdict(verdict: engines::Verdict) -> Verdict {
    match verdict {
        engines::Verdict::Safe => Verdict::Safe,
        engines::Verdict::Violation => Verdict::Violation,
        engines::Verdict::Bounded => Verdict::Bounded,
        engines::Verdict::Unknown => Verdict::Unknown,
    }
}

/// The finding that a violation is reported as.
pub fn finding(program: &Program, violation: &engines::Violation) -> Finding {
    let mut finding = Finding::from_run(program, violation.what(), violation.run());
    finding.preconditions = violation.preconditions.iter().map(|p| told(program, p)).collect();
    finding
}

fn told(program: &Program, told: &engines::Precondition) -> Precondition {
    let decl = program.decl(told.func);
    Precondition { function: decl.name.clone(), place: place(program, told.loc), condition: told.condition.clone() }
}

fn property_row(program: &Program, result: &engines::PropertyResult) -> PropertyRow {
    let property = program.property(result.property);
    let at = place(program, property.loc);
    let (status, bound, reason) = match &result.status {
        engines::Status::Violated => (Status::Violated, None, None),
        engines::Status::Proved => (Status::Proved, None, None),
        engines::Status::Unreachable => (Status::Unreachable, None, None),
        engines::Status::HoldsUpTo(k) => (Status::Bounded, Some(u64::from(*k)), None),
        engines::Status::Unknown(why) => (Status::Unknown, None, Some(Why::from(why))),
    };
    PropertyRow {
        id: property.name,
        kind: property.kind.name().to_owned(),
        status,
        file: at.file,
        line: at.line,
        column: at.column,
        function: program.decl(property.func).name.clone(),
        text: property.text,
        bound,
        engine: Some(result.engine.to_owned()),
        reason,
        effort: result.effort.as_ref().map(|e| effort_row(program, e)),
    }
}

/// Of the only property, if it was not decided: how far the chain of preconditions came.
fn how_far(properties: &[PropertyRow]) -> Option<String> {
    let [only] = properties else { return None };
    let chain = &only.effort.as_ref().filter(|_| only.status == Status::Unknown)?.nearest;
    let last = chain.last()?;
    let steps: Vec<String> = chain.iter().map(|p| format!("{} fails when {}", p.function, p.condition)).collect();
    Some(format!("no way from the start to {} was found; {}", last.function, steps.join("; ")))
}

fn effort_row(program: &Program, effort: &engines::Effort) -> EffortRow {
    EffortRow {
        segments: effort.segments,
        refinements: effort.refinements,
        weakenings: effort.weakenings,
        terms: effort.terms as u64,
        queries: effort.queries,
        solver_seconds: effort.solve_time.as_secs_f64(),
        nearest: effort.nearest.iter().map(|p| told(program, p)).collect(),
    }
}

/// A loop or recursion that goes on beyond its bound, as a property of kind unwinding.
fn bound_row(program: &Program, bound: &engines::BoundReached) -> PropertyRow {
    let at = place(program, bound.loc);
    let function = match bound.kind {
        engines::BoundKind::Recursion => bound.name.as_str(),
        engines::BoundKind::Loop | engines::BoundKind::Rounds => bound.name.rsplit_once('.').map_or("", |(f, _)| f),
    };
    PropertyRow {
        id: format!("{}.{}", bound.name, CheckKind::Unwinding),
        kind: CheckKind::Unwinding.name().to_owned(),
        status: Status::Bounded,
        file: at.file,
        line: at.line,
        column: at.column,
        function: function.to_owned(),
        text: describe_bound(bound),
        bound: Some(u64::from(bound.bound)),
        engine: None,
        reason: None,
        effort: None,
    }
}

fn describe_bound(bound: &engines::BoundReached) -> String {
    let times = if bound.bound == 1 { "once".to_owned() } else { format!("{} times", bound.bound) };
    match bound.kind {
        engines::BoundKind::Recursion => format!("{} calls itself deeper than {times}", bound.name),
        engines::BoundKind::Loop => format!("loop {} runs more often than {times}", bound.name),
        engines::BoundKind::Rounds => format!("threads may take turns more often than {times}"),
    }
}

const NAMED: usize = 3;

fn reason(program: &Program, verdict: Verdict, answer: &engines::Report) -> Option<Why> {
    match verdict {
        Verdict::Safe | Verdict::Violation => None,
        Verdict::Bounded => {
            let told: Vec<String> =
                answer.bounds.iter().take(NAMED).map(|b| located(program, describe_bound(b), b.loc)).collect();
            let more = answer.bounds.len().saturating_sub(NAMED);
            let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
            let stopped = answer.stats.stopped.as_ref().map_or(String::new(), |why| format!("{why}: "));
            let code = answer.stats.stopped.as_ref().map_or(Code::Bound, code);
            let text = if told.is_empty() {
                format!("{stopped}everything holds up to the bound")
            } else {
                format!("{stopped}everything holds up to the bound, but {}{rest}", told.join(", "))
            };
            Some(Why::new(code, text))
        }
        Verdict::Unknown => Some(unknown_reason(program, answer)),
    }
}

fn unknown_reason(program: &Program, answer: &engines::Report) -> Why {
    if let Some((what, loc)) = answer.gaps.first() {
        return Why::new(of_unsupported(what), located(program, what.to_string(), *loc));
    }
    if let Some(candidate) = answer.unconfirmed.first() {
        let name = program.property(candidate.property).name;
        let text = match behind(candidate) {
            Some((kind, place)) => {
                format!(
                    "{name} hangs on what comes behind a violation ({kind}) at {place}, of a kind that is switched off"
                )
            }
            None => format!("a candidate for {name} could not be confirmed ({})", candidate.why),
        };
        return Why::new(code(&engines::Reason::NotShown(candidate.why.clone())), text);
    }
    let why = answer.properties.iter().find_map(|p| match &p.status {
        engines::Status::Unknown(why) => Some(Why::from(why)),
        engines::Status::Violated
        | engines::Status::Proved
        | engines::Status::Unreachable
        | engines::Status::HoldsUpTo(_) => None,
    });
    let stopped = answer.stats.stopped.as_ref().map(|why| Why::new(code(why), why.to_string()));
    why.or(stopped).unwrap_or_else(|| Why::new(Code::NotLookedAt, "the engine came to no conclusion"))
}

/// Where the run of a candidate came to a violation of a kind that is switched off. That is no fault of anybody's: no run goes on there.
fn behind(candidate: &engines::Unconfirmed) -> Option<(CheckKind, &str)> {
    match &candidate.why {
        engines::RunEnd::Unsupported { what: Unsupported::Unasked(kind), place } => Some((*kind, place)),
        _ => None,
    }
}

fn located(program: &Program, what: String, loc: blitz_base::span::Loc) -> String {
    if loc.is_known() { format!("{what} at {}:{}", program.file(loc.file), loc.line) } else { what }
}

fn notes(program: &Program, answer: &engines::Report) -> Vec<String> {
    let mut notes = answer.notes.clone();
    notes.extend(answer.bodiless.iter().map(|name| {
        format!(
            "`{name}` has neither a body nor a library model: it returns anything; a violation assumes that it changes nothing, a proof that it changes whatever it can reach"
        )
    }));
    for candidate in answer.unconfirmed.iter().filter(|c| behind(c).is_none()) {
        let name = program.property(candidate.property).name;
        notes.push(format!(
            "a candidate for {name} was not confirmed by a run ({}); that is a defect of blitz",
            candidate.why
        ));
    }
    notes
}

fn stats(stats: &engines::Stats, budget: &Budget) -> Stats {
    let counters = [
        ("terms", stats.terms as u64),
        ("clauses", stats.clauses),
        ("variables", stats.variables),
        ("queries", stats.queries),
        ("conflicts", stats.conflicts),
        ("lemmas", stats.lemmas),
        ("certified", stats.certified),
        ("claims", stats.claims as u64),
        ("rounds", u64::from(stats.rounds)),
        ("weakenings", u64::from(stats.weakenings)),
        ("inlined", u64::from(stats.inlined)),
        ("left_open", u64::from(stats.left_open)),
    ];
    Stats {
        seconds: budget.elapsed().as_secs_f64(),
        memory_bytes: blitz_base::budget::resident_bytes(),
        steps: None,
        counters: counters.map(|(name, n)| (name.to_owned(), n)).to_vec(),
    }
}
