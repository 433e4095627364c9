//! Simplification of bodies after lowering, without any use of undefined behaviour.
//!
//! Why our own: an optimiser removes the very bugs that are looked for. These passes only do what holds for every execution,
//! erroneous ones included: each instruction has one meaning, each check that goes is one that can't fail.
//!
//! Invariants: verifier in, verifier out (asserted in debug builds); places stay on instructions; a value record exists wherever
//! an address record said where a variable lives; loops keep their heads; object numbers may change (promoted objects have
//! none), nothing else that a program can observe does. All passes are near-linear and none recurses.
//!
//! Absent: anything across functions, aliases, loop transformations.

mod compact;
mod computation;
mod dce;
mod flow;
mod fold;
mod known;
mod memory;
mod params;
mod promote;
mod simplify;
mod thread;
mod util;

use crate::func::{Func, FuncBuilder, Value, ValueDef};
use crate::program::{Global, TargetInfo};
use crate::verify;
use util::Subst;

/// More rounds than this are not worth their time; nearly all bodies need two.
const MOST_ROUNDS: usize = 6;

/// What the passes may know beyond the body.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub target: TargetInfo,
    /// The program's globals, to remove checks on them that can't fail; empty if not at hand.
    pub globals: &'a [Global],
}

/// Simplifies a body, knowing only the target.
pub fn clean(func: &mut Func, target: TargetInfo) {
    clean_with(func, &Options { target, globals: &[] });
}

/// Simplifies a body.
pub fn clean_with(func: &mut Func, options: &Options<'_>) {
    assert_valid(func, options, "lowering");
    let mut b = FuncBuilder::from_func(std::mem::take(func));
    flow::expand_indirect_jumps(&mut b, options.target);
    share_constants(&mut b);
    // Flow first: each branch that only guards a failure and is gone makes promotion cheaper.
    flow::run(&mut b);
    assert_valid(&b.func, options, "control flow");
    compact::compact(&mut b);
    for _ in 0..MOST_ROUNDS {
        if !round(&mut b, options) {
            break;
        }
    }
    // The last round may have made constants that nothing uses.
    compact::compact(&mut b);
    *func = b.func;
}

/// Each pass once; says whether any did something.
fn round(b: &mut FuncBuilder, options: &Options<'_>) -> bool {
    let mut changed = false;
    let mut step = |b: &mut FuncBuilder, name: &str, pass: &mut dyn FnMut(&mut FuncBuilder) -> bool| {
        let did = pass(b);
        if did {
            assert_valid(&b.func, options, name);
        }
        changed |= did;
        did
    };
    if step(b, "threading", &mut |b| thread::run(b, options.target)) {
        compact::compact(b);
    }
    let promoted = step(b, "promotion", &mut |b| promote::promote(b, options));
    let folded = step(b, "folding", &mut |b| fold::run(b, options));
    if promoted | folded {
        compact::compact(b);
    }
    let params = step(b, "parameters", &mut params::remove_trivial);
    let dead = step(b, "dead code", &mut |b| dce::run(&mut b.func));
    if params | dead {
        compact::compact(b);
    }
    if step(b, "control flow", &mut flow::run) {
        compact::compact(b);
    }
    changed
}

/// Makes equal constants one value, so that passes can compare values.
fn share_constants(b: &mut FuncBuilder) {
    let mut subst = Subst::default();
    for i in 0..b.func.values.len() {
        let data = &b.func.values[i];
        if let ValueDef::Const(c) = &data.def {
            let (ty, c) = (data.ty, c.clone());
            let one = b.constant(ty, c);
            if one.index() != i {
                subst.set(Value::new(i), one);
            }
        }
    }
    subst.apply(&mut b.func);
}

/// In debug builds: the body keeps the rules after this step.
fn assert_valid(func: &Func, options: &Options<'_>, after: &str) {
    if cfg!(debug_assertions) {
        let errors = verify::func(func, options.target);
        let first = errors.first().map(ToString::to_string);
        assert!(errors.is_empty(), "IR should be valid after {after}: {}", first.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests;
