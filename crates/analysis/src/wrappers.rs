//! Functions that only hand out fresh memory: each call of one is an allocation site of its own.

use blitz_ir::{Const, Func, FuncId, Inst, Program, Target, Terminator, Type, Value, ValueDef};
use std::collections::{BTreeMap, BTreeSet};

/// The functions whose every result is null or memory allocated for this call. Found from the inside out.
pub fn find(program: &Program, funcs: &[FuncId]) -> BTreeSet<FuncId> {
    let mut found = BTreeSet::new();
    let candidates: Vec<FuncId> =
        funcs.iter().copied().filter(|f| program.decl(*f).signature.results.first() == Some(&Type::Ptr)).collect();
    loop {
        let before = found.len();
        for &f in &candidates {
            if !found.contains(&f)
                && let Some(body) = program.body(f)
                && hands_out(body, &found)
            {
                found.insert(f);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn hands_out(body: &Func, known: &BTreeSet<FuncId>) -> bool {
    let mut arguments: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
    let mut returned: Vec<Value> = Vec::new();
    for b in body.block_ids() {
        let data = body.block(b);
        for (to, args) in data.term.successors() {
            for (&p, &a) in body.block(to).params.iter().zip(args) {
                arguments.entry(p).or_default().push(a);
            }
        }
        if let Terminator::Return { values } = &data.term {
            returned.extend(values.first().copied());
        }
    }
    let mut seen = BTreeSet::new();
    let mut allocates = false;
    let mut work = returned;
    while let Some(v) = work.pop() {
        if !seen.insert(v) {
            continue;
        }
        match &body.values[v.index()].def {
            ValueDef::Const(Const::Null) => {}
            ValueDef::Const(_) => return false,
            ValueDef::Param(block, _) if *block == Func::ENTRY => return false,
            ValueDef::Param(..) => work.extend(arguments.get(&v).into_iter().flatten()),
            ValueDef::Inst(i, _) => match &body.inst(*i).inst {
                Inst::HeapAlloc { .. } => allocates = true,
                Inst::Call(site) => match site.target {
                    Target::Func(f) if known.contains(&f) => allocates = true,
                    Target::Func(_) | Target::Pointer(_) => return false,
                },
                Inst::Select { then, other, .. } => work.extend([*then, *other]),
                Inst::Cast { arg, .. } => work.push(*arg),
                _ => return false,
            },
        }
    }
    allocates
}
