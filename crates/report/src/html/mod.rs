//! The HTML report: one file that needs nothing beside it. The page is fixed; the report and the sources it shows are data in it.

use crate::coverage::warnings;
use crate::model::Report;
use crate::source::Sources;
use crate::text::input_note;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// What the page's script shows.
#[derive(Serialize)]
struct Data<'a> {
    report: &'a Report,
    sources: Value,
    version: &'a str,
    warnings: Vec<String>,
    /// The inputs of each violation, as the text report has them.
    inputs: Vec<Option<String>>,
}

/// The sources of files that no trace visits are put in up to so many bytes together.
const MOST_TEXT: usize = 4 << 20;

/// The report as a page.
pub fn html(report: &Report, version: &str, sources: &mut Sources) -> String {
    let inputs = report.violations.iter().map(input_note).collect();
    let data = Data { report, sources: texts(report, sources), version, warnings: warnings(report), inputs };
    let data = serde_json::to_string(&data).expect("a report should be plain data");
    // A script element ends at the first `</`, whatever it holds.
    let data = data.replace("</", "<\\/").replace("<!--", "<\\!--");
    PAGE.replace("@STYLE@", STYLE).replace("@SCRIPT@", SCRIPT).replace("@DATA@", &data)
}

/// The texts of the files that a trace visits, and of the others that have functions, as long as there is room.
fn texts(report: &Report, sources: &mut Sources) -> Value {
    let mut files: BTreeSet<&str> = BTreeSet::new();
    for finding in &report.violations {
        files.insert(&finding.place.file);
        files.extend(finding.trace.iter().map(|s| s.place.file.as_str()));
        files.extend(finding.stack.iter().map(|s| s.place.file.as_str()));
    }
    let mut found = Map::new();
    for file in files.into_iter().filter(|f| !f.is_empty()) {
        if let Some(text) = sources.text(file) {
            found.insert(file.to_owned(), Value::String(text.to_owned()));
        }
    }
    let mut room = MOST_TEXT;
    let others: BTreeSet<&str> = report.coverage.functions.iter().map(|f| f.file.as_str()).collect();
    for file in others {
        let text = if found.contains_key(file) { None } else { sources.text(file) };
        if let Some(text) = text.filter(|t| t.len() <= room) {
            room -= text.len();
            found.insert(file.to_owned(), Value::String(text.to_owned()));
        }
    }
    Value::Object(found)
}
