//! Variable arguments: how calls pack them and how `va_list` reads them back.
//!
//! The caller's variable arguments lie one after the other in an object, in slots of pointer size; the callee
//! gets its address as a hidden last parameter. On x86-64 `va_start` says that all registers are used up, so
//! that the code clang made for `va_arg` reads from the overflow area, which is that object.

use super::Lowering;
use crate::llvm::{Opcode, Ty, TypeKind, Val, ValueKind};
use crate::types;
use blitz_ir::{AccessKind, BinOp, CastOp, FloatKind, Inst, Type, Value};

/// Arguments being packed, and the bytes they take so far.
#[derive(Default)]
pub struct Packing {
    pub args: Vec<Value>,
    bytes: u64,
}

/// On x86-64: `gp_offset` and `fp_offset` past the register save area, then the two areas.
const GP_END: u64 = 48;
const FP_END: u64 = 176;
const OVERFLOW_AREA: i64 = 8;
const SAVE_AREA: i64 = 16;
const VA_LIST_64: u64 = 24;

impl Lowering<'_> {
    fn is_64(&self) -> bool {
        self.word_bits() == 64
    }

    /// Adds one argument: a struct by value is spread over slots, a vector is one integer.
    pub(super) fn pack_variable(&mut self, packing: &mut Packing, ty: Ty, byval: Option<Ty>, parts: &[Value]) {
        if let Some(ty) = byval {
            return self.pack_struct(packing, ty, parts[0]);
        }
        if ty.kind() == TypeKind::LLVMVectorTypeKind {
            let whole = self.join(parts);
            return self.push_variable(packing, whole);
        }
        for &part in parts {
            self.push_variable(packing, part);
        }
    }

    /// clang passes a 128-bit integer as two halves, but reads it back from memory aligned to 16.
    pub(super) fn align_halves(&mut self, packing: &mut Packing, arg: Val) {
        if self.is_64() && is_low_half(arg) && !packing.bytes.is_multiple_of(16) {
            let padding = self.word(0);
            self.push_variable(packing, padding);
        }
    }

    fn push_variable(&mut self, packing: &mut Packing, value: Value) {
        let slot = u64::from(self.word_bits() / 8);
        let bytes = self.ty(value).bytes(self.word_bits());
        if self.is_64() && is_aligned_to_16(self.ty(value)) {
            packing.bytes = packing.bytes.next_multiple_of(16);
        }
        packing.bytes += bytes.next_multiple_of(slot);
        packing.args.push(value);
    }

    /// The words of a struct, padded to its alignment.
    fn pack_struct(&mut self, packing: &mut Packing, ty: Ty, ptr: Value) {
        let slot = u64::from(self.word_bits() / 8);
        if self.is_64() && self.layout().align(ty) >= 16 && !packing.bytes.is_multiple_of(16) {
            let padding = self.word(0);
            self.push_variable(packing, padding);
        }
        let size = self.layout().size(ty);
        let mut at = 0;
        while at < size {
            let word = self.load_word(ptr, at, (size - at).min(slot));
            self.push_variable(packing, word);
            at += slot;
        }
    }

    /// Up to a word of memory, zeros above.
    fn load_word(&mut self, ptr: Value, at: u64, bytes: u64) -> Value {
        let width = self.word_bits();
        if bytes * 8 == u64::from(width) {
            let ptr = self.offset_by(ptr, at as i64);
            return self.emit(Inst::Load { ptr }, Type::Int(width));
        }
        let mut parts = Vec::new();
        let mut done = 0;
        while done < bytes {
            let step = [4, 2, 1].into_iter().find(|s| done + s <= bytes).unwrap_or(1);
            let ptr = self.offset_by(ptr, (at + done) as i64);
            parts.push(self.emit(Inst::Load { ptr }, Type::Int(step as u16 * 8)));
            done += step;
        }
        let joined = self.join(&parts);
        self.resize(joined, width, CastOp::ZExt)
    }

    pub(super) fn va_start(&mut self, inst: Val) {
        let Some(&list) = inst.args().first() else { return };
        let Some(area) = self.variable_args else {
            return self.unsupported("va_start in a function without variable arguments");
        };
        let ptr = self.used1(list);
        self.guard_bytes(list, ptr, self.va_list_bytes(), AccessKind::Write);
        if !self.is_64() {
            return self.emit0(Inst::Store { ptr, value: area });
        }
        let null = self.zero(Type::Ptr);
        let (gp, fp) = (self.b.int(32, GP_END), self.b.int(32, FP_END));
        for (at, value) in [(0, gp), (4, fp), (OVERFLOW_AREA, area), (SAVE_AREA, null)] {
            let ptr = self.offset_by(ptr, at);
            self.emit0(Inst::Store { ptr, value });
        }
    }

    fn va_list_bytes(&self) -> u64 {
        if self.is_64() { VA_LIST_64 } else { 4 }
    }

    pub(super) fn va_copy(&mut self, inst: Val) {
        let args = inst.args();
        let [to, from] = args.as_slice() else { return };
        let (dst, src) = (self.used1(*to), self.used1(*from));
        let bytes = self.va_list_bytes();
        self.guard_bytes(*to, dst, bytes, AccessKind::Write);
        self.guard_bytes(*from, src, bytes, AccessKind::Read);
        let len = self.word(bytes);
        self.emit0(Inst::MemCopy { dst, src, len });
    }

    /// The instruction, which clang leaves for a few types: takes the next slots.
    pub(super) fn va_arg(&mut self, inst: Val) {
        let list = self.used1(inst.operand(0));
        let Some(parts) = types::parts(inst.ty(), self.layout()) else {
            return self.refuse(inst, "va_arg of an unknown type");
        };
        let area = if self.is_64() { self.offset_by(list, OVERFLOW_AREA) } else { list };
        let mut at = self.emit(Inst::Load { ptr: area }, Type::Ptr);
        if self.is_64() && self.layout().align(inst.ty()) >= 16 {
            at = self.align_up(at, 16);
        }
        let values = parts
            .iter()
            .map(|p| {
                let ptr = self.offset_by(at, p.offset as i64);
                self.emit(Inst::Load { ptr }, p.ty)
            })
            .collect();
        let slot = u64::from(self.word_bits() / 8);
        let next = self.offset_by(at, self.layout().size(inst.ty()).next_multiple_of(slot) as i64);
        self.emit0(Inst::Store { ptr: area, value: next });
        self.set(inst, values);
    }

    fn align_up(&mut self, ptr: Value, align: u64) -> Value {
        let bits = self.as_int(ptr);
        let low = self.word(align - 1);
        let mask = self.word(!(align - 1));
        let up = self.binary(BinOp::Add, bits, low);
        let cut = self.binary(BinOp::And, up, mask);
        self.bitcast(cut, Type::Ptr)
    }
}

/// Whether this is the load of the first half of a 128-bit integer on the stack.
fn is_low_half(arg: Val) -> bool {
    let is = |v: Val, opcode| v.kind() == ValueKind::LLVMInstructionValueKind && v.opcode() == opcode;
    if !is(arg, Opcode::LLVMLoad) || !is(arg.operand(0), Opcode::LLVMGetElementPtr) {
        return false;
    }
    let half = arg.operand(0);
    let object = half.operand(0);
    let first = half.operands().skip(1).all(|index| index.int_bits() == 0);
    first && is(object, Opcode::LLVMAlloca) && is_wide(object.allocated_type())
}

fn is_wide(ty: Ty) -> bool {
    ty.kind() == TypeKind::LLVMIntegerTypeKind && ty.int_width() > 64
}

fn is_aligned_to_16(ty: Type) -> bool {
    match ty {
        Type::Float(FloatKind::X87 | FloatKind::Quad) => true,
        Type::Int(width) => width > 64,
        Type::Float(_) | Type::Ptr => false,
    }
}
