//! The clauses of contracts, and what assigns and frees clauses name.

use super::super::tokens::{Token, closing, joined, parts, solid, stripped};

/// What a clause says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    Requires,
    Ensures,
    Assigns,
    Frees,
    Invariant,
    Decreases,
}

/// A clause: its word and its brackets.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    pub kind: Says,
    pub at: usize,
    pub open: usize,
    pub close: usize,
}

/// The clause that a word begins.
pub fn of_token(word: &str) -> Option<Says> {
    Some(match word {
        "__CPROVER_requires" => Says::Requires,
        "__CPROVER_ensures" => Says::Ensures,
        "__CPROVER_assigns" => Says::Assigns,
        "__CPROVER_frees" => Says::Frees,
        "__CPROVER_loop_invariant" => Says::Invariant,
        "__CPROVER_decreases" => Says::Decreases,
        _ => return None,
    })
}

/// Memory that an assigns clause names: under a condition, from an address on, so many bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub condition: String,
    pub address: String,
    pub size: String,
    /// As the user wrote it.
    pub text: String,
}

/// The targets of a clause: `condition : target, target; target, ...`.
pub fn targets(inside: &[Token<'_>]) -> Vec<Target> {
    let mut out = Vec::new();
    for group in parts(inside, ";") {
        let (condition, list) = match parts(group, ":").as_slice() {
            [condition, list] if parts(group, "?").len() == 1 => (joined(condition).trim().to_owned(), *list),
            _ => (String::new(), group),
        };
        let list = parts(list, ",");
        let named = list.into_iter().filter(|t| solid(t, 0).is_some());
        out.extend(named.map(|t| target(&condition, t)));
    }
    out
}

/// What a frees clause names.
pub fn freed(inside: &[Token<'_>]) -> Vec<Target> {
    let pointer = |t: Target| match t.address.strip_prefix("&(").and_then(|a| a.strip_suffix(')')) {
        Some(pointer) => Target { address: pointer.to_owned(), ..t },
        None => t,
    };
    targets(inside).into_iter().map(pointer).collect()
}

fn target(condition: &str, tokens: &[Token<'_>]) -> Target {
    let tokens = stripped(tokens);
    let text = joined(tokens).trim().to_owned();
    let (address, size) = slice(tokens).unwrap_or_else(|| (format!("&({text})"), format!("sizeof({text})")));
    Target { condition: condition.to_owned(), address, size, text }
}

/// `__CPROVER_object_whole(p)` and its kin.
fn slice(tokens: &[Token<'_>]) -> Option<(String, String)> {
    let open = solid(tokens, 1).filter(|&o| tokens[o].text == "(")?;
    let close = closing(tokens, open).filter(|&c| solid(tokens, c + 1).is_none())?;
    let inside = &tokens[open + 1..close];
    let arguments: Vec<String> = parts(inside, ",").into_iter().map(|a| joined(a).trim().to_owned()).collect();
    let whole = |p: &str| {
        let p = format!("(char *)({p})");
        (format!("({p} - __blitz_offset({p}))"), format!("__blitz_object_size({p})"))
    };
    match (tokens[0].text, arguments.as_slice()) {
        ("__CPROVER_object_whole" | "__CPROVER_POINTER_OBJECT", [p]) => Some(whole(p)),
        ("__CPROVER_object_from", [p]) => {
            Some((format!("({p})"), format!("(__blitz_object_size({p}) - (__SIZE_TYPE__)__blitz_offset({p}))")))
        }
        ("__CPROVER_object_upto" | "__CPROVER_assignable", [p, size, ..]) => {
            Some((format!("({p})"), format!("({size})")))
        }
        ("__CPROVER_typed_target", [target]) => Some((format!("&({target})"), format!("sizeof({target})"))),
        ("__CPROVER_freeable", [p]) => Some((format!("&({p})"), "0".to_owned())),
        _ => None,
    }
}
