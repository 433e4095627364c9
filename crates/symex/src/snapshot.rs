//! What running a part of a function changes, so that it can be taken back.
//!
//! Invariant: between `snapshot` and `restore` no activation was left but those begun in between. Terms and object numbers that were made
//! stay made; nothing refers to them any more.

use crate::exec::Executor;
use crate::jumps::{Jump, Point};
use crate::state::Arrival;
use blitz_ir::{Block, InstId};
use blitz_term::Term;
use std::rc::Rc;

/// The innermost activation and the results so far.
#[derive(Clone)]
pub(crate) struct Snapshot {
    values: Vec<Option<Term>>,
    arrivals: Vec<Option<Arrival>>,
    returned: Option<Arrival>,
    allocas: Vec<(u32, Term)>,
    at: (Block, usize),
    current: Option<InstId>,
    points: Vec<Rc<Point>>,
    jumps: Vec<Jump>,
    exit: Option<Arrival>,
    exit_roots: usize,
    kept_roots: usize,
    claims: usize,
    inputs: usize,
    cuts: usize,
    gaps: usize,
    reached: usize,
    bodiless: usize,
}

impl Executor<'_, '_> {
    pub(crate) fn snapshot(&self) -> Snapshot {
        let frame = self.frame();
        Snapshot {
            values: frame.values.clone(),
            arrivals: frame.arrivals.clone(),
            returned: frame.returned.clone(),
            allocas: frame.allocas.clone(),
            at: frame.at,
            current: frame.current,
            points: frame.points.clone(),
            jumps: self.jumps.waiting.clone(),
            exit: self.exit.clone(),
            exit_roots: self.exit_roots.len(),
            kept_roots: self.kept_roots.len(),
            claims: self.out.claims.len(),
            inputs: self.out.inputs.len(),
            cuts: self.out.cuts.len(),
            gaps: self.out.gaps.len(),
            reached: self.out.reached.len(),
            bodiless: self.out.bodiless.len(),
        }
    }

    pub(crate) fn restore(&mut self, before: Snapshot) {
        let frame = self.frame_mut();
        frame.values = before.values;
        frame.arrivals = before.arrivals;
        frame.returned = before.returned;
        frame.allocas = before.allocas;
        frame.at = before.at;
        frame.current = before.current;
        frame.points = before.points;
        self.jumps.waiting = before.jumps;
        self.exit = before.exit;
        self.exit_roots.truncate(before.exit_roots);
        self.kept_roots.truncate(before.kept_roots);
        self.out.claims.truncate(before.claims);
        self.out.inputs.truncate(before.inputs);
        self.out.cuts.truncate(before.cuts);
        self.out.gaps.truncate(before.gaps);
        self.out.reached.truncate(before.reached);
        for func in self.out.bodiless.split_off(before.bodiless) {
            self.bodiless_seen.remove(&func);
        }
    }
}
