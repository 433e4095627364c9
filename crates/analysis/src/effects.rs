//! What functions may write, callees included.
//!
//! Functions that call each other in a circle write the same, so there is one set for each strongly connected component
//! of the call graph, made callees first: every call is looked at once. A component that adds nothing to what one of
//! its callees writes shares that set, or the sets of a large program would be most of its memory.

use crate::cells::Region;
use crate::constraints::Activation;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

/// Per function and instance: the parts it may write and the lives it may change (`Layout`), transitively.
#[derive(Default)]
pub struct Effects {
    /// Sorted, without duplicates.
    written: HashMap<Activation, Rc<[Region]>>,
}

impl Effects {
    /// From what each function writes itself and whom it calls.
    pub fn new(own: &BTreeMap<Activation, Vec<Region>>, calls: &BTreeMap<Activation, BTreeSet<Activation>>) -> Self {
        let mut effects = Self::default();
        for component in components(own, calls) {
            let written = effects.of_component(own, calls, &component);
            effects.written.extend(component.into_iter().map(|f| (f, Rc::clone(&written))));
        }
        effects
    }

    /// What the functions of a component write, once everything they call outside of it is known.
    fn of_component(
        &self,
        own: &BTreeMap<Activation, Vec<Region>>,
        calls: &BTreeMap<Activation, BTreeSet<Activation>>,
        component: &[Activation],
    ) -> Rc<[Region]> {
        let mut parts: Vec<&Rc<[Region]>> =
            component.iter().filter_map(|f| calls.get(f)).flatten().filter_map(|g| self.written.get(g)).collect();
        parts.sort_unstable_by_key(|p| (std::cmp::Reverse(p.len()), Rc::as_ptr(p).cast::<u8>()));
        parts.dedup_by(|a, b| Rc::ptr_eq(a, b));
        let mut all: HashSet<Region> = parts.iter().flat_map(|p| p.iter().copied()).collect();
        all.extend(component.iter().filter_map(|f| own.get(f)).flatten());
        if let Some(largest) = parts.first().filter(|p| p.len() == all.len()) {
            return Rc::clone(largest);
        }
        let mut sorted: Vec<Region> = all.into_iter().collect();
        sorted.sort_unstable();
        sorted.into()
    }

    pub fn modified(&self, of: Activation) -> Vec<Region> {
        self.written.get(&of).map(|s| s.to_vec()).unwrap_or_default()
    }
}

/// The strongly connected components, callees first.
fn components(
    own: &BTreeMap<Activation, Vec<Region>>,
    calls: &BTreeMap<Activation, BTreeSet<Activation>>,
) -> Vec<Vec<Activation>> {
    let all: BTreeSet<Activation> = own.keys().chain(calls.keys()).chain(calls.values().flatten()).copied().collect();
    let all: Vec<Activation> = all.into_iter().collect();
    let number: HashMap<Activation, usize> = all.iter().enumerate().map(|(i, f)| (*f, i)).collect();
    let callees = |f: &Activation| calls.get(f).into_iter().flatten().map(|g| number[g]).collect();
    let graph: Vec<Vec<usize>> = all.iter().map(callees).collect();
    let members = |component: Vec<usize>| component.into_iter().map(|i| all[i]).collect();
    blitz_ir::components::components(&graph).into_iter().map(members).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constraints::Instance;
    use blitz_ir::FuncId;

    #[test]
    fn circles_are_one_component_and_callees_come_first() {
        let f = |n: usize| (Instance::SHARED, FuncId::new(n));
        let calls: BTreeMap<Activation, BTreeSet<Activation>> =
            [(0, vec![1, 4]), (1, vec![2]), (2, vec![3, 1]), (3, vec![])]
                .into_iter()
                .map(|(a, bs)| (f(a), bs.into_iter().map(f).collect()))
                .collect();
        let mut found = components(&BTreeMap::new(), &calls);
        found.iter_mut().for_each(|c| c.sort());
        assert_eq!(found, [vec![f(3)], vec![f(1), f(2)], vec![f(4)], vec![f(0)]]);
    }
}
