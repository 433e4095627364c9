//! Questions about path conditions.
//!
//! A path condition is a list of conjuncts with a model of it, in which whoever asks looks first. Whether one more condition can hold is then
//! asked of what was answered before (the same question, an unsatisfiable core in it, a model found elsewhere), then of a guess that changes one
//! value (`steer`), and only then of the solver. Only conjuncts that share variables with the condition, directly or through others, are asked (independence, as in
//! EXE and KLEE): the model of the rest stays. The solver is live, so what questions share is encoded once, until it has met too much.
//!
//! Invariant: every model handed out satisfies the whole condition it was asked for.

use super::bytes::Bytes;
use super::steer::{steer, steer_term};
use crate::Refused;
use crate::answer;
use crate::config::CheckConfig;
use crate::tuning::{
    QUERY_KEPT_ANSWERS, QUERY_KEPT_CORES, QUERY_KEPT_MODELS, QUERY_SOLVER_CLAUSES, QUERY_SOLVER_GROWTH,
};
use crate::verdict::Stats;
use blitz_base::{Budget, Bv};
use blitz_solver::{Outcome, Solver, UnknownReason};
use blitz_symex::guard::Guard;
use blitz_term::{Assignment, Evaluator, Term, Terms, vars_of};
use imbl::{OrdMap, Vector};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

/// Values for the inputs of a path.
pub(crate) type Model = Rc<Assignment>;

/// What a question came to.
pub(crate) enum Answer {
    Sat(Model),
    Unsat,
    Unknown(UnknownReason),
}

/// Where answers came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub asked: u64,
    /// By an answer, core or model kept, and by the solver.
    pub kept: u64,
    pub solved: u64,
}

pub(crate) struct Queries {
    config: CheckConfig,
    solver: Box<dyn Solver>,
    /// Clauses at which the solver makes way for a new one; none before its first answer.
    most_clauses: Option<u64>,
    /// What the solvers before did.
    before: Stats,
    vars: HashMap<Term, Rc<[Term]>>,
    models: VecDeque<Evaluator<'static>>,
    cores: VecDeque<Vec<Term>>,
    answers: HashMap<Vec<Term>, Option<Model>>,
    bytes: Bytes,
    pub counts: Counts,
}

/// The condition of a path as far as it has come; cloning is cheap.
#[derive(Clone, Default)]
pub(crate) struct Condition {
    conjuncts: Vector<Term>,
    depth: u32,
    /// By variable, the conjuncts in which it occurs.
    by_var: OrdMap<Term, Vector<usize>>,
}

impl Condition {
    /// Takes over what has been added to the path's guard; gives the new conjuncts.
    pub fn grow(&mut self, terms: &Terms, queries: &mut Queries, guard: &Guard) -> Vec<Term> {
        let new = guard.since(self.depth);
        self.depth = guard.depth();
        for &conjunct in &new {
            self.push(terms, queries, conjunct);
        }
        new
    }

    pub fn push(&mut self, terms: &Terms, queries: &mut Queries, conjunct: Term) {
        for &var in queries.vars(terms, conjunct).iter() {
            self.by_var.entry(var).or_default().push_back(self.conjuncts.len());
        }
        self.conjuncts.push_back(conjunct);
    }

    /// How many conjuncts there are.
    pub fn len(&self) -> usize {
        self.conjuncts.len()
    }

    pub fn conjuncts(&self) -> impl Iterator<Item = Term> + '_ {
        self.conjuncts.iter().copied()
    }

    /// The conjuncts among the first `upto` that the given conditions can touch, and these conditions; in order, each once.
    fn slice(&self, terms: &Terms, queries: &mut Queries, upto: usize, extra: &[Term]) -> Vec<Term> {
        let mut open: Vec<Term> = extra.iter().flat_map(|&e| queries.vars(terms, e).to_vec()).collect();
        let (mut seen, mut taken) = (BTreeSet::new(), BTreeSet::new());
        while let Some(var) = open.pop() {
            if !seen.insert(var) {
                continue;
            }
            for &i in self.by_var.get(&var).into_iter().flatten() {
                if i < upto && taken.insert(i) {
                    open.extend(queries.vars(terms, self.conjuncts[i]).iter().copied());
                }
            }
        }
        let mut out: Vec<Term> = taken.into_iter().map(|i| self.conjuncts[i]).chain(extra.iter().copied()).collect();
        out.sort_unstable();
        out.dedup();
        out
    }
}

impl Queries {
    pub fn new(config: &CheckConfig) -> Result<Self, Refused> {
        Ok(Self {
            config: config.clone(),
            solver: answer::solver(config)?,
            most_clauses: None,
            before: Stats::default(),
            vars: HashMap::new(),
            models: VecDeque::new(),
            cores: VecDeque::new(),
            answers: HashMap::new(),
            bytes: Bytes::default(),
            counts: Counts::default(),
        })
    }

    /// Adds what the solvers did.
    pub fn add_stats(&self, to: &mut Stats) {
        to.clauses += self.before.clauses;
        to.variables += self.before.variables;
        to.queries += self.before.queries;
        to.conflicts += self.before.conflicts;
        to.lemmas += self.before.lemmas;
        to.certified += self.before.certified;
        to.solve_time += self.before.solve_time;
        to.add_solver(&self.solver.stats());
    }

    /// The variables of a term.
    fn vars(&mut self, terms: &Terms, t: Term) -> Rc<[Term]> {
        Rc::clone(self.vars.entry(t).or_insert_with(|| vars_of(terms, &[t]).into()))
    }

    /// Whether the path's condition and more can hold. `base` is a model of the condition, except for conjuncts that are among `extra`;
    /// whoever asks has seen that it does not satisfy `extra`.
    pub fn extends(
        &mut self,
        terms: &mut Terms,
        condition: &Condition,
        base: &Model,
        extra: &[Term],
        budget: &Budget,
    ) -> Answer {
        self.extends_first(terms, (condition, condition.len()), base, extra, budget)
    }

    /// The same of the first conjuncts of the condition alone.
    pub fn extends_first(
        &mut self,
        terms: &mut Terms,
        (condition, upto): (&Condition, usize),
        base: &Model,
        extra: &[Term],
        budget: &Budget,
    ) -> Answer {
        self.counts.asked += 1;
        if extra.iter().any(|&e| terms.is_false(e)) {
            return Answer::Unsat;
        }
        let slice = condition.slice(terms, self, upto, extra);
        let goal = extra.last().copied();
        self.decide(terms, base, (slice, goal), budget)
    }

    /// Whether a condition can hold, asked by itself.
    pub fn alone(&mut self, terms: &mut Terms, condition: Term, budget: &Budget) -> Outcome {
        let outcome = self.solver.check(terms, &[condition], budget);
        self.renew_solver();
        outcome
    }

    /// A solver gives values to all it ever met, so an answer takes longer the older it is; what a slice needs is small. One that has met much
    /// more than its first question makes way for a new one.
    fn renew_solver(&mut self) {
        let stats = self.solver.stats();
        let most = *self.most_clauses.get_or_insert(QUERY_SOLVER_CLAUSES.max(QUERY_SOLVER_GROWTH * stats.clauses));
        if stats.clauses <= most {
            return;
        }
        if let Ok(fresh) = answer::solver(&self.config) {
            self.before.add_solver(&stats);
            (self.solver, self.most_clauses) = (fresh, None);
        }
    }

    /// The answer, where the goal is about one byte and nothing that the slice says of this byte leaves a value, or one that is left does for all.
    fn by_byte(&mut self, terms: &mut Terms, base: &Model, goal: Term, slice: &[Term]) -> Option<Answer> {
        let (byte, mut left) = self.bytes.of(terms, goal)?;
        for &t in slice {
            if let Some((_, values)) = self.bytes.of(terms, t).filter(|(b, _)| *b == byte) {
                left = left.and(values);
            }
        }
        if left.is_empty() {
            return Some(Answer::Unsat);
        }
        let found = left.some().find_map(|value| {
            let value = Bv::from_u64(terms.width(byte), value.into());
            let found = steer_term(terms, base, byte, value)?;
            let mut eval = Evaluator::new(&found);
            slice.iter().all(|&t| eval.holds(terms, t)).then(|| Rc::new(found))
        });
        found.map(Answer::Sat)
    }

    /// How many answers are kept.
    pub fn kept(&self) -> usize {
        self.answers.len()
    }

    /// Forgets answers, models and what the solver met: memory runs short. Nothing is lost but time.
    pub fn forget(&mut self) {
        (self.vars, self.answers) = (HashMap::new(), HashMap::new());
        self.bytes.forget();
        self.models.clear();
        self.cores.clear();
        if let Ok(fresh) = answer::solver(&self.config) {
            self.before.add_solver(&self.solver.stats());
            (self.solver, self.most_clauses) = (fresh, None);
        }
    }

    /// The values of `base`, but for the variables of the slice such that it holds.
    fn decide(
        &mut self,
        terms: &mut Terms,
        base: &Model,
        (slice, goal): (Vec<Term>, Option<Term>),
        budget: &Budget,
    ) -> Answer {
        if let Some(known) = self.answers.get(&slice).cloned() {
            self.counts.kept += 1;
            return match known {
                Some(model) => Answer::Sat(self.combine(terms, base, &model, &slice)),
                None => Answer::Unsat,
            };
        }
        if self.cores.iter().any(|core| core.iter().all(|t| slice.binary_search(t).is_ok())) {
            self.counts.kept += 1;
            return Answer::Unsat;
        }
        let fits = self.models.iter_mut().position(|eval| slice.iter().all(|&t| eval.holds(terms, t)));
        if let Some(i) = fits {
            self.counts.kept += 1;
            let model: Model = Rc::new(self.models[i].assignment().clone());
            return Answer::Sat(self.combine(terms, base, &model, &slice));
        }
        if let Some(answer) = goal.and_then(|goal| self.by_byte(terms, base, goal, &slice)) {
            self.counts.kept += 1;
            let model = match &answer {
                Answer::Sat(model) => Some(Rc::clone(model)),
                Answer::Unsat | Answer::Unknown(_) => None,
            };
            self.answers.insert(slice, model);
            return answer;
        }
        if let Some(model) = goal.and_then(|goal| steered(terms, base, goal, &slice)) {
            self.counts.kept += 1;
            self.answers.insert(slice, Some(Rc::clone(&model)));
            return Answer::Sat(model);
        }
        self.counts.solved += 1;
        let outcome = self.solver.check(terms, &slice, budget);
        if self.answers.len() >= QUERY_KEPT_ANSWERS {
            self.answers.clear();
        }
        match outcome {
            Outcome::Unsat => {
                let mut core = self.solver.failed_assumptions();
                core.sort_unstable();
                if !core.is_empty() && core.len() < slice.len() {
                    self.cores.push_front(core);
                    self.cores.truncate(QUERY_KEPT_CORES);
                }
                self.answers.insert(slice, None);
                self.renew_solver();
                Answer::Unsat
            }
            Outcome::Sat => {
                let model: Model = Rc::new(self.solver.model(terms, &slice));
                self.models.push_front(Evaluator::owned((*model).clone()));
                self.models.truncate(QUERY_KEPT_MODELS);
                self.answers.insert(slice.clone(), Some(Rc::clone(&model)));
                self.renew_solver();
                Answer::Sat(self.combine(terms, base, &model, &slice))
            }
            Outcome::Unknown(why) => Answer::Unknown(why),
        }
    }

    /// The values of one model for the variables of the slice, of the other elsewhere.
    fn combine(&mut self, terms: &Terms, base: &Model, of_slice: &Model, slice: &[Term]) -> Model {
        let mut out = (**base).clone();
        for &t in slice {
            for &var in self.vars(terms, t).iter() {
                let value = of_slice.get(var).cloned();
                out.set(var, value.unwrap_or_else(|| blitz_term::Value::zero(terms.sort(var))));
            }
        }
        Rc::new(out)
    }
}

/// The base with one value changed such that all of a slice holds, if the guess for its goal does that.
fn steered(terms: &Terms, base: &Model, goal: Term, slice: &[Term]) -> Option<Model> {
    let found = steer(terms, base, goal)?;
    let mut eval = Evaluator::new(&found);
    slice.iter().all(|&t| eval.holds(terms, t)).then(|| Rc::new(found))
}
