//! The scalar types that generated programs use.

use crate::Rng;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Int(u16),
    F32,
    F64,
}

pub(super) const BIT: Ty = Ty::Int(1);
pub(super) const I8: Ty = Ty::Int(8);
pub(super) const I32: Ty = Ty::Int(32);
pub(super) const I64: Ty = Ty::Int(64);

impl Ty {
    pub fn random(rng: &mut Rng) -> Ty {
        *rng.pick(&[I8, Ty::Int(16), I32, I32, I32, I64, I64, Ty::Int(128), Ty::Int(24), BIT, Ty::F32, Ty::F64])
    }

    /// One that has whole bytes, a power of two of them.
    pub fn stored(rng: &mut Rng) -> Ty {
        *rng.pick(&[I8, I8, Ty::Int(16), I32, I32, I64, Ty::F32, Ty::F64])
    }

    pub fn int(rng: &mut Rng) -> Ty {
        *rng.pick(&[I8, Ty::Int(16), I32, I32, I64, Ty::Int(24), Ty::Int(128)])
    }

    pub fn float(rng: &mut Rng) -> Ty {
        *rng.pick(&[Ty::F32, Ty::F64])
    }

    pub fn bits(self) -> u16 {
        match self {
            Ty::Int(w) => w,
            Ty::F32 => 32,
            Ty::F64 => 64,
        }
    }

    pub fn bytes(self) -> u64 {
        u64::from(self.bits()) / 8
    }

    /// A constant with these low bits.
    pub fn constant(self, bits: u64) -> String {
        match self {
            Ty::Int(w) if w < 64 => format!("{}:i{w}", bits & ((1 << w) - 1)),
            Ty::Int(w) => format!("{bits}:i{w}"),
            Ty::F32 => format!("#x{:08x}:f32", (f64::from_bits(bits) as f32).to_bits()),
            Ty::F64 => format!("#x{bits:016x}:f64"),
        }
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Int(w) => write!(f, "i{w}"),
            Ty::F32 => f.write_str("f32"),
            Ty::F64 => f.write_str("f64"),
        }
    }
}
