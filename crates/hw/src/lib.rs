//! Transition systems: hardware models, their properties, and the engines that decide them.
//!
//! A reader (`aiger`, `btor2`, `smv`) makes a [`Ts`]; an engine looks for a counterexample or a proof; the simulator (`sim`), which shares
//! nothing with the encoders, replays every counterexample before anybody sees it.
//! After "Bounded Model Checking" (Biere, Cimatti, Clarke, Zhu 1999) and "SAT-Based Model Checking without Unrolling" (Bradley 2011).
//!
//! Invariants: a violation is made only from a trace that the simulator accepted; effort is counted in work of the SAT solver, never in seconds;
//! the same model and options give the same answer.
//! Absent: anything that knows C, and printing.

pub mod trace;
pub mod ts;

pub use trace::{Step, Trace};
pub use ts::{Goal, Input, Property, State, Ts, TsError};
