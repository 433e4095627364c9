//! Random models and formulas from a seed, small enough for the oracle.

use crate::ltl::{Formula, FormulaId};
use crate::ts::{Goal, Property, Ts};
use blitz_term::{Sort, Term};
use std::fmt::Write;

/// Numbers from a seed (SplitMix64).
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// An AIGER model in ASCII: latches with every kind of reset, ands, bad states, constraints, justice and fairness.
pub fn aiger(rng: &mut Rng) -> String {
    let (inputs, latches, ands) = (rng.below(4), 1 + rng.below(5), rng.below(16));
    let (bad, constraints) = (rng.below(3), usize::from(rng.one_in(3)));
    let (justice, fair) = (rng.below(3), usize::from(rng.one_in(3)));
    let max = inputs + latches + ands;
    let mut text = format!("aag {max} {inputs} {latches} 0 {ands} {bad} {constraints} {justice} {fair}\n");
    for i in 0..inputs {
        let _ = writeln!(text, "{}", 2 * (i + 1));
    }
    let any = |rng: &mut Rng, below: usize| rng.below(2 * below + 2);
    for l in 0..latches {
        let this = 2 * (inputs + l + 1);
        let next = any(rng, max);
        let _ = match rng.below(4) {
            0 | 1 => writeln!(text, "{this} {next}"),
            2 => writeln!(text, "{this} {next} 1"),
            _ => writeln!(text, "{this} {next} {this}"),
        };
    }
    let mut conditions = |rng: &mut Rng, count: usize| {
        for _ in 0..count {
            let literal = any(rng, max);
            let _ = writeln!(text, "{literal}");
        }
    };
    conditions(rng, bad + constraints);
    let sizes: Vec<usize> = (0..justice).map(|_| 1 + rng.below(2)).collect();
    for size in &sizes {
        let _ = writeln!(text, "{size}");
    }
    let total: usize = sizes.iter().sum();
    for _ in 0..total + fair {
        let literal = any(rng, max);
        let _ = writeln!(text, "{literal}");
    }
    for a in 0..ands {
        let this = inputs + latches + a + 1;
        let (x, y) = (any(rng, this - 1), any(rng, this - 1));
        let _ = writeln!(text, "{} {} {}", 2 * this, x.max(y), x.min(y));
    }
    text
}

/// A system with words, relations and conditions on initial states: what AIGER has no way to say.
pub fn system(rng: &mut Rng) -> Ts {
    let mut ts = Ts::new();
    let mut words = Vec::new();
    for s in 0..1 + rng.below(3) {
        words.push(ts.add_state(&format!("s{s}"), Sort::Bv(1 + rng.below(2) as u16)));
    }
    for i in 0..rng.below(3) {
        words.push(ts.add_input(&format!("i{i}"), Sort::Bv(1 + rng.below(2) as u16)));
    }
    for s in 0..ts.states.len() {
        let width = ts.terms.width(ts.states[s].var);
        if !rng.one_in(4) {
            ts.states[s].next = Some(word(rng, &mut ts, &words, width, 3));
        }
        if !rng.one_in(3) {
            ts.states[s].init = Some(ts.terms.bv(width, rng.bits()));
        }
    }
    for list in 0..4 {
        if rng.one_in(3) {
            let condition = word(rng, &mut ts, &words, 1, 3);
            match list {
                0 => ts.init.push(condition),
                1 => ts.constraints.push(condition),
                2 => ts.trans.push(condition),
                _ => ts.fair.push(condition),
            }
        }
    }
    for p in 0..2 {
        let bad = word(rng, &mut ts, &words, 1, 3);
        let just = word(rng, &mut ts, &words, 1, 3);
        let other = word(rng, &mut ts, &words, 1, 3);
        for (name, goal) in [("b", Goal::Bad(bad)), ("j", Goal::Justice(vec![just, other]))] {
            ts.properties.push(Property { name: format!("{name}{p}"), text: None, goal });
        }
    }
    ts
}

/// A system with a memory that is written and read, and words beside it.
pub fn memory_system(rng: &mut Rng) -> Ts {
    let mut ts = Ts::new();
    let (index, elem) = (1 + rng.below(2) as u16, 1 + rng.below(2) as u16);
    let memory = ts.add_state("m", Sort::Array { index, elem });
    let mut words = vec![ts.add_state("s", Sort::Bv(2)), ts.add_input("i", Sort::Bv(2))];
    for w in 0..2 {
        let at = word(rng, &mut ts, &words, index, 1);
        words.push(ts.terms.select(memory, at));
        if w == 0 && rng.one_in(3) {
            words.push(ts.add_input("j", Sort::Bv(1)));
        }
    }
    let mut next = memory;
    for _ in 0..1 + rng.below(2) {
        let (at, value) = (word(rng, &mut ts, &words, index, 2), word(rng, &mut ts, &words, elem, 2));
        let written = ts.terms.store(next, at, value);
        let enable = word(rng, &mut ts, &words, 1, 1);
        next = ts.terms.ite(enable, written, next);
    }
    let value = ts.terms.bv(elem, rng.bits());
    ts.states[0].init = (!rng.one_in(3)).then(|| ts.terms.const_array(index, value));
    ts.states[0].next = (!rng.one_in(8)).then_some(next);
    ts.states[1].init = Some(ts.terms.zero(2));
    ts.states[1].next = Some(word(rng, &mut ts, &words, 2, 2));
    if rng.one_in(4) {
        let old = ts.terms.eq(memory, next);
        let free = word(rng, &mut ts, &words, 1, 1);
        let condition = ts.terms.or(old, free);
        ts.constraints.push(condition);
    }
    let (bad, just) = (word(rng, &mut ts, &words, 1, 3), word(rng, &mut ts, &words, 1, 3));
    for (name, goal) in [("b0", Goal::Bad(bad)), ("j0", Goal::Justice(vec![just]))] {
        ts.properties.push(Property { name: name.to_owned(), text: None, goal });
    }
    ts
}

/// A term of this width over these variables.
pub fn word(rng: &mut Rng, ts: &mut Ts, vars: &[Term], width: u16, depth: usize) -> Term {
    if depth == 0 || rng.one_in(6) {
        let var = vars[rng.below(vars.len())];
        return match ts.terms.width(var) {
            _ if rng.one_in(6) => ts.terms.bv(width, rng.bits()),
            w if w >= width => ts.terms.extract(var, width - 1, 0),
            _ => ts.terms.zext(var, width),
        };
    }
    let wide = if width == 1 { 1 + rng.below(2) as u16 } else { width };
    let a = word(rng, ts, vars, wide, depth - 1);
    let b = word(rng, ts, vars, wide, depth - 1);
    let (a, b) = (ts.terms.resize(a, wide), ts.terms.resize(b, wide));
    let result = match rng.below(8) {
        0 => ts.terms.and(a, b),
        1 => ts.terms.or(a, b),
        2 => ts.terms.xor(a, b),
        3 => ts.terms.add(a, b),
        4 => ts.terms.not(a),
        5 => ts.terms.ult(a, b),
        6 => ts.terms.eq(a, b),
        _ => {
            let c = word(rng, ts, vars, 1, depth - 1);
            let c = ts.terms.resize(c, 1);
            ts.terms.ite(c, a, b)
        }
    };
    ts.terms.resize(result, width)
}

/// Which operators a random formula may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operators {
    Future,
    FutureAndPast,
}

/// A formula over these atoms.
pub fn formula(rng: &mut Rng, atoms: &[Term], depth: usize, operators: Operators) -> Formula {
    let mut formula = Formula::new();
    let root = build(rng, &mut formula, atoms, depth, operators);
    formula.set_root(root);
    formula
}

fn build(rng: &mut Rng, f: &mut Formula, atoms: &[Term], depth: usize, operators: Operators) -> FormulaId {
    if depth == 0 || rng.one_in(8) {
        return f.atom(atoms[rng.below(atoms.len())]);
    }
    let sub = |rng: &mut Rng, f: &mut Formula| build(rng, f, atoms, depth - 1, operators);
    let kinds = if operators == Operators::Future { 10 } else { 16 };
    let kind = rng.below(kinds);
    let a = sub(rng, f);
    match kind {
        0 => f.not(a),
        1 => f.next(a),
        2 => f.eventually(a),
        3 => f.always(a),
        10 => f.yesterday(a),
        11 => f.weak_yesterday(a),
        12 => f.once(a),
        13 => f.historically(a),
        _ => {
            let b = sub(rng, f);
            match kind {
                4 => f.and(a, b),
                5 => f.or(a, b),
                6 => f.implies(a, b),
                7 => f.until(a, b),
                8 => f.release(a, b),
                9 => f.weak_until(a, b),
                14 => f.since(a, b),
                _ => f.triggered(a, b),
            }
        }
    }
}
