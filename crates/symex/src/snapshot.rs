//! What running a part of a function changes, so that it can be taken back.
//!
//! Invariant: between `snapshot` and `restore` no activation was left but those begun in between. Terms and object
//! numbers that were made stay made; nothing refers to them any more.

use crate::ids::ObjectNo;
use crate::jumps::{Jump, Point};
use crate::leaks::ExitsMark;
use crate::machine::Machine;
use crate::outcome::Found;
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
    allocas: Vec<(ObjectNo, Term)>,
    at: (Block, usize),
    current: Option<InstId>,
    points: Vec<Rc<Point>>,
    jumps: Vec<Jump>,
    exits: ExitsMark,
    found: Found,
    bodiless: usize,
}

impl Machine<'_, '_> {
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
            exits: self.exits.mark(),
            found: self.out.found(),
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
        self.exits.take_back(before.exits);
        self.out.take_back(before.found);
        for func in self.out.bodiless.split_off(before.bodiless) {
            self.strangers.seen.remove(&func);
        }
    }
}
