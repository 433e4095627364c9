//! A short look at the first iterations of all loops, where the first step takes long and the first violation is enough.
//!
//! Loops that end soon are run to their ends before what follows them, and claims are asked about after the step: that makes the formula of
//! the right bound, but a violation that the first iterations already lead to would wait for all of it. So where most of the terms come from iterations
//! beyond the depth of the step, the program is run once more with small bounds, and its claims are asked about.
//!
//! Only violations come from here, each shown by its run. Nothing is shared with the live solver.

use super::ENGINE;
use super::asker::{self, Asker};
use crate::answer::{self, Findings, Inquiry};
use crate::bounds::Unwind;
use crate::config::CheckConfig;
use crate::tuning::{GLANCE_BOUNDS, GLANCE_MIN_TERMS, GLANCE_QUERY_CONFLICTS, GLANCE_TIME_PART, GLANCE_WORK};
use blitz_base::Budget;
use blitz_ir::{Program, PropertyId};
use blitz_symex::state::State;
use blitz_symex::waves::{Holds, Oracle};
use blitz_symex::{Executor, Input, Site};
use blitz_term::{Term, Terms};
use std::cell::RefCell;
use std::rc::Rc;

/// Answers what the executor asks, and looks once.
pub(super) struct Glance<'a> {
    asker: Asker,
    program: &'a Program,
    config: &'a CheckConfig,
    budget: &'a Budget,
    found: Rc<RefCell<Findings>>,
    looked: bool,
}

impl<'a> Glance<'a> {
    /// What is found gets into `found`.
    pub fn new(
        asker: Asker,
        program: &'a Program,
        config: &'a CheckConfig,
        budget: &'a Budget,
        found: Rc<RefCell<Findings>>,
    ) -> Self {
        Self { asker, program, config, budget, found, looked: !config.stop_at_first }
    }

    /// A violation that executions within a bound show.
    fn look(&self, bound: u32) -> Option<Findings> {
        let counts = answer::counts_conflicts(self.config);
        let budget = asker::side_question(counts, self.budget, GLANCE_WORK, GLANCE_TIME_PART)
            .with_effort(GLANCE_QUERY_CONFLICTS);
        let entry = crate::start(self.program).ok()?;
        let bound = self.config.unwind.map_or(bound, |users| users.min(bound));
        let bounds = Unwind::new(self.program, self.config, bound).ok()?;
        let symex = self.config.symbolic(&bounds, crate::tuning::MODEL_BOUND);
        let mut terms = Terms::new();
        let mut executor = Executor::new(self.program, &mut terms, &symex, &budget);
        executor.run(entry, Vec::new(), State::start());
        let out = executor.finish();
        let mut solver = answer::solver(self.config).ok()?;
        let mut found = Findings::default();
        let wanted = |p: PropertyId| self.config.asks_for(&self.program.property(p).name);
        let mut inquiry = Inquiry {
            program: self.program,
            config: self.config,
            engine: ENGINE,
            terms: &mut terms,
            solver: solver.as_mut(),
            budget: &budget,
        };
        if out.stopped.is_none() {
            inquiry.violations(&out.claims, &out.inputs, &wanted, &mut found);
        }
        // What it could not decide says nothing: the steps go on to that.
        let Findings { violations, violated, .. } = found;
        (!violations.is_empty()).then(|| Findings { violations, violated, ..Findings::default() })
    }
}

impl Oracle for Glance<'_> {
    fn holds(&mut self, terms: &mut Terms, inputs: &[Input], site: Site, condition: Term) -> Holds {
        self.asker.quick(terms, inputs, site, condition)
    }

    fn is_over(&mut self, terms: &Terms, beyond: usize) -> bool {
        if !self.looked && beyond >= GLANCE_MIN_TERMS && beyond * 2 >= terms.len() {
            self.looked = true;
            if let Some(found) = GLANCE_BOUNDS.iter().find_map(|&bound| self.look(bound)) {
                *self.found.borrow_mut() = found;
            }
        }
        !self.found.borrow().violations.is_empty()
    }
}
