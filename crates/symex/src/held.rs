//! Which pointers the variables of the open activations hold: what a program that ends inside a call still reaches.
//!
//! LeakSanitizer finds them in the native stack. A temporary (the result of `malloc` on its way into memory) is not among
//! them: it is in no variable, and its register is used for something else by then. The arguments of the open call count as well.

use crate::machine::{Frame, Machine};
use blitz_ir::{Type, Value};
use blitz_term::Term;

impl Machine<'_, '_> {
    /// Pointers in the variables of all activations: a program that ends here still reaches what they point to.
    pub(crate) fn live_pointers(&self) -> Vec<Term> {
        let ptr_bits = self.space.ptr_bits();
        self.frames
            .iter()
            .filter(|f| !self.program.decl(f.func).model)
            .flat_map(|f| held(f, ptr_bits).into_iter().filter_map(|v| f.values[v.index()]))
            .collect()
    }
}

fn held(frame: &Frame<'_>, ptr_bits: u16) -> Vec<Value> {
    let (body, (block, upto)) = (frame.body, frame.at);
    let mut values: Vec<Value> = frame.info.held(body, ptr_bits).at(body, block, upto).into_iter().collect();
    if let Some(inst) = frame.current {
        body.inst(inst).inst.for_each_operand(|v| values.push(v));
    }
    values.retain(|&v| body.ty(v) == Type::Ptr);
    values
}
