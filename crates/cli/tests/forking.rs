//! An engine that forks at branches, made of nothing but the policy that follows one path (`symex::follow`), a solver
//! and a run of the interpreter: what it takes to write one. Its violations of the corpus are those that the programs
//! mark, and it proves nothing.
//!
//! Depth first: where several ways are possible the first is followed, the others are kept as lists of decisions and
//! run again from the start. `blitz explore` is this engine with snapshots, searchers, cheaper questions and an answer
//! when all paths are through. Quick runs take a part of the corpus, `BLITZ_TEST_LONG=1` takes it all and prints what
//! was missed.

mod common;

use blitz_base::Budget;
use blitz_frontend::driver::{CompileOptions, Inputs};
use blitz_interp::{InputSource, InputValue, Outcome, RunConfig, run};
use blitz_ir::loops::LoopId;
use blitz_ir::{CheckKind, Checks, FuncId, Program, PropertyId};
use blitz_solver::{Outcome as Answer, Solver, SolverConfig};
use blitz_symex::follow::{Chooser, Fork, Path, PathRun, PathStore};
use blitz_symex::{Bodiless, Bounds, Claim, Config, Input, InputKind};
use blitz_term::{Evaluator, Term, Terms};
use blitz_workflow::{Environment, Fault, Listener, Phase, Source};
use common::Case;
use std::collections::BTreeSet;
use std::path::PathBuf;

const EVERY: usize = 9;
/// The search ends after so many paths, each of so many steps.
const MAX_PATHS: usize = 400;
const MAX_STEPS: u64 = 30_000;
/// Bytes of one input that a run is given.
const MAX_BYTES: u64 = 1 << 26;

/// Loops and recursion go on as long as the path does.
struct Unbounded;

impl Bounds for Unbounded {
    fn loop_bound(&self, _: FuncId, _: LoopId) -> u32 {
        u32::MAX
    }

    fn recursion_bound(&self, _: FuncId) -> u32 {
        1000
    }
}

/// One path: the decisions it was made for, then the first possible way at each fork.
struct Forks<'a> {
    solver: &'a mut dyn Solver,
    prefix: Vec<usize>,
    taken: Vec<usize>,
    waiting: &'a mut Vec<Vec<usize>>,
}

impl Chooser<'_> for Forks<'_> {
    fn choose(&mut self, terms: &mut Terms, fork: &Fork<'_>) -> Option<usize> {
        let way = match self.prefix.get(self.taken.len()) {
            Some(&way) => way,
            None => {
                let guard = fork.guard.term(terms);
                let mut ways: Vec<usize> = fork.open.to_vec();
                ways.retain(|&w| possible(self.solver, terms, &[guard, fork.alternatives[w]]));
                let (&first, others) = ways.split_first()?;
                let with = |&w: &usize| self.taken.iter().copied().chain([w]).collect();
                self.waiting.extend(others.iter().map(with));
                first
            }
        };
        self.taken.push(way);
        Some(way)
    }

    fn took_input(&mut self, _: &Terms, _: usize, _: &Input) {}

    fn ends_repeated(&self) -> bool {
        true
    }
}

fn possible(solver: &mut dyn Solver, terms: &mut Terms, conditions: &[Term]) -> bool {
    match solver.check(terms, conditions, &Budget::unlimited()) {
        Answer::Sat | Answer::Unknown(_) => true,
        Answer::Unsat => false,
    }
}

/// A violation that a run has shown: its line and kind.
type Found = (u32, CheckKind);

/// Goes through the paths of a program.
fn explore(program: &Program, checks: Checks, alloc_may_fail: bool) -> Result<BTreeSet<Found>, String> {
    let entry = program.start().ok_or("nothing to start from")?;
    let config = Config {
        bounds: &Unbounded,
        checks,
        alloc_may_fail,
        model_bound: u32::MAX,
        bodiless: Bodiless::Harmless,
        assumed: &[],
        asked: &[],
        max_steps: Some(MAX_STEPS),
        near: false,
        behind: blitz_symex::Behind::Gap,
    };
    let budget = Budget::unlimited();
    let mut solver = blitz_solver::make("cadical", &SolverConfig::default()).map_err(|e| e.to_string())?;
    let (mut terms, mut store) = (Terms::new(), PathStore::default());
    let (mut found, mut settled) = (BTreeSet::new(), BTreeSet::new());
    let mut waiting = vec![Vec::new()];
    for _ in 0..MAX_PATHS {
        let Some(prefix) = waiting.pop() else { break };
        let mut forks = Forks { solver: solver.as_mut(), prefix, taken: Vec::new(), waiting: &mut waiting };
        let one = PathRun { program, terms: &mut terms, config: &config, budget: &budget, store: &mut store };
        let path = one.from_start(entry, &mut forks);
        for claim in &path.execution.claims {
            if !settled.contains(&claim.property) {
                let shown = violation(program, checks, solver.as_mut(), &mut terms, &path, claim);
                settled.extend(shown.map(|(property, _)| property));
                found.extend(shown.map(|(_, what)| what));
            }
        }
    }
    Ok(found)
}

/// Inputs on which the claim comes true, if a run on them ends in a violation.
fn violation(
    program: &Program,
    checks: Checks,
    solver: &mut dyn Solver,
    terms: &mut Terms,
    path: &Path,
    claim: &Claim,
) -> Option<(PropertyId, Found)> {
    if solver.check(terms, &[claim.violated], &Budget::unlimited()) != Answer::Sat {
        return None;
    }
    let inputs = inputs(solver, terms, claim.violated, &path.execution.inputs);
    let config =
        RunConfig { inputs: InputSource::Recorded(inputs), max_steps: Some(1 << 24), checks, ..RunConfig::default() };
    match run(program, &config, &Budget::unlimited()).outcome {
        Outcome::Violation(v) => Some((v.property, (v.loc.line, v.kind))),
        Outcome::Exit(_)
        | Outcome::AssumeFailed(_)
        | Outcome::Unsupported { .. }
        | Outcome::OutOfSteps
        | Outcome::Stopped(_)
        | Outcome::Halt(_) => None,
    }
}

/// The inputs of the solver's model, in the order in which the run takes them.
fn inputs(solver: &mut dyn Solver, terms: &mut Terms, claim: Term, inputs: &[Input]) -> Vec<InputValue> {
    let mut roots = vec![claim];
    for input in inputs {
        roots.push(input.guard);
        match &input.kind {
            InputKind::Value { term, .. } | InputKind::AllocFails { term } => roots.push(*term),
            InputKind::Bytes { array, len } => roots.extend([*array, *len]),
        }
    }
    let model = solver.model(terms, &roots);
    let mut eval = Evaluator::new(&model);
    let taken: Vec<&Input> = inputs.iter().filter(|i| eval.holds(terms, i.guard)).collect();
    let value = |input: &Input| match &input.kind {
        InputKind::Value { term, .. } => InputValue::Value(eval.eval(terms, *term).bv().clone()),
        InputKind::AllocFails { term } => InputValue::Bool(eval.holds(terms, *term)),
        InputKind::Bytes { array, len } => {
            let len = eval.eval(terms, *len).bv().to_u64().unwrap_or(0).min(MAX_BYTES);
            let mut bytes = vec![0; len as usize];
            for (first, last, value) in eval.eval(terms, *array).array().stretches() {
                let Some(first) = first.to_u64().filter(|f| *f < len) else { break };
                let end = last.to_u64().map_or(len, |l| l.saturating_add(1)).min(len);
                bytes[first as usize..end as usize].fill(value.to_u64().unwrap_or(0) as u8);
            }
            InputValue::Bytes(bytes)
        }
    };
    taken.into_iter().map(value).collect()
}

struct Silent;

impl Listener for Silent {
    fn note(&self, _: &str) {}
    fn phase(&self, _: Phase) {}
    fn found(&self, _: &blitz_report::Finding) {}
}

fn survives(_: &[PathBuf]) -> Result<(), Fault> {
    Ok(())
}

fn said(fault: Fault) -> String {
    match fault {
        Fault::Sentence(text) | Fault::Verbatim(text) => text,
    }
}

/// The checks of a header without groups, as `--checks` reads them.
fn checks(list: Option<&str>) -> Option<Checks> {
    let items: Vec<&str> = list.into_iter().flat_map(|l| l.split(',')).map(str::trim).collect();
    let adds = items.first().is_none_or(|first| first.starts_with(['+', '-']));
    let start = if adds { Checks::default() } else { Checks::none() };
    items.iter().try_fold(start, |set, item| match item.strip_prefix('-') {
        Some(name) => Some(set.without(CheckKind::from_name(name)?)),
        None => Some(set.with(CheckKind::from_name(item.trim_start_matches('+'))?)),
    })
}

/// What the program marks and what was found; `None` if its header asks for more than is read here.
fn compare(case: &Case) -> Result<Option<bool>, String> {
    let Some(checks) = checks(case.key("checks")) else { return Ok(None) };
    let flags = case.key("flags").unwrap_or_default();
    let source = Source {
        inputs: Inputs {
            files: vec![case.path.clone()],
            flags: flags.split_whitespace().map(str::to_owned).collect(),
            ..Inputs::default()
        },
        compile: CompileOptions { checks, ..CompileOptions::default() },
        environment: Environment::Model,
        name: "program".to_owned(),
        any_value: None,
        offset_bits: None,
        survives,
        for_models: Vec::new(),
    };
    let loaded = blitz_workflow::load::load(&source, None, &Silent).map_err(said)?;
    let program: &Program = &loaded.program;
    let fails = case.key("alloc") != Some("succeeds");
    let found = blitz_engines::paths::with_stack(|| explore(program, checks, fails))?;
    let marked: BTreeSet<(u32, String)> = case.marks.iter().cloned().collect();
    // A pointer that nobody has set may be any: on a path it is every kind of wrong pointer.
    if let Some((line, kind)) = found.iter().find(|f| !marked.iter().any(|m| m.0 == f.0)) {
        return Err(format!("invented {} in line {line}", kind.name()));
    }
    Ok(Some(marked.iter().all(|m| found.iter().any(|f| (f.0, f.1.name()) == (m.0, &m.1)))))
}

#[test]
fn forking_finds_what_the_corpus_marks() {
    let mut cases = common::all_cases();
    cases.retain(|c| c.key("verdict") == Some("violation") && c.key("known-bug").is_none());
    cases.retain(|c| c.topic != "compositional");
    if !common::long() {
        cases.retain(|c| c.key("slow").is_none());
        cases = cases.into_iter().step_by(EVERY).collect();
    }
    let (mut all, mut missed) = (0, Vec::new());
    for case in &cases {
        match compare(case).unwrap_or_else(|e| panic!("{}: {e}", case.label())) {
            Some(true) => all += 1,
            Some(false) => missed.push(case.label()),
            None => {}
        }
    }
    println!("{all} found, {} missed: {missed:#?}", missed.len());
    assert!(10 * missed.len() <= all, "at most one in ten should be missed: {missed:#?}");
}

#[test]
fn the_engine_is_shorter_than_four_hundred_lines() {
    assert!(include_str!("forking.rs").lines().count() < 400);
}
