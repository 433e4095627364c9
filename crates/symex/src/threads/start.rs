//! What threads do: begin, end, wait, and the sections in which nobody else runs.

use super::{Access, ID_BITS, Parked, Thread, entry_key};
use crate::exec::{Executor, Flow};
use crate::memory::Refusal;
use crate::state::{Arrival, State};
use blitz_base::span::Loc;
use blitz_ir::{
    AccessKind, Builtin, CheckKind, FuncId, GlobalId, Inst, InstData, InstId, MemCheck, PropertyId, ThreadOp, Value,
};
use blitz_term::Term;
use imbl::OrdMap;
use std::collections::{BTreeMap, BTreeSet};

/// Threads that are followed; an execution that starts more is a gap.
const MAX_THREADS: usize = 64;

impl<'p> Executor<'p, '_> {
    /// One instruction of a thread, and the point before it if it has one.
    pub(crate) fn step_of_thread(&mut self, state: &mut State, inst: InstId) -> Flow {
        self.frame_mut().current = Some(inst);
        let point = self.frame().body.inst(inst).inst.is_visible_point();
        if point && self.visible_point(state) == Flow::End {
            return Flow::End;
        }
        self.step_past_point(state, inst)
    }

    /// One instruction; what it demands of its executions is noted. A call notes that itself, instruction by instruction.
    pub(super) fn step_past_point(&mut self, state: &mut State, inst: InstId) -> Flow {
        let before = state.guard.clone();
        let flow = self.step(state, inst);
        let goes_elsewhere = match &self.frame().body.inst(inst).inst {
            Inst::Call(_) => true,
            Inst::Builtin { op, .. } => *op == Builtin::Thread(ThreadOp::Exit),
            _ => false,
        };
        if !goes_elsewhere {
            match flow {
                Flow::On => {
                    let new = state.guard.since(before.depth());
                    self.demand(&before, &new);
                }
                Flow::End => self.path_ends(&before),
            }
        }
        flow
    }

    pub(crate) fn thread_op(
        &mut self,
        state: &mut State,
        data: &InstData,
        op: ThreadOp,
        args: &[Term],
    ) -> Result<Flow, Refusal> {
        if self.threads.is_none() {
            return Ok(self.alone(state, data, op, args));
        }
        match op {
            ThreadOp::Start => return self.start_thread(state, data, args),
            ThreadOp::Self_ => {
                let threads = self.threads_mut();
                let id = threads.list[threads.turn.thread].id;
                self.yields(data, id);
            }
            ThreadOp::Done => {
                let done = self.is_done(args[0]);
                self.yields(data, done);
            }
            ThreadOp::Resumed => {
                let resumed = state.tally.expect("a state of a thread should count").resumed;
                self.yields(data, resumed);
            }
            ThreadOp::Exit => {
                self.leave_all_frames(state);
                self.end_thread(state.clone());
                return Ok(Flow::End);
            }
            ThreadOp::AtomicBegin => self.count_atomic(state, true),
            ThreadOp::AtomicEnd => self.count_atomic(state, false),
            ThreadOp::Local => {
                let own = self.own_instance(args[0])?;
                self.yields(data, own);
            }
            ThreadOp::Switch | ThreadOp::Acquire | ThreadOp::Release | ThreadOp::Publish => {}
        }
        Ok(Flow::On)
    }

    /// Where threads are not followed there is one.
    fn alone(&mut self, state: &State, data: &InstData, op: ThreadOp, args: &[Term]) -> Flow {
        match op {
            ThreadOp::Start | ThreadOp::Exit => {
                self.gap(state, "threads".to_string(), data.loc);
                return Flow::End;
            }
            ThreadOp::Self_ => {
                let zero = self.terms.bv(ID_BITS, 0);
                self.yields(data, zero);
            }
            ThreadOp::Done | ThreadOp::Resumed => {
                let no = self.terms.fls();
                self.yields(data, no);
            }
            ThreadOp::Local => self.yields(data, args[0]),
            ThreadOp::Switch
            | ThreadOp::AtomicBegin
            | ThreadOp::AtomicEnd
            | ThreadOp::Acquire
            | ThreadOp::Release
            | ThreadOp::Publish => {}
        }
        Flow::On
    }

    fn start_thread(&mut self, state: &mut State, data: &InstData, args: &[Term]) -> Result<Flow, Refusal> {
        let mut tally = state.tally.expect("a state of a thread should count");
        let one = self.terms.bv(ID_BITS, 1);
        tally.starts = self.terms.add(tally.starts, one);
        state.tally = Some(tally);
        self.yields(data, tally.starts);
        if self.threads_mut().turn.peek.is_some() {
            return Ok(Flow::On);
        }
        if self.threads_mut().guessed_move.is_some() && self.threads_mut().turn.thread != 0 {
            self.gap(state, "threads started by other threads than the first, one by one".to_string(), data.loc);
            return Ok(Flow::End);
        }
        let (found, none) = self.space.functions(self.terms, args[0])?;
        let lost = State { guard: state.guard.and(self.terms, none), ..state.clone() };
        if !lost.guard.is_false(self.terms) {
            self.gap(&lost, "a thread that runs no function".to_string(), data.loc);
        }
        let Some(t) = self.thread_here(tally.starts, &state.guard.term(self.terms)) else {
            self.gap(state, format!("more than {MAX_THREADS} threads"), data.loc);
            return Ok(Flow::End);
        };
        for (cond, func) in found {
            let entry = State { guard: state.guard.and(self.terms, cond), carried: OrdMap::new(), ..state.clone() };
            if entry.guard.is_false(self.terms) {
                continue;
            }
            match self.program.body(func) {
                Some(_) => self.park_entry(t, func, entry, args[1], data.loc),
                None => self.gap(
                    &entry,
                    format!("a thread that runs `{}`, which has no body", self.program.decl(func).name),
                    data.loc,
                ),
            }
        }
        Ok(Flow::On)
    }

    /// The thread that is started at this place of the unwound program.
    fn thread_here(&mut self, id: Term, guard: &Term) -> Option<usize> {
        let node = self.node().expect("a thread should be started by an instruction");
        let known = self.threads_mut().by_node.get(&node).copied();
        if let Some(t) = known {
            let thread = &self.threads_mut().list[t];
            let (old_id, old_started) = (thread.id, thread.started);
            let id = self.terms.ite(*guard, id, old_id);
            let started = self.terms.or(old_started, *guard);
            let thread = &mut self.threads_mut().list[t];
            (thread.id, thread.started) = (id, started);
            return Some(t);
        }
        let t = self.threads_mut().list.len();
        if t >= MAX_THREADS {
            return None;
        }
        let done = self.terms.fls();
        let threads = self.threads_mut();
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
            (tally.atomic, tally.resumed) = (self.terms.bv(ID_BITS, 0), self.terms.fls());
        }
        let params = self.program.decl(func).signature.params.len();
        let mut args: Vec<Term> = Vec::new();
        if params > 0 {
            let bits = self.program.decl(func).signature.params[0].bits(self.space.ptr_bits());
            args.push(crate::ops::resize(self.terms, arg, bits));
        }
        let key = entry_key(func);
        let mut slot = Some(Arrival { state, args });
        if let Some(earlier) = self.threads_mut().list[t].parked.remove(&key) {
            self.join_into(&mut slot, Arrival { state: earlier.state, args: earlier.args }, loc);
        }
        let Arrival { state, args } = slot.expect("a joined state should be there");
        let waited = self.terms.fls();
        let parked = Parked { state, frames: Vec::new(), args, waited };
        self.threads_mut().list[t].parked.insert(key, parked);
    }

    /// Whether a thread with this number has ended.
    fn is_done(&mut self, id: Term) -> Term {
        let all: Vec<(Term, Term, Term)> = self.threads_mut().list.iter().map(|t| (t.id, t.started, t.done)).collect();
        let mut out = self.terms.fls();
        for (own, started, done) in all {
            let it = self.terms.eq(id, own);
            let it = self.terms.and(it, started);
            let ended = self.terms.and(it, done);
            out = self.terms.or(out, ended);
        }
        out
    }

    fn leave_all_frames(&mut self, state: &mut State) {
        let allocas: Vec<u32> = self.frames.iter().flat_map(|f| f.allocas.iter().map(|(n, _)| *n)).collect();
        for number in allocas {
            self.kill_stack_object(state, number);
        }
    }

    fn count_atomic(&mut self, state: &mut State, begins: bool) {
        let mut tally = state.tally.expect("a state of a thread should count");
        let one = self.terms.bv(ID_BITS, 1);
        tally.atomic = match begins {
            true => self.terms.add(tally.atomic, one),
            false => self.terms.sub(tally.atomic, one),
        };
        state.tally = Some(tally);
    }

    /// The path goes on where the condition holds; a thread for which it does not waits at its last point.
    pub(crate) fn await_state(&mut self, state: &mut State, cond: Value, property: Option<PropertyId>, loc: Loc) {
        let cond = self.get(cond);
        match (&self.threads, property) {
            (Some(_), _) => self.note_wait(state, cond, property),
            (None, Some(property)) => {
                let fails = self.terms.not(cond);
                self.claim(state, CheckKind::Deadlock, property, fails, loc);
            }
            (None, None) => {}
        }
        state.guard = state.guard.and(self.terms, cond);
    }

    /// An access that other threads may see.
    pub(crate) fn shared_access(&mut self, state: &mut State, check: &MemCheck, _loc: Loc) {
        if self.threads.as_ref().is_none_or(|t| t.turn.peek.is_none()) {
            return;
        }
        let Some(&(_, property)) = check.properties.iter().find(|(k, _)| *k == CheckKind::DataRace) else { return };
        let (ptr, size) = (self.get(check.ptr), self.get(check.size));
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
        let zero = self.terms.zero(self.terms.width(depth));
        let section = self.terms.ne(depth, zero);
        let property = self.attribute(CheckKind::DataRace, property);
        let guard = state.guard.term(self.terms);
        self.note_access(Access { guard, ptr, size, write, atomic, section, property });
    }

    /// The running thread's own instance of a thread-local global.
    fn own_instance(&mut self, p: Term) -> Result<Term, Refusal> {
        let t = self.threads_mut().turn.thread;
        let mut out = p;
        if t == 0 {
            return Ok(out);
        }
        for leaf in self.space.leaves(self.terms, p)? {
            let number = self.instance_number(t, leaf.object);
            let base = self.space.pointer(self.terms, u64::from(number), 0);
            let offset = self.terms.sext(leaf.off, self.space.ptr_bits());
            let own = self.space.ptr_add(self.terms, base, offset);
            out = self.terms.ite(leaf.cond, own, out);
        }
        Ok(out)
    }

    fn instance_number(&mut self, t: usize, object: u32) -> u32 {
        let fresh = self.next_object;
        let nodes = self.nodes.as_mut().expect("threads should run on nodes");
        let number = *nodes.instances.entry((t, object)).or_insert(fresh);
        self.next_object += u32::from(number == fresh);
        number
    }

    /// A thread begins with its own instances of thread-local globals.
    pub(super) fn make_instances(&mut self, state: &mut State) {
        let t = self.threads_mut().turn.thread;
        let program = self.program;
        let locals = program.globals.iter().enumerate().filter(|(_, g)| g.thread_local);
        for (g, _) in locals.filter(|_| t != 0) {
            let object = program.global_object(GlobalId::new(g)) as u32;
            let number = self.instance_number(t, object);
            let fresh = crate::memory::Memory::default();
            if let Some(initial) = fresh.object(&mut self.space, self.terms, object) {
                state.memory.put(number, (*initial).clone());
                self.space.note_object(number);
            }
        }
    }
}
