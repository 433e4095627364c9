//! Costs as golden numbers: how many terms fixed examples take. A change here is a change of the simplifier; it should be wanted.

use blitz_term::{Sort, Term, Terms, dag_size};

fn xorshift(terms: &mut Terms, steps: usize) -> Term {
    let mut x = terms.var("seed", Sort::Bv(64));
    for _ in 0..steps {
        for (shift, left) in [(13, true), (7, false), (17, true)] {
            let shifted = if left { terms.shl_by(x, shift) } else { terms.lshr_by(x, shift) };
            x = terms.xor(x, shifted);
        }
    }
    x
}

#[test]
fn xorshift_steps() {
    let mut terms = Terms::new();
    let x = xorshift(&mut terms, 64);
    assert_eq!(dag_size(&terms, &[x]), 580);
}

#[test]
fn a_bounded_loop_over_an_array_folds() {
    // for (i = 0; i < 100; i++) a[i] = i; then the sum of all: everything is constant once unwound.
    let mut terms = Terms::new();
    let mut array = terms.var("a", Sort::Array { index: 64, elem: 32 });
    for k in 0..100 {
        let (i, v) = (terms.bv(64, k), terms.bv(32, k));
        array = terms.store(array, i, v);
    }
    let mut sum = terms.bv(32, 0);
    for k in 0..100 {
        let i = terms.bv(64, k);
        let v = terms.select(array, i);
        sum = terms.add(sum, v);
    }
    assert_eq!(terms.as_u64(sum), Some(4950));
}

#[test]
fn a_counter_under_conditions() {
    // if (c_k) n++; 50 times, then n <= 50.
    let mut terms = Terms::new();
    let mut n = terms.bv(32, 0);
    for _ in 0..50 {
        let c = terms.fresh("c", Sort::BOOL);
        let one = terms.bv(32, 1);
        let more = terms.add(n, one);
        n = terms.ite(c, more, n);
    }
    let bound = terms.bv(32, 51);
    let within = terms.ult(n, bound);
    assert_eq!(dag_size(&terms, &[within]), 154);
}

#[test]
fn merged_memory_stays_one_chain() {
    // if (c_k) m[k % 8] = k; 40 times.
    let mut terms = Terms::new();
    let start = terms.var("m", Sort::Array { index: 64, elem: 8 });
    let mut memory = start;
    for k in 0..40 {
        let c = terms.fresh("c", Sort::BOOL);
        let (i, v) = (terms.bv(64, k % 8), terms.bv(8, k));
        let written = terms.store(memory, i, v);
        memory = terms.ite(c, written, memory);
    }
    let i = terms.bv(64, 3);
    let read = terms.select(memory, i);
    assert_eq!(dag_size(&terms, &[read]), 18);
}

#[test]
fn a_million_terms_take_little_memory() {
    let mut terms = Terms::new();
    let mut regs: Vec<Term> = (0..8).map(|i| terms.var(&format!("r{i}"), Sort::Bv(32))).collect();
    let mut step = 0;
    while terms.len() < 1_000_000 {
        let (a, b) = (regs[step % 8], regs[(step * 3 + 1) % 8]);
        regs[(step * 5 + 2) % 8] = match step % 4 {
            0 => terms.add(a, b),
            1 => terms.mul(a, b),
            2 => terms.xor(a, b),
            _ => terms.sub(a, b),
        };
        step += 1;
    }
    let stats = terms.stats();
    assert!(stats.bytes <= 48 * stats.terms, "{stats:?}");
    assert!(step >= 700_000, "most terms should be wanted ones, not intermediate: {step}");
}
