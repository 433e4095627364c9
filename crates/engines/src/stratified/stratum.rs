//! One function's properties: run, ask, inline what the answer hangs on, and again.

use super::plan::{Footing, Path, Plan};
use super::relevant::relevant;
use super::{Context, ENGINE};
use crate::answer::{self, Findings, Inquiry};
use crate::reason::Reason;
use crate::tuning::MODEL_BOUND;
use crate::tuning::{STRATUM_OPEN_INSTS, STRATUM_QUERY_CONFLICTS};
use crate::verdict::Stats;
use crate::{Refused, replay};
use blitz_base::Budget;
use blitz_base::span::Loc;
use blitz_ir::{CheckKind, FuncId, PropertyId, Unsupported};
use blitz_solver::{Outcome, Solver};
use blitz_symex::havoc::{ChainId, OpenCall};
use blitz_symex::state::State;
use blitz_symex::{Claim, Cut, CutKind, Execution, Executor};
use blitz_term::{Assignment, Evaluator, Term, Terms, vars_of};
use std::collections::{BTreeMap, BTreeSet};

/// How a stratum ended, for those of its properties that no run violates.
pub(super) enum End {
    Proved,
    HoldsUpTo(u32),
    Gap(Unsupported),
    Undecided(Reason),
}

pub(super) struct Answer {
    pub end: End,
    pub found: Findings,
    /// Properties whose check some execution may reach.
    pub reached: BTreeSet<PropertyId>,
    pub cuts: Vec<Cut>,
    pub gaps: Vec<(Unsupported, Loc)>,
    pub inlined: BTreeSet<Path>,
    /// Calls that are left out at the end, with whom they call.
    pub left: BTreeSet<(Path, FuncId)>,
    pub bodiless: BTreeSet<FuncId>,
    pub stats: Stats,
}

/// What a question about an execution with calls left out comes to.
enum Settled {
    /// No execution does it.
    Never,
    /// An execution without any call left out on its way does; the condition is one of those asked for.
    Really(usize),
    /// These have to be inlined to know.
    Inlining(BTreeSet<ChainId>),
    Undecided(Reason),
}

/// How a round ended.
enum Step {
    Ended(End),
    Inlining(BTreeSet<ChainId>),
}

/// The stratum of a function.
pub(super) fn check(context: &Context<'_>, func: FuncId, budget: &Budget) -> Result<Answer, Refused> {
    let mut stratum = Stratum {
        context,
        budget,
        func,
        reaching: context.footing.reaching(func),
        answer: Answer {
            end: End::Proved,
            found: Findings::default(),
            reached: BTreeSet::new(),
            cuts: Vec::new(),
            gaps: Vec::new(),
            inlined: BTreeSet::new(),
            left: BTreeSet::new(),
            bodiless: BTreeSet::new(),
            stats: Stats::default(),
        },
    };
    let mut plan = Plan::new(context.program, &context.footing, context.entry);
    loop {
        match stratum.round(&plan)? {
            Step::Ended(end) => {
                let mut answer = stratum.answer;
                answer.end = end;
                answer.inlined = plan.inlined();
                return Ok(answer);
            }
            Step::Inlining(chains) => {
                context.config.say(|| format!("{} calls are inlined", chains.len()));
                plan.inline(&chains);
            }
        }
    }
}

struct Stratum<'a> {
    context: &'a Context<'a>,
    budget: &'a Budget,
    func: FuncId,
    /// Functions whose execution can lead into `func`.
    reaching: BTreeSet<FuncId>,
    answer: Answer,
}

/// An execution with its solver.
struct Round<'a> {
    footing: &'a Footing,
    inquiry: Inquiry<'a>,
    execution: &'a Execution,
    /// No call that is left out is made.
    closed: Term,
}

impl Stratum<'_> {
    fn round(&mut self, plan: &Plan<'_>) -> Result<Step, Refused> {
        let context = self.context;
        let mut terms = Terms::new();
        let mut solver = answer::solver(context.config)?;
        let execution = self.execute(plan, &mut terms);
        self.note(plan, &execution);
        let step = match execution.stopped {
            Some(stop) => Step::Ended(End::Undecided(stop.into())),
            None => {
                let guards: Vec<Term> = execution.open.iter().map(|c| c.guard).collect();
                let any = terms.or_all(&guards);
                let closed = terms.not(any);
                let inquiry = Inquiry {
                    program: context.program,
                    config: context.config,
                    engine: ENGINE,
                    terms: &mut terms,
                    solver: solver.as_mut(),
                    budget: self.budget,
                };
                self.ask(&mut Round { footing: &context.footing, inquiry, execution: &execution, closed })
            }
        };
        self.count(&terms, solver.as_ref(), &execution);
        Ok(step)
    }

    fn execute(&self, plan: &Plan<'_>, terms: &mut Terms) -> Execution {
        let context = self.context;
        let config = context.config.symbolic(&context.bounds, MODEL_BOUND);
        let mut executor = Executor::leaving_out(context.program, terms, &config, self.budget, plan);
        executor.run(context.entry, Vec::new(), State::start());
        executor.finish()
    }

    /// What the execution rests on.
    fn note(&mut self, plan: &Plan<'_>, execution: &Execution) {
        let footing = &self.context.footing;
        self.answer.left = execution.open.iter().map(|c| (plan.path(c.chain), c.callee)).collect();
        self.answer.bodiless = execution.bodiless.iter().copied().collect();
        let callees: BTreeSet<FuncId> = execution.open.iter().map(|c| c.callee).collect();
        for callee in callees {
            self.answer.bodiless.extend(footing.reached_from(callee));
        }
    }

    fn count(&mut self, terms: &Terms, solver: &dyn Solver, execution: &Execution) {
        let stats = &mut self.answer.stats;
        stats.add_solver(&solver.stats());
        stats.terms += terms.len();
        stats.claims += execution.claims.len();
        stats.rounds += 1;
        stats.steps += execution.steps;
    }

    /// Violations first, then what was not supported, then what lies beyond the bounds.
    fn ask(&mut self, round: &mut Round<'_>) -> Step {
        if let Some(step) = self.ask_claims(round) {
            return step;
        }
        if let Some(step) = self.ask_gaps(round) {
            return step;
        }
        if let Some(step) = self.ask_cuts(round) {
            return step;
        }
        let mine: Vec<(PropertyId, Term)> =
            round.execution.reached.iter().copied().filter(|(p, _)| self.is_mine(*p)).collect();
        match round.inquiry.reached(&mine) {
            Some(reached) => self.answer.reached = reached,
            // They hold all the same.
            None => self.answer.reached = mine.iter().map(|(p, _)| *p).collect(),
        }
        let bound = self.answer.cuts.iter().map(|c| c.bound).min();
        Step::Ended(bound.map_or(End::Proved, |_| End::HoldsUpTo(self.context.bounds.all)))
    }

    /// Whether a property belongs to the stratum: the function's own, or what no call site of the user's stands for.
    fn is_mine(&self, p: PropertyId) -> bool {
        let func = self.context.program.property(p).func;
        self.context.wanted.contains(&p) && (func == self.func || self.context.program.decl(func).model)
    }

    /// Properties that are not decided yet.
    fn is_open(&self, p: PropertyId) -> bool {
        let found = &self.answer.found;
        self.is_mine(p) && !found.violated.contains(&p) && found.open_question(p).is_none()
    }

    fn ask_claims(&mut self, round: &mut Round<'_>) -> Option<Step> {
        loop {
            let claims: Vec<Claim> =
                round.execution.claims.iter().filter(|c| self.is_open(c.property)).cloned().collect();
            let hiding = self.hiding(round.execution);
            let mut conditions: Vec<Term> = claims.iter().map(|c| c.violated).collect();
            conditions.extend(hiding.iter().map(|i| round.execution.open[*i].guard));
            match self.settle(round, &conditions, &hiding) {
                Settled::Never => return None,
                Settled::Undecided(why) => return Some(Step::Ended(End::Undecided(why))),
                Settled::Inlining(chains) => return Some(Step::Inlining(chains)),
                Settled::Really(_) => self.confirm(round, &claims),
            }
            if let Some(why) = self.answer.found.undecided.take() {
                return Some(Step::Ended(End::Undecided(why)));
            }
            if self.context.config.is_enough(self.context.program, &self.answer.found.violations) {
                return Some(Step::Ended(End::Undecided(Reason::NotLookedAt)));
            }
        }
    }

    /// The calls left out in which a violation of the stratum would not be seen.
    fn hiding(&self, execution: &Execution) -> Vec<usize> {
        let leaks = self.context.config.checks.has(CheckKind::MemoryLeak);
        let footing = &self.context.footing;
        let hides = |callee: FuncId| {
            self.reaching.contains(&callee) || leaks && footing.may_exit(callee) || footing.may_lose(callee)
        };
        let open = execution.open.iter().enumerate();
        open.filter(|(_, c)| hides(c.callee)).map(|(i, _)| i).collect()
    }

    /// Runs what the formula without the calls left out predicts.
    fn confirm(&mut self, round: &mut Round<'_>, claims: &[Claim]) {
        let mut under = Vec::new();
        for claim in claims {
            let violated = round.inquiry.terms.and(claim.violated, round.closed);
            under.push(Claim { violated, ..claim.clone() });
        }
        let mut found = std::mem::take(&mut self.answer.found);
        round.inquiry.violations(&under, &round.execution.inputs, &|_| true, &mut found);
        found.hard_is_undecided();
        self.answer.found = found;
    }

    fn ask_gaps(&mut self, round: &mut Round<'_>) -> Option<Step> {
        let guards: Vec<Term> = round.execution.gaps.iter().map(|g| g.guard).collect();
        match self.settle(round, &guards, &[]) {
            Settled::Never => None,
            Settled::Undecided(why) => Some(Step::Ended(End::Undecided(why))),
            Settled::Inlining(chains) => Some(Step::Inlining(chains)),
            Settled::Really(i) => {
                let gap = &round.execution.gaps[i];
                self.answer.gaps.push((gap.what.clone(), gap.loc));
                Some(Step::Ended(End::Gap(gap.what.clone())))
            }
        }
    }

    /// One question per loop and recursion: each that goes on is told.
    fn ask_cuts(&mut self, round: &mut Round<'_>) -> Option<Step> {
        let mut by_place: BTreeMap<(FuncId, CutKind), Vec<&Cut>> = BTreeMap::new();
        for cut in &round.execution.cuts {
            by_place.entry((cut.func, cut.what)).or_default().push(cut);
        }
        let mut reached = Vec::new();
        for group in by_place.into_values() {
            let guards: Vec<Term> = group.iter().map(|c| c.guard).collect();
            match self.settle(round, &guards, &[]) {
                Settled::Never => {}
                Settled::Undecided(why) => return Some(Step::Ended(End::Undecided(why))),
                Settled::Inlining(chains) => return Some(Step::Inlining(chains)),
                Settled::Really(_) => reached.push(group[0].clone()),
            }
        }
        self.answer.cuts = reached;
        None
    }

    /// The solver gave up: what the calls left out could do makes it too hard, if there are any.
    fn too_hard(&self, round: &Round<'_>, why: Reason) -> Settled {
        if let Some(stop) = self.budget.expired() {
            return Settled::Undecided(stop.into());
        }
        let chains: BTreeSet<ChainId> = round.execution.open.iter().map(|c| c.chain).collect();
        if chains.is_empty() { Settled::Undecided(why) } else { Settled::Inlining(chains) }
    }

    /// Whether one of the conditions holds in some execution. `hiding` are the calls left out that the last conditions are about.
    fn settle(&mut self, round: &mut Round<'_>, conditions: &[Term], hiding: &[usize]) -> Settled {
        if let Some(stop) = self.budget.expired() {
            return Settled::Undecided(stop.into());
        }
        let any = round.inquiry.terms.or_all(conditions);
        match round.ask(any) {
            Outcome::Unsat => return Settled::Never,
            Outcome::Unknown(why) => return self.too_hard(round, why.into()),
            Outcome::Sat => {}
        }
        let abstracted = round.model(conditions);
        let really = round.inquiry.terms.and(any, round.closed);
        match round.ask(really) {
            Outcome::Sat => {
                let model = round.model(conditions);
                Settled::Really(round.first_true(&model, conditions))
            }
            Outcome::Unknown(why) => self.too_hard(round, why.into()),
            Outcome::Unsat => {
                let first = round.first_true(&abstracted, conditions);
                let own = conditions.len() - hiding.len();
                let call = first.checked_sub(own).map(|i| hiding[i]);
                Settled::Inlining(round.to_inline(&abstracted, conditions[first], call))
            }
        }
    }
}

impl Round<'_> {
    /// Whether a condition can hold; with calls left out only for so long.
    fn ask(&mut self, condition: Term) -> Outcome {
        if self.execution.open.is_empty() {
            return self.inquiry.ask(condition);
        }
        let short = self.inquiry.budget.with_effort(STRATUM_QUERY_CONFLICTS);
        let Inquiry { terms, solver, .. } = &mut self.inquiry;
        if terms.is_false(condition) { Outcome::Unsat } else { solver.check(terms, &[condition], &short) }
    }

    fn model(&mut self, conditions: &[Term]) -> Assignment {
        let mut roots = conditions.to_vec();
        roots.extend(self.execution.open.iter().map(|c| c.guard));
        roots.extend(replay::roots(&self.execution.inputs));
        self.inquiry.solver.model(self.inquiry.terms, &roots)
    }

    fn first_true(&self, model: &Assignment, conditions: &[Term]) -> usize {
        let mut eval = Evaluator::new(model);
        conditions
            .iter()
            .position(|t| eval.holds(self.inquiry.terms, *t))
            .expect("a model should satisfy one of the conditions it was asked for")
    }

    /// The calls left out whose effects a condition hangs on under the model, those of small functions that it may hang on,
    /// and the one it is about. If it hangs on none, those that are on the way: they may not come back.
    fn to_inline(&self, model: &Assignment, condition: Term, about: Option<usize>) -> BTreeSet<ChainId> {
        let mut eval = Evaluator::new(model);
        let vars = relevant(self.inquiry.terms, &mut eval, condition);
        let open = &self.execution.open;
        let cone: BTreeSet<Term> = vars_of(self.inquiry.terms, &[condition]).into_iter().collect();
        let matters = |c: &&OpenCall| {
            let wanted = if self.footing.size(c.callee) <= STRATUM_OPEN_INSTS { &cone } else { &vars };
            c.vars.iter().any(|v| wanted.contains(v))
        };
        let mut chains: BTreeSet<ChainId> = open.iter().filter(matters).map(|c| c.chain).collect();
        chains.extend(about.map(|i| open[i].chain));
        if chains.is_empty() {
            chains.extend(open.iter().filter(|c| eval.holds(self.inquiry.terms, c.guard)).map(|c| c.chain));
        }
        assert!(!chains.is_empty(), "a condition that needs a call left out should have one on its way");
        chains
    }
}
