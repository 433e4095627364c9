//! `blitz check`: looks for violations over all inputs.

use super::{explore, proofs};
use crate::args::{
    AllocArg, CheckArgs, CheckFormat, GoOnArg, InputArgs, LoopPolicyArg, OUT, PropagationArg, ThreadsArg,
};
use crate::checks_arg::checks_for;
use crate::input;
use crate::kits::Scene;
use crate::progress::Watch;
use crate::project::{Job, Project};
use crate::runs::RunFolder;
use crate::stream::Stream;
use crate::suggest::did_you_mean;
use crate::terminal::Terminal;
use crate::{Exit, Fault, interrupt, library, overrun, reports};
use blitz_base::{Budget, Stop};
use blitz_engines::{
    CheckConfig, Engine, Exploration, LastResort, LoopPolicy, Progress, Propagation, SearchOn, Sequentialization,
};
use blitz_ir::{CheckKind, FuncDecl, OUT_OF_REACH, Program};
use blitz_report::witness::Task;
use blitz_report::{Report, Stats, Status, Verdict, from_check, needs_text, summary_text, warnings};
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
    let (count, mut reports, mut described) = (jobs.len(), Vec::new(), None);
    let first = jobs[0].args.clone();
    let out = first.out.parent().unwrap_or(Path::new(OUT)).to_owned();
    for (i, mut job) in jobs.into_iter().enumerate() {
        terminal.note(&format!("function {} ({} of {count})", job.name, i + 1));
        // What is left, shared out twice over: most functions need little.
        if let Some(left) = whole.remaining() {
            job.args.limits.timeout = Some((left * 2 / (count - i) as u32).min(left).max(LEAST_PER_ENTRY));
        }
        let (loaded, report) = check_one(&job.args, project, runs, terminal)?;
        described.get_or_insert_with(|| (Described::of(&first, &loaded), loaded.program.target.ptr_bits));
        drop(ManuallyDrop::into_inner(loaded.program));
        reports.push((job.name, report));
    }
    let stats = Stats { seconds: whole.elapsed().as_secs_f64(), ..Stats::default() };
    let report = library::merged(reports, stats);
    let (described, ptr_bits) = described.expect("a library should have a function");
    let task = described.task(ptr_bits);
    reports::write_all(runs, &out, &report, &task, terminal);
    match first.format {
        CheckFormat::Text => tell(&report, &CheckArgs { out, ..first }, terminal),
        other => terminal.result(&reports::render(other, &report, &task)),
    }
    Ok(exit_of(&report))
}

/// What a function gets in any case.
const LEAST_PER_ENTRY: Duration = Duration::from_millis(500);

/// One check for each function that --entries names.
fn by_entry(job: Job, terminal: &Terminal) -> Result<Vec<Job>, Fault> {
    if job.args.entries.is_empty() {
        return Ok(vec![job]);
    }
    let names = match job.args.entries.as_slice() {
        [all] if all == "all" => {
            let loaded = input::load(&job.args.inputs, &job.args.clang.flags, input::Environment::Model, terminal)?;
            let funcs = loaded.program.funcs.iter().filter(|f| f.has_body && !f.model && f.name != "main");
            let names = funcs.map(|f| f.name.clone()).collect();
            drop(ManuallyDrop::into_inner(loaded.program));
            names
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

fn check_one(
    args: &CheckArgs,
    project: &Project,
    runs: &RunFolder,
    terminal: &Terminal,
) -> Result<(input::Loaded, Report), Fault> {
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
    let (loaded, report, exploration) = Watch::over(terminal, &budget, |watch| {
        let mut last = check_loaded(args, project, &inputs, entry, &scene, watch)?;
        for bits in OTHER_SPLITS {
            if args.inputs.offset_bits.is_some() || !is_out_of_reach(&last.1) {
                break;
            }
            terminal.detail(&format!("32-bit pointers do not reach: once more with {bits} bits for the offset"));
            inputs.offset_bits = Some(bits);
            // A program that is too large for a split stays with the one before.
            if let Ok(next) = check_loaded(args, project, &inputs, entry, &scene, watch) {
                last = next;
            }
        }
        Ok::<_, Fault>(last)
    })?;
    // Of a library there is one report in the end.
    if args.entries.is_empty() {
        publish(args, &loaded, &report, &scene);
    }
    if let (Some(search), Some(exploration)) = (&args.search, &exploration) {
        with_task(args, &loaded, |task| explore::publish(search, &args.out, &loaded, exploration, task, &scene));
    }
    Ok((loaded, report))
}

fn exit_of(report: &Report) -> Exit {
    match report.verdict {
        Verdict::Safe => Exit::Success,
        Verdict::Violation => Exit::Violation,
        Verdict::Bounded | Verdict::Unknown => Exit::Inconclusive,
    }
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
            CheckFormat::Text => tell(report, args, scene.terminal),
            other => scene.terminal.result(&reports::render(other, report, task)),
        }
    });
}

/// Does something with what reports say of the check.
fn with_task(args: &CheckArgs, loaded: &input::Loaded, work: impl FnOnce(&Task<'_>)) {
    work(&Described::of(args, loaded).task(loaded.program.target.ptr_bits));
}

/// What reports say of the check.
struct Described<'a> {
    files: Vec<String>,
    created: String,
    entry: &'a str,
}

impl<'a> Described<'a> {
    fn of(args: &'a CheckArgs, loaded: &input::Loaded) -> Described<'a> {
        Described { files: source_names(loaded), created: blitz_base::budget::utc_now(), entry: entry_of(args) }
    }

    fn task(&'a self, ptr_bits: u16) -> Task<'a> {
        Task {
            files: &self.files,
            ptr_bits,
            version: env!("CARGO_PKG_VERSION"),
            created: &self.created,
            entry: self.entry,
        }
    }
}

/// The end of a process whose engine does not end. What was found stays.
fn leave(loaded: &input::Loaded, answer: &blitz_engines::Report, stream: &Stream<'_>) -> Infallible {
    let scene = stream.scene;
    let mut report = from_check(&loaded.program, answer, scene.budget);
    stream.finish(&mut report);
    publish(stream.args, loaded, &report, scene);
    commit(scene.runs, scene.terminal);
    exit_of(&report).leave()
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
    project: &Project,
    inputs: &InputArgs,
    entry: &str,
    scene: &Scene<'_>,
    watch: &Watch<'_>,
) -> Result<(input::Loaded, Report, Option<Box<Exploration>>), Fault> {
    let Scene { budget, terminal, .. } = *scene;
    watch.phase("compiling");
    let begin = input::Entry { name: entry, any_globals: args.any_globals };
    let mut loaded = input::load_entry(inputs, &args.clang.flags, input::Environment::Model, begin, terminal)?;
    let asked = |f: &FuncDecl| args.property.iter().any(|p| p.rsplitn(3, '.').nth(2) == Some(&f.name));
    loaded.program.prune(asked);
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
    let search = search_budget(args, budget);
    let task = Described::of(args, &loaded);
    let task = task.task(loaded.program.target.ptr_bits);
    let stream = Stream::new(args, project, scene, &task);
    let answer = watched(&loaded, config, &search, &stream, watch)?;
    let mut report = from_check(&loaded.program, &answer, budget);
    if loaded.any_value {
        report.notes.push(ANY_VALUE.to_owned());
    }
    report.notes.extend(loaded.unit.iter().flat_map(|u| u.notes.iter().cloned()));
    report.notes.extend(args.assumptions.iter().cloned());
    if args.certify && report.verdict == Verdict::Safe {
        report.notes.push(certificate(answer.stats.certified));
    }
    stream.finish(&mut report);
    report.notes.extend(how_it_ended(args, &report, &search));
    Ok((loaded, report, answer.exploration))
}

/// Asks the engine, while another thread takes what it finds.
fn watched(
    loaded: &input::Loaded,
    mut config: CheckConfig,
    search: &Budget,
    stream: &Stream<'_>,
    watch: &Watch<'_>,
) -> Result<blitz_engines::Report, Fault> {
    let scene = stream.scene;
    let (found, findings) = std::sync::mpsc::channel();
    let plain = config.clone();
    config.found = Some(found);
    std::thread::scope(|scope| {
        let listener = std::thread::Builder::new().name("findings".into());
        let listens = &plain;
        let listener = listener.spawn_scoped(scope, move || stream.listen(loaded, listens, &findings));
        let listener = listener.map_err(|e| Fault::new(format!("no thread can be started: {e}")))?;
        let last = LastResort { limits: scene.budget, leave: &|answer| leave(loaded, &answer, stream) };
        let observer = |p: &Progress| watch.engine(p);
        let answer = blitz_engines::check_or_leave(&loaded.program, &config, search, &observer, Some(last));
        // The listener ends when nobody can hand anything out any more.
        drop(config);
        watch.phase("confirming natively");
        if let Err(panic) = listener.join() {
            std::panic::resume_unwind(panic);
        }
        let answer = answer.map_err(|e| Fault::new(e.to_string()))?;
        stream.take_rest(loaded, &plain, &answer.violations);
        Ok(answer)
    })
}

/// Of a search that found something: why it ended, unless everything is decided.
fn how_it_ended(args: &CheckArgs, report: &Report, search: &Budget) -> Option<String> {
    let open = report.properties.iter().filter(|p| matches!(p.status, Status::Bounded | Status::Unknown)).count();
    if open == 0 || report.violations.is_empty() && report.suppressed.is_empty() {
        return None;
    }
    if args.first {
        return Some("the search ended at the first violation (--first)".to_owned());
    }
    let why = match search.expired()? {
        Stop::Time => "all of its time was used",
        Stop::Memory => "all of its memory was used",
        Stop::Cancelled => "it was interrupted",
        Stop::Effort => "all of its work was done",
    };
    let many = if open == 1 { "one property is".to_owned() } else { format!("{open} properties are") };
    Some(format!("the search went on after the violations until {why}; {many} not decided for all executions"))
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
            let names: Vec<String> = program.properties().into_iter().map(|(_, p)| p.name).collect();
            let near = did_you_mean(name, names.iter().map(String::as_str));
            return Err(Fault::new(format!(
                "there is no property `{name}`{near} among the checks that are on (`blitz properties` lists them)"
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

/// What a `safe` under `--certify` rests on.
fn certificate(steps: u64) -> String {
    if steps == 0 {
        return "certified: no question was left for the SAT solver, the formulas were decided as they were built"
            .to_owned();
    }
    format!("certified: every answer this rests on has a proof, and our checker accepted its {steps} steps")
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
