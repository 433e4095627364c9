//! Monitors of LTL formulas against two oracles that share nothing with them: the automaton of the explicit-state checker on branching systems, and
//! the evaluator on single lassos, where the past may be nested in the future and the other way round.
//!
//! Quick runs take 100 formulas of each kind, `BLITZ_TEST_LONG=1` takes 2,000.

use blitz_hw::explicit::Explicit;
use blitz_hw::explicit::random::{self, Operators, Rng};
use blitz_hw::ltl::{Formula, lasso, monitored};
use blitz_hw::{Goal, Ts};
use blitz_term::{Sort, Term};

fn wanted() -> usize {
    if std::env::var_os("BLITZ_TEST_LONG").is_some() { 2000 } else { 100 }
}

/// Whether the composition with the monitor has a fair path; none if it is too large to list.
fn monitor_says(ts: &Ts, formula: &Formula) -> Option<bool> {
    let composed = monitored(ts, formula, "f", None);
    assert_eq!(composed.ts.validate(), Ok(()));
    let Goal::Justice(conditions) = composed.ts.properties[0].goal.clone() else {
        panic!("a monitored formula should be a justice property");
    };
    Explicit::new(&composed.ts).map(|explicit| explicit.justice(&conditions))
}

#[test]
fn monitors_agree_with_automata_on_random_systems() {
    let (mut compared, mut violated) = (0, 0);
    for seed in 0.. {
        if compared == wanted() {
            break;
        }
        let mut rng = Rng::new(seed);
        let mut ts = random::system(&mut rng);
        let vars: Vec<Term> = ts.states.iter().map(|s| s.var).chain(ts.inputs.iter().map(|i| i.var)).collect();
        let atoms: Vec<Term> = (0..2).map(|_| random::word(&mut rng, &mut ts, &vars, 1, 2)).collect();
        let formula = random::formula(&mut rng, &atoms, 3, Operators::Future);
        let Some(says) = monitor_says(&ts, &formula) else { continue };
        let explicit = Explicit::new(&ts).expect("a random system should be small");
        let truth = explicit.violates(&formula).expect("a formula of the future should have an automaton");
        assert_eq!(says, truth, "seed {seed}: {}", formula.shown(|t| t.to_string()));
        compared += 1;
        violated += usize::from(truth);
    }
    assert!(violated * 10 > compared && violated * 10 < 9 * compared, "{violated} of {compared} are violated");
}

/// A system with one path: `length` positions, the last followed by `start`, with two bits of random labels.
fn single_path(rng: &mut Rng, length: usize, start: usize) -> (Ts, Vec<Term>, Vec<[bool; 2]>) {
    let mut ts = Ts::new();
    let at = ts.add_state("at", Sort::Bv(3));
    let labels: Vec<[bool; 2]> = (0..length).map(|_| [rng.one_in(2), rng.one_in(2)]).collect();
    let mut atoms = vec![ts.terms.fls(); 2];
    let mut next = ts.terms.bv(3, start as u64);
    for (i, label) in labels.iter().enumerate() {
        let here = ts.terms.bv(3, i as u64);
        let here = ts.terms.eq(at, here);
        if i + 1 < length {
            let successor = ts.terms.bv(3, i as u64 + 1);
            next = ts.terms.ite(here, successor, next);
        }
        for (atom, _) in atoms.iter_mut().zip(label).filter(|(_, bit)| **bit) {
            *atom = ts.terms.or(*atom, here);
        }
    }
    ts.states[0].init = Some(ts.terms.zero(3));
    ts.states[0].next = Some(next);
    (ts, atoms, labels)
}

#[test]
fn monitors_agree_with_the_evaluator_on_single_paths() {
    let (mut compared, mut violated) = (0, 0);
    for seed in 0.. {
        if compared == wanted() {
            break;
        }
        let mut rng = Rng::new(seed);
        let length = 1 + rng.below(6);
        let start = rng.below(length);
        let (ts, atoms, labels) = single_path(&mut rng, length, start);
        if atoms[0] == atoms[1] {
            continue;
        }
        let formula = random::formula(&mut rng, &atoms, 3, Operators::FutureAndPast);
        let Some(says) = monitor_says(&ts, &formula) else { continue };
        let holds = lasso::holds(&formula, length, start, |i, atom| labels[i][usize::from(atom == atoms[1])]);
        assert_eq!(says, !holds, "seed {seed}: {} on {labels:?} from {start}", formula.shown(|t| t.to_string()));
        compared += 1;
        violated += usize::from(!holds);
    }
    assert!(violated * 10 > compared && violated * 10 < 9 * compared, "{violated} of {compared} are violated");
}
