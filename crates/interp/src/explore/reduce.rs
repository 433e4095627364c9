//! Fewer visible points: a thread goes past an access that no other thread races with as if nobody could look.
//!
//! Why: most accesses are private to a thread or ordered by locks, and each point multiplies the states.
//!
//! A *point* is what the full exploration has: before each shared access, before each operation of synchronisation. The reduced one keeps the latter, atomic accesses,
//! sections and assumptions, and passes over the points before plain accesses as long as no two of them were seen to race. What conflicts without being ordered by
//! happens-before makes both accesses *marked*, and everything begins again; a marked access is a point for good. What ends without a new mark has shown:
//!
//! *No execution of the program has two conflicting accesses, one of them unmarked, that happens-before does not order; and every state in which each thread stands at
//! a kept point, and every check that fails, is reached by one of the reduced executions.* Take a shortest full execution without a reduced one that does the same.
//! Move each access that was passed over to the left, to the end of what its own thread did before. It commutes with a neighbour of another thread unless they conflict;
//! if they do, and were ordered, something that its own thread did would stand between them; so they race, and one step of a thread that the reduced exploration makes as
//! a whole comes to this pair or to an earlier one. What ends a path for all threads (assumptions, `exit`) is a kept point, so no move goes across it. (Lipton, CACM
//! 1975; Musuvathi and Qadeer, PLDI 2008, section 5, for points at synchronisation only.) Happens-before follows the order of execution, so more of its edges do no harm.
//!
//! What else changes memory between points takes part: models of the library, as accesses; `free` and the end of an object's life, as a write of all of it. Where that has no
//! point right in front, and conflicts, the reduction is given up for the full exploration. A thread passes over so many points in a row and no more, since it may wait for
//! another one.
//!
//! Invariant: a schedule counts the points that were passed over, so that it replays with all of them. Absent: independence of operations of synchronisation (sleep sets).

use super::Exploration;
use crate::clocks::Access;
use crate::code::From;
use crate::machine::{End, Machine};
use crate::memory::{Mark, Place};
use crate::outcome::{ObjectKind, Outcome};
use blitz_ir::effect::Extent;
use blitz_ir::{AccessKind, CheckKind, FuncId, GlobalId, Inst, MemCheck, Program, Value};
use std::collections::HashSet;
use std::ops::Range;

/// Points that a thread goes past without a decision, in a row.
const MAX_PASSED: u32 = 64;
/// Families of library functions that are points themselves, or end a thread: their own data is only theirs.
const SYNCHRONISING: &[&str] = &["pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_", "call_once", "__blitz_"];

/// What a reduction has learnt about accesses.
pub struct Reduction {
    /// Instructions whose accesses are points.
    marked: HashSet<u64>,
    /// Bytes, by object and offset, all accesses of which are points: those of globals in races, and those that operations touch.
    hot: HashSet<(u64, i64)>,
    /// Objects that belong to library models.
    own: HashSet<u64>,
    globals: u64,
    /// Something was marked in this pass.
    grown: bool,
    /// Something conflicts that no point stands in front of.
    broken: bool,
}

impl Reduction {
    pub fn new(program: &Program) -> Self {
        let models = (0..program.globals.len()).map(GlobalId::new).filter(|g| program.globals[g.index()].model);
        Self {
            marked: HashSet::new(),
            hot: HashSet::new(),
            own: models.map(|g| program.global_object(g)).collect(),
            globals: program.globals.len() as u64,
            grown: false,
            broken: false,
        }
    }

    /// Whether the exploration has to begin again.
    pub fn has_learnt(&self) -> bool {
        self.grown || self.broken
    }

    fn is_point(&self, instruction: u64, object: u64, mut bytes: Range<i64>) -> bool {
        self.marked.contains(&instruction) || bytes.any(|at| self.hot.contains(&(object, at)))
    }

    fn mark(&mut self, instruction: u64, object: u64, bytes: Range<i64>) {
        self.grown |= self.marked.insert(instruction);
        if object <= self.globals {
            self.hot.extend(bytes.map(|at| (object, at)));
        }
    }
}

impl Exploration {
    /// The next pass knows what this one has learnt.
    pub(super) fn learn(&mut self) {
        self.begin_again();
        self.reduction = self.reduction.take().filter(|r| !r.broken).map(|r| Reduction { grown: false, ..r });
    }
}

impl Machine<'_, '_> {
    fn reduction(&mut self) -> Option<&mut Reduction> {
        self.threads.exploration.as_mut()?.reduction.as_mut()
    }

    /// Whether it matters which accesses happened before which.
    pub fn follows_accesses(&self) -> bool {
        let reduced = self.threads.exploration.as_ref().is_some_and(|e| e.reduction.is_some());
        reduced || self.config.checks.has(CheckKind::DataRace)
    }

    /// The bytes that an access is about to touch: the object and its part.
    fn bytes_of(&self, ptr: u64, size: u64) -> (u64, Range<i64>) {
        let offset = self.memory.offset_of(ptr);
        (self.memory.object_of(ptr), offset..offset.saturating_add(size as i64))
    }

    /// Whether the thread goes past the point before an access as if it were none.
    pub fn passes_over(&mut self, check: &MemCheck) -> bool {
        let plain = matches!(check.access, AccessKind::SharedRead | AccessKind::SharedWrite);
        if !plain || self.reduction().is_none() || self.passed_over_points().0 >= MAX_PASSED {
            return false;
        }
        let (ptr, size) = (self.get(check.ptr), self.get(check.size));
        // What fails is a violation of its own.
        let bad = self.access_fault(ptr, size, AccessKind::Read).is_some();
        let (object, bytes) = self.bytes_of(ptr, size);
        let instruction = self.instruction();
        self.reduction().is_some_and(|r| bad || !r.is_point(instruction, object, bytes))
    }

    pub fn instruction(&self) -> u64 {
        let top = self.top();
        u64::from(top.code.id.0) << 32 | u64::from(top.code.origins[top.pc as usize].0)
    }

    fn is_hot(&self, object: u64, at: i64) -> bool {
        let reduction = self.threads.exploration.as_ref().and_then(|e| e.reduction.as_ref());
        reduction.is_some_and(|r| r.hot.contains(&(object, at)))
    }

    /// Whether nobody has to know of an access: all accesses of these bytes are points, and races are not looked for.
    pub fn needs_no_note(&self, object: u64, mut bytes: Range<i64>) -> bool {
        !self.config.checks.has(CheckKind::DataRace) && bytes.all(|at| self.is_hot(object, at))
    }

    /// Marks what an access races with, and the access, unless all of it is marked.
    pub fn mark_races(&mut self, object: u64, bytes: Range<i64>, new: &Access) {
        if self.reduction().is_none() {
            return;
        }
        let threads = &self.threads;
        let clock = &threads.list[threads.current].clock;
        let races = threads.history.conflicts(object, bytes.clone(), new, clock);
        let Some(reduction) = self.reduction() else { return };
        for old in races {
            for access in [&old, new] {
                if !access.library {
                    reduction.mark(access.instruction(), object, bytes.clone());
                }
            }
            // What a model did without a point of its own can't be made one.
            reduction.broken |= [&old, new].iter().any(|a| a.library && !is_atomic(a.kind));
        }
    }

    /// A library model is about to access memory.
    pub fn note_touch(&mut self) -> Result<(), End> {
        if !self.threads.several() || self.reduction().is_none() {
            return Ok(());
        }
        let top = self.top();
        let From::Inst(inst) = top.code.origins[top.pc as usize].get() else { return Ok(()) };
        let code = top.code;
        let bytes = |v: Value| u64::from(code.operands[v.index()].bits).div_ceil(8);
        let data = code.func.inst(inst);
        let effect = data.inst.effect();
        let all = effect.reads.iter().map(|a| (a, false)).chain(effect.writes.iter().map(|a| (a, true)));
        for (access, write) in all {
            let ptr = self.get(access.ptr);
            let size = match access.extent {
                Extent::Result => data.results.first().map_or(0, |&r| bytes(r)),
                Extent::Of(value) => bytes(value),
                Extent::Bytes(len) => self.get(len),
                Extent::UpTo(len) => self.looked_at(&data.inst, self.get(len)),
            };
            self.touch(ptr, size, write);
        }
        Ok(())
    }

    /// How many bytes a search looks at: up to the one it stops at.
    fn looked_at(&self, search: &Inst, limit: u64) -> u64 {
        let most = |at: Value| limit.min(self.room_at(self.get(at)));
        let bytes = |at: Value, n: u64| self.memory.bytes(self.get(at), n).unwrap_or(&[]);
        let (stop, most) = match search {
            Inst::Scan { ptr, byte, .. } => {
                let (most, wanted) = (most(*ptr), self.get(*byte) as u8);
                (bytes(*ptr, most).iter().position(|&b| b == wanted), most)
            }
            Inst::Mismatch { lhs, rhs, .. } => {
                let most = most(*lhs).min(most(*rhs));
                let mut pairs = bytes(*lhs, most).iter().zip(bytes(*rhs, most));
                (pairs.position(|(a, b)| a != b), most)
            }
            _ => (None, limit),
        };
        stop.map_or(most, |n| n as u64 + 1)
    }

    /// Bytes from an address to the end of its object.
    fn room_at(&self, ptr: u64) -> u64 {
        let size = self.memory.info(self.memory.object_of(ptr)).map_or(0, |o| o.size);
        u64::try_from(self.memory.offset_of(ptr)).map_or(0, |offset| size.saturating_sub(offset))
    }

    /// What operations of synchronisation touch is left to them and to points. What no point stands in front of is like any other access.
    fn touch(&mut self, ptr: u64, size: u64, write: bool) {
        let (object, bytes) = self.bytes_of(ptr, size);
        if size == 0 || self.is_models_own(object) || self.access_fault(ptr, size, AccessKind::Read).is_some() {
            return;
        }
        // The point in front of a call of another model makes all of it one step, and no synchronisation.
        let in_operation = self.is_in_operation() && (self.is_librarys(object) || self.synchronises());
        let kind = match (in_operation, write) {
            (true, true) => AccessKind::AtomicWrite,
            (true, false) => AccessKind::AtomicRead,
            (false, true) => AccessKind::SharedWrite,
            (false, false) => AccessKind::SharedRead,
        };
        let (place, thread) = (self.place(), self.threads.current as u32);
        let time = self.threads.list[self.threads.current].clock.of(thread);
        let new = Access { thread, time, kind, property: None, place, library: true };
        self.mark_races(object, bytes.clone(), &new);
        let hot = bytes.clone().any(|at| self.is_hot(object, at));
        let Some(reduction) = self.reduction() else { return };
        if in_operation {
            reduction.hot.extend(bytes.map(|at| (object, at)));
            return;
        }
        reduction.broken |= hot;
        let threads = &mut self.threads;
        threads.history.access(object, bytes, new, &threads.list[threads.current].clock);
    }

    /// Whether an object is a variable of a library model's call, or one that only the library of threads knows while that is at work.
    fn is_models_own(&self, object: u64) -> bool {
        let Some(info) = self.memory.info(object).filter(|o| o.live) else { return true };
        let maker = FuncId(info.allocated.func);
        let local = info.kind == ObjectKind::Stack && info.allocated != Place::NONE && self.program.decl(maker).model;
        local || self.is_librarys(object) && self.synchronises()
    }

    fn is_librarys(&self, object: u64) -> bool {
        let reduction = self.threads.exploration.as_ref().and_then(|e| e.reduction.as_ref());
        reduction.is_some_and(|r| r.own.contains(&object))
    }

    /// Whether the model at work belongs to the library of threads.
    fn synchronises(&self) -> bool {
        let user = self.frames.iter().rposition(|f| !f.code.model);
        let Some(model) = self.frames.get(user.map_or(0, |u| u + 1)) else { return false };
        let name = &self.program.decl(model.code.id).name;
        user.is_none() || SYNCHRONISING.iter().any(|family| name.starts_with(family))
    }

    /// An object ends here, by `free`, which is a point.
    pub fn free_conflicts(&mut self, object: u64) {
        let in_operation = self.is_in_operation();
        self.end_conflicts(object, in_operation);
    }

    /// The objects of calls that are about to return end.
    pub fn scopes_conflict(&mut self, mark: Mark) {
        if self.threads.exploration.is_some() && self.threads.several() {
            for object in self.memory.stack_objects(mark) {
                self.end_conflicts(object, false);
            }
        }
    }

    /// The life of an object ends, or begins: who has accessed it must know.
    pub fn end_conflicts(&mut self, object: u64, at_point: bool) {
        if self.reduction().is_none() {
            return;
        }
        let threads = &self.threads;
        let clock = &threads.list[threads.current].clock;
        let open = threads.history.unordered(object, threads.current as u32, clock);
        let Some(reduction) = self.reduction() else { return };
        for access in &open {
            reduction.mark(access.instruction(), object, 0..0);
        }
        reduction.broken |= !at_point && !open.is_empty();
        self.forget_accesses(object);
    }

    /// A model sees that a thread has not ended, and does not wait for it: threads end without a point.
    pub fn sees_running(&mut self) {
        if self.reduction().is_none() || self.top().code.needs().awaits() {
            return;
        }
        if let Some(reduction) = self.reduction() {
            reduction.broken = true;
        }
    }

    /// The run has ended. Where a thread ends all others after points that it passed over, they must have their turn at the last of these; what a leak is
    /// depends on everything.
    pub fn note_end(&mut self, outcome: &Outcome) {
        let ends_all = match outcome {
            Outcome::Exit(_) | Outcome::Halt(_) | Outcome::AssumeFailed(_) | Outcome::Violation(_) => true,
            Outcome::Unsupported { .. } | Outcome::OutOfSteps | Outcome::Stopped(_) => false,
        };
        let (passed, last) = self.passed_over_points();
        let (live, leaks) = (self.others_live(), self.config.checks.has(CheckKind::MemoryLeak));
        let pruned = self.threads.exploration.as_ref().is_some_and(|e| e.pruned);
        let Some(reduction) = self.reduction() else { return };
        if !ends_all || pruned || !live {
            return;
        }
        if passed > 0 {
            reduction.mark(last, 0, 0..0);
        }
        reduction.broken |= leaks && matches!(outcome, Outcome::Exit(_));
    }
}

fn is_atomic(kind: AccessKind) -> bool {
    matches!(kind, AccessKind::AtomicRead | AccessKind::AtomicWrite)
}
