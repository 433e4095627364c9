//! What tests of several crates share: one random generator and programs made with it.
//!
//! Why: symbolic and concrete semantics are held against each other where they live, on programs that no C compiler would write.
//! Absent on purpose: everything of ours but text. A program is in the IR's text form, so that parser and verifier are tested as well.

pub mod ir_text;
mod rng;

pub use rng::Rng;
