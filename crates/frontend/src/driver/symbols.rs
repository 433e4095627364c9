//! Which functions a module defines.

use crate::llvm::Session;

/// Whether bitcode of ours (made by clang just now) defines the function.
pub fn defines(bitcode: &[u8], function: &str) -> bool {
    let mut session = Session::new();
    let Ok(module) = session.parse("module", bitcode) else { return false };
    session.functions(module).into_iter().any(|f| !f.is_declaration() && f.name() == function)
}
