//! How a term is stored (`Node`) and how it is read (`Op`).
//!
//! Invariants: a node is 16 bytes; children have smaller ids than their parents, so ids are a topological order.
//! Operators that other operators express exactly are absent: `or` is `not (and not not)`, `sub` is `add` of `neg`, zero extension
//! is a concatenation with zero, `ule` is `not ult` swapped, equality of single bits is `not xor`.

use std::fmt;
use std::num::NonZeroU32;

/// A term: an id in the `Terms` that built it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(NonZeroU32);

impl Term {
    /// The term at this position of the arena.
    pub fn from_index(index: usize) -> Self {
        let id = u32::try_from(index + 1).expect("there should be fewer than 2^32 terms");
        Self(NonZeroU32::new(id).expect("an id should not be zero"))
    }

    /// The position in the arena; children come before their parents.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    pub(crate) fn raw(self) -> u32 {
        self.0.get()
    }

    pub(crate) fn from_raw(raw: u32) -> Self {
        Self(NonZeroU32::new(raw).expect("a child should be set"))
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.index())
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A variable, numbered in order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

/// The operator of a term with its children.
///
/// Commutative operators have a constant in second place, else the smaller id first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A bit-vector constant; `Terms::as_const` gives its value.
    Const,
    /// A variable; `Terms::var_name` gives its name.
    Var(VarId),
    /// Bitwise complement.
    Not(Term),
    /// Bitwise and.
    And(Term, Term),
    /// Bitwise exclusive or.
    Xor(Term, Term),
    /// Two's complement negation.
    Neg(Term),
    /// Sum; a difference is `Add(x, Neg(y))`.
    Add(Term, Term),
    /// Product.
    Mul(Term, Term),
    /// Unsigned quotient; by zero all ones.
    Udiv(Term, Term),
    /// Unsigned remainder; by zero the dividend.
    Urem(Term, Term),
    /// Signed quotient, rounded towards zero; by zero 1 if the dividend is negative, else -1.
    Sdiv(Term, Term),
    /// Signed remainder with the dividend's sign; by zero the dividend.
    Srem(Term, Term),
    /// Left shift; the amount has the same width.
    Shl(Term, Term),
    /// Right shift filling with zeros.
    Lshr(Term, Term),
    /// Right shift filling with the sign.
    Ashr(Term, Term),
    /// Equality of bit-vectors of at least two bits, or of arrays.
    Eq(Term, Term),
    /// Unsigned less.
    Ult(Term, Term),
    /// Signed less.
    Slt(Term, Term),
    /// Condition, then, else; of bit-vectors or arrays.
    Ite(Term, Term, Term),
    /// First above second; a zero extension is `Concat(0, x)`.
    Concat(Term, Term),
    /// Bits `hi` down to `lo`, both included.
    Extract { arg: Term, hi: u16, lo: u16 },
    /// Sign extension to the width of the term.
    Sext(Term),
    /// The array that holds this value everywhere.
    ConstArray(Term),
    /// Array, index, value.
    Store(Term, Term, Term),
    /// Array, index.
    Select(Term, Term),
    /// `dst` except that positions `dst_off + k` hold `src[src_off + k]` for all `k` unsigned below `len` (index arithmetic wraps).
    Copy { dst: Term, dst_off: Term, src: Term, src_off: Term, len: Term },
    /// `array` except that positions `off + k` hold `value` for all `k` unsigned below `len` (index arithmetic wraps).
    Fill { array: Term, off: Term, value: Term, len: Term },
    /// The least `n` unsigned below `limit` with `array[off + n] = value`, else `limit`.
    Scan { array: Term, off: Term, value: Term, limit: Term },
    /// The least `n` unsigned below `limit` with `a[a_off + n]` different from `b[b_off + n]`, else `limit`.
    Mismatch { a: Term, a_off: Term, b: Term, b_off: Term, limit: Term },
}

/// The stored form of `Op`'s discriminant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum Kind {
    /// At most 64 bits: the value in `a` (low half) and `b` (high half).
    Const,
    /// More than 64 bits: `a` is an index into the pool of wide constants.
    WideConst,
    Var,
    Not,
    And,
    Xor,
    Neg,
    Add,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Shl,
    Lshr,
    Ashr,
    Eq,
    Ult,
    Slt,
    Ite,
    Concat,
    Extract,
    Sext,
    ConstArray,
    Store,
    Select,
    /// `a` is an index into the pool of bulk children, as for the next three.
    Copy,
    Fill,
    Scan,
    Mismatch,
}

/// The number of kinds, for tables over them.
pub(crate) const KINDS: usize = Kind::Mismatch as usize + 1;

/// One term in the arena. `width` is the number of bits, or the index of the array sort if `flags` says so.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub kind: Kind,
    pub flags: u8,
    pub width: u16,
    pub a: u32,
    pub b: u32,
    pub c: u32,
}

/// The term is an array.
pub(crate) const ARRAY: u8 = 1;
/// Some bits of the term are known; the side table has them.
pub(crate) const KNOWN: u8 = 2;

impl Node {
    /// A well-mixed hash of everything but the flags, which follow from the rest.
    pub fn hash(&self) -> u32 {
        let head = u64::from(self.kind as u8) << 16 | u64::from(self.width);
        let x = (head << 32 | u64::from(self.a)) ^ 0x9e37_79b9_7f4a_7c15;
        let y = (u64::from(self.b) << 32 | u64::from(self.c)) ^ 0xd1b5_4a32_d192_ed03;
        let product = u128::from(x) * u128::from(y);
        let folded = (product >> 64) as u64 ^ product as u64 ^ x.rotate_left(29);
        (folded.wrapping_mul(0xff51_afd7_ed55_8ccd) >> 32) as u32
    }

    /// Whether both are the same term.
    pub fn same(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.width == other.width
            && self.a == other.a
            && self.b == other.b
            && self.c == other.c
    }
}
