//! SMT-LIB 2: reading scripts into commands over terms, and printing terms and scripts.
//!
//! Read: the commands of the standard for QF_BV, QF_ABV and QF_BVFP (and what lies below them), `let`, named terms, macros. Floats become circuits
//! as they are read. Anything else (quantifiers, uninterpreted functions, integers, datatypes) is refused by name, with its place.
//! Printed: every term, each shared subterm once. A term of one bit prints as `Bool`. Bulk array terms print as chains of
//! choices where their length is bounded, else through a quantified definition.
//!
//! Invariants: neither direction recurses over the depth of a term or of the text; what is printed reads back as an equivalent term.
//! Absent: running commands, which is the solver's business.

mod apply;
mod command;
mod error;
mod expr;
mod fp;
mod print;
mod read;
mod real;
mod script;
mod sexp;
mod sort;
mod value;

pub use command::{Command, Declared, Labelled};
pub use error::ParseError;
pub use print::{Printer, print_query, print_term, print_term_with, quote_symbol};
pub use read::{ScriptReader, parse_script};
pub use script::print_script;
pub use sort::{Scalar, SmtSort, Typed};
pub use value::print_value;
