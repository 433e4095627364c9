//! Where a run left the prediction.
//!
//! A model predicts which calls each function on the chain makes, and in which order. The first one that the run made otherwise
//! shows that something before it was not as predicted: calls that were left out are to blame, the latest first.

use super::inputs::Prediction;
use super::obligation::Trail;
use blitz_base::span::Loc;
use blitz_interp::Event;
use blitz_ir::{FuncId, Inst, Program, Target};
use blitz_symex::ids::{FrameNo, OccurrenceNo};
use blitz_term::Terms;
use std::collections::HashMap;

/// An activation of the run.
struct Activation {
    func: FuncId,
    loc: Loc,
    calls: Vec<usize>,
}

/// Compares a run with what was predicted, from an activation of the outermost function on the chain on. The occurrences of the
/// predicted calls, in order, up to where the run went another way.
pub(super) fn first_turn(
    program: &Program,
    terms: &Terms,
    prediction: &Prediction,
    trail: &Trail,
    outermost: FuncId,
    trace: &[Event],
) -> Option<Vec<OccurrenceNo>> {
    let run = activations(trace);
    let comparison = Comparison {
        predicted: predicted_calls(program, terms, prediction, trail),
        funcs: trail.frames.iter().filter(|f| !program.decl(f.func).model).map(|f| (f.id, f.func)).collect(),
        made_by: prediction.frames_by_occurrence(trail),
        run: &run,
    };
    let actual = run.iter().position(|a| a.func == outermost)?;
    let frame = trail.frames.iter().find(|f| f.func == outermost && prediction.happens(f, trail))?.id;
    let mut before = Vec::new();
    comparison.agrees(frame, actual, &mut before);
    Some(before)
}

struct Comparison<'a> {
    predicted: HashMap<FrameNo, Vec<(OccurrenceNo, Loc)>>,
    /// Of activations of the user's functions; traces do not tell what goes on in models.
    funcs: HashMap<FrameNo, FuncId>,
    made_by: HashMap<OccurrenceNo, Vec<FrameNo>>,
    run: &'a [Activation],
}

impl Comparison<'_> {
    /// Whether an activation made the calls it was predicted to make, and they those that they were; as deep as calls are inlined.
    /// Notes the occurrences on the way.
    fn agrees(&self, frame: FrameNo, actual: usize, before: &mut Vec<OccurrenceNo>) -> bool {
        let calls = self.predicted.get(&frame).map_or(&[][..], |c| c);
        calls.iter().enumerate().all(|(i, &(occurrence, loc))| {
            let Some(&there) = self.run[actual].calls.get(i).filter(|&&a| self.run[a].loc == loc) else { return false };
            before.push(occurrence);
            let frames = self.made_by.get(&occurrence).map_or(&[][..], |f| f);
            let entered = frames.iter().find(|f| self.funcs.get(f) == Some(&self.run[there].func));
            entered.is_none_or(|&f| self.agrees(f, there, before))
        })
    }
}

/// The calls that each activation makes, from a trace.
fn activations(trace: &[Event]) -> Vec<Activation> {
    let mut out: Vec<Activation> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for event in trace {
        match event {
            Event::Enter { func, loc, .. } => {
                let new = out.len();
                if let Some(&caller) = open.last() {
                    out[caller].calls.push(new);
                }
                out.push(Activation { func: *func, loc: *loc, calls: Vec::new() });
                open.push(new);
            }
            Event::Leave { .. } => {
                open.pop();
            }
            _ => {}
        }
    }
    out
}

/// The calls that happen under the model, by activation, in order.
fn predicted_calls(
    program: &Program,
    terms: &Terms,
    prediction: &Prediction,
    trail: &Trail,
) -> HashMap<FrameNo, Vec<(OccurrenceNo, Loc)>> {
    let funcs: HashMap<FrameNo, FuncId> = trail.frames.iter().map(|f| (f.id, f.func)).collect();
    let mut eval = prediction.evaluator();
    let mut occurrences = trail.occurrences.clone();
    occurrences.sort_by_key(|v| v.id);
    let mut out: HashMap<FrameNo, Vec<(OccurrenceNo, Loc)>> = HashMap::new();
    for v in &occurrences {
        let Some(body) = funcs.get(&v.frame).and_then(|f| program.body(*f)) else { continue };
        let data = body.inst(v.inst);
        let runs = match &data.inst {
            Inst::Call(site) => match site.target {
                Target::Func(g) => program.body(g).is_some(),
                Target::Pointer(_) => true,
            },
            _ => false,
        };
        if runs && eval.holds(terms, v.guard) {
            out.entry(v.frame).or_default().push((v.id, data.loc));
        }
    }
    out
}
