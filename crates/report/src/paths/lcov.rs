//! Which lines paths went through, as lcov's `genhtml` reads it.

use blitz_base::span::Loc;
use blitz_engines::Exploration;
use blitz_ir::{FuncId, Program};
use std::collections::BTreeMap;

/// Lines of one file: how often paths went through each.
#[derive(Default)]
pub struct Coverage {
    pub lines: BTreeMap<u32, u64>,
    /// Functions: where they begin, and how often they were entered.
    pub functions: BTreeMap<String, (u32, u64)>,
}

/// Per file, the lines that code of the user's functions stands on. A line counts as often as its block that was passed most.
pub fn coverage(program: &Program, exploration: &Exploration) -> BTreeMap<String, Coverage> {
    let mut out: BTreeMap<String, Coverage> = BTreeMap::new();
    for &(f, b) in &exploration.blocks {
        let Some(body) = program.body(f) else { continue };
        let times = exploration.covered.get(&(f, b)).copied().unwrap_or(0);
        let block = body.block(b);
        let places = block.insts.iter().map(|i| body.inst(*i).loc).chain([block.loc]);
        for loc in places.filter(|l| l.line > 0) {
            let lines = &mut out.entry(file(program, loc)).or_default().lines;
            let count = lines.entry(loc.line).or_default();
            *count = times.max(*count);
        }
        if b == blitz_ir::Func::ENTRY {
            enter(program, f, times, &mut out);
        }
    }
    out
}

fn enter(program: &Program, f: FuncId, times: u64, out: &mut BTreeMap<String, Coverage>) {
    let decl = program.decl(f);
    if decl.loc.line > 0 {
        let functions = &mut out.entry(file(program, decl.loc)).or_default().functions;
        functions.insert(decl.name.clone(), (decl.loc.line, times));
    }
}

fn file(program: &Program, loc: Loc) -> String {
    program.file(loc.file).to_owned()
}

/// The same as an lcov tracefile.
pub fn lcov(coverage: &BTreeMap<String, Coverage>) -> String {
    let mut out = String::from("TN:blitz\n");
    for (file, of_file) in coverage {
        out.push_str(&format!("SF:{file}\n"));
        for (name, (line, _)) in &of_file.functions {
            out.push_str(&format!("FN:{line},{name}\n"));
        }
        for (name, (_, times)) in &of_file.functions {
            out.push_str(&format!("FNDA:{times},{name}\n"));
        }
        for (line, times) in &of_file.lines {
            out.push_str(&format!("DA:{line},{times}\n"));
        }
        let hit = of_file.lines.values().filter(|t| **t > 0).count();
        out.push_str(&format!("LF:{}\nLH:{hit}\nend_of_record\n", of_file.lines.len()));
    }
    out
}
