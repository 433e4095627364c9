//! Engines against the explicit-state oracle, on random models: AIGER with every kind of property, and systems of words with relations and
//! conditions on initial states, and with memories. Safety and liveness; lassos and liveness-to-safety have to agree because both agree with the oracle.
//! `HW_MODELS=2000` asks for more, `HW_FIRST=1851` begins there.

use blitz_base::{Budget, Work};
use blitz_hw::explicit::Explicit;
use blitz_hw::explicit::random::{Rng, aiger, memory_system, system};
use blitz_hw::{Engine, Goal, Options, Reason, Status, Trust, Ts, check};

/// The seeds of the models of each kind.
fn seeds() -> std::ops::RangeInclusive<u64> {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    number("HW_FIRST", 1)..=number("HW_MODELS", 100)
}

/// What k-induction alone may do for a property. It ends at the recurrence diameter, which in one system of some thousand is as good as never: a path
/// through most of 64 states is a pigeonhole problem.
const INDUCTION: Work = Work::about_millis(500);
/// Of so many questions k-induction alone may leave one open.
const OPEN_INDUCTIONS: usize = 500;

fn decide(ts: &Ts, property: usize, engine: Engine, bound: Option<usize>) -> Status {
    let options = Options { engine, bound, trust: Trust::Solver, properties: Some(vec![property]) };
    let budget = Budget::unlimited();
    let budget = if engine == Engine::Kind { budget.worth(INDUCTION) } else { budget };
    check(ts, &options, &budget).results.remove(0).status
}

/// Questions that k-induction alone was asked, and those it left open.
#[derive(Default)]
struct Inductions {
    asked: usize,
    open: usize,
}

fn compare(ts: &Ts, what: &str, inductions: &mut Inductions) {
    ts.validate().unwrap_or_else(|e| panic!("{what}: {e}"));
    let Some(oracle) = Explicit::new(ts) else { panic!("{what} should be small") };
    for (index, property) in ts.properties.iter().enumerate() {
        let (violated, distance) = match &property.goal {
            Goal::Bad(bad) => (oracle.distance(*bad).is_some(), oracle.distance(*bad)),
            Goal::Justice(terms) => (oracle.justice(terms), None),
            Goal::Ltl(_) => continue,
        };
        for engine in [Engine::Kind, Engine::Ic3, Engine::Auto] {
            // Paths without repetition are too long where a state has a copy of itself.
            if engine == Engine::Kind && matches!(property.goal, Goal::Justice(_)) {
                continue;
            }
            inductions.asked += usize::from(engine == Engine::Kind);
            match decide(ts, index, engine, None) {
                Status::Violated(_) => assert!(violated, "{what} {}: {} invents", property.name, engine.name()),
                Status::Proved(_) => assert!(!violated, "{what} {}: {} misses", property.name, engine.name()),
                Status::Unknown { reason: Reason::Solver(_), .. } if engine == Engine::Kind => inductions.open += 1,
                other => panic!("{what} {}: {} says {other:?}", property.name, engine.name()),
            }
        }
        // Every shortest counterexample of so small a system is this short.
        let most = 1 << 8;
        match decide(ts, index, Engine::Bmc, Some(if violated { most } else { 8 })) {
            Status::Violated(v) => {
                assert!(violated, "{what} {}: bmc invents", property.name);
                if let Some(distance) = distance {
                    assert_eq!(v.trace().bound(), distance, "{what} {}: bmc finds the shortest", property.name);
                }
            }
            Status::HoldsUpTo(_) => assert!(!violated, "{what} {}: bmc misses", property.name),
            other => panic!("{what} {}: bmc says {other:?}", property.name),
        }
    }
}

/// Compares all models that seeds give.
fn compare_all(kind: &str, model: impl Fn(u64) -> Ts) {
    let mut inductions = Inductions::default();
    for seed in seeds() {
        compare(&model(seed), &format!("{kind} {seed}"), &mut inductions);
    }
    let Inductions { asked, open } = inductions;
    assert!(open <= asked.div_ceil(OPEN_INDUCTIONS), "k-induction leaves {open} of {asked} questions open");
}

#[test]
fn random_aiger() {
    compare_all("aiger", |seed| {
        let text = aiger(&mut Rng::new(seed));
        blitz_hw::aiger::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"))
    });
}

#[test]
fn random_systems() {
    compare_all("system", |seed| system(&mut Rng::new(seed)));
}

#[test]
fn random_memories() {
    compare_all("memory", |seed| memory_system(&mut Rng::new(seed)));
}

/// The engine for large memories, on small ones.
#[test]
fn large_memories_as_small_ones() {
    for seed in seeds() {
        let ts = memory_system(&mut Rng::new(seed));
        let goal = &ts.properties[0].goal;
        let Goal::Bad(bad) = goal else { panic!("a bad-state property should come first") };
        let distance = Explicit::new(&ts).expect("a random system should be small").distance(*bad);
        for engine in [Engine::Bmc, Engine::Auto] {
            let options = Options { engine, bound: Some(8), ..Options::default() };
            let status = blitz_hw::words::decide(&ts, goal, &options, &Budget::unlimited()).status;
            match (&status, distance) {
                (Status::Violated(v), Some(distance)) => assert_eq!(v.trace().bound(), distance, "memory {seed}"),
                (Status::Proved(_), None) => {}
                (Status::HoldsUpTo(_), _) => assert!(distance.is_none_or(|d| d > 8), "memory {seed}"),
                _ => panic!("memory {seed}: {status:?}, but the distance is {distance:?}"),
            }
        }
    }
}
