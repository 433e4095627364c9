//! Calls of functions that have neither a body nor a library model, in runs on recorded inputs.
//!
//! The function returns what the inputs say. What it was given, and what that leads to, counts as set from then on, and heap
//! objects among it as kept: a function that fills its argument or keeps a pointer is no reason to report anything. Its writes are not made up.
//! `symex::Bodiless::Harmless` encodes the same.

use crate::code::CallInfo;
use crate::machine::{End, Machine};
use crate::outcome::ObjectKind;
use blitz_base::Bv;
use blitz_ir::{Approximation, FuncId, InputName, Type};
use std::collections::BTreeSet;

/// Larger objects are not set as a whole.
const MAX_SET: u64 = 1 << 26;
/// Objects of at most this many bytes are set again by later calls of such functions.
const MAX_SET_AGAIN: u64 = 1 << 12;

impl Machine<'_, '_> {
    /// A function without a body: its results are inputs, if inputs are recorded.
    pub fn call_unknown(&mut self, func: FuncId, info: &CallInfo) -> Result<(), End> {
        let program = self.program;
        let name = &program.decl(func).name;
        if !self.inputs.recorded() {
            return self.unsupported(format!("function without body: {name}"));
        }
        if !self.config.assumed_models.contains(name) {
            self.expose_arguments(info);
        }
        self.answered.insert(func);
        self.keyed_value();
        let name = InputName::new(name);
        for &result in &info.results {
            let bits = self.next_input(&name, result.bits);
            if result.ty == Type::Ptr {
                self.note_alias(&bits, &program.decl(func).name);
            }
            self.write_bv(result, &bits);
        }
        self.top_mut().pc += 1;
        Ok(())
    }

    /// A pointer from outside that is the address of an object nobody gave away: the number of an object is ours, no address of a real run's.
    pub fn note_alias(&mut self, pointer: &Bv, function: &str) {
        let object = pointer.to_u64().map_or(0, |p| self.memory.object_of(p));
        if object == 0 || self.memory.info(object).is_none() || self.exposed.contains(&object) {
            return;
        }
        let what = "a pointer from outside happens to be the address of an object of the program".to_owned();
        self.passes_more(&Approximation { function: function.to_owned(), what, at_once: false });
    }

    /// What the function is given, and small objects that such functions were given before, is set; heap objects are kept.
    fn expose_arguments(&mut self, info: &CallInfo) {
        let base = self.top().base;
        let mut work: Vec<u64> = Vec::new();
        for arg in &info.args {
            if let Some(word) = self.read_bv_at(base, *arg).to_u64() {
                work.push(self.memory.object_of(word));
            }
        }
        for &object in &self.exposed {
            if self.memory.info(object).is_some_and(|c| c.live && c.size <= MAX_SET_AGAIN) {
                self.memory.set_all(object);
            }
        }
        let mut seen = BTreeSet::new();
        while let Some(object) = work.pop() {
            let Some(&cold) = self.memory.info(object).filter(|c| c.live && c.kind != ObjectKind::Code) else {
                continue;
            };
            if cold.size > MAX_SET || !seen.insert(object) {
                continue;
            }
            work.extend(self.words_of(object).into_iter().map(|word| self.memory.object_of(word)));
            self.memory.set_all(object);
            self.memory.cold[object as usize].kept |= cold.kind == ObjectKind::Heap;
        }
        self.exposed.extend(seen);
    }

    /// The pointer-sized words of an object.
    fn words_of(&self, object: u64) -> Vec<u64> {
        let width = usize::from(self.program.target.ptr_bits / 8);
        let hot = self.memory.hot[object as usize];
        let bytes = self.memory.bytes(self.memory.pointer(object), hot.read).unwrap_or(&[]);
        bytes.chunks_exact(width).map(|chunk| chunk.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b))).collect()
    }
}
