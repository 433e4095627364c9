//! The incremental engine (NBIS): no bound needed. Loops are unwound step by step on one live solver.
//!
//! After Günther and Weissenbacher, "Incremental bounded software model checking" (SPIN 2014). How a step adds to the
//! formula without touching what is there, and why not with the paper's proxy variables, is in `symex::waves`. A step
//! raises the depth of some loops (`policy` says which), runs on what waited there, asks about the claims that are new, and
//! asks which of the waiting states any execution reaches. What was refuted is asserted and never asked again.
//!
//! Loops that did not end within the first steps are looked at as a whole (`ahead`): properties that hold however often they run are proved.
//!
//! Where the first step takes long and one violation is enough, the first iterations of all loops are looked at before (`glance`).
//!
//! It ends with a proof when nothing that waits reaches an open property, or with the budget; then the depths of the last step that was
//! completed are the result. Behind a violation it goes on as far as `SearchOn` says.
//!
//! Invariant: `Standing` describes completed and decided steps only.

mod ahead;
mod asker;
mod glance;
mod policy;
mod standing;
mod witness;

use crate::answer::{self, Findings, Inquiry};
use crate::bounds::Unwind;
use crate::config::{CheckConfig, SearchOn};
use crate::coverage::{self, Coverage};
use crate::gaps::Gaps;
use crate::progress::{LoopProgress, Observer, Progress};
use crate::reach::Reach;
use crate::reason::Reason;
use crate::tuning::CLAIMS_HARD_PART;
use crate::tuning::{
    AHEAD_CONFLICTS, AHEAD_EARLIEST_STEP, AHEAD_STEP, AHEAD_TERMS, MODEL_BOUND, SEARCH_ON_LEAST, SEARCH_ON_TIMES,
    WAVES_FIRST_DEPTH,
};
use crate::verdict::{BoundReached, Report, Stats, Status, Verdict};
use crate::{Refused, behind, bounds, claims, cone};
use asker::Asker;
use blitz_base::budget::resident_bytes;
use blitz_base::{Budget, Work};
use blitz_ir::{FuncId, Program, PropertyId};
use blitz_solver::Outcome;
use blitz_symex::waves::{Holds, InWaves, Key};
use blitz_symex::{Claim, Cut, Execution, Executor, Site};
use blitz_term::{Term, Terms};
use glance::Glance;
use standing::Standing;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

const ENGINE: &str = "incremental";
/// What the report says of it.
const SEARCHED_ON: &str = "after the last violation the search went on for three times the work done until then, and ended; violations that need more \
                           iterations may be left (`--go-on end` uses all of the time)";

/// Checks a program step by step.
pub(crate) fn check(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let budget = &budget.with_brake();
    let asker = Asker::new(config, budget)?;
    let entry = crate::start(program)?;
    let bounds = Unwind::new(program, config, config.unwind.unwrap_or(u32::MAX))?;
    let mut terms = Terms::new();
    let symex = blitz_symex::Config { behind: config.behind, ..config.symbolic(&bounds, MODEL_BOUND) };
    let glanced = Rc::new(RefCell::new(Findings::default()));
    let glance = Glance::new(asker.clone(), program, config, budget, Rc::clone(&glanced));
    let executor = Executor::in_waves(program, &mut terms, &symex, budget, WAVES_FIRST_DEPTH, Box::new(glance));
    let mut session = Session {
        program,
        config,
        budget,
        reach: Reach::new(program, entry),
        wanted: answer::wanted(program, config),
        entry,
        executor,
        asker,
        found: Findings::default(),
        hard: Vec::new(),
        spent_on_hard: Work::default(),
        proved: BTreeSet::new(),
        gaps: Gaps::default(),
        cuts: Vec::new(),
        asked: Asked::default(),
        standing: None,
        steps: 0,
        looked_ahead: false,
        begun: budget.spent(),
        last_found: 0,
    };
    session.run(&glanced, observer);
    Ok(session.report())
}

struct Session<'p, 'a> {
    program: &'p Program,
    config: &'a CheckConfig,
    budget: &'a Budget,
    entry: FuncId,
    executor: InWaves<'p, 'a>,
    asker: Asker,
    reach: Reach<'p>,
    /// The properties asked for, those of the models included.
    wanted: BTreeSet<PropertyId>,
    found: Findings,
    /// Claims of completed steps that the solver gave up on. They are asked about again when nothing else is left.
    hard: Vec<Claim>,
    spent_on_hard: Work,
    /// Properties that hold however often loops run.
    proved: BTreeSet<PropertyId>,
    /// Gaps and cuts that some execution reaches.
    gaps: Gaps,
    cuts: Vec<Cut>,
    asked: Asked,
    standing: Option<Standing>,
    steps: u32,
    looked_ahead: bool,
    /// Work that was done before.
    begun: Work,
    /// Violations there were when the brake was set last.
    last_found: usize,
}

/// How much of what the executor has collected was asked about.
#[derive(Default)]
struct Asked {
    claims: usize,
    gaps: usize,
    cuts: usize,
}

/// Whether there is a next step.
#[derive(PartialEq, Eq)]
enum Next {
    Step,
    End,
}

impl<'p: 'a, 'a> Session<'p, 'a> {
    fn run(&mut self, glanced: &RefCell<Findings>, observer: Observer<'_>) {
        self.executor.begin(self.entry, Vec::new());
        let mut before = 0;
        loop {
            self.steps += 1;
            if !glanced.borrow().violations.is_empty() {
                self.found = glanced.take();
                return;
            }
            if self.ask() == Next::End {
                return;
            }
            let mut standing = self.take_stock();
            if self.is_ahead_due() && self.look_ahead(&standing) {
                standing = self.take_stock();
            }
            self.brake_after_violation();
            let done = standing.open.is_empty();
            let conflicts = self.asker.stats().conflicts;
            let targets = policy::next(self.config, &standing.sites, conflicts - before);
            before = conflicts;
            observer(&self.progress(&standing));
            self.standing = Some(standing);
            if done || targets.is_empty() {
                self.ask_hard_claims(self.budget);
                return;
            }
            if let Some(share) = self.hard_share() {
                self.ask_hard_claims(&share);
            }
            self.executor.advance(&targets);
        }
    }

    /// Behind a violation the search would have no end where loops have none, and the user waits for it: it goes on for some times the work that was
    /// done so far, and again after each new violation.
    fn brake_after_violation(&mut self) {
        let found = self.found.violations.len();
        if self.config.search_on == SearchOn::Somewhat && found > self.last_found {
            self.last_found = found;
            let done = self.budget.spent().since(self.begun);
            self.budget.brake(done.times(SEARCH_ON_TIMES).max(SEARCH_ON_LEAST));
        }
    }

    fn is_ahead_due(&mut self) -> bool {
        let work = self.executor.m.terms.len() >= AHEAD_TERMS || self.asker.stats().conflicts >= AHEAD_CONFLICTS;
        let due = !self.looked_ahead && (self.steps >= AHEAD_STEP || self.steps >= AHEAD_EARLIEST_STEP && work);
        self.looked_ahead |= due;
        due
    }

    /// Whether properties were proved for all depths. With bounds of the user's, all depths are not asked for.
    fn look_ahead(&mut self, standing: &Standing) -> bool {
        if standing.open.is_empty() || self.config.unwind.is_some() || !self.config.unwindset.is_empty() {
            return false;
        }
        let sites: BTreeSet<Site> = self.executor.waiting().iter().map(|w| w.site).collect();
        let open: BTreeSet<PropertyId> = standing.open.keys().copied().collect();
        self.proved = ahead::proved(self.program, self.config, self.budget, sites, &open).unwrap_or_default();
        let proved = &self.proved;
        self.found.too_hard.retain(|p, _| !proved.contains(p));
        self.hard.retain(|c| !proved.contains(&c.property));
        !self.proved.is_empty()
    }

    /// Everything there is to ask after a step.
    fn ask(&mut self) -> Next {
        // Nothing is asked about a step that was stopped: there may be very many claims, and the time is up.
        if let Some(stop) = self.executor.m.out.stopped {
            self.found.undecided = Some(stop.into());
            return Next::End;
        }
        self.ask_claims();
        let enough = self.config.is_enough(self.program, &self.found.violations);
        if enough || self.found.undecided.is_some() || !self.ask_gaps() || !self.ask_cuts() {
            return Next::End;
        }
        self.prune();
        Next::Step
    }

    /// Looks for violations among the new claims. What is too hard is left for later, so that one claim that nobody can decide does not hide all others.
    fn ask_claims(&mut self) {
        let new = self.asked.claims..self.executor.m.out.claims.len();
        self.asked.claims = new.end;
        let claims = self.executor.m.out.claims[new].to_vec();
        let mut found = std::mem::take(&mut self.found);
        let before = std::mem::take(&mut found.too_hard);
        let patience = claims::patience(self.budget, self.budget.spent().since(self.begun));
        let wanted = self.asked_for();
        let mut solver = self.asker.solver();
        let out = &self.executor.m.out;
        let mut inquiry = Inquiry {
            program: self.program,
            config: self.config,
            engine: ENGINE,
            terms: self.executor.m.terms,
            solver: solver.as_mut(),
            budget: self.budget,
        };
        let left = cone::decide(&mut inquiry, out, &claims, &wanted, &mut found);
        inquiry.under(&patience).violations(&left, &out.inputs, &wanted, &mut found);
        if !self.config.is_enough(self.program, &found.violations) {
            inquiry.forget(&claims, &wanted, &found);
        }
        drop(solver);
        let hard = std::mem::replace(&mut found.too_hard, before);
        self.found = found;
        // A step that was not completed says nothing.
        if let Some(stop) = self.budget.expired() {
            self.found.undecided = Some(stop.into());
            return;
        }
        self.hard.extend(claims.into_iter().filter(|c| hard.contains_key(&c.property)));
        self.found.too_hard.extend(hard);
    }

    /// Whether the user asks for a property.
    fn asked_for(&self) -> impl Fn(PropertyId) -> bool + use<'p, 'a> {
        let (program, config) = (self.program, self.config);
        move |p| config.asks_for(&program.property(p).name)
    }

    /// Asks again about what was too hard.
    fn ask_hard_claims(&mut self, budget: &Budget) {
        if self.found.too_hard.is_empty() {
            return;
        }
        let before = self.budget.spent();
        let hard = std::mem::take(&mut self.found.too_hard);
        let claims = std::mem::take(&mut self.hard);
        let mut solver = self.asker.solver();
        let mut inquiry = Inquiry {
            program: self.program,
            config: self.config,
            engine: ENGINE,
            terms: self.executor.m.terms,
            solver: solver.as_mut(),
            budget,
        };
        let wanted = |p: PropertyId| hard.contains_key(&p);
        inquiry.violations(&claims, &self.executor.m.out.inputs, &wanted, &mut self.found);
        let too_hard = &self.found.too_hard;
        self.hard = claims.into_iter().filter(|c| too_hard.contains_key(&c.property)).collect();
        self.spent_on_hard = self.spent_on_hard.plus(self.budget.spent().since(before));
    }

    /// While loops go on, what was too hard gets a part of the work that was done so far.
    fn hard_share(&self) -> Option<Budget> {
        let part = self.budget.spent().since(self.begun).part(CLAIMS_HARD_PART);
        (self.spent_on_hard <= part).then(|| self.budget.worth(part))
    }

    fn ask_one(&mut self, condition: Term) -> Outcome {
        if self.executor.m.terms.is_false(condition) {
            return Outcome::Unsat;
        }
        self.asker.solver().check(self.executor.m.terms, &[condition], self.budget)
    }

    /// Whether what could not be encoded is reached; false if the solver gave up.
    fn ask_gaps(&mut self) -> bool {
        let new = &self.executor.m.out.gaps[self.asked.gaps..];
        let guards: Vec<Term> = new.iter().map(|g| g.guard).collect();
        let any = self.executor.m.terms.or_all(&guards);
        if matches!(self.ask_one(any), Outcome::Unsat) {
            self.asked.gaps += guards.len();
        }
        while self.asked.gaps < self.executor.m.out.gaps.len() {
            let gap = self.executor.m.out.gaps[self.asked.gaps].clone();
            self.asked.gaps += 1;
            if !self.gaps.would_add(&gap, &mut self.reach, &self.wanted) {
                continue;
            }
            match self.ask_one(gap.guard) {
                Outcome::Sat => self.gaps.add(gap, &mut self.reach, &self.wanted),
                Outcome::Unsat => {}
                Outcome::Unknown(why) => return self.gave_up(why.into()),
            }
        }
        true
    }

    /// Whether the user's own bounds cut executions off; false if the solver gave up.
    fn ask_cuts(&mut self) -> bool {
        while self.asked.cuts < self.executor.m.out.cuts.len() {
            let cut = self.executor.m.out.cuts[self.asked.cuts].clone();
            self.asked.cuts += 1;
            if self.cuts.iter().any(|c| c.func == cut.func && c.what == cut.what) {
                continue;
            }
            match self.ask_one(cut.guard) {
                Outcome::Sat => self.cuts.push(cut),
                Outcome::Unsat => {}
                Outcome::Unknown(why) => return self.gave_up(why.into()),
            }
        }
        true
    }

    fn gave_up(&mut self, why: Reason) -> bool {
        self.found.undecided = Some(why);
        false
    }

    /// Lets go of what waits and is reached by no execution: that is how loops are closed.
    fn prune(&mut self) {
        let waiting: Vec<(Key, Site, Term)> =
            self.executor.waiting().into_iter().map(|w| (w.key.clone(), w.site, w.guard)).collect();
        let patience = claims::patience(self.budget, self.budget.spent().since(self.begun));
        for (key, site, guard) in waiting {
            let inputs = &self.executor.m.out.inputs;
            match self.asker.goes_on(self.executor.m.terms, inputs, site, guard, &patience) {
                Holds::InNone => self.executor.discard(&key),
                Holds::InSome => {}
                Holds::TooHard => return,
            }
        }
    }

    /// Where things stand after a completed step.
    fn take_stock(&mut self) -> Standing {
        let (found, proved) = (&self.found, &self.proved);
        let open =
            |p: &PropertyId| !proved.contains(p) && !found.violated.contains(p) && found.open_question(*p).is_none();
        let candidates: BTreeSet<PropertyId> = self.wanted.iter().copied().filter(open).collect();
        standing::take(&self.executor, &mut self.reach, &candidates)
    }

    fn progress(&self, standing: &Standing) -> Progress {
        let loops = standing.sites.iter().map(|s| LoopProgress {
            name: bounds::site_name(self.program, s.site.func, s.site.what),
            depth: s.depth,
            cost: s.cost,
        });
        let solver = self.asker.stats();
        let of_the_user = |p: &PropertyId| !self.program.decl(self.program.property(*p).func).model;
        Progress {
            engine: ENGINE,
            step: self.steps,
            properties: self.wanted.iter().filter(|p| of_the_user(p)).count(),
            violated: self.found.violated.len(),
            open: standing.open.iter().filter(|(p, _)| of_the_user(p)).map(|(p, depth)| (*p, *depth)).collect(),
            loops: loops.collect(),
            memory: resident_bytes(),
            terms: self.executor.m.terms.len(),
            clauses: solver.clauses,
            queries: solver.checks,
            at: None,
            paths: None,
        }
    }

    fn report(mut self) -> Report {
        let hard = !self.found.too_hard.is_empty();
        let complete = self.found.undecided.is_none() && !hard && self.cuts.is_empty() && self.nothing_open();
        let reached = if complete { self.reached() } else { None };
        let properties = answer::properties(self.program, self.config, &self.found);
        let results = answer::results(&properties, ENGINE, |p| match &reached {
            // What was proved for all depths may be reached beyond those that were looked at.
            Some(set) if !set.contains(&p) && !self.proved.contains(&p) && self.status(p) == Status::Proved => {
                Status::Unreachable
            }
            _ => self.status(p),
        });
        let verdict = self.verdict(&results);
        let stats = self.stats();
        let coverage = self.coverage();
        let notes = self.notes();
        Report {
            verdict,
            properties: results,
            coverage,
            bounds: self.bounds_reached(),
            violations: self.found.violations,
            runs: Vec::new(),
            notes,
            bodiless: self.executor.m.out.bodiless.iter().map(|f| self.program.decl(*f).name.clone()).collect(),
            gaps: self.gaps.named(),
            exploration: None,
            unconfirmed: self.found.unconfirmed,
            stats,
        }
    }

    /// What is left to say: how the search ended, what proofs rest on.
    fn notes(&mut self) -> Vec<String> {
        let ended = self.ended_by_brake().then(|| SEARCHED_ON.to_owned());
        let rests = if self.standing.is_some() { self.inquire(behind::notes) } else { Vec::new() };
        ended.into_iter().chain(rests).collect()
    }

    /// Whether it was the search for more violations that ended.
    fn ended_by_brake(&self) -> bool {
        self.last_found > 0 && self.found.undecided.is_some() && self.budget.work_left() == Some(Work::default())
    }

    fn nothing_open(&self) -> bool {
        self.standing.as_ref().is_some_and(|s| s.open.is_empty())
    }

    fn reached(&mut self) -> Option<BTreeSet<PropertyId>> {
        self.inquire(|inquiry, out| inquiry.reached(&out.reached))
    }

    fn coverage(&mut self) -> Coverage {
        let bounds = self.standing.is_some().then(|| self.bounds_reached());
        self.inquire(|inquiry, out| coverage::of(inquiry, &out.blocks_passed, bounds))
    }

    /// Asks the live solver about the outcome so far.
    fn inquire<R>(&mut self, ask: impl FnOnce(&mut Inquiry<'_>, &Execution) -> R) -> R {
        let mut solver = self.asker.solver();
        let mut inquiry = Inquiry {
            program: self.program,
            config: self.config,
            engine: ENGINE,
            terms: self.executor.m.terms,
            solver: solver.as_mut(),
            budget: self.budget,
        };
        ask(&mut inquiry, &self.executor.m.out)
    }

    fn status(&self, p: PropertyId) -> Status {
        if self.found.violated.contains(&p) {
            return Status::Violated;
        }
        if let Some(why) = self.found.open_question(p).or_else(|| self.found.too_hard.get(&p).cloned()) {
            return Status::Unknown(why);
        }
        if let Some(why) = self.gaps.before(p) {
            return Status::Unknown(why);
        }
        let Some(standing) = &self.standing else {
            return Status::Unknown(self.found.undecided.clone().unwrap_or(Reason::NotLookedAt));
        };
        if let Some(cut) = self.cuts.iter().map(|c| c.bound).min() {
            return Status::HoldsUpTo(standing.open.get(&p).map_or(cut, |d| cut.min(*d)));
        }
        standing.open.get(&p).map_or(Status::Proved, |depth| Status::HoldsUpTo(*depth))
    }

    fn verdict(&self, results: &[crate::PropertyResult]) -> Verdict {
        if !self.found.violations.is_empty() {
            return Verdict::Violation;
        }
        let unknown = |r: &crate::PropertyResult| matches!(r.status, Status::Unknown(_));
        if self.standing.is_none() || self.gaps.concern_any() || results.iter().any(unknown) {
            return Verdict::Unknown;
        }
        if self.nothing_open() && self.cuts.is_empty() { Verdict::Safe } else { Verdict::Bounded }
    }

    /// The loops that go on, each with the depth it was looked at.
    fn bounds_reached(&self) -> Vec<BoundReached> {
        let waiting = self.standing.iter().flat_map(|s| &s.sites).map(|s| BoundReached {
            name: bounds::site_name(self.program, s.site.func, s.site.what),
            kind: bounds::kind(s.site.what),
            bound: s.depth,
            loc: s.loc,
        });
        bounds::reached(self.program, &self.cuts).into_iter().chain(waiting).collect()
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats {
            terms: self.executor.m.terms.len(),
            claims: self.executor.m.out.claims.len(),
            rounds: self.steps,
            steps: self.executor.m.out.steps,
            total_time: self.budget.elapsed(),
            stopped: self.found.undecided.clone().filter(|_| !self.ended_by_brake()),
            ..Stats::default()
        };
        stats.add_solver(&self.asker.stats());
        stats
    }
}
