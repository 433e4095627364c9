//! Stratified inlining: `main` first, callees only where the answer needs them.
//!
//! After CORRAL (Lal, Qadeer, Lahiri: A Solver for Reachability Modulo Theories, CAV 2012). The program is run with its calls
//! left *out*: what a call may change holds anything afterwards (`symex::havoc`). Two questions are asked of such an execution. The over-approximating
//! one lets the calls left out do anything: if a property can't fail then, it can't fail at all, and nobody ever looks into the calls that are
//! left. The under-approximating one blocks them: what holds then is a real execution, and a run confirms it. When neither
//! answers, those calls that the abstract counterexample depends on are inlined, and the program is run again.
//!
//! One function's properties at a time (a *stratum*): of other functions' checks only matters that execution ends where they fail, which
//! a call left out need not show. What would be hidden inside a call left out is asked for at the call: a check of the
//! stratum's properties, and an end of the program where leaks are looked for. Calls that can do what no footprint describes are never left out,
//! nor are our models, whose checks count for their caller.
//!
//! Loops and recursion are unwound to the bound as in bmc. Cuts and unsupported places count only if executions without a
//! call that is left out get there. A loop inside a call that stays out needs no bound: everything it could do was allowed.
//!
//! Absent: inlining single iterations; summaries better than what may be written; reuse of one round's clauses in the next.

mod explain;
mod plan;
mod relevant;
mod stratum;

use crate::Refused;
use crate::answer::{self, Findings};
use crate::bounds::{self, Unwind};
use crate::config::CheckConfig;
use crate::reason::Reason;
use crate::tuning::STRATUM_MIN_WORK;
use crate::verdict::{PropertyResult, Report, Stats, Status, Verdict};
use blitz_base::span::Loc;
use blitz_base::{Budget, Stop, Work};
use blitz_ir::{FuncId, Inst, Program, PropertyId, Unsupported};
use blitz_symex::Cut;
use plan::{Footing, Path};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use stratum::{Answer, End};

pub(crate) const ENGINE: &str = "stratified";

/// What all strata share.
struct Context<'a> {
    program: &'a Program,
    config: &'a CheckConfig,
    entry: FuncId,
    bounds: Unwind,
    footing: Footing,
    wanted: BTreeSet<PropertyId>,
}

/// Every function's properties, one after the other.
pub(crate) fn check(program: &Program, config: &CheckConfig, budget: &Budget) -> Result<Report, Refused> {
    let entry = crate::start(program)?;
    let footing = Footing::new(program, entry, config.inline, &config.assumed_models);
    let context = Context {
        program,
        config,
        bounds: Unwind::new(program, config, config.unwind.unwrap_or(1))?,
        wanted: answer::wanted(program, config),
        footing,
        entry,
    };
    let total = all_strata(&context, budget)?;
    Ok(context.report(total, budget))
}

/// The strata, which know nothing of each other, on as many threads as were given. What comes of them does not hang on who is first.
fn all_strata(context: &Context<'_>, budget: &Budget) -> Result<Total, Refused> {
    let strata = context.strata();
    let board = Board::default();
    std::thread::scope(|scope| {
        for _ in 1..context.config.jobs.clamp(1, strata.len()) {
            let worker = std::thread::Builder::new().name("stratum".into()).stack_size(crate::STACK);
            worker
                .spawn_scoped(scope, || board.work(context, &strata, &budget.separate()))
                .expect("a thread should start");
        }
        board.work(context, &strata, budget);
    });
    let mut answers = board.answers.into_inner().expect("no worker should panic");
    let mut total = Total::default();
    let stopped = budget.expired();
    for (i, &func) in strata.iter().enumerate() {
        match answers.remove(&i) {
            Some(answer) => total.add(context.program, func, answer?),
            None => total.skip(func, stopped),
        }
    }
    Ok(total)
}

/// Where workers take strata from, and put what came of them.
#[derive(Default)]
struct Board {
    next: AtomicUsize,
    stop: AtomicBool,
    answers: Mutex<BTreeMap<usize, Result<Answer, Refused>>>,
}

impl Board {
    fn work(&self, context: &Context<'_>, strata: &[FuncId], budget: &Budget) {
        while !self.stop.load(Ordering::Relaxed) && budget.expired().is_none() {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&func) = strata.get(i) else { return };
            let config = context.config;
            config.say(|| format!("stratum {} of {}: {}", i + 1, strata.len(), context.program.decl(func).name));
            let slice = slice(budget, strata.len() - i, config.jobs);
            let answer = stratum::check(context, func, &slice);
            let found = answer.as_ref().is_ok_and(|a| config.is_enough(context.program, &a.found.violations));
            if found {
                self.stop.store(true, Ordering::Relaxed);
            }
            self.answers.lock().expect("no worker should panic").insert(i, answer);
        }
    }
}

/// The part of the work left that a stratum may take, with as many to come.
fn slice(budget: &Budget, left: usize, jobs: usize) -> Budget {
    let work = budget.work_left().or_else(|| budget.remaining().map(Work::about));
    match work {
        Some(work) if left > 1 => budget.worth(work.part(left as u64).times(2 * jobs as u64).max(STRATUM_MIN_WORK)),
        _ => budget.clone(),
    }
}

impl Context<'_> {
    /// The functions of the user's whose properties are asked for: with checks of their own, or with calls of models.
    fn strata(&self) -> Vec<FuncId> {
        let owners: BTreeSet<FuncId> = self.wanted.iter().map(|p| self.program.property(*p).func).collect();
        let model_owned = owners.iter().any(|f| self.program.decl(*f).model);
        let matters = |f: &FuncId| owners.contains(f) || model_owned && self.calls_models(*f);
        let mut found: Vec<FuncId> =
            self.footing.funcs().filter(|f| !self.program.decl(*f).model).filter(matters).collect();
        if found.is_empty() {
            found.push(self.entry);
        }
        found
    }

    fn calls_models(&self, f: FuncId) -> bool {
        let calls = |data: &blitz_ir::InstData| matches!(data.inst, Inst::Call(_));
        self.program.body(f).is_some_and(|b| b.insts.iter().any(calls))
    }

    fn report(&self, total: Total, budget: &Budget) -> Report {
        let properties = answer::properties(self.program, self.config, &total.found);
        let results = answer::results(&properties, ENGINE, |p| total.status(self.program, p));
        let verdict = total.verdict(&results);
        let mut stats = total.stats.clone();
        stats.total_time = budget.elapsed();
        stats.inlined = total.inlined.len() as u32;
        stats.left_open = total.left().count() as u32;
        Report {
            verdict,
            properties: results,
            bounds: bounds::reached(self.program, &total.cuts),
            bodiless: total.bodiless.iter().map(|f| self.program.decl(*f).name.clone()).collect(),
            runs: Vec::new(),
            notes: explain::notes(self.program, &total),
            gaps: total.gaps,
            violations: total.found.violations,
            coverage: Default::default(),
            exploration: None,
            unconfirmed: total.found.unconfirmed,
            stats,
        }
    }
}

/// What all strata came to.
#[derive(Default)]
struct Total {
    found: Findings,
    ends: BTreeMap<FuncId, (End, BTreeSet<PropertyId>)>,
    cuts: Vec<Cut>,
    gaps: Vec<(Unsupported, Loc)>,
    /// Calls that were inlined for some stratum.
    inlined: BTreeSet<Path>,
    /// Calls that were left out at the end of some.
    closed: BTreeSet<Path>,
    bodiless: BTreeSet<FuncId>,
    stats: Stats,
}

impl Total {
    fn add(&mut self, program: &Program, func: FuncId, answer: Answer) {
        self.found.add(answer.found);
        for cut in answer.cuts {
            if !self.cuts.iter().any(|c| (c.func, c.what) == (cut.func, cut.what)) {
                self.cuts.push(cut);
            }
        }
        for gap in answer.gaps {
            if !self.gaps.contains(&gap) {
                self.gaps.push(gap);
            }
        }
        if let End::Undecided(why) = &answer.end {
            self.stats.stopped.get_or_insert_with(|| why.clone());
        }
        self.inlined.extend(answer.inlined);
        self.closed.extend(answer.left.iter().map(|(path, _)| path.clone()));
        self.bodiless.extend(answer.bodiless.iter().filter(|f| !program.decl(**f).has_body));
        self.stats.add(&answer.stats);
        self.ends.insert(func, (answer.end, answer.reached));
    }

    /// Nobody looks at this one any more.
    fn skip(&mut self, func: FuncId, stopped: Option<Stop>) {
        let why = stopped.map_or(Reason::NotLookedAt, Reason::from);
        if stopped.is_some() {
            self.stats.stopped.get_or_insert_with(|| why.clone());
        }
        self.ends.insert(func, (End::Undecided(why), BTreeSet::new()));
    }

    /// Calls that nobody ever looked into.
    fn left(&self) -> impl Iterator<Item = &Path> {
        self.closed.difference(&self.inlined)
    }

    fn status(&self, program: &Program, p: PropertyId) -> Status {
        if self.found.violated.contains(&p) {
            return Status::Violated;
        }
        if let Some(why) = self.found.open_question(p) {
            return Status::Unknown(why);
        }
        match self.ends.get(&program.property(p).func) {
            Some((End::Undecided(why), _)) => Status::Unknown(why.clone()),
            Some((End::Gap(what), _)) => Status::Unknown(Reason::Unsupported(what.clone())),
            Some((End::HoldsUpTo(k), _)) => Status::HoldsUpTo(*k),
            Some((End::Proved, reached)) if reached.contains(&p) => Status::Proved,
            Some((End::Proved, _)) => Status::Unreachable,
            None => self.nobody_calls(),
        }
    }

    /// The status of a property whose function can't be called, or was not looked at.
    fn nobody_calls(&self) -> Status {
        match self.gaps.first() {
            Some((what, _)) => Status::Unknown(Reason::Unsupported(what.clone())),
            None => Status::Unreachable,
        }
    }

    fn verdict(&self, results: &[PropertyResult]) -> Verdict {
        if !self.found.violations.is_empty() {
            return Verdict::Violation;
        }
        let open = self.ends.values().any(|(end, _)| matches!(end, End::Undecided(_) | End::Gap(_)));
        if open || results.iter().any(|r| matches!(r.status, Status::Unknown(_))) {
            return Verdict::Unknown;
        }
        if self.cuts.is_empty() { Verdict::Safe } else { Verdict::Bounded }
    }
}
