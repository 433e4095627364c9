//! Several solvers on one question: the first answer wins and stops the others.
//!
//! Processes wait in threads of their own; the one solver that works inside this process keeps the caller's thread, since it
//! needs the terms. A solver that fails only drops out; if all do, the first reason is reported.

use crate::smtlib::{Reply, SmtLib};
use crate::{Outcome, Solver, SolverStats, UnknownReason};
use blitz_base::Budget;
use blitz_term::{Assignment, Term, Terms, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// How often the caller's cancellation is passed on.
const TICK: Duration = Duration::from_millis(5);
const NOBODY: usize = usize::MAX;

/// The members, the local one first.
pub struct Portfolio {
    local: Option<Box<dyn Solver>>,
    processes: Vec<SmtLib>,
    /// Whose answer the last check gave: 0 is the local one.
    winner: usize,
}

impl Portfolio {
    pub fn new(local: Option<Box<dyn Solver>>, processes: Vec<SmtLib>) -> Self {
        Self { local, processes, winner: NOBODY }
    }

    fn answering(&mut self) -> &mut dyn Solver {
        match (self.winner, &mut self.local) {
            (NOBODY, _) => panic!("a value should be asked for after an answer"),
            (0, Some(local)) => local.as_mut(),
            (0, None) => unreachable!("a local solver that is absent should not win"),
            (n, _) => &mut self.processes[n - 1],
        }
    }

    /// Asks all at once; the outcome of the local one and the reply of each process.
    fn race(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        budget: &Budget,
    ) -> (Option<Outcome>, Vec<Result<Reply, UnknownReason>>) {
        let started: Vec<Result<(), UnknownReason>> =
            self.processes.iter_mut().map(|p| p.begin(terms, assumptions)).collect();
        let winner = AtomicUsize::new(NOBODY);
        let race = Race::new(budget);
        let result = std::thread::scope(|scope| {
            scope.spawn(|| race.pass_on_cancellation(budget));
            let waiting: Vec<_> = self
                .processes
                .iter_mut()
                .zip(started)
                .enumerate()
                .map(|(i, (process, started))| {
                    let (race, winner) = (&race, &winner);
                    scope.spawn(move || {
                        started?;
                        let reply = process.wait(&race.budget);
                        if reply.is_ok() {
                            race.won(winner, i + 1);
                        }
                        reply
                    })
                })
                .collect();
            let local = self.local.as_mut().map(|solver| solver.check(terms, assumptions, &race.budget));
            if matches!(local, Some(Outcome::Sat | Outcome::Unsat)) {
                race.won(&winner, 0);
            }
            let replies = waiting
                .into_iter()
                .map(|w| {
                    w.join().unwrap_or_else(|_| Err(UnknownReason::Backend("a solver thread panicked".to_owned())))
                })
                .collect();
            race.over.store(true, Ordering::Relaxed);
            (local, replies)
        });
        self.winner = winner.into_inner();
        result
    }
}

struct Race {
    budget: Budget,
    cancel: Arc<AtomicBool>,
    over: AtomicBool,
}

impl Race {
    /// A budget of its own: the winner cancels it without cancelling the caller's.
    fn new(budget: &Budget) -> Self {
        let own = Budget::new(budget.remaining(), budget.memory_limit());
        Self { cancel: own.cancel_flag(), budget: own, over: AtomicBool::new(false) }
    }

    fn won(&self, winner: &AtomicUsize, who: usize) {
        let first = winner.compare_exchange(NOBODY, who, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_ok() {
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    fn pass_on_cancellation(&self, outer: &Budget) {
        let asked = outer.cancel_flag();
        while !self.over.load(Ordering::Relaxed) {
            if asked.load(Ordering::Relaxed) {
                self.cancel.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(TICK);
        }
    }
}

impl Solver for Portfolio {
    fn name(&self) -> String {
        let mut names: Vec<String> = self.local.iter().map(|l| l.name()).collect();
        names.extend(self.processes.iter().map(|p| p.name()));
        format!("portfolio:{}", names.join(","))
    }

    fn assert(&mut self, terms: &mut Terms, t: Term) {
        self.winner = NOBODY;
        if let Some(local) = &mut self.local {
            local.assert(terms, t);
        }
        for process in &mut self.processes {
            process.assert(terms, t);
        }
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term], budget: &Budget) -> Outcome {
        let (local, mut replies) = self.race(terms, assumptions, budget);
        let winner = self.winner;
        let result =
            match winner {
                NOBODY => {
                    let reasons = replies.into_iter().filter_map(Result::err).map(Outcome::Unknown);
                    return local.into_iter().chain(reasons).next().unwrap_or_else(|| {
                        Outcome::Unknown(UnknownReason::Backend("the portfolio is empty".to_owned()))
                    });
                }
                0 => return local.expect("the winner should have an outcome"),
                n => replies.swap_remove(n - 1),
            };
        result
            .and_then(|reply| self.processes[winner - 1].finish(terms, assumptions, reply))
            .unwrap_or_else(Outcome::Unknown)
    }

    fn value(&mut self, terms: &mut Terms, t: Term) -> Value {
        self.answering().value(terms, t)
    }

    fn model(&mut self, terms: &mut Terms, roots: &[Term]) -> Assignment {
        self.answering().model(terms, roots)
    }

    fn failed_assumptions(&mut self) -> Vec<Term> {
        self.answering().failed_assumptions()
    }

    fn stats(&self) -> SolverStats {
        self.local.as_ref().map(|l| l.stats()).unwrap_or_default()
    }
}
