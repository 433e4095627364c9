//! How classes are divided once the analysis is done: into parts that no access straddles.
//!
//! A part is a range of bytes of a class that is in no member of it. Bytes that no single access reads or writes belong
//! to no part: what a bulk operation does to them nobody sees.
//!
//! Invariant: a load or store is in exactly one part. Parts and lives share one numbering, lives first.

use crate::cells::{Cell, Cells, MAX_NESTING, Region};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// Elements of an array whose parts are kept apart.
const MAX_ELEMENTS: i64 = 64;
/// Beyond all offsets.
const FAR: i64 = 1 << 48;

/// A part of memory that a pointer's range goes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub part: Region,
    /// The bytes of it, counted from where the pointer points to, from the first to behind the last. `None`: any.
    pub spans: Option<Rc<[(i64, i64)]>>,
}

/// The places of a range.
pub type Places = Rc<[Place]>;

/// A class, an offset in it, and how many bytes from there on.
type Query = (u32, i64, Option<u64>);

#[derive(Default)]
pub struct Layout {
    /// Per class: where its parts begin, and end, and their numbers.
    parts: HashMap<u32, Vec<(i64, i64, Region)>>,
    known: RefCell<HashMap<Query, Places>>,
}

impl Layout {
    /// From all single accesses of the program.
    pub fn new(cells: &mut Cells, accesses: &[(Cell, u64)]) -> Self {
        loop {
            let before = cells.changes;
            for &(cell, size) in accesses {
                cells.touched(cell, size);
            }
            if cells.changes == before {
                break;
            }
        }
        cells.compress();
        let mut ranges: BTreeMap<u32, Vec<(i64, i64)>> = BTreeMap::new();
        for &(cell, size) in accesses {
            let Cell { node, offset } = cells.touched(cell, size);
            ranges.entry(node).or_default().push(cells.bounded(node, offset, size));
        }
        let mut layout = Self::default();
        let mut next = cells.after_lives();
        for (node, mut list) in ranges {
            list.sort_unstable();
            let mut joined: Vec<(i64, i64, Region)> = Vec::new();
            for (from, to) in list {
                match joined.last_mut() {
                    Some(last) if from < last.1 => last.1 = last.1.max(to),
                    _ => {
                        joined.push((from, to, next));
                        next.0 += 1;
                    }
                }
            }
            layout.parts.insert(node, joined);
        }
        layout
    }

    /// The part that a load or store is in.
    pub fn part(&self, cells: &Cells, cell: Cell, size: u64) -> Option<Region> {
        let place = self.places(cells, cell, Some(size));
        place.first().map(|p| p.part)
    }

    /// The parts that so many bytes from a place on have something of; all of the class if it is not known how many.
    pub fn places(&self, cells: &Cells, cell: Cell, len: Option<u64>) -> Places {
        let (root, offset) = cells.find(cell);
        let key = (root, cells.place(root, offset), len);
        if let Some(known) = self.known.borrow().get(&key) {
            return Rc::clone(known);
        }
        let mut walk = Walk { layout: self, cells, found: BTreeMap::new(), seen: BTreeSet::new() };
        walk.class(root, key.1, len.map(|n| n as i64), 0, MAX_NESTING);
        let places = walk.found.into_iter().map(|(part, spans)| Place { part, spans: spans.map(joined) });
        let places: Places = places.collect();
        self.known.borrow_mut().insert(key, Rc::clone(&places));
        places
    }
}

fn joined(mut spans: Vec<(i64, i64)>) -> Rc<[(i64, i64)]> {
    spans.sort_unstable();
    let mut out: Vec<(i64, i64)> = Vec::new();
    for (from, to) in spans {
        match out.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out.into()
}

struct Walk<'a> {
    layout: &'a Layout,
    cells: &'a Cells,
    found: BTreeMap<Region, Option<Vec<(i64, i64)>>>,
    /// Classes all of which was noted, and where.
    seen: BTreeSet<(u32, Option<(i64, i64)>)>,
}

impl Walk<'_> {
    fn note(&mut self, part: Region, span: Option<(i64, i64)>) {
        let spans = self.found.entry(part).or_insert_with(|| Some(Vec::new()));
        match (spans.as_mut(), span) {
            (Some(spans), Some(span)) => spans.push(span),
            _ => *spans = None,
        }
    }

    /// `len` bytes of a class from `at` on, which is `base` bytes behind the pointer. Members are at most `depth` deep.
    fn class(&mut self, root: u32, at: i64, len: Option<i64>, base: i64, depth: u32) {
        match (self.cells.node(root).stride as i64, len) {
            (0, Some(len)) => self.window(root, at, at + len, base - at, depth),
            (0, None) => self.window(root, -FAR, FAR, base - at, depth),
            (stride, Some(len)) if (at + len - 1) / stride < MAX_ELEMENTS => {
                let mut start = 0;
                while start < at + len {
                    let (from, to) = ((at - start).max(0), (at + len - start).min(stride));
                    self.window(root, from, to, base - at + start, depth);
                    start += stride;
                }
            }
            (_, len) => self.all(root, len.map(|len| (base, base + len)), depth),
        }
    }

    /// What is between two offsets of a class, whose offset 0 is `base` bytes behind the pointer.
    fn window(&mut self, root: u32, from: i64, to: i64, base: i64, depth: u32) {
        for &(start, end, part) in self.layout.parts.get(&root).into_iter().flatten() {
            if start < to && from < end {
                self.note(part, Some((base + start.max(from), base + end.min(to))));
            }
        }
        let Some(depth) = depth.checked_sub(1) else { return };
        let before = self.cells.node(root).members.range(..to);
        let members: Vec<_> = before.map(|(s, m)| (*s, *m)).filter(|(s, m)| s + m.size as i64 > from).collect();
        for (start, member) in members {
            let (first, last) = (start.max(from), (start + member.size as i64).min(to));
            let (inner, offset) = self.cells.find(self.cells.shifted(member.cell, first - start));
            let at = self.cells.place(inner, offset);
            self.class(inner, at, Some(last - first), base + first, depth);
        }
    }

    /// All of a class; what is known of where that is, is that it is in `whole`.
    fn all(&mut self, root: u32, whole: Option<(i64, i64)>, depth: u32) {
        if !self.seen.insert((root, whole)) {
            return;
        }
        for &(_, _, part) in self.layout.parts.get(&root).into_iter().flatten() {
            self.note(part, whole);
        }
        let Some(depth) = depth.checked_sub(1) else { return };
        let members: Vec<_> = self.cells.node(root).members.values().copied().collect();
        for member in members {
            self.all(self.cells.find(member.cell).0, whole, depth);
        }
    }
}
