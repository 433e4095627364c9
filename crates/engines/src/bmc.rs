//! The classical engine (CBMC): everything inlined, loops and recursion unwound to a bound, one formula.

use crate::answer::{self, Findings, Inquiry};
use crate::bounds::{self, Unwind};
use crate::config::CheckConfig;
use crate::gaps::Gaps;
use crate::progress::{Observer, Progress};
use crate::reach::Reach;
use crate::reason::Reason;
use crate::tuning::MODEL_BOUND;
use crate::verdict::{Report, Stats, Status, Verdict};
use crate::{Refused, behind, claims, cone, coverage, verdict};
use blitz_base::budget::resident_bytes;
use blitz_base::{Budget, Work};
use blitz_ir::{FuncId, Program, PropertyId};
use blitz_solver::{Outcome, Solver, SolverStats};
use blitz_symex::state::State;
use blitz_symex::{Cut, CutKind, Execution, Executor};
use blitz_term::{Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

const ENGINE: &str = "bmc";

struct Session<'a> {
    program: &'a Program,
    config: &'a CheckConfig,
    budget: &'a Budget,
    entry: FuncId,
    terms: Terms,
    solver: Box<dyn Solver>,
    /// What other threads' solvers did.
    elsewhere: Vec<SolverStats>,
    found: Findings,
    observer: Observer<'a>,
}

/// What the question found out beyond violations.
struct Round {
    execution: Execution,
    cuts: Vec<Cut>,
    gaps: Gaps,
    /// Nothing was left undecided.
    decided: bool,
    bound: u32,
}

/// One question at the configured bound.
pub(crate) fn check(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let mut session = Session::new(program, config, budget, observer)?;
    let round = session.round(config.unwind.unwrap_or(1))?;
    Ok(session.report(round))
}

impl<'a> Session<'a> {
    fn new(
        program: &'a Program,
        config: &'a CheckConfig,
        budget: &'a Budget,
        observer: Observer<'a>,
    ) -> Result<Self, Refused> {
        let solver = answer::solver(config)?;
        Ok(Self {
            program,
            config,
            budget,
            entry: crate::start(program)?,
            terms: Terms::new(),
            solver,
            elsewhere: Vec::new(),
            found: Findings::default(),
            observer,
        })
    }

    fn round(&mut self, bound: u32) -> Result<Round, Refused> {
        let bounds = Unwind::new(self.program, self.config, bound)?;
        let execution = self.execute(&bounds);
        self.tell(bound);
        let mut found = std::mem::take(&mut self.found);
        let (program, config) = (self.program, self.config);
        let wanted = |p: PropertyId| config.asks_for(&program.property(p).name);
        let mut inquiry = Inquiry {
            program: self.program,
            config: self.config,
            engine: ENGINE,
            terms: &mut self.terms,
            solver: self.solver.as_mut(),
            budget: self.budget,
        };
        match execution.stopped {
            None if self.config.jobs > 1 => (found, self.elsewhere) = in_parallel(&inquiry, &execution, &wanted)?,
            stopped => {
                found.undecided = stopped.map(Reason::from);
                let left = cone::decide(&mut inquiry, &execution, &execution.claims, &wanted, &mut found);
                let patience = claims::patience(self.budget, self.budget.spent());
                inquiry.under(&patience).violations(&left, &execution.inputs, &wanted, &mut found);
            }
        }
        let mut decided = found.undecided.is_none();
        let (mut cuts, mut gaps) = (Vec::new(), Gaps::default());
        if decided && !self.config.is_enough(self.program, &found.violations) {
            // What nobody knows of a cut matters less where claims are left that nobody could decide.
            let patience = claims::patience(self.budget, Work::default());
            let budget = if found.too_hard.is_empty() { self.budget } else { &patience };
            match remaining(&mut inquiry.under(budget), &execution, self.entry) {
                Some((c, g)) => (cuts, gaps) = (c, g),
                None => decided = false,
            }
            let hard = std::mem::take(&mut found.too_hard);
            if !hard.is_empty() {
                inquiry.violations(&execution.claims, &execution.inputs, &|p| hard.contains_key(&p), &mut found);
            }
        }
        if !decided && found.undecided.is_none() {
            found.undecided = Some(Reason::BeyondBound);
        }
        self.found = found;
        Ok(Round { execution, cuts, gaps, decided, bound })
    }

    /// The program is a formula now; the questions follow.
    fn tell(&self, bound: u32) {
        let wanted = answer::properties(self.program, self.config, &self.found);
        (self.observer)(&Progress {
            engine: ENGINE,
            step: 1,
            properties: wanted.len(),
            violated: 0,
            open: wanted.into_iter().map(|p| (p, bound)).collect(),
            loops: Vec::new(),
            memory: resident_bytes(),
            terms: self.terms.len(),
            clauses: 0,
            queries: 0,
            at: None,
            paths: None,
        });
    }

    fn execute(&mut self, bounds: &Unwind) -> Execution {
        let config = blitz_symex::Config { behind: self.config.behind, ..self.config.symbolic(bounds, MODEL_BOUND) };
        let mut executor = Executor::new(self.program, &mut self.terms, &config, self.budget);
        executor.run(self.entry, Vec::new(), State::start());
        executor.finish()
    }

    fn report(mut self, round: Round) -> Report {
        let complete = round.cuts.is_empty() && round.decided && self.found.too_hard.is_empty();
        let reached = if complete { self.reached(&round.execution) } else { None };
        let properties = answer::properties(self.program, self.config, &self.found);
        let undecided = self.found.undecided.clone();
        let results = answer::results(&properties, ENGINE, |p| {
            if self.found.violated.contains(&p) {
                return Status::Violated;
            }
            if let Some(why) = self.found.open_question(p).or_else(|| self.found.too_hard.get(&p).cloned()) {
                return Status::Unknown(why);
            }
            if let Some(why) = &undecided {
                return Status::Unknown(why.clone());
            }
            if self.config.is_enough(self.program, &self.found.violations) {
                return Status::Unknown(Reason::NotLookedAt);
            }
            if let Some(why) = round.gaps.before(p) {
                return Status::Unknown(why);
            }
            if !round.cuts.is_empty() {
                return Status::HoldsUpTo(round.bound);
            }
            match &reached {
                Some(set) if !set.contains(&p) => Status::Unreachable,
                _ => Status::Proved,
            }
        });
        let verdict = verdict_of(
            &results,
            !self.found.violations.is_empty(),
            undecided.is_some() || round.gaps.concern_any(),
            &round,
        );
        let notes = if self.found.undecided.is_none() { self.notes(&round.execution) } else { Vec::new() };
        let stats = self.stats(&round.execution);
        let reached = bounds::reached(self.program, &round.cuts);
        let known = round.execution.stopped.is_none().then(|| reached.clone());
        let coverage = coverage::of(&mut self.inquiry(), &round.execution.blocks_passed, known);
        Report {
            coverage,
            verdict,
            properties: results,
            violations: self.found.violations,
            bounds: reached,
            runs: Vec::new(),
            notes,
            bodiless: round.execution.bodiless.iter().map(|f| self.program.decl(*f).name.clone()).collect(),
            gaps: round.gaps.named(),
            exploration: None,
            unconfirmed: self.found.unconfirmed,
            stats,
        }
    }

    fn reached(&mut self, execution: &Execution) -> Option<std::collections::BTreeSet<PropertyId>> {
        self.inquiry().reached(&execution.reached)
    }

    /// What proofs rest on.
    fn notes(&mut self, execution: &Execution) -> Vec<String> {
        behind::notes(&mut self.inquiry(), execution)
    }

    fn inquiry(&mut self) -> Inquiry<'_> {
        Inquiry {
            program: self.program,
            config: self.config,
            engine: ENGINE,
            terms: &mut self.terms,
            solver: self.solver.as_mut(),
            budget: self.budget,
        }
    }

    fn stats(&self, execution: &Execution) -> Stats {
        let mut stats = Stats {
            terms: self.terms.len(),
            claims: execution.claims.len(),
            steps: execution.steps,
            rounds: 1,
            total_time: self.budget.elapsed(),
            stopped: self.found.undecided.clone().or_else(|| self.found.too_hard.values().next().cloned()),
            ..Stats::default()
        };
        self.elsewhere.iter().chain([&self.solver.stats()]).for_each(|s| stats.add_solver(s));
        stats
    }
}

/// The claims shared among threads, property by property, each with a solver of its own.
fn in_parallel(
    inquiry: &Inquiry<'_>,
    execution: &Execution,
    wanted: &dyn Fn(PropertyId) -> bool,
) -> Result<(Findings, Vec<SolverStats>), Refused> {
    let (program, config, budget) = (inquiry.program, inquiry.config, inquiry.budget);
    let terms: &Terms = inquiry.terms;
    let claimed: BTreeSet<PropertyId> = execution.claims.iter().map(|c| c.property).filter(|p| wanted(*p)).collect();
    let claimed: Vec<PropertyId> = claimed.into_iter().collect();
    let ask = |part: BTreeSet<PropertyId>| {
        let (mut terms, mut found) = (terms.clone(), Findings::default());
        let mut solver = answer::solver(config)?;
        let (terms, solver) = (&mut terms, solver.as_mut());
        let mut inquiry = Inquiry { program, config, engine: ENGINE, terms, solver, budget };
        inquiry.violations(&execution.claims, &execution.inputs, &|p| part.contains(&p), &mut found);
        Ok((found, inquiry.solver.stats()))
    };
    let jobs = config.jobs.clamp(1, claimed.len().max(1));
    let parts = (0..jobs).map(|i| claimed.iter().copied().skip(i).step_by(jobs).collect());
    let answers: Vec<Result<(Findings, SolverStats), Refused>> = std::thread::scope(|scope| {
        let start = |part| {
            let worker = std::thread::Builder::new().name("properties".into()).stack_size(crate::STACK);
            worker.spawn_scoped(scope, || ask(part)).expect("a thread should start")
        };
        let threads: Vec<_> = parts.map(start).collect();
        threads.into_iter().map(|t| t.join().expect("no worker should panic")).collect()
    });
    let (mut all, mut stats) = (Findings::default(), Vec::new());
    for answer in answers {
        let (found, one) = answer?;
        all.add(found);
        stats.push(one);
    }
    Ok((all, stats))
}

/// The cuts and gaps that some execution really reaches; one of each cause is enough.
type Remaining = (Vec<Cut>, Gaps);

fn remaining(inquiry: &mut Inquiry<'_>, execution: &Execution, entry: FuncId) -> Option<Remaining> {
    let gaps = gaps_reached(inquiry, execution, entry)?;
    let mut by_place: BTreeMap<(u32, CutKind), Vec<&Cut>> = BTreeMap::new();
    for cut in &execution.cuts {
        by_place.entry((cut.func.0, cut.what)).or_default().push(cut);
    }
    let mut cuts = Vec::new();
    for (_, group) in by_place {
        let guards: Vec<Term> = group.iter().map(|c| c.guard).collect();
        let any = inquiry.terms.or_all(&guards);
        match inquiry.ask(any) {
            // Where nobody knows, nothing is proved.
            Outcome::Sat | Outcome::Unknown(_) => cuts.push(group[0].clone()),
            Outcome::Unsat => {}
        }
    }
    Some((cuts, gaps))
}

fn gaps_reached(inquiry: &mut Inquiry<'_>, execution: &Execution, entry: FuncId) -> Option<Gaps> {
    let mut gaps = Gaps::default();
    if execution.gaps.is_empty() {
        return Some(gaps);
    }
    let guards: Vec<Term> = execution.gaps.iter().map(|g| g.guard).collect();
    let any = inquiry.terms.or_all(&guards);
    if inquiry.ask(any) == Outcome::Unsat {
        return Some(gaps);
    }
    let mut reach = Reach::new(inquiry.program, entry);
    let wanted = answer::wanted(inquiry.program, inquiry.config);
    for gap in &execution.gaps {
        if !gaps.would_add(gap, &mut reach, &wanted) {
            continue;
        }
        match inquiry.ask(gap.guard) {
            Outcome::Sat => gaps.add(gap.clone(), &mut reach, &wanted),
            Outcome::Unsat => {}
            Outcome::Unknown(_) => return None,
        }
    }
    Some(gaps)
}

fn verdict_of(results: &[verdict::PropertyResult], violated: bool, undecided: bool, round: &Round) -> Verdict {
    if violated {
        return Verdict::Violation;
    }
    if undecided || results.iter().any(|r| matches!(r.status, Status::Unknown(_))) {
        return Verdict::Unknown;
    }
    if round.cuts.is_empty() { Verdict::Safe } else { Verdict::Bounded }
}
