//! Where a run left the prediction.
//!
//! A model predicts which calls each function on the chain makes, and in which order. The first one that the run made otherwise
//! shows that something before it was not as predicted: calls that were left out are to blame, the latest first.

use super::inputs::Prediction;
use super::obligation::Trail;
use blitz_base::span::Loc;
use blitz_interp::Event;
use blitz_ir::{FuncId, Inst, Program, Target};
use blitz_term::Terms;
use std::collections::HashMap;

/// An activation of the run.
struct Activation {
    func: FuncId,
    loc: Loc,
    calls: Vec<usize>,
}

/// Compares a run with what was predicted of the functions on the chain (from the check's to the outermost). The visits of the
/// predicted calls of one activation, up to where the run went another way.
pub(super) fn first_turn(
    program: &Program,
    terms: &Terms,
    prediction: &Prediction,
    trail: &Trail,
    chain: &[FuncId],
    trace: &[Event],
) -> Option<Vec<u32>> {
    let run = activations(trace);
    let predicted = predicted_calls(program, terms, prediction, trail);
    let funcs: HashMap<u32, FuncId> = trail.frames.iter().map(|f| (f.id, f.func)).collect();
    let made_by = prediction.frames_by_visit(trail);
    let outermost = *chain.last()?;
    let mut actual = run.iter().position(|a| a.func == outermost)?;
    let mut frame = trail.frames.iter().find(|f| f.func == outermost && prediction.happens(f, trail))?.id;
    let mut below = chain.iter().rev().skip(1);
    loop {
        let next = below.next();
        let calls = predicted.get(&frame).map_or(&[][..], |c| c);
        let mut inner = None;
        for (i, &(visit, loc)) in calls.iter().enumerate() {
            let Some(&there) = run[actual].calls.get(i).filter(|&&a| run[a].loc == loc) else {
                return Some(calls[..i].iter().map(|(visit, _)| *visit).collect());
            };
            let frames = made_by.get(&visit).map_or(&[][..], |f| f);
            if let Some(&f) = frames.iter().find(|f| next.is_some_and(|n| funcs.get(f) == Some(n))) {
                inner = Some((there, f));
            }
        }
        match inner {
            Some((there, f)) => (actual, frame) = (there, f),
            None => return Some(calls.iter().map(|(visit, _)| *visit).collect()),
        }
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
) -> HashMap<u32, Vec<(u32, Loc)>> {
    let funcs: HashMap<u32, FuncId> = trail.frames.iter().map(|f| (f.id, f.func)).collect();
    let mut eval = prediction.evaluator();
    let mut visits = trail.visits.clone();
    visits.sort_by_key(|v| v.id);
    let mut out: HashMap<u32, Vec<(u32, Loc)>> = HashMap::new();
    for v in &visits {
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
