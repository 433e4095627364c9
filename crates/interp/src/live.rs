//! Which slots of an activation somebody still reads, at the places where threads stand: two states that differ in others are one.
//!
//! The usual backward analysis over a function's values. Operations that stand for several instructions do no harm: those are neighbours, and no visible point lies among them.

use crate::code::{Code, From};
use blitz_ir::{Block, Builtin, Func, Inst, InstId, ThreadOp, Value};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// An operation, and whether it is a call that is about to return.
type Place = (u32, bool);

/// The live slots of one function, by place, as far as somebody asked.
pub struct Needs {
    at_entry: Vec<BTreeSet<Value>>,
    places: HashMap<InstId, (Block, usize)>,
    known: RefCell<HashMap<Place, Arc<[u32]>>>,
    asks_resumed: bool,
    awaits: bool,
}

impl Needs {
    pub fn new(func: &Func) -> Self {
        let mut places = HashMap::new();
        for b in func.block_ids() {
            let insts = func.block(b).insts.iter().enumerate();
            places.extend(insts.map(|(at, &inst)| (inst, (b, at))));
        }
        let resumed =
            |i: &InstId| matches!(func.inst(*i).inst, Inst::Builtin { op: Builtin::Thread(ThreadOp::Resumed), .. });
        let asks_resumed = places.keys().any(resumed);
        let awaits = places.keys().any(|i| matches!(func.inst(*i).inst, Inst::Await { .. }));
        let known = RefCell::default();
        let at_entry = vec![BTreeSet::new(); func.blocks.len()];
        let mut out = Self { at_entry, places, known, asks_resumed, awaits };
        let mut changed = true;
        while changed {
            changed = false;
            for b in func.block_ids().collect::<Vec<_>>().into_iter().rev() {
                let mut needed = out.from(func, b, 0);
                for p in &func.block(b).params {
                    needed.remove(p);
                }
                if needed.len() != out.at_entry[b.index()].len() {
                    out.at_entry[b.index()] = needed;
                    changed = true;
                }
            }
        }
        out
    }

    /// Whether the function asks if others have made a step (`ThreadOp::Resumed`).
    pub fn asks_resumed(&self) -> bool {
        self.asks_resumed
    }

    /// Whether the function waits for something.
    pub fn awaits(&self) -> bool {
        self.awaits
    }

    /// The slots that are read from an operation on, or after the call that it is returns.
    pub fn at(&self, code: &Code, pc: u32, called: bool) -> Arc<[u32]> {
        if let Some(known) = self.known.borrow().get(&(pc, called)) {
            return known.clone();
        }
        let func = code.func;
        let values = match code.origins[pc as usize].get() {
            From::Inst(inst) => {
                let (b, at) = self.places[&inst];
                let mut needed = self.from(func, b, at + usize::from(called));
                if called {
                    for result in &func.inst(inst).results {
                        needed.remove(result);
                    }
                }
                needed
            }
            From::Term(b) => self.from(func, b, usize::MAX),
        };
        let slots = values.into_iter().flat_map(|v| {
            let operand = code.operands[v.index()];
            // What is in no slot is a constant.
            (0..operand.slots()).filter_map(move |i| operand.slot.checked_add(i))
        });
        let slots: Arc<[u32]> = slots.filter(|&s| s >= code.consts.len() as u32).collect();
        self.known.borrow_mut().insert((pc, called), slots.clone());
        slots
    }

    /// What is needed before the instruction with this place in its block.
    fn from(&self, func: &Func, b: Block, index: usize) -> BTreeSet<Value> {
        let data = func.block(b);
        let mut needed = BTreeSet::new();
        data.term.for_each_successor(|to| needed.extend(&self.at_entry[to.index()]));
        data.term.for_each_operand(|v| {
            needed.insert(v);
        });
        for &i in data.insts[index.min(data.insts.len())..].iter().rev() {
            for r in &func.inst(i).results {
                needed.remove(r);
            }
            let inst = &func.inst(i).inst;
            if !matches!(inst, Inst::Debug { .. }) {
                inst.for_each_operand(|v| {
                    needed.insert(v);
                });
            }
        }
        needed
    }
}
