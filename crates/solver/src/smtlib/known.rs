//! Solvers that need no command line from the user.

use super::CommandLine;
use crate::SolverError;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A solver we know how to start and where to get.
#[derive(Clone, Copy, Debug)]
pub struct KnownSolver {
    pub name: &'static str,
    pub program: &'static str,
    pub args: &'static [&'static str],
    /// Versions before this one do not speak SMT-LIB as we need it.
    pub oldest: u32,
    pub get: &'static str,
}

pub const KNOWN: [KnownSolver; 6] = [
    KnownSolver {
        name: "z3",
        program: "z3",
        args: &["-in", "-smt2"],
        oldest: 0,
        get: "`apt install z3`, or https://github.com/Z3Prover/z3/releases",
    },
    KnownSolver {
        name: "cvc5",
        program: "cvc5",
        args: &["--quiet", "--lang=smt2", "--incremental"],
        oldest: 0,
        get: "`apt install cvc5`, or https://github.com/cvc5/cvc5/releases",
    },
    KnownSolver {
        name: "bitwuzla",
        program: "bitwuzla",
        args: &["--produce-models", "--produce-unsat-assumptions"],
        oldest: 0,
        get: "https://bitwuzla.github.io",
    },
    KnownSolver {
        name: "boolector",
        program: "boolector",
        args: &["--smt2", "--incremental"],
        oldest: 3,
        get: "https://boolector.github.io (3.0 or newer; the one of Debian is too old)",
    },
    KnownSolver {
        name: "yices",
        program: "yices-smt2",
        args: &["--incremental", "--smt2-model-format"],
        oldest: 0,
        get: "https://yices.csl.sri.com",
    },
    KnownSolver {
        name: "mathsat",
        program: "mathsat",
        args: &["-input=smt2"],
        oldest: 0,
        get: "https://mathsat.fbk.eu",
    },
];

/// The command line of a known solver; `None` if there is no such name.
pub fn find(name: &str) -> Option<Result<CommandLine, SolverError>> {
    let known = KNOWN.iter().find(|k| k.name == name)?;
    Some(if on_path(known.program).is_some() && is_new_enough(known) {
        Ok(CommandLine {
            name: known.name.to_owned(),
            program: known.program.to_owned(),
            args: known.args.iter().map(|a| (*a).to_owned()).collect(),
        })
    } else {
        Err(SolverError::Missing(format!(
            "the solver `{}` is not installed: no `{}`{} on PATH. Get it with {}",
            known.name,
            known.program,
            if known.oldest > 0 { format!(" of version {} or newer", known.oldest) } else { String::new() },
            known.get
        )))
    })
}

fn is_new_enough(known: &KnownSolver) -> bool {
    if known.oldest == 0 {
        return true;
    }
    let said = Command::new(known.program).arg("--version").stdin(Stdio::null()).output();
    let version = said.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default();
    version.split('.').next().and_then(|major| major.parse().ok()).is_some_and(|major: u32| major >= known.oldest)
}

/// Where a program is found, if it is.
pub fn on_path(program: &str) -> Option<PathBuf> {
    if program.contains('/') {
        let path = PathBuf::from(program);
        return path.is_file().then_some(path);
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|p| p.is_file())
}
