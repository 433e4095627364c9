//! Tests of paths as kits: `tests/replay.sh` runs them natively, and each ends as its path predicts. Harnesses for libFuzzer as they are.

mod common;

use std::path::Path;
use std::process::Command;

/// Arguments, a variable, standard input, the contents of a file, calls that fail and one's own inputs: each decides an exit status.
const INPUTS: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nextern int __VERIFIER_nondet_int(void);\n\
int main(int argc, char **argv) {\n  int status = __VERIFIER_nondet_int() > 7;\n  char *p = malloc(3);\n  if (!p) return 40;\n  free(p);\n\
  if (argc > 1) {\n    FILE *f = fopen(argv[1], \"r\");\n    if (!f) return 41;\n    int c = getc(f);\n    if (c == 'q') abort();\n    status += c == EOF ? 2 : c == 0xff ? 4 : 6;\n  }\n\
  if (getchar() == 0) status += 16;\n  return status;\n}\n";

/// Runs `replay.sh` with arguments; gives its exit status and what it printed.
fn replay(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(folder.join("tests/replay.sh")).args(args).output().expect("the script should start");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

fn explored(text: &str, args: &[&str]) -> (tempfile::TempDir, std::process::Output) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("program.c"), text).expect("a program");
    let fixed = ["explore", "program.c", "--out=out", "--no-native"];
    let output = common::blitz(folder.path(), &[&fixed[..], args].concat());
    (folder, output)
}

#[test]
fn every_test_ends_natively_as_predicted() {
    let limits = ["--sym-args", "0", "1", "2", "--sym-files", "1", "2", "--sym-stdin", "1", "--no-environment"];
    let (folder, output) = explored(INPUTS, &limits);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let out = folder.path().join("out");
    let (status, text) = replay(&out, &[]);
    assert_eq!(status, Some(0), "{text}");
    let tests = std::fs::read_dir(out.join("tests")).expect("tests");
    let tests = tests.filter(|e| e.as_ref().is_ok_and(|e| e.path().extension().is_some_and(|x| x == "json"))).count();
    assert!(tests > 12 && text.contains(&format!("{tests} tests: {tests} as predicted")), "{tests}: {text}");
    // A prediction that is wrong is seen.
    let file = out.join("tests/test000001.sh");
    let script = std::fs::read_to_string(&file).expect("a test");
    std::fs::write(&file, script.replacen("expected=", "expected='exit 99' was=", 1)).expect("writable");
    let (status, text) = replay(&out, &["test000001", "test000002"]);
    assert!(status == Some(1) && text.contains("2 tests: 1 as predicted, 1 not"), "{text}");
}

/// A build of one's own takes the tests as well.
#[test]
fn another_build_runs_the_tests() {
    let (folder, _) = explored(INPUTS, &["--sym-args", "0", "1", "1", "--sym-files", "1", "1", "--sym-stdin", "1"]);
    let out = folder.path().join("out");
    let (status, flags) = replay(&out, &["--link", &folder.path().join("shim").display().to_string()]);
    assert!(status == Some(0) && flags.contains("--wrap=fopen"), "{flags}");
    let support = "#include <stddef.h>\nvoid blitz_take(const char *, void *, size_t);\nint __VERIFIER_nondet_int(void) { int x; blitz_take(\"__VERIFIER_nondet_int\", &x, sizeof x); return x; }\n";
    std::fs::write(folder.path().join("support.c"), support).expect("writable");
    let mut build = Command::new("clang-19");
    build.current_dir(folder.path()).args(["-w", "-c", "--coverage", "program.c", "support.c"]);
    assert!(build.status().expect("clang should start").success());
    let mut link = Command::new("clang-19");
    link.current_dir(folder.path()).args(["--coverage", "program.o", "support.o", "-o", "own"]);
    assert!(link.args(flags.split_whitespace()).status().expect("clang should start").success());
    let (status, text) = replay(&out, &["--program", &folder.path().join("own").display().to_string()]);
    assert_eq!(status, Some(0), "{text}");
    // The program opens files whose contents the test gives; gcov's own file is a real one.
    assert!(folder.path().join("program.gcda").exists());
}

const HARNESS: &str = "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\nstatic int ready;\n\
int LLVMFuzzerInitialize(int *argc, char ***argv) { ready = *argc == 1 && (*argv)[0][0] == 'f'; return 0; }\n\
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {\n  if (!ready || size < 3 || memcmp(data, \"ab\", 2) != 0) return 0;\n\
  return data[2] == size ? data[LAST] : 0;\n}\n";

/// What libFuzzer calls begins a program that has no `main`: data of exactly its size, after what initialises.
#[test]
fn harnesses_of_libfuzzer_are_checked_as_they_are() {
    for (last, code) in [("size", 10), ("size - 1", 0)] {
        let text = HARNESS.replace("LAST", last);
        let (folder, output) = explored(&text, &[]);
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
        let (status, text) = replay(&folder.path().join("out"), &[]);
        assert!(status == Some(0) && text.contains(" 0 not, "), "{text}");
        let checked = common::blitz(folder.path(), &["check", "program.c", "--out=checked"]);
        assert_eq!(checked.status.code(), Some(code), "{}", String::from_utf8_lossy(&checked.stderr));
        let said = String::from_utf8_lossy(&checked.stdout);
        assert!(code == 0 || said.contains("confirmed natively"), "{said}");
    }
}

/// Numbers behind blanks are followed to their end where paths are followed one by one: nothing is guessed, no test leaves its path.
#[test]
fn numbers_of_arguments_are_not_guessed() {
    let text = "#include <stdlib.h>\nint main(int argc, char **argv) {\n  char *end;\n  if (argc < 2) return 9;\n\
                long v = strtol(argv[1], &end, 0);\n  return end == argv[1] ? 1 : *end ? 2 : v == 8 ? 3 : v < 0 ? 4 : 5;\n}\n";
    let (folder, output) = explored(text, &["--sym-args", "1", "1", "3", "--no-environment"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("every path was followed") && !said.contains("did not run as predicted"), "{said}");
    let (status, text) = replay(&folder.path().join("out"), &[]);
    assert_eq!(status, Some(0), "{text}");
}

/// What a question worth so many conflicts does not decide is left out, and the search goes on: both sides of the branch behind the hard one are followed.
#[test]
fn a_hard_question_does_not_end_the_search() {
    let text = "#include <stdlib.h>\nextern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n\
                unsigned long a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();\n  unsigned c = __VERIFIER_nondet_uint();\n\
                if (a * b == 2305843009ul * 3037000493ul) return 1;\n  if (c > 7) abort();\n  return 3;\n}\n";
    let (folder, output) = explored(text, &["--max-conflicts=300", "--timeout=300s"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(20), "{said}");
    assert!(said.contains("1 ways were left out") && said.contains("--max-conflicts"), "{said}");
    let (status, text) = replay(&folder.path().join("out"), &[]);
    assert!(status == Some(0) && text.contains("2 tests: 2 as predicted"), "{text}");
}
