//! Bodies for functions that have a meaning but no definition, for calls through pointers.

use super::Lowering;
use crate::llvm::Val;
use crate::names::Named;
use blitz_ir::{Func, Terminator, Type, Value};

impl Lowering<'_> {
    /// A function that does what a call of it by name would.
    pub(super) fn synthesise(&mut self, named: Named, func: Val) {
        self.b.block();
        let signature = self.shared.symbols.funcs[self.id.index()].signature.clone();
        let args: Vec<Value> = signature.params.iter().map(|&ty| self.b.block_param(Func::ENTRY, ty)).collect();
        if signature.variadic {
            self.b.block_param(Func::ENTRY, Type::Ptr);
        }
        let name = func.name();
        let values = self.do_named(named, &name, &args, &[], &signature.results);
        if !self.ended {
            let values = self.fit_all(&values, &signature.results);
            self.end(Terminator::Return { values });
        }
    }
}
