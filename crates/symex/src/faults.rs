//! How a memory access can go wrong.

use crate::confine::extent;
use crate::contents::{Contents, Range};
use crate::ids::Holder;
use crate::memory::{Leaf, Object, ObjectKind, Refusal, Space};
use crate::shape::unsigned_bits;
use blitz_ir::{AccessKind, CheckKind};
use blitz_term::{Term, Terms};

/// How an access through one leaf can go wrong; the conditions exclude one another, but for the two ways in which an
/// object from outside can have ended.
pub(crate) fn faults(
    space: &Space<'_>,
    terms: &mut Terms,
    leaf: Leaf,
    object: Option<&Object>,
    size: Term,
    access: AccessKind,
) -> Result<Vec<(CheckKind, Term)>, Refusal> {
    let tru = terms.tru();
    let Some(object) = object else {
        return Ok(match access {
            AccessKind::Read | AccessKind::Write | AccessKind::String => vec![(CheckKind::NullDeref, tru)],
            AccessKind::Free if leaf.object == Holder::NONE => {
                let zero = terms.zero(space.index_bits());
                vec![(CheckKind::InvalidFree, terms.ne(leaf.off, zero))]
            }
            AccessKind::Free => vec![(CheckKind::InvalidFree, tru)],
            AccessKind::Defined
            | AccessKind::SharedRead
            | AccessKind::SharedWrite
            | AccessKind::AtomicRead
            | AccessKind::AtomicWrite => Vec::new(),
        });
    };
    match access {
        AccessKind::Free => Ok(free_faults(space, terms, leaf, object)),
        // Races are no matter of the object.
        AccessKind::SharedRead | AccessKind::SharedWrite | AccessKind::AtomicRead | AccessKind::AtomicWrite => {
            Ok(Vec::new())
        }
        AccessKind::Defined => defined_faults(space, terms, leaf, object, size),
        AccessKind::Read | AccessKind::Write | AccessKind::String => {
            let mut out = Vec::new();
            let extent = Extent::of(space, terms, leaf, object);
            if object.outside.is_some() {
                out.push((CheckKind::NullDeref, extent.null));
            }
            let dead = terms.not(extent.live);
            let some = terms.not(extent.null);
            let dead = terms.and(some, dead);
            // Which kind an object from outside is shows when the segment that made it is looked at.
            let unknown = object.outside.is_some();
            if object.kind == ObjectKind::Heap || unknown {
                out.push((CheckKind::UseAfterFree, dead));
            }
            if object.kind != ObjectKind::Heap || unknown {
                out.push((CheckKind::UseAfterScope, dead));
            }
            let mut bad = match access {
                AccessKind::String => unterminated(space, terms, leaf, object, extent)?,
                AccessKind::Read
                | AccessKind::Write
                | AccessKind::Free
                | AccessKind::Defined
                | AccessKind::SharedRead
                | AccessKind::SharedWrite
                | AccessKind::AtomicRead
                | AccessKind::AtomicWrite => outside(space, terms, extent.off, size, extent.size),
            };
            if access == AccessKind::Write && object.constant {
                bad = tru;
            }
            let usable = terms.and(some, extent.live);
            out.push((CheckKind::BufferOverflow, terms.and(usable, bad)));
            Ok(out)
        }
    }
}

fn free_faults(space: &Space<'_>, terms: &mut Terms, leaf: Leaf, object: &Object) -> Vec<(CheckKind, Term)> {
    if object.kind != ObjectKind::Heap {
        return vec![(CheckKind::InvalidFree, terms.tru())];
    }
    let extent = Extent::of(space, terms, leaf, object);
    let zero = terms.zero(space.off_bits());
    let inside = terms.ne(extent.off, zero);
    let dead = terms.not(extent.live);
    let start = terms.not(inside);
    let twice = terms.and(start, dead);
    let some = terms.not(extent.null);
    let (mut inside, mut twice) = (terms.and(some, inside), terms.and(some, twice));
    if object.outside.is_some() {
        // Globals and functions have the lowest numbers; nobody allocated them.
        let (bits, off_bits) = (space.ptr_bits(), space.off_bits());
        let number = terms.extract(leaf.off, bits - 1, off_bits);
        let first = terms.bv(bits - off_bits, space.program.first_free_object());
        let fixed = terms.ult(number, first);
        let fixed = terms.and(some, fixed);
        let allocated = terms.not(fixed);
        inside = terms.or(inside, fixed);
        twice = terms.and(twice, allocated);
    }
    vec![(CheckKind::InvalidFree, inside), (CheckKind::DoubleFree, twice)]
}

fn defined_faults(
    space: &Space<'_>,
    terms: &mut Terms,
    leaf: Leaf,
    object: &Object,
    size: Term,
) -> Result<Vec<(CheckKind, Term)>, Refusal> {
    let Some(shadow) = &object.shadow else { return Ok(Vec::new()) };
    let object_size = object.const_size(terms);
    let bad = match terms.as_u64(size) {
        Some(0) => terms.fls(),
        Some(n) if n <= 64 => {
            let within = space.within(object_size);
            let bits = shadow.clone().load(terms, leaf.off, n, within);
            let zero = terms.zero(terms.width(bits));
            terms.ne(bits, zero)
        }
        _ => {
            let len = space.length(terms, size);
            let zero = terms.bv(8, 0);
            let start = terms.zero(space.index_bits());
            let range = Range { off: leaf.off, len, within: space.within(object_size) };
            let first = shadow.clone().mismatch(terms, range, &mut Contents::filled(zero), start, object_size)?;
            terms.ult(first, len)
        }
    };
    Ok(vec![(CheckKind::Uninitialised, bad)])
}

fn unterminated(
    space: &Space<'_>,
    terms: &mut Terms,
    leaf: Leaf,
    object: &Object,
    extent: Extent,
) -> Result<Term, Refusal> {
    let inside = terms.ult(extent.off, extent.size);
    let room = terms.sub(extent.size, extent.off);
    let room = terms.zext(room, space.index_bits());
    let zero = terms.bv(8, 0);
    let within = space.within(object.const_size(terms));
    let range = Range { off: leaf.off, len: room, within };
    let end = object.data.clone().scan(terms, range, zero)?;
    let none = terms.uge(end, room);
    let outside = terms.not(inside);
    Ok(terms.or(outside, none))
}

/// What bounds an access through a leaf.
#[derive(Clone, Copy)]
pub(crate) struct Extent {
    /// The offset into the object.
    pub off: Term,
    pub size: Term,
    pub live: Term,
    /// There is no object at all.
    pub null: Term,
}

impl Extent {
    pub fn of(space: &Space<'_>, terms: &mut Terms, leaf: Leaf, object: &Object) -> Extent {
        let (bits, off_bits) = (space.ptr_bits(), space.off_bits());
        let off = terms.extract(leaf.off, off_bits - 1, 0);
        let Some(world) = object.outside else {
            return Extent { off, size: object.size, live: object.live, null: terms.fls() };
        };
        let number = terms.extract(leaf.off, bits - 1, off_bits);
        let zero = terms.zero(bits - off_bits);
        Extent {
            off,
            size: terms.select(world.size, number),
            live: terms.select(world.live, number),
            null: terms.eq(number, zero),
        }
    }
}

/// The bytes `off..off + size` are not all inside an object of `object_size` bytes.
fn outside(space: &Space<'_>, terms: &mut Terms, off: Term, size: Term, object_size: Term) -> Term {
    let off_bits = space.off_bits();
    if let Some(n) = terms.as_u64(size)
        && let Some(total) = terms.as_u64(object_size)
    {
        if n > total {
            return terms.tru();
        }
        if let Some((least, most)) = extent(terms, &space.facts, off)
            && least >= 0
            && most <= i128::from(total - n)
        {
            return terms.fls();
        }
        let last = terms.bv(off_bits, total - n);
        return terms.ugt(off, last);
    }
    let short = terms.extract(size, off_bits - 1, 0);
    let past = terms.ugt(off, object_size);
    let room = terms.sub(object_size, off);
    let mut bad = terms.ugt(short, room);
    if unsigned_bits(terms, size) > off_bits {
        let back = terms.zext(short, terms.width(size));
        let large = terms.ne(back, size);
        bad = terms.or(bad, large);
    }
    terms.or(past, bad)
}
