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
    check_with(case, &[])
}

fn check_with(case: &Case, options: &[&str]) -> Result<(), String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.arg("check").arg("--no-native").arg("--out").arg(out.path());
    command.args(["--engine", "compositional", "--first", "--format", "json", "--timeout", "300s"]);
    command.args(options);
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

/// The report of a program under `tests/c/compositional`, with further options.
fn report(name: &str, options: &[&str]) -> serde_json::Value {
    let out = tempfile::tempdir().expect("a folder should be made");
    let path = common::root().join("tests/c/compositional").join(name);
    let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "--engine", "compositional", "--no-native", "--format", "json", "--timeout", "60s"])
        .args(options)
        .arg("--out")
        .arg(out.path())
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start");
    serde_json::from_slice(&output.stdout).expect("a report should be JSON")
}

fn counter(report: &serde_json::Value, name: &str) -> u64 {
    report["stats"]["counters"][name].as_u64().expect("a counter should be a number")
}

fn conditions(report: &serde_json::Value) -> Vec<(String, String)> {
    let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_owned();
    let chain = report["violation"]["preconditions"].as_array().expect("a chain should be a list");
    chain.iter().map(|c| (text(&c["function"]), text(&c["condition"]))).collect()
}

/// The paper's first example, exact and under-approximated: one segment for `bar`, one for `main` (with `foo`, which is tiny, in
/// it), none for `baz` and `qux`; a condition over `b` alone that `b < 'b'` implies, one over the input alone that `a < 'a'`
/// implies.
#[test]
fn figure_1_needs_two_segments_and_one_variable_each() {
    for exact in ["30000", "0"] {
        let report = report("figure-1.c", &["--property", "bar.assertion.1", "--exact", exact]);
        let expected = [("bar", "b + 2 < 'd'"), ("main", "nondet_uchar + 3 < 'd'")];
        assert_eq!(conditions(&report), expected.map(|(f, c)| (f.to_owned(), c.to_owned())));
        assert_eq!(counter(&report, "claims"), 2, "segments");
        assert_eq!(report["violation"]["confirmed"], "interpreter");
    }
}

/// The column of the paper's Figure 2(b), from the assertion backwards: a condition at each statement that matters, and a dash at each that
/// is passed over. `if (e == 1) d = c;` is two ways to the assertion, of which this is one.
#[test]
fn figure_2_has_a_condition_for_each_statement() {
    let report = report("figure-1.c", &["--property", "bar.assertion.1", "--granularity", "1"]);
    let chain = report["violation"]["preconditions"].as_array().expect("a chain should be a list");
    let lines: Vec<u64> = chain.iter().map(|c| c["line"].as_u64().unwrap_or(0)).collect();
    let expected = [
        ("bar", "d < 'd'"),
        ("bar", "e != 1 and d < 'd'"),
        ("bar", "-"),
        ("bar", "d < 'd'"),
        ("bar", "b + 2 < 'd'"),
        ("main", "b + 2 < 'd'"),
        ("main", "-"),
        ("main", "a + 3 < 'd'"),
        ("main", "nondet_uchar + 3 < 'd'"),
    ];
    assert_eq!(conditions(&report), expected.map(|(f, c)| (f.to_owned(), c.to_owned())));
    assert_eq!(lines, [30, 27, 26, 25, 23, 37, 36, 35, 33]);
    assert_eq!(report["violation"]["confirmed"], "interpreter");
}

/// Cut into pieces of any size, a program has the bugs it has.
#[test]
fn fragments_find_what_functions_find() {
    let cases = common::cases("compositional");
    for name in ["dangling-global", "handle-table", "long-argument", "recursive-allocation", "weakenings"] {
        let case =
            cases.iter().find(|c| c.path.file_stem().is_some_and(|s| s == name)).expect("a program of that name");
        for size in ["1", "3", "20"] {
            check_with(case, &["--granularity", size]).unwrap_or_else(|e| panic!("{name} at {size}: {e}"));
        }
    }
}

#[test]
fn narrow_preconditions_are_weakened_until_one_can_be_reached() {
    let options = |weakening| ["--property", "use.assertion.1", "--exact", "0", "--weakening", weakening];
    let lazy = report("weakenings.c", &options("lazy"));
    assert_eq!((&lazy["verdict"], counter(&lazy, "weakenings")), (&"violation".into(), 10));
    let eager = report("weakenings.c", &options("eager:12"));
    assert_eq!((&eager["verdict"], counter(&eager, "weakenings")), (&"violation".into(), 0));
}

/// Segments of the handler with the bug, of what calls it, and of `main` up to each of its two calls, once more with the call in it
/// that sets the state: nothing of the other ninety-eight handlers is encoded.
#[test]
fn a_bug_in_one_of_a_hundred_handlers_opens_two_of_them() {
    let report = report("hundred-handlers.c", &["--property", "on_77.assertion.1"]);
    assert_eq!((&report["verdict"], counter(&report, "claims")), (&"violation".into(), 5));
}

/// It was: a state that waited in the loop was taken for one that had come back unchanged when it was run on, and dropped.
#[test]
fn a_loop_that_waits_is_not_taken_for_one_that_came_back() {
    let out = tempfile::tempdir().expect("a folder should be made");
    let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "--engine", "incremental", "--no-native", "--format", "json", "--timeout", "8s", "--out"])
        .arg(out.path())
        .arg(common::root().join("tests/c/compositional/sections.c"))
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report should be JSON");
    assert!(report["verdict"] != "safe", "there is a violation after ninety pieces");
}

/// A copy that is told no size is taken up before writes, whatever their order in the program.
#[test]
fn where_memory_is_most_likely_overrun_is_looked_at_first() {
    let out = tempfile::tempdir().expect("a folder should be made");
    let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args([
            "check",
            "--engine",
            "compositional",
            "--no-native",
            "--checks",
            "memory",
            "--first",
            "--tactics=-probes",
            "--verbose",
            "--out",
        ])
        .arg(out.path())
        .arg(common::root().join("tests/c/compositional/copy-among-writes.c"))
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let searches: Vec<&str> = told.lines().filter(|l| l.contains(" search at bound ")).collect();
    assert!(searches.first().is_some_and(|l| l.starts_with("keep.buffer-overflow.1")), "{searches:?}");
}

/// Two threads share the properties, or the scopes of a single one.
#[test]
fn two_threads_find_what_one_finds() {
    let names = |report: &serde_json::Value| {
        let rows = report["properties"].as_array().expect("properties should be a list");
        let violated = rows.iter().filter(|r| r["status"] == "violated");
        violated.map(|r| r["id"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for (name, options) in
        [("copy-among-writes.c", &["--checks", "memory"][..]), ("figure-1.c", &["--property", "bar.assertion.1"])]
    {
        let one = names(&report(name, options));
        let two = names(&report(name, &[options, &["--jobs", "2"]].concat()));
        assert!(!one.is_empty(), "{name} has a bug");
        assert_eq!(one, two, "{name}");
    }
}

/// A pointer in memory is bytes of an object's number and bytes of an offset; the reader sees a pointer.
#[test]
fn a_condition_on_a_pointer_in_memory_is_told_as_one() {
    let report = report("requests.c", &["--property", "open_folder.double-free.1", "--checks", "memory"]);
    let chain = conditions(&report);
    let (function, condition) = chain.first().expect("there should be a condition");
    assert_eq!(function, "open_folder");
    for part in ["*folder was freed", "complaint == NULL", "user != NULL"] {
        assert!(condition.contains(part), "{condition}");
    }
    assert!(!condition.contains("folder == 0"), "its offset is not the pointer: {condition}");
}
