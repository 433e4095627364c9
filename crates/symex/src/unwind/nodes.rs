//! What belongs to a node of the unwound program, whichever wave runs it: activations, object numbers, inputs.
//!
//! Waves have disjoint guards, so that they may share these; a wave then makes the same terms as the one before wherever
//! it computes the same.

use crate::exec::Executor;
use blitz_ir::{FuncId, InstId};
use blitz_term::{Sort, Term};
use std::collections::HashMap;

/// An instruction in an activation, in one leg of it (`jumps`) and one visit of each loop around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    activation: u32,
    leg: u32,
    visits: Vec<u32>,
    inst: InstId,
}

/// What the nodes met so far own.
#[derive(Default)]
pub struct Nodes {
    activations: HashMap<(Node, FuncId), u32>,
    numbers: HashMap<Node, u32>,
    variables: HashMap<(Node, usize, Sort), Term>,
    /// Instances of thread-local globals, by thread and object.
    pub(crate) instances: HashMap<(usize, u32), u32>,
    /// Whether a thread stops at a node in a round; without a node, before it begins.
    pub(crate) stops: HashMap<(Option<Node>, usize, u32), Term>,
}

impl Executor<'_, '_> {
    pub(crate) fn node(&self) -> Option<Node> {
        let frame = self.frames.last()?;
        let visits = frame.running.iter().map(|r| r.done).collect();
        Some(Node { activation: frame.activation, leg: frame.leg, visits, inst: frame.current? })
    }

    /// The number of an activation that is about to begin; means something where the program is unwound step by step.
    pub(crate) fn activation(&mut self, func: FuncId) -> u32 {
        let node = self.node();
        let (Some(nodes), Some(node)) = (&mut self.nodes, node) else { return 0 };
        let next = nodes.activations.len() as u32 + 1;
        *nodes.activations.entry((node, func)).or_insert(next)
    }

    /// The number of an object that is allocated now.
    pub(crate) fn object_number(&mut self) -> u32 {
        let node = self.node();
        if let (Some(nodes), Some(node)) = (&mut self.nodes, node) {
            let fresh = self.next_object;
            let number = *nodes.numbers.entry(node).or_insert(fresh);
            self.next_object += u32::from(number == fresh);
            return number;
        }
        self.next_object += 1;
        self.next_object - 1
    }

    /// The variable for the `nth` input that the present instruction takes.
    pub(crate) fn input_variable(&mut self, name: &str, sort: Sort, nth: usize) -> Term {
        if let Some(variable) = self.path_input(name, sort) {
            return variable;
        }
        let node = self.node();
        let terms = &mut *self.terms;
        match (&mut self.nodes, node) {
            (Some(nodes), Some(node)) => {
                *nodes.variables.entry((node, nth, sort)).or_insert_with(|| terms.fresh(name, sort))
            }
            _ => terms.fresh(name, sort),
        }
    }
}
