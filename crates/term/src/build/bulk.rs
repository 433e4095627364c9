//! Bulk array operations and searches: `copy`, `fill`, `scan`, `mismatch`.
//!
//! Why terms and not loops: their length may be symbolic, and a read passes through one node instead of thousands of stores. Short ones of
//! constant length become stores or choices, which simplify better. All index arithmetic wraps.

use crate::node::{Kind, Op, Term};
use crate::terms::Terms;

/// Copies and fills up to this length become stores wherever they are.
const SHORT: u64 = 8;
/// Copies and fills up to this length become stores if they start at a constant.
const SHORT_AT_CONSTANT: u64 = 64;
/// How many undecided cells a search turns into choices.
const UNDECIDED: usize = 16;
/// How many cells a search looks at.
const CELLS: u64 = 1 << 16;

/// What a search knows after looking at cells in order.
enum Found {
    /// The first cells decide: the undecided ones (position, whether it is a hit), then a sure hit, or none below the limit.
    Decided(Vec<(u64, Term)>, Option<u64>),
    /// Too much is open; so many cells at the start are sure misses.
    Open(u64),
}

impl Terms {
    /// `dst` except that positions `dst_off + k` hold `src[src_off + k]` for all `k` below `len`.
    pub fn copy(&mut self, dst: Term, dst_off: Term, src: Term, src_off: Term, len: Term) -> Term {
        let sort = self.sort(dst);
        assert_eq!(sort, self.sort(src), "a copy should be between equal sorts");
        if self.is_zero(len) || (dst == src && dst_off == src_off) {
            return dst;
        }
        if let Some(count) = self.short_length(dst_off, len) {
            let values: Vec<Term> = (0..count)
                .map(|k| {
                    let from = self.offset_by(src_off, k);
                    self.select(src, from)
                })
                .collect();
            return self.store_all(dst, dst_off, &values);
        }
        let children = self.intern_bulk([dst, dst_off, src, src_off, len]);
        self.array_node(Kind::Copy, sort, [children, 0, 0])
    }

    /// `array` except that positions `off + k` hold `value` for all `k` below `len`.
    pub fn fill(&mut self, array: Term, off: Term, value: Term, len: Term) -> Term {
        let (_, elem) = self.array_widths(array);
        assert_eq!(self.width(value), elem, "a fill should be of the width of the elements");
        if self.is_zero(len) || self.op(array) == Op::ConstArray(value) {
            return array;
        }
        if let Some(count) = self.short_length(off, len) {
            return self.store_all(array, off, &vec![value; count as usize]);
        }
        let sort = self.sort(array);
        let children = self.intern_bulk([array, off, value, len, len]);
        self.array_node(Kind::Fill, sort, [children, 0, 0])
    }

    fn short_length(&self, off: Term, len: Term) -> Option<u64> {
        let most = if self.is_const(off) { SHORT_AT_CONSTANT } else { SHORT };
        self.as_u64(len).filter(|&n| n <= most)
    }

    fn offset_by(&mut self, off: Term, k: u64) -> Term {
        let k = self.bv(self.width(off), k);
        self.add(off, k)
    }

    fn store_all(&mut self, array: Term, off: Term, values: &[Term]) -> Term {
        let mut out = array;
        for (k, &value) in values.iter().enumerate() {
            let at = self.offset_by(off, k as u64);
            out = self.store(out, at, value);
        }
        out
    }

    /// The least `n` below `limit` with `array[off + n] = value`, else `limit`.
    pub fn scan(&mut self, array: Term, off: Term, value: Term, limit: Term) -> Term {
        let width = self.width(limit);
        let array = self.without_writes_outside(array, off, limit);
        if self.begins_with_write(array, off) {
            return self.scan_after_first(array, off, value, limit);
        }
        let uniform = self.uniform_from(array, off);
        let found = self.search(limit, uniform, |terms, n| {
            let at = terms.offset_by(off, n);
            let cell = terms.select(array, at);
            terms.eq(cell, value)
        });
        match found {
            Found::Decided(open, hit) => self.first_of(&open, hit, limit),
            Found::Open(missed) => self.after_misses(limit, missed, |terms, missed, limit| {
                let off = terms.add(off, missed);
                let children = terms.intern_bulk([array, off, value, limit, limit]);
                terms.bv_node(Kind::Scan, width, [children, 0, 0])
            }),
        }
    }

    /// Whether the last write is to the first place: once that is decided, it is out of the way.
    fn begins_with_write(&mut self, array: Term, off: Term) -> bool {
        matches!(self.op(array), Op::Store(_, index, _) if index == off)
    }

    fn scan_after_first(&mut self, array: Term, off: Term, value: Term, limit: Term) -> Term {
        let (zero, one) = (self.zero(self.width(limit)), self.bv(self.width(limit), 1));
        let first = self.select(array, off);
        let hit = self.eq(first, value);
        let none = self.eq(limit, zero);
        let at_once = self.or(hit, none);
        if self.is_true(at_once) {
            return zero;
        }
        let (next, rest) = (self.add(off, one), self.sub(limit, one));
        let later = self.scan(array, next, value, rest);
        let after = self.add(later, one);
        self.ite(at_once, zero, after)
    }

    /// The array below the writes that surely lie outside `off .. off + limit`.
    fn without_writes_outside(&mut self, array: Term, off: Term, limit: Term) -> Term {
        let most = if self.width(limit) <= 64 { self.known_bits(limit).max(self.width(limit)) } else { u64::MAX };
        let start = self.place(off);
        let mut at = array;
        while let Op::Store(below, index, _) = self.op(at) {
            let written = self.place(index);
            let distance = self.sub(written.offset, start.offset);
            if written.base != start.base || self.as_u64(distance).is_none_or(|d| d < most) {
                break;
            }
            at = below;
        }
        at
    }

    /// The position from which on, counted from `off`, all cells are the same: behind the writes to an array that began so.
    fn uniform_from(&mut self, array: Term, off: Term) -> Option<u64> {
        let start = self.place(off);
        let (mut at, mut from) = (array, 0u64);
        loop {
            let (below, index, count) = match self.op(at) {
                Op::ConstArray(_) => return Some(from),
                Op::Store(below, index, _) => (below, index, 1),
                Op::Fill { array, off, len, .. } => (array, off, self.as_u64(len)?),
                Op::Copy { dst, dst_off, len, .. } => (dst, dst_off, self.as_u64(len)?),
                _ => return None,
            };
            let written = self.place(index);
            if written.base != start.base {
                return None;
            }
            let distance = self.sub(written.offset, start.offset);
            from = from.max(self.as_u64(distance)?.checked_add(count)?);
            at = below;
        }
    }

    /// The least `n` below `limit` with `a[a_off + n]` different from `b[b_off + n]`, else `limit`.
    pub fn mismatch(&mut self, a: Term, a_off: Term, b: Term, b_off: Term, limit: Term) -> Term {
        let width = self.width(limit);
        if a == b && a_off == b_off {
            return limit;
        }
        let found = self.search(limit, None, |terms, n| {
            let (i, j) = (terms.offset_by(a_off, n), terms.offset_by(b_off, n));
            let (x, y) = (terms.select(a, i), terms.select(b, j));
            terms.ne(x, y)
        });
        match found {
            Found::Decided(open, hit) => self.first_of(&open, hit, limit),
            Found::Open(missed) => self.after_misses(limit, missed, |terms, missed, limit| {
                let (i, j) = (terms.add(a_off, missed), terms.add(b_off, missed));
                let ((a, i), (b, j)) = if (b, j) < (a, i) { ((b, j), (a, i)) } else { ((a, i), (b, j)) };
                let children = terms.intern_bulk([a, i, b, j, limit]);
                terms.bv_node(Kind::Mismatch, width, [children, 0, 0])
            }),
        }
    }

    /// A search that starts after cells that are sure misses, if the limit is known to lie beyond them.
    fn after_misses(&mut self, limit: Term, missed: u64, search: impl FnOnce(&mut Terms, Term, Term) -> Term) -> Term {
        let width = self.width(limit);
        let sure = self.as_u64(limit).is_some_and(|limit| missed <= limit);
        let missed = self.bv(width, if sure { missed } else { 0 });
        let rest = self.sub(limit, missed);
        let found = search(self, missed, rest);
        self.add(found, missed)
    }

    fn search(&mut self, limit: Term, uniform: Option<u64>, mut hit: impl FnMut(&mut Terms, u64) -> Term) -> Found {
        let width = self.width(limit);
        let end = match self.as_u64(limit) {
            Some(end) => end,
            None if width < 64 => 1 << width,
            None => u64::MAX,
        };
        let mut open = Vec::new();
        for n in 0..end.min(CELLS) {
            let here = hit(self, n);
            if self.is_true(here) {
                return Found::Decided(open, Some(n));
            }
            if uniform.is_some_and(|from| n >= from) && self.is_false(here) {
                return Found::Decided(open, None);
            }
            if !self.is_false(here) {
                if open.len() == UNDECIDED {
                    return Found::Open(open.first().map_or(0, |&(first, _)| first));
                }
                open.push((n, here));
            }
        }
        if end <= CELLS {
            Found::Decided(open, None)
        } else {
            Found::Open(open.first().map_or(CELLS, |&(first, _)| first))
        }
    }

    /// The first position that hits, as a chain of choices, capped by the limit.
    fn first_of(&mut self, open: &[(u64, Term)], hit: Option<u64>, limit: Term) -> Term {
        let width = self.width(limit);
        let mut out = match hit {
            Some(n) => self.capped(n, limit),
            None => limit,
        };
        for &(n, here) in open.iter().rev() {
            let position = self.bv(width, n);
            let below = self.ult(position, limit);
            let both = self.and(here, below);
            out = self.ite(both, position, out);
        }
        out
    }

    fn capped(&mut self, n: u64, limit: Term) -> Term {
        let position = self.bv(self.width(limit), n);
        let below = self.ult(position, limit);
        self.ite(below, position, limit)
    }
}
