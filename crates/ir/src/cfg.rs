//! The control-flow graph of a function: edges both ways, reverse post-order, dominators.
//!
//! Why one structure: every consumer (verifier, loops, passes, engines) walks the same edges in the same order, so
//! that what they number agrees.
//!
//! Invariants: there is one entry in `successors`/`predecessors` per edge, so a `switch` with two cases to one block
//! lists it twice; edges out of unreachable blocks are listed, but such blocks have no place in the order. A block
//! that is not reachable dominates nothing and is dominated by nothing but itself.
//!
//! Dominators are computed by the Semi-NCA algorithm (Georgiadis, "Linear-Time Algorithms for Dominators and Related
//! Problems", 2005, section 2.3): the simpler iteration of Cooper et al. is quadratic on the long `goto fail` chains that C has.
//!
//! Absent: post-dominators, critical edges.

use crate::func::{Block, Func};

const NONE: u32 = u32::MAX;

/// The edges of a function and the order of its blocks.
#[derive(Clone, Debug)]
pub struct Cfg {
    succs: Lists,
    preds: Lists,
    rpo: Vec<Block>,
    rpo_pos: Vec<u32>,
}

/// The dominator tree of a function.
#[derive(Clone, Debug)]
pub struct DomTree {
    idom: Vec<u32>,
    children: Lists,
    /// Depth below the entry.
    level: Vec<u32>,
    /// When a walk of the tree enters and leaves a block; 0 for unreachable ones.
    enter: Vec<u32>,
    leave: Vec<u32>,
}

/// Lists of blocks, one per block, in one allocation.
#[derive(Clone, Debug, Default)]
struct Lists {
    start: Vec<u32>,
    items: Vec<Block>,
}

impl Lists {
    /// From pairs (owner, item), keeping their order per owner.
    fn new(owners: usize, pairs: impl Iterator<Item = (Block, Block)> + Clone) -> Self {
        let mut start = vec![0u32; owners + 1];
        for (owner, _) in pairs.clone() {
            start[owner.index() + 1] += 1;
        }
        for i in 0..owners {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut items = vec![Block(0); start[owners] as usize];
        for (owner, item) in pairs {
            let at = &mut next[owner.index()];
            items[*at as usize] = item;
            *at += 1;
        }
        Self { start, items }
    }

    fn of(&self, b: Block) -> &[Block] {
        &self.items[self.start[b.index()] as usize..self.start[b.index() + 1] as usize]
    }
}

impl Cfg {
    pub fn new(func: &Func) -> Self {
        let n = func.blocks.len();
        let mut edges: Vec<(Block, Block)> = Vec::with_capacity(2 * n);
        for b in func.block_ids() {
            func.block(b).term.for_each_successor(|to| {
                if to.index() < n {
                    edges.push((b, to));
                }
            });
        }
        let succs = Lists::new(n, edges.iter().copied());
        let preds = Lists::new(n, edges.iter().map(|&(from, to)| (to, from)));
        let rpo = reverse_post_order(n, &succs);
        let mut rpo_pos = vec![NONE; n];
        for (i, b) in rpo.iter().enumerate() {
            rpo_pos[b.index()] = i as u32;
        }
        Self { succs, preds, rpo, rpo_pos }
    }

    /// Where control can go from `b`, one entry per edge, in the order of the terminator.
    pub fn successors(&self, b: Block) -> &[Block] {
        self.succs.of(b)
    }

    /// Where control can come from, one entry per edge, unreachable blocks included.
    pub fn predecessors(&self, b: Block) -> &[Block] {
        self.preds.of(b)
    }

    /// The reachable blocks in reverse post-order: the entry first, each block before its successors but for back edges.
    pub fn rpo(&self) -> &[Block] {
        &self.rpo
    }

    /// The position of a block in the reverse post-order; `None` if it is unreachable.
    pub fn rpo_pos(&self, b: Block) -> Option<usize> {
        let pos = self.rpo_pos[b.index()];
        (pos != NONE).then_some(pos as usize)
    }

    pub fn is_reachable(&self, b: Block) -> bool {
        self.rpo_pos[b.index()] != NONE
    }

    /// The number of blocks, reachable or not.
    pub fn len(&self) -> usize {
        self.rpo_pos.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rpo_pos.is_empty()
    }

    /// The dominator tree.
    pub fn dominators(&self) -> DomTree {
        DomTree::new(self)
    }
}

fn reverse_post_order(n: usize, succs: &Lists) -> Vec<Block> {
    let mut order = Vec::with_capacity(n);
    if n == 0 {
        return order;
    }
    let mut seen = vec![false; n];
    seen[0] = true;
    // Successors are visited last first, so that the reversed order has the first one first.
    let mut stack = vec![(Func::ENTRY, succs.of(Func::ENTRY).len())];
    while let Some((b, left)) = stack.last_mut() {
        if *left == 0 {
            order.push(*b);
            stack.pop();
            continue;
        }
        *left -= 1;
        let next = succs.of(*b)[*left];
        if !seen[next.index()] {
            seen[next.index()] = true;
            stack.push((next, succs.of(next).len()));
        }
    }
    order.reverse();
    order
}

impl DomTree {
    /// The dominator tree of a graph.
    pub fn new(cfg: &Cfg) -> Self {
        let n = cfg.len();
        let idom = SemiNca::new(cfg).run();
        let tree_edges = cfg.rpo().iter().filter(|b| idom[b.index()] != NONE).map(|&b| (Block(idom[b.index()]), b));
        let children = Lists::new(n, tree_edges);
        let mut tree = Self { idom, children, level: vec![0; n], enter: vec![0; n], leave: vec![0; n] };
        if n > 0 {
            tree.number();
        }
        tree
    }

    fn number(&mut self) {
        let mut clock = 1;
        self.enter[0] = clock;
        let mut stack = vec![(Func::ENTRY, 0usize)];
        while let Some((b, next)) = stack.last_mut() {
            clock += 1;
            let (b, child) = (*b, self.children.of(*b).get(*next).copied());
            *next += 1;
            match child {
                Some(c) => {
                    self.enter[c.index()] = clock;
                    self.level[c.index()] = self.level[b.index()] + 1;
                    stack.push((c, 0));
                }
                None => {
                    self.leave[b.index()] = clock;
                    stack.pop();
                }
            }
        }
    }

    /// The closest block that every path to `b` goes through; `None` for the entry and unreachable blocks.
    pub fn idom(&self, b: Block) -> Option<Block> {
        let d = self.idom[b.index()];
        (d != NONE).then_some(Block(d))
    }

    /// The blocks whose immediate dominator is `b`, in reverse post-order.
    pub fn children(&self, b: Block) -> &[Block] {
        self.children.of(b)
    }

    /// The depth of a block in the tree; 0 for the entry.
    pub fn level(&self, b: Block) -> u32 {
        self.level[b.index()]
    }

    /// Whether every path from the entry to `b` goes through `a` (a block dominates itself).
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        if a == b {
            return true;
        }
        let (a, b) = (a.index(), b.index());
        self.enter[a] != 0 && self.enter[a] <= self.enter[b] && self.leave[b] <= self.leave[a]
    }
}

/// The state of the Semi-NCA algorithm; vertices are numbered by a depth-first walk.
struct SemiNca<'a> {
    cfg: &'a Cfg,
    /// Block of a vertex, and vertex of a block.
    block: Vec<Block>,
    vertex: Vec<u32>,
    parent: Vec<u32>,
    /// Semi-dominators, and the link-eval forest over them.
    semi: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
    /// A list that `eval` fills each time.
    path: Vec<u32>,
}

impl<'a> SemiNca<'a> {
    fn new(cfg: &'a Cfg) -> Self {
        let n = cfg.len();
        let mut this = Self {
            cfg,
            block: Vec::with_capacity(n),
            vertex: vec![NONE; n],
            parent: Vec::with_capacity(n),
            semi: Vec::new(),
            ancestor: Vec::new(),
            label: Vec::new(),
            path: Vec::new(),
        };
        if n > 0 {
            this.walk();
        }
        let m = this.block.len() as u32;
        this.semi = (0..m).collect();
        this.label = (0..m).collect();
        this.ancestor = vec![NONE; m as usize];
        this
    }

    fn walk(&mut self) {
        let mut stack = vec![(Func::ENTRY, 0usize)];
        self.visit(Func::ENTRY, NONE);
        while let Some((b, next)) = stack.last_mut() {
            let Some(&to) = self.cfg.successors(*b).get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            if self.vertex[to.index()] == NONE {
                let from = self.vertex[b.index()];
                self.visit(to, from);
                stack.push((to, 0));
            }
        }
    }

    fn visit(&mut self, b: Block, parent: u32) {
        self.vertex[b.index()] = self.block.len() as u32;
        self.block.push(b);
        self.parent.push(parent);
    }

    /// The immediate dominator of each block.
    fn run(mut self) -> Vec<u32> {
        for w in (1..self.block.len() as u32).rev() {
            self.semi_dominator(w);
            self.ancestor[w as usize] = self.parent[w as usize];
        }
        let mut idom = vec![NONE; self.block.len()];
        for w in 1..self.block.len() {
            let mut d = self.parent[w];
            while d > self.semi[w] {
                d = idom[d as usize];
            }
            idom[w] = d;
        }
        let mut by_block = vec![NONE; self.cfg.len()];
        for (w, &d) in idom.iter().enumerate().skip(1) {
            by_block[self.block[w].index()] = self.block[d as usize].0;
        }
        by_block
    }

    fn semi_dominator(&mut self, w: u32) {
        let cfg = self.cfg;
        for p in cfg.predecessors(self.block[w as usize]) {
            let v = self.vertex[p.index()];
            if v != NONE {
                let u = self.eval(v);
                self.semi[w as usize] = self.semi[w as usize].min(self.semi[u as usize]);
            }
        }
    }

    /// The vertex of least semi-dominator on the forest path above `v`, compressing the path.
    fn eval(&mut self, v: u32) -> u32 {
        if self.ancestor[v as usize] == NONE {
            return v;
        }
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        path.push(v);
        let mut top = self.ancestor[v as usize];
        while self.ancestor[top as usize] != NONE {
            path.push(top);
            top = self.ancestor[top as usize];
        }
        // The last of the path hangs right below the root; fold labels downwards from there.
        for pair in (0..path.len() - 1).rev() {
            let (low, high) = (path[pair] as usize, path[pair + 1] as usize);
            if self.semi[self.label[high] as usize] < self.semi[self.label[low] as usize] {
                self.label[low] = self.label[high];
            }
            self.ancestor[low] = self.ancestor[high];
        }
        self.path = path;
        self.label[v as usize]
    }
}

#[cfg(test)]
mod tests;
