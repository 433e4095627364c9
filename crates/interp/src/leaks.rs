//! Leaks at the end of the program: heap objects that nothing reaches.
//!
//! As LeakSanitizer does, memory is scanned for aligned words that look like pointers: from globals, the objects
//! on the stack, and the values the open functions still hold; any pointer into an object keeps all of it.
//!
//! What a function like `xmalloc` only hands on is lost by whoever called it: the leak counts at the innermost call whose function did not simply return
//! what it got. The property stays that of the allocation.

use crate::checks::call_property;
use crate::code::{From, Origin};
use crate::held::held;
use crate::machine::{End, Machine, origin_loc};
use crate::memory::Place;
use crate::outcome::{ObjectKind, Violation};
use crate::pages;
use blitz_base::span::Loc;
use blitz_ir::{CheckKind, Func, FuncId, Inst, InstId, PropertyId, Terminator, Value};
use std::collections::BTreeSet;

/// Bytes that are looked at together; a multiple of every pointer's size.
const BLOCK: usize = 4096;

impl Machine<'_, '_> {
    /// Ends the run if a heap object is lost.
    pub fn check_leaks(&mut self) -> Result<(), End> {
        if !self.config.checks.has(CheckKind::MemoryLeak) {
            return Ok(());
        }
        for (object, reached) in self.reachable()?.into_iter().enumerate() {
            let cold = self.memory.cold[object];
            if cold.kind != ObjectKind::Heap || !cold.live || reached {
                continue;
            }
            let Some(property) = self.leak_property(cold.allocated) else { continue };
            let loser = self.loser(cold.allocated);
            let violation = Violation {
                property,
                kind: CheckKind::MemoryLeak,
                loc: self.loc_of(loser),
                stack: self.stack_at(loser),
                values: Vec::new(),
                object: self.object_info(object as u64),
                offset: None,
                size: Some(cold.size),
                thread: self.threads.current as u32,
                others: Vec::new(),
            };
            self.report(violation)?;
        }
        Ok(())
    }

    /// Which objects are reachable from the roots.
    fn reachable(&self) -> Result<Vec<bool>, End> {
        let mut reached = vec![false; self.memory.cold.len()];
        let mut work = Vec::new();
        for (number, cold) in self.memory.cold.iter().enumerate() {
            let root = match cold.kind {
                ObjectKind::Global | ObjectKind::Stack => cold.live,
                ObjectKind::Heap => cold.live && cold.kept,
                ObjectKind::Code => false,
            };
            if root {
                reached[number] = true;
                work.push(number);
            }
        }
        for word in self.held_words() {
            self.reach(word, &mut reached, &mut work);
        }
        let width = usize::from(self.program.target.ptr_bits / 8);
        while let Some(number) = work.pop() {
            let hot = self.memory.hot[number];
            let bytes = self.memory.bytes(self.memory.pointer(number as u64), hot.read).unwrap_or(&[]);
            for (i, block) in bytes.chunks(BLOCK).enumerate() {
                if i > 0 && i % (pages::STEP / BLOCK) == 0 {
                    self.look()?;
                }
                // Pages that nobody has written.
                if block.len() == BLOCK && block == [0; BLOCK] {
                    continue;
                }
                for chunk in block.chunks_exact(width) {
                    let word = chunk.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b));
                    self.reach(word, &mut reached, &mut work);
                }
            }
        }
        Ok(reached)
    }

    fn reach(&self, word: u64, reached: &mut [bool], work: &mut Vec<usize>) {
        let object = self.memory.object_of(word) as usize;
        let Some(cold) = self.memory.cold.get(object) else { return };
        let offset = self.memory.offset_of(word);
        let inside = offset >= 0 && (offset as u64) < cold.size.max(1);
        if cold.kind == ObjectKind::Heap && cold.live && inside && !reached[object] {
            reached[object] = true;
            work.push(object);
        }
    }

    /// Values that source variables of the open functions hold.
    fn held_words(&self) -> Vec<u64> {
        let mut words = Vec::new();
        let own = self.frames.iter().map(|f| (f, self.regs.as_slice()));
        for (frame, regs) in own.chain(self.other_activations()) {
            for &value in &held(frame.code, frame.pc, self.program.target.ptr_bits) {
                words.push(regs[frame.base + frame.code.operands[value.index()].slot as usize]);
            }
        }
        words
    }

    /// The place in the user's code whose function got what was allocated at `place` and did not only hand it on.
    fn loser(&self, place: Place) -> Place {
        let (mut at, mut users) = (place, None);
        while let Some(code) = self.codes.get(FuncId(at.func)) {
            let inst = match Origin(at.origin).get() {
                From::Inst(inst) => Some(inst),
                From::Term(_) => None,
            };
            if !code.model {
                users = Some(at);
                if !inst.is_some_and(|inst| hands_on(code.func, inst)) {
                    return at;
                }
            }
            let Some(caller) = at.context.checked_sub(1) else { break };
            at = self.contexts.nodes[caller as usize].1;
        }
        users.unwrap_or(place)
    }

    fn loc_of(&self, place: Place) -> Loc {
        self.codes.get(FuncId(place.func)).map_or(Loc::UNKNOWN, |code| origin_loc(code, Origin(place.origin)))
    }

    /// The property that a leak of what was allocated at `place` violates.
    fn leak_property(&self, place: Place) -> Option<PropertyId> {
        let kind = CheckKind::MemoryLeak;
        let own = self.own_leak_property(place);
        let mut at = place;
        loop {
            let code = self.codes.get(FuncId(at.func))?;
            if !code.model {
                return call_property(code, Origin(at.origin), kind).or(own);
            }
            let Some(caller) = at.context.checked_sub(1) else { return own };
            at = self.contexts.nodes[caller as usize].1;
        }
    }

    fn own_leak_property(&self, place: Place) -> Option<PropertyId> {
        let code = self.codes.get(FuncId(place.func))?;
        let From::Inst(inst) = Origin(place.origin).get() else { return None };
        match code.func.inst(inst).inst {
            Inst::HeapAlloc { leak, .. } => leak,
            _ => None,
        }
    }
}

/// Whether a function returns what an instruction gives and stores it nowhere.
fn hands_on(func: &Func, inst: InstId) -> bool {
    let mut same: BTreeSet<Value> = func.inst(inst).results.iter().copied().collect();
    loop {
        let before = same.len();
        for b in func.block_ids() {
            let block = func.block(b);
            for &i in &block.insts {
                let data = func.inst(i);
                match &data.inst {
                    Inst::Store { value, .. } if same.contains(value) => return false,
                    Inst::Select { then, other, .. } if same.contains(then) || same.contains(other) => {
                        same.extend(&data.results);
                    }
                    _ => {}
                }
            }
            for (to, args) in block.term.successors() {
                let given = args.iter().zip(&func.block(to).params).filter(|(a, _)| same.contains(a));
                let params: Vec<Value> = given.map(|(_, p)| *p).collect();
                same.extend(params);
            }
        }
        if same.len() == before {
            break;
        }
    }
    let returns =
        |t: &Terminator| matches!(t, Terminator::Return { values } if values.iter().any(|v| same.contains(v)));
    func.block_ids().any(|b| returns(&func.block(b).term))
}
