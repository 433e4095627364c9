//! The search over obligations.

use super::hunt::{Effort, End, Hunt};
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
    fn run(&mut self) -> Result<(), Refused> {
        let targets = self.targets();
        let bounds: Vec<u32> = match self.config.unwind {
            Some(k) => vec![k],
            None => BOUNDS.to_vec(),
        };
        let mut open = targets;
        for bound in bounds {
            let unwind = Unwind::new(self.program, self.config, bound)?;
            let mut again = Vec::new();
            for (property, func) in open {
                if self.budget.expired().is_some() {
                    self.seen.entry(property).or_insert(Status::Unknown("out of time".into()));
                    continue;
                }
                if matches!(self.seen.get(&property), Some(Status::Violated)) {
                    continue;
                }
                match self.property(property, func, &unwind) {
                    End::Found(violation) => {
                        let what = violation.what().property;
                        let first = self.seen.insert(what, Status::Violated) != Some(Status::Violated);
                        if first {
                            self.violations.push(*violation);
                        }
                        if what != property {
                            self.seen
                                .entry(property)
                                .or_insert(Status::Unknown("another violation comes first".into()));
                        }
                        if self.config.stop_at_first {
                            return Ok(());
                        }
                    }
                    End::Nothing { cut } => {
                        let why =
                            format!("no violation was found at bound {bound}; this engine does not prove absence");
                        self.seen.insert(property, Status::Unknown(why));
                        if cut {
                            again.push((property, func));
                        }
                    }
                    End::GaveUp(why) => {
                        self.seen.insert(property, Status::Unknown(why));
                        again.push((property, func));
                    }
                }
            }
            open = again;
        }
        Ok(())
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

    fn property(&mut self, property: PropertyId, func: FuncId, unwind: &Unwind) -> End {
        let mut terms = Terms::new();
        let solver = match crate::answer::solver(self.config) {
            Ok(s) => s,
            Err(e) => return End::GaveUp(e.to_string()),
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
            open: Vec::new(),
            residuals: Vec::new(),
            seen: HashSet::new(),
            gave_up: None,
            effort: Effort::default(),
        };
        let (end, effort) = hunt.run(self.config.alloc_may_fail);
        self.stats.claims += effort.segments as usize;
        self.stats.rounds = self.stats.rounds.max(effort.refinements);
        self.stats.queries += effort.queries;
        self.stats.clauses = self.stats.clauses.max(effort.clauses);
        self.stats.conflicts += effort.conflicts;
        self.stats.certified += effort.certified;
        self.stats.solve_time += effort.solve_time;
        self.stats.terms = self.stats.terms.max(terms.len());
        end
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
