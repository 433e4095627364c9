//! CBMC's tools by their names (`contrib/cbmc-shims`): a proof of our own, built and checked by its Makefile with the shims first on PATH.

mod common;

use common::root;
use std::path::Path;
use std::process::{Command, Output};

/// A copy of the proof.
fn proof() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for entry in std::fs::read_dir(root().join("crates/cli/tests/data/proof")).expect("the proof should be there") {
        let path = entry.expect("a folder entry").path();
        std::fs::copy(&path, folder.path().join(path.file_name().expect("a file"))).expect("a file can be copied");
    }
    folder
}

/// Runs a command with the shims first on PATH.
fn with_shims(folder: &Path, program: &str, args: &[&str]) -> Output {
    let path = format!("{}:{}", root().join("contrib/cbmc-shims").display(), std::env::var("PATH").unwrap_or_default());
    Command::new(program)
        .args(args)
        .current_dir(folder)
        .env("PATH", path)
        .env("BLITZ", env!("CARGO_BIN_EXE_blitz"))
        .output()
        .unwrap_or_else(|e| panic!("{program} should start: {e}"))
}

fn made(folder: &Path, args: &[&str]) {
    let output = with_shims(folder, "make", args);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn a_proof_runs_by_its_own_makefile() {
    let folder = proof();
    let dir = folder.path();
    made(dir, &["all"]);
    let result = read(dir, "result.txt");
    assert!(result.contains("VERIFICATION FAILED"), "{result}");
    assert!(result.contains("seventy-seven: FAILURE") && result.contains("one more: SUCCESS"), "{result}");
    assert!(result.contains("it was full: SUCCESS"), "{result}");
    assert!(result.contains("\nState ") && result.contains("\n  item=77\n"), "{result}");
    let xml = read(dir, "result.xml");
    assert!(xml.contains("<full_lhs>item</full_lhs>") && xml.contains("<function_call "), "{xml}");
    assert!(xml.contains("<cprover-status>FAILURE</cprover-status>"), "{xml}");
    assert!(read(dir, "property.xml").contains("name=\"queue_harness.assertion.3\""));
    let coverage = read(dir, "coverage.xml");
    assert!(coverage.contains("(100.0%)"), "{coverage}");
}

#[test]
fn coverage_names_what_is_never_reached() {
    let folder = proof();
    let dir = folder.path();
    // A queue that always has room: the line that logs is dead.
    made(dir, &["DEFINES=-DROOM=1", "coverage.xml", "result.txt"]);
    let coverage = read(dir, "coverage.xml");
    let dead: Vec<&str> = coverage.lines().filter(|l| l.contains("FAILED")).collect();
    assert!(dead.iter().any(|l| l.contains("queue.c:queue_push:9")), "{coverage}");
    assert!(dead.iter().all(|l| !l.contains("queue.c:queue_push:12")), "{coverage}");
}

#[test]
fn what_reports_are_made_from_is_there() {
    let folder = proof();
    let dir = folder.path();
    made(dir, &["harness.goto"]);
    let loops = text(&with_shims(dir, "cbmc", &["--show-loops", "--json-ui", "harness.goto"]).stdout);
    let loops: serde_json::Value = serde_json::from_str(&loops).expect("JSON");
    let names = loops.as_array().expect("a list").iter().find_map(|m| m.get("loops")).expect("loops");
    assert_eq!(names[0]["name"], "queue_sum.0", "{names}");
    let symbols = text(&with_shims(dir, "cbmc", &["--show-symbol-table", "harness.goto"]).stdout);
    assert!(symbols.contains("Symbol......: queue_push\n") && symbols.contains("queue.c line 7"), "{symbols}");
    let output = with_shims(dir, "goto-analyzer", &["--reachable-functions", "--json", "out.json", "harness.goto"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let functions: serde_json::Value = serde_json::from_str(&read(dir, "out.json")).expect("JSON");
    let names: Vec<&str> =
        functions.as_array().expect("a list").iter().filter_map(|f| f["function"].as_str()).collect();
    for name in ["queue_harness", "queue_push", "has_room", "queue_log", "queue_sum"] {
        assert!(names.iter().any(|n| n.ends_with(name)), "{names:?}");
    }
    let refused = with_shims(dir, "cbmc", &["--cover", "mcdc", "harness.goto"]);
    assert_eq!(refused.status.code(), Some(1), "{}", text(&refused.stderr));
}

/// goto-cc's linker: the first definition of a function counts, so that a proof's stubs come before the project.
#[test]
fn the_first_definition_counts() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    let harness = "int f(int);\nint main(void) {\n  __CPROVER_assert(f(1) == 7, \"the stub's\");\n}\n";
    let files =
        [("main.c", harness), ("stub.c", "int f(int x) { return 7; }\n"), ("f.c", "int f(int x) { return x; }\n")];
    for (name, text) in files {
        std::fs::write(dir.join(name), text).expect("a file");
    }
    for (order, exit) in [(["main.c", "stub.c", "f.c"], 0), (["main.c", "f.c", "stub.c"], 10)] {
        let linked = with_shims(dir, "goto-cc", &[&order[..], &["-o", "all.goto"]].concat());
        assert!(linked.status.success(), "{}", text(&linked.stderr));
        let checked = with_shims(dir, "cbmc", &["all.goto"]);
        assert_eq!(checked.status.code(), Some(exit), "{}", text(&checked.stdout));
    }
    std::fs::write(dir.join("f.c"), "long f(long x) { return x; }\n").expect("a file");
    with_shims(dir, "goto-cc", &["main.c", "stub.c", "f.c", "-o", "all.goto"]);
    let refused = with_shims(dir, "cbmc", &["all.goto"]);
    assert!(text(&refused.stderr).contains("`f` is defined in more than one input"), "{}", text(&refused.stderr));
}

/// A folder of proofs as the starter kit lays them out: `make` hands commands to litani.
#[test]
fn init_finds_proofs_and_check_runs_them_all() {
    let folder = proof();
    let dir = folder.path();
    std::fs::remove_file(dir.join("Makefile")).expect("the proof's own Makefile");
    for (name, defines, bound) in [("push_proof", "-DROOM=1", 5), ("short_proof", "-DROOM=1", 2)] {
        let proof = dir.join("proofs").join(name);
        std::fs::create_dir_all(&proof).expect("a folder");
        let text = format!(
            "HARNESS_ENTRY = queue_harness\n\
             LITANI ?= litani\nGOTODIR ?= gotos\nLOGDIR ?= logs\n\
             $(GOTODIR)/all.goto: ../../queue.c ../../queue_harness.c\n\
             \t$(LITANI) add-job --command 'goto-cc --function $(HARNESS_ENTRY) {defines} -DQUEUE=\"(1)\" $^ -o $@' --inputs $^\n\
             $(LOGDIR)/result.txt: $(GOTODIR)/all.goto\n\
             \t$(LITANI) add-job --command 'cbmc --unwind 1 --unwindset queue_sum.0:{bound} --trace $<' --outputs $@\n\
             _result: $(LOGDIR)/result.txt\n"
        );
        std::fs::write(proof.join("Makefile"), text).expect("a file");
    }
    let made = common::blitz(dir, &["init"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let listed = read(dir, "blitz.toml");
    assert_eq!(listed.matches("[[proof]]").count(), 2, "{listed}");
    assert!(listed.contains("\"-DQUEUE=(1)\""), "{listed}");
    let checked = common::blitz(dir, &["check", "-j", "1"]);
    let table = text(&checked.stdout);
    assert!(
        table.contains("push_proof") && table.contains("2 proofs: 1 successful, 1 FAILED"),
        "{table}{}",
        text(&checked.stderr)
    );
    assert!(table.contains("unwinding assertion loop 0: FAILURE"), "{table}");
    assert_eq!(checked.status.code(), Some(10));
    let one = common::blitz(dir, &["check", "--target", "push_proof"]);
    assert_eq!(one.status.code(), Some(0), "{}", text(&one.stdout));
}

/// The formula in three forms, and what other solvers say of it.
#[test]
fn the_formula_can_be_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    let program = "int main(void) {\n  unsigned x = nondet_uint(), y = x + 1;\n  if (y > 7) y = y & 3;\n  __CPROVER_assert(y != 5, \"five\");\n}\n";
    std::fs::write(dir.join("a.c"), format!("unsigned nondet_uint();\n{program}")).expect("a file");
    let shown = with_shims(dir, "cbmc", &["--show-vcc", "a.c"]);
    let conditions = text(&shown.stdout);
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    assert!(conditions.contains("VERIFICATION CONDITIONS:") && conditions.contains("five"), "{conditions}");
    assert!(conditions.contains("y#1 = (bvadd") && conditions.contains("|----"), "{conditions}");
    let own = common::blitz(dir, &["formula", "a.c"]);
    let lines = text(&own.stdout);
    assert!(lines.contains("a.c:3  main: y#1 = (bvadd"), "{lines}{}", text(&own.stderr));
    assert!(lines.contains("main.assertion.1  a.c:5  five\n  violated where"), "{lines}");
    for (option, file) in [("--smt2", "out.smt2"), ("--dimacs", "out.cnf")] {
        let written = with_shims(dir, "cbmc", &[option, "--outfile", file, "a.c"]);
        assert!(written.status.success(), "{}", text(&written.stderr));
    }
    let answer = common::blitz(dir, &["smt", "out.smt2"]);
    assert_eq!(text(&answer.stdout).trim(), "sat", "{}", text(&answer.stderr));
    assert!(read(dir, "out.cnf").starts_with("p cnf "));
    let wrong = common::blitz(dir, &["formula", "a.c", "--format", "smt2", "--property", "main.assertion.9"]);
    assert_ne!(wrong.status.code(), Some(70));
}

/// Builds a goto binary from one file, changes it with `goto-instrument`, and gives what cbmc says of it.
fn answer(text: &str, changes: &[&str], checks: &[&str]) -> Option<Output> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    std::fs::write(dir.join("a.c"), text).expect("a file");
    let built = with_shims(dir, "goto-cc", &["--function", "f", "a.c", "-o", "a.goto"]);
    assert!(built.status.success(), "{}", self::text(&built.stderr));
    let changed = with_shims(dir, "goto-instrument", &[changes, &["a.goto", "b.goto"]].concat());
    changed.status.success().then(|| with_shims(dir, "cbmc", &[checks, &["b.goto"]].concat()))
}

fn exit(text: &str, changes: &[&str], checks: &[&str]) -> Option<i32> {
    answer(text, changes, checks).and_then(|o| o.status.code())
}

/// Bounds that goto-instrument is given: a body that is copied three times may run three times.
#[test]
fn loops_are_bounded_before_cbmc_sees_them() {
    let text =
        "int n;\nvoid f(void) {\n  for (int i = 0; i < 3; i++) n++;\n  __CPROVER_assert(n == 3, \"three\");\n}\n";
    assert_eq!(exit(text, &["--unwind", "3"], &["--unwind", "1"]), Some(0));
    assert_eq!(exit(text, &["--unwind", "2"], &["--unwind", "9"]), Some(10));
    assert_eq!(exit(text, &["--unwindset", "f.0:3", "--unwinding-assertions"], &["--unwind", "1"]), Some(0));
    assert_eq!(exit(text, &["--unwindset", "f.0:2"], &["--no-unwinding-assertions"]), Some(10));
    assert_eq!(exit(text, &["--unwinding-assertions"], &["--unwind", "3"]), Some(10));
    assert_eq!(exit(text, &["--unwindset", "f.0"], &[]), None);
}

#[test]
fn static_variables_hold_anything() {
    let program = "int n = 1;\nstatic struct { int a; int *p; } s;\nstatic const int c = 5;\n\
         static struct { int a; const int b; } t;\n\
         int *count(void) { static int k; return &k; }\n\
         void f(void) {\n  __CPROVER_assert(n == 1, \"any: global\");\n  __CPROVER_assert(s.a == 0, \"any: member\");\n\
         __CPROVER_assert(s.p != &n, \"any: address\");\n  __CPROVER_assert(!s.p, \"any: pointer\");\n  __CPROVER_assert(*count() == 0, \"any: local\");\n\
         __CPROVER_assert(c == 5, \"constant\");\n  __CPROVER_assert(t.a == 0, \"constant part\");\n}\n";
    assert_eq!(exit(program, &[], &[]), Some(0));
    for (changes, checks) in [(&["--nondet-static"][..], &[][..]), (&[], &["--nondet-static"])] {
        let said = text(&answer(program, changes, checks).expect("an answer").stdout);
        let failed: Vec<&str> = said.lines().filter(|l| l.ends_with(": FAILURE")).collect();
        assert!(failed.len() == 5 && failed.iter().all(|l| l.contains("any: ")), "{said}");
    }
}

/// A body that asserts false is what a call of a function without a body is held for anyway; other bodies are refused.
#[test]
fn bodies_that_assert_false() {
    let text = "int g(void);\nvoid f(int x) { if (x == 3) g(); }\n";
    let bodies = |kind| ["--generate-function-body", "(?!__CPROVER).*", "--generate-function-body-options", kind];
    assert_eq!(exit(text, &bodies("assert-false"), &[]), Some(10));
    assert_eq!(exit(text, &bodies("nondet-return"), &[]), None);
    assert_eq!(exit(text, &bodies("assert-false")[..2], &[]), None);
}

#[test]
fn characters_without_sign() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "int main(void) { char c = 200; __CPROVER_assert(c == 200, \"no sign\"); }\n";
    std::fs::write(folder.path().join("a.c"), text).expect("a file");
    for (options, exit) in [(&["a.c", "--unsigned-char"][..], 0), (&["a.c"][..], 10)] {
        assert_eq!(with_shims(folder.path(), "cbmc", options).status.code(), Some(exit));
    }
}

/// An assertion that holds at once is no property here, but it has a number in CBMC: those behind it keep theirs.
#[test]
fn a_property_is_the_one_that_cbmc_names_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = "int main(void) {\n  int x;\n  __CPROVER_assert(1, \"one\");\n  __CPROVER_assert(x != 5, \"two\");\n\
         __CPROVER_assert(x != 5, \"three\");\n  __CPROVER_assert(x / 2 * 2 + x % 2 == x, \"four\");\n  __CPROVER_assert(x != 6, \"five\");\n}\n";
    std::fs::write(folder.path().join("a.c"), text).expect("a file");
    for (property, exit, said) in
        [(2, 10, "two: FAILURE"), (4, 0, "four: SUCCESS"), (5, 10, "five: FAILURE"), (3, 6, "")]
    {
        let property = format!("main.assertion.{property}");
        let output = with_shims(folder.path(), "cbmc", &["a.c", "--property", &property]);
        let out = self::text(&output.stdout);
        assert_eq!(output.status.code(), Some(exit), "{property}: {out}");
        assert!(out.contains(said), "{property}: {out}");
    }
}

/// In CBMC memory that was freed still holds what it held, where the checks are off that would object.
#[test]
fn freed_memory_holds_what_it_held() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = "#include <stdlib.h>\nstruct s { unsigned n; unsigned char bytes[4]; };\nint main(void) {\n  struct s *p = malloc(sizeof *p);\n  if (!p) return 1;\n\
         unsigned i;\n  p->n = 3;\n  for (int k = 0; k < 4; k++) p->bytes[k] = 0;\n  free(p);\n#pragma CPROVER check push\n#pragma CPROVER check disable \"pointer\"\n\
         __CPROVER_assume(i <= p->n);\n  __CPROVER_assert(p->bytes[i] == 0, \"zeroed\");\n#pragma CPROVER check pop\n}\n";
    let exit = |text: &str, options: &[&str]| {
        std::fs::write(folder.path().join("a.c"), text).expect("a file");
        let output = with_shims(folder.path(), "cbmc", &[&["a.c"], options].concat());
        (output.status.code(), self::text(&output.stdout))
    };
    let (code, said) = exit(program, &[]);
    assert_eq!(code, Some(0), "{said}");
    // Not all of it was cleared: no run shows that, since runs end at such a read.
    let (code, said) = exit(&program.replace("k < 4", "k < 3"), &[]);
    assert_ne!(code, Some(0), "{said}");
    // Where the check is on it objects.
    let (code, said) = exit(&program.replace("disable", "enable"), &[]);
    assert_eq!(code, Some(10), "{said}");
}
