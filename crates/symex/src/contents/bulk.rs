//! Copies, fills and comparisons of few bytes: done byte by byte, or piece by piece, so that they change a part of an object and no more.
//!
//! Why: a program that keeps its state in one struct calls `memcpy(s->name, text, n)` and `memset(&s->rows[i], 0, sizeof s->rows[i])`. Where offset or length is
//! no constant the theory of arrays has one term for it, over an array of the whole object: then no member has its constants any more, and every read of every
//! member goes through lemmas. Where the bytes that can be meant are few, the operation is that many loads and stores, each confined as any other is.
//! A text buffer that is an object of its own stays an array: there the one term is the better one.
//!
//! How long an operation can be is what the path says of its length, and what room there is in both objects: the check in front has excluded more.
//!
//! Invariant: a byte beyond the length is written back as it was read, at the same place, so it makes no difference where that place is.
//! Absent: scans; what is longer, which stays an array.

use super::*;

/// Bytes of an operation of constant length.
const MAX_CONSTANT: u64 = 512;
/// Bytes of an operation whose length is no constant: each is a choice.
const MAX_OPEN: u64 = 64;
/// An operation of at most so many bytes is like an access, wherever it may be.
const LIKE_AN_ACCESS: u64 = 8;
/// Loads and stores times the places they can mean.
const MAX_CHOICES: u64 = 4096;

/// Where an operation can begin.
#[derive(Clone, Copy)]
struct Start {
    first: u64,
    /// Choices that one access makes.
    choices: u64,
    /// From the first place to the last.
    span: u64,
    /// The least distance between two places.
    apart: Option<u64>,
}

/// An operation that is done piece by piece: where the pieces begin, from the start of the range on, and how many bytes each has.
struct Confined {
    pieces: Vec<(u64, u64)>,
    /// The length, where it is no constant.
    open: Option<Term>,
}

/// The bytes an operation has at least and at most.
fn lengths(terms: &Terms, range: &Range<'_>) -> Option<(u64, u64)> {
    if let Some(len) = terms.as_u64(range.len) {
        return Some((len, len));
    }
    let (low, high) = range.within.facts.range(terms, range.len);
    Some((u64::try_from(low).ok()?, u64::try_from(high).ok()?))
}

/// Bytes from the first place on to the end of the object, where both are known.
fn room(size: Option<u64>, start: &Option<Start>) -> u64 {
    size.map_or(u64::MAX, |size| size.saturating_sub(start.as_ref().map_or(0, |s| s.first)))
}

impl Contents {
    /// Fills a range piece by piece, if it lies in a part of the object. `false`: nothing was done.
    pub(super) fn fill_confined(&mut self, terms: &mut Terms, range: Range<'_>, byte: Term) -> bool {
        let Some(confined) = self.confined(terms, range, None) else { return false };
        for &(from, n) in &confined.pieces {
            let value = repeat(terms, byte, n);
            self.store_piece(terms, range, &confined, (from, n), value);
        }
        true
    }

    /// Copies piece by piece, if the target lies in a part of this object. `false`: nothing was done.
    pub(super) fn copy_confined(
        &mut self,
        terms: &mut Terms,
        range: Range<'_>,
        src: &mut Contents,
        src_off: Term,
        src_size: Option<u64>,
    ) -> bool {
        let within = Within { size: src_size, ..range.within };
        let Some(confined) = self.confined(terms, range, Some((&*src, src_off, within))) else { return false };
        for &(from, n) in &confined.pieces {
            let at = further(terms, src_off, from, within);
            let value = src.load(terms, at, n, within);
            self.store_piece(terms, range, &confined, (from, n), value);
        }
        true
    }

    /// The least n below the length where the two differ, else the length, if that takes few loads and one side is no array yet.
    pub(super) fn mismatch_confined(
        &mut self,
        terms: &mut Terms,
        range: Range<'_>,
        other: &mut Contents,
        other_off: Term,
        other_size: Option<u64>,
    ) -> Option<Term> {
        let theirs = Within { size: other_size, ..range.within };
        let (least, most) = lengths(terms, &range)?;
        let mine = self.start(terms, range.off, least.max(1), range.within);
        let yours = other.start(terms, other_off, least.max(1), theirs);
        if mine.is_none() && yours.is_none() {
            return None;
        }
        let most = most.min(room(range.within.size, &mine)).min(room(other_size, &yours));
        if most > MAX_OPEN {
            return None;
        }
        // An array is read by one term, whatever the place.
        let choices = |start: Option<Start>| start.map_or(1, |s| s.choices);
        if most.saturating_mul(choices(mine) + choices(yours)) > MAX_CHOICES {
            return None;
        }
        let tests: Vec<Term> = (0..most)
            .map(|i| {
                let (a, b) = (further(terms, range.off, i, range.within), further(terms, other_off, i, theirs));
                let (x, y) = (self.load(terms, a, 1, range.within), other.load(terms, b, 1, theirs));
                terms.ne(x, y)
            })
            .collect();
        let width = terms.width(range.len);
        Some(first_true(terms, &tests, range.len, width))
    }

    fn store_piece(
        &mut self,
        terms: &mut Terms,
        range: Range<'_>,
        confined: &Confined,
        (from, n): (u64, u64),
        value: Term,
    ) {
        let at = further(terms, range.off, from, range.within);
        let value = match confined.open {
            None => value,
            Some(len) => {
                let old = self.load(terms, at, n, range.within);
                up_to(terms, len, (from, n), value, old)
            }
        };
        self.store(terms, at, value, range.within);
    }

    /// How a write is taken apart, if it is short and goes to a part of the object: to one of several places that have nothing in common, or to a
    /// stretch of less than half of it.
    fn confined(
        &self,
        terms: &mut Terms,
        range: Range<'_>,
        source: Option<(&Contents, Term, Within<'_>)>,
    ) -> Option<Confined> {
        let size = range.within.size.filter(|_| !self.is_array())?;
        let open = (!terms.is_const(range.len)).then_some(range.len);
        let limit = if open.is_some() { MAX_OPEN } else { MAX_CONSTANT };
        let (least, most) = lengths(terms, &range)?;
        // What is read is inside of its object as well.
        let source_size = source.and_then(|(_, _, within)| within.size).unwrap_or(u64::MAX);
        if most.min(size).min(source_size) > limit {
            return None;
        }
        let to = self.start(terms, range.off, least.max(1), range.within)?;
        let from = source.and_then(|(src, off, within)| src.start(terms, off, least.max(1), within));
        let most = most.min(room(Some(size), &Some(to))).min(room(Some(source_size), &from));
        if most == 0 {
            return None;
        }
        let separate = to.apart.is_some_and(|apart| apart >= most);
        let part = to.span.saturating_add(most) <= size / 2;
        if !separate && !part && (open.is_some() || most > LIKE_AN_ACCESS) {
            return None;
        }
        let mut choices = to.choices;
        let mut layout = None;
        if let Some((src, off, _)) = source
            && (terms.is_const(off) || !src.is_array())
        {
            let from = from?;
            choices += from.choices;
            layout = Some((src.layout(from.first, most), from.first));
        }
        let (layout, base) = layout.unwrap_or_else(|| (self.layout(to.first, most), to.first));
        let pieces: Vec<(u64, u64)> = layout.into_iter().map(|(at, n)| (at - base, n)).collect();
        let cost = (pieces.len() as u64).saturating_mul(choices);
        (cost <= MAX_CHOICES).then_some(Confined { pieces, open })
    }

    /// Where an operation of at least `n` bytes can begin. `None` where the contents can't be looked at in parts.
    fn start(&self, terms: &mut Terms, off: Term, n: u64, within: Within<'_>) -> Option<Start> {
        if let Some(first) = terms.as_u64(off) {
            return Some(Start { first, choices: 1, span: 0, apart: None });
        }
        let places = self.places(terms, off, n, within)?;
        let apart = places.dims.iter().map(|d| d.stride).min();
        Some(Start { first: places.first, choices: places.cells().min(MAX_MUX), span: places.span(0), apart })
    }
}

/// An offset so many bytes further.
fn further(terms: &mut Terms, off: Term, by: u64, within: Within<'_>) -> Term {
    // What is accessed is not beyond what can be addressed: the sum may be made inside of the extension, which the facts are about.
    match terms.as_zext(off).filter(|o| terms.width(*o) == within.off_bits) {
        Some(inner) => {
            let by = terms.bv(within.off_bits, by);
            let sum = terms.add(inner, by);
            terms.zext(sum, terms.width(off))
        }
        None => {
            let by = terms.bv(terms.width(off), by);
            terms.add(off, by)
        }
    }
}

/// Of a piece that begins at `from` the bytes below `len` are those of `new`, the others those of `old`.
fn up_to(terms: &mut Terms, len: Term, (from, n): (u64, u64), new: Term, old: Term) -> Term {
    let width = terms.width(len);
    let bytes: Vec<Term> = (0..n)
        .map(|k| {
            let at = terms.bv(width, from + k);
            let below = terms.ult(at, len);
            let (mine, theirs) = (slice(terms, new, k, 1), slice(terms, old, k, 1));
            terms.ite(below, mine, theirs)
        })
        .collect();
    if let [only] = bytes.as_slice() {
        return *only;
    }
    let mixed = join(terms, &bytes);
    let (start, end) = (terms.bv(width, from), terms.bv(width, from + n));
    let (none, all) = (terms.ule(len, start), terms.ule(end, len));
    let some = terms.ite(none, old, mixed);
    terms.ite(all, new, some)
}
