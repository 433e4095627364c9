//! Writes a model without memories as a circuit of AIGER, in ASCII, for checkers that read only that: `to_aiger MODEL.btor2 > MODEL.aag`.
//! Initial states are made a cube, and each bad state is one of the circuit's.

use blitz_base::Budget;
use blitz_hw::Language;
use blitz_hw::bits::{Bits, NoBits};
use blitz_hw::certificate::circuit;
use std::io::Write;

fn main() {
    let Some(path) = std::env::args().nth(1) else { fail("which model?") };
    let bytes = std::fs::read(&path).unwrap_or_else(|e| fail(&format!("{path}: {e}")));
    let language = Language::of(&path, &bytes).unwrap_or_else(|| fail("no language goes with that name"));
    let loaded = language.read(&bytes).unwrap_or_else(|e| fail(&format!("{path}: {e}")));
    let bits = match Bits::new(&loaded.ts, &Budget::unlimited()) {
        Ok(bits) => bits,
        Err(NoBits::Array) => fail("it has memories"),
        Err(NoBits::Stopped(stop)) => fail(&stop.to_string()),
    };
    let cubed = bits.with_initial_cube();
    let text = circuit(cubed.as_ref().unwrap_or(&bits)).unwrap_or_else(|why| fail(why));
    std::io::stdout().write_all(text.as_bytes()).unwrap_or_else(|e| fail(&e.to_string()));
}

fn fail(why: &str) -> ! {
    eprintln!("to_aiger: {why}");
    std::process::exit(2)
}
