//! Primitives of threads where threads are not followed: there is one.

use crate::policy::Policy;
use crate::state::State;
use crate::walk::{Executor, Goes};
use blitz_ir::{InstData, ThreadOp};
use blitz_term::Term;

/// How wide the numbers of threads are.
pub(crate) const ID_BITS: u16 = 32;

impl<'p, 'a, P: Policy<'p, 'a>> Executor<'p, 'a, P> {
    /// Where threads are not followed there is one.
    pub(crate) fn alone(&mut self, state: &State, data: &InstData, op: ThreadOp, args: &[Term]) -> Goes {
        match op {
            ThreadOp::Start | ThreadOp::Exit => {
                self.m.gap(state, "threads", data.loc);
                return Goes::Nowhere;
            }
            ThreadOp::Self_ => {
                let zero = self.m.terms.bv(ID_BITS, 0);
                self.m.yields(data, zero);
            }
            ThreadOp::Done | ThreadOp::Resumed => {
                let no = self.m.terms.fls();
                self.m.yields(data, no);
            }
            ThreadOp::Local => self.m.yields(data, args[0]),
            ThreadOp::Switch
            | ThreadOp::AtomicBegin
            | ThreadOp::AtomicEnd
            | ThreadOp::Acquire
            | ThreadOp::Release
            | ThreadOp::Publish => {}
        }
        Goes::On
    }
}
