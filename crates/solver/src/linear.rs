//! Asserted equations of exclusive ors, solved among themselves before the SAT solver sees them.
//!
//! Why: shifts and exclusive ors (checksums, hashes, random numbers) give equations that Gaussian elimination solves in no
//! time and resolution only by guessing. Every asserted bit that is an exclusive or of input bits, however deep, becomes a
//! row over these inputs; rows are kept fully reduced, so an input that is determined is a row of its own.
//!
//! Only determined inputs are handed over. Longer rows as clauses made the solver slower: it decides on inner gates as well,
//! and parities over many inputs tell it little. What is handed over stands beside the ordinary clauses, never instead of
//! them; a proof takes it as given like the rest of the translation.
//! Invariants: a row's pivot is in no other row; no row or form has more than `MOST_INPUTS` inputs (a longer one is dropped,
//! which loses a help, not an answer).

use crate::aig::{Aig, Edge, Gate};
use rustc_hash::FxHashMap;
use std::sync::Arc;

const MOST_INPUTS: usize = 128;

/// The equations so far.
#[derive(Default)]
pub struct Linear {
    /// The inputs whose exclusive or a node is, sorted; `None` for a node that is something else.
    forms: FxHashMap<u32, Option<Arc<[u32]>>>,
    rows: Vec<Row>,
    /// The row of each pivot.
    pivots: FxHashMap<u32, usize>,
    /// Rows that may contain an input.
    occurs: FxHashMap<u32, Vec<usize>>,
    /// Rows that differ from what was asserted and from what was handed over.
    news: Vec<usize>,
    contradiction: bool,
}

#[derive(Default)]
struct Row {
    inputs: Vec<u32>,
    odd: bool,
}

impl Linear {
    /// Notes that the edge is true.
    pub fn assert(&mut self, g: &Aig, e: Edge) {
        let Some(form) = self.form(g, e.node()) else { return };
        let mut row = Row { inputs: form.to_vec(), odd: !e.inverted() };
        let used: Vec<usize> = form.iter().filter_map(|input| self.pivots.get(input).copied()).collect();
        used.iter().for_each(|other| row.add(&self.rows[*other]));
        let Some(&pivot) = row.inputs.last() else {
            self.contradiction |= row.odd;
            return;
        };
        if row.inputs.len() > MOST_INPUTS {
            return;
        }
        self.eliminate(pivot, &row);
        let number = self.rows.len();
        if !used.is_empty() {
            self.news.push(number);
        }
        for input in &row.inputs {
            self.occurs.entry(*input).or_default().push(number);
        }
        self.pivots.insert(pivot, number);
        self.rows.push(row);
    }

    /// Takes the pivot out of every other row.
    fn eliminate(&mut self, pivot: u32, row: &Row) {
        for number in self.occurs.remove(&pivot).unwrap_or_default() {
            let other = &mut self.rows[number];
            if other.inputs.binary_search(&pivot).is_err() {
                continue;
            }
            other.add(row);
            self.news.push(number);
            for input in row.inputs.iter().filter(|i| **i != pivot) {
                self.occurs.entry(*input).or_default().push(number);
            }
            if other.inputs.len() > MOST_INPUTS {
                let own = other.inputs.iter().copied().find(|i| self.pivots.get(i) == Some(&number));
                own.map(|own| self.pivots.remove(&own));
                *other = Row::default();
            }
        }
    }

    /// The inputs that got determined since the last call, with their values; `None` if the rows contradict each other.
    pub fn determined(&mut self) -> Option<Vec<Edge>> {
        if self.contradiction {
            return None;
        }
        let mut news = std::mem::take(&mut self.news);
        news.sort_unstable();
        news.dedup();
        let alone = news.into_iter().map(|n| &self.rows[n]).filter(|row| row.inputs.len() == 1);
        Some(alone.map(|row| Edge::of_node(row.inputs[0]).flip_if(!row.odd)).collect())
    }

    fn form(&mut self, g: &Aig, root: u32) -> Option<Arc<[u32]>> {
        let mut stack = vec![root];
        while let Some(&node) = stack.last() {
            if self.forms.contains_key(&node) {
                stack.pop();
                continue;
            }
            let form = match g.gate(node) {
                Gate::Input => Some(Arc::from([node].as_slice())),
                Gate::Xor(a, b) => {
                    let missing: Vec<u32> =
                        [a.node(), b.node()].into_iter().filter(|n| !self.forms.contains_key(n)).collect();
                    // One side that is something else settles it, so the other need not be known.
                    if let Some(&first) = missing.first()
                        && !self.is_other(a.node())
                        && !self.is_other(b.node())
                    {
                        stack.push(first);
                        continue;
                    }
                    self.sum(a, b)
                }
                Gate::Const | Gate::And(..) | Gate::Mux(..) | Gate::Maj(..) => None,
            };
            self.forms.insert(node, form);
            stack.pop();
        }
        self.forms[&root].clone()
    }

    fn is_other(&self, node: u32) -> bool {
        matches!(self.forms.get(&node), Some(None))
    }

    /// The form of an exclusive or; inverted edges don't occur below one.
    fn sum(&self, a: Edge, b: Edge) -> Option<Arc<[u32]>> {
        let (x, y) = (self.forms.get(&a.node())?.as_ref()?, self.forms.get(&b.node())?.as_ref()?);
        let both = difference(x, y);
        (both.len() <= MOST_INPUTS).then(|| Arc::from(both))
    }
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.inputs = difference(&self.inputs, &other.inputs);
        self.odd ^= other.odd;
    }
}

/// What is in one of two sorted lists and not in the other.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => {
                out.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                out.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                i += 1;
                j += 1;
            }
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
    out
}
