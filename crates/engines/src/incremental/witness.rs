//! Whether a waiting state is reached, without asking the solver where a guess will do.
//!
//! The inputs that brought an execution to a loop mostly keep it there if those that are asked for next are one (a loop goes on while
//! something holds) or zero. A guess that satisfies the guard is as good as the solver's model; one that does not says nothing.

use blitz_base::Bv;
use blitz_symex::{Input, InputKind, Site};
use blitz_term::{Assignment, Evaluator, Term, Terms, Value};
use std::collections::BTreeMap;

/// Per loop the inputs of an execution that last waited there.
#[derive(Default)]
pub(super) struct Witnesses(BTreeMap<Site, Assignment>);

impl Witnesses {
    /// Whether the execution known for a site, or one that differs in later inputs only, satisfies a guard.
    pub fn reach(&mut self, terms: &Terms, inputs: &[Input], site: Site, guard: Term) -> bool {
        let Some(known) = self.0.get(&site) else { return false };
        let longer = extended(terms, known, inputs);
        for candidate in [longer, known.clone()] {
            if Evaluator::new(&candidate).holds(terms, guard) {
                self.0.insert(site, candidate);
                return true;
            }
        }
        false
    }

    /// A model that satisfies the guard of a state at this site.
    pub fn note(&mut self, site: Site, model: Assignment) {
        self.0.insert(site, model);
    }
}

/// Inputs that the execution was not asked for are one.
fn extended(terms: &Terms, known: &Assignment, inputs: &[Input]) -> Assignment {
    let mut out = known.clone();
    for input in inputs {
        let InputKind::Value { term, .. } = input.kind else { continue };
        if known.get(term).is_none() {
            out.set(term, Value::Bv(Bv::from_u64(terms.width(term), 1)));
        }
    }
    out
}
