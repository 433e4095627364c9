//! Daily use: what a new user stumbles over, one test for each complaint.
//!
//! | complaint | tests |
//! |---|---|
//! | the search ends with the first violation, unsaid | `the_time_is_used_unless_told_otherwise_and_the_output_says_how_it_ended` |
//! | limits do not hold while a candidate runs | `limits_hold_while_a_candidate_runs` |
//! | a vacuous `safe` | `every_verdict_says_what_was_looked_at`, `an_assumption_that_cannot_hold_is_a_warning`, `most_of_a_program_unreached_is_a_warning` |
//! | a `safe` that is false: large allocations, misspelt functions, unknown standards | `tests/c/regress/gigabytes-of-zeros`, `bad_input.rs` |
//! | readers of numbers end in `unknown` | `a_program_that_reads_numbers_can_be_mended`, `tutorial.rs` |
//! | what nothing reaches costs time | `functions_that_nothing_reaches_cost_nothing` |
//! | `init` writes projects that do not work | `init_writes_projects_that_work`, `project.rs` |
//! | libraries | `a_library_gets_one_report_with_a_table_of_preconditions`, `what_a_function_gives_its_caller_is_no_leak` |
//! | findings come late and get lost, runs collide | `a_finding_is_printed_and_written_while_the_search_goes_on_and_survives_a_kill`, `endings.rs` |
//! | no suggestions | `mistyped_words_get_a_suggestion`, `c_comes_from_standard_input` |
//! | values and texts that nobody can read | `values_are_told_in_the_words_of_the_program`, `narrow_terminals_are_not_flooded` |
//! | the HTML report | `html.rs` |
//! | how to get it | `packages_hold_what_a_first_finding_needs`, `a_kit_names_lines_without_llvms_symbolizer` |

mod common;

use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, contents) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file should lie in a folder")).expect("writable");
        std::fs::write(path, contents).expect("writable");
    }
    folder
}

fn blitz(folder: &Path, args: &[&str]) -> Output {
    common::blitz(folder, args)
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn both(output: &Output) -> String {
    format!("{}{}", out(output), String::from_utf8_lossy(&output.stderr))
}

fn refusal(folder: &Path, args: &[&str]) -> String {
    let output = blitz(folder, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", both(&output));
    String::from_utf8_lossy(&output.stderr).trim_end().to_owned()
}

/// The second bug needs a hash that only a search of seconds finds, the third never comes.
const SLOW: &str = r#"#include <stdio.h>
int main(void) {
  int a[4] = {0}, x = getchar();
  if (x == 'a') a[4] = 1;
  unsigned h = 0, n = 0;
  while ((x = getchar()) != EOF) {
    n++;
    h = h * 31 + x * x;
    if (h == 0xdeadbeef && n > 300) a[n] = 1;
  }
  return a[0];
}
"#;

/// Starts a check of a search that does not end, and waits until it has printed something.
fn started(folder: &Path) -> std::process::Child {
    let mut child = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "slow.c", "--timeout", "600s", "--format", "jsonl"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("blitz should start");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("piped");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut line).expect("readable");
    let violation: Value = serde_json::from_str(&line).expect("a line should be JSON");
    assert_eq!(violation["violation"]["kind"], "array-bounds", "{line}");
    child
}

#[test]
fn a_finding_is_printed_and_written_while_the_search_goes_on_and_survives_a_kill() {
    let folder = folder_with(&[("slow.c", SLOW)]);
    let mut child = started(folder.path());
    let latest = folder.path().join("blitz-out/latest");
    let begun = Instant::now();
    while !latest.join("report.json").exists() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(child.try_wait().expect("a child can be asked").is_none(), "the search should go on");
    child.kill().expect("a child can be killed");
    child.wait().expect("a killed child ends");
    let report: Value = serde_json::from_slice(&std::fs::read(latest.join("report.json")).expect("a report")).unwrap();
    assert_eq!((&report["verdict"], &report["partial"]), (&Value::from("violation"), &Value::from(true)));
    assert_eq!(report["violations"][0]["confirmed"], "native", "{report}");
    let lines = std::fs::read_to_string(latest.join("findings.jsonl")).expect("lines");
    assert_eq!(lines.lines().count(), 1);
    let replayed = blitz(folder.path(), &["replay"]);
    assert_eq!(replayed.status.code(), Some(10), "{}", both(&replayed));
    assert!(out(&blitz(folder.path(), &["report"])).contains("report.html"));
}

#[test]
fn the_time_is_used_unless_told_otherwise_and_the_output_says_how_it_ended() {
    let folder = folder_with(&[("slow.c", SLOW)]);
    let used = |args: &[&str]| {
        let begun = Instant::now();
        let output = blitz(folder.path(), &[&["check", "slow.c", "--no-native", "--timeout", "6s"], args].concat());
        (begun.elapsed().as_secs_f64(), both(&output))
    };
    let (seconds, text) = used(&[]);
    assert!(seconds > 4.0 && text.contains("until all of its time was used"), "{seconds} s: {text}");
    let (_, text) = used(&["--first"]);
    assert!(text.contains("ended at the first violation (--first)"), "{text}");
}

/// A helper that no execution reaches, a loop without an end, and an assumption that can't hold.
const PARTS: &str = r#"#include <stdio.h>
static int used(int x) { return x + 1; }
int unused(int x) { int a[2]; return a[x]; }
int main(void) {
  int n = 0, c;
  while ((c = getchar()) != EOF) n += c == 'x' ? 1 : 0;
  return used(1) + (n == 7);
}
"#;

#[test]
fn every_verdict_says_what_was_looked_at() {
    let folder = folder_with(&[("parts.c", PARTS)]);
    let output = blitz(folder.path(), &["check", "parts.c", "--checks", "memory", "--out", "r", "--timeout", "5s"]);
    let text = out(&output);
    assert!(text.contains("2 of 3 functions") && text.contains("not reached: unused"), "{text}");
    let table = out(&blitz(folder.path(), &["coverage", "r"]));
    assert!(table.contains("unused") && table.contains("not reached"), "{table}");
    assert!(table.contains("loop main.1"), "{table}");
    let lcov = out(&blitz(folder.path(), &["coverage", "r", "--format", "lcov"]));
    assert!(lcov.contains("FNDA:1,used") && lcov.contains("FNDA:0,unused") && lcov.contains("DA:7,1"), "{lcov}");
    let json: Value = serde_json::from_slice(&std::fs::read(folder.path().join("r/report.json")).unwrap()).unwrap();
    let functions = json["coverage"]["functions"].as_array().expect("functions");
    let status = |name: &str| functions.iter().find(|f| f["name"] == name).map(|f| f["status"].clone());
    assert_eq!((status("main"), status("unused")), (Some("reached".into()), Some("not-reached".into())));
}

#[test]
fn an_assumption_that_cannot_hold_is_a_warning() {
    let text = "int nondet_int(void);\nvoid __VERIFIER_assume(int);\nint main(void) {\n  int x = nondet_int();\n  \
                __VERIFIER_assume(x > 5);\n  __VERIFIER_assume(x < 3);\n  return 1 / x;\n}\n";
    let folder = folder_with(&[("a.c", text)]);
    let said = out(&blitz(folder.path(), &["check", "a.c"]));
    assert!(said.contains("warning: the assumption at a.c:6 holds in no execution"), "{said}");
}

#[test]
fn most_of_a_program_unreached_is_a_warning() {
    let library: String = (0..20).map(|i| format!("int f{i}(int *p) {{ return *p; }}\n")).collect();
    let folder = folder_with(&[("a.c", &format!("{library}int main(void) {{ return 0; }}\n"))]);
    let said = out(&blitz(folder.path(), &["check", "a.c"]));
    assert!(said.contains("most of the program was not reached (1 of 21 functions)"), "{said}");
}

#[test]
fn functions_that_nothing_reaches_cost_nothing() {
    let many: String = (0..30_000)
        .map(|i| {
            format!(
                "int f{i}(int *p, int n) {{ for (int i = 0; i < n; i++) p[i] += f{}(p, n); return p[n]; }}\n",
                (i + 1) % 30_000
            )
        })
        .collect();
    let prototypes: String = (0..30_000).map(|i| format!("int f{i}(int *, int);\n")).collect();
    let main = "static int half(int x) { return x / 2; }\nint main(int argc, char **argv) { (void)argv; return half(argc) == 77; }\n";
    let folder = folder_with(&[("many.c", &format!("{prototypes}{many}{main}"))]);
    let report = |engine: &str| -> Value {
        let output = blitz(folder.path(), &["check", "many.c", "--engine", engine, "--format", "json"]);
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", both(&output)))
    };
    let all: Vec<Value> = ["auto", "incremental", "bmc", "stratified"].map(report).to_vec();
    for one in &all {
        assert_eq!(one["verdict"], "safe");
        assert_eq!(one["properties"].as_array().map(Vec::len), all[0]["properties"].as_array().map(Vec::len));
        assert!(one["properties"].as_array().is_some_and(|p| p.len() < 100));
    }
}

const RING: &str = r#"#include <stddef.h>
#include <string.h>
struct ring { unsigned count, cap; int *items; };
static int full(const struct ring *r) { return r->count == r->cap; }
void ring_push(struct ring *r, int x) { if (!full(r)) r->items[r->count++] = x; }
int sum4(int a[static 4]) { return a[0] / 8 + a[1] / 8 + a[2] / 8 + a[3] / 8; }
__attribute__((nonnull)) size_t length(const char *s) { return strlen(s); }
int percent(int part, int whole) { return part / whole; }
"#;

#[test]
fn a_library_gets_one_report_with_a_table_of_preconditions() {
    let folder = folder_with(&[("ring.c", RING)]);
    let output = blitz(folder.path(), &["check", "--entries", "all", "ring.c", "--timeout", "120s"]);
    let text = out(&output);
    assert_eq!(output.status.code(), Some(10), "{}", both(&output));
    assert!(text.contains("functions that need a precondition"), "{text}");
    assert!(text.contains("r != NULL"), "{text}");
    assert!(text.contains("error[div-by-zero]"), "any caller can divide by zero: {text}");
    assert!(!text.contains("error[null-deref]") && !text.contains("error[buffer-overflow]"), "{text}");
    assert!(!text.contains("  sum4") && !text.contains("  length"), "attributes are respected: {text}");
    assert!(text.lines().count() < 60, "{text}");
    let json = blitz(folder.path(), &["check", "--entries", "all", "ring.c", "--timeout", "120s", "--format", "json"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap_or_else(|e| panic!("{e}: {}", both(&json)));
    assert_eq!((&json["verdict"], &json["violations"][0]["entry"]), (&"violation".into(), &"percent".into()));
    assert!(json["needs"].as_array().is_some_and(|n| !n.is_empty()), "{}", json["needs"]);
    assert_eq!(blitz(folder.path(), &["replay"]).status.code(), Some(10));
    let page = out(&blitz(folder.path(), &["report"]));
    assert_eq!(page.lines().count(), 1, "one merged report: {page}");
}

#[test]
fn a_library_may_call_functions_of_its_callers() {
    let text = "typedef int (*visit)(void *user, const char *key, int n);
typedef void (*seen)(int n);
int each(const char *s, visit f, void *user) {
  int table[4] = {0};
  int at = f(user, s, 1);
  return table[at];
}
int share(seen f, int whole) {
  if (f)
    f(whole);
  return 100 / whole;
}
";
    let folder = folder_with(&[("each.c", text)]);
    let output = blitz(folder.path(), &["check", "--entries", "all", "each.c", "--timeout", "60s", "--no-native"]);
    let text = out(&output);
    assert!(text.contains("f != NULL, else null-deref"), "{}", both(&output));
    assert!(text.contains("another result of f than") && !text.contains("error[array-bounds]"), "{text}");
    assert!(text.contains("error[div-by-zero]") && text.contains("share"), "{text}");
}

#[test]
fn what_a_function_gives_its_caller_is_no_leak() {
    let made = "#include <stdlib.h>
struct item { int n; };
struct item *make(int n) {
  struct item *i = malloc(sizeof *i);
  if (i != 0)
    i->n = n;
  return i;
}
";
    let folder = folder_with(&[("make.c", made), ("lose.c", &made.replace("return i;", "return n == 7 ? 0 : i;"))]);
    let output = blitz(folder.path(), &["check", "make.c", "--entry", "make"]);
    assert_eq!(output.status.code(), Some(0), "{}", both(&output));
    let output = blitz(folder.path(), &["check", "lose.c", "--entry", "make"]);
    assert!(
        out(&output).contains("error[memory-leak]") && out(&output).contains("confirmed natively"),
        "{}",
        both(&output)
    );
}

#[test]
fn limits_hold_while_a_candidate_runs() {
    let folder = folder_with(&[(
        "many.c",
        "#include <stdlib.h>
unsigned nondet_uint(void);
int main(void) {
  unsigned n = nondet_uint();
  if (n < 1000000 || n > 100000000) return 0;
  long *p = calloc(n, 8);
  if (p) p[n] = 1;
  free(p);
  return 0;
}
",
    )]);
    let begun = Instant::now();
    let args = ["check", "many.c", "--timeout", "20s", "--memory", "2G", "--no-native", "--format", "json"];
    let output = blitz(folder.path(), &args);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", both(&output)));
    assert_eq!(report["violation"]["kind"], "buffer-overflow", "{report:#}");
    assert!(begun.elapsed() < Duration::from_secs(24), "{:?}", begun.elapsed());
}

#[test]
fn a_program_that_reads_numbers_can_be_mended() {
    let program = "#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int table[10] = {0};
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 0 || n >= 10) return 1;
  return table[n];
}
";
    let folder = folder_with(&[("good.c", program), ("bad.c", &program.replace("n >= 10", "n > 10"))]);
    assert_eq!(blitz(folder.path(), &["check", "good.c", "--timeout", "60s"]).status.code(), Some(0));
    assert_eq!(blitz(folder.path(), &["check", "bad.c", "--timeout", "60s"]).status.code(), Some(10));
}

#[test]
fn a_harness_is_a_test_that_can_be_changed() {
    let ring = "struct ring { int data[8]; unsigned count, cap; };
int top(struct ring *r) { return r->count < r->cap ? r->data[r->count] : 0; }
";
    let folder = folder_with(&[("ring.c", ring)]);
    let text = out(&blitz(folder.path(), &["harness", "top", "ring.c"]));
    std::fs::write(folder.path().join("test.c"), &text).expect("writable");
    let output = blitz(folder.path(), &["check", "ring.c", "test.c"]);
    assert!(
        out(&output).contains("error[null-deref]") && out(&output).contains("confirmed natively"),
        "{}",
        both(&output)
    );
    let narrowed = "__VERIFIER_assume(argument0 && ((unsigned *)argument0)[9] <= 8);";
    let changed = text.replace("/* __VERIFIER_assume(argument0 != 0); */", narrowed);
    assert_ne!(changed, text);
    std::fs::write(folder.path().join("test.c"), changed).expect("writable");
    let output = blitz(folder.path(), &["check", "ring.c", "test.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", both(&output));
}

#[test]
fn a_kit_names_lines_without_llvms_symbolizer() {
    let folder = folder_with(&[(
        "copy.c",
        "#include <string.h>\nint main(int argc, char **argv) {\n  char s[4];\n  if (argc > 1) strcpy(s, argv[1]);\n  return 0;\n}\n",
    )]);
    // A PATH with what a kit needs, and LLVM's symbolizer not among it.
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).expect("writable");
    for tool in [
        "bash",
        "env",
        "mktemp",
        "rm",
        "mkdir",
        "mv",
        "cp",
        "head",
        "tr",
        "dirname",
        "timeout",
        "grep",
        "cat",
        "addr2line",
        "ld",
    ] {
        let found = Path::new("/usr/bin").join(tool);
        std::os::unix::fs::symlink(found, bin.join(tool)).expect("a link should be made");
    }
    let clang = std::env::var("BLITZ_CLANG").unwrap_or_else(|_| "/usr/bin/clang-19".into());
    let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "copy.c", "--timeout", "60s"])
        .current_dir(folder.path())
        .env("PATH", &bin)
        .env("BLITZ_CLANG", clang)
        .output()
        .expect("blitz should start");
    assert!(out(&output).contains("confirmed natively"), "{}", both(&output));
}

#[test]
fn packages_hold_what_a_first_finding_needs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let script = std::fs::read_to_string(root.join("scripts/dist.sh")).expect("the script should be there");
    let line =
        |begin: &str| script.lines().find(|l| l.starts_with(begin)).expect("the script should say what is needed");
    let (depends, needs) = (line("Depends:"), line("needs="));
    let message = std::fs::read_to_string(root.join("crates/frontend/src/driver/clang.rs")).expect("the source");
    let message = message.replace("\\\n", "").split_whitespace().collect::<Vec<_>>().join(" ");
    for needed in ["clang-19", "libclang-rt-19-dev", "binutils", "libc6-dev"] {
        assert!(needs.contains(needed), "{needs}");
    }
    let packages = needs.trim_start_matches("needs=").trim_matches('"');
    assert!(message.contains(&format!("apt install {packages}")), "where clang is missing, the same should be said");
    assert!(depends.contains("${needs// /, }") && script.contains("apt install $needs"), "{depends}");
    assert!(
        !depends.contains("llvm-19-dev") && script.contains("install -m 755 -s"),
        "small, and no LLVM to build with"
    );
    let docker = std::fs::read_to_string(root.join("contrib/docker/Dockerfile")).expect("the image should be there");
    assert!(docker.contains("dist/*.deb"), "{docker}");
}

#[test]
fn mistyped_words_get_a_suggestion() {
    let folder = folder_with(&[("two.c", "int helper(int x) { return x; }\nint main(void) { return helper(0); }\n")]);
    let says = |args: &[&str], part: &str| {
        let said = refusal(folder.path(), args);
        assert!(said.contains(part), "{args:?}: {said}");
    };
    says(&["chek", "two.c"], "did you mean `check`?");
    says(&["check", "--timeot", "3", "two.c"], "did you mean `--timeout`?");
    says(&["check", "--engine", "incremetal", "two.c"], "did you mean `incremental`?");
    says(&["check", "--checks", "memroy", "two.c"], "did you mean `memory`?");
    says(&["check", "towo.c"], "did you mean `two.c`?");
    says(&["check", "--entry", "helpr", "two.c"], "did you mean `helper`?");
    says(&["check", "-O2", "two.c"], "behind `--`");
    says(&["two.c"], "blitz check two.c");
    std::fs::write(folder.path().join("lib.c"), "int f(int x) { return x; }\n").expect("writable");
    says(&["check", "lib.c"], "--entry");
    says(&["check", "two.c", "--out", "/proc/nowhere"], "nothing can be written to /proc/nowhere");
    let help = blitz(folder.path(), &["help", "check"]);
    assert!(help.status.success() && out(&help).contains("--timeout"), "{}", both(&help));
}

#[test]
fn options_behind_the_dashes_are_for_clang() {
    let folder = folder_with(&[("a.c", "int main(void) { return 0; }\n")]);
    let said = refusal(folder.path(), &["check", "a.c", "--", "-DX", "--timeout", "5s"]);
    assert!(said.contains("put `--timeout` before it"), "{said}");
}

#[test]
fn c_comes_from_standard_input() {
    let folder = folder_with(&[]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "-", "--format", "json"])
        .current_dir(folder.path())
        .env("XDG_CACHE_HOME", folder.path().join("cache"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("blitz should start");
    let text = b"int main(int argc, char **argv) { return 8 / (argc - 2); }\n";
    child.stdin.take().expect("piped").write_all(text).expect("writable");
    let output = child.wait_with_output().expect("it ends");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["verdict"], &report["violation"]["confirmed"]), (&"violation".into(), &"native".into()));
}

const MEMBERS: &str = r#"#include <stdlib.h>
struct file { long offset; char *name; size_t count; };
void set(struct file *p, size_t n) {
  p->count = n;
  p->offset = 2;
}
int main(void) {
  struct file f;
  set(&f, (size_t)-1);
  f.count = 2;
  char *p = &((char *)&f)[f.count];
  return 4 / (f.offset - 2) + (p != 0);
}
"#;

#[test]
fn values_are_told_in_the_words_of_the_program() {
    let folder = folder_with(&[("m.c", MEMBERS)]);
    let text = out(&blitz(folder.path(), &["check", "m.c", "--no-native", "--trace", "full"]));
    assert!(text.contains("f.count = 2") || text.contains("p->count ="), "members by name: {text}");
    assert!(!text.contains(" at offset "), "no offsets where the source has a name: {text}");
    assert!(text.contains("n = 18446744073709551615") && !text.contains("n = -1"), "size_t is unsigned: {text}");
    assert!(text.contains("p = &f"), "pointers by the object's name: {text}");
    assert!(text.contains("error[div-by-zero]"), "the finding is on stdout: {text}");
}

#[test]
fn string_literals_are_told_by_their_text() {
    let text = "static int get(const char *s, int i) { return s[i]; }
int main(int argc, char **argv) {
  char *s = \"abc\";
  if (argc > 1)
    s[0] = 'x';
  return get(\"hello\", argc);
}
";
    let folder = folder_with(&[("lit.c", text)]);
    let text = out(&blitz(folder.path(), &["check", "lit.c", "--no-native", "--trace", "full"]));
    assert!(
        text.contains("write of 1 byte at offset 0 of the string literal \"abc\" (4 bytes), which is constant"),
        "{text}"
    );
    assert!(text.contains("s = \"abc\"") && !text.contains(".str"), "{text}");
}

#[test]
fn narrow_terminals_are_not_flooded() {
    let folder = folder_with(&[("m.c", MEMBERS)]);
    let output = Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(["check", "m.c", "--no-native"])
        .current_dir(folder.path())
        .env("COLUMNS", "44")
        .output()
        .expect("blitz should start");
    let text = out(&output);
    let widest = text.lines().map(|l| l.chars().count()).max().unwrap_or(0);
    assert!(widest <= 80, "{widest} columns: {text}");
}

#[test]
fn init_writes_projects_that_work() {
    let shared = "int half(int x) { return x / 2; }\n";
    let program = |name: &str| {
        format!(
            "#include \"half.h\"\n/* {name} */\nint main(int argc, char **argv) {{ (void)argv; return half(argc) == 99; }}\n"
        )
    };
    let (one, two) = (program("one"), program("two"));
    let header = ("include/half.h", "int half(int x);\n");
    // Two programs and a src/ layout with headers of its own.
    let folder = folder_with(&[("src/one.c", &one), ("src/two.c", &two), ("src/half.c", shared), header]);
    assert!(blitz(folder.path(), &["init"]).status.success());
    let checked = blitz(folder.path(), &["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}", both(&checked));
    assert!(both(&checked).contains("target one") && both(&checked).contains("target two"), "{}", both(&checked));
    // A Makefile that defines what the sources need.
    let limit =
        "int limit(void) { return LIMIT; }\nint main(int argc, char **argv) { (void)argv; return argc / limit(); }\n";
    let makefile = "CFLAGS = -DLIMIT=4 -O2\napp: limit.o\n\t$(CC) -o $@ $<\n%.o: %.c\n\t$(CC) $(CFLAGS) -c $<\n";
    let folder = folder_with(&[("limit.c", limit), ("Makefile", makefile)]);
    assert!(blitz(folder.path(), &["init"]).status.success());
    let checked = blitz(folder.path(), &["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}", both(&checked));
    // A library without a main.
    let folder = folder_with(&[("src/half.c", shared), header]);
    assert!(blitz(folder.path(), &["init"]).status.success());
    let checked = blitz(folder.path(), &["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}", both(&checked));
    // A database with two programs.
    let folder = folder_with(&[("one.c", &one), ("two.c", &two), ("half.c", shared), header]);
    let entry =
        |name: &str| format!("{{\"directory\": \".\", \"file\": \"{name}\", \"command\": \"cc -Iinclude -c {name}\"}}");
    let database = format!("[{}, {}, {}]", entry("one.c"), entry("two.c"), entry("half.c"));
    std::fs::write(folder.path().join("compile_commands.json"), database).expect("writable");
    assert!(blitz(folder.path(), &["init"]).status.success());
    let toml = std::fs::read_to_string(folder.path().join("blitz.toml")).expect("a project file");
    assert!(toml.contains("program = \"one\"") && toml.contains("program = \"two\""), "{toml}");
    let checked = blitz(folder.path(), &["check"]);
    assert_eq!(checked.status.code(), Some(0), "{}", both(&checked));
}
