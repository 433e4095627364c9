//! Engines against the explicit-state oracle, on random models: AIGER with every kind of property, and systems of words with relations and
//! conditions on initial states. Safety and liveness; lassos and liveness-to-safety have to agree because both agree with the oracle.
//! `HW_MODELS=2000` asks for more.

use blitz_base::Budget;
use blitz_hw::explicit::Explicit;
use blitz_hw::explicit::random::{Rng, aiger, system};
use blitz_hw::{Engine, Goal, Options, Status, Trust, Ts, check};

/// How many models of each kind.
fn models() -> u64 {
    std::env::var("HW_MODELS").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}

fn decide(ts: &Ts, property: usize, engine: Engine, bound: Option<usize>) -> Status {
    let options = Options { engine, bound, trust: Trust::Solver, properties: Some(vec![property]) };
    check(ts, &options, &Budget::unlimited()).results.remove(0).status
}

fn compare(ts: &Ts, what: &str) {
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
            match decide(ts, index, engine, None) {
                Status::Violated(_) => assert!(violated, "{what} {}: {} invents", property.name, engine.name()),
                Status::Proved(_) => assert!(!violated, "{what} {}: {} misses", property.name, engine.name()),
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

#[test]
fn random_aiger() {
    for seed in 1..=models() {
        let text = aiger(&mut Rng::new(seed));
        let ts = blitz_hw::aiger::read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        compare(&ts, &format!("aiger {seed}"));
    }
}

#[test]
fn random_systems() {
    for seed in 1..=models() {
        compare(&system(&mut Rng::new(seed)), &format!("system {seed}"));
    }
}
