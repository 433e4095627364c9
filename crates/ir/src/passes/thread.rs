//! Edges that pass a constant to a block that only decides by it go straight to where it decides to go.
//!
//! Why: clang leaves a scope by storing a number, jumping to the clean-up, and switching on the number. Every `break`, `continue` and
//! `return` out of a block with locals is such a detour, and its join mixes up paths that have nothing to do with each other.
//!
//! A parameter of the block that is used further down has several definitions then. It goes through a new stack object, which the
//! next promotion turns into values again: that is what builds the parameters at the right joins.
//!
//! Not touched: heads of loops (bounds count arrivals there), functions that call `setjmp` (nothing would be promoted), blocks that
//! do more than end lifetimes and note values.

use super::util::const_bits;
use crate::cfg::Cfg;
use crate::func::{Block, Func, FuncBuilder, Value, ValueDef};
use crate::inst::{Inst, InstData, InstId, Results, Terminator};
use crate::program::TargetInfo;
use blitz_base::span::Loc;
use rustc_hash::FxHashMap;

/// The longest list of instructions that is repeated for an edge.
const MOST_REPEATED: usize = 8;

struct Threader<'a> {
    b: &'a mut FuncBuilder,
    target: TargetInfo,
    outside: Vec<bool>,
    /// Parameters that go through memory, and their stack objects.
    slots: FxHashMap<Value, Value>,
    /// The objects' definitions, for the start of the function.
    allocas: Vec<InstId>,
}

pub fn run(b: &mut FuncBuilder, target: TargetInfo) -> bool {
    let has_setjmp = b.func.insts.iter().any(|d| matches!(d.inst, Inst::SetJmp { .. }));
    if has_setjmp {
        return false;
    }
    let edges = edges_to_thread(&b.func);
    if edges.is_empty() {
        return false;
    }
    let outside = super::flow::used_elsewhere(&b.func);
    let mut threader = Threader { b, target, outside, slots: FxHashMap::default(), allocas: Vec::new() };
    for (from, middle) in edges {
        threader.edges(from, middle);
    }
    threader.finish();
    true
}

/// The edges to treat now, as (from, block that decides). No block is on both sides, since its edges change.
fn edges_to_thread(func: &Func) -> Vec<(Block, Block)> {
    let cfg = Cfg::new(func);
    let mut out = Vec::new();
    let (mut is_from, mut is_middle) = (vec![false; cfg.len()], vec![false; cfg.len()]);
    for &middle in cfg.rpo() {
        let Some(n) = decides_by(func, &cfg, middle) else {
            continue;
        };
        if is_from[middle.index()] {
            continue;
        }
        let mut preds = cfg.predecessors(middle).to_vec();
        preds.dedup();
        for from in preds {
            let free = cfg.is_reachable(from) && !is_middle[from.index()] && from != middle;
            if free && passes_constant(func, from, middle, n) {
                is_from[from.index()] = true;
                is_middle[middle.index()] = true;
                out.push((from, middle));
            }
        }
    }
    out
}

/// The number of the parameter that a block decides by, if it does little else.
fn decides_by(func: &Func, cfg: &Cfg, block: Block) -> Option<usize> {
    let data = func.block(block);
    let value = match data.term {
        Terminator::Branch { cond, .. } => cond,
        Terminator::Switch { value, .. } => value,
        _ => return None,
    };
    let at = cfg.rpo_pos(block);
    let head = cfg.predecessors(block).iter().any(|&p| cfg.rpo_pos(p) >= at);
    let light = data.insts.len() <= MOST_REPEATED
        && data.insts.iter().all(|&i| matches!(func.inst(i).inst, Inst::LifetimeEnd { .. } | Inst::Debug { .. }));
    match func.values[value.index()].def {
        ValueDef::Param(of, n) if of == block && light && !head && block != Func::ENTRY => Some(n as usize),
        _ => None,
    }
}

fn passes_constant(func: &Func, from: Block, to: Block, n: usize) -> bool {
    let edges = func.block(from).term.successors();
    edges.into_iter().any(|(b, args)| b == to && const_bits(func, args[n]).is_some())
}

impl Threader<'_> {
    /// Redirects the edges between two blocks that pass a constant.
    fn edges(&mut self, from: Block, middle: Block) {
        let mut term = self.b.func.block(from).term.clone();
        term.for_each_edge_mut(|to, args| {
            if *to == middle
                && let Some(next) = self.destination(middle, args)
            {
                *to = self.detour(middle, args, next);
                args.clear();
            }
        });
        self.b.func.blocks[from.index()].term = term;
    }

    /// Where a block goes when it gets these arguments, and what it passes on.
    fn destination(&self, middle: Block, args: &[Value]) -> Option<(Block, Vec<Value>)> {
        let func = &self.b.func;
        let value = |v: Value| self.passed(middle, args, v);
        let (to, passed) = match &func.block(middle).term {
            Terminator::Branch { cond, then, other } => {
                let edge = if const_bits(func, value(*cond))?.is_one() { then } else { other };
                (edge.0, &edge.1)
            }
            Terminator::Switch { value: on, cases, default } => {
                let bits = const_bits(func, value(*on))?;
                match cases.iter().find(|c| c.0 == *bits) {
                    Some(case) => (case.1, &case.2),
                    None => (default.0, &default.1),
                }
            }
            _ => return None,
        };
        Some((to, passed.iter().map(|&v| value(v)).collect()))
    }

    /// A value as seen from an edge: a parameter of the block is what the edge passes.
    fn passed(&self, block: Block, args: &[Value], v: Value) -> Value {
        match self.b.func.values[v.index()].def {
            ValueDef::Param(of, n) if of == block => args[n as usize],
            _ => v,
        }
    }

    /// A block for one edge: what the middle one did, then on to its destination.
    fn detour(&mut self, middle: Block, args: &[Value], next: (Block, Vec<Value>)) -> Block {
        let loc = self.b.func.block(middle).loc;
        let block = self.b.block();
        for i in self.b.func.block(middle).insts.clone() {
            let data = self.b.func.inst(i).clone();
            let mut inst = data.inst;
            inst.for_each_operand_mut(|v| *v = self.passed(middle, args, *v));
            self.b.push0(block, inst, data.loc);
        }
        for (p, &value) in self.b.func.block(middle).params.clone().into_iter().zip(args) {
            if self.outside[p.index()] {
                let ptr = self.slot(p);
                self.b.push0(block, Inst::Store { ptr, value }, Loc::UNKNOWN);
            }
        }
        self.b.terminate(block, Terminator::Jump { to: next.0, args: next.1 }, loc);
        block
    }

    /// The stack object of a parameter.
    fn slot(&mut self, p: Value) -> Value {
        if let Some(&slot) = self.slots.get(&p) {
            return slot;
        }
        let bytes = self.b.func.ty(p).bytes(self.target.ptr_bits);
        let size = self.b.int(self.target.ptr_bits, bytes);
        let alloca = Inst::Alloca { size, align: 16, var: None, lives: true };
        let id = self.b.push(Func::ENTRY, alloca, &[crate::types::Type::Ptr], Loc::UNKNOWN);
        self.b.func.blocks[Func::ENTRY.index()].insts.pop();
        self.allocas.push(id);
        let slot = self.b.func.inst(id).results[0];
        self.slots.insert(p, slot);
        slot
    }

    /// Puts the objects into the entry, stores parameters where they are defined and loads them where they are used.
    fn finish(&mut self) {
        for block in self.b.func.block_ids() {
            self.load_in(block);
        }
        for block in self.b.func.block_ids() {
            let params = self.b.func.block(block).params.clone();
            let stores: Vec<InstId> = params.into_iter().filter_map(|p| self.store_of(p)).collect();
            self.b.func.blocks[block.index()].insts.splice(0..0, stores);
        }
        let allocas = std::mem::take(&mut self.allocas);
        self.b.func.blocks[Func::ENTRY.index()].insts.splice(0..0, allocas);
    }

    fn store_of(&mut self, p: Value) -> Option<InstId> {
        let ptr = *self.slots.get(&p)?;
        self.b.func.insts.push(InstData {
            inst: Inst::Store { ptr, value: p },
            results: Results::new(),
            loc: Loc::UNKNOWN,
        });
        Some(InstId::new(self.b.func.insts.len() - 1))
    }

    /// Replaces the parameters of other blocks in a block by what their objects hold.
    fn load_in(&mut self, block: Block) {
        let func = &self.b.func;
        let mut needed: Vec<Value> = Vec::new();
        let mut visit = |v: Value| {
            let own = matches!(func.values[v.index()].def, ValueDef::Param(of, _) if of == block);
            if !own && self.slots.contains_key(&v) && !needed.contains(&v) {
                needed.push(v);
            }
        };
        for &i in &func.block(block).insts {
            func.inst(i).inst.for_each_operand(&mut visit);
        }
        func.block(block).term.for_each_operand(&mut visit);
        if needed.is_empty() {
            return;
        }
        let insts = std::mem::take(&mut self.b.func.blocks[block.index()].insts);
        let mut loaded = FxHashMap::default();
        for v in needed {
            let (ptr, ty) = (self.slots[&v], self.b.func.ty(v));
            loaded.insert(v, self.b.push1(block, Inst::Load { ptr }, ty, Loc::UNKNOWN));
        }
        let rename = |v: &mut Value| *v = *loaded.get(v).unwrap_or(v);
        for &i in &insts {
            self.b.func.insts[i.index()].inst.for_each_operand_mut(rename);
        }
        let data = &mut self.b.func.blocks[block.index()];
        data.insts.extend(insts);
        data.term.for_each_operand_mut(rename);
    }
}
