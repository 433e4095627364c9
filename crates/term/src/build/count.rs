//! Counting and reordering bits, composed of the other operators.

use crate::node::Term;
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
