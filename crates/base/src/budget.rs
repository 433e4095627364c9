//! The budget of a run: deadline, memory limit, cancellation.
//!
//! Only this module looks at the clock and at the process's memory; everything that may take long takes a `&Budget`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a run has to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Time,
    Memory,
    Cancelled,
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Time => "out of time",
            Stop::Memory => "out of memory",
            Stop::Cancelled => "interrupted",
        })
    }
}

/// Deadline, memory limit and cancel flag, passed to everything that may take long.
#[derive(Clone, Debug)]
pub struct Budget {
    start: Instant,
    deadline: Option<Instant>,
    memory: Option<u64>,
    cancel: Arc<AtomicBool>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::unlimited()
    }
}

impl Budget {
    /// No limit but cancellation.
    pub fn unlimited() -> Self {
        Self { start: Instant::now(), deadline: None, memory: None, cancel: Arc::new(AtomicBool::new(false)) }
    }

    /// Limits by wall time from now and by resident bytes.
    pub fn new(time: Option<Duration>, memory: Option<u64>) -> Self {
        let start = Instant::now();
        Self { start, deadline: time.map(|t| start + t), memory, cancel: Arc::new(AtomicBool::new(false)) }
    }

    /// The same budget with at most `time` from now.
    pub fn child(&self, time: Duration) -> Self {
        let wanted = Instant::now() + time;
        Self { deadline: Some(self.deadline.map_or(wanted, |d| d.min(wanted))), ..self.clone() }
    }

    /// The flag another thread or a signal handler sets to stop the run.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    /// Why the run has to stop now, if it has to.
    pub fn expired(&self) -> Option<Stop> {
        if self.cancel.load(Ordering::Relaxed) {
            return Some(Stop::Cancelled);
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Some(Stop::Time);
        }
        if self.memory.is_some_and(|m| resident_bytes() > m) {
            return Some(Stop::Memory);
        }
        None
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

/// Bytes of this process that are resident in memory now.
pub fn resident_bytes() -> u64 {
    let Ok(statm) = std::fs::read_to_string("/proc/self/statm") else {
        return 0;
    };
    let pages: u64 = statm.split_whitespace().nth(1).and_then(|p| p.parse().ok()).unwrap_or(0);
    pages * 4096
}
