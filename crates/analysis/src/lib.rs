//! Whole-program analyses in near-linear time: which memory a pointer means, what a function may write.
//!
//! Points-to is unification-based (Steensgaard, "Points-to analysis in almost linear time", POPL 1996) with fields by
//! offset. Two things keep the classes apart on real code: functions of our libc models are analysed anew for each call
//! from user code, and functions that only hand out fresh memory (`xmalloc`) give a new class per call site. Without
//! them every string and every allocation of the program would be one class.
//!
//! Direction: the classes are optimistic where C's rules are (an index stays inside its array); whoever uses them
//! must confirm a finding by a run, and must not prove absence with them.
//!
//! Absent: terms, solvers, any lowering.

mod cells;
mod constraints;
mod effects;
mod wrappers;

pub use cells::Region;

use blitz_ir::{FuncId, GlobalId, InstId, Program, Value};
use cells::{Cell, Cells};
use std::collections::HashMap;

/// The result of the analysis.
pub struct Analysis {
    cells: Cells,
    values: HashMap<(FuncId, Value), Cell>,
    globals: Vec<Cell>,
    effects: effects::Effects,
    indirect: HashMap<(FuncId, InstId), Vec<FuncId>>,
    callers: HashMap<FuncId, Vec<(FuncId, InstId)>>,
}

impl Analysis {
    /// Analyses every function that can be reached from `entries`.
    pub fn new(program: &Program, entries: &[FuncId]) -> Self {
        constraints::analyse(program, entries)
    }

    /// The class of memory a pointer value of a user function means.
    pub fn region(&self, func: FuncId, value: Value) -> Option<Region> {
        self.values.get(&(func, value)).map(|c| self.cells.region(*c))
    }

    /// The class a global belongs to.
    pub fn global_region(&self, g: GlobalId) -> Region {
        self.cells.region(self.globals[g.index()])
    }

    /// The classes a call of the function may write or whose objects it may create or end, callees included.
    pub fn modified(&self, func: FuncId) -> Vec<Region> {
        self.effects.modified(func)
    }

    /// Whether a call of the function may change this class.
    pub fn may_modify(&self, func: FuncId, region: Region) -> bool {
        self.effects.may_modify(func, region)
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
