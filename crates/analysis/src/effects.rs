//! What functions may write, callees included.

use crate::cells::{Cell, Cells, Region};
use crate::constraints::Activation;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Per function and instance: the classes it may write, transitively.
#[derive(Default)]
pub struct Effects {
    written: HashMap<Activation, BTreeSet<Region>>,
}

impl Effects {
    /// From what each function writes itself and whom it calls, to a fixed point over the call graph.
    pub fn new(
        cells: &Cells,
        own: &BTreeMap<Activation, Vec<Cell>>,
        calls: &BTreeMap<Activation, BTreeSet<Activation>>,
    ) -> Self {
        let mut written: HashMap<Activation, BTreeSet<Region>> =
            own.iter().map(|(f, cs)| (*f, cs.iter().map(|c| cells.region(*c)).collect())).collect();
        let mut callers: BTreeMap<Activation, Vec<Activation>> = BTreeMap::new();
        for (caller, callees) in calls {
            for callee in callees {
                callers.entry(*callee).or_default().push(*caller);
            }
        }
        let mut work: BTreeSet<Activation> = own.keys().copied().collect();
        while let Some(f) = work.pop_first() {
            let mine = written.get(&f).cloned().unwrap_or_default();
            for &caller in callers.get(&f).into_iter().flatten() {
                let theirs = written.entry(caller).or_default();
                let before = theirs.len();
                theirs.extend(mine.iter().copied());
                if theirs.len() > before {
                    work.insert(caller);
                }
            }
        }
        Self { written }
    }

    pub fn modified(&self, of: Activation) -> Vec<Region> {
        self.written.get(&of).map(|s| s.iter().copied().collect()).unwrap_or_default()
    }
}
