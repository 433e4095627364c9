//! Constants: binary, decimal, hexadecimal, and the three with names.

use super::line::{Line, shorten};
use crate::read::ReadError;
use blitz_base::Bv;

/// A decimal number with more digits than this can't fit any width that is supported.
const MAX_DIGITS: usize = 19_729;

/// The value that a line gives in so many bits.
pub fn value(line: &mut Line, width: u16) -> Result<Bv, ReadError> {
    match line.keyword {
        "zero" => Ok(Bv::zero(width)),
        "one" => Ok(Bv::one(width)),
        "ones" => Ok(Bv::ones(width)),
        "const" => binary(line, width),
        "consth" => hexadecimal(line, width),
        _ => decimal(line, width),
    }
}

fn binary(line: &mut Line, width: u16) -> Result<Bv, ReadError> {
    let digits = line.word("a binary number")?;
    if !digits.bytes().all(|b| matches!(b, b'0' | b'1')) {
        return Err(line.error(format!("`{}` is no binary number", shorten(digits))));
    }
    if digits.len() != usize::from(width) {
        return Err(line.error(format!("the number has {} digits, its sort {width} bits", digits.len())));
    }
    let bytes = digits.as_bytes();
    Ok(Bv::from_bits(width, |i| bytes[bytes.len() - 1 - usize::from(i)] == b'1'))
}

fn hexadecimal(line: &mut Line, width: u16) -> Result<Bv, ReadError> {
    let digits = line.word("a hexadecimal number")?;
    let values: Option<Vec<u32>> = digits.chars().map(|c| c.to_digit(16)).collect();
    let values = values.filter(|v| !v.is_empty());
    let values = values.ok_or_else(|| line.error(format!("`{}` is no hexadecimal number", shorten(digits))))?;
    let bit = |i: usize| i / 4 < values.len() && values[values.len() - 1 - i / 4] >> (i % 4) & 1 == 1;
    if (usize::from(width)..values.len() * 4).any(bit) {
        return Err(line.error(format!("`{}` does not fit in {width} bits", shorten(digits))));
    }
    Ok(Bv::from_bits(width, |i| bit(usize::from(i))))
}

fn decimal(line: &mut Line, width: u16) -> Result<Bv, ReadError> {
    let word = line.word("a decimal number")?;
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(line.error(format!("`{}` is no decimal number", shorten(word))));
    }
    let misfit = |line: &Line| line.error(format!("`{}` does not fit in {width} bits", shorten(word)));
    let digits = digits.trim_start_matches('0');
    if digits.len() > MAX_DIGITS {
        return Err(misfit(line));
    }
    // Read in as many bits as any number of so many digits needs, then cut.
    let room = (digits.len() * 10 / 3 + 2).max(usize::from(width) + 1).min(usize::from(u16::MAX)) as u16;
    let digits = if digits.is_empty() { "0" } else { digits };
    let wide = Bv::parse_decimal(room, digits).map_err(|_| misfit(line))?;
    let limit = if negative { Bv::one(room).shl_by(width - 1) } else { Bv::ones(width).zext(room) };
    if wide.ugt(&limit) {
        return Err(misfit(line));
    }
    let value = wide.extract(width - 1, 0);
    Ok(if negative { value.neg() } else { value })
}
