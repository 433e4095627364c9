//! Back ends by name.

use crate::cadical::Cadical;
use crate::{Solver, SolverConfig, SolverError};

/// Makes the back end of this name.
///
/// `cadical`, `z3`, `cvc5`, `bitwuzla`, `boolector`, `yices`, `mathsat`, `smtlib:<command>`, `portfolio[:A,B,..]`,
/// `crosscheck[:A,B]`.
pub fn make(name: &str, config: &SolverConfig) -> Result<Box<dyn Solver>, SolverError> {
    match name {
        "cadical" => Ok(Box::new(Cadical::new(config)?)),
        other => Err(SolverError::UnknownName(format!("there is no solver named `{other}`"))),
    }
}
