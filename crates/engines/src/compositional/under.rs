//! Under-approximation (Algorithm 1 of the paper), on words instead of bits.
//!
//! A model of a large condition says which way each of its choices goes. Fixing them that way leaves a conjunction of
//! literals over the ports that implies the condition; the refutation of the condition's negation under those literals
//! says which of them it needs, and the rest is dropped.
//!
//! Invariant: an `Under` implies the condition it was made from.

use blitz_base::Budget;
use blitz_solver::{Outcome, Solver};
use blitz_term::{Assignment, Evaluator, Op, Term, Terms};
use std::collections::{BTreeSet, HashMap};

/// A condition that implies the one it was made from.
#[derive(Clone, Debug)]
pub(crate) struct Under {
    literals: Vec<Term>,
}

impl Under {
    /// From a model of `psi`; the solver must have just found it.
    pub fn new(terms: &mut Terms, solver: &mut dyn Solver, psi: Term, budget: &Budget) -> Self {
        let model = solver.model(terms, &[psi]);
        let literals = Fixing::new(&model).run(terms, psi);
        let under = Self { literals };
        under.generalised(terms, solver, psi, budget)
    }

    pub fn term(&self, terms: &mut Terms) -> Term {
        terms.and_all(&self.literals)
    }

    /// Only the literals that the refutation of the negation needs.
    fn generalised(self, terms: &mut Terms, solver: &mut dyn Solver, psi: Term, budget: &Budget) -> Self {
        let mut assumptions = vec![terms.not(psi)];
        assumptions.extend(&self.literals);
        match solver.check(terms, &assumptions, budget) {
            Outcome::Unsat => {
                let needed: BTreeSet<Term> = solver.failed_assumptions().into_iter().collect();
                Self { literals: self.literals.into_iter().filter(|l| needed.contains(l)).collect() }
            }
            Outcome::Unknown(_) => self,
            Outcome::Sat => unreachable!("literals that fix every choice should imply the condition"),
        }
    }
}

/// Terms with every choice fixed as a model has it; the conditions for that are collected.
struct Fixing<'m> {
    eval: Evaluator<'m>,
    fixed: HashMap<Term, Term>,
    /// Insertion order is kept: literals come out the same in every run.
    literals: Vec<Term>,
    seen: BTreeSet<Term>,
}

/// What the value of a choice hangs on: conditions that hold, and the term it is equal to under them.
struct Path {
    conditions: Vec<Term>,
    value: Term,
}

impl<'m> Fixing<'m> {
    fn new(model: &'m Assignment) -> Self {
        Self { eval: Evaluator::new(model), fixed: HashMap::new(), literals: Vec::new(), seen: BTreeSet::new() }
    }

    fn run(mut self, terms: &mut Terms, psi: Term) -> Vec<Term> {
        let mut stack = vec![psi];
        let mut paths: HashMap<Term, Path> = HashMap::new();
        while let Some(&t) = stack.last() {
            if self.fixed.contains_key(&t) {
                stack.pop();
                continue;
            }
            if !paths.contains_key(&t)
                && let Some(path) = self.path(terms, t)
            {
                paths.insert(t, path);
            }
            let needs: Vec<Term> = match paths.get(&t) {
                Some(p) => p.conditions.iter().copied().chain([p.value]).collect(),
                None => terms.children(t).into_iter().collect(),
            };
            let before = stack.len();
            stack.extend(needs.into_iter().filter(|n| !self.fixed.contains_key(n)));
            if stack.len() > before {
                continue;
            }
            let done = match paths.remove(&t) {
                Some(path) => {
                    for c in path.conditions {
                        let literal = self.fixed[&c];
                        self.hold(terms, literal);
                    }
                    self.fixed[&path.value]
                }
                None => terms.rebuild(t, |child| self.fixed[&child]),
            };
            self.fixed.insert(t, done);
            stack.pop();
        }
        let last = self.fixed[&psi];
        self.hold(terms, last);
        self.literals
    }

    fn hold(&mut self, terms: &Terms, literal: Term) {
        if !terms.is_const(literal) && self.seen.insert(literal) {
            self.literals.push(literal);
        }
    }

    /// The way a choice goes under the model; `None` for what is no choice.
    fn path(&mut self, terms: &mut Terms, t: Term) -> Option<Path> {
        match terms.op(t) {
            Op::Ite(c, a, b) => {
                let yes = self.eval.holds(terms, c);
                let test = if yes { c } else { terms.not(c) };
                Some(Path { conditions: vec![test], value: if yes { a } else { b } })
            }
            Op::And(a, b) if terms.width(t) == 1 => Some(self.conjunction(terms, a, b)),
            Op::Select(array, index) => self.read(terms, array, index),
            _ => None,
        }
    }

    /// A conjunction that holds is both its sides; one that does not is one side that does not.
    fn conjunction(&mut self, terms: &mut Terms, a: Term, b: Term) -> Path {
        let (x, y) = (self.eval.holds(terms, a), self.eval.holds(terms, b));
        if x && y {
            return Path { conditions: vec![a, b], value: terms.tru() };
        }
        let known = |t: &Term| self.fixed.contains_key(t);
        let wrong = if !x && (y || known(&a) || !known(&b)) { a } else { b };
        Path { conditions: vec![terms.not(wrong)], value: terms.fls() }
    }

    /// A read goes past the writes that the model has elsewhere.
    fn read(&mut self, terms: &mut Terms, array: Term, index: Term) -> Option<Path> {
        let (mut at, mut index) = (array, index);
        let mut conditions = Vec::new();
        loop {
            match terms.op(at) {
                Op::Ite(c, a, b) => {
                    let yes = self.eval.holds(terms, c);
                    conditions.push(if yes { c } else { terms.not(c) });
                    at = if yes { a } else { b };
                }
                Op::Store(a, i, v) => {
                    let here = terms.eq(i, index);
                    if self.decide(terms, here, &mut conditions) {
                        return Some(Path { conditions, value: v });
                    }
                    at = a;
                }
                Op::Copy { dst, dst_off, src, src_off, len } => {
                    let k = terms.sub(index, dst_off);
                    let inside = terms.ult(k, len);
                    if self.decide(terms, inside, &mut conditions) {
                        index = terms.add(src_off, k);
                        at = src;
                    } else {
                        at = dst;
                    }
                }
                Op::Fill { array, off, value, len } => {
                    let k = terms.sub(index, off);
                    let inside = terms.ult(k, len);
                    if self.decide(terms, inside, &mut conditions) {
                        return Some(Path { conditions, value });
                    }
                    at = array;
                }
                Op::ConstArray(v) => return Some(Path { conditions, value: v }),
                _ => {
                    let unchanged = at == array && conditions.is_empty();
                    return (!unchanged).then(|| Path { conditions, value: terms.select(at, index) });
                }
            }
        }
    }

    fn decide(&mut self, terms: &mut Terms, test: Term, conditions: &mut Vec<Term>) -> bool {
        let yes = self.eval.holds(terms, test);
        conditions.push(if yes { test } else { terms.not(test) });
        yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_solver::SolverConfig;
    use blitz_term::Sort;

    fn under(terms: &mut Terms, psi: Term) -> Term {
        let budget = Budget::unlimited();
        let mut solver = blitz_solver::make("cadical", &SolverConfig::default()).expect("cadical is built in");
        assert!(matches!(solver.check(terms, &[psi], &budget), Outcome::Sat));
        let phi = Under::new(terms, solver.as_mut(), psi, &budget).term(terms);
        let wrong = terms.not(psi);
        assert!(matches!(solver.check(terms, &[phi, wrong], &budget), Outcome::Unsat), "phi should imply psi");
        assert!(matches!(solver.check(terms, &[phi], &budget), Outcome::Sat), "phi should hold somewhere");
        phi
    }

    #[test]
    fn a_choice_is_fixed_and_what_does_not_matter_is_dropped() {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| terms.var(n, Sort::Bv(8)));
        let (ten, five) = (terms.bv(8, 10), terms.bv(8, 5));
        let small = terms.ult(z, ten);
        let chosen = terms.ite(small, x, y);
        let psi = terms.ult(chosen, five);
        let phi = under(&mut terms, psi);
        let vars = blitz_term::vars_of(&terms, &[phi]);
        assert!(vars.len() == 2 && vars.contains(&z), "one of x and y is enough");
    }

    #[test]
    fn a_read_past_writes_says_where_they_did_not_go() {
        let mut terms = Terms::new();
        let array = terms.var("a", Sort::Array { index: 16, elem: 8 });
        let [i, j] = ["i", "j"].map(|n| terms.var(n, Sort::Bv(16)));
        let (one, two) = (terms.bv(8, 1), terms.bv(8, 2));
        let written = terms.store(array, i, one);
        let read = terms.select(written, j);
        let psi = terms.eq(read, two);
        under(&mut terms, psi);
    }
}
