//! Whether `main` looks at its arguments: if it does not, the start code makes none up, and they are no inputs.
//!
//! clang stores every parameter in a slot; a slot that is only stored to is not looked at. Approximates upwards: any other use counts.

use crate::llvm::{Opcode, Val, ValueKind};

/// Whether the function may read one of its parameters.
pub fn are_read(main: Val) -> bool {
    let params = main.params();
    let of_param = |v: &Val| params.contains(v);
    let all: Vec<Val> = main.blocks().into_iter().flat_map(|b| b.instructions()).collect();
    let keeps = |i: &Val| i.opcode() == Opcode::LLVMStore && of_param(&i.operand(0)) && !of_param(&i.operand(1));
    let slots: Vec<Val> = all.iter().filter(|i| keeps(i)).map(|i| i.operand(1)).collect();
    let local = |s: &Val| s.kind() == ValueKind::LLVMInstructionValueKind && s.opcode() == Opcode::LLVMAlloca;
    if !slots.iter().all(local) {
        return true;
    }
    let marks = |i: &Val| {
        i.opcode() == Opcode::LLVMCall
            && ["llvm.dbg.", "llvm.lifetime."].iter().any(|name| i.callee().name().starts_with(name))
    };
    all.iter().filter(|i| !keeps(i) && !marks(i)).any(|i| i.operands().any(|o| of_param(&o) || slots.contains(&o)))
}
