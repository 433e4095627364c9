//! What an execution does behind a violation of a kind that is switched off (`--checks`, CBMC's pragmas).
//!
//! Nobody reports it, and the machine goes on. Where all that can come of it is a value that the program gets, that value may be any one: a read through a
//! bad pointer, a division by zero, a shift by too much. A write through a pointer to no object changes nothing: either the machine stops there, or
//! the bytes are no variable's and no allocation's. What else happens (a write outside of an object or to a freed one, a bad `free`, a jump to nowhere)
//! may change anything, and stays a gap.
//!
//! Direction: more, but for `FreedIsKept`. A proof may rest on it, and says so (`Execution::behind`). No run follows it (the interpreter stops at such a place), so no violation does.
//!
//! Invariant: what reads or computes looks at its operands itself, wherever the check in front of it has gone to.
//! Absent: library models, which read with bulk operations whose results decide where they go on, and segments, of which only runs decide; their
//! executions end there in a gap.

use crate::ids::OccurrenceNo;
use crate::machine::Machine;
use crate::memory::Refusal;
use crate::outcome::{Input, InputKind, Passing, Yields};
use crate::state::State;
use blitz_base::Bv;
use blitz_base::span::Loc;
use blitz_ir::effect::{Access, Extent};
use blitz_ir::{
    AccessKind, BinOp, CheckKind, Const, Func, Inst, InstData, InstId, MemCheck, PropertyId, Type, Unsupported,
};
use blitz_term::{Sort, Term};
use std::collections::{BTreeSet, HashMap};

/// What becomes of executions behind such a violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behind {
    /// They end in a gap.
    Gap,
    /// They go on with any value, where a value is all that comes of it.
    AnyValue,
    /// The same, but memory that was freed still holds what it held, as CBMC has it. An allocator may write there: fewer.
    FreedIsKept,
}

/// The input that such a value is.
const NAME: &str = "(guess) unchecked value";

/// What a function does without being checked.
pub(crate) struct Unchecked {
    reads: bool,
    /// It writes through pointers of which nobody asks whether they mean an object.
    writes: bool,
    /// Checks in front of arithmetic.
    arithmetic: BTreeSet<InstId>,
    /// Loads with a check in front, in the same block, that somebody asked for.
    checked: BTreeSet<InstId>,
}

impl Unchecked {
    pub fn of(func: &Func) -> Self {
        let (arithmetic, checked) = (BTreeSet::new(), BTreeSet::new());
        let mut out = Self { reads: false, writes: false, arithmetic, checked };
        for block in func.block_ids() {
            let insts = &func.block(block).insts;
            let mut asked = HashMap::new();
            for (n, &i) in insts.iter().enumerate() {
                match &func.inst(i).inst {
                    Inst::CheckMem(check) => {
                        out.note(check);
                        if let Some(bytes) = asked_for(func, check) {
                            asked.insert(check.ptr, bytes);
                        }
                    }
                    Inst::Load { ptr } => {
                        let bits = func.ty(func.inst(i).results[0]).bits(64);
                        if asked.get(ptr).is_some_and(|bytes| u64::from(bits.div_ceil(8)) <= *bytes) {
                            out.checked.insert(i);
                        }
                    }
                    Inst::Check { cond, property } => {
                        // What never holds may stand where arithmetic was, or where a path ends.
                        let kind = property.unasked_kind().filter(|_| func.as_const(*cond).is_none());
                        if kind.is_some_and(|kind| guards_arithmetic(func, &insts[n + 1..], kind)) {
                            out.arithmetic.insert(i);
                        }
                    }
                    other if other.effect().ends_objects() => asked.clear(),
                    _ => {}
                }
            }
        }
        out
    }

    fn note(&mut self, check: &MemCheck) {
        let unasked = |kind: CheckKind, own: PropertyId| own.unasked_kind().is_some() && goes_on(check.access, kind);
        if check.properties.iter().any(|&(kind, own)| unasked(kind, own)) {
            self.reads |= check.access == AccessKind::Read;
            self.writes |= check.access == AccessKind::Write;
        }
    }
}

/// How many bytes an access in front of which every kind is asked for may read.
fn asked_for(func: &Func, check: &MemCheck) -> Option<u64> {
    let reads = matches!(check.access, AccessKind::Read | AccessKind::Write);
    let asked = check.properties.iter().all(|(_, own)| own.unasked_kind().is_none());
    let Some(Const::Bits(bytes)) = func.as_const(check.size) else { return None };
    bytes.to_u64().filter(|_| reads && asked)
}

/// Whether arithmetic of the kind comes behind, in the same block, before the number of bits of anything is asked for.
fn guards_arithmetic(func: &Func, behind: &[InstId], kind: CheckKind) -> bool {
    for &i in behind {
        match &func.inst(i).inst {
            Inst::Binary { op, .. } if undefined_kind(*op) == Some(kind) => return true,
            Inst::Binary { op, .. }
                if kind == CheckKind::SignedOverflow && undefined_kind(*op) == Some(CheckKind::DivByZero) =>
            {
                return true;
            }
            Inst::Unary { .. } if kind == CheckKind::Shift => return false,
            _ => {}
        }
    }
    false
}

/// As what an operation is reported that has no value.
fn undefined_kind(op: BinOp) -> Option<CheckKind> {
    match op {
        BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => Some(CheckKind::DivByZero),
        BinOp::Shl | BinOp::LShr | BinOp::AShr => Some(CheckKind::Shift),
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::UMin
        | BinOp::UMax
        | BinOp::SMin
        | BinOp::SMax
        | BinOp::FAdd
        | BinOp::FSub
        | BinOp::FMul
        | BinOp::FDiv
        | BinOp::FRem
        | BinOp::FMin
        | BinOp::FMax
        | BinOp::FCopySign => None,
    }
}

/// Whether an access that is wrong in this way changes nothing that the program can name.
fn goes_on(access: AccessKind, kind: CheckKind) -> bool {
    match access {
        AccessKind::Read => true,
        AccessKind::Write => kind == CheckKind::NullDeref,
        AccessKind::Free
        | AccessKind::Defined
        | AccessKind::String
        | AccessKind::SharedRead
        | AccessKind::SharedWrite
        | AccessKind::AtomicRead
        | AccessKind::AtomicWrite => false,
    }
}

impl Machine<'_, '_> {
    /// Whether executions go on anywhere behind what is not checked.
    fn passes(&self) -> bool {
        self.config.behind != Behind::Gap && !self.space.is_of_segment()
    }

    /// Whether a read of this kind yields what the memory held.
    fn keeps(&self, kind: CheckKind) -> bool {
        self.config.behind == Behind::FreedIsKept && kind == CheckKind::UseAfterFree
    }

    /// The innermost activation reads through pointers that nobody checks, and gets any value from bad ones. A write that is not checked may
    /// have stood for the check of a read behind it.
    pub(crate) fn reads_anything(&self) -> bool {
        self.passes() && !self.in_model() && (self.unchecked().reads || self.unchecked().writes)
    }

    fn unchecked(&self) -> &Unchecked {
        let frame = self.frame();
        frame.info.unchecked(frame.body)
    }

    /// Whether a write of the innermost activation may be through a pointer to no object, and then changes nothing.
    pub(crate) fn writes_nowhere(&self) -> bool {
        if !self.passes() {
            return false;
        }
        let lent = self.lent().iter().find(|(kind, _)| *kind == CheckKind::NullDeref);
        lent.map_or_else(|| self.unchecked().writes, |(_, own)| own.unasked_kind().is_some())
    }

    /// Whether an access that fails this check goes on.
    pub(crate) fn passes_access(&self, access: AccessKind, kind: CheckKind, own: PropertyId) -> bool {
        let here = access == AccessKind::Write || !self.in_model();
        self.passes() && here && goes_on(access, kind) && self.attribute(kind, own).unasked_kind().is_some()
    }

    /// Whether the present check stands in front of arithmetic that has any value where it fails.
    pub(crate) fn passes_arithmetic(&self) -> bool {
        let here = self.passes() && !self.in_model();
        here && self.frame().current.is_some_and(|i| self.unchecked().arithmetic.contains(&i))
    }

    /// The value of an operation, which may be any where the operation has none.
    pub(crate) fn defined_or_any(
        &mut self,
        state: &State,
        op: BinOp,
        (a, b): (Term, Term),
        value: Term,
        loc: Loc,
    ) -> Term {
        let Some(kind) = undefined_kind(op) else { return value };
        if !self.passes() || self.in_model() || self.unchecked().arithmetic.is_empty() {
            return value;
        }
        let width = self.terms.width(b);
        let bad = if kind == CheckKind::Shift {
            let bits = self.terms.bv(width, u64::from(width));
            self.terms.uge(b, bits)
        } else {
            let zero = self.terms.zero(width);
            let by_zero = self.terms.eq(b, zero);
            let too_large = match op {
                BinOp::SDiv | BinOp::SRem => self.is_least_by_minus_one(a, b),
                _ => self.terms.fls(),
            };
            self.terms.or(by_zero, too_large)
        };
        self.any_where(state, bad, kind, value, loc)
    }

    /// The smallest number divided by -1: machines stop at it, or give the same number.
    fn is_least_by_minus_one(&mut self, a: Term, b: Term) -> Term {
        let width = self.terms.width(a);
        let least = self.terms.bv_const(Bv::min_signed(width));
        let minus_one = self.terms.ones(width);
        let (first, second) = (self.terms.eq(a, least), self.terms.eq(b, minus_one));
        self.terms.and(first, second)
    }

    /// What a read yields, which may be anything where the pointer is bad.
    pub(crate) fn read_or_any(&mut self, state: &mut State, p: Term, value: Term, loc: Loc) -> Result<Term, Refusal> {
        if self.frame().current.is_some_and(|i| self.unchecked().checked.contains(&i)) {
            return Ok(value);
        }
        let bytes = u64::from(self.terms.width(value)).div_ceil(8);
        let size = self.terms.bv(self.space.ptr_bits(), bytes);
        let (kind, bad) = self.bad_read(state, p, size, loc)?;
        Ok(self.any_where(state, bad, kind, value, loc))
    }

    /// Where a read of so many bytes yields nothing that was there, and as what it would be reported.
    fn bad_read(&mut self, state: &mut State, p: Term, size: Term, loc: Loc) -> Result<(CheckKind, Term), Refusal> {
        let mut bad = self.nowhere(p, size);
        let mut kind = CheckKind::NullDeref;
        let found = state.memory.check(&mut self.space, self.terms, p, size, AccessKind::Read)?;
        let (kept, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|(kind, _)| self.keeps(*kind));
        for (kind, freed) in kept {
            self.note_behind(state, freed, (kind, Yields::Kept), loc);
        }
        if self.terms.is_false(bad)
            && let Some((first, _)) = found.first()
        {
            kind = *first;
        }
        for (_, one) in found {
            bad = self.terms.or(bad, one);
        }
        Ok((kind, bad))
    }

    /// Where a pointer whose term names objects means none.
    fn read_of_nothing(&mut self, state: &mut State, p: Term, size: Term) -> Result<Term, Refusal> {
        let found = state.memory.check(&mut self.space, self.terms, p, size, AccessKind::Read)?;
        let nothing = found.iter().find(|(kind, _)| *kind == CheckKind::NullDeref);
        Ok(nothing.map_or_else(|| self.terms.fls(), |(_, bad)| *bad))
    }

    fn any_where(&mut self, state: &State, bad: Term, kind: CheckKind, value: Term, loc: Loc) -> Term {
        let Some(guard) = self.note_behind(state, bad, (kind, Yields::Anything), loc) else { return value };
        let width = self.terms.width(value);
        let term = self.input_variable(NAME, Sort::Bv(width), 0);
        let kind = InputKind::Value { term, ty: Type::Int(width) };
        self.out.inputs.push(Input { guard, kind, name: NAME.into(), loc, occurrence: OccurrenceNo(0) });
        self.terms.ite(bad, term, value)
    }

    /// Executions go on though `bad` holds; the condition of those that do, if there are any.
    pub(crate) fn note_behind(
        &mut self,
        state: &State,
        bad: Term,
        (kind, yields): (CheckKind, Yields),
        loc: Loc,
    ) -> Option<Term> {
        if state.guard.facts().holds(self.terms, bad) == Some(false) {
            return None;
        }
        let guard = state.guard.term(self.terms);
        let guard = self.terms.and(guard, bad);
        if self.terms.is_false(guard) {
            return None;
        }
        let loc = self.user_loc(loc);
        self.out.behind.push(Passing { guard, kind, loc, yields });
        Some(guard)
    }

    /// Where what is read is no single value of the user's, executions end in a gap if the pointer is bad.
    pub(crate) fn leave_bad_reads(&mut self, state: &mut State, data: &InstData) -> Result<(), Refusal> {
        let of_user = self.reads_anything() && !matches!(data.inst, Inst::Load { .. });
        // A model that has written nowhere does not read from there.
        let of_model = self.passes() && self.in_model() && self.writes_nowhere();
        if !of_user && !of_model {
            return Ok(());
        }
        for Access { ptr, extent } in data.inst.effect().reads {
            let p = self.get(ptr);
            let size = match extent {
                Extent::Bytes(n) | Extent::UpTo(n) => self.get(n),
                Extent::Of(v) => self.bytes_of(v),
                Extent::Result => self.bytes_of(data.results[0]),
            };
            let (kind, bad) = match of_user {
                true => self.bad_read(state, p, size, data.loc)?,
                // Other bad pointers are met by the model's own checks: how far such a read goes is not known here.
                false => (CheckKind::NullDeref, self.read_of_nothing(state, p, size)?),
            };
            let guard = state.guard.and(self.terms, bad);
            if guard.is_false(self.terms) {
                continue;
            }
            let lost = State { guard, ..state.clone() };
            self.gap(&lost, Unsupported::Unasked(kind), data.loc);
            let good = self.terms.not(bad);
            state.guard = state.guard.and(self.terms, good);
        }
        Ok(())
    }

    fn bytes_of(&mut self, v: blitz_ir::Value) -> Term {
        let bits = self.ty(v).bits(self.space.ptr_bits());
        self.terms.bv(self.space.ptr_bits(), u64::from(bits).div_ceil(8))
    }
}
