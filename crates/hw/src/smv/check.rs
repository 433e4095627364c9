//! What must never happen for any values of the variables' types is asked of the solver: NuSMV finds the same mistakes when it builds its diagrams.

use super::lower::Obligation;
use super::{Pos, SmvError};
use blitz_base::Budget;
use blitz_solver::{Outcome, SolverConfig, make};
use blitz_term::{Term, Terms};

/// The first obligation, in the order of the file, that some valid values break.
pub fn obligations(terms: &mut Terms, valid: &[Term], obligations: Vec<Obligation>) -> Result<(), SmvError> {
    let mut open = obligations;
    open.sort_by_key(|o| o.error.pos);
    let Some(first) = open.first() else { return Ok(()) };
    let nowhere = first.error.pos;
    let wrong: Vec<Term> = open.iter().map(|o| o.wrong).collect();
    let any = terms.or_all(&wrong);
    let mut solver = make("cadical", &SolverConfig::default()).map_err(|e| SmvError::new(nowhere, e.to_string()))?;
    for &condition in valid {
        solver.assert(terms, condition);
    }
    let mut holds = |terms: &mut Terms, what: Term, pos: Pos| match solver.check(terms, &[what], &Budget::unlimited()) {
        Outcome::Sat => Ok(true),
        Outcome::Unsat => Ok(false),
        Outcome::Unknown(why) => Err(SmvError::new(pos, format!("a check of the model was not decided: {why}"))),
    };
    if !holds(terms, any, nowhere)? {
        return Ok(());
    }
    for o in open {
        if holds(terms, o.wrong, o.error.pos)? {
            return Err(o.error);
        }
    }
    unreachable!("one of several wrong things should be possible if any is")
}
