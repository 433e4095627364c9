//! Gates by what they are, so that equal ones are found.
//!
//! Open addressing over the numbers of nodes, the gates themselves being in the graph: a map with gates as keys takes five times the
//! memory, and all of it twice while it grows.

use super::Gate;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The smallest table.
const FIRST: usize = 1 << 10;
/// No gate: node 0 is the constant, which nobody looks up.
const EMPTY: u32 = 0;

/// The nodes of a graph by their gates.
#[derive(Default)]
pub struct Unique {
    /// As many as a power of two.
    slots: Vec<u32>,
    used: usize,
}

impl Unique {
    /// The node with this gate.
    pub fn find(&self, gate: Gate, gates: &[Gate]) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.start(gate);
        loop {
            match self.slots[at] {
                EMPTY => return None,
                node if gates[node as usize] == gate => return Some(node),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Adds a node, whose gate is in the graph already and was not found.
    pub fn insert(&mut self, node: u32, gates: &[Gate]) {
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            self.grow(gates);
        }
        self.put(node, gates[node as usize]);
        self.used += 1;
    }

    fn put(&mut self, node: u32, gate: Gate) {
        let mut at = self.start(gate);
        while self.slots[at] != EMPTY {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = node;
    }

    fn grow(&mut self, gates: &[Gate]) {
        let size = (self.slots.len() * 2).max(FIRST);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; size]);
        for node in old.into_iter().filter(|&n| n != EMPTY) {
            self.put(node, gates[node as usize]);
        }
    }

    /// Where the search for a gate begins.
    fn start(&self, gate: Gate) -> usize {
        let mut hasher = FxHasher::default();
        gate.hash(&mut hasher);
        // The high bits are the well mixed ones.
        let mixed = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - self.slots.len().trailing_zeros())) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aig::Edge;

    #[test]
    fn gates_are_found_again_after_growing() {
        let mut gates = vec![Gate::Const];
        let mut unique = Unique::default();
        for i in 1..5_000u32 {
            let gate = Gate::And(Edge::of_node(i), Edge::of_node(i * 7 % 5_000));
            assert_eq!(unique.find(gate, &gates), None);
            gates.push(gate);
            unique.insert(i, &gates);
        }
        for (i, gate) in gates.iter().enumerate().skip(1) {
            assert_eq!(unique.find(*gate, &gates), Some(i as u32));
        }
    }
}
