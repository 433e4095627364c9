//! Taking up what waits: an earlier wave is joined in, or run on.

use super::{Suspended, Waves};
use crate::machine::CallMade;
use crate::outcome::CutKind;
use crate::state::{Arrival, State};
use crate::walk::Executor;
use blitz_ir::Block;

impl<'p, 'a> Executor<'p, 'a, Waves<'p, 'a>> {
    /// An earlier wave that waits where this one has come to: joined into it.
    pub(super) fn absorb(&mut self, waiting: Suspended<'p>) {
        self.absorb_frames(&waiting);
        for (block, arrival) in waiting.arrivals {
            let mut slot = self.m.frame_mut().arrivals[block.index()].take();
            self.m.join_into(&mut slot, arrival, waiting.loc);
            self.m.frame_mut().arrivals[block.index()] = slot;
        }
    }

    /// The activations get the values of both. The condition is the whole guard of the earlier wave, not what tells it from
    /// this one: other states of these activations still wait for their turn and must not see its values.
    pub(super) fn absorb_frames(&mut self, waiting: &Suspended<'p>) {
        self.m.absorb_saved(waiting.guard, &waiting.frames);
    }

    /// Runs a waiting state on, to the end of the program or to where it waits again.
    pub(super) fn resume(&mut self, waiting: Suspended<'p>) {
        for saved in waiting.frames {
            let frame = self.m.restore_frame(saved);
            self.m.frames.push(frame);
        }
        match waiting.site.what {
            CutKind::Loop(l) => {
                for (block, arrival) in waiting.arrivals {
                    self.m.frame_mut().arrivals[block.index()] = Some(arrival);
                }
                self.continue_loop(l);
                let end = self.m.frame().info.loops.info(l).blocks.end;
                self.run_rest(end as usize);
            }
            CutKind::Recursion => {
                let (_, arrival) = waiting.arrivals.into_iter().next().expect("a call should have its arguments");
                let Some(lent) = self.lent_at_call() else { return self.m.frames.clear() };
                let Arrival { state, args } = arrival;
                let made_by = CallMade { loc: waiting.loc, lent, ..CallMade::BY_NOBODY };
                let returned = self.call(waiting.site.func, args, state, made_by);
                self.after_call(returned);
            }
            CutKind::Jump => {
                let (_, arrival) = waiting.arrivals.into_iter().next().expect("a jump should have its state");
                self.run_from_point(arrival);
            }
        }
        loop {
            self.run_jumps();
            let returned = self.m.leave_frame();
            if self.m.frames.is_empty() {
                return;
            }
            self.after_call(returned);
        }
    }

    /// What the call site at which the innermost activation stands lends to a model.
    fn lent_at_call(&self) -> Option<&'p [(blitz_ir::CheckKind, blitz_ir::PropertyId)]> {
        let frame = self.m.frame();
        match &frame.body.inst(frame.current?).inst {
            blitz_ir::Inst::Call(site) => Some(&site.properties),
            _ => None,
        }
    }

    /// The innermost activation goes on after the call at which it stands. If the call did not return there is nothing to go on
    /// with, but for what has jumped to this activation or to one around it.
    fn after_call(&mut self, returned: Option<Arrival>) {
        let Some(arrival) = returned else { return };
        let (block, index) = self.m.frame().at;
        let body = self.m.frame().body;
        let data = body.inst(self.m.frame().current.expect("an activation should stand at its call"));
        let Arrival { mut state, args } = self.m.fit_results(arrival, data);
        for (&v, t) in data.results.iter().zip(args) {
            self.m.set(v, t);
            state.carried.remove(&v);
        }
        self.run_on(block, index, state);
    }

    fn run_on(&mut self, block: Block, index: usize, state: State) {
        if !state.guard.is_false(self.m.terms) {
            self.run_from(block, index + 1, state);
        }
        if self.m.frame().is_at_point() {
            return self.run_after_point();
        }
        let info = self.m.here();
        let next = info.loops.pos[block.index()].map_or(0, |p| p as usize + 1);
        match self.m.frame().running.last().map(|r| r.l) {
            // In the condition of a loop: whether its body is run now is not decided yet.
            Some(l) if self.is_condition(l, block) => {
                self.continue_loop(l);
                self.run_rest(info.loops.info(l).blocks.end as usize);
            }
            _ => self.run_rest(next),
        }
    }

    /// The rest of the innermost activation from a place in the order of its blocks on, loops that are running included.
    fn run_rest(&mut self, mut from: usize) {
        let info = self.m.here();
        while let Some(l) = self.m.frame().running.last().map(|r| r.l) {
            let end = info.loops.info(l).blocks.end as usize;
            self.run_range(from, end, Some(l));
            self.m.running_mut().done += 1;
            self.continue_loop(l);
            from = end;
        }
        self.run_range(from, info.loops.order.len(), None);
    }
}
