//! Refuted conditions, across properties, callers and depths.
//!
//! Every search makes its own terms, so a condition that comes up again has other variables. That it can't hold does not depend on their names:
//! a condition is known by its shape, with variables numbered as they are met. The fingerprint has 128 bits; that two conditions share one by
//! accident is less likely than a fault of the machine, and would hide a violation but never make one.

use blitz_term::{Op, Postorder, Term, Terms};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// The conditions that were refuted so far.
#[derive(Default)]
pub(crate) struct Refuted {
    known: RefCell<HashSet<u128>>,
}

impl Refuted {
    pub fn has(&self, print: u128) -> bool {
        self.known.borrow().contains(&print)
    }

    pub fn add(&self, print: u128) {
        self.known.borrow_mut().insert(print);
    }
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
