//! What engines have in common: their names, and how they report after each piece of work.

use crate::answer::{Proof, Violation};
use crate::sim::Stimulus;
use crate::ts::{Goal, Ts};
use blitz_solver::UnknownReason;

/// How to look for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// All of the others, taking turns.
    Auto,
    /// Counterexamples, one bound after the other.
    Bmc,
    /// The same, and k-induction.
    Kind,
    /// An inductive invariant, clause by clause.
    Ic3,
}

impl Engine {
    pub const ALL: [Engine; 4] = [Engine::Auto, Engine::Bmc, Engine::Kind, Engine::Ic3];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Bmc => "bmc",
            Engine::Kind => "kind",
            Engine::Ic3 => "ic3",
        }
    }

    /// The engine of this name.
    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::ALL.into_iter().find(|e| e.name() == name)
    }
}

/// What a piece of work came to.
pub enum Progress {
    Violated(Violation),
    Proved(Proof),
    /// There is more to do.
    More,
    /// A lasso that does not close for the states that the property does not depend on.
    Open,
    Stopped(UnknownReason),
}

impl Progress {
    /// A counterexample found.
    pub fn found(ts: &Ts, goal: &Goal, stimulus: &Stimulus, engine: Engine) -> Progress {
        match Violation::from_stimulus(ts, goal, stimulus, engine.name()) {
            Some(violation) => Progress::Violated(violation),
            None => Progress::Open,
        }
    }
}
