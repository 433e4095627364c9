//! The hunt for one property: obligations are taken up until one ends in a violation or none is left.
//!
//! Away from the program's start an obligation is opened call by call and carried to its callers, under-approximated
//! when it grows. At the start everything but the calls that were left out is known: those the condition can't do
//! without are run in place (CORRAL's way), the others are assumed not to happen.

use super::explain::{self, Chapter};
use super::guide::guided;
use super::idle::Settled;
use super::inputs::Prediction;
use super::obligation::{Mover, Obligation, Site};
use super::turn::first_turn;
use super::under::Under;
use super::world::ProgramWorld;
use crate::config::{CheckConfig, Propagation, Weakening};
use crate::replay;
use crate::verdict::{Precondition, Violation};
use blitz_base::{Budget, Work};
use blitz_interp::InputSource;
use blitz_ir::{FuncId, InstId, Program, PropertyId};
use blitz_solver::{Outcome, Solver, SolverStats};
use blitz_term::{Term, dag_size};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::time::Duration;

/// Obligations of one property that are looked at before it counts as too hard.
const MAX_OBLIGATIONS: u32 = 400;
/// Weakenings of one condition.
const MAX_WEAKENINGS: u32 = 24;
/// A query on the way only prunes; the last one decides.
const QUERY: Work = Work::about_seconds(5);
const QUICK_QUERY: Work = Work::about_seconds(1);
const NEAR_QUERY: Work = Work::about_seconds(2);
/// A condition larger than this is looked at on one path first.
const LARGE: usize = 10_000;
const GUIDED_QUERY: Work = Work::about_seconds(20);
const LAST_QUERY: Work = Work::about_seconds(60);

pub(super) struct Hunt<'p, 'a> {
    pub program: &'p Program,
    pub config: &'a CheckConfig,
    pub budget: &'a Budget,
    pub entry: FuncId,
    pub world: &'p ProgramWorld<'p>,
    pub property: PropertyId,
    pub func: FuncId,
    pub mover: Mover<'p, 'a>,
    pub solver: Box<dyn Solver>,
    pub reach: Reach,
    /// How often loops are followed.
    pub bound: u32,
    pub open: Vec<Obligation<'p>>,
    /// What under-approximations left out.
    pub residuals: Vec<Obligation<'p>>,
    pub seen: HashSet<(FuncId, Term)>,
    pub gave_up: Option<String>,
    pub effort: Effort,
}

/// How much is looked at: each next one only if the one before left something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// As `Quick`, from the start of the program on, the calls that lead to the check in place.
    Direct,
    /// As `Near`, and away from the program's start only what can do without the calls left out.
    Quick,
    /// Searches in text end at the first place or nowhere.
    Near,
    All,
}

impl Reach {
    pub const ALL: [Reach; 4] = [Reach::Direct, Reach::Quick, Reach::Near, Reach::All];

    /// What one look is worth.
    pub fn slice(self, patience: Patience) -> Work {
        let seconds = match (self, patience) {
            (Reach::Direct | Reach::Quick, Patience::Short) => 2,
            (Reach::Near, Patience::Short) => 5,
            (Reach::All, Patience::Short) => 30,
            (Reach::Direct, Patience::Again) => 6,
            (Reach::Quick, Patience::Again) => 8,
            (Reach::Near, Patience::Again) => 15,
            (Reach::All, Patience::Again) => 60,
            // Where it leads anywhere it does so soon.
            (Reach::Direct, Patience::Long) => 6,
            (Reach::Quick, Patience::Long) => 12,
            (Reach::Near, Patience::Long) => 30,
            (Reach::All, Patience::Long) => 180,
        };
        Work::about_seconds(seconds)
    }

    /// A condition of more terms than this is dropped: simplifying it once would take longer than the look may.
    fn largest(self) -> usize {
        match self {
            Reach::Direct | Reach::Quick => 50_000,
            Reach::Near => 150_000,
            Reach::All => 400_000,
        }
    }

    pub fn wider(self) -> Self {
        match self {
            Reach::Direct => Reach::Quick,
            Reach::Quick => Reach::Near,
            Reach::Near | Reach::All => Reach::All,
        }
    }
}

/// How much work a look is worth: at one of many properties, once more at one of the few that need it, at the only one.
#[derive(Clone, Copy)]
pub(super) enum Patience {
    Short,
    Again,
    Long,
}

/// How the search for one property at one bound ended.
pub(super) enum End {
    Found(Box<Violation>),
    /// Nothing; with whether some loop was cut off.
    Nothing {
        cut: bool,
    },
    GaveUp(String),
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
        self.mover.near = self.reach != Reach::All;
        self.mover.direct = self.reach == Reach::Direct;
        self.world.treatment.replace(Rc::default());
        self.open = self.mover.start(self.func, self.property).into_iter().collect();
        let mut looked_at = 0;
        while let Some(o) = self.next() {
            looked_at += 1;
            if looked_at > MAX_OBLIGATIONS {
                self.gave_up = Some("too many obligations".to_string());
                break;
            }
            if let Some(stop) = self.budget.expired() {
                self.gave_up = Some(stop.to_string());
                break;
            }
            if dag_size(self.mover.terms, &[o.psi]) > self.reach.largest() {
                self.gave_up = Some("a precondition grew too large".to_string());
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
            let found = if o.func == self.entry { self.at_start(o) } else { self.elsewhere(o) };
            if let Some(violation) = found {
                return self.ended(End::Found(violation));
            }
        }
        let end = match self.gave_up.take() {
            Some(why) => End::GaveUp(why),
            None => End::Nothing { cut: self.mover.cut },
        };
        self.ended(end)
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

    /// Where least was taken back so far, nearest to where the search got stuck.
    fn next_residual(&mut self) -> Option<Obligation<'p>> {
        let best = self.residuals.iter().enumerate().min_by_key(|(i, o)| (o.weakenings, usize::MAX - *i));
        let next = self.residuals.remove(best?.0);
        if next.weakenings > MAX_WEAKENINGS {
            self.gave_up = Some(format!("{MAX_WEAKENINGS} weakenings of a precondition were not enough"));
            return None;
        }
        Some(next)
    }

    pub(super) fn query_work(&self) -> Work {
        match self.reach {
            Reach::Direct | Reach::Quick => QUICK_QUERY,
            Reach::Near => NEAR_QUERY,
            Reach::All => QUERY,
        }
    }

    fn last_query_work(&self) -> Work {
        match self.reach {
            Reach::Direct | Reach::Quick => QUERY,
            Reach::Near => GUIDED_QUERY,
            Reach::All => LAST_QUERY,
        }
    }

    pub(super) fn control(&self) -> bool {
        self.config.propagation == Propagation::Control
    }

    /// Away from the start: prune, under-approximate, then open a call or go to the callers.
    fn elsewhere(&mut self, mut o: Obligation<'p>) -> Option<Box<Violation>> {
        let query = self.budget.worth(self.query_work());
        let outcome = self.solver.check(self.mover.terms, &[o.psi], &query);
        self.config.say(|| format!("  {outcome:?}"));
        match outcome {
            Outcome::Unsat => return None,
            Outcome::Unknown(_) => {}
            Outcome::Sat => {}
        }
        if let Some(without) = self.without_calls(&o) {
            let rest = self.mover.terms.not(without.psi);
            let psi = self.mover.terms.and(o.psi, rest);
            match self.reach {
                Reach::Direct | Reach::Quick => self.mover.narrowed = true,
                Reach::Near | Reach::All => self.residuals.push(Obligation { psi, ..o }),
            }
            o = without;
        }
        if outcome == Outcome::Sat {
            o = self.under_approximated(o);
        }
        if let Some(which) = self.mover.next_call(&o, self.control()) {
            if self.reach <= Reach::Quick {
                self.mover.narrowed = true;
                return None;
            }
            self.open.extend(self.mover.open(o, which));
            return None;
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
        None
    }

    /// The part of an obligation in which none of the calls in question is made: nothing has to be opened for it.
    fn without_calls(&mut self, o: &Obligation<'p>) -> Option<Obligation<'p>> {
        let calls = self.mover.left_out(o, self.control());
        if calls.is_empty() {
            return None;
        }
        let work = self.query_work();
        let terms = &mut *self.mover.terms;
        let mut psi = o.psi;
        for (_, happens) in calls {
            let absent = terms.not(happens);
            psi = terms.and(psi, absent);
        }
        psi = terms.propagate(psi, self.budget);
        let query = self.budget.worth(work);
        if self.solver.check(terms, &[psi], &query) == Outcome::Unsat {
            return None;
        }
        let without = Obligation { psi, ..o.clone() };
        let still = self.mover.next_call(&without, self.control());
        self.config
            .say(|| format!("  without calls: {} terms, {}", dag_size(self.mover.terms, &[psi]), still.is_none()));
        still.is_none().then_some(without)
    }

    fn under_approximated(&mut self, o: Obligation<'p>) -> Obligation<'p> {
        if dag_size(self.mover.terms, &[o.psi]) <= self.config.exact {
            return o;
        }
        let mut rest = o.psi;
        let mut parts = Vec::new();
        let wanted = match self.config.weakening {
            Weakening::Lazy => 1,
            Weakening::Eager(n) => n,
        };
        for _ in 0..wanted {
            let query = self.budget.worth(QUERY);
            let terms = &mut *self.mover.terms;
            // Other questions may have been asked since the condition was found to hold somewhere.
            if self.solver.check(terms, &[rest], &query) != Outcome::Sat {
                break;
            }
            let under = Under::new(terms, self.solver.as_mut(), rest, &query).term(terms);
            let covered = terms.not(under);
            rest = terms.and(rest, covered);
            parts.push(under);
        }
        if parts.is_empty() {
            return o;
        }
        let terms = &mut *self.mover.terms;
        let psi = terms.or_all(&parts);
        if !terms.is_false(rest) {
            self.residuals.push(Obligation { psi: rest, weakenings: o.weakenings + 1, ..o.clone() });
        }
        Obligation { psi, ..o }
    }

    /// At the start: with the calls left out assumed not to happen, a model is an input vector. Without one, the calls
    /// whose absence the refutation needs are run in place.
    fn at_start(&mut self, mut o: Obligation<'p>) -> Option<Box<Violation>> {
        let Settled { psi, calls, mut made } = match self.settle(&mut o) {
            Ok(settled) if self.mover.direct && settled.made.iter().any(|s| !o.treatment.idle.contains(s)) => {
                // Run again without their effects it is simpler than with them replaced.
                self.open.extend(self.mover.idling(&o, settled.made));
                return None;
            }
            Ok(settled) => settled,
            Err(needed) => {
                self.open.extend(self.mover.inlining(&o, needed));
                return None;
            }
        };
        if self.mover.direct
            && let Some(violation) = self.without_what_is_in_question(&o, &calls)
        {
            return Some(violation);
        }
        let mut assumptions = vec![psi];
        let mut by_absence: HashMap<Term, Vec<Site>> = HashMap::new();
        for (site, happens) in &calls {
            let absent = self.mover.terms.not(*happens);
            assumptions.push(absent);
            by_absence.entry(absent).or_default().push(*site);
        }
        if let Some(violation) = self.in_one_letter(&o, &assumptions) {
            return Some(violation);
        }
        if let Some(violation) = self.on_one_path(&o, psi, &assumptions) {
            return Some(violation);
        }
        self.renew_solver();
        let query = self.budget.worth(self.last_query_work());
        let outcome = self.solver.check(self.mover.terms, &assumptions, &query);
        self.config.say(|| {
            let s = self.solver.stats();
            let effort = format!("{} clauses, {} lemmas, {} conflicts", s.clauses, s.lemmas, s.conflicts);
            format!("  without the {} calls in question: {outcome:?} ({effort})", calls.len())
        });
        let sites = match outcome {
            Outcome::Sat => {
                let psi = self.mover.terms.and_all(&assumptions);
                match self.confirm(&o, psi) {
                    Ok(violation) => return Some(violation),
                    Err(sites) => sites,
                }
            }
            Outcome::Unsat => {
                let needed = self.solver.failed_assumptions();
                needed.iter().flat_map(|t| by_absence.get(t).into_iter().flatten().copied()).collect()
            }
            Outcome::Unknown(why) => {
                self.gave_up = Some(why.to_string());
                BTreeSet::new()
            }
        };
        let new = |sites: &BTreeSet<Site>| sites.iter().any(|s| !o.treatment.inline.contains(s));
        // Where nothing else is to blame, the calls that were taken to change nothing are.
        made.extend(&o.treatment.idle);
        let sites = if new(&sites) { sites } else { made };
        self.config.say(|| format!("  run in place: {}", self.names(&sites)));
        if sites.iter().any(|s| !o.treatment.inline.contains(s)) {
            self.open.extend(self.mover.inlining(&o, sites));
        }
        None
    }

    /// The same run without the calls in question: a smaller condition than with their effects in it and the assumption that there
    /// are none.
    fn without_what_is_in_question(&mut self, o: &Obligation<'p>, calls: &[(Site, Term)]) -> Option<Box<Violation>> {
        if calls.is_empty() {
            return None;
        }
        let without = self.mover.without(o, calls.iter().map(|(site, _)| *site).collect())?;
        let psi = self.mover.assume_returns(&without, without.psi);
        if dag_size(self.mover.terms, &[psi]) > dag_size(self.mover.terms, &[o.psi]) {
            return None;
        }
        self.renew_solver();
        let query = self.budget.worth(self.query_work());
        let outcome = self.solver.check(self.mover.terms, &[psi], &query);
        self.config.say(|| {
            let size = dag_size(self.mover.terms, &[psi]);
            format!("  without runs that make the {} calls in question: {size} terms, {outcome:?}", calls.len())
        });
        if outcome != Outcome::Sat {
            return None;
        }
        self.confirm(&without, psi).ok()
    }

    /// A large condition on one path through its choices.
    fn on_one_path(&mut self, o: &Obligation<'p>, psi: Term, assumptions: &[Term]) -> Option<Box<Violation>> {
        if dag_size(self.mover.terms, &[psi]) <= LARGE {
            return None;
        }
        self.renew_solver();
        let query = self.budget.worth(GUIDED_QUERY);
        let all = self.mover.terms.and_all(assumptions);
        let path = guided(self.mover.terms, self.solver.as_mut(), all, &query);
        self.config.say(|| format!("  one path: {:?} terms", path.map(|t| dag_size(self.mover.terms, &[t]))));
        let path = path?;
        self.renew_solver();
        let outcome = self.solver.check(self.mover.terms, &[path], &query);
        self.config.say(|| format!("  on it: {outcome:?}"));
        if outcome != Outcome::Sat {
            return None;
        }
        self.confirm(o, path).ok()
    }

    /// The last conditions share little with what was asked before, and a live solver carries all of that along.
    pub(super) fn renew_solver(&mut self) {
        if let Ok(fresh) = crate::answer::solver(self.config) {
            self.effort.add(&self.solver.stats());
            self.solver = fresh;
        }
    }

    /// Runs the inputs of the model just found. `Err`: they did not show the violation; these calls were left out and
    /// should not have been.
    pub(super) fn confirm(&mut self, o: &Obligation<'p>, psi: Term) -> Result<Box<Violation>, BTreeSet<Site>> {
        let mut trail = o.trail.clone();
        trail.steps.push(self.mover.returned(o));
        let mut roots = vec![psi];
        roots.extend(replay::roots(&trail.inputs));
        let model = self.solver.model(self.mover.terms, &roots);
        let prediction = Prediction::new(self.mover.terms, model, &trail);
        let source = InputSource::Keyed(prediction.inputs(self.mover.terms, &trail, self.entry));
        match replay::run_source(&self.world.runner, self.config, source, "compositional", self.budget) {
            Ok(mut violation) => {
                violation.preconditions = self.preconditions(o);
                Ok(Box::new(violation))
            }
            Err(miss) => {
                let sites = self.wrong_turn(o, &prediction, &miss);
                self.config.say(|| format!("  wrong turn: {}; to blame: {}", miss.why, self.names(&sites)));
                self.gave_up = Some(format!("inputs were found, but {}", miss.why));
                let below = sites.iter().any(|(f, ..)| o.chain[..o.chain.len() - 1].contains(f));
                if below && self.mover.force(&sites) {
                    self.residuals.clear();
                    self.seen.clear();
                    self.open = self.mover.start(self.func, self.property).into_iter().collect();
                    return Err(BTreeSet::new());
                }
                Err(sites)
            }
        }
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
        let mut left_out: HashMap<u32, Site> = HashMap::new();
        for c in &o.calls {
            if eval.holds(self.mover.terms, c.state.guard.term(self.mover.terms)) {
                left_out.extend(self.mover.site(o, c).map(|site| (c.visit, site)));
            }
        }
        let mut needed: BTreeSet<Site> = self.mover.left_out(o, self.control()).into_iter().map(|(s, _)| s).collect();
        needed.extend(&o.treatment.idle);
        let before: Vec<Site> = turn.iter().rev().filter_map(|visit| left_out.get(visit).copied()).collect();
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
