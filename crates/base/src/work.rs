//! Work: what a search is measured by where the clock must not count.
//!
//! A search that is cut off by the clock finds less on a busy machine, and other things in the next run. So every part of a search is limited by the work
//! it does, counted where it is done. One unit is about what a quiet machine of 2024 does in a nanosecond of an optimised build, so that limits read as
//! times; nothing but the order of magnitude hangs on it.

use std::sync::atomic::{AtomicU64, Ordering};

/// An amount of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Work(u64);

impl Work {
    pub const fn units(n: u64) -> Self {
        Self(n)
    }

    /// About what a quiet machine does in so many seconds.
    pub const fn about_seconds(n: u64) -> Self {
        Self(n * 1_000_000_000)
    }

    /// About what a quiet machine does in so many milliseconds.
    pub const fn about_millis(n: u64) -> Self {
        Self(n * 1_000_000)
    }

    pub const fn as_units(self) -> u64 {
        self.0
    }

    pub const fn times(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }

    /// What a quiet machine does in about this time.
    pub fn about(time: std::time::Duration) -> Self {
        Self(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
    }

    /// The time a quiet machine takes for about this, for what can't count work.
    pub const fn as_time(self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.0)
    }

    /// A share between 0 and 1 of it.
    pub fn share(self, share: f64) -> Self {
        Self((self.0 as f64 * share) as u64)
    }

    pub const fn part(self, n: u64) -> Self {
        Self(self.0 / n)
    }

    pub const fn plus(self, more: Self) -> Self {
        Self(self.0.saturating_add(more.0))
    }

    /// What was done after there was so much.
    pub const fn since(self, before: Self) -> Self {
        Self(self.0.saturating_sub(before.0))
    }
}

/// What is counted, each with its price in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labour {
    /// An instruction run symbolically.
    Step,
    /// A term looked at when a formula is simplified or rebuilt.
    Rewrite,
    /// A term that a builder looked for, new or not.
    Lookup,
    /// A gate made by the bit-blaster.
    Gate,
    /// A clause given to the SAT solver.
    Clause,
    /// A tick of the SAT solver: about one cache line that it looks at.
    Tick,
    /// A gate whose value in the SAT solver's model is computed, once per round of array reasoning.
    Value,
    /// An instruction run by the interpreter.
    Instruction,
}

impl Labour {
    /// Units for one piece of it: least squares over the CPU times of 14 checks (four engines, `bench/scale gen` with 600 to 5,000 lines, programs of
    /// tests/c), which it meets within 20 %. A step costs much because what happens to memory in it is not counted by itself.
    pub const fn price(self) -> u64 {
        match self {
            Labour::Step => 60_000,
            Labour::Rewrite => 200,
            Labour::Lookup => 60,
            Labour::Gate => 700,
            Labour::Clause => 200,
            Labour::Tick => 36,
            Labour::Value => 140,
            Labour::Instruction => 30,
        }
    }
}

/// Counts work; shared by everything that works on the same search.
#[derive(Debug, Default)]
pub(crate) struct Meter(AtomicU64);

impl Meter {
    pub(crate) fn add(&self, labour: Labour, pieces: u64) {
        self.0.fetch_add(labour.price().saturating_mul(pieces), Ordering::Relaxed);
    }

    pub(crate) fn total(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
