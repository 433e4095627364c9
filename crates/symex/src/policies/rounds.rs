//! Threads, by lazy sequentialization: they run in turns, in a fixed order, round after round.
//!
//! After Inverso, Tomasco, Fischer, La Torre and Parlato, "Bounded model checking of multi-threaded C programs via lazy
//! sequentialization" (CAV 2014), but at the level of symbolic execution: no program is rewritten. A *slot* is the turn
//! of one thread in one round. At each visible point an input decides whether the thread stops there in this slot; then
//! its activations are *parked* there, and the next slot of the thread runs all that is parked on in one pass in the
//! program's order, with the memory that the other threads left behind. What comes to a point where something is parked
//! takes it along, so a slot costs one pass over the unwound thread whatever the number of rounds.
//!
//! The conditions of what is parked exclude each other: in one execution a thread stands in one place. Memory between
//! two slots is that of wherever the thread stopped (`Memory::join_all`). A parked state keeps its own memory, and
//! takes over only objects that other threads have changed since: what is private to a thread stays as precise as it is
//! without threads.
//!
//! What an execution must satisfy to have come this far (assumptions, locks that were free) is kept as a list of
//! implications.
//!
//! Soundness: each model of a guard is one execution under one schedule of at most so many rounds, and each such
//! execution has a model. `last` says when there are no others. Absent: `setjmp`, weak memory.

mod alone;
mod guesses;
mod last;
mod one_by_one;
mod points;
mod start;

pub use guesses::Guesses;
pub use last::{LastClaims, Race};

use crate::guard::Guard;
use crate::ids::{ActivationNo, Holder, ObjectNo};
use crate::jumps::JumpKind;
use crate::machine::{CallMade, Config};
use crate::memory::{Memory, Refusal};
use crate::names::{Names, Node};
use crate::outcome::PathEnd;
use crate::policy::{Policy, Targets};
use crate::saved::{Key, SavedFrame};
use crate::state::{Arrival, State, Tally};
use crate::walk::{Executor, Goes};
use alone::ID_BITS;
use blitz_base::Budget;
use blitz_base::span::Loc;
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, FuncId, InstData, InstId, MemCheck, Program, PropertyId, ThreadOp};
use blitz_term::{Sort, Term, Terms};
use imbl::OrdMap;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The turn of a thread in a round: what a schedule is read off.
#[derive(Clone, Debug)]
pub struct Slot {
    /// The thread's place in the order.
    pub order: usize,
    pub round: u32,
    /// The thread's number in the program.
    pub id: Term,
    /// It does not stay where it was.
    pub moved: Term,
    /// Visible points that it goes past, in the program's order: each where its condition holds.
    pub passes: Vec<Term>,
}

/// What executions of one program share, so that the same places make the same terms.
#[derive(Debug)]
pub struct Kept {
    names: Names,
    /// Instances of thread-local globals, by thread and object.
    instances: HashMap<(usize, Holder), ObjectNo>,
    /// Whether a thread stops at a node in a round; without a node, before it begins.
    stops: HashMap<(Option<Node>, usize, u32), Term>,
}

impl Kept {
    pub fn new(program: &Program) -> Self {
        let names = Names::by_node(ObjectNo::of(program.first_free_object()));
        Self { names, instances: HashMap::new(), stops: HashMap::new() }
    }
}

/// Threads take turns, round after round.
pub struct Rounds<'p> {
    list: Vec<Thread<'p>>,
    by_node: HashMap<Node, usize>,
    /// Between two slots: what holds, and memory.
    shared: State,
    round: u32,
    slots: Vec<Slot>,
    turn: Turn<'p>,
    /// Loops with constant counters don't count their iterations against the bound.
    counted_by_data: bool,
    /// Threads run one after the other; whether others have moved since the last slot of the running one is a guess.
    guessed_move: Option<Term>,
    kept: Kept,
}

/// One thread, started at one place of the unwound program.
struct Thread<'p> {
    parked: BTreeMap<Key, Parked<'p>>,
    started: Term,
    done: Term,
    id: Term,
    /// Objects that others have changed since its last slot, and whether others have started threads.
    changed: BTreeSet<Holder>,
    others_started: bool,
    /// How many slots there had been at its last one.
    slots_seen: usize,
}

/// The slot that is running.
#[derive(Default)]
struct Turn<'p> {
    thread: usize,
    /// What is to be run on, and what has stopped.
    pool: BTreeMap<Key, Parked<'p>>,
    next: BTreeMap<Key, Parked<'p>>,
    ended: Vec<State>,
    /// What must hold in executions that come further than this slot.
    demands: Vec<Term>,
    /// Where the thread stays where it was.
    stays: Vec<Term>,
    passes: Vec<Term>,
    /// Nothing is run but the steps right after where the threads stand.
    peek: Option<last::Peek>,
}

/// A thread that stands at a visible point.
#[derive(Clone)]
struct Parked<'p> {
    state: State,
    /// None for a thread that has not begun; then these are its arguments.
    frames: Vec<SavedFrame<'p>>,
    args: Vec<Term>,
    /// Another thread has moved since it stands here.
    waited: Term,
}

/// An access that a thread is about to make.
#[derive(Clone, Copy, Debug)]
struct Access {
    guard: Term,
    ptr: Term,
    size: Term,
    write: bool,
    atomic: bool,
    /// It is made in an atomic section.
    section: Term,
    property: PropertyId,
}

/// An executor for a program with threads.
pub type InRounds<'p, 'a> = Executor<'p, 'a, Rounds<'p>>;

impl<'p, 'a> Policy<'p, 'a> for Rounds<'p> {
    /// Each function once: a turn of a thread comes to each place once.
    fn targets(
        x: &mut Executor<'p, 'a, Self>,
        state: &State,
        pointer: Term,
        loc: Loc,
    ) -> Result<Option<Targets>, Refusal> {
        let mut out: Targets = Vec::new();
        for (cond, f) in x.functions(state, pointer, loc)? {
            match out.iter_mut().find(|(_, known)| *known == f) {
                Some((either, _)) => *either = x.m.terms.or(*either, cond),
                None => out.push((cond, f)),
            }
        }
        Ok(Some(out))
    }

    fn comes_back(x: &mut Executor<'p, 'a, Self>, data: &'p InstData) -> Option<Arrival> {
        if x.resumes() { x.returns_of_parked(data) } else { None }
    }

    fn counts_by_data(x: &Executor<'p, 'a, Self>) -> bool {
        x.policy.counted_by_data
    }

    fn stopped_iteration(x: &Executor<'p, 'a, Self>, l: LoopId) -> Option<(u32, u32)> {
        x.parked_iteration(l, x.m.running().done)
    }

    fn run_block(x: &mut Executor<'p, 'a, Self>, block: Block, arrival: Option<Arrival>) {
        x.run_block_and_parked(block, arrival);
    }

    fn instruction(x: &mut Executor<'p, 'a, Self>, state: &mut State, inst: InstId) -> Goes {
        x.step_of_thread(state, inst)
    }

    fn path_ends(x: &mut Executor<'p, 'a, Self>, guard: &Guard, _end: PathEnd, _loc: Loc) {
        x.path_ends(guard);
    }

    fn keep_roots(x: &mut Executor<'p, 'a, Self>, guard: Term) {
        x.keep_roots_of_others(guard);
    }

    fn thread(
        x: &mut Executor<'p, 'a, Self>,
        state: &mut State,
        data: &InstData,
        op: ThreadOp,
        args: &[Term],
    ) -> Result<Goes, Refusal> {
        x.thread_op(state, data, op, args)
    }

    fn waits(x: &mut Executor<'p, 'a, Self>, state: &State, cond: Term, property: Option<PropertyId>, _loc: Loc) {
        x.note_wait(state, cond, property);
    }

    fn shares(x: &mut Executor<'p, 'a, Self>, state: &State, check: &MemCheck) {
        x.shared_access(state, check);
    }
}

impl<'p, 'a> Executor<'p, 'a, Rounds<'p>> {
    /// An executor for a program with threads, the first of which begins with this function. `kept` is what an earlier
    /// execution of the same program left.
    pub fn in_rounds(
        program: &'p Program,
        terms: &'a mut Terms,
        config: &'a Config<'a>,
        budget: &'a Budget,
        func: FuncId,
        mut kept: Kept,
        counted_by_data: bool,
    ) -> Self {
        let zero = terms.bv(ID_BITS, 0);
        let (tru, fls) = (terms.tru(), terms.fls());
        let shared = State { tally: Some(Tally { starts: zero, atomic: zero, resumed: fls }), ..State::start() };
        let entry = Parked { state: shared.clone(), frames: Vec::new(), args: Vec::new(), waited: fls };
        let main = Thread {
            parked: BTreeMap::from([(entry_key(func), entry)]),
            started: tru,
            done: fls,
            id: zero,
            changed: BTreeSet::new(),
            others_started: false,
            slots_seen: 0,
        };
        let names = std::mem::take(&mut kept.names);
        let rounds = Rounds {
            list: vec![main],
            by_node: HashMap::new(),
            shared,
            round: 0,
            slots: Vec::new(),
            turn: Turn::default(),
            counted_by_data,
            guessed_move: None,
            kept,
        };
        let mut out = Self::with_policy(program, terms, config, budget, names, rounds);
        out.m.jumps.kind = JumpKind::IsGapOfThreads;
        out
    }

    /// What is kept for another execution of the same program.
    pub fn into_kept(self) -> Kept {
        Kept { names: self.m.names, ..self.policy.kept }
    }

    /// Every thread has its turn once, those started on the way included.
    pub fn run_round(&mut self) {
        self.policy.round += 1;
        let mut t = 0;
        while t < self.policy.list.len() && !self.m.stopped() {
            self.run_slot(t);
            t += 1;
        }
        self.end_if_all_done();
    }

    /// The turns so far, in their order.
    pub fn slots(&self) -> &[Slot] {
        &self.policy.slots
    }

    /// How many threads there are, the first one included.
    pub fn thread_count(&self) -> usize {
        self.policy.list.len()
    }

    fn run_slot(&mut self, t: usize) {
        let before = self.policy.shared.clone();
        if self.policy.list[t].parked.is_empty() || before.guard.is_false(self.m.terms) {
            return;
        }
        let pool = self.resumable(t, &before);
        self.policy.turn = Turn { thread: t, pool, ..Turn::default() };
        self.run_pool();
        self.end_slot(t, before);
    }

    /// What is parked of a thread, in the memory of now.
    fn resumable(&mut self, t: usize, now: &State) -> BTreeMap<Key, Parked<'p>> {
        let thread = &mut self.policy.list[t];
        let changed = std::mem::take(&mut thread.changed);
        let others_started = std::mem::take(&mut thread.others_started);
        let parked = std::mem::take(&mut thread.parked);
        let seen = thread.slots_seen;
        let moved = match self.policy.guessed_move {
            Some(guess) => guess,
            None => {
                let others = self.policy.slots[seen..].iter().filter(|s| s.order != t);
                let moved: Vec<Term> = others.map(|s| s.moved).collect();
                self.m.terms.or_all(&moved)
            }
        };
        let count = self.policy.slots.len();
        self.policy.list[t].slots_seen = count;
        let mut out = BTreeMap::new();
        for (key, mut p) in parked {
            p.state.guard = now.guard.and_guard(self.m.terms, &p.state.guard);
            if p.state.guard.is_false(self.m.terms) {
                continue;
            }
            p.waited = self.m.terms.or(p.waited, moved);
            match p.frames.is_empty() {
                true => p.state.memory = now.memory.clone(),
                false => p.state.memory.take_over(&now.memory, &changed),
            }
            if (others_started || p.frames.is_empty())
                && let (Some(mine), Some(theirs)) = (&mut p.state.tally, now.tally)
            {
                mine.starts = theirs.starts;
            }
            out.insert(key, p);
        }
        out
    }

    /// Runs the thread whose turn it is, from wherever it may stand.
    fn run_pool(&mut self) {
        while let Some((Key(path), _)) = self.policy.turn.pool.first_key_value() {
            let func = FuncId(path[0].0);
            self.run_thread(func);
            // What is left over of a function was not reached again: that can only be after a stop.
            if self.m.stopped() {
                return;
            }
            let left = |k: &Key| k.0[0] == (func.0, 0);
            assert!(!self.policy.turn.pool.keys().any(left), "what is parked should be run on in its turn");
        }
    }

    fn run_thread(&mut self, func: FuncId) {
        let mut frame = self.m.make_frame(func, CallMade::BY_NOBODY);
        let t = self.policy.turn.thread;
        frame.activation = ActivationNo(u32::MAX - t as u32);
        if let Some(entry) = self.policy.turn.pool.remove(&entry_key(func)) {
            frame.arrivals[0] = self.begin_thread(func, entry);
        }
        self.m.frames.push(frame);
        let end = self.m.frame().info.loops.order.len();
        self.run_range(0, end, None);
        if let Some(Arrival { state, .. }) = self.m.leave_frame() {
            self.end_thread(state);
        }
    }

    /// A thread that has not begun may go on waiting.
    fn begin_thread(&mut self, func: FuncId, entry: Parked<'p>) -> Option<Arrival> {
        // Nobody else is there before the first thread begins.
        if self.policy.turn.peek.is_some() || self.policy.turn.thread == 0 {
            let began = entry.state.guard.term(self.m.terms);
            self.policy.turn.passes.push(began);
            let Parked { mut state, args, .. } = entry;
            self.make_instances(&mut state);
            return Some(Arrival { state, args });
        }
        let stop = self.stop_variable(None);
        let go = self.m.terms.not(stop);
        let (waits, goes) = (entry.state.guard.and(self.m.terms, stop), entry.state.guard.and(self.m.terms, go));
        let (stays, began) = (waits.term(self.m.terms), goes.term(self.m.terms));
        let mut state = State { guard: goes, carried: OrdMap::new(), ..entry.state.clone() };
        self.make_instances(&mut state);
        let args = entry.args.clone();
        let parked = Parked { state: State { guard: waits, ..entry.state }, ..entry };
        let turn = &mut self.policy.turn;
        turn.stays.push(stays);
        turn.passes.push(began);
        turn.next.insert(entry_key(func), parked);
        Some(Arrival { state, args })
    }

    fn end_thread(&mut self, state: State) {
        self.policy.turn.ended.push(state);
    }

    fn stop_variable(&mut self, node: Option<Node>) -> Term {
        let (t, round) = (self.policy.turn.thread, self.policy.round);
        let terms = &mut *self.m.terms;
        *self.policy.kept.stops.entry((node, t, round)).or_insert_with(|| terms.fresh("stop", Sort::Bv(1)))
    }

    /// Memory is that of wherever the thread stopped, or as it was where there was no such thread.
    fn end_slot(&mut self, t: usize, before: State) {
        let turn = std::mem::take(&mut self.policy.turn);
        let thread = &self.policy.list[t];
        let (started, done, id) = (thread.started, thread.done, thread.id);
        let not_yet = self.m.terms.not(started);
        let absent = self.m.terms.or(not_yet, done);
        let aside = State { guard: before.guard.and(self.m.terms, absent), ..before.clone() };
        let all: Vec<&State> = turn.next.values().map(|p| &p.state).chain(&turn.ended).chain([&aside]).collect();
        let mut states: Vec<(Term, &State)> = all.iter().map(|s| (s.guard.term(self.m.terms), *s)).collect();
        states.retain(|(cond, _)| !self.m.terms.is_false(*cond));
        let mut guard = before.guard.clone();
        for demand in turn.demands {
            guard = guard.and(self.m.terms, demand);
        }
        let shared = self.join_states(&states, guard);
        let ended: Vec<Term> = turn.ended.iter().map(|s| s.guard.term(self.m.terms)).collect();
        let ended = self.m.terms.or_all(&ended);
        let done = self.m.terms.or(done, ended);
        let slot = self.slot(t, id, &before.guard, absent, &turn.stays, turn.passes);
        self.policy.slots.push(slot);
        let changed: BTreeSet<Holder> = before.memory.differing(&shared.memory).into_iter().collect();
        let started = before.tally.map(|b| b.starts) != shared.tally.map(|s| s.starts);
        let threads = &mut self.policy;
        threads.shared = shared;
        threads.list[t].done = done;
        threads.list[t].parked = turn.next;
        for (_, other) in threads.list.iter_mut().enumerate().filter(|(i, _)| *i != t) {
            other.changed.extend(&changed);
            other.others_started |= started;
        }
    }

    fn join_states(&mut self, states: &[(Term, &State)], guard: Guard) -> State {
        let Some((_, first)) = states.first() else {
            let none = self.m.terms.fls();
            return State { guard: guard.and(self.m.terms, none), ..State::start() };
        };
        let memories: Vec<(Term, &Memory)> = states.iter().map(|(c, s)| (*c, &s.memory)).collect();
        let mut tally = first.tally;
        for (cond, other) in &states[1..] {
            tally = match (tally, other.tally) {
                (Some(mine), Some(theirs)) => Some(mine.merge(self.m.terms, theirs, *cond)),
                (mine, theirs) => mine.or(theirs),
            };
        }
        match Memory::join_all(&mut self.m.space, self.m.terms, &memories) {
            Ok(memory) => State { guard, memory, carried: OrdMap::new(), tally },
            Err(refusal) => {
                let lost = State { guard, ..State::start() };
                self.m.refuse(&lost, refusal, Loc::UNKNOWN);
                let none = self.m.terms.fls();
                State { guard: lost.guard.and(self.m.terms, none), ..lost }
            }
        }
    }

    fn slot(&mut self, t: usize, id: Term, before: &Guard, absent: Term, stays: &[Term], passes: Vec<Term>) -> Slot {
        let stays = self.m.terms.or_all(stays);
        let (goes, there) = (self.m.terms.not(stays), self.m.terms.not(absent));
        let moved = self.m.terms.and(there, goes);
        let moved = self.m.terms.and(before.term(self.m.terms), moved);
        let round = self.policy.round;
        Slot { order: t, round, id, moved, passes }
    }

    /// A path ends here, or goes on only where something holds: executions that come further know.
    fn demand(&mut self, path: &Guard, holds: &[Term]) {
        let path = path.term(self.m.terms);
        for &h in holds {
            let demand = self.m.terms.implies(path, h);
            if !self.m.terms.is_true(demand) {
                self.policy.turn.demands.push(demand);
            }
        }
    }

    /// Nothing goes on from here.
    fn path_ends(&mut self, path: &Guard) {
        let none = self.m.terms.fls();
        self.demand(path, &[none]);
    }
}

fn entry_key(func: FuncId) -> Key {
    Key(vec![(func.0, 0)])
}
