//! Small systems decided by listing every state: the oracle that the engines are held against.
//!
//! A *position* is a valuation of all states and inputs that meets the constraints; paths are sequences of positions. Safety is breadth-first search;
//! justice and LTL look for a reachable strongly connected component that meets every condition, LTL in the product with a Büchi automaton
//! (`automaton`: the construction of Gerth, Peled, Vardi and Wolper), which shares nothing with `ltl::monitor`.
//!
//! Invariant: nothing here uses a solver, an unrolling or a simulator of ours; terms are evaluated one valuation at a time.
//! Absent: systems of more than [`MAX_BITS`] bits, those of memories included.

mod automaton;
mod graph;
pub mod random;

use crate::ltl::Formula;
use crate::ts::Ts;
use automaton::Automaton;
use blitz_base::Bv;
use blitz_term::{ArrayValue, Assignment, Evaluator, Sort, Term, Value};
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

/// Bits of a valuation, as places in a number: words and cells of memories one after the other.
struct Layout {
    states: Vec<(Term, Sort)>,
    inputs: Vec<(Term, Sort)>,
    state_bits: u32,
    input_bits: u32,
}

impl<'a> Explicit<'a> {
    /// Lists the positions of a system; none if it is too large.
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
            let sort = terms.sort(s.var);
            let mut value = |t: Term| number(sort, &evaluator.eval(terms, t));
            initial &= s.init.is_none_or(|init| value(init) == value(s.var));
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

/// How many bits a value of this sort has; none if they are too many.
fn bits(sort: Sort) -> Option<u32> {
    match sort {
        Sort::Bv(width) => Some(u32::from(width)),
        Sort::Array { index, elem } => (u32::from(index) < MAX_BITS).then(|| u32::from(elem) << index),
    }
}

/// The value of this sort that a number is.
fn value(sort: Sort, number: usize) -> Value {
    let word = |width: u16, bits: usize| Bv::from_u64(width, bits as u64 & ((1 << width) - 1));
    match sort {
        Sort::Bv(width) => Value::Bv(word(width, number)),
        Sort::Array { index, elem } => {
            let mut array = ArrayValue::new(index, Bv::zero(elem));
            for cell in 0..1usize << index {
                array.set(Bv::from_u64(index, cell as u64), word(elem, number >> (cell * usize::from(elem))));
            }
            Value::Array(array)
        }
    }
}

/// The number that is a value of this sort.
fn number(sort: Sort, value: &Value) -> usize {
    let word = |bits: &Bv| bits.to_u64().expect("a small word should fit") as usize;
    match sort {
        Sort::Bv(_) => word(value.bv()),
        Sort::Array { index, elem } => (0..1usize << index)
            .map(|cell| word(&value.array().get(&Bv::from_u64(index, cell as u64))) << (cell * usize::from(elem)))
            .sum(),
    }
}

impl Layout {
    fn of(ts: &Ts) -> Option<Layout> {
        let list = |var: Term| (var, ts.terms.sort(var));
        let states: Vec<(Term, Sort)> = ts.states.iter().map(|s| list(s.var)).collect();
        let inputs: Vec<(Term, Sort)> = ts.inputs.iter().map(|i| list(i.var)).collect();
        let sum = |list: &[(Term, Sort)]| list.iter().map(|&(_, s)| bits(s)).sum::<Option<u32>>();
        let (state_bits, input_bits) = (sum(&states)?, sum(&inputs)?);
        (state_bits + input_bits <= MAX_BITS).then_some(Layout { states, inputs, state_bits, input_bits })
    }

    fn assignment(&self, state: usize, input: usize) -> Assignment {
        let mut assignment = Assignment::new();
        for (list, mut number) in [(&self.states, state), (&self.inputs, input)] {
            for &(var, sort) in list {
                assignment.set(var, value(sort, number));
                number >>= bits(sort).expect("a small sort should have bits");
            }
        }
        assignment
    }

    /// Numbers of the states that follow a position.
    fn successors(&self, ts: &Ts, evaluator: &mut Evaluator<'_>) -> Vec<usize> {
        let mut numbers = vec![0usize];
        let mut shift = 0;
        for (state, &(_, sort)) in ts.states.iter().zip(&self.states) {
            let width = bits(sort).expect("a small sort should have bits");
            let values: Vec<usize> = match state.next {
                None => (0..1usize << width).collect(),
                Some(next) => vec![number(sort, &evaluator.eval(&ts.terms, next))],
            };
            numbers = numbers.iter().flat_map(|n| values.iter().map(move |v| n | v << shift)).collect();
            shift += width;
        }
        numbers
    }
}
