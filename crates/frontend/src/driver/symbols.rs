//! Which functions a module defines, without reading their bodies.

use llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use llvm_sys::core::{
    LLVMContextCreate, LLVMContextDispose, LLVMCreateMemoryBufferWithMemoryRange, LLVMDisposeModule,
    LLVMGetNamedFunction, LLVMIsDeclaration,
};
use std::ffi::CString;

/// Whether bitcode of ours (made by clang just now) defines the function.
pub(super) fn defines(bitcode: &[u8], function: &str) -> bool {
    let name = CString::new(function).expect("a function name should hold no NUL");
    // SAFETY: the buffer is only borrowed for the life of the module, which ends before `bitcode` does; each object
    // is disposed of once, and the module takes over the buffer, whether it can be read or not.
    unsafe {
        let context = LLVMContextCreate();
        let buffer =
            LLVMCreateMemoryBufferWithMemoryRange(bitcode.as_ptr().cast(), bitcode.len(), c"module".as_ptr(), 0);
        let mut module = std::ptr::null_mut();
        let failed = LLVMGetBitcodeModuleInContext2(context, buffer, &mut module) != 0;
        let mut found = false;
        if !failed {
            let f = LLVMGetNamedFunction(module, name.as_ptr());
            found = !f.is_null() && LLVMIsDeclaration(f) == 0;
            LLVMDisposeModule(module);
        }
        LLVMContextDispose(context);
        found
    }
}
