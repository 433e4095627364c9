//! The bytes of one object.
//!
//! Newest first: an overlay of values written at constant offsets; *lanes*, arrays of cells for what is indexed (`lanes.rs`): one for an array, one
//! per member for an array of structs; and below them a base: one byte everywhere, the initial data of a global, or an array term of cells.
//! Most objects of most programs need no array, and what a program keeps in one struct is as far apart as it would be in many objects.
//!
//! Where an access at a symbolic offset can begin is found by `confine.rs`. A few places are read and written one by one; many are a lane. Only what
//! no part confines makes one array of the whole object: a bulk operation of unknown length (`bulk.rs` does the short ones), an object of unknown size.
//!
//! Why cells are not always bytes: an array of `int` read and written as `int` is one select per access instead
//! of four. The cell width is fixed when the array is made, from how the object is used then; other
//! accesses go through neighbouring cells.
//!
//! Invariant: pieces of the overlay don't overlap, cells of lanes don't overlap, and an object whose base is an array has no lanes. Offsets outside the object give
//! arbitrary values: the access check in front has excluded them.

mod bulk;
mod cells;
mod lanes;
mod merge;

use crate::confine::Places;
use crate::ranges::Facts;
use crate::shape::{named_values, trailing_zeros};
use blitz_base::Bv;
use blitz_term::{Term, Terms};
use cells::{
    cell_read, cell_write, chunks, first_true, from_le_bytes, granule, join, mux, repeat, slice, terms_width,
    widest_cell,
};
use imbl::OrdMap;
use lanes::Lanes;
use std::rc::Rc;

/// An access that can begin at no more places than this reads and writes each of them, without an array.
const MAX_MUX: u64 = 64;
/// Constant-length copies up to this many bytes go piece by piece.
const MAX_PIECEWISE: u64 = 4096;
/// The same for bytes from outside, which mean nothing by themselves.
const MAX_PIECEWISE_INPUT: u64 = 256;
/// Bytes of an array that are looked through for pointers.
const MAX_SCANNED: u64 = 1 << 14;
/// The widest cell, in bytes.
const MAX_CELL: u64 = 8;
/// Cells of the largest lane; larger objects are one array.
const MAX_LANE_CELLS: u64 = 1 << 16;

/// The contents (or the shadow) of an object.
#[derive(Clone)]
pub struct Contents {
    base: Base,
    overlay: OrdMap<u64, Piece>,
    lanes: Lanes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Piece {
    value: Term,
    bytes: u64,
}

#[derive(Clone)]
enum Base {
    /// This byte everywhere.
    Fill(Term),
    Data(Rc<Initial>),
    /// Bytes from outside: an array of bytes that is only looked into where that is needed.
    Input(Term),
    Cells {
        array: Term,
        bytes: u64,
    },
}

/// Initial data of a global: bytes (zeros after them) and pointers among them by ascending offset.
pub struct Initial {
    pub bytes: Vec<u8>,
    pub pointers: Vec<(u64, Term)>,
    pub pointer_bytes: u64,
}

/// A byte range of an object: both may be symbolic.
#[derive(Clone, Copy)]
pub struct Range<'a> {
    pub off: Term,
    pub len: Term,
    pub within: Within<'a>,
}

/// What bounds an access: the object's size, where constant, and how large numbers are on the path.
#[derive(Clone, Copy)]
pub struct Within<'a> {
    pub size: Option<u64>,
    pub facts: &'a Facts,
    /// How wide the offset of a pointer is; indices into contents may be wider.
    pub off_bits: u16,
}

/// A bulk access that mixes cell widths in an object too large to take apart.
pub struct MixedWidths;

impl Contents {
    /// The same byte everywhere.
    pub fn filled(byte: Term) -> Self {
        Self { base: Base::Fill(byte), overlay: OrdMap::new(), lanes: Lanes::default() }
    }

    /// Initial data.
    pub fn data(initial: Initial) -> Self {
        Self { base: Base::Data(Rc::new(initial)), overlay: OrdMap::new(), lanes: Lanes::default() }
    }

    /// Bytes from outside.
    pub fn input(array: Term) -> Self {
        Self { base: Base::Input(array), overlay: OrdMap::new(), lanes: Lanes::default() }
    }

    /// An array of bytes indexed by offset.
    pub fn bytes(array: Term) -> Self {
        Self { base: Base::Cells { array, bytes: 1 }, overlay: OrdMap::new(), lanes: Lanes::default() }
    }

    /// Whether the two are syntactically the same.
    pub fn same(&self, other: &Contents) -> bool {
        self.base.same(&other.base)
            && (self.overlay.ptr_eq(&other.overlay) || self.overlay == other.overlay)
            && self.lanes == other.lanes
    }

    /// `n` bytes at `off`, the lowest address in the lowest bits.
    pub fn load(&mut self, terms: &mut Terms, off: Term, n: u64, within: Within<'_>) -> Term {
        if let Some(at) = terms.as_u64(off) {
            return self.read(terms, at, n);
        }
        match self.places(terms, off, n, within) {
            Some(places) => self.load_at(terms, &places, n),
            None => {
                let granule = granule(terms, off, n);
                let (array, cell) = self.cells(terms, off, granule.min(widest_cell(terms, off)));
                cell_read(terms, array, cell, off, n)
            }
        }
    }

    /// Writes `value` at `off`.
    pub fn store(&mut self, terms: &mut Terms, off: Term, value: Term, within: Within<'_>) {
        let n = u64::from(terms.width(value)) / 8;
        if let Some(at) = terms.as_u64(off) {
            self.write(terms, at, value);
            return;
        }
        match self.places(terms, off, n, within) {
            Some(places) => self.store_at(terms, &places, value),
            None => {
                let granule = granule(terms, off, n);
                let (array, bytes) = self.cells(terms, off, granule.min(widest_cell(terms, off)));
                let array = cell_write(terms, array, bytes, off, value);
                self.base = Base::Cells { array, bytes };
            }
        }
    }

    /// Where an access can begin, if the contents can be looked at in parts.
    fn places(&self, terms: &mut Terms, off: Term, n: u64, within: Within<'_>) -> Option<Places> {
        let (size, widest) = (within.size?, widest_cell(terms, off));
        if self.is_array() {
            return None;
        }
        // Offsets that can be accessed are not negative: what they are extended with makes no difference.
        let off = terms.as_zext(off).filter(|o| terms.width(*o) == within.off_bits).unwrap_or(off);
        let places = Places::of(terms, within.facts, off, n, Some(size))?;
        // Classes of memory are arrays of bytes, and what a segment makes itself must fit into them.
        let lane = || widest > 1 && self.can_be_lane(&places, n);
        (places.cells() <= MAX_MUX || lane()).then_some(places)
    }

    /// Fills a range with a byte.
    pub fn fill(&mut self, terms: &mut Terms, range: Range<'_>, byte: Term) -> Result<(), MixedWidths> {
        if let (Some(off), Some(len)) = (terms.as_u64(range.off), terms.as_u64(range.len)) {
            if off == 0 && range.within.size.is_some_and(|s| len >= s) {
                *self = Contents::filled(byte);
                return Ok(());
            }
            if len <= MAX_PIECEWISE {
                for (at, n) in chunks(off, len) {
                    let value = repeat(terms, byte, n);
                    self.write(terms, at, value);
                }
                return Ok(());
            }
        }
        if self.fill_confined(terms, range, byte) {
            return Ok(());
        }
        self.make_bytes(terms, range.within.size, terms_width(terms, range.off))?;
        let Base::Cells { array, bytes } = self.base else { unreachable!("just made") };
        let array = terms.fill(array, range.off, byte, range.len);
        self.base = Base::Cells { array, bytes };
        Ok(())
    }

    /// Copies `range.len` bytes from `src` at `src_off` to here at `range.off`.
    pub fn copy(
        &mut self,
        terms: &mut Terms,
        range: Range<'_>,
        src: &mut Contents,
        src_off: Term,
        src_size: Option<u64>,
    ) -> Result<(), MixedWidths> {
        if let (Some(to), Some(from), Some(len)) =
            (terms.as_u64(range.off), terms.as_u64(src_off), terms.as_u64(range.len))
        {
            if to == 0 && from == 0 && range.within.size == Some(len) && src_size == Some(len) {
                *self = src.clone();
                return Ok(());
            }
            if len <= src.most_pieces() {
                for (at, n) in src.layout(from, len) {
                    let value = src.read(terms, at, n);
                    self.write(terms, at - from + to, value);
                }
                return Ok(());
            }
        }
        if self.copy_confined(terms, range, src, src_off, src_size) {
            return Ok(());
        }
        let width = terms_width(terms, range.off);
        src.make_bytes(terms, src_size, width)?;
        self.make_bytes(terms, range.within.size, width)?;
        let (Base::Cells { array: to, .. }, Base::Cells { array: from, .. }) = (&self.base, &src.base) else {
            unreachable!("just made")
        };
        let array = terms.copy(*to, range.off, *from, src_off, range.len);
        self.base = Base::Cells { array, bytes: 1 };
        Ok(())
    }

    /// The least n below `range.len` with `byte` at `range.off + n`, else `range.len`.
    pub fn scan(&mut self, terms: &mut Terms, range: Range<'_>, byte: Term) -> Result<Term, MixedWidths> {
        if let (Some(off), Some(size)) = (terms.as_u64(range.off), range.within.size)
            && let Some(found) = self.scan_here(terms, off, size, byte, range.len)
        {
            return Ok(found);
        }
        self.make_bytes(terms, range.within.size, terms_width(terms, range.off))?;
        let Base::Cells { array, .. } = self.base else { unreachable!("just made") };
        Ok(terms.scan(array, range.off, byte, range.len))
    }

    /// The least n below `range.len` where the two differ, else `range.len`.
    pub fn mismatch(
        &mut self,
        terms: &mut Terms,
        range: Range<'_>,
        other: &mut Contents,
        other_off: Term,
        other_size: Option<u64>,
    ) -> Result<Term, MixedWidths> {
        if let (Some(a), Some(b), Some(n), Some(m)) =
            (terms.as_u64(range.off), terms.as_u64(other_off), range.within.size, other_size)
        {
            let span = n.saturating_sub(a).min(m.saturating_sub(b));
            let span = terms.as_u64(range.len).map_or(span, |l| span.min(l));
            if let Some(found) = self.mismatch_here(terms, a, other, b, span, range.len) {
                return Ok(found);
            }
        }
        if let Some(found) = self.mismatch_confined(terms, range, other, other_off, other_size) {
            return Ok(found);
        }
        let width = terms_width(terms, range.off);
        self.make_bytes(terms, range.within.size, width)?;
        other.make_bytes(terms, other_size, width)?;
        let (Base::Cells { array: a, .. }, Base::Cells { array: b, .. }) = (&self.base, &other.base) else {
            unreachable!("just made")
        };
        Ok(terms.mismatch(*a, range.off, *b, other_off, range.len))
    }

    /// The whole as an array of bytes; `None` where widths mix in an object too large to take apart.
    pub fn array(mut self, terms: &mut Terms, size: Option<u64>, width: u16) -> Option<Term> {
        self.make_bytes(terms, size, width).ok()?;
        match self.base {
            Base::Cells { array, .. } => Some(array),
            Base::Fill(_) | Base::Data(_) | Base::Input(_) => None,
        }
    }

    /// Where pointer-sized words may hold pointers, judged by `names_object`. Bytes from outside hold none.
    pub fn pointer_places(
        &self,
        terms: &mut Terms,
        size: Option<u64>,
        word: u64,
        names_object: &mut dyn FnMut(&mut Terms, Term) -> bool,
    ) -> Vec<u64> {
        if let Base::Cells { array, .. } = self.base {
            let held = named_values(terms, array);
            if held.into_iter().any(|v| self.holds_pointer(terms, v, word, names_object)) {
                let size = size.unwrap_or(MAX_SCANNED).min(MAX_SCANNED);
                return (0..size / word).map(|i| i * word).collect();
            }
        }
        let mut in_lanes = Vec::new();
        for (at, values) in self.lane_values(terms) {
            if values.into_iter().any(|v| self.holds_pointer(terms, v, word, names_object)) {
                in_lanes.extend(at.into_iter().take(MAX_SCANNED as usize).map(|at| at / word * word));
            }
        }
        let mut places: Vec<u64> = match &self.base {
            Base::Data(initial) => initial.pointers.iter().map(|(at, _)| *at).collect(),
            Base::Fill(_) | Base::Input(_) | Base::Cells { .. } => Vec::new(),
        };
        for (&at, piece) in &self.overlay {
            places.extend((at / word..(at + piece.bytes).div_ceil(word)).map(|i| i * word));
        }
        places.append(&mut in_lanes);
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The word at a constant place.
    pub fn word(&self, terms: &mut Terms, at: u64, word: u64) -> Term {
        self.read(terms, at, word)
    }

    /// A cell of an array that is a pointer, or a part of one.
    fn holds_pointer(
        &self,
        terms: &mut Terms,
        value: Term,
        word: u64,
        names_object: &mut dyn FnMut(&mut Terms, Term) -> bool,
    ) -> bool {
        if u64::from(terms.width(value)) == word * 8 {
            return names_object(terms, value);
        }
        // Constant parts of a pointer can't be told from other constants.
        terms.is_const(value) && !terms.is_zero(value)
    }

    /// The longest copy from here that goes piece by piece.
    fn most_pieces(&self) -> u64 {
        match self.base {
            Base::Input(_) if self.overlay.is_empty() => MAX_PIECEWISE_INPUT,
            Base::Fill(_) | Base::Data(_) | Base::Input(_) | Base::Cells { .. } => MAX_PIECEWISE,
        }
    }

    fn is_array(&self) -> bool {
        matches!(self.base, Base::Cells { .. })
    }

    /// Reads at a constant offset.
    fn read(&self, terms: &mut Terms, off: u64, n: u64) -> Term {
        if let Some(p) = self.overlay.get(&off)
            && p.bytes == n
        {
            return p.value;
        }
        let mut parts = Vec::new();
        let (mut at, end) = (off, off + n);
        while at < end {
            match self.piece_at(at) {
                Some((start, piece)) => {
                    let stop = (start + piece.bytes).min(end);
                    parts.push(slice(terms, piece.value, at - start, stop - at));
                    at = stop;
                }
                None => {
                    let stop = self.next_piece(at).map_or(end, |s| s.min(end));
                    self.read_below(terms, at, stop, &mut parts);
                    at = stop;
                }
            }
        }
        join(terms, &parts)
    }

    /// Writes at a constant offset.
    fn write(&mut self, terms: &mut Terms, off: u64, value: Term) {
        let n = u64::from(terms.width(value)) / 8;
        if self.overlay.get(&off).is_none_or(|p| p.bytes != n) {
            self.clear(terms, off, off + n);
        }
        self.overlay.insert(off, Piece { value, bytes: n });
    }

    /// Removes what the overlay has between two offsets, keeping the ends of pieces that stick out.
    fn clear(&mut self, terms: &mut Terms, from: u64, to: u64) {
        let mut hit: Vec<(u64, Piece)> = self.overlay.range(from..to).map(|(&s, &p)| (s, p)).collect();
        if let Some((start, piece)) = self.piece_at(from)
            && start < from
        {
            hit.push((start, piece));
        }
        for (start, piece) in hit {
            self.overlay.remove(&start);
            if start < from {
                let value = slice(terms, piece.value, 0, from - start);
                self.overlay.insert(start, Piece { value, bytes: from - start });
            }
            let end = start + piece.bytes;
            if end > to {
                let value = slice(terms, piece.value, to - start, end - to);
                self.overlay.insert(to, Piece { value, bytes: end - to });
            }
        }
    }

    fn piece_at(&self, at: u64) -> Option<(u64, Piece)> {
        let (&start, &piece) = self.overlay.range(..=at).next_back()?;
        (start + piece.bytes > at).then_some((start, piece))
    }

    fn next_piece(&self, after: u64) -> Option<u64> {
        self.overlay.range(after..).next().map(|(&s, _)| s)
    }

    /// The pieces a range falls into, so that copying keeps values whole.
    pub(crate) fn layout(&self, off: u64, len: u64) -> Vec<(u64, u64)> {
        let mut out = Vec::new();
        let (mut at, end) = (off, off + len);
        while at < end {
            let stop = match self.piece_at(at) {
                Some((start, piece)) => (start + piece.bytes).min(end),
                None => {
                    let gap = self.next_piece(at).map_or(end, |s| s.min(end));
                    self.chunk_below(at).min(gap)
                }
            };
            out.push((at, stop - at));
            at = stop;
        }
        out
    }

    /// The array and its cell width, everything written so far included.
    fn cells(&mut self, terms: &mut Terms, off: Term, granule: u64) -> (Term, u64) {
        let width = terms.width(off);
        if !self.is_array() {
            self.dissolve(terms);
            let cell = self.overlay.iter().fold(granule, |g, (&at, p)| {
                let piece = if p.bytes.is_power_of_two() { p.bytes } else { 1 << p.bytes.trailing_zeros() };
                g.min(piece).min(if at == 0 { g } else { 1 << at.trailing_zeros().min(4) })
            });
            self.base = self.base.to_cells(terms, cell, width);
        }
        self.flush(terms, width);
        let Base::Cells { array, bytes } = self.base else { unreachable!("just made") };
        (array, bytes)
    }

    fn flush(&mut self, terms: &mut Terms, width: u16) {
        let Base::Cells { mut array, bytes } = self.base else { return };
        for (&at, piece) in &self.overlay {
            let off = terms.bv(width, at);
            array = cell_write(terms, array, bytes, off, piece.value);
        }
        self.base = Base::Cells { array, bytes };
        self.overlay = OrdMap::new();
    }

    /// Makes the whole an array of bytes.
    fn make_bytes(&mut self, terms: &mut Terms, size: Option<u64>, width: u16) -> Result<(), MixedWidths> {
        self.dissolve(terms);
        match self.base {
            Base::Cells { bytes: 1, .. } => {}
            Base::Fill(_) | Base::Data(_) | Base::Input(_) => self.base = self.base.to_cells(terms, 1, width),
            Base::Cells { .. } => {
                let size = size.filter(|&s| s <= 65536).ok_or(MixedWidths)?;
                let zero = terms.bv(8, 0);
                let mut array = terms.const_array(width, zero);
                for at in 0..size {
                    let value = self.read(terms, at, 1);
                    let index = terms.bv(width, at);
                    array = terms.store(array, index, value);
                }
                *self = Contents::bytes(array);
            }
        }
        self.flush(terms, width);
        Ok(())
    }

    fn scan_here(&mut self, terms: &mut Terms, off: u64, size: u64, byte: Term, limit: Term) -> Option<Term> {
        let width = terms.width(limit);
        let span = terms.as_u64(limit).map_or(size.saturating_sub(off), |l| l.min(size.saturating_sub(off)));
        let mut tests = Vec::new();
        let mut open = 0;
        for i in 0..span {
            let here = self.read(terms, off + i, 1);
            let hit = terms.eq(here, byte);
            tests.push(hit);
            if terms.is_true(hit) {
                break;
            }
            open += u64::from(!terms.is_false(hit));
            if open > MAX_MUX {
                return None;
            }
        }
        Some(first_true(terms, &tests, limit, width))
    }

    fn mismatch_here(
        &mut self,
        terms: &mut Terms,
        a: u64,
        other: &mut Contents,
        b: u64,
        span: u64,
        limit: Term,
    ) -> Option<Term> {
        let width = terms.width(limit);
        let mut tests = Vec::new();
        let mut open = 0;
        for i in 0..span {
            let (x, y) = (self.read(terms, a + i, 1), other.read(terms, b + i, 1));
            let differ = terms.ne(x, y);
            tests.push(differ);
            if terms.is_true(differ) {
                break;
            }
            open += u64::from(!terms.is_false(differ));
            if open > MAX_MUX {
                return None;
            }
        }
        Some(first_true(terms, &tests, limit, width))
    }
}

impl Base {
    fn same(&self, other: &Base) -> bool {
        match (self, other) {
            (Base::Fill(a), Base::Fill(b)) => a == b,
            (Base::Data(a), Base::Data(b)) => Rc::ptr_eq(a, b),
            (Base::Input(a), Base::Input(b)) => a == b,
            (Base::Cells { array: a, bytes: n }, Base::Cells { array: b, bytes: m }) => a == b && n == m,
            _ => false,
        }
    }

    fn read(&self, terms: &mut Terms, off: u64, n: u64) -> Term {
        match self {
            Base::Fill(byte) => repeat(terms, *byte, n),
            Base::Data(initial) => initial.read(terms, off, n),
            Base::Input(array) => {
                let (width, _) = terms.array_widths(*array);
                let off = terms.bv(width, off);
                cell_read(terms, *array, 1, off, n)
            }
            Base::Cells { array, bytes } => {
                let (index_width, _) = terms.array_widths(*array);
                let off = terms.bv(index_width + bytes.trailing_zeros() as u16, off);
                cell_read(terms, *array, *bytes, off, n)
            }
        }
    }

    /// What a cell holds where nobody has written to it, as far as that is the same everywhere.
    fn fill_value(&self, terms: &mut Terms, cell: u64) -> Term {
        match self {
            Base::Fill(byte) => repeat(terms, *byte, cell),
            Base::Data(_) | Base::Input(_) | Base::Cells { .. } => terms.zero((cell * 8) as u16),
        }
    }

    /// Where a piece that starts at `at` had best end.
    fn chunk_end(&self, at: u64) -> u64 {
        match self {
            Base::Fill(_) | Base::Input(_) => at - at % 8 + 8,
            Base::Data(initial) => initial.chunk_end(at),
            Base::Cells { bytes, .. } => at - at % bytes + bytes,
        }
    }

    /// An array; of bytes where it was one of bytes before.
    fn to_cells(&self, terms: &mut Terms, cell: u64, width: u16) -> Base {
        if let Base::Input(array) = self {
            return Base::Cells { array: *array, bytes: 1 };
        }
        let index_width = width - cell.trailing_zeros() as u16;
        let array = match self {
            Base::Fill(byte) => {
                let value = repeat(terms, *byte, cell);
                terms.const_array(index_width, value)
            }
            Base::Data(initial) => initial.to_array(terms, cell, index_width),
            Base::Input(_) | Base::Cells { .. } => unreachable!("an array should not be made twice"),
        };
        Base::Cells { array, bytes: cell }
    }
}

impl Initial {
    fn read(&self, terms: &mut Terms, off: u64, n: u64) -> Term {
        let first = self.pointers.partition_point(|(at, _)| at + self.pointer_bytes <= off);
        match self.pointers.get(first) {
            Some(&(at, pointer)) if at < off + n => {
                if at == off && n == self.pointer_bytes {
                    return pointer;
                }
                let mut parts = Vec::new();
                let (mut here, end) = (off, off + n);
                while here < end {
                    let value = self.read_byte(terms, here);
                    parts.push(value);
                    here += 1;
                }
                join(terms, &parts)
            }
            _ => {
                let bytes: Vec<u8> = (off..off + n).map(|i| self.bytes.get(i as usize).copied().unwrap_or(0)).collect();
                terms.bv_const(from_le_bytes(&bytes))
            }
        }
    }

    /// Zeros follow from here on.
    fn end(&self) -> u64 {
        self.pointers.last().map_or(0, |(at, _)| at + self.pointer_bytes).max(self.bytes.len() as u64)
    }

    fn read_byte(&self, terms: &mut Terms, off: u64) -> Term {
        let first = self.pointers.partition_point(|(at, _)| at + self.pointer_bytes <= off);
        match self.pointers.get(first) {
            Some(&(at, pointer)) if at <= off => slice(terms, pointer, off - at, 1),
            _ => terms.bv(8, u64::from(self.bytes.get(off as usize).copied().unwrap_or(0))),
        }
    }

    fn chunk_end(&self, at: u64) -> u64 {
        let first = self.pointers.partition_point(|(p, _)| p + self.pointer_bytes <= at);
        let word = at - at % 8 + 8;
        match self.pointers.get(first) {
            Some(&(p, _)) if p <= at => p + self.pointer_bytes,
            Some(&(p, _)) => word.min(p),
            None => word,
        }
    }

    fn to_array(&self, terms: &mut Terms, cell: u64, index_width: u16) -> Term {
        let zero = terms.bv((cell * 8) as u16, 0);
        let mut array = terms.const_array(index_width, zero);
        let end = self.end();
        for i in 0..end.div_ceil(cell) {
            let value = self.read(terms, i * cell, cell);
            if value != zero {
                let index = terms.bv(index_width, i);
                array = terms.store(array, index, value);
            }
        }
        array
    }
}
