//! Ways of a fork that meet again soon, followed together (veritesting: Avgerinos, Rebert, Cha and Brumley, "Enhancing
//! Symbolic Execution with Veritesting", ICSE 2014).
//!
//! A fork doubles the paths behind it; where its ways only compute something and meet again, one state whose values are
//! choices does as well. The blocks behind the fork are run as a merging policy runs them: in the order of the graph,
//! states that arrive at a block joined. What is left are the *exits*, where the ways have met; a path goes on at one of
//! them. `(c >= 'a' && c <= 'z') || c == '_'` has five paths and two exits.
//!
//! Invariants: what is run together takes no inputs, makes no objects and calls nothing, so names and positions on the
//! path are those of any other run with the same choices. A claim made on the way says which way it is on
//! (`Claim::bad`), since the path's own conjuncts don't. Absent: loops, calls, and whether it pays: the chooser decides.

use super::Follow;
use crate::fork::{self, Way};
use crate::guard::Guard;
use crate::names::Names;
use crate::outcome::PathEnd;
use crate::ranges::Facts;
use crate::state::{Arrival, State};
use crate::walk::{Executor, Goes};
use blitz_base::span::Loc;
use blitz_ir::effect::Kind;
use blitz_ir::loops::LoopForest;
use blitz_ir::{Block, Func, InstId, Terminator};
use blitz_term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// More exits than these are no gain.
const MAX_EXITS: usize = 8;

/// The blocks behind a fork that are run together, in order; none where no ways meet within `most` instructions. Of all
/// beginnings of the graph behind the fork it is the one with the fewest exits at which any ways have met.
pub(super) fn region(func: &Func, loops: &LoopForest, from: Block, most: usize) -> Option<Vec<Block>> {
    let home = loops.loop_of[from.index()];
    let place = |b: Block| loops.pos[b.index()];
    let mut count = 0;
    let mut runs = |b: Block| {
        let block = func.block(b);
        let stays = loops.loop_of[b.index()] == home && loops.headed_by(b).is_none() && place(b) > place(from);
        let plain = || branches(&block.term) && block.insts.iter().all(|i| is_plain(func, *i));
        let fits = stays && count + block.insts.len() <= most && plain();
        count += if fits { block.insts.len() } else { 0 };
        fits
    };
    let mut pending: BTreeSet<(Option<u32>, Block)> = BTreeSet::new();
    let (mut out, mut met, mut exits) = (Vec::new(), 0, BTreeSet::new());
    let mut best: Option<(usize, usize, usize)> = None;
    let mut next = Some(from);
    while let Some(block) = next {
        for to in targets(func, block) {
            met += usize::from(!pending.insert((place(to), to)));
        }
        let better = best
            .is_none_or(|(fewest, most_met, _)| pending.len() < fewest || pending.len() == fewest && met > most_met);
        if met > 0 && better && pending.len() <= MAX_EXITS {
            best = Some((pending.len(), met, out.len()));
        }
        next = loop {
            let open = pending.iter().find(|b| !exits.contains(*b)).copied();
            match open {
                None => break None,
                Some(_) if pending.len() == 1 => break None,
                Some(at) if runs(at.1) => {
                    pending.remove(&at);
                    out.push(at.1);
                    break Some(at.1);
                }
                Some(at) => drop(exits.insert(at)),
            }
        };
    }
    let (_, _, len) = best?;
    out.truncate(len);
    Some(out)
}

fn targets(func: &Func, block: Block) -> impl Iterator<Item = Block> + '_ {
    func.block(block).term.successors().into_iter().map(|(to, _)| to)
}

fn branches(term: &Terminator) -> bool {
    match term {
        Terminator::Jump { .. } | Terminator::Branch { .. } | Terminator::Switch { .. } => true,
        Terminator::IndirectJump { .. }
        | Terminator::Return { .. }
        | Terminator::Exit { .. }
        | Terminator::Halt { .. }
        | Terminator::Unreachable
        | Terminator::LongJmp { .. } => false,
    }
}

/// Whether an instruction only computes, changes memory or checks something.
fn is_plain(func: &Func, inst: InstId) -> bool {
    match func.inst(inst).inst.effect().kind {
        Kind::Computes | Kind::Changes | Kind::Guards | Kind::Notes => true,
        Kind::AllocatesStack
        | Kind::AllocatesHeap
        | Kind::SavesStack
        | Kind::RestoresStack
        | Kind::Input
        | Kind::Calls
        | Kind::Yields
        | Kind::Thread
        | Kind::ComesBack
        | Kind::Outputs
        | Kind::Host
        | Kind::Refused => false,
    }
}

impl<'p, 'a> Executor<'p, 'a, Follow<'p, 'a>> {
    /// The blocks behind a fork with these conditions that are run together, if the chooser wants that.
    pub(super) fn region_behind(&mut self, from: Block, conditions: &[Term]) -> Option<Vec<Block>> {
        let most = self.policy.chooser.together_within(conditions)?;
        if !self.m.frame().closing.is_empty() {
            return None;
        }
        let info = self.m.here();
        region(self.m.frame().body, &info.loops, from, most)
    }

    /// Follows all ways to the region's exits; gives what arrives there. None if anything was made on the way that has a name: that is taken back.
    pub(super) fn run_together(
        &mut self,
        from: Block,
        ways: &[Way<'p>],
        region: &[Block],
        state: &State,
    ) -> Option<Vec<(Block, Arrival)>> {
        let (base, before) = (state.guard.clone(), self.policy.guard.clone());
        let (found, names, aside) = (self.m.out.found(), self.m.names.position(), self.policy.aside.len());
        let loc = self.m.frame().body.block(from).loc;
        let mut arrivals = BTreeMap::new();
        self.part(&mut arrivals, ways, state, loc);
        for &block in region {
            let Some(arrival) = arrivals.remove(&block) else { continue };
            let Some(state) = self.run_aside(block, arrival, &base) else { continue };
            let data = self.m.frame().body.block(block);
            match &data.term {
                Terminator::Jump { to, args } => self.arrive(&mut arrivals, *to, args, state, data.loc),
                term @ (Terminator::Branch { cond: value, .. }
                | Terminator::Switch { value, .. }
                | Terminator::IndirectJump { value, .. }) => {
                    let value = self.m.get(*value);
                    let ways = fork::ways(self.m.terms, value, term).map(|(_, ways)| ways).unwrap_or_default();
                    self.part(&mut arrivals, &ways, &state, data.loc);
                }
                Terminator::Return { .. }
                | Terminator::Exit { .. }
                | Terminator::Halt { .. }
                | Terminator::Unreachable
                | Terminator::LongJmp { .. } => unreachable!("a region should have branches only"),
            }
        }
        let end = self.m.frame().body.block(from).insts.len();
        self.m.frame_mut().at = (from, end);
        let named = self.m.names.position() != names;
        if named || !arrivals.is_empty() {
            // Where one way ends, that is not the end of the path.
            (self.policy.end, self.policy.guard) = (None, before);
        }
        if named {
            self.m.out.take_back(found);
            self.m.names = Names::at_position(names);
            self.policy.aside.truncate(aside);
            return None;
        }
        self.policy.joined += 1;
        Some(arrivals.into_iter().collect())
    }

    fn part(&mut self, arrivals: &mut BTreeMap<Block, Arrival>, ways: &[Way<'p>], state: &State, loc: Loc) {
        for &(cond, to, args) in ways {
            let guard = state.guard.and(self.m.terms, cond);
            if !guard.is_false(self.m.terms) {
                self.arrive(arrivals, to, args, State { guard, ..state.clone() }, loc);
            }
        }
    }

    fn arrive(
        &mut self,
        arrivals: &mut BTreeMap<Block, Arrival>,
        to: Block,
        args: &[blitz_ir::Value],
        state: State,
        loc: Loc,
    ) {
        let args = self.m.get_all(args);
        let mut slot = arrivals.remove(&to);
        self.m.join_into(&mut slot, Arrival { state, args }, loc);
        arrivals.extend(slot.map(|met| (to, met)));
    }

    /// Runs a block's instructions on one way, or some; none if it ends in there.
    fn run_aside(&mut self, block: Block, arrival: Arrival, base: &Guard) -> Option<State> {
        let (func, body) = (self.m.frame().func, self.m.frame().body);
        let Arrival { mut state, args } = arrival;
        if !self.m.program.decl(func).model {
            let guard = state.guard.term(self.m.terms);
            self.policy.aside.push_back(((func, block), guard));
        }
        let data = body.block(block);
        for (&p, &a) in data.params.iter().zip(&args) {
            self.m.set(p, a);
        }
        for (index, &inst) in data.insts.iter().enumerate() {
            self.m.frame_mut().at = (block, index);
            let made = self.m.out.claims.len();
            let goes = self.step_aside(&mut state, inst);
            self.say_the_way(made, &state.guard, base);
            if goes == Goes::Nowhere || self.m.stopped() {
                return None;
            }
        }
        Some(state)
    }

    fn step_aside(&mut self, state: &mut State, inst: InstId) -> Goes {
        let data = self.m.frame().body.inst(inst);
        let flow = self.m.step(state, inst);
        let goes = flow.and_then(|flow| self.follow(state, data, flow));
        self.m.space.facts = Facts::default();
        match goes {
            Ok(Goes::On) if !state.guard.is_false(self.m.terms) => Goes::On,
            Ok(Goes::On | Goes::Nowhere) => {
                self.policy.ends(&state.guard, PathEnd::Blocked, data.loc);
                Goes::Nowhere
            }
            Err(refusal) => {
                self.m.refuse(state, refusal, data.loc);
                self.policy.ends(&state.guard, PathEnd::Gap, data.loc);
                Goes::Nowhere
            }
        }
    }

    /// Claims made since are of the ways that lead to them: what the path will know of its ways where they have met is less.
    fn say_the_way(&mut self, made: usize, guard: &Guard, base: &Guard) {
        let shared = base.depth();
        if self.m.out.claims[made..].iter().all(|c| c.depth == shared) {
            return;
        }
        let own: Vec<Term> = guard.since(shared);
        for claim in &mut self.m.out.claims[made..] {
            let upto = claim.depth.saturating_sub(shared) as usize;
            let way = own[..upto.min(own.len())].to_vec();
            let way = self.m.terms.and_all(&way);
            claim.bad = self.m.terms.and(way, claim.bad);
            claim.depth = shared;
        }
    }
}
