//! The same command finds the same thing on a quiet and on a busy machine: reports are equal but for seconds and memory. `bench/determinism` asks the same of
//! all programs.

mod common;

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Programs with an engine whose search is cut into parts by the work it does.
const SAMPLE: [(&str, &str, &[&str]); 7] = [
    ("compositional/requests.c", "compositional", &["--checks", "memory", "--property", "open_folder.double-free.1"]),
    ("compositional/hundred-handlers.c", "auto", &["--property", "on_77.assertion.1"]),
    ("assertion/state-machine.bug.c", "incremental", &[]),
    ("assertion/state-machine.bug.c", "stratified", &[]),
    ("assertion/state-machine.bug.c", "bmc", &["--unwind", "6"]),
    ("buffer-overflow/underflow.bug.c", "explore", &[]),
    ("buffer-overflow/underflow.bug.c", "auto", &["--first"]),
];

/// The report without what the machine's load changes.
fn report(program: &str, engine: &str, more: &[&str], folder: &std::path::Path) -> serde_json::Value {
    let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "--engine", engine, "--no-native", "--format", "json", "--out"])
        .arg(folder)
        .args(more)
        .arg(common::root().join("tests/c").join(program))
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start");
    let mut report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report should be JSON");
    forget_times(&mut report);
    report
}

fn forget_times(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(members) => {
            members.retain(|name, _| !["seconds", "solver_seconds", "memory_bytes"].contains(&name.as_str()));
            members.values_mut().for_each(forget_times);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(forget_times),
        serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::String(_) => {}
    }
}

/// Runs `work` while two cores have something else to do.
fn beside_busy_loops<T>(work: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let result = work();
        done.store(true, Ordering::Relaxed);
        result
    })
}

#[test]
fn every_engine_is_in_the_sample() {
    for engine in blitz_engines::Engine::ALL {
        assert!(SAMPLE.iter().any(|(_, name, _)| *name == engine.name()), "{} is not", engine.name());
    }
}

#[test]
fn a_busy_machine_finds_the_same() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    for (program, engine, more) in SAMPLE {
        let quiet = report(program, engine, more, &folder.path().join("out"));
        let busy = beside_busy_loops(|| report(program, engine, more, &folder.path().join("out")));
        assert_eq!(quiet, busy, "{program} with {engine} should come out the same beside busy loops");
    }
}
