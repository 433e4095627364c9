//! One check of one program, from its files to the report.

use crate::findings::Stream;
use crate::load::{self, Entry, Loaded, Source};
use crate::suggest::did_you_mean;
use crate::{Fault, Phase, Scene, Suppressions};
use blitz_base::{Budget, Stop};
use blitz_engines::{CheckConfig, Exploration, LastResort, Progress};
use blitz_ir::{FuncDecl, Program};
use blitz_report::witness::Task;
use blitz_report::{Code, Report, Status, Verdict, from_check};
use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

/// Refuses a program that lacks what was asked of it, and says what an answer about it rests on.
pub type Vet<'a> = dyn Fn(&Program) -> Result<Vec<String>, Fault> + Sync + 'a;
/// Completes a configuration by what only the program tells.
pub type Prepare<'a> = dyn Fn(&Program, &mut CheckConfig) -> Result<(), Fault> + Sync + 'a;
/// Ends the process.
pub type Leave<'a> = dyn Fn(&Loaded, Report) -> Infallible + Sync + 'a;

/// What is asked.
pub struct Request<'a> {
    pub source: Source,
    pub entry: Entry<'a>,
    /// How to look. What it says of functions by name is completed when the program is there.
    pub config: CheckConfig,
    /// What the program has to have, and what the report says for it.
    pub vet: &'a Vet<'a>,
    /// Completes the configuration by what only the program tells.
    pub prepare: &'a Prepare<'a>,
    /// Where findings are written.
    pub out: &'a Path,
    /// Whether kits are built and run.
    pub native: bool,
    /// What the search may take of the time, if it is less than all.
    pub slice: Option<Duration>,
    pub suppressions: &'a Suppressions,
    /// The entry is one function of a library: what it needs of its callers is no violation.
    pub library: bool,
    /// What the user has assumed; the report repeats it.
    pub assumptions: &'a [String],
    /// The version that reports name.
    pub version: &'a str,
    /// Ends the process of an engine that does not end, with a report on what was found until then.
    pub leave: Option<&'a Leave<'a>>,
}

/// A check that was made.
pub struct Checked {
    pub loaded: Loaded,
    pub report: Report,
    /// The paths, where the engine goes path by path.
    pub exploration: Option<Box<Exploration>>,
}

/// What reports say of a check.
pub struct Described<'a> {
    files: Vec<String>,
    created: String,
    ptr_bits: u16,
    entry: &'a str,
    version: &'a str,
}

impl<'a> Described<'a> {
    pub fn new(loaded: &Loaded, entry: &'a str, version: &'a str) -> Described<'a> {
        Described {
            files: loaded.sources.iter().map(|unit| unit.file.display().to_string()).collect(),
            created: blitz_base::budget::utc_now(),
            ptr_bits: loaded.program.target.ptr_bits,
            entry,
            version,
        }
    }

    pub fn task(&self) -> Task<'_> {
        Task {
            files: &self.files,
            ptr_bits: self.ptr_bits,
            version: self.version,
            created: &self.created,
            entry: self.entry,
        }
    }
}

/// What 32-bit pointers are split into, one after the other, where objects turn out to be too large or too many for the usual split.
const OTHER_SPLITS: [u16; 3] = [21, 24, 15];

const ANY_VALUE: &str =
    "memory that is not set has any value, as in CBMC; `--uninitialised error` reports where it is read instead";

const FEW_OPTIONS: &str = "options: at most 4 arguments were looked at, and option letters stand alone (-a -b, not -ab); `blitz explore` looks \
     at others";

/// Whether the program reads its arguments by a model of `getopt`, which leaves some out where paths are merged.
fn reads_options(program: &Program) -> bool {
    let names = ["getopt", "__posix_getopt", "getopt_long", "getopt_long_only"];
    let mut models = names.iter().filter_map(|name| program.func_named(name)).filter(|&f| program.decl(f).model);
    models.any(|f| !program.is_pruned(f))
}

/// Checks a program.
pub fn check(request: &Request<'_>, scene: &Scene<'_>) -> Result<Checked, Fault> {
    let mut last = check_once(request, request.source.offset_bits, scene)?;
    for bits in OTHER_SPLITS {
        if request.source.offset_bits.is_some() || !is_out_of_reach(&last.report) {
            break;
        }
        scene.listener.detail(&format!("32-bit pointers do not reach: once more with {bits} bits for the offset"));
        // A program that is too large for a split stays with the one before.
        if let Ok(next) = check_once(request, Some(bits), scene) {
            last = next;
        }
    }
    Ok(last)
}

fn is_out_of_reach(report: &Report) -> bool {
    let mut reasons = report.properties.iter().filter_map(|p| p.reason.as_ref()).chain(&report.reason);
    report.verdict == Verdict::Unknown && reasons.any(|r| r.code == Code::OutOfReach)
}

fn check_once(request: &Request<'_>, offset_bits: Option<u16>, scene: &Scene<'_>) -> Result<Checked, Fault> {
    let Scene { budget, listener, .. } = *scene;
    listener.phase(Phase::Compiling);
    let source = Source { offset_bits, ..request.source.clone() };
    let mut loaded = load::load(&source, Some(request.entry), listener)?;
    let rests_on = (request.vet)(&loaded.program)?;
    let asked = &request.config.properties;
    let of_asked = |f: &FuncDecl| asked.iter().any(|p| p.rsplitn(3, '.').nth(2) == Some(&f.name));
    loaded.program.prune(of_asked);
    find_properties(&loaded.program, asked)?;
    listener.detail(&format!("loaded after {:.1} s", budget.elapsed().as_secs_f64()));
    listener.phase(Phase::Checking);
    let mut config = request.config.clone();
    (request.prepare)(&loaded.program, &mut config)?;
    vouch_for_all(&mut config.assumed_models, &loaded.program);
    config.checks = load::checks_with(config.checks, loaded.any_value);
    let search = search_budget(request, budget);
    let described = Described::new(&loaded, request.entry.name, request.version);
    let task = described.task();
    let stream = Stream::new(request, scene, &task);
    let answer = watched(&loaded, config, &search, &stream)?;
    let mut report = from_check(&loaded.program, &answer, budget);
    if loaded.any_value {
        report.notes.push(ANY_VALUE.to_owned());
    }
    // A library's report says once how its functions are called.
    let call = loaded.unit.iter().map(|u| &u.call).filter(|_| !request.library);
    report.notes.extend(call.chain(loaded.unit.iter().flat_map(|u| &u.notes)).cloned());
    report.notes.extend(request.assumptions.iter().cloned());
    report.notes.extend(rests_on);
    if request.assumptions.is_empty() && report.verdict != Verdict::Violation && reads_options(&loaded.program) {
        report.notes.push(FEW_OPTIONS.to_owned());
    }
    if request.config.certify && report.verdict == Verdict::Safe {
        report.notes.push(certificate(answer.stats.certified));
    }
    stream.finish(&mut report);
    report.notes.extend(how_it_ended(request.config.stop_at_first, &report, &search));
    Ok(Checked { loaded, report, exploration: answer.exploration })
}

/// Asks the engine, while another thread takes what it finds.
fn watched(
    loaded: &Loaded,
    mut config: CheckConfig,
    search: &Budget,
    stream: &Stream<'_>,
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
        let leave = |answer: blitz_engines::Report| overdue(loaded, &answer, stream);
        let last = stream.request.leave.map(|_| LastResort { limits: scene.budget, leave: &leave });
        let observer = |p: &Progress| scene.listener.progress(p);
        let answer = blitz_engines::check_or_leave(&loaded.program, &config, search, &observer, last);
        // The listener ends when nobody can hand anything out any more.
        drop(config);
        scene.listener.phase(Phase::Confirming);
        if let Err(panic) = listener.join() {
            std::panic::resume_unwind(panic);
        }
        let answer = answer.map_err(|e| Fault::new(e.to_string()))?;
        stream.take_rest(loaded, &plain, &answer.violations);
        Ok(answer)
    })
}

/// The end of a process whose engine does not end. What was found stays.
fn overdue(loaded: &Loaded, answer: &blitz_engines::Report, stream: &Stream<'_>) -> Infallible {
    let mut report = from_check(&loaded.program, answer, stream.scene.budget);
    stream.finish(&mut report);
    let leave = stream.request.leave.expect("an engine should be left only where somebody ends the process");
    leave(loaded, report)
}

/// Of a search that found something: why it ended, unless everything is decided.
fn how_it_ended(first: bool, report: &Report, search: &Budget) -> Option<String> {
    let open = report.properties.iter().filter(|p| matches!(p.status, Status::Bounded | Status::Unknown)).count();
    if open == 0 || report.violations.is_empty() && report.suppressed.is_empty() {
        return None;
    }
    if first {
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
fn search_budget(request: &Request<'_>, budget: &Budget) -> Budget {
    let left = budget.remaining().map(|left| match request.native {
        true => left - (left / FOR_KITS).min(MOST_FOR_KITS),
        false => left,
    });
    match (left, request.slice) {
        (Some(left), Some(slice)) => budget.child(left.min(slice)),
        (Some(left), None) if request.native => budget.child(left),
        (Some(_) | None, _) => budget.clone(),
    }
}

/// Every property that is asked for has to exist: of a mistyped one nothing would ever be violated. Its function is lowered, which
/// brings it into being.
fn find_properties(program: &Program, names: &[String]) -> Result<(), Fault> {
    for name in names {
        let function = name.rsplitn(3, '.').nth(2).and_then(|f| program.func_named(f));
        if let Some(f) = function {
            program.fix_properties_of(f);
        }
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
