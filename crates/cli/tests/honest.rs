//! What `confirmed natively` may rest on: the user's program and the real libraries, or it says what stood in for them.

mod common;

use common::blitz;
use serde_json::Value;

/// The report on a program, and the exit code.
fn check(source: &str, args: &[&str]) -> (Value, Option<i32>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), source).expect("writable");
    let all = [&["check", "a.c", "--format", "json", "--timeout", "60s"], args].concat();
    let output = blitz(folder.path(), &all);
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr)));
    (report, output.status.code())
}

/// `tsearch` has no model: it may return anything, and never returns this.
const NEVER: &str = "#include <search.h>\n#include <assert.h>\nstatic int order(const void *a, const void *b) { return a < b ? -1 : a > b; }\n\
    int main(void) {\n  void *root = 0;\n  int key = 3;\n  assert(tsearch(&key, &root, order) != (void *)8);\n  return 0;\n}\n";

#[test]
fn a_library_is_not_replaced() {
    for args in [&[][..], &["--no-native"]] {
        let (report, code) = check(NEVER, args);
        assert_ne!(code, Some(10), "{report}");
        assert!(report["violations"].as_array().is_none_or(Vec::is_empty), "{report}");
    }
}

/// A function of the user's that is not there: it may be anything.
const MISSING: &str = "int reading(void);\nint main(void) {\n  return 100 / (reading() - 7);\n}\n";

#[test]
fn a_stub_is_named() {
    let (report, code) = check(MISSING, &[]);
    assert_eq!(code, Some(10), "{report}");
    let found = &report["violation"];
    assert_eq!(found["confirmed"], "native-stub", "{found}");
    assert_eq!(found["native"]["stubs"], serde_json::json!(["reading"]), "{found}");
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), MISSING).expect("writable");
    let text = blitz(folder.path(), &["check", "a.c"]);
    let said = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(said.contains("confirmed natively under a stub of reading"), "{said}");
}

/// Arguments lie where the system puts them: freeing one is seen.
#[test]
fn an_argument_is_not_on_the_heap() {
    let source = "#include <stdlib.h>\nint main(int argc, char **argv) {\n  if (argc == 2)\n    free(argv[1]);\n  return 0;\n}\n";
    let (report, _) = check(source, &[]);
    assert_eq!(report["violation"]["confirmed"], "native", "{}", report["violation"]["native"]);
}

/// The smallest input writes one byte to an object of none, which AddressSanitizer does not see.
#[test]
fn inputs_are_not_made_so_small_that_nothing_shows() {
    let source = "#include <stdlib.h>\n#include <string.h>\nint main(int argc, char **argv) {\n  if (argc < 2)\n    return 0;\n\
        char *p = malloc(strlen(argv[1]));\n  if (p)\n    strcpy(p, argv[1]);\n  free(p);\n  return 0;\n}\n";
    let (report, _) = check(source, &[]);
    assert_eq!(report["violation"]["confirmed"], "native", "{}", report["violation"]["native"]);
}

/// What a call left on the stack does not hide a leak, and the library's own frames do not hide the program's line.
#[test]
fn a_leak_of_the_library_shows() {
    let source =
        "#include <dirent.h>\nint main(void) {\n  DIR *d = opendir(\".\");\n  return d ? readdir(d) != 0 : 1;\n}\n";
    let (report, _) = check(source, &["--checks", "memory-leak", "--alloc", "succeeds"]);
    assert_eq!(report["violation"]["confirmed"], "native", "{}", report["violation"]["native"]);
}

/// What `regexec` matches is an input of its library model, which has more matches than the real one.
const MATCHES: &str = "#include <assert.h>\n#include <regex.h>\nint main(void) {\n  regex_t r;\n  if (regcomp(&r, \"^a$\", REG_NOSUB))\n    return 0;\n  \
    int none = regexec(&r, \"TEXT\", 0, 0, 0);\n  regfree(&r);\n  assert(none != 0);\n  return 0;\n}\n";

#[test]
fn a_violation_that_rests_on_more_needs_a_native_run() {
    let (report, code) = check(&MATCHES.replace("TEXT", "b"), &[]);
    assert_eq!(code, Some(20), "{report}");
    assert_eq!(report["verdict"], "unknown", "{report}");
    assert!(report["violations"].as_array().is_none_or(Vec::is_empty), "{report}");
    assert!(report.to_string().contains("it rests on more than the real program may do"), "{report}");
    let (report, code) = check(&MATCHES.replace("TEXT", "a"), &[]);
    assert_eq!(code, Some(10), "{report}");
    assert_eq!(report["violation"]["confirmed"], "native", "{report}");
    // Without a native run nobody knows which of the two it is.
    let (report, code) = check(&MATCHES.replace("TEXT", "a"), &["--no-native"]);
    assert_eq!(code, Some(20), "{report}");
}

/// What overruns a buffer is part of the inputs, so that the native program reads it too.
#[test]
fn the_text_that_overruns_is_an_input() {
    for reads in ["scanf(\"%10s\", b) == 1", "read(0, b, 20) == 11"] {
        let source = format!(
            "#include <stdio.h>\n#include <unistd.h>\nint main(void) {{\n  char b[10];\n  return {reads};\n}}\n"
        );
        let (report, _) = check(&source, &[]);
        assert_eq!(report["violation"]["confirmed"], "native", "{report}");
    }
}

/// What comes before a call whose library model leaves something out does not hang on it.
#[test]
fn a_gap_concerns_what_comes_behind_it() {
    let source = "#include <assert.h>\n#include <unistd.h>\nstatic int a[4];\nstatic void early(int argc) { assert(argc >= 1); a[argc & 3] = 1; }\n\
        static void late(long host) { assert(host != 77); }\nint main(int argc, char **argv) {\n  early(argc);\n  late(gethostid());\n  return 0;\n}\n";
    for engine in [&["--engine", "incremental"][..], &["--engine", "bmc", "--unwind", "2"]] {
        let (report, code) = check(source, &[engine, &["--no-native"]].concat());
        assert_eq!(code, Some(20), "{report}");
        for property in report["properties"].as_array().expect("properties") {
            let wanted = if property["function"] == "early" { "proved" } else { "unknown" };
            assert_eq!(property["status"], wanted, "{property}");
        }
    }
}

#[test]
fn what_is_left_out_of_options_is_said() {
    let source = "#include <unistd.h>
int main(int argc, char **argv) {
  int c, level = 0;
  while ((c = getopt(argc, argv, \"v\")) != -1)
    level += c == 'v';
  return level > 4 ? 1 : 0;
}";
    let (report, _) = check(source, &[]);
    let said = report["notes"].to_string();
    assert!(said.contains("option letters stand alone"), "{said}");
    let (report, _) = check("int main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'v'; }", &[]);
    assert!(!report["notes"].to_string().contains("option letters"));
}

/// The write behind the array ends every execution in which the assertion fails, or not (`i < 3`).
const BEHIND: &str = "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nstatic void put(int *p, int i) { p[i] = 1; }\n\
    int main(void) {\n  int a[3] = {0}, i = __VERIFIER_nondet_int();\n  if (i < 0 || i > LAST)\n    return 0;\n  put(a, i);\n  assert(i != 3);\n  return 0;\n}\n";

/// Asked for the assertion alone, blitz said `safe`: the executions in which it may fail end before, with another property's violation.
#[test]
fn behind_another_property_nothing_is_safe() {
    for engine in ["auto", "bmc", "incremental", "stratified", "explore"] {
        for (last, verdict) in [("3", "unknown"), ("2", "safe")] {
            let args = ["--property", "main.assertion.1", "--engine", engine, "--no-native"];
            let (report, _) = check(&BEHIND.replace("LAST", last), &args);
            assert_eq!(report["verdict"], verdict, "{engine}: {report}");
        }
    }
}
