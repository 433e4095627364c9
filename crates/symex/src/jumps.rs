//! `setjmp` and `longjmp`.
//!
//! Each time `setjmp` is executed it notes the point, with the values the function has there, and writes the point's number into the buffer.
//! `longjmp` reads the number: what jumps to a point waits until the rest of that function has been run, then the function is
//! run on from the point. So a function is run once for each point that is jumped to, and what it returns is joined.
//!
//! Absent: jumps where the program is unwound step by step or in segments. There a `longjmp` is a gap, unless nothing was set.

use crate::exec::Executor;
use crate::memory::{Part, Refusal};
use crate::state::{Arrival, State};
use blitz_base::span::Loc;
use blitz_ir::{Block, InstData, Value};
use blitz_term::Term;
use imbl::OrdMap;

/// How often a function is run on from its points before that counts as too much.
const MOST: u32 = 64;
const TOKEN_BYTES: u64 = 8;

#[derive(Default)]
pub(crate) struct Jumps {
    points: Vec<Point>,
    /// What jumps, by point; the value that `setjmp` yields is the argument.
    waiting: Vec<(usize, Arrival)>,
    /// How many points there have ever been.
    made: u64,
}

/// A point that an active function can be run on from.
struct Point {
    token: u64,
    /// How many activations there are below, and at, the function.
    depth: usize,
    at: (Block, usize),
    result: Value,
    values: Vec<Option<Term>>,
    carried: OrdMap<Value, Term>,
}

impl Jumps {
    /// A function is left: its points are gone. (Nothing waits there any more.)
    pub(crate) fn leave(&mut self, frames: usize) {
        let kept = self.points.iter().take_while(|p| p.depth <= frames).count();
        self.points.truncate(kept);
        self.waiting.retain(|(point, _)| *point < kept);
    }
}

impl Executor<'_, '_> {
    /// Whether points can be run on from; else they are only counted.
    fn jumps_run(&self) -> bool {
        self.segment.is_none() && self.unwinding.is_none()
    }

    pub(crate) fn set_jump(&mut self, state: &mut State, data: &InstData, buf: Value) -> Result<(), Refusal> {
        self.jumps.made += 1;
        let zero = self.terms.bv(32, 0);
        if self.jumps_run() {
            let token = self.jumps.made;
            let frame = self.frame();
            let (at, values, depth) = (frame.at, frame.values.clone(), self.frames.len());
            let point = Point { token, depth, at, result: data.results[0], values, carried: state.carried.clone() };
            self.jumps.points.push(point);
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
        let conds: Vec<Term> = targets.into_iter().map(|(_, cond)| cond).collect();
        Ok(self.terms.or_all(&conds))
    }

    /// The points that the buffer may name, each with the condition.
    fn targets(&mut self, state: &mut State, buf: Term) -> Result<Vec<(usize, Term)>, Refusal> {
        if self.jumps.points.is_empty() {
            return Ok(Vec::new());
        }
        let held = state.memory.load(&mut self.space, self.terms, buf, TOKEN_BYTES, Part::Data)?;
        let mut out = Vec::new();
        for (i, point) in self.jumps.points.iter().enumerate() {
            let token = self.terms.bv(64, point.token);
            let cond = self.terms.eq(held, token);
            if !self.terms.is_false(cond) {
                out.push((i, cond));
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
        // Where it names no point the check before it has failed.
        for (point, cond) in targets {
            let guard = state.guard.and(self.terms, cond);
            if guard.is_false(self.terms) {
                continue;
            }
            let mut state = State { guard, carried: self.jumps.points[point].carried.clone(), ..state.clone() };
            self.close_frames(&mut state, self.jumps.points[point].depth);
            self.wait_at(point, Arrival { state, args: vec![value] }, loc);
        }
    }

    fn wait_at(&mut self, point: usize, arrival: Arrival, loc: Loc) {
        match self.jumps.waiting.iter().position(|(p, _)| *p == point) {
            Some(i) => {
                let mut slot = Some(self.jumps.waiting.swap_remove(i).1);
                self.join_into(&mut slot, arrival, loc);
                self.jumps.waiting.extend(slot.map(|a| (point, a)));
            }
            None => self.jumps.waiting.push((point, arrival)),
        }
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
        for round in 0.. {
            let mine = |(p, _): &(usize, Arrival)| self.jumps.points[*p].depth == depth;
            let Some(i) = self.jumps.waiting.iter().position(mine) else { return };
            let (point, arrival) = self.jumps.waiting.remove(i);
            if self.stopped() {
                return;
            }
            if round >= MOST {
                let loc = self.frame().call_loc;
                self.gap(&arrival.state, format!("more than {MOST} jumps back to a setjmp"), loc);
                continue;
            }
            self.run_from_point(point, arrival);
        }
    }

    fn run_from_point(&mut self, point: usize, arrival: Arrival) {
        let p = &self.jumps.points[point];
        let (values, result, (block, index)) = (p.values.clone(), p.result, p.at);
        self.frame_mut().values = values;
        self.set(result, arrival.args[0]);
        self.run_from(block, index + 1, arrival.state);
        let end = self.frame().info.loops.order.len();
        self.run_range(0, end, None);
    }
}
