//! `blitz callgraph`: who calls whom, and which functions a call through a pointer can mean.
//!
//! The points-to analysis says which; where it knows none (code that `main` does not reach, pointers that nobody in the
//! program sets), every function that fits the call and whose address is taken is listed, and the listing says so.

use crate::args::{CallgraphArgs, Format};
use crate::input;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_analysis::Analysis;
use blitz_ir::callgraph::may_be_called_as;
use blitz_ir::{CallSite, FuncId, Inst, InstId, Program, Target};
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
    /// How the targets are known: `points-to` or `type`.
    by: &'static str,
}

#[derive(Serialize)]
struct Listing {
    schema: u32,
    /// How many classes of memory the points-to analysis tells apart.
    regions: usize,
    functions: Vec<Row>,
}

pub fn callgraph(args: &CallgraphArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let loaded = input::load(&args.inputs, &args.clang.flags, input::Environment::Model, terminal)?;
    let program = &loaded.program;
    let analysis = Analysis::new(program, &entries(program));
    let rows: Vec<Row> = input::functions(program)
        .filter(|f| !program.decl(*f).model && program.decl(*f).has_body)
        .map(|f| calls_of(program, &analysis, f))
        .collect();
    match args.format {
        Format::Text => terminal.result(&listing(&rows, analysis.region_count())),
        Format::Json => {
            let listing = Listing { schema: blitz_report::SCHEMA, regions: analysis.region_count(), functions: rows };
            terminal.result(&serde_json::to_string_pretty(&listing).expect("a listing should be expressible in JSON"));
        }
    }
    Ok(Exit::Success)
}

/// The start code, which calls `main`; for a program without one, every function.
fn entries(program: &Program) -> Vec<FuncId> {
    match program.start() {
        Some(start) => vec![start],
        None => input::functions(program).filter(|f| program.decl(*f).has_body).collect(),
    }
}

fn calls_of(program: &Program, analysis: &Analysis, f: FuncId) -> Row {
    let mut direct = BTreeSet::new();
    let mut indirect = Vec::new();
    let body = program.body(f).expect("a function with a body should have one");
    for id in body.blocks.iter().flat_map(|b| &b.insts).copied() {
        let data = body.inst(id);
        let Inst::Call(site) = &data.inst else { continue };
        match site.target {
            Target::Func(callee) => {
                direct.insert(program.decl(callee).name.clone());
            }
            Target::Pointer(_) => {
                let (targets, by) = targets(program, analysis, (f, id), site);
                indirect.push(Indirect {
                    file: if data.loc.is_known() { program.file(data.loc.file).to_owned() } else { String::new() },
                    line: data.loc.line,
                    column: data.loc.col,
                    targets,
                    by,
                });
            }
        }
    }
    Row { function: program.decl(f).name.clone(), calls: direct.into_iter().collect(), indirect }
}

fn targets(
    program: &Program,
    analysis: &Analysis,
    call: (FuncId, InstId),
    site: &CallSite,
) -> (Vec<String>, &'static str) {
    let known: BTreeSet<FuncId> = analysis.targets(call.0, call.1).iter().copied().collect();
    if !known.is_empty() {
        return (known.into_iter().map(|f| program.decl(f).name.clone()).collect(), "points-to");
    }
    let fits = |f: &&blitz_ir::FuncDecl| f.address_taken && may_be_called_as(&f.signature, &site.signature);
    (program.funcs.iter().filter(fits).map(|f| f.name.clone()).collect(), "type")
}

fn listing(rows: &[Row], regions: usize) -> String {
    let mut text = String::new();
    for row in rows {
        let calls = if row.calls.is_empty() { "nothing by name".to_owned() } else { row.calls.join(", ") };
        text.push_str(&format!("{}: {calls}\n", row.function));
        for call in &row.indirect {
            let targets =
                if call.targets.is_empty() { "no known function".to_owned() } else { call.targets.join(", ") };
            let guess = if call.by == "type" { " (by type)" } else { "" };
            let place = format!("{}:{}:{}", call.file, call.line, call.column);
            text.push_str(&format!("  through a pointer at {place}{guess}: {targets}\n"));
        }
    }
    let indirect: usize = rows.iter().map(|r| r.indirect.len()).sum();
    text.push_str(&format!(
        "{} functions, {indirect} calls through pointers, {regions} classes of memory\n",
        rows.len()
    ));
    text
}
