//! A small evaluator for tests of passes: what a body does, as a list of events.
//!
//! Indeterminate bytes and `undef` are zero, so that a body and its simplified form can be held against each other. It knows what
//! the generator makes: integers, stack objects, checks, calls that note and change what they are given.

use crate::func::{Block, Const, Func, Value, ValueDef};
use crate::inst::{AccessKind, BinOp, CastOp, CmpOp, Inst, MemCheck, OverflowOp, Terminator};
use crate::property::CheckKind;
use crate::types::Type;
use blitz_base::Bv;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Call(Vec<String>),
    Failed(u32),
    Returned(Vec<Bv>),
    OutOfFuel,
    Unreachable,
}

struct Object {
    bytes: Vec<u8>,
    shadow: Vec<u8>,
    live: bool,
}

struct Machine<'a> {
    func: &'a Func,
    values: Vec<Option<Bv>>,
    objects: Vec<Object>,
    events: Vec<Event>,
}

const OFFSET_BITS: u16 = 40;

/// What a body does with these arguments, within so many instructions.
pub fn run(func: &Func, args: &[Bv], fuel: usize) -> Vec<Event> {
    let mut m = Machine { func, values: vec![None; func.values.len()], objects: Vec::new(), events: Vec::new() };
    let mut block = Func::ENTRY;
    let mut passed = args.to_vec();
    let mut left = fuel;
    loop {
        for (&p, v) in func.block(block).params.iter().zip(passed) {
            m.values[p.index()] = Some(v);
        }
        for &i in &func.block(block).insts {
            if left == 0 {
                m.events.push(Event::OutOfFuel);
                return m.events;
            }
            left -= 1;
            if let Err(property) = m.inst(i) {
                m.events.push(Event::Failed(property));
                return m.events;
            }
        }
        match m.terminator(&func.block(block).term) {
            Some((to, args)) if left > 0 => (block, passed, left) = (to, args, left - 1),
            Some(_) => {
                m.events.push(Event::OutOfFuel);
                return m.events;
            }
            None => return m.events,
        }
    }
}

impl Machine<'_> {
    fn get(&self, v: Value) -> Bv {
        let data = &self.func.values[v.index()];
        match &data.def {
            ValueDef::Const(Const::Bits(bits)) => bits.clone(),
            ValueDef::Const(_) => Bv::zero(data.ty.bits(64)),
            ValueDef::Param(..) | ValueDef::Inst(..) => self.values[v.index()].clone().expect("value should be set"),
        }
    }

    fn place(&self, v: Value) -> (usize, i64) {
        let bits = self.get(v);
        let object = bits.lshr_by(OFFSET_BITS).to_u64().unwrap() as usize;
        let offset = bits.extract(OFFSET_BITS - 1, 0).to_i64().unwrap();
        (object, offset)
    }

    fn number(&self, v: Value) -> u64 {
        self.get(v).to_u64().expect("number should be small")
    }

    fn inst(&mut self, id: crate::InstId) -> Result<(), u32> {
        let data = self.func.inst(id);
        let result = match &data.inst {
            Inst::Binary { op, lhs, rhs } => Some(binary(*op, &self.get(*lhs), &self.get(*rhs))),
            Inst::Compare { op, lhs, rhs } => Some(Bv::bool(compare(*op, &self.get(*lhs), &self.get(*rhs)))),
            Inst::Overflow { op: OverflowOp::SAdd, lhs, rhs } => Some(Bv::bool(self.get(*lhs).saddo(&self.get(*rhs)))),
            Inst::Cast { op, arg } => Some(cast(*op, &self.get(*arg), self.func.ty(data.results[0]))),
            Inst::Select { cond, then, other } => Some(self.get(if self.get(*cond).is_one() { *then } else { *other })),
            Inst::PtrAdd { base, offset, .. } => {
                let (object, at) = self.place(*base);
                let to = at + self.get(*offset).to_i64().unwrap();
                Some(pointer(object, to))
            }
            Inst::Alloca { size, lives, .. } => {
                let n = self.number(*size) as usize;
                self.objects.push(Object { bytes: vec![0; n], shadow: vec![255; n], live: *lives });
                Some(pointer(self.objects.len(), 0))
            }
            Inst::LifetimeStart { ptr } => {
                let (object, _) = self.place(*ptr);
                let o = &mut self.objects[object - 1];
                o.live = true;
                o.bytes.fill(0);
                o.shadow.fill(255);
                None
            }
            Inst::LifetimeEnd { ptr } => {
                let (object, _) = self.place(*ptr);
                self.objects[object - 1].live = false;
                None
            }
            Inst::Load { ptr } => Some(self.read(*ptr, self.func.ty(data.results[0]), |o| &mut o.bytes)),
            Inst::LoadShadow { ptr } => Some(self.read(*ptr, self.func.ty(data.results[0]), |o| &mut o.shadow)),
            Inst::Store { ptr, value } => {
                let bits = self.get(*value);
                self.write(*ptr, &bits, |o| &mut o.bytes);
                self.write(*ptr, &Bv::zero(bits.width()), |o| &mut o.shadow);
                None
            }
            Inst::StoreShadow { ptr, shadow } => {
                let bits = self.get(*shadow);
                self.write(*ptr, &bits, |o| &mut o.shadow);
                None
            }
            Inst::MemSet { dst, byte, len } => {
                let n = self.number(*len) as u16;
                let byte = self.get(*byte);
                if n > 0 {
                    self.write(*dst, &Bv::from_bits(n * 8, |i| byte.bit(i % 8)), |o| &mut o.bytes);
                    self.write(*dst, &Bv::zero(n * 8), |o| &mut o.shadow);
                }
                None
            }
            Inst::MemCopy { dst, src, len } => {
                let n = self.number(*len) as u16;
                if n > 0 {
                    let bytes = self.read(*src, Type::Int(n * 8), |o| &mut o.bytes);
                    let shadow = self.read(*src, Type::Int(n * 8), |o| &mut o.shadow);
                    self.write(*dst, &bytes, |o| &mut o.bytes);
                    self.write(*dst, &shadow, |o| &mut o.shadow);
                }
                None
            }
            Inst::Check { cond, property } => {
                if self.get(*cond).is_zero() {
                    return Err(property.0);
                }
                None
            }
            Inst::CheckMem(check) => return self.check_mem(check),
            Inst::Call(call) => {
                let event = call.args.iter().map(|&a| self.argument(a)).collect();
                self.events.push(Event::Call(event));
                None
            }
            Inst::Debug { .. } => None,
            other => unreachable!("the generator should not make {other:?}"),
        };
        if let (Some(bits), Some(v)) = (result, data.results.first()) {
            self.values[v.index()] = Some(bits);
        }
        Ok(())
    }

    /// What a callee sees of an argument; it changes an object that it is given.
    fn argument(&mut self, v: Value) -> String {
        if self.func.ty(v) != Type::Ptr {
            return self.get(v).to_string();
        }
        let (object, offset) = self.place(v);
        let o = &mut self.objects[object - 1];
        let seen = format!("{offset} {:?} {:?} {}", o.bytes, o.shadow, o.live);
        if let Some(byte) = o.bytes.first_mut().filter(|_| o.live) {
            *byte = byte.wrapping_add(1);
        }
        seen
    }

    fn read(&mut self, ptr: Value, ty: Type, of: fn(&mut Object) -> &mut Vec<u8>) -> Bv {
        let (object, offset) = self.place(ptr);
        let bytes = of(&mut self.objects[object - 1]);
        let at = offset as usize;
        Bv::from_bits(ty.bits(64), |i| bytes[at + usize::from(i / 8)] >> (i % 8) & 1 == 1)
    }

    fn write(&mut self, ptr: Value, bits: &Bv, of: fn(&mut Object) -> &mut Vec<u8>) {
        let (object, offset) = self.place(ptr);
        let bytes = of(&mut self.objects[object - 1]);
        for i in 0..bits.width() {
            let byte = &mut bytes[offset as usize + usize::from(i / 8)];
            *byte = *byte & !(1 << (i % 8)) | u8::from(bits.bit(i)) << (i % 8);
        }
    }

    fn check_mem(&mut self, check: &MemCheck) -> Result<(), u32> {
        let (object, offset) = self.place(check.ptr);
        let size = self.number(check.size);
        if size == 0 {
            return Ok(());
        }
        let o = &self.objects[object - 1];
        let inside = offset >= 0 && offset as u64 + size <= o.bytes.len() as u64;
        let broken = match check.access {
            AccessKind::Read | AccessKind::Write if !o.live => CheckKind::UseAfterScope,
            AccessKind::Read | AccessKind::Write if !inside => CheckKind::BufferOverflow,
            AccessKind::Defined => {
                let range = offset as usize..offset as usize + size as usize;
                if o.shadow[range].iter().all(|&b| b == 0) {
                    return Ok(());
                }
                CheckKind::Uninitialised
            }
            _ => return Ok(()),
        };
        match check.properties.iter().find(|p| p.0 == broken) {
            Some(p) => Err(p.1.0),
            None => Ok(()),
        }
    }

    fn terminator(&mut self, term: &Terminator) -> Option<(Block, Vec<Bv>)> {
        let all = |args: &[Value]| args.iter().map(|&v| self.get(v)).collect::<Vec<_>>();
        match term {
            Terminator::Jump { to, args } => Some((*to, all(args))),
            Terminator::Branch { cond, then, other } => {
                let edge = if self.get(*cond).is_one() { then } else { other };
                Some((edge.0, all(&edge.1)))
            }
            Terminator::Switch { value, cases, default } => {
                let v = self.get(*value);
                let case = cases.iter().find(|c| c.0 == v);
                Some(case.map_or_else(|| (default.0, all(&default.1)), |c| (c.1, all(&c.2))))
            }
            Terminator::Return { values } => {
                let values = all(values);
                self.events.push(Event::Returned(values));
                None
            }
            _ => {
                self.events.push(Event::Unreachable);
                None
            }
        }
    }
}

fn pointer(object: usize, offset: i64) -> Bv {
    let high = Bv::from_u64(24, object as u64);
    high.concat(&Bv::from_i64(OFFSET_BITS, offset))
}

fn binary(op: BinOp, x: &Bv, y: &Bv) -> Bv {
    match op {
        BinOp::Add => x.add(y),
        BinOp::Sub => x.sub(y),
        BinOp::Mul => x.mul(y),
        BinOp::And => x.and(y),
        BinOp::Or => x.or(y),
        BinOp::Xor => x.xor(y),
        BinOp::Shl => x.shl(y),
        BinOp::LShr => x.lshr(y),
        BinOp::UDiv => x.udiv(y),
        BinOp::SRem => x.srem(y),
        other => unreachable!("the generator should not make {other}"),
    }
}

fn compare(op: CmpOp, x: &Bv, y: &Bv) -> bool {
    match op {
        CmpOp::Eq => x == y,
        CmpOp::Ne => x != y,
        CmpOp::Ult => x.ult(y),
        CmpOp::Uge => x.uge(y),
        CmpOp::Ule => x.ule(y),
        CmpOp::Ugt => x.ugt(y),
        CmpOp::Slt => x.slt(y),
        CmpOp::Sge => x.sge(y),
        CmpOp::Sle => x.sle(y),
        CmpOp::Sgt => x.sgt(y),
        other => unreachable!("the generator should not make {other}"),
    }
}

fn cast(op: CastOp, x: &Bv, ty: Type) -> Bv {
    let w = ty.bits(64);
    match op {
        CastOp::Trunc => x.extract(w - 1, 0),
        CastOp::ZExt => x.zext(w),
        CastOp::SExt => x.sext(w),
        CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast => x.clone(),
        other => unreachable!("the generator should not make {other}"),
    }
}
