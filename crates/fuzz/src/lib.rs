//! `blitz fuzz`: whitebox fuzzing as SAGE does it, on native runs.
//!
//! The user's program is built with clang's sanitizers and edge coverage and run in a box, many times a second (`target`, `server`). Tests are kept in a
//! folder (`store`) and taken by the blocks they were the first to cover (`coverage`, `sage`); each is followed symbolically, its decisions are
//! negated, and the solver's inputs are run (`expand`). Mutation (`mutate`) does what needs no solver.
//!
//! Invariants: only the interpreter's run or a sanitizer's report of a native run makes a finding; only `target` knows how the program is built, only `server`
//! talks to it. Absent: printing, and any claim when nothing was found.

pub mod afl;
pub mod carrier;
pub mod concolic;
pub mod coverage;
pub mod crash;
pub mod expand;
pub mod interpret;
mod layout;
pub mod lines;
pub mod mutate;
pub mod sage;
pub mod search;
pub mod server;
pub mod status;
pub mod store;
pub mod target;

pub use carrier::Carrier;
pub use search::{Config, End, Search};
pub use server::{Limits, Server, Start};
pub use status::Status;
pub use store::{Identity, Store, Trouble};
