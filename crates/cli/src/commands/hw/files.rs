//! What `blitz hw` writes beside its answer: witnesses, waveforms, invariants.

use crate::Fault;
use crate::args::HwArgs;
use crate::terminal::Terminal;
use blitz_base::Budget;
use blitz_hw::certificate::certificate;
use blitz_hw::{Language, Outcome, Proof, Status, Ts, vcd, witness};
use std::path::Path;

/// Writes the files that were asked for and that there is something for.
pub fn write(
    args: &HwArgs,
    ts: &Ts,
    language: Language,
    outcome: &Outcome,
    budget: &Budget,
    terminal: &Terminal,
) -> Result<(), Fault> {
    if let Some(path) = &args.witness {
        match witness::witnesses(ts, outcome, language) {
            Some(text) => save(path, &text)?,
            None => terminal.note("--witness is for AIGER and BTOR2; this language has no format of witnesses"),
        }
    }
    let trace = outcome.results.iter().find_map(|r| match &r.status {
        Status::Violated(violation) => Some(violation.trace()),
        Status::Proved(_) | Status::HoldsUpTo(_) | Status::Unknown { .. } => None,
    });
    if let (Some(path), Some(trace)) = (&args.vcd, trace) {
        save(path, &vcd::dump(ts, trace))?;
    }
    let invariant = outcome.results.iter().find_map(|r| match &r.status {
        Status::Proved(Proof::Invariant(invariant)) => Some(invariant),
        Status::Proved(_) | Status::Violated(_) | Status::HoldsUpTo(_) | Status::Unknown { .. } => None,
    });
    match (&args.invariant, invariant) {
        (Some(path), Some(invariant)) => save(path, &invariant.smtlib(ts))?,
        (Some(_), None) => terminal.note("--invariant wrote nothing: no property was proved by an invariant"),
        (None, _) => {}
    }
    if let Some(path) = &args.certificate {
        match certificate(ts, outcome, language, budget) {
            Ok(text) => save(path, &text)?,
            Err(why) => terminal.note(&format!("--certificate wrote nothing: {why}")),
        }
    }
    Ok(())
}

fn save(path: &Path, text: &str) -> Result<(), Fault> {
    std::fs::write(path, text).map_err(|e| Fault::new(format!("{} can't be written: {e}", path.display())))
}
