//! Models that have been evaluated against the terms they are models of.
//!
//! Invariant: a `Verified` exists only if every root evaluated to true under its assignment.

use blitz_term::{Assignment, Evaluator, Op, Term, Terms, Value};
use rustc_hash::FxHashSet;

/// A model that satisfies its roots, with the values computed so far.
pub struct Verified {
    evaluator: Evaluator<'static>,
}

/// A root that is not true under the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongModel {
    pub root: Term,
}

impl std::fmt::Display for WrongModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} is false under it", self.root)
    }
}

impl Verified {
    pub fn new(terms: &Terms, model: Assignment, roots: &[Term]) -> Result<Self, WrongModel> {
        let mut evaluator = Evaluator::owned(model);
        match roots.iter().find(|t| !evaluator.holds(terms, **t)) {
            Some(root) => Err(WrongModel { root: *root }),
            None => Ok(Self { evaluator }),
        }
    }

    /// The value of any term.
    pub fn value(&mut self, terms: &Terms, t: Term) -> Value {
        self.evaluator.eval(terms, t)
    }

    /// The values of the variables below the roots.
    pub fn restricted(&self, terms: &Terms, roots: &[Term]) -> Assignment {
        let mut model = Assignment::new();
        for var in variables(terms, roots) {
            let value = self.evaluator.assignment().get(var).cloned();
            model.set(var, value.unwrap_or_else(|| Value::zero(terms.sort(var))));
        }
        model
    }
}

/// The variables below the roots, in order of first visit.
pub fn variables(terms: &Terms, roots: &[Term]) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let mut stack: Vec<Term> = roots.iter().rev().copied().collect();
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        if let Op::Var(_) = terms.op(t) {
            found.push(t);
        }
        stack.extend(terms.children(t));
    }
    found
}
