//! Reproduction kits: a violation made to happen in the real program.
//!
//! Why: people believe a sanitizer's report about their own binary. A kit is a folder with the inputs of the run that showed
//! the violation, a small C shim that feeds them, and a `run.sh` that builds the user's own sources with the user's own flags
//! and clang's sanitizers, and runs them. blitz runs that same script and reads what the sanitizer says.
//!
//! Invariants: what blitz runs is what the user can run (`run.sh`, nothing beside it); a violation counts as confirmed
//! natively only if a sanitizer's report of a fitting kind names the same line; what the linked libraries define is never replaced by anything but recorded,
//! possible answers of it; a native run has what is left of the check's time and memory, a folder of its own that goes away, and an environment of its own.
//!
//! Absent: any influence on the verdict. A violation that no sanitizer sees stays confirmed by the interpreter, unless it rests on made up answers
//! of a function that exists (`Kit::doubts`), which the caller withdraws.

mod feed;
mod host;
mod judge;
mod native;
mod script;
mod stubs;
mod suite;
mod text;

pub use feed::{Feed, bytes as input_bytes};
pub use judge::{Expected, Judgement, Said, judge, kind_of, reports, stubs_called};
pub use native::{NativeRun, run};
pub use suite::{Minimise, TestFormat, chosen, write_suite};

use blitz_base::Budget;
use blitz_frontend::driver::SourceUnit;
use blitz_frontend::unit::Unit;
use blitz_interp::RunResult;
use blitz_ir::Program;
use blitz_report::{Finding, Native};
use std::io;
use std::path::{Path, PathBuf};

/// What makes threads go as a schedule says.
const SCHEDULE: &str = include_str!("../shim/schedule.c");

/// The shim, as every kit holds it: one file, in two here.
const SHIM: &str = concat!(include_str!("../shim/shim.c"), include_str!("../shim/sockets.c"));

/// The shim. Compiled with `BLITZ_FUZZ` it leaves `main` and the supply of inputs to the runtime of a fuzzed program.
pub fn shim() -> &'static str {
    SHIM
}

/// `inputs.h` of a program that gets its inputs in another way.
pub fn no_inputs() -> String {
    stubs::inputs(&Feed::default(), false)
}

/// `stubs.c` of a program.
pub fn stubs(program: &Program) -> String {
    stubs::stubs(program)
}

/// What the program uses without defining it, by name; `STUB_name` puts a stub for it into `stubs.c`.
pub fn undefined(program: &Program) -> Vec<String> {
    stubs::missing(program).into_keys().map(str::to_owned).collect()
}

/// Bitcode of the user's, marked for AddressSanitizer, and ending at arithmetic that C does not define.
pub fn marked_bitcode(path: &Path) -> io::Result<Vec<u8>> {
    let module = blitz_frontend::ModuleInput {
        name: path.display().to_string(),
        bytes: std::fs::read(path)?,
        edits: Default::default(),
    };
    blitz_frontend::sanitizable(&module, judge::Tool::Address.mark(), true).map_err(|e| io::Error::other(e.to_string()))
}

/// The program a kit builds.
pub struct Subject<'a> {
    pub program: &'a Program,
    /// The user's C files with their flags.
    pub sources: &'a [SourceUnit],
    /// Bitcode the user named, or that `blitz cc` kept.
    pub bitcode: &'a [PathBuf],
    /// File names of the shared libraries it is linked with.
    pub libraries: &'a [String],
    pub clang: &'a Path,
    /// What it begins with, if that is not `main`.
    pub unit: Option<&'a Unit>,
}

/// A violation to reproduce.
pub struct Case<'a> {
    pub finding: &'a Finding,
    pub run: &'a RunResult,
}

/// A kit on disk.
pub struct Kit {
    pub folder: PathBuf,
    pub expected: Expected,
}

/// The folder of a property's kit.
pub fn folder(out: &Path, property: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    out.join("repro").join(property.chars().map(plain).collect::<String>())
}

/// Writes the kit of a violation; what was in its folder goes.
pub fn write(subject: &Subject<'_>, case: &Case<'_>, folder: &Path) -> io::Result<Kit> {
    let feed = Feed::of(subject.program, case.run);
    let expected = Expected::of(subject.program, case.finding, case.run.answered.iter().copied(), &feed);
    write_expected(subject, case.finding, &feed, expected, folder)
}

/// The same for a violation that a native run on this feed has shown, and no run in the interpreter.
pub fn write_fed(subject: &Subject<'_>, finding: &Finding, feed: &Feed, folder: &Path) -> io::Result<Kit> {
    let expected = Expected::of(subject.program, finding, std::iter::empty(), feed);
    write_expected(subject, finding, feed, expected, folder)
}

fn write_expected(
    subject: &Subject<'_>,
    finding: &Finding,
    feed: &Feed,
    expected: Expected,
    folder: &Path,
) -> io::Result<Kit> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let bitcode = script::instrumentable(subject, &expected, folder)?;
    let headers = script::headers(subject, folder)?;
    let plan = script::Plan { subject, feed, expected: &expected, bitcode: &bitcode, headers: &headers };
    let files = [
        ("shim.c", SHIM.to_owned()),
        ("inputs.h", stubs::inputs(feed, subject.unit.is_some())),
        ("stubs.c", stubs::stubs(subject.program)),
        ("inputs.txt", text::inputs(finding)),
        ("kit.json", expected.to_json()),
        ("gdb.txt", script::gdb(&expected)),
    ];
    for (name, contents) in files {
        std::fs::write(folder.join(name), contents)?;
    }
    if expected.tool == judge::Tool::Schedule {
        let rows: String = feed.schedule.iter().map(|s| format!("{{{}, {}}},\n", s.thread, s.steps)).collect();
        let wakes: Vec<&str> = feed.spurious.iter().map(|s| if *s { "1" } else { "0" }).collect();
        std::fs::write(folder.join("schedule.c"), SCHEDULE)?;
        std::fs::write(folder.join("schedule.h"), rows)?;
        std::fs::write(folder.join("spurious.h"), format!("{}\n", [&wakes[..], &["0"]].concat().join(", ")))?;
    }
    if let Some(unit) = subject.unit {
        std::fs::write(folder.join("unit_test.c"), unit.native_text())?;
    }
    std::fs::write(folder.join("stdin"), &feed.stdin)?;
    if !feed.files.is_empty() {
        std::fs::create_dir(folder.join("files"))?;
    }
    for (name, bytes) in &feed.files {
        std::fs::write(folder.join("files").join(name), bytes)?;
    }
    let script = folder.join("run.sh");
    std::fs::write(&script, plan.run_sh())?;
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755))?;
    Ok(Kit { folder: folder.to_owned(), expected })
}

/// Removes the kits that an earlier check left in its folder, except those of these properties: what is there is what the last
/// check found.
pub fn remove_others(out: &Path, properties: &[&str]) -> io::Result<()> {
    let kept: Vec<PathBuf> = properties.iter().map(|p| folder(out, p)).collect();
    let inner = out.join("repro");
    if !inner.is_dir() {
        return Ok(());
    }
    for entry in std::fs::read_dir(inner)? {
        let path = entry?.path();
        if path.join("kit.json").exists() && !kept.contains(&path) {
            std::fs::remove_dir_all(path)?;
        }
    }
    Ok(())
}

/// Reads a kit back.
pub fn open(folder: &Path) -> Result<Kit, String> {
    let file = folder.join("kit.json");
    let text = std::fs::read_to_string(&file)
        .map_err(|e| format!("{} is no kit: {}: {e}", folder.display(), file.display()))?;
    let expected = Expected::from_json(&text).map_err(|e| format!("{} can't be understood: {e}", file.display()))?;
    Ok(Kit { folder: folder.to_owned(), expected })
}

/// The kits in a folder: itself, those under its `repro`, or those of the targets that have a folder each in it.
pub fn find(folder: &Path) -> Result<Vec<Kit>, String> {
    if folder.join("kit.json").exists() {
        return Ok(vec![open(folder)?]);
    }
    let inside = |folder: &Path| -> io::Result<Vec<PathBuf>> {
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut places = inside(folder).map_err(|e| format!("{} can't be read: {e}", folder.display()))?;
    places.push(folder.to_owned());
    let kits = places.iter().flat_map(|place| inside(&place.join("repro")).unwrap_or_default());
    let mut folders: Vec<PathBuf> =
        kits.chain(places.iter().cloned()).filter(|path| path.join("kit.json").exists()).collect();
    folders.sort();
    if folders.is_empty() {
        return Err(format!("there is no reproduction kit in {}", folder.display()));
    }
    folders.iter().map(|f| open(f)).collect()
}

impl Kit {
    /// Builds and runs the kit, and judges what was seen. Objects may be shared by the kits of one program.
    pub fn confirm(&self, objects: Option<&Path>, budget: &Budget) -> (Native, NativeRun) {
        let seen = run(&self.folder, objects, budget);
        let judged = judge(&self.expected, &seen);
        (judged.into_native(&self.folder, judge::stubs_called(&seen.stderr)), seen)
    }

    /// The functions that exist, and whose answers in the interpreter's run were made up: unless the real ones ran and the violation was
    /// seen, it may rest on answers that they never give. Without a native run (`None`) it is the C library that is asked for them; other
    /// `libraries` are taken to have them.
    pub fn doubts(&self, seen: Option<&NativeRun>, libraries: &[String]) -> Vec<String> {
        let nowhere = seen.and_then(judge::defined_nowhere);
        let exists = |name: &&String| match &nowhere {
            Some(names) => !names.contains(*name),
            None => !libraries.is_empty() || host::defines(name),
        };
        self.expected.answered.iter().filter(exists).cloned().collect()
    }
}
