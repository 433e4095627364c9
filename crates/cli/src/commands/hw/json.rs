//! The answer as JSON: docs/hardware.md describes it.

use blitz_base::Budget;
use blitz_hw::text::value_text;
use blitz_hw::{Goal, Outcome, PropertyResult, Status, Step, Trace, Ts};
use serde_json::{Value, json};

/// The whole answer.
pub fn outcome(ts: &Ts, outcome: &Outcome, budget: &Budget) -> String {
    let properties: Vec<Value> = outcome.results.iter().map(|r| property(ts, r)).collect();
    let seconds = budget.elapsed().as_secs_f64();
    let all = json!({
        "verdict": outcome.verdict.name(),
        "properties": properties,
        "stats": {"seconds": (seconds * 1000.0).round() / 1000.0},
    });
    serde_json::to_string_pretty(&all).expect("JSON of our own should print")
}

fn property(ts: &Ts, result: &PropertyResult) -> Value {
    let property = &ts.properties[result.property];
    let kind = match property.goal {
        Goal::Bad(_) => "safety",
        Goal::Justice(_) => "liveness",
        Goal::Ltl(_) => "ltl",
    };
    let stats = &result.stats;
    let mut object = json!({
        "id": property.name,
        "text": property.text,
        "kind": kind,
        "status": result.status.name(),
        "engine": result.engine.name(),
        "stats": {
            "latches": stats.latches, "gates": stats.gates, "vars": stats.vars, "clauses": stats.clauses, "conflicts": stats.conflicts,
        },
    });
    match &result.status {
        Status::Violated(violation) => {
            object["bound"] = json!(violation.trace().bound());
            object["trace"] = trace(ts, violation.trace());
        }
        Status::Proved(proof) => object["reason"] = json!(proof.to_string()),
        Status::HoldsUpTo(k) => object["bound"] = json!(k),
        Status::Unknown { reason, holds_up_to } => {
            object["bound"] = json!(holds_up_to);
            object["reason"] = json!(reason.to_string());
        }
    }
    object
}

fn trace(ts: &Ts, trace: &Trace) -> Value {
    let steps: Vec<Value> = trace.steps.iter().map(|s| step(ts, s)).collect();
    json!({"loop_start": trace.loop_start, "steps": steps})
}

fn step(ts: &Ts, step: &Step) -> Value {
    let states = ts.states.iter().map(|s| &s.name).zip(&step.states);
    let inputs = ts.inputs.iter().map(|i| &i.name).zip(&step.inputs);
    let object = |values: Vec<(&String, &blitz_hw::TermValue)>| -> Value {
        values.into_iter().map(|(name, value)| (name.clone(), json!(value_text(value)))).collect()
    };
    json!({"states": object(states.collect()), "inputs": object(inputs.collect())})
}
