//! Memory: slots, loads, stores, address computation, atomics (as plain accesses: there is one thread).

use super::Lowering;
use super::flow::{must_be_defined, slot_of_load};
use crate::constants::int_bits;
use crate::llvm::{Bb, Opcode, RmwOp, Ty, TypeKind, Val, ValueKind};
use crate::symbols::declared_variable;
use crate::types::{self, Part};
use blitz_base::Bv;
use blitz_ir::{
    AccessKind, BinOp, Builtin, CastOp, CmpOp, Const, Extent, InputName, Inst, Type, Value, ValueDef, Var, VarInfo,
};
use rustc_hash::FxHashMap;

/// The most bytes of one object on the stack.
const LARGEST_SLOT: u64 = 1 << 30;
const LARGEST_SLOT_32: u64 = 1 << 16;

impl Lowering<'_> {
    /// Finds the variables of slots, the slots with a lifetime, and those that only carry the result.
    pub(super) fn look_at_slots(&mut self, order: &[Bb]) {
        let mut arguments: FxHashMap<Val, u32> = FxHashMap::default();
        let mut declared = Vec::new();
        for inst in order.iter().flat_map(|bb| bb.instructions()) {
            match inst.opcode() {
                Opcode::LLVMStore => {
                    if let Some(n) = self.argument_position(inst.operand(0)) {
                        arguments.entry(inst.operand(1)).or_insert(n);
                    }
                }
                Opcode::LLVMCall => {
                    if let Some(found) = declared_variable(&self.shared.session, inst) {
                        declared.push(found);
                    } else if is_call_of(inst, "llvm.lifetime.start.p0") {
                        self.scoped.extend(inst.args().last().copied());
                    }
                }
                Opcode::LLVMRet => {
                    let value = inst.operands().next().filter(|&v| must_be_defined(v));
                    if let Some(slot) = value.and_then(slot_of_load) {
                        self.return_slots.insert(slot);
                    }
                }
                _ => {}
            }
        }
        for (slot, var) in declared {
            self.return_slots.remove(&slot);
            let param = arguments.get(&slot).copied().or_else(|| self.argument_position(slot));
            self.declare(slot, var, param);
        }
    }

    fn argument_position(&self, v: Val) -> Option<u32> {
        if v.kind() != ValueKind::LLVMArgumentValueKind {
            return None;
        }
        let crate::symbols::Origin::Defined(func) = self.shared.symbols.origins[self.id.index()] else { return None };
        func.params().iter().position(|&p| p == v).map(|n| n as u32)
    }

    fn declare(&mut self, slot: Val, var: crate::llvm::Md, param: Option<u32>) {
        if self.slot_vars.contains_key(&slot) {
            return;
        }
        if let Some(id) = self.new_var(var, param) {
            let declared = var.operands(&self.shared.session).get(3).copied().flatten();
            self.slot_types.extend(declared.map(|ty| (slot, ty)));
            self.slot_vars.insert(slot, id);
        }
    }

    pub(super) fn new_var(&mut self, var: crate::llvm::Md, param: Option<u32>) -> Option<Var> {
        let shared = &mut *self.shared;
        let local = shared.symbols.debug.local(&shared.session, var)?;
        let id = Var::new(self.b.func.vars.len());
        let (name, ty) = (local.name, local.ty);
        self.b.func.vars.push(VarInfo { name, ty, loc: local.loc, format: local.format, param });
        Some(id)
    }

    pub(super) fn constant_slot_size(&self, alloca: Val) -> Option<u64> {
        let count = alloca.operand(0);
        if count.kind() != ValueKind::LLVMConstantIntValueKind {
            return None;
        }
        self.layout().size(alloca.allocated_type()).checked_mul(int_bits(count)?.to_u64()?)
    }

    pub(super) fn alloca(&mut self, inst: Val) {
        let size = match self.constant_slot_size(inst) {
            Some(bytes) => self.word(bytes),
            None => {
                let count = self.used1(inst.operand(0));
                let count = self.resize(count, self.word_bits(), CastOp::ZExt);
                let each = self.layout().size(inst.allocated_type());
                self.assume_stack(count, each);
                let each = self.word(each);
                self.binary(BinOp::Mul, count, each)
            }
        };
        let align = inst.alignment().max(1);
        let var = self.slot_vars.get(&inst).copied();
        let lives = !self.scoped.contains(&inst);
        let ptr = self.emit(Inst::Alloca { size, align, var, lives }, Type::Ptr);
        self.set1(inst, ptr);
        self.note_made(Some(inst), ptr);
        if lives {
            self.unset_slot(inst);
        }
    }

    /// A program that asks for more stack than there can be ends; nobody sees what it would do next.
    fn assume_stack(&mut self, count: Value, each: u64) {
        let largest = if self.word_bits() == 64 { LARGEST_SLOT } else { LARGEST_SLOT_32 };
        let most = self.word(largest / each.max(1));
        let cond = self.compare(CmpOp::Ule, count, most);
        self.emit0(Inst::Assume { cond });
    }

    /// The slot holds anything from here on, where that is not what is looked for.
    pub(super) fn unset_slot(&mut self, slot: Val) {
        if self.model || !self.shared.unset_inputs {
            return;
        }
        let ptr = self.get1(slot);
        let len = match self.constant_slot_size(slot) {
            Some(bytes) => self.word(bytes),
            None => self.emit(Inst::Builtin { op: Builtin::ObjectSize, args: vec![ptr] }, self.word_type()),
        };
        let var = self.slot_vars.get(&slot).map(|v| self.b.func.vars[v.index()].name.clone());
        self.unset(ptr, len, var.as_deref().unwrap_or("value"));
    }

    pub(super) fn unset(&mut self, ptr: Value, len: Value, what: &str) {
        if self.shared.unset_inputs {
            self.emit0(Inst::InputBytes { ptr, len, name: InputName::unset(what) });
        }
    }

    pub(super) fn load(&mut self, inst: Val) {
        let at = inst.operand(0);
        let ty = inst.ty();
        let ptr = self.used1(at);
        let Some(parts) = types::parts(ty, self.layout()) else {
            return self.refuse(inst, &format!("load {}", super::short(&inst.print())));
        };
        self.share_load(inst, ptr, ty);
        self.guard_bytes(at, ptr, self.store_bytes(ty), AccessKind::Read);
        if types::is_bit_vector(ty, self.layout()) {
            let packed = Type::Int(self.layout().bits(ty) as u16);
            let whole = self.emit(Inst::Load { ptr }, packed);
            let types: Vec<Type> = parts.iter().map(|p| p.ty).collect();
            let parts = self.split(whole, &types);
            return self.set(inst, parts.into());
        }
        let values = parts.iter().map(|p| self.load_part(ptr, *p)).collect();
        self.set(inst, values);
        if self.tracks() {
            let shadows = parts.iter().map(|p| Some(self.load_shadow(ptr, *p))).collect();
            self.set_shadows(inst, shadows);
        }
    }

    pub(super) fn store_bytes(&self, ty: Ty) -> u64 {
        self.layout().bits(ty).div_ceil(8)
    }

    fn load_part(&mut self, ptr: Value, part: Part) -> Value {
        let ptr = self.offset_by(ptr, part.offset as i64);
        self.emit(Inst::Load { ptr }, part.ty)
    }

    fn load_shadow(&mut self, ptr: Value, part: Part) -> Value {
        let ptr = self.offset_by(ptr, part.offset as i64);
        let width = part.ty.bits(self.word_bits());
        self.emit(Inst::LoadShadow { ptr }, Type::Int(width))
    }

    pub(super) fn store(&mut self, inst: Val) {
        let (what, at) = (inst.operand(0), inst.operand(1));
        let ty = what.ty();
        if self.return_slots.contains(&at) {
            self.check_defined(what);
        }
        let values = self.get(what);
        let ptr = self.used1(at);
        let Some(parts) = types::parts(ty, self.layout()) else {
            return self.unsupported(&format!("store {}", super::short(&inst.print())));
        };
        self.share_store(inst, ptr, ty);
        self.guard_bytes(at, ptr, self.store_bytes(ty), AccessKind::Write);
        self.may_store(at, ptr, self.store_bytes(ty));
        if types::is_bit_vector(ty, self.layout()) {
            let value = self.join(&values);
            return self.emit0(Inst::Store { ptr, value });
        }
        let shadows = self.shadows_of(what).unwrap_or_default();
        for (i, (part, &value)) in parts.iter().zip(&values).enumerate() {
            let ptr = self.offset_by(ptr, part.offset as i64);
            self.emit0(Inst::Store { ptr, value });
            if let Some(shadow) = shadows.get(i).copied().flatten() {
                self.emit0(Inst::StoreShadow { ptr, shadow });
            }
        }
    }

    /// Address computation: one addition for each member or array that is gone into, which says its extent.
    pub(super) fn gep(&mut self, inst: Val) {
        if inst.ty().kind() != TypeKind::LLVMPointerTypeKind {
            return self.refuse(inst, "address computation on vectors");
        }
        let mut ptr = self.used1(inst.operand(0));
        let mut ty = inst.gep_element();
        for (n, index) in inst.operands().skip(1).enumerate() {
            if n == 0 {
                ptr = self.element(ptr, index, ty, None);
            } else if ty.kind() == TypeKind::LLVMStructTypeKind {
                let field = index.int_bits() as u32;
                let (start, whole) = (self.layout().field_offset(ty, field), self.layout().size(ty));
                ty = ty.field(field);
                ptr = self.member(ptr, start, ty, whole);
            } else {
                let size = ty.count().wrapping_mul(self.layout().size(ty.element()));
                ty = ty.element();
                ptr = self.element(ptr, index, ty, extent(0, size));
            }
        }
        self.set1(inst, ptr);
    }

    /// The address of a member that begins `start` bytes after a struct of `whole` bytes does.
    fn member(&mut self, base: Value, start: u64, ty: Ty, whole: u64) -> Value {
        let size = self.layout().size(ty);
        let nested = matches!(ty.kind(), TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind);
        if start == 0 && (!nested || size == whole) {
            return base;
        }
        self.moved_into(base, start as i64, extent(start, size))
    }

    /// The address of an element `index` times the size of `ty` bytes on.
    fn element(&mut self, base: Value, index: Val, ty: Ty, extent: Option<Extent>) -> Value {
        let stride = self.layout().size(ty);
        if index.kind() == ValueKind::LLVMConstantIntValueKind {
            let index = int_bits(index).and_then(|b| b.to_i64()).unwrap_or(0);
            let known = extent.is_some_and(|e| self.is_extent(base, u64::from(e.size)));
            return self.moved_into(base, index.wrapping_mul(stride as i64), extent.filter(|_| index != 0 || !known));
        }
        let offset = self.scaled_index(index, stride);
        // A number of bytes behind null, written like that, is the number as a pointer: GNU's obstacks align addresses so.
        match self.b.func.as_const(base) {
            Some(Const::Null) => self.bitcast(offset, Type::Ptr),
            Some(_) | None => self.emit(Inst::PtrAdd { base, offset, extent }, Type::Ptr),
        }
    }

    /// `base` moved by a constant number of bytes, which may be none, into an extent.
    fn moved_into(&mut self, base: Value, bytes: i64, extent: Option<Extent>) -> Value {
        if extent.is_none() || self.b.func.as_const(base).is_some() {
            return self.offset_by(base, bytes);
        }
        let offset = self.word(bytes as u64);
        self.emit(Inst::PtrAdd { base, offset, extent }, Type::Ptr)
    }

    /// Whether a pointer was made as one to a member or variable of this size.
    fn is_extent(&self, ptr: Value, size: u64) -> bool {
        let func = &self.b.func;
        let ValueDef::Inst(i, _) = func.values[ptr.index()].def else { return false };
        match &func.inst(i).inst {
            Inst::PtrAdd { extent: Some(e), .. } => u64::from(e.size) == size,
            Inst::Alloca { size: own, .. } => {
                matches!(func.as_const(*own), Some(Const::Bits(n)) if n.to_u64() == Some(size))
            }
            _ => false,
        }
    }

    fn scaled_index(&mut self, index: Val, stride: u64) -> Value {
        let index = self.used1(index);
        let index = self.resize(index, self.word_bits(), CastOp::SExt);
        if stride == 1 {
            return index;
        }
        let stride = self.word(stride);
        self.binary(BinOp::Mul, index, stride)
    }

    /// Compare and exchange: stores the new value or the old one again.
    pub(super) fn cmpxchg(&mut self, inst: Val) {
        let at = inst.operand(0);
        let ptr = self.used1(at);
        let expected = self.used1(inst.operand(1));
        let new = self.used1(inst.operand(2));
        let bytes = self.store_bytes(inst.operand(1).ty());
        self.share_exchange(at, ptr, bytes);
        self.guard_bytes(at, ptr, bytes, AccessKind::Write);
        self.may_store(at, ptr, bytes);
        let ty = self.ty(expected);
        let old = self.emit(Inst::Load { ptr }, ty);
        self.check_loaded(ptr, ty);
        let same = self.compare(CmpOp::Eq, old, expected);
        let value = self.select(same, new, old);
        self.emit0(Inst::Store { ptr, value });
        self.set(inst, vec![old, same].into());
    }

    /// Checks that what was just loaded is determinate.
    pub(super) fn check_loaded(&mut self, ptr: Value, ty: Type) {
        if !self.tracks() {
            return;
        }
        let shadow = self.load_shadow(ptr, Part { ty, offset: 0 });
        let defined = self.is_zero(shadow);
        self.check(defined, blitz_ir::CheckKind::Uninitialised, "use of an indeterminate value");
    }

    pub(super) fn atomic_rmw(&mut self, inst: Val) {
        let at = inst.operand(0);
        let ptr = self.used1(at);
        let arg = self.used1(inst.operand(1));
        let ty = self.ty(arg);
        let bytes = self.store_bytes(inst.operand(1).ty());
        self.share_exchange(at, ptr, bytes);
        self.guard_bytes(at, ptr, bytes, AccessKind::Write);
        self.may_store(at, ptr, bytes);
        let old = self.emit(Inst::Load { ptr }, ty);
        let op = inst.rmw_op();
        if !matches!(op, RmwOp::LLVMAtomicRMWBinOpXchg) {
            self.check_loaded(ptr, ty);
        }
        match self.rmw_value(op, old, arg) {
            Some(value) => {
                self.emit0(Inst::Store { ptr, value });
                self.set1(inst, old);
            }
            None => self.refuse(inst, &format!("atomic operation {}", super::short(&inst.print()))),
        }
    }

    fn rmw_value(&mut self, op: RmwOp, old: Value, arg: Value) -> Option<Value> {
        use RmwOp::*;
        let op = match op {
            LLVMAtomicRMWBinOpXchg => return Some(arg),
            LLVMAtomicRMWBinOpNand => {
                let both = self.binary(BinOp::And, old, arg);
                let width = self.bits_of(both);
                let ones = self.b.constant(Type::Int(width), Const::Bits(Bv::ones(width)));
                return Some(self.binary(BinOp::Xor, both, ones));
            }
            LLVMAtomicRMWBinOpAdd => BinOp::Add,
            LLVMAtomicRMWBinOpSub => BinOp::Sub,
            LLVMAtomicRMWBinOpAnd => BinOp::And,
            LLVMAtomicRMWBinOpOr => BinOp::Or,
            LLVMAtomicRMWBinOpXor => BinOp::Xor,
            LLVMAtomicRMWBinOpMax => BinOp::SMax,
            LLVMAtomicRMWBinOpMin => BinOp::SMin,
            LLVMAtomicRMWBinOpUMax => BinOp::UMax,
            LLVMAtomicRMWBinOpUMin => BinOp::UMin,
            LLVMAtomicRMWBinOpFAdd => BinOp::FAdd,
            LLVMAtomicRMWBinOpFSub => BinOp::FSub,
            LLVMAtomicRMWBinOpFMax => BinOp::FMax,
            LLVMAtomicRMWBinOpFMin => BinOp::FMin,
            LLVMAtomicRMWBinOpUIncWrap => return self.wrap_up(old, arg),
            LLVMAtomicRMWBinOpUDecWrap => return self.wrap_down(old, arg),
        };
        Some(self.binary(op, old, arg))
    }
}

impl Lowering<'_> {
    /// `old >= arg ? 0 : old + 1`.
    fn wrap_up(&mut self, old: Value, arg: Value) -> Option<Value> {
        let width = self.bits_of(old);
        let (zero, one) = (self.b.int(width, 0), self.b.int(width, 1));
        let at_end = self.compare(CmpOp::Uge, old, arg);
        let next = self.binary(BinOp::Add, old, one);
        Some(self.select(at_end, zero, next))
    }

    /// `old == 0 || old > arg ? arg : old - 1`.
    fn wrap_down(&mut self, old: Value, arg: Value) -> Option<Value> {
        let width = self.bits_of(old);
        let one = self.b.int(width, 1);
        let at_start = self.is_zero(old);
        let beyond = self.compare(CmpOp::Ugt, old, arg);
        let wraps = self.binary(BinOp::Or, at_start, beyond);
        let next = self.binary(BinOp::Sub, old, one);
        Some(self.select(wraps, arg, next))
    }
}

/// Whether an instruction calls the function of this name.
pub fn is_call_of(inst: Val, name: &str) -> bool {
    let callee = inst.callee();
    callee.kind() == ValueKind::LLVMFunctionValueKind && callee.with_name(|n| n == name)
}

fn extent(start: u64, size: u64) -> Option<Extent> {
    let size = u32::try_from(size).ok().filter(|s| *s > 0)?;
    Some(Extent { start: u32::try_from(start).ok()?, size })
}
