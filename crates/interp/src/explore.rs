//! All schedules of a small program, one run after the other: an oracle for the engines.
//!
//! A run follows decisions made before (which thread goes on, what a one-bit input is) and takes the first way at each new one; the last decision with a way left is
//! changed for the next run. A run ends early in a state that was seen before: whatever follows was or will be looked at from there. That is stateless search with a
//! set of states (Godefroid, VeriSoft, POPL 1997), without any reduction: an oracle should have nothing to be wrong about.
//!
//! Absent: inputs of more than a bit, which are refused unless the configuration gives them.

use crate::code::Codes;
use crate::config::{Captured, RunConfig, TraceLevel};
use crate::machine::{End, Machine};
use crate::outcome::{Outcome, RunResult};
use crate::threads::State;
use blitz_base::Budget;
use blitz_ir::{CheckKind, Program, PropertyId};
use std::collections::{BTreeMap, HashSet};

/// What was found in all schedules.
pub struct Explored {
    /// The first run that violates each property.
    pub violated: BTreeMap<PropertyId, RunResult>,
    /// How the runs ended that ended by themselves.
    pub ends: BTreeMap<String, u64>,
    pub runs: u64,
    pub states: usize,
    /// Why not everything was looked at.
    pub incomplete: Option<String>,
}

/// The decisions of the run that is made, and the states that were seen.
#[derive(Default)]
pub struct Exploration {
    decisions: Vec<Decision>,
    next: usize,
    seen: HashSet<(u64, u64)>,
    pruned: bool,
    refused: Option<String>,
}

struct Decision {
    options: Vec<u32>,
    chosen: usize,
}

impl Exploration {
    /// The way taken where there are several.
    fn decide(&mut self, options: &[u32]) -> u32 {
        if self.next == self.decisions.len() {
            self.decisions.push(Decision { options: options.to_vec(), chosen: 0 });
        }
        let decision = &self.decisions[self.next];
        self.next += 1;
        decision.options[decision.chosen]
    }

    /// Changes the last decision that has a way left; false if there is none.
    fn advance(&mut self) -> bool {
        (self.next, self.pruned) = (0, false);
        while let Some(last) = self.decisions.last_mut() {
            last.chosen += 1;
            if last.chosen < last.options.len() {
                return true;
            }
            self.decisions.pop();
        }
        false
    }
}

/// Runs a program in all schedules.
pub fn explore(program: &Program, config: &RunConfig, max_runs: u64, budget: &Budget) -> Explored {
    let config = RunConfig { trace: TraceLevel::None, ..config.clone() };
    let codes = Codes::new(program, TraceLevel::None);
    let (violated, ends) = (BTreeMap::new(), BTreeMap::new());
    let mut found = Explored { violated, ends, runs: 0, states: 0, incomplete: None };
    let mut exploration = Exploration::default();
    loop {
        let mut sink = Captured::default();
        let mut machine = Machine::new(program, &codes, &config, budget, &mut sink);
        machine.threads.exploration = Some(exploration);
        let (result, used) = machine.run_explored();
        exploration = used.expect("an exploration should come back from its run");
        found.runs += 1;
        found.states = exploration.seen.len();
        found.note(result, &exploration);
        let stop = found.runs >= max_runs || budget.expired().is_some();
        if !exploration.advance() {
            return found;
        }
        if stop {
            found.incomplete.get_or_insert_with(|| format!("more than {} runs", found.runs));
            return found;
        }
    }
}

impl Explored {
    fn note(&mut self, result: RunResult, exploration: &Exploration) {
        let why = match &result.outcome {
            Outcome::Violation(v) => {
                self.violated.entry(v.property).or_insert(result);
                None
            }
            Outcome::Exit(_) if exploration.pruned => None,
            Outcome::Exit(status) => {
                *self.ends.entry(format!("exit {status}")).or_default() += 1;
                None
            }
            Outcome::Halt(status) => {
                *self.ends.entry(format!("halt {status}")).or_default() += 1;
                None
            }
            Outcome::AssumeFailed(_) => None,
            Outcome::Unsupported { what, .. } => Some(what.clone()),
            Outcome::OutOfSteps => Some("a run with too many steps".to_owned()),
            Outcome::Stopped(_) => Some("out of time or memory".to_owned()),
        };
        if let Some(why) = why.or_else(|| exploration.refused.clone()) {
            self.incomplete.get_or_insert(why);
        }
    }
}

impl Machine<'_, '_> {
    /// The thread that an exploration lets go on; the run ends where the state is known.
    pub fn explored_choice(&mut self, able: &[u32]) -> Result<u32, End> {
        let fresh = self.threads.exploration.as_ref().is_some_and(|e| e.next == e.decisions.len());
        if fresh {
            let state = self.digest();
            let Some(exploration) = &mut self.threads.exploration else { return Ok(able[0]) };
            if !exploration.seen.insert(state) {
                exploration.pruned = true;
                return Err(Box::new(Outcome::Exit(0)));
            }
        }
        match (&mut self.threads.exploration, able) {
            (Some(exploration), [_, _, ..]) => Ok(exploration.decide(able)),
            (_, _) => Ok(able[0]),
        }
    }

    /// An input in an exploration, if this is one and the configuration gives none.
    pub fn explored_input(&mut self, bits: u16, name: &str) -> Option<u64> {
        let exploration = self.threads.exploration.as_mut()?;
        if bits == 1 {
            return Some(u64::from(exploration.decide(&[0, 1])));
        }
        exploration.refused.get_or_insert_with(|| format!("an input of more than one bit: {name}"));
        Some(0)
    }

    /// All that decides what follows.
    fn digest(&self) -> (u64, u64) {
        let mut digest = Digest::default();
        let threads = &self.threads;
        for (i, thread) in threads.list.iter().enumerate() {
            let (frames, regs) = match i == threads.current {
                true => (&self.frames, &self.regs),
                false => (&thread.frames, &thread.regs),
            };
            match thread.state {
                State::Able => digest.take(0),
                State::Waits { progress, .. } => digest.take(1 + u64::from(progress == threads.progress)),
                State::Done => {
                    digest.take(3);
                    continue;
                }
            }
            digest.take(u64::from(thread.at_point) | u64::from(thread.was_left(threads.progress)) << 1);
            digest.take(u64::from(thread.atomic));
            let mut end = 0;
            for frame in frames {
                digest.take(u64::from(frame.code.id.0) << 32 | u64::from(frame.pc));
                end = frame.base + frame.code.frame_slots as usize;
            }
            regs[..end.min(regs.len())].iter().for_each(|&r| digest.take(r));
        }
        self.digest_memory(&mut digest);
        if self.config.checks.has(CheckKind::DataRace) {
            threads.history.digest(|n| digest.take(n));
            for thread in &threads.list {
                (0..threads.list.len() as u32).for_each(|t| digest.take(u64::from(thread.clock.of(t))));
            }
        }
        (digest.0, digest.1)
    }

    fn digest_memory(&self, digest: &mut Digest) {
        digest.take(self.memory.cold.len() as u64);
        for (number, (hot, cold)) in self.memory.hot.iter().zip(&self.memory.cold).enumerate() {
            if hot.read == 0 || cold.constant {
                continue;
            }
            digest.take(number as u64);
            let at = self.memory.pointer(number as u64);
            digest.bytes(self.memory.bytes(at, hot.read).unwrap_or(&[]));
            if let Some(shadow) = self.memory.shadow(at, hot.read) {
                // SAFETY: the shadow of that many bytes is there.
                digest.bytes(unsafe { std::slice::from_raw_parts(shadow, hot.read as usize) });
            }
        }
    }
}

/// Two words that depend on everything taken.
#[derive(Default)]
struct Digest(u64, u64);

impl Digest {
    fn take(&mut self, x: u64) {
        self.0 = (self.0 ^ x).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        self.1 = (self.1.rotate_left(31) ^ x).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.take(u64::from_le_bytes(word));
        }
    }
}
