//! Putting activations away and taking them up again: what stops at a place of the unwound program goes on there later.
//!
//! Places are ordered as the program would come to them (`Key`). What comes to a place where something was put away
//! takes it along.

use crate::ids::{ActivationNo, ObjectNo};
use crate::jumps::Point;
use crate::live::Bits;
use crate::machine::{CallMade, Frame, Machine, Running};
use blitz_ir::{Block, FuncId, InstId, Type, Value, ValueDef};
use blitz_term::Term;
use imbl::OrdMap;
use std::rc::Rc;

/// The place of a waiting state; they are ordered as the program would come to them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(pub(crate) Vec<(u32, u32)>);

/// An activation that waits: what it still needs.
#[derive(Clone)]
pub(crate) struct SavedFrame<'p> {
    pub(crate) func: FuncId,
    pub(crate) values: Vec<(Value, Term)>,
    allocas: Vec<(ObjectNo, Term)>,
    made_by: CallMade<'p>,
    pub(crate) at: (Block, usize),
    current: Option<InstId>,
    pub(crate) running: Vec<Running>,
    callers_carried: OrdMap<Value, Term>,
    activation: ActivationNo,
    points: Vec<Rc<Point>>,
    leg: u32,
}

impl<'p> Machine<'p, '_> {
    /// All activations as they stand, with what they still need. `goes_on` are the blocks in which the innermost one
    /// goes on; none if it waits at a call like the others.
    pub(crate) fn save_frames(&self, goes_on: &[Block]) -> Vec<SavedFrame<'p>> {
        (0..self.frames.len())
            .map(|i| {
                let blocks = if i + 1 == self.frames.len() { goes_on } else { &[] };
                self.save_frame(i, blocks)
            })
            .collect()
    }

    /// The same where the innermost activation stands before an instruction.
    pub(crate) fn save_frames_here(&self) -> Vec<SavedFrame<'p>> {
        let last = self.frames.len() - 1;
        let mut out: Vec<SavedFrame<'p>> = (0..last).map(|i| self.save_frame(i, &[])).collect();
        let frame = self.frame();
        let needed = frame.info.liveness(frame.body).from(frame.body, frame.at.0, frame.at.1);
        out.push(self.save_needed(last, &needed));
        out
    }

    fn save_frame(&self, index: usize, goes_on: &[Block]) -> SavedFrame<'p> {
        let frame = &self.frames[index];
        let liveness = frame.info.liveness(frame.body);
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
            made_by: frame.made_by,
            at: frame.at,
            current: frame.current,
            running: frame.running.iter().map(|r| Running { head: None, ..r.clone() }).collect(),
            callers_carried: frame.callers_carried.clone(),
            activation: frame.activation,
            points: frame.points.clone(),
            leg: frame.leg,
        }
    }

    pub(crate) fn restore_frame(&mut self, saved: SavedFrame<'p>) -> Frame<'p> {
        let mut frame = self.make_frame(saved.func, saved.made_by);
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

    pub(crate) fn absorb_saved(&mut self, theirs: Term, waiting: &[SavedFrame<'p>]) {
        let terms = &mut *self.terms;
        for (frame, saved) in self.frames.iter_mut().zip(waiting) {
            frame.add_points(&saved.points);
            // That no execution goes on was found out about this wave alone, and where an iteration began is known of
            // it alone.
            for running in &mut frame.running {
                running.head = None;
                running.watch.forget_end();
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

    pub(crate) fn loop_key(&self) -> Key {
        let mut out = Vec::new();
        for (i, frame) in self.frames.iter().enumerate() {
            push_running(&mut out, frame);
            if let Some(inner) = self.frames.get(i + 1) {
                push_call(&mut out, frame, inner.func);
            }
        }
        Key(out)
    }

    pub(crate) fn call_key(&self, callee: FuncId) -> Key {
        let Key(mut out) = self.loop_key();
        push_call(&mut out, self.frame(), callee);
        Key(out)
    }
}

/// Compared entry by entry: a loop is where its head is, then by iterations; a call where its block is, then by
/// instruction. What is run from a `setjmp` on comes after all that.
fn push_running(out: &mut Vec<(u32, u32)>, frame: &Frame<'_>) {
    out.extend((frame.leg > 0).then_some((u32::MAX, frame.leg)));
    out.extend(frame.running.iter().map(|r| (frame.info.loops.info(r.l).blocks.start, r.done)));
}

fn push_call(out: &mut Vec<(u32, u32)>, frame: &Frame<'_>, callee: FuncId) {
    let (block, index) = frame.at;
    let place = frame.info.loops.pos[block.index()].unwrap_or(0);
    out.extend([(place, index as u32), (callee.0, 0)]);
}
