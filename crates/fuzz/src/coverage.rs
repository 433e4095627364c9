//! What the tests have covered: blocks for scores, counts for what mutation keeps.
//!
//! A *block* is an edge of the program as clang numbers it, taken at least once. Counts are divided into eight ranges, as AFL does: a loop
//! that runs twice is something else than one that runs once, 40 rounds are no more than 41.

use crate::server::Run;
use std::collections::BTreeSet;

/// The range of a count, as one bit.
fn range(count: u8) -> u8 {
    match count {
        0 => 0,
        1 => 1,
        2 => 2,
        3 => 4,
        4..=7 => 8,
        8..=15 => 16,
        16..=31 => 32,
        32..=127 => 64,
        128..=255 => 128,
    }
}

/// All that was ever seen.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    /// Ranges by edge.
    ranges: Vec<u8>,
    blocks: usize,
}

/// What a run adds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct News {
    /// SAGE's score: blocks that no test covered before.
    pub blocks: usize,
    /// Counts in ranges that were not seen.
    pub ranges: usize,
}

impl Coverage {
    /// What a run adds; it is seen from then on.
    pub fn add(&mut self, run: &Run) -> News {
        let mut news = News::default();
        for &(edge, count) in &run.counts {
            let bit = range(count);
            let seen = self.at(edge);
            news.blocks += usize::from(*seen == 0);
            news.ranges += usize::from(*seen & bit == 0);
            *seen |= bit;
        }
        self.blocks += news.blocks;
        news
    }

    /// Takes over what another worker's test covered.
    pub fn add_blocks(&mut self, blocks: &[(u32, u8)]) {
        for &(edge, count) in blocks {
            let seen = self.at(edge);
            let fresh = *seen == 0;
            *seen |= range(count);
            self.blocks += usize::from(fresh);
        }
    }

    fn at(&mut self, edge: u32) -> &mut u8 {
        let edge = edge as usize;
        if self.ranges.len() <= edge {
            self.ranges.resize(edge + 1, 0);
        }
        &mut self.ranges[edge]
    }

    /// How many blocks were covered.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    pub fn covered(&self) -> BTreeSet<u32> {
        let hit = |(i, r): (usize, &u8)| (*r != 0).then_some(i as u32);
        self.ranges.iter().enumerate().filter_map(hit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::Ending;

    fn run(counts: &[(u32, u8)]) -> Run {
        Run { ending: Ending::Exit(0), counts: counts.to_vec(), path: 0, edges: 0, stderr: String::new() }
    }

    #[test]
    fn the_score_is_the_number_of_new_blocks() {
        let mut all = Coverage::default();
        assert_eq!(all.add(&run(&[(1, 1), (2, 1), (5, 1)])), News { blocks: 3, ranges: 3 });
        assert_eq!(all.add(&run(&[(1, 1), (2, 2), (7, 1)])), News { blocks: 1, ranges: 2 });
        assert_eq!(all.add(&run(&[(1, 1), (2, 2)])), News::default());
        assert_eq!((all.blocks(), all.covered().len()), (4, 4));
    }

    #[test]
    fn long_loops_are_much_the_same() {
        let mut all = Coverage::default();
        all.add(&run(&[(1, 40)]));
        assert_eq!(all.add(&run(&[(1, 41)])).ranges, 0);
        assert_eq!(all.add(&run(&[(1, 200)])).ranges, 1);
    }
}
