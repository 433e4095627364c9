//! Structs, arrays and vectors as lists of parts; casts between vectors and integers.

use super::Lowering;
use crate::constants::int_bits;
use crate::llvm::{Ty, TypeKind, Val, ValueKind};
use crate::types;
use blitz_ir::{BinOp, CastOp, CmpOp, Type, Value};

impl Lowering<'_> {
    pub(super) fn extract_value(&mut self, inst: Val) {
        let from = inst.operand(0);
        let (first, count) = types::select_parts(from.ty(), &inst.indices());
        self.take_parts(inst, from, first, count);
    }

    fn take_parts(&mut self, inst: Val, from: Val, first: usize, count: usize) {
        let parts = self.get(from);
        let taken = parts.get(first..first + count).map(<[Value]>::to_vec).unwrap_or_default();
        self.set(inst, taken.into());
        if let Some(shadows) = self.shadows_of(from) {
            let taken = shadows.get(first..first + count).map(<[_]>::to_vec).unwrap_or_default();
            self.set_shadows(inst, taken.into());
        }
    }

    pub(super) fn insert_value(&mut self, inst: Val) {
        let (first, count) = types::select_parts(inst.operand(0).ty(), &inst.indices());
        self.put_parts(inst, inst.operand(0), inst.operand(1), first, count);
    }

    fn put_parts(&mut self, inst: Val, into: Val, what: Val, first: usize, count: usize) {
        let mut parts = self.get(into);
        let new = self.get(what);
        if first + count > parts.len() || count != new.len() {
            return self.refuse(inst, "aggregate of an unknown type");
        }
        parts[first..first + count].copy_from_slice(&new);
        if self.tracks() {
            let mut shadows = self.shadows_of(into).unwrap_or_else(|| vec![None; parts.len()].into());
            let fresh = self.shadows_of(what).unwrap_or_else(|| vec![None; count].into());
            shadows[first..first + count].copy_from_slice(&fresh);
            self.set_shadows(inst, shadows);
        }
        self.set(inst, parts);
    }

    pub(super) fn extract_element(&mut self, inst: Val) {
        let (vector, index) = (inst.operand(0), inst.operand(1));
        match constant_index(index, vector.ty()) {
            Some(i) => self.take_parts(inst, vector, i, 1),
            None => {
                let parts = self.used(vector);
                let index = self.used1(index);
                let mut picked = self.first_of(&parts);
                for (i, &part) in parts.iter().enumerate().skip(1) {
                    let hit = self.is_index(index, i);
                    picked = self.select(hit, part, picked);
                }
                self.set1(inst, picked);
            }
        }
    }

    fn is_index(&mut self, index: Value, i: usize) -> Value {
        let width = self.bits_of(index);
        let i = self.b.int(width, i as u64);
        self.compare(CmpOp::Eq, index, i)
    }

    pub(super) fn insert_element(&mut self, inst: Val) {
        let (vector, what, index) = (inst.operand(0), inst.operand(1), inst.operand(2));
        match constant_index(index, vector.ty()) {
            Some(i) => self.put_parts(inst, vector, what, i, 1),
            None => {
                let parts = self.used(vector);
                let new = self.used1(what);
                let index = self.used1(index);
                let out = parts
                    .into_iter()
                    .enumerate()
                    .map(|(i, part)| {
                        let hit = self.is_index(index, i);
                        self.select(hit, new, part)
                    })
                    .collect();
                self.set(inst, out);
            }
        }
    }

    pub(super) fn shuffle(&mut self, inst: Val) {
        let (a, b) = (inst.operand(0), inst.operand(1));
        let mut parts = self.get(a);
        let first_len = parts.len();
        parts.extend(self.get(b));
        let mut shadows = self.shadows_of(a).unwrap_or_else(|| vec![None; first_len].into());
        shadows.extend(self.shadows_of(b).unwrap_or_else(|| vec![None; parts.len() - first_len].into()));
        let element = types::scalar(inst.ty().element()).unwrap_or(Type::I8);
        let mut out = Vec::new();
        let mut out_shadows = Vec::new();
        for index in inst.shuffle_mask() {
            let chosen = usize::try_from(index).ok().and_then(|i| Some((*parts.get(i)?, shadows[i])));
            let (part, shadow) = chosen.unwrap_or_else(|| (self.undef(element), None));
            out.push(part);
            out_shadows.push(shadow);
        }
        self.set(inst, out.into());
        if self.tracks() {
            self.set_shadows(inst, out_shadows.into());
        }
    }

    pub(super) fn bit_cast(&mut self, inst: Val) {
        let from = inst.operand(0);
        let types: Vec<Type> = self.part_types(inst.ty());
        let args = self.get(from);
        let out = self.recast(&args, &types);
        self.set(inst, out.into());
        if self.shadows_of(from).is_some() {
            let shadows = self.full_shadows(from, &args);
            let widths: Vec<Type> = types.iter().map(|t| Type::Int(t.bits(self.word_bits()))).collect();
            let out = self.recast(&shadows, &widths).into_iter().map(Some).collect();
            self.set_shadows(inst, out);
        }
    }

    pub(super) fn part_types(&self, ty: Ty) -> Vec<Type> {
        types::parts(ty, self.layout()).unwrap_or_default().into_iter().map(|p| p.ty).collect()
    }

    /// The same bits divided differently.
    fn recast(&mut self, args: &[Value], types: &[Type]) -> Vec<Value> {
        if args.len() == types.len() {
            return args.iter().zip(types).map(|(&a, &t)| self.bitcast(a, t)).collect();
        }
        let whole = self.join(args);
        self.split(whole, types)
    }

    /// All bits of the parts in one integer, the first lowest.
    pub(super) fn join(&mut self, parts: &[Value]) -> Value {
        let total: u32 = parts.iter().map(|&p| u32::from(self.bits_of(p))).sum();
        let Ok(total) = u16::try_from(total.max(1)) else {
            return self.unsupported_value("a vector of more than 65535 bits");
        };
        let mut whole = self.b.int(total, 0);
        let mut at = 0;
        for &part in parts {
            let bits = self.as_int(part);
            let width = self.bits_of(bits);
            let wide = self.resize(bits, total, CastOp::ZExt);
            let moved = self.shift_by(BinOp::Shl, wide, at);
            whole = if at == 0 { moved } else { self.binary(BinOp::Or, whole, moved) };
            at += width;
        }
        whole
    }

    /// The bits of an integer divided into parts, the lowest first.
    pub(super) fn split(&mut self, whole: Value, types: &[Type]) -> Vec<Value> {
        let mut at = 0;
        types
            .iter()
            .map(|&ty| {
                let width = ty.bits(self.word_bits());
                let moved = self.shift_by(BinOp::LShr, whole, at);
                at += width;
                let cut = self.resize(moved, width, CastOp::ZExt);
                self.bitcast(cut, ty)
            })
            .collect()
    }

    fn shift_by(&mut self, op: BinOp, v: Value, by: u16) -> Value {
        if by == 0 {
            return v;
        }
        let width = self.bits_of(v);
        let by = self.b.int(width, u64::from(by));
        self.binary(op, v, by)
    }
}

fn constant_index(index: Val, vector: Ty) -> Option<usize> {
    if index.kind() != ValueKind::LLVMConstantIntValueKind || vector.kind() != TypeKind::LLVMVectorTypeKind {
        return None;
    }
    let i = usize::try_from(int_bits(index)?.to_u64()?).ok()?;
    (i < usize::try_from(vector.count()).ok()?).then_some(i)
}
