//! Runs on made-up requests (`crate::requests`) that are to come near a check.
//!
//! Why: bugs that need several requests are far away for conditions, and near for runs. What is in sight of the check's function tells states apart.
//! Direction: under-approximation; what is found was executed.

use super::super::world::{ProgramWorld, steps_from};
use crate::config::CheckConfig;
use crate::requests::{Aim, Requests, Typing, used_by};
use crate::tuning::{REQUESTS_MAX_ARGS, REQUESTS_SIGHT_INSTS};
use blitz_base::Budget;
use blitz_interp::Script;
use blitz_ir::{FuncId, GlobalId, Inst, Target};
use std::collections::{BTreeSet, HashMap};

/// Requests for the check's function, or for any check.
pub(in super::super) fn requests<'p, 'a>(
    world: &ProgramWorld<'p>,
    config: &'a CheckConfig,
    whole: &'a Budget,
    aim: Option<FuncId>,
) -> Requests<'p, 'a> {
    let to_check =
        aim.map(|func| steps_from(func, |f| world.analysis.callers(f).iter().map(|(caller, _)| *caller).collect()));
    let watched = match (aim, &to_check) {
        (Some(func), Some(to_check)) => in_sight(world, func, to_check),
        _ => used_by(world.program, world.distances.keys().copied().collect()),
    };
    let script = |args: &[Vec<u8>], stdin| Script { args: args.to_vec(), stdin, ..Script::default() };
    let typing = Typing { max_args: REQUESTS_MAX_ARGS, script: Box::new(script) };
    Requests::new(world.program, config, whole, Aim { to_check, watched }, typing)
}

/// The globals that the function of the check uses, its callers, and small functions that it calls.
fn in_sight(world: &ProgramWorld<'_>, func: FuncId, to_check: &HashMap<FuncId, u32>) -> Vec<GlobalId> {
    let program = world.program;
    let mut funcs: BTreeSet<FuncId> = to_check.iter().filter(|(_, d)| **d <= 1).map(|(f, _)| *f).collect();
    funcs.extend(program.body(func).into_iter().flat_map(|body| {
        body.insts.iter().filter_map(|data| match &data.inst {
            Inst::Call(site) => match site.target {
                Target::Func(f) => program.body(f).is_some_and(|b| b.insts.len() <= REQUESTS_SIGHT_INSTS).then_some(f),
                Target::Pointer(_) => None,
            },
            _ => None,
        })
    }));
    used_by(program, funcs)
}
