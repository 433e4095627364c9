//! JUnit XML, which every continuous integration shows: a test case per property. What is not decided is skipped.

use crate::model::{PropertyRow, Report, Status};
use crate::source::Sources;
use crate::text::{Style, finding_text};
use crate::xml::escape;

/// The report as JUnit XML.
pub fn junit(report: &Report, sources: &mut Sources) -> String {
    let count = |status| report.properties.iter().filter(|p| p.status == status).count();
    let (tests, failures) = (report.properties.len(), count(Status::Violated));
    let skipped = count(Status::Bounded) + count(Status::Unknown);
    let numbers = format!(
        "tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{:.3}\"",
        report.stats.seconds
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"blitz\" {numbers}>\n  <testsuite name=\"blitz check\" {numbers}>\n"
    );
    for property in &report.properties {
        text.push_str(&case(property, report, sources));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn case(property: &PropertyRow, report: &Report, sources: &mut Sources) -> String {
    let head = format!(
        "    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\"",
        escape(&property.function),
        escape(&property.id),
        escape(&property.file),
        property.line
    );
    let body = match property.status {
        Status::Proved | Status::Unreachable => return format!("{head}/>\n"),
        Status::Violated => failure(property, report, sources),
        Status::Bounded => "<skipped message=\"holds up to the bound\"/>".to_owned(),
        Status::Unknown => {
            format!("<skipped message=\"{}\"/>", escape(property.reason.as_ref().map_or("not decided", |r| &r.text)))
        }
    };
    format!("{head}>\n      {body}\n    </testcase>\n")
}

fn failure(property: &PropertyRow, report: &Report, sources: &mut Sources) -> String {
    match report.violations.iter().find(|f| f.property == property.id) {
        Some(finding) => format!(
            "<failure type=\"{}\" message=\"{}\">{}</failure>",
            escape(&finding.kind),
            escape(&finding.message),
            escape(&finding_text(finding, sources, Style::PLAIN))
        ),
        None => format!("<failure type=\"{}\" message=\"violated\"/>", escape(&property.kind)),
    }
}
