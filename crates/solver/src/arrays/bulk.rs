//! Scans and mismatches: the first position with a property, without unwinding.
//!
//! `n = scan(a, off, v, limit)` is a free word with two facts from the start, `n <= limit` and `n < limit -> a[off + n] = v`.
//! "No hit before n" is checked in each candidate; the first hit below `n` gives the instance `k < n -> a[off + k] != v`. The
//! position is a term of the formula where one has that value, else a constant. Where many instances of one
//! scan are needed, their number doubles each time. Mismatches alike.

use super::{Candidate, Core, runs};
use crate::UnknownReason;
use crate::aig::{Edge, word};
use blitz_base::Bv;
use blitz_term::{Op, Term, Terms};

const LARGEST_BATCH: usize = 4096;

impl Core {
    pub(super) fn next_batch(&self, atom: Term) -> usize {
        self.theory.batch.get(&atom).copied().unwrap_or(1)
    }

    /// Doubles the batch of an atom that used it up.
    pub(super) fn note_batch(&mut self, atom: Term, used: usize) {
        let batch = self.theory.batch.entry(atom).or_insert(1);
        if used == *batch {
            *batch = (*batch * 2).min(LARGEST_BATCH);
        }
    }

    /// `n <= limit`, and the solver should try small values first.
    fn bound(&mut self, terms: &Terms, atom: Term, limit: Term, clauses: &mut Vec<Vec<Edge>>) -> Edge {
        let (n, limit) = (self.circuit.word(terms, atom), self.circuit.word(terms, limit));
        let over = word::ult(&mut self.circuit.g, &limit, &n);
        clauses.push(vec![!over]);
        for bit in &n {
            self.cnf.prefer(&mut self.sat, *bit, false);
        }
        word::ult(&mut self.circuit.g, &n, &limit)
    }

    pub(super) fn bound_scan(&mut self, terms: &mut Terms, atom: Term, clauses: &mut Vec<Vec<Edge>>) {
        let Op::Scan { array, off, value, limit } = terms.op(atom) else { unreachable!("a scan should be here") };
        let below = self.bound(terms, atom, limit, clauses);
        let index = terms.add(off, atom);
        let read = terms.select(array, index);
        self.support(terms, atom, read);
        let hit = self.equal_words(terms, read, value);
        clauses.push(vec![!below, hit]);
    }

    pub(super) fn bound_mismatch(&mut self, terms: &mut Terms, atom: Term, clauses: &mut Vec<Vec<Edge>>) {
        let Op::Mismatch { a, a_off, b, b_off, limit } = terms.op(atom) else {
            unreachable!("a mismatch should be here")
        };
        let below = self.bound(terms, atom, limit, clauses);
        let (i, j) = (terms.add(a_off, atom), terms.add(b_off, atom));
        let (x, y) = (terms.select(a, i), terms.select(b, j));
        self.support(terms, atom, x);
        self.support(terms, atom, y);
        let same = self.equal_words(terms, x, y);
        clauses.push(vec![!below, !same]);
    }

    pub(super) fn check_scans(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        clauses: &mut Vec<Vec<Edge>>,
    ) -> Result<u64, UnknownReason> {
        let mut violated = 0;
        for i in 0..self.theory.scans.len() {
            let atom = self.theory.scans[i];
            if !self.theory.relevance.holds(atom) {
                continue;
            }
            let Op::Scan { array, off, value, .. } = terms.op(atom) else {
                unreachable!("the list of scans should hold scans")
            };
            let count = self.position(terms, candidate, atom)?;
            let start = self.position(terms, candidate, off)?;
            let sought = candidate.value(self, terms, value);
            let cells = self.runs_of(terms, candidate, array)?;
            let found = runs::hits(&cells, start, &sought, count, self.next_batch(atom));
            for k in &found {
                let (relative, index) = self.position_term(terms, candidate, (array, off), *k);
                let read = terms.select(array, index);
                self.support(terms, atom, read);
                let hit = self.equal_words(terms, read, value);
                let before = self.below(terms, relative, atom);
                clauses.push(vec![!before, !hit]);
                violated += 1;
            }
            self.note_batch(atom, found.len());
        }
        Ok(violated)
    }

    pub(super) fn check_mismatches(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        clauses: &mut Vec<Vec<Edge>>,
    ) -> Result<u64, UnknownReason> {
        let mut violated = 0;
        for i in 0..self.theory.mismatches.len() {
            let atom = self.theory.mismatches[i];
            if !self.theory.relevance.holds(atom) {
                continue;
            }
            let Op::Mismatch { a, a_off, b, b_off, .. } = terms.op(atom) else {
                unreachable!("the list of mismatches should hold mismatches")
            };
            let count = self.position(terms, candidate, atom)?;
            let (x_off, y_off) = (self.position(terms, candidate, a_off)?, self.position(terms, candidate, b_off)?);
            let (x, y) = (self.runs_of(terms, candidate, a)?, self.runs_of(terms, candidate, b)?);
            let found = runs::differences(&x, x_off, &y, y_off, count, self.next_batch(atom));
            for k in &found {
                let relative = self.mismatch_position(terms, candidate, [(a, a_off), (b, b_off)], *k);
                let (i, j) = (terms.add(a_off, relative), terms.add(b_off, relative));
                let (x, y) = (terms.select(a, i), terms.select(b, j));
                self.support(terms, atom, x);
                self.support(terms, atom, y);
                let same = self.equal_words(terms, x, y);
                let before = self.below(terms, relative, atom);
                clauses.push(vec![!before, same]);
                violated += 1;
            }
            self.note_batch(atom, found.len());
        }
        Ok(violated)
    }

    fn below(&mut self, terms: &Terms, a: Term, b: Term) -> Edge {
        let (a, b) = (self.circuit.word(terms, a), self.circuit.word(terms, b));
        word::ult(&mut self.circuit.g, &a, &b)
    }

    /// The position `off + k` as a term: relative to `off`, and itself.
    fn position_term(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        (array, off): (Term, Term),
        k: u64,
    ) -> (Term, Term) {
        let width = terms.width(off);
        let relative = Bv::from_u64(width, k);
        let position = candidate.value(self, terms, off).add(&relative);
        if k > 0
            && let Some(index) = self.mentioned_index(terms, candidate, array, &position)
        {
            return (terms.sub(index, off), index);
        }
        let relative = terms.bv_const(relative);
        (relative, terms.add(off, relative))
    }

    fn mismatch_position(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        sides: [(Term, Term); 2],
        k: u64,
    ) -> Term {
        for side in sides {
            let (relative, _) = self.position_term(terms, candidate, side, k);
            if !terms.is_const(relative) {
                return relative;
            }
        }
        terms.bv_const(Bv::from_u64(terms.width(sides[0].1), k))
    }
}
