//! Texts of one letter: most overruns need a long text and do not care what is in it, or want the same character again and again.
//!
//! With every input text empty, or made of one letter and as long as loops are followed, what a loop does with one character it does with all: where things
//! are no longer depends on what the other characters were. Only some runs are looked at that way; what is found is run like anything else.

use super::super::hunt::{Attempt, Hunt};
use super::super::obligation::{Obligation, Step};
use super::Tactic;
use crate::tuning::{LETTERS_LENGTH_BITS, LETTERS_MIN_BOUND, LETTERS_MIN_TERMS};
use blitz_solver::Outcome;
use blitz_symex::InputKind;
use blitz_term::{Sort, Term, Terms, dag_size, vars_of};
use std::collections::BTreeSet;
use std::rc::Rc;

/// A text made of one letter.
struct Text {
    letter: Term,
    /// What replaces its bytes, and the input that is its length if it has one.
    replaced: Vec<(Term, Term)>,
}

impl<'p> Hunt<'p, '_> {
    /// Looks for a run in which every text consists of one letter.
    pub(in super::super) fn in_one_letter(&mut self, o: &Obligation<'p>, assumptions: &[Term]) -> Attempt {
        let whole = self.mover.terms.and_all(assumptions);
        let long = self.uses(Tactic::Letters) && self.bound >= LETTERS_MIN_BOUND;
        if !long || dag_size(self.mover.terms, &[whole]) < LETTERS_MIN_TERMS {
            return Attempt::Continue(());
        }
        let texts = self.texts(o, whole);
        if texts.is_empty() {
            return Attempt::Continue(());
        }
        let pairs: Vec<(Term, Term)> = texts.iter().flat_map(|t| t.replaced.iter().copied()).collect();
        let psi = self.in_letters(whole, &texts, &pairs);
        if self.mover.terms.is_false(psi) {
            return Attempt::Continue(());
        }
        self.renew_solver();
        let query = self.budget.worth(self.query_work());
        let outcome = self.solver.check(self.mover.terms, &[psi], &query);
        self.config.say(|| {
            let size = dag_size(self.mover.terms, &[psi]);
            format!("  with {} texts of one letter each: {size} terms, {outcome:?}", texts.len())
        });
        if outcome == Outcome::Sat {
            let mut in_letters = o.clone();
            in_letters.trail.steps.push(Step::Opened(Rc::new(pairs)));
            self.confirm(&in_letters, psi)?;
        }
        Attempt::Continue(())
    }

    /// A condition about texts made of letters, none of which is the end of a text.
    fn in_letters(&mut self, whole: Term, texts: &[Text], pairs: &[(Term, Term)]) -> Term {
        let mut psi = self.mover.replaced(whole, pairs);
        let terms = &mut *self.mover.terms;
        for text in texts {
            let zero = terms.zero(terms.width(text.letter));
            let no_letter = terms.eq(text.letter, zero);
            let is_letter = terms.not(no_letter);
            psi = terms.and(psi, is_letter);
        }
        terms.propagate(psi, self.budget)
    }

    /// The texts that a condition is about.
    fn texts(&mut self, o: &Obligation<'p>, condition: Term) -> Vec<Text> {
        let vars: BTreeSet<Term> = vars_of(self.mover.terms, &[condition]).into_iter().collect();
        let mut found: Vec<(Term, Term)> = Vec::new();
        for input in &o.trail.inputs {
            if let InputKind::Bytes { array, len } = input.kind
                && vars.contains(&array)
                && found.iter().all(|(known, _)| *known != array)
            {
                found.push((array, len));
            }
        }
        found.into_iter().map(|(array, len)| self.text(array, len)).collect()
    }

    /// A text that is empty, or as long as loops are followed.
    fn text(&mut self, array: Term, len: Term) -> Text {
        let length = u64::from(self.bound - 1);
        let terms = &mut *self.mover.terms;
        let (index, element) = terms.array_widths(array);
        let letter = terms.fresh("letter", Sort::Bv(element));
        let is_long = terms.fresh("is_long", Sort::Bv(1));
        let either = |terms: &mut Terms, width: u16| {
            let (long, empty) = (terms.bv(width, length), terms.zero(width));
            terms.ite(is_long, long, empty)
        };
        let end = either(terms, index);
        let (letters, zero) = (terms.const_array(index, letter), terms.zero(element));
        let mut replaced = vec![(array, terms.store(letters, end, zero))];
        if let [variable] = vars_of(terms, &[len])[..]
            && !terms.is_array(variable)
            && terms.width(variable) >= LETTERS_LENGTH_BITS
        {
            let length = either(terms, terms.width(variable));
            replaced.push((variable, length));
        }
        Text { letter, replaced }
    }
}
