//! Answers as text for people: a line per property, and a trace step by step with what changes.

use crate::answer::{Proof, Status};
use crate::check::{Outcome, PropertyResult};
use crate::show;
use crate::trace::Trace;
use crate::ts::{Goal, Ts};
use blitz_term::Value;
use std::fmt::Write;

/// The whole answer; with the verdict in the last line.
pub fn outcome(ts: &Ts, outcome: &Outcome) -> String {
    let mut text = String::new();
    for result in &outcome.results {
        text.push_str(&property(ts, result));
        if let Status::Violated(violation) = &result.status {
            text.push_str(&trace(ts, violation.trace()));
        }
    }
    let _ = writeln!(text, "{}", outcome.verdict.name());
    text
}

/// One property in a line.
fn property(ts: &Ts, result: &PropertyResult) -> String {
    format!("{}: {}\n", title(ts, result), status(ts, result))
}

/// A property's name and text.
pub fn title(ts: &Ts, result: &PropertyResult) -> String {
    let property = &ts.properties[result.property];
    let text = property.text.as_ref().map(|t| format!(" ({t})")).unwrap_or_default();
    format!("{}{text}", property.name)
}

/// What was found out about a property.
pub fn status(ts: &Ts, result: &PropertyResult) -> String {
    let property = &ts.properties[result.property];
    let engine = result.engine.name();
    match &result.status {
        Status::Violated(violation) => {
            let last = violation.trace().bound();
            match property.goal {
                Goal::Bad(_) => format!("violated after {}, found by {engine} and replayed", steps_text(last)),
                // With the step that goes back.
                Goal::Justice(_) | Goal::Ltl(_) => {
                    format!("violated by a lasso of {}, found by {engine} and replayed", steps_text(last + 1))
                }
            }
        }
        Status::Proved(proof) => format!("proved {proof}{}", by(proof, engine)),
        Status::HoldsUpTo(k) => format!("holds on all paths of up to {}", steps_text(*k)),
        Status::Unknown { reason, holds_up_to: None } => format!("unknown: {reason}"),
        Status::Unknown { reason, holds_up_to: Some(k) } => {
            format!("unknown: {reason}; no counterexample of up to {}", steps_text(*k))
        }
    }
}

fn by(proof: &Proof, engine: &str) -> String {
    match proof {
        Proof::Induction { .. } => String::new(),
        Proof::Invariant(_) => format!(", found by {engine} and checked"),
    }
}

fn steps_text(steps: usize) -> String {
    if steps == 1 { "1 step".to_owned() } else { format!("{steps} steps") }
}

/// A trace as SMV shows it: all values first, then what changes.
pub fn trace(ts: &Ts, trace: &Trace) -> String {
    show::text(&show::table(ts, &show::signals_of(ts), trace))
}

/// A value: a number, or the cells of an array.
pub fn value_text(value: &Value) -> String {
    match value {
        Value::Bv(bits) => bits.to_decimal(),
        Value::Array(array) => show::memory(array),
    }
}
