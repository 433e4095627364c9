//! What one literal says about another: implication and contradiction between comparisons of the same terms.
//!
//! Why: the path condition of an unwound loop is `0 < n`, `1 < n`, `2 < n`, ...; the last one says it all. A comparison with a constant is a range of values,
//! of two terms with each other one of the possible orders. Nothing is built here; unknown is always a right answer.
//! Absent: more than 64 bits.

use crate::node::{Op, Term};
use crate::terms::{Terms, mask};

/// A comparison that can be related to others.
#[derive(Clone, Copy)]
pub(crate) enum Literal {
    /// `x` lies in the set; of signed comparisons the values are shifted so that they are ordered.
    Values { x: Term, signed: Option<bool>, set: Set },
    /// Of `x` and `y` (in the order of ids) these orders are possible, as bits: less, equal, greater.
    Orders { x: Term, y: Term, signed: Option<bool>, orders: u8 },
}

#[derive(Clone, Copy)]
pub(crate) enum Set {
    Range(u64, u64),
    AllBut(u64),
}

/// How two literals stand to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    /// The first implies the second.
    Implies,
    /// The second implies the first.
    Implied,
    /// They cannot hold together.
    Excludes,
    Unknown,
}

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;

impl Terms {
    /// The term as a comparison, if it is one.
    pub(crate) fn literal(&self, t: Term) -> Option<Literal> {
        let (t, negated) = match self.op(t) {
            Op::Not(inner) => (inner, true),
            _ => (t, false),
        };
        let (x, y, signed) = match self.op(t) {
            Op::Eq(x, y) if !self.is_array(x) => (x, y, None),
            Op::Ult(x, y) => (x, y, Some(false)),
            Op::Slt(x, y) => (x, y, Some(true)),
            _ => return None,
        };
        let width = self.width(x);
        if width > 64 {
            return None;
        }
        match (self.as_u64(x), self.as_u64(y)) {
            (None, Some(k)) => Some(below(x, k, width, signed, negated)),
            (Some(k), None) => Some(above(k, y, width, signed, negated)),
            _ => Some(orders(x, y, signed, negated)),
        }
    }
}

/// The constant in the order of a signed comparison, shifted to be unsigned.
fn shifted(k: u64, width: u16, signed: Option<bool>) -> u64 {
    if signed == Some(true) { k ^ 1 << (width - 1) } else { k }
}

/// `x < k`, `x = k` or the negation.
fn below(x: Term, k: u64, width: u16, signed: Option<bool>, negated: bool) -> Literal {
    let k = shifted(k, width, signed);
    let set = match (signed, negated) {
        (None, false) => Set::Range(k, k),
        (None, true) => Set::AllBut(k),
        // Comparisons with the least value are folded before.
        (Some(_), false) => Set::Range(0, k.saturating_sub(1)),
        (Some(_), true) => Set::Range(k, mask(width)),
    };
    Literal::Values { x, signed, set }
}

/// `k < x` or the negation.
fn above(k: u64, x: Term, width: u16, signed: Option<bool>, negated: bool) -> Literal {
    let k = shifted(k, width, signed);
    let set = match (signed, negated) {
        (None, _) => return below(x, k, width, None, negated),
        (Some(_), false) => Set::Range(k.saturating_add(1).min(mask(width)), mask(width)),
        (Some(_), true) => Set::Range(0, k),
    };
    Literal::Values { x, signed, set }
}

fn orders(x: Term, y: Term, signed: Option<bool>, negated: bool) -> Literal {
    let holds = match (signed, x < y) {
        (None, _) => EQUAL,
        (Some(_), true) => LESS,
        (Some(_), false) => GREATER,
    };
    let orders = if negated { (LESS | EQUAL | GREATER) & !holds } else { holds };
    Literal::Orders { x: x.min(y), y: x.max(y), signed, orders }
}

/// Whether two comparisons use the same order of values; equality fits both.
fn same_order(a: Option<bool>, b: Option<bool>) -> bool {
    a == b || a.is_none() || b.is_none()
}

impl Literal {
    /// How this literal stands to another, given the width of what they compare.
    pub fn relation(self, other: Self, terms: &Terms) -> Relation {
        match (self, other) {
            (
                Literal::Orders { x, y, signed, orders },
                Literal::Orders { x: u, y: v, signed: other_signed, orders: others },
            ) if x == u && y == v && same_order(signed, other_signed) => {
                relate(orders & others == 0, orders & !others == 0, others & !orders == 0)
            }
            (Literal::Values { x, signed, set }, Literal::Values { x: y, signed: other_signed, set: other })
                if x == y && same_order(signed, other_signed) =>
            {
                let width = terms.width(x);
                let order = signed.or(other_signed);
                let (a, b) = (set.in_order(width, signed, order), other.in_order(width, other_signed, order));
                relate(a.apart(b), a.inside(b), b.inside(a))
            }
            _ => Relation::Unknown,
        }
    }
}

fn relate(apart: bool, inside: bool, around: bool) -> Relation {
    if apart {
        Relation::Excludes
    } else if inside {
        Relation::Implies
    } else if around {
        Relation::Implied
    } else {
        Relation::Unknown
    }
}

impl Set {
    /// An equality has no order of its own and takes the other's.
    fn in_order(self, width: u16, own: Option<bool>, order: Option<bool>) -> Self {
        if own.is_some() {
            return self;
        }
        match self {
            Set::Range(k, _) => {
                let k = shifted(k, width, order);
                Set::Range(k, k)
            }
            Set::AllBut(k) => Set::AllBut(shifted(k, width, order)),
        }
    }

    /// No value is in both.
    fn apart(self, other: Self) -> bool {
        match (self, other) {
            (Set::Range(a, b), Set::Range(c, d)) => b < c || d < a,
            (Set::Range(a, b), Set::AllBut(k)) | (Set::AllBut(k), Set::Range(a, b)) => a == k && b == k,
            (Set::AllBut(_), Set::AllBut(_)) => false,
        }
    }

    /// Every value of this is in the other.
    fn inside(self, other: Self) -> bool {
        match (self, other) {
            (Set::Range(a, b), Set::Range(c, d)) => c <= a && b <= d,
            (Set::Range(a, b), Set::AllBut(k)) => k < a || b < k,
            (Set::AllBut(j), Set::AllBut(k)) => j == k,
            (Set::AllBut(_), Set::Range(..)) => false,
        }
    }
}
