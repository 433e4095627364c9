//! Debug metadata, as far as the C interface and the operands of nodes tell.

use super::value::Val;
use super::{MdKind, Session, text_of};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

/// A piece of metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Md(pub(super) LLVMMetadataRef);

unsafe impl Send for Md {}

fn some(md: LLVMMetadataRef) -> Option<Md> {
    (!md.is_null()).then_some(Md(md))
}

impl Md {
    pub fn kind(self) -> MdKind {
        unsafe { LLVMGetMetadataKind(self.0) }
    }

    pub fn is(self, kind: MdKind) -> bool {
        self.kind() as u32 == kind as u32
    }

    /// DWARF tag of a debug node.
    pub fn tag(self) -> u16 {
        unsafe { LLVMGetDINodeTag(self.0) }
    }

    /// Line, column and scope of a location.
    pub fn location(self) -> (u32, u32, Md) {
        unsafe { (LLVMDILocationGetLine(self.0), LLVMDILocationGetColumn(self.0), Md(LLVMDILocationGetScope(self.0))) }
    }

    /// The file of a scope.
    pub fn scope_file(self) -> Option<Md> {
        some(unsafe { LLVMDIScopeGetFile(self.0) })
    }

    /// Directory and name of a file.
    pub fn file_path(self, session: &Session) -> (String, String) {
        (self.operand_text(session, 1), self.operand_text(session, 0))
    }

    /// The text that an operand of a node is; damaged metadata may have anything there.
    fn operand_text(self, session: &Session, n: usize) -> String {
        let operand = self.operands(session).get(n).copied().flatten();
        operand.and_then(|o| o.string(session)).unwrap_or_default()
    }

    pub fn subprogram_line(self) -> u32 {
        unsafe { LLVMDISubprogramGetLine(self.0) }
    }

    /// The variable of a global's debug node.
    pub fn global_variable(self) -> Option<Md> {
        if !self.is(MdKind::LLVMDIGlobalVariableExpressionMetadataKind) {
            return None;
        }
        some(unsafe { LLVMDIGlobalVariableExpressionGetVariable(self.0) })
    }

    /// File and line of a variable.
    pub fn variable_place(self) -> (Option<Md>, u32) {
        use MdKind::{LLVMDIGlobalVariableMetadataKind, LLVMDILocalVariableMetadataKind};
        if !matches!(self.kind(), LLVMDIGlobalVariableMetadataKind | LLVMDILocalVariableMetadataKind) {
            return (None, 0);
        }
        unsafe { (some(LLVMDIVariableGetFile(self.0)), LLVMDIVariableGetLine(self.0)) }
    }

    /// Whether it is the node of a type.
    pub fn is_type(self) -> bool {
        use MdKind::*;
        matches!(
            self.kind(),
            LLVMDIBasicTypeMetadataKind
                | LLVMDIDerivedTypeMetadataKind
                | LLVMDICompositeTypeMetadataKind
                | LLVMDISubroutineTypeMetadataKind
        )
    }

    /// Size of a type.
    pub fn type_size_bits(self) -> u64 {
        unsafe { LLVMDITypeGetSizeInBits(self.0) }
    }

    /// Where a member is in its struct.
    pub fn type_offset_bits(self) -> u64 {
        unsafe { LLVMDITypeGetOffsetInBits(self.0) }
    }

    pub fn is_bit_field(self) -> bool {
        const BIT_FIELD: LLVMDIFlags = 1 << 19;
        unsafe { LLVMDITypeGetFlags(self.0) & BIT_FIELD != 0 }
    }

    /// Name of a type.
    pub fn type_name(self, session: &Session) -> String {
        self.operand_text(session, 2)
    }

    /// The value wrapped in metadata, such as the address in `dbg.declare`.
    pub fn as_value(self, session: &Session) -> Option<Val> {
        use MdKind::{LLVMConstantAsMetadataMetadataKind, LLVMLocalAsMetadataMetadataKind};
        if !matches!(self.kind(), LLVMLocalAsMetadataMetadataKind | LLVMConstantAsMetadataMetadataKind) {
            return None;
        }
        let node = unsafe { LLVMMetadataAsValue(session.raw(), self.0) };
        (unsafe { LLVMGetMDNodeNumOperands(node) } == 1).then(|| {
            let mut out = std::ptr::null_mut();
            unsafe { LLVMGetMDNodeOperands(node, &mut out) };
            Val(out)
        })
    }

    pub fn is_node(self) -> bool {
        use MdKind::*;
        !matches!(
            self.kind(),
            LLVMMDStringMetadataKind
                | LLVMConstantAsMetadataMetadataKind
                | LLVMLocalAsMetadataMetadataKind
                | LLVMDistinctMDOperandPlaceholderMetadataKind
                | LLVMDIArgListMetadataKind
        )
    }

    /// Operands of a node; missing ones are `None`.
    pub fn operands(self, session: &Session) -> Vec<Option<Md>> {
        if !self.is_node() {
            return Vec::new();
        }
        unsafe {
            let node = LLVMMetadataAsValue(session.raw(), self.0);
            let n = LLVMGetMDNodeNumOperands(node) as usize;
            let mut out: Vec<LLVMValueRef> = vec![std::ptr::null_mut(); n];
            LLVMGetMDNodeOperands(node, out.as_mut_ptr());
            out.into_iter().map(|v| (!v.is_null()).then(|| Md(LLVMValueAsMetadata(v)))).collect()
        }
    }

    /// The text of a metadata string.
    pub fn string(self, session: &Session) -> Option<String> {
        if !self.is(MdKind::LLVMMDStringMetadataKind) {
            return None;
        }
        unsafe {
            let mut len = 0;
            let ptr = LLVMGetMDString(LLVMMetadataAsValue(session.raw(), self.0), &mut len);
            Some(text_of(ptr, len as usize))
        }
    }
}
