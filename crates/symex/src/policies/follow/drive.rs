//! How a path is driven: one state, from instruction to instruction and from activation to activation.
//!
//! Where the innermost activation stands is in its frame (`Frame::at`), so the run has no place of its own in our code:
//! it can stop before any instruction and go on there from a snapshot, and calls need none of our stack. An instruction
//! means what it means everywhere (`Machine::step`). A loop that is running is known by its frame; arriving at its head
//! once more is one more iteration.
//!
//! Absent: joins, values that a state carries out of a loop (the activation has them), uncounted iterations (models'
//! loops have no bound here).

use super::{Decision, Follow, Fork};
use crate::fork::{self, ForkKind, Place};
use crate::machine::{CallMade, Running};
use crate::memory::Refusal;
use crate::outcome::{CutKind, PathEnd};
use crate::policy::Policy;
use crate::ranges::Facts;
use crate::state::{Arrival, State};
use crate::step::Flow;
use crate::walk::{Executor, Goes};
use blitz_analysis::Instance;
use blitz_base::span::Loc;
use blitz_ir::callgraph::makes_sense_as;
use blitz_ir::loops::LoopId;
use blitz_ir::{Block, CallSite, Func, FuncId, InstData, InstId, Target, Terminator, Value};
use blitz_term::Term;

/// Where a path goes after an instruction.
enum Moves {
    /// To the next one.
    On,
    /// Into a function that was called.
    Elsewhere,
    Nowhere,
}

impl<'p, 'a> Executor<'p, 'a, Follow<'p, 'a>> {
    /// Runs on from where the innermost activation stands to the end of the path.
    pub(super) fn drive(&mut self, state: State) {
        let mut next = Some(state);
        while let Some(state) = next {
            next = self.run_on(state);
        }
    }

    /// The rest of the block in which the innermost activation stands, or up to a call.
    fn run_on(&mut self, mut state: State) -> Option<State> {
        let (block, first) = self.m.frame().at;
        let insts = &self.m.frame().body.block(block).insts;
        for (index, &inst) in insts.iter().enumerate().skip(first) {
            self.m.frame_mut().at = (block, index);
            match self.instruct(&mut state, inst) {
                Moves::On => {}
                Moves::Elsewhere => return Some(state),
                Moves::Nowhere => return None,
            }
        }
        self.m.frame_mut().at = (block, insts.len());
        self.leave_block(block, state)
    }

    fn instruct(&mut self, state: &mut State, inst: InstId) -> Moves {
        let data: &'p InstData = self.m.frame().body.inst(inst);
        let inputs = self.m.out.inputs.len();
        let flow = self.m.step(state, inst);
        self.note_inputs(inputs);
        let moves = flow.and_then(|flow| match flow {
            Flow::Calls(site) => self.enter_call(state, data, site),
            Flow::On | Flow::Ends(_) | Flow::Thread(..) | Flow::Awaits(..) | Flow::Shares(_) => {
                let goes = self.follow(state, data, flow)?;
                Ok(if goes == Goes::On { Moves::On } else { Moves::Nowhere })
            }
        });
        self.m.space.facts = Facts::default();
        match moves {
            Ok(Moves::On) if state.guard.is_false(self.m.terms) => {
                self.policy.ends(&state.guard, PathEnd::Blocked, data.loc);
                Moves::Nowhere
            }
            Ok(moves) => moves,
            Err(refusal) => {
                self.m.refuse(state, refusal, data.loc);
                self.policy.ends(&state.guard, PathEnd::Gap, data.loc);
                Moves::Nowhere
            }
        }
    }

    // Calls.

    fn enter_call(&mut self, state: &mut State, data: &'p InstData, site: &'p CallSite) -> Result<Moves, Refusal> {
        let callee = match site.target {
            Target::Func(f) => f,
            Target::Pointer(p) => {
                let p = self.m.get(p);
                let Some(callee) = self.callee(state, p, data, site)? else { return Ok(Moves::Nowhere) };
                callee
            }
        };
        let args = self.m.get_all(&site.args);
        if !self.m.program.decl(callee).has_body {
            let inputs = self.m.out.inputs.len();
            let arrival = self.m.without_body(state.clone(), callee, data, site);
            self.note_inputs(inputs);
            *state = arrival.state;
            self.set_results(data, arrival.args);
            return Ok(Moves::On);
        }
        let made_by = CallMade { loc: data.loc, lent: &site.properties, mark: None, instance: Instance::SHARED };
        let Some((passed, args)) = self.m.pass_arguments(state.clone(), callee, args) else {
            return Err(Refusal::MixedWidths);
        };
        Ok(match self.enter(callee, args, passed, made_by) {
            Some(inside) => {
                *state = inside;
                Moves::Elsewhere
            }
            None => Moves::Nowhere,
        })
    }

    /// The function that a call through a pointer goes to on this path.
    fn callee(
        &mut self,
        state: &mut State,
        pointer: Term,
        data: &'p InstData,
        site: &'p CallSite,
    ) -> Result<Option<FuncId>, Refusal> {
        let found = self.functions(state, pointer, data.loc)?;
        let (cond, callee) = match found[..] {
            [] => return Ok(None),
            [only] => only,
            _ => {
                let (block, index) = self.m.frame().at;
                let place = Place { func: self.m.frame().func, block, kind: ForkKind::Call(index as u32) };
                let conditions: Vec<Term> = found.iter().map(|t| t.0).collect();
                let entries: Vec<(FuncId, Block)> = found.iter().map(|t| (t.1, Func::ENTRY)).collect();
                match self.choose(state, place, &conditions, &entries, data.loc) {
                    Some(taken) => found[taken],
                    None => return Ok(None),
                }
            }
        };
        state.guard = state.guard.and(self.m.terms, cond);
        if state.guard.is_false(self.m.terms) {
            return Ok(None);
        }
        let decl = self.m.program.decl(callee);
        let made_as = site.made_as(self.m.frame().body, &data.results);
        if !makes_sense_as(decl, &made_as, self.m.space.ptr_bits()) {
            let what = format!("a call of `{}` through a pointer to functions of another type", decl.name);
            self.m.gap(state, what, data.loc);
            self.policy.ends(&state.guard, PathEnd::Gap, data.loc);
            return Ok(None);
        }
        Ok(Some(callee))
    }

    /// A function begins; gives the state in which it does.
    pub(super) fn enter(
        &mut self,
        func: FuncId,
        args: Vec<Term>,
        state: State,
        made_by: CallMade<'p>,
    ) -> Option<State> {
        let bound = self.m.config.bounds.recursion_bound(func);
        if self.m.active(func) > bound {
            self.cut(&state, func, CutKind::Recursion, made_by.loc, bound);
            return None;
        }
        let frame = self.m.bare_frame(func, made_by);
        self.m.frames.push(frame);
        self.enter_block(None, Func::ENTRY, args, state)
    }

    /// The innermost activation returns; gives the state in which its caller goes on.
    fn leave_function(&mut self, values: &[Value], state: State) -> Option<State> {
        let args = self.m.get_all(values);
        Follow::returns(self, &args);
        let func = self.m.frame().func;
        self.m.frame_mut().returned = Some(Arrival { state, args });
        let arrival = self.m.leave_frame().expect("an activation that returns should have a state");
        if self.m.frames.is_empty() {
            let status = arrival.args.first().copied().unwrap_or_else(|| self.m.terms.bv(32, 0));
            self.policy.ends(&arrival.state.guard, PathEnd::Exit(status), Loc::UNKNOWN);
            return None;
        }
        self.policy.images.truncate(self.m.frames.len() - 1);
        let frame = self.m.frame_mut();
        let data: &'p InstData = frame.body.inst(frame.current.expect("a call should come from an instruction"));
        frame.at.1 += 1;
        self.m.note_lost_shadow(&arrival, data, self.m.program.decl(func).shadow_results as usize);
        let arrival = self.m.fit_results(arrival, data);
        self.set_results(data, arrival.args);
        if arrival.state.guard.is_false(self.m.terms) {
            self.policy.ends(&arrival.state.guard, PathEnd::Blocked, data.loc);
            return None;
        }
        Some(arrival.state)
    }

    fn set_results(&mut self, data: &InstData, values: Vec<Term>) {
        for (&v, t) in data.results.iter().zip(values) {
            self.m.set(v, t);
        }
    }

    // Blocks and loops.

    fn leave_block(&mut self, block: Block, state: State) -> Option<State> {
        let data = self.m.frame().body.block(block);
        let loc = data.loc;
        match &data.term {
            Terminator::Jump { to, args } => self.go_to(block, *to, args, state),
            Terminator::Branch { cond: value, .. }
            | Terminator::Switch { value, .. }
            | Terminator::IndirectJump { value, .. } => {
                let value = self.m.get(*value);
                self.leave_by_one(block, value, &data.term, state, loc)
            }
            Terminator::Return { values } => self.leave_function(values, state),
            Terminator::Exit { status } => {
                let status = self.m.get(*status);
                self.policy.ends(&state.guard, PathEnd::Exit(status), loc);
                self.leave(state, loc);
                None
            }
            Terminator::Halt { status } => {
                let status = self.m.get(*status);
                self.policy.ends(&state.guard, PathEnd::Halt(status), loc);
                None
            }
            Terminator::Unreachable => {
                self.policy.ends(&state.guard, PathEnd::Blocked, loc);
                None
            }
            Terminator::LongJmp { buf, value } => {
                self.long_jump(state, *buf, *value, loc);
                let state = self.land()?;
                self.policy.images.truncate(self.m.frames.len() - 1);
                Some(state)
            }
        }
    }

    /// A block is left by one of several ways.
    fn leave_by_one(
        &mut self,
        from: Block,
        value: Term,
        term: &'p Terminator,
        mut state: State,
        loc: Loc,
    ) -> Option<State> {
        let (kind, ways) = fork::ways(self.m.terms, value, term)?;
        let ways = self.same_targets_once(&ways);
        let conditions: Vec<Term> = ways.iter().map(|w| w.0).collect();
        let func = self.m.frame().func;
        let targets: Vec<(FuncId, Block)> = ways.iter().map(|w| (func, w.1)).collect();
        if let Some(region) = self.region_behind(from, &conditions) {
            let open = self.alternatives(&state, &conditions).iter().filter(|c| !self.m.terms.is_false(**c)).count();
            if open > 1
                && let Some(exits) = self.run_together(from, &ways, &region, &state)
            {
                return self.leave_by_exit(from, exits, &state, loc);
            }
        }
        let taken = self.choose(&state, Place { func, block: from, kind }, &conditions, &targets, loc)?;
        let (cond, to, args) = ways[taken];
        if state.guard.facts().holds(self.m.terms, cond) != Some(true) {
            state.guard = state.guard.and(self.m.terms, cond);
        }
        self.go_to(from, to, args, state)
    }

    /// A block was left by all of its ways, as far as the places where they have met: the path goes on at one of these.
    fn leave_by_exit(&mut self, from: Block, exits: Vec<(Block, Arrival)>, state: &State, loc: Loc) -> Option<State> {
        let func = self.m.frame().func;
        let depth = state.guard.depth();
        let own: Vec<Vec<Term>> = exits.iter().map(|(_, met)| met.state.guard.since(depth)).collect();
        let conditions: Vec<Term> = own.iter().map(|conjuncts| self.m.terms.and_all(conjuncts)).collect();
        let targets: Vec<(FuncId, Block)> = exits.iter().map(|(to, _)| (func, *to)).collect();
        let place = Place { func, block: from, kind: fork::ForkKind::Together };
        let taken = self.choose(state, place, &conditions, &targets, loc)?;
        let (to, met) = exits.into_iter().nth(taken)?;
        self.enter_block(Some(from), to, met.args, met.state)
    }

    fn go_to(&mut self, from: Block, to: Block, args: &[Value], state: State) -> Option<State> {
        let args = self.m.get_all(args);
        self.enter_block(Some(from), to, args, state)
    }

    /// A block begins; gives the state in which it does, unless the path ends there.
    fn enter_block(&mut self, from: Option<Block>, to: Block, args: Vec<Term>, state: State) -> Option<State> {
        if self.m.stopped() {
            return None;
        }
        let loc = self.m.frame().body.block(to).loc;
        if state.guard.is_false(self.m.terms) {
            self.policy.ends(&state.guard, PathEnd::Blocked, loc);
            return None;
        }
        let arrival = self.cross_loops(from, to, Arrival { state, args })?;
        let (func, body) = (self.m.frame().func, self.m.frame().body);
        if !self.m.program.decl(func).model {
            self.policy.covered.insert((func, to));
        }
        for (&p, &a) in body.block(to).params.iter().zip(&arrival.args) {
            self.m.set(p, a);
        }
        self.m.frame_mut().at = (to, 0);
        Some(arrival.state)
    }

    /// Leaves, enters and continues loops on the way to a block; none if a bound or a repetition ends the path.
    fn cross_loops(&mut self, from: Option<Block>, to: Block, arrival: Arrival) -> Option<Arrival> {
        let info = self.m.here();
        let loops = &info.loops;
        let frame = self.m.frame_mut();
        while frame.running.last().is_some_and(|r| !loops.contains(r.l, to)) {
            let left = frame.running.pop().map(|r| r.l);
            frame.closing.retain(|l| Some(*l) != left);
        }
        let back = from.and_then(|from| loops.back_edge(from, to));
        let mut around: Vec<LoopId> = loops.around(to).collect();
        around.reverse();
        if let Some(&l) = frame.closing.last()
            && (back == Some(l) || !(info.in_condition[to.index()] && loops.loop_of[to.index()] == Some(l)))
        {
            return self.cut_loop(l, &arrival.state);
        }
        let known = self.m.frame().running.len();
        for &l in around.iter().skip(known) {
            self.m.frame_mut().running.push(Running::new(l));
        }
        let continues = back.is_some() && around.len() == known;
        if continues {
            self.m.running_mut().done += 1;
        }
        let arrival = self.compare_head(to, arrival)?;
        for &l in &around[known - usize::from(continues)..] {
            self.close_at_bound(l, to, &arrival.state)?;
        }
        Some(arrival)
    }

    /// A path that comes back to the head of a loop with nothing changed ends: whatever it can do from here was
    /// possible from the iteration before, with other inputs. (An endless loop without effect ends here.)
    fn compare_head(&mut self, to: Block, now: Arrival) -> Option<Arrival> {
        let info = self.m.here();
        let Some(l) = info.loops.headed_by(to).filter(|l| !info.loops.info(*l).irreducible) else { return Some(now) };
        if !self.policy.chooser.ends_repeated() {
            return Some(now);
        }
        let began = &mut self.m.running_mut().head;
        if began.as_ref().is_some_and(|before| now.same_but_guard(before)) {
            self.policy.ends(&now.state.guard, PathEnd::Repeated, info.loops.info(l).loc);
            return None;
        }
        *began = Some(now.clone());
        Some(now)
    }

    /// Where a loop has run as often as its bound allows, only its condition is evaluated once more.
    fn close_at_bound(&mut self, l: LoopId, to: Block, state: &State) -> Option<()> {
        let info = self.m.here();
        let running = self.m.frame().running.iter().find(|r| r.l == l).expect("a loop that is come to should run");
        if running.done < self.loop_bound(l) {
            return Some(());
        }
        if !(info.in_condition[to.index()] && info.loops.loop_of[to.index()] == Some(l)) {
            return self.cut_loop(l, state);
        }
        self.m.frame_mut().closing.push(l);
        Some(())
    }

    fn cut_loop<T>(&mut self, l: LoopId, state: &State) -> Option<T> {
        let loc = self.m.here().loops.info(l).loc;
        let (func, bound) = (self.m.frame().func, self.loop_bound(l));
        self.cut(state, func, CutKind::Loop(l), loc, bound);
        None
    }

    // Forks.

    /// Ways with the same target and arguments become one, at the number of the first.
    fn same_targets_once(&mut self, ways: &[fork::Way<'p>]) -> Vec<fork::Way<'p>> {
        let mut out: Vec<fork::Way<'p>> = Vec::with_capacity(ways.len());
        for &(cond, to, args) in ways {
            match out.iter().position(|w| w.1 == to && w.2 == args) {
                None => out.push((cond, to, args)),
                Some(i) => {
                    out[i].0 = self.m.terms.or(out[i].0, cond);
                    let never = self.m.terms.fls();
                    out.push((never, to, args));
                }
            }
        }
        out
    }

    /// The alternatives, constant false where they are ruled out by the path's condition as it stands.
    fn alternatives(&mut self, state: &State, conditions: &[Term]) -> Vec<Term> {
        let (facts, whole) = (state.guard.facts(), state.guard.term(self.m.terms));
        let mut out = conditions.to_vec();
        for cond in &mut out {
            if self.m.terms.is_const(*cond) {
                continue;
            }
            let both = self.m.terms.and(whole, *cond);
            if facts.holds(self.m.terms, *cond) == Some(false) || self.m.terms.is_false(both) {
                *cond = self.m.terms.fls();
            }
        }
        out
    }

    /// The number of the way that the path takes; `None` if it ends here.
    pub(super) fn choose(
        &mut self,
        state: &State,
        place: Place,
        conditions: &[Term],
        targets: &[(FuncId, Block)],
        loc: Loc,
    ) -> Option<usize> {
        let alternatives = self.alternatives(state, conditions);
        let open: Vec<usize> = (0..alternatives.len()).filter(|&i| !self.m.terms.is_false(alternatives[i])).collect();
        match open[..] {
            [] => {
                self.policy.ends(&state.guard, PathEnd::Blocked, loc);
                return None;
            }
            [only] => return Some(only),
            _ => {}
        }
        let stack: Vec<(FuncId, Block)> = self.m.frames.iter().map(|f| (f.func, f.at.0)).collect();
        let run = &mut self.policy;
        run.guard.clone_from(&state.guard);
        let fork = Fork {
            place,
            loc,
            guard: &state.guard,
            alternatives: &alternatives,
            open: &open,
            targets,
            decisions: run.decisions.len(),
            stack: &stack,
            inputs: &self.m.out.inputs,
        };
        let chosen = run.chooser.choose(self.m.terms, &fork);
        let Some(taken) = chosen else {
            self.policy.ends(&state.guard, PathEnd::Pruned, loc);
            return None;
        };
        assert!(open.contains(&taken), "a chooser should follow an alternative that is open");
        if self.policy.chooser.wants_snapshot() {
            let snapshot = self.snapshot(state);
            self.policy.chooser.keep(snapshot);
        }
        let depth = state.guard.depth();
        self.policy.decisions.push_back(Decision { place, loc, taken, condition: alternatives[taken], depth });
        Some(taken)
    }
}
