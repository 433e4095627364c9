//! Constant folding, copy propagation and the removal of checks that can't fail, in one walk over the blocks.
//!
//! A memory check goes if it guards a constant range inside a stack object or a global that can't be dead then. Where the object
//! may be out of scope, only that property of it stays. A check or an assumption of 0 ends its block.
//! A computation that was made already in a dominating place is not made again (loads are: memory changes).
//! A condition that was checked, or decided the way here, is known.
//! A second check of the same condition, or of the same access with nothing in between that could end an object, goes too.

use super::Options;
use super::computation::Computation;
use super::memory::Memory;
use super::simplify::{Simple, simplify};
use super::util::{Subst, const_bits, const_i64, const_u64, forget_all};
use crate::cfg::{Cfg, DomTree};
use crate::func::{Block, Const, Func, FuncBuilder, Value};
use crate::inst::{AccessKind, CmpOp, Extent, Inst, InstId, MemCheck, Terminator};
use crate::passes::promote::inside;
use crate::property::{CheckKind, PropertyId};
use crate::types::Type;
use blitz_base::Bv;
use rustc_hash::FxHashMap;

/// Rewrites of one instruction into another are followed this far.
const MOST_STEPS: usize = 8;

/// A stack object with a known size.
#[derive(Clone, Copy)]
struct StackObject {
    pointer: Value,
    size: u64,
    /// It can be out of scope while its function runs.
    mortal: bool,
}

struct Folder<'a, 'b> {
    b: &'a mut FuncBuilder,
    options: &'a Options<'b>,
    dom: DomTree,
    subst: Subst,
    /// By value: the stack object and the offset that it points to.
    places: Vec<Option<(StackObject, i64)>>,
    mortal: Mortality,
    /// Conditions whose truth is known from this block on: they were checked there, or decided the way to it.
    facts: FxHashMap<Value, (Block, bool)>,
    /// Computations that were made: their results, and in which block.
    computed: FxHashMap<Computation, (Value, Block)>,
    /// Accesses of the current block (or the line of blocks it ends) that were checked since the last thing that could end an object.
    guarded: FxHashMap<(Value, Value), MemCheck>,
    /// What memory holds, within the same limits.
    memory: Memory,
    changed: bool,
}

/// What is known about the ends of stack objects.
struct Mortality {
    /// Objects that a `lifetime.end` names.
    ended: Vec<Value>,
    /// A `lifetime.end` names something else, or a `stack.restore` may end anything.
    unknown: bool,
}

/// What becomes of an instruction.
enum Fate {
    Keep,
    Drop,
    /// Nothing after it is executed.
    Last,
}

pub fn run(b: &mut FuncBuilder, options: &Options<'_>) -> bool {
    let cfg = Cfg::new(&b.func);
    let mortal = mortality(&b.func);
    let dom = cfg.dominators();
    let mut folder = Folder {
        places: vec![None; b.func.values.len()],
        b,
        options,
        dom,
        subst: Subst::default(),
        mortal,
        facts: FxHashMap::default(),
        computed: FxHashMap::default(),
        guarded: FxHashMap::default(),
        memory: Memory::default(),
        changed: false,
    };
    let mut last = None;
    for &block in cfg.rpo() {
        let follows = matches!(cfg.predecessors(block), [only] if Some(*only) == last);
        if let [only] = cfg.predecessors(block) {
            folder.enter(block, *only);
        }
        if !follows {
            forget_all(&mut folder.guarded);
            folder.memory.forget();
        }
        folder.block(block);
        last = Some(block);
    }
    let Folder { mut subst, changed, .. } = folder;
    subst.apply(&mut b.func);
    changed || subst.used
}

fn mortality(func: &Func) -> Mortality {
    let mut mortal = Mortality { ended: Vec::new(), unknown: false };
    for data in func.blocks.iter().flat_map(|b| &b.insts).map(|&i| func.inst(i)) {
        match data.inst {
            Inst::LifetimeEnd { ptr } => {
                let direct = matches!(super::util::def_inst(func, ptr), Some(Inst::Alloca { .. }));
                if direct {
                    mortal.ended.push(ptr);
                } else {
                    mortal.unknown = true;
                }
            }
            Inst::StackRestore { .. } => mortal.unknown = true,
            _ => {}
        }
    }
    mortal.ended.sort_unstable();
    mortal
}

impl Folder<'_, '_> {
    fn block(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.b.func.blocks[block.index()].insts);
        let mut kept = Vec::with_capacity(insts.len());
        let mut ends = false;
        for id in insts {
            self.operands(id);
            if self.is_known(id) {
                self.changed = true;
                continue;
            }
            match self.inst(id, block) {
                Fate::Keep => kept.push(id),
                Fate::Drop => self.changed = true,
                Fate::Last => {
                    kept.push(id);
                    ends = true;
                    break;
                }
            }
        }
        self.b.func.blocks[block.index()].insts = kept;
        if ends {
            let term = &mut self.b.func.blocks[block.index()].term;
            self.changed |= *term != Terminator::Unreachable;
            *term = Terminator::Unreachable;
        } else {
            self.terminator(block);
        }
    }

    /// Drops a load whose result is known.
    fn is_known(&mut self, id: InstId) -> bool {
        let data = self.b.func.inst(id);
        let (inst, result) = match &data.inst {
            Inst::Load { .. } | Inst::LoadShadow { .. } | Inst::Store { .. } | Inst::StoreShadow { .. } => {
                (data.inst.clone(), data.results.first().copied())
            }
            other => {
                self.memory.pass(other);
                return false;
            }
        };
        let known = self.memory.visit(self.b, &inst, result, self.options.target.ptr_bits);
        if let (Some(v), Some(result)) = (known, result) {
            self.subst.set(result, v);
        }
        known.is_some()
    }

    fn operands(&mut self, id: InstId) {
        let subst = &mut self.subst;
        self.b.func.insts[id.index()].inst.for_each_operand_mut(|v| *v = subst.get(*v));
    }

    fn inst(&mut self, id: InstId, block: Block) -> Fate {
        match &self.b.func.inst(id).inst {
            Inst::Check { cond, property } if property.unasked_kind().is_some() => self.unasked(*cond, block),
            Inst::Check { cond, .. } => self.check(*cond, block),
            Inst::Assume { cond } => self.check(*cond, block),
            Inst::CheckMem(check) => {
                let check = check.clone();
                self.check_mem(id, check)
            }
            Inst::Alloca { size, lives, .. } => {
                let (size, lives) = (const_u64(&self.b.func, *size), *lives);
                self.alloca(id, size, lives);
                Fate::Keep
            }
            other if other.effect().ends_objects() => {
                forget_all(&mut self.guarded);
                Fate::Keep
            }
            _ => self.pure(id, block),
        }
    }

    /// Rewrites a pure instruction until no rule applies.
    fn pure(&mut self, id: InstId, block: Block) -> Fate {
        let &[result] = self.b.func.inst(id).results.as_slice() else {
            return Fate::Keep;
        };
        let ty = self.b.func.ty(result);
        for _ in 0..MOST_STEPS {
            let inst = self.b.func.inst(id).inst.clone();
            let simple = match self.by_place(&inst, result) {
                Simple::Keep => simplify(self.b, &inst, ty, self.options.target),
                found => found,
            };
            match simple {
                Simple::Keep => return self.once(id, result, block),
                Simple::Value(v) => {
                    self.subst.set(result, v);
                    return Fate::Drop;
                }
                Simple::Inst(new) => {
                    self.b.func.insts[id.index()].inst = new;
                    self.changed = true;
                }
            }
        }
        Fate::Keep
    }

    /// Drops a computation whose result is there already.
    fn once(&mut self, id: InstId, result: Value, block: Block) -> Fate {
        let inst = &self.b.func.inst(id).inst;
        let Some(key) = Computation::new(&self.b.func, inst, self.b.func.ty(result)) else {
            return Fate::Keep;
        };
        match self.computed.get(&key) {
            Some(&(v, at)) if self.dom.dominates(at, block) => {
                self.subst.set(result, v);
                Fate::Drop
            }
            _ => {
                self.computed.insert(key, (result, block));
                Fate::Keep
            }
        }
    }

    fn alloca(&mut self, id: InstId, size: Option<u64>, lives: bool) {
        let pointer = self.b.func.inst(id).results[0];
        let ended = self.mortal.unknown || self.mortal.ended.binary_search(&pointer).is_ok();
        if let Some(size) = size {
            let object = StackObject { pointer, size, mortal: ended || !lives };
            self.set_place(pointer, object, 0);
        }
    }

    fn set_place(&mut self, v: Value, object: StackObject, offset: i64) {
        if self.places.len() <= v.index() {
            self.places.resize(v.index() + 1, None);
        }
        self.places[v.index()] = Some((object, offset));
    }

    fn place(&self, v: Value) -> Option<(StackObject, i64)> {
        self.places.get(v.index()).copied().flatten()
    }

    /// Rules that know where a stack pointer points.
    fn by_place(&mut self, inst: &Inst, result: Value) -> Simple {
        match *inst {
            Inst::PtrAdd { base, offset, extent } => self.ptr_add(base, offset, extent, result),
            Inst::Compare { op: op @ (CmpOp::Eq | CmpOp::Ne), lhs, rhs } => match self.same_place(lhs, rhs) {
                Some(same) => Simple::Value(self.b.int(1, u64::from(same == (op == CmpOp::Eq)))),
                None => Simple::Keep,
            },
            _ => Simple::Keep,
        }
    }

    /// Offsets from one stack object add up; far away they would not fit into a pointer, so that is left alone. So is the
    /// way into a member or array: it says more than the sum.
    fn ptr_add(&mut self, base: Value, offset: Value, extent: Option<Extent>, result: Value) -> Simple {
        let Some((object, from)) = self.place(base) else {
            return Simple::Keep;
        };
        let limit = 1 << (self.options.target.offset_bits() - 2);
        let to = const_i64(&self.b.func, offset).and_then(|by| from.checked_add(by));
        let Some(to) = to.filter(|o| o.unsigned_abs() < limit) else {
            return Simple::Keep;
        };
        if to == 0 && extent.is_none() {
            return Simple::Value(object.pointer);
        }
        self.set_place(result, object, to);
        if base == object.pointer || extent.is_some() {
            return Simple::Keep;
        }
        let bits = Bv::from_i64(self.options.target.ptr_bits, to);
        let offset = self.b.constant(Type::Int(self.options.target.ptr_bits), Const::Bits(bits));
        Simple::Inst(Inst::PtrAdd { base: object.pointer, offset, extent: None })
    }

    /// Whether two pointers are equal, where that is known: no object is null, and different ones differ.
    fn same_place(&self, lhs: Value, rhs: Value) -> Option<bool> {
        let constant =
            |v: Value| matches!(self.b.func.as_const(v), Some(Const::Null | Const::Global(..) | Const::Func(_)));
        match (self.place(lhs), self.place(rhs)) {
            (Some((a, x)), Some((b, y))) if a.pointer == b.pointer => Some(x == y),
            (Some(_), None) if constant(rhs) => Some(false),
            (None, Some(_)) if constant(lhs) => Some(false),
            _ => None,
        }
    }

    /// A check or an assumption.
    fn check(&mut self, cond: Value, block: Block) -> Fate {
        if let Some(c) = const_bits(&self.b.func, cond) {
            return if c.is_one() { Fate::Drop } else { Fate::Last };
        }
        if self.fact(cond, block) == Some(true) {
            return Fate::Drop;
        }
        self.facts.insert(cond, (block, true));
        Fate::Keep
    }

    /// A check that nobody asked for: the properties behind it hang on it, so nothing is concluded from it.
    fn unasked(&self, cond: Value, block: Block) -> Fate {
        let holds = const_bits(&self.b.func, cond).is_some_and(|c| c.is_one()) || self.fact(cond, block) == Some(true);
        if holds { Fate::Drop } else { Fate::Keep }
    }

    /// Whether a condition is known to hold, or not to hold, in a block.
    fn fact(&self, cond: Value, block: Block) -> Option<bool> {
        let &(from, holds) = self.facts.get(&cond)?;
        self.dom.dominates(from, block).then_some(holds)
    }

    /// Notes what the only way into a block says about the condition that decided it.
    fn enter(&mut self, block: Block, from: Block) {
        let Terminator::Branch { cond, then, other } = &self.b.func.block(from).term else {
            return;
        };
        let (cond, holds) = (*cond, then.0 == block);
        if then.0 != other.0 && self.b.func.as_const(cond).is_none() {
            self.facts.insert(cond, (block, holds));
        }
    }

    fn check_mem(&mut self, id: InstId, mut check: MemCheck) -> Fate {
        match check.access {
            AccessKind::Read | AccessKind::Write => {}
            AccessKind::Defined | AccessKind::Free | AccessKind::String => return Fate::Keep,
            AccessKind::SharedRead | AccessKind::SharedWrite | AccessKind::AtomicRead | AccessKind::AtomicWrite => {
                // Another thread may end the life of anything here.
                forget_all(&mut self.guarded);
                return Fate::Keep;
            }
        }
        if const_u64(&self.b.func, check.size) == Some(0) || check.properties.is_empty() {
            return Fate::Drop;
        }
        if self.in_global(&check) || self.is_guarded(&check) {
            return Fate::Drop;
        }
        if let Some(mortal) = self.in_stack_object(&check) {
            let before = check.properties.len();
            check.properties.retain(|p| mortal && p.0 == CheckKind::UseAfterScope);
            if check.properties.is_empty() {
                return Fate::Drop;
            }
            if check.properties.len() != before {
                self.b.func.insts[id.index()].inst = Inst::CheckMem(check.clone());
                self.changed = true;
            }
        }
        self.guarded.insert((check.ptr, check.size), check);
        Fate::Keep
    }

    fn is_guarded(&self, check: &MemCheck) -> bool {
        let earlier = self.guarded.get(&(check.ptr, check.size));
        earlier.is_some_and(|earlier| implies(earlier, check))
    }

    /// Whether the range is inside a stack object; if so, whether the object may be out of scope.
    fn in_stack_object(&self, check: &MemCheck) -> Option<bool> {
        let (object, offset) = self.place(check.ptr)?;
        let size = const_u64(&self.b.func, check.size)?;
        inside(offset, size, object.size).map(|_| object.mortal)
    }

    /// Whether the range is inside a global that may be accessed in this way.
    fn in_global(&self, check: &MemCheck) -> bool {
        let Some(&Const::Global(id, offset)) = self.b.func.as_const(check.ptr) else {
            return false;
        };
        let size = const_u64(&self.b.func, check.size);
        let (Some(global), Some(size)) = (self.options.globals.get(id.index()), size) else {
            return false;
        };
        let allowed = check.access == AccessKind::Read || !global.constant;
        allowed && inside(offset, size, global.size).is_some()
    }

    fn terminator(&mut self, block: Block) {
        let mut term = std::mem::replace(&mut self.b.func.blocks[block.index()].term, Terminator::Unreachable);
        term.for_each_operand_mut(|v| *v = self.subst.get(*v));
        if let Some(to) = self.decided(&term, block) {
            term = Terminator::Jump { to: to.0, args: to.1 };
            self.changed = true;
        }
        self.b.func.blocks[block.index()].term = term;
    }

    /// The one edge that a branch or switch can take.
    fn decided(&self, term: &Terminator, block: Block) -> Option<(Block, Vec<Value>)> {
        match term {
            Terminator::Branch { cond, then, other } => match const_bits(&self.b.func, *cond) {
                Some(c) => Some(if c.is_one() { then.clone() } else { other.clone() }),
                None => match self.fact(*cond, block) {
                    Some(holds) => Some(if holds { then.clone() } else { other.clone() }),
                    None => (then == other).then(|| then.clone()),
                },
            },
            Terminator::Switch { value, cases, default } => match const_bits(&self.b.func, *value) {
                Some(v) => {
                    let case = cases.iter().find(|c| c.0 == *v);
                    Some(case.map_or_else(|| default.clone(), |c| (c.1, c.2.clone())))
                }
                None => cases.is_empty().then(|| default.clone()),
            },
            Terminator::Jump { .. }
            | Terminator::IndirectJump { .. }
            | Terminator::Return { .. }
            | Terminator::Exit { .. }
            | Terminator::Halt { .. }
            | Terminator::LongJmp { .. }
            | Terminator::Unreachable => None,
        }
    }
}

/// Whether a check that held makes another one of the same range hold: nothing asked that was not asked before.
fn implies(earlier: &MemCheck, later: &MemCheck) -> bool {
    let access = earlier.access == later.access || earlier.access == AccessKind::Write;
    let asked = |e: PropertyId, l: PropertyId| e.unasked_kind().is_none() || l.unasked_kind().is_some();
    let kinds = later.properties.iter().all(|p| earlier.properties.iter().any(|e| e.0 == p.0 && asked(e.1, p.1)));
    access && kinds
}
