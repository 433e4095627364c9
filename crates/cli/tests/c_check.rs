//! The corpus through `blitz check`: violations at their lines, confirmed by a run; proofs for the safe twins.
//!
//! Quick runs take every second pair of each kind, without those that are `slow`; `BLITZ_TEST_LONG=1` takes them all.
//! `BLITZ_TEST_ENGINE=NAME` holds another engine against the corpus.

#[macro_use]
mod common;

use common::Case;
use std::process::{Command, Stdio};

kinds! {
    topic,
    unwinding: "unwinding",
    inputs: "inputs",
    papers: "papers",
    regress: "regress",
    library: "library",
    stratified: "stratified",
    bodiless: "bodiless",
    cbmc: "cbmc",
    unchecked: "unchecked",
}

fn topic(name: &str) {
    let cases = if common::long() { common::cases(name) } else { quick(name) };
    common::for_all(&cases, |case| common::unless_known(case, check(case)));
}

/// What quick runs take of a folder.
fn quick(name: &str) -> Vec<Case> {
    let mut cases = common::cases(name);
    cases.retain(|c| c.key("slow").is_none());
    if ["regress", "papers", "library", "cbmc", "unchecked"].contains(&name) {
        return cases;
    }
    cases.chunks(2).step_by(2).flatten().cloned().collect()
}

/// Folders with tests of their own: `compositional.rs`, `fields.rs`, `threads.rs`.
const ELSEWHERE: &[&str] = &["compositional", "fields", "threads"];

#[test]
fn quick_runs_take_at_least_half_of_the_corpus() {
    let mut all = common::all_cases();
    all.extend(common::cases("threads"));
    let missing = all.iter().find(|c| !TOPICS.contains(&c.topic.as_str()) && !ELSEWHERE.contains(&c.topic.as_str()));
    assert!(missing.is_none(), "{} should be taken by some test", missing.map_or(String::new(), Case::label));
    let taken: usize = TOPICS.iter().map(|topic| quick(topic).len()).sum();
    assert!(2 * taken >= all.len(), "{taken} of {} programs", all.len());
}

fn check(case: &Case) -> Result<(), String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.arg("check").arg("--no-native").arg("--out").arg(out.path());
    command.args(["--format", "json", "--timeout", "300s"]).arg(&case.path).stdin(Stdio::null());
    if let Ok(engine) = std::env::var("BLITZ_TEST_ENGINE") {
        command.args(["--engine", &engine]);
    }
    for (key, option) in [("checks", "--checks"), ("unwind", "--unwind"), ("flags", "--cflags"), ("alloc", "--alloc")] {
        if let Some(value) = case.key(key) {
            command.arg(format!("{option}={value}"));
        }
    }
    let output = command.output().map_err(|e| format!("blitz should start: {e}"))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("exit {:?}, no report ({e}): {stderr}", output.status.code()))?;
    let verdict = report["verdict"].as_str().unwrap_or("?");
    let wanted = case.key("verdict").unwrap_or("?");
    if verdict != wanted {
        let first = &report["violation"];
        return Err(format!("{verdict} ({}{}:{}), not {wanted}", report["reason"], first["kind"], first["line"]));
    }
    let code = match verdict {
        "safe" => 0,
        "violation" => 10,
        _ => 20,
    };
    if output.status.code() != Some(code) {
        return Err(format!("exit {:?} for {verdict}", output.status.code()));
    }
    if verdict == "violation" { all_marked(case, &report["violations"]) } else { Ok(()) }
}

/// Every mark is found, and nothing else.
fn all_marked(case: &Case, violations: &serde_json::Value) -> Result<(), String> {
    let found: Vec<(u32, String)> = violations
        .as_array()
        .into_iter()
        .flatten()
        .map(|v| (v["line"].as_u64().unwrap_or(0) as u32, v["kind"].as_str().unwrap_or("?").to_owned()))
        .collect();
    let missing = case.marks.iter().any(|m| !found.contains(m));
    let surplus = found.iter().any(|f| !case.marks.contains(f));
    if missing || surplus { Err(format!("found {found:?}, marked {:?}", case.marks)) } else { Ok(()) }
}
