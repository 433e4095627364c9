//! Arithmetic on values of more than 128 bits: little-endian slices of 64-bit limbs of equal length.
//!
//! Why schoolbook: wide values are rare (floating-point circuits, folded memory blocks), so plain is better than fast.

/// The number of limbs a value of this width takes.
pub(super) fn limbs_for(width: u16) -> usize {
    usize::from(width).div_ceil(64)
}

/// Clears the bits at `width` and above.
pub(super) fn clear_above(limbs: &mut [u64], width: u16) {
    let used = width % 64;
    if used != 0
        && let Some(last) = limbs.get_mut(usize::from(width / 64))
    {
        *last &= (1 << used) - 1;
    }
}

pub(super) fn zip(a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) -> Vec<u64> {
    a.iter().zip(b).map(|(&x, &y)| f(x, y)).collect()
}

pub(super) fn add(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut carry = false;
    a.iter()
        .zip(b)
        .map(|(&x, &y)| {
            let (s, c1) = x.overflowing_add(y);
            let (s, c2) = s.overflowing_add(u64::from(carry));
            carry = c1 | c2;
            s
        })
        .collect()
}

pub(super) fn sub(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut borrow = false;
    a.iter()
        .zip(b)
        .map(|(&x, &y)| {
            let (d, b1) = x.overflowing_sub(y);
            let (d, b2) = d.overflowing_sub(u64::from(borrow));
            borrow = b1 | b2;
            d
        })
        .collect()
}

/// The lowest `a.len()` limbs of the product.
pub(super) fn mul(a: &[u64], b: &[u64]) -> Vec<u64> {
    let n = a.len();
    let mut out = vec![0u64; n];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (j, &y) in b.iter().take(n - i).enumerate() {
            let sum = u128::from(x) * u128::from(y) + u128::from(out[i + j]) + carry;
            out[i + j] = sum as u64;
            carry = sum >> 64;
        }
    }
    out
}

pub(super) fn less(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// Quotient and remainder by long division, one bit at a time. The divisor is not zero.
pub(super) fn divide(a: &[u64], b: &[u64]) -> (Vec<u64>, Vec<u64>) {
    let n = a.len();
    let mut quotient = vec![0u64; n];
    // One more limb, as the shifted remainder may exceed the width by a bit.
    let mut remainder = vec![0u64; n + 1];
    let mut divisor = b.to_vec();
    divisor.push(0);
    for i in (0..n * 64).rev() {
        remainder = shl(&remainder, 1);
        remainder[0] |= a[i / 64] >> (i % 64) & 1;
        if !less(&remainder, &divisor) {
            remainder = sub(&remainder, &divisor);
            quotient[i / 64] |= 1 << (i % 64);
        }
    }
    remainder.truncate(n);
    (quotient, remainder)
}

/// Shifts left by any amount; the surplus is lost.
pub(super) fn shl(a: &[u64], by: usize) -> Vec<u64> {
    let (limbs, bits) = (by / 64, by % 64);
    let at = |i: usize| if i < limbs { 0 } else { a[i - limbs] };
    (0..a.len())
        .map(|i| match (bits, i) {
            (0, _) => at(i),
            (_, 0) => at(0) << bits,
            _ => at(i) << bits | at(i - 1) >> (64 - bits),
        })
        .collect()
}

/// Shifts right by any amount, filling with zeros.
pub(super) fn shr(a: &[u64], by: usize) -> Vec<u64> {
    let (limbs, bits) = (by / 64, by % 64);
    let at = |i: usize| a.get(i + limbs).copied().unwrap_or(0);
    (0..a.len())
        .map(|i| match bits {
            0 => at(i),
            _ => at(i) >> bits | at(i + 1) << (64 - bits),
        })
        .collect()
}
