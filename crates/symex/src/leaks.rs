//! Leaks: heap objects that no pointer reaches when the program ends.
//!
//! Reachability is a least fixed point over conditions: an object is reached where a word of a reached object
//! names it. The rounds are bounded by the number of objects; chains longer than that don't exist.

use crate::exec::Executor;
use crate::memory::ObjectKind;
use crate::outcome::Claim;
use blitz_ir::CheckKind;
use blitz_term::Term;
use std::collections::BTreeMap;

/// Rounds of the fixed point; a longer chain of heap objects makes the answer a gap.
const ROUNDS: usize = 64;

impl Executor<'_, '_> {
    pub(crate) fn claim_leaks(&mut self) {
        let Some(exit) = self.exit.take() else { return };
        if !self.config.checks.has(CheckKind::MemoryLeak) {
            return;
        }
        let heap: Vec<u32> = exit
            .state
            .memory
            .touched()
            .filter(|(_, o)| o.kind == ObjectKind::Heap && o.leak.is_some() && !self.terms.is_false(o.live))
            .map(|(n, _)| n)
            .collect();
        if heap.is_empty() {
            return;
        }
        let guard = exit.state.guard.term(self.terms);
        let mut memory = exit.state.memory;
        let mut reached: BTreeMap<u32, Term> = heap.iter().map(|&n| (n, self.terms.fls())).collect();
        let at_exit = std::mem::take(&mut self.exit_roots);
        for (cond, root) in self.kept_roots.clone().into_iter().chain(at_exit) {
            self.reach(&mut reached, root, cond);
        }
        let roots: Vec<u32> = memory
            .touched()
            .filter(|(_, o)| o.kind != ObjectKind::Heap && !self.terms.is_false(o.live))
            .map(|(n, _)| n)
            .collect();
        let mut edges: Vec<(u32, Term)> = Vec::new();
        // What was freed reaches nothing, even where a pointer to it is left.
        let mut live: BTreeMap<u32, Term> = BTreeMap::new();
        for number in roots.into_iter().chain(heap.iter().copied()) {
            live.extend(memory.object(&mut self.space, self.terms, number).map(|o| (number, o.live)));
            for word in self.words(&mut memory, number) {
                edges.push((number, word));
            }
        }
        for _ in 0..ROUNDS.min(heap.len() + 1) {
            let before = reached.clone();
            for &(from, word) in &edges {
                let cond = before.get(&from).copied().unwrap_or(self.terms.tru());
                let cond = self.terms.and(cond, live[&from]);
                if !self.terms.is_false(cond) {
                    self.reach(&mut reached, word, cond);
                }
            }
            if reached == before {
                break;
            }
        }
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
                self.out.claims.push(Claim { property, kind: CheckKind::MemoryLeak, violated, loc });
            }
        }
    }

    /// Under `cond`, whatever `pointer` names is reached.
    fn reach(&mut self, reached: &mut BTreeMap<u32, Term>, pointer: Term, cond: Term) {
        for (here, object) in self.space.evident_objects(self.terms, pointer) {
            if let Some(&old) = reached.get(&object) {
                let here = self.terms.and(cond, here);
                let new = self.terms.or(old, here);
                reached.insert(object, new);
            }
        }
    }

    /// The pointer-sized words of an object that may hold pointers.
    fn words(&mut self, memory: &mut crate::memory::Memory, number: u32) -> Vec<Term> {
        let Some(object) = memory.object(&mut self.space, self.terms, number) else { return Vec::new() };
        let word = u64::from(self.space.ptr_bits() / 8);
        let size = object.const_size(self.terms);
        let space = &mut self.space;
        object.data.pointer_words(self.terms, size, word, &mut |terms, t| {
            space.evident_objects(terms, t).iter().any(|(_, n)| *n != 0)
        })
    }
}
