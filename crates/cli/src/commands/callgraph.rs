//! `blitz callgraph`: who calls whom. An indirect call may reach every function of its signature whose address is taken.

use crate::args::{CallgraphArgs, Format};
use crate::input;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_ir::callgraph::may_be_called_as;
use blitz_ir::{CallSite, FuncId, Inst, Program, Target};
use serde::Serialize;
use std::collections::BTreeSet;

#[derive(Serialize)]
struct Row {
    function: String,
    /// Functions called by name, sorted.
    calls: Vec<String>,
    indirect: Vec<Indirect>,
}

#[derive(Serialize)]
struct Indirect {
    file: String,
    line: u32,
    column: u32,
    targets: Vec<String>,
}

#[derive(Serialize)]
struct Listing {
    schema: u32,
    functions: Vec<Row>,
}

pub fn callgraph(args: &CallgraphArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let loaded = input::load(&args.inputs, &args.clang.flags, input::Environment::Model, terminal)?;
    let program = &loaded.program;
    let rows: Vec<Row> = input::functions(program)
        .filter(|f| !program.decl(*f).model && program.decl(*f).has_body)
        .map(|f| calls_of(program, f))
        .collect();
    match args.format {
        Format::Text => terminal.result(&listing(&rows)),
        Format::Json => {
            let listing = Listing { schema: blitz_report::SCHEMA, functions: rows };
            terminal.result(&serde_json::to_string_pretty(&listing).expect("a listing should be expressible in JSON"));
        }
    }
    Ok(Exit::Success)
}

fn calls_of(program: &Program, f: FuncId) -> Row {
    let mut direct = BTreeSet::new();
    let mut indirect = Vec::new();
    let body = program.body(f).expect("a function with a body should have one");
    for data in body.blocks.iter().flat_map(|b| &b.insts).map(|i| body.inst(*i)) {
        let Inst::Call(site) = &data.inst else { continue };
        match site.target {
            Target::Func(callee) => {
                direct.insert(program.decl(callee).name.clone());
            }
            Target::Pointer(_) => indirect.push(Indirect {
                file: if data.loc.is_known() { program.file(data.loc.file).to_owned() } else { String::new() },
                line: data.loc.line,
                column: data.loc.col,
                targets: targets(program, site),
            }),
        }
    }
    Row { function: program.decl(f).name.clone(), calls: direct.into_iter().collect(), indirect }
}

fn targets(program: &Program, site: &CallSite) -> Vec<String> {
    let fits = |f: &&blitz_ir::FuncDecl| f.address_taken && may_be_called_as(&f.signature, &site.signature);
    program.funcs.iter().filter(fits).map(|f| f.name.clone()).collect()
}

fn listing(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let calls = if row.calls.is_empty() { "nothing by name".to_owned() } else { row.calls.join(", ") };
        text.push_str(&format!("{}: {calls}\n", row.function));
        for call in &row.indirect {
            let targets =
                if call.targets.is_empty() { "no known function".to_owned() } else { call.targets.join(", ") };
            text.push_str(&format!("  through a pointer at {}:{}:{}: {targets}\n", call.file, call.line, call.column));
        }
    }
    text
}
