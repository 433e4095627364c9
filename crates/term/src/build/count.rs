//! Counting and reordering bits, composed of the other operators.

use crate::node::{Op, Term};
use crate::terms::Terms;

impl Terms {
    /// The number of set bits, in the same width; sums of halves, so the circuit is shallow.
    pub fn ctpop(&mut self, a: Term) -> Term {
        let width = self.width(a);
        if let Some(value) = self.as_const(a) {
            return self.bv(width, value.ctpop().into());
        }
        if width == 1 {
            return a;
        }
        if let Some(low) = self.as_zext(a) {
            let count = self.ctpop(low);
            return self.zext(count, width);
        }
        // Enough bits for the count, which may be more than the width has for tiny widths only.
        let needed = (16 - width.leading_zeros()) as u16;
        let mut parts: Vec<Term> = (0..width)
            .map(|i| {
                let bit = self.extract(a, i, i);
                self.zext(bit, needed.max(1))
            })
            .collect();
        while parts.len() > 1 {
            parts = parts
                .chunks(2)
                .map(|pair| match *pair {
                    [x, y] => self.add(x, y),
                    [x, ..] => x,
                    [] => a,
                })
                .collect();
        }
        self.resize(parts[0], width)
    }

    /// `t` with its lowest set bit cleared again and again, as `x & (x - 1)` does: from what, and how often.
    fn cleared(&self, t: Term) -> (Term, u64) {
        let (mut from, mut times) = (t, 0);
        while times < u64::from(self.width(t))
            && let Some(before) = self.cleared_once(from)
        {
            (from, times) = (before, times + 1);
        }
        (from, times)
    }

    fn cleared_once(&self, t: Term) -> Option<Term> {
        let Op::And(x, y) = self.op(t) else { return None };
        let is_less_one = |t: Term, x: Term| matches!(self.op(t), Op::Add(a, k) if a == x && self.is_ones(k));
        if is_less_one(y, x) {
            return Some(x);
        }
        is_less_one(x, y).then_some(y)
    }

    /// Nothing is left of a term whose lowest bit was cleared several times: it had no more bits than that. (Wegner counts bits
    /// so.) One circuit that counts takes the place of a chain of subtractions; for a single one it would not pay.
    pub(crate) fn nothing_left(&mut self, t: Term) -> Option<Term> {
        let (from, times) = self.cleared(t);
        if times < 2 {
            return None;
        }
        let width = self.width(from);
        if times >= u64::from(width) {
            return Some(self.tru());
        }
        let (count, most) = (self.ctpop(from), self.bv(width, times));
        Some(self.ule(count, most))
    }

    /// The number of zero bits above the highest set one, in the same width (cut to it).
    pub fn ctlz(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let mut count = self.bv(width, width.into());
        for i in 0..width {
            let bit = self.extract(a, i, i);
            let here = self.bv(width, (width - 1 - i).into());
            count = self.ite(bit, here, count);
        }
        count
    }

    /// The number of zero bits below the lowest set one, in the same width (cut to it).
    pub fn cttz(&mut self, a: Term) -> Term {
        let width = self.width(a);
        let mut count = self.bv(width, width.into());
        for i in (0..width).rev() {
            let bit = self.extract(a, i, i);
            let here = self.bv(width, i.into());
            count = self.ite(bit, here, count);
        }
        count
    }

    /// The bytes in the opposite order; the width is a multiple of 8.
    pub fn bswap(&mut self, a: Term) -> Term {
        let width = self.width(a);
        assert!(width.is_multiple_of(8), "bswap should be on whole bytes");
        self.reversed(a, 8)
    }

    /// The bits in the opposite order.
    pub fn bitreverse(&mut self, a: Term) -> Term {
        self.reversed(a, 1)
    }

    /// The pieces of `size` bits in the opposite order.
    fn reversed(&mut self, a: Term, size: u16) -> Term {
        let width = self.width(a);
        let mut out = self.extract(a, size - 1, 0);
        for piece in 1..width / size {
            let lo = piece * size;
            let part = self.extract(a, lo + size - 1, lo);
            out = self.concat(out, part);
        }
        out
    }
}
