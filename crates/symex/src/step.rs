//! One instruction: a table of arms, the work in small functions.

use crate::contents::Contents;
use crate::exec::{Executor, Flow};
use crate::faults::Extent;
use crate::memory::{Object, ObjectKind, Part, Refusal};
use crate::ops;
use crate::outcome::{Input, InputKind};
use crate::path::{ForkKind, PathEnd, Place};
use crate::ranges::Facts;
use crate::shape::signed_bits;
use crate::state::{Arrival, State};
use blitz_base::span::Loc;
use blitz_ir::callgraph::makes_sense_as;
use blitz_ir::{
    AccessKind, Block, Builtin, CallSite, CheckKind, Direction, Func, FuncId, Inst, InstData, InstId, MemCheck,
    OUT_OF_REACH, PropertyId, Target, Type, UNSET, Value,
};
use blitz_term::{Op, Sort, Term};

impl<'p> Executor<'p, '_> {
    /// Runs one instruction; a refusal becomes a gap and ends the path.
    pub(crate) fn step(&mut self, state: &mut State, inst: InstId) -> Flow {
        let data: &'p InstData = self.frame().body.inst(inst);
        self.frame_mut().current = Some(inst);
        self.space.facts = state.guard.facts();
        self.settle_addresses(state, data);
        let done = self.dispatch(state, data);
        self.space.facts = Facts::default();
        match done {
            Ok(Flow::On) if state.guard.is_false(self.terms) => {
                self.end_path(&state.guard, PathEnd::Blocked, data.loc);
                Flow::End
            }
            Ok(flow) => flow,
            Err(refusal) => {
                self.refuse(state, refusal, data.loc);
                self.end_path(&state.guard, PathEnd::Gap, data.loc);
                Flow::End
            }
        }
    }

    fn dispatch(&mut self, state: &mut State, data: &'p InstData) -> Result<Flow, Refusal> {
        let loc = data.loc;
        match &data.inst {
            Inst::Unary { op, arg } => {
                let (ty, a) = (self.ty(*arg), self.get(*arg));
                let t = ops::unary(self.terms, *op, ty, a);
                self.yields(data, t);
            }
            Inst::Binary { op, lhs, rhs } => {
                let (ty, a, b) = (self.ty(*lhs), self.get(*lhs), self.get(*rhs));
                let t = ops::binary(self.terms, *op, ty, a, b);
                self.yields(data, t);
            }
            Inst::Compare { op, lhs, rhs } => {
                let (ty, a, b) = (self.ty(*lhs), self.get(*lhs), self.get(*rhs));
                let evident = match ty {
                    Type::Int(_) if !self.terms.is_const(a) || !self.terms.is_const(b) => {
                        state.guard.facts().compare(self.terms, *op, a, b)
                    }
                    Type::Int(_) | Type::Ptr | Type::Float(_) => None,
                };
                let t = match evident {
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
            Inst::PtrAdd { base, offset } => {
                let (p, d) = (self.get(*base), self.get(*offset));
                let p = self.decided(state, p);
                let t = self.space.ptr_add(self.terms, p, d);
                self.yields(data, t);
            }
            Inst::Alloca { size, lives, var, .. } => {
                self.alloc_region = self.class_of_allocation(data.results[0]);
                let size = self.get(*size);
                let p = self.allocate(state, ObjectKind::Stack, size, *lives, None, loc);
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
                self.alloc_region = self.class_of_allocation(data.results[0]);
                let size = self.get(*size);
                let leak = leak.map(|own| self.attribute(CheckKind::MemoryLeak, own));
                let p = self.allocate(state, ObjectKind::Heap, size, true, leak, loc);
                self.yields(data, p);
            }
            Inst::HeapFree { ptr } => self.free(state, *ptr)?,
            Inst::Check { cond, property } => self.check(state, *cond, *property, loc),
            Inst::CheckMem(check) if check.access.is_visible() => self.shared_access(state, check, loc),
            Inst::CheckMem(check) => self.check_mem(state, check, loc)?,
            Inst::Await { cond, property } => self.await_state(state, *cond, *property, loc),
            Inst::Assume { cond } => {
                let cond = self.get(*cond);
                self.record_assumption(state, cond, loc);
                state.guard = state.guard.and(self.terms, cond);
                self.assumed(state, loc);
            }
            Inst::Call(site) => return self.call_site(state, data, site),
            // Likewise; a pointer that nobody has set is as good as null.
            Inst::Input { name }
                if self.segment.is_some() && name.starts_with(UNSET) && self.ty(data.results[0]) == Type::Ptr =>
            {
                let null = self.terms.bv(self.space.ptr_bits(), 0);
                self.yields(data, null);
            }
            Inst::Input { name } => {
                let t = self.input_value(state, self.ty(data.results[0]), name, loc, 0);
                self.yields(data, t);
            }
            // What nobody has set hides which objects the pointers among it mean; a run on the inputs shows whether it matters.
            Inst::InputBytes { ptr, name, .. } if name.starts_with(UNSET) && self.may_hold_pointers(*ptr) => {}
            Inst::InputBytes { ptr, len, name } => self.input_bytes(state, *ptr, *len, name, loc)?,
            Inst::Builtin { op, args } => return self.builtin(state, data, *op, args),
            Inst::SetJmp { buf } => self.set_jump(state, data, *buf)?,
            Inst::Debug { var, value, indirect: false } => self.record_value(state, *var, *value, loc),
            Inst::Debug { indirect: true, .. } => {}
            Inst::Unsupported { what } => {
                self.gap(state, what.clone(), loc);
                self.end_path(&state.guard, PathEnd::Gap, loc);
                return Ok(Flow::End);
            }
            Inst::Approximates { direction: Direction::Fewer, what } => self.gap(state, what.clone(), loc),
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
    fn whole_bytes(&mut self, t: Term) -> Term {
        let bits = self.terms.width(t).div_ceil(8) * 8;
        self.terms.zext(t, bits)
    }

    fn allocate(
        &mut self,
        state: &mut State,
        kind: ObjectKind,
        size: Term,
        lives: bool,
        leak: Option<PropertyId>,
        loc: Loc,
    ) -> Term {
        let number = self.object_number();
        let region = self.alloc_region;
        if kind == ObjectKind::Stack
            && let Some(frame) = self.frames.last_mut()
        {
            let before = self.terms.bv(self.space.ptr_bits(), frame.allocas.len() as u64);
            frame.allocas.push((number, before));
        }
        if u64::from(number) >= self.program.target.objects() {
            self.gap(state, format!("objects, {OUT_OF_REACH}"), loc);
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
            region,
            outside: None,
        };
        state.memory.put(number, object);
        if !self.frames.last().is_some_and(|f| self.program.decl(f.func).model && kind == ObjectKind::Stack) {
            self.space.note_object(number);
        }
        self.space.pointer(self.terms, u64::from(number), 0)
    }

    /// An object's size, as wide as offsets are. What an offset can't reach counts as outside of the object: an access there seems to be a
    /// violation, which the run then refuses to confirm.
    fn reachable_size(&mut self, size: Term) -> Term {
        let off_bits = self.space.off_bits();
        let low = self.terms.extract(size, off_bits - 1, 0);
        if self.segment.is_some() || signed_bits(self.terms, size) < off_bits {
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
        let kind = self.program.property(own).kind;
        let violated = self.terms.not(cond);
        self.claim(state, kind, own, violated, loc);
        state.guard = state.guard.and(self.terms, cond);
    }

    fn check_mem(&mut self, state: &mut State, check: &MemCheck, loc: Loc) -> Result<(), Refusal> {
        let (p, size) = (self.get(check.ptr), self.get(check.size));
        self.check_unknown(state, check, p, size, loc);
        let found = state.memory.check(&mut self.space, self.terms, p, size, check.access)?;
        let mut ok = self.terms.tru();
        for &(kind, own) in &check.properties {
            let bad = found.iter().find(|(k, _)| *k == kind).map_or(self.terms.fls(), |(_, b)| *b);
            self.claim(state, kind, own, bad, loc);
        }
        for (_, bad) in found {
            let good = self.terms.not(bad);
            ok = self.terms.and(ok, good);
        }
        state.guard = state.guard.and(self.terms, ok);
        Ok(())
    }

    pub(crate) fn input_value(&mut self, state: &State, ty: Type, name: &str, loc: Loc, nth: usize) -> Term {
        let bits = ty.bits(self.space.ptr_bits());
        let term = self.input_variable(name, Sort::Bv(bits), nth);
        self.record_input(state, InputKind::Value { term, ty }, name, loc);
        term
    }

    fn input_bytes(&mut self, state: &mut State, ptr: Value, len: Value, name: &str, loc: Loc) -> Result<(), Refusal> {
        let (p, n) = (self.get(ptr), self.get(len));
        let array = self.input_variable(name, Sort::Array { index: self.space.index_bits(), elem: 8 }, 0);
        self.record_input(state, InputKind::Bytes { array, len: n }, name, loc);
        state.memory.fill_from(&mut self.space, self.terms, p, array, n)
    }

    fn record_input(&mut self, state: &State, kind: InputKind, name: &str, loc: Loc) {
        let guard = state.guard.term(self.terms);
        let inst = self.frame().current.expect("an input should come from an instruction");
        let visit = self.visit(state, inst);
        self.out.inputs.push(Input { guard, kind, name: name.to_string(), loc, visit });
        self.tell_input();
    }

    fn builtin(&mut self, state: &mut State, data: &InstData, op: Builtin, args: &[Value]) -> Result<Flow, Refusal> {
        let operand_type = args.get(1).map_or(Type::BOOL, |&v| self.ty(v));
        let args: Vec<Term> = args.iter().map(|&v| self.get(v)).collect();
        let (bits, off_bits) = (self.space.ptr_bits(), self.space.off_bits());
        match op {
            Builtin::Offset => {
                let off = self.terms.extract(args[0], off_bits - 1, 0);
                let t = self.terms.sext(off, bits);
                self.yields(data, t);
            }
            Builtin::ObjectId => {
                let number = self.terms.extract(args[0], bits - 1, off_bits);
                let t = self.terms.zext(number, bits);
                self.yields(data, t);
            }
            Builtin::ObjectSize => {
                let zero = self.terms.zero(off_bits);
                let t = self.per_object(state, args[0], zero, |_, _, e| e.size)?;
                let t = self.terms.zext(t, bits);
                self.yields(data, t);
            }
            Builtin::IsHeap => {
                let fls = self.terms.fls();
                let t = self.per_object(state, args[0], fls, |terms, o, _| terms.bool(o.kind == ObjectKind::Heap))?;
                self.yields(data, t);
            }
            Builtin::IsLive => {
                let fls = self.terms.fls();
                let t = self.per_object(state, args[0], fls, |_, _, e| e.live)?;
                self.yields(data, t);
            }
            Builtin::IsCode => {
                let fls = self.terms.fls();
                let t = self.per_object(state, args[0], fls, |terms, o, e| {
                    let zero = terms.zero(off_bits);
                    let start = terms.eq(e.off, zero);
                    if o.kind == ObjectKind::Code { start } else { terms.fls() }
                })?;
                self.yields(data, t);
            }
            Builtin::Rounded(op) => {
                let to = self.ty(data.results[0]);
                let t = ops::rounded(self.terms, op, operand_type, to, &args);
                self.yields(data, t);
            }
            Builtin::JumpSet => {
                let t = self.jump_set(state, args[0])?;
                self.yields(data, t);
            }
            Builtin::MathIs => {
                let t = crate::math::is_result(self.terms, &args);
                self.yields(data, t);
            }
            Builtin::Readable | Builtin::Writable => {
                let access = if op == Builtin::Readable { AccessKind::Read } else { AccessKind::Write };
                let mut bad = self.nowhere(args[0], args[1]);
                for (_, b) in state.memory.check(&mut self.space, self.terms, args[0], args[1], access)? {
                    bad = self.terms.or(bad, b);
                }
                let t = self.terms.not(bad);
                self.yields(data, t);
            }
            Builtin::Narrow => {
                let narrow = self.config.near && !self.terms.is_const(args[0]);
                self.out.narrowed |= narrow;
                let t = self.terms.bool(narrow);
                self.yields(data, t);
            }
            Builtin::Open => {
                let t = self.terms.bool(!self.terms.is_const(args[0]));
                self.yields(data, t);
            }
            Builtin::AllocFails => {
                let term = match self.config.alloc_may_fail {
                    true => self.input_variable("allocation fails", Sort::Bv(1), 0),
                    false => self.terms.fls(),
                };
                // A run asks for it in any case.
                self.record_input(state, InputKind::AllocFails { term }, "allocation fails", data.loc);
                self.yields(data, term);
            }
            Builtin::KeepAlive => {
                let guard = state.guard.term(self.terms);
                self.kept_roots.push((guard, args[0]));
            }
            Builtin::Thread(op) => return self.thread_op(state, data, op, &args),
            Builtin::Output | Builtin::Quantifier => {}
            Builtin::Host => {
                self.gap(state, "a service of the host".to_string(), data.loc);
                self.end_path(&state.guard, PathEnd::Gap, data.loc);
                return Ok(Flow::End);
            }
        }
        Ok(Flow::On)
    }

    fn per_object(
        &mut self,
        state: &State,
        p: Term,
        none: Term,
        mut of: impl FnMut(&mut blitz_term::Terms, &Object, Extent) -> Term,
    ) -> Result<Term, Refusal> {
        let mut out = none;
        for leaf in self.space.leaves(self.terms, p)? {
            if let Some(object) = state.memory.object(&mut self.space, self.terms, leaf.object) {
                let extent = Extent::of(&self.space, self.terms, leaf, &object);
                let value = of(self.terms, &object, extent);
                out = self.terms.ite(leaf.cond, value, out);
            }
        }
        Ok(out)
    }

    fn call_site(&mut self, state: &mut State, data: &'p InstData, site: &'p CallSite) -> Result<Flow, Refusal> {
        let targets = match site.target {
            Target::Func(f) => vec![(self.terms.tru(), f)],
            Target::Pointer(p) => {
                let p = self.get(p);
                if let Some(targets) = self.segment_targets(p) {
                    return self.call_targets(state, data, site, targets);
                }
                let (found, none) = self.space.functions(self.terms, p)?;
                let guard = state.guard.and(self.terms, none);
                if !guard.is_false(self.terms) {
                    let lost = State { guard, ..state.clone() };
                    self.gap(&lost, "a call through a pointer to no function".to_string(), data.loc);
                }
                if self.threads.is_some() { self.by_function(found) } else { found }
            }
        };
        self.call_targets(state, data, site, targets)
    }

    /// Each function once: a turn of a thread comes to each place once.
    fn by_function(&mut self, found: Vec<(Term, FuncId)>) -> Vec<(Term, FuncId)> {
        let mut out: Vec<(Term, FuncId)> = Vec::new();
        for (cond, f) in found {
            match out.iter_mut().find(|(_, known)| *known == f) {
                Some((either, _)) => *either = self.terms.or(*either, cond),
                None => out.push((cond, f)),
            }
        }
        out
    }

    /// In a segment a pointer that came from outside means any function the analysis found for the call.
    fn segment_targets(&mut self, p: Term) -> Option<Vec<(Term, FuncId)>> {
        let segment = self.segment.as_ref()?;
        if self.terms.is_const(p) {
            return None;
        }
        let functions = segment.world.targets(self.frame().func, self.frame().current?);
        let mut out = Vec::new();
        for f in functions {
            let address = self.space.pointer(self.terms, self.program.func_object(f), 0);
            out.push((self.terms.eq(p, address), f));
        }
        Some(out)
    }

    fn call_targets(
        &mut self,
        state: &mut State,
        data: &'p InstData,
        site: &'p CallSite,
        targets: Vec<(Term, FuncId)>,
    ) -> Result<Flow, Refusal> {
        let inst = self.frame().current.expect("a call should come from an instruction");
        let visit = self.visit(state, inst);
        let mut joined: Option<Arrival> = None;
        let pointer = matches!(site.target, Target::Pointer(_));
        let made_as = pointer.then(|| site.made_as(self.frame().body, &data.results));
        let Some(targets) = self.one_target(state, targets, data.loc) else { return Ok(Flow::End) };
        for (cond, f) in targets {
            let guard = state.guard.and(self.terms, cond);
            if guard.is_false(self.terms) {
                continue;
            }
            let branch = State { guard, ..state.clone() };
            let decl = self.program.decl(f);
            if let Some(site) = &made_as
                && !makes_sense_as(decl, site, self.space.ptr_bits())
            {
                let what = format!("a call of `{}` through a pointer to functions of another type", decl.name);
                self.gap(&branch, what, data.loc);
                self.end_path(&branch.guard, PathEnd::Gap, data.loc);
                continue;
            }
            let goal = self.is_goal(&branch, f, inst, site, visit);
            if let Some(arrival) = self.enter(branch, f, data, site, Entering { inst, visit, goal }) {
                self.join_into(&mut joined, arrival, data.loc);
            }
        }
        if self.resumes()
            && let Some(arrival) = self.returns_of_parked(data)
        {
            self.join_into(&mut joined, arrival, data.loc);
        }
        let Some(arrival) = joined else { return Ok(Flow::End) };
        *state = arrival.state;
        for (&v, t) in data.results.iter().zip(arrival.args) {
            self.set(v, t);
        }
        Ok(Flow::On)
    }

    /// On a path, the target that it takes; else all. `None` if the path ends here.
    fn one_target(&mut self, state: &State, targets: Vec<(Term, FuncId)>, loc: Loc) -> Option<Vec<(Term, FuncId)>> {
        if self.path.is_none() || targets.len() < 2 {
            return Some(targets);
        }
        let (block, index) = self.frame().at;
        let place = Place { func: self.frame().func, block, kind: ForkKind::Call(index as u32) };
        let conditions: Vec<Term> = targets.iter().map(|t| t.0).collect();
        let entries: Vec<(FuncId, Block)> = targets.iter().map(|t| (t.1, Func::ENTRY)).collect();
        let taken = self.choose(state, place, &conditions, &entries, loc)?;
        Some(vec![targets[taken]])
    }

    fn enter(
        &mut self,
        mut state: State,
        f: FuncId,
        data: &'p InstData,
        site: &'p CallSite,
        entering: Entering,
    ) -> Option<Arrival> {
        let mut args: Vec<Term> = site.args.iter().map(|&v| self.get(v)).collect();
        let decl = self.program.decl(f);
        if !decl.has_body {
            return Some(self.without_body(state, f, data, site));
        }
        if entering.goal || self.leaves_out(entering.inst, f) {
            let caller = self.frame().func;
            let ends = self.segment.as_ref().is_some_and(|s| s.world.ends(caller, entering.inst, f));
            return (!ends).then(|| self.leave_out(state, f, data, site, entering.visit));
        }
        let chain = self.chain_of(entering.inst, f);
        if let Some(may) = self.stands_for(chain, f) {
            return Some(self.leave_open_call(state, (chain, f), data, site, &may));
        }
        let fixed = decl.signature.params.len();
        let extra = args.split_off(fixed.min(args.len()));
        for (i, ty) in decl.signature.params.iter().enumerate() {
            let bits = ty.bits(self.space.ptr_bits());
            let arg = args.get(i).copied().unwrap_or_else(|| self.terms.zero(bits));
            let arg = ops::resize(self.terms, arg, bits);
            if i < args.len() { args[i] = arg } else { args.push(arg) }
        }
        if decl.signature.variadic {
            let packed = self.pack_variable_arguments(&mut state, &extra).ok()?;
            args.push(packed);
        }
        self.parent_visit = Some(entering.visit);
        self.next_instance = self.instance_of(f);
        self.next_chain = chain;
        let arrival = self.call(f, args, state, data.loc, &site.properties)?;
        self.note_lost_shadow(&arrival, data, decl.shadow_results as usize);
        Some(self.fit_results(arrival, data))
    }

    /// A call that does not take the shadow of a struct takes all of it as set.
    fn note_lost_shadow(&mut self, arrival: &Arrival, data: &InstData, shadows: usize) {
        let (given, taken) = (arrival.args.len(), data.results.len());
        if taken == 0 || taken >= given || shadows == 0 {
            return;
        }
        for &shadow in &arrival.args[given - shadows..] {
            let clean = self.terms.zero(self.terms.width(shadow));
            let unset = self.terms.ne(shadow, clean);
            let guard = arrival.state.guard.and(self.terms, unset);
            if !guard.is_false(self.terms) {
                let lost = State { guard, ..arrival.state.clone() };
                self.gap(
                    &lost,
                    "a struct with unset parts that a call through a pointer returns".to_string(),
                    data.loc,
                );
            }
        }
    }

    /// The values a call returned with, as the call site wants them.
    pub(crate) fn fit_results(&mut self, mut arrival: Arrival, data: &InstData) -> Arrival {
        for (i, &v) in data.results.iter().enumerate() {
            let bits = self.ty(v).bits(self.space.ptr_bits());
            let got = arrival.args.get(i).copied().unwrap_or_else(|| self.terms.zero(bits));
            let got = ops::resize(self.terms, got, bits);
            if i < arrival.args.len() { arrival.args[i] = got } else { arrival.args.push(got) }
        }
        arrival
    }

    /// The same for a call that is opened later: the object belongs to nobody's frame.
    pub(crate) fn pack_for_open(&mut self, state: &mut State, extra: &[Term]) -> Option<Term> {
        self.pack_variable_arguments(state, extra).ok()
    }

    fn pack_variable_arguments(&mut self, state: &mut State, extra: &[Term]) -> Result<Term, Refusal> {
        let slot = u64::from(self.space.ptr_bits() / 8);
        let mut offset = 0u64;
        let mut places = Vec::new();
        for &t in extra {
            let bytes = u64::from(self.terms.width(t)).div_ceil(8);
            if bytes > 8 && slot == 8 {
                offset = offset.next_multiple_of(16);
            }
            places.push(offset);
            offset += bytes.next_multiple_of(slot);
        }
        let size = self.terms.bv(self.space.ptr_bits(), offset);
        let p = self.allocate(state, ObjectKind::Stack, size, true, None, Loc::UNKNOWN);
        for (&t, at) in extra.iter().zip(places) {
            let delta = self.terms.bv(self.space.ptr_bits(), at);
            let to = self.space.ptr_add(self.terms, p, delta);
            let t = self.whole_bytes(t);
            state.memory.store(&mut self.space, self.terms, to, t, Part::Data)?;
            if self.space.track_shadow {
                let clean = self.terms.zero(self.terms.width(t));
                state.memory.store(&mut self.space, self.terms, to, clean, Part::Shadow)?;
            }
        }
        Ok(p)
    }
}

/// Which execution of a call instruction is about to happen.
#[derive(Clone, Copy)]
struct Entering {
    inst: InstId,
    visit: u32,
    /// The segment was run to get here.
    goal: bool,
}
