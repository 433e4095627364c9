//! How far a search is: counters of one worker, and of all together.

use serde::{Deserialize, Serialize};

/// The counters. `--status-json` and the line on the terminal are made from these.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub worker: u32,
    pub seconds: f64,
    /// Native runs.
    pub runs: u64,
    pub runs_per_second: f64,
    /// Tests in the folder, those that wait to be expanded, and the latest generation.
    pub tests: usize,
    pub pending: usize,
    pub generations: u32,
    /// Different native paths that were seen.
    pub paths: usize,
    /// Edges of the program that tests took, of all that it has.
    pub blocks: usize,
    pub all_blocks: usize,
    pub findings: usize,
    pub hangs: u64,
    /// Tests that were followed symbolically, their decisions, and what came of negating them.
    pub expanded: u64,
    pub decisions: u64,
    pub queries: u64,
    pub solved: u64,
    pub refuted: u64,
    pub undecided: u64,
    pub optimistic: u64,
    pub lengthened: u64,
    /// Runs that did not go as predicted, and tests on which interpreter and native run differ.
    pub divergences: u64,
    pub differences: u64,
}

impl Status {
    /// One line for people.
    pub fn line(&self) -> String {
        let percent = 100.0 * self.blocks as f64 / self.all_blocks.max(1) as f64;
        let mut parts = vec![
            format!("{:.0} s", self.seconds),
            format!("{} runs ({:.0}/s)", self.runs, self.runs_per_second),
            format!("{} paths", self.paths),
            format!("{} tests ({} pending)", self.tests, self.pending),
            format!("blocks {}/{} ({percent:.0} %)", self.blocks, self.all_blocks),
        ];
        if self.queries > 0 {
            parts.push(format!("{} of {} negations solved", self.solved, self.queries));
        }
        if self.divergences > 0 {
            parts.push(format!("{} divergences", self.divergences));
        }
        parts.push(format!("{} findings", self.findings));
        parts.join(", ")
    }

    /// The counters of several workers together.
    pub fn together(all: &[Status]) -> Status {
        let mut sum = Status::default();
        for s in all {
            sum.seconds = sum.seconds.max(s.seconds);
            sum.runs += s.runs;
            sum.runs_per_second += s.runs_per_second;
            sum.tests = sum.tests.max(s.tests);
            sum.pending = sum.pending.max(s.pending);
            sum.generations = sum.generations.max(s.generations);
            sum.paths = sum.paths.max(s.paths);
            sum.blocks = sum.blocks.max(s.blocks);
            sum.all_blocks = sum.all_blocks.max(s.all_blocks);
            sum.findings = sum.findings.max(s.findings);
            sum.hangs += s.hangs;
            sum.expanded += s.expanded;
            sum.decisions += s.decisions;
            sum.queries += s.queries;
            sum.solved += s.solved;
            sum.refuted += s.refuted;
            sum.undecided += s.undecided;
            sum.optimistic += s.optimistic;
            sum.lengthened += s.lengthened;
            sum.divergences += s.divergences;
            sum.differences += s.differences;
        }
        sum
    }
}
