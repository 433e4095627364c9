//! A question as clauses in DIMACS form, for other SAT solvers.
//!
//! Arrays are decided by lemmas that are added when a model breaks them, so the clauses are written after the answer: those of the question and
//! the lemmas it took. They can be satisfied exactly if the question can: a model of the question is one of them, and where it has none
//! they have none either, since that is how the answer was found.

use crate::cadical::Cadical;
use crate::{Outcome, Solver, SolverConfig, SolverError};
use blitz_base::Budget;
use blitz_term::{Term, Terms};
use rustsat::types::Lit;
use std::fmt::Write;

/// The clauses, and what our solver said of them.
pub struct Dimacs {
    pub text: String,
    pub outcome: Outcome,
}

/// Writes a question as clauses.
pub fn dimacs(terms: &mut Terms, question: Term, budget: &Budget) -> Result<Dimacs, SolverError> {
    let mut solver = Cadical::new(&SolverConfig::default())?;
    solver.record_clauses();
    solver.assert(terms, question);
    let outcome = solver.check(terms, &[], budget);
    let (vars, clauses) = solver.recorded();
    let mut text = format!("p cnf {vars} {}\n", clauses.len());
    for clause in clauses {
        for lit in clause {
            let _ = write!(text, "{} ", number(*lit));
        }
        text.push_str("0\n");
    }
    Ok(Dimacs { text, outcome })
}

fn number(lit: Lit) -> i64 {
    let var = i64::from(lit.var().idx32()) + 1;
    if lit.is_neg() { -var } else { var }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_term::Sort;

    /// Reads the text anew and asks another instance.
    fn can_hold(text: &str) -> bool {
        let mut sat = crate::sat::Sat::new(None);
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().expect("a head").split(' ').collect();
        let vars: u32 = head[2].parse().expect("a number");
        let names: Vec<Lit> = (0..vars).map(|_| sat.new_var()).collect();
        for line in lines {
            let numbers = line.split(' ').map(|n| n.parse::<i64>().expect("a number")).take_while(|n| *n != 0);
            let lits: Vec<Lit> = numbers
                .map(|n| {
                    let lit = names[n.unsigned_abs() as usize - 1];
                    if n < 0 { !lit } else { lit }
                })
                .collect();
            sat.add_clause(&lits);
        }
        sat.solve(&[], None, &Budget::unlimited()) == crate::sat::SatResult::Sat
    }

    #[test]
    fn clauses_say_what_the_question_says() {
        let mut terms = Terms::new();
        let x = terms.var("x", Sort::Bv(4));
        let three = terms.bv(4, 3);
        let (low, high) = (terms.ult(x, three), terms.ult(three, x));
        let both = terms.and(low, high);
        for (question, expected) in [(low, Outcome::Sat), (both, Outcome::Unsat)] {
            let made = dimacs(&mut terms, question, &Budget::unlimited()).unwrap();
            assert_eq!(made.outcome, expected);
            assert_eq!(can_hold(&made.text), expected == Outcome::Sat, "{}", made.text);
        }
    }
}
