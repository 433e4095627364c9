//! Contracts: checked, taken in place of functions and loops, assumed of arguments. Pairs of programs differ in one token.

mod common;

use common::blitz;
use serde_json::Value;

/// A program, what is asked, and words of it with what takes their place, each with what is violated then.
struct Case {
    name: &'static str,
    program: &'static str,
    args: &'static [&'static str],
    /// What has to be said of the program as it stands, unless it is safe.
    holds: &'static str,
    mutants: &'static [(&'static str, &'static str, &'static str)],
}

const RING: &str = "#include <stdlib.h>
struct ring { int *data; unsigned count, cap; };
int ring_push(struct ring *r, int v)
__CPROVER_requires(__CPROVER_is_fresh(r, sizeof(*r)))
__CPROVER_requires(r->cap > 0 && r->cap <= 8 && r->count <= r->cap)
__CPROVER_requires(__CPROVER_is_fresh(r->data, r->cap * sizeof(int)))
__CPROVER_assigns(r->count, __CPROVER_object_whole(r->data))
__CPROVER_ensures(r->count <= r->cap)
__CPROVER_ensures(__CPROVER_return_value == 0 ==> r->count == __CPROVER_old(r->count) + 1)
{
  if (r->count == r->cap)
    return -1;
  r->data[r->count] = v;
  r->count++;
  return 0;
}
";

const CALLER: &str = "#include <assert.h>
int half(int x, int *out)
__CPROVER_requires(x >= 0 && out != 0)
__CPROVER_assigns(*out)
__CPROVER_ensures(*out <= x && __CPROVER_return_value == *out);
int main(void) {
  int o = 5, p = 7;
  int r = half(10, &o);
  assert(r <= 10 && p == 7);
  return 0;
}
";

const LOOP: &str = "#include <assert.h>
unsigned nondet_uint(void);
int main(void) {
  unsigned n = nondet_uint(), i, sum = 0;
  for (i = 0; i < n; i++)
    __CPROVER_assigns(i, sum)
    __CPROVER_loop_invariant(i <= n && sum == i)
    __CPROVER_decreases(n - i)
  { sum++; }
  assert(sum == n);
  return 0;
}
";

/// The lecture's prophecy: a value is guessed before the loop, and the loop shows that the guess was right where it matters.
const PROPHECY: &str = "#include <assert.h>
int nondet_int(void);
unsigned nondet_uint(void);
int main(void) {
  int a[50], watched = nondet_int();
  __CPROVER_assume(0 <= watched && watched < 50);
  int i = 0;
  while (i < 50)
    __CPROVER_assigns(i, __CPROVER_object_whole(a))
    __CPROVER_loop_invariant(0 <= i && i <= 50 && (watched < i ==> a[watched] == watched))
  { a[i] = i; i++; }
  assert(a[watched] == watched);
  return 0;
}
";

/// Assume-guarantee: each of two functions is checked against the other's contract.
const PING_PONG: &str = "int pong(int n);
int ping(int n)
__CPROVER_requires(0 <= n && n <= 100)
__CPROVER_assigns()
__CPROVER_ensures(0 <= __CPROVER_return_value && __CPROVER_return_value <= n)
{ return n == 0 ? 0 : pong(n - 1); }
int pong(int n)
__CPROVER_requires(0 <= n && n <= 100)
__CPROVER_assigns()
__CPROVER_ensures(0 <= __CPROVER_return_value && __CPROVER_return_value <= n)
{ return n == 0 ? 0 : ping(n - 1); }
";

/// A stub by contract: the sensor is defined nowhere.
const STUB: &str = "#include <assert.h>
int sensor(void) __CPROVER_assigns() __CPROVER_ensures(-40 <= __CPROVER_return_value && __CPROVER_return_value <= 125);
int main(void) {
  int table[166] = {0};
  return table[sensor() + 40];
}
";

const MEMORY: &str = "#include <stdlib.h>
int *make(int n)
__CPROVER_requires(0 < n && n < 100)
__CPROVER_assigns()
__CPROVER_ensures(__CPROVER_return_value == 0 || __CPROVER_is_fresh(__CPROVER_return_value, n * sizeof(int)))
{ return malloc(n * sizeof(int)); }
static int shared;
void drop(int *p)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof(int)))
__CPROVER_assigns(shared)
__CPROVER_frees(p)
{ shared = 1; free(p); }
";

const LIST: &str = "#include <stddef.h>
struct node { int value; struct node *next; };
_Bool is_list(struct node *l, int length) {
  if (length == 0)
    return l == NULL;
  return __CPROVER_is_fresh(l, sizeof(*l)) && is_list(l->next, length - 1);
}
int second(struct node *l)
__CPROVER_requires(is_list(l, 2))
__CPROVER_assigns(l->next->value)
{ l->next->value = 1; return l->value; }
";

/// A header gives the result a short name, which a predicate then uses for a parameter of its own.
const SHORT_NAME: &str = "#include <stddef.h>
#define result __CPROVER_return_value
int found(int result, const char *text, const char *at, size_t n)
{ return result != 1 || __CPROVER_pointer_in_range_dfcc(text, at, text + n); }
int find(const char *text, const char **at, size_t n)
__CPROVER_requires(n > 0 && n <= 4 && __CPROVER_is_fresh(text, n) && __CPROVER_is_fresh(at, sizeof(*at)))
__CPROVER_assigns(*at)
__CPROVER_ensures(found(result, text, *at, n))
{ *at = text + 0; return 1; }
";

const CASES: &[Case] = &[
    Case {
        name: "a predicate with the result as its parameter",
        program: SHORT_NAME,
        args: &["--enforce", "find"],
        holds: "safe",
        mutants: &[("text + 0", "(const char *)at", "ensures")],
    },
    Case {
        name: "a function keeps its contract",
        program: RING,
        args: &["--enforce", "ring_push"],
        holds: "safe",
        mutants: &[
            ("r->count++", "r->count += 2", "ensures"),
            ("assigns(r->count, ", "assigns(", "no assigns clause names it"),
            (
                "r->count <= r->cap)\n__CPROVER_requires(__CPROVER_is_fresh(r->d",
                "r->count <= 8)\n__CPROVER_requires(__CPROVER_is_fresh(r->d",
                "out of bounds",
            ),
            ("is_fresh(r->data, r->cap", "is_fresh(r->data, 4", "out of bounds"),
        ],
    },
    Case {
        name: "a call is what the contract says",
        program: CALLER,
        args: &["--replace", "half"],
        holds: "safe",
        mutants: &[
            ("half(10,", "half(-1,", "half requires"),
            ("p == 7)", "o == 5)", "o == 5"),
            ("half(10, &o)", "half(10, &p)", "p == 7"),
        ],
    },
    Case {
        name: "a loop is what its invariant says",
        program: LOOP,
        args: &["--loop-contracts"],
        holds: "safe",
        mutants: &[
            ("sum == i)", "sum <= i)", "sum == n"),
            ("assigns(i, sum)", "assigns(i)", "write to sum: no assigns clause names it"),
            ("sum++", "sum += 2", "is kept by the loop"),
            ("decreases(n - i)", "decreases(n)", "the loop decreases n"),
            ("sum = 0", "sum = 1", "holds before the loop"),
        ],
    },
    Case {
        name: "a prophecy",
        program: PROPHECY,
        args: &["--loop-contracts"],
        holds: "safe",
        mutants: &[("a[i] = i;", "a[i] = 0;", "is kept by the loop")],
    },
    Case {
        name: "assume-guarantee",
        program: PING_PONG,
        args: &["--enforce", "ping", "--replace", "pong"],
        holds: "safe",
        mutants: &[
            ("0 : pong(n - 1)", "0 : pong(n - 2)", "pong requires"),
            ("0 : pong(n - 1)", "-1 : pong(n - 1)", "ping ensures"),
        ],
    },
    Case {
        name: "a stub by contract",
        program: STUB,
        args: &["--replace", "sensor"],
        holds: "safe",
        mutants: &[("table[166]", "table[165]", "index")],
    },
    Case {
        name: "fresh objects",
        program: MEMORY,
        args: &["--enforce", "make"],
        holds: "safe",
        mutants: &[
            ("return malloc(n * sizeof(int))", "return malloc(n)", "make ensures"),
            ("return malloc(n * sizeof(int))", "static int kept[100]; return kept", "make ensures"),
        ],
    },
    Case {
        name: "what is freed",
        program: MEMORY,
        args: &["--enforce", "drop"],
        holds: "safe",
        mutants: &[
            ("__CPROVER_frees(p)\n", "\n", "no clause names"),
            ("assigns(shared)", "assigns()", "no assigns clause"),
        ],
    },
    Case {
        name: "a predicate about memory",
        program: LIST,
        args: &["--enforce", "second"],
        holds: "safe",
        mutants: &[("is_list(l, 2)", "is_list(l, 1)", "null")],
    },
    Case {
        name: "a loop that is not entered",
        program: "#include <stddef.h>
size_t skipped(size_t i, size_t n)
__CPROVER_ensures(__CPROVER_return_value >= i && (i >= n || __CPROVER_return_value == n))
{
  size_t k;
  for (k = i; k < n; k++)
    __CPROVER_loop_invariant(i <= k && k <= n)
  { }
  return k;
}
",
        args: &["--enforce", "skipped", "--loop-contracts"],
        holds: "safe",
        mutants: &[
            ("i <= k && k <= n", "i < k && k <= n", "holds before the loop"),
            ("k < n; k++", "k < n; k += 2", "is kept by the loop"),
            ("k < n; k++", "k++ < n; ", "holds before the loop"),
        ],
    },
    Case {
        name: "what the first iteration has seen",
        program: "#include <stddef.h>
size_t zeros(const char *s, size_t n)
__CPROVER_requires(n < 1000 && __CPROVER_is_fresh(s, n))
__CPROVER_ensures(__CPROVER_return_value == 0 || s[0] == '0')
{
  size_t i;
  for (i = 0; i < n; i++)
    __CPROVER_loop_invariant(i <= n)
    __CPROVER_decreases(n - i)
  {
    if (s[i] != '0') break;
  }
  return i;
}
",
        args: &["--enforce", "zeros", "--loop-contracts"],
        holds: "safe",
        mutants: &[("|| s[0] == '0'", "|| s[0] == '1'", "zeros ensures"), ("i++)", "i += 0)", "the loop decreases")],
    },
    Case {
        name: "what the first iteration has seen, the condition at the end",
        program: "#include <stddef.h>
size_t ones(const char *s, size_t n)
__CPROVER_requires(n > 0 && n < 1000 && __CPROVER_is_fresh(s, n))
__CPROVER_ensures(__CPROVER_return_value == 0 || s[0] == '1')
{
  size_t i = 0;
  do {
    if (s[i] != '1') break;
    i++;
  } while (i < n)
    __CPROVER_loop_invariant(i < n)
    __CPROVER_decreases(n - i);
  return i;
}
",
        args: &["--enforce", "ones", "--loop-contracts"],
        holds: "safe",
        mutants: &[("|| s[0] == '1'", "|| s[0] == '0'", "ones ensures"), ("    i++;", "    ;", "the loop decreases")],
    },
    Case {
        name: "only some arguments",
        program: "struct ring { int data[8]; unsigned count, cap; };
int top(struct ring *r) { return r->count < r->cap ? r->data[r->count] : 0; }
",
        args: &["--entry", "top", "--assume", "r->cap <= 8"],
        holds: "safe",
        mutants: &[("data[8]", "data[7]", "index")],
    },
];

fn verdict(name: &str, program: &str, args: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), program).expect("writable");
    let all: Vec<&str> =
        ["check", "a.c", "--format", "json", "--no-native", "--timeout", "60s"].iter().chain(args).copied().collect();
    let output = blitz(folder.path(), &all);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{name}: {e}: {}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn contracts_hold_and_their_twins_do_not() {
    for case in CASES {
        let found = verdict(case.name, case.program, case.args);
        assert_eq!(found["verdict"], case.holds, "{}: {found:#}", case.name);
        for (from, to, expected) in case.mutants {
            let changed = case.program.replacen(from, to, 1);
            assert_ne!(changed, case.program, "{}: {from}", case.name);
            let found = verdict(case.name, &changed, case.args);
            assert_eq!(found["verdict"], "violation", "{}: {to}: {found:#}", case.name);
            let said = found["violations"].to_string();
            assert!(said.contains(expected), "{}: {to}: {said}", case.name);
        }
    }
}

/// A clause calls functions that another file defines: one is a predicate about memory, the other asks nothing.
#[test]
fn a_predicate_may_stand_in_another_file() {
    let clauses = "#include <stddef.h>
_Bool is_buffer(const char *, size_t);
_Bool is_buffer(const char *b, size_t n);
_Bool below(size_t i, size_t n);
size_t last(char *b, size_t n)
__CPROVER_requires(is_buffer(b, n))
__CPROVER_assigns(b[0])
__CPROVER_ensures(below(__CPROVER_return_value, n))
{ b[0] = 1; return b[n - 1] == 1 ? 0 : n - 1; }
";
    let predicates = "#include <stddef.h>
static _Bool is_there(const char *b, size_t n) { return __CPROVER_is_fresh(b, n); }
_Bool is_buffer(const char *b, size_t n) { return 0 < n && n < 9 && is_there(b, n); }
_Bool below(size_t i, size_t n) { return i < n; }
";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = folder.path();
    let ask = |a: &str, b: &str| -> Value {
        std::fs::write(dir.join("a.c"), a).expect("writable");
        std::fs::write(dir.join("b.c"), b).expect("writable");
        let args = ["check", "a.c", "b.c", "--format", "json", "--no-native", "--enforce", "last"];
        serde_json::from_slice(&blitz(dir, &args).stdout).expect("JSON")
    };
    let found = ask(clauses, predicates);
    assert_eq!(found["verdict"], "safe", "{found:#}");
    for (a, b) in [
        (clauses.to_owned(), predicates.replace("0 < n", "0 <= n")),
        (clauses.to_owned(), predicates.replace("i < n", "i < n - 1")),
        (clauses.replace("b[n - 1]", "b[n]"), predicates.to_owned()),
    ] {
        let found = ask(&a, &b);
        assert_eq!(found["verdict"], "violation", "{a}{b}{found:#}");
    }
}

#[test]
fn a_replaced_function_that_does_not_say_what_it_assigns_may_assign_anything() {
    let program = "#include <assert.h>
int g = 1;
void f(void) __CPROVER_ensures(1);
int main(void) { f(); assert(g == 1); return 0; }
";
    let silent = verdict("silent", program, &["--replace", "f"]);
    assert_eq!(silent["verdict"], "unknown", "{silent:#}");
    let says = program.replace("__CPROVER_ensures(1)", "__CPROVER_assigns() __CPROVER_ensures(1)");
    assert_eq!(verdict("says", &says, &["--replace", "f"])["verdict"], "safe");
    let assigns = program.replace("__CPROVER_ensures(1)", "__CPROVER_assigns(g) __CPROVER_ensures(1)");
    assert_eq!(verdict("assigns", &assigns, &["--replace", "f"])["verdict"], "violation");
}

#[test]
fn what_library_functions_keep_for_themselves_is_no_violation() {
    let program = "#include <stdio.h>
int show(int n) __CPROVER_assigns() { return printf(\"%d\\n\", n); }
";
    let found = verdict("streams", program, &["--enforce", "show", "--engine", "bmc", "--unwind", "3"]);
    assert_eq!(found["verdict"], "unknown", "{found:#}");
}

#[test]
fn writes_of_a_function_without_a_body_are_not_known_to_be_allowed() {
    let program = "int g;
void other(void);
void f(void) __CPROVER_assigns() { other(); }
";
    assert_eq!(verdict("no body", program, &["--enforce", "f"])["verdict"], "unknown");
    let says = program.replace("other(void);", "other(void) __CPROVER_assigns();");
    assert_eq!(verdict("says", &says, &["--enforce", "f", "--replace", "other"])["verdict"], "safe");
    let writes = program.replace("other(void);", "other(void) __CPROVER_assigns(g);");
    let found = verdict("writes", &writes, &["--enforce", "f", "--replace", "other"]);
    assert_eq!(found["verdict"], "violation", "{found:#}");
    assert!(found["violations"].to_string().contains("no assigns clause names it"), "{found:#}");
}

#[test]
fn what_is_asked_of_contracts_has_to_be_there() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("a.c"), CALLER).expect("writable");
    for (args, expected) in [
        (&["--replace", "hafl"][..], "did you mean `half`"),
        (&["--enforce", "main"], "`main` has no contract"),
        (&["--assume", "x > 1"], "needs --entry"),
        (&["--entry", "main2", "--assume", "x > 1"], "main2"),
    ] {
        let all: Vec<&str> = ["check", "a.c"].iter().chain(args).copied().collect();
        let output = blitz(folder.path(), &all);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(expected), "{args:?}: {said}");
    }
}

#[test]
fn a_call_inside_of_the_program_is_held_against_the_contract() {
    let caller = format!(
        "{}\nint use(void) {{ int o; return half(-1, &o); }}\n",
        CALLER.replace("int main(void) {", "int other(void) {")
    );
    let found = verdict("caller", &caller, &["--entry", "use", "--replace", "half"]);
    assert_eq!(found["verdict"], "violation", "{found:#}");
    let body = caller.replace("*out);", "*out) { *out = x / 2; return *out; }");
    let found = verdict("body", &body, &["--entry", "use", "--enforce", "half"]);
    assert_eq!(found["verdict"], "violation", "{found:#}");
    assert!(found["violations"].to_string().contains("half requires"), "{found:#}");
}
