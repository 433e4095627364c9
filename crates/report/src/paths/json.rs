//! The execution tree as JSON: nodes by number, the root first.

use super::place;
use blitz_engines::Exploration;
use blitz_ir::Program;
use serde_json::{Value, json};

pub fn tree_json(program: &Program, exploration: &Exploration) -> String {
    let nodes: Vec<Value> = exploration.nodes.iter().enumerate().map(|(n, _)| node(program, exploration, n)).collect();
    let (covered, blocks) = (exploration.covered.len(), exploration.blocks.len());
    let all = json!({
        "version": 1,
        "complete": exploration.complete,
        "paths": exploration.paths.len(),
        "waiting": exploration.waiting,
        "forks": exploration.forks,
        "questions": {"asked": exploration.questions, "solved": exploration.solved},
        "blocks": {"covered": covered, "all": blocks},
        "diverged": exploration.diverged,
        "nodes": nodes,
    });
    serde_json::to_string_pretty(&all).expect("a tree should be plain data")
}

fn node(program: &Program, exploration: &Exploration, n: usize) -> Value {
    let node = &exploration.nodes[n];
    let mut out = json!({"id": n});
    let mut put = |key: &str, value: Value| out[key] = value;
    if let Some(parent) = node.parent {
        put("parent", json!(parent));
    }
    if let Some(condition) = &node.condition {
        put("condition", json!(condition));
    }
    if let Some((function, loc)) = &node.fork {
        put("function", json!(function));
        put("place", json!(place(program, *loc)));
        put("children", json!(node.children));
    }
    if let Some(path) = node.path.map(|p| &exploration.paths[p]) {
        put("end", json!(path.end.name()));
        put("place", json!(place(program, path.loc)));
        put("test", json!(node.path.map(|p| p + 1)));
        put("decisions", json!(path.decisions));
        put("as_predicted", json!(path.as_predicted));
        if let Some(result) = &path.result {
            put("result", json!(result));
        }
        if let Some(status) = &path.status {
            put("status", json!(status));
        }
    }
    out
}
