//! Visible points: where threads stop, and where a slot takes up what is parked.

use super::{Parked, entry_key};
use crate::exec::{Executor, Flow};
use crate::state::{Arrival, State};
use crate::unwind::Key;
use blitz_base::span::Loc;
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, FuncId, Inst, InstData};
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

impl<'p> Executor<'p, '_> {
    /// Whether anything is parked that the running slot has not yet come to.
    pub(crate) fn resumes(&self) -> bool {
        self.threads.as_ref().is_some_and(|t| !t.turn.pool.is_empty())
    }

    /// The path to the innermost activation and the loops that run in it.
    fn path(&self) -> Vec<(u32, u32)> {
        let Key(mut out) = entry_key(self.frames[0].func);
        out.extend(self.loop_key().0);
        out
    }

    /// The first parked key that begins with a path.
    fn first_under(&self, path: &[(u32, u32)]) -> Option<&Key> {
        let pool = &self.threads.as_ref()?.turn.pool;
        let from = Key(path.to_vec());
        let (key, _) = pool.range((Bound::Included(from), Bound::Unbounded)).next()?;
        key.0.starts_with(path).then_some(key)
    }

    /// A thread comes to a visible point, or is taken up there: it may stop.
    pub(super) fn visible_point(&mut self, state: &mut State) -> Flow {
        let mut path = self.path();
        path.push(self.place());
        let key = Key(path);
        let parked = self.threads_mut().turn.pool.remove(&key);
        if self.threads_mut().turn.peek.is_some() {
            let point = self.is_point(state);
            return self.peek_on(state, parked, point);
        }
        let taken = parked.map(|p| self.take_along(state, p));
        self.may_stop(state, key, taken)
    }

    fn place(&self) -> (u32, u32) {
        let (block, index) = self.frame().at;
        let place = self.frame().info.loops.pos[block.index()].unwrap_or(0);
        (place, index as u32)
    }

    /// What is parked here is joined in.
    fn take_along(&mut self, state: &mut State, parked: Parked<'p>) -> Taken {
        let cond = parked.state.guard.term(self.terms);
        self.absorb_saved(cond, &parked.frames);
        let loc = self.frame().body.inst(self.frame().current.expect("a point should be an instruction")).loc;
        let mut slot = Some(Arrival { state: state.clone(), args: Vec::new() });
        self.join_into(&mut slot, Arrival { state: parked.state, args: Vec::new() }, loc);
        *state = slot.expect("a joined state should be there").state;
        Taken { cond, waited: parked.waited }
    }

    fn may_stop(&mut self, state: &mut State, key: Key, taken: Option<Taken>) -> Flow {
        let Some(outside) = self.is_point(state) else { return Flow::On };
        let node = self.node();
        let wish = self.stop_variable(node);
        let stop = self.terms.and(wish, outside);
        let go = self.terms.not(stop);
        let stopped = State { guard: state.guard.and(self.terms, stop), ..state.clone() };
        state.guard = state.guard.and(self.terms, go);
        let stays = taken.map(|t| self.terms.and(t.cond, stop));
        let waited = taken.map_or(self.terms.fls(), |t| self.terms.and(t.cond, t.waited));
        if let Some(tally) = &mut state.tally {
            tally.resumed = waited;
        }
        let pass = self.terms.and(state.guard.term(self.terms), outside);
        if !stopped.guard.is_false(self.terms) {
            let frames = self.save_frames_here();
            let parked = Parked { state: stopped, frames, args: Vec::new(), waited };
            let again = self.threads_mut().turn.next.insert(key, parked);
            if let Some(lost) = again {
                self.gap(&lost.state, "a place that a thread comes to twice in one turn".to_string(), Loc::UNKNOWN);
                self.path_ends(&lost.state.guard);
            }
        }
        let turn = &mut self.threads_mut().turn;
        turn.stays.extend(stays);
        turn.passes.push(pass);
        if state.guard.is_false(self.terms) { Flow::End } else { Flow::On }
    }

    /// The condition of being in no atomic section, and of not being the only thread there has ever been; none if that never holds.
    fn is_point(&mut self, state: &State) -> Option<Term> {
        let tally = state.tally.expect("a state of a thread should count");
        let zero = self.terms.zero(self.terms.width(tally.atomic));
        let outside = self.terms.eq(tally.atomic, zero);
        let others = self.terms.ne(tally.starts, zero);
        let point = self.terms.and(outside, others);
        (!self.terms.is_false(point)).then_some(point)
    }

    /// Runs a block for what arrives at its beginning and for what is parked in it.
    pub(crate) fn run_block_and_parked(&mut self, block: Block, arrival: Option<Arrival>) {
        if let Some(arrival) = arrival {
            self.run_block(block, arrival);
        }
        while let Some(place) = self.next_in(block) {
            match place {
                Place::Here(index) => self.run_parked(block, index),
                Place::Inside(index) => self.run_parked_call(block, index),
            }
            if self.stopped() {
                return;
            }
        }
    }

    fn next_in(&self, block: Block) -> Option<Place> {
        if !self.resumes() {
            return None;
        }
        let path = self.path();
        let pos = self.frame().info.loops.pos[block.index()]?;
        let mut from = path.clone();
        from.push((pos, 0));
        let pool = &self.threads.as_ref()?.turn.pool;
        let (Key(key), _) = pool.range((Bound::Included(Key(from)), Bound::Unbounded)).next()?;
        let &(at, index) = key.get(path.len()).filter(|_| key.starts_with(&path))?;
        // Beyond this element a key goes on only into a call.
        let inside = key.len() > path.len() + 1;
        (at == pos).then_some(if inside { Place::Inside(index as usize) } else { Place::Here(index as usize) })
    }

    /// The activation stands before an instruction.
    fn stand(&mut self, block: Block, index: usize) -> &'p InstData {
        let body = self.frame().body;
        let inst = body.block(block).insts[index];
        let frame = self.frame_mut();
        (frame.at, frame.current) = ((block, index), Some(inst));
        body.inst(inst)
    }

    /// Nobody came by: what is parked here goes on by itself.
    fn run_parked(&mut self, block: Block, index: usize) {
        self.stand(block, index);
        let mut path = self.path();
        path.push(self.place());
        let key = Key(path);
        let parked = self.threads_mut().turn.pool.remove(&key).expect("what was found should be parked");
        let cond = parked.state.guard.term(self.terms);
        self.absorb_saved(cond, &parked.frames);
        let Parked { mut state, waited, .. } = parked;
        let taken = Taken { cond, waited };
        if self.threads_mut().turn.peek.is_none() && self.may_stop(&mut state, key, Some(taken)) == Flow::End {
            return;
        }
        let inst = self.frame().body.block(block).insts[index];
        if self.step_past_point(&mut state, inst) == Flow::On {
            self.run_from(block, index + 1, state);
        }
    }

    /// Nobody made the call: what is parked in it goes on and returns.
    fn run_parked_call(&mut self, block: Block, index: usize) {
        let data = self.stand(block, index);
        let Some(arrival) = self.returns_of_parked(data) else { return };
        let Arrival { mut state, args } = arrival;
        for (&v, t) in data.results.iter().zip(args) {
            self.set(v, t);
            state.carried.remove(&v);
        }
        if !state.guard.is_false(self.terms) {
            self.run_from(block, index + 1, state);
        }
    }

    /// What returns from calls that the present instruction made in earlier slots.
    pub(crate) fn returns_of_parked(&mut self, data: &'p InstData) -> Option<Arrival> {
        let Inst::Call(site) = &data.inst else { return None };
        let mut joined = None;
        while let Some(callee) = self.parked_callee() {
            let returned = self.call_again(callee, data.loc, &site.properties);
            if let Some(arrival) = returned {
                let arrival = self.fit_results(arrival, data);
                self.join_into(&mut joined, arrival, data.loc);
            }
            if self.stopped() {
                break;
            }
        }
        joined
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
    pub(crate) fn parked_iteration(&self, l: LoopId, done: u32) -> Option<(u32, u32)> {
        if !self.resumes() {
            return None;
        }
        let mut path = self.path();
        path.pop();
        let start = self.frame().info.loops.info(l).blocks.start;
        let mut from = path.clone();
        from.push((start, done));
        let pool = &self.threads.as_ref()?.turn.pool;
        let (Key(key), parked) = pool.range((Bound::Included(Key(from)), Bound::Unbounded)).next()?;
        let &(at, iteration) = key.get(path.len()).filter(|_| key.starts_with(&path))?;
        if at != start {
            return None;
        }
        let (frame, running) = (self.frames.len() - 1, self.frame().running.len() - 1);
        let uncounted = parked.frames[frame].running[running].uncounted;
        Some((iteration, uncounted))
    }
}
