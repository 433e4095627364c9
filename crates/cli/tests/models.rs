//! Library models in three ways: natively, in the interpreter, symbolically. A sample of what `bench/models` runs whole; and programs without inputs, for which
//! `blitz run` and `blitz check` must say the same.

mod common;

use std::process::{Command, Stdio};

/// A few functions by their types, and scenarios of each file of bench/drivers.
const SAMPLE: &str = "strtoul|strncpy|ldexp|wcscmp|islower|mblen|wide.wide_file|stdio.scans_of_texts|memory.locales|system.quick_exit.*|threads.semaphores";

#[test]
fn a_sample_of_the_models_agrees_with_glibc() {
    let output = Command::new("python3")
        .arg(common::root().join("bench/models"))
        .args(["--blitz", env!("CARGO_BIN_EXE_blitz")])
        .args(["--only", SAMPLE])
        .output()
        .expect("python3 should run");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("undeclared differences: none"), "{text}");
}

/// Whether a program asks for anything from outside.
fn takes_inputs(text: &str) -> bool {
    let asks = [
        "nondet", "argc", "argv", "stdin", "getenv", "scanf", "time(", "malloc", "alloc(", "strdup", "fopen", "open(",
        "socket", "rand(",
    ];
    asks.iter().any(|word| text.contains(word))
}

/// A program without inputs has one run: a violation there is one here, and the other way around.
#[test]
fn run_and_check_agree_without_inputs() {
    let mut cases = Vec::new();
    for topic in ["library", "assertion", "array-bounds", "uninitialised", "signed-overflow"] {
        let all = common::cases(topic).into_iter();
        let plain = all.filter(|c| {
            let text = std::fs::read_to_string(&c.path).unwrap_or_default();
            !takes_inputs(&text)
                && ["flags", "checks", "unwind", "slow", "known-bug"].iter().all(|k| c.key(k).is_none())
        });
        cases.extend(plain.take(if common::long() { usize::MAX } else { 6 }));
    }
    assert!(cases.len() >= 12, "there should be programs without inputs");
    common::for_all(&cases, |case| {
        let out = tempfile::tempdir().map_err(|e| e.to_string())?;
        let code = |args: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
            command.args(args).arg(&case.path).current_dir(out.path()).stdin(Stdio::null());
            command.output().map(|o| o.status.code()).map_err(|e| format!("blitz should start: {e}"))
        };
        let ran = code(&["run"])? == Some(10);
        let checked = code(&["check", "--no-native", "--quiet", "--out", "out"])?;
        match (ran, checked) {
            (true, Some(10)) | (false, Some(0)) => Ok(()),
            (ran, checked) => Err(format!("{}: run says {ran}, check exits with {checked:?}", case.path.display())),
        }
    });
}
