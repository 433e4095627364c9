//! What debug metadata tells: places, variable names, types as C writes them.
//!
//! Invariant: all files are known once the program is loaded (the scan of `symbols` visits every instruction that can
//! be lowered later), so that the file table of a program never changes.

use crate::llvm::{Md, MdKind, Session, Val};
use blitz_base::span::{FileId, Loc};
use blitz_ir::func::VarFormat;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

pub const TAG_ARRAY: u16 = 0x01;
pub const TAG_ENUM: u16 = 0x04;
pub const TAG_MEMBER: u16 = 0x0d;
pub const TAG_POINTER: u16 = 0x0f;
pub const TAG_STRUCT: u16 = 0x13;
pub const TAG_TYPEDEF: u16 = 0x16;
pub const TAG_UNION: u16 = 0x17;
pub const TAG_CONST: u16 = 0x26;
pub const TAG_VOLATILE: u16 = 0x35;
pub const TAG_RESTRICT: u16 = 0x37;
pub const TAG_ATOMIC: u16 = 0x47;

/// Operand of a type node that is its base type, and of an array that is its ranges.
const BASE_TYPE: usize = 3;
pub const ELEMENTS: usize = 4;
/// How many qualifiers and typedefs are looked through.
const MOST_QUALIFIERS: usize = 32;
/// Operand of a function's node that is its type.
const SUBPROGRAM_TYPE: usize = 4;

/// How deep a type is printed before `...`.
const DEEPEST: usize = 16;

/// Files by id, and the ids found so far.
#[derive(Default)]
pub struct DebugInfo {
    pub files: Vec<String>,
    by_path: FxHashMap<String, FileId>,
    by_node: FxHashMap<Md, FileId>,
    by_scope: FxHashMap<Md, Option<FileId>>,
    /// The scope asked for last: mostly it is the next one too.
    last: Option<(Md, Option<FileId>)>,
    /// The current folder, once asked for.
    here: Option<PathBuf>,
}

/// A local variable as its metadata describes it.
pub struct Local {
    pub name: String,
    pub ty: String,
    pub format: VarFormat,
    pub loc: Loc,
}

impl DebugInfo {
    fn file(&mut self, session: &Session, file: Md) -> FileId {
        if let Some(&id) = self.by_node.get(&file) {
            return id;
        }
        let id = self.file_by_path(session, file);
        self.by_node.insert(file, id);
        id
    }

    fn file_by_path(&mut self, session: &Session, file: Md) -> FileId {
        let (dir, name) = file.file_path(session);
        let path = self.readable_path(dir, name);
        if let Some(&id) = self.by_path.get(&path) {
            return id;
        }
        let id = FileId::new(self.files.len());
        self.files.push(path.clone());
        self.by_path.insert(path, id);
        id
    }

    /// A path that leads to the file from here: clang splits it, and its folder may be another than ours.
    fn readable_path(&mut self, dir: String, name: String) -> String {
        let here = self.here.get_or_insert_with(|| std::env::current_dir().unwrap_or_default());
        if name.is_empty() {
            return dir;
        }
        let elsewhere = Path::new(&dir).is_absolute() && Path::new(&dir) != here.as_path();
        if elsewhere && Path::new(&name).is_relative() { format!("{dir}/{name}") } else { name }
    }

    fn scope_file(&mut self, session: &Session, scope: Md) -> Option<FileId> {
        if let Some((last, id)) = self.last
            && last == scope
        {
            return id;
        }
        let id = match self.by_scope.get(&scope) {
            Some(&id) => id,
            None => {
                let id = scope.scope_file().map(|f| self.file(session, f));
                self.by_scope.insert(scope, id);
                id
            }
        };
        self.last = Some((scope, id));
        id
    }

    /// The place of an instruction.
    pub fn loc(&mut self, session: &Session, inst: Val) -> Loc {
        let Some(at) = inst.debug_loc() else { return Loc::UNKNOWN };
        let (line, col, scope) = at.location();
        match self.scope_file(session, scope) {
            Some(file) if line != 0 => Loc { file, line, col },
            Some(_) | None => Loc::UNKNOWN,
        }
    }

    /// The place of a function.
    pub fn function_loc(&mut self, session: &Session, func: Val) -> Loc {
        let Some(sub) = func.subprogram() else { return Loc::UNKNOWN };
        match self.scope_file(session, sub) {
            Some(file) => Loc { file, line: sub.subprogram_line(), col: 0 },
            None => Loc::UNKNOWN,
        }
    }

    /// Place and type of a global variable.
    pub fn global(&mut self, session: &Session, global: Val) -> (Loc, String) {
        let Some(var) = global.global_debug().and_then(Md::global_variable) else {
            return (Loc::UNKNOWN, String::new());
        };
        let ty = var.operands(session).get(3).copied().flatten();
        (self.variable_loc(session, var), c_type(session, ty, 0))
    }

    fn variable_loc(&mut self, session: &Session, var: Md) -> Loc {
        match var.variable_place() {
            (Some(file), line) if line != 0 => Loc { file: self.file(session, file), line, col: 0 },
            _ => Loc::UNKNOWN,
        }
    }

    /// A local variable from its metadata.
    pub fn local(&mut self, session: &Session, var: Md) -> Option<Local> {
        if !var.is(MdKind::LLVMDILocalVariableMetadataKind) {
            return None;
        }
        let ops = var.operands(session);
        let name = ops.get(1).copied().flatten()?.string(session)?;
        let ty = ops.get(3).copied().flatten();
        Some(Local {
            name,
            ty: c_type(session, ty, 0),
            format: format(session, ty),
            loc: self.variable_loc(session, var),
        })
    }
}

pub fn base(session: &Session, ty: Md) -> Option<Md> {
    ty.operands(session).get(BASE_TYPE).copied().flatten()
}

/// A type without typedefs and qualifiers.
pub fn plain(session: &Session, ty: Option<Md>) -> Option<Md> {
    let mut at = ty;
    for _ in 0..MOST_QUALIFIERS {
        let md = at?;
        let derived = md.is(MdKind::LLVMDIDerivedTypeMetadataKind);
        match md.is_node().then(|| md.tag()) {
            Some(TAG_CONST | TAG_VOLATILE | TAG_RESTRICT | TAG_ATOMIC | TAG_TYPEDEF) if derived => {
                at = base(session, md);
            }
            _ => return Some(md),
        }
    }
    None
}

/// The member of a struct or union at an offset: its name, its type, and how far into it the offset is. A bit-field is not told from its neighbours.
pub fn member_at(session: &Session, ty: Md, offset: u64) -> Option<(String, Option<Md>, u64)> {
    let members = ty.operands(session).get(ELEMENTS).copied().flatten()?.operands(session);
    let is_member = |m: &Md| m.is(MdKind::LLVMDIDerivedTypeMetadataKind) && m.tag() == TAG_MEMBER && !m.is_bit_field();
    let found = members.into_iter().flatten().filter(is_member).find(|m| {
        let (begin, size) = (m.type_offset_bits() / 8, m.type_size_bits() / 8);
        begin <= offset && offset < begin + size.max(1)
    })?;
    let name = found.type_name(session);
    (!name.is_empty()).then(|| (name, base(session, found), offset - found.type_offset_bits() / 8))
}

/// The name of a local variable.
pub fn local_name(session: &Session, var: Md) -> Option<String> {
    if !var.is(MdKind::LLVMDILocalVariableMetadataKind) {
        return None;
    }
    var.operands(session).get(1).copied().flatten()?.string(session)
}

/// The type as C writes it, roughly (declarators are written after the type: `int *[4]`).
pub fn c_type(session: &Session, ty: Option<Md>, depth: usize) -> String {
    let Some(ty) = ty else { return "void".into() };
    if depth > DEEPEST || ty.is(MdKind::LLVMMDStringMetadataKind) {
        return "...".into();
    }
    let inner = || c_type(session, base(session, ty), depth + 1);
    match ty.kind() {
        MdKind::LLVMDISubroutineTypeMetadataKind => subroutine(session, ty, depth),
        MdKind::LLVMDIBasicTypeMetadataKind => ty.type_name(session),
        MdKind::LLVMDIDerivedTypeMetadataKind => match ty.tag() {
            TAG_POINTER => pointer_to(&inner()),
            TAG_CONST => format!("const {}", inner()),
            TAG_VOLATILE => format!("volatile {}", inner()),
            TAG_RESTRICT => inner(),
            TAG_ATOMIC => format!("_Atomic {}", inner()),
            _ => ty.type_name(session),
        },
        MdKind::LLVMDICompositeTypeMetadataKind => match ty.tag() {
            TAG_ARRAY => format!("{}{}", inner(), array_ranges(session, ty)),
            TAG_STRUCT => format!("struct {}", ty.type_name(session)),
            TAG_UNION => format!("union {}", ty.type_name(session)),
            TAG_ENUM => format!("enum {}", ty.type_name(session)),
            _ => ty.type_name(session),
        },
        _ => String::new(),
    }
}

fn pointer_to(inner: &str) -> String {
    match inner.split_once(" (") {
        Some((result, rest)) => format!("{result} (*{}({rest}", if rest.starts_with('*') { "" } else { ")" }),
        None if inner.ends_with('*') => format!("{inner}*"),
        None => format!("{inner} *"),
    }
}

fn subroutine(session: &Session, ty: Md, depth: usize) -> String {
    let types = ty.operands(session).get(BASE_TYPE).copied().flatten();
    let all = types.map(|t| t.operands(session)).unwrap_or_default();
    let text = |t: &Option<Md>| c_type(session, *t, depth + 1);
    let result = all.first().map_or_else(|| "void".into(), text);
    let params: Vec<String> = all.iter().skip(1).map(text).collect();
    format!("{result} ({})", params.join(", "))
}

fn array_ranges(session: &Session, ty: Md) -> String {
    let shown = |n: Option<u64>| n.map_or_else(|| "[]".into(), |n| format!("[{n}]"));
    array_counts(session, ty).into_iter().map(shown).collect()
}

/// How many elements an array has in each dimension, where that is known.
pub fn array_counts(session: &Session, ty: Md) -> Vec<Option<u64>> {
    let elements = ty.operands(session).get(ELEMENTS).copied().flatten();
    let ranges = elements.map(|e| e.operands(session)).unwrap_or_default();
    let count = |range: Option<Md>| {
        let count = range?.operands(session).first().copied().flatten()?.as_value(session)?;
        Some(count.int_bits())
    };
    ranges.into_iter().map(count).collect()
}

/// Result and parameters of a function, as its metadata has them; `void` is `None`.
pub fn subroutine_types(session: &Session, subprogram: Md) -> Vec<Option<Md>> {
    let ty = subprogram.operands(session).get(SUBPROGRAM_TYPE).copied().flatten();
    let ty = ty.filter(|t| t.is(MdKind::LLVMDISubroutineTypeMetadataKind));
    ty.map(|t| result_and_parameters(session, t)).unwrap_or_default()
}

/// The result of a function type, then its parameters.
pub fn result_and_parameters(session: &Session, ty: Md) -> Vec<Option<Md>> {
    let types = ty.operands(session).get(BASE_TYPE).copied().flatten();
    types.map(|t| t.operands(session)).unwrap_or_default()
}

/// How values of a type are shown.
fn format(session: &Session, ty: Option<Md>) -> VarFormat {
    let mut at = ty;
    for _ in 0..DEEPEST {
        let Some(ty) = at else { return VarFormat::Other };
        match ty.kind() {
            MdKind::LLVMDIBasicTypeMetadataKind => return basic_format(&ty.type_name(session)),
            MdKind::LLVMDICompositeTypeMetadataKind if ty.tag() == TAG_ENUM => return VarFormat::Signed,
            MdKind::LLVMDIDerivedTypeMetadataKind => match ty.tag() {
                TAG_POINTER => return VarFormat::Pointer,
                TAG_CONST | TAG_VOLATILE | TAG_RESTRICT | TAG_ATOMIC | TAG_TYPEDEF => at = base(session, ty),
                _ => return VarFormat::Other,
            },
            _ => return VarFormat::Other,
        }
    }
    VarFormat::Other
}

fn basic_format(name: &str) -> VarFormat {
    match name {
        "_Bool" | "bool" => VarFormat::Bool,
        "char" | "signed char" | "unsigned char" => VarFormat::Char,
        _ if name.contains("float") || name.contains("double") || name.contains("_Float") => VarFormat::Float,
        _ if name.starts_with("unsigned") => VarFormat::Unsigned,
        _ => VarFormat::Signed,
    }
}
