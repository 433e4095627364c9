//! The formats: how many bits of exponent and significand, and how they lie in memory.

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Format {
    exp_bits: u16,
    sig_bits: u16,
    encoding: Encoding,
    nans: Nans,
}

/// Which NaN an operation gives. The payload is canonical in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nans {
    /// Always the positive one (SMT-LIB knows no other).
    Positive,
    /// That of x86: the sign of the first operand that is a NaN; negative if none is (`0.0 / 0.0` prints as `-nan`).
    X86,
}

/// How a float is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Encoding {
    /// Sign, exponent, fraction; the leading bit of the significand follows from the exponent.
    Implicit,
    /// Sign, exponent, significand with its leading bit (the x87 extended format).
    Explicit,
}

impl Format {
    /// IEEE binary16.
    pub const HALF: Format = Format::ieee(5, 11);
    /// The upper half of a single (bfloat16).
    pub const BFLOAT: Format = Format::ieee(8, 8);
    /// IEEE binary32, C's `float`.
    pub const SINGLE: Format = Format::ieee(8, 24);
    /// IEEE binary64, C's `double`.
    pub const DOUBLE: Format = Format::ieee(11, 53);
    /// IEEE binary128.
    pub const QUAD: Format = Format::ieee(15, 113);
    /// The 80-bit extended format of the x87, C's `long double` on x86.
    pub const X87: Format = Format { exp_bits: 15, sig_bits: 64, encoding: Encoding::Explicit, nans: Nans::Positive };

    /// An interchange format; `sig_bits` counts the implicit bit.
    ///
    /// Both should be at least 2 and the whole should fit a bit-vector that can hold a double-width product.
    pub const fn ieee(exp_bits: u16, sig_bits: u16) -> Self {
        assert!(exp_bits >= 2 && exp_bits <= 60, "2 to 60 exponent bits should be asked for");
        assert!(sig_bits >= 2 && sig_bits <= 8192, "2 to 8192 significand bits should be asked for");
        Self { exp_bits, sig_bits, encoding: Encoding::Implicit, nans: Nans::Positive }
    }

    /// The same format with other NaNs as results.
    pub const fn with_nans(self, nans: Nans) -> Self {
        Self { nans, ..self }
    }

    /// Which NaNs operations give.
    pub const fn nans(self) -> Nans {
        self.nans
    }

    /// Bits of the exponent field.
    pub const fn exp_bits(self) -> u16 {
        self.exp_bits
    }

    /// Bits of the significand with its leading bit: the precision.
    pub const fn sig_bits(self) -> u16 {
        self.sig_bits
    }

    /// How the parts lie in memory.
    pub const fn encoding(self) -> Encoding {
        self.encoding
    }

    /// Bits of a packed float.
    pub const fn width(self) -> u16 {
        match self.encoding {
            Encoding::Implicit => self.exp_bits + self.sig_bits,
            Encoding::Explicit => self.exp_bits + self.sig_bits + 1,
        }
    }

    /// Bits of the fraction field.
    pub(super) const fn frac_bits(self) -> u16 {
        self.sig_bits - 1
    }

    /// Bits of exponent and fraction together.
    pub(super) const fn mag_bits(self) -> u16 {
        self.exp_bits + self.sig_bits - 1
    }

    /// What is added to the exponent of 2 to give the exponent field.
    pub(super) const fn bias(self) -> i64 {
        (1 << (self.exp_bits - 1)) - 1
    }

    /// The exponent field of infinities and NaNs.
    pub(super) const fn exp_special(self) -> i64 {
        (1 << self.exp_bits) - 1
    }

    /// Bits of a signed number that holds any sum of two normalised exponents and a bias.
    pub(super) fn wide_exp(self) -> u16 {
        self.exp_bits.max(bits_for(u64::from(self.sig_bits)) + 1) + 3
    }
}

/// The number of bits of a number, at least 1.
pub(super) fn bits_for(n: u64) -> u16 {
    (64 - n.leading_zeros()).max(1) as u16
}
