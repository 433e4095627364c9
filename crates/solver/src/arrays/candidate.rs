//! One candidate model: the solver's bits, and what follows from them for terms and arrays.

use super::Core;
use super::runs::Runs;
use crate::aig::Edge;
use blitz_base::{Budget, Bv, Stop};
use blitz_term::{Op, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Values under the solver's current model, remembered for one round.
#[derive(Default)]
pub struct Candidate {
    /// Of the question that is asked: a look at one candidate can take long.
    budget: Option<Budget>,
    bits: Vec<bool>,
    values: FxHashMap<Term, Bv>,
    /// Array variables that a true equality defines: the equality and the other side.
    pub(super) defs: FxHashMap<Term, (Term, Term)>,
    /// True equalities that define nothing.
    pub(super) unoriented: Vec<Term>,
    /// The read that reached a cell of an array variable first.
    pub(super) cells: FxHashMap<(Term, Bv), Term>,
    /// The same by variable, in order.
    pub(super) cells_of: FxHashMap<Term, Vec<(Bv, Term)>>,
    /// The value of unmentioned cells per element width; zero where absent.
    pub(super) defaults: FxHashMap<u16, Bv>,
    pub(super) runs: FxHashMap<Term, Arc<Runs>>,
}

impl Candidate {
    /// Takes the solver's model; to be called before any clause is added.
    pub fn take(core: &Core, budget: &Budget) -> Self {
        let mut candidate = Candidate { budget: Some(budget.clone()), ..Candidate::default() };
        core.circuit
            .g
            .evaluate(&mut candidate.bits, |node| core.cnf.existing(node).is_some_and(|lit| core.sat.value(lit)));
        candidate
    }

    /// Why the look at it has to end, if it has to.
    pub(super) fn stopped(&self) -> Option<Stop> {
        self.budget.as_ref().and_then(Budget::expired)
    }

    /// The value of a bit-vector term.
    pub fn value(&mut self, core: &mut Core, terms: &Terms, t: Term) -> Bv {
        if let Some(value) = self.values.get(&t) {
            return value.clone();
        }
        let value = match terms.as_const(t) {
            Some(value) => value,
            None => self.read_word(core, terms, t),
        };
        self.values.insert(t, value.clone());
        value
    }

    fn read_word(&mut self, core: &mut Core, terms: &Terms, t: Term) -> Bv {
        let word = core.circuit.word(terms, t);
        // Inputs that are new have no clause and may be anything.
        core.circuit.g.evaluate(&mut self.bits, |node| core.cnf.preferred(node));
        Bv::from_bits(word.len() as u16, |i| {
            let e = word[usize::from(i)];
            self.bits[e.node() as usize] ^ e.inverted()
        })
    }

    pub(super) fn is_true(&mut self, core: &mut Core, terms: &Terms, t: Term) -> bool {
        self.value(core, terms, t).is_one()
    }

    /// Whether every edge of the clause is false.
    pub(super) fn refutes(&mut self, core: &Core, clause: &[Edge]) -> bool {
        core.circuit.g.evaluate(&mut self.bits, |node| core.cnf.preferred(node));
        clause.iter().all(|e| self.bits[e.node() as usize] == e.inverted())
    }

    /// The value of a variable the circuit has; `None` for one that no clause has seen.
    pub fn known_value(&self, core: &Core, t: Term) -> Option<Bv> {
        let word = core.circuit.existing(t)?;
        Some(Bv::from_bits(word.len() as u16, |i| {
            let e = word[usize::from(i)];
            self.bits.get(e.node() as usize).is_some_and(|b| *b ^ e.inverted())
        }))
    }

    /// Positions and values of the cells of an array variable that reads have reached.
    pub fn cells_of(&mut self, core: &mut Core, terms: &Terms, var: Term) -> Vec<(Bv, Bv)> {
        let cells = self.cells_of.get(&var).cloned().unwrap_or_default();
        cells.into_iter().map(|(position, read)| (position, self.value(core, terms, read))).collect()
    }

    /// Unmentioned cells hold a value that no scan looks for, so that only mentioned cells can be hits.
    pub(super) fn choose_defaults(&mut self, core: &mut Core, terms: &Terms) {
        let mut sought: FxHashMap<u16, FxHashSet<Bv>> = FxHashMap::default();
        for i in 0..core.theory.scans.len() {
            let scan = core.theory.scans[i];
            if !core.theory.relevance.holds(scan) {
                continue;
            }
            let Op::Scan { value, .. } = terms.op(scan) else { unreachable!("the list of scans should hold scans") };
            let value = self.value(core, terms, value);
            sought.entry(value.width()).or_default().insert(value);
        }
        for (width, values) in sought {
            let readable = (width == 8).then(|| Bv::from_u64(8, u64::from(b'A')));
            let zero = Bv::zero(width);
            let small = (1..=256).map(|v| Bv::from_u64(width, v));
            let choice = std::iter::once(zero.clone()).chain(readable).chain(small).find(|v| !values.contains(v));
            self.defaults.insert(width, choice.unwrap_or(zero));
        }
    }

    pub(super) fn default_of(&self, width: u16) -> Bv {
        self.defaults.get(&width).cloned().unwrap_or_else(|| Bv::zero(width))
    }
}
