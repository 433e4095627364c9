//! The dispatch over instructions, and terminators.

use super::Lowering;
use crate::constants::int_bits;
use crate::llvm::{Bb, Opcode, Val, ValueKind};
use crate::types::Parts;
use blitz_base::Bv;
use blitz_ir::{BinOp, CastOp, CheckKind, Terminator, Type};
use rustc_hash::FxHashSet;

impl Lowering<'_> {
    pub(super) fn instruction(&mut self, bb: Bb, inst: Val) {
        use Opcode::*;
        match inst.opcode() {
            LLVMPHI => {}
            LLVMRet => self.ret(inst),
            LLVMBr => self.br(bb, inst),
            LLVMSwitch => self.switch(bb, inst),
            LLVMIndirectBr => self.indirect_br(bb, inst),
            LLVMUnreachable => self.unreachable(bb),
            LLVMAdd => self.arithmetic(inst, BinOp::Add),
            LLVMSub => self.subtract(inst),
            LLVMMul => self.arithmetic(inst, BinOp::Mul),
            LLVMUDiv => self.divide(inst, BinOp::UDiv),
            LLVMSDiv => self.divide(inst, BinOp::SDiv),
            LLVMURem => self.divide(inst, BinOp::URem),
            LLVMSRem => self.divide(inst, BinOp::SRem),
            LLVMShl => self.shift(inst, BinOp::Shl),
            LLVMLShr => self.shift(inst, BinOp::LShr),
            LLVMAShr => self.shift(inst, BinOp::AShr),
            LLVMAnd => self.bitwise(inst, BinOp::And),
            LLVMOr => self.bitwise(inst, BinOp::Or),
            LLVMXor => self.bitwise(inst, BinOp::Xor),
            LLVMFAdd => self.elementwise(inst, BinOp::FAdd),
            LLVMFSub => self.elementwise(inst, BinOp::FSub),
            LLVMFMul => self.elementwise(inst, BinOp::FMul),
            LLVMFDiv => self.elementwise(inst, BinOp::FDiv),
            LLVMFRem => self.elementwise(inst, BinOp::FRem),
            LLVMFNeg => self.fneg(inst),
            LLVMICmp => self.icmp(inst),
            LLVMFCmp => self.fcmp(inst),
            LLVMTrunc => self.int_cast(inst, CastOp::Trunc),
            LLVMZExt => self.int_cast(inst, CastOp::ZExt),
            LLVMSExt => self.int_cast(inst, CastOp::SExt),
            LLVMFPToUI => self.value_cast(inst, CastOp::FToUi),
            LLVMFPToSI => self.value_cast(inst, CastOp::FToSi),
            LLVMUIToFP => self.value_cast(inst, CastOp::UiToF),
            LLVMSIToFP => self.value_cast(inst, CastOp::SiToF),
            LLVMFPTrunc | LLVMFPExt => self.value_cast(inst, CastOp::FToF),
            LLVMPtrToInt => self.ptr_to_int(inst),
            LLVMIntToPtr => self.int_to_ptr(inst),
            LLVMBitCast | LLVMAddrSpaceCast => self.bit_cast(inst),
            LLVMSelect => self.select_inst(inst),
            LLVMFreeze => self.freeze(inst),
            LLVMExtractValue => self.extract_value(inst),
            LLVMInsertValue => self.insert_value(inst),
            LLVMExtractElement => self.extract_element(inst),
            LLVMInsertElement => self.insert_element(inst),
            LLVMShuffleVector => self.shuffle(inst),
            LLVMAlloca => self.alloca(inst),
            LLVMLoad => self.load(inst),
            LLVMStore => self.store(inst),
            LLVMGetElementPtr => self.gep(inst),
            LLVMFence => {}
            LLVMAtomicCmpXchg => self.cmpxchg(inst),
            LLVMAtomicRMW => self.atomic_rmw(inst),
            LLVMVAArg => self.va_arg(inst),
            LLVMCall => self.call(inst),
            LLVMInvoke | LLVMCallBr | LLVMLandingPad | LLVMResume | LLVMCleanupRet | LLVMCatchRet | LLVMCatchPad
            | LLVMCleanupPad | LLVMCatchSwitch | LLVMUserOp1 | LLVMUserOp2 => self.refuse_flow(inst),
        }
    }

    /// Instructions that C does not have (exceptions, `asm goto`); some of them end their block.
    fn refuse_flow(&mut self, inst: Val) {
        let what = format!("instruction {}", super::short(&inst.print()));
        self.refuse(inst, &what);
        if !inst.successors().is_empty() || inst.parent().terminator() == Some(inst) {
            self.end(Terminator::Unreachable);
        }
    }

    fn ret(&mut self, inst: Val) {
        let value = inst.operands().next();
        let (mut values, checked) = match value {
            None => (Parts::new(), true),
            Some(v) if self.is_return_slot_load(v) => (self.get(v), true),
            Some(v) if must_be_defined(v) => (self.used(v), true),
            Some(v) => (self.get(v), false),
        };
        let shadows = self.returned_shadows(value, &values, checked);
        values.extend(shadows);
        if self.is_atomic_section() {
            self.atomic_end();
        }
        self.end(Terminator::Return { values: values.into_vec() });
    }

    /// The value of `return` statements was checked where they stand; running off the end is allowed in C.
    fn is_return_slot_load(&self, v: Val) -> bool {
        slot_of_load(v).is_some_and(|slot| self.return_slots.contains(&slot))
    }

    fn br(&mut self, bb: Bb, inst: Val) {
        let to = inst.successors();
        if !inst.is_conditional() {
            let (to, args) = self.edge(bb, to[0]);
            return self.end(Terminator::Jump { to, args });
        }
        if let Some(guard) = self.guard_of(inst) {
            self.guarded(inst.condition(), &guard);
            let (to, args) = self.edge(bb, guard.go_on);
            return self.end(Terminator::Jump { to, args });
        }
        let cond = self.used1(inst.condition());
        let then = self.edge(bb, to[0]);
        let other = self.edge(bb, to[1]);
        self.end(Terminator::Branch { cond, then, other });
    }

    fn switch(&mut self, bb: Bb, inst: Val) {
        let value = self.used1(inst.operand(0));
        let to = inst.successors();
        let default = self.edge(bb, to[0]);
        // Operands: value, default, then constant and block in turn.
        let mut cases = Vec::new();
        for (n, &target) in to.iter().enumerate().skip(1) {
            let Some(bits) = int_bits(inst.operand(2 * n as u32)) else { continue };
            let (block, args) = self.edge(bb, target);
            cases.push((bits, block, args));
        }
        self.end(Terminator::Switch { value, cases, default });
    }

    /// A switch over the numbers that stand for the addresses of blocks: one more than their position.
    fn indirect_br(&mut self, bb: Bb, inst: Val) {
        let address = self.used1(inst.operand(0));
        let value = self.as_int(address);
        let width = self.word_bits();
        let crate::symbols::Origin::Defined(func) = self.shared.symbols.origins[self.id.index()] else { return };
        let all = func.blocks();
        let mut seen = FxHashSet::default();
        let mut cases = Vec::new();
        for target in inst.successors() {
            let Some(index) = all.iter().position(|&b| b == target) else { continue };
            if seen.insert(index) {
                let (block, args) = self.edge(bb, target);
                cases.push((Bv::from_u64(width, index as u64 + 1), block, args));
            }
        }
        let nowhere = self.b.block();
        self.end(Terminator::Switch { value, cases, default: (nowhere, Vec::new()) });
        self.cur = nowhere;
        self.violated(CheckKind::NullDeref, "jump to what is no label");
        self.end(Terminator::Unreachable);
    }

    /// Reached without a call that does not return in front: the program says that it can't be.
    fn unreachable(&mut self, bb: Bb) {
        let before = bb.instructions().into_iter().rev().nth(1);
        let after_call = before.is_some_and(|i| i.opcode() == Opcode::LLVMCall && self.is_noreturn(i));
        if !after_call {
            self.violated(CheckKind::Unreachable, "unreachable code is reached");
        }
        self.end(Terminator::Unreachable);
    }

    pub(super) fn is_noreturn(&self, call: Val) -> bool {
        const FUNCTION: u32 = u32::MAX;
        let attribute = self.shared.attributes.noreturn;
        if call.call_has_attribute(FUNCTION, attribute) {
            return true;
        }
        let callee = call.callee();
        callee.kind() == crate::llvm::ValueKind::LLVMFunctionValueKind && callee.has_attribute(FUNCTION, attribute)
    }

    fn freeze(&mut self, inst: Val) {
        let parts = self.get(inst.operand(0));
        self.set(inst, parts);
    }

    fn select_inst(&mut self, inst: Val) {
        let conds = self.used(inst.operand(0));
        let (a, b) = (inst.operand(1), inst.operand(2));
        let (then, other) = (self.get(a), self.get(b));
        let per_part = conds.len() == then.len();
        let cond = |i: usize| if per_part { conds[i] } else { conds[0] };
        let parts = (0..then.len()).map(|i| self.select(cond(i), then[i], other[i])).collect();
        self.set(inst, parts);
        if self.shadows_of(a).is_some() || self.shadows_of(b).is_some() {
            let (sa, sb) = (self.full_shadows(a, &then), self.full_shadows(b, &other));
            let shadows = (0..then.len()).map(|i| Some(self.select(cond(i), sa[i], sb[i]))).collect();
            self.set_shadows(inst, shadows);
        }
    }

    fn ptr_to_int(&mut self, inst: Val) {
        let widths = self.part_widths(inst);
        let parts = self.get(inst.operand(0));
        let ints: Vec<_> = parts.into_iter().map(|p| self.as_int(p)).collect();
        let out = ints.into_iter().zip(&widths).map(|(p, &w)| self.resize(p, w, CastOp::ZExt)).collect();
        self.set(inst, out);
        self.resize_shadow(inst, &widths);
    }

    fn int_to_ptr(&mut self, inst: Val) {
        let width = self.word_bits();
        let parts = self.get(inst.operand(0));
        let words: Vec<_> = parts.into_iter().map(|p| self.resize(p, width, CastOp::ZExt)).collect();
        let out: Vec<_> = words.into_iter().map(|p| self.bitcast(p, Type::Ptr)).collect();
        let widths = vec![width; out.len()];
        self.set(inst, out.into());
        self.resize_shadow(inst, &widths);
    }

    fn resize_shadow(&mut self, inst: Val, widths: &[u16]) {
        if let Some(shadows) = self.shadows_of(inst.operand(0)) {
            let out =
                shadows.into_iter().zip(widths).map(|(s, &w)| s.map(|s| self.resize(s, w, CastOp::ZExt))).collect();
            self.set_shadows(inst, out);
        }
    }

    /// Bits of each part of an instruction's result.
    pub(super) fn part_widths(&self, inst: Val) -> Vec<u16> {
        let parts = crate::types::parts(inst.ty(), self.layout()).unwrap_or_default();
        parts.into_iter().map(|p| p.ty.bits(self.word_bits())).collect()
    }
}

/// Whether a returned value has to be determinate: a scalar of C has to, the words of a struct (with its padding) don't.
pub fn must_be_defined(v: Val) -> bool {
    let whole = slot_of_load(v).is_none_or(|slot| slot.allocated_type() == v.ty());
    whole && crate::types::scalar(v.ty()).is_some()
}

/// The slot a value was loaded from.
pub fn slot_of_load(v: Val) -> Option<Val> {
    let is = |v: Val, op: Opcode| v.kind() == ValueKind::LLVMInstructionValueKind && v.opcode() == op;
    (is(v, Opcode::LLVMLoad) && is(v.operand(0), Opcode::LLVMAlloca)).then(|| v.operand(0))
}
