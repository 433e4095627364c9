//! Calls of functions with a meaning of their own (`crate::names`).

use super::Lowering;
use super::properties::NO_BODY;
use crate::arguments;
use crate::llvm::{Val, ValueKind};
use crate::names::{FloatTest, Named};
use crate::symbols::Origin;
use blitz_ir::{
    AccessKind, Approximation, BinOp, Builtin, CallSite, CastOp, CheckKind, CmpOp, Const, Direction, FuncId, Inst,
    Target, Terminator, Type, UnOp, Value,
};

/// Exit status of a process that aborted, as a shell shows it.
const ABORTED: u64 = 134;

/// All that can be wrong with a pointer.
const ACCESS_KINDS: &[CheckKind] =
    &[CheckKind::NullDeref, CheckKind::UseAfterFree, CheckKind::UseAfterScope, CheckKind::BufferOverflow];

/// The arguments of a call, with what LLVM knows of them where it is a call in the program.
pub(super) struct Args<'a> {
    values: &'a [Value],
    vals: &'a [Val],
}

impl Lowering<'_> {
    pub(super) fn call_named(&mut self, inst: Val, named: Named, name: &str) {
        let vals = inst.args();
        let values: Vec<Value> = vals.iter().flat_map(|&v| self.used(v)).collect();
        let wanted = self.wanted(inst.ty());
        let out = self.do_named(named, name, &values, &vals, &wanted);
        let out = self.fit_all(&out, &wanted);
        self.set(inst, out.into());
    }

    /// Does what the name means; `vals` may be empty.
    pub(super) fn do_named(
        &mut self,
        named: Named,
        name: &str,
        values: &[Value],
        vals: &[Val],
        wanted: &[Type],
    ) -> Vec<Value> {
        let vals = if vals.len() == values.len() { vals } else { &[] };
        let args = Args { values, vals };
        match named {
            Named::HeapAlloc => self.heap_alloc(&args),
            Named::HeapFree | Named::Free => self.heap_free(&args),
            Named::Malloc => self.heap_alloc(&args),
            Named::Calloc => self.calloc(&args),
            Named::Scan => self.scan(&args),
            Named::Mismatch => self.mismatch(&args),
            Named::Peek => self.peek(&args),
            Named::Choose => {
                let cond = self.arg_bool(&args, 0);
                let (then, other) = (self.arg(&args, 1, Type::Int(64)), self.arg(&args, 2, Type::Int(64)));
                vec![self.select(cond, then, other)]
            }
            Named::CheckRead => self.explicit_guard(&args, AccessKind::Read, ACCESS_KINDS),
            Named::CheckWrite => self.explicit_guard(&args, AccessKind::Write, ACCESS_KINDS),
            Named::CheckDefined => self.explicit_guard(&args, AccessKind::Defined, &[CheckKind::Uninitialised]),
            Named::CheckString => self.explicit_guard(&args, AccessKind::String, ACCESS_KINDS),
            Named::Check => self.explicit_check(&args),
            Named::Assume => self.assume(&args),
            Named::Input => self.inputs(&self.literal(&args, 0).unwrap_or_else(|| name.to_string()), wanted),
            Named::Nondet => self.inputs(name, wanted),
            Named::KleeInt => self.inputs(&self.literal(&args, 0).unwrap_or_else(|| name.to_string()), wanted),
            Named::KleeRange => self.klee_range(&args),
            Named::InputBytes => self.input_bytes(&args, &self.literal(&args, 2).unwrap_or_else(|| name.to_string())),
            Named::NondetMemory => self.input_bytes(&args, name),
            Named::MemCopy => self.copy(&args),
            Named::MemSet => self.fill(&args, 1, 2),
            Named::BZero => self.fill(&args, usize::MAX, 1),
            Named::Exit => self.stop(&args, |status| Terminator::Exit { status }),
            Named::Halt => self.stop(&args, |status| Terminator::Halt { status }),
            Named::Abort => self.abort(),
            Named::Unsupported => self.refuse_here(&self.literal(&args, 0).unwrap_or_else(|| "a library call".into())),
            Named::Approximates(direction) => {
                let what = Approximation::new(&self.literal(&args, 0).unwrap_or_else(|| "a library call".into()));
                self.emit0(Inst::Approximates { direction, what });
                Vec::new()
            }
            Named::WalksEnvironment => self.walks_environment(),
            Named::HasThreads => vec![self.b.int(32, u64::from(self.shared.threads))],
            Named::Await => self.await_state(&args),
            Named::AtomicBegin => self.atomic_begin(),
            Named::AtomicEnd => self.atomic_end(),
            Named::Yield => self.visible_point(),
            Named::Builtin(op) => self.builtin(op, &args),
            Named::RunConstructors => {
                self.external_globals();
                self.run(self.shared.constructors.clone())
            }
            Named::RunDestructors => self.run(self.shared.destructors.clone()),
            Named::UserMain => self.user_main(&args),
            Named::MainTakesArguments => self.main_takes_arguments(),
            Named::Assert => self.assertion(&args, "assertion"),
            Named::AssertText => self.assertion(&args, &self.literal(&args, 1).unwrap_or_else(|| "assertion".into())),
            Named::AssertFail(text) => self.assertion_fails(&args, text, name),
            Named::Nothing => Vec::new(),
            Named::SetJmp => self.set_jmp(&args),
            Named::LongJmp => self.long_jmp(&args),
            Named::ReadOk => self.access_ok(&args, &[Builtin::Readable]),
            Named::WriteOk => self.access_ok(&args, &[Builtin::Writable]),
            Named::ReadWriteOk => self.access_ok(&args, &[Builtin::Readable, Builtin::Writable]),
            Named::SameObject => self.same_object(&args),
            Named::IsDynamic => self.builtin(Builtin::IsHeap, &args),
            Named::HavocObject => self.havoc_object(&args),
            Named::ArrayCopy => self.array_copy(&args),
            Named::ArrayEqual => self.array_equal(&args),
            Named::FloatIs(test) => self.float_is(test, &args),
            Named::NoBody => self.no_body(name, wanted),
        }
    }

    // Arguments, fitted to what is expected.

    pub(super) fn arg(&mut self, args: &Args<'_>, n: usize, ty: Type) -> Value {
        match args.values.get(n) {
            Some(&v) => self.fit(v, ty),
            None => self.zero(ty),
        }
    }

    fn arg_ptr(&mut self, args: &Args<'_>, n: usize) -> Value {
        self.arg(args, n, Type::Ptr)
    }

    fn arg_word(&mut self, args: &Args<'_>, n: usize) -> Value {
        let ty = self.word_type();
        self.arg(args, n, ty)
    }

    pub(super) fn arg_bool(&mut self, args: &Args<'_>, n: usize) -> Value {
        match args.values.get(n) {
            Some(&v) => self.is_nonzero(v),
            None => self.b.int(1, 0),
        }
    }

    /// The text of a string literal.
    pub(super) fn literal(&self, args: &Args<'_>, n: usize) -> Option<String> {
        let v = *args.vals.get(n)?;
        if v.kind() != ValueKind::LLVMGlobalVariableValueKind {
            return None;
        }
        let init = v.initializer()?;
        if init.kind() != ValueKind::LLVMConstantDataArrayValueKind {
            return None;
        }
        let bytes = init.data_bytes();
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    fn guard_arg(&mut self, args: &Args<'_>, n: usize, ptr: Value, len: Value, access: AccessKind) {
        match args.vals.get(n) {
            Some(&val) => self.guard_len(val, ptr, len, access),
            None => self.guard_kinds(ptr, len, access, ACCESS_KINDS, "a pointer"),
        }
    }

    /// Marks an access of an argument's memory that other threads may see.
    fn share_arg(&mut self, args: &Args<'_>, n: usize, ptr: Value, len: Value, access: AccessKind) {
        if let Some(&val) = args.vals.get(n) {
            self.share(val, ptr, len, access);
        }
    }

    // The heap.

    fn heap_alloc(&mut self, args: &Args<'_>) -> Vec<Value> {
        let size = self.arg_word(args, 0);
        let ptr = self.new_object(size);
        self.note_made(None, ptr);
        self.unset(ptr, size, "heap memory");
        vec![ptr]
    }

    fn new_object(&mut self, size: Value) -> Value {
        let leak = self.property(CheckKind::MemoryLeak, super::access::reason(CheckKind::MemoryLeak));
        self.emit(Inst::HeapAlloc { size, leak }, Type::Ptr)
    }

    fn calloc(&mut self, args: &Args<'_>) -> Vec<Value> {
        let (count, each) = (self.arg_word(args, 0), self.arg_word(args, 1));
        let len = self.binary(BinOp::Mul, count, each);
        let dst = self.new_object(len);
        self.note_made(None, dst);
        let byte = self.b.int(8, 0);
        self.emit0(Inst::MemSet { dst, byte, len });
        vec![dst]
    }

    fn heap_free(&mut self, args: &Args<'_>) -> Vec<Value> {
        let ptr = self.arg_ptr(args, 0);
        let size = self.word(0);
        let kinds = [CheckKind::InvalidFree, CheckKind::DoubleFree];
        let place = args.vals.first().and_then(|&v| self.describe_value(v)).unwrap_or_else(|| "a pointer".into());
        self.guard_kinds(ptr, size, AccessKind::Free, &kinds, &place);
        self.may_free(ptr);
        self.emit0(Inst::HeapFree { ptr });
        Vec::new()
    }

    // Bulk memory.

    fn scan(&mut self, args: &Args<'_>) -> Vec<Value> {
        let ptr = self.arg_ptr(args, 0);
        let byte = self.arg(args, 1, Type::I8);
        let limit = self.arg_word(args, 2);
        let ty = self.word_type();
        vec![self.emit(Inst::Scan { ptr, byte, limit }, ty)]
    }

    fn mismatch(&mut self, args: &Args<'_>) -> Vec<Value> {
        let (lhs, rhs) = (self.arg_ptr(args, 0), self.arg_ptr(args, 1));
        let limit = self.arg_word(args, 2);
        let ty = self.word_type();
        vec![self.emit(Inst::Mismatch { lhs, rhs, limit }, ty)]
    }

    /// The byte at a distance from the start of a text, or its first where there is none: no branch, and nothing to prove.
    fn peek(&mut self, args: &Args<'_>) -> Vec<Value> {
        let (text, at) = (self.arg_ptr(args, 0), self.arg_word(args, 1));
        let there = self.emit(Inst::PtrAdd { base: text, offset: at, extent: None }, Type::Ptr);
        let inside = self.query(Builtin::Peekable, vec![there]);
        let ptr = self.select(inside, there, text);
        vec![self.emit(Inst::Load { ptr }, Type::I8)]
    }

    fn copy(&mut self, args: &Args<'_>) -> Vec<Value> {
        let (dst, src) = (self.arg_ptr(args, 0), self.arg_ptr(args, 1));
        let len = self.arg_word(args, 2);
        self.share_arg(args, 1, src, len, AccessKind::SharedRead);
        self.share_arg(args, 0, dst, len, AccessKind::SharedWrite);
        self.guard_arg(args, 1, src, len, AccessKind::Read);
        self.guard_arg(args, 0, dst, len, AccessKind::Write);
        self.may_write(args.vals.first().copied(), dst, len);
        self.emit0(Inst::MemCopy { dst, src, len });
        vec![dst]
    }

    fn fill(&mut self, args: &Args<'_>, byte_at: usize, len_at: usize) -> Vec<Value> {
        let dst = self.arg_ptr(args, 0);
        let byte = self.arg(args, byte_at, Type::I8);
        let len = self.arg_word(args, len_at);
        self.share_arg(args, 0, dst, len, AccessKind::SharedWrite);
        self.guard_arg(args, 0, dst, len, AccessKind::Write);
        self.may_write(args.vals.first().copied(), dst, len);
        self.emit0(Inst::MemSet { dst, byte, len });
        vec![dst]
    }

    // Checks.

    fn explicit_guard(&mut self, args: &Args<'_>, access: AccessKind, kinds: &[CheckKind]) -> Vec<Value> {
        let ptr = self.arg_ptr(args, 0);
        let size = self.arg_word(args, 1);
        let place = args.vals.first().and_then(|&v| self.describe_place(v)).unwrap_or_else(|| "a pointer".into());
        self.guard_kinds(ptr, size, access, kinds, &place);
        Vec::new()
    }

    fn explicit_check(&mut self, args: &Args<'_>) -> Vec<Value> {
        let cond = self.arg_bool(args, 0);
        let kind = self.literal(args, 1).unwrap_or_default();
        let text = self.literal(args, 2).unwrap_or_default();
        match CheckKind::from_name(&kind) {
            Some(kind) => self.check(cond, kind, text),
            None => self.unsupported(&format!("__blitz_check of the kind \"{kind}\"")),
        }
        Vec::new()
    }

    fn assume(&mut self, args: &Args<'_>) -> Vec<Value> {
        self.visible_point();
        let cond = self.arg_bool(args, 0);
        self.emit0(Inst::Assume { cond });
        Vec::new()
    }

    fn assertion(&mut self, args: &Args<'_>, text: &str) -> Vec<Value> {
        let cond = self.arg_bool(args, 0);
        self.check(cond, CheckKind::Assertion, text);
        Vec::new()
    }

    fn assertion_fails(&mut self, args: &Args<'_>, text: Option<u8>, name: &str) -> Vec<Value> {
        let text =
            text.and_then(|n| self.literal(args, usize::from(n))).unwrap_or_else(|| format!("{name} is reached"));
        self.violated(CheckKind::Assertion, text);
        self.abort()
    }

    fn abort(&mut self) -> Vec<Value> {
        self.visible_point();
        let status = self.b.int(32, ABORTED);
        self.end(Terminator::Halt { status });
        Vec::new()
    }

    fn no_body(&mut self, name: &str, wanted: &[Type]) -> Vec<Value> {
        self.violated(CheckKind::Assertion, format!("{NO_BODY}{name}"));
        self.inputs(name, wanted)
    }

    // Inputs.

    fn inputs(&mut self, name: &str, wanted: &[Type]) -> Vec<Value> {
        wanted.iter().map(|&ty| self.emit(Inst::Input { name: name.into() }, ty)).collect()
    }

    fn input_bytes(&mut self, args: &Args<'_>, name: &str) -> Vec<Value> {
        let ptr = self.arg_ptr(args, 0);
        let len = self.arg_word(args, 1);
        self.share_arg(args, 0, ptr, len, AccessKind::SharedWrite);
        self.guard_arg(args, 0, ptr, len, AccessKind::Write);
        self.may_write(args.vals.first().copied(), ptr, len);
        self.emit0(Inst::InputBytes { ptr, len, name: name.into() });
        Vec::new()
    }

    fn klee_range(&mut self, args: &Args<'_>) -> Vec<Value> {
        let (begin, end) = (self.arg(args, 0, Type::I32), self.arg(args, 1, Type::I32));
        let name = self.literal(args, 2).unwrap_or_else(|| "klee_range".into());
        let value = self.emit(Inst::Input { name: name.into() }, Type::I32);
        let from = self.compare(CmpOp::Sle, begin, value);
        let to = self.compare(CmpOp::Slt, value, end);
        let cond = self.binary(BinOp::And, from, to);
        self.emit0(Inst::Assume { cond });
        vec![value]
    }

    fn havoc_object(&mut self, args: &Args<'_>) -> Vec<Value> {
        let start = self.object_start(args, 0);
        let len = self.query(Builtin::ObjectSize, vec![start]);
        self.may_write(None, start, len);
        self.emit0(Inst::InputBytes { ptr: start, len, name: "havoc_object".into() });
        Vec::new()
    }

    // Ends.

    fn stop(&mut self, args: &Args<'_>, end: impl FnOnce(Value) -> Terminator) -> Vec<Value> {
        let status = self.arg(args, 0, Type::I32);
        self.visible_point();
        self.end(end(status));
        Vec::new()
    }

    fn refuse_here(&mut self, what: &str) -> Vec<Value> {
        self.unsupported(what);
        Vec::new()
    }

    fn set_jmp(&mut self, args: &Args<'_>) -> Vec<Value> {
        let buf = self.arg_ptr(args, 0);
        if args.values.get(1).is_some_and(|&saves| !self.is_zero_const(saves)) && self.has_signal_masks() {
            let (function, what) = ("sigsetjmp".to_owned(), "the mask that it saves and siglongjmp sets".to_owned());
            for direction in Direction::ALL {
                let what = Approximation { function: function.clone(), what: what.clone(), at_once: false };
                self.emit0(Inst::Approximates { direction, what });
            }
        }
        vec![self.emit(Inst::SetJmp { buf }, Type::I32)]
    }

    fn is_zero_const(&self, v: Value) -> bool {
        matches!(self.b.func.as_const(v), Some(Const::Bits(bits)) if bits.is_zero())
    }

    /// Whether the program has what can block signals: without that a mask that is saved is empty.
    fn has_signal_masks(&self) -> bool {
        self.shared.symbols.funcs.iter().any(|f| f.has_body && f.name == "sigprocmask")
    }

    /// `longjmp` with 0 makes `setjmp` yield 1.
    fn long_jmp(&mut self, args: &Args<'_>) -> Vec<Value> {
        let buf = self.arg_ptr(args, 0);
        let value = self.arg(args, 1, Type::I32);
        let is_zero = self.is_zero(value);
        let one = self.b.int(32, 1);
        let value = self.select(is_zero, one, value);
        let set = self.query(Builtin::JumpSet, vec![buf]);
        self.check(set, CheckKind::UseAfterScope, "longjmp: the setjmp it goes back to is still there");
        self.end(Terminator::LongJmp { buf, value });
        Vec::new()
    }

    // Calls of the user's code.

    fn run(&mut self, funcs: Vec<FuncId>) -> Vec<Value> {
        for f in funcs {
            self.call_with(f, &[]);
        }
        Vec::new()
    }

    /// What a global holds that is defined elsewhere.
    fn external_globals(&mut self) {
        for (g, size, name) in self.shared.external.clone() {
            let ptr = self.b.constant(Type::Ptr, Const::Global(g, 0));
            let len = self.word(size);
            self.emit0(Inst::InputBytes { ptr, len, name: format!("extern {name}").into() });
        }
    }

    fn user_main(&mut self, args: &Args<'_>) -> Vec<Value> {
        match self.shared.symbols.user_func("main") {
            Some(main) => self.call_with(main, args.values),
            None => self.refuse_here("a program without main"),
        }
    }

    fn main_takes_arguments(&mut self) -> Vec<Value> {
        let symbols = &self.shared.symbols;
        let takes = symbols.user_func("main").is_some_and(|f| match symbols.origins[f.index()] {
            Origin::Defined(main) => arguments::are_read(main),
            Origin::Meaning(..) | Origin::Nowhere => false,
        });
        vec![self.b.int(32, u64::from(takes))]
    }

    /// By `environ`, or by the third argument of `main`.
    fn walks_environment(&mut self) -> Vec<Value> {
        let main = self.shared.symbols.user_func("main");
        let third = main.is_some_and(|f| self.shared.symbols.funcs[f.index()].signature.params.len() > 2);
        vec![self.b.int(32, u64::from(third || self.shared.symbols.names_environment))]
    }

    fn call_with(&mut self, f: FuncId, args: &[Value]) -> Vec<Value> {
        let signature = self.shared.symbols.funcs[f.index()].signature.clone();
        let mut args = self.fit_all(args, &signature.params);
        let plain = args.len() - self.shadow_counts(f).0 as usize;
        args.truncate(plain);
        args.extend(signature.params[plain..].iter().map(|&ty| self.zero(ty)));
        let results = signature.results.clone();
        let site = CallSite { target: Target::Func(f), args, signature, properties: Vec::new() };
        let id = self.b.push(self.cur, Inst::Call(Box::new(site)), &results, self.loc);
        self.b.func.inst(id).results.to_vec()
    }

    // Questions.

    pub(super) fn query(&mut self, op: Builtin, args: Vec<Value>) -> Value {
        let ty = match op {
            Builtin::Readable
            | Builtin::Peekable
            | Builtin::Writable
            | Builtin::IsHeap
            | Builtin::IsLive
            | Builtin::IsCode
            | Builtin::JumpSet
            | Builtin::MathIs
            | Builtin::Narrow
            | Builtin::Open
            | Builtin::AllocFails => Type::BOOL,
            _ => self.word_type(),
        };
        self.emit(Inst::Builtin { op, args }, ty)
    }

    fn builtin(&mut self, op: Builtin, args: &Args<'_>) -> Vec<Value> {
        match op {
            Builtin::ObjectSize
            | Builtin::Offset
            | Builtin::ObjectId
            | Builtin::Peekable
            | Builtin::IsHeap
            | Builtin::IsLive
            | Builtin::IsCode
            | Builtin::JumpSet => {
                let ptr = self.arg_ptr(args, 0);
                vec![self.query(op, vec![ptr])]
            }
            Builtin::MathIs => {
                let function = self.arg(args, 0, Type::I32);
                let doubles: Vec<Value> = args.values.iter().skip(1).map(|&v| self.as_int(v)).collect();
                vec![self.query(op, [vec![function], doubles].concat())]
            }
            Builtin::Readable | Builtin::Writable => self.access_ok(args, &[op]),
            Builtin::Narrow | Builtin::Open => {
                let found = self.arg(args, 0, self.word_type());
                vec![self.query(op, vec![found])]
            }
            Builtin::AllocFails => vec![self.query(op, Vec::new())],
            Builtin::Quantifier => {
                self.emit0(Inst::Builtin { op, args: Vec::new() });
                Vec::new()
            }
            Builtin::KeepAlive => {
                let ptr = self.arg_ptr(args, 0);
                self.emit0(Inst::Builtin { op, args: vec![ptr] });
                Vec::new()
            }
            Builtin::Output => {
                let list = vec![self.arg(args, 0, Type::I32), self.arg_ptr(args, 1), self.arg_word(args, 2)];
                self.emit0(Inst::Builtin { op, args: list });
                Vec::new()
            }
            Builtin::Host => {
                let mut list = vec![self.arg(args, 0, Type::I32)];
                list.extend((1..=6).map(|n| self.arg_word(args, n)));
                vec![self.query(op, list)]
            }
            Builtin::Thread(op) => self.thread_op(op, args),
            // Made by the lowering only: C has no name for them.
            Builtin::Rounded(_) => Vec::new(),
        }
    }

    fn access_ok(&mut self, args: &Args<'_>, ops: &[Builtin]) -> Vec<Value> {
        let ptr = self.arg_ptr(args, 0);
        // The size may be left out: then it is the rest of the object.
        let size = if args.values.len() > 1 { self.arg_word(args, 1) } else { self.word(1) };
        let answers: Vec<Value> = ops.iter().map(|&op| self.query(op, vec![ptr, size])).collect();
        answers.into_iter().reduce(|a, b| self.binary(BinOp::And, a, b)).into_iter().collect()
    }

    fn same_object(&mut self, args: &Args<'_>) -> Vec<Value> {
        let (a, b) = (self.arg_ptr(args, 0), self.arg_ptr(args, 1));
        let (a, b) = (self.query(Builtin::ObjectId, vec![a]), self.query(Builtin::ObjectId, vec![b]));
        vec![self.compare(CmpOp::Eq, a, b)]
    }

    fn object_start(&mut self, args: &Args<'_>, n: usize) -> Value {
        let ptr = self.arg_ptr(args, n);
        let offset = self.query(Builtin::Offset, vec![ptr]);
        let zero = self.word(0);
        let back = self.binary(BinOp::Sub, zero, offset);
        self.emit(Inst::PtrAdd { base: ptr, offset: back, extent: None }, Type::Ptr)
    }

    /// Bytes from a pointer to the end of its object.
    fn rest_of_object(&mut self, ptr: Value) -> Value {
        let size = self.query(Builtin::ObjectSize, vec![ptr]);
        let offset = self.query(Builtin::Offset, vec![ptr]);
        self.binary(BinOp::Sub, size, offset)
    }

    fn array_copy(&mut self, args: &Args<'_>) -> Vec<Value> {
        let (dst, src) = (self.arg_ptr(args, 0), self.arg_ptr(args, 1));
        let (room, given) = (self.rest_of_object(dst), self.rest_of_object(src));
        let len = self.binary(BinOp::UMin, room, given);
        self.guard_arg(args, 1, src, len, AccessKind::Read);
        self.guard_arg(args, 0, dst, len, AccessKind::Write);
        self.may_write(args.vals.first().copied(), dst, len);
        self.emit0(Inst::MemCopy { dst, src, len });
        Vec::new()
    }

    fn array_equal(&mut self, args: &Args<'_>) -> Vec<Value> {
        let (lhs, rhs) = (self.arg_ptr(args, 0), self.arg_ptr(args, 1));
        let limit = self.rest_of_object(lhs);
        let other = self.rest_of_object(rhs);
        let ty = self.word_type();
        let same_size = self.compare(CmpOp::Eq, limit, other);
        let shorter = self.binary(BinOp::UMin, limit, other);
        let at = self.emit(Inst::Mismatch { lhs, rhs, limit: shorter }, ty);
        let same = self.compare(CmpOp::Eq, at, shorter);
        vec![self.binary(BinOp::And, same_size, same)]
    }

    fn float_is(&mut self, test: FloatTest, args: &Args<'_>) -> Vec<Value> {
        let Some(&v) = args.values.first().filter(|&&v| matches!(self.ty(v), Type::Float(_))) else {
            return self.refuse_here("classification of something that is no float");
        };
        let op = match test {
            FloatTest::Nan => UnOp::FIsNan,
            FloatTest::Inf => UnOp::FIsInf,
            FloatTest::Finite => UnOp::FIsFinite,
            FloatTest::Normal => UnOp::FIsNormal,
            FloatTest::Sign => UnOp::FSignBit,
        };
        let hit = self.unary(op, v);
        vec![self.resize(hit, 32, CastOp::ZExt)]
    }
}
