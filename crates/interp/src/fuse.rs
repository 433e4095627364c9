//! Which instructions of a block melt into their neighbour's operation.
//!
//! A guard in front of the very access it guards needs no operation: the access tests its bounds anyway, and asks the
//! guard's instruction when they fail. A shadow that is only compared with 0 for a check becomes one operation,
//! and so does a comparison that only decides a branch.

use blitz_ir::{AccessKind, BlockData, CmpOp, Const, Func, Inst, InstId, MemCheck, Terminator, Type, Value, ValueDef};

/// What happens to the instructions of one block.
pub struct Plan {
    /// By position in the block.
    pub steps: Vec<Step>,
    /// The comparison the block's branch does itself.
    pub branch: Option<InstId>,
}

/// What becomes of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// An operation of its own.
    Plain,
    /// Nothing: a later operation does its work.
    Melted,
    /// An access that also stands for this guard.
    Guarded(InstId),
    /// A check on this shadow load, which was melted.
    Shadow(InstId),
}

/// How often each value is used, up to 255.
pub fn use_counts(func: &Func) -> Vec<u8> {
    let mut counts = vec![0u8; func.values.len()];
    let mut count = |v: Value| counts[v.index()] = counts[v.index()].saturating_add(1);
    for inst in &func.insts {
        if !matches!(inst.inst, Inst::Debug { .. }) {
            inst.inst.for_each_operand(&mut count);
        }
    }
    for block in &func.blocks {
        block.term.for_each_operand(&mut count);
    }
    counts
}

/// Plans a block.
pub fn plan(func: &Func, block: &BlockData, counts: &[u8], ptr_bits: u16) -> Plan {
    let mut steps = vec![Step::Plain; block.insts.len()];
    for at in 0..block.insts.len() {
        if let Inst::CheckMem(check) = &func.inst(block.insts[at]).inst {
            melt_guard(func, block, at, check, ptr_bits, &mut steps);
        }
    }
    for at in 2..block.insts.len() {
        melt_shadow(func, block, at, counts, ptr_bits, &mut steps);
    }
    let branch = melted_compare(func, block, counts, ptr_bits);
    if branch.is_some()
        && let Some(last) = last_real(func, block)
    {
        steps[last] = Step::Melted;
    }
    Plan { steps, branch }
}

fn last_real(func: &Func, block: &BlockData) -> Option<usize> {
    (0..block.insts.len()).rev().find(|&i| !matches!(func.inst(block.insts[i]).inst, Inst::Debug { .. }))
}

fn const_u64(func: &Func, v: Value) -> Option<u64> {
    match func.as_const(v)? {
        Const::Bits(b) => b.to_u64(),
        Const::Null | Const::Global(..) | Const::Func(_) | Const::Undef => None,
    }
}

/// A guard whose access comes next.
fn melt_guard(func: &Func, block: &BlockData, at: usize, check: &MemCheck, ptr_bits: u16, steps: &mut [Step]) {
    let Some(size) = const_u64(func, check.size) else { return };
    let next = (at + 1..block.insts.len()).find(|&i| !matches!(func.inst(block.insts[i]).inst, Inst::Debug { .. }));
    let Some(next) = next else { return };
    let data = func.inst(block.insts[next]);
    let access = match &data.inst {
        Inst::Load { ptr } | Inst::LoadShadow { ptr } if check.access == AccessKind::Read => {
            Some((*ptr, func.ty(data.results[0])))
        }
        Inst::Store { ptr, value } | Inst::StoreShadow { ptr, shadow: value } if check.access == AccessKind::Write => {
            Some((*ptr, func.ty(*value)))
        }
        _ => None,
    };
    let Some((ptr, ty)) = access else { return };
    if ptr == check.ptr && ty.bytes(ptr_bits) == size && fast_access(ty, ptr_bits) {
        steps[at] = Step::Melted;
        steps[next] = Step::Guarded(block.insts[at]);
    }
}

/// Whether an access of this type has an operation of its own.
pub fn fast_access(ty: Type, ptr_bits: u16) -> bool {
    matches!(ty.bytes(ptr_bits), 1 | 2 | 4) || ty.bits(ptr_bits) == 64
}

/// `s = loadshadow p; c = s == 0; check c`, with `s` and `c` used nowhere else.
fn melt_shadow(func: &Func, block: &BlockData, at: usize, counts: &[u8], ptr_bits: u16, steps: &mut [Step]) {
    let Inst::Check { cond, .. } = func.inst(block.insts[at]).inst else { return };
    let Inst::Compare { op: CmpOp::Eq, lhs, rhs } = func.inst(block.insts[at - 1]).inst else { return };
    let load = block.insts[at - 2];
    let data = func.inst(load);
    let Inst::LoadShadow { .. } = data.inst else { return };
    let (shadow, compared) = (data.results[0], func.inst(block.insts[at - 1]).results[0]);
    let chain = compared == cond && lhs == shadow && const_u64(func, rhs) == Some(0);
    let alone = counts[shadow.index()] == 1 && counts[compared.index()] == 1;
    let unguarded = steps[at - 2] == Step::Plain;
    if chain && alone && unguarded && fast_access(func.ty(shadow), ptr_bits) {
        steps[at - 2] = Step::Melted;
        steps[at - 1] = Step::Melted;
        steps[at] = Step::Shadow(load);
    }
}

/// The comparison right in front of the branch that is its only user.
fn melted_compare(func: &Func, block: &BlockData, counts: &[u8], ptr_bits: u16) -> Option<InstId> {
    let Terminator::Branch { cond, .. } = block.term else { return None };
    let ValueDef::Inst(inst, _) = func.values[cond.index()].def else { return None };
    let last = last_real(func, block)?;
    let Inst::Compare { op, lhs, .. } = func.inst(inst).inst else { return None };
    let fits = func.ty(lhs).bits(ptr_bits) <= 64 && !op.is_float();
    (block.insts[last] == inst && counts[cond.index()] == 1 && fits).then_some(inst)
}
