//! The solver as a user meets it: certificates of `check`, and solvers that fail. A failure is never a verdict.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Nothing short of a solver sees that the divisor is 1.
const SAFE: &str = "unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
  return 1000 / (1 + (x ^ y) + 2 * (x & y) - (x + y));
}
";

fn blitz(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blitz"));
    command.args(args).current_dir(folder).stdin(Stdio::null()).output().expect("blitz should start")
}

fn check(args: &[&str]) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), SAFE).expect("writable");
    let output = blitz(folder.path(), &[&["check", "a.c"], args].concat());
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn safe_carries_a_checked_certificate() {
    for engine in ["bmc", "incremental", "auto"] {
        let (code, text) = check(&["--engine", engine, "--certify"]);
        assert_eq!(code, Some(0), "{engine}: {text}");
        assert!(text.contains("has a proof, and our checker accepted its"), "{engine}: {text}");
    }
    let (code, text) = check(&[]);
    assert!(code == Some(0) && !text.contains("certified"), "{text}");
}

#[test]
fn certificates_need_the_built_in_solver() {
    for engine in ["bmc", "compositional"] {
        let (code, text) = check(&["--engine", engine, "--certify", "--solver", "smtlib:cat"]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("certificates need the built-in solver"), "{text}");
    }
}

#[test]
fn a_solver_that_fails_decides_nothing() {
    let cases = [
        ("smtlib:false", "died (exit status: 1)"),
        ("smtlib:yes", "printed nonsense"),
        ("smtlib:sleep 1000", "out of time"),
        ("smtlib:echo sat", ""),
    ];
    for (solver, reason) in cases {
        for engine in ["bmc", "incremental"] {
            let (code, text) = check(&["--engine", engine, "--solver", solver, "--timeout", "3"]);
            assert_eq!(code, Some(20), "{solver}: {text}");
            assert!(text.contains(reason) && !text.contains("defect"), "{solver}: {text}");
        }
    }
}

#[test]
fn a_solver_that_is_not_there_is_named() {
    let (code, text) = check(&["--solver", "smtlib:no-such-solver"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("`no-such-solver` is not on PATH"), "{text}");
}

#[test]
fn scripts_with_mistakes_are_refused_at_their_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (script, message) in [
        ("(set-logic QF_BV)\n(assert (= #x0 #b1))\n(check-sat)\n", "a.smt2: 2:"),
        ("(check-sat)\n)\n", "a.smt2: 2:"),
        ("(declare-const x Real)\n", "Real"),
    ] {
        std::fs::write(folder.path().join("a.smt2"), script).expect("writable");
        let output = blitz(folder.path(), &["smt", "a.smt2"]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(message) && !text.contains("panicked"), "{text}");
    }
    std::fs::write(folder.path().join("a.smt2"), [0xff, 0xfe, 0x00]).expect("writable");
    assert_eq!(blitz(folder.path(), &["smt", "a.smt2"]).status.code(), Some(2));
}

#[test]
fn a_script_whose_solver_fails_is_unknown() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.smt2"), "(declare-const p Bool)\n(assert p)\n(check-sat)\n")
        .expect("writable");
    for solver in ["smtlib:false", "smtlib:yes", "smtlib:sleep 1000"] {
        let output = blitz(folder.path(), &["smt", "--solver", solver, "--timeout", "2", "a.smt2"]);
        assert_eq!(output.status.code(), Some(20), "{solver}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "unknown\n", "{solver}");
    }
}

/// However blitz ends, its solver does not go on without it.
#[test]
fn a_solver_does_not_outlive_blitz() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("writable");
    write("a.smt2", "(declare-const p Bool)\n(assert p)\n(check-sat)\n");
    write("solver.sh", "echo $$ > pid.new\nmv pid.new pid\nexec sleep 1000\n");
    let mut blitz = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["smt", "--solver", "smtlib:sh solver.sh", "a.smt2"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .expect("blitz should start");
    let patiently = |done: &dyn Fn() -> bool| {
        (0..600).any(|_| {
            done() || {
                std::thread::sleep(std::time::Duration::from_millis(50));
                false
            }
        })
    };
    let begun = patiently(&|| folder.path().join("pid").exists());
    blitz.kill().expect("blitz should be running");
    blitz.wait().expect("blitz should end");
    assert!(begun, "the solver should have been started");
    let pid = std::fs::read_to_string(folder.path().join("pid")).expect("a number");
    let ended = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        let state = stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next());
        matches!(state, None | Some('Z' | 'X'))
    };
    assert!(patiently(&ended), "the solver should end with blitz");
}
