//! `setjmp` and `longjmp`.
//!
//! Each time `setjmp` is executed it notes the point, with the values the function has there, and writes the point's number into the buffer.
//! `longjmp` reads the number: what jumps to a point waits until the rest of that function has been run, then the function is
//! run on from the point. So a function is run once for each point that is jumped to, and what it returns is joined.
//!
//! Each run from a point is two *legs* of the activation: the rest of the point's block, outside of all loops, then the rest of the
//! function, in which loops are counted anew. An execution goes through legs in their order and never twice through one, so where the program is
//! unwound step by step a leg tells nodes apart as a visit of a loop does. There what jumps to points of the same `setjmp` is joined first, with the values of
//! its point each, and jumps are counted as visits of a loop are. Points never change once they are made; each time one is set, by
//! whichever wave, it has a number of its own, so activations that are joined have the points of both.
//!
//! Absent: jumps in segments and where loops are run once for all visits. There a `longjmp` is a gap, unless nothing was set.

use crate::exec::{Executor, Frame};
use crate::memory::{Part, Refusal};
use crate::outcome::CutKind;
use crate::path::{ForkKind, PathEnd, Place};
use crate::state::{Arrival, State};
use crate::unwind::Site;
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
    made: u64,
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

impl Executor<'_, '_> {
    /// Whether points can be run on from; else they are only counted.
    fn jumps_run(&self) -> bool {
        self.segment.is_none() && self.induction.is_none()
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

    pub(crate) fn long_jump(&mut self, mut state: State, buf: Value, value: Value, loc: Loc) {
        if !self.jumps_run() {
            if self.jumps.made > 0 {
                self.gap(&state, "longjmp".to_string(), loc);
            }
            return;
        }
        let (buf, value) = (self.get(buf), self.get(value));
        let targets = match self.targets(&mut state, buf) {
            Ok(targets) => targets,
            Err(refusal) => return self.refuse(&state, refusal, loc),
        };
        let Some(targets) = self.one_point(&state, targets, loc) else { return };
        // Where it names no point the check before it has failed.
        for (depth, to, cond) in targets {
            let guard = state.guard.and(self.terms, cond);
            if guard.is_false(self.terms) {
                continue;
            }
            let mut state = State { guard, carried: to.carried.clone(), ..state.clone() };
            self.close_frames(&mut state, depth);
            let arrival = Arrival { state, args: vec![value] };
            let values = to.values.clone();
            self.wait_at(Jump { depth, to, values, arrival }, loc);
        }
    }

    /// On a path, the point that it jumps to; else all. `None` if the path ends here.
    fn one_point(&mut self, state: &State, targets: Vec<Target>, loc: Loc) -> Option<Vec<Target>> {
        if self.path.is_none() || targets.len() < 2 {
            return Some(targets);
        }
        let place = Place { func: self.frame().func, block: self.frame().at.0, kind: ForkKind::LongJump };
        let conditions: Vec<Term> = targets.iter().map(|t| t.2).collect();
        let points: Vec<(FuncId, Block)> =
            targets.iter().map(|(depth, to, _)| (self.frames[depth - 1].func, to.at.0)).collect();
        let taken = self.choose(state, place, &conditions, &points, loc)?;
        targets.into_iter().nth(taken).map(|target| vec![target])
    }

    fn wait_at(&mut self, mut jump: Jump, loc: Loc) {
        let joins = self.unwinding.is_some();
        let same = |j: &Jump| j.depth == jump.depth && (j.to.token == jump.to.token || joins && j.to.at == jump.to.at);
        let Some(i) = self.jumps.waiting.iter().position(same) else {
            return self.jumps.waiting.push(jump);
        };
        // Values in which they differ are joined as arguments are.
        let mut first = self.jumps.waiting.remove(i);
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
        let mut slot = Some(first.arrival);
        self.join_into(&mut slot, jump.arrival, loc);
        first.arrival = slot.expect("a joined state should be there");
        for (v, t) in differ.into_iter().zip(first.arrival.args.split_off(1)) {
            first.values[v] = Some(t);
        }
        self.jumps.waiting.push(first);
    }

    /// The stack objects of the activations above `depth` die.
    fn close_frames(&mut self, state: &mut State, depth: usize) {
        let gone: Vec<u32> = self.frames[depth..].iter().flat_map(|f| f.allocas.iter().map(|(n, _)| *n)).collect();
        for number in gone {
            self.kill_stack_object(state, number);
        }
    }

    /// Runs the youngest activation on from its points, as long as something jumps to them.
    pub(crate) fn run_jumps(&mut self) {
        let depth = self.frames.len();
        while let Some(i) = self.jumps.waiting.iter().position(|j| j.depth == depth) {
            let jump = self.jumps.waiting.remove(i);
            if self.stopped() {
                return;
            }
            let jumped = self.frame().leg / LEGS;
            let (block, index) = jump.to.at;
            let frame = self.frame_mut();
            frame.values = jump.values;
            frame.at = jump.to.at;
            frame.current = Some(frame.body.block(block).insts[index]);
            // What called and never came back may have stood in a loop.
            frame.running.clear();
            if self.is_next_jump_run(jumped, &jump.arrival) {
                self.run_from_point(jump.arrival);
            }
        }
    }

    /// Whether an activation is run on from a point once more. If not, that is noted.
    fn is_next_jump_run(&mut self, jumped: u32, arrival: &Arrival) -> bool {
        let (func, loc) = (self.frame().func, self.setjmp().loc);
        let Some(unwinding) = &self.unwinding else {
            if jumped >= MOST {
                self.gap(&arrival.state, format!("more than {MOST} jumps back to a setjmp"), loc);
                self.end_path(&arrival.state.guard, PathEnd::Gap, loc);
            }
            return jumped < MOST;
        };
        let site = Site { func, what: CutKind::Jump };
        let waits = jumped >= unwinding.target(site);
        let bound = self.config.bounds.recursion_bound(func);
        if jumped >= bound {
            self.cut(&arrival.state, func, CutKind::Jump, loc, bound);
        } else if waits {
            self.suspend_jump(site, arrival.clone(), jumped, loc);
        }
        jumped < bound && !waits
    }

    /// The `setjmp` at which the youngest activation stands.
    fn setjmp(&self) -> &InstData {
        let frame = self.frame();
        frame.body.inst(frame.current.expect("an activation should stand at its setjmp"))
    }

    /// The youngest activation goes on after the `setjmp` at which it stands.
    pub(crate) fn run_from_point(&mut self, arrival: Arrival) {
        let result = self.setjmp().results[0];
        self.set(result, arrival.args[0]);
        self.frame_mut().leg += 1;
        let (block, index) = self.frame().at;
        self.run_from(block, index + 1, arrival.state);
        self.run_after_point();
    }

    /// The second leg: from where the point's block has led to.
    pub(crate) fn run_after_point(&mut self) {
        self.frame_mut().leg += 1;
        let end = self.frame().info.loops.order.len();
        self.run_range(0, end, None);
    }
}
