//! The command line: what can be asked for. What it means is in `commands`.

use crate::checks_arg::parse_checks;
use crate::quantity::{parse_memory, parse_time};
use blitz_ir::Checks;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Finds bugs in C programs, and shows each one happening.
#[derive(Parser, Debug)]
#[command(name = "blitz", version, about, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t = ColorChoice::Auto, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Say nothing but the result
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more about what is done
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run a program in the interpreter, with every check on
    Run(RunArgs),
    /// List the checks of a program, their ids and places
    Properties(PropertiesArgs),
    /// List the loops of a program, with the ids that --unwindset takes
    Loops(LoopsArgs),
    /// Print who calls whom, with the possible targets of indirect calls
    Callgraph(CallgraphArgs),
    /// Print a program in the intermediate form that is analysed
    Ir(IrArgs),
    /// Compile as cc does, and keep the bitcode: `make CC="blitz cc"`, then `blitz check PROGRAM`
    #[command(disable_help_flag = true)]
    Cc(CcArgs),
}

/// What to load, and which checks to put into it.
#[derive(Args, Debug)]
pub struct InputArgs {
    /// C files, preprocessed C (.i), LLVM bitcode (.bc, .ll), or programs built by `blitz cc`
    #[arg(value_name = "FILES")]
    pub files: Vec<PathBuf>,
    /// A compile_commands.json, or the folder that holds it
    #[arg(short = 'p', value_name = "PATH")]
    pub database: Option<PathBuf>,
    /// Which program of compile_commands.json is meant, if it holds several
    #[arg(long, value_name = "NAME")]
    pub target: Option<String>,
    /// Kinds to check: names, or the groups memory, overflow, assertion, leak, default, all, none; +KIND and -KIND change the default
    #[arg(long, value_name = "LIST", value_parser = parse_checks, allow_hyphen_values = true)]
    pub checks: Option<Checks>,
    /// A folder with headers
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<String>,
    /// A macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Compile for 32 or 64 bits
    #[arg(short = 'm', value_name = "BITS", value_parser = ["32", "64"])]
    pub machine: Option<String>,
    /// The version of C, as clang names it
    #[arg(long, value_name = "NAME")]
    pub std: Option<String>,
    /// More flags for clang, split as a shell would
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,
    /// How many clang processes at a time [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub jobs: Option<u32>,
    /// Compile everything anew
    #[arg(long)]
    pub no_cache: bool,
}

/// Flags for clang after `--`.
#[derive(Args, Debug)]
pub struct ClangFlags {
    /// Flags for clang
    #[arg(last = true, value_name = "CLANG_FLAGS")]
    pub flags: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceArg {
    None,
    Calls,
    Full,
}

#[derive(Args, Debug)]
pub struct LimitArgs {
    /// Stop after this time (60s, 5m, 1h)
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,
    /// Stop when this much memory is in use (512M, 4G)
    #[arg(long, value_name = "BYTES", value_parser = parse_memory)]
    pub memory: Option<u64>,
}

#[derive(Args, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// What to record of the run and show with a violation
    #[arg(long, value_enum, default_value_t = TraceArg::None, value_name = "LEVEL")]
    pub trace: TraceArg,
    /// Draw nondeterministic values from a generator with this seed, not zeros
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Stop after this many instructions
    #[arg(long, value_name = "N")]
    pub max_steps: Option<u64>,
    /// Exit with the program's own status when it ends without a violation
    #[arg(long)]
    pub status: bool,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

#[derive(Args, Debug)]
pub struct PropertiesArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub clang: ClangFlags,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct LoopsArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub clang: ClangFlags,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct CallgraphArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub clang: ClangFlags,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Args, Debug)]
pub struct IrArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub clang: ClangFlags,
    /// Only these functions
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub function: Vec<String>,
    /// Functions of the C library's models as well
    #[arg(long)]
    pub models: bool,
}

#[derive(Args, Debug)]
pub struct CcArgs {
    /// Arguments for the compiler
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}
