//! Arrays: constant arrays, stores, reads, and merging at joins.
//!
//! A read goes down through everything that surely does not matter: stores at different indices, copies and fills elsewhere. It splits at
//! choices between arrays and at copies and fills that may matter, and stops at a store that may or may not be meant. The walk
//! uses its own stack and a bound on the arrays it visits; past the bound the read stays a node.

use crate::node::{Kind, Op, Term};
use crate::reads::{Place, Seen};
use crate::sort::Sort;
use crate::terms::Terms;
use std::collections::HashMap;

/// How many arrays one read at a constant index may visit before it stays as it is.
const VISITS: usize = 1024;
/// The same for a symbolic index, where less is decided on the way.
const SYMBOLIC_VISITS: usize = 128;
/// How many stores on both sides of a join are merged.
const MERGED_STORES: usize = 64;

/// A read waiting for its parts.
enum Task {
    Visit(Term, Term),
    /// Array and index of the split read, its condition, and the reads it chooses from.
    Join((Term, Term), Term, Part, Part),
    /// The read has the result of another.
    Same((Term, Term), (Term, Term)),
}

#[derive(Clone, Copy)]
enum Part {
    Known(Term),
    Read(Term, Term),
}

/// Where a walk down from an array ended.
enum Stop {
    Value(Term),
    /// Nothing more is known here.
    Stuck(Term),
    Split(Term, Part, Part),
    Elsewhere(Term, Term),
}

impl Terms {
    /// The array that holds `value` at every index.
    pub fn const_array(&mut self, index_width: u16, value: Term) -> Term {
        let sort = Sort::Array { index: index_width, elem: self.width(value) };
        self.array_node(Kind::ConstArray, sort, [value.raw(), 0, 0])
    }

    /// `array` with `value` at `index`.
    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        let sort = self.check_index(array, index);
        let Sort::Array { elem, .. } = sort else {
            unreachable!("an array was checked");
        };
        assert_eq!(self.width(value), elem, "a stored value should have the width of the elements");
        match self.op(array) {
            Op::Store(below, i, _) if i == index => return self.store(below, index, value),
            Op::ConstArray(v) if v == value => return array,
            _ => {}
        }
        if self.op(value) == Op::Select(array, index) {
            return array;
        }
        let place = self.place(index);
        if let Seen::Value(v) = self.reads.look(array, place)
            && v == value
        {
            return array;
        }
        let children = [array.raw(), index.raw(), value.raw()];
        let store = self.array_node(Kind::Store, sort, children);
        self.reads.record(store, array, place, value);
        store
    }

    fn check_index(&self, array: Term, index: Term) -> Sort {
        let sort = self.sort(array);
        let Sort::Array { index: width, .. } = sort else {
            panic!("an array should be here, not a bit-vector");
        };
        assert_eq!(self.width(index), width, "an index should have the width of the array's indices");
        sort
    }

    /// The index as base and constant offset.
    pub(crate) fn place(&mut self, index: Term) -> Place {
        match self.op(index) {
            Op::Const => Place { base: None, offset: index },
            Op::Add(x, k) if self.is_const(k) => match self.low_constant(x) {
                Some((base, low)) => Place { base: Some(base), offset: self.add(low, k) },
                None => Place { base: Some(x), offset: k },
            },
            _ => match self.low_constant(index) {
                Some((base, low)) => Place { base: Some(base), offset: low },
                None => Place { base: Some(index), offset: self.zero(self.width(index)) },
            },
        }
    }

    /// An index as what it is counted from and a constant; a constant alone is counted from nothing.
    pub fn base_and_offset(&mut self, index: Term) -> (Option<Term>, Term) {
        let place = self.place(index);
        (place.base, place.offset)
    }

    /// A term whose low bits are constant, as what is above them and these: a pointer into an object that is not known at
    /// a place that is.
    fn low_constant(&mut self, t: Term) -> Option<(Term, Term)> {
        let Op::Concat(high, low) = self.op(t) else { return None };
        let width = self.width(t);
        if self.is_const(low) {
            if self.is_zero(low) {
                return None;
            }
            let zero = self.zero(self.width(low));
            return Some((self.concat(high, zero), self.zext(low, width)));
        }
        // Only an extension has another concatenation below; those are two deep.
        if !self.is_const(high) {
            return None;
        }
        let (base, offset) = self.low_constant(low)?;
        Some((self.concat(high, base), self.zext(offset, width)))
    }

    /// Whether two indices are surely equal or surely different.
    fn compare_indices(&mut self, i: Term, j: Term) -> Option<bool> {
        if i == j {
            return Some(true);
        }
        let (p, q) = (self.place(i), self.place(j));
        if p.base == q.base || self.surely_different(i, j) {
            return Some(false);
        }
        None
    }

    /// The value of `array` at `index`.
    pub fn select(&mut self, array: Term, index: Term) -> Term {
        self.check_index(array, index);
        match self.walk(array, index) {
            Stop::Value(v) => v,
            Stop::Stuck(a) => self.select_node(a, index),
            Stop::Split(..) | Stop::Elsewhere(..) => self.select_split(array, index),
        }
    }

    fn select_node(&mut self, array: Term, index: Term) -> Term {
        if let Some(choice) = self.read_constants(array, index) {
            return choice;
        }
        let (_, elem) = self.array_widths(array);
        self.binary(Kind::Select, elem, array, index)
    }

    /// Down through what surely does not matter.
    fn walk(&mut self, array: Term, index: Term) -> Stop {
        let place = self.place(index);
        let mut at = array;
        for _ in 0..VISITS {
            at = match self.op(at) {
                Op::ConstArray(v) => return Stop::Value(v),
                Op::Store(below, i, v) => match self.reads.look(at, place) {
                    Seen::Value(v) => return Stop::Value(v),
                    Seen::Below(a) => a,
                    Seen::OtherBase => match self.compare_indices(i, index) {
                        Some(true) => return Stop::Value(v),
                        Some(false) => below,
                        None => return Stop::Stuck(at),
                    },
                },
                Op::Ite(c, x, y) => {
                    return Stop::Split(c, Part::Read(x, index), Part::Read(y, index));
                }
                Op::Fill { array, off, value, len } => {
                    let inside = self.inside(index, off, len).1;
                    if self.is_true(inside) {
                        return Stop::Value(value);
                    }
                    if !self.is_false(inside) {
                        return Stop::Split(inside, Part::Known(value), Part::Read(array, index));
                    }
                    array
                }
                Op::Copy { dst, dst_off, src, src_off, len } => {
                    let (distance, inside) = self.inside(index, dst_off, len);
                    if self.is_false(inside) {
                        dst
                    } else {
                        let from = self.add(distance, src_off);
                        if self.is_true(inside) {
                            return Stop::Elsewhere(src, from);
                        }
                        return Stop::Split(inside, Part::Read(src, from), Part::Read(dst, index));
                    }
                }
                _ => return Stop::Stuck(at),
            };
        }
        Stop::Stuck(at)
    }

    /// The distance of `index` from `off`, and whether it is below `len`.
    fn inside(&mut self, index: Term, off: Term, len: Term) -> (Term, Term) {
        let distance = self.sub(index, off);
        (distance, self.ult(distance, len))
    }

    /// A read that splits: the parts are read first, each once.
    fn select_split(&mut self, array: Term, index: Term) -> Term {
        let root = (array, index);
        if let Some(&done) = self.reads.memo.get(&root) {
            return done;
        }
        let mut done: HashMap<(Term, Term), Term, crate::hash::FastHash> = HashMap::default();
        let mut tasks = vec![Task::Visit(array, index)];
        let mut visits = 0;
        let most = if self.is_const(index) { VISITS } else { SYMBOLIC_VISITS };
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(a, i) => {
                    if done.contains_key(&(a, i)) {
                        continue;
                    }
                    visits += 1;
                    if visits > most {
                        let kept = self.select_node(a, i);
                        done.insert((a, i), kept);
                        continue;
                    }
                    self.visit(a, i, &mut tasks, &mut done);
                }
                Task::Join(key, c, x, y) => {
                    let value = |part| match part {
                        Part::Known(v) => v,
                        Part::Read(a, i) => done[&(a, i)],
                    };
                    let (x, y) = (value(x), value(y));
                    let joined = self.ite(c, x, y);
                    done.insert(key, joined);
                }
                Task::Same(key, other) => {
                    let value = done[&other];
                    done.insert(key, value);
                }
            }
        }
        let result = done[&root];
        self.reads.memo.insert(root, result);
        result
    }

    fn visit(
        &mut self,
        a: Term,
        i: Term,
        tasks: &mut Vec<Task>,
        done: &mut HashMap<(Term, Term), Term, crate::hash::FastHash>,
    ) {
        if let Some(&known) = self.reads.memo.get(&(a, i)) {
            done.insert((a, i), known);
            return;
        }
        match self.walk(a, i) {
            Stop::Value(v) => {
                done.insert((a, i), v);
            }
            Stop::Stuck(stuck) => {
                let kept = self.select_node(stuck, i);
                done.insert((a, i), kept);
            }
            Stop::Elsewhere(array, index) => {
                tasks.push(Task::Same((a, i), (array, index)));
                tasks.push(Task::Visit(array, index));
            }
            Stop::Split(c, x, y) => {
                tasks.push(Task::Join((a, i), c, x, y));
                for part in [x, y] {
                    if let Part::Read(array, index) = part {
                        tasks.push(Task::Visit(array, index));
                    }
                }
            }
        }
    }

    /// A choice between arrays: stores on both sides of a common array become stores of choices.
    pub(crate) fn ite_arrays(&mut self, c: Term, then: Term, other: Term) -> Term {
        if let Some(merged) = self.merge_arrays(c, then, other) {
            return merged;
        }
        let sort = self.sort(then);
        self.array_node(Kind::Ite, sort, [c.raw(), then.raw(), other.raw()])
    }

    fn merge_arrays(&mut self, c: Term, then: Term, other: Term) -> Option<Term> {
        let (common, places) = self.stores_since_join(then, other)?;
        let single = places.len() == 1;
        let base = self.place(*places.first()?).base;
        for &index in &places {
            if !single && self.place(index).base != base {
                return None;
            }
        }
        let mut cells = Vec::new();
        for index in places {
            let (x, y) = (self.select(then, index), self.select(other, index));
            if self.is_open_read(x) || self.is_open_read(y) {
                return None;
            }
            cells.push((index, self.ite(c, x, y)));
        }
        let mut out = common;
        for (index, value) in cells {
            out = self.store(out, index, value);
        }
        Some(out)
    }

    /// A read that stopped at something it may or may not meet. Merging would add such reads where a choice of arrays has none.
    fn is_open_read(&self, t: Term) -> bool {
        match self.op(t) {
            Op::Select(array, _) => !self.is_var(array),
            _ => false,
        }
    }

    /// The array below both, and the indices stored to on the way, each once, lowest store first.
    fn stores_since_join(&self, then: Term, other: Term) -> Option<(Term, Vec<Term>)> {
        let (mut x, mut y) = (then, other);
        let mut places = Vec::new();
        while x != y {
            // Ids are topological: the later one cannot be below the earlier one.
            let later = if x > y { &mut x } else { &mut y };
            let Op::Store(below, index, _) = self.op(*later) else {
                return None;
            };
            *later = below;
            places.push(index);
            if places.len() > MERGED_STORES {
                return None;
            }
        }
        places.reverse();
        let mut seen = std::collections::HashSet::new();
        places.retain(|&index| seen.insert(index));
        Some((x, places))
    }
}
