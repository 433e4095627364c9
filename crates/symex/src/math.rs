//! Mathematical functions at known arguments.
//!
//! The libc models take the result of a transcendental function as an input, of which only the range is known. At constant
//! arguments there is no doubt, and an answer that rests on another number would be wrong.
//! Absent: functions whose value in the standard library of Rust is not the C library's.

use blitz_base::Bv;
use blitz_term::{Term, Terms};

/// `args`: which function, its two arguments, and the result in question. True where it is not known.
pub(crate) fn is_result(terms: &mut Terms, args: &[Term]) -> Term {
    let known = || {
        let op = terms.as_u64(args[0])?;
        let x = f64::from_bits(terms.as_u64(args[1])?);
        let y = f64::from_bits(terms.as_u64(args[2])?);
        value(op, x, y)
    };
    match known() {
        Some(exact) if exact.is_nan() => terms.tru(),
        Some(exact) => {
            let bits = terms.bv_const(Bv::from_u64(64, exact.to_bits()));
            terms.eq(args[3], bits)
        }
        None => terms.tru(),
    }
}

/// By the numbers of `enum blitz_math1`, and those of `enum blitz_math2` from 100 on.
fn value(op: u64, x: f64, y: f64) -> Option<f64> {
    Some(match op {
        0 => x.sin(),
        1 => x.cos(),
        2 => x.tan(),
        3 => x.asin(),
        4 => x.acos(),
        5 => x.atan(),
        6 => x.sinh(),
        7 => x.cosh(),
        8 => x.tanh(),
        12 => x.exp(),
        13 => x.exp2(),
        14 => x.exp_m1(),
        15 => x.ln(),
        16 => x.log2(),
        17 => x.log10(),
        18 => x.ln_1p(),
        100 => x.powf(y),
        101 => x.atan2(y),
        103 => x.hypot(y),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_decide_and_variables_do_not() {
        let mut terms = Terms::new();
        let mut word = |x: f64| terms.bv_const(Bv::from_u64(64, x.to_bits()));
        let (one, e, two, zero) = (word(1.0), word(1f64.exp()), word(2.0), word(0.0));
        let exp = terms.bv(32, 12);
        let right = is_result(&mut terms, &[exp, one, zero, e]);
        let wrong = is_result(&mut terms, &[exp, one, zero, two]);
        assert!(terms.is_true(right) && terms.is_false(wrong));
        let x = terms.fresh("x", blitz_term::Sort::Bv(64));
        let open = is_result(&mut terms, &[exp, x, zero, two]);
        assert!(terms.is_true(open));
    }
}
