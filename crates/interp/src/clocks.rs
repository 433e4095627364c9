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

    /// What its thread knew before it last released something.
    pub fn before_own_release(&self, own: u32) -> Clock {
        let mut before = self.clone();
        if let Some(time) = before.0.get_mut(own as usize) {
            *time = time.saturating_sub(1);
        }
        before
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
    /// Made by a library model: known to a reduction of schedules, never reported as a race.
    pub library: bool,
}

impl Access {
    pub fn writes(&self) -> bool {
        matches!(self.kind, AccessKind::SharedWrite | AccessKind::AtomicWrite)
    }

    fn is_atomic(&self) -> bool {
        matches!(self.kind, AccessKind::AtomicRead | AccessKind::AtomicWrite)
    }

    /// The place in the program, without the calls that led there.
    pub fn instruction(&self) -> u64 {
        u64::from(self.place.func) << 32 | u64::from(self.place.origin)
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
                let unordered = |old: &&Access| !old.library && old.conflicts(&new) && old.time > clock.of(old.thread);
                race = list.iter().find(unordered).copied();
            }
            let same =
                |old: &&mut Access| old.thread == new.thread && old.kind == new.kind && old.library == new.library;
            match list.iter_mut().find(same) {
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

    /// The earlier accesses of these bytes that conflict with a new one and are not ordered before it.
    pub fn conflicts(&self, object: u64, bytes: std::ops::Range<i64>, new: &Access, clock: &Clock) -> Vec<Access> {
        let Some(cells) = self.accesses.get(&object) else { return Vec::new() };
        let unordered = |old: &&Access| old.conflicts(new) && old.time > clock.of(old.thread);
        bytes.filter_map(|at| cells.get(&at)).flatten().filter(unordered).copied().collect()
    }

    /// Accesses of an object by other threads that did not happen before a point of this one: the object's end there conflicts with them.
    pub fn unordered(&self, object: u64, thread: u32, clock: &Clock) -> Vec<Access> {
        let Some(cells) = self.accesses.get(&object) else { return Vec::new() };
        let open = |old: &&Access| old.thread != thread && old.time > clock.of(old.thread);
        cells.values().flatten().filter(open).copied().collect()
    }

    /// What matters of all this for races to come, in an order of its own. `clocks` are those of the threads that have not ended.
    ///
    /// Times only serve to ask whether a clock has seen an access. So accesses that all have seen are left out, and times are replaced by ranks: those of
    /// accesses that the same clocks have seen are one, and those of clocks that have seen the same accesses. Two histories of equal digest have the same races from
    /// here on, since a new access is later than all that anyone but its own thread knows, and clocks are only ever joined.
    pub fn digest(&self, clocks: &[Option<&Clock>], mut take: impl FnMut(u64)) {
        let seen_by_all = |a: &Access| {
            let others = clocks.iter().enumerate().filter(|(u, _)| *u != a.thread as usize);
            others.filter_map(|(_, c)| *c).all(|c| c.of(a.thread) >= a.time)
        };
        let mut cells: Vec<(u64, i64, Vec<&Access>)> = Vec::new();
        for (&object, of_object) in &self.accesses {
            for (&at, list) in of_object {
                let open: Vec<&Access> = list.iter().filter(|a| !seen_by_all(a)).collect();
                if !open.is_empty() {
                    cells.push((object, at, open));
                }
            }
        }
        cells.sort_unstable_by_key(|&(object, at, _)| (object, at));
        let known = || clocks.iter().flatten().copied().chain(self.released.values());
        let ranks: Vec<Ranks> = (0..clocks.len() as u32)
            .map(|t| {
                let open = cells.iter().flat_map(|(_, _, list)| list).filter(|a| a.thread == t).map(|a| a.time);
                Ranks::new(open.collect(), known().map(|c| c.of(t)).collect())
            })
            .collect();
        for (object, at, mut list) in cells {
            take(object);
            take(at as u64);
            list.sort_unstable_by_key(|a| (a.thread, a.kind as u8, a.library));
            for a in list {
                take(u64::from(a.thread) << 32 | u64::from(ranks[a.thread as usize].of_access(a.time)));
                take((a.kind as u64) << 1 | u64::from(a.library));
            }
        }
        let seen = |c: &Clock| ranks.iter().zip(0..).map(|(r, t)| r.of_clock(c.of(t))).collect::<Vec<u32>>();
        for clock in clocks.iter().flatten() {
            seen(clock).into_iter().for_each(|r| take(u64::from(r)));
        }
        let mut released: Vec<(u64, Vec<u32>)> = self.released.iter().map(|(at, c)| (*at, seen(c))).collect();
        released.retain(|(_, ranks)| ranks.iter().any(|&r| r > 0));
        released.sort_unstable();
        for (address, ranks) in released {
            take(address);
            ranks.into_iter().for_each(|r| take(u64::from(r)));
        }
    }
}

/// The times of one thread, as far as they tell accesses and clocks apart.
struct Ranks {
    /// Distinct times in clocks, ascending.
    clocks: Vec<u32>,
    /// Distinct indices of the first clock that has seen an access, ascending.
    groups: Vec<u32>,
}

impl Ranks {
    fn new(accesses: Vec<u32>, mut clocks: Vec<u32>) -> Self {
        clocks.sort_unstable();
        clocks.dedup();
        let mut groups: Vec<u32> = accesses.into_iter().map(|a| clocks.partition_point(|&c| c < a) as u32).collect();
        groups.sort_unstable();
        groups.dedup();
        Self { clocks, groups }
    }

    /// Which group of accesses it belongs to, from 1 on.
    fn of_access(&self, time: u32) -> u32 {
        let first = self.clocks.partition_point(|&c| c < time) as u32;
        self.groups.partition_point(|&g| g <= first) as u32
    }

    /// How many groups of accesses it has seen.
    fn of_clock(&self, time: u32) -> u32 {
        let at = self.clocks.partition_point(|&c| c < time) as u32;
        self.groups.partition_point(|&g| g <= at) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(thread: u32, time: u32, kind: AccessKind) -> Access {
        Access { thread, time, kind, property: None, place: Place::NONE, library: false }
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

    /// What everyone has seen, and by how much a clock is ahead, makes no difference; who has seen an access does.
    #[test]
    fn equal_digests_mean_equal_races() {
        let digest = |time: u32, own: u32, other: u32| {
            let mut history = History::default();
            let clock = |of: [u32; 2]| {
                let mut clock = Clock::default();
                (0..2).for_each(|t| (0..of[t as usize]).for_each(|_| clock.tick(t)));
                clock
            };
            let (one, two) = (clock([own, 0]), clock([other, 3]));
            history.access(7, 0..1, access(0, time, AccessKind::SharedWrite), &one);
            let mut taken = Vec::new();
            history.digest(&[Some(&one), Some(&two)], |n| taken.push(n));
            taken
        };
        assert_eq!(digest(2, 3, 1), digest(4, 9, 2));
        assert_ne!(digest(2, 3, 1), digest(2, 3, 2));
        assert_eq!(digest(2, 3, 2), digest(1, 8, 5));
    }
}
