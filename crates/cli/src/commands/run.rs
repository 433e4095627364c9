//! `blitz run`: the program in the interpreter, with real arguments, environment, stdin and files.

use super::schedule;
use crate::args::{Format, RunArgs, TraceArg};
use crate::input;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_base::{Budget, Bv};
use blitz_interp::{InputSource, InputValue, Outcome, OutputSink, RunConfig, RunResult, TraceLevel};
use blitz_ir::Program;
use blitz_report::{Finding, ScheduleRow, Sources, Stats, finding_text, full_trace};
use serde::Serialize;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// What `--format json` prints.
#[derive(Serialize)]
struct RunReport {
    schema: u32,
    /// `exit`, `halt`, `violation`, `assume`, `unsupported`, `steps`, `stopped`.
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<Finding>,
    /// The steps that threads made, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    schedule: Vec<ScheduleRow>,
    stdout: String,
    stderr: String,
    stats: Stats,
}

pub fn run(args: &RunArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let begin = input::Entry { name: "main", any_globals: false };
    let loaded = input::load_entry(&args.inputs, &[], input::Environment::Host, begin, terminal)?;
    let budget = Budget::new(args.limits.timeout, args.limits.memory);
    crate::interrupt::cancel_on_ctrl_c(&budget);
    let config = RunConfig { schedule: schedule::read(args)?, ..config(args, &loaded) };
    if schedule::asks_for_all(args) {
        return schedule::all(&loaded.program, &config, args, &budget, terminal);
    }
    match args.format {
        Format::Text => {
            let result = blitz_interp::run_with(&loaded.program, &config, &budget, &mut Passed);
            let _ = std::io::stdout().flush();
            schedule::save(args, &result)?;
            tell(&loaded.program, &result, args.trace, terminal);
            Ok(exit(&result, args.status))
        }
        Format::Json => {
            let result = blitz_interp::run(&loaded.program, &config, &budget);
            schedule::save(args, &result)?;
            let report = report(&loaded.program, &result, &budget);
            terminal.result(&serde_json::to_string_pretty(&report).expect("a report should be expressible in JSON"));
            Ok(exit(&result, args.status))
        }
    }
}

fn config(args: &RunArgs, loaded: &input::Loaded) -> RunConfig {
    let mut argv = vec![loaded.name.clone().into_bytes()];
    argv.extend(args.args.iter().map(|a| a.as_bytes().to_vec()));
    let variable =
        |(name, value): (std::ffi::OsString, std::ffi::OsString)| [name.into_vec(), value.into_vec()].join(&b'=');
    RunConfig {
        args: argv,
        env: std::env::vars_os().map(variable).collect(),
        inputs: inputs(args),
        trace: match args.trace {
            TraceArg::None => TraceLevel::None,
            TraceArg::Calls => TraceLevel::Calls,
            TraceArg::Full => TraceLevel::Full,
        },
        max_steps: args.max_steps,
        checks: args.inputs.checks.unwrap_or_default(),
        ..RunConfig::default()
    }
}

fn inputs(args: &RunArgs) -> InputSource {
    let values = args.values.iter().map(|&n| InputValue::Value(Bv::from_i128(128, n))).collect();
    InputSource::Host { values, seed: args.seed }
}

/// Hands the program's output on to our own stdout and stderr.
struct Passed;

impl OutputSink for Passed {
    fn write(&mut self, fd: i32, bytes: &[u8]) {
        let _ = match fd {
            2 => std::io::stderr().write_all(bytes),
            _ => std::io::stdout().write_all(bytes).and_then(|()| std::io::stdout().flush()),
        };
    }
}

fn exit(result: &RunResult, pass_status: bool) -> Exit {
    match &result.outcome {
        Outcome::Exit(status) | Outcome::Halt(status) if pass_status => Exit::Status(*status as u8),
        Outcome::Exit(_) | Outcome::Halt(_) => Exit::Success,
        Outcome::Violation(_) => Exit::Violation,
        Outcome::AssumeFailed(_) | Outcome::Unsupported { .. } | Outcome::OutOfSteps | Outcome::Stopped(_) => {
            Exit::Inconclusive
        }
    }
}

pub(super) fn tell(program: &Program, result: &RunResult, trace: TraceArg, terminal: &Terminal) {
    if let Outcome::Violation(violation) = &result.outcome {
        let finding = Finding::from_run(program, violation, result);
        if trace != TraceArg::None {
            terminal.say(&full_trace(&finding.trace).join("\n"));
        }
        terminal.say(&finding_text(&finding, &mut Sources::new(), terminal.style));
    } else if let Some(sentence) = ending(program, result) {
        terminal.note(&sentence);
    }
    terminal.detail(&format!("{} instructions were executed", result.steps));
}

/// How a run without violation ended, where that is worth a word.
fn ending(program: &Program, result: &RunResult) -> Option<String> {
    let place = |loc: &blitz_base::span::Loc| {
        if loc.is_known() { format!(" at {}:{}", program.file(loc.file), loc.line) } else { String::new() }
    };
    match &result.outcome {
        Outcome::Exit(0) | Outcome::Violation(_) => None,
        Outcome::Exit(status) => Some(format!("the program ended with status {status}")),
        Outcome::Halt(status) => Some(format!("the program ended abnormally with status {status}")),
        Outcome::AssumeFailed(loc) => Some(format!("the run left what is assumed{}", place(loc))),
        Outcome::Unsupported { what, loc } => {
            Some(format!("not supported: {what}{}; this is no bug of the program", place(loc)))
        }
        Outcome::OutOfSteps => Some("the run was stopped: it reached --max-steps".to_owned()),
        Outcome::Stopped(stop) => Some(format!("the run was stopped: {stop}")),
    }
}

fn report(program: &Program, result: &RunResult, budget: &Budget) -> RunReport {
    let (outcome, status) = match &result.outcome {
        Outcome::Exit(status) => ("exit", Some(*status)),
        Outcome::Halt(status) => ("halt", Some(*status)),
        Outcome::Violation(_) => ("violation", None),
        Outcome::AssumeFailed(_) => ("assume", None),
        Outcome::Unsupported { .. } => ("unsupported", None),
        Outcome::OutOfSteps => ("steps", None),
        Outcome::Stopped(_) => ("stopped", None),
    };
    let violation = match &result.outcome {
        Outcome::Violation(violation) => Some(Finding::from_run(program, violation, result)),
        _ => None,
    };
    RunReport {
        schema: blitz_report::SCHEMA,
        outcome,
        status,
        reason: ending(program, result),
        violation,
        schedule: result.schedule.iter().map(|s| ScheduleRow { thread: s.thread, steps: s.steps }).collect(),
        stdout: String::from_utf8_lossy(&result.written(1)).into_owned(),
        stderr: String::from_utf8_lossy(&result.written(2)).into_owned(),
        stats: Stats {
            seconds: budget.elapsed().as_secs_f64(),
            memory_bytes: blitz_base::budget::resident_bytes(),
            steps: Some(result.steps),
            counters: Vec::new(),
        },
    }
}
