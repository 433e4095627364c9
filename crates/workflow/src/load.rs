//! From files and flags to a loaded program.

use crate::suggest::did_you_mean;
use crate::{Fault, Listener};
use blitz_frontend::driver::{self, CompileOptions, DriverError, Inputs, SourceUnit};
use blitz_frontend::unit::{self, LIBFUZZER, Unit};
use blitz_frontend::{CompiledUnit, LibcVariant, LoadError, LoadOptions, ModuleInput};
use blitz_ir::{CheckKind, Checks, Program};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

/// Where the program's environment comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    /// The real one: `blitz run`.
    Host,
    /// Inputs: everything that analyses.
    Model,
}

/// What is loaded, and how.
#[derive(Clone)]
pub struct Source {
    pub inputs: Inputs,
    /// Files among them that only the library models need: no native program has them.
    pub for_models: Vec<PathBuf>,
    /// With the checks that are put into the program.
    pub compile: CompileOptions,
    pub environment: Environment,
    /// `argv[0]`.
    pub name: String,
    /// Whether memory that is not set has any value; in harnesses of CBMC it has, if nothing is said here.
    pub any_value: Option<bool>,
    /// How many bits of a pointer are its offset, where that is not left to the program's size.
    pub offset_bits: Option<u16>,
    /// Whether reading bitcode from elsewhere leaves a process alive: LLVM's reader may end the one that tries.
    pub survives: fn(&[PathBuf]) -> Result<(), Fault>,
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

/// Compiles and loads a program; one without an entry need not have a `main`. One that is to begin in a `main` it has not begins with the function
/// that libFuzzer calls, if it has that.
pub fn load(source: &Source, entry: Option<Entry<'_>>, listener: &dyn Listener) -> Result<Loaded, Fault> {
    match load_from(source, entry, listener)? {
        Begun::Loaded(loaded) => Ok(*loaded),
        Begun::Harness => {
            let entry = Entry { name: LIBFUZZER, any_globals: false };
            match load_from(source, Some(entry), listener)? {
                Begun::Loaded(loaded) => Ok(*loaded),
                Begun::Harness => unreachable!("the function should be there"),
            }
        }
    }
}

/// What came of loading a program.
enum Begun {
    Loaded(Box<Loaded>),
    /// It has no `main`, but what libFuzzer calls.
    Harness,
}

fn load_from(source: &Source, entry: Option<Entry<'_>>, listener: &dyn Listener) -> Result<Begun, Fault> {
    let inputs = &source.inputs;
    let compiled = driver::compile(inputs, &source.compile).map_err(|e| near_file(driver_fault(e), &inputs.files))?;
    (source.survives)(&compiled.foreign)?;
    let modules = compiled.modules.clone();
    let load_fault = |e: LoadError| match e {
        LoadError::NoEntry(name) => no_entry(&name, modules.clone(), source),
        other => Fault::new(other.to_string()),
    };
    let mut options = load_options(source, entry.map(|e| e.name));
    let any_value = source.any_value.unwrap_or(compiled.for_cbmc);
    options.checks = checks_with(options.checks, any_value);
    let mut harness = None;
    if let Some(entry) = entry.filter(|e| e.name != "main") {
        let made = unit::harness(compiled.modules.clone(), entry.name, hold(entry.any_globals)).map_err(load_fault)?;
        let bitcode = driver::compile_unit(&made.text, made.ptr_bits).map_err(driver_fault)?;
        options.unit = Some(CompiledUnit { bitcode, symbols: made.symbols.clone() });
        harness = Some(made);
    }
    let program = match blitz_frontend::load(compiled.modules, &options) {
        Ok(program) => program,
        Err(LoadError::NoEntry(name)) if name == "main" && defines_harness(&modules, source) => {
            return Ok(Begun::Harness);
        }
        Err(e) => return Err(load_fault(e)),
    };
    if let Some(sentence) = driver::undefined(&program, &compiled.implicit) {
        return Err(Fault::new(sentence));
    }
    for note in &compiled.notes {
        listener.note(note);
    }
    Ok(Begun::Loaded(Box::new(Loaded {
        program: ManuallyDrop::new(program),
        name: source.name.clone(),
        sources: compiled.sources.into_iter().filter(|u| !is_for_models(source, u)).collect(),
        bitcode: compiled.bitcode,
        libraries: compiled.libraries,
        unit: harness,
        any_value,
    })))
}

fn is_for_models(source: &Source, unit: &SourceUnit) -> bool {
    source.for_models.contains(&unit.directory.join(&unit.file))
}

/// Whether the program defines what libFuzzer calls.
fn defines_harness(modules: &[ModuleInput], source: &Source) -> bool {
    let program = blitz_frontend::load(modules.to_vec(), &load_options(source, None));
    program.is_ok_and(|p| p.func_named(LIBFUZZER).is_some_and(|f| p.decl(f).has_body))
}

fn hold(any_globals: bool) -> unit::Variables {
    if any_globals { unit::Variables::MadeUp } else { unit::Variables::Initialised }
}

/// The C that calls a function with any arguments.
pub fn harness(source: &Source, function: &str, any_globals: bool) -> Result<Unit, Fault> {
    let inputs = &source.inputs;
    let compiled = driver::compile(inputs, &source.compile).map_err(|e| near_file(driver_fault(e), &inputs.files))?;
    let modules = compiled.modules.clone();
    unit::harness(compiled.modules, function, hold(any_globals)).map_err(|e| match e {
        LoadError::NoEntry(name) => no_entry(&name, modules.clone(), source),
        other => Fault::new(other.to_string()),
    })
}

/// A program without the function it should begin with: what there is to begin with instead.
fn no_entry(name: &str, modules: Vec<ModuleInput>, source: &Source) -> Fault {
    let said = LoadError::NoEntry(name.to_owned());
    let Ok(program) = blitz_frontend::load(modules, &load_options(source, None)) else {
        return Fault::new(said.to_string());
    };
    let names: Vec<&str> = program.funcs.iter().filter(|f| f.has_body && !f.model).map(|f| f.name.as_str()).collect();
    if name != "main" {
        return Fault::new(format!("{said}{}", did_you_mean(name, names.iter().copied())));
    }
    let example = names.first().map_or(String::new(), |f| format!(", as in --entry {f}"));
    Fault::new(format!(
        "{said}: `blitz check --entry FUNC` checks a function by itself, `--entries all` each of them{example}"
    ))
}

/// For a file that is not there: the one that may have been meant.
fn near_file(fault: Fault, files: &[PathBuf]) -> Fault {
    let Fault::Sentence(sentence) = &fault else { return fault };
    let gone = |f: &&PathBuf| !f.exists() && sentence.contains(&f.display().to_string());
    let Some(file) = files.iter().find(gone) else { return fault };
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(list) = std::fs::read_dir(folder) else { return fault };
    let mut names: Vec<String> = list.filter_map(|e| e.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let wanted = file.file_name().unwrap_or_default().to_string_lossy();
    Fault::new(format!("{sentence}{}", did_you_mean(&wanted, names.iter().map(String::as_str))))
}

/// The checks that are left where memory that is not set has any value.
pub fn checks_with(checks: Checks, any_value: bool) -> Checks {
    if any_value { checks.without(CheckKind::Uninitialised) } else { checks }
}

pub fn driver_fault(error: DriverError) -> Fault {
    match error {
        DriverError::Input(sentence) => Fault::Sentence(sentence),
        DriverError::Clang { stderr } => Fault::Verbatim(stderr),
        programs @ DriverError::Programs(_) => Fault::Sentence(programs.to_string()),
    }
}

fn load_options(source: &Source, entry: Option<&str>) -> LoadOptions {
    LoadOptions {
        checks: source.compile.checks,
        libc: match source.environment {
            Environment::Host => LibcVariant::Host,
            Environment::Model => LibcVariant::Model,
        },
        entry: entry.map(str::to_owned),
        unit: None,
        offset_bits: source.offset_bits,
        no_body: blitz_frontend::NoBody::Unknown,
    }
}
