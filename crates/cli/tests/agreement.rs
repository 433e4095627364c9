//! Engines against each other: on programs made at random (`common::generate`, fixed seeds) and, all of `Engine::ALL`, on the corpus.
//!
//! Quick runs take a few programs, `BLITZ_TEST_LONG=1` takes 500. With the same bound the verdicts are the same. Without a bound
//! the incremental engine finds what bmc finds, proves what bmc proves, and comes to some end where bmc is cut off. The stratified engine
//! leaves every call open at first; a loop in a call that stays open needs no bound, so it may prove what bmc is cut off in.

mod common;

use common::generate;
use std::path::Path;
use std::process::{Command, Stdio};

const QUICK: u64 = 10;
const LONG: u64 = 500;
const BOUND: &str = "5";
const DEEPER: &str = "16";

#[test]
fn engines_agree_on_generated_programs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("agreement");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let seeds: Vec<u64> = (1..=if common::long() { LONG } else { QUICK }).collect();
    let failed = common::in_parallel(&seeds, |seed| compare(*seed, &folder));
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), seeds.len(), failed.join("\n"));
}

/// On every program of the corpus (some of them, unless `BLITZ_TEST_LONG=1`): no engine contradicts the program's verdict, and the incremental engine
/// without a bound finds what bmc finds at the bound that the program names, or at a few.
#[test]
fn engines_agree_on_the_corpus() {
    let every = if common::long() { 1 } else { 25 };
    let cases: Vec<common::Case> = common::all_cases().into_iter().step_by(every).collect();
    let failed = common::in_parallel(&cases, |case| no_engine_contradicts(case).and_then(|()| agrees(case)));
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// Asks about a program of the corpus as its directives say.
fn ask(case: &common::Case, more: &[&str]) -> Result<String, String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut options: Vec<String> = vec!["--memory=3G".into(), format!("--out={}", out.path().display())];
    for (key, option) in [("checks", "--checks"), ("flags", "--cflags"), ("alloc", "--alloc")] {
        options.extend(case.key(key).map(|value| format!("{option}={value}")));
    }
    let all: Vec<&str> = options.iter().map(String::as_str).chain(more.iter().copied()).collect();
    verdict(&case.path, &all)
}

/// Every engine says what the program's verdict is, or less.
fn no_engine_contradicts(case: &common::Case) -> Result<(), String> {
    let wanted = case.key("verdict").unwrap_or("?");
    for engine in blitz_engines::Engine::ALL {
        let name = engine.name();
        let bound = case.key("unwind").map(|k| format!("--unwind={k}"));
        let mut options = vec!["--engine", name, "--timeout=20s"];
        options.extend(bound.as_deref());
        let said = ask(case, &options)?;
        let right = match said.as_str() {
            "safe" => wanted != "violation",
            "violation" => wanted == "violation" || case.key("known-bug").is_some(),
            "bounded" | "unknown" => true,
            other => return Err(format!("{}: {name} says `{other}`", case.path.display())),
        };
        if !right {
            return Err(format!("{}: {name} says {said}, the program is marked {wanted}", case.path.display()));
        }
    }
    Ok(())
}

fn agrees(case: &common::Case) -> Result<(), String> {
    let incremental = ask(case, &["--engine", "incremental", "--timeout=60s"])?;
    let bounds: Vec<&str> = case.key("unwind").map_or(vec!["2", "12", "70"], |k| vec![k]);
    for bound in bounds {
        let bmc = ask(case, &["--engine", "bmc", "--timeout=60s", "--unwind", bound])?;
        let compatible = match bmc.as_str() {
            "violation" => incremental == "violation",
            "safe" => incremental != "violation",
            "bounded" | "unknown" => true,
            other => return Err(format!("{}: bmc says `{other}`", case.path.display())),
        };
        if !compatible {
            return Err(format!("{}: bmc at {bound} {bmc}, incremental {incremental}", case.path.display()));
        }
        if bmc != "bounded" {
            break;
        }
    }
    Ok(())
}

#[test]
fn a_seed_always_gives_the_same_program() {
    assert_eq!(generate::program(7), generate::program(7));
    assert_ne!(generate::program(7), generate::program(8));
}

fn compare(seed: u64, folder: &Path) -> Result<(), String> {
    let source = folder.join(format!("{seed}.c"));
    std::fs::write(&source, generate::program(seed)).map_err(|e| e.to_string())?;
    let bmc = verdict(&source, &["--engine", "bmc", "--unwind", BOUND])?;
    let bounded = seed.is_multiple_of(2);
    let options: &[&str] = if bounded { &["--unwind", BOUND] } else { &["--timeout", "600s"] };
    let incremental = verdict(&source, &[&["--engine", "incremental"], options].concat())?;
    let agree = match (bmc.as_str(), incremental.as_str()) {
        ("violation" | "safe", _) => incremental == bmc,
        ("bounded", _) if bounded => incremental == bmc,
        // What was proved for all depths holds at a greater one.
        ("bounded", "safe") => verdict(&source, &["--engine", "bmc", "--unwind", DEEPER])? != "violation",
        ("bounded", _) => incremental != "unknown",
        _ => false,
    };
    let stratified = verdict(&source, &["--engine", "stratified", "--inline", "0", "--unwind", BOUND])?;
    let proved = bmc == "bounded" && stratified == "safe";
    if agree && (stratified == bmc || proved) {
        return Ok(());
    }
    Err(format!("seed {seed}: bmc {bmc}, incremental {incremental}, stratified {stratified}"))
}

fn verdict(source: &Path, options: &[&str]) -> Result<String, String> {
    let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "--no-native", "--format", "json"])
        .args(options)
        .arg(source)
        .current_dir(source.parent().expect("a program lies in a folder"))
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("blitz should start: {e}"))?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok(report["verdict"].as_str().unwrap_or("?").to_owned())
}
