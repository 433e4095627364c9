//! Floats by format: single and double by the CPU, the others in software.

use crate::soft::{self, BFLOAT, DOUBLE, Format, HALF, Integral, Mode, Num, QUAD, SINGLE, X87};
use blitz_base::Bv;
use blitz_ir::{BinOp, CmpOp, FloatKind, Rounded, Type, UnOp};
use std::cmp::Ordering;

/// The format of a kind.
pub fn format(kind: FloatKind) -> Format {
    match kind {
        FloatKind::Half => HALF,
        FloatKind::BFloat => BFLOAT,
        FloatKind::Single => SINGLE,
        FloatKind::Double => DOUBLE,
        FloatKind::X87 => X87,
        FloatKind::Quad => QUAD,
    }
}

/// Below this a double is inside of a 64-bit integer's range.
const SMALL: f64 = 9.0e18;

fn low(bits: &Bv) -> u64 {
    bits.to_u64().expect("single and double should fit in 64 bits")
}

fn single(bits: &Bv) -> f32 {
    f32::from_bits(low(bits) as u32)
}

fn double(bits: &Bv) -> f64 {
    f64::from_bits(low(bits))
}

fn of_single(x: f32) -> Bv {
    Bv::from_u64(32, u64::from(x.to_bits()))
}

fn of_double(x: f64) -> Bv {
    Bv::from_u64(64, x.to_bits())
}

pub fn unary(kind: FloatKind, op: UnOp, x: &Bv) -> Bv {
    let f = format(kind);
    let sign = Bv::min_signed(x.width());
    let num = || soft::unpack(f, x);
    match op {
        UnOp::FNeg => x.xor(&sign),
        UnOp::FAbs => x.and(&sign.not()),
        UnOp::FSqrt => sqrt(kind, x),
        UnOp::FFloor => integral(kind, Integral::Floor, x),
        UnOp::FCeil => integral(kind, Integral::Ceil, x),
        UnOp::FTrunc => integral(kind, Integral::Trunc, x),
        UnOp::FRoundEven => integral(kind, Integral::NearestEven, x),
        UnOp::FRound => integral(kind, Integral::NearestAway, x),
        UnOp::FIsNan => Bv::bool(num().is_nan()),
        UnOp::FIsInf => Bv::bool(matches!(num(), Num::Inf { .. })),
        UnOp::FIsFinite => Bv::bool(matches!(num(), Num::Zero { .. } | Num::Finite { .. })),
        UnOp::FIsNormal => Bv::bool(matches!(num(), Num::Finite { .. }) && !soft::is_subnormal(f, x)),
        UnOp::FIsSubnormal => Bv::bool(soft::is_subnormal(f, x)),
        UnOp::FIsZero => Bv::bool(matches!(num(), Num::Zero { .. })),
        UnOp::FSignBit => Bv::bool(x.sign()),
        UnOp::CountOnes | UnOp::LeadingZeros | UnOp::TrailingZeros | UnOp::ByteSwap | UnOp::BitReverse => {
            unreachable!("{op:?} should have an integer operand")
        }
    }
}

fn sqrt(kind: FloatKind, x: &Bv) -> Bv {
    match kind {
        FloatKind::Single => of_single(single(x).sqrt()),
        FloatKind::Double => of_double(double(x).sqrt()),
        FloatKind::Half | FloatKind::BFloat | FloatKind::X87 | FloatKind::Quad => {
            soft::pack(format(kind), &soft::sqrt(&soft::unpack(format(kind), x)))
        }
    }
}

fn integral(kind: FloatKind, how: Integral, x: &Bv) -> Bv {
    match (kind, how) {
        (FloatKind::Double, Integral::Floor) => of_double(double(x).floor()),
        (FloatKind::Double, Integral::Ceil) => of_double(double(x).ceil()),
        (FloatKind::Double, Integral::Trunc) => of_double(double(x).trunc()),
        (FloatKind::Double, Integral::NearestEven) => of_double(double(x).round_ties_even()),
        (FloatKind::Double, Integral::NearestAway) => of_double(double(x).round()),
        (kind, how) => soft::pack(format(kind), &soft::integral(how, &soft::unpack(format(kind), x))),
    }
}

pub fn binary(kind: FloatKind, op: BinOp, a: &Bv, b: &Bv) -> Bv {
    match (kind, op) {
        (_, BinOp::FCopySign) => copy_sign(a, b),
        (_, BinOp::FMin | BinOp::FMax) => extreme(kind, op, a, b),
        (FloatKind::Single, _) => of_single(native_single(op, single(a), single(b))),
        (FloatKind::Double, _) => of_double(native_double(op, double(a), double(b))),
        (FloatKind::Half | FloatKind::BFloat | FloatKind::X87 | FloatKind::Quad, _) => software(format(kind), op, a, b),
    }
}

fn copy_sign(a: &Bv, b: &Bv) -> Bv {
    let sign = Bv::min_signed(a.width());
    a.and(&sign.not()).or(&b.and(&sign))
}

/// `fmin`, `fmax`: the other one if one is a NaN.
fn extreme(kind: FloatKind, op: BinOp, a: &Bv, b: &Bv) -> Bv {
    let (x, y) = (soft::unpack(format(kind), a), soft::unpack(format(kind), b));
    if x.is_nan() {
        return b.clone();
    }
    let wanted = if op == BinOp::FMin { Ordering::Less } else { Ordering::Greater };
    match soft::order(&x, &y) {
        None => a.clone(),
        Some(Ordering::Equal) if x.sign() == (op == BinOp::FMin) => a.clone(),
        Some(Ordering::Equal) => b.clone(),
        Some(order) => {
            if order == wanted {
                a.clone()
            } else {
                b.clone()
            }
        }
    }
}

macro_rules! native {
    ($name:ident, $ty:ty) => {
        fn $name(op: BinOp, a: $ty, b: $ty) -> $ty {
            match op {
                BinOp::FAdd => a + b,
                BinOp::FSub => a - b,
                BinOp::FMul => a * b,
                BinOp::FDiv => a / b,
                BinOp::FRem => a % b,
                _ => unreachable!("{op:?} should be an arithmetic operation on floats"),
            }
        }
    };
}

native!(native_single, f32);
native!(native_double, f64);

fn software(f: Format, op: BinOp, a: &Bv, b: &Bv) -> Bv {
    let (x, y) = (soft::unpack(f, a), soft::unpack(f, b));
    let result = match op {
        BinOp::FAdd => soft::add(&x, &y),
        BinOp::FSub if y.is_nan() => soft::add(&x, &y),
        BinOp::FSub => soft::add(&x, &soft::negated(&y)),
        BinOp::FMul => soft::mul(&x, &y),
        BinOp::FDiv => soft::div(&x, &y),
        BinOp::FRem => soft::rem(&x, &y),
        _ => unreachable!("{op:?} should be an arithmetic operation on floats"),
    };
    soft::pack(f, &result)
}

pub fn compare(kind: FloatKind, op: CmpOp, a: &Bv, b: &Bv) -> bool {
    let order = match kind {
        FloatKind::Single => single(a).partial_cmp(&single(b)),
        FloatKind::Double => double(a).partial_cmp(&double(b)),
        FloatKind::Half | FloatKind::BFloat | FloatKind::X87 | FloatKind::Quad => {
            soft::order(&soft::unpack(format(kind), a), &soft::unpack(format(kind), b))
        }
    };
    let Some(order) = order else {
        return matches!(
            op,
            CmpOp::FUeq | CmpOp::FUne | CmpOp::FUlt | CmpOp::FUle | CmpOp::FUgt | CmpOp::FUge | CmpOp::FUno
        );
    };
    match op {
        CmpOp::FOeq | CmpOp::FUeq => order.is_eq(),
        CmpOp::FOne | CmpOp::FUne => order.is_ne(),
        CmpOp::FOlt | CmpOp::FUlt => order.is_lt(),
        CmpOp::FOle | CmpOp::FUle => order.is_le(),
        CmpOp::FOgt | CmpOp::FUgt => order.is_gt(),
        CmpOp::FOge | CmpOp::FUge => order.is_ge(),
        CmpOp::FOrd => true,
        CmpOp::FUno => false,
        CmpOp::Eq
        | CmpOp::Ne
        | CmpOp::Ult
        | CmpOp::Ule
        | CmpOp::Ugt
        | CmpOp::Uge
        | CmpOp::Slt
        | CmpOp::Sle
        | CmpOp::Sgt
        | CmpOp::Sge => unreachable!("{op:?} should compare integers"),
    }
}

pub fn convert(from: FloatKind, to: FloatKind, x: &Bv) -> Bv {
    match (from, to) {
        (FloatKind::Single, FloatKind::Double) => of_double(f64::from(single(x))),
        (FloatKind::Double, FloatKind::Single) => of_single(double(x) as f32),
        (from, to) => soft::pack(format(to), &soft::unpack(format(from), x)),
    }
}

/// Truncates; out of range gives the smallest integer.
pub fn to_signed(kind: FloatKind, x: &Bv, width: u16) -> Bv {
    match kind {
        FloatKind::Double if double(x).abs() < SMALL && width == 64 => return Bv::from_i64(64, double(x) as i64),
        FloatKind::Single if f64::from(single(x)).abs() < SMALL && width == 64 => {
            return Bv::from_i64(64, single(x) as i64);
        }
        FloatKind::Double if double(x).abs() < SMALL / 2f64.powi(32) && width == 32 => {
            return Bv::from_i64(32, double(x) as i64);
        }
        _ => {}
    }
    let smallest = Bv::min_signed(width);
    let Some((sign, magnitude)) = soft::to_int(&soft::unpack(format(kind), x), width) else { return smallest };
    let limit = smallest.zext(width + 1);
    match sign {
        false if magnitude.ult(&limit) => magnitude.resize(width),
        true if magnitude.ule(&limit) => magnitude.neg().resize(width),
        false | true => smallest,
    }
}

/// Truncates; out of range gives the bits of the signed conversion, as x86-64 compilers do (-1.0 becomes all ones).
pub fn to_unsigned(kind: FloatKind, x: &Bv, width: u16) -> Bv {
    match soft::to_int(&soft::unpack(format(kind), x), width) {
        Some((sign, magnitude)) if !sign || magnitude.is_zero() => magnitude.resize(width),
        Some(_) | None => to_signed(kind, x, width),
    }
}

pub fn from_signed(kind: FloatKind, x: &Bv) -> Bv {
    match (kind, x.to_i64()) {
        (FloatKind::Double, Some(n)) => return of_double(n as f64),
        (FloatKind::Single, Some(n)) => return of_single(n as f32),
        _ => {}
    }
    soft::pack(format(kind), &soft::from_int(x.sign(), &x.abs()))
}

pub fn from_unsigned(kind: FloatKind, x: &Bv) -> Bv {
    match (kind, x.to_u64()) {
        (FloatKind::Double, Some(n)) => return of_double(n as f64),
        (FloatKind::Single, Some(n)) => return of_single(n as f32),
        _ => {}
    }
    soft::pack(format(kind), &soft::from_int(false, x))
}

/// An operation in a rounding mode; in software, since the CPU's mode is not ours to change.
pub fn rounded(kind: FloatKind, op: Rounded, mode: Mode, from: Type, args: &[Bv]) -> Bv {
    let f = format(kind);
    let num = |i: usize| soft::unpack(f, &args[i]);
    let result = match op {
        Rounded::Add => soft::add_in(mode, &num(0), &num(1)),
        Rounded::Sub if num(1).is_nan() => soft::add(&num(0), &num(1)),
        Rounded::Sub => soft::add_in(mode, &num(0), &soft::negated(&num(1))),
        Rounded::Mul => soft::mul(&num(0), &num(1)),
        Rounded::Div => soft::div(&num(0), &num(1)),
        Rounded::Sqrt => soft::sqrt(&num(0)),
        Rounded::MulAdd => soft::add_in(mode, &soft::mul(&num(0), &num(1)), &num(2)),
        Rounded::Integral => soft::integral(mode.integral(), &num(0)),
        Rounded::FromSigned => soft::from_int(args[0].sign(), &args[0].abs()),
        Rounded::FromUnsigned => soft::from_int(false, &args[0]),
        Rounded::Convert => match from {
            Type::Float(from) => soft::unpack(format(from), &args[0]),
            Type::Int(_) | Type::Ptr => unreachable!("a conversion between floats should have a float"),
        },
    };
    soft::pack_in(f, mode, &result)
}

/// `x * y + z`, rounded once.
pub fn fused(kind: FloatKind, x: &Bv, y: &Bv, z: &Bv) -> Bv {
    match kind {
        FloatKind::Single => of_single(single(x).mul_add(single(y), single(z))),
        FloatKind::Double => of_double(double(x).mul_add(double(y), double(z))),
        FloatKind::Half | FloatKind::BFloat | FloatKind::X87 | FloatKind::Quad => {
            let f = format(kind);
            soft::pack(f, &soft::fused(&soft::unpack(f, x), &soft::unpack(f, y), &soft::unpack(f, z)))
        }
    }
}
