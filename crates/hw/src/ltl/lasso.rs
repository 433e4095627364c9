//! The truth of a formula on a lasso, by the definition of its operators.
//!
//! Why: every counterexample is held against this before it is reported; it shares nothing with the monitor.
//! A formula whose past operators are nested h deep is periodic after the loop was gone through h times ("Bounded Verification of Past LTL", Cimatti,
//! Roveri, Sheridan 2004), so the loop is written out h + 1 times. Past operators are then computed forwards, future ones backwards, twice around the last
//! copy of the loop.

use super::formula::{Formula, FormulaId, Node};
use crate::trace::{Step, Trace};
use crate::ts::Ts;
use blitz_term::{Assignment, Evaluator, Term};
use std::collections::BTreeMap;

/// Whether the formula holds at time 0 of a lasso of the system; none if the trace is no lasso.
pub fn holds_on(ts: &Ts, formula: &Formula, trace: &Trace) -> Option<bool> {
    let atoms = formula.atoms();
    let rows: Vec<BTreeMap<Term, bool>> = trace.steps.iter().map(|step| truths(ts, &atoms, step)).collect();
    let start = trace.loop_start?;
    Some(holds(formula, rows.len(), start, |at, atom| rows[at][&atom]))
}

fn truths(ts: &Ts, atoms: &[Term], step: &Step) -> BTreeMap<Term, bool> {
    let mut assignment = Assignment::new();
    for (state, value) in ts.states.iter().zip(&step.states) {
        assignment.set(state.var, value.clone());
    }
    for (input, value) in ts.inputs.iter().zip(&step.inputs) {
        assignment.set(input.var, value.clone());
    }
    let mut evaluator = Evaluator::owned(assignment);
    atoms.iter().map(|&atom| (atom, evaluator.holds(&ts.terms, atom))).collect()
}

/// Whether a formula holds at time 0 of the word of `length` positions whose last is followed by `start`.
pub fn holds(formula: &Formula, length: usize, start: usize, atom: impl Fn(usize, Term) -> bool) -> bool {
    assert!(start < length, "a loop should begin inside the word");
    let period = length - start;
    let copies = past_depth(formula);
    let word = Word {
        length: length + copies * period,
        start: start + copies * period,
        original: &|at: usize| if at < length { at } else { start + (at - start) % period },
    };
    let mut rows: BTreeMap<FormulaId, Vec<bool>> = BTreeMap::new();
    for id in formula.subformulas() {
        let row = word.row(formula.node(id), &rows, &atom);
        rows.insert(id, row);
    }
    rows[&formula.root()][0]
}

/// How deep past operators are nested.
fn past_depth(formula: &Formula) -> usize {
    let mut depth: BTreeMap<FormulaId, usize> = BTreeMap::new();
    for id in formula.subformulas() {
        let below = formula.children(id).iter().map(|c| depth[c]).max().unwrap_or(0);
        let past = matches!(
            formula.node(id),
            Node::Yesterday(_) | Node::WeakYesterday(_) | Node::Since(..) | Node::Triggered(..)
        );
        depth.insert(id, below + usize::from(past));
    }
    depth[&formula.root()]
}

/// A lasso with its loop written out.
struct Word<'a> {
    length: usize,
    start: usize,
    /// The position of the given lasso that a position is a copy of.
    original: &'a dyn Fn(usize) -> usize,
}

impl Word<'_> {
    fn row(&self, node: Node, rows: &BTreeMap<FormulaId, Vec<bool>>, atom: &impl Fn(usize, Term) -> bool) -> Vec<bool> {
        let at = |id: FormulaId, i: usize| rows[&id][i];
        let here = |f: &dyn Fn(usize) -> bool| (0..self.length).map(f).collect::<Vec<bool>>();
        match node {
            Node::True => here(&|_| true),
            Node::False => here(&|_| false),
            Node::Atom(term) => here(&|i| atom((self.original)(i), term)),
            Node::Not(a) => here(&|i| !at(a, i)),
            Node::And(a, b) => here(&|i| at(a, i) && at(b, i)),
            Node::Or(a, b) => here(&|i| at(a, i) || at(b, i)),
            Node::Next(a) => here(&|i| at(a, self.after(i))),
            Node::Until(a, b) => self.backwards(false, |i, later| at(b, i) || (at(a, i) && later)),
            Node::Release(a, b) => self.backwards(true, |i, later| at(b, i) && (at(a, i) || later)),
            Node::Yesterday(a) => here(&|i| i > 0 && at(a, i - 1)),
            Node::WeakYesterday(a) => here(&|i| i == 0 || at(a, i - 1)),
            Node::Since(a, b) => self.forwards(false, |i, earlier| at(b, i) || (at(a, i) && earlier)),
            Node::Triggered(a, b) => self.forwards(true, |i, earlier| at(b, i) && (at(a, i) || earlier)),
        }
    }

    fn after(&self, i: usize) -> usize {
        if i + 1 < self.length { i + 1 } else { self.start }
    }

    fn backwards(&self, mut later: bool, f: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut row = vec![false; self.length];
        for i in (self.start..self.length).rev().chain((0..self.length).rev()) {
            later = f(i, later);
            row[i] = later;
        }
        row
    }

    fn forwards(&self, mut earlier: bool, f: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let step = |i| {
            earlier = f(i, earlier);
            earlier
        };
        (0..self.length).map(step).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_term::{Sort, Terms};

    /// Whether a formula over p holds on the word whose positions with p are `ones`.
    fn on(ones: &str, start: usize, build: impl Fn(&mut Formula, FormulaId) -> FormulaId) -> bool {
        let mut terms = Terms::new();
        let p = terms.var("p", Sort::BOOL);
        let mut formula = Formula::new();
        let atom = formula.atom(p);
        let root = build(&mut formula, atom);
        formula.set_root(root);
        let bits = ones.as_bytes();
        holds(&formula, bits.len(), start, |at, _| bits[at] == b'1')
    }

    #[test]
    fn future_operators_go_around_the_loop() {
        assert!(on("0001", 3, Formula::eventually));
        assert!(!on("1110", 3, Formula::always));
        assert!(on("0101", 0, |f, p| {
            let soon = f.eventually(p);
            f.always(soon)
        }));
        assert!(!on("0100", 2, |f, p| {
            let soon = f.eventually(p);
            f.always(soon)
        }));
        assert!(on("01", 0, |f, p| f.next(p)));
        // From the last position X goes back to the loop's first.
        assert!(on("101", 2, |f, p| {
            let once = f.next(p);
            let twice = f.next(once);
            f.next(twice)
        }));
    }

    #[test]
    fn the_past_is_another_in_the_second_round() {
        // In the first round of the loop nothing held before; later something has.
        let sometime_later_past = |f: &mut Formula, p| {
            let was = f.once(p);
            let not = f.not(p);
            let both = f.and(was, not);
            f.eventually(both)
        };
        assert!(on("01", 0, sometime_later_past));
        assert!(!on("00", 0, sometime_later_past));
        // Y at time 0 is false, Z true.
        assert!(!on("1", 0, Formula::yesterday));
        assert!(on("0", 0, Formula::weak_yesterday));
        assert!(on("1", 0, |f, p| {
            let was = f.yesterday(p);
            f.next(was)
        }));
        assert!(on("110", 2, |f, p| {
            let all = f.historically(p);
            f.next(all)
        }));
    }
}
