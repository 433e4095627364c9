//! Tables that `cbmc-viewer` asks for: the symbols of a goto binary, and the functions that its entry reaches.

use super::{goto::Goto, options::Options, words};
use crate::{Exit, Fault};
use blitz_ir::callgraph::CallGraph;
use blitz_ir::{FuncId, Program};
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `cbmc --show-symbol-table`: functions and globals of the user's, with the place of their definition.
pub fn symbols(program: &Program) {
    println!("\nSymbols:\n");
    let place = |loc: blitz_base::span::Loc| match loc.is_known() {
        true => format!("file {} line {}", program.file(loc.file), loc.line),
        false => String::new(),
    };
    let funcs = program.funcs.iter().filter(|f| !f.model).map(|f| (&f.name, place(f.loc), f.signature.to_string()));
    let globals = program
        .globals
        .iter()
        .filter(|g| !g.model && !g.name.starts_with('.'))
        .map(|g| (&g.name, place(g.loc), g.ty.clone()));
    for (name, place, ty) in funcs.chain(globals) {
        println!(
            "Symbol......: {name}\nPretty name.: {name}\nModule......: \nBase name...: {name}\nMode........: C\nType........: {ty}\nValue.......: \nFlags.......:\nLocation....: {place}\n"
        );
    }
}

/// `blitz goto-analyzer --reachable-functions`: the one analysis that reports of proofs are made from.
pub fn goto_analyzer(args: &[OsString]) -> Result<Exit, Fault> {
    let words = words(args);
    let (mut asked, mut json_file, mut files) = (false, None, Vec::new());
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        match word {
            "--reachable-functions" => asked = true,
            "--json" => json_file = Some(PathBuf::from(rest.next().ok_or_else(|| super::needs_value(word))?)),
            "--version" => {
                println!("{}", super::VERSION);
                return Ok(Exit::Success);
            }
            "--verbosity" => drop(rest.next()),
            _ if word.starts_with('-') => return Err(super::not_understood("goto-analyzer", word)),
            _ => files.push(PathBuf::from(word)),
        }
    }
    let [file] = files.as_slice() else { return Err(Fault::new("goto-analyzer: name one goto binary")) };
    if !asked {
        return Err(Fault::new("goto-analyzer: only --reachable-functions is understood (docs/from-cbmc.md)"));
    }
    let goto = Goto::read(file)?;
    let program = super::check::load(&goto, &Options::parse(&[])?)?;
    let rows: Vec<serde_json::Value> = reachable(&program)
        .into_iter()
        .map(|f| {
            let decl = program.decl(f);
            let (first, last) = lines(&program, f);
            let path = goto.units.first().map_or(PathBuf::new(), |u| u.directory.clone());
            let path = path.join(program.file(decl.loc.file));
            json!({ "file": path.display().to_string(), "firstLine": first, "function": decl.name, "lastLine": last })
        })
        .collect();
    let text = serde_json::to_string_pretty(&rows).expect("a table should be expressible in JSON");
    match json_file.as_deref() {
        Some(file) if file != Path::new("-") => {
            std::fs::write(file, text + "\n")
                .map_err(|e| Fault::new(format!("{} can't be written: {e}", file.display())))?;
        }
        _ => println!("{text}"),
    }
    Ok(Exit::Success)
}

/// The user's functions with a body that calls from the entry may lead to.
fn reachable(program: &Program) -> Vec<FuncId> {
    let Some(start) = program.start() else { return Vec::new() };
    let users = |f: &FuncId| {
        let decl = program.decl(*f);
        !decl.model && decl.has_body && decl.loc.is_known()
    };
    CallGraph::new(program, &[start]).funcs().iter().copied().filter(users).collect()
}

/// The first and the last line of a function.
fn lines(program: &Program, f: FuncId) -> (u32, u32) {
    let decl = program.decl(f);
    let insts = program.body(f).into_iter().flat_map(|b| b.insts.iter());
    let last = insts.filter(|i| i.loc.file == decl.loc.file).map(|i| i.loc.line).max();
    (decl.loc.line, last.unwrap_or(decl.loc.line).max(decl.loc.line))
}
