//! Questions about a program with threads: from a model to inputs and a schedule, and from there to a run.

use crate::Refused;
use crate::answer::{self, Findings, Inquiry};
use crate::config::CheckConfig;
use crate::replay;
use crate::verdict::Unconfirmed;
use blitz_base::Budget;
use blitz_interp::{Schedule, Slot as Turn};
use blitz_ir::{Program, PropertyId};
use blitz_solver::{Outcome, Solver, SolverStats};
use blitz_symex::Claim;
use blitz_symex::rounds::{InRounds, Race, Slot};
use blitz_term::{Assignment, Evaluator, Term, Terms};
use std::collections::BTreeSet;

/// A property is violated where a condition holds.
pub(super) struct Question {
    property: PropertyId,
    condition: Term,
    /// Threads, by number, that have to make one more step each for it to show.
    then: Vec<Term>,
}

impl Question {
    pub fn new(property: PropertyId, condition: Term) -> Self {
        Self { property, condition, then: Vec::new() }
    }

    pub fn of_claim(claim: &Claim) -> Self {
        Self::new(claim.property, claim.violated)
    }

    /// A race shows at whichever access comes second.
    pub fn of_race(race: &Race) -> [Self; 2] {
        let ((t, u), (a, b)) = (race.threads, race.properties);
        let condition = race.condition;
        [Self { property: b, condition, then: vec![t, u] }, Self { property: a, condition, then: vec![u, t] }]
    }
}

/// The live solver.
pub(super) struct Asker {
    solver: Box<dyn Solver>,
}

impl Asker {
    pub fn new(config: &CheckConfig) -> Result<Self, Refused> {
        Ok(Self { solver: answer::solver(config)? })
    }

    pub fn stats(&self) -> SolverStats {
        self.solver.stats()
    }

    /// Whether a condition can hold.
    pub fn ask(&mut self, terms: &mut Terms, condition: Term, budget: &Budget) -> Outcome {
        if terms.is_false(condition) {
            return Outcome::Unsat;
        }
        self.solver.check(terms, &[condition], budget)
    }

    /// The properties whose check some execution reaches.
    pub fn reached(
        &mut self,
        program: &Program,
        config: &CheckConfig,
        budget: &Budget,
        terms: &mut Terms,
        checks: &[(PropertyId, Term)],
    ) -> Option<BTreeSet<PropertyId>> {
        let solver = self.solver.as_mut();
        Inquiry { program, config, engine: config.threads.name(), terms, solver, budget }.reached(checks)
    }

    /// Looks for violations of all properties but those found already. What is refuted is never asked again.
    pub fn violations(
        &mut self,
        program: &Program,
        config: &CheckConfig,
        budget: &Budget,
        executor: &mut InRounds<'_, '_>,
        questions: &[Question],
        found: &mut Findings,
    ) {
        let mut given_up: BTreeSet<PropertyId> = BTreeSet::new();
        let wanted = |p: PropertyId| config.asks_for(&program.property(p).name);
        loop {
            let open = |q: &&Question| {
                wanted(q.property) && !found.violated.contains(&q.property) && !given_up.contains(&q.property)
            };
            let open: Vec<&Question> = questions.iter().filter(open).collect();
            let conditions: Vec<Term> = open.iter().map(|q| q.condition).collect();
            let any = executor.m.terms.or_all(&conditions);
            match self.ask(executor.m.terms, any, budget) {
                Outcome::Unsat => {
                    let never = executor.m.terms.not(any);
                    self.solver.assert(executor.m.terms, never);
                    return;
                }
                Outcome::Unknown(why) => {
                    found.undecided = Some(why.into());
                    return;
                }
                Outcome::Sat => {}
            }
            if let Outcome::Unknown(why) = self.prefer_small(program, config, budget, executor, any) {
                found.undecided = Some(why.into());
                return;
            }
            let model = self.model(executor, any, &open);
            let mut eval = Evaluator::new(&model);
            let terms: &Terms = executor.m.terms;
            let claimed = open.iter().find(|q| eval.holds(terms, q.condition));
            let claimed = claimed.expect("a model should satisfy one of the claims it was asked for");
            let values = replay::vector(terms, &model, &executor.m.out.inputs);
            let schedule = schedule(terms, &model, executor.slots(), &claimed.then);
            config.say(|| format!("a candidate for {}: {schedule:?}", program.property(claimed.property).name));
            match replay::run_schedule(program, config, values, schedule, config.threads.name(), budget) {
                Ok(violation) => {
                    let seen = violation.what().property;
                    if seen != claimed.property {
                        given_up.insert(claimed.property);
                        found.overtaken.insert(claimed.property);
                    }
                    found.unconfirmed.retain(|u| u.property != seen);
                    if found.violated.insert(seen) {
                        config.announce(&violation);
                        found.violations.push(violation);
                    }
                    if config.stop_at_first {
                        return;
                    }
                }
                Err(why) => {
                    let kind = program.property(claimed.property).kind;
                    if !found.unconfirmed.iter().any(|u| u.property == claimed.property) {
                        found.unconfirmed.push(Unconfirmed { property: claimed.property, kind, why });
                    }
                    given_up.insert(claimed.property);
                }
            }
            if let Some(stop) = budget.expired() {
                found.undecided = Some(stop.into());
                return;
            }
        }
    }

    fn prefer_small(
        &mut self,
        program: &Program,
        config: &CheckConfig,
        budget: &Budget,
        executor: &mut InRounds<'_, '_>,
        any: Term,
    ) -> Outcome {
        let (terms, solver) = (&mut *executor.m.terms, self.solver.as_mut());
        let mut inquiry = Inquiry { program, config, engine: config.threads.name(), terms, solver, budget };
        inquiry.prefer_small(&executor.m.out.inputs, any)
    }

    fn model(&mut self, executor: &mut InRounds<'_, '_>, asked: Term, open: &[&Question]) -> Assignment {
        let mut roots = vec![asked];
        roots.extend(replay::roots(&executor.m.out.inputs));
        for slot in executor.slots() {
            roots.extend([slot.id, slot.moved]);
            roots.extend(&slot.passes);
        }
        roots.extend(open.iter().flat_map(|q| q.then.iter().copied()));
        self.solver.model(executor.m.terms, &roots)
    }
}

/// The turns of the execution that a model describes.
fn schedule(terms: &Terms, model: &Assignment, slots: &[Slot], then: &[Term]) -> Schedule {
    let mut eval = Evaluator::new(model);
    let mut number = |t: Term| eval.eval(terms, t).bv().to_u64().unwrap_or(0) as u32;
    let last: Vec<Turn> = then.iter().map(|t| Turn { thread: number(*t), steps: 1 }).collect();
    let mut turns = Vec::new();
    let mut eval = Evaluator::new(model);
    for slot in slots {
        if !eval.holds(terms, slot.moved) {
            continue;
        }
        let thread = eval.eval(terms, slot.id).bv().to_u64().unwrap_or(0) as u32;
        let steps = slot.passes.iter().filter(|p| eval.holds(terms, **p)).count() as u32;
        turns.push(Turn { thread, steps });
    }
    turns.extend(last);
    Schedule::Slots(turns)
}
