//! Reads the SMV language (NuSMV's), as far as its models are finite.
//!
//! `lex` and `parse` give an [`ast`]; `flat` instantiates modules and gives names their meaning; `lower` turns expressions into terms; `model` puts
//! a [`Ts`](crate::Ts) together. Integers are exact: each expression carries the interval of its values, and its term is as wide as that needs.
//! Symbolic constants are lists of (value, condition).
//!
//! What NuSMV checks over all valuations is asked of a solver here (`check`): a value assigned outside its variable's type, a `case` without a
//! fitting branch, a division by zero, an index out of bounds. Each is the author's mistake, with its line and column.
//!
//! Direction: exact. What is not supported (processes, `COMPASSION`, reals, unbounded integers, CTL beyond its universal deterministic part) is
//! refused by name.

pub mod ast;
mod check;
mod choose;
mod ctl;
mod flat;
mod lex;
mod lower;
mod model;
mod names;
mod parse;
mod section;
#[cfg(test)]
mod tests;
mod value;
mod words;

pub use model::{Model, Names, read};
pub use names::formula;

use std::fmt;

/// A place in a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pos {
    pub line: u32,
    pub column: u32,
}

impl fmt::Display for Pos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// What is wrong with a text, in one sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmvError {
    pub pos: Pos,
    pub message: String,
}

impl SmvError {
    pub(crate) fn new(pos: Pos, message: impl Into<String>) -> Self {
        Self { pos, message: message.into() }
    }
}

impl fmt::Display for SmvError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pos, self.message)
    }
}

impl std::error::Error for SmvError {}
