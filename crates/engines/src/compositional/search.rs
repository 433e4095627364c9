//! The search: entries of the queue are taken up until nothing is left, enough was found, or the budget ends.

use super::extents;
use super::hunt::{Effort, End, Hunt, Scope};
use super::obligation::{Group, Mover};
use super::order::Urgency;
use super::queue::{Entry, Queue, Search, Task, halves};
use super::share::{Found, Share};
use super::statements;
use super::tactics::Tactic;
use super::tactics::requests::requests;
use super::world::ProgramWorld;
use crate::Refused;
use crate::bounds::Unwind;
use crate::config::{CheckConfig, Granularity};
use crate::probes::Probes;
use crate::progress::{Observer, Progress};
use crate::reason::Reason;
use crate::requests::Requests;
use crate::tuning::{BOUND_GROWTH, ELSEWHERE_BOUND, FIRST_WORK, WORK_GROWTH};
use crate::verdict::{self, Precondition, Report, Stats, Status, Violation};
use blitz_base::budget::{Stop, resident_bytes};
use blitz_base::{Budget, Work};
use blitz_ir::{CheckKind, Checks, FuncId, Program, Property, PropertyId};
use blitz_term::Terms;
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Looks for a violation of each property, on as many threads as were given.
pub(crate) fn check(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    match config.granularity {
        Granularity::Function => search(program, program.funcs.len(), config, budget, observer),
        Granularity::Statements(n) => statements::check(program, n, config, budget, observer),
    }
}

/// The same in a program whose functions from number `fragments` on are fragments of others.
pub(super) fn search(
    program: &Program,
    fragments: usize,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let entry = crate::start(program)?;
    let settled = Arc::new(AtomicBool::new(false));
    let budget = &budget.until(&settled);
    let work = |share: Share| {
        // What the first worker does counts for the whole search, so that whoever divides the work sees it end.
        let budget = &if share.number == 0 { budget.clone() } else { budget.separate() };
        let world = ProgramWorld::new(program, entry, fragments);
        let mut search = Searcher {
            program,
            config,
            budget,
            entry,
            world: &world,
            share,
            settled: &settled,
            only: None,
            violations: Vec::new(),
            stats: Stats::default(),
            seen: BTreeMap::new(),
            efforts: BTreeMap::new(),
            observer,
            all: Vec::new(),
            searches: 0,
            requests: None,
            probes: None,
        };
        search.run()?;
        Ok(search.found())
    };
    let of = config.jobs.max(1);
    let parts: Vec<Result<Found, Refused>> = std::thread::scope(|scope| {
        let start = |number| {
            let worker = std::thread::Builder::new().name("search".into()).stack_size(crate::STACK);
            worker.spawn_scoped(scope, move || work(Share { number, of })).expect("a thread should start")
        };
        let others: Vec<_> = (1..of).map(start).collect();
        let own = work(Share { number: 0, of });
        std::iter::once(own).chain(others.into_iter().map(|t| t.join().expect("no worker should panic"))).collect()
    });
    let mut all = Found::default();
    for part in parts {
        all.add(part?);
    }
    Ok(all.report(budget))
}

/// Makes runs until one shows a violation of a property that is wanted.
type NextRun<'r> = dyn FnMut(&dyn Fn(PropertyId) -> bool) -> Option<Box<Violation>> + 'r;

struct Searcher<'p> {
    program: &'p Program,
    config: &'p CheckConfig,
    budget: &'p Budget,
    entry: FuncId,
    world: &'p ProgramWorld<'p>,
    share: Share,
    /// Set when nothing is left to do for anybody.
    settled: &'p AtomicBool,
    /// The only property that is looked for, if it is one.
    only: Option<PropertyId>,
    violations: Vec<Violation>,
    stats: Stats,
    seen: BTreeMap<PropertyId, Status>,
    efforts: BTreeMap<PropertyId, verdict::Effort>,
    observer: Observer<'p>,
    all: Vec<PropertyId>,
    /// How many searches were begun.
    searches: u32,
    requests: Option<Requests<'p, 'p>>,
    probes: Option<Probes<'p, 'p>>,
}

impl<'p> Searcher<'p> {
    /// Takes up one entry of the queue after the other.
    fn run(&mut self) -> Result<(), Refused> {
        let mut queue = self.first_entries();
        while let Some(entry) = queue.pop() {
            if self.budget.expired().is_some() || self.has_enough() {
                break;
            }
            match entry.task {
                Task::Requests => self.run_requests(&mut queue, entry.work)?,
                Task::Probes => self.run_probes(&mut queue, entry.work)?,
                Task::Search(search) => self.take(&mut queue, search, entry.work)?,
            }
        }
        if let Some(stop) = self.budget.expired() {
            for &property in &self.all {
                self.seen.entry(property).or_insert_with(|| Status::Unknown(stop.into()));
            }
        }
        Ok(())
    }

    fn has_enough(&self) -> bool {
        let only = self.only.is_some_and(|p| self.is_violated(p));
        only || self.config.is_enough(self.program, &self.violations)
    }

    fn is_violated(&self, property: PropertyId) -> bool {
        self.seen.get(&property) == Some(&Status::Violated)
    }

    /// What there is to do, and who does it: groups are dealt out like cards, of a single property the scopes are.
    fn first_entries(&mut self) -> Queue {
        let searches = self.groups();
        self.all = searches.iter().flat_map(|s| s.group.iter().copied()).collect();
        self.only = if let [only] = self.all.as_slice() { Some(*only) } else { None };
        let mut queue = Queue::default();
        for (i, search) in searches.into_iter().enumerate() {
            let mut scopes = match (self.only, self.share) {
                (Some(_), Share { number: 1, .. }) => vec![Scope::Narrow],
                (Some(_), Share { number: 2.., .. }) => Vec::new(),
                (Some(_), _) => vec![Scope::Closed, Scope::Direct],
                (None, share) if share.is_mine(i) => vec![Scope::Closed, Scope::Direct],
                (None, _) => Vec::new(),
            };
            let direct = self.config.tactics.has(Tactic::Direct) && self.world.direct_root(search.func).is_some();
            scopes.retain(|s| *s != Scope::Direct || direct);
            for scope in scopes {
                queue.push(Entry::first(Search { scope, ..search.clone() }));
            }
        }
        let wants_requests = self.only.is_some() || self.config.unwind.is_none();
        if wants_requests && self.share.number == 0 && self.config.tactics.has(Tactic::Requests) {
            queue.push(Entry::requests());
        }
        if wants_requests && self.share.number == 0 && self.config.tactics.has(Tactic::Probes) {
            queue.push(Entry::probes());
        }
        queue
    }

    /// The properties that a search can begin with, those of one function and urgency together.
    fn groups(&self) -> Vec<Search> {
        let together = self.config.tactics.has(Tactic::Groups);
        let mut groups: BTreeMap<(Urgency, u32, FuncId, bool, usize), Vec<PropertyId>> = BTreeMap::new();
        for (i, (property, p)) in self.asked_for().filter(|(_, p)| p.kind != CheckKind::MemoryLeak).enumerate() {
            let urgency = Urgency::of(self.program, property, p.func);
            let depth = self.world.distances.get(&p.func).copied().unwrap_or(u32::MAX);
            // Definedness is only followed where it is what is looked for.
            let defined = p.kind != CheckKind::Uninitialised;
            let apart = if together { 0 } else { i };
            groups.entry((urgency, depth, p.func, defined, apart)).or_default().push(property);
        }
        let search = |((urgency, depth, func, ..), group): ((Urgency, u32, FuncId, bool, usize), Vec<PropertyId>)| {
            let bound = self.config.unwind.unwrap_or(1);
            Search {
                group: group.into(),
                func,
                scope: Scope::Closed,
                bound,
                depth,
                urgency,
                widened: false,
                named: None,
            }
        };
        groups.into_iter().map(search).collect()
    }

    /// Runs on one request after the other; where many properties are looked for, for whatever they lead to. Leaks too, which no search
    /// can begin with: there is no place where one happens.
    fn run_requests(&mut self, queue: &mut Queue, work: Work) -> Result<(), Refused> {
        self.config.say(|| format!("requests after {:.1} s", self.budget.elapsed().as_secs_f64()));
        let slice = self.budget.worth(work);
        let mut requests = self.requests.take().unwrap_or_else(|| {
            let aim = self.only.map(|p| self.program.property(p).func);
            requests(self.world, self.config, self.budget, aim)
        });
        self.take_runs(&mut |wanted| requests.run(wanted, &slice))?;
        if !self.has_enough() && requests.goes_on() {
            queue.push(Entry { task: Task::Requests, work: work.times(WORK_GROWTH) });
        }
        self.requests = Some(requests);
        Ok(())
    }

    fn run_probes(&mut self, queue: &mut Queue, work: Work) -> Result<(), Refused> {
        self.config.say(|| format!("probes after {:.1} s", self.budget.elapsed().as_secs_f64()));
        let slice = self.budget.worth(work);
        let new = || Probes::new(self.program, self.config, self.budget);
        let mut probes = self.probes.take().unwrap_or_else(new);
        self.take_runs(&mut |wanted| probes.run(wanted, &slice))?;
        if !self.has_enough() && probes.goes_on() {
            queue.push(Entry { task: Task::Probes, work: work.times(WORK_GROWTH) });
        }
        self.probes = Some(probes);
        Ok(())
    }

    /// Takes what runs show of the properties that are still looked for, until they show nothing more.
    fn take_runs(&mut self, next: &mut NextRun<'_>) -> Result<(), Refused> {
        let mut open: HashSet<PropertyId> = match self.only {
            Some(only) => HashSet::from([only]),
            None => self.asked_for().map(|(property, _)| property).collect(),
        };
        open.retain(|p| !self.is_violated(*p));
        while let Some(mut violation) = next(&|p| open.contains(&p)) {
            let property = violation.what().property;
            open.remove(&property);
            violation.preconditions = self.chain_to(property)?;
            self.note_violation(violation);
            self.hand_out(property);
            if self.has_enough() {
                break;
            }
        }
        Ok(())
    }

    /// The chain of preconditions that came nearest to the start, for a violation that a run showed; from a first search if there was none yet.
    fn chain_to(&mut self, property: PropertyId) -> Result<Vec<Precondition>, Refused> {
        let p = self.program.property(property);
        if !self.efforts.contains_key(&property) && p.kind != CheckKind::MemoryLeak {
            let search = Search {
                group: Rc::from([property]),
                func: p.func,
                scope: Scope::Closed,
                bound: self.config.unwind.unwrap_or(1),
                depth: 0,
                urgency: Urgency::Other,
                widened: false,
                named: None,
            };
            self.search(&search, FIRST_WORK, &self.budget.worth(FIRST_WORK))?;
        }
        Ok(self.efforts.get(&property).map(|e| e.nearest.clone()).unwrap_or_default())
    }

    /// Reports which properties are taken up now.
    fn tell(&mut self, bound: u32, at: PropertyId) {
        self.searches += 1;
        let open = self.all.iter().copied().filter(|p| !self.is_violated(*p));
        (self.observer)(&Progress {
            engine: "compositional",
            step: self.searches,
            properties: self.all.len(),
            violated: self.violations.len(),
            open: open.map(|p| (p, bound)).collect(),
            loops: Vec::new(),
            memory: resident_bytes(),
            terms: self.stats.terms,
            clauses: self.stats.clauses,
            queries: self.stats.queries,
            at: Some(self.program.property(at).name),
            paths: None,
        });
    }

    /// One search, and what follows from how it ended.
    fn take(&mut self, queue: &mut Queue, search: Search, work: Work) -> Result<(), Refused> {
        let group: Group = search.group.iter().copied().filter(|p| !self.is_violated(*p)).collect();
        let Some(&first) = group.first() else { return Ok(()) };
        let mut search = Search { group, ..search };
        self.tell(search.bound, first);
        self.say_search(&search, work);
        let before = self.budget.spent();
        let slice = self.budget.worth(work);
        let (end, effort) = self.search(&search, work, &slice)?;
        let took = Work::units(self.budget.spent().as_units() - before.as_units());
        let hurried = slice.expired() == Some(Stop::Effort);
        let outcome = self.conclude(&search, end);
        let (deeper, gave_up) = match outcome {
            Conclusion::Found(property) => {
                if search.group.len() > 1 && search.group.contains(&property) {
                    self.explain(&search, property, work)?;
                }
                self.hand_out(property);
                if search.group.len() > 1 || search.group.contains(&property) {
                    self.push_rest(queue, &search, property, work);
                    return Ok(());
                }
                // Another violation came before: a wider search knows what keeps it from happening.
                (true, true)
            }
            Conclusion::Nothing { cut } => (cut, false),
            Conclusion::GaveUp => (true, true),
        };
        if (effort.narrowed || gave_up || self.focuses(&search) && deeper) && !search.widened {
            self.push_wider(queue, &search);
            search.widened = true;
        }
        let deeper = deeper && self.config.unwind.is_none();
        if deeper && search.named.is_none() {
            let beyond = |b: &u32| *b > search.bound.saturating_mul(BOUND_GROWTH);
            let bounds = extents::bounds(self.program, search.func, &search.group);
            search.named = Some(bounds.into_iter().filter(beyond).collect());
            queue.push_named(&search);
        }
        if hurried {
            queue.push_again(&search, work);
        }
        // A group that lacked work is not followed deeper before its halves are; a bound that a size names is the one that matters.
        let waits = hurried && (search.group.len() > 1 || search.is_named());
        if let Some(next) = search.next_bound().filter(|_| deeper && !waits) {
            queue.push_deeper(&search, next, took.max(if hurried { work } else { Work::default() }));
        }
        Ok(())
    }

    fn say_search(&self, search: &Search, work: Work) {
        self.config.say(|| {
            let name = &self.program.property(search.group[0]).name;
            let others = match search.group.len() - 1 {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            let (scope, bound) = (search.scope, search.bound);
            let (worth, after) = (work.as_time().as_secs_f64(), self.budget.elapsed().as_secs_f64());
            format!("{name}{others}: {scope:?} search at bound {bound}, work of about {worth:.1} s, after {after:.1} s")
        });
    }

    /// Whether loops outside the function of the check are followed little.
    fn focuses(&self, search: &Search) -> bool {
        search.scope <= Scope::Closed && self.config.unwind.is_none() && self.config.tactics.has(Tactic::Focus)
    }

    fn push_wider(&self, queue: &mut Queue, search: &Search) {
        // Of a single property another worker takes the wider scopes.
        let mine = self.only.is_none() || self.share.of == 1 || self.share.number > 0;
        if let Some(scope) = search.scope.wider(self.config).filter(|_| mine) {
            let bound = self.config.unwind.unwrap_or(1);
            queue.push(Entry::first(Search { scope, bound, widened: false, named: None, ..search.clone() }));
        }
    }

    /// After a violation: the rest of the group. Where it was of none of them, each has to be found without the others.
    fn push_rest(&self, queue: &mut Queue, search: &Search, violated: PropertyId, work: Work) {
        if search.group.contains(&violated) {
            let rest: Group = search.group.iter().copied().filter(|p| *p != violated).collect();
            if !rest.is_empty() {
                queue.push_parts(search, &[rest], work);
            }
        } else if let Some(parts) = halves(&search.group) {
            queue.push_parts(search, &parts, work);
        }
    }

    /// The chain of preconditions of a violation that was found among others, from a search for it alone.
    fn explain(&mut self, search: &Search, property: PropertyId, work: Work) -> Result<(), Refused> {
        let alone = Search { group: Rc::from([property]), ..search.clone() };
        let slice = self.budget.worth(work);
        let (end, _) = self.search(&alone, work, &slice)?;
        if let End::Found(again) = end
            && again.what().property == property
            && let Some(known) = self.violations.iter_mut().find(|v| v.what().property == property)
        {
            *known = *again;
        }
        Ok(())
    }

    fn search(&mut self, search: &Search, work: Work, slice: &Budget) -> Result<(End, Effort), Refused> {
        let mut unwind = Unwind::new(self.program, self.config, search.bound)?;
        if self.focuses(search) {
            unwind = unwind.focused(search.func, ELSEWHERE_BOUND);
        }
        let mut terms = Terms::new();
        let checks = self.checks_for(&search.group);
        let mut mover = Mover::new(self.program, self.world, &mut terms, &unwind, checks, slice);
        mover.tactics = self.config.tactics;
        let hunt = Hunt {
            program: self.program,
            config: self.config,
            budget: slice,
            whole: self.budget,
            entry: self.entry,
            world: self.world,
            group: Rc::clone(&search.group),
            func: search.func,
            mover,
            solver: crate::answer::solver(self.config)?,
            scope: search.scope,
            bound: search.bound,
            work,
            open: Vec::new(),
            residuals: Vec::new(),
            seen: HashSet::new(),
            gave_up: None,
            effort: Effort::default(),
        };
        let (end, effort) = hunt.run(self.config.alloc_may_fail);
        self.count(&search.group, &effort, terms.len());
        Ok((end, effort))
    }

    /// What a search took; for each property the searches that it was part of.
    fn count(&mut self, group: &Group, effort: &Effort, terms: usize) {
        self.stats.claims += effort.segments as usize;
        self.stats.rounds = self.stats.rounds.max(effort.refinements);
        self.stats.weakenings = self.stats.weakenings.max(effort.weakenings);
        self.stats.queries += effort.queries;
        self.stats.clauses = self.stats.clauses.max(effort.clauses);
        self.stats.conflicts += effort.conflicts;
        self.stats.certified += effort.certified;
        self.stats.solve_time += effort.solve_time;
        self.stats.terms = self.stats.terms.max(terms);
        for &property in group.iter() {
            self.efforts.entry(property).or_default().add(verdict::Effort {
                segments: effort.segments,
                refinements: effort.refinements,
                weakenings: effort.weakenings,
                terms,
                queries: effort.queries,
                solve_time: effort.solve_time,
                nearest: effort.nearest.clone(),
            });
        }
    }

    /// Notes how a search ended.
    fn conclude(&mut self, search: &Search, end: End) -> Conclusion {
        let (why, conclusion) = match end {
            End::Found(violation) => {
                let what = self.note_violation(violation);
                if !search.group.contains(&what) {
                    self.note_unknown(&search.group, &Reason::Overtaken);
                }
                return Conclusion::Found(what);
            }
            End::Nothing { cut } => {
                let bound = search.bound;
                let why = Reason::NothingFound { bound };
                (why, Conclusion::Nothing { cut })
            }
            End::GaveUp(why) => (why, Conclusion::GaveUp),
        };
        self.note_unknown(&search.group, &why);
        conclusion
    }

    fn note_unknown(&mut self, group: &Group, why: &Reason) {
        for &property in group.iter() {
            if !self.is_violated(property) {
                self.seen.insert(property, Status::Unknown(why.clone()));
            }
        }
    }

    /// Announces a violation that was noted, with its chain of preconditions.
    fn hand_out(&self, property: PropertyId) {
        if let Some(violation) = self.violations.iter().find(|v| v.what().property == property) {
            self.config.announce(violation);
        }
    }

    fn note_violation(&mut self, violation: Box<Violation>) -> PropertyId {
        let what = violation.what().property;
        if self.seen.insert(what, Status::Violated) != Some(Status::Violated) {
            self.violations.push(*violation);
            if self.has_enough() {
                self.settled.store(true, Ordering::Relaxed);
            }
        }
        what
    }

    /// Properties of the user's functions, by name if names were given.
    fn asked_for(&self) -> impl Iterator<Item = (PropertyId, Property)> {
        let asked = |p: &Property| !self.program.decl(p.func).model && self.config.asks_for(&p.name);
        self.program.properties().into_iter().filter(move |(_, p)| asked(p))
    }

    /// Definedness is only followed where it is what is looked for: a run that reads an unset value on its way shows it.
    fn checks_for(&self, group: &Group) -> Checks {
        match self.program.property(group[0]).kind {
            CheckKind::Uninitialised => self.config.checks,
            _ => self.config.checks.without(CheckKind::Uninitialised),
        }
    }

    fn found(self) -> Found {
        Found { violations: self.violations, stats: self.stats, seen: self.seen, efforts: self.efforts }
    }
}

/// What a search showed.
enum Conclusion {
    /// A violation of this property, which may be of another group.
    Found(PropertyId),
    Nothing {
        cut: bool,
    },
    GaveUp,
}
