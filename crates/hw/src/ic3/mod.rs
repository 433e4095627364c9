//! IC3: an inductive invariant found clause by clause ("SAT-Based Model Checking without Unrolling", Bradley, VMCAI 2011; "Efficient
//! Implementation of Property Directed Reachability", Eén, Mishchenko, Brayton, FMCAD 2011).
//!
//! Frames F_0 = initial states, F_1, ..., F_n over-approximate what is reached in at most so many steps. A state of F_n that leads to the bad states is
//! an *obligation*: either no state of the frame before leads to it, then a generalisation of it is excluded by a new clause (`mic`), or one does, which
//! is the next obligation. Obligations that reach the initial states are a counterexample; two equal frames are an invariant.
//!
//! `cells` is the graph as questions have it, `query` the solver of one frame, `lift` turns a state of a model into a cube of states that do the same, `frames` holds the clauses.
//! Invariants: the clauses of frame i hold in all states reached in at most i steps; a cube in an obligation consists of states each of which reaches
//! the bad states along the inputs recorded; an obligation's cube holds no initial state once it is queued.
//! Whatever is found is checked elsewhere: counterexamples by `sim`, invariants by `invariant`.

mod cells;
mod cube;
mod frames;
mod lift;
mod mic;
mod model;
mod query;

use crate::answer::{Invariant, Proof, StateLit};
use crate::bits::{Bits, unfolded};
use crate::engine::{Engine, Progress};
use crate::ts::{Goal, Ts};
use blitz_base::{Budget, Stop};
use blitz_solver::UnknownReason;
use frames::Frames;
use model::Model;
use query::{Answer, Predecessor};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The search, with how far it got.
pub struct Ic3<'a> {
    ts: &'a Ts,
    goal: &'a Goal,
    model: Model<'a>,
    frames: Frames,
    /// Obligations by number; each knows the one it leads to.
    obligations: Vec<Obligation>,
    /// What is to be blocked: the lowest frame first, the latest first among equals.
    queue: BinaryHeap<(Reverse<usize>, usize)>,
}

struct Obligation {
    predecessor: Predecessor,
    /// The obligation its states step into; none: they are bad.
    leads_to: Option<usize>,
}

/// What happened to an obligation.
enum Event {
    /// It is blocked, or others have to be first.
    Ordinary,
    /// It holds an initial state.
    Reached(usize),
}

impl<'a> Ic3<'a> {
    /// A search for the bad state of `bits`, which is the cone of a bad-state property of `ts`.
    pub fn new(ts: &'a Ts, goal: &'a Goal, bits: &'a Bits) -> Self {
        let model = Model::new(bits);
        let mut frames = Frames::default();
        frames.push(&model);
        Self { ts, goal, model, frames, obligations: Vec::new(), queue: BinaryHeap::new() }
    }

    /// The number of the last frame: there is no counterexample of fewer steps.
    pub fn bound(&self) -> usize {
        self.frames.last()
    }

    /// Literals propagated so far.
    pub fn ticks(&self) -> u64 {
        self.frames.ticks()
    }

    /// Conflicts so far.
    pub fn conflicts(&self) -> u64 {
        self.frames.conflicts()
    }

    /// Works until so many more literals were propagated.
    pub fn advance(&mut self, ticks: u64, budget: &Budget) -> Progress {
        if let Some(stop) = budget.expired() {
            return Progress::Stopped(stop.into());
        }
        let end = self.ticks().saturating_add(ticks);
        while self.ticks() < end {
            match self.work(budget) {
                Ok(Some(progress)) => return progress,
                Ok(None) => {}
                Err(stop) => return Progress::Stopped(UnknownReason::from(stop)),
            }
        }
        Progress::More
    }

    /// One obligation, or one look for bad states in the last frame.
    fn work(&mut self, budget: &Budget) -> Result<Option<Progress>, Stop> {
        if let Some((Reverse(level), number)) = self.queue.pop() {
            return Ok(match self.block(number, level, budget)? {
                Event::Ordinary => None,
                Event::Reached(first) => Some(self.found(first)),
            });
        }
        let last = self.frames.last();
        if let Some(bad) = self.frames.solver(last).bad(&self.model, budget)? {
            let first = self.model.meets_initial(&bad.cube);
            let number = self.oblige(bad, None, last);
            return Ok(first.then(|| self.found(number)));
        }
        self.frames.push(&self.model);
        if let Some(stop) = budget.expired() {
            return Err(stop);
        }
        let fixpoint = self.propagate(budget)?;
        Ok(fixpoint.map(|level| Progress::Proved(Proof::Invariant(self.invariant(level)))))
    }

    fn oblige(&mut self, predecessor: Predecessor, leads_to: Option<usize>, level: usize) -> usize {
        let number = self.obligations.len();
        self.obligations.push(Obligation { predecessor, leads_to });
        self.queue.push((Reverse(level), number));
        number
    }

    /// Tries to exclude an obligation's states from a frame.
    fn block(&mut self, number: usize, level: usize, budget: &Budget) -> Result<Event, Stop> {
        let cube = self.obligations[number].predecessor.cube.clone();
        if let Some(blocked) = self.frames.blocked_at(&cube, level) {
            self.requeue(number, blocked);
            return Ok(Event::Ordinary);
        }
        match self.frames.solver(level - 1).step(&self.model, &cube, query::Negation::Assumed, budget)? {
            Answer::Unreachable(core) => {
                let core = self.model.off_initial(core, &cube);
                let lemma = mic::generalize(&mut self.model, &mut self.frames, core, level, budget)?;
                let reached = self.frames.push_forward(&self.model, &lemma, level, budget)?;
                self.model.bump(&lemma);
                self.frames.add(&self.model, lemma, reached);
                self.requeue(number, reached);
                Ok(Event::Ordinary)
            }
            Answer::Reached(predecessor) => {
                let first = self.model.meets_initial(&predecessor.cube);
                let before = self.oblige(predecessor, Some(number), level - 1);
                if first {
                    return Ok(Event::Reached(before));
                }
                self.queue.push((Reverse(level), number));
                Ok(Event::Ordinary)
            }
        }
    }

    /// What is blocked up to a frame has to be blocked in the next one.
    fn requeue(&mut self, number: usize, blocked: usize) {
        if blocked < self.frames.last() {
            self.queue.push((Reverse(blocked + 1), number));
        }
    }

    /// Moves clauses to later frames where they hold too; a frame that is left without one is equal to the next.
    fn propagate(&mut self, budget: &Budget) -> Result<Option<usize>, Stop> {
        self.obligations.clear();
        for level in 1..self.frames.last() {
            self.frames.propagate(&self.model, level, budget)?;
            if self.frames.is_empty_at(level) {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    /// The clauses beyond a frame.
    fn invariant(&self, level: usize) -> Invariant {
        let mut clauses: Vec<Vec<StateLit>> =
            self.frames.beyond(level).filter_map(|c| unfolded(self.model.clause(c))).collect();
        clauses.sort();
        Invariant { clauses, ..Invariant::default() }
    }

    fn found(&self, first: usize) -> Progress {
        let mut inputs = Vec::new();
        let mut at = Some(first);
        while let Some(number) = at {
            let obligation = &self.obligations[number];
            inputs.push(&obligation.predecessor.inputs);
            at = obligation.leads_to;
        }
        let stimulus = self.model.stimulus(self.ts, &self.obligations[first].predecessor.cube, &inputs);
        Progress::found(self.ts, self.goal, &stimulus.closed(), Engine::Ic3)
    }
}
