//! Latches that always have the same value, or the opposite one, or none but their first: found by simulation, proved by induction, merged
//! ("Sequential Equivalence Checking Based on Structural Similarities", van Eijk 2000).
//!
//! Simulation from the initial states puts latches into candidate classes. If all classes are assumed at one time, each has to hold at the next: a
//! question per latch whose next value does not become its representative's structurally. A model splits classes, and everything is asked again until nothing splits.
//!
//! Direction: exact. What is merged is an inductive invariant of the system (`Swept::facts`), and `invariant` checks it anew with what is proved of the merged system.
//! Absent: gates that are no latches; latches whose initial value is computed or free.

use super::{Bits, Copier, Latch};
use crate::answer::StateLit;
use crate::explicit::random::Rng;
use crate::unroll::{Start, Unroll};
use blitz_base::Budget;
use blitz_solver::aig::{Aig, Edge, Gate};
use blitz_solver::sat::SatResult;
use rustc_hash::FxHashMap;

/// Steps of simulation, of 64 paths at once.
const STEPS: usize = 32;
/// Rounds of questions, conflicts of each, and in all the literals propagated and gates gone through: what is not settled then is left alone.
const MAX_ROUNDS: usize = 64;
const MAX_CONFLICTS: u32 = 300;
const MAX_WORK: u64 = 20_000_000;

/// A system without the latches that others stand for.
pub struct Swept {
    pub bits: Bits,
    /// Why those may go: clauses that are an inductive invariant together.
    pub facts: Vec<Vec<StateLit>>,
}

/// What a latch is equal to, up to a sign: false, or a latch by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Class {
    Constant,
    Of(usize),
}

impl Bits {
    /// The system with equal latches merged; none if there are none, or they could not be settled.
    pub fn swept(&self, budget: &Budget) -> Option<Swept> {
        if self.g.len() as u64 * STEPS as u64 > MAX_WORK {
            return None;
        }
        let mut sweep = Sweep { bits: self, classes: simulate(self), work: 0 };
        for _ in 0..MAX_ROUNDS {
            if sweep.classes.iter().enumerate().all(|(l, c)| c.is_none_or(|c| c == Class::Of(l))) {
                return None;
            }
            if sweep.round(budget)? {
                let (bits, _) = sweep.merged();
                return Some(Swept { bits, facts: sweep.facts() });
            }
        }
        None
    }
}

struct Sweep<'a> {
    bits: &'a Bits,
    /// Per latch its class, of which the first latch has its own number; none for latches that are no candidates.
    classes: Vec<Option<Class>>,
    work: u64,
}

/// The value of a latch at time 0, if it is a constant.
fn first(latch: &Latch) -> Option<bool> {
    latch.init.filter(|e| e.is_const()).map(|e| e == Edge::TRUE)
}

impl Sweep<'_> {
    /// What stands for a latch that goes.
    fn instead(&self, latch: usize) -> Option<Edge> {
        let value = |l: usize| first(&self.bits.latches[l]).expect("a candidate should begin with a constant");
        match self.classes[latch]? {
            Class::Constant => Some(Edge::constant(value(latch))),
            Class::Of(other) if other == latch => None,
            Class::Of(other) => Some(self.bits.latches[other].var.flip_if(value(latch) != value(other))),
        }
    }

    /// The system in which all classes are assumed, and the next value of every latch there.
    fn merged(&self) -> (Bits, Vec<Edge>) {
        let mut instead = vec![None; self.bits.g.len()];
        for (l, latch) in self.bits.latches.iter().enumerate() {
            instead[latch.var.node() as usize] = self.instead(l);
        }
        Copier::whole(self.bits, &instead)
    }

    /// Whether the classes hold at the next time; if not, they are split. None if that takes too long.
    fn round(&mut self, budget: &Budget) -> Option<bool> {
        let (bits, next) = self.merged();
        let gates = bits.g.len() as u64;
        self.work += gates;
        let mut unroll = Unroll::new(&bits, Start::Anywhere, None);
        unroll.assert_time(0, budget);
        unroll.assert_step(0);
        let next: Vec<Edge> = next.iter().map(|&e| unroll.edge(0, e)).collect();
        let mut settled = true;
        for latch in 0..next.len() {
            let Some(differ) = self.difference(&mut unroll, &next, latch) else { continue };
            match unroll.solve(&[differ], Some(MAX_CONFLICTS), budget) {
                SatResult::Unsat => {}
                SatResult::Sat => {
                    self.work += gates;
                    let values = unroll.values(&next);
                    self.split(|l| values[l]);
                    settled = false;
                }
                SatResult::Unknown(_) => {
                    budget.expired().is_none().then_some(())?;
                    self.split(|l| l == latch);
                    settled = false;
                }
            }
            if self.work + unroll.work() > MAX_WORK {
                return None;
            }
        }
        self.work += unroll.work();
        Some(settled)
    }

    /// Holds where the next value of a latch is not that of its class; none if it always is.
    fn difference(&self, unroll: &mut Unroll, next: &[Edge], latch: usize) -> Option<Edge> {
        let value = |l: usize| first(&self.bits.latches[l]);
        let differ = match self.classes[latch]? {
            Class::Of(other) if other == latch => return None,
            Class::Constant => next[latch].flip_if(value(latch)?),
            Class::Of(other) => unroll.graph().xor(next[latch], next[other]).flip_if(value(latch)? != value(other)?),
        };
        (differ != Edge::FALSE).then_some(differ)
    }

    /// Splits classes by the value of their latches, relative to the first one.
    fn split(&mut self, value: impl Fn(usize) -> bool) {
        let mut leaders: FxHashMap<(Class, bool), Class> = FxHashMap::default();
        let mut order: Vec<usize> = (0..self.classes.len()).collect();
        order.sort_by_key(|&l| self.bits.latches[l].var.node());
        for latch in order {
            let (Some(class), Some(init)) = (self.classes[latch], first(&self.bits.latches[latch])) else { continue };
            let changed = value(latch) != init;
            let own = if class == Class::Constant && !changed { Class::Constant } else { Class::Of(latch) };
            self.classes[latch] = Some(*leaders.entry((class, changed)).or_insert(own));
        }
    }

    /// The classes as clauses.
    fn facts(&self) -> Vec<Vec<StateLit>> {
        let literal = |l: usize, value: bool| {
            let place = self.bits.latches[l].place;
            StateLit { state: place.index, bit: place.bit.into(), value }
        };
        let value = |l: usize| first(&self.bits.latches[l]).expect("a candidate should begin with a constant");
        let mut facts = Vec::new();
        for (latch, class) in self.classes.iter().enumerate() {
            match *class {
                Some(Class::Constant) => facts.push(vec![literal(latch, value(latch))]),
                Some(Class::Of(other)) if other != latch => {
                    let opposite = value(latch) != value(other);
                    facts.push(vec![literal(latch, true), literal(other, opposite)]);
                    facts.push(vec![literal(latch, false), literal(other, !opposite)]);
                }
                Some(Class::Of(_)) | None => {}
            }
        }
        facts
    }
}

/// Candidate classes: latches that change at the same times on random paths.
fn simulate(bits: &Bits) -> Vec<Option<Class>> {
    let mut rng = Rng::new(1);
    let spread = |value: bool| if value { u64::MAX } else { 0 };
    let mut state: Vec<u64> = bits.latches.iter().map(|l| first(l).map_or_else(|| rng.bits(), spread)).collect();
    let mut histories = vec![0u64; bits.latches.len()];
    let mut values = vec![0u64; bits.g.len()];
    let mut alive = u64::MAX;
    for _ in 0..STEPS {
        for (latch, &value) in bits.latches.iter().zip(&state) {
            values[latch.var.node() as usize] = value;
        }
        for &(input, _) in &bits.inputs {
            values[input.node() as usize] = rng.bits();
        }
        evaluate(&bits.g, &mut values);
        let at = |e: Edge| values[e.node() as usize] ^ spread(e.inverted());
        alive = bits.constraints.iter().chain(&bits.trans).fold(alive, |alive, &e| alive & at(e));
        for ((latch, now), history) in bits.latches.iter().zip(&mut state).zip(&mut histories) {
            *now = at(latch.next);
            let changed = (*now ^ spread(first(latch) == Some(true))) & alive;
            if changed != 0 {
                *history = (*history ^ changed).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) | 1;
            } else if *history != 0 {
                *history = history.wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31) | 1;
            }
        }
    }
    let mut order: Vec<usize> = (0..histories.len()).collect();
    order.sort_by_key(|&l| bits.latches[l].var.node());
    let mut leaders: FxHashMap<u64, Class> = FxHashMap::from_iter([(0, Class::Constant)]);
    let mut classes = vec![None; histories.len()];
    for latch in order {
        let candidate = first(&bits.latches[latch]).is_some();
        classes[latch] = candidate.then(|| *leaders.entry(histories[latch]).or_insert(Class::Of(latch)));
    }
    classes
}

/// Every gate's value on 64 paths, from those of the inputs.
fn evaluate(g: &Aig, values: &mut [u64]) {
    for node in 0..g.len() {
        let at = |e: Edge| values[e.node() as usize] ^ if e.inverted() { u64::MAX } else { 0 };
        values[node] = match g.gate(node as u32) {
            Gate::Const => 0,
            Gate::Input => values[node],
            Gate::And(a, b) => at(a) & at(b),
            Gate::Xor(a, b) => at(a) ^ at(b),
            Gate::Mux(c, t, e) => at(c) & at(t) | !at(c) & at(e),
            Gate::Maj(a, b, c) => at(a) & at(b) | at(c) & (at(a) | at(b)),
        };
    }
}
