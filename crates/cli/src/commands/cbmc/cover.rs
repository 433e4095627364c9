//! `--cover location`: which blocks of the program some execution reaches, in CBMC's form.
//!
//! A goal is a block of the IR. Its lines are those of its instructions, so lines agree with CBMC's while numbers of blocks need not.

use super::options::Ui;
use super::output::{Printer, escaped, json_place, lines_text, xml_place};
use blitz_engines::{LocationCoverage, Reason};
use blitz_ir::{Block, FuncId, Program};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A block with its lines.
pub struct Goal {
    name: String,
    file: String,
    function: String,
    lines: BTreeSet<u32>,
    number: u32,
    reached: bool,
}

/// The goals: blocks that have lines of the user's.
pub fn goals(program: &Program, coverage: &LocationCoverage) -> Vec<Goal> {
    let mut counts: BTreeMap<FuncId, u32> = BTreeMap::new();
    let mut goals = Vec::new();
    for (&(func, block), &reached) in &coverage.blocks {
        let Some((file, lines)) = lines(program, func, block) else { continue };
        let number = counts.entry(func).and_modify(|n| *n += 1).or_insert(1);
        let function = program.decl(func).name.clone();
        goals.push(Goal {
            name: format!("{function}.coverage.{number}"),
            file,
            function,
            lines,
            number: *number,
            reached,
        });
    }
    goals
}

/// The file of a block, and the lines it has there; one block of another file's macros belongs to the file it begins in.
fn lines(program: &Program, func: FuncId, block: Block) -> Option<(String, BTreeSet<u32>)> {
    let body = program.body(func)?;
    let data = body.block(block);
    let locs = data.insts.iter().map(|i| body.inst(*i).loc).chain([data.loc]).filter(|l| l.is_known());
    let locs: Vec<_> = locs.collect();
    let file = locs.first()?.file;
    let lines = locs.iter().filter(|l| l.file == file && l.line != 0).map(|l| l.line).collect::<BTreeSet<u32>>();
    (!lines.is_empty()).then(|| (program.file(file).to_owned(), lines))
}

impl Goal {
    fn description(&self) -> String {
        format!("block {} (lines {}:{}:{})", self.number, self.file, self.function, lines_text(&self.lines))
    }

    fn first(&self) -> u32 {
        self.lines.first().copied().unwrap_or(0)
    }
}

/// Prints the goals and ends the output.
pub fn print(mut printer: Printer, goals: &[Goal], incomplete: Option<&Reason>) {
    if let Some(why) = incomplete {
        printer.warning(&format!("blocks that are not covered may be reached all the same: {why}"));
    }
    let covered = goals.iter().filter(|g| g.reached).count();
    match printer.ui() {
        Ui::Text => {
            println!("\n** coverage results:");
            for g in goals {
                let status = if g.reached { "SATISFIED" } else { "FAILED" };
                println!(
                    "[{}] file {} line {} function {} {}: {status}",
                    g.name,
                    g.file,
                    g.first(),
                    g.function,
                    g.description()
                );
            }
            println!();
        }
        Ui::Json => {
            let list: Vec<Value> = goals.iter().map(|g| json_goal(g, printer.directory())).collect();
            printer.json(json!({ "goals": list, "goalsCovered": covered, "totalGoals": goals.len() }));
        }
        Ui::Xml => goals.iter().for_each(|g| {
            let text = xml_goal(g, printer.directory());
            printer.xml(&text);
        }),
    }
    let share = if goals.is_empty() { 100.0 } else { 100.0 * covered as f64 / goals.len() as f64 };
    printer.status(&format!("** {covered} of {} covered ({share:.1}%)", goals.len()));
    printer.finish(None);
}

fn json_goal(g: &Goal, directory: &str) -> Value {
    json!({
        "goal": g.name,
        "description": g.description(),
        "sourceLocation": json_place(&g.file, &g.function, g.first(), directory),
        "basicBlockLines": { &g.file: { &g.function: lines_text(&g.lines) } },
        "status": if g.reached { "satisfied" } else { "failed" },
    })
}

fn xml_goal(g: &Goal, directory: &str) -> String {
    format!(
        "<goal description=\"{}\" id=\"{}\" status=\"{}\">\n  {}\n  <basic_block_lines>\n    <line file=\"{}\" function=\"{}\">{}</line>\n  </basic_block_lines>\n</goal>\n",
        escaped(&g.description()),
        escaped(&g.name),
        if g.reached { "SATISFIED" } else { "FAILED" },
        xml_place(&g.file, &g.function, g.first(), directory),
        escaped(&g.file),
        escaped(&g.function),
        lines_text(&g.lines)
    )
}
