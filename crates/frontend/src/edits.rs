//! What the tools of CBMC do to a translation unit before it is linked: `--export-file-local-symbols` and `--remove-function-body`;
//! and what linking means to them, that the first of several definitions of a function counts (a proof's stubs come before the project).

use crate::ModuleInput;
use crate::llvm::{Linkage, Module, Session, Val};
use rustc_hash::FxHashMap;

/// Changes to one translation unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Static functions can be called from elsewhere, by the names CBMC gives them.
    pub export_local: bool,
    /// Functions whose bodies are taken away.
    pub removed: Vec<String>,
    /// A function that an earlier input defines, with the same type, is left to that input.
    pub yields: bool,
}

/// Makes the changes that an input asks for.
pub fn apply(session: &mut Session, module: Module, input: &ModuleInput) {
    if input.edits.export_local {
        session.drop_used_list(module);
        for f in session.functions(module) {
            if !f.is_declaration() && f.linkage() == Linkage::LLVMInternalLinkage {
                let name = file_local_name(&file_of(session, f), &f.name());
                session.export(f, &name);
            }
        }
    }
    for f in session.functions(module) {
        if !f.is_declaration() && input.edits.removed.contains(&f.name()) {
            session.remove_body(module, f);
        }
    }
}

/// Takes the bodies of functions away that `earlier` defines already, with the same type.
pub fn yield_to(session: &mut Session, earlier: Module, module: Module) {
    let strong = |f: &Val| !f.is_declaration() && f.linkage() == Linkage::LLVMExternalLinkage;
    let defined: FxHashMap<String, Val> =
        session.functions(earlier).into_iter().filter(strong).map(|f| (f.name(), f)).collect();
    for f in session.functions(module).into_iter().filter(strong) {
        if defined.get(&f.name()).is_some_and(|first| first.value_type() == f.value_type()) {
            session.remove_body(module, f);
        }
    }
}

/// The file in which a function is defined.
fn file_of(session: &Session, f: Val) -> String {
    let file = f.subprogram().and_then(|s| s.scope_file());
    file.map_or_else(String::new, |file| file.file_path(session).1)
}

/// CBMC's name for a static function: `__CPROVER_file_local_list_c_push` for `push` of `list.c`.
pub fn file_local_name(file: &str, function: &str) -> String {
    let base = file.rsplit('/').next().unwrap_or(file);
    let base: String = base.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("__CPROVER_file_local_{base}_{function}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_as_cbmc_has_them() {
        assert_eq!(file_local_name("a/b/core-x.c", "f"), "__CPROVER_file_local_core_x_c_f");
        assert_eq!(file_local_name("list.inl", "g"), "__CPROVER_file_local_list_inl_g");
    }
}
