//! What an instruction reads, writes and does to the life of objects: the one place that lists it.
//!
//! Passes, analyses and engines each need a part of this (what a load may yield afterwards, which operands are addresses,
//! whether a result nobody uses may be dropped) and take it from here, so that a new instruction is decided once.
//!
//! Direction: an effect names at least what the instruction does itself. What a callee does is not in it (`Kind::Calls`), nor
//! what other threads do in the meantime (`Kind::Yields`), nor what the machine below does (`Kind::Host`).
//!
//! Absent: which objects an address means (crate `analysis`).

use crate::builtin::{Builtin, ThreadOp};
use crate::channel::Channel;
use crate::func::Value;
use crate::inst::{Inst, MemCheck};
use smallvec::SmallVec;

/// What an instruction does besides defining its results.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Bytes (or their shadow) that its results depend on.
    pub reads: Accesses,
    /// Bytes (or their shadow) that may be others afterwards.
    pub writes: Accesses,
    /// An object as a whole: the pointer, and what is done with it.
    pub object: Option<(Value, ObjectUse)>,
    pub kind: Kind,
}

pub type Accesses = SmallVec<[Access; 2]>;

/// The bytes from an address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub ptr: Value,
    pub extent: Extent,
}

/// How many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// As many as the instruction's result takes.
    Result,
    /// As many as this value takes.
    Of(Value),
    /// This number of bytes.
    Bytes(Value),
    /// At most this number of bytes.
    UpTo(Value),
}

/// What is done with an object as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectUse {
    /// Its size, kind or life is asked for.
    Asked,
    /// It comes into scope, with indeterminate contents.
    ScopeStarts,
    ScopeEnds,
    Freed,
}

/// What an instruction does to the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It only yields its results: it may be dropped when nobody uses them.
    Computes,
    /// It changes what `writes` and `object` say, and nothing else.
    Changes,
    /// A new object.
    AllocatesStack,
    AllocatesHeap,
    /// The stack's depth is noted.
    SavesStack,
    /// Stack objects end.
    RestoresStack,
    /// The execution goes on only where a condition holds.
    Guards,
    /// A fresh input, besides what `writes` says.
    Input,
    /// Whatever the callee does.
    Calls,
    /// Other threads may run in front of it, or begin with it.
    Yields,
    /// A question or an effect of the thread's own.
    Thread,
    /// A `LongJmp` may come back here, with memory as it is then.
    ComesBack,
    /// Bytes leave the program.
    Outputs,
    /// The machine below does something.
    Host,
    /// It tells something to whoever executes it, and changes no value.
    Notes,
    /// Nobody executes it.
    Refused,
}

impl Effect {
    fn new(kind: Kind) -> Self {
        Self { reads: Accesses::new(), writes: Accesses::new(), object: None, kind }
    }

    fn reading(self, ptr: Value, extent: Extent) -> Self {
        let mut all = self;
        all.reads.push(Access { ptr, extent });
        all
    }

    fn writing(self, ptr: Value, extent: Extent) -> Self {
        let mut all = self;
        all.writes.push(Access { ptr, extent });
        all
    }

    fn of_object(kind: Kind, ptr: Value, what: ObjectUse) -> Self {
        Self { object: Some((ptr, what)), ..Self::new(kind) }
    }

    /// Whether a load may yield something else afterwards.
    pub fn changes_memory(&self) -> bool {
        !self.writes.is_empty() || self.changes_object() || self.kind.reaches_further()
    }

    /// Whether an object that was alive may have ended afterwards.
    pub fn ends_objects(&self) -> bool {
        self.changes_object()
            || match self.kind {
                Kind::RestoresStack | Kind::Calls | Kind::Yields | Kind::ComesBack => true,
                Kind::Computes
                | Kind::Changes
                | Kind::AllocatesStack
                | Kind::AllocatesHeap
                | Kind::SavesStack
                | Kind::Guards
                | Kind::Input
                | Kind::Thread
                | Kind::Outputs
                | Kind::Host
                | Kind::Notes
                | Kind::Refused => false,
            }
    }

    fn changes_object(&self) -> bool {
        match self.object {
            Some((_, ObjectUse::ScopeStarts | ObjectUse::ScopeEnds | ObjectUse::Freed)) => true,
            Some((_, ObjectUse::Asked)) | None => false,
        }
    }

    /// The operands that are addresses: written to, then read, then meant as a whole.
    pub fn addresses(&self) -> impl Iterator<Item = Value> + '_ {
        self.writes.iter().chain(&self.reads).map(|access| access.ptr).chain(self.object.map(|(ptr, _)| ptr))
    }
}

impl Kind {
    /// Whether memory may change in ways that no operand names.
    pub fn reaches_further(self) -> bool {
        match self {
            Kind::RestoresStack
            | Kind::Calls
            | Kind::Yields
            | Kind::Thread
            | Kind::ComesBack
            | Kind::Host
            | Kind::Refused => true,
            Kind::Computes
            | Kind::Changes
            | Kind::AllocatesStack
            | Kind::AllocatesHeap
            | Kind::SavesStack
            | Kind::Guards
            | Kind::Input
            | Kind::Outputs
            | Kind::Notes => false,
        }
    }
}

impl Inst {
    /// What it reads, writes, begins and ends.
    pub fn effect(&self) -> Effect {
        match self {
            Inst::Unary { .. }
            | Inst::Binary { .. }
            | Inst::Compare { .. }
            | Inst::Overflow { .. }
            | Inst::Cast { .. }
            | Inst::Select { .. }
            | Inst::FusedMulAdd { .. }
            | Inst::PtrAdd { .. } => Effect::new(Kind::Computes),
            Inst::Alloca { .. } => Effect::new(Kind::AllocatesStack),
            Inst::HeapAlloc { .. } => Effect::new(Kind::AllocatesHeap),
            Inst::LifetimeStart { ptr } => Effect::of_object(Kind::Changes, *ptr, ObjectUse::ScopeStarts),
            Inst::LifetimeEnd { ptr } => Effect::of_object(Kind::Changes, *ptr, ObjectUse::ScopeEnds),
            Inst::HeapFree { ptr } => Effect::of_object(Kind::Changes, *ptr, ObjectUse::Freed),
            Inst::StackSave => Effect::new(Kind::SavesStack),
            Inst::StackRestore { .. } => Effect::new(Kind::RestoresStack),
            Inst::Load { ptr } | Inst::LoadShadow { ptr } => Effect::new(Kind::Computes).reading(*ptr, Extent::Result),
            Inst::Store { ptr, value } | Inst::StoreShadow { ptr, shadow: value } => {
                Effect::new(Kind::Changes).writing(*ptr, Extent::Of(*value))
            }
            Inst::MemCopy { dst, src, len } => {
                Effect::new(Kind::Changes).writing(*dst, Extent::Bytes(*len)).reading(*src, Extent::Bytes(*len))
            }
            Inst::MemSet { dst, len, .. } => Effect::new(Kind::Changes).writing(*dst, Extent::Bytes(*len)),
            Inst::Scan { ptr, limit, .. } => Effect::new(Kind::Computes).reading(*ptr, Extent::UpTo(*limit)),
            Inst::Mismatch { lhs, rhs, limit } => {
                Effect::new(Kind::Computes).reading(*lhs, Extent::UpTo(*limit)).reading(*rhs, Extent::UpTo(*limit))
            }
            Inst::Check { .. } | Inst::Assume { .. } => Effect::new(Kind::Guards),
            Inst::CheckMem(check) => Effect::new(guard(check)),
            Inst::Await { .. } => Effect::new(Kind::Yields),
            Inst::Call(_) => Effect::new(Kind::Calls),
            Inst::Input { .. } => Effect::new(Kind::Input),
            Inst::InputBytes { ptr, len, .. } => Effect::new(Kind::Input).writing(*ptr, Extent::Bytes(*len)),
            Inst::Builtin { op, args } => of_builtin(*op, args),
            Inst::SetJmp { .. } => Effect::new(Kind::ComesBack),
            Inst::Debug { .. } | Inst::Approximates { .. } => Effect::new(Kind::Notes),
            Inst::Unsupported { .. } => Effect::new(Kind::Refused),
        }
    }

    /// Whether the instruction only computes its results (may be dropped when they are unused).
    pub fn is_pure(&self) -> bool {
        match self {
            Inst::Input { name } => name.channel() == Channel::Unset,
            other => other.effect().kind == Kind::Computes,
        }
    }
}

/// A guard reads no contents, but another thread may run in front of one that it can see.
fn guard(check: &MemCheck) -> Kind {
    if check.access.is_visible() { Kind::Yields } else { Kind::Guards }
}

fn of_builtin(op: Builtin, args: &[Value]) -> Effect {
    match op {
        Builtin::ObjectSize
        | Builtin::Readable
        | Builtin::Peekable
        | Builtin::Writable
        | Builtin::IsHeap
        | Builtin::IsLive
        | Builtin::IsCode
        | Builtin::JumpSet => {
            let object = args.first().map(|&ptr| (ptr, ObjectUse::Asked));
            Effect { object, ..Effect::new(Kind::Computes) }
        }
        Builtin::Offset
        | Builtin::ObjectId
        | Builtin::MathIs
        | Builtin::Narrow
        | Builtin::Open
        | Builtin::Rounded(_) => Effect::new(Kind::Computes),
        Builtin::AllocFails => Effect::new(Kind::Input),
        Builtin::KeepAlive | Builtin::Quantifier => Effect::new(Kind::Notes),
        Builtin::Output => {
            let effect = Effect::new(Kind::Outputs);
            match args {
                [_, ptr, len] => effect.reading(*ptr, Extent::Bytes(*len)),
                _ => effect,
            }
        }
        Builtin::Host => Effect::new(Kind::Host),
        Builtin::Thread(op) => Effect::new(of_thread(op)),
    }
}

fn of_thread(op: ThreadOp) -> Kind {
    match op {
        ThreadOp::Start | ThreadOp::Exit | ThreadOp::Switch => Kind::Yields,
        ThreadOp::Self_
        | ThreadOp::Done
        | ThreadOp::Resumed
        | ThreadOp::AtomicBegin
        | ThreadOp::AtomicEnd
        | ThreadOp::Acquire
        | ThreadOp::Release
        | ThreadOp::Publish
        | ThreadOp::Local => Kind::Thread,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::InputName;

    fn v(n: usize) -> Value {
        Value::new(n)
    }

    #[test]
    fn a_copy_writes_its_target_and_reads_its_source() {
        let copy = Inst::MemCopy { dst: v(0), src: v(1), len: v(2) }.effect();
        assert_eq!(copy.writes.as_slice(), [Access { ptr: v(0), extent: Extent::Bytes(v(2)) }]);
        assert_eq!(copy.reads.as_slice(), [Access { ptr: v(1), extent: Extent::Bytes(v(2)) }]);
        assert_eq!(copy.addresses().collect::<Vec<_>>(), [v(0), v(1)]);
        assert!(copy.changes_memory() && !copy.ends_objects());
    }

    #[test]
    fn what_only_asks_may_be_dropped_and_changes_nothing() {
        let asks = Inst::Builtin { op: Builtin::ObjectSize, args: vec![v(3)] };
        assert!(asks.is_pure() && !asks.effect().changes_memory() && !asks.effect().ends_objects());
        assert_eq!(asks.effect().object, Some((v(3), ObjectUse::Asked)));
        let fails = Inst::Builtin { op: Builtin::AllocFails, args: Vec::new() };
        assert!(!fails.is_pure(), "an input counts even if nobody uses it");
        assert!(Inst::Input { name: InputName::unset("x") }.is_pure(), "unless it stands for memory nobody has set");
    }

    #[test]
    fn every_builtin_that_another_thread_or_the_machine_may_use_changes_memory() {
        for &op in Builtin::ALL {
            let effect = Inst::Builtin { op, args: vec![v(0), v(1), v(2)] }.effect();
            let further = matches!(op, Builtin::Host | Builtin::Thread(_));
            assert_eq!(effect.changes_memory(), further, "{op:?}");
        }
    }

    #[test]
    fn an_end_of_scope_is_a_change_of_memory_and_the_end_of_an_object() {
        for inst in [Inst::LifetimeEnd { ptr: v(0) }, Inst::HeapFree { ptr: v(0) }, Inst::StackRestore { saved: v(0) }]
        {
            assert!(inst.effect().changes_memory() && inst.effect().ends_objects(), "{inst:?}");
        }
        assert!(!Inst::Store { ptr: v(0), value: v(1) }.effect().ends_objects());
    }
}
