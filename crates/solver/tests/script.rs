//! Scripts and their answers.

use blitz_base::Budget;
use blitz_solver::{SolverConfig, make, run_script};

fn run(text: &str) -> Result<Vec<String>, String> {
    let factory = || make("cadical", &SolverConfig::default());
    run_script(text, &factory, &Budget::unlimited()).map_err(|e| format!("{} | {e}", e.output.join(",")))
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(run(text).unwrap(), expected);
}

#[test]
fn levels_come_and_go() {
    check(
        "(set-logic QF_BV) (declare-const x (_ BitVec 8))
         (assert (bvult x #x10)) (push 1) (assert (bvugt x #x20)) (check-sat) (pop 1) (check-sat)
         (push 2) (assert (= x #x05)) (check-sat) (get-value (x (bvadd x #x01))) (pop 2)
         (assert (= x #x06)) (check-sat) (get-model)",
        &[
            "unsat",
            "sat",
            "sat",
            "((x #x05)\n ((bvadd x #x01) #x06))",
            "sat",
            "(\n  (define-fun x () (_ BitVec 8) #x06)\n)",
        ],
    );
}

#[test]
fn cores_and_assumptions_are_named() {
    check(
        "(set-option :produce-unsat-cores true) (declare-fun p () Bool) (declare-fun q () Bool)
         (assert (! (or p q) :named either)) (assert (! (not p) :named no-p)) (assert (! (not q) :named no-q))
         (assert (! (= p p) :named idle)) (check-sat) (get-unsat-core)
         (reset) (declare-fun p () Bool) (declare-fun q () Bool) (assert (=> p q))
         (check-sat-assuming (p (not q))) (get-unsat-assumptions) (check-sat-assuming (p)) (get-value (q))",
        &["unsat", "(either no-p no-q)", "unsat", "(p (not q))", "sat", "((q true))"],
    );
}

#[test]
fn arrays_and_floats_are_understood() {
    check(
        "(declare-const a (Array (_ BitVec 4) (_ BitVec 8))) (declare-const i (_ BitVec 4))
         (assert (= (select (store a i #x01) #x3) #x02)) (assert (= i #x3)) (check-sat)",
        &["unsat"],
    );
    check(
        "(set-logic QF_BVFP) (declare-const f (_ FloatingPoint 5 11))
         (assert (fp.gt (fp.mul RNE f f) (fp #b0 #b10000 #b0000000000))) (check-sat)
         (assert (fp.isNaN f)) (check-sat)",
        &["sat", "unsat"],
    );
}

/// Either zero may be the smaller one, but it is the same one each time.
#[test]
fn the_smaller_of_two_zeros_is_open() {
    let zeros = "(declare-const x Float16) (declare-const y Float16) (assert (fp.isZero x)) (assert (fp.isZero y)) (assert (distinct x y))";
    for (claim, answer) in [
        ("(= (fp.min x y) (fp.min y x) (fp.max x y) (fp.max y x))", "sat"),
        ("(and (distinct (fp.min x y) (fp.min y x)) (= (fp.min x y) (fp.max y x)))", "sat"),
        ("(let ((z x)) (distinct (fp.min z y) (fp.min x y)))", "unsat"),
        ("(not (fp.isZero (fp.max x y)))", "unsat"),
    ] {
        check(&format!("{zeros} (assert {claim}) (check-sat)"), &[answer]);
    }
    check(
        "(declare-const x Float16) (assert (distinct (fp.min x (_ +zero 5 11)) (fp.min (_ +zero 5 11) x)))
         (assert (not (fp.isZero x))) (check-sat)",
        &["unsat"],
    );
}

/// Bits that are no value of the sort would be values of an array.
#[test]
fn arrays_of_floats_and_modes_are_refused() {
    for sort in ["(Array RoundingMode Bool)", "(Array (_ BitVec 8) RoundingMode)", "(Array Float32 (_ BitVec 8))"] {
        let told = run(&format!("(declare-const a {sort})")).unwrap_err();
        assert!(told.contains("are not supported"), "{told}");
    }
}

#[test]
fn questions_out_of_turn_are_errors_in_the_answer() {
    check(
        "(declare-const p Bool) (get-value (p)) (get-unsat-core) (get-proof) (echo \"hi\") (get-info :name)
         (assert p) (check-sat) (get-unsat-assumptions) (exit) (check-sat)",
        &[
            "(error \"values are known only after sat\")",
            "(error \"unsat cores need (set-option :produce-unsat-cores true)\")",
            "unsupported",
            "\"hi\"",
            "(:name \"blitz\")",
            "sat",
            "(error \"failed assumptions are known only after unsat\")",
        ],
    );
}

#[test]
fn a_mistake_keeps_what_was_answered_before() {
    let told = run("(declare-const p Bool) (assert p) (check-sat)\n(assert (frobnicate p)) (check-sat)").unwrap_err();
    assert!(told.starts_with("sat | 2:"), "{told}");
    assert!(told.contains("frobnicate"), "{told}");
    for bad in
        ["(assert", "(pop 1)", "(check-sat))", "(declare-const x Int)", "(assert (bvadd #b1 #b01))", "\"", "(frob)"]
    {
        assert!(run(bad).is_err(), "{bad}");
    }
}
