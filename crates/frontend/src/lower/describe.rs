//! Addresses and values in the words of the source, for the texts of properties.

use super::Lowering;
use crate::debuginfo::{TAG_ARRAY, TAG_POINTER, array_counts, base, member_at, plain};
use crate::llvm::{Md, MdKind, Opcode, Val, ValueKind};

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

    /// `p[...]` for a computed index, `p->f` or `s.f` for a member; the base itself where nobody knows its type.
    fn element_place(&self, at: Val, fuel: usize) -> Option<String> {
        let base = self.place(at.operand(0), fuel - 1)?;
        let computed = self.shared.symbols.constants.gep_offset(at).is_none();
        let base = base.strip_prefix('*').map(str::to_string).unwrap_or(base);
        let through = self.is_pointer(at.operand(0));
        Some(match (computed, self.path(at), through) {
            (true, _, _) => format!("{base}[...]"),
            (false, Some(path), true) if path.starts_with('.') => format!("{base}->{}", &path[1..]),
            (false, Some(path), _) => format!("{base}{path}"),
            (false, None, true) => format!("{base}->..."),
            (false, None, false) => base,
        })
    }

    /// What an address with constant indices names in what it is computed from: `.f`, `[2].g`.
    fn path(&self, at: Val) -> Option<String> {
        let mut ty = plain(&self.shared.session, self.pointee(at.operand(0), DEEPEST))?;
        let mut rest = u64::try_from(self.shared.symbols.constants.gep_offset(at)?).ok()?;
        let mut path = String::new();
        for level in 1..at.operand_count() {
            if level == 1 {
                let size = ty.type_size_bits() / 8;
                if size == 0 || !self.is_same(at, ty) {
                    return None;
                }
                if rest >= size || at.operand_count() == 2 {
                    path.push_str(&format!("[{}]", rest / size));
                    rest %= size;
                }
                continue;
            }
            let (name, inner, inside) = self.part(ty, rest)?;
            path.push_str(&name);
            rest = inside;
            match plain(&self.shared.session, inner) {
                Some(inner) => ty = inner,
                None if level + 1 == at.operand_count() => {}
                None => return None,
            }
        }
        (rest == 0).then_some(path)
    }

    /// Whether the declared type is the one that the address is computed with: a cast leaves no trace.
    fn is_same(&self, at: Val, declared: Md) -> bool {
        let used = at.gep_element();
        let name = declared.type_name(&self.shared.session);
        let same_name = match used.struct_name() {
            Some(used) if !name.is_empty() => used.split('.').nth(1) == Some(name.as_str()),
            Some(_) | None => true,
        };
        used.is_sized() && self.layout().size(used) * 8 == declared.type_size_bits() && same_name
    }

    /// The member or element of a type at an offset, and how far into it that is.
    fn part(&self, ty: Md, offset: u64) -> Option<(String, Option<Md>, u64)> {
        let session = &self.shared.session;
        if !ty.is(MdKind::LLVMDICompositeTypeMetadataKind) {
            return None;
        }
        if ty.tag() != TAG_ARRAY {
            let (name, inner, inside) = member_at(session, ty, offset)?;
            return Some((format!(".{name}"), inner, inside));
        }
        let element = base(session, ty);
        let size = plain(session, element)?.type_size_bits() / 8;
        // Of arrays of arrays only the innermost elements have a type.
        let flat = array_counts(session, ty).len() == 1 && size > 0;
        flat.then(|| (format!("[{}]", offset / size), element, offset % size))
    }

    /// The type of what a pointer points to, by the declarations it comes from.
    fn pointee(&self, v: Val, fuel: usize) -> Option<Md> {
        let session = &self.shared.session;
        match v.kind() {
            _ if fuel == 0 => None,
            ValueKind::LLVMGlobalVariableValueKind => {
                v.global_debug().and_then(Md::global_variable)?.operands(session).get(3).copied().flatten()
            }
            ValueKind::LLVMInstructionValueKind => match v.opcode() {
                Opcode::LLVMAlloca => self.slot_types.get(&v).copied(),
                Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => self.pointee(v.operand(0), fuel - 1),
                Opcode::LLVMLoad => {
                    let pointer = plain(session, self.pointee(v.operand(0), fuel - 1))?;
                    let is_pointer = pointer.is(MdKind::LLVMDIDerivedTypeMetadataKind) && pointer.tag() == TAG_POINTER;
                    if is_pointer { base(session, pointer) } else { None }
                }
                Opcode::LLVMGetElementPtr => self.element_type(v, fuel),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type at an address with constant indices, as `path` walks it.
    fn element_type(&self, at: Val, fuel: usize) -> Option<Md> {
        let session = &self.shared.session;
        let mut ty = self.pointee(at.operand(0), fuel - 1)?;
        let mut rest = u64::try_from(self.shared.symbols.constants.gep_offset(at)?).ok()?;
        for level in 1..at.operand_count() {
            let known = plain(session, Some(ty))?;
            if level == 1 {
                rest %= (known.type_size_bits() / 8).max(1);
                continue;
            }
            let (_, inner, inside) = self.part(known, rest)?;
            (ty, rest) = (inner?, inside);
        }
        Some(ty)
    }

    fn is_pointer(&self, v: Val) -> bool {
        v.kind() == ValueKind::LLVMInstructionValueKind && v.opcode() == Opcode::LLVMLoad
    }
}
