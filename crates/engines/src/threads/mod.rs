//! Programs with threads: sequentialization with growing rounds, lazy (`symex::rounds`) or as Lal and Reps do it (`symex::rounds::one_by_one`).
//!
//! A *step* runs the program with one bound for all loops, round after round. After each round it asks about the claims that are new, about
//! deadlocks and races in the states after it, and whether any execution needs more rounds. If none does and no loop was cut off, what holds is proved.
//! If only loops stand in the way, the next step has a larger bound. Steps share one solver and the variables of the places
//! of the unwound program, so that what a step has in common with the one before is the same formula.
//!
//! Before that, every schedule is run one after the other as far as that goes soon (`schedules`).
//!
//! Lal and Reps' way has no state between rounds to go on from: a step runs so many rounds at once, again and again until it guesses all that threads write, and then asks.
//!
//! Every violation was run by the interpreter on the schedule of the model. Absent: weak memory; `setjmp`.

mod ask;
mod schedules;

use crate::Refused;
use crate::answer::{self, Findings};
use crate::bounds::{self, Unwind};
use crate::config::{CheckConfig, Engine, Sequentialization};
use crate::progress::{Observer, Progress};
use crate::reason::Reason;
use crate::tuning::{
    MAX_NAMED_GAPS, THREADS_FIRST_ROUNDS, THREADS_MODEL_BOUND, THREADS_MORE_CONFLICTS, THREADS_ROUNDS_BEHIND_RACES,
    THREADS_ROUNDS_OF_BMC,
};
use crate::verdict::{BoundKind, BoundReached, PropertyResult, Report, Stats, Status, Verdict};
use ask::{Asker, Question};
use blitz_base::Budget;
use blitz_base::budget::resident_bytes;
use blitz_base::span::Loc;
use blitz_ir::{CheckKind, FuncId, Program, PropertyId, Unsupported};
use blitz_solver::Outcome;
use blitz_symex::rounds::{Guesses, InRounds, Kept};
use blitz_symex::{Cut, Executor};
use blitz_term::{Term, Terms};
use schedules::AllSchedules;
use std::collections::{BTreeMap, BTreeSet};

/// What every verdict on threads rests on.
const SEQUENTIAL: &str = "threads are interleaved as sequential consistency allows: what is said of races aside, it holds for programs without data races";

/// How a step ended.
enum Ended {
    /// Every execution was looked at.
    Complete,
    /// Loops were cut off.
    Cut,
    /// The rounds did not suffice.
    Rounds,
    /// A violation was found, or the budget is used up, or there is no answer.
    Over,
}

/// What was looked at without a violation.
#[derive(Clone)]
struct Standing {
    unwind: u32,
    rounds: u32,
    complete: bool,
    cuts: Vec<Cut>,
    reached: Vec<(PropertyId, Term)>,
    threads: usize,
}

struct Session<'a> {
    program: &'a Program,
    config: &'a CheckConfig,
    budget: &'a Budget,
    observer: Observer<'a>,
    entry: FuncId,
    terms: Terms,
    asker: Asker,
    kept: Kept,
    guesses: Guesses,
    found: Findings,
    gaps: Vec<(Unsupported, Loc)>,
    standing: Option<Standing>,
    bodiless: BTreeSet<FuncId>,
    steps: u32,
    symbolic_steps: u64,
    claims: usize,
    /// Some execution comes to a state in which every thread waits.
    stuck: bool,
    /// Every schedule was run.
    all: Option<AllSchedules>,
}

/// Checks a program that may start threads.
pub(crate) fn check(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let mut session = Session {
        program,
        config,
        budget,
        observer,
        entry: crate::start(program)?,
        terms: Terms::new(),
        asker: Asker::new(config)?,
        kept: Kept::new(program),
        guesses: Guesses::default(),
        found: Findings::default(),
        gaps: Vec::new(),
        standing: None,
        bodiless: BTreeSet::new(),
        steps: 0,
        symbolic_steps: 0,
        claims: 0,
        stuck: false,
        all: None,
    };
    session.all = schedules::all(program, config, budget, &mut session.found);
    if session.all.is_none() && !session.found_enough(THREADS_ROUNDS_BEHIND_RACES) {
        session.run()?;
    }
    Ok(session.report())
}

impl Session<'_> {
    fn run(&mut self) -> Result<(), Refused> {
        let grows = self.config.engine != Engine::Bmc;
        let mut unwind = self.config.unwind.unwrap_or(1);
        let mut rounds = match self.config.rounds {
            Some(rounds) => rounds,
            None if grows => THREADS_FIRST_ROUNDS,
            None => THREADS_ROUNDS_OF_BMC,
        };
        loop {
            self.steps += 1;
            let ended = self.step(unwind, rounds)?;
            let (more_rounds, more_loops) =
                (grows && self.config.rounds.is_none(), grows && self.config.unwind.is_none());
            match ended {
                Ended::Complete | Ended::Over => return Ok(()),
                Ended::Cut if more_loops => {
                    unwind += 1;
                    rounds += u32::from(more_rounds);
                }
                Ended::Rounds if more_rounds => rounds += 1,
                Ended::Cut | Ended::Rounds => return Ok(()),
            }
        }
    }

    /// One bound for all loops, and round after round. Where no loop is cut off, rounds go on until they are complete if they may grow.
    fn step(&mut self, unwind: u32, rounds: u32) -> Result<Ended, Refused> {
        let bounds = Unwind::new(self.program, self.config, unwind)?;
        let symex = self.config.symbolic(&bounds, THREADS_MODEL_BOUND);
        loop {
            let ended = self.attempt(&symex, unwind, rounds);
            if let Some(ended) = ended {
                return Ok(ended);
            }
        }
    }

    /// One execution; none if it guessed less than threads write, and found out more.
    fn attempt(&mut self, symex: &blitz_symex::Config<'_>, unwind: u32, rounds: u32) -> Option<Ended> {
        let mut terms = std::mem::take(&mut self.terms);
        let kept = std::mem::replace(&mut self.kept, Kept::new(self.program));
        let by_data = self.config.unwind.is_none();
        let mut executor = Executor::in_rounds(self.program, &mut terms, symex, self.budget, self.entry, kept, by_data);
        let ended = match self.config.threads {
            Sequentialization::SchedulesFirst | Sequentialization::Lazy => {
                Some(self.rounds(&mut executor, unwind, rounds))
            }
            Sequentialization::LalReps => self.one_by_one(&mut executor, unwind, rounds),
        };
        self.bodiless.extend(executor.m.out.bodiless.iter().copied());
        self.symbolic_steps += executor.m.out.steps;
        self.kept = executor.into_kept();
        self.terms = terms;
        ended
    }

    /// All rounds at once, thread after thread.
    fn one_by_one(&mut self, executor: &mut InRounds<'_, '_>, unwind: u32, rounds: u32) -> Option<Ended> {
        executor.run_one_by_one(rounds, &mut self.guesses);
        if self.guesses.take_growth() && executor.m.out.stopped.is_none() {
            return None;
        }
        self.tell(executor, rounds, unwind);
        let Some((cuts, complete)) = self.ask(executor, &mut Asked::default(), true) else { return Some(Ended::Over) };
        self.stands(executor, unwind, rounds, &cuts, complete);
        Some(match (complete, cuts.is_empty()) {
            _ if self.found_enough(rounds) => Ended::Over,
            (true, true) => Ended::Complete,
            (_, false) => Ended::Cut,
            (false, true) => Ended::Rounds,
        })
    }

    /// What was looked at so far, unless that is less than before.
    fn stands(&mut self, executor: &InRounds<'_, '_>, unwind: u32, rounds: u32, cuts: &[Cut], complete: bool) {
        let weaker = self.standing.as_ref().is_some_and(|s| s.rounds > rounds);
        let standing = Standing {
            unwind,
            rounds,
            complete: complete && cuts.is_empty() && !self.stuck,
            cuts: cuts.to_vec(),
            reached: executor.m.out.reached.clone(),
            threads: executor.thread_count(),
        };
        if !weaker || standing.complete {
            self.standing = Some(standing);
        }
    }

    fn rounds(&mut self, executor: &mut InRounds<'_, '_>, unwind: u32, rounds: u32) -> Ended {
        let endless = self.config.engine != Engine::Bmc && self.config.rounds.is_none();
        let mut asked = Asked::default();
        let mut round = 0;
        loop {
            round += 1;
            executor.run_round();
            self.tell(executor, round, unwind);
            let Some((cuts, complete)) = self.ask(executor, &mut asked, round >= rounds) else { return Ended::Over };
            self.stands(executor, unwind, round, &cuts, complete);
            if self.found_enough(round) {
                return Ended::Over;
            }
            match (complete, cuts.is_empty()) {
                (true, true) => return Ended::Complete,
                (true, false) => return Ended::Cut,
                (false, false) if round >= rounds => return Ended::Cut,
                (false, true) if round >= rounds && !endless => return Ended::Rounds,
                (false, _) => {}
            }
        }
    }

    /// Whether the search ends with what was found. A race is found early, and what comes of it some rounds later.
    fn found_enough(&self, round: u32) -> bool {
        let kind = |v: &crate::Violation| self.program.property(v.what().property).kind;
        let only_races = self.found.violations.iter().all(|v| kind(v) == CheckKind::DataRace);
        !self.found.violations.is_empty() && (!only_races || round >= THREADS_ROUNDS_BEHIND_RACES)
    }

    /// Everything there is to ask after a round; none if the search is over. Gives the loops that are cut off, as far as that is `asked`, and whether the rounds are complete.
    fn ask(&mut self, executor: &mut InRounds<'_, '_>, asked: &mut Asked, ask_cuts: bool) -> Option<(Vec<Cut>, bool)> {
        if let Some(stop) = executor.m.out.stopped {
            self.found.undecided = Some(stop.into());
            return None;
        }
        executor.m.claim_leaks();
        let last = executor.last_claims();
        if let Some(stop) = executor.m.out.stopped {
            self.found.undecided = Some(stop.into());
            return None;
        }
        let mut questions: Vec<Question> =
            executor.m.out.claims[asked.claims..].iter().map(Question::of_claim).collect();
        asked.claims = executor.m.out.claims.len();
        questions.extend(last.deadlocks.iter().map(|(p, c)| Question::new(*p, *c)));
        questions.extend(last.races.iter().flat_map(Question::of_race));
        self.claims += questions.len();
        self.asker.violations(self.program, self.config, self.budget, executor, &questions, &mut self.found);
        let enough = self.config.stop_at_first && !self.found.violations.is_empty();
        if enough || self.found.undecided.is_some() || !self.ask_gaps(executor, asked) {
            return None;
        }
        let cuts = self.ask_cuts(executor, ask_cuts)?;
        let complete =
            match self.asker.ask(executor.m.terms, last.beyond, &self.budget.with_effort(THREADS_MORE_CONFLICTS)) {
                Outcome::Unsat => true,
                Outcome::Sat => false,
                Outcome::Unknown(why) if self.budget.expired().is_some() => return self.gave_up(why.into()),
                Outcome::Unknown(_) => false,
            };
        if complete && !self.stuck {
            match self.asker.ask(executor.m.terms, last.stuck, self.budget) {
                Outcome::Unsat => {}
                Outcome::Sat => self.stuck = true,
                Outcome::Unknown(why) => return self.gave_up(why.into()),
            }
        }
        // A loop that was not asked about may be cut off.
        let cuts = if complete && !ask_cuts { self.ask_cuts(executor, true)? } else { cuts };
        Some((cuts, complete))
    }

    fn gave_up<T>(&mut self, why: Reason) -> Option<T> {
        self.found.undecided = Some(why);
        None
    }

    /// Whether what could not be encoded is reached; false if the solver gave up.
    fn ask_gaps(&mut self, executor: &mut InRounds<'_, '_>, asked: &mut Asked) -> bool {
        while asked.gaps < executor.m.out.gaps.len() {
            let gap = executor.m.out.gaps[asked.gaps].clone();
            asked.gaps += 1;
            let known = self.gaps.iter().any(|(w, l)| *w == gap.what && *l == gap.loc);
            if known || self.gaps.len() >= MAX_NAMED_GAPS {
                continue;
            }
            match self.asker.ask(executor.m.terms, gap.guard, self.budget) {
                Outcome::Sat => self.gaps.push((gap.what, gap.loc)),
                Outcome::Unsat => {}
                Outcome::Unknown(why) => return self.gave_up::<()>(why.into()).is_some(),
            }
        }
        true
    }

    /// The loops that some execution runs more often than the bound; one cut of each.
    fn ask_cuts(&mut self, executor: &mut InRounds<'_, '_>, ask: bool) -> Option<Vec<Cut>> {
        let mut by_place: BTreeMap<(u32, blitz_symex::CutKind), Vec<Cut>> = BTreeMap::new();
        for cut in &executor.m.out.cuts {
            by_place.entry((cut.func.0, cut.what)).or_default().push(cut.clone());
        }
        let mut out = Vec::new();
        for (_, group) in by_place.into_iter().filter(|_| ask) {
            let guards: Vec<Term> = group.iter().map(|c| c.guard).collect();
            let any = executor.m.terms.or_all(&guards);
            match self.asker.ask(executor.m.terms, any, self.budget) {
                Outcome::Sat => out.push(group[0].clone()),
                Outcome::Unsat => {}
                Outcome::Unknown(why) => return self.gave_up(why.into()),
            }
        }
        Some(out)
    }

    fn tell(&self, executor: &InRounds<'_, '_>, round: u32, unwind: u32) {
        let wanted = answer::properties(self.program, self.config, &self.found);
        self.config.say(|| {
            format!(
                "{} threads, round {round}, loops {unwind}: {} terms",
                executor.thread_count(),
                executor.m.terms.len()
            )
        });
        (self.observer)(&Progress {
            engine: self.config.threads.name(),
            step: self.steps,
            properties: wanted.len(),
            violated: self.found.violated.len(),
            open: wanted.into_iter().map(|p| (p, unwind)).collect(),
            loops: Vec::new(),
            memory: resident_bytes(),
            terms: executor.m.terms.len(),
            clauses: self.asker.stats().clauses,
            queries: self.asker.stats().checks,
            at: None,
            paths: None,
        });
    }

    fn report(mut self) -> Report {
        let complete = self.standing.as_ref().is_some_and(|s| s.complete)
            && self.found.undecided.is_none()
            && self.gaps.is_empty()
            && self.found.violations.is_empty();
        let reached = match (&self.standing, complete) {
            (Some(standing), true) => {
                self.asker.reached(self.program, self.config, self.budget, &mut self.terms, &standing.reached)
            }
            _ => None,
        };
        let properties = answer::properties(self.program, self.config, &self.found);
        let results = answer::results(&properties, self.config.threads.name(), |p| match (self.status(p), &reached) {
            (Status::Proved, Some(set)) if !set.contains(&p) => Status::Unreachable,
            (status, _) => status,
        });
        Report {
            verdict: self.verdict(&results),
            properties: results,
            bounds: self.bounds_reached(),
            runs: Vec::new(),
            notes: self.notes(),
            bodiless: self.bodiless.iter().map(|f| self.program.decl(*f).name.clone()).collect(),
            gaps: std::mem::take(&mut self.gaps),
            unconfirmed: std::mem::take(&mut self.found.unconfirmed),
            stats: self.stats(),
            violations: self.found.violations,
            coverage: Default::default(),
            exploration: None,
        }
    }

    fn status(&self, p: PropertyId) -> Status {
        if self.found.violated.contains(&p) {
            return Status::Violated;
        }
        if let Some(all) = &self.all {
            return if all.reached.contains(&p) { Status::Proved } else { Status::Unreachable };
        }
        if let Some(why) = self.found.open_question(p) {
            return Status::Unknown(why);
        }
        if let Some((what, _)) = self.gaps.first() {
            return Status::Unknown(Reason::Unsupported(what.clone()));
        }
        match &self.standing {
            None => Status::Unknown(self.found.undecided.clone().unwrap_or(Reason::NotLookedAt)),
            Some(standing) if standing.complete && self.found.violations.is_empty() => Status::Proved,
            Some(standing) => Status::HoldsUpTo(standing.unwind),
        }
    }

    fn verdict(&self, results: &[PropertyResult]) -> Verdict {
        if !self.found.violations.is_empty() {
            return Verdict::Violation;
        }
        if self.all.is_some() {
            return Verdict::Safe;
        }
        let unknown = results.iter().any(|r| matches!(r.status, Status::Unknown(_)));
        match &self.standing {
            None => Verdict::Unknown,
            Some(_) if unknown || !self.gaps.is_empty() || !self.found.unconfirmed.is_empty() => Verdict::Unknown,
            Some(standing) if standing.complete => Verdict::Safe,
            Some(_) => Verdict::Bounded,
        }
    }

    /// The loops and rounds that go on, each with how far it was looked at.
    fn bounds_reached(&self) -> Vec<BoundReached> {
        let Some(standing) = self.standing.as_ref().filter(|s| !s.complete) else { return Vec::new() };
        let mut out = bounds::reached(self.program, &standing.cuts);
        let loc = Loc::UNKNOWN;
        out.push(BoundReached { name: "rounds".to_owned(), kind: BoundKind::Rounds, bound: standing.rounds, loc });
        out
    }

    /// How it was decided that nothing was left out.
    fn notes(&self) -> Vec<String> {
        if let Some(all) = &self.all {
            return vec![
                format!("complete: every schedule of {} threads was run, {} states", all.threads, all.states),
                SEQUENTIAL.to_owned(),
            ];
        }
        let Some(standing) = &self.standing else { return Vec::new() };
        let rounds = if standing.rounds == 1 { "1 round".to_owned() } else { format!("{} rounds", standing.rounds) };
        let threads =
            if standing.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", standing.threads) };
        let mut out = Vec::new();
        if standing.complete && self.found.violations.is_empty() {
            out.push(format!(
                "complete: {threads}, no loop goes on, and the solver refuted that any execution needs more than {rounds}"
            ));
        } else if self.found.violations.is_empty() {
            out.push(format!("looked at: {threads} in up to {rounds}"));
        }
        if self.stuck && self.found.violations.is_empty() {
            out.push("in some execution every thread waits for good; whether that is wrong was not asked, and what follows a wake-up for no reason was not looked at".to_owned());
        }
        out.push(SEQUENTIAL.to_owned());
        out
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats {
            terms: self.terms.len(),
            claims: self.claims,
            rounds: self.steps,
            steps: self.symbolic_steps,
            total_time: self.budget.elapsed(),
            stopped: self.found.undecided.clone(),
            ..Stats::default()
        };
        stats.add_solver(&self.asker.stats());
        stats
    }
}

/// How much of what the executor has collected was asked about.
#[derive(Default)]
struct Asked {
    claims: usize,
    gaps: usize,
}
