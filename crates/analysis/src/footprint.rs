//! What a call may do to memory it did not make, in the direction in which proofs need it.
//!
//! The classes of `Analysis` are optimistic where C's rules are. Here nothing is: an address is followed back through
//! the arithmetic that keeps its object (`PtrAdd` never leaves it) to where the object comes from: memory of the
//! callee's own, a global, a parameter. Everything else (an address that was read from memory, made from a number,
//! given from outside) may be anything. So `Places` without `anything` names every object that can be meant, whatever
//! the program does.
//!
//! Of each object it names the bytes: those at an offset that is constant or, by its shape or by a check in front of
//! the access, in an interval (`range`). So a call that writes one member of a struct is known to leave the others.
//!
//! A call that can do what no such set describes (end an activation from afar, something unsupported) is *opaque*:
//! whoever leaves calls out has to look into it.
//!
//! Absent: what is read, contexts, memory that does not escape, strides (an array of structs is written as a whole).

use crate::bytes::Bytes;
use crate::range::Ranges;
use blitz_ir::callgraph::makes_sense_as;
use blitz_ir::effect::{Extent, Kind, ObjectUse};
use blitz_ir::{
    Block, CallSite, CastOp, Const, Direction, Func, FuncId, GlobalId, Inst, InstId, Program, Target, Terminator, Type,
    Value, ValueDef,
};
use std::collections::{BTreeMap, BTreeSet};

/// More globals than this are not listed: anything may be meant.
const MAX_GLOBALS: usize = 128;

/// Changes of what one value or function may mean, after which bytes are no longer told apart: loops and recursion
/// would go on for ever.
const MAX_CHANGES: u32 = 6;

/// The places an address may mean, those in objects the function made itself left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Bytes of globals.
    pub globals: BTreeMap<GlobalId, Bytes>,
    /// Bytes counted from where a parameter points to, by its number.
    pub params: BTreeMap<u32, Bytes>,
    pub anything: bool,
}

impl Places {
    fn anything() -> Self {
        Self { anything: true, ..Self::default() }
    }

    /// No object but the function's own.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn add(&mut self, other: &Places) {
        self.anything |= other.anything;
        add_all(&mut self.globals, &other.globals);
        add_all(&mut self.params, &other.params);
        self.anything |= self.globals.len() > MAX_GLOBALS;
        if self.anything {
            *self = Self::anything();
        }
    }

    /// The same with each set of bytes changed.
    fn map(&self, change: impl Fn(&Bytes) -> Bytes) -> Places {
        Places {
            globals: self.globals.iter().map(|(g, b)| (*g, change(b))).collect(),
            params: self.params.iter().map(|(p, b)| (*p, change(b))).collect(),
            anything: self.anything,
        }
    }
}

fn add_all<K: Copy + Ord>(all: &mut BTreeMap<K, Bytes>, more: &BTreeMap<K, Bytes>) {
    for (key, bytes) in more {
        match all.get_mut(key) {
            Some(known) => known.add(bytes),
            None => {
                all.insert(*key, bytes.clone());
            }
        }
    }
}

/// What a call of a function may do, its callees included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Objects whose bytes may change.
    pub writes: Places,
    /// Objects whose life may end.
    pub frees: Places,
    /// What its results may point to.
    returns: Places,
    /// It may make objects that outlive it.
    pub allocates: bool,
    /// The program may end inside, with a look for leaks.
    pub exits: bool,
    /// It does what no set of objects describes: a call has to be looked into.
    pub opaque: bool,
}

impl Footprint {
    /// The same without a word about which bytes.
    fn of_whole_objects(&self) -> Self {
        let whole = |places: &Places| places.map(|_| Bytes::Any);
        Self { writes: whole(&self.writes), frees: whole(&self.frees), returns: whole(&self.returns), ..self.clone() }
    }
}

/// The footprints of all functions that can be reached, and who calls whom.
pub struct Footprints {
    of: BTreeMap<FuncId, Footprint>,
    callees: BTreeMap<FuncId, BTreeSet<FuncId>>,
    callers: BTreeMap<FuncId, Vec<FuncId>>,
}

impl Footprints {
    pub fn new(program: &Program, entry: FuncId, assumed: &[String]) -> Self {
        let world = World { program, taken: taken(program), assumed };
        let callees = reached(&world, entry);
        let mut callers: BTreeMap<FuncId, Vec<FuncId>> = BTreeMap::new();
        for (f, list) in &callees {
            for callee in list {
                callers.entry(*callee).or_default().push(*f);
            }
        }
        let mut of: BTreeMap<FuncId, Footprint> = callees.keys().map(|f| (*f, world.unseen(*f))).collect();
        let mut work: BTreeSet<FuncId> = callees.keys().copied().collect();
        let mut changes: BTreeMap<FuncId, u32> = BTreeMap::new();
        while let Some(f) = work.pop_first() {
            let Some(body) = program.body(f) else { continue };
            let mut new = footprint(&world, f, body, &of);
            if of.get(&f) != Some(&new) {
                let count = changes.entry(f).or_default();
                *count += 1;
                if *count > MAX_CHANGES {
                    new = new.of_whole_objects();
                    if of.get(&f) == Some(&new) {
                        continue;
                    }
                }
                of.insert(f, new);
                work.extend(callers.get(&f).into_iter().flatten());
            }
        }
        Self { of, callees, callers }
    }

    /// What a call of a function may do; `None` for functions that nothing reaches.
    pub fn of(&self, f: FuncId) -> Option<&Footprint> {
        self.of.get(&f)
    }

    /// The functions whose execution can lead into `f`, itself included.
    pub fn reaching(&self, f: FuncId) -> BTreeSet<FuncId> {
        closure([f], |f| self.callers.get(&f).into_iter().flatten().copied())
    }

    /// Whether executing `f` can lead into `f` again.
    pub fn calls_itself(&self, f: FuncId) -> bool {
        let called = |f: FuncId| self.callees.get(&f).into_iter().flatten().copied();
        closure(called(f), called).contains(&f)
    }

    /// The functions that executing `f` can lead into, itself included.
    pub fn reached_from(&self, f: FuncId) -> BTreeSet<FuncId> {
        closure([f], |f| self.callees.get(&f).into_iter().flatten().copied())
    }
}

fn closure<I: Iterator<Item = FuncId>>(
    from: impl IntoIterator<Item = FuncId>,
    next: impl Fn(FuncId) -> I,
) -> BTreeSet<FuncId> {
    let mut found: BTreeSet<FuncId> = from.into_iter().collect();
    let mut work: Vec<FuncId> = found.iter().copied().collect();
    while let Some(f) = work.pop() {
        work.extend(next(f).filter(|g| found.insert(*g)));
    }
    found
}

/// The program, and the functions whose address is taken in it.
struct World<'p> {
    program: &'p Program,
    taken: Vec<FuncId>,
    /// Functions that change nothing though they have no body: the user says so.
    assumed: &'p [String],
}

impl World<'_> {
    /// What a function does before its body was looked at; without one, anything.
    fn unseen(&self, f: FuncId) -> Footprint {
        let decl = self.program.decl(f);
        if decl.has_body || self.assumed.contains(&decl.name) {
            return Footprint::default();
        }
        // It may call what it is given, which no set of objects describes.
        let opaque = decl.signature.variadic || decl.signature.params.contains(&Type::Ptr);
        let (writes, frees) = (Places::anything(), Places::anything());
        Footprint { writes, frees, allocates: true, opaque, ..Footprint::default() }
    }

    /// Every function that a call may run.
    fn targets(&self, site: &CallSite) -> Vec<FuncId> {
        match site.target {
            Target::Func(f) => vec![f],
            Target::Pointer(_) => self.taken.iter().copied().filter(|f| self.fits(*f, site)).collect(),
        }
    }

    fn fits(&self, f: FuncId, site: &CallSite) -> bool {
        makes_sense_as(self.program.decl(f), &site.signature, self.program.target.ptr_bits)
    }
}

fn taken(program: &Program) -> Vec<FuncId> {
    (0..program.funcs.len()).map(FuncId::new).filter(|f| program.decl(*f).address_taken).collect()
}

/// The functions that can be called, each with those it can call.
fn reached(world: &World<'_>, entry: FuncId) -> BTreeMap<FuncId, BTreeSet<FuncId>> {
    let mut found = BTreeMap::new();
    let mut work = vec![entry];
    while let Some(f) = work.pop() {
        if found.contains_key(&f) {
            continue;
        }
        let mut callees = BTreeSet::new();
        for data in world.program.body(f).iter().flat_map(|b| &b.insts) {
            if let Inst::Call(site) = &data.inst {
                callees.extend(world.targets(site));
            }
        }
        work.extend(callees.iter().copied());
        found.insert(f, callees);
    }
    found
}

fn footprint(world: &World<'_>, f: FuncId, body: &Func, known: &BTreeMap<FuncId, Footprint>) -> Footprint {
    let origins = Origins::new(world, f, body, known);
    let mut out = Footprint::default();
    for block in body.block_ids() {
        let data = body.block(block);
        for (position, &i) in data.insts.iter().enumerate() {
            effect(world, &origins, &body.inst(i).inst, (block, position), known, &mut out);
        }
        match &data.term {
            Terminator::Return { values } => values.iter().for_each(|v| out.returns.add(&origins.of(*v))),
            Terminator::Exit { .. } => out.exits = true,
            Terminator::LongJmp { .. } => out.opaque = true,
            Terminator::Jump { .. }
            | Terminator::Branch { .. }
            | Terminator::Switch { .. }
            | Terminator::IndirectJump { .. }
            | Terminator::Halt { .. }
            | Terminator::Unreachable => {}
        }
    }
    out
}

fn effect(
    world: &World<'_>,
    origins: &Origins<'_>,
    inst: &Inst,
    at: (Block, usize),
    known: &BTreeMap<FuncId, Footprint>,
    out: &mut Footprint,
) {
    let effect = inst.effect();
    for written in &effect.writes {
        let len = match written.extent {
            Extent::Of(value) => {
                Some(i64::from(origins.body.ty(value).bits(world.program.target.ptr_bits).div_ceil(8)))
            }
            Extent::Bytes(len) | Extent::UpTo(len) => origins.most(len, at),
            Extent::Result => None,
        };
        out.writes.add(&origins.of(written.ptr).map(|b| len.map_or(Bytes::Any, |n| b.widened(n))));
    }
    match effect.object {
        Some((ptr, ObjectUse::Freed)) => out.frees.add(&origins.of(ptr)),
        // Scopes are of the function's own variables.
        Some((ptr, ObjectUse::ScopeStarts | ObjectUse::ScopeEnds)) => out.opaque |= !origins.of(ptr).is_empty(),
        Some((_, ObjectUse::Asked)) | None => {}
    }
    match effect.kind {
        Kind::AllocatesHeap => out.allocates = true,
        // Other threads may run in front of it, and do anything.
        Kind::Yields | Kind::Thread | Kind::ComesBack | Kind::Host | Kind::Refused => out.opaque = true,
        Kind::Computes
        | Kind::Changes
        | Kind::AllocatesStack
        | Kind::SavesStack
        | Kind::RestoresStack
        | Kind::Guards
        | Kind::Input
        | Kind::Calls
        | Kind::Outputs
        | Kind::Notes => {}
    }
    if let Inst::Call(site) = inst {
        effect_of_call(world, origins, site, known, out);
    }
    // What was left out is in no footprint, and has to be noticed; what was added is in it.
    out.opaque |= matches!(inst, Inst::Approximates { direction: Direction::Fewer, .. });
}

fn effect_of_call(
    world: &World<'_>,
    origins: &Origins<'_>,
    site: &CallSite,
    known: &BTreeMap<FuncId, Footprint>,
    out: &mut Footprint,
) {
    for f in world.targets(site) {
        let Some(inner) = known.get(&f) else { continue };
        out.writes.add(&origins.seen_by_caller(&inner.writes, site));
        out.frees.add(&origins.seen_by_caller(&inner.frees, site));
        out.allocates |= inner.allocates;
        out.exits |= inner.exits;
        out.opaque |= inner.opaque;
    }
    // What a call of a function of another type does is not described anywhere.
    let pointer = matches!(site.target, Target::Pointer(_));
    out.opaque |= pointer && world.taken.iter().any(|f| !world.fits(*f, site));
}

/// What each value of a function may point to.
struct Origins<'a> {
    body: &'a Func,
    values: Vec<Places>,
    /// How often the places of a value have changed.
    changes: Vec<u32>,
    ranges: Ranges<'a>,
    /// Offsets from here on are of no object, however an address came about.
    far: i64,
}

impl<'a> Origins<'a> {
    /// A fixed point over the values: block parameters make cycles.
    fn new(world: &World<'_>, f: FuncId, body: &'a Func, known: &BTreeMap<FuncId, Footprint>) -> Self {
        let target = &world.program.target;
        let count = body.values.len();
        let mut origins = Self {
            body,
            values: vec![Places::default(); count],
            changes: vec![0; count],
            ranges: Ranges::new(body),
            // An offset that does not fit is replaced by the lowest one. Two steps of this size do not lead back from
            // there into an object.
            far: 1 << (target.offset_bits() - 3).min(40),
        };
        // The variable arguments, after the others, lie in memory made for the call.
        let given = world.program.decl(f).signature.params.len();
        for (i, &p) in body.params().iter().enumerate().take(given) {
            origins.values[p.index()].params.insert(i as u32, Bytes::here());
        }
        loop {
            let mut changed = false;
            for block in body.block_ids() {
                let data = body.block(block);
                for (position, &i) in data.insts.iter().enumerate() {
                    changed |= origins.define(world, i, (block, position), known);
                }
                for (to, args) in data.term.successors() {
                    for (&p, &a) in body.block(to).params.iter().zip(args) {
                        changed |= origins.extend(p, &origins.of(a));
                    }
                }
            }
            if !changed {
                return origins;
            }
        }
    }

    fn of(&self, v: Value) -> Places {
        match &self.body.values[v.index()].def {
            ValueDef::Const(c) => match c {
                Const::Global(g, off) => {
                    let there = self.near(&Bytes::range(*off, off.saturating_add(1)));
                    Places { globals: BTreeMap::from([(*g, there)]), ..Places::default() }
                }
                // Writing to code, or to nothing, is a violation in front of which a check stands.
                Const::Func(_) | Const::Null | Const::Undef => Places::default(),
                Const::Bits(n) if n.is_zero() => Places::default(),
                Const::Bits(_) => Places::anything(),
            },
            ValueDef::Param(..) | ValueDef::Inst(..) => self.values[v.index()].clone(),
        }
    }

    fn extend(&mut self, v: Value, by: &Places) -> bool {
        let before = self.values[v.index()].clone();
        let mut new = before.clone();
        new.add(by);
        if new == before {
            return false;
        }
        self.changes[v.index()] += 1;
        if self.changes[v.index()] > MAX_CHANGES {
            new = new.map(|_| Bytes::Any);
        }
        self.values[v.index()] = new;
        self.values[v.index()] != before
    }

    /// The places `by` bytes further, where that is known to be in an interval.
    fn moved(&self, places: &Places, by: Value, at: (Block, usize)) -> Places {
        let (low, high) = self.ranges.of(by, at.0, at.1);
        let near = |n: i128| i64::try_from(n).ok().filter(|n| n.unsigned_abs() < self.far.unsigned_abs());
        match (near(low), near(high)) {
            (Some(low), Some(high)) => {
                let steps = Bytes::range(low, high + 1);
                places.map(|b| self.near(&b.moved(&steps)))
            }
            _ => places.map(|_| Bytes::Any),
        }
    }

    /// The set, unless it goes too far.
    fn near(&self, bytes: &Bytes) -> Bytes {
        match bytes {
            Bytes::Ranges(all) if all.iter().all(|(from, to)| *from > -self.far && *to < self.far) => bytes.clone(),
            Bytes::Ranges(_) | Bytes::Any => Bytes::Any,
        }
    }

    /// The largest number that a length can be, if it is no larger than objects are.
    fn most(&self, len: Value, at: (Block, usize)) -> Option<i64> {
        let (low, high) = self.ranges.of(len, at.0, at.1);
        i64::try_from(high).ok().filter(|n| low >= 0 && *n < self.far)
    }

    fn define(
        &mut self,
        world: &World<'_>,
        id: InstId,
        at: (Block, usize),
        known: &BTreeMap<FuncId, Footprint>,
    ) -> bool {
        let body = self.body;
        let data = body.inst(id);
        let places = match &data.inst {
            Inst::PtrAdd { base, offset, .. } => self.moved(&self.of(*base), *offset, at),
            Inst::Select { then, other, .. } => {
                let mut either = self.of(*then);
                either.add(&self.of(*other));
                either
            }
            Inst::Cast { op: CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast, arg } => {
                let word = world.program.target.ptr_bits;
                let whole = body.ty(*arg).bits(word) == word && body.ty(data.results[0]).bits(word) == word;
                if whole { self.of(*arg) } else { Places::anything() }
            }
            Inst::Alloca { .. } | Inst::HeapAlloc { .. } => Places::default(),
            Inst::Call(site) => self.returned(world, site, known),
            Inst::Cast { .. }
            | Inst::Unary { .. }
            | Inst::Binary { .. }
            | Inst::Compare { .. }
            | Inst::Overflow { .. }
            | Inst::FusedMulAdd { .. }
            | Inst::StackSave
            | Inst::Load { .. }
            | Inst::LoadShadow { .. }
            | Inst::Scan { .. }
            | Inst::Mismatch { .. }
            | Inst::Input { .. }
            | Inst::Builtin { .. }
            | Inst::SetJmp { .. }
            | Inst::Unsupported { .. } => Places::anything(),
            // These yield nothing.
            Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackRestore { .. }
            | Inst::Store { .. }
            | Inst::StoreShadow { .. }
            | Inst::MemCopy { .. }
            | Inst::MemSet { .. }
            | Inst::HeapFree { .. }
            | Inst::Check { .. }
            | Inst::CheckMem(_)
            | Inst::Assume { .. }
            | Inst::Await { .. }
            | Inst::InputBytes { .. }
            | Inst::Debug { .. }
            | Inst::Approximates { .. } => Places::default(),
        };
        let mut changed = false;
        for &result in &data.results {
            changed |= self.extend(result, &places);
        }
        changed
    }

    fn returned(&self, world: &World<'_>, site: &CallSite, known: &BTreeMap<FuncId, Footprint>) -> Places {
        let mut out = Places::default();
        for f in world.targets(site) {
            match known.get(&f) {
                Some(inner) if world.program.decl(f).has_body => out.add(&self.seen_by_caller(&inner.returns, site)),
                _ => out.add(&Places::anything()),
            }
        }
        out
    }

    /// A callee's places in terms of this function's.
    fn seen_by_caller(&self, inner: &Places, site: &CallSite) -> Places {
        let mut out = Places { globals: inner.globals.clone(), anything: inner.anything, ..Places::default() };
        for (i, bytes) in &inner.params {
            if let Some(&arg) = site.args.get(*i as usize) {
                out.add(&self.of(arg).map(|b| self.near(&b.moved(bytes))));
            }
        }
        out
    }
}
