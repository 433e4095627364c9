//! Reading AIGER 1.9, ascii and binary ("The AIGER And-Inverter Graph Format", Biere 2007; "AIGER 1.9 And Beyond", Biere, Heljanko, Wieringa 2011).
//!
//! `parse` takes the file apart and checks every number; `build` makes the transition system. Latches and inputs are
//! states and inputs of one bit, in the order of the file.
//! A file without bad-state and justice properties is of the old convention: its outputs are bad.
//! Counts in the header are believed only as far as the file bears them out, so that a short file can't ask for much memory.

mod build;
mod parse;
#[cfg(test)]
mod tests;

use crate::read::ReadError;
use crate::ts::Ts;

/// Reads a model.
pub fn read(bytes: &[u8]) -> Result<Ts, ReadError> {
    build::build(&parse::parse(bytes)?)
}
