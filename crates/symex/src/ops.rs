//! Scalar operations as terms.

use blitz_ir::{BinOp, CastOp, CmpOp, FloatKind, OverflowOp, Rounded, Type, UnOp};
use blitz_term::float::{self, Format, Nans, Rounding, RoundingMode};
use blitz_term::{Term, Terms};

/// The circuit format of a float type; an invalid operation gives the negative NaN, as on x86.
pub fn format(kind: FloatKind) -> Format {
    let format = match kind {
        FloatKind::Half => Format::HALF,
        FloatKind::BFloat => Format::BFLOAT,
        FloatKind::Single => Format::SINGLE,
        FloatKind::Double => Format::DOUBLE,
        FloatKind::X87 => Format::X87,
        FloatKind::Quad => Format::QUAD,
    };
    format.with_nans(Nans::X86)
}

fn float_format(ty: Type) -> Format {
    match ty {
        Type::Float(kind) => format(kind),
        Type::Int(_) | Type::Ptr => unreachable!("the verifier admits float operations on floats only"),
    }
}

const RNE: RoundingMode = RoundingMode::NearestEven;

pub fn unary(terms: &mut Terms, op: UnOp, ty: Type, a: Term) -> Term {
    match op {
        UnOp::CountOnes => terms.ctpop(a),
        UnOp::LeadingZeros => terms.ctlz(a),
        UnOp::TrailingZeros => terms.cttz(a),
        UnOp::ByteSwap => terms.bswap(a),
        UnOp::BitReverse => terms.bitreverse(a),
        UnOp::FNeg => float::neg(terms, float_format(ty), a),
        UnOp::FAbs => float::abs(terms, float_format(ty), a),
        UnOp::FSqrt => float::sqrt(terms, float_format(ty), RNE, a),
        UnOp::FFloor => float::round_to_integral(terms, float_format(ty), RoundingMode::Down, a),
        UnOp::FCeil => float::round_to_integral(terms, float_format(ty), RoundingMode::Up, a),
        UnOp::FTrunc => float::round_to_integral(terms, float_format(ty), RoundingMode::Zero, a),
        UnOp::FRoundEven => float::round_to_integral(terms, float_format(ty), RNE, a),
        UnOp::FRound => float::round_to_integral(terms, float_format(ty), RoundingMode::NearestAway, a),
        UnOp::FIsNan => float::is_nan(terms, float_format(ty), a),
        UnOp::FIsInf => float::is_inf(terms, float_format(ty), a),
        UnOp::FIsFinite => float::is_finite(terms, float_format(ty), a),
        UnOp::FIsNormal => float::is_normal(terms, float_format(ty), a),
        UnOp::FIsSubnormal => float::is_subnormal(terms, float_format(ty), a),
        UnOp::FIsZero => float::is_zero(terms, float_format(ty), a),
        UnOp::FSignBit => float::sign(terms, float_format(ty), a),
    }
}

pub fn binary(terms: &mut Terms, op: BinOp, ty: Type, a: Term, b: Term) -> Term {
    match op {
        BinOp::Add => terms.add(a, b),
        BinOp::Sub => terms.sub(a, b),
        BinOp::Mul => terms.mul(a, b),
        BinOp::UDiv => terms.udiv(a, b),
        BinOp::SDiv => terms.sdiv(a, b),
        BinOp::URem => terms.urem(a, b),
        BinOp::SRem => terms.srem(a, b),
        BinOp::Shl => terms.shl(a, b),
        BinOp::LShr => terms.lshr(a, b),
        BinOp::AShr => terms.ashr(a, b),
        BinOp::And => terms.and(a, b),
        BinOp::Or => terms.or(a, b),
        BinOp::Xor => terms.xor(a, b),
        BinOp::UMin => choose(terms, Terms::ult, a, b),
        BinOp::UMax => choose(terms, Terms::ugt, a, b),
        BinOp::SMin => choose(terms, Terms::slt, a, b),
        BinOp::SMax => choose(terms, Terms::sgt, a, b),
        BinOp::FAdd => float::add(terms, float_format(ty), RNE, a, b),
        BinOp::FSub => float::sub(terms, float_format(ty), RNE, a, b),
        BinOp::FMul => float::mul(terms, float_format(ty), RNE, a, b),
        BinOp::FDiv => float::div(terms, float_format(ty), RNE, a, b),
        BinOp::FRem => float::fmod(terms, float_format(ty), a, b),
        BinOp::FMin => float::min(terms, float_format(ty), a, b),
        BinOp::FMax => float::max(terms, float_format(ty), a, b),
        BinOp::FCopySign => float::copysign(terms, float_format(ty), a, b),
    }
}

fn choose(terms: &mut Terms, first: fn(&mut Terms, Term, Term) -> Term, a: Term, b: Term) -> Term {
    let cond = first(terms, a, b);
    terms.ite(cond, a, b)
}

pub fn compare(terms: &mut Terms, op: CmpOp, ty: Type, a: Term, b: Term) -> Term {
    match op {
        CmpOp::Eq => terms.eq(a, b),
        CmpOp::Ne => terms.ne(a, b),
        CmpOp::Ult => terms.ult(a, b),
        CmpOp::Ule => terms.ule(a, b),
        CmpOp::Ugt => terms.ugt(a, b),
        CmpOp::Uge => terms.uge(a, b),
        CmpOp::Slt => terms.slt(a, b),
        CmpOp::Sle => terms.sle(a, b),
        CmpOp::Sgt => terms.sgt(a, b),
        CmpOp::Sge => terms.sge(a, b),
        CmpOp::FOeq => float::oeq(terms, float_format(ty), a, b),
        CmpOp::FOlt => float::olt(terms, float_format(ty), a, b),
        CmpOp::FOle => float::ole(terms, float_format(ty), a, b),
        CmpOp::FOgt => float::olt(terms, float_format(ty), b, a),
        CmpOp::FOge => float::ole(terms, float_format(ty), b, a),
        CmpOp::FUno => float::uno(terms, float_format(ty), a, b),
        CmpOp::FOne => {
            let less = float::olt(terms, float_format(ty), a, b);
            let more = float::olt(terms, float_format(ty), b, a);
            terms.or(less, more)
        }
        CmpOp::FOrd => negated(terms, CmpOp::FUno, ty, a, b),
        CmpOp::FUeq => negated(terms, CmpOp::FOne, ty, a, b),
        CmpOp::FUne => negated(terms, CmpOp::FOeq, ty, a, b),
        CmpOp::FUlt => negated(terms, CmpOp::FOge, ty, a, b),
        CmpOp::FUle => negated(terms, CmpOp::FOgt, ty, a, b),
        CmpOp::FUgt => negated(terms, CmpOp::FOle, ty, a, b),
        CmpOp::FUge => negated(terms, CmpOp::FOlt, ty, a, b),
    }
}

fn negated(terms: &mut Terms, op: CmpOp, ty: Type, a: Term, b: Term) -> Term {
    let holds = compare(terms, op, ty, a, b);
    terms.not(holds)
}

pub fn overflow(terms: &mut Terms, op: OverflowOp, a: Term, b: Term) -> Term {
    match op {
        OverflowOp::SAdd => terms.saddo(a, b),
        OverflowOp::UAdd => terms.uaddo(a, b),
        OverflowOp::SSub => terms.ssubo(a, b),
        OverflowOp::USub => terms.usubo(a, b),
        OverflowOp::SMul => terms.smulo(a, b),
        OverflowOp::UMul => terms.umulo(a, b),
    }
}

/// Converts; `bits` is the width of the target type.
pub fn cast(terms: &mut Terms, op: CastOp, from: Type, to: Type, bits: u16, a: Term) -> Term {
    match op {
        CastOp::Trunc => terms.extract(a, bits - 1, 0),
        CastOp::ZExt => terms.zext(a, bits),
        CastOp::SExt => terms.sext(a, bits),
        CastOp::FToF => float::convert(terms, float_format(from), float_format(to), RNE, a),
        CastOp::FToSi => float::to_sint(terms, float_format(from), RoundingMode::Zero, a, bits),
        CastOp::FToUi => float::to_uint(terms, float_format(from), RoundingMode::Zero, a, bits),
        CastOp::SiToF => float::from_sint(terms, float_format(to), RNE, a),
        CastOp::UiToF => float::from_uint(terms, float_format(to), RNE, a),
        CastOp::PtrToInt | CastOp::IntToPtr => resize(terms, a, bits),
        CastOp::Bitcast => a,
    }
}

/// The rounding that a mode of the program asks for (`Builtin::Rounded`).
fn rounding(terms: &mut Terms, mode: Term) -> Rounding {
    let by_number = [(1, RoundingMode::Down), (2, RoundingMode::Up), (3, RoundingMode::Zero)];
    if let Some(known) = terms.as_const(mode) {
        let known = known.to_u64();
        return by_number.iter().find(|(n, _)| known == Some(*n)).map_or(RNE, |(_, mode)| *mode).into();
    }
    let width = terms.width(mode);
    let mut code = terms.bv(3, RNE.code());
    for (number, mode_of_number) in by_number {
        let number = terms.bv(width, number);
        let is = terms.eq(mode, number);
        let other = terms.bv(3, mode_of_number.code());
        code = terms.ite(is, other, code);
    }
    Rounding::Symbolic(code)
}

/// An operation that rounds as the program says; `from` is the type of the operands, `to` that of the result.
pub fn rounded(terms: &mut Terms, op: Rounded, from: Type, to: Type, args: &[Term]) -> Term {
    let rm = rounding(terms, args[0]);
    let f = float_format(to);
    match op {
        Rounded::Add => float::add(terms, f, rm, args[1], args[2]),
        Rounded::Sub => float::sub(terms, f, rm, args[1], args[2]),
        Rounded::Mul => float::mul(terms, f, rm, args[1], args[2]),
        Rounded::Div => float::div(terms, f, rm, args[1], args[2]),
        Rounded::Sqrt => float::sqrt(terms, f, rm, args[1]),
        Rounded::MulAdd => float::fma(terms, f, rm, args[1], args[2], args[3]),
        Rounded::Convert => float::convert(terms, float_format(from), f, rm, args[1]),
        Rounded::FromSigned => float::from_sint(terms, f, rm, args[1]),
        Rounded::FromUnsigned => float::from_uint(terms, f, rm, args[1]),
        Rounded::Integral => float::round_to_integral(terms, f, rm, args[1]),
    }
}

/// Cuts or zero-extends to a width.
pub fn resize(terms: &mut Terms, a: Term, bits: u16) -> Term {
    let width = terms.width(a);
    if width > bits { terms.extract(a, bits - 1, 0) } else { terms.zext(a, bits) }
}

pub fn fused_mul_add(terms: &mut Terms, ty: Type, x: Term, y: Term, z: Term) -> Term {
    float::fma(terms, float_format(ty), RNE, x, y, z)
}
