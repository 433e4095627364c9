//! A test followed symbolically: the interpreter runs it, symbolic execution goes the same way, and every later decision is negated.
//!
//! The bytes of a test are inputs of the models (`stdin`, `file`, `argv[1]`), and the interpreter says which bytes each input is (`Observed::taken`). So a model of a
//! negated condition is bytes again. Where it asks for another length (`stdin count`, `file size`), the test grows or shrinks.
//!
//! What is predicted of a child is remembered: when it is followed itself, its first decisions have to be the parent's and the negated one. Else it has
//! *diverged*: a guess of a model, or a defect of ours. Both are counted, and named in the report.

use crate::carrier::{Carrier, arguments};
use crate::expand::{Expander, Expansion, Tally, observed};
use crate::interpret::Interpreter;
use crate::sage::{Change, Child, combine};
use crate::store::{Origin, digest};
use blitz_base::Budget;
use blitz_engines::paths::{Child as Negated, ExpandLimits, Followed, PathSession};
use blitz_engines::{CheckConfig, Refused};
use blitz_interp::{InputValue, RunResult, Source, Taken};
use blitz_ir::Channel;
use blitz_ir::channel::StreamPart;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Decisions that are negated before the test goes back to the queue and another has its turn.
const DECISIONS_AT_ONCE: usize = 256;
/// Conflicts of the solver for one question: most are decided in a few hundred, and there are many.
const CONFLICTS: u32 = 20_000;
/// Steps of symbolic execution for one test.
const STEPS: u64 = 1 << 18;
/// What a longer input is filled with.
const FILLER: u8 = b'A';

/// Follows tests of one program.
pub struct Concolic<'p> {
    interpreter: Interpreter<'p>,
    session: PathSession<'p>,
    /// By the child's bytes: how many decisions are known, and a number for them.
    predicted: HashMap<u64, (usize, u64)>,
}

impl<'p> Concolic<'p> {
    pub fn new(interpreter: Interpreter<'p>) -> Result<Self, Refused> {
        let config = CheckConfig {
            checks: interpreter.way().checks,
            alloc_may_fail: false,
            max_steps: Some(STEPS),
            ..CheckConfig::default()
        };
        let session = PathSession::new(interpreter.program(), &config)?;
        Ok(Self { interpreter, session, predicted: HashMap::new() })
    }

    /// Whether the decisions are those that the parent's expansion predicted.
    fn check_prediction(&mut self, bytes: &[u8], followed: &Followed, out: &mut Expansion) {
        let Some((count, number)) = self.predicted.remove(&digest(bytes)) else { return };
        let seen = followed.decisions().get(..count).map(|d| number_of(d.iter().map(|d| (d.place, d.taken))));
        // What a limit cut short says nothing.
        if seen == Some(number) || (seen.is_none() && followed.is_cut_short()) {
            return;
        }
        let program = self.interpreter.program();
        let last = followed.decisions().get(count - 1).or(followed.decisions().last());
        let place = last.filter(|d| d.loc.is_known()).map_or_else(
            || "before the first decision".to_owned(),
            |d| format!("near {}:{}", program.file(d.loc.file), d.loc.line),
        );
        let why = if followed.guesses > 0 { "a library model guesses" } else { "no reason known" };
        out.surprises.push(("a test left the path that was predicted for it".to_owned(), format!("{place} ({why})")));
    }

    fn remember(&mut self, bytes: &[u8], followed: &Followed, child: &Negated) {
        let before = followed.decisions()[..child.bound].iter().map(|d| (d.place, d.taken));
        let all = before.chain([(child.decision.place, child.decision.taken)]);
        self.predicted.insert(digest(bytes), (child.bound + 1, number_of(all)));
    }
}

fn number_of<T: Hash>(decisions: impl Iterator<Item = T>) -> u64 {
    let mut hasher = DefaultHasher::new();
    decisions.for_each(|d| d.hash(&mut hasher));
    hasher.finish()
}

impl Expander for Concolic<'_> {
    fn expand(&mut self, bytes: &[u8], bound: u32, budget: &Budget) -> Expansion {
        let run = self.interpreter.run(bytes, budget);
        let mut out = observed(self.interpreter.program(), &run);
        let values: Vec<InputValue> = run.inputs_used.iter().map(|u| u.value.clone()).collect();
        let followed = self.session.follow(&values, budget);
        self.check_prediction(bytes, &followed, &mut out);
        let limits = ExpandLimits { most: DECISIONS_AT_ONCE, optimistic: true };
        let effort = budget.with_effort(CONFLICTS);
        let negated = self.session.expand_within(&followed, bound as usize, limits, &effort);
        let violating = self.session.violate(&followed, &effort);
        let map = Map {
            carrier: &self.interpreter.way().carrier,
            fixed: self.interpreter.way().args.len(),
            bytes,
            run: &run,
        };
        let mut made = Vec::new();
        for (child, optimistic) in
            negated.children.iter().map(|c| (c, false)).chain(negated.optimistic.iter().map(|c| (c, true)))
        {
            let Some((child_bytes, resized)) = map.bytes_of(&child.inputs) else { continue };
            let origin = match (optimistic, resized) {
                (true, _) => Origin::Optimistic,
                (false, true) => Origin::Lengthened,
                (false, false) => Origin::Negated,
            };
            // Without the decisions before it, nothing is known of where it leads.
            let bound = if optimistic { 0 } else { child.bound as u32 + 1 };
            made.push((child, Child { bytes: child_bytes, bound, origin }));
        }
        let end = followed.decisions().len() as u32;
        let checks = violating.iter().filter_map(|(_, inputs)| map.bytes_of(inputs));
        let checks: Vec<Child> =
            checks.map(|(bytes, _)| Child { bytes, bound: end, origin: Origin::Checked }).collect();
        for (child, made) in &made {
            if made.origin == Origin::Negated {
                self.remember(&made.bytes, &followed, child);
            }
        }
        out.children = checks.into_iter().chain(made.into_iter().map(|(_, child)| child)).collect();
        out.resume = negated.next.map(|n| n as u32);
        let solved = negated.children.len() as u64;
        out.tally = Tally {
            followed: true,
            decisions: followed.decisions().len() as u64,
            queries: solved + (negated.infeasible + negated.undecided) as u64,
            solved,
            refuted: negated.infeasible as u64,
            undecided: negated.undecided as u64,
        };
        out
    }
}

/// From inputs of the models back to the bytes of a test.
struct Map<'a> {
    carrier: &'a Carrier,
    /// Arguments that are not the test's.
    fixed: usize,
    bytes: &'a [u8],
    run: &'a RunResult,
}

impl Map<'_> {
    /// The test that gives these inputs, and whether its length is another; nothing, if it would be the same.
    fn bytes_of(&self, inputs: &[InputValue]) -> Option<(Vec<u8>, bool)> {
        let mut change = Change::default();
        let mut splices: Vec<(usize, usize, Vec<u8>)> = Vec::new();
        for taken in &self.run.observed.taken {
            let (Some(old), Some(new)) = (self.run.inputs_used.get(taken.input), inputs.get(taken.input)) else {
                continue;
            };
            let Some(at) = self.place(taken) else { continue };
            if let Some(text) = text(old.name.channel(), &old.value, new, taken.len) {
                if text.len() == taken.len {
                    change.bytes.extend((at..).zip(text));
                } else {
                    splices.push((at, taken.len, text));
                }
            }
        }
        let mut bytes = combine(self.bytes, &change);
        let mut resized = !splices.is_empty();
        for (at, len, text) in splices.into_iter().rev() {
            bytes.splice(at..(at + len).min(bytes.len()), text);
        }
        resized |= self.ends(inputs, &mut bytes) | self.argument_count(inputs, &mut bytes);
        if self.carrier.forbids_nul() {
            bytes.iter_mut().filter(|b| **b == 0).for_each(|b| *b = FILLER);
        }
        (bytes != self.bytes).then_some((bytes, resized))
    }

    /// Where in the test a part of the script is.
    fn place(&self, taken: &Taken) -> Option<usize> {
        match taken.source {
            Source::Stdin | Source::File | Source::Variable | Source::Values => Some(taken.at),
            Source::Argument(number) => {
                let own = number.checked_sub(self.fixed)?;
                arguments(self.bytes).get(own).map(|(at, _)| at + taken.at)
            }
        }
    }

    /// One byte more where the input ended and is to go on, nothing more where it is to end.
    fn ends(&self, inputs: &[InputValue], bytes: &mut Vec<u8>) -> bool {
        for (i, (old, new)) in self.run.inputs_used.iter().zip(inputs).enumerate() {
            if !old.name.channel().is_end() || truth(&old.value) == truth(new) {
                continue;
            }
            if truth(new) {
                let read = self.run.observed.taken.iter().filter(|t| t.input < i && t.source == Source::Stdin);
                bytes.truncate(read.map(|t| t.at + t.len).max().unwrap_or(0));
            } else {
                bytes.push(FILLER);
            }
            return true;
        }
        false
    }

    /// More arguments, or fewer.
    fn argument_count(&self, inputs: &[InputValue], bytes: &mut Vec<u8>) -> bool {
        let argc = self.run.inputs_used.iter().position(|u| u.name.channel() == Channel::ArgumentCount);
        let Some(at) = argc.filter(|_| *self.carrier == Carrier::Argv) else { return false };
        let (Some(old), Some(new)) = (number(&self.run.inputs_used[at].value), inputs.get(at).and_then(number)) else {
            return false;
        };
        if new > old {
            for _ in old..new.min(old + 8) {
                if !bytes.is_empty() && bytes.last() != Some(&0) {
                    bytes.push(0);
                }
                bytes.extend([FILLER, 0]);
            }
        } else if new < old {
            let kept = (new as usize).saturating_sub(1 + self.fixed);
            let end = arguments(bytes).get(kept).map_or(bytes.len(), |(at, _)| *at);
            bytes.truncate(end);
        }
        new != old
    }
}

/// The text of an input that has changed.
fn text(channel: Channel, old: &InputValue, new: &InputValue, len: usize) -> Option<Vec<u8>> {
    if old == new {
        return None;
    }
    match new {
        InputValue::Value(v) if channel == Channel::Stdin(StreamPart::Number) => {
            let same = number(old) == number(new);
            v.to_i128().filter(|_| !same).map(|n| n.to_string().into_bytes())
        }
        InputValue::Bytes(_) | InputValue::Value(_) | InputValue::Bool(_) => {
            let mut bytes = blitz_kit::input_bytes(new);
            if !matches!(new, InputValue::Bytes(_)) {
                bytes.resize(len, 0);
            }
            let before = blitz_kit::input_bytes(old);
            (bytes[..] != before[..before.len().min(len)]).then_some(bytes)
        }
    }
}

fn truth(value: &InputValue) -> bool {
    match value {
        InputValue::Bool(yes) => *yes,
        InputValue::Value(v) => !v.is_zero(),
        InputValue::Bytes(bytes) => bytes.iter().any(|b| *b != 0),
    }
}

fn number(value: &InputValue) -> Option<u64> {
    match value {
        InputValue::Value(v) => v.resize(64).to_u64(),
        InputValue::Bool(yes) => Some(u64::from(*yes)),
        InputValue::Bytes(_) => None,
    }
}
