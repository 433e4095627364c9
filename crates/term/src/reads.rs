//! Where the writes of an array are: finds what a read at `base + constant` sees without walking the chain of stores.
//!
//! A *run* is a chain of stores, each on top of the one before, whose indices have the same base and differ only by constants
//! (`base + k`, or plain constants). Inside a run two indices are equal or surely different, so a read with that base needs one
//! lookup: the latest write at its offset that is not above the array it reads, or else the array below the run.
//! Invariant: a store belongs to exactly one run; a store on top of an array that is not the tip of its run starts a new run.

use crate::hash::FastHash;
use crate::node::Term;
use std::collections::HashMap;

/// An index as a base (none for a constant) and a constant offset, itself a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub base: Option<Term>,
    pub offset: Term,
}

#[derive(Clone, Default)]
pub(crate) struct ReadIndex {
    runs: Vec<Run>,
    writes: Vec<Write>,
    /// The run of a store and its position there.
    stores: HashMap<Term, (u32, u32), FastHash>,
    /// The latest write of a run at an offset.
    latest: HashMap<(u32, Term), u32, FastHash>,
    /// Results of reads that had to split over several arrays.
    pub memo: HashMap<(Term, Term), Term, FastHash>,
}

#[derive(Clone)]
struct Run {
    base: Option<Term>,
    bottom: Term,
    tip: Term,
    len: u32,
}

#[derive(Clone)]
struct Write {
    position: u32,
    value: Term,
    earlier: Option<u32>,
}

/// What a run says about a read.
pub(crate) enum Seen {
    /// The value written last.
    Value(Term),
    /// Nothing was written there; the array below the run decides.
    Below(Term),
    /// The run has another base.
    OtherBase,
}

impl ReadIndex {
    /// Records a store that was just made.
    pub fn record(&mut self, store: Term, array: Term, place: Place, value: Term) {
        if self.stores.contains_key(&store) {
            return;
        }
        let run = self.run_for(array, place.base);
        let position = self.runs[run as usize].len;
        self.runs[run as usize].len += 1;
        self.runs[run as usize].tip = store;
        self.stores.insert(store, (run, position));
        let write = self.writes.len() as u32;
        let earlier = self.latest.insert((run, place.offset), write);
        self.writes.push(Write { position, value, earlier });
    }

    fn run_for(&mut self, array: Term, base: Option<Term>) -> u32 {
        if let Some(&(run, _)) = self.stores.get(&array) {
            let found = &self.runs[run as usize];
            if found.tip == array && found.base == base {
                return run;
            }
        }
        self.runs.push(Run { base, bottom: array, tip: array, len: 0 });
        self.runs.len() as u32 - 1
    }

    /// What a read of `store` at `place` sees.
    pub fn look(&self, store: Term, place: Place) -> Seen {
        let Some(&(run, position)) = self.stores.get(&store) else {
            return Seen::OtherBase;
        };
        let found = &self.runs[run as usize];
        if found.base != place.base {
            return Seen::OtherBase;
        }
        let mut next = self.latest.get(&(run, place.offset)).copied();
        while let Some(write) = next {
            let write = &self.writes[write as usize];
            if write.position <= position {
                return Seen::Value(write.value);
            }
            next = write.earlier;
        }
        Seen::Below(found.bottom)
    }
}
