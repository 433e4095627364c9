//! The children of a run: SAGE's ExpandExecution (Godefroid, Levin and Molnar, NDSS 2008, Figure 4).
//!
//! For each decision from a bound on, the decisions before it are kept and another way is taken there. `Combine` is what the query layer does
//! anyway: variables outside the slice of the question keep the values of the run, so of the input only the bytes that matter change.

use super::follow::Followed;
use super::query::{Answer, Condition, Queries};
use crate::replay;
use blitz_base::Budget;
use blitz_interp::InputValue;
use blitz_symex::path::Decision;
use blitz_term::{Evaluator, Terms};
use std::rc::Rc;

/// Inputs that leave a run at one of its decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// In the order in which a run takes them.
    pub inputs: Vec<InputValue>,
    /// The decision at which it parts from its parent, by number; expanding it goes on after that.
    pub bound: usize,
    /// The decision as the child is expected to take it.
    pub decision: Decision,
}

/// What expanding a run came to.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    pub children: Vec<Child>,
    /// Ways that no inputs take, and ways the solver gave up on.
    pub infeasible: usize,
    pub undecided: usize,
}

pub(super) fn expand(
    terms: &mut Terms,
    queries: &mut Queries,
    run: &Followed,
    from: usize,
    budget: &Budget,
) -> Expansion {
    let mut out = Expansion::default();
    let base = Rc::new(run.assignment.clone());
    let mut condition = Condition::default();
    let conjuncts = run.path.guard.since(0);
    let mut grown = 0;
    for (number, decision) in run.path.decisions.iter().enumerate().skip(from) {
        if budget.expired().is_some() {
            break;
        }
        while grown < (decision.depth as usize).min(conjuncts.len()) {
            condition.push(terms, queries, conjuncts[grown]);
            grown += 1;
        }
        for (taken, &way) in run.ways[number].iter().enumerate() {
            if taken == decision.taken || terms.is_false(way) {
                continue;
            }
            match queries.extends(terms, &condition, &base, &[way], budget) {
                Answer::Sat(model) => {
                    let mut eval = Evaluator::new(&model);
                    let inputs = run.path.execution.inputs.iter();
                    let inputs = inputs.map(|i| replay::input_value(terms, &mut eval, &i.kind)).collect();
                    let decision = Decision { taken, condition: way, ..*decision };
                    out.children.push(Child { inputs, bound: number, decision });
                }
                Answer::Unsat => out.infeasible += 1,
                Answer::Unknown(_) => out.undecided += 1,
            }
        }
    }
    out
}
