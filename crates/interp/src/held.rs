//! Which values the source variables of an open function hold at a point: what a debugger would show.
//!
//! A native program keeps them in its stack frame, where LeakSanitizer looks for pointers. For each variable the nearest
//! marker on the way up the dominator tree counts.

use crate::code::{Code, From};
use blitz_ir::{Block, Inst, InstId, Value, Var};
use std::collections::BTreeMap;

/// Values of pointer width that are held when execution stands at operation `pc`.
pub fn held(code: &Code, pc: u32, ptr_bits: u16) -> Vec<Value> {
    let func = code.func;
    let (mut block, mut upto) = match code.origins[pc as usize].get() {
        From::Inst(inst) => match position(code, inst) {
            Some(at) => at,
            None => return Vec::new(),
        },
        From::Term(b) => (b, func.block(b).insts.len()),
    };
    let idoms = immediate_dominators(code);
    let mut by_var: BTreeMap<Var, Value> = BTreeMap::new();
    loop {
        for &inst in func.block(block).insts[..upto].iter().rev() {
            if let Inst::Debug { var, value, indirect: false } = func.inst(inst).inst {
                by_var.entry(var).or_insert(value);
            }
        }
        match idoms[block.index()] {
            Some(up) if up != block => {
                block = up;
                upto = func.block(up).insts.len();
            }
            Some(_) | None => break,
        }
    }
    let mut values: Vec<Value> = by_var.into_values().collect();
    if let From::Inst(inst) = code.origins[pc as usize].get() {
        func.inst(inst).inst.for_each_operand(|v| values.push(v));
    }
    values.retain(|v| code.operands[v.index()].bits == ptr_bits);
    values
}

fn position(code: &Code, inst: InstId) -> Option<(Block, usize)> {
    code.func.block_ids().find_map(|b| {
        let at = code.func.block(b).insts.iter().position(|&i| i == inst)?;
        Some((b, at))
    })
}

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", figure 3.
fn immediate_dominators(code: &Code) -> Vec<Option<Block>> {
    let order = postorder(code);
    let mut number = vec![0usize; code.func.blocks.len()];
    for (i, b) in order.iter().enumerate() {
        number[b.index()] = i;
    }
    let mut preds: Vec<Vec<Block>> = vec![Vec::new(); code.func.blocks.len()];
    for &b in &order {
        for (to, _) in code.func.block(b).term.successors() {
            preds[to.index()].push(b);
        }
    }
    let entry = Block(0);
    let mut idoms: Vec<Option<Block>> = vec![None; code.func.blocks.len()];
    idoms[0] = Some(entry);
    let mut changed = true;
    while changed {
        changed = false;
        for &b in order.iter().rev().filter(|b| **b != entry) {
            let known = preds[b.index()].iter().copied().filter(|p| idoms[p.index()].is_some());
            let merged = known.reduce(|x, y| intersect(&idoms, &number, x, y));
            if merged.is_some() && idoms[b.index()] != merged {
                idoms[b.index()] = merged;
                changed = true;
            }
        }
    }
    idoms
}

fn intersect(idoms: &[Option<Block>], number: &[usize], mut x: Block, mut y: Block) -> Block {
    let up = |b: Block| idoms[b.index()].expect("a processed block should have a dominator");
    while x != y {
        while number[x.index()] < number[y.index()] {
            x = up(x);
        }
        while number[y.index()] < number[x.index()] {
            y = up(y);
        }
    }
    x
}

fn postorder(code: &Code) -> Vec<Block> {
    let mut seen = vec![false; code.func.blocks.len()];
    let mut order = Vec::new();
    let mut work = vec![(Block(0), false)];
    while let Some((b, done)) = work.pop() {
        if done {
            order.push(b);
            continue;
        }
        if std::mem::replace(&mut seen[b.index()], true) {
            continue;
        }
        work.push((b, true));
        for (to, _) in code.func.block(b).term.successors() {
            work.push((to, false));
        }
    }
    order
}
