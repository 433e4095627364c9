//! Programs with threads through `blitz run`: every schedule of the corpus shows what the marks say, and nothing in the safe twins; schedules drawn at random never show
//! what the search over all of them does not; what was recorded runs again. `blitz check` agrees with all of it, whichever way it makes threads sequential.

mod common;

use common::{Case, threads};
use serde_json::Value;
use std::path::Path;

const QUICK: u64 = 10;
const LONG: u64 = 500;
/// Programs on which `check` is held against every schedule, quickly; `bench/threads-agree` does it for as many as there is time for.
const AGREE: u64 = 16;
/// Programs on which the two sequentializations are held against each other, quickly.
const BOTH: u64 = 8;
/// Rounds for both.
const ROUNDS: &str = "3";
/// Schedules drawn for each generated program.
const DRAWN: u64 = 2;

#[test]
fn every_schedule_of_the_corpus_is_as_marked() {
    common::for_all(&common::cases("threads"), |case| {
        let path = case.path.display().to_string();
        let mut args = vec!["run", "--format=json", "--schedule=all", &path];
        if let Some(checks) = case.key("checks") {
            args.extend(["--checks", checks]);
        }
        let report = report(&args)?;
        complete(&report)?;
        let found = found(&report);
        if let Some(wrong) = found.iter().find(|f| !case.marks.contains(f)) {
            return Err(format!("{wrong:?} is not marked"));
        }
        match (case.is_bug(), found.is_empty()) {
            (true, true) => Err("nothing was found".to_owned()),
            (_, _) => Ok(()),
        }
    });
}

#[test]
fn a_recorded_schedule_runs_again() {
    // Whether a wait ends by itself is an input, which a schedule does not hold.
    let waits = |case: &Case| std::fs::read_to_string(&case.path).is_ok_and(|text| text.contains("cond_wait"));
    let bugs = common::cases("threads").into_iter().filter(|c| c.is_bug() && !waits(c));
    let bugs: Vec<Case> = bugs.step_by(3).collect();
    common::for_all(&bugs, |case| {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let file = folder.path().join("schedule").display().to_string();
        let path = case.path.display().to_string();
        let checks = case.key("checks").map(|c| format!("--checks={c}"));
        let more: Vec<&str> = checks.as_deref().into_iter().collect();
        let save = ["run", "--schedule=all", "--save-schedule", &file, &path];
        common::blitz(&common::root(), &[&save[..], &more[..]].concat());
        let again = ["run", "--format=json", "--schedule", &file, &path];
        let report = report(&[&again[..], &more[..]].concat())?;
        let violation = &report["violation"];
        let line = violation["line"].as_u64().unwrap_or(0) as u32;
        let kind = violation["kind"].as_str().unwrap_or("?").to_owned();
        if !case.marks.contains(&(line, kind.clone())) {
            return Err(format!("{} {kind} at line {line} the second time", report["outcome"]));
        }
        Ok(())
    });
}

#[test]
fn drawn_schedules_show_nothing_else_in_generated_programs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("threads");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let seeds: Vec<u64> = (1..=if common::long() { LONG } else { QUICK }).collect();
    let failed = common::in_parallel(&seeds, |seed| drawn(*seed, &folder));
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), seeds.len(), failed.join("\n"));
}

/// Passing over points that make no difference loses nothing and adds nothing: the corpus and generated programs, with races looked for and without.
#[test]
fn reduced_schedules_show_what_all_schedules_show() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("threads-reduced");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let seeds: Vec<u64> = (1..=if common::long() { LONG } else { QUICK }).collect();
    let few = "--checks=assertion,deadlock,mutex-misuse";
    let generated = |seed: &u64| {
        let path = folder.join(format!("t{seed}.c"));
        std::fs::write(&path, threads::program(*seed)).map_err(|e| e.to_string())?;
        let path = path.display().to_string();
        let more = [few];
        reduces(&path, if seed.is_multiple_of(2) { &more } else { &[] })
    };
    let failed = common::in_parallel(&seeds, generated);
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), seeds.len(), failed.join("\n"));
    common::for_all(&common::cases("threads"), |case| {
        let checks: Vec<String> = case.key("checks").map(|c| format!("--checks={c}")).into_iter().collect();
        let checks: Vec<&str> = checks.iter().map(String::as_str).collect();
        reduces(&case.path.display().to_string(), &checks)
    });
}

fn reduces(path: &str, more: &[&str]) -> Result<(), String> {
    let with = |schedule: &str| report(&[&["run", "--format=json", schedule, path][..], more].concat());
    let (all, reduced) = (with("--schedule=all")?, with("--schedule=reduced")?);
    complete(&all).and_then(|()| complete(&reduced)).map_err(|why| format!("{path}: {why}"))?;
    let sorted = |report: &Value| found(report).into_iter().collect::<std::collections::BTreeSet<_>>();
    match sorted(&all) == sorted(&reduced) {
        true => Ok(()),
        false => Err(format!("{path}: every schedule shows {:?}, the reduced ones {:?}", found(&all), found(&reduced))),
    }
}

/// A deadlock, an assertion and memory that is gone: each needs the schedule to be followed natively.
#[test]
fn kits_make_threads_go_as_the_schedule_says() {
    let names = ["lock-order.bug.c", "lost-update.bug.c", "use-after-free.bug.c"];
    let cases = common::cases("threads").into_iter().filter(|c| names.contains(&c.file_name().as_str()));
    common::for_all(&cases.collect::<Vec<Case>>(), |case| {
        let out = tempfile::tempdir().map_err(|e| e.to_string())?;
        let (path, folder) = (case.path.display().to_string(), format!("--out={}", out.path().display()));
        let checks = case.key("checks").map(|c| format!("--checks={c}"));
        let more: Vec<&str> = checks.as_deref().into_iter().collect();
        let report = report(&[&["check", "--first", "--format=json", &folder, &path][..], &more[..]].concat())?;
        let violation = &report["violation"];
        match violation["confirmed"].as_str() {
            Some("native") => Ok(()),
            _ => Err(format!("{}: {} {}", report["verdict"], violation["kind"], violation["native"])),
        }
    });
}

fn drawn(seed: u64, folder: &Path) -> Result<(), String> {
    let path = folder.join(format!("t{seed}.c"));
    std::fs::write(&path, threads::program(seed)).map_err(|e| e.to_string())?;
    let path = path.display().to_string();
    let checks = "--checks=assertion,deadlock,mutex-misuse";
    let all = report(&["run", "--format=json", "--schedule=all", checks, &path])?;
    complete(&all).map_err(|why| format!("{path}: {why}"))?;
    let known = found(&all);
    for draw in 1..=DRAWN {
        let number = format!("--seed={draw}");
        let one = report(&["run", "--format=json", "--schedule=random", &number, checks, &path])?;
        let line = one["violation"]["line"].as_u64().unwrap_or(0) as u32;
        let kind = one["violation"]["kind"].as_str().unwrap_or_default().to_owned();
        if one["outcome"] == "violation" && !known.contains(&(line, kind.clone())) {
            return Err(format!("{path}: {kind} at line {line} with seed {draw}, not among {known:?}"));
        }
    }
    Ok(())
}

#[test]
fn checking_the_corpus_says_what_is_marked() {
    common::for_all(&common::cases("threads"), |case| {
        let out = tempfile::tempdir().map_err(|e| e.to_string())?;
        let (out, path) = (format!("--out={}", out.path().display()), case.path.display().to_string());
        let mut args = vec!["check", "--format=json", "--no-native", "--timeout=60s", &out, &path];
        if let Some(checks) = case.key("checks") {
            args.extend(["--checks", checks]);
        }
        let report = report(&args)?;
        let found = found(&report);
        if let Some(wrong) = found.iter().find(|f| !case.marks.contains(f)) {
            return Err(format!("{wrong:?} is not marked"));
        }
        let verdict = report["verdict"].as_str().unwrap_or("?");
        match (case.is_bug(), verdict) {
            (true, "violation") | (false, "safe") => Ok(()),
            (_, _) => Err(format!("{verdict}: {}", report["reason"])),
        }
    });
}

/// Checking says what running every schedule says: the same verdict, and nothing that no schedule shows.
#[test]
fn checking_agrees_with_every_schedule_of_generated_programs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("threads-agree");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let seeds: Vec<u64> = (1..=if common::long() { LONG } else { AGREE }).collect();
    let failed = common::in_parallel(&seeds, |seed| agrees(*seed, &folder));
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), seeds.len(), failed.join("\n"));
}

fn agrees(seed: u64, folder: &Path) -> Result<(), String> {
    let path = folder.join(format!("t{seed}.c"));
    std::fs::write(&path, threads::program(seed)).map_err(|e| e.to_string())?;
    let path = path.display().to_string();
    let checks = "--checks=assertion,deadlock,mutex-misuse";
    let all = report(&["run", "--format=json", "--schedule=all", checks, &path])?;
    complete(&all).map_err(|why| format!("{path}: {why}"))?;
    let known = found(&all);
    let out = format!("--out={}", folder.join(format!("out{seed}")).display());
    let lazy = "--threads=lazy";
    let checked = report(&["check", "--format=json", "--no-native", "--timeout=20s", lazy, checks, &out, &path])?;
    let verdict = checked["verdict"].as_str().unwrap_or("?").to_owned();
    if let Some(wrong) = found(&checked).iter().find(|f| !known.contains(f)) {
        return Err(format!("{path}: {wrong:?} is in no schedule, only {known:?}"));
    }
    // What takes more rounds than there was time for is no disagreement.
    match (known.is_empty(), verdict.as_str()) {
        (true, "safe" | "bounded") | (false, "violation") => Ok(()),
        (_, _) => Err(format!("{path}: {verdict}, though every schedule shows {known:?}")),
    }
}

/// In the same number of rounds thread after thread from guessed memory says what round after round says: a violation, or none.
#[test]
fn lal_reps_agrees_with_lazy_on_generated_programs() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("threads-both");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let seeds: Vec<u64> = (1..=if common::long() { LONG } else { BOTH }).collect();
    let failed = common::in_parallel(&seeds, |seed| both_agree(*seed, &folder));
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), seeds.len(), failed.join("\n"));
}

fn both_agree(seed: u64, folder: &Path) -> Result<(), String> {
    let path = folder.join(format!("t{seed}.c"));
    std::fs::write(&path, threads::program(seed)).map_err(|e| e.to_string())?;
    let path = path.display().to_string();
    let checks = "--checks=assertion,deadlock,mutex-misuse";
    let out = format!("--out={}", folder.join(format!("out{seed}")).display());
    let mut violated = Vec::new();
    for way in ["--threads=lazy", "--threads=lal-reps"] {
        let args = ["check", "--format=json", "--no-native", "--first", "--rounds", ROUNDS, way, checks, &out, &path];
        let verdict = report(&args)?["verdict"].as_str().unwrap_or("?").to_owned();
        if verdict == "unknown" {
            return Err(format!("{path}: {way} says {verdict}"));
        }
        violated.push(verdict == "violation");
    }
    match violated[0] == violated[1] {
        true => Ok(()),
        false => Err(format!("{path}: lazy finds a violation: {}, lal-reps: {}", violated[0], violated[1])),
    }
}

/// Behind the last round a thread may be woken without a signal if others have moved: that is no deadlock, and the one without such a wake-up is found.
#[test]
fn a_wake_up_is_possible_after_the_last_round() {
    let path = common::root().join("tests/c/regress/woken-after-the-last-round.c").display().to_string();
    for way in ["--threads=lazy", "--threads=lal-reps"] {
        let args = ["check", "--format=json", "--no-native", "--rounds=2", way, "--checks=deadlock", &path];
        let report = report(&args).expect("a report");
        assert_eq!(report["verdict"], "violation", "{way}: {}", report["reason"]);
    }
}

/// What threads share besides global variables can't be guessed, and that is said.
#[test]
fn lal_reps_says_what_it_cannot_guess() {
    let path = common::root().join("tests/c/threads/stack-variable.safe.c").display().to_string();
    let args =
        ["check", "--format=json", "--no-native", "--threads=lal-reps", "--timeout=60s", "--checks=assertion", &path];
    let report = report(&args).expect("a report");
    assert_eq!(report["verdict"], "unknown", "{}", report["reason"]);
}

fn report(args: &[&str]) -> Result<Value, String> {
    let output = common::blitz(&common::root(), args);
    serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr)))
}

fn complete(report: &Value) -> Result<(), String> {
    report["incomplete"].as_str().map_or(Ok(()), |why| Err(format!("not every schedule was run: {why}")))
}

fn found(report: &Value) -> Vec<(u32, String)> {
    let list = report["violations"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mark = |v: &Value| (v["line"].as_u64().unwrap_or(0) as u32, v["kind"].as_str().unwrap_or("?").to_owned());
    list.iter().map(mark).collect()
}
