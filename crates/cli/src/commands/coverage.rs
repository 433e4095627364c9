//! `blitz coverage`: what a check has looked at, from its report.

use crate::args::{CoverageArgs, CoverageFormat};
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_report::{CoverageReport, coverage_lcov, coverage_text};
use blitz_workflow::runs::latest;
use std::path::{Path, PathBuf};

pub fn coverage(args: &CoverageArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let reports = reports(&latest(&args.folder));
    if reports.is_empty() {
        return Err(Fault::new(format!(
            "there is no report in {}: `blitz check --out DIR` writes one in any case, `blitz check` when it finds a violation",
            args.folder.display()
        )));
    }
    for file in &reports {
        let coverage = read(file)?;
        match args.format {
            CoverageFormat::Text => terminal.result(&coverage_text(&coverage)),
            CoverageFormat::Lcov => terminal.result(&coverage_lcov(&coverage)),
            CoverageFormat::Json => {
                let text = serde_json::to_string_pretty(&coverage).expect("coverage should be expressible in JSON");
                terminal.result(&text);
            }
        }
    }
    Ok(Exit::Success)
}

/// The report of a check, or those of its targets and entries, which have a folder each.
fn reports(folder: &Path) -> Vec<PathBuf> {
    let own = folder.join("report.json");
    if own.is_file() {
        return vec![own];
    }
    let inner = std::fs::read_dir(folder).into_iter().flatten();
    let mut found: Vec<PathBuf> =
        inner.filter_map(|e| Some(e.ok()?.path().join("report.json"))).filter(|f| f.is_file()).collect();
    found.sort();
    found
}

fn read(file: &Path) -> Result<CoverageReport, Fault> {
    let wrong = |e: &dyn std::fmt::Display| Fault::new(format!("{} can't be read: {e}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|e| wrong(&e))?;
    let mut report: serde_json::Value = serde_json::from_str(&text).map_err(|e| wrong(&e))?;
    serde_json::from_value(report["coverage"].take()).map_err(|e| wrong(&e))
}
