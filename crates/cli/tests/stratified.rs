//! The stratified engine: its own programs, with every call left open at first, and the corpus, in which it contradicts nobody.
//!
//! Quick runs take the first pair of each kind, `BLITZ_TEST_LONG=1` takes all programs.

mod common;

use common::Case;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

const KINDS: &[&str] = &[
    "assertion",
    "array-bounds",
    "buffer-overflow",
    "null-deref",
    "use-after-free",
    "use-after-scope",
    "double-free",
    "invalid-free",
    "memory-leak",
    "uninitialised",
    "signed-overflow",
    "unsigned-overflow",
    "shift",
    "div-by-zero",
    "pointer-overflow",
    "unreachable",
    "unwinding",
    "inputs",
    "papers",
    "compositional",
    "regress",
];
const QUICK: usize = 2;
/// How often loops are run where a program does not say.
const BOUND: &str = "6";

/// What a call may do is never more than what was allowed for it: each program is about one way to do something.
#[test]
fn effects_of_open_calls_are_not_missed() {
    let cases = common::cases("stratified");
    common::for_all(&cases, |case| {
        let report = check(case, &["--inline", "0"])?;
        let wanted = case.key("verdict").unwrap_or("?");
        if report["verdict"] != wanted {
            return Err(format!("{} ({}), not {wanted}", report["verdict"], report["reason"]));
        }
        let found: Vec<(u32, String)> = report["violations"].as_array().into_iter().flatten().map(place).collect();
        if found == case.marks { Ok(()) } else { Err(format!("found {found:?}, marked {:?}", case.marks)) }
    });
}

/// A program of the corpus is never said to be safe if it has a violation, nor the other way round.
#[test]
fn nothing_in_the_corpus_is_contradicted() {
    for inline in ["0", "60"] {
        for kind in KINDS {
            let mut cases = common::cases(kind);
            cases.retain(|c| c.key("known-bug").is_none() && (common::long() || c.key("slow").is_none()));
            if !common::long() {
                cases.truncate(QUICK);
            }
            common::for_all(&cases, |case| agrees(case, &["--inline", inline]));
        }
    }
}

fn agrees(case: &Case, options: &[&str]) -> Result<(), String> {
    let report = check(case, options)?;
    let (verdict, wanted) = (report["verdict"].as_str().unwrap_or("?"), case.key("verdict").unwrap_or("?"));
    let fits = match wanted {
        "violation" => verdict != "safe",
        "safe" => verdict != "violation",
        // With the bound that the program names.
        _ => matches!(verdict, "bounded" | "unknown"),
    };
    let found: Vec<(u32, String)> = report["violations"].as_array().into_iter().flatten().map(place).collect();
    let surplus = found.iter().any(|f| !case.marks.contains(f));
    if fits && !surplus { Ok(()) } else { Err(format!("{verdict} {found:?}, not {wanted} {:?}", case.marks)) }
}

fn place(violation: &Value) -> (u32, String) {
    (violation["line"].as_u64().unwrap_or(0) as u32, violation["kind"].as_str().unwrap_or("?").to_owned())
}

fn check(case: &Case, options: &[&str]) -> Result<Value, String> {
    let mut all: Vec<String> = options.iter().map(|o| (*o).to_owned()).collect();
    for (key, option) in [("checks", "--checks"), ("flags", "--cflags"), ("alloc", "--alloc")] {
        all.extend(case.key(key).map(|value| format!("{option}={value}")));
    }
    all.push(format!("--unwind={}", case.key("unwind").unwrap_or(BOUND)));
    stratified(&case.path, &all)
}

fn stratified(path: &Path, options: &[String]) -> Result<Value, String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.args(["check", "--no-native", "--engine", "stratified", "--format", "json", "--timeout", "60s"]);
    command.arg("--out").arg(out.path()).args(options).arg(path).stdin(Stdio::null());
    let output = command.output().map_err(|e| format!("blitz should start: {e}"))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr)))
}

fn check_text(text: &str, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder for the program");
    let path = folder.path().join("program.c");
    std::fs::write(&path, text).expect("the program should be written");
    let options: Vec<String> = options.iter().map(|o| (*o).to_owned()).collect();
    stratified(&path, &options).expect("a report")
}

fn counter(report: &Value, name: &str) -> u64 {
    report["stats"]["counters"][name].as_u64().unwrap_or_else(|| panic!("there should be a counter {name}"))
}

const IRRELEVANT: &str = "
static unsigned table[64], seed = 1;

static unsigned mix(unsigned x) {
  for (int i = 0; i < 64; i++) {
    x = x * 1664525u + 1013904223u;
    table[i] ^= x;
    seed += x ^ table[(i * 7) % 64];
  }
  return x;
}

static int balance = 10;

int main(void) {
  if (mix(__VERIFIER_nondet_uint()) % 2)
    balance += 5;
  __VERIFIER_assert(balance == 10 || balance == 15);
  return 0;
}
";

/// Sixty-four rounds of a function are not unwound for an assertion that does not care what it computes.
#[test]
fn an_irrelevant_function_is_never_opened() {
    let report = check_text(IRRELEVANT, &["--property", "main.assertion.1"]);
    assert_eq!(report["verdict"], "safe", "{report:#}");
    assert_eq!((counter(&report, "inlined"), counter(&report, "left_open"), counter(&report, "rounds")), (0, 1, 1));
    let note = "the stratified engine inlined 0 of 1 calls; of `mix` only what a call may write was needed";
    assert_eq!(report["notes"][0], note);
}

/// The other function's own properties need it opened, and its loop needs the bound.
#[test]
fn a_bound_inside_a_call_counts_for_whom_it_matters() {
    let report = check_text(IRRELEVANT, &["--unwind", "4"]);
    assert_eq!(report["verdict"], "bounded", "{report:#}");
    let status = |id: &str| {
        let all = report["properties"].as_array().into_iter().flatten();
        all.clone().find(|p| p["id"] == id).map(|p| p["status"].clone()).unwrap_or_default()
    };
    assert_eq!(status("main.assertion.1"), "proved");
    assert_eq!(status("mix.array-bounds.1"), "bounded");
}

/// The first abstract counterexample hangs on `over` alone; opened, on what `raise_level` left behind.
#[test]
fn a_second_round_of_opening_is_made() {
    let path = common::root().join("tests/c/stratified/second-round.safe.c");
    let options = ["--inline=0", "--unwind=5", "--property=main.assertion.1"].map(str::to_owned);
    let report = stratified(&path, &options).expect("a report");
    assert_eq!(report["verdict"], "safe", "{report:#}");
    assert_eq!((counter(&report, "inlined"), counter(&report, "left_open"), counter(&report, "rounds")), (2, 0, 3));
}

/// A call that may jump away is always looked into: what happens after the jump counts.
#[test]
fn a_jump_out_of_a_call_is_followed() {
    let text = "
#include <setjmp.h>
static jmp_buf back;
static void away(int n) { if (n > 3) longjmp(back, n); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  int code = setjmp(back);
  if (code) {
    __VERIFIER_assert(code > LIMIT);
    return 1;
  }
  away(n);
  return 0;
}
";
    let bug = check_text(&text.replace("LIMIT", "4"), &["--inline", "0"]);
    assert_eq!(bug["verdict"], "violation", "{bug:#}");
    let safe = check_text(&text.replace("LIMIT", "3"), &["--inline", "0"]);
    assert_eq!(safe["verdict"], "safe", "{safe:#}");
}

/// What a function without a body is taken to do is told, though nobody looked into the call.
#[test]
fn a_function_without_a_body_behind_a_call_is_named() {
    let text = "
void elsewhere(int);
static void tell(int n) { elsewhere(n); }
int main(void) {
  int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
  __VERIFIER_assume(a < b);
  tell(a);
  __VERIFIER_assert(a != b);
  return 0;
}
";
    let report = check_text(text, &["--inline", "0", "--property", "main.assertion.1"]);
    assert_eq!(report["verdict"], "safe", "{report:#}");
    let notes: Vec<&str> = report["notes"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    assert!(notes.iter().any(|n| n.starts_with("`elsewhere` has neither a body nor a library model")), "{notes:?}");
}

/// The incremental engine is cut off in a loop that does not matter; the stratified one proves the property without it.
#[test]
fn auto_asks_the_stratified_engine_where_the_incremental_one_is_cut_off() {
    let folder = tempfile::tempdir().expect("a folder for the program");
    let path = folder.path().join("program.c");
    let text = IRRELEVANT.replace("i < 64; i++", "x % 7; i = (i + 1) % 64");
    assert_ne!(text, IRRELEVANT);
    std::fs::write(&path, text).expect("the program should be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.args(["check", "--no-native", "--format", "json", "--unwind", "3", "--property", "main.assertion.1"]);
    let output = command.arg(&path).current_dir(folder.path()).stdin(Stdio::null()).output().expect("blitz starts");
    let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!(report["verdict"], "safe", "{report:#}");
    let runs: Vec<(&str, &str)> = report["engines"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|e| Some((e["engine"].as_str()?, e["verdict"].as_str()?)))
        .collect();
    assert_eq!(runs, [("incremental", "bounded"), ("stratified", "safe")]);
    assert_eq!(report["properties"][0]["engine"], "stratified");
    assert_eq!(report["notes"][0], "engines asked: incremental, stratified");
}

/// Several threads come to the same answers as one.
#[test]
fn threads_share_the_properties() {
    let statuses = |path: &Path, engine: &str, jobs: &str| -> Vec<(String, String)> {
        let out = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
        command.args(["check", "--no-native", "--format", "json", "--unwind", "5", "--inline", "0", "--jobs", jobs]);
        command.args(["--engine", engine, "--out"]).arg(out.path()).arg(path).stdin(Stdio::null());
        let output = command.output().expect("blitz starts");
        let report: Value = serde_json::from_slice(&output.stdout).expect("a report");
        let rows = report["properties"].as_array().into_iter().flatten();
        rows.map(|p| (p["id"].to_string(), p["status"].to_string())).collect()
    };
    for name in ["second-round.bug.c", "frees.bug.c", "recursion.safe.c"] {
        let path = common::root().join("tests/c/stratified").join(name);
        for engine in ["bmc", "stratified"] {
            let (one, three) = (statuses(&path, engine, "1"), statuses(&path, engine, "3"));
            assert!(!one.is_empty());
            assert_eq!(one, three, "{name} {engine}");
        }
    }
}
