//! From the command line's inputs to a loaded program.

use crate::args::{InputArgs, UninitialisedArg};
use crate::terminal::Terminal;
use crate::{Fault, contracts, probe};
use blitz_frontend::driver::{self, CompileOptions, Inputs};
use blitz_frontend::unit::Unit;
use blitz_ir::{FuncId, Program};
pub use blitz_workflow::load::{checks_with, driver_fault};
pub use blitz_workflow::{Entry, Environment, Loaded, Source};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Compiles and loads what the command line names.
pub fn load(
    args: &InputArgs,
    flags: &[String],
    environment: Environment,
    terminal: &Terminal,
) -> Result<Loaded, Fault> {
    with_contracts(args, blitz_workflow::load::load(&source(args, flags, environment)?, None, terminal)?)
}

/// The C that calls a function with any arguments.
pub fn harness(args: &InputArgs, flags: &[String], function: &str, any_globals: bool) -> Result<Unit, Fault> {
    blitz_workflow::load::harness(&source(args, flags, Environment::Model)?, function, any_globals)
}

/// The same, to see whether it works: with a `main`, where that is asked for.
pub fn try_load(
    args: &InputArgs,
    flags: &[String],
    environment: Environment,
    entry: Option<&str>,
    terminal: &Terminal,
) -> Result<Loaded, Fault> {
    let entry = entry.map(|name| Entry { name, any_globals: false });
    let source = match entry {
        Some(entry) => source_for(args, flags, environment, entry.name)?,
        None => source(args, flags, environment)?,
    };
    with_contracts(args, blitz_workflow::load::load(&source, entry, terminal)?)
}

/// The same, for a program that begins with this function.
pub fn load_entry(
    args: &InputArgs,
    flags: &[String],
    environment: Environment,
    entry: Entry<'_>,
    terminal: &Terminal,
) -> Result<Loaded, Fault> {
    let source = source_for(args, flags, environment, entry.name)?;
    with_contracts(args, blitz_workflow::load::load(&source, Some(entry), terminal)?)
}

/// A program that has the contracts which were asked for.
fn with_contracts(args: &InputArgs, loaded: Loaded) -> Result<Loaded, Fault> {
    contracts::found(args, &loaded.program)?;
    Ok(loaded)
}

/// What the command line names, for a program that begins with this function.
pub fn source_for(args: &InputArgs, flags: &[String], environment: Environment, entry: &str) -> Result<Source, Fault> {
    let mut source = source(args, flags, environment)?;
    source.compile.contracts = contracts::asked(args, Some(entry));
    Ok(source)
}

/// What the command line names.
pub fn source(args: &InputArgs, flags: &[String], environment: Environment) -> Result<Source, Fault> {
    Ok(Source {
        inputs: inputs(args, flags)?,
        for_models: args.for_models.clone(),
        compile: CompileOptions { contracts: contracts::asked(args, None), ..compile_options(args) },
        environment,
        name: name(args),
        any_value: args.uninitialised.map(|how| how == UninitialisedArg::Any),
        offset_bits: args.offset_bits,
        survives: probe::survives,
    })
}

/// All functions of a program, by id.
pub fn functions(program: &Program) -> impl Iterator<Item = FuncId> + use<> {
    (0..program.funcs.len()).map(FuncId::new)
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

/// Options of ours that clang does not know.
const OURS: &[&str] = &[
    "--timeout",
    "--memory",
    "--entry",
    "--entries",
    "--out",
    "--unwind",
    "--engine",
    "--checks",
    "--format",
    "--no-native",
    "--stub",
    "--first",
    "--jobs",
    "--enforce",
    "--replace",
    "--assume",
    "--loop-contracts",
];

fn inputs(args: &InputArgs, flags: &[String]) -> Result<Inputs, Fault> {
    if let Some(option) = flags.iter().find(|f| OURS.contains(&f.split('=').next().unwrap_or(f))) {
        return Err(Fault::new(format!("what stands after `--` is for clang: put `{option}` before it")));
    }
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
