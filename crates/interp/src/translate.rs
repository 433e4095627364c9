//! From a function body to register code.
//!
//! Invariant: every slot index that an operation names is below `frame_slots`; every jump goes to an index of `ops`. The
//! executing loop relies on both without looking.

use crate::code::{CallInfo, Code, Op, Operand, Origin, Slot, Table};
use crate::config::TraceLevel;
use crate::fuse::{self, Plan, Step};
use crate::memory::PATTERN;
use crate::unset;
use blitz_base::Bv;
use blitz_ir::{
    AccessKind, BinOp, Block, CallSite, CastOp, CmpOp, Const, FloatKind, Func, FuncId, Inst, InstId, OverflowOp,
    Program, Target, Terminator, Type, Value, ValueDef,
};
use std::cell::OnceCell;
use std::collections::HashMap;

/// Translates a function; `explored` code tells an exploration what it does.
pub fn translate<'p>(program: &'p Program, id: FuncId, func: &'p Func, trace: TraceLevel, explored: bool) -> Code<'p> {
    let decl = program.decl(id);
    let mut t = Translator {
        program,
        ptr_bits: program.target.ptr_bits,
        func,
        trace: trace == TraceLevel::Full && !decl.model,
        branches: trace >= TraceLevel::Branches && !decl.model,
        explored,
        code: Code {
            id,
            func,
            model: decl.model,
            variadic: decl.signature.variadic,
            ops: Vec::new(),
            origins: Vec::new(),
            consts: Vec::new(),
            frame_slots: 0,
            params: Vec::new(),
            operands: Vec::new(),
            calls: Vec::new(),
            returns: Vec::new(),
            tables: Vec::new(),
            starts: vec![u32::MAX; func.blocks.len()],
            needs: OnceCell::new(),
            handed_on: if explored { unset::handed_on(func) } else { Vec::new() },
        },
        origin: Origin::term(Func::ENTRY),
        temp: 0,
        patches: Vec::new(),
    };
    t.assign_slots();
    let counts = fuse::use_counts(func);
    for b in func.block_ids() {
        let plan = fuse::plan(func, func.block(b), &counts, t.ptr_bits);
        t.block(b, &plan);
    }
    t.patch();
    t.code
}

struct Translator<'p> {
    program: &'p Program,
    ptr_bits: u16,
    func: &'p Func,
    trace: bool,
    branches: bool,
    explored: bool,
    code: Code<'p>,
    origin: Origin,
    /// A slot for breaking cycles of moves.
    temp: Slot,
    /// Operations (or tables) whose targets are blocks still, not places.
    patches: Vec<u32>,
}

/// The bits of an `Undef`: arbitrary, the same in every run.
fn undef(bits: u16) -> Bv {
    Bv::from_limbs(bits, &vec![u64::from_le_bytes([PATTERN; 8]); usize::from(bits).div_ceil(64)])
}

/// The bits of a constant.
pub fn const_bits(program: &Program, c: &Const, bits: u16) -> Bv {
    let offset_bits = program.target.offset_bits();
    match c {
        Const::Bits(b) => b.clone(),
        Const::Null => Bv::zero(bits),
        Const::Global(g, offset) => {
            Bv::from_u64(bits, program.global_object(*g) << offset_bits | *offset as u64 & ((1 << offset_bits) - 1))
        }
        Const::Func(f) => Bv::from_u64(bits, program.func_object(*f) << offset_bits),
        Const::Undef => undef(bits),
    }
}

impl<'p> Translator<'p> {
    fn assign_slots(&mut self) {
        let blank = Operand { slot: u32::MAX, bits: 0, ty: Type::BOOL };
        self.code.operands = vec![blank; self.func.values.len()];
        let mut next = 0;
        for (i, v) in self.func.values.iter().enumerate() {
            if let ValueDef::Const(c) = &v.def {
                let bits = v.ty.bits(self.ptr_bits);
                self.code.consts.extend(const_bits(self.program, c, bits).limbs());
                self.code.operands[i] = Operand { slot: next, bits, ty: v.ty };
                next = self.code.consts.len() as u32;
            }
        }
        for (i, v) in self.func.values.iter().enumerate() {
            if !matches!(v.def, ValueDef::Const(_)) {
                let operand = Operand { slot: next, bits: v.ty.bits(self.ptr_bits), ty: v.ty };
                self.code.operands[i] = operand;
                next += operand.slots();
            }
        }
        self.temp = next;
        self.code.frame_slots = next + 1;
        self.code.params = self.func.params().iter().map(|&v| self.operand(v)).collect();
    }

    fn operand(&self, v: Value) -> Operand {
        self.code.operands[v.index()]
    }

    fn slot(&self, v: Value) -> Slot {
        self.operand(v).slot
    }

    fn is_wide(&self, v: Value) -> bool {
        self.operand(v).bits > 64
    }

    /// 64 minus the width.
    fn unused(&self, v: Value) -> u8 {
        64 - self.operand(v).bits as u8
    }

    fn emit(&mut self, op: Op) {
        self.code.ops.push(op);
        self.code.origins.push(self.origin);
    }

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    fn block(&mut self, b: Block, plan: &Plan) {
        let data = self.func.block(b);
        self.code.starts[b.index()] = self.here();
        self.origin = data.insts.first().map_or(Origin::term(b), |&i| Origin::inst(i));
        let real = data.insts.iter().filter(|&&i| !matches!(self.func.inst(i).inst, Inst::Debug { .. })).count();
        self.emit(Op::Steps(real as u32 + 1));
        if self.explored && b == Func::ENTRY {
            self.need_set(&data.params);
        }
        for (&inst, &step) in data.insts.iter().zip(&plan.steps) {
            self.origin = Origin::inst(inst);
            if self.explored {
                self.announce(inst);
                self.announce_touch(inst);
            }
            match step {
                Step::Plain => self.inst(inst),
                Step::Melted => {}
                Step::Guarded(guard) => {
                    self.origin = Origin::inst(guard);
                    self.inst(inst);
                }
                Step::Shadow(load) => self.shadow_check(load),
            }
            if self.explored {
                self.follow_unset(inst);
            }
            self.trace_inst(inst);
        }
        self.origin = Origin::term(b);
        self.terminator(&data.term, plan.branch);
    }

    /// What an exploration has to know before the instruction is executed.
    fn announce(&mut self, inst: InstId) {
        match &self.func.inst(inst).inst {
            Inst::Check { .. } | Inst::CheckMem(_) | Inst::HeapAlloc { .. } | Inst::Await { .. } => {
                self.emit(Op::Reach);
            }
            Inst::Load { ptr } => {
                let result = self.func.inst(inst).results[0];
                let bytes = self.operand(result).bits.div_ceil(8).min(u16::from(u8::MAX)) as u8;
                self.emit(Op::Watch { bytes, p: self.slot(*ptr) });
            }
            Inst::Unary { .. }
            | Inst::Binary { .. }
            | Inst::Compare { .. }
            | Inst::Overflow { .. }
            | Inst::Cast { .. }
            | Inst::Select { .. }
            | Inst::FusedMulAdd { .. }
            | Inst::PtrAdd { .. }
            | Inst::Alloca { .. }
            | Inst::LifetimeStart { .. }
            | Inst::LifetimeEnd { .. }
            | Inst::StackSave
            | Inst::StackRestore { .. }
            | Inst::Store { .. }
            | Inst::LoadShadow { .. }
            | Inst::StoreShadow { .. }
            | Inst::MemCopy { .. }
            | Inst::MemSet { .. }
            | Inst::Scan { .. }
            | Inst::Mismatch { .. }
            | Inst::HeapFree { .. }
            | Inst::Assume { .. }
            | Inst::Call(_)
            | Inst::Input { .. }
            | Inst::InputBytes { .. }
            | Inst::Builtin { .. }
            | Inst::SetJmp { .. }
            | Inst::Debug { .. }
            | Inst::Unsupported { .. }
            | Inst::Approximates { .. } => {}
        }
    }

    /// A reduction of schedules has to know what library models do to memory.
    fn announce_touch(&mut self, inst: InstId) {
        let effect = self.func.inst(inst).inst.effect();
        if self.code.model && !(effect.reads.is_empty() && effect.writes.is_empty()) {
            self.emit(Op::Touch);
        }
    }

    /// Values that were handed to this function and are used here must be set.
    fn need_set(&mut self, values: &[Value]) {
        for &v in values {
            if !self.code.handed_on[v.index()] && unset::may_be(self.operand(v).bits) {
                self.emit(Op::NeedsSet { s: self.slot(v) });
            }
        }
    }

    /// What an exploration has to know behind an instruction.
    fn follow_unset(&mut self, inst: InstId) {
        let data = self.func.inst(inst);
        match data.inst {
            Inst::Call(_) => self.need_set(&data.results),
            Inst::Store { ptr, value } if unset::may_be(self.operand(value).bits) => {
                let bytes = (self.operand(value).bits / 8) as u8;
                self.emit(Op::Unset { bytes, p: self.slot(ptr), s: self.slot(value) });
            }
            _ => {}
        }
    }

    fn trace_inst(&mut self, inst: InstId) {
        let wanted = matches!(self.func.inst(inst).inst, Inst::Debug { indirect: false, .. } | Inst::Store { .. });
        if self.trace && wanted {
            self.origin = Origin::inst(inst);
            self.emit(Op::Trace);
        }
    }

    fn shadow_check(&mut self, load: InstId) {
        let data = self.func.inst(load);
        let Inst::LoadShadow { ptr } = data.inst else { unreachable!("a melted shadow should be a shadow load") };
        let (bytes, sh) = self.shadow_width(data.results[0]);
        self.emit(Op::CheckShadow { bytes, sh, p: self.slot(ptr) });
    }

    fn shadow_width(&self, v: Value) -> (u8, u8) {
        (self.operand(v).bits.div_ceil(8) as u8, self.unused(v))
    }

    fn inst(&mut self, inst: InstId) {
        let data = self.func.inst(inst);
        let result = data.results.first().copied();
        let op = match (&data.inst, result) {
            (Inst::Binary { op, lhs, rhs }, Some(d)) => self.binary(*op, d, *lhs, *rhs),
            (Inst::Compare { op, lhs, rhs }, Some(d)) => self.compare(*op, d, *lhs, *rhs),
            (Inst::Overflow { op, lhs, rhs }, Some(d)) => self.overflow(*op, d, *lhs, *rhs),
            (Inst::Cast { op, arg }, Some(d)) => self.cast(*op, d, *arg),
            (Inst::Select { cond, then, other }, Some(d)) if !self.is_wide(d) => {
                Op::Select { d: self.slot(d), c: self.slot(*cond), a: self.slot(*then), b: self.slot(*other) }
            }
            (Inst::PtrAdd { base, offset, .. }, Some(d)) => {
                let sh = self.unused(*offset);
                Op::PtrAdd { sh, d: self.slot(d), a: self.slot(*base), b: self.slot(*offset) }
            }
            (Inst::Alloca { size, .. }, Some(d)) => Op::Alloca { d: self.slot(d), size: self.slot(*size) },
            (Inst::Load { ptr }, Some(d)) => self.load(d, *ptr),
            (Inst::Store { ptr, value }, _) => self.store(*ptr, *value),
            (Inst::LoadShadow { ptr }, Some(d)) if fuse::fast_access(self.func.ty(d), self.ptr_bits) => {
                let (bytes, sh) = self.shadow_width(d);
                Op::LoadShadow { bytes, sh, d: self.slot(d), p: self.slot(*ptr) }
            }
            (Inst::StoreShadow { ptr, shadow }, _) if fuse::fast_access(self.func.ty(*shadow), self.ptr_bits) => {
                let (bytes, _) = self.shadow_width(*shadow);
                Op::StoreShadow { bytes, p: self.slot(*ptr), s: self.slot(*shadow) }
            }
            (Inst::Check { cond, .. }, _) => Op::Check { c: self.slot(*cond) },
            (Inst::CheckMem(m), _) if m.access == AccessKind::Read => {
                Op::CheckRead { p: self.slot(m.ptr), size: self.slot(m.size) }
            }
            (Inst::CheckMem(m), _) if m.access == AccessKind::Write => {
                Op::CheckWrite { p: self.slot(m.ptr), size: self.slot(m.size) }
            }
            (Inst::Call(site), _) => self.call(site, &data.results),
            (Inst::Debug { .. }, _) => return,
            _ => Op::Slow,
        };
        self.emit(op);
    }

    fn binary(&self, op: BinOp, d: Value, lhs: Value, rhs: Value) -> Op {
        let ty = self.func.ty(d);
        let (d, a, b) = (self.slot(d), self.slot(lhs), self.slot(rhs));
        match ty {
            Type::Float(FloatKind::Double) => return float_binary(op, d, a, b),
            Type::Float(_) => return Op::Slow,
            Type::Int(_) | Type::Ptr if self.is_wide(lhs) => return Op::Slow,
            Type::Int(_) | Type::Ptr => {}
        }
        let sh = self.unused(lhs);
        match op {
            BinOp::Add => Op::Add { sh, d, a, b },
            BinOp::Sub => Op::Sub { sh, d, a, b },
            BinOp::Mul => Op::Mul { sh, d, a, b },
            BinOp::UDiv => Op::UDiv { sh, d, a, b },
            BinOp::SDiv => Op::SDiv { sh, d, a, b },
            BinOp::URem => Op::URem { d, a, b },
            BinOp::SRem => Op::SRem { sh, d, a, b },
            BinOp::Shl => Op::Shl { sh, d, a, b },
            BinOp::LShr => Op::LShr { d, a, b },
            BinOp::AShr => Op::AShr { sh, d, a, b },
            BinOp::And => Op::And { d, a, b },
            BinOp::Or => Op::Or { d, a, b },
            BinOp::Xor => Op::Xor { d, a, b },
            BinOp::UMin => Op::UMin { d, a, b },
            BinOp::UMax => Op::UMax { d, a, b },
            BinOp::SMin => Op::SMin { sh, d, a, b },
            BinOp::SMax => Op::SMax { sh, d, a, b },
            BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FRem
            | BinOp::FMin
            | BinOp::FMax
            | BinOp::FCopySign => Op::Slow,
        }
    }

    fn compare(&self, op: CmpOp, d: Value, lhs: Value, rhs: Value) -> Op {
        if self.is_wide(lhs) {
            return Op::Slow;
        }
        let double = self.func.ty(lhs) == Type::Float(FloatKind::Double);
        let sh = self.unused(lhs);
        let (d, a, b) = (self.slot(d), self.slot(lhs), self.slot(rhs));
        match op {
            CmpOp::Eq => Op::Eq { d, a, b },
            CmpOp::Ne => Op::Ne { d, a, b },
            CmpOp::Ult => Op::Ult { d, a, b },
            CmpOp::Ule => Op::Ule { d, a, b },
            CmpOp::Ugt => Op::Ult { d, a: b, b: a },
            CmpOp::Uge => Op::Ule { d, a: b, b: a },
            CmpOp::Slt => Op::Slt { sh, d, a, b },
            CmpOp::Sle => Op::Sle { sh, d, a, b },
            CmpOp::Sgt => Op::Slt { sh, d, a: b, b: a },
            CmpOp::Sge => Op::Sle { sh, d, a: b, b: a },
            CmpOp::FOlt if double => Op::FLt { d, a, b },
            CmpOp::FOle if double => Op::FLe { d, a, b },
            CmpOp::FOgt if double => Op::FLt { d, a: b, b: a },
            CmpOp::FOge if double => Op::FLe { d, a: b, b: a },
            CmpOp::FOeq if double => Op::FEq { d, a, b },
            CmpOp::FOeq
            | CmpOp::FOne
            | CmpOp::FOlt
            | CmpOp::FOle
            | CmpOp::FOgt
            | CmpOp::FOge
            | CmpOp::FOrd
            | CmpOp::FUeq
            | CmpOp::FUne
            | CmpOp::FUlt
            | CmpOp::FUle
            | CmpOp::FUgt
            | CmpOp::FUge
            | CmpOp::FUno => Op::Slow,
        }
    }

    fn overflow(&self, op: OverflowOp, d: Value, lhs: Value, rhs: Value) -> Op {
        if self.is_wide(lhs) {
            return Op::Slow;
        }
        let sh = self.unused(lhs);
        let (d, a, b) = (self.slot(d), self.slot(lhs), self.slot(rhs));
        match op {
            OverflowOp::SAdd => Op::SAddO { sh, d, a, b },
            OverflowOp::UAdd => Op::UAddO { sh, d, a, b },
            OverflowOp::SSub => Op::SSubO { sh, d, a, b },
            OverflowOp::USub => Op::USubO { d, a, b },
            OverflowOp::SMul => Op::SMulO { sh, d, a, b },
            OverflowOp::UMul => Op::UMulO { sh, d, a, b },
        }
    }

    fn cast(&self, op: CastOp, d: Value, arg: Value) -> Op {
        if self.is_wide(d) || self.is_wide(arg) && op != CastOp::Trunc {
            return Op::Slow;
        }
        let (sh, from) = (self.unused(d), if self.is_wide(arg) { 0 } else { self.unused(arg) });
        let (d, a) = (self.slot(d), self.slot(arg));
        match op {
            CastOp::Trunc | CastOp::PtrToInt | CastOp::IntToPtr if sh > from || from == 0 => Op::Trunc { sh, d, a },
            CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::Bitcast => Op::Mov { d, s: a },
            CastOp::SExt => Op::SExt { sh, from, d, a },
            CastOp::FToF | CastOp::FToSi | CastOp::FToUi | CastOp::SiToF | CastOp::UiToF => Op::Slow,
        }
    }

    fn load(&self, d: Value, ptr: Value) -> Op {
        let bytes = self.func.ty(d).bytes(self.ptr_bits);
        if bytes > 8 {
            return Op::Slow;
        }
        let (sh, d, p) = (self.unused(d), self.slot(d), self.slot(ptr));
        match bytes {
            1 => Op::Load8 { sh, d, p },
            2 => Op::Load16 { sh, d, p },
            4 => Op::Load32 { sh, d, p },
            8 if sh == 0 => Op::Load64 { d, p },
            _ => Op::Slow,
        }
    }

    fn store(&self, ptr: Value, value: Value) -> Op {
        let (p, s) = (self.slot(ptr), self.slot(value));
        match self.func.ty(value).bytes(self.ptr_bits) {
            1 => Op::Store8 { p, s },
            2 => Op::Store16 { p, s },
            4 => Op::Store32 { p, s },
            8 => Op::Store64 { p, s },
            _ => Op::Slow,
        }
    }

    fn call(&mut self, site: &CallSite, results: &[Value]) -> Op {
        let pointer = match site.target {
            Target::Func(_) => 0,
            Target::Pointer(v) => self.slot(v),
        };
        let info = CallInfo {
            target: site.target,
            pointer,
            signature: matches!(site.target, Target::Pointer(_)).then(|| site.made_as(self.func, results)),
            args: site.args.iter().map(|&v| self.operand(v)).collect(),
            results: results.iter().map(|&v| self.operand(v)).collect(),
        };
        self.code.calls.push(info);
        Op::Call { info: self.code.calls.len() as u32 - 1 }
    }

    fn terminator(&mut self, term: &Terminator, melted: Option<InstId>) {
        match term {
            Terminator::Jump { to, args } => self.edge(*to, args),
            Terminator::Branch { cond, then, other } => self.branch(*cond, then, other, melted),
            Terminator::Switch { value, cases, default } => self.switch(*value, cases, default),
            Terminator::IndirectJump { value, targets: _ } => {
                let table = Table::Blocks { to: Vec::new() };
                self.code.tables.push(table);
                let table = self.code.tables.len() as u32 - 1;
                self.emit(Op::Switch { value: self.slot(*value), table });
            }
            Terminator::Return { values } => {
                let values = values.iter().map(|&v| self.operand(v)).collect();
                self.code.returns.push(values);
                self.emit(Op::Return { info: self.code.returns.len() as u32 - 1 });
            }
            Terminator::Exit { .. }
            | Terminator::Halt { .. }
            | Terminator::LongJmp { .. }
            | Terminator::Unreachable => self.emit(Op::Slow),
        }
    }

    /// Moves the arguments and jumps; the jump's target is patched later.
    fn edge(&mut self, to: Block, args: &[Value]) {
        self.moves(to, args);
        self.patches.push(self.here());
        self.emit(Op::Jump { to: to.0 });
    }

    fn branch(&mut self, cond: Value, then: &(Block, Vec<Value>), other: &(Block, Vec<Value>), melted: Option<InstId>) {
        if self.branches {
            self.trace_branch(cond, melted);
        }
        let at = self.here();
        let melted = if self.branches { None } else { melted };
        let op = match melted {
            Some(inst) => self.compare_branch(inst),
            None => (Op::Branch { c: self.slot(cond), then: 0, other: 0 }, false),
        };
        self.emit(op.0);
        let (first, second) = if op.1 { (other, then) } else { (then, other) };
        let then_at = self.here();
        self.edge(first.0, &first.1);
        let other_at = self.here();
        self.edge(second.0, &second.1);
        self.aim(at, then_at, other_at);
    }

    /// A traced branch needs its condition in a slot.
    fn trace_branch(&mut self, cond: Value, melted: Option<InstId>) {
        if let Some(inst) = melted {
            self.inst(inst);
        }
        self.emit(Op::TraceBranch { c: self.slot(cond) });
    }

    fn aim(&mut self, at: u32, to_then: u32, to_other: u32) {
        match &mut self.code.ops[at as usize] {
            Op::Branch { then, other, .. }
            | Op::BranchEq { then, other, .. }
            | Op::BranchUlt { then, other, .. }
            | Op::BranchSlt { then, other, .. } => {
                *then = to_then;
                *other = to_other;
            }
            op => unreachable!("{op:?} should be a branch"),
        }
    }

    /// The branch on a comparison, and whether its sides are exchanged.
    fn compare_branch(&self, inst: InstId) -> (Op, bool) {
        let Inst::Compare { op, lhs, rhs } = self.func.inst(inst).inst else {
            unreachable!("a melted condition should be a comparison")
        };
        let sh = self.unused(lhs);
        let (a, b) = (self.slot(lhs), self.slot(rhs));
        let (then, other) = (0, 0);
        match op {
            CmpOp::Eq => (Op::BranchEq { a, b, then, other }, false),
            CmpOp::Ne => (Op::BranchEq { a, b, then, other }, true),
            CmpOp::Ult => (Op::BranchUlt { a, b, then, other }, false),
            CmpOp::Uge => (Op::BranchUlt { a, b, then, other }, true),
            CmpOp::Ugt => (Op::BranchUlt { a: b, b: a, then, other }, false),
            CmpOp::Ule => (Op::BranchUlt { a: b, b: a, then, other }, true),
            CmpOp::Slt => (Op::BranchSlt { sh, a, b, then, other }, false),
            CmpOp::Sge => (Op::BranchSlt { sh, a, b, then, other }, true),
            CmpOp::Sgt => (Op::BranchSlt { sh, a: b, b: a, then, other }, false),
            CmpOp::Sle => (Op::BranchSlt { sh, a: b, b: a, then, other }, true),
            _ => unreachable!("only integer comparisons should be melted"),
        }
    }

    fn switch(&mut self, value: Value, cases: &[(Bv, Block, Vec<Value>)], default: &(Block, Vec<Value>)) {
        let table = self.code.tables.len() as u32;
        self.code.tables.push(Table::Blocks { to: Vec::new() });
        self.emit(Op::Switch { value: self.slot(value), table });
        let mut places = Vec::with_capacity(cases.len());
        for (constant, block, args) in cases {
            places.push((constant.clone(), self.here()));
            self.edge(*block, args);
        }
        let default_at = self.here();
        self.edge(default.0, &default.1);
        self.code.tables[table as usize] = self.table(value, places, default_at);
    }

    fn table(&self, value: Value, places: Vec<(Bv, u32)>, default: u32) -> Table {
        if self.is_wide(value) {
            return Table::Wide { value: self.operand(value), cases: places, default };
        }
        let mut cases: Vec<(u64, u32)> =
            places.iter().map(|(c, at)| (c.to_u64().expect("a narrow case should fit in 64 bits"), *at)).collect();
        cases.sort_unstable();
        let (Some(first), Some(last)) = (cases.first(), cases.last()) else {
            return Table::Sparse { cases, default };
        };
        let (first, span) = (first.0, last.0 - first.0);
        if span >= 4 * cases.len() as u64 + 8 {
            return Table::Sparse { cases, default };
        }
        let mut to = vec![default; span as usize + 1];
        for (c, at) in cases {
            to[(c - first) as usize] = at;
        }
        Table::Dense { first, to, default }
    }

    /// Replaces blocks by places, once all are known.
    fn patch(&mut self) {
        for &at in &self.patches {
            let Op::Jump { to } = &mut self.code.ops[at as usize] else { unreachable!("only jumps should be patched") };
            *to = self.code.starts[*to as usize];
        }
        for table in &mut self.code.tables {
            if let Table::Blocks { to } = table {
                to.clone_from(&self.code.starts);
            }
        }
        self.shorten();
    }

    /// Lets branches skip jumps that only jump on.
    fn shorten(&mut self) {
        let follow = |ops: &[Op], at: u32| match ops[at as usize] {
            Op::Jump { to } => to,
            _ => at,
        };
        for at in 0..self.code.ops.len() {
            let mut op = self.code.ops[at];
            if let Op::Branch { then, other, .. }
            | Op::BranchEq { then, other, .. }
            | Op::BranchUlt { then, other, .. }
            | Op::BranchSlt { then, other, .. } = &mut op
            {
                *then = follow(&self.code.ops, *then);
                *other = follow(&self.code.ops, *other);
                self.code.ops[at] = op;
            }
        }
    }

    /// Arguments to parameters, all at once: a move waits until no other one reads its destination.
    fn moves(&mut self, to: Block, args: &[Value]) {
        let mut pending: Vec<(Slot, Slot)> = Vec::new();
        for (&param, &arg) in self.func.block(to).params.iter().zip(args) {
            let (d, s) = (self.operand(param), self.operand(arg));
            pending.extend((0..d.slots()).map(|i| (d.slot + i, s.slot + i)).filter(|(d, s)| d != s));
        }
        let mut readers: HashMap<Slot, u32> = HashMap::new();
        for &(_, s) in &pending {
            *readers.entry(s).or_insert(0) += 1;
        }
        let writer: HashMap<Slot, usize> = pending.iter().enumerate().map(|(i, &(d, _))| (d, i)).collect();
        let mut done = vec![false; pending.len()];
        let mut ready: Vec<usize> = (0..pending.len()).filter(|&i| !readers.contains_key(&pending[i].0)).collect();
        let mut scan = 0;
        loop {
            while let Some(i) = ready.pop() {
                let (d, s) = pending[i];
                self.emit(Op::Mov { d, s });
                done[i] = true;
                let left = readers.get_mut(&s).expect("a source should be counted");
                *left -= 1;
                if *left == 0
                    && let Some(&w) = writer.get(&s)
                    && !done[w]
                {
                    ready.push(w);
                }
            }
            while scan < pending.len() && done[scan] {
                scan += 1;
            }
            if scan == pending.len() {
                return;
            }
            self.break_cycle(scan, &mut pending, &mut readers);
            ready.push(scan);
        }
    }

    /// Saves the destination of a move that is on a cycle, so that the move can go ahead.
    fn break_cycle(&mut self, at: usize, pending: &mut [(Slot, Slot)], readers: &mut HashMap<Slot, u32>) {
        let (d, _) = pending[at];
        let temp = self.temp;
        self.emit(Op::Mov { d: temp, s: d });
        let mut moved = 0;
        for (_, s) in pending.iter_mut().filter(|(_, s)| *s == d) {
            *s = temp;
            moved += 1;
        }
        readers.remove(&d);
        readers.insert(temp, moved);
    }
}

fn float_binary(op: BinOp, d: Slot, a: Slot, b: Slot) -> Op {
    match op {
        BinOp::FAdd => Op::FAdd { d, a, b },
        BinOp::FSub => Op::FSub { d, a, b },
        BinOp::FMul => Op::FMul { d, a, b },
        BinOp::FDiv => Op::FDiv { d, a, b },
        _ => Op::Slow,
    }
}
