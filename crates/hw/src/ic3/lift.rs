//! From one state to the many that do the same: what of the state the gates' values rest on.
//!
//! From the targets down, each gate's value is justified by as few of its inputs as suffice: one false input of a conjunction, the select and the
//! chosen input of a multiplexer. The latches that are reached are the cube. Linear in the cone, and no question to a solver.

use super::cube::{Cube, LatchLit};
use super::model::Model;
use blitz_solver::aig::{Edge, Gate};

/// Marks of the nodes that were reached, reused from state to state.
pub struct Lifter {
    seen: Vec<u32>,
    epoch: u32,
    stack: Vec<u32>,
}

impl Lifter {
    pub fn new(nodes: usize) -> Self {
        Self { seen: vec![0; nodes], epoch: 0, stack: Vec::new() }
    }

    /// The latches, with their values, that give each target the value it has.
    pub fn lift(&mut self, model: &Model, targets: impl Iterator<Item = Edge>, value: &dyn Fn(u32) -> bool) -> Cube {
        self.epoch += 1;
        let mut lits = Vec::new();
        for target in targets {
            self.reach(target);
        }
        while let Some(node) = self.stack.pop() {
            match model.bits.g.gate(node) {
                Gate::Const => {}
                Gate::Input => {
                    if let Some(latch) = model.latch(node) {
                        lits.push(LatchLit::new(latch, value(node)));
                    }
                }
                Gate::And(..) => self.conjunction(model, node, value),
                Gate::Xor(a, b) => {
                    self.reach(a);
                    self.reach(b);
                }
                Gate::Mux(c, t, e) => {
                    self.reach(c);
                    self.reach(if holds(c, value) { t } else { e });
                }
                Gate::Maj(a, b, c) => self.majority(model, [a, b, c], value),
            }
        }
        Cube::new(lits)
    }

    fn reach(&mut self, e: Edge) {
        let mark = &mut self.seen[e.node() as usize];
        if *mark != self.epoch {
            *mark = self.epoch;
            self.stack.push(e.node());
        }
    }

    /// What justifying an edge adds: nothing if it is justified already.
    fn price(&self, model: &Model, e: Edge) -> u32 {
        if self.seen[e.node() as usize] == self.epoch { 0 } else { model.cost[e.node() as usize].saturating_add(1) }
    }

    fn conjunction(&mut self, model: &Model, node: u32, value: &dyn Fn(u32) -> bool) {
        let inputs = model.cells.inputs(node);
        let blocking = inputs.iter().filter(|&&e| !holds(e, value)).min_by_key(|&&e| self.price(model, e));
        match blocking {
            Some(&e) => self.reach(e),
            None => inputs.iter().for_each(|&e| self.reach(e)),
        }
    }

    fn majority(&mut self, model: &Model, inputs: [Edge; 3], value: &dyn Fn(u32) -> bool) {
        let ayes = inputs.iter().filter(|&&e| holds(e, value)).count();
        let mut agreeing: Vec<Edge> = inputs.into_iter().filter(|&e| holds(e, value) == (ayes >= 2)).collect();
        agreeing.sort_by_key(|&e| self.price(model, e));
        for &e in &agreeing[..2] {
            self.reach(e);
        }
    }
}

fn holds(e: Edge, value: &dyn Fn(u32) -> bool) -> bool {
    match e {
        Edge::TRUE => true,
        Edge::FALSE => false,
        _ => value(e.node()) ^ e.inverted(),
    }
}
