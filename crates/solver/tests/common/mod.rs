//! Random formulas over all operators, arrays and bulk terms included.

use blitz_term::{Sort, Term, Terms};

/// A small generator; the seed decides everything.
pub struct Gen {
    state: u64,
    pool: Vec<Term>,
    arrays: Vec<Term>,
    widths: Vec<u16>,
    array_sort: (u16, u16),
}

impl Gen {
    pub fn new(seed: u64) -> Self {
        let mut g = Self {
            state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
            pool: Vec::new(),
            arrays: Vec::new(),
            widths: Vec::new(),
            array_sort: (0, 0),
        };
        for _ in 0..8 {
            g.next(2);
        }
        g
    }

    pub fn next(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 24) as usize % n
    }

    /// A list of Boolean terms, some of which are meant as assumptions.
    pub fn formula(&mut self, t: &mut Terms) -> Vec<Term> {
        let index = 2 + self.next(3) as u16;
        let elem = [1, 2, 4, 8][self.next(4)];
        self.array_sort = (index, elem);
        self.widths = vec![1, 2 + self.next(4) as u16, index, elem];
        for i in 0..6 {
            let w = self.width();
            self.pool.push(t.var(&format!("x{i}"), Sort::Bv(w)));
        }
        for i in 0..2 {
            self.arrays.push(t.var(&format!("m{i}"), Sort::Array { index, elem }));
        }
        for _ in 0..20 + self.next(30) {
            let step = self.step(t);
            self.pool.extend(step);
        }
        let count = 2 + self.next(5);
        (0..count).map(|_| self.condition(t)).collect()
    }

    pub fn condition(&mut self, t: &mut Terms) -> Term {
        let w = self.width();
        let (a, b) = (self.word(t, w), self.word(t, w));
        let p = match self.next(5) {
            0 => t.eq(a, b),
            1 => t.ult(a, b),
            2 => t.slt(a, b),
            3 => self.word(t, 1),
            _ => {
                let (x, y) = (self.array(), self.array());
                t.eq(x, y)
            }
        };
        if self.next(2) == 0 { t.not(p) } else { p }
    }

    fn width(&mut self) -> u16 {
        let i = self.next(self.widths.len());
        self.widths[i]
    }

    fn any(&mut self) -> Term {
        let i = self.next(self.pool.len());
        self.pool[i]
    }

    fn array(&mut self) -> Term {
        let i = self.next(self.arrays.len());
        self.arrays[i]
    }

    /// Any term, cut or extended to the width.
    fn word(&mut self, t: &mut Terms, w: u16) -> Term {
        if self.next(12) == 0 {
            let bits = self.next(1 << 8) as u64;
            return t.bv(w, bits);
        }
        let x = self.any();
        let have = t.width(x);
        match have.cmp(&w) {
            std::cmp::Ordering::Equal => x,
            std::cmp::Ordering::Greater => {
                let lo = self.next(usize::from(have - w) + 1) as u16;
                t.extract(x, lo + w - 1, lo)
            }
            std::cmp::Ordering::Less if self.next(2) == 0 => t.zext(x, w),
            std::cmp::Ordering::Less => t.sext(x, w),
        }
    }

    fn step(&mut self, t: &mut Terms) -> Option<Term> {
        let w = self.width();
        let (a, b) = (self.word(t, w), self.word(t, w));
        Some(match self.next(32) {
            0 => t.add(a, b),
            1 => t.sub(a, b),
            2 => t.mul(a, b),
            3 => t.udiv(a, b),
            4 => t.urem(a, b),
            5 => t.sdiv(a, b),
            6 => t.srem(a, b),
            7 => t.shl(a, b),
            8 => t.lshr(a, b),
            9 => t.ashr(a, b),
            10 => t.and(a, b),
            11 => t.or(a, b),
            12 => t.xor(a, b),
            13 => t.not(a),
            14 => t.neg(a),
            15 => {
                let c = self.word(t, 1);
                t.ite(c, a, b)
            }
            16 => t.concat(a, b),
            17 => t.smulo(a, b),
            18 => t.eq(a, b),
            19 => t.sle(a, b),
            20 => t.ule(a, b),
            21 => t.rotl(a, b),
            _ => return self.array_step(t),
        })
    }

    fn array_step(&mut self, t: &mut Terms) -> Option<Term> {
        let (index, elem) = self.array_sort;
        let (a, b) = (self.array(), self.array());
        let (i, j, n) = (self.word(t, index), self.word(t, index), self.word(t, index));
        let v = self.word(t, elem);
        let made = match self.next(8) {
            0 => return Some(t.scan(a, i, v, n)),
            1 => return Some(t.mismatch(a, i, b, j, n)),
            2 => t.copy(a, i, b, j, n),
            3 => t.fill(a, i, v, n),
            4 => {
                let c = self.word(t, 1);
                t.ite(c, a, b)
            }
            5 if self.next(3) == 0 => t.const_array(index, v),
            6 => return Some(t.select(a, i)),
            _ => t.store(a, i, v),
        };
        self.arrays.push(made);
        Some(t.select(made, j))
    }
}
