//! Whole arrays in a candidate model.

use super::runs::Runs;
use super::{Candidate, Core};
use crate::UnknownReason;
use blitz_term::{Op, Term, Terms};
use std::sync::Arc;

impl Core {
    /// The value of an index-sized term as a number.
    pub(super) fn position(&mut self, terms: &Terms, candidate: &mut Candidate, t: Term) -> Result<u64, UnknownReason> {
        candidate.value(self, terms, t).to_u64().ok_or_else(too_wide)
    }

    /// The value of an array term, from the cells its reads have reached and the default elsewhere.
    pub fn runs_of(
        &mut self,
        terms: &Terms,
        candidate: &mut Candidate,
        array: Term,
    ) -> Result<Arc<Runs>, UnknownReason> {
        let (index, _) = terms.array_widths(array);
        if index > 64 {
            return Err(too_wide());
        }
        let mut stack = vec![array];
        while let Some(&at) = stack.last() {
            if candidate.runs.contains_key(&at) {
                stack.pop();
                continue;
            }
            let (base, writes) = self.spine(terms, candidate, at);
            let before = stack.len();
            for needed in base.into_iter().chain(writes.iter().filter_map(|w| copied(terms, *w))) {
                if needed != at && !candidate.runs.contains_key(&needed) {
                    stack.push(needed);
                }
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let mut cells = match base {
                Some(base) if base != at => (*candidate.runs[&base]).clone(),
                Some(_) | None => self.foundation(terms, candidate, at, &writes),
            };
            for write in writes.iter().rev() {
                self.write(terms, candidate, *write, &mut cells)?;
            }
            candidate.runs.insert(at, Arc::new(cells));
        }
        Ok(Arc::clone(&candidate.runs[&array]))
    }

    /// The writes above the foundation of an array, outermost first, and the array they start from: a variable, or one whose
    /// value is known; `None` when a constant array is at the bottom (it is then the last of the writes).
    fn spine(&mut self, terms: &Terms, candidate: &mut Candidate, array: Term) -> (Option<Term>, Vec<Term>) {
        let mut at = array;
        let mut writes = Vec::new();
        loop {
            if at != array && candidate.runs.contains_key(&at) {
                return (Some(at), writes);
            }
            match terms.op(at) {
                Op::Store(below, ..) | Op::Copy { dst: below, .. } | Op::Fill { array: below, .. } => {
                    writes.push(at);
                    at = below;
                }
                Op::Ite(c, then_side, else_side) => {
                    at = if candidate.is_true(self, terms, c) { then_side } else { else_side };
                }
                Op::ConstArray(_) => {
                    writes.push(at);
                    return (None, writes);
                }
                Op::Var(_) => match candidate.defs.get(&at) {
                    Some(&(_, other)) => at = other,
                    None => return (Some(at), writes),
                },
                other => unreachable!("an array should be here, not {other:?}"),
            }
        }
    }

    /// An array variable's cells, or the constant array at the bottom of the writes.
    fn foundation(&mut self, terms: &Terms, candidate: &mut Candidate, array: Term, writes: &[Term]) -> Runs {
        let (index, elem) = terms.array_widths(array);
        if let Some(&bottom) = writes.last()
            && let Op::ConstArray(value) = terms.op(bottom)
        {
            return Runs::constant(index, candidate.value(self, terms, value));
        }
        let mut cells = Runs::constant(index, candidate.default_of(elem));
        for (position, read) in candidate.cells_of.get(&array).cloned().unwrap_or_default() {
            let value = candidate.value(self, terms, read);
            let position = position.to_u64().expect("the index width should be at most 64");
            cells.set(position, value);
        }
        cells
    }

    fn write(
        &mut self,
        terms: &Terms,
        candidate: &mut Candidate,
        write: Term,
        cells: &mut Runs,
    ) -> Result<(), UnknownReason> {
        match terms.op(write) {
            Op::Store(_, index, value) => {
                let index = self.position(terms, candidate, index)?;
                cells.set(index, candidate.value(self, terms, value));
            }
            Op::Fill { off, value, len, .. } => {
                let (off, len) = (self.position(terms, candidate, off)?, self.position(terms, candidate, len)?);
                cells.fill(off, len, &candidate.value(self, terms, value));
            }
            Op::Copy { dst_off, src, src_off, len, .. } => {
                let (dst_off, src_off) =
                    (self.position(terms, candidate, dst_off)?, self.position(terms, candidate, src_off)?);
                let len = self.position(terms, candidate, len)?;
                let source = Arc::clone(&candidate.runs[&src]);
                cells.copy(dst_off, &source, src_off, len);
            }
            Op::ConstArray(_) => {}
            other => unreachable!("a write should be here, not {other:?}"),
        }
        Ok(())
    }
}

/// The array a copy takes its cells from.
fn copied(terms: &Terms, write: Term) -> Option<Term> {
    if let Op::Copy { src, .. } = terms.op(write) { Some(src) } else { None }
}

fn too_wide() -> UnknownReason {
    UnknownReason::Unsupported("comparing or scanning arrays with an index of more than 64 bits".to_owned())
}
