//! The lecture's examples and the textbook set (tests/hw): three languages, every engine, the verdict that the file's comment states.
//!
//! The explicit-state oracle is asked too, and the shortest counterexamples of the three languages have the same length.

use blitz_base::Budget;
use blitz_hw::explicit::Explicit;
use blitz_hw::{Engine, Goal, Language, Options, Outcome, Status, Ts, Verdict, check};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// No textbook model needs a longer counterexample.
const BOUND: usize = 8;

fn models() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hw");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("tests/hw should be readable")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "smv" || e == "aag" || e == "btor2"))
        .collect();
    files.sort();
    files
}

/// The system of a file and the verdict in its comment.
fn load(path: &Path) -> (Ts, Verdict) {
    let text = std::fs::read_to_string(path).expect("a model should be text");
    let shown = path.display().to_string();
    let language = Language::of(&shown, text.as_bytes()).expect("a model should have a known ending");
    let loaded = language.read(text.as_bytes()).unwrap_or_else(|e| panic!("{shown}: {e}"));
    let verdict =
        match text.lines().find_map(|l| l.split_once("verdict: ")).expect("a comment should state the verdict").1 {
            "safe" => Verdict::Safe,
            "violation" => Verdict::Violation,
            other => panic!("{shown}: `{other}` is no verdict"),
        };
    (loaded.ts, verdict)
}

fn run(ts: &Ts, engine: Engine, bound: Option<usize>) -> Outcome {
    check(ts, &Options { engine, bound, trust: blitz_hw::Trust::Solver, properties: None }, &Budget::unlimited())
}

#[test]
fn every_engine_gives_the_verdict_of_the_comment() {
    for path in models() {
        let (ts, wanted) = load(&path);
        let safety = ts.properties.iter().all(|p| matches!(p.goal, Goal::Bad(_)));
        // Paths without repetition are too long where a state has a copy of itself, as liveness by induction needs it.
        for engine in Engine::ALL.into_iter().filter(|e| safety || *e != Engine::Kind) {
            // Bounded model checking proves little, and induction needs long paths for the election of a leader.
            let bound = matches!(engine, Engine::Bmc | Engine::Kind).then_some(BOUND);
            let outcome = run(&ts, engine, bound);
            let wanted = match (bound, wanted) {
                (Some(_), Verdict::Safe) if outcome.verdict == Verdict::Bounded => Verdict::Bounded,
                _ => wanted,
            };
            assert_eq!(outcome.verdict, wanted, "{} with {}", path.display(), engine.name());
        }
    }
}

#[test]
fn the_oracle_agrees_with_the_comments() {
    for path in models() {
        let (ts, wanted) = load(&path);
        let explicit = Explicit::new(&ts).expect("a textbook model should be small");
        let violated = ts.properties.iter().any(|p| match &p.goal {
            Goal::Bad(bad) => explicit.distance(*bad).is_some(),
            Goal::Justice(conditions) => explicit.justice(conditions),
            Goal::Ltl(formula) => explicit.violates(formula).expect("a formula of the future"),
        });
        let found = if violated { Verdict::Violation } else { Verdict::Safe };
        assert_eq!(found, wanted, "{}", path.display());
    }
}

#[test]
fn shortest_counterexamples_are_equally_long_in_all_languages() {
    let mut bounds: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for path in models() {
        let (ts, wanted) = load(&path);
        let safety = ts.properties.iter().all(|p| matches!(p.goal, Goal::Bad(_)));
        if wanted != Verdict::Violation || !safety {
            continue;
        }
        let outcome = run(&ts, Engine::Bmc, Some(BOUND));
        let Status::Violated(violation) = &outcome.results[0].status else { panic!("{}", path.display()) };
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let language = path.extension().expect("an ending").to_string_lossy().into_owned();
        bounds.entry(name).or_default().insert(language, violation.trace().bound());
    }
    for (name, lengths) in &bounds {
        let first = lengths.values().next().expect("a language");
        assert!(lengths.len() == 3 && lengths.values().all(|l| l == first), "{name}: {lengths:?}");
    }
    let length = |name: &str| bounds[name]["smv"];
    assert_eq!((length("abc.bug"), length("shift.bug"), length("shift-101.bug")), (0, 1, 2));
}

#[test]
fn the_shift_register_shows_the_lectures_counterexample() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hw/shift-101.bug.smv");
    let (ts, _) = load(&path);
    let outcome = run(&ts, Engine::Bmc, Some(2));
    let Status::Violated(violation) = &outcome.results[0].status else { panic!("a violation should be found") };
    let states: Vec<String> = violation
        .trace()
        .steps
        .iter()
        .map(|step| step.states.iter().map(|v| if v.is_true() { '1' } else { '0' }).collect())
        .collect();
    assert_eq!(states, ["101", "011", "111"]);
}
