//! The execution tree as lines, two spaces a level.

use super::{ending, place};
use blitz_engines::Exploration;
use blitz_ir::Program;

pub fn tree_text(program: &Program, exploration: &Exploration) -> String {
    let mut out = String::new();
    let mut open = vec![(0usize, 0usize)];
    while let Some((n, depth)) = open.pop() {
        let node = &exploration.nodes[n];
        let indent = "  ".repeat(depth);
        let condition = node.condition.as_deref().unwrap_or("true");
        let what = match (&node.fork, node.path) {
            (_, Some(path)) => format!(": {}", ending(program, &exploration.paths[path])),
            (Some((function, loc)), None) => match place(program, *loc) {
                Some(place) => format!("  ({function}, {place})"),
                None => format!("  ({function})"),
            },
            (None, None) => ": not followed to its end".to_owned(),
        };
        out.push_str(&format!("{indent}{condition}{what}\n"));
        open.extend(node.children.iter().rev().map(|c| (*c, depth + 1)));
    }
    out
}
