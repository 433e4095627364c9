//! Which bytes of an object an access can touch.
//!
//! Why: programs keep their state in structs. A store to `e->a[i]` changes `a` and nothing else, if `i` stays inside `a`; then all other members
//! keep their constants. What keeps `i` inside is the array-bounds check in front of the access, a test of the program's own, or how `i` was computed:
//! all of them are in the path's [`Facts`] or in the shape of the term, so nothing is assumed where a check is switched off.
//!
//! An offset is taken apart into a constant and indices times strides. Each index has a range; the places an access
//! can begin at are those of nested loops over the indices. A choice between offsets is the union of its sides.
//!
//! Invariant: wherever the facts hold and the access is allowed, its offset is `first + sum of stride * index`, each index below its count.

use crate::ranges::{Facts, all, signed, within};
use crate::shape::trailing_zeros;
use blitz_term::{Op, Term, Terms};
use std::collections::HashMap;

/// Operations that are looked at for one offset, each once; the third element of a list that was pushed to ten times has some hundreds.
const MAX_NODES: u32 = 2000;
/// Nested choices and sums that are followed.
const MAX_DEPTH: u32 = 200;
/// Indices of one access: arrays in structs in arrays are rarely nested deeper.
const MAX_DIMS: usize = 6;
/// The largest stride and constant that are taken apart: no object is larger.
const MAX_STRIDE: i128 = 1 << 40;

/// One index of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    pub stride: u64,
    pub count: u64,
    /// Below `count` wherever the access is allowed; as wide as the offset.
    pub index: Term,
}

/// Where an access can begin. The strides descend, and each is at least as long as all that is inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    pub first: u64,
    pub dims: Vec<Dim>,
}

impl Places {
    /// Where an access of `n` bytes at `off` can begin in an object of `size` bytes (where that is known).
    pub fn of(terms: &mut Terms, facts: &Facts, off: Term, n: u64, size: Option<u64>) -> Option<Places> {
        let by_shape = shape(terms, facts, off, size.is_some(), Beyond::IsExcluded)
            .and_then(|s| s.clipped(terms, n, size, facts.range(terms, off).1));
        let Some(size) = size else { return by_shape };
        let whole = whole(terms, off, n, size);
        match by_shape {
            Some(places) if places.span(n) <= whole.span(n) || places.cells() < whole.cells() => Some(places),
            _ => Some(whole),
        }
    }

    /// How many there are.
    pub fn cells(&self) -> u64 {
        self.dims.iter().fold(1, |all, d| all.saturating_mul(d.count))
    }

    /// From the first byte that an access of `n` bytes can touch to the last.
    pub fn span(&self, n: u64) -> u64 {
        self.dims.iter().map(|d| d.stride * (d.count - 1)).sum::<u64>() + n
    }

    /// The end of the last byte.
    pub fn end(&self, n: u64) -> u64 {
        self.first + self.span(n)
    }

    /// The same, `by` bytes further.
    pub fn moved(&self, by: u64) -> Places {
        Places { first: self.first + by, dims: self.dims.clone() }
    }

    /// The widest cells of which accesses of `n` bytes here touch whole ones: a power of two of at most `most` bytes.
    pub fn cell_bytes(&self, n: u64, most: u64) -> u64 {
        let by_length = 1u64 << n.trailing_zeros().min(3);
        let overlapping = self.dims.iter().map(|d| d.stride).filter(|s| *s < n);
        overlapping.fold(by_length.min(most), |cell, stride| cell.min(1 << stride.trailing_zeros().min(3)))
    }
}

/// All offsets lie between these two, wherever the facts hold, if it shows from how the offset was computed.
pub fn extent(terms: &mut Terms, facts: &Facts, off: Term) -> Option<(i128, i128)> {
    shape(terms, facts, off, true, Beyond::Counts).map(|s| s.range())
}

/// The bits that hold every number below `count`.
pub fn index_bits(count: u64) -> u16 {
    (64 - (count - 1).leading_zeros()) as u16
}

/// An index cut to the bits it needs.
pub fn narrow(terms: &mut Terms, dim: &Dim) -> Term {
    let bits = index_bits(dim.count).clamp(1, terms.width(dim.index));
    terms.extract(dim.index, bits - 1, 0)
}

/// Anywhere in an object, as far as alignment says.
fn whole(terms: &mut Terms, off: Term, n: u64, size: u64) -> Places {
    let zeros = trailing_zeros(terms, off).min(3);
    let (stride, width) = (1u64 << zeros, terms.width(off));
    let count = size.saturating_sub(n) / stride + 1;
    let high = terms.extract(off, width - 1, zeros);
    let index = terms.zext(high, width);
    let dims = if count > 1 { vec![Dim { stride, count, index }] } else { Vec::new() };
    Places { first: 0, dims }
}

/// As `Places`, in numbers that may be negative and with dims in any order.
#[derive(Clone)]
struct Shape {
    first: i128,
    dims: Vec<Part>,
}

#[derive(Clone, Copy)]
struct Part {
    stride: i128,
    count: i128,
    index: Term,
}

/// The shape of a signed offset, if it shows that computing it wraps around nowhere.
fn shape(terms: &mut Terms, facts: &Facts, off: Term, finite: bool, beyond: Beyond) -> Option<Shape> {
    let width = terms.width(off);
    let mut build = Build { terms, facts, width, fuel: MAX_NODES, beyond, known: HashMap::default() };
    let shape = build.of(off, width, true, MAX_DEPTH)?;
    let (low, high) = shape.range();
    // Where the object is finite, its size excludes what is negative; else the sign has to show.
    let fits = within((low, high), all(width)) && (finite || low >= 0);
    fits.then_some(shape)
}

/// Offsets that left what can be addressed are the lowest there is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    /// They count like any other.
    Counts,
    /// A check has excluded them.
    IsExcluded,
}

struct Build<'a> {
    terms: &'a mut Terms,
    facts: &'a Facts,
    /// Of the offset.
    width: u16,
    fuel: u32,
    beyond: Beyond,
    /// What was taken apart: pointers of a list are choices among one another's, and paths through them many more than terms.
    known: HashMap<(Term, u16, bool), Option<Shape>>,
}

impl Build<'_> {
    /// The shape of a term of which the low `bits` matter. If `wraps`, any value with the same low bits is as good; else it is the signed value.
    fn of(&mut self, t: Term, bits: u16, wraps: bool, depth: u32) -> Option<Shape> {
        if let Some(k) = signed(self.terms, t) {
            return (k.abs() < MAX_STRIDE).then(|| Shape { first: k, dims: Vec::new() });
        }
        if let Some(known) = self.known.get(&(t, bits, wraps)) {
            return known.clone();
        }
        self.fuel = self.fuel.checked_sub(1)?;
        if depth == 0 || self.terms.width(t) > 64 {
            return self.atom(t);
        }
        let shape = match self.inner(t, bits, wraps, depth - 1) {
            Some(shape) if shape.dims.len() <= MAX_DIMS && !self.is_told_less(t, &shape) => Some(shape),
            _ => self.atom(t),
        };
        self.known.insert((t, bits, wraps), shape.clone());
        shape
    }

    /// Whether the facts leave fewer values of the term than taking it apart does: a byte of text that a test found to be below seven is one
    /// of seven numbers, not what each byte of the text can be. Steps that show are worth more than a range, which has none.
    fn is_told_less(&self, t: Term, shape: &Shape) -> bool {
        if shape.dims.iter().all(|d| d.stride != 1) {
            return false;
        }
        let (low, high) = self.facts.range(self.terms, t);
        let places = shape.dims.iter().fold(1i128, |all, d| all.saturating_mul(d.count));
        high - low + 1 < places.min(MAX_STRIDE)
    }

    fn inner(&mut self, t: Term, bits: u16, wraps: bool, depth: u32) -> Option<Shape> {
        match self.terms.op(t) {
            Op::Add(a, b) => {
                let (x, y) = (self.of(a, bits, wraps, depth)?, self.of(b, bits, wraps, depth)?);
                let shape = x.plus(y, self.terms);
                self.exact(t, wraps, shape)
            }
            Op::Neg(a) => {
                let x = self.of(a, bits, wraps, depth)?;
                let shape = x.times(-1, self.terms)?;
                self.exact(t, wraps, shape)
            }
            Op::Mul(a, k) => {
                let k = signed(self.terms, k)?;
                let x = self.of(a, bits, wraps, depth)?;
                let shape = x.times(k, self.terms)?;
                self.exact(t, wraps, shape)
            }
            Op::Shl(a, k) => {
                let k = self.terms.as_u64(k).filter(|k| *k < 40)?;
                let x = self.of(a, bits, wraps, depth)?;
                let shape = x.times(1 << k, self.terms)?;
                self.exact(t, wraps, shape)
            }
            Op::Concat(zero, a) if self.terms.is_zero(zero) => {
                let low = self.facts.range(self.terms, a).0;
                if low < 0 {
                    return None;
                }
                self.of(a, self.terms.width(a), false, depth)
            }
            Op::Concat(a, low) => {
                let by = self.terms.width(low);
                let low = i128::from(self.terms.as_u64(low)?);
                if by >= 40 {
                    return None;
                }
                let x = self.of(a, bits.saturating_sub(by), wraps, depth)?;
                let mut shape = x.times(1 << by, self.terms)?;
                shape.first += low;
                Some(shape)
            }
            Op::Sext(a) => self.of(a, self.terms.width(a), false, depth),
            Op::Extract { arg, lo: 0, .. } if self.terms.width(arg) <= 64 => {
                if wraps {
                    return self.of(arg, bits, true, depth);
                }
                let fits = within(self.facts.range(self.terms, arg), all(self.terms.width(t)));
                if fits { self.of(arg, self.terms.width(arg), false, depth) } else { None }
            }
            Op::Ite(c, a, b) => self.choice(c, a, b, bits, wraps, depth),
            _ => None,
        }
    }

    /// A result whose value matters must not have wrapped around.
    fn exact(&self, t: Term, wraps: bool, shape: Shape) -> Option<Shape> {
        (wraps || within(shape.range(), all(self.terms.width(t)))).then_some(shape)
    }

    fn choice(&mut self, c: Term, a: Term, b: Term, bits: u16, wraps: bool, depth: u32) -> Option<Shape> {
        if self.is_excluded(a) {
            return self.of(b, bits, wraps, depth);
        }
        if self.is_excluded(b) {
            return self.of(a, bits, wraps, depth);
        }
        let (x, y) = (self.of(a, bits, wraps, depth)?, self.of(b, bits, wraps, depth)?);
        x.or(y, c, self.width, self.terms)
    }

    fn is_excluded(&self, t: Term) -> bool {
        self.beyond == Beyond::IsExcluded
            && self.terms.width(t) == self.width
            && signed(self.terms, t) == Some(all(self.width).0)
    }

    /// The term as an index of its own.
    fn atom(&mut self, t: Term) -> Option<Shape> {
        let width = self.terms.width(t);
        if width > 64 {
            return None;
        }
        let (low, high) = self.facts.range(self.terms, t);
        let count = high - low + 1;
        if count >= MAX_STRIDE || low.abs() >= MAX_STRIDE {
            return None;
        }
        let index =
            if width > self.width { self.terms.extract(t, self.width - 1, 0) } else { self.terms.sext(t, self.width) };
        let start = self.terms.bv_signed(self.width, low as i64);
        let index = self.terms.sub(index, start);
        Some(Shape { first: low, dims: vec![Part { stride: 1, count, index }] })
    }
}

impl Shape {
    fn range(&self) -> (i128, i128) {
        let span: i128 = self.dims.iter().map(|d| d.stride * (d.count - 1)).sum();
        (self.first, self.first + span)
    }

    fn plus(mut self, other: Shape, terms: &mut Terms) -> Shape {
        self.first += other.first;
        for part in other.dims {
            match self.dims.iter_mut().find(|d| d.stride == part.stride) {
                Some(d) => {
                    d.index = terms.add(d.index, part.index);
                    d.count += part.count - 1;
                }
                None => self.dims.push(part),
            }
        }
        self
    }

    fn times(mut self, k: i128, terms: &mut Terms) -> Option<Shape> {
        if k == 0 {
            return Some(Shape { first: 0, dims: Vec::new() });
        }
        self.first *= k;
        for d in &mut self.dims {
            if k < 0 {
                // Counted from the other end.
                self.first += k * d.stride * (d.count - 1);
                let last = terms.bv_signed(terms.width(d.index), (d.count - 1) as i64);
                d.index = terms.sub(last, d.index);
            }
            d.stride *= k.abs();
        }
        let (low, high) = self.range();
        (low.abs() < MAX_STRIDE && high.abs() < MAX_STRIDE).then_some(self)
    }

    /// Counted in the other's steps where these are smaller and there are no fewer of them: two elements of an array, and all of them.
    fn in_steps_of(mut self, other: &Shape, terms: &mut Terms) -> Shape {
        for fine in &other.dims {
            let (coarse, rest): (Vec<Part>, Vec<Part>) =
                self.dims.iter().partition(|d| d.stride >= fine.stride && d.stride % fine.stride == 0);
            let count = coarse.iter().fold(1, |all, d| all + (d.count - 1) * (d.stride / fine.stride));
            if coarse.iter().all(|d| d.stride == fine.stride) || count > fine.count {
                continue;
            }
            let scaled = |d: &Part| {
                let steps = terms.bv_signed(terms.width(d.index), (d.stride / fine.stride) as i64);
                terms.mul(d.index, steps)
            };
            let scaled: Vec<Term> = coarse.iter().map(scaled).collect();
            let index = scaled[1..].iter().fold(scaled[0], |sum, i| terms.add(sum, *i));
            self.dims = rest;
            self.dims.push(Part { stride: fine.stride, count, index });
        }
        self
    }

    /// This where `c` holds, the other where it does not.
    fn or(self, other: Shape, c: Term, width: u16, terms: &mut Terms) -> Option<Shape> {
        let mine = self.in_steps_of(&other, terms);
        let theirs = other.in_steps_of(&mine, terms);
        mine.joined(theirs, c, width, terms)
    }

    fn joined(self, other: Shape, c: Term, width: u16, terms: &mut Terms) -> Option<Shape> {
        let gap = other.first - self.first;
        let mut strides: Vec<i128> = self.dims.iter().chain(&other.dims).map(|d| d.stride).collect();
        strides.sort_unstable();
        strides.dedup();
        let carrier = strides.iter().rev().copied().find(|s| gap % s == 0 && gap.abs() / s < MAX_STRIDE);
        if gap != 0 && carrier.is_none() {
            strides.push(gap.abs());
        }
        let carrier = carrier.unwrap_or(gap.abs());
        let zero = terms.zero(width);
        let mut dims = Vec::new();
        for stride in strides {
            let find = |s: &Shape| s.dims.iter().find(|d| d.stride == stride).map(|d| (d.count, d.index));
            let (mine, theirs) = (find(&self).unwrap_or((1, zero)), find(&other).unwrap_or((1, zero)));
            let by = if stride == carrier { gap / stride } else { 0 };
            let (up_mine, up_theirs) = ((-by).max(0), by.max(0));
            let (ahead, behind) = (terms.bv_signed(width, up_mine as i64), terms.bv_signed(width, up_theirs as i64));
            let (a, b) = (terms.add(mine.1, ahead), terms.add(theirs.1, behind));
            let count = (mine.0 + up_mine).max(theirs.0 + up_theirs);
            if count > 1 {
                dims.push(Part { stride, count, index: terms.ite(c, a, b) });
            }
        }
        let first = self.first.min(other.first);
        (dims.len() <= MAX_DIMS).then_some(Shape { first, dims })
    }

    /// Nested, and cut to what lies inside the object and is not beyond the last place that the facts leave.
    fn clipped(mut self, terms: &mut Terms, n: u64, size: Option<u64>, last: i128) -> Option<Places> {
        self.nest(terms, i128::from(n));
        if let Some(size) = size {
            let told = if last < 0 { i128::MAX } else { last + i128::from(n) };
            self.clip(terms, i128::from(n), i128::from(size).min(told));
        }
        let size = size.map_or(MAX_STRIDE, i128::from);
        let (low, high) = self.range();
        if low < 0 || high + i128::from(n) > size {
            return None;
        }
        let dims = self.dims.iter().filter(|d| d.count > 1).map(|d| Dim {
            stride: d.stride as u64,
            count: d.count as u64,
            index: d.index,
        });
        Some(Places { first: self.first as u64, dims: dims.collect() })
    }

    /// Sorts by stride; indices whose steps run into one another become one.
    fn nest(&mut self, terms: &mut Terms, n: i128) {
        self.dims.retain(|d| d.count > 1);
        self.dims.sort_by_key(|d| std::cmp::Reverse(d.stride));
        let mut at = self.dims.len();
        while at > 1 {
            at -= 1;
            let (outer, inner) = (self.dims[at - 1], self.dims[at]);
            let inside: i128 = self.dims[at..].iter().map(|d| d.stride * (d.count - 1)).sum();
            let contiguous = outer.stride == inner.stride * inner.count;
            if outer.stride >= inside + n && !contiguous {
                continue;
            }
            let stride = gcd(outer.stride, inner.stride);
            let mut scaled = |d: Part| {
                let k = terms.bv_signed(terms.width(d.index), (d.stride / stride) as i64);
                terms.mul(d.index, k)
            };
            let (a, b) = (scaled(outer), scaled(inner));
            let count = (outer.stride * (outer.count - 1) + inner.stride * (inner.count - 1)) / stride + 1;
            self.dims[at - 1] = Part { stride, count, index: terms.add(a, b) };
            self.dims.remove(at);
            self.dims.sort_by_key(|d| std::cmp::Reverse(d.stride));
            at = self.dims.len();
        }
    }

    /// The outermost index can't lead out of the object: the access check has excluded that.
    fn clip(&mut self, terms: &mut Terms, n: i128, size: i128) {
        let inside: i128 = self.dims.iter().skip(1).map(|d| d.stride * (d.count - 1)).sum();
        let Some(outer) = self.dims.first_mut() else { return };
        let last = self.first + inside;
        if last < 0 {
            let skipped = ((-last) + outer.stride - 1) / outer.stride;
            let k = terms.bv_signed(terms.width(outer.index), skipped as i64);
            outer.index = terms.sub(outer.index, k);
            outer.count -= skipped;
            self.first += skipped * outer.stride;
        }
        let room = (size - n - self.first).max(0) / outer.stride + 1;
        outer.count = outer.count.min(room).max(1);
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
