//! A generalised Büchi automaton for the negation of a formula.
//!
//! "Simple On-the-fly Automatic Verification of Linear Temporal Logic" (Gerth, Peled, Vardi, Wolper 1995): a node says what holds now (`old`) and what has to
//! hold at the next time (`next`); nodes are split until nothing is left to split. Formulas are taken with a sign, so that nothing is shared with the
//! normal form of `ltl`.

use crate::ltl::{Formula, FormulaId, Node};
use blitz_term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// A formula, or its negation if the sign is false.
type Signed = (FormulaId, bool);
type Set = BTreeSet<Signed>;

/// The automaton; its states are numbered from 0.
pub struct Automaton {
    states: Vec<State>,
    /// The arguments of each U (or negated R): itself and its right side.
    eventualities: Vec<(Signed, Signed)>,
}

struct State {
    old: Set,
    initial: bool,
    successors: Vec<usize>,
    /// Atoms with the value they must have.
    literals: Vec<(Term, bool)>,
}

/// A node under construction.
#[derive(Clone)]
struct Draft {
    /// The states it follows; none for the start.
    from: Option<usize>,
    new: Vec<Signed>,
    old: Set,
    next: Set,
}

impl Automaton {
    /// The automaton of a formula's negation; none if the formula looks back.
    pub fn of_negation(formula: &Formula) -> Option<Automaton> {
        if formula.has_past() {
            return None;
        }
        let mut automaton = Automaton { states: Vec::new(), eventualities: eventualities(formula) };
        let mut known: BTreeMap<(Set, Set), usize> = BTreeMap::new();
        let start = Draft { from: None, new: vec![(formula.root(), false)], old: Set::new(), next: Set::new() };
        let mut open = vec![start];
        while let Some(mut draft) = open.pop() {
            match draft.new.pop() {
                Some(signed) if draft.old.contains(&signed) => open.push(draft),
                Some(signed) => split(formula, draft, signed, &mut open),
                None => automaton.finish(formula, draft, &mut known, &mut open),
            }
        }
        Some(automaton)
    }

    fn finish(
        &mut self,
        formula: &Formula,
        draft: Draft,
        known: &mut BTreeMap<(Set, Set), usize>,
        open: &mut Vec<Draft>,
    ) {
        let key = (draft.old.clone(), draft.next.clone());
        let id = *known.entry(key).or_insert_with(|| {
            let literals = literals(formula, &draft.old);
            let id = self.states.len();
            self.states.push(State { old: draft.old.clone(), initial: false, successors: Vec::new(), literals });
            open.push(Draft {
                from: Some(id),
                new: draft.next.iter().copied().collect(),
                old: Set::new(),
                next: Set::new(),
            });
            id
        });
        match draft.from {
            None => self.states[id].initial = true,
            Some(from) if !self.states[from].successors.contains(&id) => self.states[from].successors.push(id),
            Some(_) => {}
        }
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn initial(&self) -> Vec<usize> {
        (0..self.states.len()).filter(|&q| self.states[q].initial).collect()
    }

    pub fn successors(&self, state: usize) -> &[usize] {
        &self.states[state].successors
    }

    /// Whether a letter goes with a state.
    pub fn allows(&self, state: usize, atom: impl Fn(Term) -> bool) -> bool {
        self.states[state].literals.iter().all(|&(term, value)| atom(term) == value)
    }

    /// How many sets of accepting states there are.
    pub fn acceptance(&self) -> usize {
        self.eventualities.len()
    }

    /// Whether a state is in the set of this number.
    pub fn accepts(&self, set: usize, state: usize) -> bool {
        let (whole, goal) = &self.eventualities[set];
        let old = &self.states[state].old;
        !old.contains(whole) || old.contains(goal)
    }
}

fn eventualities(formula: &Formula) -> Vec<(Signed, Signed)> {
    let of = |id: FormulaId| match formula.node(id) {
        Node::Until(_, b) => Some(((id, true), (b, true))),
        Node::Release(_, b) => Some(((id, false), (b, false))),
        _ => None,
    };
    formula.subformulas().into_iter().filter_map(of).collect()
}

fn literals(formula: &Formula, old: &Set) -> Vec<(Term, bool)> {
    let literal = |&(id, sign): &Signed| match formula.node(id) {
        Node::Atom(term) => Some((term, sign)),
        _ => None,
    };
    old.iter().filter_map(literal).collect()
}

/// Takes one formula of a draft apart.
fn split(formula: &Formula, mut draft: Draft, signed: Signed, open: &mut Vec<Draft>) {
    let (id, sign) = signed;
    draft.old.insert(signed);
    let with = |new: &[Signed], next: Option<Signed>| {
        let mut draft = draft.clone();
        draft.new.extend(new);
        draft.next.extend(next);
        draft
    };
    match formula.node(id) {
        Node::True | Node::False => {
            if (formula.node(id) == Node::True) == sign {
                open.push(draft);
            }
        }
        Node::Atom(_) => {
            if !draft.old.contains(&(id, !sign)) {
                open.push(draft);
            }
        }
        Node::Not(a) => open.push(with(&[(a, !sign)], None)),
        Node::And(a, b) if sign => open.push(with(&[(a, true), (b, true)], None)),
        Node::Or(a, b) if !sign => open.push(with(&[(a, false), (b, false)], None)),
        Node::And(a, b) | Node::Or(a, b) => {
            open.push(with(&[(a, sign)], None));
            open.push(with(&[(b, sign)], None));
        }
        Node::Next(a) => open.push(with(&[], Some((a, sign)))),
        // a U b, and the negation of a R b.
        Node::Until(a, b) if sign => until(&with, signed, (a, true), (b, true), open),
        Node::Release(a, b) if !sign => until(&with, signed, (a, false), (b, false), open),
        // a R b, and the negation of a U b.
        Node::Release(a, b) | Node::Until(a, b) => {
            open.push(with(&[(b, sign)], Some(signed)));
            open.push(with(&[(a, sign), (b, sign)], None));
        }
        Node::Yesterday(_) | Node::WeakYesterday(_) | Node::Since(..) | Node::Triggered(..) => {
            unreachable!("formulas that look back should have been refused")
        }
    }
}

fn until(
    with: &impl Fn(&[Signed], Option<Signed>) -> Draft,
    whole: Signed,
    a: Signed,
    b: Signed,
    open: &mut Vec<Draft>,
) {
    open.push(with(&[a], Some(whole)));
    open.push(with(&[b], None));
}
