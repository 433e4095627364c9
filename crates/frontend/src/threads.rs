//! Whether a program may start threads: whether its start reaches the primitive that does, by calls and by addresses that are mentioned.
//!
//! Why: everything that threads cost (visible points, instances of thread-local variables) is for such programs only. Approximates upwards: what is
//! mentioned counts as called.

use crate::constants::Symbol;
use crate::llvm::{Val, ValueKind};
use crate::load::START;
use crate::names::Named;
use crate::symbols::{Origin, Symbols};
use blitz_ir::{Builtin, FuncId, ThreadOp};
use rustc_hash::FxHashSet;

/// Looks from the start code on; in a program without one, from every function on.
pub fn may_start(symbols: &Symbols, constructors: &[FuncId]) -> bool {
    let starts = |v: &Val| symbols.meanings.get(v) == Some(&Named::Builtin(Builtin::Thread(ThreadOp::Start)));
    if !symbols.meanings.keys().any(&starts) {
        return false;
    }
    let entry = symbols.funcs.iter().position(|f| f.model && f.name == START).map(FuncId::new);
    // `main` is called by a name of its own.
    let main = symbols.user_func("main");
    let roots: Vec<FuncId> = match entry {
        Some(entry) => [entry].into_iter().chain(main).chain(constructors.iter().copied()).collect(),
        None => (0..symbols.funcs.len()).map(FuncId::new).collect(),
    };
    let mut walk = Walk { symbols, seen: FxHashSet::default(), stack: Vec::new() };
    roots.into_iter().for_each(|f| walk.function(f));
    while let Some(v) = walk.stack.pop() {
        if starts(&v) {
            return true;
        }
        walk.look(v);
    }
    false
}

struct Walk<'a> {
    symbols: &'a Symbols,
    seen: FxHashSet<Val>,
    stack: Vec<Val>,
}

impl Walk<'_> {
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
