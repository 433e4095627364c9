//! A system composed with the tableau of a negated formula.
//!
//! For each future subformula f there is an input that guesses whether f will be owed at the next time, and a state bit that says it is owed now; a
//! constraint says that what is owed holds. U owes its right side: infinitely often it is not owed or its right side holds. Past subformulas are
//! state bits with functions. At time 0 the negated formula holds.
//! Owing goes one way (what is not owed may hold too), which is enough in negation normal form and leaves lassos more ways to close.
//!
//! Invariant: states and inputs of the system come first, in their order, so a trace of the composition cut to them is one of the system.
//! Direction: exact; the composition has a fair path over a path of the system iff that path violates the formula.

use super::formula::{Formula, FormulaId, Node};
use super::lasso;
use crate::trace::Trace;
use crate::ts::{Goal, Property, Ts};
use blitz_term::{Sort, Term};

/// A system with a monitor; its one property is violated by the formula's counterexamples.
#[derive(Clone)]
pub struct Monitored {
    pub ts: Ts,
    formula: Formula,
    states: usize,
    inputs: usize,
}

/// Composes a system with the monitor of a formula that should hold on its paths.
pub fn monitored(system: &Ts, formula: &Formula, name: &str, text: Option<&str>) -> Monitored {
    let mut ts = system.clone();
    let negated = formula.negated();
    let mut builder = Builder { ts: &mut ts, sat: vec![None; negated.root().index() + 1], justice: Vec::new() };
    for id in negated.subformulas() {
        let sat = builder.subformula(&negated, id);
        builder.sat[id.index()] = Some(sat);
    }
    let root = builder.get(negated.root());
    let justice = builder.justice;
    ts.init.push(root);
    let property = Property { name: name.to_owned(), text: text.map(str::to_owned), goal: Goal::Justice(justice) };
    ts.properties = vec![property];
    Monitored { ts, formula: formula.clone(), states: system.states.len(), inputs: system.inputs.len() }
}

impl Monitored {
    /// A path of the composition as one of the system.
    pub fn project(&self, trace: &Trace) -> Trace {
        let mut trace = trace.clone();
        for step in &mut trace.steps {
            step.states.truncate(self.states);
            step.inputs.truncate(self.inputs);
        }
        trace
    }

    /// Whether the lasso violates the formula, by the evaluator that knows nothing of the monitor.
    pub fn violates(&self, trace: &Trace) -> bool {
        lasso::holds_on(&self.ts, &self.formula, trace) == Some(false)
    }

    pub fn formula(&self) -> &Formula {
        &self.formula
    }
}

struct Builder<'a> {
    ts: &'a mut Ts,
    /// What each subformula is now, as a term.
    sat: Vec<Option<Term>>,
    justice: Vec<Term>,
}

impl Builder<'_> {
    fn get(&self, id: FormulaId) -> Term {
        self.sat[id.index()].expect("arguments should come first")
    }

    fn subformula(&mut self, formula: &Formula, id: FormulaId) -> Term {
        match formula.node(id) {
            Node::True => self.ts.terms.tru(),
            Node::False => self.ts.terms.fls(),
            Node::Atom(term) => term,
            Node::Not(a) => {
                let a = self.get(a);
                self.ts.terms.not(a)
            }
            Node::And(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                self.ts.terms.and(a, b)
            }
            Node::Or(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                self.ts.terms.or(a, b)
            }
            Node::Next(a) => {
                let (guess, owed) = self.promise(id);
                let a = self.get(a);
                self.constrain(owed, a);
                guess
            }
            Node::Until(a, b) => self.until(id, a, b),
            Node::Release(a, b) => self.release(id, a, b),
            Node::Yesterday(a) => self.remembered(id, a, Before::Nothing),
            Node::WeakYesterday(a) => self.remembered(id, a, Before::Anything),
            Node::Since(a, b) => self.since(id, a, b),
            Node::Triggered(a, b) => self.triggered(id, a, b),
        }
    }

    /// The guess that something holds at the next time, and the bit that says it was guessed before.
    fn promise(&mut self, id: FormulaId) -> (Term, Term) {
        let owed = self.ts.add_state(&format!("ltl!owed{}", id.index()), Sort::BOOL);
        let guess = self.ts.add_input(&format!("ltl!guess{}", id.index()), Sort::BOOL);
        let state = self.ts.states.len() - 1;
        self.ts.states[state].next = Some(guess);
        (guess, owed)
    }

    fn constrain(&mut self, owed: Term, holds: Term) {
        let constraint = self.ts.terms.implies(owed, holds);
        self.ts.constraints.push(constraint);
    }

    fn until(&mut self, id: FormulaId, a: FormulaId, b: FormulaId) -> Term {
        let (a, b) = (self.get(a), self.get(b));
        let (guess, owed) = self.promise(id);
        let later = self.ts.terms.and(a, guess);
        let sat = self.ts.terms.or(b, later);
        self.constrain(owed, sat);
        let idle = self.ts.terms.not(owed);
        let paid = self.ts.terms.or(idle, b);
        self.justice.push(paid);
        sat
    }

    fn release(&mut self, id: FormulaId, a: FormulaId, b: FormulaId) -> Term {
        let (a, b) = (self.get(a), self.get(b));
        let (guess, owed) = self.promise(id);
        let free = self.ts.terms.or(a, guess);
        let sat = self.ts.terms.and(b, free);
        self.constrain(owed, sat);
        sat
    }

    /// A bit that is `init` at time 0 and `value` of the previous time later.
    fn bit(&mut self, id: FormulaId, before: Before) -> (usize, Term) {
        let bit = self.ts.add_state(&format!("ltl!was{}", id.index()), Sort::BOOL);
        let state = self.ts.states.len() - 1;
        self.ts.states[state].init = Some(self.ts.terms.bool(before == Before::Anything));
        (state, bit)
    }

    fn remembered(&mut self, id: FormulaId, a: FormulaId, before: Before) -> Term {
        let (state, bit) = self.bit(id, before);
        self.ts.states[state].next = Some(self.get(a));
        bit
    }

    fn since(&mut self, id: FormulaId, a: FormulaId, b: FormulaId) -> Term {
        let (a, b) = (self.get(a), self.get(b));
        let (state, bit) = self.bit(id, Before::Nothing);
        let still = self.ts.terms.and(a, bit);
        let sat = self.ts.terms.or(b, still);
        self.ts.states[state].next = Some(sat);
        sat
    }

    fn triggered(&mut self, id: FormulaId, a: FormulaId, b: FormulaId) -> Term {
        let (a, b) = (self.get(a), self.get(b));
        let (state, bit) = self.bit(id, Before::Anything);
        let still = self.ts.terms.or(a, bit);
        let sat = self.ts.terms.and(b, still);
        self.ts.states[state].next = Some(sat);
        sat
    }
}

/// What holds before time 0.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Anything,
}
