//! Path runs: the program along one path.
//!
//! The executor merges where paths join; with one live state nothing is ever merged. So a path run is an execution in which, wherever
//! control may go several ways, a `Chooser` names the one that is followed. The others are pruned there, and what was decided is
//! appended to the path's list of decisions. King, "Symbolic Execution and Program Testing" (CACM 1976), section 3.
//!
//! What is a fork: branches and switches (cases with the same target are one alternative), indirect jumps, calls through a pointer to several
//! functions, jumps to several `setjmp`s. What stays a term: choices between values, choices between pointers, sizes of allocations, whether an
//! allocation fails (the library model branches on it). A way that the conditions so far decide by themselves is no fork.
//!
//! Invariants: the same choices give the same terms, object numbers and variables, whichever run makes them (`PathStore`), so that
//! paths share what they share; the guard of the path is the conjunction of its decisions, of what is assumed and of the checks passed.
//! Two paths that part at a fork have disjoint guards.
//!
//! Absent: solvers. A chooser asks whom it likes.

use crate::exec::{Executor, Frame};
use crate::guard::Guard;
use crate::info::FuncInfo;
use crate::outcome::{Execution, Input};
use crate::state::State;
use crate::{Config, CutKind};
use blitz_base::Budget;
use blitz_base::span::Loc;
use blitz_ir::{Block, FuncId, Program, Terminator, Value};
use blitz_term::{Sort, Term, Terms};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// Says which way a path goes.
pub trait Chooser {
    /// The alternative to follow, one of `fork.open`; `None` ends the path.
    fn choose(&mut self, terms: &mut Terms, fork: &Fork<'_>) -> Option<usize>;

    /// The path has taken an input, the `position`-th.
    fn took_input(&mut self, terms: &Terms, position: usize, input: &Input);

    /// Whether a path ends that comes back to the head of a loop with nothing changed: whatever it could do from there, the
    /// visit before could do with other inputs.
    fn ends_repeated(&self) -> bool;
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
    /// Decisions before this one.
    pub decisions: &'a [Decision],
    /// The functions that are active and where they stand, the innermost last.
    pub stack: &'a [(FuncId, Block)],
    pub inputs: &'a [Input],
}

/// Which fork of the program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub func: FuncId,
    pub block: Block,
    pub kind: ForkKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ForkKind {
    /// Alternative 0 is the branch's first target.
    Branch,
    /// Numbered by the first case with the target; the default last.
    Switch,
    IndirectJump,
    /// A call through a pointer, with the call's place in its block.
    Call(u32),
    LongJump,
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

/// How a path ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// The program ended with this status, by `exit` or by coming back from `main`.
    Exit(Term),
    /// It ended abnormally (`abort`).
    Halt(Term),
    /// A check fails whatever the inputs of this path are, or nothing satisfies what is assumed here.
    Blocked,
    /// Something is not supported (an entry of `Execution::gaps`).
    Gap,
    /// A bound was reached (an entry of `Execution::cuts`).
    Cut(CutKind),
    /// Back at the head of a loop with nothing changed.
    Repeated,
    /// The chooser ended it.
    Pruned,
    /// The budget or the limit of steps did (`Execution::stopped`).
    Stopped,
}

/// One path of the program.
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
}

/// What the path runs of one program share.
#[derive(Default)]
pub struct PathStore {
    infos: HashMap<FuncId, Rc<FuncInfo>>,
}

/// Runs a function along one path.
pub fn run_path(
    program: &Program,
    terms: &mut Terms,
    config: &Config<'_>,
    budget: &Budget,
    store: &mut PathStore,
    entry: FuncId,
    chooser: &mut dyn Chooser,
) -> Path {
    let mut executor = Executor::new(program, terms, config, budget);
    executor.infos = std::mem::take(&mut store.infos);
    executor.path = Some(PathRun {
        chooser,
        decisions: Vec::new(),
        end: None,
        guard: Guard::truth(),
        result: None,
        covered: BTreeSet::new(),
        made: 0,
    });
    let returned = executor.run(entry, Vec::new(), State::start());
    if let Some(arrival) = returned {
        let status = arrival.args.first().copied().unwrap_or_else(|| executor.terms.bv(32, 0));
        executor.end_path(&arrival.state.guard, PathEnd::Exit(status), Loc::UNKNOWN);
    }
    executor.claim_leaks();
    store.infos = std::mem::take(&mut executor.infos);
    let run = executor.path.take().expect("a path should be run");
    let stopped = executor.out.stopped.is_some();
    let unsaid = if stopped { PathEnd::Stopped } else { PathEnd::Gap };
    let (end, loc) = run.end.filter(|_| !stopped).unwrap_or((unsaid, Loc::UNKNOWN));
    Path {
        execution: executor.out,
        decisions: run.decisions,
        end,
        loc,
        guard: run.guard,
        result: run.result,
        covered: run.covered,
    }
}

/// A way out of a block: its condition, where it leads, and the arguments there.
pub(crate) type Way<'p> = (Term, Block, &'p [Value]);

/// The path that is being run.
pub(crate) struct PathRun<'a> {
    chooser: &'a mut dyn Chooser,
    decisions: Vec<Decision>,
    end: Option<(PathEnd, Loc)>,
    guard: Guard,
    result: Option<(FuncId, Vec<Term>)>,
    covered: BTreeSet<(FuncId, Block)>,
    /// Variables made so far that are no inputs.
    made: u32,
}

impl<'p> Executor<'p, '_> {
    /// Control goes to one of several blocks, each under its condition.
    pub(crate) fn go_one_of(&mut self, from: Block, state: &State, kind: ForkKind, ways: Vec<Way<'p>>, loc: Loc) {
        let taken = match self.path.is_some() {
            false => None,
            true => {
                let ways = self.same_targets_once(&ways);
                let conditions: Vec<Term> = ways.iter().map(|w| w.0).collect();
                let func = self.frame().func;
                let targets: Vec<(FuncId, Block)> = ways.iter().map(|w| (func, w.1)).collect();
                let place = Place { func, block: from, kind };
                let Some(n) = self.choose(state, place, &conditions, &targets, loc) else { return };
                Some(ways[n])
            }
        };
        let ways = match taken {
            Some(way) => vec![way],
            None => ways,
        };
        for (cond, to, args) in ways {
            self.go_if(from, to, args, state, cond);
        }
    }

    /// Ways with the same target and arguments become one, at the number of the first.
    fn same_targets_once(&mut self, ways: &[Way<'p>]) -> Vec<Way<'p>> {
        let mut out: Vec<Way<'p>> = Vec::with_capacity(ways.len());
        for &(cond, to, args) in ways {
            match out.iter().position(|w| w.1 == to && w.2 == args) {
                None => out.push((cond, to, args)),
                Some(i) => {
                    out[i].0 = self.terms.or(out[i].0, cond);
                    let never = self.terms.fls();
                    out.push((never, to, args));
                }
            }
        }
        out
    }

    /// The number of the way that the path takes; `None` if it ends here.
    pub(crate) fn choose(
        &mut self,
        state: &State,
        place: Place,
        conditions: &[Term],
        targets: &[(FuncId, Block)],
        loc: Loc,
    ) -> Option<usize> {
        let facts = state.guard.facts();
        let mut alternatives = conditions.to_vec();
        for cond in &mut alternatives {
            if facts.holds(self.terms, *cond) == Some(false) || state.guard.and(self.terms, *cond).is_false(self.terms)
            {
                *cond = self.terms.fls();
            }
        }
        let open: Vec<usize> = (0..alternatives.len()).filter(|&i| !self.terms.is_false(alternatives[i])).collect();
        match open[..] {
            [] => {
                self.end_path(&state.guard, PathEnd::Blocked, loc);
                return None;
            }
            [only] => return Some(only),
            _ => {}
        }
        let stack: Vec<(FuncId, Block)> = self.frames.iter().map(|f| (f.func, f.at.0)).collect();
        let run = self.path.as_mut().expect("a path should be run");
        run.guard.clone_from(&state.guard);
        let fork = Fork {
            place,
            loc,
            guard: &state.guard,
            alternatives: &alternatives,
            open: &open,
            targets,
            decisions: &run.decisions,
            stack: &stack,
            inputs: &self.out.inputs,
        };
        let chosen = run.chooser.choose(self.terms, &fork);
        let Some(taken) = chosen else {
            self.end_path(&state.guard, PathEnd::Pruned, loc);
            return None;
        };
        assert!(open.contains(&taken), "a chooser should follow an alternative that is open");
        let depth = state.guard.depth();
        run.decisions.push(Decision { place, loc, taken, condition: alternatives[taken], depth });
        Some(taken)
    }

    /// The path ends here; what is said first counts.
    pub(crate) fn end_path(&mut self, guard: &Guard, end: PathEnd, loc: Loc) {
        self.path_ends(guard);
        if let Some(run) = &mut self.path
            && run.end.is_none()
        {
            run.end = Some((end, loc));
            run.guard = guard.clone();
        }
    }

    pub(crate) fn tell_input(&mut self) {
        if let Some(run) = &mut self.path
            && let Some(input) = self.out.inputs.last()
        {
            run.chooser.took_input(self.terms, self.out.inputs.len() - 1, input);
        }
    }

    pub(crate) fn keeps_repeated(&self) -> bool {
        self.path.as_ref().is_some_and(|run| !run.chooser.ends_repeated())
    }

    /// A block of the youngest activation begins.
    pub(crate) fn cover(&mut self, block: Block) {
        let func = self.frame().func;
        if let Some(run) = &mut self.path
            && !self.program.decl(func).model
        {
            run.covered.insert((func, block));
        }
    }

    /// The youngest activation returns these values.
    pub(crate) fn note_result(&mut self, values: &[Term]) {
        let users = |f: &Frame<'_>| !self.program.decl(f.func).model;
        if self.path.is_none() || self.frames.iter().filter(|f| users(f)).count() != 1 || !users(self.frame()) {
            return;
        }
        let func = self.frame().func;
        if let Some(run) = &mut self.path {
            run.result = Some((func, values.to_vec()));
        }
    }

    /// The variable for the next input of a path: the same in every run that takes as many inputs before.
    pub(crate) fn path_input(&mut self, name: &str, sort: Sort) -> Option<Term> {
        self.path.as_ref()?;
        let position = self.out.inputs.len();
        Some(self.terms.var(&format!("{name}@{position}{}", suffix(sort)), sort))
    }

    /// What the names of the variables that are about to be made have at their ends, on a path.
    pub(crate) fn path_mark(&mut self) -> Option<u32> {
        let run = self.path.as_mut()?;
        run.made += 1;
        Some(run.made)
    }
}

/// A variable that is no input; on a path named by its mark, elsewhere new.
pub(crate) fn made(terms: &mut Terms, mark: Option<u32>, name: &str, sort: Sort) -> Term {
    match mark {
        Some(n) => terms.var(&format!("{name}@@{n}{}", suffix(sort)), sort),
        None => terms.fresh(name, sort),
    }
}

/// Variables of different sorts have different names.
fn suffix(sort: Sort) -> String {
    match sort {
        Sort::Bv(bits) => format!(":{bits}"),
        Sort::Array { index, elem } => format!(":{index}[{elem}]"),
    }
}

/// The ways out of a block that ends in a branch, with the conditions.
pub(crate) fn ways<'p>(terms: &mut Terms, value: Term, term: &'p Terminator) -> Option<(ForkKind, Vec<Way<'p>>)> {
    match term {
        Terminator::Branch { then, other, .. } => {
            let negated = terms.not(value);
            Some((ForkKind::Branch, vec![(value, then.0, &then.1), (negated, other.0, &other.1)]))
        }
        Terminator::Switch { cases, default, .. } => {
            let mut out: Vec<Way<'p>> = Vec::with_capacity(cases.len() + 1);
            let mut none = terms.tru();
            for (c, to, args) in cases {
                let c = terms.bv_const(c.clone());
                let hit = terms.eq(value, c);
                out.push((hit, *to, args));
                let miss = terms.not(hit);
                none = terms.and(none, miss);
            }
            out.push((none, default.0, &default.1));
            Some((ForkKind::Switch, out))
        }
        Terminator::IndirectJump { targets, .. } => {
            let mut out: Vec<Way<'p>> = Vec::with_capacity(targets.len());
            for to in targets {
                let address = terms.bv(terms.width(value), u64::from(to.0) + 1);
                let hit = terms.eq(value, address);
                out.push((hit, *to, &[]));
            }
            Some((ForkKind::IndirectJump, out))
        }
        Terminator::Jump { .. }
        | Terminator::Return { .. }
        | Terminator::Exit { .. }
        | Terminator::Halt { .. }
        | Terminator::Unreachable
        | Terminator::LongJmp { .. } => None,
    }
}
