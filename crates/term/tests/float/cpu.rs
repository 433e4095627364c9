//! What the CPU computes, bit by bit, in each rounding mode that it has: SSE2, FMA and F16C for the interchange formats, the x87 for its own.

use blitz_term::float::RoundingMode;
use std::arch::asm;

/// The CPU's code of a rounding mode, the same in MXCSR and in the x87's control word. It has none for ties away from zero.
fn rounding_control(rm: RoundingMode) -> u32 {
    match rm {
        RoundingMode::NearestEven => 0,
        RoundingMode::Down => 1,
        RoundingMode::Up => 2,
        RoundingMode::Zero => 3,
        RoundingMode::NearestAway => panic!("the CPU should not be asked for ties away from zero"),
    }
}

fn mxcsr(rm: RoundingMode) -> u32 {
    0x1f80 | rounding_control(rm) << 13
}

/// Extended precision, all exceptions masked.
fn control_word(rm: RoundingMode) -> u16 {
    0x037f | (rounding_control(rm) as u16) << 10
}

macro_rules! sse {
    ($name:ident, $instr:literal, ($first:ident $(, $arg:ident)*), $float:ty, $bits:ty) => {
        pub fn $name(rm: RoundingMode, $first: u128 $(, $arg: u128)*) -> u128 {
            let new = mxcsr(rm);
            let mut old = 0u32;
            let mut $first = <$float>::from_bits($first as $bits);
            $(let $arg = <$float>::from_bits($arg as $bits);)*
            // SAFETY: the rounding mode is put back before the block ends.
            unsafe {
                asm!(
                    "stmxcsr [{old}]", "ldmxcsr [{new}]", $instr, "ldmxcsr [{old}]",
                    old = in(reg) &raw mut old, new = in(reg) &raw const new,
                    $first = inout(xmm_reg) $first,
                    $($arg = in(xmm_reg) $arg,)*
                );
            }
            u128::from($first.to_bits())
        }
    };
}

sse!(add32, "addss {a}, {b}", (a, b), f32, u32);
sse!(sub32, "subss {a}, {b}", (a, b), f32, u32);
sse!(mul32, "mulss {a}, {b}", (a, b), f32, u32);
sse!(div32, "divss {a}, {b}", (a, b), f32, u32);
sse!(sqrt32, "sqrtss {a}, {a}", (a), f32, u32);
sse!(rint32, "roundss {a}, {a}, 4", (a), f32, u32);
sse!(fma32, "vfmadd213ss {a}, {b}, {c}", (a, b, c), f32, u32);
sse!(add64, "addsd {a}, {b}", (a, b), f64, u64);
sse!(sub64, "subsd {a}, {b}", (a, b), f64, u64);
sse!(mul64, "mulsd {a}, {b}", (a, b), f64, u64);
sse!(div64, "divsd {a}, {b}", (a, b), f64, u64);
sse!(sqrt64, "sqrtsd {a}, {a}", (a), f64, u64);
sse!(rint64, "roundsd {a}, {a}, 4", (a), f64, u64);
sse!(fma64, "vfmadd213sd {a}, {b}, {c}", (a, b, c), f64, u64);

macro_rules! sse_convert {
    ($name:ident, $instr:literal, $class:ident $from:ty => $to_class:ident $to:ty, $enter:expr, $leave:expr) => {
        pub fn $name(rm: RoundingMode, x: u128) -> u128 {
            let new = mxcsr(rm);
            let mut old = 0u32;
            let x: $from = $enter(x);
            let result: $to;
            // SAFETY: the rounding mode is put back before the block ends.
            unsafe {
                asm!(
                    "stmxcsr [{old}]", "ldmxcsr [{new}]", $instr, "ldmxcsr [{old}]",
                    old = in(reg) &raw mut old, new = in(reg) &raw const new,
                    x = in($class) x, r = out($to_class) result,
                );
            }
            $leave(result)
        }
    };
}

fn f32_in(x: u128) -> f32 {
    f32::from_bits(x as u32)
}

fn f32_out(x: f32) -> u128 {
    u128::from(x.to_bits())
}

fn f64_in(x: u128) -> f64 {
    f64::from_bits(x as u64)
}

fn f64_out(x: f64) -> u128 {
    u128::from(x.to_bits())
}

fn i32_in(x: u128) -> i32 {
    x as i32
}

fn i32_out(x: i32) -> u128 {
    u128::from(x as u32)
}

fn i64_in(x: u128) -> i64 {
    x as i64
}

fn i64_out(x: i64) -> u128 {
    u128::from(x as u64)
}

sse_convert!(f32_to_f64, "cvtss2sd {r}, {x}", xmm_reg f32 => xmm_reg f64, f32_in, f64_out);
sse_convert!(f64_to_f32, "cvtsd2ss {r}, {x}", xmm_reg f64 => xmm_reg f32, f64_in, f32_out);
sse_convert!(f32_to_i32, "cvtss2si {r:e}, {x}", xmm_reg f32 => reg i32, f32_in, i32_out);
sse_convert!(f32_to_i64, "cvtss2si {r:r}, {x}", xmm_reg f32 => reg i64, f32_in, i64_out);
sse_convert!(f64_to_i32, "cvtsd2si {r:e}, {x}", xmm_reg f64 => reg i32, f64_in, i32_out);
sse_convert!(f64_to_i64, "cvtsd2si {r:r}, {x}", xmm_reg f64 => reg i64, f64_in, i64_out);
sse_convert!(i32_to_f32, "cvtsi2ss {r}, {x:e}", reg i32 => xmm_reg f32, i32_in, f32_out);
sse_convert!(i64_to_f32, "cvtsi2ss {r}, {x:r}", reg i64 => xmm_reg f32, i64_in, f32_out);
sse_convert!(i32_to_f64, "cvtsi2sd {r}, {x:e}", reg i32 => xmm_reg f64, i32_in, f64_out);
sse_convert!(i64_to_f64, "cvtsi2sd {r}, {x:r}", reg i64 => xmm_reg f64, i64_in, f64_out);
sse_convert!(f16_to_f32, "vcvtph2ps {r}, {x}", xmm_reg f32 => xmm_reg f32, f32_in, f32_out);
sse_convert!(f32_to_f16, "vcvtps2ph {r}, {x}, 4", xmm_reg f32 => xmm_reg f32, f32_in, half_out);

fn half_out(x: f32) -> u128 {
    u128::from(x.to_bits() as u16)
}

/// Whether the CPU multiplies and adds in one and knows half precision.
pub fn has_fma_and_f16c() -> bool {
    is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
}

/// A float of any format in memory, as the x87 loads and stores it.
#[repr(C, align(16))]
struct Memory([u8; 16]);

impl Memory {
    fn new(x: u128) -> Self {
        Memory(x.to_le_bytes())
    }

    fn bits(&self, n: u32) -> u128 {
        u128::from_le_bytes(self.0) & (u128::MAX >> (128 - n))
    }
}

macro_rules! x87 {
    ($name:ident, ($($arg:ident),+), $bits:literal, $($line:literal),+) => {
        pub fn $name(rm: RoundingMode, $($arg: u128),+) -> u128 {
            let new = control_word(rm);
            let mut old = 0u16;
            $(let $arg = Memory::new($arg);)+
            let mut result = Memory::new(0);
            // SAFETY: the control word is put back and the register stack is left empty before the block ends.
            unsafe {
                asm!(
                    "fnstcw word ptr [{old}]", "fldcw word ptr [{new}]",
                    $($line,)+
                    "fldcw word ptr [{old}]",
                    old = in(reg) &raw mut old, new = in(reg) &raw const new,
                    $($arg = in(reg) &raw const $arg,)+
                    r = in(reg) &raw mut result,
                    out("ax") _,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                );
            }
            result.bits($bits)
        }
    };
}

x87!(add80, (a, b), 80, "fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", "faddp", "fstp tbyte ptr [{r}]");
x87!(
    sub80,
    (a, b),
    80,
    "fld tbyte ptr [{b}]",
    "fld tbyte ptr [{a}]",
    "fsub st(0), st(1)",
    "fstp tbyte ptr [{r}]",
    "fstp st(0)"
);
x87!(mul80, (a, b), 80, "fld tbyte ptr [{a}]", "fld tbyte ptr [{b}]", "fmulp", "fstp tbyte ptr [{r}]");
x87!(
    div80,
    (a, b),
    80,
    "fld tbyte ptr [{b}]",
    "fld tbyte ptr [{a}]",
    "fdiv st(0), st(1)",
    "fstp tbyte ptr [{r}]",
    "fstp st(0)"
);
x87!(sqrt80, (a), 80, "fld tbyte ptr [{a}]", "fsqrt", "fstp tbyte ptr [{r}]");
x87!(rint80, (a), 80, "fld tbyte ptr [{a}]", "frndint", "fstp tbyte ptr [{r}]");
x87!(
    fmod80,
    (a, b),
    80,
    "fld tbyte ptr [{b}]",
    "fld tbyte ptr [{a}]",
    "2:",
    "fprem",
    "fnstsw ax",
    "test ah, 4",
    "jnz 2b",
    "fstp tbyte ptr [{r}]",
    "fstp st(0)"
);
x87!(
    remainder80,
    (a, b),
    80,
    "fld tbyte ptr [{b}]",
    "fld tbyte ptr [{a}]",
    "2:",
    "fprem1",
    "fnstsw ax",
    "test ah, 4",
    "jnz 2b",
    "fstp tbyte ptr [{r}]",
    "fstp st(0)"
);
x87!(
    remainder64,
    (a, b),
    64,
    "fld qword ptr [{b}]",
    "fld qword ptr [{a}]",
    "2:",
    "fprem1",
    "fnstsw ax",
    "test ah, 4",
    "jnz 2b",
    "fstp qword ptr [{r}]",
    "fstp st(0)"
);
x87!(
    remainder32,
    (a, b),
    32,
    "fld dword ptr [{b}]",
    "fld dword ptr [{a}]",
    "2:",
    "fprem1",
    "fnstsw ax",
    "test ah, 4",
    "jnz 2b",
    "fstp dword ptr [{r}]",
    "fstp st(0)"
);
x87!(f80_to_f64, (a), 64, "fld tbyte ptr [{a}]", "fstp qword ptr [{r}]");
x87!(f80_to_f32, (a), 32, "fld tbyte ptr [{a}]", "fstp dword ptr [{r}]");
x87!(f64_to_f80, (a), 80, "fld qword ptr [{a}]", "fstp tbyte ptr [{r}]");
x87!(f32_to_f80, (a), 80, "fld dword ptr [{a}]", "fstp tbyte ptr [{r}]");
x87!(f80_to_i64, (a), 64, "fld tbyte ptr [{a}]", "fistp qword ptr [{r}]");
x87!(f80_to_i32, (a), 32, "fld tbyte ptr [{a}]", "fistp dword ptr [{r}]");
x87!(f80_to_i16, (a), 16, "fld tbyte ptr [{a}]", "fistp word ptr [{r}]");
x87!(i64_to_f80, (a), 80, "fild qword ptr [{a}]", "fstp tbyte ptr [{r}]");
x87!(i32_to_f80, (a), 80, "fild dword ptr [{a}]", "fstp tbyte ptr [{r}]");
x87!(
    compare80_raw,
    (a, b),
    16,
    "fld tbyte ptr [{b}]",
    "fld tbyte ptr [{a}]",
    "fucompp",
    "fnstsw ax",
    "mov word ptr [{r}], ax"
);
x87!(examine80_raw, (a), 16, "fld tbyte ptr [{a}]", "fxam", "fnstsw ax", "mov word ptr [{r}], ax", "fstp st(0)");

/// How `a` compares with `b`; none if unordered.
pub fn compare80(a: u128, b: u128) -> Option<std::cmp::Ordering> {
    // C3, C2 and C0 of the status word.
    let status = compare80_raw(RoundingMode::NearestEven, a, b);
    match (status >> 14 & 1, status >> 10 & 1, status >> 8 & 1) {
        (0, 0, 0) => Some(std::cmp::Ordering::Greater),
        (0, 0, 1) => Some(std::cmp::Ordering::Less),
        (1, 0, 0) => Some(std::cmp::Ordering::Equal),
        _ => None,
    }
}

/// C3, C2 and C0 as a number: 0 unsupported, 1 NaN, 2 normal, 3 infinity, 4 zero, 6 denormal.
pub fn examine80(a: u128) -> u128 {
    let status = examine80_raw(RoundingMode::NearestEven, a);
    (status >> 14 & 1) << 2 | (status >> 10 & 1) << 1 | status >> 8 & 1
}
