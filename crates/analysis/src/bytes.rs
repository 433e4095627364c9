//! Which bytes of an object: offsets from where a pointer points to, as few ranges.
//!
//! Direction: always at least the bytes that are meant. Where ranges become many, the nearest ones are joined with what is between them.

/// Ranges that are kept apart: a function writes a handful of members, and one that writes more is mostly about the whole object.
const MAX_RANGES: usize = 16;
/// Offsets beyond this are of no object.
const FAR: i64 = 1 << 40;

/// A set of offsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bytes {
    /// Any of the object.
    Any,
    /// From the first, which is in, to the second, which is not; in order, with gaps between them.
    Ranges(Vec<(i64, i64)>),
}

impl Bytes {
    /// The place itself.
    pub fn here() -> Self {
        Self::range(0, 1)
    }

    /// From `from` up to `to`, which is left out.
    pub fn range(from: i64, to: i64) -> Self {
        if from < -FAR || to > FAR { Bytes::Any } else { Bytes::Ranges(vec![(from, to)]) }
    }

    /// Adds another set.
    pub fn add(&mut self, other: &Bytes) {
        let (Bytes::Ranges(mine), Bytes::Ranges(theirs)) = (&*self, other) else {
            *self = Bytes::Any;
            return;
        };
        if theirs.iter().all(|(from, to)| mine.iter().any(|(a, b)| a <= from && to <= b)) {
            return;
        }
        let mut all = [mine.as_slice(), theirs.as_slice()].concat();
        all.sort_unstable();
        *self = Bytes::Ranges(joined(all));
    }

    /// The set as seen from a place that is `by` bytes before, or as many as one of a set says: sums of both.
    pub fn moved(&self, by: &Bytes) -> Bytes {
        let (Bytes::Ranges(mine), Bytes::Ranges(steps)) = (self, by) else { return Bytes::Any };
        let mut all = Vec::new();
        for (from, to) in mine {
            for (first, end) in steps {
                let (from, to) = (from + first, to + end - 1);
                if from < -FAR || to > FAR {
                    return Bytes::Any;
                }
                all.push((from, to));
            }
        }
        all.sort_unstable();
        Bytes::Ranges(joined(all))
    }

    /// What an access of `len` bytes at one of these places touches.
    pub fn widened(&self, len: i64) -> Bytes {
        if len > 0 { self.moved(&Bytes::range(0, len)) } else { Bytes::Ranges(Vec::new()) }
    }
}

/// The ranges of a sorted list, those that meet as one; the nearest joined while there are too many.
fn joined(sorted: Vec<(i64, i64)>) -> Vec<(i64, i64)> {
    let mut out: Vec<(i64, i64)> = Vec::new();
    for (from, to) in sorted {
        match out.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    while out.len() > MAX_RANGES {
        let gap = |i: &usize| out[i + 1].0 - out[*i].1;
        let nearest = (0..out.len() - 1).min_by_key(gap).expect("several ranges should have a gap");
        out[nearest].1 = out.remove(nearest + 1).1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_meet_are_one_and_many_are_joined_where_they_are_near() {
        let mut set = Bytes::range(8, 12);
        set.add(&Bytes::range(0, 4));
        set.add(&Bytes::range(4, 6));
        assert_eq!(set, Bytes::Ranges(vec![(0, 6), (8, 12)]));
        for i in 1..40 {
            set.add(&Bytes::range(100 * i, 100 * i + 1));
        }
        let Bytes::Ranges(ranges) = &set else { panic!("should be ranges") };
        assert!(ranges.len() <= MAX_RANGES && ranges.first().is_some_and(|r| r.0 == 0));
        assert!((1..40).all(|i| ranges.iter().any(|(a, b)| *a <= 100 * i && 100 * i < *b)), "nothing is lost");
    }

    #[test]
    fn an_access_of_an_array_element_touches_the_array() {
        // int a[40] at offset 28, index 0 to 31.
        let index = Bytes::range(0, 31 * 4 + 1);
        assert_eq!(Bytes::range(28, 29).moved(&index).widened(4), Bytes::Ranges(vec![(28, 28 + 128)]));
        assert_eq!(Bytes::Any.widened(4), Bytes::Any);
        assert_eq!(Bytes::here().widened(0), Bytes::Ranges(Vec::new()));
    }
}
