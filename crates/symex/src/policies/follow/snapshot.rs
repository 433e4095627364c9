//! The state before a fork, from which other runs go on.
//!
//! Memory, condition and sets are shared with the run that was there; the activations are copied, and those that called
//! are shared by all snapshots made while they wait. Decisions, inputs and covered blocks are those of the whole path;
//! claims, gaps, cuts and reached checks are not kept: the run that made the snapshot has reported them.
//!
//! Invariant: a run from a snapshot makes the terms, object numbers and variables that a run of the same decisions from
//! the start makes. Absent: what limits how many there are; that is whoever keeps them.

use super::{Decision, Follow};
use crate::bodiless::Strangers;
use crate::ids::ObjectNo;
use crate::leaks::Exits;
use crate::machine::Frame;
use crate::names::Names;
use crate::outcome::Input;
use crate::state::State;
use crate::walk::Executor;
use blitz_ir::{Block, FuncId};
use blitz_term::Term;
use imbl::{OrdSet, Vector};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The state of a run before a fork.
pub struct Snapshot<'p> {
    frames: Vec<Rc<Frame<'p>>>,
    state: State,
    names: (ObjectNo, u32),
    chance: Option<BTreeSet<u64>>,
    points_made: u64,
    exits: Exits,
    strangers: Strangers,
    inputs: Rc<[Input]>,
    steps: u64,
    decisions: Vector<Decision>,
    result: Option<(FuncId, Vec<Term>)>,
    covered: OrdSet<(FuncId, Block)>,
    aside: Vector<((FuncId, Block), Term)>,
}

impl Snapshot<'_> {
    pub(super) fn names(&self) -> Names {
        Names::at_position(self.names)
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps
    }
}

impl<'p, 'a> Executor<'p, 'a, Follow<'p, 'a>> {
    /// What stands before the instruction, or the end of a block, at which the innermost activation is.
    pub(super) fn snapshot(&mut self, state: &State) -> Snapshot<'p> {
        let run = &mut self.policy;
        let (called, innermost) = self.m.frames.split_at(self.m.frames.len() - 1);
        let new = called.iter().skip(run.images.len()).map(|f| Rc::new(f.clone()));
        run.images.extend(new);
        let innermost = innermost.iter().map(|f| Rc::new(f.clone()));
        if run.inputs.len() != self.m.out.inputs.len() {
            run.inputs = Rc::from(self.m.out.inputs.as_slice());
        }
        Snapshot {
            frames: run.images.iter().cloned().chain(innermost).collect(),
            state: state.clone(),
            names: self.m.names.position(),
            chance: self.m.space.chance().clone(),
            points_made: self.m.jumps.made,
            exits: self.m.exits.clone(),
            strangers: self.m.strangers.clone(),
            inputs: Rc::clone(&run.inputs),
            steps: self.m.out.steps,
            decisions: run.decisions.clone(),
            result: run.result.clone(),
            covered: run.covered.clone(),
            aside: run.aside.clone(),
        }
    }

    /// Takes a snapshot's place; gives the state to go on from.
    pub(super) fn restore(&mut self, from: &Snapshot<'p>) -> State {
        self.m.frames = from.frames.iter().map(|f| (**f).clone()).collect();
        self.m.space.set_chance(from.chance.clone());
        self.m.jumps.made = from.points_made;
        self.m.exits = from.exits.clone();
        self.m.strangers = from.strangers.clone();
        self.m.out.inputs = from.inputs.to_vec();
        self.m.out.steps = from.steps;
        let run = &mut self.policy;
        run.images = from.frames[..from.frames.len() - 1].to_vec();
        run.inputs = Rc::clone(&from.inputs);
        run.decisions = from.decisions.clone();
        run.result = from.result.clone();
        run.covered = from.covered.clone();
        run.aside = from.aside.clone();
        from.state.clone()
    }
}
