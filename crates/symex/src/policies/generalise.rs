//! A loop run once for all its iterations.
//!
//! What follows holds however often the loop runs: an iteration is run from a state in which everything that iterations
//! change is anything, as far as some facts about the loop's variables allow that hold when the loop is entered and
//! again at the end of the iteration. If nothing else differs at the end of the iteration, every iteration begins in
//! such a state (induction), so the claims of this one iteration, and of what follows the loop, are those of all of
//! them, and more.
//!
//! What iterations change is found by looking: the first attempt assumes that nothing changes, and whatever differs at
//! its end is anything in the next (variables, the bytes of objects, pointers within their object). The facts are
//! ranges by constants of the function and low bits (alignment); all that hold at the entry are assumed first, and
//! those that an iteration breaks are dropped (Flanagan and Leino, "Houdini, an annotation assistant for ESC/Java", FME
//! 2001). Which hold is asked of a `Judge`.
//!
//! A loop that this does not fit (memory that iterations allocate and keep, objects that end) becomes a gap.
//!
//! Absent: relations between variables; facts about bytes in memory.

use crate::contents::Contents;
use crate::ids::{Holder, ObjectNo};
use crate::jumps::JumpKind;
use crate::machine::{Config, Running};
use crate::names::Names;
use crate::outcome::{CutKind, Site};
use crate::policy::Policy;
use crate::state::Arrival;
use crate::walk::Executor;
use blitz_base::Budget;
use blitz_ir::loops::LoopId;
use blitz_ir::{Const, Func, Program, Type, ValueDef};
use blitz_term::{Sort, Term, Terms};
use std::collections::BTreeSet;

/// Somebody who knows what always holds.
pub trait Judge {
    /// Of each condition, whether it is known to hold wherever the guard does.
    fn always(&mut self, terms: &mut Terms, guard: Term, conditions: &[Term]) -> Vec<bool>;
}

/// Some loops are run once for all their iterations.
pub struct Generalise<'a> {
    sites: BTreeSet<Site>,
    judge: Box<dyn Judge + 'a>,
}

/// How often an iteration may be run until nothing more changes.
const ATTEMPTS: usize = 10;
/// Constants of a function that ranges are made of.
const CONSTANTS: usize = 12;

/// What is assumed to change from iteration to iteration, and what is assumed to hold.
struct Plan {
    entry: Arrival,
    types: Vec<Type>,
    changes: Vec<Change>,
    facts: Vec<Fact>,
    data: BTreeSet<Holder>,
    shadows: BTreeSet<Holder>,
}

/// How a variable of the loop may differ from what it was at the entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Not,
    /// A pointer moves within its object.
    Moves,
    Freely,
}

/// Something about the variable with this place.
#[derive(Clone, Copy)]
struct Fact {
    arg: usize,
    relation: Relation,
    to: Term,
}

#[derive(Clone, Copy)]
enum Relation {
    Ule,
    Uge,
    Sle,
    Sge,
    /// The lowest bits are the same.
    LowBits(u16),
}

/// How an iteration ended.
#[derive(PartialEq, Eq)]
enum Ended {
    AsItBegan,
    /// More changes than was assumed to.
    Differently,
    Unsuitably,
}

impl<'p, 'a> Policy<'p, 'a> for Generalise<'a> {
    fn run_loop(x: &mut Executor<'p, 'a, Self>, l: LoopId) {
        let site = Site { func: x.m.frame().func, what: CutKind::Loop(l) };
        if x.policy.sites.contains(&site) { x.run_any_iteration(l) } else { x.iterate(l) }
    }
}

impl<'p, 'a> Executor<'p, 'a, Generalise<'a>> {
    /// An executor that runs these loops once for all their iterations.
    pub fn generalising(
        program: &'p Program,
        terms: &'a mut Terms,
        config: &'a Config<'a>,
        budget: &'a Budget,
        sites: BTreeSet<Site>,
        judge: Box<dyn Judge + 'a>,
    ) -> Self {
        let names = Names::fresh(ObjectNo::of(program.first_free_object()));
        let mut out = Self::with_policy(program, terms, config, budget, names, Generalise { sites, judge });
        out.m.jumps.kind = JumpKind::IsGapWhereSet;
        out
    }

    fn run_any_iteration(&mut self, l: LoopId) {
        let info = self.m.here();
        let (head, loc) = (info.loops.info(l).head, info.loops.info(l).loc);
        if info.loops.info(l).irreducible {
            for &block in info.loops.blocks(l) {
                if let Some(arrival) = self.m.frame_mut().arrivals[block.index()].take() {
                    self.m.gap(&arrival.state, UNSUITABLE, loc);
                }
            }
            return;
        }
        let Some(entry) = self.m.frame_mut().arrivals[head.index()].take() else { return };
        let types: Vec<Type> =
            self.m.frame().body.block(head).params.iter().map(|&v| self.m.frame().body.ty(v)).collect();
        let mut plan = Plan {
            changes: vec![Change::Not; types.len()],
            entry,
            types,
            facts: Vec::new(),
            data: BTreeSet::new(),
            shadows: BTreeSet::new(),
        };
        for _ in 0..ATTEMPTS {
            let before = self.m.snapshot();
            let (began, ended) = self.run_planned(l, &plan);
            match ended.map_or(Ended::AsItBegan, |ended| self.compare(&mut plan, &began, &ended)) {
                Ended::AsItBegan => return,
                Ended::Differently => self.m.restore(before),
                Ended::Unsuitably => {
                    self.m.restore(before);
                    break;
                }
            }
            if self.m.stopped() {
                return;
            }
        }
        self.m.gap(&plan.entry.state, UNSUITABLE, loc);
    }

    /// One iteration from the plan's state: how it began, and in which state it came back to the head, if it did.
    fn run_planned(&mut self, l: LoopId, plan: &Plan) -> (Arrival, Option<Arrival>) {
        let info = self.m.here();
        let (head, range) = (info.loops.info(l).head, info.loops.info(l).blocks.clone());
        let began = self.any_state(plan);
        self.m.frame_mut().arrivals[head.index()] = Some(began.clone());
        self.m.frame_mut().running.push(Running::new(l));
        self.run_range(range.start as usize, range.end as usize, Some(l));
        self.m.frame_mut().running.pop();
        (began, self.m.frame_mut().arrivals[head.index()].take())
    }

    /// The state of the entry with anything in place of what changes.
    fn any_state(&mut self, plan: &Plan) -> Arrival {
        let mut out = plan.entry.clone();
        let bytes = Sort::Array { index: self.m.space.index_bits(), elem: 8 };
        for &number in &plan.data {
            let any = self.m.terms.fresh("left by iterations", bytes);
            out.state.memory.update(&mut self.m.space, self.m.terms, number, |_, o| o.data = Contents::input(any));
        }
        for &number in &plan.shadows {
            let any = self.m.terms.fresh("set by iterations", bytes);
            out.state
                .memory
                .update(&mut self.m.space, self.m.terms, number, |_, o| o.shadow = Some(Contents::input(any)));
        }
        let bits = self.m.space.ptr_bits();
        for (i, arg) in out.args.iter_mut().enumerate() {
            match plan.changes[i] {
                Change::Not => {}
                Change::Moves => {
                    let any = self.m.terms.fresh("moved by iterations", Sort::Bv(bits));
                    *arg = self.m.space.ptr_add(self.m.terms, *arg, any);
                }
                Change::Freely => {
                    *arg = self.m.terms.fresh("changed by iterations", Sort::Bv(plan.types[i].bits(bits)))
                }
            }
        }
        for fact in &plan.facts {
            let x = self.view(plan.types[fact.arg], out.args[fact.arg]);
            let holds = fact.of(self.m.terms, x);
            out.state.guard = out.state.guard.and(self.m.terms, holds);
        }
        out
    }

    /// Whether an iteration ended in a state of the kind in which it began; else the plan is changed.
    fn compare(&mut self, plan: &mut Plan, began: &Arrival, ended: &Arrival) -> Ended {
        let Some(mut differs) = self.compare_memory(plan, began, ended) else { return Ended::Unsuitably };
        for i in 0..plan.changes.len() {
            let (before, after) = (began.args[i], ended.args[i]);
            let next = match plan.changes[i] {
                Change::Not if before == after => continue,
                Change::Not if plan.types[i] == Type::Ptr && self.stays_inside(plan, i, ended) => Change::Moves,
                Change::Moves if self.stays_inside(plan, i, ended) => continue,
                Change::Freely => continue,
                Change::Not | Change::Moves => Change::Freely,
            };
            plan.changes[i] = next;
            plan.facts.retain(|f| f.arg != i);
            self.add_facts(plan, i);
            differs = true;
        }
        // The facts last: those that only what was assumed not to change has kept are broken in the next iteration.
        differs |= self.drop_broken_facts(plan, ended);
        if differs { Ended::Differently } else { Ended::AsItBegan }
    }

    /// Whether a pointer at the end of an iteration means the object it meant at the entry.
    fn stays_inside(&mut self, plan: &Plan, i: usize, ended: &Arrival) -> bool {
        let (bits, off_bits) = (self.m.space.ptr_bits(), self.m.space.off_bits());
        let was = self.m.terms.extract(plan.entry.args[i], bits - 1, off_bits);
        let is = self.m.terms.extract(ended.args[i], bits - 1, off_bits);
        let same = self.m.terms.eq(was, is);
        let guard = ended.state.guard.term(self.m.terms);
        self.m.terms.is_true(same) || self.always(guard, &[same]) == [true]
    }

    /// Whether memory differs in more than was assumed to change; `None` if more than bytes do.
    fn compare_memory(&mut self, plan: &mut Plan, began: &Arrival, ended: &Arrival) -> Option<bool> {
        let mut differs = false;
        let (before, after) = (&began.state.memory, &ended.state.memory);
        for number in before.differing(after) {
            let old = before.object(&mut self.m.space, self.m.terms, number);
            let new = after.object(&mut self.m.space, self.m.terms, number)?;
            let Some(old) = old else {
                // Made in this iteration: fine if it is gone again.
                if self.m.terms.is_false(new.live) {
                    continue;
                }
                return None;
            };
            if !old.same_extent(&new) {
                return None;
            }
            differs |= !old.constant && !old.data.same(&new.data) && plan.data.insert(number);
            differs |= !old.constant && !old.same_shadow(&new) && plan.shadows.insert(number);
        }
        Some(differs)
    }

    fn always(&mut self, guard: Term, conditions: &[Term]) -> Vec<bool> {
        self.policy.judge.always(self.m.terms, guard, conditions)
    }

    /// What the facts about a variable are about: the offset, where it is a pointer.
    fn view(&mut self, ty: Type, value: Term) -> Term {
        match ty {
            Type::Ptr => self.m.terms.extract(value, self.m.space.off_bits() - 1, 0),
            Type::Int(_) | Type::Float(_) => value,
        }
    }

    /// All facts about a variable that hold at the entry. None about a pointer that may mean any object.
    fn add_facts(&mut self, plan: &mut Plan, arg: usize) {
        let value = self.view(plan.types[arg], plan.entry.args[arg]);
        let width = match plan.types[arg] {
            Type::Int(width @ 2..=64) => width,
            Type::Ptr if plan.changes[arg] == Change::Moves => self.m.space.off_bits(),
            Type::Int(_) | Type::Float(_) | Type::Ptr => return,
        };
        let mut bounds: Vec<Term> = constants(self.m.frame().body, width).map(|c| self.m.terms.bv(width, c)).collect();
        bounds.extend(Some(value).filter(|v| self.m.terms.is_const(*v)));
        bounds.sort_unstable();
        bounds.dedup();
        let ranges = [Relation::Ule, Relation::Uge, Relation::Sle, Relation::Sge];
        let mut facts: Vec<Fact> =
            bounds.iter().flat_map(|&to| ranges.into_iter().map(move |relation| Fact { arg, relation, to })).collect();
        let low = (1..=3).filter(|k| *k < width);
        facts.extend(low.map(|k| Fact { arg, relation: Relation::LowBits(k), to: value }));
        let guard = plan.entry.state.guard.term(self.m.terms);
        let (types, args) = (plan.types.clone(), plan.entry.args.clone());
        plan.facts.extend(self.holding(facts, guard, &types, &args));
    }

    /// Whether facts had to be dropped that an iteration does not keep.
    fn drop_broken_facts(&mut self, plan: &mut Plan, ended: &Arrival) -> bool {
        let before = plan.facts.len();
        let guard = ended.state.guard.term(self.m.terms);
        let facts = std::mem::take(&mut plan.facts);
        plan.facts = self.holding(facts, guard, &plan.types, &ended.args);
        plan.facts.len() < before
    }

    fn holding(&mut self, facts: Vec<Fact>, guard: Term, types: &[Type], args: &[Term]) -> Vec<Fact> {
        let views: Vec<Term> = facts.iter().map(|f| self.view(types[f.arg], args[f.arg])).collect();
        let conditions: Vec<Term> = facts.iter().zip(views).map(|(f, x)| f.of(self.m.terms, x)).collect();
        let kept = self.always(guard, &conditions);
        facts.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(fact, _)| fact).collect()
    }
}

const UNSUITABLE: &str = "a loop whose iterations change more than bytes";

impl Fact {
    fn of(&self, terms: &mut Terms, x: Term) -> Term {
        match self.relation {
            Relation::Ule => terms.ule(x, self.to),
            Relation::Uge => terms.uge(x, self.to),
            Relation::Sle => terms.sle(x, self.to),
            Relation::Sge => terms.sge(x, self.to),
            Relation::LowBits(k) => {
                let (a, b) = (terms.extract(x, k - 1, 0), terms.extract(self.to, k - 1, 0));
                terms.eq(a, b)
            }
        }
    }
}

/// The first integer constants and offsets of a function and their neighbours, as far as they fit into a width.
fn constants(body: &Func, width: u16) -> impl Iterator<Item = u64> + use<> {
    let mask = u64::MAX >> (64 - width);
    let found: BTreeSet<u64> = body
        .values
        .iter()
        .filter_map(|v| match (&v.def, v.ty) {
            (ValueDef::Const(Const::Bits(bits)), Type::Int(2..=64)) => bits.to_i64(),
            (ValueDef::Const(Const::Global(_, offset)), _) => Some(*offset),
            (ValueDef::Const(_) | ValueDef::Param(..) | ValueDef::Inst(..), _) => None,
        })
        .filter(|c| *c as u64 <= mask || *c >= -(mask as i64 / 2))
        .map(|c| c as u64 & mask)
        .take(CONSTANTS)
        .collect();
    found.into_iter().flat_map(move |c| [c.wrapping_sub(1) & mask, c, c.wrapping_add(1) & mask])
}
