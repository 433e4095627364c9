//! The states that ways go on from, and how many of them are kept.
//!
//! A snapshot is worth the steps that lead to it, so the oldest go first: they are nearest to the start. Which of them are dropped is a matter of their
//! number, and of memory only where that runs short: a path from the start makes the same terms as one from a snapshot. Then answers and solvers
//! make way as well (`Explorer::forget`); terms stay.

use super::search::Frontier;
use crate::paths::Condition;
use blitz_base::Budget;
use blitz_base::budget::resident_bytes;
use blitz_symex::follow::Snapshot;
use blitz_term::Term;
use std::collections::HashSet;
use std::rc::Rc;

/// The state before a fork, and what the walk knew there.
pub(crate) struct Kept<'p> {
    pub snapshot: Snapshot<'p>,
    pub condition: Condition,
    /// Inputs that say whether something fails, and how much had failed.
    pub failures: Rc<HashSet<Term>>,
    pub failed: u32,
}

impl Frontier<'_> {
    /// How many ways lost their snapshot.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Drops the oldest snapshots where there are more than `most`, and half of them where memory runs short; whether it does.
    pub fn limit_snapshots(&mut self, most: usize, budget: &Budget, looks_at_memory: bool) -> bool {
        let short = looks_at_memory && budget.memory_limit().is_some_and(|limit| resident_bytes() > limit / 2);
        let most = if short { most.min(self.with_snapshot / 2) } else { most };
        let mut excess = self.with_snapshot.saturating_sub(most);
        if excess == 0 {
            return short;
        }
        for (&number, item) in self.items.range_mut(self.oldest_kept..) {
            if excess == 0 {
                break;
            }
            self.oldest_kept = number + 1;
            if item.from.take().is_some() {
                self.with_snapshot -= 1;
                self.dropped += 1;
                excess -= 1;
            }
        }
        short
    }
}
