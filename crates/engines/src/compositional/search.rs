//! The search over obligations.

use super::hunt::{Effort, End, Hunt, Reach};
use super::obligation::Mover;
use super::world::ProgramWorld;
use crate::Refused;
use crate::bounds::Unwind;
use crate::config::CheckConfig;
use crate::progress::{Observer, Progress};
use crate::verdict::{self, PropertyResult, Report, Stats, Status, Verdict, Violation};
use blitz_base::Budget;
use blitz_base::budget::resident_bytes;
use blitz_ir::{CheckKind, Checks, FuncId, Program, PropertyId};
use blitz_term::Terms;
use std::collections::{BTreeMap, HashSet};

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
    (Reach::All, 8),
    (Reach::Near, 110),
    (Reach::All, 24),
    (Reach::All, 110),
];

/// So many of them are taken for the most urgent properties before others are looked at.
const FIRST_LOOKS: usize = 6;

/// The bound for loops outside the property's own function, in the first look.
const ELSEWHERE: u32 = 3;

/// Looks for a violation of each property.
pub(crate) fn check(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let entry = crate::start(program)?;
    let world = ProgramWorld::new(program, entry);
    let mut search = Search {
        program,
        config,
        budget,
        entry,
        world: &world,
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
    Ok(search.report())
}

/// Which kinds are looked for first: what somebody asserted, then memory that is overrun, then the rest.
fn urgency(kind: CheckKind) -> u32 {
    match kind {
        CheckKind::Assertion => 0,
        CheckKind::BufferOverflow | CheckKind::ArrayBounds => 1,
        CheckKind::UseAfterFree | CheckKind::DoubleFree | CheckKind::InvalidFree => 2,
        CheckKind::NullDeref => 3,
        _ => 4,
    }
}

/// A property and what is known of the looks at it.
struct Target {
    property: PropertyId,
    func: FuncId,
    /// By reach: a larger bound could help.
    deeper: [bool; Reach::ALL.len()],
    /// The widest reach that could help.
    widest: Reach,
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
        targets.sort_by_key(|t| urgency(self.program.property(t.property).kind));
        let schedule = self.schedule();
        let (first, rest) = schedule.split_at(schedule.len().min(FIRST_LOOKS));
        let by_urgency = |a: &Target, b: &Target| {
            urgency(self.program.property(a.property).kind) == urgency(self.program.property(b.property).kind)
        };
        for group in targets.chunk_by_mut(by_urgency) {
            for &(reach, bound) in first {
                self.look(group, reach, bound)?;
            }
        }
        for &(reach, bound) in rest {
            self.look(&mut targets, reach, bound)?;
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
        });
    }

    fn look(&mut self, targets: &mut [Target], reach: Reach, bound: u32) -> Result<(), Refused> {
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
            let unwind = match (reach, self.config.unwind) {
                (Reach::Direct | Reach::Quick, None) => unwind.focused(target.func, ELSEWHERE),
                _ => unwind,
            };
            self.tell(target, bound);
            let name = &self.program.property(target.property).name;
            self.config.say(|| format!("{name}: {reach:?} look at bound {bound}"));
            let (end, effort) = self.property(target.property, target.func, &unwind, reach);
            let gave_up = matches!(end, End::GaveUp(_));
            let left_out = effort.narrowed || gave_up;
            let mut next = self.conclude(target.property, bound, end);
            if reach == Reach::Direct && gave_up {
                next = Next::Done;
            }
            target.note(reach, next, left_out);
        }
        Ok(())
    }

    fn schedule(&self) -> Vec<(Reach, u32)> {
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
    fn targets(&self) -> Vec<Target> {
        let names = &self.config.properties;
        self.program
            .properties()
            .into_iter()
            .filter(|(_, p)| !self.program.decl(p.func).model)
            .filter(|(_, p)| names.is_empty() || names.contains(&p.name))
            .filter(|(_, p)| p.kind != blitz_ir::CheckKind::MemoryLeak)
            .map(|(property, p)| Target {
                property,
                func: p.func,
                deeper: [true; Reach::ALL.len()],
                // What begins at the start is not all there is.
                widest: Reach::Quick,
            })
            .collect()
    }

    fn property(&mut self, property: PropertyId, func: FuncId, unwind: &Unwind, reach: Reach) -> (End, Effort) {
        let mut terms = Terms::new();
        let solver = match crate::answer::solver(self.config) {
            Ok(s) => s,
            Err(e) => return (End::GaveUp(e.to_string()), Effort::default()),
        };
        let slice = self.budget.child(reach.slice(self.alone));
        let hunt = Hunt {
            program: self.program,
            config: self.config,
            budget: &slice,
            entry: self.entry,
            world: self.world,
            property,
            func,
            mover: Mover::new(self.program, self.world, &mut terms, unwind, self.checks_for(property), &slice),
            solver,
            reach,
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

    fn report(mut self) -> Report {
        self.stats.total_time = self.budget.elapsed();
        let properties: Vec<PropertyResult> = self
            .seen
            .iter()
            .map(|(p, s)| PropertyResult {
                property: *p,
                status: s.clone(),
                engine: "compositional",
                effort: self.efforts.remove(p),
            })
            .collect();
        let verdict = if self.violations.is_empty() { Verdict::Unknown } else { Verdict::Violation };
        Report {
            verdict,
            properties,
            violations: self.violations,
            bounds: Vec::new(),
            runs: Vec::new(),
            notes: Vec::new(),
            bodiless: Vec::new(),
            gaps: Vec::new(),
            unconfirmed: Vec::new(),
            stats: self.stats,
        }
    }
}
