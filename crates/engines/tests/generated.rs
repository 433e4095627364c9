//! Every engine against runs: what a run of a generated program violates, no engine calls proved.
//!
//! The programs use every instruction of sequential programs (`blitz_testkit::ir_text`). Engines get little work each; `unknown` is a right answer.
//! `BLITZ_TEST_LONG=1` takes 1,000 programs instead of 24.

use blitz_base::{Budget, Bv, Work};
use blitz_engines::{CheckConfig, Engine, Report, Status, Verdict, check};
use blitz_interp::{Entry, InputSource, InputValue, Outcome, RunConfig};
use blitz_ir::{Program, PropertyId, parse};
use blitz_testkit::Rng;
use blitz_testkit::ir_text::{self, Shape};
use std::collections::BTreeSet;

const PROGRAMS: u64 = 24;
const PROGRAMS_LONG: u64 = 1_000;
/// Runs of each program.
const RUNS: usize = 60;
/// What an engine may spend on a program.
const WORK: Work = Work::about_millis(400);
/// The first of the programs: those before are the semantics' own.
const FIRST_SEED: u64 = 1 << 32;

#[test]
fn what_a_run_violates_no_engine_proves() {
    let programs = if std::env::var_os("BLITZ_TEST_LONG").is_some() { PROGRAMS_LONG } else { PROGRAMS };
    let mut decided = 0;
    for seed in FIRST_SEED..FIRST_SEED + programs {
        let mut rng = Rng::new(seed ^ 0xe291);
        let shape = Shape { statements: 3 + rng.below(10), ..Shape::random(&mut rng) };
        let text = ir_text::program(seed, shape);
        let program = parse::program(&text).unwrap_or_else(|e| panic!("program {seed} should parse: {e}\n{text}"));
        let violated = violated_by_runs(&program, &mut rng);
        for &engine in Engine::ALL {
            let report = ask(&program, engine);
            decided += usize::from(matches!(report.verdict, Verdict::Safe | Verdict::Violation));
            let wrong = proved(&report, &violated);
            assert!(wrong.is_empty(), "{} proves {wrong:?} of program {seed}\n{text}", engine.name());
            let false_safe = report.verdict == Verdict::Safe && !violated.is_empty();
            assert!(!false_safe, "{} calls program {seed} safe\n{text}", engine.name());
        }
    }
    assert!(decided as u64 > programs, "engines should decide something: {decided}");
}

fn ask(program: &Program, engine: Engine) -> Report {
    let unwind = (engine == Engine::Bmc || engine == Engine::Stratified).then_some(5);
    let config = CheckConfig { engine, unwind, ..CheckConfig::default() };
    check(program, &config, &Budget::unlimited().worth(WORK)).expect("a program to check")
}

fn violated_by_runs(program: &Program, rng: &mut Rng) -> BTreeSet<PropertyId> {
    let mut found = BTreeSet::new();
    for _ in 0..RUNS {
        let inputs = (0..32).map(|_| InputValue::Value(Bv::from_u64(64, rng.interesting()))).collect();
        let config = RunConfig {
            entry: Entry::Func("main".into(), Vec::new()),
            inputs: InputSource::Recorded(inputs),
            max_steps: Some(1 << 20),
            ..RunConfig::default()
        };
        if let Outcome::Violation(v) = blitz_interp::run(program, &config, &Budget::unlimited()).outcome {
            found.insert(v.property);
        }
    }
    found
}

/// Those of the violated properties that the engine says hold.
fn proved(report: &Report, violated: &BTreeSet<PropertyId>) -> Vec<PropertyId> {
    let holds = |s: &Status| match s {
        Status::Proved | Status::Unreachable => true,
        Status::Violated | Status::HoldsUpTo(_) | Status::Unknown(_) => false,
    };
    let wrong = report.properties.iter().filter(|r| violated.contains(&r.property) && holds(&r.status));
    wrong.map(|r| r.property).collect()
}
