//! A library: every function is checked by itself (`--entries`), and what comes of it is one report.
//!
//! Why: a function that is called with arbitrary memory fails in ways that no caller would make happen. What is shown as a violation is a call that
//! any caller can make: numbers, and texts that end with a zero. Everything else is a precondition that the function needs, one line each in a table.
//!
//! Direction: a finding that needs a precondition is neither an error nor does it go unsaid; the verdict is not `safe` then.

use blitz_report::{CoverageReport, Finding, NeedRow, PropertyRow, Reached, Report, Stats, Status, Verdict};
use std::collections::BTreeMap;

/// Values that a precondition's line names.
const NAMED: usize = 4;

/// What a function has to be given so that a finding does not happen; nothing for a call that any caller can make.
pub fn precondition(finding: &Finding, internal: bool) -> Option<String> {
    let made = Made::of(finding);
    let mut parts: Vec<String> = Vec::new();
    if finding.kind == "null-deref" || made.members.is_empty() {
        parts.extend(made.null(finding).map(|p| format!("{p} != NULL")));
    }
    if parts.is_empty() && !made.members.is_empty() {
        parts.push(format!("another state than {}", joined(&made.members)));
    }
    if parts.is_empty() && !made.code.is_empty() {
        parts.push(format!("another function than {}", joined(&made.code)));
    }
    let sized = !made.lengths.is_empty() && (!made.numbers.is_empty() || !is_text(finding, &made));
    if parts.is_empty() && sized {
        let objects: Vec<String> = made.lengths.iter().map(|(p, n)| format!("{p} of {n} elements")).collect();
        let numbers = if made.numbers.is_empty() { String::new() } else { format!(" for {}", joined(&made.numbers)) };
        parts.push(format!("more than {}{numbers}", joined(&objects)));
    }
    if parts.is_empty() && internal {
        parts.push(match made.numbers.is_empty() {
            true => "what its callers see to (it is static)".to_owned(),
            false => format!("other arguments than {} (it is static)", joined(&made.numbers)),
        });
    }
    (!parts.is_empty()).then(|| parts.join(" and "))
}

fn joined(parts: &[String]) -> String {
    let more = parts.len().saturating_sub(NAMED);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", parts[..parts.len().min(NAMED)].join(", "))
}

/// What the harness made up for a run.
#[derive(Default)]
struct Made {
    nulls: Vec<String>,
    /// Members of objects behind pointers, with their values.
    members: Vec<String>,
    /// Functions that pointers mean.
    code: Vec<String>,
    /// Objects of a number of elements.
    lengths: Vec<(String, u64)>,
    /// Arguments that are numbers.
    numbers: Vec<String>,
}

impl Made {
    fn of(finding: &Finding) -> Made {
        let mut made = Made::default();
        let first = |value: &str| value.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        for input in &finding.inputs {
            let (name, value) = (input.name.as_str(), input.value.as_str());
            if let Some(pointer) = name.strip_suffix(" != NULL") {
                if value == "false" {
                    made.nulls.push(pointer.to_owned());
                }
            } else if let Some(pointer) = name.strip_suffix(" length") {
                made.lengths.push((pointer.to_owned(), first(value)));
            } else if name.contains("->") || name.contains('.') || name.contains('[') {
                made.members.push(format!("{name} = {value}"));
            } else if name.contains(" is ") && value == "true" {
                made.code.push(name.to_owned());
            } else if !name.starts_with(['*', '(']) && !name.contains(' ') && !name.contains('(') {
                made.numbers.push(format!("{name} = {value}"));
            }
        }
        let nulls = std::mem::take(&mut made.nulls);
        made.lengths.retain(|(p, _)| !nulls.contains(p));
        made.nulls = nulls;
        made
    }

    /// The null pointer that matters: one that what is violated names, else the first.
    fn null(&self, finding: &Finding) -> Option<&String> {
        let null = |v: &blitz_report::ValueRow, p: &str| v.name.as_deref() == Some(p) && v.value == "null";
        let named = |p: &&String| finding.text.contains(p.as_str()) || finding.values.iter().any(|v| null(v, p));
        self.nulls.iter().find(named).or_else(|| self.nulls.first().filter(|_| finding.kind == "null-deref"))
    }
}

/// Whether the object of a finding is a text of the harness: it has one byte more than elements, a zero.
fn is_text(finding: &Finding, made: &Made) -> bool {
    let Some(object) = &finding.object_info else { return true };
    made.lengths.iter().any(|(_, n)| object.size == n + 1) || made.lengths.iter().all(|(_, n)| object.size != *n)
}

/// The reports of all entries as one.
pub fn merged(reports: Vec<(String, Report)>, stats: Stats) -> Report {
    let mut rows: BTreeMap<String, PropertyRow> = BTreeMap::new();
    let mut out = Report::new(Verdict::Safe, Vec::new(), Vec::new(), stats);
    let mut open = Vec::new();
    for (entry, report) in reports {
        for row in report.properties {
            let known = rows.entry(row.id.clone()).or_insert_with(|| row.clone());
            if weight(row.status) > weight(known.status) {
                *known = row;
            }
        }
        for mut finding in report.violations {
            if !out.violations.iter().any(|v| v.property == finding.property) {
                finding.entry = Some(entry.clone());
                out.violations.push(finding);
            }
        }
        out.needs.extend(report.needs);
        out.suppressed.extend(report.suppressed);
        add_coverage(&mut out.coverage, report.coverage);
        for note in report.notes {
            if !note.contains(" is called with any arguments") && !out.notes.contains(&note) {
                out.notes.push(note);
            }
        }
        match report.verdict {
            Verdict::Safe | Verdict::Violation => {}
            Verdict::Bounded => open.push((1, entry, report.reason)),
            Verdict::Unknown => open.push((2, entry, report.reason)),
        }
    }
    let violated: Vec<&str> = out.violations.iter().map(|v| v.property.as_str()).collect();
    out.needs.retain(|n: &NeedRow| !violated.contains(&n.property.as_str()));
    out.needs.sort_by(|a, b| (&a.function, a.place.line, &a.needs).cmp(&(&b.function, b.place.line, &b.needs)));
    out.needs.dedup_by(|a, b| a.property == b.property && a.function == b.function);
    out.properties = rows.into_values().collect();
    (out.verdict, out.reason) = verdict(&out, &open);
    out.violation = out.violations.first().cloned();
    out
}

fn verdict(report: &Report, open: &[(u32, String, Option<String>)]) -> (Verdict, Option<String>) {
    if !report.violations.is_empty() {
        return (Verdict::Violation, None);
    }
    let worst = open.iter().max_by_key(|(weight, _, _)| *weight);
    let why = |entry: &str, reason: &Option<String>| {
        let many = if open.len() > 1 { format!(" ({} functions are open)", open.len()) } else { String::new() };
        Some(format!("{entry}: {}{many}", reason.as_deref().unwrap_or("not decided")))
    };
    match worst {
        Some((2, entry, reason)) => (Verdict::Unknown, why(entry, reason)),
        None | Some(_) if !report.needs.is_empty() => {
            let functions: std::collections::BTreeSet<&str> =
                report.needs.iter().map(|n| n.function.as_str()).collect();
            let many = match functions.len() {
                1 => "one function needs a precondition".to_owned(),
                n => format!("{n} functions need preconditions"),
            };
            (Verdict::Unknown, Some(many))
        }
        Some((_, entry, reason)) => (Verdict::Bounded, why(entry, reason)),
        None => (Verdict::Safe, None),
    }
}

/// What counts more where two entries lead to the same check.
fn weight(status: Status) -> u32 {
    match status {
        Status::Violated => 4,
        Status::Unknown => 3,
        Status::Bounded => 2,
        Status::Proved => 1,
        Status::Unreachable => 0,
    }
}

fn add_coverage(sum: &mut CoverageReport, other: CoverageReport) {
    for row in other.functions {
        match sum.functions.iter_mut().find(|f| f.name == row.name && f.file == row.file) {
            Some(known) if (row.status, row.lines_reached) > (known.status, known.lines_reached) => *known = row,
            Some(_) => {}
            None => sum.functions.push(row),
        }
    }
    for (file, lines) in other.files {
        let known = sum.files.entry(file).or_default();
        for (line, reached) in lines {
            let old = known.entry(line).or_insert(Reached::NotReached);
            *old = reached.max(*old);
        }
    }
    for row in other.loops {
        match sum.loops.iter_mut().find(|l| l.id == row.id) {
            Some(known) if known.status == blitz_report::LoopStatus::NotReached => *known = row,
            Some(_) => {}
            None => sum.loops.push(row),
        }
    }
    for name in other.bodiless.into_iter().filter(|n| !sum.bodiless.contains(n)).collect::<Vec<_>>() {
        sum.bodiless.push(name);
    }
    sum.gaps.extend(other.gaps);
    sum.dead_assumptions.extend(other.dead_assumptions);
}
