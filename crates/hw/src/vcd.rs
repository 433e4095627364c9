//! Counterexamples as value change dumps (IEEE 1364), for waveform viewers: the signals that the text shows.
//! Arrays are left out.

use crate::show::{signals_of, values};
use crate::trace::Trace;
use crate::ts::Ts;
use crate::witness::binary;
use blitz_base::Bv;
use blitz_term::Value;
use std::fmt::Write;

/// The dump of a trace; a lasso once around.
pub fn dump(ts: &Ts, trace: &Trace) -> String {
    let mut signals = signals_of(ts);
    signals.retain(|s| !ts.terms.is_array(s.term));
    let mut text = "$timescale 1 ns $end\n$scope module model $end\n".to_owned();
    for (index, signal) in signals.iter().enumerate() {
        let name: String = signal.name.chars().map(|c| if c.is_whitespace() { '_' } else { c }).collect();
        let _ = writeln!(text, "$var wire {} {} {name} $end", ts.terms.width(signal.term), identifier(index));
    }
    text.push_str("$upscope $end\n$enddefinitions $end\n");
    let mut last: Vec<Value> = Vec::new();
    for (time, step) in trace.steps.iter().enumerate() {
        let _ = writeln!(text, "#{time}");
        let now = values(ts, &signals, step);
        for (index, value) in now.iter().enumerate() {
            if let (Value::Bv(bits), true) = (value, last.get(index) != Some(value)) {
                text.push_str(&change(bits, index));
            }
        }
        last = now;
    }
    let _ = writeln!(text, "#{}", trace.steps.len());
    text
}

fn change(bits: &Bv, index: usize) -> String {
    let space = if bits.width() == 1 { "" } else { " " };
    let mark = if bits.width() == 1 { "" } else { "b" };
    format!("{mark}{}{space}{}\n", binary(bits), identifier(index))
}

/// A short name of printable characters.
fn identifier(index: usize) -> String {
    const FIRST: u8 = b'!';
    const COUNT: usize = 94;
    let mut rest = index;
    let mut name = String::new();
    loop {
        name.push(char::from(FIRST + (rest % COUNT) as u8));
        rest /= COUNT;
        if rest == 0 {
            return name;
        }
        rest -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn identifiers_differ() {
        let all: std::collections::HashSet<String> = (0..20_000).map(identifier).collect();
        assert_eq!(all.len(), 20_000);
    }
}
