//! Statements that a condition does not depend on are passed over, as in the paper's Figure 2.

use super::super::obligation::{CallOption, Mover, Obligation, Origin, Step};
use super::Tactic;
use blitz_analysis::{Instance, Region};
use blitz_ir::{Builtin, Func, FuncId, Inst, InstId, Target, Terminator, Value};
use blitz_symex::memory::World;
use blitz_symex::segment::{FrameRecord, Occurrence};
use blitz_term::{Sort, Term, vars_of};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

impl<'p> Mover<'p, '_> {
    /// The obligation before a fragment that does nothing but pass on what the condition depends on; nothing of it is encoded.
    pub fn step_over(&mut self, o: &Rc<Obligation<'p>>, caller: FuncId, call: InstId) -> Option<Obligation<'p>> {
        let callee = *o.chain.last()?;
        let used = self.tactics.has(Tactic::StepOver);
        if !used || !self.world.is_fragment(callee) || self.world.root(caller).at_start {
            return None;
        }
        let body = self.program.body(caller)?;
        let vars: BTreeSet<Term> = vars_of(self.terms, &[o.psi]).into_iter().collect();
        let regions = o.ports_in(&vars).into_iter().map(|(region, _)| region).collect();
        let handed = self.harmless_way(caller, body, call, &regions)?;
        let params = self.params_before(o, body, &handed, &vars)?;
        let (frame, occurrence) = (self.next.frame, self.next.occurrence);
        self.next.frame.0 += 1;
        self.next.occurrence.0 += 1;
        let condition = self.terms.tru();
        let mut trail = o.trail.clone();
        trail.frames.push(FrameRecord { id: frame, func: caller, parent: None });
        trail.occurrences.push(Occurrence { id: occurrence, frame, inst: call, guard: condition });
        let option = CallOption { occurrence, condition, pairs: Vec::new() };
        trail.steps.push(Step::Called { frame: o.frame, options: Rc::new(vec![option]) });
        let mut story = o.story.clone();
        story.push(self.chapter(o));
        let mut chain = o.chain.clone();
        chain.push(caller);
        Some(Obligation {
            func: caller,
            params,
            frame,
            trail,
            origin: Origin::Caller { below: Rc::clone(o), site: (caller, call) },
            chain,
            passed_over: true,
            story,
            ..(**o).clone()
        })
    }

    /// What the call is handed, if there is one way to it and nothing on that changes what matters.
    fn harmless_way(
        &self,
        caller: FuncId,
        body: &Func,
        call: InstId,
        regions: &BTreeSet<Region>,
    ) -> Option<Vec<Value>> {
        let mut same: HashMap<Value, Value> = HashMap::new();
        let mut block = Func::ENTRY;
        for _ in 0..body.blocks.len() {
            for &i in &body.block(block).insts {
                match &body.inst(i).inst {
                    Inst::Call(site) if i == call => {
                        return Some(site.args.iter().map(|v| *same.get(v).unwrap_or(v)).collect());
                    }
                    _ if !self.is_harmless(caller, body, i, regions) => return None,
                    _ => {}
                }
            }
            let Terminator::Jump { to, args } = &body.block(block).term else { return None };
            for (param, arg) in body.block(*to).params.iter().zip(args) {
                same.insert(*param, *same.get(arg).unwrap_or(arg));
            }
            block = *to;
        }
        None
    }

    /// Whether an instruction leaves the memory of these classes as it is, and lets the run go on. That checks hold is taken for
    /// granted, as it is that calls return: the run on the inputs shows it.
    fn is_harmless(&self, caller: FuncId, body: &Func, i: InstId, regions: &BTreeSet<Region>) -> bool {
        let data = body.inst(i);
        let spared = |v: &Value| {
            let class = self.world.class(Instance::SHARED, caller, *v)?;
            let parts = self.world.places(class, None);
            Some(!regions.contains(&self.world.life(class)) && !parts.iter().any(|p| regions.contains(&p.part)))
        };
        let untouched = |v: &Value| spared(v).unwrap_or(false);
        match &data.inst {
            Inst::Debug { .. } | Inst::Approximates { .. } => true,
            Inst::Check { .. } | Inst::CheckMem(_) | Inst::Input { .. } => true,
            Inst::Load { .. } | Inst::LoadShadow { .. } | Inst::Scan { .. } | Inst::Mismatch { .. } => true,
            Inst::Store { ptr, .. } | Inst::StoreShadow { ptr, .. } | Inst::InputBytes { ptr, .. } => untouched(ptr),
            Inst::HeapFree { ptr } | Inst::LifetimeStart { ptr } | Inst::LifetimeEnd { ptr } => untouched(ptr),
            Inst::MemCopy { dst, .. } | Inst::MemSet { dst, .. } => untouched(dst),
            Inst::Alloca { .. } | Inst::HeapAlloc { .. } => data.results.iter().all(untouched),
            Inst::Call(site) => {
                let callees = match site.target {
                    Target::Func(g) => vec![g],
                    Target::Pointer(_) => self.world.targets(caller, i),
                };
                let spares = |g: &FuncId| {
                    let instance = self.world.instance(Instance::SHARED, caller, i, *g);
                    self.program.body(*g).is_some() && self.world.modified(instance, *g).is_disjoint(regions)
                };
                !callees.is_empty() && callees.iter().all(spares)
            }
            Inst::Builtin { op, .. } => is_question(*op),
            Inst::Assume { .. } | Inst::SetJmp { .. } | Inst::Unsupported { .. } => false,
            Inst::StackSave | Inst::StackRestore { .. } => false,
            other => other.is_pure(),
        }
    }

    /// The parameters of the fragment before: those the condition depends on are handed on as they are.
    fn params_before(
        &mut self,
        o: &Obligation<'p>,
        body: &Func,
        handed: &[Value],
        vars: &BTreeSet<Term>,
    ) -> Option<Vec<Term>> {
        let mut known: HashMap<Value, Term> = HashMap::new();
        for (&param, &arg) in o.params.iter().zip(handed) {
            if !vars.contains(&param) {
                continue;
            }
            // One that comes in twice would be two variables for one value.
            if !body.params().contains(&arg) || known.insert(arg, param).is_some() {
                return None;
            }
        }
        let bits = self.program.target.ptr_bits;
        let of = |v: &Value| match known.get(v) {
            Some(&param) => param,
            None => self.terms.fresh("unused", Sort::Bv(body.ty(*v).bits(bits))),
        };
        Some(body.params().iter().map(of).collect())
    }
}

/// Builtins that only ask.
fn is_question(op: Builtin) -> bool {
    matches!(
        op,
        Builtin::ObjectSize
            | Builtin::Offset
            | Builtin::ObjectId
            | Builtin::Readable
            | Builtin::Peekable
            | Builtin::Writable
    )
}
