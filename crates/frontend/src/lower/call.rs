//! Calls: who is called, what is passed, and which violations inside our libc belong to this line.

use super::passed::Passed;
use super::{Lowering, Register, Shared};
use crate::constants::Symbol;
use crate::llvm::{Ty, Val, ValueKind};
use crate::names;
use crate::symbols::{Callee, signature};
use crate::types::{self, Parts};
use blitz_ir::callgraph::may_be_called_as;
use blitz_ir::{
    AccessKind, BinOp, Builtin, CallSite, CastOp, CheckKind, FuncId, Inst, Property, PropertyId, Signature, Target,
    Type, Value,
};
use rustc_hash::FxHashSet;
use smallvec::smallvec;
use std::collections::BTreeSet;

impl Lowering<'_> {
    pub(super) fn call(&mut self, inst: Val) {
        let callee = inst.callee();
        match callee.kind() {
            ValueKind::LLVMInlineAsmValueKind => self.inline_asm(inst),
            ValueKind::LLVMFunctionValueKind => self.call_function(inst, callee),
            ValueKind::LLVMGlobalAliasValueKind => match self.shared.symbols.constants.symbols.get(&callee) {
                Some(&Symbol::Func(f)) => self.call_direct(inst, f),
                Some(Symbol::Global(..)) | None => self.refuse(inst, &format!("call of {}", callee.name())),
            },
            ValueKind::LLVMGlobalIFuncValueKind => self.refuse(inst, &format!("ifunc {}", callee.name())),
            _ => self.call_pointer(inst),
        }
    }

    fn call_function(&mut self, inst: Val, callee: Val) {
        let name = callee.name();
        if let Some(&f) = self.shared.symbols.library.get(&callee) {
            return self.call_direct(inst, f);
        }
        if name.starts_with("llvm.") {
            return self.intrinsic(inst, &name);
        }
        if names::is_sanitizer_handler(&name) {
            return self.sanitizer_call(inst);
        }
        match self.shared.symbols.callee(callee) {
            Some(Callee::Meaning(named)) => self.call_named(inst, named, &name),
            Some(Callee::Func(f)) => self.call_direct(inst, f),
            None if self.shared.symbols.constants.missing.contains(&callee) => self.call_pointer(inst),
            None => self.refuse(inst, &format!("call of {name}")),
        }
    }

    fn call_direct(&mut self, inst: Val, f: FuncId) {
        let signature = self.shared.symbols.funcs[f.index()].signature.clone();
        let shadows = self.shadow_counts(f);
        let passed = self.callee_passing(f);
        let args = self.arguments(inst, &signature, shadows.0, &passed);
        if !self.model && !self.shared.symbols.funcs[f.index()].has_body {
            self.check_given(f, &args);
            self.may_do_anything(&[f]);
        }
        self.point_before(inst, f, &args);
        self.say_what_the_thread_gives(inst, f);
        let properties = self.model_properties(&[f]);
        self.finish_call(inst, CallSite { target: Target::Func(f), args, signature, properties }, shadows.1);
    }

    /// A function that nobody knows is given no memory that was freed: it would not get it to look at the address alone.
    fn check_given(&mut self, f: FuncId, args: &[Value]) {
        let name = self.shared.symbols.funcs[f.index()].name.clone();
        for (n, &arg) in args.iter().enumerate() {
            if self.ty(arg) != Type::Ptr {
                continue;
            }
            let heap = self.query(Builtin::IsHeap, vec![arg]);
            let live = self.query(Builtin::IsLive, vec![arg]);
            let elsewhere = self.is_zero(heap);
            let fine = self.binary(BinOp::Or, elsewhere, live);
            self.check(fine, CheckKind::UseAfterFree, format!("argument {} of {name} was freed", n + 1));
        }
    }

    fn call_pointer(&mut self, inst: Val) {
        let callee = inst.callee();
        let target = self.used1(callee);
        let fine = self.query(Builtin::IsCode, vec![target]);
        let what = self.describe_value(callee).unwrap_or_else(|| "a pointer".into());
        self.check(fine, CheckKind::NullDeref, format!("call through {what}: no function"));
        if self.contract().is_some() {
            self.may_do_anything(&self.strangers());
        }
        let (signature, shadows, passed) = self.pointer_signature(inst);
        let mut args = self.arguments(inst, &signature, shadows.0, &passed);
        self.extend_small(inst, &mut args);
        let models = self.models_like(&signature);
        let properties = self.model_properties(&models);
        let site = CallSite { target: Target::Pointer(target), args, signature, properties };
        self.finish_call(inst, site, shadows.1);
    }

    /// Small integers are passed as wide as the compiler makes them: a function of another type may look at more of them.
    fn extend_small(&mut self, inst: Val, args: &mut [Value]) {
        let given = inst.args();
        if given.iter().any(|a| self.part_types(a.ty()).len() != 1) {
            return;
        }
        for (n, arg) in args.iter_mut().enumerate().take(given.len()) {
            let marked = |attribute| inst.call_has_attribute(n as u32 + 1, attribute);
            let op = match (marked(self.shared.attributes.signext), marked(self.shared.attributes.zeroext)) {
                (true, _) => CastOp::SExt,
                (_, true) => CastOp::ZExt,
                (false, false) => continue,
            };
            if matches!(self.ty(*arg), Type::Int(bits) if bits < 32) {
                *arg = self.emit(Inst::Cast { op, arg: *arg }, Type::I32);
            }
        }
    }

    /// What a call through a pointer passes, by its own marks; also how many of it are shadows.
    fn pointer_signature(&self, inst: Val) -> (Signature, (u32, u32), Passed) {
        let plain = signature(inst.callee_type(), self.layout());
        if !self.tracks() {
            return (plain, (0, 0), Passed::default());
        }
        let passed = Passed::of_call(inst, self.shared.attributes);
        let (signature, shadows) = passed.extend(plain, inst.callee_type(), self.layout());
        (signature, shadows, passed)
    }

    /// Model functions that a call through a pointer may reach.
    fn models_like(&self, wanted: &Signature) -> Vec<FuncId> {
        if self.model {
            return Vec::new();
        }
        let funcs = self.shared.symbols.funcs.iter().enumerate();
        funcs
            .filter(|(_, f)| f.model && f.address_taken && may_be_called_as(&f.signature, wanted))
            .map(|(i, _)| FuncId::new(i))
            .collect()
    }

    /// Emits the call and fits what it yields to what the caller expects.
    fn finish_call(&mut self, inst: Val, site: CallSite, shadows: u32) {
        let results = site.signature.results.clone();
        if matches!(site.target, Target::Pointer(_)) && !inst.is_used() {
            // The function may give another result, or none.
            self.b.push(self.cur, Inst::Call(Box::new(site)), &[], self.loc);
            return;
        }
        let id = self.b.push(self.cur, Inst::Call(Box::new(site)), &results, self.loc);
        let mut yielded = self.b.func.inst(id).results.to_vec();
        let shadows = yielded.split_off(yielded.len() - shadows as usize);
        let wanted = self.part_types(inst.ty());
        let values = self.fit_all(&yielded, &wanted);
        // Of a call that disagrees with the definition the shadows don't fit either.
        let fits = values.iter().zip(&shadows).all(|(&v, &s)| self.bits_of(v) == self.bits_of(s));
        if fits && values.len() == shadows.len() {
            self.set_shadows(inst, shadows.into_iter().map(Some).collect());
        }
        self.set(inst, values.into());
    }

    /// The arguments of a call as the signature wants them: fixed ones fitted to their types, missing ones
    /// anything, variable ones packed the way `va_arg` reads them.
    fn arguments(&mut self, inst: Val, signature: &Signature, shadows: u32, passed: &Passed) -> Vec<Value> {
        let plain = signature.params.len() - shadows as usize;
        let mut out = Vec::new();
        let mut variable = super::vararg::Packing::default();
        for (n, arg) in inst.args().into_iter().enumerate() {
            let parts = self.argument(inst, n as u32, arg);
            if out.len() < plain {
                out.extend(parts);
            } else if signature.variadic {
                let byval = inst.call_type_attribute(n as u32 + 1, self.shared.attributes.byval);
                self.align_halves(&mut variable, arg);
                self.pack_variable(&mut variable, arg.ty(), byval, &parts);
            }
        }
        out.truncate(plain);
        let fixed = self.fit_all(&out, &signature.params[..plain]);
        let given = self.argument_shadows(inst, passed);
        let shadows = self.fit_shadows(&given, &signature.params[plain..]);
        fixed.into_iter().chain(shadows).chain(variable.args).collect()
    }

    fn argument(&mut self, inst: Val, n: u32, arg: Val) -> Parts {
        let byval = inst.call_type_attribute(n + 1, self.shared.attributes.byval);
        if let Some(ty) = byval {
            let ptr = self.used1(arg);
            let len = self.word(self.layout().size(ty));
            self.share(arg, ptr, len, AccessKind::SharedRead);
            self.guard_bytes(arg, ptr, self.layout().size(ty), AccessKind::Read);
            return smallvec![ptr];
        }
        if inst.call_has_attribute(n + 1, self.shared.attributes.noundef) { self.used(arg) } else { self.get(arg) }
    }

    /// Values as other types: for calls that disagree with the definition, as old C has them.
    pub(super) fn fit_all(&mut self, values: &[Value], wanted: &[Type]) -> Vec<Value> {
        wanted
            .iter()
            .enumerate()
            .map(|(i, &ty)| match values.get(i) {
                Some(&v) => self.fit(v, ty),
                None => self.undef(ty),
            })
            .collect()
    }

    /// Shadows as the callee wants them; what was not passed counts as determinate.
    fn fit_shadows(&mut self, given: &[Value], wanted: &[Type]) -> Vec<Value> {
        let one = |l: &mut Self, i: usize, ty: Type| match given.get(i) {
            Some(&shadow) => l.fit(shadow, ty),
            None => l.zero(ty),
        };
        wanted.iter().enumerate().map(|(i, &ty)| one(self, i, ty)).collect()
    }

    pub(super) fn fit(&mut self, v: Value, ty: Type) -> Value {
        let from = self.ty(v);
        if from == ty {
            return v;
        }
        if let (Type::Float(_), Type::Float(_)) = (from, ty) {
            return self.emit(Inst::Cast { op: CastOp::FToF, arg: v }, ty);
        }
        let bits = self.as_int(v);
        let resized = self.resize(bits, ty.bits(self.word_bits()), CastOp::ZExt);
        self.bitcast(resized, ty)
    }

    /// Properties for what can go wrong inside model functions called from the user's code.
    fn model_properties(&mut self, targets: &[FuncId]) -> Vec<(CheckKind, PropertyId)> {
        if self.model {
            return Vec::new();
        }
        let mut kinds = BTreeSet::new();
        for &f in targets {
            if self.shared.symbols.funcs[f.index()].model {
                kinds.extend(model_kinds(self.shared, f));
            }
        }
        let Some(&first) = targets.first() else { return Vec::new() };
        let name = self.shared.symbols.funcs[first.index()].name.clone();
        let contracts = self.contract().is_some();
        let why = |k: CheckKind| match k {
            CheckKind::Assertion if contracts => "a write or free that no clause names",
            other => super::access::reason(other),
        };
        let one = |k| Some((k, self.property(k, format!("in {name}: {}", why(k)))?));
        kinds.into_iter().filter_map(one).collect()
    }

    /// What parts a type has, for results of calls that have a meaning of their own.
    pub(super) fn wanted(&self, ty: Ty) -> Vec<Type> {
        types::parts(ty, self.layout()).unwrap_or_default().into_iter().map(|p| p.ty).collect()
    }
}

/// Kinds that a model function can violate, itself or through the model functions it calls.
pub fn model_kinds(shared: &mut Shared, f: FuncId) -> BTreeSet<CheckKind> {
    let mut kinds = BTreeSet::new();
    let mut seen = FxHashSet::from_iter([f]);
    let mut stack = vec![f];
    while let Some(f) = stack.pop() {
        if !shared.model_own.contains_key(&f) {
            let own = own_kinds(shared, f);
            shared.model_own.insert(f, own);
        }
        let (own, callees) = &shared.model_own[&f];
        kinds.extend(own.iter().copied());
        stack.extend(callees.iter().copied().filter(|c| seen.insert(*c)));
    }
    kinds
}

/// Kinds a model function violates itself, and the model functions it calls: found by lowering it.
fn own_kinds(shared: &mut Shared, f: FuncId) -> (BTreeSet<CheckKind>, Vec<FuncId>) {
    let mut kinds = BTreeSet::new();
    let mut count = 0;
    let register: Register<'_> = &mut |p: Property| {
        kinds.insert(p.kind);
        count += 1;
        PropertyId::new(count - 1)
    };
    let body = super::function(shared, f, register);
    let mut callees = Vec::new();
    for data in &body.insts {
        if let Inst::Call(site) = &data.inst
            && let Target::Func(c) = site.target
            && shared.symbols.funcs[c.index()].model
        {
            callees.push(c);
        }
    }
    callees.sort_unstable();
    callees.dedup();
    (kinds, callees)
}
