//! What unrolling costs, in variables and clauses: golden numbers, which catch a slowdown without a clock.

use blitz_base::Budget;
use blitz_hw::{Engine, Options, Stats, Status, aiger, check};
use std::fmt::Write;

/// Two chains of latches that compute the same, each latch the conjunction of the three before it, written in different order. Bad where they differ.
fn chains(length: usize) -> String {
    let latch = |chain: usize, i: usize| 2 * (2 + chain * length + i);
    let mut next_and = 2 + 2 * length;
    let mut ands = String::new();
    let mut and = |x: usize, y: usize| {
        let out = 2 * next_and;
        next_and += 1;
        let _ = writeln!(ands, "{out} {x} {y}");
        out
    };
    let mut latches = String::new();
    for chain in 0..2 {
        for i in 0..length {
            let before = |n: usize| if i >= n { latch(chain, i - n) } else { 2 };
            let (x, y) = if chain == 0 { (before(1), before(3)) } else { (before(3), before(1)) };
            let inner = and(x, before(2));
            let _ = writeln!(latches, "{} {}", latch(chain, i), and(inner, y));
        }
    }
    let mut same = 1;
    for i in 0..length {
        let differ = and(latch(0, i), latch(1, i) + 1);
        same = and(same, differ + 1);
    }
    let count = next_and - 2 - 2 * length;
    format!("aag {} 1 {} 0 {count} 1\n2\n{latches}{}\n{ands}", next_and - 1, 2 * length, same + 1)
}

fn bounded(text: &str, bound: usize) -> Stats {
    let ts = aiger::read(text.as_bytes()).expect("the model should be read");
    let options = Options { engine: Engine::Bmc, bound: Some(bound), ..Options::default() };
    let result = check(&ts, &options, &Budget::unlimited()).results.remove(0);
    assert!(matches!(result.status, Status::HoldsUpTo(k) if k == bound), "{:?}", result.status);
    result.stats
}

#[test]
fn short_chains_cost_this() {
    let stats = bounded(&chains(50), 20);
    assert_eq!((stats.vars, stats.clauses), (510, 2_155));
}

/// Ten thousand latches, a hundred steps: nothing is rebuilt from bound to bound, and gates that nobody asks for are not written.
#[test]
fn ten_thousand_latches_cost_this() {
    let stats = bounded(&chains(5_000), 100);
    assert_eq!(stats.latches, 10_000);
    assert_eq!((stats.vars, stats.clauses), (14_550, 66_635));
}
