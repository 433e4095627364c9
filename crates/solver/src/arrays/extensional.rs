//! Equality of whole arrays.
//!
//! Different arrays differ at a witness, a fresh index. Equal arrays: where one side is a variable, the equality defines it
//! for this candidate and reads of the variable walk on into the other side, so chains of merged memories cost no round
//! each. What is left is compared as a whole, and an index where the sides differ gives an instance.

use super::{Candidate, Core, runs};
use crate::UnknownReason;
use crate::aig::{Edge, word};
use blitz_base::Bv;
use blitz_term::{Op, Sort, Term, Terms};
use rustc_hash::FxHashSet;

impl Core {
    /// Unless the arrays are equal, they differ at a fresh index.
    pub(super) fn witness_of_difference(
        &mut self,
        terms: &mut Terms,
        equality: Term,
        (a, b): (Term, Term),
        clauses: &mut Vec<Vec<Edge>>,
    ) {
        let (index, _) = terms.array_widths(a);
        let witness = terms.fresh("differ", Sort::Bv(index));
        let (x, y) = (terms.select(a, witness), terms.select(b, witness));
        self.support(terms, equality, x);
        self.support(terms, equality, y);
        let same = self.equal_words(terms, x, y);
        let equality = self.circuit.edge(terms, equality);
        clauses.push(vec![equality, !same]);
    }

    pub(super) fn equal_words(&mut self, terms: &Terms, a: Term, b: Term) -> Edge {
        let (a, b) = (self.circuit.word(terms, a), self.circuit.word(terms, b));
        word::eq(&mut self.circuit.g, &a, &b)
    }

    /// Lets each true equality define a variable where that makes no circle.
    pub(super) fn orient_equalities(&mut self, terms: &Terms, candidate: &mut Candidate) {
        for i in 0..self.theory.equalities.len() {
            let equality = self.theory.equalities[i];
            if !self.theory.relevance.holds(equality) || !candidate.is_true(self, terms, equality) {
                continue;
            }
            let Op::Eq(a, b) = terms.op(equality) else {
                unreachable!("the list of equalities should hold equalities")
            };
            // The younger side is the likelier definition.
            let (young, old) = (a.max(b), a.min(b));
            if !self.define(terms, candidate, equality, (young, old))
                && !self.define(terms, candidate, equality, (old, young))
            {
                candidate.unoriented.push(equality);
            }
        }
    }

    fn define(&mut self, terms: &Terms, candidate: &mut Candidate, equality: Term, (var, other): (Term, Term)) -> bool {
        let is_var = matches!(terms.op(var), Op::Var(_));
        let free = is_var && !candidate.defs.contains_key(&var) && !self.stands_on(terms, candidate, other, var);
        if free {
            candidate.defs.insert(var, (equality, other));
        }
        free
    }

    /// Whether the array's value depends on the variable in this candidate.
    fn stands_on(&mut self, terms: &Terms, candidate: &mut Candidate, array: Term, var: Term) -> bool {
        let mut seen = FxHashSet::default();
        let mut stack = vec![array];
        while let Some(at) = stack.pop() {
            if at == var {
                return true;
            }
            if !seen.insert(at) {
                continue;
            }
            match terms.op(at) {
                Op::Store(below, ..) | Op::Fill { array: below, .. } => stack.push(below),
                Op::Ite(c, then_side, else_side) => {
                    let taken = candidate.is_true(self, terms, c);
                    stack.push(if taken { then_side } else { else_side });
                }
                Op::Copy { dst, src, .. } => stack.extend([dst, src]),
                Op::ConstArray(_) => {}
                Op::Var(_) => stack.extend(candidate.defs.get(&at).map(|(_, other)| *other)),
                other => unreachable!("an array should be here, not {other:?}"),
            }
        }
        false
    }

    /// Takes the value of every array that an equality defines, which is part of the model.
    ///
    /// The writes of a definition may hold reads that no question and no walk has come by: they become atoms here, and the
    /// round goes on until those are right as well.
    pub(super) fn value_definitions(&mut self, terms: &Terms, candidate: &mut Candidate) -> Result<(), UnknownReason> {
        let mut defined: Vec<Term> = candidate.defs.keys().copied().collect();
        defined.sort_unstable();
        for var in defined {
            self.runs_of(terms, candidate, var)?;
        }
        Ok(())
    }

    /// Compares the sides of the true equalities that define nothing.
    pub(super) fn check_equalities(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        clauses: &mut Vec<Vec<Edge>>,
    ) -> Result<u64, UnknownReason> {
        let mut violated = 0;
        for equality in candidate.unoriented.clone() {
            let Op::Eq(a, b) = terms.op(equality) else {
                unreachable!("the list of equalities should hold equalities")
            };
            let (x, y) = (self.runs_of(terms, candidate, a)?, self.runs_of(terms, candidate, b)?);
            let batch = self.next_batch(equality);
            let (width, _) = terms.array_widths(a);
            let mut found = runs::differences(&x, 0, &y, 0, u64::MAX >> (64 - width.min(64)), batch);
            // The length above is one short of the whole array.
            let last = u64::MAX >> (64 - width);
            if found.is_empty() && x.get(last) != y.get(last) {
                found.push(last);
            }
            for position in &found {
                let position = Bv::from_u64(width, *position);
                let index = self.instance_index(terms, candidate, (a, b), &position);
                let (x, y) = (terms.select(a, index), terms.select(b, index));
                self.support(terms, equality, x);
                self.support(terms, equality, y);
                let same = self.equal_words(terms, x, y);
                let equal = self.circuit.edge(terms, equality);
                clauses.push(vec![!equal, same]);
                violated += 1;
            }
            self.note_batch(equality, found.len());
        }
        Ok(violated)
    }

    fn instance_index(
        &mut self,
        terms: &mut Terms,
        candidate: &mut Candidate,
        (a, b): (Term, Term),
        position: &Bv,
    ) -> Term {
        if let Some(index) = self.mentioned_index(terms, candidate, a, position) {
            return index;
        }
        if let Some(index) = self.mentioned_index(terms, candidate, b, position) {
            return index;
        }
        terms.bv_const(position.clone())
    }
}
