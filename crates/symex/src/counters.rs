//! Loops whose exits compare constants: a counter on its way to the loop's end.

use crate::machine::Machine;
use blitz_ir::loops::LoopId;
use blitz_ir::{Func, Inst, Terminator, Value, ValueDef};
use blitz_term::Term;

impl Machine<'_, '_> {
    /// Whether an exit of the loop has compared other constants than before.
    pub(crate) fn counter_moved(&self, l: LoopId, before: &mut Vec<(Term, Term)>) -> bool {
        let now = self.compared(l);
        let moved = now.iter().any(|pair| !before.contains(pair));
        *before = now;
        moved
    }

    /// Pairs of constants that the branches out of the loop have compared.
    fn compared(&self, l: LoopId) -> Vec<(Term, Term)> {
        let frame = self.frame();
        let constant = |v: Value| frame.values[v.index()].filter(|t| self.terms.is_const(*t));
        let mut out = Vec::new();
        for &b in frame.info.loops.blocks(l) {
            let Terminator::Branch { cond, then, other } = &frame.body.block(b).term else { continue };
            let leaves = [then.0, other.0].iter().any(|to| !frame.info.loops.contains(l, *to));
            if let Some((lhs, rhs)) = compared_by(frame.body, *cond).filter(|_| leaves)
                && let (Some(a), Some(b)) = (constant(lhs), constant(rhs))
            {
                out.push((a, b));
            }
        }
        out
    }
}

/// The values whose comparison a condition is.
fn compared_by(func: &Func, cond: Value) -> Option<(Value, Value)> {
    let ValueDef::Inst(inst, _) = func.values[cond.index()].def else { return None };
    match func.inst(inst).inst {
        Inst::Compare { lhs, rhs, .. } => Some((lhs, rhs)),
        _ => None,
    }
}
