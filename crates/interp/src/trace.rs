//! The trace: what happened, for people.

use crate::code::{CallInfo, From, Operand};
use crate::config::TraceLevel;
use crate::machine::{Activation, End, Machine, frame_loc};
use crate::outcome::{Event, ObjectInfo, ObjectKind};
use blitz_base::Bv;
use blitz_ir::{FuncId, Inst};
use std::collections::{BTreeMap, VecDeque};

/// Collects events; the oldest go when there are too many.
pub struct Recorder {
    level: TraceLevel,
    max: usize,
    events: VecDeque<Event>,
}

impl Recorder {
    pub fn new(level: TraceLevel, max: usize) -> Self {
        Self { level, max, events: VecDeque::new() }
    }

    /// Whether anything is recorded.
    #[inline]
    pub fn calls(&self) -> bool {
        self.level != TraceLevel::None
    }

    pub fn push(&mut self, event: Event) {
        if !self.calls() || self.max == 0 {
            return;
        }
        if self.events.len() >= self.max {
            self.events.pop_front();
        }
        self.events.push_back(event);
    }

    pub fn finish(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events).into()
    }
}

impl<'p> Machine<'_, 'p> {
    /// What the values of a trace may point into, numbers that only look like pointers included, and what was written to.
    pub fn objects_in(&self, trace: &[Event]) -> BTreeMap<u64, ObjectInfo> {
        let mut found = BTreeMap::new();
        let pointers = trace.iter().flat_map(Event::values).filter(|v| v.width() == self.program.target.ptr_bits);
        let written = trace.iter().filter_map(|event| match event {
            Event::Store { object, .. } => Some(*object),
            _ => None,
        });
        for number in pointers.filter_map(Bv::to_u64).map(|p| self.memory.object_of(p)).chain(written) {
            let own = self.memory.info(number).is_some_and(|o| matches!(o.kind, ObjectKind::Stack | ObjectKind::Heap));
            if own && !found.contains_key(&number) {
                found.extend(self.object_info(number).map(|info| (number, info)));
            }
        }
        found
    }

    pub fn record_entry(&mut self, func: FuncId, args: &[Bv]) {
        let loc = self.program.decl(func).loc;
        self.recorder.push(Event::Enter { func, args: args.to_vec(), loc });
    }

    /// A call has opened a frame. What models do among themselves is not recorded.
    pub fn record_enter(&mut self, func: FuncId, base: usize, info: &CallInfo) {
        let caller = &self.frames[self.frames.len() - 2];
        if caller.code.model && self.top().code.model {
            return;
        }
        // A callback's or `main`'s caller is not the user's: then it is the function's own place.
        let loc = if caller.code.model { self.program.decl(func).loc } else { frame_loc(caller) };
        let args = info.args.iter().map(|&a| self.read_bv_at(base, a)).collect();
        self.recorder.push(Event::Enter { func, args, loc });
    }

    /// A frame was closed by a return of these operands.
    pub fn record_leave(&mut self, frame: &Activation<'_, 'p>, values: &[Operand]) {
        if frame.code.model && self.top().code.model {
            return;
        }
        let results = values.iter().map(|&v| self.read_bv_at(frame.base, v)).collect();
        self.recorder.push(Event::Leave { func: frame.code.id, results, loc: frame_loc(frame) });
    }

    /// Records what an instruction has just done.
    pub fn trace_inst(&mut self) -> Result<(), End> {
        let top = self.top();
        let (func, loc) = (top.code.id, self.loc());
        let From::Inst(inst) = top.code.origins[top.pc as usize].get() else { return Ok(()) };
        match top.code.func.inst(inst).inst {
            Inst::Debug { var, value, indirect: false } => {
                let value = self.value(value);
                self.recorder.push(Event::Assign { func, var, value, loc });
            }
            Inst::Store { ptr, value } => {
                let ty = top.code.func.ty(value);
                let (ptr, value) = (self.get(ptr), self.value(value));
                let object = self.memory.object_of(ptr);
                let name = self.memory.info(object).and_then(|o| o.name);
                let offset = self.memory.offset_of(ptr);
                self.recorder.push(Event::Store { func, object, name, offset, ty, value, loc });
            }
            _ => {}
        }
        Ok(())
    }

    /// Records which way a branch goes.
    pub fn trace_branch(&mut self, cond: u64) -> Result<(), End> {
        let (func, loc) = (self.top().code.id, self.loc());
        self.recorder.push(Event::Branch { func, taken: cond != 0, loc });
        Ok(())
    }
}
