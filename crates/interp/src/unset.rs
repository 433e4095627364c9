//! Values that nobody has set, in explorations: a thread function that ends without `return` hands one on, and nobody looks at it.
//!
//! Such an input could be anything, and all of that can't be tried. While a value is only handed on (returned, passed, stored) it makes no difference which one it is:
//! it is a pattern then, and memory that it is stored in counts as unset. Whoever uses a value that has come from elsewhere and equals the pattern ends the claim to
//! have looked at everything; that a set value may equal it only makes the exploration give up more often.

use crate::machine::{End, Machine};
use crate::memory::PATTERN;
use blitz_ir::{Func, Inst, Terminator, Value};

/// The widths that the pattern stands for: in less, set values would often equal it.
pub fn may_be(bits: u16) -> bool {
    matches!(bits, 32 | 64)
}

/// The pattern of so many bits.
pub fn pattern(bits: u16) -> u64 {
    u64::from_le_bytes([PATTERN; 8]) >> (64 - u32::from(bits.clamp(1, 64)))
}

/// By value, whether it is only returned, passed to functions as one of their parameters, stored, or handed to a block that does no more with it.
pub fn handed_on(func: &Func) -> Vec<bool> {
    let mut only = vec![true; func.values.len()];
    for b in func.block_ids() {
        for &i in &func.block(b).insts {
            used_by(&func.inst(i).inst, |v| only[v.index()] = false);
        }
        match &func.block(b).term {
            Terminator::Branch { cond: v, .. }
            | Terminator::Switch { value: v, .. }
            | Terminator::IndirectJump { value: v, .. }
            | Terminator::Exit { status: v }
            | Terminator::Halt { status: v } => only[v.index()] = false,
            Terminator::LongJmp { buf, value } => [buf, value].iter().for_each(|v| only[v.index()] = false),
            Terminator::Jump { .. } | Terminator::Return { .. } | Terminator::Unreachable => {}
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for b in func.block_ids() {
            for (to, args) in func.block(b).term.successors() {
                for (arg, param) in args.iter().zip(&func.block(to).params) {
                    changed |= only[arg.index()] && !only[param.index()];
                    only[arg.index()] &= only[param.index()];
                }
            }
        }
    }
    only
}

/// The values that an instruction does more with than hand them on.
fn used_by(inst: &Inst, mut used: impl FnMut(Value)) {
    match inst {
        Inst::Store { ptr, .. } => used(*ptr),
        Inst::Call(site) => {
            if let blitz_ir::Target::Pointer(v) = site.target {
                used(v);
            }
            site.args.iter().skip(site.signature.params.len()).for_each(|&v| used(v));
        }
        Inst::Debug { .. } => {}
        other => other.for_each_operand(used),
    }
}

impl Machine<'_, '_> {
    /// An input that stands for a value nobody has set: the pattern, if it is only handed on.
    pub fn unset_input(&self, bits: u16) -> Option<u64> {
        let top = self.top();
        let crate::code::From::Inst(inst) = top.code.origins[top.pc as usize].get() else { return None };
        let [result] = top.code.func.inst(inst).results[..] else { return None };
        let handed_on = top.code.handed_on.get(result.index()).copied().unwrap_or(false);
        (may_be(bits) && handed_on).then(|| pattern(bits))
    }

    /// A value that came from elsewhere is about to be used.
    pub fn needs_set(&mut self, slot: u32) -> Result<(), End> {
        let top = self.top();
        let value = self.regs[top.base + slot as usize];
        let is_pattern = value == pattern(64) || value == pattern(32);
        if let Some(exploration) = self.threads.exploration.as_mut().filter(|_| is_pattern) {
            exploration.refuse(|| "a value is used that nobody has set".to_owned());
        }
        Ok(())
    }

    /// A value was stored: if it may be one that nobody has set, then so is the memory.
    pub fn stores_unset(&mut self, ptr: u64, bytes: u8, value: u64) -> Result<(), End> {
        if value != pattern(u16::from(bytes) * 8) {
            return Ok(());
        }
        let Some(shadow) = self.memory.shadow(ptr, u64::from(bytes)) else { return Ok(()) };
        // SAFETY: the shadow of that many bytes is there.
        unsafe { shadow.write_bytes(0, usize::from(bytes)) };
        self.loads_are_watched();
        Ok(())
    }
}
