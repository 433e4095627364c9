//! Stack objects become values: SSA construction and scalar replacement of aggregates in one pass.
//!
//! Why: clang without optimisation keeps every local in memory. A local whose address goes nowhere needs none: what is
//! stored is a value, and so is its shadow (which bits are indeterminate) and whether it is in scope.
//!
//! What is promoted: an `alloca` of constant size whose address is only used, at constant offsets inside it, by loads, stores,
//! their shadows, lifetimes, debug records, access checks, and bulk operations of constant length. Its accesses fall into
//! *slots*: ranges that are always accessed as one scalar, or a few bytes accessed in several ways (one integer then, from
//! which the parts are cut).
//!
//! Meaning kept: out of scope or indeterminate is not assumed away. `alloca` and `lifetime.start` set the shadow to ones and the
//! value to `undef`; an access check becomes a check that the object is in scope, if it names that property; a check
//! of definedness becomes a check of the shadow.
//!
//! Debug records of addresses become records of values, one behind each store; a part of an aggregate gets a variable
//! of its own, named `<variable>+<offset>`.
//!
//! Absent on purpose: functions that call `setjmp` (their locals have to survive in memory), objects that a `stack.restore`
//! may end. Precondition: no unreachable blocks, no indirect jumps, addresses computed from an `alloca` directly.

mod objects;
mod rename;
mod slots;
mod ssa;

use super::Options;
use crate::cfg::Cfg;
use crate::func::FuncBuilder;
pub(super) use objects::inside;

/// Promotes what can be; says whether there was anything.
pub(super) fn promote(b: &mut FuncBuilder, options: &Options<'_>) -> bool {
    let cfg = Cfg::new(&b.func);
    let Some(mut objects) = objects::find(&b.func, &cfg, options.target) else {
        return false;
    };
    let layout = slots::lay_out(&mut objects);
    if layout.is_empty() {
        return false;
    }
    let dom = cfg.dominators();
    let phis = ssa::place(&b.func, &cfg, &dom, &objects, &layout);
    rename::rename(b, &dom, &objects, &layout, &phis, options);
    true
}
