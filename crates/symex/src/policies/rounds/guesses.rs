//! Which memory is guessed at the beginning of a round, where threads run one after the other (`one_by_one`).
//!
//! What is written is found by running: an execution on too few guesses finds more, and is thrown away. Guesses are
//! kept by pieces of objects as they are written. A piece that only the first thread writes needs no guess: that thread
//! runs before all others, so that what it leaves is known. Addresses are guessed among those that are ever written, so
//! that what they mean stays syntactically known.

use crate::ids::Holder;
use crate::machine::Machine;
use crate::memory::{Memory, Object};
use crate::ranges::Facts;
use blitz_term::{Op, Sort, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Bytes of the largest object that threads may share.
const MAX_BYTES: u64 = 4096;
/// Addresses that one piece is guessed among.
const MAX_ADDRESSES: usize = 16;

/// What threads write, as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Guesses {
    objects: BTreeMap<Holder, BTreeMap<u64, Piece>>,
    /// Something was not covered.
    grew: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Piece {
    bytes: u64,
    /// All values that it may have, if they are constants and some are addresses.
    among: Option<BTreeSet<Term>>,
    /// Nobody but the first thread writes it.
    first_only: bool,
}

impl Guesses {
    /// Whether anything was found since this was asked last.
    pub fn take_growth(&mut self) -> bool {
        std::mem::take(&mut self.grew)
    }

    pub(super) fn numbers(&self) -> BTreeSet<Holder> {
        self.objects.keys().copied().collect()
    }

    /// A thread wrote a value.
    fn learn(&mut self, object: Holder, at: u64, bytes: u64, first: bool, among: Option<BTreeSet<Term>>) {
        let pieces = self.objects.entry(object).or_default();
        let overlapping: Vec<u64> =
            pieces.range(..at + bytes).filter(|(o, p)| **o + p.bytes > at).map(|(o, _)| *o).collect();
        match overlapping.as_slice() {
            [] => {
                pieces.insert(at, Piece { bytes, among, first_only: first });
                self.grew = true;
            }
            [one] if *one == at && pieces[one].bytes == bytes => {
                let old = pieces.get_mut(one).expect("a piece that was found should be there");
                let joined = match (&old.among, among) {
                    (Some(a), Some(b)) => Some(a.union(&b).copied().collect::<BTreeSet<Term>>()),
                    (_, _) => None,
                };
                let new = Piece {
                    bytes,
                    among: joined.filter(|j| j.len() <= MAX_ADDRESSES),
                    first_only: old.first_only && first,
                };
                self.grew |= *old != new;
                *old = new;
            }
            _ => self.cut(object, at, bytes, first, &overlapping),
        }
    }

    /// A piece that crosses others: all of them fall apart where one begins or ends.
    fn cut(&mut self, object: Holder, at: u64, bytes: u64, first: bool, overlapping: &[u64]) {
        let pieces = self.objects.entry(object).or_default();
        let before = pieces.clone();
        let mut cuts = BTreeSet::from([at, at + bytes]);
        let mut covered = vec![(at, at + bytes, first)];
        for o in overlapping {
            let old = pieces.remove(o).expect("a piece that was found should be there");
            cuts.extend([*o, *o + old.bytes]);
            covered.push((*o, *o + old.bytes, old.first_only));
        }
        let cuts: Vec<u64> = cuts.into_iter().collect();
        for pair in cuts.windows(2) {
            let over: Vec<&(u64, u64, bool)> = covered.iter().filter(|c| c.0 <= pair[0] && pair[1] <= c.1).collect();
            if !over.is_empty() {
                let first_only = over.iter().all(|c| c.2);
                pieces.insert(pair[0], Piece { bytes: pair[1] - pair[0], among: None, first_only });
            }
        }
        self.grew |= *pieces != before;
    }
}

/// The constants that a choice ends in, if it ends in nothing else and one of them is an address.
fn addresses(terms: &Terms, value: Term, off_bits: u16) -> Option<BTreeSet<Term>> {
    let mut out = BTreeSet::new();
    let (mut stack, mut seen) = (vec![value], BTreeSet::new());
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        match terms.op(t) {
            Op::Ite(_, a, b) => stack.extend([a, b]),
            _ if terms.is_const(t) => {
                out.insert(t);
            }
            _ => return None,
        }
        if out.len() > MAX_ADDRESSES {
            return None;
        }
    }
    let address = |t: &Term| terms.as_u64(*t).is_some_and(|n| n >> off_bits != 0);
    out.iter().any(address).then_some(out)
}

/// What a round begins with.
pub(super) struct Guessed {
    pub memory: Memory,
    /// The values that have to be what the round before leaves: object, offset, bytes.
    values: Vec<(Holder, u64, u64, Term)>,
}

impl Machine<'_, '_> {
    /// Memory that a round begins with; what the first thread alone writes is as it left it.
    pub(super) fn guess(&mut self, guesses: &Guesses, first_left: &Memory) -> Guessed {
        let (mut memory, mut values) = (Memory::default(), Vec::new());
        for (&number, pieces) in &guesses.objects {
            let Some(left) = first_left.object(&mut self.space, self.terms, number) else { continue };
            let Some(initial) = Memory::default().object(&mut self.space, self.terms, number) else { continue };
            let mut object = (*initial).clone();
            for (&at, piece) in pieces {
                let value = match piece.first_only {
                    true => left.data.word(self.terms, at, piece.bytes),
                    false => {
                        let value = self.guess_piece(piece);
                        values.push((number, at, piece.bytes, value));
                        value
                    }
                };
                self.put_piece(&mut object, at, value);
            }
            memory.put(number, object);
        }
        Guessed { memory, values }
    }

    fn guess_piece(&mut self, piece: &Piece) -> Term {
        let Some(among) = &piece.among else {
            return self.terms.fresh("guess", Sort::Bv((piece.bytes * 8) as u16));
        };
        let mut values = among.iter().copied();
        let mut out = values.next().expect("addresses should be some");
        for value in values {
            let this = self.terms.fresh("guess", Sort::Bv(1));
            out = self.terms.ite(this, value, out);
        }
        out
    }

    fn put_piece(&mut self, object: &mut Object, at: u64, value: Term) {
        let off_bits = self.space.off_bits();
        let off = self.terms.bv(off_bits, at);
        let facts = Facts::default();
        let within = crate::contents::Within { size: object.const_size(self.terms), facts: &facts, off_bits };
        object.data.store(self.terms, off, value, within);
    }

    /// Every guess is what was left.
    pub(super) fn guesses_hold(&mut self, guessed: &Guessed, left: &Memory) -> Term {
        let mut out = self.terms.tru();
        for &(number, at, bytes, value) in &guessed.values {
            let Some(object) = left.object(&mut self.space, self.terms, number) else { continue };
            let is = object.data.word(self.terms, at, bytes);
            let same = self.terms.eq(value, is);
            out = self.terms.and(out, same);
        }
        out
    }

    /// Takes note of what a thread wrote; gives what cannot be guessed.
    pub(super) fn learn_writes(
        &mut self,
        guesses: &mut Guesses,
        first: bool,
        before: &Memory,
        after: &Memory,
    ) -> Option<&'static str> {
        let mut trouble = None;
        for number in before.differing(after) {
            let Some(initial) = Memory::default().object(&mut self.space, self.terms, number) else { continue };
            let (Some(old), Some(new)) =
                (before.object(&mut self.space, self.terms, number), after.object(&mut self.space, self.terms, number))
            else {
                continue;
            };
            trouble = self.learn_object(guesses, first, number, [&initial, &old, &new]).or(trouble);
        }
        trouble
    }

    fn learn_object(
        &mut self,
        guesses: &mut Guesses,
        first: bool,
        number: Holder,
        [initial, old, new]: [&Rc<Object>; 3],
    ) -> Option<&'static str> {
        let mut trouble = None;
        let Some(size) = new.const_size(self.terms).filter(|s| *s <= MAX_BYTES) else {
            return Some("threads that share a large object");
        };
        let word = u64::from(self.space.ptr_bits()) / 8;
        for (at, bytes) in new.data.layout(0, size) {
            let (was, is) = (old.data.word(self.terms, at, bytes), new.data.word(self.terms, at, bytes));
            if was == is {
                continue;
            }
            let off_bits = self.space.off_bits();
            let among = if bytes == word { addresses(self.terms, is, off_bits) } else { None };
            let private = |n: Term| {
                let first_free = self.space.first_free().number();
                self.terms.as_u64(n).is_some_and(|n| (n >> off_bits) >= first_free)
            };
            if among.iter().flatten().any(|&n| private(n)) {
                trouble = Some("threads that share other memory than global variables");
            }
            guesses.learn(number, at, bytes, first, among);
        }
        if let (Some(was), Some(is)) = (&initial.shadow, &new.shadow) {
            for (at, bytes) in is.layout(0, size) {
                if was.word(self.terms, at, bytes) != is.word(self.terms, at, bytes) {
                    trouble = Some("threads that share values that nobody set");
                }
            }
        }
        trouble
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::ObjectNo;

    const SEVEN: Holder = Holder::Object(ObjectNo(7));

    #[test]
    fn pieces_that_cross_fall_apart() {
        let mut guesses = Guesses::default();
        guesses.learn(SEVEN, 0, 4, true, None);
        assert!(guesses.take_growth());
        guesses.learn(SEVEN, 0, 4, true, None);
        assert!(!guesses.take_growth());
        guesses.learn(SEVEN, 2, 4, false, None);
        assert!(guesses.take_growth());
        let pieces: Vec<(u64, u64, bool)> =
            guesses.objects[&SEVEN].iter().map(|(o, p)| (*o, p.bytes, p.first_only)).collect();
        assert_eq!(pieces, [(0, 2, true), (2, 2, false), (4, 2, false)]);
        guesses.learn(SEVEN, 2, 4, false, None);
        guesses.learn(SEVEN, 0, 4, true, None);
        assert!(!guesses.take_growth());
    }
}
