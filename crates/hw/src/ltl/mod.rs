//! Linear temporal logic with past: formulas, their monitors, and an evaluator that shares nothing with the monitors.
//!
//! A formula speaks of infinite paths. `monitor` composes a system with a tableau of the negated formula, so that a lasso of the composition with every
//! justice condition in its loop is a counterexample. `lasso` evaluates a formula on a lasso by its definition; every counterexample goes through it.
//! After "Another Look at LTL Model Checking" (Clarke, Grumberg, Hamaguchi 1994) and "Simple Bounded LTL Model Checking" (Latvala et al. 2004).
//!
//! Formulas are written as SMV writes them: `G (req -> F ack)`; X F G U V (or R) W, and of the past Y Z O H S T.
//! Absent: paths that end. A state without a successor is on no infinite path, so no formula is violated by running into it.

mod formula;
pub mod lasso;
mod monitor;

pub use formula::{Formula, FormulaId, Node};
pub use monitor::{Monitored, monitored};
