//! Whole-program analyses in near-linear time: which memory a pointer means, what a function may write.
//!
//! Points-to is unification-based (Steensgaard, "Points-to analysis in almost linear time", POPL 1996) with fields by
//! offset. Two things keep the classes apart on real code: functions of our libc models and functions
//! that only hand out fresh memory (`xmalloc`) have an instance of their own for each call. Without
//! them every string and every allocation of the program would be one class.
//!
//! Direction: the classes are optimistic where C's rules are (an index stays inside its array); whoever uses them
//! must confirm a finding by a run, and must not prove absence with them. `Footprints` say less, and may be proved with.
//!
//! Absent: terms, solvers, any lowering.

mod bytes;
mod cells;
mod constraints;
mod effects;
mod footprint;
mod range;
mod returns;
mod wrappers;

pub use bytes::Bytes;
pub use cells::Region;
pub use constraints::Instance;
pub use footprint::{Footprint, Footprints, Places};

use blitz_ir::{FuncId, GlobalId, InstId, Program, Value};
use cells::{Cell, Cells};
use std::collections::{BTreeSet, HashMap};

/// The result of the analysis.
pub struct Analysis {
    cells: Cells,
    values: HashMap<(Instance, FuncId, Value), Cell>,
    instances: HashMap<(Instance, FuncId, InstId, FuncId), Instance>,
    globals: Vec<Cell>,
    effects: effects::Effects,
    indirect: HashMap<(FuncId, InstId), Vec<FuncId>>,
    callers: HashMap<FuncId, Vec<(FuncId, InstId)>>,
    wrappers: BTreeSet<FuncId>,
    /// Functions that can't return.
    stuck: BTreeSet<FuncId>,
}

impl Analysis {
    /// Analyses every function that can be reached from `entries`.
    pub fn new(program: &Program, entries: &[FuncId]) -> Self {
        constraints::analyse(program, entries)
    }

    /// The class of memory a pointer value of a function means, in an instance of it (0: the shared one).
    pub fn region(&self, instance: Instance, func: FuncId, value: Value) -> Option<Region> {
        self.values.get(&(instance, func, value)).map(|c| self.cells.region(*c))
    }

    /// The instance of `callee` that a call in an instance of `func` makes; 0 if it has none of its own.
    pub fn instance(&self, instance: Instance, func: FuncId, call: InstId, callee: FuncId) -> Instance {
        self.instances.get(&(instance, func, call, callee)).copied().unwrap_or(0)
    }

    /// What pointers stored in this class mean, if they all mean one class.
    pub fn pointee(&self, region: Region) -> Option<Region> {
        self.cells.pointee(region)
    }

    /// The class a global belongs to.
    pub fn global_region(&self, g: GlobalId) -> Region {
        self.cells.region(self.globals[g.index()])
    }

    /// The classes a call of the function may write or whose objects it may create or end, callees included.
    pub fn modified(&self, instance: Instance, func: FuncId) -> Vec<Region> {
        self.effects.modified((instance, func))
    }

    /// Whether the function only hands out fresh memory; each call of it has an instance of its own then.
    pub fn is_wrapper(&self, func: FuncId) -> bool {
        self.wrappers.contains(&func)
    }

    /// Whether no call of the function ever returns.
    pub fn never_returns(&self, func: FuncId) -> bool {
        self.stuck.contains(&func)
    }

    /// The functions a call through a pointer can mean.
    pub fn targets(&self, func: FuncId, call: InstId) -> &[FuncId] {
        self.indirect.get(&(func, call)).map_or(&[], Vec::as_slice)
    }

    /// The calls of a function in the program, direct and through pointers.
    pub fn callers(&self, func: FuncId) -> &[(FuncId, InstId)] {
        self.callers.get(&func).map_or(&[], Vec::as_slice)
    }

    /// How many classes there are.
    pub fn region_count(&self) -> usize {
        self.cells.root_count()
    }
}
