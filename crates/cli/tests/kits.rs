//! Reproduction kits: every violation of the corpus happens natively, at the same line.
//!
//! Quick runs take the first bug of each kind and all of `inputs`, which has one program per source of inputs;
//! `BLITZ_TEST_LONG=1` takes them all. What no sanitizer can see says so in its header: `//@ native: none`.

#[macro_use]
mod common;

use common::Case;
use std::process::{Command, Stdio};

kinds! {
    topic,
    compositional: "compositional",
    inputs: "inputs",
    papers: "papers",
    regress: "regress",
    stratified: "stratified",
}

/// What no sanitizer sees is named in the documentation, program by program.
#[test]
fn what_is_not_confirmed_natively_is_documented() {
    let docs = std::fs::read_to_string(common::root().join("docs/report.md")).expect("docs/report.md");
    for topic in ["assertion", "null-deref", "papers", "regress", "inputs", "uninitialised", "array-bounds"] {
        for case in common::cases(topic) {
            if case.key("verdict") == Some("violation") && case.key("native") == Some("none") {
                let file = case.path.file_name().expect("a case is a file").to_string_lossy().into_owned();
                let name = format!("{topic}/{}", file.trim_end_matches(".bug.c"));
                assert!(docs.contains(&format!("`{name}`")), "docs/report.md should name {name}");
            }
        }
    }
}

fn topic(name: &str) {
    let mut cases = common::cases(name);
    cases.retain(|c| c.key("verdict") == Some("violation") && c.key("known-bug").is_none());
    if !common::long() {
        cases.retain(|c| c.key("slow").is_none());
        if name != "inputs" {
            cases.truncate(1);
        }
    }
    common::for_all(&cases, confirmed);
}

fn confirmed(case: &Case) -> Result<(), String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.args(["check", "--format", "json", "--timeout", "300s", "--out"]).arg(out.path()).arg(&case.path);
    for (key, option) in [("checks", "--checks"), ("unwind", "--unwind"), ("flags", "--cflags"), ("alloc", "--alloc")] {
        if let Some(value) = case.key(key) {
            command.arg(format!("{option}={value}"));
        }
    }
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("blitz should start: {e}"))?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr)))?;
    let violations = report["violations"].as_array().ok_or("no violation was found")?;
    let wanted = match case.key("native") {
        Some("none") => "interpreter",
        Some("stub") => "native-stub",
        _ => "native",
    };
    for v in violations {
        if v["confirmed"] != wanted {
            return Err(format!("{} at {}: {} ({})", v["kind"], v["line"], v["confirmed"], v["native"]["reason"]));
        }
        if wanted != "interpreter" && v["native"]["report"]["line"] != v["line"] {
            return Err(format!("{} at {}, natively at {}", v["kind"], v["line"], v["native"]["report"]["line"]));
        }
        if wanted == "interpreter" && v["native"]["reason"].as_str().is_none_or(str::is_empty) {
            return Err("a violation that no sanitizer sees should say why".to_owned());
        }
    }
    Ok(())
}
