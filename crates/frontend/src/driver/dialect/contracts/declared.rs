//! The functions that a preprocessed text declares or defines, with their contracts.
//!
//! Absent: old style parameter lists, several declarators in one declaration.

use super::super::tokens::{Kind, Token, closing, solid, solid_before};
use super::clause::{Clause, of_token};

/// A prototype or a definition.
pub struct Declared<'t> {
    pub name: &'t str,
    /// Where it begins, its name, its parameters' brackets, and the first token behind all of it.
    pub start: usize,
    pub name_at: usize,
    pub open: usize,
    pub close: usize,
    pub end: usize,
    pub clauses: Vec<Clause>,
    /// Its braces, where it is a definition.
    pub body: Option<(usize, usize)>,
}

/// All of them, as they stand.
pub fn all<'t>(tokens: &[Token<'t>]) -> Vec<Declared<'t>> {
    let mut out = Vec::new();
    let (mut at, mut start) = (0, 0);
    while let Some(i) = solid(tokens, at) {
        at = i + 1;
        match tokens[i].text {
            ";" => {
                out.extend(declared(tokens, start, i, None));
                start = at;
            }
            "{" => {
                let end = closing(tokens, i).unwrap_or(tokens.len() - 1);
                at = end + 1;
                if let Some(found) = declared(tokens, start, i, Some((i, end))) {
                    out.push(found);
                    start = at;
                }
            }
            "(" | "[" if tokens[i].kind == Kind::Sign => at = closing(tokens, i).map_or(tokens.len(), |e| e + 1),
            _ => {}
        }
    }
    out
}

/// The function that the tokens from `start` to `end` declare.
fn declared<'t>(tokens: &[Token<'t>], start: usize, end: usize, body: Option<(usize, usize)>) -> Option<Declared<'t>> {
    let mut at = start;
    let (name_at, open) = loop {
        let i = solid(tokens, at).filter(|&i| i < end)?;
        match tokens[i].text {
            "=" | "typedef" => return None,
            "(" => {
                let before = solid_before(tokens, i).filter(|&b| b >= start)?;
                let word = tokens[before];
                if word.kind != Kind::Word {
                    return None;
                }
                if !is_no_name(word.text) {
                    break (before, i);
                }
                at = closing(tokens, i)? + 1;
            }
            // What a struct is made of.
            "{" | "[" => at = closing(tokens, i)? + 1,
            _ => at = i + 1,
        }
    };
    let close = closing(tokens, open).filter(|&c| c < end)?;
    let clauses = clauses(tokens, close + 1, end);
    let end = body.map_or(end, |(_, close)| close) + 1;
    Some(Declared { name: tokens[name_at].text, start, name_at, open, close, end, clauses, body })
}

/// Words that brackets may follow in front of a function's name.
fn is_no_name(word: &str) -> bool {
    word.starts_with("__attribute") || matches!(word, "__declspec" | "_Alignas" | "__typeof__" | "typeof" | "__asm__")
}

/// The clauses between two tokens.
pub fn clauses(tokens: &[Token<'_>], from: usize, to: usize) -> Vec<Clause> {
    let mut out = Vec::new();
    let mut at = from;
    while let Some(i) = solid(tokens, at).filter(|&i| i < to) {
        at = i + 1;
        let Some(open) = solid(tokens, at).filter(|&o| o < to && tokens[o].text == "(") else { continue };
        let Some(close) = closing(tokens, open) else { break };
        out.extend(of_token(tokens[i].text).map(|kind| Clause { kind, at: i, open, close }));
        at = close + 1;
    }
    out
}
