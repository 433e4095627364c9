//! The execution tree as nested, collapsible lines of HTML, for the report's page or a page of its own.

use super::{ending, path_condition, place};
use crate::xml::escape;
use blitz_engines::Exploration;
use blitz_ir::Program;

/// Levels that are open when the page is.
const OPEN_LEVELS: usize = 6;

const STYLE: &str = "<style>\
#tree{font-family:monospace;padding:1rem;overflow:auto}#tree details{margin-left:1.2rem}\
#tree .leaf{margin-left:2.4rem}#tree .place{opacity:.6}#tree .violation,#tree .abort{color:#b00020;font-weight:bold}\
#tree .exit{color:#1b6e3c}#tree code{white-space:pre-wrap}</style>";

/// What the stack of the walk holds.
enum Step {
    Node(usize, usize),
    Close,
}

pub fn tree_html(program: &Program, exploration: &Exploration) -> String {
    let state = if exploration.complete { "complete" } else { "not complete" };
    let (paths, waiting) = (exploration.paths.len(), exploration.waiting);
    let mut out = format!(
        "{STYLE}<section id=\"tree\"><h2>Execution tree</h2><p>{paths} paths, {waiting} ways not followed, {state}</p>"
    );
    let mut open = vec![Step::Node(0, 0)];
    while let Some(step) = open.pop() {
        let Step::Node(n, depth) = step else {
            out.push_str("</details>");
            continue;
        };
        let node = &exploration.nodes[n];
        let condition = escape(node.condition.as_deref().unwrap_or("true"));
        if node.children.is_empty() {
            out.push_str(&leaf(program, exploration, n, &condition));
            continue;
        }
        let (function, at) = match &node.fork {
            Some((function, loc)) => (escape(function), place(program, *loc).unwrap_or_default()),
            None => (String::new(), String::new()),
        };
        let shown = if depth < OPEN_LEVELS { " open" } else { "" };
        out.push_str(&format!(
            "<details{shown}><summary><code>{condition}</code> <span class=\"place\">{function} {}</span></summary>",
            escape(&at)
        ));
        open.push(Step::Close);
        open.extend(node.children.iter().rev().map(|c| Step::Node(*c, depth + 1)));
    }
    out.push_str("</section>");
    out
}

fn leaf(program: &Program, exploration: &Exploration, n: usize, condition: &str) -> String {
    let Some(number) = exploration.nodes[n].path else {
        return format!("<div class=\"leaf\"><code>{condition}</code> <span class=\"place\">not followed</span></div>");
    };
    let path = &exploration.paths[number];
    let whole = path_condition(exploration, n).join(" && ");
    format!(
        "<div class=\"leaf\" title=\"{}\"><code>{condition}</code> <span class=\"{}\">{}</span> <span class=\"place\">test {}</span></div>",
        escape(&whole),
        path.end.name(),
        escape(&ending(program, path)),
        number + 1
    )
}

/// The report's page with the tree below it.
pub fn with_tree(page: &str, tree: &str) -> String {
    page.replacen("</body>", &format!("{tree}\n</body>"), 1)
}
