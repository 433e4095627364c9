//! The command line: what can be asked for. What it means is in `commands`.

use crate::checks_arg::parse_checks;
use crate::explore_args::{ExploreArgs, SearchArgs};
use crate::quantity::{parse_bound, parse_memory, parse_time};
use crate::suggest::did_you_mean;
use blitz_engines::{DEFAULT_INLINE, Engine, Granularity, Tactics, Weakening};
use blitz_ir::Checks;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub use blitz_workflow::runs::OUT;

/// Finds bugs in C programs, and shows each one happening.
#[derive(Parser, Debug)]
#[command(name = "blitz", version, about, max_term_width = 100)]
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
    /// Look for violations over all inputs
    Check(Box<CheckArgs>),
    /// Go through a program path by path, and write a test for each
    Explore(Box<ExploreArgs>),
    /// Run a program in the interpreter, with every check on
    Run(RunArgs),
    /// Look for inputs that make the program go wrong: native runs, led by the solver (SAGE)
    Fuzz(Box<FuzzArgs>),
    /// Build and run a reproduction kit
    Replay(ReplayArgs),
    /// Open the HTML report of a check
    Report(ReportArgs),
    /// Print what the latest check has looked at: functions, lines, loops
    Coverage(CoverageArgs),
    /// Write a blitz.toml for the project in this folder
    Init(InitArgs),
    /// Print C that calls a function with any arguments: a test to edit, and to check together with the program
    Harness(HarnessArgs),
    /// List the checks of a program, their ids and places
    Properties(PropertiesArgs),
    /// List the loops of a program, with the ids that --unwindset takes
    Loops(LoopsArgs),
    /// Print who calls whom, with the possible targets of indirect calls
    Callgraph(CallgraphArgs),
    /// Print a program in the intermediate form that is analysed
    Ir(IrArgs),
    /// Print what a bounded check asks the solver: equations by source line, SMT-LIB or clauses
    Formula(FormulaArgs),
    /// Run an SMT-LIB 2 script on the solver layer
    Smt(SmtArgs),
    /// Check a hardware model: AIGER or BTOR2
    Hw(HwArgs),
    /// Print a script that completes blitz's options in a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
    /// Compile as cc does, and keep the bitcode: `make CC="blitz cc"`, then `blitz check PROGRAM`
    #[command(disable_help_flag = true)]
    Cc(CcArgs),
}

/// What to load, and which checks to put into it.
#[derive(Args, Clone, Debug, Default)]
pub struct InputArgs {
    /// C files, preprocessed C (.i), LLVM bitcode (.bc, .ll), programs built by `blitz cc`; `-` for C on standard input
    #[arg(value_name = "FILES")]
    pub files: Vec<PathBuf>,
    /// Those of them that only the library models need: kits and native builds leave them out.
    #[arg(skip)]
    pub for_models: Vec<PathBuf>,
    /// A compile_commands.json, or the folder that holds it
    #[arg(short = 'p', value_name = "PATH", help_heading = "Input")]
    pub database: Option<PathBuf>,
    /// Which program of compile_commands.json, or target of blitz.toml, is meant, if there are several
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub target: Option<String>,
    /// Kinds to check: names, or the groups memory, overflow, assertion, leak, default, all, none; +KIND and -KIND change the default
    #[arg(long, value_name = "LIST", value_parser = parse_checks, allow_hyphen_values = true, help_heading = "What is checked")]
    pub checks: Option<Checks>,
    /// Reading memory that is not set: an error, or any value, as CBMC has it [default: any for harnesses of CBMC, else error]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "What is checked", hide_short_help = true)]
    pub uninitialised: Option<UninitialisedArg>,
    /// A folder with headers
    #[arg(short = 'I', value_name = "DIR", help_heading = "Input")]
    pub include: Vec<String>,
    /// A macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Input")]
    pub define: Vec<String>,
    /// Compile for 32 or 64 bits
    #[arg(short = 'm', value_name = "BITS", value_parser = ["32", "64"], help_heading = "Input", hide_short_help = true)]
    pub machine: Option<String>,
    /// How many bits of a 32-bit pointer are its offset: more for larger objects, fewer for more of them [default: by the program, at least 18]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(12..=26), help_heading = "Input", hide_short_help = true)]
    pub offset_bits: Option<u16>,
    /// The version of C, as clang names it
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    pub std: Option<String>,
    /// More flags for clang, split as a shell would
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, help_heading = "Input", hide_short_help = true)]
    pub cflags: Option<String>,
    /// How many clang processes at a time [default: one per core], and how many threads for a check [default: 1]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024), help_heading = "Limits")]
    pub jobs: Option<u32>,
    /// Compile everything anew
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    pub no_cache: bool,
    /// Check the contracts of these functions (__CPROVER_requires and its kin): each is where a check begins, unless --entry says otherwise
    #[arg(long, value_name = "FUNC,...", value_delimiter = ',', help_heading = "Contracts")]
    pub enforce: Vec<String>,
    /// Take these functions to be what their contracts say
    #[arg(long, value_name = "FUNC,...", value_delimiter = ',', help_heading = "Contracts")]
    pub replace: Vec<String>,
    /// Take loops with __CPROVER_loop_invariant to be what that says, and check that it holds
    #[arg(long, help_heading = "Contracts")]
    pub loop_contracts: bool,
    /// With --entry or --entries: only arguments for which this holds, C over the parameters, as in 'r->count <= r->cap'
    #[arg(long, value_name = "CONDITION", help_heading = "Contracts")]
    pub assume: Vec<String>,
}

/// Flags for clang after `--`.
#[derive(Args, Clone, Debug)]
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

/// What `check` prints on stdout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    Text,
    /// docs/report.md
    Json,
    /// One line per violation as soon as it is known, then the report as a last line
    Jsonl,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// One page that needs nothing beside it
    Html,
    Junit,
    /// The first violation as a witness of SV-COMP, YAML 2.0
    Witness,
    /// The same in GraphML 1.0
    Graphml,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceArg {
    None,
    Calls,
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckTrace {
    Relevant,
    Full,
}

#[derive(Args, Clone, Debug)]
pub struct LimitArgs {
    /// Stop after this time (60s, 5m, 1h)
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_negative_numbers = true, help_heading = "Limits")]
    pub timeout: Option<Duration>,
    /// Stop when this much memory is in use (512M, 4G)
    #[arg(long, value_name = "BYTES", value_parser = parse_memory, allow_negative_numbers = true, help_heading = "Limits")]
    pub memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PropagationArg {
    Data,
    Control,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThreadsArg {
    Lazy,
    LalReps,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LoopPolicyArg {
    RoundRobin,
    Cost,
    Distance,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AllocArg {
    MayFail,
    Succeeds,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GoOnArg {
    End,
    Some,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UninitialisedArg {
    Any,
    Error,
}

#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub clang: ClangFlags,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How to look: auto, bmc, incremental, stratified, compositional or explore [default: auto]
    #[arg(long, value_name = "NAME", value_parser = parse_engine, help_heading = "Search")]
    pub engine: Option<Engine>,
    /// The function to begin with [default: main]
    #[arg(long, value_name = "FUNC", help_heading = "Single functions")]
    pub entry: Option<String>,
    /// Several functions, each to begin with in turn; `all` for every one that is defined
    #[arg(
        long,
        value_name = "FUNC,...",
        value_delimiter = ',',
        conflicts_with = "entry",
        help_heading = "Single functions"
    )]
    pub entries: Vec<String>,
    /// With --entry or --entries: variables of the program hold anything, not their first values
    #[arg(long, help_heading = "Single functions")]
    pub any_globals: bool,
    /// A C file with functions that take the place of library functions, or of functions that are defined nowhere
    #[arg(long, value_name = "FILE.c", help_heading = "Single functions")]
    pub stub: Vec<PathBuf>,
    /// Functions whose library model counts as exact, or that change nothing if they have neither body nor model; the report names them. `all`: whatever
    /// has neither
    #[arg(
        long,
        value_name = "FUNC,...",
        value_delimiter = ',',
        help_heading = "Single functions",
        hide_short_help = true
    )]
    pub assume_model: Vec<String>,
    /// A project file [default: blitz.toml, where there is one]
    #[arg(long, value_name = "FILE", help_heading = "Input", hide_short_help = true)]
    pub config: Option<PathBuf>,
    /// The body of each loop runs at most K times; recursion likewise
    #[arg(long, value_name = "K", value_parser = parse_bound, allow_negative_numbers = true, help_heading = "Limits")]
    pub unwind: Option<u32>,
    /// Bounds of single loops, by the ids that `blitz loops` lists
    #[arg(long, value_name = "LOOP:K,...", value_delimiter = ',', value_parser = parse_loop_bound, help_heading = "Limits", hide_short_help = true)]
    pub unwindset: Vec<(String, u32)>,
    /// Only these properties, by the ids that `blitz properties` lists; other kinds of checks are off then if a run can go on
    /// after them
    #[arg(long, value_name = "ID,...", value_delimiter = ',', help_heading = "What is checked")]
    pub property: Vec<String>,
    /// The solver: cadical, z3 and others that are installed, smtlib:COMMAND, portfolio, crosscheck
    #[arg(long, value_name = "NAME", default_value = "cadical", help_heading = "Search", hide_short_help = true)]
    pub solver: String,
    /// Whether an allocation may fail [default: may-fail]
    #[arg(long, value_enum, value_name = "HOW", help_heading = "What is checked")]
    pub alloc: Option<AllocArg>,
    /// Stop at the first violation
    #[arg(long, help_heading = "Limits")]
    pub first: bool,
    /// How long to look on behind a violation: to the end of the time, or for three times the work done so far
    /// [default: end with --timeout and --format text or jsonl, else some]
    #[arg(long, value_enum, value_name = "HOW", conflicts_with = "first", help_heading = "Limits")]
    pub go_on: Option<GoOnArg>,
    /// Check a proof of every answer that a `safe` rests on (built-in solver only)
    #[arg(long, help_heading = "Search", hide_short_help = true)]
    pub certify: bool,
    /// What the compositional engine follows: the data a condition depends on, or every call
    #[arg(long, value_name = "WHAT", default_value = "data", help_heading = "Search", hide_short_help = true)]
    pub propagation: PropagationArg,
    /// What the compositional engine takes at a time: `function`, or so many statements of one
    #[arg(long, value_name = "SIZE", default_value = "function", value_parser = parse_granularity, help_heading = "Search", hide_short_help = true)]
    pub granularity: Granularity,
    /// How execution got to a violation: what it depends on, or every step
    #[arg(long, value_enum, default_value_t = CheckTrace::Relevant, value_name = "LEVEL", help_heading = "Output")]
    pub trace: CheckTrace,
    /// When the compositional engine weakens preconditions: `lazy`, or `eager:N` for N alternatives at once
    #[arg(long, value_name = "WHEN", default_value = "lazy", value_parser = parse_weakening, help_heading = "Search", hide_short_help = true)]
    pub weakening: Weakening,
    /// The tactics of the compositional engine: a list of those to use, or of those to leave out (`-letters,-idle`), or `none`
    #[arg(long, value_name = "LIST", default_value = "all", value_parser = Tactics::parse, hide = true, allow_hyphen_values = true)]
    pub tactics: Tactics,
    /// Up to which size, in terms, the compositional engine keeps preconditions exact; 0 under-approximates every one
    #[arg(long, value_name = "TERMS", default_value_t = blitz_engines::EXACT, help_heading = "Search", hide_short_help = true)]
    pub exact: usize,
    /// The stratified engine inlines calls of functions without loops and with at most N instructions, callees included
    #[arg(long, value_name = "N", default_value_t = DEFAULT_INLINE, help_heading = "Search", hide_short_help = true)]
    pub inline: usize,
    /// Where reproduction kits and reports are written: by default a new folder in blitz-out when there is a violation; in a named one always
    #[arg(long, value_name = "DIR", default_value = OUT, help_heading = "Output")]
    pub out: PathBuf,
    /// Don't build and run the program natively to confirm a violation
    #[arg(long, help_heading = "Output")]
    pub no_native: bool,
    /// Which loops the incremental engine unwinds next
    #[arg(long, value_enum, default_value_t = LoopPolicyArg::RoundRobin, value_name = "POLICY", help_heading = "Search", hide_short_help = true)]
    pub loop_policy: LoopPolicyArg,
    /// The incremental engine checks after every N further iterations of each loop [default: growing steps]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Search", hide_short_help = true)]
    pub check_interval: Option<u32>,
    /// In programs with threads: each thread has at most R turns [default: growing]
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Limits", hide_short_help = true)]
    pub rounds: Option<u32>,
    /// How threads take turns: `lazy`, round after round, or `lal-reps`, thread after thread from guessed memory (global variables only)
    /// [default: every schedule by itself as far as that goes soon, then lazy]
    #[arg(long, value_enum, value_name = "WAY", help_heading = "Search", hide_short_help = true)]
    pub threads: Option<ThreadsArg>,
    #[arg(long, value_enum, default_value_t = CheckFormat::Text, help_heading = "Output")]
    pub format: CheckFormat,
    /// What `blitz explore` adds.
    #[arg(skip)]
    pub search: Option<Box<SearchArgs>>,
    /// What the search of one function of a library may take, once the program is loaded.
    #[arg(skip)]
    pub slice: Option<Duration>,
    /// C that sets limits of the environment.
    #[arg(skip)]
    pub limits_file: Option<PathBuf>,
    /// What these limits leave out, in words.
    #[arg(skip)]
    pub assumptions: Vec<String>,
}

#[derive(Args, Clone, Debug)]
pub struct FuzzArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How tests reach the program: stdin, file (its name takes the place of @@ among ARGS), argv, env:NAME, socket, or values
    /// (of a harness) [default: file with @@, values where the program asks for some, else stdin]
    #[arg(long, value_name = "HOW", value_parser = blitz_fuzz::Carrier::parse)]
    pub input: Option<blitz_fuzz::Carrier>,
    /// A folder with inputs to begin with
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// The folder of the worklist: tests, scores, findings. The same command goes on from it; several may share it
    #[arg(long, value_name = "DIR", default_value = "blitz-fuzz")]
    pub work: PathBuf,
    /// Work beside AFL++: read the queues in its output folder, and put ours there
    #[arg(long, value_name = "DIR")]
    pub afl: Option<PathBuf>,
    /// Stop after this many native runs
    #[arg(long, value_name = "N")]
    pub max_runs: Option<u64>,
    /// Stop at the first finding
    #[arg(long)]
    pub first: bool,
    /// What chance begins with
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Mutations of each test that is taken up; 0 leaves everything to the solver and ends when no test is left
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub mutations: u32,
    /// Ask no solver: native runs, the interpreter and mutation alone
    #[arg(long)]
    pub no_solver: bool,
    /// Make up no requests for programs that answer what they read line by line
    #[arg(long)]
    pub no_requests: bool,
    /// Don't work out which lines the tests reach
    #[arg(long)]
    pub no_coverage: bool,
    /// The longest input that is made, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    pub max_size: u32,
    /// How long one native run may take, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=600_000))]
    pub run_timeout: u32,
    /// How much memory one native run may use, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(64..=65_536))]
    pub run_memory: u32,
    /// Write the counters to this file now and then, as JSON
    #[arg(long, value_name = "FILE")]
    pub status_json: Option<PathBuf>,
    /// A C file with functions that take the place of library functions, or of functions that are defined nowhere
    #[arg(long, value_name = "FILE.c")]
    pub stub: Vec<PathBuf>,
    /// Where reproduction kits and reports are written
    #[arg(long, value_name = "DIR", default_value = OUT)]
    pub out: PathBuf,
    #[arg(long, value_enum, default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,
    /// One of several workers that another process has started
    #[arg(long, hide = true)]
    pub worker: bool,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}

#[derive(Args, Debug)]
pub struct InitArgs {
    /// The project's folder
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
}

#[derive(Args, Debug)]
pub struct ReportArgs {
    /// The folder of a check: its latest run
    #[arg(value_name = "DIR", default_value = OUT)]
    pub folder: PathBuf,
}

#[derive(Args, Debug)]
pub struct HarnessArgs {
    /// The function to call
    #[arg(value_name = "FUNC")]
    pub function: String,
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub clang: ClangFlags,
    /// Variables of the program hold anything, not their first values
    #[arg(long)]
    pub any_globals: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CoverageFormat {
    Text,
    /// For lcov's genhtml, and editors
    Lcov,
    Json,
}

#[derive(Args, Debug)]
pub struct CoverageArgs {
    /// The folder of a check: its latest run
    #[arg(value_name = "DIR", default_value = OUT)]
    pub folder: PathBuf,
    #[arg(long, value_enum, default_value_t = CoverageFormat::Text)]
    pub format: CoverageFormat,
}

#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// A reproduction kit, or a folder with several; of `blitz-out` the latest run
    #[arg(value_name = "DIR", default_value = OUT)]
    pub folder: PathBuf,
    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = parse_time, default_value = "120s")]
    pub timeout: Duration,
}

fn parse_granularity(text: &str) -> Result<Granularity, String> {
    match text.parse() {
        _ if text == "function" => Ok(Granularity::Function),
        Ok(n) if n > 0 => Ok(Granularity::Statements(n)),
        _ => Err("expected `function` or a number of statements above 0".to_owned()),
    }
}

fn parse_weakening(text: &str) -> Result<Weakening, String> {
    let eager = |n: &str| n.parse().ok().filter(|n| (1..=1000).contains(n)).map(Weakening::Eager);
    match text {
        "lazy" => Ok(Weakening::Lazy),
        _ => text.strip_prefix("eager:").and_then(eager).ok_or_else(|| "lazy, or eager:N with N from 1".to_string()),
    }
}

pub fn parse_engine(name: &str) -> Result<Engine, String> {
    let names: Vec<&str> = Engine::ALL.iter().map(|e| e.name()).collect();
    let near = did_you_mean(name, names.iter().copied());
    Engine::from_name(name).ok_or_else(|| format!("there is no engine `{name}`, only {}{near}", names.join(", ")))
}

fn parse_loop_bound(text: &str) -> Result<(String, u32), String> {
    let parsed =
        text.rsplit_once(':').and_then(|(name, k)| Some((name.to_owned(), k.parse().ok().filter(|k| *k > 0)?)));
    parsed.ok_or_else(|| format!("`{text}` is no loop with its bound; write main.1:8"))
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
    /// Numbers for the nondeterministic values, in order
    #[arg(long, value_name = "N,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub values: Vec<i128>,
    /// Draw further nondeterministic values from a generator with this seed; else they are 0
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Which thread goes on where several could: in turn, drawn by --seed, every way there is, every way that can make a difference (as `check` does), or as the
    /// lines of a file say (thread and number of steps)
    #[arg(long, value_name = "roundrobin|random|all|reduced|FILE", default_value = "roundrobin")]
    pub schedule: String,
    /// Write the schedule of the run to a file that --schedule reads
    #[arg(long, value_name = "FILE")]
    pub save_schedule: Option<std::path::PathBuf>,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormulaFormat {
    /// Equations by source line, then each property with the condition that violates it
    Text,
    /// An SMT-LIB 2 script, satisfiable exactly if some property is violated
    Smt2,
    /// Clauses in DIMACS form, likewise
    Dimacs,
}

#[derive(Args, Debug)]
pub struct FormulaArgs {
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub clang: ClangFlags,
    /// The function to begin with instead of `main`
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,
    /// How often the body of each loop runs at most
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub unwind: u32,
    /// Other bounds for single loops
    #[arg(long, value_name = "LOOP:N,...", value_delimiter = ',', value_parser = parse_loop_bound)]
    pub unwindset: Vec<(String, u32)>,
    /// Only these properties, by the ids that `blitz properties` lists
    #[arg(long, value_name = "ID")]
    pub property: Vec<String>,
    #[arg(long, value_enum, default_value_t = FormulaFormat::Text)]
    pub format: FormulaFormat,
    /// Write to this file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub struct SmtArgs {
    /// The script
    #[arg(value_name = "FILE.smt2")]
    pub file: PathBuf,
    /// The solver: cadical, z3 and others that are installed, smtlib:COMMAND, portfolio, crosscheck
    #[arg(long, value_name = "NAME", default_value = "cadical")]
    pub solver: String,
    /// Have every unsat answer carry a proof that is checked
    #[arg(long)]
    pub certify: bool,
    #[command(flatten)]
    pub limits: LimitArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HwFormat {
    Text,
    Json,
    /// A page with the waveform of each counterexample
    Html,
}

#[derive(Args, Debug)]
pub struct HwArgs {
    /// The model: SMV (.smv), AIGER (.aag, .aig), BTOR2 (.btor, .btor2), or Verilog (.v, .sv) if yosys is installed
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How to look: auto, bmc, kind or ic3
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = parse_hw_engine)]
    pub engine: blitz_hw::Engine,
    /// Look for counterexamples of at most K steps only
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub bound: Option<usize>,
    /// A formula of LTL over the model's names, as in 'G (req -> F ack)'; it is the property ltl0, the next one ltl1
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,
    /// Only these properties, by their names (b0, j1, ltl0, ...)
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub property: Vec<String>,
    /// Have a proof checked for every answer that an invariant rests on
    #[arg(long)]
    pub certify: bool,
    /// Write the counterexamples to this file, in the witness format of AIGER or BTOR2
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Write the first counterexample to this file, for waveform viewers
    #[arg(long, value_name = "FILE")]
    pub vcd: Option<PathBuf>,
    /// Write the first invariant to this file, as SMT-LIB
    #[arg(long, value_name = "FILE")]
    pub invariant: Option<PathBuf>,
    /// Write the proof of all properties of an AIGER model to this file, as a circuit that certifaiger checks
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[arg(long, value_enum, default_value_t = HwFormat::Text)]
    pub format: HwFormat,
}

fn parse_hw_engine(name: &str) -> Result<blitz_hw::Engine, String> {
    let names: Vec<&str> = blitz_hw::Engine::ALL.iter().map(|e| e.name()).collect();
    let near = did_you_mean(name, names.iter().copied());
    blitz_hw::Engine::from_name(name)
        .ok_or_else(|| format!("there is no engine `{name}`, only {}{near}", names.join(", ")))
}

#[derive(Args, Debug)]
pub struct CompletionsArgs {
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub struct CcArgs {
    /// Arguments for the compiler
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
}
