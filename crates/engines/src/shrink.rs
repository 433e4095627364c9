//! Smaller inputs for the same violation, found by running the program.
//!
//! Why: a solver's model is as ugly as it likes: thousands of arbitrary bytes where sixty-four letters do. Runs are cheap
//! and need no solver, so this serves every engine alike. It tries fewer arguments, smaller numbers (by bisection), texts without
//! some part of them, letters for bytes (both chunk by chunk, as delta debugging does), and keeps what still violates the same property
//! at the same place.
//!
//! Not every witness shows natively: AddressSanitizer gives an object of 0 bytes one byte, so a write of one byte to it goes unnoticed. Such a
//! witness is never taken for one that shows, and if it is all there is, larger inputs are tried (`Search::grow`).
//!
//! Invariants: the result comes from a run like any violation; the effort is counted in runs and instructions, so that the
//! result does not depend on the clock. Absent: any claim that the result is smallest.

use crate::config::CheckConfig;
use crate::tuning::{
    SHRINK_GROWTHS, SHRINK_LETTER, SHRINK_LONG_BYTES, SHRINK_MAX_BISECTIONS, SHRINK_MAX_INSTS, SHRINK_MAX_RUNS,
};
use crate::verdict::Violation;
use blitz_base::span::Loc;
use blitz_base::{Budget, Bv};
use blitz_interp::{
    InputSource, InputValue, ObjectKind, Outcome, RunConfig, RunResult, Runner, Schedule, Slot, TraceLevel,
};
use blitz_ir::channel::VariablePart;
use blitz_ir::{Channel, CheckKind, InputName, Program, PropertyId};

/// The violation with smaller inputs, or as it was.
pub fn shrink(program: &Program, config: &CheckConfig, violation: Violation, budget: &Budget) -> Violation {
    let what = violation.what();
    let mut search = Search {
        runner: Runner::new(program, TraceLevel::None),
        config,
        budget,
        target: (what.property, what.loc),
        best: violation.inputs.clone(),
        names: violation.input_names.clone(),
        steps: violation.run().steps,
        schedule: violation.run().schedule.clone(),
        fuel: SHRINK_MAX_INSTS,
        runs: SHRINK_MAX_RUNS,
        improved: false,
        hidden: is_hidden(what),
    };
    search.long_texts();
    search.fewer_arguments();
    search.fewer_variables();
    search.numbers();
    search.cuts();
    search.bytes();
    search.plain_bytes();
    search.grow();
    search.finish(violation)
}

struct Search<'a> {
    runner: Runner<'a>,
    config: &'a CheckConfig,
    budget: &'a Budget,
    target: (PropertyId, Loc),
    best: Vec<InputValue>,
    names: Vec<InputName>,
    /// Whose turn it is, where there are threads; never changed.
    schedule: Vec<Slot>,
    /// Of the run with the best inputs so far.
    steps: u64,
    fuel: u64,
    runs: u32,
    improved: bool,
    /// Whether no sanitizer sees the best one.
    hidden: bool,
}

impl Search<'_> {
    /// Fewer arguments of the program.
    fn fewer_arguments(&mut self) {
        let Some(at) = self.names.iter().position(|n| n.channel() == Channel::ArgumentCount) else { return };
        let Some(count) = number(&self.best[at]) else { return };
        for fewer in 1..count.min(16) {
            let mut next = self.best.clone();
            next[at] = resized(&self.best[at], fewer);
            let gone = |name: &InputName| argument_number(name).is_some_and(|i| i >= fewer);
            let mut index = 0..;
            next.retain(|_| !index.next().is_some_and(|i: usize| gone(&self.names[i])));
            if self.try_out(next) {
                return;
            }
        }
    }

    /// Variables of the environment that need not be set.
    fn fewer_variables(&mut self) {
        let mut at = 0;
        while at < self.names.len() {
            let set =
                self.names[at].channel() == Channel::Variable(VariablePart::IsSet) && number(&self.best[at]) == Some(1);
            if set && self.names.get(at + 2).is_some_and(|n| n.channel() == Channel::Variable(VariablePart::Bytes)) {
                let mut next = self.best.clone();
                next[at] = resized(&self.best[at], 0);
                next.drain(at + 1..at + 3);
                self.try_out(next);
            }
            at += 1;
        }
    }

    /// The longest text first: each run on a long one takes a large part of what all runs may.
    fn long_texts(&mut self) {
        let mut texts: Vec<(usize, usize)> =
            (0..self.names.len()).filter_map(|at| Some((self.text_length(at)?, at))).collect();
        texts.sort_unstable_by(|a, b| b.cmp(a));
        for (length, at) in texts {
            let now = self.best.get(at).cloned();
            if let (true, Some(value)) = (length > SHRINK_LONG_BYTES, now) {
                self.smaller(&value, putter(at));
            }
        }
    }

    fn numbers(&mut self) {
        let mut at = 0;
        while at < self.best.len() {
            let value = self.best[at].clone();
            let put = putter(at);
            match &value {
                InputValue::Value(bits) if bits.width() == 8 && self.names[at].channel().is_typed() => {
                    self.letter(&value, put)
                }
                InputValue::Value(_) | InputValue::Bool(_) => self.smaller(&value, put),
                InputValue::Bytes(_) => {}
            }
            at += 1;
        }
    }

    /// A byte of text: a letter, a digit or a blank.
    fn letter(&mut self, value: &InputValue, put: impl Fn(&Search<'_>, InputValue) -> Option<Vec<InputValue>>) {
        for byte in [SHRINK_LETTER, b'0', b' '] {
            match number(value) {
                Some(n) if n == i128::from(byte) => return,
                _ => {}
            }
            let next = put(self, resized(value, i128::from(byte)));
            if next.is_some_and(|next| self.try_out(next)) {
                return;
            }
        }
    }

    /// A number nearer to zero, by bisection between one that does not do and one that does.
    fn smaller(&mut self, value: &InputValue, put: impl Fn(&Search<'_>, InputValue) -> Option<Vec<InputValue>>) {
        let Some(now) = number(value).filter(|n| *n != 0) else { return };
        let attempt = |search: &mut Self, n: i128| {
            let next = put(search, resized(value, n));
            next.is_some_and(|next| search.try_out(next))
        };
        if attempt(self, 0) {
            return;
        }
        // What looks negative may be a large number without sign, and a positive one do.
        let most = match value {
            InputValue::Value(bits) if now < 0 && bits.width() <= 64 => (1i128 << (bits.width() - 1)) - 1,
            InputValue::Value(_) | InputValue::Bool(_) | InputValue::Bytes(_) => 0,
        };
        let start = if most > 0 && attempt(self, most) { most } else { now };
        let (sign, mut low, mut high) = (start.signum(), 0, start.abs());
        for _ in 0..SHRINK_MAX_BISECTIONS {
            if high - low <= 1 {
                return;
            }
            let middle = low + (high - low) / 2;
            if attempt(self, sign * middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
    }

    /// Larger inputs, one after the other, where the best one hides from sanitizers: until one does not.
    fn grow(&mut self) {
        for at in 0..self.best.len() {
            for more in SHRINK_GROWTHS {
                if !self.hidden {
                    return;
                }
                let Some(next) = self.grown(at, more) else { break };
                self.try_out(next);
            }
        }
    }

    /// The inputs with one that is larger: a number, or the length of a text together with the text.
    fn grown(&self, at: usize, more: i128) -> Option<Vec<InputValue>> {
        let mut next = self.best.clone();
        let value = next.get(at)?;
        let length = number(value)?.checked_add(more)?;
        next[at] = resized(value, length);
        let text = self.text_length(at).is_some();
        if let (true, Some(InputValue::Bytes(bytes))) = (text, next.get_mut(at + 1)) {
            bytes.extend(std::iter::repeat_n(SHRINK_LETTER, usize::try_from(more).ok()?));
        }
        Some(next)
    }

    /// Texts without some part of them: a half, a quarter and so on, from anywhere.
    fn cuts(&mut self) {
        for at in 0..self.names.len() {
            let Some(length) = self.text_length(at) else { continue };
            let mut size = length.div_ceil(2);
            while size > 0 && size * 64 >= length {
                self.cut(at, size);
                size /= 2;
            }
        }
    }

    fn cut(&mut self, at: usize, size: usize) {
        let mut from = 0;
        while let Some(length) = self.text_length(at).filter(|length| from < *length && !self.is_over()) {
            let cut = from..(from + size).min(length);
            let mut next = self.best.clone();
            next[at] = resized(&self.best[at], (length - cut.len()) as i128);
            if let Some(InputValue::Bytes(bytes)) = next.get_mut(at + 1) {
                bytes.drain(cut);
            }
            if !self.try_out(next) {
                from += size;
            }
        }
    }

    /// The length of a text that the next input holds.
    fn text_length(&self, at: usize) -> Option<usize> {
        let owner = self.names.get(at)?.owner()?;
        match self.best.get(at + 1)? {
            InputValue::Bytes(bytes) if self.names[at + 1].as_str() == owner => {
                number(&self.best[at]).filter(|n| *n == bytes.len() as i128).map(|_| bytes.len())
            }
            InputValue::Bytes(_) | InputValue::Value(_) | InputValue::Bool(_) => None,
        }
    }

    /// What a person can type for each byte of a short text that nobody can.
    fn plain_bytes(&mut self) {
        for at in 0..self.names.len() {
            let Some(length) = self.text_length(at).filter(|length| *length <= SHRINK_LONG_BYTES) else { continue };
            for n in 0..length {
                for plain in [b'0', b' '] {
                    let odd = |b: &u8| !b.is_ascii_graphic() && !matches!(b, b' ' | b'\n');
                    let mut next = self.best.clone();
                    let Some(InputValue::Bytes(bytes)) = next.get_mut(at + 1) else { break };
                    match bytes.get_mut(n) {
                        Some(byte) if odd(byte) => *byte = plain,
                        Some(_) | None => break,
                    }
                    self.try_out(next);
                }
            }
        }
    }

    /// Letters instead of whatever bytes there are: all of them, else halves, quarters and so on.
    fn bytes(&mut self) {
        let mut at = 0;
        while let Some(value) = self.best.get(at) {
            if let InputValue::Bytes(bytes) = value {
                let length = bytes.len();
                let mut size = length;
                while size > 0 && size * 64 >= length {
                    self.letters(at, size);
                    size /= 2;
                }
            }
            at += 1;
        }
    }

    fn letters(&mut self, at: usize, size: usize) {
        let mut from = 0;
        loop {
            let Some(InputValue::Bytes(bytes)) = self.best.get(at) else { return };
            if from >= bytes.len() {
                return;
            }
            let chunk = from..(from + size).min(bytes.len());
            from += size;
            if bytes[chunk.clone()].iter().all(|b| *b == SHRINK_LETTER) {
                continue;
            }
            let mut changed = bytes.clone();
            changed[chunk].fill(SHRINK_LETTER);
            let mut next = self.best.clone();
            next[at] = InputValue::Bytes(changed);
            self.try_out(next);
        }
    }

    fn is_over(&self) -> bool {
        self.runs == 0 || self.fuel == 0 || self.budget.expired().is_some()
    }

    /// Takes a candidate that shows the same violation.
    fn try_out(&mut self, next: Vec<InputValue>) -> bool {
        if self.is_over() {
            return false;
        }
        let limit = (2 * self.steps + 100_000).min(self.fuel);
        let result = self.run(&next, &self.runner, limit);
        self.runs -= 1;
        self.fuel -= result.steps.clamp(1_000, self.fuel.max(1_000)).min(self.fuel);
        let hidden = match &result.outcome {
            Outcome::Violation(v) if (v.property, v.loc) == self.target => Some(is_hidden(v)),
            Outcome::Violation(_) | Outcome::Exit(_) | Outcome::AssumeFailed(_) | Outcome::Unsupported { .. } => None,
            Outcome::OutOfSteps | Outcome::Stopped(_) | Outcome::Halt(_) => None,
        };
        let same = hidden.is_some_and(|hidden| self.hidden || !hidden);
        if let Some(hidden) = hidden.filter(|_| same) {
            self.hidden = hidden;
            self.steps = result.steps;
            self.names = result.inputs_used.iter().map(|u| u.name.clone()).collect();
            self.best = result.inputs_used.into_iter().map(|u| u.value).collect();
            self.improved = true;
        }
        same
    }

    fn run(&self, candidate: &[InputValue], runner: &Runner<'_>, max_steps: u64) -> RunResult {
        let config = RunConfig {
            inputs: InputSource::Recorded(candidate.to_vec()),
            schedule: Schedule::Slots(self.schedule.clone()),
            trace: runner.trace(),
            max_steps: Some(max_steps),
            checks: self.config.checks,
            assumed_models: self.config.assumed_models.clone(),
            ..RunConfig::default()
        };
        runner.run(&config, self.budget)
    }

    /// The best inputs once more, with a trace.
    fn finish(self, old: Violation) -> Violation {
        if !self.improved {
            return old;
        }
        let result = self.run(&self.best, &Runner::new(self.runner.program(), TraceLevel::Full), 1 << 32);
        let values = result.inputs_used.iter().map(|u| u.value.clone()).collect();
        let names = result.inputs_used.iter().map(|u| u.name.clone()).collect();
        match Violation::confirmed(result, values, names, old.engine) {
            Some(mut new) => {
                new.preconditions = old.preconditions.clone();
                new.as_found = Some(Box::new(old));
                new
            }
            None => old,
        }
    }
}

/// The best inputs with another value at one place.
fn putter(at: usize) -> impl Fn(&Search<'_>, InputValue) -> Option<Vec<InputValue>> {
    move |search, value| {
        let mut next = search.best.clone();
        *next.get_mut(at)? = value;
        Some(next)
    }
}

/// Whether AddressSanitizer misses it: it gives heap objects of 0 bytes one byte.
fn is_hidden(what: &blitz_interp::Violation) -> bool {
    let empty = what.object.as_ref().is_some_and(|o| o.kind == ObjectKind::Heap && o.size == 0);
    what.kind == CheckKind::BufferOverflow && empty
}

/// `argv[3]` and `argv[3] length` are of argument 3.
fn argument_number(name: &InputName) -> Option<i128> {
    match name.channel() {
        Channel::Argument(number, _) => Some(i128::from(number)),
        _ => None,
    }
}

fn number(value: &InputValue) -> Option<i128> {
    match value {
        // One bit is no sign.
        InputValue::Value(bits) if bits.width() == 1 => Some(i128::from(!bits.is_zero())),
        InputValue::Value(bits) => bits.to_i128(),
        InputValue::Bool(yes) => Some(i128::from(*yes)),
        InputValue::Bytes(_) => None,
    }
}

/// A number in the form of another input.
fn resized(like: &InputValue, n: i128) -> InputValue {
    match like {
        InputValue::Value(bits) => InputValue::Value(Bv::from_i128(bits.width(), n)),
        InputValue::Bool(_) => InputValue::Bool(n != 0),
        InputValue::Bytes(bytes) => InputValue::Bytes(bytes.clone()),
    }
}
