//! Calls, returns, variable arguments, `setjmp` and `longjmp`. Frames are ours, never the machine's stack.

use crate::code::{CallInfo, Code, Op, Operand};
use crate::machine::{Activation, End, JumpPoint, Machine};
use crate::memory::{PATTERN, Place};
use crate::outcome::{Event, Outcome};
use blitz_base::Bv;
use blitz_ir::callgraph::makes_sense_as;
use blitz_ir::{FloatKind, FuncId, Target, Type, Value};

/// Slots of all open calls together: half a gigabyte, far more than any native stack.
const MAX_SLOTS: usize = 1 << 26;

impl<'a, 'p> Machine<'a, 'p> {
    /// Opens a frame for a function, its parameters not yet set.
    #[inline]
    pub fn open_frame(&mut self, code: &'a Code<'p>) -> Result<(), End> {
        if self.frames.len() >= self.config.max_depth {
            return self.unsupported(format!("more than {} open calls", self.config.max_depth));
        }
        let base = self.frames.last().map_or(0, |f| f.base + f.code.frame_slots as usize);
        let end = base + code.frame_slots as usize;
        if end > self.regs.len() {
            if end > MAX_SLOTS {
                return self.unsupported("open calls that take more memory than a stack has");
            }
            let grown = end.max(self.regs.len() * 2).max(1 << 12);
            self.regs.resize(grown, 0);
        }
        self.regs[base..base + code.consts.len()].copy_from_slice(&code.consts);
        if self.threads.exploration.is_some() {
            // What earlier calls left there is no part of the state.
            self.regs[base + code.consts.len()..end].fill(0);
        }
        let (mark, jumps) = (self.memory.mark(), self.jumps.len() as u32);
        self.frames.push(Activation { code, pc: 0, base, mark, jumps, context: 0 });
        Ok(())
    }

    /// Executes a call operation.
    #[inline]
    pub fn call(&mut self, info: u32) -> Result<(), End> {
        let caller = self.top();
        let base = caller.base;
        let info = &caller.code.calls[info as usize];
        let func = match info.target {
            Target::Func(f) => f,
            Target::Pointer(_) => self.resolve(self.regs[base + info.pointer as usize], info)?,
        };
        let Some(code) = self.codes.get(func) else {
            return self.call_unknown(func, info);
        };
        self.note_call();
        if code.model && self.inputs.recorded() && !self.top().code.model {
            *self.library_calls.entry(func).or_default() += 1;
            self.note_comparison(func, base, info);
        }
        self.open_frame(code)?;
        let fixed = code.params.len() - usize::from(code.variadic);
        for (i, &param) in code.params[..fixed].iter().enumerate() {
            match info.args.get(i) {
                Some(&arg) => self.copy_operand(base, arg, param),
                // Shadows that the caller knows nothing of: determinate.
                None if i + self.program.decl(func).shadow_params as usize >= fixed => {
                    self.write_bv(param, &Bv::zero(param.bits));
                }
                None => self.fill_param(param),
            }
        }
        if code.variadic {
            self.pack_arguments(base, info, fixed)?;
        }
        if self.recorder.calls() {
            self.record_enter(func, base, info);
        }
        Ok(())
    }

    /// The function a pointer points to.
    fn resolve(&self, ptr: u64, info: &CallInfo) -> Result<FuncId, End> {
        let object = self.memory.object_of(ptr);
        let func = match self.program.func_of_object(object) {
            Some(f) if self.memory.offset_of(ptr) == 0 => f,
            Some(_) | None => return self.unsupported("a call through a pointer that is not a function's"),
        };
        let decl = self.program.decl(func);
        let word = self.program.target.ptr_bits;
        match &info.signature {
            Some(site) if !makes_sense_as(decl, site, word) => {
                self.unsupported(format!("a call of `{}` through a pointer to functions of another type", decl.name))
            }
            Some(_) | None => Ok(func),
        }
    }

    /// Copies an argument (of the frame at `base`) to a parameter of the innermost frame; types match by position.
    #[inline]
    fn copy_operand(&mut self, base: usize, from: Operand, to: Operand) {
        let target = self.top().base + to.slot as usize;
        if from.bits == to.bits {
            let source = base + from.slot as usize;
            if from.bits <= 64 {
                self.regs[target] = self.regs[source];
            } else {
                self.regs.copy_within(source..source + from.slots() as usize, target);
            }
        } else {
            let bits = self.read_bv_at(base, from).resize(to.bits);
            self.regs[target..target + to.slots() as usize].copy_from_slice(&bits.limbs());
        }
    }

    /// A parameter that the call gives no argument for.
    fn fill_param(&mut self, param: Operand) {
        let bits = vec![u64::from_le_bytes([PATTERN; 8]); param.slots() as usize];
        self.write_bv(param, &Bv::from_limbs(param.bits, &bits));
    }

    /// Packs the arguments beyond the fixed ones into an object of the new frame, and passes its address. What a slot has beyond its argument is
    /// indeterminate: `va_arg` of a wider type reads it.
    fn pack_arguments(&mut self, base: usize, info: &CallInfo, fixed: usize) -> Result<(), End> {
        let word = u64::from(self.program.target.ptr_bits / 8);
        let mut end = 0;
        let mut places = Vec::new();
        for &arg in info.args.iter().skip(fixed) {
            let start = u64::next_multiple_of(end, argument_align(arg.ty, word));
            let size = u64::from(arg.bits).div_ceil(8);
            let limbs = self.read_bv_at(base, arg).limbs();
            let bytes: Vec<u8> = limbs.iter().flat_map(|l| l.to_le_bytes()).take(size as usize).collect();
            places.push((start, bytes));
            end = (start + size).next_multiple_of(word);
        }
        let Ok(object) = self.memory.alloc_stack(end, true, None, Place::NONE) else {
            return self.unsupported("more objects than there are numbers for");
        };
        let address = self.memory.pointer(object);
        for (start, bytes) in places {
            self.memory.write(address + start, &bytes);
        }
        let last = *self.top().code.params.last().expect("a variadic function should have its hidden parameter");
        self.write_bv(last, &Bv::from_u64(last.bits, address));
        Ok(())
    }

    /// Executes a return.
    #[inline]
    pub fn ret(&mut self, info: u32) -> Result<(), End> {
        let Some(frame) = self.frames.pop() else { return self.unsupported("a return without a call") };
        let values = &frame.code.returns[info as usize];
        self.scopes_conflict(frame.mark);
        self.memory.release(frame.mark);
        self.jumps.truncate(frame.jumps as usize);
        let Some(caller) = self.frames.last_mut() else {
            if self.threads.current > 0 {
                return self.end_thread();
            }
            self.frames.push(frame);
            return self.end_of_entry(info);
        };
        let Op::Call { info: call } = caller.code.ops[caller.pc as usize] else {
            unreachable!("a caller should stand at its call")
        };
        caller.pc += 1;
        let results = &caller.code.calls[call as usize].results;
        for (i, &result) in results.iter().enumerate() {
            match values.get(i) {
                Some(&value) => self.copy_operand(frame.base, value, result),
                None => self.fill_param(result),
            }
        }
        if self.recorder.calls() {
            self.record_leave(&frame, values);
        }
        Ok(())
    }

    /// The entry function has returned: the program ends, with what it returned as status.
    fn end_of_entry(&mut self, info: u32) -> Result<(), End> {
        let values = &self.top().code.returns[info as usize];
        let status = values.first().map_or(0, |&v| self.read_bv(v).resize(32).to_i64().unwrap_or(0));
        self.check_leaks()?;
        Err(Box::new(Outcome::Exit(status as i32)))
    }

    /// `setjmp`: the point is noted, its token is put into the buffer.
    pub fn set_jump(&mut self, buf: Value, result: Value) -> Result<(), End> {
        let (depth, first) = (self.frames.len(), self.top().jumps as usize);
        let (pc, operand) = (self.top().pc, self.top().code.operands[result.index()]);
        let known = self.jumps[first..].iter().find(|j| j.pc == pc).map(|j| j.token);
        let token = known.unwrap_or_else(|| {
            let token = self.next_token;
            self.next_token += 1;
            self.jumps.push(JumpPoint { token, depth, pc, result: operand });
            token
        });
        if !self.memory.write(self.get(buf), &token.to_le_bytes()) {
            return self.unsupported("setjmp with a buffer that can't be written");
        }
        self.set(result, 0);
        Ok(())
    }

    /// The point that a `longjmp` on this buffer goes back to, if there is one.
    pub fn jump_point(&self, buf: u64) -> Option<JumpPoint> {
        let bytes = self.memory.bytes(buf, 8)?;
        let token = u64::from_le_bytes(bytes.try_into().expect("eight bytes were asked for"));
        self.jumps.iter().rev().find(|j| j.token == token).copied()
    }

    /// `longjmp`: frames younger than the point are closed.
    pub fn long_jump(&mut self, buf: Value, value: Value) -> Result<(), End> {
        let value = self.value(value);
        let Some(point) = self.jump_point(self.get(buf)) else {
            return self.unsupported("longjmp to a point that is gone");
        };
        if let Some(oldest) = self.frames.get(point.depth) {
            let (mark, jumps) = (oldest.mark, oldest.jumps);
            self.scopes_conflict(mark);
            self.memory.release(mark);
            self.jumps.truncate(jumps as usize);
        }
        let loc = self.loc();
        while self.frames.len() > point.depth {
            let Some(frame) = self.frames.pop() else { break };
            if self.recorder.calls() && !frame.code.model {
                self.recorder.push(Event::Leave { func: frame.code.id, results: Vec::new(), loc });
            }
        }
        self.top_mut().pc = point.pc + 1;
        self.write_bv(point.result, &value);
        Ok(())
    }
}

/// How a variable argument is aligned.
fn argument_align(ty: Type, word: u64) -> u64 {
    match ty {
        Type::Float(FloatKind::Quad) => 16,
        Type::Float(FloatKind::X87) if word == 8 => 16,
        Type::Int(bits) if bits > 64 && word == 8 => 16,
        Type::Int(_) | Type::Ptr | Type::Float(_) => word,
    }
}
