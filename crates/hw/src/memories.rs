//! Memories as cells: a system whose arrays became one word per cell, so that engines which think in bits can decide it.
//!
//! A write is a choice per cell, a read a tree of choices over the bits of its index. What a property does not depend on is left out first, since a memory
//! that nobody reads should cost nothing. A counterexample of the system of cells is one of the system: `Cells::stimulus` gives the values that lead to it
//! there, and the simulator runs those on the memories themselves.
//!
//! Direction: exact. Invariant: the cells of an array are consecutive states (or inputs), by rising index.
//! Absent: memories of more than [`MAX_CELL_BITS`] bits in all, which `words` is for.

use crate::answer::{Invariant, StateLit};
use crate::bits::Of;
use crate::sim::Stimulus;
use crate::trace::Trace;
use crate::ts::{Goal, Input, Property, State, Ts};
use blitz_base::{Budget, Bv, Stop};
use blitz_term::{ArrayValue, Op, Postorder, Sort, Term, Terms, Value, vars_of};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Memories of so many bits in all become cells: beyond, circuits of reads and writes are larger than the rest of most models, and the array theory of
/// `words` is ahead.
pub const MAX_CELL_BITS: u64 = 1 << 16;
/// Terms between two looks at the clock.
const TERMS_PER_LOOK: usize = 256;

/// Why there is no system of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoCells {
    /// The memories are too large, or there is an operation on a whole range of one.
    TooLarge,
    Stopped(Stop),
}

/// A system without memories, and where its states and inputs come from.
pub struct Cells {
    /// With one property.
    pub ts: Ts,
    states: Vec<Origin>,
    inputs: Vec<Origin>,
}

/// What a state or input of the system of cells is.
#[derive(Clone, Copy)]
struct Origin {
    /// The state or input of the system.
    index: usize,
    /// The cell of it, if it is a memory.
    cell: Option<u64>,
}

impl Cells {
    /// The cells of everything that one property depends on.
    pub fn new(ts: &Ts, property: usize, budget: &Budget) -> Result<Cells, NoCells> {
        let needed = cone(ts, property);
        let arrays = needed.iter().filter_map(|&var| cell_bits(ts.terms.sort(var)));
        let bits = arrays.fold(0u64, u64::saturating_add);
        if bits > MAX_CELL_BITS {
            return Err(NoCells::TooLarge);
        }
        let terms = ts.terms.clone();
        let mut builder = Builder { ts, out: Ts { terms, ..Ts::new() }, done: FxHashMap::default(), budget, looks: 0 };
        let states = builder.states(&needed);
        let inputs = builder.inputs(&needed);
        builder.behaviour(&states)?;
        builder.property(property)?;
        Ok(Cells { ts: builder.out, states, inputs })
    }

    /// The values that lead the system along a path of the cells.
    pub fn stimulus(&self, ts: &Ts, trace: &Trace) -> Stimulus {
        let zero = |t| Value::zero(ts.terms.sort(t));
        let no_states: Vec<Value> = ts.states.iter().map(|s| zero(s.var)).collect();
        let no_inputs: Vec<Value> = ts.inputs.iter().map(|i| zero(i.var)).collect();
        let states = |values: &[Value]| gather(no_states.clone(), &self.states, values);
        let inputs = |values: &[Value]| gather(no_inputs.clone(), &self.inputs, values);
        Stimulus {
            initial: states(&trace.steps[0].states),
            inputs: trace.steps.iter().map(|s| inputs(&s.inputs)).collect(),
            free: trace.steps[1..].iter().map(|s| states(&s.states)).collect(),
            loop_start: trace.loop_start,
        }
    }

    /// An invariant of the cells as one of the system.
    pub fn invariant(&self, ts: &Ts, invariant: Invariant) -> Invariant {
        let literal = |l: StateLit| {
            let mut bit = l.bit;
            let state = Of::index(l.state).map(|state| {
                let Origin { index, cell } = self.states[state];
                if let Some(cell) = cell {
                    let (_, elem) = ts.terms.array_widths(ts.states[index].var);
                    bit += cell as u32 * u32::from(elem);
                }
                index
            });
            StateLit { state, bit, value: l.value }
        };
        let clause = |c: Vec<StateLit>| c.into_iter().map(literal).collect();
        Invariant { clauses: invariant.clauses.into_iter().map(clause).collect(), ..invariant }
    }
}

/// Bits of all cells, if the sort is a memory's.
fn cell_bits(sort: Sort) -> Option<u64> {
    match sort {
        Sort::Bv(_) => None,
        Sort::Array { index, .. } if index >= 32 => Some(u64::MAX),
        Sort::Array { index, elem } => Some(u64::from(elem) << index),
    }
}

/// The states and inputs that a property depends on, through the conditions of the system too.
fn cone(ts: &Ts, property: usize) -> FxHashSet<Term> {
    let by_var: FxHashMap<Term, &State> = ts.states.iter().map(|s| (s.var, s)).collect();
    let mut roots: Vec<Term> =
        ts.init.iter().chain(&ts.constraints).chain(&ts.trans).chain(&ts.fair).copied().collect();
    match &ts.properties[property].goal {
        Goal::Bad(bad) => roots.push(*bad),
        Goal::Justice(terms) => roots.extend(terms),
        Goal::Ltl(formula) => roots.extend(formula.atoms()),
    }
    let mut needed = FxHashSet::default();
    while !roots.is_empty() {
        let found: Vec<Term> = vars_of(&ts.terms, &roots).into_iter().filter(|&v| needed.insert(v)).collect();
        let states = found.iter().filter_map(|v| by_var.get(v));
        roots = states.flat_map(|s| s.init.into_iter().chain(s.next)).collect();
    }
    needed
}

/// Puts values of cells and words where they belong.
fn gather(mut all: Vec<Value>, origins: &[Origin], values: &[Value]) -> Vec<Value> {
    for (origin, value) in origins.iter().zip(values) {
        match (&mut all[origin.index], origin.cell) {
            (Value::Array(array), Some(cell)) => set_cell(array, cell, value),
            (word, _) => *word = value.clone(),
        }
    }
    all
}

fn set_cell(array: &mut ArrayValue, cell: u64, value: &Value) {
    if !value.bv().is_zero() {
        array.set(Bv::from_u64(array.index_width(), cell), value.bv().clone());
    }
}

/// A term of the system, without memories.
#[derive(Clone)]
enum Built {
    Word(Term),
    Cells(Rc<[Term]>),
}

impl Built {
    fn word(&self) -> Term {
        match self {
            Built::Word(term) => *term,
            Built::Cells(_) => panic!("a word should be here, not a memory"),
        }
    }

    fn cells(&self) -> &Rc<[Term]> {
        match self {
            Built::Cells(cells) => cells,
            Built::Word(_) => panic!("a memory should be here, not a word"),
        }
    }

    fn parts(&self) -> &[Term] {
        match self {
            Built::Word(term) => std::slice::from_ref(term),
            Built::Cells(cells) => cells,
        }
    }
}

struct Builder<'a> {
    ts: &'a Ts,
    /// Has the terms of the system too.
    out: Ts,
    done: FxHashMap<Term, Built>,
    budget: &'a Budget,
    looks: usize,
}

impl Builder<'_> {
    fn states(&mut self, needed: &FxHashSet<Term>) -> Vec<Origin> {
        let mut origins = Vec::new();
        for (index, state) in self.ts.states.iter().enumerate().filter(|(_, s)| needed.contains(&s.var)) {
            let cells = self.variables(state.var, index, &mut origins);
            let names = cell_names(&state.name, &cells);
            let states = names.into_iter().zip(cells.parts());
            self.out.states.extend(states.map(|(name, &var)| State { name, var, init: None, next: None }));
            self.done.insert(state.var, cells);
        }
        origins
    }

    fn inputs(&mut self, needed: &FxHashSet<Term>) -> Vec<Origin> {
        let mut origins = Vec::new();
        for (index, input) in self.ts.inputs.iter().enumerate().filter(|(_, i)| needed.contains(&i.var)) {
            let cells = self.variables(input.var, index, &mut origins);
            let names = cell_names(&input.name, &cells);
            let inputs = names.into_iter().zip(cells.parts());
            self.out.inputs.extend(inputs.map(|(name, &var)| Input { name, var }));
            self.done.insert(input.var, cells);
        }
        origins
    }

    /// The variables of a variable: itself, or one per cell.
    fn variables(&mut self, var: Term, index: usize, origins: &mut Vec<Origin>) -> Built {
        match self.ts.terms.sort(var) {
            Sort::Bv(_) => {
                origins.push(Origin { index, cell: None });
                Built::Word(var)
            }
            Sort::Array { index: width, elem } => {
                let count = 1u64 << width;
                origins.extend((0..count).map(|cell| Origin { index, cell: Some(cell) }));
                Built::Cells((0..count).map(|_| self.out.terms.fresh("cell", Sort::Bv(elem))).collect())
            }
        }
    }

    /// Initial and next values, and the conditions of the system.
    fn behaviour(&mut self, origins: &[Origin]) -> Result<(), NoCells> {
        for (at, &Origin { index, cell }) in origins.iter().enumerate() {
            let state = &self.ts.states[index];
            let part = cell.unwrap_or(0) as usize;
            if let Some(init) = state.init {
                self.out.states[at].init = Some(self.build(init)?.parts()[part]);
            }
            if let Some(next) = state.next {
                self.out.states[at].next = Some(self.build(next)?.parts()[part]);
            }
        }
        let ts = self.ts;
        self.out.init = self.words(&ts.init)?;
        self.out.constraints = self.words(&ts.constraints)?;
        self.out.trans = self.words(&ts.trans)?;
        self.out.fair = self.words(&ts.fair)?;
        Ok(())
    }

    fn property(&mut self, property: usize) -> Result<(), NoCells> {
        let Property { name, text, goal } = &self.ts.properties[property];
        let goal = match goal {
            Goal::Bad(bad) => Goal::Bad(self.build(*bad)?.word()),
            Goal::Justice(terms) => Goal::Justice(self.words(terms)?),
            Goal::Ltl(_) => panic!("a formula of LTL should have been composed with its monitor"),
        };
        self.out.properties.push(Property { name: name.clone(), text: text.clone(), goal });
        Ok(())
    }

    fn words(&mut self, terms: &[Term]) -> Result<Vec<Term>, NoCells> {
        terms.iter().map(|&t| Ok(self.build(t)?.word())).collect()
    }

    /// A term without memories.
    fn build(&mut self, t: Term) -> Result<Built, NoCells> {
        if let Some(built) = self.done.get(&t) {
            return Ok(built.clone());
        }
        let ts = self.ts;
        for t in Postorder::new(&ts.terms, &[t]) {
            if self.done.contains_key(&t) {
                continue;
            }
            self.looks += 1;
            if self.looks.is_multiple_of(TERMS_PER_LOOK)
                && let Some(stop) = self.budget.expired()
            {
                return Err(NoCells::Stopped(stop));
            }
            let built = self.one(t)?;
            self.done.insert(t, built);
        }
        Ok(self.done[&t].clone())
    }

    /// A term whose children are built.
    fn one(&mut self, t: Term) -> Result<Built, NoCells> {
        let Self { ts, out, done, .. } = self;
        let terms = &mut out.terms;
        Ok(match ts.terms.op(t) {
            Op::ConstArray(value) => {
                let (index, _) = ts.terms.array_widths(t);
                let count = cell_count(index)?;
                Built::Cells(vec![done[&value].word(); count].into())
            }
            Op::Store(array, index, value) => {
                let (index, value) = (done[&index].word(), done[&value].word());
                let write = |(cell, &old): (usize, &Term)| {
                    let here = terms.bv(terms.width(index), cell as u64);
                    let here = terms.eq(index, here);
                    terms.ite(here, value, old)
                };
                Built::Cells(done[&array].cells().iter().enumerate().map(write).collect())
            }
            Op::Select(array, index) => Built::Word(read(terms, done[&array].cells(), done[&index].word())),
            Op::Eq(a, b) if ts.terms.is_array(a) => {
                let pairs = done[&a].cells().iter().zip(done[&b].cells().iter());
                let equal: Vec<Term> = pairs.map(|(&x, &y)| terms.eq(x, y)).collect();
                Built::Word(equal.into_iter().fold(terms.tru(), |all, e| terms.and(all, e)))
            }
            Op::Ite(c, a, b) if ts.terms.is_array(a) => {
                let c = done[&c].word();
                let pairs = done[&a].cells().iter().zip(done[&b].cells().iter());
                Built::Cells(pairs.map(|(&x, &y)| terms.ite(c, x, y)).collect())
            }
            Op::Copy { .. } | Op::Fill { .. } | Op::Scan { .. } | Op::Mismatch { .. } => return Err(NoCells::TooLarge),
            Op::Const | Op::Var(_) => Built::Word(t),
            Op::Not(_)
            | Op::And(..)
            | Op::Xor(..)
            | Op::Neg(_)
            | Op::Add(..)
            | Op::Mul(..)
            | Op::Udiv(..)
            | Op::Urem(..)
            | Op::Sdiv(..)
            | Op::Srem(..)
            | Op::Shl(..)
            | Op::Lshr(..)
            | Op::Ashr(..)
            | Op::Eq(..)
            | Op::Ult(..)
            | Op::Slt(..)
            | Op::Ite(..)
            | Op::Concat(..)
            | Op::Extract { .. }
            | Op::Sext(_) => Built::Word(terms.rebuild(t, |child| done[&child].word())),
        })
    }
}

fn cell_count(index: u16) -> Result<usize, NoCells> {
    if u64::from(index) > u64::from(MAX_CELL_BITS.ilog2()) { Err(NoCells::TooLarge) } else { Ok(1 << index) }
}

/// The cell at an index: the bits of the index choose between neighbours, the lowest bit first.
fn read(terms: &mut Terms, cells: &[Term], index: Term) -> Term {
    let mut level = cells.to_vec();
    for bit in 0..terms.width(index) {
        let odd = terms.extract(index, bit, bit);
        level = level.chunks(2).map(|pair| terms.ite(odd, pair[1], pair[0])).collect();
    }
    level[0]
}

fn cell_names(name: &str, built: &Built) -> Vec<String> {
    match built {
        Built::Word(_) => vec![name.to_owned()],
        Built::Cells(cells) => (0..cells.len()).map(|i| format!("{name}[{i}]")).collect(),
    }
}
