//! Threads: visible points, accesses that other threads may see, atomic operations and sections.
//!
//! In programs that start no thread all of this is nothing. In the others a visible point stands before each access of the user's code whose memory
//! another thread may know: everything but constant globals and local variables whose address is only used for accesses in their own function.
//! Operations of C11 and of gcc's builtins are atomic because no visible point stands inside of them.
//!
//! Absent: weaker memory orders, which are treated as sequentially consistent ones; accesses inside of library models, which happen at
//! once at the point before the call.

use super::Lowering;
use super::named::Args;
use super::properties::Text;
use crate::llvm::{Bb, Opcode, Ty, Val, ValueKind};
use crate::names;
use crate::symbols::{Callee, signature};
use crate::types;
use blitz_ir::{
    AccessKind, Approximation, Builtin, CheckKind, Const, Direction, FuncId, Global, GlobalId, Inst, MemCheck,
    ThreadOp, Type, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variable of the model of `pthread_create`, if the program has that.
pub fn gives_none_variable(globals: &[Global]) -> Option<GlobalId> {
    globals.iter().position(|g| g.model && g.name == "__blitz_start_gives_none").map(GlobalId::new)
}

impl Lowering<'_> {
    /// Whether other threads may run between the instructions of this function.
    fn interleaves(&self) -> bool {
        self.shared.threads && !self.model
    }

    fn thread(&mut self, op: ThreadOp, args: Vec<Value>) {
        self.emit0(Inst::Builtin { op: Builtin::Thread(op), args });
    }

    /// Another thread may run here.
    pub(super) fn visible_point(&mut self) -> Vec<Value> {
        if self.interleaves() {
            self.thread(ThreadOp::Switch, Vec::new());
        }
        Vec::new()
    }

    /// A point before a call of a library model that looks at memory, or ends the program.
    pub(super) fn point_before(&mut self, inst: Val, f: FuncId, args: &[Value]) {
        let decl = &self.shared.symbols.funcs[f.index()];
        let looks = args.iter().any(|&v| self.ty(v) == Type::Ptr);
        let own = names::places_own_points(&decl.name);
        if decl.model && !own && (looks || names::ends_program(&decl.name)) {
            let name = decl.name.clone();
            self.visible_point();
            self.say_what_is_not_interleaved(inst, &name);
        }
    }

    /// Says in front of a call of `pthread_create` where the thread's function gives no pointer: what it leaves as its result is then not known.
    pub(super) fn say_what_the_thread_gives(&mut self, inst: Val, f: FuncId) {
        let decl = &self.shared.symbols.funcs[f.index()];
        if !decl.model || decl.name != "pthread_create" || self.model {
            return;
        }
        let (Some(flag), Some(&start)) = (self.shared.gives_none, inst.args().get(2)) else { return };
        let of_a_function = start.kind() == ValueKind::LLVMFunctionValueKind;
        if of_a_function && signature(start.value_type(), self.layout()).results != [Type::Ptr] {
            let ptr = self.b.constant(Type::Ptr, Const::Global(flag, 0));
            let value = self.b.int(8, 1);
            self.emit0(Inst::Store { ptr, value });
        }
    }

    /// What a library model does happens at once, and races with it are not looked for. That is all there is only where no other thread knows
    /// the memory it is given; elsewhere executions are missing.
    fn say_what_is_not_interleaved(&mut self, inst: Val, name: &str) {
        // What was freed is gone for every access after it, in whatever order: that is checked.
        if !self.interleaves() || name == "free" {
            return;
        }
        let shared = |v: &Val| {
            types::scalar(v.ty()) == Some(Type::Ptr) && !is_stream(*v) && !self.is_kept_private(*v, &self.lent)
        };
        if inst.args().iter().any(shared) {
            let what = "accesses of library functions are not interleaved with those of other threads".to_owned();
            let what = Approximation { function: name.to_owned(), what, at_once: names::only_accesses_memory(name) };
            self.emit0(Inst::Approximates { direction: Direction::Fewer, what });
        }
    }

    /// Finds the local variables whose address only serves to access them.
    pub(super) fn find_private(&mut self, order: &[Bb]) {
        if !self.interleaves() && self.shared.contract.is_none() {
            return;
        }
        // The variable that an address is computed from.
        let mut root: FxHashMap<Val, Val> = FxHashMap::default();
        for inst in order.iter().flat_map(|bb| bb.instructions()) {
            match inst.opcode() {
                Opcode::LLVMAlloca => {
                    root.insert(inst, inst);
                    self.private.insert(inst);
                    self.lent.insert(inst);
                }
                Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast => {
                    if let Some(&r) = root.get(&inst.operand(0)) {
                        root.insert(inst, r);
                    }
                }
                Opcode::LLVMLoad => {}
                Opcode::LLVMStore => {
                    if let Some(r) = root.get(&inst.operand(0)) {
                        self.private.remove(r);
                        self.lent.remove(r);
                    }
                }
                Opcode::LLVMCall if only_accesses(inst) => {}
                Opcode::LLVMCall if self.only_lends(inst) => {
                    for r in inst.operands().filter_map(|v| root.get(&v)) {
                        self.private.remove(r);
                    }
                }
                _ => {
                    for v in inst.operands() {
                        if let Some(r) = root.get(&v) {
                            self.private.remove(r);
                            self.lent.remove(r);
                        }
                    }
                }
            }
        }
    }

    /// Whether a call is one of a library model that gives the addresses it gets to no other thread.
    fn only_lends(&self, inst: Val) -> bool {
        let callee = inst.callee();
        if callee.kind() != ValueKind::LLVMFunctionValueKind {
            return false;
        }
        let symbols = &self.shared.symbols;
        let func = symbols.library.get(&callee).copied().or_else(|| match symbols.callee(callee) {
            Some(Callee::Func(f)) => Some(f),
            Some(Callee::Meaning(_)) | None => None,
        });
        func.map(|f| &symbols.funcs[f.index()]).is_some_and(|d| d.model && !names::places_own_points(&d.name))
    }

    /// Whether nobody but this thread can access what lies at an address, or nobody can change it.
    fn is_private(&self, at: Val) -> bool {
        self.is_kept_private(at, &self.private)
    }

    fn is_kept_private(&self, at: Val, variables: &FxHashSet<Val>) -> bool {
        let mut v = at;
        loop {
            let op = match v.kind() {
                ValueKind::LLVMInstructionValueKind => v.opcode(),
                ValueKind::LLVMConstantExprValueKind => v.const_opcode(),
                ValueKind::LLVMGlobalVariableValueKind => return v.is_constant_global(),
                ValueKind::LLVMConstantPointerNullValueKind | ValueKind::LLVMFunctionValueKind => return true,
                _ => return false,
            };
            match op {
                Opcode::LLVMAlloca => return variables.contains(&v),
                Opcode::LLVMGetElementPtr | Opcode::LLVMBitCast => v = v.operand(0),
                _ => return false,
            }
        }
    }

    /// Marks an access, with the visible point that belongs to it.
    pub(super) fn share(&mut self, at: Val, ptr: Value, size: Value, access: AccessKind) {
        let nothing = self.b.func.as_const(size).is_some_and(|c| matches!(c, Const::Bits(n) if n.is_zero()));
        if !self.interleaves() || nothing || self.is_private(at) {
            return;
        }
        let race = self.property(CheckKind::DataRace, Text::Access(access, at));
        let properties = race.into_iter().map(|p| (CheckKind::DataRace, p)).collect();
        self.emit0(Inst::CheckMem(MemCheck { ptr, size, access, properties }));
    }

    pub(super) fn share_load(&mut self, inst: Val, ptr: Value, ty: Ty) {
        let size = self.word(self.store_bytes(ty));
        if !inst.is_atomic() {
            return self.share(inst.operand(0), ptr, size, AccessKind::SharedRead);
        }
        self.share(inst.operand(0), ptr, size, AccessKind::AtomicRead);
        if self.interleaves() {
            self.thread(ThreadOp::Acquire, vec![ptr]);
        }
    }

    pub(super) fn share_store(&mut self, inst: Val, ptr: Value, ty: Ty) {
        let size = self.word(self.store_bytes(ty));
        if !inst.is_atomic() {
            return self.share(inst.operand(1), ptr, size, AccessKind::SharedWrite);
        }
        self.share(inst.operand(1), ptr, size, AccessKind::AtomicWrite);
        if self.interleaves() {
            self.thread(ThreadOp::Publish, vec![ptr]);
        }
    }

    /// A read and a write with nothing in between.
    pub(super) fn share_exchange(&mut self, at: Val, ptr: Value, bytes: u64) {
        let size = self.word(bytes);
        self.share(at, ptr, size, AccessKind::AtomicWrite);
        if self.interleaves() {
            self.thread(ThreadOp::Acquire, vec![ptr]);
            self.thread(ThreadOp::Release, vec![ptr]);
        }
    }

    /// An atomic section: no point inside, and sections are ordered among each other (the address is null for all of them).
    pub(super) fn atomic_begin(&mut self) -> Vec<Value> {
        if self.interleaves() {
            let all = self.zero(Type::Ptr);
            self.thread(ThreadOp::Switch, Vec::new());
            self.thread(ThreadOp::AtomicBegin, Vec::new());
            self.thread(ThreadOp::Acquire, vec![all]);
        }
        Vec::new()
    }

    pub(super) fn atomic_end(&mut self) -> Vec<Value> {
        if self.interleaves() {
            let all = self.zero(Type::Ptr);
            self.thread(ThreadOp::Release, vec![all]);
            self.thread(ThreadOp::AtomicEnd, Vec::new());
        }
        Vec::new()
    }

    /// Whether the function is one atomic section as a whole.
    pub(super) fn is_atomic_section(&self) -> bool {
        self.interleaves() && names::is_atomic_function(&self.name)
    }

    /// The address of a global, or of the thread's instance of it.
    pub(super) fn global_address(&mut self, g: GlobalId, offset: i64) -> Value {
        if !(self.shared.threads && self.shared.globals[g.index()].thread_local) {
            return self.b.constant(Type::Ptr, Const::Global(g, offset));
        }
        let global = self.b.constant(Type::Ptr, Const::Global(g, 0));
        let own = self.emit(Inst::Builtin { op: Builtin::Thread(ThreadOp::Local), args: vec![global] }, Type::Ptr);
        self.offset_by(own, offset)
    }

    pub(super) fn await_state(&mut self, args: &Args<'_>) -> Vec<Value> {
        let cond = self.arg_bool(args, 0);
        if self.shared.threads {
            let text = self.literal(args, 1).unwrap_or_else(|| "every thread waits".into());
            let property = self.property(CheckKind::Deadlock, text);
            self.emit0(Inst::Await { cond, property });
        }
        Vec::new()
    }

    /// A primitive called by name. Without threads there is one, and nobody to wait for.
    pub(super) fn thread_op(&mut self, op: ThreadOp, args: &Args<'_>) -> Vec<Value> {
        let list = match op {
            ThreadOp::Start => vec![self.arg(args, 0, Type::Ptr), self.arg(args, 1, Type::Ptr)],
            ThreadOp::Done => vec![self.arg(args, 0, Type::I32)],
            ThreadOp::Acquire | ThreadOp::Release | ThreadOp::Publish | ThreadOp::Local => {
                vec![self.arg(args, 0, Type::Ptr)]
            }
            ThreadOp::Self_
            | ThreadOp::Exit
            | ThreadOp::Switch
            | ThreadOp::Resumed
            | ThreadOp::AtomicBegin
            | ThreadOp::AtomicEnd => Vec::new(),
        };
        let result = match op {
            ThreadOp::Start | ThreadOp::Self_ => Some(Type::I32),
            ThreadOp::Done | ThreadOp::Resumed => Some(Type::BOOL),
            ThreadOp::Local => Some(Type::Ptr),
            ThreadOp::Exit
            | ThreadOp::Switch
            | ThreadOp::AtomicBegin
            | ThreadOp::AtomicEnd
            | ThreadOp::Acquire
            | ThreadOp::Release
            | ThreadOp::Publish => None,
        };
        if !self.shared.threads {
            return self.alone(op, &list, result);
        }
        match result {
            Some(ty) => vec![self.emit(Inst::Builtin { op: Builtin::Thread(op), args: list }, ty)],
            None => {
                self.thread(op, list);
                if op == ThreadOp::Exit {
                    self.end(blitz_ir::Terminator::Unreachable);
                }
                Vec::new()
            }
        }
    }

    /// What a primitive is in a program with one thread.
    fn alone(&mut self, op: ThreadOp, args: &[Value], result: Option<Type>) -> Vec<Value> {
        match op {
            ThreadOp::Start => self.unsupported("threads"),
            ThreadOp::Exit => {
                let status = self.b.int(32, 0);
                self.end(blitz_ir::Terminator::Halt { status });
            }
            ThreadOp::Local => return args.to_vec(),
            ThreadOp::Self_
            | ThreadOp::Done
            | ThreadOp::Switch
            | ThreadOp::Resumed
            | ThreadOp::AtomicBegin
            | ThreadOp::AtomicEnd
            | ThreadOp::Acquire
            | ThreadOp::Release
            | ThreadOp::Publish => {}
        }
        result.map(|ty| self.zero(ty)).into_iter().collect()
    }
}

/// Calls that do nothing with an address but access what lies there, or nothing at all.
/// A standard stream, which its functions lock.
fn is_stream(v: Val) -> bool {
    v.kind() == ValueKind::LLVMInstructionValueKind
        && v.opcode() == Opcode::LLVMLoad
        && v.operand(0).kind() == ValueKind::LLVMGlobalVariableValueKind
        && v.operand(0).with_name(|name| matches!(name, "stdin" | "stdout" | "stderr"))
}

fn only_accesses(inst: Val) -> bool {
    let callee = inst.callee();
    callee.kind() == ValueKind::LLVMFunctionValueKind
        && callee.with_name(|name| {
            const NAMES: &[&str] = &["llvm.lifetime.", "llvm.dbg.", "llvm.memset.", "llvm.memcpy.", "llvm.memmove."];
            NAMES.iter().any(|n| name.starts_with(n)) || names::is_sanitizer_handler(name)
        })
}
