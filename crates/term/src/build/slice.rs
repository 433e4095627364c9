//! Concatenation, extraction and extension. A zero extension is a concatenation with zero above.
//! Invariant: a constant prefix stands alone on top, so that extensions are recognised; adjacent slices of one term are one slice.

use crate::node::{Kind, Op, Term};
use crate::terms::Terms;
use blitz_base::Bv;

/// How many choices inside each other are looked through for free slices.
const FREE_DEPTH: u32 = 6;

impl Terms {
    /// `high` above `low`.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let width =
            self.width(high).checked_add(self.width(low)).expect("a concatenation should have at most 65535 bits");
        if let Some(t) = self.merge_parts(high, low) {
            return t;
        }
        if let Op::Concat(x, y) = self.op(high) {
            if let Some(merged) = self.merge_parts(y, low) {
                return self.concat(x, merged);
            }
            if self.is_const(x) {
                let rest = self.concat(y, low);
                return self.concat(x, rest);
            }
        }
        if let Op::Concat(x, y) = self.op(low)
            && let Some(merged) = self.merge_parts(high, x)
        {
            return self.concat(merged, y);
        }
        self.binary(Kind::Concat, width, high, low)
    }

    /// Two parts that are one simpler term together.
    fn merge_parts(&mut self, high: Term, low: Term) -> Option<Term> {
        if let Some((x, y)) = self.consts(high, low) {
            return Some(self.bv_const(x.concat(&y)));
        }
        match (self.op(high), self.op(low)) {
            (Op::Extract { arg, hi, lo }, Op::Extract { arg: other, hi: top, lo: bottom })
                if arg == other && lo == top + 1 =>
            {
                Some(self.extract(arg, hi, bottom))
            }
            (Op::Ite(c, x, y), Op::Ite(d, u, v)) if c == d => {
                let (x, u) = self.consts(x, u)?;
                let (y, v) = self.consts(y, v)?;
                let (then, other) = (self.bv_const(x.concat(&u)), self.bv_const(y.concat(&v)));
                Some(self.ite(c, then, other))
            }
            _ => None,
        }
    }

    /// Bits `hi` down to `lo`, both included.
    pub fn extract(&mut self, t: Term, hi: u16, lo: u16) -> Term {
        let (mut t, mut hi, mut lo) = (t, hi, lo);
        loop {
            let width = self.width(t);
            assert!(lo <= hi && hi < width, "extracted bits should lie inside");
            if hi - lo + 1 == width {
                return t;
            }
            match self.op(t) {
                Op::Extract { arg, lo: base, .. } => {
                    (t, hi, lo) = (arg, hi + base, lo + base);
                }
                Op::Concat(high, low) => {
                    let cut = self.width(low);
                    if lo >= cut {
                        (t, hi, lo) = (high, hi - cut, lo - cut);
                    } else if hi < cut {
                        t = low;
                    } else {
                        let parts = self.descend(|terms| {
                            let high = terms.extract(high, hi - cut, 0);
                            let low = terms.extract(low, cut - 1, lo);
                            terms.concat(high, low)
                        });
                        return parts.unwrap_or_else(|| self.extract_node(t, hi, lo));
                    }
                }
                Op::Sext(x) if hi < self.width(x) => t = x,
                _ => return self.extract_rules(t, hi, lo),
            }
        }
    }

    fn extract_rules(&mut self, t: Term, hi: u16, lo: u16) -> Term {
        let width = hi - lo + 1;
        let kept = match self.op(t) {
            Op::Const => {
                let value = self.as_const(t).expect("a constant should have a value");
                return self.bv_const(value.extract(hi, lo));
            }
            Op::Sext(x) => {
                // The slice reaches into the copies of the sign.
                let top = self.width(x) - 1;
                let inner = self.extract(x, top, lo.min(top));
                Some(self.sext(inner, width))
            }
            Op::Ite(c, x, y) => self.extract_choice((c, x, y), hi, lo),
            Op::Select(array, index) => self.read_constant_slice(array, index, hi, lo),
            Op::And(x, k) => self.extract_masked(x, k, hi, lo),
            Op::Add(x, y) if lo == 0 && self.fits(x, width) && self.fits(y, width) => {
                let (x, y) = (self.extract(x, hi, 0), self.extract(y, hi, 0));
                Some(self.add(x, y))
            }
            Op::Add(x, k) if lo == 0 && self.is_const(k) && self.slice_is_free(x, hi, 0, FREE_DEPTH) => {
                let (x, k) = (self.extract(x, hi, 0), self.extract(k, hi, 0));
                Some(self.add(x, k))
            }
            Op::Mul(x, y) if lo == 0 && self.fits(x, width) && self.fits(y, width) => {
                let (x, y) = (self.extract(x, hi, 0), self.extract(y, hi, 0));
                Some(self.mul(x, y))
            }
            _ => None,
        };
        let kept = kept.or_else(|| self.extract_known(t, hi, lo));
        kept.unwrap_or_else(|| self.extract_node(t, hi, lo))
    }

    fn extract_node(&mut self, t: Term, hi: u16, lo: u16) -> Term {
        self.bv_node(Kind::Extract, hi - lo + 1, [t.raw(), u32::from(hi), u32::from(lo)])
    }

    /// A slice of a choice is a choice of slices where these cost nothing, as the object of a pointer among known ones.
    fn extract_choice(&mut self, (c, x, y): (Term, Term, Term), hi: u16, lo: u16) -> Option<Term> {
        if !self.slice_is_free(x, hi, lo, FREE_DEPTH) || !self.slice_is_free(y, hi, lo, FREE_DEPTH) {
            return None;
        }
        self.descend(|terms| {
            let (x, y) = (terms.extract(x, hi, lo), terms.extract(y, hi, lo));
            terms.ite(c, x, y)
        })
    }

    /// Whether a slice needs no extraction: it is a constant or a part of a concatenation.
    fn slice_is_free(&self, t: Term, hi: u16, lo: u16, depth: u32) -> bool {
        let (mut t, mut hi, mut lo) = (t, hi, lo);
        loop {
            if hi - lo + 1 == self.width(t) {
                return true;
            }
            match self.op(t) {
                Op::Const => return true,
                Op::Concat(high, low) => {
                    let cut = self.width(low);
                    if lo >= cut {
                        (t, hi, lo) = (high, hi - cut, lo - cut);
                    } else if hi < cut {
                        t = low;
                    } else {
                        return false;
                    }
                }
                Op::Sext(x) if hi < self.width(x) => t = x,
                Op::Ite(_, x, y) if depth > 0 => {
                    return self.slice_is_free(x, hi, lo, depth - 1) && self.slice_is_free(y, hi, lo, depth - 1);
                }
                _ => return false,
            }
        }
    }

    /// Whether the term is a constant or extends at most `width` bits, so that cutting it makes it simpler.
    fn fits(&self, t: Term, width: u16) -> bool {
        match self.op(t) {
            Op::Const => true,
            Op::Sext(x) => self.width(x) <= width,
            Op::Concat(..) => self.as_zext(t).is_some_and(|x| self.width(x) <= width),
            Op::Neg(x) => self.as_zext(x).is_some_and(|x| self.width(x) <= width),
            _ => false,
        }
    }

    /// All bits of the slice are known.
    fn extract_known(&mut self, t: Term, hi: u16, lo: u16) -> Option<Term> {
        if self.width(t) > 64 {
            return None;
        }
        let known = self.known_bits(t);
        let width = hi - lo + 1;
        let wanted = crate::terms::mask(width) << lo;
        ((known.zeros | known.ones) & wanted == wanted).then(|| self.bv(width, known.ones >> lo))
    }

    /// A slice of a masked term where the mask keeps all or nothing.
    fn extract_masked(&mut self, x: Term, k: Term, hi: u16, lo: u16) -> Option<Term> {
        let mask = self.as_const(k)?.extract(hi, lo);
        if mask.is_zero() {
            return Some(self.bv_const(mask));
        }
        mask.is_ones().then(|| self.extract(x, hi, lo))
    }

    /// Widened to `width` bits with zeros; the same term if it has that width already.
    pub fn zext(&mut self, t: Term, width: u16) -> Term {
        let old = self.width(t);
        assert!(width >= old, "an extension should not narrow");
        if width == old {
            return t;
        }
        let zeros = self.zero(width - old);
        self.concat(zeros, t)
    }

    /// Widened to `width` bits with the sign; the same term if it has that width already.
    pub fn sext(&mut self, t: Term, width: u16) -> Term {
        let old = self.width(t);
        assert!(width >= old, "an extension should not narrow");
        if width == old {
            return t;
        }
        if let Op::Sext(x) = self.op(t) {
            return self.sext(x, width);
        }
        if let Some(value) = self.as_const(t) {
            return self.bv_const(value.sext(width));
        }
        match self.known_sign(t) {
            Some(false) => return self.zext(t, width),
            Some(true) => {
                let ones = self.ones(width - old);
                return self.concat(ones, t);
            }
            None => {}
        }
        if let Some(lifted) = self.lift1(t, |k: &Bv| k.sext(width)) {
            return lifted;
        }
        self.unary(Kind::Sext, width, t)
    }

    /// `count` copies of the term, one above the other.
    pub fn repeat(&mut self, t: Term, count: u16) -> Term {
        assert!(count > 0, "a term should be repeated at least once");
        let mut out = t;
        for _ in 1..count {
            out = self.concat(out, t);
        }
        out
    }

    /// Cut or widened with zeros to `width` bits.
    pub fn resize(&mut self, t: Term, width: u16) -> Term {
        if width < self.width(t) { self.extract(t, width - 1, 0) } else { self.zext(t, width) }
    }
}
