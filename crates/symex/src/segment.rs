//! Segments: a function run from an arbitrary state, with calls left out.
//!
//! A call that is left out yields *ports*: fresh variables for its results, for the classes of memory it may change, and
//! for whether it returns at all. A condition over ports says what the callee would have to do; opening the call later
//! replaces the ports by what it does. The same holds for the ports of the segment's start and its callers.
//!
//! Every call and input that is executed is noted as a *visit*, so that a model can be turned back into "the third
//! time this function calls that one".

use crate::contents::Contents;
use crate::exec::Executor;
use crate::memory::{OUTSIDE, RegionPort, Space, World};
use crate::ops;
use crate::state::{Arrival, State};
use blitz_ir::{Block, CallSite, FuncId, InstData, InstId, Type, Value};
use blitz_term::{Sort, Term, Terms};
use std::collections::BTreeSet;
use std::rc::Rc;

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

/// The segment part of an executor.
pub struct SegmentRun<'p> {
    pub world: &'p dyn World,
    pub goal: Goal,
    /// The goal is in the last of these functions, which call each other, the first called by the outermost one: the program's start
    /// code calls `main`.
    pub inner: Vec<FuncId>,
    /// Blocks that can still get to the goal: of the outermost function, then of each of `inner`, where that is known.
    pub relevant: Vec<Option<Vec<bool>>>,
    /// Where the calls of this run stand among all calls of the search.
    pub order: Vec<u32>,
    pub calls: Vec<CallRecord>,
    pub arrivals: Vec<GoalState>,
    pub visits: Vec<Visit>,
    pub frames: Vec<FrameRecord>,
    pub next: Counters,
    sequence: u32,
}

/// Numbers that are unique in a whole search.
#[derive(Clone, Copy, Debug)]
pub struct Counters {
    pub object: u32,
    pub frame: u32,
    pub visit: u32,
    pub port: u32,
}

/// A state in which the goal call is made.
pub struct GoalState {
    pub state: State,
    pub args: Vec<Term>,
    pub visit: u32,
}

/// A call or an input that was executed, in the order of execution.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    pub id: u32,
    pub frame: u32,
    pub inst: InstId,
    pub guard: Term,
}

/// An activation that was run.
#[derive(Clone, Copy, Debug)]
pub struct FrameRecord {
    pub id: u32,
    pub func: FuncId,
    /// The visit of the call that made it; `None` for the outermost.
    pub parent: Option<u32>,
}

/// A call that was left out.
pub struct CallRecord {
    pub order: Vec<u32>,
    pub visit: u32,
    pub callee: FuncId,
    pub instance: u32,
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
#[derive(Clone, Copy, Debug)]
pub struct ObjectPort {
    pub number: u32,
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

impl<'p> SegmentRun<'p> {
    pub fn new(world: &'p dyn World, goal: Goal, order: Vec<u32>, next: Counters) -> Self {
        Self {
            world,
            goal,
            inner: Vec::new(),
            relevant: Vec::new(),
            order,
            calls: Vec::new(),
            arrivals: Vec::new(),
            visits: Vec::new(),
            frames: Vec::new(),
            next,
            sequence: 0,
        }
    }
}

impl<'p> Executor<'p, '_> {
    /// Whether, in a segment, pointers are stored where this one points to.
    pub(crate) fn may_hold_pointers(&self, ptr: Value) -> bool {
        let frame = self.frame();
        self.segment.as_ref().is_some_and(|s| {
            let region = s.world.region(frame.instance, frame.func, ptr);
            region.is_none_or(|r| s.world.pointee(r).is_some())
        })
    }

    /// Notes that an instruction of the current activation is executed; gives the visit's number.
    pub(crate) fn visit(&mut self, state: &State, inst: InstId) -> u32 {
        let guard = state.guard.term(self.terms);
        let frame = self.frame().id;
        let Some(segment) = &mut self.segment else { return 0 };
        let id = segment.next.visit;
        segment.next.visit += 1;
        segment.visits.push(Visit { id, frame, inst, guard });
        id
    }

    /// Whether this call is the goal; its state is kept then.
    pub(crate) fn is_goal(&mut self, state: &State, f: FuncId, inst: InstId, site: &CallSite, visit: u32) -> bool {
        if !self.in_goal_function() || self.segment.as_ref().is_none_or(|s| s.goal != Goal::Call(inst, f)) {
            return false;
        }
        let args: Vec<Term> = site.args.iter().map(|&v| self.get(v)).collect();
        if let Some(segment) = &mut self.segment {
            segment.arrivals.push(GoalState { state: state.clone(), args, visit });
        }
        true
    }

    /// Whether the current activation is the one the goal is in.
    pub(crate) fn in_goal_function(&self) -> bool {
        let Some(segment) = &self.segment else { return false };
        self.frames.len() == 1 + segment.inner.len() && segment.inner.last().is_none_or(|&f| f == self.frame().func)
    }

    /// Whether the goal can't be reached any more from a block of the current activation, one of those that lead to it.
    pub(crate) fn leads_nowhere(&self, to: Block) -> bool {
        let Some(segment) = &self.segment else { return false };
        let depth = self.frames.len() - 1;
        let on_the_way = depth == 0 || segment.inner.get(depth - 1) == Some(&self.frame().func);
        let relevant = segment.relevant.get(depth).and_then(|r| r.as_ref()).filter(|_| on_the_way);
        relevant.is_some_and(|r| !r[to.index()])
    }

    /// Whether a call is to be left out.
    pub(crate) fn leaves_out(&self, inst: InstId, callee: FuncId) -> bool {
        self.segment.as_ref().is_some_and(|s| {
            let to_goal = s.inner.get(self.frames.len() - 1) == Some(&callee);
            !to_goal && s.world.leave_out(self.frame().func, inst, callee)
        })
    }

    /// A call that is not looked into: whatever it may change is a port.
    pub(crate) fn leave_out(
        &mut self,
        mut state: State,
        callee: FuncId,
        data: &'p InstData,
        site: &CallSite,
        visit: u32,
    ) -> Arrival {
        let before = state.clone();
        let args: Vec<Term> = site.args.iter().map(|&v| self.get(v)).collect();
        let types: Vec<Type> = data.results.iter().map(|&v| self.frame().body.ty(v)).collect();
        let instance = self.instance_of(callee);
        let (call, order, modified) = self.next_call(instance, callee);
        let changed = if self.is_idle(callee) { Rc::default() } else { modified };
        let ports = self.make_ports(&mut state, call, &types, changed);
        for (&v, &t) in data.results.iter().zip(&ports.results) {
            self.tag_value(v, t);
        }
        state.guard = state.guard.and(self.terms, ports.returns);
        let results = ports.results.clone();
        if let Some(segment) = &mut self.segment {
            segment.calls.push(CallRecord { order, visit, callee, instance, args, state: before, ports });
        }
        Arrival { state, args: results }
    }

    fn is_idle(&self, callee: FuncId) -> bool {
        let frame = self.frame();
        let (Some(segment), Some(inst)) = (&self.segment, frame.current) else { return false };
        segment.world.is_idle(frame.func, inst, callee)
    }

    /// The instance of a function that the current instruction calls.
    pub(crate) fn instance_of(&self, callee: FuncId) -> u32 {
        let frame = self.frame();
        match (&self.segment, frame.current) {
            (Some(s), Some(inst)) => s.world.instance(frame.instance, frame.func, inst, callee),
            _ => 0,
        }
    }

    fn next_call(&mut self, instance: u32, callee: FuncId) -> (u32, Vec<u32>, Rc<BTreeSet<u32>>) {
        let segment = self.segment.as_mut().expect("calls are left out of segments only");
        segment.sequence += 1;
        let mut order = segment.order.clone();
        order.push(segment.sequence);
        let call = segment.next.port;
        segment.next.port += 1;
        (call, order, segment.world.modified(instance, callee))
    }

    fn make_ports(&mut self, state: &mut State, call: u32, results: &[Type], changed: Rc<BTreeSet<u32>>) -> CallPorts {
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
        let own: Vec<u32> = state
            .memory
            .touched()
            .filter(|(_, o)| o.outside.is_none() && o.region.is_some_and(|r| changed.contains(&r)))
            .map(|(n, _)| n)
            .collect();
        for number in own {
            let bytes = Sort::Array { index: self.space.index_bits(), elem: 8 };
            let data = self.terms.var(&format!("{prefix}object{number}"), bytes);
            let live = self.terms.var(&format!("{prefix}object{number}.live"), Sort::Bv(1));
            let name = format!("{prefix}object{number}.shadow");
            let shadow = self.space.track_shadow.then(|| self.terms.var(&name, bytes));
            state.memory.update(&mut self.space, self.terms, number, |_, o| {
                o.data = Contents::bytes(data);
                o.live = live;
                o.shadow = shadow.map(Contents::bytes);
            });
            ports.objects.push(ObjectPort { number, data, shadow, live });
        }
        state.memory.forget(&mut self.space, call, changed);
        ports
    }

    /// A value that came from outside means the class its variable has in the program.
    pub(crate) fn tag_value(&mut self, v: Value, t: Term) {
        let Some(segment) = &self.segment else { return };
        let func = self.frame().func;
        let wide = self.terms.width(t) == self.space.ptr_bits();
        let instance = self.frame().instance;
        if wide && let Some(region) = segment.world.region(instance, func, v) {
            self.space.tag(self.terms, t, region);
        }
    }

    /// As `tag_value`, for a value that was read at `from`. The values of large models have no class of their own: one
    /// that was read means what pointers stored there mean.
    pub(crate) fn tag_loaded(&mut self, v: Value, t: Term, from: Term) {
        let Some(segment) = &self.segment else { return };
        let frame = self.frame();
        if self.terms.width(t) != self.space.ptr_bits() {
            return;
        }
        let world = segment.world;
        let own = world.region(frame.instance, frame.func, v);
        let region = own.or_else(|| self.space.class_of(self.terms, from).and_then(|r| world.pointee(r)));
        if let Some(region) = region {
            self.space.tag(self.terms, t, region);
        }
    }

    /// The class of the object an instruction is about to allocate. Large models have no classes of their own: what
    /// they allocate belongs to the call of theirs that has one.
    pub(crate) fn class_of_allocation(&self, result: Value) -> Option<u32> {
        let segment = self.segment.as_ref()?;
        let mut value = Some(result);
        for (depth, frame) in self.frames.iter().enumerate().rev() {
            let region = value.and_then(|v| segment.world.region(frame.instance, frame.func, v));
            if region.is_some() || !self.program.decl(frame.func).model {
                return region;
            }
            let caller = self.frames.get(depth.checked_sub(1)?)?;
            value = caller.body.inst(caller.current?).results.first().copied();
        }
        None
    }

    /// Runs a function as the outermost one, from ports.
    pub fn run_segment(&mut self, func: FuncId, state: State) -> (Vec<Term>, Option<Arrival>) {
        let bits = self.space.ptr_bits();
        let prefix = self.space.prefix();
        let body = self.program.body(func).expect("a segment's function should have a body");
        let params: Vec<Term> = body
            .params()
            .iter()
            .enumerate()
            .map(|(i, &v)| self.terms.var(&format!("{prefix}param{i}"), Sort::Bv(body.ty(v).bits(bits))))
            .collect();
        if let Some(segment) = &self.segment {
            let regions: Vec<Option<u32>> = body.params().iter().map(|&v| segment.world.region(0, func, v)).collect();
            for (&t, region) in params.iter().zip(regions) {
                if let Some(region) = region
                    && self.terms.width(t) == bits
                {
                    self.space.tag(self.terms, t, region);
                }
            }
        }
        let arrival = self.run(func, params.clone(), state);
        (params, arrival)
    }

    /// Runs a call that was left out, from the state before it. Gives the state in which it returns.
    pub fn open(&mut self, record: &CallRecord) -> Option<Arrival> {
        let decl = self.program.decl(record.callee);
        let mut args = record.args.clone();
        let extra = args.split_off(decl.signature.params.len().min(args.len()));
        for (i, ty) in decl.signature.params.iter().enumerate() {
            let bits = ty.bits(self.space.ptr_bits());
            match args.get(i).copied() {
                Some(a) => args[i] = ops::resize(self.terms, a, bits),
                None => args.push(self.terms.zero(bits)),
            }
        }
        self.parent_visit = Some(record.visit);
        self.next_instance = record.instance;
        let mut state = record.state.clone();
        if decl.signature.variadic {
            let packed = self.pack_for_open(&mut state, &extra)?;
            args.push(packed);
        }
        self.run(record.callee, args, state)
    }
}

/// The bytes, sizes and liveness of a class in a state, the state's own objects of it included.
pub fn flatten(executor: &mut Executor<'_, '_>, state: &mut State, region: u32) -> Option<RegionPort> {
    let bits = executor.space.ptr_bits();
    let number_bits = bits - executor.space.off_bits();
    let outside = state.memory.object(&mut executor.space, executor.terms, OUTSIDE | region)?;
    let world = outside.outside?;
    let terms: &mut Terms = executor.terms;
    let mut port = RegionPort {
        data: outside.data.clone().array(terms, None, bits)?,
        shadow: match &outside.shadow {
            Some(s) => Some(s.clone().array(terms, None, bits)?),
            None => None,
        },
        size: world.size,
        live: world.live,
    };
    let own: Vec<_> = state
        .memory
        .touched()
        .filter(|(_, o)| o.outside.is_none() && o.region == Some(region))
        .map(|(n, o)| (n, std::rc::Rc::clone(o)))
        .collect();
    for (number, object) in own {
        let size = object.const_size(terms);
        let at = executor.space.pointer(terms, u64::from(number), 0);
        let start = terms.zero(bits);
        let len = terms.zext(object.size, bits);
        let bytes = object.data.clone().array(terms, size, bits)?;
        port.data = terms.copy(port.data, at, bytes, start, len);
        if let (Some(all), Some(mine)) = (port.shadow, &object.shadow) {
            let bytes = mine.clone().array(terms, size, bits)?;
            port.shadow = Some(terms.copy(all, at, bytes, start, len));
        }
        let index = terms.bv(number_bits, u64::from(number));
        port.size = terms.store(port.size, index, object.size);
        port.live = terms.store(port.live, index, object.live);
    }
    Some(port)
}
