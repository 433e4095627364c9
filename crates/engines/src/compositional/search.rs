//! The search over obligations.

use super::hunt::{Effort, End, Hunt, Reach};
use super::obligation::Mover;
use super::world::ProgramWorld;
use crate::Refused;
use crate::bounds::Unwind;
use crate::config::CheckConfig;
use crate::entry::{self, EntryPoint};
use crate::verdict::{PropertyResult, Report, Stats, Status, Verdict, Violation};
use blitz_base::Budget;
use blitz_ir::{CheckKind, Checks, FuncId, Program, PropertyId};
use blitz_term::Terms;
use std::collections::{BTreeMap, HashSet};

/// Unwindings tried one after the other while loops cut off paths.
const BOUNDS: &[u32] = &[1, 3, 8, 24, 110];

/// The bound for loops outside the property's own function, in the first look.
const ELSEWHERE: u32 = 3;

/// Looks for a violation of each property.
pub(crate) fn check(program: &Program, config: &CheckConfig, budget: &Budget) -> Result<Report, Refused> {
    let entry = entry::find(program, config)?;
    let world = ProgramWorld::new(program, entry.func);
    let mut search = Search {
        program,
        config,
        budget,
        entry,
        world: &world,
        violations: Vec::new(),
        stats: Stats::default(),
        seen: BTreeMap::new(),
    };
    search.run()?;
    Ok(search.report())
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
    entry: EntryPoint,
    world: &'p ProgramWorld<'p>,
    violations: Vec<Violation>,
    stats: Stats,
    seen: BTreeMap<PropertyId, Status>,
}

impl<'p> Search<'p> {
    /// Properties with growing bounds; first with what is quickest to look at, then, where that left something out, with more.
    fn run(&mut self) -> Result<(), Refused> {
        let mut open = self.targets();
        for reach in [Reach::Quick, Reach::Near, Reach::All] {
            let mut narrowed = Vec::new();
            for bound in self.bounds() {
                let mut again = Vec::new();
                for (property, func) in std::mem::take(&mut open) {
                    if matches!(self.seen.get(&property), Some(Status::Violated)) {
                        continue;
                    }
                    if self.budget.expired().is_some() {
                        self.seen.entry(property).or_insert(Status::Unknown("out of time".into()));
                        continue;
                    }
                    let unwind = Unwind::new(self.program, self.config, bound)?;
                    let unwind = match (reach, self.config.unwind) {
                        (Reach::Quick, None) => unwind.focused(func, ELSEWHERE),
                        _ => unwind,
                    };
                    let (end, effort) = self.property(property, func, &unwind, reach);
                    let open_end = effort.narrowed || matches!(end, End::GaveUp(_));
                    if open_end && !narrowed.contains(&(property, func)) {
                        narrowed.push((property, func));
                    }
                    if self.conclude(property, bound, end) == Next::Deeper {
                        again.push((property, func));
                    }
                    if self.config.stop_at_first && !self.violations.is_empty() {
                        return Ok(());
                    }
                }
                open = again;
            }
            open = narrowed;
        }
        Ok(())
    }

    fn bounds(&self) -> Vec<u32> {
        match self.config.unwind {
            Some(k) => vec![k],
            None => BOUNDS.to_vec(),
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
    fn targets(&self) -> Vec<(PropertyId, FuncId)> {
        let names = &self.config.properties;
        self.program
            .properties()
            .into_iter()
            .filter(|(_, p)| !self.program.decl(p.func).model)
            .filter(|(_, p)| names.is_empty() || names.contains(&p.name))
            .filter(|(_, p)| p.kind != blitz_ir::CheckKind::MemoryLeak)
            .map(|(id, p)| (id, p.func))
            .collect()
    }

    fn property(&mut self, property: PropertyId, func: FuncId, unwind: &Unwind, reach: Reach) -> (End, Effort) {
        let mut terms = Terms::new();
        let solver = match crate::answer::solver(self.config) {
            Ok(s) => s,
            Err(e) => return (End::GaveUp(e.to_string()), Effort::default()),
        };
        let hunt = Hunt {
            program: self.program,
            config: self.config,
            budget: self.budget,
            entry: &self.entry,
            world: self.world,
            property,
            func,
            mover: Mover::new(self.program, self.world, &mut terms, unwind, self.checks_for(property), self.budget),
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
            .map(|(p, s)| PropertyResult { property: *p, status: s.clone(), engine: "compositional" })
            .collect();
        let verdict = if self.violations.is_empty() { Verdict::Unknown } else { Verdict::Violation };
        Report {
            verdict,
            properties,
            violations: self.violations,
            bounds: Vec::new(),
            bodiless: Vec::new(),
            gaps: Vec::new(),
            unconfirmed: Vec::new(),
            stats: self.stats,
        }
    }
}
