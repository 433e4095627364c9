//! What a run ends in, and what it tells on the way.

use crate::config::InputValue;
use crate::schedule::Slot;
use crate::script::Observed;
use blitz_base::span::Loc;
use blitz_base::{Bv, Stop};
use blitz_ir::{Approximation, CheckKind, FuncId, GlobalId, InputName, PropertyId, Type, Unsupported, Var};
use std::collections::{BTreeMap, BTreeSet};

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    pub outcome: Outcome,
    pub trace: Vec<Event>,
    /// The objects of the run itself (locals, heap) that values in the trace point into.
    pub objects: BTreeMap<u64, ObjectInfo>,
    /// Inputs in the order they were asked for.
    pub inputs_used: Vec<UsedInput>,
    /// IR instructions executed (markers of variables not counted).
    pub steps: u64,
    /// What the program wrote, by file descriptor, unless the caller gave a sink of its own.
    pub output: Vec<(i32, Vec<u8>)>,
    /// Violations that `RunConfig::only` made the run go past; the first hundred.
    pub passed_over: Vec<Violation>,
    /// Where models on the way did what the real functions may not do, with the user's calls; each text once.
    pub more: Vec<(Approximation, Loc)>,
    /// Functions without body and model that were called: their answers and effects are made up.
    pub answered: BTreeSet<FuncId>,
    /// The steps that threads made, in order; empty while there is one only.
    pub schedule: Vec<Slot>,
    /// Of a scripted run.
    pub observed: Observed,
}

impl RunResult {
    /// All bytes written to one file descriptor.
    pub fn written(&self, fd: i32) -> Vec<u8> {
        self.output.iter().filter(|(f, _)| *f == fd).flat_map(|(_, b)| b.iter().copied()).collect()
    }
}

/// How a run ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The program ended with this status.
    Exit(i32),
    Violation(Box<Violation>),
    /// The inputs are outside of what counts.
    AssumeFailed(Loc),
    /// Something we can't execute; no statement about the program.
    Unsupported {
        what: Unsupported,
        loc: Loc,
    },
    OutOfSteps,
    Stopped(Stop),
    /// The program ended abnormally (`abort`, `_exit`) with this status; leaks were not looked for.
    Halt(i32),
}

/// A check that failed.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Of the user's call site when the check is inside a libc model.
    pub property: PropertyId,
    pub kind: CheckKind,
    /// The place in the user's code.
    pub loc: Loc,
    /// The call stack, innermost first; for a leak that of the allocation.
    pub stack: Vec<Frame>,
    /// The operands that matter.
    pub values: Vec<NamedValue>,
    pub object: Option<ObjectInfo>,
    /// Offset into the object, for memory accesses.
    pub offset: Option<i64>,
    /// Bytes accessed, for memory accesses.
    pub size: Option<u64>,
    /// The thread that violates it.
    pub thread: u32,
    /// What other threads have to do with it: the other access of a race, who else waits.
    pub others: Vec<ThreadStand>,
}

/// Where a thread stands, or stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStand {
    pub thread: u32,
    pub doing: Doing,
    /// Innermost call first.
    pub stack: Vec<Frame>,
}

/// What a thread does, or did, in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    Read,
    Wrote,
    Waits,
}

/// A call that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub func: FuncId,
    /// Where execution stands in it.
    pub loc: Loc,
    /// Where it was called from; `None` for the entry.
    pub call_loc: Option<Loc>,
}

/// A value with the name the source has for it, if any.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue {
    pub name: Option<String>,
    pub ty: Type,
    pub value: Bv,
}

/// What a pointer points into.
#[derive(Clone, Debug)]
pub struct ObjectInfo {
    pub number: u64,
    pub kind: ObjectKind,
    pub name: Option<ObjectName>,
    pub size: u64,
    pub live: bool,
    pub allocated: Vec<Frame>,
    pub freed: Vec<Frame>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Global,
    Stack,
    Heap,
    Code,
}

/// What the source calls an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectName {
    Global(GlobalId),
    Var(FuncId, Var),
    Func(FuncId),
}

/// An input the run took.
#[derive(Clone, Debug, PartialEq)]
pub struct UsedInput {
    pub name: InputName,
    pub value: InputValue,
    /// The place in the user's code.
    pub loc: Loc,
    /// The library call that asked for it; `None` where the user's own code or the start code did.
    pub via: Option<Via>,
}

/// A call of a libc model by the user's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Via {
    pub func: FuncId,
    /// It is the n-th call of this function by the user's code, counted from 1.
    pub nth: u32,
    /// The string its first pointer points to, where it is one: the name of a variable or file.
    pub text: Option<Vec<u8>>,
}

/// A thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Enter {
        func: FuncId,
        args: Vec<Bv>,
        loc: Loc,
    },
    Leave {
        func: FuncId,
        results: Vec<Bv>,
        loc: Loc,
    },
    /// A variable got a value.
    Assign {
        func: FuncId,
        var: Var,
        value: Bv,
        loc: Loc,
    },
    /// Memory was written; the name is that of the object.
    Store {
        func: FuncId,
        object: u64,
        name: Option<ObjectName>,
        offset: i64,
        ty: Type,
        value: Bv,
        loc: Loc,
    },
    Branch {
        func: FuncId,
        taken: bool,
        loc: Loc,
    },
    /// What follows is done by this thread; thread 0 is the first.
    Turn {
        thread: u32,
    },
    Input(UsedInput),
    Alloc {
        object: u64,
        size: u64,
        loc: Loc,
    },
    Free {
        object: u64,
        loc: Loc,
    },
    Output {
        fd: i32,
        bytes: Vec<u8>,
        loc: Loc,
    },
}

impl Event {
    /// The values it tells of.
    pub fn values(&self) -> &[Bv] {
        match self {
            Event::Enter { args, .. } => args,
            Event::Leave { results, .. } => results,
            Event::Assign { value, .. } | Event::Store { value, .. } => std::slice::from_ref(value),
            Event::Branch { .. }
            | Event::Turn { .. }
            | Event::Input(_)
            | Event::Alloc { .. }
            | Event::Free { .. }
            | Event::Output { .. } => &[],
        }
    }
}
