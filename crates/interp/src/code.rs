//! Register code: what a function is translated into, once.
//!
//! An operand is a slot of the frame. The first slots of a frame hold the function's constants, then come its values.
//! Only what is frequent has an operation of its own; everything else is `Op::Slow`, which looks at the
//! IR instruction the operation comes from.

use crate::config::TraceLevel;
use crate::live::Needs;
use crate::translate;
use blitz_base::Bv;
use blitz_ir::{Block, Func, FuncId, InstId, Program, Signature, Target, Type};
use std::cell::OnceCell;

/// A slot of the frame.
pub type Slot = u32;

/// An operation. `d` is written, `a`, `b` are read; `sh` is 64 minus the width of the result or the operands.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    /// A block begins: that many instructions are about to be executed.
    Steps(u32),
    Mov {
        d: Slot,
        s: Slot,
    },
    Add {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Sub {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Mul {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    UDiv {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    SDiv {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    URem {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    SRem {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Shl {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    LShr {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    AShr {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    And {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    UMin {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    UMax {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    SMin {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    SMax {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Eq {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Ne {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Ult {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Ule {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Slt {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    Sle {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    SAddO {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    UAddO {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    SSubO {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    USubO {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    SMulO {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    UMulO {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// Cuts to the width.
    Trunc {
        sh: u8,
        d: Slot,
        a: Slot,
    },
    /// From the width of `from` to that of `sh`.
    SExt {
        sh: u8,
        from: u8,
        d: Slot,
        a: Slot,
    },
    Select {
        d: Slot,
        c: Slot,
        a: Slot,
        b: Slot,
    },
    FAdd {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    FSub {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    FMul {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    FDiv {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    FLt {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    FLe {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    FEq {
        d: Slot,
        a: Slot,
        b: Slot,
    },
    PtrAdd {
        sh: u8,
        d: Slot,
        a: Slot,
        b: Slot,
    },
    /// `size` is a slot, `lives` and the name come from the instruction.
    Alloca {
        d: Slot,
        size: Slot,
    },
    Load8 {
        sh: u8,
        d: Slot,
        p: Slot,
    },
    Load16 {
        sh: u8,
        d: Slot,
        p: Slot,
    },
    Load32 {
        sh: u8,
        d: Slot,
        p: Slot,
    },
    Load64 {
        d: Slot,
        p: Slot,
    },
    Store8 {
        p: Slot,
        s: Slot,
    },
    Store16 {
        p: Slot,
        s: Slot,
    },
    Store32 {
        p: Slot,
        s: Slot,
    },
    Store64 {
        p: Slot,
        s: Slot,
    },
    /// Of at most 8 bytes.
    LoadShadow {
        bytes: u8,
        sh: u8,
        d: Slot,
        p: Slot,
    },
    StoreShadow {
        bytes: u8,
        p: Slot,
        s: Slot,
    },
    /// Fails unless the shadow of the bytes is clear: a `LoadShadow` only used by a check.
    CheckShadow {
        bytes: u8,
        sh: u8,
        p: Slot,
    },
    Check {
        c: Slot,
    },
    /// Fails unless `size` bytes can be read.
    CheckRead {
        p: Slot,
        size: Slot,
    },
    CheckWrite {
        p: Slot,
        size: Slot,
    },
    Jump {
        to: u32,
    },
    Branch {
        c: Slot,
        then: u32,
        other: u32,
    },
    /// Branches on `a == b`, on `a < b` and so on: a comparison only used by the branch behind it.
    BranchEq {
        a: Slot,
        b: Slot,
        then: u32,
        other: u32,
    },
    BranchUlt {
        a: Slot,
        b: Slot,
        then: u32,
        other: u32,
    },
    BranchSlt {
        sh: u8,
        a: Slot,
        b: Slot,
        then: u32,
        other: u32,
    },
    Switch {
        value: Slot,
        table: u32,
    },
    Call {
        info: u32,
    },
    Return {
        info: u32,
    },
    /// Anything else: see the instruction or terminator it comes from.
    Slow,
    /// Records what the instruction does; only in code made for tracing.
    Trace,
    /// Records which way a branch goes.
    TraceBranch {
        c: Slot,
    },
    /// A check is reached; only in code made for explorations, like the next one.
    Reach,
    /// A library model is about to access memory.
    Touch,
    /// A value that may be one that nobody has set is about to be used for more than to be handed on.
    NeedsSet {
        s: Slot,
    },
    /// A value was stored that may be one that nobody has set.
    Unset {
        bytes: u8,
        p: Slot,
        s: Slot,
    },
    /// Bytes are about to be loaded.
    Watch {
        bytes: u8,
        p: Slot,
    },
}

/// The instruction or the terminator an operation comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin(pub u32);

/// What an [`Origin`] stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum From {
    Inst(InstId),
    Term(Block),
}

impl Origin {
    pub fn inst(i: InstId) -> Self {
        assert!(i.0 < 1 << 31, "instruction id should fit in 31 bits");
        Origin(i.0)
    }

    pub fn term(b: Block) -> Self {
        Origin(b.0 | 1 << 31)
    }

    pub fn get(self) -> From {
        if self.0 >> 31 == 0 { From::Inst(InstId(self.0)) } else { From::Term(Block(self.0 & !(1 << 31))) }
    }
}

/// A value's slots and width.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    pub slot: Slot,
    pub bits: u16,
    pub ty: Type,
}

impl Operand {
    /// 64-bit slots it takes.
    pub fn slots(self) -> u32 {
        u32::from(self.bits).div_ceil(64)
    }
}

/// A call as the code needs it.
#[derive(Clone, Debug)]
pub struct CallInfo {
    pub target: Target,
    /// The slot of the function pointer, for a call through one.
    pub pointer: Slot,
    /// As what the function is called, for a call through a pointer.
    pub signature: Option<Signature>,
    pub args: Vec<Operand>,
    pub results: Vec<Operand>,
}

/// A switch: where to go by value.
#[derive(Clone, Debug)]
pub enum Table {
    /// From `first` on, one target each.
    Dense {
        first: u64,
        to: Vec<u32>,
        default: u32,
    },
    /// Sorted by value.
    Sparse {
        cases: Vec<(u64, u32)>,
        default: u32,
    },
    Wide {
        value: Operand,
        cases: Vec<(Bv, u32)>,
        default: u32,
    },
    /// A block's address is 1 + its index.
    Blocks {
        to: Vec<u32>,
    },
}

impl Op {
    /// Whether control leaves the function, or goes elsewhere in it.
    pub fn leaves(&self) -> bool {
        matches!(self, Op::Call { .. } | Op::Jump { .. } | Op::Branch { .. } | Op::Switch { .. } | Op::Return { .. })
    }
}

/// The code of a function.
pub struct Code<'p> {
    pub id: FuncId,
    pub func: &'p Func,
    pub model: bool,
    pub variadic: bool,
    pub ops: Vec<Op>,
    /// Parallel to `ops`.
    pub origins: Vec<Origin>,
    /// Contents of the first slots.
    pub consts: Vec<u64>,
    pub frame_slots: u32,
    pub params: Vec<Operand>,
    /// By value.
    pub operands: Vec<Operand>,
    pub calls: Vec<CallInfo>,
    pub returns: Vec<Vec<Operand>>,
    pub tables: Vec<Table>,
    /// Where each block begins.
    pub starts: Vec<u32>,
    /// For explorations.
    pub needs: OnceCell<Needs>,
    /// For explorations: by value, whether it is only handed on.
    pub handed_on: Vec<bool>,
}

impl Code<'_> {
    /// Which slots are still read where.
    pub fn needs(&self) -> &Needs {
        self.needs.get_or_init(|| Needs::new(self.func))
    }
}

/// The code of all functions, each made when it is first called.
pub struct Codes<'p> {
    program: &'p Program,
    trace: TraceLevel,
    explored: bool,
    codes: Vec<OnceCell<Option<Box<Code<'p>>>>>,
}

impl<'p> Codes<'p> {
    pub fn new(program: &'p Program, trace: TraceLevel) -> Self {
        Self { program, trace, explored: false, codes: program.funcs.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Code that tells an exploration which checks are reached and what is loaded.
    pub fn explored(program: &'p Program) -> Self {
        Self { explored: true, ..Self::new(program, TraceLevel::None) }
    }

    pub fn trace(&self) -> TraceLevel {
        self.trace
    }

    /// The code of a function, if it has a body.
    #[inline]
    pub fn get(&self, f: FuncId) -> Option<&Code<'p>> {
        self.codes[f.index()]
            .get_or_init(|| {
                let func = self.program.body(f)?;
                Some(Box::new(translate::translate(self.program, f, func, self.trace, self.explored)))
            })
            .as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_stay_small() {
        assert_eq!(size_of::<Op>(), 20);
    }

    #[test]
    fn an_origin_tells_instructions_from_terminators() {
        assert_eq!(Origin::inst(InstId(7)).get(), From::Inst(InstId(7)));
        assert_eq!(Origin::term(Block(7)).get(), From::Term(Block(7)));
    }
}
