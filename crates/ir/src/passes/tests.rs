use super::*;
use crate::inst::{Inst, Terminator};
use crate::testing::{Rng, eval, generate};
use crate::types::Type;
use blitz_base::Bv;
use blitz_base::span::Loc;

const TARGET: TargetInfo = TargetInfo::new(64);

fn without_fuel(events: &[eval::Event]) -> &[eval::Event] {
    match events.split_last() {
        Some((eval::Event::OutOfFuel, rest)) => rest,
        _ => events,
    }
}

/// Same events; if one of them ran out of fuel, as far as both went.
fn agree(a: &[eval::Event], b: &[eval::Event]) -> bool {
    let (x, y) = (without_fuel(a), without_fuel(b));
    if x.len() == a.len() && y.len() == b.len() {
        return a == b;
    }
    let common = x.len().min(y.len());
    x[..common] == y[..common]
}

#[test]
fn cleaned_bodies_do_the_same() {
    // More of it: BLITZ_FUZZ_ROUNDS=100000 BLITZ_FUZZ_SEED=7 cargo test --release -p blitz-ir cleaned
    let setting = |name: &str, usual: u64| std::env::var(name).map_or(usual, |n| n.parse().unwrap());
    let mut rng = Rng(setting("BLITZ_FUZZ_SEED", 42));
    let rounds = setting("BLITZ_FUZZ_ROUNDS", 800);
    for round in 0..rounds {
        let before = generate::body(&mut rng);
        let errors = verify::func(&before, TARGET);
        assert!(errors.is_empty(), "{}\n{before}", errors[0]);
        let mut after = before.clone();
        clean(&mut after, TARGET);
        for _ in 0..6 {
            let args = [32, 32, 8].map(|w| Bv::from_u64(w, (rng.next() >> 20) % 7));
            let (x, y) = (eval::run(&before, &args, 3000), eval::run(&after, &args, 3000));
            let differs = x.iter().zip(&y).position(|(a, b)| a != b);
            let at = differs.map(|n| (&x[n], &y[n]));
            assert!(agree(&x, &y), "round {round} {args:?} {at:?}\n{before}\n-----\n{after}");
        }
    }
}

/// A body of many statements in the style of unoptimised C, with a check and a branch in each.
fn long_body(statements: u64) -> Func {
    let mut b = FuncBuilder::new();
    let entry = b.block();
    let param = b.block_param(entry, Type::I32);
    let size = b.int(64, 4);
    let alloca = |b: &mut FuncBuilder| {
        b.push1(entry, Inst::Alloca { size, align: 4, var: None, lives: true }, Type::Ptr, Loc::UNKNOWN)
    };
    let locals: Vec<Value> = (0..30).map(|_| alloca(&mut b)).collect();
    for &ptr in &locals {
        b.push0(entry, Inst::Store { ptr, value: param }, Loc::UNKNOWN);
    }
    let exit = b.block();
    let mut block = entry;
    for i in 0..statements {
        let ptr = locals[(i % locals.len() as u64) as usize];
        let other = locals[(i * 7 % locals.len() as u64) as usize];
        let lhs = b.push1(block, Inst::Load { ptr }, Type::I32, Loc::UNKNOWN);
        let rhs = b.push1(block, Inst::Load { ptr: other }, Type::I32, Loc::UNKNOWN);
        let op = crate::BinOp::Add;
        let value = b.push1(block, Inst::Binary { op, lhs, rhs }, Type::I32, Loc::UNKNOWN);
        b.push0(block, Inst::Store { ptr, value }, Loc::UNKNOWN);
        let op = crate::CmpOp::Slt;
        let cond = b.push1(block, Inst::Compare { op, lhs: value, rhs }, Type::BOOL, Loc::UNKNOWN);
        let (next, side) = (b.block(), b.block());
        b.push0(side, Inst::Store { ptr: other, value: rhs }, Loc::UNKNOWN);
        let on = if i % 3 == 0 { exit } else { next };
        b.terminate(side, Terminator::Jump { to: on, args: Vec::new() }, Loc::UNKNOWN);
        let (then, other) = ((next, Vec::new()), (side, Vec::new()));
        b.terminate(block, Terminator::Branch { cond, then, other }, Loc::UNKNOWN);
        block = next;
    }
    b.terminate(block, Terminator::Jump { to: exit, args: Vec::new() }, Loc::UNKNOWN);
    let v = b.push1(exit, Inst::Load { ptr: locals[0] }, Type::I32, Loc::UNKNOWN);
    b.terminate(exit, Terminator::Return { values: vec![v] }, Loc::UNKNOWN);
    b.func
}

#[test]
fn a_function_of_100_000_statements_goes_through() {
    let mut func = long_body(100_000);
    clean(&mut func, TARGET);
    assert!(func.blocks.iter().all(|b| b.insts.iter().all(|&i| !matches!(func.inst(i).inst, Inst::Load { .. }))));
}
