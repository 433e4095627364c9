//! Values as people read them.

use blitz_base::Bv;
use blitz_interp::{InputValue, ObjectInfo, RunResult};
use blitz_ir::func::VarFormat;
use blitz_ir::{FloatKind, FuncId, Global, Program, Type};
use std::collections::BTreeMap;
use std::path::Path;

/// What pointers are called: the program's own objects, and those of a run.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub program: &'a Program,
    objects: &'a BTreeMap<u64, ObjectInfo>,
}

impl<'a> Names<'a> {
    pub fn of(program: &'a Program, run: &'a RunResult) -> Self {
        Self { program, objects: &run.objects }
    }

    /// How a variable of a function is shown.
    pub fn format(self, func: FuncId, name: Option<&String>) -> Option<VarFormat> {
        let body = self.program.lowered(func)?;
        let variable = body.vars.iter().find(|v| Some(&v.name) == name)?;
        (variable.format != VarFormat::Other).then_some(variable.format)
    }

    /// What an object is called.
    pub fn object(self, number: u64) -> String {
        object_name(self, number)
    }

    /// Whether the source has no name for an object.
    pub fn is_anonymous(self, number: u64) -> bool {
        let global = usize::try_from(number).is_ok_and(|n| n <= self.program.globals.len());
        let named = self.objects.get(&number).is_some_and(|info| info.name.is_some());
        !global && !named && self.program.func_of_object(number).is_none()
    }
}

/// A value of a type: integers as signed decimal, with the unsigned reading where it differs.
pub(crate) fn show_value(names: Names<'_>, ty: Type, value: &Bv) -> String {
    match ty {
        Type::Int(1) => if value.is_zero() { "0" } else { "1" }.to_owned(),
        Type::Int(_) => show_int(value),
        Type::Ptr => show_pointer(names, value),
        Type::Float(kind) => show_float(kind, value),
    }
}

/// A variable's value as its type in C asks for.
pub(crate) fn show_variable(names: Names<'_>, format: VarFormat, value: &Bv) -> String {
    match (format, value.width()) {
        (VarFormat::Pointer, width) if width == names.program.target.ptr_bits => show_pointer(names, value),
        (VarFormat::Float, 32) => show_float(FloatKind::Single, value),
        (VarFormat::Float, 64) => show_float(FloatKind::Double, value),
        (VarFormat::Bool, _) => if value.is_zero() { "0" } else { "1" }.to_owned(),
        (VarFormat::Unsigned, _) => value.to_u128().map_or_else(|| format!("{value:?}"), |n| n.to_string()),
        // What is declared as signed has no second reading.
        (VarFormat::Signed, _) => value.to_i128().map_or_else(|| show_int(value), |n| n.to_string()),
        (VarFormat::Char | VarFormat::Other | VarFormat::Pointer | VarFormat::Float, _) => show_int(value),
    }
}

fn show_int(value: &Bv) -> String {
    match (value.to_i128(), value.to_u128()) {
        (Some(signed), Some(unsigned)) if signed < 0 => format!("{signed} ({unsigned} unsigned)"),
        (Some(signed), _) => match u8::try_from(signed) {
            Ok(byte) if value.width() == 8 && (byte.is_ascii_graphic() || byte == b' ') => {
                format!("{signed} ('{}')", byte as char)
            }
            _ => signed.to_string(),
        },
        (None, _) => format!("{value:?}"),
    }
}

fn show_pointer(names: Names<'_>, value: &Bv) -> String {
    let Some(bits) = value.to_u64() else { return format!("{value:?}") };
    if bits == 0 {
        return "null".to_owned();
    }
    let offset_bits = names.program.target.offset_bits();
    let object = bits >> offset_bits;
    let unused = 64 - u32::from(offset_bits);
    let offset = ((bits << unused) as i64) >> unused;
    let global = usize::try_from(object).ok().and_then(|n| names.program.globals.get(n.checked_sub(1)?));
    if let Some(text) = global.and_then(|g| text_of_literal(g, usize::try_from(offset).ok()?)) {
        return text;
    }
    let name = object_name(names, object);
    match offset {
        0 => format!("&{name}"),
        _ => format!("&{name} {} {}", if offset < 0 { '-' } else { '+' }, offset.unsigned_abs()),
    }
}

/// The text of a string literal from a place on. clang calls them `.str`, which no name of C is; those of wide characters have a greater alignment.
pub(crate) fn text_of_literal(global: &Global, at: usize) -> Option<String> {
    let named = global.name.starts_with(".str") && global.constant && global.align == 1;
    let bytes = global.init.as_ref().filter(|_| named && global.relocs.is_empty() && (at as u64) < global.size)?;
    let rest = bytes.get(at..).unwrap_or_default();
    Some(c_string(&rest[..rest.iter().position(|&b| b == 0).unwrap_or(rest.len())]))
}

/// `buf`, `main`, `(allocated at list.c:5)`.
fn object_name(names: Names<'_>, object: u64) -> String {
    let program = names.program;
    if object == 0 {
        return "null".to_owned();
    }
    if let Some(f) = program.func_of_object(object) {
        return program.decl(f).name.clone();
    }
    if let Some(global) = usize::try_from(object - 1).ok().and_then(|i| program.globals.get(i)) {
        return global.name.clone();
    }
    match names.objects.get(&object) {
        Some(ObjectInfo { name: Some(name), .. }) => crate::finding::object_name(program, *name),
        Some(info) => allocated(program, info),
        None => UNNAMED.to_owned(),
    }
}

const UNNAMED: &str = "(allocated object)";

/// An object that has only the place it comes from.
fn allocated(program: &Program, info: &ObjectInfo) -> String {
    let users = info.allocated.iter().find(|f| !program.decl(f.func).model && f.loc.is_known());
    let Some(frame) = users else { return UNNAMED.to_owned() };
    let file = Path::new(program.file(frame.loc.file)).file_name().unwrap_or_default().to_string_lossy();
    format!("(allocated at {file}:{})", frame.loc.line)
}

fn show_float(kind: FloatKind, value: &Bv) -> String {
    match (kind, value.to_u64()) {
        (FloatKind::Single, Some(bits)) => format!("{:?}", f32::from_bits(bits as u32)),
        (FloatKind::Double, Some(bits)) => format!("{:?}", f64::from_bits(bits)),
        _ => format!("{value:?}"),
    }
}

/// An input: a number, or bytes as a C string.
pub(crate) fn show_input(value: &InputValue) -> String {
    match value {
        InputValue::Value(bits) if bits.width() == 1 => (!bits.is_zero()).to_string(),
        InputValue::Value(bits) => show_int(bits),
        InputValue::Bytes(bytes) => c_string(bytes),
        InputValue::Bool(yes) => yes.to_string(),
    }
}

const SHOWN_BYTES: usize = 32;

/// Bytes as a C string literal, cut where they get long; a long run of one byte is said, not shown.
pub(crate) fn c_string(bytes: &[u8]) -> String {
    match bytes {
        [first, rest @ ..] if bytes.len() > SHOWN_BYTES && rest.iter().all(|b| b == first) => {
            format!("{} {} times", quoted(&bytes[..1]), bytes.len())
        }
        _ if bytes.len() > SHOWN_BYTES => format!("{}... ({} bytes)", quoted(&bytes[..SHOWN_BYTES]), bytes.len()),
        _ => quoted(bytes),
    }
}

fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for &byte in bytes {
        match byte {
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'"' | b'\\' => {
                text.push('\\');
                text.push(byte as char);
            }
            32..=126 => text.push(byte as char),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_show_both_readings_when_they_differ() {
        assert_eq!(show_int(&Bv::from_i64(32, 7)), "7");
        assert_eq!(show_int(&Bv::from_i64(32, -1)), "-1 (4294967295 unsigned)");
        assert_eq!(show_int(&Bv::from_u64(8, 65)), "65 ('A')");
    }

    #[test]
    fn bytes_are_a_c_string() {
        assert_eq!(c_string(b"a\"\n\x01"), "\"a\\\"\\n\\001\"");
        assert_eq!(c_string(&[b'x'; 100]), "\"x\" 100 times");
        assert!(c_string(b"abcdefghij".repeat(10).as_slice()).ends_with("... (100 bytes)"));
    }
}
