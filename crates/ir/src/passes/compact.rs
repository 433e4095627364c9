//! Drops what nothing refers to and numbers the rest anew: unreachable blocks, dead instructions, unused constants.
//!
//! Values defined by blocks and instructions are numbered in the order of the text, constants after them.

use crate::cfg::Cfg;
use crate::func::{Block, BlockData, Func, Value, ValueData, ValueDef};
use crate::inst::{Inst, InstData, InstId, Terminator};
use blitz_base::span::Loc;

const NONE: u32 = u32::MAX;

struct Compactor {
    old: Func,
    new: Func,
    /// New numbers by old ones.
    blocks: Vec<u32>,
    values: Vec<u32>,
}

/// The same body with nothing unused in it.
pub fn compact(func: Func) -> Func {
    let cfg = Cfg::new(&func);
    let mut blocks = vec![NONE; func.blocks.len()];
    let kept: Vec<Block> = func.block_ids().filter(|&b| cfg.is_reachable(b)).collect();
    for (new, old) in kept.iter().enumerate() {
        blocks[old.index()] = new as u32;
    }
    let values = vec![NONE; func.values.len()];
    let new = Func { vars: func.vars.clone(), ..Func::default() };
    let mut compactor = Compactor { old: func, new, blocks, values };
    for &b in &kept {
        compactor.block(b);
    }
    compactor.operands();
    compactor.new
}

impl Compactor {
    fn block(&mut self, b: Block) {
        let data = std::mem::replace(
            &mut self.old.blocks[b.index()],
            BlockData { params: Vec::new(), insts: Vec::new(), term: Terminator::Unreachable, loc: Loc::UNKNOWN },
        );
        let to = Block::new(self.new.blocks.len());
        let params = self.define(&data.params, |n| ValueDef::Param(to, n));
        let mut insts = Vec::with_capacity(data.insts.len());
        for i in data.insts {
            let id = InstId::new(self.new.insts.len());
            // Each instruction stands in one place only, so it can be moved.
            let gone = InstData { inst: Inst::StackSave, results: Vec::new(), loc: Loc::UNKNOWN };
            let mut inst = std::mem::replace(&mut self.old.insts[i.index()], gone);
            inst.results = self.define(&inst.results, |n| ValueDef::Inst(id, n));
            self.new.insts.push(inst);
            insts.push(id);
        }
        let mut term = data.term;
        self.retarget(&mut term);
        self.new.blocks.push(BlockData { params, insts, term, loc: data.loc });
    }

    fn retarget(&self, term: &mut Terminator) {
        term.for_each_edge_mut(|to, _| *to = Block(self.blocks[to.index()]));
        if let Terminator::IndirectJump { targets, .. } = term {
            targets.iter_mut().for_each(|to| *to = Block(self.blocks[to.index()]));
        }
    }

    fn define(&mut self, values: &[Value], def: impl Fn(u32) -> ValueDef) -> Vec<Value> {
        (0..).zip(values).map(|(n, v)| self.value(*v, def(n))).collect()
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
