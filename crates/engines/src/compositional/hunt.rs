//! The search for one group of properties: obligations are taken up until one ends in a violation or none is left.
//!
//! Away from the program's start an obligation is opened call by call and carried to its callers, under-approximated
//! when it grows. At the start everything but the calls that were left out is known: those the condition can't do
//! without are inlined (CORRAL's way), the others are assumed not to happen.

use super::explain::{self, Chapter};
use super::inputs::Prediction;
use super::obligation::{Group, Mover, Obligation, Site};
use super::tactics::Tactic;
use super::tactics::answers::{Answer, Ending, fingerprint, fingerprint_at_start};
use super::tactics::idle::Settled;
use super::turn::first_turn;
use super::world::ProgramWorld;
use crate::config::{CheckConfig, Propagation};
use crate::reason::{Limit, Reason, RunEnd};
use crate::replay;
use crate::tuning::{MAX_MAX_TERMS, MAX_OBLIGATIONS, MIN_MAX_TERMS, QUERY_PART, UNITS_PER_TERM};
use crate::verdict::{Precondition, Violation};
use blitz_base::{Budget, Work};
use blitz_interp::InputSource;
use blitz_ir::{FuncId, InstId, Program};
use blitz_solver::{Outcome, Solver, SolverStats, UnknownReason};
use blitz_symex::ids::OccurrenceNo;
use blitz_term::{Term, dag_size};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

pub(super) struct Hunt<'p, 'a> {
    pub program: &'p Program,
    pub config: &'a CheckConfig,
    /// What this search may take.
    pub budget: &'a Budget,
    /// What the whole check may take: inputs that were found are run whatever they were worth.
    pub whole: &'a Budget,
    pub entry: FuncId,
    pub world: &'p ProgramWorld<'p>,
    pub group: Group,
    pub func: FuncId,
    pub mover: Mover<'p, 'a>,
    pub solver: Box<dyn Solver>,
    pub scope: Scope,
    /// How often loops are followed.
    pub bound: u32,
    /// What the search is worth.
    pub work: Work,
    pub open: Vec<Obligation<'p>>,
    /// What under-approximations left out.
    pub residuals: Vec<Obligation<'p>>,
    pub seen: HashSet<(FuncId, Term)>,
    pub gave_up: Option<Reason>,
    pub effort: Effort,
}

/// How much a search looks at: each next scope only if the one before left something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// From the start of the program on, the calls that lead to the check inlined.
    Direct,
    /// Away from the start only what can do without the calls left out.
    Closed,
    /// Searches in text end at the first place or nowhere.
    Narrow,
    Whole,
}

impl Scope {
    /// The scope that leaves less out, if any does.
    pub fn wider(self, config: &CheckConfig) -> Option<Self> {
        match self {
            // What begins at the start is beside the others.
            Scope::Direct | Scope::Whole => None,
            Scope::Closed if config.tactics.has(Tactic::Narrow) => Some(Scope::Narrow),
            Scope::Closed | Scope::Narrow => Some(Scope::Whole),
        }
    }
}

/// One try to reach the check from the start. `Break`: a violation, or the search began again with other calls inlined.
pub(super) type Attempt<C = ()> = ControlFlow<Option<Box<Violation>>, C>;

/// A question about an obligation at the start: its shape, and what was answered before.
struct Asked {
    print: Option<u128>,
    known: Option<Ending>,
}

/// How a search ended.
pub(super) enum End {
    Found(Box<Violation>),
    /// Nothing; with whether some loop was cut off.
    Nothing {
        cut: bool,
    },
    GaveUp(Reason),
}

/// What it took.
#[derive(Default)]
pub(super) struct Effort {
    pub segments: u32,
    /// Segments on the way from the violation to the start of the program.
    pub refinements: u32,
    pub weakenings: u32,
    pub queries: u64,
    pub clauses: u64,
    pub conflicts: u64,
    pub certified: u64,
    /// Questions that were answered by an earlier refutation.
    pub known: u64,
    /// Runs were left out.
    pub narrowed: bool,
    /// The chain of preconditions that came nearest to the start.
    pub nearest: Vec<Precondition>,
    pub solve_time: Duration,
}

impl Effort {
    fn add(&mut self, stats: &SolverStats) {
        self.queries += stats.checks;
        self.clauses = self.clauses.max(stats.clauses);
        self.conflicts += stats.conflicts;
        self.certified += stats.certified;
        self.solve_time += stats.solve_time;
    }
}

impl<'p> Hunt<'p, '_> {
    pub fn run(mut self, alloc_may_fail: bool) -> (End, Effort) {
        self.mover.alloc_may_fail = alloc_may_fail;
        self.mover.near = self.scope != Scope::Whole && self.uses(Tactic::Narrow);
        self.mover.direct = self.scope == Scope::Direct;
        self.world.treatment.replace(Rc::default());
        self.open = self.first_obligation().into_iter().collect();
        let mut looked_at = 0;
        while let Some(o) = self.next() {
            looked_at += 1;
            if looked_at > MAX_OBLIGATIONS {
                self.gave_up = Some(Reason::Limit(Limit::Obligations));
                break;
            }
            if let Some(stop) = self.budget.expired() {
                self.gave_up = Some(stop.into());
                break;
            }
            if self.mover.size(o.psi) > self.max_terms() {
                self.gave_up = Some(Reason::Limit(Limit::PreconditionSize));
                continue;
            }
            if !self.seen.insert((o.func, o.psi)) {
                continue;
            }
            (self.effort.refinements, self.effort.weakenings) = (o.refinements + 1, o.weakenings);
            self.tell(&o, looked_at);
            if o.chain.len() > self.effort.nearest.len() {
                self.effort.nearest = self.preconditions(&o);
            }
            if o.func != self.entry {
                self.elsewhere(o);
            } else if let Attempt::Break(Some(violation)) = self.at_start(o) {
                return self.ended(End::Found(violation));
            }
        }
        let end = match self.gave_up.take() {
            Some(why) => End::GaveUp(why),
            None => End::Nothing { cut: self.mover.cut },
        };
        self.ended(end)
    }

    /// The condition of the violation. At the start of the program a pointer that a call left out has put somewhere (`optarg`) names no object, so the
    /// condition comes out false: then the library models that the condition depends on in its own function are run in place.
    fn first_obligation(&mut self) -> Option<Obligation<'p>> {
        let first = self.mover.start(self.func, &self.group);
        if first.is_some() || !self.mover.direct {
            return first;
        }
        self.mover.direct = false;
        let alone = self.mover.start(self.func, &self.group);
        self.mover.direct = true;
        let left_out = self.mover.left_out(&alone?, self.control());
        let sites: BTreeSet<Site> = left_out.into_iter().map(|(site, _)| site).collect();
        let models: BTreeSet<Site> = sites.into_iter().filter(|s| self.program.decl(s.2).model).collect();
        if models.is_empty() || !self.mover.force(&models) {
            return None;
        }
        self.config.say(|| format!("  run in place: {}", self.names(&models)));
        self.mover.start(self.func, &self.group)
    }

    fn ended(mut self, end: End) -> (End, Effort) {
        self.effort.add(&self.solver.stats());
        self.effort.segments = self.mover.segments;
        self.effort.narrowed = self.mover.narrowed;
        if !self.mover.gaps.is_empty() {
            self.config.say(|| format!("  paths that were not followed: {}", self.mover.gaps.join("; ")));
        }
        (end, self.effort)
    }

    fn tell(&self, o: &Obligation<'p>, number: u32) {
        self.config.say(|| {
            let calls: BTreeSet<&str> = o.calls.iter().map(|c| self.program.decl(c.callee).name.as_ref()).collect();
            let calls: Vec<&str> = calls.into_iter().collect();
            format!(
                "obligation {number}: {}, condition of {} terms, {} weakenings; left out: {}",
                self.program.decl(*o.chain.last().unwrap_or(&o.func)).name,
                dag_size(self.mover.terms, &[o.psi]),
                o.weakenings,
                calls.join(" ")
            )
        });
    }

    /// The obligation nearest to the program's entry, then the one with the fewest segments behind it; when there is
    /// none, what an under-approximation left out.
    fn next(&mut self) -> Option<Obligation<'p>> {
        let distances = &self.world.distances;
        let distance = |o: &Obligation<'p>| distances.get(&o.func).copied().unwrap_or(u32::MAX);
        let best = self.open.iter().enumerate().min_by_key(|(i, o)| (distance(o), o.refinements, usize::MAX - *i));
        if let Some((i, _)) = best {
            return Some(self.open.swap_remove(i));
        }
        self.next_residual()
    }

    /// Whether a tactic is switched on.
    pub(super) fn uses(&self, tactic: Tactic) -> bool {
        self.config.tactics.has(tactic)
    }

    /// A question on the way only prunes; the last one decides.
    pub(super) fn query_work(&self) -> Work {
        self.work.part(QUERY_PART)
    }

    /// A condition of more terms is dropped: to simplify it once would take longer than the search may.
    fn max_terms(&self) -> usize {
        let affordable = usize::try_from(self.work.as_units() / UNITS_PER_TERM).unwrap_or(usize::MAX);
        affordable.clamp(MIN_MAX_TERMS, MAX_MAX_TERMS)
    }

    /// Whether a condition can hold; what was answered before is not asked again, so there may be no model.
    pub(super) fn ask(&mut self, psi: Term, work: Work) -> Outcome {
        self.ask_unless(psi, work, |_| true)
    }

    /// The same, with a model if it can hold.
    pub(super) fn ask_for_model(&mut self, psi: Term, work: Work) -> Outcome {
        self.ask_unless(psi, work, |known| !matches!(known, Answer::Sat))
    }

    fn ask_unless(&mut self, psi: Term, work: Work, is_enough: impl Fn(&Answer) -> bool) -> Outcome {
        let slice = self.budget.worth(work);
        if !self.uses(Tactic::Answers) {
            return self.solver.check(self.mover.terms, &[psi], &slice);
        }
        let print = fingerprint(self.mover.terms, psi);
        let work = slice.work_left().unwrap_or(work);
        if let Some(known) = self.world.answers.question(print, work).filter(is_enough) {
            self.effort.known += 1;
            return known.outcome();
        }
        let outcome = self.solver.check(self.mover.terms, &[psi], &slice);
        if let Some(answer) = Answer::of(&outcome, work) {
            self.world.answers.add_question(print, answer);
        }
        outcome
    }

    pub(super) fn control(&self) -> bool {
        self.config.propagation == Propagation::Control
    }

    /// Away from the start: prune, under-approximate, then open a call or go to the callers.
    fn elsewhere(&mut self, mut o: Obligation<'p>) {
        let outcome = self.ask(o.psi, self.query_work());
        self.config.say(|| format!("  {outcome:?}"));
        if outcome == Outcome::Unsat {
            return;
        }
        if let Some(without) = self.without_calls(&o) {
            let rest = self.mover.terms.not(without.psi);
            let psi = self.mover.terms.and(o.psi, rest);
            match self.scope {
                Scope::Direct | Scope::Closed => self.mover.narrowed = true,
                Scope::Narrow | Scope::Whole => self.keep_residual(Obligation { psi, ..o }),
            }
            o = without;
        }
        if outcome == Outcome::Sat {
            o = self.under_approximated(o);
        }
        if let Some(which) = self.mover.next_call(&o, self.control()) {
            if self.scope <= Scope::Closed {
                self.mover.narrowed = true;
                return;
            }
            self.open.extend(self.mover.open(o, which));
            return;
        }
        let callers: Vec<(FuncId, InstId)> = self.world.analysis.callers(o.func).to_vec();
        let o = Rc::new(o);
        for (caller, call) in callers {
            let before = match self.mover.step_over(&o, caller, call) {
                Some(same) => Some(same),
                None => self.mover.caller_obligation(&o, caller, call),
            };
            self.open.extend(before);
        }
    }

    /// At the start: with the calls left out assumed not to happen, a model is an input vector. Without one, the calls
    /// whose absence the refutation needs are run in place.
    fn at_start(&mut self, mut o: Obligation<'p>) -> Attempt {
        let Settled { psi, calls, mut made } = match self.settle(&mut o) {
            Ok(settled) if self.mover.direct && settled.made.iter().any(|s| !o.treatment.idle.contains(s)) => {
                // Run again without their effects it is simpler than with them replaced.
                self.open.extend(self.mover.idling(&o, settled.made));
                return Attempt::Continue(());
            }
            Ok(settled) => settled,
            Err(needed) => {
                self.open.extend(self.mover.inlining(&o, needed));
                return Attempt::Continue(());
            }
        };
        self.without_what_is_in_question(&o, &calls)?;
        let mut assumptions = vec![psi];
        let mut by_absence: HashMap<Term, Vec<Site>> = HashMap::new();
        for (site, happens) in &calls {
            let absent = self.mover.terms.not(*happens);
            assumptions.push(absent);
            by_absence.entry(absent).or_default().push(*site);
        }
        let asked = self.question_at_start(&o, &assumptions, &calls);
        let ending = match asked.known {
            Some(ending) => ending,
            None => {
                self.in_one_letter(&o, &assumptions)?;
                self.on_one_path(&o, psi, &assumptions)?;
                let ending = self.end_at_start(&o, &assumptions, &by_absence)?;
                asked.print.into_iter().for_each(|print| self.world.answers.add_ending(print, ending.clone()));
                ending
            }
        };
        let sites = match ending {
            Ending::Refuted(needed) => needed,
            Ending::Missed(end, sites) => self.after_miss(&o, end, sites)?,
            Ending::GaveUp(_) => {
                self.gave_up = Some(UnknownReason::Conflicts.into());
                BTreeSet::new()
            }
        };
        let new = |sites: &BTreeSet<Site>| sites.iter().any(|s| !o.treatment.inline.contains(s));
        // Where nothing else is to blame, the calls that were taken to change nothing are.
        made.extend(&o.treatment.idle);
        let sites = if new(&sites) { sites } else { made };
        self.config.say(|| format!("  inlined: {}", self.names(&sites)));
        if sites.iter().any(|s| !o.treatment.inline.contains(s)) {
            self.open.extend(self.mover.inlining(&o, sites));
        }
        Attempt::Continue(())
    }

    /// Whether the last question about an obligation was answered before.
    fn question_at_start(&mut self, o: &Obligation<'p>, assumptions: &[Term], calls: &[(Site, Term)]) -> Asked {
        if !self.uses(Tactic::Answers) {
            return Asked { print: None, known: None };
        }
        let whole = self.mover.terms.and_all(assumptions);
        let print = fingerprint_at_start(self.mover.terms, o, whole, calls);
        let known = self.world.answers.ending(print, self.budget.work_left().unwrap_or(self.work));
        if known.is_some() {
            self.effort.known += 1;
            self.config.say(|| "  asked before".to_string());
        }
        Asked { print: Some(print), known }
    }

    /// The last question, and the run if there is a model.
    fn end_at_start(
        &mut self,
        o: &Obligation<'p>,
        assumptions: &[Term],
        by_absence: &HashMap<Term, Vec<Site>>,
    ) -> Attempt<Ending> {
        self.renew_solver();
        let work = self.budget.work_left().unwrap_or(self.work);
        let outcome = self.solver.check(self.mover.terms, assumptions, self.budget);
        self.config.say(|| {
            let s = self.solver.stats();
            let effort = format!("{} clauses, {} lemmas, {} conflicts", s.clauses, s.lemmas, s.conflicts);
            format!("  without the {} calls in question: {outcome:?} ({effort})", by_absence.len())
        });
        Attempt::Continue(match outcome {
            Outcome::Sat => {
                let psi = self.mover.terms.and_all(assumptions);
                let (end, sites) = self.run_inputs(o, psi)?;
                Ending::Missed(end, sites)
            }
            Outcome::Unsat => {
                let needed = self.solver.failed_assumptions();
                Ending::Refuted(needed.iter().flat_map(|t| by_absence.get(t).into_iter().flatten().copied()).collect())
            }
            Outcome::Unknown(why) => {
                self.gave_up = Some(why.into());
                Ending::GaveUp(work)
            }
        })
    }

    /// The last conditions share little with what was asked before, and a live solver carries all of that along.
    pub(super) fn renew_solver(&mut self) {
        if let Ok(fresh) = crate::answer::solver(self.config) {
            self.effort.add(&self.solver.stats());
            self.solver = fresh;
        }
    }

    /// Runs the inputs of the model just found. `Continue`: they did not show the violation; these calls were left out and
    /// should not have been. Where such a call is below the start, the search begins again with it inlined.
    pub(super) fn confirm(&mut self, o: &Obligation<'p>, psi: Term) -> Attempt<BTreeSet<Site>> {
        let (end, sites) = self.run_inputs(o, psi)?;
        self.after_miss(o, end, sites)
    }

    /// The run on the inputs of the model just found. `Continue`: how it ended, and which calls are to blame.
    fn run_inputs(&mut self, o: &Obligation<'p>, psi: Term) -> Attempt<(RunEnd, BTreeSet<Site>)> {
        let mut trail = o.trail.clone();
        trail.steps.push(self.mover.returned(o));
        let mut roots = vec![psi];
        roots.extend(replay::roots(&trail.inputs));
        let model = self.solver.model(self.mover.terms, &roots);
        let prediction = Prediction::new(self.mover.terms, model, &trail);
        let source = InputSource::Keyed(prediction.inputs(self.mover.terms, &trail, self.entry));
        match replay::run_source(&self.world.runner, self.config, source, "compositional", self.whole) {
            Ok(mut violation) => {
                violation.preconditions = self.preconditions(o);
                Attempt::Break(Some(Box::new(violation)))
            }
            Err(miss) => {
                let sites = self.wrong_turn(o, &prediction, &miss);
                Attempt::Continue((miss.end, sites))
            }
        }
    }

    /// What follows from a run that did not show the violation.
    fn after_miss(&mut self, o: &Obligation<'p>, end: RunEnd, sites: BTreeSet<Site>) -> Attempt<BTreeSet<Site>> {
        self.config.say(|| format!("  wrong turn: {end}; to blame: {}", self.names(&sites)));
        self.gave_up = Some(Reason::NotShown(end));
        let below = sites.iter().any(|(f, ..)| o.chain[..o.chain.len() - 1].contains(f));
        if below && self.mover.force(&sites) {
            self.residuals.clear();
            self.seen.clear();
            self.open = self.mover.start(self.func, &self.group).into_iter().collect();
            return Attempt::Break(None);
        }
        Attempt::Continue(sites)
    }

    /// The chain from the error to the program's start.
    fn preconditions(&mut self, o: &Obligation<'p>) -> Vec<Precondition> {
        let mut story = o.story.clone();
        story.push(self.mover.chapter(o));
        let terms = &*self.mover.terms;
        let text = |c: &Chapter| explain::condition(self.program, terms, c);
        let loc = |c: &Chapter| self.program.decl(c.func).loc;
        story.iter().map(|c| Precondition { func: c.func, loc: loc(c), condition: text(c) }).collect()
    }

    /// The call that was left out and should not have been: the latest that the condition depends on before the run went
    /// another way than predicted; without one the latest at all, without that all.
    fn wrong_turn(&self, o: &Obligation<'p>, prediction: &Prediction, miss: &replay::Miss) -> BTreeSet<Site> {
        let all = || self.mover.left_out(o, true).into_iter().map(|(site, _)| site).collect();
        let outermost = *o.chain.last().unwrap_or(&o.func);
        let turn = first_turn(self.program, self.mover.terms, prediction, &o.trail, outermost, &miss.trace);
        let Some(turn) = turn else { return all() };
        let mut eval = prediction.evaluator();
        let mut left_out: HashMap<OccurrenceNo, Site> = HashMap::new();
        for c in &o.calls {
            if eval.holds(self.mover.terms, c.state.guard.term(self.mover.terms)) {
                left_out.extend(self.mover.site(o, c).map(|site| (c.occurrence, site)));
            }
        }
        let mut needed: BTreeSet<Site> = self.mover.left_out(o, self.control()).into_iter().map(|(s, _)| s).collect();
        needed.extend(&o.treatment.idle);
        let before: Vec<Site> = turn.iter().rev().filter_map(|occurrence| left_out.get(occurrence).copied()).collect();
        match before.iter().find(|s| needed.contains(s)).or(before.first()) {
            Some(&site) => BTreeSet::from([site]),
            None => all(),
        }
    }

    pub(super) fn names(&self, sites: &BTreeSet<Site>) -> String {
        let name = |f: FuncId| &self.program.decl(f).name;
        let each: Vec<String> = sites.iter().map(|s| format!("{} in {}", name(s.2), name(s.0))).collect();
        each.join(", ")
    }
}
