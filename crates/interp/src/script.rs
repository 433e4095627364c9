//! Runs on what a person would type: arguments and standard input as text, or the same through a socket; every other input 0.
//! A test of a fuzzer is the same with a file, a variable of the environment or the values of a harness.
//!
//! Why: a program that answers one request after the other shows some bugs only after several of them. Whoever looks for such
//! requests wants to know what a run made of its text: with what it compared it, and how things stood when the text was used up.

use crate::code::{CallInfo, Operand};
use crate::config::InputValue;
use crate::machine::Machine;
use blitz_base::Bv;
use blitz_ir::channel::{FailingCall, Guess, StatPart, StreamPart, TextPart, VariablePart};
use blitz_ir::{Channel, FuncId, GlobalId};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What is typed, and what is to be looked at when it is used up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Without the program's name.
    pub args: Vec<Vec<u8>>,
    /// What sockets give as well: a program reads requests from one or the other.
    pub stdin: Vec<u8>,
    /// Whose values say how things stand.
    pub watched: Vec<GlobalId>,
    /// The one file that is there, by its name; every other is absent.
    pub file: Option<(Vec<u8>, Vec<u8>)>,
    /// The one variable of the environment that is set.
    pub variable: Option<(Vec<u8>, Vec<u8>)>,
    /// What every other file has in it, and every other variable of the environment; without it the two above are all there is.
    pub elsewhere: Option<Vec<u8>>,
    /// What the program's own requests for values take, one after the other.
    pub values: Option<Vec<u8>>,
}

impl Script {
    fn file_named(&self, name: &Option<Vec<u8>>) -> Option<Vec<u8>> {
        content_of(&self.file, name).or_else(|| self.elsewhere.clone())
    }

    fn variable_named(&self, name: &Option<Vec<u8>>) -> Option<Vec<u8>> {
        let elsewhere = || Some(first_line(self.elsewhere.as_deref()?));
        content_of(&self.variable, name).or_else(elsewhere)
    }

    fn has_files(&self) -> bool {
        self.file.is_some() || self.elsewhere.is_some()
    }

    fn has_variables(&self) -> bool {
        self.variable.is_some() || self.elsewhere.is_some()
    }
}

/// Which text of a script bytes came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Standard input, or a socket.
    Stdin,
    /// An argument, from 0.
    Argument(usize),
    File,
    Variable,
    Values,
}

/// A part of a script's text that an input of the run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Which of `RunResult::inputs_used`.
    pub input: usize,
    pub source: Source,
    pub at: usize,
    pub len: usize,
}

/// What a scripted run made of its text.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// Texts that library functions compared for the user's code and that differed.
    pub comparisons: Vec<(Vec<u8>, Vec<u8>)>,
    /// How things stood when standard input was used up; `None` if the run never asked for more.
    pub waiting: Option<Waiting>,
    /// Where the bytes of inputs came from, in order.
    pub taken: Vec<Taken>,
}

/// A program that asks for more than was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Waiting {
    /// The calls that were open, as a number.
    pub place: u64,
    /// The watched globals, as a number: which are zero, which point to something, which to something that is gone.
    pub state: u64,
}

/// Library functions that tell whether two texts are the same.
const COMPARING: &[&str] = &["strcmp", "strncmp", "strcasecmp", "strncasecmp", "memcmp", "bcmp", "strcoll"];

/// Texts that are kept of one run.
const MOST_COMPARISONS: usize = 2_000;
/// A text that is longer than this is no word.
const LONGEST: u64 = 64;
/// Bytes of a watched global that are looked at.
const WATCHED_BYTES: u64 = 64;

/// A script and how far it was read.
pub struct Typing {
    script: Script,
    at: usize,
    /// How far `values` was read.
    valued: usize,
    comparing: HashSet<FuncId>,
    seen: HashSet<(Vec<u8>, Vec<u8>)>,
    pub observed: Observed,
}

impl Typing {
    pub fn new(script: Script, named: impl Fn(&str) -> Option<FuncId>) -> Self {
        let comparing = COMPARING.iter().filter_map(|name| named(name)).collect();
        Self { script, at: 0, valued: 0, comparing, seen: HashSet::new(), observed: Observed::default() }
    }

    fn rest(&self) -> &[u8] {
        &self.script.stdin[self.at..]
    }

    /// The bytes up to the end of the line, which is one of them.
    fn line(&self) -> usize {
        let rest = self.rest();
        rest.iter().position(|&b| b == b'\n').map_or(rest.len(), |i| i + 1)
    }

    fn take(&mut self, n: usize) -> Vec<u8> {
        let taken = self.rest()[..n.min(self.rest().len())].to_vec();
        self.at += taken.len();
        taken
    }

    /// An argument of the program, from 1: 0 is its name.
    fn argument(&self, number: u32) -> Option<&Vec<u8>> {
        self.script.args.get(argument_index(number)?)
    }
}

fn argument_index(number: u32) -> Option<usize> {
    (number as usize).checked_sub(1)
}

impl Typing {
    fn skip_blanks(&mut self) {
        self.at += self.rest().iter().take_while(|b| is_blank(**b)).count();
    }

    /// The digits of a number that comes next, with its sign.
    fn number(&self) -> usize {
        let rest = self.rest();
        let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
        let digits = rest[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
        if digits == 0 { 0 } else { sign + digits }
    }

    fn word(&self) -> usize {
        self.rest().iter().take_while(|b| !is_blank(**b)).count()
    }

    fn next_values(&mut self, len: usize) -> Vec<u8> {
        let all = self.script.values.as_deref().unwrap_or_default();
        let from = self.valued.min(all.len());
        let taken = all[from..(from + len).min(all.len())].to_vec();
        self.valued = from + taken.len();
        taken
    }

    fn take_noted(&mut self, n: usize, input: usize) -> Vec<u8> {
        let at = self.at;
        let taken = self.take(n);
        self.observed.taken.push(Taken { input, source: Source::Stdin, at, len: taken.len() });
        taken
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || (b'\t'..=b'\r').contains(&byte)
}

/// What `scanf` takes a text for: as it wraps around in 64 bits.
fn decimal(text: &[u8]) -> u64 {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let value = digits.iter().fold(0u64, |n, d| n.wrapping_mul(10).wrapping_add(u64::from(d - b'0')));
    if negative { value.wrapping_neg() } else { value }
}

fn number(n: usize) -> InputValue {
    InputValue::Value(Bv::from_u64(64, n as u64))
}

/// Whether the program goes on only when it knows if there is more text.
fn asks_for_more(channel: Channel) -> bool {
    match channel {
        Channel::Stdin(part) | Channel::Socket(part) => matches!(part, StreamPart::Ends | StreamPart::Count),
        other => other == Channel::LineLength,
    }
}

/// A variable is one line, and has no byte zero.
fn first_line(bytes: &[u8]) -> Vec<u8> {
    bytes.split(|&b| b == b'\n' || b == 0).next().unwrap_or_default().to_vec()
}

/// The bytes of the one file or variable, if it has the name that is asked for.
fn content_of(known: &Option<(Vec<u8>, Vec<u8>)>, name: &Option<Vec<u8>>) -> Option<Vec<u8>> {
    known.as_ref().filter(|(own, _)| name.as_ref() == Some(own)).map(|(_, bytes)| bytes.clone())
}

impl Machine<'_, '_> {
    /// What the script has for an input of so many bits, if it is about one of its texts.
    pub fn scripted_value(&mut self, channel: Channel, bits: u16) -> Option<InputValue> {
        self.script.as_ref()?;
        if asks_for_more(channel) && self.script.as_ref()?.rest().is_empty() {
            self.note_waiting();
        }
        if channel == Channel::Guess(Guess::LastPosition) {
            return self.last_position().map(number);
        }
        if let Some(value) = self.scripted_world(channel) {
            return Some(value);
        }
        if self.asks_itself(channel) {
            return Some(InputValue::Bytes(self.own_values(usize::from(bits.div_ceil(8)))));
        }
        match channel {
            Channel::Stdin(part) | Channel::Socket(part) => self.scripted_stream(part),
            Channel::LineLength => Some(number(self.script.as_ref()?.line())),
            Channel::ArgumentCount => Some(number(1 + self.script.as_ref()?.script.args.len())),
            Channel::Argument(n, TextPart::Length) => Some(number(self.script.as_ref()?.argument(n)?.len())),
            Channel::Ready => Some(InputValue::Value(Bv::from_u64(64, u64::MAX))),
            _ => None,
        }
    }

    /// What comes next of the typed text.
    fn scripted_stream(&mut self, part: StreamPart) -> Option<InputValue> {
        let room = self.room_for_text();
        let by_word = &*self.program.decl(self.top().code.id).name == "__blitz_read_word";
        let input = self.inputs.used.len();
        let script = self.script.as_mut()?;
        match part {
            StreamPart::Ends => {
                if by_word {
                    script.skip_blanks();
                }
                Some(InputValue::Bool(script.rest().is_empty()))
            }
            StreamPart::HasNumber => {
                script.skip_blanks();
                Some(InputValue::Bool(script.number() > 0))
            }
            StreamPart::Number => {
                let text = script.take_noted(script.number(), input);
                Some(InputValue::Value(Bv::from_u64(64, decimal(&text))))
            }
            StreamPart::WordLength => Some(number(script.word().min(room))),
            StreamPart::Bytes => {
                script.take_noted(1, input).first().map(|&b| InputValue::Value(Bv::from_u64(8, u64::from(b))))
            }
            StreamPart::Count => Some(number(room.min(script.rest().len()))),
        }
    }

    /// The same for bytes.
    pub fn scripted_bytes(&mut self, channel: Channel, len: u64) -> Option<InputValue> {
        self.script.as_ref()?;
        if self.asks_itself(channel) {
            return Some(InputValue::Bytes(self.own_values(len as usize)));
        }
        let input = self.inputs.used.len();
        let named = matches!(channel, Channel::File | Channel::Variable(VariablePart::Bytes));
        let text = if named { self.library_text() } else { None };
        let script = self.script.as_mut()?;
        let (source, bytes) = match channel {
            Channel::Stdin(StreamPart::Bytes) | Channel::Socket(StreamPart::Bytes) => {
                return Some(InputValue::Bytes(script.take_noted(len as usize, input)));
            }
            Channel::File => (Source::File, script.script.file_named(&text)?),
            Channel::Variable(VariablePart::Bytes) => (Source::Variable, script.script.variable_named(&text)?),
            Channel::Argument(n, TextPart::Bytes) => {
                (Source::Argument(argument_index(n)?), script.argument(n)?.clone())
            }
            _ => return None,
        };
        script.observed.taken.push(Taken { input, source, at: 0, len: bytes.len().min(len as usize) });
        Some(InputValue::Bytes(bytes))
    }

    /// Whether it is the program itself that asks, and the script has values for that.
    fn asks_itself(&self, channel: Channel) -> bool {
        let has_values = self.script.as_ref().is_some_and(|s| s.script.values.is_some());
        let in_users_code = self.frames.iter().any(|f| !f.code.model);
        has_values && in_users_code && channel != Channel::AllocationFails && self.library_text_of_call().is_none()
    }

    fn own_values(&mut self, len: usize) -> Vec<u8> {
        let input = self.inputs.used.len();
        let Some(script) = self.script.as_mut() else { return Vec::new() };
        let at = script.valued;
        let mut bytes = script.next_values(len);
        script.observed.taken.push(Taken { input, source: Source::Values, at, len: bytes.len() });
        bytes.resize(len, 0);
        bytes
    }

    /// Answers about files and the environment.
    fn scripted_world(&self, channel: Channel) -> Option<InputValue> {
        let script = &self.script.as_ref()?.script;
        let file = || script.file_named(&self.library_text()).map(|bytes| bytes.len());
        let variable = || script.variable_named(&self.library_text()).map(|bytes| bytes.len());
        match channel {
            Channel::Fails(FailingCall::Accept) => {
                // There is one peer.
                let first = self.library_call().is_none_or(|via| via.nth <= 1);
                script.has_files().then(|| number(usize::from(!first)))
            }
            Channel::Fails(FailingCall::Open | FailingCall::Stat | FailingCall::Access) if script.has_files() => {
                Some(number(usize::from(file().is_none())))
            }
            Channel::FileSize | Channel::Stat(StatPart::Size) => file().map(number),
            Channel::Variable(VariablePart::IsSet) if script.has_variables() => {
                Some(InputValue::Bool(variable().is_some()))
            }
            Channel::Variable(VariablePart::Length) => variable().map(number),
            _ => None,
        }
    }

    /// The text that the library call at work is about: the name of a file or of a variable.
    fn library_text(&self) -> Option<Vec<u8>> {
        self.library_text_of_call().flatten()
    }

    /// The same; nothing at all if no library call is at work.
    fn library_text_of_call(&self) -> Option<Option<Vec<u8>>> {
        self.library_call().map(|via| via.text)
    }

    /// What the model at work guesses: where in a text of a length a character is last.
    fn last_position(&self) -> Option<usize> {
        let top = self.top();
        let [text, character, length] = top.code.params.as_slice() else { return None };
        let value = |p: &Operand| self.regs[top.base + p.slot as usize];
        let bytes = self.memory.bytes(value(text), value(length))?;
        bytes.iter().rposition(|&b| u64::from(b) == value(character) & 0xff)
    }

    /// How much of the text the model at work wants at most: what it was told, or a line of it.
    fn room_for_text(&self) -> usize {
        let Some(script) = &self.script else { return 0 };
        let top = self.top();
        let told = top.code.params.last().map_or(0, |p| self.regs[top.base + p.slot as usize]);
        let by_line = self.frames.iter().any(|f| &*self.program.decl(f.code.id).name == "__blitz_file_line");
        let told = usize::try_from(told).unwrap_or(usize::MAX);
        if by_line { told.min(script.line()) } else { told }
    }

    /// Keeps two texts that a library function is about to compare for the user's code.
    pub fn note_comparison(&mut self, func: FuncId, base: usize, info: &CallInfo) {
        let Some(script) = &self.script else { return };
        let [first, second, rest @ ..] = info.args.as_slice() else { return };
        if !script.comparing.contains(&func) || script.observed.comparisons.len() >= MOST_COMPARISONS {
            return;
        }
        let at_most = rest.first().map_or(LONGEST, |n| self.regs[base + n.slot as usize].min(LONGEST));
        let (Some(a), Some(b)) =
            (self.word_at(self.regs[base + first.slot as usize]), self.word_at(self.regs[base + second.slot as usize]))
        else {
            return;
        };
        let cut = |text: &[u8]| text[..text.len().min(at_most as usize)].to_vec();
        if cut(&a) == cut(&b) {
            return;
        }
        if let Some(script) = &mut self.script
            && script.seen.insert((a.clone(), b.clone()))
        {
            script.observed.comparisons.push((a, b));
        }
    }

    /// The bytes at an address up to a zero, if there are few.
    fn word_at(&self, ptr: u64) -> Option<Vec<u8>> {
        let readable = self.memory.readable_from(ptr).min(LONGEST);
        let bytes = self.memory.bytes(ptr, readable)?;
        let len = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        Some(bytes[..len].to_vec())
    }

    fn note_waiting(&mut self) {
        let Some(script) = &self.script else { return };
        if script.observed.waiting.is_some() {
            return;
        }
        let mut place = DefaultHasher::new();
        for frame in self.frames.iter().filter(|f| !f.code.model) {
            (frame.code.id.0, frame.pc).hash(&mut place);
        }
        let mut state = DefaultHasher::new();
        for &global in &script.script.watched {
            self.standing(global).hash(&mut state);
        }
        let waiting = Waiting { place: place.finish(), state: state.finish() };
        if let Some(script) = &mut self.script {
            script.observed.waiting = Some(waiting);
        }
    }

    /// How things stand with each word of a global.
    fn standing(&self, global: GlobalId) -> Vec<Standing> {
        let address = self.memory.pointer(self.program.global_object(global));
        let width = usize::from(self.program.target.ptr_bits / 8);
        let size = self.memory.readable_from(address).min(WATCHED_BYTES);
        let bytes = self.memory.bytes(address, size).unwrap_or(&[]);
        bytes.chunks(width).map(|word| self.standing_of(word)).collect()
    }

    fn standing_of(&self, word: &[u8]) -> Standing {
        let value = word.iter().rev().fold(0, |n: u64, &b| n << 8 | u64::from(b));
        let object = self.memory.info(self.memory.object_of(value));
        match object {
            _ if value == 0 => Standing::Zero,
            Some(object) if !object.live => Standing::Gone,
            Some(_) | None => Standing::Something,
        }
    }
}

#[derive(Hash)]
enum Standing {
    Zero,
    Something,
    Gone,
}
