//! The incremental engine on loops without end: what holds however often they run is proved, and what does not hold is never
//! taken for it. A safe program and the one with the bug differ in one token.

mod common;

use std::process::{Command, Stdio};

struct Program {
    name: &'static str,
    body: &'static str,
    /// What stands for TOKEN, where the program is safe and that can be shown, and where there is a bug.
    safe: Option<&'static str>,
    bug: &'static str,
}

const PROGRAMS: &[Program] = &[
    Program {
        name: "a counter in a range",
        body: "unsigned i = 0; int a[8]; while (nondet()) { a[i] = 1; i = (i + 1) % TOKEN; } return 0;",
        safe: Some("8"),
        bug: "9",
    },
    Program {
        name: "a counter that stops",
        body: "int n = 0; while (nondet()) { if (n < TOKEN) n++; assert(n <= 20); } return 0;",
        safe: Some("20"),
        bug: "21",
    },
    Program {
        name: "steps of four",
        body: "unsigned n = 0; while (nondet()) { n += TOKEN; assert(n != 42); } return 0;",
        safe: Some("4"),
        bug: "6",
    },
    Program {
        name: "what a loop leaves",
        body: "int n = 0; while (nondet()) if (n < TOKEN) n++; assert(n != 15); return 0;",
        safe: Some("14"),
        bug: "15",
    },
    Program {
        name: "a loop in a loop",
        body: "int n = 0; while (nondet()) { while (nondet()) if (n < TOKEN) n++; } assert(n <= 12); return 0;",
        safe: Some("12"),
        bug: "13",
    },
    Program {
        name: "a pointer and a limit",
        body: "static char a[16]; char *p = a; while (nondet()) if (p < a + TOKEN) { *p = 1; p++; } else p = a; return 0;",
        safe: None,
        bug: "17",
    },
    Program {
        name: "a variable behind a pointer",
        body: "static int n; int *p = &n; while (nondet()) { *p = n + TOKEN; assert(n != 12); } return 0;",
        safe: None,
        bug: "1",
    },
    Program {
        name: "a pointer to the next of two",
        body: "static int x, y; int *p = &x, n = 0; while (nondet()) { *p = 1; if (++n == TOKEN) p = &y; assert(y == 0); } return 0;",
        safe: None,
        bug: "11",
    },
    Program {
        name: "a block that is freed",
        body: "int *p = malloc(4), n = 0; if (!p) return 0; while (nondet()) { *p = n; if (++n == TOKEN) free(p); } return 0;",
        safe: None,
        bug: "9",
    },
    Program {
        name: "a list that grows",
        body: "int **p = 0, n = 0; while (nondet()) { int **q = malloc(8); if (!q) return 0; *q = (int *)p; p = q; n++; } \
               assert(n != TOKEN); return 0;",
        safe: None,
        bug: "7",
    },
    Program { name: "recursion", body: "assert(deep(0) != TOKEN); return 0;", safe: None, bug: "9" },
];

const HEADER: &str = "#include <assert.h>\n#include <stdlib.h>\nint __VERIFIER_nondet_int(void);\n\
    static int nondet(void) { return __VERIFIER_nondet_int(); }\n\
    int deep(int n) { return n < 50 && nondet() ? deep(n + 1) : n; }\n";

#[test]
fn loops_without_end() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let failed = common::in_parallel(PROGRAMS, |program| {
        let safe = program.safe.map(|token| (token, "safe"));
        for (token, wanted) in safe.into_iter().chain([(program.bug, "violation")]) {
            let text = format!("{HEADER}int main(void) {{ {} }}\n", program.body.replace("TOKEN", token));
            let verdict = check(folder.path(), &format!("{} {wanted}", program.name), &text);
            if verdict != wanted {
                return Err(format!("{}: {verdict}, not {wanted}", program.name));
            }
        }
        Ok(())
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn check(folder: &std::path::Path, name: &str, text: &str) -> String {
    let source = folder.join(format!("{}.c", name.replace(' ', "-")));
    std::fs::write(&source, text).expect("a program should be written");
    let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "--engine", "incremental", "--no-native", "--checks=-memory-leak", "--format", "json"])
        .args(["--timeout", "120s", "--out"])
        .arg(folder.join(name))
        .arg(&source)
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a report should be JSON");
    report["verdict"].as_str().unwrap_or("?").to_owned()
}

/// The search does not end with the first violation: the second one lies four iterations deeper, and the loop has no end of its own.
#[test]
fn a_second_bug_that_lies_deeper_is_found_too() {
    let folder = tempfile::tempdir().expect("a folder should be made");
    let source = folder.path().join("deeper.c");
    let text = "#include <assert.h>\nint nondet(void);\nint main(void) { int sum = 0; for (int i = 0;; i++) { int x = nondet(); if (x < 0 || x > 9) break;\n\
                assert(i != 1 || x != 7);\nsum = sum * 10 + x; assert(sum != 31415);\nif (sum > 99999) break; } return 0; }\n";
    std::fs::write(&source, text).expect("a program should be written");
    let check = |more: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
            .args([
                "check",
                "--engine",
                "incremental",
                "--no-native",
                "--checks",
                "assertion",
                "--format",
                "json",
                "--out",
            ])
            .arg(folder.path().join("out"))
            .args(more)
            .arg(&source)
            .stdin(Stdio::null())
            .output()
            .expect("blitz should start");
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("a report should be JSON")
    };
    let all = check(&[]);
    assert_eq!(all["violations"].as_array().map(Vec::len), Some(2), "{all}");
    let first = check(&["--first"]);
    assert_eq!(first["violations"].as_array().map(Vec::len), Some(1), "{first}");
}
