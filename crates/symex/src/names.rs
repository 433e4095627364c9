//! Who owns what an execution makes: object numbers, variables, activations.
//!
//! Executions that run the same place more than once (waves of an unwinding, rounds of threads, paths with the same
//! beginning) want the same terms there again. So what is made belongs to an owner that lives longer than one pass: a
//! *node* of the unwound program, or a position on a path.
//!
//! Invariant: two executions that share an owner never make it own two different things at once: waves and rounds have
//! disjoint guards, paths part at a fork.

use crate::ids::{ActivationNo, ObjectNo};
use crate::machine::Machine;
use blitz_ir::{FuncId, InstId};
use blitz_term::{Sort, Term, Terms};
use std::collections::HashMap;

/// Who owns what is made, and the number of the next object.
#[derive(Debug, Default)]
pub struct Names {
    next_object: ObjectNo,
    owner: Owner,
}

#[derive(Debug, Default)]
enum Owner {
    /// All is new.
    #[default]
    Nobody,
    Nodes(Nodes),
    /// How many inputs were taken before, and how many other variables were made.
    Positions {
        made: u32,
    },
}

/// An instruction in an activation, in one leg of it (`jumps`) and one iteration of each loop around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Node {
    activation: ActivationNo,
    leg: u32,
    iterations: Vec<u32>,
    inst: InstId,
}

/// What the nodes met so far own.
#[derive(Debug, Default)]
struct Nodes {
    activations: HashMap<(Node, FuncId), ActivationNo>,
    numbers: HashMap<Node, ObjectNo>,
    variables: HashMap<(Node, usize, Sort), Term>,
}

impl Names {
    /// Everything that is made is new; objects are numbered from here on.
    pub fn fresh(next_object: ObjectNo) -> Self {
        Self { next_object, owner: Owner::Nobody }
    }

    /// Nodes of the unwound program own what is made.
    pub fn by_node(next_object: ObjectNo) -> Self {
        Self { next_object, owner: Owner::Nodes(Nodes::default()) }
    }

    /// Positions on a path own what is made.
    pub fn by_position(next_object: ObjectNo) -> Self {
        Self { next_object, owner: Owner::Positions { made: 0 } }
    }

    /// The same, where a path has come to: the number of the next object, and how many other variables were made.
    pub(crate) fn at_position((next_object, made): (ObjectNo, u32)) -> Self {
        Self { next_object, owner: Owner::Positions { made } }
    }

    /// Where a path has come to, for `at_position`.
    pub(crate) fn position(&self) -> (ObjectNo, u32) {
        match self.owner {
            Owner::Positions { made } => (self.next_object, made),
            Owner::Nobody | Owner::Nodes(_) => unreachable!("only a path should have positions"),
        }
    }

    /// The number that the next object gets.
    pub fn next_object(&self) -> ObjectNo {
        self.next_object
    }

    /// A number for an object whose owner is looked up elsewhere.
    pub(crate) fn number(&mut self) -> ObjectNo {
        let number = self.next_object;
        self.next_object.0 += 1;
        number
    }

    /// What the names of the variables that are about to be made have at their ends, on a path.
    pub(crate) fn mark(&mut self) -> Option<u32> {
        match &mut self.owner {
            Owner::Nobody | Owner::Nodes(_) => None,
            Owner::Positions { made } => {
                *made += 1;
                Some(*made)
            }
        }
    }
}

impl Machine<'_, '_> {
    pub(crate) fn node(&self) -> Option<Node> {
        let frame = self.frames.last()?;
        let iterations = frame.running.iter().map(|r| r.done).collect();
        Some(Node { activation: frame.activation, leg: frame.leg, iterations, inst: frame.current? })
    }

    /// The number of an activation that is about to begin; the first where no nodes own any.
    pub(crate) fn activation(&mut self, func: FuncId) -> ActivationNo {
        let node = self.node();
        let (Owner::Nodes(nodes), Some(node)) = (&mut self.names.owner, node) else { return ActivationNo(0) };
        let next = ActivationNo::new(nodes.activations.len() + 1);
        *nodes.activations.entry((node, func)).or_insert(next)
    }

    /// The number of an object that is allocated now.
    pub(crate) fn object_number(&mut self) -> ObjectNo {
        let node = self.node();
        let Names { next_object, owner } = &mut self.names;
        if let (Owner::Nodes(nodes), Some(node)) = (owner, node) {
            let fresh = *next_object;
            let number = *nodes.numbers.entry(node).or_insert(fresh);
            next_object.0 += u32::from(number == fresh);
            return number;
        }
        self.names.number()
    }

    /// The variable for the `nth` input that the present instruction takes.
    pub(crate) fn input_variable(&mut self, name: &str, sort: Sort, nth: usize) -> Term {
        let node = self.node();
        let terms = &mut *self.terms;
        match (&mut self.names.owner, node) {
            (Owner::Positions { .. }, _) => {
                let position = self.out.inputs.len();
                terms.var(&format!("{name}@{position}{}", suffix(sort)), sort)
            }
            (Owner::Nodes(nodes), Some(node)) => {
                *nodes.variables.entry((node, nth, sort)).or_insert_with(|| terms.fresh(name, sort))
            }
            (Owner::Nodes(_) | Owner::Nobody, _) => terms.fresh(name, sort),
        }
    }
}

/// A variable that is no input; on a path named by its mark, elsewhere new.
pub(crate) fn made(terms: &mut Terms, mark: Option<u32>, name: &str, sort: Sort) -> Term {
    match mark {
        Some(n) => terms.var(&format!("{name}@@{n}{}", suffix(sort)), sort),
        None => terms.fresh(name, sort),
    }
}

/// Variables of different sorts have different names.
fn suffix(sort: Sort) -> String {
    match sort {
        Sort::Bv(bits) => format!(":{bits}"),
        Sort::Array { index, elem } => format!(":{index}[{elem}]"),
    }
}
