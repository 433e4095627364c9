//! Which claims come true: asked about all at once, and property by property where that is too hard.
//!
//! One question about everything is cheapest where the solver can answer it. But one product of two inputs among the claims makes it unanswerable, and then nothing
//! would be known about all the others. So the question about everything may take about as much work as was done before it. After that each property is asked about
//! alone, in rounds of growing work, until all are decided or the budget ends.
//!
//! Direction: exact. What the solver gives up on is `Findings::too_hard`, property by property, and is never counted as refuted.
//! Absent: solvers whose work nobody counts. They get one question about everything.

use crate::answer::{Findings, Inquiry, counts_conflicts};
use crate::reason::Reason;
use crate::replay;
use crate::tuning::{CLAIMS_PATIENCE, CLAIMS_SINGLE_GROWTH, CLAIMS_SINGLE_WORK, CLAIMS_TOGETHER};
use crate::verdict::Unconfirmed;
use blitz_base::{Budget, Work};
use blitz_ir::PropertyId;
use blitz_solver::Outcome;
use blitz_symex::{Claim, Input};
use blitz_term::Term;
use std::collections::BTreeSet;

/// What became of a question.
enum Asked {
    /// Whatever was asked about is decided, or was handed on as not confirmed.
    Decided,
    /// One violation is enough, and there is one.
    Enough,
    GaveUp(Reason),
}

/// The claims under question, and the properties of which no model is asked for any more.
struct Open<'a> {
    claims: &'a [Claim],
    inputs: &'a [Input],
    wanted: &'a dyn Fn(PropertyId) -> bool,
    /// What runs may take: a run that shows a violation should not end because one question has used up its share.
    runs: &'a Budget,
    given_up: BTreeSet<PropertyId>,
    /// Executions that violate one of these properties before what is asked about are left out for now: their claims.
    avoided: BTreeSet<PropertyId>,
    avoid: Vec<Term>,
    /// What such an execution was found for.
    overtaken: BTreeSet<PropertyId>,
}

impl Open<'_> {
    fn claims(&self, found: &Findings, only: Option<PropertyId>) -> Vec<(PropertyId, Term)> {
        let open = |p: PropertyId| {
            only.is_none_or(|only| only == p)
                && (self.wanted)(p)
                && !found.violated.contains(&p)
                && !self.given_up.contains(&p)
        };
        self.claims.iter().filter(|c| open(c.property)).map(|c| (c.property, c.violated)).collect()
    }

    /// Leaves out the executions that violate `seen`. False: that was done before, or nothing here says which they are.
    fn leave_out(&mut self, seen: PropertyId) -> bool {
        if !self.avoided.insert(seen) {
            return false;
        }
        let before = self.avoid.len();
        self.avoid.extend(self.claims.iter().filter(|c| c.property == seen).map(|c| c.violated));
        self.avoid.len() > before
    }

    /// Leaves nothing out any more, and gives up on what only led to other violations. False: nothing was left out.
    fn take_in(&mut self) -> bool {
        let left_out = !std::mem::take(&mut self.avoid).is_empty();
        self.given_up.append(&mut self.overtaken);
        left_out
    }

    fn properties(&self, found: &Findings) -> BTreeSet<PropertyId> {
        self.claims(found, None).into_iter().map(|(p, _)| p).collect()
    }
}

/// The budget for questions that may be too hard, before others are asked: as much work as was `done` before them, but not more than half of what is left.
pub(crate) fn patience(budget: &Budget, done: Work) -> Budget {
    let most = done.max(CLAIMS_PATIENCE);
    budget.worth(budget.work_left().map_or(most, |left| most.min(left.part(2))))
}

impl Inquiry<'_> {
    /// Looks for violations of all properties but those found already.
    pub fn violations(
        &mut self,
        claims: &[Claim],
        inputs: &[Input],
        wanted: &dyn Fn(PropertyId) -> bool,
        found: &mut Findings,
    ) {
        let mut open = Open {
            claims,
            inputs,
            wanted,
            runs: self.budget,
            given_up: BTreeSet::new(),
            avoided: BTreeSet::new(),
            avoid: Vec::new(),
            overtaken: BTreeSet::new(),
        };
        let single = !counts_conflicts(self.config) || open.properties(found).len() < 2;
        let together = if single {
            self.look(&mut open, None, found)
        } else {
            let budget = self.budget.worth(self.budget.spent().max(CLAIMS_TOGETHER));
            self.under(&budget).look(&mut open, None, found)
        };
        match together {
            Asked::Decided | Asked::Enough => {}
            Asked::GaveUp(why) if single => {
                found.too_hard.extend(open.properties(found).into_iter().map(|p| (p, why.clone())));
            }
            Asked::GaveUp(_) => self.one_by_one(&mut open, found),
        }
    }

    /// Each property alone, in rounds of growing work.
    fn one_by_one(&mut self, open: &mut Open<'_>, found: &mut Findings) {
        let mut left = open.properties(found);
        let mut work = CLAIMS_SINGLE_WORK;
        loop {
            let mut harder = BTreeSet::new();
            for p in left {
                let alone = self.budget.worth(work);
                match self.under(&alone).look(open, Some(p), found) {
                    Asked::Decided => {}
                    Asked::Enough => return,
                    Asked::GaveUp(why) => {
                        found.too_hard.insert(p, why);
                        harder.insert(p);
                        continue;
                    }
                }
                found.too_hard.remove(&p);
            }
            left = harder;
            left.retain(|p| !found.violated.contains(p));
            if left.is_empty() || self.budget.expired().is_some() {
                return;
            }
            work = work.times(CLAIMS_SINGLE_GROWTH);
        }
    }

    /// Asks for violations of the open claims, one after the other, until none is left.
    fn look(&mut self, open: &mut Open<'_>, only: Option<PropertyId>, found: &mut Findings) -> Asked {
        loop {
            let claims = open.claims(found, only);
            let conditions: Vec<Term> = claims.iter().map(|(_, t)| *t).collect();
            let (any, avoid) = (self.terms.or_all(&conditions), self.terms.or_all(&open.avoid));
            let others = self.terms.not(avoid);
            let any = self.terms.and(any, others);
            match self.ask(any) {
                Outcome::Unsat if open.take_in() => continue,
                Outcome::Unsat => return Asked::Decided,
                Outcome::Unknown(why) => return Asked::GaveUp(why.into()),
                Outcome::Sat => {}
            }
            if let Outcome::Unknown(why) = self.prefer_small(open.inputs, any) {
                return Asked::GaveUp(why.into());
            }
            self.run_model(open, &claims, any, found);
            if self.config.is_enough(self.program, &found.violations) {
                return Asked::Enough;
            }
            if let Some(stop) = self.budget.expired() {
                return Asked::GaveUp(stop.into());
            }
        }
    }

    /// Runs the program on the inputs of the present model. What the run shows is found; what it does not show is given up.
    fn run_model(&mut self, open: &mut Open<'_>, claims: &[(PropertyId, Term)], asked: Term, found: &mut Findings) {
        let model = self.model(open.inputs, asked);
        let claimed = self.first_true(&model, claims);
        let vector = replay::vector(self.terms, &model, open.inputs);
        match replay::run(self.program, self.config, vector, self.engine, open.runs) {
            Ok(violation) => {
                let seen = violation.what().property;
                if seen != claimed {
                    found.overtaken.insert(claimed);
                    if open.leave_out(seen) {
                        open.overtaken.insert(claimed);
                    } else {
                        open.given_up.insert(claimed);
                    }
                }
                if found.violated.insert(seen) {
                    self.config.announce(&violation);
                    found.violations.push(violation);
                }
            }
            Err(why) => {
                let kind = self.program.property(claimed).kind;
                if !found.unconfirmed.iter().any(|u| u.property == claimed) {
                    found.unconfirmed.push(Unconfirmed { property: claimed, kind, why });
                }
                open.given_up.insert(claimed);
            }
        }
    }
}
