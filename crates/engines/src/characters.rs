//! The characters that a function knows: those that it compares something with, and the cases of its switches.

use blitz_ir::{CmpOp, Const, Func, Inst, Terminator, Value, ValueDef};
use std::collections::BTreeSet;

/// The printable characters that a function tells from others.
pub(crate) fn characters(func: &Func) -> BTreeSet<u8> {
    let mut found = BTreeSet::new();
    let mut add = |n: Option<u64>| found.extend(n.and_then(|n| u8::try_from(n).ok()).filter(u8::is_ascii_graphic));
    for data in &func.insts {
        if let Inst::Compare { op: CmpOp::Eq | CmpOp::Ne, lhs, rhs } = data.inst {
            add(constant(func, lhs));
            add(constant(func, rhs));
        }
    }
    for block in &func.blocks {
        if let Terminator::Switch { cases, .. } = &block.term {
            cases.iter().for_each(|(n, ..)| add(n.to_u64()));
        }
    }
    found
}

/// A value that is a constant number.
pub(crate) fn constant(func: &Func, v: Value) -> Option<u64> {
    match &func.values[v.index()].def {
        ValueDef::Const(Const::Bits(bits)) => bits.to_u64(),
        ValueDef::Const(_) | ValueDef::Param(..) | ValueDef::Inst(..) => None,
    }
}
