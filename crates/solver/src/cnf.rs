//! Clauses for the circuit, written on demand and one polarity at a time.
//!
//! A gate that is only ever needed true gets only the clauses for "gate implies function" (Plaisted and Greenbaum 1986);
//! the other half is added when somebody needs it. Trees of conjunctions that nobody else reads become one wide gate, an
//! xor of an xor becomes a three-input one.
//!
//! Consequence to know: in a model the variable of an inner gate may differ from what its inputs compute. Only inputs are
//! read back; everything else is evaluated from them.
//! Invariant: no recursion; the work list holds the gates whose clauses are missing.

use crate::aig::{Aig, Edge, Gate};
use crate::linear::Linear;
use crate::sat::Sat;
use blitz_base::Budget;
use rustc_hash::FxHashMap;
use rustsat::types::Lit;

const POSITIVE: u8 = 1;
const NEGATIVE: u8 = 2;
/// How many gates are written between two looks at the clock.
const GATES_PER_LOOK: u32 = 1 << 13;

/// Which gates have which clauses.
#[derive(Default)]
pub struct Cnf {
    /// SAT variable of a node plus one; 0 where it has none.
    var: Vec<u32>,
    done: Vec<u8>,
    work: Vec<(u32, u8)>,
    preferred: FxHashMap<u32, bool>,
    linear: Linear,
    /// What the clauses may take; where it ran out, the work list keeps what is missing.
    budget: Budget,
}

impl Cnf {
    /// Makes the edge true for good.
    pub fn assert(&mut self, g: &Aig, sat: &mut Sat, edge: Edge) {
        let mut conjuncts = Vec::new();
        let mut stack = vec![edge];
        while let Some(e) = stack.pop() {
            match g.gate(e.node()) {
                Gate::And(a, b) if !e.inverted() => stack.extend([b, a]),
                Gate::Const | Gate::Input | Gate::And(..) | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => {
                    conjuncts.push(e);
                }
            }
        }
        conjuncts.sort_unstable();
        conjuncts.dedup();
        for e in conjuncts {
            self.linear.assert(g, e);
            self.assert_one(g, sat, e);
        }
    }

    /// Adds what the asserted exclusive ors determine together; to be called before each question.
    pub fn solve_linear(&mut self, g: &Aig, sat: &mut Sat) {
        match self.linear.determined() {
            Some(inputs) => inputs.into_iter().for_each(|e| self.assert_clause(g, sat, &[e])),
            None => sat.add_clause(&[]),
        }
    }

    /// A gate that only this assertion knows needs no variable: its function is asserted instead.
    fn assert_one(&mut self, g: &Aig, sat: &mut Sat, e: Edge) {
        let polarity = if e.inverted() { NEGATIVE } else { POSITIVE };
        let direct = self.private(g, e.node());
        match g.gate(e.node()) {
            Gate::Xor(..) if direct => self.xor(g, sat, (e.node(), polarity), None),
            Gate::Mux(c, t, f) if direct => self.mux(sat, [c, t, f], polarity, None),
            Gate::Maj(a, b, c) if direct => self.maj(sat, [a, b, c], polarity, None),
            Gate::Const | Gate::Input | Gate::And(..) | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => {
                return self.assert_clause(g, sat, &[e]);
            }
        }
        self.flush(g, sat);
    }

    /// Makes one of the edges true for good.
    pub fn assert_clause(&mut self, g: &Aig, sat: &mut Sat, edges: &[Edge]) {
        let mut lits = Vec::new();
        let mut stack = edges.to_vec();
        while let Some(e) = stack.pop() {
            match g.gate(e.node()) {
                Gate::Const if e == Edge::TRUE => return,
                Gate::Const => {}
                Gate::And(a, b) if e.inverted() && self.private(g, e.node()) => stack.extend([!a, !b]),
                Gate::Input | Gate::And(..) | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => {
                    lits.push(self.need(sat, e));
                }
            }
        }
        lits.sort_unstable();
        lits.dedup();
        sat.add_clause(&lits);
        self.flush(g, sat);
    }

    /// A literal that implies the edge.
    pub fn literal(&mut self, g: &Aig, sat: &mut Sat, edge: Edge) -> Lit {
        if edge.is_const() {
            let lit = self.lit(sat, Edge::TRUE);
            if self.done[0] == 0 {
                self.done[0] = POSITIVE | NEGATIVE;
                sat.add_clause(&[lit]);
            }
            return if edge == Edge::TRUE { lit } else { !lit };
        }
        let lit = self.need(sat, edge);
        self.flush(g, sat);
        lit
    }

    /// The SAT literal of a node that has one.
    pub fn existing(&self, node: u32) -> Option<Lit> {
        match self.var.get(node as usize) {
            Some(0) | None => None,
            Some(v) => Some(Lit::positive(v - 1)),
        }
    }

    /// The value an input should take first.
    pub fn prefer(&mut self, sat: &mut Sat, edge: Edge, value: bool) {
        let value = value ^ edge.inverted();
        if edge.is_const() || self.preferred.insert(edge.node(), value).is_some() {
            return;
        }
        if let Some(lit) = self.existing(edge.node()) {
            sat.prefer(if value { lit } else { !lit });
        }
    }

    pub fn preferred(&self, node: u32) -> bool {
        self.preferred.get(&node).copied().unwrap_or(false)
    }

    /// Nobody but its one reader knows the gate, so it may dissolve into the reader.
    fn private(&self, g: &Aig, node: u32) -> bool {
        g.fanout(node) <= 1 && self.var.get(node as usize).is_none_or(|v| *v == 0)
    }

    fn lit(&mut self, sat: &mut Sat, edge: Edge) -> Lit {
        let node = edge.node() as usize;
        if node >= self.var.len() {
            self.var.resize(node + 1, 0);
            self.done.resize(node + 1, 0);
        }
        if self.var[node] == 0 {
            let lit = sat.new_var();
            self.var[node] = lit.vidx32() + 1;
            if let Some(value) = self.preferred.get(&edge.node()) {
                sat.prefer(if *value { lit } else { !lit });
            }
        }
        let lit = Lit::positive(self.var[node] - 1);
        // Node 0 is the constant false, its literal is that of the constant true inverted.
        if edge.inverted() { !lit } else { lit }
    }

    /// The literal of an edge that has to imply the edge.
    fn need(&mut self, sat: &mut Sat, edge: Edge) -> Lit {
        let lit = self.lit(sat, edge);
        let polarity = if edge.inverted() { NEGATIVE } else { POSITIVE };
        let done = &mut self.done[edge.node() as usize];
        if *done & polarity == 0 {
            *done |= polarity;
            self.work.push((edge.node(), polarity));
        }
        lit
    }

    fn need_both(&mut self, sat: &mut Sat, edge: Edge) -> Lit {
        self.need(sat, !edge);
        self.need(sat, edge)
    }

    /// Sets what the next clauses may take, and writes those that an earlier budget left out.
    pub fn go_on(&mut self, g: &Aig, sat: &mut Sat, budget: &Budget) {
        self.budget = budget.clone();
        self.flush(g, sat);
    }

    /// Whether all clauses were written: without them a model means nothing.
    pub fn is_complete(&self) -> bool {
        self.work.is_empty()
    }

    fn flush(&mut self, g: &Aig, sat: &mut Sat) {
        let mut gates = 0;
        while let Some((node, polarity)) = self.work.pop() {
            gates += 1;
            if gates % GATES_PER_LOOK == 0 && self.budget.expired().is_some() {
                self.work.push((node, polarity));
                return;
            }
            match (g.gate(node), polarity) {
                (Gate::Const, _) => unreachable!("constants should not reach the clauses"),
                (Gate::Input, _) => {}
                (Gate::And(..), POSITIVE) => self.and_positive(g, sat, node),
                (Gate::And(..), _) => self.and_negative(g, sat, node),
                (Gate::Xor(..), p) => {
                    let guard = self.guard(sat, node, p);
                    self.xor(g, sat, (node, p), Some(guard));
                }
                (Gate::Mux(c, t, e), p) => {
                    let guard = self.guard(sat, node, p);
                    self.mux(sat, [c, t, e], p, Some(guard));
                }
                (Gate::Maj(a, b, c), p) => {
                    let guard = self.guard(sat, node, p);
                    self.maj(sat, [a, b, c], p, Some(guard));
                }
            }
        }
    }

    /// The conjuncts of a gate after its private conjunctions dissolved.
    fn conjuncts(&self, g: &Aig, node: u32) -> Vec<Edge> {
        let Gate::And(a, b) = g.gate(node) else { unreachable!("only conjunctions should be asked for conjuncts") };
        let mut leaves = Vec::new();
        let mut stack = vec![a, b];
        while let Some(e) = stack.pop() {
            match g.gate(e.node()) {
                Gate::And(x, y) if !e.inverted() && self.private(g, e.node()) => stack.extend([x, y]),
                Gate::Const | Gate::Input | Gate::And(..) | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => {
                    leaves.push(e)
                }
            }
        }
        leaves.sort_unstable();
        leaves.dedup();
        leaves
    }

    fn and_positive(&mut self, g: &Aig, sat: &mut Sat, node: u32) {
        let out = self.lit(sat, Edge::of_node(node));
        for leaf in self.conjuncts(g, node) {
            match g.gate(leaf.node()) {
                // An equality of words: two clauses a bit, without a variable for the bit.
                Gate::Xor(a, b) if self.private(g, leaf.node()) => {
                    let (a, b) = (self.need_both(sat, a), self.need_both(sat, b.flip_if(!leaf.inverted())));
                    sat.add_clause(&[!out, !a, b]);
                    sat.add_clause(&[!out, a, !b]);
                }
                Gate::Const | Gate::Input | Gate::And(..) | Gate::Xor(..) | Gate::Mux(..) | Gate::Maj(..) => {
                    let lit = self.need(sat, leaf);
                    sat.add_clause(&[!out, lit]);
                }
            }
        }
    }

    fn and_negative(&mut self, g: &Aig, sat: &mut Sat, node: u32) {
        let mut clause = vec![self.lit(sat, Edge::of_node(node))];
        for leaf in self.conjuncts(g, node) {
            clause.push(self.need(sat, !leaf));
        }
        sat.add_clause(&clause);
    }

    fn xor_inputs(&self, g: &Aig, node: u32) -> Vec<Edge> {
        let Gate::Xor(a, b) = g.gate(node) else { unreachable!("only xors should be asked for their inputs") };
        for (inner, other) in [(a, b), (b, a)] {
            if let Gate::Xor(x, y) = g.gate(inner.node())
                && self.private(g, inner.node())
            {
                return vec![other, x, y.flip_if(inner.inverted())];
            }
        }
        vec![a, b]
    }

    /// The literal whose falsity switches the gate's clauses off.
    fn guard(&mut self, sat: &mut Sat, node: u32, polarity: u8) -> Lit {
        let out = self.lit(sat, Edge::of_node(node));
        if polarity == NEGATIVE { out } else { !out }
    }

    fn xor(&mut self, g: &Aig, sat: &mut Sat, (node, polarity): (u32, u8), guard: Option<Lit>) {
        let inputs = self.xor_inputs(g, node);
        let positive = polarity == POSITIVE;
        let lits: Vec<Lit> = inputs.iter().map(|e| self.need_both(sat, *e)).collect();
        for signs in 0..1_u32 << lits.len() {
            // A clause per assignment of the inputs whose parity contradicts the gate's polarity.
            let odd = signs.count_ones() % 2 == 1;
            if odd == positive {
                continue;
            }
            let mut clause: Vec<Lit> = guard.into_iter().collect();
            for (i, lit) in lits.iter().enumerate() {
                clause.push(if signs >> i & 1 == 1 { !*lit } else { *lit });
            }
            sat.add_clause(&clause);
        }
    }

    fn mux(&mut self, sat: &mut Sat, [c, t, e]: [Edge; 3], polarity: u8, guard: Option<Lit>) {
        let negative = polarity == NEGATIVE;
        let c = self.need_both(sat, c);
        let t = self.need(sat, t.flip_if(negative));
        let e = self.need(sat, e.flip_if(negative));
        // The last is implied, but lets the branches decide without the select.
        for pair in [[!c, t], [c, e], [t, e]] {
            guarded(sat, guard, pair);
        }
    }

    fn maj(&mut self, sat: &mut Sat, inputs: [Edge; 3], polarity: u8, guard: Option<Lit>) {
        let negative = polarity == NEGATIVE;
        let [a, b, c] = inputs.map(|e| self.need(sat, e.flip_if(negative)));
        for pair in [[a, b], [a, c], [b, c]] {
            guarded(sat, guard, pair);
        }
    }
}

fn guarded(sat: &mut Sat, guard: Option<Lit>, [a, b]: [Lit; 2]) {
    match guard {
        Some(guard) => sat.add_clause(&[guard, a, b]),
        None => sat.add_clause(&[a, b]),
    }
}
