//! What people and machines are told: findings with source excerpts, and the report as JSON.
//!
//! Why apart from the engines: a verdict is one thing, how it is shown another; every format is made from the same
//! [`Report`], so that none of them knows more than the others.
//!
//! Invariants: a [`Finding`] is made from a run that showed it ([`Finding::from_run`]), never from a claim; output is
//! the same for the same report; nothing here prints, the caller gets strings.
//!
//! Absent: solvers, the terminal, any judgement of its own: what an engine answered is what is told.

mod check;
mod coverage;
mod explain;
mod finding;
mod fingerprint;
mod html;
mod junit;
mod locks;
mod lost;
mod members;
mod model;
mod paths;
mod rules;
mod sarif;
mod sha256;
mod source;
mod text;
mod trace;
mod turns;
mod value;
mod why;
pub mod witness;
mod xml;

pub use blitz_engines::{Ending, Exploration, PathReport, TreeNode};
pub use check::{finding, from_check};
pub use coverage::{CoverageReport, LoopStatus, Reached, coverage_lcov, coverage_text, warnings};
pub use explain::full_trace;
pub use finding::Finding;
pub use html::html;
pub use junit::junit;
pub use model::{
    Confirmed, EngineRow, InputRow, Native, NativeReport, NeedRow, Object, OtherThread, Place, Precondition,
    PropertyRow, Report, SCHEMA, ScheduleRow, StackFrame, Stats, Status, Step, StepKind, Suppressed, ValueRow, Verdict,
};
pub use paths::{
    Coverage, coverage, coverage_html, ending, lcov, path_condition, tree_html, tree_json, tree_text, with_tree,
};
pub use sarif::sarif;
pub use sha256::sha256;
pub use source::Sources;
pub use text::{Style, finding_text, message_text, needs_text, summary_text};
pub use why::{Code, Why};
pub use xml::escape as xml_escape;

/// Something as one line of JSON under a key: `{"violation":{...}}`.
pub fn json_line(key: &str, value: &impl serde::Serialize) -> String {
    let pair = std::collections::BTreeMap::from([(key, value)]);
    serde_json::to_string(&pair).expect("a report should always be expressible in JSON")
}

/// The report as one JSON object.
pub fn json(report: &Report) -> String {
    serde_json::to_string_pretty(report).expect("a report should always be expressible in JSON")
}
