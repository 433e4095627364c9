//! The report as files, beside the reproduction kits.

use crate::{Listener, RunFolder};
use blitz_report::witness::{self, Task};
use blitz_report::{Report, Sources};
use std::io;
use std::path::Path;

const JSON: &str = "report.json";
const HTML: &str = "report.html";

fn html(report: &Report, task: &Task<'_>) -> String {
    blitz_report::html(report, task.version, &mut Sources::new())
}

/// What was found until now, for who looks while the search goes on, or after it was killed.
pub fn write_partial(folder: &Path, report: &Report, task: &Task<'_>) -> io::Result<()> {
    for (name, text) in [(JSON, blitz_report::json(report)), (HTML, html(report, task))] {
        let fresh = folder.join(format!(".{name}"));
        std::fs::write(&fresh, text)?;
        std::fs::rename(&fresh, folder.join(name))?;
    }
    Ok(())
}

/// Puts the reports beside the kits: where there is something to show, where the user has named a place, and where an
/// earlier check left its own, which is no longer the latest.
pub fn write_all(runs: &RunFolder, out: &Path, report: &Report, task: &Task<'_>, listener: &dyn Listener) {
    if report.violations.is_empty() && !runs.is_wanted(out) {
        return;
    }
    let written = runs.place(out).and_then(|folder| {
        std::fs::create_dir_all(&folder)?;
        let kept: Vec<&str> = report.violations.iter().map(|v| v.property.as_str()).collect();
        blitz_kit::remove_others(&folder, &kept)?;
        let sources = &mut Sources::new();
        let sarif = blitz_report::sarif(report, task.version, sources);
        std::fs::write(folder.join(JSON), blitz_report::json(report))?;
        std::fs::write(folder.join("report.sarif"), sarif)?;
        std::fs::write(folder.join(HTML), html(report, task))?;
        std::fs::write(folder.join("junit.xml"), blitz_report::junit(report, sources))?;
        write_witnesses(&folder, report, task)
    });
    if let Err(e) = written {
        listener.note(&format!("no report in {}: {e}", out.display()));
    }
}

fn write_witnesses(out: &Path, report: &Report, task: &Task<'_>) -> io::Result<()> {
    let mut sources = Sources::new();
    for finding in &report.violations {
        let folder = blitz_kit::folder(out, &finding.property);
        if folder.is_dir() {
            std::fs::write(folder.join("witness.yml"), witness::yaml(finding, task, &mut sources))?;
            std::fs::write(folder.join("witness.graphml"), witness::graphml(finding, task, &mut sources))?;
        }
    }
    Ok(())
}
