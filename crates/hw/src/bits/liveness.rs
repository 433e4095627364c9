//! Liveness as safety ("Liveness Checking as Safety Checking", Biere, Artho, Schuppan, 2002).
//!
//! An input `save` chooses, once, the state with which the loop starts; copies of all latches keep it, and a latch per condition notes that it held since.
//! A state that equals the saved one with all conditions seen is bad: up to the step before it, the path is a lasso.

use super::{BitGoal, Bits, Latch, Place, Role};
use blitz_solver::aig::{Aig, Edge};

impl Bits {
    /// The system whose bad states end the lassos of this one's justice property.
    pub fn liveness_to_safety(&self) -> Bits {
        let mut bits = self.whole(0);
        let Some(BitGoal::Justice(conditions)) = bits.goals[0].take() else {
            panic!("a justice property should be here")
        };
        // Place 0 is that of `initial`.
        let mut own = Own { count: 1 };
        let save = bits.g.input();
        bits.inputs.push((save, Role::Save));
        let saved = bits.g.input();
        let in_loop = bits.g.or(saved, save);
        let state: Vec<Edge> = bits.latches.iter().map(|l| l.var).collect();
        bits.latches.push(own.latch(saved, Some(Edge::FALSE), in_loop));
        let begins = bits.g.and(save, !saved);
        let mut reached = vec![saved];
        for var in state {
            let copy = bits.g.input();
            let next = bits.g.mux(begins, var, copy);
            bits.latches.push(own.latch(copy, Some(Edge::FALSE), next));
            reached.push(!bits.g.xor(var, copy));
        }
        for condition in conditions {
            let seen = bits.g.input();
            let next = seen_next(&mut bits.g, in_loop, seen, condition);
            bits.latches.push(own.latch(seen, Some(Edge::FALSE), next));
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

/// Latches that are no bits of states.
struct Own {
    count: usize,
}

impl Own {
    fn latch(&mut self, var: Edge, init: Option<Edge>, next: Edge) -> Latch {
        let place = Place::own(self.count);
        self.count += 1;
        Latch { var, init, next, place }
    }
}
