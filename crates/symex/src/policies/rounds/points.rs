//! Visible points: where threads stop, and where a slot takes up what is parked.

use super::{Parked, Rounds, entry_key};
use crate::machine::CallMade;
use crate::saved::Key;
use crate::state::{Arrival, State};
use crate::walk::{Executor, Goes};
use blitz_base::span::Loc;
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, CheckKind, FuncId, Inst, InstData, PropertyId};
use blitz_term::Term;
use std::ops::Bound;

/// What was taken up where it was parked: its condition, and whether another thread has moved meanwhile.
#[derive(Clone, Copy)]
struct Taken {
    cond: Term,
    waited: Term,
}

/// What is parked next in a block.
enum Place {
    /// Before an instruction.
    Here(usize),
    /// In a call that an instruction makes.
    Inside(usize),
}

impl<'p, 'a> Executor<'p, 'a, Rounds<'p>> {
    /// Whether anything is parked that the running slot has not yet come to.
    pub(super) fn resumes(&self) -> bool {
        !self.policy.turn.pool.is_empty()
    }

    /// The path to the innermost activation and the loops that run in it.
    fn path(&self) -> Vec<(u32, u32)> {
        let Key(mut out) = entry_key(self.m.frames[0].func);
        out.extend(self.m.loop_key().0);
        out
    }

    /// The first parked key that begins with a path.
    fn first_under(&self, path: &[(u32, u32)]) -> Option<&Key> {
        let pool = &self.policy.turn.pool;
        let from = Key(path.to_vec());
        let (key, _) = pool.range((Bound::Included(from), Bound::Unbounded)).next()?;
        key.0.starts_with(path).then_some(key)
    }

    /// A thread comes to a visible point, or is taken up there: it may stop.
    pub(super) fn visible_point(&mut self, state: &mut State) -> Goes {
        let mut path = self.path();
        path.push(self.place());
        let key = Key(path);
        let parked = self.policy.turn.pool.remove(&key);
        if self.policy.turn.peek.is_some() {
            let point = self.is_point(state);
            return self.peek_on(state, parked, point);
        }
        let taken = parked.map(|p| self.take_along(state, p));
        self.may_stop(state, key, taken)
    }

    fn place(&self) -> (u32, u32) {
        let (block, index) = self.m.frame().at;
        let place = self.m.frame().info.loops.pos[block.index()].unwrap_or(0);
        (place, index as u32)
    }

    /// What is parked here is joined in.
    fn take_along(&mut self, state: &mut State, parked: Parked<'p>) -> Taken {
        let cond = parked.state.guard.term(self.m.terms);
        self.m.absorb_saved(cond, &parked.frames);
        let loc = self.m.frame().body.inst(self.m.frame().current.expect("a point should be an instruction")).loc;
        let here = Arrival { state: state.clone(), args: Vec::new() };
        *state = self.m.joined(here, Arrival { state: parked.state, args: Vec::new() }, loc).state;
        Taken { cond, waited: parked.waited }
    }

    fn may_stop(&mut self, state: &mut State, key: Key, taken: Option<Taken>) -> Goes {
        let Some(outside) = self.is_point(state) else { return Goes::On };
        let node = self.m.node();
        let wish = self.stop_variable(node);
        let stop = self.m.terms.and(wish, outside);
        let go = self.m.terms.not(stop);
        let stopped = State { guard: state.guard.and(self.m.terms, stop), ..state.clone() };
        state.guard = state.guard.and(self.m.terms, go);
        let stays = taken.map(|t| self.m.terms.and(t.cond, stop));
        let waited = taken.map_or(self.m.terms.fls(), |t| self.m.terms.and(t.cond, t.waited));
        if let Some(tally) = &mut state.tally {
            tally.resumed = waited;
        }
        let pass = self.m.terms.and(state.guard.term(self.m.terms), outside);
        if !stopped.guard.is_false(self.m.terms) {
            let frames = self.m.save_frames_here();
            let parked = Parked { state: stopped, frames, args: Vec::new(), waited };
            let again = self.policy.turn.next.insert(key, parked);
            if let Some(lost) = again {
                self.m.gap(&lost.state, "a place that a thread comes to twice in one turn", Loc::UNKNOWN);
                self.path_ends(&lost.state.guard);
            }
        }
        let turn = &mut self.policy.turn;
        turn.stays.extend(stays);
        turn.passes.push(pass);
        if state.guard.is_false(self.m.terms) { Goes::Nowhere } else { Goes::On }
    }

    /// The condition of being in no atomic section, and of not being the only thread there has ever been; none if that never holds.
    fn is_point(&mut self, state: &State) -> Option<Term> {
        let tally = state.tally.expect("a state of a thread should count");
        let zero = self.m.terms.zero(self.m.terms.width(tally.atomic));
        let outside = self.m.terms.eq(tally.atomic, zero);
        let others = self.m.terms.ne(tally.starts, zero);
        let point = self.m.terms.and(outside, others);
        (!self.m.terms.is_false(point)).then_some(point)
    }

    /// Runs a block for what arrives at its beginning and for what is parked in it.
    pub(super) fn run_block_and_parked(&mut self, block: Block, arrival: Option<Arrival>) {
        if let Some(arrival) = arrival {
            self.run_block(block, arrival);
        }
        while let Some(place) = self.next_in(block) {
            match place {
                Place::Here(index) => self.run_parked(block, index),
                Place::Inside(index) => self.run_parked_call(block, index),
            }
            if self.m.stopped() {
                return;
            }
        }
    }

    fn next_in(&self, block: Block) -> Option<Place> {
        if !self.resumes() {
            return None;
        }
        let path = self.path();
        let pos = self.m.frame().info.loops.pos[block.index()]?;
        let mut from = path.clone();
        from.push((pos, 0));
        let pool = &self.policy.turn.pool;
        let (Key(key), _) = pool.range((Bound::Included(Key(from)), Bound::Unbounded)).next()?;
        let &(at, index) = key.get(path.len()).filter(|_| key.starts_with(&path))?;
        // Beyond this element a key goes on only into a call.
        let inside = key.len() > path.len() + 1;
        (at == pos).then_some(if inside { Place::Inside(index as usize) } else { Place::Here(index as usize) })
    }

    /// The activation stands before an instruction.
    fn stand(&mut self, block: Block, index: usize) -> &'p InstData {
        let body = self.m.frame().body;
        let inst = body.block(block).insts[index];
        let frame = self.m.frame_mut();
        (frame.at, frame.current) = ((block, index), Some(inst));
        body.inst(inst)
    }

    /// Nobody came by: what is parked here goes on by itself.
    fn run_parked(&mut self, block: Block, index: usize) {
        self.stand(block, index);
        let mut path = self.path();
        path.push(self.place());
        let key = Key(path);
        let parked = self.policy.turn.pool.remove(&key).expect("what was found should be parked");
        let cond = parked.state.guard.term(self.m.terms);
        self.m.absorb_saved(cond, &parked.frames);
        let Parked { mut state, waited, .. } = parked;
        let taken = Taken { cond, waited };
        if self.policy.turn.peek.is_none() && self.may_stop(&mut state, key, Some(taken)) == Goes::Nowhere {
            return;
        }
        let inst = self.m.frame().body.block(block).insts[index];
        if self.step_past_point(&mut state, inst) == Goes::On {
            self.run_from(block, index + 1, state);
        }
    }

    /// Nobody made the call: what is parked in it goes on and returns.
    fn run_parked_call(&mut self, block: Block, index: usize) {
        let data = self.stand(block, index);
        let Some(arrival) = self.returns_of_parked(data) else { return };
        let Arrival { mut state, args } = arrival;
        for (&v, t) in data.results.iter().zip(args) {
            self.m.set(v, t);
            state.carried.remove(&v);
        }
        if !state.guard.is_false(self.m.terms) {
            self.run_from(block, index + 1, state);
        }
    }

    /// What returns from calls that the present instruction made in earlier slots.
    pub(super) fn returns_of_parked(&mut self, data: &'p InstData) -> Option<Arrival> {
        let Inst::Call(site) = &data.inst else { return None };
        let mut joined = None;
        while let Some(callee) = self.parked_callee() {
            let returned = self.call_again(callee, data.loc, &site.properties);
            if let Some(arrival) = returned {
                let arrival = self.m.fit_results(arrival, data);
                self.m.join_into(&mut joined, arrival, data.loc);
            }
            if self.m.stopped() {
                break;
            }
        }
        joined
    }

    /// A call that was made in an earlier slot of the thread: only what is parked in it goes on.
    fn call_again(&mut self, func: FuncId, loc: Loc, lent: &'p [(CheckKind, PropertyId)]) -> Option<Arrival> {
        let mut frame = self.m.make_frame(func, CallMade { loc, lent, ..CallMade::BY_NOBODY });
        frame.activation = self.m.activation(func);
        self.m.frames.push(frame);
        self.run_frame()
    }

    fn parked_callee(&self) -> Option<FuncId> {
        if !self.resumes() {
            return None;
        }
        let mut path = self.path();
        path.push(self.place());
        let key = self.first_under(&path)?;
        key.0.get(path.len()).map(|(callee, _)| FuncId(*callee))
    }

    /// The next iteration, from `done` on, of the innermost running loop in which something is parked; and how many of those before it count.
    pub(super) fn parked_iteration(&self, l: LoopId, done: u32) -> Option<(u32, u32)> {
        if !self.resumes() {
            return None;
        }
        let mut path = self.path();
        path.pop();
        let start = self.m.frame().info.loops.info(l).blocks.start;
        let mut from = path.clone();
        from.push((start, done));
        let pool = &self.policy.turn.pool;
        let (Key(key), parked) = pool.range((Bound::Included(Key(from)), Bound::Unbounded)).next()?;
        let &(at, iteration) = key.get(path.len()).filter(|_| key.starts_with(&path))?;
        if at != start {
            return None;
        }
        let (frame, running) = (self.m.frames.len() - 1, self.m.frame().running.len() - 1);
        let uncounted = parked.frames[frame].running[running].uncounted;
        Some((iteration, uncounted))
    }
}
