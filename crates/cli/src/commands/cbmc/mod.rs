//! CBMC's own command lines, for proofs that exist: `blitz cbmc`, `blitz goto-cc`, `blitz goto-instrument`.
//!
//! Why: proof kits call these three tools from their Makefiles, and scripts read what they print. An option is understood, has no
//! effect on the answer, or is refused by name: an answer to another question than the one asked would be worse than none.
//!
//! What differs from `blitz check`: memory that is not set has any value, a call of a function without a body is a failure of its own
//! (`no-body`), `--unwind K` counts as CBMC counts (a loop goes back to its beginning fewer than K times), and nothing is run natively.
//!
//! Absent: coverage other than of locations, function pointer restrictions, bodies generated in any other way than to assert false.

mod check;
mod cover;
mod formula;
mod goto;
mod goto_cc;
mod instrument;
mod loops;
mod options;
mod output;
mod tables;
mod trace;

pub use check::cbmc;
pub use goto_cc::goto_cc;
pub use instrument::goto_instrument;
pub use tables::goto_analyzer;

use crate::Fault;
use std::ffi::OsString;

/// What scripts that ask for CBMC's version read: the interface is that of this version.
const VERSION: &str = concat!("6.6.0 (blitz ", env!("CARGO_PKG_VERSION"), ")");

fn words(args: &[OsString]) -> Vec<String> {
    args.iter().map(|a| a.to_string_lossy().into_owned()).collect()
}

fn needs_value(option: &str) -> Fault {
    Fault::new(format!("{option} needs a value"))
}

fn not_understood(tool: &str, option: &str) -> Fault {
    Fault::new(format!(
        "{tool}: {option} could change the answer, and blitz does not understand it (docs/from-cbmc.md)"
    ))
}
