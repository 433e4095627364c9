//! What a completed step has shown: how deep each loop was looked at, and which properties are still open.

use crate::reach::Reach;
use blitz_base::span::Loc;
use blitz_ir::PropertyId;
use blitz_symex::Site;
use blitz_symex::waves::InWaves;
use std::collections::{BTreeMap, BTreeSet};

/// After a completed step.
pub(super) struct Standing {
    /// Loops and recursions where something waits that can still reach an open property.
    pub sites: Vec<SiteStanding>,
    /// Properties that something waiting can still reach, with the depth up to which they hold.
    pub open: BTreeMap<PropertyId, u32>,
}

pub(super) struct SiteStanding {
    pub site: Site,
    /// Every execution that runs it at most this often was looked at.
    pub depth: u32,
    pub cost: u64,
    /// Blocks from what waits to the nearest open property.
    pub distance: u32,
    pub loc: Loc,
}

/// A property that nothing waiting can reach is proved: it is dropped, and so are loops that only lead to such.
pub(super) fn take(executor: &InWaves<'_, '_>, reach: &mut Reach<'_>, open: &BTreeSet<PropertyId>) -> Standing {
    let mut sites: BTreeMap<Site, SiteStanding> = BTreeMap::new();
    let mut still: BTreeMap<PropertyId, u32> = BTreeMap::new();
    for waiting in executor.waiting() {
        let reached = reach.from(&waiting.points, open);
        let Some(distance) = reached.distance else { continue };
        let depth = executor.target(waiting.site).min(waiting.depth);
        for p in reached.properties {
            still.entry(p).and_modify(|d| *d = depth.min(*d)).or_insert(depth);
        }
        let entry = sites.entry(waiting.site).or_insert_with(|| SiteStanding {
            site: waiting.site,
            depth,
            cost: executor.cost(waiting.site),
            distance,
            loc: waiting.loc,
        });
        entry.depth = entry.depth.min(depth);
        entry.distance = entry.distance.min(distance);
    }
    Standing { sites: sites.into_values().collect(), open: still }
}
