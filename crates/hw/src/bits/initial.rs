//! Initial states as a cube: what IC3 needs, for systems whose initial values are computed or constrained.
//!
//! A latch `first` is true at time 0 and false ever after. A latch whose initial value is not constant may begin with anything, and wherever its value
//! is read, its initial value is read instead while `first` holds. Initial conditions become constraints that hold while `first` does.
//! The initial states then are those with `first` true and the constant initial values.

use super::{BitGoal, Bits, Latch, Place};
use blitz_solver::aig::{Aig, Edge, Gate, children};

impl Bits {
    /// The same system with initial states that are a cube; none if they are one already.
    pub fn with_initial_cube(&self) -> Option<Bits> {
        let computed = |l: &Latch| l.init.is_some_and(|e| !e.is_const());
        if self.init.is_empty() && !self.latches.iter().any(computed) {
            return None;
        }
        let mut g = Aig::default();
        let first = g.input();
        let mut instead = vec![None; self.g.len()];
        for latch in self.latches.iter().filter(|l| computed(l)) {
            instead[latch.var.node() as usize] = latch.init;
        }
        let builder = Builder {
            bits: self,
            g,
            first,
            instead,
            edges: vec![None; self.g.len()],
            inputs: vec![None; self.g.len()],
        };
        Some(builder.build())
    }
}

struct Builder<'a> {
    bits: &'a Bits,
    g: Aig,
    first: Edge,
    /// Per node of a latch with a computed initial value: that value.
    instead: Vec<Option<Edge>>,
    /// Per node: its value in the new graph.
    edges: Vec<Option<Edge>>,
    /// Per input node: its input in the new graph.
    inputs: Vec<Option<Edge>>,
}

impl Builder<'_> {
    fn build(mut self) -> Bits {
        let bits = self.bits;
        let mut latches =
            vec![Latch { var: self.first, init: Some(Edge::TRUE), next: Edge::FALSE, place: Place::own(0) }];
        for latch in &bits.latches {
            let var = self.input(latch.var.node());
            let init = latch.init.filter(|e| e.is_const());
            latches.push(Latch { var, init, next: self.edge(latch.next), place: latch.place });
        }
        let inputs = bits.inputs.iter().map(|&(e, role)| (self.input(e.node()), role)).collect();
        let mut constraints = self.all(&bits.constraints);
        for condition in self.all(&bits.init) {
            let first = self.first;
            constraints.push(self.g.or(!first, condition));
        }
        let trans = self.all(&bits.trans);
        let goals = bits.goals.iter().map(|goal| goal.as_ref().map(|g| self.goal(g))).collect();
        Bits { g: self.g, latches, inputs, init: Vec::new(), constraints, trans, goals }
    }

    fn goal(&mut self, goal: &BitGoal) -> BitGoal {
        match goal {
            BitGoal::Bad(e) => BitGoal::Bad(self.edge(*e)),
            BitGoal::Justice(all) => BitGoal::Justice(self.all(all)),
        }
    }

    fn all(&mut self, edges: &[Edge]) -> Vec<Edge> {
        edges.iter().map(|&e| self.edge(e)).collect()
    }

    fn input(&mut self, node: u32) -> Edge {
        let slot = &mut self.inputs[node as usize];
        *slot.get_or_insert_with(|| self.g.input())
    }

    fn built(&self, e: Edge) -> Edge {
        self.edges[e.node() as usize].expect("children should be built before their parents").flip_if(e.inverted())
    }

    /// The edge in the new graph. Initial values refer to latches, never back to their own, so this ends.
    fn edge(&mut self, e: Edge) -> Edge {
        let mut stack = vec![e.node()];
        while let Some(&node) = stack.last() {
            if self.edges[node as usize].is_some() {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let below = children(self.bits.g.gate(node)).into_iter().flatten().chain(self.instead[node as usize]);
            stack.extend(below.map(Edge::node).filter(|&n| self.edges[n as usize].is_none()));
            if stack.len() == before {
                stack.pop();
                self.edges[node as usize] = Some(self.gate(node));
            }
        }
        self.built(e)
    }

    fn gate(&mut self, node: u32) -> Edge {
        match self.bits.g.gate(node) {
            Gate::Const => Edge::FALSE,
            Gate::Input => {
                let input = self.input(node);
                match self.instead[node as usize] {
                    None => input,
                    Some(init) => {
                        let (first, init) = (self.first, self.built(init));
                        self.g.mux(first, init, input)
                    }
                }
            }
            Gate::And(a, b) => {
                let (a, b) = (self.built(a), self.built(b));
                self.g.and(a, b)
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.built(a), self.built(b));
                self.g.xor(a, b)
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (self.built(c), self.built(t), self.built(e));
                self.g.mux(c, t, e)
            }
            Gate::Maj(a, b, c) => {
                let (a, b, c) = (self.built(a), self.built(b), self.built(c));
                self.g.maj(a, b, c)
            }
        }
    }
}
