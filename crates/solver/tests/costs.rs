//! What fixed formulas cost in variables and clauses: golden numbers that notice a slowdown without a clock.

use blitz_base::Budget;
use blitz_solver::{Outcome, SolverConfig, make};
use blitz_term::{Sort, Term, Terms};

type Formula = fn(&mut Terms, Term, Term) -> Term;

fn cost(formula: Formula) -> (u64, u64) {
    let mut t = Terms::new();
    let (a, b) = (t.var("a", Sort::Bv(32)), t.var("b", Sort::Bv(32)));
    let mut s = make("cadical", &SolverConfig::default()).unwrap();
    let p = formula(&mut t, a, b);
    s.assert(&mut t, p);
    let stats = s.stats();
    (stats.vars, stats.clauses)
}

fn is_seven(t: &mut Terms, x: Term) -> Term {
    let k = t.bv(32, 7);
    t.eq(x, k)
}

#[test]
fn formulas_cost_what_they_did() {
    let formulas: [(&str, Formula); 6] = [
        ("less", |t, a, b| t.ult(a, b)),
        ("equal", |t, a, b| t.eq(a, b)),
        ("sum", |t, a, b| {
            let x = t.add(a, b);
            is_seven(t, x)
        }),
        ("product", |t, a, b| {
            let x = t.mul(a, b);
            is_seven(t, x)
        }),
        ("quotient", |t, a, b| {
            let x = t.udiv(a, b);
            is_seven(t, x)
        }),
        ("shift", |t, a, b| {
            let x = t.shl(a, b);
            is_seven(t, x)
        }),
    ];
    let costs: Vec<String> = formulas.iter().map(|(name, f)| format!("{name} {:?}", cost(*f))).collect();
    assert_eq!(costs.join("\n"), GOLDEN);
}

const GOLDEN: &str = "less (95, 95)
equal (64, 64)
sum (95, 309)
product (1521, 8065)
quotient (1694, 9995)
shift (210, 479)";

/// Reads of a memory with many writes are settled by few instances.
#[test]
fn lemmas_stay_few() {
    let mut t = Terms::new();
    let mut s = make("cadical", &SolverConfig::default()).unwrap();
    let mut memory = t.var("memory", Sort::Array { index: 32, elem: 8 });
    for k in 0..200 {
        let (at, value) = (t.var(&format!("i{k}"), Sort::Bv(32)), t.bv(8, k));
        memory = t.store(memory, at, value);
    }
    for k in 0..5 {
        let (at, value) = (t.var(&format!("r{k}"), Sort::Bv(32)), t.bv(8, 250 + k));
        let read = t.select(memory, at);
        let p = t.eq(read, value);
        s.assert(&mut t, p);
    }
    assert_eq!(s.check(&mut t, &[], &Budget::unlimited()), Outcome::Sat);
    assert!(s.stats().lemmas < 50, "{:?}", s.stats());
}
