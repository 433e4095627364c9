//! Guards in front of memory accesses.
//!
//! An access through a name of the program (a variable, a global) at a constant place inside it needs none; through
//! a name at a computed place it can only be out of bounds; through a pointer it can be anything.

use super::Lowering;
use super::properties::Text;
use crate::constants::Symbol;
use crate::llvm::{Opcode, Val, ValueKind};
use blitz_ir::{AccessKind, CheckKind, Const, Inst, MemCheck, PropertyId, Value};

/// What is known about the object an address points into.
enum Root {
    /// A local variable (or a copy of an argument) of this size, if it is constant.
    Slot(Option<u64>),
    Global {
        size: u64,
        constant: bool,
    },
    Unknown,
}

impl Lowering<'_> {
    /// Guards an access of a constant number of bytes.
    pub(super) fn guard_bytes(&mut self, at: Val, ptr: Value, bytes: u64, access: AccessKind) {
        if bytes == 0 || self.is_certain(at, bytes, access) {
            return;
        }
        let size = self.word(bytes);
        self.guard_at(at, ptr, size, access);
    }

    /// Guards an access of a computed number of bytes.
    pub(super) fn guard_len(&mut self, at: Val, ptr: Value, size: Value, access: AccessKind) {
        match self.b.func.as_const(size) {
            Some(Const::Bits(bits)) if bits.to_u64().is_some() => {
                let bytes = bits.to_u64().unwrap_or(0);
                self.guard_bytes(at, ptr, bytes, access);
            }
            _ => self.guard_at(at, ptr, size, access),
        }
    }

    fn guard_at(&mut self, at: Val, ptr: Value, size: Value, access: AccessKind) {
        use CheckKind::{BufferOverflow, NullDeref, UseAfterFree, UseAfterScope};
        let kinds: &[CheckKind] = match self.root(at).0 {
            Root::Slot(_) | Root::Global { .. } => &[BufferOverflow],
            Root::Unknown => &[NullDeref, UseAfterFree, UseAfterScope, BufferOverflow],
        };
        self.guard(ptr, size, access, kinds, |_| Text::Access(access, at));
    }

    /// A guard that can violate these kinds, as far as they are switched on.
    pub(super) fn guard_kinds(
        &mut self,
        ptr: Value,
        size: Value,
        access: AccessKind,
        kinds: &[CheckKind],
        place: &str,
    ) {
        self.guard(ptr, size, access, kinds, |kind| words(access, place, kind).into());
    }

    fn guard(
        &mut self,
        ptr: Value,
        size: Value,
        access: AccessKind,
        kinds: &[CheckKind],
        text: impl Fn(CheckKind) -> Text,
    ) {
        let properties: Vec<(CheckKind, PropertyId)> =
            kinds.iter().filter_map(|&k| Some((k, self.property(k, text(k))?))).collect();
        if !properties.is_empty() {
            self.emit0(Inst::CheckMem(MemCheck { ptr, size, access, properties }));
        }
    }

    /// Whether the access is inside a live object whatever happens.
    fn is_certain(&self, at: Val, bytes: u64, access: AccessKind) -> bool {
        let (root, offset) = self.root(at);
        let Some(offset) = offset.and_then(|o| u64::try_from(o).ok()) else { return false };
        let fits = |size: u64| offset.checked_add(bytes).is_some_and(|end| end <= size);
        match root {
            Root::Slot(Some(size)) => fits(size),
            Root::Global { size, constant } => fits(size) && !(constant && access == AccessKind::Write),
            Root::Slot(None) | Root::Unknown => false,
        }
    }

    /// The object an address is computed from, and the offset if it is constant.
    fn root(&self, at: Val) -> (Root, Option<i64>) {
        let mut v = at;
        let mut offset = Some(0i64);
        loop {
            match address_step(v) {
                Step::Offset => {
                    let step = self.shared.symbols.constants.gep_offset(v);
                    offset = offset.zip(step).and_then(|(a, b)| a.checked_add(b));
                    v = v.operand(0);
                }
                Step::Same => v = v.operand(0),
                Step::Root => return self.root_of(v, offset),
            }
        }
    }

    fn root_of(&self, v: Val, offset: Option<i64>) -> (Root, Option<i64>) {
        match v.kind() {
            ValueKind::LLVMInstructionValueKind if v.opcode() == Opcode::LLVMAlloca => {
                (Root::Slot(self.constant_slot_size(v)), offset)
            }
            ValueKind::LLVMArgumentValueKind => (self.argument_root(v), offset),
            ValueKind::LLVMGlobalVariableValueKind | ValueKind::LLVMGlobalAliasValueKind => {
                match self.shared.symbols.constants.symbols.get(&v) {
                    Some(&Symbol::Global(g, base)) => {
                        let definition = self.shared.symbols.globals[g.index()].val;
                        let ty = definition.value_type();
                        let size = if ty.is_sized() { self.layout().size(ty) } else { 0 };
                        let root = Root::Global { size, constant: definition.is_constant_global() };
                        (root, offset.and_then(|o| o.checked_add(base)))
                    }
                    Some(Symbol::Func(_)) | None => (Root::Unknown, None),
                }
            }
            _ => (Root::Unknown, None),
        }
    }

    fn argument_root(&self, v: Val) -> Root {
        let crate::symbols::Origin::Defined(func) = self.shared.symbols.origins[self.id.index()] else {
            return Root::Unknown;
        };
        let position = func.params().iter().position(|&p| p == v);
        let byval = position.and_then(|n| func.type_attribute(n as u32 + 1, self.shared.attributes.byval));
        match byval {
            Some(ty) => Root::Slot(Some(self.layout().size(ty))),
            None => Root::Unknown,
        }
    }
}

enum Step {
    Offset,
    Same,
    Root,
}

fn address_step(v: Val) -> Step {
    let op = match v.kind() {
        ValueKind::LLVMInstructionValueKind => v.opcode(),
        ValueKind::LLVMConstantExprValueKind => v.const_opcode(),
        _ => return Step::Root,
    };
    match op {
        Opcode::LLVMGetElementPtr => Step::Offset,
        Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => Step::Same,
        _ => Step::Root,
    }
}

/// What an access may do wrong, for people.
pub(super) fn words(access: AccessKind, place: &str, kind: CheckKind) -> String {
    let verb = match access {
        AccessKind::Read | AccessKind::Defined | AccessKind::SharedRead => "read of",
        AccessKind::Write | AccessKind::SharedWrite => "write to",
        AccessKind::AtomicRead => "atomic read of",
        AccessKind::AtomicWrite => "atomic write to",
        AccessKind::Free => "free of",
        AccessKind::String => "string at",
    };
    format!("{verb} {place}: {}", reason(kind))
}

/// What went wrong, for people.
pub fn reason(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::NullDeref => "null or invalid pointer",
        CheckKind::UseAfterFree => "object was freed",
        CheckKind::UseAfterScope => "object is out of scope",
        CheckKind::BufferOverflow => "out of bounds",
        CheckKind::InvalidFree => "not the start of a heap object",
        CheckKind::DoubleFree => "object was freed before",
        CheckKind::Uninitialised => "indeterminate value",
        CheckKind::MemoryLeak => "memory is never freed",
        CheckKind::DataRace => "data race",
        CheckKind::Deadlock => "every thread waits",
        CheckKind::MutexMisuse => "not allowed for this lock now",
        CheckKind::Assertion
        | CheckKind::ArrayBounds
        | CheckKind::SignedOverflow
        | CheckKind::UnsignedOverflow
        | CheckKind::Shift
        | CheckKind::DivByZero
        | CheckKind::PointerOverflow
        | CheckKind::Unreachable
        | CheckKind::Unwinding => kind.name(),
    }
}
