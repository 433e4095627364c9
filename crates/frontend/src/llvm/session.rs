//! An LLVM context with its modules: reading, linking, walking the top level.

use super::types::Layout;
use super::value::Val;
use super::{owned_text, text};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDiagnosticSeverity, analysis, ir_reader, linker, target};
use std::ffi::{CString, c_char, c_void};

/// A context, its modules, and what LLVM complained about.
pub struct Session {
    ctx: LLVMContextRef,
    modules: Vec<LLVMModuleRef>,
    /// Boxed: the diagnostic handler holds its address.
    complaints: Box<Vec<String>>,
}

/// A module of a session, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Module(usize);

/// What LLVM says about bytes it can't read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(pub String);

// Everything a session owns is reached through it alone and LLVM keeps no thread-local state about a context.
unsafe impl Send for Session {}

extern "C" fn note_complaint(info: LLVMDiagnosticInfoRef, list: *mut c_void) {
    unsafe {
        if LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError {
            let list = &mut *list.cast::<Vec<String>>();
            list.push(owned_text(LLVMGetDiagInfoDescription(info)));
        }
    }
}

impl Session {
    pub fn new() -> Self {
        let mut complaints = Box::new(Vec::new());
        let ctx = unsafe { LLVMContextCreate() };
        let list: *mut Vec<String> = &mut *complaints;
        unsafe { LLVMContextSetDiagnosticHandler(ctx, Some(note_complaint), list.cast()) };
        Self { ctx, modules: Vec::new(), complaints }
    }

    /// Reads bitcode or textual IR and checks that it is well formed.
    pub fn parse(&mut self, name: &str, bytes: &[u8]) -> Result<Module, ParseError> {
        let module = self.parse_trusted(name, bytes)?;
        self.verify(self.module(module))?;
        unsafe { LLVMSetIsNewDbgInfoFormat(self.module(module), 0) };
        Ok(module)
    }

    /// Reads bitcode that we made ourselves: it is well formed, and the names of its variables are of no interest.
    pub fn parse_trusted(&mut self, name: &str, bytes: &[u8]) -> Result<Module, ParseError> {
        self.complaints.clear();
        let module = self.read(name, bytes)?;
        self.modules.push(module);
        Ok(Module(self.modules.len() - 1))
    }

    fn read(&mut self, name: &str, bytes: &[u8]) -> Result<LLVMModuleRef, ParseError> {
        let name = CString::new(name.replace('\0', "?")).unwrap_or_default();
        let mut module = std::ptr::null_mut();
        let mut message: *mut c_char = std::ptr::null_mut();
        let failed = unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), name.as_ptr());
            ir_reader::LLVMParseIRInContext(self.ctx, buffer, &mut module, &mut message) != 0
        };
        let said = unsafe { owned_text(message) };
        if failed || module.is_null() {
            return Err(ParseError(self.complaint_or(said)));
        }
        Ok(module)
    }

    fn verify(&mut self, module: LLVMModuleRef) -> Result<(), ParseError> {
        let mut message: *mut c_char = std::ptr::null_mut();
        let action = analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction;
        let broken = unsafe { analysis::LLVMVerifyModule(module, action, &mut message) != 0 };
        let said = unsafe { owned_text(message) };
        if broken { Err(ParseError(self.complaint_or(said))) } else { Ok(()) }
    }

    fn complaint_or(&self, said: String) -> String {
        if said.is_empty() { self.complaints.first().cloned().unwrap_or_default() } else { said }
    }

    /// Moves everything of `source` into `into`; on a conflict says what LLVM says.
    pub fn link(&mut self, into: Module, source: Module) -> Result<(), String> {
        self.complaints.clear();
        let taken = std::mem::replace(&mut self.modules[source.0], std::ptr::null_mut());
        let failed = unsafe { linker::LLVMLinkModules2(self.modules[into.0], taken) != 0 };
        if failed { Err(self.complaint_or(String::new())) } else { Ok(()) }
    }

    pub(super) fn raw(&self) -> LLVMContextRef {
        self.ctx
    }

    fn module(&self, m: Module) -> LLVMModuleRef {
        self.modules[m.0]
    }

    pub fn triple(&self, m: Module) -> String {
        unsafe { text(LLVMGetTarget(self.module(m))) }
    }

    pub fn data_layout(&self, m: Module) -> String {
        unsafe { text(LLVMGetDataLayoutStr(self.module(m))) }
    }

    pub fn layout(&self, m: Module) -> Layout {
        Layout::of(unsafe { target::LLVMGetModuleDataLayout(self.module(m)) })
    }

    pub fn functions(&self, m: Module) -> Vec<Val> {
        unsafe { walk(LLVMGetFirstFunction(self.module(m)), |v| LLVMGetNextFunction(v)) }
    }

    pub fn globals(&self, m: Module) -> Vec<Val> {
        unsafe { walk(LLVMGetFirstGlobal(self.module(m)), |v| LLVMGetNextGlobal(v)) }
    }

    pub fn aliases(&self, m: Module) -> Vec<Val> {
        unsafe { walk(LLVMGetFirstGlobalAlias(self.module(m)), |v| LLVMGetNextGlobalAlias(v)) }
    }

    /// The number LLVM gives to an attribute.
    pub fn attribute(name: &str) -> u32 {
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
    }
}

unsafe fn walk(first: LLVMValueRef, next: impl Fn(LLVMValueRef) -> LLVMValueRef) -> Vec<Val> {
    let mut out = Vec::new();
    let mut at = first;
    while !at.is_null() {
        out.push(Val(at));
        at = next(at);
    }
    out
}

impl Drop for Session {
    fn drop(&mut self) {
        unsafe {
            for &m in self.modules.iter().filter(|m| !m.is_null()) {
                LLVMDisposeModule(m);
            }
            LLVMContextDispose(self.ctx);
        }
    }
}
