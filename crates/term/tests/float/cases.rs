//! The table of everything that is held against the CPU or the reference: how the circuit is built, and who knows the answer.

use crate::operands::Kind;
use crate::{cpu, reference};
use blitz_term::float::{self, Encoding, Format, Nans, RoundingMode};
use blitz_term::{Term, Terms};

type Build = Box<dyn Fn(&mut Terms, &[Term]) -> Term + Send + Sync>;
type Oracle = Box<dyn Fn(&[u128]) -> u128 + Send + Sync>;

/// One operation in one format and mode.
pub struct Case {
    pub name: String,
    pub kinds: Vec<Kind>,
    pub build: Build,
    pub oracle: Oracle,
    /// The format of the result, if it is a float: then any NaN of the oracle stands for the canonical one.
    pub result: Option<Format>,
}

impl Case {
    /// Whether the circuit's answer is the oracle's.
    pub fn agrees(&self, circuit: u128, oracle: u128) -> bool {
        match self.result {
            Some(f) if is_nan(f, oracle) => match f.nans() {
                Nans::Positive => circuit == canonical_nan(f),
                Nans::X86 => circuit == canonical_nan(f) | oracle & 1 << (f.width() - 1),
            },
            Some(_) | None => circuit == oracle,
        }
    }
}

/// The name of a format.
pub fn label(f: Format) -> String {
    match f.with_nans(Nans::Positive) {
        Format::HALF => "f16".into(),
        Format::BFLOAT => "bf16".into(),
        Format::SINGLE => "f32".into(),
        Format::DOUBLE => "f64".into(),
        Format::QUAD => "f128".into(),
        Format::X87 => "f80".into(),
        _ => format!("f{}_{}", f.exp_bits(), f.sig_bits()),
    }
}

pub fn canonical_nan(f: Format) -> u128 {
    match f.encoding() {
        Encoding::Implicit => reference::nan(f),
        Encoding::Explicit => 0x7fff << 64 | 3 << 62,
    }
}

pub fn is_nan(f: Format, x: u128) -> bool {
    match f.encoding() {
        Encoding::Implicit => reference::decode(f, x) == reference::Value::Nan,
        Encoding::Explicit => {
            let (exp, sig) = (x >> 64 & 0x7fff, x as u64);
            exp == 0x7fff && sig != 1 << 63 || exp != 0 && sig >> 63 == 0
        }
    }
}

/// The modes that the CPU has.
const CPU_MODES: [RoundingMode; 4] =
    [RoundingMode::NearestEven, RoundingMode::Up, RoundingMode::Down, RoundingMode::Zero];

type Unary = fn(&mut Terms, Format, RoundingMode, Term) -> Term;
type Binary = fn(&mut Terms, Format, RoundingMode, Term, Term) -> Term;
type CpuUnary = fn(RoundingMode, u128) -> u128;
type CpuBinary = fn(RoundingMode, u128, u128) -> u128;
type CpuTernary = fn(RoundingMode, u128, u128, u128) -> u128;
type RefUnary = fn(Format, RoundingMode, u128) -> u128;
type RefBinary = fn(Format, RoundingMode, u128, u128) -> u128;

const UNARY: [(&str, Unary, RefUnary); 2] =
    [("sqrt", float::sqrt, reference::sqrt), ("rint", float::round_to_integral, reference::round_to_integral)];

const BINARY: [(&str, Binary, RefBinary); 4] = [
    ("add", float::add, reference::add),
    ("sub", float::sub, reference::sub),
    ("mul", float::mul, reference::mul),
    ("div", float::div, reference::div),
];

fn case(name: String, kinds: Vec<Kind>, result: Option<Format>, build: Build, oracle: Oracle) -> Case {
    Case { name, kinds, build, oracle, result }
}

/// Everything about the formats that the CPU computes in.
pub fn cpu_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    arithmetic(
        &mut cases,
        Format::SINGLE,
        [cpu::sqrt32, cpu::rint32],
        [cpu::add32, cpu::sub32, cpu::mul32, cpu::div32],
    );
    arithmetic(
        &mut cases,
        Format::DOUBLE,
        [cpu::sqrt64, cpu::rint64],
        [cpu::add64, cpu::sub64, cpu::mul64, cpu::div64],
    );
    arithmetic(&mut cases, Format::X87, [cpu::sqrt80, cpu::rint80], [cpu::add80, cpu::sub80, cpu::mul80, cpu::div80]);
    if cpu::has_fma_and_f16c() {
        fused(&mut cases, Format::SINGLE, cpu::fma32);
        fused(&mut cases, Format::DOUBLE, cpu::fma64);
        conversion(&mut cases, Format::HALF, Format::SINGLE, cpu::f16_to_f32);
        conversion(&mut cases, Format::SINGLE, Format::HALF, cpu::f32_to_f16);
    }
    x86_nans(&mut cases);
    remainders(&mut cases);
    conversions(&mut cases);
    integers(&mut cases);
    cases.push(comparisons(Format::SINGLE, |a, b| f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32))));
    cases.push(comparisons(Format::DOUBLE, |a, b| f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64))));
    cases.push(comparisons(Format::X87, cpu::compare80));
    cases.push(classes(Format::SINGLE, |x| f32::from_bits(x as u32).classify()));
    cases.push(classes(Format::DOUBLE, |x| f64::from_bits(x as u64).classify()));
    cases.push(classes(Format::X87, x87_class));
    for f in [Format::SINGLE, Format::DOUBLE, Format::X87] {
        signs_and_extremes(&mut cases, f);
    }
    cases
}

/// The signs of NaNs, where the CPU's rule is that of `Nans::X86`.
fn x86_nans(cases: &mut Vec<Case>) {
    let (single, double) = (Format::SINGLE.with_nans(Nans::X86), Format::DOUBLE.with_nans(Nans::X86));
    let rm = RoundingMode::NearestEven;
    let rows: [(Format, [CpuUnary; 2], [CpuBinary; 4]); 2] = [
        (single, [cpu::sqrt32, cpu::rint32], [cpu::add32, cpu::sub32, cpu::mul32, cpu::div32]),
        (double, [cpu::sqrt64, cpu::rint64], [cpu::add64, cpu::sub64, cpu::mul64, cpu::div64]),
    ];
    for (f, unary, binary) in rows {
        for ((name, build, _), oracle) in UNARY.into_iter().zip(unary) {
            let build: Build = Box::new(move |t, x| build(t, f, rm, x[0]));
            let oracle: Oracle = Box::new(move |x| oracle(rm, x[0]));
            cases.push(case(format!("{} {name} NaNs", label(f)), vec![Kind::Float(f)], Some(f), build, oracle));
        }
        for ((name, build, _), oracle) in BINARY.into_iter().zip(binary) {
            let build: Build = Box::new(move |t, x| build(t, f, rm, x[0], x[1]));
            let oracle: Oracle = Box::new(move |x| oracle(rm, x[0], x[1]));
            cases.push(case(format!("{} {name} NaNs", label(f)), vec![Kind::Float(f); 2], Some(f), build, oracle));
        }
    }
    let rows: [(Format, Format, CpuUnary); 2] = [(single, double, cpu::f32_to_f64), (double, single, cpu::f64_to_f32)];
    for (from, to, oracle) in rows {
        let name = format!("{} to {} NaNs", label(from), label(to));
        let build: Build = Box::new(move |t, x| float::convert(t, from, to, rm, x[0]));
        cases.push(case(name, vec![Kind::Float(from)], Some(to), build, Box::new(move |x| oracle(rm, x[0]))));
    }
}

fn x87_class(x: u128) -> std::num::FpCategory {
    use std::num::FpCategory as C;
    match cpu::examine80(x) {
        0 | 1 => C::Nan,
        2 => C::Normal,
        3 => C::Infinite,
        4 => C::Zero,
        // A pseudo-denormal is the normal number that it spells.
        6 if x >> 63 & 1 == 1 => C::Normal,
        6 => C::Subnormal,
        other => panic!("fxam should not give {other}"),
    }
}

fn arithmetic(cases: &mut Vec<Case>, f: Format, unary: [CpuUnary; 2], binary: [CpuBinary; 4]) {
    let kind = Kind::Float(f);
    for rm in CPU_MODES {
        for ((name, build, _), oracle) in UNARY.into_iter().zip(unary) {
            let name = format!("{} {name} {rm:?}", label(f));
            let build: Build = Box::new(move |t, x| build(t, f, rm, x[0]));
            cases.push(case(name, vec![kind], Some(f), build, Box::new(move |x| oracle(rm, x[0]))));
        }
        for ((name, build, _), oracle) in BINARY.into_iter().zip(binary) {
            let name = format!("{} {name} {rm:?}", label(f));
            let build: Build = Box::new(move |t, x| build(t, f, rm, x[0], x[1]));
            cases.push(case(name, vec![kind; 2], Some(f), build, Box::new(move |x| oracle(rm, x[0], x[1]))));
        }
    }
    if f != Format::X87 {
        reference_arithmetic(cases, f, &[RoundingMode::NearestAway]);
    }
}

fn fused(cases: &mut Vec<Case>, f: Format, oracle: CpuTernary) {
    for rm in CPU_MODES {
        let build: Build = Box::new(move |t, x| float::fma(t, f, rm, x[0], x[1], x[2]));
        let oracle: Oracle = Box::new(move |x| oracle(rm, x[0], x[1], x[2]));
        cases.push(case(format!("{} fma {rm:?}", label(f)), vec![Kind::Float(f); 3], Some(f), build, oracle));
    }
    reference_fma(cases, f, RoundingMode::NearestAway);
}

/// Arithmetic held against the reference.
pub fn reference_arithmetic(cases: &mut Vec<Case>, f: Format, modes: &[RoundingMode]) {
    let kind = Kind::Float(f);
    for &rm in modes {
        for (name, build, oracle) in UNARY {
            let name = format!("{} {name} {rm:?} (reference)", label(f));
            let build: Build = Box::new(move |t, x| build(t, f, rm, x[0]));
            cases.push(case(name, vec![kind], Some(f), build, Box::new(move |x| oracle(f, rm, x[0]))));
        }
        for (name, build, oracle) in BINARY {
            let name = format!("{} {name} {rm:?} (reference)", label(f));
            let build: Build = Box::new(move |t, x| build(t, f, rm, x[0], x[1]));
            cases.push(case(name, vec![kind; 2], Some(f), build, Box::new(move |x| oracle(f, rm, x[0], x[1]))));
        }
    }
}

/// Fused multiply-add held against the reference.
pub fn reference_fma(cases: &mut Vec<Case>, f: Format, rm: RoundingMode) {
    let name = format!("{} fma {rm:?} (reference)", label(f));
    let build: Build = Box::new(move |t, x| float::fma(t, f, rm, x[0], x[1], x[2]));
    let oracle: Oracle = Box::new(move |x| reference::fma(f, rm, x[0], x[1], x[2]));
    cases.push(case(name, vec![Kind::Float(f); 3], Some(f), build, oracle));
}

/// Remainders held against the reference.
pub fn reference_remainders(cases: &mut Vec<Case>, f: Format) {
    let kinds = vec![Kind::Float(f); 2];
    let build: Build = Box::new(move |t, x| float::fmod(t, f, x[0], x[1]));
    let oracle: Oracle = Box::new(move |x| reference::fmod(f, x[0], x[1]));
    cases.push(case(format!("{} fmod (reference)", label(f)), kinds.clone(), Some(f), build, oracle));
    let build: Build = Box::new(move |t, x| float::remainder(t, f, x[0], x[1]));
    let oracle: Oracle = Box::new(move |x| reference::remainder(f, x[0], x[1]));
    cases.push(case(format!("{} remainder (reference)", label(f)), kinds, Some(f), build, oracle));
}

fn remainders(cases: &mut Vec<Case>) {
    let fmod32: CpuBinary = |_, a, b| u128::from((f32::from_bits(a as u32) % f32::from_bits(b as u32)).to_bits());
    let fmod64: CpuBinary = |_, a, b| u128::from((f64::from_bits(a as u64) % f64::from_bits(b as u64)).to_bits());
    let rows: [(Format, CpuBinary, CpuBinary); 3] = [
        (Format::SINGLE, fmod32, cpu::remainder32),
        (Format::DOUBLE, fmod64, cpu::remainder64),
        (Format::X87, cpu::fmod80, cpu::remainder80),
    ];
    for (f, fmod, remainder) in rows {
        let kinds = vec![Kind::Float(f); 2];
        let build: Build = Box::new(move |t, x| float::fmod(t, f, x[0], x[1]));
        let oracle: Oracle = Box::new(move |x| fmod(RoundingMode::NearestEven, x[0], x[1]));
        cases.push(case(format!("{} fmod", label(f)), kinds.clone(), Some(f), build, oracle));
        if f == Format::X87 {
            // 129 bits in between: more than a batch takes. `tests/float/main.rs` folds constants instead.
            continue;
        }
        let build: Build = Box::new(move |t, x| float::remainder(t, f, x[0], x[1]));
        let oracle: Oracle = Box::new(move |x| remainder(RoundingMode::NearestEven, x[0], x[1]));
        cases.push(case(format!("{} remainder", label(f)), kinds, Some(f), build, oracle));
    }
}

fn conversion(cases: &mut Vec<Case>, from: Format, to: Format, oracle: CpuUnary) {
    for rm in CPU_MODES {
        let name = format!("{} to {} {rm:?}", label(from), label(to));
        let build: Build = Box::new(move |t, x| float::convert(t, from, to, rm, x[0]));
        cases.push(case(name, vec![Kind::Float(from)], Some(to), build, Box::new(move |x| oracle(rm, x[0]))));
    }
}

/// A conversion held against the reference.
pub fn reference_conversion(cases: &mut Vec<Case>, from: Format, to: Format, modes: &[RoundingMode]) {
    for &rm in modes {
        let name = format!("{} to {} {rm:?} (reference)", label(from), label(to));
        let build: Build = Box::new(move |t, x| float::convert(t, from, to, rm, x[0]));
        let oracle: Oracle = Box::new(move |x| reference::convert(from, to, rm, x[0]));
        cases.push(case(name, vec![Kind::Float(from)], Some(to), build, oracle));
    }
}

fn conversions(cases: &mut Vec<Case>) {
    conversion(cases, Format::SINGLE, Format::DOUBLE, cpu::f32_to_f64);
    conversion(cases, Format::DOUBLE, Format::SINGLE, cpu::f64_to_f32);
    conversion(cases, Format::SINGLE, Format::X87, cpu::f32_to_f80);
    conversion(cases, Format::DOUBLE, Format::X87, cpu::f64_to_f80);
    conversion(cases, Format::X87, Format::SINGLE, cpu::f80_to_f32);
    conversion(cases, Format::X87, Format::DOUBLE, cpu::f80_to_f64);
    let all = &RoundingMode::ALL;
    reference_conversion(cases, Format::SINGLE, Format::BFLOAT, all);
    reference_conversion(cases, Format::BFLOAT, Format::SINGLE, all);
    reference_conversion(cases, Format::DOUBLE, Format::HALF, all);
    reference_conversion(cases, Format::DOUBLE, Format::BFLOAT, all);
    reference_conversion(cases, Format::BFLOAT, Format::HALF, all);
    reference_conversion(cases, Format::HALF, Format::BFLOAT, all);
    reference_conversion(cases, Format::HALF, Format::DOUBLE, all);
}

fn integers(cases: &mut Vec<Case>) {
    let to: [(Format, u16, CpuUnary); 7] = [
        (Format::SINGLE, 32, cpu::f32_to_i32),
        (Format::SINGLE, 64, cpu::f32_to_i64),
        (Format::DOUBLE, 32, cpu::f64_to_i32),
        (Format::DOUBLE, 64, cpu::f64_to_i64),
        (Format::X87, 16, cpu::f80_to_i16),
        (Format::X87, 32, cpu::f80_to_i32),
        (Format::X87, 64, cpu::f80_to_i64),
    ];
    let from: [(u16, Format, CpuUnary); 6] = [
        (32, Format::SINGLE, cpu::i32_to_f32),
        (64, Format::SINGLE, cpu::i64_to_f32),
        (32, Format::DOUBLE, cpu::i32_to_f64),
        (64, Format::DOUBLE, cpu::i64_to_f64),
        (32, Format::X87, cpu::i32_to_f80),
        (64, Format::X87, cpu::i64_to_f80),
    ];
    for rm in CPU_MODES {
        for (f, width, oracle) in to {
            let name = format!("{} to i{width} {rm:?}", label(f));
            let build: Build = Box::new(move |t, x| float::to_sint(t, f, rm, x[0], width));
            cases.push(case(name, vec![Kind::Float(f)], None, build, Box::new(move |x| oracle(rm, x[0]))));
        }
        for (width, f, oracle) in from {
            let name = format!("i{width} to {} {rm:?}", label(f));
            let build: Build = Box::new(move |t, x| float::from_sint(t, f, rm, x[0]));
            cases.push(case(name, vec![Kind::Int(width)], Some(f), build, Box::new(move |x| oracle(rm, x[0]))));
        }
    }
    for f in [Format::SINGLE, Format::DOUBLE] {
        for width in [1, 8, 16, 32, 53, 64] {
            reference_integers(cases, f, width, &RoundingMode::ALL);
        }
    }
}

/// Conversions from and to integers held against the reference.
pub fn reference_integers(cases: &mut Vec<Case>, f: Format, width: u16, modes: &[RoundingMode]) {
    for &rm in modes {
        let mut push = |name: &str, kind, result, build: Build, oracle: Oracle| {
            let name = format!("{} {name}{width} {rm:?} (reference)", label(f));
            cases.push(case(name, vec![kind], result, build, oracle));
        };
        let build: Build = Box::new(move |t, x| {
            let r = float::to_sint_checked(t, f, rm, x[0], width);
            checked(t, r, width)
        });
        let oracle: Oracle =
            Box::new(move |x| to_int(f, rm, x[0], width, -(1i128 << (width - 1)), (1 << (width - 1)) - 1));
        push("to i", Kind::Float(f), None, build, oracle);
        let build: Build = Box::new(move |t, x| {
            let r = float::to_uint_checked(t, f, rm, x[0], width);
            checked(t, r, width)
        });
        let oracle: Oracle = Box::new(move |x| to_int(f, rm, x[0], width, 0, (1 << width) - 1));
        push("to u", Kind::Float(f), None, build, oracle);
        let build: Build = Box::new(move |t, x| float::from_sint(t, f, rm, x[0]));
        let shift = 128 - u32::from(width);
        let oracle: Oracle = Box::new(move |x| reference::from_int(f, rm, (x[0] << shift) as i128 >> shift));
        push("from i", Kind::Int(width), Some(f), build, oracle);
        let build: Build = Box::new(move |t, x| float::from_uint(t, f, rm, x[0]));
        let oracle: Oracle = Box::new(move |x| reference::from_int(f, rm, x[0] as i128));
        push("from u", Kind::Int(width), Some(f), build, oracle);
    }
}

/// Validity above the value, which is zero where not valid.
fn checked(t: &mut Terms, r: float::IntResult, width: u16) -> Term {
    let zero = t.bv(width, 0);
    let value = t.ite(r.valid, r.value, zero);
    t.concat(r.valid, value)
}

fn to_int(f: Format, rm: RoundingMode, x: u128, width: u16, least: i128, most: i128) -> u128 {
    match reference::to_int(f, rm, x) {
        Some(value) if (least..=most).contains(&value) => 1 << width | value as u128 & ((1 << width) - 1),
        Some(_) | None => 0,
    }
}

type Predicate = fn(&mut Terms, Format, Term, Term) -> Term;

/// All comparisons with what they say for less, equal, greater and unordered.
const PREDICATES: [(Predicate, [bool; 4]); 14] = [
    (float::oeq, [false, true, false, false]),
    (float::ogt, [false, false, true, false]),
    (float::oge, [false, true, true, false]),
    (float::olt, [true, false, false, false]),
    (float::ole, [true, true, false, false]),
    (float::one, [true, false, true, false]),
    (float::ord, [true, true, true, false]),
    (float::ueq, [false, true, false, true]),
    (float::ugt, [false, false, true, true]),
    (float::uge, [false, true, true, true]),
    (float::ult, [true, false, false, true]),
    (float::ule, [true, true, false, true]),
    (float::une, [true, false, true, true]),
    (float::uno, [false, false, false, true]),
];

fn bits(t: &mut Terms, bits: Vec<Term>) -> Term {
    bits.into_iter().reduce(|high, low| t.concat(high, low)).expect("there should be a bit")
}

fn number(bits: impl IntoIterator<Item = bool>) -> u128 {
    bits.into_iter().fold(0, |n, bit| n << 1 | u128::from(bit))
}

/// All predicates at once, one bit each.
pub fn comparisons(f: Format, oracle: fn(u128, u128) -> Option<std::cmp::Ordering>) -> Case {
    let build: Build = Box::new(move |t, x| {
        let all = PREDICATES.map(|(predicate, _)| predicate(t, f, x[0], x[1]));
        bits(t, all.to_vec())
    });
    let oracle: Oracle = Box::new(move |x| {
        let column = oracle(x[0], x[1]).map_or(3, |order| (order as i8 + 1) as usize);
        number(PREDICATES.map(|(_, row)| row[column]))
    });
    case(format!("{} compare", label(f)), vec![Kind::Float(f); 2], None, build, oracle)
}

/// All classifications at once, one bit each.
pub fn classes(f: Format, oracle: fn(u128) -> std::num::FpCategory) -> Case {
    use std::num::FpCategory as C;
    let build: Build = Box::new(move |t, x| {
        let x = x[0];
        let all = [
            float::is_nan(t, f, x),
            float::is_inf(t, f, x),
            float::is_zero(t, f, x),
            float::is_subnormal(t, f, x),
            float::is_normal(t, f, x),
            float::is_finite(t, f, x),
            float::is_negative(t, f, x),
            float::is_positive(t, f, x),
            float::sign(t, f, x),
        ];
        bits(t, all.to_vec())
    });
    let oracle: Oracle = Box::new(move |x| {
        let (class, sign) = (oracle(x[0]), x[0] >> (f.width() - 1) & 1 == 1);
        let kinds = [C::Nan, C::Infinite, C::Zero, C::Subnormal, C::Normal].map(|c| c == class);
        let nan = class == C::Nan;
        number(kinds) << 4 | number([!nan && class != C::Infinite, !nan && sign, !nan && !sign, sign])
    });
    case(format!("{} classify", label(f)), vec![Kind::Float(f)], None, build, oracle)
}

type Pick = fn(&mut Terms, Format, Term, Term) -> Term;

fn signs_and_extremes(cases: &mut Vec<Case>, f: Format) {
    let top = 1u128 << (f.width() - 1);
    let kinds = vec![Kind::Float(f); 2];
    let build: Build = Box::new(move |t, x| {
        let copied = float::copysign(t, f, x[0], x[1]);
        let negated = float::neg(t, f, copied);
        let difference = t.xor(negated, x[0]);
        float::abs(t, f, difference)
    });
    cases.push(case(format!("{} signs", label(f)), kinds.clone(), None, build, Box::new(|_| 0)));
    let build: Build = Box::new(move |t, x| {
        let copied = float::copysign(t, f, x[0], x[1]);
        float::neg(t, f, copied)
    });
    let oracle: Oracle = Box::new(move |x| x[0] & (top - 1) | (x[1] & top ^ top));
    cases.push(case(format!("{} copysign", label(f)), kinds.clone(), None, build, oracle));
    let rows: [(&str, Pick, bool, bool); 4] = [
        ("min", float::min, true, false),
        ("max", float::max, false, false),
        ("minimum", float::minimum, true, true),
        ("maximum", float::maximum, false, true),
    ];
    for (name, build, least, propagate) in rows {
        let build: Build = Box::new(move |t, x| build(t, f, x[0], x[1]));
        let oracle: Oracle = Box::new(move |x| extreme(f, x[0], x[1], least, propagate));
        cases.push(case(format!("{} {name}", label(f)), kinds.clone(), Some(f), build, oracle));
    }
}

/// The smaller or larger by the order of the bits; pseudo-denormals equal to a normal number count as that.
fn extreme(f: Format, a: u128, b: u128, least: bool, propagate: bool) -> u128 {
    match (is_nan(f, a), is_nan(f, b)) {
        (true, true) => return canonical_nan(f),
        (true, false) | (false, true) if propagate => return canonical_nan(f),
        (true, false) => return b,
        (false, true) => return a,
        (false, false) => {}
    }
    let key = |x: u128| {
        let mag = (x & ((1 << (f.width() - 1)) - 1)) as i128;
        let pseudo = f == Format::X87 && mag >> 63 == 1;
        let mag = if pseudo { mag + (1 << 64) } else { mag };
        if x >> (f.width() - 1) == 1 { -mag - 1 } else { mag }
    };
    let first = if least { key(a) < key(b) } else { key(a) > key(b) };
    if first { a } else { b }
}
