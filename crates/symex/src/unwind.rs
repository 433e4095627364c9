//! Unwinding step by step: the program is run up to a depth, what goes on beyond it waits, and is run on later.
//!
//! A *node* is a place of the unwound program: calls on the way there, visits of the loops around it, an instruction. Where the
//! depth of a loop (or of a recursion) is reached, the state waits at its node together with the activations around it. A
//! later step runs it on: the loop first, then everything behind it, for what newly leaves the loop alone (a *wave*). A wave
//! that comes to a node where an earlier one waits takes it along: the two are joined there, and the way on is
//! run once for both.
//!
//! Why not the encoding of Günther and Weissenbacher ("Incremental bounded software model checking", SPIN 2014), in which a
//! merge node is a free variable that later edges extend: a variable has no shape. Constants, the objects a pointer can mean
//! and read-over-write are gone behind every loop, and with them most of what makes formulas small. Here every term stays a
//! function of the inputs, claims are closed (what was refuted once is never asked again, no assumption is needed),
//! and points-to sets need not grow. The price is that what follows a loop is run once per wave. Input variables and object
//! numbers belong to nodes, not to waves, so that a wave makes only those terms anew that depend on the loop.
//!
//! Invariants: after `begin` and each `advance` that was not stopped, every execution in which each loop runs at most as
//! often as its target (and recursion likewise) is covered by what was claimed. Waves have disjoint guards.

pub(crate) mod live;
pub(crate) mod nodes;
mod resume;
mod trial;

use crate::exec::{Executor, Frame};
use crate::jumps::Point;
use crate::outcome::CutKind;
use crate::state::{Arrival, State};
use blitz_base::span::Loc;
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, CheckKind, FuncId, InstId, PropertyId, Terminator, Value};
use blitz_term::Term;
use imbl::OrdMap;
pub use nodes::Nodes;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::rc::Rc;
pub use trial::{Holds, Oracle};
use trial::{Trial, Tried};

/// A loop, or the recursion of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    pub func: FuncId,
    pub what: CutKind,
}

/// The place of a waiting state; they are ordered as the program would come to them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(pub(crate) Vec<(u32, u32)>);

/// What the engine sees of a waiting state.
pub struct Waiting<'a> {
    pub key: &'a Key,
    pub site: Site,
    /// Visits or activations so far.
    pub depth: u32,
    pub guard: Term,
    pub loc: Loc,
    /// Where the activations go on, the outermost first.
    pub points: Vec<(FuncId, Block)>,
}

/// What a stepwise unwinding keeps between steps.
pub struct Unwinding<'p> {
    first: u32,
    targets: BTreeMap<Site, u32>,
    pool: BTreeMap<Key, Suspended<'p>>,
    /// Terms made while a site was run on, and what followed from it.
    cost: BTreeMap<Site, u64>,
    /// Terms made in visits beyond the targets; visits within visits count twice.
    beyond: usize,
    /// Loops whose trial failed, and after how many visits others ended.
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

/// An activation that waits: what it still needs.
#[derive(Clone)]
pub(crate) struct SavedFrame<'p> {
    pub(crate) func: FuncId,
    pub(crate) values: Vec<(Value, Term)>,
    allocas: Vec<(u32, Term)>,
    call_loc: Loc,
    lent: &'p [(CheckKind, PropertyId)],
    at: (Block, usize),
    current: Option<InstId>,
    pub(crate) running: Vec<Running>,
    callers_carried: OrdMap<Value, Term>,
    activation: u32,
    points: Vec<Rc<Point>>,
    leg: u32,
}

/// A loop that is running.
#[derive(Clone)]
pub(crate) struct Running {
    pub l: LoopId,
    /// Visits before the present one.
    pub done: u32,
    /// How many of them don't count against the bound; means something where threads run.
    pub uncounted: u32,
    /// The state in which the present visit began, if all that is in the visit came from there: not where an earlier wave was
    /// joined in on the way, nor after waiting (the state would be compared with itself), nor after a trial that was taken back.
    pub head: Option<Arrival>,
    /// The condition under which it was entered.
    entry: Option<Term>,
    /// What its exits compared when they were looked at last, as far as constant.
    compared: Vec<(Term, Term)>,
    /// It is being run on to see whether it ends soon.
    trial: Option<Trial>,
    /// No execution begins the visit after so many.
    ends: Option<u32>,
    /// Terms there were when it was last asked whether it goes on beyond its target.
    terms: usize,
}

impl Running {
    pub fn new(l: LoopId) -> Self {
        Self {
            l,
            done: 0,
            uncounted: 0,
            head: None,
            entry: None,
            compared: Vec::new(),
            trial: None,
            ends: None,
            terms: 0,
        }
    }
}

/// How many times its target a loop may run whose constant counter is seen to move towards its end: where it can be left
/// on the way, and where it can't.
const EVIDENT: u32 = 32;
const EVIDENT_STRAIGHT: u32 = 2048;

impl<'p, 'a> Executor<'p, 'a> {
    /// From now on, what goes beyond `first` visits or activations waits, unless the oracle knows that it ends soon.
    pub fn unwind_stepwise(&mut self, first: u32, oracle: Box<dyn Oracle + 'a>) {
        self.oracle = Some(oracle);
        self.unwinding = Some(Unwinding {
            first,
            targets: BTreeMap::new(),
            pool: BTreeMap::new(),
            cost: BTreeMap::new(),
            beyond: 0,
            endless: BTreeSet::new(),
            ended: BTreeMap::new(),
        });
        self.nodes = Some(Nodes::default());
    }

    /// The first step: from the beginning of a function.
    pub fn begin(&mut self, func: FuncId, args: Vec<Term>) {
        self.run(func, args, State::start());
        self.claim_leaks();
    }

    /// One more step: sites may go up to new targets; what waits there is run on, in the program's order.
    pub fn advance(&mut self, targets: &BTreeMap<Site, u32>) {
        self.unwinding_mut().targets.extend(targets);
        let mut from = Bound::Unbounded;
        while let Some(key) = self.next_to_resume(&from) {
            if self.stopped() {
                return;
            }
            let waiting = self.unwinding_mut().pool.remove(&key).expect("the state found should wait");
            let (site, before) = (waiting.site, self.terms.len());
            self.resume(waiting);
            let made = (self.terms.len() - before) as u64;
            *self.unwinding_mut().cost.entry(site).or_default() += made;
            from = Bound::Excluded(key);
        }
        self.claim_leaks();
    }

    fn next_to_resume(&self, from: &Bound<Key>) -> Option<Key> {
        let unwinding = self.unwinding.as_ref()?;
        unwinding
            .pool
            .range((from.clone(), Bound::Unbounded))
            .find(|(_, w)| w.depth < unwinding.target(w.site))
            .map(|(key, _)| key.clone())
    }

    /// The states that wait, in the program's order.
    pub fn waiting(&self) -> Vec<Waiting<'_>> {
        let pool = self.unwinding.iter().flat_map(|u| &u.pool);
        pool.map(|(key, w)| Waiting {
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
        self.unwinding_mut().pool.remove(key);
    }

    /// How deep a site is unwound.
    pub fn target(&self, site: Site) -> u32 {
        self.unwinding.as_ref().map_or(0, |u| u.target(site))
    }

    /// Terms that running a site on has made.
    pub fn cost(&self, site: Site) -> u64 {
        self.unwinding.as_ref().and_then(|u| u.cost.get(&site).copied()).unwrap_or(0)
    }

    fn unwinding_mut(&mut self) -> &mut Unwinding<'p> {
        self.unwinding.as_mut().expect("the program should be unwound step by step")
    }

    /// Whether the next visit of the innermost running loop is to be run now. If not, what arrived in it waits.
    pub(crate) fn goes_on(&mut self, l: LoopId, done: u32) -> bool {
        let site = Site { func: self.frame().func, what: CutKind::Loop(l) };
        let key = self.loop_key();
        let unwinding = self.unwinding_mut();
        let target = unwinding.target(site);
        let waiting = unwinding.pool.remove(&key);
        if self.running().entry.is_none() {
            let guard = self.guard_in(l);
            self.running_mut().entry = Some(guard);
        }
        if waiting.is_none() && done < target {
            self.running_mut().compared.clear();
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
        if self.evidently_ends(l, done, target) {
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
        let info = Rc::clone(&self.frame().info);
        for &block in info.loops.blocks(l) {
            self.frame_mut().arrivals[block.index()] = None;
        }
    }

    fn running(&self) -> &Running {
        self.frame().running.last().expect("a loop should be running")
    }

    fn running_mut(&mut self) -> &mut Running {
        self.frame_mut().running.last_mut().expect("a loop should be running")
    }

    /// The condition of what has arrived in a loop.
    fn guard_in(&mut self, l: LoopId) -> Term {
        let info = Rc::clone(&self.frame().info);
        let frame = self.frames.last().expect("code should run in a frame");
        let guards: Vec<Term> = info
            .loops
            .blocks(l)
            .iter()
            .filter_map(|b| frame.arrivals[b.index()].as_ref())
            .map(|a| a.state.guard.term(self.terms))
            .collect();
        self.terms.or_all(&guards)
    }

    /// Evaluates the loop's condition, so that only what really goes on waits.
    fn look_ahead(&mut self, l: LoopId) {
        let info = Rc::clone(&self.frame().info);
        for &block in info.loops.blocks(l) {
            if !self.is_condition(l, block) {
                continue;
            }
            if let Some(arrival) = self.frame_mut().arrivals[block.index()].take() {
                self.run_block(block, arrival);
            }
        }
    }

    /// Whether a block decides about leaving the loop before its body. None that may go straight back to the head: its state and
    /// that of the next visit would both want the values of the condition.
    fn is_condition(&self, l: LoopId, block: Block) -> bool {
        let info = &self.frame().info;
        let loop_info = info.loops.info(l);
        let plain = |b: Block| {
            let back = |(to, _): &(Block, _)| *to == loop_info.head;
            info.in_condition[b.index()] && !self.frame().body.block(b).term.successors().iter().any(back)
        };
        !loop_info.irreducible && plain(loop_info.head) && info.loops.loop_of[block.index()] == Some(l) && plain(block)
    }

    /// Whether the loop's exits compare constants that change from visit to visit: a counter on the way to its end.
    fn evidently_ends(&mut self, l: LoopId, done: u32, target: u32) -> bool {
        let mut compared = std::mem::take(&mut self.running_mut().compared);
        let moves = self.counter_moved(l, &mut compared);
        self.running_mut().compared = compared;
        if !moves {
            return false;
        }
        let straight = Some(self.guard_in(l)) == self.running().entry;
        done < target.saturating_mul(if straight { EVIDENT_STRAIGHT } else { EVIDENT })
    }

    /// Whether an exit of the loop has compared other constants than before.
    pub(crate) fn counter_moved(&self, l: LoopId, before: &mut Vec<(Term, Term)>) -> bool {
        let now = self.compared(l);
        let moved = now.iter().any(|pair| !before.contains(pair));
        *before = now;
        moved
    }

    /// Pairs of constants that the branches out of the loop have compared.
    fn compared(&self, l: LoopId) -> Vec<(Term, Term)> {
        let frame = self.frame();
        let constant = |v: Value| frame.values[v.index()].filter(|t| self.terms.is_const(*t));
        let mut out = Vec::new();
        for &b in frame.info.loops.blocks(l) {
            let Terminator::Branch { cond, then, other } = &frame.body.block(b).term else { continue };
            let leaves = [then.0, other.0].iter().any(|to| !frame.info.loops.contains(l, *to));
            if let Some((lhs, rhs)) = live::compared_by(frame.body, *cond).filter(|_| leaves)
                && let (Some(a), Some(b)) = (constant(lhs), constant(rhs))
            {
                out.push((a, b));
            }
        }
        out
    }

    fn suspend_loop(&mut self, site: Site, l: LoopId) {
        let info = Rc::clone(&self.frame().info);
        let guard = self.guard_in(l);
        let mut arrivals = Vec::new();
        for &block in info.loops.blocks(l) {
            if let Some(arrival) = self.frame_mut().arrivals[block.index()].take() {
                arrivals.push((block, arrival));
            }
        }
        if self.terms.is_false(guard) || self.spoils_trial() {
            return;
        }
        let (depth, key) = (self.running().done, self.loop_key());
        let blocks: Vec<Block> = arrivals.iter().map(|(b, _)| *b).collect();
        let frames = self.save_frames(&blocks);
        let loc = info.loops.info(l).loc;
        self.unwinding_mut().pool.insert(key, Suspended { site, depth, guard, loc, frames, arrivals });
    }

    /// Whether a call that is about to be made has to wait, since its function is active too often.
    pub(crate) fn suspends_call(&self, func: FuncId) -> bool {
        let Some(unwinding) = &self.unwinding else { return false };
        let site = Site { func, what: CutKind::Recursion };
        self.active(func) > unwinding.target(site)
    }

    fn active(&self, func: FuncId) -> u32 {
        self.frames.iter().filter(|f| f.func == func).count() as u32
    }

    pub(crate) fn suspend_call(&mut self, func: FuncId, mut arrival: Arrival, loc: Loc) {
        if self.spoils_trial() {
            return;
        }
        let site = Site { func, what: CutKind::Recursion };
        let key = self.call_key(func);
        if let Some(mut waiting) = self.unwinding_mut().pool.remove(&key) {
            self.absorb_frames(&waiting);
            let (_, earlier) = waiting.arrivals.pop().expect("a call that waits should have its arguments");
            let mut slot = Some(arrival);
            self.join_into(&mut slot, earlier, loc);
            arrival = slot.expect("a joined state should be there");
        }
        let guard = arrival.state.guard.term(self.terms);
        let depth = self.active(func) - 1;
        let frames = self.save_frames(&[]);
        let arrivals = vec![(Block(0), arrival)];
        self.unwinding_mut().pool.insert(key, Suspended { site, depth, guard, loc, frames, arrivals });
    }

    /// What jumps back to the `setjmp` at which the innermost activation stands waits there; an earlier wave that does is taken along.
    pub(crate) fn suspend_jump(&mut self, site: Site, mut arrival: Arrival, depth: u32, loc: Loc) {
        if self.spoils_trial() {
            return;
        }
        let key = self.jump_key();
        if let Some(mut waiting) = self.unwinding_mut().pool.remove(&key) {
            self.absorb_frames(&waiting);
            let (_, earlier) = waiting.arrivals.pop().expect("a jump that waits should have its state");
            let mut slot = Some(arrival);
            self.join_into(&mut slot, earlier, loc);
            arrival = slot.expect("a joined state should be there");
        }
        let guard = arrival.state.guard.term(self.terms);
        let frames = self.save_frames(&[]);
        let arrivals = vec![(self.frame().at.0, arrival)];
        self.unwinding_mut().pool.insert(key, Suspended { site, depth, guard, loc, frames, arrivals });
    }

    pub(crate) fn loop_key(&self) -> Key {
        let mut out = Vec::new();
        for (i, frame) in self.frames.iter().enumerate() {
            push_running(&mut out, frame);
            if let Some(inner) = self.frames.get(i + 1) {
                push_call(&mut out, frame, inner.func);
            }
        }
        Key(out)
    }

    fn call_key(&self, callee: FuncId) -> Key {
        let Key(mut out) = self.loop_key();
        push_call(&mut out, self.frame(), callee);
        Key(out)
    }

    /// Behind all of the leg that the innermost activation is in, which has no loop running.
    fn jump_key(&self) -> Key {
        let Key(mut out) = self.loop_key();
        let (block, index) = self.frame().at;
        out.extend([(u32::MAX, self.frame().leg + 1), (block.0, index as u32)]);
        Key(out)
    }
}

/// Compared entry by entry: a loop is where its head is, then by visits; a call where its block is, then by instruction. What is run
/// from a `setjmp` on comes after all that.
fn push_running(out: &mut Vec<(u32, u32)>, frame: &Frame<'_>) {
    out.extend((frame.leg > 0).then_some((u32::MAX, frame.leg)));
    out.extend(frame.running.iter().map(|r| (frame.info.loops.info(r.l).blocks.start, r.done)));
}

pub(crate) fn push_call(out: &mut Vec<(u32, u32)>, frame: &Frame<'_>, callee: FuncId) {
    let (block, index) = frame.at;
    let place = frame.info.loops.pos[block.index()].unwrap_or(0);
    out.extend([(place, index as u32), (callee.0, 0)]);
}

impl Unwinding<'_> {
    pub(crate) fn target(&self, site: Site) -> u32 {
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
