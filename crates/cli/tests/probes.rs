//! Probes: bugs that need nothing but long or repeated text, the words of the program, or odd numbers, are found before anything is encoded.

mod common;

use common::blitz;
use serde_json::Value;

/// A program, what is violated, and a text of it with what takes its place in the program without the bug.
struct Case {
    name: &'static str,
    program: &'static str,
    kind: &'static str,
    mended: (&'static str, &'static str),
}

/// A token of 13 letters in an argument.
const TOKENS: Case = Case {
    name: "tokens",
    program: "#include <ctype.h>
#include <stddef.h>
struct lexer { const char *text; char token[12]; int count; };
static void next(struct lexer *l) {
  size_t n = 0;
  while (isspace((unsigned char)*l->text)) l->text++;
  while (isalnum((unsigned char)l->text[n])) n++;
  if (n == 0) n = *l->text != 0;
  for (size_t i = 0; i < n && i < 14; i++) l->token[i] = l->text[i];
  l->text += n;
  l->count++;
}
int main(int argc, char **argv) {
  struct lexer l = {argc > 1 ? argv[1] : \"\", \"\", 0};
  while (*l.text && l.count < 3) next(&l);
  return 0;
}
",
    kind: "array-bounds",
    mended: ("i < 14", "i < 12"),
};

/// The eleventh field of a line.
const FIELDS: Case = Case {
    name: "fields",
    program: "#include <stdio.h>
#include <string.h>
int main(void) {
  char line[64], *fields[10];
  int n = 0;
  while (fgets(line, sizeof line, stdin)) {
    n = 0;
    for (char *p = strchr(line, ','); p; p = strchr(p + 1, ','))
      if (n <= 10) fields[n++] = p;
  }
  return n > 0 && fields[0] == NULL;
}
",
    kind: "array-bounds",
    mended: ("n <= 10", "n < 10"),
};

/// Three commands in order, and a number that is too large at the end.
const COMMANDS: Case = Case {
    name: "commands",
    program: "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char line[80], *room = NULL;
  int open = 0;
  while (fgets(line, sizeof line, stdin)) {
    if (!strncmp(line, \"OPEN \", 5)) open = 1;
    else if (open && !strncmp(line, \"SIZE \", 5)) {
      unsigned long n = strtoul(line + 5, NULL, 10);
      free(room);
      room = NULL;
      if (n <= 512) room = malloc(n + 1);
      if (n <= 1000 && room == NULL) break;
      if (n == 255) room[n + 1] = 0;
    }
  }
  free(room);
  return 0;
}
",
    kind: "buffer-overflow",
    mended: ("room[n + 1]", "room[n]"),
};

/// The month of a date.
const DATE: Case = Case {
    name: "date",
    program: "#include <stdio.h>
static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
int main(int argc, char **argv) {
  int y, m, d;
  if (argc < 2 || sscanf(argv[1], \"%d-%d-%d\", &y, &m, &d) != 3) return 1;
  if (m < 0 || m > 12) return 2;
  return days[m - 1] < d;
}
",
    kind: "array-bounds",
    mended: ("m < 0", "m < 1"),
};

const CASES: [Case; 4] = [TOKENS, FIELDS, COMMANDS, DATE];

fn check(case: &Case, program: &str, args: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let file = format!("{}.c", case.name);
    std::fs::write(folder.path().join(&file), program).expect("the program should be written");
    let all = [&["check", &file, "--format", "json", "--no-native", "--first"], args].concat();
    let output = blitz(folder.path(), &all);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{}: {e}: {output:?}", case.name))
}

#[test]
fn long_and_odd_texts_are_tried_before_anything_is_encoded() {
    for case in &CASES {
        let report = check(case, case.program, &[]);
        assert_eq!(report["violation"]["kind"], case.kind, "{}: {report}", case.name);
        assert_eq!(report["stats"]["counters"]["terms"], 0, "{} should be found by runs alone", case.name);
        let found = report["properties"].as_array().expect("a list").iter().find(|p| p["status"] == "violated");
        assert_eq!(found.expect("a violated property")["engine"], "probes", "{}", case.name);
    }
}

#[test]
fn nothing_is_found_in_mended_programs() {
    for case in &CASES {
        let (bug, mended) = case.mended;
        assert!(case.program.contains(bug), "{} should have {bug}", case.name);
        let report = check(case, &case.program.replacen(bug, mended, 1), &["--timeout", "1s"]);
        assert_ne!(report["verdict"], "violation", "{}: {report}", case.name);
    }
}

#[test]
fn probes_can_be_switched_off() {
    let report = check(&DATE, DATE.program, &["--tactics=-probes", "--timeout", "60s"]);
    assert_eq!(report["violation"]["kind"], DATE.kind, "{report}");
    assert_ne!(report["stats"]["counters"]["terms"], 0);
}
