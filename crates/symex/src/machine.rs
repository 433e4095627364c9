//! The machine: what an execution is made of, whoever decides how it goes on.
//!
//! `step` runs one instruction on one state and says what follows. It knows the program, terms, memory and activations, and no
//! mode: which calls are inlined, how often loops are run, whether states are joined or kept apart is a `Policy`'s business
//! (`policy`), which drives the machine through an `Executor` (`walk`).
//!
//! Invariant: nothing in here asks which policy is at work. What differs between them without being a decision is given by
//! the parts that are handed in: where memory comes from (`Space`), who owns names (`Names`), whether jumps are followed (`Jumps`).

use crate::behind::Behind;
use crate::bodiless::{Bodiless, Strangers};
use crate::ids::{ActivationNo, Mark, ObjectNo};
use crate::info::FuncInfo;
use crate::jumps::{Jumps, Point};
use crate::leaks::Exits;
use crate::memory::{Refusal, Space};
use crate::names::Names;
use crate::outcome::{Claim, Execution, Gap, Spot};
use crate::policies::waves::LoopWatch;
use crate::record::Record;
use crate::state::{Arrival, State};
use blitz_analysis::Instance;
use blitz_base::span::Loc;
use blitz_base::{Budget, Labour, Stop};
use blitz_ir::loops::LoopId;
use blitz_ir::{
    Approximation, Block, CheckKind, Checks, Func, FuncId, InstId, Program, PropertyId, Unsupported, Value, ValueDef,
};
use blitz_term::{Term, Terms};
use imbl::OrdMap;
use std::collections::HashMap;
use std::rc::Rc;

/// Terms that a step may look for and that its price pays for; what is beyond is counted by itself.
const LOOKUPS_OF_A_STEP: u64 = 500;

/// How far loops and recursion are unwound.
pub trait Bounds {
    /// How many times the body of a loop of the user's may run.
    fn loop_bound(&self, func: FuncId, l: LoopId) -> u32;
    /// How many activations of a function may be on the stack at once.
    fn recursion_bound(&self, func: FuncId) -> u32;
    /// Whether a loop's bound says how often it may come back to its beginning, plus one, not how often its body may run.
    fn counts_ways_back(&self) -> bool {
        false
    }
}

/// What an execution is given.
pub struct Config<'a> {
    pub bounds: &'a dyn Bounds,
    pub checks: Checks,
    /// Allocations may fail.
    pub alloc_may_fail: bool,
    /// Iterations of a loop in our libc models; they are bounded by their data, this only ends what is not.
    pub model_bound: u32,
    /// What a function without a body may do.
    pub bodiless: Bodiless,
    /// Functions whose library model, or whose harmlessness where there is none, the user vouches for (`--assume-model`).
    pub assumed: &'a [String],
    /// The properties that are asked for, by name; all if empty.
    pub asked: &'a [String],
    /// Steps after which the execution ends.
    pub max_steps: Option<u64>,
    /// Only runs in which a search in text that is open ends at the first place or nowhere (`Builtin::Narrow`).
    pub near: bool,
    /// Behind violations of kinds that are switched off.
    pub behind: Behind,
}

/// An execution in progress.
pub struct Machine<'p, 'a> {
    pub program: &'p Program,
    pub terms: &'a mut Terms,
    /// Which objects there are from the start, and what pointers may mean.
    pub space: Space<'p>,
    /// Who owns the objects and variables that are made.
    pub names: Names,
    /// What was found out.
    pub out: Execution,
    pub(crate) config: &'a Config<'a>,
    pub(crate) budget: &'a Budget,
    /// The active functions, the innermost last.
    pub(crate) frames: Vec<Frame<'p>>,
    pub(crate) exits: Exits,
    pub(crate) jumps: Jumps,
    pub(crate) strangers: Strangers,
    /// What is written down for those who ask.
    pub(crate) record: Option<Record>,
    infos: HashMap<FuncId, Rc<FuncInfo>>,
    /// Terms there were at the last step.
    counted_terms: usize,
}

/// An activation of a function.
#[derive(Clone)]
pub(crate) struct Frame<'p> {
    pub func: FuncId,
    pub body: &'p Func,
    pub info: Rc<FuncInfo>,
    pub values: Vec<Option<Term>>,
    pub arrivals: Vec<Option<Arrival>>,
    pub returned: Option<Arrival>,
    /// Stack objects with the number of those before them, where a saved stack is restored.
    pub allocas: Vec<(ObjectNo, Term)>,
    /// The call that made it.
    pub made_by: CallMade<'p>,
    /// By which the policy knows it.
    pub mark: Mark,
    /// Per loop of the function that runs now in its last iteration: only its condition may go on.
    pub closing: Vec<LoopId>,
    /// The instruction being executed, and its place in its block.
    pub current: Option<InstId>,
    pub at: (Block, usize),
    /// The loops that are running, outermost first.
    pub running: Vec<Running>,
    /// Values of loops that the caller had left when it called.
    pub callers_carried: OrdMap<Value, Term>,
    /// Which activation it is by `Names`, the same whenever it is run.
    pub activation: ActivationNo,
    /// Where `setjmp` was called, and how far it has come in being run on from there (`jumps`).
    pub points: Vec<Rc<Point>>,
    pub leg: u32,
}

/// A call that is made.
#[derive(Clone, Copy)]
pub(crate) struct CallMade<'p> {
    pub loc: Loc,
    /// The properties that the call site lends to a library model.
    pub lent: &'p [(CheckKind, PropertyId)],
    /// By which the policy knows the call, if it does.
    pub mark: Option<Mark>,
    /// The callee's instance in the analysis, where memory comes from outside.
    pub instance: Instance,
}

impl CallMade<'_> {
    /// A call that no instruction makes.
    pub const BY_NOBODY: CallMade<'static> =
        CallMade { loc: Loc::UNKNOWN, lent: &[], mark: None, instance: Instance::SHARED };
}

/// A loop that is running.
#[derive(Clone)]
pub(crate) struct Running {
    pub l: LoopId,
    /// Iterations before the present one.
    pub done: u32,
    /// How many of them don't count against the bound.
    pub uncounted: u32,
    /// The state in which the present iteration began, if all that is in the iteration came from there: not where an earlier wave was
    /// joined in on the way, nor after waiting (the state would be compared with itself), nor after a trial that was taken back.
    pub head: Option<Arrival>,
    /// What unwinding in waves knows of it.
    pub watch: LoopWatch,
}

impl Running {
    pub fn new(l: LoopId) -> Self {
        Self { l, done: 0, uncounted: 0, head: None, watch: LoopWatch::default() }
    }
}

impl<'p, 'a> Machine<'p, 'a> {
    pub(crate) fn new(
        program: &'p Program,
        terms: &'a mut Terms,
        config: &'a Config<'a>,
        budget: &'a Budget,
        space: Space<'p>,
        names: Names,
    ) -> Self {
        let counted_terms = terms.len();
        Self {
            program,
            terms,
            space,
            names,
            out: Execution::default(),
            config,
            budget,
            frames: Vec::new(),
            exits: Exits::default(),
            jumps: Jumps::default(),
            strangers: Strangers::default(),
            record: None,
            infos: HashMap::new(),
            counted_terms,
        }
    }

    pub(crate) fn make_frame(&mut self, func: FuncId, made_by: CallMade<'p>) -> Frame<'p> {
        let frame = self.bare_frame(func, made_by);
        Frame { arrivals: vec![None; frame.body.blocks.len()], ..frame }
    }

    /// A frame at whose blocks nothing ever waits.
    pub(crate) fn bare_frame(&mut self, func: FuncId, made_by: CallMade<'p>) -> Frame<'p> {
        let body = self.program.body(func).expect("a function that is run should have a body");
        Frame {
            func,
            body,
            info: self.info(func, body),
            values: vec![None; body.values.len()],
            arrivals: Vec::new(),
            returned: None,
            allocas: Vec::new(),
            made_by,
            mark: Mark(0),
            closing: Vec::new(),
            current: None,
            at: (Func::ENTRY, 0),
            running: Vec::new(),
            callers_carried: OrdMap::new(),
            activation: ActivationNo(0),
            points: Vec::new(),
            leg: 0,
        }
    }

    /// The activation is over; gives the state and the values it returned with.
    pub(crate) fn leave_frame(&mut self) -> Option<Arrival> {
        let frame = self.frames.pop().expect("a frame should be there to leave");
        self.jumps.leave(self.frames.len());
        let mut arrival = frame.returned?;
        for (number, _) in frame.allocas {
            self.kill_stack_object(&mut arrival.state, number);
        }
        arrival.state.carried = frame.callers_carried;
        Some(arrival)
    }

    pub(crate) fn kill_stack_object(&mut self, state: &mut State, number: ObjectNo) {
        let dead = self.terms.fls();
        let empty = self.terms.bv(8, 0);
        state.memory.update(&mut self.space, self.terms, number, |_, o| {
            o.live = dead;
            o.data = crate::contents::Contents::filled(empty);
        });
    }

    /// How many activations of a function there are.
    pub(crate) fn active(&self, func: FuncId) -> u32 {
        self.frames.iter().filter(|f| f.func == func).count() as u32
    }

    /// Whether the innermost activation runs a library model.
    pub(crate) fn in_model(&self) -> bool {
        self.program.decl(self.frame().func).model
    }

    pub(crate) fn join_into(&mut self, slot: &mut Option<Arrival>, arrival: Arrival, loc: Loc) {
        match slot {
            None => *slot = Some(arrival),
            Some(first) => {
                if let Err(refusal) = first.join(&mut self.space, self.terms, &arrival) {
                    self.refuse(&arrival.state, refusal, loc);
                }
            }
        }
    }

    /// Both arrivals as one.
    pub(crate) fn joined(&mut self, first: Arrival, second: Arrival, loc: Loc) -> Arrival {
        let mut slot = Some(first);
        self.join_into(&mut slot, second, loc);
        slot.expect("a joined state should be there")
    }

    pub(crate) fn refuse(&mut self, state: &State, refusal: Refusal, loc: Loc) {
        let what = match refusal {
            Refusal::UnknownPointer => Unsupported::UnknownPointer,
            Refusal::MixedWidths => "a bulk copy between accesses of different widths".into(),
        };
        self.gap(state, what, loc);
    }

    pub(crate) fn gap(&mut self, state: &State, what: impl Into<Unsupported>, loc: Loc) {
        let what = what.into();
        // The user may vouch for a function whose library model leaves something out.
        if let Unsupported::Model(Approximation { function, .. }) = &what
            && self.config.assumed.contains(function)
        {
            return;
        }
        let guard = state.guard.term(self.terms);
        let loc = self.user_loc(loc);
        let spot = |f: &Frame<'_>| Spot { func: f.func, block: f.at.0, index: f.at.1 };
        let stood = self.frames.iter().map(spot).collect();
        self.out.gaps.push(Gap { guard, what, loc, stood });
    }

    /// A check fails where `violated` holds.
    pub(crate) fn claim(&mut self, state: &State, kind: CheckKind, own: PropertyId, violated: Term, loc: Loc) {
        let guard = state.guard.term(self.terms);
        let property = self.attribute(kind, own);
        if property.unasked_kind().is_some() {
            return self.unasked(state, kind, violated, loc);
        }
        self.out.reached.push((property, guard));
        if state.guard.facts().holds(self.terms, violated) == Some(false) {
            return;
        }
        // A failed assertion ends the program. What a run does after other violations nobody looks at, and a proof may not rest on that.
        if kind != CheckKind::Assertion && !self.is_asked(property) {
            self.lost(state, violated, Unsupported::Before(kind), loc);
        }
        let passed = self.terms.not(violated);
        let (depth, bad) = (state.guard.depth(), violated);
        let violated = self.terms.and(guard, bad);
        if !self.terms.is_false(violated) {
            self.out.passed.push(passed);
            let loc = self.user_loc(loc);
            self.out.claims.push(Claim { property, kind, violated, depth, bad, loc });
        }
    }

    fn is_asked(&self, property: PropertyId) -> bool {
        let asked = self.config.asked;
        asked.is_empty() || asked.contains(&self.program.property(property).name)
    }

    /// A check of a kind that is switched off fails where `violated` holds. The path goes on without that: what is there is not known.
    fn unasked(&mut self, state: &State, kind: CheckKind, violated: Term, loc: Loc) {
        // Of a segment only runs decide.
        if self.space.is_of_segment() || state.guard.facts().holds(self.terms, violated) == Some(false) {
            return;
        }
        let guard = state.guard.and(self.terms, violated);
        if !guard.is_false(self.terms) {
            let lost = State { guard, ..state.clone() };
            self.gap(&lost, Unsupported::Unasked(kind), loc);
        }
    }

    /// What comes where `violated` holds is not known.
    fn lost(&mut self, state: &State, violated: Term, why: Unsupported, loc: Loc) {
        let guard = state.guard.and(self.terms, violated);
        if !self.space.is_of_segment() && !guard.is_false(self.terms) {
            let lost = State { guard, ..state.clone() };
            self.gap(&lost, why, loc);
        }
    }

    /// The property a failing check counts for: inside a model, the one of the user's call site.
    pub(crate) fn attribute(&self, kind: CheckKind, own: PropertyId) -> PropertyId {
        self.lent().iter().find(|(k, _)| *k == kind).map_or(own, |(_, p)| *p)
    }

    /// Inside a model, the properties of the user's call site.
    pub(crate) fn lent(&self) -> &'p [(CheckKind, PropertyId)] {
        let mut lent: &[(CheckKind, PropertyId)] = &[];
        for frame in self.frames.iter().rev() {
            if !self.program.decl(frame.func).model {
                return lent;
            }
            lent = frame.made_by.lent;
        }
        &[]
    }

    /// The place in the user's code that stands for a place in a model.
    pub(crate) fn user_loc(&self, loc: Loc) -> Loc {
        let mut place = loc;
        for frame in self.frames.iter().rev() {
            if !self.program.decl(frame.func).model {
                return place;
            }
            place = frame.made_by.loc;
        }
        place
    }

    pub(crate) fn get(&mut self, v: Value) -> Term {
        let frame = self.frames.last().expect("a value should be read in a frame");
        if let Some(t) = frame.values[v.index()] {
            return t;
        }
        let data = &frame.body.values[v.index()];
        let ValueDef::Const(c) = &data.def else { unreachable!("{v} should be defined before it is used") };
        let bits = data.ty.bits(self.space.ptr_bits());
        let t = self.space.constant(self.terms, c, bits);
        self.set(v, t);
        t
    }

    pub(crate) fn get_all(&mut self, values: &[Value]) -> Vec<Term> {
        values.iter().map(|&v| self.get(v)).collect()
    }

    pub(crate) fn set(&mut self, v: Value, t: Term) {
        self.frame_mut().values[v.index()] = Some(t);
    }

    pub(crate) fn frame(&self) -> &Frame<'p> {
        self.frames.last().expect("code should run in a frame")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame<'p> {
        self.frames.last_mut().expect("code should run in a frame")
    }

    /// The innermost loop that is running in the innermost activation.
    pub(crate) fn running(&self) -> &Running {
        self.frame().running.last().expect("a loop should be running")
    }

    pub(crate) fn running_mut(&mut self) -> &mut Running {
        self.frame_mut().running.last_mut().expect("a loop should be running")
    }

    pub(crate) fn info(&mut self, func: FuncId, body: &Func) -> Rc<FuncInfo> {
        Rc::clone(self.infos.entry(func).or_insert_with(|| Rc::new(FuncInfo::new(body))))
    }

    /// What is known of the innermost activation's function.
    pub(crate) fn here(&self) -> Rc<FuncInfo> {
        Rc::clone(&self.frame().info)
    }

    /// What is known of functions, to be shared between executions of one program.
    pub(crate) fn take_infos(&mut self) -> HashMap<FuncId, Rc<FuncInfo>> {
        std::mem::take(&mut self.infos)
    }

    pub(crate) fn share_infos(&mut self, infos: HashMap<FuncId, Rc<FuncInfo>>) {
        self.infos = infos;
    }

    fn count_work(&mut self) {
        let made = self.terms.len().saturating_sub(self.counted_terms);
        self.counted_terms = self.terms.len();
        self.budget.spend(Labour::Step, 1);
        self.budget.spend(Labour::Rewrite, made as u64);
        self.budget.spend(Labour::Lookup, self.terms.take_lookups().saturating_sub(LOOKUPS_OF_A_STEP));
    }

    /// Whether the budget is used up. A step can take long (a read of memory with a long history), so the clock is looked at in each.
    pub(crate) fn stopped(&mut self) -> bool {
        if self.out.stopped.is_some() {
            return true;
        }
        self.out.steps += 1;
        self.count_work();
        if self.config.max_steps.is_some_and(|most| self.out.steps > most) {
            self.out.stopped = Some(Stop::Effort);
            return true;
        }
        let looks_at_memory = self.out.steps.is_multiple_of(64);
        self.out.stopped = if looks_at_memory { self.budget.expired() } else { self.budget.interrupted() };
        self.out.stopped.is_some()
    }
}
