//! Happens-before by vector clocks, and accesses that it does not order: data races.
//!
//! Each thread has a clock of what it knows of every thread; a release at an address leaves it there, an acquire takes it. Of each byte the latest access of
//! each thread and kind is kept: where that happened before, so did all earlier ones. After Flanagan and Freund, FastTrack (PLDI 2009), section 3, without
//! the compression: the programs are small, and every race has to be seen.
//!
//! Absent: accesses inside library models.

use crate::memory::Place;
use blitz_ir::{AccessKind, PropertyId};
use std::collections::HashMap;

/// What a thread knows: how far it has seen each thread get.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Clock(Vec<u32>);

impl Clock {
    pub fn of(&self, thread: u32) -> u32 {
        self.0.get(thread as usize).copied().unwrap_or(0)
    }

    pub fn tick(&mut self, thread: u32) {
        let at = thread as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] += 1;
    }

    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
}

/// An access of some bytes.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub thread: u32,
    /// The thread's own count when it was made.
    pub time: u32,
    pub kind: AccessKind,
    pub property: Option<PropertyId>,
    pub place: Place,
}

impl Access {
    pub fn writes(&self) -> bool {
        matches!(self.kind, AccessKind::SharedWrite | AccessKind::AtomicWrite)
    }

    fn is_atomic(&self) -> bool {
        matches!(self.kind, AccessKind::AtomicRead | AccessKind::AtomicWrite)
    }

    fn conflicts(&self, other: &Access) -> bool {
        self.thread != other.thread && (self.writes() || other.writes()) && !(self.is_atomic() && other.is_atomic())
    }
}

/// What was released where, and who accessed what.
#[derive(Default)]
pub struct History {
    pub released: HashMap<u64, Clock>,
    /// By object, then by offset.
    accesses: HashMap<u64, HashMap<i64, Vec<Access>>>,
}

impl History {
    /// Notes an access of bytes of an object; the first earlier one that it races with.
    pub fn access(&mut self, object: u64, bytes: std::ops::Range<i64>, new: Access, clock: &Clock) -> Option<Access> {
        let cells = self.accesses.entry(object).or_default();
        let mut race = None;
        for offset in bytes {
            let list = cells.entry(offset).or_default();
            if race.is_none() {
                let unordered = |old: &&Access| old.conflicts(&new) && old.time > clock.of(old.thread);
                race = list.iter().find(unordered).copied();
            }
            match list.iter_mut().find(|old| old.thread == new.thread && old.kind == new.kind) {
                Some(old) => *old = new,
                None => list.push(new),
            }
        }
        race
    }

    /// The number stands for another object from here on.
    pub fn forget(&mut self, object: u64) {
        self.accesses.remove(&object);
    }

    /// What is kept, in an order of its own.
    pub fn digest(&self, mut take: impl FnMut(u64)) {
        let mut released: Vec<(&u64, &Clock)> = self.released.iter().collect();
        released.sort_unstable_by_key(|(address, _)| **address);
        for (address, clock) in released {
            take(*address);
            clock.0.iter().for_each(|&n| take(u64::from(n)));
        }
        let mut cells: Vec<(u64, i64, &Vec<Access>)> =
            self.accesses.iter().flat_map(|(&o, cells)| cells.iter().map(move |(&at, list)| (o, at, list))).collect();
        cells.sort_unstable_by_key(|&(object, at, _)| (object, at));
        for (object, at, list) in cells {
            take(object);
            take(at as u64);
            for access in list {
                take(u64::from(access.thread) << 32 | u64::from(access.time));
                take(access.kind as u64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(thread: u32, time: u32, kind: AccessKind) -> Access {
        Access { thread, time, kind, property: None, place: Place::NONE }
    }

    #[test]
    fn what_was_acquired_is_ordered() {
        let mut history = History::default();
        let (mut one, mut two) = (Clock::default(), Clock::default());
        one.tick(1);
        two.tick(2);
        assert!(history.access(5, 0..4, access(1, 1, AccessKind::SharedWrite), &one).is_none());
        assert!(history.access(5, 2..3, access(2, 1, AccessKind::SharedRead), &two).is_some());
        two.join(&one);
        assert!(history.access(5, 2..3, access(2, 1, AccessKind::SharedWrite), &two).is_none());
    }

    #[test]
    fn atomic_accesses_race_with_plain_ones_only() {
        let mut history = History::default();
        let (mut one, mut two) = (Clock::default(), Clock::default());
        one.tick(1);
        two.tick(2);
        assert!(history.access(5, 0..4, access(1, 1, AccessKind::AtomicWrite), &one).is_none());
        assert!(history.access(5, 0..4, access(2, 1, AccessKind::AtomicRead), &two).is_none());
        assert!(history.access(5, 0..4, access(2, 1, AccessKind::SharedRead), &two).is_some());
    }
}
