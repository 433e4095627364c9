//! Counterexamples in the formats of AIGER and BTOR2, which `aigsim` and `btorsim` check.
//!
//! Both name the property by its number, then give what the model leaves open: initial states and, step by step, inputs. A lasso is given up to the step
//! before it repeats.

use crate::answer::Status;
use crate::check::Outcome;
use crate::read::Language;
use crate::trace::Trace;
use crate::ts::Ts;
use blitz_base::Bv;
use blitz_term::Value;
use std::fmt::Write;

/// The witnesses of all violated properties that the format has a name for; none if the language has no such format.
pub fn witnesses(ts: &Ts, outcome: &Outcome, language: Language) -> Option<String> {
    let print = match language {
        Language::Aiger => aiger,
        Language::Btor2 => btor2,
        Language::Smv => return None,
    };
    let mut text = String::new();
    for result in &outcome.results {
        let name = &ts.properties[result.property].name;
        let numbered = name.strip_prefix(['b', 'j']).is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        if let (Status::Violated(violation), true) = (&result.status, numbered) {
            text.push_str(&print(ts, name, violation.trace()));
        }
    }
    Some(text)
}

/// `1`, the property, the initial latches, the inputs of each step, a dot.
fn aiger(ts: &Ts, property: &str, trace: &Trace) -> String {
    let bits = |values: &[Value]| values.iter().map(|v| if v.is_true() { '1' } else { '0' }).collect::<String>();
    debug_assert_eq!(trace.steps[0].states.len(), ts.states.len());
    let mut text = format!("1\n{property}\n{}\n", bits(&trace.steps[0].states));
    for step in &trace.steps {
        let _ = writeln!(text, "{}", bits(&step.inputs));
    }
    text + ".\n"
}

/// `sat`, the property, then per time the states that the model leaves open (`#`) and the inputs (`@`), a dot.
fn btor2(ts: &Ts, property: &str, trace: &Trace) -> String {
    let mut text = format!("sat\n{property}\n");
    for (time, step) in trace.steps.iter().enumerate() {
        let mut states = String::new();
        for (index, (state, value)) in ts.states.iter().zip(&step.states).enumerate() {
            let open = if time == 0 { state.init.is_none() } else { state.next.is_none() };
            if open {
                assignment(&mut states, index, value, &format!("{}#{time}", state.name));
            }
        }
        if time == 0 || !states.is_empty() {
            let _ = write!(text, "#{time}\n{states}");
        }
        let _ = writeln!(text, "@{time}");
        for (index, (input, value)) in ts.inputs.iter().zip(&step.inputs).enumerate() {
            assignment(&mut text, index, value, &format!("{}@{time}", input.name));
        }
    }
    text + ".\n"
}

/// The cells of a stretch of this length are written one by one.
const MAX_STRETCH: u64 = 1 << 12;

/// One value, or one line per cell of an array that is not zero.
fn assignment(text: &mut String, index: usize, value: &Value, name: &str) {
    match value {
        Value::Bv(bits) => {
            let _ = writeln!(text, "{index} {} {name}", binary(bits));
        }
        Value::Array(array) => {
            for (first, last, value) in array.stretches().into_iter().filter(|(_, _, v)| !v.is_zero()) {
                // A longer stretch is a default of the solver that nobody reads: the format has no way to give it.
                let length = last.sub(&first).to_u64().unwrap_or(u64::MAX);
                if length < MAX_STRETCH {
                    let cells = (0..=length).map(|i| first.add(&Bv::from_u64(first.width(), i)));
                    for cell in cells {
                        let _ = writeln!(text, "{index} [{}] {} {name}", binary(&cell), binary(&value));
                    }
                }
            }
        }
    }
}

/// All bits, the highest first.
pub fn binary(bits: &Bv) -> String {
    (0..bits.width()).rev().map(|i| if bits.bit(i) { '1' } else { '0' }).collect()
}
