//! Which values the source's variables hold at a place in a function: what a debugger would show.
//!
//! Why: a program that ends inside a call still reaches what the variables of its open activations point to; LeakSanitizer finds it on the native
//! stack. A marker (`Inst::Debug`) says what a variable holds from there on. Where paths meet on which it holds different values, the block's parameter
//! holds it that is given each of them; without such a parameter (nothing reads the variable any more) it is one of them.
//!
//! Invariant: a variable that some path leaves without a value holds nothing. So what is out of scope on the way hides no leak.
//! Absent: variables in memory, and those of another type than pointers and words.

use crate::cfg::Cfg;
use crate::func::{Block, Func, Value, Var};
use crate::inst::Inst;
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// Rounds over the blocks before the values are left as they are. Each round settles one more level of loops.
const MAX_ROUNDS: u32 = 12;

/// For each variable the values of which it holds one.
type Values = BTreeMap<Var, BTreeSet<Value>>;

/// What the variables of one function hold where its blocks begin.
#[derive(Debug)]
pub struct Held {
    ptr_bits: u16,
    at_entry: Vec<Option<Values>>,
}

impl Held {
    pub fn new(func: &Func, ptr_bits: u16) -> Self {
        let mut held = Self { ptr_bits, at_entry: vec![None; func.blocks.len()] };
        let cfg = Cfg::new(func);
        let mut at_end: Vec<Option<Values>> = vec![None; func.blocks.len()];
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for &b in cfg.rpo() {
                let values = joined(func, &cfg, b, &at_end);
                if held.at_entry[b.index()].as_ref() == Some(&values) {
                    continue;
                }
                held.at_entry[b.index()] = Some(values);
                at_end[b.index()] = Some(held.inside(func, b, usize::MAX));
                changed = true;
            }
            if !changed {
                break;
            }
        }
        held
    }

    /// The values that variables hold in front of the instruction of a block with this number.
    pub fn at(&self, func: &Func, block: Block, upto: usize) -> BTreeSet<Value> {
        self.inside(func, block, upto).into_values().flatten().collect()
    }

    fn inside(&self, func: &Func, block: Block, upto: usize) -> Values {
        let mut values = self.at_entry[block.index()].clone().unwrap_or_default();
        let insts = &func.block(block).insts;
        for &inst in &insts[..upto.min(insts.len())] {
            if let Inst::Debug { var, value, indirect: false } = func.inst(inst).inst
                && matches!(func.ty(value), ty if ty == Type::Ptr || ty == Type::Int(self.ptr_bits))
            {
                values.insert(var, BTreeSet::from([value]));
            }
        }
        values
    }
}

/// What the variables hold where a block begins, by what they hold at the ends of those before it that were looked at.
fn joined(func: &Func, cfg: &Cfg, block: Block, at_end: &[Option<Values>]) -> Values {
    let mut edges: Vec<(&[Value], &Values)> = Vec::new();
    let mut before: Vec<Block> = cfg.predecessors(block).to_vec();
    before.dedup();
    for from in before {
        let Some(values) = &at_end[from.index()] else { continue };
        let all = func.block(from).term.successors();
        edges.extend(all.into_iter().filter(|(to, _)| *to == block).map(|(_, args)| (args, values)));
    }
    let Some((_, first)) = edges.first() else { return Values::new() };
    let mut out = Values::new();
    for (&var, one) in first.iter() {
        let ways: Option<Vec<&BTreeSet<Value>>> = edges.iter().map(|(_, values)| values.get(&var)).collect();
        let Some(ways) = ways else { continue };
        if ways.iter().all(|way| *way == one) {
            out.insert(var, one.clone());
            continue;
        }
        let given =
            |i: usize| edges.iter().zip(&ways).all(|((args, _), way)| args.get(i).is_some_and(|a| way.contains(a)));
        let params = func.block(block).params.iter().enumerate();
        let params: BTreeSet<Value> = params.filter(|(i, _)| given(*i)).map(|(_, &p)| p).collect();
        let any = || ways.iter().flat_map(|way| way.iter().copied()).collect();
        out.insert(var, if params.is_empty() { any() } else { params });
    }
    out
}

#[cfg(test)]
mod tests;
