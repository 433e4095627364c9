//! Questions about an execution: which claims can come true, what is reached, what was cut off.

use crate::Refused;
use crate::config::CheckConfig;
use crate::reason::Reason;
use crate::replay;
use crate::tuning::SMALL_TEXT_BYTES;
use crate::verdict::{PropertyResult, Report, Stats, Status, Unconfirmed, Verdict, Violation};
use blitz_base::{Budget, Stop};
use blitz_ir::channel::Guess;
use blitz_ir::{Channel, Program, PropertyId};
use blitz_solver::{Certify, Outcome, Solver, SolverConfig, UnknownReason};
use blitz_symex::{Claim, Input, InputKind};
use blitz_term::{Assignment, Evaluator, Term, Terms};
use std::collections::{BTreeMap, BTreeSet};

/// An execution under question on a live solver.
pub(crate) struct Inquiry<'a> {
    pub program: &'a Program,
    pub config: &'a CheckConfig,
    pub engine: &'static str,
    pub terms: &'a mut Terms,
    pub solver: &'a mut dyn Solver,
    pub budget: &'a Budget,
}

/// What the claims came to.
#[derive(Default)]
pub(crate) struct Findings {
    pub violations: Vec<Violation>,
    pub violated: BTreeSet<PropertyId>,
    pub unconfirmed: Vec<Unconfirmed>,
    /// A violation was predicted, but the run violated another property before.
    pub overtaken: BTreeSet<PropertyId>,
    /// Properties with claims that the solver gave up on, and why it did.
    pub too_hard: BTreeMap<PropertyId, Reason>,
    /// Why properties that are left could not be decided.
    pub undecided: Option<Reason>,
}

impl Findings {
    /// Takes over what was found elsewhere.
    pub fn add(&mut self, other: Findings) {
        for violation in other.violations {
            if self.violated.insert(violation.what().property) {
                self.violations.push(violation);
            }
        }
        for candidate in other.unconfirmed {
            if !self.unconfirmed.iter().any(|u| u.property == candidate.property) {
                self.unconfirmed.push(candidate);
            }
        }
        self.overtaken.extend(other.overtaken);
        self.too_hard.extend(other.too_hard);
        self.undecided = self.undecided.take().or(other.undecided);
    }

    /// For who asks about everything again, or not at all: one claim that the solver gave up on leaves all undecided.
    pub fn hard_is_undecided(&mut self) {
        let first = std::mem::take(&mut self.too_hard).into_values().next();
        self.undecided = self.undecided.take().or(first);
    }

    /// Why nothing can be said of a property that no run has violated though a model did, whatever else is asked.
    pub fn open_question(&self, p: PropertyId) -> Option<Reason> {
        if let Some(u) = self.unconfirmed.iter().find(|u| u.property == p) {
            return Some(Reason::NotShown(u.why.clone()));
        }
        let overtaken = self.overtaken.contains(&p) && !self.violated.contains(&p);
        overtaken.then_some(Reason::Overtaken)
    }
}

impl Inquiry<'_> {
    /// Claims that were refuted hold in no later question: the solver need not find that out again.
    pub fn forget(&mut self, claims: &[Claim], wanted: &dyn Fn(PropertyId) -> bool, found: &Findings) {
        let refuted = |p: PropertyId| {
            wanted(p)
                && !found.violated.contains(&p)
                && !found.too_hard.contains_key(&p)
                && found.open_question(p).is_none()
        };
        for claim in claims.iter().filter(|c| refuted(c.property)) {
            let never = self.terms.not(claim.violated);
            self.solver.assert(self.terms, never);
        }
    }

    /// A model with short byte strings and without guesses of library models, if there is one: objects of gigabytes take long to fill and show nothing
    /// more, and a run does not follow a guess.
    pub fn prefer_small(&mut self, inputs: &[Input], any: Term) -> Outcome {
        let mut small = any;
        for input in inputs {
            if input.name.channel() == Channel::Guess(Guess::NotFollowed) {
                let followed = self.terms.not(input.guard);
                small = self.terms.and(small, followed);
            }
            if let InputKind::Bytes { len, .. } = input.kind
                && !self.terms.is_const(len)
            {
                let most = self.terms.bv(self.terms.width(len), SMALL_TEXT_BYTES);
                let fits = self.terms.ule(len, most);
                small = self.terms.and(small, fits);
            }
        }
        if small == any {
            return Outcome::Sat;
        }
        match self.ask(small) {
            Outcome::Sat => Outcome::Sat,
            Outcome::Unsat | Outcome::Unknown(_) => self.ask(any),
        }
    }

    /// The properties whose check some execution reaches. `None` where the solver gave up.
    pub fn reached(&mut self, checks: &[(PropertyId, Term)]) -> Option<BTreeSet<PropertyId>> {
        let (reached, gave_up) = self.attainable(checks);
        gave_up.is_none().then_some(reached)
    }

    /// Those of which one of their conditions can hold, and why the solver gave up on others, if it did.
    pub fn attainable<K: Ord + Copy>(&mut self, checks: &[(K, Term)]) -> (BTreeSet<K>, Option<UnknownReason>) {
        let mut guards: BTreeMap<K, Vec<Term>> = BTreeMap::new();
        for &(key, guard) in checks {
            guards.entry(key).or_default().push(guard);
        }
        let mut reached = BTreeSet::new();
        let mut open: Vec<(K, Term)> = Vec::new();
        for (key, all) in guards {
            let any = self.terms.or_all(&all);
            if self.terms.is_true(any) {
                reached.insert(key);
            } else if !self.terms.is_false(any) {
                open.push((key, any));
            }
        }
        while !open.is_empty() {
            let conditions: Vec<Term> = open.iter().map(|(_, t)| *t).collect();
            let any = self.terms.or_all(&conditions);
            match self.ask(any) {
                Outcome::Unsat => break,
                Outcome::Unknown(why) => return (reached, Some(why)),
                Outcome::Sat => {}
            }
            let model = self.solver.model(self.terms, &conditions);
            let mut eval = Evaluator::new(&model);
            let before = open.len();
            open.retain(|(key, guard)| {
                let holds = eval.holds(self.terms, *guard);
                if holds {
                    reached.insert(*key);
                }
                !holds
            });
            assert!(open.len() < before, "a model should satisfy one of the guards it was asked for");
        }
        (reached, None)
    }

    /// Whether a condition can hold.
    pub fn ask(&mut self, condition: Term) -> Outcome {
        if self.terms.is_false(condition) {
            return Outcome::Unsat;
        }
        self.solver.check(self.terms, &[condition], self.budget)
    }

    /// The same questions under another budget.
    pub fn under<'b>(&'b mut self, budget: &'b Budget) -> Inquiry<'b> {
        Inquiry {
            program: self.program,
            config: self.config,
            engine: self.engine,
            terms: &mut *self.terms,
            solver: &mut *self.solver,
            budget,
        }
    }

    pub fn model(&mut self, inputs: &[Input], asked: Term) -> Assignment {
        let mut roots = vec![asked];
        roots.extend(replay::roots(inputs));
        self.solver.model(self.terms, &roots)
    }

    pub fn first_true(&self, model: &Assignment, open: &[(PropertyId, Term)]) -> PropertyId {
        let mut eval = Evaluator::new(model);
        open.iter()
            .find(|(_, t)| eval.holds(self.terms, *t))
            .map(|(p, _)| *p)
            .expect("a model should satisfy one of the claims it was asked for")
    }
}

/// One result per property, in the order of their ids.
pub(crate) fn results(
    properties: &[PropertyId],
    engine: &'static str,
    mut status: impl FnMut(PropertyId) -> Status,
) -> Vec<PropertyResult> {
    properties
        .iter()
        .map(|&property| PropertyResult { property, status: status(property), engine, effort: None })
        .collect()
}

/// What is left to say where the budget was used up before anything could be asked. The properties are named all the same.
pub(crate) fn none(program: &Program, config: &CheckConfig, stop: Stop) -> Report {
    program.fix_properties();
    left(program, config, stop)
}

/// The same with the properties that are known, where there is no time for more.
pub(crate) fn left(program: &Program, config: &CheckConfig, stop: Stop) -> Report {
    let properties = properties(program, config, &Findings::default());
    Report {
        verdict: Verdict::Unknown,
        properties: results(&properties, config.engine.name(), |_| Status::Unknown(stop.into())),
        violations: Vec::new(),
        bounds: Vec::new(),
        bodiless: Vec::new(),
        runs: Vec::new(),
        notes: Vec::new(),
        gaps: Vec::new(),
        coverage: Default::default(),
        exploration: None,
        unconfirmed: Vec::new(),
        stats: Stats { stopped: Some(stop.into()), ..Stats::default() },
    }
}

/// The solver the user asked for.
pub(crate) fn solver(config: &CheckConfig) -> Result<Box<dyn Solver>, Refused> {
    let settings = SolverConfig {
        certify: if config.certify { Certify::InMemory } else { Certify::Off },
        ..SolverConfig::default()
    };
    blitz_solver::make(&config.solver, &settings).map_err(|e| Refused(e.to_string()))
}

/// Whether the solver's conflicts can be what a side question is measured by: then the same is found whatever the machine does beside. Time is
/// the measure for the others.
pub(crate) fn counts_conflicts(config: &CheckConfig) -> bool {
    config.solver == "cadical"
}

/// The properties asked for, those of the models included.
pub(crate) fn wanted(program: &Program, config: &CheckConfig) -> BTreeSet<PropertyId> {
    let named = program.properties().into_iter().filter(|(_, p)| config.asks_for(&p.name));
    named.map(|(id, _)| id).collect()
}

/// The properties to report: of the user's functions; of the models' only those there is something to say about.
pub(crate) fn properties(program: &Program, config: &CheckConfig, found: &Findings) -> Vec<PropertyId> {
    let notable = |id: &PropertyId| found.violated.contains(id) || found.unconfirmed.iter().any(|u| u.property == *id);
    let mut wanted: Vec<PropertyId> = wanted(program, config).into_iter().collect();
    wanted.retain(|id| !program.decl(program.property(*id).func).model || notable(id));
    wanted
}
