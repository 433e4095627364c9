//! LLVM types and the target's data layout.

use super::TypeKind;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;

/// An LLVM type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty(pub(super) LLVMTypeRef);

unsafe impl Send for Ty {}

impl Ty {
    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Bits of an integer type.
    pub fn int_width(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Fields of a struct type.
    pub fn fields(self) -> Vec<Ty> {
        (0..unsafe { LLVMCountStructElementTypes(self.0) })
            .map(|i| Ty(unsafe { LLVMStructGetTypeAtIndex(self.0, i) }))
            .collect()
    }

    /// The n-th field of a struct type.
    pub fn field(self, n: u32) -> Ty {
        Ty(unsafe { LLVMStructGetTypeAtIndex(self.0, n) })
    }

    /// Element of an array or vector type.
    pub fn element(self) -> Ty {
        Ty(unsafe { LLVMGetElementType(self.0) })
    }

    /// Elements of an array or vector type.
    pub fn count(self) -> u64 {
        match self.kind() {
            TypeKind::LLVMArrayTypeKind => unsafe { LLVMGetArrayLength2(self.0) },
            _ => u64::from(unsafe { LLVMGetVectorSize(self.0) }),
        }
    }

    /// The name of a struct that has one: `struct.node`.
    pub fn struct_name(self) -> Option<String> {
        if self.kind() != TypeKind::LLVMStructTypeKind {
            return None;
        }
        let name = unsafe { super::text(LLVMGetStructName(self.0)) };
        (!name.is_empty()).then_some(name)
    }

    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }

    /// Parameters of a function type.
    pub fn params(self) -> Vec<Ty> {
        let n = unsafe { LLVMCountParamTypes(self.0) } as usize;
        let mut out = vec![std::ptr::null_mut(); n];
        unsafe { LLVMGetParamTypes(self.0, out.as_mut_ptr()) };
        out.into_iter().map(Ty).collect()
    }

    /// Result of a function type.
    pub fn result(self) -> Ty {
        Ty(unsafe { LLVMGetReturnType(self.0) })
    }

    /// Whether a function type has variable arguments.
    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }
}

/// Sizes and offsets on the target.
#[derive(Clone, Copy)]
pub struct Layout(LLVMTargetDataRef);

unsafe impl Send for Layout {}

impl Layout {
    pub(super) fn of(raw: LLVMTargetDataRef) -> Self {
        Self(raw)
    }

    pub fn pointer_bytes(self) -> u32 {
        unsafe { LLVMPointerSize(self.0) }
    }

    /// Bytes from one element of an array of this type to the next.
    pub fn size(self, ty: Ty) -> u64 {
        unsafe { LLVMABISizeOfType(self.0, ty.0) }
    }

    pub fn bits(self, ty: Ty) -> u64 {
        unsafe { LLVMSizeOfTypeInBits(self.0, ty.0) }
    }

    pub fn align(self, ty: Ty) -> u32 {
        unsafe { LLVMABIAlignmentOfType(self.0, ty.0) }
    }

    pub fn field_offset(self, ty: Ty, field: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.0, ty.0, field) }
    }
}
