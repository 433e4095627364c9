//! Where control may go several ways.

use blitz_ir::{Block, FuncId, Terminator, Value};
use blitz_term::{Term, Terms};

/// Which fork of the program it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub func: FuncId,
    pub block: Block,
    pub kind: ForkKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ForkKind {
    /// Alternative 0 is the branch's first target.
    Branch,
    /// Numbered by the first case with the target; the default last.
    Switch,
    IndirectJump,
    /// A call through a pointer, with the call's place in its block.
    Call(u32),
    LongJump,
    /// Between the places where ways of a branch have met, by block (`follow::together`).
    Together,
}

/// A way out of a block: its condition, where it leads, and the arguments there.
pub type Way<'p> = (Term, Block, &'p [Value]);

/// The ways out of a block that ends in a branch, with the conditions.
pub(crate) fn ways<'p>(terms: &mut Terms, value: Term, term: &'p Terminator) -> Option<(ForkKind, Vec<Way<'p>>)> {
    match term {
        Terminator::Branch { then, other, .. } => {
            let negated = terms.not(value);
            Some((ForkKind::Branch, vec![(value, then.0, &then.1), (negated, other.0, &other.1)]))
        }
        Terminator::Switch { cases, default, .. } => {
            let mut out: Vec<Way<'p>> = Vec::with_capacity(cases.len() + 1);
            let mut none = terms.tru();
            for (c, to, args) in cases {
                let c = terms.bv_const(c.clone());
                let hit = terms.eq(value, c);
                out.push((hit, *to, args));
                let miss = terms.not(hit);
                none = terms.and(none, miss);
            }
            out.push((none, default.0, &default.1));
            Some((ForkKind::Switch, out))
        }
        Terminator::IndirectJump { targets, .. } => {
            let mut out: Vec<Way<'p>> = Vec::with_capacity(targets.len());
            for to in targets {
                let address = terms.bv(terms.width(value), u64::from(to.0) + 1);
                let hit = terms.eq(value, address);
                out.push((hit, *to, &[]));
            }
            Some((ForkKind::IndirectJump, out))
        }
        Terminator::Jump { .. }
        | Terminator::Return { .. }
        | Terminator::Exit { .. }
        | Terminator::Halt { .. }
        | Terminator::Unreachable
        | Terminator::LongJmp { .. } => None,
    }
}
