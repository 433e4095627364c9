//! Running a loop on alone, to see whether it ends soon.
//!
//! What follows a loop is run once per wave. Where a loop ends after some visits whatever the inputs are, the waves before that are
//! waste: what follows them is encoded again and refuted again, each time for a part of the ways out. So before a loop
//! waits, it is run on by itself, with its ways out held back, and an `Oracle` is asked whether any execution goes
//! on. If none does, the loop is closed at that visit and what follows is run once. Otherwise everything the trial did
//! is taken back but the terms, which the later steps make again at no cost.
//!
//! The oracle is asked at visits that double, then between the last two: the loop ends at the first visit that no execution
//! begins, so that the formula is the one of the right bound.
//!
//! Invariant: nothing outside the innermost activation is changed while a trial runs; where a state would have to wait inside a
//! trial, the trial has failed.

use super::{Key, Site};
use crate::exec::Executor;
use crate::outcome::{CutKind, Input};
use crate::snapshot::Snapshot;
use blitz_base::Stop;
use blitz_ir::loops::LoopId;
use blitz_term::{Term, Terms};
use std::ops::Bound;

/// Somebody who can be asked about conditions while the program is run.
pub trait Oracle {
    /// Whether some execution that comes to a site satisfies a condition.
    fn holds(&mut self, terms: &mut Terms, inputs: &[Input], site: Site, condition: Term) -> Holds;

    /// Whether nobody needs the rest of the run; asked in the first step, before visits beyond its depth, which have made `beyond` terms so far.
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

/// Visits after which a loop that still goes on is not one that ends soon.
const VISITS: usize = 64;
/// Terms that a trial may make.
const TERMS: usize = 4_000;

/// A trial that is running.
#[derive(Clone)]
pub(crate) struct Trial {
    before: Box<Snapshot>,
    /// Visits when it began.
    done: u32,
    /// The condition under which the loop goes on, visit by visit since the trial began.
    guards: Vec<Term>,
    /// How many of them are known to hold in some execution.
    feasible: usize,
    /// The visit, counted as `guards` are, after which the oracle is asked next.
    ask_at: usize,
    terms: usize,
    spoilt: bool,
}

/// What is to be done with the next visit.
#[derive(PartialEq, Eq)]
pub(super) enum Tried {
    /// It is run.
    On,
    /// No execution begins it.
    Ends,
    /// It has to wait.
    Waits,
}

impl<'p> Executor<'p, '_> {
    /// The innermost running loop is at its target: what about the next visit?
    pub(super) fn try_on(&mut self, site: Site, l: LoopId, done: u32) -> Tried {
        if let Some(end) = self.running().ends {
            return if done < end { Tried::On } else { Tried::Ends };
        }
        let guard = self.guard_in(l);
        if self.running().trial.is_none() {
            if !self.worth_trying(site, guard) {
                return Tried::Waits;
            }
            self.begin_trial(site);
        }
        let terms = self.terms.len();
        let trial = self.running_mut().trial.as_mut().expect("a trial should be running");
        trial.guards.push(guard);
        let visits = trial.guards.len();
        if trial.spoilt || visits > VISITS || terms - trial.terms > TERMS {
            return self.fail_trial(site);
        }
        if visits < trial.ask_at {
            return Tried::On;
        }
        match self.holds(site, guard) {
            Holds::InNone => self.close(site),
            Holds::InSome if visits * 2 <= VISITS => {
                let trial = self.running_mut().trial.as_mut().expect("a trial should be running");
                (trial.feasible, trial.ask_at) = (visits, visits * 2);
                Tried::On
            }
            Holds::InSome | Holds::TooHard => self.fail_trial(site),
        }
    }

    /// Where a loop has no way out yet there is nothing to hold back, and where earlier waves wait inside, it has not ended.
    fn worth_trying(&mut self, site: Site, guard: Term) -> bool {
        let unwinding = self.unwinding.as_ref().expect("the program should be unwound step by step");
        self.oracle.is_some()
            && !unwinding.endless.contains(&site)
            && Some(guard) != self.running().entry
            && !self.waits_inside()
    }

    /// Whether something waits in this or a later visit of the innermost running loop.
    fn waits_inside(&self) -> bool {
        let key = self.loop_key();
        let unwinding = self.unwinding.as_ref().expect("the program should be unwound step by step");
        let next = unwinding.pool.range((Bound::Included(&key), Bound::Unbounded)).next();
        next.is_some_and(|(Key(other), _)| {
            let (last, around) = key.0.split_last().expect("a loop should be running");
            other.len() >= key.0.len() && other.starts_with(around) && other[around.len()].0 == last.0
        })
    }

    fn begin_trial(&mut self, site: Site) {
        let unwinding = self.unwinding.as_ref().expect("the program should be unwound step by step");
        let ended_before = unwinding.ended.get(&site).copied();
        let done = self.running().done;
        let before = Box::new(self.snapshot());
        // The same loop has ended before: most likely it does so again at the same visit.
        let ask_at = ended_before.map_or(1, |end| end.saturating_sub(done) as usize + 1);
        let terms = self.terms.len();
        self.running_mut().trial =
            Some(Trial { before, done, guards: Vec::new(), feasible: 0, ask_at, terms, spoilt: false });
    }

    /// Whether the run ends here, since the oracle has no use for more; notes what the visit before has cost.
    pub(super) fn is_over(&mut self, is_beyond: bool) -> bool {
        let now = self.terms.len();
        let before = std::mem::replace(&mut self.running_mut().terms, now);
        let unwinding = self.unwinding_mut();
        if !unwinding.targets.is_empty() {
            return false;
        }
        unwinding.beyond += if is_beyond { now - before } else { 0 };
        let beyond = unwinding.beyond;
        let over = self.oracle.as_mut().is_some_and(|oracle| oracle.is_over(self.terms, beyond));
        if over {
            self.out.stopped = Some(Stop::Cancelled);
        }
        over
    }

    fn holds(&mut self, site: Site, condition: Term) -> Holds {
        if self.terms.is_false(condition) {
            return Holds::InNone;
        }
        let oracle = self.oracle.as_mut().expect("a trial should have somebody to ask");
        oracle.holds(self.terms, &self.out.inputs, site, condition)
    }

    /// No execution gets to the latest visit: finds the first such one, and goes back to run the loop up to there.
    fn close(&mut self, site: Site) -> Tried {
        let trial = self.running_mut().trial.as_ref().expect("a trial should be running");
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
        self.running_mut().ends = Some(end);
        self.unwinding_mut().ended.insert(site, end);
        if end > first { Tried::On } else { Tried::Ends }
    }

    fn fail_trial(&mut self, site: Site) -> Tried {
        self.take_back();
        self.unwinding_mut().endless.insert(site);
        Tried::Waits
    }

    /// The loop is over. If a state would have had to wait inside its trial, it is not: the loop waits.
    pub(crate) fn end_trial(&mut self, l: LoopId) {
        if self.running().trial.as_ref().is_some_and(|t| t.spoilt) {
            let site = Site { func: self.frame().func, what: CutKind::Loop(l) };
            self.fail_trial(site);
            self.suspend_loop(site, l);
        }
    }

    /// Everything is as it was when the trial began, but for the terms; gives the visits done then.
    fn take_back(&mut self) -> u32 {
        let trial = self.running_mut().trial.take().expect("a trial should be running");
        self.restore(*trial.before);
        let running = self.running_mut();
        (running.done, running.head) = (trial.done, None);
        trial.done
    }

    /// A state would have to wait: if a trial is running it has failed, and the state need not wait since it is taken back.
    pub(super) fn spoils_trial(&mut self) -> bool {
        let running = self.frames.iter_mut().rev().flat_map(|f| f.running.iter_mut().rev());
        match running.filter_map(|r| r.trial.as_mut()).next() {
            Some(trial) => {
                trial.spoilt = true;
                true
            }
            None => false,
        }
    }
}
