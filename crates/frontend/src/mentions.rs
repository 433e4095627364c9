//! What a program mentions on the way from some functions: what they call, and the addresses that they and the variables they name hold.
//!
//! Approximates upwards: what is mentioned counts as called.

use crate::constants::Symbol;
use crate::llvm::{Val, ValueKind};
use crate::load::START;
use crate::symbols::{Origin, Symbols};
use blitz_ir::FuncId;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

/// The user's functions that nothing mentions on the way from the start code; none where a program has no start.
pub fn unmentioned(symbols: &Symbols, started: Started, others: &[FuncId]) -> BTreeSet<FuncId> {
    let entry = symbols.funcs.iter().position(|f| f.model && f.name == START).map(FuncId::new);
    // `main` is called by a name of its own.
    let main = match started {
        Started::Main => symbols.user_func("main"),
        Started::Unit => None,
    };
    let Some(entry) = entry.filter(|_| main.is_some() || started == Started::Unit) else { return BTreeSet::new() };
    let roots = [entry].into_iter().chain(main).chain(others.iter().copied()).collect();
    let mut walk = Walk::new(symbols, roots);
    walk.any(|_| false);
    let defined = |f: FuncId| match symbols.origins[f.index()] {
        Origin::Defined(v) => !walk.seen.contains(&v),
        _ => false,
    };
    (0..symbols.funcs.len()).map(FuncId::new).filter(|f| !symbols.funcs[f.index()].model && defined(*f)).collect()
}

/// What the start code calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Started {
    Main,
    /// A harness, which is the start code.
    Unit,
}

/// What was found, and what is left to look at.
pub struct Walk<'a> {
    symbols: &'a Symbols,
    seen: FxHashSet<Val>,
    stack: Vec<Val>,
}

impl<'a> Walk<'a> {
    pub fn new(symbols: &'a Symbols, roots: Vec<FuncId>) -> Self {
        let mut walk = Walk { symbols, seen: FxHashSet::default(), stack: Vec::new() };
        roots.into_iter().for_each(|f| walk.function(f));
        walk
    }

    fn function(&mut self, f: FuncId) {
        if let Origin::Defined(v) = self.symbols.origins[f.index()] {
            self.push(v);
        }
    }

    fn push(&mut self, v: Val) {
        let mentions = matches!(
            v.kind(),
            ValueKind::LLVMFunctionValueKind
                | ValueKind::LLVMGlobalVariableValueKind
                | ValueKind::LLVMGlobalAliasValueKind
                | ValueKind::LLVMConstantExprValueKind
                | ValueKind::LLVMConstantArrayValueKind
                | ValueKind::LLVMConstantStructValueKind
                | ValueKind::LLVMConstantVectorValueKind
        );
        if mentions && self.seen.insert(v) {
            self.stack.push(v);
        }
    }

    /// Goes on until something fits, or everything was looked at.
    pub fn any(&mut self, fits: impl Fn(Val) -> bool) -> bool {
        while let Some(v) = self.stack.pop() {
            if fits(v) {
                return true;
            }
            self.look(v);
        }
        false
    }

    fn look(&mut self, v: Val) {
        match v.kind() {
            ValueKind::LLVMFunctionValueKind => {
                if !v.is_declaration() {
                    for block in v.blocks() {
                        block.for_each_instruction(|inst| inst.operands().for_each(|op| self.push(op)));
                    }
                }
                self.definition(v);
            }
            ValueKind::LLVMGlobalVariableValueKind => {
                v.initializer().into_iter().for_each(|init| self.push(init));
                self.definition(v);
            }
            ValueKind::LLVMGlobalAliasValueKind => self.push(v.aliasee()),
            _ => v.operands().for_each(|op| self.push(op)),
        }
    }

    /// What a declaration stands for.
    fn definition(&mut self, v: Val) {
        if let Some(&f) = self.symbols.library.get(&v) {
            self.function(f);
        }
        match self.symbols.constants.symbols.get(&v) {
            Some(&Symbol::Func(f)) => self.function(f),
            Some(&Symbol::Global(g, _)) => self.push(self.symbols.globals[g.index()].val),
            None => {}
        }
    }
}
