//! The value of an array in a candidate model, as runs of equal elements.
//!
//! Why runs: a fill of 2^40 cells is one entry, and the first cell with some property is found in time of the number of
//! runs, whatever the limits are.
//! Invariants: there is a run that starts at 0; a run ends before the next begins, the last one at the highest index.
//! Index arithmetic wraps at the index width, which is at most 64.

use blitz_base::Bv;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runs {
    last: u64,
    starts: BTreeMap<u64, Bv>,
}

/// Cells `first ..= last` hold `value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    pub first: u64,
    pub last: u64,
    pub value: &'a Bv,
}

impl Runs {
    /// The array that holds `value` everywhere.
    pub fn constant(index_width: u16, value: Bv) -> Self {
        assert!(index_width <= 64, "runs should have an index of at most 64 bits");
        let last = if index_width == 64 { u64::MAX } else { (1 << index_width) - 1 };
        Self { last, starts: BTreeMap::from([(0, value)]) }
    }

    pub fn get(&self, index: u64) -> &Bv {
        let (_, value) = self.starts.range(..=index).next_back().expect("a run should start at 0");
        value
    }

    pub fn set(&mut self, index: u64, value: Bv) {
        self.set_range(index, index, value);
    }

    /// Sets `len` cells from `offset` on, around the end if need be.
    pub fn fill(&mut self, offset: u64, len: u64, value: &Bv) {
        for (first, last) in self.pieces(offset, len) {
            self.set_range(first, last, value.clone());
        }
    }

    /// Cells `dst + k` take the cells `src_off + k` of `src`, for `k` below `len`.
    pub fn copy(&mut self, dst: u64, src: &Runs, src_off: u64, len: u64) {
        let mut parts = Vec::new();
        src.for_each(src_off, len, |k, count, value| {
            parts.push((k, count, value.clone()));
            true
        });
        for (k, count, value) in parts {
            self.fill(dst.wrapping_add(k) & self.last, count, &value);
        }
    }

    fn set_range(&mut self, first: u64, last: u64, value: Bv) {
        if last < self.last && !self.starts.contains_key(&(last + 1)) {
            let after = self.get(last + 1).clone();
            self.starts.insert(last + 1, after);
        }
        let inside: Vec<u64> = self.starts.range(first..=last).map(|(k, _)| *k).collect();
        for k in inside {
            self.starts.remove(&k);
        }
        self.starts.insert(first, value);
    }

    fn pieces(&self, offset: u64, len: u64) -> Vec<(u64, u64)> {
        if len == 0 {
            return Vec::new();
        }
        let to_end = self.last - offset;
        if len - 1 <= to_end {
            vec![(offset, offset + (len - 1))]
        } else {
            vec![(offset, self.last), (0, len - 2 - to_end)]
        }
    }

    /// Calls `f(k, count, value)` for the stretches of cells `offset + k ..`, in order of `k`, up to `len` cells in all, as
    /// long as it returns true.
    pub fn for_each(&self, offset: u64, len: u64, mut f: impl FnMut(u64, u64, &Bv) -> bool) {
        let mut k = 0;
        for (first, last) in self.pieces(offset, len) {
            let mut at = first;
            while at <= last {
                let run_end = self
                    .starts
                    .range((std::ops::Bound::Excluded(at), std::ops::Bound::Unbounded))
                    .next()
                    .map_or(self.last, |(next, _)| next - 1);
                let end = run_end.min(last);
                let count = end - at + 1;
                if !f(k, count, self.get(at)) {
                    return;
                }
                k = k.wrapping_add(count);
                if end == last {
                    break;
                }
                at = end + 1;
            }
        }
    }

    /// All runs in order.
    pub fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let ends = self.starts.keys().skip(1).map(|k| k - 1).chain([self.last]);
        self.starts.iter().zip(ends).map(|((first, value), last)| Run { first: *first, last, value })
    }
}

/// The first `max` values of `k` below `len` where `a[a_off + k]` and `b[b_off + k]` differ.
pub fn differences(a: &Runs, a_off: u64, b: &Runs, b_off: u64, len: u64, max: usize) -> Vec<u64> {
    let mut found = Vec::new();
    a.for_each(a_off, len, |k, count, x| {
        b.for_each(b_off.wrapping_add(k) & b.last, count, |inner, n, y| {
            if x != y {
                let start = k + inner;
                found.extend((0..n).take(max - found.len()).map(|i| start + i));
            }
            found.len() < max
        });
        found.len() < max
    });
    found
}

/// The first `max` values of `k` below `len` where `a[off + k]` is `value`.
pub fn hits(a: &Runs, off: u64, value: &Bv, len: u64, max: usize) -> Vec<u64> {
    let mut found = Vec::new();
    a.for_each(off, len, |k, count, x| {
        if x == value {
            found.extend((0..count).take(max - found.len()).map(|i| k + i));
        }
        found.len() < max
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte(v: u64) -> Bv {
        Bv::from_u64(8, v)
    }

    /// Random operations on 4-bit indices against a plain table.
    #[test]
    fn runs_agree_with_a_table() {
        let mut seed = 88_172_645_463_325_252_u64;
        let mut next = move |n: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 17) % n
        };
        for _ in 0..300 {
            let mut runs = Runs::constant(4, byte(0));
            let mut table = [0_u64; 16];
            for _ in 0..12 {
                let (off, src, len, v) = (next(16), next(16), next(16), next(4));
                match next(3) {
                    0 => {
                        runs.set(off, byte(v));
                        table[off as usize] = v;
                    }
                    1 => {
                        runs.fill(off, len, &byte(v));
                        (0..len).for_each(|k| table[((off + k) % 16) as usize] = v);
                    }
                    _ => {
                        let old = (runs.clone(), table);
                        runs.copy(off, &old.0, src, len);
                        (0..len).for_each(|k| table[((off + k) % 16) as usize] = old.1[((src + k) % 16) as usize]);
                    }
                }
                for i in 0..16 {
                    assert_eq!(*runs.get(i), byte(table[i as usize]));
                }
                let want: Vec<u64> = (0..len).filter(|k| table[((off + k) % 16) as usize] == v).collect();
                assert_eq!(hits(&runs, off, &byte(v), len, 100), want);
                let want: Vec<u64> =
                    (0..len).filter(|k| table[((off + k) % 16) as usize] != table[((src + k) % 16) as usize]).collect();
                assert_eq!(differences(&runs, off, &runs, src, len, 100), want);
                assert_eq!(runs.runs().map(|r| r.last - r.first + 1).sum::<u64>(), 16);
            }
        }
    }

    #[test]
    fn huge_ranges_are_cheap() {
        let mut runs = Runs::constant(64, byte(1));
        runs.fill(1 << 20, 1 << 40, &byte(7));
        runs.set((1 << 30) + 5, byte(0));
        assert_eq!(hits(&runs, 0, &byte(0), u64::MAX, 3), vec![(1 << 30) + 5]);
        assert_eq!(hits(&runs, 1 << 63, &byte(7), u64::MAX, 1), vec![(1 << 63) + (1 << 20)]);
        assert_eq!(runs.runs().count(), 5);
    }
}
