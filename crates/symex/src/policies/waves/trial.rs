//! Running a loop on alone, to see whether it ends soon.
//!
//! What follows a loop is run once per wave. Where a loop ends after some iterations whatever the inputs are, the waves before that are
//! waste: what follows them is encoded again and refuted again, each time for a part of the ways out. So before a loop
//! waits, it is run on by itself, with its ways out held back, and an `Oracle` is asked whether any execution goes
//! on. If none does, the loop is closed at that iteration and what follows is run once. Otherwise everything the trial did
//! is taken back but the terms, which the later steps make again at no cost.
//!
//! The oracle is asked at iterations that double, then between the last two: the loop ends at the first iteration that no execution
//! begins, so that the formula is the one of the right bound.
//!
//! Invariant: nothing outside the innermost activation is changed while a trial runs; where a state would have to wait inside a
//! trial, the trial has failed.

use super::Waves;
use crate::outcome::{CutKind, Input, Site};
use crate::saved::Key;
use crate::snapshot::Snapshot;
use crate::walk::Executor;
use blitz_base::Stop;
use blitz_ir::loops::LoopId;
use blitz_term::{Term, Terms};
use std::ops::Bound;

/// Somebody who can be asked about conditions while the program is run.
pub trait Oracle {
    /// Whether some execution that comes to a site satisfies a condition.
    fn holds(&mut self, terms: &mut Terms, inputs: &[Input], site: Site, condition: Term) -> Holds;

    /// Whether nobody needs the rest of the run; asked in the first step, before iterations beyond its depth, which have made `beyond` terms so far.
    fn is_over(&mut self, terms: &Terms, beyond: usize) -> bool;
}

/// What an oracle says about a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    InSome,
    InNone,
    /// The answer would have cost more than it is worth.
    TooHard,
}

/// Iterations after which a loop that still goes on is not one that ends soon.
const ITERATIONS: usize = 64;
/// Terms that a trial may make.
const TERMS: usize = 4_000;

/// A trial that is running.
#[derive(Clone)]
pub(crate) struct Trial {
    before: Box<Snapshot>,
    /// Iterations when it began.
    done: u32,
    /// The condition under which the loop goes on, iteration by iteration since the trial began.
    guards: Vec<Term>,
    /// How many of them are known to hold in some execution.
    feasible: usize,
    /// The iteration, counted as `guards` are, after which the oracle is asked next.
    ask_at: usize,
    terms: usize,
    spoilt: bool,
}

/// What is to be done with the next iteration.
#[derive(PartialEq, Eq)]
pub(super) enum Tried {
    /// It is run.
    On,
    /// No execution begins it.
    Ends,
    /// It has to wait.
    Waits,
}

impl<'p, 'a> Executor<'p, 'a, Waves<'p, 'a>> {
    /// The innermost running loop is at its target: what about the next iteration?
    pub(super) fn try_on(&mut self, site: Site, l: LoopId, done: u32) -> Tried {
        if let Some(end) = self.watch().ends {
            return if done < end { Tried::On } else { Tried::Ends };
        }
        let guard = self.guard_in(l);
        if self.watch().trial.is_none() {
            if !self.worth_trying(site, guard) {
                return Tried::Waits;
            }
            self.begin_trial(site);
        }
        let terms = self.m.terms.len();
        let trial = self.watch_mut().trial.as_mut().expect("a trial should be running");
        trial.guards.push(guard);
        let iterations = trial.guards.len();
        if trial.spoilt || iterations > ITERATIONS || terms - trial.terms > TERMS {
            return self.fail_trial(site);
        }
        if iterations < trial.ask_at {
            return Tried::On;
        }
        match self.holds(site, guard) {
            Holds::InNone => self.close(site),
            Holds::InSome if iterations * 2 <= ITERATIONS => {
                let trial = self.watch_mut().trial.as_mut().expect("a trial should be running");
                (trial.feasible, trial.ask_at) = (iterations, iterations * 2);
                Tried::On
            }
            Holds::InSome | Holds::TooHard => self.fail_trial(site),
        }
    }

    /// Where a loop has no way out yet there is nothing to hold back, and where earlier waves wait inside, it has not ended.
    fn worth_trying(&mut self, site: Site, guard: Term) -> bool {
        !self.policy.endless.contains(&site) && Some(guard) != self.watch().entry && !self.waits_inside()
    }

    /// Whether something waits in this or a later iteration of the innermost running loop.
    fn waits_inside(&self) -> bool {
        let key = self.m.loop_key();
        let next = self.policy.pool.range((Bound::Included(&key), Bound::Unbounded)).next();
        next.is_some_and(|(Key(other), _)| {
            let (last, around) = key.0.split_last().expect("a loop should be running");
            other.len() >= key.0.len() && other.starts_with(around) && other[around.len()].0 == last.0
        })
    }

    fn begin_trial(&mut self, site: Site) {
        let ended_before = self.policy.ended.get(&site).copied();
        let done = self.m.running().done;
        let before = Box::new(self.m.snapshot());
        // The same loop has ended before: most likely it does so again at the same iteration.
        let ask_at = ended_before.map_or(1, |end| end.saturating_sub(done) as usize + 1);
        let terms = self.m.terms.len();
        self.watch_mut().trial =
            Some(Trial { before, done, guards: Vec::new(), feasible: 0, ask_at, terms, spoilt: false });
    }

    /// Whether the run ends here, since the oracle has no use for more; notes what the iteration before has cost.
    pub(super) fn is_over(&mut self, is_beyond: bool) -> bool {
        let now = self.m.terms.len();
        let before = std::mem::replace(&mut self.watch_mut().terms, now);
        let waves = &mut self.policy;
        if !waves.targets.is_empty() {
            return false;
        }
        waves.beyond += if is_beyond { now - before } else { 0 };
        let over = waves.oracle.is_over(self.m.terms, waves.beyond);
        if over {
            self.m.out.stopped = Some(Stop::Cancelled);
        }
        over
    }

    fn holds(&mut self, site: Site, condition: Term) -> Holds {
        if self.m.terms.is_false(condition) {
            return Holds::InNone;
        }
        self.policy.oracle.holds(self.m.terms, &self.m.out.inputs, site, condition)
    }

    /// No execution gets to the latest iteration: finds the first such one, and goes back to run the loop up to there.
    fn close(&mut self, site: Site) -> Tried {
        let trial = self.watch_mut().trial.as_ref().expect("a trial should be running");
        let guards = trial.guards.clone();
        let (mut feasible, mut infeasible) = (trial.feasible, guards.len());
        while feasible + 1 < infeasible {
            let middle = (feasible + infeasible) / 2;
            match self.holds(site, guards[middle - 1]) {
                Holds::InNone => infeasible = middle,
                Holds::InSome | Holds::TooHard => feasible = middle,
            }
        }
        let first = self.take_back();
        let end = first + infeasible as u32 - 1;
        self.watch_mut().ends = Some(end);
        self.policy.ended.insert(site, end);
        if end > first { Tried::On } else { Tried::Ends }
    }

    fn fail_trial(&mut self, site: Site) -> Tried {
        self.take_back();
        self.policy.endless.insert(site);
        Tried::Waits
    }

    /// The loop is over. If a state would have had to wait inside its trial, it is not: the loop waits.
    pub(crate) fn end_trial(&mut self, l: LoopId) {
        if self.watch().trial.as_ref().is_some_and(|t| t.spoilt) {
            let site = Site { func: self.m.frame().func, what: CutKind::Loop(l) };
            self.fail_trial(site);
            self.suspend_loop(site, l);
        }
    }

    /// Everything is as it was when the trial began, but for the terms; gives the iterations done then.
    fn take_back(&mut self) -> u32 {
        let trial = self.watch_mut().trial.take().expect("a trial should be running");
        self.m.restore(*trial.before);
        let running = self.m.running_mut();
        (running.done, running.head) = (trial.done, None);
        trial.done
    }

    /// A state would have to wait: if a trial is running it has failed, and the state need not wait since it is taken back.
    pub(super) fn spoils_trial(&mut self) -> bool {
        let running = self.m.frames.iter_mut().rev().flat_map(|f| f.running.iter_mut().rev());
        match running.filter_map(|r| r.watch.trial.as_mut()).next() {
            Some(trial) => {
                trial.spoilt = true;
                true
            }
            None => false,
        }
    }
}
