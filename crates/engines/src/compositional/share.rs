//! Work on several threads: who does what, and what they found taken together.

use crate::verdict::{Effort, PropertyResult, Report, Stats, Status, Verdict, Violation};
use blitz_base::Budget;
use blitz_ir::PropertyId;
use std::collections::BTreeMap;

/// Which part of the work is whose. What there is to do is dealt out like cards; of a single property, the scopes are.
#[derive(Clone, Copy)]
pub(super) struct Share {
    pub number: usize,
    pub of: usize,
}

impl Share {
    pub fn is_mine(self, i: usize) -> bool {
        i % self.of == self.number
    }
}

/// What one or all found.
#[derive(Default)]
pub(super) struct Found {
    pub violations: Vec<Violation>,
    pub stats: Stats,
    pub seen: BTreeMap<PropertyId, Status>,
    pub efforts: BTreeMap<PropertyId, Effort>,
}

impl Found {
    pub fn add(&mut self, other: Found) {
        for violation in other.violations {
            let what = violation.what().property;
            if self.violations.iter().all(|v| v.what().property != what) {
                self.violations.push(violation);
            }
        }
        self.stats.add(&other.stats);
        for (property, status) in other.seen {
            let known = self.seen.entry(property).or_insert_with(|| status.clone());
            if status == Status::Violated {
                *known = status;
            }
        }
        for (property, effort) in other.efforts {
            self.efforts.entry(property).or_default().add(effort);
        }
    }

    pub fn report(mut self, budget: &Budget) -> Report {
        self.stats.total_time = budget.elapsed();
        let properties: Vec<PropertyResult> = self
            .seen
            .iter()
            .map(|(p, s)| PropertyResult {
                property: *p,
                status: s.clone(),
                engine: "compositional",
                effort: self.efforts.remove(p),
            })
            .collect();
        let verdict = if self.violations.is_empty() { Verdict::Unknown } else { Verdict::Violation };
        Report {
            verdict,
            properties,
            violations: self.violations,
            bounds: Vec::new(),
            runs: Vec::new(),
            notes: Vec::new(),
            bodiless: Vec::new(),
            gaps: Vec::new(),
            coverage: Default::default(),
            exploration: None,
            unconfirmed: Vec::new(),
            stats: self.stats,
        }
    }
}
