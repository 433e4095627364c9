//! Threads, as far as one is alone.

use crate::exec::Next;
use crate::machine::{End, Machine};
use blitz_ir::{MemCheck, PropertyId, ThreadOp, Value};

impl Machine<'_, '_> {
    pub fn shared_access(&mut self, _check: &MemCheck) -> Result<Next, End> {
        Ok(Next::Continue)
    }

    pub fn await_state(&mut self, cond: Value, property: Option<PropertyId>) -> Result<Next, End> {
        if self.get(cond) == 0 {
            if let Some(own) = property {
                self.violated(blitz_ir::CheckKind::Deadlock, own, crate::checks::Details::default())?;
            }
            return self.unsupported("threads");
        }
        Ok(Next::Continue)
    }

    pub fn thread_op(&mut self, op: ThreadOp, args: &[Value], result: Option<Value>) -> Result<Next, End> {
        let answer = match op {
            ThreadOp::Start | ThreadOp::Exit => return self.unsupported("threads"),
            ThreadOp::Local => self.get(args[0]),
            ThreadOp::Self_ | ThreadOp::Done | ThreadOp::Resumed => 0,
            ThreadOp::Switch
            | ThreadOp::AtomicBegin
            | ThreadOp::AtomicEnd
            | ThreadOp::Acquire
            | ThreadOp::Release
            | ThreadOp::Publish => return Ok(Next::Continue),
        };
        if let Some(d) = result {
            self.set(d, answer);
        }
        Ok(Next::Continue)
    }
}
