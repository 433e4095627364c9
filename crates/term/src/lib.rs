//! Terms: the formulas everything is decided with.
//!
//! Bit-vector and array terms, hash-consed in one arena (`Terms`), simplified as they are built. A Boolean is a bit-vector of one bit.
//! Bulk array operations (`copy`, `fill`) and the lazy searches (`scan`, `mismatch`) are terms of their own, so that a
//! `memcpy` or `strlen` of symbolic length costs one node.
//!
//! Invariants: equal terms have equal ids; ids are a topological order; every simplification preserves the value under every
//! assignment (tests hold each operator against evaluation). Nothing here recurses over the depth of a formula.
//! Absent: solving, and anything that knows programs.

mod build;
pub mod eval;
pub mod float;
mod hash;
mod known;
mod node;
mod propagate;
mod reads;
pub mod smtlib;
mod sort;
pub mod subst;
mod table;
mod terms;
pub mod walk;

pub use eval::{ArrayValue, Assignment, Evaluator, Value, eval};
pub use hash::FastHash;
pub use known::KnownBits;
pub use node::{Op, Term, VarId};
pub use sort::Sort;
pub use subst::Substitution;
pub use terms::{Children, TermStats, Terms};
pub use walk::{Postorder, dag_size, vars_of};
