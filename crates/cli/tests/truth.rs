//! Verdicts held against the truth: random programs with inputs and library calls, each run natively on every input (`bench/truth`).

mod common;

use std::process::Command;

#[test]
fn verdicts_on_random_programs_are_true() {
    let output = Command::new("python3")
        .arg(common::root().join("bench/truth"))
        .args(["--count", "30", "--jobs", "2", "--timeout", "60", "--blitz", env!("CARGO_BIN_EXE_blitz")])
        .output()
        .expect("python3 should start (make deps-test installs it)");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains(" 0 wrong"), "{said}");
}
