//! Lassos: infinite counterexamples of justice properties, one bound after the other.
//!
//! At bound k the path has the times 0 to k, and after time k comes a state that equals that of *some* time l of 0 to k: a disjunction over where the
//! loop starts, with every condition seen from l on. That finds every lasso of its length; that there is none shows nothing about longer ones, so this
//! engine proves nothing (`liveness` does).

use crate::bits::{BitGoal, Bits};
use crate::engine::{Engine, Progress};
use crate::ts::{Goal, Ts};
use crate::unroll::{Start, Unroll};
use blitz_base::Budget;
use blitz_solver::UnknownReason;
use blitz_solver::aig::Edge;
use blitz_solver::sat::SatResult;

/// The search, with how far it got.
pub struct Lasso<'a> {
    ts: &'a Ts,
    goal: &'a Goal,
    bits: &'a Bits,
    conditions: &'a [Edge],
    unroll: Unroll<'a>,
    bound: usize,
    /// The question at `bound`, once it is built: per loop start what makes a lasso.
    loops: Option<Vec<Edge>>,
}

impl<'a> Lasso<'a> {
    /// A search for lassos of the justice property of `bits`.
    pub fn new(ts: &'a Ts, goal: &'a Goal, bits: &'a Bits) -> Self {
        let BitGoal::Justice(conditions) = bits.goal(0) else { panic!("a justice property should be here") };
        let unroll = Unroll::new(bits, Start::Initial, None);
        Self { ts, goal, bits, conditions, unroll, bound: 0, loops: None }
    }

    /// The bound that is asked about next; there is no lasso of fewer steps.
    pub fn bound(&self) -> usize {
        self.bound
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

    /// Asks about the next bound, for at most so many conflicts.
    pub fn advance(&mut self, conflicts: Option<u32>, budget: &Budget) -> Progress {
        if let Some(stop) = budget.expired() {
            return Progress::Stopped(stop.into());
        }
        let loops = match self.loops.take() {
            Some(loops) => loops,
            None => {
                self.unroll.assert_time(self.bound, budget);
                self.unroll.assert_step(self.bound);
                self.closings()
            }
        };
        let some = self.unroll.graph().or_all(&loops);
        match self.unroll.solve(&[some], conflicts, budget) {
            SatResult::Sat => self.found(&loops),
            SatResult::Unsat => {
                self.unroll.assert(!some);
                self.bound += 1;
                Progress::More
            }
            SatResult::Unknown(UnknownReason::Conflicts) => {
                self.loops = Some(loops);
                Progress::More
            }
            SatResult::Unknown(reason) => Progress::Stopped(reason),
        }
    }

    /// Per loop start: the path closes there, and everything is seen from there on.
    fn closings(&mut self) -> Vec<Edge> {
        let mut loops = vec![Edge::FALSE; self.bound + 1];
        let mut seen = vec![Edge::FALSE; self.conditions.len()];
        for start in (0..=self.bound).rev() {
            let mut parts = Vec::new();
            for (held, &condition) in seen.iter_mut().zip(self.conditions) {
                let here = self.unroll.edge(start, condition);
                *held = self.unroll.graph().or(*held, here);
                parts.push(*held);
            }
            for latch in &self.bits.latches {
                let (a, b) = (self.unroll.edge(start, latch.var), self.unroll.edge(self.bound + 1, latch.var));
                parts.push(!self.unroll.graph().xor(a, b));
            }
            loops[start] = self.unroll.graph().and_all(&parts);
        }
        loops
    }

    fn found(&self, loops: &[Edge]) -> Progress {
        let start = self.unroll.first_true(loops).expect("some loop should close in the model");
        let mut stimulus = self.unroll.stimulus(self.ts, self.bound);
        stimulus.loop_start = Some(start);
        Progress::found(self.ts, self.goal, &stimulus, Engine::Bmc)
    }
}
