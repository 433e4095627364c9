//! The graph as IC3's questions have it: a tree of conjunctions that nobody else reads is one wide conjunction.
//!
//! Such a tree has one variable instead of many, and most of its clauses have two literals, which is what propagation is quickest with.
//! Invariant: a node that went into its reader is no root, and nothing but its reader mentions it.

use crate::bits::{BitGoal, Bits};
use blitz_solver::aig::{Edge, Gate, children};

/// Per node its inputs: the leaves of a conjunction, else those of the gate.
pub struct Cells {
    first: Vec<u32>,
    edges: Vec<Edge>,
}

impl Cells {
    pub fn new(bits: &Bits) -> Self {
        let readers = readers(bits);
        let inside = |e: Edge| match bits.g.gate(e.node()) {
            Gate::And(a, b) if !e.inverted() && readers[e.node() as usize] == Reader::One => Some([a, b]),
            Gate::Const | Gate::Input | Gate::And(..) | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => None,
        };
        let mut cells = Self { first: Vec::with_capacity(bits.g.len() + 1), edges: Vec::new() };
        let mut gone = vec![false; bits.g.len()];
        let mut inputs: Vec<Vec<Edge>> = Vec::new();
        // Readers come after what they read, so the last ones decide first what goes into them.
        for node in (0..bits.g.len() as u32).rev() {
            let gate = bits.g.gate(node);
            let mut found: Vec<Edge> = Vec::new();
            if !gone[node as usize] {
                found.extend(children(gate).into_iter().flatten());
                if matches!(gate, Gate::And(..)) {
                    let mut stack = std::mem::take(&mut found);
                    while let Some(e) = stack.pop() {
                        match inside(e) {
                            Some(below) => {
                                gone[e.node() as usize] = true;
                                stack.extend(below);
                            }
                            None => found.push(e),
                        }
                    }
                    found.sort_unstable();
                    found.dedup();
                }
            }
            inputs.push(found);
        }
        for found in inputs.into_iter().rev() {
            cells.first.push(cells.edges.len() as u32);
            cells.edges.extend(found);
        }
        cells.first.push(cells.edges.len() as u32);
        cells
    }

    /// What a node's value is computed from.
    pub fn inputs(&self, node: u32) -> &[Edge] {
        &self.edges[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    None,
    One,
    /// Several, or it is asked about by itself.
    Many,
}

fn readers(bits: &Bits) -> Vec<Reader> {
    let mut readers = vec![Reader::None; bits.g.len()];
    for node in 0..bits.g.len() as u32 {
        let gate = bits.g.gate(node);
        let conjunction = matches!(gate, Gate::And(..));
        for e in children(gate).into_iter().flatten() {
            let reader = &mut readers[e.node() as usize];
            *reader = if conjunction && *reader == Reader::None { Reader::One } else { Reader::Many };
        }
    }
    for e in roots(bits) {
        readers[e.node() as usize] = Reader::Many;
    }
    readers
}

fn roots(bits: &Bits) -> Vec<Edge> {
    let mut roots: Vec<Edge> = bits.init.iter().chain(&bits.constraints).chain(&bits.trans).copied().collect();
    for latch in &bits.latches {
        roots.extend([latch.var, latch.next]);
        roots.extend(latch.init);
    }
    for goal in bits.goals.iter().flatten() {
        match goal {
            BitGoal::Bad(bad) => roots.push(*bad),
            BitGoal::Justice(all) => roots.extend(all),
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_solver::aig::Aig;

    #[test]
    fn a_tree_that_one_gate_reads_is_one_conjunction() {
        let mut g = Aig::default();
        let leaves: Vec<Edge> = (0..5).map(|_| g.input()).collect();
        let all = g.and_all(&leaves);
        let shared = g.and(leaves[0], !leaves[1]);
        let (first, second) = (g.and(shared, leaves[2]), g.or(shared, leaves[3]));
        let bits = Bits {
            g,
            latches: Vec::new(),
            inputs: Vec::new(),
            init: Vec::new(),
            constraints: vec![all, first, second],
            trans: Vec::new(),
            goals: Vec::new(),
        };
        let cells = Cells::new(&bits);
        assert_eq!(cells.inputs(all.node()), leaves);
        assert!(cells.inputs(first.node()).contains(&shared));
        assert_eq!(cells.inputs(shared.node()).len(), 2);
    }
}
