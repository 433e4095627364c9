//! Bitwise operators. `or` is expressed by `and` and `not`, so both share rules and nodes.

use super::relate::Relation;
use crate::node::{Kind, Op, Term};
use crate::terms::Terms;
use blitz_base::Bv;
use smallvec::SmallVec;

/// How many conjuncts below an `and` are looked at for a repeated or opposite one.
const CONJUNCTS_SEEN: usize = 16;

impl Terms {
    /// Bitwise complement.
    pub fn not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match self.op(a) {
            Op::Const => {
                let value = self.as_const(a).expect("a constant should have a value");
                self.bv_const(value.not())
            }
            Op::Not(x) => x,
            Op::Neg(x) => {
                let minus_one = self.ones(width);
                self.add(x, minus_one)
            }
            Op::Ite(..) if width > 1 => match self.lift1(a, Bv::not) {
                Some(lifted) => lifted,
                None => self.unary(Kind::Not, width, a),
            },
            _ => self.unary(Kind::Not, width, a),
        }
    }

    /// Bitwise and.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bv_const(x.and(&y));
        }
        if a == b || self.is_ones(b) {
            return a;
        }
        if self.is_zero(b) {
            return b;
        }
        if let Some(t) = self.and_known(a, b, width) {
            return t;
        }
        if let Some(t) = if width == 1 { self.and_literals(a, b) } else { self.and_const(a, b) } {
            return t;
        }
        if let Some(t) = self.and_shape(a, b).or_else(|| self.and_shape(b, a)) {
            return t;
        }
        if let Some(t) = self.split_bitwise(a, b, Terms::and) {
            return t;
        }
        if let Some(t) = self.lift2(a, b, Bv::and) {
            return t;
        }
        self.binary(Kind::And, width, a, b)
    }

    /// One side decides every bit, or leaves every bit of the other.
    fn and_known(&mut self, a: Term, b: Term, width: u16) -> Option<Term> {
        if width > 64 {
            return None;
        }
        let (x, y) = (self.known_bits(a), self.known_bits(b));
        let all = crate::terms::mask(width);
        let zeros = x.zeros | y.zeros;
        let ones = x.ones & y.ones;
        if zeros | ones == all {
            return Some(self.bv(width, ones));
        }
        if x.zeros | y.ones == all {
            return Some(a);
        }
        if y.zeros | x.ones == all {
            return Some(b);
        }
        None
    }

    /// A mask: masks of masks merge, and a single run of ones is a slice.
    fn and_const(&mut self, a: Term, b: Term) -> Option<Term> {
        let mask = self.as_const(b)?;
        if let Op::And(x, y) = self.op(a)
            && let Some(inner) = self.as_const(y)
        {
            let merged = self.bv_const(inner.and(&mask));
            return Some(self.and(x, merged));
        }
        let (lo, len) = single_run(&mask)?;
        let width = mask.width();
        let hi = lo + len - 1;
        let middle = self.extract(a, hi, lo);
        let low = self.append_zeros(middle, lo);
        Some(self.zext(low, width))
    }

    pub(crate) fn append_zeros(&mut self, t: Term, count: u16) -> Term {
        if count == 0 {
            return t;
        }
        let zeros = self.zero(count);
        self.concat(t, zeros)
    }

    /// Rules that look into `b`.
    fn and_shape(&mut self, a: Term, b: Term) -> Option<Term> {
        match self.op(b) {
            Op::Not(x) if x == a => Some(self.zero(self.width(a))),
            Op::Not(x) => self.and_not_and(a, x),
            Op::And(..) => self.and_conjuncts(a, b),
            // A mask of one bit chooses: a pointer under it still names its objects.
            Op::Sext(bit) if self.width(bit) == 1 => {
                let zero = self.zero(self.width(a));
                Some(self.ite(bit, a, zero))
            }
            _ => None,
        }
    }

    /// `a & ~(x & y)`.
    fn and_not_and(&mut self, a: Term, inner: Term) -> Option<Term> {
        let Op::And(x, y) = self.op(inner) else {
            return None;
        };
        for (x, y) in [(x, y), (y, x)] {
            if x == a {
                let not_y = self.not(y);
                return Some(self.and(a, not_y));
            }
            if self.opposite(x, a) {
                return Some(a);
            }
            if let Op::Not(other) = self.op(a)
                && let Op::And(u, v) = self.op(other)
                && ((u == x && self.opposite(v, y)) || (v == x && self.opposite(u, y)))
            {
                // ~(x & y) & ~(x & ~y) = ~x
                return Some(self.not(x));
            }
        }
        None
    }

    /// Two comparisons of the same terms.
    fn and_literals(&mut self, a: Term, b: Term) -> Option<Term> {
        let (x, y) = (self.literal(a)?, self.literal(b)?);
        match x.relation(y, self) {
            Relation::Excludes => Some(self.fls()),
            Relation::Implies => Some(a),
            Relation::Implied => Some(b),
            Relation::Unknown => None,
        }
    }

    /// `a` occurs among the conjuncts of `b`, or its opposite does, or one decides the other.
    fn and_conjuncts(&mut self, a: Term, b: Term) -> Option<Term> {
        let literal = self.literal(a);
        let mut open: SmallVec<[Term; CONJUNCTS_SEEN + 1]> = SmallVec::from_slice(&[b]);
        let mut seen = 0;
        while let Some(t) = open.pop() {
            if t == a {
                return Some(b);
            }
            if self.opposite(t, a) {
                return Some(self.zero(self.width(a)));
            }
            if let (Some(x), Some(y)) = (literal, literal.and_then(|_| self.literal(t))) {
                match x.relation(y, self) {
                    Relation::Excludes => return Some(self.fls()),
                    Relation::Implied => return Some(b),
                    Relation::Implies => {
                        if let Some(rest) = self.without(b, t) {
                            return self.descend(|terms| terms.and(rest, a));
                        }
                    }
                    Relation::Unknown => {}
                }
            }
            seen += 1;
            if seen < CONJUNCTS_SEEN
                && let Op::And(x, y) = self.op(t)
            {
                open.push(x);
                open.push(y);
            }
        }
        None
    }

    /// The other side of a conjunction that has `part` as a side.
    fn without(&self, conjunction: Term, part: Term) -> Option<Term> {
        match self.op(conjunction) {
            Op::And(x, y) if x == part => Some(y),
            Op::And(x, y) if y == part => Some(x),
            _ => None,
        }
    }

    /// Whether one is the complement of the other.
    pub(crate) fn opposite(&self, a: Term, b: Term) -> bool {
        self.op(a) == Op::Not(b) || self.op(b) == Op::Not(a)
    }

    /// A bitwise operator on concatenations cut at the same place, or on one and a constant, works part by part.
    fn split_bitwise(&mut self, a: Term, b: Term, f: fn(&mut Terms, Term, Term) -> Term) -> Option<Term> {
        let cut = match (self.op(a), self.op(b)) {
            (Op::Concat(_, low), Op::Const) => self.width(low),
            (Op::Concat(h, low), Op::Concat(i, other))
                if self.width(low) == self.width(other) || self.is_const(h) && self.is_const(i) =>
            {
                self.width(low).max(self.width(other))
            }
            _ => return None,
        };
        let top = self.width(a) - 1;
        self.descend(|terms| {
            let (a_high, b_high) = (terms.extract(a, top, cut), terms.extract(b, top, cut));
            let (a_low, b_low) = (terms.extract(a, cut - 1, 0), terms.extract(b, cut - 1, 0));
            let high = f(terms, a_high, b_high);
            let low = f(terms, a_low, b_low);
            terms.concat(high, low)
        })
    }

    /// Bitwise or.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some(t) = self.split_bitwise(a, b, Terms::or) {
            return t;
        }
        if let Some(t) = self.lift2(a, b, Bv::or) {
            return t;
        }
        let (x, y) = (self.not(a), self.not(b));
        let both = self.and(x, y);
        self.not(both)
    }

    /// Bitwise exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some((x, y)) = self.consts(a, b) {
            return self.bv_const(x.xor(&y));
        }
        if a == b {
            return self.zero(width);
        }
        if self.is_zero(b) {
            return a;
        }
        if self.is_ones(b) {
            return self.not(a);
        }
        if let Some(t) = self.xor_shape(a, b).or_else(|| self.xor_shape(b, a)) {
            return t;
        }
        if let Some(t) = self.split_bitwise(a, b, Terms::xor) {
            return t;
        }
        if let Some(t) = self.lift2(a, b, Bv::xor) {
            return t;
        }
        self.binary(Kind::Xor, width, a, b)
    }

    /// Rules that look into `b`; complements move outwards.
    fn xor_shape(&mut self, a: Term, b: Term) -> Option<Term> {
        match self.op(b) {
            Op::Not(x) => {
                let inner = self.xor(a, x);
                Some(self.not(inner))
            }
            Op::Xor(x, y) if x == a => Some(y),
            Op::Xor(x, y) if y == a => Some(x),
            Op::Xor(x, k) if self.is_const(k) => {
                let inner = self.xor(x, a);
                // The constant goes outermost, where it meets others.
                let (inner, k) = match self.op(inner) {
                    Op::Xor(y, l) if self.is_const(l) => (y, self.xor(k, l)),
                    _ => (inner, k),
                };
                if self.is_zero(k) {
                    return Some(inner);
                }
                if self.is_const(inner) || self.is_ones(k) {
                    return Some(self.xor(inner, k));
                }
                let width = self.width(a);
                Some(self.binary(Kind::Xor, width, inner, k))
            }
            _ => None,
        }
    }

    /// `a` implies `b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or(not_a, b)
    }

    /// The conjunction of all; true if there are none. Built as a balanced tree.
    pub fn and_all(&mut self, parts: &[Term]) -> Term {
        self.balanced(parts, self.tru(), Terms::and)
    }

    /// The disjunction of all; false if there are none. Built as a balanced tree.
    pub fn or_all(&mut self, parts: &[Term]) -> Term {
        self.balanced(parts, self.fls(), Terms::or)
    }

    fn balanced(&mut self, parts: &[Term], empty: Term, f: fn(&mut Terms, Term, Term) -> Term) -> Term {
        let mut level = parts.to_vec();
        level.sort_unstable();
        level.dedup();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| match *pair {
                    [a, b] => f(self, a, b),
                    [a] => a,
                    _ => empty,
                })
                .collect();
        }
        level.first().copied().unwrap_or(empty)
    }
}

/// Position and length of the ones if they are a single run that is not everything.
fn single_run(mask: &Bv) -> Option<(u16, u16)> {
    let lo = mask.cttz();
    let len = mask.ctpop();
    (len > 0 && len + lo + mask.ctlz() == mask.width()).then_some((lo, len))
}
