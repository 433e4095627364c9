//! Searches for one value in one array that start a cell apart say almost the same: they are told so at once.
//!
//! A loop that goes through a text cell by cell asks for the text's end from each cell on. As searches that know nothing of each
//! other they need an instance for every two of them.

use super::Core;
use crate::aig::{Edge, word};
use blitz_term::{Op, Term, Terms};
use rustc_hash::FxHashMap;

/// The first search from each cell on, by what is searched, for what, and where cells are counted from.
#[derive(Default)]
pub(super) struct Chains {
    first: FxHashMap<(Term, Term, Option<Term>, Term), Term>,
}

impl Core {
    /// Tells a new search what follows for it from those from the same cell and its neighbours on.
    pub(super) fn link_scan(&mut self, terms: &mut Terms, scan: Term, clauses: &mut Vec<Vec<Edge>>) {
        let Op::Scan { array, off, value, .. } = terms.op(scan) else { unreachable!("a scan should be here") };
        let (base, cell) = terms.base_and_offset(off);
        let key = |cell: Term| (array, value, base, cell);
        if let Some(&same) = self.theory.chains.first.get(&key(cell)) {
            self.same_start(terms, same, scan, clauses);
            return;
        }
        self.theory.chains.first.insert(key(cell), scan);
        let one = terms.bv(terms.width(cell), 1);
        let (next, last) = (terms.add(cell, one), terms.sub(cell, one));
        if let Some(&next) = self.theory.chains.first.get(&key(next)) {
            self.one_later(terms, scan, next, clauses);
        }
        if let Some(&last) = self.theory.chains.first.get(&key(last)) {
            self.one_later(terms, last, scan, clauses);
        }
    }

    fn same_start(&mut self, terms: &Terms, known: Term, scan: Term, clauses: &mut Vec<Vec<Edge>>) {
        let (n, limit) = self.count_and_limit(terms, scan);
        let (m, within) = self.count_and_limit(terms, known);
        let g = &mut self.circuit.g;
        let found = word::ult(g, &m, &within);
        let enough = word::ult(g, &m, &limit);
        let capped = word::mux(g, enough, &m, &limit);
        let agrees = word::eq(g, &n, &capped);
        clauses.push(vec![!found, agrees]);
        let (hit, early) = (word::ult(g, &n, &limit), word::ult(g, &n, &within));
        clauses.push(vec![found, !hit, !early]);
    }

    /// `next` starts one cell after `scan`.
    fn one_later(&mut self, terms: &mut Terms, scan: Term, next: Term, clauses: &mut Vec<Vec<Edge>>) {
        let Op::Scan { array, off, value, .. } = terms.op(scan) else { unreachable!("a scan should be here") };
        let cell = terms.select(array, off);
        self.support(terms, scan, cell);
        let here = self.equal_words(terms, cell, value);
        let (n, limit) = self.count_and_limit(terms, scan);
        let (m, within) = self.count_and_limit(terms, next);
        let g = &mut self.circuit.g;
        let nothing = word::constant(n.len(), |_| false);
        let at_once = word::eq(g, &n, &nothing);
        clauses.push(vec![!here, at_once]);
        let found = word::ult(g, &m, &within);
        let one = word::constant(n.len(), |i| i == 0);
        let further = word::add(g, &m, &one);
        let enough = word::ult(g, &further, &limit);
        let capped = word::mux(g, enough, &further, &limit);
        let agrees = word::eq(g, &n, &capped);
        clauses.push(vec![here, !found, agrees]);
        let (hit, late) = (word::ult(g, &n, &limit), word::ult(g, &within, &n));
        clauses.push(vec![here, found, !hit, late]);
    }

    fn count_and_limit(&mut self, terms: &Terms, scan: Term) -> (Vec<Edge>, Vec<Edge>) {
        let Op::Scan { limit, .. } = terms.op(scan) else { unreachable!("a scan should be here") };
        (self.circuit.word(terms, scan).to_vec(), self.circuit.word(terms, limit).to_vec())
    }
}
