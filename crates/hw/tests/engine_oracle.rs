//! Formulas of LTL through the engines, against the explicit-state oracle and its automaton.
//!
//! Quick runs take 100 formulas, `BLITZ_TEST_LONG=1` takes 300. `agreement` does the same for safety and justice.

use blitz_base::Budget;
use blitz_hw::explicit::Explicit;
use blitz_hw::explicit::random::{self, Operators, Rng};
use blitz_hw::{Engine, Goal, Options, Property, Status, Trust, Ts, check};
use blitz_term::Term;

/// Lassos of so many steps are looked for; where there is a longer one only, bmc makes no claim.
const BOUND: usize = 12;

fn count() -> u64 {
    if std::env::var_os("BLITZ_TEST_LONG").is_some() { 300 } else { 100 }
}

/// A random system with a random formula as its only property.
fn problem(seed: u64) -> (Ts, String) {
    let mut rng = Rng::new(seed);
    let mut ts = random::system(&mut rng);
    let vars: Vec<Term> = ts.states.iter().map(|s| s.var).chain(ts.inputs.iter().map(|i| i.var)).collect();
    let atoms: Vec<Term> = (0..2).map(|_| random::word(&mut rng, &mut ts, &vars, 1, 2)).collect();
    let formula = random::formula(&mut rng, &atoms, 3, Operators::Future);
    let shown = formula.shown(|t| t.to_string());
    ts.properties = vec![Property { name: "f".to_owned(), text: None, goal: Goal::Ltl(formula) }];
    (ts, shown)
}

#[test]
fn engines_agree_with_the_automaton_on_random_formulas() {
    let mut violated = 0;
    for seed in 0..count() {
        let (ts, shown) = problem(seed);
        let Goal::Ltl(formula) = &ts.properties[0].goal else { panic!("a formula should be here") };
        let explicit = Explicit::new(&ts).expect("a random system should be small");
        let truth = explicit.violates(formula).expect("a formula of the future");
        violated += usize::from(truth);
        for (engine, bound) in [(Engine::Bmc, Some(BOUND)), (Engine::Ic3, None), (Engine::Auto, None)] {
            let options = Options { engine, bound, trust: Trust::Solver, properties: None };
            let status = check(&ts, &options, &Budget::unlimited()).results.remove(0).status;
            let said = format!("seed {seed}: {shown}: {} says {status:?}", engine.name());
            match status {
                Status::Violated(_) => assert!(truth, "it holds: {said}"),
                Status::Proved(_) => assert!(!truth, "it is violated: {said}"),
                Status::HoldsUpTo(_) => assert!(engine == Engine::Bmc, "{said}"),
                Status::Unknown { .. } => panic!("{said}"),
            }
        }
    }
    assert!(violated as u64 * 10 > count(), "{violated} are violated");
}
