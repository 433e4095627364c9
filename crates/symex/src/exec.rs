//! The executor: runs functions over symbolic values, block by block in weak topological order.
//!
//! Paths that join are merged at once, so the work is that of the unwound graph, not of its paths. A loop is its range
//! of blocks run again as long as a state comes back to its head and the bound allows; a call is run to its end
//! before its caller goes on. So one array of values per activation is enough: a value is overwritten only
//! by the next iteration, and uses after the loop are carried with the states that leave it.

use crate::bodiless::Bodiless;
use crate::induct::Induction;
use crate::info::FuncInfo;
use crate::jumps::{Jumps, Point};
use crate::memory::{Refusal, Space};
use crate::open::Calls;
use crate::outcome::{Claim, Cut, CutKind, Execution, Gap, Spot};
use crate::path::{PathEnd, PathRun};
use crate::record::Record;
use crate::segment::{FrameRecord, SegmentRun};
use crate::state::{Arrival, State};
use crate::threads::Threads;
use crate::unwind::live::Liveness;
use crate::unwind::nodes::Nodes;
use crate::unwind::{Oracle, Running, Unwinding};
use blitz_base::span::Loc;
use blitz_base::{Budget, Labour, Stop};
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, CheckKind, Checks, Func, FuncId, InstId, Program, PropertyId, Terminator, Value, ValueDef};
use blitz_term::{Term, Terms};
use imbl::OrdMap;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Iterations of a loop, in models and segments, that are not counted because nothing symbolic decides them.
const MAX_EVIDENT: u32 = 4096;
/// The same, where only the way out of the loop does not hang on anything symbolic: each iteration makes conditions.
const MAX_COUNTED: u32 = 64;

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

/// What the executor is told.
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
    /// Steps after which the execution ends.
    pub max_steps: Option<u64>,
    /// Only runs in which a search in text that is open ends at the first place or nowhere (`Builtin::Narrow`).
    pub near: bool,
}

/// An execution in progress.
pub struct Executor<'p, 'a> {
    pub program: &'p Program,
    pub terms: &'a mut Terms,
    pub space: Space<'p>,
    pub(crate) config: &'a Config<'a>,
    pub(crate) budget: &'a Budget,
    pub out: Execution,
    pub(crate) frames: Vec<Frame<'p>>,
    pub(crate) exit: Option<Arrival>,
    /// Pointers that keep what they name from being a leak, each where its condition holds: in variables when the program
    /// ended, and for good.
    pub(crate) exit_roots: Vec<(Term, Term)>,
    pub(crate) kept_roots: Vec<(Term, Term)>,
    /// Says which calls are left open, where some may be.
    pub(crate) calls: Option<&'a dyn Calls>,
    /// The number of the call that is about to be made.
    pub(crate) next_chain: u32,
    /// The program is unwound step by step: what waits to go on.
    pub(crate) unwinding: Option<Unwinding<'p>>,
    /// Places of the unwound program keep what they own, where they are run more than once.
    pub(crate) nodes: Option<Nodes>,
    pub(crate) liveness: HashMap<FuncId, Rc<Liveness>>,
    pub(crate) oracle: Option<Box<dyn Oracle + 'a>>,
    /// The program has threads, which take turns.
    pub(crate) threads: Option<Threads<'p>>,
    /// Some loops are run once for all their visits.
    pub(crate) induction: Option<Induction<'a>>,
    pub(crate) jumps: Jumps,
    /// What is written down for those who ask.
    pub(crate) record: Option<Record>,
    /// One path is run: who chooses, and what was chosen.
    pub(crate) path: Option<PathRun<'a>>,
    pub(crate) infos: HashMap<FuncId, Rc<FuncInfo>>,
    pub(crate) bodiless_seen: BTreeSet<FuncId>,
    /// The objects that functions without a body were given, or reach from there: each of them may keep a pointer.
    pub(crate) exposed: BTreeSet<u32>,
    pub next_object: u32,
    /// The class of the object that is allocated next, where a segment is run.
    pub(crate) alloc_region: Option<u32>,
    pub segment: Option<SegmentRun<'p>>,
    /// The visit of the call that is about to be made.
    pub(crate) parent_visit: Option<u32>,
    /// The instance, in the analysis, of the function that is about to be called.
    pub(crate) next_instance: u32,
    steps: u64,
    /// Terms there were at the last step.
    counted_terms: usize,
}

/// An activation of a function.
pub(crate) struct Frame<'p> {
    pub func: FuncId,
    pub body: &'p Func,
    pub info: Rc<FuncInfo>,
    pub values: Vec<Option<Term>>,
    pub arrivals: Vec<Option<Arrival>>,
    pub returned: Option<Arrival>,
    /// Stack objects with the number of those before them, where a saved stack is restored.
    pub allocas: Vec<(u32, Term)>,
    /// The call that made it: its place, and the properties its call site lends to a model.
    pub call_loc: Loc,
    pub lent: &'p [(CheckKind, PropertyId)],
    /// Per loop of the function that runs now in its last visit: only its condition may go on.
    pub closing: Vec<LoopId>,
    /// Unique in a search over segments.
    pub id: u32,
    /// Which instance of the function it is in the analysis, where a segment is run.
    pub instance: u32,
    /// The instruction being executed, and its place in its block.
    pub current: Option<InstId>,
    pub at: (Block, usize),
    /// The loops that are running, outermost first.
    pub running: Vec<Running>,
    /// Values of loops that the caller had left when it called.
    pub callers_carried: OrdMap<Value, Term>,
    /// Which activation it is in the unwound program, the same whenever it is run.
    pub activation: u32,
    /// Which call it is among those that may be left open.
    pub chain: u32,
    /// Where `setjmp` was called, and how far it has come in being run on from there (`jumps`).
    pub points: Vec<Rc<Point>>,
    pub leg: u32,
}

/// Whether a path goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    On,
    End,
}

impl<'p, 'a> Executor<'p, 'a> {
    pub fn new(program: &'p Program, terms: &'a mut Terms, config: &'a Config<'a>, budget: &'a Budget) -> Self {
        let track_shadow = config.checks.has(CheckKind::Uninitialised);
        let counted_terms = terms.len();
        Self {
            program,
            terms,
            space: Space::new(program, track_shadow),
            config,
            budget,
            out: Execution::default(),
            frames: Vec::new(),
            exit: None,
            exit_roots: Vec::new(),
            kept_roots: Vec::new(),
            calls: None,
            next_chain: 0,
            unwinding: None,
            nodes: None,
            liveness: HashMap::new(),
            oracle: None,
            threads: None,
            induction: None,
            jumps: Jumps::default(),
            record: None,
            path: None,
            infos: HashMap::new(),
            bodiless_seen: BTreeSet::new(),
            exposed: BTreeSet::new(),
            next_object: program.first_free_object() as u32,
            alloc_region: None,
            segment: None,
            parent_visit: None,
            next_instance: 0,
            steps: 0,
            counted_terms,
        }
    }

    /// An executor that may leave calls open.
    pub fn with_open_calls(self, calls: &'a dyn Calls) -> Self {
        Self { calls: Some(calls), ..self }
    }

    /// An executor for a segment, in a space of its own.
    pub fn for_segment(
        program: &'p Program,
        terms: &'a mut Terms,
        config: &'a Config<'a>,
        budget: &'a Budget,
        space: Space<'p>,
        segment: SegmentRun<'p>,
    ) -> Self {
        let next_object = segment.next.object;
        Self { space, segment: Some(segment), next_object, ..Self::new(program, terms, config, budget) }
    }

    /// The space and the segment, to go on with in another executor, and what was found out.
    pub fn into_parts(mut self) -> (Space<'p>, SegmentRun<'p>, Execution) {
        let mut segment = self.segment.take().expect("only segments are taken apart");
        segment.next.object = self.next_object;
        (self.space, segment, self.out)
    }

    /// Runs a function to its end; gives the state and the values it returns with, if it can return.
    pub fn run(&mut self, func: FuncId, args: Vec<Term>, state: State) -> Option<Arrival> {
        self.call(func, args, state, Loc::UNKNOWN, &[])
    }

    /// The execution's results; looks for leaks in the states in which the program ended.
    pub fn finish(mut self) -> Execution {
        self.claim_leaks();
        self.out
    }

    pub(crate) fn call(
        &mut self,
        func: FuncId,
        args: Vec<Term>,
        state: State,
        loc: Loc,
        lent: &'p [(CheckKind, PropertyId)],
    ) -> Option<Arrival> {
        let program = self.program;
        let body = program.body(func).expect("a function that is run should have a body");
        let bound = self.config.bounds.recursion_bound(func);
        if self.frames.iter().filter(|f| f.func == func).count() as u32 > bound {
            self.cut(&state, func, CutKind::Recursion, loc, bound);
            return None;
        }
        if self.suspends_call(func) {
            self.suspend_call(func, Arrival { state, args }, loc);
            return None;
        }
        let mut frame = self.make_frame(func, body, loc, lent);
        frame.callers_carried = state.carried.clone();
        frame.id = self.new_frame(func);
        frame.instance = std::mem::take(&mut self.next_instance);
        frame.activation = self.activation(func);
        frame.chain = std::mem::take(&mut self.next_chain);
        frame.arrivals[0] = Some(Arrival { state: State { carried: OrdMap::new(), ..state }, args });
        self.run_frame(frame)
    }

    /// A call that was made in an earlier slot of the thread: only what is parked in it goes on.
    pub(crate) fn call_again(
        &mut self,
        func: FuncId,
        loc: Loc,
        lent: &'p [(CheckKind, PropertyId)],
    ) -> Option<Arrival> {
        let body = self.program.body(func).expect("a function that was run should have a body");
        let mut frame = self.make_frame(func, body, loc, lent);
        frame.activation = self.activation(func);
        self.run_frame(frame)
    }

    fn run_frame(&mut self, frame: Frame<'p>) -> Option<Arrival> {
        self.frames.push(frame);
        let end = self.frame().info.loops.order.len();
        self.run_range(0, end, None);
        self.run_jumps();
        self.leave_frame()
    }

    pub(crate) fn make_frame(
        &mut self,
        func: FuncId,
        body: &'p Func,
        call_loc: Loc,
        lent: &'p [(CheckKind, PropertyId)],
    ) -> Frame<'p> {
        Frame {
            func,
            body,
            info: self.info(func, body),
            values: vec![None; body.values.len()],
            arrivals: vec![None; body.blocks.len()],
            returned: None,
            allocas: Vec::new(),
            call_loc,
            lent,
            closing: Vec::new(),
            id: 0,
            instance: 0,
            current: None,
            at: (Func::ENTRY, 0),
            running: Vec::new(),
            callers_carried: OrdMap::new(),
            activation: 0,
            chain: 0,
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

    pub(crate) fn kill_stack_object(&mut self, state: &mut State, number: u32) {
        let dead = self.terms.fls();
        let empty = self.terms.bv(8, 0);
        state.memory.update(&mut self.space, self.terms, number, |_, o| {
            o.live = dead;
            o.data = crate::contents::Contents::filled(empty);
        });
    }

    fn new_frame(&mut self, func: FuncId) -> u32 {
        let parent = self.parent_visit.take();
        let Some(segment) = &mut self.segment else { return 0 };
        let id = segment.next.frame;
        segment.next.frame += 1;
        segment.frames.push(FrameRecord { id, func, parent });
        id
    }

    pub(crate) fn run_range(&mut self, from: usize, to: usize, inside: Option<LoopId>) {
        let info = Rc::clone(&self.frame().info);
        let mut pos = from;
        while pos < to {
            if self.stopped() {
                return;
            }
            let block = info.loops.order[pos];
            match info.loops.headed_by(block) {
                Some(l) if Some(l) != inside => {
                    self.run_loop(l);
                    pos = info.loops.info(l).blocks.end as usize;
                }
                _ => {
                    let arrival = self.frame_mut().arrivals[block.index()].take();
                    self.run_block_and_parked(block, arrival);
                    pos += 1;
                }
            }
        }
    }

    fn run_loop(&mut self, l: LoopId) {
        if self.is_inductive(l) {
            return self.run_any_visit(l);
        }
        self.frame_mut().running.push(Running::new(l));
        self.continue_loop(l);
    }

    /// Visits the innermost running loop until nothing arrives in it any more, or a bound is reached; ends it.
    pub(crate) fn continue_loop(&mut self, l: LoopId) {
        let info = Rc::clone(&self.frame().info);
        let (head, range) = (info.loops.info(l).head, info.loops.info(l).blocks.clone());
        let bound = self.loop_bound(l);
        let uncounted = self.segment.is_some()
            || self.program.decl(self.frame().func).model
            || info.loops.info(l).quantifier
            || self.threads.as_ref().is_some_and(|t| t.counted_by_data);
        let entered = self.guard_at(head);
        let mut evident = 0;
        let mut counted_to = Vec::new();
        loop {
            self.drop_repeated(l, head);
            if !self.arrived_in(l)
                && let Some((iteration, before)) = self.parked_iteration(l, self.visits_done())
            {
                self.frame_mut().running.last_mut().expect("a loop should be running").done = iteration;
                evident = before;
            } else if !self.arrived_in(l) {
                break;
            }
            if self.stopped() {
                break;
            }
            // An iteration that no condition hangs on is not counted: the data says how many there are. Nor is one, among
            // few, that a constant counter on its way to the end of the loop allowed.
            let done = self.visits_done();
            if uncounted && done > 0 && evident < MAX_EVIDENT {
                let straight = entered.is_some() && self.guard_at(head) == entered;
                let counts = self.counter_moved(l, &mut counted_to) && evident < MAX_COUNTED;
                evident += u32::from(straight || counts);
            }
            self.frame_mut().running.last_mut().expect("a loop should be running").uncounted = evident;
            if done.saturating_sub(evident) >= bound {
                self.last_visit(l, head, bound);
                break;
            }
            if self.unwinding.is_some() && !self.goes_on(l, done) {
                break;
            }
            self.run_range(range.start as usize, range.end as usize, Some(l));
            self.visit_over();
        }
        self.end_trial(l);
        self.frame_mut().running.pop();
    }

    fn guard_at(&self, head: Block) -> Option<Term> {
        self.frame().arrivals[head.index()].as_ref().map(|a| a.state.guard.term(self.terms))
    }

    /// Whether anything has arrived in a loop, at its head or, where control enters in the middle, elsewhere.
    pub(crate) fn arrived_in(&self, l: LoopId) -> bool {
        let frame = self.frame();
        frame.info.loops.blocks(l).iter().any(|b| frame.arrivals[b.index()].is_some())
    }

    fn visits_done(&self) -> u32 {
        self.frame().running.last().expect("a loop should be running").done
    }

    pub(crate) fn visit_over(&mut self) {
        self.frame_mut().running.last_mut().expect("a loop should be running").done += 1;
    }

    /// How often the body of a loop may run whatever comes.
    fn loop_bound(&self, l: LoopId) -> u32 {
        let func = self.frame().func;
        let of_ours = self.program.decl(func).model || self.frame().info.loops.info(l).quantifier;
        if of_ours {
            return self.config.model_bound;
        }
        let bound = self.config.bounds.loop_bound(func, l);
        // The last visit evaluates the condition once more: where the loop begins with it, that is one way back more.
        let begins_with_condition = self.frame().info.in_condition[self.frame().info.loops.info(l).head.index()];
        if self.config.bounds.counts_ways_back() && begins_with_condition { bound.saturating_sub(1) } else { bound }
    }

    /// A path that comes back to the head of a loop with nothing changed: whatever it can do from here was possible from the
    /// visit before, with other inputs, so it is not followed. (An endless loop without effect ends here.) That needs all
    /// paths to have come from that visit's head, so not where control enters in the middle; where states wait, see `Running::head`.
    fn drop_repeated(&mut self, l: LoopId, head: Block) {
        if self.segment.is_some() || self.keeps_repeated() || self.frame().info.loops.info(l).irreducible {
            return;
        }
        let frame = self.frame_mut();
        let began = &mut frame.running.last_mut().expect("a loop should be running").head;
        let slot = &mut frame.arrivals[head.index()];
        let Some(now) = slot else { return };
        if began.as_ref().is_some_and(|before| now.same_but_guard(before)) {
            let now = slot.take();
            let loc = self.frame().info.loops.info(l).loc;
            if let Some(now) = now {
                self.end_path(&now.state.guard, PathEnd::Repeated, loc);
            }
        } else {
            *began = Some(now.clone());
        }
    }

    /// The bound is reached: the loop's condition is evaluated once more, its body is not.
    fn last_visit(&mut self, l: LoopId, head: Block, bound: u32) {
        let info = Rc::clone(&self.frame().info);
        let func = self.frame().func;
        let loc = info.loops.info(l).loc;
        self.frame_mut().closing.push(l);
        let range = info.loops.info(l).blocks.clone();
        for pos in range.start as usize..range.end as usize {
            let block = info.loops.order[pos];
            let arrival = self.frame_mut().arrivals[block.index()].take();
            if info.in_condition[block.index()] && info.loops.loop_of[block.index()] == Some(l) {
                self.run_block_and_parked(block, arrival);
            } else if let Some(arrival) = arrival {
                self.cut(&arrival.state, func, CutKind::Loop(l), loc, bound);
            }
        }
        self.frame_mut().closing.pop();
        if let Some(arrival) = self.frame_mut().arrivals[head.index()].take() {
            self.cut(&arrival.state, func, CutKind::Loop(l), loc, bound);
        }
    }

    pub(crate) fn run_block(&mut self, block: Block, arrival: Arrival) {
        let data = self.frame().body.block(block);
        let mut state = arrival.state;
        if state.guard.is_false(self.terms) {
            return self.end_path(&state.guard, PathEnd::Blocked, data.loc);
        }
        self.cover(block);
        self.record_block(block, &state);
        self.pass(block, &state);
        for (&v, &t) in &state.carried {
            self.frames.last_mut().expect("a block should run in a frame").values[v.index()] = Some(t);
        }
        for (&p, &a) in data.params.iter().zip(&arrival.args) {
            self.set(p, a);
            state.carried.remove(&p);
        }
        self.run_from(block, 0, state);
    }

    /// The instructions of a block from one on, and how it ends.
    pub(crate) fn run_from(&mut self, block: Block, first: usize, mut state: State) {
        let body = self.frame().body;
        let data = body.block(block);
        for (index, &i) in data.insts.iter().enumerate().skip(first) {
            self.frame_mut().at = (block, index);
            let flow =
                if self.threads.is_some() { self.step_of_thread(&mut state, i) } else { self.step(&mut state, i) };
            if flow == Flow::End {
                return;
            }
            // Defined anew: what an earlier run of its loop left behind is stale.
            if !state.carried.is_empty() {
                for v in &body.inst(i).results {
                    state.carried.remove(v);
                }
            }
        }
        self.terminate(block, state, &data.term, data.loc);
    }

    fn terminate(&mut self, block: Block, state: State, term: &'p Terminator, loc: Loc) {
        match term {
            Terminator::Jump { to, args } => self.go(block, *to, args, state),
            Terminator::Branch { cond: value, .. }
            | Terminator::Switch { value, .. }
            | Terminator::IndirectJump { value, .. } => {
                let value = self.get(*value);
                if let Some((kind, ways)) = crate::path::ways(self.terms, value, term) {
                    self.go_one_of(block, &state, kind, ways, loc);
                }
            }
            Terminator::Return { values } => {
                let args: Vec<Term> = values.iter().map(|&v| self.get(v)).collect();
                self.note_result(&args);
                let arrival = Arrival { state, args };
                let mut slot = self.frame_mut().returned.take();
                self.join_into(&mut slot, arrival, loc);
                self.frame_mut().returned = slot;
            }
            Terminator::Exit { status } => {
                let status = self.get(*status);
                self.end_path(&state.guard, PathEnd::Exit(status), loc);
                self.leave(state, loc);
            }
            Terminator::Halt { status } => {
                let status = self.get(*status);
                self.end_path(&state.guard, PathEnd::Halt(status), loc);
            }
            Terminator::Unreachable => self.end_path(&state.guard, PathEnd::Blocked, loc),
            Terminator::LongJmp { .. } if self.threads.is_some() => {
                self.gap(&state, "`longjmp` in a program with threads".to_string(), loc);
            }
            Terminator::LongJmp { buf, value } => self.long_jump(state, *buf, *value, loc),
        }
    }

    pub(crate) fn go_if(&mut self, from: Block, to: Block, args: &[Value], state: &State, cond: Term) {
        let guard = match state.guard.facts().holds(self.terms, cond) {
            Some(false) => return,
            Some(true) => state.guard.clone(),
            None => state.guard.and(self.terms, cond),
        };
        if guard.is_false(self.terms) {
            return;
        }
        self.go(from, to, args, State { guard, ..state.clone() });
    }

    fn go(&mut self, from: Block, to: Block, args: &[Value], mut state: State) {
        let info = Rc::clone(&self.frame().info);
        let loops = &info.loops;
        if self.leads_nowhere(to) {
            return;
        }
        if let Some(&l) = self.frame().closing.last()
            && loops.contains(l, to)
            && !info.in_condition[to.index()]
        {
            let (func, loc) = (self.frame().func, loops.info(l).loc);
            let bound = self.config.bounds.loop_bound(func, l);
            self.cut(&state, func, CutKind::Loop(l), loc, bound);
            return;
        }
        let args: Vec<Term> = args.iter().map(|&v| self.get(v)).collect();
        for l in loops.around(from).filter(|&l| !loops.contains(l, to)) {
            for &v in &info.live_out[l.index()] {
                if let Some(t) = self.frame().values[v.index()] {
                    state.carried.insert(v, t);
                }
            }
        }
        let loc = self.frame().body.block(from).loc;
        let mut slot = self.frame_mut().arrivals[to.index()].take();
        self.join_into(&mut slot, Arrival { state, args }, loc);
        self.frame_mut().arrivals[to.index()] = slot;
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

    /// The program ends here; what it left behind is looked at in `finish`.
    pub(crate) fn leave(&mut self, state: State, loc: Loc) {
        if self.config.checks.has(CheckKind::MemoryLeak) {
            let guard = state.guard.term(self.terms);
            let roots = self.live_pointers();
            self.exit_roots.extend(roots.into_iter().map(|root| (guard, root)));
            self.keep_roots_of_others(guard);
        }
        let mut slot = self.exit.take();
        self.join_into(&mut slot, Arrival { state, args: Vec::new() }, loc);
        self.exit = slot;
    }

    pub(crate) fn refuse(&mut self, state: &State, refusal: Refusal, loc: Loc) {
        let what = match refusal {
            Refusal::UnknownPointer => "a pointer whose objects are not evident",
            Refusal::MixedWidths => "a bulk copy between accesses of different widths",
        };
        self.gap(state, what.to_string(), loc);
    }

    pub(crate) fn gap(&mut self, state: &State, what: String, loc: Loc) {
        // A library model that leaves something out says so as "f: what"; the user may vouch for f.
        if what.split_once(": ").is_some_and(|(f, _)| self.config.assumed.iter().any(|a| a == f)) {
            return;
        }
        let guard = state.guard.term(self.terms);
        let loc = self.user_loc(loc);
        let spot = |f: &Frame<'_>| Spot { func: f.func, block: f.at.0, index: f.at.1 };
        let stood = self.frames.iter().map(spot).collect();
        self.out.gaps.push(Gap { guard, what, loc, stood });
    }

    pub(crate) fn cut(&mut self, state: &State, func: FuncId, what: CutKind, loc: Loc, bound: u32) {
        self.end_path(&state.guard, PathEnd::Cut(what), loc);
        let guard = state.guard.term(self.terms);
        if !self.terms.is_false(guard) {
            self.out.cuts.push(Cut { guard, func, what, loc, bound });
        }
    }

    /// A check fails where `violated` holds.
    pub(crate) fn claim(&mut self, state: &State, kind: CheckKind, own: PropertyId, violated: Term, loc: Loc) {
        let guard = state.guard.term(self.terms);
        let property = self.attribute(kind, own);
        self.out.reached.push((property, guard));
        if state.guard.facts().holds(self.terms, violated) == Some(false) {
            return;
        }
        let passed = self.terms.not(violated);
        let violated = self.terms.and(guard, violated);
        if !self.terms.is_false(violated) {
            self.out.passed.push(passed);
            let loc = self.user_loc(loc);
            self.out.claims.push(Claim { property, kind, violated, loc });
        }
    }

    /// The property a failing check counts for: inside a model, the one of the user's call site.
    pub(crate) fn attribute(&self, kind: CheckKind, own: PropertyId) -> PropertyId {
        let mut lent: &[(CheckKind, PropertyId)] = &[];
        for frame in self.frames.iter().rev() {
            if !self.program.decl(frame.func).model {
                return lent.iter().find(|(k, _)| *k == kind).map_or(own, |(_, p)| *p);
            }
            lent = frame.lent;
        }
        own
    }

    /// The place in the user's code that stands for a place in a model.
    fn user_loc(&self, loc: Loc) -> Loc {
        let mut place = loc;
        for frame in self.frames.iter().rev() {
            if !self.program.decl(frame.func).model {
                return place;
            }
            place = frame.call_loc;
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

    pub(crate) fn set(&mut self, v: Value, t: Term) {
        self.frame_mut().values[v.index()] = Some(t);
    }

    pub(crate) fn frame(&self) -> &Frame<'p> {
        self.frames.last().expect("code should run in a frame")
    }

    pub(crate) fn frame_mut(&mut self) -> &mut Frame<'p> {
        self.frames.last_mut().expect("code should run in a frame")
    }

    pub(crate) fn info(&mut self, func: FuncId, body: &Func) -> Rc<FuncInfo> {
        Rc::clone(self.infos.entry(func).or_insert_with(|| Rc::new(FuncInfo::new(body))))
    }

    fn count_work(&mut self) {
        let made = self.terms.len().saturating_sub(self.counted_terms);
        self.counted_terms = self.terms.len();
        self.budget.spend(Labour::Step, 1);
        self.budget.spend(Labour::Rewrite, made as u64);
    }

    /// Whether the budget is used up. A step can take long (a read of memory with a long history), so the clock is looked at in each.
    pub(crate) fn stopped(&mut self) -> bool {
        if self.out.stopped.is_some() {
            return true;
        }
        self.steps += 1;
        self.count_work();
        self.out.steps = self.steps;
        if self.config.max_steps.is_some_and(|most| self.steps > most) {
            self.out.stopped = Some(Stop::Effort);
            return true;
        }
        let looks_at_memory = self.steps.is_multiple_of(64);
        self.out.stopped = if looks_at_memory { self.budget.expired() } else { self.budget.interrupted() };
        self.out.stopped.is_some()
    }
}
