//! A system of bits unrolled in time on one live SAT solver.
//!
//! Each edge at each time becomes an edge of one larger graph, when somebody asks for it; equal structure is shared over time and constants of the
//! initial state run forward through the graph before the solver sees anything. Nothing is ever rebuilt: a later time adds gates and clauses.
//! Invariants: the latch at time t > 0 *is* the edge of its next value at t - 1; no recursion, paths through time are longer than the stack.

use crate::bits::{Bits, Role};
use crate::sim::Stimulus;
use crate::ts::Ts;
use blitz_base::{Budget, Bv, Labour};
use blitz_solver::aig::{Aig, Edge, Gate, children};
use blitz_solver::cnf::Cnf;
use blitz_solver::sat::certify::Certifier;
use blitz_solver::sat::{Sat, SatResult};
use blitz_term::Value;
use rustsat::types::Lit;

/// Where the unrolling begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In an initial state.
    Initial,
    /// In any state.
    Anywhere,
}

/// What an input node of the system's graph is.
#[derive(Clone, Copy)]
enum Leaf {
    Latch(u32),
    Other,
}

/// What writing a clause costs, in propagated literals.
const CLAUSE_WORK: u64 = 4;
/// No edge yet.
const UNBUILT: u32 = u32::MAX;

/// The unrolling so far.
pub struct Unroll<'a> {
    bits: &'a Bits,
    start: Start,
    leaves: Vec<Leaf>,
    /// Per time and node of the system: the node and sign of its edge in `g`, or `UNBUILT`.
    edges: Vec<Vec<u32>>,
    g: Aig,
    sat: Sat,
    cnf: Cnf,
    /// Gates and clauses that the budget knows of.
    counted: (usize, u64),
}

impl<'a> Unroll<'a> {
    /// Nothing unrolled yet.
    pub fn new(bits: &'a Bits, start: Start, certifier: Option<Certifier>) -> Self {
        let mut leaves = vec![Leaf::Other; bits.g.len()];
        for (i, latch) in bits.latches.iter().enumerate() {
            leaves[latch.var.node() as usize] = Leaf::Latch(i as u32);
        }
        let sat = match start {
            Start::Initial => Sat::steady(certifier),
            Start::Anywhere => Sat::new(certifier),
        };
        let (g, cnf) = (Aig::default(), Cnf::default());
        Self { bits, start, leaves, edges: Vec::new(), g, sat, cnf, counted: (0, 0) }
    }

    /// The edge of the unrolled graph for an edge of the system at a time.
    pub fn edge(&mut self, time: usize, e: Edge) -> Edge {
        while self.edges.len() <= time {
            self.edges.push(vec![UNBUILT; self.bits.g.len()]);
        }
        let mut stack = vec![(time, e.node())];
        while let Some(&(time, node)) = stack.last() {
            if self.edges[time][node as usize] != UNBUILT {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.push_missing(time, node, &mut stack);
            if stack.len() == before {
                let edge = self.gate(time, node);
                self.edges[time][node as usize] = edge.node() << 1 | u32::from(edge.inverted());
                stack.pop();
            }
        }
        self.built(time, e)
    }

    fn built(&self, time: usize, e: Edge) -> Edge {
        let raw = self.edges[time][e.node() as usize];
        debug_assert_ne!(raw, UNBUILT, "children should be built before their parents");
        Edge::of_node(raw >> 1).flip_if((raw & 1 == 1) ^ e.inverted())
    }

    /// What the value of a latch at a time comes from.
    fn source(&self, time: usize, latch: u32) -> Option<(usize, Edge)> {
        let latch = &self.bits.latches[latch as usize];
        match (time, self.start) {
            (0, Start::Initial) => latch.init.map(|e| (0, e)),
            (0, Start::Anywhere) => None,
            (_, Start::Initial | Start::Anywhere) => Some((time - 1, latch.next)),
        }
    }

    fn push_missing(&self, time: usize, node: u32, stack: &mut Vec<(usize, u32)>) {
        let mut want = |time: usize, e: Edge| {
            if self.edges[time][e.node() as usize] == UNBUILT {
                stack.push((time, e.node()));
            }
        };
        match self.leaves[node as usize] {
            Leaf::Latch(latch) => {
                if let Some((time, e)) = self.source(time, latch) {
                    want(time, e);
                }
            }
            Leaf::Other => {
                for e in children(self.bits.g.gate(node)).into_iter().flatten() {
                    want(time, e);
                }
            }
        }
    }

    fn gate(&mut self, time: usize, node: u32) -> Edge {
        if let Leaf::Latch(latch) = self.leaves[node as usize] {
            return match self.source(time, latch) {
                Some((time, e)) => self.built(time, e),
                None => self.g.input(),
            };
        }
        let at = |e: Edge| self.built(time, e);
        match self.bits.g.gate(node) {
            Gate::Const => Edge::FALSE,
            Gate::Input => self.g.input(),
            Gate::And(a, b) => {
                let (a, b) = (at(a), at(b));
                self.g.and(a, b)
            }
            Gate::Xor(a, b) => {
                let (a, b) = (at(a), at(b));
                self.g.xor(a, b)
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (at(c), at(t), at(e));
                self.g.mux(c, t, e)
            }
            Gate::Maj(a, b, c) => {
                let (a, b, c) = (at(a), at(b), at(c));
                self.g.maj(a, b, c)
            }
        }
    }

    /// Makes the conditions of the system hold at this time, and those of the step that leads to it.
    pub fn assert_time(&mut self, time: usize, budget: &Budget) {
        self.cnf.go_on(&self.g, &mut self.sat, budget);
        let bits = self.bits;
        if time == 0 && self.start == Start::Initial {
            self.assert_all(0, &bits.init);
        }
        if time > 0 {
            self.assert_step(time - 1);
        }
        self.assert_all(time, &bits.constraints);
    }

    /// Makes the conditions hold that a step from this time has.
    pub fn assert_step(&mut self, time: usize) {
        let bits = self.bits;
        self.assert_all(time, &bits.trans);
    }

    fn assert_all(&mut self, time: usize, edges: &[Edge]) {
        for &e in edges {
            let e = self.edge(time, e);
            self.assert(e);
        }
    }

    /// Holds where the states and inputs of a time would do as those of time 0.
    pub fn initial_at(&mut self, time: usize) -> Edge {
        let bits = self.bits;
        let mut parts = Vec::new();
        for latch in &bits.latches {
            if let Some(init) = latch.init {
                let (now, init) = (self.edge(time, latch.var), self.edge(time, init));
                parts.push(!self.g.xor(now, init));
            }
        }
        for &condition in &bits.init {
            parts.push(self.edge(time, condition));
        }
        self.g.and_all(&parts)
    }

    /// The unrolled graph, for further gates on top.
    pub fn graph(&mut self) -> &mut Aig {
        &mut self.g
    }

    /// Makes an edge of the unrolled graph true for good.
    pub fn assert(&mut self, e: Edge) {
        self.cnf.assert(&self.g, &mut self.sat, e);
    }

    /// A literal that implies an edge of the unrolled graph.
    pub fn literal(&mut self, e: Edge) -> Lit {
        self.cnf.literal(&self.g, &mut self.sat, e)
    }

    /// Asks for a model in which the edges of the unrolled graph hold, for at most so many conflicts.
    pub fn solve(&mut self, edges: &[Edge], conflicts: Option<u32>, budget: &Budget) -> SatResult {
        self.cnf.go_on(&self.g, &mut self.sat, budget);
        let lits: Vec<Lit> = edges.iter().map(|&e| self.literal(e)).collect();
        self.cnf.solve_linear(&self.g, &mut self.sat);
        self.count(budget);
        if !self.cnf.is_complete() {
            let stop = budget.expired().unwrap_or(blitz_base::Stop::Memory);
            return SatResult::Unknown(stop.into());
        }
        self.sat.solve(&lits, conflicts, budget)
    }

    /// Tells the budget of the gates and clauses since the last question.
    fn count(&mut self, budget: &Budget) {
        let now = (self.g.len(), self.sat.clauses());
        budget.spend(Labour::Gate, (now.0 - self.counted.0) as u64);
        budget.spend(Labour::Clause, now.1 - self.counted.1);
        self.counted = now;
    }

    /// The value of an input of the unrolled graph in the model.
    fn leaf_value(&self, e: Edge) -> bool {
        match self.cnf.existing(e.node()) {
            Some(lit) => self.sat.value(lit) ^ e.inverted(),
            None => e == Edge::TRUE,
        }
    }

    /// The values of all latches at each time up to `last`, computed from the model's inputs.
    pub fn latch_values(&self, last: usize) -> Vec<Vec<bool>> {
        let mut values = Vec::new();
        self.g.evaluate(&mut values, |node| self.leaf_value(Edge::of_node(node)));
        let value = |time: usize, var: Edge| match self.edges.get(time).map(|t| t[var.node() as usize]) {
            Some(raw) if raw != UNBUILT => values[(raw >> 1) as usize] ^ (raw & 1 == 1),
            _ => false,
        };
        (0..=last).map(|t| self.bits.latches.iter().map(|l| value(t, l.var)).collect()).collect()
    }

    /// What the model says about everything that the system leaves open, up to a time.
    pub fn stimulus(&self, ts: &Ts, last: usize) -> Stimulus {
        let zero = |t| Value::zero(ts.terms.sort(t));
        let mut initial: Vec<Value> = ts.states.iter().map(|s| zero(s.var)).collect();
        let none: Vec<Value> = ts.inputs.iter().map(|i| zero(i.var)).collect();
        let mut inputs = vec![none; last + 1];
        let mut free = vec![initial.clone(); last];
        let mut loop_start = None;
        for latch in self.bits.latches.iter().filter(|l| l.place.is_state()) {
            set_bit(&mut initial[latch.place.index], latch.place.bit, self.model_value(0, latch.var));
        }
        for time in 0..=last {
            for &(e, role) in &self.bits.inputs {
                let value = self.model_value(time, e);
                match role {
                    Role::Input(place) => set_bit(&mut inputs[time][place.index], place.bit, value),
                    Role::Free(place) if time < last => set_bit(&mut free[time][place.index], place.bit, value),
                    Role::Free(_) => {}
                    Role::Save if value => loop_start = loop_start.or(Some(time)),
                    Role::Save => {}
                }
            }
        }
        Stimulus { initial, inputs, free, loop_start }
    }

    /// The value of an input of the system at a time; false where nobody asked for it. A latch counts where it is an input.
    fn model_value(&self, time: usize, var: Edge) -> bool {
        match self.edges.get(time).map(|t| t[var.node() as usize]) {
            Some(raw) if raw != UNBUILT => self.leaf_value(Edge::of_node(raw >> 1)) ^ (raw & 1 == 1),
            _ => false,
        }
    }

    /// The first of some edges of the unrolled graph that holds in the model.
    pub fn first_true(&self, edges: &[Edge]) -> Option<usize> {
        self.values(edges).into_iter().position(|value| value)
    }

    /// The values of some edges of the unrolled graph in the model.
    pub fn values(&self, edges: &[Edge]) -> Vec<bool> {
        let mut values = Vec::new();
        self.g.evaluate(&mut values, |node| self.leaf_value(Edge::of_node(node)));
        edges.iter().map(|e| values[e.node() as usize] ^ e.inverted()).collect()
    }

    /// The work so far: literals propagated, and clauses written.
    pub fn work(&self) -> u64 {
        self.sat.propagations() + CLAUSE_WORK * self.sat.clauses()
    }

    /// Conflicts of the solver so far.
    pub fn conflicts(&self) -> u64 {
        self.sat.conflicts()
    }

    /// Variables and clauses so far.
    pub fn size(&self) -> (u32, u64) {
        (self.sat.vars(), self.sat.clauses())
    }

    /// Steps of proofs checked so far.
    pub fn certified(&self) -> u64 {
        self.sat.certified_steps()
    }
}

/// Sets one bit of a bit-vector value.
pub fn set_bit(value: &mut Value, bit: u16, to: bool) {
    let Value::Bv(old) = value else { panic!("a bit of an array should not be asked for") };
    if old.bit(bit) != to {
        *old = Bv::from_bits(old.width(), |i| if i == bit { to } else { old.bit(i) });
    }
}
