//! `blitz check`: looks for violations over all inputs.

use super::{explore, proofs};
use crate::args::{
    AllocArg, CheckArgs, CheckFormat, CheckTrace, InputArgs, LoopPolicyArg, OUT, PropagationArg, ThreadsArg,
};
use crate::checks_arg::checks_for;
use crate::input;
use crate::kits::Scene;
use crate::progress::Watch;
use crate::project::{Job, Project};
use crate::runs::RunFolder;
use crate::terminal::Terminal;
use crate::{Exit, Fault, interrupt, kits, overrun, reports};
use blitz_base::Budget;
use blitz_engines::{
    CheckConfig, Engine, Exploration, LastResort, LoopPolicy, Progress, Propagation, Sequentialization,
};
use blitz_ir::{CheckKind, OUT_OF_REACH, Program};
use blitz_report::witness::Task;
use blitz_report::{Report, Sources, Verdict, finding_text, from_check, full_trace, summary_text};
use std::convert::Infallible;
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
    if jobs.len() > 1 && args.format != CheckFormat::Text {
        let names: Vec<&str> = jobs.iter().map(|j| j.name.as_str()).collect();
        if !args.entries.is_empty() {
            return Err(Fault::new("--entries makes several checks, and this format is for one: use --entry"));
        }
        return Err(Fault::new(format!(
            "{} has several targets, and this format is for one: choose it with --target ({})",
            project.shown(),
            names.join(", ")
        )));
    }
    let mut worst = Exit::Success;
    let runs = RunFolder::new();
    for job in &jobs {
        if jobs.len() > 1 {
            terminal.note(&format!("target {}", job.name));
        }
        worst = worse(worst, check_one(&job.args, &project, &runs, terminal)?);
    }
    commit(&runs, terminal);
    Ok(worst)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// One check for each function that --entries names.
fn by_entry(job: Job, terminal: &Terminal) -> Result<Vec<Job>, Fault> {
    if job.args.entries.is_empty() {
        return Ok(vec![job]);
    }
    let names = match job.args.entries.as_slice() {
        [all] if all == "all" => {
            let loaded = input::load(&job.args.inputs, &job.args.clang.flags, input::Environment::Model, terminal)?;
            let funcs = loaded.program.funcs.iter().filter(|f| f.has_body && !f.model && f.name != "main");
            funcs.map(|f| f.name.clone()).collect()
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

/// A violation outweighs what is not decided, which outweighs success.
fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |e: &Exit| match e {
        Exit::Violation => 2,
        Exit::Inconclusive => 1,
        Exit::Success | Exit::BadInput | Exit::Defect | Exit::Status(_) => 0,
    };
    if rank(&other) > rank(&one) { other } else { one }
}

fn check_one(args: &CheckArgs, project: &Project, runs: &RunFolder, terminal: &Terminal) -> Result<Exit, Fault> {
    let budget = Budget::new(args.limits.timeout, args.limits.memory);
    interrupt::cancel_on_ctrl_c(&budget);
    let scene = Scene { runs, budget: &budget, terminal };
    let entry = entry_of(args);
    if args.any_globals && entry == "main" {
        return Err(Fault::new(
            "--any-globals is for functions that are checked by themselves: it needs --entry or --entries",
        ));
    }
    let mut inputs = args.inputs.clone();
    // What is unset stays known as such: it is not looked for then, but nor is it taken for input.
    inputs.checks.get_or_insert_with(|| checks_for(&args.property).with(CheckKind::Uninitialised));
    inputs.files.extend(args.stub.iter().chain(&args.limits_file).cloned());
    overrun::guard_loading(&budget, args.format);
    let (loaded, mut report, exploration) = Watch::over(terminal, &budget, |watch| {
        let mut last = check_loaded(args, &inputs, entry, &scene, watch)?;
        for bits in OTHER_SPLITS {
            if args.inputs.offset_bits.is_some() || !is_out_of_reach(&last.1) {
                break;
            }
            terminal.detail(&format!("32-bit pointers do not reach: once more with {bits} bits for the offset"));
            inputs.offset_bits = Some(bits);
            // A program that is too large for a split stays with the one before.
            if let Ok(next) = check_loaded(args, &inputs, entry, &scene, watch) {
                last = next;
            }
        }
        Ok::<_, Fault>(last)
    })?;
    project.suppress(&mut report);
    publish(args, &loaded, &report, &scene);
    if let (Some(search), Some(exploration)) = (&args.search, &exploration) {
        with_task(args, &loaded, |task| explore::publish(search, &args.out, &loaded, exploration, task, &scene));
    }
    // The process ends now: taking LLVM's modules apart piece by piece would be lost time.
    std::mem::forget(loaded);
    Ok(match report.verdict {
        Verdict::Safe => Exit::Success,
        Verdict::Violation => Exit::Violation,
        Verdict::Bounded | Verdict::Unknown => Exit::Inconclusive,
    })
}

const ANY_VALUE: &str =
    "memory that is not set has any value, as in CBMC; `--uninitialised error` reports where it is read instead";

/// Writes and prints a report.
fn publish(args: &CheckArgs, loaded: &input::Loaded, report: &Report, scene: &Scene<'_>) {
    with_task(args, loaded, |task| {
        let wants_folder = args.search.is_some() && scene.runs.place(&args.out).is_err();
        if wants_folder {
            scene.terminal.note(&format!("no folder {} for tests", args.out.display()));
        }
        reports::write_all(scene.runs, &args.out, report, task, scene.terminal);
        match args.format {
            CheckFormat::Text => tell(report, args.trace, &args.out, scene.terminal),
            other => scene.terminal.result(&reports::render(other, report, task)),
        }
    });
}

/// Does something with what reports say of the check.
fn with_task(args: &CheckArgs, loaded: &input::Loaded, work: impl FnOnce(&Task<'_>)) {
    let files = source_names(loaded);
    let created = blitz_base::budget::utc_now();
    let task = Task {
        files: &files,
        ptr_bits: loaded.program.target.ptr_bits,
        version: env!("CARGO_PKG_VERSION"),
        created: &created,
        entry: entry_of(args),
    };
    work(&task);
}

/// The end of a process whose engine does not end.
fn leave(args: &CheckArgs, loaded: &input::Loaded, answer: &blitz_engines::Report, scene: &Scene<'_>) -> Infallible {
    publish(args, loaded, &from_check(&loaded.program, answer, scene.budget), scene);
    commit(scene.runs, scene.terminal);
    Exit::Inconclusive.leave()
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

/// What 32-bit pointers are split into, one after the other, where objects turn out to be too large or too many for the usual split.
const OTHER_SPLITS: [u16; 3] = [21, 24, 15];

fn is_out_of_reach(report: &Report) -> bool {
    let reasons = report.properties.iter().filter_map(|p| p.reason.as_ref()).chain(&report.reason).chain(&report.notes);
    report.verdict == Verdict::Unknown && reasons.into_iter().any(|r| r.contains(OUT_OF_REACH))
}

fn check_loaded(
    args: &CheckArgs,
    inputs: &InputArgs,
    entry: &str,
    scene: &Scene<'_>,
    watch: &Watch<'_>,
) -> Result<(input::Loaded, Report, Option<Box<Exploration>>), Fault> {
    let Scene { budget, terminal, .. } = *scene;
    watch.phase("compiling");
    let begin = input::Entry { name: entry, any_globals: args.any_globals };
    let loaded = input::load_entry(inputs, &args.clang.flags, input::Environment::Model, begin, terminal)?;
    find_properties(&loaded.program, &args.property)?;
    terminal.detail(&format!("loaded after {:.1} s", budget.elapsed().as_secs_f64()));
    watch.phase("checking");
    let mut config = config(args);
    if let Some(search) = &args.search {
        config.explore = explore::options(search, &loaded.program)?;
    }
    vouch_for_all(&mut config.assumed_models, &loaded.program);
    config.checks = input::checks_with(config.checks, loaded.any_value);
    config.log = terminal.verbose().then_some(|text: &str| eprintln!("{text}"));
    overrun::loaded();
    let last = LastResort { limits: budget, leave: &|answer| leave(args, &loaded, &answer, scene) };
    let (search, observer) = (search_budget(args, budget), |p: &Progress| watch.engine(p));
    let answer = blitz_engines::check_or_leave(&loaded.program, &config, &search, &observer, Some(last))
        .map_err(|e| Fault::new(e.to_string()))?;
    let mut report = from_check(&loaded.program, &answer, budget);
    if loaded.any_value {
        report.notes.push(ANY_VALUE.to_owned());
    }
    report.notes.extend(loaded.unit.iter().flat_map(|u| u.notes.iter().cloned()));
    report.notes.extend(args.assumptions.iter().cloned());
    if args.certify && report.verdict == Verdict::Safe {
        report.notes.push(certificate(answer.stats.certified));
    }
    watch.phase("confirming natively");
    let place = kits::Place { out: &args.out, native: !args.no_native };
    kits::confirm(place, &loaded, &answer, &mut report, scene);
    Ok((loaded, report, answer.exploration))
}

/// One part in so many of the time is kept for building and running what is found, at most so much.
const FOR_KITS: u32 = 10;
const MOST_FOR_KITS: Duration = Duration::from_secs(10);

/// What the search may take.
fn search_budget(args: &CheckArgs, budget: &Budget) -> Budget {
    match budget.remaining() {
        Some(left) if !args.no_native => budget.child(left - (left / FOR_KITS).min(MOST_FOR_KITS)),
        Some(_) | None => budget.clone(),
    }
}

/// Every property that is asked for has to exist: of a mistyped one nothing would ever be violated. Its function is lowered, which
/// brings it into being.
fn find_properties(program: &Program, names: &[String]) -> Result<(), Fault> {
    for name in names {
        let function = name.rsplitn(3, '.').nth(2).and_then(|f| program.func_named(f));
        function.and_then(|f| program.body(f));
        if !program.properties().iter().any(|(_, p)| p.name == *name) {
            return Err(Fault::new(format!(
                "there is no property `{name}` among the checks that are on (`blitz properties` lists them)"
            )));
        }
    }
    Ok(())
}

/// The C files of a program.
fn source_names(loaded: &input::Loaded) -> Vec<String> {
    loaded.sources.iter().map(|unit| unit.file.display().to_string()).collect()
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
            ThreadsArg::Lazy => Sequentialization::Lazy,
            ThreadsArg::LalReps => Sequentialization::LalReps,
        },
        assumed_models: args.assume_model.clone(),
        ..CheckConfig::default()
    }
}

/// `--assume-model all` names every function that has neither body nor library model.
fn vouch_for_all(assumed: &mut Vec<String>, program: &Program) {
    if !assumed.iter().any(|name| name == "all") {
        return;
    }
    assumed.retain(|name| name != "all");
    let bodiless = program.funcs.iter().filter(|f| !f.has_body && !assumed.contains(&f.name));
    let names: Vec<String> = bodiless.map(|f| f.name.clone()).collect();
    assumed.extend(names);
}

/// What a `safe` under `--certify` rests on.
fn certificate(steps: u64) -> String {
    if steps == 0 {
        return "certified: no question was left for the SAT solver, the formulas were decided as they were built"
            .to_owned();
    }
    format!("certified: every answer this rests on has a proof, and our checker accepted its {steps} steps")
}

fn tell(report: &Report, trace: CheckTrace, out: &Path, terminal: &Terminal) {
    let mut sources = Sources::new();
    for finding in &report.violations {
        if trace == CheckTrace::Full {
            terminal.say(&full_trace(&finding.trace).join("\n"));
        }
        terminal.say(&finding_text(finding, &mut sources, terminal.style));
        terminal.say("");
    }
    for note in &report.notes {
        terminal.note(note);
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
    let out_of = |what: &str| report.reason.as_deref().is_some_and(|r| r.contains(what));
    match report.verdict {
        Verdict::Safe | Verdict::Violation => None,
        Verdict::Bounded if out_of("out of time") => Some("to look further, raise --timeout"),
        Verdict::Bounded if out_of("out of memory") => Some("to look further, raise --memory"),
        Verdict::Bounded => Some("to look further, raise --unwind, or --unwindset for the loops named above"),
        Verdict::Unknown if out_of("out of time") => Some("to look longer, raise --timeout, or lower --unwind"),
        Verdict::Unknown if out_of("out of memory") => Some("to go on, raise --memory, or lower --unwind"),
        Verdict::Unknown if out_of("interrupted") => Some("the same command begins anew"),
        Verdict::Unknown if out_of(" died (") || out_of("printed nonsense") => {
            Some("to go on, choose another --solver")
        }
        Verdict::Unknown => Some(
            "to go on, replace what is named above by C of your own (--stub FILE.c), or check parts by themselves (--entry FUNC)",
        ),
    }
}
