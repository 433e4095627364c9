//! Programs about what a division of memory into members gets wrong, in all engines, with and without array-bounds checks.
//!
//! Where the check that confines an access is off, the access must be seen to leave its member. bmc and incremental have to be exact; the others
//! may know no answer, but never a wrong one. Quick runs leave those out.

mod common;

use common::Case;
use std::process::{Command, Stdio};

#[test]
fn bmc() {
    all("bmc", Wanted::Exact);
}

#[test]
fn incremental() {
    all("incremental", Wanted::Exact);
}

#[test]
fn stratified() {
    if common::long() {
        all("stratified", Wanted::NotWrong);
    }
}

#[test]
fn compositional() {
    if common::long() {
        all("compositional", Wanted::NotWrong);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Exact,
    NotWrong,
}

fn all(engine: &str, wanted: Wanted) {
    let cases = common::cases("fields");
    common::for_all(&cases, |case| {
        check(case, engine, wanted, "default").map_err(|e| format!("{engine}: {e}"))?;
        check(case, engine, wanted, "-array-bounds").map_err(|e| format!("{engine} without array-bounds: {e}"))
    });
}

fn check(case: &Case, engine: &str, wanted: Wanted, checks: &str) -> Result<(), String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.arg("check").arg("--no-native").arg("--out").arg(out.path()).arg(&case.path).stdin(Stdio::null());
    command.args(["--engine", engine, "--unwind", case.key("unwind").unwrap_or("3")]);
    command.args(["--format", "json", "--timeout", "120s"]);
    command.arg(format!("--checks={checks}"));
    let output = command.output().map_err(|e| format!("blitz should start: {e}"))?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr)))?;
    let verdict = report["verdict"].as_str().unwrap_or("?");
    let expected = case.key("verdict").unwrap_or("?");
    let no_answer = matches!(verdict, "unknown" | "bounded");
    if verdict != expected && !(wanted == Wanted::NotWrong && no_answer) {
        return Err(format!("{verdict} ({}), not {expected}", report["violation"]["property"]));
    }
    if verdict == "violation" {
        let marked = case.marks.first().map(|(_, kind)| kind.as_str());
        let kind = if checks == "default" { marked } else { case.key("unbounded").or(marked) };
        let found = report["violation"]["kind"].as_str();
        if found != kind {
            return Err(format!("a violation of {found:?}, not of {kind:?}"));
        }
    }
    Ok(())
}

/// `bench/scale gen 100 --state struct|globals`: one struct holds all state, or every member is a variable of its own.
#[test]
fn a_struct_costs_what_its_members_would() {
    let counters = |name: &str| {
        let folder = common::root().join("crates/cli/tests/data");
        let out = tempfile::tempdir().expect("a folder should be made");
        let folder_out = out.path().to_string_lossy().into_owned();
        let args = ["check", name, "--engine", "bmc", "--unwind", "9", "--no-native", "--format", "json", "--out"];
        let output = common::blitz(&folder, &[&args[..], &[folder_out.as_str()]].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report should be JSON");
        assert_eq!(report["verdict"], "violation", "{name}");
        let count = |key: &str| report["stats"]["counters"][key].as_u64().expect("a counter should be a number");
        (count("terms"), count("lemmas"))
    };
    let (globals, structure) = (counters("state-globals.c"), counters("state-struct.c"));
    assert_eq!((globals.1, structure.1), (0, 0), "nothing should need array lemmas");
    assert!(structure.0 * 10 <= globals.0 * 11, "{} terms with a struct, {} with globals", structure.0, globals.0);
}

/// An index that a test found to be small is confined by that, whatever it was chosen from.
#[test]
fn what_a_test_leaves_of_an_index_needs_no_array() {
    for name in ["told-choice.safe.c", "told-counter.safe.c"] {
        let out = tempfile::tempdir().expect("a folder should be made");
        let folder_out = out.path().to_string_lossy().into_owned();
        let args = ["check", name, "--engine", "bmc", "--unwind", "9", "--no-native", "--format", "json", "--out"];
        let folder = common::root().join("tests/c/fields");
        let output = common::blitz(&folder, &[&args[..], &[folder_out.as_str()]].concat());
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report should be JSON");
        assert_eq!(report["verdict"], "safe", "{name}");
        assert_eq!(report["stats"]["counters"]["lemmas"], 0, "{name} should need no array lemma");
    }
}
