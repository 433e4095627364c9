//! Undefined behaviour of every kind: the interpreter stops at the check of that kind on the right line, and a
//! program that differs only in a number runs through.

mod common;

use blitz_frontend::LibcVariant;

const BEFORE: &str = "#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int nondet_int(void);
static int id(int x) { return x; }
static int fell_off(int x) { if (x) return 1; }
struct holder { int x[3]; int y; };
int main(int argc, char **argv) {
";

/// The line the body of `main` stands on.
const LINE: u32 = 10;

fn result(body: &str) -> String {
    let program = common::program_of(&format!("{BEFORE}{body}\n}}\n"), LibcVariant::Host);
    let result = common::run(&program);
    let end = common::outcome(&program, &result);
    match end.split_once(" at line ") {
        Some((name, line)) => {
            assert_eq!(line, LINE.to_string(), "{body}");
            name.split('.').nth(1).unwrap_or_default().to_string()
        }
        None => end,
    }
}

macro_rules! violations {
    ($($test:ident: $kind:literal, $bad:literal, $good:literal;)*) => {
        $(#[test]
        fn $test() {
            assert_eq!(result($bad), $kind, "{}", $bad);
            assert_eq!(result($good), "exit 0", "{}", $good);
        })*
    };
}

violations! {
    addition: "signed-overflow", "return 2147483647 + id(1) == 0;", "return 2147483646 + id(1) == 0;";
    quotient: "signed-overflow", "int x = -2147483647 - 1; return x / id(-1) == 0;", "int x = -2147483647; return x / id(-1) == 0;";
    shift_amount: "shift", "return (1 << id(32)) == 5;", "return (1 << id(30)) == 5;";
    shift_negative: "shift", "int x = -5; return (x << id(1)) == 5;", "int x = 5; return (x << id(1)) == 5;";
    division: "div-by-zero", "return 5 / id(0);", "return 5 / id(6);";
    index: "array-bounds", "int a[4] = {0}; return a[id(4)];", "int a[4] = {0}; return a[id(3)];";
    member_index: "array-bounds", "struct holder h = {0}; return h.x[id(3)];", "struct holder h = {0}; return h.x[id(2)];";
    array_length: "array-bounds", "int v[id(0)]; return sizeof v != 0;", "int v[id(1)]; return sizeof v == 0;";
    heap_index: "buffer-overflow", "char *p = calloc(4, 1); int r = p[id(4)]; free(p); return r;", "char *p = calloc(4, 1); int r = p[id(3)]; free(p); return r;";
    string_literal: "buffer-overflow", "char *p = \"abc\"; p[id(0)] = 'x'; return 0;", "char p[] = \"abc\"; p[id(0)] = 'x'; return 0;";
    copy_too_long: "buffer-overflow", "char a[4]; strcpy(a, \"four\"); return 0;", "char a[5]; strcpy(a, \"four\"); return 0;";
    memory_copy: "buffer-overflow", "char a[4], b[8] = {0}; memcpy(a, b, id(5)); return 0;", "char a[4], b[8] = {0}; memcpy(a, b, id(4)); return 0;";
    null: "null-deref", "int *p = 0; return p[id(0)];", "int n = 0, *p = &n; return p[id(0)];";
    null_call: "null-deref", "int (*f)(int) = 0; return f(0);", "int (*f)(int) = id; return f(0);";
    freed: "use-after-free", "int *p = calloc(1, 4); free(p); return *p;", "int *p = calloc(1, 4); int n = *p; free(p); return n;";
    out_of_scope: "use-after-scope", "int *q; { int z = 0; q = &z; } return *q;", "int z, *q; { z = 0; q = &z; } return *q;";
    freed_twice: "double-free", "int *p = malloc(4); free(p); free(p); return 0;", "int *p = malloc(4); free(p); free(0); return 0;";
    freed_inside: "invalid-free", "char *p = malloc(4); free(p + 1); return 0;", "char *p = malloc(4); free(p + 0); return 0;";
    freed_local: "invalid-free", "int n; free(&n); return 0;", "int n; free(0); return 0;";
    leak: "memory-leak", "char *p = malloc(4); p = 0; return 0;", "static char *p; p = malloc(4); return 0;";
    branch_on_nothing: "uninitialised", "int x; if (x) return 1; return 0;", "int x = 0; if (x) return 1; return 0;";
    print_nothing: "uninitialised", "int x; printf(\"%d\", x); return 0;", "int x = 1; printf(\"%d\", x); return 0;";
    sum_of_nothing: "uninitialised", "int x, y = x; return y + 1 == 0;", "int x = 3, y = x; return y + 1 == 0;";
    part_of_nothing: "uninitialised", "struct { int a : 3, b : 3; } s; s.a = 1; return s.b == 5;", "struct { int a : 3, b : 3; } s; s.a = 1; return s.a == 5;";
    copies_are_fine: "uninitialised", "struct holder h, k; k = h; memcpy(&h, &k, sizeof h); return h.y != 0 && 0;", "struct holder h, k; k = h; memcpy(&h, &k, sizeof h); return 0;";
    missing_result: "uninitialised", "int x; return x;", "fell_off(0); return fell_off(1) - 1;";
    failed_assertion: "assertion", "assert(id(1) == 2); return 0;", "assert(id(1) == 1); return 0;";
    unreachable_code: "unreachable", "if (id(1)) __builtin_unreachable(); return 0;", "if (id(0)) __builtin_unreachable(); return 0;";
}
