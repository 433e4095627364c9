//! Checks that fail: which kind applies, whether it counts, and what to report.

use crate::code::{Code, From, Origin};
use crate::machine::{Activation, End, Machine, frame_loc, origin_loc};
use crate::memory::{PATTERN, Place};
use crate::outcome::{Frame, ObjectInfo, ObjectKind, Outcome, ThreadStand, Violation};
use blitz_base::span::Loc;
use blitz_ir::{AccessKind, CheckKind, FuncId, Inst, MemCheck, PropertyId, Unsupported};

/// Violations that are kept when the run goes past them.
const PASSED_OVER: usize = 100;

/// What a failed check is about.
#[derive(Default)]
pub struct Details {
    pub values: Vec<crate::outcome::NamedValue>,
    pub ptr: Option<u64>,
    pub size: Option<u64>,
}

impl<'a, 'p> Machine<'a, 'p> {
    /// A plain check has failed.
    #[cold]
    pub fn failed_check(&mut self) -> Result<(), End> {
        let top = self.top();
        let From::Inst(inst) = top.code.origins[top.pc as usize].get() else {
            unreachable!("a check should be an instruction")
        };
        let Inst::Check { cond, property } = top.code.func.inst(inst).inst else {
            unreachable!("a failed check should be one")
        };
        if let Some(kind) = property.unasked_kind() {
            return self.unasked(kind);
        }
        let kind = self.program.property(property).kind;
        let details = self.describe(cond, kind);
        self.violated(kind, property, details)
    }

    /// Evaluates the guard of the current operation.
    #[cold]
    pub fn check_mem(&mut self) -> Result<(), End> {
        let code: &'a Code<'p> = self.top().code;
        let From::Inst(inst) = code.origins[self.top().pc as usize].get() else { return Ok(()) };
        let Inst::CheckMem(check) = &code.func.inst(inst).inst else { return Ok(()) };
        let ptr = self.get(check.ptr);
        let size = if check.access == AccessKind::String { 1 } else { self.get(check.size) };
        if check.access == AccessKind::String {
            self.watch(ptr, self.string_room(ptr))?;
        }
        let Some((kind, at)) = self.fault(check, ptr, size) else { return Ok(()) };
        let Some(&(_, property)) = check.properties.iter().find(|(k, _)| *k == kind) else { return Ok(()) };
        let values = if kind == CheckKind::NullDeref { vec![self.named(check.ptr)] } else { Vec::new() };
        self.violated(kind, property, Details { values, ptr: Some(at), size: Some(size) })
    }

    /// A violation that nobody asked for: the run can only go on if the caller asked it to look past violations.
    fn unasked(&self, kind: CheckKind) -> Result<(), End> {
        if self.config.only.is_some() {
            return Ok(());
        }
        self.unsupported(Unsupported::Unasked(kind))
    }

    /// The kind a guard is violated as, and the address that matters.
    fn fault(&self, check: &MemCheck, ptr: u64, size: u64) -> Option<(CheckKind, u64)> {
        match check.access {
            AccessKind::Read | AccessKind::Write => self.access_fault(ptr, size, check.access).map(|kind| (kind, ptr)),
            AccessKind::Free => self.free_fault(ptr).map(|kind| (kind, ptr)),
            AccessKind::Defined => self.first_undefined(ptr, size).map(|at| (CheckKind::Uninitialised, at)),
            AccessKind::String => self.string_fault(ptr),
            AccessKind::SharedRead | AccessKind::SharedWrite | AccessKind::AtomicRead | AccessKind::AtomicWrite => None,
        }
    }

    /// Why `size` bytes at `ptr` can't be accessed.
    pub fn access_fault(&self, ptr: u64, size: u64, access: AccessKind) -> Option<CheckKind> {
        if size == 0 {
            return None;
        }
        let Some(object) = self.memory.info(self.memory.object_of(ptr)) else { return Some(CheckKind::NullDeref) };
        if !object.live {
            return Some(match object.kind {
                ObjectKind::Stack => CheckKind::UseAfterScope,
                ObjectKind::Heap | ObjectKind::Global | ObjectKind::Code => CheckKind::UseAfterFree,
            });
        }
        let room = if object.kind == ObjectKind::Code { 0 } else { object.size };
        let offset = self.memory.offset_of(ptr);
        let inside = offset >= 0 && size <= room && offset as u64 <= room - size;
        let allowed = access != AccessKind::Write || !object.constant;
        (!inside || !allowed).then_some(CheckKind::BufferOverflow)
    }

    fn free_fault(&self, ptr: u64) -> Option<CheckKind> {
        if ptr == 0 {
            return None;
        }
        let object = self.memory.info(self.memory.object_of(ptr));
        match object {
            Some(o) if o.kind == ObjectKind::Heap && self.memory.offset_of(ptr) == 0 => {
                (!o.live).then_some(CheckKind::DoubleFree)
            }
            Some(_) | None => Some(CheckKind::InvalidFree),
        }
    }

    /// The address of the first byte that is not determinate.
    fn first_undefined(&self, ptr: u64, size: u64) -> Option<u64> {
        if size == 0 {
            return None;
        }
        let shadow = self.memory.shadow(ptr, size)?;
        // SAFETY: the shadow of `size` bytes is there.
        let bytes = unsafe { std::slice::from_raw_parts(shadow, size as usize) };
        let at = bytes.iter().position(|&b| b != 0xff)?;
        Some(self.memory.ptr_add(ptr, at as i64))
    }

    /// Bytes of the string at an address, the 0 included, as far as they can be read.
    fn string_room(&self, ptr: u64) -> u64 {
        let room = self.memory.readable_from(ptr);
        let bytes = self.memory.bytes(ptr, room).unwrap_or(&[]);
        bytes.iter().position(|&b| b == 0).map_or(room, |at| at as u64 + 1)
    }

    fn string_fault(&self, ptr: u64) -> Option<(CheckKind, u64)> {
        let room = self.memory.readable_from(ptr);
        let bytes = self.memory.bytes(ptr, room).unwrap_or(&[]);
        if bytes.contains(&0) {
            return None;
        }
        let end = self.memory.ptr_add(ptr, room as i64);
        self.access_fault(end, 1, AccessKind::Read).map(|kind| (kind, end))
    }

    /// A load that can't be done: the guard it stands for speaks; if it does not, the value is arbitrary.
    #[cold]
    pub fn bad_load(&mut self, d: u32, ptr: u64, size: u64, sh: u8) -> Result<(), End> {
        self.bad_access(ptr, size)?;
        let at = self.top().base + d as usize;
        self.regs[at] = u64::from_le_bytes([PATTERN; 8]) << sh >> sh;
        Ok(())
    }

    /// An access that can't be done: the guard it stands for speaks. Without a guard that objects, the run can
    /// only go on if the caller asked it to look past violations.
    #[cold]
    pub fn bad_access(&mut self, ptr: u64, size: u64) -> Result<(), End> {
        self.check_mem()?;
        if self.config.only.is_some() {
            return Ok(());
        }
        let object = self.memory.object_of(ptr);
        let offset = self.memory.offset_of(ptr);
        self.unsupported(format!(
            "an access of {size} bytes at offset {offset} of object {object}, which is not possible, while no check forbids it"
        ))
    }

    /// A property does not hold: ends the run, unless it does not count.
    pub fn violated(&mut self, kind: CheckKind, own: PropertyId, details: Details) -> Result<(), End> {
        self.violated_by(kind, own, details, Vec::new())
    }

    /// The same where other threads take part in it.
    pub fn violated_by(
        &mut self,
        kind: CheckKind,
        own: PropertyId,
        details: Details,
        others: Vec<ThreadStand>,
    ) -> Result<(), End> {
        let (property, loc) = self.attribute(kind, own);
        if property.unasked_kind().is_some() {
            return self.unasked(kind);
        }
        if !self.config.checks.has(kind) {
            return Ok(());
        }
        let stack = self.stack();
        let object = details.ptr.and_then(|p| self.object_info(self.memory.object_of(p)));
        let offset = object.as_ref().and(details.ptr).map(|p| self.memory.offset_of(p));
        let violation = Violation {
            property,
            kind,
            loc,
            stack,
            values: details.values,
            object,
            offset,
            size: details.size,
            thread: self.threads.current as u32,
            others,
        };
        self.report(violation)
    }

    /// Ends the run with a violation, or goes past it.
    pub fn report(&mut self, violation: Violation) -> Result<(), End> {
        if self.config.only.is_some_and(|p| p != violation.property) {
            if self.passed_over.len() < PASSED_OVER {
                self.passed_over.push(violation);
            }
            return Ok(());
        }
        Err(Box::new(Outcome::Violation(Box::new(violation))))
    }

    /// The property and place as the user sees them: inside a model, those of the nearest call from user code.
    pub fn attribute(&self, kind: CheckKind, own: PropertyId) -> (PropertyId, Loc) {
        let top = self.top();
        if !top.code.model {
            return (own, frame_loc(top));
        }
        let Some(user) = self.frames.iter().rev().find(|f| !f.code.model) else { return (own, frame_loc(top)) };
        let origin = user.code.origins[user.pc as usize];
        (call_property(user.code, origin, kind).unwrap_or(own), origin_loc(user.code, origin))
    }

    /// The open calls, innermost first.
    pub fn stack(&self) -> Vec<Frame> {
        let frame = |(i, f): (usize, &Activation<'a, 'p>)| Frame {
            func: f.code.id,
            loc: frame_loc(f),
            call_loc: i.checked_sub(1).map(|caller| frame_loc(&self.frames[caller])),
        };
        self.frames.iter().enumerate().rev().map(frame).collect()
    }

    /// The calls that led to a recorded place, innermost first.
    pub fn stack_at(&self, place: Place) -> Vec<Frame> {
        let mut stack = Vec::new();
        let mut at = place;
        while at.origin != u32::MAX {
            let func = FuncId(at.func);
            let Some(code) = self.codes.get(func) else { break };
            let caller = at.context.checked_sub(1).and_then(|i| self.contexts.nodes.get(i as usize));
            let call_loc =
                caller.and_then(|(_, c)| Some(origin_loc(self.codes.get(FuncId(c.func))?, Origin(c.origin))));
            stack.push(Frame { func, loc: origin_loc(code, Origin(at.origin)), call_loc });
            match caller {
                Some(&(_, place)) => at = place,
                None => break,
            }
        }
        stack
    }

    /// What is known of an object, for a report.
    pub fn object_info(&self, object: u64) -> Option<ObjectInfo> {
        let cold = *self.memory.info(object)?;
        Some(ObjectInfo {
            number: object,
            kind: cold.kind,
            name: cold.name,
            size: cold.size,
            live: cold.live,
            allocated: self.stack_at(cold.allocated),
            freed: self.stack_at(cold.freed),
        })
    }
}

/// The property of this kind that a call site in user code lists for its callee.
pub fn call_property(code: &Code, origin: Origin, kind: CheckKind) -> Option<PropertyId> {
    let From::Inst(inst) = origin.get() else { return None };
    let Inst::Call(site) = &code.func.inst(inst).inst else { return None };
    site.properties.iter().find(|(k, _)| *k == kind).map(|(_, p)| *p)
}
