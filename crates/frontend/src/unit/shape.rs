//! The shape of a type, from debug metadata: what a harness has to put where.

pub use crate::debuginfo::plain;
use crate::debuginfo::{
    ELEMENTS, TAG_ARRAY, TAG_CONST, TAG_ENUM, TAG_MEMBER, TAG_POINTER, TAG_STRUCT, TAG_UNION, array_counts, base,
    c_type,
};
use crate::llvm::{Md, MdKind, Session};

/// How deep types are nested before they count as something that can't be made up.
const DEEPEST: usize = 32;

/// What is in memory of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    Scalar(Scalar),
    /// To something of this type; `None` is `void`.
    Pointer(Option<Md>),
    Struct {
        size: u64,
        fields: Vec<Field>,
    },
    Array {
        of: Box<Shape>,
        count: u64,
    },
    /// Bytes without pointers among them, taken whole.
    Bytes(u64),
    /// A pointer to functions of this type.
    Code {
        size: u64,
        ty: Md,
    },
    /// What nobody can make up: unions with pointers, types that are declared only.
    Opaque(u64),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub offset: u64,
    pub name: String,
    pub shape: Shape,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Bool,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
}

impl Scalar {
    pub fn size(self) -> u64 {
        match self {
            Scalar::Bool | Scalar::Char => 1,
            Scalar::Short => 2,
            Scalar::Int | Scalar::Float => 4,
            Scalar::Long | Scalar::Double => 8,
        }
    }

    fn int(size: u64) -> Option<Scalar> {
        [Scalar::Char, Scalar::Short, Scalar::Int, Scalar::Long].into_iter().find(|s| s.size() == size)
    }
}

impl Shape {
    pub fn size(&self, pointer: u64) -> u64 {
        match self {
            Shape::Scalar(s) => s.size(),
            Shape::Pointer(_) => pointer,
            Shape::Struct { size, .. } | Shape::Code { size, .. } | Shape::Bytes(size) | Shape::Opaque(size) => *size,
            Shape::Array { of, count } => of.size(pointer).saturating_mul(*count),
        }
    }

    fn has_pointers(&self) -> bool {
        match self {
            Shape::Scalar(_) | Shape::Bytes(_) => false,
            Shape::Pointer(_) | Shape::Code { .. } | Shape::Opaque(_) => true,
            Shape::Struct { fields, .. } => fields.iter().any(|f| f.shape.has_pointers()),
            Shape::Array { of, .. } => of.has_pointers(),
        }
    }

    /// The shape of a type; `None` is `void`.
    pub fn of(session: &Session, ty: Option<Md>) -> Shape {
        of_type(session, ty, 0)
    }
}

/// The function type that this is, if it is one.
fn function_type(session: &Session, ty: Option<Md>) -> Option<Md> {
    plain(session, ty).filter(|t| t.is(MdKind::LLVMDISubroutineTypeMetadataKind))
}

/// Whether two results or parameters are the same to C, as far as that matters here: pointers may be to anything.
pub fn alike(session: &Session, a: Option<Md>, b: Option<Md>) -> bool {
    let (a, b) = (plain(session, a), plain(session, b));
    let is_pointer =
        |t: Option<Md>| t.is_some_and(|t| t.is(MdKind::LLVMDIDerivedTypeMetadataKind) && t.tag() == TAG_POINTER);
    is_pointer(a) && is_pointer(b) || c_type(session, a, 0) == c_type(session, b, 0)
}

/// Whether a variable of this type has a part that C calls constant: what it begins with then stays.
pub fn has_constant(session: &Session, ty: Md) -> bool {
    let mut work = vec![ty];
    let mut seen = Vec::new();
    while let Some(ty) = work.pop() {
        match ty.kind() {
            MdKind::LLVMDIDerivedTypeMetadataKind => match ty.tag() {
                TAG_CONST => return true,
                TAG_POINTER => {}
                _ => work.extend(base(session, ty)),
            },
            MdKind::LLVMDICompositeTypeMetadataKind if ty.tag() == TAG_ARRAY => work.extend(base(session, ty)),
            MdKind::LLVMDICompositeTypeMetadataKind
                if matches!(ty.tag(), TAG_STRUCT | TAG_UNION) && !seen.contains(&ty) =>
            {
                seen.push(ty);
                work.extend(members(session, ty));
            }
            _ => {}
        }
    }
    false
}

fn of_type(session: &Session, ty: Option<Md>, depth: usize) -> Shape {
    let Some(ty) = plain(session, ty).filter(|t| t.is_type()) else { return Shape::Opaque(0) };
    let size = ty.type_size_bits().div_ceil(8);
    if depth > DEEPEST {
        return Shape::Opaque(size);
    }
    match ty.kind() {
        MdKind::LLVMDIBasicTypeMetadataKind => basic(&ty.type_name(session), size),
        MdKind::LLVMDIDerivedTypeMetadataKind if ty.tag() == TAG_POINTER => {
            let target = base(session, ty);
            match function_type(session, target) {
                Some(ty) => Shape::Code { size, ty },
                None => Shape::Pointer(target),
            }
        }
        MdKind::LLVMDICompositeTypeMetadataKind => match ty.tag() {
            TAG_ARRAY => array(session, ty, depth),
            TAG_STRUCT => Shape::Struct { size, fields: fields(session, ty, depth) },
            TAG_UNION => union(session, ty, size, depth),
            TAG_ENUM => Scalar::int(size).map_or(Shape::Bytes(size), Shape::Scalar),
            _ => Shape::Opaque(size),
        },
        _ => Shape::Opaque(size),
    }
}

fn basic(name: &str, size: u64) -> Shape {
    let scalar = match (name, size) {
        ("_Bool" | "bool", _) => Some(Scalar::Bool),
        ("float", 4) => Some(Scalar::Float),
        ("double", 8) => Some(Scalar::Double),
        (_, size) => Scalar::int(size).filter(|_| !name.contains("loat")),
    };
    scalar.map_or(Shape::Bytes(size), Shape::Scalar)
}

fn array(session: &Session, ty: Md, depth: usize) -> Shape {
    let counts = array_counts(session, ty);
    // An array of unknown size has no element here; how many there are is up to who made the object.
    let count = counts.iter().try_fold(1u64, |all, n| all.checked_mul((*n)?)).unwrap_or(0);
    Shape::Array { of: Box::new(of_type(session, base(session, ty), depth + 1)), count }
}

fn fields(session: &Session, ty: Md, depth: usize) -> Vec<Field> {
    members(session, ty).into_iter().map(|m| field(session, m, depth)).collect()
}

fn members(session: &Session, ty: Md) -> Vec<Md> {
    let elements = ty.operands(session).get(ELEMENTS).copied().flatten();
    let members = elements.map(|e| e.operands(session)).unwrap_or_default();
    let is_member = |m: &Md| m.is(MdKind::LLVMDIDerivedTypeMetadataKind) && m.tag() == TAG_MEMBER;
    members.into_iter().flatten().filter(is_member).collect()
}

fn field(session: &Session, member: Md, depth: usize) -> Field {
    let at = member.type_offset_bits();
    let name = member.type_name(session);
    let shape = match member.is_bit_field() {
        true => Shape::Bytes((at % 8 + member.type_size_bits()).div_ceil(8)),
        false => of_type(session, base(session, member), depth + 1),
    };
    Field { offset: at / 8, name, shape }
}

fn union(session: &Session, ty: Md, size: u64, depth: usize) -> Shape {
    match fields(session, ty, depth).iter().any(|f| f.shape.has_pointers()) {
        true => Shape::Opaque(size),
        false => Shape::Bytes(size),
    }
}
