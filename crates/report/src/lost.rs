//! Where the last pointer to memory was lost that nobody freed: read off the trace of the run that shows the leak.
//!
//! Why: a leak is reported where the memory was got; what is to be mended is mostly where the last pointer is overwritten, or goes out of scope.
//! The walk keeps the variables and the cells of memory that hold a pointer into the object. Where the last of them is overwritten, returned from or freed, the
//! pointer is lost, unless a later event still has it.
//!
//! Absent: pointers that bulk copies move, and memory that is lost because what points to it is: then nothing is said.

use blitz_base::Bv;
use blitz_base::span::Loc;
use blitz_interp::{Event, ObjectKind, ObjectName, RunResult};
use blitz_ir::{FuncId, Program, Var};
use std::collections::BTreeSet;

/// Who can hold a pointer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    /// A variable of the n-th open call.
    Variable(usize, FuncId, Var),
    Cell {
        object: u64,
        offset: i64,
    },
}

/// Who holds a pointer into one object, event by event.
struct Walk<'a> {
    program: &'a Program,
    run: &'a RunResult,
    object: u64,
    holders: BTreeSet<Holder>,
    /// A call has just returned it, or made it.
    handed_over: bool,
    /// Open calls.
    depth: usize,
    lost: Option<Loc>,
}

/// Where the last pointer into an object was lost, if the trace shows it.
pub(crate) fn place(program: &Program, run: &RunResult, object: u64) -> Option<Loc> {
    let mut walk = Walk { program, run, object, holders: BTreeSet::new(), handed_over: false, depth: 0, lost: None };
    for event in &run.trace {
        walk.take(event);
    }
    walk.lost.filter(|loc| loc.is_known() && walk.holders.is_empty())
}

impl Walk<'_> {
    fn take(&mut self, event: &Event) {
        match event {
            Event::Enter { .. } => self.depth += 1,
            Event::Leave { func, results, loc } => {
                self.leave(*func);
                self.depth = self.depth.saturating_sub(1);
                self.handed_over |= results.iter().any(|r| self.is_meant(r));
                self.note(*loc);
            }
            Event::Assign { func, var, value, loc } => {
                self.put(Holder::Variable(self.depth, *func, *var), value);
                self.note(*loc);
            }
            Event::Store { object, offset, value, loc, .. } => {
                self.put(Holder::Cell { object: *object, offset: *offset }, value);
                self.note(*loc);
            }
            Event::Alloc { object, loc, .. } if *object == self.object => {
                self.handed_over = true;
                self.note(*loc);
            }
            Event::Free { object, loc } => {
                self.holders.retain(|h| !matches!(h, Holder::Cell { object: o, .. } if o == object));
                self.note(*loc);
            }
            Event::Alloc { .. }
            | Event::Branch { .. }
            | Event::Turn { .. }
            | Event::Input(_)
            | Event::Output { .. } => {}
        }
    }

    fn put(&mut self, holder: Holder, value: &Bv) {
        if self.is_meant(value) {
            self.holders.insert(holder);
        } else {
            self.holders.remove(&holder);
        }
        // What a call returned has come to where it goes.
        self.handed_over = false;
    }

    /// The variables of the innermost call are gone, and its objects on the stack.
    fn leave(&mut self, func: FuncId) {
        let (depth, objects) = (self.depth, &self.run.objects);
        let on_stack = |object: &u64| {
            let info = objects.get(object);
            let of_call = |name: ObjectName| matches!(name, ObjectName::Var(f, _) if f == func);
            info.is_some_and(|i| i.kind == ObjectKind::Stack && i.name.is_some_and(of_call))
        };
        self.holders.retain(|h| match h {
            Holder::Variable(at, ..) => *at != depth,
            Holder::Cell { object, .. } => !on_stack(object),
        });
    }

    fn note(&mut self, loc: Loc) {
        let held = self.handed_over || !self.holders.is_empty();
        self.lost = if held { None } else { self.lost.or(Some(loc)) };
    }

    /// Whether a value is a pointer into the object.
    fn is_meant(&self, value: &Bv) -> bool {
        let target = self.program.target;
        value.width() == target.ptr_bits && value.to_u64().is_some_and(|p| p >> target.offset_bits() == self.object)
    }
}
