//! 32-bit pointers: objects that are larger, or more, than the usual split of a pointer holds.

use std::process::{Command, Output, Stdio};

fn blitz(source: &str, args: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), source).expect("writable");
    Command::new(env!("CARGO_BIN_EXE_blitz"))
        .args(args)
        .args(["-m32", "a.c"])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("blitz should start")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[track_caller]
fn check(source: &str, code: i32, says: &str) {
    let output = blitz(source, &["check", "--no-native"]);
    assert_eq!(output.status.code(), Some(code), "{}", text(&output));
    assert!(text(&output).contains(says), "{}", text(&output));
}

/// The program with AT in place.
fn at(source: &str, place: &str) -> String {
    source.replace("AT", place)
}

/// Such an allocation was taken to fail always, so that nothing after it was ever looked at.
#[test]
fn a_large_heap_object() {
    let source = "#include <stdlib.h>\nint main(void) {\n  char *p = malloc(200000);\n  if (!p)\n    return 0;\n  p[AT] = 1;\n  free(p);\n  return 0;\n}\n";
    check(&at(source, "199999"), 0, "safe");
    check(&at(source, "200000"), 10, "access of 1 byte at offset 200000 of a heap object of 200000 bytes");
}

#[test]
fn a_large_object_of_any_size() {
    let source = "#include <stdlib.h>\nunsigned __VERIFIER_nondet_uint(void);\nint main(void) {\n  unsigned n = __VERIFIER_nondet_uint();\n  if (n == 0 || n > 900000)\n    return 0;\n  char *p = malloc(n);\n  if (!p)\n    return 0;\n  p[AT] = 1;\n  free(p);\n  return 0;\n}\n";
    check(&at(source, "n - 1"), 0, "safe");
    check(&at(source, "n > 500000 ? n : 0"), 10, "buffer-overflow");
}

#[test]
fn a_large_global() {
    let source = "static char table[300000];\nint main(int argc, char **argv) {\n  table[AT] = 1;\n  return 0;\n}\n";
    check(&at(source, "299999"), 0, "safe");
    check(&at(source, "299999 + (argc > 2)"), 10, "array-bounds");
}

#[test]
fn a_run_says_what_it_can_not_reach() {
    let source = "#include <stdlib.h>\nstruct n { struct n *next; };\nint main(void) {\n  struct n *l = 0;\n  for (int i = 0; i < 20000; i++) {\n    struct n *x = malloc(sizeof *x);\n    x->next = l;\n    l = x;\n  }\n  while (l) {\n    struct n *x = l->next;\n    free(l);\n    l = x;\n  }\n  return 0;\n}\n";
    let refused = blitz(source, &["run"]);
    assert_eq!(refused.status.code(), Some(20), "{}", text(&refused));
    assert!(text(&refused).contains("(--offset-bits) at a.c:6"), "{}", text(&refused));
    let done = blitz(source, &["run", "--offset-bits", "14"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done));
}
