//! What a path says about properties: its claims, gaps, cuts and the checks it reached.

use super::walk::Walked;
use super::{ENGINE, Explorer};
use crate::answer::Inquiry;
use crate::tuning::EXPLORE_MAX_GAPS;
use blitz_ir::PropertyId;
use blitz_solver::Outcome;
use blitz_symex::path::Path;
use blitz_symex::{Claim, Execution};
use blitz_term::{Evaluator, Term};

impl Explorer<'_> {
    pub(super) fn settle(&mut self, path: &Path, walked: &Walked) {
        self.settle_claims(&path.execution);
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
        match self.queries.solver.check(&mut self.terms, &[condition], self.budget) {
            Outcome::Sat => true,
            Outcome::Unsat => false,
            Outcome::Unknown(why) => {
                self.found.undecided.get_or_insert(why.to_string());
                false
            }
        }
    }

    /// Asks about the claims that no path before had.
    fn settle_claims(&mut self, execution: &Execution) {
        let new: Vec<Claim> = execution.claims.iter().filter(|c| !self.asked.contains(&c.violated)).cloned().collect();
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
            solver: self.queries.solver.as_mut(),
            budget: self.budget,
        };
        inquiry.violations(&new, &execution.inputs, &wanted, &mut self.found);
        if self.found.undecided.is_none() {
            self.asked.extend(new.iter().map(|c| c.violated));
        }
        self.found.undecided = before.or(self.found.undecided.take());
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
            solver: self.queries.solver.as_mut(),
            budget: self.budget,
        };
        let Some(reached) = inquiry.reached(&open) else { return false };
        self.reached.extend(reached);
        true
    }
}
