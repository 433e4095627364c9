//! Functions checked by themselves: arguments and variables by their types, the condition under which one fails.

mod common;

use common::blitz;
use serde_json::Value;
use std::path::Path;

const LIST: &str = "#include <string.h>
struct item { int count; char *name; struct item *next; unsigned flags : 3; };
static int limit = 4;
static int table[10];
static int total(struct item *it, int n) {
  int sum = 0;
  for (; it; it = it->next) {
    if (it->name && strlen(it->name) > 20 && it->count == 77)
      return table[limit];
    sum += it->flags;
  }
  return n ? sum / n : 0;
}
int call(void) { return total(0, 1); }
";

fn folder_with(name: &str, contents: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join(name), contents).expect("writable");
    folder
}

fn report(folder: &Path, args: &[&str]) -> Value {
    let all: Vec<&str> = ["check", "--format", "json", "--timeout", "60s"].iter().chain(args).copied().collect();
    let output = blitz(folder, &all);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{args:?}: {e}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_function_is_safe_from_its_first_state_and_not_from_any() {
    let folder = folder_with("list.c", LIST);
    let safe = report(folder.path(), &["list.c", "--entry", "total"]);
    assert_eq!(safe["verdict"], "safe", "{safe}");
    let notes = safe["notes"].to_string();
    assert!(notes.contains("any arguments") && notes.contains("first values"), "{notes}");
    for engine in ["bmc", "incremental", "stratified", "compositional"] {
        let found = report(folder.path(), &["list.c", "--entry", "total", "--any-globals", "--engine", engine]);
        assert_eq!(found["verdict"], "violation", "{engine}");
        let found = &found["violation"];
        assert_eq!(
            (&found["confirmed"], found["line"].as_u64()),
            (&Value::from("native"), Some(9)),
            "{engine}: {found}"
        );
        let inputs = found["inputs"].to_string();
        assert!(inputs.contains("*it->name") || inputs.contains("*it->next->name"), "{inputs}");
    }
}

#[test]
fn the_condition_under_which_a_function_fails() {
    let folder = folder_with("list.c", LIST);
    let args = ["list.c", "--entry", "total", "--any-globals", "--engine", "compositional"];
    let found = report(folder.path(), &args);
    let condition = found["violation"]["preconditions"][0].to_string();
    for part in ["total", "it != NULL", "limit >= 10", "it->count == 77"] {
        assert!(condition.contains(part), "{part}: {condition}");
    }
}

#[test]
fn what_a_pointer_may_mean() {
    let functions = "#include <stdio.h>
int null(const int *p) { return *p; }
int guarded(const int *p) { return p ? *p : 0; }
int text(const char *s) { return s && s[0] == 'x' ? s[1] : 0; }
int stream(FILE *f, char *buffer) { return buffer ? fgetc(f) : 0; }
int argument(char **list) { return list && list[0] && list[1] ? list[1][0] : 0; }
";
    let folder = folder_with("p.c", functions);
    let kinds = |entry: &str| -> Vec<String> {
        let all = report(folder.path(), &["p.c", "--entry", entry, "--no-native"]);
        let found = all["violations"].as_array().cloned().unwrap_or_default();
        let mut kinds: Vec<String> = found.iter().map(|v| v["kind"].as_str().unwrap_or("").to_owned()).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(kinds("null"), ["buffer-overflow", "null-deref"]);
    assert_eq!(kinds("guarded"), ["buffer-overflow"]);
    assert_eq!(kinds("text"), [""; 0]);
    assert_eq!(kinds("stream"), [""; 0]);
    assert_eq!(kinds("argument"), [""; 0]);
}

#[test]
fn every_function_in_turn() {
    let folder = folder_with("two.c", "int good(int a) { return a / 2; }\nint bad(int a) { return 2 / a; }\n");
    let output = blitz(folder.path(), &["check", "--entries", "all", "two.c"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(10), "{said}");
    assert!(said.contains("function good") && said.contains("function bad"), "{said}");
    assert!(folder.path().join("blitz-out/latest/bad/repro/bad.div-by-zero.1/unit_test.c").exists());
    let output = blitz(folder.path(), &["check", "--entries", "all", "--format", "json", "two.c"]);
    assert_eq!(output.status.code(), Some(10));
    let report: Value = serde_json::from_slice(&output.stdout).expect("one report in JSON");
    assert_eq!(report["violations"].as_array().map(Vec::len), Some(1), "{report}");
}

#[test]
fn any_globals_are_for_functions_checked_by_themselves() {
    let folder = folder_with("main.c", "int main(void) { return 0; }\n");
    let output = blitz(folder.path(), &["check", "--any-globals", "main.c"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_pointer_to_functions_means_one_of_the_program() {
    let text = "int identity(int n) { return n; }
static int increment(int n) { return n + 1; }
long other(long n) { return n; }
typedef int (*function)(int n);
int use(function f) { if (f) __VERIFIER_assert(f(4) LIMIT); return 0; }
function table[] = {identity, increment};
long (*unused)(long) = other;
";
    for (limit, verdict) in [(">= 4", "safe"), ("== 4", "violation"), ("== 5", "violation")] {
        let folder = folder_with("p.c", &text.replace("LIMIT", limit));
        let found = report(folder.path(), &["p.c", "--entry", "use"]);
        assert_eq!(found["verdict"], verdict, "{limit}: {found}");
        if verdict == "violation" {
            assert_eq!(found["violation"]["confirmed"], "native", "{found}");
        }
        assert!(found["notes"].to_string().contains("a pointer to functions"), "{}", found["notes"]);
    }
}
