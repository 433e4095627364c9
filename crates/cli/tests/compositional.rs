//! Programs whose bug the compositional engine finds from the error backwards, each by itself.

mod common;

use common::Case;
use std::process::{Command, Stdio};

#[test]
fn the_compositional_engine_finds_the_marked_bugs() {
    let cases = common::cases("compositional");
    assert!(!cases.is_empty(), "there should be programs to check");
    common::for_all(&cases, check);
}

fn check(case: &Case) -> Result<(), String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.arg("check").arg("--no-native").arg("--out").arg(out.path());
    command.args(["--engine", "compositional", "--first", "--format", "json", "--timeout", "120s"]);
    if let Some(checks) = case.key("checks") {
        command.arg(format!("--checks={checks}"));
    }
    if let Some(property) = case.key("property") {
        command.args(["--property", property]);
    }
    let output =
        command.arg(&case.path).stdin(Stdio::null()).output().map_err(|e| format!("blitz should start: {e}"))?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr)))?;
    let found = &report["violation"];
    let place = (found["line"].as_u64().unwrap_or(0) as u32, found["kind"].as_str().unwrap_or("none").to_owned());
    if case.marks.contains(&place) { Ok(()) } else { Err(format!("found {place:?}, not {:?}", case.marks)) }
}
