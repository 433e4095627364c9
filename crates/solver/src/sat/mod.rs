//! The SAT solver below: CaDiCaL, behind the few calls the bit-blaster needs.
//!
//! Why a wrapper: only this module knows which solver it is, how it is stopped and how its proofs are taken.
//! Invariant: after `Unsat` in certified mode the proof up to this answer has been checked; an answer whose proof does
//! not check never leaves this module as `Unsat`.

pub mod certify;
pub mod light;
pub mod lrat;

use crate::UnknownReason;
use blitz_base::{Budget, Labour, Stop};
use certify::Certifier;
use rustsat::solvers::{ControlSignal, PhaseLit, Solve, SolveIncremental, SolverResult, Terminate};
use rustsat::types::{Lit, TernaryVal};
use rustsat_cadical::{CaDiCaL, Limit, Statistic};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What a SAT call said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SatResult {
    Sat,
    Unsat,
    Unknown(UnknownReason),
}

/// Questions here are many and mostly easy, so what CaDiCaL does before and between searches has to wait until a question
/// proves hard. Each of these passes over all clauses of the live solver:
/// lucky phases took half the time of array formulas, preprocessing and the first eliminations most of the time of a core
/// over thousands of assumptions. Hard formulas (multipliers) lose nothing.
const OPTIONS: [(&str, i32); 5] =
    [("lucky", 0), ("preprocesslight", 0), ("inprobeint", 2_000), ("elimint", 20_000), ("reduceinit", 1_000)];

/// One live CaDiCaL instance.
pub struct Sat {
    // Declared before the certifier: it must be dropped first, its tracer lives there.
    solver: CaDiCaL<'static, 'static>,
    certifier: Option<Certifier>,
    vars: u32,
    clauses: u64,
    failed: Vec<Lit>,
    broken: Option<String>,
    /// All clauses, where somebody wants them.
    recorded: Option<Vec<Vec<Lit>>>,
}

impl Sat {
    /// A solver that keeps its course: one that hardly restarts, for large formulas that may well have models. Where each restart assigns hundreds of thousands of
    /// variables anew, finding a model took three times as long without this.
    pub fn steady(certifier: Option<Certifier>) -> Self {
        let mut sat = Self::new(certifier);
        sat.solver.set_option("stabilizeonly", 1).expect("the option should exist");
        sat
    }

    pub fn new(certifier: Option<Certifier>) -> Self {
        let mut solver = CaDiCaL::default();
        for (option, value) in OPTIONS {
            solver.set_option(option, value).expect("the option should exist");
        }
        let mut certifier = certifier;
        if let Some(c) = &mut certifier {
            c.connect(&mut solver);
        }
        Self { certifier, solver, vars: 0, clauses: 0, failed: Vec::new(), broken: None, recorded: None }
    }

    pub fn new_var(&mut self) -> Lit {
        let lit = Lit::positive(self.vars);
        self.vars += 1;
        lit
    }

    pub fn vars(&self) -> u32 {
        self.vars
    }

    pub fn clauses(&self) -> u64 {
        self.clauses
    }

    pub fn conflicts(&self) -> u64 {
        self.solver.get_statistic(Statistic::Conflicts)
    }

    /// Literals propagated so far: what work is measured in where clocks must not count.
    pub fn propagations(&self) -> u64 {
        self.solver.get_statistic(Statistic::Propagations)
    }

    /// Steps of proof checked so far, in certified mode.
    pub fn certified_steps(&self) -> u64 {
        self.certifier.as_ref().map_or(0, Certifier::steps)
    }

    /// From now on clauses are kept.
    pub fn record(&mut self) {
        self.recorded = Some(Vec::new());
    }

    pub fn recorded(&self) -> &[Vec<Lit>] {
        self.recorded.as_deref().unwrap_or_default()
    }

    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.clauses += 1;
        if let Some(all) = &mut self.recorded {
            all.push(lits.to_vec());
        }
        if let Some(c) = &mut self.certifier {
            c.submit(lits);
        }
        if let Err(e) = self.solver.add_clause_ref(rustsat::types::Cl::new(lits)) {
            self.broken.get_or_insert_with(|| e.to_string());
        }
    }

    /// The phase a decision on the literal's variable takes first.
    pub fn prefer(&mut self, lit: Lit) {
        // The call can't fail; its result type is the trait's.
        let _ = self.solver.phase_lit(lit);
    }

    pub fn solve(&mut self, assumptions: &[Lit], conflicts: Option<u32>, budget: &Budget) -> SatResult {
        self.failed.clear();
        if let Some(message) = &self.broken {
            return SatResult::Unknown(UnknownReason::Backend(message.clone()));
        }
        if let Some(stop) = budget.expired() {
            return SatResult::Unknown(stop.into());
        }
        self.search_in_parts(assumptions, conflicts, budget)
    }

    /// Where work is limited, the solver is let search for some conflicts at a time, since only conflicts can be limited and it counts its ticks itself.
    fn search_in_parts(&mut self, assumptions: &[Lit], conflicts: Option<u32>, budget: &Budget) -> SatResult {
        let mut left = conflicts;
        let mut part = FIRST_PART;
        loop {
            let limited = budget.work_left().is_some();
            let limit = if limited { Some(left.map_or(part, |l| l.min(part))) } else { left };
            let before = (self.ticks(), self.conflicts());
            let answer = self.search(assumptions, limit, budget);
            let (ticks, made) = (self.ticks() - before.0, self.conflicts() - before.1);
            budget.spend(Labour::Tick, ticks);
            let made = u32::try_from(made).unwrap_or(u32::MAX);
            left = left.map(|l| l.saturating_sub(made));
            let goes_on = answer == SatResult::Unknown(UnknownReason::Conflicts) && limited && left != Some(0);
            if !goes_on || budget.expired().is_some() {
                return answer;
            }
            part = budget.work_left().map_or(part, |work| {
                let price = Labour::Tick.price() * (ticks / u64::from(made.max(1))).max(1);
                let rest = u32::try_from(work.as_units() / price).unwrap_or(u32::MAX);
                rest.clamp(FIRST_PART / 10, part.saturating_mul(2))
            });
        }
    }

    fn ticks(&self) -> u64 {
        self.solver.get_statistic(Statistic::Ticks)
    }

    fn search(&mut self, assumptions: &[Lit], conflicts: Option<u32>, budget: &Budget) -> SatResult {
        let stopped = self.attach(budget);
        if let Some(limit) = conflicts {
            let limit = i32::try_from(limit).unwrap_or(i32::MAX);
            if let Err(e) = self.solver.set_limit(Limit::Conflicts(limit)) {
                return SatResult::Unknown(UnknownReason::Backend(e.to_string()));
            }
        }
        let answer = self.solver.solve_assumps(assumptions);
        self.solver.detach_terminator();
        match answer {
            Ok(SolverResult::Sat) => SatResult::Sat,
            Ok(SolverResult::Unsat) => self.unsat(),
            Ok(SolverResult::Interrupted) => SatResult::Unknown(interruption(&stopped)),
            Err(e) => {
                let message = e.to_string();
                let reason =
                    if message.contains("memory") { UnknownReason::Memory } else { UnknownReason::Backend(message) };
                SatResult::Unknown(reason)
            }
        }
    }

    fn unsat(&mut self) -> SatResult {
        // `core` is a clause: the negations of the failed assumptions.
        match self.solver.core() {
            Ok(core) => self.failed = core.into_iter().map(|l| !l).collect(),
            Err(e) => return SatResult::Unknown(UnknownReason::Backend(e.to_string())),
        }
        if let Some(c) = &mut self.certifier
            && let Err(e) = c.check_unsat(&mut self.solver, &self.failed)
        {
            return SatResult::Unknown(UnknownReason::Backend(format!("no certificate: {e}")));
        }
        SatResult::Unsat
    }

    fn attach(&mut self, budget: &Budget) -> Arc<AtomicU8> {
        let stopped = Arc::new(AtomicU8::new(NOT_STOPPED));
        let (flag, budget, mut calls) = (Arc::clone(&stopped), budget.clone(), 0_u32);
        let cancel = budget.cancel_flag();
        self.solver.attach_terminator(move || {
            calls = calls.wrapping_add(1);
            // The clock and the memory cost a system call; the flag does not.
            let stop = if cancel.load(Ordering::Relaxed) {
                Some(Stop::Cancelled)
            } else if calls % CALLS_PER_LOOK == 1 {
                budget.expired()
            } else {
                None
            };
            match stop {
                Some(stop) => {
                    flag.store(stop_code(stop), Ordering::Relaxed);
                    ControlSignal::Terminate
                }
                None => ControlSignal::Continue,
            }
        });
        stopped
    }

    /// The value of a literal in the model; false where the solver does not care.
    pub fn value(&self, lit: Lit) -> bool {
        matches!(self.solver.lit_val(lit), Ok(TernaryVal::True))
    }

    /// The failed assumptions of the last `Unsat`.
    pub fn failed(&self) -> &[Lit] {
        &self.failed
    }
}

/// Conflicts of the first part of a search whose work is limited: about 0.1 s of hard formulas.
const FIRST_PART: u32 = 500;
/// How often the solver asks between two looks at the clock and the memory: in the large formulas where limits matter it asks seldom.
const CALLS_PER_LOOK: u32 = 8;
const NOT_STOPPED: u8 = 0;

fn stop_code(stop: Stop) -> u8 {
    match stop {
        Stop::Time => 1,
        Stop::Memory => 2,
        Stop::Cancelled => 3,
        // A question that is worth no more ends as one that has reached its conflicts.
        Stop::Effort => NOT_STOPPED,
    }
}

fn interruption(stopped: &AtomicU8) -> UnknownReason {
    match stopped.load(Ordering::Relaxed) {
        NOT_STOPPED => UnknownReason::Conflicts,
        1 => UnknownReason::Timeout,
        2 => UnknownReason::Memory,
        _ => UnknownReason::Cancelled,
    }
}
