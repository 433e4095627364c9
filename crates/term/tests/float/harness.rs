//! Running a case: many operands through a compiled circuit, or few through the simplifier.

use crate::cases::Case;
use crate::operands::{Random, operands};
use blitz_base::Bv;
use blitz_term::float::batch::{LANES, Lanes, Program, Registers};
use blitz_term::{Sort, Term, Terms};

/// The circuit of a case over fresh variables.
pub fn compile(case: &Case) -> Program {
    let mut t = Terms::new();
    let inputs: Vec<Term> =
        case.kinds.iter().enumerate().map(|(i, kind)| t.var(&format!("x{i}"), Sort::Bv(kind.width()))).collect();
    let output = (case.build)(&mut t, &inputs);
    Program::compile(&t, &inputs, &[output]).unwrap_or_else(|refused| panic!("{}: {refused}", case.name))
}

fn describe(case: &Case, x: &[u128], circuit: u128, oracle: u128) -> String {
    format!("{}: operands {x:#x?}: the circuit gives {circuit:#x}, the oracle {oracle:#x}", case.name)
}

/// One batch of operands from `next`, compared.
fn batch(
    case: &Case,
    program: &Program,
    regs: &mut Registers,
    mut next: impl FnMut(&mut [u128]),
) -> Result<(), String> {
    let n = case.kinds.len();
    let mut inputs = vec![[0; LANES]; n];
    let mut x = vec![0; n];
    for lane in 0..LANES {
        next(&mut x);
        for (input, &value) in inputs.iter_mut().zip(&x) {
            input[lane] = value;
        }
    }
    let mut result = [[0; LANES]];
    program.run(regs, &inputs, &mut result);
    for lane in 0..LANES {
        for (x, input) in x.iter_mut().zip(&inputs) {
            *x = input[lane];
        }
        let (circuit, oracle) = (result[0][lane], (case.oracle)(&x));
        if !case.agrees(circuit, oracle) {
            return Err(describe(case, &x, circuit, oracle));
        }
    }
    Ok(())
}

/// At least `count` random operands.
pub fn random(case: &Case, count: usize, seed: u64) -> Result<(), String> {
    let program = compile(case);
    let mut regs = program.registers();
    let mut random = Random::new(seed);
    for _ in 0..count.div_ceil(LANES) {
        batch(case, &program, &mut regs, |x| operands(&mut random, &case.kinds, x))?;
    }
    Ok(())
}

/// All operands.
#[allow(dead_code, reason = "the long run has no use for it")]
pub fn exhaustive(case: &Case) -> Result<(), String> {
    let program = compile(case);
    let mut regs = program.registers();
    let bits: u16 = case.kinds.iter().map(|k| k.width()).sum();
    let mut index: u64 = 0;
    while index < 1 << bits {
        batch(case, &program, &mut regs, |x| {
            let mut rest = index;
            for (x, kind) in x.iter_mut().zip(&case.kinds) {
                *x = u128::from(rest & ((1 << kind.width()) - 1));
                rest >>= kind.width();
            }
            index += 1;
        })?;
    }
    Ok(())
}

/// Random operands as constants: the simplifier should leave the result.
#[allow(dead_code, reason = "the long run has no use for it")]
pub fn folding(case: &Case, count: usize, seed: u64) -> Result<(), String> {
    let mut t = Terms::new();
    let mut random = Random::new(seed);
    let mut x = vec![0; case.kinds.len()];
    for _ in 0..count {
        operands(&mut random, &case.kinds, &mut x);
        let terms: Vec<Term> =
            x.iter().zip(&case.kinds).map(|(&x, kind)| t.bv_const(Bv::from_u128(kind.width(), x))).collect();
        let output = (case.build)(&mut t, &terms);
        let value = t.as_const(output).and_then(|value| value.to_u128());
        let circuit = value.ok_or_else(|| format!("{}: {x:#x?} did not fold to a constant", case.name))?;
        let oracle = (case.oracle)(&x);
        if !case.agrees(circuit, oracle) {
            return Err(describe(case, &x, circuit, oracle));
        }
    }
    Ok(())
}

/// The value of a term under an assignment.
#[allow(dead_code, reason = "the long run has no use for it")]
pub fn evaluate(t: &Terms, values: &[(Term, u128)], term: Term) -> u128 {
    let inputs: Vec<Term> = values.iter().map(|v| v.0).collect();
    let program = Program::compile(t, &inputs, &[term]).expect("the term should be narrow and without arrays");
    let inputs: Vec<Lanes> = values.iter().map(|v| [v.1; LANES]).collect();
    let mut result = [[0; LANES]];
    program.run(&mut program.registers(), &inputs, &mut result);
    result[0][0]
}
