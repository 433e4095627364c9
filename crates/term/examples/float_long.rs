//! Float circuits against the CPU at length: every operation in every format on ten million operands and more.
//!
//! `cargo run --release -p blitz-term --example float_long [COUNT [FILTER [SEED]]]`: operands for each operation in each format, and only
//! cases whose name contains the filter. Each rounding mode takes a quarter of the count, so that the four of the CPU together take all of it.

#[path = "../tests/float/cases.rs"]
mod cases;
#[path = "../tests/float/cpu.rs"]
mod cpu;
#[path = "../tests/float/harness.rs"]
mod harness;
#[path = "../tests/float/operands.rs"]
mod operands;
#[path = "../tests/float/reference.rs"]
mod reference;

use blitz_term::float::{Format, RoundingMode};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

fn all_cases(filter: &str) -> Vec<cases::Case> {
    let mut all = cases::cpu_cases();
    for f in [Format::HALF, Format::BFLOAT] {
        cases::reference_arithmetic(&mut all, f, &RoundingMode::ALL);
        cases::reference_remainders(&mut all, f);
        for rm in RoundingMode::ALL {
            cases::reference_fma(&mut all, f, rm);
        }
        for width in [8, 16, 32, 64] {
            cases::reference_integers(&mut all, f, width, &RoundingMode::ALL);
        }
    }
    all.retain(|case| case.name.contains(filter));
    all
}

/// The operands of one case.
fn share(case: &cases::Case, count: usize) -> usize {
    let has_mode = RoundingMode::ALL.iter().any(|rm| case.name.contains(&format!("{rm:?}")));
    if has_mode { count.div_ceil(4) } else { count }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let count = args.first().map_or(10_000_000, |a| a.parse().expect("the count should be a number"));
    let filter = args.get(1).cloned().unwrap_or_default();
    let seed = args.get(2).map_or(1, |a| a.parse().expect("the seed should be a number"));
    let cases = all_cases(&filter);
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(0));
    let start = Instant::now();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let begin = Instant::now();
                    let count = share(case, count);
                    let result = harness::random(case, count, seed);
                    let seconds = begin.elapsed().as_secs_f64();
                    let terms = harness::compile(case).len();
                    match result {
                        Ok(()) => println!("ok    {:45} {count} operands, {terms} terms, {seconds:.1} s", case.name),
                        Err(message) => {
                            *failures.lock().unwrap() += 1;
                            println!("WRONG {message}");
                        }
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("{} cases, {failures} wrong, {:.0} s", cases.len(), start.elapsed().as_secs_f64());
    if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
