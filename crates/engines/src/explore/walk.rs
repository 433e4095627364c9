//! One path of the exploration: the decisions of an item, then those that a searcher and the solver make.

use super::kept::Kept;
use super::search::Frontier;
use super::tree::{NodeId, Tree};
use super::{ExploreOptions, Item};
use crate::paths::{Answer, Condition, Model, Queries};
use crate::reason::{Limit, Reason};
use crate::tuning::EXPLORE_MERGE_INSTS;
use blitz_base::Budget;
use blitz_ir::Type;
use blitz_solver::UnknownReason;
use blitz_symex::follow::{Chooser, Fork, Path, Snapshot};
use blitz_symex::guard::Guard;
use blitz_symex::{Input, InputKind};
use blitz_term::{Evaluator, Term, Terms};
use std::collections::HashSet;
use std::rc::Rc;

pub(crate) struct Walk<'p, 'a> {
    queries: &'a mut Queries,
    tree: &'a mut Tree,
    frontier: &'a mut Frontier<'p>,
    options: &'a ExploreOptions,
    budget: &'a Budget,
    prefix: Vec<usize>,
    at: usize,
    node: NodeId,
    trail: u32,
    condition: Condition,
    model: Model,
    eval: Evaluator<'static>,
    /// No inputs take this path.
    infeasible: bool,
    /// Why nobody knows whether the path is possible.
    undecided: Option<Reason>,
    /// Why ways beside the path are left out.
    left_out: Option<Reason>,
    /// How many of them because the question was too hard.
    hard: u64,
    pub forks: u64,
    /// Inputs that say whether something fails, and how much has failed so far.
    failures: Rc<HashSet<Term>>,
    failed: u32,
    failed_before: u32,
    /// Items that were made at the last fork.
    left: Vec<u64>,
}

/// What a walk leaves behind.
pub(crate) struct Walked {
    pub node: NodeId,
    /// Values that lead to the end of the path; `None` if nothing does.
    pub model: Option<Model>,
    /// Values that lead to the last fork at least.
    pub last: Model,
    pub condition: Condition,
    pub undecided: Option<Reason>,
    pub forks: u64,
    /// Ways left out because nobody knows whether they are possible.
    pub hard: u64,
}

impl<'p, 'a> Walk<'p, 'a> {
    pub fn new(
        queries: &'a mut Queries,
        tree: &'a mut Tree,
        frontier: &'a mut Frontier<'p>,
        item: Item<'p>,
        options: &'a ExploreOptions,
        budget: &'a Budget,
    ) -> Self {
        let mut prefix = tree.trail(item.trail);
        if item.from.is_some() {
            prefix.drain(..prefix.len() - 1);
        }
        let from = item.from.as_deref();
        let eval = Evaluator::owned((*item.model).clone());
        Self {
            queries,
            tree,
            frontier,
            options,
            budget,
            prefix,
            at: 0,
            node: item.node,
            trail: item.trail,
            condition: from.map(|f| f.condition.clone()).unwrap_or_default(),
            failures: from.map(|f| Rc::clone(&f.failures)).unwrap_or_default(),
            failed: from.map_or(0, |f| f.failed),
            model: item.model,
            eval,
            infeasible: false,
            undecided: None,
            left_out: None,
            hard: 0,
            forks: 0,
            failed_before: 0,
            left: Vec::new(),
        }
    }

    /// The path has come to its end: whether anything really gets there.
    pub fn finish(mut self, terms: &mut Terms, path: &Path) -> Walked {
        let blocked = path.guard.is_false(terms);
        if !blocked && !self.infeasible && self.undecided.is_none() {
            self.catch_up(terms, &path.guard);
        }
        let ends = !blocked && !self.infeasible && self.undecided.is_none();
        Walked {
            node: self.node,
            model: ends.then(|| Rc::clone(&self.model)),
            last: self.model,
            condition: self.condition,
            undecided: self.undecided.or(self.left_out),
            forks: self.forks,
            hard: self.hard,
        }
    }

    /// The model at hand satisfies all of the guard, or the path is infeasible.
    fn catch_up(&mut self, terms: &mut Terms, guard: &Guard) {
        let new = self.condition.grow(terms, self.queries, guard);
        let broken: Vec<Term> = new.into_iter().filter(|&t| !self.eval.holds(terms, t)).collect();
        if broken.is_empty() {
            return;
        }
        match self.queries.extends(terms, &self.condition, &self.model, &broken, self.budget) {
            Answer::Sat(model) => self.take_model(model),
            Answer::Unsat => self.infeasible = true,
            Answer::Unknown(why) => self.undecided = Some(why.into()),
        }
    }

    fn take_model(&mut self, model: Model) {
        self.eval = Evaluator::owned((*model).clone());
        self.model = model;
    }

    /// The possible ways at a fork, each with a model.
    fn possible(&mut self, terms: &mut Terms, fork: &Fork<'_>) -> Vec<(usize, Model)> {
        let mut out = Vec::new();
        for &way in fork.open {
            let condition = fork.alternatives[way];
            if self.fails(condition) && self.options.max_fail.is_some_and(|most| self.failed >= most) {
                continue;
            }
            if self.eval.holds(terms, condition) {
                out.push((way, Rc::clone(&self.model)));
                continue;
            }
            match self.queries.extends(terms, &self.condition, &self.model, &[condition], self.budget) {
                Answer::Sat(model) => out.push((way, model)),
                Answer::Unsat => {}
                Answer::Unknown(why) => {
                    self.hard += u64::from(why == UnknownReason::Conflicts);
                    self.left_out.get_or_insert(why.into());
                }
            }
        }
        out
    }

    /// Whether a way is the one on which something fails.
    fn fails(&self, condition: Term) -> bool {
        self.failures.contains(&condition)
    }

    /// Several ways are possible: one is followed, the others wait.
    fn part(&mut self, terms: &Terms, fork: &Fork<'_>, mut ways: Vec<(usize, Model)>) -> usize {
        let targets: Vec<(blitz_ir::FuncId, blitz_ir::Block)> = ways.iter().map(|(w, _)| fork.targets[*w]).collect();
        let followed = self.frontier.prefer(fork.place, &ways.iter().map(|(w, _)| *w).collect::<Vec<_>>(), &targets);
        let conditions: Vec<(Term, usize)> = ways.iter().map(|(w, _)| (fork.alternatives[*w], *w)).collect();
        let children = self.tree.fork(self.node, fork.place, fork.loc, &conditions);
        self.forks += ways.len() as u64 - 1;
        let full = self.options.max_forks.is_some_and(|most| self.forks > most);
        for (i, (way, model)) in ways.iter().enumerate().filter(|(i, _)| *i != followed) {
            if full {
                let most = self.options.max_forks.unwrap_or(0);
                self.left_out.get_or_insert(Reason::Limit(Limit::Forks(most)));
                break;
            }
            let trail = self.tree.extend(self.trail, *way);
            self.tree.add_waiting(children[i]);
            let number = self.frontier.push(Item {
                node: children[i],
                trail,
                depth: fork.decisions as u32 + 1,
                model: Rc::clone(model),
                target: targets[i],
                stack: fork.stack.to_vec(),
                from: None,
            });
            self.left.push(number);
        }
        self.node = children[followed];
        let (way, model) = ways.swap_remove(followed);
        if !Rc::ptr_eq(&model, &self.model) {
            self.take_model(model);
        }
        debug_assert!(self.eval.holds(terms, fork.alternatives[way]), "the model should take the way");
        way
    }
}

impl<'p> Chooser<'p> for Walk<'p, '_> {
    fn choose(&mut self, terms: &mut Terms, fork: &Fork<'_>) -> Option<usize> {
        if let Some(&way) = self.prefix.get(self.at) {
            self.at += 1;
            self.failed += u32::from(self.fails(fork.alternatives[way]));
            return Some(way);
        }
        self.catch_up(terms, fork.guard);
        if self.infeasible || self.undecided.is_some() {
            return None;
        }
        let ways = self.possible(terms, fork);
        let way = match ways.len() {
            0 => {
                // Nothing is possible, or nobody knows.
                self.infeasible = self.left_out.is_none();
                self.undecided = self.left_out.clone();
                return None;
            }
            1 => {
                let (way, model) = ways.into_iter().next().expect("one way should be there");
                if !Rc::ptr_eq(&model, &self.model) {
                    self.take_model(model);
                }
                way
            }
            _ => self.part(terms, fork, ways),
        };
        self.failed_before = self.failed;
        self.failed += u32::from(self.fails(fork.alternatives[way]));
        self.trail = self.tree.extend(self.trail, way);
        Some(way)
    }

    fn took_input(&mut self, _: &Terms, _: usize, input: &Input) {
        match input.kind {
            InputKind::AllocFails { term } => drop(Rc::make_mut(&mut self.failures).insert(term)),
            InputKind::Value { term, ty: Type::BOOL } if input.name.channel().is_failure() => {
                Rc::make_mut(&mut self.failures).insert(term);
            }
            InputKind::Value { .. } | InputKind::Bytes { .. } => {}
        }
    }

    fn ends_repeated(&self) -> bool {
        true
    }

    fn together_within(&self, conditions: &[Term]) -> Option<usize> {
        // Failures are counted by path.
        let fails = conditions.iter().any(|c| self.fails(*c));
        (self.options.merges && !fails).then_some(EXPLORE_MERGE_INSTS)
    }

    fn wants_snapshot(&self) -> bool {
        !self.left.is_empty()
    }

    fn keep(&mut self, snapshot: Snapshot<'p>) {
        let failed = self.failed_before;
        let (condition, failures) = (self.condition.clone(), Rc::clone(&self.failures));
        let kept = Rc::new(Kept { snapshot, condition, failures, failed });
        for number in std::mem::take(&mut self.left) {
            self.frontier.goes_on_from(number, &kept);
        }
    }
}
