//! Changes to a module that the tools of a proof kit ask for: static functions that others may call, functions without their body.

use super::{Linkage, Module, Session, Val};
use llvm_sys::core::*;

impl Session {
    /// Gives a function another name under which other modules can call it; several definitions of one name are the same function.
    pub fn export(&self, f: Val, name: &str) {
        unsafe {
            LLVMSetValueName2(f.0, name.as_ptr().cast(), name.len());
            LLVMSetLinkage(f.0, Linkage::LLVMWeakODRLinkage);
        }
    }

    /// Leaves of a function what a declaration says; calls of it then mean whatever another module defines under its name.
    pub fn remove_body(&self, m: Module, f: Val) {
        let name = f.name();
        unsafe {
            let ty = LLVMGlobalGetValueType(f.0);
            let removed = b".removed";
            LLVMSetValueName2(f.0, removed.as_ptr().cast(), removed.len());
            let text = std::ffi::CString::new(name).expect("a function's name should have no zero in it");
            let declared = LLVMAddFunction(self.module(m), text.as_ptr(), ty);
            LLVMReplaceAllUsesWith(f.0, declared);
            LLVMDeleteFunction(f.0);
        }
    }

    /// Whoever mentions a function mentions another one from here on.
    pub fn call_instead(&self, f: Val, other: Val) {
        unsafe { LLVMReplaceAllUsesWith(f.0, other.0) };
    }

    /// A function mentions one value instead of another.
    pub fn mention_instead(&self, inside: Val, from: Val, to: Val) {
        for inst in inside.blocks().into_iter().flat_map(|b| b.instructions()) {
            for n in (0..inst.operand_count()).filter(|&n| inst.operand(n) == from) {
                unsafe { LLVMSetOperand(inst.0, n, to.0) };
            }
        }
    }

    /// Forgets which functions have to be kept though nothing mentions them: clang has kept them by now.
    pub fn drop_used_list(&self, m: Module) {
        for name in [c"llvm.used", c"llvm.compiler.used"] {
            unsafe {
                let list = LLVMGetNamedGlobal(self.module(m), name.as_ptr());
                if !list.is_null() {
                    LLVMDeleteGlobal(list);
                }
            }
        }
    }
}
