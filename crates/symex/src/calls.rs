//! Calls: which functions are meant, what the policy does with each, and how what comes back is joined.

use crate::machine::{CallMade, Machine};
use crate::memory::{Part, Refusal};
use crate::ops;
use crate::outcome::PathEnd;
use crate::policy::{Call, Called, Policy, Targets};
use crate::state::{Arrival, State};
use crate::step::New;
use crate::walk::{Executor, Goes};
use blitz_base::span::Loc;
use blitz_ir::callgraph::makes_sense_as;
use blitz_ir::{CallSite, FuncId, InstData, Target};
use blitz_term::Term;

impl<'p, 'a, P: Policy<'p, 'a>> Executor<'p, 'a, P> {
    pub(crate) fn call_site(
        &mut self,
        state: &mut State,
        data: &'p InstData,
        site: &'p CallSite,
    ) -> Result<Goes, Refusal> {
        let (targets, made_as) = match site.target {
            Target::Func(f) => (vec![(self.m.terms.tru(), f)], None),
            Target::Pointer(p) => {
                let p = self.m.get(p);
                let Some(targets) = P::targets(self, state, p, data.loc)? else { return Ok(Goes::Nowhere) };
                (targets, Some(site.made_as(self.m.frame().body, &data.results)))
            }
        };
        let inst = self.m.frame().current.expect("a call should come from an instruction");
        let mark = P::comes_to_call(self, state, inst);
        let mut joined: Option<Arrival> = None;
        for (cond, callee) in targets {
            let guard = state.guard.and(self.m.terms, cond);
            if guard.is_false(self.m.terms) {
                continue;
            }
            let branch = State { guard, ..state.clone() };
            let decl = self.m.program.decl(callee);
            if let Some(site) = &made_as
                && !makes_sense_as(decl, site, self.m.space.ptr_bits())
            {
                let what = format!("a call of `{}` through a pointer to functions of another type", decl.name);
                self.m.gap(&branch, what, data.loc);
                P::path_ends(self, &branch.guard, PathEnd::Gap, data.loc);
                continue;
            }
            let args = self.m.get_all(&site.args);
            let call = Call { inst, callee, data, site, args, mark };
            if let Some(arrival) = self.make_call(branch, &call) {
                self.m.join_into(&mut joined, arrival, data.loc);
            }
        }
        if let Some(arrival) = P::comes_back(self, data) {
            self.m.join_into(&mut joined, arrival, data.loc);
        }
        let Some(arrival) = joined else { return Ok(Goes::Nowhere) };
        *state = arrival.state;
        for (&v, t) in data.results.iter().zip(arrival.args) {
            self.m.set(v, t);
        }
        Ok(Goes::On)
    }

    /// The functions that a pointer can mean; what it means besides is a gap.
    pub(crate) fn functions(&mut self, state: &State, p: Term, loc: Loc) -> Result<Targets, Refusal> {
        let (found, none) = self.m.space.functions(self.m.terms, p)?;
        let guard = state.guard.and(self.m.terms, none);
        if !guard.is_false(self.m.terms) {
            let lost = State { guard, ..state.clone() };
            self.m.gap(&lost, "a call through a pointer to no function", loc);
        }
        Ok(found)
    }

    fn make_call(&mut self, state: State, call: &Call<'p>) -> Option<Arrival> {
        let decl = self.m.program.decl(call.callee);
        let (state, mark, instance) = match P::call(self, state, call) {
            Called::LeftOut(arrival) => return arrival,
            Called::Inlined { state, mark, instance } => (state, mark, instance),
        };
        if !decl.has_body {
            let inputs = self.m.out.inputs.len();
            let arrival = self.m.without_body(state, call.callee, call.data, call.site);
            self.note_inputs(inputs);
            return Some(arrival);
        }
        let made_by = CallMade { loc: call.data.loc, lent: &call.site.properties, mark, instance };
        let (state, args) = self.m.pass_arguments(state, call.callee, call.args.clone())?;
        let arrival = self.call(call.callee, args, state, made_by)?;
        self.m.note_lost_shadow(&arrival, call.data, decl.shadow_results as usize);
        Some(self.m.fit_results(arrival, call.data))
    }
}

impl<'p> Machine<'p, '_> {
    /// Arguments as a function takes them: as wide as its parameters, those beyond in an object. None if that can't be encoded.
    pub(crate) fn pass_arguments(
        &mut self,
        mut state: State,
        callee: FuncId,
        mut args: Vec<Term>,
    ) -> Option<(State, Vec<Term>)> {
        let signature = &self.program.decl(callee).signature;
        let extra = args.split_off(signature.params.len().min(args.len()));
        for (i, ty) in signature.params.iter().enumerate() {
            let bits = ty.bits(self.space.ptr_bits());
            let arg = args.get(i).copied().unwrap_or_else(|| self.terms.zero(bits));
            let arg = ops::resize(self.terms, arg, bits);
            if i < args.len() { args[i] = arg } else { args.push(arg) }
        }
        if signature.variadic {
            let packed = self.pack_variable_arguments(&mut state, &extra).ok()?;
            args.push(packed);
        }
        Some((state, args))
    }

    /// A call that does not take the shadow of a struct takes all of it as set.
    pub(crate) fn note_lost_shadow(&mut self, arrival: &Arrival, data: &InstData, shadows: usize) {
        let (given, taken) = (arrival.args.len(), data.results.len());
        if taken == 0 || taken >= given || shadows == 0 {
            return;
        }
        for &shadow in &arrival.args[given - shadows..] {
            let clean = self.terms.zero(self.terms.width(shadow));
            let unset = self.terms.ne(shadow, clean);
            let guard = arrival.state.guard.and(self.terms, unset);
            if !guard.is_false(self.terms) {
                let lost = State { guard, ..arrival.state.clone() };
                self.gap(&lost, "a struct with unset parts that a call through a pointer returns", data.loc);
            }
        }
    }

    /// The values a call returned with, as the call site wants them.
    pub(crate) fn fit_results(&mut self, mut arrival: Arrival, data: &InstData) -> Arrival {
        for (i, &v) in data.results.iter().enumerate() {
            let bits = self.ty(v).bits(self.space.ptr_bits());
            let got = arrival.args.get(i).copied().unwrap_or_else(|| self.terms.zero(bits));
            let got = ops::resize(self.terms, got, bits);
            if i < arrival.args.len() { arrival.args[i] = got } else { arrival.args.push(got) }
        }
        arrival
    }

    /// Arguments beyond the parameters, as an object of their own.
    pub(crate) fn pack_variable_arguments(&mut self, state: &mut State, extra: &[Term]) -> Result<Term, Refusal> {
        let slot = u64::from(self.space.ptr_bits() / 8);
        let mut offset = 0u64;
        let mut places = Vec::new();
        for &t in extra {
            let bytes = u64::from(self.terms.width(t)).div_ceil(8);
            if bytes > 8 && slot == 8 {
                offset = offset.next_multiple_of(16);
            }
            places.push(offset);
            offset += bytes.next_multiple_of(slot);
        }
        let size = self.terms.bv(self.space.ptr_bits(), offset);
        let p = self.allocate(state, New::on_stack(size, true), Loc::UNKNOWN);
        for (&t, at) in extra.iter().zip(places) {
            let delta = self.terms.bv(self.space.ptr_bits(), at);
            let to = self.space.ptr_add(self.terms, p, delta);
            let t = self.whole_bytes(t);
            state.memory.store(&mut self.space, self.terms, to, t, Part::Data)?;
            if self.space.track_shadow {
                let clean = self.terms.zero(self.terms.width(t));
                state.memory.store(&mut self.space, self.terms, to, clean, Part::Shadow)?;
            }
        }
        Ok(p)
    }
}
