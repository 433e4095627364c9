//! The C of a harness.

use super::shape::{Scalar, Shape, alike, plain};
use super::{Argument, Candidate, Demand, LEVELS, OBJECTS, Unit, Variable, Variables};
use crate::debuginfo::{c_type as shown_type, result_and_parameters};
use crate::llvm::{Md, Session};
use blitz_ir::{FloatKind, Signature, Type};
use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;

/// Elements of an array of structs or pointers that are made up one by one; the others stay as they are.
const ELEMENTS: u64 = 8;
/// Functions that a pointer may mean.
const FUNCTIONS: usize = 8;
/// An input that a function of the caller's returns.
pub const RESULT: &str = "result of ";
/// Pointers in an object that a pointer to pointers means; a null follows.
const POINTERS: u64 = 3;

const HEAD: &str = r#"#include <stddef.h>

void *__blitz_heap_alloc(size_t);
_Bool __blitz_input_bool(const char *);
unsigned char __blitz_input_u8(const char *);
unsigned short __blitz_input_u16(const char *);
unsigned __blitz_input_u32(const char *);
unsigned long long __blitz_input_u64(const char *);
float __blitz_input_float(const char *);
double __blitz_input_double(const char *);
void __blitz_input_bytes(void *, size_t, const char *);
void __blitz_run_constructors(void);
_Noreturn void exit(int);

#define PUT(type, suffix, at, name) (*(type *)(at) = __blitz_input_##suffix(name))

/* Nothing that is made here is ever lost. */
static unsigned char *kept[@OBJECTS@];

static unsigned char *object(int number, size_t size) {
  unsigned char *made = __blitz_heap_alloc(size);
  __builtin_memset(made, 0, size);
  return kept[number] = made;
}
"#;

/// A pointer to set.
struct Pending {
    place: String,
    to: Option<Md>,
    name: String,
    /// How many pointers lead there.
    level: u32,
    demand: Demand,
}

struct Writer<'s> {
    session: &'s Session,
    pointer: u64,
    body: String,
    objects: usize,
    /// Pointers to set.
    pending: VecDeque<Pending>,
    /// Pointers that are null only because of a limit.
    limited: bool,
    opaque: bool,
    candidates: &'s [Candidate],
    /// Candidates that the text names.
    chosen: BTreeSet<usize>,
    /// Functions that stand for those of callers.
    callbacks: String,
    callback_count: usize,
    /// Variables are filled: tables of functions stay what they are.
    keeps_code: bool,
}

/// Writes the harness.
pub fn write(
    session: &Session,
    pointer: u64,
    (function, called_symbol, signature): (&str, &str, &Signature),
    arguments: &[Argument],
    (hold, variables): (Variables, &[Variable]),
    candidates: &[Candidate],
) -> Unit {
    let mut w = Writer {
        session,
        pointer,
        body: String::new(),
        objects: 0,
        pending: VecDeque::new(),
        limited: false,
        opaque: false,
        candidates,
        chosen: BTreeSet::new(),
        callbacks: String::new(),
        callback_count: 0,
        keeps_code: true,
    };
    let mut declarations = String::new();
    for (i, variable) in variables.iter().enumerate() {
        let _ = writeln!(declarations, "extern unsigned char variable{i}[] __asm__(\"{}\");", variable.symbol);
        let shape = Shape::of(session, Some(variable.debug));
        let place = format!("variable{i}");
        match hold {
            Variables::AnyBytes => w.bytes(&place, variable.size, &variable.symbol),
            Variables::MadeUp | Variables::Initialised => w.fill(&place, &shape, &variable.symbol, 0),
        }
    }
    w.keeps_code = false;
    for (i, argument) in arguments.iter().enumerate() {
        let _ = writeln!(w.body, "  {} argument{i} = 0;", c_type(argument.ty, true));
        w.argument(i, argument);
    }
    w.pointers();
    let passed: Vec<String> = (0..arguments.len()).map(|i| format!("argument{i}")).collect();
    let _ = writeln!(declarations, "{} __asm__(\"{called_symbol}\");", prototype(signature, "function"));
    let kept = kept_result(signature);
    declarations.push_str(kept);
    let result = if kept.is_empty() { "" } else { "result = " };
    for &i in &w.chosen {
        let _ = writeln!(declarations, "void code{i}(void) __asm__(\"{}\");", candidates[i].symbol);
    }
    declarations.push_str(&w.callbacks);
    let head = HEAD.replace("@OBJECTS@", &OBJECTS.to_string());
    let text = format!(
        "/* Calls {function} with any arguments{}. */\n{head}\n{declarations}\nint __blitz_entry(void) {{\n  __blitz_run_constructors();\n{}  {result}function({});\n  exit(0);\n}}\n",
        if variables.is_empty() { "" } else { " in any state" },
        w.body,
        passed.join(", ")
    );
    let chosen = w.chosen.iter().map(|&i| candidates[i].symbol.clone()).filter(|s| s != called_symbol);
    let symbols = variables.iter().map(|v| v.symbol.clone()).chain([called_symbol.to_owned()]).chain(chosen).collect();
    Unit {
        text,
        ptr_bits: pointer as u16 * 8,
        symbols,
        call: called(function, called_symbol, !variables.is_empty()),
        notes: w.notes(),
    }
}

impl Writer<'_> {
    fn argument(&mut self, i: usize, argument: &Argument) {
        let place = format!("(unsigned char *)&argument{i}");
        let size = |shape: &Shape| shape.size(self.pointer);
        let by_type = argument.debug.map(|d| Shape::of(self.session, Some(d)));
        let bytes = u64::from(argument.ty.bits(self.pointer as u16 * 8)).div_ceil(8);
        let shape = match (by_type, argument.ty) {
            (Some(shape), _) if size(&shape) == bytes => shape,
            (_, Type::Ptr) => Shape::Pointer(None),
            _ => Shape::Bytes(bytes),
        };
        match shape {
            Shape::Pointer(to) => {
                let (name, demand) = (argument.name.clone(), argument.demand);
                self.pending.push_back(Pending { place, to, name, level: 1, demand });
            }
            other => self.fill(&place, &other, &argument.name, 0),
        }
    }

    /// Puts anything at a place.
    fn fill(&mut self, place: &str, shape: &Shape, name: &str, level: u32) {
        match shape {
            Shape::Scalar(s) => {
                let (ty, suffix) = scalar_type(*s);
                let _ = writeln!(self.body, "  PUT({ty}, {suffix}, {place}, {});", literal(name));
            }
            Shape::Bytes(0) => {}
            Shape::Bytes(n) => self.bytes(place, *n, name),
            Shape::Opaque(_) => self.opaque = true,
            Shape::Code { ty, .. } => self.code(place, *ty, name),
            Shape::Pointer(to) => {
                let (place, name, demand) = (place.to_owned(), name.to_owned(), Demand::default());
                self.pending.push_back(Pending { place, to: *to, name, level: level + 1, demand });
            }
            Shape::Struct { fields, .. } => {
                for field in fields {
                    let inner = if field.name.is_empty() { name.to_owned() } else { member(name, &field.name) };
                    self.fill(&at(place, field.offset), &field.shape, &inner, level);
                }
            }
            Shape::Array { of, count } => self.array(place, of, *count, name, level),
        }
    }

    fn array(&mut self, place: &str, of: &Shape, count: u64, name: &str, level: u32) {
        let size = of.size(self.pointer);
        match of {
            _ if count == 0 => {}
            Shape::Scalar(Scalar::Bool)
            | Shape::Pointer(_)
            | Shape::Code { .. }
            | Shape::Struct { .. }
            | Shape::Array { .. } => {
                for i in 0..count.min(ELEMENTS) {
                    self.fill(&at(place, i * size), of, &format!("{name}[{i}]"), level);
                }
            }
            Shape::Scalar(Scalar::Char) => {
                self.bytes(place, count, name);
                let _ = writeln!(self.body, "  ({place})[{}] = 0;", count - 1);
            }
            Shape::Scalar(_) | Shape::Bytes(_) => self.bytes(place, count * size, name),
            Shape::Opaque(_) => self.opaque = true,
        }
    }

    fn bytes(&mut self, place: &str, n: u64, name: &str) {
        let _ = writeln!(self.body, "  __blitz_input_bytes({place}, {n}, {});", literal(name));
    }

    /// Null, or one of the functions of the type.
    fn code(&mut self, place: &str, ty: Md, name: &str) {
        if self.keeps_code {
            self.opaque = true;
            return;
        }
        let wanted = result_and_parameters(self.session, ty);
        let fits = |c: &Candidate| {
            let pairs = c.types.iter().zip(&wanted);
            c.types.len() == wanted.len() && pairs.into_iter().all(|(a, b)| alike(self.session, *a, *b))
        };
        let fitting: Vec<usize> = (0..self.candidates.len()).filter(|&i| fits(&self.candidates[i])).collect();
        self.limited |= fitting.len() > FUNCTIONS;
        if fitting.is_empty() {
            self.callback(place, &wanted, name);
            return;
        }
        let mut value = String::new();
        for &i in fitting.iter().take(FUNCTIONS) {
            let is_it = literal(&format!("{name} is {}", self.candidates[i].symbol));
            let _ = write!(value, "__blitz_input_bool({is_it}) ? (void *)code{i} : ");
            self.chosen.insert(i);
        }
        let _ = writeln!(self.body, "  *(void **)({place}) = {value}NULL;");
    }

    /// Null, or a function of the caller's, where the program has none of the type: it returns anything and does nothing.
    fn callback(&mut self, place: &str, types: &[Option<Md>], name: &str) {
        let Some(text) = self.callback_text(types, name) else {
            self.opaque = true;
            let _ = writeln!(self.body, "  *(void **)({place}) = NULL;");
            return;
        };
        let is_there = literal(&format!("{name} != NULL"));
        let number = self.callback_count;
        self.callback_count += 1;
        self.callbacks.push_str(&text);
        let _ = writeln!(
            self.body,
            "  *(void **)({place}) = __blitz_input_bool({is_there}) ? (void *)callback{number} : NULL;"
        );
    }

    /// A function of these result and parameters; none where C passes something by value that is no scalar.
    fn callback_text(&self, types: &[Option<Md>], name: &str) -> Option<String> {
        let (result, parameters) = types.split_first()?;
        let passed = |ty: Option<Md>| match Shape::of(self.session, Some(ty?)) {
            Shape::Scalar(s) => Some(scalar_type(s).0),
            Shape::Pointer(_) | Shape::Code { .. } => Some("void *"),
            Shape::Struct { .. } | Shape::Array { .. } | Shape::Bytes(_) | Shape::Opaque(_) => None,
        };
        let parameters: Vec<&str> = parameters.iter().map(|p| passed(*p)).collect::<Option<_>>()?;
        let named: Vec<String> = parameters.iter().enumerate().map(|(i, ty)| format!("{ty} a{i}")).collect();
        let parameters = if named.is_empty() { "void".to_owned() } else { named.join(", ") };
        let (returned, body) = match plain(self.session, *result).map(|ty| Shape::of(self.session, Some(ty))) {
            None => ("void", String::new()),
            Some(Shape::Pointer(_) | Shape::Code { .. }) => ("void *", " return NULL;".to_owned()),
            Some(Shape::Scalar(s)) => {
                let (ty, suffix) = scalar_type(s);
                (ty, format!(" return __blitz_input_{suffix}({});", literal(&format!("{RESULT}{name}"))))
            }
            Some(Shape::Struct { .. } | Shape::Array { .. } | Shape::Bytes(_) | Shape::Opaque(_)) => return None,
        };
        Some(format!("static {returned} callback{}({parameters}) {{{body} }}\n", self.callback_count))
    }

    /// Sets the pointers, those nearest to the arguments first.
    fn pointers(&mut self) {
        while let Some(next) = self.pending.pop_front() {
            if is_stream(self.session, next.to) {
                self.stream(&next.place, &next.name);
            } else if next.level > LEVELS || self.objects == OBJECTS {
                self.limited = true;
                let _ = writeln!(self.body, "  *(void **)({}) = NULL;", next.place);
            } else {
                self.pointer(&next);
            }
        }
    }

    fn stream(&mut self, place: &str, name: &str) {
        let is_input = literal(&format!("{name} is stdin"));
        let _ = writeln!(
            self.body,
            "  {{\n    extern void *stdin, *stdout;\n    *(void **)({place}) = __blitz_input_bool({is_input}) ? stdin : stdout;\n  }}"
        );
    }

    fn pointer(&mut self, pending: &Pending) {
        let Pending { place, to, name, level, demand } = pending;
        let (to, level) = (*to, *level);
        let shape = match plain(self.session, to) {
            None => Shape::Scalar(Scalar::Char),
            Some(ty) => Shape::of(self.session, Some(ty)),
        };
        let size = shape.size(self.pointer);
        if size == 0 || matches!(shape, Shape::Opaque(_)) {
            self.opaque = true;
            let _ = writeln!(self.body, "  *(void **)({place}) = NULL;");
            return;
        }
        let number = self.objects;
        self.objects += 1;
        let (shown, is_there) = (shown_type(self.session, to, 0), literal(&format!("{name} != NULL")));
        let _ = writeln!(self.body, "  /* {name}: {} */", shown.replace("*/", "* /"));
        match &shape {
            Shape::Scalar(_) | Shape::Bytes(_) => {
                self.elements(number, size, name, demand.bytes.div_ceil(size));
            }
            Shape::Pointer(_) | Shape::Code { .. } => {
                let all = (POINTERS + 1) * size;
                let _ = writeln!(self.body, "  unsigned char *object{number} = object({number}, {all});");
                for i in 0..POINTERS {
                    self.fill(&at(&format!("object{number}"), i * size), &shape, &format!("{name}[{i}]"), level);
                }
            }
            Shape::Struct { .. } | Shape::Array { .. } | Shape::Opaque(_) => {
                let count = demand.bytes.div_ceil(size).max(1);
                let _ = writeln!(self.body, "  unsigned char *object{number} = object({number}, {});", count * size);
                self.fill(&format!("object{number}"), &shape, &deref(name), level);
                for i in 1..count.min(ELEMENTS) {
                    self.fill(&at(&format!("object{number}"), i * size), &shape, &format!("{name}[{i}]"), level);
                }
            }
        }
        let value = match demand.not_null {
            true => format!("object{number}"),
            false => format!("__blitz_input_bool({is_there}) ? object{number} : NULL"),
        };
        let _ = writeln!(self.body, "  *(void **)({place}) = {value};");
    }

    /// Any number of elements, as far as 16 bits count, beyond those that have to be there: what is syntactically constant of a number needs no
    /// condition. Bytes end with a zero, as a text does.
    fn elements(&mut self, number: usize, size: u64, name: &str, least: u64) {
        let end = u64::from(size == 1);
        let (length, of) = (literal(&format!("{name} length")), literal(&deref(name)));
        let plus = if least == 0 { String::new() } else { format!("{least} + ") };
        let _ = writeln!(
            self.body,
            "  size_t length{number} = {plus}__blitz_input_u16({length});\n  \
             unsigned char *object{number} = object({number}, length{number} * {size} + {end});\n  \
             __blitz_input_bytes(object{number}, length{number} * {size}, {of});"
        );
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.limited {
            notes.push(format!(
                "objects beyond the first {OBJECTS}, and more than {LEVELS} pointers away, and functions beyond the first {FUNCTIONS} of a type, are not there"
            ));
        }
        if self.opaque {
            notes.push("unions with pointers, and pointers to unknown types, are null".to_owned());
        }
        if self.callback_count > 0 {
            notes.push(
                "a pointer to functions of which the program has none is null, or means one that changes nothing and returns null or any number"
                    .to_owned(),
            );
        }
        if !self.chosen.is_empty() {
            notes.push(
                "a pointer to functions is null or means a function of its type whose address is taken".to_owned(),
            );
        }
        notes
    }
}

/// How the function is called.
fn called(function: &str, symbol: &str, any_globals: bool) -> String {
    let variables = if any_globals { ", and variables hold anything" } else { "; variables have their first values" };
    let which = match symbol {
        _ if symbol == function => "any arguments",
        _ if symbol.starts_with(crate::driver::ENFORCED) => "arguments that its contract requires",
        _ => "arguments for which the assumptions hold",
    };
    format!(
        "{function} is called with {which}: a pointer is null or means an object of its own, texts have up to 65,535 bytes{variables}"
    )
}

fn at(place: &str, offset: u64) -> String {
    if offset == 0 { place.to_owned() } else { format!("{place} + {offset}") }
}

/// What a pointer means: `*p`.
fn deref(name: &str) -> String {
    format!("*{name}")
}

/// A part of something: `p->f` where that is `*p`.
fn member(name: &str, field: &str) -> String {
    match name.strip_prefix('*') {
        Some(pointer) => format!("{pointer}->{field}"),
        None => format!("{name}.{field}"),
    }
}

fn literal(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

fn is_stream(session: &Session, to: Option<Md>) -> bool {
    plain(session, to).is_some_and(|t| t.is_type() && t.type_name(session) == "_IO_FILE")
}

fn scalar_type(s: Scalar) -> (&'static str, &'static str) {
    match s {
        Scalar::Bool => ("_Bool", "bool"),
        Scalar::Char => ("unsigned char", "u8"),
        Scalar::Short => ("unsigned short", "u16"),
        Scalar::Int => ("unsigned", "u32"),
        Scalar::Long => ("unsigned long long", "u64"),
        Scalar::Float => ("float", "float"),
        Scalar::Double => ("double", "double"),
    }
}

/// What keeps a result with pointers in it: it belongs to the caller, so what it leads to is not lost when the function returns.
fn kept_result(signature: &Signature) -> &'static str {
    match signature.results.as_slice() {
        [Type::Ptr] => "static void *result;\n",
        [_] | [] => "",
        several if several.contains(&Type::Ptr) => "static struct result result;\n",
        _ => "",
    }
}

/// A declaration of a function whose parameters and results have these types.
fn prototype(signature: &Signature, name: &str) -> String {
    let result = match signature.results.as_slice() {
        [] => "void".to_owned(),
        [ty] => c_type(*ty, false),
        several => {
            let fields: String =
                several.iter().enumerate().map(|(i, t)| format!("{} f{i}; ", c_type(*t, false))).collect();
            format!("struct result {{ {fields}}}")
        }
    };
    let mut params: Vec<String> = signature.params.iter().map(|t| c_type(*t, true)).collect();
    if signature.variadic {
        params.push("...".to_owned());
    }
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    format!("{result} {name}({params})")
}

/// The type of C that a value of ours has.
pub fn c_type(ty: Type, unsigned: bool) -> String {
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
