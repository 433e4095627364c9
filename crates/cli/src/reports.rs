//! The report in every format: on stdout the one that was asked for, in the output folder all of them.

use crate::args::{CheckFormat, CheckTrace};
use crate::runs::RunFolder;
use crate::terminal::Terminal;
use blitz_report::witness::{self, Task};
use blitz_report::{Finding, Report, Sources, finding_text, full_trace, summary_text};
use std::path::Path;

/// The report in a format.
pub fn render(format: CheckFormat, report: &Report, task: &Task<'_>) -> String {
    let mut sources = Sources::new();
    match format {
        CheckFormat::Text => summary_text(report),
        CheckFormat::Json => blitz_report::json(report),
        CheckFormat::Jsonl => blitz_report::json_line("report", report),
        CheckFormat::Sarif => blitz_report::sarif(report, task.version, &mut sources),
        CheckFormat::Html => blitz_report::html(report, task.version, &mut sources),
        CheckFormat::Junit => blitz_report::junit(report, &mut sources),
        CheckFormat::Witness => match report.violations.first() {
            Some(first) => witness::yaml(first, task, &mut sources),
            None => String::new(),
        },
        CheckFormat::Graphml => match report.violations.first() {
            Some(first) => witness::graphml(first, task, &mut sources),
            None => String::new(),
        },
    }
}

/// Prints a finding.
pub fn tell_finding(finding: &Finding, trace: CheckTrace, terminal: &Terminal) {
    let mut text = String::new();
    if trace == CheckTrace::Full {
        text.push_str(&full_trace(&finding.trace).join("\n"));
        text.push('\n');
    }
    text.push_str(finding_text(finding, &mut Sources::new(), terminal.style).trim_end());
    text.push_str("\n\n");
    terminal.result(&text);
}

/// What was found until now, for who looks while the search goes on, or after it was killed.
pub fn write_partial(folder: &Path, report: &Report, task: &Task<'_>) -> std::io::Result<()> {
    for (name, format) in [("report.json", CheckFormat::Json), ("report.html", CheckFormat::Html)] {
        let fresh = folder.join(format!(".{name}"));
        std::fs::write(&fresh, render(format, report, task))?;
        std::fs::rename(&fresh, folder.join(name))?;
    }
    Ok(())
}

/// Puts the reports beside the kits: where there is something to show, where the user has named a place, and where an
/// earlier check left its own, which is no longer the latest.
pub fn write_all(runs: &RunFolder, out: &Path, report: &Report, task: &Task<'_>, terminal: &Terminal) {
    if report.violations.is_empty() && !runs.is_wanted(out) {
        return;
    }
    let files = [
        ("report.json", CheckFormat::Json),
        ("report.sarif", CheckFormat::Sarif),
        ("report.html", CheckFormat::Html),
        ("junit.xml", CheckFormat::Junit),
    ];
    let written = runs.place(out).and_then(|folder| {
        std::fs::create_dir_all(&folder)?;
        let kept: Vec<&str> = report.violations.iter().map(|v| v.property.as_str()).collect();
        blitz_kit::remove_others(&folder, &kept)?;
        files.iter().try_for_each(|(name, format)| std::fs::write(folder.join(name), render(*format, report, task)))?;
        write_witnesses(&folder, report, task)
    });
    if let Err(e) = written {
        terminal.note(&format!("no report in {}: {e}", out.display()));
    }
}

fn write_witnesses(out: &Path, report: &Report, task: &Task<'_>) -> std::io::Result<()> {
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
