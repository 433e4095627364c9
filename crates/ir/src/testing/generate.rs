//! Random bodies in the style of unoptimised C: locals in memory, checks in front of accesses, shadows copied along.

use super::Rng;
use crate::func::{Block, Const, Func, FuncBuilder, Value, VarFormat, VarInfo};
use crate::inst::{AccessKind, BinOp, CallSite, CastOp, CmpOp, Inst, MemCheck, OverflowOp, Target, Terminator};
use crate::program::{FuncId, Signature};
use crate::property::{CheckKind, PropertyId};
use crate::types::Type;
use blitz_base::Bv;
use blitz_base::span::{FileId, Loc};

/// Widths of the integers; accesses have whole bytes.
const WIDTHS: [u16; 4] = [8, 16, 32, 64];

struct Local {
    pointer: Value,
    size: u64,
    /// Accessed in one way only: (offset, width) pairs that don't overlap. Otherwise in any way.
    fields: Option<Vec<(u64, u16)>>,
}

struct Generator<'a> {
    rng: &'a mut Rng,
    b: FuncBuilder,
    locals: Vec<Local>,
    /// Values that may be used everywhere.
    global: Vec<Value>,
    /// Values of the current block.
    here: Vec<Value>,
    block: Block,
    line: u32,
    properties: u32,
}

/// A body with parameters `(i32, i32, i8)` that returns an `i32`.
pub fn body(rng: &mut Rng) -> Func {
    let mut g = Generator {
        rng,
        b: FuncBuilder::new(),
        locals: Vec::new(),
        global: Vec::new(),
        here: Vec::new(),
        block: Func::ENTRY,
        line: 1,
        properties: 0,
    };
    g.run();
    g.b.func
}

impl Generator<'_> {
    fn run(&mut self) {
        let blocks = 2 + self.rng.below(8);
        for _ in 0..blocks {
            self.b.block();
        }
        for ty in [Type::I32, Type::I32, Type::I8] {
            let v = self.b.block_param(Func::ENTRY, ty);
            self.global.push(v);
        }
        for i in 1..blocks {
            for _ in 0..self.rng.below(3) {
                let ty = self.int_type();
                self.b.block_param(Block::new(i), ty);
            }
        }
        for _ in 0..1 + self.rng.below(5) {
            self.local();
        }
        for i in 0..blocks {
            self.fill(Block::new(i), blocks);
        }
    }

    fn loc(&mut self) -> Loc {
        self.line += 1;
        Loc { file: FileId(0), line: self.line, col: 1 }
    }

    fn property(&mut self) -> PropertyId {
        self.properties += 1;
        PropertyId(self.properties - 1)
    }

    fn int_type(&mut self) -> Type {
        Type::Int(WIDTHS[self.rng.below(4)])
    }

    fn emit(&mut self, inst: Inst, ty: Type) -> Value {
        let loc = self.loc();
        let v = self.b.push1(self.block, inst, ty, loc);
        self.here.push(v);
        v
    }

    fn effect(&mut self, inst: Inst) {
        let loc = self.loc();
        self.b.push0(self.block, inst, loc);
    }

    fn local(&mut self) {
        let size = 1 + self.rng.below(16) as u64;
        let fields = (self.rng.below(4) > 0).then(|| self.fields(size));
        let var = self.rng.below(2) == 0;
        let lives = self.rng.below(3) > 0;
        let name = format!("x{}", self.locals.len());
        self.b.func.vars.push(VarInfo {
            name,
            ty: "int \"q\"".into(),
            loc: Loc::UNKNOWN,
            format: VarFormat::Signed,
            param: None,
        });
        let var = var.then(|| crate::Var::new(self.b.func.vars.len() - 1));
        let size_value = self.b.int(64, size);
        let loc = self.loc();
        let alloca = Inst::Alloca { size: size_value, align: 1, var, lives };
        let pointer = self.b.push1(self.block, alloca, Type::Ptr, loc);
        if let Some(var) = var {
            self.effect(Inst::Debug { var, value: pointer, indirect: true });
        }
        self.locals.push(Local { pointer, size, fields });
    }

    fn fields(&mut self, size: u64) -> Vec<(u64, u16)> {
        let mut fields = Vec::new();
        let mut at = self.rng.below(2) as u64;
        while at < size {
            let width = WIDTHS[self.rng.below(4)];
            if at + u64::from(width / 8) <= size {
                fields.push((at, width));
                at += u64::from(width / 8);
            }
            at += self.rng.below(2) as u64;
        }
        if fields.is_empty() { vec![(0, 8)] } else { fields }
    }

    /// A value of a type: one that is there, converted if need be, or a constant.
    fn value(&mut self, ty: Type) -> Value {
        let Type::Int(w) = ty else {
            return self.b.constant(Type::Ptr, Const::Null);
        };
        let ints: Vec<Value> = self
            .global
            .iter()
            .chain(&self.here)
            .copied()
            .filter(|&v| matches!(self.b.func.ty(v), Type::Int(_)))
            .collect();
        if self.rng.below(4) == 0 {
            let small = self.rng.below(5) as u64;
            let bits = if self.rng.below(4) == 0 { self.rng.next() } else { small };
            return self.b.int(w, bits);
        }
        let v = ints[self.rng.below(ints.len())];
        let Type::Int(had) = self.b.func.ty(v) else {
            return v;
        };
        match had.cmp(&w) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.emit(Inst::Cast { op: CastOp::Trunc, arg: v }, ty),
            std::cmp::Ordering::Less => {
                let op = if self.rng.below(2) == 0 { CastOp::ZExt } else { CastOp::SExt };
                self.emit(Inst::Cast { op, arg: v }, ty)
            }
        }
    }

    /// Where a random access goes: a pointer, its local's number, and the width.
    fn target(&mut self) -> (Value, usize, u16) {
        let n = self.rng.below(self.locals.len());
        let (size, pointer) = (self.locals[n].size, self.locals[n].pointer);
        let (offset, width) = match self.locals[n].fields.clone() {
            Some(fields) => fields[self.rng.below(fields.len())],
            None => {
                let fitting: Vec<u16> = WIDTHS.into_iter().filter(|w| u64::from(w / 8) <= size).collect();
                let width = fitting[self.rng.below(fitting.len())];
                (self.rng.below((size - u64::from(width / 8) + 1) as usize) as u64, width)
            }
        };
        (self.moved(pointer, offset), n, width)
    }

    fn moved(&mut self, pointer: Value, offset: u64) -> Value {
        if offset == 0 {
            return pointer;
        }
        let first = self.rng.below(offset as usize + 1) as u64;
        let by = self.b.int(64, first);
        let loc = self.loc();
        let middle = self.b.push1(self.block, Inst::PtrAdd { base: pointer, offset: by, extent: None }, Type::Ptr, loc);
        let by = self.b.int(64, offset - first);
        self.b.push1(self.block, Inst::PtrAdd { base: middle, offset: by, extent: None }, Type::Ptr, loc)
    }

    fn guard(&mut self, ptr: Value, bytes: u64, access: AccessKind) {
        if self.rng.below(8) == 0 {
            return;
        }
        let kinds: &[CheckKind] = match access {
            AccessKind::Defined => &[CheckKind::Uninitialised],
            _ => &[CheckKind::NullDeref, CheckKind::UseAfterScope, CheckKind::BufferOverflow],
        };
        let properties = kinds.iter().map(|&k| (k, self.property())).collect();
        let size = self.b.int(64, bytes);
        self.effect(Inst::CheckMem(MemCheck { ptr, size, access, properties }));
    }

    fn fill(&mut self, block: Block, blocks: usize) {
        self.block = block;
        self.here = if block == Func::ENTRY { Vec::new() } else { self.b.func.block(block).params.clone() };
        if !self.here.is_empty() && self.rng.below(4) == 0 {
            let term = self.switch(self.here[0], blocks);
            return self.b.terminate(block, term, Loc::UNKNOWN);
        }
        for _ in 0..self.rng.below(10) {
            self.statement();
        }
        self.finish(blocks);
    }

    fn switch(&mut self, value: Value, blocks: usize) -> Terminator {
        let default = self.edge(blocks);
        let width = self.b.func.ty(value).bits(64);
        let cases = (0..self.rng.below(4) as u64)
            .map(|i| {
                let (to, args) = self.edge(blocks);
                (Bv::from_u64(width, i), to, args)
            })
            .collect();
        Terminator::Switch { value, cases, default }
    }

    fn statement(&mut self) {
        match self.rng.below(16) {
            0..=3 => {
                let (ptr, _, width) = self.target();
                let value = self.value(Type::Int(width));
                self.guard(ptr, u64::from(width / 8), AccessKind::Write);
                self.effect(Inst::Store { ptr, value });
            }
            4..=6 => {
                let (ptr, _, width) = self.target();
                self.guard(ptr, u64::from(width / 8), AccessKind::Read);
                self.emit(Inst::Load { ptr }, Type::Int(width));
            }
            7 => self.check_shadow(),
            8 => self.copy_scalar(),
            9 => {
                let ty = self.int_type();
                let (lhs, rhs) = (self.value(ty), self.value(ty));
                let ops = [
                    BinOp::Add,
                    BinOp::Sub,
                    BinOp::Mul,
                    BinOp::And,
                    BinOp::Or,
                    BinOp::Xor,
                    BinOp::Shl,
                    BinOp::LShr,
                    BinOp::UDiv,
                    BinOp::SRem,
                ];
                let op = ops[self.rng.below(ops.len())];
                self.emit(Inst::Binary { op, lhs, rhs }, ty);
            }
            10 => {
                let (lhs, rhs) = (self.value(Type::I32), self.value(Type::I32));
                let v = self.emit(Inst::Overflow { op: OverflowOp::SAdd, lhs, rhs }, Type::BOOL);
                let rhs = self.b.int(1, 0);
                let cond = self.emit(Inst::Compare { op: CmpOp::Eq, lhs: v, rhs }, Type::BOOL);
                let property = self.property();
                self.effect(Inst::Check { cond, property });
            }
            11 => {
                let (cond, then) = (self.condition(), self.value(Type::I32));
                let other = self.value(Type::I32);
                self.emit(Inst::Select { cond, then, other }, Type::I32);
            }
            12 => self.call(),
            13 => self.scope(),
            14 => self.bulk(),
            _ => self.defined(),
        }
    }

    fn check_shadow(&mut self) {
        let (ptr, _, width) = self.target();
        let ty = Type::Int(width);
        let lhs = self.emit(Inst::LoadShadow { ptr }, ty);
        let rhs = self.b.int(width, 0);
        let cond = self.emit(Inst::Compare { op: CmpOp::Eq, lhs, rhs }, Type::BOOL);
        let property = self.property();
        self.effect(Inst::Check { cond, property });
    }

    fn copy_scalar(&mut self) {
        let (from, _, width) = self.target();
        let (to, _, other) = self.target();
        if width == other {
            let ty = Type::Int(width);
            let value = self.emit(Inst::Load { ptr: from }, ty);
            let shadow = self.emit(Inst::LoadShadow { ptr: from }, ty);
            self.effect(Inst::Store { ptr: to, value });
            self.effect(Inst::StoreShadow { ptr: to, shadow });
        }
    }

    fn call(&mut self) {
        let mut args = vec![self.value(Type::I32)];
        let mut params = vec![Type::I32];
        if self.rng.below(6) == 0 {
            args.push(self.locals[self.rng.below(self.locals.len())].pointer);
            params.push(Type::Ptr);
        }
        let signature = Signature { params, results: Vec::new(), variadic: false };
        let target = Target::Func(FuncId(0));
        self.effect(Inst::Call(Box::new(CallSite { target, args, signature, properties: Vec::new() })));
    }

    fn scope(&mut self) {
        let ptr = self.locals[self.rng.below(self.locals.len())].pointer;
        if self.rng.below(3) == 0 {
            self.effect(Inst::LifetimeEnd { ptr });
        } else {
            self.effect(Inst::LifetimeStart { ptr });
        }
    }

    /// A fill or copy; mostly of a whole object.
    fn bulk(&mut self) {
        let n = self.rng.below(self.locals.len());
        let (dst, size) = (self.locals[n].pointer, self.locals[n].size);
        let short = self.rng.below(3) == 0;
        let len = if short { self.rng.below(size as usize + 1) as u64 } else { size };
        self.guard(dst, len, AccessKind::Write);
        if self.rng.below(2) == 0 {
            let len = self.b.int(64, len);
            let byte = self.rng.next();
            let byte = if self.rng.below(4) == 0 { self.value(Type::I8) } else { self.b.int(8, byte) };
            self.effect(Inst::MemSet { dst, byte, len });
            return;
        }
        let m = self.rng.below(self.locals.len());
        let (src, from) = (self.locals[m].pointer, self.locals[m].size);
        let len = self.b.int(64, len.min(from));
        self.effect(Inst::MemCopy { dst, src, len });
    }

    fn defined(&mut self) {
        let (ptr, n, width) = self.target();
        let whole = self.locals[n].size;
        if self.rng.below(2) == 0 {
            self.guard(ptr, u64::from(width / 8), AccessKind::Defined);
        } else {
            let pointer = self.locals[n].pointer;
            self.guard(pointer, whole, AccessKind::Defined);
        }
    }

    fn condition(&mut self) -> Value {
        let ty = self.int_type();
        let (lhs, rhs) = (self.value(ty), self.value(ty));
        let ops = [CmpOp::Eq, CmpOp::Ne, CmpOp::Ult, CmpOp::Slt, CmpOp::Sge, CmpOp::Ugt];
        let op = ops[self.rng.below(ops.len())];
        self.emit(Inst::Compare { op, lhs, rhs }, Type::BOOL)
    }

    fn edge(&mut self, blocks: usize) -> (Block, Vec<Value>) {
        let to = Block::new(1 + self.rng.below(blocks - 1));
        let types: Vec<Type> = self.b.func.block(to).params.iter().map(|&v| self.b.func.ty(v)).collect();
        (to, types.into_iter().map(|ty| self.value(ty)).collect())
    }

    fn finish(&mut self, blocks: usize) {
        let term = match self.rng.below(8) {
            0 | 1 => {
                let (to, args) = self.edge(blocks);
                Terminator::Jump { to, args }
            }
            2..=5 => {
                let cond = self.condition();
                Terminator::Branch { cond, then: self.edge(blocks), other: self.edge(blocks) }
            }
            6 => {
                let value = self.value(Type::I32);
                self.switch(value, blocks)
            }
            _ => Terminator::Return { values: vec![self.value(Type::I32)] },
        };
        let loc = self.loc();
        self.b.terminate(self.block, term, loc);
    }
}
