//! Operations that have no fast form: integers of any width through `Bv`, floats through `float`.

use crate::float;
use crate::machine::Machine;
use blitz_base::Bv;
use blitz_ir::{BinOp, CastOp, CmpOp, FloatKind, OverflowOp, Type, UnOp, Value};

impl Machine<'_, '_> {
    fn ty(&self, v: Value) -> Type {
        self.top().code.operands[v.index()].ty
    }

    /// The format of a value that is a float.
    fn kind(&self, v: Value) -> FloatKind {
        match self.ty(v) {
            Type::Float(kind) => kind,
            ty @ (Type::Int(_) | Type::Ptr) => unreachable!("{v} of type {ty} should be a float"),
        }
    }

    pub fn unary(&mut self, op: UnOp, d: Value, arg: Value) {
        let x = self.value(arg);
        let width = x.width();
        let count = |n: u16| Bv::from_u64(width, u64::from(n));
        let result = match op {
            UnOp::CountOnes => count(x.ctpop()),
            UnOp::LeadingZeros => count(x.ctlz()),
            UnOp::TrailingZeros => count(x.cttz()),
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
            | UnOp::FSignBit => float::unary(self.kind(arg), op, &x),
        };
        self.set_value(d, &result);
    }

    pub fn binary(&mut self, op: BinOp, d: Value, lhs: Value, rhs: Value) {
        let (a, b) = (self.value(lhs), self.value(rhs));
        let result = match op {
            BinOp::Add => a.add(&b),
            BinOp::Sub => a.sub(&b),
            BinOp::Mul => a.mul(&b),
            BinOp::UDiv => a.udiv(&b),
            BinOp::SDiv => a.sdiv(&b),
            BinOp::URem => a.urem(&b),
            BinOp::SRem => a.srem(&b),
            BinOp::Shl => a.shl(&b),
            BinOp::LShr => a.lshr(&b),
            BinOp::AShr => a.ashr(&b),
            BinOp::And => a.and(&b),
            BinOp::Or => a.or(&b),
            BinOp::Xor => a.xor(&b),
            BinOp::UMin => {
                if a.ult(&b) {
                    a
                } else {
                    b
                }
            }
            BinOp::UMax => {
                if a.ult(&b) {
                    b
                } else {
                    a
                }
            }
            BinOp::SMin => {
                if a.slt(&b) {
                    a
                } else {
                    b
                }
            }
            BinOp::SMax => {
                if a.slt(&b) {
                    b
                } else {
                    a
                }
            }
            BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FRem
            | BinOp::FMin
            | BinOp::FMax
            | BinOp::FCopySign => float::binary(self.kind(d), op, &a, &b),
        };
        self.set_value(d, &result);
    }

    pub fn compare(&mut self, op: CmpOp, d: Value, lhs: Value, rhs: Value) {
        let (a, b) = (self.value(lhs), self.value(rhs));
        let result = match op {
            CmpOp::Eq => a == b,
            CmpOp::Ne => a != b,
            CmpOp::Ult => a.ult(&b),
            CmpOp::Ule => a.ule(&b),
            CmpOp::Ugt => a.ugt(&b),
            CmpOp::Uge => a.uge(&b),
            CmpOp::Slt => a.slt(&b),
            CmpOp::Sle => a.sle(&b),
            CmpOp::Sgt => a.sgt(&b),
            CmpOp::Sge => a.sge(&b),
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
            | CmpOp::FUno => float::compare(self.kind(lhs), op, &a, &b),
        };
        self.set(d, u64::from(result));
    }

    pub fn overflow(&mut self, op: OverflowOp, d: Value, lhs: Value, rhs: Value) {
        let (a, b) = (self.value(lhs), self.value(rhs));
        let result = match op {
            OverflowOp::SAdd => a.saddo(&b),
            OverflowOp::UAdd => a.uaddo(&b),
            OverflowOp::SSub => a.ssubo(&b),
            OverflowOp::USub => a.usubo(&b),
            OverflowOp::SMul => a.smulo(&b),
            OverflowOp::UMul => a.umulo(&b),
        };
        self.set(d, u64::from(result));
    }

    pub fn cast(&mut self, op: CastOp, d: Value, arg: Value) {
        let x = self.value(arg);
        let width = self.top().code.operands[d.index()].bits;
        let result = match op {
            CastOp::Trunc | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast | CastOp::ZExt => x.resize(width),
            CastOp::SExt => x.sext(width),
            CastOp::FToF => float::convert(self.kind(arg), self.kind(d), &x),
            CastOp::FToSi => float::to_signed(self.kind(arg), &x, width),
            CastOp::FToUi => float::to_unsigned(self.kind(arg), &x, width),
            CastOp::SiToF => float::from_signed(self.kind(d), &x),
            CastOp::UiToF => float::from_unsigned(self.kind(d), &x),
        };
        self.set_value(d, &result);
    }

    pub fn fused(&mut self, d: Value, x: Value, y: Value, z: Value) {
        let result = float::fused(self.kind(d), &self.value(x), &self.value(y), &self.value(z));
        self.set_value(d, &result);
    }
}
