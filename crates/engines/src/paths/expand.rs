//! The children of a run: SAGE's ExpandExecution (Godefroid, Levin and Molnar, NDSS 2008, Figure 4).
//!
//! For each decision from a bound on, the decisions before it are kept and another way is taken there. `Combine` is what the query layer does
//! anyway: variables outside the slice of the question keep the values of the run, so of the input only the bytes that matter change.

use super::follow::Followed;
use super::query::{Answer, Condition, Model, Queries};
use crate::replay;
use crate::tuning::{EXPAND_LONGER_BYTES, EXPAND_MAX_BYTES};
use blitz_base::Budget;
use blitz_interp::InputValue;
use blitz_ir::PropertyId;
use blitz_symex::follow::Decision;
use blitz_symex::{Input, InputKind};
use blitz_term::{Evaluator, Term, Terms};
use std::collections::HashSet;
use std::rc::Rc;

/// Inputs that leave a run at one of its decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// In the order in which a run takes them.
    pub inputs: Vec<InputValue>,
    /// The decision at which it parts from its parent, by number; expanding it goes on after that.
    pub bound: usize,
    /// The decision as the child is expected to take it.
    pub decision: Decision,
}

/// What expanding a run came to.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    pub children: Vec<Child>,
    /// Ways that no inputs take, and ways the solver gave up on.
    pub infeasible: usize,
    pub undecided: usize,
    /// Ways that no inputs take after the decisions before, but that some inputs would take by themselves: the run decides.
    pub optimistic: Vec<Child>,
    /// The decision at which it stopped, if there are more.
    pub next: Option<usize>,
}

/// How far an expansion goes.
#[derive(Clone, Copy, Debug)]
pub struct ExpandLimits {
    /// Decisions that are negated at most.
    pub most: usize,
    /// Whether ways that are infeasible are tried without the decisions before (optimistic solving: Yun et al., QSYM, 2018).
    pub optimistic: bool,
}

impl ExpandLimits {
    pub const NONE: ExpandLimits = ExpandLimits { most: usize::MAX, optimistic: false };
}

pub(super) fn expand(
    terms: &mut Terms,
    queries: &mut Queries,
    run: &Followed,
    from: usize,
    limits: ExpandLimits,
    budget: &Budget,
) -> Expansion {
    let mut out = Expansion::default();
    let base = Rc::new(run.assignment.clone());
    let mut condition = Condition::default();
    let conjuncts = run.path.guard.since(0);
    let mut grown = 0;
    for (number, decision) in run.path.decisions.iter().enumerate().skip(from) {
        if number >= from.saturating_add(limits.most) {
            out.next = Some(number);
            break;
        }
        if budget.expired().is_some() {
            break;
        }
        while grown < (decision.depth as usize).min(conjuncts.len()) {
            condition.push(terms, queries, conjuncts[grown]);
            grown += 1;
        }
        for (taken, &way) in run.ways[number].iter().enumerate() {
            if taken == decision.taken || terms.is_false(way) {
                continue;
            }
            let decision = Decision { taken, condition: way, ..*decision };
            let made = |inputs| Child { inputs, bound: number, decision };
            match ask(terms, queries, run, (&condition, &base), way, budget) {
                Answer::Sat(model) => out.children.extend(inputs_of(terms, run, &model).map(made)),
                Answer::Unsat => {
                    out.infeasible += 1;
                    if limits.optimistic {
                        let alone = (&Condition::default(), &base);
                        if let Answer::Sat(model) = ask(terms, queries, run, alone, way, budget) {
                            out.optimistic.extend(inputs_of(terms, run, &model).map(made));
                        }
                    }
                }
                Answer::Unknown(_) => out.undecided += 1,
            }
        }
    }
    out
}

/// Asks for a way, and once more with short texts if the model has long ones.
fn ask(
    terms: &mut Terms,
    queries: &mut Queries,
    run: &Followed,
    (condition, base): (&Condition, &Model),
    way: Term,
    budget: &Budget,
) -> Answer {
    let answer = queries.extends(terms, condition, base, &[way], budget);
    let Answer::Sat(model) = &answer else { return answer };
    let (before, after) = (lengths(terms, run, base), lengths(terms, run, model));
    if before.iter().zip(&after).all(|((_, old), (_, new))| *new <= old.saturating_add(EXPAND_LONGER_BYTES)) {
        return answer;
    }
    let mut extra = vec![way];
    for (len, old) in before {
        let most = terms.bv(terms.width(len), old.saturating_add(EXPAND_LONGER_BYTES));
        extra.push(terms.ule(len, most));
    }
    match queries.extends(terms, condition, base, &extra, budget) {
        Answer::Sat(short) => Answer::Sat(short),
        Answer::Unsat | Answer::Unknown(_) => answer,
    }
}

/// The lengths of the run's texts that are not constant, under a model.
fn lengths(terms: &Terms, run: &Followed, model: &Model) -> Vec<(Term, u64)> {
    let mut eval = Evaluator::new(model);
    let len = |input: &Input| match input.kind {
        InputKind::Bytes { len, .. } if !terms.is_const(len) => {
            Some((len, eval.eval(terms, len).bv().to_u64().unwrap_or(u64::MAX)))
        }
        InputKind::Bytes { .. } | InputKind::Value { .. } | InputKind::AllocFails { .. } => None,
    };
    run.path.execution.inputs.iter().filter_map(len).collect()
}

/// The inputs of a model, unless a text is too long for a test.
fn inputs_of(terms: &Terms, run: &Followed, model: &Model) -> Option<Vec<InputValue>> {
    if lengths(terms, run, model).iter().any(|(_, len)| *len > EXPAND_MAX_BYTES) {
        return None;
    }
    let mut eval = Evaluator::new(model);
    let inputs = run.path.execution.inputs.iter();
    Some(inputs.map(|i| replay::input_value(terms, &mut eval, &i.kind)).collect())
}

/// Inputs on which a check of the run's own path fails, one for each property: the same decisions up to there, and then the violation. `asked`
/// holds what was asked before, and is added to.
pub(super) fn violate(
    terms: &mut Terms,
    queries: &mut Queries,
    run: &Followed,
    asked: &mut HashSet<Term>,
    budget: &Budget,
) -> Vec<(PropertyId, Vec<InputValue>)> {
    let base = Rc::new(run.assignment.clone());
    let mut found: Vec<(PropertyId, Vec<InputValue>)> = Vec::new();
    for claim in &run.path.execution.claims {
        let known = found.iter().any(|(p, _)| *p == claim.property);
        if known || terms.is_false(claim.violated) || budget.expired().is_some() || !asked.insert(claim.violated) {
            continue;
        }
        let alone = (&Condition::default(), &base);
        if let Answer::Sat(model) = ask(terms, queries, run, alone, claim.violated, budget) {
            found.extend(inputs_of(terms, run, &model).map(|inputs| (claim.property, inputs)));
        }
    }
    found
}
