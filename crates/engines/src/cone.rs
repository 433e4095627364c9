//! Claims of a large program, one by one, each decided on the part of the formula that it depends on.
//!
//! A claim holds under the whole path that leads to it, and the path says of every earlier check that it passed. So the question about the last claim of a
//! program has all earlier ones in it, and a SAT solver decides all of their variables to find a model. Here a claim is *relaxed* first: what
//! checks in front of it demand is left out, wherever it stands in the path condition without a negation around it. What remains is mostly the data flow of the claim.
//!
//! Direction: a relaxed claim holds in more states than the claim. Refuted, the claim is refuted. A model is only a proposal: the program is run on its inputs,
//! and whatever violation the run shows is one. What is undecided or not confirmed is left to the question about everything.
//!
//! A solver answers for several claims as long as what it has seen is not much more than the claim at hand depends on; otherwise a new one takes over.
//!
//! Absent: solvers without a count of conflicts, since nothing would limit a question.

use crate::answer::{self, Findings, Inquiry};
use crate::replay;
use crate::tuning::{CONE_MIN_TERMS, CONE_MIN_WORK, CONE_QUERY_CONFLICTS, CONE_SHARE, CONE_SPARE_TERMS};
use blitz_base::Budget;
use blitz_ir::PropertyId;
use blitz_solver::{Outcome, Solver};
use blitz_symex::{Claim, Execution};
use blitz_term::walk::Seen;
use blitz_term::{Op, Term, Terms};
use std::collections::{HashMap, HashSet};

/// Decides the claims that can be decided alone, and returns the others.
pub(crate) fn decide(
    inquiry: &mut Inquiry<'_>,
    execution: &Execution,
    claims: &[Claim],
    wanted: &dyn Fn(PropertyId) -> bool,
    found: &mut Findings,
) -> Vec<Claim> {
    let too_small = inquiry.terms.len() < CONE_MIN_TERMS || claims.len() < 2;
    if too_small || !answer::counts_conflicts(inquiry.config) {
        return claims.to_vec();
    }
    let budget = inquiry.budget.worth(inquiry.budget.spent().max(CONE_MIN_WORK)).with_effort(CONE_QUERY_CONFLICTS);
    let mut relaxed = Relaxed::new(&execution.passed);
    let mut side = Side::default();
    let mut left = Vec::new();
    for (i, claim) in claims.iter().enumerate() {
        if budget.expired().is_some() {
            left.extend_from_slice(&claims[i..]);
            break;
        }
        if !wanted(claim.property) || found.violated.contains(&claim.property) {
            continue;
        }
        let question = relaxed.of(inquiry.terms, claim.violated);
        match side.ask(inquiry, question, &budget) {
            Outcome::Unsat => {}
            Outcome::Sat => {
                if !side.confirm(inquiry, execution, question, claim.property, found) {
                    left.push(claim.clone());
                }
                if inquiry.config.is_enough(inquiry.program, &found.violations) {
                    return Vec::new();
                }
            }
            Outcome::Unknown(_) => left.push(claim.clone()),
        }
    }
    left
}

/// The solver that answers at present, and the terms it has seen.
#[derive(Default)]
struct Side {
    solver: Option<Box<dyn Solver>>,
    seen: Seen,
    size: usize,
}

impl Side {
    fn ask(&mut self, inquiry: &mut Inquiry<'_>, question: Term, budget: &Budget) -> Outcome {
        if inquiry.terms.is_false(question) {
            return Outcome::Unsat;
        }
        let cone = cone(inquiry.terms, question);
        let new = cone.iter().filter(|t| !self.seen.contains(**t)).count();
        if self.size + new > CONE_SHARE * cone.len() + CONE_SPARE_TERMS {
            *self = Self::default();
        }
        self.size += cone.into_iter().filter(|t| self.seen.insert(*t)).count();
        if self.solver.is_none() {
            self.solver = answer::solver(inquiry.config).ok();
        }
        let solver = self.solver.as_mut().expect("a solver that could be made once should be made again");
        solver.check(inquiry.terms, &[question], budget)
    }

    /// Whether the program, run on the model's inputs, violates the property. Another violation is one all the same.
    fn confirm(
        &mut self,
        inquiry: &mut Inquiry<'_>,
        execution: &Execution,
        question: Term,
        claimed: PropertyId,
        found: &mut Findings,
    ) -> bool {
        let solver = self.solver.as_mut().expect("a model should come from a solver").as_mut();
        let mut alone = Inquiry {
            program: inquiry.program,
            config: inquiry.config,
            engine: inquiry.engine,
            terms: &mut *inquiry.terms,
            solver,
            budget: inquiry.budget,
        };
        if alone.prefer_small(&execution.inputs, question) != Outcome::Sat {
            return false;
        }
        let model = alone.model(&execution.inputs, question);
        let vector = replay::vector(alone.terms, &model, &execution.inputs);
        let Ok(violation) = replay::run(alone.program, alone.config, vector, alone.engine, alone.budget) else {
            return false;
        };
        let shown = violation.what().property;
        if found.violated.insert(shown) {
            found.violations.push(violation);
        }
        shown == claimed
    }
}

fn cone(terms: &Terms, root: Term) -> Vec<Term> {
    blitz_term::walk::Postorder::new(terms, &[root]).collect()
}

/// Conditions without what checks demand.
struct Relaxed {
    /// What holds where a check has passed.
    passed: HashSet<Term>,
    known: HashMap<(Term, Change), Term>,
}

/// What has to become of a part for the whole to become weaker: a negation turns it round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Change {
    Weaker,
    Stronger,
}

impl Change {
    fn under_not(self) -> Self {
        match self {
            Change::Weaker => Change::Stronger,
            Change::Stronger => Change::Weaker,
        }
    }
}

impl Relaxed {
    fn new(passed: &[Term]) -> Self {
        Self { passed: passed.iter().copied().collect(), known: HashMap::new() }
    }

    /// A condition that holds wherever `t` does.
    fn of(&mut self, terms: &mut Terms, t: Term) -> Term {
        let mut stack = vec![(t, Change::Weaker)];
        while let Some(&(part, change)) = stack.last() {
            if self.known.contains_key(&(part, change)) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let new = self.step(terms, part, change, &mut stack);
            if stack.len() == before {
                self.known.insert((part, change), new);
                stack.pop();
            }
        }
        self.known[&(t, Change::Weaker)]
    }

    /// The changed part, once those it is made of are known; they are asked for otherwise.
    fn step(&self, terms: &mut Terms, part: Term, change: Change, ask: &mut Vec<(Term, Change)>) -> Term {
        if change == Change::Weaker && self.passed.contains(&part) {
            return terms.tru();
        }
        let mut get = |t: Term, change: Change| {
            let known = self.known.get(&(t, change)).copied();
            if known.is_none() {
                ask.push((t, change));
            }
            known
        };
        match terms.op(part) {
            Op::And(a, b) if terms.width(part) == 1 => match (get(a, change), get(b, change)) {
                (Some(a), Some(b)) => terms.and(a, b),
                _ => part,
            },
            Op::Not(a) if terms.width(part) == 1 => match get(a, change.under_not()) {
                Some(a) => terms.not(a),
                None => part,
            },
            _ => part,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_term::Sort;

    /// `c`, then a check of `ok` in one branch, the paths joined: only the path condition is left.
    #[test]
    fn what_checks_demand_is_left_out_also_in_a_branch() {
        let mut terms = Terms::new();
        let mut var = |name: &str| terms.var(name, Sort::Bv(1));
        let (a, c, ok, bad) = (var("a"), var("c"), var("ok"), var("bad"));
        let (then, other) = (terms.and(c, ok), terms.not(c));
        let joined = terms.or(then, other);
        let guard = terms.and(a, joined);
        let claim = terms.and(guard, bad);
        let expected = terms.and(a, bad);
        assert_eq!(Relaxed::new(&[ok]).of(&mut terms, claim), expected);
    }

    /// Where a check's condition is needed the other way round, it stays.
    #[test]
    fn under_a_negation_nothing_becomes_weaker() {
        let mut terms = Terms::new();
        let (a, ok) = (terms.var("a", Sort::Bv(1)), terms.var("ok", Sort::Bv(1)));
        let failed = terms.not(ok);
        let t = terms.and(a, failed);
        assert_eq!(Relaxed::new(&[ok]).of(&mut terms, t), t);
    }
}
