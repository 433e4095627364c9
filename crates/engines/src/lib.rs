//! The engines: each proposes inputs, a concrete run decides.
//!
//! All take a program, a configuration and a budget and return one verdict per property. They differ in which
//! segments of the program they turn into formulas and in what order. Siblings never import each other;
//! what they share (questions to the solver, replay, verdicts) is beside them.
//!
//! Invariant: a violation can only be constructed from the run that showed it (`Violation::confirmed`).
//! Absent: printing, files, processes.

mod answer;
mod auto;
mod behind;
mod bmc;
mod bodiless;
mod bounds;
mod characters;
mod claims;
mod compositional;
mod cone;
mod config;
mod cover;
mod coverage;
mod explore;
mod formula;
mod gaps;
mod incremental;
pub mod paths;
mod probes;
mod progress;
mod reach;
mod reason;
mod replay;
mod requests;
mod shrink;
mod stratified;
mod threads;
mod tuning;
mod verdict;

pub use blitz_solver::UnknownReason;
pub use blitz_symex::{Behind, Bodiless};
pub use compositional::tactics::{Tactic, Tactics};
pub use config::{
    CheckConfig, DEFAULT_INLINE, EXACT, Engine, Granularity, LoopPolicy, Propagation, SearchOn, Sequentialization,
    Weakening,
};
pub use cover::{LocationCoverage, cover};
pub use coverage::{Coverage, Seen};
pub use explore::{Ending, Exploration, ExploreOptions, PathReport, Searcher, Spot, TreeNode};
pub use formula::{Asked, Condition, Formula, Line, formula};
pub use progress::{LoopProgress, Observer, PathProgress, Progress};
pub use reason::{Limit, Reason, RunEnd};
pub use requests::RequestTexts;
pub use shrink::shrink as smaller;
pub use tuning::{BOUNDED_FIRST_WORK, BOUNDED_WORK};
pub use verdict::{
    BoundKind, BoundReached, Effort, Precondition, PropertyResult, Report, Stats, Status, Unconfirmed, Verdict,
    Violation,
};

use blitz_base::Budget;
use blitz_ir::callgraph::CallGraph;
use blitz_ir::{FloatKind, Func, FuncId, Inst, Program, Type};
use std::convert::Infallible;
use std::sync::mpsc::RecvTimeoutError;

/// Why a check could not even begin: the user's mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// Stack of the thread that runs an engine: calls of the program nest on it.
const STACK: usize = 2 << 30;

/// Checks a program.
pub fn check(program: &Program, config: &CheckConfig, budget: &Budget) -> Result<Report, Refused> {
    check_observed(program, config, budget, &|_| {})
}

/// Checks a program and tells how far it is, as often as there is something new.
pub fn check_observed(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    check_or_leave(program, config, budget, observer, None)
}

/// What is done when an engine does not end by itself.
pub struct LastResort<'a> {
    /// Whose limits nobody may overrun.
    pub limits: &'a Budget,
    /// Takes a report on nothing, and ends the process.
    pub leave: &'a dyn Fn(Report) -> Infallible,
}

/// The same; an engine that overruns its limits in spite of all is left where it is, with a report that says so.
pub fn check_or_leave(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
    last: Option<LastResort<'_>>,
) -> Result<Report, Refused> {
    let (running, ended) = std::sync::mpsc::channel::<Infallible>();
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .name("engine".into())
            .stack_size(STACK)
            .spawn_scoped(scope, move || {
                // Dropped when the work ends, however it does.
                let _running = running;
                let mut report = dispatch(program, config, budget, observer)?;
                if report.runs.is_empty() {
                    report.runs.push((config.engine.name(), report.verdict));
                }
                let mut report = bodiless::reconsider(program, config, budget, observer, report)?;
                report.notes.extend(assumptions(program, config));
                if config.found.is_none() {
                    let found = std::mem::take(&mut report.violations);
                    report.violations = found.into_iter().map(|v| smaller(program, config, v, budget)).collect();
                }
                Ok(report)
            })
            .expect("a thread for the engine should start");
        if let Some(LastResort { limits, leave }) = last {
            while ended.recv_timeout(blitz_base::budget::LOOK) == Err(RecvTimeoutError::Timeout) {
                if let Some(stop) = limits.overdue() {
                    match leave(answer::left(program, config, stop)) {}
                }
            }
        }
        match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// Functions that are vouched for one by one.
const MAX_SENTENCES: usize = 20;

/// What the user vouches for, one sentence each: a verdict that rests on it says so.
fn assumptions(program: &Program, config: &CheckConfig) -> Vec<String> {
    let sentence = |name: &String| match program.func_named(name).map(|f| program.decl(f)) {
        None => format!("--assume-model names `{name}`, which the program does not call"),
        Some(decl) if decl.has_body => format!("assumed: the library model of `{name}` is exact (--assume-model)"),
        Some(_) => format!("assumed: `{name}`, which has no body, changes nothing (--assume-model)"),
    };
    let mut notes: Vec<String> = match config.assumed_models.len() {
        0..=MAX_SENTENCES => config.assumed_models.iter().map(sentence).collect(),
        n => vec![format!(
            "assumed: {n} functions do what their library models do, or change nothing if they have none (--assume-model)"
        )],
    };
    let allocates = |name: &&str| program.func_named(name).is_some();
    if !config.alloc_may_fail && ["malloc", "calloc", "realloc"].iter().any(allocates) {
        notes.push(
            "assumed: allocations succeed, and none is of more than half a terabyte (--alloc succeeds)".to_owned(),
        );
    }
    if program.target.ptr_bits == 32 && computes_with_floats(program) {
        notes.push(
            "assumed: floating-point numbers are computed in their own formats, as with -msse2 -mfpmath=sse, not in x87 registers of 80 bits"
                .to_owned(),
        );
    }
    notes
}

/// Whether the program itself computes with floats or doubles.
fn computes_with_floats(program: &Program) -> bool {
    let Some(entry) = program.start() else { return false };
    let rounds = |ty: Type| matches!(ty, Type::Float(FloatKind::Single | FloatKind::Double));
    let computes = |body: &Func| {
        let mut insts = body.insts.iter();
        insts.any(|data| {
            matches!(&data.inst, Inst::Binary { op, .. } if op.is_float())
                && data.results.first().is_some_and(|v| rounds(body.ty(*v)))
        })
    };
    let graph = CallGraph::new(program, &[entry]);
    let own = graph.funcs().iter().filter(|f| !program.decl(**f).model);
    own.filter_map(|f| program.body(*f)).any(computes)
}

/// Where execution begins.
fn start(program: &Program) -> Result<FuncId, Refused> {
    let none = || Refused("there is no `main` with a body to start from (--entry names another function)".into());
    program.start().ok_or_else(none)
}

fn dispatch(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    // A solver that can't be had is the user's mistake, whatever the engine would make of it later.
    answer::solver(config)?;
    start(program)?;
    name_properties(program, config);
    if let Some(stop) = budget.expired() {
        return Ok(answer::none(program, config, stop));
    }
    run_engine(program, config, budget, observer)
}

/// All engines report on the same properties, whatever they look at. Where single properties are asked for, those are known.
fn name_properties(program: &Program, config: &CheckConfig) {
    if config.properties.is_empty() {
        program.fix_properties();
    }
}

fn run_engine(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    if program.threads {
        return threads::check(program, config, budget, observer);
    }
    match config.engine {
        Engine::Bmc => announced_in_order(config, |c| bmc::check(program, c, budget, observer)),
        Engine::Incremental => incremental::check(program, config, budget, observer),
        Engine::Stratified => announced_in_order(config, |c| stratified::check(program, c, budget)),
        Engine::Compositional => announced_in_order(config, |c| compositional::check(program, c, budget, observer)),
        Engine::Explore => explore::check(program, config, budget, observer),
        Engine::Auto => auto::check(program, config, budget, observer),
    }
}

/// Runs an engine that works on several threads if it may. What they find is announced when they have ended, so that its order does not
/// hang on who is first; with one thread the engine announces it itself, as it comes.
fn announced_in_order(
    config: &CheckConfig,
    engine: impl FnOnce(&CheckConfig) -> Result<Report, Refused>,
) -> Result<Report, Refused> {
    if config.jobs <= 1 || config.found.is_none() {
        return engine(config);
    }
    let report = engine(&config.of_worker())?;
    report.violations.iter().for_each(|v| config.announce(v));
    Ok(report)
}
