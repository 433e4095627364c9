//! Leaks: heap objects that no pointer reaches when the program ends.
//!
//! Reachability is a least fixed point over conditions: an object is reached where a word of a reached object points
//! into it (one past its end does not, as LeakSanitizer has it). The rounds are bounded by the number of objects;
//! chains longer than that don't exist.

use crate::ids::Holder;
use crate::machine::Machine;
use crate::memory::{Memory, Object, ObjectKind};
use crate::outcome::Claim;
use crate::state::Arrival;
use blitz_ir::CheckKind;
use blitz_term::Term;
use std::collections::BTreeMap;

/// Rounds of the fixed point; a longer chain of heap objects makes the answer a gap.
const ROUNDS: usize = 64;

/// Where the program has ended, and what it still reaches there.
#[derive(Clone, Default)]
pub(crate) struct Exits {
    pub at_exit: Option<Arrival>,
    /// Pointers that keep what they name from being a leak, each where its condition holds: in variables when the
    /// program ended, and for good.
    pub exit_roots: Vec<(Term, Term)>,
    pub kept_roots: Vec<(Term, Term)>,
}

/// How much there was of it.
#[derive(Clone)]
pub(crate) struct ExitsMark {
    at_exit: Option<Arrival>,
    exit_roots: usize,
    kept_roots: usize,
}

impl Exits {
    pub fn mark(&self) -> ExitsMark {
        ExitsMark {
            at_exit: self.at_exit.clone(),
            exit_roots: self.exit_roots.len(),
            kept_roots: self.kept_roots.len(),
        }
    }

    pub fn take_back(&mut self, mark: ExitsMark) {
        self.at_exit = mark.at_exit;
        self.exit_roots.truncate(mark.exit_roots);
        self.kept_roots.truncate(mark.kept_roots);
    }
}

impl Machine<'_, '_> {
    /// What the program's variables still reach is no leak.
    pub(crate) fn keep_own_roots(&mut self, guard: Term) {
        let roots = self.live_pointers();
        self.exits.exit_roots.extend(roots.into_iter().map(|root| (guard, root)));
    }

    /// Claims that nothing is lost where the program has ended so far. Nothing is claimed if the time is up on the way.
    pub fn claim_leaks(&mut self) {
        let Some(exit) = self.exits.at_exit.take() else { return };
        if !self.config.checks.has(CheckKind::MemoryLeak) {
            return;
        }
        let (guard, depth) = (exit.state.guard.term(self.terms), exit.state.guard.depth());
        let memory = exit.state.memory;
        let heap = self.left(&memory, |o| o.kind == ObjectKind::Heap && o.leak.is_some());
        if heap.is_empty() {
            return;
        }
        let Some(reached) = self.reached(&memory, &heap) else { return };
        for number in heap {
            let Some(object) = memory.object(&mut self.space, self.terms, number) else { continue };
            let lost = self.terms.not(reached[&number]);
            let lost = self.terms.and(lost, object.live);
            let lost = self.terms.and(lost, object.exists);
            let violated = self.terms.and(guard, lost);
            if let Some(property) = object.leak
                && !self.terms.is_false(violated)
            {
                let loc = self.program.property(property).loc;
                let kind = CheckKind::MemoryLeak;
                self.out.claims.push(Claim { property, kind, violated, depth, bad: lost, loc });
            }
        }
    }

    /// The objects of some kind that may be there at the end.
    fn left(&mut self, memory: &Memory, kind: impl Fn(&Object) -> bool) -> Vec<Holder> {
        let some: Vec<(Holder, Term, Term)> =
            memory.touched().filter(|(_, o)| kind(o)).map(|(n, o)| (n, o.live, o.exists)).collect();
        let mut out = Vec::new();
        for (number, live, exists) in some {
            // On paths that never made it, nobody has freed it either.
            let there = self.terms.and(live, exists);
            if !self.terms.is_false(there) {
                out.push(number);
            }
        }
        out
    }

    /// The conditions under which objects of the heap are reached; none if the time is up.
    fn reached(&mut self, memory: &Memory, heap: &[Holder]) -> Option<BTreeMap<Holder, Term>> {
        let mut reached: BTreeMap<Holder, Term> = heap.iter().map(|&n| (n, self.terms.fls())).collect();
        let at_exit = std::mem::take(&mut self.exits.exit_roots);
        for (cond, root) in self.exits.kept_roots.clone().into_iter().chain(at_exit) {
            let named = self.points_into(memory, root);
            self.reach(&mut reached, &named, cond);
        }
        let edges = self.edges(memory, heap)?;
        for _ in 0..ROUNDS.min(heap.len() + 1) {
            let before = reached.clone();
            for edge in &edges {
                let cond = before.get(&edge.from).copied().unwrap_or(self.terms.tru());
                let cond = self.terms.and(cond, edge.live);
                if !self.terms.is_false(cond) {
                    self.reach(&mut reached, &edge.named, cond);
                }
                if self.stopped() {
                    return None;
                }
            }
            if reached == before {
                break;
            }
        }
        Some(reached)
    }

    /// What the words of all objects name; none if the time is up.
    fn edges(&mut self, memory: &Memory, heap: &[Holder]) -> Option<Vec<Edge>> {
        let roots = self.left(memory, |o| o.kind != ObjectKind::Heap);
        let mut edges = Vec::new();
        for from in roots.into_iter().chain(heap.iter().copied()) {
            let Some(object) = memory.object(&mut self.space, self.terms, from) else { continue };
            for at in self.pointer_places(&object) {
                let value = self.pointer_at(&object, at);
                let mut named = self.points_into(memory, value);
                named.retain(|(_, n)| heap.binary_search(n).is_ok());
                if !named.is_empty() {
                    edges.push(Edge { from, live: object.live, named });
                }
                if self.stopped() {
                    return None;
                }
            }
        }
        Some(edges)
    }

    /// Where in an object a pointer may be that names another one.
    pub(crate) fn pointer_places(&mut self, object: &Object) -> Vec<u64> {
        let word = u64::from(self.space.ptr_bits() / 8);
        let size = object.const_size(self.terms);
        let space = &mut self.space;
        object.data.pointer_places(self.terms, size, word, &mut |terms, t| space.names_object(terms, t))
    }

    /// The pointer that stands there.
    pub(crate) fn pointer_at(&mut self, object: &Object, at: u64) -> Term {
        object.data.word(self.terms, at, u64::from(self.space.ptr_bits() / 8))
    }

    /// The objects that a word points into, each with its condition.
    fn points_into(&mut self, memory: &Memory, word: Term) -> Vec<(Term, Holder)> {
        let mut found = Vec::new();
        for (cond, number, off) in self.space.named_places(self.terms, word) {
            let Some(object) = memory.object(&mut self.space, self.terms, number) else { continue };
            // An object without bytes is kept by a pointer to its start.
            let one = self.terms.bv(self.terms.width(object.size), 1);
            let empty = self.terms.zero(self.terms.width(object.size));
            let none = self.terms.eq(object.size, empty);
            let room = self.terms.ite(none, one, object.size);
            let inside = self.terms.ult(off, room);
            let cond = self.terms.and(cond, inside);
            if !self.terms.is_false(cond) {
                found.push((cond, number.into()));
            }
        }
        found
    }

    /// Under `cond`, whatever a pointer names is reached.
    fn reach(&mut self, reached: &mut BTreeMap<Holder, Term>, named: &[(Term, Holder)], cond: Term) {
        for &(here, object) in named {
            if let Some(&old) = reached.get(&object) {
                let here = self.terms.and(cond, here);
                let new = self.terms.or(old, here);
                reached.insert(object, new);
            }
        }
    }
}

/// A word of an object, and the objects of the heap that it names. What was freed reaches nothing, even where a pointer
/// to it is left.
struct Edge {
    from: Holder,
    live: Term,
    named: Vec<(Term, Holder)>,
}
