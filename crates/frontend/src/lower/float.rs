//! Floating point: negation, comparisons, classes.

use super::Lowering;
use crate::llvm::{RealPredicate, Val};
use blitz_ir::{BinOp, CmpOp, Inst, Type, UnOp, Value};

impl Lowering<'_> {
    pub(super) fn unary(&mut self, op: UnOp, arg: Value) -> Value {
        let ty = match op {
            UnOp::FIsNan
            | UnOp::FIsInf
            | UnOp::FIsFinite
            | UnOp::FIsNormal
            | UnOp::FIsSubnormal
            | UnOp::FIsZero
            | UnOp::FSignBit => Type::BOOL,
            _ => self.ty(arg),
        };
        self.emit(Inst::Unary { op, arg }, ty)
    }

    pub(super) fn fneg(&mut self, inst: Val) {
        let args = self.used(inst.operand(0));
        let parts = args.into_iter().map(|a| self.unary(UnOp::FNeg, a)).collect();
        self.set(inst, parts);
    }

    pub(super) fn fcmp(&mut self, inst: Val) {
        let predicate = inst.real_predicate();
        let lhs = self.used(inst.operand(0));
        let rhs = self.used(inst.operand(1));
        let parts = lhs
            .into_iter()
            .zip(rhs)
            .map(|(a, b)| match float_compare(predicate) {
                Ok(op) => self.compare(op, a, b),
                Err(always) => self.b.int(1, u64::from(always)),
            })
            .collect();
        self.set(inst, parts);
    }

    /// `llvm.is.fpclass`: whether the value is in one of the classes of the mask.
    pub(super) fn is_class(&mut self, v: Value, mask: u64) -> Value {
        // Signaling and quiet NaN, then negative infinity, normal, subnormal, zero, and the same positive.
        let mut found = self.b.int(1, 0);
        if mask & 0b11 == 0b11 {
            let nan = self.unary(UnOp::FIsNan, v);
            found = self.binary(BinOp::Or, found, nan);
        } else if mask & 0b11 != 0 {
            let nan = self.nan_with_quiet_bit(v, mask & 0b11 == 0b10);
            found = self.binary(BinOp::Or, found, nan);
        }
        let classes =
            [(2, 9, UnOp::FIsInf), (3, 8, UnOp::FIsNormal), (4, 7, UnOp::FIsSubnormal), (5, 6, UnOp::FIsZero)];
        for (negative, positive, op) in classes {
            let (neg, pos) = (mask >> negative & 1 == 1, mask >> positive & 1 == 1);
            if !neg && !pos {
                continue;
            }
            let mut hit = self.unary(op, v);
            if neg != pos {
                let sign = self.unary(UnOp::FSignBit, v);
                let side = if neg { sign } else { self.not(sign) };
                hit = self.binary(BinOp::And, hit, side);
            }
            found = self.binary(BinOp::Or, found, hit);
        }
        found
    }

    fn nan_with_quiet_bit(&mut self, v: Value, quiet: bool) -> Value {
        let nan = self.unary(UnOp::FIsNan, v);
        let bits = self.as_int(v);
        let width = self.bits_of(bits);
        let position = match self.ty(v) {
            Type::Float(blitz_ir::FloatKind::Half) => 9,
            Type::Float(blitz_ir::FloatKind::BFloat) => 6,
            Type::Float(blitz_ir::FloatKind::Single) => 22,
            Type::Float(blitz_ir::FloatKind::Double) => 51,
            Type::Float(blitz_ir::FloatKind::X87) => 62,
            _ => 111,
        };
        let by = self.b.int(width, position);
        let shifted = self.binary(BinOp::LShr, bits, by);
        let bit = self.resize(shifted, 1, blitz_ir::CastOp::Trunc);
        let bit = if quiet { bit } else { self.not(bit) };
        self.binary(BinOp::And, nan, bit)
    }
}

/// The comparison, or the result if it is always the same.
fn float_compare(p: RealPredicate) -> Result<CmpOp, bool> {
    Ok(match p {
        RealPredicate::LLVMRealPredicateFalse => return Err(false),
        RealPredicate::LLVMRealPredicateTrue => return Err(true),
        RealPredicate::LLVMRealOEQ => CmpOp::FOeq,
        RealPredicate::LLVMRealOGT => CmpOp::FOgt,
        RealPredicate::LLVMRealOGE => CmpOp::FOge,
        RealPredicate::LLVMRealOLT => CmpOp::FOlt,
        RealPredicate::LLVMRealOLE => CmpOp::FOle,
        RealPredicate::LLVMRealONE => CmpOp::FOne,
        RealPredicate::LLVMRealORD => CmpOp::FOrd,
        RealPredicate::LLVMRealUNO => CmpOp::FUno,
        RealPredicate::LLVMRealUEQ => CmpOp::FUeq,
        RealPredicate::LLVMRealUGT => CmpOp::FUgt,
        RealPredicate::LLVMRealUGE => CmpOp::FUge,
        RealPredicate::LLVMRealULT => CmpOp::FUlt,
        RealPredicate::LLVMRealULE => CmpOp::FUle,
        RealPredicate::LLVMRealUNE => CmpOp::FUne,
    })
}
