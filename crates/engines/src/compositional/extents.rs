//! How often a loop has to run before it overruns what it fills: the sizes that the checks of a function themselves name.
//!
//! A loop that writes one element after the other leaves an array of N elements in iteration N + 1. Growing a bound by a factor either stops short of that
//! or goes far beyond, and conditions grow with the bound. So the sizes of what is indexed are bounds of their own. Only a proposal: they order what is searched.

use super::obligation::Group;
use super::world::sites;
use crate::tuning::{MAX_BOUND, MAX_EXTENTS};
use blitz_ir::{Block, CmpOp, Const, Func, FuncId, Inst, InstId, Program, Value, ValueDef};
use std::collections::BTreeSet;

/// Bounds at which a loop overruns what the checks of a group are about: the smallest ones.
pub(super) fn bounds(program: &Program, func: FuncId, group: &Group) -> Vec<u32> {
    let Some(body) = program.body(func) else { return Vec::new() };
    let all = group.iter().flat_map(|p| sites(program, func, *p));
    let extents: BTreeSet<u64> = all.flat_map(|site| extents(program, body, site)).collect();
    let bounds = extents.into_iter().filter_map(|n| u32::try_from(n + 1).ok()).filter(|b| *b <= MAX_BOUND);
    bounds.take(MAX_EXTENTS).collect()
}

/// The elements of what one instruction checks.
fn extents(program: &Program, body: &Func, site: InstId) -> Vec<u64> {
    match &body.inst(site).inst {
        Inst::Check { cond, .. } => index_limit(body, *cond).into_iter().collect(),
        Inst::CheckMem(check) => {
            let width = constant(body, check.size).filter(|w| *w > 0);
            let objects = objects(program, body, check.ptr);
            width.map_or_else(Vec::new, |w| objects.into_iter().map(|size| size / w).collect())
        }
        // What a library function overruns is no loop of this one.
        _ => Vec::new(),
    }
}

/// N of a check for `index < N`.
fn index_limit(body: &Func, cond: Value) -> Option<u64> {
    match defining(body, cond)? {
        Inst::Compare { op: CmpOp::Ult, rhs, .. } => constant(body, *rhs),
        _ => None,
    }
}

/// The sizes of the objects that a pointer begins in, as far as the function itself says: followed back over offsets and joins.
fn objects(program: &Program, body: &Func, ptr: Value) -> BTreeSet<u64> {
    let (mut open, mut seen, mut out) = (vec![ptr], BTreeSet::new(), BTreeSet::new());
    while let Some(v) = open.pop() {
        if !seen.insert(v) {
            continue;
        }
        match &body.values[v.index()].def {
            ValueDef::Const(Const::Global(g, _)) => out.extend(Some(program.globals[g.index()].size)),
            ValueDef::Const(_) => {}
            ValueDef::Inst(inst, _) => match &body.inst(*inst).inst {
                Inst::PtrAdd { base, .. } => open.push(*base),
                Inst::Select { then, other, .. } => open.extend([*then, *other]),
                Inst::Alloca { size, .. } => out.extend(constant(body, *size)),
                _ => {}
            },
            ValueDef::Param(block, n) => open.extend(passed(body, *block, *n)),
        }
    }
    out
}

/// What the n-th parameter of a block is given.
fn passed(body: &Func, block: Block, n: u32) -> Vec<Value> {
    let ways = body.block_ids().flat_map(|b| body.block(b).term.successors());
    ways.filter(|(to, _)| *to == block).filter_map(|(_, args)| args.get(n as usize).copied()).collect()
}

fn defining(body: &Func, v: Value) -> Option<&Inst> {
    match body.values[v.index()].def {
        ValueDef::Inst(inst, _) => Some(&body.inst(inst).inst),
        ValueDef::Param(..) | ValueDef::Const(_) => None,
    }
}

fn constant(body: &Func, v: Value) -> Option<u64> {
    match body.as_const(v)? {
        Const::Bits(bits) => bits.to_u64(),
        Const::Null | Const::Global(..) | Const::Func(_) | Const::Undef => None,
    }
}
