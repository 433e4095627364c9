//! Prints how long the formulas of the solver benchmark take, beside every SMT solver installed.
//!
//! `bench/solver [ROW]`; `BLITZ_BENCH_TIMEOUT` sets the seconds per cell (60), `BLITZ_BENCH_ALONE` leaves the others out.
//! CPU seconds of this process and its children, so terms are built within the time.

use blitz_base::Budget;
use blitz_solver::{Outcome, Solver, SolverConfig, installed, make};
use blitz_term::{Sort, Term, Terms};
use std::io::Write;
use std::time::Duration;

type Run = fn(&mut Terms, &mut dyn Solver, &Budget) -> Outcome;

struct Row {
    name: &'static str,
    goal: &'static str,
    run: Run,
}

const ROWS: [Row; 11] = [
    Row { name: "mul8-miter", goal: "2x best", run: mul_miter },
    Row { name: "mul8-commute", goal: "2x best", run: mul_commute },
    Row { name: "xorshift-full", goal: "0.1", run: |t, s, b| xorshift(t, s, b, 64) },
    Row { name: "xorshift-part", goal: "0.1", run: |t, s, b| xorshift(t, s, b, 20) },
    Row { name: "xorshift-most", goal: "0.1", run: |t, s, b| xorshift(t, s, b, 48) },
    Row { name: "stores-base+4k", goal: "0.1", run: stores_at_base },
    Row { name: "stores-free", goal: "10", run: stores_free },
    Row { name: "stores-free-no", goal: "10", run: stores_free_unsat },
    Row { name: "unroll-200", goal: "3", run: unroll_counter },
    Row { name: "unroll-sum-200", goal: "3", run: unroll_sum },
    Row { name: "core-2000", goal: "0.3", run: core },
];

fn main() {
    let only = std::env::args().nth(1);
    let seconds = std::env::var("BLITZ_BENCH_TIMEOUT").ok().and_then(|s| s.parse().ok()).unwrap_or(60);
    let mut solvers = vec!["cadical"];
    if std::env::var_os("BLITZ_BENCH_ALONE").is_none() {
        solvers.extend(installed());
    }
    print!("{:<16} {:>8}", "row", "goal s");
    solvers.iter().for_each(|s| print!(" {s:>16}"));
    println!(" {:>10}", "ours/best");
    for row in ROWS.iter().filter(|r| only.as_deref().is_none_or(|o| r.name.contains(o))) {
        print!("{:<16} {:>8}", row.name, row.goal);
        let mut cells = Vec::new();
        for name in &solvers {
            let (cpu, outcome) = measure(name, row, Duration::from_secs(seconds));
            let answer = match outcome {
                Outcome::Sat => "sat",
                Outcome::Unsat => "unsat",
                Outcome::Unknown(_) => "?",
            };
            print!(" {:>16}", format!("{cpu:.2} {answer}"));
            std::io::stdout().flush().expect("the table should be writable");
            cells.push((cpu, answer));
        }
        println!(" {:>10}", ratio(&cells));
    }
}

/// Our CPU seconds as a multiple of the best of the others that answered; `<` where none did within its time.
fn ratio(cells: &[(f64, &str)]) -> String {
    let ours = match cells[0] {
        (_, "?") => return "-".to_owned(),
        (cpu, _) => cpu,
    };
    let answered = cells[1..].iter().filter(|c| c.1 != "?").map(|c| c.0).reduce(f64::min);
    let spent = cells[1..].iter().map(|c| c.0).reduce(f64::min);
    match (answered, spent) {
        (Some(best), _) if best > 0.0 => format!("{:.2}", ours / best),
        (None, Some(spent)) if spent > 0.0 => format!("< {:.3}", ours / spent),
        _ => "-".to_owned(),
    }
}

fn measure(name: &str, row: &Row, timeout: Duration) -> (f64, Outcome) {
    let before = cpu_seconds();
    let mut terms = Terms::new();
    let mut solver = make(name, &SolverConfig::default()).expect("an installed solver should start");
    let outcome = (row.run)(&mut terms, solver.as_mut(), &Budget::new(Some(timeout), None));
    if std::env::var_os("BLITZ_BENCH_STATS").is_some() {
        eprintln!("{} {name}: {:?}, {} terms", row.name, solver.stats(), terms.len());
    }
    drop(solver); // a process counts when it has ended
    (cpu_seconds() - before, outcome)
}

/// User and system time of this process and of its children that have ended.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = after_name.split_whitespace().skip(11).take(4).filter_map(|w| w.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}

fn shift_add(t: &mut Terms, a: Term, b: Term, width: u16) -> Term {
    let wide = t.zext(b, 2 * width);
    let mut sum = t.bv(2 * width, 0);
    for i in 0..width {
        let bit = t.extract(a, i, i);
        let by = t.bv(2 * width, u64::from(i));
        let row = t.shl(wide, by);
        let zero = t.bv(2 * width, 0);
        let part = t.ite(bit, row, zero);
        sum = t.add(sum, part);
    }
    sum
}

fn differ(t: &mut Terms, s: &mut dyn Solver, budget: &Budget, x: Term, y: Term) -> Outcome {
    let p = t.ne(x, y);
    s.assert(t, p);
    s.check(t, &[], budget)
}

/// The multiplication of the solver against rows of shifted operands, selected by the other operand.
fn mul_miter(t: &mut Terms, s: &mut dyn Solver, budget: &Budget) -> Outcome {
    let (a, b) = (t.var("a", Sort::Bv(8)), t.var("b", Sort::Bv(8)));
    let (x, y) = (t.zext(a, 16), t.zext(b, 16));
    let product = t.mul(x, y);
    let rows = shift_add(t, b, a, 8);
    differ(t, s, budget, product, rows)
}

/// Rows selected by one operand against rows selected by the other.
fn mul_commute(t: &mut Terms, s: &mut dyn Solver, budget: &Budget) -> Outcome {
    let (a, b) = (t.var("a", Sort::Bv(8)), t.var("b", Sort::Bv(8)));
    let (x, y) = (shift_add(t, a, b, 8), shift_add(t, b, a, 8));
    differ(t, s, budget, x, y)
}

/// 64 steps of xorshift64: which state gives this output, of which the low bits are known?
fn xorshift(t: &mut Terms, s: &mut dyn Solver, budget: &Budget, known: u16) -> Outcome {
    let mut x = t.var("x", Sort::Bv(64));
    for _ in 0..64 {
        for (left, by) in [(true, 13), (false, 7), (true, 17)] {
            let by = t.bv(64, by);
            let moved = if left { t.shl(x, by) } else { t.lshr(x, by) };
            x = t.xor(x, moved);
        }
    }
    let out = t.extract(x, known - 1, 0);
    let want = t.bv(known, 0x0123_4567_89ab_cdef);
    let p = t.eq(out, want);
    s.assert(t, p);
    s.check(t, &[], budget)
}

/// 2,000 stores at `base + 4k`, 20 reads of them: is any wrong?
fn stores_at_base(t: &mut Terms, s: &mut dyn Solver, budget: &Budget) -> Outcome {
    let base = t.var("base", Sort::Bv(64));
    let mut memory = t.var("memory", Sort::Array { index: 64, elem: 32 });
    for k in 0..2000 {
        let (off, value) = (t.bv(64, 4 * k), t.bv(32, k * 7));
        let at = t.add(base, off);
        memory = t.store(memory, at, value);
    }
    let mut wrong = Vec::new();
    for k in (0..2000).step_by(100) {
        let (off, value) = (t.bv(64, 4 * k), t.bv(32, k * 7));
        let at = t.add(base, off);
        let read = t.select(memory, at);
        wrong.push(t.ne(read, value));
    }
    let any = t.or_all(&wrong);
    s.assert(t, any);
    s.check(t, &[], budget)
}

/// 2,000 stores at free indices, 10 reads that all have to see a value nobody stored last.
fn stores_free(t: &mut Terms, s: &mut dyn Solver, budget: &Budget) -> Outcome {
    let mut memory = t.var("memory", Sort::Array { index: 32, elem: 32 });
    let initial = memory;
    for k in 0..2000 {
        let at = t.var(&format!("i{k}"), Sort::Bv(32));
        let value = t.bv(32, k + 1);
        memory = t.store(memory, at, value);
    }
    for k in 0..10 {
        let at = t.var(&format!("r{k}"), Sort::Bv(32));
        let read = t.select(memory, at);
        let (before, fresh) = (t.select(initial, at), t.bv(32, 5000 + k));
        let p = t.eq(read, fresh);
        let q = t.eq(before, fresh);
        s.assert(t, p);
        s.assert(t, q);
    }
    s.check(t, &[], budget)
}

/// 2,000 stores of bytes at free indices over zeros, 10 reads: can one see more than a byte?
fn stores_free_unsat(t: &mut Terms, s: &mut dyn Solver, budget: &Budget) -> Outcome {
    let zero = t.bv(32, 0);
    let mut memory = t.const_array(32, zero);
    for k in 0..2000 {
        let at = t.var(&format!("i{k}"), Sort::Bv(32));
        let value = t.var(&format!("v{k}"), Sort::Bv(8));
        let wide = t.zext(value, 32);
        memory = t.store(memory, at, wide);
    }
    let most = t.bv(32, 255);
    let large: Vec<Term> = (0..10)
        .map(|k| {
            let at = t.var(&format!("r{k}"), Sort::Bv(32));
            let read = t.select(memory, at);
            t.ugt(read, most)
        })
        .collect();
    let any = t.or_all(&large);
    s.assert(t, any);
    s.check(t, &[], budget)
}

/// A counter that stops at 100, one step more per check: can it pass 100?
fn unroll_counter(t: &mut Terms, s: &mut dyn Solver, budget: &Budget) -> Outcome {
    let mut x = t.bv(32, 0);
    let (one, most) = (t.bv(32, 1), t.bv(32, 100));
    for k in 0..200 {
        let go = t.var(&format!("go{k}"), Sort::BOOL);
        let below = t.ult(x, most);
        let both = t.and(go, below);
        let next = t.add(x, one);
        let value = t.ite(both, next, x);
        x = bound_to_variable(t, s, value, &format!("x{k}"));
        let bad = t.ugt(x, most);
        match s.check(t, &[bad], budget) {
            Outcome::Unsat => {}
            other => return other,
        }
    }
    Outcome::Unsat
}

/// Two sums that grow by 3 together, one step more per check: do they stay in step?
fn unroll_sum(t: &mut Terms, s: &mut dyn Solver, budget: &Budget) -> Outcome {
    let (mut a, mut b) = (t.bv(16, 0), t.bv(16, 0));
    let (one, two) = (t.bv(16, 1), t.bv(16, 2));
    for k in 0..200_u64 {
        let c = t.var(&format!("c{k}"), Sort::BOOL);
        let (p, q) = (t.ite(c, one, two), t.ite(c, two, one));
        let (x, y) = (t.add(a, p), t.add(b, q));
        a = bound_to_variable(t, s, x, &format!("a{k}"));
        b = bound_to_variable(t, s, y, &format!("b{k}"));
        let (sum, want) = (t.add(a, b), t.bv(16, 3 * (k + 1)));
        let bad = t.ne(sum, want);
        match s.check(t, &[bad], budget) {
            Outcome::Unsat => {
                let good = t.not(bad);
                s.assert(t, good);
            }
            other => return other,
        }
    }
    Outcome::Unsat
}

fn bound_to_variable(t: &mut Terms, s: &mut dyn Solver, value: Term, name: &str) -> Term {
    let sort = t.sort(value);
    let var = t.var(name, sort);
    let equal = t.eq(var, value);
    s.assert(t, equal);
    var
}

/// 2,000 assumptions, of which a chain of 20 is enough.
fn core(t: &mut Terms, s: &mut dyn Solver, budget: &Budget) -> Outcome {
    let vars: Vec<Term> = (0..2001).map(|i| t.var(&format!("x{i}"), Sort::Bv(32))).collect();
    let assumptions: Vec<Term> = vars.windows(2).map(|w| t.ult(w[0], w[1])).collect();
    let back = t.ule(vars[1020], vars[1000]);
    s.assert(t, back);
    let outcome = s.check(t, &assumptions, budget);
    if outcome == Outcome::Unsat {
        let count = s.failed_assumptions().len();
        assert!(count >= 20, "the core should hold the chain, not {count} of it");
    }
    outcome
}
