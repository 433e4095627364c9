//! Operands for the tests: random ones that lean towards where floats are difficult.

use blitz_term::float::{Encoding, Format};

/// xorshift64*, so that a run can be repeated from its seed.
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            random.next();
        }
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Float(Format),
    Int(u16),
}

impl Kind {
    pub fn width(self) -> u16 {
        match self {
            Kind::Float(f) => f.width(),
            Kind::Int(width) => width,
        }
    }
}

/// Operands of these kinds, later ones often near earlier ones.
pub fn operands(random: &mut Random, kinds: &[Kind], out: &mut [u128]) {
    for i in 0..kinds.len() {
        out[i] = match kinds[i] {
            Kind::Int(width) => integer(random, width),
            Kind::Float(f) if i > 0 && kinds[i - 1] == kinds[i] && random.below(4) == 0 => {
                relative(random, f, out[i - 1])
            }
            Kind::Float(f) if i == 2 && kinds[0] == kinds[2] && random.below(3) == 0 => {
                near_product(random, f, out[0], out[1])
            }
            Kind::Float(f) => float(random, f),
        };
    }
}

fn integer(random: &mut Random, width: u16) -> u128 {
    let mask = u128::MAX >> (128 - width);
    let bits = random.below(u64::from(width)) as u32;
    let value = match random.below(6) {
        0 => random.wide(),
        1 => random.wide() & ((1 << bits) - 1),
        2 => (1u128 << bits).wrapping_add(u128::from(random.below(5))).wrapping_sub(2),
        3 => u128::from(random.below(7)).wrapping_sub(3),
        4 => (1u128 << (width - 1)).wrapping_add(u128::from(random.below(5))).wrapping_sub(2),
        _ => (random.next() as u128) << bits,
    };
    let value = if random.below(4) == 0 { value.wrapping_neg() } else { value };
    value & mask
}

fn frac_bits(f: Format) -> u16 {
    f.sig_bits() - 1
}

/// The packed float of these fields; the x87's leading bit is set as it should be.
fn pack(f: Format, sign: u64, exp: u64, frac: u128) -> u128 {
    let exp = u128::from(exp) & ((1 << f.exp_bits()) - 1);
    let frac = frac & ((1 << frac_bits(f)) - 1);
    let sign = u128::from(sign & 1) << (f.width() - 1);
    match f.encoding() {
        Encoding::Implicit => sign | exp << frac_bits(f) | frac,
        Encoding::Explicit => {
            let lead = u128::from(exp != 0) << frac_bits(f);
            sign | exp << f.sig_bits() | lead | frac
        }
    }
}

fn exp_of(f: Format, x: u128) -> u64 {
    let shift = match f.encoding() {
        Encoding::Implicit => frac_bits(f),
        Encoding::Explicit => f.sig_bits(),
    };
    (x >> shift & ((1 << f.exp_bits()) - 1)) as u64
}

fn fraction(random: &mut Random, f: Format) -> u128 {
    let bits = random.below(u64::from(f.sig_bits())) as u32;
    match random.below(6) {
        0 => 0,
        1 => u128::MAX,
        2 => random.wide() >> 1 << (u32::from(frac_bits(f)) - bits.min(u32::from(frac_bits(f)))),
        3 => (1 << bits) - u128::from(random.below(2)),
        4 => u128::MAX << bits,
        _ => random.wide(),
    }
}

fn exponent(random: &mut Random, f: Format) -> u64 {
    let last = (1u64 << f.exp_bits()) - 1;
    let bias = last >> 1;
    match random.below(8) {
        0 => 0,
        1 => random.below(4),
        2 => last - random.below(4).min(last),
        3 | 4 => (bias + random.below(72)).wrapping_sub(4).min(last),
        5 => (bias + random.below(2 * u64::from(f.sig_bits()))).saturating_sub(u64::from(f.sig_bits())),
        _ => random.next(),
    }
}

fn float(random: &mut Random, f: Format) -> u128 {
    let all = u128::MAX >> (128 - f.width());
    if random.below(16) == 0 {
        return random.wide() & all;
    }
    let (sign, exp, frac) = (random.next() >> 40, exponent(random, f), fraction(random, f));
    pack(f, sign, exp, frac)
}

/// A float with nearly the bits, or nearly the exponent, of another.
fn relative(random: &mut Random, f: Format, x: u128) -> u128 {
    let all = u128::MAX >> (128 - f.width());
    match random.below(3) {
        0 => {
            (x ^ u128::from(random.below(2)) << (f.width() - 1))
                .wrapping_add(u128::from(random.below(5)))
                .wrapping_sub(2)
                & all
        }
        _ => {
            let reach = u64::from(f.sig_bits()) + 4;
            let exp = (exp_of(f, x) + random.below(2 * reach)).saturating_sub(reach);
            let frac = fraction(random, f);
            pack(f, random.next() >> 40, exp, frac)
        }
    }
}

/// A float with about the exponent of a product.
fn near_product(random: &mut Random, f: Format, a: u128, b: u128) -> u128 {
    let bias = (1u64 << (f.exp_bits() - 1)) - 1;
    let reach = u64::from(f.sig_bits()) + 2;
    let exp = (exp_of(f, a) + exp_of(f, b) + random.below(2 * reach)).saturating_sub(bias + reach);
    let frac = fraction(random, f);
    pack(f, random.next() >> 40, exp.min((1 << f.exp_bits()) - 2), frac)
}
