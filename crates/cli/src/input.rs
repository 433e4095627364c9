//! From the command line's inputs to a loaded program.

use crate::args::{InputArgs, UninitialisedArg};
use crate::suggest::did_you_mean;
use crate::terminal::Terminal;
use crate::{Fault, probe};
use blitz_frontend::driver::{self, CompileOptions, DriverError, Inputs, SourceUnit};
use blitz_frontend::unit::{self, Unit};
use blitz_frontend::{CompiledUnit, LibcVariant, LoadError, LoadOptions, ModuleInput};
use blitz_ir::{CheckKind, Checks, FuncId, Program};
use std::io::Read;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

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

/// The C that calls a function with any arguments.
pub fn harness(args: &InputArgs, flags: &[String], function: &str, any_globals: bool) -> Result<Unit, Fault> {
    let inputs = inputs(args, flags)?;
    let compiled =
        driver::compile(&inputs, &compile_options(args)).map_err(|e| near_file(driver_fault(e), &inputs.files))?;
    let modules = compiled.modules.clone();
    unit::harness(compiled.modules, function, any_globals).map_err(|e| match e {
        LoadError::NoEntry(name) => no_entry(&name, modules.clone(), args, Environment::Model),
        other => Fault::new(other.to_string()),
    })
}

/// The same, to see whether it works: with a `main`, where that is asked for.
pub fn try_load(
    args: &InputArgs,
    flags: &[String],
    environment: Environment,
    entry: Option<&str>,
    terminal: &Terminal,
) -> Result<Loaded, Fault> {
    load_with(args, flags, environment, entry.map(|name| Entry { name, any_globals: false }), terminal)
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
    let compiled =
        driver::compile(&inputs, &compile_options(args)).map_err(|e| near_file(driver_fault(e), &inputs.files))?;
    probe::survives(&compiled.foreign)?;
    let modules = compiled.modules.clone();
    let load_fault = |e: LoadError| match e {
        LoadError::NoEntry(name) => no_entry(&name, modules.clone(), args, environment),
        other => Fault::new(other.to_string()),
    };
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

/// A program without the function it should begin with: what there is to begin with instead.
fn no_entry(name: &str, modules: Vec<ModuleInput>, args: &InputArgs, environment: Environment) -> Fault {
    let said = LoadError::NoEntry(name.to_owned());
    let Ok(program) = blitz_frontend::load(modules, &load_options(args, environment, None)) else {
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
        programs @ DriverError::Programs(_) => Fault::Sentence(programs.to_string()),
    }
}

/// The C text on standard input, once it was read.
static STDIN: OnceLock<Result<PathBuf, String>> = OnceLock::new();

/// `-` is what comes on standard input. It is kept beside the cache, so that a reproduction kit can compile it again.
fn from_stdin(file: &Path) -> Result<PathBuf, Fault> {
    if file != Path::new("-") {
        return Ok(file.to_owned());
    }
    let read = || {
        let mut text = Vec::new();
        std::io::stdin().read_to_end(&mut text)?;
        let base = driver::default_cache_dir().unwrap_or_else(std::env::temp_dir);
        let folder = base.join("stdin").join(&blitz_report::sha256(&text)[..16]);
        std::fs::create_dir_all(&folder)?;
        let path = folder.join("stdin.c");
        std::fs::write(&path, text)?;
        Ok(path)
    };
    let read = || read().map_err(|e: std::io::Error| format!("standard input can't be read: {e}"));
    STDIN.get_or_init(read).clone().map_err(Fault::new)
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
        files: args.files.iter().map(|f| from_stdin(f)).collect::<Result<_, _>>()?,
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
