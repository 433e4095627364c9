//! Builtins: questions about memory and the run that C has no operator for.

use crate::faults::Extent;
use crate::machine::Machine;
use crate::memory::{Object, ObjectKind, Refusal};
use crate::ops;
use crate::outcome::{InputKind, PathEnd};
use crate::state::State;
use crate::step::Flow;
use blitz_ir::{AccessKind, Builtin, InputName, InstData, Type, Value};
use blitz_term::{Sort, Term};

impl<'p> Machine<'p, '_> {
    pub(crate) fn builtin(
        &mut self,
        state: &mut State,
        data: &InstData,
        op: Builtin,
        args: &[Value],
    ) -> Result<Flow<'p>, Refusal> {
        let operand_type = args.get(1).map_or(Type::BOOL, |&v| self.ty(v));
        let args: Vec<Term> = args.iter().map(|&v| self.get(v)).collect();
        let (bits, off_bits) = (self.space.ptr_bits(), self.space.off_bits());
        match op {
            Builtin::Offset => {
                let off = self.terms.extract(args[0], off_bits - 1, 0);
                let t = self.terms.sext(off, bits);
                self.yields(data, t);
            }
            Builtin::ObjectId => {
                let number = self.terms.extract(args[0], bits - 1, off_bits);
                let t = self.terms.zext(number, bits);
                self.yields(data, t);
            }
            Builtin::ObjectSize => {
                let zero = self.terms.zero(off_bits);
                let t = self.per_object(state, args[0], zero, |_, _, e| e.size)?;
                let t = self.terms.zext(t, bits);
                self.yields(data, t);
            }
            Builtin::IsHeap => {
                let fls = self.terms.fls();
                let t = self.per_object(state, args[0], fls, |terms, o, _| terms.bool(o.kind == ObjectKind::Heap))?;
                self.yields(data, t);
            }
            Builtin::IsLive => {
                let fls = self.terms.fls();
                let t = self.per_object(state, args[0], fls, |_, _, e| e.live)?;
                self.yields(data, t);
            }
            Builtin::IsCode => {
                let fls = self.terms.fls();
                let t = self.per_object(state, args[0], fls, |terms, o, e| {
                    let zero = terms.zero(off_bits);
                    let start = terms.eq(e.off, zero);
                    if o.kind == ObjectKind::Code { start } else { terms.fls() }
                })?;
                self.yields(data, t);
            }
            Builtin::Rounded(op) => {
                let to = self.ty(data.results[0]);
                let t = ops::rounded(self.terms, op, operand_type, to, &args);
                self.yields(data, t);
            }
            Builtin::JumpSet => {
                let t = self.jump_set(state, args[0])?;
                self.yields(data, t);
            }
            Builtin::MathIs => {
                let t = crate::math::is_result(self.terms, &args);
                self.yields(data, t);
            }
            Builtin::Peekable => {
                let fls = self.terms.fls();
                let t = self.per_object(state, args[0], fls, |terms, _, e| {
                    match (terms.as_u64(e.off), terms.as_u64(e.size)) {
                        (Some(at), Some(size)) => terms.bool(at < size),
                        _ => terms.tru(),
                    }
                })?;
                self.yields(data, t);
            }
            Builtin::Readable | Builtin::Writable => {
                let access = if op == Builtin::Readable { AccessKind::Read } else { AccessKind::Write };
                let mut bad = self.nowhere(args[0], args[1]);
                for (_, b) in state.memory.check(&mut self.space, self.terms, args[0], args[1], access)? {
                    bad = self.terms.or(bad, b);
                }
                let t = self.terms.not(bad);
                self.yields(data, t);
            }
            Builtin::Narrow => {
                let narrow = self.config.near && !self.terms.is_const(args[0]);
                self.out.narrowed |= narrow;
                let t = self.terms.bool(narrow);
                self.yields(data, t);
            }
            Builtin::Open => {
                let t = self.terms.bool(!self.terms.is_const(args[0]));
                self.yields(data, t);
            }
            Builtin::AllocFails => {
                let name = InputName::allocation_fails();
                let term = match self.config.alloc_may_fail {
                    true => self.input_variable(name.as_str(), Sort::Bv(1), 0),
                    false => self.terms.fls(),
                };
                // A run asks for it in any case.
                self.record_input(state, InputKind::AllocFails { term }, &name, data.loc);
                self.yields(data, term);
            }
            Builtin::KeepAlive => {
                let guard = state.guard.term(self.terms);
                self.exits.kept_roots.push((guard, args[0]));
            }
            Builtin::Thread(op) => return Ok(Flow::Thread(op, args)),
            Builtin::Output | Builtin::Quantifier => {}
            Builtin::Host => {
                self.gap(state, "a service of the host", data.loc);
                return Ok(Flow::Ends(PathEnd::Gap));
            }
        }
        Ok(Flow::On)
    }

    fn per_object(
        &mut self,
        state: &State,
        p: Term,
        none: Term,
        mut of: impl FnMut(&mut blitz_term::Terms, &Object, Extent) -> Term,
    ) -> Result<Term, Refusal> {
        let mut out = none;
        for leaf in self.space.leaves(self.terms, p)? {
            if let Some(object) = state.memory.object(&mut self.space, self.terms, leaf.object) {
                let extent = Extent::of(&self.space, self.terms, leaf, &object);
                let value = of(self.terms, &object, extent);
                out = self.terms.ite(leaf.cond, value, out);
            }
        }
        Ok(out)
    }
}
