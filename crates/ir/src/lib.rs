//! The program: a small typed SSA form in which every undefined behaviour is an explicit check.
//!
//! Why our own IR: LLVM's carries the semantics of an optimiser (poison, undef, flags); a checker wants the
//! opposite, few instructions with one meaning each and every obligation visible.
//!
//! Invariants (checked by [`verify`]): values are scalars (vectors and aggregates are taken apart by the front
//! end); each value has one definition that dominates its uses; joins pass values as block arguments; every
//! check names a property.
//!
//! Code map: `func`, `inst`, `types`, `program`, `property` are the data, `effect` what an instruction does to memory, `channel` what an input is; `print`, `parse` and `verify` its text form and
//! rules; `cfg`, `loops` and `callgraph` say how control flows; `passes` simplifies bodies after lowering.
//!
//! Absent on purpose: terms, solvers, LLVM, the execution of programs (`passes` folds integer constants, no more).

pub mod builtin;
pub mod callgraph;
pub mod cfg;
pub mod channel;
pub mod components;
pub mod direction;
pub mod effect;
pub mod fragments;
pub mod func;
pub mod held;
pub mod inst;
pub mod loops;
mod names;
pub mod parse;
pub mod passes;
pub mod print;
pub mod program;
pub mod property;
#[cfg(test)]
mod testing;
pub mod types;
pub mod unsupported;
pub mod verify;

pub use builtin::{Builtin, Rounded, ThreadOp};
pub use callgraph::CallGraph;
pub use cfg::{Cfg, DomTree};
pub use channel::{Channel, InputName};
pub use direction::Direction;
pub use effect::Effect;
pub use func::{Block, BlockData, Const, Func, FuncBuilder, Value, ValueData, ValueDef, Var, VarInfo};
pub use inst::{
    AccessKind, BinOp, CallSite, CastOp, CmpOp, Extent, Inst, InstData, InstId, MemCheck, OverflowOp, Target,
    Terminator, UnOp,
};
pub use loops::{LoopForest, LoopId, LoopInfo};
pub use program::{BodySource, FuncDecl, FuncId, Global, GlobalId, Program, Reloc, RelocTarget, Signature, TargetInfo};
pub use property::{CheckKind, Checks, Property, PropertyId};
pub use types::{FloatKind, Type};
pub use unsupported::{Approximation, Unsupported};
