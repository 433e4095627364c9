//! From the command line's inputs to a loaded program.

use crate::args::{InputArgs, UninitialisedArg};
use crate::terminal::Terminal;
use crate::{Fault, probe};
use blitz_frontend::driver::{self, CompileOptions, DriverError, Inputs, SourceUnit};
use blitz_frontend::unit::{self, Unit};
use blitz_frontend::{CompiledUnit, LibcVariant, LoadError, LoadOptions};
use blitz_ir::{CheckKind, Checks, FuncId, Program};
use std::mem::ManuallyDrop;
use std::path::PathBuf;

/// Where the program's environment comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    /// The real one: `blitz run`.
    Host,
    /// Inputs: everything that analyses.
    Model,
}

/// A program, and what to call it.
pub struct Loaded {
    /// Never dropped: it is there until the process ends, and giving LLVM's memory back piece by piece takes as long as half of
    /// reading it.
    pub program: ManuallyDrop<Program>,
    /// `argv[0]`.
    pub name: String,
    /// How its C files were compiled.
    pub sources: Vec<SourceUnit>,
    /// The bitcode among its inputs.
    pub bitcode: Vec<PathBuf>,
    /// The shared libraries it is linked with.
    pub libraries: Vec<String>,
    /// What it begins with, if that is not `main`.
    pub unit: Option<Unit>,
    /// Memory that is not set has any value here, which is CBMC's meaning of it.
    pub any_value: bool,
}

/// The function a program begins with.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    pub name: &'a str,
    /// Variables hold anything then.
    pub any_globals: bool,
}

/// Compiles and loads what the command line names.
pub fn load(
    args: &InputArgs,
    flags: &[String],
    environment: Environment,
    terminal: &Terminal,
) -> Result<Loaded, Fault> {
    load_with(args, flags, environment, None, terminal)
}

/// The same, for a program that begins with this function.
pub fn load_entry(
    args: &InputArgs,
    flags: &[String],
    environment: Environment,
    entry: Entry<'_>,
    terminal: &Terminal,
) -> Result<Loaded, Fault> {
    load_with(args, flags, environment, Some(entry), terminal)
}

fn load_with(
    args: &InputArgs,
    flags: &[String],
    environment: Environment,
    entry: Option<Entry<'_>>,
    terminal: &Terminal,
) -> Result<Loaded, Fault> {
    let inputs = inputs(args, flags)?;
    let compiled = driver::compile(&inputs, &compile_options(args)).map_err(driver_fault)?;
    probe::survives(&compiled.foreign)?;
    let load_fault = |e: LoadError| Fault::new(e.to_string());
    let mut options = load_options(args, environment, entry.map(|e| e.name));
    let any_value = any_value(args, compiled.for_cbmc);
    options.checks = checks_with(options.checks, any_value);
    let mut harness = None;
    if let Some(entry) = entry.filter(|e| e.name != "main") {
        let made = unit::harness(compiled.modules.clone(), entry.name, entry.any_globals).map_err(load_fault)?;
        let bitcode = driver::compile_unit(&made.text, made.ptr_bits).map_err(driver_fault)?;
        options.unit = Some(CompiledUnit { bitcode, symbols: made.symbols.clone() });
        harness = Some(made);
    }
    let program = blitz_frontend::load(compiled.modules, &options).map_err(load_fault)?;
    if let Some(sentence) = driver::undefined(&program, &compiled.implicit) {
        return Err(Fault::new(sentence));
    }
    for note in &compiled.notes {
        terminal.note(note);
    }
    let program = ManuallyDrop::new(program);
    Ok(Loaded {
        program,
        name: name(args),
        sources: compiled.sources,
        bitcode: compiled.bitcode,
        libraries: compiled.libraries,
        unit: harness,
        any_value,
    })
}

/// Whether memory that is not set has any value: as asked for, else in harnesses of CBMC.
fn any_value(args: &InputArgs, for_cbmc: bool) -> bool {
    match args.uninitialised {
        Some(how) => how == UninitialisedArg::Any,
        None => for_cbmc,
    }
}

/// The checks that are left where memory that is not set has any value.
pub fn checks_with(checks: Checks, any_value: bool) -> Checks {
    if any_value { checks.without(CheckKind::Uninitialised) } else { checks }
}

/// All functions of a program, by id.
pub fn functions(program: &Program) -> impl Iterator<Item = FuncId> + use<> {
    (0..program.funcs.len()).map(FuncId::new)
}

pub fn driver_fault(error: DriverError) -> Fault {
    match error {
        DriverError::Input(sentence) => Fault::Sentence(sentence),
        DriverError::Clang { stderr } => Fault::Verbatim(stderr),
    }
}

fn inputs(args: &InputArgs, flags: &[String]) -> Result<Inputs, Fault> {
    let mut all: Vec<String> = Vec::new();
    all.extend(args.include.iter().map(|d| format!("-I{d}")));
    all.extend(args.define.iter().map(|d| format!("-D{d}")));
    all.extend(args.machine.iter().map(|bits| format!("-m{bits}")));
    all.extend(args.std.iter().map(|name| format!("-std={name}")));
    if let Some(text) = &args.cflags {
        all.extend(shlex::split(text).ok_or_else(|| Fault::new("--cflags has an unclosed quote"))?);
    }
    all.extend_from_slice(flags);
    Ok(Inputs {
        files: args.files.clone(),
        database: args.database.clone(),
        target: args.target.clone(),
        flags: all,
        units: Vec::new(),
    })
}

fn compile_options(args: &InputArgs) -> CompileOptions {
    let mut options = CompileOptions { checks: args.checks.unwrap_or_default(), ..CompileOptions::default() };
    if let Some(jobs) = args.jobs {
        options.jobs = jobs as usize;
    }
    if args.no_cache {
        options.cache = None;
    }
    options
}

fn name(args: &InputArgs) -> String {
    let first = args.files.first().and_then(|f| f.file_stem());
    match (&args.target, first) {
        (Some(target), _) => target.clone(),
        (None, Some(stem)) => stem.to_string_lossy().into_owned(),
        (None, None) => "program".to_owned(),
    }
}

fn load_options(args: &InputArgs, environment: Environment, entry: Option<&str>) -> LoadOptions {
    LoadOptions {
        checks: args.checks.unwrap_or_default(),
        libc: match environment {
            Environment::Host => LibcVariant::Host,
            Environment::Model => LibcVariant::Model,
        },
        entry: entry.map(str::to_owned),
        unit: None,
        offset_bits: args.offset_bits,
        no_body: blitz_frontend::NoBody::Unknown,
    }
}
