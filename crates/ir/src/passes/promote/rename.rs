//! The walk that turns accesses of slots into values.

use super::objects::{Objects, Place, StackObject};
use super::slots::{Layout, ObjectSlots, Slot, VarId, gaps};
use super::ssa::Phis;
use crate::cfg::DomTree;
use crate::channel::InputName;
use crate::func::{Block, Const, Func, FuncBuilder, Value, Var, VarFormat, VarInfo};
use crate::inst::{AccessKind, BinOp, CastOp, CmpOp, Inst, InstId, MemCheck, Terminator};
use crate::passes::Options;
use crate::passes::util::{Subst, bits_constant, const_bits, const_u64};
use crate::property::CheckKind;
use crate::types::Type;
use blitz_base::Bv;
use blitz_base::span::Loc;
use rustc_hash::FxHashMap;

pub fn rename(
    b: &mut FuncBuilder,
    dom: &DomTree,
    objects: &Objects,
    layout: &Layout,
    phis: &Phis,
    options: &Options<'_>,
) {
    let undefined: Vec<Value> = layout.types.iter().map(|&ty| b.constant(ty, Const::Undef)).collect();
    let mut renamer = Renamer {
        b,
        objects,
        layout,
        phis,
        ptr_bits: options.target.ptr_bits,
        current: undefined,
        undo: Vec::new(),
        subst: Subst::default(),
        parts: FxHashMap::default(),
        block: Func::ENTRY,
        loc: Loc::UNKNOWN,
    };
    renamer.add_params();
    renamer.walk(dom);
}

struct Renamer<'a> {
    b: &'a mut FuncBuilder,
    objects: &'a Objects,
    layout: &'a Layout,
    phis: &'a Phis,
    ptr_bits: u16,
    /// By variable.
    current: Vec<Value>,
    /// Values to go back to when the walk leaves a block.
    undo: Vec<(VarId, Value)>,
    subst: Subst,
    /// Variables made for parts of aggregates.
    parts: FxHashMap<(Var, u64), Var>,
    block: Block,
    loc: Loc,
}

enum Step {
    Enter(Block),
    Leave(usize),
}

impl Renamer<'_> {
    fn add_params(&mut self) {
        for (i, vars) in self.phis.iter().enumerate() {
            for &var in vars {
                self.b.block_param(Block::new(i), self.layout.types[var as usize]);
            }
        }
    }

    fn walk(&mut self, dom: &DomTree) {
        let mut steps = vec![Step::Enter(Func::ENTRY)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Leave(mark) => {
                    for (var, value) in self.undo.drain(mark..).rev() {
                        self.current[var as usize] = value;
                    }
                }
                Step::Enter(block) => {
                    steps.push(Step::Leave(self.undo.len()));
                    self.enter(block);
                    steps.extend(dom.children(block).iter().rev().map(|&c| Step::Enter(c)));
                }
            }
        }
    }

    fn enter(&mut self, block: Block) {
        self.block = block;
        let phis = self.phis;
        let params = &self.b.func.block(block).params;
        let first = params.len() - phis[block.index()].len();
        let params = params[first..].to_vec();
        for (&var, v) in phis[block.index()].iter().zip(params) {
            self.set(var, v);
        }
        let insts = std::mem::take(&mut self.b.func.blocks[block.index()].insts);
        for i in insts {
            self.inst(i);
        }
        let mut term = std::mem::replace(&mut self.b.func.blocks[block.index()].term, Terminator::Unreachable);
        term.for_each_operand_mut(|v| *v = self.subst.get(*v));
        term.for_each_edge_mut(|to, args| {
            args.extend(phis[to.index()].iter().map(|&var| self.current[var as usize]));
        });
        self.b.func.blocks[block.index()].term = term;
    }

    fn set(&mut self, var: VarId, value: Value) {
        let old = std::mem::replace(&mut self.current[var as usize], value);
        self.undo.push((var, old));
    }

    fn get(&self, var: VarId) -> Value {
        self.current[var as usize]
    }

    fn keep(&mut self, id: InstId) {
        self.b.func.blocks[self.block.index()].insts.push(id);
    }

    fn emit(&mut self, inst: Inst, ty: Type) -> Value {
        self.b.push1(self.block, inst, ty, self.loc)
    }

    fn find(&self, ptr: Value) -> Option<(Place, &'_ ObjectSlots)> {
        let place = self.objects.private(ptr)?;
        Some((place, self.layout.of(place.object)?))
    }

    fn slot(&self, ptr: Value) -> Option<(Place, Slot)> {
        self.find(ptr).map(|(p, o)| (p, *o.at(p.offset as u64)))
    }

    fn inst(&mut self, id: InstId) {
        self.loc = self.b.func.inst(id).loc;
        // Addresses of promoted objects are only used where they are recognised below; other operands are values.
        let data = &mut self.b.func.insts[id.index()];
        let (mut inst, result) = (std::mem::replace(&mut data.inst, Inst::StackSave), data.results.first().copied());
        inst.for_each_operand_mut(|v| *v = self.subst.get(*v));
        if !self.promoted(&inst, result) {
            self.b.func.insts[id.index()].inst = inst;
            self.keep(id);
        }
    }

    /// Does what the instruction did, on values; `false` if it has nothing to do with a promoted object.
    fn promoted(&mut self, inst: &Inst, result: Option<Value>) -> bool {
        match inst {
            Inst::Alloca { .. } => self.begin(result, None),
            Inst::LifetimeStart { ptr } => self.begin(Some(*ptr), Some(true)),
            Inst::LifetimeEnd { ptr } => self.end(*ptr),
            Inst::PtrAdd { .. } => result.is_some_and(|r| self.find(r).is_some()),
            Inst::Debug { value, .. } => self.find(*value).is_some(),
            Inst::Load { ptr } => self.load(*ptr, result, |s| s.value),
            Inst::LoadShadow { ptr } => self.load(*ptr, result, |s| s.shadow),
            Inst::Store { ptr, value } => self.store(*ptr, *value),
            Inst::StoreShadow { ptr, shadow } => self.store_shadow(*ptr, *shadow),
            Inst::MemSet { dst, byte, len } => self.fill(*dst, *byte, *len),
            Inst::MemCopy { dst, src, len } => self.copy(*dst, *src, *len),
            Inst::InputBytes { ptr, len, name } => self.unset(*ptr, *len, name),
            Inst::CheckMem(check) => self.check(check),
            _ => false,
        }
    }

    /// An object comes into being or into scope: indeterminate.
    fn begin(&mut self, ptr: Option<Value>, in_scope: Option<bool>) -> bool {
        let layout = self.layout;
        let Some(place) = ptr.and_then(|p| self.objects.private(p)) else {
            return false;
        };
        let Some(o) = layout.of(place.object) else {
            return false;
        };
        for s in &o.slots {
            let undefined = self.b.constant(s.ty, Const::Undef);
            let ones = self.b.constant(Type::Int(s.bits), Const::Bits(Bv::ones(s.bits)));
            self.set(s.value, undefined);
            self.set(s.shadow, ones);
        }
        let lives = in_scope.unwrap_or(self.objects.list[place.object.index()].lives);
        let live = self.b.int(1, u64::from(lives));
        self.set(o.live, live);
        true
    }

    fn end(&mut self, ptr: Value) -> bool {
        let Some(var) = self.find(ptr).map(|(_, o)| o.live) else {
            return false;
        };
        let dead = self.b.int(1, 0);
        self.set(var, dead);
        true
    }

    fn load(&mut self, ptr: Value, result: Option<Value>, var: fn(&Slot) -> VarId) -> bool {
        let (Some((place, slot)), Some(result)) = (self.slot(ptr), result) else {
            return false;
        };
        let ty = self.b.func.ty(result);
        let whole = self.get(var(&slot));
        let part = self.part(whole, &slot, place, ty);
        self.subst.set(result, part);
        true
    }

    /// The part of a slot that an access of this type at this place reads.
    fn part(&mut self, whole: Value, slot: &Slot, place: Place, ty: Type) -> Value {
        if !slot.mixed {
            return self.convert(whole, ty);
        }
        let down = (place.offset as u64 - slot.offset) * 8;
        let wide = Type::Int(slot.bits);
        let mut v = whole;
        if down > 0 {
            let by = self.b.int(slot.bits, down);
            v = self.emit(Inst::Binary { op: BinOp::LShr, lhs: v, rhs: by }, wide);
        }
        let bits = ty.bits(self.ptr_bits);
        if bits < slot.bits {
            v = self.emit(Inst::Cast { op: CastOp::Trunc, arg: v }, Type::Int(bits));
        }
        self.convert(v, ty)
    }

    /// The slot with a part replaced by `value`.
    fn with_part(&mut self, whole: Value, slot: &Slot, place: Place, value: Value) -> Value {
        let bits = self.b.func.ty(value).bits(self.ptr_bits);
        let up = (place.offset as u64 - slot.offset) as u16 * 8;
        let wide = Type::Int(slot.bits);
        let mut v = self.convert(value, Type::Int(bits));
        if bits == slot.bits {
            return v;
        }
        v = self.emit(Inst::Cast { op: CastOp::ZExt, arg: v }, wide);
        if up > 0 {
            let by = self.b.int(slot.bits, u64::from(up));
            v = self.emit(Inst::Binary { op: BinOp::Shl, lhs: v, rhs: by }, wide);
        }
        let hole = Bv::ones(bits).zext(slot.bits).shl_by(up).not();
        let hole = self.b.constant(wide, Const::Bits(hole));
        let rest = self.emit(Inst::Binary { op: BinOp::And, lhs: whole, rhs: hole }, wide);
        self.emit(Inst::Binary { op: BinOp::Or, lhs: rest, rhs: v }, wide)
    }

    /// The same bits as another type of the same width.
    fn convert(&mut self, v: Value, to: Type) -> Value {
        let from = self.b.func.ty(v);
        let op = match (from, to) {
            _ if from == to => return v,
            (Type::Ptr, Type::Int(_)) => CastOp::PtrToInt,
            (Type::Int(_), Type::Ptr) => CastOp::IntToPtr,
            (Type::Ptr, Type::Float(_)) | (Type::Float(_), Type::Ptr) => {
                let int = self.convert(v, Type::Int(self.ptr_bits));
                return self.convert(int, to);
            }
            (Type::Int(_) | Type::Float(_), Type::Int(_) | Type::Float(_)) | (Type::Ptr, Type::Ptr) => CastOp::Bitcast,
        };
        self.emit(Inst::Cast { op, arg: v }, to)
    }

    fn store(&mut self, ptr: Value, value: Value) -> bool {
        let Some((place, slot)) = self.slot(ptr) else {
            return false;
        };
        let bits = self.b.func.ty(value).bits(self.ptr_bits);
        let zero = self.b.constant(Type::Int(bits), Const::Bits(Bv::zero(bits)));
        if slot.mixed {
            let old = self.get(slot.value);
            let new = self.with_part(old, &slot, place, value);
            self.set(slot.value, new);
            let old = self.get(slot.shadow);
            let new = self.with_part(old, &slot, place, zero);
            self.set(slot.shadow, new);
            if bits < slot.bits {
                self.record_at(place.object, place.offset as u64, value);
            }
            return true;
        }
        let value = self.convert(value, slot.ty);
        self.set(slot.value, value);
        self.set(slot.shadow, zero);
        self.record(place.object, &slot, value);
        true
    }

    fn store_shadow(&mut self, ptr: Value, shadow: Value) -> bool {
        let Some((place, slot)) = self.slot(ptr) else {
            return false;
        };
        let new = if slot.mixed {
            let old = self.get(slot.shadow);
            self.with_part(old, &slot, place, shadow)
        } else {
            shadow
        };
        self.set(slot.shadow, new);
        true
    }

    fn fill(&mut self, dst: Value, byte: Value, len: Value) -> bool {
        let Some((place, o)) = self.find(dst) else {
            return false;
        };
        let len = const_u64(&self.b.func, len).expect("a promoted fill should have a constant length");
        let slots = o.within(place.offset as u64, len).to_vec();
        let byte = const_bits(&self.b.func, byte).expect("a promoted fill should have a constant byte").clone();
        for s in slots {
            let bits = Bv::from_bits(s.bits, |i| byte.bit(i % 8));
            let value = bits_constant(self.b, s.ty, bits);
            let zero = self.b.constant(Type::Int(s.bits), Const::Bits(Bv::zero(s.bits)));
            self.set(s.value, value);
            self.set(s.shadow, zero);
            self.record(place.object, &s, value);
        }
        true
    }

    /// Memory that nobody has set: one input per slot, as far as its value is needed.
    fn unset(&mut self, ptr: Value, len: Value, name: &InputName) -> bool {
        let Some((place, o)) = self.find(ptr) else {
            return false;
        };
        let len = const_u64(&self.b.func, len).expect("promoted inputs should have a constant length");
        let slots = o.within(place.offset as u64, len).to_vec();
        for s in slots {
            let value = self.emit(Inst::Input { name: name.clone() }, s.ty);
            let zero = self.b.constant(Type::Int(s.bits), Const::Bits(Bv::zero(s.bits)));
            self.set(s.value, value);
            self.set(s.shadow, zero);
        }
        true
    }

    fn copy(&mut self, dst: Value, src: Value, len: Value) -> bool {
        let len = const_u64(&self.b.func, len);
        let slots = |p: Place, o: &ObjectSlots| o.within(p.offset as u64, len.unwrap_or(0)).to_vec();
        let to = self.find(dst).map(|(p, o)| (p, slots(p, o)));
        let from = self.find(src).map(|(p, o)| (p, slots(p, o)));
        match (to, from) {
            (None, None) => return false,
            (Some((place, to)), Some((_, from))) => {
                for (d, s) in to.iter().zip(&from) {
                    let (value, shadow) = (self.get(s.value), self.get(s.shadow));
                    self.define(place, d, value, shadow);
                }
            }
            (Some((place, to)), None) => {
                for s in &to {
                    let ptr = self.at(src, s.offset - place.offset as u64);
                    let value = self.emit(Inst::Load { ptr }, s.ty);
                    let shadow = self.emit(Inst::LoadShadow { ptr }, Type::Int(s.bits));
                    self.define(place, s, value, shadow);
                }
            }
            (None, Some((place, from))) => self.copy_out(dst, place, &from, len.unwrap_or(0)),
        }
        true
    }

    fn define(&mut self, place: Place, slot: &Slot, value: Value, shadow: Value) {
        self.set(slot.value, value);
        self.set(slot.shadow, shadow);
        self.record(place.object, slot, value);
    }

    /// A pointer so many bytes behind another.
    fn at(&mut self, base: Value, offset: u64) -> Value {
        if offset == 0 {
            return base;
        }
        let offset = self.b.int(self.ptr_bits, offset);
        self.emit(Inst::PtrAdd { base, offset, extent: None }, Type::Ptr)
    }

    /// Stores the slots of a range to memory; what lies between them is indeterminate.
    fn copy_out(&mut self, dst: Value, place: Place, slots: &[Slot], len: u64) {
        let start = place.offset as u64;
        for s in slots {
            let ptr = self.at(dst, s.offset - start);
            let (value, shadow) = (self.get(s.value), self.get(s.shadow));
            self.b.push0(self.block, Inst::Store { ptr, value }, self.loc);
            if !const_bits(&self.b.func, shadow).is_some_and(Bv::is_zero) {
                self.b.push0(self.block, Inst::StoreShadow { ptr, shadow }, self.loc);
            }
        }
        for (mut offset, mut left) in gaps(slots, start, len) {
            while left > 0 {
                let n = if left >= 8 { 8 } else { 1 << left.ilog2() };
                let ptr = self.at(dst, offset - start);
                let bits = n as u16 * 8;
                let shadow = self.b.constant(Type::Int(bits), Const::Bits(Bv::ones(bits)));
                let value = self.b.constant(Type::Int(bits), Const::Undef);
                self.b.push0(self.block, Inst::Store { ptr, value }, self.loc);
                self.b.push0(self.block, Inst::StoreShadow { ptr, shadow }, self.loc);
                (offset, left) = (offset + n, left - n);
            }
        }
    }

    fn check(&mut self, check: &MemCheck) -> bool {
        let Some((place, o)) = self.find(check.ptr) else {
            return false;
        };
        let property = |kind| check.properties.iter().find(|p| p.0 == kind).map(|p| p.1);
        let len = const_u64(&self.b.func, check.size).unwrap_or(0);
        match check.access {
            AccessKind::Read | AccessKind::Write => {
                let live = self.get(o.live);
                if let Some(property) = property(CheckKind::UseAfterScope).filter(|_| len > 0) {
                    self.b.push0(self.block, Inst::Check { cond: live, property }, self.loc);
                }
            }
            AccessKind::Defined => {
                let slots = o.within(place.offset as u64, len).to_vec();
                let property = property(CheckKind::Uninitialised);
                for (s, property) in slots.into_iter().zip(property.into_iter().cycle()) {
                    let zero = self.b.constant(Type::Int(s.bits), Const::Bits(Bv::zero(s.bits)));
                    let lhs = self.get(s.shadow);
                    let cond = self.emit(Inst::Compare { op: CmpOp::Eq, lhs, rhs: zero }, Type::BOOL);
                    self.b.push0(self.block, Inst::Check { cond, property }, self.loc);
                }
            }
            AccessKind::Free
            | AccessKind::String
            | AccessKind::SharedRead
            | AccessKind::SharedWrite
            | AccessKind::AtomicRead
            | AccessKind::AtomicWrite => {}
        }
        true
    }

    /// Says in the trace what a variable is from here on.
    fn record(&mut self, object: StackObject, slot: &Slot, value: Value) {
        if !slot.mixed {
            self.record_at(object, slot.offset, value);
        }
    }

    /// The same, for a part of it at an offset. Several parts in one value are not shown: their names are not known.
    fn record_at(&mut self, object: StackObject, offset: u64, value: Value) {
        let object = &self.objects.list[object.index()];
        let Some(var) = object.var else {
            return;
        };
        let ty = self.b.func.ty(value);
        let whole = offset == 0 && ty.bytes(self.ptr_bits) == object.size;
        let var = if whole { var } else { self.part_var(var, offset, ty) };
        self.b.push0(self.block, Inst::Debug { var, value, indirect: false }, self.loc);
    }

    fn part_var(&mut self, var: Var, offset: u64, ty: Type) -> Var {
        if let Some(&part) = self.parts.get(&(var, offset)) {
            return part;
        }
        let of = &self.b.func.vars[var.index()];
        let format = match ty {
            Type::Int(_) => VarFormat::Signed,
            Type::Ptr => VarFormat::Pointer,
            Type::Float(_) => VarFormat::Float,
        };
        let name = format!("{}+{offset}", of.name);
        let info = VarInfo { name, ty: String::new(), loc: of.loc, format, param: None };
        let part = Var::new(self.b.func.vars.len());
        self.b.func.vars.push(info);
        self.parts.insert((var, offset), part);
        part
    }
}
