//! Unwinding bounds from the configuration.

use crate::Refused;
use crate::config::CheckConfig;
use crate::verdict::{BoundKind, BoundReached};
use blitz_ir::loops::{LoopForest, LoopId};
use blitz_ir::{FuncId, Program};
use blitz_symex::{Bounds, Cut, CutKind};
use std::collections::HashMap;

/// One bound for all, others for single loops.
pub(crate) struct Unwind {
    pub all: u32,
    /// Only this function's loops have the bound, those of others at most the other one.
    focus: Option<(FuncId, u32)>,
    single: HashMap<(FuncId, LoopId), u32>,
    counts_ways_back: bool,
}

impl Unwind {
    pub fn new(program: &Program, config: &CheckConfig, all: u32) -> Result<Self, Refused> {
        let mut single = HashMap::new();
        for (name, bound) in &config.unwindset {
            single.insert(find_loop(program, name)?, *bound);
        }
        Ok(Self { all, focus: None, single, counts_ways_back: config.counts_ways_back })
    }

    /// Deep in one function only.
    pub fn focused(self, func: FuncId, elsewhere: u32) -> Self {
        Self { focus: Some((func, elsewhere)), ..self }
    }
}

fn find_loop(program: &Program, name: &str) -> Result<(FuncId, LoopId), Refused> {
    let unknown = || Refused(format!("--unwindset: there is no loop `{name}` (`blitz loops` lists them)"));
    let (func, number) = name.rsplit_once('.').ok_or_else(unknown)?;
    let func = program.func_named(func).ok_or_else(unknown)?;
    let number: u32 = number.parse().ok().filter(|n| *n > 0).ok_or_else(unknown)?;
    let body = program.body(func).ok_or_else(unknown)?;
    if number as usize > LoopForest::new(body).loops.len() {
        return Err(unknown());
    }
    Ok((func, LoopId(number - 1)))
}

impl Bounds for Unwind {
    fn loop_bound(&self, func: FuncId, l: LoopId) -> u32 {
        let usual = match self.focus {
            Some((focus, elsewhere)) if focus != func => self.all.min(elsewhere),
            _ => self.all,
        };
        self.single.get(&(func, l)).copied().unwrap_or(usual)
    }

    fn recursion_bound(&self, _: FuncId) -> u32 {
        self.all
    }

    fn counts_ways_back(&self) -> bool {
        self.counts_ways_back
    }
}

/// What people call a loop or a recursion: `main.1`, or the function's name. What jumps back to a `setjmp` goes round in a loop, too.
pub(crate) fn site_name(program: &Program, func: FuncId, what: CutKind) -> String {
    let name = &program.decl(func).name;
    match what {
        CutKind::Loop(l) => l.name(name),
        CutKind::Recursion => name.clone(),
        CutKind::Jump => format!("{name}.setjmp"),
    }
}

pub(crate) fn kind(what: CutKind) -> BoundKind {
    match what {
        CutKind::Loop(_) | CutKind::Jump => BoundKind::Loop,
        CutKind::Recursion => BoundKind::Recursion,
    }
}

/// Where paths were cut off.
pub(crate) fn reached(program: &Program, cuts: &[Cut]) -> Vec<BoundReached> {
    cuts.iter()
        .map(|cut| {
            let name = site_name(program, cut.func, cut.what);
            BoundReached { name, kind: kind(cut.what), bound: cut.bound, loc: cut.loc }
        })
        .collect()
}
