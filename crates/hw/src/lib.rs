//! Transition systems: hardware models, their properties, and the engines that decide them.
//!
//! A reader (`aiger`, `btor2`, `smv`) makes a [`Ts`]; an engine looks for a counterexample or a proof; the simulator (`sim`), which shares
//! nothing with the encoders, replays every counterexample before anybody sees it.
//! After "Bounded Model Checking" (Biere, Cimatti, Clarke, Zhu 1999) and "SAT-Based Model Checking without Unrolling" (Bradley 2011).
//!
//! Invariants: a violation is made only from a trace that the simulator accepted; effort is counted in work of the SAT solver, never in seconds;
//! the same model and options give the same answer.
//! Absent: anything that knows C, and printing.

pub mod aiger;
pub mod answer;
pub mod bits;
pub mod bmc;
pub mod btor2;
pub mod certificate;
pub mod check;
pub mod engine;
pub mod explicit;
pub mod ic3;
pub mod invariant;
pub mod joint;
pub mod kind;
pub mod lasso;
pub mod ltl;
pub mod memories;
pub mod read;
pub mod schedule;
pub mod show;
pub mod sim;
pub mod smv;
pub mod text;
pub mod trace;
pub mod ts;
pub mod unroll;
pub mod vcd;
pub mod witness;
pub mod words;

pub use answer::{Invariant, Proof, Reason, StateLit, Status, Verdict, Violation};
pub use blitz_term::Value as TermValue;
pub use check::{Options, Outcome, PropertyResult, Stats, check};
pub use engine::Engine;
pub use invariant::Trust;
pub use read::{Language, Loaded, ReadError};
pub use trace::{Step, Trace};
pub use ts::{Goal, Input, Property, State, Ts, TsError};
