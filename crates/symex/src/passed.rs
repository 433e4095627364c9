//! Which blocks an execution went through, and which assumptions it made: what coverage is read off.
//!
//! Why guards: that a block was run over terms does not mean that any execution gets there. The conditions are kept, so that an engine can ask.
//! Invariant: nothing here makes a term. Absent: blocks of library models, and of segments, whose conditions begin in an arbitrary state.

use crate::machine::Machine;
use crate::state::State;
use blitz_base::span::Loc;
use blitz_ir::{Block, FuncId};
use blitz_term::Term;
use std::collections::BTreeMap;

/// Conditions that are kept for one place.
const KEPT: usize = 6;

/// Places with the conditions under which they were passed.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    pub blocks: BTreeMap<(FuncId, Block), Guards>,
    /// What held behind an assumption, by its instruction's place in its block.
    pub assumes: BTreeMap<(FuncId, Block, usize), (Loc, Guards)>,
}

/// Conditions, one of which holds wherever a place was passed.
#[derive(Clone, Debug, Default)]
pub struct Guards {
    pub terms: Vec<Term>,
    /// There were more than are kept.
    pub more: bool,
}

impl Guards {
    fn add(&mut self, guard: Term) {
        if self.terms.contains(&guard) {
            return;
        }
        if self.terms.len() < KEPT { self.terms.push(guard) } else { self.more = true }
    }
}

impl Machine<'_, '_> {
    /// A block of the youngest activation begins.
    pub(crate) fn pass(&mut self, block: Block, state: &State) {
        let func = self.frame().func;
        if !self.space.is_of_segment() && !self.program.decl(func).model {
            let guard = state.guard.term(self.terms);
            self.out.blocks_passed.blocks.entry((func, block)).or_default().add(guard);
        }
    }

    /// Something was assumed.
    pub(crate) fn assumed(&mut self, state: &State, loc: Loc) {
        let func = self.frame().func;
        if !self.space.is_of_segment() && !self.program.decl(func).model {
            let (block, index) = self.frame().at;
            let guard = state.guard.term(self.terms);
            let entry = self.out.blocks_passed.assumes.entry((func, block, index));
            entry.or_insert_with(|| (loc, Guards::default())).1.add(guard);
        }
    }
}
