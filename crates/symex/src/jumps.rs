//! `setjmp` and `longjmp`.
//!
//! Each time `setjmp` is executed it notes the point, with the values the function has there, and writes the point's
//! number into the buffer. `longjmp` reads the number: what jumps to a point waits until the rest of that function has
//! been run, then the function is run on from the point. So a function is run once for each point that is jumped to,
//! and what it returns is joined.
//!
//! Each run from a point is two *legs* of the activation: the rest of the point's block, outside of all loops, then the
//! rest of the function, in which loops are counted anew. An execution goes through legs in their order and never twice
//! through one, so where the program is unwound step by step a leg tells nodes apart as an iteration of a loop does.
//! There what jumps to points of the same `setjmp` is joined first, with the values of its point each, and jumps are
//! counted as iterations of a loop are. Points never change once they are made; each time one is set, by whichever
//! wave, it has a number of its own, so activations that are joined have the points of both.
//!
//! Absent: jumps in segments and where loops are run once for all iterations. There a `longjmp` is a gap, unless
//! nothing was set.

use crate::ids::ObjectNo;
use crate::machine::{Frame, Machine};
use crate::memory::{Part, Refusal};
use crate::outcome::PathEnd;
use crate::policy::Policy;
use crate::state::{Arrival, State};
use crate::walk::Executor;
use blitz_base::span::Loc;
use blitz_ir::{Block, FuncId, InstData, Value};
use blitz_term::Term;
use imbl::OrdMap;
use std::rc::Rc;

/// How often a function is run on from its points before that counts as too much, where it is not unwound step by step.
const MOST: u32 = 64;
/// Legs of an activation for each time it is run on from a point.
const LEGS: u32 = 2;
const TOKEN_BYTES: u64 = 8;

#[derive(Default)]
pub(crate) struct Jumps {
    /// What jumps; the value that `setjmp` yields is the argument.
    pub(crate) waiting: Vec<Jump>,
    /// How many points there have ever been.
    pub(crate) made: u64,
    pub(crate) kind: JumpKind,
}

/// What `longjmp` does.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum JumpKind {
    #[default]
    GoesBack,
    /// It is not followed: a gap, unless nothing was ever set.
    IsGapWhereSet,
    /// It is not followed in a program with threads.
    IsGapOfThreads,
}

/// What jumps to a point, or to several of one `setjmp`.
#[derive(Clone)]
pub(crate) struct Jump {
    /// How many activations there are below, and at, the one that called it.
    depth: usize,
    to: Rc<Point>,
    values: Vec<Option<Term>>,
    arrival: Arrival,
}

/// A point that an active function can be run on from: its `setjmp`, and what was there.
pub(crate) struct Point {
    token: u64,
    at: (Block, usize),
    values: Vec<Option<Term>>,
    carried: OrdMap<Value, Term>,
}

/// The activations up to a point, the point, and the condition under which it is meant.
type Target = (usize, Rc<Point>, Term);

impl Jumps {
    /// A function is left: nothing waits there any more, unless the run was stopped.
    pub(crate) fn leave(&mut self, frames: usize) {
        self.waiting.retain(|jump| jump.depth <= frames);
    }
}

impl Frame<'_> {
    /// The rest of a point's block is being run, and no loop around it.
    pub(crate) fn is_at_point(&self) -> bool {
        self.leg % LEGS == 1
    }

    /// The points of both, where two waves of this activation are joined.
    pub(crate) fn add_points(&mut self, others: &[Rc<Point>]) {
        for other in others {
            if !self.points.iter().any(|mine| mine.token == other.token) {
                self.points.push(Rc::clone(other));
            }
        }
    }
}

impl Machine<'_, '_> {
    /// Whether points can be run on from; else they are only counted.
    fn jumps_run(&self) -> bool {
        self.jumps.kind != JumpKind::IsGapWhereSet
    }

    pub(crate) fn set_jump(&mut self, state: &mut State, data: &InstData, buf: Value) -> Result<(), Refusal> {
        self.jumps.made += 1;
        let zero = self.terms.bv(32, 0);
        if self.jumps_run() {
            let token = self.jumps.made;
            let frame = self.frame();
            let (at, values) = (frame.at, frame.values.clone());
            let point = Point { token, at, values, carried: state.carried.clone() };
            self.frame_mut().points.push(Rc::new(point));
            let (p, number) = (self.get(buf), self.terms.bv(64, token));
            state.memory.store(&mut self.space, self.terms, p, number, Part::Data)?;
            if self.space.track_shadow {
                let set = self.terms.bv(64, 0);
                state.memory.store(&mut self.space, self.terms, p, set, Part::Shadow)?;
            }
        }
        self.yields(data, zero);
        Ok(())
    }

    /// Whether a jump on this buffer would come back somewhere.
    pub(crate) fn jump_set(&mut self, state: &mut State, buf: Term) -> Result<Term, Refusal> {
        if !self.jumps_run() {
            return Ok(self.terms.bool(self.jumps.made > 0));
        }
        let targets = self.targets(state, buf)?;
        let conds: Vec<Term> = targets.into_iter().map(|(.., cond)| cond).collect();
        Ok(self.terms.or_all(&conds))
    }

    /// The points that the buffer may name, with the activations up to there and the condition.
    fn targets(&mut self, state: &mut State, buf: Term) -> Result<Vec<Target>, Refusal> {
        if self.frames.iter().all(|f| f.points.is_empty()) {
            return Ok(Vec::new());
        }
        let held = state.memory.load(&mut self.space, self.terms, buf, TOKEN_BYTES, Part::Data)?;
        let mut out = Vec::new();
        for (i, frame) in self.frames.iter().enumerate() {
            for point in &frame.points {
                let token = self.terms.bv(64, point.token);
                let cond = self.terms.eq(held, token);
                if !self.terms.is_false(cond) {
                    out.push((i + 1, Rc::clone(point), cond));
                }
            }
        }
        Ok(out)
    }

    /// The stack objects of the activations above `depth` die.
    fn close_frames(&mut self, state: &mut State, depth: usize) {
        let gone: Vec<ObjectNo> = self.frames[depth..].iter().flat_map(|f| f.allocas.iter().map(|(n, _)| *n)).collect();
        for number in gone {
            self.kill_stack_object(state, number);
        }
    }

    /// The `setjmp` at which the youngest activation stands.
    pub(crate) fn setjmp(&self) -> &InstData {
        let frame = self.frame();
        frame.body.inst(frame.current.expect("an activation should stand at its setjmp"))
    }
}

impl<'p, 'a, P: Policy<'p, 'a>> Executor<'p, 'a, P> {
    pub(crate) fn long_jump(&mut self, mut state: State, buf: Value, value: Value, loc: Loc) {
        match self.m.jumps.kind {
            JumpKind::GoesBack => {}
            JumpKind::IsGapWhereSet if self.m.jumps.made > 0 => return self.m.gap(&state, "longjmp", loc),
            JumpKind::IsGapWhereSet => return,
            JumpKind::IsGapOfThreads => return self.m.gap(&state, "`longjmp` in a program with threads", loc),
        }
        let (buf, value) = (self.m.get(buf), self.m.get(value));
        let targets = match self.m.targets(&mut state, buf) {
            Ok(targets) => targets,
            Err(refusal) => return self.m.refuse(&state, refusal, loc),
        };
        let places: Vec<(Term, FuncId, Block)> =
            targets.iter().map(|(depth, to, cond)| (*cond, self.m.frames[depth - 1].func, to.at.0)).collect();
        let Some(followed) = P::jump(self, &state, &places, loc) else { return };
        // Where it names no point the check before it has failed.
        for i in followed {
            let (depth, to, cond) = (targets[i].0, Rc::clone(&targets[i].1), targets[i].2);
            let guard = state.guard.and(self.m.terms, cond);
            if guard.is_false(self.m.terms) {
                continue;
            }
            let mut state = State { guard, carried: to.carried.clone(), ..state.clone() };
            self.m.close_frames(&mut state, depth);
            let arrival = Arrival { state, args: vec![value] };
            let values = to.values.clone();
            self.wait_at(Jump { depth, to, values, arrival }, loc);
        }
    }

    fn wait_at(&mut self, mut jump: Jump, loc: Loc) {
        let joins = P::joins_jumps(self);
        let same = |j: &Jump| j.depth == jump.depth && (j.to.token == jump.to.token || joins && j.to.at == jump.to.at);
        let Some(i) = self.m.jumps.waiting.iter().position(same) else {
            return self.m.jumps.waiting.push(jump);
        };
        // Values in which they differ are joined as arguments are.
        let mut first = self.m.jumps.waiting.remove(i);
        let mut differ = Vec::new();
        for (v, (mine, theirs)) in first.values.iter_mut().zip(&jump.values).enumerate() {
            match (*mine, *theirs) {
                (Some(a), Some(b)) if a != b => {
                    first.arrival.args.push(a);
                    jump.arrival.args.push(b);
                    differ.push(v);
                }
                (mine_now, theirs) => *mine = mine_now.or(theirs),
            }
        }
        first.arrival = self.m.joined(first.arrival, jump.arrival, loc);
        for (v, t) in differ.into_iter().zip(first.arrival.args.split_off(1)) {
            first.values[v] = Some(t);
        }
        self.m.jumps.waiting.push(first);
    }

    /// On a path there is one jump: its activation becomes the innermost one and stands behind the `setjmp`. Gives the
    /// state there.
    pub(crate) fn land(&mut self) -> Option<State> {
        let Jump { depth, to, values, arrival } = self.m.jumps.waiting.pop()?;
        self.m.frames.truncate(depth);
        if self.m.stopped() {
            return None;
        }
        let (block, index) = to.at;
        let frame = self.m.frame_mut();
        let jumped = frame.leg / LEGS;
        frame.values = values;
        frame.at = (block, index + 1);
        frame.current = Some(frame.body.block(block).insts[index]);
        frame.running.clear();
        frame.closing.clear();
        if !P::jumps_again(self, jumped, &arrival) {
            return None;
        }
        let result = self.m.setjmp().results[0];
        self.m.set(result, arrival.args[0]);
        self.m.frame_mut().leg += LEGS;
        Some(arrival.state)
    }

    /// Runs the youngest activation on from its points, as long as something jumps to them.
    pub(crate) fn run_jumps(&mut self) {
        let depth = self.m.frames.len();
        while let Some(i) = self.m.jumps.waiting.iter().position(|j| j.depth == depth) {
            let jump = self.m.jumps.waiting.remove(i);
            if self.m.stopped() {
                return;
            }
            let jumped = self.m.frame().leg / LEGS;
            let (block, index) = jump.to.at;
            let frame = self.m.frame_mut();
            frame.values = jump.values;
            frame.at = jump.to.at;
            frame.current = Some(frame.body.block(block).insts[index]);
            // What called and never came back may have stood in a loop.
            frame.running.clear();
            if P::jumps_again(self, jumped, &jump.arrival) {
                self.run_from_point(jump.arrival);
            }
        }
    }

    /// The usual bound: where jumps are not unwound step by step.
    pub(crate) fn jumps_again(&mut self, jumped: u32, arrival: &Arrival) -> bool {
        if jumped >= MOST {
            let loc = self.m.setjmp().loc;
            self.m.gap(&arrival.state, format!("more than {MOST} jumps back to a setjmp"), loc);
            P::path_ends(self, &arrival.state.guard, PathEnd::Gap, loc);
        }
        jumped < MOST
    }

    /// The youngest activation goes on after the `setjmp` at which it stands.
    pub(crate) fn run_from_point(&mut self, arrival: Arrival) {
        let result = self.m.setjmp().results[0];
        self.m.set(result, arrival.args[0]);
        self.m.frame_mut().leg += 1;
        let (block, index) = self.m.frame().at;
        self.run_from(block, index + 1, arrival.state);
        self.run_after_point();
    }

    /// The second leg: from where the point's block has led to.
    pub(crate) fn run_after_point(&mut self) {
        self.m.frame_mut().leg += 1;
        let end = self.m.frame().info.loops.order.len();
        self.run_range(0, end, None);
    }
}
