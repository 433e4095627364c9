//! Memory: objects by number, pointers as terms, accesses split over the few objects a pointer can mean.
//!
//! A pointer is one word: the object's number above, the signed offset below (`TargetInfo::offset_bits`). Which
//! objects a pointer term can mean is read off its shape (choices between constants); there is no search.
//!
//! Invariant: a global that is absent from the map has its initial contents.
//! Absent: any decision about properties; `check` gives conditions, the executor makes claims of them.

use crate::contents::{Contents, Initial, MixedWidths, Range};
use crate::shape::{Candidates, signed_bits, unsigned_bits};
use blitz_ir::{AccessKind, CheckKind, Const, FuncId, GlobalId, Program, PropertyId, RelocTarget};
use blitz_term::{Op, Sort, Term, Terms};
use imbl::OrdMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The objects of one execution state; cloning is cheap.
#[derive(Clone, Default)]
pub struct Memory {
    objects: OrdMap<u32, Shared>,
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
}

/// One object a pointer can mean, under a condition.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    pub cond: Term,
    pub object: u32,
    pub off: Term,
}

/// Why an access can't be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The objects the pointer can mean are not evident.
    UnknownPointer,
    MixedWidths,
}

impl From<MixedWidths> for Refusal {
    fn from(_: MixedWidths) -> Self {
        Refusal::MixedWidths
    }
}

/// The program-wide facts memory needs, and the caches it keeps.
pub struct Space<'p> {
    pub program: &'p Program,
    pub track_shadow: bool,
    candidates: Candidates,
    initial: BTreeMap<u32, Rc<Object>>,
}

impl<'p> Space<'p> {
    pub fn new(program: &'p Program, track_shadow: bool) -> Self {
        Self { program, track_shadow, candidates: Candidates::new(), initial: BTreeMap::new() }
    }

    pub fn ptr_bits(&self) -> u16 {
        self.program.target.ptr_bits
    }

    pub fn off_bits(&self) -> u16 {
        self.program.target.offset_bits()
    }

    /// The pointer to byte `off` of object `number`.
    pub fn pointer(&self, terms: &mut Terms, number: u64, off: i64) -> Term {
        let high = terms.bv(self.ptr_bits() - self.off_bits(), number);
        let low = terms.bv_signed(self.off_bits(), off);
        terms.concat(high, low)
    }

    /// The term of a constant of this many bits. Indeterminate values are zero: where they matter a check is in front.
    pub fn constant(&self, terms: &mut Terms, c: &Const, bits: u16) -> Term {
        match c {
            Const::Bits(v) => terms.bv_const(v.clone()),
            Const::Null | Const::Undef => terms.zero(bits),
            Const::Global(g, off) => self.pointer(terms, self.program.global_object(*g), *off),
            Const::Func(f) => self.pointer(terms, self.program.func_object(*f), 0),
        }
    }

    /// `p` moved by `delta` bytes (as wide as a pointer). A choice between pointers stays one.
    pub fn ptr_add(&self, terms: &mut Terms, p: Term, delta: Term) -> Term {
        if terms.is_zero(delta) {
            return p;
        }
        if let Op::Ite(c, a, b) = terms.op(p)
            && self.is_plain(terms, a)
            && self.is_plain(terms, b)
        {
            let (a, b) = (self.ptr_add_plain(terms, a, delta), self.ptr_add_plain(terms, b, delta));
            return terms.ite(c, a, b);
        }
        self.ptr_add_plain(terms, p, delta)
    }

    fn is_plain(&self, terms: &Terms, p: Term) -> bool {
        !matches!(terms.op(p), Op::Ite(..))
    }

    fn ptr_add_plain(&self, terms: &mut Terms, p: Term, delta: Term) -> Term {
        let (bits, off_bits) = (self.ptr_bits(), self.off_bits());
        let object = terms.extract(p, bits - 1, off_bits);
        let off = terms.extract(p, off_bits - 1, 0);
        let step = terms.extract(delta, off_bits - 1, 0);
        let sum = terms.add(off, step);
        let small = signed_bits(terms, delta) < off_bits;
        let sum = if small && signed_bits(terms, off) < off_bits {
            sum
        } else {
            let mut far = terms.saddo(off, step);
            if !small {
                let back = terms.sext(step, bits);
                let cut = terms.ne(back, delta);
                far = terms.or(far, cut);
            }
            let lowest = terms.bv_signed(off_bits, -(1 << (off_bits - 1)));
            terms.ite(far, lowest, sum)
        };
        terms.concat(object, sum)
    }

    /// The objects a pointer can mean.
    pub fn leaves(&mut self, terms: &mut Terms, p: Term) -> Result<Vec<Leaf>, Refusal> {
        let (bits, off_bits) = (self.ptr_bits(), self.off_bits());
        let mut out = Vec::new();
        for (cond, leaf) in choices(terms, p) {
            let object = terms.extract(leaf, bits - 1, off_bits);
            let off = terms.extract(leaf, off_bits - 1, 0);
            if let Some(n) = terms.as_u64(object) {
                out.push(Leaf { cond, object: n as u32, off });
                continue;
            }
            let all = self.candidates.of(terms, object).ok_or(Refusal::UnknownPointer)?;
            for n in all {
                let number = terms.bv(bits - off_bits, n);
                let here = terms.eq(object, number);
                let cond = terms.and(cond, here);
                if !terms.is_false(cond) {
                    out.push(Leaf { cond, object: n as u32, off });
                }
            }
        }
        Ok(out)
    }

    /// The functions a pointer can mean, each with its condition, and the condition that it is none of them.
    pub fn functions(&mut self, terms: &mut Terms, p: Term) -> Result<(Vec<(Term, FuncId)>, Term), Refusal> {
        let mut found = Vec::new();
        let mut none = terms.fls();
        for leaf in self.leaves(terms, p)? {
            match self.program.func_of_object(u64::from(leaf.object)) {
                Some(f) => found.push((leaf.cond, f)),
                None => none = terms.or(none, leaf.cond),
            }
        }
        Ok((found, none))
    }

    fn first_free(&self) -> u32 {
        self.program.first_free_object() as u32
    }

    /// The state of a global or function at the start of the program.
    fn initial(&mut self, terms: &mut Terms, number: u32) -> Option<Rc<Object>> {
        if number == 0 || number >= self.first_free() {
            return None;
        }
        if let Some(found) = self.initial.get(&number) {
            return Some(Rc::clone(found));
        }
        let object = match self.program.func_of_object(u64::from(number)) {
            Some(_) => self.code_object(terms),
            None => self.global_object(terms, GlobalId(number - 1)),
        };
        let object = Rc::new(object);
        self.initial.insert(number, Rc::clone(&object));
        Some(object)
    }

    fn code_object(&self, terms: &mut Terms) -> Object {
        let zero = terms.bv(8, 0);
        Object {
            kind: ObjectKind::Code,
            size: terms.zero(self.off_bits()),
            live: terms.tru(),
            exists: terms.tru(),
            constant: true,
            data: Contents::filled(zero),
            shadow: None,
            leak: None,
        }
    }

    fn global_object(&mut self, terms: &mut Terms, id: GlobalId) -> Object {
        let global = self.program.global(id);
        let data = match &global.init {
            None => {
                let name = format!("global:{}", global.name);
                let array = terms.var(&name, Sort::Array { index: self.off_bits(), elem: 8 });
                Contents::bytes(array)
            }
            Some(bytes) => {
                let pointers = global
                    .relocs
                    .iter()
                    .map(|r| {
                        let number = match r.target {
                            RelocTarget::Global(g) => self.program.global_object(g),
                            RelocTarget::Func(f) => self.program.func_object(f),
                        };
                        (r.offset, self.pointer(terms, number, r.addend))
                    })
                    .collect();
                Contents::data(Initial {
                    bytes: bytes.clone(),
                    pointers,
                    pointer_bytes: u64::from(self.ptr_bits() / 8),
                })
            }
        };
        let zero = terms.bv(8, 0);
        Object {
            kind: ObjectKind::Global,
            size: terms.bv(self.off_bits(), global.size),
            live: terms.tru(),
            exists: terms.tru(),
            constant: global.constant,
            data,
            shadow: self.track_shadow.then(|| Contents::filled(zero)),
            leak: None,
        }
    }
}

impl Memory {
    /// The object with this number, if there is one.
    pub fn object(&self, space: &mut Space<'_>, terms: &mut Terms, number: u32) -> Option<Rc<Object>> {
        match self.objects.get(&number) {
            Some(o) => Some(Rc::clone(&o.0)),
            None => space.initial(terms, number),
        }
    }

    /// Puts an object's new state.
    pub fn put(&mut self, number: u32, object: Object) {
        self.objects.insert(number, Shared(Rc::new(object)));
    }

    /// All objects that were touched or allocated, by number.
    pub fn touched(&self) -> impl Iterator<Item = (u32, &Rc<Object>)> {
        self.objects.iter().map(|(&n, o)| (n, &o.0))
    }

    /// Changes one object.
    pub fn update(&mut self, space: &mut Space<'_>, terms: &mut Terms, number: u32, change: impl FnOnce(&mut Terms, &mut Object)) {
        if let Some(mut object) = self.object(space, terms, number) {
            change(terms, Rc::make_mut(&mut object));
            self.objects.insert(number, Shared(object));
        }
    }

    /// `bytes` bytes at `p`.
    pub fn load(&mut self, space: &mut Space<'_>, terms: &mut Terms, p: Term, bytes: u64, part: Part) -> Result<Term, Refusal> {
        let mut out: Option<Term> = None;
        for leaf in space.leaves(terms, p)?.into_iter().rev() {
            let Some(mut object) = self.object(space, terms, leaf.object) else { continue };
            let size = terms.as_u64(object.size);
            let value = match part {
                Part::Data => {
                    if terms.is_const(leaf.off) {
                        object.data.clone().load(terms, leaf.off, bytes, size)
                    } else {
                        // A read at a symbolic offset may turn the contents into an array; keep that work.
                        let value = Rc::make_mut(&mut object).data.load(terms, leaf.off, bytes, size);
                        self.objects.insert(leaf.object, Shared(object));
                        value
                    }
                }
                Part::Shadow => match &object.shadow {
                    Some(shadow) => shadow.clone().load(terms, leaf.off, bytes, size),
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
    pub fn store(&mut self, space: &mut Space<'_>, terms: &mut Terms, p: Term, value: Term, part: Part) -> Result<(), Refusal> {
        let leaves = space.leaves(terms, p)?;
        let only = sole(space, self, &leaves);
        for leaf in leaves {
            self.change(space, terms, leaf, only, |terms, object, size| {
                let target = match part {
                    Part::Data => Some(&mut object.data),
                    Part::Shadow => object.shadow.as_mut(),
                };
                if let Some(contents) = target {
                    contents.store(terms, leaf.off, value, size);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// `memset`; makes the bytes determinate.
    pub fn fill(&mut self, space: &mut Space<'_>, terms: &mut Terms, p: Term, byte: Term, len: Term) -> Result<(), Refusal> {
        let len = space.length(terms, len);
        let leaves = space.leaves(terms, p)?;
        let only = sole(space, self, &leaves);
        for leaf in leaves {
            self.change(space, terms, leaf, only, |terms, object, size| {
                let range = Range { off: leaf.off, len, size };
                object.data.fill(terms, range, byte)?;
                if let Some(shadow) = &mut object.shadow {
                    let zero = terms.bv(8, 0);
                    shadow.fill(terms, range, zero)?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Replaces a range by the first bytes of an array (inputs), which become determinate.
    pub fn fill_from(&mut self, space: &mut Space<'_>, terms: &mut Terms, p: Term, source: Term, len: Term) -> Result<(), Refusal> {
        let len = space.length(terms, len);
        let start = terms.zero(space.off_bits());
        let leaves = space.leaves(terms, p)?;
        let only = sole(space, self, &leaves);
        for leaf in leaves {
            self.change(space, terms, leaf, only, |terms, object, size| {
                let range = Range { off: leaf.off, len, size };
                let from_size = terms.as_u64(len);
                object.data.copy(terms, range, &mut Contents::bytes(source), start, from_size)?;
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
    pub fn copy(&mut self, space: &mut Space<'_>, terms: &mut Terms, dst: Term, src: Term, len: Term) -> Result<(), Refusal> {
        if terms.is_zero(len) {
            return Ok(());
        }
        let len = space.length(terms, len);
        let before = self.clone();
        let to = space.leaves(terms, dst)?;
        let from = space.leaves(terms, src)?;
        let alone = sole(space, self, &to) && sole(space, self, &from);
        for &target in &to {
            for &origin in &from {
                let Some(origin_object) = before.object(space, terms, origin.object) else { continue };
                let cond = terms.and(target.cond, origin.cond);
                let leaf = Leaf { cond, ..target };
                self.change(space, terms, leaf, alone, |terms, object, size| {
                    let range = Range { off: target.off, len, size };
                    let mut from = (*origin_object).clone();
                    let from_size = terms.as_u64(from.size);
                    object.data.copy(terms, range, &mut from.data, origin.off, from_size)?;
                    if let (Some(shadow), Some(from)) = (&mut object.shadow, &mut from.shadow) {
                        shadow.copy(terms, range, from, origin.off, from_size)?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }

    /// The least n below `limit` with `byte` at `p + n`, else `limit` (as wide as a pointer).
    pub fn scan(&mut self, space: &mut Space<'_>, terms: &mut Terms, p: Term, byte: Term, limit: Term) -> Result<Term, Refusal> {
        let short = space.length(terms, limit);
        let mut out = short;
        for leaf in space.leaves(terms, p)?.into_iter().rev() {
            let Some(object) = self.object(space, terms, leaf.object) else { continue };
            let range = Range { off: leaf.off, len: short, size: terms.as_u64(object.size) };
            let found = object.data.clone().scan(terms, range, byte)?;
            out = terms.ite(leaf.cond, found, out);
        }
        Ok(space.widen_count(terms, out, short, limit))
    }

    /// The least n below `limit` where the bytes at `p + n` and `q + n` differ, else `limit`.
    pub fn mismatch(&mut self, space: &mut Space<'_>, terms: &mut Terms, p: Term, q: Term, limit: Term) -> Result<Term, Refusal> {
        let short = space.length(terms, limit);
        let mut out = short;
        let (left, right) = (space.leaves(terms, p)?, space.leaves(terms, q)?);
        for a in left.iter().rev() {
            for b in right.iter().rev() {
                let (Some(x), Some(y)) = (self.object(space, terms, a.object), self.object(space, terms, b.object)) else {
                    continue;
                };
                let range = Range { off: a.off, len: short, size: terms.as_u64(x.size) };
                let (mut x, mut y_data) = (x.data.clone(), y.data.clone());
                let y_size = terms.as_u64(y.size);
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
        change: impl FnOnce(&mut Terms, &mut Object, Option<u64>) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some(old) = self.object(space, terms, leaf.object) else { return Ok(()) };
        let size = terms.as_u64(old.size);
        let mut new = (*old).clone();
        change(terms, &mut new, size)?;
        if !unconditional {
            let width = space.off_bits();
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
    pub fn merge(&mut self, space: &mut Space<'_>, terms: &mut Terms, other: &Memory, cond: Term) -> Result<(), Refusal> {
        if self.objects.ptr_eq(&other.objects) {
            return Ok(());
        }
        let numbers: Vec<u32> = self
            .objects
            .diff(&other.objects)
            .map(|item| match item {
                imbl::ordmap::DiffItem::Add(&n, _) | imbl::ordmap::DiffItem::Remove(&n, _) => n,
                imbl::ordmap::DiffItem::Update { old: (&n, _), .. } => n,
            })
            .collect();
        for number in numbers {
            let mine = self.object(space, terms, number);
            let theirs = other.object(space, terms, number);
            match (mine, theirs) {
                (Some(a), Some(b)) if Rc::ptr_eq(&a, &b) => {}
                (Some(a), Some(b)) => {
                    let merged = merge_objects(space, terms, &a, &b, cond)?;
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
        Ok(())
    }

    /// The ways an access can go wrong, in the order in which they are looked at; at most one holds at a time.
    pub fn check(&mut self, space: &mut Space<'_>, terms: &mut Terms, p: Term, size: Term, access: AccessKind) -> Result<Vec<(CheckKind, Term)>, Refusal> {
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

/// Which half of an object an access means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Data,
    Shadow,
}

impl Space<'_> {
    /// A byte count as wide as an offset; counts beyond the largest object become the largest offset.
    fn length(&self, terms: &mut Terms, len: Term) -> Term {
        let off_bits = self.off_bits();
        let cut = terms.extract(len, off_bits - 1, 0);
        if unsigned_bits(terms, len) < off_bits {
            return cut;
        }
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

/// The alternatives of a choice between pointers, each with its condition.
fn choices(terms: &mut Terms, p: Term) -> Vec<(Term, Term)> {
    let mut open = BTreeMap::from([(p, terms.tru())]);
    let mut out = Vec::new();
    while let Some((t, cond)) = open.pop_last() {
        match terms.op(t) {
            Op::Ite(c, a, b) => {
                let not_c = terms.not(c);
                for (side, test) in [(a, c), (b, not_c)] {
                    let here = terms.and(cond, test);
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

/// Whether a checked access can only mean one object: leaves that mean none were excluded by the check in front.
fn sole(space: &Space<'_>, memory: &Memory, leaves: &[Leaf]) -> bool {
    leaves
        .iter()
        .filter(|l| l.object != 0 && (l.object < space.first_free() || memory.objects.contains_key(&l.object)))
        .count()
        == 1
}

fn is_nonzero(terms: &Terms, t: Term) -> bool {
    terms.as_const(t).is_some_and(|c| !c.is_zero())
}

fn merge_objects(space: &Space<'_>, terms: &mut Terms, a: &Object, b: &Object, cond: Term) -> Result<Object, Refusal> {
    let mut out = a.clone();
    let size = terms.as_u64(a.size);
    let width = space.off_bits();
    out.size = terms.ite(cond, b.size, a.size);
    out.live = terms.ite(cond, b.live, a.live);
    out.exists = terms.ite(cond, b.exists, a.exists);
    out.data.merge(terms, &b.data, cond, size, width)?;
    if let (Some(mine), Some(theirs)) = (&mut out.shadow, &b.shadow) {
        mine.merge(terms, theirs, cond, size, width)?;
    }
    Ok(out)
}

/// How an access through one leaf can go wrong; the conditions exclude one another.
fn faults(
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
            AccessKind::Free if leaf.object == 0 => {
                let zero = terms.zero(space.off_bits());
                vec![(CheckKind::InvalidFree, terms.ne(leaf.off, zero))]
            }
            AccessKind::Free => vec![(CheckKind::InvalidFree, tru)],
            AccessKind::Defined => Vec::new(),
        });
    };
    match access {
        AccessKind::Free => Ok(free_faults(space, terms, leaf, object)),
        AccessKind::Defined => defined_faults(space, terms, leaf, object, size),
        AccessKind::Read | AccessKind::Write | AccessKind::String => {
            let mut out = Vec::new();
            let dead = terms.not(object.live);
            let kind = if object.kind == ObjectKind::Heap { CheckKind::UseAfterFree } else { CheckKind::UseAfterScope };
            out.push((kind, dead));
            let mut bad = match access {
                AccessKind::String => unterminated(terms, leaf, object)?,
                AccessKind::Read | AccessKind::Write | AccessKind::Free | AccessKind::Defined => {
                    outside(space, terms, leaf.off, size, object.size)
                }
            };
            if access == AccessKind::Write && object.constant {
                bad = tru;
            }
            out.push((CheckKind::BufferOverflow, terms.and(object.live, bad)));
            Ok(out)
        }
    }
}

fn free_faults(space: &Space<'_>, terms: &mut Terms, leaf: Leaf, object: &Object) -> Vec<(CheckKind, Term)> {
    if object.kind != ObjectKind::Heap {
        return vec![(CheckKind::InvalidFree, terms.tru())];
    }
    let zero = terms.zero(space.off_bits());
    let inside = terms.ne(leaf.off, zero);
    let dead = terms.not(object.live);
    let start = terms.not(inside);
    let twice = terms.and(start, dead);
    vec![(CheckKind::InvalidFree, inside), (CheckKind::DoubleFree, twice)]
}

fn defined_faults(space: &Space<'_>, terms: &mut Terms, leaf: Leaf, object: &Object, size: Term) -> Result<Vec<(CheckKind, Term)>, Refusal> {
    let Some(shadow) = &object.shadow else { return Ok(Vec::new()) };
    let object_size = terms.as_u64(object.size);
    let bad = match terms.as_u64(size) {
        Some(0) => terms.fls(),
        Some(n) if n <= 64 => {
            let bits = shadow.clone().load(terms, leaf.off, n, object_size);
            let zero = terms.zero(terms.width(bits));
            terms.ne(bits, zero)
        }
        _ => {
            let len = space.length(terms, size);
            let zero = terms.bv(8, 0);
            let start = terms.zero(space.off_bits());
            let range = Range { off: leaf.off, len, size: object_size };
            let first = shadow.clone().mismatch(terms, range, &mut Contents::filled(zero), start, object_size)?;
            terms.ult(first, len)
        }
    };
    Ok(vec![(CheckKind::Uninitialised, bad)])
}

fn unterminated(terms: &mut Terms, leaf: Leaf, object: &Object) -> Result<Term, Refusal> {
    let inside = terms.ult(leaf.off, object.size);
    let room = terms.sub(object.size, leaf.off);
    let zero = terms.bv(8, 0);
    let range = Range { off: leaf.off, len: room, size: terms.as_u64(object.size) };
    let end = object.data.clone().scan(terms, range, zero)?;
    let none = terms.uge(end, room);
    let outside = terms.not(inside);
    Ok(terms.or(outside, none))
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
