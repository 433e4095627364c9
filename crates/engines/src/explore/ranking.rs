//! The items that wait in the order of how far it is from them to code that no path has been through.
//!
//! An item that was taken from a place in vain says that others at this place may lead nowhere as well: each such attempt counts as a block more on
//! the way, until the place leads to something new. Ranks are worked out anew when something new was covered, and looked at again when an item comes first:
//! they only grow in between.

use super::Item;
use super::distance::{Distances, Spot};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(super) struct Ranking {
    distances: Option<Distances>,
    order: BTreeSet<(u32, u64)>,
    ranks: BTreeMap<u64, u32>,
    /// How often an item with this target was taken since the target last led to something new.
    vain: BTreeMap<Spot, u32>,
    last: Option<Spot>,
}

impl Ranking {
    /// Something new was covered, by the path that was taken last.
    pub fn forget(&mut self) {
        self.distances = None;
        self.order.clear();
        self.ranks.clear();
        if let Some(spot) = self.last.take() {
            self.vain.remove(&spot);
        }
    }

    /// An item begins to wait.
    pub fn add(&mut self, number: u64, item: &Item<'_>) {
        if self.distances.is_some() {
            let rank = self.rank(item);
            self.order.insert((rank, number));
            self.ranks.insert(number, rank);
        }
    }

    /// An item does not wait any more.
    pub fn remove(&mut self, number: u64) {
        if let Some(rank) = self.ranks.remove(&number) {
            self.order.remove(&(rank, number));
        }
    }

    /// The item that comes first, the oldest of several.
    pub fn first(&mut self, items: &BTreeMap<u64, Item<'_>>, distances: impl FnOnce() -> Distances) -> Option<u64> {
        if self.distances.is_none() {
            self.distances = Some(distances());
            for (&number, item) in items {
                self.add(number, item);
            }
        }
        loop {
            let &(rank, number) = self.order.first()?;
            let now = self.rank(&items[&number]);
            if now == rank {
                let target = items[&number].target;
                *self.vain.entry(target).or_default() += 1;
                self.last = Some(target);
                return Some(number);
            }
            self.order.remove(&(rank, number));
            self.order.insert((now, number));
            self.ranks.insert(number, now);
        }
    }

    fn rank(&self, item: &Item<'_>) -> u32 {
        let far = self.distances.as_ref().and_then(|d| d.from(item.target, &item.stack)).unwrap_or(u32::MAX / 2);
        far.saturating_add(self.vain.get(&item.target).copied().unwrap_or(0))
    }
}
