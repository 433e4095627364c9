//! `blitz check`: looks for violations over all inputs.

use super::{explore, proofs};
use crate::args::{AllocArg, CheckArgs, CheckFormat, GoOnArg, LoopPolicyArg, OUT, PropagationArg, ThreadsArg};
use crate::checks_arg::checks_for;
use crate::input;
use crate::progress::Watch;
use crate::project::{Job, Project};
use crate::status_file::StatusFile;
use crate::terminal::Terminal;
use crate::{Exit, Fault, contracts, interrupt, overrun, reports};
use blitz_base::Budget;
use blitz_engines::{CheckConfig, Engine, LoopPolicy, Progress, Propagation, SearchOn, Sequentialization};
use blitz_ir::{CheckKind, FuncDecl, Program};
use blitz_report::witness::Task;
use blitz_report::{Code, Finding, Report, Stats, Verdict, needs_text, summary_text, warnings};
use blitz_workflow::check::Leave;
use blitz_workflow::{
    Checked, Described, Entry, Environment, Listener, Loaded, Phase, Request, RunFolder, Scene, library, written,
};
use std::convert::Infallible;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::time::Duration;

/// Checks what the command line names, or every target of the project file.
pub fn check(args: &CheckArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let project = Project::find(args.config.as_deref())?;
    let listed = project.proofs(args);
    if !listed.is_empty() {
        return proofs::check(&listed, args.inputs.jobs.map_or_else(cores, |n| n as usize), terminal);
    }
    let mut jobs = Vec::new();
    for job in project.jobs(args)? {
        jobs.extend(by_entry(job, terminal)?);
    }
    if jobs.is_empty() {
        return Err(Fault::new("there is no function to check: the program defines none"));
    }
    let library = jobs.iter().any(|j| !j.args.entries.is_empty());
    if jobs.len() > 1 && !library && args.format != CheckFormat::Text {
        let names: Vec<&str> = jobs.iter().map(|j| j.name.as_str()).collect();
        return Err(Fault::new(format!(
            "{} has several targets, and this format is for one: choose it with --target ({})",
            project.shown(),
            names.join(", ")
        )));
    }
    for job in &jobs {
        writable(&job.args.out)?;
    }
    let runs = RunFolder::new();
    let exit = match library {
        true => check_library(jobs, &project, &runs, terminal)?,
        false => check_targets(&jobs, &project, &runs, terminal)?,
    };
    commit(&runs, terminal);
    Ok(exit)
}

/// A folder that was named for results has to take them: the user wants to find them there.
fn writable(out: &Path) -> Result<(), Fault> {
    if out.starts_with(OUT) {
        return Ok(());
    }
    let probe = out.join(".blitz");
    let tried = std::fs::create_dir_all(out).and_then(|()| std::fs::write(&probe, ""));
    tried.map_err(|e| Fault::new(format!("nothing can be written to {} (--out): {e}", out.display())))?;
    let _ = std::fs::remove_file(probe);
    Ok(())
}

fn check_targets(jobs: &[Job], project: &Project, runs: &RunFolder, terminal: &Terminal) -> Result<Exit, Fault> {
    let mut worst = Exit::Success;
    for job in jobs {
        if jobs.len() > 1 {
            terminal.note(&format!("target {}", job.name));
        }
        let (_, report) = check_one(&job.args, project, runs, terminal)?;
        worst = worse(worst, exit_of(&report));
    }
    Ok(worst)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Every function by itself; one report on all of them.
fn check_library(jobs: Vec<Job>, project: &Project, runs: &RunFolder, terminal: &Terminal) -> Result<Exit, Fault> {
    let whole = Budget::new(jobs[0].args.limits.timeout, None);
    let count = jobs.len();
    let first = jobs[0].args.clone();
    let mut described = None;
    let mut unseen = Vec::new();
    for (i, mut job) in jobs.into_iter().enumerate() {
        // What is left, shared out twice over: most functions need little.
        if let Some(left) = whole.remaining() {
            if i > 0 && left < LEAST_PER_ENTRY {
                unseen.push(job.name);
                continue;
            }
            job.args.limits.timeout = Some(left);
            job.args.slice = Some((left * 2 / (count - i) as u32).min(left).max(LEAST_PER_ENTRY));
        }
        terminal.note(&format!("function {} ({} of {count})", job.name, i + 1));
        let (loaded, report) = check_one(&job.args, project, runs, terminal)?;
        described.get_or_insert_with(|| Described::new(&loaded, entry_of(&first), VERSION));
        drop(ManuallyDrop::into_inner(loaded.program));
        runs.keep(job.name, report);
    }
    let stats = Stats { seconds: whole.elapsed().as_secs_f64(), ..Stats::default() };
    let report = library::merged(runs.take_kept(), &unseen, stats);
    let described = described.expect("a library should have a function");
    publish_library(&first, &report, &described.task(), runs, terminal);
    Ok(exit_of(&report))
}

/// The one report on all functions.
fn publish_library(args: &CheckArgs, report: &Report, task: &Task<'_>, runs: &RunFolder, terminal: &Terminal) {
    // Each function has a folder of its own in that of the run.
    let out = args.out.parent().unwrap_or(Path::new(OUT)).to_owned();
    written::write_all(runs, &out, report, task, terminal);
    match args.format {
        CheckFormat::Text => tell(report, &CheckArgs { out, ..args.clone() }, terminal),
        other => terminal.result(&reports::render(other, report, task)),
    }
}

/// What a function gets in any case.
const LEAST_PER_ENTRY: Duration = Duration::from_millis(500);

/// One check for each function that --entries names.
fn by_entry(job: Job, terminal: &Terminal) -> Result<Vec<Job>, Fault> {
    let mut job = job;
    if job.args.entries.is_empty() && job.args.entry.is_none() {
        begin_with_contracts(&mut job.args);
    }
    if job.args.entries.is_empty() {
        return Ok(vec![job]);
    }
    let names = match job.args.entries.as_slice() {
        [all] if all == "all" => {
            let loaded = input::load(&job.args.inputs, &job.args.clang.flags, Environment::Model, terminal)?;
            let is_entry =
                |f: &&FuncDecl| f.has_body && !f.model && f.name != "main" && !contracts::is_wrapper(&f.name);
            let funcs = loaded.program.funcs.iter().filter(is_entry);
            let mut named: Vec<(bool, String)> = funcs.map(|f| (f.internal, f.name.clone())).collect();
            // What anybody can call comes first, in the order of the source: the time may not be enough for all.
            named.sort_by_key(|(internal, _)| *internal);
            let names = named.into_iter().map(|(_, name)| name).collect();
            drop(ManuallyDrop::into_inner(loaded.program));
            names
        }
        named if named.iter().any(String::is_empty) => {
            return Err(Fault::new("--entries: a name is empty; write f,g or all"));
        }
        named => named.to_vec(),
    };
    let one = |name: String| {
        let mut args = job.args.clone();
        args.out = args.out.join(&name);
        args.entry = Some(name.clone());
        Job { name, args }
    };
    Ok(names.into_iter().map(one).collect())
}

/// Contracts that are checked are where a check begins.
fn begin_with_contracts(args: &mut CheckArgs) {
    let names: Vec<String> = args.inputs.enforce.iter().map(|f| contracts::function(f).to_owned()).collect();
    match names.as_slice() {
        [] => {}
        [one] => args.entry = Some(one.clone()),
        _ => args.entries = names,
    }
}

/// A violation outweighs what is not decided, which outweighs success.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |e: &Exit| match e {
        Exit::Violation => 2,
        Exit::Inconclusive => 1,
        Exit::Success | Exit::BadInput | Exit::Defect | Exit::Status(_) => 0,
    };
    if rank(&other) > rank(&one) { other } else { one }
}

fn check_one(
    args: &CheckArgs,
    project: &Project,
    runs: &RunFolder,
    terminal: &Terminal,
) -> Result<(Loaded, Report), Fault> {
    let budget = Budget::new(args.limits.timeout, args.limits.memory);
    interrupt::cancel_on_ctrl_c(&budget);
    let entry = Entry { name: entry_of(args), any_globals: args.any_globals };
    if args.any_globals && entry.name == "main" {
        return Err(Fault::new(
            "--any-globals is for functions that are checked by themselves: it needs --entry or --entries",
        ));
    }
    let mut inputs = args.inputs.clone();
    // What is unset stays known as such: it is not looked for then, but nor is it taken for input.
    inputs.checks.get_or_insert_with(|| checks_for(&args.property).with(CheckKind::Uninitialised));
    // Without a program there is nothing to add to.
    if !inputs.files.is_empty() || inputs.database.is_some() {
        inputs.files.extend(args.stub.iter().chain(&args.limits_file).cloned());
        inputs.for_models.extend(args.limits_file.clone());
    }
    // The functions of a library share the time, and loading one takes little of it.
    if args.entries.is_empty() {
        overrun::guard_loading(&budget, args.format);
    }
    let prepare = |program: &Program, config: &mut CheckConfig| -> Result<(), Fault> {
        if let Some(search) = &args.search {
            config.explore = explore::options(search, program)?;
        }
        Ok(())
    };
    let vet = |program: &Program| -> Result<Vec<String>, Fault> {
        contracts::found(&inputs, program)?;
        if args.entries.is_empty() {
            contracts::assumptions_fit(&inputs, program, entry.name)?;
        }
        Ok(contracts::notes(&inputs, program, entry.name))
    };
    let leave = |loaded: &Loaded, report: Report| -> Infallible {
        let report = match &args.entry {
            Some(entry) if !args.entries.is_empty() => {
                runs.keep(entry.clone(), report);
                let report = library::merged(runs.take_kept(), &[], Stats::default());
                publish_library(args, &report, &Described::new(loaded, entry, VERSION).task(), runs, terminal);
                report
            }
            Some(_) | None => {
                publish(args, loaded, &report, runs, terminal);
                report
            }
        };
        commit(runs, terminal);
        exit_of(&report).leave()
    };
    let request = Request {
        source: input::source_for(&inputs, &args.clang.flags, Environment::Model, entry.name)?,
        entry,
        config: CheckConfig { log: terminal.verbose().then_some(|text: &str| eprintln!("{text}")), ..config(args) },
        vet: &vet,
        prepare: &prepare,
        out: &args.out,
        native: !args.no_native,
        slice: args.slice,
        suppressions: project.suppressions(),
        library: !args.entries.is_empty(),
        assumptions: &args.assumptions,
        version: VERSION,
        // The tests of paths are the engine's until it ends: they are worth waiting for.
        leave: args.search.is_none().then_some(&leave as &Leave<'_>),
    };
    let Checked { loaded, report, exploration } = Watch::over(terminal, &budget, |watch| {
        let status = args.search.as_ref().and_then(|s| s.status_json.as_deref());
        let listener = Told { args, terminal, watch, runs, status: StatusFile::new(status, &budget) };
        blitz_workflow::check(&request, &Scene { runs, budget: &budget, listener: &listener })
    })?;
    // Of a library there is one report in the end.
    if args.entries.is_empty() {
        publish(args, &loaded, &report, runs, terminal);
    }
    if let (Some(search), Some(exploration)) = (&args.search, &exploration) {
        let described = Described::new(&loaded, entry_of(args), VERSION);
        explore::publish(search, &args.out, &loaded, exploration, &described.task(), (runs, &budget, terminal));
    }
    Ok((loaded, report))
}

/// Whoever waits at the terminal.
struct Told<'a> {
    args: &'a CheckArgs,
    terminal: &'a Terminal,
    watch: &'a Watch<'a>,
    runs: &'a RunFolder,
    status: StatusFile<'a>,
}

impl Listener for Told<'_> {
    fn note(&self, text: &str) {
        self.terminal.note(text);
    }

    fn detail(&self, text: &str) {
        self.terminal.detail(text);
    }

    fn phase(&self, phase: Phase) {
        self.watch.phase(phase);
        if phase == Phase::Checking {
            overrun::loaded();
        }
    }

    fn progress(&self, progress: &Progress) {
        self.watch.engine(progress);
        self.status.tell(progress);
    }

    fn found(&self, finding: &Finding) {
        // Of several functions of a library that lead to one violation the first is enough.
        if !self.args.entries.is_empty() && !self.runs.is_news(&finding.property) {
            return;
        }
        match self.args.format {
            CheckFormat::Text => reports::tell_finding(finding, self.args.trace, self.terminal),
            CheckFormat::Jsonl => self.terminal.result(&blitz_report::json_line("violation", finding)),
            CheckFormat::Json
            | CheckFormat::Sarif
            | CheckFormat::Html
            | CheckFormat::Junit
            | CheckFormat::Witness
            | CheckFormat::Graphml => {}
        }
    }
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn exit_of(report: &Report) -> Exit {
    match report.verdict {
        Verdict::Safe => Exit::Success,
        Verdict::Violation => Exit::Violation,
        Verdict::Bounded | Verdict::Unknown => Exit::Inconclusive,
    }
}

/// Writes and prints a report.
fn publish(args: &CheckArgs, loaded: &Loaded, report: &Report, runs: &RunFolder, terminal: &Terminal) {
    let described = Described::new(loaded, entry_of(args), VERSION);
    let task = &described.task();
    let wants_folder = args.search.is_some() && runs.place(&args.out).is_err();
    if wants_folder {
        terminal.note(&format!("no folder {} for tests", args.out.display()));
    }
    written::write_all(runs, &args.out, report, task, terminal);
    match args.format {
        CheckFormat::Text => tell(report, args, terminal),
        other => terminal.result(&reports::render(other, report, task)),
    }
}

fn commit(runs: &RunFolder, terminal: &Terminal) {
    if let Err(e) = runs.commit() {
        terminal.note(&format!("the latest run can't be marked as such: {e}"));
    }
}

/// The function the program begins with.
fn entry_of(args: &CheckArgs) -> &str {
    args.entry.as_deref().unwrap_or("main")
}

fn config(args: &CheckArgs) -> CheckConfig {
    CheckConfig {
        engine: args.engine.unwrap_or(Engine::Auto),
        unwind: args.unwind,
        unwindset: args.unwindset.clone(),
        counts_ways_back: false,
        checks: args.inputs.checks.unwrap_or_else(|| checks_for(&args.property)),
        properties: args.property.clone(),
        solver: args.solver.clone(),
        certify: args.certify,
        alloc_may_fail: args.alloc != Some(AllocArg::Succeeds),
        stop_at_first: args.first,
        search_on: search_on(args),
        log: None,
        weakening: args.weakening,
        tactics: args.tactics,
        exact: args.exact,
        granularity: args.granularity,
        inline: args.inline,
        jobs: args.inputs.jobs.map_or(1, |n| n as usize),
        propagation: match args.propagation {
            PropagationArg::Data => Propagation::Data,
            PropagationArg::Control => Propagation::Control,
        },
        loop_policy: match args.loop_policy {
            LoopPolicyArg::RoundRobin => LoopPolicy::RoundRobin,
            LoopPolicyArg::Cost => LoopPolicy::Cost,
            LoopPolicyArg::Distance => LoopPolicy::Distance,
        },
        check_interval: args.check_interval,
        rounds: args.rounds,
        threads: match args.threads {
            None => Sequentialization::SchedulesFirst,
            Some(ThreadsArg::Lazy) => Sequentialization::Lazy,
            Some(ThreadsArg::LalReps) => Sequentialization::LalReps,
        },
        assumed_models: args.assume_model.clone(),
        ..CheckConfig::default()
    }
}

/// A user who says how long to look wants to see what there is to find in that time, as it is found. Formats that are printed at the end are for
/// programs, which wait for it.
fn search_on(args: &CheckArgs) -> SearchOn {
    let as_it_comes = matches!(args.format, CheckFormat::Text | CheckFormat::Jsonl);
    match args.go_on {
        Some(GoOnArg::End) => SearchOn::ToTheEnd,
        Some(GoOnArg::Some) => SearchOn::Somewhat,
        None if args.limits.timeout.is_some() && as_it_comes => SearchOn::ToTheEnd,
        None => SearchOn::Somewhat,
    }
}

fn tell(report: &Report, args: &CheckArgs, terminal: &Terminal) {
    let out = args.out.as_path();
    for note in &report.notes {
        terminal.note(note);
    }
    for warning in warnings(report) {
        terminal.warning(&warning);
    }
    if let Some(table) = needs_text(report, terminal.style.width) {
        terminal.result(&table);
    }
    terminal.result(&summary_text(report));
    if report.verdict == Verdict::Violation {
        let folder = if out == Path::new(OUT) { String::new() } else { format!(" {}", out.display()) };
        terminal.note(&format!(
            "`blitz report{folder}` walks through it in a browser, `blitz replay{folder}` runs it again"
        ));
    } else if let Some(hint) = how_to_go_on(report) {
        terminal.note(hint);
    }
}

fn how_to_go_on(report: &Report) -> Option<&'static str> {
    let code = report.reason.as_ref().map(|r| r.code);
    match (report.verdict, code) {
        (Verdict::Safe | Verdict::Violation, _) => None,
        (Verdict::Bounded, Some(Code::OutOfTime)) => Some("to look further, raise --timeout"),
        (Verdict::Bounded, Some(Code::OutOfMemory)) => Some("to look further, raise --memory"),
        (Verdict::Bounded, _) => Some("to look further, raise --unwind, or --unwindset for the loops named above"),
        (Verdict::Unknown, Some(Code::OutOfTime)) => Some("to look longer, raise --timeout, or lower --unwind"),
        (Verdict::Unknown, Some(Code::OutOfMemory)) => Some("to go on, raise --memory, or lower --unwind"),
        (Verdict::Unknown, Some(Code::Interrupted)) => Some("the same command begins anew"),
        (Verdict::Unknown, Some(Code::SwitchedOff)) => Some(
            "to decide it, look for that violation as well (--checks, or without --property); if only a failing allocation leads there, --alloc succeeds leaves those out",
        ),
        (Verdict::Unknown, Some(Code::SolverFailed)) => Some("to go on, choose another --solver"),
        (Verdict::Unknown, _) => Some(
            "to go on, replace what is named above by C of your own (--stub FILE.c), or check parts by themselves (--entry FUNC)",
        ),
    }
}
