//! Simplification of control flow: fewer blocks, the same executions.
//!
//! Loops keep their heads: a block that a back edge goes to is never bypassed, since that could make one loop of two, and
//! bounds count the iterations of each.

use super::util::{Subst, def_inst, invert};
use crate::cfg::Cfg;
use crate::func::{Block, Const, Func, FuncBuilder, Value};
use crate::inst::{CastOp, CmpOp, Inst, InstId, Terminator};
use crate::program::TargetInfo;
use crate::types::Type;
use blitz_base::Bv;
use blitz_base::span::Loc;

/// Makes a switch of each indirect jump: a block's address is a number, and a switch can pass arguments.
pub fn expand_indirect_jumps(b: &mut FuncBuilder, target: TargetInfo) {
    for block in b.func.block_ids() {
        let Terminator::IndirectJump { value, targets } = b.func.block(block).term.clone() else {
            continue;
        };
        let loc = b.func.block(block).loc;
        let word = Type::Int(target.ptr_bits);
        let number = match b.func.ty(value) {
            Type::Ptr => b.push1(block, Inst::Cast { op: CastOp::PtrToInt, arg: value }, word, loc),
            Type::Int(_) | Type::Float(_) => value,
        };
        let mut targets = targets;
        targets.sort_unstable();
        targets.dedup();
        let address = |to: Block| Bv::from_u64(target.ptr_bits, u64::from(to.0) + 1);
        let cases = targets.into_iter().map(|to| (address(to), to, Vec::new())).collect();
        let nowhere = b.block();
        b.terminate(block, Terminator::Switch { value: number, cases, default: (nowhere, Vec::new()) }, loc);
    }
}

/// Branches to a block that only fails become checks; empty blocks are bypassed; straight lines become one block.
pub fn run(b: &mut FuncBuilder) -> bool {
    let branches = checks_for_branches(b);
    let bypassed = bypass_empty(&mut b.func);
    let merged = merge_lines(&mut b.func);
    branches | bypassed | merged
}

/// A branch whose one side is nothing but a check of 0 is a check of its condition.
fn checks_for_branches(b: &mut FuncBuilder) -> bool {
    let fails: Vec<Option<InstId>> = b.func.block_ids().map(|block| only_fails(&b.func, block)).collect();
    let mut changed = false;
    for block in b.func.block_ids() {
        let Terminator::Branch { cond, then, other } = &b.func.block(block).term else {
            continue;
        };
        let (cond, then, other) = (*cond, then.clone(), other.clone());
        let loc = b.func.block(block).loc;
        let (check, cond, to) = if let Some(check) = fails[other.0.index()] {
            (check, cond, then)
        } else if let Some(check) = fails[then.0.index()] {
            let cond = negated(b, block, cond, loc);
            (check, cond, other)
        } else {
            continue;
        };
        let data = b.func.inst(check);
        let (Inst::Check { property, .. }, at) = (data.inst.clone(), data.loc) else {
            continue;
        };
        b.push0(block, Inst::Check { cond, property }, at);
        b.terminate(block, Terminator::Jump { to: to.0, args: to.1 }, loc);
        changed = true;
    }
    changed
}

/// The check of a block that consists of a check of 0.
fn only_fails(func: &Func, block: Block) -> Option<InstId> {
    let data = func.block(block);
    let (&[i], Terminator::Unreachable) = (data.insts.as_slice(), &data.term) else {
        return None;
    };
    let Inst::Check { cond, property } = func.inst(i).inst else {
        return None;
    };
    // Behind a check that nobody asked for executions may go on: not into the other side.
    if property.unasked_kind().is_some() {
        return None;
    }
    let zero = matches!(func.as_const(cond), Some(Const::Bits(bits)) if bits.is_zero());
    (zero && block != Func::ENTRY).then_some(i)
}

fn negated(b: &mut FuncBuilder, block: Block, cond: Value, loc: Loc) -> Value {
    let inst = match def_inst(&b.func, cond) {
        Some(Inst::Compare { op, lhs, rhs }) => Inst::Compare { op: invert(*op), lhs: *lhs, rhs: *rhs },
        _ => Inst::Compare { op: CmpOp::Eq, lhs: cond, rhs: b.int(1, 0) },
    };
    b.push1(block, inst, Type::BOOL, loc)
}

/// Sends edges to a block that only jumps on to where it jumps.
fn bypass_empty(func: &mut Func) -> bool {
    let cfg = Cfg::new(func);
    let outside = used_elsewhere(func);
    let mut forward: Vec<Option<(Block, Vec<Value>)>> = vec![None; func.blocks.len()];
    for &block in cfg.rpo().iter().rev() {
        let at = cfg.rpo_pos(block);
        let head = cfg.predecessors(block).iter().any(|&p| cfg.rpo_pos(p) >= at);
        let data = func.block(block);
        let private = !data.params.iter().any(|p| outside[p.index()]);
        if let Terminator::Jump { to, args } = &data.term
            && data.insts.is_empty()
            && block != Func::ENTRY
            && !head
            && private
        {
            let (mut to, mut args) = (*to, args.clone());
            resolve(func, &forward, &mut to, &mut args);
            forward[block.index()] = Some((to, args));
        }
    }
    if forward.iter().all(Option::is_none) {
        return false;
    }
    for block in func.block_ids() {
        let mut term = std::mem::replace(&mut func.blocks[block.index()].term, Terminator::Unreachable);
        term.for_each_edge_mut(|to, args| resolve(func, &forward, to, args));
        func.blocks[block.index()].term = term;
    }
    for (i, to) in forward.iter().enumerate() {
        if to.is_some() {
            func.blocks[i].term = Terminator::Unreachable;
        }
    }
    true
}

/// Follows an edge through a block that is bypassed. What that one forwards to is never bypassed itself.
fn resolve(func: &Func, forward: &[Option<(Block, Vec<Value>)>], to: &mut Block, args: &mut Vec<Value>) {
    let Some((next, passed)) = &forward[to.index()] else {
        return;
    };
    let params = &func.block(*to).params;
    let new = passed.iter().map(|v| params.iter().position(|p| p == v).map_or(*v, |n| args[n])).collect();
    *to = *next;
    *args = new;
}

/// By value: whether it is used in another place than what its own block passes on.
pub fn used_elsewhere(func: &Func) -> Vec<bool> {
    use crate::func::ValueDef;
    let mut used = vec![false; func.values.len()];
    for block in func.block_ids() {
        for &i in &func.block(block).insts {
            func.inst(i).inst.for_each_operand(|v| used[v.index()] = true);
        }
        func.block(block).term.for_each_operand(|v| {
            let own = matches!(func.values[v.index()].def, ValueDef::Param(of, _) if of == block);
            used[v.index()] |= !own;
        });
    }
    used
}

/// Appends a block to the only one that jumps to it.
fn merge_lines(func: &mut Func) -> bool {
    let cfg = Cfg::new(func);
    for block in func.block_ids().filter(|&b| !cfg.is_reachable(b)) {
        func.blocks[block.index()].term = Terminator::Unreachable;
    }
    let mut subst = Subst::default();
    let mut gone = vec![false; func.blocks.len()];
    let mut changed = false;
    for &block in cfg.rpo() {
        if gone[block.index()] {
            continue;
        }
        while let Terminator::Jump { to, args } = &func.blocks[block.index()].term {
            let to = *to;
            let entries = cfg.predecessors(to).iter().filter(|&&p| cfg.is_reachable(p));
            let lonely = entries.take(2).count() == 1;
            if !lonely || to == block || to == Func::ENTRY {
                break;
            }
            let args = args.clone();
            let next = &mut func.blocks[to.index()];
            for (&param, &arg) in next.params.iter().zip(&args) {
                subst.set(param, arg);
            }
            let insts = std::mem::take(&mut next.insts);
            let term = std::mem::replace(&mut next.term, Terminator::Unreachable);
            let loc = next.loc;
            next.params.clear();
            gone[to.index()] = true;
            changed = true;
            let here = &mut func.blocks[block.index()];
            here.insts.extend(insts);
            here.term = term;
            here.loc = loc;
        }
    }
    subst.apply(func);
    changed
}
