//! Scalar types. A C `_Bool` condition is `Int(1)`.

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// An integer of 1 or more bits.
    Int(u16),
    /// A pointer; its width is the target's.
    Ptr,
    Float(FloatKind),
}

/// IEEE formats and x87's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatKind {
    Half,
    BFloat,
    Single,
    Double,
    /// 80 bits with an explicit integer bit.
    X87,
    Quad,
}

impl FloatKind {
    /// Bits of the representation.
    pub fn bits(self) -> u16 {
        match self {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Single => 32,
            FloatKind::Double => 64,
            FloatKind::X87 => 80,
            FloatKind::Quad => 128,
        }
    }

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            FloatKind::Half => "f16",
            FloatKind::BFloat => "bf16",
            FloatKind::Single => "f32",
            FloatKind::Double => "f64",
            FloatKind::X87 => "f80",
            FloatKind::Quad => "f128",
        }
    }
}

impl Type {
    pub const BOOL: Type = Type::Int(1);
    pub const I8: Type = Type::Int(8);
    pub const I32: Type = Type::Int(32);
    pub const I64: Type = Type::Int(64);

    /// Bits of a value of this type, given the target's pointer width.
    pub fn bits(self, ptr_bits: u16) -> u16 {
        match self {
            Type::Int(w) => w,
            Type::Ptr => ptr_bits,
            Type::Float(k) => k.bits(),
        }
    }

    /// Bytes a load or store of this type touches (store size: bits rounded up to bytes).
    pub fn bytes(self, ptr_bits: u16) -> u64 {
        u64::from(self.bits(ptr_bits)).div_ceil(8)
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Type::Int(w) => write!(f, "i{w}"),
            Type::Ptr => f.write_str("ptr"),
            Type::Float(k) => f.write_str(k.name()),
        }
    }
}
