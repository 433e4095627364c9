//! The circuit below the words: a graph of two-input gates with inverters on its edges.
//!
//! Nodes are and, xor, mux and majority. Plain and-inverter graphs lose the last three and have to find them again when
//! clauses are written; keeping them makes xor two nodes cheaper and a full adder one xor pair and one majority.
//! Every constructor normalises, applies the local rules of `rewrite` and then looks the gate up, so equal structure is
//! one node.
//!
//! Invariants: children have smaller numbers than their parent (one pass in number order evaluates the whole graph);
//! node 0 is the constant; the first child of xor, the select and `then` child of mux carry no inverter.
//! Absent: global rewriting, garbage collection (the solver is incremental, everything may be asked again).

mod rewrite;
mod unique;
pub mod word;

use unique::Unique;

/// A node of the graph, possibly inverted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge(u32);

impl Edge {
    pub const FALSE: Edge = Edge(0);
    pub const TRUE: Edge = Edge(1);

    pub fn constant(value: bool) -> Edge {
        Edge(u32::from(value))
    }

    pub fn node(self) -> u32 {
        self.0 >> 1
    }

    pub fn inverted(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn is_const(self) -> bool {
        self.0 < 2
    }

    /// The edge inverted when `flip` holds.
    pub fn flip_if(self, flip: bool) -> Edge {
        Edge(self.0 ^ u32::from(flip))
    }

    /// The plain edge of a node.
    pub fn of_node(node: u32) -> Edge {
        Edge::of(node)
    }

    fn of(node: u32) -> Edge {
        Edge(node << 1)
    }

    fn plain(self) -> Edge {
        Edge(self.0 & !1)
    }
}

impl std::ops::Not for Edge {
    type Output = Edge;
    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

/// A gate and its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// The constant false; node 0 only.
    Const,
    Input,
    And(Edge, Edge),
    Xor(Edge, Edge),
    /// `Mux(c, t, e)`: t where c holds, e where not.
    Mux(Edge, Edge, Edge),
    Maj(Edge, Edge, Edge),
}

/// The graph.
pub struct Aig {
    gates: Vec<Gate>,
    fanout: Vec<u8>,
    unique: Unique,
}

impl Default for Aig {
    fn default() -> Self {
        Self { gates: vec![Gate::Const], fanout: vec![0], unique: Unique::default() }
    }
}

impl Aig {
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    pub fn is_empty(&self) -> bool {
        self.gates.len() == 1
    }

    pub fn gate(&self, node: u32) -> Gate {
        self.gates[node as usize]
    }

    /// How many gates read the node, saturating.
    pub fn fanout(&self, node: u32) -> u8 {
        self.fanout[node as usize]
    }

    pub fn input(&mut self) -> Edge {
        self.push(Gate::Input)
    }

    pub fn and(&mut self, a: Edge, b: Edge) -> Edge {
        let (mut a, mut b) = (a, b);
        loop {
            if let Some(e) = rewrite::and_trivial(a, b) {
                return e;
            }
            match rewrite::and_two_level(self, a, b) {
                rewrite::Step::Done(e) => return e,
                rewrite::Step::Again(x, y) => (a, b) = (x, y),
                rewrite::Step::Keep => break,
            }
        }
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        if let Some(e) = rewrite::and_as_xor(self, a, b) {
            return e;
        }
        self.unique_gate(Gate::And(a, b))
    }

    pub fn or(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(!a, !b)
    }

    pub fn implies(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(a, !b)
    }

    pub fn xor(&mut self, a: Edge, b: Edge) -> Edge {
        let flip = a.inverted() ^ b.inverted();
        let (a, b) = (a.plain(), b.plain());
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return Edge::constant(flip);
        }
        if a == Edge::FALSE {
            return b.flip_if(flip);
        }
        if let Some(e) = rewrite::xor_two_level(self, a, b) {
            return e.flip_if(flip);
        }
        self.unique_gate(Gate::Xor(a, b)).flip_if(flip)
    }

    pub fn xnor(&mut self, a: Edge, b: Edge) -> Edge {
        !self.xor(a, b)
    }

    pub fn mux(&mut self, c: Edge, t: Edge, e: Edge) -> Edge {
        let (c, t, e) = if c.inverted() { (!c, e, t) } else { (c, t, e) };
        if c == Edge::FALSE {
            return e;
        }
        if t == e {
            return t;
        }
        if t == !e {
            return self.xor(c, e);
        }
        if t == Edge::TRUE || t == c {
            return self.or(c, e);
        }
        if t == Edge::FALSE || t == !c {
            return self.and(!c, e);
        }
        if e == Edge::FALSE || e == c {
            return self.and(c, t);
        }
        if e == Edge::TRUE || e == !c {
            return self.or(!c, t);
        }
        let inner = rewrite::mux_branches(self, c, t, e);
        if inner != (t, e) {
            return self.mux(c, inner.0, inner.1);
        }
        let flip = t.inverted();
        let gate = Gate::Mux(c, t.flip_if(flip), e.flip_if(flip));
        self.unique_gate(gate).flip_if(flip)
    }

    pub fn maj(&mut self, a: Edge, b: Edge, c: Edge) -> Edge {
        let mut v = [a, b, c];
        v.sort_unstable();
        let [a, b, c] = v;
        if a == Edge::FALSE {
            return self.and(b, c);
        }
        if a == Edge::TRUE {
            return self.or(b, c);
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        let inverted = v.iter().filter(|e| e.inverted()).count();
        let flip = inverted >= 2;
        let gate = Gate::Maj(a.flip_if(flip), b.flip_if(flip), c.flip_if(flip));
        self.unique_gate(gate).flip_if(flip)
    }

    /// Conjunction as a balanced tree.
    pub fn and_all(&mut self, edges: &[Edge]) -> Edge {
        let mut layer = edges.to_vec();
        layer.sort_unstable();
        layer.dedup();
        while layer.len() > 1 {
            let next = layer.chunks(2).map(|p| if p.len() == 2 { self.and(p[0], p[1]) } else { p[0] }).collect();
            layer = next;
        }
        layer.first().copied().unwrap_or(Edge::TRUE)
    }

    pub fn or_all(&mut self, edges: &[Edge]) -> Edge {
        let inverted: Vec<Edge> = edges.iter().map(|e| !*e).collect();
        !self.and_all(&inverted)
    }

    /// Extends `values` (one bool per node, node 0 first) to all nodes, asking `input` for the inputs.
    pub fn evaluate(&self, values: &mut Vec<bool>, input: impl Fn(u32) -> bool) {
        values.reserve(self.gates.len().saturating_sub(values.len()));
        for node in values.len()..self.gates.len() {
            let at = |e: Edge| values[e.node() as usize] ^ e.inverted();
            let value = match self.gates[node] {
                Gate::Const => false,
                Gate::Input => input(node as u32),
                Gate::And(a, b) => at(a) && at(b),
                Gate::Xor(a, b) => at(a) ^ at(b),
                Gate::Mux(c, t, e) => {
                    if at(c) {
                        at(t)
                    } else {
                        at(e)
                    }
                }
                Gate::Maj(a, b, c) => u8::from(at(a)) + u8::from(at(b)) + u8::from(at(c)) >= 2,
            };
            values.push(value);
        }
    }

    fn unique_gate(&mut self, gate: Gate) -> Edge {
        if let Some(node) = self.unique.find(gate, &self.gates) {
            return Edge::of(node);
        }
        let edge = self.push(gate);
        self.unique.insert(edge.node(), &self.gates);
        edge
    }

    fn push(&mut self, gate: Gate) -> Edge {
        let node = u32::try_from(self.gates.len()).expect("the graph should have under 2^31 nodes");
        assert!(node < 1 << 31, "the graph should have under 2^31 nodes");
        for e in children(gate).into_iter().flatten() {
            let count = &mut self.fanout[e.node() as usize];
            *count = count.saturating_add(1);
        }
        self.gates.push(gate);
        self.fanout.push(0);
        Edge::of(node)
    }
}

/// The inputs of a gate.
pub fn children(gate: Gate) -> [Option<Edge>; 3] {
    match gate {
        Gate::Const | Gate::Input => [None; 3],
        Gate::And(a, b) | Gate::Xor(a, b) => [Some(a), Some(b), None],
        Gate::Mux(a, b, c) | Gate::Maj(a, b, c) => [Some(a), Some(b), Some(c)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gates_are_small() {
        assert_eq!(std::mem::size_of::<Gate>(), 16);
        assert_eq!(std::mem::size_of::<Edge>(), 4);
    }

    /// Builds random gates over four inputs and holds each against its truth table.
    #[test]
    fn rewriting_keeps_the_function() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = move |n: usize| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 20) as usize % n
        };
        for _ in 0..200 {
            let mut g = Aig::default();
            let mut pool: Vec<(Edge, u16)> = [0xaaaa, 0xcccc, 0xf0f0, 0xff00].map(|t| (g.input(), t)).to_vec();
            pool.push((Edge::FALSE, 0));
            for _ in 0..60 {
                let pick = |next: &mut dyn FnMut(usize) -> usize, pool: &[(Edge, u16)]| {
                    let (e, t) = pool[next(pool.len())];
                    if next(2) == 1 { (!e, !t) } else { (e, t) }
                };
                let (a, ta) = pick(&mut next, &pool);
                let (b, tb) = pick(&mut next, &pool);
                let (c, tc) = pick(&mut next, &pool);
                pool.push(match next(4) {
                    0 => (g.and(a, b), ta & tb),
                    1 => (g.xor(a, b), ta ^ tb),
                    2 => (g.mux(a, b, c), (ta & tb) | (!ta & tc)),
                    _ => (g.maj(a, b, c), (ta & tb) | (ta & tc) | (tb & tc)),
                });
            }
            for row in 0..16 {
                let mut values = Vec::new();
                g.evaluate(&mut values, |node| row >> (node - 1) & 1 == 1);
                for (e, table) in &pool {
                    let value = values[e.node() as usize] ^ e.inverted();
                    assert_eq!(value, table >> row & 1 == 1, "row {row} of {e:?}");
                }
            }
        }
    }
}
