//! What belongs to a node of the unwound program, whichever wave runs it: activations, object numbers, inputs.
//!
//! Waves have disjoint guards, so that they may share these; a wave then makes the same terms as the one before wherever
//! it computes the same.

use crate::exec::Executor;
use blitz_ir::{FuncId, InstId};
use blitz_term::{Sort, Term};

/// An instruction in an activation, in one leg of it (`jumps`) and one visit of each loop around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    activation: u32,
    leg: u32,
    visits: Vec<u32>,
    inst: InstId,
}

impl Executor<'_, '_> {
    fn node(&self) -> Option<Node> {
        let frame = self.frames.last()?;
        let visits = frame.running.iter().map(|r| r.done).collect();
        Some(Node { activation: frame.activation, leg: frame.leg, visits, inst: frame.current? })
    }

    /// The number of an activation that is about to begin; means something where the program is unwound step by step.
    pub(crate) fn activation(&mut self, func: FuncId) -> u32 {
        let node = self.node();
        let (Some(unwinding), Some(node)) = (&mut self.unwinding, node) else { return 0 };
        let next = unwinding.activations.len() as u32 + 1;
        *unwinding.activations.entry((node, func)).or_insert(next)
    }

    /// The number of an object that is allocated now.
    pub(crate) fn object_number(&mut self) -> u32 {
        let node = self.node();
        if let (Some(unwinding), Some(node)) = (&mut self.unwinding, node) {
            let fresh = self.next_object;
            let number = *unwinding.numbers.entry(node).or_insert(fresh);
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
        match (&mut self.unwinding, node) {
            (Some(unwinding), Some(node)) => {
                *unwinding.variables.entry((node, nth, sort)).or_insert_with(|| terms.fresh(name, sort))
            }
            _ => terms.fresh(name, sort),
        }
    }
}
