//! Pointers whose terms do not name objects of the program: inputs, unset memory, numbers made into addresses.
//!
//! Such a pointer may be null or point nowhere, and an access through it is then a violation that a run shows. It may also
//! happen to be the address of an object; that is not encoded but recorded as a gap, so that `safe` is never said
//! of it. Either way the path goes on only where the pointer is one of the objects that its term names.

use crate::machine::Machine;
use crate::outcome::Yields;
use crate::state::State;
use blitz_base::span::Loc;
use blitz_ir::effect::{Kind, ObjectUse};
use blitz_ir::{AccessKind, CheckKind, Inst, InstData, MemCheck, Unsupported, Value};
use blitz_term::Term;

impl Machine<'_, '_> {
    /// Before an access without a guard of its own: paths on which its addresses name no objects end in a gap.
    pub(crate) fn settle_addresses(&mut self, state: &mut State, data: &InstData) {
        let effect = data.inst.effect();
        if effect.kind == Kind::Outputs {
            // What leaves the program is not encoded.
            return;
        }
        if matches!(data.inst, Inst::Load { .. }) && self.reads_anything() {
            // What is not known of the pointer is not known of the value.
            return;
        }
        let asks = matches!(effect.object, Some((_, ObjectUse::Asked)));
        let writes = self.writes_nowhere();
        let read = |v: Value| effect.reads.iter().any(|access| access.ptr == v);
        let only_written = |v: Value| writes && !read(v) && effect.writes.iter().any(|access| access.ptr == v);
        for v in effect.addresses().chain(data.inst.called_pointer()) {
            let p = self.get(v);
            let mut unknown = self.space.unknown(self.terms, p);
            if (asks || only_written(v)) && !self.terms.is_false(unknown) {
                // Of a pointer to no object all questions have an answer; and a write through one may be of no matter.
                let nowhere = self.points_nowhere(p, CheckKind::NullDeref);
                let somewhere = self.terms.not(nowhere);
                unknown = self.terms.and(unknown, somewhere);
            }
            self.leave_open(state, unknown, data.loc);
        }
    }

    /// The part of a guard that is about pointers whose terms name no object.
    pub(crate) fn check_unknown(&mut self, state: &mut State, check: &MemCheck, p: Term, size: Term, loc: Loc) {
        let mut unknown = self.space.unknown(self.terms, p);
        if self.terms.is_false(unknown) {
            return;
        }
        let kind = match check.access {
            AccessKind::Read | AccessKind::Write => {
                let zero = self.terms.zero(self.terms.width(size));
                let some = self.terms.ne(size, zero);
                unknown = self.terms.and(unknown, some);
                Some(CheckKind::NullDeref)
            }
            AccessKind::String => Some(CheckKind::NullDeref),
            AccessKind::Free => Some(CheckKind::InvalidFree),
            AccessKind::Defined
            | AccessKind::SharedRead
            | AccessKind::SharedWrite
            | AccessKind::AtomicRead
            | AccessKind::AtomicWrite => None,
        };
        let property = kind.and_then(|kind| check.properties.iter().find(|(k, _)| *k == kind));
        if let Some(&(kind, own)) = property
            && self.passes_access(check.access, kind, own)
        {
            if check.access == AccessKind::Write {
                let invalid = self.points_nowhere(p, kind);
                let bad = self.terms.and(unknown, invalid);
                self.note_behind(state, bad, (kind, Yields::Anything), loc);
                let somewhere = self.terms.not(invalid);
                let open = self.terms.and(unknown, somewhere);
                self.leave_open(state, open, loc);
            }
            return;
        }
        if let Some(&(kind, own)) = property {
            let invalid = self.points_nowhere(p, kind);
            let bad = self.terms.and(unknown, invalid);
            self.claim(state, kind, own, bad, loc);
            let good = self.terms.not(bad);
            state.guard = state.guard.and(self.terms, good);
        }
        self.leave_open(state, unknown, loc);
    }

    /// What an access of this size through a pointer whose term names no object would be: bad, if it is of anything.
    pub(crate) fn nowhere(&mut self, p: Term, size: Term) -> Term {
        let unknown = self.space.unknown(self.terms, p);
        let zero = self.terms.zero(self.terms.width(size));
        let some = self.terms.ne(size, zero);
        self.terms.and(unknown, some)
    }

    /// The pointer is null (no matter for `free`), or has a number that no object ever gets.
    fn points_nowhere(&mut self, p: Term, kind: CheckKind) -> Term {
        let (bits, off_bits) = (self.space.ptr_bits(), self.space.off_bits());
        let number = self.terms.extract(p, bits - 1, off_bits);
        let last = self.terms.ones(bits - off_bits);
        let beyond = self.terms.eq(number, last);
        if kind == CheckKind::InvalidFree {
            return beyond;
        }
        let zero = self.terms.zero(bits - off_bits);
        let null = self.terms.eq(number, zero);
        self.terms.or(null, beyond)
    }

    /// Paths on which `unknown` holds are not followed.
    fn leave_open(&mut self, state: &mut State, unknown: Term, loc: Loc) {
        let guard = state.guard.and(self.terms, unknown);
        if guard.is_false(self.terms) {
            return;
        }
        let open = State { guard, ..state.clone() };
        self.gap(&open, Unsupported::UnknownPointer, loc);
        let known = self.terms.not(unknown);
        state.guard = state.guard.and(self.terms, known);
    }
}
