//! Obligations and the three ways they move: start at a check, open a call, go to a caller.

use super::world::{self, ProgramWorld};
use crate::bounds::Unwind;
use blitz_base::Budget;
use blitz_ir::cfg::Cfg;
use blitz_ir::{Block, Checks, Func, FuncId, InstId, Program, PropertyId, RelocTarget};
use blitz_symex::memory::{RegionPort, Space};
use blitz_symex::ops::resize;
use blitz_symex::segment::{CallRecord, Counters, FrameRecord, Goal, SegmentRun, Visit, flatten};
use blitz_symex::state::State;
use blitz_symex::{Config, Executor, Input};
use blitz_term::{Term, Terms, vars_of};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A condition under which the violation happens, over the ports of `func` and of calls that were left out.
#[derive(Clone)]
pub(crate) struct Obligation<'p> {
    pub psi: Term,
    pub func: FuncId,
    pub params: Vec<Term>,
    pub frame: u32,
    pub space: Space<'p>,
    /// Calls that were left out so far in the function and in what was opened below it.
    pub calls: Vec<Rc<CallRecord>>,
    pub trail: Trail,
    /// Segments on the way from the check to here.
    pub refinements: u32,
    /// What was concluded on the way, from the error backwards, for people.
    pub story: Vec<(FuncId, Term)>,
}

/// What is needed to turn a model back into inputs.
#[derive(Clone, Default)]
pub(crate) struct Trail {
    pub inputs: Vec<Input>,
    pub visits: Vec<Visit>,
    pub frames: Vec<FrameRecord>,
    /// How ports were replaced, in order. Backwards, they give every port its value under a model.
    pub steps: Vec<Step>,
}

/// A replacement of ports.
#[derive(Clone)]
pub(crate) enum Step {
    /// A call was opened.
    Opened(Rc<Vec<(Term, Term)>>),
    /// The caller of a frame was added: one of these calls made it.
    Called { frame: u32, options: Rc<Vec<CallOption>> },
    /// These conditions were taken for granted.
    Assumed(Rc<Vec<Term>>),
}

/// A call that may have made a frame.
pub(crate) struct CallOption {
    pub visit: u32,
    pub condition: Term,
    pub pairs: Vec<(Term, Term)>,
}

/// What the moves share.
pub(crate) struct Mover<'p, 'a> {
    pub program: &'p Program,
    pub world: &'p ProgramWorld<'p>,
    pub terms: &'a mut Terms,
    pub bounds: &'a Unwind,
    pub checks: Checks,
    pub alloc_may_fail: bool,
    pub budget: &'a Budget,
    pub next: Counters,
    pub segments: u32,
    /// A loop or recursion was cut off somewhere.
    pub cut: bool,
}

/// Iterations of a model's loop inside a segment.
const MODEL_BOUND: u32 = 4;

impl<'p, 'a> Mover<'p, 'a> {
    /// The obligation of a check of a property in its own function.
    pub fn start(&mut self, func: FuncId, property: PropertyId) -> Option<Obligation<'p>> {
        let body = self.program.body(func)?;
        let goals = world::sites(self.program, func, property);
        let relevant = leading_to(body, &goals);
        self.world.target.set(Some(property));
        let (mut o, executed) = self.segment(func, Goal::Claims, Some(relevant))?;
        let conditions: Vec<Term> = executed.claims.iter().filter(|(p, _)| *p == property).map(|(_, t)| *t).collect();
        o.psi = self.terms.or_all(&conditions);
        o.story.push((func, o.psi));
        (!self.terms.is_false(o.psi)).then_some(o)
    }

    /// The latest call that psi depends on; with `control` the latest call at all.
    pub fn next_call(&self, o: &Obligation<'p>, control: bool) -> Option<usize> {
        let vars: BTreeSet<Term> = vars_of(self.terms, &[o.psi]).into_iter().collect();
        let depends = |c: &CallRecord| {
            let ports = c.ports.vars();
            let from = usize::from(!control);
            ports[from..].iter().any(|v| vars.contains(v))
        };
        (0..o.calls.len()).filter(|&i| depends(&o.calls[i])).max_by(|&a, &b| o.calls[a].order.cmp(&o.calls[b].order))
    }

    /// Opens a call: its ports are replaced by what it does. `None`: it can't return.
    pub fn open(&mut self, mut o: Obligation<'p>, which: usize) -> Option<Obligation<'p>> {
        let record = o.calls.remove(which);
        self.segments += 1;
        let config = self.config();
        let run = SegmentRun::new(self.world, Goal::Return, record.order.clone(), self.next);
        let mut executor = Executor::for_segment(self.program, self.terms, &config, self.budget, o.space.clone(), run);
        let arrival = executor.open(&record);
        let mut pairs = Vec::new();
        if let Some(mut arrival) = arrival {
            pairs.push((record.ports.returns, arrival.state.guard.term(executor.terms)));
            for (&port, &value) in record.ports.results.iter().zip(&arrival.args) {
                let bits = executor.terms.width(port);
                pairs.push((port, resize(executor.terms, value, bits)));
            }
            for &(region, port) in &record.ports.regions {
                let after = flatten(&mut executor, &mut arrival.state, region)?;
                pairs.extend([(port.data, after.data), (port.size, after.size), (port.live, after.live)]);
                if let (Some(p), Some(s)) = (port.shadow, after.shadow) {
                    pairs.push((p, s));
                }
            }
            for port in &record.ports.objects {
                let after = arrival.state.memory.object(&mut executor.space, executor.terms, port.number)?;
                let size = after.const_size(executor.terms);
                let bits = executor.space.index_bits();
                pairs.push((port.data, after.data.clone().array(executor.terms, size, bits)?));
                pairs.push((port.live, after.live));
                if let (Some(p), Some(s)) = (port.shadow, &after.shadow) {
                    pairs.push((p, s.clone().array(executor.terms, size, bits)?));
                }
            }
        }
        let (space, run, executed) = executor.into_parts();
        self.cut |= !executed.cuts.is_empty();
        self.next = run.next;
        if pairs.is_empty() {
            return None;
        }
        o.space = space;
        o.trail.extend(&run, executed.inputs);
        o.calls.extend(run.calls.into_iter().map(Rc::new));
        o.psi = self.terms.substitute(o.psi, &pairs);
        o.trail.steps.push(Step::Opened(Rc::new(pairs)));
        o.refinements += 1;
        o.story.push((record.callee, o.psi));
        (!self.terms.is_false(o.psi)).then_some(o)
    }

    /// Goes to a caller: the function's ports are replaced by the state in which it is called.
    pub fn caller_obligation(&mut self, o: &Obligation<'p>, caller: FuncId, call: InstId) -> Option<Obligation<'p>> {
        let body = self.program.body(caller)?;
        let psi = self.assume_returns(o);
        let vars: BTreeSet<Term> = vars_of(self.terms, &[psi]).into_iter().collect();
        let ports: Vec<(u32, RegionPort)> = o
            .space
            .ports()
            .into_iter()
            .filter(|(_, p)| [p.data, p.size, p.live].iter().chain(&p.shadow).any(|v| vars.contains(v)))
            .collect();
        self.segments += 1;
        let prefix = format!("segment{}:", self.next.port);
        self.next.port += 1;
        let space =
            Space::for_segment(self.program, self.checks.has(blitz_ir::CheckKind::Uninitialised), self.world, prefix);
        let mut run = SegmentRun::new(self.world, Goal::Call(call), Vec::new(), self.next);
        run.relevant = Some(leading_to(body, &[call]));
        let config = self.config();
        let mut executor = Executor::for_segment(self.program, self.terms, &config, self.budget, space, run);
        let (params, _) = executor.run_segment(caller, State::start());
        let arrivals = std::mem::take(&mut executor.segment.as_mut()?.arrivals);
        let mut options = Vec::new();
        let mut conditions = Vec::new();
        for mut arrival in arrivals {
            let mut pairs = Vec::new();
            for (&param, &arg) in o.params.iter().zip(&arrival.args) {
                let bits = executor.terms.width(param);
                pairs.push((param, resize(executor.terms, arg, bits)));
            }
            for (region, port) in &ports {
                let flat = flatten(&mut executor, &mut arrival.state, *region)?;
                pairs.extend([(port.data, flat.data), (port.size, flat.size), (port.live, flat.live)]);
                if let (Some(p), Some(f)) = (port.shadow, flat.shadow) {
                    pairs.push((p, f));
                }
            }
            let there = executor.terms.substitute(psi, &pairs);
            let guard = arrival.state.guard.term(executor.terms);
            let condition = executor.terms.and(guard, there);
            options.push(CallOption { visit: arrival.visit, condition, pairs });
            conditions.push(condition);
        }
        let (space, run, executed) = executor.into_parts();
        self.cut |= !executed.cuts.is_empty();
        self.next = run.next;
        let psi = self.terms.or_all(&conditions);
        if self.terms.is_false(psi) {
            return None;
        }
        let mut trail = o.trail.clone();
        trail.steps.push(Step::Assumed(Rc::new(returns(o))));
        trail.steps.push(Step::Called { frame: o.frame, options: Rc::new(options) });
        let frame = run.frames.first()?.id;
        trail.extend(&run, executed.inputs);
        let mut story = o.story.clone();
        story.push((caller, psi));
        Some(Obligation {
            psi,
            func: caller,
            params,
            frame,
            space,
            calls: run.calls.into_iter().map(Rc::new).collect(),
            trail,
            refinements: o.refinements + 1,
            story,
        })
    }

    /// At the program's entry the initial state is known.
    pub fn at_entry(&mut self, o: &Obligation<'p>) -> (Term, Vec<Step>) {
        let psi = self.assume_returns(o);
        let vars: BTreeSet<Term> = vars_of(self.terms, &[psi]).into_iter().collect();
        let mut pairs = Vec::new();
        for (region, port) in o.space.ports() {
            if ![port.data, port.size, port.live].iter().chain(&port.shadow).any(|v| vars.contains(v)) {
                continue;
            }
            let start = self.initial(&o.space, region);
            pairs.extend([(port.data, start.data), (port.size, start.size), (port.live, start.live)]);
            if let (Some(p), Some(s)) = (port.shadow, start.shadow) {
                pairs.push((p, s));
            }
        }
        let start = self.terms.substitute(psi, &pairs);
        (start, vec![Step::Assumed(Rc::new(returns(o))), Step::Opened(Rc::new(pairs))])
    }

    /// Calls that psi does not depend on are taken to return; the run on the inputs shows whether they do.
    fn assume_returns(&mut self, o: &Obligation<'p>) -> Term {
        let yes = self.terms.tru();
        let pairs: Vec<(Term, Term)> = o.calls.iter().map(|c| (c.ports.returns, yes)).collect();
        self.terms.substitute(o.psi, &pairs)
    }

    fn initial(&mut self, space: &Space<'p>, region: u32) -> RegionPort {
        use blitz_symex::memory::World;
        let bits = space.ptr_bits();
        let number_bits = bits - space.off_bits();
        let zero = self.terms.bv(8, 0);
        let mut data = self.terms.const_array(bits, zero);
        let shadow = self.checks.has(blitz_ir::CheckKind::Uninitialised).then_some(data);
        let none = self.terms.zero(space.off_bits());
        let mut size = self.terms.const_array(number_bits, none);
        let dead = self.terms.fls();
        let mut live = self.terms.const_array(number_bits, dead);
        for (i, global) in self.program.globals.iter().enumerate() {
            let id = blitz_ir::GlobalId::new(i);
            if self.world.global_region(id) != region {
                continue;
            }
            let number = self.program.global_object(id);
            let index = self.terms.bv(number_bits, number);
            let bytes = self.terms.bv(space.off_bits(), global.size);
            size = self.terms.store(size, index, bytes);
            let yes = self.terms.tru();
            live = self.terms.store(live, index, yes);
            data = self.initial_bytes(space, data, number, global);
        }
        RegionPort { data, shadow, size, live }
    }

    fn initial_bytes(&mut self, space: &Space<'p>, mut data: Term, number: u64, global: &blitz_ir::Global) -> Term {
        let mut put = |terms: &mut Terms, at: u64, value: Term| {
            let address = space.pointer(terms, number, at as i64);
            data = terms.store(data, address, value);
        };
        for (at, &byte) in global.init.iter().flatten().enumerate() {
            if byte != 0 {
                let value = self.terms.bv(8, u64::from(byte));
                put(self.terms, at as u64, value);
            }
        }
        for reloc in &global.relocs {
            let target = match reloc.target {
                RelocTarget::Global(g) => self.program.global_object(g),
                RelocTarget::Func(f) => self.program.func_object(f),
            };
            let pointer = space.pointer(self.terms, target, reloc.addend);
            for k in 0..space.ptr_bits() / 8 {
                let value = self.terms.extract(pointer, k * 8 + 7, k * 8);
                put(self.terms, reloc.offset + u64::from(k), value);
            }
        }
        data
    }

    fn segment(&mut self, func: FuncId, goal: Goal, relevant: Option<Vec<bool>>) -> Option<(Obligation<'p>, Claims)> {
        self.segments += 1;
        let prefix = format!("segment{}:", self.next.port);
        self.next.port += 1;
        let space =
            Space::for_segment(self.program, self.checks.has(blitz_ir::CheckKind::Uninitialised), self.world, prefix);
        let mut run = SegmentRun::new(self.world, goal, Vec::new(), self.next);
        run.relevant = relevant;
        let config = self.config();
        let mut executor = Executor::for_segment(self.program, self.terms, &config, self.budget, space, run);
        let (params, _) = executor.run_segment(func, State::start());
        let (space, run, executed) = executor.into_parts();
        self.cut |= !executed.cuts.is_empty();
        self.next = run.next;
        let claims = Claims { claims: executed.claims.iter().map(|c| (c.property, c.violated)).collect() };
        let mut trail = Trail::default();
        let frame = run.frames.first()?.id;
        trail.extend(&run, executed.inputs);
        let o = Obligation {
            psi: self.terms.fls(),
            func,
            params,
            frame,
            space,
            calls: run.calls.into_iter().map(Rc::new).collect(),
            trail,
            refinements: 0,
            story: Vec::new(),
        };
        Some((o, claims))
    }

    fn config(&self) -> Config<'a> {
        Config {
            bounds: self.bounds,
            checks: self.checks,
            alloc_may_fail: self.alloc_may_fail,
            model_bound: MODEL_BOUND,
        }
    }
}

/// Whether the calls returned that were never opened.
fn returns(o: &Obligation<'_>) -> Vec<Term> {
    o.calls.iter().map(|c| c.ports.returns).collect()
}

/// Conditions by property.
pub(crate) struct Claims {
    pub claims: Vec<(PropertyId, Term)>,
}

impl Trail {
    fn extend(&mut self, run: &SegmentRun<'_>, inputs: Vec<Input>) {
        self.inputs.extend(inputs);
        self.visits.extend(&run.visits);
        self.frames.extend(&run.frames);
    }
}

/// The blocks from which one of the instructions can still be reached.
fn leading_to(body: &Func, goals: &[InstId]) -> Vec<bool> {
    let cfg = Cfg::new(body);
    let mut out = vec![false; body.blocks.len()];
    let mut work: Vec<Block> =
        body.block_ids().filter(|b| body.block(*b).insts.iter().any(|i| goals.contains(i))).collect();
    while let Some(b) = work.pop() {
        if !std::mem::replace(&mut out[b.index()], true) {
            work.extend(cfg.predecessors(b).iter().copied());
        }
    }
    out
}
