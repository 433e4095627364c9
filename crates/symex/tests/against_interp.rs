//! Symbolic against concrete semantics: generated programs of every instruction, values and violations equal.
//!
//! Each program is run by the interpreter on random inputs, and executed symbolically once. The terms, evaluated under the same inputs,
//! have to say what the run did: which property is violated, if any, and the checksum of everything that was computed.
//! No solver is asked. `BLITZ_TEST_LONG=1` takes 10,000 programs instead of 200.

use blitz_base::{Budget, Bv};
use blitz_interp::{Entry, InputSource, InputValue, Outcome, RunConfig};
use blitz_ir::loops::LoopId;
use blitz_ir::{Checks, FuncId, Program, parse, verify};
use blitz_symex::state::State;
use blitz_symex::{Bodiless, Bounds, Config, Execution, Executor, InputKind};
use blitz_term::{ArrayValue, Assignment, Evaluator, Sort, Term, Terms, Value};
use blitz_testkit::Rng;
use blitz_testkit::ir_text::{self, CHECKSUM, Shape};

const PROGRAMS: u64 = 200;
const PROGRAMS_LONG: u64 = 10_000;
/// Runs of each program.
const RUNS: usize = 6;
/// Inputs that a run can take, at most; what comes later is zero.
const INPUTS: usize = 64;

#[test]
fn generated_programs_mean_the_same_symbolically_and_concretely() {
    let programs = if std::env::var_os("BLITZ_TEST_LONG").is_some() { PROGRAMS_LONG } else { PROGRAMS };
    let first: u64 = std::env::var("BLITZ_TEST_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let worker = std::thread::Builder::new().stack_size(1 << 30);
    let all = worker.spawn(move || {
        let mut tally = Tally::default();
        for seed in first..first + programs {
            compare(seed, &mut tally);
        }
        tally
    });
    let tally = all.expect("a thread should start").join().expect("all programs should agree");
    assert!(tally.values * 4 > tally.runs, "a quarter of the runs should get to the checksum: {tally:?}");
    assert!(tally.violations * 50 > tally.runs, "violations should occur: {tally:?}");
    assert!(tally.gaps * 20 < tally.runs, "few runs should be beyond symbolic execution: {tally:?}");
}

/// How the runs ended that were compared.
#[derive(Default, Debug)]
struct Tally {
    runs: usize,
    values: usize,
    violations: usize,
    assumptions: usize,
    gaps: usize,
}

struct Everything;

impl Bounds for Everything {
    fn loop_bound(&self, _: FuncId, _: LoopId) -> u32 {
        64
    }

    fn recursion_bound(&self, _: FuncId) -> u32 {
        64
    }
}

fn compare(seed: u64, tally: &mut Tally) {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let text = ir_text::program(seed, Shape::random(&mut rng));
    let program = parse::program(&text).unwrap_or_else(|e| panic!("program {seed} should parse: {e}\n{text}"));
    let errors = verify::program(&program);
    assert!(errors.is_empty(), "program {seed} should be right: {errors:?}\n{text}");
    let mut terms = Terms::new();
    let execution = execute(&program, &mut terms);
    assert!(execution.stopped.is_none(), "program {seed} should be executed whole");
    for run in 0..RUNS {
        let inputs: Vec<u64> = (0..INPUTS).map(|_| rng.interesting()).collect();
        tally.runs += 1;
        let context = || format!("program {seed}, run {run}, inputs {:?}\n{text}", &inputs[..8]);
        one_run(&program, &terms, &execution, &inputs, tally, &context);
    }
}

fn execute(program: &Program, terms: &mut Terms) -> Execution {
    let config = Config {
        bounds: &Everything,
        checks: Checks::default(),
        alloc_may_fail: true,
        model_bound: 64,
        bodiless: Bodiless::Harmless,
        assumed: &[],
        asked: &[],
        max_steps: None,
        near: false,
        behind: blitz_symex::Behind::Gap,
    };
    let budget = Budget::unlimited();
    let mut executor = Executor::new(program, terms, &config, &budget);
    executor.run(program.start().expect("a program should have a main"), Vec::new(), State::start());
    executor.finish()
}

/// What the program does on these inputs, by the interpreter and by the terms.
fn one_run(
    program: &Program,
    terms: &Terms,
    execution: &Execution,
    inputs: &[u64],
    tally: &mut Tally,
    context: &dyn Fn() -> String,
) {
    let outcome = interpret(program, inputs, 0, 0);
    match outcome {
        Outcome::Halt(status) => {
            tally.values += 1;
            // The value is what the terms say, and nothing else is.
            for (expected, equal) in [(status as u32, true), (status as u32 ^ 1, false)] {
                let Some(violated) = claims(program, terms, execution, inputs, 1, expected) else {
                    tally.gaps += 1;
                    return;
                };
                let wanted: &[String] = if equal { &[] } else { &[CHECKSUM.to_owned()] };
                assert_eq!(violated, wanted, "the run's checksum is {status}: {}", context());
            }
        }
        Outcome::Violation(v) => {
            tally.violations += 1;
            let wanted = program.property(v.property).name.clone();
            match claims(program, terms, execution, inputs, 0, 0) {
                None => tally.gaps += 1,
                // A run ends with the first leak it sees; all of them are claims.
                Some(violated) if wanted.contains("memory-leak") => {
                    assert!(violated.contains(&wanted), "{wanted} is not in {violated:?}: {}", context());
                }
                Some(violated) => assert_eq!(violated, [wanted], "{}", context()),
            }
        }
        Outcome::AssumeFailed(_) => {
            tally.assumptions += 1;
            if let Some(violated) = claims(program, terms, execution, inputs, 0, 0) {
                assert_eq!(violated, Vec::<String>::new(), "the run ends in an assumption: {}", context());
            }
        }
        Outcome::Exit(_) | Outcome::Unsupported { .. } | Outcome::OutOfSteps | Outcome::Stopped(_) => {
            panic!("a run should end in a value, a violation or an assumption: {outcome:?}: {}", context())
        }
    }
}

fn interpret(program: &Program, inputs: &[u64], compare: u64, expected: u32) -> Outcome {
    let mut values =
        vec![InputValue::Value(Bv::from_u64(8, compare)), InputValue::Value(Bv::from_u64(32, expected.into()))];
    values.extend(inputs.iter().map(|&x| InputValue::Value(wide(x))));
    let config = RunConfig {
        entry: Entry::Func("main".into(), Vec::new()),
        inputs: InputSource::Recorded(values),
        max_steps: Some(1 << 20),
        ..RunConfig::default()
    };
    blitz_interp::run(program, &config, &Budget::unlimited()).outcome
}

/// The input for a draw: its bits twice, for wide integers and for bytes.
fn wide(x: u64) -> Bv {
    Bv::from_limbs(128, &[x, x.rotate_left(17)])
}

/// The properties that the terms say are violated under these inputs; `None` if the run gets to a gap.
fn claims(
    program: &Program,
    terms: &Terms,
    execution: &Execution,
    inputs: &[u64],
    compare: u64,
    expected: u32,
) -> Option<Vec<String>> {
    let mut eval = Evaluator::owned(Assignment::new());
    let first = [Bv::from_u64(128, compare), Bv::from_u64(128, expected.into())];
    let mut given = first.into_iter().chain(inputs.iter().map(|&x| wide(x)));
    for input in &execution.inputs {
        if !holds(&mut eval, terms, input.guard) {
            continue;
        }
        let bits = given.next().unwrap_or_else(|| Bv::zero(128));
        match &input.kind {
            InputKind::Value { term, .. } | InputKind::AllocFails { term } => {
                if !terms.is_const(*term) {
                    eval.set(*term, Value::Bv(bits.resize(terms.width(*term))));
                }
            }
            InputKind::Bytes { array, .. } => {
                let Sort::Array { index, .. } = terms.sort(*array) else { panic!("bytes should be an array") };
                eval.set(*array, Value::Array(bytes(index, &bits)));
            }
        }
    }
    if execution.gaps.iter().any(|g| holds(&mut eval, terms, g.guard)) {
        return None;
    }
    let mut violated: Vec<String> = execution
        .claims
        .iter()
        .filter(|c| holds(&mut eval, terms, c.violated))
        .map(|c| program.property(c.property).name.clone())
        .collect();
    violated.dedup();
    Some(violated)
}

fn holds(eval: &mut Evaluator<'_>, terms: &Terms, t: Term) -> bool {
    eval.eval(terms, t).is_true()
}

/// What the interpreter reads from a value that is asked for as bytes: its own, lowest first, then zeros.
fn bytes(index: u16, bits: &Bv) -> ArrayValue {
    let mut array = ArrayValue::new(index, Bv::zero(8));
    for (i, limb) in bits.limbs().iter().enumerate() {
        for (j, byte) in limb.to_le_bytes().into_iter().enumerate() {
            array.set(Bv::from_u64(index, (8 * i + j) as u64), Bv::from_u64(8, byte.into()));
        }
    }
    array
}
