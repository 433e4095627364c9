//! Random programs in the IR's text form that use every instruction of sequential programs.
//!
//! A program computes a checksum of what it does. Its last check compares the checksum with an input, unless another input says that it should
//! exit with the checksum instead: so one run tells the value, and one symbolic execution can be asked whether it has the same.
//!
//! Invariants: every access has its check in front; what is read is checked to be determinate, or copied with its shadow; bits of NaNs and of
//! pointers never enter the checksum, not even through memory (nobody promises them); loops end after few iterations.
//! Absent on purpose: threads, functions without bodies, `unsupported`, approximations, host services.

mod body;
mod memory;
mod statements;
mod types;

use crate::Rng;
use body::Body;
use std::fmt::Write;
use types::{I8, I32, I64, Ty};

/// How programs are made.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Statements per function, about.
    pub statements: u64,
    /// Bits of a pointer: 32 or 64.
    pub pointer_bits: u16,
    /// Inputs of the statements are constants instead: symbolic execution should then fold what a run computes.
    pub constant_inputs: bool,
}

impl Shape {
    /// A shape for this seed, of every sort.
    pub fn random(rng: &mut Rng) -> Self {
        Self {
            statements: 4 + rng.below(24),
            pointer_bits: if rng.one_in(4) { 32 } else { 64 },
            constant_inputs: rng.one_in(4),
        }
    }
}

/// The name of the property that compares the checksum.
pub const CHECKSUM: &str = "main.assertion.checksum";

/// Inputs that a program takes first: whether the checksum is compared (else the program exits with it), and with what.
pub const FIRST_INPUTS: [&str; 2] = ["compare", "expected"];

/// A program. It takes [`FIRST_INPUTS`] (8 and 32 bits), then inputs of any type wherever it runs.
pub fn program(seed: u64, shape: Shape) -> String {
    let mut rng = Rng::new(seed);
    let mut parts = Parts { shape, properties: Vec::new(), funcs: Vec::new() };
    let callees = 1 + rng.below(3) as usize;
    for _ in 0..callees {
        parts.funcs.push(Callee::random(&mut rng));
    }
    let mut bodies = vec![Body::of_main(&mut rng, &mut parts)];
    for n in 1..=callees {
        bodies.push(Body::of_callee(n, &mut rng, &mut parts));
    }
    parts.text(&bodies)
}

/// What the functions of a program share.
pub(crate) struct Parts {
    shape: Shape,
    /// Kind and function of each.
    properties: Vec<(&'static str, usize)>,
    /// Function n + 1 of the program.
    funcs: Vec<Callee>,
}

/// A function that others call. It takes a pointer to at least `SMALLEST` bytes last, and returns 64 bits.
#[derive(Clone)]
struct Callee {
    params: Vec<Ty>,
    recursive: bool,
    variadic: bool,
}

/// Bytes of the smallest object.
const SMALLEST: u64 = 16;

/// Of each global: 0 may be written, 1 may not, 2 is a buffer for `setjmp` (200 bytes), 3 holds pointers.
const GLOBAL_BYTES: u64 = 40;

impl Callee {
    fn random(rng: &mut Rng) -> Self {
        let params = (0..rng.below(3)).map(|_| *rng.pick(&[I32, I64, I8, Ty::F64])).collect();
        Self { params, recursive: rng.one_in(3), variadic: rng.one_in(5) }
    }

    fn signature(&self) -> String {
        let mut params: Vec<String> = self.params.iter().map(Ty::to_string).collect();
        params.extend(["i32".into(), "ptr".into()]);
        if self.variadic {
            params.push("...".into());
        }
        format!("({}) -> (i64)", params.join(", "))
    }
}

impl Parts {
    fn property(&mut self, kind: &'static str, func: usize) -> String {
        self.properties.push((kind, func));
        format!("prop{}", self.properties.len())
    }

    fn word(&self) -> Ty {
        Ty::Int(self.shape.pointer_bits)
    }

    fn text(&self, bodies: &[Body]) -> String {
        let mut out = format!("target {}\nfile0 = \"t.c\"\n", self.shape.pointer_bits);
        let _ = writeln!(out, "prop0 = \"{CHECKSUM}\" assertion func0 \"the checksum\"");
        for (i, (kind, func)) in self.properties.iter().enumerate() {
            let n = i + 1;
            let _ = writeln!(out, "prop{n} = \"f{func}.{kind}.{n}\" {kind} func{func} \"generated\"");
        }
        let bytes = "0102030405060708090a0b0c0d0e0f101112131415161718";
        let _ = writeln!(out, "global0 = \"g0\" \"char[]\" size {GLOBAL_BYTES} align 8 init #{bytes}");
        let _ = writeln!(out, "global1 = \"g1\" \"char[]\" size {GLOBAL_BYTES} align 8 constant init #{bytes}");
        let _ = writeln!(out, "global2 = \"g2\" \"jmp_buf\" size 200 align 8 init #");
        let cell = u64::from(self.shape.pointer_bits / 8);
        let relocs = format!("reloc 0 global0+4 reloc {cell} func1+0");
        let _ = writeln!(out, "global3 = \"g3\" \"void *[]\" size {GLOBAL_BYTES} align 8 init # {relocs}");
        for (n, body) in bodies.iter().enumerate() {
            let (name, signature, taken) = match n {
                0 => ("main".to_owned(), "() -> (i32)".to_owned(), ""),
                _ => (format!("f{n}"), self.funcs[n - 1].signature(), " address_taken"),
            };
            let _ = writeln!(out, "func{n} = \"{name}\" {signature}{taken} {{\n{}}}", body.text());
        }
        out
    }
}
