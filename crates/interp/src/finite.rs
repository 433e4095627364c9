//! Inputs of which an exploration needs a few values only, because the program does no more than compare them with constants.
//!
//! `if (nondet())` and `switch (nondet())` tell few values apart: between two neighbouring constants all comparisons come out the same, signed or not. One value of each
//! interval stands for all; values of up to eight bits are taken one by one. Anything else that is done with an input (arithmetic, a store, an argument) makes each value count.

use blitz_base::Bv;
use blitz_ir::{CmpOp, Const, Func, Inst, InstId, Terminator, Type, Value};
use std::collections::BTreeSet;

/// Inputs up to this width are taken value by value.
const MAX_LISTED_BITS: u16 = 8;

/// The values that stand for all, if these are few.
pub fn values(func: &Func, inst: InstId) -> Option<Vec<u64>> {
    let [input] = func.inst(inst).results[..] else { return None };
    let Type::Int(bits @ 1..=64) = func.ty(input) else { return None };
    if bits <= MAX_LISTED_BITS {
        return Some((0..1u64 << bits).collect());
    }
    let mask = u64::MAX >> (64 - u32::from(bits));
    let sign = 1u64 << (bits - 1);
    let mut borders = BTreeSet::from([0, sign]);
    for b in func.block_ids() {
        for &i in &func.block(b).insts {
            borders.extend(compared(func, &func.inst(i).inst, input)?);
        }
        let term = &func.block(b).term;
        match term {
            Terminator::Switch { value, cases, .. } if *value == input => {
                borders.extend(cases.iter().filter_map(|(c, _, _)| c.to_u64()));
                let mut args = term.successors().into_iter().flat_map(|(_, args)| args.iter());
                if args.any(|&v| v == input) {
                    return None;
                }
            }
            _ => {
                let mut used = false;
                term.for_each_operand(|v| used |= v == input);
                if used {
                    return None;
                }
            }
        }
    }
    let around = |c: u64| [c.wrapping_sub(1) & mask, c, c.wrapping_add(1) & mask];
    let out: BTreeSet<u64> = borders.into_iter().flat_map(around).collect();
    Some(out.into_iter().collect())
}

/// The constants that an instruction compares a value with; none of them if it does something else with it.
fn compared(func: &Func, inst: &Inst, input: Value) -> Option<Vec<u64>> {
    let mut used = false;
    inst.for_each_operand(|v| used |= v == input);
    let constant = |v: Value| match func.as_const(v)? {
        Const::Bits(bits) => Bv::to_u64(bits),
        Const::Null | Const::Global(..) | Const::Func(_) | Const::Undef => None,
    };
    match inst {
        _ if !used => Some(Vec::new()),
        Inst::Debug { .. } => Some(Vec::new()),
        Inst::Compare { op, lhs, rhs } if is_of_integers(*op) => {
            let other = if *lhs == input { *rhs } else { *lhs };
            constant(other).map(|c| vec![c])
        }
        _ => None,
    }
}

fn is_of_integers(op: CmpOp) -> bool {
    matches!(
        op,
        CmpOp::Eq
            | CmpOp::Ne
            | CmpOp::Ult
            | CmpOp::Ule
            | CmpOp::Ugt
            | CmpOp::Uge
            | CmpOp::Slt
            | CmpOp::Sle
            | CmpOp::Sgt
            | CmpOp::Sge
    )
}
