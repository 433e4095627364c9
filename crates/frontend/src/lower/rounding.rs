//! Programs that change how floats are rounded.
//!
//! The current mode is a variable of our libc (`fenv.c`), under the name it has in CBMC. Where a program has it, every operation that rounds
//! takes the mode along; elsewhere operations round to nearest, and cost nothing more.

use super::Lowering;
use crate::llvm::Val;
use blitz_ir::{AccessKind, BinOp, Builtin, CastOp, Const, Global, GlobalId, Inst, Rounded, Type, UnOp, Value};

/// The variable that holds the mode.
const MODE: &str = "__CPROVER_rounding_mode";
/// Of the x87: all exceptions masked, 64 bits, to nearest.
const CONTROL_WORD: u64 = 0x037f;

/// The mode's variable, if the program has one.
pub fn mode_variable(globals: &[Global]) -> Option<GlobalId> {
    globals.iter().position(|g| g.name == MODE && g.size == 4).map(GlobalId::new)
}

impl Lowering<'_> {
    fn mode(&mut self, variable: GlobalId) -> Value {
        let ptr = self.b.constant(Type::Ptr, Const::Global(variable, 0));
        self.b.push1(self.cur, Inst::Load { ptr }, Type::I32, self.loc)
    }

    /// The instruction, with the mode if it rounds.
    pub(super) fn with_mode(&mut self, inst: Inst, variable: GlobalId) -> Inst {
        let (op, operands) = match inst {
            Inst::Binary { op: BinOp::FAdd, lhs, rhs } => (Rounded::Add, vec![lhs, rhs]),
            Inst::Binary { op: BinOp::FSub, lhs, rhs } => (Rounded::Sub, vec![lhs, rhs]),
            Inst::Binary { op: BinOp::FMul, lhs, rhs } => (Rounded::Mul, vec![lhs, rhs]),
            Inst::Binary { op: BinOp::FDiv, lhs, rhs } => (Rounded::Div, vec![lhs, rhs]),
            Inst::Unary { op: UnOp::FSqrt, arg } => (Rounded::Sqrt, vec![arg]),
            Inst::Unary { op: UnOp::FRoundEven, arg } => (Rounded::Integral, vec![arg]),
            Inst::FusedMulAdd { x, y, z } => (Rounded::MulAdd, vec![x, y, z]),
            Inst::Cast { op: CastOp::FToF, arg } => (Rounded::Convert, vec![arg]),
            Inst::Cast { op: CastOp::SiToF, arg } => (Rounded::FromSigned, vec![arg]),
            Inst::Cast { op: CastOp::UiToF, arg } => (Rounded::FromUnsigned, vec![arg]),
            other => return other,
        };
        let mut args = vec![self.mode(variable)];
        args.extend(operands);
        Inst::Builtin { op: Builtin::Rounded(op), args }
    }

    /// `fstcw`: the control word that programs begin with, and the mode.
    pub(super) fn store_control_word(&mut self, at: Val) {
        let ptr = self.used1(at);
        self.guard_bytes(at, ptr, 2, AccessKind::Write);
        let mut word = self.b.int(16, CONTROL_WORD);
        if let Some(variable) = self.shared.rounding {
            let mode = self.mode(variable);
            let mode = self.emit(Inst::Cast { op: CastOp::Trunc, arg: mode }, Type::Int(16));
            let (three, place) = (self.b.int(16, 3), self.b.int(16, 10));
            let mode = self.binary(BinOp::And, mode, three);
            let mode = self.binary(BinOp::Shl, mode, place);
            word = self.binary(BinOp::Or, word, mode);
        }
        self.emit0(Inst::Store { ptr, value: word });
    }

    /// `FLT_ROUNDS`: 0 towards zero, 1 to nearest, 2 up, 3 down.
    pub(super) fn rounds(&mut self, inst: Val) {
        let Some(variable) = self.shared.rounding else { return self.set_int(inst, 1) };
        let mode = self.mode(variable);
        let (two, three) = (self.b.int(32, 2), self.b.int(32, 3));
        // By mode, two bits each.
        let table = self.b.int(32, 0b00_10_11_01);
        let twice = self.binary(BinOp::Mul, mode, two);
        let shifted = self.binary(BinOp::LShr, table, twice);
        let answer = self.binary(BinOp::And, shifted, three);
        self.set1(inst, answer);
    }
}
