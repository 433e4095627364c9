//! The loops of a function, for any control flow: a weak topological order of the blocks.
//!
//! After Bourdoncle, "Efficient chaotic iteration strategies with widenings" (1993): the blocks stand in one linear
//! order; each strongly connected part is a contiguous range of it, begins with its head, and what is left without
//! the head is ordered in the same way. An `if` may be anywhere in it, a loop is one range, whatever `goto` did.
//!
//! Invariants (tested on random graphs): an edge from `u` to `v` with `pos[v] <= pos[u]` goes to the head of a loop
//! that contains `u`; ranges of loops nest; a loop's head is the first block of its range; a `parent`'s range contains
//! the child's. A loop that can be entered elsewhere than at its head is marked `irreducible`: its head is the block
//! that a depth-first walk meets first, and an unrolling that counts arrivals at heads is still right.
//!
//! Loops are numbered in source order, so that `<function>.<n>` stays the same between runs.
//!
//! Absent: trip counts, induction variables.

use crate::builtin::Builtin;
use crate::cfg::Cfg;
use crate::func::{Block, Func};
use crate::inst::Inst;
use blitz_base::id_type;
use blitz_base::span::Loc;
use std::ops::Range;

id_type!(
    /// A loop of a function; numbered in source order.
    LoopId,
    "loop"
);

/// The blocks of a function in weak topological order, with the nest of loops.
#[derive(Clone, Debug, Default)]
pub struct LoopForest {
    /// The reachable blocks.
    pub order: Vec<Block>,
    /// Where a block stands in `order`; `None` if it is unreachable.
    pub pos: Vec<Option<u32>>,
    /// The innermost loop a block is in (the head of a loop is in it).
    pub loop_of: Vec<Option<LoopId>>,
    /// In source order: a parent need not come before its children.
    pub loops: Vec<LoopInfo>,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopInfo {
    pub head: Block,
    /// The loop directly around this one.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
    /// The loop's blocks, as a range of `LoopForest::order`.
    pub blocks: Range<u32>,
    /// Where the loop is in the source.
    pub loc: Loc,
    /// Control can enter it elsewhere than at its head.
    pub irreducible: bool,
    /// It evaluates a quantifier (`Builtin::Quantifier`): no loop that the user wrote.
    pub quantifier: bool,
}

impl LoopId {
    /// The name people use: `main.1` for the first loop of `main`.
    pub fn name(self, function: &str) -> String {
        format!("{function}.{}", self.0 + 1)
    }
}

impl LoopForest {
    pub fn new(func: &Func) -> Self {
        Self::with_cfg(func, &Cfg::new(func))
    }

    /// The same, for a graph that is known already.
    pub fn with_cfg(func: &Func, cfg: &Cfg) -> Self {
        let (order, mut found) = Decomposition::new(cfg).run();
        let mut pos = vec![None; cfg.len()];
        for (i, b) in order.iter().enumerate() {
            pos[b.index()] = Some(i as u32);
        }
        for info in &mut found {
            finish_loop(info, func, cfg, &order, &pos);
        }
        let mut loops = in_source_order(found);
        let loop_of = innermost(&loops, &order, cfg.len());
        mark_quantifiers(func, &mut loops, &loop_of);
        Self { order, pos, loop_of, loops }
    }

    pub fn info(&self, l: LoopId) -> &LoopInfo {
        &self.loops[l.index()]
    }

    /// All loops, in source order.
    pub fn ids(&self) -> impl Iterator<Item = LoopId> + use<> {
        (0..self.loops.len()).map(LoopId::new)
    }

    /// The blocks of a loop, head first.
    pub fn blocks(&self, l: LoopId) -> &[Block] {
        let range = &self.info(l).blocks;
        &self.order[range.start as usize..range.end as usize]
    }

    /// Whether a block is in a loop (or in one inside it).
    pub fn contains(&self, l: LoopId, b: Block) -> bool {
        self.pos[b.index()].is_some_and(|p| self.info(l).blocks.contains(&p))
    }

    /// The loop whose head this is.
    pub fn headed_by(&self, b: Block) -> Option<LoopId> {
        self.loop_of[b.index()].filter(|&l| self.info(l).head == b)
    }

    /// The loop that an edge continues: `from` is in it and `to` is its head. All other edges go forward in `order`.
    pub fn back_edge(&self, from: Block, to: Block) -> Option<LoopId> {
        self.headed_by(to).filter(|&l| self.contains(l, from))
    }

    /// The loops around a block, innermost first.
    pub fn around(&self, b: Block) -> impl Iterator<Item = LoopId> + '_ {
        std::iter::successors(self.loop_of[b.index()], |&l| self.info(l).parent)
    }
}

/// Fills in what the decomposition does not know: the place, and whether it is entered in the middle.
fn finish_loop(info: &mut LoopInfo, func: &Func, cfg: &Cfg, order: &[Block], pos: &[Option<u32>]) {
    let inside = |b: Block| pos[b.index()].is_some_and(|p| info.blocks.contains(&p));
    let latches = cfg.predecessors(info.head).iter().copied().filter(|&p| inside(p));
    let candidates = latches.map(|p| func.block(p).loc).chain(first_loc(func, info.head));
    info.loc = candidates.filter(|l| l.is_known()).min().unwrap_or(Loc::UNKNOWN);
    info.irreducible = order[info.blocks.start as usize + 1..info.blocks.end as usize]
        .iter()
        .flat_map(|&b| cfg.predecessors(b))
        .any(|&p| pos[p.index()].is_some() && !inside(p));
}

/// The first known place in a block.
fn first_loc(func: &Func, b: Block) -> Option<Loc> {
    let data = func.block(b);
    data.insts.iter().map(|&i| func.inst(i).loc).chain([data.loc]).find(|l| l.is_known())
}

/// Sorts loops by place, outer before inner at the same place, and renames parents accordingly.
fn in_source_order(found: Vec<LoopInfo>) -> Vec<LoopInfo> {
    let mut by_place: Vec<usize> = (0..found.len()).collect();
    by_place.sort_by_key(|&i| (found[i].loc, found[i].blocks.start));
    let mut new_id = vec![LoopId(0); found.len()];
    for (new, &old) in by_place.iter().enumerate() {
        new_id[old] = LoopId::new(new);
    }
    by_place
        .iter()
        .map(|&old| {
            let mut info = found[old].clone();
            info.parent = info.parent.map(|p| new_id[p.index()]);
            info
        })
        .collect()
}

fn mark_quantifiers(func: &Func, loops: &mut [LoopInfo], loop_of: &[Option<LoopId>]) {
    let is_mark = |inst: &Inst| matches!(inst, Inst::Builtin { op: Builtin::Quantifier, .. });
    for b in func.block_ids() {
        if let Some(l) = loop_of[b.index()]
            && func.block(b).insts.iter().any(|&i| is_mark(&func.inst(i).inst))
        {
            loops[l.index()].quantifier = true;
        }
    }
}

fn innermost(loops: &[LoopInfo], order: &[Block], blocks: usize) -> Vec<Option<LoopId>> {
    let mut starts: Vec<Option<LoopId>> = vec![None; order.len() + 1];
    for (i, l) in loops.iter().enumerate() {
        starts[l.blocks.start as usize] = Some(LoopId::new(i));
    }
    let mut loop_of = vec![None; blocks];
    let mut current: Option<LoopId> = None;
    for (at, b) in order.iter().enumerate() {
        while let Some(l) = current.filter(|l| loops[l.index()].blocks.end as usize <= at) {
            current = loops[l.index()].parent;
        }
        current = starts[at].or(current);
        loop_of[b.index()] = current;
    }
    loop_of
}

blitz_base::ids::id_type!(
    /// A part of the graph that is laid out on its own.
    Region,
    "region"
);

/// Bourdoncle's recursive decomposition, with the recursion on an explicit stack.
struct Decomposition<'a> {
    cfg: &'a Cfg,
    /// Which part of the graph a block belongs to at this time; edges out of the part are not followed.
    region: Vec<Region>,
    /// The newest.
    newest: Region,
    /// Tarjan's numbers; 0 is unvisited.
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    order: Vec<Block>,
    loops: Vec<LoopInfo>,
}

/// A part that is being laid out: strongly connected components still to come (last one first).
struct Frame {
    components: Vec<Vec<Block>>,
    /// The loop whose inside this is.
    of: Option<LoopId>,
}

impl<'a> Decomposition<'a> {
    fn new(cfg: &'a Cfg) -> Self {
        let n = cfg.len();
        Self {
            cfg,
            region: vec![Region(0); n],
            newest: Region(0),
            index: vec![0; n],
            low: vec![0; n],
            on_stack: vec![false; n],
            order: Vec::with_capacity(n),
            loops: Vec::new(),
        }
    }

    fn run(mut self) -> (Vec<Block>, Vec<LoopInfo>) {
        if self.cfg.is_empty() {
            return (self.order, self.loops);
        }
        let components = self.components(&[Func::ENTRY], Region(0));
        let mut frames = vec![Frame { components, of: None }];
        while let Some(frame) = frames.last_mut() {
            match (frame.components.pop(), frame.of) {
                (Some(component), of) => frames.extend(self.lay_out(component, of)),
                (None, of) => {
                    if let Some(l) = of {
                        self.loops[l.index()].blocks.end = self.order.len() as u32;
                    }
                    frames.pop();
                }
            }
        }
        (self.order, self.loops)
    }

    /// Puts one component into the order; gives the frame for its inside if it is a loop.
    fn lay_out(&mut self, component: Vec<Block>, parent: Option<LoopId>) -> Option<Frame> {
        let head = component[0];
        let start = self.order.len() as u32;
        self.order.push(head);
        if component.len() == 1 && !self.cfg.successors(head).contains(&head) {
            return None;
        }
        self.loops.push(LoopInfo {
            head,
            parent,
            depth: parent.map_or(0, |p| self.loops[p.index()].depth) + 1,
            blocks: start..start + 1,
            loc: Loc::UNKNOWN,
            irreducible: false,
            quantifier: false,
        });
        self.newest.0 += 1;
        for &b in &component[1..] {
            self.region[b.index()] = self.newest;
            self.index[b.index()] = 0;
        }
        self.region[head.index()] = NO_REGION;
        let components = self.components(self.cfg.successors(head), self.newest);
        Some(Frame { components, of: Some(LoopId::new(self.loops.len() - 1)) })
    }

    /// Strongly connected components of a region, reachable from the roots; in reverse topological order, each with
    /// the block that was met first in front.
    fn components(&mut self, roots: &[Block], region: Region) -> Vec<Vec<Block>> {
        let mut out = Vec::new();
        let mut clock = 0;
        for &root in roots.iter().rev() {
            if self.is_new(root, region) {
                self.tarjan(root, region, &mut clock, &mut out);
            }
        }
        out
    }

    fn is_new(&self, b: Block, region: Region) -> bool {
        self.region[b.index()] == region && self.index[b.index()] == 0
    }

    fn tarjan(&mut self, root: Block, region: Region, clock: &mut u32, out: &mut Vec<Vec<Block>>) {
        let mut stack = Vec::new();
        let mut walk = Vec::new();
        self.enter(root, clock, &mut stack, &mut walk);
        while let Some((b, left)) = walk.last_mut() {
            let b = *b;
            if *left > 0 {
                *left -= 1;
                let to = self.cfg.successors(b)[*left];
                if self.is_new(to, region) {
                    self.enter(to, clock, &mut stack, &mut walk);
                } else if self.region[to.index()] == region && self.on_stack[to.index()] {
                    self.low[b.index()] = self.low[b.index()].min(self.index[to.index()]);
                }
                continue;
            }
            walk.pop();
            if let Some((up, _)) = walk.last() {
                self.low[up.index()] = self.low[up.index()].min(self.low[b.index()]);
            }
            if self.low[b.index()] == self.index[b.index()] {
                let from = stack.iter().rposition(|&x| x == b).expect("a root should be on the stack");
                let component = stack.split_off(from);
                for x in &component {
                    self.on_stack[x.index()] = false;
                }
                out.push(component);
            }
        }
    }

    fn enter(&mut self, b: Block, clock: &mut u32, stack: &mut Vec<Block>, walk: &mut Vec<(Block, usize)>) {
        *clock += 1;
        self.index[b.index()] = *clock;
        self.low[b.index()] = *clock;
        self.on_stack[b.index()] = true;
        stack.push(b);
        walk.push((b, self.cfg.successors(b).len()));
    }
}

/// The region of blocks that are laid out already.
const NO_REGION: Region = Region(u32::MAX);

#[cfg(test)]
mod tests;
