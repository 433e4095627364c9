//! The compositional engine (BLITZ): backwards from a possible error, one procedure at a time.
//!
//! After Cho, D'Silva and Song, "BLITZ: Compositional Bounded Model Checking for Real-World Programs" (ASE 2013). An
//! obligation is a condition psi over the *ports* of a function: its parameters and memory at entry, and the results
//! of the calls in it that were left out. Its segment is loop-free after unwinding, so psi is the exact precondition of
//! the violation, with nothing quantified away. Data flow decides what is looked at next (Algorithm 2): the latest call
//! whose outputs psi mentions is opened; when there is none, each caller is an alternative; calls that psi does not
//! mention are never encoded. At the program's entry the initial state is known, and a model is an input vector.
//!
//! Memory is bounded by one chain of segments, whatever the size of the program.
//! Direction: under-approximation. Finding nothing proves nothing; what is found is run before it is reported.

mod explain;
mod extents;
mod hunt;
mod inputs;
mod obligation;
mod order;
mod queue;
mod search;
mod share;
mod statements;
pub(crate) mod tactics;
mod turn;
mod under;
mod world;

pub(crate) use search::check;
