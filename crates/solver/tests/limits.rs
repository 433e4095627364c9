//! Budgets, interruption, and everything that can go wrong outside: the outcome is unknown and the message says why.

use blitz_base::Budget;
use blitz_solver::{Certify, Outcome, Solver, SolverConfig, SolverError, UnknownReason, make};
use blitz_term::{Sort, Term, Terms};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Commutativity of multiplication row by row: hopeless within any test.
fn hopeless(t: &mut Terms) -> Term {
    let (a, b) = (t.var("a", Sort::Bv(24)), t.var("b", Sort::Bv(24)));
    let rows = |t: &mut Terms, x: Term, y: Term| {
        let mut sum = t.bv(24, 0);
        for i in 0..24 {
            let (bit, by, zero) = (t.extract(x, i, i), t.bv(24, u64::from(i)), t.bv(24, 0));
            let row = t.shl(y, by);
            let part = t.ite(bit, row, zero);
            sum = t.add(sum, part);
        }
        sum
    };
    let (p, q) = (rows(t, a, b), rows(t, b, a));
    t.ne(p, q)
}

fn solve(name: &str, config: &SolverConfig, budget: &Budget) -> Outcome {
    let mut t = Terms::new();
    let mut s = make(name, config).unwrap();
    let p = hopeless(&mut t);
    s.assert(&mut t, p);
    s.check(&mut t, &[], budget)
}

fn contradiction(s: &mut dyn Solver) -> Outcome {
    let mut t = Terms::new();
    let (x, y) = (t.var("x", Sort::Bv(8)), t.var("y", Sort::Bv(8)));
    let (p, q) = (t.ult(x, y), t.ult(y, x));
    s.assert(&mut t, p);
    s.assert(&mut t, q);
    s.check(&mut t, &[], &Budget::new(Some(Duration::from_secs(20)), None))
}

#[test]
fn time_runs_out() {
    let budget = Budget::new(Some(Duration::from_millis(100)), None);
    let outcome = solve("cadical", &SolverConfig::default(), &budget);
    assert_eq!(outcome, Outcome::Unknown(UnknownReason::Timeout));
}

#[test]
fn memory_runs_out() {
    let outcome = solve("cadical", &SolverConfig::default(), &Budget::new(None, Some(1)));
    assert_eq!(outcome, Outcome::Unknown(UnknownReason::Memory));
}

#[test]
fn conflicts_run_out() {
    let config = SolverConfig { conflicts: Some(50), ..SolverConfig::default() };
    assert_eq!(solve("cadical", &config, &Budget::unlimited()), Outcome::Unknown(UnknownReason::Conflicts));
}

#[test]
fn another_thread_interrupts() {
    for name in ["cadical", "portfolio:cadical"] {
        let budget = Budget::unlimited();
        let flag = budget.cancel_flag();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            flag.store(true, Ordering::Relaxed);
        });
        let outcome = solve(name, &SolverConfig::default(), &budget);
        assert_eq!(outcome, Outcome::Unknown(UnknownReason::Cancelled), "{name}");
    }
}

#[test]
fn a_solver_goes_on_after_an_interruption() {
    let mut t = Terms::new();
    let mut s = make("cadical", &SolverConfig::default()).unwrap();
    let hard = hopeless(&mut t);
    let outcome = s.check(&mut t, &[hard], &Budget::new(Some(Duration::from_millis(50)), None));
    assert_eq!(outcome, Outcome::Unknown(UnknownReason::Timeout));
    assert_eq!(s.check(&mut t, &[], &Budget::unlimited()), Outcome::Sat);
}

fn backend_message(name: &str) -> String {
    match contradiction(make(name, &SolverConfig::default()).unwrap().as_mut()) {
        Outcome::Unknown(UnknownReason::Backend(message)) => message,
        other => panic!("{name} should fail, not answer {other:?}"),
    }
}

#[test]
fn a_process_that_dies_is_reported() {
    let message = backend_message("smtlib:false");
    assert!(message.contains("smtlib:false died (exit status: 1)"), "{message}");
}

#[test]
fn a_process_that_prints_nonsense_is_reported() {
    for name in ["smtlib:yes", "smtlib:cat", "smtlib:yes )"] {
        let message = backend_message(name);
        assert!(message.contains("printed nonsense"), "{name}: {message}");
        assert!(!message.contains(char::is_control), "{name}: a message should be one line: {message}");
    }
}

#[test]
fn a_process_that_hangs_costs_the_budget() {
    let mut t = Terms::new();
    let mut s = make("smtlib:sleep 1000", &SolverConfig::default()).unwrap();
    let p = t.var("p", Sort::BOOL);
    s.assert(&mut t, p);
    let outcome = s.check(&mut t, &[], &Budget::new(Some(Duration::from_millis(50)), None));
    assert_eq!(outcome, Outcome::Unknown(UnknownReason::Timeout));
}

#[test]
fn a_portfolio_survives_its_members() {
    let mut s = make("portfolio:cadical,smtlib:false,smtlib:sleep 1000", &SolverConfig::default()).unwrap();
    assert_eq!(contradiction(s.as_mut()), Outcome::Unsat);
    let mut s = make("crosscheck:cadical,smtlib:false", &SolverConfig::default()).unwrap();
    assert_eq!(contradiction(s.as_mut()), Outcome::Unsat);
}

#[test]
fn names_that_do_not_exist_are_explained() {
    let told = |name: &str| match make(name, &SolverConfig::default()) {
        Ok(_) => panic!("{name} should not be made"),
        Err(e) => e,
    };
    assert!(matches!(told("frob"), SolverError::UnknownName(text) if text.contains("cadical, z3")));
    assert!(matches!(told("smtlib:no-such-solver -x"), SolverError::Missing(text) if text.contains("not on PATH")));
    assert!(matches!(told("smtlib:"), SolverError::UnknownName(_)));
    assert!(matches!(told("crosscheck:cadical"), SolverError::UnknownName(_)));
    if !blitz_solver::installed().contains(&"mathsat") {
        assert!(matches!(told("mathsat"), SolverError::Missing(text) if text.contains("https://mathsat.fbk.eu")));
    }
}

#[test]
fn a_full_disk_gives_no_certificate_and_no_verdict() {
    let config = SolverConfig { certify: Certify::ToFile("/dev/full".into()), ..SolverConfig::default() };
    match contradiction(make("cadical", &config).unwrap().as_mut()) {
        Outcome::Unknown(UnknownReason::Backend(message)) => {
            assert!(message.contains("no certificate: the proof can't be written to /dev/full"), "{message}");
        }
        other => panic!("a full disk should be reported, not {other:?}"),
    }
}

#[test]
fn a_proof_file_is_written_and_checked() {
    let dir = std::env::temp_dir().join(format!("blitz-proof-{}", std::process::id()));
    let config = SolverConfig { certify: Certify::ToFile(dir.clone()), ..SolverConfig::default() };
    let mut s = make("cadical", &config).unwrap();
    assert_eq!(contradiction(s.as_mut()), Outcome::Unsat);
    assert!(s.stats().certified > 0);
    let text = std::fs::read_to_string(&dir).unwrap();
    std::fs::remove_file(&dir).unwrap();
    assert!(text.starts_with("o 1 "), "{text}");
}

#[test]
fn a_disagreement_is_a_defect_report_with_the_formula() {
    // A process that says `sat` and `()` whatever it is asked; the formula has no variables left in its model.
    let dir = std::env::temp_dir();
    let liar = dir.join(format!("blitz-liar-{}.sh", std::process::id()));
    std::fs::write(&liar, "echo unsat\ncat > /dev/null\n").unwrap();
    let name = format!("crosscheck:cadical,smtlib:sh {}", liar.display());
    let config = SolverConfig { save_dir: Some(dir), ..SolverConfig::default() };
    let mut t = Terms::new();
    let mut s = make(&name, &config).unwrap();
    let p = t.var("p", Sort::BOOL);
    s.assert(&mut t, p);
    let outcome = s.check(&mut t, &[], &Budget::new(Some(Duration::from_secs(20)), None));
    std::fs::remove_file(&liar).unwrap();
    let Outcome::Unknown(UnknownReason::Backend(message)) = outcome else {
        panic!("a disagreement should be reported, not {outcome:?}")
    };
    assert!(message.contains("a defect: cadical says sat and smtlib:sh says unsat"), "{message}");
    let path = message.rsplit("the formula is in ").next().unwrap();
    let saved = std::fs::read_to_string(path).unwrap();
    std::fs::remove_file(path).unwrap();
    assert!(saved.contains("(check-sat)"), "{saved}");
}

/// A formula of many gates is given up while it is encoded, and the next question goes on where that ended.
#[test]
fn encoding_stops_and_goes_on() {
    let mut t = Terms::new();
    let mut s = make("cadical", &SolverConfig::default()).unwrap();
    let (mut product, mut right) = (t.bv(64, 1), 1u64);
    for k in 0..16 {
        let (x, value) = (t.var(&format!("x{k}"), Sort::Bv(64)), t.bv(64, 2 * k + 3));
        product = t.mul(product, x);
        right = right.wrapping_mul(2 * k + 3);
        let is = t.eq(x, value);
        s.assert(&mut t, is);
    }
    let wrong = t.bv(64, right.wrapping_add(1));
    let differs = t.eq(product, wrong);
    let gone = Budget::new(None, None);
    gone.cancel_flag().store(true, Ordering::Relaxed);
    assert_eq!(s.check(&mut t, &[differs], &gone), Outcome::Unknown(UnknownReason::Cancelled));
    let before = s.stats().clauses;
    s.assert(&mut t, differs);
    assert_eq!(s.check(&mut t, &[], &gone), Outcome::Unknown(UnknownReason::Cancelled));
    assert!(s.stats().clauses < before + 1_000, "the whole product should not be encoded");
    assert_eq!(s.check(&mut t, &[], &Budget::unlimited()), Outcome::Unsat);
}
