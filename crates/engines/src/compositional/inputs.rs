//! From a model of the last condition to inputs: every port gets its value, every occurrence its key.

use super::obligation::{Step, Trail};
use crate::replay;
use blitz_base::Bv;
use blitz_interp::{InputValue, ROOT_KEY, occurrence_key};
use blitz_ir::{FuncId, InstId};
use blitz_symex::ids::{FrameNo, OccurrenceNo};
use blitz_symex::segment::FrameRecord;
use blitz_term::{Assignment, Evaluator, Term, Terms, Value};
use std::collections::HashMap;

/// A model in which every port has its value, and what it says of the run.
pub(super) struct Prediction {
    model: Assignment,
    /// The occurrence that made each frame whose caller was added later.
    callers: HashMap<FrameNo, OccurrenceNo>,
}

impl Prediction {
    pub fn new(terms: &Terms, mut model: Assignment, trail: &Trail) -> Self {
        let mut callers = HashMap::new();
        for step in trail.steps.iter().rev() {
            let found: Vec<(Term, Value)> = {
                let mut eval = Evaluator::new(&model);
                match step {
                    Step::Assumed(conditions) => conditions.iter().map(|&c| (c, Value::Bv(Bv::bool(true)))).collect(),
                    Step::Opened(pairs) => pairs.iter().map(|&(port, t)| (port, eval.eval(terms, t))).collect(),
                    Step::Called { frame, options } => {
                        let Some(taken) = options.iter().find(|o| eval.holds(terms, o.condition)) else { continue };
                        callers.insert(*frame, taken.occurrence);
                        taken.pairs.iter().map(|&(port, t)| (port, eval.eval(terms, t))).collect()
                    }
                }
            };
            for (port, value) in found {
                model.set(port, value);
            }
        }
        Self { model, callers }
    }

    pub fn evaluator(&self) -> Evaluator<'_> {
        Evaluator::new(&self.model)
    }

    /// The inputs, by where the run asks for them.
    pub fn inputs(&self, terms: &Terms, trail: &Trail, entry: FuncId) -> HashMap<u64, InputValue> {
        let mut eval = self.evaluator();
        let keys = occurrence_keys(terms, &mut eval, trail, &self.callers, entry);
        let mut values = HashMap::new();
        for input in &trail.inputs {
            if !eval.holds(terms, input.guard) {
                continue;
            }
            let Some(&key) = keys.get(&input.occurrence) else { continue };
            values.insert(key, replay::input_value(terms, &mut eval, &input.kind));
        }
        values
    }

    fn caller(&self, frame: &FrameRecord) -> Option<OccurrenceNo> {
        self.callers.get(&frame.id).copied().or(frame.parent)
    }

    /// Whether an activation is one of the run's: it has a caller, or is its first.
    pub fn happens(&self, frame: &FrameRecord, trail: &Trail) -> bool {
        self.caller(frame).is_some() || trail.frames.iter().all(|f| f.func != frame.func || self.caller(f).is_none())
    }

    /// The activations that each occurrence of a call makes.
    pub fn frames_by_occurrence(&self, trail: &Trail) -> HashMap<OccurrenceNo, Vec<FrameNo>> {
        let mut out: HashMap<OccurrenceNo, Vec<FrameNo>> = HashMap::new();
        for frame in &trail.frames {
            if let Some(occurrence) = self.caller(frame) {
                out.entry(occurrence).or_default().push(frame.id);
            }
        }
        out
    }
}

/// The key of every occurrence that happens under the model.
fn occurrence_keys(
    terms: &Terms,
    eval: &mut Evaluator<'_>,
    trail: &Trail,
    callers: &HashMap<FrameNo, OccurrenceNo>,
    entry: FuncId,
) -> HashMap<OccurrenceNo, u64> {
    let funcs: HashMap<FrameNo, FuncId> = trail.frames.iter().map(|f| (f.id, f.func)).collect();
    let mut parents: HashMap<FrameNo, Option<OccurrenceNo>> = trail.frames.iter().map(|f| (f.id, f.parent)).collect();
    parents.extend(callers.iter().map(|(f, v)| (*f, Some(*v))));
    let mut counts: HashMap<(FrameNo, InstId), u32> = HashMap::new();
    let mut occurrences: Vec<_> = trail.occurrences.clone();
    occurrences.sort_by_key(|v| v.id);
    let mut place: HashMap<OccurrenceNo, (FrameNo, InstId, u32)> = HashMap::new();
    for v in &occurrences {
        if eval.holds(terms, v.guard) {
            let count = counts.entry((v.frame, v.inst)).or_insert(0);
            place.insert(v.id, (v.frame, v.inst, *count));
            *count += 1;
        }
    }
    let mut keys = HashMap::new();
    for v in &occurrences {
        if let Some(key) = key_of(v.id, &place, &parents, &funcs, entry) {
            keys.insert(v.id, key);
        }
    }
    keys
}

fn key_of(
    occurrence: OccurrenceNo,
    place: &HashMap<OccurrenceNo, (FrameNo, InstId, u32)>,
    parents: &HashMap<FrameNo, Option<OccurrenceNo>>,
    funcs: &HashMap<FrameNo, FuncId>,
    entry: FuncId,
) -> Option<u64> {
    let mut chain = Vec::new();
    let mut at = occurrence;
    loop {
        let &(frame, inst, count) = place.get(&at)?;
        let func = *funcs.get(&frame)?;
        chain.push((func, inst, count));
        match parents.get(&frame)? {
            Some(parent) => at = *parent,
            None if func == entry => break,
            None => return None,
        }
    }
    Some(chain.iter().rev().fold(ROOT_KEY, |key, &(f, i, n)| occurrence_key(key, f, i, n)))
}
