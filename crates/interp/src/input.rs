//! Inputs of the program: recorded, drawn, or zero.

use crate::config::{InputSource, InputValue};
use crate::machine::Machine;
use crate::outcome::{Event, UsedInput, Via};
use blitz_base::Bv;
use blitz_base::span::Loc;
use blitz_ir::{InputName, Type};
use std::collections::VecDeque;

/// Where the inputs of a run come from, and those it has taken.
pub struct Inputs {
    values: VecDeque<InputValue>,
    replay: bool,
    /// State of the generator; `None` gives zeros.
    generator: Option<u64>,
    pub used: Vec<UsedInput>,
}

impl Inputs {
    pub fn new(source: &InputSource) -> Self {
        let (values, generator, replay) = match source {
            InputSource::Host { values, seed } => (values, *seed, false),
            InputSource::Recorded(values) => (values, None, true),
            InputSource::Keyed(_) | InputSource::Script(_) => (&Vec::new(), None, true),
        };
        Self { values: values.iter().cloned().collect(), replay, generator, used: Vec::new() }
    }

    /// Whether the run is a replay.
    pub fn recorded(&self) -> bool {
        self.replay
    }

    /// SplitMix64, or zero.
    fn draw(&mut self) -> u64 {
        let Some(state) = &mut self.generator else { return 0 };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Puts a value in front.
    fn offer(&mut self, value: Option<InputValue>) {
        self.values.extend(value);
    }

    fn next_recorded(&mut self) -> Option<InputValue> {
        self.values.pop_front()
    }

    fn value(&mut self, bits: u16) -> Bv {
        match self.next_recorded() {
            Some(InputValue::Value(v)) => v.resize(bits),
            Some(InputValue::Bool(b)) => Bv::from_u64(bits, u64::from(b)),
            Some(InputValue::Bytes(bytes)) => Bv::from_limbs(bits, &limbs_of(&bytes)),
            None => {
                let limbs: Vec<u64> = (0..bits.div_ceil(64)).map(|_| self.draw()).collect();
                Bv::from_limbs(bits, &limbs)
            }
        }
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        let mut bytes = match self.next_recorded() {
            Some(InputValue::Bytes(bytes)) => bytes,
            Some(InputValue::Value(v)) => bytes_of(&v),
            Some(InputValue::Bool(b)) => vec![u8::from(b)],
            None if self.generator.is_some() => (0..len).map(|_| self.draw() as u8).collect(),
            None => Vec::new(),
        };
        bytes.resize(len, 0);
        bytes
    }
}

/// The bytes of a value, lowest first.
pub fn bytes_of(v: &Bv) -> Vec<u8> {
    v.limbs().iter().flat_map(|l| l.to_le_bytes()).take(usize::from(v.width()).div_ceil(8)).collect()
}

/// Little-endian limbs of bytes.
pub fn limbs_of(bytes: &[u8]) -> Vec<u64> {
    let limb = |chunk: &[u8]| chunk.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b));
    bytes.chunks(8).map(limb).collect()
}

impl Machine<'_, '_> {
    /// The next input of this width.
    pub fn next_input(&mut self, name: &InputName, bits: u16) -> Bv {
        self.offer_keyed();
        let scripted = self.scripted_value(name.channel(), bits);
        self.inputs.offer(scripted);
        if self.inputs.values.is_empty() {
            let explored = self.explored_input(bits, name).map(|v| InputValue::Value(Bv::from_u64(bits, v)));
            self.inputs.offer(explored);
        }
        let value = self.inputs.value(bits);
        self.note_input(name, InputValue::Value(value.clone()));
        value
    }

    /// The next input of this many bytes.
    pub fn next_bytes(&mut self, name: &InputName, len: u64) -> Vec<u8> {
        self.offer_keyed();
        let scripted = self.scripted_bytes(name.channel(), len);
        self.inputs.offer(scripted);
        let bytes = self.inputs.bytes(len as usize);
        self.note_input(name, InputValue::Bytes(bytes.clone()));
        bytes
    }

    /// Whether the next allocation fails: never, unless recorded so.
    pub fn next_alloc_fails(&mut self) -> bool {
        let explored = self.explored_failure();
        if explored.is_none() && !self.inputs.recorded() {
            return false;
        }
        self.inputs.offer(explored.map(InputValue::Bool));
        self.offer_keyed();
        let fails = !self.inputs.value(1).is_zero();
        self.note_input(&InputName::allocation_fails(), InputValue::Bool(fails));
        fails
    }

    fn offer_keyed(&mut self) {
        let value = self.keyed_value();
        self.inputs.offer(value);
    }

    /// The model that the user's code has called, if one is at work.
    pub(crate) fn library_call(&self) -> Option<Via> {
        let user = self.frames.iter().rposition(|f| !f.code.model)?;
        let frame = self.frames.get(user + 1)?;
        let func = frame.code.id;
        let nth = self.library_calls.get(&func).copied().unwrap_or(0);
        let pointer = frame.code.params.iter().find(|p| p.ty == Type::Ptr);
        let text = pointer.and_then(|p| self.c_string(self.regs[frame.base + p.slot as usize]));
        Some(Via { func, nth, text: text.map(|t| t.into_bytes()) })
    }

    fn note_input(&mut self, name: &InputName, value: InputValue) {
        // The start code, which asks for arguments, is not the user's.
        let in_users_code = self.frames.iter().any(|f| !f.code.model);
        let loc = if in_users_code { self.user_loc() } else { Loc::UNKNOWN };
        let used = UsedInput { name: name.clone(), value, loc, via: self.library_call() };
        if self.recorder.calls() {
            self.recorder.push(Event::Input(used.clone()));
        }
        self.inputs.used.push(used);
    }
}
