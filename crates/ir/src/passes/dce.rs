//! Removes pure instructions and block parameters whose values are never needed, cycles of them included.

use super::params::{self, Incoming};
use crate::func::{Func, Value, ValueDef};
use crate::inst::Terminator;

pub fn run(func: &mut Func) -> bool {
    let live = live_values(func);
    let mut changed = false;
    let Func { insts, blocks, .. } = func;
    for block in blocks.iter_mut() {
        let before = block.insts.len();
        block.insts.retain(|i| {
            let data = &insts[i.index()];
            !data.inst.is_pure() || data.results.iter().any(|v| live[v.index()])
        });
        changed |= block.insts.len() != before;
    }
    changed |= func.blocks[1..].iter().any(|b| b.params.iter().any(|v| !live[v.index()]));
    params::retain(func, |v| live[v.index()]);
    changed
}

/// The values that something with an effect needs, directly or not.
fn live_values(func: &Func) -> Vec<bool> {
    let incoming = Incoming::new(func);
    let mut live = vec![false; func.values.len()];
    let mut todo: Vec<Value> = Vec::new();
    for block in &func.blocks {
        for &i in &block.insts {
            let inst = &func.inst(i).inst;
            if !inst.is_pure() {
                inst.for_each_operand(|v| todo.push(v));
            }
        }
        decisive(&block.term, &mut todo);
    }
    while let Some(v) = todo.pop() {
        if std::mem::replace(&mut live[v.index()], true) {
            continue;
        }
        match func.values[v.index()].def {
            ValueDef::Const(_) => {}
            ValueDef::Param(block, n) => {
                if block != Func::ENTRY {
                    todo.extend(incoming.of(block, n));
                }
            }
            ValueDef::Inst(i, _) => func.inst(i).inst.for_each_operand(|v| todo.push(v)),
        }
    }
    live
}

/// What a terminator needs by itself: all but what it passes to blocks.
fn decisive(term: &Terminator, out: &mut Vec<Value>) {
    match term {
        Terminator::Jump { .. } | Terminator::Unreachable => {}
        Terminator::Branch { cond, .. } => out.push(*cond),
        Terminator::Switch { value, .. } | Terminator::IndirectJump { value, .. } => out.push(*value),
        Terminator::Return { values } => out.extend(values),
        Terminator::Exit { status } | Terminator::Halt { status } => out.push(*status),
        Terminator::LongJmp { buf, value } => out.extend([*buf, *value]),
    }
}
