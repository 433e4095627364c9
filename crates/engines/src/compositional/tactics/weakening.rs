//! Under-approximation of large conditions, and taking it back (the paper's Algorithm 1 and Figure 4).
//!
//! What an under-approximation leaves out is kept as a *residual* and taken up when nothing else is left (lazy), or several parts are computed at once
//! (`--weakening eager:N`). Without the tactic, residuals are dropped.

use super::super::hunt::Hunt;
use super::super::obligation::Obligation;
use super::super::under::Under;
use super::Tactic;
use crate::config::Weakening;
use crate::reason::{Limit, Reason};
use crate::tuning::MAX_WEAKENINGS;
use blitz_solver::Outcome;
use blitz_term::dag_size;

impl<'p> Hunt<'p, '_> {
    /// A part of a large condition, or the whole of a small one.
    pub(in super::super) fn under_approximated(&mut self, o: Obligation<'p>) -> Obligation<'p> {
        if dag_size(self.mover.terms, &[o.psi]) <= self.config.exact {
            return o;
        }
        let mut rest = o.psi;
        let mut parts = Vec::new();
        let wanted = match self.config.weakening {
            Weakening::Lazy => 1,
            Weakening::Eager(n) => n,
        };
        for _ in 0..wanted {
            let query = self.budget.worth(self.query_work());
            let terms = &mut *self.mover.terms;
            // Other questions may have been asked since the condition was found to hold somewhere.
            if self.solver.check(terms, &[rest], &query) != Outcome::Sat {
                break;
            }
            let under = Under::new(terms, self.solver.as_mut(), rest, &query).term(terms);
            let covered = terms.not(under);
            rest = terms.and(rest, covered);
            parts.push(under);
        }
        if parts.is_empty() {
            return o;
        }
        let terms = &mut *self.mover.terms;
        let psi = terms.or_all(&parts);
        if !terms.is_false(rest) {
            self.keep_residual(Obligation { psi: rest, weakenings: o.weakenings + 1, ..o.clone() });
        }
        Obligation { psi, ..o }
    }

    /// Keeps what was left out for when nothing else is left.
    pub(in super::super) fn keep_residual(&mut self, rest: Obligation<'p>) {
        if self.uses(Tactic::Weakening) {
            self.residuals.push(rest);
        } else {
            self.mover.narrowed = true;
        }
    }

    /// Where least was taken back so far, nearest to where the search got stuck.
    pub(in super::super) fn next_residual(&mut self) -> Option<Obligation<'p>> {
        let best = self.residuals.iter().enumerate().min_by_key(|(i, o)| (o.weakenings, usize::MAX - *i));
        let next = self.residuals.remove(best?.0);
        if next.weakenings > MAX_WEAKENINGS {
            self.gave_up = Some(Reason::Limit(Limit::Weakenings(MAX_WEAKENINGS)));
            return None;
        }
        Some(next)
    }
}
