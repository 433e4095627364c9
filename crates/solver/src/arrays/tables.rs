//! Tables: arrays that are written at constant indices only, over one value everywhere.
//!
//! A table of constants in a program is such an array, of thousands of writes. Walking them one by one, each with a condition
//! of its own, costs more than the question: where the index is known, one look-up tells the value. A read of a
//! table therefore gets lemmas of the form "at this index it is that", and one that keeps being wrong gets the whole table as a
//! multiplexer over the bits of its index, in which equal parts are one gate.
//!
//! Invariant: a table says what every model of the array has at each index.
//! Absent: tables under writes at free indices; the walk comes to them when it has passed those.

use super::{Candidate, Core, walk::Path};
use crate::aig::{Edge, word};
use blitz_base::Bv;
use blitz_term::{Op, Term, Terms};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// With fewer writes the walk is as good.
const SMALLEST: usize = 48;
/// Entries of all tables together.
const MOST_ENTRIES: usize = 1 << 22;
/// How many lemmas about single indices a read gets before the whole table is built for it.
const PATIENCE: u32 = 24;
/// The largest table that is built, in places; at least a quarter of them have to be written.
const MOST_PLACES: u64 = 1 << 17;

/// What a table holds.
pub(super) struct Table {
    entries: FxHashMap<u64, Term>,
    default: Term,
}

#[derive(Default)]
pub(super) struct Tables {
    known: FxHashMap<Term, Option<Arc<Table>>>,
    entries: usize,
    lemmas: FxHashMap<Term, u32>,
}

impl Table {
    fn of(terms: &Terms, array: Term, most: usize) -> Option<Self> {
        let mut entries: FxHashMap<u64, Term> = FxHashMap::default();
        let mut at = array;
        loop {
            match terms.op(at) {
                Op::Store(below, index, value) => {
                    entries.entry(terms.as_u64(index)?).or_insert(value);
                    if entries.len() > most {
                        return None;
                    }
                    at = below;
                }
                Op::ConstArray(default) if entries.len() >= SMALLEST => return Some(Self { entries, default }),
                _ => return None,
            }
        }
    }

    fn get(&self, position: &Bv) -> Term {
        position.to_u64().and_then(|p| self.entries.get(&p).copied()).unwrap_or(self.default)
    }

    /// How many places a multiplexer of it has, as a power of two; `None` if it is too large or too thin.
    fn places(&self) -> Option<u32> {
        let top = *self.entries.keys().max()?;
        let places = top.checked_add(1)?.checked_next_power_of_two()?;
        (places <= MOST_PLACES && places <= 4 * self.entries.len() as u64).then(|| places.trailing_zeros())
    }
}

impl Core {
    /// The table that an array is, if it is one. Asked at each array that is not the rest of a table that was looked at.
    pub(super) fn table(&mut self, terms: &Terms, array: Term) -> Option<Arc<Table>> {
        if let Some(known) = self.theory.tables.known.get(&array) {
            return known.clone();
        }
        let room = MOST_ENTRIES - self.theory.tables.entries;
        let table = Table::of(terms, array, room).map(Arc::new);
        self.theory.tables.entries += table.as_ref().map_or(0, |t| t.entries.len());
        self.theory.tables.known.insert(array, table.clone());
        table
    }

    /// Holds a read that has come to a table at `position` against it.
    pub(super) fn check_table(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        read: Term,
        (array, table, position): (Term, &Table, &Bv),
        clauses: &mut Vec<Vec<Edge>>,
    ) -> u64 {
        let found = table.get(position);
        if candidate.value(self, terms, found) == candidate.value(self, terms, read) {
            return 0;
        }
        let mut path = self.path(terms, candidate, read, array);
        let count = self.theory.tables.lemmas.entry(read).or_insert(0);
        *count += 1;
        if *count == PATIENCE && table.places().is_some() {
            clauses.push(self.whole_table(terms, read, table, &path));
            return 1;
        }
        let here = terms.bv_const(position.clone());
        let index = path.index;
        let same = self.same_index(terms, candidate, (index, here), true);
        path.push(same);
        clauses.push(self.lemma(terms, path.conditions(), read, found));
        1
    }

    /// Where the path is taken, the read is the multiplexer of the table at the index.
    fn whole_table(&mut self, terms: &Terms, read: Term, table: &Table, path: &Path) -> Vec<Edge> {
        let bits = table.places().expect("the size was looked at before") as usize;
        let index = self.circuit.word(terms, path.index);
        let default = self.circuit.word(terms, table.default);
        let mut level: Vec<Vec<Edge>> = Vec::with_capacity(1 << bits);
        for place in 0..1u64 << bits {
            let value = table.entries.get(&place).copied().unwrap_or(table.default);
            level.push(self.circuit.word(terms, value));
        }
        let g = &mut self.circuit.g;
        for &bit in index.iter().take(bits) {
            level = level.chunks(2).map(|pair| word::mux(g, bit, &pair[1], &pair[0])).collect();
        }
        let inside = level.pop().expect("a table should have an entry");
        let beyond: Vec<Edge> = index.iter().skip(bits).map(|&b| !b).collect();
        let fits = g.and_all(&beyond);
        let value = word::mux(g, fits, &inside, &default);
        let seen = self.circuit.word(terms, read);
        let equal = word::eq(&mut self.circuit.g, &seen, &value);
        let mut clause = vec![equal];
        clause.extend(path.conditions().iter().map(|c| !*c));
        clause
    }
}
