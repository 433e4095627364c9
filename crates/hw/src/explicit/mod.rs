//! Small systems decided by listing every state: the oracle that the engines are held against.
//!
//! A *position* is a valuation of all states and inputs that meets the constraints; paths are sequences of positions. Safety is breadth-first search;
//! justice and LTL look for a reachable strongly connected component that meets every condition, LTL in the product with a Büchi automaton
//! (`automaton`: the construction of Gerth, Peled, Vardi and Wolper), which shares nothing with `ltl::monitor`.
//!
//! Invariant: nothing here uses a solver, an unrolling or a simulator of ours; terms are evaluated one valuation at a time.
//! Absent: memories, and systems of more than [`MAX_BITS`] bits.

mod automaton;
mod graph;
pub mod random;

use crate::ltl::Formula;
use crate::ts::Ts;
use automaton::Automaton;
use blitz_base::Bv;
use blitz_term::{Assignment, Evaluator, Sort, Term, Value};
use graph::fair_component;

/// States and inputs together may have so many bits.
pub const MAX_BITS: u32 = 14;

/// Every position of a system and how they follow each other.
pub struct Explicit<'a> {
    ts: &'a Ts,
    positions: Vec<Position>,
    /// Positions by the number of their state.
    at_state: Vec<Vec<usize>>,
}

struct Position {
    assignment: Assignment,
    initial: bool,
    /// Numbers of the states that may follow; empty where no step may be taken.
    next: Vec<usize>,
}

/// Bits of a valuation, as places in a number.
struct Layout {
    states: Vec<(Term, u16)>,
    inputs: Vec<(Term, u16)>,
    state_bits: u32,
    input_bits: u32,
}

impl<'a> Explicit<'a> {
    /// Lists the positions of a system; none if it is too large or has memories.
    pub fn new(ts: &'a Ts) -> Option<Self> {
        let layout = Layout::of(ts)?;
        let mut explicit = Self { ts, positions: Vec::new(), at_state: vec![Vec::new(); 1 << layout.state_bits] };
        for state in 0..1usize << layout.state_bits {
            for input in 0..1usize << layout.input_bits {
                explicit.add(&layout, state, input);
            }
        }
        Some(explicit)
    }

    fn add(&mut self, layout: &Layout, state: usize, input: usize) {
        let assignment = layout.assignment(state, input);
        let terms = &self.ts.terms;
        let mut evaluator = Evaluator::new(&assignment);
        if !self.ts.constraints.iter().all(|&t| evaluator.holds(terms, t)) {
            return;
        }
        let mut initial = self.ts.init.iter().all(|&t| evaluator.holds(terms, t));
        for s in &self.ts.states {
            initial &= s.init.is_none_or(|init| evaluator.eval(terms, init) == evaluator.eval(terms, s.var));
        }
        let mut next = Vec::new();
        if self.ts.trans.iter().all(|&t| evaluator.holds(terms, t)) {
            next = layout.successors(self.ts, &mut evaluator);
        }
        self.at_state[state].push(self.positions.len());
        self.positions.push(Position { assignment: assignment.clone(), initial, next });
    }

    fn holds(&self, position: usize, term: Term) -> bool {
        Evaluator::new(&self.positions[position].assignment).holds(&self.ts.terms, term)
    }

    fn successors(&self, position: usize) -> impl Iterator<Item = usize> + '_ {
        self.positions[position].next.iter().flat_map(|&s| self.at_state[s].iter().copied())
    }

    fn initial(&self) -> Vec<usize> {
        (0..self.positions.len()).filter(|&p| self.positions[p].initial).collect()
    }

    /// In how many steps, at least, a position is reached where the term holds.
    pub fn distance(&self, bad: Term) -> Option<usize> {
        let mut seen = vec![false; self.positions.len()];
        let mut layer = self.initial();
        let mut steps = 0;
        while !layer.is_empty() {
            layer.iter().for_each(|&p| seen[p] = true);
            if layer.iter().any(|&p| self.holds(p, bad)) {
                return Some(steps);
            }
            let mut next: Vec<usize> = layer.iter().flat_map(|&p| self.successors(p)).filter(|&p| !seen[p]).collect();
            next.sort_unstable();
            next.dedup();
            layer = next;
            steps += 1;
        }
        None
    }

    /// Whether an infinite path meets each of these, and each fairness condition of the system, infinitely often.
    pub fn justice(&self, terms: &[Term]) -> bool {
        let conditions: Vec<Vec<bool>> = terms
            .iter()
            .chain(&self.ts.fair)
            .map(|&t| (0..self.positions.len()).map(|p| self.holds(p, t)).collect())
            .collect();
        let met = |p: usize, condition: usize| conditions[condition][p];
        fair_component(self.positions.len(), &self.initial(), |p| self.successors(p).collect(), conditions.len(), met)
    }

    /// Whether an infinite path, fair to the system's conditions, violates a formula; none if the formula looks back.
    pub fn violates(&self, formula: &Formula) -> Option<bool> {
        let automaton = Automaton::of_negation(formula)?;
        let atoms = formula.atoms();
        let truths: Vec<Vec<bool>> =
            (0..self.positions.len()).map(|p| atoms.iter().map(|&a| self.holds(p, a)).collect()).collect();
        let allowed = |p: usize, q: usize| {
            automaton.allows(q, |atom| {
                let index = atoms.iter().position(|&a| a == atom).expect("an atom of the formula should be listed");
                truths[p][index]
            })
        };
        let size = automaton.len();
        let initial: Vec<usize> = self
            .initial()
            .into_iter()
            .flat_map(|p| automaton.initial().into_iter().map(move |q| (p, q)))
            .filter(|&(p, q)| allowed(p, q))
            .map(|(p, q)| p * size + q)
            .collect();
        let successors = |node: usize| {
            let (p, q) = (node / size, node % size);
            let pairs = self.successors(p).flat_map(|p| automaton.successors(q).iter().map(move |&q| (p, q)));
            pairs.filter(|&(p, q)| allowed(p, q)).map(|(p, q)| p * size + q).collect::<Vec<usize>>()
        };
        let fair: Vec<Vec<bool>> =
            self.ts.fair.iter().map(|&t| (0..self.positions.len()).map(|p| self.holds(p, t)).collect()).collect();
        let met = |node: usize, condition: usize| match condition.checked_sub(fair.len()) {
            None => fair[condition][node / size],
            Some(accepting) => automaton.accepts(accepting, node % size),
        };
        let conditions = fair.len() + automaton.acceptance();
        Some(fair_component(self.positions.len() * size, &initial, successors, conditions, met))
    }

    /// How many states, reachable or not, have a position.
    pub fn states(&self) -> usize {
        self.at_state.iter().filter(|p| !p.is_empty()).count()
    }
}

impl Layout {
    fn of(ts: &Ts) -> Option<Layout> {
        let width = |var: Term| match ts.terms.sort(var) {
            Sort::Bv(width) => Some((var, width)),
            Sort::Array { .. } => None,
        };
        let states: Vec<(Term, u16)> = ts.states.iter().map(|s| width(s.var)).collect::<Option<_>>()?;
        let inputs: Vec<(Term, u16)> = ts.inputs.iter().map(|i| width(i.var)).collect::<Option<_>>()?;
        let sum = |list: &[(Term, u16)]| list.iter().map(|&(_, w)| u32::from(w)).sum::<u32>();
        let (state_bits, input_bits) = (sum(&states), sum(&inputs));
        (state_bits + input_bits <= MAX_BITS).then_some(Layout { states, inputs, state_bits, input_bits })
    }

    fn assignment(&self, state: usize, input: usize) -> Assignment {
        let mut assignment = Assignment::new();
        for (list, mut number) in [(&self.states, state), (&self.inputs, input)] {
            for &(var, width) in list {
                assignment.set_bv(var, Bv::from_u64(width, number as u64 & ((1 << width) - 1)));
                number >>= width;
            }
        }
        assignment
    }

    /// Numbers of the states that follow a position.
    fn successors(&self, ts: &Ts, evaluator: &mut Evaluator<'_>) -> Vec<usize> {
        let mut numbers = vec![0usize];
        let mut shift = 0;
        for (state, &(_, width)) in ts.states.iter().zip(&self.states) {
            let values: Vec<usize> = match state.next {
                None => (0..1usize << width).collect(),
                Some(next) => match evaluator.eval(&ts.terms, next) {
                    Value::Bv(bits) => vec![bits.to_u64().expect("a small state should fit") as usize],
                    Value::Array(_) => unreachable!("systems with memories should have been refused"),
                },
            };
            numbers = numbers.iter().flat_map(|n| values.iter().map(move |v| n | v << shift)).collect();
            shift += u32::from(width);
        }
        numbers
    }
}
