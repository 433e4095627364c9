//! Which functions can return at all: a call of one that never does ends its path (`usage`, `fatal`, `xalloc_die`).

use blitz_ir::{Func, FuncId, Inst, Program, Target, Terminator};
use std::collections::{BTreeMap, BTreeSet};

/// The functions among `funcs` with a way to a return that passes no call of a function that never returns.
pub fn may_return(program: &Program, funcs: &BTreeSet<FuncId>) -> BTreeSet<FuncId> {
    let mut callers: BTreeMap<FuncId, Vec<FuncId>> = BTreeMap::new();
    for &f in funcs {
        for callee in program.body(f).into_iter().flat_map(direct_calls) {
            callers.entry(callee).or_default().push(f);
        }
    }
    let mut found = BTreeSet::new();
    let mut work: Vec<FuncId> = funcs.iter().copied().collect();
    while let Some(f) = work.pop() {
        if found.contains(&f) || !program.body(f).is_none_or(|b| reaches_return(program, b, funcs, &found)) {
            continue;
        }
        found.insert(f);
        work.extend(callers.get(&f).into_iter().flatten());
    }
    found
}

fn direct_calls(body: &Func) -> impl Iterator<Item = FuncId> {
    body.insts.iter().filter_map(|data| match &data.inst {
        Inst::Call(site) => match site.target {
            Target::Func(f) => Some(f),
            Target::Pointer(_) => None,
        },
        _ => None,
    })
}

fn reaches_return(program: &Program, body: &Func, known: &BTreeSet<FuncId>, found: &BTreeSet<FuncId>) -> bool {
    let returns = |f: FuncId| !program.decl(f).has_body || !known.contains(&f) || found.contains(&f);
    let mut seen = vec![false; body.blocks.len()];
    let mut work = vec![Func::ENTRY];
    while let Some(b) = work.pop() {
        if std::mem::replace(&mut seen[b.index()], true) {
            continue;
        }
        let data = body.block(b);
        let stuck = data.insts.iter().any(|&i| match &body.inst(i).inst {
            Inst::Call(site) => matches!(site.target, Target::Func(f) if !returns(f)),
            _ => false,
        });
        if stuck {
            continue;
        }
        match &data.term {
            Terminator::Return { .. } | Terminator::LongJmp { .. } => return true,
            _ => work.extend(data.term.successors().into_iter().map(|(to, _)| to)),
        }
    }
    false
}
