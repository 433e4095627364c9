//! `blitz properties`: every check of the user's functions, with its id and place.

use crate::args::{Format, PropertiesArgs};
use crate::input;
use crate::terminal::Terminal;
use crate::{Exit, Fault};
use blitz_ir::{Program, Property};
use serde::Serialize;

#[derive(Serialize)]
struct Row {
    id: String,
    kind: &'static str,
    file: String,
    line: u32,
    column: u32,
    function: String,
    text: String,
}

#[derive(Serialize)]
struct Listing {
    schema: u32,
    properties: Vec<Row>,
}

pub fn properties(args: &PropertiesArgs, terminal: &Terminal) -> Result<Exit, Fault> {
    let loaded = input::load(&args.inputs, &args.clang.flags, input::Environment::Model, terminal)?;
    let rows = rows(&loaded.program);
    match args.format {
        Format::Text => terminal.result(&table(&rows)),
        Format::Json => {
            let listing = Listing { schema: blitz_report::SCHEMA, properties: rows };
            terminal.result(&serde_json::to_string_pretty(&listing).expect("a listing should be expressible in JSON"));
        }
    }
    Ok(Exit::Success)
}

/// The properties of the user's functions, by place.
fn rows(program: &Program) -> Vec<Row> {
    program.fix_properties();
    let mut all: Vec<Property> =
        program.properties().into_iter().map(|(_, p)| p).filter(|p| !program.decl(p.func).model).collect();
    all.sort_by_key(|p| (p.func, p.loc));
    all.into_iter().map(|p| row(program, p)).collect()
}

fn row(program: &Program, p: Property) -> Row {
    Row {
        kind: p.kind.name(),
        file: if p.loc.is_known() { program.file(p.loc.file).to_owned() } else { String::new() },
        line: p.loc.line,
        column: p.loc.col,
        function: program.decl(p.func).name.clone(),
        text: p.text,
        id: p.name,
    }
}

fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|r| r.id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for r in rows {
        text.push_str(&format!("{:width$}  {}:{}:{}  {}\n", r.id, r.file, r.line, r.column, r.text));
    }
    let noun = if rows.len() == 1 { "property" } else { "properties" };
    text.push_str(&format!("{} {noun}\n", rows.len()));
    text
}
