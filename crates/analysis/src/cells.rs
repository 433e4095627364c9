//! Classes of memory under unification, with fields by offset.
//!
//! A node stands for a set of objects; a cell is a place in a node. Merging two nodes at different offsets shifts one
//! of them. A node into which pointers go at steps of n bytes has a stride: offsets count modulo n.

use blitz_base::id_type;
use blitz_ir::FuncId;
use std::collections::{BTreeMap, BTreeSet};

id_type!(
    /// A class of memory.
    Region,
    "region"
);

/// A class that copies fill with more fields than this is an array: copies in a cycle of classes, each to another
/// offset, would otherwise add fields for ever.
const MAX_FIELDS: usize = 64;
/// The step such an array is taken to have first.
const WORD: u64 = 8;

/// A place in a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    node: u32,
    offset: i64,
}

#[derive(Default)]
struct Node {
    /// Where the node went when it was merged: offset 0 of it is `delta` of the parent.
    parent: Option<(u32, i64)>,
    stride: u64,
    /// What the pointers stored at an offset mean.
    fields: BTreeMap<i64, Cell>,
    funcs: BTreeSet<FuncId>,
}

/// All nodes.
#[derive(Default)]
pub struct Cells {
    nodes: Vec<Node>,
    /// Grows with every merge: a fixed point is reached when it stands still.
    pub changes: u64,
}

impl Cells {
    /// A new class.
    pub fn fresh(&mut self) -> Cell {
        self.nodes.push(Node::default());
        Cell { node: (self.nodes.len() - 1) as u32, offset: 0 }
    }

    /// The place `by` bytes further.
    pub fn shifted(&self, cell: Cell, by: i64) -> Cell {
        Cell { offset: cell.offset.wrapping_add(by), ..cell }
    }

    /// What a pointer stored at this place means.
    pub fn field(&mut self, cell: Cell) -> Cell {
        let (root, offset) = self.find_mut(cell);
        let at = self.place(root, offset);
        if let Some(&found) = self.nodes[root as usize].fields.get(&at) {
            return found;
        }
        let new = self.fresh();
        self.nodes[root as usize].fields.insert(at, new);
        new
    }

    /// Pointers into this place move by multiples of `step` bytes.
    pub fn stride(&mut self, cell: Cell, step: u64) {
        let (root, _) = self.find_mut(cell);
        let old = self.nodes[root as usize].stride;
        let new = gcd(old, step);
        if new != old {
            self.set_stride(root, new);
        }
    }

    /// A function whose address this is.
    pub fn add_func(&mut self, cell: Cell, func: FuncId) {
        let (root, _) = self.find_mut(cell);
        if self.nodes[root as usize].funcs.insert(func) {
            self.changes += 1;
        }
    }

    pub fn funcs(&self, cell: Cell) -> Vec<FuncId> {
        let (root, _) = self.find(cell);
        self.nodes[root as usize].funcs.iter().copied().collect()
    }

    /// The two places are one.
    pub fn unify(&mut self, a: Cell, b: Cell) {
        let mut work = vec![(a, b)];
        while let Some((a, b)) = work.pop() {
            let ((x, at_x), (y, at_y)) = (self.find_mut(a), self.find_mut(b));
            if x == y {
                self.stride_by_gap(x, at_x, at_y);
                continue;
            }
            self.changes += 1;
            let gone = std::mem::take(&mut self.nodes[y as usize]);
            let delta = at_x.wrapping_sub(at_y);
            self.nodes[y as usize].parent = Some((x, delta));
            let stride = gcd(self.nodes[x as usize].stride, gone.stride);
            if stride != self.nodes[x as usize].stride {
                self.set_stride_into(x, stride, &mut work);
            }
            self.nodes[x as usize].funcs.extend(gone.funcs);
            for (offset, cell) in gone.fields {
                self.add_field(x, offset.wrapping_add(delta), cell, &mut work);
            }
        }
    }

    /// Pointers stored in one place may also be stored in the other: `len` bytes are copied.
    pub fn copy(&mut self, dst: Cell, src: Cell, len: Option<u64>) {
        let (root, at) = self.find_mut(src);
        let (to, to_at) = self.find_mut(dst);
        if root == to {
            // A class moved within itself: what is at one offset may come to be at any multiple of the gap.
            self.stride_by_gap(root, at, to_at);
            return;
        }
        let fields: Vec<(i64, Cell)> = self.nodes[root as usize]
            .fields
            .iter()
            .filter(|(o, _)| {
                len.is_none_or(|n| **o >= at && (**o - at) < n as i64) || self.nodes[root as usize].stride != 0
            })
            .map(|(o, c)| (*o, *c))
            .collect();
        for (offset, cell) in fields {
            let there = self.shifted(dst, offset.wrapping_sub(at));
            let there = self.field(there);
            self.unify(there, cell);
        }
        let (to, _) = self.find_mut(dst);
        if self.nodes[to as usize].fields.len() > MAX_FIELDS {
            let word = gcd(self.nodes[to as usize].stride, WORD);
            self.set_stride(to, if self.nodes[to as usize].stride == word { 1 } else { word });
        }
    }

    fn stride_by_gap(&mut self, root: u32, a: i64, b: i64) {
        let gap = a.abs_diff(b);
        if gap != 0 && self.place(root, a) != self.place(root, b) {
            let stride = gcd(self.nodes[root as usize].stride, gap);
            self.set_stride(root, stride);
        }
    }

    pub fn region(&self, cell: Cell) -> Region {
        Region(self.find(cell).0)
    }

    pub fn pointee(&self, region: Region) -> Option<Region> {
        let mut all = self.nodes[region.index()].fields.values().map(|c| self.region(*c));
        let first = all.next()?;
        all.all(|r| r == first).then_some(first)
    }

    pub fn root_count(&self) -> usize {
        self.nodes.iter().filter(|n| n.parent.is_none()).count()
    }

    fn add_field(&mut self, root: u32, offset: i64, cell: Cell, work: &mut Vec<(Cell, Cell)>) {
        let at = self.place(root, offset);
        match self.nodes[root as usize].fields.get(&at) {
            Some(&old) => work.push((old, cell)),
            None => {
                self.nodes[root as usize].fields.insert(at, cell);
            }
        }
    }

    fn set_stride(&mut self, root: u32, stride: u64) {
        let mut work = Vec::new();
        self.set_stride_into(root, stride, &mut work);
        for (a, b) in work {
            self.unify(a, b);
        }
    }

    fn set_stride_into(&mut self, root: u32, stride: u64, work: &mut Vec<(Cell, Cell)>) {
        self.changes += 1;
        self.nodes[root as usize].stride = stride;
        let fields = std::mem::take(&mut self.nodes[root as usize].fields);
        for (offset, cell) in fields {
            self.add_field(root, offset, cell, work);
        }
    }

    fn place(&self, root: u32, offset: i64) -> i64 {
        match self.nodes[root as usize].stride {
            0 => offset,
            n => offset.rem_euclid(n as i64),
        }
    }

    fn find(&self, cell: Cell) -> (u32, i64) {
        let (mut node, mut offset) = (cell.node, cell.offset);
        while let Some((parent, delta)) = self.nodes[node as usize].parent {
            node = parent;
            offset = offset.wrapping_add(delta);
        }
        (node, offset)
    }

    /// As `find`, and the way there is shortened.
    fn find_mut(&mut self, cell: Cell) -> (u32, i64) {
        let (root, offset) = self.find(cell);
        let (mut node, mut at) = (cell.node, cell.offset);
        while let Some((parent, delta)) = self.nodes[node as usize].parent {
            self.nodes[node as usize].parent = Some((root, offset.wrapping_sub(at)));
            node = parent;
            at = at.wrapping_add(delta);
        }
        (root, offset)
    }

    /// Shortens the ways to the roots; called now and then, so that `find` can stay read-only.
    pub fn compress(&mut self) {
        for i in 0..self.nodes.len() {
            if self.nodes[i].parent.is_some() {
                let (root, delta) = self.find(Cell { node: i as u32, offset: 0 });
                self.nodes[i].parent = Some((root, delta));
            }
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
