//! Lanes: the cells at equal steps that a program indexes, as one array term.
//!
//! `int a[100]` inside a struct is a lane of 100 cells; an array of structs has one lane for each member that is
//! indexed, since the cells of one member are never those of another. Indices of nested arrays are put side by side as
//! bits, so that no multiplication is needed.
//!
//! A lane is made by the first access that needs it, and serves every access whose places are among its cells. Where a
//! later one needs other cells that overlap (bytes of an array of `int`), the lanes it meets become one array of
//! smaller cells: joined, not guessed.

use super::*;
use crate::confine::{Dim, Places, index_bits, narrow};

/// The lanes of one object, by where they begin; cloning is cheap.
#[derive(Clone, Default)]
pub(super) struct Lanes {
    by_start: OrdMap<u64, Rc<Lane>>,
    /// No lane is longer.
    longest: u64,
}

impl PartialEq for Lanes {
    fn eq(&self, other: &Self) -> bool {
        self.by_start.ptr_eq(&other.by_start) || self.by_start == other.by_start
    }
}

#[derive(Clone, PartialEq)]
pub(super) struct Lane {
    form: Form,
    /// Cells by index: the bits of the outermost index are the highest.
    array: Term,
}

/// Which bytes belong to a lane.
#[derive(Clone, PartialEq)]
pub(super) struct Form {
    start: u64,
    /// Stride and count, the largest stride first; each stride spans all that is inside it.
    dims: Vec<(u64, u64)>,
    /// Bytes of a cell.
    cell: u64,
}

impl Lanes {
    pub fn is_empty(&self) -> bool {
        self.by_start.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Rc<Lane>> {
        self.by_start.values()
    }

    fn insert(&mut self, lane: Lane) {
        self.longest = self.longest.max(lane.form.end() - lane.form.start);
        self.by_start.insert(lane.form.start, Rc::new(lane));
    }

    /// The lanes that have a cell, or the room between two, in a range.
    fn near(&self, from: u64, to: u64) -> impl Iterator<Item = &Rc<Lane>> {
        let first = from.saturating_sub(self.longest);
        self.by_start.range(first..to).map(|(_, l)| l).filter(move |l| l.form.end() > from)
    }

    /// The cell that holds a byte.
    fn cell_at(&self, at: u64) -> Option<(&Rc<Lane>, u64, u64)> {
        self.near(at, at + 1).find_map(|lane| lane.form.locate(at).map(|(start, index)| (lane, start, index)))
    }
}

impl Lane {
    fn read(&self, terms: &mut Terms, index: u64) -> Term {
        let (width, _) = terms.array_widths(self.array);
        let index = terms.bv(width, index);
        terms.select(self.array, index)
    }
}

impl Form {
    fn of(places: &Places, cell: u64) -> Form {
        Form { start: places.first, dims: places.dims.iter().map(|d| (d.stride, d.count)).collect(), cell }
    }

    /// Cells of this width one after the other.
    fn plain(start: u64, end: u64, cell: u64) -> Form {
        Form { start, dims: vec![(cell, (end - start).div_ceil(cell))], cell }
    }

    fn inside(&self, from: usize) -> u64 {
        self.dims[from..].iter().map(|(s, c)| s * (c - 1)).sum::<u64>() + self.cell
    }

    fn end(&self) -> u64 {
        self.start + self.inside(0)
    }

    fn index_bits(&self) -> u16 {
        self.dims.iter().map(|(_, c)| index_bits(*c)).sum::<u16>().max(1)
    }

    fn cells(&self) -> u64 {
        self.dims.iter().fold(1, |all, (_, c)| all.saturating_mul(*c))
    }

    /// Where the cell with this byte begins, and its index.
    fn locate(&self, at: u64) -> Option<(u64, u64)> {
        let mut rest = at.checked_sub(self.start)?;
        let mut index = 0;
        for &(stride, count) in &self.dims {
            let here = (rest / stride).min(count - 1);
            rest -= here * stride;
            index = index << index_bits(count) | here;
        }
        (rest < self.cell).then_some((at - rest, index))
    }

    /// The cells that meet a range, each with its index.
    fn cells_in(&self, from: u64, to: u64) -> Vec<(u64, u64)> {
        let mut found = vec![(self.start, 0)];
        for (d, &(stride, count)) in self.dims.iter().enumerate() {
            let inside = self.inside(d + 1);
            let mut next = Vec::new();
            for (at, index) in found {
                let low = (from + 1).saturating_sub(at + inside).div_ceil(stride);
                let high = match to.checked_sub(at + 1) {
                    Some(room) => (room / stride + 1).min(count),
                    None => 0,
                };
                next.extend((low..high).map(|k| (at + k * stride, index << index_bits(count) | k)));
            }
            found = next;
        }
        found.retain(|(at, _)| *at < to && at + self.cell > from);
        found
    }

    /// By their strides, no byte of one belongs to the other.
    fn apart(&self, other: &Form) -> bool {
        if self.end() <= other.start || other.end() <= self.start {
            return true;
        }
        // Members of the same array of structs.
        let (Some(&(stride, _)), Some(&(theirs, _))) = (self.dims.first(), other.dims.first()) else { return false };
        if stride != theirs {
            return false;
        }
        let (a, b) = (self.start % stride, other.start % stride);
        let (a_end, b_end) = (a + self.inside(1), b + other.inside(1));
        a_end.max(b_end) <= stride && (a_end <= b || b_end <= a)
    }

    /// Cells one after the other, of which those of the other are made up.
    fn absorbs(&self, other: &Form) -> bool {
        let plain = self.dims.len() == 1 && self.dims[0].0 == self.cell;
        let steps = other.dims.iter().map(|(s, _)| *s).chain([other.cell]);
        plain
            && self.start <= other.start
            && other.end() <= self.end()
            && (other.start - self.start).is_multiple_of(self.cell)
            && steps.into_iter().all(|s| s.is_multiple_of(self.cell))
    }

    /// The index of the cell for each of an access's places, and where in the cell it begins, if one cell holds each.
    fn index(&self, terms: &mut Terms, places: &Places, bytes: u64) -> Option<(Term, u64)> {
        let mut rest = places.first.checked_sub(self.start)?;
        let mut fixed: Vec<u64> = Vec::new();
        for &(stride, count) in &self.dims {
            let here = (rest / stride).min(count - 1);
            rest -= here * stride;
            fixed.push(here);
        }
        if rest + bytes > self.cell {
            return None;
        }
        let mut most = fixed.clone();
        let mut owners: Vec<Vec<(u64, &Dim)>> = vec![Vec::new(); self.dims.len()];
        for dim in &places.dims {
            let d = self.dims.iter().position(|(stride, _)| dim.stride.is_multiple_of(*stride))?;
            let times = dim.stride / self.dims[d].0;
            most[d] = most[d].checked_add(times.checked_mul(dim.count - 1)?)?;
            owners[d].push((times, dim));
        }
        if most.iter().zip(&self.dims).any(|(most, (_, count))| most >= count) {
            return None;
        }
        let width = places.dims.first().map_or(64, |d| terms.width(d.index));
        let mut out: Option<Term> = None;
        for (d, &(_, count)) in self.dims.iter().enumerate() {
            let mut index = terms.bv(width, fixed[d]);
            for (times, dim) in &owners[d] {
                let times = terms.bv(width, *times);
                let scaled = terms.mul(dim.index, times);
                index = terms.add(index, scaled);
            }
            let bits = narrow(terms, &Dim { stride: 1, count: count.max(2), index });
            out = Some(match out {
                Some(high) if count > 1 => terms.concat(high, bits),
                Some(high) => high,
                None => bits,
            });
        }
        out.map(|index| (index, rest))
    }
}

impl Contents {
    /// Whether a lane for these places, and the lanes it would meet, stays of a size that can be taken apart again.
    pub(super) fn can_be_lane(&self, places: &Places, n: u64) -> bool {
        let cell = self.cell_for(places, n);
        let input = matches!(self.base, Base::Input(_));
        !input && self.room_for(Form::of(places, cell)).cells() <= MAX_LANE_CELLS
    }

    /// Reads `n` bytes at one of the places.
    pub(super) fn load_at(&mut self, terms: &mut Terms, places: &Places, n: u64) -> Term {
        let cell = self.cell_for(places, n);
        let parts: Vec<Term> = (0..n / cell).map(|k| self.load_cell(terms, &places.moved(k * cell), cell)).collect();
        join(terms, &parts)
    }

    /// Writes at one of the places.
    pub(super) fn store_at(&mut self, terms: &mut Terms, places: &Places, value: Term) {
        let n = u64::from(terms.width(value)) / 8;
        let cell = self.cell_for(places, n);
        for k in 0..n / cell {
            let part = slice(terms, value, k * cell, cell);
            self.store_cell(terms, &places.moved(k * cell), part);
        }
    }

    /// The cells that an access is split into: not wider than those of lanes it meets.
    fn cell_for(&self, places: &Places, n: u64) -> u64 {
        let cell = places.cell_bytes(n, MAX_CELL);
        self.lanes.near(places.first, places.end(n)).fold(cell, |c, lane| c.min(lane.form.cell))
    }

    fn load_cell(&mut self, terms: &mut Terms, places: &Places, cell: u64) -> Term {
        let few = places.cells() <= MAX_MUX;
        if few && self.lanes.near(places.first, places.end(cell)).next().is_none() {
            return self.choose(terms, places, cell, 0, places.first);
        }
        let Some((start, index, within)) = self.lane_for(terms, places, cell, few) else {
            return if few {
                self.choose(terms, places, cell, 0, places.first)
            } else {
                self.load_at(terms, places, cell)
            };
        };
        let lane = &self.lanes.by_start[&start];
        let word = terms.select(lane.array, index);
        slice(terms, word, within, cell)
    }

    fn store_cell(&mut self, terms: &mut Terms, places: &Places, value: Term) {
        let cell = u64::from(terms.width(value)) / 8;
        let few = places.cells() <= MAX_MUX;
        if few && self.lanes.near(places.first, places.end(cell)).next().is_none() {
            return self.store_each(terms, places, value);
        }
        let Some((start, index, within)) = self.lane_for(terms, places, cell, few) else {
            return if few { self.store_each(terms, places, value) } else { self.store_at(terms, places, value) };
        };
        let mut lane = (*self.lanes.by_start[&start]).clone();
        let value = if lane.form.cell == cell {
            value
        } else {
            let old = terms.select(lane.array, index);
            replaced(terms, old, within, value)
        };
        lane.array = terms.store(lane.array, index, value);
        self.lanes.by_start.insert(start, Rc::new(lane));
    }

    /// The lane that holds all places, with everything written so far, the index there and the place in the cell.
    /// `None` if no lane holds them and the places are few, or if the lane made for them has smaller cells.
    fn lane_for(&mut self, terms: &mut Terms, places: &Places, cell: u64, few: bool) -> Option<(u64, Term, u64)> {
        let near: Vec<Rc<Lane>> = self.lanes.near(places.first, places.end(cell)).cloned().collect();
        for lane in near {
            if let Some((index, within)) = lane.form.index(terms, places, cell) {
                self.flush_lane(terms, lane.form.start);
                return Some((lane.form.start, index, within));
            }
        }
        if few {
            return None;
        }
        let form = self.room_for(Form::of(places, cell));
        let start = form.start;
        self.make_lane(terms, form);
        let lane = Rc::clone(&self.lanes.by_start[&start]);
        if lane.form.cell < cell {
            return None;
        }
        let (index, within) =
            lane.form.index(terms, places, cell).expect("a lane made for an access should hold all its places");
        Some((start, index, within))
    }

    /// The form of a lane that holds these cells and all of the lanes that they meet.
    pub(super) fn room_for(&self, wanted: Form) -> Form {
        let mut form = wanted;
        loop {
            let clash = |f: &Form| *f != form && !f.apart(&form) && !form.absorbs(f);
            let Some(met) = self.lanes.near(form.start, form.end()).map(|l| &l.form).find(|f| clash(f)) else {
                return form;
            };
            let (start, end) = (form.start.min(met.start), form.end().max(met.end()));
            let steps = form.dims.iter().chain(&met.dims).map(|(s, _)| *s);
            let all = steps.chain([form.start - start, met.start - start, form.cell, met.cell]);
            let cell = all.filter(|s| *s > 0).fold(MAX_CELL, |cell, s| cell.min(1 << s.trailing_zeros().min(3)));
            form = Form::plain(start, end, cell);
        }
    }

    /// Makes a lane of this form out of what is there; lanes it meets are part of it.
    fn make_lane(&mut self, terms: &mut Terms, form: Form) {
        if self.lanes.by_start.get(&form.start).is_some_and(|l| l.form == form) {
            return self.flush_lane(terms, form.start);
        }
        let bits = form.index_bits();
        let fill = self.base.fill_value(terms, form.cell);
        let mut array = terms.const_array(bits, fill);
        for (at, index) in self.distinct_cells(&form) {
            let value = self.read(terms, at, form.cell);
            if value != fill {
                let index = terms.bv(bits, index);
                array = terms.store(array, index, value);
            }
            self.clear(terms, at, at + form.cell);
        }
        let met: Vec<u64> =
            self.lanes.near(form.start, form.end()).filter(|l| !l.form.apart(&form)).map(|l| l.form.start).collect();
        for start in met {
            self.lanes.by_start.remove(&start);
        }
        self.lanes.insert(Lane { form, array });
    }

    /// The cells of a form that may hold something else than the base has everywhere.
    fn distinct_cells(&self, form: &Form) -> Vec<(u64, u64)> {
        let uniform = matches!(self.base, Base::Fill(_));
        let has_lanes = self.lanes.near(form.start, form.end()).any(|l| !l.form.apart(form));
        let data_end = match &self.base {
            Base::Data(initial) => initial.end(),
            Base::Fill(_) => 0,
            Base::Input(_) | Base::Cells { .. } => u64::MAX,
        };
        let whole = if has_lanes || !uniform { form.end().min(data_end) } else { 0 };
        let whole = if has_lanes { form.end() } else { whole };
        let mut cells = if whole > form.start { form.cells_in(form.start, whole) } else { Vec::new() };
        let before = self.piece_at(form.start).map_or(form.start, |(s, _)| s);
        for (&at, piece) in self.overlay.range(before..form.end()) {
            if at + piece.bytes > whole {
                cells.extend(form.cells_in(at.max(form.start), at + piece.bytes));
            }
        }
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// Writes what the overlay has of a lane's cells into its array.
    fn flush_lane(&mut self, terms: &mut Terms, start: u64) {
        let lane = Rc::clone(&self.lanes.by_start[&start]);
        let form = &lane.form;
        let before = self.piece_at(form.start).map_or(form.start, |(s, _)| s);
        let mut cells = Vec::new();
        for (&at, piece) in self.overlay.range(before..form.end()) {
            cells.extend(form.cells_in(at, at + piece.bytes));
        }
        if cells.is_empty() {
            return;
        }
        cells.sort_unstable();
        cells.dedup();
        let (bits, _) = terms.array_widths(lane.array);
        let mut array = lane.array;
        for (at, index) in cells {
            let value = self.read(terms, at, form.cell);
            let index = terms.bv(bits, index);
            array = terms.store(array, index, value);
            self.clear(terms, at, at + form.cell);
        }
        let form = form.clone();
        self.lanes.by_start.insert(start, Rc::new(Lane { form, array }));
    }

    /// Bytes `at..stop`, none of which is in the overlay.
    pub(super) fn read_below(&self, terms: &mut Terms, at: u64, stop: u64, parts: &mut Vec<Term>) {
        let mut at = at;
        while at < stop {
            let end = self.chunk_of_lanes(at).map_or(stop, |e| e.min(stop));
            match self.lanes.cell_at(at) {
                Some((lane, start, index)) => {
                    let word = lane.read(terms, index);
                    parts.push(slice(terms, word, at - start, end - at));
                }
                None => parts.push(self.base.read(terms, at, end - at)),
            }
            at = end;
        }
    }

    /// Where what lies below the overlay at `at` had best be cut.
    pub(super) fn chunk_below(&self, at: u64) -> u64 {
        let base = self.base.chunk_end(at);
        match self.lanes.cell_at(at) {
            Some((lane, start, _)) => start + lane.form.cell,
            None => self.chunk_of_lanes(at).map_or(base, |e| e.min(base)),
        }
    }

    /// Where the cell at `at` ends, or the next one begins; nothing if there is none within a few words.
    fn chunk_of_lanes(&self, at: u64) -> Option<u64> {
        if self.lanes.is_empty() {
            return None;
        }
        if let Some((lane, start, _)) = self.lanes.cell_at(at) {
            return Some(start + lane.form.cell);
        }
        let next = self.lanes.near(at, at + FAR).flat_map(|l| l.form.cells_in(at, at + FAR)).map(|(s, _)| s).min();
        Some(next.unwrap_or(at + FAR))
    }

    pub(super) fn in_lane(&self, at: u64) -> bool {
        self.lanes.cell_at(at).is_some()
    }

    /// Gives up all lanes: their cells become pieces of the overlay where that has none.
    pub(super) fn dissolve(&mut self, terms: &mut Terms) {
        let lanes = std::mem::take(&mut self.lanes);
        for lane in lanes.iter() {
            for (at, index) in lane.form.cells_in(lane.form.start, lane.form.end()) {
                let value = lane.read(terms, index);
                self.write_below(terms, at, value);
            }
        }
    }

    /// Writes where the overlay has nothing.
    fn write_below(&mut self, terms: &mut Terms, off: u64, value: Term) {
        let end = off + u64::from(terms.width(value)) / 8;
        let mut at = off;
        while at < end {
            match self.piece_at(at) {
                Some((start, piece)) => at = start + piece.bytes,
                None => {
                    let stop = self.next_piece(at).map_or(end, |s| s.min(end));
                    let part = slice(terms, value, at - off, stop - at);
                    self.overlay.insert(at, Piece { value: part, bytes: stop - at });
                    at = stop;
                }
            }
        }
    }

    /// Both have lanes of the same forms afterwards.
    pub(super) fn align_lanes(&mut self, terms: &mut Terms, other: &mut Contents) {
        loop {
            let missing = |a: &Contents, b: &Contents| {
                a.lanes.iter().find(|l| b.lanes.by_start.get(&l.form.start).is_none_or(|m| m.form != l.form)).cloned()
            };
            let (Some(lane), theirs) = (match missing(self, other) {
                Some(lane) => (Some(lane), true),
                None => (missing(other, self), false),
            }) else {
                return;
            };
            let (has, lacks) = if theirs { (&mut *self, &mut *other) } else { (&mut *other, &mut *self) };
            let form = lacks.room_for(lane.form.clone());
            let form = has.room_for(form);
            lacks.make_lane(terms, form.clone());
            has.make_lane(terms, form);
        }
    }

    /// The arrays of lanes where two paths join; the forms are the same.
    pub(super) fn merge_lanes(&mut self, terms: &mut Terms, other: &Contents, cond: Term) {
        let differing: Vec<(u64, Term)> = (self.lanes.iter().zip(other.lanes.iter()))
            .filter(|(a, b)| a.array != b.array)
            .map(|(a, b)| (a.form.start, b.array))
            .collect();
        for (start, theirs) in differing {
            let mut lane = (*self.lanes.by_start[&start]).clone();
            lane.array = terms.ite(cond, theirs, lane.array);
            self.lanes.by_start.insert(start, Rc::new(lane));
        }
    }

    /// Where lanes may hold pointers, and what they hold.
    pub(super) fn lane_values(&self, terms: &Terms) -> Vec<(Vec<u64>, Vec<Term>)> {
        let each = self.lanes.iter().map(|lane| {
            let cells = lane.form.cells_in(lane.form.start, lane.form.end());
            (cells.into_iter().map(|(at, _)| at).collect(), named_values(terms, lane.array))
        });
        each.collect()
    }

    /// The value at the place that the indices from the `d`-th on choose.
    fn choose(&self, terms: &mut Terms, places: &Places, cell: u64, d: usize, at: u64) -> Term {
        let Some(dim) = places.dims.get(d) else { return self.read(terms, at, cell) };
        let level: Vec<Term> =
            (0..dim.count).map(|k| self.choose(terms, places, cell, d + 1, at + k * dim.stride)).collect();
        let index = narrow(terms, dim);
        mux(terms, &level, index, cell)
    }

    /// Writes to each place under the condition that it is meant.
    fn store_each(&mut self, terms: &mut Terms, places: &Places, value: Term) {
        let cell = u64::from(terms.width(value)) / 8;
        let mut found = vec![(places.first, terms.tru())];
        for dim in &places.dims {
            let index = narrow(terms, dim);
            let width = terms.width(index);
            let mut next = Vec::new();
            for k in 0..dim.count {
                let number = terms.bv(width, k);
                let here = terms.eq(index, number);
                if !terms.is_false(here) {
                    for &(at, cond) in &found {
                        next.push((at + k * dim.stride, terms.and(cond, here)));
                    }
                }
            }
            found = next;
        }
        for (at, hit) in found {
            if terms.is_false(hit) {
                continue;
            }
            let old = self.read(terms, at, cell);
            let new = terms.ite(hit, value, old);
            self.write(terms, at, new);
        }
    }
}

/// Bytes beyond which no cell is looked for when a read is cut.
const FAR: u64 = 64;

/// A cell with some of its bytes replaced.
fn replaced(terms: &mut Terms, old: Term, from: u64, value: Term) -> Term {
    let (whole, n) = (u64::from(terms.width(old)) / 8, u64::from(terms.width(value)) / 8);
    let mut parts = Vec::new();
    if from > 0 {
        parts.push(slice(terms, old, 0, from));
    }
    parts.push(value);
    if from + n < whole {
        parts.push(slice(terms, old, from + n, whole - from - n));
    }
    join(terms, &parts)
}
