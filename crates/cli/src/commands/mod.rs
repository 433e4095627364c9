//! One module per subcommand.

mod callgraph;
mod cbmc;
mod cc;
mod check;
mod coverage;
mod explore;
mod formula;
mod fuzz;
mod harness;
mod hw;
mod init;
mod ir;
mod loops;
mod makefile;
pub mod proofs;
mod properties;
mod replay;
mod report;
mod run;
mod schedule;
mod shell;
mod smt;

pub use cbmc::{cbmc, goto_analyzer, goto_cc, goto_instrument};
pub use cc::cc;

use crate::args::Command;
use crate::terminal::Terminal;
use crate::{Exit, Fault};

/// Does what was asked for.
pub fn dispatch(command: &Command, terminal: &Terminal) -> Result<Exit, Fault> {
    match command {
        Command::Check(args) => check::check(args, terminal),
        Command::Explore(args) => explore::explore(args, terminal),
        Command::Run(args) => run::run(args, terminal),
        Command::Fuzz(args) => fuzz::fuzz(args, terminal),
        Command::Replay(args) => replay::replay(args, terminal),
        Command::Report(args) => report::report(args, terminal),
        Command::Coverage(args) => coverage::coverage(args, terminal),
        Command::Init(args) => init::init(args, terminal),
        Command::Harness(args) => harness::harness(args, terminal),
        Command::Properties(args) => properties::properties(args, terminal),
        Command::Loops(args) => loops::loops(args, terminal),
        Command::Callgraph(args) => callgraph::callgraph(args, terminal),
        Command::Ir(args) => ir::ir(args, terminal),
        Command::Formula(args) => formula::formula(args, terminal),
        Command::Smt(args) => smt::smt(args, terminal),
        Command::Hw(args) => hw::hw(args, terminal),
        Command::Completions(args) => shell::completions(args, terminal),
        Command::Man => shell::man(terminal),
        Command::Cc(args) => cc::cc(&args.args),
    }
}
