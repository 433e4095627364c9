//! The subcommands from outside: what they print, and how they work together.

mod common;

use common::blitz;
use serde_json::Value;
use std::path::Path;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let output = blitz(folder, args);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", text(&output.stderr)))
}

#[test]
fn a_program_built_with_cc_can_be_run_and_listed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    std::fs::write(dir.join("main.c"), "int f(int);\nint main(void) { return f(2); }\n").expect("writable");
    std::fs::write(dir.join("f.c"), "int f(int x) { return 6 / (x - 2); }\n").expect("writable");
    for args in [["cc", "-c", "f.c", "-o", "f.o"].as_slice(), &["cc", "-O2", "main.c", "f.o", "-o", "prog"]] {
        let output = blitz(dir, args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    }
    let output = blitz(dir, &["run", "prog"]);
    assert_eq!(output.status.code(), Some(10), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("f.c:1:25"), "{}", text(&output.stderr));
    let output = blitz(dir, &["cc", "-c", "missing.c"]);
    assert_eq!(output.status.code(), Some(1), "the compiler's own status should come through");
}

/// What the builds of old projects rest on: undeclared functions are a warning, the objects' neighbours have no names that a script takes
/// for a suffix, dependency files name only what is there, and link options do not disturb.
#[test]
fn cc_survives_the_builds_of_old_projects() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    std::fs::write(dir.join("old.c"), "f(x) char *x; { return strlen(x); }\n").expect("writable");
    std::fs::write(dir.join("main.c"), "int f(char *);\nint main(void) { return 6 / f(\"\"); }\n").expect("writable");
    let commands: [&[&str]; 3] = [
        &["cc", "-MD", "-MP", "-MF", "old.d", "-MT", "old.o", "-O2", "-Werror=format", "-c", "old.c", "-o", "old.o"],
        &["cc", "-shared", "-fPIC", "-o", "/dev/null", "old.c"],
        &[
            "cc",
            "-Werror",
            "-fgcse-lm",
            "-fgcse-las",
            "-mpreferred-stack-boundary=4",
            "-g",
            "main.c",
            "old.o",
            "-lm",
            "-Wl,-O1",
            "-o",
            "prog",
        ],
    ];
    for args in commands {
        let output = blitz(dir, args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    }
    let rule = std::fs::read_to_string(dir.join("old.d")).expect("a dependency file");
    assert_eq!(rule.trim(), "old.o: old.c");
    let mut seen: Vec<String> = std::fs::read_dir(dir)
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    seen.sort();
    assert_eq!(seen, ["main.c", "old.c", "old.d", "old.o", "prog"]);
    let output = blitz(dir, &["run", "prog"]);
    assert!(text(&output.stderr).contains("main.c:2:27"), "{}", text(&output.stderr));
}

#[test]
fn listings_are_json_with_a_version() {
    let root = common::root();
    let file = "tests/c/null-deref/callback.safe.c";
    let properties = json(&root, &["properties", "--format", "json", file]);
    assert_eq!(properties["schema"], 1);
    let ids: Vec<&str> =
        properties["properties"].as_array().expect("a list").iter().filter_map(|p| p["id"].as_str()).collect();
    assert!(ids.contains(&"main.null-deref.1"), "{ids:?}");
    let again = json(&root, &["properties", "--format", "json", file]);
    assert_eq!(properties, again, "ids should be the same in every run");
    let graph = json(&root, &["callgraph", "--format", "json", file]);
    assert_eq!(graph["functions"][0]["indirect"][0]["targets"][0], "twice");
    assert_eq!(graph["functions"][0]["indirect"][0]["by"], "points-to");
    assert!(graph["regions"].as_u64().is_some_and(|n| n > 0), "{graph}");
    let loops = json(&root, &["loops", "--format", "json", "tests/c/unwinding/nested.safe.c"]);
    let names: Vec<&str> = loops["loops"].as_array().expect("a list").iter().filter_map(|l| l["id"].as_str()).collect();
    assert_eq!(names, ["main.1", "main.2"]);
}

#[test]
fn a_check_reports_what_the_contract_says() {
    let report = json(&common::root(), &["check", "--format", "json", "tests/c/array-bounds/nondet-index.bug.c"]);
    assert_eq!(report["schema"], 1);
    assert_eq!(report["verdict"], "violation");
    let violation = &report["violation"];
    assert_eq!(violation["kind"], "array-bounds");
    assert_eq!(violation["line"], 10);
    assert_eq!(violation["function"], "main");
    assert_eq!(violation["confirmed"], "native");
    let inputs = violation["inputs"].as_array().expect("a list");
    assert!(inputs.iter().any(|i| i["value"] == "4"), "{inputs:?}");
    for key in ["trace", "preconditions", "stack", "values"] {
        assert!(violation[key].is_array(), "{key}");
    }
    let row = &report["properties"][0];
    for key in ["id", "kind", "status", "file", "line", "function", "engine"] {
        assert!(!row[key].is_null(), "{key}");
    }
    assert!(report["stats"]["seconds"].is_number());
}

/// With `--first`, what was not asked any more was once called proved.
#[test]
fn a_search_that_ends_at_the_first_violation_proves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = "int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n > 3)
    __VERIFIER_assert(n != 7);
  else
    __VERIFIER_assert(n != 2);
  return 0;
}
";
    std::fs::write(folder.path().join("two.c"), program).expect("a program");
    for engine in ["bmc", "incremental", "stratified", "auto"] {
        let args = ["check", "two.c", "--no-native", "--first", "--engine", engine, "--format", "json"];
        let report = json(folder.path(), &args);
        let rows = report["properties"].as_array().into_iter().flatten();
        let mut statuses: Vec<&str> = rows.filter_map(|p| p["status"].as_str()).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, ["unknown", "violated"], "{engine}: {report:#}");
    }
}

#[test]
fn a_run_passes_arguments_output_and_status() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    let source = "#include <stdio.h>\nint main(int c, char **v) { printf(\"%s %d\\n\", v[1], c); return 3; }\n";
    std::fs::write(dir.join("a.c"), source).expect("writable");
    let output = blitz(dir, &["run", "a.c", "--", "hello", "-v"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "hello 3\n");
    assert!(text(&output.stderr).contains("ended with status 3"));
    assert_eq!(blitz(dir, &["run", "--status", "a.c", "--", "x"]).status.code(), Some(3));
}

#[test]
fn scripts_of_smt_lib_are_answered() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = "(declare-const x (_ BitVec 8))\n(assert (= (bvmul x x) #x31))\n(check-sat)\n(assert (= x #x00))\n(check-sat)\n";
    std::fs::write(folder.path().join("a.smt2"), script).expect("writable");
    let output = blitz(folder.path(), &["smt", "a.smt2"]);
    assert_eq!(text(&output.stdout), "sat\nunsat\n");
    assert_eq!(output.status.code(), Some(0));
    std::fs::write(folder.path().join("b.smt2"), "(check-sat").expect("writable");
    assert_eq!(blitz(folder.path(), &["smt", "b.smt2"]).status.code(), Some(2));
}

#[test]
fn old_c_is_compiled_with_a_word_about_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("old.c"), "main() { return sq(3) - 9; }\nsq(x) { return x * x; }\n")
        .expect("writable");
    let output = blitz(folder.path(), &["run", "old.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("old.c is old C"), "{}", text(&output.stderr));
}

#[test]
fn completions_and_the_manual_follow_the_command_line() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = blitz(folder.path(), &["completions", "bash"]);
    assert!(text(&script.stdout).contains("--no-native"), "{}", text(&script.stderr));
    let page = text(&blitz(folder.path(), &["man"]).stdout);
    for part in [".TH blitz 1", "blitz\\-check", "unwindset"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_call_through_a_pointer_of_another_type_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let source = "static double half(double x) { return x / 2; }
int main(void) {
  double (*p)(int) = (double (*)(int))half;
  return (int)p(1);
}
";
    std::fs::write(folder.path().join("a.c"), source).expect("writable");
    for command in ["run", "check"] {
        let output = blitz(folder.path(), &[command, "a.c"]);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(20), "{command}: {said}");
        assert!(said.contains("a call of `half` through a pointer to functions of another type at a.c:4"), "{said}");
    }
}
