//! Answers that are kept, across properties, callers, scopes and bounds.
//!
//! Every search makes its own terms, so a condition that comes up again has other variables. Whether it can hold does not depend on their names:
//! a condition is known by its shape, with variables numbered as they are met. A search that is repeated deeper, wider or with more work asks much of what
//! it asked before; what was answered then costs only the segments again. The fingerprint has 128 bits; that two conditions share one by
//! accident is less likely than a fault of the machine, and would hide a violation but never make one.

use super::super::obligation::{Obligation, Site};
use crate::reason::RunEnd;
use blitz_base::Work;
use blitz_solver::{Outcome, UnknownReason};
use blitz_term::{Op, Postorder, Term, Terms};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// What was answered so far.
#[derive(Default)]
pub(crate) struct Answers {
    questions: RefCell<HashMap<u128, Answer>>,
    endings: RefCell<HashMap<u128, Ending>>,
}

/// What the solver said of a condition.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    Sat,
    Unsat,
    /// It gave up after so much work.
    GaveUp(Work),
}

/// How the last question about an obligation at the start of the program ended.
#[derive(Clone)]
pub(crate) enum Ending {
    /// Refuted; these calls were needed for it.
    Refuted(BTreeSet<Site>),
    /// The inputs did not show the violation; these calls are to blame.
    Missed(RunEnd, BTreeSet<Site>),
    GaveUp(Work),
}

impl Answer {
    /// What is kept of an outcome. What the clock or the memory ended is not: another time it may end otherwise.
    pub fn of(outcome: &Outcome, work: Work) -> Option<Self> {
        match outcome {
            Outcome::Sat => Some(Self::Sat),
            Outcome::Unsat => Some(Self::Unsat),
            Outcome::Unknown(UnknownReason::Conflicts) => Some(Self::GaveUp(work)),
            Outcome::Unknown(_) => None,
        }
    }

    pub fn outcome(self) -> Outcome {
        match self {
            Self::Sat => Outcome::Sat,
            Self::Unsat => Outcome::Unsat,
            Self::GaveUp(_) => Outcome::Unknown(UnknownReason::Conflicts),
        }
    }
}

impl Answers {
    /// What is known of a condition; that the solver gave up only if it had as much work.
    pub fn question(&self, print: u128, work: Work) -> Option<Answer> {
        self.questions.borrow().get(&print).copied().filter(|a| !matches!(a, Answer::GaveUp(had) if *had < work))
    }

    pub fn add_question(&self, print: u128, answer: Answer) {
        self.questions.borrow_mut().insert(print, answer);
    }

    pub fn ending(&self, print: u128, work: Work) -> Option<Ending> {
        self.endings.borrow().get(&print).cloned().filter(|e| !matches!(e, Ending::GaveUp(had) if *had < work))
    }

    pub fn add_ending(&self, print: u128, ending: Ending) {
        self.endings.borrow_mut().insert(print, ending);
    }
}

/// The shape of what is asked at the start of the program: the condition, where it comes from, and which calls are in question.
pub(crate) fn fingerprint_at_start(terms: &Terms, o: &Obligation<'_>, psi: Term, calls: &[(Site, Term)]) -> u128 {
    let mut print = Print(fingerprint(terms, psi));
    let mut add_site = |(caller, call, callee): &Site| {
        print.add((caller.index() as u128) << 64 | (call.index() as u128) << 32 | callee.index() as u128);
    };
    calls.iter().for_each(|(site, _)| add_site(site));
    o.treatment.inline.iter().for_each(&mut add_site);
    o.chain.iter().for_each(|f| print.add(f.index() as u128));
    print.0
}

/// The shape of a condition.
pub(crate) fn fingerprint(terms: &Terms, condition: Term) -> u128 {
    let mut prints: HashMap<Term, u128> = HashMap::new();
    let mut variables = 0u128;
    for t in Postorder::new(terms, &[condition]) {
        let mut print = Print(sort_of(terms, t));
        match terms.op(t) {
            Op::Var(_) => {
                variables += 1;
                print.add(variables);
            }
            Op::Const => terms.as_const(t).into_iter().for_each(|c| print.add_text(&c.to_string())),
            op => {
                print.add(kind(&op));
                if let Op::Extract { hi, lo, .. } = op {
                    print.add(u128::from(hi) << 16 | u128::from(lo));
                }
                terms.children(t).into_iter().for_each(|child| print.add(prints[&child]));
            }
        }
        prints.insert(t, print.0);
    }
    prints[&condition]
}

fn sort_of(terms: &Terms, t: Term) -> u128 {
    if terms.is_array(t) {
        let (index, element) = terms.array_widths(t);
        1 << 40 | u128::from(index) << 16 | u128::from(element)
    } else {
        u128::from(terms.width(t))
    }
}

/// A number for each operation.
fn kind(op: &Op) -> u128 {
    match op {
        Op::Const => 1,
        Op::Var(_) => 2,
        Op::Not(..) => 3,
        Op::And(..) => 4,
        Op::Xor(..) => 5,
        Op::Neg(..) => 6,
        Op::Add(..) => 7,
        Op::Mul(..) => 8,
        Op::Udiv(..) => 9,
        Op::Urem(..) => 10,
        Op::Sdiv(..) => 11,
        Op::Srem(..) => 12,
        Op::Shl(..) => 13,
        Op::Lshr(..) => 14,
        Op::Ashr(..) => 15,
        Op::Eq(..) => 16,
        Op::Ult(..) => 17,
        Op::Slt(..) => 18,
        Op::Ite(..) => 19,
        Op::Concat(..) => 20,
        Op::Extract { .. } => 21,
        Op::Sext(..) => 22,
        Op::ConstArray(..) => 23,
        Op::Store(..) => 24,
        Op::Select(..) => 25,
        Op::Copy { .. } => 26,
        Op::Fill { .. } => 27,
        Op::Scan { .. } => 28,
        Op::Mismatch { .. } => 29,
    }
}

/// FNV-1a in 128 bits, by words.
struct Print(u128);

impl Print {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    fn add(&mut self, word: u128) {
        for half in [word as u64, (word >> 64) as u64] {
            self.0 = (self.0 ^ u128::from(half)).wrapping_mul(Self::PRIME);
            self.0 ^= self.0 >> 61;
        }
    }

    fn add_text(&mut self, text: &str) {
        text.bytes().for_each(|b| self.add(u128::from(b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_term::Sort;

    #[test]
    fn names_do_not_matter_and_everything_else_does() {
        let mut terms = Terms::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|n| terms.var(n, Sort::Bv(8)));
        let (five, six) = (terms.bv(8, 5), terms.bv(8, 6));
        let mut less = |x, y, n| {
            let sum = terms.mul(x, y);
            terms.ult(sum, n)
        };
        let (one, same, twice, other) = (less(a, b, five), less(c, d, five), less(a, a, five), less(a, b, six));
        let print = |t| fingerprint(&terms, t);
        assert_eq!(print(one), print(same));
        assert_ne!(print(one), print(twice));
        assert_ne!(print(one), print(other));
    }
}
