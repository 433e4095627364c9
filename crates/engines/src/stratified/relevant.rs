//! The variables that the value of a condition hangs on under a model.
//!
//! Of a choice only the side that was taken counts, of a conjunction that is false one false part. The rest of the condition could be
//! anything, and it would still have this value.

use blitz_term::{Evaluator, Op, Term, Terms};
use std::collections::{BTreeSet, HashSet};

pub(super) fn relevant(terms: &Terms, eval: &mut Evaluator<'_>, condition: Term) -> BTreeSet<Term> {
    let mut seen = HashSet::from([condition]);
    let mut work = vec![condition];
    let mut vars = BTreeSet::new();
    while let Some(t) = work.pop() {
        if terms.is_var(t) {
            vars.insert(t);
            continue;
        }
        let mut needed: Vec<Term> = match terms.op(t) {
            Op::Ite(c, then, other) => vec![c, if eval.holds(terms, c) { then } else { other }],
            Op::And(a, b) if terms.width(t) == 1 => match (eval.holds(terms, a), eval.holds(terms, b)) {
                (true, true) => vec![a, b],
                (false, _) => vec![a],
                (true, false) => vec![b],
            },
            _ => terms.children(t).to_vec(),
        };
        needed.retain(|n| seen.insert(*n));
        work.extend(needed);
    }
    vars
}
