//! Definedness: which bits of a value are indeterminate.
//!
//! A loaded value brings its shadow from memory. Copying (store, phi, select, casts between integers, bitwise
//! operations, shifts by constants) carries the shadow along; any other use checks that it is 0. A part
//! without a shadow is determinate.
//!
//! How shadows travel through calls is in `passed`.

use super::properties::Text;
use super::{Lowering, Shadows};
use crate::llvm::{Opcode, Val, ValueKind};
use crate::types::Parts;
use blitz_base::Bv;
use blitz_ir::{BinOp, CastOp, CheckKind, Const, Inst, Type, Value};

/// Instructions that carry shadows from operands to result.
pub fn only_copies(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::LLVMPHI
            | Opcode::LLVMSelect
            | Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMBitCast
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAShr
            | Opcode::LLVMExtractValue
            | Opcode::LLVMInsertValue
            | Opcode::LLVMExtractElement
            | Opcode::LLVMInsertElement
            | Opcode::LLVMShuffleVector
    )
}

impl Lowering<'_> {
    pub(super) fn tracks(&self) -> bool {
        self.shared.checks.has(CheckKind::Uninitialised)
    }

    /// The shadows of an operand's parts, `None` if all of it is determinate.
    pub(super) fn shadows_of(&mut self, v: Val) -> Option<Shadows> {
        if !self.tracks() {
            return None;
        }
        if let Some(shadows) = self.shadows.get(&v) {
            return Some(shadows.clone());
        }
        if !v.is_constant() {
            return None;
        }
        let parts = self.vague_constant(v)?;
        let shadows = parts
            .into_iter()
            .map(|part| match self.b.func.as_const(part) {
                Some(Const::Undef) => Some(self.all_ones(part)),
                _ => None,
            })
            .collect();
        Some(shadows)
    }

    /// The parts of a constant that may contain something indeterminate.
    fn vague_constant(&mut self, v: Val) -> Option<Parts> {
        matches!(
            v.kind(),
            ValueKind::LLVMUndefValueValueKind
                | ValueKind::LLVMPoisonValueKind
                | ValueKind::LLVMConstantStructValueKind
                | ValueKind::LLVMConstantArrayValueKind
                | ValueKind::LLVMConstantVectorValueKind
        )
        .then(|| self.get(v))
    }

    fn all_ones(&mut self, part: Value) -> Value {
        let width = self.bits_of(part);
        self.b.constant(Type::Int(width), Const::Bits(Bv::ones(width)))
    }

    /// Shadows of all parts, zeros where determinate.
    pub(super) fn full_shadows(&mut self, v: Val, parts: &[Value]) -> Vec<Value> {
        let shadows = self.shadows_of(v).unwrap_or_default();
        parts
            .iter()
            .enumerate()
            .map(|(i, &part)| match shadows.get(i).copied().flatten() {
                Some(s) => s,
                None => {
                    let width = self.bits_of(part);
                    self.b.int(width, 0)
                }
            })
            .collect()
    }

    pub(super) fn set_shadows(&mut self, v: Val, shadows: Shadows) {
        if shadows.iter().any(Option::is_some) {
            self.shadows.insert(v, shadows);
        }
    }

    /// A use that needs the value: checks that it is determinate.
    pub(super) fn check_defined(&mut self, v: Val) {
        let Some(shadows) = self.shadows_of(v) else { return };
        if !v.is_constant() && !self.checked.insert(v) {
            return;
        }
        let conds: Vec<Value> = shadows.into_iter().flatten().map(|s| self.is_zero_bits(s)).collect();
        let Some(cond) = conds.into_iter().reduce(|a, b| self.binary(BinOp::And, a, b)) else { return };
        self.check(cond, CheckKind::Uninitialised, Text::Use(v));
    }

    fn is_zero_bits(&mut self, shadow: Value) -> Value {
        match self.b.func.as_const(shadow) {
            Some(Const::Bits(bits)) => {
                let zero = u64::from(bits.is_zero());
                self.b.int(1, zero)
            }
            _ => self.is_zero(shadow),
        }
    }

    /// Carries shadows from the operands of a copying instruction to its result.
    pub(super) fn copy_shadow(&mut self, inst: Val) {
        if !self.tracks() {
            return;
        }
        match inst.opcode() {
            Opcode::LLVMTrunc => self.cast_shadow(inst, CastOp::Trunc),
            Opcode::LLVMZExt => self.cast_shadow(inst, CastOp::ZExt),
            Opcode::LLVMSExt => self.cast_shadow(inst, CastOp::SExt),
            Opcode::LLVMAnd | Opcode::LLVMOr | Opcode::LLVMXor => self.bitwise_shadow(inst),
            Opcode::LLVMShl => self.shift_shadow(inst, BinOp::Shl),
            Opcode::LLVMLShr => self.shift_shadow(inst, BinOp::LShr),
            Opcode::LLVMAShr => self.shift_shadow(inst, BinOp::AShr),
            _ => {}
        }
    }

    fn cast_shadow(&mut self, inst: Val, op: CastOp) {
        let Some(shadows) = self.shadows_of(inst.operand(0)) else { return };
        let parts = self.get(inst);
        let widths: Vec<u16> = parts.iter().map(|&p| self.bits_of(p)).collect();
        let out = shadows.into_iter().zip(widths).map(|(s, w)| s.map(|s| self.resize(s, w, op))).collect();
        self.set_shadows(inst, out);
    }

    /// `and`: indeterminate unless the other operand is a determinate 0 there; `or`: likewise with 1; `xor`: either.
    fn bitwise_shadow(&mut self, inst: Val) {
        let (a, b) = (inst.operand(0), inst.operand(1));
        if self.shadows_of(a).is_none() && self.shadows_of(b).is_none() {
            return;
        }
        let (va, vb) = (self.get(a), self.get(b));
        let (sa, sb) = (self.full_shadows(a, &va), self.full_shadows(b, &vb));
        let op = inst.opcode();
        let out = (0..va.len().min(vb.len()))
            .map(|i| {
                let either = self.or_bits(sa[i], sb[i]);
                let either = match op {
                    Opcode::LLVMXor => either,
                    _ => {
                        let reach_a = self.passes(op, vb[i], sb[i]);
                        let reach_b = self.passes(op, va[i], sa[i]);
                        let both = self.binary(BinOp::And, reach_a, reach_b);
                        self.binary(BinOp::And, either, both)
                    }
                };
                Some(either)
            })
            .collect();
        self.set_shadows(inst, out);
    }

    fn or_bits(&mut self, a: Value, b: Value) -> Value {
        let is_zero = |l: &Self, v| matches!(l.b.func.as_const(v), Some(Const::Bits(bits)) if bits.is_zero());
        if is_zero(self, a) {
            b
        } else if is_zero(self, b) {
            a
        } else {
            self.binary(BinOp::Or, a, b)
        }
    }

    /// Bits where this operand lets the other one through: not a determinate 0 (`and`) or 1 (`or`).
    fn passes(&mut self, op: Opcode, value: Value, shadow: Value) -> Value {
        let ones = self.all_ones(value);
        let through = match op {
            Opcode::LLVMOr => match self.b.func.as_const(value).cloned() {
                Some(Const::Bits(bits)) => self.b.constant(Type::Int(bits.width()), Const::Bits(bits.not())),
                _ => self.binary(BinOp::Xor, value, ones),
            },
            _ => value,
        };
        self.or_bits(through, shadow)
    }

    fn shift_shadow(&mut self, inst: Val, op: BinOp) {
        let Some(shadows) = self.shadows_of(inst.operand(0)) else { return };
        let amounts = self.get(inst.operand(1));
        let out =
            shadows.into_iter().zip(amounts).map(|(s, amount)| s.map(|s| self.emit_shift(op, s, amount))).collect();
        self.set_shadows(inst, out);
    }

    fn emit_shift(&mut self, op: BinOp, s: Value, amount: Value) -> Value {
        let ty = self.ty(s);
        self.emit(Inst::Binary { op, lhs: s, rhs: amount }, ty)
    }
}
