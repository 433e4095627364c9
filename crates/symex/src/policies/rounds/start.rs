//! What threads do: begin, end, wait, and the sections in which nobody else runs.

use super::{Access, ID_BITS, Parked, Rounds, Thread, entry_key};
use crate::ids::{Holder, ObjectNo};
use crate::memory::Refusal;
use crate::state::{Arrival, State};
use crate::walk::{Executor, Goes};
use blitz_base::span::Loc;
use blitz_ir::{AccessKind, Builtin, CheckKind, FuncId, GlobalId, Inst, InstData, InstId, MemCheck, ThreadOp};
use blitz_term::Term;
use imbl::OrdMap;
use std::collections::{BTreeMap, BTreeSet};

/// Threads that are followed; an execution that starts more is a gap.
const MAX_THREADS: usize = 64;

impl<'p, 'a> Executor<'p, 'a, Rounds<'p>> {
    /// One instruction of a thread, and the point before it if it has one.
    pub(super) fn step_of_thread(&mut self, state: &mut State, inst: InstId) -> Goes {
        self.m.frame_mut().current = Some(inst);
        let point = self.m.frame().body.inst(inst).inst.is_visible_point();
        if point && self.visible_point(state) == Goes::Nowhere {
            return Goes::Nowhere;
        }
        self.step_past_point(state, inst)
    }

    /// One instruction; what it demands of its executions is noted. A call notes that itself, instruction by
    /// instruction.
    pub(super) fn step_past_point(&mut self, state: &mut State, inst: InstId) -> Goes {
        let before = state.guard.clone();
        let flow = self.execute(state, inst);
        let goes_elsewhere = match &self.m.frame().body.inst(inst).inst {
            Inst::Call(_) => true,
            Inst::Builtin { op, .. } => *op == Builtin::Thread(ThreadOp::Exit),
            _ => false,
        };
        if !goes_elsewhere {
            match flow {
                Goes::On => {
                    let new = state.guard.since(before.depth());
                    self.demand(&before, &new);
                }
                Goes::Nowhere => self.path_ends(&before),
            }
        }
        flow
    }

    pub(super) fn thread_op(
        &mut self,
        state: &mut State,
        data: &InstData,
        op: ThreadOp,
        args: &[Term],
    ) -> Result<Goes, Refusal> {
        match op {
            ThreadOp::Start => return self.start_thread(state, data, args),
            ThreadOp::Self_ => {
                let threads = &mut self.policy;
                let id = threads.list[threads.turn.thread].id;
                self.m.yields(data, id);
            }
            ThreadOp::Done => {
                let done = self.is_done(args[0]);
                self.m.yields(data, done);
            }
            ThreadOp::Resumed => {
                let resumed = state.tally.expect("a state of a thread should count").resumed;
                self.m.yields(data, resumed);
            }
            ThreadOp::Exit => {
                self.leave_all_frames(state);
                self.end_thread(state.clone());
                return Ok(Goes::Nowhere);
            }
            ThreadOp::AtomicBegin => self.count_atomic(state, true),
            ThreadOp::AtomicEnd => self.count_atomic(state, false),
            ThreadOp::Local => {
                let own = self.own_instance(args[0])?;
                self.m.yields(data, own);
            }
            ThreadOp::Switch | ThreadOp::Acquire | ThreadOp::Release | ThreadOp::Publish => {}
        }
        Ok(Goes::On)
    }

    fn start_thread(&mut self, state: &mut State, data: &InstData, args: &[Term]) -> Result<Goes, Refusal> {
        let mut tally = state.tally.expect("a state of a thread should count");
        let one = self.m.terms.bv(ID_BITS, 1);
        tally.starts = self.m.terms.add(tally.starts, one);
        state.tally = Some(tally);
        self.m.yields(data, tally.starts);
        if self.policy.turn.peek.is_some() {
            return Ok(Goes::On);
        }
        if self.policy.guessed_move.is_some() && self.policy.turn.thread != 0 {
            self.m.gap(state, "threads started by other threads than the first, one by one", data.loc);
            return Ok(Goes::Nowhere);
        }
        let (found, none) = self.m.space.functions(self.m.terms, args[0])?;
        let lost = State { guard: state.guard.and(self.m.terms, none), ..state.clone() };
        if !lost.guard.is_false(self.m.terms) {
            self.m.gap(&lost, "a thread that runs no function", data.loc);
        }
        let Some(t) = self.thread_here(tally.starts, &state.guard.term(self.m.terms)) else {
            self.m.gap(state, format!("more than {MAX_THREADS} threads"), data.loc);
            return Ok(Goes::Nowhere);
        };
        for (cond, func) in found {
            let entry = State { guard: state.guard.and(self.m.terms, cond), carried: OrdMap::new(), ..state.clone() };
            if entry.guard.is_false(self.m.terms) {
                continue;
            }
            match self.m.program.body(func) {
                Some(_) => self.park_entry(t, func, entry, args[1], data.loc),
                None => self.m.gap(
                    &entry,
                    format!("a thread that runs `{}`, which has no body", self.m.program.decl(func).name),
                    data.loc,
                ),
            }
        }
        Ok(Goes::On)
    }

    /// The thread that is started at this place of the unwound program.
    fn thread_here(&mut self, id: Term, guard: &Term) -> Option<usize> {
        let node = self.m.node().expect("a thread should be started by an instruction");
        let known = self.policy.by_node.get(&node).copied();
        if let Some(t) = known {
            let thread = &self.policy.list[t];
            let (old_id, old_started) = (thread.id, thread.started);
            let id = self.m.terms.ite(*guard, id, old_id);
            let started = self.m.terms.or(old_started, *guard);
            let thread = &mut self.policy.list[t];
            (thread.id, thread.started) = (id, started);
            return Some(t);
        }
        let t = self.policy.list.len();
        if t >= MAX_THREADS {
            return None;
        }
        let done = self.m.terms.fls();
        let threads = &mut self.policy;
        threads.by_node.insert(node, t);
        threads.list.push(Thread {
            parked: BTreeMap::new(),
            started: *guard,
            done,
            id,
            changed: BTreeSet::new(),
            others_started: false,
            slots_seen: 0,
        });
        Some(t)
    }

    /// The thread stands at its beginning. One started here in an earlier round that has not begun is joined.
    fn park_entry(&mut self, t: usize, func: FuncId, mut state: State, arg: Term, loc: Loc) {
        if let Some(tally) = &mut state.tally {
            (tally.atomic, tally.resumed) = (self.m.terms.bv(ID_BITS, 0), self.m.terms.fls());
        }
        let params = self.m.program.decl(func).signature.params.len();
        let mut args: Vec<Term> = Vec::new();
        if params > 0 {
            let bits = self.m.program.decl(func).signature.params[0].bits(self.m.space.ptr_bits());
            args.push(crate::ops::resize(self.m.terms, arg, bits));
        }
        let key = entry_key(func);
        let mut slot = Some(Arrival { state, args });
        if let Some(earlier) = self.policy.list[t].parked.remove(&key) {
            self.m.join_into(&mut slot, Arrival { state: earlier.state, args: earlier.args }, loc);
        }
        let Arrival { state, args } = slot.expect("a joined state should be there");
        let waited = self.m.terms.fls();
        let parked = Parked { state, frames: Vec::new(), args, waited };
        self.policy.list[t].parked.insert(key, parked);
    }

    /// Whether a thread with this number has ended.
    fn is_done(&mut self, id: Term) -> Term {
        let all: Vec<(Term, Term, Term)> = self.policy.list.iter().map(|t| (t.id, t.started, t.done)).collect();
        let mut out = self.m.terms.fls();
        for (own, started, done) in all {
            let it = self.m.terms.eq(id, own);
            let it = self.m.terms.and(it, started);
            let ended = self.m.terms.and(it, done);
            out = self.m.terms.or(out, ended);
        }
        out
    }

    fn leave_all_frames(&mut self, state: &mut State) {
        let allocas: Vec<ObjectNo> = self.m.frames.iter().flat_map(|f| f.allocas.iter().map(|(n, _)| *n)).collect();
        for number in allocas {
            self.m.kill_stack_object(state, number);
        }
    }

    fn count_atomic(&mut self, state: &mut State, begins: bool) {
        let mut tally = state.tally.expect("a state of a thread should count");
        let one = self.m.terms.bv(ID_BITS, 1);
        tally.atomic = match begins {
            true => self.m.terms.add(tally.atomic, one),
            false => self.m.terms.sub(tally.atomic, one),
        };
        state.tally = Some(tally);
    }

    /// An access that other threads may see.
    pub(super) fn shared_access(&mut self, state: &State, check: &MemCheck) {
        if self.policy.turn.peek.is_none() {
            return;
        }
        let Some(&(_, property)) = check.properties.iter().find(|(k, _)| *k == CheckKind::DataRace) else { return };
        let (ptr, size) = (self.m.get(check.ptr), self.m.get(check.size));
        let (write, atomic) = match check.access {
            AccessKind::SharedRead => (false, false),
            AccessKind::SharedWrite => (true, false),
            AccessKind::AtomicRead => (false, true),
            AccessKind::AtomicWrite => (true, true),
            AccessKind::Read | AccessKind::Write | AccessKind::Free | AccessKind::Defined | AccessKind::String => {
                return;
            }
        };
        let depth = state.tally.expect("a state of a thread should count").atomic;
        let zero = self.m.terms.zero(self.m.terms.width(depth));
        let section = self.m.terms.ne(depth, zero);
        let property = self.m.attribute(CheckKind::DataRace, property);
        let guard = state.guard.term(self.m.terms);
        self.note_access(Access { guard, ptr, size, write, atomic, section, property });
    }

    /// The running thread's own instance of a thread-local global.
    fn own_instance(&mut self, p: Term) -> Result<Term, Refusal> {
        let t = self.policy.turn.thread;
        let mut out = p;
        if t == 0 {
            return Ok(out);
        }
        for leaf in self.m.space.leaves(self.m.terms, p)? {
            let number = self.instance_number(t, leaf.object);
            let base = self.m.space.pointer(self.m.terms, number.number(), 0);
            let offset = self.m.terms.sext(leaf.off, self.m.space.ptr_bits());
            let own = self.m.space.ptr_add(self.m.terms, base, offset);
            out = self.m.terms.ite(leaf.cond, own, out);
        }
        Ok(out)
    }

    fn instance_number(&mut self, t: usize, object: Holder) -> ObjectNo {
        let names = &mut self.m.names;
        *self.policy.kept.instances.entry((t, object)).or_insert_with(|| names.number())
    }

    /// A thread begins with its own instances of thread-local globals.
    pub(super) fn make_instances(&mut self, state: &mut State) {
        let t = self.policy.turn.thread;
        let program = self.m.program;
        let locals = program.globals.iter().enumerate().filter(|(_, g)| g.thread_local);
        for (g, _) in locals.filter(|_| t != 0) {
            let object = self.m.global_holder(GlobalId::new(g));
            let number = self.instance_number(t, object);
            let fresh = crate::memory::Memory::default();
            if let Some(initial) = fresh.object(&mut self.m.space, self.m.terms, object) {
                state.memory.put(number, (*initial).clone());
                self.m.space.note_object(number);
            }
        }
    }
}
