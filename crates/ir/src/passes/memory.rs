//! What memory is known to hold, along a line of blocks: a load of what was just loaded or stored needs no load.
//!
//! Why so little: without an analysis of aliases every store may change everything but what it stores itself, and a call
//! everything. What remains still catches the usual `p->n` read twice in a statement, with its shadow.

use super::util::{forget_all, is_undef};
use crate::func::{Const, FuncBuilder, Value};
use crate::inst::Inst;
use crate::types::Type;
use blitz_base::Bv;
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    Content,
    Shadow,
}

/// Loaded and stored values by address and type.
#[derive(Default)]
pub struct Memory {
    known: FxHashMap<(Value, Type, Part), Value>,
}

impl Memory {
    pub fn forget(&mut self) {
        forget_all(&mut self.known);
    }

    /// Takes note of what an instruction other than a load or a store changes.
    pub fn pass(&mut self, inst: &Inst) {
        if inst.effect().changes_memory() {
            self.forget();
        }
    }

    /// What a load yields, if it is known; else its result is noted, and what a store stores.
    pub fn visit(&mut self, b: &mut FuncBuilder, inst: &Inst, result: Option<Value>, ptr_bits: u16) -> Option<Value> {
        match inst {
            Inst::Load { ptr } => self.load(b, *ptr, result?, Part::Content),
            Inst::LoadShadow { ptr } => self.load(b, *ptr, result?, Part::Shadow),
            Inst::Store { ptr, value } => {
                self.forget();
                if !is_undef(&b.func, *value) {
                    let ty = b.func.ty(*value);
                    self.known.insert((*ptr, ty, Part::Content), *value);
                    let width = ty.bits(ptr_bits);
                    let zero = b.constant(Type::Int(width), Const::Bits(Bv::zero(width)));
                    self.known.insert((*ptr, Type::Int(width), Part::Shadow), zero);
                }
                None
            }
            Inst::StoreShadow { ptr, shadow } => {
                self.known.retain(|key, _| key.2 == Part::Content);
                self.known.insert((*ptr, b.func.ty(*shadow), Part::Shadow), *shadow);
                None
            }
            other => {
                self.pass(other);
                None
            }
        }
    }

    fn load(&mut self, b: &FuncBuilder, ptr: Value, result: Value, part: Part) -> Option<Value> {
        let key = (ptr, b.func.ty(result), part);
        let known = self.known.get(&key).copied();
        if known.is_none() {
            self.known.insert(key, result);
        }
        known
    }
}
