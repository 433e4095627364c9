//! Obligations and the three ways they move: start at a check, open a call, go to a caller.

use super::explain::Chapter;
use super::tactics::Tactics;
use super::world::{self, ProgramWorld, Root, Treatment};
use crate::bounds::Unwind;
use crate::tuning::{NARROW_MODEL_BOUND, WHOLE_MODEL_BOUND};
use blitz_analysis::Region;
use blitz_base::{Budget, Labour};
use blitz_ir::cfg::Cfg;
use blitz_ir::{Block, Checks, Func, FuncId, InstId, Program, PropertyId};
use blitz_symex::ids::{FrameNo, ObjectNo, OccurrenceNo};
use blitz_symex::memory::{RegionPort, Space, excerpt};
use blitz_symex::ops::resize;
use blitz_symex::segment::{CallRecord, Counters, FrameRecord, Goal, Occurrence, SegmentRun, flatten};
use blitz_symex::state::State;
use blitz_symex::{Config, Executor, Gap, Input};
use blitz_term::{Term, Terms, dag_size, vars_of};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// A condition under which the violation happens, over the ports of `func` and of calls that were left out.
#[derive(Clone)]
pub(crate) struct Obligation<'p> {
    pub psi: Term,
    pub func: FuncId,
    pub params: Vec<Term>,
    pub frame: FrameNo,
    pub space: Space<'p>,
    /// Calls that were left out so far in the function and in what was opened below it.
    pub calls: Vec<Rc<CallRecord>>,
    pub trail: Trail,
    /// Segments on the way from the check to here.
    pub refinements: u32,
    /// How often a precondition on the way was weakened.
    pub weakenings: u32,
    /// Where it comes from, to be run again with more calls in place.
    pub origin: Origin<'p>,
    /// What is done with single calls; only where the segment starts with the program.
    pub treatment: Rc<Treatment>,
    /// The functions that are active when the check fails, from the check's to the one the segment is of.
    pub chain: Vec<FuncId>,
    /// Nothing in the fragment it is of matters.
    pub passed_over: bool,
    /// What was concluded on the way, from the error backwards, for people.
    pub story: Vec<Chapter>,
}

impl Obligation<'_> {
    /// The classes of memory at the start that some of these variables stand for.
    pub fn ports_in(&self, vars: &BTreeSet<Term>) -> Vec<(Region, RegionPort)> {
        let stands_for = |p: &RegionPort| [p.data, p.size, p.live].iter().chain(&p.shadow).any(|v| vars.contains(v));
        self.space.ports().into_iter().filter(|(_, p)| stands_for(p)).collect()
    }
}

/// Properties of one function that are looked for together, in order.
pub(crate) type Group = Rc<[PropertyId]>;

/// A call in the text of the program, of one of the functions it may be of.
pub(crate) type Site = (FuncId, InstId, FuncId);

/// How an obligation came about.
#[derive(Clone)]
pub(crate) enum Origin<'p> {
    Check { func: FuncId, group: Group },
    Caller { below: Rc<Obligation<'p>>, site: (FuncId, InstId) },
}

/// What is needed to turn a model back into inputs.
#[derive(Clone, Default)]
pub(crate) struct Trail {
    pub inputs: Vec<Input>,
    pub occurrences: Vec<Occurrence>,
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
    Called { frame: FrameNo, options: Rc<Vec<CallOption>> },
    /// These conditions were taken for granted.
    Assumed(Rc<Vec<Term>>),
}

/// A call that may have made a frame.
pub(crate) struct CallOption {
    pub occurrence: OccurrenceNo,
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
    pub tactics: Tactics,
    pub alloc_may_fail: bool,
    /// Searches in text end at the first place or nowhere.
    pub near: bool,
    /// That left runs out.
    pub narrowed: bool,
    /// Segments of checks begin where the program does, the calls that lead there in place.
    pub direct: bool,
    pub budget: &'a Budget,
    pub next: Counters,
    pub segments: u32,
    /// A loop or recursion was cut off somewhere.
    pub cut: bool,
    /// Paths that ended because something on them can't be encoded.
    pub gaps: Vec<String>,
}

impl<'p, 'a> Mover<'p, 'a> {
    pub fn new(
        program: &'p Program,
        world: &'p ProgramWorld<'p>,
        terms: &'a mut Terms,
        bounds: &'a Unwind,
        checks: Checks,
        budget: &'a Budget,
    ) -> Self {
        let next = Counters {
            object: ObjectNo::of(program.first_free_object()),
            frame: FrameNo(0),
            occurrence: OccurrenceNo(0),
            port: 0,
        };
        Self {
            program,
            world,
            terms,
            bounds,
            checks,
            tactics: Tactics::ALL,
            alloc_may_fail: true,
            near: false,
            narrowed: false,
            direct: false,
            budget,
            next,
            segments: 0,
            cut: false,
            gaps: Vec::new(),
        }
    }

    /// The obligation of the checks of a group of properties in their own function.
    pub fn start(&mut self, func: FuncId, group: &Group) -> Option<Obligation<'p>> {
        self.world.target.replace(Rc::clone(group));
        let (mut o, executed) = self.segment(func, group)?;
        let conditions: Vec<Term> =
            executed.claims.iter().filter(|(p, _)| group.contains(p)).map(|(_, t)| *t).collect();
        let any = self.terms.or_all(&conditions);
        o.psi = self.terms.propagate(any, self.budget);
        (!self.terms.is_false(o.psi)).then_some(o)
    }

    /// A condition with ports replaced. False if the budget ends first: the search is over then.
    pub fn replaced(&mut self, t: Term, pairs: &[(Term, Term)]) -> Term {
        let replaced = self.terms.substitute_within(t, pairs, self.budget);
        replaced.unwrap_or_else(|| self.terms.fls())
    }

    /// The terms of a condition; to count them is work.
    pub fn size(&self, t: Term) -> usize {
        let size = dag_size(self.terms, &[t]);
        self.budget.spend(Labour::Lookup, size as u64);
        size
    }

    /// The variables of a condition; to look for them is work.
    fn vars(&self, t: Term) -> BTreeSet<Term> {
        self.size(t);
        vars_of(self.terms, &[t]).into_iter().collect()
    }

    /// The latest call that psi depends on; with `control` the latest call at all.
    pub fn next_call(&self, o: &Obligation<'p>, control: bool) -> Option<usize> {
        let vars = self.vars(o.psi);
        let depends = |c: &CallRecord| {
            let ports = c.ports.vars(&o.space);
            self.budget.spend(Labour::Lookup, ports.len() as u64);
            let from = usize::from(!control);
            ports[from..].iter().any(|v| vars.contains(v))
        };
        (0..o.calls.len()).filter(|&i| depends(&o.calls[i])).max_by(|&a, &b| o.calls[a].order.cmp(&o.calls[b].order))
    }

    /// The calls left out that psi depends on (with `control`: all of them): where they are in the text, and when they
    /// happen.
    pub fn left_out(&self, o: &Obligation<'p>, control: bool) -> Vec<(Site, Term)> {
        let vars = self.vars(o.psi);
        let occurrences: HashMap<OccurrenceNo, &Occurrence> = o.trail.occurrences.iter().map(|v| (v.id, v)).collect();
        let funcs: HashMap<FrameNo, FuncId> = o.trail.frames.iter().map(|f| (f.id, f.func)).collect();
        let site = |c: &CallRecord| {
            let made = occurrences.get(&c.occurrence)?;
            Some((*funcs.get(&made.frame)?, made.inst, c.callee))
        };
        o.calls
            .iter()
            .filter(|c| control || c.ports.vars(&o.space)[1..].iter().any(|v| vars.contains(v)))
            .filter_map(|c| Some((site(c)?, c.state.guard.term(self.terms))))
            .collect()
    }

    /// Where a call that was left out is in the text.
    pub fn site(&self, o: &Obligation<'p>, record: &CallRecord) -> Option<Site> {
        let made = o.trail.occurrences.iter().find(|v| v.id == record.occurrence)?;
        let frame = o.trail.frames.iter().find(|f| f.id == made.frame)?;
        Some((frame.func, made.inst, record.callee))
    }

    /// The same obligation at the start of the program, with more calls run in place.
    pub fn inlining(&mut self, o: &Obligation<'p>, sites: BTreeSet<Site>) -> Option<Obligation<'p>> {
        let mut treatment = (*o.treatment).clone();
        treatment.idle.retain(|s| !sites.contains(s));
        treatment.inline.extend(sites);
        self.again(o, treatment)
    }

    /// The same obligation at the start of the program, with more calls that change nothing.
    pub fn idling(&mut self, o: &Obligation<'p>, sites: BTreeSet<Site>) -> Option<Obligation<'p>> {
        let mut treatment = (*o.treatment).clone();
        treatment.idle.extend(sites);
        self.again(o, treatment)
    }

    /// The same obligation at the start of the program, without the runs that make these calls.
    pub fn without(&mut self, o: &Obligation<'p>, sites: BTreeSet<Site>) -> Option<Obligation<'p>> {
        let treatment = Treatment { absent: sites, ..(*o.treatment).clone() };
        self.again(o, treatment)
    }

    fn again(&mut self, o: &Obligation<'p>, treatment: Treatment) -> Option<Obligation<'p>> {
        let usual = self.world.treatment.replace(Rc::new(treatment));
        let again = match &o.origin {
            Origin::Check { func, group } => self.start(*func, group),
            Origin::Caller { below, site } => self.caller_obligation(below, site.0, site.1),
        };
        self.world.treatment.replace(usual);
        again.map(|n| Obligation { refinements: o.refinements + 1, weakenings: o.weakenings, ..n })
    }

    /// From now on these calls are run in place wherever they are met. `false`: they were already.
    pub fn force(&mut self, sites: &BTreeSet<Site>) -> bool {
        let before = self.world.treatment();
        let mut treatment = (*before).clone();
        treatment.inline.extend(sites);
        let grown = treatment.inline.len() > before.inline.len();
        self.world.treatment.replace(Rc::new(treatment));
        grown
    }

    /// Opens a call: its ports are replaced by what it does. `None`: it can't return.
    pub fn open(&mut self, mut o: Obligation<'p>, which: usize) -> Option<Obligation<'p>> {
        let record = o.calls.remove(which);
        self.segments += 1;
        let config = self.config();
        let run = SegmentRun::new(Goal::Return, record.order.clone(), self.next);
        let mut executor = Executor::for_segment(self.program, self.terms, &config, self.budget, o.space.clone(), run);
        let arrival = executor.open(&record);
        let mut pairs = Vec::new();
        if let Some(mut arrival) = arrival {
            pairs.push((record.ports.returns, arrival.state.guard.term(executor.m.terms)));
            for (&port, &value) in record.ports.results.iter().zip(&arrival.args) {
                let bits = executor.m.terms.width(port);
                pairs.push((port, resize(executor.m.terms, value, bits)));
            }
            for (region, port) in executor.m.space.call_ports(record.ports.call) {
                let after = flatten(&mut executor.m, &mut arrival.state, region)?;
                pairs.extend([(port.data, after.data), (port.size, after.size), (port.live, after.live)]);
                if let (Some(p), Some(s)) = (port.shadow, after.shadow) {
                    pairs.push((p, s));
                }
            }
            for port in &record.ports.objects {
                let after = arrival.state.memory.object(&mut executor.m.space, executor.m.terms, port.number)?;
                let size = after.const_size(executor.m.terms);
                pairs.push((
                    port.data,
                    excerpt(&executor.m.space, executor.m.terms, &after.data, size, port.spans.as_ref())?,
                ));
                pairs.push((port.live, after.live));
                if let (Some(p), Some(s)) = (port.shadow, &after.shadow) {
                    pairs.push((p, excerpt(&executor.m.space, executor.m.terms, s, size, port.spans.as_ref())?));
                }
            }
        }
        let (space, run, executed) = executor.into_parts();
        self.note_gaps(&executed.gaps);
        self.cut |= !executed.cuts.is_empty();
        self.narrowed |= executed.narrowed;
        self.next = run.next;
        if pairs.is_empty() {
            return None;
        }
        o.space = space;
        o.trail.extend(&run, executed.inputs);
        o.calls.extend(run.calls.into_iter().map(Rc::new));
        let opened = self.replaced(o.psi, &pairs);
        o.psi = self.terms.propagate(opened, self.budget);
        o.trail.steps.push(Step::Opened(Rc::new(pairs)));
        o.refinements += 1;
        (!self.terms.is_false(o.psi)).then_some(o)
    }

    /// Goes to a caller: the function's ports are replaced by the state in which it is called.
    pub fn caller_obligation(
        &mut self,
        o: &Rc<Obligation<'p>>,
        caller: FuncId,
        call: InstId,
    ) -> Option<Obligation<'p>> {
        let body = self.program.body(caller)?;
        let psi = self.assume_returns(o, o.psi);
        let vars = self.vars(psi);
        let ports = o.ports_in(&vars);
        let root = self.world.root(caller);
        let callee = *o.chain.last()?;
        let (space, mut run) = self.fresh_segment(&root, Goal::Call(call, callee));
        run.relevant = vec![None; root.inner.len()];
        run.relevant.push(Some(leading_to(body, &[call])));
        let config = self.config();
        let mut executor = Executor::for_segment(self.program, self.terms, &config, self.budget, space, run);
        let (params, _) = executor.run_segment(root.func, State::start());
        let arrivals = std::mem::take(&mut executor.policy.arrivals);
        let mut options = Vec::new();
        let mut conditions = Vec::new();
        for mut arrival in arrivals {
            let mut pairs = Vec::new();
            for (&param, &arg) in o.params.iter().zip(&arrival.args) {
                let bits = executor.m.terms.width(param);
                pairs.push((param, resize(executor.m.terms, arg, bits)));
            }
            for (region, port) in &ports {
                let flat = flatten(&mut executor.m, &mut arrival.state, *region);
                let flat = flat?;
                pairs.extend([(port.data, flat.data), (port.size, flat.size), (port.live, flat.live)]);
                if let (Some(p), Some(f)) = (port.shadow, flat.shadow) {
                    pairs.push((p, f));
                }
            }
            let there = executor.m.terms.substitute_within(psi, &pairs, self.budget);
            let there = there.unwrap_or_else(|| executor.m.terms.fls());
            let guard = arrival.state.guard.term(executor.m.terms);
            let condition = executor.m.terms.and(guard, there);
            let condition = executor.m.terms.propagate(condition, self.budget);
            options.push(CallOption { occurrence: arrival.occurrence, condition, pairs });
            conditions.push(condition);
        }
        let (space, run, executed) = executor.into_parts();
        self.note_gaps(&executed.gaps);
        self.cut |= !executed.cuts.is_empty();
        self.narrowed |= executed.narrowed;
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
        story.push(self.chapter(o));
        let mut chain = o.chain.clone();
        chain.push(caller);
        Some(Obligation {
            psi,
            func: root.func,
            params,
            frame,
            space,
            calls: run.calls.into_iter().map(Rc::new).collect(),
            trail,
            refinements: o.refinements + 1,
            weakenings: o.weakenings,
            origin: Origin::Caller { below: Rc::clone(o), site: (caller, call) },
            treatment: self.world.treatment(),
            chain,
            passed_over: false,
            story,
        })
    }

    /// What was concluded about the function the obligation is in, with the names for what comes from outside.
    pub fn chapter(&mut self, o: &Obligation<'p>) -> Chapter {
        let func = *o.chain.last().unwrap_or(&o.func);
        let mut names = HashMap::new();
        let decl = self.program.decl(func);
        for (&term, name) in o.params.iter().zip(&decl.params).filter(|(_, name)| !name.is_empty()) {
            names.insert(term, name.clone());
        }
        let mut region = |port: &RegionPort| {
            names.insert(port.data, "memory".to_string());
            names.insert(port.size, "memory.size".to_string());
            names.insert(port.live, "memory.live".to_string());
        };
        o.space.ports().iter().for_each(|(_, port)| region(port));
        for c in &o.calls {
            o.space.call_ports(c.ports.call).iter().for_each(|(_, port)| region(port));
        }
        for c in &o.calls {
            let callee = &self.program.decl(c.callee).name;
            names.extend(c.ports.results.iter().map(|&r| (r, format!("{callee}()"))));
        }
        let psi = self.assume_returns(o, o.psi);
        Chapter { func, psi: (!o.passed_over).then_some(psi), names: Rc::new(names) }
    }

    /// That the calls left out return is taken for granted.
    pub fn returned(&self, o: &Obligation<'p>) -> Step {
        Step::Assumed(Rc::new(returns(o)))
    }

    /// Calls that psi does not depend on are taken to return; the run on the inputs shows whether they do.
    pub fn assume_returns(&mut self, o: &Obligation<'p>, condition: Term) -> Term {
        let yes = self.terms.tru();
        let pairs: Vec<(Term, Term)> = o.calls.iter().map(|c| (c.ports.returns, yes)).collect();
        self.terms.substitute(condition, &pairs)
    }

    /// What the ports of a call that was left out are if it changes nothing. What can't be told is left as it is.
    pub fn unchanged(&mut self, o: &Obligation<'p>, record: &CallRecord) -> Vec<(Term, Term)> {
        let config = self.config();
        let run = SegmentRun::new(Goal::Return, record.order.clone(), self.next);
        let mut executor = Executor::for_segment(self.program, self.terms, &config, self.budget, o.space.clone(), run);
        let mut state = record.state.clone();
        let mut pairs = Vec::new();
        for (region, port) in executor.m.space.call_ports(record.ports.call) {
            if let Some(before) = flatten(&mut executor.m, &mut state, region) {
                pairs.extend([(port.data, before.data), (port.size, before.size), (port.live, before.live)]);
            }
        }
        for port in &record.ports.objects {
            let Some(before) = state.memory.object(&mut executor.m.space, executor.m.terms, port.number) else {
                continue;
            };
            let size = before.const_size(executor.m.terms);
            pairs.push((port.live, before.live));
            let data = excerpt(&executor.m.space, executor.m.terms, &before.data, size, port.spans.as_ref());
            pairs.extend(data.map(|data| (port.data, data)));
        }
        pairs
    }

    fn segment(&mut self, func: FuncId, group: &Group) -> Option<(Obligation<'p>, Claims)> {
        let root = if self.direct { self.world.direct_root(func)? } else { self.world.root(func) };
        let (space, mut run) = self.fresh_segment(&root, Goal::Claims);
        run.relevant = self.relevant(&root, func, group)?;
        let config = self.config();
        let mut executor = Executor::for_segment(self.program, self.terms, &config, self.budget, space, run);
        let (params, _) = executor.run_segment(root.func, State::start());
        let (space, run, executed) = executor.into_parts();
        self.note_gaps(&executed.gaps);
        self.cut |= !executed.cuts.is_empty();
        self.narrowed |= executed.narrowed;
        self.next = run.next;
        let claims = Claims { claims: executed.claims.iter().map(|c| (c.property, c.violated)).collect() };
        let mut trail = Trail::default();
        let frame = run.frames.first()?.id;
        trail.extend(&run, executed.inputs);
        let o = Obligation {
            psi: self.terms.fls(),
            func: root.func,
            params,
            frame,
            space,
            calls: run.calls.into_iter().map(Rc::new).collect(),
            trail,
            refinements: 0,
            weakenings: 0,
            origin: Origin::Check { func, group: Rc::clone(group) },
            treatment: self.world.treatment(),
            chain: vec![func],
            passed_over: false,
            story: Vec::new(),
        };
        Some((o, claims))
    }

    /// Per function of a segment, the blocks from which the check can still be reached.
    fn relevant(&self, root: &Root, func: FuncId, group: &[PropertyId]) -> Option<Vec<Option<Vec<bool>>>> {
        let mut out = Vec::new();
        let all: Vec<FuncId> = std::iter::once(root.func).chain(root.inner.iter().copied()).collect();
        for pair in all.windows(2) {
            let calls = self.world.analysis.callers(pair[1]).iter();
            let calls: Vec<InstId> = calls.filter(|(f, _)| *f == pair[0]).map(|(_, i)| *i).collect();
            out.push(self.program.body(pair[0]).map(|body| leading_to(body, &calls)));
        }
        let goals: Vec<InstId> = group.iter().flat_map(|p| world::sites(self.program, func, *p)).collect();
        out.push(Some(leading_to(self.program.body(func)?, &goals)));
        Some(out)
    }

    fn note_gaps(&mut self, gaps: &[Gap]) {
        for gap in gaps {
            let text = format!("{} at line {}", gap.what, gap.loc.line);
            if !self.gaps.contains(&text) {
                self.gaps.push(text);
            }
        }
    }

    fn fresh_segment(&mut self, root: &Root, goal: Goal) -> (Space<'p>, SegmentRun) {
        self.segments += 1;
        let prefix = format!("segment{}:", self.next.port);
        self.next.port += 1;
        let shadows = self.checks.has(blitz_ir::CheckKind::Uninitialised);
        let space = Space::for_segment(self.program, shadows, self.world, prefix, root.at_start);
        let mut run = SegmentRun::new(goal, Vec::new(), self.next);
        run.inner = root.inner.clone();
        (space, run)
    }

    fn config(&self) -> Config<'a> {
        Config {
            bounds: self.bounds,
            checks: self.checks,
            alloc_may_fail: self.alloc_may_fail,
            model_bound: if self.near { NARROW_MODEL_BOUND } else { WHOLE_MODEL_BOUND },
            bodiless: blitz_symex::Bodiless::Harmless,
            assumed: &[],
            asked: &[],
            max_steps: None,
            near: self.near,
            behind: blitz_symex::Behind::Gap,
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
    fn extend(&mut self, run: &SegmentRun, inputs: Vec<Input>) {
        self.inputs.extend(inputs);
        self.occurrences.extend(&run.occurrences);
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
