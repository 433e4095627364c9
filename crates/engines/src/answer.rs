//! Questions about an execution: which claims can come true, what is reached, what was cut off.

use crate::config::CheckConfig;
use crate::entry::EntryPoint;
use crate::replay;
use crate::verdict::{PropertyResult, Status, Unconfirmed, Violation};
use blitz_base::Budget;
use blitz_ir::{Program, PropertyId};
use blitz_solver::{Outcome, Solver};
use blitz_symex::Execution;
use blitz_term::{Assignment, Evaluator, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// An execution under question on a live solver.
pub(crate) struct Inquiry<'a> {
    pub program: &'a Program,
    pub config: &'a CheckConfig,
    pub entry: &'a EntryPoint,
    pub args: &'a [Term],
    pub engine: &'static str,
    pub terms: &'a mut Terms,
    pub solver: &'a mut dyn Solver,
    pub budget: &'a Budget,
}

/// What the claims came to.
#[derive(Default)]
pub(crate) struct Findings {
    pub violations: Vec<Violation>,
    pub violated: BTreeSet<PropertyId>,
    pub unconfirmed: Vec<Unconfirmed>,
    /// Why properties that are left could not be decided.
    pub undecided: Option<String>,
}

impl Inquiry<'_> {
    /// Looks for violations of all properties but those found already.
    pub fn violations(&mut self, execution: &Execution, wanted: &dyn Fn(PropertyId) -> bool, found: &mut Findings) {
        let mut given_up: BTreeSet<PropertyId> = BTreeSet::new();
        loop {
            let open: Vec<(PropertyId, Term)> = execution
                .claims
                .iter()
                .filter(|c| {
                    wanted(c.property) && !found.violated.contains(&c.property) && !given_up.contains(&c.property)
                })
                .map(|c| (c.property, c.violated))
                .collect();
            let conditions: Vec<Term> = open.iter().map(|(_, t)| *t).collect();
            let any = self.terms.or_all(&conditions);
            if self.terms.is_false(any) {
                return;
            }
            match self.ask(any) {
                Outcome::Unsat => return,
                Outcome::Unknown(why) => {
                    found.undecided = Some(why.to_string());
                    return;
                }
                Outcome::Sat => {}
            }
            let model = self.model(execution, any);
            let claimed = self.first_true(&model, &open);
            let vector = replay::vector(self.terms, &model, &execution.inputs, self.args);
            match replay::run(self.program, self.config, self.entry, vector, self.engine, self.budget) {
                Ok(violation) => {
                    let seen = violation.what().property;
                    if seen != claimed {
                        given_up.insert(claimed);
                    }
                    if found.violated.insert(seen) {
                        found.violations.push(violation);
                    }
                    if self.config.stop_at_first {
                        return;
                    }
                }
                Err(why) => {
                    let kind = self.program.property(claimed).kind;
                    found.unconfirmed.push(Unconfirmed { property: claimed, kind, why });
                    given_up.insert(claimed);
                }
            }
            if let Some(stop) = self.budget.expired() {
                found.undecided = Some(stop.to_string());
                return;
            }
        }
    }

    /// The properties whose check some execution reaches. `None` where the solver gave up.
    pub fn reached(&mut self, execution: &Execution) -> Option<BTreeSet<PropertyId>> {
        let mut guards: BTreeMap<PropertyId, Vec<Term>> = BTreeMap::new();
        for &(property, guard) in &execution.reached {
            guards.entry(property).or_default().push(guard);
        }
        let mut reached = BTreeSet::new();
        let mut open: Vec<(PropertyId, Term)> = Vec::new();
        for (property, all) in guards {
            let any = self.terms.or_all(&all);
            if self.terms.is_true(any) {
                reached.insert(property);
            } else if !self.terms.is_false(any) {
                open.push((property, any));
            }
        }
        while !open.is_empty() {
            let conditions: Vec<Term> = open.iter().map(|(_, t)| *t).collect();
            let any = self.terms.or_all(&conditions);
            match self.ask(any) {
                Outcome::Unsat => break,
                Outcome::Unknown(_) => return None,
                Outcome::Sat => {}
            }
            let model = self.solver.model(self.terms, &conditions);
            let mut eval = Evaluator::new(&model);
            let before = open.len();
            open.retain(|(property, guard)| {
                let holds = eval.holds(self.terms, *guard);
                if holds {
                    reached.insert(*property);
                }
                !holds
            });
            assert!(open.len() < before, "a model should satisfy one of the guards it was asked for");
        }
        Some(reached)
    }

    /// Whether a condition can hold.
    pub fn ask(&mut self, condition: Term) -> Outcome {
        if self.terms.is_false(condition) {
            return Outcome::Unsat;
        }
        self.solver.check(self.terms, &[condition], self.budget)
    }

    fn model(&mut self, execution: &Execution, asked: Term) -> Assignment {
        let mut roots = vec![asked];
        roots.extend(self.args);
        roots.extend(replay::roots(&execution.inputs));
        self.solver.model(self.terms, &roots)
    }

    fn first_true(&self, model: &Assignment, open: &[(PropertyId, Term)]) -> PropertyId {
        let mut eval = Evaluator::new(model);
        open.iter()
            .find(|(_, t)| eval.holds(self.terms, *t))
            .map(|(p, _)| *p)
            .expect("a model should satisfy one of the claims it was asked for")
    }
}

/// One result per property, in the order of their ids.
pub(crate) fn results(
    properties: &[PropertyId],
    engine: &'static str,
    mut status: impl FnMut(PropertyId) -> Status,
) -> Vec<PropertyResult> {
    properties.iter().map(|&property| PropertyResult { property, status: status(property), engine }).collect()
}
