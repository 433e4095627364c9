//! Threads: each has its own activations, stack and jump points; one runs at a time, up to its next visible point, where the schedule decides who goes on.
//!
//! What the running thread has is in the machine itself; of the others it is kept here, and changes place with it when they get their turn. A thread stands
//! *at* the instruction that is its visible point, and executes it when it goes on.
//!
//! A thread that waits (`Inst::Await` on a condition that does not hold) goes back to the visible point before, and is not able to go on until another one has
//! made a step. When none is able, all wait for good: a deadlock.
//!
//! Absent: points inside atomic sections, and as long as the program has one thread only; waiting inside an atomic section, which is refused.

use crate::checks::Details;
use crate::clocks::{Access, Clock, History};
use crate::code::Op;
use crate::exec::Next;
use crate::explore::Exploration;
use crate::machine::{Activation, End, JumpPoint, Machine};
use crate::memory::{Mark, Stack};
use crate::outcome::{Doing, Event, ObjectName, Outcome, ThreadStand};
use crate::schedule::Scheduler;
use blitz_base::Bv;
use blitz_ir::{AccessKind, CheckKind, GlobalId, MemCheck, PropertyId, RelocTarget, ThreadOp, Value};
use std::mem::swap;

/// Threads that a run may start: as many as the library model has room for, and some for programs that use the primitives.
const MAX_THREADS: usize = 1024;

/// Why an exploration is not complete in which all threads wait for good.
const NO_REASON: &str = "wake-ups without a signal where every thread waits";

/// All threads of a run.
pub struct Threads<'a, 'p> {
    pub list: Vec<Thread<'a, 'p>>,
    pub current: usize,
    pub scheduler: Scheduler,
    pub history: History,
    /// Steps that were completed.
    pub progress: u64,
    pub exploration: Option<Exploration>,
}

/// A thread. The first four fields hold what the machine has while it runs.
pub struct Thread<'a, 'p> {
    pub regs: Vec<u64>,
    pub frames: Vec<Activation<'a, 'p>>,
    pub jumps: Vec<JumpPoint>,
    pub stack: Stack,
    pub state: State,
    /// It stands at a visible point: the instruction it is about to execute is one.
    pub at_point: bool,
    /// How many activations it had at its last visible point, and where that was.
    point: (usize, u32),
    /// The steps that were completed when it came to the point where it stands.
    arrived: u64,
    /// Another thread made a step while it stood at its last visible point.
    pub resumed: bool,
    /// Open atomic sections.
    pub atomic: u32,
    /// Points that were passed over since it got its turn.
    passed_over: (u32, u64),
    /// Where the last point of synchronisation stands, in the user's code or as the call of a library model: that call is one operation.
    operation: Option<(usize, u32)>,
    pub clock: Clock,
    /// Its instances of thread-local globals.
    locals: Vec<(GlobalId, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Able,
    /// The condition it waits for did not hold when so many steps were completed.
    Waits {
        property: Option<PropertyId>,
        progress: u64,
        at: u32,
    },
    Done,
}

impl Thread<'_, '_> {
    fn new(number: u32) -> Self {
        let mut clock = Clock::default();
        clock.tick(number);
        Self {
            regs: Vec::new(),
            frames: Vec::new(),
            jumps: Vec::new(),
            stack: Stack::default(),
            state: State::Able,
            at_point: false,
            point: (0, 0),
            arrived: 0,
            resumed: false,
            atomic: 0,
            passed_over: (0, 0),
            operation: None,
            clock,
            locals: Vec::new(),
        }
    }

    /// Whether another thread made a step since it came where it stands.
    pub fn was_left(&self, progress: u64) -> bool {
        self.at_point && self.arrived != progress
    }

    /// Whether it could make a step, as far as anyone knows.
    fn is_able(&self, progress: u64) -> bool {
        match self.state {
            State::Able => true,
            State::Waits { progress: at, .. } => at != progress,
            State::Done => false,
        }
    }
}

impl Threads<'_, '_> {
    pub fn new(scheduler: Scheduler, exploration: Option<Exploration>) -> Self {
        let mut threads = Self {
            list: vec![Thread::new(0)],
            current: 0,
            scheduler,
            history: History::default(),
            progress: 0,
            exploration,
        };
        threads.scheduler.begins(0);
        threads
    }

    /// Whether there was ever more than one.
    pub fn several(&self) -> bool {
        self.list.len() > 1
    }

    fn able(&self) -> Vec<u32> {
        let able = |&i: &u32| self.list[i as usize].is_able(self.progress);
        (0..self.list.len() as u32).filter(able).collect()
    }
}

impl<'a, 'p> Machine<'a, 'p> {
    fn thread(&mut self) -> &mut Thread<'a, 'p> {
        &mut self.threads.list[self.threads.current]
    }

    fn thread_number(&self) -> u32 {
        self.threads.current as u32
    }

    /// Puts what the machine has of the running thread where it is kept, or back.
    fn exchange(&mut self, thread: usize) {
        let thread = &mut self.threads.list[thread];
        swap(&mut self.regs, &mut thread.regs);
        swap(&mut self.frames, &mut thread.frames);
        swap(&mut self.jumps, &mut thread.jumps);
        swap(&mut self.memory.stack, &mut thread.stack);
    }

    /// Another thread runs from here on.
    fn turn_to(&mut self, thread: u32) {
        if thread == self.thread_number() {
            return;
        }
        self.exchange(self.threads.current);
        self.threads.current = thread as usize;
        self.exchange(self.threads.current);
        if self.recorder.calls() {
            self.recorder.push(Event::Turn { thread });
        }
    }

    /// A visible point: whether the thread goes on here. If not, another one has its turn.
    fn passes_point(&mut self) -> Result<bool, End> {
        if !self.threads.several() || self.thread().atomic > 0 {
            self.note_point();
            return Ok(true);
        }
        if std::mem::take(&mut self.thread().at_point) {
            self.note_point();
            return Ok(true);
        }
        self.threads.progress += 1;
        let progress = self.threads.progress;
        let thread = self.thread();
        thread.at_point = true;
        thread.arrived = progress;
        thread.passed_over = (0, 0);
        self.next_turn()?;
        // The same thread may go on; it does so by coming here again.
        Ok(false)
    }

    fn note_point(&mut self) {
        let point = (self.frames.len(), self.top().pc);
        self.thread().point = point;
    }

    /// The innermost call of the user's code, if a library model is at work.
    fn users_call(&self) -> Option<(usize, u32)> {
        let user = self.frames.iter().rposition(|f| !f.code.model)?;
        (user + 1 < self.frames.len()).then(|| (user, self.frames[user].pc))
    }

    /// Whether what the model at work does belongs to the visible point that it began with, or that stands right before its call.
    pub fn is_in_operation(&self) -> bool {
        let (Some((depth, pc)), Some(at)) = (self.users_call(), self.threads.list[self.threads.current].operation)
        else {
            return false;
        };
        let ops = &self.frames[depth].code.ops;
        let between = || ops.get(at.1 as usize..pc as usize).is_some_and(|ops| !ops.iter().any(Op::leaves));
        depth == at.0 && (pc == at.1 || pc > at.1 && between())
    }

    /// Goes past a point as if the schedule had given the thread another step.
    fn pass_over(&mut self) {
        self.threads.progress += 1;
        self.threads.scheduler.begins(self.threads.current as u32);
        self.note_point();
        let at = self.instruction();
        let thread = self.thread();
        thread.passed_over = (thread.passed_over.0 + 1, at);
        thread.resumed = false;
    }

    /// How many points the running thread went past since it got its turn, and the last one.
    pub fn passed_over_points(&self) -> (u32, u64) {
        self.threads.list[self.threads.current].passed_over
    }

    /// Whether a thread other than the running one has not ended.
    pub fn others_live(&self) -> bool {
        let mut threads = self.threads.list.iter().enumerate();
        threads.any(|(t, thread)| t != self.threads.current && thread.state != State::Done)
    }

    /// Lets a thread that is able make a step; if there is none, all wait for good.
    fn next_turn(&mut self) -> Result<(), End> {
        let able = self.threads.able();
        if able.is_empty() {
            return self.all_wait();
        }
        let chosen = match self.threads.exploration.is_some() {
            true => self.explored_choice(&able)?,
            false => self.threads.scheduler.choose(self.thread_number(), &able),
        };
        self.threads.scheduler.begins(chosen);
        self.turn_to(chosen);
        let progress = self.threads.progress;
        let thread = self.thread();
        thread.resumed = thread.was_left(progress);
        thread.state = State::Able;
        Ok(())
    }

    /// No thread can go on.
    fn all_wait(&mut self) -> Result<(), End> {
        if self.threads.list.iter().all(|t| t.state == State::Done) {
            self.check_leaks()?;
            return Err(Box::new(Outcome::Exit(0)));
        }
        // What waits for others to end says least.
        let count = self.threads.list.len() as u32;
        let stands = self.standing_threads();
        for number in (1..count).chain([0]) {
            let State::Waits { property, at, .. } = self.threads.list[number as usize].state else { continue };
            let Some(property) = property else { continue };
            self.turn_to(number);
            self.top_mut().pc = at;
            let threads = stands.iter().filter(|s| s.thread != number).cloned().collect();
            self.violated_by(CheckKind::Deadlock, property, Details::default(), threads)?;
        }
        // Nobody asked for it: the program hangs, unless a wait ends for no reason.
        let may_wake = self.waits_for_no_reason();
        if let Some(exploration) = self.threads.exploration.as_mut().filter(|_| may_wake) {
            exploration.refuse(|| NO_REASON.to_owned());
        }
        Err(Box::new(Outcome::Halt(0)))
    }

    /// Whether some thread waits where it could be woken without a signal, if only another one made a step.
    fn waits_for_no_reason(&self) -> bool {
        self.threads.list.iter().enumerate().any(|(t, thread)| {
            let frames = if t == self.threads.current { &self.frames } else { &thread.frames };
            thread.state != State::Done && frames.last().is_some_and(|f| f.code.needs().asks_resumed())
        })
    }

    /// Where the threads stand that wait.
    fn standing_threads(&mut self) -> Vec<ThreadStand> {
        let current = self.thread_number();
        let mut stands = Vec::new();
        for number in 0..self.threads.list.len() as u32 {
            if let State::Waits { .. } = self.threads.list[number as usize].state {
                self.exchange_to(number);
                stands.push(ThreadStand { thread: number, doing: Doing::Waits, stack: self.stack() });
            }
        }
        self.exchange_to(current);
        stands
    }

    /// As `turn_to`, without a word about it.
    fn exchange_to(&mut self, thread: u32) {
        self.exchange(self.threads.current);
        self.threads.current = thread as usize;
        self.exchange(self.threads.current);
    }

    /// The thread waits for a condition.
    pub fn await_state(&mut self, cond: Value, property: Option<PropertyId>) -> Result<Next, End> {
        if self.get(cond) != 0 {
            return Ok(Next::Continue);
        }
        if self.thread().atomic > 0 {
            return self.unsupported("waiting inside an atomic section");
        }
        let (depth, pc) = self.thread().point;
        if depth != self.frames.len() {
            return self.unsupported("waiting without a visible point in the same function");
        }
        let at = self.top().pc;
        self.top_mut().pc = pc;
        let progress = self.threads.progress;
        let number = self.thread_number();
        if let Some(exploration) = &mut self.threads.exploration {
            exploration.chosen_waits();
        }
        let thread = self.thread();
        thread.state = State::Waits { property, progress, at };
        // Before the first thread is started there is no point, and the step is the whole run so far.
        if self.threads.several() {
            self.thread().at_point = true;
            self.threads.scheduler.takes_back(number);
        }
        self.next_turn()?;
        Ok(Next::Reload)
    }

    /// An access that other threads may see.
    pub fn shared_access(&mut self, check: &MemCheck) -> Result<Next, End> {
        let free = self.threads.several() && self.thread().atomic == 0 && !self.thread().at_point;
        if free && self.passes_over(check) {
            self.pass_over();
        } else if !self.passes_point()? {
            return Ok(Next::Reload);
        }
        if self.threads.several() && self.follows_accesses() {
            self.note_access(check)?;
        }
        Ok(Next::Continue)
    }

    fn note_access(&mut self, check: &MemCheck) -> Result<(), End> {
        let (ptr, size) = (self.get(check.ptr), self.get(check.size));
        // What is no memory is left to the guard behind.
        if self.access_fault(ptr, size, AccessKind::Read).is_some() {
            return Ok(());
        }
        let property = check.properties.first().map(|(_, p)| *p);
        let (object, offset) = (self.memory.object_of(ptr), self.memory.offset_of(ptr));
        let (place, thread) = (self.place(), self.thread_number());
        let bytes = offset..offset + size as i64;
        let time = self.threads.list[thread as usize].clock.of(thread);
        let new = Access { thread, time, kind: check.access, property, place, library: false };
        self.mark_races(object, bytes.clone(), &new);
        if self.needs_no_note(object, bytes.clone()) {
            return Ok(());
        }
        let threads = &mut self.threads;
        let raced = threads.history.access(object, bytes, new, &threads.list[threads.current].clock);
        let (Some(old), Some(own)) = (raced, property) else { return Ok(()) };
        if !self.config.checks.has(CheckKind::DataRace) {
            return Ok(());
        }
        let doing = if old.writes() { Doing::Wrote } else { Doing::Read };
        let stand = ThreadStand { thread: old.thread, doing, stack: self.stack_at(old.place) };
        let details = Details { ptr: Some(ptr), size: Some(size), ..Details::default() };
        // A race belongs to both accesses.
        let wanted = old.property.filter(|p| self.config.only == Some(*p)).unwrap_or(own);
        self.violated_by(CheckKind::DataRace, wanted, details, vec![stand])
    }

    /// The object is another one from here on.
    #[inline]
    pub fn forget_accesses(&mut self, object: u64) {
        if self.threads.several() {
            self.threads.history.forget(object);
        }
    }

    pub fn thread_op(&mut self, op: ThreadOp, args: &[Value], result: Option<Value>) -> Result<Next, End> {
        let arg = |i: usize| args.get(i).map_or(0, |&v| self.get(v));
        let (first, second) = (arg(0), arg(1));
        let answer = match op {
            ThreadOp::Switch => {
                if !self.passes_point()? {
                    return Ok(Next::Reload);
                }
                let user = (self.frames.len() - 1, self.top().pc);
                let operation = if self.top().code.model { self.users_call() } else { Some(user) };
                self.thread().operation = operation;
                return Ok(Next::Continue);
            }
            ThreadOp::Exit => return self.end_thread().map(|()| Next::Reload),
            ThreadOp::Start => self.start_thread(first, second)?,
            ThreadOp::Self_ => u64::from(self.thread_number()),
            ThreadOp::Done => {
                let thread = self.threads.list.get(first as u32 as usize);
                let done = thread.is_some_and(|t| t.state == State::Done);
                if !done {
                    self.sees_running();
                }
                u64::from(done)
            }
            ThreadOp::Resumed => u64::from(self.thread().resumed),
            ThreadOp::Local => self.own_instance(first),
            ThreadOp::AtomicBegin => {
                self.thread().atomic += 1;
                0
            }
            ThreadOp::AtomicEnd => {
                let atomic = &mut self.thread().atomic;
                *atomic = atomic.saturating_sub(1);
                0
            }
            ThreadOp::Acquire => {
                let threads = &mut self.threads;
                if let Some(clock) = threads.history.released.get(&first) {
                    threads.list[threads.current].clock.join(clock);
                }
                0
            }
            ThreadOp::Release | ThreadOp::Publish => {
                self.release(first, op == ThreadOp::Publish);
                0
            }
        };
        if let Some(d) = result {
            self.set(d, answer);
        }
        Ok(Next::Continue)
    }

    fn release(&mut self, address: u64, alone: bool) {
        let number = self.thread_number();
        let threads = &mut self.threads;
        let clock = &mut threads.list[number as usize].clock;
        let at = threads.history.released.entry(address).or_default();
        if alone {
            at.clone_from(clock);
        } else {
            at.join(clock);
        }
        clock.tick(number);
    }

    /// The number of a new thread.
    fn start_thread(&mut self, function: u64, arg: u64) -> Result<u64, End> {
        if self.threads.list.len() >= MAX_THREADS {
            return self.unsupported(format!("more than {MAX_THREADS} threads"));
        }
        let func = self.program.func_of_object(self.memory.object_of(function));
        let Some(code) = func.filter(|_| self.memory.offset_of(function) == 0).and_then(|f| self.codes.get(f)) else {
            return self.unsupported("a thread that begins with something that is no function with a body");
        };
        let [param, ..] = code.params[..] else {
            return self.unsupported("a thread whose function has no parameter");
        };
        let number = self.threads.list.len() as u32;
        self.threads.list.push(Thread::new(number));
        let creator = self.thread_number();
        // What it acquires when it begins.
        let inherited = self.thread().clock.before_own_release(creator);
        self.threads.list[number as usize].clock.join(&inherited);
        self.exchange_to(number);
        let made = self.make_instances().and_then(|()| self.open_frame(code));
        if made.is_ok() {
            self.write_bv(param, &Bv::from_u64(param.bits, arg));
        }
        self.exchange_to(creator);
        made.map(|()| u64::from(number))
    }

    /// The thread's instances of thread-local globals, as they are at the start of the program.
    fn make_instances(&mut self) -> Result<(), End> {
        for (i, global) in self.program.globals.iter().enumerate().filter(|(_, g)| g.thread_local) {
            let id = GlobalId::new(i);
            let place = crate::memory::Place::NONE;
            let Ok(object) = self.memory.alloc_stack(global.size, true, Some(ObjectName::Global(id)), place) else {
                return self.unsupported("more objects than there are numbers for");
            };
            let mut bytes = global.init.clone().unwrap_or_default();
            bytes.resize(global.size as usize, 0);
            let width = usize::from(self.program.target.ptr_bits / 8);
            for reloc in &global.relocs {
                let target = match reloc.target {
                    RelocTarget::Global(g) => self.program.global_object(g),
                    RelocTarget::Func(f) => self.program.func_object(f),
                };
                let address = self.memory.ptr_add(self.memory.pointer(target), reloc.addend).to_le_bytes();
                let at = reloc.offset as usize;
                if let Some(room) = bytes.get_mut(at..at + width) {
                    room.copy_from_slice(&address[..width]);
                }
            }
            let address = self.memory.pointer(object);
            self.memory.write(address, &bytes);
            self.thread().locals.push((id, address));
        }
        Ok(())
    }

    /// The thread's instance of the thread-local global at an address.
    fn own_instance(&self, address: u64) -> u64 {
        let object = self.memory.object_of(address);
        let thread = &self.threads.list[self.threads.current];
        let own = thread.locals.iter().find(|(g, _)| self.program.global_object(*g) == object);
        own.map_or(address, |(_, own)| self.memory.ptr_add(*own, self.memory.offset_of(address)))
    }

    /// The thread ends, with all it has.
    pub fn end_thread(&mut self) -> Result<(), End> {
        self.scopes_conflict(Mark(0));
        self.memory.release(Mark(0));
        self.jumps.clear();
        self.threads.progress += 1;
        let thread = self.thread();
        thread.state = State::Done;
        thread.atomic = 0;
        self.next_turn()?;
        Ok(())
    }

    /// The registers of all activations of threads that do not run, with where each begins.
    pub fn other_activations(&self) -> impl Iterator<Item = (&Activation<'a, 'p>, &[u64])> {
        let others = self.threads.list.iter().filter(|t| t.state != State::Done);
        others.flat_map(|t| t.frames.iter().map(|f| (f, t.regs.as_slice())))
    }
}
