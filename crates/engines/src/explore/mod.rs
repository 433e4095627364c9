//! Path by path (King's symbolic execution, KLEE): the execution tree of the program, one path at a time.
//!
//! A path run (`symex::follow`) goes to the end of a path. At each fork the solver says which ways are possible; one is followed, the others wait with a
//! snapshot of the state before the fork and a model (`tree`, `walk`). A searcher says which of them is next (`search`); it goes on from its snapshot. Where there are
//! too many snapshots the oldest are dropped (`kept`): what waits there is run again from the start, without questions as far as its decisions go.
//! Checks along a path are claims under its condition.
//!
//! Soundness: a violation is the run that showed it, as everywhere. `safe` needs the whole tree: nothing waits, no path was given up, no
//! gap and no bound is reached, and no question was left open. A path that comes back to the head of a loop unchanged ends, because what it could do from there
//! the iteration before could do with other inputs.
//!
//! With `--merge` the ways of a fork that meet again soon are one path (`symex::follow`): the path's condition is that of all of them.
//!
//! Absent: merging at loops and calls (bmc does that).

mod distance;
mod kept;
mod leaves;
mod ranking;
mod search;
mod settle;
mod tree;
mod walk;

pub use leaves::{Ending, Exploration, PathReport, TreeNode};
pub use search::Searcher;

use crate::Refused;
use crate::answer::{self, Findings};
use crate::bounds::{self, Unwind};
use crate::config::CheckConfig;
use crate::coverage::{Coverage, Seen};
use crate::paths::{Answer, MAX_PATH_STEPS, Model, PathBounds, Queries, symex_config};
use crate::progress::{Observer, PathProgress, Progress};
use crate::reason::{Limit, Reason};
use crate::tuning::{EXPLORE_FORGOTTEN_ANSWERS, EXPLORE_KEPT_SNAPSHOTS, EXPLORE_PATHS_PER_REPORT};
use crate::verdict::{Report, Stats, Status, Verdict};
use blitz_base::budget::resident_bytes;
use blitz_base::span::Loc;
use blitz_base::{Budget, Stop};
use blitz_ir::{Block, FuncId, Program, PropertyId, Unsupported};
use blitz_solver::Solver;
use blitz_symex::follow::{Path, PathRun, PathStore};
use blitz_symex::{Cut, CutKind};
use blitz_term::{Evaluator, Term, Terms};
use distance::Map;
pub use distance::Spot;
use kept::Kept;
use leaves::Leaves;
use search::Frontier;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use tree::{NodeId, Tree};
use walk::{Walk, Walked};

const ENGINE: &str = "explore";

/// What `blitz explore` adds to a check.
#[derive(Clone, Debug)]
pub struct ExploreOptions {
    pub searcher: Searcher,
    pub seed: u64,
    /// Forks after which no further ways are kept.
    pub max_forks: Option<u64>,
    /// Paths after which the search ends.
    pub max_paths: Option<u64>,
    /// Allocations and library calls that fail on one path, at most.
    pub max_fail: Option<u32>,
    /// Conflicts that a question to the solver is worth; what lies behind a harder one is left out.
    pub max_conflicts: Option<u32>,
    /// Blocks that are looked for first.
    pub targets: Vec<Spot>,
    /// States of waiting ways that are kept; a way without one is run again from the start.
    pub snapshots: usize,
    /// The ways of a fork are followed together where they meet again soon.
    pub merges: bool,
    /// Paths are kept, with a test for each (`Report::exploration`).
    pub keeps_paths: bool,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self {
            searcher: Searcher::Mixed,
            seed: 1,
            max_forks: None,
            max_paths: None,
            max_fail: None,
            max_conflicts: None,
            targets: Vec::new(),
            snapshots: EXPLORE_KEPT_SNAPSHOTS,
            merges: false,
            keeps_paths: false,
        }
    }
}

/// The exploration of one program.
struct Explorer<'a> {
    program: &'a Program,
    config: &'a CheckConfig,
    budget: &'a Budget,
    /// The same, for one question.
    asking: Budget,
    observer: Observer<'a>,
    entry: FuncId,
    bounds: PathBounds,
    terms: Terms,
    store: PathStore<'a>,
    queries: Queries,
    /// Is asked about whole paths, where a claim can come true.
    whole: Box<dyn Solver>,
    /// What those before it did.
    before: Stats,
    tree: Tree,
    frontier: Frontier<'a>,
    found: Findings,
    /// Claims that were asked about, with the paths they belong to in their terms.
    asked: HashSet<Term>,
    /// Conditions of gaps and cuts that were asked about.
    refuted: HashSet<Term>,
    reached: BTreeSet<PropertyId>,
    /// Checks whose condition of being reached no model at hand satisfies, of properties not reached otherwise.
    maybe_reached: BTreeMap<PropertyId, BTreeSet<Term>>,
    cuts: BTreeMap<(FuncId, CutKind), Cut>,
    gaps: Vec<(Unsupported, Loc)>,
    bodiless: Vec<FuncId>,
    leaves: Option<Leaves<'a>>,
    counts: Counts,
}

#[derive(Default)]
struct Counts {
    paths: u64,
    forks: u64,
    /// Ways that were left out because the question for them was too hard.
    hard: u64,
    steps: u64,
    claims: usize,
    /// Paths whose snapshot was dropped.
    again: u64,
    /// Forks whose ways were followed together.
    merged: u64,
    /// How often answers and solvers made way for the rest.
    forgotten: u64,
}

pub(crate) fn check(
    program: &Program,
    config: &CheckConfig,
    budget: &Budget,
    observer: Observer<'_>,
) -> Result<Report, Refused> {
    let mut explorer = Explorer::new(program, config, budget, observer)?;
    explorer.explore();
    Ok(explorer.report())
}

impl<'a> Explorer<'a> {
    fn new(
        program: &'a Program,
        config: &'a CheckConfig,
        budget: &'a Budget,
        observer: Observer<'a>,
    ) -> Result<Self, Refused> {
        let bounds = PathBounds { unwind: Some(Unwind::new(program, config, config.unwind.unwrap_or(u32::MAX))?) };
        let entry = crate::start(program)?;
        let mut tree = Tree::new();
        let root = tree.root_item();
        let map = Map::new(program, entry);
        Ok(Self {
            program,
            config,
            budget,
            asking: config.explore.max_conflicts.map_or_else(|| budget.clone(), |most| budget.with_effort(most)),
            observer,
            entry,
            bounds,
            terms: Terms::new(),
            store: PathStore::default(),
            queries: Queries::new(config)?,
            whole: answer::solver(config)?,
            before: Stats::default(),
            tree,
            frontier: Frontier::new(&config.explore, map, root),
            found: Findings::default(),
            asked: HashSet::new(),
            refuted: HashSet::new(),
            reached: BTreeSet::new(),
            maybe_reached: BTreeMap::new(),
            cuts: BTreeMap::new(),
            gaps: Vec::new(),
            bodiless: Vec::new(),
            leaves: config.explore.keeps_paths.then(|| Leaves::new(program)),
            counts: Counts::default(),
        })
    }

    fn explore(&mut self) {
        while let Some(item) = self.frontier.next(&mut self.tree) {
            if self.is_over() {
                return;
            }
            let left = self.config.max_steps.map(|most| most.saturating_sub(self.counts.steps));
            let steps = left.unwrap_or(MAX_PATH_STEPS).min(MAX_PATH_STEPS);
            let config = symex_config(self.config, &self.bounds, Some(steps));
            let options = &self.config.explore;
            let from = item.from.clone();
            let mut walk =
                Walk::new(&mut self.queries, &mut self.tree, &mut self.frontier, item, options, &self.asking);
            walk.forks = self.counts.forks;
            let (program, budget) = (self.program, self.budget);
            let (terms, store) = (&mut self.terms, &mut self.store);
            let run = PathRun { program, terms, config: &config, budget, store };
            let path = match &from {
                Some(kept) => run.from_snapshot(&kept.snapshot, &mut walk),
                None => run.from_start(self.entry, &mut walk),
            };
            let walked = walk.finish(&mut self.terms, &path);
            self.counts.again += u64::from(from.is_none() && self.counts.paths > 0);
            self.counts.forks = walked.forks;
            self.counts.hard += walked.hard;
            self.take(path, walked, steps);
            let reports = self.counts.paths.is_multiple_of(EXPLORE_PATHS_PER_REPORT);
            let short = self.frontier.limit_snapshots(self.config.explore.snapshots, self.budget, reports);
            if short && self.queries.kept() >= EXPLORE_FORGOTTEN_ANSWERS {
                self.forget();
            }
            if reports {
                self.tell();
            }
            if self.found.undecided.is_some() && self.budget.expired().is_some() {
                return;
            }
        }
    }

    /// Memory runs short: what can be asked again makes way.
    fn forget(&mut self) {
        self.queries.forget();
        if let Ok(fresh) = answer::solver(self.config) {
            self.before.add_solver(&self.whole.stats());
            self.whole = fresh;
        }
        self.counts.forgotten += 1;
    }

    /// Whether the search ends here; says why, unless it is by the user's wish.
    fn is_over(&mut self) -> bool {
        if self.config.is_enough(self.program, &self.found.violations) {
            return true;
        }
        let limit = self.config.explore.max_paths.filter(|most| self.counts.paths >= *most);
        let why = match (self.budget.expired(), limit) {
            (Some(stop), _) => stop.into(),
            (None, Some(most)) => Reason::Limit(Limit::Paths(most)),
            (None, None) if self.config.max_steps.is_some_and(|most| self.counts.steps >= most) => Stop::Effort.into(),
            (None, None) => return false,
        };
        self.found.undecided.get_or_insert(why);
        true
    }

    /// What a path came to.
    fn take(&mut self, mut path: Path, mut walked: Walked, allowed: u64) {
        self.counts.paths += 1;
        self.counts.merged += path.joined;
        let others = self.look_aside(&mut path, &walked);
        self.counts.steps += path.execution.steps - path.steps_before;
        self.counts.claims += path.execution.claims.len();
        self.frontier.cover(&path.covered);
        for f in &path.execution.bodiless {
            if !self.bodiless.contains(f) {
                self.bodiless.push(*f);
            }
        }
        if let Some(why) = &walked.undecided {
            self.found.undecided.get_or_insert(why.clone());
        }
        match path.execution.stopped {
            None => {}
            Some(Stop::Effort) if self.config.max_steps.is_none_or(|most| self.counts.steps < most) => {
                let why = Reason::Limit(Limit::PathSteps(allowed));
                self.found.undecided.get_or_insert(why);
            }
            Some(stop) => drop(self.found.undecided.get_or_insert(stop.into())),
        }
        self.settle(&path, &walked);
        self.keep(&path, &walked);
        for (spots, model) in others {
            path.covered = spots;
            walked.model = Some(model);
            self.keep(&path, &walked);
        }
    }

    /// Where ways were followed together, the path's own test takes one of them: that one is covered. Of the others those that no path before went
    /// through get inputs of their own: the blocks they go through, and a model.
    fn look_aside(&mut self, path: &mut Path, walked: &Walked) -> Vec<(BTreeSet<Spot>, Model)> {
        let aside = std::mem::take(&mut path.aside);
        let (Some(model), false) = (&walked.model, aside.is_empty()) else { return Vec::new() };
        let whole = path.covered.clone();
        let through = |terms: &Terms, model: &Model| {
            let mut eval = Evaluator::new(model);
            let on: Vec<Spot> = aside.iter().filter(|(_, guard)| eval.holds(terms, *guard)).map(|(s, _)| *s).collect();
            whole.iter().copied().chain(on).collect::<BTreeSet<Spot>>()
        };
        path.covered = through(&self.terms, model);
        let (mut seen, mut out) = (path.covered.clone(), Vec::new());
        for &(spot, guard) in &aside {
            if seen.contains(&spot) || self.frontier.is_covered(spot) {
                continue;
            }
            let answer = self.queries.extends(&mut self.terms, &walked.condition, model, &[guard], &self.asking);
            if let Answer::Sat(other) = answer {
                let spots = through(&self.terms, &other);
                seen.extend(&spots);
                self.frontier.cover(&spots);
                out.push((spots, other));
            }
        }
        out
    }

    fn tell(&self) {
        let wanted = answer::properties(self.program, self.config, &self.found);
        let open = wanted.iter().filter(|p| !self.found.violated.contains(p)).map(|p| (*p, 0)).collect();
        let (covered, blocks) = self.frontier.coverage();
        (self.observer)(&Progress {
            engine: ENGINE,
            step: self.counts.paths.min(u64::from(u32::MAX)) as u32,
            properties: wanted.len(),
            violated: self.found.violations.len(),
            open,
            loops: Vec::new(),
            memory: resident_bytes(),
            terms: self.terms.len(),
            clauses: 0,
            queries: self.queries.counts.solved,
            at: None,
            paths: Some(PathProgress { paths: self.counts.paths, waiting: self.frontier.len(), covered, blocks }),
        });
    }

    fn report(mut self) -> Report {
        let stopped = self.config.is_enough(self.program, &self.found.violations);
        let complete = self.found.undecided.is_none() && !stopped && self.cuts.is_empty() && self.gaps.is_empty();
        let all_reached = complete && self.settle_reached();
        let properties = answer::properties(self.program, self.config, &self.found);
        let cuts: Vec<Cut> = self.cuts.values().cloned().collect();
        let bound = self.config.unwind.or(cuts.iter().map(|c| c.bound).min()).unwrap_or(0);
        let gap = self.gaps.first().map(|(what, _)| what.clone());
        let undecided = self.found.undecided.clone();
        let results = answer::results(&properties, ENGINE, |p| {
            if self.found.violated.contains(&p) {
                return Status::Violated;
            }
            if let Some(why) = self.found.open_question(p).or_else(|| undecided.clone()) {
                return Status::Unknown(why);
            }
            if stopped {
                return Status::Unknown(Reason::NotLookedAt);
            }
            if let Some(what) = &gap {
                return Status::Unknown(Reason::Unsupported(what.clone()));
            }
            if !cuts.is_empty() {
                return Status::HoldsUpTo(bound);
            }
            if all_reached && !self.reached.contains(&p) { Status::Unreachable } else { Status::Proved }
        });
        let unknown = results.iter().any(|r| matches!(r.status, Status::Unknown(_)));
        let verdict = if !self.found.violations.is_empty() {
            Verdict::Violation
        } else if unknown || undecided.is_some() || gap.is_some() {
            Verdict::Unknown
        } else if cuts.is_empty() {
            Verdict::Safe
        } else {
            Verdict::Bounded
        };
        let stats = self.stats();
        let exploration = self.exploration(self.found.undecided.is_none() && !stopped);
        Report {
            verdict,
            properties: results,
            bounds: bounds::reached(self.program, &cuts),
            runs: Vec::new(),
            notes: self.notes(),
            bodiless: self.bodiless.iter().map(|f| self.program.decl(*f).name.clone()).collect(),
            coverage: covered(exploration.as_deref()),
            exploration,
            gaps: self.gaps,
            violations: self.found.violations,
            unconfirmed: self.found.unconfirmed,
            stats,
        }
    }

    /// What the user's limits leave out, and what the search did to stay within them.
    fn notes(&self) -> Vec<String> {
        let fail = self.config.explore.max_fail;
        let fail =
            fail.map(|n| format!("assumed: at most {n} allocations and library calls fail on a path (--max-fail)"));
        let (dropped, again) = (self.frontier.dropped(), self.counts.again);
        let drops = (dropped > 0).then(|| {
            format!("to save memory the states of {dropped} ways were dropped, the oldest first; {again} were run again from the start")
        });
        let hard = (self.counts.hard > 0).then(|| {
            let ways = self.counts.hard;
            format!(
                "{ways} ways were left out, because whether they are possible takes more than --max-conflicts allows"
            )
        });
        let merged = (self.counts.merged > 0)
            .then(|| format!("{} forks were followed together to where their ways meet (--merge)", self.counts.merged));
        let forgotten = self.counts.forgotten;
        let forgot = (forgotten > 0).then(|| {
            let times = if forgotten == 1 { "once".to_owned() } else { format!("{forgotten} times") };
            format!(
                "to save memory what had been asked was forgotten {times}: the same questions went to the solver again"
            )
        });
        fail.into_iter().chain(merged).chain(forgot).chain(drops).chain(hard).collect()
    }

    fn stats(&self) -> Stats {
        let mut stats = Stats {
            terms: self.terms.len(),
            claims: self.counts.claims,
            steps: self.counts.steps,
            rounds: self.counts.paths.min(u64::from(u32::MAX)) as u32,
            total_time: self.budget.elapsed(),
            stopped: self.found.undecided.clone(),
            ..Stats::default()
        };
        self.queries.add_stats(&mut stats);
        stats.add(&self.before);
        stats.add_solver(&self.whole.stats());
        stats
    }
}

/// What paths went through was reached: each has a model.
fn covered(exploration: Option<&Exploration>) -> Coverage {
    let blocks = exploration.into_iter().flat_map(|e| e.covered.keys());
    Coverage { blocks: blocks.map(|b| (*b, Seen::Reached)).collect(), ..Coverage::default() }
}

/// A way that waits to be followed.
pub(crate) struct Item<'p> {
    pub node: NodeId,
    /// The decisions that lead there, the last first (`Tree::trail`).
    pub trail: u32,
    pub depth: u32,
    /// Values that lead there.
    pub model: crate::paths::Model,
    /// Where it goes on, and the activations around, the innermost last.
    pub target: (FuncId, Block),
    pub stack: Vec<(FuncId, Block)>,
    /// What it goes on from; the start of the program if there is nothing.
    pub from: Option<Rc<Kept<'p>>>,
}
