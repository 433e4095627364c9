//! Checking an invariant anew, with a solver that knows nothing of how it was found.
//!
//! Three questions, none of which may have a model: an initial state outside of the invariant, a step out of it, a bad state inside of it.
//! With a certifier each answer carries a proof that our own checker accepts.

use crate::answer::{Invariant, StateLit};
use crate::bits::{BitGoal, Bits};
use crate::unroll::{Start, Unroll};
use blitz_base::Budget;
use blitz_solver::UnknownReason;
use blitz_solver::aig::Edge;
use blitz_solver::sat::SatResult;
use blitz_solver::sat::certify::Certifier;
use rustc_hash::FxHashMap;

/// How an invariant is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// The solver's word is enough.
    Solver,
    /// Each answer needs a proof.
    Proofs,
}

/// What an invariant should exclude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excludes {
    Bad,
    Nothing,
}

/// What the check said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// It is an invariant and excludes the bad states; with how many steps of proof were checked.
    Holds {
        certified: u64,
    },
    /// It is none: this question had a model.
    Wrong(&'static str),
    Stopped(UnknownReason),
}

/// Checks an invariant of `bits` that should prove its bad-state property, or nothing but itself.
pub fn check(bits: &Bits, invariant: &Invariant, excludes: Excludes, trust: Trust, budget: &Budget) -> Checked {
    let certifier = || match trust {
        Trust::Solver => None,
        Trust::Proofs => Some(Certifier::in_memory()),
    };
    let &BitGoal::Bad(bad) = bits.goal(0) else { panic!("a bad-state property should be here") };
    let by_place: FxHashMap<(usize, u32), Edge> =
        bits.latches.iter().map(|l| ((l.place.index, l.place.bit.into()), l.var)).collect();
    let latch = |l: &StateLit| by_place[&(l.state, l.bit)].flip_if(!l.value);
    let clauses: Vec<Vec<Edge>> = invariant.clauses.iter().map(|c| c.iter().map(latch).collect()).collect();

    let mut initial = Unroll::new(bits, Start::Initial, certifier());
    initial.assert_time(0, budget);
    let outside = violated(&mut initial, 0, &clauses);
    let mut step = Unroll::new(bits, Start::Anywhere, certifier());
    step.assert_time(0, budget);
    for clause in &clauses {
        let clause = at(&mut step, 0, clause);
        let clause = step.graph().or_all(&clause);
        step.assert(clause);
    }
    let bad = match excludes {
        Excludes::Bad => step.edge(0, bad),
        Excludes::Nothing => Edge::FALSE,
    };
    let questions: [(&mut Unroll, Edge, &str); 2] =
        [(&mut initial, outside, "an initial state is outside of it"), (&mut step, bad, "a bad state is inside of it")];
    for (unroll, edge, wrong) in questions {
        if let Some(answer) = refuted(unroll, edge, wrong, budget) {
            return answer;
        }
    }
    step.assert_step(0);
    let outside = violated(&mut step, 1, &clauses);
    if let Some(answer) = refuted(&mut step, outside, "a step leads out of it", budget) {
        return answer;
    }
    Checked::Holds { certified: initial.certified() + step.certified() }
}

fn refuted(unroll: &mut Unroll, edge: Edge, wrong: &'static str, budget: &Budget) -> Option<Checked> {
    match unroll.solve(&[edge], None, budget) {
        SatResult::Unsat => None,
        SatResult::Sat => Some(Checked::Wrong(wrong)),
        SatResult::Unknown(reason) => Some(Checked::Stopped(reason)),
    }
}

fn at(unroll: &mut Unroll, time: usize, clause: &[Edge]) -> Vec<Edge> {
    clause.iter().map(|&e| unroll.edge(time, e)).collect()
}

/// Holds where some clause does not.
fn violated(unroll: &mut Unroll, time: usize, clauses: &[Vec<Edge>]) -> Edge {
    let mut all = Vec::new();
    for clause in clauses {
        let clause = at(unroll, time, clause);
        all.push(!unroll.graph().or_all(&clause));
    }
    unroll.graph().or_all(&all)
}
