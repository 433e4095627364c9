//! Two solvers on every question. They have to agree.
//!
//! A disagreement is a defect of one of them or of ours: the formula is saved and the outcome is unknown with a message that
//! says so, never one of the two answers. Where one solver has no answer, the other's counts.

use crate::{Outcome, Solver, SolverStats, UnknownReason};
use blitz_base::Budget;
use blitz_term::smtlib::print_query;
use blitz_term::{Assignment, Term, Terms, Value};
use std::path::PathBuf;

pub struct Crosscheck {
    first: Box<dyn Solver>,
    second: Box<dyn Solver>,
    save_dir: Option<PathBuf>,
    asserted: Vec<Term>,
    /// Whether the second solver's answer is the one in use.
    use_second: bool,
    disagreements: u32,
}

impl Crosscheck {
    pub fn new(first: Box<dyn Solver>, second: Box<dyn Solver>, save_dir: Option<PathBuf>) -> Self {
        Self { first, second, save_dir, asserted: Vec::new(), use_second: false, disagreements: 0 }
    }

    fn answering(&mut self) -> &mut dyn Solver {
        if self.use_second { self.second.as_mut() } else { self.first.as_mut() }
    }

    fn disagreement(&mut self, terms: &Terms, assumptions: &[Term], (a, b): (&str, &str)) -> Outcome {
        self.disagreements += 1;
        let dir = self.save_dir.clone().unwrap_or_default();
        let name = format!("blitz-disagreement-{}-{}.smt2", std::process::id(), self.disagreements);
        let path = dir.join(name);
        let header = format!("; {} says {a}, {} says {b}\n", self.first.name(), self.second.name());
        let roots: Vec<Term> = self.asserted.iter().chain(assumptions).copied().collect();
        let text = header + &print_query(terms, &roots);
        let saved = match std::fs::write(&path, text) {
            Ok(()) => format!("the formula is in {}", path.display()),
            Err(e) => format!("the formula could not be saved to {}: {e}", path.display()),
        };
        Outcome::Unknown(UnknownReason::Backend(format!(
            "a defect: {} says {a} and {} says {b}; {saved}",
            self.first.name(),
            self.second.name()
        )))
    }
}

impl Solver for Crosscheck {
    fn name(&self) -> String {
        format!("crosscheck:{},{}", self.first.name(), self.second.name())
    }

    fn assert(&mut self, terms: &mut Terms, t: Term) {
        self.asserted.push(t);
        self.first.assert(terms, t);
        self.second.assert(terms, t);
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &Budget) -> Outcome {
        let first = self.first.check(terms, assumptions, budget);
        let second = self.second.check(terms, assumptions, budget);
        self.use_second = matches!(first, Outcome::Unknown(_));
        match (first, second) {
            (Outcome::Sat, Outcome::Unsat) => self.disagreement(terms, assumptions, ("sat", "unsat")),
            (Outcome::Unsat, Outcome::Sat) => self.disagreement(terms, assumptions, ("unsat", "sat")),
            (Outcome::Unknown(_), second @ (Outcome::Sat | Outcome::Unsat)) => second,
            (first, _) => first,
        }
    }

    fn value(&mut self, terms: &mut Terms, t: Term) -> Value {
        self.answering().value(terms, t)
    }

    fn model(&mut self, terms: &mut Terms, roots: &[Term]) -> Assignment {
        self.answering().model(terms, roots)
    }

    fn failed_assumptions(&mut self) -> Vec<Term> {
        self.answering().failed_assumptions()
    }

    fn stats(&self) -> SolverStats {
        self.first.stats()
    }
}
