//! What a path says about properties: its claims, gaps, cuts and the checks it reached.

use super::walk::Walked;
use super::{ENGINE, Explorer};
use crate::answer::Inquiry;
use crate::paths::{Answer, Condition, Model, Queries};
use crate::tuning::EXPLORE_MAX_GAPS;
use blitz_base::Budget;
use blitz_ir::PropertyId;
use blitz_solver::Outcome;
use blitz_symex::Claim;
use blitz_symex::follow::Path;
use blitz_term::{Evaluator, Term, Terms};
use std::rc::Rc;

impl Explorer<'_> {
    pub(super) fn settle(&mut self, path: &Path, walked: &Walked) {
        self.settle_claims(path, walked);
        let model = walked.model.as_ref().unwrap_or(&walked.last);
        let mut eval = Evaluator::new(model);
        for &(property, guard) in &path.execution.reached {
            if self.reached.contains(&property) {
                continue;
            }
            if eval.holds(&self.terms, guard) {
                self.reached.insert(property);
                self.maybe_reached.remove(&property);
            } else {
                self.maybe_reached.entry(property).or_default().insert(guard);
            }
        }
        for gap in &path.execution.gaps {
            let known = self.gaps.iter().any(|(what, loc)| *what == gap.what && *loc == gap.loc);
            if !known
                && self.gaps.len() < EXPLORE_MAX_GAPS
                && (eval.holds(&self.terms, gap.guard) || self.holds(gap.guard))
            {
                self.gaps.push((gap.what.clone(), gap.loc));
            }
        }
        for cut in &path.execution.cuts {
            let place = (cut.func, cut.what);
            if !self.cuts.contains_key(&place) && (eval.holds(&self.terms, cut.guard) || self.holds(cut.guard)) {
                self.cuts.insert(place, cut.clone());
            }
        }
    }

    /// Whether a condition can hold; where nobody knows, nothing is proved.
    fn holds(&mut self, condition: Term) -> bool {
        if self.terms.is_false(condition) || !self.refuted.insert(condition) {
            return false;
        }
        match self.queries.alone(&mut self.terms, condition, &self.asking) {
            Outcome::Sat => true,
            Outcome::Unsat => false,
            Outcome::Unknown(why) => {
                self.found.undecided.get_or_insert(why.into());
                false
            }
        }
    }

    /// Asks about the claims that no path before had: each by itself and of the conjuncts that matter to it, then about those that can come true.
    fn settle_claims(&mut self, path: &Path, walked: &Walked) {
        let execution = &path.execution;
        let mut prefix = Prefix::of(&self.terms, &mut self.queries, path, walked);
        let mut new = Vec::new();
        for claim in &execution.claims {
            if self.asked.contains(&claim.violated) || !self.is_open(claim) {
                continue;
            }
            if prefix.refutes(&mut self.terms, &mut self.queries, claim, &self.asking) {
                self.asked.insert(claim.violated);
            } else {
                new.push(claim.clone());
            }
        }
        if new.is_empty() {
            return;
        }
        let (program, config) = (self.program, self.config);
        let wanted = |p: PropertyId| config.asks_for(&program.property(p).name);
        let before = self.found.undecided.take();
        let mut inquiry = Inquiry {
            program,
            config,
            engine: ENGINE,
            terms: &mut self.terms,
            solver: self.whole.as_mut(),
            budget: &self.asking,
        };
        inquiry.violations(&new, &execution.inputs, &wanted, &mut self.found);
        self.found.hard_is_undecided();
        if self.found.undecided.is_none() {
            self.asked.extend(new.iter().map(|c| c.violated));
        }
        self.found.undecided = before.or(self.found.undecided.take());
    }

    /// Whether anything is left to find out about a claim's property.
    fn is_open(&self, claim: &Claim) -> bool {
        !self.found.violated.contains(&claim.property)
            && self.config.asks_for(&self.program.property(claim.property).name)
    }

    /// Finds out which of the checks are reached that no model has shown to be. False if the solver gave up.
    pub(super) fn settle_reached(&mut self) -> bool {
        let open: Vec<(PropertyId, Term)> = std::mem::take(&mut self.maybe_reached)
            .into_iter()
            .flat_map(|(property, guards)| guards.into_iter().map(move |g| (property, g)))
            .collect();
        let mut inquiry = Inquiry {
            program: self.program,
            config: self.config,
            engine: ENGINE,
            terms: &mut self.terms,
            solver: self.whole.as_mut(),
            budget: self.budget,
        };
        let Some(reached) = inquiry.reached(&open) else { return false };
        self.reached.extend(reached);
        true
    }
}

/// The condition of a path, of which each of its claims needs the first conjuncts.
struct Prefix {
    condition: Condition,
    base: Model,
    eval: Evaluator<'static>,
    /// The conjuncts that the base does not satisfy, by number.
    broken: Vec<(usize, Term)>,
}

impl Prefix {
    fn of(terms: &Terms, queries: &mut Queries, path: &Path, walked: &Walked) -> Self {
        let mut condition = walked.condition.clone();
        condition.grow(terms, queries, &path.guard);
        let base = Rc::clone(walked.model.as_ref().unwrap_or(&walked.last));
        let mut eval = Evaluator::owned((*base).clone());
        let broken = match walked.model {
            Some(_) => Vec::new(),
            None => condition.conjuncts().enumerate().filter(|(_, t)| !eval.holds(terms, *t)).collect(),
        };
        Self { condition, base, eval, broken }
    }

    /// Whether no inputs make a claim come true. Where the condition does not have all the conjuncts of a claim, nothing is refuted.
    fn refutes(&mut self, terms: &mut Terms, queries: &mut Queries, claim: &Claim, budget: &Budget) -> bool {
        let upto = claim.depth as usize;
        if upto > self.condition.len() {
            return false;
        }
        let mut extra: Vec<Term> = self.broken.iter().filter(|(n, _)| *n < upto).map(|(_, t)| *t).collect();
        if extra.is_empty() && self.eval.holds(terms, claim.bad) {
            return false;
        }
        extra.push(claim.bad);
        let answer = queries.extends_first(terms, (&self.condition, upto), &self.base, &extra, budget);
        matches!(answer, Answer::Unsat)
    }
}
