//! The transition system that readers make and engines decide.
//!
//! Time is 0, 1, 2, ... At each time every state and every input has a value. A *path* is a finite or infinite sequence of such valuations in which
//! - at time 0 each state with an `init` equals it, and all of `Ts::init` hold;
//! - at every time all of `constraints` hold;
//! - from each time to the next, all of `trans` hold at the earlier time, and each state with a `next` takes its value;
//!   a state without one takes any value.
//!
//! A bad-state property is violated by a finite path at whose last time its term holds (time 0 included: AG p is about the first state too). A
//! justice property is violated by an infinite path on which each of its terms, and each of `fair`, holds infinitely often; a formula of LTL by one on
//! which it does not hold and each of `fair` holds infinitely often.
//! `trans` is apart from `constraints` because a state without a successor is still reached: the last state of a finite path needs no step out of it.
//!
//! A language with relations (`TRANS next(x) != x` in SMV) is written with an input: `next` of x is a fresh input `x'`, and the relation over x and
//! `x'` goes to `trans`.
//!
//! Invariants (`Ts::validate`): every term is over `states` and `inputs` only; names are unique per kind of thing; `init` and `next` have
//! the sort of their state; conditions have one bit; what `init` refers to is initialised without coming back to it.

use crate::ltl::Formula;
use crate::show::Signal;
use blitz_term::{Sort, Term, Terms, vars_of};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A state variable: a latch, a register, a memory.
#[derive(Clone, Debug)]
pub struct State {
    pub name: String,
    /// The variable that stands for its value at some time.
    pub var: Term,
    /// Its value at time 0, over states and inputs at time 0; none: any value.
    pub init: Option<Term>,
    /// Its value one step later, over states and inputs; none: any value.
    pub next: Option<Term>,
}

/// An input variable: any value at every time.
#[derive(Clone, Debug)]
pub struct Input {
    pub name: String,
    pub var: Term,
}

/// What violates a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A path to a time where this holds.
    Bad(Term),
    /// An infinite path on which each of these holds infinitely often.
    Justice(Vec<Term>),
    /// An infinite path on which the formula does not hold. `check` composes the system with a monitor, which makes it a justice property.
    Ltl(Formula),
}

/// A property, by what violates it.
#[derive(Clone, Debug)]
pub struct Property {
    /// How it is asked for and reported: `b0`, `j1`, or the name the file gives.
    pub name: String,
    /// The property in the file's own words, where it has some.
    pub text: Option<String>,
    pub goal: Goal,
}

/// A transition system.
#[derive(Clone, Default)]
pub struct Ts {
    pub terms: Terms,
    /// In the order of the file: witnesses count in it.
    pub states: Vec<State>,
    /// In the order of the file, likewise.
    pub inputs: Vec<Input>,
    /// Holds at time 0.
    pub init: Vec<Term>,
    /// Hold at every time.
    pub constraints: Vec<Term>,
    /// Hold at every time from which a step is taken.
    pub trans: Vec<Term>,
    pub properties: Vec<Property>,
    /// Hold infinitely often on every path that a justice property is about.
    pub fair: Vec<Term>,
    /// Named terms that formulas may mention: outputs, definitions, wires. States and inputs are found by their own names.
    pub symbols: BTreeMap<String, Term>,
    /// What a trace shows a person; none: every state and input.
    pub signals: Vec<Signal>,
}

/// What is wrong with a transition system: a defect of the reader that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TsError {
    /// The name of something stands for two.
    Twice(String),
    /// `what` has another sort than it should.
    Sort { what: String, found: Sort, wanted: Sort },
    /// `what` mentions a variable that is neither state nor input.
    Foreign { what: String, variable: String },
    /// The initial value of a state depends on itself.
    Cyclic(String),
    /// A term that stands for a variable is none.
    NoVariable(String),
}

impl fmt::Display for TsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TsError::Twice(name) => write!(f, "`{name}` is declared twice"),
            TsError::Sort { what, found, wanted } => write!(f, "{what} has sort {found}, not {wanted}"),
            TsError::Foreign { what, variable } => {
                write!(f, "{what} mentions `{variable}`, which is neither a state nor an input")
            }
            TsError::Cyclic(name) => write!(f, "the initial value of `{name}` depends on itself"),
            TsError::NoVariable(name) => write!(f, "`{name}` is no variable"),
        }
    }
}

impl std::error::Error for TsError {}

impl Ts {
    /// An empty system.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a state; its variable is named `name` unless a variable has that name already. Init and next are set later.
    pub fn add_state(&mut self, name: &str, sort: Sort) -> Term {
        let var = self.variable(name, sort);
        self.states.push(State { name: name.to_owned(), var, init: None, next: None });
        var
    }

    /// Adds an input.
    pub fn add_input(&mut self, name: &str, sort: Sort) -> Term {
        let var = self.variable(name, sort);
        self.inputs.push(Input { name: name.to_owned(), var });
        var
    }

    fn variable(&mut self, name: &str, sort: Sort) -> Term {
        match self.terms.find_var(name, sort) {
            None => self.terms.var(name, sort),
            Some(_) => self.terms.fresh(name, sort),
        }
    }

    /// The state with this variable.
    pub fn state_of(&self, var: Term) -> Option<usize> {
        self.states.iter().position(|s| s.var == var)
    }

    /// What a name stands for: a state, an input or a named term.
    pub fn named(&self, name: &str) -> Option<Term> {
        let state = self.states.iter().find(|s| s.name == name).map(|s| s.var);
        let input = || self.inputs.iter().find(|i| i.name == name).map(|i| i.var);
        state.or_else(input).or_else(|| self.symbols.get(name).copied())
    }

    /// The property with this name.
    pub fn property(&self, name: &str) -> Option<usize> {
        self.properties.iter().position(|p| p.name == name)
    }

    /// Checks the invariants of the module.
    pub fn validate(&self) -> Result<(), TsError> {
        let variables = self.variables()?;
        self.validate_names()?;
        // One walk over everything; only where it finds something is it worth knowing where.
        let foreign = vars_of(&self.terms, &self.roots()).iter().any(|v| !variables.contains(v));
        let known = foreign.then_some(&variables);
        for state in &self.states {
            let sort = self.terms.sort(state.var);
            for (what, term) in [("the initial value", state.init), ("the next value", state.next)] {
                if let Some(term) = term {
                    self.validate_term(&format!("{what} of `{}`", state.name), term, sort, known)?;
                }
            }
        }
        for (what, term) in self.conditions() {
            self.validate_term(&what, term, Sort::BOOL, known)?;
        }
        for (name, &term) in &self.symbols {
            self.validate_term(&format!("`{name}`"), term, self.terms.sort(term), known)?;
        }
        self.validate_init_order()
    }

    /// Every term of the system but its variables.
    fn roots(&self) -> Vec<Term> {
        let values = self.states.iter().flat_map(|s| s.init.into_iter().chain(s.next));
        let conditions = self.conditions().into_iter().map(|(_, t)| t);
        values.chain(conditions).chain(self.symbols.values().copied()).collect()
    }

    fn variables(&self) -> Result<BTreeSet<Term>, TsError> {
        let mut variables = BTreeSet::new();
        let states = self.states.iter().map(|s| (&s.name, s.var));
        for (name, var) in states.chain(self.inputs.iter().map(|i| (&i.name, i.var))) {
            if !self.terms.is_var(var) {
                return Err(TsError::NoVariable(name.clone()));
            }
            if !variables.insert(var) {
                return Err(TsError::Twice(name.clone()));
            }
        }
        Ok(variables)
    }

    fn validate_names(&self) -> Result<(), TsError> {
        let mut seen = BTreeSet::new();
        let names = self.states.iter().map(|s| &s.name).chain(self.inputs.iter().map(|i| &i.name));
        unique(names, &mut seen)?;
        unique(self.properties.iter().map(|p| &p.name), &mut BTreeSet::new())
    }

    /// Every term that has to be a condition, with what it is.
    fn conditions(&self) -> Vec<(String, Term)> {
        let mut all = Vec::new();
        for (what, terms) in [
            ("an initial condition", &self.init),
            ("a constraint", &self.constraints),
            ("a transition constraint", &self.trans),
            ("a fairness condition", &self.fair),
        ] {
            all.extend(terms.iter().map(|&t| (what.to_owned(), t)));
        }
        for property in &self.properties {
            let what = format!("property `{}`", property.name);
            match &property.goal {
                Goal::Bad(bad) => all.push((what, *bad)),
                Goal::Justice(terms) => all.extend(terms.iter().map(|&t| (what.clone(), t))),
                Goal::Ltl(formula) => all.extend(formula.atoms().into_iter().map(|t| (what.clone(), t))),
            }
        }
        all
    }

    fn validate_term(
        &self,
        what: &str,
        term: Term,
        wanted: Sort,
        known: Option<&BTreeSet<Term>>,
    ) -> Result<(), TsError> {
        let found = self.terms.sort(term);
        if found != wanted {
            return Err(TsError::Sort { what: what.to_owned(), found, wanted });
        }
        let Some(known) = known else { return Ok(()) };
        match vars_of(&self.terms, &[term]).into_iter().find(|v| !known.contains(v)) {
            None => Ok(()),
            Some(var) => {
                let variable = self.terms.var_name(var).unwrap_or_default().to_owned();
                Err(TsError::Foreign { what: what.to_owned(), variable })
            }
        }
    }

    fn validate_init_order(&self) -> Result<(), TsError> {
        match self.init_order() {
            Ok(_) => Ok(()),
            Err(state) => Err(TsError::Cyclic(self.states[state].name.clone())),
        }
    }

    /// States ordered so that each comes after those its initial value mentions, or one on a cycle.
    pub fn init_order(&self) -> Result<Vec<usize>, usize> {
        let by_var: BTreeMap<Term, usize> = self.states.iter().enumerate().map(|(i, s)| (s.var, i)).collect();
        let mut order = Vec::new();
        let mut color = vec![Color::New; self.states.len()];
        for root in 0..self.states.len() {
            let mut stack = vec![root];
            while let Some(&state) = stack.last() {
                match color[state] {
                    Color::Done => {
                        stack.pop();
                    }
                    Color::Open => {
                        color[state] = Color::Done;
                        order.push(state);
                        stack.pop();
                    }
                    Color::New => {
                        color[state] = Color::Open;
                        for var in self.states[state].init.iter().flat_map(|&t| self.variables_below(t)) {
                            let Some(&below) = by_var.get(&var) else { continue };
                            match color[below] {
                                Color::New => stack.push(below),
                                Color::Open => return Err(below),
                                Color::Done => {}
                            }
                        }
                    }
                }
            }
        }
        Ok(order)
    }

    fn variables_below(&self, init: Term) -> Vec<Term> {
        if self.terms.is_const(init) { Vec::new() } else { vars_of(&self.terms, &[init]) }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    New,
    Open,
    Done,
}

fn unique<'a>(names: impl Iterator<Item = &'a String>, seen: &mut BTreeSet<&'a str>) -> Result<(), TsError> {
    for name in names {
        if !seen.insert(name) {
            return Err(TsError::Twice(name.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter() -> Ts {
        let mut ts = Ts::new();
        let count = ts.add_state("count", Sort::Bv(4));
        let enable = ts.add_input("enable", Sort::BOOL);
        let one = ts.terms.bv(4, 1);
        let more = ts.terms.add(count, one);
        ts.states[0].init = Some(ts.terms.zero(4));
        ts.states[0].next = Some(ts.terms.ite(enable, more, count));
        let top = ts.terms.ones(4);
        let bad = ts.terms.eq(count, top);
        ts.properties.push(Property { name: "b0".to_owned(), text: None, goal: Goal::Bad(bad) });
        ts
    }

    #[test]
    fn a_counter_is_valid() {
        assert_eq!(counter().validate(), Ok(()));
    }

    #[test]
    fn wrong_sorts_and_foreign_variables_are_found() {
        let mut ts = counter();
        ts.constraints.push(ts.states[0].var);
        assert!(matches!(ts.validate(), Err(TsError::Sort { .. })));
        let mut ts = counter();
        let stray = ts.terms.var("stray", Sort::BOOL);
        ts.fair.push(stray);
        assert!(matches!(ts.validate(), Err(TsError::Foreign { .. })));
    }

    #[test]
    fn cyclic_initial_values_are_found() {
        let mut ts = counter();
        let other = ts.add_state("other", Sort::Bv(4));
        ts.states[1].init = Some(ts.terms.not(ts.states[0].var));
        ts.states[0].init = Some(other);
        assert!(matches!(ts.validate(), Err(TsError::Cyclic(_))));
    }
}
