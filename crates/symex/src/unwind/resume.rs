//! Putting activations away and taking them up again.

use super::live::{Bits, Liveness};
use super::{Running, SavedFrame, Suspended};
use crate::exec::{Executor, Frame};
use crate::outcome::CutKind;
use crate::state::{Arrival, State};
use blitz_ir::{Block, FuncId, Type, Value, ValueDef};
use blitz_term::Term;
use std::rc::Rc;

impl<'p> Executor<'p, '_> {
    /// All activations as they stand, with what they still need. `goes_on` are the blocks in which the innermost one goes
    /// on; none if it waits at a call like the others.
    pub(super) fn save_frames(&mut self, goes_on: &[Block]) -> Vec<SavedFrame<'p>> {
        (0..self.frames.len())
            .map(|i| {
                let blocks = if i + 1 == self.frames.len() { goes_on } else { &[] };
                self.save_frame(i, blocks)
            })
            .collect()
    }

    /// The same where the innermost activation stands before an instruction.
    pub(crate) fn save_frames_here(&mut self) -> Vec<SavedFrame<'p>> {
        let last = self.frames.len() - 1;
        let mut out: Vec<SavedFrame<'p>> = (0..last).map(|i| self.save_frame(i, &[])).collect();
        let liveness = self.liveness(self.frame().func);
        let frame = self.frame();
        let needed = liveness.from(frame.body, frame.at.0, frame.at.1);
        out.push(self.save_needed(last, &needed));
        out
    }

    fn save_frame(&mut self, index: usize, goes_on: &[Block]) -> SavedFrame<'p> {
        let liveness = self.liveness(self.frames[index].func);
        let frame = &self.frames[index];
        let mut needed = Bits::none(frame.body.values.len());
        if goes_on.is_empty() {
            needed.add(&liveness.from(frame.body, frame.at.0, frame.at.1 + 1));
        }
        for &b in goes_on {
            needed.add(liveness.at_entry(b));
        }
        self.save_needed(index, &needed)
    }

    fn save_needed(&self, index: usize, needed: &Bits) -> SavedFrame<'p> {
        let frame = &self.frames[index];
        // A pointer in a variable keeps what it names from being a leak, needed or not.
        let keeps = |v: Value| frame.body.ty(v) == Type::Ptr && !self.program.decl(frame.func).model;
        let values = frame.values.iter().enumerate().filter_map(|(i, t)| {
            let v = Value::new(i);
            let constant = matches!(frame.body.values[i].def, ValueDef::Const(_));
            t.filter(|_| !constant && (needed.has(v) || keeps(v))).map(|t| (v, t))
        });
        SavedFrame {
            func: frame.func,
            values: values.collect(),
            allocas: frame.allocas.clone(),
            call_loc: frame.call_loc,
            lent: frame.lent,
            at: frame.at,
            current: frame.current,
            running: frame.running.iter().map(|r| Running { head: None, ..r.clone() }).collect(),
            callers_carried: frame.callers_carried.clone(),
            activation: frame.activation,
            points: frame.points.clone(),
            leg: frame.leg,
        }
    }

    fn liveness(&mut self, func: FuncId) -> Rc<Liveness> {
        let body = self.program.body(func).expect("a function that runs should have a body");
        Rc::clone(self.liveness.entry(func).or_insert_with(|| Rc::new(Liveness::new(body))))
    }

    fn restore_frame(&mut self, saved: SavedFrame<'p>) -> Frame<'p> {
        let body = self.program.body(saved.func).expect("a function that ran should have a body");
        let mut frame = self.make_frame(saved.func, body, saved.call_loc, saved.lent);
        for (v, t) in saved.values {
            frame.values[v.index()] = Some(t);
        }
        frame.allocas = saved.allocas;
        frame.at = saved.at;
        frame.current = saved.current;
        frame.running = saved.running;
        frame.callers_carried = saved.callers_carried;
        frame.activation = saved.activation;
        frame.points = saved.points;
        frame.leg = saved.leg;
        frame
    }

    /// An earlier wave that waits where this one has come to: joined into it.
    pub(super) fn absorb(&mut self, waiting: Suspended<'p>) {
        self.absorb_frames(&waiting);
        for (block, arrival) in waiting.arrivals {
            let mut slot = self.frame_mut().arrivals[block.index()].take();
            self.join_into(&mut slot, arrival, waiting.loc);
            self.frame_mut().arrivals[block.index()] = slot;
        }
    }

    /// The activations get the values of both. The condition is the whole guard of the earlier wave, not what tells it from
    /// this one: other states of these activations still wait for their turn and must not see its values.
    pub(super) fn absorb_frames(&mut self, waiting: &Suspended<'p>) {
        self.absorb_saved(waiting.guard, &waiting.frames);
    }

    pub(crate) fn absorb_saved(&mut self, theirs: Term, waiting: &[SavedFrame<'p>]) {
        let terms = &mut *self.terms;
        for (frame, saved) in self.frames.iter_mut().zip(waiting) {
            frame.add_points(&saved.points);
            // That no execution goes on was found out about this wave alone, and where a visit began is known of it alone.
            for running in &mut frame.running {
                (running.ends, running.head) = (None, None);
            }
            for &(v, t) in &saved.values {
                let slot = &mut frame.values[v.index()];
                *slot = Some(slot.map_or(t, |mine| terms.ite(theirs, t, mine)));
            }
            for (&v, &t) in &saved.callers_carried {
                let merged = frame.callers_carried.get(&v).map_or(t, |&mine| terms.ite(theirs, t, mine));
                frame.callers_carried.insert(v, merged);
            }
            for &(number, before) in &saved.allocas {
                match frame.allocas.iter_mut().find(|(n, _)| *n == number) {
                    Some((_, mine)) => *mine = terms.ite(theirs, before, *mine),
                    None => frame.allocas.push((number, before)),
                }
            }
        }
    }

    /// Runs a waiting state on, to the end of the program or to where it waits again.
    pub(super) fn resume(&mut self, waiting: Suspended<'p>) {
        for saved in waiting.frames {
            let frame = self.restore_frame(saved);
            self.frames.push(frame);
        }
        match waiting.site.what {
            CutKind::Loop(l) => {
                for (block, arrival) in waiting.arrivals {
                    self.frame_mut().arrivals[block.index()] = Some(arrival);
                }
                self.continue_loop(l);
                let end = self.frame().info.loops.info(l).blocks.end;
                self.run_rest(end as usize);
            }
            CutKind::Recursion => {
                let (_, arrival) = waiting.arrivals.into_iter().next().expect("a call should have its arguments");
                let Some(lent) = self.lent_at_call() else { return self.frames.clear() };
                let Arrival { state, args } = arrival;
                let returned = self.call(waiting.site.func, args, state, waiting.loc, lent);
                self.after_call(returned);
            }
            CutKind::Jump => {
                let (_, arrival) = waiting.arrivals.into_iter().next().expect("a jump should have its state");
                self.run_from_point(arrival);
            }
        }
        loop {
            self.run_jumps();
            let returned = self.leave_frame();
            if self.frames.is_empty() {
                return;
            }
            self.after_call(returned);
        }
    }

    /// What the call site at which the innermost activation stands lends to a model.
    fn lent_at_call(&self) -> Option<&'p [(blitz_ir::CheckKind, blitz_ir::PropertyId)]> {
        let frame = self.frame();
        match &frame.body.inst(frame.current?).inst {
            blitz_ir::Inst::Call(site) => Some(&site.properties),
            _ => None,
        }
    }

    /// The innermost activation goes on after the call at which it stands. If the call did not return there is nothing to go on
    /// with, but for what has jumped to this activation or to one around it.
    fn after_call(&mut self, returned: Option<Arrival>) {
        let Some(arrival) = returned else { return };
        let (block, index) = self.frame().at;
        let body = self.frame().body;
        let data = body.inst(self.frame().current.expect("an activation should stand at its call"));
        let Arrival { mut state, args } = self.fit_results(arrival, data);
        for (&v, t) in data.results.iter().zip(args) {
            self.set(v, t);
            state.carried.remove(&v);
        }
        self.run_on(block, index, state);
    }

    fn run_on(&mut self, block: Block, index: usize, state: State) {
        if !state.guard.is_false(self.terms) {
            self.run_from(block, index + 1, state);
        }
        if self.frame().is_at_point() {
            return self.run_after_point();
        }
        let info = Rc::clone(&self.frame().info);
        let next = info.loops.pos[block.index()].map_or(0, |p| p as usize + 1);
        match self.frame().running.last().map(|r| r.l) {
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
        let info = Rc::clone(&self.frame().info);
        while let Some(l) = self.frame().running.last().map(|r| r.l) {
            let end = info.loops.info(l).blocks.end as usize;
            self.run_range(from, end, Some(l));
            self.visit_over();
            self.continue_loop(l);
            from = end;
        }
        self.run_range(from, info.loops.order.len(), None);
    }
}
