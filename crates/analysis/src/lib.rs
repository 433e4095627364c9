//! Whole-program analyses in near-linear time: which memory a pointer means, what a function may write.
//!
//! Points-to is unification-based (Steensgaard, "Points-to analysis in almost linear time", POPL 1996) with members as
//! classes of their own (`cells`); effects are by parts of memory that no access straddles (`layout`). Two things keep
//! the classes apart on real code: functions of our libc models and functions that only hand out fresh memory
//! (`xmalloc`) have an instance of their own for each call. Without them every string and every allocation of the
//! program would be one class.
//!
//! Direction: the classes are optimistic where C's rules are (an index stays inside its array); whoever uses them must
//! confirm a finding by a run, and must not prove absence with them. `Footprints` say less, and may be proved with.
//!
//! Absent: terms, solvers, any lowering.

mod bytes;
mod cells;
mod constraints;
mod effects;
mod footprint;
mod layout;
mod range;
mod returns;
mod wrappers;

pub use bytes::Bytes;
pub use cells::{Cell, Region};
pub use constraints::Instance;
pub use footprint::{Footprint, Footprints, Places};
pub use layout::Place;

use blitz_ir::{FuncId, GlobalId, InstId, Program, Value};
use cells::Cells;
use std::collections::{BTreeSet, HashMap};

/// The result of the analysis.
pub struct Analysis {
    cells: Cells,
    layout: layout::Layout,
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

    /// What a pointer value of a function means, in an instance of it.
    pub fn cell(&self, instance: Instance, func: FuncId, value: Value) -> Option<Cell> {
        self.values.get(&(instance, func, value)).map(|c| self.place(*c))
    }

    /// A place in a global.
    pub fn global(&self, g: GlobalId, offset: i64) -> Cell {
        self.place(self.cells.shifted(self.globals[g.index()], offset))
    }

    /// A place as all that mean the same one know it.
    fn place(&self, cell: Cell) -> Cell {
        let (node, offset) = self.cells.find(cell);
        Cell { node, offset: self.cells.place(node, offset) }
    }

    /// The instance of `callee` that a call in an instance of `func` makes; the shared one if it has none of its own.
    pub fn instance(&self, instance: Instance, func: FuncId, call: InstId, callee: FuncId) -> Instance {
        self.instances.get(&(instance, func, call, callee)).copied().unwrap_or(Instance::SHARED)
    }

    /// What pointers stored in this class mean, if they all mean one class.
    pub fn pointee(&self, cell: Cell) -> Option<Cell> {
        self.cells.pointee(cell).map(|c| self.place(c))
    }

    /// What stands for the sizes and the liveness of the objects of a class.
    pub fn life(&self, cell: Cell) -> Region {
        self.cells.life(cell)
    }

    /// The part of memory that a load or store of so many bytes is in.
    pub fn part(&self, cell: Cell, bytes: u64) -> Option<Region> {
        self.layout.part(&self.cells, cell, bytes)
    }

    /// The parts that so many bytes from a place on have something of; all of the class if it is not known how many.
    pub fn places(&self, cell: Cell, len: Option<u64>) -> layout::Places {
        self.layout.places(&self.cells, cell, len)
    }

    /// The parts a call of the function may write, and the lives it may change, callees included.
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
