//! Bounded model checking of bad states: one bound after the other, on one unrolling.
//!
//! At bound k the question is whether a path of exactly k steps ends in a bad state; bound 0 is the initial states. What was refuted is
//! added for good, so later bounds begin with what earlier ones learned.

use crate::bits::{BitGoal, Bits};
use crate::engine::{Engine, Progress};
use crate::ts::{Goal, Ts};
use crate::unroll::{Start, Unroll};
use blitz_base::Budget;
use blitz_solver::UnknownReason;
use blitz_solver::aig::Edge;
use blitz_solver::sat::SatResult;

/// The search, with how far it got.
pub struct Bmc<'a> {
    ts: &'a Ts,
    goal: &'a Goal,
    bad: Edge,
    unroll: Unroll<'a>,
    /// The bound that is asked about next; everything below is refuted.
    bound: usize,
    /// The conditions of all times up to `bound` are asserted.
    asserted: bool,
}

impl<'a> Bmc<'a> {
    /// A search for a path to the bad state of `bits`, which is the cone of a bad-state property of `ts`.
    pub fn new(ts: &'a Ts, goal: &'a Goal, bits: &'a Bits) -> Self {
        let &BitGoal::Bad(bad) = bits.goal(0) else { panic!("a bad-state property should be here") };
        let unroll = Unroll::new(bits, Start::Initial, None);
        Self { ts, goal, bad, unroll, bound: 0, asserted: false }
    }

    /// The bound that is asked about next; there is no counterexample of fewer steps.
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// Asks about the next bound, for at most so many conflicts.
    pub fn advance(&mut self, conflicts: Option<u32>, budget: &Budget) -> Progress {
        if let Some(stop) = budget.expired() {
            return Progress::Stopped(stop.into());
        }
        if !self.asserted {
            self.unroll.assert_time(self.bound, budget);
            self.asserted = true;
        }
        let bad = self.unroll.edge(self.bound, self.bad);
        match self.unroll.solve(&[bad], conflicts, budget) {
            SatResult::Sat => {
                let stimulus = self.unroll.stimulus(self.ts, self.bound).closed();
                Progress::found(self.ts, self.goal, &stimulus, Engine::Bmc)
            }
            SatResult::Unsat => {
                self.unroll.assert(!bad);
                self.bound += 1;
                self.asserted = false;
                Progress::More
            }
            SatResult::Unknown(UnknownReason::Conflicts) => Progress::More,
            SatResult::Unknown(reason) => Progress::Stopped(reason),
        }
    }

    /// Literals propagated so far, and clauses written.
    pub fn work(&self) -> u64 {
        self.unroll.work()
    }

    /// Conflicts so far.
    pub fn conflicts(&self) -> u64 {
        self.unroll.conflicts()
    }

    /// Variables and clauses so far.
    pub fn size(&self) -> (u32, u64) {
        self.unroll.size()
    }
}
