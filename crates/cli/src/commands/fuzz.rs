//! `blitz fuzz`: native runs led by the solver, as SAGE does it.

mod findings;
mod workers;

use crate::args::FuzzArgs;
use crate::input::{self, Loaded};
use crate::progress::rewrite_pause;
use crate::terminal::Terminal;
use crate::{Exit, Fault, interrupt, reports};
use blitz_base::Budget;
use blitz_engines::{CheckConfig, RequestTexts};
use blitz_frontend::driver::Clang;
use blitz_frontend::unit::LIBFUZZER as HARNESS;
use blitz_fuzz::carrier::PLACE;
use blitz_fuzz::concolic::Concolic;
use blitz_fuzz::crash::Reader;
use blitz_fuzz::expand::Expander;
use blitz_fuzz::interpret::{Interpreter, Way};
use blitz_fuzz::lines::Lines;
use blitz_fuzz::store::digest;
use blitz_fuzz::target::{self, Purpose, Recipe};
use blitz_fuzz::{Carrier, Config, End, Identity, Limits, Search, Server, Start, Status, Store};
use blitz_ir::{Checks, Program};
use blitz_report::witness::Task;
use blitz_report::{Verdict, summary_text};
use blitz_workflow::{RunFolder, Scene, kits, written};
use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

/// What is run where no corpus is named.
const FIRST_INPUTS: [&[u8]; 2] = [b"", b"0123456789abcdef"];
/// The schema of the folder.
const SCHEMA: u32 = 1;
/// Stack of the thread that searches: symbolic calls nest on it.
const STACK: usize = 2 << 30;
/// How often counters are written, and shown.
const STATUS_EVERY: Duration = Duration::from_millis(500);

/// What is fuzzed, and how.
struct Job<'a> {
    args: &'a FuzzArgs,
    loaded: Loaded,
    clang: Clang,
    carrier: Carrier,
    checks: Checks,
    terminal: &'a Terminal,
    budget: Budget,
}

pub fn fuzz(args: &FuzzArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let budget = Budget::new(args.limits.timeout, args.limits.memory);
    interrupt::cancel_on_ctrl_c(&budget);
    let mut inputs = args.inputs.clone();
    inputs.files.extend(args.stub.iter().cloned());
    let loaded = load(args, inputs, terminal)?;
    let clang = Clang::find().map_err(input::driver_fault)?;
    let carrier = carrier(args, &loaded.program)?;
    let checks = input::checks_with(args.inputs.checks.unwrap_or_default(), loaded.any_value);
    let job = Job { args, loaded, clang, carrier, checks, terminal, budget };
    // Symbolic calls nest on the stack.
    let searched = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().name("fuzz".into()).stack_size(STACK);
        let worker = worker.spawn_scoped(scope, || job.search()).expect("a thread for the search should start");
        worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    if args.worker {
        return Ok(Exit::Success);
    }
    let exit = job.report(&searched)?;
    // The process ends now: taking LLVM's modules apart piece by piece would be lost time.
    std::mem::forget(job);
    Ok(exit)
}

/// Loads the program; a harness for libFuzzer gets a `main`.
fn load(args: &FuzzArgs, mut inputs: crate::args::InputArgs, terminal: &Terminal) -> Result<Loaded, Fault> {
    let by_path = made(args, "by-path.c", BY_PATH)?;
    inputs.files.push(by_path.clone());
    inputs.for_models.push(by_path);
    let loaded = input::load(&inputs, &[], input::Environment::Model, terminal)?;
    let defines = |name: &str| loaded.program.func_named(name).is_some_and(|f| loaded.program.decl(f).has_body);
    if defines("main") {
        return Ok(loaded);
    }
    if !defines(HARNESS) {
        return Err(Fault::new(format!("there is neither a `main` nor a `{HARNESS}` to begin with")));
    }
    inputs.files.push(made(args, "harness-main.c", &harness_main(defines("LLVMFuzzerInitialize")))?);
    input::load(&inputs, &[], input::Environment::Model, terminal)
}

/// Says to the library models that symbolic execution goes path by path.
const BY_PATH: &str = "const int __blitz_by_path = 1;\n";

/// A file of our own that becomes a part of the program.
fn made(args: &FuzzArgs, name: &str, text: &str) -> Result<PathBuf, Fault> {
    std::path::absolute(args.work.join(name))
        .and_then(|file| std::fs::create_dir_all(&args.work).and_then(|()| write_if_new(&file, text)).map(|()| file))
        .map_err(|e| Fault::new(format!("{} can't be used: {e}", args.work.display())))
}

/// The lines with how often tests reached them, as a page.
fn coverage_page(lines: &Lines) -> String {
    let of_file = |(file, lines): (&String, &BTreeMap<u32, u64>)| {
        (file.clone(), blitz_report::Coverage { lines: lines.clone(), ..Default::default() })
    };
    blitz_report::coverage_html(&lines.0.iter().map(of_file).collect(), &mut blitz_report::Sources::new())
}

/// Several workers may do this at once: what is there and right stays.
fn write_if_new(file: &Path, text: &str) -> std::io::Result<()> {
    if std::fs::read_to_string(file).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let aside = file.with_extension(format!("{}.new", std::process::id()));
    std::fs::write(&aside, text)?;
    std::fs::rename(aside, file)
}

/// Reads standard input and gives it to the harness, in memory of exactly its size.
fn harness_main(initialises: bool) -> String {
    let (declared, called) = if initialises {
        ("int LLVMFuzzerInitialize(int *, char ***);\n", "  LLVMFuzzerInitialize(&argc, &argv);\n")
    } else {
        ("", "")
    };
    format!(
        "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n\
         int {HARNESS}(const uint8_t *, size_t);\n{declared}static uint8_t input[1 << 16];\n\n\
         int main(int argc, char **argv) {{\n{called}  size_t n = fread(input, 1, sizeof input, stdin);\n  uint8_t *data = malloc(n);\n\
         \x20 if (data == NULL && n > 0)\n    return 1;\n  if (n > 0)\n    memcpy(data, input, n);\n  {HARNESS}(data, n);\n  free(data);\n  return 0;\n}}\n"
    )
}

fn carrier(args: &FuzzArgs, program: &Program) -> Result<Carrier, Fault> {
    let named = args.args.iter().any(|a| a == PLACE);
    let carrier = match &args.input {
        Some(carrier) => carrier.clone(),
        None if named => Carrier::File,
        None if !program.asking.is_empty() => Carrier::Direct,
        None => Carrier::Stdin,
    };
    match (&carrier, named) {
        (Carrier::File, false) => Err(Fault::new(format!(
            "--input file needs {PLACE} among the program's arguments, where the file's name goes"
        ))),
        (Carrier::Stdin | Carrier::Argv | Carrier::Env(_) | Carrier::Socket | Carrier::Direct, true) => {
            Err(Fault::new(format!("{PLACE} stands for a file, and --input is {}", carrier.name())))
        }
        _ => Ok(carrier),
    }
}

/// What came of a search.
struct Searched {
    end: End,
    status: Status,
    notes: Vec<String>,
    findings: Vec<(blitz_fuzz::store::FindingMeta, Vec<u8>)>,
}

impl Job<'_> {
    fn way(&self) -> Way {
        let args = blitz_fuzz::carrier::with_file(&self.args.args);
        let args = args.iter().map(|a| a.as_os_str().as_bytes().to_vec()).collect();
        Way { carrier: self.carrier.clone(), args, checks: self.checks }
    }

    fn identity(&self) -> Identity {
        let mut text = Vec::new();
        for unit in &self.loaded.sources {
            text.extend(std::fs::read(unit.directory.join(&unit.file)).unwrap_or_default());
            text.extend(unit.flags.join(" ").into_bytes());
        }
        for path in &self.loaded.bitcode {
            text.extend(std::fs::read(path).unwrap_or_default());
        }
        Identity {
            schema: SCHEMA,
            input: self.carrier.name(),
            arguments: self.args.args.iter().map(|a| a.to_string_lossy().into_owned()).collect(),
            program: format!("{:016x}", digest(&text)),
        }
    }

    fn limits(&self) -> Limits {
        Limits { timeout_ms: self.args.run_timeout, memory_mb: self.args.run_memory, ..Limits::default() }
    }

    fn start(&self, purpose: Purpose, folder: &Path) -> Result<Start, Fault> {
        let subject = kits::subject(&self.loaded, &self.clang);
        let jobs = self.args.inputs.jobs.map_or_else(cores, |n| n as usize);
        let recipe = Recipe { subject: &subject, carrier: &self.carrier, checks: self.checks, jobs };
        let target = target::build(&recipe, purpose, folder).map_err(Fault::Verbatim)?;
        Ok(Start { target, carrier: self.carrier.clone(), args: self.args.args.clone(), limits: self.limits() })
    }

    fn search(&self) -> Result<Searched, Fault> {
        let trouble = |t: blitz_fuzz::Trouble| Fault::new(t.to_string());
        let store = Store::open(&self.args.work, &self.identity()).map_err(trouble)?;
        let others = workers::start(self.args, self.terminal)?;
        let folder = tempfile::tempdir().map_err(|e| Fault::new(format!("no temporary folder: {e}")))?;
        self.open_up(folder.path())?;
        let start = self.start(Purpose::Runs, folder.path())?;
        let program = start.target.program.clone();
        let server = Server::new(start).map_err(Fault::new)?;
        let uncontained = server.containment().missing();
        let watch = Watch { job: self, last: Mutex::new(Duration::ZERO) };
        let observer = |status: &Status| watch.look(status);
        let (way, config) = (self.way(), CheckConfig { checks: self.checks, ..CheckConfig::default() });
        let mut search =
            Search::new(server, store, self.expander()?, Reader::new(&program), self.config(), &self.budget, &observer)
                .map_err(trouble)?;
        if self.makes_up_requests() {
            let script = |text: Vec<u8>| way.script(&text);
            search.ask(Box::new(RequestTexts::new(&self.loaded.program, &config, &self.budget, script)));
        }
        let seeds = self.seeds()?;
        let end = search.run(&seeds).map_err(trouble)?;
        self.terminal.clear_progress();
        others.end();
        watch.write(search.status());
        let mut notes = search.surprises();
        if !uncontained.is_empty() {
            notes.push(format!("the system does not let native runs be contained: {}", uncontained.join(", ")));
        }
        let all: Vec<Status> = search.store.notes();
        let status = Status { findings: search.status().findings, ..Status::together(&all) };
        let findings = search.store.findings().map_err(trouble)?;
        if !self.args.worker && !self.args.no_coverage {
            notes.push(self.coverage(&search.store).unwrap_or_else(|why| format!("no coverage of lines: {why}")));
        }
        Ok(Searched { end, status, notes, findings })
    }

    /// Writes which lines the tests reach, into the folder of the worklist.
    fn coverage(&self, store: &Store) -> Result<String, String> {
        let said = |fault: Fault| match fault {
            Fault::Sentence(text) | Fault::Verbatim(text) => text,
        };
        let folder = tempfile::tempdir().map_err(|e| format!("no temporary folder: {e}"))?;
        self.open_up(folder.path()).map_err(said)?;
        let start = self.start(Purpose::Lines, folder.path()).map_err(said)?;
        let program = start.target.program.clone();
        let ids: Vec<String> = store.metas().map(|m| m.id.clone()).collect();
        let tests = ids.iter().filter_map(|id| store.bytes(id).ok());
        let mut lines = Lines::of(&mut Server::new(start)?, &program, tests)?;
        let ours = self.loaded.sources.iter().map(|u| u.directory.join(&u.file).display().to_string()).collect();
        lines.keep(&ours);
        let file = self.args.work.join("coverage.info");
        std::fs::write(&file, lines.lcov()).map_err(|e| format!("{} can't be written: {e}", file.display()))?;
        let page = self.args.work.join("coverage.html");
        std::fs::write(&page, coverage_page(&lines))
            .map_err(|e| format!("{} can't be written: {e}", page.display()))?;
        let (reached, all) = lines.totals();
        Ok(format!("the tests reach {reached} of {all} lines ({}); not reached: {}", file.display(), unreached(&lines)))
    }

    /// A box may run as a user that owns nothing: it has to find the program.
    fn open_up(&self, folder: &Path) -> Result<(), Fault> {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
            .map_err(|e| Fault::new(format!("{} can't be used: {e}", folder.display())))
    }

    fn expander(&self) -> Result<Box<dyn Expander + '_>, Fault> {
        let interpreter = Interpreter::new(&self.loaded.program, self.way());
        if self.args.no_solver {
            return Ok(Box::new(interpreter));
        }
        Ok(Box::new(Concolic::new(interpreter).map_err(|e| Fault::new(e.to_string()))?))
    }

    /// Requests are lines that somebody sends; without mutations the solver does everything.
    fn makes_up_requests(&self) -> bool {
        let lines = matches!(self.carrier, Carrier::Stdin | Carrier::Socket);
        lines && self.args.mutations > 0 && !self.args.no_requests
    }

    fn config(&self) -> Config {
        Config {
            seed: self.args.seed,
            mutations: self.args.mutations,
            max_runs: self.args.max_runs,
            longest: self.args.max_size as usize,
            stop_at_first: self.args.first,
            afl: self.args.afl.clone(),
        }
    }

    /// The corpus in the order of its names, or a few inputs of ours.
    fn seeds(&self) -> Result<Vec<Vec<u8>>, Fault> {
        let Some(folder) = &self.args.corpus else { return Ok(FIRST_INPUTS.iter().map(|s| s.to_vec()).collect()) };
        let wrong = |e: std::io::Error| Fault::new(format!("the corpus {} can't be read: {e}", folder.display()));
        let mut files: Vec<_> = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(wrong)? {
            let path = entry.map_err(wrong)?.path();
            // A worklist's own folder has a record beside each test.
            if path.is_file() && path.extension().is_none_or(|e| e != "json") {
                files.push(path);
            }
        }
        files.sort();
        if files.is_empty() {
            return Err(Fault::new(format!("the corpus {} holds no file", folder.display())));
        }
        let most = self.args.max_size as usize;
        let read = |path: &std::path::PathBuf| {
            let mut bytes = std::fs::read(path).map_err(wrong)?;
            bytes.truncate(most);
            Ok(bytes)
        };
        files.iter().map(read).collect()
    }

    /// Writes and prints what was found, as `blitz check` does.
    fn report(&self, searched: &Searched) -> Result<Exit, Fault> {
        let runs = RunFolder::new();
        // What was found is confirmed even where the time is up.
        let budget = Budget::unlimited();
        let scene = Scene { runs: &runs, budget: &budget, listener: self.terminal };
        let interpreter = Interpreter::new(&self.loaded.program, self.way());
        let mut report = findings::report(self, searched, &interpreter, &scene);
        report.stats.seconds = self.budget.elapsed().as_secs_f64();
        let files: Vec<String> = self.loaded.sources.iter().map(|u| u.file.display().to_string()).collect();
        let created = blitz_base::budget::utc_now();
        let task = Task {
            files: &files,
            ptr_bits: self.loaded.program.target.ptr_bits,
            version: env!("CARGO_PKG_VERSION"),
            created: &created,
            entry: "main",
        };
        written::write_all(&runs, &self.args.out, &report, &task, self.terminal);
        match self.args.format {
            crate::args::CheckFormat::Text => {
                for finding in &report.violations {
                    reports::tell_finding(finding, crate::args::CheckTrace::Relevant, self.terminal);
                }
                for note in &report.notes {
                    self.terminal.note(note);
                }
                self.terminal.result(&summary_text(&report));
            }
            other => self.terminal.result(&reports::render(other, &report, &task)),
        }
        if let Err(e) = runs.commit() {
            self.terminal.note(&format!("the latest run can't be marked as such: {e}"));
        }
        Ok(if report.verdict == Verdict::Violation { Exit::Violation } else { Exit::Inconclusive })
    }
}

/// Ranges of lines that are named.
const NAMED_RANGES: usize = 8;

fn unreached(lines: &Lines) -> String {
    let named = |(file, ranges): (String, Vec<(u32, u32)>)| {
        let name = Path::new(&file).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        let text = |(a, b): &(u32, u32)| if a == b { format!("{name}:{a}") } else { format!("{name}:{a}-{b}") };
        ranges.iter().map(text).collect::<Vec<_>>()
    };
    let all: Vec<String> = lines.unreached().into_iter().flat_map(named).collect();
    match all.len() {
        0 => "none".to_owned(),
        n if n > NAMED_RANGES => format!("{}, and {} more", all[..NAMED_RANGES].join(", "), n - NAMED_RANGES),
        _ => all.join(", "),
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get())
}

/// Shows and writes the counters now and then.
struct Watch<'a> {
    job: &'a Job<'a>,
    last: Mutex<Duration>,
}

impl Watch<'_> {
    fn look(&self, status: &Status) {
        let mut last = self.last.lock().unwrap_or_else(|p| p.into_inner());
        let now = self.job.budget.elapsed();
        let terminal = self.job.terminal;
        let pause = if terminal.is_live() { STATUS_EVERY } else { rewrite_pause(STATUS_EVERY) };
        if self.job.args.worker || now < *last + pause {
            return;
        }
        *last = now;
        if terminal.shows_progress() {
            terminal.progress(&status.line());
        }
        self.write(status);
    }

    fn write(&self, status: &Status) {
        let Some(file) = self.job.args.status_json.as_ref().filter(|_| !self.job.args.worker) else { return };
        let text = serde_json::to_string_pretty(status).expect("counters should be expressible in JSON");
        let aside = file.with_extension("new");
        if let Err(e) = std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, file)) {
            self.job.terminal.note(&format!("{} can't be written: {e}", file.display()));
        }
    }
}
