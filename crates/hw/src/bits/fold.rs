//! Constraints as a latch: one that begins true, and stays true as long as the constraints hold. A bad state is one where it is true and they hold.
//!
//! Why: a constraint that is asserted is part of every question of IC3, and its gates get values in each; models with hundreds of constraints spend nearly all
//! their time on that. As a latch it is one more literal of a cube, the first that generalisation tries to drop, and most clauses do without it.
//!
//! Direction: exact. Along a path of the system the latch is always true, so a clause of an invariant holds in the system without the literal that says it is
//! false (`unfolded`); a path to a bad state satisfies the constraints at every time, since the latch remembers.
//! Absent: conditions of steps (`trans`), which are assumed only where a step is asked about.

use super::{BitGoal, Bits, Latch, Place};
use crate::answer::StateLit;
use blitz_solver::aig::{Edge, children};

/// The place of the latch: behind all others that encodings add.
const FOLDED: usize = 1 << 39;
/// Fewer gates of constraints than these are asserted.
const MIN_GATES: usize = 1_000;

impl Bits {
    /// The system with its constraints as a latch; none where they are small.
    pub fn folded(&self) -> Option<Bits> {
        (self.constraint_gates() >= MIN_GATES).then(|| self.fold())
    }

    fn fold(&self) -> Bits {
        let mut bits = self.whole(0);
        let Some(BitGoal::Bad(bad)) = bits.goals[0] else { panic!("a bad-state property should be here") };
        let constraints = std::mem::take(&mut bits.constraints);
        let hold = bits.g.and_all(&constraints);
        let held = bits.g.input();
        let next = bits.g.and(held, hold);
        bits.latches.push(Latch { var: held, init: Some(Edge::TRUE), next, place: Place::own(FOLDED) });
        bits.goals[0] = Some(BitGoal::Bad(bits.g.and(next, bad)));
        bits
    }

    /// How many gates the constraints' values need.
    fn constraint_gates(&self) -> usize {
        let mut seen = vec![false; self.g.len()];
        let mut stack = self.constraints.clone();
        let mut count = 0;
        while let Some(e) = stack.pop() {
            if !std::mem::replace(&mut seen[e.node() as usize], true) {
                count += 1;
                stack.extend(children(self.g.gate(e.node())).into_iter().flatten());
            }
        }
        count
    }
}

impl Latch {
    /// Whether this is the latch of the constraints.
    pub fn is_folded(&self) -> bool {
        self.place == Place::own(FOLDED)
    }
}

/// What a clause says where the constraints always held; none if it says nothing then.
pub fn unfolded(clause: Vec<StateLit>) -> Option<Vec<StateLit>> {
    let folded = |l: &StateLit| l.state == Place::own(FOLDED).index;
    let satisfied = clause.iter().any(|l| folded(l) && l.value);
    (!satisfied).then(|| clause.into_iter().filter(|l| !folded(l)).collect())
}

#[cfg(test)]
mod tests {
    use crate::answer::Proof;
    use crate::bits::Bits;
    use crate::engine::Progress;
    use crate::explicit::Explicit;
    use crate::explicit::random::{Rng, aiger, system};
    use crate::ic3::Ic3;
    use crate::invariant::{Checked, Excludes, Trust, check};
    use crate::ts::{Goal, Ts};
    use blitz_base::Budget;

    /// What IC3 finds with folded constraints is what the oracle says, and its invariants are such of the system as it was.
    fn agrees(ts: &Ts, what: &str) -> usize {
        let budget = Budget::unlimited();
        let all = Bits::new(ts, &budget).expect("there should be no arrays");
        let oracle = Explicit::new(ts).expect("a random model should be small");
        let mut constrained = 0;
        for (index, property) in ts.properties.iter().enumerate() {
            let Goal::Bad(bad) = property.goal else { continue };
            let cone = all.cone(index);
            let cubed = cone.with_initial_cube();
            let bits = cubed.as_ref().unwrap_or(&cone);
            constrained += usize::from(!bits.constraints.is_empty());
            let folded = bits.fold();
            let mut ic3 = Ic3::new(ts, &property.goal, &folded);
            let violated = loop {
                match ic3.advance(u64::MAX, &budget) {
                    Progress::More => {}
                    Progress::Violated(_) => break true,
                    Progress::Proved(Proof::Invariant(found)) => {
                        let checked = check(bits, &found, Excludes::Bad, Trust::Solver, &budget);
                        assert!(matches!(checked, Checked::Holds { .. }), "{what}: {checked:?}");
                        break false;
                    }
                    Progress::Proved(Proof::Induction { .. }) | Progress::Open | Progress::Stopped(_) => {
                        panic!("{what}: ic3 should end with an invariant or a path")
                    }
                }
            };
            assert_eq!(violated, oracle.distance(bad).is_some(), "{what} {}", property.name);
        }
        constrained
    }

    #[test]
    fn folded_constraints_are_the_same_constraints() {
        let mut constrained = 0;
        for seed in 1..=150 {
            let text = aiger(&mut Rng::new(seed));
            let ts = crate::aiger::read(text.as_bytes()).expect("a random model should be read");
            constrained += agrees(&ts, &format!("aiger {seed}"));
            constrained += agrees(&system(&mut Rng::new(seed)), &format!("system {seed}"));
        }
        assert!(constrained > 50, "only {constrained} properties had constraints");
    }
}
