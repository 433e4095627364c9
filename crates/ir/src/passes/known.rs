//! Which bits of a value can be set at all, seen from the few instructions that make it.
//!
//! Why: parts of aggregates that are kept in one integer are put together with shifts, masks and `or`, and taken apart with the
//! same; most of it cancels out. Approximates upwards: a bit that may be set is said to be set.

use super::util::{const_bits, def_inst};
use crate::func::{Func, Value};
use crate::inst::{BinOp, CastOp, Inst};
use crate::types::Type;
use blitz_base::Bv;

/// How many instructions deep to look.
const DEPTH: u32 = 4;

/// Whether no bit of `mask` can be set in a value.
pub fn never_set(func: &Func, v: Value, mask: &Bv) -> bool {
    may_be_set(func, v, DEPTH).and(mask).is_zero()
}

/// The one half of an `or` that can have bits inside `mask`.
pub fn half_in(func: &Func, v: Value, mask: &Bv) -> Option<Value> {
    let Some(&Inst::Binary { op: BinOp::Or, lhs, rhs }) = def_inst(func, v) else {
        return None;
    };
    if never_set(func, lhs, mask) {
        Some(rhs)
    } else if never_set(func, rhs, mask) {
        Some(lhs)
    } else {
        None
    }
}

/// The bits that can be 1.
fn may_be_set(func: &Func, v: Value, depth: u32) -> Bv {
    let Type::Int(width) = func.ty(v) else {
        unreachable!("only integers should be asked for");
    };
    if let Some(bits) = const_bits(func, v) {
        return bits.clone();
    }
    let all = Bv::ones(width);
    let (Some(inst), Some(depth)) = (def_inst(func, v), depth.checked_sub(1)) else {
        return all;
    };
    let of = |v: Value| may_be_set(func, v, depth);
    let constant = |v: Value| const_bits(func, v);
    match *inst {
        Inst::Binary { op: BinOp::And, lhs, rhs } => of(lhs).and(&of(rhs)),
        Inst::Binary { op: BinOp::Or | BinOp::Xor, lhs, rhs } => of(lhs).or(&of(rhs)),
        Inst::Binary { op: BinOp::Shl, lhs, rhs } => constant(rhs).map_or(all, |by| of(lhs).shl(by)),
        Inst::Binary { op: BinOp::LShr, lhs, rhs } => constant(rhs).map_or(all, |by| of(lhs).lshr(by)),
        Inst::Cast { op: CastOp::ZExt, arg } => of(arg).zext(width),
        Inst::Cast { op: CastOp::Trunc, arg } => of(arg).extract(width - 1, 0),
        Inst::Select { then, other, .. } => of(then).or(&of(other)),
        _ => all,
    }
}
