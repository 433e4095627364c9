//! From terms to circuits: each bit-vector term becomes one word of edges, once.
//!
//! Terms of the array theory (reads, equality of arrays, scans, mismatches) become words of fresh inputs and are listed as
//! atoms; what constrains them is in `arrays`. Arrays themselves have no word.
//!
//! Invariants: a term's word never changes; the walk over terms is a loop with its own stack.

use crate::aig::word::{self, Shift, Word};
use crate::aig::{Aig, Edge};
use blitz_base::{Budget, Bv, Stop};
use blitz_term::{Op, Term, Terms};
use rustc_hash::FxHashMap;

/// How many gates are built between two looks at the clock.
const GATES_PER_LOOK: usize = 1 << 15;

/// The circuit of all terms asked for so far.
#[derive(Default)]
pub struct Circuit {
    pub g: Aig,
    words: FxHashMap<Term, (u32, u16)>,
    pool: Vec<Edge>,
    divisions: FxHashMap<(Term, Term), (Word, Word)>,
    /// Bit-vector variables in order of first use.
    vars: Vec<Term>,
    /// Terms whose words are inputs that the array theory constrains, in order of first use.
    atoms: Vec<Term>,
}

impl Circuit {
    /// The word of a term, if it has been built.
    pub fn existing(&self, t: Term) -> Option<&[Edge]> {
        let (start, len) = *self.words.get(&t)?;
        Some(&self.pool[start as usize..start as usize + usize::from(len)])
    }

    /// The word of a bit-vector term.
    pub fn word(&mut self, terms: &Terms, t: Term) -> Word {
        if !self.words.contains_key(&t) {
            self.build(terms, t);
        }
        self.built(t).to_vec()
    }

    /// The edge of a Boolean term.
    pub fn edge(&mut self, terms: &Terms, t: Term) -> Edge {
        if !self.words.contains_key(&t) {
            self.build(terms, t);
        }
        let bits = self.built(t);
        assert_eq!(bits.len(), 1, "a truth value should have one bit");
        bits[0]
    }

    pub fn vars(&self) -> &[Term] {
        &self.vars
    }

    pub fn atoms(&self) -> &[Term] {
        &self.atoms
    }

    fn built(&self, t: Term) -> &[Edge] {
        self.existing(t).expect("children should be built before their parents")
    }

    /// Builds the word of a bit-vector term with the budget in view. What was built before it ran out is kept.
    pub fn prepare(&mut self, terms: &Terms, t: Term, budget: &Budget) -> Result<(), Stop> {
        self.build_until(terms, t, &mut || budget.expired())
    }

    fn build(&mut self, terms: &Terms, root: Term) {
        let done = self.build_until(terms, root, &mut || None);
        debug_assert_eq!(done, Ok(()), "nothing should stop it");
    }

    fn build_until(
        &mut self,
        terms: &Terms,
        root: Term,
        expired: &mut dyn FnMut() -> Option<Stop>,
    ) -> Result<(), Stop> {
        let mut stack = vec![root];
        let mut asked = self.g.len();
        while let Some(&t) = stack.last() {
            if self.g.len() > asked + GATES_PER_LOOK {
                asked = self.g.len();
                if let Some(stop) = expired() {
                    return Err(stop);
                }
            }
            if self.words.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            self.push_missing(terms, t, &mut stack);
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let word = self.gates(terms, t);
            self.remember(t, word);
        }
        Ok(())
    }

    fn remember(&mut self, t: Term, word: Word) {
        let start = u32::try_from(self.pool.len()).expect("there should be under 2^32 bits");
        let len = u16::try_from(word.len()).expect("a word should have under 2^16 bits");
        self.pool.extend(word);
        self.words.insert(t, (start, len));
    }

    /// Pushes the bit-vector children whose words are needed and missing.
    fn push_missing(&self, terms: &Terms, t: Term, stack: &mut Vec<Term>) {
        let mut want = |child: Term| {
            if !self.words.contains_key(&child) {
                stack.push(child);
            }
        };
        match terms.op(t) {
            // A difference takes the negated word, not the negation.
            Op::Add(a, b) => {
                for child in [a, b] {
                    want(subtrahend(terms, child).unwrap_or(child));
                }
            }
            // What is compared may be arrays, which have no words.
            Op::Eq(a, b) if !terms.is_array(a) => {
                want(a);
                want(b);
            }
            Op::Eq(..) => {}
            Op::Select(_, index) => want(index),
            Op::Const
            | Op::Var(_)
            | Op::Scan { .. }
            | Op::Mismatch { .. }
            | Op::Not(_)
            | Op::And(..)
            | Op::Xor(..)
            | Op::Neg(_)
            | Op::Mul(..)
            | Op::Udiv(..)
            | Op::Urem(..)
            | Op::Sdiv(..)
            | Op::Srem(..)
            | Op::Shl(..)
            | Op::Lshr(..)
            | Op::Ashr(..)
            | Op::Ult(..)
            | Op::Slt(..)
            | Op::Ite(..)
            | Op::Concat(..)
            | Op::Extract { .. }
            | Op::Sext(_)
            | Op::ConstArray(_)
            | Op::Store(..)
            | Op::Copy { .. }
            | Op::Fill { .. } => {
                for child in terms.children(t) {
                    if !terms.is_array(child) {
                        want(child);
                    }
                }
            }
        }
    }

    fn gates(&mut self, terms: &Terms, t: Term) -> Word {
        match terms.op(t) {
            Op::Const => const_word(terms, t),
            Op::Var(_) => self.variable(terms, t),
            Op::Not(a) => word::not(self.built(a)),
            Op::And(a, b) => self.binary(a, b, |g, x, y| word::bitwise(g, x, y, Aig::and)),
            Op::Xor(a, b) => self.binary(a, b, |g, x, y| word::bitwise(g, x, y, Aig::xor)),
            Op::Neg(a) => {
                let a = self.copy(a);
                word::neg(&mut self.g, &a)
            }
            Op::Add(a, b) => self.sum(terms, a, b),
            Op::Mul(a, b) => self.binary(a, b, word::mul),
            Op::Udiv(a, b) => self.division(a, b).0,
            Op::Urem(a, b) => self.division(a, b).1,
            Op::Sdiv(a, b) => self.binary(a, b, |g, x, y| word::sdivrem(g, x, y).0),
            Op::Srem(a, b) => self.binary(a, b, |g, x, y| word::sdivrem(g, x, y).1),
            Op::Shl(a, b) => self.binary(a, b, |g, x, y| word::shift(g, Shift::Left, x, y)),
            Op::Lshr(a, b) => self.binary(a, b, |g, x, y| word::shift(g, Shift::Logical, x, y)),
            Op::Ashr(a, b) => self.binary(a, b, |g, x, y| word::shift(g, Shift::Arithmetic, x, y)),
            Op::Eq(a, b) if !terms.is_array(a) => self.binary(a, b, |g, x, y| vec![word::eq(g, x, y)]),
            Op::Ult(a, b) => self.binary(a, b, |g, x, y| vec![word::ult(g, x, y)]),
            Op::Slt(a, b) => self.binary(a, b, |g, x, y| vec![word::slt(g, x, y)]),
            Op::Ite(c, a, b) => {
                let (c, a, b) = (self.built(c)[0], self.copy(a), self.copy(b));
                word::mux(&mut self.g, c, &a, &b)
            }
            Op::Concat(high, low) => {
                let mut bits = self.copy(low);
                bits.extend_from_slice(self.built(high));
                bits
            }
            Op::Extract { arg, hi, lo } => self.built(arg)[usize::from(lo)..=usize::from(hi)].to_vec(),
            Op::Sext(a) => {
                let mut bits = self.copy(a);
                let sign = bits.last().copied().unwrap_or(Edge::FALSE);
                bits.resize(usize::from(terms.width(t)), sign);
                bits
            }
            Op::Eq(..) | Op::Select(..) | Op::Scan { .. } | Op::Mismatch { .. } => self.atom(terms, t),
            Op::ConstArray(_) | Op::Store(..) | Op::Copy { .. } | Op::Fill { .. } => {
                unreachable!("arrays should have no word: {t}")
            }
        }
    }

    fn copy(&self, t: Term) -> Word {
        self.built(t).to_vec()
    }

    fn binary(&mut self, a: Term, b: Term, f: impl Fn(&mut Aig, &[Edge], &[Edge]) -> Word) -> Word {
        let (a, b) = (self.copy(a), self.copy(b));
        f(&mut self.g, &a, &b)
    }

    fn sum(&mut self, terms: &Terms, a: Term, b: Term) -> Word {
        match (subtrahend(terms, a), subtrahend(terms, b)) {
            (None, None) => self.binary(a, b, word::add),
            (None, Some(y)) => self.binary(a, y, word::sub),
            (Some(x), None) => self.binary(b, x, word::sub),
            (Some(x), Some(y)) => {
                let sum = self.binary(x, y, word::add);
                word::neg(&mut self.g, &sum)
            }
        }
    }

    fn division(&mut self, a: Term, b: Term) -> (Word, Word) {
        if let Some(known) = self.divisions.get(&(a, b)) {
            return known.clone();
        }
        let (x, y) = (self.copy(a), self.copy(b));
        let both = word::udivrem(&mut self.g, &x, &y);
        self.divisions.insert((a, b), both.clone());
        both
    }

    fn variable(&mut self, terms: &Terms, t: Term) -> Word {
        self.vars.push(t);
        self.inputs(terms.width(t))
    }

    /// Inputs, but for the bits that are known: no lemma has to say them.
    fn atom(&mut self, terms: &Terms, t: Term) -> Word {
        self.atoms.push(t);
        let known = terms.known_bits(t);
        let bit = |i: u16| if i < 64 { 1u64 << i } else { 0 };
        (0..terms.width(t))
            .map(|i| match (known.zeros & bit(i) != 0, known.ones & bit(i) != 0) {
                (true, _) => Edge::FALSE,
                (_, true) => Edge::TRUE,
                _ => self.g.input(),
            })
            .collect()
    }

    fn inputs(&mut self, width: u16) -> Word {
        (0..width).map(|_| self.g.input()).collect()
    }
}

/// `x` where the term is the negation of `x`.
fn subtrahend(terms: &Terms, t: Term) -> Option<Term> {
    if let Op::Neg(x) = terms.op(t) { Some(x) } else { None }
}

fn const_word(terms: &Terms, t: Term) -> Word {
    let value: Bv = terms.as_const(t).expect("a constant should have a value");
    word::constant(usize::from(value.width()), |i| value.bit(i as u16))
}
