//! The front end: LLVM modules, as clang makes them from C, become programs of our IR.
//!
//! [`load`] takes bitcode (or textual IR) of one or more translation units, links them, adds the models of libc that
//! they reach, and gives a [`blitz_ir::Program`] whose bodies are lowered on first use.
//!
//! Invariants: nothing outside of `llvm` knows LLVM's C interface or is `unsafe`; whatever the input, `load` gives an
//! error and never panics; what can't be lowered is refused by name where it is executed.
//!
//! Absent: engines, printing, the run of clang itself (that is `driver`).

mod arguments;
mod constants;
mod debuginfo;
pub mod driver;
mod edits;
mod embedded;
mod error;
mod globals;
mod library;
mod llvm;
mod load;
mod lower;
mod mentions;
mod names;
mod symbols;
mod threads;
mod types;
mod unchecked;
pub mod unit;

pub use edits::Edits;
pub use error::LoadError;
pub use lower::contracts::shown_name;

use blitz_ir::{Checks, Program};

/// How a program is loaded.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// The kinds that get checks.
    pub checks: Checks,
    pub libc: LibcVariant,
    /// A function that has to be there, if named.
    pub entry: Option<String>,
    /// What the program begins with, if that is not `main`.
    pub unit: Option<CompiledUnit>,
    /// How many bits of a 32-bit pointer are its offset; chosen by the program if not said.
    pub offset_bits: Option<u16>,
    pub no_body: NoBody,
}

/// What a call of a function means that has neither a body nor a meaning here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NoBody {
    /// An answer that rests on it is not given.
    #[default]
    Unknown,
    /// The call is a violation, as in CBMC since its version 6.
    Fails,
}

/// A harness, compiled.
#[derive(Clone, Debug)]
pub struct CompiledUnit {
    pub bitcode: Vec<u8>,
    /// What it names of the program.
    pub symbols: Vec<String>,
}

/// Which environment our libc has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibcVariant {
    /// Real files, arguments and time: for running.
    Host,
    /// Files, arguments and time are inputs: for checking.
    Model,
    /// No libc: library functions are unknown.
    None,
}

/// A translation unit.
#[derive(Clone, Debug)]
pub struct ModuleInput {
    /// What messages call it.
    pub name: String,
    /// Bitcode or textual IR.
    pub bytes: Vec<u8>,
    /// What is changed in it before it is linked.
    pub edits: Edits,
}

/// The module with its functions marked for a sanitizer (`sanitize_address`, `sanitize_memory`): clang instruments only
/// what carries the mark, and bitcode made for other purposes does not. Bitcode of ours ends at the first arithmetic that C does
/// not define; without `arithmetic` it goes on, as programs do.
pub fn sanitizable(module: &ModuleInput, mark: &str, arithmetic: bool) -> Result<Vec<u8>, LoadError> {
    load::sanitizable(module, mark, arithmetic)
}

/// Whether calls of a function have a meaning of their own here, without a body: `__VERIFIER_assume`, `memcpy`.
pub fn has_meaning(function: &str) -> bool {
    names::meaning(function).is_some()
}

/// Makes a program of these translation units.
pub fn load(modules: Vec<ModuleInput>, options: &LoadOptions) -> Result<Program, LoadError> {
    load::load(modules, options)
}
