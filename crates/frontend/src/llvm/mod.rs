//! A thin safe face of libLLVM's C interface: the only place of this crate with `unsafe`.
//!
//! Why: the rest of the front end should read like ordinary Rust. Handles ([`Val`], [`Ty`], [`Bb`], [`Md`]) are
//! plain copies of LLVM's pointers.
//!
//! Invariants: a handle comes from a [`Session`] and is used only while that session lives (the lowering
//! keeps both in one struct, behind one lock, because LLVM contexts are not thread-safe); functions
//! that LLVM defines for one kind of value only are called on that kind only (the lowering looks at `kind`
//! or `opcode` first).
//!
//! Absent: building or changing IR; passes.

mod debug;
mod edit;
mod session;
mod types;
mod value;

pub use debug::Md;
pub use llvm_sys::debuginfo::LLVMMetadataKind as MdKind;
pub use llvm_sys::{
    LLVMAtomicRMWBinOp as RmwOp, LLVMIntPredicate as IntPredicate, LLVMLinkage as Linkage, LLVMOpcode as Opcode,
    LLVMRealPredicate as RealPredicate, LLVMTypeKind as TypeKind, LLVMValueKind as ValueKind,
};
pub use session::{Module, ParseError, Session};
pub use types::{Layout, Ty};
pub use value::{Bb, Val};

use std::ffi::CStr;

/// The text of a C string that LLVM owns.
unsafe fn text(ptr: *const libc::c_char) -> String {
    if ptr.is_null() {
        return String::new();
    }
    unsafe { CStr::from_ptr(ptr) }.to_string_lossy().into_owned()
}

/// The text of a pointer and a length that LLVM owns.
unsafe fn text_of(ptr: *const libc::c_char, len: usize) -> String {
    String::from_utf8_lossy(unsafe { bytes_of(ptr, len) }).into_owned()
}

unsafe fn bytes_of<'a>(ptr: *const libc::c_char, len: usize) -> &'a [u8] {
    if ptr.is_null() || len == 0 {
        return &[];
    }
    unsafe { std::slice::from_raw_parts(ptr.cast(), len) }
}

/// The text of a message that LLVM hands over.
unsafe fn owned_text(ptr: *mut libc::c_char) -> String {
    let out = unsafe { text(ptr) };
    if !ptr.is_null() {
        unsafe { llvm_sys::core::LLVMDisposeMessage(ptr) };
    }
    out
}
