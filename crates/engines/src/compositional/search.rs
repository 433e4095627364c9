//! The search over obligations.

use super::obligation::{Mover, Obligation, Step, Trail};
use super::world::ProgramWorld;
use crate::bounds::Unwind;
use crate::config::{CheckConfig, Propagation};
use crate::entry::{self, EntryPoint};
use crate::verdict::{PropertyResult, Report, Stats, Status, Verdict, Violation};
use crate::{Refused, replay};
use blitz_base::{Budget, Bv};
use blitz_interp::{InputSource, InputValue, ROOT_KEY, visit_key};
use blitz_ir::{FuncId, InstId, Program, PropertyId};
use blitz_solver::{Outcome, Solver, SolverConfig};
use blitz_symex::segment::Counters;
use blitz_term::{Assignment, Evaluator, Term, Terms, Value, dag_size};
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// Obligations of one property that are looked at before it counts as too hard.
const MAX_OBLIGATIONS: usize = 400;
/// A condition larger than this is dropped.
const MAX_PSI: usize = 400_000;
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

/// How the search for one property at one bound ended.
enum End {
    Found(Box<Violation>),
    /// Nothing; with whether some loop was cut off.
    Nothing {
        cut: bool,
    },
    GaveUp(String),
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
        let mut solver = match blitz_solver::make(&self.config.solver, &SolverConfig::default()) {
            Ok(s) => s,
            Err(e) => return End::GaveUp(e.to_string()),
        };
        let end = self.hunt(property, func, unwind, &mut terms, solver.as_mut());
        let stats = solver.stats();
        self.stats.queries += stats.checks;
        self.stats.clauses = self.stats.clauses.max(stats.clauses);
        self.stats.conflicts += stats.conflicts;
        self.stats.solve_time += stats.solve_time;
        self.stats.terms = self.stats.terms.max(terms.len());
        end
    }

    fn hunt(
        &mut self,
        property: PropertyId,
        func: FuncId,
        unwind: &Unwind,
        terms: &mut Terms,
        solver: &mut dyn Solver,
    ) -> End {
        let mut mover = Mover {
            program: self.program,
            world: self.world,
            terms,
            bounds: unwind,
            checks: self.config.checks,
            alloc_may_fail: self.config.alloc_may_fail,
            budget: self.budget,
            next: Counters { object: self.program.first_free_object() as u32, frame: 0, visit: 0, port: 0 },
            segments: 0,
            cut: false,
        };
        let control = self.config.propagation == Propagation::Control;
        let mut open: Vec<Obligation<'p>> = mover.start(func, property).into_iter().collect();
        let mut looked_at = 0;
        let mut refuted: HashMap<(FuncId, Term), ()> = HashMap::new();
        let mut gave_up = None;
        while let Some(o) = take_next(&mut open, self.entry.func) {
            looked_at += 1;
            if looked_at > MAX_OBLIGATIONS {
                gave_up = Some("too many obligations".to_string());
                break;
            }
            if let Some(stop) = self.budget.expired() {
                gave_up = Some(stop.to_string());
                break;
            }
            if dag_size(mover.terms, &[o.psi]) > MAX_PSI {
                gave_up = Some("a precondition grew too large".to_string());
                continue;
            }
            if refuted.insert((o.func, o.psi), ()).is_some() {
                continue;
            }
            let query = self.budget.child(Duration::from_secs(20));
            match solver.check(mover.terms, &[o.psi], &query) {
                Outcome::Unsat => continue,
                Outcome::Unknown(why) => {
                    gave_up = Some(why.to_string());
                    continue;
                }
                Outcome::Sat => {}
            }
            if let Some(which) = mover.next_call(&o, control) {
                open.extend(mover.open(o, which));
                continue;
            }
            if o.func == self.entry.func {
                match self.finish(&mut mover, &o, solver) {
                    Ok(Some(violation)) => {
                        self.stats.rounds = self.stats.rounds.max(o.refinements + 1);
                        self.stats.claims += mover.segments as usize;
                        return End::Found(Box::new(violation));
                    }
                    Ok(None) => {}
                    Err(why) => gave_up = Some(why),
                }
                continue;
            }
            let callers: Vec<(FuncId, InstId)> = self.world.analysis.callers(o.func).to_vec();
            for (caller, call) in callers {
                open.extend(mover.caller_obligation(&o, caller, call));
            }
        }
        self.stats.claims += mover.segments as usize;
        match gave_up {
            Some(why) => End::GaveUp(why),
            None => End::Nothing { cut: mover.cut },
        }
    }

    /// The initial state is known: a model is an input vector. `Err`: its run did not show the violation.
    fn finish(
        &self,
        mover: &mut Mover<'p, '_>,
        o: &Obligation<'p>,
        solver: &mut dyn Solver,
    ) -> Result<Option<Violation>, String> {
        let (psi, last) = mover.at_entry(o);
        let mut trail = o.trail.clone();
        trail.steps.extend(last);
        let query = self.budget.child(Duration::from_secs(60));
        match solver.check(mover.terms, &[psi], &query) {
            Outcome::Unsat => return Ok(None),
            Outcome::Unknown(why) => return Err(why.to_string()),
            Outcome::Sat => {}
        }
        let mut roots = vec![psi];
        roots.extend(replay::roots(&trail.inputs));
        let model = solver.model(mover.terms, &roots);
        let values = keyed_inputs(mover.terms, model, &trail, self.entry.func);
        let source = InputSource::Keyed(values);
        replay::run_source(self.program, self.config, &self.entry, source, "compositional", self.budget).map(Some)
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

/// The obligation nearest to the program's entry, then the one with the fewest segments behind it.
fn take_next<'p>(open: &mut Vec<Obligation<'p>>, entry: FuncId) -> Option<Obligation<'p>> {
    let best = open
        .iter()
        .enumerate()
        .min_by_key(|(i, o)| (o.func != entry, o.refinements, usize::MAX - *i))
        .map(|(i, _)| i)?;
    Some(open.swap_remove(best))
}

/// The inputs a model gives, by where the run asks for them.
fn keyed_inputs(terms: &Terms, model: Assignment, trail: &Trail, entry: FuncId) -> HashMap<u64, InputValue> {
    let (model, callers) = complete(terms, model, trail);
    let mut eval = Evaluator::new(&model);
    let keys = visit_keys(terms, &mut eval, trail, &callers, entry);
    let mut values = HashMap::new();
    for input in &trail.inputs {
        if !eval.holds(terms, input.guard) {
            continue;
        }
        let Some(&key) = keys.get(&input.visit) else { continue };
        values.insert(key, replay::input_value(terms, &mut eval, &input.kind));
    }
    values
}

/// The model with a value for every port, and the visit that made each frame whose caller was added later.
fn complete(terms: &Terms, mut model: Assignment, trail: &Trail) -> (Assignment, HashMap<u32, u32>) {
    let mut callers = HashMap::new();
    for step in trail.steps.iter().rev() {
        let found: Vec<(Term, Value)> = {
            let mut eval = Evaluator::new(&model);
            match step {
                Step::Assumed(conditions) => conditions.iter().map(|&c| (c, Value::Bv(Bv::bool(true)))).collect(),
                Step::Opened(pairs) => pairs.iter().map(|&(port, t)| (port, eval.eval(terms, t))).collect(),
                Step::Called { frame, options } => {
                    let Some(taken) = options.iter().find(|o| eval.holds(terms, o.condition)) else { continue };
                    callers.insert(*frame, taken.visit);
                    taken.pairs.iter().map(|&(port, t)| (port, eval.eval(terms, t))).collect()
                }
            }
        };
        for (port, value) in found {
            model.set(port, value);
        }
    }
    (model, callers)
}

/// The key of every visit that happens under the model.
fn visit_keys(
    terms: &Terms,
    eval: &mut Evaluator<'_>,
    trail: &Trail,
    callers: &HashMap<u32, u32>,
    entry: FuncId,
) -> HashMap<u32, u64> {
    let funcs: HashMap<u32, FuncId> = trail.frames.iter().map(|f| (f.id, f.func)).collect();
    let mut parents: HashMap<u32, Option<u32>> = trail.frames.iter().map(|f| (f.id, f.parent)).collect();
    parents.extend(callers.iter().map(|(f, v)| (*f, Some(*v))));
    let mut counts: HashMap<(u32, InstId), u32> = HashMap::new();
    let mut visits: Vec<_> = trail.visits.clone();
    visits.sort_by_key(|v| v.id);
    let mut place: HashMap<u32, (u32, InstId, u32)> = HashMap::new();
    for v in &visits {
        if eval.holds(terms, v.guard) {
            let count = counts.entry((v.frame, v.inst)).or_insert(0);
            place.insert(v.id, (v.frame, v.inst, *count));
            *count += 1;
        }
    }
    let mut keys = HashMap::new();
    for v in &visits {
        if let Some(key) = key_of(v.id, &place, &parents, &funcs, entry) {
            keys.insert(v.id, key);
        }
    }
    keys
}

fn key_of(
    visit: u32,
    place: &HashMap<u32, (u32, InstId, u32)>,
    parents: &HashMap<u32, Option<u32>>,
    funcs: &HashMap<u32, FuncId>,
    entry: FuncId,
) -> Option<u64> {
    let mut chain = Vec::new();
    let mut at = visit;
    loop {
        let &(frame, inst, count) = place.get(&at)?;
        let func = *funcs.get(&frame)?;
        chain.push((func, inst, count));
        match parents.get(&frame)? {
            Some(parent) => at = *parent,
            None if func == entry => break,
            None => return None,
        }
    }
    Some(chain.iter().rev().fold(ROOT_KEY, |key, &(f, i, n)| visit_key(key, f, i, n)))
}
