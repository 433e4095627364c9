//! A path of a transition system, with values: what a counterexample is.
//!
//! Invariant: each step has one value per state and per input, in their order in the [`Ts`](crate::Ts).
//! With `loop_start` the path is infinite: after the last step comes step `loop_start` again, and its states are what the last step leads to.

use blitz_term::Value;

/// The values at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub states: Vec<Value>,
    pub inputs: Vec<Value>,
}

/// A path from an initial state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Never empty.
    pub steps: Vec<Step>,
    /// Where an infinite path goes after its last step.
    pub loop_start: Option<usize>,
}

impl Trace {
    /// How many steps are taken from the first time to the last.
    pub fn bound(&self) -> usize {
        self.steps.len() - 1
    }
}
