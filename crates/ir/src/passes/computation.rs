//! What makes two computations the same: operation, operands and type.

use super::util::is_undef;
use crate::func::{Func, Value};
use crate::inst::{BinOp, CastOp, CmpOp, Extent, Inst, OverflowOp, UnOp};
use crate::types::Type;

/// A computation whose result depends on its operands only.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Computation {
    op: Op,
    args: [Value; 3],
    ty: Type,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Op {
    Unary(UnOp),
    Binary(BinOp),
    Compare(CmpOp),
    Overflow(OverflowOp),
    Cast(CastOp),
    Select,
    FusedMulAdd,
    PtrAdd(Option<Extent>),
}

impl Computation {
    /// `None` if it depends on more than its operands, or on `undef`, which may differ each time.
    pub fn new(func: &Func, inst: &Inst, ty: Type) -> Option<Self> {
        let (op, args) = match *inst {
            Inst::Unary { op, arg } => (Op::Unary(op), [arg; 3]),
            Inst::Binary { op, lhs, rhs } => (Op::Binary(op), [lhs, rhs, rhs]),
            Inst::Compare { op, lhs, rhs } => (Op::Compare(op), [lhs, rhs, rhs]),
            Inst::Overflow { op, lhs, rhs } => (Op::Overflow(op), [lhs, rhs, rhs]),
            Inst::Cast { op, arg } => (Op::Cast(op), [arg; 3]),
            Inst::Select { cond, then, other } => (Op::Select, [cond, then, other]),
            Inst::FusedMulAdd { x, y, z } => (Op::FusedMulAdd, [x, y, z]),
            Inst::PtrAdd { base, offset, extent } => (Op::PtrAdd(extent), [base, offset, offset]),
            _ => return None,
        };
        let plain = !args.iter().any(|&v| is_undef(func, v));
        plain.then_some(Self { op, args, ty })
    }
}
