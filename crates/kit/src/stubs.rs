//! The C that is made for one kit: the inputs as data, functions and globals that are defined nowhere.

use crate::feed::Feed;
use crate::text::c_literal;
use blitz_frontend::unit::c_type;
use blitz_ir::{FuncDecl, Program, Signature};
use std::collections::BTreeMap;

/// `inputs.h`
pub fn inputs(feed: &Feed, unit_test: bool) -> String {
    let mut text = String::from("/* The inputs of one run; shim.c hands them out. */\n#include <stddef.h>\n\n");
    text.push_str(&switches(feed, unit_test));
    text.push_str(INPUT);
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

/// `inputs.h` of a program that reads its inputs from the file that `BLITZ_TEST` names (`suite::replay` writes those), of at most so many inputs
/// and bytes.
pub fn inputs_from_file(wraps: &Feed, unit_test: bool, most: usize, size: usize) -> String {
    let text = "/* The inputs of one run are read from a file; shim.c hands them out. */\n";
    let limits = format!("enum {{ MOST_INPUTS = {most}, MOST_BYTES = {size} }};\n\n");
    [text, FROM_FILE_HEADERS, &switches(wraps, unit_test), INPUT, &limits, FROM_FILE].concat()
}

/// What the shim is to do.
fn switches(feed: &Feed, unit_test: bool) -> String {
    let mut text = String::new();
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
    text
}

const INPUT: &str = "\nstruct blitz_input {\n  const char *name;\n  size_t size;\n  const char *bytes;\n};\n\n";

const FROM_FILE_HEADERS: &str = r"#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

";

/// System calls, because `open` and `read` may be wrapped.
const FROM_FILE: &str = r#"/* Inputs the program asks for itself, in order. */
static struct blitz_input blitz_direct[MOST_INPUTS + 1];
/* Inputs of library calls: function, number of the call, input. */
static struct {
  const char *function;
  unsigned call;
  struct blitz_input input;
} blitz_calls[MOST_INPUTS + 1];

/* Each input: function (empty for the program itself), call, name, size, each ended by a zero; the bytes and a zero. */
__attribute__((constructor(101))) static void blitz_read_test(void) {
  static char text[MOST_BYTES + 1];
  const char *file = getenv("BLITZ_TEST"), *at = text;
  int fd = file ? (int)syscall(SYS_openat, AT_FDCWD, file, O_RDONLY) : -1;
  size_t size = 0;
  for (long n; fd >= 0 && size < MOST_BYTES && (n = syscall(SYS_read, fd, text + size, MOST_BYTES - size)) > 0;)
    size += (size_t)n;
  if (fd >= 0)
    syscall(SYS_close, fd);
  unsetenv("BLITZ_TEST");
  for (size_t calls = 0, direct = 0; at < text + size && calls + direct < MOST_INPUTS;) {
    const char *function = at, *call = function + strlen(function) + 1, *name = call + strlen(call) + 1;
    const char *bytes = name + strlen(name) + 1;
    struct blitz_input input = {name, (size_t)atol(bytes), bytes + strlen(bytes) + 1};
    at = input.bytes + input.size + 1;
    if (*function) {
      blitz_calls[calls].function = function;
      blitz_calls[calls].call = (unsigned)atol(call);
      blitz_calls[calls++].input = input;
    } else
      blitz_direct[direct++] = input;
  }
}
"#;

fn input(name: &str, bytes: &[u8]) -> String {
    format!("{{{}, {}, {}}}", c_literal(name.as_bytes()), bytes.len(), c_literal(bytes))
}

/// `stubs.c`. What the program declares as an input is always there; what it only uses is there if nobody else defines it, which the linker says
/// (`STUB_name`): a library's own function is never replaced.
pub fn stubs(program: &Program) -> String {
    let mut text = String::from(
        "/* Functions that give inputs. Those under STUB_... are for what the program uses and no library defines; so are globals of zeros. */\n\
         #include <stddef.h>\n\nvoid blitz_take(const char *name, void *to, size_t n);\nvoid blitz_stub(const char *function);\n\n",
    );
    for (name, signature) in asking(program) {
        text.push_str(&function(name, signature, ""));
    }
    for (name, what) in missing(program) {
        let body = match what {
            Missing::Function(signature) => function(name, signature, &format!("  blitz_stub(\"{name}\");\n")),
            Missing::Global { size, align } => format!("__attribute__((aligned({align}))) char {name}[{size}];\n"),
        };
        text.push_str(&format!("#ifdef STUB_{name}\n{body}#endif\n"));
    }
    text
}

/// The functions that are inputs by their names.
fn asking(program: &Program) -> BTreeMap<&str, &Signature> {
    program.asking.iter().filter(|(name, _)| is_identifier(name)).map(|(name, s)| (name.as_str(), s)).collect()
}

/// What the program uses without defining it.
#[derive(Clone, Copy)]
pub enum Missing<'a> {
    Function(&'a Signature),
    Global { size: u64, align: u32 },
}

/// Everything that a library may define, by name.
pub fn missing(program: &Program) -> BTreeMap<&str, Missing<'_>> {
    let asking = asking(program);
    let functions = program.funcs.iter().filter(|d| is_missing(d) && !asking.contains_key(d.name.as_str()));
    let functions = functions.map(|d| (d.name.as_str(), Missing::Function(&d.signature)));
    let globals = program.globals.iter().filter(|g| g.init.is_none() && !g.model && is_identifier(&g.name));
    let globals = globals.map(|g| (g.name.as_str(), Missing::Global { size: g.size.max(1), align: g.align.max(1) }));
    functions.chain(globals).collect()
}

/// Whether a function has no body anywhere: not in the program, not in the C library, not in the shim.
fn is_missing(decl: &FuncDecl) -> bool {
    !decl.has_body && !decl.model && is_identifier(&decl.name) && !blitz_frontend::has_meaning(&decl.name)
}

fn is_identifier(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(word) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// A function that gives an input; `first` is what it does before.
fn function(name: &str, signature: &Signature, first: &str) -> String {
    let unsigned = name.strip_prefix("__VERIFIER_nondet_").is_some_and(|t| t.starts_with('u') || t == "size_t");
    match signature.results.as_slice() {
        [] => format!("void {name}() {{\n{first}}}\n"),
        [ty] => format!(
            "{} {name}() {{\n{first}  {} value;\n  blitz_take(\"{name}\", &value, sizeof value);\n  return value;\n}}\n",
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
                "struct result_{name} {{{fields} }};\nstruct result_{name} {name}() {{\n{first}  struct result_{name} value;\n{takes}  return value;\n}}\n"
            )
        }
    }
}
