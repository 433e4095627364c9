//! Globals: their initial bytes and the pointers in them.

use crate::constants::{Folded, Symbol};
use crate::llvm::{Session, Ty, TypeKind, Val, ValueKind};
use crate::symbols::{GlobalSource, Symbols, is_local};
use crate::types;
use blitz_ir::{Global, Reloc, RelocTarget};

/// The size of a global whose type is incomplete everywhere in the program.
const UNKNOWN_SIZE: u64 = 1 << 16;

/// Lowers all globals of the table.
pub fn lower(session: &Session, symbols: &mut Symbols) -> Result<Vec<Global>, String> {
    let sources = symbols.globals.clone();
    sources.into_iter().map(|g| lower_one(session, symbols, g)).collect()
}

fn lower_one(session: &Session, symbols: &mut Symbols, source: GlobalSource) -> Result<Global, String> {
    let v = source.val;
    let layout = symbols.constants.layout;
    let ty = v.value_type();
    let mut size = if ty.is_sized() { layout.size(ty) } else { 0 };
    if size == 0 && v.is_declaration() {
        // Declared without its size and defined elsewhere: large enough, as far as anyone knows.
        size = UNKNOWN_SIZE;
    }
    let (loc, type_text) = symbols.debug.global(session, v);
    let mut image = Image { symbols, bytes: Vec::new(), relocs: Vec::new() };
    if let Some(init) = v.initializer() {
        image.write(init, 0).ok_or_else(|| v.name())?;
    }
    let Image { bytes, relocs, .. } = image;
    Ok(Global {
        name: v.name(),
        size,
        align: v.alignment().max(if ty.is_sized() { layout.align(ty) } else { 1 }),
        // What is defined elsewhere gets its contents when the program starts.
        constant: v.is_constant_global() && v.initializer().is_some(),
        init: v.initializer().map(|_| bytes),
        relocs,
        loc,
        ty: type_text,
        model: source.model,
        exported: !source.model && !is_local(v),
        thread_local: v.is_thread_local(),
    })
}

/// Initial bytes being put together; they end at the last byte that is not 0.
struct Image<'a> {
    symbols: &'a Symbols,
    bytes: Vec<u8>,
    relocs: Vec<Reloc>,
}

impl Image<'_> {
    fn write(&mut self, v: Val, at: u64) -> Option<()> {
        match v.kind() {
            ValueKind::LLVMConstantAggregateZeroValueKind
            | ValueKind::LLVMUndefValueValueKind
            | ValueKind::LLVMPoisonValueKind => Some(()),
            ValueKind::LLVMConstantDataArrayValueKind | ValueKind::LLVMConstantDataVectorValueKind => {
                self.put(at, &v.data_bytes())
            }
            ValueKind::LLVMConstantStructValueKind
            | ValueKind::LLVMConstantArrayValueKind
            | ValueKind::LLVMConstantVectorValueKind => self.write_elements(v, at),
            _ => self.write_scalar(v, at),
        }
    }

    fn write_elements(&mut self, v: Val, at: u64) -> Option<()> {
        let ty = v.ty();
        let stride = match ty.kind() {
            TypeKind::LLVMStructTypeKind => None,
            TypeKind::LLVMVectorTypeKind if types::is_bit_vector(ty, self.symbols.constants.layout) => return None,
            TypeKind::LLVMVectorTypeKind => Some(self.symbols.constants.layout.bits(ty.element()) / 8),
            _ => Some(self.symbols.constants.layout.size(ty.element())),
        };
        for n in 0..v.operand_count() {
            let offset = match stride {
                None => self.symbols.constants.layout.field_offset(ty, n),
                Some(stride) => u64::from(n) * stride,
            };
            self.write(v.operand(n), at + offset)?;
        }
        Some(())
    }

    fn write_scalar(&mut self, v: Val, at: u64) -> Option<()> {
        match self.symbols.constants.fold(v)? {
            Folded::Undef => Some(()),
            Folded::Bits(bits) => {
                let bytes: Vec<u8> = bits.limbs().iter().flat_map(|l| l.to_le_bytes()).collect();
                let len = store_bytes(v.ty(), self.symbols).min(bytes.len());
                self.put(at, &bytes[..len])
            }
            Folded::Address(symbol, addend) => {
                let (target, addend) = match symbol {
                    Symbol::Func(f) => (RelocTarget::Func(f), addend),
                    Symbol::Global(g, base) => (RelocTarget::Global(g), base + addend),
                };
                self.relocs.push(Reloc { offset: at, target, addend });
                Some(())
            }
        }
    }

    fn put(&mut self, at: u64, bytes: &[u8]) -> Option<()> {
        let Some(last) = bytes.iter().rposition(|&b| b != 0) else { return Some(()) };
        let at = usize::try_from(at).ok()?;
        let end = at + last + 1;
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(&bytes[..=last]);
        Some(())
    }
}

fn store_bytes(ty: Ty, symbols: &Symbols) -> usize {
    symbols.constants.layout.bits(ty).div_ceil(8) as usize
}
