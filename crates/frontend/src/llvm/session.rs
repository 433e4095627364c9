//! An LLVM context with its modules: reading, linking, walking the top level.
//!
//! LLVM ends the process on what it calls fatal errors. Here they unwind instead, out of the two calls that see bytes we did
//! not make (reading and linking); the context, which may be half-built then, is abandoned.

use super::types::Layout;
use super::value::Val;
use super::{owned_text, text};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::{LLVMDiagnosticSeverity, analysis, bit_writer, support, target};
use std::ffi::{CString, c_char, c_void};
use std::io::Read;
use std::os::fd::FromRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

/// As in `llvm_sys`, but allowed to unwind.
mod unwinding {
    use super::*;

    unsafe extern "C-unwind" {
        pub fn LLVMParseIRInContext(
            ctx: LLVMContextRef,
            buffer: LLVMMemoryBufferRef,
            module: *mut LLVMModuleRef,
            message: *mut *mut c_char,
        ) -> LLVMBool;
        pub fn LLVMLinkModules2(into: LLVMModuleRef, source: LLVMModuleRef) -> LLVMBool;
        pub fn LLVMVerifyModule(module: LLVMModuleRef, action: u32, message: *mut *mut c_char) -> LLVMBool;
        pub fn LLVMInstallFatalErrorHandler(handler: extern "C-unwind" fn(*const c_char));
    }
}

/// What LLVM said before it would have ended the process.
struct Fatal(String);

extern "C-unwind" fn unwind_fatal(reason: *const c_char) {
    resume_unwind(Box::new(Fatal(unsafe { text(reason) })));
}

/// Once per process: fatal errors unwind, and reading does not verify (we do that ourselves, once).
fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| unsafe {
        unwinding::LLVMInstallFatalErrorHandler(unwind_fatal);
        let args = [c"blitz".as_ptr(), c"-disable-auto-upgrade-debug-info".as_ptr()];
        support::LLVMParseCommandLineOptions(2, args.as_ptr(), std::ptr::null());
    });
}

/// A context, its modules, and what LLVM complained about.
pub struct Session {
    ctx: LLVMContextRef,
    modules: Vec<LLVMModuleRef>,
    /// Boxed: the diagnostic handler holds its address.
    complaints: Box<Complaints>,
    /// LLVM gave up in the middle of something: the context is not touched any more.
    abandoned: bool,
}

/// Errors that LLVM reported.
#[derive(Default)]
struct Complaints(Vec<String>);

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
            let list = &mut *list.cast::<Complaints>();
            list.0.push(owned_text(LLVMGetDiagInfoDescription(info)));
        }
    }
}

impl Session {
    pub fn new() -> Self {
        prepare();
        let mut complaints = Box::new(Complaints::default());
        let ctx = unsafe { LLVMContextCreate() };
        let list: *mut Complaints = &mut *complaints;
        unsafe { LLVMContextSetDiagnosticHandler(ctx, Some(note_complaint), list.cast()) };
        Self { ctx, modules: Vec::new(), complaints, abandoned: false }
    }

    /// Reads bitcode or textual IR and checks that it is well formed.
    pub fn parse(&mut self, name: &str, bytes: &[u8]) -> Result<Module, ParseError> {
        let module = self.parse_trusted(name, bytes)?;
        self.verify(self.module(module))?;
        Ok(module)
    }

    /// Reads bitcode that clang made for us: it is well formed.
    pub fn parse_trusted(&mut self, name: &str, bytes: &[u8]) -> Result<Module, ParseError> {
        self.complaints.0.clear();
        let module = self.read(name, bytes)?;
        self.modules.push(module);
        Ok(Module(self.modules.len() - 1))
    }

    /// Turns debug records, which the C interface does not show, into calls of intrinsics.
    pub fn show_variables(&self, m: Module) {
        unsafe { LLVMSetIsNewDbgInfoFormat(self.module(m), 0) };
    }

    fn read(&mut self, name: &str, bytes: &[u8]) -> Result<LLVMModuleRef, ParseError> {
        let name = CString::new(name.replace('\0', "?")).unwrap_or_default();
        let mut module = std::ptr::null_mut();
        let mut message: *mut c_char = std::ptr::null_mut();
        let ctx = self.ctx;
        let failed = self.survive(|| unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), name.as_ptr());
            unwinding::LLVMParseIRInContext(ctx, buffer, &mut module, &mut message) != 0
        });
        let failed = failed.map_err(ParseError)?;
        let said = unsafe { owned_text(message) };
        if failed || module.is_null() {
            return Err(ParseError(self.complaint_or(said)));
        }
        Ok(module)
    }

    fn verify(&mut self, module: LLVMModuleRef) -> Result<(), ParseError> {
        let mut message: *mut c_char = std::ptr::null_mut();
        let action = analysis::LLVMVerifierFailureAction::LLVMReturnStatusAction as u32;
        let broken = self.survive(|| unsafe { unwinding::LLVMVerifyModule(module, action, &mut message) != 0 });
        let broken = broken.map_err(ParseError)?;
        let said = unsafe { owned_text(message) };
        if broken { Err(ParseError(self.complaint_or(said))) } else { Ok(()) }
    }

    /// The result of a call into LLVM, or what it said when it gave up.
    fn survive<T>(&mut self, call: impl FnOnce() -> T) -> Result<T, String> {
        catch_unwind(AssertUnwindSafe(call)).map_err(|payload| {
            self.abandoned = true;
            match payload.downcast::<Fatal>() {
                Ok(fatal) => fatal.0,
                Err(other) => resume_unwind(other),
            }
        })
    }

    fn complaint_or(&self, said: String) -> String {
        if said.is_empty() { self.complaints.0.first().cloned().unwrap_or_default() } else { said }
    }

    /// Moves everything of `source` into `into`; on a conflict says what LLVM says.
    pub fn link(&mut self, into: Module, source: Module) -> Result<(), String> {
        self.complaints.0.clear();
        let taken = std::mem::replace(&mut self.modules[source.0], std::ptr::null_mut());
        let into = self.modules[into.0];
        let failed = self.survive(|| unsafe { unwinding::LLVMLinkModules2(into, taken) != 0 })?;
        if failed { Err(self.complaint_or(String::new())) } else { Ok(()) }
    }

    /// Reads bitcode that may be damaged. LLVM's reader crashes on some of it, not even always, so a child process reads it,
    /// checks it and writes it out again; what comes back was a sound module a moment ago. `None`: the child crashed.
    pub fn parse_foreign(&mut self, name: &str, bytes: &[u8]) -> Option<Result<Module, ParseError>> {
        prepare();
        let mut ends = [0; 2];
        let made = unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } == 0;
        if !made {
            return Some(self.parse(name, bytes));
        }
        let [from_child, to_parent] = ends;
        match unsafe { libc::fork() } {
            -1 => {
                unsafe { libc::close(from_child) };
                unsafe { libc::close(to_parent) };
                Some(self.parse(name, bytes))
            }
            0 => unsafe { read_in_child(bytes, to_parent) },
            child => {
                unsafe { libc::close(to_parent) };
                let (answer, clean) = unsafe { collect(child, from_child) };
                match (clean, answer.split_first()) {
                    (true, Some((&SOUND, module))) => Some(self.parse_trusted(name, module)),
                    (true, Some((_, said))) => Some(Err(ParseError(String::from_utf8_lossy(said).into_owned()))),
                    (true, None) | (false, _) => None,
                }
            }
        }
    }

    pub(super) fn raw(&self) -> LLVMContextRef {
        self.ctx
    }

    pub(super) fn module(&self, m: Module) -> LLVMModuleRef {
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

    /// Gives every function with a body an attribute without a value.
    pub fn attribute_bodies(&self, m: Module, name: &str) {
        let attribute = unsafe { LLVMCreateEnumAttribute(self.ctx, Self::attribute(name), 0) };
        for f in self.functions(m).into_iter().filter(|f| !f.is_declaration()) {
            unsafe { LLVMAddAttributeAtIndex(f.0, llvm_sys::LLVMAttributeFunctionIndex, attribute) };
        }
    }

    /// Makes a conditional branch go one way always.
    pub fn decide(&self, branch: Val, way: bool) {
        unsafe {
            let condition = LLVMConstInt(LLVMInt1TypeInContext(self.ctx), u64::from(way), 0);
            LLVMSetCondition(branch.0, condition);
        }
    }

    /// The module as bitcode.
    pub fn bitcode(&self, m: Module) -> Vec<u8> {
        unsafe {
            let buffer = bit_writer::LLVMWriteBitcodeToMemoryBuffer(self.module(m));
            let bytes = super::bytes_of(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// The number LLVM gives to an attribute.
    pub fn attribute(name: &str) -> u32 {
        unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
    }
}

/// First byte of a child's answer: a module follows, or what LLVM complained about.
const SOUND: u8 = b'M';
const REFUSED: u8 = b'E';

/// The child's part: reads, quietly and within limits, answers through the pipe, and ends.
unsafe fn read_in_child(bytes: &[u8], answer: i32) -> ! {
    const SECONDS: u32 = 60;
    const MEMORY: u64 = 8 << 30;
    unsafe {
        let nowhere = libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY);
        libc::dup2(nowhere, 2);
        libc::alarm(SECONDS);
        let limit = libc::rlimit { rlim_cur: MEMORY, rlim_max: MEMORY };
        libc::setrlimit(libc::RLIMIT_AS, &limit);
        let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &no_core);
        let mut session = Session::new();
        match session.parse("input", bytes) {
            Ok(module) => {
                libc::write(answer, [SOUND].as_ptr().cast(), 1);
                bit_writer::LLVMWriteBitcodeToFD(session.module(module), answer, 0, 0);
            }
            Err(ParseError(said)) => {
                libc::write(answer, [REFUSED].as_ptr().cast(), 1);
                libc::write(answer, said.as_ptr().cast(), said.len().min(4000));
            }
        }
        libc::_exit(0)
    }
}

/// All that a child answers, and whether it ended as it should.
unsafe fn collect(child: i32, from_child: i32) -> (Vec<u8>, bool) {
    let mut answer = Vec::new();
    let mut pipe = unsafe { std::fs::File::from_raw_fd(from_child) };
    let read = pipe.read_to_end(&mut answer).is_ok();
    let mut status = 0;
    while unsafe { libc::waitpid(child, &mut status, 0) } == -1 {
        if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted {
            return (answer, false);
        }
    }
    (answer, read && libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0)
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
        if self.abandoned {
            return;
        }
        unsafe {
            for &m in self.modules.iter().filter(|m| !m.is_null()) {
                LLVMDisposeModule(m);
            }
            LLVMContextDispose(self.ctx);
        }
    }
}
