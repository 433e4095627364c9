//! Segments: a function run from an arbitrary state, with calls left out.
//!
//! A call that is left out yields *ports*: fresh variables for its results, for the classes of memory it may change,
//! and for whether it returns at all. A condition over ports says what the callee would have to do; opening the call
//! later replaces the ports by what it does. The same holds for the ports of the segment's start and its callers.
//!
//! Every call and input that is executed is noted as an *occurrence*, so that a model can be turned back into "the
//! third time this function calls that one".

use crate::contents::{Contents, Range};
use crate::ids::{FrameNo, Mark, ObjectNo, OccurrenceNo};
use crate::jumps::JumpKind;
use crate::machine::{CallMade, Config, Machine};
use crate::memory::{Class, Object, Place, Refusal, RegionPort, Space, Spans, World, excerpt};
use crate::names::Names;
use crate::outcome::Execution;
use crate::policy::{Call, Called, Policy, Targets};
use crate::state::{Arrival, State};
use crate::walk::Executor;
use blitz_analysis::{Instance, Region};
use blitz_base::Budget;
use blitz_base::span::Loc;
use blitz_ir::effect::Extent;
use blitz_ir::{Block, Const, FuncId, Inst, InstData, InstId, Program, Type, Value};
use blitz_term::{Sort, Term, Terms};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Bytes of an object that a call may change without the object becoming one array.
const MAX_OVERWRITTEN: i64 = 4096;
/// Ranges of bytes of an object that are kept apart when a call changes them.
const MAX_SPANS: usize = 16;

/// What a segment is run for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The claims of the function itself.
    Claims,
    /// The states in which it makes this call.
    Call(InstId, FuncId),
    /// The state in which it returns.
    Return,
}

/// A function is run up to a goal; the world says which calls are left out.
pub struct SegmentRun {
    pub goal: Goal,
    /// The goal is in the last of these functions, which call each other, the first called by the outermost one: the
    /// program's start code calls `main`.
    pub inner: Vec<FuncId>,
    /// Blocks that can still get to the goal: of the outermost function, then of each of `inner`, where that is known.
    pub relevant: Vec<Option<Vec<bool>>>,
    /// Where the calls of this run stand among all calls of the search.
    pub order: Vec<u32>,
    pub calls: Vec<CallRecord>,
    pub arrivals: Vec<GoalState>,
    pub occurrences: Vec<Occurrence>,
    pub frames: Vec<FrameRecord>,
    pub next: Counters,
    sequence: u32,
}

/// Numbers that are unique in a whole search.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    pub object: ObjectNo,
    pub frame: FrameNo,
    pub occurrence: OccurrenceNo,
    pub port: u32,
}

/// A state in which the goal call is made.
pub struct GoalState {
    pub state: State,
    pub args: Vec<Term>,
    pub occurrence: OccurrenceNo,
}

/// A call or an input that was executed, in the order of execution.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    pub id: OccurrenceNo,
    pub frame: FrameNo,
    pub inst: InstId,
    pub guard: Term,
}

/// An activation that was run.
#[derive(Clone, Copy, Debug)]
pub struct FrameRecord {
    pub id: FrameNo,
    pub func: FuncId,
    /// The occurrence of the call that made it; `None` for the outermost.
    pub parent: Option<OccurrenceNo>,
}

/// A call that was left out.
pub struct CallRecord {
    pub order: Vec<u32>,
    pub occurrence: OccurrenceNo,
    pub callee: FuncId,
    pub instance: Instance,
    pub args: Vec<Term>,
    /// Just before the call.
    pub state: State,
    pub ports: CallPorts,
}

/// The variables that stand for what a call did.
pub struct CallPorts {
    /// By which the space knows the classes that were asked for after the call.
    pub call: u32,
    pub returns: Term,
    pub results: Vec<Term>,
    /// Objects of the segment's own that the callee may change.
    pub objects: Vec<ObjectPort>,
}

/// The variables that stand for one object.
#[derive(Clone, Debug)]
pub struct ObjectPort {
    pub number: ObjectNo,
    /// The bytes that may have changed; `None`: any.
    pub spans: Option<Spans>,
    pub data: Term,
    pub shadow: Option<Term>,
    pub live: Term,
}

impl CallPorts {
    /// All variables.
    pub fn vars(&self, space: &Space<'_>) -> Vec<Term> {
        let mut out = vec![self.returns];
        out.extend(&self.results);
        for (_, p) in space.call_ports(self.call) {
            out.extend([p.data, p.size, p.live]);
            out.extend(p.shadow);
        }
        for o in &self.objects {
            out.extend([o.data, o.live]);
            out.extend(o.shadow);
        }
        out
    }
}

impl SegmentRun {
    pub fn new(goal: Goal, order: Vec<u32>, next: Counters) -> Self {
        Self {
            goal,
            inner: Vec::new(),
            relevant: Vec::new(),
            order,
            calls: Vec::new(),
            arrivals: Vec::new(),
            occurrences: Vec::new(),
            frames: Vec::new(),
            next,
            sequence: 0,
        }
    }
}

impl<'p, 'a> Policy<'p, 'a> for SegmentRun {
    /// A pointer that came from outside means any function the analysis found for the call.
    fn targets(
        x: &mut Executor<'p, 'a, Self>,
        state: &State,
        pointer: Term,
        loc: Loc,
    ) -> Result<Option<Targets>, Refusal> {
        let frame = x.m.frame();
        let inst = frame.current.filter(|_| !x.m.terms.is_const(pointer));
        let Some(inst) = inst else { return x.functions(state, pointer, loc).map(Some) };
        let mut out = Vec::new();
        for f in x.world().targets(frame.func, inst) {
            let address = x.m.space.pointer(x.m.terms, x.m.program.func_object(f), 0);
            out.push((x.m.terms.eq(pointer, address), f));
        }
        Ok(Some(out))
    }

    fn comes_to_call(x: &mut Executor<'p, 'a, Self>, state: &State, inst: InstId) -> Mark {
        let guard = state.guard.term(x.m.terms);
        Mark(x.note_occurrence(guard, inst).0)
    }

    fn call(x: &mut Executor<'p, 'a, Self>, state: State, call: &Call<'p>) -> Called {
        let goal = x.is_goal(call);
        if goal {
            let (state, args) = (state.clone(), call.args.clone());
            x.policy.arrivals.push(GoalState { state, args, occurrence: OccurrenceNo(call.mark.0) });
        }
        if !x.m.program.decl(call.callee).has_body {
            return Called::Inlined { state, mark: None, instance: Instance::SHARED };
        }
        let instance = x.instance_of(call.callee);
        x.m.hand_over(call.callee, instance, &call.args);
        if !goal && !x.leaves_out(call) {
            return Called::Inlined { state, mark: Some(call.mark), instance };
        }
        let ends = x.world().ends(x.m.frame().func, call.inst, call.callee);
        Called::LeftOut((!ends).then(|| x.leave_out(state, call, instance)))
    }

    fn mark_frame(x: &mut Executor<'p, 'a, Self>, func: FuncId, call: Option<Mark>) -> Mark {
        let id = x.policy.next.frame;
        x.policy.next.frame.0 += 1;
        x.policy.frames.push(FrameRecord { id, func, parent: call.map(|m| OccurrenceNo(m.0)) });
        Mark(id.0)
    }

    fn counts_by_data(_: &Executor<'p, 'a, Self>) -> bool {
        true
    }

    fn drops_repeated(_: &Executor<'p, 'a, Self>) -> bool {
        false
    }

    fn leads_nowhere(x: &Executor<'p, 'a, Self>, to: Block) -> bool {
        let depth = x.m.frames.len() - 1;
        let on_the_way = depth == 0 || x.policy.inner.get(depth - 1) == Some(&x.m.frame().func);
        let relevant = x.policy.relevant.get(depth).and_then(|r| r.as_ref()).filter(|_| on_the_way);
        relevant.is_some_and(|r| !r[to.index()])
    }

    fn takes_input(x: &mut Executor<'p, 'a, Self>, position: usize) {
        let guard = x.m.out.inputs[position].guard;
        let inst = x.m.frame().current.expect("an input should come from an instruction");
        x.m.out.inputs[position].occurrence = x.note_occurrence(guard, inst);
    }
}

impl<'p, 'a> Executor<'p, 'a, SegmentRun> {
    /// An executor for a segment, in a space of its own.
    pub fn for_segment(
        program: &'p Program,
        terms: &'a mut Terms,
        config: &'a Config<'a>,
        budget: &'a Budget,
        space: Space<'p>,
        segment: SegmentRun,
    ) -> Self {
        let names = Names::fresh(segment.next.object);
        let mut m = Machine::new(program, terms, config, budget, space, names);
        m.jumps.kind = JumpKind::IsGapWhereSet;
        Self { m, policy: segment }
    }

    /// The space and the segment, to go on with in another executor, and what was found out.
    pub fn into_parts(self) -> (Space<'p>, SegmentRun, Execution) {
        let mut segment = self.policy;
        segment.next.object = self.m.names.next_object();
        (self.m.space, segment, self.m.out)
    }

    fn world(&self) -> &'p dyn World {
        self.m.space.world().expect("a segment's memory should come from outside")
    }

    /// Notes that an instruction of the current activation is executed.
    fn note_occurrence(&mut self, guard: Term, inst: InstId) -> OccurrenceNo {
        let frame = FrameNo(self.m.frame().mark.0);
        let id = self.policy.next.occurrence;
        self.policy.next.occurrence.0 += 1;
        self.policy.occurrences.push(Occurrence { id, frame, inst, guard });
        id
    }

    /// Whether a call is the goal.
    fn is_goal(&self, call: &Call<'p>) -> bool {
        let segment = &self.policy;
        let in_function = self.m.frames.len() == 1 + segment.inner.len()
            && segment.inner.last().is_none_or(|&f| f == self.m.frame().func);
        in_function && segment.goal == Goal::Call(call.inst, call.callee)
    }

    /// Whether a call is to be left out.
    fn leaves_out(&self, call: &Call<'p>) -> bool {
        let to_goal = self.policy.inner.get(self.m.frames.len() - 1) == Some(&call.callee);
        !to_goal && self.world().leave_out(self.m.frame().func, call.inst, call.callee)
    }

    /// A call that is left out: whatever it may change is a port.
    fn leave_out(&mut self, mut state: State, made: &Call<'p>, instance: Instance) -> Arrival {
        let before = state.clone();
        let (callee, data) = (made.callee, made.data);
        let types: Vec<Type> = data.results.iter().map(|&v| self.m.frame().body.ty(v)).collect();
        let (call, order) = self.next_call();
        let idle = self.world().is_idle(self.m.frame().func, made.inst, callee);
        let changed = if idle { Rc::default() } else { self.world().modified(instance, callee) };
        let ports = self.m.make_ports(&mut state, call, &types, changed);
        for (&v, &t) in data.results.iter().zip(&ports.results) {
            self.m.tag_value(v, t);
        }
        state.guard = state.guard.and(self.m.terms, ports.returns);
        let (args, results) = (made.args.clone(), ports.results.clone());
        self.policy.calls.push(CallRecord {
            order,
            occurrence: OccurrenceNo(made.mark.0),
            callee,
            instance,
            args,
            state: before,
            ports,
        });
        Arrival { state, args: results }
    }

    /// The instance of a function that the current instruction calls.
    fn instance_of(&self, callee: FuncId) -> Instance {
        let frame = self.m.frame();
        let inst = frame.current.expect("a call should come from an instruction");
        self.world().instance(frame.made_by.instance, frame.func, inst, callee)
    }

    fn next_call(&mut self) -> (u32, Vec<u32>) {
        let segment = &mut self.policy;
        segment.sequence += 1;
        let mut order = segment.order.clone();
        order.push(segment.sequence);
        let call = segment.next.port;
        segment.next.port += 1;
        (call, order)
    }

    /// Runs a function as the outermost one, from ports.
    pub fn run_segment(&mut self, func: FuncId, state: State) -> (Vec<Term>, Option<Arrival>) {
        let bits = self.m.space.ptr_bits();
        let prefix = self.m.space.prefix();
        let body = self.m.program.body(func).expect("a segment's function should have a body");
        let params: Vec<Term> = body
            .params()
            .iter()
            .enumerate()
            .map(|(i, &v)| self.m.terms.var(&format!("{prefix}param{i}"), Sort::Bv(body.ty(v).bits(bits))))
            .collect();
        for (&t, &v) in params.iter().zip(body.params()) {
            if self.m.terms.width(t) == bits
                && let Some(class) = self.world().class(Instance::SHARED, func, v)
            {
                self.m.space.tag(self.m.terms, t, class);
            }
        }
        let arrival = self.run(func, params.clone(), state);
        (params, arrival)
    }

    /// Runs a call that was left out, from the state before it. Gives the state in which it returns.
    pub fn open(&mut self, record: &CallRecord) -> Option<Arrival> {
        let (state, args) = self.m.pass_arguments(record.state.clone(), record.callee, record.args.clone())?;
        let (mark, instance) = (Some(Mark(record.occurrence.0)), record.instance);
        self.call(record.callee, args, state, CallMade { mark, instance, ..CallMade::BY_NOBODY })
    }
}

impl Machine<'_, '_> {
    /// Whether, where memory comes from outside, pointers are stored where this one points to.
    pub(crate) fn may_hold_pointers(&self, ptr: Value) -> bool {
        let frame = self.frame();
        self.space.world().is_some_and(|world| {
            let class = world.class(frame.made_by.instance, frame.func, ptr);
            class.is_none_or(|c| world.pointee(c).is_some())
        })
    }

    /// Notes which parts of memory from outside the pointers of an instruction go over.
    pub(crate) fn note_places(&mut self, data: &InstData) {
        let Some(world) = self.space.world() else { return };
        let frame = self.frame();
        let at = |ptr: Value, len: Option<u64>| -> Option<Rc<[Place]>> {
            let class = world.class(frame.made_by.instance, frame.func, ptr)?;
            Some(world.places(class, len))
        };
        let bits = self.space.ptr_bits();
        let bytes = |v: Value| Some(u64::from(frame.body.ty(v).bits(bits)).div_ceil(8));
        let constant = |v: Value| match frame.body.as_const(v) {
            Some(Const::Bits(n)) => n.to_u64(),
            Some(Const::Null | Const::Undef | Const::Global(..) | Const::Func(_)) | None => None,
        };
        let length = |extent: Extent| match extent {
            Extent::Result => bytes(data.results[0]),
            Extent::Of(value) => bytes(value),
            Extent::Bytes(len) => constant(len),
            // As far as it looks, one byte after the other.
            Extent::UpTo(_) => Some(1),
        };
        let effect = data.inst.effect();
        let mut accesses = effect.writes.iter().chain(&effect.reads).map(|a| at(a.ptr, length(a.extent)));
        self.space.operands = [accesses.next().flatten(), accesses.next().flatten()];
    }

    fn make_ports(
        &mut self,
        state: &mut State,
        call: u32,
        results: &[Type],
        changed: Rc<BTreeSet<Region>>,
    ) -> CallPorts {
        let bits = self.space.ptr_bits();
        let prefix = format!("call{call}:");
        let mut ports = CallPorts {
            call,
            returns: self.terms.var(&format!("{prefix}returns"), Sort::Bv(1)),
            results: Vec::new(),
            objects: Vec::new(),
        };
        for (i, ty) in results.iter().enumerate() {
            ports.results.push(self.terms.var(&format!("{prefix}result{i}"), Sort::Bv(ty.bits(bits))));
        }
        let own: Vec<(ObjectNo, Change)> = state
            .memory
            .touched()
            .filter_map(|(n, o)| Some((n.object()?, change_of(self.space.world()?, o.class?, &changed)?)))
            .collect();
        for (number, Change { spans, life }) in own {
            let bytes = Sort::Array { index: self.space.index_bits(), elem: 8 };
            let data = self.terms.var(&format!("{prefix}object{number}"), bytes);
            let live = self.terms.var(&format!("{prefix}object{number}.live"), Sort::Bv(1));
            let name = format!("{prefix}object{number}.shadow");
            let shadow = self.space.track_shadow.then(|| self.terms.var(&name, bytes));
            let Some(mut object) = state.memory.object(&mut self.space, self.terms, number) else { continue };
            let object = Rc::make_mut(&mut object);
            if life {
                object.live = live;
            }
            self.overwrite(object, &spans, data, shadow);
            state.memory.put(number, object.clone());
            ports.objects.push(ObjectPort { number, spans, data, shadow, live });
        }
        state.memory.forget(&mut self.space, call, changed);
        ports
    }

    /// A value that came from outside means the class its variable has in the program.
    fn tag_value(&mut self, v: Value, t: Term) {
        let Some(world) = self.space.world() else { return };
        let frame = self.frame();
        let wide = self.terms.width(t) == self.space.ptr_bits();
        if wide && let Some(class) = world.class(frame.made_by.instance, frame.func, v) {
            self.space.tag(self.terms, t, class);
        }
    }

    /// Bytes of an object are whatever a call left there.
    fn overwrite(&mut self, object: &mut Object, spans: &Option<Spans>, data: Term, shadow: Option<Term>) {
        let size = object.const_size(self.terms);
        object.data = self.overwritten(&object.data, size, spans, data);
        if let (Some(old), Some(new)) = (&object.shadow, shadow) {
            object.shadow = Some(self.overwritten(old, size, spans, new));
        }
    }

    /// Contents with some bytes from an array. Few of them leave the others in their parts; many make it one array.
    fn overwritten(&mut self, old: &Contents, size: Option<u64>, spans: &Option<Spans>, new: Term) -> Contents {
        let Some(spans) = spans else { return Contents::bytes(new) };
        let bits = self.space.index_bits();
        let many = spans.iter().map(|(from, to)| to - from).sum::<i64>() > MAX_OVERWRITTEN;
        let whole = if many { old.clone().array(self.terms, size, bits) } else { None };
        let mut out = whole.map_or_else(|| old.clone(), Contents::bytes);
        for &(from, to) in spans.iter() {
            let (off, len) = (self.terms.bv_signed(bits, from), self.terms.bv_signed(bits, to - from));
            let range = Range { off, len, within: self.space.within(size) };
            if let Some(all) = whole {
                let before = out.array(self.terms, size, bits).unwrap_or(all);
                out = Contents::bytes(self.terms.copy(before, off, new, off, len));
            } else if out.copy(self.terms, range, &mut Contents::bytes(new), off, size).is_err() {
                return Contents::bytes(new);
            }
        }
        out
    }

    /// Before a function is run that has no classes of its own: what it is given means what the caller says.
    fn hand_over(&mut self, callee: FuncId, instance: Instance, args: &[Term]) {
        let Some(world) = self.space.world() else { return };
        let frame = self.frame();
        let (Some(inst), Some(body)) = (frame.current, self.program.body(callee)) else { return };
        let Inst::Call(site) = &frame.body.inst(inst).inst else { return };
        if !self.program.decl(callee).model || body.params().iter().any(|&p| world.class(instance, callee, p).is_some())
        {
            return;
        }
        let given: Vec<(Term, Class)> = site
            .args
            .iter()
            .zip(args)
            .filter_map(|(&v, &t)| Some((t, world.class(frame.made_by.instance, frame.func, v)?)))
            .collect();
        for (t, class) in given {
            self.space.retag(self.terms, t, class);
        }
    }

    /// As `tag_value`, for a value that was read at `from`. The values of large models have no class of their own: one
    /// that was read means what pointers stored there mean.
    pub(crate) fn tag_loaded(&mut self, v: Value, t: Term, from: Term) {
        let Some(world) = self.space.world() else { return };
        if self.terms.width(t) != self.space.ptr_bits() {
            return;
        }
        let frame = self.frame();
        let own = world.class(frame.made_by.instance, frame.func, v);
        let class = own.or_else(|| self.space.class_of(self.terms, from).and_then(|c| world.pointee(c)));
        if let Some(class) = class {
            self.space.tag(self.terms, t, class);
        }
    }

    /// The class of the object an instruction is about to allocate. Large models have no classes of their own: what
    /// they allocate belongs to the call of theirs that has one.
    pub(crate) fn class_of_allocation(&self, result: Value) -> Option<Class> {
        let world = self.space.world()?;
        let mut value = Some(result);
        for (depth, frame) in self.frames.iter().enumerate().rev() {
            let class = value.and_then(|v| world.class(frame.made_by.instance, frame.func, v));
            if class.is_some() || !self.program.decl(frame.func).model {
                return class;
            }
            let caller = self.frames.get(depth.checked_sub(1)?)?;
            value = caller.body.inst(caller.current?).results.first().copied();
        }
        None
    }
}

/// What a call may change of one of the segment's own objects.
struct Change {
    /// The bytes; `None`: any.
    spans: Option<Spans>,
    /// Whether it may end.
    life: bool,
}

/// `None`: nothing.
fn change_of(world: &dyn World, class: Class, changed: &BTreeSet<Region>) -> Option<Change> {
    let life = changed.contains(&world.life(class));
    let places = world.places(class, None);
    let written: Vec<&Place> = places.iter().filter(|p| changed.contains(&p.part)).collect();
    if written.is_empty() && !life {
        return None;
    }
    let mut all: Vec<(i64, i64)> = Vec::new();
    for place in written {
        match &place.spans {
            Some(spans) => all.extend(spans.iter()),
            None => return Some(Change { spans: None, life }),
        }
    }
    Some(Change { spans: Some(few_spans(all)), life })
}

/// The same bytes, and where there are many ranges of them, what is between the nearest.
fn few_spans(mut all: Vec<(i64, i64)>) -> Spans {
    all.sort_unstable();
    let gap = |pair: &[(i64, i64)]| pair[1].0 - pair[0].1;
    let mut gaps: Vec<i64> = all.windows(2).map(gap).filter(|g| *g > 0).collect();
    gaps.sort_unstable_by_key(|g| std::cmp::Reverse(*g));
    let joined = gaps.get(MAX_SPANS - 1).copied().unwrap_or(0);
    let mut out: Vec<(i64, i64)> = Vec::new();
    for (from, to) in all {
        match out.last_mut() {
            Some(last) if from - last.1 <= joined => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out.into()
}

/// The bytes of a part, or the sizes and liveness of a life, in a state, the state's own objects included.
pub fn flatten(machine: &mut Machine<'_, '_>, state: &mut State, id: Region) -> Option<RegionPort> {
    let bits = machine.space.ptr_bits();
    let number_bits = bits - machine.space.off_bits();
    let world = machine.space.world()?;
    let outside = state.memory.object(&mut machine.space, machine.terms, id)?;
    let known = outside.outside?;
    let terms: &mut Terms = machine.terms;
    let mut port = RegionPort {
        data: outside.data.clone().array(terms, None, bits)?,
        shadow: match &outside.shadow {
            Some(s) => Some(s.clone().array(terms, None, bits)?),
            None => None,
        },
        size: known.size,
        live: known.live,
    };
    let own: Vec<_> = state.memory.touched().filter_map(|(n, o)| Some((n.object()?, Rc::clone(o), o.class?))).collect();
    for (number, object, class) in own {
        if world.life(class) == id {
            let index = terms.bv(number_bits, number.number());
            port.size = terms.store(port.size, index, object.size);
            port.live = terms.store(port.live, index, object.live);
        } else if let Some(place) = world.places(class, None).iter().find(|p| p.part == id) {
            let own = Own { number, object: &object, spans: place.spans.as_ref() };
            port.data = own.written_to(&machine.space, terms, port.data, &object.data)?;
            if let (Some(all), Some(mine)) = (port.shadow, &object.shadow) {
                port.shadow = Some(own.written_to(&machine.space, terms, all, mine)?);
            }
        }
    }
    Some(port)
}

/// Bytes of an object of the segment's own.
struct Own<'a> {
    number: ObjectNo,
    object: &'a Object,
    spans: Option<&'a Spans>,
}

impl Own<'_> {
    /// A part of memory with these bytes of the object.
    fn written_to(&self, space: &Space<'_>, terms: &mut Terms, all: Term, mine: &Contents) -> Option<Term> {
        let bits = space.ptr_bits();
        let size = self.object.const_size(terms);
        let bytes = excerpt(space, terms, mine, size, self.spans)?;
        let Some(spans) = self.spans else {
            let at = space.pointer(terms, self.number.number(), 0);
            let (start, len) = (terms.zero(bits), terms.zext(self.object.size, bits));
            return Some(terms.copy(all, at, bytes, start, len));
        };
        let mut out = all;
        for &(from, to) in spans.iter() {
            let at = space.pointer(terms, self.number.number(), from);
            let (start, len) = (terms.bv_signed(bits, from), terms.bv_signed(bits, to - from));
            out = terms.copy(out, at, bytes, start, len);
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_meet_are_one_and_of_many_the_nearest_are_joined() {
        assert_eq!(*few_spans(vec![(8, 12), (0, 4), (4, 6)]), [(0, 6), (8, 12)]);
        let mut interleaved: Vec<(i64, i64)> = (0..100).map(|i| (1000 + 8 * i, 1004 + 8 * i)).collect();
        interleaved.push((0, 4));
        let few = few_spans(interleaved);
        assert_eq!(*few, [(0, 4), (1000, 1796)]);
    }
}
