//! What all frames share: the system, its initial cube, and how active its latches are in clauses.

use super::cells::Cells;
use super::cube::{Cube, LatchLit};
use crate::answer::StateLit;
use crate::bits::{Bits, Role};
use crate::sim::Stimulus;
use crate::ts::Ts;
use crate::unroll::set_bit;
use blitz_solver::aig::{Edge, Gate, children};
use blitz_term::Value;

/// How much more a later clause counts for the activity of its latches.
const ACTIVITY_GROWTH: f64 = 1.05;

/// The system as IC3 sees it.
pub struct Model<'a> {
    pub bits: &'a Bits,
    pub cells: Cells,
    /// Per latch its value at time 0, if there is one: the initial states are a cube.
    initial: Vec<Option<bool>>,
    /// Per node of the graph the latch that it is.
    latch_of: Vec<Option<u32>>,
    /// Per node roughly how many latches its value rests on.
    pub cost: Vec<u32>,
    activity: Vec<f64>,
    bump: f64,
}

impl<'a> Model<'a> {
    /// A system whose initial states are a cube (`Bits::with_initial_cube`).
    pub fn new(bits: &'a Bits) -> Self {
        let constant = |e: Edge| {
            assert!(e.is_const(), "initial values should be constants here");
            e == Edge::TRUE
        };
        assert!(bits.init.is_empty(), "initial states should be a cube here");
        let mut latch_of = vec![None; bits.g.len()];
        for (i, latch) in bits.latches.iter().enumerate() {
            latch_of[latch.var.node() as usize] = Some(i as u32);
        }
        Self {
            initial: bits.latches.iter().map(|l| l.init.map(constant)).collect(),
            cost: costs(bits, &latch_of),
            cells: Cells::new(bits),
            latch_of,
            activity: vec![0.0; bits.latches.len()],
            bump: 1.0,
            bits,
        }
    }

    /// The latch that a node of the graph is.
    pub fn latch(&self, node: u32) -> Option<usize> {
        self.latch_of[node as usize].map(|l| l as usize)
    }

    /// The value of a latch at time 0.
    pub fn initial(&self, latch: usize) -> Option<bool> {
        self.initial[latch]
    }

    /// The edge that holds where the literal does, now.
    pub fn now(&self, lit: LatchLit) -> Edge {
        self.bits.latches[lit.latch()].var.flip_if(!lit.value())
    }

    /// The edge that holds where the literal does one step later.
    pub fn next(&self, lit: LatchLit) -> Edge {
        self.bits.latches[lit.latch()].next.flip_if(!lit.value())
    }

    fn excludes_initial(&self, lit: LatchLit) -> bool {
        self.initial[lit.latch()].is_some_and(|v| v != lit.value())
    }

    /// Whether the cube holds an initial state.
    pub fn meets_initial(&self, cube: &Cube) -> bool {
        !cube.lits().iter().any(|&l| self.excludes_initial(l))
    }

    /// A part of `whole`, made to exclude the initial states as `whole` does.
    pub fn off_initial(&self, part: Cube, whole: &Cube) -> Cube {
        if !self.meets_initial(&part) {
            return part;
        }
        let literal = whole.lits().iter().copied().find(|&l| self.excludes_initial(l));
        let literal = literal.expect("a blocked cube should exclude the initial states");
        Cube::new(part.lits().iter().copied().chain([literal]).collect())
    }

    /// Notes that a cube became a clause.
    pub fn bump(&mut self, cube: &Cube) {
        for lit in cube.lits() {
            self.activity[lit.latch()] += self.bump;
        }
        self.bump *= ACTIVITY_GROWTH;
        if self.bump > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.bump *= 1e-100;
        }
    }

    /// The literals in the order in which they should be dropped: that of the constraints, since questions without it are much smaller, then those
    /// that clauses need least.
    pub fn dropping_order(&self, cube: &Cube) -> Vec<LatchLit> {
        let mut lits = cube.lits().to_vec();
        let need = |l: &LatchLit| match self.bits.latches[l.latch()].is_folded() {
            true => -1.0,
            false => self.activity[l.latch()],
        };
        lits.sort_by(|a, b| need(a).total_cmp(&need(b)).then(a.cmp(b)));
        lits
    }

    /// The clause that excludes a cube, over bits of states.
    pub fn clause(&self, cube: &Cube) -> Vec<StateLit> {
        let literal = |l: &LatchLit| {
            let place = self.bits.latches[l.latch()].place;
            StateLit { state: place.index, bit: place.bit.into(), value: !l.value() }
        };
        cube.lits().iter().map(literal).collect()
    }

    /// Values that begin in an initial state of the cube and go along the inputs.
    pub fn stimulus(&self, ts: &Ts, first: &Cube, inputs: &[&Vec<bool>]) -> Stimulus {
        let zero = |t| Value::zero(ts.terms.sort(t));
        let mut initial: Vec<Value> = ts.states.iter().map(|s| zero(s.var)).collect();
        let mut free = vec![initial.clone(); inputs.len() - 1];
        let none: Vec<Value> = ts.inputs.iter().map(|i| zero(i.var)).collect();
        let mut values = vec![none; inputs.len()];
        let mut loop_start = None;
        for lit in first.lits() {
            let place = self.bits.latches[lit.latch()].place;
            if place.is_state() {
                set_bit(&mut initial[place.index], place.bit, lit.value());
            }
        }
        for (time, bits) in inputs.iter().enumerate() {
            for (&(_, role), &value) in self.bits.inputs.iter().zip(bits.iter()) {
                match role {
                    Role::Input(place) => set_bit(&mut values[time][place.index], place.bit, value),
                    Role::Free(place) if time + 1 < inputs.len() => {
                        set_bit(&mut free[time][place.index], place.bit, value);
                    }
                    Role::Free(_) => {}
                    Role::Save if value => loop_start = loop_start.or(Some(time)),
                    Role::Save => {}
                }
            }
        }
        Stimulus { initial, inputs: values, free, loop_start }
    }
}

fn costs(bits: &Bits, latch_of: &[Option<u32>]) -> Vec<u32> {
    let mut costs = vec![0u32; bits.g.len()];
    for node in 0..bits.g.len() {
        let gate = bits.g.gate(node as u32);
        costs[node] = match gate {
            Gate::Const => 0,
            Gate::Input if latch_of[node].is_some() => 1,
            Gate::Input => 0,
            Gate::And(..) | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => {
                children(gate).into_iter().flatten().fold(0, |sum: u32, e| sum.saturating_add(costs[e.node() as usize]))
            }
        };
    }
    costs
}
