//! Unwinding step by step: the program is run up to a depth, what goes on beyond it waits, and is run on later.
//!
//! A *node* is a place of the unwound program: calls on the way there, iterations of the loops around it, an
//! instruction. Where the depth of a loop (or of a recursion) is reached, the state waits at its node together with the
//! activations around it. A later step runs it on: the loop first, then everything behind it, for what newly leaves the
//! loop alone (a *wave*). A wave that comes to a node where an earlier one waits takes it along: the two are joined
//! there, and the way on is run once for both.
//!
//! Why not the encoding of Günther and Weissenbacher ("Incremental bounded software model checking", SPIN 2014), in
//! which a merge node is a free variable that later edges extend: a variable has no shape. Constants, the objects a
//! pointer can mean and read-over-write are gone behind every loop, and with them most of what makes formulas small.
//! Here every term stays a function of the inputs, claims are closed (what was refuted once is never asked again, no
//! assumption is needed), and points-to sets need not grow. The price is that what follows a loop is run once per wave.
//! Input variables and object numbers belong to nodes, not to waves, so that a wave makes only those terms anew that
//! depend on the loop.
//!
//! Invariants: after `begin` and each `advance` that was not stopped, every execution in which each loop runs at most
//! as often as its target (and recursion likewise) is covered by what was claimed. Waves have disjoint guards.

mod resume;
mod trial;

use crate::ids::ObjectNo;
use crate::machine::Config;
use crate::names::Names;
use crate::outcome::{CutKind, Site};
use crate::policy::Policy;
use crate::saved::SavedFrame;
use crate::state::{Arrival, State};
use crate::walk::Executor;
use blitz_base::Budget;
use blitz_base::span::Loc;
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, FuncId, Program};
use blitz_term::{Term, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use trial::{Trial, Tried};

pub use crate::saved::Key;
pub use trial::{Holds, Oracle};

/// What the engine sees of a waiting state.
pub struct Waiting<'a> {
    pub key: &'a Key,
    pub site: Site,
    /// Iterations or activations so far.
    pub depth: u32,
    pub guard: Term,
    pub loc: Loc,
    /// Where the activations go on, the outermost first.
    pub points: Vec<(FuncId, Block)>,
}

/// What a stepwise unwinding keeps between steps.
pub struct Waves<'p, 'a> {
    oracle: Box<dyn Oracle + 'a>,
    first: u32,
    targets: BTreeMap<Site, u32>,
    pool: BTreeMap<Key, Suspended<'p>>,
    /// Terms made while a site was run on, and what followed from it.
    cost: BTreeMap<Site, u64>,
    /// Terms made in iterations beyond the targets; iterations within iterations count twice.
    beyond: usize,
    /// Loops whose trial failed, and after how many iterations others ended.
    endless: BTreeSet<Site>,
    ended: BTreeMap<Site, u32>,
}

/// A state that waits, with the activations around it.
struct Suspended<'p> {
    site: Site,
    depth: u32,
    guard: Term,
    loc: Loc,
    frames: Vec<SavedFrame<'p>>,
    /// In the blocks of the loop; for a call its arguments, for a jump its value, in a block that means nothing.
    arrivals: Vec<(Block, Arrival)>,
}

/// What is known of a loop that is running.
#[derive(Clone, Default)]
pub(crate) struct LoopWatch {
    /// The condition under which it was entered.
    entry: Option<Term>,
    /// What its exits compared when they were looked at last, as far as constant.
    compared: Vec<(Term, Term)>,
    /// It is being run on to see whether it ends soon.
    trial: Option<Trial>,
    /// No execution begins the iteration after so many.
    ends: Option<u32>,
    /// Terms there were when it was last asked whether it goes on beyond its target.
    terms: usize,
}

impl LoopWatch {
    /// What was found out about where it ends holds no more.
    pub fn forget_end(&mut self) {
        self.ends = None;
    }
}

/// How many times its target a loop may run whose constant counter is seen to move towards its end: where it can be
/// left on the way, and where it can't.
const COUNTED: u32 = 32;
const COUNTED_STRAIGHT: u32 = 2048;

/// An executor that unwinds a program step by step.
pub type InWaves<'p, 'a> = Executor<'p, 'a, Waves<'p, 'a>>;

impl<'p, 'a> Policy<'p, 'a> for Waves<'p, 'a> {
    fn enter(x: &mut Executor<'p, 'a, Self>, func: FuncId, arrival: Arrival, loc: Loc) -> Option<Arrival> {
        let target = x.policy.target(Site { func, what: CutKind::Recursion });
        if x.m.active(func) <= target {
            return Some(arrival);
        }
        x.suspend_call(func, arrival, loc);
        None
    }

    fn iterates(x: &mut Executor<'p, 'a, Self>, l: LoopId, done: u32) -> bool {
        x.goes_on(l, done)
    }

    fn loop_over(x: &mut Executor<'p, 'a, Self>, l: LoopId) {
        x.end_trial(l);
    }

    fn joins_jumps(_: &Executor<'p, 'a, Self>) -> bool {
        true
    }

    fn jumps_again(x: &mut Executor<'p, 'a, Self>, jumped: u32, arrival: &Arrival) -> bool {
        let (func, loc) = (x.m.frame().func, x.m.setjmp().loc);
        let site = Site { func, what: CutKind::Jump };
        let waits = jumped >= x.policy.target(site);
        let bound = x.m.config.bounds.recursion_bound(func);
        if jumped >= bound {
            x.cut(&arrival.state, func, CutKind::Jump, loc, bound);
        } else if waits {
            x.suspend_jump(site, arrival.clone(), jumped, loc);
        }
        jumped < bound && !waits
    }
}

impl<'p, 'a> Executor<'p, 'a, Waves<'p, 'a>> {
    /// An executor that lets wait what goes beyond `first` iterations or activations, unless the oracle knows that it
    /// ends soon.
    pub fn in_waves(
        program: &'p Program,
        terms: &'a mut Terms,
        config: &'a Config<'a>,
        budget: &'a Budget,
        first: u32,
        oracle: Box<dyn Oracle + 'a>,
    ) -> Self {
        let waves = Waves {
            oracle,
            first,
            targets: BTreeMap::new(),
            pool: BTreeMap::new(),
            cost: BTreeMap::new(),
            beyond: 0,
            endless: BTreeSet::new(),
            ended: BTreeMap::new(),
        };
        let names = Names::by_node(ObjectNo::of(program.first_free_object()));
        Self::with_policy(program, terms, config, budget, names, waves)
    }

    /// The first step: from the beginning of a function.
    pub fn begin(&mut self, func: FuncId, args: Vec<Term>) {
        self.run(func, args, State::start());
        self.m.claim_leaks();
    }

    /// One more step: sites may go up to new targets; what waits there is run on, in the program's order.
    pub fn advance(&mut self, targets: &BTreeMap<Site, u32>) {
        self.policy.targets.extend(targets);
        let mut from = Bound::Unbounded;
        while let Some(key) = self.next_to_resume(&from) {
            if self.m.stopped() {
                return;
            }
            let waiting = self.policy.pool.remove(&key).expect("the state found should wait");
            let (site, before) = (waiting.site, self.m.terms.len());
            self.resume(waiting);
            let made = (self.m.terms.len() - before) as u64;
            *self.policy.cost.entry(site).or_default() += made;
            from = Bound::Excluded(key);
        }
        self.m.claim_leaks();
    }

    fn next_to_resume(&self, from: &Bound<Key>) -> Option<Key> {
        let waiting = self.policy.pool.range((from.clone(), Bound::Unbounded));
        let mut reached = waiting.filter(|(_, w)| w.depth < self.policy.target(w.site));
        reached.next().map(|(key, _)| key.clone())
    }

    /// The states that wait, in the program's order.
    pub fn waiting(&self) -> Vec<Waiting<'_>> {
        self.policy
            .pool
            .iter()
            .map(|(key, w)| Waiting {
                key,
                site: w.site,
                depth: w.depth,
                guard: w.guard,
                loc: w.loc,
                points: w.points(),
            })
            .collect()
    }

    /// A state that no execution reaches need not wait any more.
    pub fn discard(&mut self, key: &Key) {
        self.policy.pool.remove(key);
    }

    /// How deep a site is unwound.
    pub fn target(&self, site: Site) -> u32 {
        self.policy.target(site)
    }

    /// Terms that running a site on has made.
    pub fn cost(&self, site: Site) -> u64 {
        self.policy.cost.get(&site).copied().unwrap_or(0)
    }

    /// Whether the next iteration of the innermost running loop is to be run now. If not, what arrived in it waits.
    fn goes_on(&mut self, l: LoopId, done: u32) -> bool {
        let site = Site { func: self.m.frame().func, what: CutKind::Loop(l) };
        let key = self.m.loop_key();
        let target = self.policy.target(site);
        let waiting = self.policy.pool.remove(&key);
        if self.watch().entry.is_none() {
            let guard = self.guard_in(l);
            self.watch_mut().entry = Some(guard);
        }
        if waiting.is_none() && done < target {
            self.watch_mut().compared.clear();
            return true;
        }
        self.look_ahead(l);
        if let Some(waiting) = waiting {
            self.absorb(waiting);
        }
        if !self.arrived_in(l) {
            return false;
        }
        if done < target {
            return true;
        }
        if self.is_over(done > target) {
            return false;
        }
        if self.counts_to_its_end(l, done, target) {
            return true;
        }
        match self.try_on(site, l, done) {
            Tried::On => return true,
            Tried::Ends => self.drop_arrived(l),
            Tried::Waits => self.suspend_loop(site, l),
        }
        false
    }

    fn drop_arrived(&mut self, l: LoopId) {
        let info = self.m.here();
        for &block in info.loops.blocks(l) {
            self.m.frame_mut().arrivals[block.index()] = None;
        }
    }

    /// What is known of the innermost running loop.
    fn watch(&self) -> &LoopWatch {
        &self.m.running().watch
    }

    fn watch_mut(&mut self) -> &mut LoopWatch {
        &mut self.m.running_mut().watch
    }

    /// The condition of what has arrived in a loop.
    fn guard_in(&mut self, l: LoopId) -> Term {
        let info = self.m.here();
        let frame = self.m.frames.last().expect("code should run in a frame");
        let guards: Vec<Term> = info
            .loops
            .blocks(l)
            .iter()
            .filter_map(|b| frame.arrivals[b.index()].as_ref())
            .map(|a| a.state.guard.term(self.m.terms))
            .collect();
        self.m.terms.or_all(&guards)
    }

    /// Evaluates the loop's condition, so that only what really goes on waits.
    fn look_ahead(&mut self, l: LoopId) {
        let info = self.m.here();
        for &block in info.loops.blocks(l) {
            if !self.is_condition(l, block) {
                continue;
            }
            if let Some(arrival) = self.m.frame_mut().arrivals[block.index()].take() {
                self.run_block(block, arrival);
            }
        }
    }

    /// Whether a block decides about leaving the loop before its body. None that may go straight back to the head: its
    /// state and that of the next iteration would both want the values of the condition.
    fn is_condition(&self, l: LoopId, block: Block) -> bool {
        let info = &self.m.frame().info;
        let loop_info = info.loops.info(l);
        let plain = |b: Block| {
            let back = |(to, _): &(Block, _)| *to == loop_info.head;
            info.in_condition[b.index()] && !self.m.frame().body.block(b).term.successors().iter().any(back)
        };
        !loop_info.irreducible && plain(loop_info.head) && info.loops.loop_of[block.index()] == Some(l) && plain(block)
    }

    /// Whether the loop's exits compare constants that change from iteration to iteration: a counter on the way to its
    /// end.
    fn counts_to_its_end(&mut self, l: LoopId, done: u32, target: u32) -> bool {
        let mut compared = std::mem::take(&mut self.watch_mut().compared);
        let moves = self.m.counter_moved(l, &mut compared);
        self.watch_mut().compared = compared;
        if !moves {
            return false;
        }
        let straight = Some(self.guard_in(l)) == self.watch().entry;
        done < target.saturating_mul(if straight { COUNTED_STRAIGHT } else { COUNTED })
    }

    fn suspend_loop(&mut self, site: Site, l: LoopId) {
        let info = self.m.here();
        let guard = self.guard_in(l);
        let mut arrivals = Vec::new();
        for &block in info.loops.blocks(l) {
            if let Some(arrival) = self.m.frame_mut().arrivals[block.index()].take() {
                arrivals.push((block, arrival));
            }
        }
        if self.m.terms.is_false(guard) || self.spoils_trial() {
            return;
        }
        let (depth, key) = (self.m.running().done, self.m.loop_key());
        let blocks: Vec<Block> = arrivals.iter().map(|(b, _)| *b).collect();
        let frames = self.m.save_frames(&blocks);
        let loc = info.loops.info(l).loc;
        self.policy.pool.insert(key, Suspended { site, depth, guard, loc, frames, arrivals });
    }

    fn suspend_call(&mut self, func: FuncId, mut arrival: Arrival, loc: Loc) {
        if self.spoils_trial() {
            return;
        }
        let site = Site { func, what: CutKind::Recursion };
        let key = self.m.call_key(func);
        if let Some(mut waiting) = self.policy.pool.remove(&key) {
            self.absorb_frames(&waiting);
            let (_, earlier) = waiting.arrivals.pop().expect("a call that waits should have its arguments");
            arrival = self.m.joined(arrival, earlier, loc);
        }
        let guard = arrival.state.guard.term(self.m.terms);
        let depth = self.m.active(func) - 1;
        let frames = self.m.save_frames(&[]);
        let arrivals = vec![(Block(0), arrival)];
        self.policy.pool.insert(key, Suspended { site, depth, guard, loc, frames, arrivals });
    }

    /// What jumps back to the `setjmp` at which the innermost activation stands waits there; an earlier wave that does
    /// is taken along.
    fn suspend_jump(&mut self, site: Site, mut arrival: Arrival, depth: u32, loc: Loc) {
        if self.spoils_trial() {
            return;
        }
        let key = self.jump_key();
        if let Some(mut waiting) = self.policy.pool.remove(&key) {
            self.absorb_frames(&waiting);
            let (_, earlier) = waiting.arrivals.pop().expect("a jump that waits should have its state");
            arrival = self.m.joined(arrival, earlier, loc);
        }
        let guard = arrival.state.guard.term(self.m.terms);
        let frames = self.m.save_frames(&[]);
        let arrivals = vec![(self.m.frame().at.0, arrival)];
        self.policy.pool.insert(key, Suspended { site, depth, guard, loc, frames, arrivals });
    }

    /// Behind all of the leg that the innermost activation is in, which has no loop running.
    fn jump_key(&self) -> Key {
        let Key(mut out) = self.m.loop_key();
        let (block, index) = self.m.frame().at;
        out.extend([(u32::MAX, self.m.frame().leg + 1), (block.0, index as u32)]);
        Key(out)
    }
}

impl Waves<'_, '_> {
    fn target(&self, site: Site) -> u32 {
        self.targets.get(&site).copied().unwrap_or(self.first)
    }
}

impl Suspended<'_> {
    fn points(&self) -> Vec<(FuncId, Block)> {
        let mut out: Vec<(FuncId, Block)> = self.frames.iter().map(|f| (f.func, f.at.0)).collect();
        if matches!(self.site.what, CutKind::Loop(_))
            && let (Some(last), Some((block, _))) = (out.last_mut(), self.arrivals.first())
        {
            last.1 = *block;
        }
        if self.site.what == CutKind::Recursion {
            out.push((self.site.func, blitz_ir::Func::ENTRY));
        }
        out
    }
}
