//! LLVM types as lists of scalars.
//!
//! Why: our IR has scalar values only; a struct, array or vector value is the list of its parts in memory order,
//! so that every instruction on aggregates becomes bookkeeping.
//!
//! Absent: types that no value of C has (tokens, metadata, scalable vectors); they give `None`.

use crate::llvm::{Layout, Ty, TypeKind};
use blitz_ir::{FloatKind, Type, Value};
use smallvec::SmallVec;

/// The values that the parts of a value of LLVM are; nearly always one.
pub type Parts = SmallVec<[Value; 2]>;

/// Values with more parts than this are refused.
const MOST_PARTS: usize = 1 << 16;

/// A scalar part of a value and the byte it starts at in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub ty: Type,
    pub offset: u64,
}

/// The scalar type, if it is one.
pub fn scalar(ty: Ty) -> Option<Type> {
    Some(match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => Type::Int(u16::try_from(ty.int_width()).ok()?),
        TypeKind::LLVMPointerTypeKind => Type::Ptr,
        // A register of its lanes: the instructions on it say how wide they are.
        TypeKind::LLVMX86_MMXTypeKind => Type::Int(64),
        TypeKind::LLVMHalfTypeKind => Type::Float(FloatKind::Half),
        TypeKind::LLVMBFloatTypeKind => Type::Float(FloatKind::BFloat),
        TypeKind::LLVMFloatTypeKind => Type::Float(FloatKind::Single),
        TypeKind::LLVMDoubleTypeKind => Type::Float(FloatKind::Double),
        TypeKind::LLVMX86_FP80TypeKind => Type::Float(FloatKind::X87),
        TypeKind::LLVMFP128TypeKind => Type::Float(FloatKind::Quad),
        _ => return None,
    })
}

/// The parts of a type in memory order; `void` has none.
pub fn parts(ty: Ty, layout: Layout) -> Option<SmallVec<[Part; 2]>> {
    let mut out = SmallVec::new();
    add_parts(ty, layout, 0, &mut out)?;
    Some(out)
}

fn add_parts(ty: Ty, layout: Layout, offset: u64, out: &mut SmallVec<[Part; 2]>) -> Option<()> {
    if out.len() > MOST_PARTS {
        return None;
    }
    match ty.kind() {
        TypeKind::LLVMVoidTypeKind => {}
        TypeKind::LLVMStructTypeKind => {
            for (i, field) in ty.fields().into_iter().enumerate() {
                add_parts(field, layout, offset + layout.field_offset(ty, i as u32), out)?;
            }
        }
        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
            let stride = stride(ty, layout);
            for i in 0..ty.count() {
                add_parts(ty.element(), layout, offset + i * stride, out)?;
            }
        }
        _ => out.push(Part { ty: scalar(ty)?, offset }),
    }
    Some(())
}

/// Bytes from one element of an array or vector to the next (vector elements are packed).
fn stride(ty: Ty, layout: Layout) -> u64 {
    match ty.kind() {
        TypeKind::LLVMVectorTypeKind => layout.bits(ty.element()) / 8,
        _ => layout.size(ty.element()),
    }
}

/// How many parts a type has.
pub fn part_count(ty: Ty) -> usize {
    match ty.kind() {
        TypeKind::LLVMVoidTypeKind => 0,
        TypeKind::LLVMStructTypeKind => ty.fields().into_iter().map(part_count).sum(),
        TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
            usize::try_from(ty.count()).unwrap_or(usize::MAX).saturating_mul(part_count(ty.element()))
        }
        _ => 1,
    }
}

/// Where the part that the indices select begins and how many parts it has.
pub fn select_parts(ty: Ty, indices: &[u32]) -> (usize, usize) {
    let mut at = ty;
    let mut first = 0;
    for &i in indices {
        match at.kind() {
            TypeKind::LLVMStructTypeKind => {
                let fields = at.fields();
                first += fields[..i as usize].iter().map(|&f| part_count(f)).sum::<usize>();
                at = fields[i as usize];
            }
            _ => {
                at = at.element();
                first += i as usize * part_count(at);
            }
        }
    }
    (first, part_count(at))
}

/// A vector whose elements do not fill whole bytes; in memory it is one integer.
pub fn is_bit_vector(ty: Ty, layout: Layout) -> bool {
    ty.kind() == TypeKind::LLVMVectorTypeKind && !layout.bits(ty.element()).is_multiple_of(8)
}
