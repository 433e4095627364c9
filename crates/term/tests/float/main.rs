//! Float circuits held against the CPU and against a plain model of IEEE 754: small formats exhaustively, the others on a sample.
//! `examples/float_long.rs` runs the same table on ten million operands each.

mod cases;
#[cfg(target_arch = "x86_64")]
mod cpu;
mod harness;
mod operands;
mod reference;

use blitz_base::Bv;
use blitz_term::float::{self, Format, RoundingMode};
use blitz_term::{Sort, Terms, dag_size};
use cases::Case;
use operands::{Kind, Random};

const SAMPLE: usize = 20_000;

#[test]
fn agrees_with_the_cpu() {
    for case in cases::cpu_cases() {
        // The reference has an independent check of its own in the small formats.
        let count = if case.name.contains("(reference)") { SAMPLE / 8 } else { SAMPLE };
        harness::random(&case, count, 1).unwrap();
    }
}

#[test]
fn half_and_bfloat_agree_with_the_reference() {
    for case in small_cases(Format::HALF).into_iter().chain(small_cases(Format::BFLOAT)) {
        harness::random(&case, SAMPLE / 4, 2).unwrap();
    }
}

/// The whole table for a format that the CPU does not compute in.
fn small_cases(f: Format) -> Vec<Case> {
    let mut cases = Vec::new();
    cases::reference_arithmetic(&mut cases, f, &RoundingMode::ALL);
    cases::reference_remainders(&mut cases, f);
    for rm in RoundingMode::ALL {
        cases::reference_fma(&mut cases, f, rm);
    }
    for width in [1, 3, 8, 20] {
        cases::reference_integers(&mut cases, f, width, &RoundingMode::ALL);
    }
    cases
}

#[test]
fn tiny_formats_are_right_on_all_operands() {
    for (exp_bits, sig_bits) in [(2, 2), (2, 4), (3, 3), (4, 2)] {
        let f = Format::ieee(exp_bits, sig_bits);
        for case in small_cases(f) {
            let bits: u16 = case.kinds.iter().map(|k| k.width()).sum();
            if bits <= 18 {
                harness::exhaustive(&case).unwrap();
            } else {
                harness::random(&case, SAMPLE / 4, 3).unwrap();
            }
        }
    }
}

#[test]
fn half_is_right_on_all_operands_of_one_argument_operations() {
    let mut cases = Vec::new();
    cases::reference_arithmetic(&mut cases, Format::HALF, &RoundingMode::ALL);
    cases.retain(|case| case.kinds.len() == 1);
    for to in [Format::SINGLE, Format::BFLOAT, Format::ieee(3, 5), Format::ieee(4, 12), Format::ieee(6, 4)] {
        cases::reference_conversion(&mut cases, Format::HALF, to, &RoundingMode::ALL);
    }
    for case in cases {
        harness::exhaustive(&case).unwrap();
    }
}

#[test]
fn constants_fold_to_the_exact_result() {
    for case in cases::cpu_cases() {
        harness::folding(&case, 40, 4).unwrap();
    }
}

#[test]
fn x87_remainder_folds_to_what_the_cpu_gives() {
    let f = Format::X87;
    let case = Case {
        name: "f80 remainder".into(),
        kinds: vec![Kind::Float(f); 2],
        build: Box::new(move |t, x| float::remainder(t, f, x[0], x[1])),
        oracle: Box::new(|x| cpu::remainder80(RoundingMode::NearestEven, x[0], x[1])),
        result: Some(f),
    };
    harness::folding(&case, 400, 5).unwrap();
}

#[test]
fn a_symbolic_rounding_mode_takes_every_mode() {
    let f = Format::HALF;
    let mut t = Terms::new();
    let (a, b) = (t.var("a", Sort::Bv(16)), t.var("b", Sort::Bv(16)));
    let mode = t.var("mode", Sort::Bv(3));
    let sum = float::add(&mut t, f, mode, a, b);
    let mut random = Random::new(6);
    for _ in 0..200 {
        let mut x = [0; 2];
        operands::operands(&mut random, &[Kind::Float(f); 2], &mut x);
        for rm in RoundingMode::ALL {
            let values = [(a, x[0]), (b, x[1]), (mode, u128::from(rm.code()))];
            assert_eq!(harness::evaluate(&t, &values, sum), reference::add(f, rm, x[0], x[1]), "{x:x?} {rm:?}");
        }
    }
}

/// By 1 and -1 there is no circuit: what comes out is the same, and doing it again changes nothing.
#[test]
fn by_one_is_what_the_circuit_gives() {
    let rm = RoundingMode::NearestEven;
    for f in [Format::HALF, Format::SINGLE, Format::X87, Format::HALF.with_nans(float::Nans::X86)] {
        let mut t = Terms::new();
        let (a, b) = (t.var("a", Sort::Bv(f.width())), t.var("b", Sort::Bv(f.width())));
        let general =
            [float::mul(&mut t, f, rm, a, b), float::mul(&mut t, f, rm, b, a), float::div(&mut t, f, rm, a, b)];
        for minus in [false, true] {
            let one = t.bv(2, 1);
            let one = float::from_uint(&mut t, f, rm, one);
            let one = if minus { float::neg(&mut t, f, one) } else { one };
            let value = t.as_const(one).expect("one should be a constant").limbs();
            let value = value.iter().rev().fold(0u128, |all, &limb| all << 64 | u128::from(limb));
            let special = [
                float::mul(&mut t, f, rm, a, one),
                float::mul(&mut t, f, rm, one, a),
                float::div(&mut t, f, rm, a, one),
            ];
            // The leading bit that x87 has in memory depends on the exponent again, the sign of x86's NaNs on what was a NaN.
            if !minus && f != Format::X87 && f.nans() == float::Nans::Positive {
                let again = float::div(&mut t, f, rm, special[2], one);
                assert_eq!(float::div(&mut t, f, rm, again, one), again, "{f:?}");
            }
            let mut random = Random::new(8);
            for _ in 0..200 {
                let mut x = [0];
                operands::operands(&mut random, &[Kind::Float(f)], &mut x);
                for (general, special) in general.into_iter().zip(special) {
                    let expected = harness::evaluate(&t, &[(a, x[0]), (b, value)], general);
                    assert_eq!(harness::evaluate(&t, &[(a, x[0])], special), expected, "{f:?} {x:x?}");
                }
            }
        }
    }
}

#[test]
fn an_unspecified_conversion_is_a_function_of_its_arguments() {
    let f = Format::HALF;
    let mut t = Terms::new();
    let nan = float::nan(&mut t, f);
    let other_nan = t.bv(16, 0xfe01);
    let a = float::to_uint_unspecified(&mut t, f, RoundingMode::Zero, nan, 8);
    let b = float::to_uint_unspecified(&mut t, f, RoundingMode::Zero, other_nan, 8);
    let c = float::to_uint_unspecified(&mut t, f, RoundingMode::Up, nan, 8);
    assert!(!t.is_const(a), "any value should be possible");
    assert_eq!(a, b, "there is one NaN");
    assert_ne!(a, c);
    let two = t.bv(16, 0x4000);
    let d = float::to_uint_unspecified(&mut t, f, RoundingMode::Up, two, 8);
    assert_eq!(t.as_u64(d), Some(2));
}

/// Terms of a circuit, nearest even. They may shrink; that they don't grow is what keeps formulas small.
#[test]
fn circuits_stay_small() {
    let rm = RoundingMode::NearestEven;
    for (f, limits) in
        [(Format::SINGLE, [200, 260, 490, 410, 460, 1340]), (Format::DOUBLE, [220, 290, 770, 775, 510, 3360])]
    {
        let mut t = Terms::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| t.var(name, Sort::Bv(f.width())));
        let circuits = [
            float::add(&mut t, f, rm, a, b),
            float::mul(&mut t, f, rm, a, b),
            float::div(&mut t, f, rm, a, b),
            float::sqrt(&mut t, f, rm, a),
            float::fma(&mut t, f, rm, a, b, c),
            float::fmod(&mut t, f, a, b),
        ];
        let sizes = circuits.map(|circuit| dag_size(&t, &[circuit]));
        for (size, limit) in sizes.into_iter().zip(limits) {
            assert!(size <= limit, "{} terms: {sizes:?} should be at most {limits:?}", cases::label(f));
        }
    }
}

/// No CPU has these. Where a sum in a format far wider comes out exact, one rounding of that is the answer.
#[test]
fn wide_fused_multiply_add_rounds_the_exact_sum_once() {
    let wide = Format::ieee(20, 600);
    let mut random = Random::new(8);
    let mut exact = 0;
    for f in [Format::X87, Format::QUAD] {
        for _ in 0..300 {
            let mut t = Terms::new();
            let mut x = [0; 3];
            operands::operands(&mut random, &[Kind::Float(f); 3], &mut x);
            let x = x.map(|x| t.bv_const(Bv::from_u128(f.width(), x)));
            let w = x.map(|x| float::convert(&mut t, f, wide, RoundingMode::Zero, x));
            let product = float::mul(&mut t, wide, RoundingMode::Zero, w[0], w[1]);
            let sum = float::add(&mut t, wide, RoundingMode::Zero, product, w[2]);
            if sum != float::add(&mut t, wide, RoundingMode::Up, product, w[2])
                || sum != float::add(&mut t, wide, RoundingMode::Down, product, w[2])
            {
                continue;
            }
            exact += 1;
            for rm in [RoundingMode::NearestEven, RoundingMode::NearestAway, RoundingMode::Up, RoundingMode::Zero] {
                let once = float::convert(&mut t, wide, f, rm, sum);
                assert_eq!(float::fma(&mut t, f, rm, x[0], x[1], x[2]), once, "{x:x?} {rm:?}");
            }
        }
    }
    assert!(exact > 100, "{exact} exact sums should be enough");
}

#[test]
fn quad_folds_like_double_where_it_is_exact() {
    let (from, to) = (Format::DOUBLE, Format::QUAD);
    let rm = RoundingMode::NearestEven;
    let case = Case {
        name: "f64 product through f128".into(),
        kinds: vec![Kind::Float(from); 2],
        build: Box::new(move |t, x| {
            let (a, b) = (float::convert(t, from, to, rm, x[0]), float::convert(t, from, to, rm, x[1]));
            let product = float::mul(t, to, rm, a, b);
            float::convert(t, to, from, rm, product)
        }),
        oracle: Box::new(|x| cpu::mul64(RoundingMode::NearestEven, x[0], x[1])),
        result: Some(from),
    };
    harness::folding(&case, 400, 7).unwrap();
}
