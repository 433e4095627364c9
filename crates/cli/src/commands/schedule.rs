//! Schedules of `blitz run`: from a file, to a file, and all there are.

use super::run::tell;
use crate::args::{Format, RunArgs};
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_base::Budget;
use blitz_interp::{Explored, Extent, InputSource, Outcome, RunConfig, RunResult, Schedule, Slot};
use blitz_ir::Program;
use blitz_report::ScheduleRow;
use serde::Serialize;

/// How far an exploration of all schedules goes: `run` gives the inputs, and its allocations succeed.
const EXTENT: Extent = Extent { max_runs: 1_000_000, failures: false, proof: false, reduced: false };

/// Whether the command line asks for more than one schedule.
pub fn asks_for_all(args: &RunArgs) -> bool {
    matches!(args.schedule.as_str(), "all" | "reduced")
}

/// Who decides, as the command line says.
pub fn read(args: &RunArgs) -> Result<Schedule, Fault> {
    match args.schedule.as_str() {
        "roundrobin" | "all" | "reduced" => Ok(Schedule::RoundRobin),
        "random" => Ok(Schedule::Random(args.seed.unwrap_or(0))),
        path => {
            let text = std::fs::read_to_string(path)
                .map_err(|e| Fault::new(format!("the schedule {path} can't be read: {e}")))?;
            slots(&text).map(Schedule::Slots).map_err(|line| {
                Fault::new(format!(
                    "the schedule {path} has a line that is not a thread and its number of steps: {line}"
                ))
            })
        }
    }
}

/// One slot a line, `THREAD STEPS`; what follows a `#` is left out.
fn slots(text: &str) -> Result<Vec<Slot>, String> {
    let mut slots = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [thread, steps] => match (thread.parse(), steps.parse()) {
                (Ok(thread), Ok(steps)) => slots.push(Slot { thread, steps }),
                (_, _) => return Err(line.to_owned()),
            },
            _ => return Err(line.to_owned()),
        }
    }
    Ok(slots)
}

/// Writes the schedule of a run where the command line says.
pub fn save(args: &RunArgs, result: &RunResult) -> Result<(), Fault> {
    let Some(path) = &args.save_schedule else { return Ok(()) };
    let text: String = result.schedule.iter().map(|s| format!("{} {}\n", s.thread, s.steps)).collect();
    std::fs::write(path, text)
        .map_err(|e| Fault::new(format!("the schedule can't be written to {}: {e}", path.display())))
}

/// Runs the program in every schedule there is, up to the states that were seen before.
pub fn all(
    program: &Program,
    config: &RunConfig,
    args: &RunArgs,
    budget: &Budget,
    terminal: &Terminal,
) -> Result<Exit, Fault> {
    let extent = Extent { reduced: args.schedule == "reduced", ..EXTENT };
    let found = blitz_interp::explore(program, config, extent, budget);
    if args.format == Format::Json {
        let report = report(program, &found);
        terminal.result(&serde_json::to_string_pretty(&report).expect("a report should be expressible in JSON"));
        return Ok(exit(&found));
    }
    if let Some(result) = found.violated.values().next() {
        // Once more, to see how it got there.
        let schedule = Schedule::Slots(result.schedule.clone());
        let values = result.inputs_used.iter().map(|i| i.value.clone()).collect();
        let inputs = InputSource::Host { values, seed: None };
        let again = RunConfig { schedule, inputs, ..config.clone() };
        let result = blitz_interp::run(program, &again, budget);
        save(args, &result)?;
        tell(program, &result, args.trace, terminal);
    }
    let (runs, states, violated) = (found.runs, found.states, found.violated.len());
    terminal.note(&format!("{violated} properties are violated in {runs} runs over {states} states"));
    if let Some(why) = &found.incomplete {
        terminal.note(&format!("not every schedule was run: {why}"));
    }
    Ok(exit(&found))
}

fn exit(found: &Explored) -> Exit {
    match (found.violated.is_empty(), &found.incomplete) {
        (false, _) => Exit::Violation,
        (true, None) => Exit::Success,
        (true, Some(_)) => Exit::Inconclusive,
    }
}

/// What `--format json` prints of all schedules.
#[derive(Serialize)]
struct AllReport {
    schema: u32,
    violations: Vec<Violated>,
    runs: u64,
    states: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
}

#[derive(Serialize)]
struct Violated {
    property: String,
    kind: &'static str,
    file: String,
    line: u32,
    schedule: Vec<ScheduleRow>,
}

fn report(program: &Program, found: &Explored) -> AllReport {
    let row = |result: &RunResult| match &result.outcome {
        Outcome::Violation(v) => Some(Violated {
            property: program.property(v.property).name,
            kind: v.kind.name(),
            file: if v.loc.is_known() { program.file(v.loc.file).to_owned() } else { String::new() },
            line: v.loc.line,
            schedule: result.schedule.iter().map(|s| ScheduleRow { thread: s.thread, steps: s.steps }).collect(),
        }),
        _ => None,
    };
    AllReport {
        schema: blitz_report::SCHEMA,
        violations: found.violated.values().filter_map(row).collect(),
        runs: found.runs,
        states: found.states,
        incomplete: found.incomplete.clone(),
    }
}
