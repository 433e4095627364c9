//! Values in the text that answers of solvers have.

use super::sort::{Scalar, SmtSort};
use crate::eval::{ArrayValue, Value};
use blitz_base::Bv;

/// A value of a sort as SMT-LIB prints it.
pub fn print_value(sort: SmtSort, value: &Value) -> String {
    match (sort, value) {
        (SmtSort::Scalar(scalar), Value::Bv(bits)) => print_scalar(scalar, bits),
        (SmtSort::Array { index, elem }, Value::Array(array)) => print_array(sort, index, elem, array),
        (SmtSort::Scalar(_), Value::Array(_)) | (SmtSort::Array { .. }, Value::Bv(_)) => {
            panic!("a value of sort {sort} should be here")
        }
    }
}

fn print_scalar(sort: Scalar, bits: &Bv) -> String {
    match sort {
        Scalar::Bool => if bits.is_one() { "true" } else { "false" }.to_string(),
        Scalar::BitVec(_) => bits.to_string(),
        Scalar::Float(format) => {
            let (e, f) = (format.exp_bits(), format.sig_bits() - 1);
            let exponent = bits.extract(e + f - 1, f);
            let fraction = bits.extract(f - 1, 0);
            if exponent.is_ones() && !fraction.is_zero() {
                return format!("(_ NaN {e} {})", f + 1);
            }
            let sign = bits.extract(e + f, e + f);
            format!("(fp {sign} {} {})", binary(&exponent), binary(&fraction))
        }
        Scalar::RoundingMode => match bits.to_u64() {
            Some(0) => "RNE",
            Some(1) => "RNA",
            Some(2) => "RTP",
            Some(3) => "RTN",
            _ => "RTZ",
        }
        .to_string(),
    }
}

/// The bits in binary, as the parts of floats are written.
fn binary(bits: &Bv) -> String {
    let digits: String = (0..bits.width()).rev().map(|i| if bits.bit(i) { '1' } else { '0' }).collect();
    format!("#b{digits}")
}

/// Stores onto a constant array; of a stretch longer than this only the first cells are named, the default being chosen to make that rare.
const STRETCH: u64 = 1 << 16;

fn print_array(sort: SmtSort, index: Scalar, elem: Scalar, array: &ArrayValue) -> String {
    // The value of the longest stretch is the default.
    let stretches = array.stretches();
    let length = |first: &Bv, last: &Bv| last.sub(first);
    let default = stretches
        .iter()
        .max_by_key(|(first, last, _)| length(first, last))
        .map_or_else(|| array.default_value().clone(), |(_, _, value)| value.clone());
    let mut stores = String::new();
    let mut count = 0;
    for (first, last, value) in &stretches {
        if *value == default {
            continue;
        }
        let cells = length(first, last).to_u64().map_or(STRETCH, |n| n.min(STRETCH));
        let mut at = first.clone();
        for _ in 0..=cells {
            stores.push_str(&format!(" {} {})", print_scalar(index, &at), print_scalar(elem, value)));
            count += 1;
            at = at.add(&Bv::one(at.width()));
        }
    }
    format!("{}((as const {sort}) {}){stores}", "(store ".repeat(count), print_scalar(elem, &default))
}
