//! Arrays of cells as terms: reads and writes of any width at any offset.

use super::*;

pub(super) fn from_le_bytes(bytes: &[u8]) -> Bv {
    let limbs: Vec<u64> = bytes.chunks(8).map(|c| c.iter().rev().fold(0, |acc, &b| acc << 8 | u64::from(b))).collect();
    Bv::from_limbs((bytes.len() * 8) as u16, &limbs)
}

pub(super) fn terms_width(terms: &Terms, t: Term) -> u16 {
    terms.width(t)
}

/// Position of the first true test; `limit` if there is none below it.
pub(super) fn first_true(terms: &mut Terms, tests: &[Term], limit: Term, width: u16) -> Term {
    let mut out = limit;
    for (i, &test) in tests.iter().enumerate().rev() {
        let here = terms.bv(width, i as u64);
        out = terms.ite(test, here, out);
    }
    let below = terms.ult(out, limit);
    terms.ite(below, out, limit)
}

/// The largest power of two that divides both the length and (syntactically) the offset.
pub(super) fn granule(terms: &Terms, off: Term, n: u64) -> u64 {
    let by_offset = 1 << trailing_zeros(terms, off).min(3);
    let by_length = 1 << n.trailing_zeros().min(3);
    MAX_CELL.min(by_offset).min(by_length)
}

/// In segments, where places are whole pointers, an object's bytes must fit into those of its class: cells are bytes.
pub(super) fn widest_cell(terms: &Terms, off: Term) -> u64 {
    let whole_pointer = matches!(terms.width(off), 32 | 64);
    if whole_pointer { 1 } else { MAX_CELL }
}

pub(super) fn cell_index(terms: &mut Terms, off: Term, cell: u64) -> Term {
    let top = terms.width(off) - 1;
    terms.extract(off, top, cell.trailing_zeros() as u16)
}

/// Chooses among cells by the bits of the index; past the end the value is arbitrary.
pub(super) fn mux(terms: &mut Terms, cells: &[Term], index: Term, cell: u64) -> Term {
    if cells.is_empty() {
        return terms.bv((cell * 8) as u16, 0);
    }
    let mut level = cells.to_vec();
    let mut bit = 0;
    while level.len() > 1 {
        let choose = terms.extract(index, bit, bit);
        level = level
            .chunks(2)
            .map(|pair| if pair.len() == 2 { terms.ite(choose, pair[1], pair[0]) } else { pair[0] })
            .collect();
        bit += 1;
    }
    level[0]
}

pub(super) fn cell_read(terms: &mut Terms, array: Term, cell: u64, off: Term, n: u64) -> Term {
    let (count, sub) = cells_touched(terms, cell, off, n);
    let word = read_word(terms, array, cell, off, count);
    let word = match sub {
        Some(shift) => {
            let shift = terms.zext(shift, (count * cell * 8) as u16);
            terms.lshr(word, shift)
        }
        None => word,
    };
    terms.extract(word, (n * 8 - 1) as u16, 0)
}

pub(super) fn cell_write(terms: &mut Terms, array: Term, cell: u64, off: Term, value: Term) -> Term {
    let n = u64::from(terms.width(value)) / 8;
    let (count, sub) = cells_touched(terms, cell, off, n);
    let bits = (count * cell * 8) as u16;
    let whole = sub.is_none() && count * cell == n;
    let word = if whole {
        value
    } else {
        let old = read_word(terms, array, cell, off, count);
        let value = terms.zext(value, bits);
        let mask = terms.ones((n * 8) as u16);
        let mask = terms.zext(mask, bits);
        let (value, mask) = match sub {
            Some(shift) => {
                let shift = terms.zext(shift, bits);
                (terms.shl(value, shift), terms.shl(mask, shift))
            }
            None => (value, mask),
        };
        let keep = terms.not(mask);
        let kept = terms.and(old, keep);
        terms.or(kept, value)
    };
    let index = cell_index(terms, off, cell);
    let width = terms.width(index);
    let mut array = array;
    for k in 0..count {
        let step = terms.bv(width, k);
        let at = terms.add(index, step);
        let part = slice(terms, word, k * cell, cell);
        array = terms.store(array, at, part);
    }
    array
}

/// How many cells an access may touch, and by how many bits it is shifted inside the first (none: not at all).
pub(super) fn cells_touched(terms: &mut Terms, cell: u64, off: Term, n: u64) -> (u64, Option<Term>) {
    let aligned = 1u64 << trailing_zeros(terms, off).min(4);
    if aligned >= cell {
        return (n.div_ceil(cell), None);
    }
    let low_bits = cell.trailing_zeros() as u16;
    let low = terms.extract(off, low_bits - 1, 0);
    let bits = terms.zext(low, low_bits + 3);
    let eight = terms.bv(low_bits + 3, 3);
    let shift = terms.shl(bits, eight);
    ((n + cell - aligned).div_ceil(cell), Some(shift))
}

pub(super) fn read_word(terms: &mut Terms, array: Term, cell: u64, off: Term, count: u64) -> Term {
    let index = cell_index(terms, off, cell);
    let width = terms.width(index);
    let parts: Vec<Term> = (0..count)
        .map(|k| {
            let step = terms.bv(width, k);
            let at = terms.add(index, step);
            terms.select(array, at)
        })
        .collect();
    join(terms, &parts)
}

/// Bytes `from..from + n` of a value.
pub(super) fn slice(terms: &mut Terms, value: Term, from: u64, n: u64) -> Term {
    terms.extract(value, ((from + n) * 8 - 1) as u16, (from * 8) as u16)
}

/// Parts from the lowest address up, as one value.
pub(super) fn join(terms: &mut Terms, parts: &[Term]) -> Term {
    let mut out = parts[0];
    for &p in &parts[1..] {
        out = terms.concat(p, out);
    }
    out
}

pub(super) fn repeat(terms: &mut Terms, byte: Term, n: u64) -> Term {
    join(terms, &vec![byte; n as usize])
}

/// A range cut into pieces of at most 8 bytes at natural boundaries.
pub(super) fn chunks(off: u64, len: u64) -> Vec<(u64, u64)> {
    let mut out = Vec::new();
    let (mut at, end) = (off, off + len);
    while at < end {
        let stop = (at - at % 8 + 8).min(end);
        out.push((at, stop - at));
        at = stop;
    }
    out
}
