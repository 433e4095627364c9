//! A library: every function is checked by itself (`--entries`), and what comes of it is one report.
//!
//! Why: a function that is called with arbitrary memory fails in ways that no caller would make happen. What is shown as a violation is a call that
//! any caller can make: numbers, and texts that end with a zero. Everything else is a precondition that the function needs, one line each in a table.
//!
//! Direction: a finding that needs a precondition is neither an error nor does it go unsaid; the verdict is not `safe` then.

use blitz_ir::Channel;
use blitz_ir::channel::owner;
use blitz_report::{Code, CoverageReport, Finding, NeedRow, PropertyRow, Reached, Report, Stats, Status, Verdict, Why};
use std::collections::BTreeMap;

/// Values that a precondition's line names.
const NAMED: usize = 4;

/// What a function has to be given so that a finding does not happen; nothing for a call that any caller can make.
pub fn precondition(finding: &Finding, internal: bool) -> Option<String> {
    let made = Made::of(finding);
    let mut parts: Vec<String> = Vec::new();
    if finding.kind == "null-deref" || made.members.is_empty() {
        parts.extend(made.not_null(finding));
    }
    if parts.is_empty() && !made.members.is_empty() {
        parts.push(format!("another state than {}", joined(&made.relevant(finding))));
    }
    if parts.is_empty() && !made.code.is_empty() {
        parts.push(joined(&made.code));
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
    // An assertion says by itself what it needs.
    let says = finding.kind == "assertion" && !matches!(finding.text.as_str(), "" | "assertion");
    (!parts.is_empty()).then(|| if says { finding.text.clone() } else { parts.join(" and ") })
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
    /// What is other than in this run where it does not happen: the functions that pointers mean, and what callers' functions return.
    code: Vec<String>,
    /// Objects of a number of elements.
    lengths: Vec<(String, u64)>,
    /// Arguments that are numbers.
    numbers: Vec<String>,
}

impl Made {
    fn of(finding: &Finding) -> Made {
        let mut made = Made::default();
        // Pointers to functions, and whether one of those that they can mean was chosen.
        let mut code: BTreeMap<&str, bool> = BTreeMap::new();
        let first = |value: &str| value.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        for input in &finding.inputs {
            let (name, value) = (input.name.as_str(), input.value.as_str());
            if name.starts_with(blitz_frontend::unit::RESULT) {
                made.code.push(format!("another {name} than {value}"));
                continue;
            }
            match input.channel {
                Channel::IsNotNull => {
                    let pointer = owner(name, input.channel).filter(|_| value == "false");
                    made.nulls.extend(pointer.map(str::to_owned));
                }
                Channel::Length => {
                    made.lengths.extend(owner(name, input.channel).map(|p| (p.to_owned(), first(value))));
                }
                Channel::Member => made.members.push(format!("{name} = {value}")),
                Channel::IsFunction => {
                    let Some((pointer, function)) = name.split_once(" is ") else { continue };
                    *code.entry(pointer).or_default() |= value == "true";
                    if value == "true" {
                        made.code.push(format!("{pointer} other than {function}"));
                    }
                }
                Channel::Word | Channel::Nondet { .. } | Channel::ArgumentCount => {
                    made.numbers.push(format!("{name} = {value}"));
                }
                _ => {}
            }
        }
        let mut nulls = std::mem::take(&mut made.nulls);
        nulls.extend(code.iter().filter(|(_, chosen)| !**chosen).map(|(pointer, _)| (*pointer).to_owned()));
        made.lengths.retain(|(p, _)| !nulls.contains(p));
        made.nulls = nulls;
        made
    }

    /// The members that what is violated speaks of, if it names any; else all of them.
    fn relevant(&self, finding: &Finding) -> Vec<String> {
        let is_named = |m: &&String| {
            let name = m.split(" = ").next().unwrap_or(m);
            names(&finding.text, name) || finding.values.iter().any(|v| v.name.as_deref() == Some(name))
        };
        let named: Vec<String> = self.members.iter().filter(is_named).cloned().collect();
        if named.is_empty() { self.members.clone() } else { named }
    }

    /// The null pointer that matters: one that what is violated names, or the only one; which of several it is nobody knows.
    fn not_null(&self, finding: &Finding) -> Option<String> {
        let null = |v: &blitz_report::ValueRow, p: &str| v.name.as_deref() == Some(p) && v.value == "null";
        let named = |p: &&String| names(&finding.text, p) || finding.values.iter().any(|v| null(v, p));
        match (self.nulls.iter().find(named), self.nulls.as_slice()) {
            (Some(p), _) => Some(format!("{p} != NULL")),
            (None, _) if finding.kind != "null-deref" => None,
            (None, []) => None,
            (None, [only]) => Some(format!("{only} != NULL")),
            (None, several) => Some(format!("one of {} != NULL", joined(several))),
        }
    }
}

/// Whether a text has a name in it as a whole word: `s` is not in `index of a`.
fn names(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

/// Whether the object of a finding is a text of the harness: it has one byte more than elements, a zero.
fn is_text(finding: &Finding, made: &Made) -> bool {
    let Some(object) = &finding.object_info else { return true };
    made.lengths.iter().any(|(_, n)| object.size == n + 1) || made.lengths.iter().all(|(_, n)| object.size != *n)
}

/// The reports of all entries as one, with those for which no time was left.
pub fn merged(reports: Vec<(String, Report)>, unseen: &[String], stats: Stats) -> Report {
    let mut rows: BTreeMap<String, PropertyRow> = BTreeMap::new();
    let mut out = Report::new(Verdict::Safe, Vec::new(), Vec::new(), stats);
    let too_late = |f: &String| (2, f.clone(), Some(Why::new(Code::OutOfTime, "out of time before it was looked at")));
    let mut open: Vec<(u32, String, Option<Why>)> = unseen.iter().map(too_late).collect();
    if !unseen.is_empty() {
        out.notes.push(format!("out of time before {} of the functions: {}", unseen.len(), joined(unseen)));
    }
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
            if !out.notes.contains(&note) {
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
    let place = |n: &NeedRow| (n.function.clone(), n.needs.clone(), n.kind.clone(), n.place.line);
    out.needs.sort_by_cached_key(place);
    let mut seen = std::collections::BTreeSet::new();
    out.needs.retain(|n| seen.insert((n.function.clone(), n.property.clone())));
    out.properties = rows.into_values().collect();
    (out.verdict, out.reason) = verdict(&out, &open);
    out.violation = out.violations.first().cloned();
    out
}

fn verdict(report: &Report, open: &[(u32, String, Option<Why>)]) -> (Verdict, Option<Why>) {
    if !report.violations.is_empty() {
        return (Verdict::Violation, None);
    }
    let worst = open.iter().max_by_key(|(weight, _, _)| *weight);
    let why = |entry: &str, reason: &Option<Why>| {
        let many = if open.len() > 1 { format!(" ({} functions are open)", open.len()) } else { String::new() };
        let (code, text) = reason.as_ref().map_or((Code::NotLookedAt, "not decided"), |r| (r.code, &r.text));
        Some(Why::new(code, format!("{entry}: {text}{many}")))
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
            (Verdict::Unknown, Some(Why::new(Code::NeedsPrecondition, many)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_nobody_looked_at_leave_the_answer_open() {
        let fine = Report::new(Verdict::Safe, Vec::new(), Vec::new(), Stats::default());
        let all = merged(vec![("f".into(), fine.clone())], &[], Stats::default());
        assert_eq!(all.verdict, Verdict::Safe);
        let some = merged(vec![("f".into(), fine)], &["g".into()], Stats::default());
        assert_eq!(some.verdict, Verdict::Unknown);
        assert!(some.notes.iter().any(|n| n.contains("out of time before 1 of the functions: g")), "{:?}", some.notes);
    }
}
