//! Values: constants, globals, functions, instructions; and basic blocks.

use super::debug::Md;
use super::types::Ty;
use super::{IntPredicate, Linkage, Opcode, RealPredicate, RmwOp, ValueKind, bytes_of, owned_text, text_of};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;

/// An LLVM value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Val(pub(super) LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bb(pub(super) LLVMBasicBlockRef);

unsafe impl Send for Val {}
unsafe impl Send for Bb {}

fn some(v: LLVMValueRef) -> Option<Val> {
    (!v.is_null()).then_some(Val(v))
}

impl Val {
    pub fn kind(self) -> ValueKind {
        unsafe { LLVMGetValueKind(self.0) }
    }

    pub fn ty(self) -> Ty {
        Ty(unsafe { LLVMTypeOf(self.0) })
    }

    pub fn name(self) -> String {
        let mut len = 0;
        unsafe {
            let ptr = LLVMGetValueName2(self.0, &mut len);
            text_of(ptr, len)
        }
    }

    /// Asks something about the name, without a copy of it.
    pub fn with_name<R>(self, ask: impl FnOnce(&str) -> R) -> R {
        let mut len = 0;
        let bytes = unsafe { bytes_of(LLVMGetValueName2(self.0, &mut len), len) };
        ask(&String::from_utf8_lossy(bytes))
    }

    /// LLVM's text of the value.
    pub fn print(self) -> String {
        unsafe { owned_text(LLVMPrintValueToString(self.0)) }
    }

    pub fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    pub fn operand_count(self) -> u32 {
        u32::try_from(unsafe { LLVMGetNumOperands(self.0) }).unwrap_or(0)
    }

    pub fn operand(self, n: u32) -> Val {
        Val(unsafe { LLVMGetOperand(self.0, n) })
    }

    pub fn operands(self) -> impl Iterator<Item = Val> {
        (0..self.operand_count()).map(move |n| Val(unsafe { LLVMGetOperand(self.0, n) })).filter(|v| !v.0.is_null())
    }

    // Constants.

    /// The bits of an integer constant of at most 64 bits; 0 for anything else.
    pub fn int_bits(self) -> u64 {
        if self.kind() != ValueKind::LLVMConstantIntValueKind || self.ty().int_width() > 64 {
            return 0;
        }
        unsafe { LLVMConstIntGetZExtValue(self.0) }
    }

    /// A float constant as a double, and whether that lost something.
    pub fn as_double(self) -> (f64, bool) {
        let mut lost = 0;
        let value = unsafe { LLVMConstRealGetDouble(self.0, &mut lost) };
        (value, lost != 0)
    }

    /// The bytes of a constant data array or vector, as they lie in memory (LLVM keeps them that way on
    /// little-endian machines); none for anything else.
    pub fn data_bytes(self) -> Vec<u8> {
        use ValueKind::{LLVMConstantDataArrayValueKind, LLVMConstantDataVectorValueKind};
        if !matches!(self.kind(), LLVMConstantDataArrayValueKind | LLVMConstantDataVectorValueKind) {
            return Vec::new();
        }
        let mut len = 0;
        unsafe {
            let ptr = LLVMGetAsString(self.0, &mut len);
            bytes_of(ptr, len).to_vec()
        }
    }

    /// The n-th element of a constant aggregate.
    pub fn element(self, n: u32) -> Option<Val> {
        if !self.is_constant() {
            return None;
        }
        some(unsafe { LLVMGetAggregateElement(self.0, n) })
    }

    /// Function and block of a block address.
    pub fn block_address(self) -> (Val, Bb) {
        unsafe { (Val(LLVMGetBlockAddressFunction(self.0)), Bb(LLVMGetBlockAddressBasicBlock(self.0))) }
    }

    // Globals and functions.

    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    pub fn linkage(self) -> Linkage {
        unsafe { LLVMGetLinkage(self.0) }
    }

    pub fn value_type(self) -> Ty {
        Ty(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub fn initializer(self) -> Option<Val> {
        if self.kind() != ValueKind::LLVMGlobalVariableValueKind {
            return None;
        }
        some(unsafe { LLVMGetInitializer(self.0) })
    }

    pub fn is_constant_global(self) -> bool {
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    pub fn alignment(self) -> u32 {
        unsafe { LLVMGetAlignment(self.0) }
    }

    pub fn aliasee(self) -> Val {
        Val(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    pub fn params(self) -> Vec<Val> {
        let n = unsafe { LLVMCountParams(self.0) } as usize;
        let mut out = vec![std::ptr::null_mut(); n];
        unsafe { LLVMGetParams(self.0, out.as_mut_ptr()) };
        out.into_iter().map(Val).collect()
    }

    pub fn blocks(self) -> Vec<Bb> {
        let n = unsafe { LLVMCountBasicBlocks(self.0) } as usize;
        let mut out = vec![std::ptr::null_mut(); n];
        unsafe { LLVMGetBasicBlocks(self.0, out.as_mut_ptr()) };
        out.into_iter().map(Bb).collect()
    }

    /// Whether a function is one of LLVM's own.
    pub fn is_intrinsic(self) -> bool {
        unsafe { LLVMGetIntrinsicID(self.0) != 0 }
    }

    /// Whether the function (0xffff_ffff), its result (0) or a parameter (from 1) has an attribute.
    pub fn has_attribute(self, index: u32, attribute: u32) -> bool {
        unsafe { !LLVMGetEnumAttributeAtIndex(self.0, index, attribute).is_null() }
    }

    /// The number in an attribute such as `dereferenceable` of a function's parameter (from 1).
    pub fn number_attribute(self, index: u32, attribute: u32) -> Option<u64> {
        unsafe {
            let found = LLVMGetEnumAttributeAtIndex(self.0, index, attribute);
            (!found.is_null()).then(|| LLVMGetEnumAttributeValue(found))
        }
    }

    /// The type in an attribute such as `byval` of a function's parameter (from 1).
    pub fn type_attribute(self, index: u32, attribute: u32) -> Option<Ty> {
        unsafe {
            let found = LLVMGetEnumAttributeAtIndex(self.0, index, attribute);
            (!found.is_null()).then(|| Ty(LLVMGetTypeAttributeValue(found)))
        }
    }

    // Instructions.

    pub fn opcode(self) -> Opcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// The operation of a constant expression.
    pub fn const_opcode(self) -> Opcode {
        unsafe { LLVMGetConstOpcode(self.0) }
    }

    /// The block an instruction stands in.
    pub fn parent(self) -> Bb {
        Bb(unsafe { LLVMGetInstructionParent(self.0) })
    }

    pub fn debug_loc(self) -> Option<Md> {
        let md = unsafe { LLVMInstructionGetDebugLoc(self.0) };
        (!md.is_null()).then_some(Md(md))
    }

    pub fn int_predicate(self) -> IntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    pub fn real_predicate(self) -> RealPredicate {
        unsafe { LLVMGetFCmpPredicate(self.0) }
    }

    pub fn has_nsw(self) -> bool {
        unsafe { LLVMGetNSW(self.0) != 0 }
    }

    pub fn allocated_type(self) -> Ty {
        Ty(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// Source element type of an address computation (instruction or constant).
    pub fn gep_element(self) -> Ty {
        Ty(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// Indices of `extractvalue` and `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        unsafe {
            let n = LLVMGetNumIndices(self.0) as usize;
            let ptr = LLVMGetIndices(self.0);
            if n == 0 { Vec::new() } else { std::slice::from_raw_parts(ptr, n).to_vec() }
        }
    }

    /// The mask of `shufflevector`; negative entries are poison.
    pub fn shuffle_mask(self) -> Vec<i32> {
        (0..unsafe { LLVMGetNumMaskElements(self.0) }).map(|i| unsafe { LLVMGetMaskValue(self.0, i) }).collect()
    }

    /// Whether a load or a store is atomic.
    pub fn is_atomic(self) -> bool {
        !matches!(unsafe { LLVMGetOrdering(self.0) }, llvm_sys::LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic)
    }

    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    pub fn rmw_op(self) -> RmwOp {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    pub fn phi_incoming(self) -> Vec<(Val, Bb)> {
        (0..unsafe { LLVMCountIncoming(self.0) })
            .map(|i| unsafe { (Val(LLVMGetIncomingValue(self.0, i)), Bb(LLVMGetIncomingBlock(self.0, i))) })
            .collect()
    }

    /// Both ways of a conditional branch: where its condition holds, and where not.
    pub fn branch_ways(self) -> (Bb, Bb) {
        unsafe { (Bb(LLVMGetSuccessor(self.0, 0)), Bb(LLVMGetSuccessor(self.0, 1))) }
    }

    pub fn successors(self) -> Vec<Bb> {
        (0..unsafe { LLVMGetNumSuccessors(self.0) }).map(|i| Bb(unsafe { LLVMGetSuccessor(self.0, i) })).collect()
    }

    pub fn is_conditional(self) -> bool {
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    pub fn condition(self) -> Val {
        Val(unsafe { LLVMGetCondition(self.0) })
    }

    // Calls.

    pub fn callee(self) -> Val {
        Val(unsafe { LLVMGetCalledValue(self.0) })
    }

    pub fn callee_type(self) -> Ty {
        Ty(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    pub fn args(self) -> Vec<Val> {
        (0..unsafe { LLVMGetNumArgOperands(self.0) }).map(|i| Val(unsafe { LLVMGetOperand(self.0, i) })).collect()
    }

    /// Whether anything reads the value.
    pub fn is_used(self) -> bool {
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
    }

    /// As [`Val::has_attribute`], of a call.
    pub fn call_has_attribute(self, index: u32, attribute: u32) -> bool {
        unsafe { !LLVMGetCallSiteEnumAttribute(self.0, index, attribute).is_null() }
    }

    pub fn call_type_attribute(self, index: u32, attribute: u32) -> Option<Ty> {
        unsafe {
            let found = LLVMGetCallSiteEnumAttribute(self.0, index, attribute);
            (!found.is_null()).then(|| Ty(LLVMGetTypeAttributeValue(found)))
        }
    }

    /// Template and constraints of inline assembler.
    pub fn asm_texts(self) -> (String, String) {
        unsafe {
            let mut len = 0;
            let template = LLVMGetInlineAsmAsmString(self.0, &mut len);
            let template = text_of(template, len);
            let constraints = LLVMGetInlineAsmConstraintString(self.0, &mut len);
            (template, text_of(constraints, len))
        }
    }

    /// The metadata an operand of a debug intrinsic is.
    pub fn as_metadata(self) -> Md {
        Md(unsafe { LLVMValueAsMetadata(self.0) })
    }

    pub fn subprogram(self) -> Option<Md> {
        let md = unsafe { LLVMGetSubprogram(self.0) };
        (!md.is_null()).then_some(Md(md))
    }

    /// The `!dbg` of a global variable.
    pub fn global_debug(self) -> Option<Md> {
        unsafe {
            let mut count = 0;
            let entries = LLVMGlobalCopyAllMetadata(self.0, &mut count);
            if entries.is_null() {
                return None;
            }
            let first = (count > 0).then(|| Md(LLVMValueMetadataEntriesGetMetadata(entries, 0)));
            LLVMDisposeValueMetadataEntries(entries);
            first
        }
    }
}

impl Bb {
    pub fn instructions(self) -> Vec<Val> {
        let mut out = Vec::new();
        unsafe {
            let mut at = LLVMGetFirstInstruction(self.0);
            while !at.is_null() {
                out.push(Val(at));
                at = LLVMGetNextInstruction(at);
            }
        }
        out
    }

    /// Calls `visit` with its instructions in order.
    pub fn for_each_instruction(self, mut visit: impl FnMut(Val)) {
        unsafe {
            let mut at = LLVMGetFirstInstruction(self.0);
            while !at.is_null() {
                visit(Val(at));
                at = LLVMGetNextInstruction(at);
            }
        }
    }

    /// The phis it begins with.
    pub fn phis(self) -> Vec<Val> {
        let mut out = Vec::new();
        unsafe {
            let mut at = LLVMGetFirstInstruction(self.0);
            while !at.is_null() && LLVMGetInstructionOpcode(at) == Opcode::LLVMPHI {
                out.push(Val(at));
                at = LLVMGetNextInstruction(at);
            }
        }
        out
    }

    /// The first instructions, at most `most`.
    pub fn first_instructions(self, most: usize) -> Vec<Val> {
        let mut out = Vec::new();
        unsafe {
            let mut at = LLVMGetFirstInstruction(self.0);
            while !at.is_null() && out.len() < most {
                out.push(Val(at));
                at = LLVMGetNextInstruction(at);
            }
        }
        out
    }

    pub fn terminator(self) -> Option<Val> {
        some(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }
}
