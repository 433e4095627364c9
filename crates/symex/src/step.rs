//! One instruction on one state: a table of arms, the work in small functions.
//!
//! This is the meaning of the IR in terms. It decides nothing: what another function does, what other threads do and where control
//! goes is handed back as `Flow` to whoever drives the machine.

use crate::contents::Contents;
use crate::ids::OccurrenceNo;
use crate::machine::Machine;
use crate::memory::{Class, Object, ObjectKind, Part, Refusal};
use crate::narrow;
use crate::ops;
use crate::outcome::{Input, InputKind, PathEnd, Yields};
use crate::shape::signed_bits;
use crate::state::State;
use blitz_base::span::Loc;
use blitz_ir::{
    AccessKind, CallSite, Channel, CheckKind, Direction, InputName, Inst, InstData, InstId, MemCheck, PropertyId,
    ThreadOp, Type, Unsupported, Value,
};
use blitz_term::{Op, Sort, Term};

impl<'p> Machine<'p, '_> {
    /// Runs one instruction. The path's facts stay in force until whoever drives the machine is done with what follows from it.
    pub(crate) fn step(&mut self, state: &mut State, inst: InstId) -> Result<Flow<'p>, Refusal> {
        let data: &'p InstData = self.frame().body.inst(inst);
        self.frame_mut().current = Some(inst);
        self.space.facts = state.guard.facts();
        self.note_places(data);
        self.settle_addresses(state, data);
        self.space.writes_nowhere = self.writes_nowhere();
        self.leave_bad_reads(state, data)?;
        self.dispatch(state, data)
    }

    fn dispatch(&mut self, state: &mut State, data: &'p InstData) -> Result<Flow<'p>, Refusal> {
        let loc = data.loc;
        match &data.inst {
            Inst::Unary { op, arg } => {
                let (ty, a) = (self.ty(*arg), self.get(*arg));
                let t = ops::unary(self.terms, *op, ty, a);
                self.yields(data, t);
            }
            Inst::Binary { op, lhs, rhs } => {
                let (ty, a, b) = (self.ty(*lhs), self.get(*lhs), self.get(*rhs));
                let narrow = narrow::binary(self.terms, &self.space.facts, *op, a, b);
                let t = narrow.unwrap_or_else(|| ops::binary(self.terms, *op, ty, a, b));
                let t = self.defined_or_any(state, *op, (a, b), t, loc);
                self.yields(data, t);
            }
            Inst::Compare { op, lhs, rhs } => {
                let (ty, a, b) = (self.ty(*lhs), self.get(*lhs), self.get(*rhs));
                let known = match ty {
                    Type::Int(_) if !self.terms.is_const(a) || !self.terms.is_const(b) => {
                        state.guard.facts().compare(self.terms, *op, a, b)
                    }
                    Type::Int(_) | Type::Ptr | Type::Float(_) => None,
                };
                let t = match known {
                    Some(holds) => self.terms.bool(holds),
                    None => ops::compare(self.terms, *op, ty, a, b),
                };
                self.yields(data, t);
            }
            Inst::Overflow { op, lhs, rhs } => {
                let (a, b) = (self.get(*lhs), self.get(*rhs));
                let t = match state.guard.facts().stays_in_range(self.terms, *op, a, b) {
                    true => self.terms.fls(),
                    false => ops::overflow(self.terms, *op, a, b),
                };
                self.yields(data, t);
            }
            Inst::Cast { op, arg } => {
                let (from, to, a) = (self.ty(*arg), self.ty(data.results[0]), self.get(*arg));
                let bits = to.bits(self.space.ptr_bits());
                let t = ops::cast(self.terms, *op, from, to, bits, a);
                self.yields(data, t);
            }
            Inst::Select { cond, then, other } => {
                let (c, a, b) = (self.get(*cond), self.get(*then), self.get(*other));
                let t = self.terms.ite(c, a, b);
                self.yields(data, t);
            }
            Inst::FusedMulAdd { x, y, z } => {
                let (ty, x, y, z) = (self.ty(*x), self.get(*x), self.get(*y), self.get(*z));
                let t = ops::fused_mul_add(self.terms, ty, x, y, z);
                self.yields(data, t);
            }
            Inst::PtrAdd { base, offset, .. } => {
                let (p, d) = (self.get(*base), self.get(*offset));
                let p = self.decided(state, p);
                let t = self.space.ptr_add(self.terms, p, d);
                self.yields(data, t);
            }
            Inst::Alloca { size, lives, var, .. } => {
                let class = self.class_of_allocation(data.results[0]);
                let size = self.get(*size);
                let p = self.allocate(state, New { class, ..New::on_stack(size, *lives) }, loc);
                self.record_object(*var, p);
                self.yields(data, p);
            }
            Inst::LifetimeStart { ptr } => self.set_scope(state, *ptr, true)?,
            Inst::LifetimeEnd { ptr } => self.set_scope(state, *ptr, false)?,
            Inst::StackSave => {
                let depth = self.frame().allocas.len() as u64;
                let t = self.terms.bv(self.space.ptr_bits(), depth);
                self.yields(data, t);
            }
            Inst::StackRestore { saved } => self.restore_stack(state, *saved),
            Inst::Load { ptr } => self.load(state, data, *ptr, Part::Data)?,
            Inst::LoadShadow { ptr } => self.load(state, data, *ptr, Part::Shadow)?,
            Inst::Store { ptr, value } => {
                self.record_store(state, *ptr, *value, loc);
                self.store(state, *ptr, *value)?;
            }
            Inst::StoreShadow { ptr, shadow } => {
                let (p, bits) = (self.get(*ptr), self.get(*shadow));
                let bits = self.whole_bytes(bits);
                state.memory.store(&mut self.space, self.terms, p, bits, Part::Shadow)?;
            }
            Inst::MemCopy { dst, src, len } => {
                let (d, s, n) = (self.get(*dst), self.get(*src), self.get(*len));
                state.memory.copy(&mut self.space, self.terms, d, s, n)?;
            }
            Inst::MemSet { dst, byte, len } => {
                let (d, b, n) = (self.get(*dst), self.get(*byte), self.get(*len));
                state.memory.fill(&mut self.space, self.terms, d, b, n)?;
            }
            Inst::Scan { ptr, byte, limit } => {
                let (p, b, n) = (self.get(*ptr), self.get(*byte), self.get(*limit));
                let t = state.memory.scan(&mut self.space, self.terms, p, b, n)?;
                self.yields(data, t);
            }
            Inst::Mismatch { lhs, rhs, limit } => {
                let (p, q, n) = (self.get(*lhs), self.get(*rhs), self.get(*limit));
                let t = state.memory.mismatch(&mut self.space, self.terms, p, q, n)?;
                self.yields(data, t);
            }
            Inst::HeapAlloc { size, leak } => {
                let class = self.class_of_allocation(data.results[0]);
                let size = self.get(*size);
                let leak = leak.map(|own| self.attribute(CheckKind::MemoryLeak, own));
                let p =
                    self.allocate(state, New { kind: ObjectKind::Heap, leak, class, ..New::on_stack(size, true) }, loc);
                self.yields(data, p);
            }
            Inst::HeapFree { ptr } => self.free(state, *ptr)?,
            Inst::Check { cond, property } => self.check(state, *cond, *property, loc),
            Inst::CheckMem(check) if check.access.is_visible() => return Ok(Flow::Shares(check)),
            Inst::CheckMem(check) => self.check_mem(state, check, loc)?,
            Inst::Await { cond, property } => return Ok(Flow::Awaits(self.get(*cond), *property)),
            Inst::Assume { cond } => {
                let cond = self.get(*cond);
                self.record_assumption(state, cond, loc);
                state.guard = state.guard.and(self.terms, cond);
                self.assumed(state, loc);
            }
            Inst::Call(site) => return Ok(Flow::Calls(site)),
            // Where memory comes from outside, a pointer that nobody has set is as good as null.
            Inst::Input { name }
                if self.space.is_of_segment()
                    && name.channel() == Channel::Unset
                    && self.ty(data.results[0]) == Type::Ptr =>
            {
                let null = self.terms.bv(self.space.ptr_bits(), 0);
                self.yields(data, null);
            }
            Inst::Input { name } => {
                let t = self.input_value(state, self.ty(data.results[0]), name, loc, 0);
                self.yields(data, t);
            }
            // Likewise: what nobody has set hides which objects the pointers among it mean; a run on the inputs shows whether it matters.
            Inst::InputBytes { ptr, name, .. } if name.channel() == Channel::Unset && self.may_hold_pointers(*ptr) => {}
            Inst::InputBytes { ptr, len, name } => self.input_bytes(state, *ptr, *len, name, loc)?,
            Inst::Builtin { op, args } => return self.builtin(state, data, *op, args),
            Inst::SetJmp { buf } => self.set_jump(state, data, *buf)?,
            Inst::Debug { var, value, indirect: false } => self.record_value(state, *var, *value, loc),
            Inst::Debug { indirect: true, .. } => {}
            Inst::Unsupported { what } => {
                self.gap(state, Unsupported::Instruction(what.clone()), loc);
                return Ok(Flow::Ends(PathEnd::Gap));
            }
            Inst::Approximates { direction: Direction::Fewer, what } => {
                self.gap(state, Unsupported::Model(what.clone()), loc)
            }
            // Behaviours too many never make a proof wrong; whether they made a violation, a run shows.
            Inst::Approximates { direction: Direction::More, .. } => {}
        }
        Ok(Flow::On)
    }

    /// A choice between pointers that the path has decided is none: `end` after `end = strchr(p, c)` and `if (end)`.
    fn decided(&mut self, state: &State, p: Term) -> Term {
        let mut p = p;
        while let Op::Ite(c, then, other) = self.terms.op(p)
            && let Some(holds) = state.guard.facts().holds(self.terms, c)
        {
            p = if holds { then } else { other };
        }
        p
    }

    pub(crate) fn ty(&self, v: Value) -> Type {
        self.frame().body.ty(v)
    }

    pub(crate) fn yields(&mut self, data: &InstData, t: Term) {
        self.set(data.results[0], t);
    }

    /// Widens a value to whole bytes, as memory holds it.
    pub(crate) fn whole_bytes(&mut self, t: Term) -> Term {
        let bits = self.terms.width(t).div_ceil(8) * 8;
        self.terms.zext(t, bits)
    }

    pub(crate) fn allocate(&mut self, state: &mut State, new: New, loc: Loc) -> Term {
        let New { kind, size, lives, leak, class } = new;
        let number = self.object_number();
        if kind == ObjectKind::Stack
            && let Some(frame) = self.frames.last_mut()
        {
            let before = self.terms.bv(self.space.ptr_bits(), frame.allocas.len() as u64);
            frame.allocas.push((number, before));
        }
        if number.number() >= self.program.target.objects() {
            self.gap(state, Unsupported::OutOfReach("objects".to_owned()), loc);
        }
        let size = self.reachable_size(size);
        let (zero, ones) = (self.terms.bv(8, 0), self.terms.bv(8, 0xff));
        let object = Object {
            kind,
            size,
            live: self.terms.bool(lives),
            exists: self.terms.tru(),
            constant: false,
            data: Contents::filled(zero),
            shadow: self.space.track_shadow.then(|| Contents::filled(ones)),
            leak,
            class,
            outside: None,
        };
        state.memory.put(number, object);
        if !self.frames.last().is_some_and(|f| self.program.decl(f.func).model && kind == ObjectKind::Stack) {
            self.space.note_object(number);
        }
        self.space.pointer(self.terms, number.number(), 0)
    }

    /// An object's size, as wide as offsets are. What an offset can't reach counts as outside of the object: an access there seems to be a
    /// violation, which the run then refuses to confirm.
    fn reachable_size(&mut self, size: Term) -> Term {
        let off_bits = self.space.off_bits();
        let low = self.terms.extract(size, off_bits - 1, 0);
        if self.space.is_of_segment() || signed_bits(self.terms, size) < off_bits {
            return low;
        }
        let largest = self.program.target.largest_object();
        let limit = self.terms.bv(self.space.ptr_bits(), largest);
        let far = self.terms.ult(limit, size);
        let most = self.terms.bv(off_bits, largest);
        self.terms.ite(far, most, low)
    }

    fn set_scope(&mut self, state: &mut State, ptr: Value, lives: bool) -> Result<(), Refusal> {
        let p = self.get(ptr);
        for leaf in self.space.leaves(self.terms, p)? {
            let live = self.terms.bool(lives);
            let (zero, ones) = (self.terms.bv(8, 0), self.terms.bv(8, 0xff));
            state.memory.update(&mut self.space, self.terms, leaf.object, |_, o| {
                if o.outside.is_some() {
                    return;
                }
                o.live = live;
                // Out of scope nobody reads it; in scope it begins indeterminate.
                o.data = Contents::filled(zero);
                if o.shadow.is_some() {
                    o.shadow = Some(Contents::filled(ones));
                }
            });
        }
        Ok(())
    }

    fn restore_stack(&mut self, state: &mut State, saved: Value) {
        let depth = self.get(saved);
        for (number, before) in self.frame().allocas.clone() {
            let kept = self.terms.ult(before, depth);
            if !self.terms.is_true(kept) {
                state.memory.update(&mut self.space, self.terms, number, |terms, o| o.live = terms.and(o.live, kept));
            }
        }
    }

    fn load(&mut self, state: &mut State, data: &InstData, ptr: Value, part: Part) -> Result<(), Refusal> {
        let p = self.get(ptr);
        let bits = self.ty(data.results[0]).bits(self.space.ptr_bits());
        let bytes = u64::from(bits).div_ceil(8);
        let t = state.memory.load(&mut self.space, self.terms, p, bytes, part)?;
        let t = self.terms.extract(t, bits - 1, 0);
        let t = match part {
            Part::Data if self.reads_anything() => self.read_or_any(state, p, t, data.loc)?,
            Part::Data | Part::Shadow => t,
        };
        if part == Part::Data {
            self.tag_loaded(data.results[0], t, p);
        }
        self.yields(data, t);
        Ok(())
    }

    fn store(&mut self, state: &mut State, ptr: Value, value: Value) -> Result<(), Refusal> {
        let (p, t) = (self.get(ptr), self.get(value));
        let t = self.whole_bytes(t);
        state.memory.store(&mut self.space, self.terms, p, t, Part::Data)?;
        if self.space.track_shadow {
            let clean = self.terms.zero(self.terms.width(t));
            state.memory.store(&mut self.space, self.terms, p, clean, Part::Shadow)?;
        }
        Ok(())
    }

    fn free(&mut self, state: &mut State, ptr: Value) -> Result<(), Refusal> {
        let p = self.get(ptr);
        for leaf in self.space.leaves(self.terms, p)? {
            let (bits, off_bits) = (self.space.ptr_bits(), self.space.off_bits());
            state.memory.update(&mut self.space, self.terms, leaf.object, |terms, o| {
                let kept = terms.not(leaf.cond);
                if let Some(world) = &mut o.outside {
                    let number = terms.extract(leaf.off, bits - 1, off_bits);
                    let old = terms.select(world.live, number);
                    let new = terms.and(old, kept);
                    world.live = terms.store(world.live, number, new);
                } else if o.kind == ObjectKind::Heap {
                    o.live = terms.and(o.live, kept);
                }
            });
        }
        Ok(())
    }

    fn check(&mut self, state: &mut State, cond: Value, own: PropertyId, loc: Loc) {
        let cond = self.get(cond);
        if own.unasked_kind().is_some() && self.passes_arithmetic() {
            return;
        }
        let kind = own.unasked_kind().unwrap_or_else(|| self.program.property(own).kind);
        let violated = self.terms.not(cond);
        self.claim(state, kind, own, violated, loc);
        state.guard = state.guard.and(self.terms, cond);
    }

    fn check_mem(&mut self, state: &mut State, check: &MemCheck, loc: Loc) -> Result<(), Refusal> {
        let (p, size) = (self.get(check.ptr), self.get(check.size));
        self.check_unknown(state, check, p, size, loc);
        let found = state.memory.check(&mut self.space, self.terms, p, size, check.access)?;
        let mut ok = self.terms.tru();
        let mut passed = Vec::new();
        for &(kind, own) in &check.properties {
            let bad = found.iter().find(|(k, _)| *k == kind).map_or(self.terms.fls(), |(_, b)| *b);
            if self.passes_access(check.access, kind, own) {
                // A read notes it where it gets its value.
                if check.access == AccessKind::Write {
                    self.note_behind(state, bad, (kind, Yields::Anything), loc);
                }
                passed.push(kind);
                continue;
            }
            self.claim(state, kind, own, bad, loc);
        }
        for (kind, bad) in found {
            if passed.contains(&kind) {
                continue;
            }
            let good = self.terms.not(bad);
            ok = self.terms.and(ok, good);
        }
        state.guard = state.guard.and(self.terms, ok);
        Ok(())
    }

    pub(crate) fn input_value(&mut self, state: &State, ty: Type, name: &InputName, loc: Loc, nth: usize) -> Term {
        let bits = ty.bits(self.space.ptr_bits());
        let term = self.input_variable(name.as_str(), Sort::Bv(bits), nth);
        self.record_input(state, InputKind::Value { term, ty }, name, loc);
        term
    }

    fn input_bytes(
        &mut self,
        state: &mut State,
        ptr: Value,
        len: Value,
        name: &InputName,
        loc: Loc,
    ) -> Result<(), Refusal> {
        let (p, n) = (self.get(ptr), self.get(len));
        let array = self.input_variable(name.as_str(), Sort::Array { index: self.space.index_bits(), elem: 8 }, 0);
        self.record_input(state, InputKind::Bytes { array, len: n }, name, loc);
        state.memory.fill_from(&mut self.space, self.terms, p, array, n)
    }

    pub(crate) fn record_input(&mut self, state: &State, kind: InputKind, name: &InputName, loc: Loc) {
        let guard = state.guard.term(self.terms);
        self.out.inputs.push(Input { guard, kind, name: name.clone(), loc, occurrence: OccurrenceNo(0) });
    }
}

/// What follows from an instruction.
pub(crate) enum Flow<'p> {
    /// The next one.
    On,
    /// Nothing: the path ends.
    Ends(PathEnd),
    /// A function is called. What stands for the call is not decided here.
    Calls(&'p CallSite),
    /// Something about threads.
    Thread(ThreadOp, Vec<Term>),
    /// The path goes on where a condition holds; the property says that it never waits for good.
    Awaits(Term, Option<PropertyId>),
    /// Memory is accessed that other threads may see.
    Shares(&'p MemCheck),
}

/// An object that is allocated.
pub(crate) struct New {
    kind: ObjectKind,
    size: Term,
    lives: bool,
    leak: Option<PropertyId>,
    class: Option<Class>,
}

impl New {
    pub fn on_stack(size: Term, lives: bool) -> Self {
        Self { kind: ObjectKind::Stack, size, lives, leak: None, class: None }
    }
}
