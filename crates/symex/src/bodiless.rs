//! Calls of functions that have neither a body nor a library model.
//!
//! Nobody knows what such a function does, so it is encoded in two ways. *Harmless*: it returns anything, sets what it
//! was given and keeps pointers to it; the interpreter does the same, so a violation found this way can be executed
//! (under a stub). *Havoc*: it may also write anything to every object it can reach, leave it unset, and free it; what
//! holds even so holds whatever the function does. Proofs rest on *havoc* alone.
//!
//! What it can reach: what its arguments point to, the variables of the program that have external linkage, what any
//! function of this kind was given before (it may have kept a pointer), and everything these lead to. A function of the
//! program among that may be called, which is recorded as a gap. Assumed of every such function: it returns to its
//! caller or ends the program, and calls the program back only through pointers it was given.
//!
//! Absent: attributes and `const`, from which less could be concluded.

use crate::contents::Contents;
use crate::ids::Holder;
use crate::machine::Machine;
use crate::memory::ObjectKind;
use crate::state::{Arrival, State};
use blitz_ir::{CallSite, FuncId, GlobalId, InputName, InstData, Type};
use blitz_term::Term;
use std::collections::BTreeSet;

/// What a function without a body may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bodiless {
    /// Returns anything, and sets what it was given without changing it: for finding violations.
    Harmless,
    /// Writes and frees whatever it can reach: for proofs.
    Havoc,
}

/// The functions of this kind that were called.
#[derive(Clone, Default)]
pub(crate) struct Strangers {
    pub seen: BTreeSet<FuncId>,
    /// The objects that they were given, or reach from there: each of them may keep a pointer.
    exposed: BTreeSet<Holder>,
}

impl Machine<'_, '_> {
    /// The call of a function with neither body nor library model.
    pub(crate) fn without_body(&mut self, state: State, f: FuncId, data: &InstData, site: &CallSite) -> Arrival {
        let program = self.program;
        let name = &program.decl(f).name;
        let mut state = state;
        if !self.config.assumed.contains(name) {
            self.note_bodiless(f);
            // In a segment most of memory is unknown; there only runs decide.
            if !self.space.is_of_segment() {
                let given = self.given(&state, site);
                self.may_call_back(&state, name, &given, data);
                self.expose(&mut state, given);
            }
        }
        let shown = InputName::new(&format!("{name}()"));
        let types: Vec<Type> = data.results.iter().map(|&v| self.ty(v)).collect();
        let results = types.into_iter().enumerate();
        let args = results.map(|(nth, ty)| self.input_value(&state, ty, &shown, data.loc, nth)).collect();
        Arrival { state, args }
    }

    fn note_bodiless(&mut self, func: FuncId) {
        if self.strangers.seen.insert(func) {
            self.out.bodiless.push(func);
        }
    }

    /// The objects that the function can reach now.
    fn given(&mut self, state: &State, site: &CallSite) -> BTreeSet<Holder> {
        let mut found = std::mem::take(&mut self.strangers.exposed);
        for &v in &site.args {
            let (ty, arg) = (self.ty(v), self.get(v));
            match self.pointees(arg) {
                Some(numbers) => found.extend(numbers),
                None if ty == Type::Ptr => found.extend(state.memory.touched().map(|(n, _)| n)),
                None => found.extend(self.named_by(arg)),
            }
        }
        if self.config.bodiless == Bodiless::Havoc {
            let globals = (0..self.program.globals.len()).map(GlobalId::new);
            let exported = globals.filter(|g| self.program.global(*g).exported && !self.program.global(*g).constant);
            found.extend(exported.map(|g| self.global_holder(g)));
        }
        found.remove(&Holder::NONE);
        self.close_over(state, &mut found);
        found
    }

    /// The objects that a word names by its shape.
    fn named_by(&mut self, word: Term) -> Vec<Holder> {
        if self.terms.width(word) != self.space.ptr_bits() {
            return Vec::new();
        }
        self.space.named_objects(self.terms, word).into_iter().map(|(_, n)| n.into()).collect()
    }

    /// Adds what the objects lead to.
    fn close_over(&mut self, state: &State, found: &mut BTreeSet<Holder>) {
        let mut work: Vec<Holder> = found.iter().copied().collect();
        while let Some(number) = work.pop() {
            let Some(object) = state.memory.object(&mut self.space, self.terms, number) else { continue };
            if object.kind == ObjectKind::Code {
                continue;
            }
            for at in self.pointer_places(&object) {
                let value = self.pointer_at(&object, at);
                let named = self.named_by(value);
                work.extend(named.into_iter().filter(|n| *n != Holder::NONE && found.insert(*n)));
            }
            if self.stopped() {
                return;
            }
        }
    }

    /// Functions of the user's among what it was given may be called, with anything.
    fn may_call_back(&mut self, state: &State, name: &str, given: &BTreeSet<Holder>, data: &InstData) {
        if self.config.bodiless != Bodiless::Havoc {
            return;
        }
        let functions = given.iter().filter_map(|n| self.program.func_of_object(n.object()?.number()));
        let callback = functions.map(|f| self.program.decl(f)).find(|d| d.has_body && !d.model);
        if let Some(callback) = callback {
            let what = format!("`{name}`, which has no body, may call `{}`", callback.name);
            self.gap(state, what, data.loc);
        }
    }

    /// The function does to the objects what it may do.
    fn expose(&mut self, state: &mut State, given: BTreeSet<Holder>) {
        let guard = state.guard.term(self.terms);
        for &number in &given {
            let Some(object) = state.memory.object(&mut self.space, self.terms, number) else { continue };
            if object.constant || object.kind == ObjectKind::Code || self.terms.is_false(object.live) {
                continue;
            }
            match self.config.bodiless {
                Bodiless::Harmless => self.set_and_keep(state, number, object.kind, guard),
                Bodiless::Havoc => self.change_and_free(state, number),
            }
        }
        self.strangers.exposed = given;
    }

    /// Bytes that are all set stay so: nobody can take that back.
    fn change_and_free(&mut self, state: &mut State, number: Holder) {
        let before = state.memory.object(&mut self.space, self.terms, number).and_then(|o| o.shadow.clone());
        let mut vars = Vec::new();
        self.may_write(state, number, &mut vars);
        self.may_free(state, number, &mut vars);
        let zero = self.terms.bv(8, 0);
        let set = Contents::filled(zero);
        if before.is_some_and(|shadow| shadow.same(&set)) {
            state.memory.update(&mut self.space, self.terms, number, |_, o| o.shadow = Some(set));
        }
    }

    fn set_and_keep(&mut self, state: &mut State, number: Holder, kind: ObjectKind, guard: Term) {
        let zero = self.terms.bv(8, 0);
        state.memory.update(&mut self.space, self.terms, number, |_, o| {
            if o.shadow.is_some() {
                o.shadow = Some(Contents::filled(zero));
            }
        });
        if let (ObjectKind::Heap, Some(number)) = (kind, number.object()) {
            let pointer = self.space.pointer(self.terms, number.number(), 0);
            self.exits.kept_roots.push((guard, pointer));
        }
    }
}
