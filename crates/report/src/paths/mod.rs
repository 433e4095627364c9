//! The paths of an exploration: the execution tree as text, JSON and HTML, and what paths went through as lcov and HTML.

mod covered;
mod html;
mod json;
mod lcov;
mod text;

pub use covered::coverage_html;
pub use html::{tree_html, with_tree};
pub use json::tree_json;
pub use lcov::{Coverage, coverage, lcov};
pub use text::tree_text;

use blitz_base::span::Loc;
use blitz_engines::{Exploration, PathReport};
use blitz_ir::Program;

/// The conditions from the root to a node, in order.
pub fn path_condition(exploration: &Exploration, node: usize) -> Vec<String> {
    let mut out = Vec::new();
    let mut next = Some(node);
    while let Some(n) = next {
        out.extend(exploration.nodes[n].condition.clone());
        next = exploration.nodes[n].parent;
    }
    out.reverse();
    out
}

/// How a path ended, in a few words.
pub fn ending(program: &Program, path: &PathReport) -> String {
    let mut out = path.end.name().to_owned();
    if let Some(status) = path.status.as_ref().filter(|s| *s != "0" || path.result.is_none()) {
        out.push_str(&format!(" {status}"));
    }
    if let Some(result) = &path.result {
        out.push_str(&format!(", returns {result}"));
    }
    if let Some(place) = place(program, path.loc).filter(|_| path.end != blitz_engines::Ending::Exit) {
        out.push_str(&format!(" at {place}"));
    }
    out
}

fn place(program: &Program, loc: Loc) -> Option<String> {
    (loc.line > 0).then(|| {
        let file = program.file(loc.file);
        format!("{}:{}", file.rsplit('/').next().unwrap_or(file), loc.line)
    })
}
