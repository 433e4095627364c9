//! The symbolic semantics: IR to terms.
//!
//! One executor serves all engines. It runs a function over symbolic values, merges states where paths join, and
//! collects *claims*: conditions under which a property is violated. It never asks a solver and never decides.
//!
//! Absent on purpose: solvers, verdicts, and any code shared with the interpreter (each checks the other).

mod bodiless;
mod confine;
pub mod contents;
pub mod exec;
mod faults;
pub mod guard;
mod held;
pub mod induct;
pub mod info;
mod jumps;
pub mod leaks;
mod math;
pub mod memory;
mod open;
pub mod ops;
pub mod outcome;
mod passed;
pub mod path;
pub mod ranges;
mod record;
pub mod segment;
pub mod shape;
mod snapshot;
pub mod state;
mod step;
pub mod threads;
mod unknown;
pub mod unwind;

pub use bodiless::Bodiless;
pub use exec::{Bounds, Config, Executor};
pub use open::{Calls, OpenCall};
pub use outcome::{Claim, Cut, CutKind, Execution, Gap, Input, InputKind, Spot};
pub use passed::{Guards, Passed};
pub use record::{Equation, Record, Said};
