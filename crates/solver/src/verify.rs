//! Models that have been evaluated against the terms they are models of.
//!
//! Invariant: a `Verified` exists only if every root evaluated to true under its assignment.

use blitz_term::{Assignment, Evaluator, Op, Sort, Term, Terms, Value};
use rustc_hash::FxHashSet;

/// A model that satisfies its roots.
pub struct Verified {
    model: Assignment,
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
        let mut evaluator = Evaluator::new(&model);
        match roots.iter().find(|t| !evaluator.holds(terms, **t)) {
            Some(root) => Err(WrongModel { root: *root }),
            None => Ok(Self { model }),
        }
    }

    /// The value of any term.
    pub fn value(&self, terms: &Terms, t: Term) -> Value {
        match terms.op(t) {
            Op::Var(_) => self.variable(terms, t),
            _ => Evaluator::new(&self.model).eval(terms, t),
        }
    }

    fn variable(&self, terms: &Terms, var: Term) -> Value {
        self.model.get(var).cloned().unwrap_or_else(|| Value::zero(terms.sort(var)))
    }

    /// The values of the variables below the roots.
    pub fn restricted(&self, terms: &Terms, roots: &[Term]) -> Assignment {
        let mut model = Assignment::new();
        for var in variables(terms, roots) {
            model.set(var, self.variable(terms, var));
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

/// Whether any array is below the roots.
pub fn has_arrays(terms: &Terms, roots: &[Term]) -> bool {
    variables(terms, roots).iter().any(|v| matches!(terms.sort(*v), Sort::Array { .. }))
}
