//! A transition system of single bits: latches, inputs and one graph of gates.
//!
//! Blasted from a [`Ts`] once; engines that think in literals work on this. Two things are made uniform here: a state without a next value gets an
//! input of its own that is its next value, and [`Bits::cone`] leaves out everything that a property can't depend on.
//! Invariants: edges are over `latches[i].var` and `inputs` only, which are inputs of `g`; constraints and initial conditions are in every cone.
//! Absent: arrays, which `words` is for.

mod fold;
mod initial;
mod liveness;
mod sweep;

pub use fold::unfolded;
pub use liveness::{BEGUN, FIRST_SEEN};
pub use sweep::Swept;

use crate::ts::{Goal, Ts};
use blitz_base::{Budget, Stop};
use blitz_solver::aig::{Aig, Edge, Gate, children};
use blitz_solver::blast::Circuit;
use blitz_term::Term;
use rustc_hash::FxHashMap;

/// A latch.
#[derive(Clone, Debug)]
pub struct Latch {
    pub var: Edge,
    /// Its value at time 0, over latches and inputs; none: any value.
    pub init: Option<Edge>,
    pub next: Edge,
    /// The state and the bit of it that this is.
    pub place: Place,
}

/// A bit of a state or an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub index: usize,
    pub bit: u16,
}

/// From here on places are of latches that an encoding added.
const OWN: usize = 1 << 40;
/// From here on they are copies of bits of states.
const COPY: usize = 1 << 41;

/// What the index of a place is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    State(usize),
    /// The n-th latch that an encoding added.
    Own(usize),
    /// A copy of the state, taken where the loop of a lasso starts.
    Copy(usize),
}

impl Place {
    /// The n-th latch of a kind that an encoding added.
    pub fn own(n: usize) -> Place {
        Place { index: OWN + n, bit: 0 }
    }

    /// A copy of a bit of a state.
    pub fn copy(self) -> Place {
        Place { index: COPY + self.index, bit: self.bit }
    }

    /// Whether this is a bit of a state.
    pub fn is_state(self) -> bool {
        self.index < OWN
    }
}

impl Of {
    /// What the index of a place, or of a literal of an invariant, is about.
    pub fn index(index: usize) -> Of {
        match index {
            COPY.. => Of::Copy(index - COPY),
            OWN.. => Of::Own(index - OWN),
            _ => Of::State(index),
        }
    }

    /// The same with another state.
    pub fn map(self, state: impl FnOnce(usize) -> usize) -> usize {
        match self {
            Of::State(s) => state(s),
            Of::Own(n) => OWN + n,
            Of::Copy(s) => COPY + state(s),
        }
    }
}

/// What an input of the graph stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Input(Place),
    /// The next value of a state that may become anything.
    Free(Place),
    /// The loop of a lasso starts here.
    Save,
}

/// What violates a property.
#[derive(Clone, Debug)]
pub enum BitGoal {
    Bad(Edge),
    /// With the system's fairness conditions among them.
    Justice(Vec<Edge>),
}

/// A system of bits.
pub struct Bits {
    pub g: Aig,
    pub latches: Vec<Latch>,
    pub inputs: Vec<(Edge, Role)>,
    pub init: Vec<Edge>,
    pub constraints: Vec<Edge>,
    pub trans: Vec<Edge>,
    /// None for formulas of LTL, which `check` composes with their monitors first.
    pub goals: Vec<Option<BitGoal>>,
}

/// Why there are no bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoBits {
    /// A state or input is an array.
    Array,
    Stopped(Stop),
}

impl Bits {
    /// The bits of a system with all its properties.
    pub fn new(ts: &Ts, budget: &Budget) -> Result<Bits, NoBits> {
        let mut blaster = Blaster { ts, circuit: Circuit::default(), budget };
        blaster.refuse_arrays()?;
        let mut inputs = Vec::new();
        for (index, input) in ts.inputs.iter().enumerate() {
            let word = blaster.word(input.var)?;
            inputs.extend(word.iter().zip(0..).map(|(&e, bit)| (e, Role::Input(Place { index, bit }))));
        }
        let latches = blaster.latches(&mut inputs)?;
        Ok(Bits {
            init: blaster.edges(&ts.init)?,
            constraints: blaster.edges(&ts.constraints)?,
            trans: blaster.edges(&ts.trans)?,
            goals: blaster.goals()?,
            latches,
            inputs,
            g: blaster.circuit.g,
        })
    }

    /// Every edge but those of latches: the roots of the graph for one property.
    fn roots(&self, goal: usize) -> Vec<Edge> {
        let mut roots: Vec<Edge> = self.init.iter().chain(&self.constraints).chain(&self.trans).copied().collect();
        match self.goal(goal) {
            BitGoal::Bad(e) => roots.push(*e),
            BitGoal::Justice(all) => roots.extend(all),
        }
        roots
    }

    /// What violates a property.
    pub fn goal(&self, goal: usize) -> &BitGoal {
        self.goals[goal].as_ref().expect("a formula of LTL should have been composed with its monitor")
    }

    /// The part of the system that one property depends on, with that property alone.
    pub fn cone(&self, goal: usize) -> Bits {
        self.part(goal, self.roots(goal))
    }

    /// The whole system with one property.
    pub fn whole(&self, goal: usize) -> Bits {
        let mut roots = self.roots(goal);
        roots.extend(self.latches.iter().map(|l| l.var));
        self.part(goal, roots)
    }

    fn part(&self, goal: usize, roots: Vec<Edge>) -> Bits {
        let by_node: FxHashMap<u32, usize> = self.latches.iter().enumerate().map(|(i, l)| (l.var.node(), i)).collect();
        let mut seen = vec![false; self.g.len()];
        let mut stack = roots;
        while let Some(e) = stack.pop() {
            if std::mem::replace(&mut seen[e.node() as usize], true) {
                continue;
            }
            stack.extend(children(self.g.gate(e.node())).into_iter().flatten());
            if let Some(&latch) = by_node.get(&e.node()) {
                stack.push(self.latches[latch].next);
                stack.extend(self.latches[latch].init);
            }
        }
        Copier::part(self, &seen, goal)
    }

    /// Rewrites each edge of the system.
    fn map(&self, goal: usize, kept: impl Fn(u32) -> bool, f: impl Fn(Edge) -> Edge, g: Aig) -> Bits {
        let all = |edges: &[Edge]| edges.iter().map(|&e| f(e)).collect::<Vec<_>>();
        let latch = |l: &Latch| Latch { var: f(l.var), init: l.init.map(&f), next: f(l.next), place: l.place };
        Bits {
            latches: self.latches.iter().filter(|l| kept(l.var.node())).map(latch).collect(),
            inputs: self.inputs.iter().filter(|(e, _)| kept(e.node())).map(|&(e, r)| (f(e), r)).collect(),
            init: all(&self.init),
            constraints: all(&self.constraints),
            trans: all(&self.trans),
            goals: vec![Some(match self.goal(goal) {
                BitGoal::Bad(e) => BitGoal::Bad(f(*e)),
                BitGoal::Justice(edges) => BitGoal::Justice(all(edges)),
            })],
            g,
        }
    }
}

struct Blaster<'a> {
    ts: &'a Ts,
    circuit: Circuit,
    budget: &'a Budget,
}

impl Blaster<'_> {
    fn refuse_arrays(&self) -> Result<(), NoBits> {
        let ts = self.ts;
        let mut vars = ts.states.iter().map(|s| s.var).chain(ts.inputs.iter().map(|i| i.var));
        if vars.any(|var| ts.terms.is_array(var)) { Err(NoBits::Array) } else { Ok(()) }
    }

    fn word(&mut self, t: Term) -> Result<Vec<Edge>, NoBits> {
        self.circuit.prepare(&self.ts.terms, t, self.budget).map_err(NoBits::Stopped)?;
        Ok(self.circuit.word(&self.ts.terms, t))
    }

    fn edges(&mut self, terms: &[Term]) -> Result<Vec<Edge>, NoBits> {
        terms.iter().map(|&t| Ok(self.word(t)?[0])).collect()
    }

    fn latches(&mut self, inputs: &mut Vec<(Edge, Role)>) -> Result<Vec<Latch>, NoBits> {
        let mut latches = Vec::new();
        for (index, state) in self.ts.states.iter().enumerate() {
            let vars = self.word(state.var)?;
            let init = state.init.map(|t| self.word(t)).transpose()?;
            let next = match state.next {
                Some(next) => self.word(next)?,
                None => vars.iter().map(|_| self.circuit.g.input()).collect(),
            };
            for (i, &var) in vars.iter().enumerate() {
                let place = Place { index, bit: i as u16 };
                if state.next.is_none() {
                    inputs.push((next[i], Role::Free(place)));
                }
                latches.push(Latch { var, init: init.as_ref().map(|w| w[i]), next: next[i], place });
            }
        }
        Ok(latches)
    }

    fn goals(&mut self) -> Result<Vec<Option<BitGoal>>, NoBits> {
        let fair = self.edges(&self.ts.fair)?;
        let ts = self.ts;
        let goal = |p: &crate::ts::Property| match &p.goal {
            Goal::Bad(bad) => Ok(Some(BitGoal::Bad(self.edges(&[*bad])?[0]))),
            Goal::Justice(terms) => {
                let mut all = self.edges(terms)?;
                all.extend(&fair);
                Ok(Some(BitGoal::Justice(all)))
            }
            Goal::Ltl(_) => Ok(None),
        };
        ts.properties.iter().map(goal).collect()
    }
}

/// Copies a graph.
struct Copier<'a> {
    bits: &'a Bits,
    g: Aig,
    edge: Vec<Edge>,
}

impl<'a> Copier<'a> {
    /// The nodes that were seen.
    fn part(bits: &'a Bits, seen: &[bool], goal: usize) -> Bits {
        let mut copier = Self { bits, g: Aig::default(), edge: vec![Edge::FALSE; bits.g.len()] };
        for node in (0..bits.g.len() as u32).filter(|&n| seen[n as usize]) {
            copier.copy(node);
        }
        let Copier { g, edge, .. } = copier;
        bits.map(goal, |node| seen[node as usize], |e| edge[e.node() as usize].flip_if(e.inverted()), g)
    }

    /// All of a graph with one property, but for the latches that something else stands for; and the next value of each latch, those that go included.
    fn whole(bits: &'a Bits, instead: &[Option<Edge>]) -> (Bits, Vec<Edge>) {
        let mut copier = Self { bits, g: Aig::default(), edge: vec![Edge::FALSE; bits.g.len()] };
        for node in 0..bits.g.len() as u32 {
            match instead[node as usize] {
                Some(other) => copier.edge[node as usize] = copier.at(other),
                None => copier.copy(node),
            }
        }
        let next = bits.latches.iter().map(|l| copier.at(l.next)).collect();
        let Copier { g, edge, .. } = copier;
        let kept = |node: u32| instead[node as usize].is_none();
        (bits.map(0, kept, |e| edge[e.node() as usize].flip_if(e.inverted()), g), next)
    }

    fn at(&self, e: Edge) -> Edge {
        self.edge[e.node() as usize].flip_if(e.inverted())
    }

    fn copy(&mut self, node: u32) {
        self.edge[node as usize] = match self.bits.g.gate(node) {
            Gate::Const => Edge::FALSE,
            Gate::Input => self.g.input(),
            Gate::And(a, b) => {
                let (a, b) = (self.at(a), self.at(b));
                self.g.and(a, b)
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.at(a), self.at(b));
                self.g.xor(a, b)
            }
            Gate::Mux(c, t, e) => {
                let (c, t, e) = (self.at(c), self.at(t), self.at(e));
                self.g.mux(c, t, e)
            }
            Gate::Maj(a, b, c) => {
                let (a, b, c) = (self.at(a), self.at(b), self.at(c));
                self.g.maj(a, b, c)
            }
        };
    }
}
