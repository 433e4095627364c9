//! Traces as a page with a drawn waveform: one row per signal, bits as levels, words as boxes, changes highlighted, the loop marked.
//!
//! The page is one file without scripts from elsewhere, light or dark as the reader's system is.
//! Invariant: everything that comes from a model is escaped.

use super::{Row, RowKind, Table, signals_of, table};
use crate::answer::Status;
use crate::check::Outcome;
use crate::text;
use crate::ts::Ts;
use std::fmt::Write;

/// A property's part of a page.
pub struct Section<'a> {
    /// Name and text of the property.
    pub title: String,
    /// What was found out, in a sentence.
    pub status: String,
    /// `violated`, `proved`, `bounded` or `unknown`: decides the colour.
    pub class: &'static str,
    pub trace: Option<&'a Table>,
}

/// Width of a step and height of a row, in pixels.
const STEP: usize = 76;
const ROW: usize = 30;
/// Room for names, and above the first row for the numbers of steps.
const TOP: usize = 26;
/// Steps beyond these are left out of the drawing, and said to be.
const MAX_STEPS: usize = 2000;
/// Rows likewise.
const MAX_ROWS: usize = 500;

/// The answer as a page, with the waveform of each counterexample.
pub fn outcome(ts: &Ts, outcome: &Outcome, heading: &str) -> String {
    let signals = signals_of(ts);
    let tables: Vec<Option<Table>> = outcome
        .results
        .iter()
        .map(|result| match &result.status {
            Status::Violated(violation) => Some(table(ts, &signals, violation.trace())),
            Status::Proved(_) | Status::HoldsUpTo(_) | Status::Unknown { .. } => None,
        })
        .collect();
    let sections: Vec<Section<'_>> = outcome
        .results
        .iter()
        .zip(&tables)
        .map(|(result, table)| Section {
            title: text::title(ts, result),
            status: text::status(ts, result),
            class: result.status.name(),
            trace: table.as_ref(),
        })
        .collect();
    page(heading, outcome.verdict.name(), &sections)
}

/// A page.
pub fn page(heading: &str, verdict: &str, sections: &[Section<'_>]) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title} <span class=\"verdict {verdict}\">{verdict}</span></h1>\n",
        title = escaped(heading),
        verdict = escaped(verdict),
    );
    for section in sections {
        let _ = write!(
            out,
            "<section>\n<h2><span class=\"dot {}\"></span>{}</h2>\n<p>{}</p>\n",
            section.class,
            escaped(&section.title),
            escaped(&section.status)
        );
        if let Some(table) = section.trace {
            out.push_str(&waveform(table));
        }
        out.push_str("</section>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// The drawing of a trace.
pub fn waveform(table: &Table) -> String {
    let steps = table.length.min(MAX_STEPS);
    let rows = &table.rows[..table.rows.len().min(MAX_ROWS)];
    let names = name_width(rows);
    let width = names + steps * STEP + 70;
    let height = TOP + rows.len() * ROW + if table.loop_start.is_some() { 34 } else { 10 };
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<div class=\"wave\"><svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"waveform of {} signals over {} steps\">",
        rows.len(),
        table.length
    );
    grid(&mut out, table, steps, names, rows.len());
    for (i, row) in rows.iter().enumerate() {
        draw_row(&mut out, row, i, steps, names, table.loop_start);
    }
    loop_arrow(&mut out, table, steps, names, rows.len());
    out.push_str("</svg></div>\n");
    left_out(&mut out, table);
    out
}

fn name_width(rows: &[Row]) -> usize {
    let longest = rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
    20 + 8 * longest.min(40)
}

fn left_out(out: &mut String, table: &Table) {
    if table.length > MAX_STEPS || table.rows.len() > MAX_ROWS {
        let _ = writeln!(
            out,
            "<p class=\"note\">Drawn are the first {} of {} steps and {} of {} signals; the text and the witness have all.</p>",
            table.length.min(MAX_STEPS),
            table.length,
            table.rows.len().min(MAX_ROWS),
            table.rows.len()
        );
    }
}

/// Numbers of steps, lines between them, and the loop's background.
fn grid(out: &mut String, table: &Table, steps: usize, names: usize, rows: usize) {
    let bottom = TOP + rows * ROW;
    if let Some(start) = table.loop_start.filter(|s| *s < steps) {
        let _ = writeln!(
            out,
            "<rect class=\"loop\" x=\"{}\" y=\"4\" width=\"{}\" height=\"{}\"><title>the loop</title></rect>",
            names + start * STEP,
            (steps - start) * STEP,
            bottom - 4
        );
    }
    for step in 0..steps {
        let x = names + step * STEP;
        let _ = writeln!(out, "<line class=\"grid\" x1=\"{x}\" y1=\"{TOP}\" x2=\"{x}\" y2=\"{bottom}\"/>");
        let _ = writeln!(out, "<text class=\"step\" x=\"{}\" y=\"18\">{step}</text>", x + STEP / 2);
    }
}

fn draw_row(out: &mut String, row: &Row, index: usize, steps: usize, names: usize, loop_start: Option<usize>) {
    let y = TOP + index * ROW;
    let kind = match row.kind {
        RowKind::State => "state",
        RowKind::Input => "input",
        RowKind::Derived => "derived",
    };
    let title = escaped(&row.name);
    let _ = writeln!(
        out,
        "<text class=\"name {kind}\" x=\"{}\" y=\"{}\">{}<title>{title} ({kind})</title></text>",
        names - 10,
        y + ROW / 2 + 5,
        escaped(&shortened(&row.name, 40))
    );
    match &row.levels {
        Some(levels) => draw_bit(out, &row.name, &levels[..steps], names, y),
        None => draw_word(out, row, steps, names, y),
    }
    // Where the loop goes back to another value than the last one, that is a change too.
    let again = loop_start.filter(|&start| steps == row.values.len() && row.values[start] != row.values[steps - 1]);
    if again.is_some() && row.kind != RowKind::Input {
        let x = names + steps * STEP;
        let _ = writeln!(out, "<line class=\"edge\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{}\"/>", y + 6, y + ROW - 6);
    }
}

/// Levels, with each edge highlighted.
fn draw_bit(out: &mut String, name: &str, levels: &[bool], names: usize, y: usize) {
    let (high, low) = (y + 6, y + ROW - 6);
    let level = |bit: bool| if bit { high } else { low };
    let mut path = String::new();
    for (step, &bit) in levels.iter().enumerate() {
        let (x, y) = (names + step * STEP, level(bit));
        let _ = write!(path, "{} {x} {y} H {} ", if step == 0 { "M" } else { "L" }, x + STEP);
        if bit {
            let _ = writeln!(
                out,
                "<rect class=\"high\" x=\"{x}\" y=\"{high}\" width=\"{STEP}\" height=\"{}\"/>",
                low - high
            );
        }
    }
    let _ = writeln!(out, "<path class=\"wire\" d=\"{}\"><title>{}</title></path>", path.trim_end(), escaped(name));
    for step in (1..levels.len()).filter(|&s| levels[s] != levels[s - 1]) {
        let x = names + step * STEP;
        let _ = writeln!(out, "<line class=\"edge\" x1=\"{x}\" y1=\"{high}\" x2=\"{x}\" y2=\"{low}\"/>");
    }
}

/// Boxes of equal values, with each change highlighted.
fn draw_word(out: &mut String, row: &Row, steps: usize, names: usize, y: usize) {
    let mut start = 0;
    while start < steps {
        let same = (start..steps).take_while(|&s| row.values[s] == row.values[start]).count();
        let (x, width) = (names + start * STEP, same * STEP);
        let changed = if start > 0 { " changed" } else { "" };
        let fits = (width / 8).saturating_sub(1).max(2);
        let value = &row.values[start];
        let _ = writeln!(
            out,
            "<rect class=\"box{changed}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"><title>{} = {}</title></rect>\
             <text class=\"value{changed}\" x=\"{}\" y=\"{}\">{}</text>",
            x + 1,
            y + 5,
            width - 2,
            ROW - 10,
            escaped(&row.name),
            escaped(value),
            x + width / 2,
            y + ROW / 2 + 5,
            escaped(&shortened(value, fits)),
        );
        start += same;
    }
}

fn loop_arrow(out: &mut String, table: &Table, steps: usize, names: usize, rows: usize) {
    let Some(start) = table.loop_start.filter(|s| *s < steps && steps == table.length) else { return };
    let (from, to) = (names + steps * STEP - STEP / 2, names + start * STEP + STEP / 2);
    let y = TOP + rows * ROW;
    let _ = writeln!(
        out,
        "<path class=\"back\" d=\"M {from} {} v 14 H {to} v -10\"/><path class=\"tip\" d=\"M {} {} l 5 -8 l 5 8 z\"/>\
         <text class=\"again\" x=\"{}\" y=\"{}\">loop</text>",
        y + 4,
        to - 5,
        y + 12,
        from.min(names + steps * STEP) + 8,
        y + 24
    );
}

fn shortened(text: &str, most: usize) -> String {
    match text.chars().count() <= most {
        true => text.to_owned(),
        false => text.chars().take(most.saturating_sub(1)).chain(['…']).collect(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const STYLE: &str = "\
:root { color-scheme: light dark; --bg: #fff; --fg: #1d2330; --dim: #667085; --line: #e4e7ec; --wire: #2563a8; --high: #2563a81f; --box: #f2f5f9;
  --edge: #d9480f; --loop: #7048e81c; --loopline: #7048e8; --ok: #2b8a3e; --bad: #c92a2a; --warn: #b7791f; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #14181f; --fg: #e6e9ef; --dim: #98a2b3; --line: #2a313d; --wire: #6cb0f5; --high: #6cb0f52b; --box: #1f2631; --edge: #ff9248;
    --loop: #9775fa26; --loopline: #b197fc; --ok: #69db7c; --bad: #ff8787; --warn: #f0c060; } }
body { background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; font-weight: 600; margin-bottom: .2rem; overflow-wrap: anywhere; }
p { margin: .2rem 0 .8rem; color: var(--dim); }
section { border-top: 1px solid var(--line); padding: .4rem 0 1rem; }
.verdict { font-size: .85rem; font-weight: 600; border: 1px solid currentColor; border-radius: 999px; padding: .1rem .7rem; vertical-align: middle; }
.verdict.safe, .dot.proved { color: var(--ok); } .verdict.violation, .dot.violated { color: var(--bad); }
.verdict.bounded, .verdict.unknown, .dot.bounded, .dot.unknown { color: var(--warn); }
.dot { display: inline-block; width: .65em; height: .65em; border-radius: 50%; background: currentColor; margin-right: .5em; }
.wave { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; padding: 4px; }
svg text { font: 13px ui-monospace, monospace; fill: var(--fg); }
svg .name { text-anchor: end; } svg .name.input { fill: var(--wire); } svg .name.derived { fill: var(--dim); font-style: italic; }
svg .step, svg .value, svg .again { text-anchor: middle; } svg .step { fill: var(--dim); font-size: 11px; }
svg .grid { stroke: var(--line); } svg .wire { fill: none; stroke: var(--wire); stroke-width: 2; stroke-linejoin: round; }
svg .high { fill: var(--high); } svg .edge { stroke: var(--edge); stroke-width: 2.5; }
svg .box { fill: var(--box); stroke: var(--wire); } svg .box.changed { stroke: var(--edge); stroke-width: 1.6; }
svg .value.changed { fill: var(--edge); font-weight: 600; }
svg .loop { fill: var(--loop); stroke: var(--loopline); stroke-dasharray: 4 3; }
svg .back { fill: none; stroke: var(--loopline); stroke-width: 1.8; } svg .tip, svg .again { fill: var(--loopline); } svg .again { text-anchor: start; font-size: 11px; }
.note { font-size: .85rem; }
";

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let row = |name: &str, values: &[&str], levels: Option<Vec<bool>>| Row {
            name: name.to_owned(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
            levels,
            kind: RowKind::State,
        };
        Table {
            rows: vec![
                row("a<b", &["0", "1", "1"], Some(vec![false, true, true])),
                row("count", &["7", "7", "8"], None),
            ],
            length: 3,
            loop_start: Some(1),
        }
    }

    #[test]
    fn names_are_escaped_changes_and_loops_are_drawn() {
        let table = table();
        let section = Section {
            title: "p0 (a & b)".to_owned(),
            status: "violated".to_owned(),
            class: "violated",
            trace: Some(&table),
        };
        let page = page("m.smv", "violation", &[section]);
        for wanted in ["a&lt;b", "a &amp; b", "class=\"edge\"", "class=\"box changed\"", "class=\"loop\"", "count = 8"]
        {
            assert!(page.contains(wanted), "{wanted}");
        }
        assert!(!page.contains("a<b"), "a name should be escaped");
    }
}
