//! The C that is made for one kit: the inputs as data, functions and globals that are defined nowhere.

use crate::feed::Feed;
use crate::text::c_literal;
use blitz_frontend::unit::c_type;
use blitz_ir::{FuncDecl, Program, Signature};
use std::collections::BTreeMap;

/// `inputs.h`
pub fn inputs(feed: &Feed, unit_test: bool) -> String {
    let mut text = String::from("/* The inputs of one run; shim.c hands them out. */\n#include <stddef.h>\n\n");
    if unit_test {
        text.push_str("#define UNIT_TEST\n");
    }
    for function in feed.wrapped() {
        text.push_str(&format!("#define WRAP_{function}\n"));
    }
    let wraps_any = |names: &[&str]| feed.wrapped().any(|w| names.contains(&w));
    for (word, names) in [
        ("OPENS", ["open", "open64", "openat", "creat", "fopen", "fopen64", "freopen"].as_slice()),
        ("STATS", &["stat", "lstat", "stat64", "lstat64"]),
        ("SOCKETS", &["socket", "accept", "recv"]),
    ] {
        if wraps_any(names) {
            text.push_str(&format!("#define {word}\n"));
        }
    }
    text.push_str("\nstruct blitz_input {\n  const char *name;\n  size_t size;\n  const char *bytes;\n};\n\n");
    text.push_str(
        "/* Inputs the program asks for itself, in order. */\nstatic const struct blitz_input blitz_direct[] = {\n",
    );
    for (name, bytes) in &feed.direct {
        text.push_str(&format!("  {},\n", input(name, bytes)));
    }
    text.push_str("  {NULL, 0, NULL},\n};\n\n/* Inputs of library calls: function, number of the call, input. */\n");
    text.push_str("static const struct {\n  const char *function;\n  unsigned call;\n  struct blitz_input input;\n} blitz_calls[] = {\n");
    for call in &feed.calls {
        let function = c_literal(call.function.as_bytes());
        text.push_str(&format!("  {{{function}, {}, {}}},\n", call.nth, input(&call.name, &call.bytes)));
    }
    text.push_str("  {NULL, 0, {NULL, 0, NULL}},\n};\n");
    text
}

fn input(name: &str, bytes: &[u8]) -> String {
    format!("{{{}, {}, {}}}", c_literal(name.as_bytes()), bytes.len(), c_literal(bytes))
}

/// `stubs.c`
pub fn stubs(program: &Program) -> String {
    let mut text = String::from(
        "/* What the program uses and nobody defines: functions that give inputs, and globals of zeros. */\n\
         #include <stddef.h>\n\nvoid blitz_take(const char *name, void *to, size_t n);\n\n",
    );
    let unknown = program.funcs.iter().filter(|d| is_missing(d)).map(|d| (&d.name, &d.signature));
    let asking = program.asking.iter().filter(|(name, _)| is_identifier(name)).map(|(name, s)| (name, s));
    let all: BTreeMap<&String, &Signature> = unknown.chain(asking).collect();
    for (name, signature) in all {
        text.push_str(&function(name, signature));
    }
    for global in program.globals.iter().filter(|g| g.init.is_none() && !g.model && is_identifier(&g.name)) {
        let (size, align) = (global.size.max(1), global.align.max(1));
        text.push_str(&format!("__attribute__((aligned({align}))) char {}[{size}];\n", global.name));
    }
    text
}

/// Whether a function has no body anywhere: not in the program, not in the C library, not in the shim.
fn is_missing(decl: &FuncDecl) -> bool {
    !decl.has_body && !decl.model && is_identifier(&decl.name) && !blitz_frontend::has_meaning(&decl.name)
}

fn is_identifier(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(word) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn function(name: &str, signature: &Signature) -> String {
    let unsigned = name.strip_prefix("__VERIFIER_nondet_").is_some_and(|t| t.starts_with('u') || t == "size_t");
    match signature.results.as_slice() {
        [] => format!("void {name}() {{}}\n"),
        [ty] => format!(
            "{} {name}() {{\n  {} value;\n  blitz_take(\"{name}\", &value, sizeof value);\n  return value;\n}}\n",
            c_type(*ty, unsigned),
            c_type(*ty, unsigned),
        ),
        several => {
            let fields: String =
                several.iter().enumerate().map(|(i, t)| format!(" {} f{i};", c_type(*t, false))).collect();
            let takes: String = (0..several.len())
                .map(|i| format!("  blitz_take(\"{name}\", &value.f{i}, sizeof value.f{i});\n"))
                .collect();
            format!(
                "struct result_{name} {{{fields} }};\nstruct result_{name} {name}() {{\n  struct result_{name} value;\n{takes}  return value;\n}}\n"
            )
        }
    }
}
