//! The ground layer: typed ids, bit-vector values, source places and the budget of a run.
//!
//! Absent on purpose: anything that knows what a program or a formula is.

#![warn(unreachable_pub)]

pub mod budget;
pub mod bv;
pub mod ids;
pub mod span;
pub mod work;

pub use budget::{Budget, Stop};
pub use bv::Bv;
pub use work::{Labour, Work};
