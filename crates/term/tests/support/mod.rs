//! A second, plain semantics of every builder over tables of values, to hold simplified terms against.
//!
//! A *row* is one assignment. A `Sample` is a term with the values it should have in every row, computed from its operands' values
//! and never from the term. `Rows::values` computes what the term has, by its operators.
#![allow(dead_code)]

use blitz_base::Bv;
use blitz_term::{Op, Sort, Term, Terms};
use std::collections::HashMap;
use std::rc::Rc;

/// Every builder on bit-vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Build {
    Not,
    Neg,
    Ctpop,
    Ctlz,
    Cttz,
    Bitreverse,
    SignBit,
    And,
    Or,
    Xor,
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Smod,
    Shl,
    Lshr,
    Ashr,
    Rotl,
    Rotr,
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
    Uaddo,
    Usubo,
    Umulo,
    Saddo,
    Ssubo,
    Smulo,
    Concat,
    Ite,
    Extract(u16, u16),
    Zext(u16),
    Sext(u16),
}

pub const UNARY: [Build; 7] =
    [Build::Not, Build::Neg, Build::Ctpop, Build::Ctlz, Build::Cttz, Build::Bitreverse, Build::SignBit];

/// Binary builders whose operands have the same width.
pub const BINARY: [Build; 32] = [
    Build::And,
    Build::Or,
    Build::Xor,
    Build::Add,
    Build::Sub,
    Build::Mul,
    Build::Udiv,
    Build::Urem,
    Build::Sdiv,
    Build::Srem,
    Build::Smod,
    Build::Shl,
    Build::Lshr,
    Build::Ashr,
    Build::Rotl,
    Build::Rotr,
    Build::Eq,
    Build::Ne,
    Build::Ult,
    Build::Ule,
    Build::Ugt,
    Build::Uge,
    Build::Slt,
    Build::Sle,
    Build::Sgt,
    Build::Sge,
    Build::Uaddo,
    Build::Usubo,
    Build::Umulo,
    Build::Saddo,
    Build::Ssubo,
    Build::Smulo,
];

/// The term by the builder.
pub fn build(terms: &mut Terms, b: Build, t: &[Term]) -> Term {
    match b {
        Build::Not => terms.not(t[0]),
        Build::Neg => terms.neg(t[0]),
        Build::Ctpop => terms.ctpop(t[0]),
        Build::Ctlz => terms.ctlz(t[0]),
        Build::Cttz => terms.cttz(t[0]),
        Build::Bitreverse => terms.bitreverse(t[0]),
        Build::SignBit => terms.sign_bit(t[0]),
        Build::And => terms.and(t[0], t[1]),
        Build::Or => terms.or(t[0], t[1]),
        Build::Xor => terms.xor(t[0], t[1]),
        Build::Add => terms.add(t[0], t[1]),
        Build::Sub => terms.sub(t[0], t[1]),
        Build::Mul => terms.mul(t[0], t[1]),
        Build::Udiv => terms.udiv(t[0], t[1]),
        Build::Urem => terms.urem(t[0], t[1]),
        Build::Sdiv => terms.sdiv(t[0], t[1]),
        Build::Srem => terms.srem(t[0], t[1]),
        Build::Smod => terms.smod(t[0], t[1]),
        Build::Shl => terms.shl(t[0], t[1]),
        Build::Lshr => terms.lshr(t[0], t[1]),
        Build::Ashr => terms.ashr(t[0], t[1]),
        Build::Rotl => terms.rotl(t[0], t[1]),
        Build::Rotr => terms.rotr(t[0], t[1]),
        Build::Eq => terms.eq(t[0], t[1]),
        Build::Ne => terms.ne(t[0], t[1]),
        Build::Ult => terms.ult(t[0], t[1]),
        Build::Ule => terms.ule(t[0], t[1]),
        Build::Ugt => terms.ugt(t[0], t[1]),
        Build::Uge => terms.uge(t[0], t[1]),
        Build::Slt => terms.slt(t[0], t[1]),
        Build::Sle => terms.sle(t[0], t[1]),
        Build::Sgt => terms.sgt(t[0], t[1]),
        Build::Sge => terms.sge(t[0], t[1]),
        Build::Uaddo => terms.uaddo(t[0], t[1]),
        Build::Usubo => terms.usubo(t[0], t[1]),
        Build::Umulo => terms.umulo(t[0], t[1]),
        Build::Saddo => terms.saddo(t[0], t[1]),
        Build::Ssubo => terms.ssubo(t[0], t[1]),
        Build::Smulo => terms.smulo(t[0], t[1]),
        Build::Concat => terms.concat(t[0], t[1]),
        Build::Ite => terms.ite(t[0], t[1], t[2]),
        Build::Extract(hi, lo) => terms.extract(t[0], hi, lo),
        Build::Zext(width) => terms.zext(t[0], width),
        Build::Sext(width) => terms.sext(t[0], width),
    }
}

fn rotated(a: &Bv, amount: &Bv, left: bool) -> Bv {
    let width = a.width();
    let by = amount.to_u128().map_or_else(
        || amount.urem(&Bv::from_u64(width, width.into())).to_u64().unwrap(),
        |n| (n % u128::from(width)) as u64,
    ) as u16;
    a.rotl_by(if left { by } else { (width - by) % width })
}

/// The value by definition.
pub fn apply(b: Build, v: &[&Bv]) -> Bv {
    let width = v[0].width();
    match b {
        Build::Not => v[0].not(),
        Build::Neg => v[0].neg(),
        Build::Ctpop => Bv::from_u64(width, v[0].ctpop().into()),
        Build::Ctlz => Bv::from_u64(width, v[0].ctlz().into()),
        Build::Cttz => Bv::from_u64(width, v[0].cttz().into()),
        Build::Bitreverse => v[0].bitreverse(),
        Build::SignBit => Bv::bool(v[0].sign()),
        Build::And => v[0].and(v[1]),
        Build::Or => v[0].or(v[1]),
        Build::Xor => v[0].xor(v[1]),
        Build::Add => v[0].add(v[1]),
        Build::Sub => v[0].sub(v[1]),
        Build::Mul => v[0].mul(v[1]),
        Build::Udiv => v[0].udiv(v[1]),
        Build::Urem => v[0].urem(v[1]),
        Build::Sdiv => v[0].sdiv(v[1]),
        Build::Srem => v[0].srem(v[1]),
        Build::Smod => v[0].smod(v[1]),
        Build::Shl => v[0].shl(v[1]),
        Build::Lshr => v[0].lshr(v[1]),
        Build::Ashr => v[0].ashr(v[1]),
        Build::Rotl => rotated(v[0], v[1], true),
        Build::Rotr => rotated(v[0], v[1], false),
        Build::Eq => Bv::bool(v[0] == v[1]),
        Build::Ne => Bv::bool(v[0] != v[1]),
        Build::Ult => Bv::bool(v[0].ult(v[1])),
        Build::Ule => Bv::bool(v[0].ule(v[1])),
        Build::Ugt => Bv::bool(v[0].ugt(v[1])),
        Build::Uge => Bv::bool(v[0].uge(v[1])),
        Build::Slt => Bv::bool(v[0].slt(v[1])),
        Build::Sle => Bv::bool(v[0].sle(v[1])),
        Build::Sgt => Bv::bool(v[0].sgt(v[1])),
        Build::Sge => Bv::bool(v[0].sge(v[1])),
        Build::Uaddo => Bv::bool(v[0].uaddo(v[1])),
        Build::Usubo => Bv::bool(v[0].usubo(v[1])),
        Build::Umulo => Bv::bool(v[0].umulo(v[1])),
        Build::Saddo => Bv::bool(v[0].saddo(v[1])),
        Build::Ssubo => Bv::bool(v[0].ssubo(v[1])),
        Build::Smulo => Bv::bool(v[0].smulo(v[1])),
        Build::Concat => v[0].concat(v[1]),
        Build::Ite => if v[0].is_one() { v[1] } else { v[2] }.clone(),
        Build::Extract(hi, lo) => v[0].extract(hi, lo),
        Build::Zext(width) => v[0].zext(width),
        Build::Sext(width) => v[0].sext(width),
    }
}

/// A term with the values it should have.
#[derive(Clone)]
pub struct Sample {
    pub term: Term,
    pub values: Rc<Vec<Bv>>,
}

/// The assignments, and the values of terms in each.
pub struct Rows {
    pub count: usize,
    known: HashMap<Term, Rc<Vec<Bv>>>,
    order: Vec<Term>,
}

impl Rows {
    pub fn new(count: usize) -> Self {
        Self { count, known: HashMap::new(), order: Vec::new() }
    }

    /// A variable with these values.
    pub fn var(&mut self, terms: &mut Terms, name: &str, values: Vec<Bv>) -> Sample {
        let term = terms.var(name, Sort::Bv(values[0].width()));
        let values = Rc::new(values);
        self.known.insert(term, values.clone());
        Sample { term, values }
    }

    pub fn constant(&mut self, terms: &mut Terms, value: Bv) -> Sample {
        let term = terms.bv_const(value.clone());
        let values = Rc::new(vec![value; self.count]);
        Sample { term, values }
    }

    /// The sample made by a builder; it has to have the values it should have.
    pub fn sample(&mut self, terms: &mut Terms, b: Build, operands: &[&Sample]) -> Sample {
        let children: Vec<Term> = operands.iter().map(|s| s.term).collect();
        let term = build(terms, b, &children);
        let values: Vec<Bv> = (0..self.count)
            .map(|row| {
                let at = |i: usize| &operands[i.min(operands.len() - 1)].values[row];
                apply(b, &[at(0), at(1), at(2)])
            })
            .collect();
        let actual = self.values(terms, term);
        if *actual != values {
            let row = (0..self.count).find(|&r| actual[r] != values[r]).unwrap();
            panic!(
                "{b:?} of {:?} in row {row}: is {} but should be {}; operands have {:?}",
                children.iter().map(|&c| show(terms, c)).collect::<Vec<_>>(),
                actual[row],
                values[row],
                operands.iter().map(|s| &s.values[row]).collect::<Vec<_>>()
            );
        }
        self.check_known_bits(terms, term, &values);
        Sample { term, values: actual }
    }

    fn check_known_bits(&self, terms: &Terms, term: Term, values: &[Bv]) {
        if terms.width(term) > 64 {
            return;
        }
        let known = terms.known_bits(term);
        for value in values {
            let value = value.to_u64().unwrap();
            assert_eq!(value & known.zeros, 0, "{}", show(terms, term));
            assert_eq!(!value & known.ones, 0, "{}", show(terms, term));
        }
    }

    /// How many terms have their values remembered.
    pub fn mark(&self) -> usize {
        self.order.len()
    }

    /// Forgets the values of terms since then, as tables take memory.
    pub fn forget(&mut self, mark: usize) {
        for t in self.order.drain(mark..) {
            self.known.remove(&t);
        }
    }

    /// The values of a term by its operators.
    pub fn values(&mut self, terms: &Terms, t: Term) -> Rc<Vec<Bv>> {
        let mut open = vec![t];
        while let Some(&t) = open.last() {
            let missing: Vec<Term> = terms.children(t).into_iter().filter(|c| !self.known.contains_key(c)).collect();
            if !missing.is_empty() && !self.known.contains_key(&t) {
                open.extend(missing);
                continue;
            }
            open.pop();
            if !self.known.contains_key(&t) {
                let values = self.compute(terms, t);
                self.known.insert(t, Rc::new(values));
                self.order.push(t);
            }
        }
        self.known[&t].clone()
    }

    fn compute(&self, terms: &Terms, t: Term) -> Vec<Bv> {
        if let Some(value) = terms.as_const(t) {
            return vec![value; self.count];
        }
        let b = builder_of(terms, t);
        let children = terms.children(t);
        let columns: Vec<&Rc<Vec<Bv>>> = children.iter().map(|c| &self.known[c]).collect();
        (0..self.count)
            .map(|row| {
                let at = |i: usize| &columns[i.min(columns.len() - 1)][row];
                apply(b, &[at(0), at(1), at(2)])
            })
            .collect()
    }
}

fn builder_of(terms: &Terms, t: Term) -> Build {
    match terms.op(t) {
        Op::Not(_) => Build::Not,
        Op::And(..) => Build::And,
        Op::Xor(..) => Build::Xor,
        Op::Neg(_) => Build::Neg,
        Op::Add(..) => Build::Add,
        Op::Mul(..) => Build::Mul,
        Op::Udiv(..) => Build::Udiv,
        Op::Urem(..) => Build::Urem,
        Op::Sdiv(..) => Build::Sdiv,
        Op::Srem(..) => Build::Srem,
        Op::Shl(..) => Build::Shl,
        Op::Lshr(..) => Build::Lshr,
        Op::Ashr(..) => Build::Ashr,
        Op::Eq(..) => Build::Eq,
        Op::Ult(..) => Build::Ult,
        Op::Slt(..) => Build::Slt,
        Op::Ite(..) => Build::Ite,
        Op::Concat(..) => Build::Concat,
        Op::Extract { hi, lo, .. } => Build::Extract(hi, lo),
        Op::Sext(_) => Build::Sext(terms.width(t)),
        other => panic!("{other:?} is not a bit-vector operator"),
    }
}

/// The term as an expression, for messages.
pub fn show(terms: &Terms, t: Term) -> String {
    if let Some(value) = terms.as_const(t) {
        return value.to_string();
    }
    if let Some(name) = terms.var_name(t) {
        return name.to_string();
    }
    let children: Vec<String> = terms.children(t).iter().map(|&c| show(terms, c)).collect();
    let head = match terms.op(t) {
        Op::Extract { hi, lo, .. } => format!("extract {hi} {lo}"),
        op => format!("{op:?}").split(['(', ' ']).next().unwrap().to_lowercase(),
    };
    format!("({head} {})", children.join(" "))
}

/// A small deterministic generator.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 20) as usize % n
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        let at = self.below(items.len());
        &items[at]
    }

    /// A value that is often special.
    pub fn bv(&mut self, width: u16) -> Bv {
        match self.below(8) {
            0 => Bv::zero(width),
            1 => Bv::ones(width),
            2 => Bv::from_u64(width, self.below(4) as u64),
            3 => Bv::min_signed(width),
            4 => Bv::max_signed(width),
            5 => Bv::one(width).shl_by(self.below(width.into()) as u16),
            _ => {
                let limbs: Vec<u64> = (0..width.div_ceil(64)).map(|_| self.next()).collect();
                Bv::from_limbs(width, &limbs)
            }
        }
    }
}
