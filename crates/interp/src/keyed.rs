//! Inputs by where they are asked for: "the second time `main` calls `read_line`, the first input there".
//!
//! Why: an engine that looks at parts of a program knows values for the inputs of those parts only; how many inputs
//! the rest takes before them it does not know. A key is a chain over the open calls, each with its count within
//! the activation that makes it.

use crate::code::From;
use crate::config::InputValue;
use crate::machine::Machine;
use blitz_ir::{FuncId, InstId};
use std::collections::HashMap;

/// The key of the entry's activation.
pub const ROOT_KEY: u64 = 0x626c_6974_7a00_0001;

/// The key of the `nth` execution (from 0) of an instruction in the activation with key `context`.
pub fn occurrence_key(context: u64, func: FuncId, inst: InstId, nth: u32) -> u64 {
    let mut h = context;
    for part in [u64::from(func.0), u64::from(inst.0), u64::from(nth)] {
        h = (h ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^= h >> 29;
    }
    h
}

/// Values by key, and how often instructions ran in the open activations.
pub struct Keyed {
    values: HashMap<u64, InputValue>,
    open: Vec<Open>,
}

struct Open {
    key: u64,
    counts: HashMap<InstId, u32>,
}

impl Keyed {
    pub fn new(values: HashMap<u64, InputValue>) -> Self {
        Self { values, open: Vec::new() }
    }

    /// The activation at this depth (the entry's is 0), made if it is new.
    fn at(&mut self, depth: usize) -> &mut Open {
        self.open.truncate(depth + 1);
        if self.open.is_empty() {
            self.open.push(Open { key: ROOT_KEY, counts: HashMap::new() });
        }
        self.open.last_mut().expect("the entry's activation should be there")
    }

    fn next_key(&mut self, depth: usize, func: FuncId, inst: InstId) -> u64 {
        let open = self.at(depth);
        let count = open.counts.entry(inst).or_insert(0);
        let key = occurrence_key(open.key, func, inst, *count);
        *count += 1;
        key
    }
}

impl Machine<'_, '_> {
    /// The instruction the innermost activation stands at.
    fn at_inst(&self) -> Option<(FuncId, InstId)> {
        let top = self.top();
        match top.code.origins[top.pc as usize].get() {
            From::Inst(i) => Some((top.code.id, i)),
            From::Term(_) => None,
        }
    }

    /// A call is about to be made by the innermost activation.
    pub fn note_call(&mut self) {
        if self.keyed.is_none() {
            return;
        }
        let depth = self.frames.len() - 1;
        if let (Some((func, inst)), Some(keyed)) = (self.at_inst(), &mut self.keyed) {
            let key = keyed.next_key(depth, func, inst);
            keyed.open.push(Open { key, counts: HashMap::new() });
        }
    }

    /// The value for the input the innermost activation asks for, if there is one for it.
    pub fn keyed_value(&mut self) -> Option<InputValue> {
        self.keyed.as_ref()?;
        let depth = self.frames.len() - 1;
        let (func, inst) = self.at_inst()?;
        let keyed = self.keyed.as_mut()?;
        let key = keyed.next_key(depth, func, inst);
        keyed.values.get(&key).cloned()
    }
}
