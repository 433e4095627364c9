//! The report on stdout, in the format that was asked for.

use crate::args::{CheckFormat, CheckTrace};
use crate::terminal::Terminal;
use blitz_report::witness::{self, Task};
use blitz_report::{Finding, Report, Sources, finding_text, full_trace, summary_text};

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
