//! The walk: runs functions over symbolic values, block by block in weak topological order.
//!
//! A loop is its range of blocks run again as long as a state comes back to its head and the policy and the bound
//! allow; a call is run to its end before its caller goes on. So one array of values per activation is enough: a value
//! is overwritten only by the next iteration, and uses after the loop are carried with the states that leave it. States
//! that arrive at a block before it is run are joined, so the work is that of the unwound graph, not of its paths.
//!
//! Absent: what an instruction means (`step`), and every decision (`policy`).

use crate::fork;
use crate::ids::ObjectNo;
use crate::machine::{CallMade, Config, Machine, Running};
use crate::memory::{Refusal, Space};
use crate::names::Names;
use crate::outcome::{Cut, CutKind, Execution, PathEnd};
use crate::policies::merge::Merge;
use crate::policy::Policy;
use crate::ranges::Facts;
use crate::state::{Arrival, State};
use crate::step::Flow;
use blitz_base::Budget;
use blitz_base::span::Loc;
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, CheckKind, FuncId, InstData, InstId, Program, Terminator, Value};
use blitz_term::{Term, Terms};
use imbl::OrdMap;

/// Iterations of a loop, in models and segments, that are not counted because nothing symbolic decides them.
const MAX_STRAIGHT: u32 = 4096;
/// The same, where only the way out of the loop does not hang on anything symbolic: each iteration makes conditions.
const MAX_COUNTED: u32 = 64;

/// A machine and the policy that drives it.
pub struct Executor<'p, 'a, P = Merge> {
    pub m: Machine<'p, 'a>,
    pub policy: P,
}

/// Whether a path goes on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Goes {
    On,
    Nowhere,
}

impl<'p, 'a> Executor<'p, 'a, Merge> {
    /// An executor that inlines all calls and joins at once.
    pub fn new(program: &'p Program, terms: &'a mut Terms, config: &'a Config<'a>, budget: &'a Budget) -> Self {
        let names = Names::fresh(ObjectNo::of(program.first_free_object()));
        Self::with_policy(program, terms, config, budget, names, Merge)
    }
}

impl<'p, 'a, P> Executor<'p, 'a, P> {
    /// An executor for the whole program.
    pub(crate) fn with_policy(
        program: &'p Program,
        terms: &'a mut Terms,
        config: &'a Config<'a>,
        budget: &'a Budget,
        names: Names,
        policy: P,
    ) -> Self {
        let space = Space::new(program, config.checks.has(CheckKind::Uninitialised));
        Self { m: Machine::new(program, terms, config, budget, space, names), policy }
    }

    /// The execution's results; looks for leaks in the states in which the program ended.
    pub fn finish(mut self) -> Execution {
        self.m.claim_leaks();
        self.m.out
    }
}

impl<'p, 'a, P: Policy<'p, 'a>> Executor<'p, 'a, P> {
    /// Runs a function to its end; gives the state and the values it returns with, if it can return.
    pub fn run(&mut self, func: FuncId, args: Vec<Term>, state: State) -> Option<Arrival> {
        self.call(func, args, state, CallMade::BY_NOBODY)
    }

    pub(crate) fn call(
        &mut self,
        func: FuncId,
        args: Vec<Term>,
        state: State,
        made_by: CallMade<'p>,
    ) -> Option<Arrival> {
        let bound = self.m.config.bounds.recursion_bound(func);
        if self.m.active(func) > bound {
            self.cut(&state, func, CutKind::Recursion, made_by.loc, bound);
            return None;
        }
        let Arrival { state, args } = P::enter(self, func, Arrival { state, args }, made_by.loc)?;
        let mut frame = self.m.make_frame(func, made_by);
        frame.callers_carried = state.carried.clone();
        frame.mark = P::mark_frame(self, func, made_by.mark);
        frame.activation = self.m.activation(func);
        frame.arrivals[0] = Some(Arrival { state: State { carried: OrdMap::new(), ..state }, args });
        self.m.frames.push(frame);
        self.run_frame()
    }

    /// Runs the innermost activation from its beginning on, and leaves it.
    pub(crate) fn run_frame(&mut self) -> Option<Arrival> {
        let end = self.m.frame().info.loops.order.len();
        self.run_range(0, end, None);
        self.run_jumps();
        self.m.leave_frame()
    }

    pub(crate) fn run_range(&mut self, from: usize, to: usize, inside: Option<LoopId>) {
        let info = self.m.here();
        let mut pos = from;
        while pos < to {
            if self.m.stopped() {
                return;
            }
            let block = info.loops.order[pos];
            match info.loops.headed_by(block) {
                Some(l) if Some(l) != inside => {
                    P::run_loop(self, l);
                    pos = info.loops.info(l).blocks.end as usize;
                }
                _ => {
                    let arrival = self.m.frame_mut().arrivals[block.index()].take();
                    P::run_block(self, block, arrival);
                    pos += 1;
                }
            }
        }
    }

    /// Runs a loop iteration by iteration.
    pub(crate) fn iterate(&mut self, l: LoopId) {
        self.m.frame_mut().running.push(Running::new(l));
        self.continue_loop(l);
    }

    /// Iterates the innermost running loop until nothing arrives in it any more, or a bound is reached; ends it.
    pub(crate) fn continue_loop(&mut self, l: LoopId) {
        let info = self.m.here();
        let (head, range) = (info.loops.info(l).head, info.loops.info(l).blocks.clone());
        let bound = self.loop_bound(l);
        let uncounted = self.m.in_model() || info.loops.info(l).quantifier || P::counts_by_data(self);
        let entered = self.guard_at(head);
        let mut free = 0;
        let mut counted_to = Vec::new();
        loop {
            self.drop_repeated(l, head);
            if !self.arrived_in(l) {
                let Some((iteration, before)) = P::stopped_iteration(self, l) else { break };
                self.m.running_mut().done = iteration;
                free = before;
            }
            if self.m.stopped() {
                break;
            }
            // An iteration that no condition hangs on is not counted: the data says how many there are. Nor is one,
            // among few, that a constant counter on its way to the end of the loop allowed.
            let done = self.m.running().done;
            if uncounted && done > 0 && free < MAX_STRAIGHT {
                let straight = entered.is_some() && self.guard_at(head) == entered;
                let counts = self.m.counter_moved(l, &mut counted_to) && free < MAX_COUNTED;
                free += u32::from(straight || counts);
            }
            self.m.running_mut().uncounted = free;
            if done.saturating_sub(free) >= bound {
                self.last_iteration(l, head, bound);
                break;
            }
            if !P::iterates(self, l, done) {
                break;
            }
            self.run_range(range.start as usize, range.end as usize, Some(l));
            self.m.running_mut().done += 1;
        }
        P::loop_over(self, l);
        self.m.frame_mut().running.pop();
    }

    fn guard_at(&self, head: Block) -> Option<Term> {
        self.m.frame().arrivals[head.index()].as_ref().map(|a| a.state.guard.term(self.m.terms))
    }

    /// Whether anything has arrived in a loop, at its head or, where control enters behind the head, elsewhere.
    pub(crate) fn arrived_in(&self, l: LoopId) -> bool {
        let frame = self.m.frame();
        frame.info.loops.blocks(l).iter().any(|b| frame.arrivals[b.index()].is_some())
    }

    /// How often the body of a loop may run whatever comes.
    pub(crate) fn loop_bound(&self, l: LoopId) -> u32 {
        let frame = self.m.frame();
        if self.m.in_model() || frame.info.loops.info(l).quantifier {
            return self.m.config.model_bound;
        }
        let bound = self.m.config.bounds.loop_bound(frame.func, l);
        // The last iteration evaluates the condition once more: where the loop begins with it, that is one way back
        // more.
        let begins_with_condition = frame.info.in_condition[frame.info.loops.info(l).head.index()];
        if self.m.config.bounds.counts_ways_back() && begins_with_condition { bound.saturating_sub(1) } else { bound }
    }

    /// A path that comes back to the head of a loop with nothing changed: whatever it can do from here was possible
    /// from the iteration before, with other inputs, so it is not followed. (An endless loop without effect ends here.)
    /// That needs all paths to have come from that iteration's head, so not where control enters behind the head; where
    /// states wait, see `Running::head`.
    fn drop_repeated(&mut self, l: LoopId, head: Block) {
        if !P::drops_repeated(self) || self.m.frame().info.loops.info(l).irreducible {
            return;
        }
        let frame = self.m.frame_mut();
        let began = &mut frame.running.last_mut().expect("a loop should be running").head;
        let slot = &mut frame.arrivals[head.index()];
        let Some(now) = slot else { return };
        if began.as_ref().is_some_and(|before| now.same_but_guard(before)) {
            let now = slot.take();
            let loc = self.m.frame().info.loops.info(l).loc;
            if let Some(now) = now {
                P::path_ends(self, &now.state.guard, PathEnd::Repeated, loc);
            }
        } else {
            *began = Some(now.clone());
        }
    }

    /// The bound is reached: the loop's condition is evaluated once more, its body is not.
    fn last_iteration(&mut self, l: LoopId, head: Block, bound: u32) {
        let info = self.m.here();
        let func = self.m.frame().func;
        let loc = info.loops.info(l).loc;
        self.m.frame_mut().closing.push(l);
        let range = info.loops.info(l).blocks.clone();
        for pos in range.start as usize..range.end as usize {
            let block = info.loops.order[pos];
            let arrival = self.m.frame_mut().arrivals[block.index()].take();
            if info.in_condition[block.index()] && info.loops.loop_of[block.index()] == Some(l) {
                P::run_block(self, block, arrival);
            } else if let Some(arrival) = arrival {
                self.cut(&arrival.state, func, CutKind::Loop(l), loc, bound);
            }
        }
        self.m.frame_mut().closing.pop();
        if let Some(arrival) = self.m.frame_mut().arrivals[head.index()].take() {
            self.cut(&arrival.state, func, CutKind::Loop(l), loc, bound);
        }
    }

    /// Runs a block for what arrives at its beginning.
    pub(crate) fn run_block(&mut self, block: Block, arrival: Arrival) {
        let data = self.m.frame().body.block(block);
        let mut state = arrival.state;
        if state.guard.is_false(self.m.terms) {
            return P::path_ends(self, &state.guard, PathEnd::Blocked, data.loc);
        }
        self.m.record_block(block, &state);
        self.m.pass(block, &state);
        for (&v, &t) in &state.carried {
            self.m.set(v, t);
        }
        for (&p, &a) in data.params.iter().zip(&arrival.args) {
            self.m.set(p, a);
            state.carried.remove(&p);
        }
        self.run_from(block, 0, state);
    }

    /// The instructions of a block from one on, and how it ends.
    pub(crate) fn run_from(&mut self, block: Block, first: usize, mut state: State) {
        let body = self.m.frame().body;
        let data = body.block(block);
        for (index, &i) in data.insts.iter().enumerate().skip(first) {
            self.m.frame_mut().at = (block, index);
            if P::instruction(self, &mut state, i) == Goes::Nowhere {
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

    /// Runs one instruction and what follows from it; a refusal becomes a gap and ends the path.
    pub(crate) fn execute(&mut self, state: &mut State, inst: InstId) -> Goes {
        let data: &'p InstData = self.m.frame().body.inst(inst);
        let inputs = self.m.out.inputs.len();
        let flow = self.m.step(state, inst);
        self.note_inputs(inputs);
        let goes = flow.and_then(|flow| self.follow(state, data, flow));
        self.m.space.facts = Facts::default();
        match goes {
            Ok(Goes::On) if state.guard.is_false(self.m.terms) => {
                P::path_ends(self, &state.guard, PathEnd::Blocked, data.loc);
                Goes::Nowhere
            }
            Ok(goes) => goes,
            Err(refusal) => {
                self.m.refuse(state, refusal, data.loc);
                P::path_ends(self, &state.guard, PathEnd::Gap, data.loc);
                Goes::Nowhere
            }
        }
    }

    pub(crate) fn follow(&mut self, state: &mut State, data: &'p InstData, flow: Flow<'p>) -> Result<Goes, Refusal> {
        match flow {
            Flow::On => {}
            Flow::Ends(end) => {
                P::path_ends(self, &state.guard, end, data.loc);
                return Ok(Goes::Nowhere);
            }
            Flow::Calls(site) => return self.call_site(state, data, site),
            Flow::Thread(op, args) => return P::thread(self, state, data, op, &args),
            Flow::Shares(check) => P::shares(self, state, check),
            Flow::Awaits(cond, property) => {
                P::waits(self, state, cond, property, data.loc);
                state.guard = state.guard.and(self.m.terms, cond);
            }
        }
        Ok(Goes::On)
    }

    /// Inputs were taken, from this one on.
    pub(crate) fn note_inputs(&mut self, first: usize) {
        for position in first..self.m.out.inputs.len() {
            P::takes_input(self, position);
        }
    }

    fn terminate(&mut self, block: Block, state: State, term: &'p Terminator, loc: Loc) {
        match term {
            Terminator::Jump { to, args } => self.go(block, *to, args, state),
            Terminator::Branch { cond: value, .. }
            | Terminator::Switch { value, .. }
            | Terminator::IndirectJump { value, .. } => {
                let value = self.m.get(*value);
                for (cond, to, args) in fork::ways(self.m.terms, value, term).into_iter().flat_map(|(_, ways)| ways) {
                    self.go_if(block, to, args, &state, cond);
                }
            }
            Terminator::Return { values } => {
                let args = self.m.get_all(values);
                P::returns(self, &args);
                let mut slot = self.m.frame_mut().returned.take();
                self.m.join_into(&mut slot, Arrival { state, args }, loc);
                self.m.frame_mut().returned = slot;
            }
            Terminator::Exit { status } => {
                let status = self.m.get(*status);
                P::path_ends(self, &state.guard, PathEnd::Exit(status), loc);
                self.leave(state, loc);
            }
            Terminator::Halt { status } => {
                let status = self.m.get(*status);
                P::path_ends(self, &state.guard, PathEnd::Halt(status), loc);
            }
            Terminator::Unreachable => P::path_ends(self, &state.guard, PathEnd::Blocked, loc),
            Terminator::LongJmp { buf, value } => self.long_jump(state, *buf, *value, loc),
        }
    }

    /// Control goes to a block where a condition holds.
    fn go_if(&mut self, from: Block, to: Block, args: &[Value], state: &State, cond: Term) {
        let guard = match state.guard.facts().holds(self.m.terms, cond) {
            Some(false) => return,
            Some(true) => state.guard.clone(),
            None => state.guard.and(self.m.terms, cond),
        };
        if guard.is_false(self.m.terms) {
            return;
        }
        self.go(from, to, args, State { guard, ..state.clone() });
    }

    fn go(&mut self, from: Block, to: Block, args: &[Value], mut state: State) {
        let info = self.m.here();
        let loops = &info.loops;
        if P::leads_nowhere(self, to) {
            return;
        }
        if let Some(&l) = self.m.frame().closing.last()
            && loops.contains(l, to)
            && !info.in_condition[to.index()]
        {
            let (func, loc) = (self.m.frame().func, loops.info(l).loc);
            let bound = self.m.config.bounds.loop_bound(func, l);
            self.cut(&state, func, CutKind::Loop(l), loc, bound);
            return;
        }
        let args = self.m.get_all(args);
        for l in loops.around(from).filter(|&l| !loops.contains(l, to)) {
            for &v in &info.live_out[l.index()] {
                if let Some(t) = self.m.frame().values[v.index()] {
                    state.carried.insert(v, t);
                }
            }
        }
        let loc = self.m.frame().body.block(from).loc;
        let mut slot = self.m.frame_mut().arrivals[to.index()].take();
        self.m.join_into(&mut slot, Arrival { state, args }, loc);
        self.m.frame_mut().arrivals[to.index()] = slot;
    }

    /// The program ends here; what it left behind is looked at in `finish`.
    pub(crate) fn leave(&mut self, state: State, loc: Loc) {
        if self.m.config.checks.has(CheckKind::MemoryLeak) {
            let guard = state.guard.term(self.m.terms);
            self.m.keep_own_roots(guard);
            P::keep_roots(self, guard);
        }
        let mut slot = self.m.exits.at_exit.take();
        self.m.join_into(&mut slot, Arrival { state, args: Vec::new() }, loc);
        self.m.exits.at_exit = slot;
    }

    pub(crate) fn cut(&mut self, state: &State, func: FuncId, what: CutKind, loc: Loc, bound: u32) {
        P::path_ends(self, &state.guard, PathEnd::Cut(what), loc);
        let guard = state.guard.term(self.m.terms);
        if !self.m.terms.is_false(guard) {
            self.m.out.cuts.push(Cut { guard, func, what, loc, bound });
        }
    }
}
