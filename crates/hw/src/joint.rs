//! Several bad-state properties as one: the bad states of all of them together.
//!
//! Why: the assertions of a design are often inductive together where none is alone, since each of them may lean on the others; whoever proves designs by
//! induction writes assertions until that is so. And the first counterexample of any of them is found before the proof of another is.
//!
//! Direction: exact. If no bad state of any is reached, each property holds. A path to a bad state of some violates those that the simulator says it
//! violates; the others are left open, and can be asked about again without these.
//! Absent: justice and LTL, each of which is a question about a path of its own.

use crate::answer::{Proof, Status, Violation};
use crate::check::PropertyResult;
use crate::sim;
use crate::ts::{Goal, Property, Ts};

/// A system with one property for several.
pub struct Joint<'a> {
    ts: &'a Ts,
    properties: Vec<usize>,
    /// The same system; its last property is violated where one of those is.
    pub all: Ts,
}

impl<'a> Joint<'a> {
    /// The bad-state properties among these as one; none if there are not two.
    pub fn new(ts: &'a Ts, properties: &[usize]) -> Option<Joint<'a>> {
        let mut all = ts.clone();
        let mut some = all.terms.fls();
        let mut taken = Vec::new();
        for &property in properties {
            if let Goal::Bad(bad) = ts.properties[property].goal {
                some = all.terms.or(some, bad);
                taken.push(property);
            }
        }
        if taken.len() < 2 {
            return None;
        }
        all.properties = vec![Property { name: String::new(), text: None, goal: Goal::Bad(some) }];
        Some(Joint { ts, properties: taken, all })
    }

    /// How many properties are taken together.
    pub fn count(&self) -> usize {
        self.properties.len()
    }

    /// What the answer for all says about each: results for those that it decides.
    pub fn decided(&self, result: &PropertyResult) -> Vec<PropertyResult> {
        let for_one = |&property: &usize| {
            let status = self.status(property, result)?;
            Some(PropertyResult { property, status, ..result.clone() })
        };
        self.properties.iter().filter_map(for_one).collect()
    }

    fn status(&self, property: usize, result: &PropertyResult) -> Option<Status> {
        match &result.status {
            Status::Proved(Proof::Induction { k, .. }) => {
                Some(Status::Proved(Proof::Induction { k: *k, others: self.count() - 1 }))
            }
            Status::Proved(Proof::Invariant(invariant)) => Some(Status::Proved(Proof::Invariant(invariant.clone()))),
            Status::HoldsUpTo(bound) => Some(Status::HoldsUpTo(*bound)),
            Status::Violated(violation) => {
                let goal = &self.ts.properties[property].goal;
                let trace = violation.trace();
                sim::replay(self.ts, trace, goal).ok()?;
                Some(Status::Violated(Violation::confirmed(self.ts, goal, trace.clone(), result.engine.name())))
            }
            Status::Unknown { .. } => None,
        }
    }
}
