//! Which pointers the variables of the open functions hold: what a program that ends inside a call still reaches.
//!
//! LeakSanitizer finds them in the native stack. A temporary (the result of `malloc` on its way into memory) is not among
//! them: it is in no variable, and its register is used for something else by then. For each variable the nearest marker
//! on the way up the dominator tree counts; the arguments of the open call count as well.

use crate::exec::{Executor, Frame};
use blitz_ir::{Inst, Type, Value, Var};
use blitz_term::Term;
use std::collections::BTreeMap;

impl Executor<'_, '_> {
    /// Pointers in the variables of all activations: a program that ends here still reaches what they point to.
    pub(crate) fn live_pointers(&self) -> Vec<Term> {
        self.frames
            .iter()
            .filter(|f| !self.program.decl(f.func).model)
            .flat_map(|f| held(f).into_iter().filter_map(|v| f.values[v.index()]))
            .collect()
    }
}

fn held(frame: &Frame<'_>) -> Vec<Value> {
    let (body, doms) = (frame.body, frame.info.dominators(frame.body));
    let (mut block, mut upto) = frame.at;
    let mut by_var: BTreeMap<Var, Value> = BTreeMap::new();
    loop {
        let insts = &body.block(block).insts;
        for &inst in insts[..upto.min(insts.len())].iter().rev() {
            if let Inst::Debug { var, value, indirect: false } = body.inst(inst).inst {
                by_var.entry(var).or_insert(value);
            }
        }
        let Some(up) = doms.idom(block) else { break };
        (block, upto) = (up, usize::MAX);
    }
    let mut values: Vec<Value> = by_var.into_values().collect();
    if let Some(inst) = frame.current {
        body.inst(inst).inst.for_each_operand(|v| values.push(v));
    }
    values.retain(|&v| body.ty(v) == Type::Ptr);
    values
}
