//! The names of operations in the text form, in one table per enum, read by the printer and by the parser.
//!
//! Invariant: names are distinct across all operations that stand at the place of a mnemonic.

use crate::builtin::Builtin;
use crate::func::VarFormat;
use crate::inst::{AccessKind, BinOp, CastOp, CmpOp, OverflowOp, UnOp};
use crate::types::{FloatKind, Type};

macro_rules! names {
    ($ty:ident { $($variant:ident => $name:literal,)* }) => {
        impl $ty {
            /// All of them, in the order of their declaration.
            pub const ALL: &[$ty] = &[$($ty::$variant,)*];

            /// The name in the text form.
            pub fn name(self) -> &'static str {
                match self { $($ty::$variant => $name,)* }
            }

            /// The one of this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some($ty::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $ty {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

names!(UnOp {
    CountOnes => "ctpop",
    LeadingZeros => "ctlz",
    TrailingZeros => "cttz",
    ByteSwap => "bswap",
    BitReverse => "bitreverse",
    FNeg => "fneg",
    FAbs => "fabs",
    FSqrt => "fsqrt",
    FFloor => "ffloor",
    FCeil => "fceil",
    FTrunc => "ftrunc",
    FRoundEven => "froundeven",
    FRound => "fround",
    FIsNan => "fisnan",
    FIsInf => "fisinf",
    FIsFinite => "fisfinite",
    FIsNormal => "fisnormal",
    FIsSubnormal => "fissubnormal",
    FIsZero => "fiszero",
    FSignBit => "fsignbit",
});

names!(BinOp {
    Add => "add",
    Sub => "sub",
    Mul => "mul",
    UDiv => "udiv",
    SDiv => "sdiv",
    URem => "urem",
    SRem => "srem",
    Shl => "shl",
    LShr => "lshr",
    AShr => "ashr",
    And => "and",
    Or => "or",
    Xor => "xor",
    UMin => "umin",
    UMax => "umax",
    SMin => "smin",
    SMax => "smax",
    FAdd => "fadd",
    FSub => "fsub",
    FMul => "fmul",
    FDiv => "fdiv",
    FRem => "frem",
    FMin => "fmin",
    FMax => "fmax",
    FCopySign => "fcopysign",
});

names!(CmpOp {
    Eq => "eq",
    Ne => "ne",
    Ult => "ult",
    Ule => "ule",
    Ugt => "ugt",
    Uge => "uge",
    Slt => "slt",
    Sle => "sle",
    Sgt => "sgt",
    Sge => "sge",
    FOeq => "foeq",
    FOne => "fone",
    FOlt => "folt",
    FOle => "fole",
    FOgt => "fogt",
    FOge => "foge",
    FOrd => "ford",
    FUeq => "fueq",
    FUne => "fune",
    FUlt => "fult",
    FUle => "fule",
    FUgt => "fugt",
    FUge => "fuge",
    FUno => "funo",
});

names!(OverflowOp {
    SAdd => "sadd.overflow",
    UAdd => "uadd.overflow",
    SSub => "ssub.overflow",
    USub => "usub.overflow",
    SMul => "smul.overflow",
    UMul => "umul.overflow",
});

names!(CastOp {
    Trunc => "trunc",
    ZExt => "zext",
    SExt => "sext",
    FToF => "ftof",
    FToSi => "ftosi",
    FToUi => "ftoui",
    SiToF => "sitof",
    UiToF => "uitof",
    PtrToInt => "ptrtoint",
    IntToPtr => "inttoptr",
    Bitcast => "bitcast",
});

names!(AccessKind {
    Read => "read",
    Write => "write",
    Free => "free",
    Defined => "defined",
    String => "string",
    SharedRead => "shared_read",
    SharedWrite => "shared_write",
    AtomicRead => "atomic_read",
    AtomicWrite => "atomic_write",
});

names!(VarFormat {
    Signed => "signed",
    Unsigned => "unsigned",
    Char => "char",
    Bool => "bool",
    Float => "float",
    Pointer => "pointer",
    Other => "other",
});

impl Builtin {
    /// The one of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Builtin::ALL.iter().copied().find(|b| b.name() == name)
    }
}

impl FloatKind {
    pub const ALL: &[FloatKind] =
        &[FloatKind::Half, FloatKind::BFloat, FloatKind::Single, FloatKind::Double, FloatKind::X87, FloatKind::Quad];
}

impl Type {
    /// The type of this name: `i32`, `ptr`, `f64`, ...
    pub fn from_name(name: &str) -> Option<Self> {
        if name == "ptr" {
            return Some(Type::Ptr);
        }
        if let Some(kind) = FloatKind::ALL.iter().find(|k| k.name() == name) {
            return Some(Type::Float(*kind));
        }
        let width: u16 = name.strip_prefix('i')?.parse().ok()?;
        (width > 0).then_some(Type::Int(width))
    }
}

impl BinOp {
    /// Whether its operands are floats.
    pub fn is_float(self) -> bool {
        match self {
            BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::UDiv
            | BinOp::SDiv
            | BinOp::URem
            | BinOp::SRem
            | BinOp::Shl
            | BinOp::LShr
            | BinOp::AShr
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor
            | BinOp::UMin
            | BinOp::UMax
            | BinOp::SMin
            | BinOp::SMax => false,
            BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FRem
            | BinOp::FMin
            | BinOp::FMax
            | BinOp::FCopySign => true,
        }
    }
}

impl CmpOp {
    /// Whether its operands are floats.
    pub fn is_float(self) -> bool {
        match self {
            CmpOp::Eq
            | CmpOp::Ne
            | CmpOp::Ult
            | CmpOp::Ule
            | CmpOp::Ugt
            | CmpOp::Uge
            | CmpOp::Slt
            | CmpOp::Sle
            | CmpOp::Sgt
            | CmpOp::Sge => false,
            CmpOp::FOeq
            | CmpOp::FOne
            | CmpOp::FOlt
            | CmpOp::FOle
            | CmpOp::FOgt
            | CmpOp::FOge
            | CmpOp::FOrd
            | CmpOp::FUeq
            | CmpOp::FUne
            | CmpOp::FUlt
            | CmpOp::FUle
            | CmpOp::FUgt
            | CmpOp::FUge
            | CmpOp::FUno => true,
        }
    }
}
