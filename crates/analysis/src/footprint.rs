//! What a call may do to memory it did not make, in the direction in which proofs need it.
//!
//! The classes of `Analysis` are optimistic where C's rules are. Here nothing is: an address is followed back through the
//! arithmetic that keeps its object (`PtrAdd` never leaves it) to where the object comes from: memory of the callee's own,
//! a global, a parameter. Everything else (an address that was read from memory, made from a number, given from
//! outside) may be anything. So `Places` without `anything` names every object that can be meant, whatever the program does.
//!
//! A call that can do what no such set describes (end an activation from afar, something unsupported) is *opaque*:
//! whoever leaves calls out has to look into it.
//!
//! Absent: what is read, fields, contexts, memory that does not escape.

use blitz_ir::callgraph::makes_sense_as;
use blitz_ir::{
    Builtin, CallSite, CastOp, Const, Direction, Func, FuncId, GlobalId, Inst, InstId, Program, Target, Terminator,
    Type, Value, ValueDef,
};
use std::collections::{BTreeMap, BTreeSet};

/// More globals than this are not listed: anything may be meant.
const MAX_GLOBALS: usize = 128;

/// The objects an address may mean, those the function made itself left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub globals: BTreeSet<GlobalId>,
    /// What a parameter points into, by its number.
    pub params: BTreeSet<u32>,
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
        self.globals.extend(&other.globals);
        self.params.extend(&other.params);
        self.anything |= self.globals.len() > MAX_GLOBALS;
        if self.anything {
            *self = Self::anything();
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
    /// The program may end inside, with a look for leaks.
    pub exits: bool,
    /// It does what no set of objects describes: a call has to be looked into.
    pub opaque: bool,
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
        while let Some(f) = work.pop_first() {
            let Some(body) = program.body(f) else { continue };
            let new = footprint(&world, f, body, &of);
            if of.get(&f) != Some(&new) {
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
        Footprint { writes: Places::anything(), frees: Places::anything(), opaque, ..Footprint::default() }
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
        for &i in &data.insts {
            effect(world, &origins, &body.inst(i).inst, known, &mut out);
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
    known: &BTreeMap<FuncId, Footprint>,
    out: &mut Footprint,
) {
    match inst {
        Inst::Store { ptr, .. }
        | Inst::StoreShadow { ptr, .. }
        | Inst::MemCopy { dst: ptr, .. }
        | Inst::MemSet { dst: ptr, .. }
        | Inst::InputBytes { ptr, .. } => out.writes.add(&origins.of(*ptr)),
        Inst::HeapFree { ptr } => out.frees.add(&origins.of(*ptr)),
        // Scopes are of the function's own variables.
        Inst::LifetimeStart { ptr } | Inst::LifetimeEnd { ptr } => out.opaque |= !origins.of(*ptr).is_empty(),
        Inst::Call(site) => {
            for f in world.targets(site) {
                let Some(inner) = known.get(&f) else { continue };
                out.writes.add(&origins.seen_by_caller(&inner.writes, site));
                out.frees.add(&origins.seen_by_caller(&inner.frees, site));
                out.exits |= inner.exits;
                out.opaque |= inner.opaque;
            }
            // What a call of a function of another type does is not described anywhere.
            let pointer = matches!(site.target, Target::Pointer(_));
            out.opaque |= pointer && world.taken.iter().any(|f| !world.fits(*f, site));
        }
        Inst::SetJmp { .. }
        | Inst::Unsupported { .. }
        | Inst::Await { .. }
        | Inst::Builtin { op: Builtin::Host | Builtin::Thread(_), .. } => out.opaque = true,
        // Other threads may run in front of it, and do anything.
        Inst::CheckMem(check) => out.opaque |= check.access.is_visible(),
        // What was left out is in no footprint, and has to be noticed; what was added is in it.
        Inst::Approximates { direction, .. } => out.opaque |= *direction == Direction::Fewer,
        Inst::Unary { .. }
        | Inst::Binary { .. }
        | Inst::Compare { .. }
        | Inst::Overflow { .. }
        | Inst::Cast { .. }
        | Inst::Select { .. }
        | Inst::FusedMulAdd { .. }
        | Inst::PtrAdd { .. }
        | Inst::Alloca { .. }
        | Inst::StackSave
        | Inst::StackRestore { .. }
        | Inst::Load { .. }
        | Inst::LoadShadow { .. }
        | Inst::Scan { .. }
        | Inst::Mismatch { .. }
        | Inst::HeapAlloc { .. }
        | Inst::Check { .. }
        | Inst::Assume { .. }
        | Inst::Input { .. }
        | Inst::Builtin { .. }
        | Inst::Debug { .. } => {}
    }
}

/// What each value of a function may point to.
struct Origins<'a> {
    body: &'a Func,
    values: Vec<Places>,
}

impl<'a> Origins<'a> {
    /// A fixed point over the values: block parameters make cycles.
    fn new(world: &World<'_>, f: FuncId, body: &'a Func, known: &BTreeMap<FuncId, Footprint>) -> Self {
        let mut origins = Self { body, values: vec![Places::default(); body.values.len()] };
        // The variable arguments, after the others, lie in memory made for the call.
        let given = world.program.decl(f).signature.params.len();
        for (i, &p) in body.params().iter().enumerate().take(given) {
            origins.values[p.index()].params.insert(i as u32);
        }
        loop {
            let mut changed = false;
            for block in body.block_ids() {
                let data = body.block(block);
                for &i in &data.insts {
                    changed |= origins.define(world, i, known);
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
                Const::Global(g, _) => Places { globals: BTreeSet::from([*g]), ..Places::default() },
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
        self.values[v.index()].add(by);
        self.values[v.index()] != before
    }

    fn define(&mut self, world: &World<'_>, id: InstId, known: &BTreeMap<FuncId, Footprint>) -> bool {
        let body = self.body;
        let data = body.inst(id);
        let places = match &data.inst {
            Inst::PtrAdd { base, .. } => self.of(*base),
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
        for &i in &inner.params {
            if let Some(&arg) = site.args.get(i as usize) {
                out.add(&self.of(arg));
            }
        }
        out
    }
}
