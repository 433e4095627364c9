//! `blitz loops`: the loops of the user's functions, by the ids that `--unwindset` takes.

use crate::args::{Format, LoopsArgs};
use crate::input;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_ir::{FuncId, LoopForest, LoopId, Program};
use serde::Serialize;

#[derive(Serialize)]
struct Row {
    id: String,
    function: String,
    file: String,
    line: u32,
    column: u32,
    depth: u32,
    irreducible: bool,
}

#[derive(Serialize)]
struct Listing {
    schema: u32,
    loops: Vec<Row>,
}

pub fn loops(args: &LoopsArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let loaded = input::load(&args.inputs, &args.clang.flags, input::Environment::Model, terminal)?;
    let program = &loaded.program;
    let rows: Vec<Row> =
        input::functions(program).filter(|f| !program.decl(*f).model).flat_map(|f| loops_of(program, f)).collect();
    match args.format {
        Format::Text => terminal.result(&table(&rows)),
        Format::Json => {
            let listing = Listing { schema: blitz_report::SCHEMA, loops: rows };
            terminal.result(&serde_json::to_string_pretty(&listing).expect("a listing should be expressible in JSON"));
        }
    }
    Ok(Exit::Success)
}

fn loops_of(program: &Program, f: FuncId) -> Vec<Row> {
    let Some(body) = program.body(f) else { return Vec::new() };
    let forest = LoopForest::new(body);
    let function = &program.decl(f).name;
    let row = |(i, info): (usize, &blitz_ir::LoopInfo)| Row {
        id: LoopId::new(i).name(function),
        function: function.clone(),
        file: if info.loc.is_known() { program.file(info.loc.file).to_owned() } else { String::new() },
        line: info.loc.line,
        column: info.loc.col,
        depth: info.depth,
        irreducible: info.irreducible,
    };
    forest.loops.iter().enumerate().map(row).collect()
}

fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|r| r.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for r in rows {
        let odd = if r.irreducible { ", entered in several places" } else { "" };
        text.push_str(&format!("{:width$}  {}:{}:{}  depth {}{odd}\n", r.id, r.file, r.line, r.column, r.depth));
    }
    let noun = if rows.len() == 1 { "loop" } else { "loops" };
    text.push_str(&format!("{} {noun}\n", rows.len()));
    text
}
