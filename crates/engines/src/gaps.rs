//! Gaps that executions reach, and which properties hang on them.
//!
//! Behind a gap the encoding has fewer behaviours than the program. What the control flow cannot come to from there is decided all the same: its
//! checks were made before, or on other ways. Approximates upwards: a property that may come behind a gap hangs on it, whether or not
//! what was left out can influence it. With threads, everything hangs on every gap (`threads`).

use crate::reach::Reach;
use crate::reason::Reason;
use crate::tuning::MAX_NAMED_GAPS;
use blitz_base::span::Loc;
use blitz_ir::{PropertyId, Unsupported};
use blitz_symex::Gap;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub(crate) struct Gaps {
    named: Vec<(Unsupported, Loc)>,
    /// Each property that hangs on a gap, with what was missing there.
    hang: BTreeMap<PropertyId, Unsupported>,
}

impl Gaps {
    /// Whether properties hang on this gap that hang on none so far.
    pub fn would_add(&self, gap: &Gap, reach: &mut Reach<'_>, wanted: &BTreeSet<PropertyId>) -> bool {
        self.hang.len() < wanted.len() && reach.after(&gap.stood, wanted).iter().any(|p| !self.hang.contains_key(p))
    }

    /// A gap that some execution reaches.
    pub fn add(&mut self, gap: Gap, reach: &mut Reach<'_>, wanted: &BTreeSet<PropertyId>) {
        for p in reach.after(&gap.stood, wanted) {
            self.hang.entry(p).or_insert_with(|| gap.what.clone());
        }
        let named = (gap.what, gap.loc);
        if self.named.len() < MAX_NAMED_GAPS && !self.named.contains(&named) {
            self.named.push(named);
        }
    }

    /// What is missing on a way to this property.
    pub fn before(&self, p: PropertyId) -> Option<Reason> {
        self.hang.get(&p).cloned().map(Reason::Unsupported)
    }

    /// Whether any property hangs on a gap, those of library models included.
    pub fn concern_any(&self) -> bool {
        !self.hang.is_empty()
    }

    pub fn named(&self) -> Vec<(Unsupported, Loc)> {
        self.named.clone()
    }
}
