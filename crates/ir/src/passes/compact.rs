//! Drops what nothing refers to and numbers the rest anew: unreachable blocks, dead instructions, unused constants.
//!
//! Values defined by blocks and instructions are numbered in the order of the text, constants after them.

use crate::cfg::Cfg;
use crate::func::{Block, BlockData, Func, FuncBuilder, NONE, Value, ValueData, ValueDef};
use crate::inst::{Inst, InstData, InstId, Results, Terminator};
use blitz_base::span::Loc;

struct Compactor {
    old: Func,
    new: Func,
    /// New numbers by old ones.
    blocks: Vec<u32>,
    values: Vec<u32>,
}

/// Makes the body the same one with nothing unused in it.
pub fn compact(b: &mut FuncBuilder) {
    let mut func = std::mem::take(&mut b.func);
    let cfg = Cfg::new(&func);
    let mut blocks = vec![NONE; func.blocks.len()];
    let kept: Vec<Block> = func.block_ids().filter(|&b| cfg.is_reachable(b)).collect();
    for (new, old) in kept.iter().enumerate() {
        blocks[old.index()] = new as u32;
    }
    let values = vec![NONE; func.values.len()];
    let new = Func {
        vars: std::mem::take(&mut func.vars),
        values: Vec::with_capacity(func.values.len()),
        insts: Vec::with_capacity(kept.iter().map(|&b| func.block(b).insts.len()).sum()),
        blocks: Vec::with_capacity(kept.len()),
    };
    let mut compactor = Compactor { old: func, new, blocks, values };
    for &b in &kept {
        compactor.block(b);
    }
    compactor.operands();
    b.renumber(compactor.new, &compactor.values);
}

impl Compactor {
    fn block(&mut self, b: Block) {
        let gone =
            BlockData { params: Vec::new(), insts: Vec::new(), term: Terminator::Unreachable, loc: Loc::UNKNOWN };
        let mut data = std::mem::replace(&mut self.old.blocks[b.index()], gone);
        let to = Block::new(self.new.blocks.len());
        self.define(&mut data.params, |n| ValueDef::Param(to, n));
        for i in &mut data.insts {
            let id = InstId::new(self.new.insts.len());
            // Each instruction stands in one place only, so it can be moved.
            let gone = InstData { inst: Inst::StackSave, results: Results::new(), loc: Loc::UNKNOWN };
            let mut inst = std::mem::replace(&mut self.old.insts[i.index()], gone);
            self.define(&mut inst.results, |n| ValueDef::Inst(id, n));
            self.new.insts.push(inst);
            *i = id;
        }
        self.retarget(&mut data.term);
        self.new.blocks.push(data);
    }

    fn retarget(&self, term: &mut Terminator) {
        term.for_each_edge_mut(|to, _| *to = Block(self.blocks[to.index()]));
        if let Terminator::IndirectJump { targets, .. } = term {
            targets.iter_mut().for_each(|to| *to = Block(self.blocks[to.index()]));
        }
    }

    fn define(&mut self, values: &mut [Value], def: impl Fn(u32) -> ValueDef) {
        for (n, v) in (0..).zip(values) {
            *v = self.value(*v, def(n));
        }
    }

    fn value(&mut self, old: Value, def: ValueDef) -> Value {
        let ty = self.old.ty(old);
        let new = Value::new(self.new.values.len());
        self.new.values.push(ValueData { ty, def });
        self.values[old.index()] = new.0;
        new
    }

    /// Renames all operands; constants get their numbers now.
    fn operands(&mut self) {
        let mut insts = std::mem::take(&mut self.new.insts);
        let mut blocks = std::mem::take(&mut self.new.blocks);
        for inst in &mut insts {
            inst.inst.for_each_operand_mut(|v| *v = self.renamed(*v));
        }
        for block in &mut blocks {
            block.term.for_each_operand_mut(|v| *v = self.renamed(*v));
        }
        self.new.insts = insts;
        self.new.blocks = blocks;
    }

    fn renamed(&mut self, old: Value) -> Value {
        if self.values[old.index()] != NONE {
            return Value(self.values[old.index()]);
        }
        let def = self.old.values[old.index()].def.clone();
        assert!(matches!(def, ValueDef::Const(_)), "{old} should be defined in a reachable block");
        self.value(old, def)
    }
}
