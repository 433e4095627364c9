//! Which values the source variables of an open function hold at a point: what a debugger would show (`blitz_ir::held`).
//!
//! A native program keeps them in its stack frame, where LeakSanitizer looks for pointers.

use crate::code::{Code, From};
use blitz_ir::held::Held;
use blitz_ir::{Block, InstId, Value};

/// Values of pointer width that are held when execution stands at operation `pc`.
pub fn held(code: &Code, pc: u32, ptr_bits: u16) -> Vec<Value> {
    let func = code.func;
    let origin = code.origins[pc as usize].get();
    let (block, upto) = match origin {
        From::Inst(inst) => match position(code, inst) {
            Some(at) => at,
            None => return Vec::new(),
        },
        From::Term(b) => (b, func.block(b).insts.len()),
    };
    let mut values: Vec<Value> = Held::new(func, ptr_bits).at(func, block, upto).into_iter().collect();
    if let From::Inst(inst) = origin {
        func.inst(inst).inst.for_each_operand(|v| values.push(v));
    }
    values.retain(|v| code.operands[v.index()].bits == ptr_bits);
    values
}

fn position(code: &Code, inst: InstId) -> Option<(Block, usize)> {
    code.func.block_ids().find_map(|b| {
        let at = code.func.block(b).insts.iter().position(|&i| i == inst)?;
        Some((b, at))
    })
}
