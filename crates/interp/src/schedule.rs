//! Schedules: which thread makes the next step.
//!
//! A step of a thread runs from the visible point where it stands to the next one, or to the end of the thread. Each thread stands at first before its first
//! instruction. A run records its steps as slots, and a run on those slots makes the same steps.

/// So many steps of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub thread: u32,
    pub steps: u32,
}

/// Who decides.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Schedule {
    /// Each thread that can makes one step, in turn.
    #[default]
    RoundRobin,
    /// Any thread that can, drawn by a generator with this seed.
    Random(u64),
    /// These, as far as threads can; then in turn.
    Slots(Vec<Slot>),
}

/// A schedule in use.
pub struct Scheduler {
    random: Option<u64>,
    slots: Vec<Slot>,
    /// The next slot, and how many of its steps were made.
    at: (usize, u32),
    pub recorded: Vec<Slot>,
}

impl Scheduler {
    pub fn new(schedule: &Schedule) -> Self {
        let (random, slots) = match schedule {
            Schedule::RoundRobin => (None, Vec::new()),
            Schedule::Random(seed) => (Some(*seed), Vec::new()),
            Schedule::Slots(slots) => (None, slots.clone()),
        };
        Self { random, slots, at: (0, 0), recorded: Vec::new() }
    }

    /// The thread that makes the next step: one of those that are able (by ascending number, at least one).
    pub fn choose(&mut self, current: u32, able: &[u32]) -> u32 {
        while let Some(slot) = self.slots.get(self.at.0) {
            if self.at.1 < slot.steps && able.contains(&slot.thread) {
                return slot.thread;
            }
            self.at = (self.at.0 + 1, 0);
        }
        match &mut self.random {
            Some(state) => able[(draw(state) % able.len() as u64) as usize],
            None => able.iter().copied().find(|&t| t > current).unwrap_or(able[0]),
        }
    }

    /// A thread begins a step.
    pub fn begins(&mut self, thread: u32) {
        if self.slots.get(self.at.0).is_some_and(|slot| slot.thread == thread) {
            self.at.1 += 1;
        }
        match self.recorded.last_mut() {
            Some(last) if last.thread == thread => last.steps += 1,
            _ => self.recorded.push(Slot { thread, steps: 1 }),
        }
    }

    /// The step just begun was none: the thread has to wait. Its slot is over.
    pub fn takes_back(&mut self, thread: u32) {
        if self.slots.get(self.at.0).is_some_and(|slot| slot.thread == thread) {
            self.at = (self.at.0 + 1, 0);
        }
        if let Some(last) = self.recorded.last_mut().filter(|last| last.thread == thread) {
            last.steps -= 1;
            if last.steps == 0 {
                self.recorded.pop();
            }
        }
    }
}

/// SplitMix64.
pub fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_followed_then_threads_take_turns() {
        let slots = vec![Slot { thread: 1, steps: 2 }, Slot { thread: 7, steps: 1 }, Slot { thread: 0, steps: 1 }];
        let mut scheduler = Scheduler::new(&Schedule::Slots(slots));
        let mut order = Vec::new();
        let mut current = 0;
        for _ in 0..6 {
            current = scheduler.choose(current, &[0, 1, 2]);
            scheduler.begins(current);
            order.push(current);
        }
        assert_eq!(order, [1, 1, 0, 1, 2, 0]);
        assert_eq!(scheduler.recorded[0], Slot { thread: 1, steps: 2 });
    }

    #[test]
    fn a_step_that_is_none_is_not_recorded() {
        let mut scheduler = Scheduler::new(&Schedule::RoundRobin);
        scheduler.begins(0);
        scheduler.begins(1);
        scheduler.takes_back(1);
        assert_eq!(scheduler.recorded, [Slot { thread: 0, steps: 1 }]);
    }
}
