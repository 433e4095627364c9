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
    /// Where the program has threads.
    pub tally: Option<Tally>,
}

/// What a state of a program with threads counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Threads that were started.
    pub starts: Term,
    /// Atomic sections that the running thread is in.
    pub atomic: Term,
    /// Another thread has moved while the running one stood at its last visible point.
    pub resumed: Term,
}

impl Tally {
    /// This where `cond` is false, `other` where it is true.
    pub fn merge(self, terms: &mut Terms, other: Tally, cond: Term) -> Tally {
        Tally {
            starts: terms.ite(cond, other.starts, self.starts),
            atomic: terms.ite(cond, other.atomic, self.atomic),
            resumed: terms.ite(cond, other.resumed, self.resumed),
        }
    }
}

/// A state about to enter a block, with the block's arguments.
#[derive(Clone)]
pub struct Arrival {
    pub state: State,
    pub args: Vec<Term>,
}

impl State {
    pub fn start() -> Self {
        Self { guard: Guard::truth(), memory: Memory::default(), carried: OrdMap::new(), tally: None }
    }
}

impl Arrival {
    /// Whether both are the same but for the path that led there.
    pub fn same_but_guard(&self, other: &Arrival) -> bool {
        self.args == other.args
            && self.state.carried == other.state.carried
            && self.state.tally == other.state.tally
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
        if let (Some(mine), Some(theirs)) = (self.state.tally, other.state.tally) {
            self.state.tally = Some(mine.merge(terms, theirs, in_other));
        }
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
