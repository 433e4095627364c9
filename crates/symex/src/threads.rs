//! Threads, as far as one is alone: what the primitives mean before any other thread was started. Starting one is a gap.
//!
//! Why that much: programs that start threads take locks and print before they do, and what they do there is understood.

use crate::exec::{Executor, Flow};
use crate::memory::Refusal;
use crate::state::State;
use blitz_base::span::Loc;
use blitz_ir::{CheckKind, InstData, MemCheck, PropertyId, ThreadOp, Value};
use blitz_term::Term;

impl Executor<'_, '_> {
    /// An access that other threads may see: nobody else is there.
    pub(crate) fn shared_access(&mut self, _state: &mut State, _check: &MemCheck, _loc: Loc) {}

    /// The thread waits for a state that nobody else can bring about.
    pub(crate) fn await_state(&mut self, state: &mut State, cond: Value, property: Option<PropertyId>, loc: Loc) {
        let cond = self.get(cond);
        if let Some(own) = property {
            let stuck = self.terms.not(cond);
            self.claim(state, CheckKind::Deadlock, own, stuck, loc);
        }
        state.guard = state.guard.and(self.terms, cond);
    }

    pub(crate) fn thread_op(
        &mut self,
        state: &mut State,
        data: &InstData,
        op: ThreadOp,
        args: &[Term],
    ) -> Result<Flow, Refusal> {
        match op {
            ThreadOp::Start | ThreadOp::Exit => {
                self.gap(state, "threads".to_string(), data.loc);
                return Ok(Flow::End);
            }
            ThreadOp::Self_ => {
                let main = self.terms.bv(32, 0);
                self.yields(data, main);
            }
            ThreadOp::Done | ThreadOp::Resumed => {
                let no = self.terms.fls();
                self.yields(data, no);
            }
            ThreadOp::Local => self.yields(data, args[0]),
            ThreadOp::Switch
            | ThreadOp::AtomicBegin
            | ThreadOp::AtomicEnd
            | ThreadOp::Acquire
            | ThreadOp::Release
            | ThreadOp::Publish => {}
        }
        Ok(Flow::On)
    }
}
