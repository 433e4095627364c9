//! Integer arithmetic, comparisons and casts, element by element.
//!
//! Instrumented code brings its own checks (`ubsan`); in code that is not, the flags and the operands say what
//! C forbids.

use super::Lowering;
use crate::llvm::{IntPredicate, Opcode, Val, ValueKind};
use crate::types;
use blitz_base::Bv;
use blitz_ir::{BinOp, CastOp, CheckKind, CmpOp, Const, Inst, OverflowOp, Type, Value};

impl Lowering<'_> {
    /// A binary operation on each pair of parts.
    pub(super) fn elementwise(&mut self, inst: Val, op: BinOp) {
        let lhs = self.used(inst.operand(0));
        let rhs = self.used(inst.operand(1));
        let parts = lhs.into_iter().zip(rhs).map(|(a, b)| self.binary(op, a, b)).collect();
        self.set(inst, parts);
    }

    pub(super) fn arithmetic(&mut self, inst: Val, op: BinOp) {
        if self.checks_arithmetic() && inst.has_nsw() {
            self.check_overflow(inst, op);
        }
        self.elementwise(inst, op);
    }

    fn checks_arithmetic(&self) -> bool {
        self.raw && !self.model
    }

    fn check_overflow(&mut self, inst: Val, op: BinOp) {
        let op = match op {
            BinOp::Add => OverflowOp::SAdd,
            BinOp::Sub => OverflowOp::SSub,
            _ => OverflowOp::SMul,
        };
        if !self.shared.checks.has(CheckKind::SignedOverflow) {
            return;
        }
        let lhs = self.used(inst.operand(0));
        let rhs = self.used(inst.operand(1));
        for (a, b) in lhs.into_iter().zip(rhs) {
            let over = self.emit(Inst::Overflow { op, lhs: a, rhs: b }, Type::BOOL);
            let fine = self.not(over);
            self.check(fine, CheckKind::SignedOverflow, "signed integer overflow");
        }
    }

    /// The difference of two addresses is that of their offsets: a pointer before its object has a negative one.
    pub(super) fn subtract(&mut self, inst: Val) {
        let (a, b) = (inst.operand(0), inst.operand(1));
        let width = self.word_bits();
        let word = types::scalar(inst.ty()) == Some(Type::Int(width));
        if !(word && is_address(a) && is_address(b)) {
            return self.arithmetic(inst, BinOp::Sub);
        }
        let (a, b) = (self.used1(a), self.used1(b));
        let difference = self.binary(BinOp::Sub, a, b);
        let offset = self.resize(difference, self.shared.target.offset_bits(), CastOp::Trunc);
        let result = self.resize(offset, width, CastOp::SExt);
        self.set1(inst, result);
    }

    pub(super) fn divide(&mut self, inst: Val, op: BinOp) {
        if self.checks_arithmetic() {
            self.check_division(inst, op);
        }
        self.elementwise(inst, op);
    }

    fn check_division(&mut self, inst: Val, op: BinOp) {
        let lhs = self.used(inst.operand(0));
        let rhs = self.used(inst.operand(1));
        for (a, b) in lhs.into_iter().zip(rhs) {
            if !self.is_nonzero_const(b) {
                let fine = self.is_nonzero(b);
                self.check(fine, CheckKind::DivByZero, "division by zero");
            }
            if matches!(op, BinOp::SDiv | BinOp::SRem) {
                self.check_quotient(a, b);
            }
        }
    }

    fn is_nonzero_const(&self, v: Value) -> bool {
        matches!(self.b.func.as_const(v), Some(Const::Bits(bits)) if !bits.is_zero())
    }

    /// The smallest integer divided by -1.
    fn check_quotient(&mut self, a: Value, b: Value) {
        if matches!(self.b.func.as_const(b), Some(Const::Bits(bits)) if !bits.is_ones()) {
            return;
        }
        let ty = self.ty(a);
        let width = self.bits_of(a);
        let least = self.b.constant(ty, Const::Bits(Bv::min_signed(width)));
        let minus_one = self.b.constant(ty, Const::Bits(Bv::ones(width)));
        let not_least = self.compare(CmpOp::Ne, a, least);
        let not_minus_one = self.compare(CmpOp::Ne, b, minus_one);
        let fine = self.binary(BinOp::Or, not_least, not_minus_one);
        self.check(fine, CheckKind::SignedOverflow, "signed integer overflow in a division");
        // Machines stop at it.
        self.known_if(fine, CheckKind::SignedOverflow);
    }

    pub(super) fn shift(&mut self, inst: Val, op: BinOp) {
        let by_constant = inst.operand(1).kind() == ValueKind::LLVMConstantIntValueKind;
        if self.checks_arithmetic() || !self.model && !self.asks(CheckKind::Shift) {
            self.check_shift(inst);
        }
        let lhs = if by_constant { self.get(inst.operand(0)) } else { self.used(inst.operand(0)) };
        let rhs = self.used(inst.operand(1));
        let parts = lhs.into_iter().zip(rhs).map(|(a, b)| self.binary(op, a, b)).collect();
        self.set(inst, parts);
        if by_constant {
            self.copy_shadow(inst);
        }
    }

    fn check_shift(&mut self, inst: Val) {
        for amount in self.used(inst.operand(1)) {
            let width = self.bits_of(amount);
            if matches!(self.b.func.as_const(amount), Some(Const::Bits(b)) if b.to_u64().is_some_and(|n| n < u64::from(width)))
            {
                continue;
            }
            let limit = self.b.int(width, u64::from(width));
            let fine = self.compare(CmpOp::Ult, amount, limit);
            self.check(fine, CheckKind::Shift, "shift by too much");
        }
    }

    pub(super) fn bitwise(&mut self, inst: Val, op: BinOp) {
        let lhs = self.get(inst.operand(0));
        let rhs = self.get(inst.operand(1));
        let parts = lhs.into_iter().zip(rhs).map(|(a, b)| self.binary(op, a, b)).collect();
        self.set(inst, parts);
        self.copy_shadow(inst);
    }

    pub(super) fn int_cast(&mut self, inst: Val, op: CastOp) {
        let widths = self.part_widths(inst);
        let args = self.get(inst.operand(0));
        let parts = args.into_iter().zip(widths).map(|(a, w)| self.resize(a, w, op)).collect();
        self.set(inst, parts);
        self.copy_shadow(inst);
    }

    /// A conversion that needs the value.
    pub(super) fn value_cast(&mut self, inst: Val, op: CastOp) {
        let args = self.used(inst.operand(0));
        let types: Vec<Type> =
            types::parts(inst.ty(), self.layout()).unwrap_or_default().into_iter().map(|p| p.ty).collect();
        let parts = args
            .into_iter()
            .zip(types)
            .map(|(arg, ty)| if self.ty(arg) == ty { arg } else { self.emit(Inst::Cast { op, arg }, ty) })
            .collect();
        self.set(inst, parts);
    }

    pub(super) fn icmp(&mut self, inst: Val) {
        let op = int_compare(inst.int_predicate());
        let lhs = self.used(inst.operand(0));
        let rhs = self.used(inst.operand(1));
        let parts = lhs.into_iter().zip(rhs).map(|(a, b)| self.compare_any(op, a, b)).collect();
        self.set(inst, parts);
    }

    fn compare_any(&mut self, op: CmpOp, a: Value, b: Value) -> Value {
        let by_order = !matches!(op, CmpOp::Eq | CmpOp::Ne);
        if self.ty(a) != Type::Ptr || !by_order {
            return self.compare(op, a, b);
        }
        let (a, b) = (self.ordered_address(a), self.ordered_address(b));
        self.compare(op, a, b)
    }

    /// An address as a number that orders pointers into one object by their signed offsets.
    fn ordered_address(&mut self, p: Value) -> Value {
        let bits = self.as_int(p);
        let sign = self.word(1 << (self.shared.target.offset_bits() - 1));
        self.binary(BinOp::Xor, bits, sign)
    }
}

fn is_address(v: Val) -> bool {
    match v.kind() {
        ValueKind::LLVMInstructionValueKind => v.opcode() == Opcode::LLVMPtrToInt,
        ValueKind::LLVMConstantExprValueKind => v.const_opcode() == Opcode::LLVMPtrToInt,
        _ => false,
    }
}

fn int_compare(p: IntPredicate) -> CmpOp {
    match p {
        IntPredicate::LLVMIntEQ => CmpOp::Eq,
        IntPredicate::LLVMIntNE => CmpOp::Ne,
        IntPredicate::LLVMIntUGT => CmpOp::Ugt,
        IntPredicate::LLVMIntUGE => CmpOp::Uge,
        IntPredicate::LLVMIntULT => CmpOp::Ult,
        IntPredicate::LLVMIntULE => CmpOp::Ule,
        IntPredicate::LLVMIntSGT => CmpOp::Sgt,
        IntPredicate::LLVMIntSGE => CmpOp::Sge,
        IntPredicate::LLVMIntSLT => CmpOp::Slt,
        IntPredicate::LLVMIntSLE => CmpOp::Sle,
    }
}
