//! What the executor knows of a function before it runs it.

use crate::behind::Unchecked;
use crate::live::Liveness;
use blitz_ir::held::Held;
use blitz_ir::loops::{LoopForest, LoopId};
use blitz_ir::{Block, Func, Value, ValueDef};
use std::cell::OnceCell;

/// Loops of a function, the values that outlive their loop, and where the last iteration of a loop may still go.
pub struct FuncInfo {
    pub loops: LoopForest,
    /// Per loop: values defined in it and used outside it. A state that leaves the loop carries them along.
    pub live_out: Vec<Vec<Value>>,
    /// Per block: it belongs to the condition of its innermost loop, which runs once more than the body.
    pub in_condition: Vec<bool>,
    held: OnceCell<Held>,
    liveness: OnceCell<Liveness>,
    unchecked: OnceCell<Unchecked>,
}

impl FuncInfo {
    pub fn new(func: &Func) -> Self {
        let loops = LoopForest::new(func);
        let live_out = live_out(func, &loops);
        let in_condition = conditions(func, &loops);
        let (held, liveness, unchecked) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Self { loops, live_out, in_condition, held, liveness, unchecked }
    }

    /// What the source's variables hold; few runs need it.
    pub fn held(&self, func: &Func, ptr_bits: u16) -> &Held {
        self.held.get_or_init(|| Held::new(func, ptr_bits))
    }

    /// Which values places still need; only runs that stop on the way ask.
    pub(crate) fn liveness(&self, func: &Func) -> &Liveness {
        self.liveness.get_or_init(|| Liveness::new(func))
    }

    /// What it does without being checked; asked where executions go on behind that.
    pub(crate) fn unchecked(&self, func: &Func) -> &Unchecked {
        self.unchecked.get_or_init(|| Unchecked::of(func))
    }
}

fn live_out(func: &Func, loops: &LoopForest) -> Vec<Vec<Value>> {
    let mut home = vec![None; func.values.len()];
    for b in func.block_ids() {
        let data = func.block(b);
        for &v in &data.params {
            home[v.index()] = Some(b);
        }
        for &i in &data.insts {
            for &v in &func.inst(i).results {
                home[v.index()] = Some(b);
            }
        }
    }
    let mut out: Vec<std::collections::BTreeSet<Value>> = vec![Default::default(); loops.loops.len()];
    let mut note = |user: Block, v: Value| {
        if matches!(func.values[v.index()].def, ValueDef::Const(_)) {
            return;
        }
        let Some(def) = home[v.index()] else { return };
        for l in loops.around(def) {
            if !loops.contains(l, user) {
                out[l.index()].insert(v);
            }
        }
    };
    for b in func.block_ids() {
        let data = func.block(b);
        for &i in &data.insts {
            func.inst(i).inst.for_each_operand(|v| note(b, v));
        }
        data.term.for_each_operand(|v| note(b, v));
    }
    out.into_iter().map(|set| set.into_iter().collect()).collect()
}

/// Blocks that decide whether to leave the loop, from the head on, before any that does not.
fn conditions(func: &Func, loops: &LoopForest) -> Vec<bool> {
    let mut out = vec![false; func.blocks.len()];
    for l in loops.ids() {
        let mut stack = vec![loops.info(l).head];
        while let Some(b) = stack.pop() {
            if out[b.index()] || loops.loop_of[b.index()] != Some(l) || !leaves(func, loops, l, b) {
                continue;
            }
            out[b.index()] = true;
            stack.extend(func.block(b).term.successors().iter().map(|(to, _)| *to));
        }
    }
    out
}

fn leaves(func: &Func, loops: &LoopForest, l: LoopId, b: Block) -> bool {
    func.block(b).term.successors().iter().any(|(to, _)| !loops.contains(l, *to))
}
