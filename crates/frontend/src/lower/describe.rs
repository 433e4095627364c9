//! Addresses and values in the words of the source, for the texts of properties.

use super::Lowering;
use crate::llvm::{Opcode, Val, ValueKind};

/// How far an address is followed.
const DEEPEST: usize = 6;

impl Lowering<'_> {
    /// What lies at an address: `x`, `a[...]`, `*p`.
    pub(super) fn describe_place(&self, at: Val) -> Option<String> {
        self.place(at, DEEPEST)
    }

    /// A value: the place it was loaded from.
    pub(super) fn describe_value(&self, v: Val) -> Option<String> {
        let from_memory = v.kind() == ValueKind::LLVMInstructionValueKind && v.opcode() == Opcode::LLVMLoad;
        from_memory.then(|| self.place(v.operand(0), DEEPEST)).flatten()
    }

    fn place(&self, at: Val, fuel: usize) -> Option<String> {
        if fuel == 0 {
            return None;
        }
        match at.kind() {
            ValueKind::LLVMGlobalVariableValueKind => self.global_name(at),
            ValueKind::LLVMInstructionValueKind => match at.opcode() {
                Opcode::LLVMAlloca => self.slot_name(at),
                Opcode::LLVMGetElementPtr => self.element_place(at, fuel),
                Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => self.place(at.operand(0), fuel - 1),
                Opcode::LLVMLoad => self.place(at.operand(0), fuel - 1).map(|p| format!("*{p}")),
                _ => None,
            },
            ValueKind::LLVMConstantExprValueKind if at.const_opcode() == Opcode::LLVMGetElementPtr => {
                self.element_place(at, fuel)
            }
            ValueKind::LLVMArgumentValueKind => self.slot_name(at),
            _ => None,
        }
    }

    fn global_name(&self, v: Val) -> Option<String> {
        let name = v.name();
        if name.is_empty() || name.starts_with(".str") {
            return Some("a string literal".into());
        }
        Some(name)
    }

    fn slot_name(&self, slot: Val) -> Option<String> {
        let var = self.slot_vars.get(&slot)?;
        Some(self.b.func.vars[var.index()].name.clone())
    }

    /// `p[...]` for a computed index, the base itself for a field.
    fn element_place(&self, at: Val, fuel: usize) -> Option<String> {
        let base = self.place(at.operand(0), fuel - 1)?;
        let computed = self.shared.symbols.constants.gep_offset(at).is_none();
        let base = base.strip_prefix('*').map(str::to_string).unwrap_or(base);
        Some(match (computed, self.is_pointer(at.operand(0))) {
            (true, _) => format!("{base}[...]"),
            (false, true) => format!("{base}->..."),
            (false, false) => base,
        })
    }

    fn is_pointer(&self, v: Val) -> bool {
        v.kind() == ValueKind::LLVMInstructionValueKind && v.opcode() == Opcode::LLVMLoad
    }
}
