//! The simulator: runs a transition system on given values, and decides whether a trace is a counterexample.
//!
//! It evaluates the terms of the [`Ts`] and shares nothing with the encoders (`bits`, `unroll`), so that it can check what they find.
//! Invariant: `replay` accepts a trace only if each condition of `ts`'s definition of a path, and of the property, was evaluated and holds.

use crate::ltl::lasso;
use crate::trace::{Step, Trace};
use crate::ts::{Goal, Ts};
use blitz_term::{Assignment, Evaluator, Term, Value};
use std::fmt;

/// Values that determine a path: what the system itself leaves open.
#[derive(Clone, Debug, Default)]
pub struct Stimulus {
    /// A value per state; those with an initial value are computed, and theirs ignored.
    pub initial: Vec<Value>,
    /// Per time: a value per input.
    pub inputs: Vec<Vec<Value>>,
    /// Per time from 1 on: a value per state; only those of states without a next value count.
    pub free: Vec<Vec<Value>>,
    pub loop_start: Option<usize>,
}

impl Stimulus {
    /// Of a path whose last state is the one its loop starts with: the lasso without that state.
    pub fn closed(mut self) -> Stimulus {
        if self.loop_start.is_some() {
            self.inputs.pop();
            self.free.truncate(self.inputs.len() - 1);
        }
        self
    }
}

/// The path, as `run`; where it has a loop, gone through until all states repeat. An engine closes loops for the states that its property depends on, and the
/// others may take several rounds. None if they take more than `MAX_LOOP_STEPS` steps.
pub fn run_closed(ts: &Ts, stimulus: &Stimulus) -> Option<Trace> {
    let Some(start) = stimulus.loop_start else { return Some(run(ts, stimulus)) };
    let mut longer = stimulus.clone();
    let length = stimulus.inputs.len() - start;
    // What comes back to the start of the loop takes the values with which it was entered.
    let entered = if start == 0 { &stimulus.initial } else { &stimulus.free[start - 1] };
    let mut starts = vec![start];
    loop {
        let mut ahead = longer.clone();
        ahead.free.push(entered.clone());
        ahead.inputs.push(stimulus.inputs[start].clone());
        let trace = run(ts, &ahead);
        let again = trace.steps.last().expect("a path should have a step");
        let met = starts.iter().copied().find(|&s| same_states(&trace.steps[s], again));
        if let Some(met) = met {
            let steps = trace.steps[..trace.steps.len() - 1].to_vec();
            return Some(Trace { steps, loop_start: Some(met) });
        }
        if longer.inputs.len() + length > MAX_LOOP_STEPS {
            return None;
        }
        starts.push(longer.inputs.len());
        longer.free.push(entered.clone());
        longer.free.extend_from_slice(&stimulus.free[start..]);
        longer.inputs.extend_from_slice(&stimulus.inputs[start..]);
    }
}

/// A loop is followed no longer than this.
const MAX_LOOP_STEPS: usize = 1_000;

fn same_states(a: &Step, b: &Step) -> bool {
    a.states.iter().zip(&b.states).all(|(x, y)| same(x, y))
}

/// Why a trace is no counterexample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// This state does not have its initial value.
    Init(String),
    /// An initial condition fails.
    InitCondition(usize),
    /// This constraint fails at this time.
    Constraint { index: usize, time: usize },
    /// This transition constraint fails on the way from this time.
    Trans { index: usize, time: usize },
    /// This state does not have the next value of the time before.
    Next { state: String, time: usize },
    /// The bad condition does not hold at the last time.
    NotBad,
    /// The path is finite, and the property is about infinite ones.
    NoLoop,
    /// The loop would begin after the trace's end.
    LoopStart(usize),
    /// This justice or fairness condition never holds in the loop.
    NotJust(usize),
    /// The formula holds on the path.
    Holds,
    /// A step has too few or too many values.
    Shape(usize),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Init(state) => write!(f, "state `{state}` does not begin with its initial value"),
            Mismatch::InitCondition(index) => write!(f, "initial condition {index} does not hold"),
            Mismatch::Constraint { index, time } => write!(f, "constraint {index} does not hold at time {time}"),
            Mismatch::Trans { index, time } => write!(f, "transition constraint {index} does not hold at time {time}"),
            Mismatch::Next { state, time } => write!(f, "state `{state}` has a wrong value at time {time}"),
            Mismatch::NotBad => f.write_str("the bad condition does not hold at the end"),
            Mismatch::NoLoop => f.write_str("the path has no loop"),
            Mismatch::LoopStart(start) => write!(f, "the loop begins at {start}, after the end"),
            Mismatch::NotJust(index) => write!(f, "condition {index} never holds in the loop"),
            Mismatch::Holds => f.write_str("the formula holds on the path"),
            Mismatch::Shape(time) => write!(f, "step {time} has a wrong number of values"),
        }
    }
}

/// The path that values lead to. What it has to satisfy is for `replay` to say.
pub fn run(ts: &Ts, stimulus: &Stimulus) -> Trace {
    let mut steps: Vec<Step> = Vec::new();
    for (time, inputs) in stimulus.inputs.iter().enumerate() {
        let states = match steps.last() {
            None => initial(ts, stimulus, inputs),
            Some(last) => successor(ts, last, stimulus.free.get(time - 1)),
        };
        steps.push(Step { states, inputs: inputs.clone() });
    }
    Trace { steps, loop_start: stimulus.loop_start }
}

/// Whether a trace is a counterexample of this goal.
pub fn replay(ts: &Ts, trace: &Trace, goal: &Goal) -> Result<(), Mismatch> {
    for (time, step) in trace.steps.iter().enumerate() {
        if step.states.len() != ts.states.len() || step.inputs.len() != ts.inputs.len() {
            return Err(Mismatch::Shape(time));
        }
    }
    check_initial(ts, &trace.steps[0])?;
    let count = trace.steps.len();
    if let Some(start) = trace.loop_start.filter(|&s| s >= count) {
        return Err(Mismatch::LoopStart(start));
    }
    let mut just = Vec::new();
    for (time, step) in trace.steps.iter().enumerate() {
        let mut at = evaluator(ts, step);
        check_all(ts, &mut at, &ts.constraints, |index| Mismatch::Constraint { index, time })?;
        let after = if time + 1 < count { Some(time + 1) } else { trace.loop_start };
        if let Some(after) = after {
            check_all(ts, &mut at, &ts.trans, |index| Mismatch::Trans { index, time })?;
            check_next(ts, &mut at, &trace.steps[after], time + 1)?;
        }
        if let (Goal::Bad(bad), true) = (goal, time + 1 == count)
            && !at.holds(&ts.terms, *bad)
        {
            return Err(Mismatch::NotBad);
        }
        if trace.loop_start.is_some_and(|start| time >= start) {
            note_just(ts, &mut at, goal, &mut just);
        }
    }
    check_just(trace, goal, &just)?;
    match goal {
        Goal::Ltl(formula) if lasso::holds_on(ts, formula, trace) != Some(false) => Err(Mismatch::Holds),
        Goal::Bad(_) | Goal::Justice(_) | Goal::Ltl(_) => Ok(()),
    }
}

fn note_just(ts: &Ts, at: &mut Evaluator, goal: &Goal, just: &mut Vec<bool>) {
    let own: &[Term] = if let Goal::Justice(own) = goal { own } else { &[] };
    just.resize(own.len() + ts.fair.len(), false);
    for (seen, &condition) in just.iter_mut().zip(own.iter().chain(&ts.fair)) {
        *seen |= at.holds(&ts.terms, condition);
    }
}

fn check_just(trace: &Trace, goal: &Goal, just: &[bool]) -> Result<(), Mismatch> {
    match goal {
        Goal::Bad(_) => Ok(()),
        Goal::Justice(_) | Goal::Ltl(_) if trace.loop_start.is_none() => Err(Mismatch::NoLoop),
        Goal::Justice(_) | Goal::Ltl(_) => match just.iter().position(|seen| !seen) {
            Some(index) => Err(Mismatch::NotJust(index)),
            None => Ok(()),
        },
    }
}

fn check_initial(ts: &Ts, first: &Step) -> Result<(), Mismatch> {
    let mut at = evaluator(ts, first);
    for (state, value) in ts.states.iter().zip(&first.states) {
        if let Some(init) = state.init
            && !same(&at.eval(&ts.terms, init), value)
        {
            return Err(Mismatch::Init(state.name.clone()));
        }
    }
    check_all(ts, &mut at, &ts.init, Mismatch::InitCondition)
}

fn check_all(
    ts: &Ts,
    at: &mut Evaluator,
    conditions: &[Term],
    wrong: impl Fn(usize) -> Mismatch,
) -> Result<(), Mismatch> {
    match conditions.iter().position(|&c| !at.holds(&ts.terms, c)) {
        Some(index) => Err(wrong(index)),
        None => Ok(()),
    }
}

fn check_next(ts: &Ts, at: &mut Evaluator, after: &Step, time: usize) -> Result<(), Mismatch> {
    for (state, value) in ts.states.iter().zip(&after.states) {
        if let Some(next) = state.next
            && !same(&at.eval(&ts.terms, next), value)
        {
            return Err(Mismatch::Next { state: state.name.clone(), time });
        }
    }
    Ok(())
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.same(b),
        (Value::Bv(_) | Value::Array(_), _) => a == b,
    }
}

fn assignment(ts: &Ts, states: &[Value], inputs: &[Value]) -> Assignment {
    let mut values = Assignment::new();
    for (state, value) in ts.states.iter().zip(states) {
        values.set(state.var, value.clone());
    }
    for (input, value) in ts.inputs.iter().zip(inputs) {
        values.set(input.var, value.clone());
    }
    values
}

/// Evaluates terms at one time of a path.
pub fn evaluator(ts: &Ts, step: &Step) -> Evaluator<'static> {
    Evaluator::owned(assignment(ts, &step.states, &step.inputs))
}

fn initial(ts: &Ts, stimulus: &Stimulus, inputs: &[Value]) -> Vec<Value> {
    let mut states = stimulus.initial.clone();
    let order = ts.init_order().expect("a validated system should have an order of initial values");
    if ts.states.iter().filter_map(|s| s.init).all(|t| ts.terms.is_const(t)) {
        let mut at = Evaluator::owned(Assignment::new());
        for (state, value) in ts.states.iter().zip(&mut states) {
            if let Some(init) = state.init {
                *value = at.eval(&ts.terms, init);
            }
        }
        return states;
    }
    for index in order {
        if let Some(init) = ts.states[index].init {
            let mut at = Evaluator::owned(assignment(ts, &states, inputs));
            states[index] = at.eval(&ts.terms, init);
        }
    }
    states
}

fn successor(ts: &Ts, step: &Step, free: Option<&Vec<Value>>) -> Vec<Value> {
    let mut at = evaluator(ts, step);
    let value = |(index, state): (usize, &crate::ts::State)| match (state.next, free) {
        (Some(next), _) => at.eval(&ts.terms, next),
        (None, Some(free)) => free[index].clone(),
        (None, None) => Value::zero(ts.terms.sort(state.var)),
    };
    ts.states.iter().enumerate().map(value).collect()
}
