//! Small questions that several passes ask.

use crate::func::{Const, Func, FuncBuilder, Value, ValueDef};
use crate::inst::{CmpOp, Inst};
use crate::types::Type;
use blitz_base::Bv;
use rustc_hash::FxHashMap;

/// The bits of a constant integer, float or null pointer.
pub fn const_bits(func: &Func, v: Value) -> Option<&Bv> {
    match func.as_const(v)? {
        Const::Bits(bits) => Some(bits),
        Const::Null | Const::Global(..) | Const::Func(_) | Const::Undef => None,
    }
}

/// A constant as a signed number.
pub fn const_i64(func: &Func, v: Value) -> Option<i64> {
    const_bits(func, v)?.to_i64()
}

/// A constant as an unsigned number.
pub fn const_u64(func: &Func, v: Value) -> Option<u64> {
    const_bits(func, v)?.to_u64()
}

pub fn is_undef(func: &Func, v: Value) -> bool {
    func.as_const(v) == Some(&Const::Undef)
}

/// The instruction that defines a value.
pub fn def_inst(func: &Func, v: Value) -> Option<&Inst> {
    match func.values[v.index()].def {
        ValueDef::Inst(i, _) => Some(&func.inst(i).inst),
        ValueDef::Param(..) | ValueDef::Const(_) => None,
    }
}

/// A constant of a type, by its bits; a zero pointer is null.
pub fn bits_constant(b: &mut FuncBuilder, ty: Type, bits: Bv) -> Value {
    let c = if ty == Type::Ptr && bits.is_zero() { Const::Null } else { Const::Bits(bits) };
    b.constant(ty, c)
}

/// A map from values to values that replace them.
#[derive(Default)]
pub struct Subst {
    to: Vec<Option<Value>>,
    pub used: bool,
}

impl Subst {
    pub fn set(&mut self, from: Value, to: Value) {
        if self.to.len() <= from.index() {
            self.to.resize(from.index() + 1, None);
        }
        self.to[from.index()] = Some(to);
        self.used = true;
    }

    /// What stands for a value in the end.
    pub fn get(&mut self, v: Value) -> Value {
        let mut root = v;
        while let Some(next) = self.step(root) {
            root = next;
        }
        let mut at = v;
        while let Some(next) = self.step(at) {
            self.to[at.index()] = Some(root);
            at = next;
        }
        root
    }

    fn step(&self, v: Value) -> Option<Value> {
        self.to.get(v.index()).copied().flatten().filter(|&n| n != v)
    }

    /// Replaces the operands of all instructions and terminators.
    pub fn apply(&mut self, func: &mut Func) {
        if !self.used {
            return;
        }
        for block in &mut func.blocks {
            for &i in &block.insts {
                func.insts[i.index()].inst.for_each_operand_mut(|v| *v = self.get(*v));
            }
            block.term.for_each_operand_mut(|v| *v = self.get(*v));
        }
    }
}

/// The comparison that holds exactly where this one does not.
pub fn invert(op: CmpOp) -> CmpOp {
    match op {
        CmpOp::Eq => CmpOp::Ne,
        CmpOp::Ne => CmpOp::Eq,
        CmpOp::Ult => CmpOp::Uge,
        CmpOp::Ule => CmpOp::Ugt,
        CmpOp::Ugt => CmpOp::Ule,
        CmpOp::Uge => CmpOp::Ult,
        CmpOp::Slt => CmpOp::Sge,
        CmpOp::Sle => CmpOp::Sgt,
        CmpOp::Sgt => CmpOp::Sle,
        CmpOp::Sge => CmpOp::Slt,
        CmpOp::FOeq => CmpOp::FUne,
        CmpOp::FOne => CmpOp::FUeq,
        CmpOp::FOlt => CmpOp::FUge,
        CmpOp::FOle => CmpOp::FUgt,
        CmpOp::FOgt => CmpOp::FUle,
        CmpOp::FOge => CmpOp::FUlt,
        CmpOp::FOrd => CmpOp::FUno,
        CmpOp::FUeq => CmpOp::FOne,
        CmpOp::FUne => CmpOp::FOeq,
        CmpOp::FUlt => CmpOp::FOge,
        CmpOp::FUle => CmpOp::FOgt,
        CmpOp::FUgt => CmpOp::FOle,
        CmpOp::FUge => CmpOp::FOlt,
        CmpOp::FUno => CmpOp::FOrd,
    }
}

/// Empties a map without paying for the size it once had each time.
pub fn forget_all<K, V>(map: &mut FxHashMap<K, V>) {
    if map.capacity() > 1024 {
        *map = FxHashMap::default();
    } else {
        map.clear();
    }
}
