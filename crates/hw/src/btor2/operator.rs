//! The operators: what they take, what they give, and their terms.

use super::{MAX_PRODUCT_WIDTH, MAX_WIDTH, sort_text};
use blitz_term::{Sort, Term, Terms};

/// What an operator was given.
pub struct Shape<'a> {
    pub sorts: &'a [Sort],
    pub numbers: &'a [u64],
}

type Unary = fn(&mut Terms, Term) -> Term;
type Binary = fn(&mut Terms, Term, Term) -> Term;

/// An operator, by what its operands have to be.
#[derive(Clone, Copy)]
pub enum Operator {
    /// A bit-vector to one of the same width.
    Unary(Unary),
    /// A bit-vector to a bit.
    Reduce(Unary),
    /// Two bit-vectors of one width to a third.
    Binary(Binary),
    /// The same with a circuit in the square of the width.
    Product(Binary),
    /// Two bits to a bit.
    Logic(Binary),
    /// Two bit-vectors of one width to a bit.
    Relate(Binary),
    /// Two values of one sort, arrays too, to a bit.
    Equal(Binary),
    /// Two bit-vectors of one width to a bit, with a circuit in the square of the width.
    Overflow(Binary),
    Concat,
    Slice,
    Extend(fn(&mut Terms, Term, u16) -> Term),
    Ite,
    Read,
    Write,
}

use Operator::{
    Binary as Bin, Concat, Equal, Extend, Ite, Logic, Overflow, Product, Read, Reduce, Relate, Slice, Write,
};

/// Every operator by its keyword.
const OPERATORS: &[(&str, Operator)] = &[
    ("not", Operator::Unary(Terms::not)),
    ("neg", Operator::Unary(Terms::neg)),
    ("inc", Operator::Unary(inc)),
    ("dec", Operator::Unary(dec)),
    ("redand", Reduce(redand)),
    ("redor", Reduce(redor)),
    ("redxor", Reduce(redxor)),
    ("iff", Logic(Terms::eq)),
    ("implies", Logic(Terms::implies)),
    ("eq", Equal(Terms::eq)),
    ("neq", Equal(Terms::ne)),
    ("ugt", Relate(Terms::ugt)),
    ("ugte", Relate(Terms::uge)),
    ("ult", Relate(Terms::ult)),
    ("ulte", Relate(Terms::ule)),
    ("sgt", Relate(Terms::sgt)),
    ("sgte", Relate(Terms::sge)),
    ("slt", Relate(Terms::slt)),
    ("slte", Relate(Terms::sle)),
    ("and", Bin(Terms::and)),
    ("nand", Bin(nand)),
    ("or", Bin(Terms::or)),
    ("nor", Bin(nor)),
    ("xor", Bin(Terms::xor)),
    ("xnor", Bin(xnor)),
    ("rol", Bin(Terms::rotl)),
    ("ror", Bin(Terms::rotr)),
    ("sll", Bin(Terms::shl)),
    ("sra", Bin(Terms::ashr)),
    ("srl", Bin(Terms::lshr)),
    ("add", Bin(Terms::add)),
    ("sub", Bin(Terms::sub)),
    ("mul", Product(Terms::mul)),
    ("udiv", Product(Terms::udiv)),
    ("urem", Product(Terms::urem)),
    ("sdiv", Product(Terms::sdiv)),
    ("srem", Product(Terms::srem)),
    ("smod", Product(Terms::smod)),
    ("uaddo", Relate(Terms::uaddo)),
    ("saddo", Relate(Terms::saddo)),
    ("usubo", Relate(Terms::usubo)),
    ("ssubo", Relate(Terms::ssubo)),
    ("umulo", Overflow(Terms::umulo)),
    ("smulo", Overflow(Terms::smulo)),
    ("sdivo", Relate(sdivo)),
    ("concat", Concat),
    ("slice", Slice),
    ("uext", Extend(Terms::zext)),
    ("sext", Extend(Terms::sext)),
    ("ite", Ite),
    ("read", Read),
    ("write", Write),
];

/// The operator of a keyword.
pub fn find(keyword: &str) -> Option<Operator> {
    OPERATORS.iter().find(|(name, _)| *name == keyword).map(|&(_, operator)| operator)
}

impl Operator {
    /// How many operands it takes.
    pub fn operands(self) -> usize {
        match self {
            Operator::Unary(_) | Reduce(_) | Slice | Extend(_) => 1,
            Bin(_) | Product(_) | Logic(_) | Relate(_) | Equal(_) | Overflow(_) | Concat | Read => 2,
            Ite | Write => 3,
        }
    }

    /// How many numbers follow the operands.
    pub fn numbers(self) -> usize {
        match self {
            Slice => 2,
            Extend(_) => 1,
            Operator::Unary(_) | Reduce(_) | Bin(_) | Product(_) | Logic(_) | Relate(_) | Equal(_) => 0,
            Overflow(_) | Concat | Ite | Read | Write => 0,
        }
    }

    /// The sort of the result, or what is wrong with the operands.
    pub fn result(self, shape: &Shape) -> Result<Sort, String> {
        let sorts = shape.sorts;
        match self {
            Operator::Unary(_) => word(sorts[0]).map(Sort::Bv),
            Reduce(_) => word(sorts[0]).map(|_| Sort::BOOL),
            Bin(_) => same_words(sorts).map(Sort::Bv),
            Product(_) => product(sorts).map(Sort::Bv),
            Overflow(_) => product(sorts).map(|_| Sort::BOOL),
            Logic(_) => match same_words(sorts)? {
                1 => Ok(Sort::BOOL),
                width => Err(format!("the operands have one bit each, not {width}")),
            },
            Relate(_) => same_words(sorts).map(|_| Sort::BOOL),
            Equal(_) => same(sorts[0], sorts[1]).map(|_| Sort::BOOL),
            Concat => concat(sorts),
            Slice => slice(sorts, shape.numbers),
            Extend(_) => extend(sorts, shape.numbers),
            Ite => match sorts[0] {
                Sort::BOOL => same(sorts[1], sorts[2]),
                other => Err(format!("the condition has one bit, this is {}", sort_text(other))),
            },
            Read => {
                let (index, elem) = array(sorts[0])?;
                same(Sort::Bv(index), sorts[1]).map(|_| Sort::Bv(elem))
            }
            Write => {
                let (index, elem) = array(sorts[0])?;
                same(Sort::Bv(index), sorts[1])?;
                same(Sort::Bv(elem), sorts[2]).map(|_| sorts[0])
            }
        }
    }

    /// The term; the operands fit.
    pub fn build(self, terms: &mut Terms, operands: &[Term], numbers: &[u64]) -> Term {
        match self {
            Operator::Unary(f) | Reduce(f) => f(terms, operands[0]),
            Bin(f) | Product(f) | Logic(f) | Relate(f) | Equal(f) | Overflow(f) => f(terms, operands[0], operands[1]),
            Concat => terms.concat(operands[0], operands[1]),
            Slice => terms.extract(operands[0], numbers[0] as u16, numbers[1] as u16),
            Extend(f) => {
                let width = terms.width(operands[0]) + numbers[0] as u16;
                f(terms, operands[0], width)
            }
            Ite => terms.ite(operands[0], operands[1], operands[2]),
            Read => terms.select(operands[0], operands[1]),
            Write => terms.store(operands[0], operands[1], operands[2]),
        }
    }
}

fn word(sort: Sort) -> Result<u16, String> {
    match sort {
        Sort::Bv(width) => Ok(width),
        Sort::Array { .. } => Err("the operand is an array, not a bit-vector".to_owned()),
    }
}

fn array(sort: Sort) -> Result<(u16, u16), String> {
    match sort {
        Sort::Array { index, elem } => Ok((index, elem)),
        Sort::Bv(_) => Err("the first operand is a bit-vector, not an array".to_owned()),
    }
}

fn same(a: Sort, b: Sort) -> Result<Sort, String> {
    if a == b { Ok(a) } else { Err(format!("one operand is {}, another {}", sort_text(a), sort_text(b))) }
}

fn same_words(sorts: &[Sort]) -> Result<u16, String> {
    word(sorts[0])?;
    word(same(sorts[0], sorts[1])?)
}

fn product(sorts: &[Sort]) -> Result<u16, String> {
    match same_words(sorts)? {
        width if width > MAX_PRODUCT_WIDTH => {
            Err(format!("products and quotients of more than {MAX_PRODUCT_WIDTH} bits are not supported"))
        }
        width => Ok(width),
    }
}

fn fits(width: u64) -> Result<Sort, String> {
    if width > MAX_WIDTH {
        return Err(format!("bit-vectors of more than {MAX_WIDTH} bits are not supported"));
    }
    Ok(Sort::Bv(width as u16))
}

fn concat(sorts: &[Sort]) -> Result<Sort, String> {
    fits(u64::from(word(sorts[0])?) + u64::from(word(sorts[1])?))
}

fn slice(sorts: &[Sort], numbers: &[u64]) -> Result<Sort, String> {
    let width = u64::from(word(sorts[0])?);
    match (numbers[0], numbers[1]) {
        (high, low) if high < width && low <= high => fits(high - low + 1),
        (high, low) => Err(format!("bits {high} down to {low} are no part of {width} bits")),
    }
}

fn extend(sorts: &[Sort], numbers: &[u64]) -> Result<Sort, String> {
    fits(u64::from(word(sorts[0])?).saturating_add(numbers[0]))
}

fn inc(terms: &mut Terms, a: Term) -> Term {
    let one = terms.bv(terms.width(a), 1);
    terms.add(a, one)
}

fn dec(terms: &mut Terms, a: Term) -> Term {
    let minus_one = terms.ones(terms.width(a));
    terms.add(a, minus_one)
}

fn redand(terms: &mut Terms, a: Term) -> Term {
    let ones = terms.ones(terms.width(a));
    terms.eq(a, ones)
}

fn redor(terms: &mut Terms, a: Term) -> Term {
    let zero = terms.zero(terms.width(a));
    terms.ne(a, zero)
}

/// Halves folded on each other, so that a wide word takes few terms.
fn redxor(terms: &mut Terms, a: Term) -> Term {
    let mut folded = a;
    loop {
        let width = terms.width(folded);
        if width == 1 {
            return folded;
        }
        let half = width / 2;
        let low = terms.extract(folded, half - 1, 0);
        let high = terms.extract(folded, 2 * half - 1, half);
        let both = terms.xor(low, high);
        folded = if width.is_multiple_of(2) {
            both
        } else {
            let odd = terms.extract(folded, width - 1, width - 1);
            let odd = terms.zext(odd, half);
            terms.xor(both, odd)
        };
    }
}

fn nand(terms: &mut Terms, a: Term, b: Term) -> Term {
    let both = terms.and(a, b);
    terms.not(both)
}

fn nor(terms: &mut Terms, a: Term, b: Term) -> Term {
    let either = terms.or(a, b);
    terms.not(either)
}

fn xnor(terms: &mut Terms, a: Term, b: Term) -> Term {
    let different = terms.xor(a, b);
    terms.not(different)
}

/// Only the least number divided by -1 has no quotient.
fn sdivo(terms: &mut Terms, a: Term, b: Term) -> Term {
    let width = terms.width(a);
    let least = terms.bv_const(blitz_base::Bv::min_signed(width));
    let minus_one = terms.ones(width);
    let (left, right) = (terms.eq(a, least), terms.eq(b, minus_one));
    terms.and(left, right)
}
