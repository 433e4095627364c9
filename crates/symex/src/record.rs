//! What an execution writes down where somebody asks for it: which blocks it came to, and which values variables got.
//!
//! Why: coverage asks whether a block is reached, and people who learn or teach want to see the equations behind a formula.
//! Neither is needed for an answer, so nothing is kept unless `Executor::recording` asked for it.
//!
//! Invariant: recording changes no term, claim or input.
//! Absent: library models' functions; nobody asks about them.

use crate::machine::Machine;
use crate::state::State;
use crate::walk::Executor;
use blitz_base::span::Loc;
use blitz_ir::{Block, FuncId, Value, Var};
use blitz_term::Term;
use std::collections::BTreeMap;

/// What was written down, in the order of execution.
#[derive(Default)]
pub struct Record {
    /// Blocks of the user's functions, each with the condition under which it was entered.
    pub blocks: Vec<(FuncId, Block, Term)>,
    pub equations: Vec<Equation>,
    /// The variables behind stack objects.
    objects: BTreeMap<u64, String>,
}

/// What one instruction says.
pub struct Equation {
    pub func: FuncId,
    pub loc: Loc,
    /// The condition under which the instruction is executed.
    pub guard: Term,
    pub what: Said,
}

/// What it says.
pub enum Said {
    /// A variable, or a place in memory as far as it has a name, has this value from here on.
    Is { place: String, value: Term },
    /// Memory at an address that is not constant has this value.
    At { address: Term, value: Term },
    /// Executions go on only where this holds.
    Assumed(Term),
}

impl Executor<'_, '_> {
    /// An executor that writes down what it does; `finish_recorded` hands it out.
    pub fn recording(mut self) -> Self {
        self.m.record = Some(Record::default());
        self
    }

    /// The execution's results and what was written down.
    pub fn finish_recorded(mut self) -> (crate::Execution, Record) {
        let record = self.m.record.take().unwrap_or_default();
        (self.finish(), record)
    }
}

impl Machine<'_, '_> {
    /// A block begins.
    pub(crate) fn record_block(&mut self, block: Block, state: &State) {
        if let Some(func) = self.recorded_function() {
            let guard = state.guard.term(self.terms);
            self.record.as_mut().expect("a record should be kept").blocks.push((func, block, guard));
        }
    }

    /// A source variable has a value.
    pub(crate) fn record_value(&mut self, state: &State, var: Var, value: Value, loc: Loc) {
        if self.recorded_function().is_some() {
            let place = self.frame().body.vars[var.index()].name.clone();
            let value = self.get(value);
            self.write_down(state, loc, Said::Is { place, value });
        }
    }

    /// A stack object belongs to a variable.
    pub(crate) fn record_object(&mut self, var: Option<Var>, pointer: Term) {
        if self.recorded_function().is_none() {
            return;
        }
        let name = var.map(|v| self.frame().body.vars[v.index()].name.clone());
        if let (Some(name), Some(p)) = (name, self.terms.as_u64(pointer)) {
            let object = p >> self.space.off_bits();
            self.record.as_mut().expect("a record should be kept").objects.insert(object, name);
        }
    }

    /// Memory is written.
    pub(crate) fn record_store(&mut self, state: &State, ptr: Value, value: Value, loc: Loc) {
        if self.recorded_function().is_none() {
            return;
        }
        let (address, value) = (self.get(ptr), self.get(value));
        let said = match self.terms.as_u64(address).and_then(|p| self.named_place(p)) {
            Some(place) => Said::Is { place, value },
            None => Said::At { address, value },
        };
        self.write_down(state, loc, said);
    }

    /// Something is assumed.
    pub(crate) fn record_assumption(&mut self, state: &State, cond: Term, loc: Loc) {
        if self.recorded_function().is_some() {
            self.write_down(state, loc, Said::Assumed(cond));
        }
    }

    fn write_down(&mut self, state: &State, loc: Loc, what: Said) {
        let (func, guard) = (self.frame().func, state.guard.term(self.terms));
        let record = self.record.as_mut().expect("a record should be kept");
        record.equations.push(Equation { func, loc, guard, what });
    }

    /// `name` or `name+4` for a place in a global or in a variable on the stack.
    fn named_place(&self, pointer: u64) -> Option<String> {
        let bits = self.space.off_bits();
        let (object, offset) = (pointer >> bits, pointer & ((1 << bits) - 1));
        let globals = self.program.globals.len() as u64;
        let name = match (1..=globals).contains(&object) {
            true => &self.program.globals[object as usize - 1].name,
            false => self.record.as_ref()?.objects.get(&object)?,
        };
        Some(if offset == 0 { name.clone() } else { format!("{name}+{offset}") })
    }

    /// The function that runs, where what it does is written down.
    fn recorded_function(&self) -> Option<FuncId> {
        self.record.as_ref()?;
        let func = self.frame().func;
        (!self.program.decl(func).model).then_some(func)
    }
}
