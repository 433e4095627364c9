//! What is searched next: the least work first, weighted by urgency.
//!
//! An entry is a group of properties, a scope, a bound and the work it may take. One that ran out of its work comes back: a group in two halves, a single
//! property with twice as much. One that ended and left loops cut off comes back deeper, expected to take as many times what it took as the bound
//! grows; one that left executions out comes back wider. So every property gets about as much as every other of its urgency, easy ones go deep at
//! once, and no number of properties or depth is written into the order.
//!
//! Invariant: the order depends on work, urgency, distance from the start and order of insertion alone, never on the clock.

use super::hunt::Scope;
use super::obligation::Group;
use super::order::Urgency;
use crate::tuning::{
    BOUND_GROWTH, DEEPER_WORK, FIRST_WORK, MAX_BOUND, MAX_ENTRY_WORK, NAMED_WORK, PROBE_PARTS, PROBE_WORK,
    REQUESTS_WORK, URGENCY_WEIGHTS, WORK_GROWTH,
};
use blitz_base::Work;
use blitz_ir::FuncId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What an entry asks for.
#[derive(Clone)]
pub(super) enum Task {
    /// A search for properties of one function.
    Search(Search),
    /// Runs on made-up requests.
    Requests,
    /// Runs on long and odd texts.
    Probes,
}

#[derive(Clone)]
pub(super) struct Search {
    pub group: Group,
    pub func: FuncId,
    pub scope: Scope,
    pub bound: u32,
    /// Calls between the start of the program and the function, at least.
    pub depth: u32,
    pub urgency: Urgency,
    /// The next wider scope was put into the queue.
    pub widened: bool,
    /// The bounds that sizes in the program name, once the search was found to need deeper ones; those are in the queue already.
    pub named: Option<Rc<[u32]>>,
}

impl Search {
    /// The bound after this one. `None`: it is in the queue already. A bound that a size names stands for the powers around it: what is searched below it
    /// and close is searched there, and what lies beyond comes after it.
    pub fn next_bound(&self) -> Option<u32> {
        let usual = self.bound.saturating_mul(BOUND_GROWTH);
        let near = |n: &&u32| **n > self.bound && **n < usual.saturating_mul(BOUND_GROWTH);
        match self.named.iter().flat_map(|all| all.iter()).find(near) {
            Some(_) => None,
            None => Some(usual).filter(|next| *next <= MAX_BOUND),
        }
    }

    /// Whether a size in the program names the bound.
    pub fn is_named(&self) -> bool {
        self.named.as_ref().is_some_and(|all| all.contains(&self.bound))
    }
}

pub(super) struct Entry {
    pub task: Task,
    pub work: Work,
}

impl Entry {
    pub fn first(search: Search) -> Self {
        Self { task: Task::Search(search), work: FIRST_WORK }
    }

    pub fn requests() -> Self {
        Self { task: Task::Requests, work: REQUESTS_WORK }
    }

    pub fn probes() -> Self {
        Self { task: Task::Probes, work: PROBE_WORK.part(PROBE_PARTS) }
    }

    /// The work weighted by urgency, then urgency and distance.
    fn rank(&self) -> (u64, usize, u32) {
        match &self.task {
            // After the searches of the same work.
            Task::Requests | Task::Probes => (self.work.as_units(), usize::MAX, 0),
            Task::Search(s) => {
                let urgency = s.urgency as usize;
                (self.work.as_units().saturating_mul(URGENCY_WEIGHTS[urgency]), urgency, s.depth)
            }
        }
    }
}

#[derive(Default)]
pub(super) struct Queue {
    entries: BTreeMap<((u64, usize, u32), usize), Entry>,
    pushed: usize,
}

impl Queue {
    pub fn pop(&mut self) -> Option<Entry> {
        self.entries.pop_first().map(|(_, entry)| entry)
    }

    /// Puts an entry in line, unless it is worth too much.
    pub fn push(&mut self, entry: Entry) {
        if entry.work <= MAX_ENTRY_WORK {
            self.entries.insert((entry.rank(), self.pushed), entry);
            self.pushed += 1;
        }
    }

    /// What only lacked work, again: a group in halves, a single property with more.
    pub fn push_again(&mut self, search: &Search, work: Work) {
        match halves(&search.group) {
            Some(both) => self.push_parts(search, &both, work),
            None => self.push(Entry { task: Task::Search(search.clone()), work: work.times(WORK_GROWTH) }),
        }
    }

    /// The same search for parts of its group.
    pub fn push_parts(&mut self, search: &Search, parts: &[Group], work: Work) {
        for group in parts {
            let search = Search { group: Rc::clone(group), ..search.clone() };
            self.push(Entry { task: Task::Search(search), work });
        }
    }

    /// The same search at the bounds that sizes in the program name; what stands for the next bound comes when that would have come.
    pub fn push_named(&mut self, search: &Search) {
        let mut work = if search.next_bound().is_none() { FIRST_WORK } else { NAMED_WORK };
        for &bound in search.named.iter().flat_map(|all| all.iter()) {
            self.push(Entry { task: Task::Search(Search { bound, ..search.clone() }), work });
            work = NAMED_WORK;
        }
    }

    /// The same search at the next bound, from the work that this one took.
    pub fn push_deeper(&mut self, search: &Search, bound: u32, took: Work) {
        let work = took.times(DEEPER_WORK).max(FIRST_WORK);
        self.push(Entry { task: Task::Search(Search { bound, ..search.clone() }), work });
    }
}

/// A group of several properties in two.
pub(super) fn halves(group: &Group) -> Option<[Group; 2]> {
    let (a, b) = group.split_at(group.len() / 2);
    (!a.is_empty()).then(|| [Rc::from(a), Rc::from(b)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use blitz_ir::PropertyId;

    fn search(urgency: Urgency, n: usize) -> Search {
        Search {
            group: (0..n).map(PropertyId::new).collect(),
            func: FuncId::new(0),
            scope: Scope::Closed,
            bound: 1,
            depth: 1,
            urgency,
            widened: false,
            named: None,
        }
    }

    fn next(queue: &mut Queue) -> (Urgency, usize, u64) {
        let entry = queue.pop().expect("an entry");
        let Task::Search(s) = entry.task else { panic!("no runs were put in") };
        (s.urgency, s.group.len(), entry.work.as_units() / FIRST_WORK.as_units())
    }

    #[test]
    fn urgent_ones_get_more_work_before_others_get_any() {
        let mut queue = Queue::default();
        queue.push(Entry::first(search(Urgency::Null, 1)));
        queue.push(Entry::first(search(Urgency::CopiedWithoutSize, 1)));
        for work in [1, 2, 4] {
            assert_eq!(next(&mut queue), (Urgency::CopiedWithoutSize, 1, work));
            queue.push_again(&search(Urgency::CopiedWithoutSize, 1), FIRST_WORK.times(work));
        }
        assert_eq!(next(&mut queue), (Urgency::CopiedWithoutSize, 1, 8));
        assert_eq!(next(&mut queue), (Urgency::Null, 1, 1));
    }

    #[test]
    fn a_bound_that_a_size_names_stands_for_those_around_it() {
        let at = |bound| Search { bound, named: Some(Rc::from([101])), ..search(Urgency::Null, 1) };
        let nexts: Vec<Option<u32>> = [1, 3, 9, 27, 101, 303].into_iter().map(|b| at(b).next_bound()).collect();
        assert_eq!(nexts, [Some(3), Some(9), Some(27), None, Some(303), None]);
        assert_eq!(search(Urgency::Null, 1).next_bound(), Some(3), "nothing is named");
    }

    #[test]
    fn a_group_that_takes_too_long_is_halved() {
        let mut queue = Queue::default();
        queue.push_again(&search(Urgency::Null, 5), FIRST_WORK);
        assert_eq!(next(&mut queue), (Urgency::Null, 2, 1));
        assert_eq!(next(&mut queue), (Urgency::Null, 3, 1));
    }
}
