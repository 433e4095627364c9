//! Executions that make none of the calls left out: nothing has to be looked into for them.
//!
//! Away from the start that is a part of an obligation (the rest is kept for later); at the start it is the same segment run again without those
//! calls, which is smaller than their effects with the assumption that there are none.

use super::super::hunt::{Attempt, Hunt};
use super::super::obligation::{Obligation, Site};
use super::Tactic;
use blitz_solver::Outcome;
use blitz_term::{Term, dag_size};

impl<'p> Hunt<'p, '_> {
    /// The part of an obligation in which none of the calls in question is made: nothing has to be opened for it.
    pub(in super::super) fn without_calls(&mut self, o: &Obligation<'p>) -> Option<Obligation<'p>> {
        if !self.uses(Tactic::Absent) {
            return None;
        }
        let calls = self.mover.left_out(o, self.control());
        if calls.is_empty() {
            return None;
        }
        let work = self.query_work();
        let terms = &mut *self.mover.terms;
        let mut psi = o.psi;
        for (_, happens) in calls {
            let absent = terms.not(happens);
            psi = terms.and(psi, absent);
        }
        psi = terms.propagate(psi, self.budget);
        if self.ask(psi, work) == Outcome::Unsat {
            return None;
        }
        let without = Obligation { psi, ..o.clone() };
        let still = self.mover.next_call(&without, self.control());
        self.config
            .say(|| format!("  without calls: {} terms, {}", dag_size(self.mover.terms, &[psi]), still.is_none()));
        still.is_none().then_some(without)
    }

    /// The same run without the calls in question: a smaller condition than with their effects in it and the assumption that there
    /// are none.
    pub(in super::super) fn without_what_is_in_question(
        &mut self,
        o: &Obligation<'p>,
        calls: &[(Site, Term)],
    ) -> Attempt {
        if calls.is_empty() || !self.mover.direct || !self.uses(Tactic::Absent) {
            return Attempt::Continue(());
        }
        let without = self.mover.without(o, calls.iter().map(|(site, _)| *site).collect());
        let Some(without) = without else { return Attempt::Continue(()) };
        let psi = self.mover.assume_returns(&without, without.psi);
        if dag_size(self.mover.terms, &[psi]) > dag_size(self.mover.terms, &[o.psi]) {
            return Attempt::Continue(());
        }
        self.renew_solver();
        let outcome = self.ask_for_model(psi, self.query_work());
        self.config.say(|| {
            let size = dag_size(self.mover.terms, &[psi]);
            format!("  without runs that make the {} calls in question: {size} terms, {outcome:?}", calls.len())
        });
        if outcome == Outcome::Sat {
            self.confirm(&without, psi)?;
        }
        Attempt::Continue(())
    }
}
