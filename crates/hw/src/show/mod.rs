//! Traces for people: signals with names and formats, as SMV-style text and as a drawn waveform.
//!
//! Why apart from `trace`: what a person wants to see (definitions, names of an enumeration) is more and less than what a counterexample is made of.
//! Absent: printing; everything here gives strings.

pub mod html;
mod text;

pub use text::text;

use crate::trace::{Step, Trace};
use crate::ts::Ts;
use blitz_base::Bv;
use blitz_term::{ArrayValue, Assignment, Evaluator, Term, Value};

/// Of a memory only so many stretches of equal cells are shown.
const MAX_STRETCHES: usize = 8;

/// How the bits of a signal are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// TRUE or FALSE.
    Truth,
    /// A bit as 0 or 1, a word as an unsigned number.
    Unsigned,
    Signed,
    /// As SMV writes words: `0ud8_17`.
    Word {
        signed: bool,
    },
    /// The n-th of these.
    Names(Vec<String>),
}

/// Something a trace shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    pub name: String,
    /// Over states and inputs of the system.
    pub term: Term,
    pub format: Format,
}

/// The values of signals along a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// One per signal.
    pub rows: Vec<Row>,
    pub length: usize,
    pub loop_start: Option<usize>,
}

/// A signal's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    /// One per step.
    pub values: Vec<String>,
    /// Of a signal of one bit that is no name: high or low at each step.
    pub levels: Option<Vec<bool>>,
    pub kind: RowKind,
}

/// Where a signal comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    State,
    Input,
    Derived,
}

/// What a trace of a system shows: what the model says, or every state and input as plain numbers.
pub fn signals_of(ts: &Ts) -> Vec<Signal> {
    if !ts.signals.is_empty() {
        return ts.signals.clone();
    }
    let states = ts.states.iter().map(|s| (&s.name, s.var));
    let inputs = ts.inputs.iter().map(|i| (&i.name, i.var));
    let signal = |(name, term): (&String, Term)| Signal { name: name.clone(), term, format: Format::Unsigned };
    states.chain(inputs).map(signal).collect()
}

/// What signals are worth along a trace.
pub fn table(ts: &Ts, signals: &[Signal], trace: &Trace) -> Table {
    let kind = |term: Term| {
        if ts.states.iter().any(|s| s.var == term) {
            RowKind::State
        } else if ts.inputs.iter().any(|i| i.var == term) {
            RowKind::Input
        } else {
            RowKind::Derived
        }
    };
    let mut rows: Vec<Row> = signals
        .iter()
        .map(|s| Row { name: s.name.clone(), values: Vec::new(), levels: None, kind: kind(s.term) })
        .collect();
    for step in &trace.steps {
        for ((signal, row), value) in signals.iter().zip(&mut rows).zip(values(ts, signals, step)) {
            if let (Some(bits), false) = (bit(&value), matches!(signal.format, Format::Names(_))) {
                row.levels.get_or_insert_default().push(bits.is_one());
            }
            row.values.push(shown(&signal.format, &value));
        }
    }
    Table { rows, length: trace.steps.len(), loop_start: trace.loop_start }
}

/// What signals are worth at one time.
pub fn values(ts: &Ts, signals: &[Signal], step: &Step) -> Vec<Value> {
    let mut evaluator = Evaluator::owned(assignment(ts, step));
    signals.iter().map(|s| evaluator.eval(&ts.terms, s.term)).collect()
}

/// The value, if it is a single bit.
fn bit(value: &Value) -> Option<&Bv> {
    match value {
        Value::Bv(bits) if bits.width() == 1 => Some(bits),
        Value::Bv(_) | Value::Array(_) => None,
    }
}

fn assignment(ts: &Ts, step: &Step) -> Assignment {
    let mut assignment = Assignment::new();
    for (state, value) in ts.states.iter().zip(&step.states) {
        assignment.set(state.var, value.clone());
    }
    for (input, value) in ts.inputs.iter().zip(&step.inputs) {
        assignment.set(input.var, value.clone());
    }
    assignment
}

fn shown(format: &Format, value: &Value) -> String {
    match value {
        Value::Bv(bits) => shown_bits(format, bits),
        Value::Array(array) => memory(array),
    }
}

/// The cells of a memory.
pub fn memory(array: &ArrayValue) -> String {
    let stretches = longest_stretches(array);
    let cells: Vec<String> = stretches.iter().take(MAX_STRETCHES).map(stretch).collect();
    let more = if stretches.len() > MAX_STRETCHES { ", ..." } else { "" };
    format!("[{}{more}]", cells.join(", "))
}

/// The stretches of equal cells, each as long as it can be: how a memory came about does not show.
fn longest_stretches(array: &ArrayValue) -> Vec<(Bv, Bv, Bv)> {
    let mut out: Vec<(Bv, Bv, Bv)> = Vec::new();
    for (first, last, value) in array.stretches() {
        match out.last_mut() {
            Some((_, end, same)) if *same == value => *end = last,
            _ => out.push((first, last, value)),
        }
    }
    out
}

fn stretch((first, last, value): &(Bv, Bv, Bv)) -> String {
    let (first, last, value) = (first.to_decimal(), last.to_decimal(), value.to_decimal());
    if first == last { format!("{first}: {value}") } else { format!("{first}..{last}: {value}") }
}

fn shown_bits(format: &Format, bits: &Bv) -> String {
    match format {
        Format::Truth => if bits.is_one() { "TRUE" } else { "FALSE" }.to_owned(),
        Format::Unsigned => bits.to_decimal(),
        Format::Signed => match bits.sign() {
            false => bits.to_decimal(),
            true => format!("-{}", bits.neg().to_decimal()),
        },
        Format::Word { signed } => {
            let width = bits.width();
            match (signed, bits.sign()) {
                (false, _) => format!("0ud{width}_{}", bits.to_decimal()),
                (true, false) => format!("0sd{width}_{}", bits.to_decimal()),
                (true, true) => format!("-0sd{width}_{}", bits.neg().to_decimal()),
            }
        }
        Format::Names(names) => {
            let index = bits.to_u64().and_then(|i| usize::try_from(i).ok());
            index.and_then(|i| names.get(i)).cloned().unwrap_or_else(|| bits.to_decimal())
        }
    }
}
