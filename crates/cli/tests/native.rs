//! The corpus held against the sanitizers: each safe twin runs clean. That each bug dies at its line is what `kits`
//! shows.
//!
//! Quick runs take the first program of each kind; `BLITZ_TEST_LONG=1` (or `make test-long`) takes them all.

#[macro_use]
mod common;

use common::Case;
use std::process::{Command, Output, Stdio};

kinds!(topic);

fn topic(name: &str) {
    let mut cases = common::cases(name);
    cases.retain(|c| !c.is_bug());
    if !common::long() {
        cases.truncate(1);
    }
    common::for_all(&cases, |case| compare(case, name));
}

fn compare(case: &Case, kind: &str) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let program = folder.path().join("program");
    let support = common::root().join("tests/c/support/nondet.c");
    let build = Command::new("clang-19")
        .args(["-g", "-O0", "-w", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all", "-fstrict-flex-arrays=1"])
        .args(sanitizers(kind))
        .args(case.key("flags").unwrap_or("").split_whitespace())
        .arg(&case.path)
        .arg(&support)
        .arg("-o")
        .arg(&program)
        .output()
        .map_err(|e| format!("clang-19 should start: {e}"))?;
    if !build.status.success() {
        return Err(format!("the native build failed:\n{}", String::from_utf8_lossy(&build.stderr)));
    }
    let run = Command::new(&program)
        .args(case.key("args").unwrap_or("").split_whitespace())
        .env("BLITZ_INPUTS", case.key("inputs").unwrap_or(""))
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("the native build should start: {e}"))?;
    judge(&run)
}

fn sanitizers(kind: &str) -> &'static [&'static str] {
    match kind {
        "memory-leak" => &["-fsanitize=leak"],
        "uninitialised" => &["-fsanitize=memory"],
        "unsigned-overflow" => &["-fsanitize=undefined,unsigned-integer-overflow"],
        _ => &["-fsanitize=address,undefined"],
    }
}

fn judge(run: &Output) -> Result<(), String> {
    if run.status.success() {
        return Ok(());
    }
    Err(format!("should run clean ({}):\n{}", run.status, String::from_utf8_lossy(&run.stderr)))
}
