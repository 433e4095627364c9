//! Every way a run can end: exit code, verdict and how to go on. And what a later check leaves of an earlier one's folder.

mod common;

use std::path::Path;
use std::process::{Command, Output, Stdio};

const HARD: &str = "unsigned long __VERIFIER_nondet_ulong(void);\nint main(void) {\n  unsigned long a = __VERIFIER_nondet_ulong(), b = __VERIFIER_nondet_ulong();\n  if (a < 2 || b < 2 || a >> 31 || b >> 31 || a == b) return 0;\n  return 1 / (a * b - 2305842979148922881ul);\n}\n";
const ENDLESS: &str = "unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n  unsigned n = 0;\n  while (__VERIFIER_nondet_uint())\n    n++;\n  return 0 / (n < 4000000000u);\n}\n";
const LEAK: &str = "#include <stdlib.h>\nint main(void) {\n  char *p = malloc(3);\n  return p == 0;\n}\n";

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, contents) in files {
        std::fs::write(folder.path().join(name), contents).expect("writable");
    }
    folder
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.args(args).current_dir(folder).stdin(Stdio::null());
    command
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Checks a program, and that the run ends with this code and says all of these.
fn ends(source: &str, args: &[&str], code: i32, says: &[&str]) {
    let folder = folder_with(&[("a.c", source)]);
    let output = command(folder.path(), &[&["check", "a.c", "--no-native"], args].concat()).output();
    let output = output.expect("blitz should start");
    assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    for part in says {
        assert!(text(&output).contains(part), "`{part}` should be said: {}", text(&output));
    }
}

#[test]
fn all_properties_hold() {
    ends("int main(void) { int a[2]; a[1] = 0; return a[1]; }", &[], 0, &["safe: "]);
}

#[test]
fn a_violation() {
    ends("int main(int argc, char **argv) { return 1 / (argc - 1); }", &[], 10, &["violation found", "`blitz report`"]);
}

#[test]
fn a_bound_that_is_too_small() {
    ends(ENDLESS, &["--unwind", "3"], 20, &["bounded: ", "loop main.1", "raise --unwind"]);
}

#[test]
fn out_of_time() {
    ends(HARD, &["--timeout", "1s"], 20, &["out of time", "raise --timeout"]);
    ends(ENDLESS, &["--timeout", "1s"], 20, &["out of time", "raise --timeout"]);
}

#[test]
fn out_of_memory() {
    ends(HARD, &["--memory", "20M"], 20, &["out of memory", "raise --memory"]);
}

#[test]
fn something_that_is_not_supported() {
    let source = "int main(void) { int x; __asm__ volatile(\"rdtsc\" : \"=a\"(x)); return x; }";
    ends(source, &[], 20, &["unknown: ", "assembl", "--stub FILE.c"]);
}

#[test]
fn a_violation_that_nobody_asked_for() {
    let source = "#include <assert.h>\n#include <stdlib.h>\nint __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int(), *p = malloc(4), *q = malloc(8);\n  *p = q[0] = q[1] = n;\n  assert(*p == q[1]);\n  free(p);\n  free(q);\n  return 0;\n}\n";
    ends(source, &["--checks", "assertion"], 20, &["unknown: ", "null-deref", "switched off", "--alloc succeeds"]);
    ends(source, &["--checks", "assertion", "--alloc", "succeeds"], 0, &["safe"]);
}

#[test]
fn a_solver_that_is_not_there() {
    ends(HARD, &["--solver", "no-such-solver"], 2, &["no-such-solver"]);
}

#[test]
fn mistakes_of_the_user() {
    ends("int main(void) { return 0 }", &[], 2, &["error"]);
    ends("int main(void) { return 0; }", &["--unwind", "many"], 2, &["--unwind"]);
    ends("int main(void) { return 0; }", &["--property", "main.shift.1"], 2, &["no property `main.shift.1`"]);
    let unused = "int f(int x) { return 1 / x; }\nint main(void) { return 0; }";
    ends(unused, &["--property", "f.div-by-zero.1"], 0, &["safe, but no execution reaches a check"]);
    ends(unused, &["--property", "f.div-by-zero.2"], 2, &["no property"]);
}

/// `blitz check prog.c | head`: the run ends, and nobody calls it a defect.
#[test]
fn a_reader_that_leaves() {
    let folder = folder_with(&[("a.c", LEAK)]);
    let mut run = command(folder.path(), &["check", "a.c", "--no-native", "--verbose"]);
    let mut run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("blitz should start");
    drop(run.stdout.take());
    let mut said = String::new();
    let errors = run.stderr.take().expect("a pipe");
    std::io::Read::read_to_string(&mut std::io::BufReader::new(errors), &mut said).expect("text");
    let status = run.wait().expect("blitz should end");
    assert!(!said.contains("a defect of blitz"), "{said}");
    assert!(status.code().is_some_and(|code| code != 70), "{status:?}: {said}");
}

/// Whenever it comes: while the program is read, in an engine's turn, or between two of them (the unit test in `engines/src/auto.rs`).
#[test]
fn ctrl_c() {
    let folder = folder_with(&[("a.c", HARD)]);
    for millis in [100, 700, 2_000] {
        let mut child = command(folder.path(), &["check", "a.c"]);
        let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("blitz should start");
        std::thread::sleep(std::time::Duration::from_millis(millis));
        let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill should start");
        assert!(sent.success());
        let output = child.wait_with_output().expect("blitz should end");
        assert_eq!(output.status.code(), Some(20), "{}", text(&output));
        assert!(text(&output).contains("interrupted"), "{}", text(&output));
        assert!(text(&output).contains("the same command begins anew"), "{}", text(&output));
    }
}

/// The latest run is the last check: what was mended is not in it, and an empty report says so. The run before is still there.
#[test]
fn a_mended_program_leaves_no_old_findings() {
    let folder = folder_with(&[("a.c", LEAK)]);
    let run = |args: &[&str]| command(folder.path(), args).output().expect("blitz should start");
    assert_eq!(run(&["check", "a.c", "--no-native"]).status.code(), Some(10));
    let kit = folder.path().join("blitz-out/latest/repro/main.memory-leak.1");
    assert!(kit.is_dir());
    std::fs::write(folder.path().join("a.c"), LEAK.replace("return", "free(p);\n  return")).expect("writable");
    assert_eq!(run(&["check", "a.c", "--no-native"]).status.code(), Some(0));
    assert!(!kit.exists(), "a kit of what was mended is not in the latest run");
    assert!(folder.path().join("blitz-out/1/repro/main.memory-leak.1").is_dir());
    let sarif = std::fs::read_to_string(folder.path().join("blitz-out/latest/report.sarif")).expect("a report");
    assert!(sarif.contains("\"results\": []"), "{sarif}");
    assert_eq!(run(&["replay"]).status.code(), Some(2), "there is nothing to replay");
}

/// Checks that run at once in one folder do not get into each other's way: each has its own results, natively confirmed.
#[test]
fn several_checks_at_once_in_one_folder() {
    let folder = folder_with(&[("a.c", LEAK), ("b.c", "int main(int argc, char **argv) { return 1 / (argc - 1); }")]);
    let start = |file: &str| {
        let mut command = command(folder.path(), &["check", file, "--format", "json"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("blitz should start")
    };
    let running: Vec<_> = ["a.c", "b.c", "a.c", "b.c"].map(start).into_iter().collect();
    let mut kits = std::collections::BTreeSet::new();
    for child in running {
        let output = child.wait_with_output().expect("blitz should end");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report");
        assert_eq!(report["violation"]["confirmed"], "native", "{}", report["violation"]["native"]);
        kits.insert(report["violation"]["native"]["kit"].to_string());
    }
    assert_eq!(kits.len(), 4, "each run has a folder of its own: {kits:?}");
    let pages = command(folder.path(), &["report"]).output().expect("blitz should start");
    assert_eq!(pages.status.code(), Some(0), "{}", text(&pages));
}

#[test]
fn without_findings_a_report_is_written_where_one_was_asked_for() {
    let folder = folder_with(&[("a.c", "int main(void) { return 0; }")]);
    let run = |args: &[&str]| command(folder.path(), args).output().expect("blitz should start").status.code();
    assert_eq!(run(&["check", "a.c"]), Some(0));
    assert!(!folder.path().join("blitz-out").exists());
    assert_eq!(run(&["check", "a.c", "--out", "results"]), Some(0));
    assert!(folder.path().join("results/report.sarif").is_file());
}

/// `contrib/pre-commit` in a repository: a bug is refused, its mending accepted, and other files do not matter.
#[test]
fn the_git_hook_refuses_a_bug() {
    let toml = "[[target]]\nname = \"a\"\nfiles = [\"a.c\"]\n";
    let folder = folder_with(&[("a.c", LEAK), ("blitz.toml", toml)]);
    let hook = common::root().join("contrib/pre-commit");
    let bin = Path::new(env!("CARGO_BIN_EXE_blitz")).parent().expect("the binary lies in a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let git = |args: &[&str]| {
        let status = Command::new("git").args(args).current_dir(folder.path()).stdout(Stdio::null()).status();
        assert!(status.expect("git should start").success(), "git {args:?}");
    };
    let commit = || {
        let mut command = Command::new("bash");
        command.arg(&hook).current_dir(folder.path()).env("PATH", &path).stdin(Stdio::null());
        command.output().expect("the hook should start")
    };
    git(&["init", "-q"]);
    assert_eq!(commit().status.code(), Some(0), "nothing is staged yet");
    git(&["add", "."]);
    let refused = commit();
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused));
    assert!(text(&refused).contains("blitz found a violation"), "{}", text(&refused));
    std::fs::write(folder.path().join("a.c"), LEAK.replace("return", "free(p);\n  return")).expect("writable");
    git(&["add", "."]);
    assert_eq!(commit().status.code(), Some(0));
}

/// The commands of `contrib/github/blitz.yml` are ones that exist.
#[test]
fn the_github_workflow_calls_what_there_is() {
    let text = std::fs::read_to_string(common::root().join("contrib/github/blitz.yml")).expect("a workflow");
    let check = text.lines().find(|l| l.contains("blitz check")).expect("a check");
    let line: Vec<&str> = check.split_whitespace().skip(1).take_while(|w| *w != "||").collect();
    let folder = folder_with(&[("a.c", LEAK), ("blitz.toml", "[[target]]\nname = \"a\"\nfiles = [\"a.c\"]\n")]);
    let output = command(folder.path(), &[line.as_slice(), &["--no-native"]].concat()).output();
    assert_eq!(output.expect("blitz should start").status.code(), Some(10));
    let sarif = text.lines().find_map(|l| l.trim().strip_prefix("sarif_file: ")).expect("an upload");
    assert!(folder.path().join(sarif).join("report.sarif").is_file());
    assert!(text.contains("make -C .blitz install"), "the Makefile has that target");
}
