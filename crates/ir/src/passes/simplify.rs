//! Rules for single instructions: constants and identities that hold for all values of the operands.
//!
//! Nothing is concluded from `undef`: an operation on it stays as it is. Floats are left alone, but for the kinds of rules
//! that only move bits. Each rule gives a value that is there already, a constant, or one instruction instead.

use super::known;
use super::util::{bits_constant, const_bits, def_inst, invert, is_undef};
use crate::func::{Const, Func, FuncBuilder, Value};
use crate::inst::{BinOp, CastOp, CmpOp, Extent, Inst, OverflowOp, UnOp};
use crate::program::TargetInfo;
use crate::types::Type;
use blitz_base::Bv;

/// What an instruction can be replaced by.
pub enum Simple {
    Keep,
    Value(Value),
    Inst(Inst),
}

/// A simpler form of an instruction with one result of type `ty`.
pub fn simplify(b: &mut FuncBuilder, inst: &Inst, ty: Type, target: TargetInfo) -> Simple {
    match *inst {
        Inst::Unary { op, arg } => unary(b, op, arg),
        Inst::Binary { op, lhs, rhs } => binary(b, op, lhs, rhs, ty),
        Inst::Compare { op, lhs, rhs } => compare(b, op, lhs, rhs),
        Inst::Overflow { op, lhs, rhs } => overflow(b, op, lhs, rhs),
        Inst::Cast { op, arg } => cast(b, op, arg, ty),
        Inst::Select { cond, then, other } => select(b, cond, then, other),
        Inst::PtrAdd { base, offset, extent } => ptr_add(b, base, offset, extent, target),
        _ => Simple::Keep,
    }
}

fn constant(b: &mut FuncBuilder, ty: Type, bits: Bv) -> Simple {
    Simple::Value(bits_constant(b, ty, bits))
}

fn boolean(b: &mut FuncBuilder, value: bool) -> Simple {
    Simple::Value(b.int(1, u64::from(value)))
}

fn two_bits(func: &Func, lhs: Value, rhs: Value) -> Option<(&Bv, &Bv)> {
    Some((const_bits(func, lhs)?, const_bits(func, rhs)?))
}

fn unary(b: &mut FuncBuilder, op: UnOp, arg: Value) -> Simple {
    let Some(x) = const_bits(&b.func, arg) else {
        return Simple::Keep;
    };
    let w = x.width();
    let bits = match op {
        UnOp::CountOnes => Bv::from_u64(w, x.ctpop().into()),
        UnOp::LeadingZeros => Bv::from_u64(w, x.ctlz().into()),
        UnOp::TrailingZeros => Bv::from_u64(w, x.cttz().into()),
        UnOp::ByteSwap => x.bswap(),
        UnOp::BitReverse => x.bitreverse(),
        UnOp::FNeg
        | UnOp::FAbs
        | UnOp::FSqrt
        | UnOp::FFloor
        | UnOp::FCeil
        | UnOp::FTrunc
        | UnOp::FRoundEven
        | UnOp::FRound
        | UnOp::FIsNan
        | UnOp::FIsInf
        | UnOp::FIsFinite
        | UnOp::FIsNormal
        | UnOp::FIsSubnormal
        | UnOp::FIsZero
        | UnOp::FSignBit => return Simple::Keep,
    };
    constant(b, Type::Int(w), bits)
}

fn binary(b: &mut FuncBuilder, op: BinOp, lhs: Value, rhs: Value, ty: Type) -> Simple {
    if op.is_float() {
        return Simple::Keep;
    }
    if let Some((x, y)) = two_bits(&b.func, lhs, rhs) {
        return match fold_binary(op, x, y) {
            Some(bits) => constant(b, ty, bits),
            None => Simple::Keep,
        };
    }
    // Constants go right, so that the rules need to look there only.
    if commutes(op) && const_bits(&b.func, lhs).is_some() {
        return Simple::Inst(Inst::Binary { op, lhs: rhs, rhs: lhs });
    }
    if lhs == rhs && !is_undef(&b.func, lhs) {
        return same_operands(b, op, lhs, ty);
    }
    match const_bits(&b.func, rhs).cloned() {
        Some(c) => binary_with_constant(b, op, lhs, &c, rhs, ty),
        None => Simple::Keep,
    }
}

fn fold_binary(op: BinOp, x: &Bv, y: &Bv) -> Option<Bv> {
    let pick = |first: bool| if first { x.clone() } else { y.clone() };
    Some(match op {
        BinOp::Add => x.add(y),
        BinOp::Sub => x.sub(y),
        BinOp::Mul => x.mul(y),
        BinOp::UDiv => x.udiv(y),
        BinOp::SDiv => x.sdiv(y),
        BinOp::URem => x.urem(y),
        BinOp::SRem => x.srem(y),
        BinOp::Shl => x.shl(y),
        BinOp::LShr => x.lshr(y),
        BinOp::AShr => x.ashr(y),
        BinOp::And => x.and(y),
        BinOp::Or => x.or(y),
        BinOp::Xor => x.xor(y),
        BinOp::UMin => pick(x.ule(y)),
        BinOp::UMax => pick(x.uge(y)),
        BinOp::SMin => pick(x.sle(y)),
        BinOp::SMax => pick(x.sge(y)),
        BinOp::FAdd
        | BinOp::FSub
        | BinOp::FMul
        | BinOp::FDiv
        | BinOp::FRem
        | BinOp::FMin
        | BinOp::FMax
        | BinOp::FCopySign => return None,
    })
}

fn commutes(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Add
            | BinOp::Mul
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor
            | BinOp::UMin
            | BinOp::UMax
            | BinOp::SMin
            | BinOp::SMax
    )
}

fn same_operands(b: &mut FuncBuilder, op: BinOp, x: Value, ty: Type) -> Simple {
    match op {
        BinOp::And | BinOp::Or | BinOp::UMin | BinOp::UMax | BinOp::SMin | BinOp::SMax => Simple::Value(x),
        BinOp::Xor | BinOp::Sub => {
            let Type::Int(w) = ty else {
                return Simple::Keep;
            };
            constant(b, ty, Bv::zero(w))
        }
        _ => Simple::Keep,
    }
}

fn binary_with_constant(b: &mut FuncBuilder, op: BinOp, x: Value, c: &Bv, rhs: Value, ty: Type) -> Simple {
    match op {
        BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::LShr | BinOp::AShr if c.is_zero() => {
            Simple::Value(x)
        }
        BinOp::Mul | BinOp::UDiv | BinOp::SDiv if c.is_one() && c.width() > 1 => Simple::Value(x),
        BinOp::And if c.is_ones() => Simple::Value(x),
        BinOp::Mul | BinOp::And if c.is_zero() => Simple::Value(rhs),
        BinOp::Or if c.is_ones() => Simple::Value(rhs),
        BinOp::URem if c.is_one() => constant(b, ty, Bv::zero(c.width())),
        BinOp::And if known::never_set(&b.func, x, c) => constant(b, ty, Bv::zero(c.width())),
        BinOp::And if known::never_set(&b.func, x, &c.not()) => Simple::Value(x),
        BinOp::And => match known::half_in(&b.func, x, c) {
            Some(half) => Simple::Inst(Inst::Binary { op, lhs: half, rhs }),
            None => reassociate(b, op, x, c, ty),
        },
        BinOp::LShr if c.to_u64().is_some_and(|n| n < u64::from(c.width())) => shifted_down(b, x, c, rhs),
        BinOp::Add | BinOp::Or | BinOp::Xor => reassociate(b, op, x, c, ty),
        BinOp::Sub => {
            let rhs = bits_constant(b, ty, c.neg());
            Simple::Inst(Inst::Binary { op: BinOp::Add, lhs: x, rhs })
        }
        _ => Simple::Keep,
    }
}

/// `(y << n) >> n` is `y` if nothing falls off; halves of an `or` that fall off are dropped.
fn shifted_down(b: &mut FuncBuilder, x: Value, by: &Bv, rhs: Value) -> Simple {
    let kept = Bv::ones(by.width()).shl(by);
    if let Some(half) = known::half_in(&b.func, x, &kept) {
        return Simple::Inst(Inst::Binary { op: BinOp::LShr, lhs: half, rhs });
    }
    match def_inst(&b.func, x) {
        Some(Inst::Binary { op: BinOp::Shl, lhs, rhs: up })
            if const_bits(&b.func, *up) == Some(by)
                && known::never_set(&b.func, *lhs, &Bv::ones(by.width()).lshr(by).not()) =>
        {
            Simple::Value(*lhs)
        }
        _ => Simple::Keep,
    }
}

/// `(x op c1) op c2` is `x op (c1 op c2)`.
fn reassociate(b: &mut FuncBuilder, op: BinOp, x: Value, c: &Bv, ty: Type) -> Simple {
    let inner = match def_inst(&b.func, x) {
        Some(Inst::Binary { op: inner, lhs, rhs }) if *inner == op => {
            const_bits(&b.func, *rhs).map(|bits| (*lhs, bits))
        }
        _ => None,
    };
    let Some((lhs, bits)) = inner.and_then(|(l, bits)| Some((l, fold_binary(op, bits, c)?))) else {
        return Simple::Keep;
    };
    let rhs = bits_constant(b, ty, bits);
    Simple::Inst(Inst::Binary { op, lhs, rhs })
}

fn overflow(b: &mut FuncBuilder, op: OverflowOp, lhs: Value, rhs: Value) -> Simple {
    if let Some((x, y)) = two_bits(&b.func, lhs, rhs) {
        let result = match op {
            OverflowOp::SAdd => x.saddo(y),
            OverflowOp::UAdd => x.uaddo(y),
            OverflowOp::SSub => x.ssubo(y),
            OverflowOp::USub => x.usubo(y),
            OverflowOp::SMul => x.smulo(y),
            OverflowOp::UMul => x.umulo(y),
        };
        return boolean(b, result);
    }
    let never = |c: &Bv| match op {
        OverflowOp::SAdd | OverflowOp::UAdd => c.is_zero(),
        OverflowOp::SMul | OverflowOp::UMul => c.is_zero() || c.is_one() && c.width() > 1,
        OverflowOp::SSub | OverflowOp::USub => false,
    };
    let zero = |c: &Bv| c.is_zero();
    let right = const_bits(&b.func, rhs).is_some_and(|c| never(c) || zero(c));
    let left = const_bits(&b.func, lhs).is_some_and(never);
    if right || left { boolean(b, false) } else { Simple::Keep }
}

fn compare(b: &mut FuncBuilder, op: CmpOp, lhs: Value, rhs: Value) -> Simple {
    if op.is_float() {
        return Simple::Keep;
    }
    if let Some((x, y)) = two_bits(&b.func, lhs, rhs) {
        let result = fold_compare(op, x, y);
        return boolean(b, result);
    }
    if lhs == rhs && !is_undef(&b.func, lhs) {
        let holds = matches!(op, CmpOp::Eq | CmpOp::Ule | CmpOp::Uge | CmpOp::Sle | CmpOp::Sge);
        return boolean(b, holds);
    }
    if let Some(equal) = pointers_equal(&b.func, lhs, rhs) {
        return match op {
            CmpOp::Eq => boolean(b, equal),
            CmpOp::Ne => boolean(b, !equal),
            _ => Simple::Keep,
        };
    }
    if const_bits(&b.func, lhs).is_some() {
        return Simple::Inst(Inst::Compare { op: swapped(op), lhs: rhs, rhs: lhs });
    }
    match const_bits(&b.func, rhs).cloned() {
        Some(c) => compare_with_constant(b, op, lhs, &c),
        None => Simple::Keep,
    }
}

fn fold_compare(op: CmpOp, x: &Bv, y: &Bv) -> bool {
    match op {
        CmpOp::Eq => x == y,
        CmpOp::Ne => x != y,
        CmpOp::Ult => x.ult(y),
        CmpOp::Ule => x.ule(y),
        CmpOp::Ugt => x.ugt(y),
        CmpOp::Uge => x.uge(y),
        CmpOp::Slt => x.slt(y),
        CmpOp::Sle => x.sle(y),
        CmpOp::Sgt => x.sgt(y),
        CmpOp::Sge => x.sge(y),
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
        | CmpOp::FUno => unreachable!("floats should not be folded"),
    }
}

/// The comparison with its operands the other way round.
fn swapped(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Ult => CmpOp::Ugt,
        CmpOp::Ule => CmpOp::Uge,
        CmpOp::Ugt => CmpOp::Ult,
        CmpOp::Uge => CmpOp::Ule,
        CmpOp::Slt => CmpOp::Sgt,
        CmpOp::Sle => CmpOp::Sge,
        CmpOp::Sgt => CmpOp::Slt,
        CmpOp::Sge => CmpOp::Sle,
        other => other,
    }
}

/// Whether two constant pointers are equal, where that is known: different objects have different addresses.
fn pointers_equal(func: &Func, lhs: Value, rhs: Value) -> Option<bool> {
    let (x, y) = (func.as_const(lhs)?, func.as_const(rhs)?);
    let plain = |c: &Const| matches!(c, Const::Null | Const::Global(..) | Const::Func(_));
    (plain(x) && plain(y)).then(|| x == y)
}

fn compare_with_constant(b: &mut FuncBuilder, op: CmpOp, x: Value, c: &Bv) -> Simple {
    match op {
        CmpOp::Ult if c.is_zero() => return boolean(b, false),
        CmpOp::Uge if c.is_zero() => return boolean(b, true),
        CmpOp::Ugt if c.is_ones() => return boolean(b, false),
        CmpOp::Ule if c.is_ones() => return boolean(b, true),
        CmpOp::Eq | CmpOp::Ne => {}
        _ => return Simple::Keep,
    }
    if b.func.ty(x) == Type::BOOL {
        return truth(b, x, (op == CmpOp::Eq) == c.is_one());
    }
    // A number that was widened equals a constant if the constant fits and equals the narrow one.
    let narrow = match def_inst(&b.func, x) {
        Some(Inst::Cast { op: widen @ (CastOp::ZExt | CastOp::SExt), arg }) => {
            let Type::Int(w) = b.func.ty(*arg) else {
                return Simple::Keep;
            };
            let cut = c.extract(w - 1, 0);
            let back = if *widen == CastOp::ZExt { cut.zext(c.width()) } else { cut.sext(c.width()) };
            Some((*arg, cut, back == *c))
        }
        _ => None,
    };
    match narrow {
        Some((arg, cut, true)) => {
            let rhs = bits_constant(b, b.func.ty(arg), cut);
            Simple::Inst(Inst::Compare { op, lhs: arg, rhs })
        }
        Some((_, _, false)) => boolean(b, op == CmpOp::Ne),
        None => Simple::Keep,
    }
}

/// A truth value as it is, or its negation where that is one comparison.
fn truth(b: &mut FuncBuilder, x: Value, positive: bool) -> Simple {
    if positive {
        return Simple::Value(x);
    }
    match def_inst(&b.func, x) {
        Some(Inst::Compare { op, lhs, rhs }) => Simple::Inst(Inst::Compare { op: invert(*op), lhs: *lhs, rhs: *rhs }),
        Some(Inst::Binary { op: BinOp::Xor, lhs, rhs }) if const_bits(&b.func, *rhs).is_some_and(Bv::is_one) => {
            Simple::Value(*lhs)
        }
        _ => Simple::Keep,
    }
}

fn cast(b: &mut FuncBuilder, op: CastOp, arg: Value, ty: Type) -> Simple {
    let from = b.func.ty(arg);
    if op == CastOp::Bitcast && from == ty {
        return Simple::Value(arg);
    }
    if let Some(bits) = cast_constant(&b.func, op, arg, ty) {
        return constant(b, ty, bits);
    }
    if let (CastOp::Trunc, Type::Int(narrow), Type::Int(wide)) = (op, ty, from)
        && let Some(half) = known::half_in(&b.func, arg, &Bv::ones(narrow).zext(wide))
    {
        return Simple::Inst(Inst::Cast { op, arg: half });
    }
    let Some(&Inst::Cast { op: inner, arg: origin }) = def_inst(&b.func, arg) else {
        return Simple::Keep;
    };
    let source = b.func.ty(origin);
    match (op, inner) {
        (CastOp::Trunc, CastOp::Trunc) | (CastOp::ZExt, CastOp::ZExt) | (CastOp::SExt, CastOp::SExt) => {
            Simple::Inst(Inst::Cast { op, arg: origin })
        }
        (CastOp::SExt, CastOp::ZExt) => Simple::Inst(Inst::Cast { op: CastOp::ZExt, arg: origin }),
        (CastOp::Trunc, CastOp::ZExt | CastOp::SExt) => cut_of_widened(inner, origin, source, ty),
        (CastOp::IntToPtr, CastOp::PtrToInt)
        | (CastOp::PtrToInt, CastOp::IntToPtr)
        | (CastOp::Bitcast, CastOp::Bitcast)
            if source == ty =>
        {
            Simple::Value(origin)
        }
        _ => Simple::Keep,
    }
}

fn cast_constant(func: &Func, op: CastOp, arg: Value, ty: Type) -> Option<Bv> {
    let width = |ty: Type| match ty {
        Type::Int(w) => Some(w),
        Type::Ptr => None,
        Type::Float(k) => Some(k.bits()),
    };
    let null = func.as_const(arg) == Some(&Const::Null);
    if null && op == CastOp::PtrToInt {
        return width(ty).map(Bv::zero);
    }
    let bits = const_bits(func, arg)?;
    match op {
        CastOp::Trunc => Some(bits.extract(width(ty)? - 1, 0)),
        CastOp::ZExt => Some(bits.zext(width(ty)?)),
        CastOp::SExt => Some(bits.sext(width(ty)?)),
        CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast => Some(bits.clone()),
        CastOp::FToF | CastOp::FToSi | CastOp::FToUi | CastOp::SiToF | CastOp::UiToF => None,
    }
}

fn cut_of_widened(widen: CastOp, origin: Value, source: Type, ty: Type) -> Simple {
    let (Type::Int(had), Type::Int(wants)) = (source, ty) else {
        return Simple::Keep;
    };
    match wants.cmp(&had) {
        std::cmp::Ordering::Equal => Simple::Value(origin),
        std::cmp::Ordering::Less => Simple::Inst(Inst::Cast { op: CastOp::Trunc, arg: origin }),
        std::cmp::Ordering::Greater => Simple::Inst(Inst::Cast { op: widen, arg: origin }),
    }
}

fn select(b: &mut FuncBuilder, cond: Value, then: Value, other: Value) -> Simple {
    if let Some(c) = const_bits(&b.func, cond) {
        return Simple::Value(if c.is_one() { then } else { other });
    }
    if then == other {
        return Simple::Value(then);
    }
    let truth = |v: Value| (b.func.ty(v) == Type::BOOL).then(|| const_bits(&b.func, v).map(Bv::is_one)).flatten();
    match (truth(then), truth(other)) {
        (Some(true), Some(false)) => Simple::Value(cond),
        (Some(false), Some(true)) => {
            let rhs = b.int(1, 0);
            Simple::Inst(Inst::Compare { op: CmpOp::Eq, lhs: cond, rhs })
        }
        (None, Some(false)) => Simple::Inst(Inst::Binary { op: BinOp::And, lhs: cond, rhs: then }),
        (Some(true), None) => Simple::Inst(Inst::Binary { op: BinOp::Or, lhs: cond, rhs: other }),
        _ => Simple::Keep,
    }
}

fn ptr_add(b: &mut FuncBuilder, base: Value, offset: Value, extent: Option<Extent>, target: TargetInfo) -> Simple {
    let Some(by) = const_bits(&b.func, offset).and_then(Bv::to_i64) else {
        return Simple::Keep;
    };
    if by == 0 && extent.is_none() {
        return Simple::Value(base);
    }
    let Some(&Const::Global(g, at)) = b.func.as_const(base) else {
        return Simple::Keep;
    };
    let limit = 1i64 << (target.offset_bits() - 1);
    match at.checked_add(by).filter(|sum| (-limit..limit).contains(sum)) {
        Some(sum) => Simple::Value(b.constant(Type::Ptr, Const::Global(g, sum))),
        None => Simple::Keep,
    }
}
