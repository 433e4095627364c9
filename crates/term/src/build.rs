//! The builders: one method per operator, each simplifying as it builds, one file per family.
//!
//! Every rule preserves the value under every assignment. A rule may look a bounded number of levels down; it may call builders
//! only on terms that are smaller in a sense that ends (fewer bits, fewer operators above the same leaves).

mod arith;
mod array;
mod bits;
mod bulk;
mod compare;
mod constants;
mod count;
mod divide;
mod equal;
mod ite;
mod overflow;
mod relate;
mod shift;
mod slice;

use crate::node::{Op, Term};
use crate::terms::Terms;
use blitz_base::Bv;

pub(crate) use constants::Constants;

impl Terms {
    /// The value of both if both are constants.
    pub(crate) fn consts(&self, a: Term, b: Term) -> Option<(Bv, Bv)> {
        if !self.is_const(a) || !self.is_const(b) {
            return None;
        }
        self.as_const(a).zip(self.as_const(b))
    }

    /// The operands in canonical order: a constant second, else the smaller id first.
    pub(crate) fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        match (self.is_const(a), self.is_const(b)) {
            (true, false) => (b, a),
            (false, true) => (a, b),
            (true, true) | (false, false) => (a.min(b), a.max(b)),
        }
    }

    /// Width of both operands, which has to be the same.
    pub(crate) fn same_width(&self, a: Term, b: Term) -> u16 {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "operands should have the same width");
        width
    }

    /// Condition and branches if the term chooses between two constants.
    pub(crate) fn const_choice(&self, t: Term) -> Option<(Term, Bv, Bv)> {
        let Op::Ite(c, x, y) = self.op(t) else {
            return None;
        };
        let (x, y) = self.consts(x, y)?;
        Some((c, x, y))
    }

    /// `f` on a choice between constants, branch by branch; the results are constants again.
    pub(crate) fn lift1(&mut self, t: Term, f: impl Fn(&Bv) -> Bv) -> Option<Term> {
        let (c, x, y) = self.const_choice(t)?;
        let (x, y) = (f(&x), f(&y));
        Some(self.choose(c, x, y))
    }

    /// `f` on a choice between constants and a constant (or another choice under the same condition).
    pub(crate) fn lift2(&mut self, a: Term, b: Term, f: impl Fn(&Bv, &Bv) -> Bv) -> Option<Term> {
        if let Some((c, x, y)) = self.const_choice(a) {
            if let Some(k) = self.as_const(b) {
                return Some(self.choose(c, f(&x, &k), f(&y, &k)));
            }
            let (d, u, v) = self.const_choice(b)?;
            return (c == d).then(|| self.choose(c, f(&x, &u), f(&y, &v)));
        }
        let k = self.as_const(a)?;
        let (c, x, y) = self.const_choice(b)?;
        Some(self.choose(c, f(&k, &x), f(&k, &y)))
    }

    fn choose(&mut self, c: Term, x: Bv, y: Bv) -> Term {
        let (x, y) = (self.bv_const(x), self.bv_const(y));
        self.ite(c, x, y)
    }
}
