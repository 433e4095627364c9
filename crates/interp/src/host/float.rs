//! Float text and the functions of `<math.h>`, by the host's libc.
//!
//! A `long double` can't be passed from Rust. To `snprintf` it goes as two words that end up where the callee
//! looks for it (its memory arguments); from `strtold` it is fetched from the x87 register by hand.

use super::error;
use crate::machine::Machine;
use std::ffi::{CStr, CString};

type Unary = unsafe extern "C" fn(f64) -> f64;
type Binary = unsafe extern "C" fn(f64, f64) -> f64;

mod c {
    unsafe extern "C" {
        pub safe fn sin(x: f64) -> f64;
        pub safe fn cos(x: f64) -> f64;
        pub safe fn tan(x: f64) -> f64;
        pub safe fn asin(x: f64) -> f64;
        pub safe fn acos(x: f64) -> f64;
        pub safe fn atan(x: f64) -> f64;
        pub safe fn sinh(x: f64) -> f64;
        pub safe fn cosh(x: f64) -> f64;
        pub safe fn tanh(x: f64) -> f64;
        pub safe fn asinh(x: f64) -> f64;
        pub safe fn acosh(x: f64) -> f64;
        pub safe fn atanh(x: f64) -> f64;
        pub safe fn exp(x: f64) -> f64;
        pub safe fn exp2(x: f64) -> f64;
        pub safe fn expm1(x: f64) -> f64;
        pub safe fn log(x: f64) -> f64;
        pub safe fn log2(x: f64) -> f64;
        pub safe fn log10(x: f64) -> f64;
        pub safe fn log1p(x: f64) -> f64;
        pub safe fn tgamma(x: f64) -> f64;
        pub safe fn lgamma(x: f64) -> f64;
        pub safe fn erf(x: f64) -> f64;
        pub safe fn erfc(x: f64) -> f64;
        pub safe fn j0(x: f64) -> f64;
        pub safe fn j1(x: f64) -> f64;
        pub safe fn y0(x: f64) -> f64;
        pub safe fn y1(x: f64) -> f64;
        pub safe fn exp10(x: f64) -> f64;
        pub safe fn pow(x: f64, y: f64) -> f64;
        pub safe fn atan2(x: f64, y: f64) -> f64;
        pub safe fn fmod(x: f64, y: f64) -> f64;
        pub safe fn hypot(x: f64, y: f64) -> f64;
        pub safe fn jn(n: i32, x: f64) -> f64;
        pub safe fn yn(n: i32, x: f64) -> f64;
        pub safe fn strtof(s: *const libc::c_char, end: *mut *mut libc::c_char) -> f32;
        pub safe fn strtod(s: *const libc::c_char, end: *mut *mut libc::c_char) -> f64;
    }
}

/// The C library's: under this name the linker takes one of Rust's own, which rounds otherwise.
extern "C" fn cbrt(x: f64) -> f64 {
    static REAL: std::sync::OnceLock<Option<Unary>> = std::sync::OnceLock::new();
    let find = || {
        // SAFETY: the name is a C string, and the function that has it takes and gives a double.
        unsafe {
            let found = libc::dlsym(libc::RTLD_DEFAULT, c"cbrt".as_ptr());
            std::mem::transmute::<*mut libc::c_void, Option<Unary>>(found)
        }
    };
    // SAFETY: as above; it reads nothing but its argument.
    REAL.get_or_init(find).map_or_else(|| x.cbrt(), |real| unsafe { real(x) })
}

/// In the order of `enum blitz_math1`.
const MATH1: &[Unary] = &[
    c::sin,
    c::cos,
    c::tan,
    c::asin,
    c::acos,
    c::atan,
    c::sinh,
    c::cosh,
    c::tanh,
    c::asinh,
    c::acosh,
    c::atanh,
    c::exp,
    c::exp2,
    c::expm1,
    c::log,
    c::log2,
    c::log10,
    c::log1p,
    cbrt,
    c::tgamma,
    c::lgamma,
    c::erf,
    c::erfc,
    c::j0,
    c::j1,
    c::y0,
    c::y1,
    c::exp10,
];

unsafe extern "C" fn jn(n: f64, x: f64) -> f64 {
    c::jn(n as i32, x)
}

unsafe extern "C" fn yn(n: f64, x: f64) -> f64 {
    c::yn(n as i32, x)
}

/// In the order of `enum blitz_math2`.
const MATH2: &[Binary] = &[c::pow, c::atan2, c::fmod, c::hypot, jn, yn];

/// Whether a result of a function (unary ones by their position, binary ones from 100 on) is the C library's.
pub fn is_result(op: u64, x: u64, y: u64, result: u64) -> bool {
    let (x, y) = (f64::from_bits(x), f64::from_bits(y));
    // SAFETY: functions of the C library on numbers.
    let exact = unsafe {
        match (MATH1.get(op as usize), MATH2.get(op.wrapping_sub(100) as usize)) {
            (Some(f), _) => f(x),
            (None, Some(f)) => f(x, y),
            (None, None) => return true,
        }
    };
    exact.is_nan() || exact.to_bits() == result
}

impl Machine<'_, '_> {
    fn double_at(&self, ptr: u64) -> Option<f64> {
        let bytes = self.memory.bytes(ptr, 8)?;
        Some(f64::from_le_bytes(bytes.try_into().expect("eight bytes were asked for")))
    }

    pub(super) fn math1(&mut self, op: u64, x: u64, out: u64) -> i64 {
        let Some(f) = MATH1.get(op as usize) else { return error(libc::EINVAL) };
        let Some(x) = self.double_at(x) else { return error(libc::EFAULT) };
        // SAFETY: functions of the C library on numbers.
        let result = unsafe { f(x) };
        self.put(out, &result.to_le_bytes(), 0)
    }

    pub(super) fn math2(&mut self, op: u64, x: u64, y: u64, out: u64) -> i64 {
        let Some(f) = MATH2.get(op as usize) else { return error(libc::EINVAL) };
        let (Some(x), Some(y)) = (self.double_at(x), self.double_at(y)) else { return error(libc::EFAULT) };
        // SAFETY: functions of the C library on numbers.
        let result = unsafe { f(x, y) };
        self.put(out, &result.to_le_bytes(), 0)
    }

    pub(super) fn format_float(&mut self, buf: u64, n: u64, format: u64, value: u64, kind: u64) -> i64 {
        let Some(format) = self.c_string(format) else { return error(libc::EFAULT) };
        let text = match kind {
            0 if is_conversion(format.as_bytes(), false) => self.double_at(value).map(|x| format_double(&format, x)),
            1 if is_conversion(format.as_bytes(), true) => {
                self.memory.bytes(value, 10).map(|b| format_long(&format, b))
            }
            _ => return error(libc::EINVAL),
        };
        let Some(text) = text.flatten() else { return error(libc::EFAULT) };
        if n == 0 {
            return text.len() as i64;
        }
        let mut kept = text[..text.len().min(n as usize - 1)].to_vec();
        kept.push(0);
        self.put(buf, &kept, text.len() as i64)
    }

    pub(super) fn parse_float(&mut self, text: u64, out: u64, kind: u64) -> i64 {
        let Some(text) = self.c_string(text) else { return error(libc::EFAULT) };
        let mut end = std::ptr::null_mut();
        let bytes = match kind {
            0 => c::strtof(text.as_ptr(), &raw mut end).to_le_bytes().to_vec(),
            1 => c::strtod(text.as_ptr(), &raw mut end).to_le_bytes().to_vec(),
            2 => match parse_long(&text, &mut end) {
                Some(bytes) => bytes.to_vec(),
                None => return error(libc::ENOSYS),
            },
            _ => return error(libc::EINVAL),
        };
        let used = end as i64 - text.as_ptr() as i64;
        self.put(out, &bytes, used)
    }
}

/// Whether the format is exactly one float conversion (with `L` for `long double`), so that `snprintf` reads what we pass.
fn is_conversion(format: &[u8], long: bool) -> bool {
    let Some(rest) = format.strip_prefix(b"%") else { return false };
    let (Some((last, middle)), true) = (rest.split_last(), rest.len() < 64) else { return false };
    let middle = if long { middle.strip_suffix(b"L") } else { Some(middle) };
    let plain = |b: &u8| b.is_ascii_digit() || b"#-+ .'".contains(b);
    b"aAeEfFgG".contains(last) && middle.is_some_and(|m| m.iter().all(plain))
}

fn formatted(print: impl Fn(*mut libc::c_char, usize) -> i32) -> Option<Vec<u8>> {
    let length = usize::try_from(print(std::ptr::null_mut(), 0)).ok()?;
    let mut buffer = vec![0u8; length + 1];
    print(buffer.as_mut_ptr().cast(), buffer.len());
    buffer.truncate(length);
    Some(buffer)
}

fn format_double(format: &CStr, x: f64) -> Option<Vec<u8>> {
    // SAFETY: the format has one conversion, of a double; the buffer is as long as we say.
    formatted(|buffer, n| unsafe { libc::snprintf(buffer, n, format.as_ptr(), x) })
}

/// The three words fill the registers that variable arguments would take; the fourth and fifth go to memory, aligned to 16,
/// which is where the callee looks for a `long double`.
#[cfg(target_arch = "x86_64")]
fn format_long(format: &CStr, bytes: &[u8]) -> Option<Vec<u8>> {
    let low = u64::from_le_bytes(bytes[..8].try_into().ok()?);
    let high = u64::from(u16::from_le_bytes(bytes[8..10].try_into().ok()?));
    // SAFETY: the format has one conversion, of a long double, whose bytes are passed where it is looked for.
    formatted(|buffer, n| unsafe { libc::snprintf(buffer, n, format.as_ptr(), 0u64, 0u64, 0u64, low, high) })
}

#[cfg(not(target_arch = "x86_64"))]
fn format_long(_: &CStr, _: &[u8]) -> Option<Vec<u8>> {
    None
}

#[cfg(target_arch = "x86_64")]
fn parse_long(text: &CString, end: &mut *mut libc::c_char) -> Option<[u8; 10]> {
    unsafe extern "C" {
        fn strtold();
    }
    let mut out = [0u8; 16];
    let function: unsafe extern "C" fn() = strtold;
    // SAFETY: `strtold` gets its two pointers, which are valid; its result is popped from the x87 stack into `out`; everything
    // the C calling convention lets it change is declared.
    unsafe {
        std::arch::asm!(
            "call r13",
            "fstp tbyte ptr [r12]",
            in("r12") out.as_mut_ptr(),
            in("r13") function,
            inout("rdi") text.as_ptr() => _,
            inout("rsi") std::ptr::from_mut(end) => _,
            clobber_abi("C"),
        );
    }
    out[..10].try_into().ok()
}

#[cfg(not(target_arch = "x86_64"))]
fn parse_long(_: &CString, _: &mut *mut libc::c_char) -> Option<[u8; 10]> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_conversions_pass() {
        assert!(is_conversion(b"%.3g", false) && is_conversion(b"%-10.2Lf", true));
        assert!(!is_conversion(b"%s", false) && !is_conversion(b"%g%n", false) && !is_conversion(b"%*g", false));
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn long_doubles_go_through_the_c_library_and_back() {
        let text = CString::new("3.25xyz").expect("no NUL inside");
        let mut end = std::ptr::null_mut();
        let bytes = parse_long(&text, &mut end).expect("this machine has x87");
        assert_eq!(end as usize - text.as_ptr() as usize, 4);
        assert_eq!(format_long(c"%.4Lf", &bytes).as_deref(), Some(b"3.2500".as_slice()));
    }
}
