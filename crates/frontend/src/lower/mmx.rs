//! MMX: arithmetic on the lanes of a register of 64 bits. What is not here is refused by name.

use super::Lowering;
use crate::llvm::Val;
use blitz_ir::{BinOp, CastOp, OverflowOp, Type, Value};

impl Lowering<'_> {
    /// `operation` is the name after `llvm.x86.mmx.`: what is done, and the width of the lanes.
    pub(super) fn mmx(&mut self, inst: Val, operation: &str) {
        let (what, lane) = operation.rsplit_once('.').unwrap_or((operation, "q"));
        let width = match lane {
            "b" => 8,
            "w" => 16,
            "d" => 32,
            _ => 64,
        };
        match what {
            "padd" => self.on_lanes(inst, width, |l, a, b| l.binary(BinOp::Add, a, b)),
            "psub" => self.on_lanes(inst, width, |l, a, b| l.binary(BinOp::Sub, a, b)),
            "padds" => self.on_lanes(inst, width, |l, a, b| l.saturate_signed(OverflowOp::SAdd, BinOp::Add, a, b)),
            "psubs" => self.on_lanes(inst, width, |l, a, b| l.saturate_signed(OverflowOp::SSub, BinOp::Sub, a, b)),
            "paddus" => self.on_lanes(inst, width, |l, a, b| l.saturate_unsigned(OverflowOp::UAdd, BinOp::Add, a, b)),
            "psubus" => self.on_lanes(inst, width, |l, a, b| l.saturate_unsigned(OverflowOp::USub, BinOp::Sub, a, b)),
            "pand" => self.on_lanes(inst, width, |l, a, b| l.binary(BinOp::And, a, b)),
            "por" => self.on_lanes(inst, width, |l, a, b| l.binary(BinOp::Or, a, b)),
            "pxor" => self.on_lanes(inst, width, |l, a, b| l.binary(BinOp::Xor, a, b)),
            "pextr" if width == 16 => self.extract_lane(inst),
            _ => self.refuse(inst, &format!("intrinsic llvm.x86.mmx.{operation}")),
        }
    }

    fn on_lanes(&mut self, inst: Val, width: u16, mut f: impl FnMut(&mut Self, Value, Value) -> Value) {
        let lanes = vec![Type::Int(width); usize::from(64 / width)];
        let (lhs, rhs) = (self.used1(inst.operand(0)), self.used1(inst.operand(1)));
        let (lhs, rhs) = (self.split(lhs, &lanes), self.split(rhs, &lanes));
        let results: Vec<Value> = lhs.into_iter().zip(rhs).map(|(a, b)| f(self, a, b)).collect();
        let whole = self.join(&results);
        self.set1(inst, whole);
    }

    /// One of four lanes, by the low bits of a constant.
    fn extract_lane(&mut self, inst: Val) {
        let whole = self.used1(inst.operand(0));
        let index = inst.operand(1).int_bits() & 3;
        let lane = self.split(whole, &[Type::Int(16); 4])[index as usize];
        let wide = self.resize(lane, 32, CastOp::ZExt);
        self.set1(inst, wide);
    }
}
