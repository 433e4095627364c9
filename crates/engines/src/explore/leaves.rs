//! The paths of an exploration as data: the tree, one test per path, and what they went through.

use super::tree::NodeId;
use super::walk::Walked;
use super::{Explorer, Spot};
use crate::paths::{Answer, Condition, Model, Words};
use crate::replay;
use crate::tuning::{LEAF_PART_INSTS, LEAF_SHORT_BYTES, LEAF_WHOLE_INSTS};
use blitz_base::span::Loc;
use blitz_interp::{InputSource, Outcome, RunConfig, RunResult, Runner, TraceLevel};
use blitz_symex::follow::{Path, PathEnd};
use blitz_symex::fork::Place;
use blitz_symex::{Input, InputKind};
use blitz_term::{Evaluator, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What an exploration found, besides the verdict.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// The root first; children after their parents.
    pub nodes: Vec<TreeNode>,
    pub paths: Vec<PathReport>,
    /// Every path was followed to its end.
    pub complete: bool,
    /// Ways that were left when the search ended.
    pub waiting: usize,
    pub forks: u64,
    /// Questions about path conditions, and those the solver had to answer.
    pub questions: u64,
    pub solved: u64,
    /// How often paths went through the blocks of the user's functions; all blocks there are.
    pub covered: BTreeMap<Spot, u64>,
    pub blocks: BTreeSet<Spot>,
    /// Paths whose test, run in the interpreter, did not end as predicted.
    pub diverged: usize,
}

/// A node of the execution tree: a fork, or the end of a path.
#[derive(Clone, Debug)]
pub struct TreeNode {
    pub parent: Option<usize>,
    /// Of the way from the parent, in C.
    pub condition: Option<String>,
    /// Where it forks.
    pub fork: Option<(String, Loc)>,
    pub children: Vec<usize>,
    /// The path that ends here.
    pub path: Option<usize>,
}

/// A path that was followed to its end.
#[derive(Clone, Debug)]
pub struct PathReport {
    pub node: usize,
    pub end: Ending,
    pub loc: Loc,
    /// What the outermost function returned, in C.
    pub result: Option<String>,
    /// The exit status, in C.
    pub status: Option<String>,
    /// A run that takes it.
    pub run: RunResult,
    pub covered: BTreeSet<Spot>,
    /// The ways it took at forks, each once.
    pub ways: BTreeSet<(Place, usize)>,
    pub decisions: usize,
    /// The run ended as predicted.
    pub as_predicted: bool,
}

/// How a path ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    Exit,
    /// By `abort`, or in another abnormal way.
    Abort,
    /// A check fails for all inputs of the path.
    Violation,
    /// Something is not supported.
    Unsupported,
    Bound,
    /// Back at the head of a loop with nothing changed.
    Repeats,
    /// It did not end within the limits.
    Endless,
}

impl Ending {
    /// Whether the path was followed to the end of the program.
    fn is_whole(self) -> bool {
        match self {
            Ending::Exit | Ending::Abort | Ending::Violation => true,
            Ending::Unsupported | Ending::Bound | Ending::Repeats | Ending::Endless => false,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Ending::Exit => "exit",
            Ending::Abort => "abort",
            Ending::Violation => "violation",
            Ending::Unsupported => "unsupported",
            Ending::Bound => "bound",
            Ending::Repeats => "repeats",
            Ending::Endless => "endless",
        }
    }
}

/// A path that is kept until the end of the search.
pub(super) struct Leaf {
    node: NodeId,
    end: Ending,
    loc: Loc,
    result: Option<Term>,
    status: Option<Term>,
    run: RunResult,
    covered: BTreeSet<Spot>,
    ways: BTreeSet<(Place, usize)>,
    decisions: usize,
    as_predicted: bool,
}

/// What is kept for tests and trees.
pub(super) struct Leaves<'a> {
    runner: Runner<'a>,
    leaves: Vec<Leaf>,
    names: crate::paths::Names,
    covered: BTreeMap<Spot, u64>,
}

impl<'a> Leaves<'a> {
    pub fn new(program: &'a blitz_ir::Program) -> Self {
        Self {
            runner: Runner::new(program, TraceLevel::None),
            leaves: Vec::new(),
            names: crate::paths::Names::default(),
            covered: BTreeMap::new(),
        }
    }
}

impl Explorer<'_> {
    /// Keeps a path, if it has an end that inputs lead to.
    pub(super) fn keep(&mut self, path: &Path, walked: &Walked) {
        let Some(mut leaves) = self.leaves.take() else { return };
        leaves.names.add(&self.terms, &path.execution.inputs);
        if let Some((end, model)) = self.ending(path, walked) {
            let model = self.shorter(&path.execution.inputs, walked, model);
            let vector = replay::vector(&self.terms, &model, &path.execution.inputs);
            let config = RunConfig {
                inputs: InputSource::Recorded(vector),
                max_steps: Some(if end.is_whole() { LEAF_WHOLE_INSTS } else { LEAF_PART_INSTS }),
                checks: self.config.checks,
                assumed_models: self.config.assumed_models.clone(),
                ..RunConfig::default()
            };
            let run = leaves.runner.run(&config, self.budget);
            if matches!(run.outcome, Outcome::Stopped(_)) {
                // The search is over: the run has not taken its inputs, so there is no test.
                self.leaves = Some(leaves);
                return;
            }
            let status = match path.end {
                PathEnd::Exit(t) | PathEnd::Halt(t) => Some(t),
                PathEnd::Blocked
                | PathEnd::Gap
                | PathEnd::Cut(_)
                | PathEnd::Repeated
                | PathEnd::Pruned
                | PathEnd::Stopped => None,
            };
            let as_predicted = self.is_as_predicted(end, status, &model, &run.outcome);
            for &spot in &path.covered {
                *leaves.covered.entry(spot).or_default() += 1;
            }
            leaves.leaves.push(Leaf {
                node: walked.node,
                end,
                loc: path.loc,
                result: path.result.as_ref().and_then(|(_, values)| values.first().copied()),
                status,
                run,
                covered: path.covered.clone(),
                ways: path.decisions.iter().map(|d| (d.place, d.taken)).collect(),
                decisions: path.decisions.len(),
                as_predicted,
            });
        }
        self.leaves = Some(leaves);
    }

    /// How a path ended, with a model of it; `None` if no inputs lead there.
    fn ending(&mut self, path: &Path, walked: &Walked) -> Option<(Ending, Model)> {
        let model = walked.model.as_ref();
        match &path.end {
            PathEnd::Exit(_) => Some((Ending::Exit, Rc::clone(model?))),
            PathEnd::Halt(_) => Some((Ending::Abort, Rc::clone(model?))),
            PathEnd::Gap => Some((Ending::Unsupported, Rc::clone(model?))),
            PathEnd::Cut(_) => Some((Ending::Bound, Rc::clone(model?))),
            PathEnd::Repeated => Some((Ending::Repeats, Rc::clone(model?))),
            PathEnd::Stopped => Some((Ending::Endless, Rc::clone(model?))),
            PathEnd::Blocked => {
                // The check that nothing passes is the last one.
                let claim = path.execution.claims.last()?.violated;
                let mut eval = Evaluator::new(&walked.last);
                if eval.holds(&self.terms, claim) {
                    return Some((Ending::Violation, Rc::clone(&walked.last)));
                }
                let none = Condition::default();
                match self.queries.extends(&mut self.terms, &none, &walked.last, &[claim], &self.asking) {
                    Answer::Sat(model) => Some((Ending::Violation, model)),
                    Answer::Unsat | Answer::Unknown(_) => None,
                }
            }
            PathEnd::Pruned => None,
        }
    }

    /// A model of the same path with short byte strings, if there is one.
    fn shorter(&mut self, inputs: &[Input], walked: &Walked, model: Model) -> Model {
        let (mut condition, mut model) = (walked.condition.clone(), model);
        if walked.model.is_none() {
            return model;
        }
        for input in inputs {
            let InputKind::Bytes { len, .. } = input.kind else { continue };
            if self.terms.is_const(len) {
                continue;
            }
            let most = self.terms.bv(self.terms.width(len), LEAF_SHORT_BYTES);
            let short = self.terms.ule(len, most);
            let held = Evaluator::new(&model).holds(&self.terms, short);
            if !held {
                match self.queries.extends(&mut self.terms, &condition, &model, &[short], &self.asking) {
                    Answer::Sat(better) => model = better,
                    Answer::Unsat | Answer::Unknown(_) => continue,
                }
            }
            condition.push(&self.terms, &mut self.queries, short);
        }
        model
    }

    fn is_as_predicted(&self, end: Ending, status: Option<Term>, model: &Model, outcome: &Outcome) -> bool {
        let predicted = status.and_then(|t| Evaluator::new(model).eval(&self.terms, t).bv().to_u64());
        let same = |got: i32| predicted.is_some_and(|p| p as u8 == got as u8);
        match (end, outcome) {
            (Ending::Exit, Outcome::Exit(got)) | (Ending::Abort, Outcome::Halt(got)) => same(*got),
            // What is lost is seen when the program ends.
            (Ending::Exit, Outcome::Violation(v)) => v.kind == blitz_ir::CheckKind::MemoryLeak,
            (Ending::Violation, Outcome::Violation(_)) => true,
            (Ending::Unsupported | Ending::Bound | Ending::Repeats | Ending::Endless, _) => true,
            (Ending::Exit | Ending::Abort | Ending::Violation, _) => false,
        }
    }

    /// Everything as data.
    pub(super) fn exploration(&mut self, complete: bool) -> Option<Box<Exploration>> {
        let leaves = self.leaves.take()?;
        let words = Words { terms: &self.terms, names: &leaves.names };
        let mut nodes: Vec<TreeNode> = self
            .tree
            .nodes
            .iter()
            .map(|n| TreeNode {
                parent: n.parent.map(|p| p.0 as usize),
                condition: n.condition.map(|(t, way)| words.way(t, way == 0)),
                fork: n.fork.map(|(place, loc)| (self.program.decl(place.func).name.clone(), loc)),
                children: n.children.iter().map(|c| c.0 as usize).collect(),
                path: None,
            })
            .collect();
        let mut paths = Vec::new();
        for leaf in leaves.leaves {
            nodes[leaf.node.0 as usize].path.get_or_insert(paths.len());
            paths.push(PathReport {
                node: leaf.node.0 as usize,
                end: leaf.end,
                loc: leaf.loc,
                result: leaf.result.map(|t| words.value(t)),
                status: leaf.status.map(|t| words.value(t)),
                run: leaf.run,
                covered: leaf.covered,
                ways: leaf.ways,
                decisions: leaf.decisions,
                as_predicted: leaf.as_predicted,
            });
        }
        Some(Box::new(Exploration {
            diverged: paths.iter().filter(|p| !p.as_predicted).count(),
            nodes,
            paths,
            complete,
            waiting: self.frontier.len(),
            forks: self.counts.forks,
            questions: self.queries.counts.asked,
            solved: self.queries.counts.solved,
            covered: leaves.covered,
            blocks: self.frontier.blocks(),
        }))
    }
}
