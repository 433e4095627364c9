//! From the user's files to bitcode: which files, which flags, clang once per file, results cached.
//!
//! Why here: only the front end knows LLVM and clang. The program is compiled with the user's own flags, plus those
//! that keep it as written (no optimisation passes), give it names and places (debug info) and mark the undefined
//! behaviour that needs C's types (sanitizer handlers, which the lowering turns into checks).
//!
//! Invariants: nothing is printed here; clang's own words travel in [`DriverError::Clang`] unchanged; modules come
//! in the order of the inputs, whatever finished first; the cache can be deleted at any time.
//!
//! Absent: linking. The loader gets the modules one by one.

mod cache;
mod clang;
mod database;
mod dialect;
mod flags;
mod harness;
mod implicit;
mod native;
mod symbols;
mod unit;

pub use cache::default_cache_dir;
pub use clang::Clang;
pub use dialect::{ASSUMED, Contracts, ENFORCED, LoopMark, REPLACED};
pub use flags::{front_end_flags, keep_users, sanitizer_flags};
pub use implicit::{Implicit, undefined};
pub use native::{SECTION, linked_bitcode};
pub use symbols::defines;

use crate::{Edits, ModuleInput};
use blitz_ir::Checks;
use std::fmt;
use std::path::PathBuf;
use unit::{Input, Unit};

/// What the user named.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// `.c`, `.i`, `.bc` and `.ll` files, and programs built by `blitz cc`.
    pub files: Vec<PathBuf>,
    /// A compile_commands.json, or the folder that holds one.
    pub database: Option<PathBuf>,
    /// Which program of the database is meant, where it holds several.
    pub target: Option<String>,
    /// Flags for clang, as the user gave them.
    pub flags: Vec<String>,
    /// C files with flags of their own.
    pub units: Vec<UnitInput>,
}

/// A C file with its own folder and flags, and what is changed in it.
#[derive(Clone, Debug)]
pub struct UnitInput {
    pub file: PathBuf,
    pub directory: PathBuf,
    pub flags: Vec<String>,
    pub edits: Edits,
}

/// How to compile.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    pub checks: Checks,
    /// How many clang processes at a time.
    pub jobs: usize,
    /// Where results are kept; `None` compiles everything anew.
    pub cache: Option<PathBuf>,
    /// What is done with contracts.
    pub contracts: Contracts,
}

impl Default for CompileOptions {
    fn default() -> Self {
        Self {
            checks: Checks::default(),
            jobs: std::thread::available_parallelism().map_or(1, |n| n.get()),
            cache: default_cache_dir(),
            contracts: Contracts::default(),
        }
    }
}

/// The compiled inputs.
pub struct Compiled {
    pub modules: Vec<ModuleInput>,
    /// Things the user should know, one sentence each (a file that compiled only with relaxed flags).
    pub notes: Vec<String>,
    /// Functions that sources call and nobody declares; they have to be defined somewhere.
    pub implicit: Vec<Implicit>,
    /// The bitcode among the inputs, and that of programs built by `blitz cc`.
    pub bitcode: Vec<PathBuf>,
    /// The part of it that was made elsewhere: LLVM may die on it, where it only complains about what our clang made.
    pub foreign: Vec<PathBuf>,
    /// How to compile the C files among the inputs once more, for a reproduction kit.
    pub sources: Vec<SourceUnit>,
    /// File names of the shared libraries that programs among the inputs are linked with.
    pub libraries: Vec<String>,
    /// CBMC's names are in it: a harness for CBMC, in which a variable that is not set has any value.
    pub for_cbmc: bool,
}

/// A C file and how it was compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceUnit {
    pub file: PathBuf,
    pub directory: PathBuf,
    /// The user's flags and the relaxed ones, without ours.
    pub flags: Vec<String>,
}

/// Why there is nothing to analyse. Every variant is the user's to mend.
#[derive(Debug)]
pub enum DriverError {
    /// One sentence.
    Input(String),
    /// clang refused: its own output, unchanged.
    Clang { stderr: String },
    /// The database holds these programs, and none was chosen.
    Programs(Vec<String>),
}

impl DriverError {
    fn input(message: impl Into<String>) -> Self {
        DriverError::Input(message.into())
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DriverError::Input(message) => f.write_str(message),
            DriverError::Clang { stderr } => f.write_str(stderr.trim_end()),
            DriverError::Programs(names) => {
                write!(f, "the database holds several programs: choose one with --target ({})", names.join(", "))
            }
        }
    }
}

impl std::error::Error for DriverError {}

/// A header for the intrinsics of other checkers that a source calls and does not declare, if it has any: what the source is
/// compiled with here, and has to be compiled with elsewhere.
pub fn harness_header(source: &[u8]) -> Option<String> {
    harness::for_source(source)
}

/// Compiles what the user named; several files at a time.
pub fn compile(inputs: &Inputs, opts: &CompileOptions) -> Result<Compiled, DriverError> {
    let list = collect(inputs)?;
    let clang = list.iter().any(|i| matches!(i, Input::Source(_))).then(Clang::find).transpose()?;
    let results = in_parallel(&list, opts.jobs, |input| match input {
        Input::Source(unit) => {
            let clang = clang.as_ref().expect("clang should have been looked for");
            unit::compile(clang, unit, opts)
        }
        Input::Bitcode(path) | Input::Kept(path) => unit::read_bitcode(path),
    });
    let mut compiled = assemble(&list, results)?;
    compiled.libraries = inputs.files.iter().flat_map(|file| native::linked_libraries(file)).collect();
    if inputs.database.is_some() {
        database::choose_program(&list, &mut compiled, inputs.target.as_deref())?;
    }
    Ok(compiled)
}

/// What goes round in the functions of a file, by the names CBMC has for them; nothing where the preprocessor refuses the file.
pub fn loop_marks(unit: &UnitInput) -> Vec<(String, Vec<LoopMark>)> {
    let text = Clang::find().ok().and_then(|clang| unit::preprocessed(&clang, &Unit::of(unit)));
    let found = text.map(|t| dialect::loop_marks(&t)).unwrap_or_default();
    let name = |f: &dialect::FunctionMarks| match f.is_static && unit.edits.export_local {
        true => crate::edits::file_local_name(&f.file, &f.name),
        false => f.name.clone(),
    };
    found.into_iter().map(|f| (name(&f), f.marks)).collect()
}

/// Compiles a harness of ours.
pub fn compile_unit(text: &str, ptr_bits: u16) -> Result<Vec<u8>, DriverError> {
    unit::compile_text(&Clang::find()?, text, ptr_bits)
}

fn collect(inputs: &Inputs) -> Result<Vec<Input>, DriverError> {
    if inputs.target.is_some() && inputs.database.is_none() {
        return Err(DriverError::input("--target chooses a program of a compile_commands.json: it needs -p"));
    }
    let mut list = Vec::new();
    for file in &inputs.files {
        list.extend(unit::classify(file, &inputs.flags)?);
    }
    list.extend(inputs.units.iter().map(|u| Input::Source(Unit::of(u))));
    if let Some(path) = &inputs.database {
        list.extend(database::units(path, &inputs.flags)?.into_iter().map(Input::Source));
    }
    if list.is_empty() {
        return Err(DriverError::input("no input files: name C files, bitcode, or a compile_commands.json with -p"));
    }
    Ok(list)
}

fn assemble(list: &[Input], results: Vec<Result<unit::Output, DriverError>>) -> Result<Compiled, DriverError> {
    let mut compiled = Compiled {
        modules: Vec::new(),
        notes: Vec::new(),
        implicit: Vec::new(),
        bitcode: Vec::new(),
        foreign: Vec::new(),
        sources: Vec::new(),
        libraries: Vec::new(),
        for_cbmc: false,
    };
    let mut complaints = String::new();
    for (input, result) in list.iter().zip(results) {
        match result {
            Ok(output) => {
                compiled.notes.extend(output.note);
                compiled.implicit.extend(output.implicit);
                match input {
                    Input::Source(unit) => compiled.sources.push(unit.source_unit(output.extra_flags)),
                    Input::Bitcode(path) => {
                        compiled.bitcode.push(path.clone());
                        compiled.foreign.push(path.clone());
                    }
                    Input::Kept(path) => compiled.bitcode.push(path.clone()),
                }
                compiled.for_cbmc |= dialect::is_spoken_in(&output.bytes);
                compiled.modules.push(ModuleInput { name: input.name(), bytes: output.bytes, edits: input.edits() });
            }
            Err(DriverError::Clang { stderr }) => complaints.push_str(&stderr),
            Err(other) => return Err(other),
        }
    }
    if complaints.is_empty() { Ok(compiled) } else { Err(DriverError::Clang { stderr: complaints }) }
}

/// Applies `work` to every item on up to `jobs` threads; results in the order of the items.
fn in_parallel<T: Sync, R: Send>(items: &[T], jobs: usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let results: Vec<std::sync::Mutex<Option<R>>> = items.iter().map(|_| std::sync::Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    let Some(item) = items.get(i) else { return };
                    *results[i].lock().expect("a result slot should be free") = Some(work(item));
                }
            });
        }
    });
    results.into_iter().map(|slot| slot.into_inner().ok().flatten().expect("every item should have a result")).collect()
}

impl Unit {
    fn source_unit(&self, extra: Vec<String>) -> SourceUnit {
        let mut flags = self.flags.clone();
        flags.extend(extra);
        SourceUnit { file: self.file.clone(), directory: self.directory.clone(), flags }
    }
}

#[cfg(test)]
mod tests;
