//! The explore engine over the corpus: it says what the programs say of themselves. Quick runs take a part, `BLITZ_TEST_LONG=1` takes all.
//!
//! A tree that is not complete says nothing about what was not found, so where the time ends the search only invented violations count as wrong.

mod common;

use common::Case;
use std::path::Path;

const EVERY: usize = 12;

#[test]
fn explore_says_what_the_corpus_says() {
    let mut cases = common::all_cases();
    // Programs for one engine: too large for the others, with threads, or with marks for one property alone.
    cases.retain(|c| !["compositional", "threads"].contains(&c.topic.as_str()));
    cases.retain(|c| c.key("property").is_none() && c.key("known-bug").is_none());
    if !common::long() {
        cases.retain(|c| c.key("slow").is_none());
        cases = cases.into_iter().step_by(EVERY).collect();
    }
    common::for_all(&cases, agrees);
}

fn agrees(case: &Case) -> Result<(), String> {
    let out = tempfile::tempdir().map_err(|e| e.to_string())?;
    let path = case.path.display().to_string();
    let folder = format!("--out={}", out.path().display());
    let mut args: Vec<String> = ["check", "--engine=explore", "--no-native", "--format=json", "--timeout=60s"]
        .into_iter()
        .map(str::to_owned)
        .chain([folder, path])
        .collect();
    for (key, option) in [("checks", "--checks"), ("unwind", "--unwind"), ("flags", "--cflags"), ("alloc", "--alloc")] {
        args.extend(case.key(key).map(|value| format!("{option}={value}")));
    }
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = common::blitz(&common::root(), &args);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("no report ({e}): {}", String::from_utf8_lossy(&output.stderr)))?;
    let verdict = report["verdict"].as_str().unwrap_or("?");
    let found: Vec<(u32, String)> = report["violations"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|v| (v["line"].as_u64().unwrap_or(0) as u32, v["kind"].as_str().unwrap_or("?").to_owned()))
        .collect();
    // A pointer that nobody has set may be any: on a path it is every kind of wrong pointer, where others merge it with a good one.
    if let Some(invented) = found.iter().find(|f| !case.marks.iter().any(|m| m.0 == f.0)) {
        return Err(format!("invented {invented:?}"));
    }
    let out_of_time = report["reason"].as_str().is_some_and(|r| r.contains("out of time"));
    let wanted = case.key("verdict").unwrap_or("?");
    let missing = verdict == "violation" && case.marks.iter().any(|m| !found.contains(m));
    // What comes behind a check that is switched off is a gap for this engine (docs/engines/explore.md).
    let behind_unchecked = case.topic == "unchecked" && verdict == "unknown";
    if (verdict == wanted && !missing) || (verdict != "safe" && out_of_time) || behind_unchecked {
        return Ok(());
    }
    Err(format!("{verdict} ({}), not {wanted}; found {found:?}", report["reason"]))
}

/// The execution tree of a program, as text.
fn tree(name: &str, text: &str, args: &[&str]) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explore");
    std::fs::create_dir_all(&folder).expect("a folder for the programs");
    let file = format!("{name}.c");
    std::fs::write(folder.join(&file), text).expect("a program");
    let out = tempfile::tempdir().expect("a folder for the results");
    let out = format!("--out={}", out.path().display());
    let all = [&["explore", "--no-native", "--quiet", "--tree=-", &out, &file], args].concat();
    let output = common::blitz(&folder, &all);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let start =
        text.find("true").unwrap_or_else(|| panic!("no tree: {text}{}", String::from_utf8_lossy(&output.stderr)));
    text[start..].to_owned()
}

/// The programs of "Symbolic Execution and Applications" (IA159), with the trees of its slides.
#[test]
fn sum_has_one_leaf() {
    let sum =
        "int sum(int a, int b, int c) {\n  int x = a + b;\n  int y = b + c;\n  int z = x + y - b;\n  return z;\n}\n";
    assert_eq!(tree("sum", sum, &["--entry=sum", "--checks=assertion"]), "true: exit, returns a + b + c\n");
}

#[test]
fn foo_has_three_leaves() {
    let foo = "int nondet_int(void);\nint foo(int x, int y) {\n  if (x > y) {\n    y = x;\n  }\n  y = y - x;\n  if (y > 7) {\n    x = nondet_int();\n  }\n  return x + y;\n}\n";
    let expected = "\
true  (foo, foo.c:3)
  x > y: exit, returns x
  x <= y  (foo, foo.c:7)
    y - x > 7: exit, returns y + nondet_int - x
    y - x <= 7: exit, returns y
";
    assert_eq!(tree("foo", foo, &["--entry=foo", "--checks=assertion"]), expected);
}

const POWER: &str =
    "int power(int x) {\n  int z = 1;\n  while (x > 0) {\n    x = x - 1;\n    z = 2 * z;\n  }\n  return z;\n}\n";

#[test]
fn power_goes_on_as_far_as_it_is_unwound() {
    let expected = "\
true  (power, power.c:3)
  x > 0  (power, power.c:3)
    x - 1 > 0  (power, power.c:3)
      x - 2 > 0  (power, power.c:3)
        x - 3 > 0: bound at power.c:3
        x - 3 <= 0: exit, returns 8
      x - 2 <= 0: exit, returns 4
    x - 1 <= 0: exit, returns 2
  x <= 0: exit, returns 1
";
    assert_eq!(tree("power", POWER, &["--entry=power", "--checks=assertion", "--unwind=3"]), expected);
}

/// With its arithmetic checked the tree of `power` is finite: 2 to the 31st is no `int`.
#[test]
fn power_ends_in_an_overflow() {
    let tree = tree("power-checked", POWER, &["--entry=power"]);
    assert_eq!(tree.matches("exit, returns").count(), 31, "{tree}");
    assert_eq!(tree.matches(": violation").count(), 1, "{tree}");
    assert!(!tree.contains("not followed"), "{tree}");
}

#[test]
fn top_has_sixteen_paths_and_aborts_on_five() {
    let top = "#include <stdlib.h>\nvoid klee_make_symbolic(void *, unsigned long, const char *);\nvoid top(char input[4]) {\n  int cnt = 0;\n  if (input[0] == 'b') cnt++;\n  if (input[1] == 'a') cnt++;\n  if (input[2] == 'd') cnt++;\n  if (input[3] == '!') cnt++;\n  if (cnt >= 3) abort();\n}\nint main(void) {\n  char in[4];\n  klee_make_symbolic(in, sizeof in, \"input\");\n  top(in);\n  return 0;\n}\n";
    for searcher in ["mixed", "dfs", "bfs", "random-path", "new-coverage"] {
        let tree = tree(&format!("top-{searcher}"), top, &["--searcher", searcher]);
        assert_eq!(tree.matches(": exit").count(), 11, "{tree}");
        assert_eq!(tree.matches(": abort 134").count(), 5, "{tree}");
    }
}

const SORTS: &str = "#include <stdio.h>\n#include <stdlib.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int(), c = getchar();\n  if (n < 0) return 1;\n  char *p = malloc(4);\n  if (!p) return 2;\n  if (c == 'x') p[0] = 1; else p[1] = 2;\n  free(p);\n  return n > 100 ? 3 : 0;\n}\n";

/// Explores `SORTS` into a folder of its own; gives the folder and how many tests there are.
fn suite(args: &[&str]) -> (tempfile::TempDir, Vec<String>) {
    let out = tempfile::tempdir().expect("a folder for the results");
    std::fs::write(out.path().join("sorts.c"), SORTS).expect("a program");
    let output = common::blitz(out.path(), &[&["explore", "--no-native", "--out=out", "sorts.c"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let entries = std::fs::read_dir(out.path().join("out/tests")).expect("a folder of tests");
    let mut names: Vec<String> =
        entries.map(|e| e.expect("a test").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    (out, names)
}

#[test]
fn tests_come_in_every_format() {
    let (folder, names) = suite(&["--tests=inputs,ktest,testcomp"]);
    let tests = names.iter().filter(|n| n.ends_with(".json")).count();
    assert_eq!((tests, names.len()), (7, 15), "{names:?}");
    let read = |name: &str| std::fs::read(folder.path().join("out").join(name)).expect("a file of the suite");
    assert!(read("tests/test000001.ktest").starts_with(b"KTEST\0\0\0\x03"));
    let archive = read("tests/testcomp.zip");
    let cases = archive.windows(10).filter(|w| *w == b"<testcase>").count();
    assert!(archive.starts_with(b"PK\x03\x04") && cases == tests, "{cases}");
    let coverage = String::from_utf8(read("coverage.info")).expect("text");
    assert!(coverage.contains("SF:") && coverage.contains("DA:6,7\n"), "{coverage}");
    let page = String::from_utf8(read("report.html")).expect("text");
    assert!(page.contains("<section id=\"tree\">") && page.contains("__VERIFIER_nondet_int &lt; 0"));
}

#[test]
fn fewer_tests_go_through_the_same_code() {
    let (_folder, names) = suite(&["--minimise=coverage", "--tests=inputs"]);
    assert!((3..7).contains(&names.len()), "{names:?}");
}

const LETTERS: &str = "#include <stdio.h>\nint main(void) {\n  int n = 0;\n  for (int i = 0; i < 3; i++) {\n    int c = getchar();\n    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_')\n      n += 3;\n    else\n      n++;\n  }\n  return n > 7;\n}\n";

/// Ways that meet are one path: fewer paths, the same lines, and a way that only some inputs of a path go has a test of its own.
#[test]
fn ways_followed_together_reach_the_same_lines() {
    let folder = tempfile::tempdir().expect("a folder for the results");
    std::fs::write(folder.path().join("letters.c"), LETTERS).expect("a program");
    let [apart, merged] = [&[][..], &["--merge"][..]].map(|more| {
        let args = ["explore", "--no-native", "--max-fail=0", "--tests=inputs", "--out=out", "letters.c"];
        let output = common::blitz(folder.path(), &[&args[..], more].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{said}");
        let tree = std::fs::read_to_string(folder.path().join("out/tree.json")).expect("a tree");
        let tree: serde_json::Value = serde_json::from_str(&tree).expect("JSON");
        assert_eq!((&tree["complete"], &tree["diverged"]), (&true.into(), &0.into()), "{said}");
        let coverage = std::fs::read_to_string(folder.path().join("out/coverage.info")).expect("coverage");
        let lines = coverage.lines().filter(|l| l.starts_with("DA:") && !l.ends_with(",0")).count();
        (tree["paths"].as_u64().expect("a number"), lines)
    });
    assert!(merged.0 * 10 < apart.0, "{} paths instead of {}", merged.0, apart.0);
    assert_eq!(merged.1, apart.1, "lines");
}

#[test]
fn the_environment_can_be_limited() {
    let (folder, names) = suite(&["--max-fail=0", "--sym-stdin=0", "--tests=inputs"]);
    assert_eq!(names.len(), 2, "no byte to read and no allocation that fails: {names:?}");
    let report = std::fs::read_to_string(folder.path().join("out/report.json")).expect("a report");
    assert!(report.contains("--sym-stdin") && report.contains("--max-fail"), "an answer names what it rests on");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("sorts.c"), SORTS).expect("a program");
    for args in [
        &["--sym-args", "3", "1", "2"][..],
        &["--sym-args", "0", "99", "2"],
        &["--searcher", "far"],
        &["--to", "elsewhere.c:3"],
        &["--tests", "tap"],
        &["--minimise", "time"],
        &["--engine", "bmc"],
    ] {
        let output = common::blitz(folder.path(), &[&["explore", "sorts.c"], args].concat());
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert_eq!(text.trim().lines().count(), 1, "{args:?}: {text}");
    }
}

const OPTIONS: &str = "#include <getopt.h>\n#include <stdlib.h>\n\
static const struct option longs[] = {{\"all\", no_argument, 0, 'a'}, {\"help\", no_argument, 0, -130}, {0, 0, 0, 0}};\n\
int main(int argc, char **argv) {\n  int c, n = getenv(\"N\") != NULL;\n\
  while ((c = getopt_long(argc, argv, \"ab\", longs, NULL)) != -1)\n\
    switch (c) {\n    case 'a': n += 2; break;\n    case 'b': n += 4; break;\n    case -130: return 3;\n    default: return 1;\n    }\n\
  return optind < argc ? 8 + n : n;\n}\n";

/// Options as GNU's programs read them: grouped letters, options behind other arguments, long names with a negative value. The environment is left
/// out, so no answer hangs on a variable; how many states are kept changes no path.
#[test]
fn options_are_followed_in_every_order() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("options.c"), OPTIONS).expect("a program");
    let run = |snapshots: &str| {
        let out = format!("--out=out{snapshots}");
        let states = format!("--snapshots={snapshots}");
        let mut args = vec!["explore", "options.c", "--sym-args", "0", "1", "4", "--sym-args", "0", "1", "2"];
        args.extend(["--no-environment", "--no-native", "--status-json=status.json", "--timeout=100s", &states, &out]);
        let output = common::blitz(folder.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let tests = folder.path().join(format!("out{snapshots}/tests"));
        let mut found: Vec<(String, Vec<String>)> = std::fs::read_dir(tests)
            .expect("tests")
            .map(|e| e.expect("an entry").path())
            .filter(|p| p.extension().is_some_and(|e| e == "json"))
            .map(|p| {
                let test: serde_json::Value = serde_json::from_slice(&std::fs::read(p).expect("a test")).expect("JSON");
                assert_eq!(test["as_predicted"], true, "{test}");
                let text = |v: &serde_json::Value| v.as_str().unwrap_or_default().to_owned();
                (text(&test["status"]), test["args"].as_array().expect("arguments").iter().map(text).collect())
            })
            .collect();
        found.sort();
        found
    };
    let found = run("1000");
    for status in ["0", "1", "2", "3", "4", "6", "8", "10", "12"] {
        assert!(found.iter().any(|(s, _)| s == status), "some test should end with {status}: {found:?}");
    }
    let behind = |(_, args): &(String, Vec<String>)| args.len() == 2 && !args[0].starts_with('-') && args[1] == "-a";
    assert!(found.iter().any(behind), "an option behind another argument: {found:?}");
    let ends = |tests: &[(String, Vec<String>)]| tests.iter().map(|(status, _)| status.clone()).collect::<Vec<_>>();
    assert_eq!(ends(&found), ends(&run("0")), "paths from the start should be the paths from snapshots");
    let status = std::fs::read(folder.path().join("status.json")).expect("a status");
    let status: serde_json::Value = serde_json::from_slice(&status).expect("JSON");
    assert_eq!((&status["done"], &status["complete"]), (&true.into(), &true.into()));
    let page = std::fs::read_to_string(folder.path().join("out0/coverage.html")).expect("a page");
    assert!(page.contains("options.c") && page.contains("class=\"hit\""));
}
