//! Whether a function body or a program keeps the rules of the IR. Gives every error, not the first.
//!
//! The invariants, which everything that reads IR may assume:
//!
//! 1. There is a block 0, the entry; no edge goes to it. Its parameters are the function's (with one more, a pointer, if
//!    it is variadic).
//! 2. Every id in use is in range. An instruction stands in one block at most, and once; one that stands nowhere is dead
//!    and nobody uses its results.
//! 3. A value knows its definition: parameter n of a block, result n of an instruction, a constant that fits its type.
//! 4. A definition dominates its uses (in reachable blocks).
//! 5. An edge passes as many arguments as its target has parameters, of the same types. Targets of an indirect jump
//!    have no parameters.
//! 6. Operands and results have the types that the instruction asks for (`verify/types.rs` is the table).
//! 7. Cases of a switch are distinct and of the type of its operand.
//! 8. A call passes the fixed arguments its signature names, and more only if it is variadic; a direct call's signature is
//!    that of its callee (one that differs has to be made through a pointer); it yields the results of the signature.
//! 9. `return` gives the results of the function's signature.
//! 10. A check names a property of this program and of its own kind; the kinds of a memory check are those its access
//!     can violate, each at most once.
//! 11. A global's initial bytes and pointers lie inside it, the pointers by ascending offset.
//!
//! Rules 8 to 11 and the ids of functions and globals need the program; [`func`] alone can't see them.

mod types;

use crate::cfg::{Cfg, DomTree};
use crate::func::{Block, Const, Func, Value, ValueDef};
use crate::inst::{CallSite, Inst, InstId, MemCheck, Target, Terminator};
use crate::program::{FuncId, Program, RelocTarget, TargetInfo};
use crate::property::{CheckKind, PropertyId};
use crate::types::Type;
use blitz_base::span::Loc;
use std::collections::HashSet;
use std::fmt;

/// A rule that is broken, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    pub func: Option<FuncId>,
    pub block: Option<Block>,
    pub inst: Option<InstId>,
    pub loc: Loc,
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts =
            [self.func.map(|x| x.to_string()), self.block.map(|x| x.to_string()), self.inst.map(|x| x.to_string())];
        for part in parts.into_iter().flatten() {
            write!(f, "{part}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for VerifyError {}

/// The errors of a body as far as they can be seen without its program.
pub fn func(func: &Func, target: TargetInfo) -> Vec<VerifyError> {
    Verifier::new(func, target, None).run()
}

/// The errors of the body of `id`.
pub fn func_in(func: &Func, program: &Program, id: FuncId) -> Vec<VerifyError> {
    Verifier::new(func, program.target, Some((program, id))).run()
}

/// The errors of a program and of all its bodies, which are lowered for this.
pub fn program(program: &Program) -> Vec<VerifyError> {
    let mut errors = globals(program);
    for id in (0..program.funcs.len()).map(FuncId::new) {
        if let Some(body) = program.body(id) {
            errors.extend(func_in(body, program, id));
        }
    }
    errors
}

fn globals(program: &Program) -> Vec<VerifyError> {
    let mut errors = Vec::new();
    let pointer = u64::from(program.target.ptr_bits / 8);
    for (i, g) in program.globals.iter().enumerate() {
        let mut report = |message: String| {
            let message = format!("global{i} ({}): {message}", g.name);
            errors.push(VerifyError { func: None, block: None, inst: None, loc: g.loc, message });
        };
        if g.init.as_ref().is_some_and(|bytes| bytes.len() as u64 > g.size) {
            report(format!("initial bytes are more than its size {}", g.size));
        }
        if !g.relocs.is_sorted_by(|a, b| a.offset < b.offset) {
            report("pointers should be listed by ascending offset".into());
        }
        for r in &g.relocs {
            let known = match r.target {
                RelocTarget::Global(id) => id.index() < program.globals.len(),
                RelocTarget::Func(id) => id.index() < program.funcs.len(),
            };
            if !known || r.offset.saturating_add(pointer) > g.size {
                report(format!("the pointer at offset {} is out of range", r.offset));
            }
        }
    }
    let starts = program.constructors.iter().chain(&program.destructors);
    for f in starts.filter(|f| f.index() >= program.funcs.len()) {
        let message = format!("constructor or destructor {f} does not exist");
        errors.push(VerifyError { func: Some(*f), block: None, inst: None, loc: Loc::UNKNOWN, message });
    }
    errors
}

/// Where an instruction stands.
#[derive(Clone, Copy)]
struct Position {
    block: Block,
    index: usize,
}

struct Verifier<'a> {
    func: &'a Func,
    target: TargetInfo,
    program: Option<(&'a Program, FuncId)>,
    errors: Vec<VerifyError>,
    /// By instruction; `None` if it stands nowhere.
    position: Vec<Option<Position>>,
    block: Option<Block>,
    inst: Option<InstId>,
    loc: Loc,
}

impl<'a> Verifier<'a> {
    fn new(func: &'a Func, target: TargetInfo, program: Option<(&'a Program, FuncId)>) -> Self {
        Self {
            func,
            target,
            program,
            errors: Vec::new(),
            position: vec![None; func.insts.len()],
            block: None,
            inst: None,
            loc: Loc::UNKNOWN,
        }
    }

    fn run(mut self) -> Vec<VerifyError> {
        if self.func.blocks.is_empty() {
            self.error("a body should have a block");
            return self.errors;
        }
        self.ids();
        // What follows indexes by ids, so it needs them in range.
        if self.errors.is_empty() {
            self.definitions();
            self.signature();
            self.each_instruction();
            self.dominance();
        }
        self.errors
    }

    fn error(&mut self, message: impl Into<String>) {
        self.errors.push(VerifyError {
            func: self.program.map(|p| p.1),
            block: self.block,
            inst: self.inst,
            loc: self.loc,
            message: message.into(),
        });
    }

    fn at(&mut self, block: Block, inst: Option<InstId>) {
        self.block = Some(block);
        self.inst = inst;
        self.loc = inst.map_or(self.func.block(block).loc, |i| self.func.inst(i).loc);
    }

    /// Rule 2.
    fn ids(&mut self) {
        let func = self.func;
        for b in func.block_ids() {
            self.block = Some(b);
            let data = func.block(b);
            self.values_exist(&data.params);
            for (index, &i) in data.insts.iter().enumerate() {
                self.inst = Some(i);
                let Some(slot) = self.position.get_mut(i.index()) else {
                    self.error("instruction out of range");
                    continue;
                };
                if slot.replace(Position { block: b, index }).is_some() {
                    self.error("instruction stands in two places");
                }
                self.values_exist(&func.inst(i).results);
                let mut operands = Vec::new();
                func.inst(i).inst.for_each_operand(|v| operands.push(v));
                self.values_exist(&operands);
                self.var_exists(&func.inst(i).inst);
            }
            self.inst = None;
            let mut operands = Vec::new();
            data.term.for_each_operand(|v| operands.push(v));
            self.values_exist(&operands);
            for (to, _) in data.term.successors() {
                if to.index() >= func.blocks.len() {
                    self.error(format!("{to} does not exist"));
                } else if to == Func::ENTRY {
                    self.error("an edge goes to the entry");
                }
            }
        }
    }

    fn values_exist(&mut self, values: &[Value]) {
        for v in values {
            if v.index() >= self.func.values.len() {
                self.error(format!("{v} does not exist"));
            }
        }
    }

    fn var_exists(&mut self, inst: &Inst) {
        let var = match inst {
            Inst::Debug { var, .. } => Some(*var),
            Inst::Alloca { var, .. } => *var,
            _ => None,
        };
        if let Some(var) = var.filter(|v| v.index() >= self.func.vars.len()) {
            self.error(format!("{var} does not exist"));
        }
    }

    /// Rule 3: what blocks and instructions define says so, and constants fit.
    fn definitions(&mut self) {
        let func = self.func;
        for b in func.block_ids() {
            self.at(b, None);
            for (n, &v) in func.block(b).params.iter().enumerate() {
                self.defined_as(v, ValueDef::Param(b, n as u32));
            }
            for &i in &func.block(b).insts {
                self.at(b, Some(i));
                for (n, &v) in func.inst(i).results.iter().enumerate() {
                    self.defined_as(v, ValueDef::Inst(i, n as u32));
                }
            }
        }
        (self.block, self.inst, self.loc) = (None, None, Loc::UNKNOWN);
        for (i, data) in func.values.iter().enumerate() {
            if let ValueDef::Const(c) = &data.def {
                self.constant(Value::new(i), c, data.ty);
            }
        }
    }

    fn defined_as(&mut self, v: Value, def: ValueDef) {
        let found = &self.func.values[v.index()].def;
        if *found != def {
            self.error(format!("{v} should be defined as {def:?}, is {found:?}"));
        }
    }

    fn constant(&mut self, v: Value, c: &Const, ty: Type) {
        let pointer = ty == Type::Ptr;
        let fits = match c {
            Const::Bits(bits) => bits.width() == ty.bits(self.target.ptr_bits),
            Const::Null => pointer,
            Const::Global(id, _) => pointer && self.program.is_none_or(|(p, _)| id.index() < p.globals.len()),
            Const::Func(id) => pointer && self.program.is_none_or(|(p, _)| id.index() < p.funcs.len()),
            Const::Undef => true,
        };
        if !fits {
            self.error(format!("{v}: the constant {c:?} is no value of type {ty}"));
        }
    }

    /// Rule 1: the entry's parameters against the declaration.
    fn signature(&mut self) {
        let Some((program, id)) = self.program else {
            return;
        };
        let signature = &program.decl(id).signature;
        let hidden = signature.variadic.then_some(Type::Ptr);
        let expected: Vec<Type> = signature.params.iter().copied().chain(hidden).collect();
        let found: Vec<Type> = self.func.params().iter().map(|&v| self.func.ty(v)).collect();
        if expected != found {
            self.at(Func::ENTRY, None);
            self.error(format!("parameters are {found:?}, the declaration has {expected:?}"));
        }
    }

    fn each_instruction(&mut self) {
        let func = self.func;
        for b in func.block_ids() {
            for &i in &func.block(b).insts {
                self.at(b, Some(i));
                if let Err(message) = types::inst(func, self.target, func.inst(i)) {
                    self.error(message);
                }
                match &func.inst(i).inst {
                    Inst::Call(call) => self.call(call),
                    Inst::CheckMem(check) => self.mem_check(check),
                    Inst::Check { property, .. } => self.property(*property, None),
                    Inst::Await { property: Some(p), .. } => self.property(*p, Some(CheckKind::Deadlock)),
                    Inst::HeapAlloc { leak: Some(p), .. } => {
                        self.property(*p, Some(CheckKind::MemoryLeak));
                    }
                    _ => {}
                }
            }
            self.at(b, None);
            self.terminator(&func.block(b).term);
        }
    }

    /// Rule 8.
    fn call(&mut self, call: &CallSite) {
        if let (Target::Func(id), Some((program, _))) = (call.target, self.program) {
            match program.funcs.get(id.index()) {
                None => self.error(format!("{id} does not exist")),
                Some(decl) if decl.signature != call.signature => {
                    self.error(format!("call of {} as {}, it is {}", decl.name, call.signature, decl.signature))
                }
                Some(_) => {}
            }
        }
        self.kinds(&call.properties, |_| true);
    }

    /// Rule 10.
    fn mem_check(&mut self, check: &MemCheck) {
        self.kinds(&check.properties, |k| types::access_kinds(check.access).contains(&k));
    }

    fn kinds(&mut self, list: &[(CheckKind, PropertyId)], allowed: impl Fn(CheckKind) -> bool) {
        let mut seen = HashSet::new();
        for &(kind, property) in list {
            if !allowed(kind) {
                self.error(format!("this check can't violate {kind}"));
            }
            if !seen.insert(kind) {
                self.error(format!("{kind} is listed twice"));
            }
            self.property(property, Some(kind));
        }
    }

    fn property(&mut self, id: PropertyId, kind: Option<CheckKind>) {
        let Some((program, _)) = self.program else {
            return;
        };
        if let Some(unasked) = id.unasked_kind() {
            if kind.is_some_and(|k| k != unasked) {
                self.error(format!("{id} stands for {unasked}, which is switched off"));
            }
            return;
        }
        match program.try_property(id) {
            None => self.error(format!("{id} does not exist")),
            Some(p) if kind.is_some_and(|k| k != p.kind) => {
                self.error(format!("{id} ({}) is of kind {}", p.name, p.kind));
            }
            Some(_) => {}
        }
    }

    /// Rules 5, 7 and 9.
    fn terminator(&mut self, term: &Terminator) {
        for (to, args) in term.successors() {
            self.edge(to, args);
        }
        if let Err(message) = types::terminator(self.func, self.target, term) {
            self.error(message);
        }
        match (term, self.program) {
            (Terminator::Return { values }, Some((program, id))) => {
                let found: Vec<Type> = values.iter().map(|&v| self.func.ty(v)).collect();
                let expected = &program.decl(id).signature.results;
                if found != *expected {
                    self.error(format!("returns {found:?}, the declaration has {expected:?}"));
                }
            }
            (Terminator::Switch { cases, .. }, _) => {
                let mut seen = HashSet::new();
                if let Some(twice) = cases.iter().find(|c| !seen.insert(&c.0)) {
                    self.error(format!("case {} comes twice", twice.0.to_decimal()));
                }
            }
            _ => {}
        }
    }

    fn edge(&mut self, to: Block, args: &[Value]) {
        let types = |values: &[Value]| values.iter().map(|&v| self.func.ty(v)).collect::<Vec<_>>();
        let (passed, wanted) = (types(args), types(&self.func.block(to).params));
        if passed != wanted {
            self.error(format!("passes {passed:?} to {to}, which takes {wanted:?}"));
        }
    }

    /// Rule 4.
    fn dominance(&mut self) {
        let func = self.func;
        let cfg = Cfg::new(func);
        let dom = cfg.dominators();
        for &b in cfg.rpo() {
            for (index, &i) in func.block(b).insts.iter().enumerate() {
                let mut operands = Vec::new();
                func.inst(i).inst.for_each_operand(|v| operands.push(v));
                self.at(b, Some(i));
                self.dominated(&dom, &operands, Position { block: b, index });
            }
            let mut operands = Vec::new();
            func.block(b).term.for_each_operand(|v| operands.push(v));
            self.at(b, None);
            self.dominated(&dom, &operands, Position { block: b, index: usize::MAX });
        }
    }

    fn dominated(&mut self, dom: &DomTree, operands: &[Value], at: Position) {
        for &v in operands {
            let ok = match self.func.values[v.index()].def {
                ValueDef::Const(_) => true,
                ValueDef::Param(block, n) => {
                    let params = self.func.blocks.get(block.index()).map(|b| &b.params);
                    params.is_some_and(|p| p.get(n as usize) == Some(&v)) && dom.dominates(block, at.block)
                }
                ValueDef::Inst(i, _) => self.position.get(i.index()).copied().flatten().is_some_and(|p| {
                    let earlier = p.block == at.block && p.index < at.index;
                    earlier || p.block != at.block && dom.dominates(p.block, at.block)
                }),
            };
            if !ok {
                self.error(format!("{v} is used where its definition does not reach"));
            }
        }
    }
}

#[cfg(test)]
mod tests;
