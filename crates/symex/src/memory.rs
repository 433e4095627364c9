//! Memory: objects by number, pointers as terms, accesses split over the few objects a pointer can mean.
//!
//! A pointer is one word: the object's number above, the signed offset below (`TargetInfo::offset_bits`). Which
//! objects a pointer term can mean is read off its shape (choices between constants); there is no search.
//!
//! Invariant: a global that is absent from the map has its initial contents.
//! Absent: any decision about properties; `check` gives conditions, the executor makes claims of them.

mod many;
mod past;
mod places;
mod space;
mod start;

pub use past::Past;
pub use places::excerpt;

use crate::contents::{Contents, Initial, MixedWidths, Range, Within};
use crate::faults::faults;
use crate::ids::Holder;
use crate::ranges::Facts;
use crate::shape::{Candidates, signed_bits, unsigned_bits};
use blitz_analysis::{Instance, Region};
use blitz_ir::{AccessKind, CheckKind, Const, FuncId, GlobalId, InstId, Program, PropertyId, RelocTarget, Value};
use blitz_term::{Op, Sort, Term, Terms};
use imbl::OrdMap;
use places::pieces;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The objects of one execution state; cloning is cheap.
#[derive(Clone, Default)]
pub struct Memory {
    objects: OrdMap<Holder, Shared>,
    /// What calls that were left out did to classes that are absent from the map.
    past: Option<Rc<Past>>,
}

/// An object's state; two are the same if they are one.
#[derive(Clone)]
pub struct Shared(Rc<Object>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// What lives where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Global,
    Stack,
    Heap,
    Code,
}

/// One object in one state.
#[derive(Clone)]
pub struct Object {
    pub kind: ObjectKind,
    /// Bytes, as wide as an offset.
    pub size: Term,
    /// In scope and not freed.
    pub live: Term,
    /// Was allocated at all on the path (false on paths that joined from elsewhere).
    pub exists: Term,
    pub constant: bool,
    pub data: Contents,
    /// Bits that are indeterminate; `None` when definedness is not tracked.
    pub shadow: Option<Contents>,
    /// The property violated if it is never freed.
    pub leak: Option<PropertyId>,
    /// The class it belongs to, where a segment of a program is run.
    pub class: Option<Class>,
    /// It stands for a part of all objects from outside of the segment, or for their lives; `size` and `live` mean
    /// nothing.
    pub outside: Option<Outside>,
}

impl Object {
    /// Whether the two are syntactically in the same state.
    fn same(&self, other: &Object) -> bool {
        self.same_extent(other) && self.same_shadow(other) && self.data.same(&other.data)
    }

    /// Whether the two syntactically differ in their contents at most.
    pub fn same_extent(&self, other: &Object) -> bool {
        (self.size, self.live, self.exists) == (other.size, other.live, other.exists) && self.outside == other.outside
    }

    pub fn same_shadow(&self, other: &Object) -> bool {
        match (&self.shadow, &other.shadow) {
            (Some(a), Some(b)) => a.same(b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }

    /// The size, where it is one and known.
    pub fn const_size(&self, terms: &Terms) -> Option<u64> {
        if self.outside.is_some() { None } else { terms.as_u64(self.size) }
    }
}

/// Sizes and liveness of objects from outside, by object number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Outside {
    pub size: Term,
    pub live: Term,
}

/// One object a pointer can mean, under a condition.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub cond: Term,
    pub object: Holder,
    /// Where in the contents: the offset, or the whole pointer for an object from outside.
    pub off: Term,
    /// The class of an object from outside.
    pub class: Option<Class>,
}

/// A place in a class of memory, as the world knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    pub node: u32,
    pub offset: i64,
}

/// A part of memory that a range goes over.
#[derive(Clone, Debug)]
pub struct Place {
    pub part: Region,
    /// The bytes of it, counted from where the range begins, from the first to behind the last. `None`: any.
    pub spans: Option<Spans>,
}

/// Ranges of bytes in order.
pub type Spans = Rc<[(i64, i64)]>;

/// What a segment knows of the world outside it.
pub trait World {
    /// The class of a global that may change.
    fn global_class(&self, g: GlobalId) -> Class;
    /// The class a pointer value of a function means, in an instance of the function.
    fn class(&self, instance: Instance, func: FuncId, value: Value) -> Option<Class>;
    /// What stands for the sizes and the liveness of the objects of a class.
    fn life(&self, class: Class) -> Region;
    /// The parts that so many bytes from a place on have something of; without a number all of the class.
    fn places(&self, class: Class, len: Option<u64>) -> Rc<[Place]>;
    /// The instance of a callee that a call in an instance of a function makes.
    fn instance(&self, instance: Instance, func: FuncId, call: InstId, callee: FuncId) -> Instance;
    /// What pointers stored in a class mean, if they all mean one class.
    fn pointee(&self, class: Class) -> Option<Class>;
    /// The parts and lives a call of a function may change.
    fn modified(&self, instance: Instance, func: FuncId) -> Rc<BTreeSet<Region>>;
    /// The functions a call through a pointer can mean.
    fn targets(&self, func: FuncId, call: InstId) -> Vec<FuncId>;
    /// Whether runs that make a call that is left out end there.
    fn ends(&self, caller: FuncId, call: InstId, callee: FuncId) -> bool;
    /// Whether a call is left out of the segment.
    fn leave_out(&self, caller: FuncId, call: InstId, callee: FuncId) -> bool;
    /// Whether a call that is left out is taken to change nothing.
    fn is_idle(&self, caller: FuncId, call: InstId, callee: FuncId) -> bool;
}

/// Why an access can't be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The pointer's term does not name the objects it can mean.
    UnknownPointer,
    MixedWidths,
}

impl From<MixedWidths> for Refusal {
    fn from(_: MixedWidths) -> Self {
        Refusal::MixedWidths
    }
}

/// The program-wide facts memory needs, and the caches it keeps.
#[derive(Clone)]
pub struct Space<'p> {
    pub program: &'p Program,
    pub track_shadow: bool,
    /// How large numbers are on the path of the instruction that is run; empty between instructions.
    pub(crate) facts: Facts,
    candidates: Candidates,
    named: Candidates,
    initial: BTreeMap<Holder, Rc<Object>>,
    /// The objects of the user's that an arbitrary pointer may happen to mean; dropped when there are many.
    chance: Option<BTreeSet<u64>>,
    segment: Option<Segment<'p>>,
    /// The instruction that is run may write through a pointer to no object, which changes nothing.
    pub(crate) writes_nowhere: bool,
    /// What the pointers of the instruction that is run go over, in the order of its operands; where memory comes from
    /// outside.
    pub(crate) operands: [Option<Rc<[Place]>>; 2],
}

/// The segment that is run: names of its ports, and the classes of pointers that came from outside.
#[derive(Clone)]
struct Segment<'p> {
    world: &'p dyn World,
    prefix: String,
    /// By the term of the object number.
    tags: HashMap<Term, Class>,
    ports: BTreeMap<Region, RegionPort>,
    /// It starts where the program does: memory has its initial contents.
    at_start: bool,
    /// By call that was left out and part or life.
    call_ports: BTreeMap<(u32, Region), RegionPort>,
    pasts: u32,
    remembered: HashMap<(u32, Region), Rc<Object>>,
}

/// The variables that stand for a part of memory, or for sizes and liveness, at some point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionPort {
    pub data: Term,
    pub shadow: Option<Term>,
    pub size: Term,
    pub live: Term,
}

impl Memory {
    /// The object with this number, if there is one.
    pub fn object(&self, space: &mut Space<'_>, terms: &mut Terms, holder: impl Into<Holder>) -> Option<Rc<Object>> {
        let holder = holder.into();
        match (self.objects.get(&holder), holder) {
            (Some(o), _) => Some(Rc::clone(&o.0)),
            (None, Holder::Region(region)) => space.past_object(terms, &self.past, region),
            (None, Holder::Object(_)) => space.initial(terms, holder),
        }
    }

    /// Whether all objects are syntactically the same.
    pub fn same(&self, other: &Memory) -> bool {
        self.objects.ptr_eq(&other.objects)
            || self.objects.diff(&other.objects).all(|item| match item {
                imbl::ordmap::DiffItem::Update { old: (_, a), new: (_, b) } => a.0.same(&b.0),
                imbl::ordmap::DiffItem::Add(..) | imbl::ordmap::DiffItem::Remove(..) => false,
            })
    }

    /// The objects that are not one and the same in both.
    pub fn differing(&self, other: &Memory) -> Vec<Holder> {
        let diff = self.objects.diff(&other.objects);
        diff.map(|item| match item {
            imbl::ordmap::DiffItem::Add(&n, _) | imbl::ordmap::DiffItem::Remove(&n, _) => n,
            imbl::ordmap::DiffItem::Update { old: (&n, _), .. } => n,
        })
        .collect()
    }

    /// Puts an object's new state.
    pub fn put(&mut self, holder: impl Into<Holder>, object: Object) {
        self.objects.insert(holder.into(), Shared(Rc::new(object)));
    }

    /// All objects that were touched or allocated, in order.
    pub fn touched(&self) -> impl Iterator<Item = (Holder, &Rc<Object>)> {
        self.objects.iter().map(|(&n, o)| (n, &o.0))
    }

    /// Changes one object.
    pub fn update(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        holder: impl Into<Holder>,
        change: impl FnOnce(&mut Terms, &mut Object),
    ) {
        let holder = holder.into();
        if let Some(mut object) = self.object(space, terms, holder) {
            change(terms, Rc::make_mut(&mut object));
            self.objects.insert(holder, Shared(object));
        }
    }

    /// `bytes` bytes at `p`.
    pub fn load(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        p: Term,
        bytes: u64,
        part: Part,
    ) -> Result<Term, Refusal> {
        let mut out: Option<Term> = None;
        let facts = space.facts.clone();
        for leaf in space.single_leaves(terms, p)?.into_iter().rev() {
            let Some(mut object) = self.object(space, terms, leaf.object) else { continue };
            let within = Within { size: object.const_size(terms), facts: &facts, off_bits: space.off_bits() };
            let value = match part {
                Part::Data => {
                    if terms.is_const(leaf.off) {
                        object.data.clone().load(terms, leaf.off, bytes, within)
                    } else {
                        // A read at a symbolic offset may turn the contents into an array; keep that work.
                        let value = Rc::make_mut(&mut object).data.load(terms, leaf.off, bytes, within);
                        self.objects.insert(leaf.object, Shared(object));
                        value
                    }
                }
                Part::Shadow => match &object.shadow {
                    Some(shadow) => shadow.clone().load(terms, leaf.off, bytes, within),
                    None => terms.zero((bytes * 8) as u16),
                },
            };
            out = Some(match out {
                None => value,
                Some(rest) => terms.ite(leaf.cond, value, rest),
            });
        }
        Ok(out.unwrap_or_else(|| terms.zero((bytes * 8) as u16)))
    }

    /// Writes `value` at `p`.
    pub fn store(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        p: Term,
        value: Term,
        part: Part,
    ) -> Result<(), Refusal> {
        let leaves = space.single_leaves(terms, p)?;
        let only = sole(space, terms, self, &leaves);
        for leaf in leaves {
            self.change(space, terms, leaf, only, |terms, object, within| {
                let target = match part {
                    Part::Data => Some(&mut object.data),
                    Part::Shadow => object.shadow.as_mut(),
                };
                if let Some(contents) = target {
                    contents.store(terms, leaf.off, value, within);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// `memset`; makes the bytes determinate.
    pub fn fill(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        p: Term,
        byte: Term,
        len: Term,
    ) -> Result<(), Refusal> {
        self.overwrite(space, terms, p, len, |terms, object, range| object.data.fill(terms, range, byte))
    }

    /// Replaces a range by the first bytes of an array (inputs), which become determinate.
    pub fn fill_from(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        p: Term,
        source: Term,
        len: Term,
    ) -> Result<(), Refusal> {
        let width = space.index_bits();
        let start = terms.zero(width);
        self.overwrite(space, terms, p, len, |terms, object, range| {
            let from_size = terms.as_u64(range.len);
            let all = terms.is_zero(range.off) && range.len == terms.zext(object.size, width);
            if all && object.outside.is_none() {
                object.data = Contents::input(source);
                return Ok(());
            }
            object.data.copy(terms, range, &mut Contents::input(source), start, from_size)
        })
    }

    /// Changes the data of a range, which becomes determinate.
    fn overwrite(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        p: Term,
        len: Term,
        change: impl Fn(&mut Terms, &mut Object, Range<'_>) -> Result<(), MixedWidths>,
    ) -> Result<(), Refusal> {
        let len = space.length(terms, len);
        let leaves = space.leaves(terms, p)?;
        let only = sole(space, terms, self, &leaves);
        for leaf in space.data_leaves(terms, p, 0)? {
            self.change(space, terms, leaf, only, |terms, object, within| {
                let range = Range { off: leaf.off, len, within };
                change(terms, object, range)?;
                if let Some(shadow) = &mut object.shadow {
                    let zero = terms.bv(8, 0);
                    shadow.fill(terms, range, zero)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// `memmove`, shadow included.
    pub fn copy(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        dst: Term,
        src: Term,
        len: Term,
    ) -> Result<(), Refusal> {
        if terms.is_zero(len) {
            return Ok(());
        }
        let len = space.length(terms, len);
        let before = self.clone();
        let objects = [space.leaves(terms, dst)?, space.leaves(terms, src)?];
        let alone = objects.iter().all(|leaves| sole(space, terms, self, leaves));
        let to = space.data_leaves(terms, dst, 0)?;
        let from = space.data_leaves(terms, src, 1)?;
        for &target in &to {
            for &origin in &from {
                let Some(spans) = space.common(target, origin) else { continue };
                let Some(origin_object) = before.object(space, terms, origin.object) else { continue };
                let cond = terms.and(target.cond, origin.cond);
                let leaf = Leaf { cond, ..target };
                let bits = space.index_bits();
                let pieces = pieces(terms, bits, spans, [target.off, origin.off, len]);
                self.change(space, terms, leaf, alone, |terms, object, within| {
                    let mut from = (*origin_object).clone();
                    let from_size = from.const_size(terms);
                    for [off, start, len] in pieces {
                        let range = Range { off, len, within };
                        object.data.copy(terms, range, &mut from.data, start, from_size)?;
                        if let (Some(shadow), Some(from)) = (&mut object.shadow, &mut from.shadow) {
                            shadow.copy(terms, range, from, start, from_size)?;
                        }
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// The least n below `limit` with `byte` at `p + n`, else `limit` (as wide as a pointer).
    pub fn scan(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        p: Term,
        byte: Term,
        limit: Term,
    ) -> Result<Term, Refusal> {
        let short = space.length(terms, limit);
        let mut out = short;
        for leaf in space.single_leaves(terms, p)?.into_iter().rev() {
            let Some(object) = self.object(space, terms, leaf.object) else { continue };
            let within = space.within(object.const_size(terms));
            let range = Range { off: leaf.off, len: short, within };
            let found = object.data.clone().scan(terms, range, byte)?;
            out = terms.ite(leaf.cond, found, out);
        }
        Ok(space.widen_count(terms, out, short, limit))
    }

    /// The least n below `limit` where the bytes at `p + n` and `q + n` differ, else `limit`.
    pub fn mismatch(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        p: Term,
        q: Term,
        limit: Term,
    ) -> Result<Term, Refusal> {
        let short = space.length(terms, limit);
        let mut out = short;
        let (left, right) = (space.single_leaves(terms, p)?, space.first_leaves(terms, q, 1)?);
        for a in left.iter().rev() {
            for b in right.iter().rev() {
                let (Some(x), Some(y)) = (self.object(space, terms, a.object), self.object(space, terms, b.object))
                else {
                    continue;
                };
                let within = space.within(x.const_size(terms));
                let range = Range { off: a.off, len: short, within };
                let (mut x, mut y_data) = (x.data.clone(), y.data.clone());
                let y_size = y.const_size(terms);
                let found = x.mismatch(terms, range, &mut y_data, b.off, y_size)?;
                let both = terms.and(a.cond, b.cond);
                out = terms.ite(both, found, out);
            }
        }
        Ok(space.widen_count(terms, out, short, limit))
    }

    /// Applies a change to the object of a leaf, only where the leaf's condition holds.
    fn change(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        leaf: Leaf,
        unconditional: bool,
        change: impl FnOnce(&mut Terms, &mut Object, Within<'_>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some(old) = self.object(space, terms, leaf.object) else { return Ok(()) };
        let size = old.const_size(terms);
        let mut new = (*old).clone();
        change(terms, &mut new, space.within(size))?;
        if !unconditional {
            let width = space.index_bits();
            let mut merged = (*old).clone();
            merged.data.merge(terms, &new.data, leaf.cond, size, width)?;
            if let (Some(mine), Some(theirs)) = (&mut merged.shadow, &new.shadow) {
                mine.merge(terms, theirs, leaf.cond, size, width)?;
            }
            new = merged;
        }
        self.objects.insert(leaf.object, Shared(Rc::new(new)));
        Ok(())
    }

    /// This where `cond` is false, `other` where it is true.
    pub fn merge(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        other: &Memory,
        cond: Term,
        sides: &Sides,
    ) -> Result<(), Refusal> {
        if self.objects.ptr_eq(&other.objects) {
            self.merge_past(space, other, cond);
            return Ok(());
        }
        for number in self.differing(other) {
            let mine = self.object(space, terms, number);
            let theirs = other.object(space, terms, number);
            match (mine, theirs) {
                (Some(a), Some(b)) if Rc::ptr_eq(&a, &b) => {}
                (Some(a), Some(b)) => {
                    let merged = merge_objects(space, terms, &a, &b, cond, sides)?;
                    self.objects.insert(number, Shared(Rc::new(merged)));
                }
                (Some(mut a), None) => {
                    let here = terms.not(cond);
                    let object = Rc::make_mut(&mut a);
                    object.exists = terms.and(object.exists, here);
                    self.objects.insert(number, Shared(a));
                }
                (None, Some(mut b)) => {
                    let object = Rc::make_mut(&mut b);
                    object.exists = terms.and(object.exists, cond);
                    self.objects.insert(number, Shared(b));
                }
                (None, None) => {}
            }
        }
        self.merge_past(space, other, cond);
        Ok(())
    }

    /// The ways an access can go wrong, in the order in which they are looked at; at most one holds at a time.
    pub fn check(
        &mut self,
        space: &mut Space<'_>,
        terms: &mut Terms,
        p: Term,
        size: Term,
        access: AccessKind,
    ) -> Result<Vec<(CheckKind, Term)>, Refusal> {
        let mut found: Vec<(CheckKind, Term)> = Vec::new();
        for leaf in space.leaves(terms, p)? {
            let object = self.object(space, terms, leaf.object);
            for (kind, bad) in faults(space, terms, leaf, object.as_deref(), size, access)? {
                let bad = terms.and(leaf.cond, bad);
                if !terms.is_false(bad) {
                    match found.iter_mut().find(|(k, _)| *k == kind) {
                        Some((_, all)) => *all = terms.or(*all, bad),
                        None => found.push((kind, bad)),
                    }
                }
            }
        }
        if matches!(access, AccessKind::Read | AccessKind::Write | AccessKind::Defined) && !is_nonzero(terms, size) {
            let zero = terms.zero(terms.width(size));
            let some = terms.ne(size, zero);
            for (_, bad) in &mut found {
                *bad = terms.and(*bad, some);
            }
            found.retain(|(_, bad)| !terms.is_false(*bad));
        }
        Ok(found)
    }
}

/// What holds on the two paths that join.
#[derive(Default)]
pub struct Sides {
    pub mine: Facts,
    pub theirs: Facts,
}

/// Which half of an object an access means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Data,
    Shadow,
}

impl Space<'_> {
    /// A byte count as wide as an offset; counts beyond the largest object become the largest offset.
    pub fn length(&self, terms: &mut Terms, len: Term) -> Term {
        let short = self.short_length(terms, len);
        terms.zext(short, self.index_bits())
    }

    fn short_length(&self, terms: &mut Terms, len: Term) -> Term {
        let off_bits = self.off_bits();
        if unsigned_bits(terms, len) < off_bits {
            return terms.extract(len, off_bits - 1, 0);
        }
        let low = terms.extract(len, off_bits - 2, 0);
        let cut = terms.zext(low, off_bits);
        let most = terms.bv(off_bits, (1 << (off_bits - 1)) - 1);
        let wide = terms.bv(self.ptr_bits(), (1 << (off_bits - 1)) - 1);
        let large = terms.ugt(len, wide);
        terms.ite(large, most, cut)
    }

    /// Back from a count as wide as an offset; "not found" is the limit as it was given.
    fn widen_count(&self, terms: &mut Terms, count: Term, short: Term, limit: Term) -> Term {
        let wide = terms.zext(count, self.ptr_bits());
        let missed = terms.eq(count, short);
        terms.ite(missed, limit, wide)
    }
}

/// The alternatives of a choice between pointers that the facts leave, each with its condition.
fn choices(terms: &mut Terms, facts: &Facts, p: Term) -> Vec<(Term, Term)> {
    let mut open = BTreeMap::from([(p, terms.tru())]);
    let mut out = Vec::new();
    while let Some((t, cond)) = open.pop_last() {
        match terms.op(t) {
            Op::Ite(c, a, b) => {
                let decided = facts.holds(terms, c);
                let not_c = terms.not(c);
                for (side, test, here) in [(a, c, true), (b, not_c, false)] {
                    if decided == Some(!here) {
                        continue;
                    }
                    let here = if decided.is_some() { cond } else { terms.and(cond, test) };
                    if terms.is_false(here) {
                        continue;
                    }
                    let before = open.get(&side).copied().unwrap_or(terms.fls());
                    let either = terms.or(before, here);
                    open.insert(side, either);
                }
            }
            _ => out.push((cond, t)),
        }
    }
    out
}

/// Whether a checked access can only mean one object: leaves that mean none were excluded by the check in front, if there is one.
fn sole(space: &Space<'_>, terms: &Terms, memory: &Memory, leaves: &[Leaf]) -> bool {
    if space.writes_nowhere {
        return matches!(leaves, [leaf] if terms.is_true(leaf.cond));
    }
    let given = |holder: Holder| holder.object().is_some_and(|n| n < space.first_free());
    let exists = |l: &&Leaf| l.object != Holder::NONE && (given(l.object) || memory.objects.contains_key(&l.object));
    leaves.iter().filter(exists).count() == 1
}

fn is_nonzero(terms: &Terms, t: Term) -> bool {
    terms.as_const(t).is_some_and(|c| !c.is_zero())
}

fn merge_objects(
    space: &Space<'_>,
    terms: &mut Terms,
    a: &Object,
    b: &Object,
    cond: Term,
    sides: &Sides,
) -> Result<Object, Refusal> {
    let mut out = a.clone();
    let size = a.const_size(terms);
    let width = space.index_bits();
    out.size = terms.ite(cond, b.size, a.size);
    out.live = terms.ite(cond, b.live, a.live);
    out.exists = terms.ite(cond, b.exists, a.exists);
    if let (Some(mine), Some(theirs)) = (&mut out.outside, b.outside) {
        mine.size = terms.ite(cond, theirs.size, mine.size);
        mine.live = terms.ite(cond, theirs.live, mine.live);
    }
    // A path that never made the object says nothing of what it holds.
    if sides.theirs.holds(terms, b.exists) == Some(false) {
        return Ok(out);
    }
    if sides.mine.holds(terms, a.exists) == Some(false) {
        (out.data, out.shadow) = (b.data.clone(), b.shadow.clone());
        return Ok(out);
    }
    out.data.merge(terms, &b.data, cond, size, width)?;
    if let (Some(mine), Some(theirs)) = (&mut out.shadow, &b.shadow) {
        mine.merge(terms, theirs, cond, size, width)?;
    }
    Ok(out)
}
