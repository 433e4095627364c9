//! From a model to inputs, and from inputs to a concrete run.

use crate::config::CheckConfig;
use crate::reason::RunEnd;
use crate::tuning::{REPLAY_MAX_BYTES, REPLAY_MAX_EVENTS};
use crate::verdict::Violation;
use blitz_base::Budget;
use blitz_base::span::Loc;
use blitz_interp::{Event, InputSource, InputValue, Outcome, RunConfig, Runner, Schedule, TraceLevel};
use blitz_ir::Program;
use blitz_symex::{Input, InputKind};
use blitz_term::{ArrayValue, Assignment, Evaluator, Term, Terms};

/// The terms whose values a model must give, so that its inputs can be read off it.
pub(crate) fn roots(inputs: &[Input]) -> Vec<Term> {
    let mut out = Vec::new();
    for input in inputs {
        out.push(input.guard);
        match &input.kind {
            InputKind::Value { term, .. } | InputKind::AllocFails { term } => out.push(*term),
            InputKind::Bytes { array, len } => out.extend([*array, *len]),
        }
    }
    out
}

/// The value of one input under a model.
pub(crate) fn input_value(terms: &Terms, eval: &mut Evaluator<'_>, kind: &InputKind) -> InputValue {
    match kind {
        InputKind::Value { term, .. } => InputValue::Value(eval.eval(terms, *term).bv().clone()),
        InputKind::AllocFails { term } => InputValue::Bool(eval.holds(terms, *term)),
        InputKind::Bytes { array, len } => {
            let len = eval.eval(terms, *len).bv().to_u64().unwrap_or(0).min(REPLAY_MAX_BYTES);
            InputValue::Bytes(first_bytes(eval.eval(terms, *array).array(), len))
        }
    }
}

fn first_bytes(array: &ArrayValue, len: u64) -> Vec<u8> {
    let mut out = vec![0; len as usize];
    for (first, last, value) in array.stretches() {
        let Some(first) = first.to_u64().filter(|f| *f < len) else { break };
        let end = last.to_u64().map_or(len, |l| l.saturating_add(1)).min(len);
        out[first as usize..end as usize].fill(value.to_u64().unwrap_or(0) as u8);
    }
    out
}

/// The inputs of the run a model describes, in the order in which it takes them.
pub(crate) fn vector(terms: &Terms, model: &Assignment, inputs: &[Input]) -> Vec<InputValue> {
    let mut eval = Evaluator::new(model);
    let mut out = Vec::new();
    for input in inputs {
        if !eval.holds(terms, input.guard) {
            continue;
        }
        out.push(input_value(terms, &mut eval, &input.kind));
    }
    out
}

/// Runs the inputs; a violation comes back as one, anything else as the reason why not.
pub(crate) fn run(
    program: &Program,
    config: &CheckConfig,
    values: Vec<InputValue>,
    engine: &'static str,
    budget: &Budget,
) -> Result<Violation, RunEnd> {
    let runner = Runner::new(program, TraceLevel::Full);
    run_source(&runner, config, InputSource::Recorded(values), engine, budget).map_err(|miss| miss.end)
}

/// The same under a schedule.
pub(crate) fn run_schedule(
    program: &Program,
    config: &CheckConfig,
    values: Vec<InputValue>,
    schedule: Schedule,
    engine: &'static str,
    budget: &Budget,
) -> Result<Violation, RunEnd> {
    let runner = Runner::new(program, TraceLevel::Full);
    run_as(&runner, config, InputSource::Recorded(values), schedule, engine, budget).map_err(|miss| miss.end)
}

/// A run that showed no violation.
pub(crate) struct Miss {
    pub end: RunEnd,
    pub trace: Vec<Event>,
}

/// The same for inputs by where they are asked for. If `runner` does not trace everything, a violation is run once more.
pub(crate) fn run_source(
    runner: &Runner<'_>,
    config: &CheckConfig,
    inputs: InputSource,
    engine: &'static str,
    budget: &Budget,
) -> Result<Violation, Miss> {
    run_as(runner, config, inputs, Schedule::default(), engine, budget)
}

fn run_as(
    runner: &Runner<'_>,
    config: &CheckConfig,
    inputs: InputSource,
    schedule: Schedule,
    engine: &'static str,
    budget: &Budget,
) -> Result<Violation, Miss> {
    let run_config = RunConfig {
        inputs,
        schedule,
        trace: runner.trace(),
        max_events: if runner.trace() == TraceLevel::Calls {
            REPLAY_MAX_EVENTS
        } else {
            RunConfig::default().max_events
        },
        max_steps: Some(1 << 32),
        checks: config.checks,
        assumed_models: config.assumed_models.clone(),
        ..RunConfig::default()
    };
    let result = runner.run(&run_config, budget);
    let program = runner.program();
    if let Some(end) = other_end(program, &result.outcome) {
        return Err(Miss { end, trace: result.trace });
    }
    let values: Vec<InputValue> = result.inputs_used.iter().map(|u| u.value.clone()).collect();
    if runner.trace() != TraceLevel::Full {
        return run(program, config, values, engine, budget).map_err(|end| Miss { end, trace: Vec::new() });
    }
    let names = result.inputs_used.iter().map(|u| u.name.clone()).collect();
    Ok(Violation::confirmed(result, values, names, engine)
        .expect("a run that ended in nothing else should be a violation"))
}

/// How a run ended, unless it is with a violation.
fn other_end(program: &Program, outcome: &Outcome) -> Option<RunEnd> {
    let place = |loc: &Loc| format!("{}:{}", program.file(loc.file), loc.line);
    Some(match outcome {
        Outcome::Violation(_) => return None,
        Outcome::Exit(status) => RunEnd::Exit(*status),
        Outcome::Halt(status) => RunEnd::Halt(*status),
        Outcome::AssumeFailed(loc) => RunEnd::AssumeFailed { place: place(loc) },
        Outcome::Unsupported { what, loc } => RunEnd::Unsupported { what: what.clone(), place: place(loc) },
        Outcome::OutOfSteps => RunEnd::OutOfSteps,
        Outcome::Stopped(stop) => RunEnd::Stopped(*stop),
    })
}
