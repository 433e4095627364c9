//! Why a program can't be loaded: one sentence each.

use crate::ModuleInput;
use std::fmt;

/// The newest LLVM whose bitcode is read.
const OUR_LLVM: u32 = 19;

/// Why a program can't be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    NoModules,
    Empty(String),
    NotBitcode(String),
    Truncated(String),
    Newer { name: String, producer: String },
    Malformed { name: String, said: String },
    DuplicateSymbol(String),
    Link(String),
    MixedTargets { name: String, triple: String, first: String },
    Target(String),
    NoEntry(String),
    NoLibc(u16),
    Pointers { largest: u64, fixed: u64 },
    Initializer(String),
}

impl LoadError {
    /// What LLVM's complaint about an input means.
    pub(crate) fn unreadable(input: &ModuleInput, said: &str) -> Self {
        let name = input.name.clone();
        if let Some(producer) = newer_producer(said) {
            return LoadError::Newer { name, producer };
        }
        let bitcode = crate::load::is_bitcode(&input.bytes);
        if bitcode && is_cut_short(said) {
            return LoadError::Truncated(name);
        }
        if !bitcode && said.contains("expected top-level entity") {
            return LoadError::NotBitcode(name);
        }
        LoadError::Malformed { name, said: one_line(said) }
    }

    /// What the linker's complaint means.
    pub(crate) fn link(said: &str) -> Self {
        let name = said.split('\'').nth(1);
        match name {
            Some(name) if said.contains("multiply defined") => LoadError::DuplicateSymbol(name.to_string()),
            _ => LoadError::Link(one_line(said)),
        }
    }
}

/// The producer named in a complaint (`Producer: 'LLVM21.0.0'`), if it is newer than ours.
fn newer_producer(said: &str) -> Option<String> {
    let producer = said.split("Producer: '").nth(1)?.split('\'').next()?;
    let version = producer.trim_start_matches(|c: char| !c.is_ascii_digit());
    let major: u32 = version.split('.').next()?.parse().ok()?;
    (major > OUR_LLVM).then(|| producer.to_string())
}

fn is_cut_short(said: &str) -> bool {
    ["nexpected end of file", "multiple of 4 bytes", "too small", "can't skip to bit", "Malformed block", "truncated"]
        .iter()
        .any(|part| said.contains(part))
}

fn one_line(said: &str) -> String {
    let line = said.lines().find(|l| !l.trim().is_empty()).unwrap_or("no reason given");
    line.trim().to_string()
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::NoModules => write!(f, "there is no module to load"),
            LoadError::Empty(name) => write!(f, "{name} is empty"),
            LoadError::NotBitcode(name) => write!(f, "{name} is neither LLVM bitcode nor textual LLVM IR"),
            LoadError::Truncated(name) => write!(f, "{name} is truncated or damaged bitcode"),
            LoadError::Newer { name, producer } => {
                write!(f, "{name} was produced by a newer LLVM ({producer}) than the {OUR_LLVM} that blitz reads")
            }
            LoadError::Malformed { name, said } => write!(f, "{name} is not well-formed LLVM IR: {said}"),
            LoadError::DuplicateSymbol(symbol) => write!(f, "`{symbol}` is defined in more than one input"),
            LoadError::Link(said) => write!(f, "the inputs can't be linked: {said}"),
            LoadError::MixedTargets { name, triple, first } => {
                write!(f, "{name} is for the target {triple}, the inputs before it are for {first}")
            }
            LoadError::Target(triple) => write!(f, "the target {triple} is not supported (only x86-64 and 32-bit x86)"),
            LoadError::NoEntry(name) => write!(f, "the program defines no function `{name}` to start in"),
            LoadError::Pointers { largest, fixed } => write!(
                f,
                "{fixed} globals and functions and a largest one of {largest} bytes are too much for 32-bit pointers as they are split here (--offset-bits)"
            ),
            LoadError::NoLibc(bits) => write!(f, "the {bits}-bit libc models were not built into this binary"),
            LoadError::Initializer(global) => {
                write!(f, "the initial value of the global `{global}` is of a kind that is not supported")
            }
        }
    }
}

impl std::error::Error for LoadError {}
