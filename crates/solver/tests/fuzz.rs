//! Generated formulas, ours against an installed SMT solver.
//!
//! A short run by default (`bench/formulas` is the long one); `BLITZ_FUZZ=5000` sets the number of formulas, `BLITZ_FUZZ_SEED` the first seed.

mod common;

use blitz_base::Budget;
use blitz_solver::{Certify, Outcome, Solver, SolverConfig, installed, make};
use blitz_term::{Term, Terms};

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Asserts some of the terms, assumes the rest, and asks twice, so that the second check is incremental.
fn ask(solver: &mut dyn Solver, terms: &mut Terms, formula: &[Term]) -> [Outcome; 2] {
    let (fixed, assumed) = formula.split_at(formula.len() / 2);
    let budget = Budget::new(Some(std::time::Duration::from_secs(60)), None);
    let first = solver.check(terms, assumed, &budget);
    if first == Outcome::Unsat {
        let failed = solver.failed_assumptions();
        assert!(failed.iter().all(|f| assumed.contains(f)), "failed assumptions should be assumptions");
        assert_eq!(solver.check(terms, &failed, &budget), Outcome::Unsat, "failed assumptions should fail again");
    }
    for t in fixed {
        solver.assert(terms, *t);
    }
    let second = solver.check(terms, assumed, &budget);
    if second == Outcome::Sat {
        assert!(formula.iter().all(|t| solver.value(terms, *t).is_true()), "a model should satisfy the formula");
    }
    [first, second]
}

#[test]
fn generated_formulas_agree_with_an_installed_solver() {
    let Some(other) = installed().first().copied() else {
        return; // nothing to compare with on this machine
    };
    let (count, seed) = (number("BLITZ_FUZZ", 200), number("BLITZ_FUZZ_SEED", 1));
    let mut answers = [0_u64; 3];
    for seed in seed..seed + count {
        let mut terms = Terms::new();
        let formula = common::Gen::new(seed).formula(&mut terms);
        let mut ours = make("cadical", &SolverConfig::default()).unwrap();
        let mut theirs = make(other, &SolverConfig::default()).unwrap();
        let a = ask(ours.as_mut(), &mut terms, &formula);
        let b = ask(theirs.as_mut(), &mut terms, &formula);
        for (x, y) in a.into_iter().zip(b) {
            match (&x, &y) {
                (_, Outcome::Unknown(_)) => answers[2] += 1,
                _ => assert_eq!(x, y, "seed {seed}: ours on the left"),
            }
            answers[usize::from(x == Outcome::Unsat)] += 1;
        }
    }
    assert!(answers[0] > count / 5 && answers[1] > count / 5, "both answers should be common: {answers:?}");
    assert!(answers[2] < count / 5, "the other solver should mostly answer: {answers:?}");
}

/// The back end that asks two solvers, as a user has it: a disagreement would be an answer of its own.
#[test]
fn generated_formulas_pass_the_crosscheck() {
    let Some(other) = installed().first().copied() else {
        return; // nothing to compare with on this machine
    };
    let (count, seed) = (number("BLITZ_FUZZ", 50), number("BLITZ_FUZZ_SEED", 20_000));
    let (mut sat, mut unsat) = (0, 0);
    for seed in seed..seed + count {
        let mut terms = Terms::new();
        let formula = common::Gen::new(seed).formula(&mut terms);
        let mut solver = make(&format!("crosscheck:cadical,{other}"), &SolverConfig::default()).unwrap();
        for outcome in ask(solver.as_mut(), &mut terms, &formula) {
            match outcome {
                Outcome::Sat => sat += 1,
                Outcome::Unsat => unsat += 1,
                Outcome::Unknown(why) => panic!("seed {seed}: {why}"),
            }
        }
    }
    println!("{count} formulas, {sat} times sat, {unsat} times unsat, no disagreement of cadical and {other}");
    assert!(sat > count / 5 && unsat > count / 5, "both answers should be common: {sat} and {unsat}");
}

#[test]
fn generated_formulas_get_certificates() {
    let config = SolverConfig { certify: Certify::InMemory, ..SolverConfig::default() };
    let mut unsat = 0;
    for seed in 10_000..10_000 + number("BLITZ_FUZZ", 200) {
        let mut terms = Terms::new();
        let formula = common::Gen::new(seed).formula(&mut terms);
        let mut solver = make("cadical", &config).unwrap();
        for outcome in ask(solver.as_mut(), &mut terms, &formula) {
            assert!(!matches!(outcome, Outcome::Unknown(_)), "seed {seed}: {outcome:?}");
            unsat += u64::from(outcome == Outcome::Unsat);
        }
    }
    assert!(unsat > 10);
}

/// Arrays that equal writes of what was read from them. Those reads are atoms that no walk comes by: they have to be made and
/// to be right before the array has a value. Each of these had a wrong model.
#[test]
fn an_array_defined_by_writes_that_hold_reads_gets_a_model() {
    for seed in [773, 1519, 9982, 11_088, 12_771, 14_657, 15_446, 17_845] {
        let mut terms = Terms::new();
        let formula = common::Gen::new(seed).formula(&mut terms);
        let mut solver = make("cadical", &SolverConfig::default()).unwrap();
        let answers = ask(solver.as_mut(), &mut terms, &formula);
        assert!(!answers.iter().any(|a| matches!(a, Outcome::Unknown(_))), "seed {seed}: {answers:?}");
        let Some(other) = installed().first().copied() else { continue };
        let mut theirs = make(other, &SolverConfig::default()).unwrap();
        assert_eq!(answers, ask(theirs.as_mut(), &mut terms, &formula), "seed {seed}: ours on the left");
    }
}

/// Many questions on one solver, each about some of the conditions, against a new solver for each. What an earlier question
/// left behind must neither decide a later one nor keep it from an answer (the seeds that are named did).
#[test]
fn questions_on_a_live_solver_are_answered_as_by_a_new_one() {
    let more = number("BLITZ_FUZZ", 60);
    for seed in [123, 155, 291, 406, 441, 502, 561, 621, 716].into_iter().chain(30_000..30_000 + more) {
        let mut terms = Terms::new();
        let mut g = common::Gen::new(seed);
        let mut formula = g.formula(&mut terms);
        formula.extend((0..8).map(|_| g.condition(&mut terms)));
        let mut live = make("cadical", &SolverConfig::default()).unwrap();
        for _ in 0..10 {
            let asked: Vec<Term> = formula.iter().copied().filter(|_| g.next(3) == 0).collect();
            let budget = Budget::new(Some(std::time::Duration::from_secs(60)), None);
            let answer = live.check(&mut terms, &asked, &budget);
            assert!(!matches!(answer, Outcome::Unknown(_)), "seed {seed}: {answer:?}");
            let mut new = make("cadical", &SolverConfig::default()).unwrap();
            assert_eq!(answer, new.check(&mut terms, &asked, &budget), "seed {seed}: the live one on the left");
            if answer == Outcome::Sat {
                assert!(asked.iter().all(|t| live.value(&mut terms, *t).is_true()), "seed {seed}: a wrong model");
            }
        }
    }
}
