//! `--show-vcc`, `--smt2 --outfile` and `--dimacs --outfile`: the question instead of the answer.

use super::options::{Options, Written};
use super::output::Row;
use crate::{Exit, Fault};
use blitz_base::Budget;
use blitz_engines::{Asked, CheckConfig, Formula};
use blitz_ir::{Program, PropertyId};
use std::collections::BTreeMap;

/// Writes the formula where it is wanted.
pub fn write(
    what: Written,
    options: &Options,
    program: &Program,
    config: &CheckConfig,
    rows: &BTreeMap<PropertyId, Row>,
) -> Result<Exit, Fault> {
    let budget = Budget::new(None, None);
    crate::interrupt::cancel_on_ctrl_c(&budget);
    let wrong = |e: blitz_engines::Refused| Fault::new(e.to_string());
    let mut made = blitz_engines::formula(program, config, &budget).map_err(wrong)?;
    for gap in made.gaps() {
        eprintln!("**** WARNING: not in the formula: {gap}");
    }
    let asked = if options.unwinding_assertions { Asked::ClaimsAndBounds } else { Asked::Claims };
    let text = match what {
        Written::Conditions => conditions(program, &made, rows),
        Written::Smt2 => made.smt2(asked),
        Written::Dimacs => made.dimacs(asked, &budget).map_err(wrong)?,
    };
    match &options.outfile {
        Some(file) if file.as_os_str() != "-" => {
            std::fs::write(file, text).map_err(|e| Fault::new(format!("{} can't be written: {e}", file.display())))?
        }
        _ => print!("{text}"),
    }
    Ok(Exit::Success)
}

/// Each claim with the equations its condition is made of.
fn conditions(program: &Program, made: &Formula<'_>, rows: &BTreeMap<PropertyId, Row>) -> String {
    let (lines, conditions) = made.equations();
    let mut out = String::from("VERIFICATION CONDITIONS:\n");
    for c in &conditions {
        let Some(row) = rows.get(&c.property) else { continue };
        out.push_str(&format!(
            "\nfile {} line {} function {}\n{}\n",
            row.file, row.line, row.function, row.description
        ));
        for (number, line) in (1..).zip(c.lines.iter().map(|&i| &lines[i])) {
            let place = format!("line {} function {}", line.loc.line, program.decl(line.func).name);
            out.push_str(&format!("{{-{number}}} {}    ({place})\n", line.text));
        }
        out.push_str(&format!("|--------------------------\n{{1}} (not {})\n", c.text));
    }
    out
}
