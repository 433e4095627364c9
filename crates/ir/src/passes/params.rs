//! Block parameters: those that always get the same value go, and those that nobody needs.

use super::util::Subst;
use crate::func::{Block, Const, Func, FuncBuilder, Value, ValueDef};
use crate::inst::Terminator;

/// What is passed to the parameters of each block: a list per parameter, one entry per edge.
pub struct Incoming {
    first: Vec<u32>,
    args: Vec<Vec<Value>>,
}

impl Incoming {
    pub fn new(func: &Func) -> Self {
        let mut first = Vec::with_capacity(func.blocks.len());
        let mut count = 0;
        for block in &func.blocks {
            first.push(count);
            count += block.params.len() as u32;
        }
        let mut args = vec![Vec::new(); count as usize];
        for block in &func.blocks {
            each_edge(&block.term, |to, passed| {
                for (n, &v) in passed.iter().enumerate() {
                    args[first[to.index()] as usize + n].push(v);
                }
            });
        }
        Self { first, args }
    }

    /// What is passed to parameter `n` of a block.
    pub fn of(&self, block: Block, n: u32) -> &[Value] {
        &self.args[(self.first[block.index()] + n) as usize]
    }
}

/// Calls `visit` with every edge and what it passes.
fn each_edge(term: &Terminator, mut visit: impl FnMut(Block, &[Value])) {
    match term {
        Terminator::Jump { to, args } => visit(*to, args),
        Terminator::Branch { then, other, .. } => {
            visit(then.0, &then.1);
            visit(other.0, &other.1);
        }
        Terminator::Switch { cases, default, .. } => {
            cases.iter().for_each(|(_, to, args)| visit(*to, args));
            visit(default.0, &default.1);
        }
        Terminator::IndirectJump { .. }
        | Terminator::Return { .. }
        | Terminator::Exit { .. }
        | Terminator::Halt { .. }
        | Terminator::LongJmp { .. }
        | Terminator::Unreachable => {}
    }
}

/// Removes the parameters that are not to be kept, and what edges pass to them. The function's own stay.
pub fn retain(func: &mut Func, mut keep: impl FnMut(Value) -> bool) {
    let mut masks: Vec<Option<Vec<bool>>> = vec![None; func.blocks.len()];
    for (i, mask) in masks.iter_mut().enumerate().skip(1) {
        let kept: Vec<bool> = func.blocks[i].params.iter().map(|&v| keep(v)).collect();
        if kept.iter().all(|&k| k) {
            continue;
        }
        filter(&mut func.blocks[i].params, &kept);
        for (n, &v) in func.blocks[i].params.iter().enumerate() {
            func.values[v.index()].def = ValueDef::Param(Block::new(i), n as u32);
        }
        *mask = Some(kept);
    }
    for block in &mut func.blocks {
        block.term.for_each_edge_mut(|to, args| {
            if let Some(kept) = &masks[to.index()] {
                filter(args, kept);
            }
        });
    }
}

fn filter(values: &mut Vec<Value>, kept: &[bool]) {
    let mut n = 0;
    values.retain(|_| {
        n += 1;
        kept[n - 1]
    });
}

/// What is known about a parameter while it is being looked for what it always is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Nothing came yet.
    Nothing,
    /// Everything that came so far is this value.
    Only(Value),
    /// Different values come: it stands for itself.
    Itself,
}

/// Replaces each parameter that can only ever have one value by that value, also where parameters pass it around in
/// circles: all are assumed to be what came first until something else comes.
pub fn remove_trivial(b: &mut FuncBuilder) -> bool {
    let incoming = Incoming::new(&b.func);
    let known = known_params(&b.func, &incoming);
    let mut subst = Subst::default();
    for p in b.func.blocks[1..].iter().flat_map(|block| block.params.clone()).collect::<Vec<_>>() {
        match known[p.index()] {
            Known::Only(v) => subst.set(p, v),
            Known::Nothing => {
                let undefined = b.constant(b.func.ty(p), Const::Undef);
                subst.set(p, undefined);
            }
            Known::Itself => {}
        }
    }
    if !subst.used {
        return false;
    }
    subst.apply(&mut b.func);
    retain(&mut b.func, |v| subst.get(v) == v);
    true
}

/// The fixed point, by value. What a parameter is only ever moves down, twice at most.
fn known_params(func: &Func, incoming: &Incoming) -> Vec<Known> {
    let mut known: Vec<Known> = (0..func.values.len()).map(|i| Known::Only(Value::new(i))).collect();
    let params = || func.blocks[1..].iter().flat_map(|block| &block.params).copied();
    params().for_each(|p| known[p.index()] = Known::Nothing);
    let users = users(func, incoming);
    let mut todo: Vec<Value> = params().collect();
    todo.reverse();
    while let Some(p) = todo.pop() {
        let ValueDef::Param(block, n) = func.values[p.index()].def else {
            continue;
        };
        if known[p.index()] == Known::Itself {
            continue;
        }
        let now = meet(incoming.of(block, n), &known);
        if now != known[p.index()] {
            known[p.index()] = now;
            todo.extend(&users[p.index()]);
        }
    }
    known
}

fn meet(args: &[Value], known: &[Known]) -> Known {
    let mut result = Known::Nothing;
    for &arg in args {
        let comes = match known[arg.index()] {
            Known::Nothing => continue,
            Known::Only(v) => v,
            Known::Itself => arg,
        };
        match result {
            Known::Nothing => result = Known::Only(comes),
            Known::Only(v) if v == comes => {}
            Known::Only(_) | Known::Itself => return Known::Itself,
        }
    }
    result
}

/// By value: the parameters it is passed to.
fn users(func: &Func, incoming: &Incoming) -> Vec<Vec<Value>> {
    let mut users = vec![Vec::new(); func.values.len()];
    for block in func.block_ids().skip(1) {
        for (n, &p) in func.block(block).params.iter().enumerate() {
            for v in incoming.of(block, n as u32) {
                if matches!(func.values[v.index()].def, ValueDef::Param(..)) {
                    users[v.index()].push(p);
                }
            }
        }
    }
    users
}
