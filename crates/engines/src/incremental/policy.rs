//! Which loops to unwind next, and how far.
//!
//! One pass over the program serves all loops that are raised together: their waves meet on the way. So a policy chooses a
//! set, not one loop.

use super::standing::SiteStanding;
use crate::answer::counts_conflicts;
use crate::config::{CheckConfig, LoopPolicy};
use crate::tuning::{POLICY_HARD_CONFLICTS, POLICY_MAX_LEAD};
use blitz_symex::Site;
use std::collections::BTreeMap;

/// The new depths of the loops that are raised. By the interval if there is one; else small steps first, where most bugs are, then
/// half as far again, or an eighth further where the last step (so many `conflicts`) was hard; a quarter, if the solver does not tell. Larger steps mean fewer waves: those that
/// see only part of a loop's ways out can be harder to refute than all of them together.
pub(super) fn next(config: &CheckConfig, sites: &[SiteStanding], conflicts: u64) -> BTreeMap<Site, u32> {
    let chosen: Vec<&SiteStanding> = match config.loop_policy {
        LoopPolicy::RoundRobin => sites.iter().collect(),
        LoopPolicy::Cost => lowest(sites, |s| s.cost),
        LoopPolicy::Distance => lowest(sites, |s| u64::from(s.distance) * u64::from(s.depth.max(1))),
    };
    let part = match (counts_conflicts(config), conflicts > POLICY_HARD_CONFLICTS) {
        (true, false) => 2,
        (true, true) => 8,
        (false, _) => 4,
    };
    let further = |depth: u32| config.check_interval.unwrap_or(depth / part + 1);
    chosen.into_iter().map(|s| (s.site, s.depth.saturating_add(further(s.depth)))).collect()
}

/// The lower half of the loops by some measure, and whatever has fallen far behind the deepest.
fn lowest(sites: &[SiteStanding], measure: impl Fn(&SiteStanding) -> u64) -> Vec<&SiteStanding> {
    let mut sorted: Vec<&SiteStanding> = sites.iter().collect();
    sorted.sort_by_key(|s| (measure(s), s.site));
    let half = sites.len().div_ceil(2);
    let deepest = sites.iter().map(|s| s.depth).max().unwrap_or(0);
    sorted
        .into_iter()
        .enumerate()
        .filter(|(i, s)| *i < half || s.depth < deepest / POLICY_MAX_LEAD)
        .map(|(_, s)| s)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_base::span::Loc;
    use blitz_ir::FuncId;
    use blitz_ir::loops::LoopId;
    use blitz_symex::CutKind;

    fn site(n: u32, depth: u32, cost: u64, distance: u32) -> SiteStanding {
        let site = Site { func: FuncId(0), what: CutKind::Loop(LoopId(n)) };
        SiteStanding { site, depth, cost, distance, loc: Loc::UNKNOWN }
    }

    fn chosen(policy: LoopPolicy, interval: Option<u32>, sites: &[SiteStanding]) -> Vec<(u32, u32)> {
        let config = CheckConfig { loop_policy: policy, check_interval: interval, ..CheckConfig::default() };
        let number = |s: &Site| match s.what {
            CutKind::Loop(l) => l.0,
            CutKind::Recursion | CutKind::Jump => u32::MAX,
        };
        next(&config, sites, 0).iter().map(|(s, d)| (number(s), *d)).collect()
    }

    #[test]
    fn each_policy_has_its_own_order() {
        let sites = [site(0, 4, 900, 1), site(1, 4, 10, 7), site(2, 4, 20, 3)];
        assert_eq!(chosen(LoopPolicy::RoundRobin, None, &sites), [(0, 7), (1, 7), (2, 7)]);
        assert_eq!(chosen(LoopPolicy::Cost, None, &sites), [(1, 7), (2, 7)]);
        assert_eq!(chosen(LoopPolicy::Distance, None, &sites), [(0, 7), (2, 7)]);
    }

    #[test]
    fn steps_are_smaller_where_nobody_knows_how_hard_they_are() {
        let config = CheckConfig { solver: "z3".into(), ..CheckConfig::default() };
        let depths: Vec<u32> = next(&config, &[site(0, 6, 0, 0)], 0).into_values().collect();
        assert_eq!(depths, [8]);
    }

    #[test]
    fn a_far_loop_gets_its_turn() {
        let sites = [site(0, 40, 900, 1), site(1, 1, 10, 30)];
        assert_eq!(chosen(LoopPolicy::Distance, None, &sites), [(1, 2)]);
    }

    #[test]
    fn a_dear_loop_does_not_fall_behind() {
        let sites = [site(0, 2, 9000, 1), site(1, 40, 10, 1), site(2, 40, 10, 1)];
        assert_eq!(chosen(LoopPolicy::Cost, None, &sites), [(0, 4), (1, 61), (2, 61)]);
    }

    #[test]
    fn the_interval_is_the_step() {
        assert_eq!(chosen(LoopPolicy::RoundRobin, Some(1), &[site(0, 40, 0, 0)]), [(0, 41)]);
        assert_eq!(chosen(LoopPolicy::RoundRobin, None, &[site(0, 40, 0, 0)]), [(0, 61)]);
    }
}
