//! LLVM functions to IR bodies, one at a time, on demand.
//!
//! A value of LLVM is a list of scalar parts; a value that may be indeterminate has, next to each part, a shadow
//! (`shadow`). What C forbids becomes a check in front of the instruction (`memory`, `arith`, `ubsan`). What is not
//! understood becomes `Inst::Unsupported` with its name, and execution that gets there is `unknown`, never wrong.
//!
//! Invariants: blocks are visited in reverse post-order, so a definition is seen before its uses; a block may
//! end early (a call that never returns), then the rest of it is dropped and no edge leaves it.
//!
//! Absent: any simplification beyond constants; the passes of `blitz-ir` do that.

mod access;
mod aggregate;
mod arith;
mod asm;
mod call;
mod cfg;
pub mod contracts;
mod describe;
mod float;
mod flow;
mod intrinsic;
mod memory;
mod mmx;
mod named;
pub mod passed;
mod properties;
mod rounding;
mod shadow;
mod synth;
mod threads;
mod ubsan;
pub use ubsan::silence_arithmetic;
mod vararg;

pub use rounding::mode_variable;
pub use threads::gives_none_variable;

use properties::{Found, Text};

use crate::constants::{Folded, Symbol};
use crate::llvm::{Bb, Session, Ty, Val, ValueKind};
use crate::symbols::{Origin, Symbols};
use crate::types::{self, Parts};
use crate::unchecked::Unchecked;
use blitz_base::Bv;
use blitz_base::span::Loc;
use blitz_ir::{
    BinOp, Block, CastOp, CheckKind, Checks, CmpOp, Const, Func, FuncBuilder, FuncId, Global, GlobalId, Inst, Property,
    PropertyId, TargetInfo, Terminator, Type, Value, Var, passes,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

/// What all functions of a program share.
pub struct Shared {
    // Handles in `symbols` point into the session: it is dropped last.
    pub symbols: Symbols,
    pub checks: Checks,
    /// Lines on which some are not made.
    pub unchecked: Unchecked,
    /// What nobody has set can have any value: it is an input.
    pub unset_inputs: bool,
    pub target: TargetInfo,
    /// The program may start threads.
    pub threads: bool,
    /// Where the rounding mode is, in programs that change it.
    pub rounding: Option<GlobalId>,
    /// Where the model of `pthread_create` looks for what is known of the thread's function.
    pub gives_none: Option<GlobalId>,
    pub attributes: Attributes,
    /// What is asked of contracts, where some are in force.
    pub contract: Option<contracts::Contract>,
    /// Functions of modules that no sanitizer instrumented: they get our own arithmetic checks.
    pub raw: FxHashSet<Val>,
    pub constructors: Vec<FuncId>,
    pub destructors: Vec<FuncId>,
    /// Kinds that a model function violates itself, and the model functions it calls; filled as needed.
    pub model_own: FxHashMap<FuncId, (BTreeSet<CheckKind>, Vec<FuncId>)>,
    /// The user's globals that are defined nowhere: what they hold is an input. Empty where the real world supplies it.
    pub external: Vec<(GlobalId, u64, String)>,
    /// A copy of the program's globals, for the passes.
    pub globals: Vec<Global>,
    pub session: Session,
}

/// LLVM's numbers of the attributes we ask for.
#[derive(Clone, Copy)]
pub struct Attributes {
    pub noundef: u32,
    pub byval: u32,
    pub sret: u32,
    pub noreturn: u32,
    pub signext: u32,
    pub zeroext: u32,
}

impl Attributes {
    pub fn new() -> Self {
        Self {
            noundef: Session::attribute("noundef"),
            byval: Session::attribute("byval"),
            sret: Session::attribute("sret"),
            noreturn: Session::attribute("noreturn"),
            signext: Session::attribute("signext"),
            zeroext: Session::attribute("zeroext"),
        }
    }
}

/// The shadows of a value's parts; a part without one is determinate.
type Shadows = SmallVec<[Option<Value>; 2]>;

/// Registers a property.
pub type Register<'a> = &'a mut dyn FnMut(Property) -> PropertyId;

/// Lowers a function that has an origin. Only the properties of checks that are left after simplification count.
pub fn function(shared: &mut Shared, id: FuncId, register: Register<'_>) -> Func {
    let origin = shared.symbols.origins[id.index()];
    let mut lowering = Lowering::new(shared, id);
    match origin {
        Origin::Defined(v) => lowering.define(v),
        Origin::Meaning(named, v) => lowering.synthesise(named, v),
        Origin::Nowhere => {
            lowering.b.block();
        }
    }
    let options = passes::Options { target: lowering.shared.target, globals: &lowering.shared.globals };
    passes::clean_with(&mut lowering.b.func, &options);
    lowering.number(register);
    lowering.b.func
}

/// The lowering of one function.
struct Lowering<'a> {
    shared: &'a mut Shared,
    /// Properties of checks emitted so far; ids in the body are positions here until it is finished.
    properties: Vec<Found>,
    id: FuncId,
    name: String,
    model: bool,
    raw: bool,
    b: FuncBuilder,
    /// The block being filled, and whether it has its end already.
    cur: Block,
    ended: bool,
    loc: Loc,
    blocks: FxHashMap<Bb, Block>,
    values: FxHashMap<Val, Parts>,
    shadows: FxHashMap<Val, Shadows>,
    /// Values whose shadow was checked in this block.
    checked: FxHashSet<Val>,
    /// Slots with markers of their lifetime.
    scoped: FxHashSet<Val>,
    /// Slots that only carry the value of `return` to the end of the function.
    return_slots: FxHashSet<Val>,
    /// Slots that no other thread can know; in programs with threads.
    private: FxHashSet<Val>,
    /// The same, but that library functions which keep no pointer may get the address too.
    lent: FxHashSet<Val>,
    /// A loop of it has a contract in force.
    has_loop_contract: bool,
    /// Source variables by their slots.
    slot_vars: FxHashMap<Val, Var>,
    /// What these are declared as.
    slot_types: FxHashMap<Val, crate::llvm::Md>,
    /// Source variables that follow values.
    value_vars: FxHashMap<crate::llvm::Md, Var>,
    /// The hidden parameter of a variadic function.
    variable_args: Option<Value>,
}

impl<'a> Lowering<'a> {
    fn new(shared: &'a mut Shared, id: FuncId) -> Self {
        let decl = &shared.symbols.funcs[id.index()];
        let (name, model) = (decl.name.clone(), decl.model);
        Self {
            shared,
            properties: Vec::new(),
            id,
            name,
            model,
            raw: false,
            b: FuncBuilder::new(),
            cur: Func::ENTRY,
            ended: false,
            loc: Loc::UNKNOWN,
            blocks: FxHashMap::default(),
            values: FxHashMap::default(),
            shadows: FxHashMap::default(),
            checked: FxHashSet::default(),
            scoped: FxHashSet::default(),
            return_slots: FxHashSet::default(),
            private: FxHashSet::default(),
            lent: FxHashSet::default(),
            has_loop_contract: false,
            slot_vars: FxHashMap::default(),
            slot_types: FxHashMap::default(),
            value_vars: FxHashMap::default(),
            variable_args: None,
        }
    }

    fn define(&mut self, func: Val) {
        self.raw = self.shared.raw.contains(&func);
        let order = self.reverse_post_order(func);
        for &bb in &order {
            let block = self.b.block();
            self.blocks.insert(bb, block);
        }
        self.look_at_slots(&order);
        self.find_private(&order);
        self.find_loop_contract(&order);
        self.make_phis(&order);
        self.make_params(func);
        if self.is_atomic_section() {
            self.atomic_begin();
        }
        for bb in order {
            self.lower_block(bb);
        }
    }

    fn make_params(&mut self, func: Val) {
        for (n, param) in func.params().into_iter().enumerate() {
            let Some(parts) = types::parts(param.ty(), self.layout()) else { continue };
            let values: Parts = parts.iter().map(|p| self.b.block_param(Func::ENTRY, p.ty)).collect();
            let byval = func.type_attribute(n as u32 + 1, self.shared.attributes.byval);
            let values = match (byval, values.first()) {
                (Some(ty), Some(&ptr)) => smallvec![self.own_copy(ptr, ty)],
                _ => values,
            };
            self.values.insert(param, values);
        }
        self.make_shadow_params(func);
        if func.value_type().is_variadic() {
            self.variable_args = Some(self.b.block_param(Func::ENTRY, Type::Ptr));
        }
    }

    /// A copy of what the caller passes by value, gone when this function returns.
    fn own_copy(&mut self, ptr: Value, ty: Ty) -> Value {
        let size = self.word(self.layout().size(ty));
        let align = self.layout().align(ty);
        let copy = self.emit(Inst::Alloca { size, align, var: None, lives: true }, Type::Ptr);
        self.emit0(Inst::MemCopy { dst: copy, src: ptr, len: size });
        copy
    }

    fn lower_block(&mut self, bb: Bb) {
        self.cur = self.blocks[&bb];
        self.ended = false;
        self.checked.clear();
        for inst in bb.instructions() {
            if self.ended {
                break;
            }
            let loc = self.place_of(inst);
            if loc.is_known() {
                self.loc = loc;
            }
            self.instruction(bb, inst);
        }
    }

    /// The place of an instruction in the source.
    fn place_of(&mut self, inst: Val) -> Loc {
        let shared = &mut *self.shared;
        shared.symbols.debug.loc(&shared.session, inst)
    }

    // Small words that everything is made of.

    fn layout(&self) -> crate::llvm::Layout {
        self.shared.symbols.constants.layout
    }

    fn word_bits(&self) -> u16 {
        self.shared.target.ptr_bits
    }

    fn word_type(&self) -> Type {
        Type::Int(self.word_bits())
    }

    /// A constant of pointer width.
    fn word(&mut self, value: u64) -> Value {
        let width = self.word_bits();
        self.b.int(width, value)
    }

    fn emit(&mut self, inst: Inst, ty: Type) -> Value {
        let inst = match self.shared.rounding {
            Some(variable) => self.with_mode(inst, variable),
            None => inst,
        };
        self.b.push1(self.cur, inst, ty, self.loc)
    }

    fn emit0(&mut self, inst: Inst) {
        self.b.push0(self.cur, inst, self.loc);
    }

    fn end(&mut self, term: Terminator) {
        self.b.terminate(self.cur, term, self.loc);
        self.ended = true;
    }

    fn ty(&self, v: Value) -> Type {
        self.b.func.ty(v)
    }

    fn bits_of(&self, v: Value) -> u16 {
        self.ty(v).bits(self.word_bits())
    }

    fn binary(&mut self, op: BinOp, lhs: Value, rhs: Value) -> Value {
        let ty = self.ty(lhs);
        self.emit(Inst::Binary { op, lhs, rhs }, ty)
    }

    fn compare(&mut self, op: CmpOp, lhs: Value, rhs: Value) -> Value {
        self.emit(Inst::Compare { op, lhs, rhs }, Type::BOOL)
    }

    fn select(&mut self, cond: Value, then: Value, other: Value) -> Value {
        let ty = self.ty(then);
        self.emit(Inst::Select { cond, then, other }, ty)
    }

    fn not(&mut self, v: Value) -> Value {
        let one = self.b.int(1, 1);
        self.binary(BinOp::Xor, v, one)
    }

    fn is_zero(&mut self, v: Value) -> Value {
        let zero = self.zero(self.ty(v));
        self.compare(CmpOp::Eq, v, zero)
    }

    fn is_nonzero(&mut self, v: Value) -> Value {
        if self.ty(v) == Type::BOOL {
            return v;
        }
        let zero = self.zero(self.ty(v));
        self.compare(CmpOp::Ne, v, zero)
    }

    fn zero(&mut self, ty: Type) -> Value {
        match ty {
            Type::Ptr => self.b.constant(ty, Const::Null),
            Type::Int(_) | Type::Float(_) => {
                let bits = Bv::zero(ty.bits(self.word_bits()));
                self.b.constant(ty, Const::Bits(bits))
            }
        }
    }

    fn undef(&mut self, ty: Type) -> Value {
        self.b.constant(ty, Const::Undef)
    }

    /// The same bits as another type of the same width.
    fn bitcast(&mut self, v: Value, to: Type) -> Value {
        let from = self.ty(v);
        if from == to {
            return v;
        }
        if let Some(Const::Bits(bits)) = self.b.func.as_const(v).cloned() {
            return self.b.constant(to, Const::Bits(bits));
        }
        let op = match (from, to) {
            (Type::Ptr, Type::Int(_)) => CastOp::PtrToInt,
            (Type::Int(_), Type::Ptr) => CastOp::IntToPtr,
            _ => CastOp::Bitcast,
        };
        self.emit(Inst::Cast { op, arg: v }, to)
    }

    /// The bits of a value as an integer.
    fn as_int(&mut self, v: Value) -> Value {
        let width = self.bits_of(v);
        self.bitcast(v, Type::Int(width))
    }

    /// An integer cut or extended to a width.
    fn resize(&mut self, v: Value, width: u16, extend: CastOp) -> Value {
        let from = self.bits_of(v);
        if let Some(Const::Bits(bits)) = self.b.func.as_const(v) {
            let bits = match (extend, from < width) {
                (CastOp::SExt, true) => bits.sext(width),
                _ => bits.resize(width),
            };
            return self.b.constant(Type::Int(width), Const::Bits(bits));
        }
        let to = Type::Int(width);
        match from.cmp(&width) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Less => self.emit(Inst::Cast { op: extend, arg: v }, to),
            std::cmp::Ordering::Greater => self.emit(Inst::Cast { op: CastOp::Trunc, arg: v }, to),
        }
    }

    /// `ptr` moved by a constant number of bytes.
    fn offset_by(&mut self, ptr: Value, bytes: i64) -> Value {
        if bytes == 0 {
            return ptr;
        }
        if let Some(&Const::Global(g, at)) = self.b.func.as_const(ptr) {
            return self.b.constant(Type::Ptr, Const::Global(g, at.wrapping_add(bytes)));
        }
        let width = self.word_bits();
        let offset = self.b.constant(Type::Int(width), Const::Bits(Bv::from_i64(width, bytes)));
        self.emit(Inst::PtrAdd { base: ptr, offset, extent: None }, Type::Ptr)
    }

    // Values of LLVM.

    fn set(&mut self, v: Val, parts: Parts) {
        self.values.insert(v, parts);
    }

    fn set1(&mut self, v: Val, part: Value) {
        self.values.insert(v, smallvec![part]);
    }

    /// The parts of an operand, whether they are determinate or not.
    fn get(&mut self, v: Val) -> Parts {
        if let Some(parts) = self.values.get(&v) {
            return parts.clone();
        }
        if v.is_constant() {
            return self.constant(v);
        }
        // Defined in code that is never reached.
        let parts = types::parts(v.ty(), self.layout()).unwrap_or_default();
        parts.into_iter().map(|p| self.undef(p.ty)).collect()
    }

    fn get1(&mut self, v: Val) -> Value {
        let parts = self.get(v);
        self.first_of(&parts)
    }

    fn first_of(&mut self, parts: &[Value]) -> Value {
        match parts.first() {
            Some(&v) => v,
            None => self.undef(self.word_type()),
        }
    }

    /// The parts of an operand that is used for more than copying.
    fn used(&mut self, v: Val) -> Parts {
        self.check_defined(v);
        self.get(v)
    }

    fn used1(&mut self, v: Val) -> Value {
        let parts = self.used(v);
        self.first_of(&parts)
    }

    fn constant(&mut self, v: Val) -> Parts {
        if types::scalar(v.ty()).is_some() {
            return smallvec![self.scalar_constant(v)];
        }
        let Some(parts) = types::parts(v.ty(), self.layout()) else {
            return smallvec![self.unsupported_value(&format!("constant {}", short(&v.print())))];
        };
        match v.kind() {
            ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind => {
                parts.into_iter().map(|p| self.undef(p.ty)).collect()
            }
            ValueKind::LLVMConstantAggregateZeroValueKind => parts.into_iter().map(|p| self.zero(p.ty)).collect(),
            _ => self.aggregate_constant(v),
        }
    }

    fn aggregate_constant(&mut self, v: Val) -> Parts {
        let count = match v.ty().kind() {
            crate::llvm::TypeKind::LLVMStructTypeKind => v.ty().fields().len() as u64,
            _ => v.ty().count(),
        };
        let mut out = Parts::new();
        for n in 0..count {
            match v.element(n as u32) {
                Some(element) => out.extend(self.constant(element)),
                None => return smallvec![self.unsupported_value(&format!("constant {}", short(&v.print())))],
            }
        }
        out
    }

    fn scalar_constant(&mut self, v: Val) -> Value {
        let Some(ty) = types::scalar(v.ty()) else {
            return self.unsupported_value("constant of an unknown type");
        };
        match self.shared.symbols.constants.fold(v) {
            Some(Folded::Bits(bits)) if ty == Type::Ptr && bits.is_zero() => self.b.constant(ty, Const::Null),
            Some(Folded::Bits(bits)) => self.b.constant(ty, Const::Bits(bits)),
            Some(Folded::Undef) => self.undef(ty),
            Some(Folded::Address(symbol, offset)) => {
                let address = self.address_of(symbol, offset);
                self.bitcast(address, ty)
            }
            None => {
                let what = format!("constant {}", short(&v.print()));
                self.unsupported(&what);
                self.undef(ty)
            }
        }
    }

    fn address_of(&mut self, symbol: Symbol, offset: i64) -> Value {
        match symbol {
            Symbol::Global(g, base) => self.global_address(g, base + offset),
            Symbol::Func(f) => {
                let base = self.b.constant(Type::Ptr, Const::Func(f));
                self.offset_by(base, offset)
            }
        }
    }

    // What is refused.

    fn unsupported(&mut self, what: &str) {
        self.emit0(Inst::Unsupported { what: what.to_string() });
    }

    fn unsupported_value(&mut self, what: &str) -> Value {
        self.unsupported(what);
        self.undef(self.word_type())
    }

    /// Refuses an instruction; its results are anything.
    fn refuse(&mut self, inst: Val, what: &str) {
        self.unsupported(what);
        let parts = types::parts(inst.ty(), self.layout()).unwrap_or_default();
        let values = parts.into_iter().map(|p| self.undef(p.ty)).collect();
        self.set(inst, values);
    }

    // Properties.

    /// Whether checks of this kind are made here.
    fn asks(&self, kind: CheckKind) -> bool {
        let shared = &self.shared;
        shared.checks.has(kind) && !shared.unchecked.has(&shared.symbols.debug.files, self.loc, kind)
    }

    /// What stands for a check of this kind here, if anything does: a new property of this function, or that nothing is known
    /// after a violation.
    fn property(&mut self, kind: CheckKind, text: impl Into<Text>) -> Option<PropertyId> {
        if !self.asks(kind) {
            return kind.ends_meaning().then(|| PropertyId::unasked(kind));
        }
        self.properties.push(Found { kind, loc: self.loc, text: text.into() });
        Some(PropertyId::new(self.properties.len() - 1))
    }

    fn check(&mut self, cond: Value, kind: CheckKind, text: impl Into<Text>) {
        if let Some(property) = self.property(kind, text) {
            self.emit0(Inst::Check { cond, property });
        }
    }

    /// Where the condition does not hold nothing is known, if nobody asks for checks of this kind.
    fn known_if(&mut self, cond: Value, kind: CheckKind) {
        if !self.asks(kind) {
            self.emit0(Inst::Check { cond, property: PropertyId::unasked(kind) });
        }
    }

    /// A violation wherever execution gets here.
    fn violated(&mut self, kind: CheckKind, text: impl Into<Text>) {
        let never = self.b.int(1, 0);
        self.check(never, kind, text);
    }
}

/// The beginning of a long text.
fn short(text: &str) -> String {
    let mut out: String = text.trim().chars().take(60).collect();
    if out.len() < text.trim().len() {
        out.push_str("...");
    }
    out
}
