//! The native program: the user's own sources with their own flags, clang's sanitizers and edge coverage, and our runtime.
//!
//! Invariants: what the linked libraries define is never replaced (`--wrap` touches `main`, and the calls of sockets where a socket is the input); only functions that
//! are defined nowhere get stubs, as in a reproduction kit. `-O0`: blocks and lines are those of the source, and the scores of tests are about those.

use crate::carrier::Carrier;
use blitz_frontend::driver::sanitizer_flags;
use blitz_ir::Checks;
use blitz_kit::Subject;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const RUNTIME: &str = include_str!("../native/runtime.c");
const AREA: &str = include_str!("../native/area.h");
const BOX: &str = include_str!("../native/box.c");

/// As a kit builds a program.
const FLAGS: &[&str] = &[
    "-g",
    "-O0",
    "-w",
    "-fno-omit-frame-pointer",
    "-fstrict-flex-arrays=1",
    "-fbracket-depth=1000000",
    "-U_FORTIFY_SOURCE",
    "-fno-color-diagnostics",
];

/// What a native program is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Runs: sanitizers, edges, comparisons.
    Runs,
    /// Which lines tests reach: blocks alone, so that each lies where the source has it.
    Lines,
}

impl Purpose {
    fn flags(self, checks: Checks, users: &[String]) -> Vec<String> {
        match self {
            Purpose::Lines => Vec::new(),
            Purpose::Runs => {
                let mut flags = vec!["-fsanitize=address".to_owned()];
                flags.extend(sanitizer_flags(checks, users));
                flags
            }
        }
    }

    fn coverage(self) -> &'static str {
        match self {
            Purpose::Runs => "-fsanitize-coverage=trace-pc-guard,no-prune,pc-table,trace-cmp",
            Purpose::Lines => "-fsanitize-coverage=trace-pc-guard,no-prune,pc-table",
        }
    }
}

/// A native program, ready to be started.
#[derive(Clone, Debug)]
pub struct Target {
    pub program: PathBuf,
    /// What starts it in a box.
    pub launcher: PathBuf,
}

/// What a target is made from.
pub struct Recipe<'a> {
    pub subject: &'a Subject<'a>,
    pub carrier: &'a Carrier,
    pub checks: Checks,
    pub jobs: usize,
}

/// Builds the program in a folder of its own.
pub fn build(recipe: &Recipe<'_>, purpose: Purpose, folder: &Path) -> Result<Target, String> {
    let work = Work { recipe, purpose, folder };
    work.sources().map_err(|e| format!("{} can't be written: {e}", folder.display()))?;
    let launcher = folder.join("box");
    work.clang(["-O1", "-w", "box.c", "-o"].map(OsString::from).into_iter().chain([launcher.clone().into()]))?;
    let objects = work.objects()?;
    let program = work.link(objects)?;
    Ok(Target { program, launcher })
}

struct Work<'a> {
    recipe: &'a Recipe<'a>,
    purpose: Purpose,
    folder: &'a Path,
}

/// One call of the compiler.
struct Unit {
    directory: PathBuf,
    arguments: Vec<OsString>,
    object: PathBuf,
}

impl Work<'_> {
    fn sources(&self) -> std::io::Result<()> {
        std::fs::create_dir_all(self.folder)?;
        let subject = self.recipe.subject;
        let files = [
            ("runtime.c", RUNTIME.to_owned()),
            ("area.h", AREA.to_owned()),
            ("box.c", BOX.to_owned()),
            ("shim.c", blitz_kit::shim().to_owned()),
            ("inputs.h", blitz_kit::no_inputs()),
            ("stubs.c", blitz_kit::stubs(subject.program)),
        ];
        for (name, text) in files {
            std::fs::write(self.folder.join(name), text)?;
        }
        for (i, unit) in subject.sources.iter().enumerate() {
            let source = std::fs::read(unit.directory.join(&unit.file)).unwrap_or_default();
            if let Some(header) = blitz_frontend::driver::harness_header(&source) {
                std::fs::write(self.folder.join(format!("harness{i}.h")), header)?;
            }
        }
        Ok(())
    }

    fn units(&self) -> Result<Vec<Unit>, String> {
        let subject = self.recipe.subject;
        let mut units = Vec::new();
        for (i, source) in subject.sources.iter().enumerate() {
            let mut arguments: Vec<OsString> = source.flags.iter().map(OsString::from).collect();
            let header = self.folder.join(format!("harness{i}.h"));
            if header.exists() {
                arguments.extend(["-include".into(), header.into()]);
            }
            arguments.extend(self.purpose.flags(self.recipe.checks, &source.flags).into_iter().map(OsString::from));
            arguments.extend([self.purpose.coverage().into(), source.file.clone().into()]);
            let object = self.folder.join(format!("user{i}.o"));
            units.push(Unit { directory: source.directory.clone(), arguments, object });
        }
        for (i, path) in subject.bitcode.iter().enumerate() {
            let marked = blitz_kit::marked_bitcode(path).map_err(|e| format!("{}: {e}", path.display()))?;
            let copy = self.folder.join(format!("part{i}.bc"));
            std::fs::write(&copy, marked).map_err(|e| format!("{} can't be written: {e}", copy.display()))?;
            let mut arguments: Vec<OsString> = Vec::new();
            if self.purpose == Purpose::Runs {
                arguments.push("-fsanitize=address".into());
            }
            arguments.extend([self.purpose.coverage().into(), copy.into()]);
            let object = self.folder.join(format!("part{i}.o"));
            units.push(Unit { directory: self.folder.to_owned(), arguments, object });
        }
        units.push(self.own("runtime.c", &[]));
        units.push(self.own("shim.c", &[]));
        Ok(units)
    }

    /// A C file of ours.
    fn own(&self, file: &str, defines: &[String]) -> Unit {
        let mut arguments: Vec<OsString> = vec!["-DBLITZ_FUZZ".into()];
        if *self.recipe.carrier == Carrier::Socket {
            arguments.push("-DFUZZ_SOCKETS".into());
        }
        if self.is_32_bit() {
            arguments.push("-m32".into());
        }
        if self.purpose == Purpose::Runs {
            arguments.push("-fsanitize=address".into());
        }
        arguments.extend(defines.iter().map(OsString::from));
        arguments.push(file.into());
        Unit { directory: self.folder.to_owned(), arguments, object: self.folder.join(file).with_extension("o") }
    }

    fn is_32_bit(&self) -> bool {
        self.recipe.subject.program.target.ptr_bits == 32
    }

    /// Compiles everything, several at a time.
    fn objects(&self) -> Result<Vec<PathBuf>, String> {
        let units = self.units()?;
        let (next, wrong) = (AtomicUsize::new(0), Mutex::new(None));
        std::thread::scope(|scope| {
            for _ in 0..self.recipe.jobs.clamp(1, units.len()) {
                scope.spawn(|| {
                    while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                        if let Err(e) = self.compile(unit) {
                            wrong.lock().unwrap_or_else(|p| p.into_inner()).get_or_insert(e);
                        }
                    }
                });
            }
        });
        match wrong.into_inner().unwrap_or_else(|p| p.into_inner()) {
            Some(e) => Err(e),
            None => Ok(units.into_iter().map(|u| u.object).collect()),
        }
    }

    fn compile(&self, unit: &Unit) -> Result<(), String> {
        let mut command = Command::new(self.recipe.subject.clang);
        command.current_dir(&unit.directory).args(&unit.arguments).args(FLAGS).arg("-c").arg("-o").arg(&unit.object);
        run(&mut command)
    }

    fn clang(&self, arguments: impl Iterator<Item = OsString>) -> Result<(), String> {
        run(Command::new(self.recipe.subject.clang).current_dir(self.folder).args(arguments))
    }

    /// Links; what nobody defines gets a stub.
    fn link(&self, mut objects: Vec<PathBuf>) -> Result<PathBuf, String> {
        let program = self.folder.join("program");
        let names = blitz_kit::undefined(self.recipe.subject.program);
        let stubs = self.own("stubs.c", &[]);
        self.compile(&stubs)?;
        objects.push(stubs.object);
        let Err(complaints) = self.link_once(&objects, &program) else { return Ok(program) };
        let missing: Vec<String> = names
            .into_iter()
            .filter(|n| complaints.lines().any(|l| l.contains("undefined") && names_symbol(l, n)))
            .map(|n| format!("-DSTUB_{n}"))
            .collect();
        if missing.is_empty() {
            return Err(complaints);
        }
        self.compile(&self.own("stubs.c", &missing))?;
        self.link_once(&objects, &program)?;
        Ok(program)
    }

    fn link_once(&self, objects: &[PathBuf], program: &Path) -> Result<(), String> {
        let mut arguments: Vec<OsString> = objects.iter().map(OsString::from).collect();
        if self.is_32_bit() {
            arguments.push("-m32".into());
        }
        if self.purpose == Purpose::Runs {
            arguments.push("-fsanitize=address,undefined".into());
        }
        let mut wraps = vec!["main"];
        if *self.recipe.carrier == Carrier::Socket {
            wraps.extend(["accept", "accept4", "connect", "bind", "listen"]);
        }
        arguments.extend(wraps.iter().map(|w| format!("-Wl,--wrap={w}").into()));
        arguments.extend(self.recipe.subject.libraries.iter().map(|l| format!("-l:{l}").into()));
        arguments.extend(["-lm".into(), "-o".into(), program.into()]);
        self.clang(arguments.into_iter())
    }
}

/// Whether a linker's line is about a symbol of this name.
fn names_symbol(line: &str, name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(name).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(word) && !line[at + name.len()..].chars().next().is_some_and(word)
    })
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("clang can't be started: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("the native build failed:\n{}", text.trim_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_are_whole_words() {
        let line = "a.c:(.text+0x5): undefined reference to `send_all'";
        assert!(names_symbol(line, "send_all") && !names_symbol(line, "send"));
    }
}
