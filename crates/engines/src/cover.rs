//! Which blocks of the program some execution within the bounds reaches: `cbmc --cover location`.
//!
//! The program is executed as `bmc` does it, and the conditions under which blocks were entered are asked for, many at a time: one model
//! answers for every block it comes to. A failing check ends an execution, as an assumption would, so what follows it is
//! reached only by executions in which it holds.
//!
//! Direction: exact within the bounds, as far as library models are. Where something could not be encoded, `incomplete` says what, and
//! "not reached" means only that no such execution was found.
//! Absent: threads.

use crate::Refused;
use crate::answer::{self, Inquiry};
use crate::bounds::Unwind;
use crate::config::CheckConfig;
use crate::reason::Reason;
use crate::tuning::COVER_MAX_BOUND;
use blitz_base::Budget;
use blitz_ir::callgraph::CallGraph;
use blitz_ir::{Block, FuncId, Program};
use blitz_solver::Outcome;
use blitz_symex::Executor;
use blitz_symex::state::State;
use blitz_term::{Term, Terms};
use std::collections::BTreeMap;

/// What was found out.
#[derive(Clone, Debug, Default)]
pub struct LocationCoverage {
    /// The blocks of the user's functions that calls may lead to, with whether an execution reaches them.
    pub blocks: BTreeMap<(FuncId, Block), bool>,
    /// Why a block that is not reached within the bounds may be reached all the same.
    pub incomplete: Option<Reason>,
}

impl LocationCoverage {
    pub fn reached(&self) -> usize {
        self.blocks.values().filter(|r| **r).count()
    }
}

/// Asks which blocks are reached. Without a bound, bounds grow until all blocks are or nothing is cut off.
pub fn cover(program: &Program, config: &CheckConfig, budget: &Budget) -> Result<LocationCoverage, Refused> {
    if program.threads {
        return Err(Refused("coverage of a program with threads is not supported".into()));
    }
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().name("cover".into()).stack_size(crate::STACK);
        let handle = worker.spawn_scoped(scope, || grown(program, config, budget)).expect("a thread should start");
        handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn grown(program: &Program, config: &CheckConfig, budget: &Budget) -> Result<LocationCoverage, Refused> {
    let entry = crate::start(program)?;
    let mut coverage = LocationCoverage { blocks: all_blocks(program, entry), incomplete: None };
    let mut bound = config.unwind.unwrap_or(1);
    loop {
        let cut = round(program, config, budget, bound, &mut coverage)?;
        let done = !cut || coverage.incomplete.is_some() || coverage.reached() == coverage.blocks.len();
        if done || config.unwind.is_some() || bound >= COVER_MAX_BOUND {
            return Ok(coverage);
        }
        bound *= 2;
    }
}

fn all_blocks(program: &Program, entry: FuncId) -> BTreeMap<(FuncId, Block), bool> {
    let graph = CallGraph::new(program, &[entry]);
    let users = graph.funcs().iter().filter(|f| !program.decl(**f).model);
    let blocks = users.flat_map(|&f| {
        let count = program.body(f).map_or(0, |b| b.blocks.len());
        (0..count).map(move |b| (f, Block::new(b)))
    });
    blocks.map(|b| (b, false)).collect()
}

/// One bound; whether loops were cut off.
fn round(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    bound: u32,
    coverage: &mut LocationCoverage,
) -> Result<bool, Refused> {
    let entry = crate::start(program)?;
    let bounds = Unwind::new(program, config, bound)?;
    let symbolic = config.symbolic(&bounds, crate::tuning::MODEL_BOUND);
    let mut terms = Terms::new();
    let mut executor = Executor::new(program, &mut terms, &symbolic, budget).recording();
    executor.run(entry, Vec::new(), State::start());
    let (execution, record) = executor.finish_recorded();
    let mut solver = answer::solver(config)?;
    let solver = solver.as_mut();
    let mut inquiry = Inquiry { program, config, engine: "cover", terms: &mut terms, solver, budget };
    coverage.incomplete = execution.stopped.map(Reason::from);
    if coverage.incomplete.is_none() {
        let is_open = |key: &(FuncId, Block)| coverage.blocks.get(key) == Some(&false);
        let entered = record.blocks.into_iter().map(|(func, block, guard)| ((func, block), guard));
        let open: Vec<((FuncId, Block), Term)> = entered.filter(|(key, _)| is_open(key)).collect();
        let (reached, why) = inquiry.attainable(&open);
        coverage.blocks.extend(reached.into_iter().map(|key| (key, true)));
        coverage.incomplete = why.map(Reason::from);
    }
    coverage.incomplete = coverage.incomplete.take().or_else(|| gap(&mut inquiry, &execution));
    Ok(!execution.cuts.is_empty())
}

/// Something that some execution reaches and that could not be encoded.
fn gap(inquiry: &mut Inquiry<'_>, execution: &blitz_symex::Execution) -> Option<Reason> {
    let reached = execution.gaps.iter().find(|g| inquiry.ask(g.guard) != Outcome::Unsat);
    reached.map(|g| Reason::Unsupported(g.what.clone()))
}
