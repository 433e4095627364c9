//! The table of types: what each instruction takes and yields.

use crate::builtin::{Builtin, Rounded, ThreadOp};
use crate::func::{Func, Value};
use crate::inst::Target;
use crate::inst::{AccessKind, BinOp, CallSite, CastOp, CmpOp, Inst, InstData, Terminator, UnOp};
use crate::program::TargetInfo;
use crate::property::CheckKind;
use crate::types::Type;

type Outcome = Result<(), String>;

/// The kinds that a guard of an access can violate.
pub fn access_kinds(access: AccessKind) -> &'static [CheckKind] {
    use CheckKind::{BufferOverflow, DoubleFree, InvalidFree, NullDeref, Uninitialised, UseAfterFree, UseAfterScope};
    match access {
        AccessKind::Read | AccessKind::Write | AccessKind::String => {
            &[NullDeref, UseAfterFree, UseAfterScope, BufferOverflow]
        }
        AccessKind::Free => &[InvalidFree, DoubleFree],
        AccessKind::Defined => &[Uninitialised],
        AccessKind::SharedRead | AccessKind::SharedWrite | AccessKind::AtomicRead | AccessKind::AtomicWrite => {
            &[CheckKind::DataRace]
        }
    }
}

/// The operands and results of one instruction.
struct Check<'a> {
    func: &'a Func,
    word: Type,
    ptr_bits: u16,
    results: &'a [Value],
}

/// Whether an instruction's operands and results have the types it asks for.
pub fn inst(func: &Func, target: TargetInfo, data: &InstData) -> Outcome {
    let check = Check { func, word: Type::Int(target.ptr_bits), ptr_bits: target.ptr_bits, results: &data.results };
    check.inst(&data.inst)
}

/// Whether a terminator's operands have the types it asks for.
pub fn terminator(func: &Func, target: TargetInfo, term: &Terminator) -> Outcome {
    let word = Type::Int(target.ptr_bits);
    let check = Check { func, word, ptr_bits: target.ptr_bits, results: &[] };
    match term {
        Terminator::Jump { .. } | Terminator::Return { .. } | Terminator::Unreachable => Ok(()),
        Terminator::Branch { cond, .. } => check.takes(*cond, Type::BOOL),
        Terminator::Switch { value, cases, .. } => {
            check.int(*value)?;
            let width = func.ty(*value).bits(target.ptr_bits);
            expect(cases.iter().all(|c| c.0.width() == width), "cases should have the operand's width")
        }
        Terminator::IndirectJump { value, .. } => {
            let ty = func.ty(*value);
            expect(ty == Type::Ptr || ty == word, "a block's address should be a pointer or of its width")
        }
        Terminator::Exit { status } | Terminator::Halt { status } => check.takes(*status, Type::I32),
        Terminator::LongJmp { buf, value } => {
            check.takes(*buf, Type::Ptr)?;
            check.takes(*value, Type::I32)
        }
    }
}

fn expect(holds: bool, message: &str) -> Outcome {
    if holds { Ok(()) } else { Err(message.to_string()) }
}

impl Check<'_> {
    fn ty(&self, v: Value) -> Type {
        self.func.ty(v)
    }

    fn takes(&self, v: Value, ty: Type) -> Outcome {
        let found = self.ty(v);
        if found == ty { Ok(()) } else { Err(format!("{v} is of type {found}, should be {ty}")) }
    }

    fn takes_all(&self, list: &[(Value, Type)]) -> Outcome {
        list.iter().try_for_each(|&(v, ty)| self.takes(v, ty))
    }

    fn int(&self, v: Value) -> Outcome {
        expect(matches!(self.ty(v), Type::Int(_)), &format!("{v} should be an integer"))
    }

    fn float(&self, v: Value) -> Outcome {
        expect(matches!(self.ty(v), Type::Float(_)), &format!("{v} should be a float"))
    }

    fn yields(&self, types: &[Type]) -> Outcome {
        let found: Vec<Type> = self.results.iter().map(|&v| self.ty(v)).collect();
        if found == types { Ok(()) } else { Err(format!("yields {found:?}, should yield {types:?}")) }
    }

    fn one_result(&self) -> Result<Type, String> {
        match self.results {
            [v] => Ok(self.ty(*v)),
            other => Err(format!("has {} results, should have one", other.len())),
        }
    }

    fn inst(&self, inst: &Inst) -> Outcome {
        let word = self.word;
        match inst {
            Inst::Unary { op, arg } => self.unary(*op, *arg),
            Inst::Binary { op, lhs, rhs } => self.binary(*op, *lhs, *rhs),
            Inst::Compare { op, lhs, rhs } => self.compare(*op, *lhs, *rhs),
            Inst::Overflow { lhs, rhs, .. } => {
                self.int(*lhs)?;
                self.takes(*rhs, self.ty(*lhs))?;
                self.yields(&[Type::BOOL])
            }
            Inst::Cast { op, arg } => self.cast(*op, self.ty(*arg), self.one_result()?),
            Inst::Select { cond, then, other } => {
                self.takes(*cond, Type::BOOL)?;
                self.takes(*other, self.ty(*then))?;
                self.yields(&[self.ty(*then)])
            }
            Inst::FusedMulAdd { x, y, z } => {
                self.float(*x)?;
                self.takes_all(&[(*y, self.ty(*x)), (*z, self.ty(*x))])?;
                self.yields(&[self.ty(*x)])
            }
            Inst::PtrAdd { base, offset, extent } => {
                self.takes_all(&[(*base, Type::Ptr), (*offset, word)])?;
                expect(extent.is_none_or(|e| e.size > 0), "an extent should not be empty")?;
                self.yields(&[Type::Ptr])
            }
            Inst::Alloca { size, .. } | Inst::HeapAlloc { size, .. } => {
                self.takes(*size, word)?;
                self.yields(&[Type::Ptr])
            }
            Inst::LifetimeStart { ptr } | Inst::LifetimeEnd { ptr } | Inst::HeapFree { ptr } => {
                self.takes(*ptr, Type::Ptr)?;
                self.yields(&[])
            }
            Inst::StackSave => self.yields(&[Type::Ptr]),
            Inst::StackRestore { saved } => {
                self.takes(*saved, Type::Ptr)?;
                self.yields(&[])
            }
            Inst::Load { ptr } => {
                self.takes(*ptr, Type::Ptr)?;
                self.one_result().map(|_| ())
            }
            Inst::LoadShadow { ptr } => {
                self.takes(*ptr, Type::Ptr)?;
                self.int_result()
            }
            Inst::Store { ptr, .. } => {
                self.takes(*ptr, Type::Ptr)?;
                self.yields(&[])
            }
            Inst::StoreShadow { ptr, shadow } => {
                self.takes(*ptr, Type::Ptr)?;
                self.int(*shadow)?;
                self.yields(&[])
            }
            Inst::MemCopy { dst, src, len } => {
                self.takes_all(&[(*dst, Type::Ptr), (*src, Type::Ptr), (*len, word)])?;
                self.yields(&[])
            }
            Inst::MemSet { dst, byte, len } => {
                self.takes_all(&[(*dst, Type::Ptr), (*byte, Type::I8), (*len, word)])?;
                self.yields(&[])
            }
            Inst::Scan { ptr, byte, limit } => {
                self.takes_all(&[(*ptr, Type::Ptr), (*byte, Type::I8), (*limit, word)])?;
                self.yields(&[word])
            }
            Inst::Mismatch { lhs, rhs, limit } => {
                self.takes_all(&[(*lhs, Type::Ptr), (*rhs, Type::Ptr), (*limit, word)])?;
                self.yields(&[word])
            }
            Inst::Check { cond, .. } | Inst::Assume { cond } | Inst::Await { cond, .. } => {
                self.takes(*cond, Type::BOOL)?;
                self.yields(&[])
            }
            Inst::CheckMem(check) => {
                self.takes_all(&[(check.ptr, Type::Ptr), (check.size, word)])?;
                self.yields(&[])
            }
            Inst::Call(call) => self.call(call),
            Inst::Input { .. } => self.one_result().map(|_| ()),
            Inst::InputBytes { ptr, len, .. } => {
                self.takes_all(&[(*ptr, Type::Ptr), (*len, word)])?;
                self.yields(&[])
            }
            Inst::Builtin { op, args } => self.builtin(*op, args),
            Inst::SetJmp { buf } => {
                self.takes(*buf, Type::Ptr)?;
                self.yields(&[Type::I32])
            }
            Inst::Debug { value, indirect, .. } => {
                expect(!indirect || self.ty(*value) == Type::Ptr, "an address should be a pointer")?;
                self.yields(&[])
            }
            // What it stands for may have had results of any type.
            Inst::Unsupported { .. } | Inst::Approximates { .. } => Ok(()),
        }
    }

    fn int_result(&self) -> Outcome {
        expect(matches!(self.one_result()?, Type::Int(_)), "a shadow should be an integer")
    }

    fn unary(&self, op: UnOp, arg: Value) -> Outcome {
        let ty = self.ty(arg);
        match op {
            UnOp::CountOnes | UnOp::LeadingZeros | UnOp::TrailingZeros | UnOp::BitReverse => {
                self.int(arg)?;
                self.yields(&[ty])
            }
            UnOp::ByteSwap => {
                self.int(arg)?;
                expect(ty.bits(self.ptr_bits).is_multiple_of(8), "only whole bytes can be swapped")?;
                self.yields(&[ty])
            }
            UnOp::FNeg
            | UnOp::FAbs
            | UnOp::FSqrt
            | UnOp::FFloor
            | UnOp::FCeil
            | UnOp::FTrunc
            | UnOp::FRoundEven
            | UnOp::FRound => {
                self.float(arg)?;
                self.yields(&[ty])
            }
            UnOp::FIsNan
            | UnOp::FIsInf
            | UnOp::FIsFinite
            | UnOp::FIsNormal
            | UnOp::FIsSubnormal
            | UnOp::FIsZero
            | UnOp::FSignBit => {
                self.float(arg)?;
                self.yields(&[Type::BOOL])
            }
        }
    }

    fn binary(&self, op: BinOp, lhs: Value, rhs: Value) -> Outcome {
        if op.is_float() {
            self.float(lhs)?
        } else {
            self.int(lhs)?
        }
        self.takes(rhs, self.ty(lhs))?;
        self.yields(&[self.ty(lhs)])
    }

    fn compare(&self, op: CmpOp, lhs: Value, rhs: Value) -> Outcome {
        let float = matches!(self.ty(lhs), Type::Float(_));
        expect(float == op.is_float(), "floats and other values are compared differently")?;
        self.takes(rhs, self.ty(lhs))?;
        self.yields(&[Type::BOOL])
    }

    fn cast(&self, op: CastOp, from: Type, to: Type) -> Outcome {
        use Type::{Float, Int, Ptr};
        let ok = match (op, from, to) {
            (CastOp::Trunc, Int(a), Int(b)) => a > b,
            (CastOp::ZExt | CastOp::SExt, Int(a), Int(b)) => a < b,
            (CastOp::FToF, Float(a), Float(b)) => a != b,
            (CastOp::FToSi | CastOp::FToUi, Float(_), Int(_)) => true,
            (CastOp::SiToF | CastOp::UiToF, Int(_), Float(_)) => true,
            (CastOp::PtrToInt, Ptr, Int(w)) | (CastOp::IntToPtr, Int(w), Ptr) => w == self.ptr_bits,
            (CastOp::Bitcast, a, b) => a.bits(self.ptr_bits) == b.bits(self.ptr_bits),
            _ => false,
        };
        if ok { Ok(()) } else { Err(format!("{} can't make {to} from {from}", op.name())) }
    }

    fn call(&self, call: &CallSite) -> Outcome {
        let fixed = &call.signature.params;
        if let Target::Pointer(p) = call.target {
            self.takes(p, Type::Ptr)?;
        }
        let enough = call.args.len() == fixed.len() || call.signature.variadic && call.args.len() > fixed.len();
        expect(enough, &format!("passes {} arguments for {}", call.args.len(), call.signature))?;
        let pairs = call.args.iter().copied().zip(fixed.iter().copied());
        let pointer = matches!(call.target, Target::Pointer(_));
        let wider = |v: Value, ty: Type| match (self.func.ty(v), ty) {
            (Type::Int(given), Type::Int(wanted)) => pointer && given > wanted,
            _ => false,
        };
        pairs.into_iter().filter(|(v, ty)| !wider(*v, *ty)).try_for_each(|(v, ty)| self.takes(v, ty))?;
        if pointer && self.results.is_empty() { Ok(()) } else { self.yields(&call.signature.results) }
    }

    fn rounded(&self, op: Rounded, args: &[Value]) -> Outcome {
        let result = self.results.first().map(|&v| self.func.ty(v));
        expect(matches!(result, Some(Type::Float(_))), "a rounded operation yields a float")?;
        let operands = match op {
            Rounded::Sqrt | Rounded::Integral | Rounded::Convert | Rounded::FromSigned | Rounded::FromUnsigned => 1,
            Rounded::Add | Rounded::Sub | Rounded::Mul | Rounded::Div => 2,
            Rounded::MulAdd => 3,
        };
        expect(args.len() == operands + 1, &format!("a rounded operation takes a mode and {operands} operands"))?;
        self.takes(args[0], Type::I32)?;
        args[1..].iter().try_for_each(|&v| match (op, self.func.ty(v)) {
            (Rounded::FromSigned | Rounded::FromUnsigned, Type::Int(_)) | (Rounded::Convert, Type::Float(_)) => Ok(()),
            (Rounded::FromSigned | Rounded::FromUnsigned | Rounded::Convert, ty) => {
                Err(format!("{ty} can't be converted with rounding"))
            }
            (_, _) => self.takes(v, result.unwrap_or(Type::I32)),
        })
    }

    fn builtin(&self, op: Builtin, args: &[Value]) -> Outcome {
        use Type::Ptr;
        const BOOL: Type = Type::BOOL;
        const I32: Type = Type::I32;
        let w = self.word;
        let (params, results): (&[Type], &[Type]) = match op {
            Builtin::ObjectSize | Builtin::Offset | Builtin::ObjectId => (&[Ptr], &[w]),
            Builtin::Readable | Builtin::Writable => (&[Ptr, w], &[BOOL]),
            Builtin::Peekable => (&[Ptr], &[BOOL]),
            Builtin::IsHeap | Builtin::IsLive | Builtin::IsCode | Builtin::JumpSet => (&[Ptr], &[BOOL]),
            Builtin::MathIs => (&[I32, Type::Int(64), Type::Int(64), Type::Int(64)], &[BOOL]),
            Builtin::Narrow | Builtin::Open => (&[w], &[BOOL]),
            Builtin::AllocFails => (&[], &[BOOL]),
            Builtin::KeepAlive => (&[Ptr], &[]),
            Builtin::Quantifier => (&[], &[]),
            Builtin::Output => (&[I32, Ptr, w], &[]),
            Builtin::Host => (&[I32, w, w, w, w, w, w], &[w]),
            Builtin::Rounded(op) => return self.rounded(op, args),
            Builtin::Thread(op) => match op {
                ThreadOp::Start => (&[Ptr, Ptr], &[I32]),
                ThreadOp::Self_ => (&[], &[I32]),
                ThreadOp::Done => (&[I32], &[BOOL]),
                ThreadOp::Resumed => (&[], &[BOOL]),
                ThreadOp::Exit | ThreadOp::Switch | ThreadOp::AtomicBegin | ThreadOp::AtomicEnd => (&[], &[]),
                ThreadOp::Acquire | ThreadOp::Release | ThreadOp::Publish => (&[Ptr], &[]),
                ThreadOp::Local => (&[Ptr], &[Ptr]),
            },
        };
        expect(args.len() == params.len(), &format!("{} takes {} arguments", op.name(), params.len()))?;
        args.iter().zip(params).try_for_each(|(&v, &ty)| self.takes(v, ty))?;
        self.yields(results)
    }
}
