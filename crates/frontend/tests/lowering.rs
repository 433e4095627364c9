//! The shape of lowered code: what must be in a function's text, in order, and what must not.

mod common;

use blitz_frontend::LibcVariant;
use blitz_ir::{CheckKind, Inst, Program};

fn text_of(program: &Program, name: &str) -> String {
    let f = program.func_named(name).unwrap_or_else(|| panic!("{name} should exist"));
    program.body(f).unwrap_or_else(|| panic!("{name} should have a body")).text(program).to_string()
}

/// The pieces stand in the text of `f` in this order.
fn check(source: &str, pieces: &[&str], absent: &[&str]) {
    let program = common::program_of(source, LibcVariant::None);
    let text = text_of(&program, "f");
    let mut rest = text.as_str();
    for piece in pieces {
        let Some(at) = rest.find(piece) else { panic!("`{piece}` should come next in:\n{text}") };
        rest = &rest[at + piece.len()..];
    }
    for piece in absent {
        assert!(!text.contains(piece), "`{piece}` should not be in:\n{text}");
    }
}

#[test]
fn overflow_becomes_a_check() {
    check("int f(int a) { return a + 1; }", &["sadd.overflow", "check", "return"], &["branch", "__ubsan"]);
}

#[test]
fn division_has_two_properties() {
    check("int f(int a, int b) { return a / b; }", &["f.div-by-zero.1", "f.signed-overflow.1", "sdiv"], &["branch"]);
}

#[test]
fn locals_need_no_guard() {
    check("int f(int a) { int x = a; int *p = &x; *p = 3; return x; }", &["return 3:i32"], &["checkmem", "alloca"]);
}

#[test]
fn pointers_are_guarded_in_all_ways() {
    let kinds = ["checkmem write", "null-deref", "use-after-free", "use-after-scope", "buffer-overflow", "store"];
    check("void f(int *p) { *p = 1; }", &kinds, &[]);
}

#[test]
fn globals_can_only_overflow() {
    check(
        "char g[10]; char f(unsigned n) { return *(g + n); }",
        &["checkmem read", "buffer-overflow"],
        &["null-deref"],
    );
}

#[test]
fn inputs_and_assumptions_of_other_checkers() {
    let source = "int nondet_int(void); void __VERIFIER_assume(int); void __CPROVER_assert(int, const char *);
        void reach_error(void); void klee_make_symbolic(void *, unsigned long, const char *);
        int f(void) { int x = nondet_int(); __VERIFIER_assume(x > 3); int y; klee_make_symbolic(&y, sizeof y, \"y\");
        __CPROVER_assert(x != y, \"differ\"); if (x == 9) reach_error(); return 0; }";
    check(source, &["input \"nondet_int\"", "assume", "\"y\"", "f.assertion.1", "f.assertion.2"], &["call"]);
}

#[test]
fn a_function_without_a_body_is_called() {
    let program = common::program_of("int unknown(int); int f(void) { return unknown(3); }", LibcVariant::None);
    let unknown = program.func_named("unknown").expect("declared");
    assert!(!program.decl(unknown).has_body);
    assert!(text_of(&program, "f").contains("call"));
}

#[test]
fn approximations_are_marked() {
    let source = "void __blitz_fewer(const char *); void __blitz_more(const char *);
        int f(int x) { if (x) __blitz_fewer(\"f: half\"); else __blitz_more(\"f: twice\"); return x; }";
    check(source, &["fewer \"f: half\"", "more \"f: twice\""], &["call"]);
}

#[test]
fn inline_assembler_is_refused_by_name() {
    check("int f(void) { int x; __asm__(\"cpuid\" : \"=a\"(x)); return x; }", &["unsupported", "cpuid"], &[]);
}

#[test]
fn calls_of_models_carry_their_kinds() {
    let source =
        "#include <string.h>\nunsigned long f(const char *s) { return strlen(s); } int main(void) { return 0; }";
    let program = common::program_of(source, LibcVariant::Model);
    let f = program.func_named("f").expect("defined");
    let body = program.body(f).expect("defined");
    let kinds: Vec<CheckKind> = body
        .insts
        .iter()
        .filter_map(|d| match &d.inst {
            Inst::Call(site) => Some(site.properties.iter().map(|(k, _)| *k)),
            _ => None,
        })
        .flatten()
        .collect();
    assert!(kinds.contains(&CheckKind::NullDeref) && kinds.contains(&CheckKind::BufferOverflow), "{kinds:?}");
}

#[test]
fn names_places_and_types_come_from_the_source() {
    let program = common::program_of(
        "int f(char *name, unsigned n) {\n  double sum[3] = {0};\n  return n + name[0] + sum[1];\n}",
        LibcVariant::None,
    );
    let f = program.func_named("f").expect("defined");
    assert_eq!(program.decl(f).params, ["name", "n"]);
    assert_eq!(program.decl(f).loc.line, 1);
    let vars: Vec<(String, String)> =
        program.body(f).expect("defined").vars.iter().map(|v| (v.name.clone(), v.ty.clone())).collect();
    assert!(vars.contains(&("name".into(), "char *".into())), "{vars:?}");
    assert!(vars.contains(&("sum".into(), "double[3]".into())), "{vars:?}");
}

#[test]
fn properties_are_numbered_without_gaps_and_the_same_each_time() {
    let source = "int f(int *p, int n) { p[0] = n; p[1] = p[0] / n; return p[n] + p[2]; }";
    let names = || {
        let program = common::program_of(source, LibcVariant::None);
        program.body(program.func_named("f").expect("defined"));
        program.properties().into_iter().map(|(_, p)| p.name).collect::<Vec<_>>()
    };
    let first = names();
    assert_eq!(first, names());
    let writes: Vec<&String> = first.iter().filter(|n| n.starts_with("f.null-deref.")).collect();
    for (i, name) in writes.iter().enumerate() {
        assert_eq!(**name, format!("f.null-deref.{}", i + 1));
    }
}
