//! Liveness as safety ("Liveness Checking as Safety Checking", Biere, Artho, Schuppan, 2002).
//!
//! An input `save` chooses, once, the state with which the loop starts; copies of all latches keep it, and a latch per condition notes that it held since.
//! A state that equals the saved one with all conditions seen is bad: up to the step before it, the path is a lasso.

use super::{BitGoal, Bits, Latch, Place, Role};
use blitz_solver::aig::{Aig, Edge};

/// Places of its latches that are no copies. Place 0 is that of `initial`.
pub const BEGUN: usize = 1;
pub const FIRST_SEEN: usize = 2;

impl Bits {
    /// The system whose bad states end the lassos of this one's justice property.
    pub fn liveness_to_safety(&self) -> Bits {
        let mut bits = self.whole(0);
        let Some(BitGoal::Justice(conditions)) = bits.goals[0].take() else {
            panic!("a justice property should be here")
        };
        let save = bits.g.input();
        bits.inputs.push((save, Role::Save));
        let saved = bits.g.input();
        let in_loop = bits.g.or(saved, save);
        let state: Vec<(Edge, Place)> = bits.latches.iter().map(|l| (l.var, l.place)).collect();
        bits.latches.push(latch(saved, in_loop, Place::own(BEGUN)));
        let begins = bits.g.and(save, !saved);
        let mut reached = vec![saved];
        for (var, place) in state {
            let copy = bits.g.input();
            let next = bits.g.mux(begins, var, copy);
            bits.latches.push(latch(copy, next, place.copy()));
            reached.push(!bits.g.xor(var, copy));
        }
        for (n, condition) in conditions.into_iter().enumerate() {
            let seen = bits.g.input();
            let next = seen_next(&mut bits.g, in_loop, seen, condition);
            bits.latches.push(latch(seen, next, Place::own(FIRST_SEEN + n)));
            reached.push(seen);
        }
        let bad = bits.g.and_all(&reached);
        bits.goals = vec![Some(BitGoal::Bad(bad))];
        bits
    }
}

fn seen_next(g: &mut Aig, in_loop: Edge, seen: Edge, condition: Edge) -> Edge {
    let either = g.or(seen, condition);
    g.and(in_loop, either)
}

/// A latch that begins as false.
fn latch(var: Edge, next: Edge, place: Place) -> Latch {
    Latch { var, init: Some(Edge::FALSE), next, place }
}
