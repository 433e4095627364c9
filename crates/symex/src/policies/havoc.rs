//! Calls that are left open: replaced by everything they may do.
//!
//! An execution with open calls has every real execution in it and more: what an open call may write holds anything
//! afterwards, what it may free may be gone, it returns anything, and it always comes back. So a condition that can't
//! hold here can't hold in the program. Conditions that hold without any open call on the way hold in the program as
//! well.
//!
//! Which calls are left open is up to whoever runs the execution (`Calls`). What a call may do comes from
//! `analysis::Footprints`, whose sets are complete; an address whose term names no object here counts as any.
//!
//! Absent: what happens inside an open call. Violations, ends of the program and what is not supported there are
//! invisible; an engine that proves something has to look at who is called.

use crate::contents::{Contents, Within};
use crate::ids::{Holder, Mark, ObjectNo};
use crate::machine::{Config, Machine};
use crate::memory::{Leaf, ObjectKind};
use crate::names::{Names, made};
use crate::policy::{Call, Called, Policy};
use crate::state::{Arrival, State};
use crate::walk::Executor;
use blitz_analysis::{Bytes, Footprint, Instance, Places};
use blitz_base::{Budget, id_type};
use blitz_ir::{FuncId, GlobalId, InstId, Program, Type};
use blitz_term::{Sort, Term, Terms};
use std::collections::BTreeMap;
use std::rc::Rc;

id_type!(
    /// The calls on the way to an activation, as instructions.
    ChainId,
    "chain"
);

impl ChainId {
    /// That of the outermost activation: no calls.
    pub const OUTERMOST: ChainId = ChainId(0);
}

/// Which calls are left out.
pub trait Calls {
    /// The chain of the call of `callee` by an instruction in the activation that `chain` leads to.
    fn chain(&self, chain: ChainId, call: InstId, callee: FuncId) -> ChainId;
    /// What stands for a call; `None` if it is to be run.
    fn stands_for(&self, chain: ChainId, callee: FuncId) -> Option<Rc<Footprint>>;
}

/// A call that was left out.
#[derive(Clone, Debug)]
pub struct OpenCall {
    pub chain: ChainId,
    pub callee: FuncId,
    /// The nearest function of the user's that was running.
    pub user: Option<FuncId>,
    /// The condition under which it is made.
    pub guard: Term,
    /// The variables that stand for what it did.
    pub vars: Vec<Term>,
}

/// Bytes that are written one by one; beyond, the whole object is.
const MAX_BYTES: i64 = 2048;
/// Bytes that become one value.
const WORD: i64 = 8;

fn few(ranges: &[(i64, i64)]) -> bool {
    ranges.iter().map(|(from, to)| to - from).sum::<i64>() <= MAX_BYTES
}

fn add(all: &mut BTreeMap<Holder, Bytes>, number: Holder, bytes: Bytes) {
    match all.get_mut(&number) {
        Some(known) => known.add(&bytes),
        None => {
            all.insert(number, bytes);
        }
    }
}

/// Some calls are left out, and what they may do is put in their place.
pub struct Havoc<'a> {
    calls: &'a dyn Calls,
}

impl<'p, 'a> Policy<'p, 'a> for Havoc<'a> {
    fn call(x: &mut Executor<'p, 'a, Self>, state: State, call: &Call<'p>) -> Called {
        if !x.m.program.decl(call.callee).has_body {
            return Called::Inlined { state, mark: None, instance: Instance::SHARED };
        }
        let chain = x.policy.calls.chain(ChainId(x.m.frame().mark.0), call.inst, call.callee);
        match x.policy.calls.stands_for(chain, call.callee) {
            Some(may) => Called::LeftOut(Some(x.m.leave_open_call(state, chain, call, &may))),
            None => Called::Inlined { state, mark: Some(Mark(chain.0)), instance: Instance::SHARED },
        }
    }
}

impl<'p, 'a> Executor<'p, 'a, Havoc<'a>> {
    /// An executor that leaves calls out.
    pub fn leaving_out(
        program: &'p Program,
        terms: &'a mut Terms,
        config: &'a Config<'a>,
        budget: &'a Budget,
        calls: &'a dyn Calls,
    ) -> Self {
        let names = Names::fresh(ObjectNo::of(program.first_free_object()));
        Self::with_policy(program, terms, config, budget, names, Havoc { calls })
    }
}

impl<'p> Machine<'p, '_> {
    /// The call is left out.
    fn leave_open_call(&mut self, mut state: State, chain: ChainId, call: &Call<'p>, may: &Footprint) -> Arrival {
        let (callee, data, args) = (call.callee, call.data, &call.args);
        let guard = state.guard.term(self.terms);
        let mut vars = Vec::new();
        for (number, bytes) in self.objects_at(&state, args, &may.writes) {
            match bytes {
                Bytes::Ranges(ranges) if few(&ranges) => self.may_write_at(&mut state, number, &ranges, &mut vars),
                Bytes::Ranges(_) | Bytes::Any => self.may_write(&mut state, number, &mut vars),
            }
        }
        for (number, _) in self.objects_at(&state, args, &may.frees) {
            self.may_free(&mut state, number, &mut vars);
        }
        let types: Vec<Type> = data.results.iter().map(|&v| self.frame().body.ty(v)).collect();
        let bits = self.space.ptr_bits();
        let results: Vec<Term> =
            types.iter().map(|ty| self.terms.fresh("result of a call", Sort::Bv(ty.bits(bits)))).collect();
        vars.extend(&results);
        let user = self.frames.iter().rev().map(|f| f.func).find(|f| !self.program.decl(*f).model);
        self.out.open.push(OpenCall { chain, callee, user, guard, vars });
        Arrival { state, args: results }
    }

    /// The numbers of the objects that places may mean in a state, each with the bytes that are meant, counted from its
    /// start.
    fn objects_at(&mut self, state: &State, args: &[Term], places: &Places) -> BTreeMap<Holder, Bytes> {
        let mut found = BTreeMap::new();
        let mut anything = places.anything;
        for (g, bytes) in &places.globals {
            add(&mut found, self.global_holder(*g), bytes.clone());
        }
        for (i, bytes) in &places.params {
            let Some(&arg) = args.get(*i as usize) else { continue };
            match self.known_leaves(arg) {
                Some(leaves) => {
                    for leaf in leaves {
                        let there = self.offset(leaf.off).map(|off| Bytes::range(off, off + 1));
                        add(&mut found, leaf.object, there.map_or(Bytes::Any, |off| off.moved(bytes)));
                    }
                }
                None => anything = true,
            }
        }
        if anything {
            let gone = |live: Term| self.terms.is_false(live);
            let touched = state.memory.touched().filter(|(_, o)| !o.constant && !gone(o.live)).map(|(n, _)| n);
            let globals = (0..self.program.globals.len()).map(GlobalId::new);
            let globals = globals.filter(|g| !self.program.global(*g).constant);
            let globals = globals.map(|g| self.global_holder(g));
            found.extend(touched.chain(globals).map(|n| (n, Bytes::Any)));
        }
        found
    }

    /// The object of a global.
    pub(crate) fn global_holder(&self, g: GlobalId) -> Holder {
        ObjectNo::of(self.program.global_object(g)).into()
    }

    /// The signed value of an offset, where it is constant.
    fn offset(&self, off: Term) -> Option<i64> {
        let bits = u32::from(self.space.off_bits());
        let value = self.terms.as_u64(off)?;
        Some(((value << (64 - bits)) as i64) >> (64 - bits))
    }

    /// The objects a pointer can mean, if its term names them all.
    pub(crate) fn pointees(&mut self, p: Term) -> Option<Vec<Holder>> {
        Some(self.known_leaves(p)?.into_iter().map(|l| l.object).collect())
    }

    fn known_leaves(&mut self, p: Term) -> Option<Vec<Leaf>> {
        if self.terms.width(p) != self.space.ptr_bits() {
            return None;
        }
        let unknown = self.space.unknown(self.terms, p);
        if !self.terms.is_false(unknown) {
            return None;
        }
        self.space.leaves(self.terms, p).ok()
    }

    /// The bytes of these ranges hold anything, the others what they held.
    fn may_write_at(&mut self, state: &mut State, number: Holder, ranges: &[(i64, i64)], vars: &mut Vec<Term>) {
        let (track, mark, word) = (self.space.track_shadow, self.names.mark(), self.space.index_bits());
        let facts = self.space.facts.clone();
        let off_bits = self.space.off_bits();
        state.memory.update(&mut self.space, self.terms, number, |terms, o| {
            if o.constant || o.kind == ObjectKind::Code {
                return;
            }
            let size = o.const_size(terms);
            for &(from, to) in ranges {
                let end = size.map_or(to, |n| to.min(n as i64));
                let mut at = from.max(0);
                while at < end {
                    let n = (end - at).min(WORD - at.rem_euclid(WORD)) as u64;
                    let off = terms.bv(word, at as u64);
                    let within = || Within { size, facts: &facts, off_bits };
                    let name = format!("left by a call at {number}+{at}");
                    let data = made(terms, mark, &name, Sort::Bv(n as u16 * 8));
                    o.data.store(terms, off, data, within());
                    vars.push(data);
                    if track && let Some(shadow) = &mut o.shadow {
                        let name = format!("set by a call at {number}+{at}");
                        let bits = made(terms, mark, &name, Sort::Bv(n as u16 * 8));
                        shadow.store(terms, off, bits, within());
                        vars.push(bits);
                    }
                    at += n as i64;
                }
            }
        });
    }

    pub(crate) fn may_write(&mut self, state: &mut State, number: Holder, vars: &mut Vec<Term>) {
        let bytes = Sort::Array { index: self.space.index_bits(), elem: 8 };
        let (track, mark) = (self.space.track_shadow, self.names.mark());
        state.memory.update(&mut self.space, self.terms, number, |terms, o| {
            if o.constant || o.kind == ObjectKind::Code {
                return;
            }
            let data = made(terms, mark, "left by a call", bytes);
            o.data = Contents::input(data);
            vars.push(data);
            if track {
                let shadow = made(terms, mark, "set by a call", bytes);
                o.shadow = Some(Contents::input(shadow));
                vars.push(shadow);
            }
        });
    }

    pub(crate) fn may_free(&mut self, state: &mut State, number: Holder, vars: &mut Vec<Term>) {
        let mark = self.names.mark();
        state.memory.update(&mut self.space, self.terms, number, |terms, o| {
            if o.kind == ObjectKind::Heap {
                let kept = made(terms, mark, "kept by a call", Sort::Bv(1));
                o.live = terms.and(o.live, kept);
                vars.push(kept);
            }
        });
    }
}
