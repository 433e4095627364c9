//! What people see, kept word for word: the terminal output for every check kind, at 80 columns, without colour.
//!
//! `BLITZ_BLESS=1 cargo test -p blitz --test golden` writes the files under `tests/trace` anew.

#[macro_use]
mod common;

use common::Case;
use std::process::{Command, Stdio};

kinds!(golden, unwinding: "unwinding");

fn golden(topic: &str) {
    let cases = common::cases(topic);
    let case = cases
        .iter()
        .find(|c| matches!(c.key("verdict"), Some("violation" | "bounded")) && c.key("slow").is_none())
        .expect("a kind should have a bug to run");
    let seen = terminal_output(case);
    // Titles, labels and the verdict are one line each, whatever the width.
    let title = |l: &&str| ["error[", "bounded: "].iter().any(|start| l.starts_with(start));
    for line in seen.lines().filter(|l| !title(l) && !l.contains('^')) {
        assert!(line.chars().count() <= 80, "{topic}: wider than 80 columns: {line}");
    }
    let path = common::root().join("tests/trace").join(format!("{topic}.txt"));
    if std::env::var_os("BLITZ_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().expect("a file lies in a folder"))
            .expect("tests/trace should be writable");
        std::fs::write(&path, &seen).expect("tests/trace should be writable");
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(seen == kept, "{} shows something else now:\n{seen}\n--- kept:\n{kept}", path.display());
}

fn terminal_output(case: &Case) -> String {
    let root = common::root();
    let file = case.path.strip_prefix(&root).expect("a case should lie in the repository");
    // Both streams in the order in which a terminal shows them.
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$0\" \"$@\" 2>&1", env!("CARGO_BIN_EXE_blitz")]);
    let out = tempfile::tempdir().expect("a temporary folder");
    command.args(["check", "--no-native", "--out"]).arg(out.path()).arg(file);
    command.current_dir(&root).env("COLUMNS", "80").env("NO_COLOR", "1").stdin(Stdio::null());
    for (key, option) in [("checks", "--checks"), ("unwind", "--unwind"), ("flags", "--cflags")] {
        if let Some(value) = case.key(key) {
            command.arg(format!("{option}={value}"));
        }
    }
    let output = command.output().expect("blitz should start");
    let wanted = if case.key("verdict") == Some("bounded") { 20 } else { 10 };
    assert_eq!(output.status.code(), Some(wanted), "{}: {}", case.label(), String::from_utf8_lossy(&output.stdout));
    let seen = String::from_utf8_lossy(&output.stdout).replace(&format!(" {}", out.path().display()), "");
    without_time(&seen)
}

/// The seconds it took are blotted out.
fn without_time(text: &str) -> String {
    let blotted = |line: &str| match line.rsplit_once(" (") {
        Some((start, end)) if end.ends_with(" s)") => format!("{start} (... s)\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(blotted).collect()
}
