//! The command line of `blitz explore`: that of `blitz check`, and what only a search path by path has.

use crate::args::CheckArgs;
use crate::quantity::{parse_memory, parse_time};
use blitz_engines::Searcher;
use blitz_kit::{Minimise, TestFormat};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args, Clone, Debug)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub check: CheckArgs,
    #[command(flatten)]
    pub search: SearchArgs,
}

/// How the search goes and what it leaves behind.
#[derive(Args, Clone, Debug)]
pub struct SearchArgs {
    /// Which path is next: mixed, dfs, bfs, random-path, new-coverage or nearest (to what --to names)
    #[arg(long, value_name = "NAME", default_value = "mixed", value_parser = parse_searcher)]
    pub searcher: Searcher,
    /// A place to get to: FILE:LINE, or a property's id
    #[arg(long, value_name = "PLACE")]
    pub to: Option<String>,
    /// Begins the random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// After so many forks no further ways are kept
    #[arg(long, value_name = "N")]
    pub max_forks: Option<u64>,
    /// Stop after so many paths
    #[arg(long, value_name = "N")]
    pub max_paths: Option<u64>,
    /// Keep the states of at most N ways that wait; others are run again from the start
    #[arg(long, value_name = "N")]
    pub snapshots: Option<usize>,
    /// Follow the ways of a fork together where they meet again soon: fewer paths, whose conditions are harder
    #[arg(long)]
    pub merge: bool,
    /// Stop after this time; the same as --timeout
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub max_time: Option<Duration>,
    /// Stop when this much memory is in use; the same as --memory
    #[arg(long, value_name = "BYTES", value_parser = parse_memory)]
    pub max_memory: Option<u64>,
    /// At most N allocations and library calls fail on a path
    #[arg(long, value_name = "N")]
    pub max_fail: Option<u32>,
    /// A question to the solver is worth N conflicts: what lies behind a harder one is left out, and the search goes on elsewhere
    #[arg(long, value_name = "N")]
    pub max_conflicts: Option<u32>,
    /// At least MIN and at most MAX arguments of up to N bytes; given again, more of them behind the others
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "N"])]
    pub sym_args: Vec<u32>,
    /// No environment variable is set, and the locale is "C"
    #[arg(long)]
    pub no_environment: bool,
    /// Standard input has at most N bytes
    #[arg(long, value_name = "N")]
    pub sym_stdin: Option<u32>,
    /// At most N files can be opened that the program has not made, each of up to M bytes
    #[arg(long, num_args = 2, value_names = ["N", "M"])]
    pub sym_files: Option<Vec<u32>>,
    /// Write how far the search is to this file now and then, as JSON
    #[arg(long, value_name = "FILE")]
    pub status_json: Option<PathBuf>,
    /// What tests are written as: inputs, ktest, replay, testcomp
    #[arg(long, value_name = "FORMAT,...", value_delimiter = ',', default_value = "inputs,ktest,replay", value_parser = parse_format)]
    pub tests: Vec<TestFormat>,
    /// Only as many tests as it takes to go through all that the paths went through: `coverage`
    #[arg(long, value_name = "WHAT", value_parser = parse_minimise)]
    pub minimise: Option<Minimise>,
    /// Write the execution tree as JSON; `-` prints it as text
    #[arg(long, value_name = "FILE")]
    pub tree: Option<PathBuf>,
}

fn parse_searcher(name: &str) -> Result<Searcher, String> {
    let names: Vec<&str> = Searcher::ALL.iter().map(|s| s.name()).collect();
    Searcher::from_name(name).ok_or_else(|| format!("there is no searcher `{name}`, only {}", names.join(", ")))
}

fn parse_format(name: &str) -> Result<TestFormat, String> {
    match name {
        "inputs" => Ok(TestFormat::Inputs),
        "ktest" => Ok(TestFormat::Ktest),
        "replay" => Ok(TestFormat::Replay),
        "testcomp" => Ok(TestFormat::Testcomp),
        _ => Err(format!("there is no format `{name}` of tests, only inputs, ktest, replay, testcomp")),
    }
}

fn parse_minimise(name: &str) -> Result<Minimise, String> {
    match name {
        "coverage" => Ok(Minimise::Coverage),
        _ => Err("tests can be chosen by `coverage` only".to_owned()),
    }
}
