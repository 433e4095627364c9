//! The clang that compiles: which one, and how it is run.

use super::DriverError;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A clang whose bitcode we can read.
#[derive(Clone, Debug)]
pub struct Clang {
    pub program: PathBuf,
    /// Which build of it: part of every cache key.
    pub version: String,
}

impl Clang {
    /// `$BLITZ_CLANG`, else `clang-19`, else a `clang` of version 16 to 19: older ones don't know `-fstrict-flex-arrays`.
    pub fn find() -> Result<Clang, DriverError> {
        if let Some(named) = std::env::var_os("BLITZ_CLANG") {
            let program = PathBuf::from(named);
            let wrong = |how: &str| DriverError::input(format!("BLITZ_CLANG names {}, which {how}", program.display()));
            let clang = Self::probe(&program).ok_or_else(|| wrong("does not run"))?;
            return match clang.major() {
                Some(major) if !VERSIONS.contains(&major) => {
                    Err(wrong(&format!("is of version {major}; 16 to 19 will do")))
                }
                Some(_) | None => Ok(clang),
            };
        }
        Self::on_path("clang-19")
            .or_else(|| Self::probe(Path::new("clang")).filter(|c| c.major().is_some_and(|v| VERSIONS.contains(&v))))
            .ok_or_else(|| {
                DriverError::input(
                    "clang-19 was not found; install it (Debian: apt install clang-19 libclang-rt-19-dev binutils \
                     libc6-dev), or name a clang of version 16 to 19 in BLITZ_CLANG",
                )
            })
    }

    /// A program whose name says what it is; running it only to ask would take as long as compiling something small.
    fn on_path(name: &str) -> Option<Clang> {
        let folders = std::env::var_os("PATH")?;
        std::env::split_paths(&folders).map(|folder| folder.join(name)).find_map(|program| {
            let meta = std::fs::metadata(&program).ok().filter(|m| m.is_file())?;
            let changed = meta.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
            let version = format!("{} {} {}", program.display(), meta.len(), changed.as_nanos());
            Some(Clang { program, version })
        })
    }

    fn probe(program: &Path) -> Option<Clang> {
        let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next()?.to_owned();
        output.status.success().then(|| Clang { program: program.to_owned(), version })
    }

    fn major(&self) -> Option<u32> {
        let after = self.version.split("version ").nth(1)?;
        after.split('.').next()?.parse().ok()
    }

    /// Runs clang in a folder with much stack, for expressions nested thousands deep.
    pub(super) fn run(&self, directory: &Path, args: &[String]) -> Result<Output, DriverError> {
        let mut command = Command::new(&self.program);
        command.args(args).current_dir(directory).stdin(Stdio::null());
        // Sound between fork and exec: two system calls, no memory is taken.
        unsafe { command.pre_exec(raise_stack) };
        command.output().map_err(|e| {
            let (program, folder) = (self.program.display(), directory.display());
            DriverError::input(format!("{program} could not be started in {folder}: {e}"))
        })
    }
}

const VERSIONS: std::ops::RangeInclusive<u32> = 16..=19;

const STACK_BYTES: libc::rlim_t = 1 << 30;

/// Lets this process and what it becomes have as much stack as the system permits, up to ours; with less it goes on too.
fn raise_stack() -> std::io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    unsafe {
        if libc::getrlimit(libc::RLIMIT_STACK, &mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max.min(STACK_BYTES);
            libc::setrlimit(libc::RLIMIT_STACK, &limit);
        }
    }
    Ok(())
}
