//! Instructions and terminators.
//!
//! Each has one meaning and no hidden undefined behaviour: arithmetic wraps, division by zero and oversized
//! shifts have the SMT-LIB result, loads and stores assume that the access check before them held. What C
//! forbids is a [`Inst::Check`] or [`Inst::CheckMem`] in front.
//!
//! Definedness is explicit. Memory has a shadow of the same size, one bit per bit, 1 = indeterminate. `Store`
//! writes zeros into the shadow of what it writes; `LoadShadow`/`StoreShadow` move shadow bits where a value is
//! only copied; a `Check` of kind uninitialised tests a shadow where the value is used.

use crate::builtin::{Builtin, ThreadOp};
use crate::channel::InputName;
use crate::direction::Direction;
use crate::func::{Block, Func, Value, Var};
use crate::program::{FuncId, Signature};
use crate::property::{CheckKind, PropertyId};
use crate::types::Type;
use crate::unsupported::Approximation;
use blitz_base::id_type;
use blitz_base::span::Loc;
use smallvec::SmallVec;

id_type!(
    /// An instruction of a function.
    InstId,
    "inst"
);

/// An instruction with its results and its place in the source.
#[derive(Clone, Debug)]
pub struct InstData {
    pub inst: Inst,
    /// Values this instruction defines, in order; their types say what the instruction yields.
    pub results: Results,
    pub loc: Loc,
}

/// The values an instruction defines: mostly one.
pub type Results = SmallVec<[Value; 2]>;

/// The member or array that an address computation goes into: where it begins, counted from the base, and its size.
/// A member begins where the result points to, an array where the base does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    pub start: u32,
    pub size: u32,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq)]
pub enum Inst {
    Unary {
        op: UnOp,
        arg: Value,
    },
    /// Both operands and the result have the same type.
    Binary {
        op: BinOp,
        lhs: Value,
        rhs: Value,
    },
    /// Yields `Int(1)`.
    Compare {
        op: CmpOp,
        lhs: Value,
        rhs: Value,
    },
    /// Whether the operation overflows; yields `Int(1)`.
    Overflow {
        op: OverflowOp,
        lhs: Value,
        rhs: Value,
    },
    Cast {
        op: CastOp,
        arg: Value,
    },
    Select {
        cond: Value,
        then: Value,
        other: Value,
    },
    /// `x * y + z` with one rounding.
    FusedMulAdd {
        x: Value,
        y: Value,
        z: Value,
    },

    /// Moves a pointer by a signed number of bytes (of pointer width) inside its object; the object stays the same.
    /// The extent is what the declared types say: no check, and nothing that execution depends on.
    PtrAdd {
        base: Value,
        offset: Value,
        extent: Option<Extent>,
    },
    /// A new stack object of `size` bytes (pointer width), indeterminate, gone when the function returns
    /// or when the stack is restored to before it. With `lives: false` it is out of scope until `LifetimeStart`.
    Alloca {
        size: Value,
        align: u32,
        var: Option<Var>,
        lives: bool,
    },
    /// The object comes into scope; its contents become indeterminate.
    LifetimeStart {
        ptr: Value,
    },
    /// The object goes out of scope.
    LifetimeEnd {
        ptr: Value,
    },
    StackSave,
    StackRestore {
        saved: Value,
    },

    Load {
        ptr: Value,
    },
    Store {
        ptr: Value,
        value: Value,
    },
    /// The shadow of the bytes a load of this width would read; yields an `Int` of the access's bits.
    LoadShadow {
        ptr: Value,
    },
    StoreShadow {
        ptr: Value,
        shadow: Value,
    },
    /// `memmove`, shadow included.
    MemCopy {
        dst: Value,
        src: Value,
        len: Value,
    },
    /// `memset`; makes the bytes determinate.
    MemSet {
        dst: Value,
        byte: Value,
        len: Value,
    },
    /// The least n < limit with `ptr[n] == byte`, else `limit` (pointer width). Reads only up to the hit.
    Scan {
        ptr: Value,
        byte: Value,
        limit: Value,
    },
    /// The least n < limit with `lhs[n] != rhs[n]`, else `limit`. Reads only up to the difference.
    Mismatch {
        lhs: Value,
        rhs: Value,
        limit: Value,
    },
    /// A new heap object, contents indeterminate. Never fails: the libc model decides that before.
    /// `leak` is the property violated when the object is lost at the end of the program.
    HeapAlloc {
        size: Value,
        leak: Option<PropertyId>,
    },
    /// Ends the life of a heap object; the check before it made sure that it is one. Null does nothing.
    HeapFree {
        ptr: Value,
    },

    /// The property is violated when `cond` is 0; execution goes on only where it is 1.
    Check {
        cond: Value,
        property: PropertyId,
    },
    /// Guards an access: violated as the first of its kinds that applies; execution goes on only where none does.
    CheckMem(MemCheck),
    /// Executions in which `cond` is 0 don't count.
    Assume {
        cond: Value,
    },
    /// The thread goes on only in states in which `cond` is 1: where it is 0, it stands at its last visible point (`Builtin::Switch`, in the same
    /// activation, with nothing but reads since) until another thread has run. When every thread that has not ended stands so, the
    /// property (deadlock) of each is violated.
    Await {
        cond: Value,
        property: Option<PropertyId>,
    },

    Call(Box<CallSite>),
    /// A fresh input of the result's type; `name` is what the report calls it.
    Input {
        name: InputName,
    },
    /// `len` fresh input bytes written at `ptr`.
    InputBytes {
        ptr: Value,
        len: Value,
        name: InputName,
    },
    /// Questions and effects that the libc models are built on.
    Builtin {
        op: Builtin,
        args: Vec<Value>,
    },

    /// Yields 0 (`Int(32)`), and yields again whenever `LongJmp` on the same buffer comes back here.
    SetJmp {
        buf: Value,
    },

    /// The source variable `var` has this value from here on (its value, or its address if `indirect`). No effect.
    Debug {
        var: Var,
        value: Value,
        indirect: bool,
    },
    /// Something the front end refuses, by name; reaching it makes the answer `unknown`.
    Unsupported {
        what: String,
    },
    /// From here on the path is not what the real function would do: it has behaviours too few or too many. Execution goes on.
    Approximates {
        direction: Direction,
        what: Approximation,
    },
}

/// A guard in front of a memory access of `size` bytes at `ptr`.
#[derive(Clone, Debug, PartialEq)]
pub struct MemCheck {
    pub ptr: Value,
    /// Bytes (pointer width). An access of zero bytes is always allowed.
    pub size: Value,
    pub access: AccessKind,
    /// The properties this guard can violate, at most one of each kind.
    pub properties: Vec<(CheckKind, PropertyId)>,
}

/// What the guarded access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// null-deref, use-after-free, use-after-scope, buffer-overflow.
    Read,
    /// As `Read`; also writing to a constant object (reported as buffer-overflow).
    Write,
    /// `free`/`realloc`: invalid-free (not the start of a heap object), double-free. Null is allowed.
    Free,
    /// The bytes must be determinate: uninitialised.
    Defined,
    /// From `ptr` up to and including the first byte 0, all bytes are readable (a C string); `size` is ignored.
    String,
    /// A visible point (`Builtin::Switch`), then a read of memory that other threads may know. data-race: a write by another thread
    /// does not happen before it. Never removed for having no properties.
    SharedRead,
    /// The same for a write; data-race: an access by another thread does not happen before it.
    SharedWrite,
    /// The same for an atomic read: it races with writes that are not atomic.
    AtomicRead,
    /// The same for an atomic write: it races with accesses that are not atomic.
    AtomicWrite,
}

impl AccessKind {
    /// Whether it marks an access that other threads may see, and so is a visible point.
    pub fn is_visible(self) -> bool {
        match self {
            AccessKind::SharedRead | AccessKind::SharedWrite | AccessKind::AtomicRead | AccessKind::AtomicWrite => true,
            AccessKind::Read | AccessKind::Write | AccessKind::Free | AccessKind::Defined | AccessKind::String => false,
        }
    }
}

/// A call. Arguments beyond the callee's fixed parameters are its variable ones: on entry of a variadic function
/// they are packed into a fresh stack object, each in a slot of pointer size (aligned to 16 for types
/// aligned so), and its address is passed as one more, last argument. A call through a pointer may pass an integer wider than its type says (as
/// compilers do with small ones), and take no results.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSite {
    pub target: Target,
    pub args: Vec<Value>,
    pub signature: Signature,
    /// In user code, for a callee of our libc models: a check of one of these kinds that fails inside the model
    /// (at any depth, down to the next function of the user's) violates the property listed here, so that it
    /// is named and placed where the user can see it. Likewise a leak of what the callee allocated.
    pub properties: Vec<(CheckKind, PropertyId)>,
}

impl CallSite {
    /// The signature of what the call really passes and takes. Through a pointer that may differ from the pointer's type: small integers are
    /// passed as wide as the compiler extends them, and results that nobody uses are not taken.
    pub fn made_as(&self, func: &Func, results: &[Value]) -> Signature {
        let params = self.args.iter().take(self.signature.params.len()).map(|&v| func.ty(v)).collect();
        let results = results.iter().map(|&v| func.ty(v)).collect();
        Signature { params, results, variadic: self.signature.variadic }
    }
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Func(FuncId),
    /// The value is a pointer to a function; the front end put a check in front.
    Pointer(Value),
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Terminator {
    Jump {
        to: Block,
        args: Vec<Value>,
    },
    Branch {
        cond: Value,
        then: (Block, Vec<Value>),
        other: (Block, Vec<Value>),
    },
    /// Cases are distinct; the constants have the type of `value`.
    Switch {
        value: Value,
        cases: Vec<(blitz_base::Bv, Block, Vec<Value>)>,
        default: (Block, Vec<Value>),
    },
    /// `value` is the address of one of the listed blocks: a block's address is the integer 1 + its index.
    IndirectJump {
        value: Value,
        targets: Vec<Block>,
    },
    Return {
        values: Vec<Value>,
    },
    /// The program ends with this status (`Int(32)`); leaks are looked for here.
    Exit {
        status: Value,
    },
    /// The program ends without a look for leaks (`abort`, `_exit`, a failed assertion that is not checked).
    Halt {
        status: Value,
    },
    /// Back to the `SetJmp` on this buffer, which then yields `value`.
    LongJmp {
        buf: Value,
        value: Value,
    },
    /// Never executed: what comes before made sure of it (a check of false, a call that does not return).
    Unreachable,
}

/// Unary operations on integers and floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnOp {
    CountOnes,
    /// The width for an argument of 0.
    LeadingZeros,
    TrailingZeros,
    ByteSwap,
    BitReverse,
    FNeg,
    FAbs,
    FSqrt,
    FFloor,
    FCeil,
    FTrunc,
    /// To nearest, ties to even (`rint` in the default mode).
    FRoundEven,
    /// To nearest, ties away from zero.
    FRound,
    FIsNan,
    FIsInf,
    FIsFinite,
    FIsNormal,
    FIsSubnormal,
    FIsZero,
    FSignBit,
}

/// Binary operations; integers wrap, division by zero is as in SMT-LIB, shifts past the width give 0 (or the sign).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
    UMin,
    UMax,
    SMin,
    SMax,
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// C's `fmod`.
    FRem,
    /// The other operand if one is a NaN (`fmin`).
    FMin,
    FMax,
    FCopySign,
}

/// Comparisons; float ones are ordered (`F..`) or true for unordered operands (`FU..`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CmpOp {
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
    FOeq,
    FOne,
    FOlt,
    FOle,
    FOgt,
    FOge,
    FOrd,
    FUeq,
    FUne,
    FUlt,
    FUle,
    FUgt,
    FUge,
    FUno,
}

/// Overflow predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OverflowOp {
    SAdd,
    UAdd,
    SSub,
    USub,
    SMul,
    UMul,
}

/// Conversions; the result's type is the target type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FToF,
    /// Truncates towards zero; out of range gives the smallest integer (as x86 does).
    FToSi,
    FToUi,
    SiToF,
    UiToF,
    PtrToInt,
    IntToPtr,
    /// Same bits, another type of the same width.
    Bitcast,
}

/// The operands of an instruction, by reference or by mutable reference.
macro_rules! inst_operands {
    ($this:expr, $visit:ident, $iter:ident $(, $mutable:tt)?) => {
        match $this {
            Inst::Unary { arg, .. } | Inst::Cast { arg, .. } => $visit(arg),
            Inst::Binary { lhs, rhs, .. }
            | Inst::Compare { lhs, rhs, .. }
            | Inst::Overflow { lhs, rhs, .. } => {
                $visit(lhs);
                $visit(rhs);
            }
            Inst::Select { cond, then, other } => [cond, then, other].into_iter().for_each($visit),
            Inst::FusedMulAdd { x, y, z } => [x, y, z].into_iter().for_each($visit),
            Inst::PtrAdd { base, offset, .. } => [base, offset].into_iter().for_each($visit),
            Inst::Alloca { size, .. } | Inst::HeapAlloc { size, .. } => $visit(size),
            Inst::LifetimeStart { ptr }
            | Inst::LifetimeEnd { ptr }
            | Inst::Load { ptr }
            | Inst::LoadShadow { ptr }
            | Inst::HeapFree { ptr } => $visit(ptr),
            Inst::StackSave | Inst::Input { .. } | Inst::Unsupported { .. } | Inst::Approximates { .. } => {}
            Inst::StackRestore { saved } => $visit(saved),
            Inst::Store { ptr, value } => [ptr, value].into_iter().for_each($visit),
            Inst::StoreShadow { ptr, shadow } => [ptr, shadow].into_iter().for_each($visit),
            Inst::MemCopy { dst, src, len } => [dst, src, len].into_iter().for_each($visit),
            Inst::MemSet { dst, byte, len } => [dst, byte, len].into_iter().for_each($visit),
            Inst::Scan { ptr, byte, limit } => [ptr, byte, limit].into_iter().for_each($visit),
            Inst::Mismatch { lhs, rhs, limit } => [lhs, rhs, limit].into_iter().for_each($visit),
            Inst::Check { cond, .. } | Inst::Assume { cond } | Inst::Await { cond, .. } => $visit(cond),
            Inst::CheckMem(check) => [&$($mutable)? check.ptr, &$($mutable)? check.size]
                .into_iter()
                .for_each($visit),
            Inst::Call(call) => {
                if let Target::Pointer(p) = &$($mutable)? call.target {
                    $visit(p);
                }
                call.args.$iter().for_each($visit);
            }
            Inst::InputBytes { ptr, len, .. } => [ptr, len].into_iter().for_each($visit),
            Inst::Builtin { args, .. } => args.$iter().for_each($visit),
            Inst::SetJmp { buf } => $visit(buf),
            Inst::Debug { value, .. } => $visit(value),
        }
    };
}

/// The operands of a terminator, by reference or by mutable reference.
macro_rules! term_operands {
    ($this:expr, $visit:ident, $iter:ident) => {
        match $this {
            Terminator::Jump { args, .. } => args.$iter().for_each($visit),
            Terminator::Branch { cond, then, other } => {
                $visit(cond);
                then.1.$iter().chain(other.1.$iter()).for_each($visit);
            }
            Terminator::Switch { value, cases, default } => {
                $visit(value);
                cases.$iter().flat_map(|c| c.2.$iter()).chain(default.1.$iter()).for_each($visit);
            }
            Terminator::IndirectJump { value, .. } => $visit(value),
            Terminator::Return { values } => values.$iter().for_each($visit),
            Terminator::Exit { status } | Terminator::Halt { status } => $visit(status),
            Terminator::LongJmp { buf, value } => [buf, value].into_iter().for_each($visit),
            Terminator::Unreachable => {}
        }
    };
}

impl Inst {
    /// Calls `visit` for every value the instruction reads.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Value)) {
        let mut visit = |v: &Value| visit(*v);
        inst_operands!(self, visit, iter)
    }

    /// Calls `visit` with every operand, to read or to replace it.
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut Value)) {
        inst_operands!(self, visit, iter_mut, mut)
    }

    /// Whether another thread may run in front of it (outside of atomic sections).
    pub fn is_visible_point(&self) -> bool {
        match self {
            Inst::CheckMem(check) => check.access.is_visible(),
            Inst::Builtin { op, .. } => *op == Builtin::Thread(ThreadOp::Switch),
            _ => false,
        }
    }

    /// The pointer that it calls through.
    pub fn called_pointer(&self) -> Option<Value> {
        match self {
            Inst::Call(site) => match site.target {
                Target::Pointer(p) => Some(p),
                Target::Func(_) => None,
            },
            _ => None,
        }
    }

    /// The properties that it can violate.
    pub fn properties(&self) -> Vec<PropertyId> {
        self.all_properties().into_iter().filter(|p| p.unasked_kind().is_none()).collect()
    }

    /// Kinds that are switched off and whose violation here would leave nothing known.
    pub fn unasked(&self) -> Vec<CheckKind> {
        self.all_properties().into_iter().filter_map(PropertyId::unasked_kind).collect()
    }

    fn all_properties(&self) -> Vec<PropertyId> {
        match self {
            Inst::Check { property, .. } => vec![*property],
            Inst::CheckMem(check) => check.properties.iter().map(|(_, p)| *p).collect(),
            Inst::Call(site) => site.properties.iter().map(|(_, p)| *p).collect(),
            Inst::HeapAlloc { leak, .. } => leak.iter().copied().collect(),
            Inst::Await { property, .. } => property.iter().copied().collect(),
            _ => Vec::new(),
        }
    }
}

impl Terminator {
    /// The blocks control can go to next, with the values passed.
    pub fn successors(&self) -> Vec<(Block, &[Value])> {
        match self {
            Terminator::Jump { to, args } => vec![(*to, args)],
            Terminator::Branch { then, other, .. } => vec![(then.0, &then.1), (other.0, &other.1)],
            Terminator::Switch { cases, default, .. } => {
                let mut out: Vec<(Block, &[Value])> = cases.iter().map(|(_, b, a)| (*b, a.as_slice())).collect();
                out.push((default.0, &default.1));
                out
            }
            Terminator::IndirectJump { targets, .. } => targets.iter().map(|b| (*b, [].as_slice())).collect(),
            Terminator::Return { .. }
            | Terminator::Exit { .. }
            | Terminator::Halt { .. }
            | Terminator::LongJmp { .. }
            | Terminator::Unreachable => Vec::new(),
        }
    }

    /// Calls `visit` with every block control can go to next, in the order of `successors`.
    pub fn for_each_successor(&self, mut visit: impl FnMut(Block)) {
        match self {
            Terminator::Jump { to, .. } => visit(*to),
            Terminator::Branch { then, other, .. } => {
                visit(then.0);
                visit(other.0);
            }
            Terminator::Switch { cases, default, .. } => {
                cases.iter().for_each(|case| visit(case.1));
                visit(default.0);
            }
            Terminator::IndirectJump { targets, .. } => targets.iter().for_each(|to| visit(*to)),
            Terminator::Return { .. }
            | Terminator::Exit { .. }
            | Terminator::Halt { .. }
            | Terminator::LongJmp { .. }
            | Terminator::Unreachable => {}
        }
    }

    /// Calls `visit` with every value the terminator reads, arguments of blocks included.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Value)) {
        let mut visit = |v: &Value| visit(*v);
        term_operands!(self, visit, iter)
    }

    /// The same, to read or to replace them.
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut Value)) {
        term_operands!(self, visit, iter_mut)
    }
}

impl Terminator {
    /// Calls `visit` with every edge that can pass arguments, in the order of `successors`.
    pub fn for_each_edge_mut(&mut self, mut visit: impl FnMut(&mut Block, &mut Vec<Value>)) {
        match self {
            Terminator::Jump { to, args } => visit(to, args),
            Terminator::Branch { then, other, .. } => {
                visit(&mut then.0, &mut then.1);
                visit(&mut other.0, &mut other.1);
            }
            Terminator::Switch { cases, default, .. } => {
                for (_, to, args) in cases {
                    visit(to, args);
                }
                visit(&mut default.0, &mut default.1);
            }
            Terminator::IndirectJump { .. }
            | Terminator::Return { .. }
            | Terminator::Exit { .. }
            | Terminator::Halt { .. }
            | Terminator::LongJmp { .. }
            | Terminator::Unreachable => {}
        }
    }
}

/// The type an access at an instruction has: that of the loaded or stored value.
pub type AccessType = Type;
