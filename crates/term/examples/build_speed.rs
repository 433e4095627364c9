//! How fast terms are built: ten million terms of straight-line arithmetic, 20,000 stores with reads, and the memory they take.
//! Run with `cargo run --release -p blitz-term --example build_speed`.

use blitz_base::budget::resident_bytes;
use blitz_term::{Sort, Terms};
use std::time::Instant;

fn main() {
    arithmetic();
    stores();
}

fn arithmetic() {
    let start = Instant::now();
    let mut terms = Terms::new();
    let mut regs: Vec<_> = (0..16).map(|i| terms.var(&format!("r{i}"), Sort::Bv(32))).collect();
    let mut step = 0usize;
    while terms.len() < 10_000_000 {
        let (a, b) = (regs[step % 16], regs[(step * 7 + 3) % 16]);
        let k = terms.bv(32, (step % 1000) as u64);
        regs[(step * 5 + 1) % 16] = match step % 8 {
            0 => terms.add(a, b),
            1 => terms.mul(a, b),
            2 => terms.xor(a, b),
            3 => terms.add(a, k),
            4 => terms.sub(a, b),
            5 => terms.and(a, b),
            6 => {
                let less = terms.slt(a, b);
                terms.ite(less, a, k)
            }
            _ => terms.or(a, b),
        };
        step += 1;
    }
    let stats = terms.stats();
    println!(
        "arithmetic: {} terms in {:.2} s of CPU ({:.2} s in all), {} MB of nodes and table, {} MB resident",
        stats.terms,
        cpu_seconds(),
        start.elapsed().as_secs_f64(),
        stats.bytes >> 20,
        resident_bytes() >> 20
    );
}

fn stores() {
    let start = Instant::now();
    let mut terms = Terms::new();
    let mut array = terms.var("mem", Sort::Array { index: 64, elem: 32 });
    let base = terms.var("base", Sort::Bv(64));
    let mut indices = Vec::new();
    for k in 0..20_000u64 {
        let (offset, value) = (terms.bv(64, 4 * k), terms.fresh("v", Sort::Bv(32)));
        indices.push(terms.add(base, offset));
        array = terms.store(array, indices[k as usize], value);
    }
    for &i in &indices {
        terms.select(array, i);
    }
    println!("arrays: 20000 stores, 20000 reads in {:.3} s", start.elapsed().as_secs_f64());
}

/// User and system time of this process.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: u64 = after_name.split_whitespace().skip(11).take(2).filter_map(|w| w.parse::<u64>().ok()).sum();
    ticks as f64 / 100.0
}
