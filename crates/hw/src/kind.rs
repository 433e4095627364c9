//! The step of k-induction: no path of k good states, all different, leads to a bad one ("Checking Safety Properties Using Induction and a
//! SAT-Solver", Sheeran, Singh, Stålmarck, FMCAD 2000).
//!
//! Together with the absence of counterexamples of fewer than k steps (`bmc`) that is a proof. That states differ is said only of those that were
//! found equal ("Temporal Induction by Incremental SAT Solving", Eén and Sörensson 2003). Nor is a later state an initial one: from there on the path
//! would be a counterexample of fewer than k steps, which `bmc` excludes. Since the states of a finite system can differ only so long, k-induction ends,
//! at the recurrence diameter at the latest; that diameter may be the number of states, and the last questions before it are pigeonhole problems.

use crate::bits::{BitGoal, Bits};
use crate::unroll::{Start, Unroll};
use blitz_base::Budget;
use blitz_solver::UnknownReason;
use blitz_solver::aig::Edge;
use blitz_solver::sat::SatResult;
use rustc_hash::FxHashMap;

/// The search for a k whose step holds.
pub struct Induction<'a> {
    bits: &'a Bits,
    bad: Edge,
    unroll: Unroll<'a>,
    k: usize,
    asserted: bool,
}

/// What a question came to.
pub enum StepAnswer {
    /// The step holds for `k`.
    Holds,
    /// It fails for this `k`, or is not decided; there is more to do.
    More,
    Stopped(UnknownReason),
}

impl<'a> Induction<'a> {
    /// The step for the bad-state property of `bits`.
    pub fn new(bits: &'a Bits) -> Self {
        let &BitGoal::Bad(bad) = bits.goal(0) else { panic!("a bad-state property should be here") };
        Self { bits, bad, unroll: Unroll::new(bits, Start::Anywhere, None), k: 0, asserted: false }
    }

    /// How many good states come before the bad one.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Literals propagated so far, and clauses written.
    pub fn work(&self) -> u64 {
        self.unroll.work()
    }

    /// Asks for at most so many conflicts.
    pub fn advance(&mut self, conflicts: Option<u32>, budget: &Budget) -> StepAnswer {
        if let Some(stop) = budget.expired() {
            return StepAnswer::Stopped(stop.into());
        }
        if !self.asserted {
            self.unroll.assert_time(self.k, budget);
            if self.k > 0 {
                let initial = self.unroll.initial_at(self.k);
                self.unroll.assert(!initial);
            }
            self.asserted = true;
        }
        let bad = self.unroll.edge(self.k, self.bad);
        match self.unroll.solve(&[bad], conflicts, budget) {
            SatResult::Unsat => StepAnswer::Holds,
            SatResult::Sat => {
                if !self.separate() {
                    self.unroll.assert(!bad);
                    self.k += 1;
                    self.asserted = false;
                }
                StepAnswer::More
            }
            SatResult::Unknown(UnknownReason::Conflicts) => StepAnswer::More,
            SatResult::Unknown(reason) => StepAnswer::Stopped(reason),
        }
    }

    /// Demands that states differ which the model has equal; false if there are none.
    fn separate(&mut self) -> bool {
        let values = {
            let latches: Vec<Edge> = self.bits.latches.iter().map(|l| l.var).collect();
            for time in 0..=self.k {
                for &var in &latches {
                    self.unroll.edge(time, var);
                }
            }
            self.unroll.latch_values(self.k)
        };
        let mut seen: FxHashMap<&[bool], usize> = FxHashMap::default();
        let mut equal = Vec::new();
        for (time, state) in values.iter().enumerate() {
            if let Some(before) = seen.insert(state, time) {
                equal.push((before, time));
            }
        }
        for &(before, time) in &equal {
            let different: Vec<Edge> = self.bits.latches.iter().map(|l| self.difference(before, time, l.var)).collect();
            let some = self.unroll.graph().or_all(&different);
            self.unroll.assert(some);
        }
        !equal.is_empty()
    }

    fn difference(&mut self, before: usize, time: usize, var: Edge) -> Edge {
        let (a, b) = (self.unroll.edge(before, var), self.unroll.edge(time, var));
        self.unroll.graph().xor(a, b)
    }
}
