//! The budget of a run: work, deadline, memory limit, cancellation.
//!
//! Work limits a part of a search (`work`); the deadline and the memory limit only end the run.
//!
//! Only this module looks at the clock and at the process's memory; everything that may take long takes a `&Budget`.

use crate::work::{Labour, Meter, Work};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Why a run has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Time,
    Memory,
    Cancelled,
    /// What the question is worth was spent, whatever the clock says.
    Effort,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Time => "out of time",
            Stop::Memory => "out of memory",
            Stop::Cancelled => "interrupted",
            Stop::Effort => "out of effort",
        })
    }
}

/// One part in so many of the memory limit stays free: a solver that moves its clauses has them twice for a moment, and tables double between two
/// looks.
const ROOM: u64 = 5;

/// So long after the deadline, and with one part in so many more than the memory limit, nobody waits any more.
const GRACE: Duration = Duration::from_millis(1_200);
const EXCESS: u64 = 20;
/// How often whoever waits for a run looks whether it is overdue.
pub const LOOK: Duration = Duration::from_millis(20);
/// How long it holds that memory suffices.
const MEMORY_LOOK_MICROS: u64 = 1_000;
/// What every run may take: below that, what looks at the limits itself is soon enough.
const FLOOR: u64 = 256 << 20;

/// Deadline, memory limit and cancel flag, passed to everything that may take long.
#[derive(Clone, Debug)]
pub struct Budget {
    start: Instant,
    deadline: Option<Instant>,
    memory: Option<u64>,
    effort: Option<u32>,
    meter: Arc<Meter>,
    /// What the meter shows when the work is used up.
    work_ends: Option<u64>,
    /// The same, but set while the work goes on (`brake`).
    brake: Option<Arc<AtomicU64>>,
    cancel: Arc<AtomicBool>,
    /// Set when somebody else has the answer already.
    settled: Option<Arc<AtomicBool>>,
    /// When the memory was last seen to suffice, in microseconds since the start.
    looked: Arc<AtomicU64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::unlimited()
    }
}

impl Budget {
    /// No limit but cancellation.
    pub fn unlimited() -> Self {
        Self {
            start: Instant::now(),
            deadline: None,
            memory: None,
            effort: None,
            meter: Arc::default(),
            work_ends: None,
            brake: None,
            cancel: Arc::new(AtomicBool::new(false)),
            settled: None,
            looked: Arc::default(),
        }
    }

    /// Limits by wall time from now and by resident bytes.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Self {
        let start = Instant::now();
        Self {
            start,
            deadline: time.map(|t| start + t),
            memory,
            effort: None,
            meter: Arc::default(),
            work_ends: None,
            brake: None,
            cancel: Arc::new(AtomicBool::new(false)),
            settled: None,
            looked: Arc::default(),
        }
    }

    /// The same budget with at most `time` from now.
    pub fn child(&self, time: Duration) -> Self {
        let wanted = Instant::now() + time;
        Self { deadline: Some(self.deadline.map_or(wanted, |d| d.min(wanted))), ..self.clone() }
    }

    /// The same budget with at most so much more work. What is done under it counts for the whole, too.
    pub fn worth(&self, work: Work) -> Self {
        let wanted = self.meter.total().saturating_add(work.as_units());
        Self { work_ends: Some(self.work_ends.map_or(wanted, |e| e.min(wanted))), ..self.clone() }
    }

    /// The same budget for a worker of its own: what others do at the same time does not count for it.
    pub fn separate(&self) -> Self {
        let left = self.work_left();
        let own = Self { meter: Arc::default(), work_ends: None, brake: None, ..self.clone() };
        match left {
            Some(left) => own.worth(left),
            None => own,
        }
    }

    /// The same budget, whose work can be limited later by `brake`.
    pub fn with_brake(&self) -> Self {
        Self { brake: Some(Arc::new(AtomicU64::new(u64::MAX))), ..self.clone() }
    }

    /// Lets everything that works under this budget do at most so much more. The budget should have come from `with_brake`.
    pub fn brake(&self, work: Work) {
        let brake = self.brake.as_ref().expect("a budget with a brake");
        brake.store(self.meter.total().saturating_add(work.as_units()), Ordering::Relaxed);
    }

    fn work_end(&self) -> Option<u64> {
        let brake = self.brake.as_ref().map(|b| b.load(Ordering::Relaxed)).filter(|b| *b != u64::MAX);
        self.work_ends.into_iter().chain(brake).min()
    }

    /// Counts work.
    pub fn spend(&self, labour: Labour, pieces: u64) {
        self.meter.add(labour, pieces);
    }

    /// Work done so far.
    pub fn spent(&self) -> Work {
        Work::units(self.meter.total())
    }

    /// Work left, if it is limited.
    pub fn work_left(&self) -> Option<Work> {
        self.work_end().map(|e| Work::units(e.saturating_sub(self.meter.total())))
    }

    /// The same budget for questions that are only worth so many conflicts of a solver each.
    pub fn with_effort(&self, conflicts: u32) -> Self {
        Self { effort: Some(conflicts), ..self.clone() }
    }

    /// Conflicts that one question is worth, if that is limited.
    pub fn effort(&self) -> Option<u32> {
        self.effort
    }

    /// The same budget, which also ends when the flag is set.
    pub fn until(&self, settled: &Arc<AtomicBool>) -> Self {
        Self { settled: Some(Arc::clone(settled)), ..self.clone() }
    }

    /// The flag another thread or a signal handler sets to stop the run.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    /// Why the run has to stop now, if it has to.
    pub fn expired(&self) -> Option<Stop> {
        self.interrupted().or_else(|| self.is_short_of_memory().then_some(Stop::Memory))
    }

    /// Whether memory is used up. A look takes some ten microseconds, and solvers ask before each of their short questions: what was seen holds for a millisecond.
    fn is_short_of_memory(&self) -> bool {
        let Some(most) = self.memory else { return false };
        let (now, last) = (self.start.elapsed().as_micros() as u64, self.looked.load(Ordering::Relaxed));
        if last != 0 && now < last + MEMORY_LOOK_MICROS {
            return false;
        }
        let short = resident_bytes() > most - most / ROOM;
        self.looked.store(if short { 0 } else { now.max(1) }, Ordering::Relaxed);
        short
    }

    /// The same without a look at memory, which costs a system call: for every step of what takes long.
    pub fn interrupted(&self) -> Option<Stop> {
        let settled = self.settled.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if settled || self.cancel.load(Ordering::Relaxed) {
            return Some(Stop::Cancelled);
        }
        if self.work_end().is_some_and(|e| self.meter.total() >= e) {
            return Some(Stop::Effort);
        }
        self.deadline.is_some_and(|d| Instant::now() >= d).then_some(Stop::Time)
    }

    /// Why there is no more waiting for what should have stopped by itself: the limits are exceeded by as much as is tolerated.
    pub fn overdue(&self) -> Option<Stop> {
        if self.deadline.is_some_and(|d| Instant::now() >= d + GRACE) {
            return Some(Stop::Time);
        }
        self.memory.is_some_and(|m| resident_bytes() > (m + m / EXCESS).max(FLOOR)).then_some(Stop::Memory)
    }

    /// Time left until the deadline.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }

    /// Time since the budget was made.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The memory limit in bytes.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory
    }
}

/// The time as ISO 8601 in UTC; `SOURCE_DATE_EPOCH` replaces the clock, so that output can be made again.
pub fn utc_now() -> String {
    let told = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.parse::<u64>().ok());
    let clock = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs());
    iso_time(told.unwrap_or_else(clock))
}

/// Seconds since 1970 as a date. Years begin in March here, so that the odd day of a leap year comes last.
fn iso_time(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let (era, day) = (shifted / 146_097, shifted % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let (h, m, s) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}Z", era * 400 + year + next)
}

/// Bytes of this process that are resident in memory now.
pub fn resident_bytes() -> u64 {
    resident("self")
}

/// The same of another process and all it has started.
pub fn tree_bytes(process: u32) -> u64 {
    let mut open = vec![process.to_string()];
    let mut total = 0;
    while let Some(process) = open.pop() {
        total += resident(&process);
        let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
        open.extend(children.unwrap_or_default().split_whitespace().map(str::to_owned));
    }
    total
}

fn resident(process: &str) -> u64 {
    let Ok(statm) = std::fs::read_to_string(format!("/proc/{process}/statm")) else {
        return 0;
    };
    let pages: u64 = statm.split_whitespace().nth(1).and_then(|p| p.parse().ok()).unwrap_or(0);
    pages * 4096
}

#[cfg(test)]
mod tests {
    use super::iso_time;

    #[test]
    fn dates_know_leap_years() {
        assert_eq!(iso_time(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_time(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(iso_time(4_107_542_400), "2100-03-01T00:00:00Z");
    }
}
