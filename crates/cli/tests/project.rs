//! `blitz.toml` and `blitz init`: a project that needs no arguments, several targets, suppressions.

mod common;

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn blitz(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(args)
        .current_dir(folder)
        .env("SOURCE_DATE_EPOCH", "1800000000")
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, contents) in files {
        std::fs::write(folder.path().join(name), contents).expect("writable");
    }
    folder
}

const MAIN: &str = "int half(int x);\nint main(int argc, char **argv) { return half(argc); }\n";
const HALF: &str = "int half(int x) { return 8 / (x - 2); }\n";
const LEAK: &str = "#include <stdlib.h>\nint main(void) {\n  char *p = malloc(3);\n  return p == 0;\n}\n";

#[test]
fn init_makes_check_work_without_arguments() {
    let folder = folder_with(&[("main.c", MAIN), ("half.c", HALF)]);
    let made = blitz(folder.path(), &["init"]);
    assert!(made.status.success(), "{}", text(&made));
    let again = blitz(folder.path(), &["init"]);
    assert_eq!(again.status.code(), Some(2), "what is there should stay");
    let checked = blitz(folder.path(), &["check", "--no-native"]);
    assert_eq!(checked.status.code(), Some(10), "{}", text(&checked));
    assert!(text(&checked).contains("division by zero"), "{}", text(&checked));
    let empty = folder_with(&[]);
    assert_eq!(blitz(empty.path(), &["init"]).status.code(), Some(2));
}

#[test]
fn targets_settings_and_the_command_line() {
    let toml = "[check]\nchecks = \"leak\"\nnative = false\n\n[[target]]\nname = \"sum\"\nfiles = [\"main.c\", \"half.c\"]\n\n\
        [[target]]\nname = \"leak\"\nfiles = [\"leak.c\"]\nentries = [\"main\"]\n";
    let folder = folder_with(&[("main.c", MAIN), ("half.c", HALF), ("leak.c", LEAK), ("blitz.toml", toml)]);
    let all = blitz(folder.path(), &["check"]);
    assert_eq!(all.status.code(), Some(10), "{}", text(&all));
    assert!(text(&all).contains("target sum") && text(&all).contains("target leak"), "{}", text(&all));
    assert!(!text(&all).contains("division by zero"), "the file switches that check off: {}", text(&all));
    assert!(folder.path().join("blitz-out/latest/leak/report.html").is_file());
    let one = blitz(folder.path(), &["check", "--target", "sum"]);
    assert_eq!(one.status.code(), Some(0), "{}", text(&one));
    let wins = blitz(folder.path(), &["check", "--target", "sum", "--checks", "div-by-zero"]);
    assert_eq!(wins.status.code(), Some(10), "{}", text(&wins));
    let json = blitz(folder.path(), &["check", "--format", "json"]);
    assert_eq!(json.status.code(), Some(2), "one format, one target: {}", text(&json));
    let missing = blitz(folder.path(), &["check", "--target", "product"]);
    assert!(text(&missing).contains("there is no target product, only sum, leak"), "{}", text(&missing));
}

#[test]
fn suppressions_are_counted_and_expire() {
    let toml = |until: &str| {
        format!(
            "[[suppress]]\nkind = \"memory-leak\"\nfile = \"leak.c\"\nreason = \"the process ends\"\nuntil = \"{until}\"\n"
        )
    };
    let folder = folder_with(&[("leak.c", LEAK), ("blitz.toml", &toml("2099-12-31"))]);
    let accepted = blitz(folder.path(), &["check", "leak.c", "--no-native"]);
    assert_eq!(accepted.status.code(), Some(0), "{}", text(&accepted));
    assert!(text(&accepted).contains("1 suppressed"), "{}", text(&accepted));
    let json = blitz(folder.path(), &["check", "leak.c", "--no-native", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&json.stdout).expect("a report should be JSON");
    assert_eq!(report["verdict"], "safe");
    assert_eq!(report["suppressed"][0]["reason"], "the process ends");
    std::fs::write(folder.path().join("blitz.toml"), toml("2020-01-01")).expect("writable");
    let expired = blitz(folder.path(), &["check", "leak.c", "--no-native"]);
    assert_eq!(expired.status.code(), Some(10), "{}", text(&expired));
    assert!(text(&expired).contains("has expired on 2020-01-01"), "{}", text(&expired));
}

#[test]
fn mistakes_in_the_file_are_told_in_a_sentence() {
    let folder = folder_with(&[("leak.c", LEAK)]);
    for (toml, said) in [
        ("[[suppress]]\nkind = \"memory-leak\"\nreason = \" \"\n", "a suppression needs a reason"),
        ("[[suppress]]\nreason = \"x\"\n", "a suppression needs a property"),
        ("[[suppress]]\nkind = \"shift\"\nreason = \"x\"\nuntil = \"soon\"\n", "is a date"),
        ("[check]\nengine = \"warp\"\n", "there is no engine `warp`"),
        ("[check]\nspeed = 3\n", "can't be understood"),
        ("not toml", "can't be understood"),
    ] {
        std::fs::write(folder.path().join("blitz.toml"), toml).expect("writable");
        let output = blitz(folder.path(), &["check", "leak.c", "--no-native"]);
        assert_eq!(output.status.code(), Some(2), "{toml}: {}", text(&output));
        assert!(text(&output).contains(said), "{toml}: {}", text(&output));
    }
}

#[test]
fn stubs_stand_in_for_what_is_missing() {
    let program = "int sensor(void);\nint main(void) { return 10 / sensor(); }\n";
    let folder = folder_with(&[("main.c", program), ("stub.c", "int sensor(void) { return 5; }\n")]);
    let without = blitz(folder.path(), &["check", "main.c", "--no-native"]);
    assert_eq!(without.status.code(), Some(10), "{}", text(&without));
    let with = blitz(folder.path(), &["check", "main.c", "--stub", "stub.c"]);
    assert_eq!(with.status.code(), Some(0), "{}", text(&with));
}

#[test]
fn a_kit_is_linked_with_the_libraries_of_the_program() {
    let source = "#include <crypt.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  char *p = malloc(2);\n  \
        if (p == 0 || argc < 2)\n    return 1;\n  crypt(argv[1], \"aa\");\n  p[argc] = 1;\n  return 0;\n}\n";
    let folder = folder_with(&[("main.c", source)]);
    let built = blitz(folder.path(), &["cc", "-g", "main.c", "-o", "program", "-lcrypt"]);
    assert!(built.status.success(), "{}", text(&built));
    let checked = blitz(folder.path(), &["check", "program", "--checks", "buffer-overflow"]);
    assert!(text(&checked).contains("confirmed natively"), "{}", text(&checked));
}
