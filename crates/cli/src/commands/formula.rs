//! `blitz formula`: what a bounded check asks the solver, as equations by source line, as SMT-LIB or as clauses.

use crate::args::{FormulaArgs, FormulaFormat};
use crate::checks_arg::checks_for;
use crate::input::{self, Entry};
use crate::terminal::Terminal;
use crate::{Exit, Fault, interrupt};
use blitz_base::Budget;
use blitz_engines::{Asked, CheckConfig};

pub fn formula(args: &FormulaArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let (flags, environment) = (&args.clang.flags, input::Environment::Model);
    let loaded = match &args.entry {
        Some(name) => {
            let entry = Entry { name, any_globals: false };
            input::load_entry(&args.inputs, flags, environment, entry, terminal)?
        }
        None => input::load(&args.inputs, flags, environment, terminal)?,
    };
    let checks = args.inputs.checks.unwrap_or_else(|| checks_for(&args.property));
    let config = CheckConfig {
        unwind: Some(args.unwind),
        unwindset: args.unwindset.clone(),
        checks: input::checks_with(checks, loaded.any_value),
        properties: args.property.clone(),
        ..CheckConfig::default()
    };
    let budget = Budget::new(None, None);
    interrupt::cancel_on_ctrl_c(&budget);
    let mut made = blitz_engines::formula(&loaded.program, &config, &budget).map_err(|e| Fault::new(e.to_string()))?;
    for gap in made.gaps() {
        terminal.note(&format!("not in the formula: {gap}"));
    }
    let text = match args.format {
        FormulaFormat::Text => made.text(),
        FormulaFormat::Smt2 => made.smt2(Asked::Claims),
        FormulaFormat::Dimacs => made.dimacs(Asked::Claims, &budget).map_err(|e| Fault::new(e.to_string()))?,
    };
    match &args.output {
        Some(file) => {
            std::fs::write(file, text).map_err(|e| Fault::new(format!("{} can't be written: {e}", file.display())))?
        }
        None => terminal.result(text.trim_end()),
    }
    Ok(Exit::Success)
}
