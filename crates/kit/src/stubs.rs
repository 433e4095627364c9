//! The C that is made for one kit: the inputs as data, functions and globals that are defined nowhere, and for a run that
//! begins with another function than `main` a unit test.

use crate::Subject;
use crate::feed::{Feed, bytes_of};
use crate::text::c_literal;
use blitz_base::Bv;
use blitz_frontend::driver::SourceUnit;
use blitz_ir::{FloatKind, FuncDecl, Program, Signature, Type};
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

fn c_type(ty: Type, unsigned: bool) -> String {
    let sign = if unsigned { "unsigned " } else { "" };
    match ty {
        Type::Int(1) => "_Bool".to_owned(),
        Type::Int(8) => if unsigned { "unsigned char" } else { "signed char" }.to_owned(),
        Type::Int(16) => format!("{sign}short"),
        Type::Int(32) => format!("{sign}int"),
        Type::Int(64) => format!("{sign}long long"),
        Type::Int(128) => format!("{sign}__int128"),
        Type::Int(bits) => format!("{sign}_BitInt({bits})"),
        Type::Ptr => "void *".to_owned(),
        Type::Float(FloatKind::Half) => "_Float16".to_owned(),
        Type::Float(FloatKind::BFloat) => "__bf16".to_owned(),
        Type::Float(FloatKind::Single) => "float".to_owned(),
        Type::Float(FloatKind::Double) => "double".to_owned(),
        Type::Float(FloatKind::X87) => "long double".to_owned(),
        Type::Float(FloatKind::Quad) => "__float128".to_owned(),
    }
}

/// A unit test, and the source it stands for.
pub struct UnitTest {
    pub text: String,
    /// The C file it includes: not built by itself then.
    pub includes: Option<SourceUnit>,
    pub function: String,
}

/// The unit test that calls a function with these arguments.
pub fn unit_test(subject: &Subject<'_>, name: &str, args: &[Bv]) -> UnitTest {
    let program = subject.program;
    let func = program.func_named(name).expect("the entry of a run should be in the program");
    let decl = program.decl(func);
    let includes = source_of(subject, decl);
    let signature = c_signature(decl);
    let begin = match &includes {
        Some(unit) => format!(
            "/* The file is included so that even a static function can be called. */\n#include \"{}\"\n",
            absolute(unit).display()
        ),
        None => format!("{};\n", prototype(&signature, name)),
    };
    let values: Vec<String> = signature.params.iter().zip(args).map(|(ty, value)| argument(*ty, value)).collect();
    let pointer = prototype(&signature, "(*function)");
    let text = format!(
        "/* Calls {name} as blitz did. */\n{begin}\n/* Takes the place of main. */\nint __wrap_main(void) {{\n  {pointer} = (void *){name};\n  function({});\n  return 0;\n}}\n",
        values.join(", ")
    );
    UnitTest { text, includes, function: name.to_owned() }
}

/// The signature as C has it: without the shadows that tell which bits are indeterminate.
fn c_signature(decl: &FuncDecl) -> Signature {
    let mut signature = decl.signature.clone();
    signature.params.truncate(signature.params.len().saturating_sub(decl.shadow_params as usize));
    signature.results.truncate(signature.results.len().saturating_sub(decl.shadow_results as usize));
    signature
}

fn absolute(unit: &SourceUnit) -> std::path::PathBuf {
    unit.directory.join(&unit.file)
}

/// The source file that defines a function.
fn source_of(subject: &Subject<'_>, decl: &FuncDecl) -> Option<SourceUnit> {
    let file = std::path::Path::new(subject.program.file(decl.loc.file));
    let unit = subject.sources.iter().find(|u| u.file == file || absolute(u) == file || u.file.ends_with(file))?;
    Some(unit.clone())
}

fn prototype(signature: &Signature, name: &str) -> String {
    let result = match signature.results.as_slice() {
        [] => "void".to_owned(),
        [ty] => c_type(*ty, false),
        several => {
            let fields: String =
                several.iter().enumerate().map(|(i, t)| format!("{} f{i}; ", c_type(*t, false))).collect();
            format!("struct {{ {fields}}}")
        }
    };
    let mut params: Vec<String> = signature.params.iter().map(|t| c_type(*t, false)).collect();
    if signature.variadic {
        params.push("...".to_owned());
    }
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    format!("{result} {name}({params})")
}

fn argument(ty: Type, value: &Bv) -> String {
    match ty {
        Type::Ptr if value.is_zero() => "(void *)0".to_owned(),
        Type::Int(bits) if bits <= 64 => match value.to_i64() {
            Some(i64::MIN) => "(-0x7fffffffffffffffLL - 1)".to_owned(),
            Some(n) => format!("{n}{}", if bits == 64 { "LL" } else { "" }),
            None => "0".to_owned(),
        },
        Type::Int(_) | Type::Ptr | Type::Float(_) => {
            let bytes: Vec<String> = bytes_of(value).iter().map(|b| b.to_string()).collect();
            format!(
                "((union {{ unsigned char bytes[{}]; {} value; }}){{{{{}}}}}).value",
                bytes.len(),
                c_type(ty, false),
                bytes.join(", ")
            )
        }
    }
}
