//! `blitz smt`: the solver layer by itself, on SMT-LIB 2 scripts.

use crate::args::SmtArgs;
use crate::terminal::Terminal;
use crate::{Exit, Fault, interrupt};
use blitz_base::Budget;
use blitz_solver::{Certify, SolverConfig};

pub fn smt(args: &SmtArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let shown = args.file.display();
    let text = std::fs::read_to_string(&args.file).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Fault::new(format!("no such file: {shown}")),
        _ => Fault::new(format!("{shown} can't be read: {e}")),
    })?;
    let budget = Budget::new(args.limits.timeout, args.limits.memory);
    interrupt::cancel_on_ctrl_c(&budget);
    let certify = if args.certify { Certify::InMemory } else { Certify::Off };
    let config = SolverConfig { certify, ..SolverConfig::default() };
    let make = || blitz_solver::make(&args.solver, &config);
    let (answers, mistake) = match blitz_solver::run_script(&text, &make, &budget) {
        Ok(answers) => (answers, None),
        Err(error) => (error.output.clone(), Some(Fault::new(format!("{shown}: {error}")))),
    };
    for answer in &answers {
        terminal.result(answer);
    }
    match mistake {
        Some(fault) => Err(fault),
        None if answers.iter().any(|a| a == "unknown") => Ok(Exit::Inconclusive),
        None => Ok(Exit::Success),
    }
}
