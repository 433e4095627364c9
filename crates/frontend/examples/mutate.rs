//! Feeds damaged inputs to the front end: `mutate SEED COUNT FILE...` changes bytes of the files (bitcode or textual IR) at
//! random, loads them and lowers every function. Whatever happens has to be a program or an error; a panic or a
//! crash names the round, and the same seed gives the same rounds.

use blitz_frontend::{LibcVariant, LoadOptions, ModuleInput, load};
use blitz_ir::{Checks, FuncId};
use std::panic::{AssertUnwindSafe, catch_unwind};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let seed: u64 = args.next().and_then(|a| a.parse().ok()).unwrap_or(1);
    let count: usize = args.next().and_then(|a| a.parse().ok()).unwrap_or(100);
    let files: Vec<(String, Vec<u8>)> =
        args.map(|f| (f.clone(), std::fs::read(&f).expect("the file should be readable"))).collect();
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let (mut accepted, mut panics) = (0, 0);
    for round in 0..count {
        let (name, whole) = &files[random.below(files.len())];
        let mut bytes = whole.clone();
        for _ in 0..=random.below(5) {
            damage(&mut bytes, &mut random);
        }
        let extension = if name.ends_with(".ll") { "ll" } else { "bc" };
        let input = ModuleInput { name: format!("round{round}.{extension}"), bytes, edits: Default::default() };
        match catch_unwind(AssertUnwindSafe(|| attempt(input))) {
            Ok(loaded) => accepted += usize::from(loaded),
            Err(_) => {
                panics += 1;
                println!("round {round} of seed {seed} ({name}) panics");
            }
        }
    }
    println!("{count} rounds, {accepted} loaded, {panics} panics");
    std::process::exit(i32::from(panics > 0));
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(8) {
        0 => bytes.truncate(at.max(1)),
        1 => {
            let from = random.below(bytes.len());
            bytes[at] = bytes[from];
        }
        2..=4 => bytes[at] ^= 1 << random.below(8),
        _ => bytes[at] = random.below(256) as u8,
    }
}

fn attempt(input: ModuleInput) -> bool {
    let options = LoadOptions {
        checks: Checks::default(),
        libc: LibcVariant::None,
        entry: None,
        unit: None,
        offset_bits: None,
        no_body: Default::default(),
    };
    let Ok(program) = load(vec![input], &options) else { return false };
    for f in (0..program.funcs.len()).map(FuncId::new) {
        program.body(f);
    }
    true
}
