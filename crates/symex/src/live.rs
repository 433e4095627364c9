//! Which values a place in a function still needs: only those wait with a state.

use blitz_ir::{Block, Func, Value};

/// Per block the values that are needed at its beginning, its own parameters not among them.
pub(crate) struct Liveness {
    at_entry: Vec<Bits>,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    pub fn none(values: usize) -> Self {
        Self(vec![0; values.div_ceil(64)])
    }

    pub fn has(&self, v: Value) -> bool {
        self.0[v.index() / 64] >> (v.index() % 64) & 1 == 1
    }

    fn insert(&mut self, v: Value) {
        self.0[v.index() / 64] |= 1 << (v.index() % 64);
    }

    fn remove(&mut self, v: Value) {
        self.0[v.index() / 64] &= !(1 << (v.index() % 64));
    }

    pub fn add(&mut self, other: &Bits) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }
}

impl Liveness {
    pub fn new(func: &Func) -> Self {
        let mut out = Self { at_entry: vec![Bits::none(func.values.len()); func.blocks.len()] };
        let mut changed = true;
        while changed {
            changed = false;
            for b in func.block_ids().collect::<Vec<_>>().into_iter().rev() {
                let mut needed = out.from(func, b, 0);
                for &p in &func.block(b).params {
                    needed.remove(p);
                }
                if needed != out.at_entry[b.index()] {
                    out.at_entry[b.index()] = needed;
                    changed = true;
                }
            }
        }
        out
    }

    /// What is needed when a block begins.
    pub fn at_entry(&self, b: Block) -> &Bits {
        &self.at_entry[b.index()]
    }

    /// What is needed before the instruction with this place in its block.
    pub fn from(&self, func: &Func, b: Block, index: usize) -> Bits {
        let data = func.block(b);
        let mut needed = Bits::none(func.values.len());
        for (to, _) in data.term.successors() {
            needed.add(&self.at_entry[to.index()]);
        }
        data.term.for_each_operand(|v| needed.insert(v));
        for &i in data.insts[index.min(data.insts.len())..].iter().rev() {
            for &r in &func.inst(i).results {
                needed.remove(r);
            }
            func.inst(i).inst.for_each_operand(|v| needed.insert(v));
        }
        needed
    }
}
