//! The corpus through `blitz run`: the interpreter sees each bug at its line, and nothing in the safe twins.

#[macro_use]
mod common;

use common::Case;
use std::process::{Command, Output, Stdio};

kinds!(topic, unwinding: "unwinding", stratified: "stratified");

fn topic(name: &str) {
    common::for_all(&common::cases(name), run);
}

fn run(case: &Case) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.args(["run", "--format", "json"]).arg(&case.path).stdin(Stdio::null());
    if let Some(checks) = case.key("checks") {
        command.args(["--checks", checks]);
    }
    if let Some(flags) = case.key("flags") {
        command.args(["--cflags", flags]);
    }
    if let Some(values) = case.key("inputs") {
        command.args(["--values", values]);
    }
    if let Some(args) = case.key("args") {
        command.arg("--").args(args.split_whitespace());
    }
    let output = command.output().map_err(|e| format!("blitz should start: {e}"))?;
    common::unless_known(case, judge(case, &output))
}

fn judge(case: &Case, output: &Output) -> Result<(), String> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let expects_bug = case.is_bug() && case.key("run") != Some("exit");
    let wanted = if expects_bug { 10 } else { 0 };
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("exit {:?}, no report ({e}): {stderr}", output.status.code()))?;
    // Inputs that show the bug may be what the safe twin rules out.
    let ruled_out = !case.is_bug() && report["outcome"] == "assume";
    if output.status.code() != Some(wanted) && !ruled_out {
        let what = &report["violation"];
        let (kind, line) = (&what["kind"], &what["line"]);
        return Err(format!(
            "exit {:?}, not {wanted}: {} {kind} {line} {}",
            output.status.code(),
            report["outcome"],
            report["reason"]
        ));
    }
    if expects_bug { same_place(case, &report["violation"]) } else { Ok(()) }
}

fn same_place(case: &Case, violation: &serde_json::Value) -> Result<(), String> {
    let line = violation["line"].as_u64().unwrap_or(0) as u32;
    let kind = violation["kind"].as_str().unwrap_or("?").to_owned();
    if !case.marks.contains(&(line, kind.clone())) {
        return Err(format!("{kind} at line {line}, marked {:?}", case.marks));
    }
    match case.key("object") {
        Some(object) if violation["object"] != object => Err(format!("object {}, not {object}", violation["object"])),
        _ => Ok(()),
    }
}
