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

/// A read that can only see bytes is not walked past every write to know that it sees a byte.
#[test]
fn values_are_told_before_paths() {
    let mut t = Terms::new();
    let mut s = make("cadical", &SolverConfig::default()).unwrap();
    let zero = t.bv(32, 0);
    let mut memory = t.const_array(32, zero);
    for k in 0..200 {
        let (at, value) = (t.var(&format!("i{k}"), Sort::Bv(32)), t.var(&format!("v{k}"), Sort::Bv(8)));
        let wide = t.zext(value, 32);
        memory = t.store(memory, at, wide);
    }
    let (at, most) = (t.var("r", Sort::Bv(32)), t.bv(32, 255));
    let read = t.select(memory, at);
    let large = t.ugt(read, most);
    s.assert(&mut t, large);
    assert_eq!(s.check(&mut t, &[], &Budget::unlimited()), Outcome::Unsat);
    assert!(s.stats().lemmas <= 8, "{:?}", s.stats());
}

/// Which state of xorshift gives this output is a system of linear equations: nothing is guessed.
#[test]
fn exclusive_ors_are_solved_not_guessed() {
    let mut t = Terms::new();
    let mut s = make("cadical", &SolverConfig::default()).unwrap();
    let mut x = t.var("x", Sort::Bv(64));
    for _ in 0..16 {
        for (left, by) in [(true, 13), (false, 7), (true, 17)] {
            let by = t.bv(64, by);
            let moved = if left { t.shl(x, by) } else { t.lshr(x, by) };
            x = t.xor(x, moved);
        }
    }
    let want = t.bv(64, 0x0123_4567_89ab_cdef);
    let p = t.eq(x, want);
    s.assert(&mut t, p);
    assert_eq!(s.check(&mut t, &[], &Budget::unlimited()), Outcome::Sat);
    assert_eq!(s.stats().conflicts, 0);
    let other = t.ne(x, want);
    assert_eq!(s.check(&mut t, &[other], &Budget::unlimited()), Outcome::Unsat);
}

/// Equations that contradict each other only as a whole.
#[test]
fn a_contradiction_of_exclusive_ors_needs_no_search() {
    let mut t = Terms::new();
    let mut s = make("cadical", &SolverConfig::default()).unwrap();
    let vars: Vec<Term> = (0..60).map(|i| t.var(&format!("x{i}"), Sort::BOOL)).collect();
    for i in 0..60 {
        let (a, b) = (t.xor(vars[i], vars[(i + 1) % 60]), vars[(i + 7) % 60]);
        let p = t.xor(a, b);
        s.assert(&mut t, p);
    }
    let all = vars.iter().copied().reduce(|a, b| t.xor(a, b)).unwrap();
    s.assert(&mut t, all);
    assert_eq!(s.check(&mut t, &[], &Budget::unlimited()), Outcome::Unsat);
    assert_eq!(s.stats().conflicts, 0);
}

/// A fact about all entries of a table of constants takes one multiplexer, not a lemma for each entry; a read of some
/// entry takes a few.
#[test]
fn tables_are_looked_up() {
    let mut t = Terms::new();
    let zero = t.bv(32, 0);
    let mut table = t.const_array(32, zero);
    for k in 0..1 << 12 {
        let (at, value) = (t.bv(32, k), t.bv(32, k * 40_503 % 1000));
        table = t.store(table, at, value);
    }
    let index = t.var("index", Sort::Bv(32));
    let read = t.select(table, index);
    for (limit, outcome) in [(1000, Outcome::Unsat), (999, Outcome::Sat), (998, Outcome::Sat)] {
        let mut s = make("cadical", &SolverConfig::default()).unwrap();
        let limit = t.bv(32, limit);
        let small = t.ult(read, limit);
        let large = t.not(small);
        s.assert(&mut t, large);
        assert_eq!(s.check(&mut t, &[], &Budget::unlimited()), outcome);
        assert!(s.stats().lemmas < 40, "{} lemmas", s.stats().lemmas);
        if outcome == Outcome::Sat {
            assert!(s.value(&mut t, large).is_true());
        }
    }
}
