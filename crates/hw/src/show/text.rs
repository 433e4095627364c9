//! Traces as SMV prints them: state by state, only what changes, the loop marked.

use super::{RowKind, Table};
use std::fmt::Write;

/// The trace as text, with `-> State: 1.1 <-` above each state and `-- Loop starts here` before the state a lasso goes back to.
///
/// A lasso ends with the state its loop began with, as NuSMV shows it. Inputs belong to the step that leaves a state, and are shown below it; the
/// last state of a finite path is left by no step.
pub fn text(table: &Table) -> String {
    let mut out = String::new();
    let mut shown: Vec<Option<&str>> = vec![None; table.rows.len()];
    for at in 0..table.length {
        if table.loop_start == Some(at) {
            out.push_str("-- Loop starts here\n");
        }
        let _ = writeln!(out, "-> State: 1.{} <-", at + 1);
        for (row, shown) in table.rows.iter().zip(&mut shown).filter(|(row, _)| row.kind != RowKind::Input) {
            changed(&mut out, &row.name, &row.values[at], shown);
        }
        let left = at + 1 < table.length || table.loop_start.is_some();
        inputs(&mut out, table, &mut shown, at, left);
    }
    if let Some(start) = table.loop_start {
        let _ = writeln!(out, "-> State: 1.{} <-", table.length + 1);
        for (row, shown) in table.rows.iter().zip(&mut shown).filter(|(row, _)| row.kind != RowKind::Input) {
            changed(&mut out, &row.name, &row.values[start], shown);
        }
        let _ = writeln!(out, "-- State 1.{} is State 1.{} again", table.length + 1, start + 1);
    }
    out
}

fn changed<'a>(out: &mut String, name: &str, value: &'a str, shown: &mut Option<&'a str>) {
    if *shown != Some(value) {
        let _ = writeln!(out, "    {name} = {value}");
        *shown = Some(value);
    }
}

/// The inputs of a step; those of the last state too, if it has any that matter there.
fn inputs<'a>(out: &mut String, table: &'a Table, shown: &mut [Option<&'a str>], at: usize, left: bool) {
    let mut lines = String::new();
    for (row, shown) in table.rows.iter().zip(shown).filter(|(row, _)| row.kind == RowKind::Input) {
        changed(&mut lines, &row.name, &row.values[at], shown);
    }
    if !lines.is_empty() {
        let heading = if left { "Input" } else { "Input in the last state" };
        let _ = writeln!(out, "-> {heading}: 1.{} <-\n{}", at + 1, lines.trim_end_matches('\n'));
    }
}

#[cfg(test)]
mod tests {
    use super::super::Row;
    use super::*;

    #[test]
    fn changes_only_and_the_loop_is_marked() {
        let row = |name: &str, kind, values: &[&str]| Row {
            name: name.to_owned(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
            levels: None,
            kind,
        };
        let table = Table {
            rows: vec![
                row("x", RowKind::State, &["0", "1", "1"]),
                row("go", RowKind::Input, &["TRUE", "FALSE", "FALSE"]),
                row("top", RowKind::Derived, &["FALSE", "FALSE", "TRUE"]),
            ],
            length: 3,
            loop_start: Some(1),
        };
        let wanted = "\
-> State: 1.1 <-
    x = 0
    top = FALSE
-> Input: 1.1 <-
    go = TRUE
-- Loop starts here
-> State: 1.2 <-
    x = 1
-> Input: 1.2 <-
    go = FALSE
-> State: 1.3 <-
    top = TRUE
-> State: 1.4 <-
    top = FALSE
-- State 1.4 is State 1.2 again
";
        assert_eq!(text(&table), wanted);
    }
}
