//! Where the promoted variables meet: pruned SSA form.
//!
//! After Sreedhar and Gao, "A linear time algorithm for placing phi-nodes" (1995): iterated dominance frontiers by
//! walks of the dominator tree, deepest roots first. The walks stay where the variable is live, so that the whole costs
//! no more than the live ranges are long.

use super::objects::{Objects, inside};
use super::slots::{Layout, VarId};
use crate::cfg::{Cfg, DomTree};
use crate::func::{Block, Func};
use crate::inst::{AccessKind, Inst, InstData};
use crate::passes::util::const_u64;
use crate::property::CheckKind;
use std::collections::BinaryHeap;

/// What an instruction does to a variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Use(VarId),
    Def(VarId),
}

/// Variables that need a parameter, by block.
pub type Phis = Vec<Vec<VarId>>;

/// Where variables are defined, and where they are used before they are defined.
struct Sites {
    defs: Vec<Vec<Block>>,
    exposed: Vec<Vec<Block>>,
}

pub fn place(func: &Func, cfg: &Cfg, dom: &DomTree, objects: &Objects, layout: &Layout) -> Phis {
    let sites = sites(func, cfg, objects, layout);
    let mut walker = Walker {
        cfg,
        dom,
        live: vec![VarId::MAX; cfg.len()],
        defines: vec![VarId::MAX; cfg.len()],
        visited: vec![VarId::MAX; cfg.len()],
        has_phi: vec![VarId::MAX; cfg.len()],
    };
    let mut phis = vec![Vec::new(); cfg.len()];
    for var in 0..layout.types.len() as VarId {
        walker.variable(var, &sites, &mut phis);
    }
    phis
}

fn sites(func: &Func, cfg: &Cfg, objects: &Objects, layout: &Layout) -> Sites {
    let n = layout.types.len();
    let mut sites = Sites { defs: vec![Vec::new(); n], exposed: vec![Vec::new(); n] };
    for &b in cfg.rpo() {
        for &i in &func.block(b).insts {
            events(func, func.inst(i), objects, layout, |event| match event {
                Event::Use(v) => {
                    let v = v as usize;
                    if sites.defs[v].last() != Some(&b) && sites.exposed[v].last() != Some(&b) {
                        sites.exposed[v].push(b);
                    }
                }
                Event::Def(v) => {
                    if sites.defs[v as usize].last() != Some(&b) {
                        sites.defs[v as usize].push(b);
                    }
                }
            });
        }
    }
    sites
}

/// The events of one instruction, in order.
pub fn events(func: &Func, data: &InstData, objects: &Objects, layout: &Layout, mut visit: impl FnMut(Event)) {
    let find = |ptr| {
        let place = objects.private(ptr)?;
        Some((place, layout.of(place.object)?))
    };
    match &data.inst {
        Inst::Alloca { .. } => {
            if let Some((_, o)) = find(data.results[0]) {
                o.slots.iter().flat_map(|s| [s.value, s.shadow]).for_each(|v| visit(Event::Def(v)));
                visit(Event::Def(o.live));
            }
        }
        Inst::LifetimeStart { ptr } => {
            if let Some((_, o)) = find(*ptr) {
                o.slots.iter().flat_map(|s| [s.value, s.shadow]).for_each(|v| visit(Event::Def(v)));
                visit(Event::Def(o.live));
            }
        }
        Inst::LifetimeEnd { ptr } => {
            if let Some((_, o)) = find(*ptr) {
                visit(Event::Def(o.live));
            }
        }
        Inst::Load { ptr } => {
            if let Some((p, o)) = find(*ptr) {
                visit(Event::Use(o.at(p.offset as u64).value));
            }
        }
        Inst::LoadShadow { ptr } => {
            if let Some((p, o)) = find(*ptr) {
                visit(Event::Use(o.at(p.offset as u64).shadow));
            }
        }
        Inst::Store { ptr, .. } => {
            if let Some((p, o)) = find(*ptr) {
                let slot = o.at(p.offset as u64);
                if slot.mixed {
                    visit(Event::Use(slot.value));
                    visit(Event::Use(slot.shadow));
                }
                visit(Event::Def(slot.value));
                visit(Event::Def(slot.shadow));
            }
        }
        Inst::StoreShadow { ptr, .. } => {
            if let Some((p, o)) = find(*ptr) {
                let slot = o.at(p.offset as u64);
                if slot.mixed {
                    visit(Event::Use(slot.shadow));
                }
                visit(Event::Def(slot.shadow));
            }
        }
        Inst::MemSet { dst, len, .. } => {
            if let (Some((p, o)), Some(len)) = (find(*dst), const_u64(func, *len)) {
                for s in o.within(p.offset as u64, len) {
                    visit(Event::Def(s.value));
                    visit(Event::Def(s.shadow));
                }
            }
        }
        Inst::MemCopy { dst, src, len } => {
            let len = const_u64(func, *len).unwrap_or(0);
            if let Some((p, o)) = find(*src) {
                for s in o.within(p.offset as u64, len) {
                    visit(Event::Use(s.value));
                    visit(Event::Use(s.shadow));
                }
            }
            if let Some((p, o)) = find(*dst) {
                for s in o.within(p.offset as u64, len) {
                    visit(Event::Def(s.value));
                    visit(Event::Def(s.shadow));
                }
            }
        }
        Inst::CheckMem(check) => {
            let Some((p, o)) = find(check.ptr) else {
                return;
            };
            let len = const_u64(func, check.size).unwrap_or(0);
            match check.access {
                AccessKind::Read | AccessKind::Write => {
                    if len > 0 && check.properties.iter().any(|k| k.0 == CheckKind::UseAfterScope) {
                        visit(Event::Use(o.live));
                    }
                }
                AccessKind::Defined => {
                    let size = objects.list[p.object.index()].size;
                    let offset = inside(p.offset, len, size).unwrap_or(0);
                    o.within(offset, len).iter().for_each(|s| visit(Event::Use(s.shadow)));
                }
                AccessKind::Free
                | AccessKind::String
                | AccessKind::SharedRead
                | AccessKind::SharedWrite
                | AccessKind::AtomicRead
                | AccessKind::AtomicWrite => {}
            }
        }
        _ => {}
    }
}

/// Marks per block that hold the number of the variable they were last set for, so that they never need clearing.
struct Walker<'a> {
    cfg: &'a Cfg,
    dom: &'a DomTree,
    live: Vec<VarId>,
    defines: Vec<VarId>,
    visited: Vec<VarId>,
    has_phi: Vec<VarId>,
}

impl Walker<'_> {
    fn variable(&mut self, var: VarId, sites: &Sites, phis: &mut Phis) {
        let (defs, exposed) = (&sites.defs[var as usize], &sites.exposed[var as usize]);
        if exposed.is_empty() {
            return;
        }
        for b in defs {
            self.defines[b.index()] = var;
        }
        self.mark_live(var, exposed);
        let mut roots: BinaryHeap<(u32, Block)> = defs.iter().map(|&b| (self.dom.level(b), b)).collect();
        while let Some((level, root)) = roots.pop() {
            let mut walk = vec![root];
            while let Some(x) = walk.pop() {
                for &y in self.cfg.successors(x) {
                    let frontier = self.dom.idom(y) != Some(x) && self.dom.level(y) <= level;
                    if frontier && self.live[y.index()] == var && self.has_phi[y.index()] != var {
                        self.has_phi[y.index()] = var;
                        phis[y.index()].push(var);
                        if self.defines[y.index()] != var {
                            roots.push((self.dom.level(y), y));
                        }
                    }
                }
                for &c in self.dom.children(x) {
                    if self.live[c.index()] == var && self.visited[c.index()] != var {
                        self.visited[c.index()] = var;
                        walk.push(c);
                    }
                }
            }
        }
    }

    /// Marks the blocks at whose start the variable is live.
    fn mark_live(&mut self, var: VarId, exposed: &[Block]) {
        let mut todo: Vec<Block> = Vec::new();
        for &b in exposed {
            self.live[b.index()] = var;
            todo.push(b);
        }
        while let Some(b) = todo.pop() {
            for &p in self.cfg.predecessors(b) {
                let open = self.defines[p.index()] != var && self.live[p.index()] != var;
                if open && self.cfg.is_reachable(p) {
                    self.live[p.index()] = var;
                    todo.push(p);
                }
            }
        }
    }
}
