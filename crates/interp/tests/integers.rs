//! Integer operations of the fast path against `Bv`, on corner and random values of several widths.

use blitz_base::{Budget, Bv};
use blitz_interp::{Entry, Outcome, RunConfig, run};
use blitz_ir::{BinOp, CmpOp, OverflowOp, parse};

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

type Predicate = fn(&Bv, &Bv) -> bool;

fn samples(width: u16, rng: &mut Rng) -> Vec<Bv> {
    let mut values = vec![
        Bv::zero(width),
        Bv::one(width),
        Bv::ones(width),
        Bv::min_signed(width),
        Bv::max_signed(width),
        Bv::from_u64(width, u64::from(width)),
    ];
    values.extend((0..4).map(|_| Bv::from_limbs(width, &[rng.next(), rng.next(), rng.next()])));
    values
}

/// Runs `op` on two arguments; the result comes back as 32 bits of a hash of its bytes: the exit status.
fn run_op(op: &str, width: u16, result: u16, a: &Bv, b: &Bv) -> Bv {
    let mut out = Vec::new();
    for low in (0..result).step_by(16) {
        let high = (low + 15).min(result - 1);
        let text = format!(
            "target 64\nfunc0 = \"f\" (i{width}, i{width}) -> (i32) {{
block0(v0: i{width}, v1: i{width}):
  v2: i{result} = {op} v0, v1
  v3: i{big} = zext v2
  v4: i{big} = lshr v3, {low}:i{big}
  v5: i32 = trunc v4
  v6: i32 = and v5, {mask}:i32
  return v6
}}\n",
            big = result + 64,
            mask = (1u64 << (high - low + 1)) - 1,
        );
        let program = parse::program(&text).expect("the test's program should parse");
        let entry = Entry::Func("f".into(), vec![a.clone(), b.clone()]);
        match run(&program, &RunConfig { entry, ..RunConfig::default() }, &Budget::unlimited()).outcome {
            Outcome::Exit(status) => out.push(status as u64),
            other => panic!("{op} should return, not {other:?}"),
        }
    }
    let bits = |i: u16| out[usize::from(i / 16)] >> (i % 16) & 1 == 1;
    Bv::from_bits(result, bits)
}

fn reference(op: BinOp, a: &Bv, b: &Bv) -> Option<Bv> {
    Some(match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul => a.mul(b),
        BinOp::UDiv => a.udiv(b),
        BinOp::SDiv => a.sdiv(b),
        BinOp::URem => a.urem(b),
        BinOp::SRem => a.srem(b),
        BinOp::Shl => a.shl(b),
        BinOp::LShr => a.lshr(b),
        BinOp::AShr => a.ashr(b),
        BinOp::And => a.and(b),
        BinOp::Or => a.or(b),
        BinOp::Xor => a.xor(b),
        BinOp::UMin => {
            if a.ult(b) {
                a.clone()
            } else {
                b.clone()
            }
        }
        BinOp::UMax => {
            if a.ult(b) {
                b.clone()
            } else {
                a.clone()
            }
        }
        BinOp::SMin => {
            if a.slt(b) {
                a.clone()
            } else {
                b.clone()
            }
        }
        BinOp::SMax => {
            if a.slt(b) {
                b.clone()
            } else {
                a.clone()
            }
        }
        _ => return None,
    })
}

const BINARY: &[BinOp] = &[
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::UDiv,
    BinOp::SDiv,
    BinOp::URem,
    BinOp::SRem,
    BinOp::Shl,
    BinOp::LShr,
    BinOp::AShr,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::UMin,
    BinOp::UMax,
    BinOp::SMin,
    BinOp::SMax,
];

#[test]
fn binary_operations_agree_with_bit_vectors() {
    let mut rng = Rng(0x1234_5678_9abc_def1);
    for width in [1u16, 7, 8, 13, 32, 64, 100] {
        let values = samples(width, &mut rng);
        for &op in BINARY {
            for a in &values {
                for b in &values[..6] {
                    let expected = reference(op, a, b).expect("every listed operation is on integers");
                    assert_eq!(run_op(op.name(), width, width, a, b), expected, "{} {a} {b}", op.name());
                }
            }
        }
    }
}

#[test]
fn comparisons_and_overflows_agree_with_bit_vectors() {
    let mut rng = Rng(0xfeed_beef_1357_2468);
    let compare: &[(CmpOp, Predicate)] = &[
        (CmpOp::Eq, |a, b| a == b),
        (CmpOp::Ne, |a, b| a != b),
        (CmpOp::Ult, Bv::ult),
        (CmpOp::Ule, Bv::ule),
        (CmpOp::Ugt, Bv::ugt),
        (CmpOp::Uge, Bv::uge),
        (CmpOp::Slt, Bv::slt),
        (CmpOp::Sle, Bv::sle),
        (CmpOp::Sgt, Bv::sgt),
        (CmpOp::Sge, Bv::sge),
    ];
    let overflow: &[(OverflowOp, Predicate)] = &[
        (OverflowOp::SAdd, Bv::saddo),
        (OverflowOp::UAdd, Bv::uaddo),
        (OverflowOp::SSub, Bv::ssubo),
        (OverflowOp::USub, Bv::usubo),
        (OverflowOp::SMul, Bv::smulo),
        (OverflowOp::UMul, Bv::umulo),
    ];
    for width in [1u16, 8, 31, 64, 70] {
        let values = samples(width, &mut rng);
        for a in &values {
            for b in &values {
                for (op, expected) in compare {
                    assert_eq!(run_op(op.name(), width, 1, a, b), Bv::bool(expected(a, b)), "{} {a} {b}", op.name());
                }
                for (op, expected) in overflow {
                    assert_eq!(run_op(op.name(), width, 1, a, b), Bv::bool(expected(a, b)), "{} {a} {b}", op.name());
                }
            }
        }
    }
}
