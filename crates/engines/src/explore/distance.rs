//! How many blocks lie between a place and the nearest of some others: control flow and direct calls of the user's functions.

use crate::tuning::DISTANCE_PER_RETURN;
use blitz_ir::callgraph::CallGraph;
use blitz_ir::{Block, Func, FuncId, Inst, Program, Target};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// A block of a function.
pub type Spot = (FuncId, Block);

/// The blocks of the user's functions that execution may come to, and who leads to whom.
pub(crate) struct Map {
    before: HashMap<Spot, Vec<Spot>>,
    pub all: BTreeSet<Spot>,
}

impl Map {
    pub fn new(program: &Program, entry: FuncId) -> Self {
        let calls = CallGraph::new(program, &[entry]);
        let mut out = Self { before: HashMap::new(), all: BTreeSet::new() };
        for &f in calls.components().iter().flatten() {
            if let Some(body) = program.body(f).filter(|_| !program.decl(f).model) {
                out.add(program, f, body);
            }
        }
        out
    }

    fn add(&mut self, program: &Program, f: FuncId, body: &Func) {
        for b in body.block_ids() {
            self.all.insert((f, b));
            for (to, _) in body.block(b).term.successors() {
                self.before.entry((f, to)).or_default().push((f, b));
            }
            for &inst in &body.block(b).insts {
                if let Inst::Call(site) = &body.inst(inst).inst
                    && let Target::Func(callee) = site.target
                    && !program.decl(callee).model
                {
                    self.before.entry((callee, Func::ENTRY)).or_default().push((f, b));
                }
            }
        }
    }

    /// From every block that leads to one of the goals: how far it is.
    pub fn distances(&self, goals: impl Iterator<Item = Spot>) -> Distances {
        let mut far: BTreeMap<Spot, u32> = goals.map(|g| (g, 0)).collect();
        let mut open: VecDeque<Spot> = far.keys().copied().collect();
        while let Some(spot) = open.pop_front() {
            let next = far[&spot] + 1;
            for &before in self.before.get(&spot).into_iter().flatten() {
                if let std::collections::btree_map::Entry::Vacant(entry) = far.entry(before) {
                    entry.insert(next);
                    open.push_back(before);
                }
            }
        }
        Distances(far)
    }
}

/// How far it is to the nearest goal.
pub(crate) struct Distances(BTreeMap<Spot, u32>);

impl Distances {
    /// From a place, inside activations that stand where `stack` says, the innermost last (that of the place itself).
    pub fn from(&self, place: Spot, stack: &[Spot]) -> Option<u32> {
        let outer = stack.iter().rev().skip(1);
        let places = [place].into_iter().chain(outer.copied());
        places.enumerate().filter_map(|(i, p)| self.0.get(&p).map(|d| d + DISTANCE_PER_RETURN * i as u32)).min()
    }
}
