//! The state of an execution at one point: path condition, memory, and values that outlived their loop.

use crate::guard::Guard;
use crate::memory::{Memory, Refusal, Sides, Space};
use blitz_ir::Value;
use blitz_term::{Term, Terms};
use imbl::OrdMap;

#[derive(Clone)]
pub struct State {
    pub guard: Guard,
    pub memory: Memory,
    /// Values defined in loops that the path has left, for uses after them.
    pub carried: OrdMap<Value, Term>,
}

/// A state about to enter a block, with the block's arguments.
#[derive(Clone)]
pub struct Arrival {
    pub state: State,
    pub args: Vec<Term>,
}

impl State {
    pub fn start() -> Self {
        Self { guard: Guard::truth(), memory: Memory::default(), carried: OrdMap::new() }
    }
}

impl Arrival {
    /// Whether both are the same but for the path that led there.
    pub fn same_but_guard(&self, other: &Arrival) -> bool {
        self.args == other.args
            && self.state.carried == other.state.carried
            && self.state.memory.same(&other.state.memory)
    }

    /// Joins another arrival at the same place.
    pub fn join(&mut self, space: &mut Space<'_>, terms: &mut Terms, other: &Arrival) -> Result<(), Refusal> {
        let (guard, in_other) = self.state.guard.join(&other.state.guard, terms);
        let mut memory = self.state.memory.clone();
        let sides = Sides { mine: self.state.guard.facts(), theirs: other.state.guard.facts() };
        memory.merge(space, terms, &other.state.memory, in_other, &sides)?;
        self.state.memory = memory;
        self.state.guard = guard;
        for (mine, &theirs) in self.args.iter_mut().zip(&other.args) {
            *mine = terms.ite(in_other, theirs, *mine);
        }
        let theirs: Vec<(Value, Term)> = other.state.carried.iter().map(|(&v, &t)| (v, t)).collect();
        for (v, t) in theirs {
            let merged = match self.state.carried.get(&v) {
                Some(&mine) if mine == t => continue,
                Some(&mine) => terms.ite(in_other, t, mine),
                None => t,
            };
            self.state.carried.insert(v, merged);
        }
        Ok(())
    }
}
