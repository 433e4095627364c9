//! The software floats against the CPU's singles and doubles, bit by bit.

use super::*;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Numbers near each other, special ones, and any bits.
    fn double(&mut self) -> f64 {
        let special = [0.0, -0.0, 1.0, -1.5, f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324, f64::MAX, 0.5, 2.5];
        match self.next() % 4 {
            0 => special[(self.next() % special.len() as u64) as usize],
            1 => f64::from_bits(self.next()),
            2 => (self.next() as i32) as f64 / 16.0,
            _ => f64::from_bits(self.next() >> 12 | (1000 + self.next() % 50) << 52 | self.next() << 63),
        }
    }
}

fn double(x: f64) -> Num {
    unpack(DOUBLE, &Bv::from_u64(64, x.to_bits()))
}

/// The same bits; any NaN is as good as another.
fn same(name: &str, result: &Num, expected: f64, inputs: &[f64]) {
    let bits = pack(DOUBLE, result);
    let got = f64::from_bits(bits.to_u64().expect("a double has 64 bits"));
    let equal = got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan();
    assert!(equal, "{name} {inputs:?}: {got:e} instead of {expected:e}");
}

#[test]
fn doubles_agree_with_the_cpu() {
    let mut rng = Rng(88_172_645_463_325_252);
    for _ in 0..4_000 {
        let (x, y, z) = (rng.double(), rng.double(), rng.double());
        let (a, b, c) = (double(x), double(y), double(z));
        same("add", &add(&a, &b), x + y, &[x, y]);
        same("sub", &add(&a, &negated(&b)), x - y, &[x, y]);
        same("mul", &mul(&a, &b), x * y, &[x, y]);
        same("div", &div(&a, &b), x / y, &[x, y]);
        same("rem", &rem(&a, &b), x % y, &[x, y]);
        same("fma", &fused(&a, &b, &c), x.mul_add(y, z), &[x, y, z]);
        same("floor", &integral(Integral::Floor, &a), x.floor(), &[x]);
        same("ceil", &integral(Integral::Ceil, &a), x.ceil(), &[x]);
        same("trunc", &integral(Integral::Trunc, &a), x.trunc(), &[x]);
        same("even", &integral(Integral::NearestEven, &a), x.round_ties_even(), &[x]);
        same("away", &integral(Integral::NearestAway, &a), x.round(), &[x]);
        assert_eq!(order(&a, &b), x.partial_cmp(&y), "{x} {y}");
        let single = pack(SINGLE, &a);
        assert!(x.is_nan() || single.to_u64() == Some(u64::from((x as f32).to_bits())), "single of {x:e}");
    }
}

#[test]
fn square_roots_agree_with_the_cpu() {
    let mut rng = Rng(42_424_242);
    for _ in 0..500 {
        let x = rng.double();
        same("sqrt", &sqrt(&double(x)), x.sqrt(), &[x]);
    }
}

#[test]
fn every_half_survives_a_round_trip() {
    for bits in 0..=0xffffu64 {
        let packed = Bv::from_u64(16, bits);
        for format in [HALF, BFLOAT] {
            let num = unpack(format, &packed);
            assert!(num.is_nan() || pack(format, &num) == packed, "{bits:#x}");
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x87 {
    use super::*;

    /// One x87 instruction on two numbers, the second on top of the stack.
    macro_rules! x87_op {
        ($name:ident, $op:literal) => {
            fn $name(a: &[u8; 16], b: &[u8; 16]) -> [u8; 16] {
                let mut out = [0u8; 16];
                // SAFETY: loads two numbers, combines them, stores and pops the result; the x87 stack ends as it began.
                unsafe {
                    std::arch::asm!(
                        "fld tbyte ptr [{a}]",
                        "fld tbyte ptr [{b}]",
                        $op,
                        "fstp tbyte ptr [{out}]",
                        a = in(reg) a.as_ptr(), b = in(reg) b.as_ptr(), out = in(reg) out.as_mut_ptr(),
                        out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                        out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                    );
                }
                out
            }
        };
    }

    x87_op!(fadd, "faddp st(1), st");
    x87_op!(fmul, "fmulp st(1), st");
    x87_op!(fdiv, "fdivp st(1), st");

    fn number(rng: &mut Rng) -> Bv {
        let exp = match rng.next() % 3 {
            0 => rng.next() % 0x7fff,
            1 => 16383 - 40 + rng.next() % 80,
            _ => rng.next() % 3,
        };
        let sig = if exp == 0 { rng.next() >> 1 } else { rng.next() | 1 << 63 };
        Bv::from_u128(80, u128::from(sig) | u128::from(exp | (rng.next() & 1) << 15) << 64)
    }

    fn bytes(x: &Bv) -> [u8; 16] {
        x.to_u128().expect("80 bits fit in 128").to_le_bytes()
    }

    #[test]
    fn long_doubles_agree_with_the_cpu() {
        type Native = fn(&[u8; 16], &[u8; 16]) -> [u8; 16];
        type Soft = fn(&Num, &Num) -> Num;
        let ops: [(Native, Soft); 3] = [(fadd, add), (fmul, mul), (fdiv, div)];
        let mut rng = Rng(987_654_321);
        for _ in 0..2_000 {
            let (a, b) = (number(&mut rng), number(&mut rng));
            for (i, (native, soft)) in ops.iter().enumerate() {
                let expected = u128::from_le_bytes(native(&bytes(&a), &bytes(&b))) & ((1 << 80) - 1);
                let got = pack(X87, &soft(&unpack(X87, &a), &unpack(X87, &b)));
                assert_eq!(got, Bv::from_u128(80, expected), "operation {i} on {a} and {b}");
            }
        }
    }
}

#[test]
fn integers_go_to_floats_and_back() {
    let mut rng = Rng(777);
    for _ in 0..2_000 {
        let x = rng.next();
        let num = from_int(false, &Bv::from_u64(64, x));
        same("uitof", &num, x as f64, &[]);
        let back = to_int(&num, 64).expect("it has at most 64 bits");
        assert_eq!(back.1.to_u64(), Some(x));
    }
    assert_eq!(to_int(&double(-0.75), 8).map(|(sign, m)| (sign, m.to_u64())), Some((true, Some(0))));
    assert!(to_int(&double(1e30), 64).is_none());
}

#[test]
fn conversions_by_the_cpu_are_those_in_software() {
    use crate::float;
    use blitz_ir::FloatKind;
    let mut rng = Rng(31_337);
    for _ in 0..3_000 {
        let n = Bv::from_u64(64, rng.next() >> (rng.next() % 64));
        for (kind, format) in [(FloatKind::Double, DOUBLE), (FloatKind::Single, SINGLE)] {
            assert_eq!(float::from_unsigned(kind, &n), pack(format, &from_int(false, &n)), "{n}");
            assert_eq!(float::from_signed(kind, &n), pack(format, &from_int(n.sign(), &n.abs())), "{n}");
        }
        let x = rng.double();
        let bits = Bv::from_u64(64, x.to_bits());
        assert_eq!(
            float::to_signed(FloatKind::Double, &bits, 64).to_i64(),
            Some(if x.is_nan() || x.abs() >= 2f64.powi(63) { i64::MIN } else { x as i64 }),
            "{x:e}"
        );
        assert_eq!(
            float::to_signed(FloatKind::Double, &bits, 32).to_i64(),
            Some(if x.trunc().abs() <= 2147483647.0 { x as i64 } else { i64::from(i32::MIN) }),
            "{x:e}"
        );
    }
}

/// The product of two singles is exact as a double: rounded down and up it lies between, and these are neighbours.
#[test]
fn directed_roundings_are_the_neighbours() {
    let mut rng = Rng(88_172_645_463_325_252);
    let single = |x: f32| unpack(SINGLE, &Bv::from_u64(32, u64::from(x.to_bits())));
    let packed =
        |mode, n: &Num| f32::from_bits(pack_in(SINGLE, mode, n).to_u64().expect("a single has 32 bits") as u32);
    for _ in 0..20_000 {
        let (a, b) = (rng.double() as f32, rng.double() as f32);
        let exact = f64::from(a) * f64::from(b);
        if !exact.is_finite() {
            continue;
        }
        let product = mul(&single(a), &single(b));
        let (down, up) = (packed(Mode::Down, &product), packed(Mode::Up, &product));
        let (zero, nearest) = (packed(Mode::Zero, &product), packed(Mode::Nearest, &product));
        assert!(f64::from(down) <= exact && exact <= f64::from(up), "{a:e} * {b:e}: {down:e} to {up:e}");
        assert!(down == up || down.next_up() == up, "{a:e} * {b:e}: {down:e} and {up:e} are not neighbours");
        assert_eq!(zero.to_bits(), if exact < 0.0 { up } else { down }.to_bits(), "{a:e} * {b:e}");
        assert!(nearest == down || nearest == up, "{a:e} * {b:e}");
        assert_eq!(nearest, (a * b), "{a:e} * {b:e}");
    }
    let (one, minus) = (single(1.0), single(-1.0));
    assert!(packed(Mode::Down, &add_in(Mode::Down, &one, &minus)).is_sign_negative());
    assert!(packed(Mode::Up, &add_in(Mode::Up, &one, &minus)).is_sign_positive());
}
