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
    let said = String::from_utf8_lossy(&text.stderr).into_owned();
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
