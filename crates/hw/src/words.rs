//! Systems with memories: bounded model checking and induction on terms, with the array theory of the solver layer.
//!
//! The bits of a large memory are too many to blast, so each time's states are terms over the inputs of all times before, and the solver adds array
//! lemmas as it needs them. Bad states only: a counterexample at bound k, or no step from k good states to a bad one.
//! Absent: simple-path constraints (arrays would have to differ somewhere), IC3, justice.

use crate::answer::{Proof, Reason, Status};
use crate::check::{Options, Stats};
use crate::engine::{Engine, Progress};
use crate::schedule::Decided;
use crate::sim::Stimulus;
use crate::ts::{Goal, Ts};
use blitz_base::Budget;
use blitz_solver::cadical::Cadical;
use blitz_solver::{Outcome, Solver, SolverConfig, UnknownReason};
use blitz_term::{Substitution, Term, Terms, Value};

/// Conflicts of one question about the induction step; it is given up for this k then.
const STEP_CONFLICTS: u32 = 20_000;

/// Decides a bad-state property.
pub fn decide(ts: &Ts, goal: &Goal, options: &Options, budget: &Budget) -> Decided {
    let Goal::Bad(bad) = goal else {
        let reason = Reason::Unsupported("justice properties of systems with arrays".to_owned());
        return decided(Status::Unknown { reason, holds_up_to: None }, Engine::Bmc, 0);
    };
    if options.engine == Engine::Ic3 {
        let reason = Reason::Unsupported("IC3 on systems with arrays".to_owned());
        return decided(Status::Unknown { reason, holds_up_to: None }, Engine::Ic3, 0);
    }
    let mut base = Unrolled::new(ts, From::Initial);
    let mut step = (options.engine != Engine::Bmc).then(|| Unrolled::new(ts, From::Anywhere));
    for bound in 0.. {
        if options.bound.is_some_and(|most| bound > most) {
            return decided(Status::HoldsUpTo(bound - 1), Engine::Bmc, base.conflicts());
        }
        if let Some(step) = &mut step
            && step.excludes(bound, *bad, &budget.with_effort(STEP_CONFLICTS)) == Some(true)
        {
            return decided(Status::Proved(Proof::Induction { k: bound, others: 0 }), Engine::Kind, base.conflicts());
        }
        match base.ask(bound, *bad, budget) {
            Outcome::Unsat => base.refute(bound, *bad),
            Outcome::Sat => {
                let stimulus = base.stimulus(bound);
                return match Progress::found(ts, goal, &stimulus, Engine::Bmc) {
                    Progress::Violated(violation) => {
                        decided(Status::Violated(violation), Engine::Bmc, base.conflicts())
                    }
                    _ => unreachable!("a path without a loop should need no closing"),
                };
            }
            Outcome::Unknown(reason) => {
                let status = Status::Unknown { reason: Reason::Solver(reason), holds_up_to: bound.checked_sub(1) };
                return decided(status, Engine::Bmc, base.conflicts());
            }
        }
    }
    unreachable!("the search should end with an answer")
}

fn decided(status: Status, engine: Engine, conflicts: u64) -> Decided {
    Decided { status, engine, stats: Stats { conflicts, ..Stats::default() } }
}

/// Where the unrolling begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum From {
    Initial,
    Anywhere,
}

/// Terms of all times so far, on one live solver.
struct Unrolled<'a> {
    ts: &'a Ts,
    from: From,
    terms: Terms,
    solver: Cadical,
    times: Vec<Time>,
}

/// One time: what replaces the system's variables.
struct Time {
    at: Substitution,
    states: Vec<Term>,
    inputs: Vec<Term>,
}

impl<'a> Unrolled<'a> {
    fn new(ts: &'a Ts, from: From) -> Self {
        let solver = Cadical::new(&SolverConfig::default()).expect("a solver without a proof file should start");
        Self { ts, from, terms: ts.terms.clone(), solver, times: Vec::new() }
    }

    fn conflicts(&self) -> u64 {
        self.solver.stats().conflicts
    }

    fn fresh(&mut self, var: Term, time: usize) -> Term {
        let sort = self.terms.sort(var);
        self.terms.fresh(&format!("at{time}"), sort)
    }

    /// Adds times up to this one, with the conditions of the system.
    fn extend(&mut self, last: usize) {
        while self.times.len() <= last {
            let time = self.times.len();
            let states = if time == 0 { self.first_states() } else { self.next_states(time) };
            let inputs: Vec<Term> = self.ts.inputs.iter().map(|i| i.var).collect();
            let inputs: Vec<Term> = inputs.into_iter().map(|var| self.fresh(var, time)).collect();
            let mut at = Substitution::new();
            for (state, &term) in self.ts.states.iter().zip(&states) {
                at.replace(&self.terms, state.var, term);
            }
            for (input, &term) in self.ts.inputs.iter().zip(&inputs) {
                at.replace(&self.terms, input.var, term);
            }
            self.times.push(Time { at, states, inputs });
            self.assert_conditions(time);
        }
    }

    fn first_states(&mut self) -> Vec<Term> {
        let vars: Vec<Term> = self.ts.states.iter().map(|s| s.var).collect();
        vars.into_iter().map(|var| self.fresh(var, 0)).collect()
    }

    fn next_states(&mut self, time: usize) -> Vec<Term> {
        let ts = self.ts;
        let step = |(var, next): (Term, Option<Term>)| match next {
            Some(next) => self.times[time - 1].at.apply(&mut self.terms, next),
            None => self.fresh(var, time),
        };
        ts.states.iter().map(|s| (s.var, s.next)).map(step).collect()
    }

    fn assert_conditions(&mut self, time: usize) {
        let ts = self.ts;
        if time == 0 && self.from == From::Initial {
            for (index, state) in ts.states.iter().enumerate() {
                if let Some(init) = state.init {
                    let init = self.times[0].at.apply(&mut self.terms, init);
                    let equal = self.terms.eq(self.times[0].states[index], init);
                    self.solver.assert(&mut self.terms, equal);
                }
            }
            self.assert_all(0, &ts.init);
        }
        if time > 0 {
            self.assert_all(time - 1, &ts.trans);
        }
        self.assert_all(time, &ts.constraints);
    }

    fn assert_all(&mut self, time: usize, conditions: &[Term]) {
        for &condition in conditions {
            let condition = self.times[time].at.apply(&mut self.terms, condition);
            self.solver.assert(&mut self.terms, condition);
        }
    }

    /// Whether the bad states are reached at a time.
    fn ask(&mut self, time: usize, bad: Term, budget: &Budget) -> Outcome {
        if let Some(stop) = budget.expired() {
            return Outcome::Unknown(UnknownReason::from(stop));
        }
        self.extend(time);
        let bad = self.times[time].at.apply(&mut self.terms, bad);
        self.solver.check(&mut self.terms, &[bad], budget)
    }

    /// Excludes the bad states at a time for good.
    fn refute(&mut self, time: usize, bad: Term) {
        let bad = self.times[time].at.apply(&mut self.terms, bad);
        let good = self.terms.not(bad);
        self.solver.assert(&mut self.terms, good);
    }

    /// Whether no path of good states leads to a bad one at this time; none if that is not known. Later times then assume a good state here.
    fn excludes(&mut self, time: usize, bad: Term, budget: &Budget) -> Option<bool> {
        let answer = self.ask(time, bad, budget);
        self.refute(time, bad);
        match answer {
            Outcome::Unsat => Some(true),
            Outcome::Sat => Some(false),
            Outcome::Unknown(_) => None,
        }
    }

    /// What the model says about everything that the system leaves open.
    fn stimulus(&mut self, last: usize) -> Stimulus {
        let Self { terms, solver, times, .. } = self;
        let mut values = |all: &[Term]| all.iter().map(|&t| solver.value(terms, t)).collect::<Vec<Value>>();
        let initial = values(&times[0].states);
        let inputs = times[..=last].iter().map(|t| values(&t.inputs)).collect();
        let free = times[1..=last].iter().map(|t| values(&t.states)).collect();
        Stimulus { initial, inputs, free, loop_start: None }
    }
}
