//! The search over obligations.

use super::hunt::{Effort, End, Hunt, Patience, Reach};
use super::obligation::Mover;
use super::order::Urgency;
use super::requests::Requests;
use super::share::{Found, Share};
use super::statements;
use super::world::ProgramWorld;
use crate::Refused;
use crate::bounds::Unwind;
use crate::config::{CheckConfig, Granularity};
use crate::progress::{Observer, Progress};
use crate::verdict::{self, Report, Stats, Status, Violation};
use blitz_base::budget::resident_bytes;
use blitz_base::{Budget, Work};
use blitz_ir::{CheckKind, Checks, FuncId, Program, Property, PropertyId};
use blitz_term::Terms;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Reach and unwinding of the looks, one after the other. A deeper one is only taken where loops cut off paths, a wider one where
/// the one before left something out.
const SCHEDULE: &[(Reach, u32)] = &[
    (Reach::Quick, 1),
    (Reach::Direct, 1),
    (Reach::Near, 1),
    (Reach::Direct, 3),
    (Reach::Quick, 3),
    (Reach::Near, 3),
    (Reach::Direct, 8),
    (Reach::Quick, 8),
    (Reach::Direct, 24),
    (Reach::Quick, 24),
    (Reach::Direct, 110),
    (Reach::Quick, 110),
    (Reach::All, 1),
    (Reach::Near, 8),
    (Reach::All, 3),
    (Reach::Near, 24),
    (Reach::Near, 36),
    (Reach::All, 8),
    (Reach::Near, 110),
    (Reach::All, 36),
    (Reach::All, 110),
];

/// So many of them are taken for the more urgent properties before others are looked at.
const FIRST_LOOKS: usize = 6;

/// What is done before that where memory is most likely to be overrun, after a first glance: as deep as it goes, from the start on.
const URGENT: &[(Reach, u32)] = &[(Reach::Direct, 1), (Reach::Direct, 8), (Reach::Direct, 110)];

/// How long requests are tried.
const REQUESTS: Work = Work::about_seconds(60);
/// The same where there are many properties: a twentieth of the time that is left, at most this.
const ANY_REQUESTS: Work = Work::about_seconds(10);

/// The bound for loops outside the property's own function, in the first look.
const ELSEWHERE: u32 = 3;

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
        let budget = &budget.separate();
        let world = ProgramWorld::new(program, entry, fragments);
        let mut search = Search {
            program,
            config,
            budget,
            entry,
            world: &world,
            share,
            settled: &settled,
            alone: false,
            violations: Vec::new(),
            stats: Stats::default(),
            seen: BTreeMap::new(),
            efforts: BTreeMap::new(),
            observer,
            all: Vec::new(),
            looks: 0,
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

/// A property and what is known of the looks at it.
struct Target {
    property: PropertyId,
    func: FuncId,
    urgency: Urgency,
    /// Calls between the start of the program and the function, at least.
    depth: u32,
    /// By reach: a larger bound could help.
    deeper: [bool; Reach::ALL.len()],
    /// The widest reach that could help.
    widest: Reach,
    /// The last look at it, if that ended for want of time.
    hurried: Option<(Reach, u32)>,
}

impl Target {
    fn wants(&self, reach: Reach) -> bool {
        reach <= self.widest && self.deeper[reach as usize]
    }

    fn note(&mut self, reach: Reach, next: Next, left_out: bool) {
        self.deeper[reach as usize] = next == Next::Deeper;
        if left_out {
            self.widest = self.widest.max(reach.wider());
        }
    }
}

/// Whether a larger bound could help.
#[derive(PartialEq, Eq)]
enum Next {
    Done,
    Deeper,
}

struct Search<'p> {
    program: &'p Program,
    config: &'p CheckConfig,
    budget: &'p Budget,
    entry: FuncId,
    world: &'p ProgramWorld<'p>,
    share: Share,
    /// Set when nothing is left to do for anybody.
    settled: &'p AtomicBool,
    /// There is one property only: each look may take longer.
    alone: bool,
    violations: Vec<Violation>,
    stats: Stats,
    seen: BTreeMap<PropertyId, Status>,
    efforts: BTreeMap<PropertyId, verdict::Effort>,
    observer: Observer<'p>,
    all: Vec<PropertyId>,
    /// How many searches were begun.
    looks: u32,
}

impl<'p> Search<'p> {
    /// Each property with growing bounds and growing reach: what is quick first, and the kinds of bugs that hurt most.
    fn run(&mut self) -> Result<(), Refused> {
        let mut targets = self.targets();
        self.alone = targets.len() == 1;
        self.all = targets.iter().map(|t| t.property).collect();
        targets.sort_by_key(|t| (t.urgency, t.depth));
        self.take_share(&mut targets);
        if !self.alone && self.config.unwind.is_none() {
            self.any_requests();
            let urgent = targets.partition_point(|t| t.urgency.goes_deep());
            self.urgent_first(&mut targets[..urgent])?;
            targets.sort_by_key(|t| (t.urgency, t.depth));
        }
        let schedule = self.schedule();
        let patience = if self.alone { Patience::Long } else { Patience::Short };
        let (first, rest) = schedule.split_at(schedule.len().min(FIRST_LOOKS));
        for group in targets.chunk_by_mut(|a, b| a.urgency == b.urgency) {
            for &(reach, bound) in first {
                self.look(group, reach, bound, patience)?;
            }
        }
        if let [only] = targets.as_slice()
            && self.alone
        {
            self.requests(only.property, only.func);
        }
        for &(reach, bound) in rest {
            self.look(&mut targets, reach, bound, patience)?;
        }
        Ok(())
    }

    /// Runs on one request after the other.
    fn requests(&mut self, property: PropertyId, func: FuncId) {
        let settled = self.seen.get(&property) == Some(&Status::Violated) || self.budget.expired().is_some();
        if settled || self.share.number > 0 {
            return;
        }
        self.config.say(|| format!("requests after {:.1} s", self.budget.elapsed().as_secs_f64()));
        let slice = self.budget.worth(REQUESTS);
        let found = Requests::new(self.world, self.config, &slice, &|p| p == property, Some(func)).run();
        if let Some(mut violation) = found {
            // As far as the chain went that looks have found.
            violation.preconditions = self.efforts.get(&property).map(|e| e.nearest.clone()).unwrap_or_default();
            self.conclude(property, 0, End::Found(violation));
        }
    }

    /// The same for whatever they lead to.
    fn any_requests(&mut self) {
        if self.share.number > 0 || self.config.stop_at_first && !self.violations.is_empty() {
            return;
        }
        self.config.say(|| format!("requests after {:.1} s", self.budget.elapsed().as_secs_f64()));
        let share = self.budget.work_left().map_or(ANY_REQUESTS, |left| left.part(20).min(ANY_REQUESTS));
        let slice = self.budget.worth(share);
        // Leaks too, which no look can begin with: there is no place where one happens.
        let open = RefCell::new(self.asked_for().map(|(property, _)| property).collect::<HashSet<PropertyId>>());
        for violation in &self.violations {
            open.borrow_mut().remove(&violation.what().property);
        }
        let wanted = |p| open.borrow().contains(&p);
        let mut requests = Requests::new(self.world, self.config, &slice, &wanted, None);
        while let Some(violation) = requests.run() {
            let property = violation.what().property;
            open.borrow_mut().remove(&property);
            self.conclude(property, 0, End::Found(violation));
            if self.config.stop_at_first {
                return;
            }
        }
    }

    /// A glance at each; then, the nearest to the start first, a longer one where only time was lacking and nobody minds the size, and
    /// from the start on as deep as it goes.
    fn urgent_first(&mut self, targets: &mut [Target]) -> Result<(), Refused> {
        self.look(targets, Reach::Quick, 1, Patience::Short)?;
        targets.sort_by_key(|t| (t.depth, t.urgency));
        for group in targets.chunk_by_mut(|a, b| a.depth == b.depth) {
            let copies = group.partition_point(|t| t.urgency <= Urgency::CopiedWithoutSize);
            self.hurried_again(&mut group[..copies])?;
            for &(reach, bound) in URGENT {
                self.look(group, reach, bound, Patience::Short)?;
            }
            self.hurried_again(group)?;
        }
        Ok(())
    }

    /// What only lacked time, once more: first what came deepest before it did.
    fn hurried_again(&mut self, targets: &mut [Target]) -> Result<(), Refused> {
        let mut again: Vec<(usize, Reach, u32)> = Vec::new();
        for (i, target) in targets.iter_mut().enumerate() {
            again.extend(target.hurried.take().map(|(reach, bound)| (i, reach, bound)));
        }
        again.sort_by_key(|(i, _, bound)| (Reverse(*bound), *i));
        for (i, reach, bound) in again {
            targets[i].deeper[reach as usize] = true;
            self.look(&mut targets[i..=i], reach, bound, Patience::Again)?;
        }
        Ok(())
    }

    /// Says which property is taken up now.
    fn tell(&mut self, target: &Target, bound: u32) {
        self.looks += 1;
        let open = self.all.iter().copied().filter(|p| self.seen.get(p) != Some(&Status::Violated));
        (self.observer)(&Progress {
            engine: "compositional",
            step: self.looks,
            properties: self.all.len(),
            violated: self.violations.len(),
            open: open.map(|p| (p, bound)).collect(),
            loops: Vec::new(),
            memory: resident_bytes(),
            terms: self.stats.terms,
            clauses: self.stats.clauses,
            queries: self.stats.queries,
            at: Some(self.program.property(target.property).name),
            paths: None,
        });
    }

    fn look(&mut self, targets: &mut [Target], reach: Reach, bound: u32, patience: Patience) -> Result<(), Refused> {
        for target in targets {
            if self.config.stop_at_first && !self.violations.is_empty() {
                return Ok(());
            }
            if !target.wants(reach) || matches!(self.seen.get(&target.property), Some(Status::Violated)) {
                continue;
            }
            if self.budget.expired().is_some() {
                self.seen.entry(target.property).or_insert(Status::Unknown("out of time".into()));
                continue;
            }
            let unwind = Unwind::new(self.program, self.config, bound)?;
            let focused = matches!((reach, self.config.unwind), (Reach::Direct | Reach::Quick, None));
            let unwind = if focused { unwind.focused(target.func, ELSEWHERE) } else { unwind };
            self.tell(target, bound);
            let name = &self.program.property(target.property).name;
            self.config.say(|| {
                format!("{name}: {reach:?} look at bound {bound} after {:.1} s", self.budget.elapsed().as_secs_f64())
            });
            target.hurried = None;
            let slice = self.budget.worth(reach.slice(patience));
            let (end, effort) = self.property(target.property, target.func, &unwind, (reach, bound), &slice);
            let hurried = slice.expired().is_some();
            target.hurried = hurried.then_some((reach, bound));
            let gave_up = matches!(end, End::GaveUp(_));
            // A loop that was cut off elsewhere is followed further in a wider look.
            let cut_elsewhere = focused && bound >= ELSEWHERE && matches!(end, End::Nothing { cut: true });
            let left_out = effort.narrowed || gave_up || cut_elsewhere;
            let mut next = self.conclude(target.property, bound, end);
            if reach == Reach::Direct && (gave_up || hurried) {
                next = Next::Done;
            }
            target.note(reach, next, left_out);
        }
        Ok(())
    }

    /// Leaves what is to be done here.
    fn take_share(&self, targets: &mut Vec<Target>) {
        match targets.as_mut_slice() {
            // Nobody waits for the narrower looks of somebody else.
            [target] if self.share.number > 0 => target.widest = Reach::All,
            [_] => {}
            _ => {
                let mut at = 0..;
                targets.retain(|_| at.next().is_some_and(|i| self.share.is_mine(i)));
            }
        }
    }

    fn schedule(&self) -> Vec<(Reach, u32)> {
        let mut looks = self.all_looks();
        looks.retain(|(reach, _)| !self.alone || self.share.takes(*reach));
        looks
    }

    fn all_looks(&self) -> Vec<(Reach, u32)> {
        match self.config.unwind {
            Some(k) => Reach::ALL.iter().map(|&reach| (reach, k)).collect(),
            // One property is worth going down to the deepest bound from the start, which is quick where it fails.
            None if self.alone => {
                let mut looks = SCHEDULE.to_vec();
                looks[1..].sort_by_key(|(reach, _)| *reach != Reach::Direct);
                looks
            }
            None => SCHEDULE.to_vec(),
        }
    }

    /// Notes how a search ended.
    fn conclude(&mut self, property: PropertyId, bound: u32, end: End) -> Next {
        match end {
            End::Found(violation) => {
                let what = violation.what().property;
                let first = self.seen.insert(what, Status::Violated) != Some(Status::Violated);
                if first {
                    self.violations.push(*violation);
                    if self.config.stop_at_first || self.alone && what == property {
                        self.settled.store(true, Ordering::Relaxed);
                    }
                }
                if what != property {
                    self.seen.entry(property).or_insert(Status::Unknown("another violation comes first".into()));
                }
                Next::Done
            }
            End::Nothing { cut } => {
                let why = format!("no violation was found at bound {bound}; this engine does not prove absence");
                self.seen.insert(property, Status::Unknown(why));
                if cut { Next::Deeper } else { Next::Done }
            }
            End::GaveUp(why) => {
                self.seen.insert(property, Status::Unknown(why));
                Next::Deeper
            }
        }
    }

    /// Properties of the user's functions, by name if names were given.
    fn asked_for(&self) -> impl Iterator<Item = (PropertyId, Property)> {
        let asked = |p: &Property| !self.program.decl(p.func).model && self.config.asks_for(&p.name);
        self.program.properties().into_iter().filter(move |(_, p)| asked(p))
    }

    /// Those of them that a look can begin with.
    fn targets(&self) -> Vec<Target> {
        self.asked_for()
            .filter(|(_, p)| p.kind != CheckKind::MemoryLeak)
            .map(|(property, p)| Target {
                property,
                func: p.func,
                urgency: Urgency::of(self.program, property, p.func),
                depth: self.world.distances.get(&p.func).copied().unwrap_or(u32::MAX),
                deeper: [true; Reach::ALL.len()],
                // What begins at the start is not all there is.
                widest: Reach::Quick,
                hurried: None,
            })
            .collect()
    }

    fn property(
        &mut self,
        property: PropertyId,
        func: FuncId,
        unwind: &Unwind,
        (reach, bound): (Reach, u32),
        slice: &Budget,
    ) -> (End, Effort) {
        let mut terms = Terms::new();
        let solver = match crate::answer::solver(self.config) {
            Ok(s) => s,
            Err(e) => return (End::GaveUp(e.to_string()), Effort::default()),
        };
        let hunt = Hunt {
            program: self.program,
            config: self.config,
            budget: slice,
            entry: self.entry,
            world: self.world,
            property,
            func,
            mover: Mover::new(self.program, self.world, &mut terms, unwind, self.checks_for(property), slice),
            solver,
            reach,
            bound,
            open: Vec::new(),
            residuals: Vec::new(),
            seen: HashSet::new(),
            gave_up: None,
            effort: Effort::default(),
        };
        let (end, effort) = hunt.run(self.config.alloc_may_fail);
        self.stats.claims += effort.segments as usize;
        self.stats.rounds = self.stats.rounds.max(effort.refinements);
        self.stats.weakenings = self.stats.weakenings.max(effort.weakenings);
        self.stats.queries += effort.queries;
        self.stats.clauses = self.stats.clauses.max(effort.clauses);
        self.stats.conflicts += effort.conflicts;
        self.stats.certified += effort.certified;
        self.stats.solve_time += effort.solve_time;
        self.stats.terms = self.stats.terms.max(terms.len());
        self.efforts.entry(property).or_default().add(verdict::Effort {
            segments: effort.segments,
            refinements: effort.refinements,
            weakenings: effort.weakenings,
            terms: terms.len(),
            queries: effort.queries,
            solve_time: effort.solve_time,
            nearest: effort.nearest.clone(),
        });
        (end, effort)
    }

    /// Definedness is only followed where it is what is looked for: a run that reads an unset value on its way shows it.
    fn checks_for(&self, property: PropertyId) -> Checks {
        match self.program.property(property).kind {
            CheckKind::Uninitialised => self.config.checks,
            _ => self.config.checks.without(CheckKind::Uninitialised),
        }
    }

    fn found(self) -> Found {
        Found { violations: self.violations, stats: self.stats, seen: self.seen, efforts: self.efforts }
    }
}
