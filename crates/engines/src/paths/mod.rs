//! The path layer: what engines that go path by path share.
//!
//! `symex::follow` runs the program along one path. Here are the questions about a path's condition (`query`), a run that follows given
//! inputs (`follow`), and the children of such a run (`expand`, SAGE's ExpandExecution). The engine `explore` forks on the
//! solver's word; a fuzzer follows the inputs of runs and negates one decision at a time.
//!
//! Absent: verdicts and native runs.

mod bytes;
mod expand;
mod follow;
mod query;
mod steer;
mod words;

pub use expand::{Child, ExpandLimits, Expansion};
pub use follow::Followed;
pub(crate) use query::{Answer, Condition, Model, Queries};
pub(crate) use words::{Names, Words};

use crate::Refused;
use crate::config::CheckConfig;
use blitz_base::Budget;
use blitz_interp::InputValue;
use blitz_ir::loops::LoopId;
use blitz_ir::{FuncId, Program, PropertyId};
use blitz_symex::Bounds;
use blitz_symex::follow::{PathRun, PathStore};
use blitz_term::{Term, Terms};
use std::collections::HashSet;

/// Activations of one function on the stack of a path at once, where the user gives no bound: each takes some kilobytes of our own stack.
pub(crate) const MAX_ACTIVATIONS: u32 = 4_000;
/// Steps after which a path counts as one that does not end.
pub(crate) const MAX_PATH_STEPS: u64 = 1 << 20;

/// A program whose runs are followed symbolically, one after the other; what they have in common is computed once.
pub struct PathSession<'p> {
    program: &'p Program,
    config: CheckConfig,
    entry: FuncId,
    terms: Terms,
    store: PathStore<'p>,
    queries: Queries,
    violations_asked: HashSet<Term>,
}

impl<'p> PathSession<'p> {
    /// A session for a program that begins at its entry.
    pub fn new(program: &'p Program, config: &CheckConfig) -> Result<Self, Refused> {
        Ok(Self {
            program,
            config: config.clone(),
            entry: crate::start(program)?,
            terms: Terms::new(),
            store: PathStore::default(),
            queries: Queries::new(config)?,
            violations_asked: HashSet::new(),
        })
    }

    /// The terms of all paths so far.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Questions so far, and how many of them the solver was asked.
    pub fn asked(&self) -> (u64, u64) {
        (self.queries.counts.asked, self.queries.counts.solved)
    }

    /// Follows the run on these inputs (in the order in which a run takes them; zeros once they run out) and keeps its path condition. Must be
    /// called on a thread with a large stack (`with_stack`).
    pub fn follow(&mut self, inputs: &[InputValue], budget: &Budget) -> Followed {
        let bounds = PathBounds::default();
        let config = symex_config(&self.config, &bounds, Some(self.config.max_steps.unwrap_or(MAX_PATH_STEPS)));
        let (terms, store) = (&mut self.terms, &mut self.store);
        let run = PathRun { program: self.program, terms, config: &config, budget, store };
        follow::follow(run, self.entry, inputs)
    }

    /// SAGE's ExpandExecution: for each decision from `from` on, inputs that keep the decisions before it and take another way
    /// there, made from the run's own inputs.
    pub fn expand(&mut self, run: &Followed, from: usize, budget: &Budget) -> Expansion {
        self.expand_within(run, from, ExpandLimits::NONE, budget)
    }

    /// The same within limits; `Expansion::next` says where it stopped.
    pub fn expand_within(&mut self, run: &Followed, from: usize, limits: ExpandLimits, budget: &Budget) -> Expansion {
        expand::expand(&mut self.terms, &mut self.queries, run, from, limits, budget)
    }

    /// Inputs that go the way of a run up to one of its checks, and violate it: one for each property. What was asked once is not asked again.
    pub fn violate(&mut self, run: &Followed, budget: &Budget) -> Vec<(PropertyId, Vec<InputValue>)> {
        expand::violate(&mut self.terms, &mut self.queries, run, &mut self.violations_asked, budget)
    }
}

/// Runs something on a thread whose stack is large enough for path runs.
pub fn with_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("paths".into()).stack_size(crate::STACK);
        match thread.spawn_scoped(scope, work).expect("a thread for paths should start").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// What the symbolic executor is configured with for a path.
pub(crate) fn symex_config<'a>(
    config: &'a CheckConfig,
    bounds: &'a dyn Bounds,
    max_steps: Option<u64>,
) -> blitz_symex::Config<'a> {
    blitz_symex::Config { max_steps, ..config.symbolic(bounds, u32::MAX) }
}

/// Loops as often as they run, calls as deep as the stack allows; or less, as the user says.
#[derive(Default)]
pub(crate) struct PathBounds {
    pub unwind: Option<crate::bounds::Unwind>,
}

impl Bounds for PathBounds {
    fn loop_bound(&self, func: FuncId, l: LoopId) -> u32 {
        self.unwind.as_ref().map_or(u32::MAX, |u| u.loop_bound(func, l))
    }

    fn recursion_bound(&self, func: FuncId) -> u32 {
        self.unwind.as_ref().map_or(u32::MAX, |u| u.recursion_bound(func)).min(MAX_ACTIVATIONS)
    }

    fn counts_ways_back(&self) -> bool {
        self.unwind.as_ref().is_some_and(|u| u.counts_ways_back())
    }
}
