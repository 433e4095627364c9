//! Everything that has no operation of its own: executed straight from the IR instruction.

use crate::code::{From, Table};
use crate::exec::Next;
use crate::input::{bytes_of, limbs_of};
use crate::machine::{End, Machine};
use crate::memory::{Mark, PATTERN};
use crate::outcome::{Event, ObjectKind, ObjectName, Outcome};
use crate::{float, pages, soft};
use blitz_base::Bv;
use blitz_ir::{
    AccessKind, Builtin, Channel, Direction, Func, InputName, Inst, InstData, Rounded, Terminator, Type, Unsupported,
    Value,
};

/// The longest input that is filled in.
const MAX_INPUT: u64 = 1 << 28;

impl<'p> Machine<'_, 'p> {
    fn func(&self) -> &'p Func {
        self.top().code.func
    }

    /// Executes the instruction or terminator the current operation comes from.
    #[cold]
    pub fn slow(&mut self) -> Result<Next, End> {
        let top = self.top();
        let func = self.func();
        match top.code.origins[top.pc as usize].get() {
            From::Inst(i) => match &func.inst(i).inst {
                Inst::Builtin { op: Builtin::Thread(op), args } => {
                    self.thread_op(*op, args, func.inst(i).results.first().copied())
                }
                Inst::CheckMem(check) if check.access.is_visible() => self.shared_access(check),
                Inst::Await { cond, property } => self.await_state(*cond, *property),
                _ => self.slow_inst(func.inst(i)).map(|()| Next::Continue),
            },
            From::Term(b) => self.slow_term(&func.block(b).term),
        }
    }

    fn slow_inst(&mut self, data: &InstData) -> Result<(), End> {
        let result = data.results.first().copied();
        match (&data.inst, result) {
            (Inst::Unary { op, arg }, Some(d)) => self.unary(*op, d, *arg),
            (Inst::Binary { op, lhs, rhs }, Some(d)) => self.binary(*op, d, *lhs, *rhs),
            (Inst::Compare { op, lhs, rhs }, Some(d)) => self.compare(*op, d, *lhs, *rhs),
            (Inst::Overflow { op, lhs, rhs }, Some(d)) => self.overflow(*op, d, *lhs, *rhs),
            (Inst::Cast { op, arg }, Some(d)) => self.cast(*op, d, *arg),
            (Inst::Select { cond, then, other }, Some(d)) => {
                let chosen = if self.get(*cond) != 0 { *then } else { *other };
                self.set_value(d, &self.value(chosen));
            }
            (Inst::FusedMulAdd { x, y, z }, Some(d)) => self.fused(d, *x, *y, *z),
            (Inst::LifetimeStart { ptr }, _) => self.scope(*ptr, true),
            (Inst::LifetimeEnd { ptr }, _) => self.scope(*ptr, false),
            (Inst::StackSave, Some(d)) => self.stack_save(d),
            (Inst::StackRestore { saved }, _) => self.stack_restore(*saved),
            (Inst::Load { ptr }, Some(d)) => self.wide_load(d, *ptr)?,
            (Inst::Store { ptr, value }, _) => self.wide_store(*ptr, *value)?,
            (Inst::LoadShadow { ptr }, Some(d)) => self.wide_load_shadow(d, *ptr)?,
            (Inst::StoreShadow { ptr, shadow }, _) => self.wide_store_shadow(*ptr, *shadow)?,
            (Inst::MemCopy { dst, src, len }, _) => self.mem_copy(*dst, *src, *len)?,
            (Inst::MemSet { dst, byte, len }, _) => self.mem_set(*dst, *byte, *len)?,
            (Inst::Scan { ptr, byte, limit }, Some(d)) => self.scan(d, *ptr, *byte, *limit)?,
            (Inst::Mismatch { lhs, rhs, limit }, Some(d)) => self.mismatch(d, *lhs, *rhs, *limit)?,
            (Inst::HeapAlloc { size, .. }, Some(d)) => self.heap_alloc(d, *size)?,
            (Inst::HeapFree { ptr }, _) => self.heap_free(*ptr)?,
            (Inst::CheckMem(_), _) => self.check_mem()?,
            (Inst::Assume { cond }, _) => {
                if self.get(*cond) == 0 {
                    return Err(Box::new(Outcome::AssumeFailed(self.user_loc())));
                }
            }
            (Inst::Input { name }, Some(d)) => {
                let operand = self.top().code.operands[d.index()];
                let value = self.next_input(name, operand.bits);
                if operand.ty == Type::Ptr && name.channel() == Channel::Unset {
                    self.note_alias(&value, "");
                }
                self.set_value(d, &value);
            }
            (Inst::InputBytes { ptr, len, name }, _) => self.input_bytes(*ptr, *len, name)?,
            (Inst::Builtin { op, args }, d) => self.builtin(*op, args, d)?,
            (Inst::SetJmp { buf }, Some(d)) => self.set_jump(*buf, d)?,
            (Inst::Unsupported { what }, _) => return self.unsupported(Unsupported::Instruction(what.clone())),
            (Inst::Debug { .. }, _) => {}
            (Inst::Approximates { direction: Direction::Fewer, what }, _) => self.passes_fewer(what),
            (Inst::Approximates { direction: Direction::More, what }, _) => self.passes_more(what),
            (
                inst @ (Inst::Unary { .. }
                | Inst::Binary { .. }
                | Inst::Compare { .. }
                | Inst::Overflow { .. }
                | Inst::Cast { .. }
                | Inst::Select { .. }
                | Inst::FusedMulAdd { .. }
                | Inst::StackSave
                | Inst::Load { .. }
                | Inst::LoadShadow { .. }
                | Inst::Scan { .. }
                | Inst::Mismatch { .. }
                | Inst::HeapAlloc { .. }
                | Inst::Input { .. }
                | Inst::SetJmp { .. }),
                None,
            ) => unreachable!("{inst:?} should have a result"),
            (
                inst @ (Inst::PtrAdd { .. }
                | Inst::Alloca { .. }
                | Inst::Check { .. }
                | Inst::Call(_)
                | Inst::Await { .. }),
                _,
            ) => {
                unreachable!("{inst:?} should have an operation of its own")
            }
        }
        Ok(())
    }

    fn slow_term(&mut self, term: &Terminator) -> Result<Next, End> {
        match term {
            Terminator::Exit { status } => {
                let status = self.get(*status) as u32 as i32;
                self.check_leaks()?;
                Err(Box::new(Outcome::Exit(status)))
            }
            Terminator::Halt { status } => Err(Box::new(Outcome::Halt(self.get(*status) as u32 as i32))),
            Terminator::LongJmp { buf, value } => self.long_jump(*buf, *value).map(|()| Next::Reload),
            Terminator::Unreachable => self.unsupported("code that should not be reachable"),
            Terminator::Jump { .. }
            | Terminator::Branch { .. }
            | Terminator::Switch { .. }
            | Terminator::IndirectJump { .. }
            | Terminator::Return { .. } => unreachable!("{term:?} should have an operation of its own"),
        }
    }

    /// A switch on a value of more than 64 bits, or an indirect jump to nowhere.
    #[cold]
    pub fn wide_switch(&mut self, table: u32) -> Result<u32, End> {
        match &self.top().code.tables[table as usize] {
            Table::Wide { value, cases, default } => {
                let bits = self.read_bv(*value);
                Ok(cases.iter().find(|(c, _)| *c == bits).map_or(*default, |(_, to)| *to))
            }
            Table::Blocks { .. } | Table::Dense { .. } | Table::Sparse { .. } => {
                self.unsupported("an indirect jump to something that is not a block")
            }
        }
    }

    /// There is no room for a further object.
    fn no_room(&self, object: String) -> Unsupported {
        match self.program.target.ptr_bits {
            32 => Unsupported::OutOfReach(object),
            _ => Unsupported::Other(format!("{object}, more than there is room for")),
        }
    }

    /// A new stack object for the current instruction.
    #[inline]
    pub fn alloca(&mut self, size: u64) -> Result<u64, End> {
        let top = self.top();
        let origin = top.code.origins[top.pc as usize];
        let From::Inst(inst) = origin.get() else { unreachable!("an alloca should be an instruction") };
        let Inst::Alloca { var, lives, .. } = top.code.func.inst(inst).inst else {
            unreachable!("an alloca should come from one")
        };
        let func = top.code.id;
        let name = var.map(|v| ObjectName::Var(func, v));
        let place = crate::memory::Place { context: 0, func: func.0, origin: origin.0 };
        match self.memory.alloc_stack(size, lives, name, place) {
            Ok(object) => {
                self.forget_accesses(object);
                Ok(self.memory.pointer(object))
            }
            Err(_) => self.unsupported(self.no_room(format!("a stack object of {size} bytes"))),
        }
    }

    fn scope(&mut self, ptr: Value, lives: bool) {
        let object = self.memory.object_of(self.get(ptr));
        if self.threads.several() {
            self.end_conflicts(object, false);
        }
        self.memory.set_scope(object, lives);
    }

    /// The saved stack is the number of its objects.
    fn stack_save(&mut self, d: Value) {
        let mark = self.memory.mark();
        self.set(d, u64::from(mark.0));
    }

    /// Never below what the function began with.
    fn stack_restore(&mut self, saved: Value) {
        let objects = (self.get(saved) as u32).max(self.top().mark.0);
        self.scopes_conflict(Mark(objects));
        self.memory.release(Mark(objects));
    }

    fn wide_load(&mut self, d: Value, ptr: Value) -> Result<(), End> {
        let bits = self.top().code.operands[d.index()].bits;
        let n = u64::from(bits).div_ceil(8);
        self.watch(self.get(ptr), n)?;
        let value = match self.memory.bytes(self.get(ptr), n) {
            Some(bytes) => Bv::from_limbs(bits, &limbs_of(bytes)),
            None => {
                self.bad_access(self.get(ptr), n)?;
                Bv::from_limbs(bits, &limbs_of(&vec![PATTERN; n as usize]))
            }
        };
        self.set_value(d, &value);
        Ok(())
    }

    fn wide_store(&mut self, ptr: Value, value: Value) -> Result<(), End> {
        let bytes = bytes_of(&self.value(value));
        if !self.memory.write(self.get(ptr), &bytes) {
            self.bad_access(self.get(ptr), bytes.len() as u64)?;
        }
        Ok(())
    }

    fn wide_load_shadow(&mut self, d: Value, ptr: Value) -> Result<(), End> {
        let bits = self.top().code.operands[d.index()].bits;
        let n = u64::from(bits).div_ceil(8);
        let shadow = match self.memory.shadow(self.get(ptr), n) {
            // SAFETY: `shadow` made sure that `n` bytes are there.
            Some(at) => unsafe { std::slice::from_raw_parts(at, n as usize) }.iter().map(|b| !b).collect(),
            None => {
                self.bad_access(self.get(ptr), n)?;
                vec![0; n as usize]
            }
        };
        self.set_value(d, &Bv::from_limbs(bits, &limbs_of(&shadow)));
        Ok(())
    }

    fn wide_store_shadow(&mut self, ptr: Value, shadow: Value) -> Result<(), End> {
        let bytes: Vec<u8> = bytes_of(&self.value(shadow)).iter().map(|b| !b).collect();
        match self.memory.writable(self.get(ptr), bytes.len() as u64) {
            // SAFETY: `writable` made sure that the shadow of that many bytes is there.
            Some((_, at)) => unsafe { at.copy_from(bytes.as_ptr(), bytes.len()) },
            None => self.bad_access(self.get(ptr), bytes.len() as u64)?,
        }
        Ok(())
    }

    fn mem_copy(&mut self, dst: Value, src: Value, len: Value) -> Result<(), End> {
        let (dst, src, len) = (self.get(dst), self.get(src), self.get(len));
        if len == 0 {
            return Ok(());
        }
        let from = self.memory.readable(src, len).zip(self.memory.shadow(src, len));
        let Some((data, shadow)) = from else { return self.bad_access(src, len) };
        let Some((to, to_shadow)) = self.memory.writable(dst, len) else { return self.bad_access(dst, len) };
        // SAFETY: both ranges are there; they may overlap.
        unsafe {
            self.move_bytes(data, to, len as usize)?;
            self.move_bytes(shadow, to_shadow, len as usize)
        }
    }

    /// Copies bytes; of a large range only what differs, so that pages nobody has written stay shared.
    ///
    /// # Safety
    /// Both ranges are there; they may overlap.
    unsafe fn move_bytes(&self, from: *const u8, to: *mut u8, len: usize) -> Result<(), End> {
        if len < pages::LARGE {
            // SAFETY: as the caller promises.
            unsafe { std::ptr::copy(from, to, len) };
            return Ok(());
        }
        const BLOCK: usize = 4096;
        let blocks = len.div_ceil(BLOCK);
        let backwards = (from as usize) < to as usize;
        for i in 0..blocks {
            let at = BLOCK * if backwards { blocks - 1 - i } else { i };
            let n = BLOCK.min(len - at);
            if i % (pages::STEP / BLOCK) == 0 {
                self.look()?;
            }
            // SAFETY: inside of the ranges; blocks that overlap are moved in an order in which none is overwritten before it was read.
            unsafe {
                let (from, to) = (from.add(at), to.add(at));
                if libc::memcmp(from.cast(), to.cast(), n) != 0 {
                    std::ptr::copy(from, to, n);
                }
            }
        }
        Ok(())
    }

    fn mem_set(&mut self, dst: Value, byte: Value, len: Value) -> Result<(), End> {
        let (dst, byte, len) = (self.get(dst), self.get(byte) as u8, self.get(len));
        if len == 0 {
            return Ok(());
        }
        let Some((to, shadow)) = self.memory.writable(dst, len) else { return self.bad_access(dst, len) };
        let n = len as usize;
        // SAFETY: the range and its shadow are there.
        unsafe {
            match byte {
                _ if n < pages::LARGE => to.write_bytes(byte, n),
                0 => pages::zero(to, n, || self.look())?,
                0xff => pages::ones(to, n, || self.look())?,
                _ => {
                    for done in (0..n).step_by(pages::STEP) {
                        self.look()?;
                        to.add(done).write_bytes(byte, pages::STEP.min(n - done));
                    }
                }
            }
            if n < pages::LARGE {
                shadow.write_bytes(0xff, n);
            } else {
                pages::ones(shadow, n, || self.look())?;
            }
        }
        Ok(())
    }

    /// The first of `n` bytes for which `hit` finds something in its part.
    fn first_hit(&self, n: u64, hit: impl Fn(u64, u64) -> Option<usize>) -> Result<Option<u64>, End> {
        let step = pages::STEP as u64;
        for from in (0..n).step_by(pages::STEP) {
            if from > 0 {
                self.look()?;
            }
            if let Some(i) = hit(from, step.min(n - from)) {
                return Ok(Some(from + i as u64));
            }
        }
        Ok(None)
    }

    /// Bytes that can't be read never match, so that the check behind the scan sees how far it would have gone.
    fn scan(&mut self, d: Value, ptr: Value, byte: Value, limit: Value) -> Result<(), End> {
        let (ptr, byte, limit) = (self.get(ptr), self.get(byte) as u8, self.get(limit));
        let n = limit.min(self.memory.readable_from(ptr));
        let part = |from, n| self.memory.bytes(self.memory.ptr_add(ptr, from as i64), n).unwrap_or(&[]);
        let hit = self.first_hit(n, |from, n| find_byte(part(from, n), byte))?;
        self.watch(ptr, hit.map_or(n, |at| at + 1))?;
        self.set(d, hit.unwrap_or(limit));
        Ok(())
    }

    /// Bytes that can't be read count as equal, for the same reason.
    fn mismatch(&mut self, d: Value, lhs: Value, rhs: Value, limit: Value) -> Result<(), End> {
        let (lhs, rhs, limit) = (self.get(lhs), self.get(rhs), self.get(limit));
        let n = limit.min(self.memory.readable_from(lhs)).min(self.memory.readable_from(rhs));
        let part = |ptr, from, n| self.memory.bytes(self.memory.ptr_add(ptr, from as i64), n).unwrap_or(&[]);
        let differ = |from, n| part(lhs, from, n).iter().zip(part(rhs, from, n)).position(|(x, y)| x != y);
        let hit = self.first_hit(n, differ)?;
        let read = hit.map_or(n, |at| at + 1);
        self.watch(lhs, read)?;
        self.watch(rhs, read)?;
        self.set(d, hit.unwrap_or(limit));
        Ok(())
    }

    fn heap_alloc(&mut self, d: Value, size: Value) -> Result<(), End> {
        let size = self.get(size);
        let place = self.place();
        let Ok(object) = self.memory.alloc_heap(size, place) else {
            return self.unsupported(self.no_room(format!("a heap object of {size} bytes")));
        };
        self.count_touched(size)?;
        self.forget_accesses(object);
        self.set(d, self.memory.pointer(object));
        if self.recorder.calls() {
            let loc = self.user_loc();
            self.recorder.push(Event::Alloc { object, size, loc });
        }
        Ok(())
    }

    fn heap_free(&mut self, ptr: Value) -> Result<(), End> {
        let ptr = self.get(ptr);
        if ptr == 0 {
            return Ok(());
        }
        let object = self.memory.object_of(ptr);
        let alive = self.memory.info(object).is_some_and(|o| o.kind == ObjectKind::Heap && o.live);
        if !alive {
            return Ok(());
        }
        let place = self.place();
        if self.threads.several() {
            self.free_conflicts(object);
        }
        self.memory.free_heap(object, place);
        if self.recorder.calls() {
            let loc = self.user_loc();
            self.recorder.push(Event::Free { object, loc });
        }
        Ok(())
    }

    fn input_bytes(&mut self, ptr: Value, len: Value, name: &InputName) -> Result<(), End> {
        let (ptr, len) = (self.get(ptr), self.get(len));
        if len > 0 && self.memory.writable(ptr, len).is_none() {
            return self.bad_access(ptr, len);
        }
        if self.explored_bytes(ptr, len, name) {
            return Ok(());
        }
        if len > MAX_INPUT {
            return self.unsupported("an input of more than 256 MB");
        }
        let bytes = self.next_bytes(name, len);
        self.memory.write(ptr, &bytes);
        Ok(())
    }

    fn builtin(&mut self, op: Builtin, args: &[Value], result: Option<Value>) -> Result<(), End> {
        if let (Builtin::Rounded(op), Some(d)) = (op, result) {
            self.rounded(op, args, d);
            return Ok(());
        }
        let arg = |i: usize| args.get(i).map_or(0, |&v| self.get(v));
        let object = self.memory.object_of(arg(0));
        let info = self.memory.info(object);
        let answer = match op {
            Builtin::ObjectSize => info.map_or(0, |o| o.size),
            Builtin::Offset => self.memory.offset_of(arg(0)) as u64,
            Builtin::ObjectId => object,
            Builtin::Readable => u64::from(self.access_fault(arg(0), arg(1), AccessKind::Read).is_none()),
            Builtin::Peekable => u64::from(self.access_fault(arg(0), 1, AccessKind::Read).is_none()),
            Builtin::Writable => u64::from(self.access_fault(arg(0), arg(1), AccessKind::Write).is_none()),
            Builtin::IsHeap => u64::from(info.is_some_and(|o| o.kind == ObjectKind::Heap)),
            Builtin::IsLive => u64::from(info.is_some_and(|o| o.live)),
            Builtin::IsCode => {
                u64::from(info.is_some_and(|o| o.kind == ObjectKind::Code) && self.memory.offset_of(arg(0)) == 0)
            }
            Builtin::JumpSet => u64::from(self.jump_point(arg(0)).is_some()),
            Builtin::MathIs => u64::from(crate::host::is_result(arg(0), arg(1), arg(2), arg(3))),
            Builtin::Narrow | Builtin::Open | Builtin::Rounded(_) => 0,
            Builtin::AllocFails => u64::from(self.next_alloc_fails()),
            Builtin::KeepAlive => {
                if info.is_some() {
                    self.memory.cold[object as usize].kept = true;
                }
                return Ok(());
            }
            Builtin::Quantifier | Builtin::Thread(_) => return Ok(()),
            Builtin::Output => return self.output(arg(0) as u32 as i32, arg(1), arg(2)),
            Builtin::Host => {
                self.meets_world();
                let given: Vec<u64> = args.iter().map(|&v| self.get(v)).collect();
                self.host_service(&given)?
            }
        };
        if let Some(d) = result {
            self.set(d, answer);
        }
        Ok(())
    }

    fn rounded(&mut self, op: Rounded, args: &[Value], d: Value) {
        let code = self.top().code;
        let (from, to) = (code.operands[args[1].index()].ty, code.operands[d.index()]);
        let Type::Float(kind) = to.ty else { unreachable!("a rounded operation should yield a float") };
        let operands: Vec<Bv> = args[1..].iter().map(|&v| self.value(v)).collect();
        let result = float::rounded(kind, op, soft::Mode::of(self.get(args[0])), from, &operands);
        self.write_bv(to, &result);
    }

    /// Bytes that leave the program.
    fn output(&mut self, fd: i32, ptr: u64, len: u64) -> Result<(), End> {
        let Some(bytes) = self.memory.bytes(ptr, len) else { return self.bad_access(ptr, len) };
        let bytes = bytes.to_vec();
        self.emit(fd, &bytes);
        Ok(())
    }

    /// Hands bytes to the sink and notes them.
    pub fn emit(&mut self, fd: i32, bytes: &[u8]) {
        self.sink.write(fd, bytes);
        if self.recorder.calls() {
            let loc = self.user_loc();
            self.recorder.push(Event::Output { fd, bytes: bytes.to_vec(), loc });
        }
    }
}

fn find_byte(bytes: &[u8], byte: u8) -> Option<usize> {
    if bytes.is_empty() {
        return None;
    }
    // SAFETY: `memchr` reads the slice's bytes only.
    let hit = unsafe { libc::memchr(bytes.as_ptr().cast(), i32::from(byte), bytes.len()) };
    (!hit.is_null()).then(|| hit as usize - bytes.as_ptr() as usize)
}
