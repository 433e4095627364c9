//! LLVM's own functions, by name without the types at the end.

use super::Lowering;
use crate::llvm::{Val, ValueKind};
use blitz_base::Bv;
use blitz_ir::{AccessKind, BinOp, CastOp, CmpOp, Const, Inst, OverflowOp, Terminator, Type, UnOp, Value};

/// Exit status of a process that ended by a trap, as a shell shows it.
const TRAPPED: u64 = 132;

impl Lowering<'_> {
    pub(super) fn intrinsic(&mut self, inst: Val, name: &str) {
        let base = base_name(name);
        if base == "roundeven" && self.shared.rounding.is_some() {
            return self.refuse(inst, "roundeven in a program that changes the rounding mode");
        }
        if let Some(op) = elementwise_unary(base) {
            return self.map1(inst, |l, a| l.unary(op, a));
        }
        if let Some(op) = elementwise_binary(base) {
            return self.map2(inst, |l, a, b| l.binary(op, a, b));
        }
        if let Some(op) = overflow_op(base) {
            return self.with_overflow(inst, op);
        }
        if let Some(op) = reduce_op(base) {
            return self.reduce(inst, op);
        }
        match base {
            "dbg.declare" => self.dbg_declare(inst),
            "dbg.value" => self.dbg_value(inst),
            "memcpy" | "memcpy.inline" | "memmove" => self.mem_copy(inst),
            "memset" | "memset.inline" => self.mem_set(inst),
            "lifetime.start" => self.lifetime(inst, |ptr| Inst::LifetimeStart { ptr }),
            "lifetime.end" => self.lifetime(inst, |ptr| Inst::LifetimeEnd { ptr }),
            "stacksave" => {
                let saved = self.emit(Inst::StackSave, Type::Ptr);
                self.set1(inst, saved);
            }
            "stackrestore" => {
                let saved = self.used1(inst.operand(0));
                self.emit0(Inst::StackRestore { saved });
            }
            "va_start" => self.va_start(inst),
            "va_copy" => self.va_copy(inst),
            "va_end" => {}
            "assume" => {
                let cond = self.used1(inst.operand(0));
                self.emit0(Inst::Assume { cond });
            }
            "trap" => {
                let status = self.b.int(32, TRAPPED);
                self.end(Terminator::Halt { status });
            }
            "ubsantrap" => {
                self.sanitizer_trap(inst);
            }
            _ if has_no_effect(base) => {}
            _ if passes_through(base) => self.pass_through(inst),
            _ => self.other_intrinsic(inst, name, base),
        }
    }

    fn other_intrinsic(&mut self, inst: Val, name: &str, base: &str) {
        match base {
            "ctlz" => self.map1(inst, |l, a| l.unary(UnOp::LeadingZeros, a)),
            "cttz" => self.map1(inst, |l, a| l.unary(UnOp::TrailingZeros, a)),
            "abs" => self.map1(inst, Self::absolute),
            "uadd.sat" => self.map2(inst, |l, a, b| l.saturate_unsigned(OverflowOp::UAdd, BinOp::Add, a, b)),
            "usub.sat" => self.map2(inst, |l, a, b| l.saturate_unsigned(OverflowOp::USub, BinOp::Sub, a, b)),
            "sadd.sat" => self.map2(inst, |l, a, b| l.saturate_signed(OverflowOp::SAdd, BinOp::Add, a, b)),
            "ssub.sat" => self.map2(inst, |l, a, b| l.saturate_signed(OverflowOp::SSub, BinOp::Sub, a, b)),
            "fshl" => self.funnel(inst, BinOp::Shl),
            "fshr" => self.funnel(inst, BinOp::LShr),
            "fma" | "fmuladd" => self.fused(inst),
            "powi" => self.power(inst, name),
            "minimum" => self.map2(inst, |l, a, b| l.nan_or(BinOp::FMin, a, b)),
            "maximum" => self.map2(inst, |l, a, b| l.nan_or(BinOp::FMax, a, b)),
            "lrint" | "llrint" => self.round_to_int(inst, UnOp::FRoundEven),
            "lround" | "llround" => self.round_to_int(inst, UnOp::FRound),
            "is.fpclass" => {
                let mask = inst.operand(1).int_bits();
                self.map1(inst, |l, a| l.is_class(a, mask));
            }
            "convert.to.fp16" => self.half_bits(inst),
            "convert.from.fp16" => self.half_from_bits(inst),
            "is.constant" => self.set_int(inst, 0),
            "get.rounding" | "flt.rounds" => self.rounds(inst),
            "allow.runtime.check" | "allow.ubsan.check" => self.set_int(inst, 1),
            "objectsize" => {
                let least = inst.operand(1).int_bits() & 1 == 1;
                self.set_int(inst, if least { 0 } else { u64::MAX });
            }
            "ptrmask" => self.ptrmask(inst),
            "scmp" => self.map2_to(inst, |l, a, b| (l.compare(CmpOp::Sgt, a, b), l.compare(CmpOp::Slt, a, b))),
            "ucmp" => self.map2_to(inst, |l, a, b| (l.compare(CmpOp::Ugt, a, b), l.compare(CmpOp::Ult, a, b))),
            "returnaddress" | "frameaddress" | "addressofreturnaddress" | "sponentry" | "eh.dwarf.cfa" => {
                let anything = self.undef(Type::Ptr);
                self.set1(inst, anything);
            }
            "readcyclecounter" | "readsteadycounter" | "x86.rdtsc" => {
                let input = self.emit(Inst::Input { name: base.into() }, Type::I64);
                self.set1(inst, input);
            }
            _ => match base.strip_prefix("x86.mmx.") {
                Some(operation) => self.mmx(inst, operation),
                None => self.refuse(inst, &format!("intrinsic {name}")),
            },
        }
    }

    fn map1(&mut self, inst: Val, mut f: impl FnMut(&mut Self, Value) -> Value) {
        let args = self.used(inst.operand(0));
        let parts = args.into_iter().map(|a| f(self, a)).collect();
        self.set(inst, parts);
    }

    fn map2(&mut self, inst: Val, mut f: impl FnMut(&mut Self, Value, Value) -> Value) {
        let lhs = self.used(inst.operand(0));
        let rhs = self.used(inst.operand(1));
        let parts = lhs.into_iter().zip(rhs).map(|(a, b)| f(self, a, b)).collect();
        self.set(inst, parts);
    }

    /// Three-way comparison from "greater" and "less".
    fn map2_to(&mut self, inst: Val, mut f: impl FnMut(&mut Self, Value, Value) -> (Value, Value)) {
        let widths = self.part_widths(inst);
        let lhs = self.used(inst.operand(0));
        let rhs = self.used(inst.operand(1));
        let mut out = Vec::new();
        for ((a, b), w) in lhs.into_iter().zip(rhs).zip(widths) {
            let (greater, less) = f(self, a, b);
            let up = self.resize(greater, w, CastOp::ZExt);
            let down = self.resize(less, w, CastOp::ZExt);
            out.push(self.binary(BinOp::Sub, up, down));
        }
        self.set(inst, out.into());
    }

    /// `x` to a constant integer power, multiplied in the order of the compiler's runtime (`__powidf2`).
    fn power(&mut self, inst: Val, name: &str) {
        let exponent = inst.operand(1);
        if exponent.kind() != ValueKind::LLVMConstantIntValueKind {
            return self.refuse(inst, &format!("intrinsic {name} with an exponent that is not constant"));
        }
        let exponent = exponent.int_bits() as u32 as i32;
        self.map1(inst, |l, x| {
            let (ty, unit) = (l.ty(x), l.b.int(32, 1));
            let one = l.emit(Inst::Cast { op: CastOp::UiToF, arg: unit }, ty);
            let (mut square, mut left) = (x, exponent.unsigned_abs());
            let mut product = if left % 2 == 1 { x } else { one };
            while left > 1 {
                left /= 2;
                square = l.binary(BinOp::FMul, square, square);
                if left % 2 == 1 {
                    product = l.binary(BinOp::FMul, product, square);
                }
            }
            if exponent < 0 { l.binary(BinOp::FDiv, one, product) } else { product }
        });
    }

    pub(super) fn set_int(&mut self, inst: Val, value: u64) {
        let width = self.part_widths(inst).first().copied().unwrap_or(1);
        let bits = if value == u64::MAX { Bv::ones(width) } else { Bv::from_u64(width, value) };
        let v = self.b.constant(Type::Int(width), Const::Bits(bits));
        self.set1(inst, v);
    }

    fn pass_through(&mut self, inst: Val) {
        let from = inst.operand(0);
        let parts = self.get(from);
        self.set(inst, parts);
        if let Some(shadows) = self.shadows_of(from) {
            self.set_shadows(inst, shadows);
        }
    }

    fn with_overflow(&mut self, inst: Val, op: OverflowOp) {
        let binary = match op {
            OverflowOp::SAdd | OverflowOp::UAdd => BinOp::Add,
            OverflowOp::SSub | OverflowOp::USub => BinOp::Sub,
            OverflowOp::SMul | OverflowOp::UMul => BinOp::Mul,
        };
        let lhs = self.used(inst.operand(0));
        let rhs = self.used(inst.operand(1));
        let pairs: Vec<(Value, Value)> = lhs.into_iter().zip(rhs).collect();
        let mut out: Vec<Value> = pairs.iter().map(|&(a, b)| self.binary(binary, a, b)).collect();
        for (lhs, rhs) in pairs {
            out.push(self.emit(Inst::Overflow { op, lhs, rhs }, Type::BOOL));
        }
        self.set(inst, out.into());
    }

    fn reduce(&mut self, inst: Val, op: BinOp) {
        // The ordered float reductions begin with a scalar.
        let mut parts: Vec<Value> = inst.args().into_iter().flat_map(|a| self.used(a)).collect();
        let first = if parts.is_empty() { self.undef(Type::I32) } else { parts.remove(0) };
        let result = parts.into_iter().fold(first, |a, b| self.binary(op, a, b));
        self.set1(inst, result);
    }

    fn absolute(&mut self, a: Value) -> Value {
        let zero = self.zero(self.ty(a));
        let negated = self.binary(BinOp::Sub, zero, a);
        let negative = self.compare(CmpOp::Slt, a, zero);
        self.select(negative, negated, a)
    }

    pub(super) fn saturate_unsigned(&mut self, over: OverflowOp, op: BinOp, a: Value, b: Value) -> Value {
        let result = self.binary(op, a, b);
        let overflows = self.emit(Inst::Overflow { op: over, lhs: a, rhs: b }, Type::BOOL);
        let width = self.bits_of(a);
        let limit = if over == OverflowOp::UAdd { Bv::ones(width) } else { Bv::zero(width) };
        let limit = self.b.constant(Type::Int(width), Const::Bits(limit));
        self.select(overflows, limit, result)
    }

    pub(super) fn saturate_signed(&mut self, over: OverflowOp, op: BinOp, a: Value, b: Value) -> Value {
        let result = self.binary(op, a, b);
        let overflows = self.emit(Inst::Overflow { op: over, lhs: a, rhs: b }, Type::BOOL);
        let width = self.bits_of(a);
        let ty = Type::Int(width);
        let least = self.b.constant(ty, Const::Bits(Bv::min_signed(width)));
        let most = self.b.constant(ty, Const::Bits(Bv::max_signed(width)));
        let zero = self.zero(ty);
        let negative = self.compare(CmpOp::Slt, a, zero);
        let limit = self.select(negative, least, most);
        self.select(overflows, limit, result)
    }

    /// `fshl(a, b, s)`: the high half of `a:b << (s mod width)`; `fshr`: the low half of `a:b >> (s mod width)`.
    fn funnel(&mut self, inst: Val, op: BinOp) {
        let (a, b) = (self.used(inst.operand(0)), self.used(inst.operand(1)));
        let amounts = self.used(inst.operand(2));
        let mut out = Vec::new();
        for i in 0..a.len().min(b.len()).min(amounts.len()) {
            let width = self.bits_of(a[i]);
            let modulus = self.b.int(width, u64::from(width));
            let by = self.binary(BinOp::URem, amounts[i], modulus);
            let rest = self.binary(BinOp::Sub, modulus, by);
            // A shift by the whole width gives 0, which is right for an amount of 0.
            let (left, right) = if op == BinOp::Shl { (by, rest) } else { (rest, by) };
            let high = self.binary(BinOp::Shl, a[i], left);
            let low = self.binary(BinOp::LShr, b[i], right);
            out.push(self.binary(BinOp::Or, high, low));
        }
        self.set(inst, out.into());
    }

    fn fused(&mut self, inst: Val) {
        let (x, y) = (self.used(inst.operand(0)), self.used(inst.operand(1)));
        let z = self.used(inst.operand(2));
        let separate = inst.callee().name().starts_with("llvm.fmuladd");
        let mut out = Vec::new();
        for ((x, y), z) in x.into_iter().zip(y).zip(z) {
            let ty = self.ty(x);
            out.push(if separate {
                // x86-64 without FMA rounds twice.
                let product = self.binary(BinOp::FMul, x, y);
                self.binary(BinOp::FAdd, product, z)
            } else {
                self.emit(Inst::FusedMulAdd { x, y, z }, ty)
            });
        }
        self.set(inst, out.into());
    }

    /// The operand that is a NaN, else the result of the operation.
    fn nan_or(&mut self, op: BinOp, a: Value, b: Value) -> Value {
        let result = self.binary(op, a, b);
        let (nan_a, nan_b) = (self.unary(UnOp::FIsNan, a), self.unary(UnOp::FIsNan, b));
        let second = self.select(nan_b, b, result);
        self.select(nan_a, a, second)
    }

    fn round_to_int(&mut self, inst: Val, op: UnOp) {
        let widths = self.part_widths(inst);
        let args = self.used(inst.operand(0));
        let mut out = Vec::new();
        for (a, w) in args.into_iter().zip(widths) {
            let rounded = self.unary(op, a);
            out.push(self.emit(Inst::Cast { op: CastOp::FToSi, arg: rounded }, Type::Int(w)));
        }
        self.set(inst, out.into());
    }

    fn half_bits(&mut self, inst: Val) {
        let arg = self.used1(inst.operand(0));
        let half = self.emit(Inst::Cast { op: CastOp::FToF, arg }, Type::Float(blitz_ir::FloatKind::Half));
        let bits = self.as_int(half);
        self.set1(inst, bits);
    }

    fn half_from_bits(&mut self, inst: Val) {
        let bits = self.used1(inst.operand(0));
        let half = self.bitcast(bits, Type::Float(blitz_ir::FloatKind::Half));
        let ty = self.part_types(inst.ty()).first().copied().unwrap_or(Type::Float(blitz_ir::FloatKind::Single));
        let value = if ty == self.ty(half) { half } else { self.emit(Inst::Cast { op: CastOp::FToF, arg: half }, ty) };
        self.set1(inst, value);
    }

    fn ptrmask(&mut self, inst: Val) {
        let ptr = self.used1(inst.operand(0));
        let mask = self.used1(inst.operand(1));
        let bits = self.as_int(ptr);
        let mask = self.resize(mask, self.word_bits(), CastOp::SExt);
        let masked = self.binary(BinOp::And, bits, mask);
        let out = self.bitcast(masked, Type::Ptr);
        self.set1(inst, out);
    }

    fn mem_copy(&mut self, inst: Val) {
        let (to, from) = (inst.operand(0), inst.operand(1));
        let (dst, src) = (self.used1(to), self.used1(from));
        let len = self.used1(inst.operand(2));
        let len = self.resize(len, self.word_bits(), CastOp::ZExt);
        self.share(from, src, len, AccessKind::SharedRead);
        self.share(to, dst, len, AccessKind::SharedWrite);
        self.guard_len(from, src, len, AccessKind::Read);
        self.guard_len(to, dst, len, AccessKind::Write);
        self.may_write(Some(to), dst, len);
        self.emit0(Inst::MemCopy { dst, src, len });
    }

    fn mem_set(&mut self, inst: Val) {
        let to = inst.operand(0);
        let dst = self.used1(to);
        let byte = self.used1(inst.operand(1));
        let len = self.used1(inst.operand(2));
        let len = self.resize(len, self.word_bits(), CastOp::ZExt);
        self.share(to, dst, len, AccessKind::SharedWrite);
        self.guard_len(to, dst, len, AccessKind::Write);
        self.may_write(Some(to), dst, len);
        self.emit0(Inst::MemSet { dst, byte, len });
    }

    fn lifetime(&mut self, inst: Val, make: impl FnOnce(Value) -> Inst) {
        let Some(&slot) = inst.args().last() else { return };
        if !self.scoped.contains(&slot) || !is_slot(slot) {
            return;
        }
        let ptr = self.get1(slot);
        let inst = make(ptr);
        let starts = matches!(inst, Inst::LifetimeStart { .. });
        self.emit0(inst);
        if starts {
            self.note_made(Some(slot), ptr);
            self.unset_slot(slot);
        }
    }

    fn dbg_declare(&mut self, inst: Val) {
        let Some((slot, _)) = crate::symbols::declared_variable(&self.shared.session, inst) else { return };
        let Some(&var) = self.slot_vars.get(&slot) else { return };
        let value = self.get1(slot);
        if self.ty(value) == Type::Ptr {
            self.emit0(Inst::Debug { var, value, indirect: true });
        }
    }

    fn dbg_value(&mut self, inst: Val) {
        let args = inst.args();
        let [value, var, expression] = args.as_slice() else { return };
        if !expression.print().contains("!DIExpression()") {
            return;
        }
        let Some(value) = value.as_metadata().as_value(&self.shared.session) else { return };
        let var = var.as_metadata();
        let known = self.value_vars.get(&var).copied();
        let Some(id) = known.or_else(|| self.new_var(var, None)) else { return };
        self.value_vars.insert(var, id);
        if let [value] = self.get(value)[..] {
            self.emit0(Inst::Debug { var: id, value, indirect: false });
        }
    }
}

fn is_slot(v: Val) -> bool {
    v.kind() == ValueKind::LLVMInstructionValueKind && v.opcode() == crate::llvm::Opcode::LLVMAlloca
}

/// The name without `llvm.` and without the types it is overloaded on.
fn base_name(name: &str) -> &str {
    let mut base = name.strip_prefix("llvm.").unwrap_or(name);
    while let Some((rest, last)) = base.rsplit_once('.') {
        if !is_type_suffix(last) {
            break;
        }
        base = rest;
    }
    base
}

fn is_type_suffix(text: &str) -> bool {
    let digits_after = |prefix: &str| {
        text.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
    };
    let vector = text.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    digits_after("i") || digits_after("f") || digits_after("p") || digits_after("bf") || vector
}

fn elementwise_unary(base: &str) -> Option<UnOp> {
    Some(match base {
        "ctpop" => UnOp::CountOnes,
        "bswap" => UnOp::ByteSwap,
        "bitreverse" => UnOp::BitReverse,
        "fabs" => UnOp::FAbs,
        "sqrt" => UnOp::FSqrt,
        "floor" => UnOp::FFloor,
        "ceil" => UnOp::FCeil,
        "trunc" => UnOp::FTrunc,
        // Like `rint` in the default mode only: a program that changes the mode is refused it.
        "rint" | "nearbyint" | "roundeven" => UnOp::FRoundEven,
        "round" => UnOp::FRound,
        _ => return None,
    })
}

fn elementwise_binary(base: &str) -> Option<BinOp> {
    Some(match base {
        "smax" => BinOp::SMax,
        "smin" => BinOp::SMin,
        "umax" => BinOp::UMax,
        "umin" => BinOp::UMin,
        "copysign" => BinOp::FCopySign,
        "minnum" => BinOp::FMin,
        "maxnum" => BinOp::FMax,
        _ => return None,
    })
}

fn overflow_op(base: &str) -> Option<OverflowOp> {
    Some(match base {
        "sadd.with.overflow" => OverflowOp::SAdd,
        "uadd.with.overflow" => OverflowOp::UAdd,
        "ssub.with.overflow" => OverflowOp::SSub,
        "usub.with.overflow" => OverflowOp::USub,
        "smul.with.overflow" => OverflowOp::SMul,
        "umul.with.overflow" => OverflowOp::UMul,
        _ => return None,
    })
}

fn reduce_op(base: &str) -> Option<BinOp> {
    Some(match base.strip_prefix("vector.reduce.")? {
        "add" => BinOp::Add,
        "mul" => BinOp::Mul,
        "and" => BinOp::And,
        "or" => BinOp::Or,
        "xor" => BinOp::Xor,
        "smax" => BinOp::SMax,
        "smin" => BinOp::SMin,
        "umax" => BinOp::UMax,
        "umin" => BinOp::UMin,
        "fadd" => BinOp::FAdd,
        "fmul" => BinOp::FMul,
        "fmax" => BinOp::FMax,
        "fmin" => BinOp::FMin,
        _ => return None,
    })
}

fn has_no_effect(base: &str) -> bool {
    matches!(
        base,
        "dbg.label"
            | "dbg.assign"
            | "donothing"
            | "prefetch"
            | "sideeffect"
            | "debugtrap"
            | "var.annotation"
            | "experimental.noalias.scope.decl"
            | "invariant.end"
            | "clear_cache"
            | "pseudoprobe"
            | "instrprof.increment"
            | "instrprof.cover"
            | "instrprof.value.profile"
            | "x86.sse2.pause"
            | "x86.sse2.mfence"
            | "x86.sse2.lfence"
            | "x86.sse.sfence"
            | "x86.mmx.emms"
    )
}

/// Intrinsics whose value is their first operand.
fn passes_through(base: &str) -> bool {
    matches!(
        base,
        "expect"
            | "expect.with.probability"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "threadlocal.address"
            | "ssa.copy"
            | "ptr.annotation"
            | "annotation"
            | "arithmetic.fence"
            | "canonicalize"
            | "preserve.static.offset"
    )
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn types_are_cut_off_names() {
        assert_eq!(base_name("llvm.memcpy.p0.p0.i64"), "memcpy");
        assert_eq!(base_name("llvm.sadd.with.overflow.i32"), "sadd.with.overflow");
        assert_eq!(base_name("llvm.is.fpclass.f64"), "is.fpclass");
        assert_eq!(base_name("llvm.fabs.v4f32"), "fabs");
        assert_eq!(base_name("llvm.convert.to.fp16.f32"), "convert.to.fp16");
    }
}
