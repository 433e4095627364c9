//! Whether a program may start threads: whether its start reaches the primitive that does, by calls and by addresses that are mentioned.
//!
//! Why: everything that threads cost (visible points, instances of thread-local variables) is for such programs only. Approximates upwards: what is
//! mentioned counts as called.

use crate::llvm::Val;
use crate::load::START;
use crate::mentions::Walk;
use crate::names::Named;
use crate::symbols::Symbols;
use blitz_ir::{Builtin, FuncId, ThreadOp};

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
    let mut walk = Walk::new(symbols, roots);
    walk.any(|v| starts(&v))
}
