//! Reads of tables of constants, as choices between intervals of the index.
//!
//! Programs look characters up in tables: `isdigit(c)` is one bit of a table of 384 words in glibc's headers. As a read of an array each
//! such question takes a dozen rounds of lemmas. But along its index the bit changes a few times only: from `'0'` on it is set, from
//! `'9' + 1` on it is not. Two comparisons say the same. A whole entry is treated alike where the table falls into few stretches, each of one
//! value or of the index plus a constant (`tolower`).
//!
//! Invariant: the choice has the table's value at every index that the known bits of the index allow.
//! Absent: tables with many changes (checksums, ciphers). They stay arrays, and the array theory multiplexes them where it has to.

use crate::node::{Op, Term};
use crate::terms::{Terms, mask};
use std::sync::Arc;

/// The most entries of a table that is looked at.
const MAX_ENTRIES: usize = 1024;
/// The fewest: below, stores at a handful of places are cheaper as they are.
const MIN_ENTRIES: usize = 8;
/// The most stretches a read becomes: `ispunct`, which has nine, is the most of the classes of characters.
const MAX_STRETCHES: usize = 12;

/// A table of constants: what it holds at the indices from zero on, and beyond them.
#[derive(Debug)]
pub(crate) struct Constants {
    values: Vec<u64>,
    beyond: u64,
}

impl Constants {
    fn at(&self, index: u64) -> u64 {
        usize::try_from(index).ok().and_then(|i| self.values.get(i).copied()).unwrap_or(self.beyond)
    }
}

/// A stretch of indices.
struct Stretch {
    from: u64,
    last: u64,
    holds: Holds,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    Value(u64),
    /// The index plus this.
    Shifted(u64),
}

impl Terms {
    /// `array` at `index` as a choice, if the array is a table of constants in few stretches.
    pub(crate) fn read_constants(&mut self, array: Term, index: Term) -> Option<Term> {
        let (_, width) = self.array_widths(array);
        self.read_constant_slice(array, index, width - 1, 0)
    }

    /// The bits `hi` down to `lo` of `array` at `index`, likewise.
    pub(crate) fn read_constant_slice(&mut self, array: Term, index: Term, hi: u16, lo: u16) -> Option<Term> {
        let width = hi - lo + 1;
        let table = self.constants(array)?;
        let stretches = self.stretches(&table, index, (hi, lo))?;
        let mut choice = None;
        for stretch in stretches.iter().rev() {
            let value = match stretch.holds {
                Holds::Value(value) => self.bv(width, value),
                Holds::Shifted(by) => self.shifted(index, stretch.last, (width, by)),
            };
            choice = Some(match choice {
                None => value,
                Some((next, above)) => {
                    let next = self.bv(self.width(index), next);
                    let below = self.ult(index, next);
                    self.ite(below, value, above)
                }
            })
            .map(|choice| (stretch.from, choice));
        }
        choice.map(|(_, choice)| choice)
    }

    /// An index up to `last` plus a number. Where they share no bit, the one stands above the other.
    fn shifted(&mut self, index: Term, last: u64, (width, by): (u16, u64)) -> Term {
        let bits = (u64::BITS - last.leading_zeros()).max(1) as u16;
        let low = if bits < self.width(index) { self.extract(index, bits - 1, 0) } else { index };
        if bits < width && by & mask(bits) == 0 {
            let high = self.bv(width - bits, by >> bits);
            return self.concat(high, low);
        }
        let (low, by) = (self.resize(low, width), self.bv(width, by));
        self.add(low, by)
    }

    /// The table that an array is: stores of constants at constant indices over a constant everywhere.
    fn constants(&mut self, array: Term) -> Option<Arc<Constants>> {
        if !matches!(self.op(array), Op::Store(..)) {
            return None;
        }
        if let Some(known) = self.constants.get(&array) {
            return known.clone();
        }
        let table = self.find_constants(array).map(Arc::new);
        self.constants.insert(array, table.clone());
        table
    }

    fn find_constants(&self, array: Term) -> Option<Constants> {
        let (index, elem) = self.array_widths(array);
        if index > 64 || elem > 64 {
            return None;
        }
        let mut values: Vec<Option<u64>> = Vec::new();
        let (mut at, mut stores) = (array, 0);
        let beyond = loop {
            match self.op(at) {
                Op::Store(below, index, value) => {
                    stores += 1;
                    let (place, value) = (usize::try_from(self.as_u64(index)?).ok()?, self.as_u64(value)?);
                    if place >= MAX_ENTRIES || stores > 2 * MAX_ENTRIES {
                        return None;
                    }
                    if place >= values.len() {
                        values.resize(place + 1, None);
                    }
                    values[place].get_or_insert(value);
                    at = below;
                }
                Op::ConstArray(value) => break self.as_u64(value)?,
                _ => return None,
            }
        };
        let values: Vec<u64> = values.into_iter().map(|value| value.unwrap_or(beyond)).collect();
        (values.len() >= MIN_ENTRIES).then_some(Constants { values, beyond })
    }

    /// The stretches of a slice of the table, over the indices that the known bits of `index` allow.
    fn stretches(&self, table: &Constants, index: Term, (hi, lo): (u16, u16)) -> Option<Vec<Stretch>> {
        let known = self.known_bits(index);
        let (first, last) = (known.min(), known.max(self.width(index)));
        let bits = mask(hi - lo + 1);
        let value = |i: u64| (table.at(i) >> lo) & bits;
        // Beyond the table there is one value: its first index stands for the others.
        let end = last.min(table.values.len() as u64);
        let mut found: Vec<Stretch> = Vec::new();
        let mut at = first.min(end);
        while at <= end {
            if found.len() == MAX_STRETCHES {
                return None;
            }
            let shift = value(at).wrapping_sub(at) & bits;
            let run = |holds: &dyn Fn(u64) -> bool| (at..=end).take_while(|&i| holds(i)).count() as u64;
            let same = run(&|i| value(i) == value(at));
            // The last index of a table that goes on stands for many: no sum holds for them.
            let sums = run(&|i| i.wrapping_add(shift) & bits == value(i) && (i < end || end == last));
            let (holds, count) = match same >= sums {
                true => (Holds::Value(value(at)), same),
                false => (Holds::Shifted(shift), sums),
            };
            found.push(Stretch { from: at, last: at + (count - 1), holds });
            at += count;
        }
        Some(found)
    }
}
