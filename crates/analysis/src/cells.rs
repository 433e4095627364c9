//! Classes of memory under unification, with members.
//!
//! A node stands for a set of objects, or of members of objects; a cell is a place in a node. A member whose extent is
//! known has a node of its own, and a pointer to it means that node: what happens to one member says nothing of the
//! others (data structure analysis: Lattner, Adve, "Data Structure Analysis", 2003; members here go by declared extent,
//! not by type). Merging two nodes at different offsets shifts one of them. A node into which pointers go at steps of n
//! bytes has a stride: offsets count modulo n.
//!
//! A pointer that leaves its member (`container_of`) and extents that overlap dissolve the member: it becomes a part of
//! what it is a member of, without bounds. Of several classes it is a member of, these are the ones that begin where
//! the pointer went: the entries of a list, not its head.
//!
//! Direction: optimistic, as C's rules are: a pointer to a member stays in it.

use blitz_ir::FuncId;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A class that copies fill with more fields than this is an array: copies in a cycle of classes, each to another
/// offset, would otherwise add fields for ever.
const MAX_FIELDS: usize = 64;
/// The step such an array is taken to have first.
const WORD: u64 = 8;
/// How deep members are nested: a class that is, by unification, a member of its own member, has no end.
pub(crate) const MAX_NESTING: u32 = 40;

/// A place in a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    pub node: u32,
    pub offset: i64,
}

#[derive(Default)]
pub(crate) struct Node {
    /// Where the node went when it was merged: offset 0 of it is `delta` of the parent.
    parent: Option<(u32, i64)>,
    pub stride: u64,
    /// How large what it stands for is, where that is known.
    size: Option<u64>,
    /// What the pointers stored at an offset mean, where no member is.
    fields: BTreeMap<i64, Cell>,
    /// By where they begin; they don't overlap.
    pub members: BTreeMap<i64, Member>,
    /// What it is a member of: the place there, and what of this node begins at that place.
    outer: BTreeSet<(Cell, i64)>,
    /// Offsets outside of it to which pointers were moved by a constant, not by an index.
    left: BTreeSet<i64>,
    funcs: BTreeSet<FuncId>,
    life: Region,
}

impl Node {
    fn weight(&self) -> usize {
        self.fields.len() + self.members.len() + self.outer.len()
    }
}

blitz_base::ids::id_type!(
    /// A part of memory (`Layout`), or the sizes and the liveness of the objects of a class. Both are numbered
    /// together, lives first.
    #[derive(Default)]
    Region,
    ""
);

/// A member of a class.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub size: u64,
    pub cell: Cell,
}

impl Member {
    fn end(&self, start: i64) -> i64 {
        start.saturating_add(self.size as i64)
    }
}

/// All nodes.
#[derive(Default)]
pub struct Cells {
    nodes: Vec<Node>,
    /// Objects live and die together with their members, so these have one number. What each was merged into.
    lives: Vec<Region>,
    /// Places that are one and were not merged yet.
    pending: Vec<(Cell, Cell)>,
    /// Grows with every merge: a fixed point is reached when it stands still.
    pub changes: u64,
    /// No more members are made: copies between classes whose members overlap would make and dissolve them for ever.
    pub complete: bool,
}

impl Cells {
    /// A new class of objects.
    pub fn fresh(&mut self) -> Cell {
        let life = Region::new(self.lives.len());
        self.lives.push(life);
        self.fresh_node(Node { life, ..Node::default() })
    }

    fn fresh_node(&mut self, node: Node) -> Cell {
        self.nodes.push(node);
        Cell { node: (self.nodes.len() - 1) as u32, offset: 0 }
    }

    /// The place `by` bytes further.
    pub fn shifted(&self, cell: Cell, by: i64) -> Cell {
        Cell { offset: cell.offset.wrapping_add(by), ..cell }
    }

    /// The objects that begin at this place have so many bytes.
    pub fn sized(&mut self, cell: Cell, size: u64) {
        let (root, at) = self.normal(cell);
        let node = &mut self.nodes[root as usize];
        if at == 0 && node.size.is_none() && node.stride == 0 && node.members.is_empty() {
            node.size = Some(size);
        }
    }

    /// The member of so many bytes that begins at a place, as a class of its own where it can be one.
    pub fn member(&mut self, cell: Cell, size: u64) -> Cell {
        let found = self.enter(cell, size);
        self.settle();
        found
    }

    /// A pointer to this place is moved by so many bytes, without a word on where it stays.
    pub fn leave(&mut self, cell: Cell, by: i64) {
        let (root, at) = self.normal(cell);
        let node = &mut self.nodes[root as usize];
        let to = at.wrapping_add(by);
        if node.stride == 0 && (to < 0 || node.size.is_some_and(|s| to > s as i64)) && node.left.len() < MAX_FIELDS {
            node.left.insert(to);
        }
    }

    /// Dissolves members that pointers left; where pointers go by an index, they stay in their array.
    pub fn dissolve_left(&mut self) {
        for i in 0..self.nodes.len() {
            let node = &self.nodes[i];
            if node.left.is_empty() || node.outer.is_empty() || node.stride != 0 {
                continue;
            }
            let (left, outer) = (node.left.clone(), node.outer.clone());
            let size = node.size;
            for to in left.into_iter().filter(|to| *to < 0 || size.is_some_and(|s| *to > s as i64)) {
                let begins_there = |(place, own): &&(Cell, i64)| {
                    let (root, offset) = self.find(*place);
                    self.place(root, offset) == own - to
                };
                let mut containers: Vec<(Cell, i64)> = outer.iter().filter(begins_there).copied().collect();
                if containers.is_empty() {
                    containers.extend(&outer);
                }
                for (place, own) in containers {
                    self.nodes[i].outer.remove(&(place, own));
                    self.pending.push((place, Cell { node: i as u32, offset: own }));
                    self.changes += 1;
                }
            }
            self.settle();
        }
    }

    /// All of a class is one place; unless pointers are stored there, which would then mean one class too.
    pub fn collapse(&mut self, cell: Cell) {
        let (root, _) = self.find_mut(cell);
        let node = &self.nodes[root as usize];
        if node.fields.is_empty() && node.stride != 1 && !node.members.values().any(|m| self.holds_pointers(m.cell)) {
            self.set_stride(root, 1);
            self.settle();
        }
    }

    fn holds_pointers(&self, cell: Cell) -> bool {
        let node = self.node(self.find(cell).0);
        !node.fields.is_empty() || !node.members.is_empty()
    }

    fn enter(&mut self, cell: Cell, size: u64) -> Cell {
        let (mut root, mut at) = self.normal(cell);
        for _ in 0..MAX_NESTING {
            let node = &self.nodes[root as usize];
            let here = Cell { node: root, offset: at };
            let too_large = node.stride != 0 && at as u64 + size > node.stride;
            if too_large || at == 0 && node.size == Some(size) || node.size.is_some_and(|s| at + size as i64 > s as i64)
            {
                return here;
            }
            let Some((start, member)) = self.covering(root, at, size) else { return self.new_member(root, at, size) };
            if (start, member.size) == (at, size) {
                return member.cell;
            }
            (root, at) = self.normal(self.shifted(member.cell, at - start));
        }
        Cell { node: root, offset: at }
    }

    /// A member that is in no other. What is in it goes into it; where it overlaps others, nothing is a member there.
    fn new_member(&mut self, root: u32, at: i64, size: u64) -> Cell {
        let here = Cell { node: root, offset: at };
        let end = at.saturating_add(size as i64);
        let inner = self.overlapping(root, at, end);
        if self.complete || inner.iter().any(|(start, m)| *start < at || m.end(*start) > end) {
            inner.into_iter().for_each(|(start, _)| self.dissolve(root, start));
            return here;
        }
        self.changes += 1;
        let life = self.nodes[root as usize].life;
        let made = self.fresh_node(Node { life, size: Some(size), ..Node::default() });
        self.nodes[made.node as usize].outer.insert((here, 0));
        for (start, member) in inner {
            self.nodes[root as usize].members.remove(&start);
            self.nodes[made.node as usize].members.insert(start - at, member);
            let ((of, own), place) = (self.find_mut(member.cell), self.shifted(made, start - at));
            self.nodes[of as usize].outer.insert((place, own));
        }
        let node = &mut self.nodes[root as usize];
        let fields: Vec<i64> = node.fields.range(at..end).map(|(o, _)| *o).collect();
        let fields: Vec<(i64, Cell)> = fields.into_iter().filter_map(|o| Some((o, node.fields.remove(&o)?))).collect();
        node.members.insert(at, Member { size, cell: made });
        for (offset, cell) in fields {
            let there = self.field_now(Cell { offset: offset - at, ..made });
            self.pending.push((there, cell));
        }
        made
    }

    /// The member that so many bytes at an offset are in.
    pub(crate) fn covering(&mut self, root: u32, at: i64, size: u64) -> Option<(i64, Member)> {
        let (&start, &member) = self.nodes[root as usize].members.range(..=at).next_back()?;
        if at.saturating_add(size as i64) > member.end(start) {
            return None;
        }
        if self.find_mut(member.cell).0 == root {
            self.dissolve(root, start);
            return None;
        }
        Some((start, member))
    }

    /// The members that have bytes in a range.
    fn overlapping(&self, root: u32, from: i64, to: i64) -> Vec<(i64, Member)> {
        let before = self.nodes[root as usize].members.range(..to).rev();
        before.take_while(|(start, m)| m.end(**start) > from).map(|(s, m)| (*s, *m)).collect()
    }

    /// A member becomes a part of its class without bounds.
    fn dissolve(&mut self, root: u32, start: i64) {
        if let Some(member) = self.nodes[root as usize].members.remove(&start) {
            self.changes += 1;
            self.pending.push((Cell { node: root, offset: start }, member.cell));
        }
    }

    /// Where an access of so many bytes is: in a class in no member of which it is. Members it is partly in are
    /// dissolved.
    pub fn touched(&mut self, cell: Cell, size: u64) -> Cell {
        let (mut root, mut at) = self.normal(cell);
        for _ in 0..MAX_NESTING {
            let Some((start, member)) = self.covering(root, at, size) else { break };
            (root, at) = self.normal(self.shifted(member.cell, at - start));
        }
        let (from, to) = self.bounded(root, at, size);
        let partly = self.overlapping(root, from, to);
        partly.into_iter().for_each(|(start, _)| self.dissolve(root, start));
        self.settle();
        Cell { node: root, offset: at }
    }

    /// The bytes of an access; one that is larger than what is left of an array's element may be anywhere in it.
    pub(crate) fn bounded(&self, root: u32, at: i64, size: u64) -> (i64, i64) {
        let (stride, end) = (self.nodes[root as usize].stride as i64, at.saturating_add(size as i64));
        if stride != 0 && end > stride { (0, stride) } else { (at, end) }
    }

    /// What a pointer stored at this place means.
    pub fn field(&mut self, cell: Cell) -> Cell {
        let found = self.field_now(cell);
        self.settle();
        found
    }

    fn field_now(&mut self, cell: Cell) -> Cell {
        let (mut root, mut at) = self.normal(cell);
        for _ in 0..MAX_NESTING {
            let Some((start, member)) = self.covering(root, at, 1) else { break };
            (root, at) = self.normal(self.shifted(member.cell, at - start));
        }
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
            self.settle();
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
        self.pending.push((a, b));
        self.settle();
    }

    fn settle(&mut self) {
        while let Some((a, b)) = self.pending.pop() {
            let ((x, at_x), (y, at_y)) = (self.find_mut(a), self.find_mut(b));
            if x == y {
                self.stride_by_gap(x, at_x, at_y);
            } else if self.nodes[x as usize].weight() >= self.nodes[y as usize].weight() {
                self.merge(x, y, at_x.wrapping_sub(at_y));
            } else {
                self.merge(y, x, at_y.wrapping_sub(at_x));
            }
        }
    }

    /// The class `y` becomes one with `x`, where it begins at `delta`.
    fn merge(&mut self, x: u32, y: u32, delta: i64) {
        self.changes += 1;
        let gone = std::mem::take(&mut self.nodes[y as usize]);
        self.nodes[y as usize].parent = Some((x, delta));
        self.join_lives(self.nodes[x as usize].life, gone.life);
        let node = &mut self.nodes[x as usize];
        node.size = match (node.size, gone.size) {
            (Some(a), Some(b)) if delta == 0 && a == b => Some(a),
            (Some(a), None) | (None, Some(a)) if delta == 0 => Some(a),
            _ => None,
        };
        node.funcs.extend(gone.funcs);
        node.left.extend(gone.left.into_iter().map(|to| to.wrapping_add(delta)));
        let stride = gcd(node.stride, gone.stride);
        if stride != node.stride {
            self.set_stride(x, stride);
        }
        for (offset, cell) in gone.fields {
            self.add_field(x, offset.wrapping_add(delta), cell);
        }
        for (start, member) in gone.members {
            self.add_member(x, start.wrapping_add(delta), member);
        }
        self.merge_outer(x, gone.outer, delta);
    }

    /// What the class is a member of, itself left out: a member that became one with its class is dissolved.
    fn merge_outer(&mut self, x: u32, gone: BTreeSet<(Cell, i64)>, delta: i64) {
        let mine = std::mem::take(&mut self.nodes[x as usize].outer);
        let theirs = gone.into_iter().map(|(place, own)| (place, own.wrapping_add(delta)));
        let mut outer = BTreeSet::new();
        for (place, own) in mine.into_iter().chain(theirs) {
            let (root, at) = self.normal(place);
            if root == x {
                self.dissolve(x, at);
                self.pending.push((place, Cell { node: x, offset: own }));
            } else {
                outer.insert((Cell { node: root, offset: at }, own));
            }
        }
        self.nodes[x as usize].outer = outer;
    }

    /// Pointers stored in one place may also be stored in the other: `len` bytes are copied.
    pub fn copy(&mut self, dst: Cell, src: Cell, len: Option<u64>) {
        let mut seen = HashSet::new();
        let mut todo = vec![(dst, src, len)];
        while let Some((dst, src, len)) = todo.pop() {
            let (src, dst) = (self.inside(src, len), self.inside(dst, len));
            let ((root, at), (to, to_at)) = (self.find_mut(src), self.find_mut(dst));
            if root == to {
                // A class moved within itself: what is at one offset may come to be at any multiple of the gap.
                self.stride_by_gap(root, at, to_at);
                self.settle();
            } else if seen.insert((to, root)) {
                self.copy_fields((dst, to), (root, at), len);
                self.copy_members(dst, (root, at), len, &mut todo);
            }
        }
    }

    /// The innermost class that all of a range is in.
    fn inside(&mut self, cell: Cell, len: Option<u64>) -> Cell {
        let (mut root, mut at) = self.normal(cell);
        for _ in 0..MAX_NESTING {
            let Some((start, member)) = len.and_then(|n| self.covering(root, at, n)) else { break };
            (root, at) = self.normal(self.shifted(member.cell, at - start));
        }
        self.settle();
        Cell { node: root, offset: at }
    }

    fn copy_fields(&mut self, (dst, to): (Cell, u32), (root, at): (u32, i64), len: Option<u64>) {
        let node = &self.nodes[root as usize];
        let meant = |o: i64| node.stride != 0 || len.is_none_or(|n| o >= at && (o - at) < n as i64);
        let fields: Vec<(i64, Cell)> = node.fields.iter().filter(|(o, _)| meant(**o)).map(|(o, c)| (*o, *c)).collect();
        for (offset, cell) in fields {
            let there = self.shifted(dst, offset.wrapping_sub(at));
            let there = self.field(there);
            self.unify(there, cell);
        }
        let (to, _) = self.find_mut(Cell { node: to, offset: 0 });
        if self.nodes[to as usize].fields.len() > MAX_FIELDS {
            let word = gcd(self.nodes[to as usize].stride, WORD);
            self.set_stride(to, if self.nodes[to as usize].stride == word { 1 } else { word });
            self.settle();
        }
    }

    /// The same for members. Where the copy can't have the same one, what its own fields say is copied.
    fn copy_members(
        &mut self,
        dst: Cell,
        (root, at): (u32, i64),
        len: Option<u64>,
        todo: &mut Vec<(Cell, Cell, Option<u64>)>,
    ) {
        let node = &self.nodes[root as usize];
        let stride = node.stride;
        let meant = |start: i64| stride != 0 || len.is_none_or(|n| start >= at && (start - at) < n as i64);
        let members: Vec<(i64, Member)> =
            node.members.iter().filter(|(s, _)| meant(**s)).map(|(s, m)| (*s, *m)).collect();
        for (start, member) in members {
            let place = self.shifted(dst, start.wrapping_sub(at));
            let there = self.member(place, member.size);
            let (of, begins) = self.normal(there);
            if begins == 0 && self.nodes[of as usize].size == Some(member.size) {
                todo.push((there, member.cell, Some(member.size)));
                continue;
            }
            let (inner, first) = self.find_mut(member.cell);
            let fields: Vec<(i64, Cell)> =
                self.nodes[inner as usize].fields.iter().map(|(o, c)| (*o - first, *c)).collect();
            for (offset, cell) in fields {
                let there = self.shifted(place, offset);
                let there = self.field(there);
                self.unify(there, cell);
            }
        }
    }

    fn stride_by_gap(&mut self, root: u32, a: i64, b: i64) {
        let gap = a.abs_diff(b);
        if gap != 0 && self.place(root, a) != self.place(root, b) {
            let stride = gcd(self.nodes[root as usize].stride, gap);
            self.set_stride(root, stride);
        }
    }

    /// The number that a class shares with its members and with what it is a member of.
    pub fn life(&self, cell: Cell) -> Region {
        self.life_root(self.nodes[self.find(cell).0 as usize].life)
    }

    /// The first number that no life has.
    pub fn after_lives(&self) -> Region {
        Region::new(self.lives.len())
    }

    fn life_root(&self, life: Region) -> Region {
        let mut life = life;
        while self.lives[life.index()] != life {
            life = self.lives[life.index()];
        }
        life
    }

    fn join_lives(&mut self, a: Region, b: Region) {
        let (a, b) = (self.life_root(a), self.life_root(b));
        self.lives[b.max(a).index()] = b.min(a);
    }

    /// What pointers stored in a class or its members mean, if they all mean one class.
    pub fn pointee(&self, cell: Cell) -> Option<Cell> {
        let mut found: Option<Cell> = None;
        let mut seen = BTreeSet::new();
        let mut todo = vec![self.find(cell).0];
        while let Some(root) = todo.pop() {
            if !seen.insert(root) {
                continue;
            }
            let node = self.node(root);
            for &c in node.fields.values() {
                let here = self.find(c);
                if found.is_some_and(|f| self.find(f).0 != here.0) {
                    return None;
                }
                found = Some(Cell { node: here.0, offset: here.1 });
            }
            todo.extend(node.members.values().map(|m| self.find(m.cell).0));
        }
        found
    }

    pub fn root_count(&self) -> usize {
        self.nodes.iter().filter(|n| n.parent.is_none()).count()
    }

    pub(crate) fn node(&self, root: u32) -> &Node {
        &self.nodes[root as usize]
    }

    fn add_field(&mut self, root: u32, offset: i64, cell: Cell) {
        let there = self.field_now(Cell { node: root, offset });
        self.pending.push((there, cell));
    }

    /// A member that came from elsewhere.
    fn add_member(&mut self, root: u32, start: i64, member: Member) {
        let at = self.place(root, start);
        let here = self.enter(Cell { node: root, offset: at }, member.size);
        self.pending.push((here, member.cell));
    }

    fn set_stride(&mut self, root: u32, stride: u64) {
        self.changes += 1;
        let node = &mut self.nodes[root as usize];
        node.stride = stride;
        let (fields, members) = (std::mem::take(&mut node.fields), std::mem::take(&mut node.members));
        for (offset, cell) in fields {
            self.add_field(root, offset, cell);
        }
        for (start, member) in members {
            self.add_member(root, start, member);
        }
    }

    pub(crate) fn place(&self, root: u32, offset: i64) -> i64 {
        match self.nodes[root as usize].stride {
            0 => offset,
            n => offset.rem_euclid(n as i64),
        }
    }

    fn normal(&mut self, cell: Cell) -> (u32, i64) {
        let (root, offset) = self.find_mut(cell);
        (root, self.place(root, offset))
    }

    pub(crate) fn find(&self, cell: Cell) -> (u32, i64) {
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
        for i in 0..self.lives.len() {
            self.lives[i] = self.life_root(Region::new(i));
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
