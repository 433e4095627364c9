//! Path runs: the program along one path.
//!
//! One state goes from instruction to instruction (`drive`): nothing waits for anything and nothing is joined, so the
//! walk of merging policies is not needed. Wherever control may go several ways a `Chooser` names the one that is
//! followed, and what was decided is appended to the path's list of decisions. King, "Symbolic Execution and Program
//! Testing" (CACM 1976), section 3. The state before a fork can be kept (`snapshot`): another run goes on from there
//! with another choice.
//!
//! What is a fork: branches and switches (cases with the same target are one alternative), indirect jumps, calls
//! through a pointer to several functions, jumps to several `setjmp`s. What stays a term: choices between values,
//! choices between pointers, sizes of allocations, whether an allocation fails (the library model branches on it). A
//! way that the conditions so far decide by themselves is no fork. Where a chooser wants it, ways that soon meet again are
//! followed together, and the fork is between the places where they have met (`together`).
//!
//! Invariants: the same choices give the same terms, object numbers and variables, whichever run makes them
//! (`PathStore`), from the start or from a snapshot; the guard of the path is the conjunction of its decisions, of what
//! is assumed and of the checks passed. Two paths that part at a fork have disjoint guards.
//!
//! Absent: solvers. A chooser asks whom it likes.

mod drive;
mod snapshot;
mod together;

use crate::fork::{ForkKind, Place};
use crate::guard::Guard;
use crate::ids::ObjectNo;
use crate::info::FuncInfo;
use crate::machine::{CallMade, Config, Frame, Machine};
use crate::memory::Space;
use crate::names::Names;
use crate::outcome::{Execution, Input};
use crate::policy::Policy;
use crate::state::State;
use crate::walk::Executor;
use blitz_base::Budget;
use blitz_base::span::Loc;
use blitz_ir::{Block, CheckKind, FuncId, Program};
use blitz_term::{Term, Terms};
use imbl::{OrdSet, Vector};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

pub use crate::outcome::PathEnd;
pub use snapshot::Snapshot;

/// Says which way a path goes.
pub trait Chooser<'p> {
    /// The alternative to follow, one of `fork.open`; `None` ends the path.
    fn choose(&mut self, terms: &mut Terms, fork: &Fork<'_>) -> Option<usize>;

    /// The path has taken an input, the `position`-th.
    fn took_input(&mut self, terms: &Terms, position: usize, input: &Input);

    /// Whether a path ends that comes back to the head of a loop with nothing changed: whatever it could do from there,
    /// the iteration before could do with other inputs.
    fn ends_repeated(&self) -> bool;

    /// Instructions behind a fork with these conditions, at most, that are run together where its ways meet again; none,
    /// if each way is a path of its own.
    fn together_within(&self, _conditions: &[Term]) -> Option<usize> {
        None
    }

    /// Whether the state before the fork that was just decided is kept.
    fn wants_snapshot(&self) -> bool {
        false
    }

    /// The state before the fork that was just decided. A run that goes on from it is asked there again.
    fn keep(&mut self, _snapshot: Snapshot<'p>) {}
}

/// A place where control may go several ways.
pub struct Fork<'a> {
    pub place: Place,
    pub loc: Loc,
    /// The condition of the path so far.
    pub guard: &'a Guard,
    /// The conditions of all alternatives, by number; constant false for those that are ruled out already.
    pub alternatives: &'a [Term],
    /// The alternatives that are not ruled out by the shape of their condition, and where they lead; at least two.
    pub open: &'a [usize],
    pub targets: &'a [(FuncId, Block)],
    /// How many decisions there were before this one.
    pub decisions: usize,
    /// The functions that are active and where they stand, the innermost last.
    pub stack: &'a [(FuncId, Block)],
    pub inputs: &'a [Input],
}

/// A fork and the way that was taken there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    pub place: Place,
    pub loc: Loc,
    pub taken: usize,
    /// The condition of the alternative that was taken.
    pub condition: Term,
    /// Conjuncts of the guard before it.
    pub depth: u32,
}

/// One path of the program. A run that went on from a snapshot found its claims, gaps, cuts and reached checks behind
/// it; all else is of the whole path.
pub struct Path {
    pub execution: Execution,
    pub decisions: Vec<Decision>,
    pub end: PathEnd,
    /// Where it ended.
    pub loc: Loc,
    /// Its condition as far as it got; up to its last fork if it was stopped.
    pub guard: Guard,
    /// What the user's outermost function returned.
    pub result: Option<(FuncId, Vec<Term>)>,
    /// Blocks of the user's functions that it went through.
    pub covered: BTreeSet<(FuncId, Block)>,
    /// Blocks that only a part of its inputs goes through, with the condition: ways that were followed together.
    pub aside: Vec<((FuncId, Block), Term)>,
    /// Forks whose ways were followed together, behind the snapshot.
    pub joined: u64,
    /// Steps that another run had made before the snapshot; `execution.steps` counts them as well.
    pub steps_before: u64,
}

/// What the path runs of one program share.
#[derive(Default)]
pub struct PathStore<'p> {
    infos: HashMap<FuncId, Rc<FuncInfo>>,
    /// What is known of the objects there are from the start.
    space: Option<Space<'p>>,
}

/// What a path run is given.
pub struct PathRun<'p, 'a, 's> {
    pub program: &'p Program,
    pub terms: &'a mut Terms,
    pub config: &'a Config<'a>,
    pub budget: &'a Budget,
    pub store: &'s mut PathStore<'p>,
}

impl<'p, 'a> PathRun<'p, 'a, '_> {
    /// Runs a function along one path.
    pub fn from_start(self, entry: FuncId, chooser: &'a mut dyn Chooser<'p>) -> Path {
        let names = Names::by_position(ObjectNo::of(self.program.first_free_object()));
        let store = self.store;
        let run = Follow::new(chooser);
        let mut executor = executor(self.program, self.terms, self.config, self.budget, names, store, run);
        executor.m.space.begin_anew();
        if let Some(state) = executor.enter(entry, Vec::new(), State::start(), CallMade::BY_NOBODY) {
            executor.drive(state);
        }
        finish(executor, store, 0)
    }

    /// Goes on from a snapshot; the chooser is asked once more what it was asked there.
    pub fn from_snapshot(self, snapshot: &Snapshot<'p>, chooser: &'a mut dyn Chooser<'p>) -> Path {
        let store = self.store;
        let (names, run) = (snapshot.names(), Follow::new(chooser));
        let mut executor = executor(self.program, self.terms, self.config, self.budget, names, store, run);
        let state = executor.restore(snapshot);
        executor.drive(state);
        finish(executor, store, snapshot.steps())
    }
}

fn executor<'p, 'a>(
    program: &'p Program,
    terms: &'a mut Terms,
    config: &'a Config<'a>,
    budget: &'a Budget,
    names: Names,
    store: &mut PathStore<'p>,
    run: Follow<'p, 'a>,
) -> Executor<'p, 'a, Follow<'p, 'a>> {
    let fresh = || Space::new(program, config.checks.has(CheckKind::Uninitialised));
    let space = store.space.take().unwrap_or_else(fresh);
    let mut m = Machine::new(program, terms, config, budget, space, names);
    m.share_infos(std::mem::take(&mut store.infos));
    Executor { m, policy: run }
}

fn finish<'p>(mut executor: Executor<'p, '_, Follow<'p, '_>>, store: &mut PathStore<'p>, steps_before: u64) -> Path {
    executor.m.claim_leaks();
    let Executor { mut m, policy: run } = executor;
    store.infos = m.take_infos();
    store.space = Some(m.space);
    let stopped = m.out.stopped.is_some();
    let unsaid = if stopped { PathEnd::Stopped } else { PathEnd::Gap };
    let (end, loc) = run.end.filter(|_| !stopped).unwrap_or((unsaid, Loc::UNKNOWN));
    Path {
        execution: m.out,
        decisions: run.decisions.into_iter().collect(),
        end,
        loc,
        guard: run.guard,
        result: run.result,
        covered: run.covered.into_iter().collect(),
        aside: run.aside.into_iter().collect(),
        joined: run.joined,
        steps_before,
    }
}

/// One way is followed, the one that somebody chooses.
struct Follow<'p, 'a> {
    chooser: &'a mut dyn Chooser<'p>,
    decisions: Vector<Decision>,
    end: Option<(PathEnd, Loc)>,
    guard: Guard,
    result: Option<(FuncId, Vec<Term>)>,
    covered: OrdSet<(FuncId, Block)>,
    aside: Vector<((FuncId, Block), Term)>,
    joined: u64,
    /// The activations that called, the outermost first, as they stand in the last snapshot and still do.
    images: Vec<Rc<Frame<'p>>>,
    /// The inputs of the last snapshot.
    inputs: Rc<[Input]>,
}

impl<'p, 'a> Follow<'p, 'a> {
    fn new(chooser: &'a mut dyn Chooser<'p>) -> Self {
        Self {
            chooser,
            decisions: Vector::new(),
            end: None,
            guard: Guard::truth(),
            result: None,
            covered: OrdSet::new(),
            aside: Vector::new(),
            joined: 0,
            images: Vec::new(),
            inputs: Rc::from([]),
        }
    }

    /// The path ends here; what is said first counts.
    fn ends(&mut self, guard: &Guard, end: PathEnd, loc: Loc) {
        if self.end.is_none() {
            self.end = Some((end, loc));
            self.guard = guard.clone();
        }
    }
}

impl<'p, 'a> Policy<'p, 'a> for Follow<'p, 'a> {
    fn returns(x: &mut Executor<'p, 'a, Self>, values: &[Term]) {
        let users = |f: &Frame<'_>| !x.m.program.decl(f.func).model;
        let frame = x.m.frame();
        if users(frame) && x.m.frames.iter().filter(|f| users(f)).count() == 1 {
            x.policy.result = Some((frame.func, values.to_vec()));
        }
    }

    fn jump(
        x: &mut Executor<'p, 'a, Self>,
        state: &State,
        targets: &[(Term, FuncId, Block)],
        loc: Loc,
    ) -> Option<Vec<usize>> {
        if targets.len() < 2 {
            return Some((0..targets.len()).collect());
        }
        let frame = x.m.frame();
        let place = Place { func: frame.func, block: frame.at.0, kind: ForkKind::LongJump };
        let conditions: Vec<Term> = targets.iter().map(|t| t.0).collect();
        let points: Vec<(FuncId, Block)> = targets.iter().map(|t| (t.1, t.2)).collect();
        x.choose(state, place, &conditions, &points, loc).map(|taken| vec![taken])
    }

    fn path_ends(x: &mut Executor<'p, 'a, Self>, guard: &Guard, end: PathEnd, loc: Loc) {
        x.policy.ends(guard, end, loc);
    }

    fn takes_input(x: &mut Executor<'p, 'a, Self>, position: usize) {
        x.policy.chooser.took_input(x.m.terms, position, &x.m.out.inputs[position]);
    }
}
