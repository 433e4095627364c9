//! What a conjunction knows of its own parts.
//!
//! Each part that is a truth (`p`, `not p`, `x = constant`) holds in all others, which often decides their choices. The result means the same,
//! also where the budget ends before the work: then less is simplified.

use crate::node::{Op, Term};
use crate::subst::Substitution;
use crate::terms::Terms;
use blitz_base::Budget;

/// Each round may uncover new facts; most are found in the first two.
const ROUNDS: u32 = 16;

impl Terms {
    /// The same condition with what its parts say of each other made use of.
    pub fn propagate(&mut self, t: Term, budget: &Budget) -> Term {
        let mut parts = self.conjuncts(t);
        for _ in 0..ROUNDS {
            let before = parts.clone();
            let Some(all) = self.propagated(&parts, budget) else { break };
            if self.is_false(all) {
                return all;
            }
            parts = self.conjuncts(all);
            if parts == before {
                break;
            }
        }
        self.and_all(&parts)
    }

    fn propagated(&mut self, parts: &[Term], budget: &Budget) -> Option<Term> {
        let mut facts = Substitution::new();
        for &part in parts {
            let (from, to) = self.fact(part);
            facts.replace(self, from, to);
        }
        let simpler: Option<Vec<Term>> =
            parts.iter().map(|&part| self.simplified_below(part, &mut facts, budget)).collect();
        Some(self.and_all(&simpler?))
    }

    /// What holds where the part does: what replaces what.
    fn fact(&mut self, part: Term) -> (Term, Term) {
        match self.op(part) {
            Op::Eq(a, b) if self.is_const(b) && !self.is_array(a) => (a, b),
            Op::Eq(a, b) if self.is_const(a) && !self.is_array(b) => (b, a),
            Op::Not(x) => (x, self.fls()),
            _ => (part, self.tru()),
        }
    }

    /// A part with everything below what its own fact is about simplified: that itself would be lost.
    fn simplified_below(&mut self, part: Term, facts: &mut Substitution, budget: &Budget) -> Option<Term> {
        let (about, value) = self.fact(part);
        let simpler = facts.apply_below(self, about, budget)?;
        Some(self.eq(simpler, value))
    }

    /// What a condition is the conjunction of.
    pub fn conjuncts(&self, t: Term) -> Vec<Term> {
        let mut open = vec![t];
        let mut out = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some(t) = open.pop() {
            if !seen.insert(t) {
                continue;
            }
            match self.op(t) {
                Op::And(a, b) if self.width(t) == 1 => open.extend([b, a]),
                _ => out.push(t),
            }
        }
        out
    }
}
