//! The symbolic semantics: IR to terms.
//!
//! The meaning of an instruction (`step`, on the state of a `Machine`) knows no mode. What to do at a call, a loop, a
//! join and a fork is up to a policy; `policies` has one room for each, and an `Executor` is a machine with a policy.
//! It collects *claims*: conditions under which a property is violated. It never asks a solver and never decides.
//!
//! Absent on purpose: solvers, verdicts, and any code shared with the interpreter (each checks the other).

mod behind;
mod bodiless;
mod builtin;
mod calls;
mod confine;
pub mod contents;
mod counters;
mod faults;
pub mod fork;
pub mod guard;
mod held;
pub mod ids;
pub mod info;
mod jumps;
pub mod leaks;
mod live;
mod machine;
mod math;
pub mod memory;
mod names;
mod narrow;
pub mod ops;
pub mod outcome;
mod passed;
mod policies;
mod policy;
pub mod ranges;
mod record;
mod saved;
pub mod shape;
mod snapshot;
pub mod state;
mod step;
mod unknown;
mod walk;

pub use behind::Behind;
pub use bodiless::Bodiless;
pub use machine::{Bounds, Config, Machine};
pub use outcome::{Claim, Cut, CutKind, Execution, Gap, Input, InputKind, Passing, Site, Spot, Yields};
pub use passed::{Guards, Passed};
pub use policies::{follow, generalise, havoc, merge, rounds, segment, waves};
pub use record::{Equation, Record, Said};
pub use walk::Executor;
