//! Questions about path conditions.
//!
//! A path condition is a list of conjuncts with a model of it, in which whoever asks looks first. Whether one more condition can hold is then
//! asked of what was answered before (the same question, an unsatisfiable core in it, a model found elsewhere), and only then of the
//! solver. Only conjuncts that share variables with the condition, directly or through others, are asked (independence, as in
//! EXE and KLEE): the model of the rest stays. The solver is one and live: what paths share is encoded once.
//!
//! Invariant: every model handed out satisfies the whole condition it was asked for.

use crate::tuning::{QUERY_KEPT_ANSWERS, QUERY_KEPT_CORES, QUERY_KEPT_MODELS};
use blitz_base::Budget;
use blitz_solver::{Outcome, Solver, SolverStats};
use blitz_symex::guard::Guard;
use blitz_term::{Assignment, Evaluator, Term, Terms, vars_of};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::rc::Rc;

/// Values for the inputs of a path.
pub(crate) type Model = Rc<Assignment>;

/// What a question came to.
pub(crate) enum Answer {
    Sat(Model),
    Unsat,
    Unknown(String),
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
    pub solver: Box<dyn Solver>,
    vars: HashMap<Term, Rc<[Term]>>,
    models: VecDeque<Evaluator<'static>>,
    cores: VecDeque<Vec<Term>>,
    answers: HashMap<Vec<Term>, Option<Model>>,
    pub counts: Counts,
}

/// The condition of a path as far as it has come.
#[derive(Clone, Default)]
pub(crate) struct Condition {
    conjuncts: Vec<Term>,
    depth: u32,
    /// By variable, the conjuncts in which it occurs.
    by_var: HashMap<Term, Vec<usize>>,
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
            self.by_var.entry(var).or_default().push(self.conjuncts.len());
        }
        self.conjuncts.push(conjunct);
    }

    /// The conjuncts that the given conditions can touch, themselves included; in order, each once.
    fn slice(&self, terms: &Terms, queries: &mut Queries, extra: &[Term]) -> Vec<Term> {
        let mut open: Vec<Term> = extra.iter().flat_map(|&e| queries.vars(terms, e).to_vec()).collect();
        let (mut seen, mut taken) = (BTreeSet::new(), BTreeSet::new());
        while let Some(var) = open.pop() {
            if !seen.insert(var) {
                continue;
            }
            for &i in self.by_var.get(&var).into_iter().flatten() {
                if taken.insert(i) {
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
    pub fn new(solver: Box<dyn Solver>) -> Self {
        Self {
            solver,
            vars: HashMap::new(),
            models: VecDeque::new(),
            cores: VecDeque::new(),
            answers: HashMap::new(),
            counts: Counts::default(),
        }
    }

    pub fn stats(&self) -> SolverStats {
        self.solver.stats()
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
        self.counts.asked += 1;
        if extra.iter().any(|&e| terms.is_false(e)) {
            return Answer::Unsat;
        }
        let slice = condition.slice(terms, self, extra);
        self.decide(terms, base, slice, budget)
    }

    /// The values of `base`, but for the variables of the slice such that it holds.
    fn decide(&mut self, terms: &mut Terms, base: &Model, slice: Vec<Term>, budget: &Budget) -> Answer {
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
                Answer::Unsat
            }
            Outcome::Sat => {
                let model: Model = Rc::new(self.solver.model(terms, &slice));
                self.models.push_front(Evaluator::owned((*model).clone()));
                self.models.truncate(QUERY_KEPT_MODELS);
                self.answers.insert(slice.clone(), Some(Rc::clone(&model)));
                Answer::Sat(self.combine(terms, base, &model, &slice))
            }
            Outcome::Unknown(why) => Answer::Unknown(why.to_string()),
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
