//! `__CPROVER_ASYNC_1: statement`: to CBMC such a label starts a thread that runs the statement.
//!
//! The statement becomes a block of clang's (`-fblocks`), given to a library model that runs it in a thread. As in CBMC the thread has its own copies of
//! all local variables around it, made when it starts; what pointed to them before still points to those of the function.
//! A statement that leaves itself (`return`, `goto`) or has such a label inside stays as it is, and the answer names the label (`harness`).

use super::marks::end_of_statement;
use super::tokens::{Kind, Token, closing, solid, solid_before, split};
use std::collections::BTreeSet;

/// What such labels begin with.
pub(super) const PREFIX: &str = "__CPROVER_ASYNC_";

/// Words that begin no declaration.
const NO_TYPE: &[&str] = &[
    "return", "goto", "else", "do", "case", "default", "break", "continue", "sizeof", "if", "while", "switch", "for",
    "typedef", "static", "extern",
];

/// A text in which such statements are given to threads.
pub(super) fn in_c(text: &str) -> String {
    let tokens = split(text);
    let mut out = String::new();
    let mut at = 0;
    // Functions' bodies, one after the other.
    while at < tokens.len() {
        let end = match tokens[at].text {
            "{" if tokens[at].kind == Kind::Sign => closing(&tokens, at),
            _ => None,
        };
        match end {
            Some(end) => {
                out.push_str(&body(&tokens, at, end));
                at = end + 1;
            }
            None => {
                out.push_str(tokens[at].text);
                at += 1;
            }
        }
    }
    out
}

/// A body from its bracket to the closing one.
fn body(tokens: &[Token<'_>], open: usize, end: usize) -> String {
    let mut out = String::new();
    let mut at = open;
    while at <= end {
        match thread_at(tokens, at, (open, end)) {
            Some((text, after)) => {
                out.push_str(&text);
                at = after;
            }
            None => {
                out.push_str(tokens[at].text);
                at += 1;
            }
        }
    }
    out
}

/// The thread that a label at this place starts, and where the text goes on.
fn thread_at(tokens: &[Token<'_>], at: usize, (open, end): (usize, usize)) -> Option<(String, usize)> {
    let number = tokens[at].text.strip_prefix(PREFIX)?;
    let colon = solid(tokens, at + 1).filter(|&c| tokens[c].text == ":")?;
    let after = end_of_statement(&tokens[..end], colon + 1);
    let statement = &tokens[colon + 1..after];
    let stays =
        |t: &Token<'_>| t.kind == Kind::Word && !matches!(t.text, "return" | "goto") && !t.text.starts_with(PREFIX);
    if !statement.iter().all(|t| t.kind != Kind::Word || stays(t)) {
        return None;
    }
    let locals = locals_at(tokens, open, at);
    let used: BTreeSet<&str> = words(statement).filter(|w| locals.contains(w)).collect();
    let (mut outside, mut inside) = (String::new(), String::new());
    for name in &used {
        // In a struct, so that arrays are copied as well.
        outside.push_str(&format!(
            "struct __blitz_local_{name} {{ __typeof__({name}) v; }} __blitz_of_{name}; \
             __builtin_memcpy(&__blitz_of_{name}, &{name}, sizeof {name}); "
        ));
        inside.push_str(&format!("struct __blitz_local_{name} __blitz_own_{name} = __blitz_of_{name}; "));
    }
    let renamed = renamed(statement, &used);
    Some((format!("__blitz_label_{number}: {{ {outside}__blitz_start_block(^{{ {inside}{renamed} }}); }}"), after))
}

/// Words that are no members.
fn words<'t>(tokens: &[Token<'t>]) -> impl Iterator<Item = &'t str> {
    (0..tokens.len()).filter(|&i| names_a_variable(tokens, i)).map(|i| tokens[i].text)
}

fn names_a_variable(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[at].kind == Kind::Word && !solid_before(tokens, at).is_some_and(|b| matches!(tokens[b].text, "." | "->"))
}

fn renamed(statement: &[Token<'_>], used: &BTreeSet<&str>) -> String {
    let mut out = String::new();
    for (i, token) in statement.iter().enumerate() {
        match used.contains(token.text) && names_a_variable(statement, i) {
            true => out.push_str(&format!("__blitz_own_{}.v", token.text)),
            false => out.push_str(token.text),
        }
    }
    out
}

/// The local variables that are known at a place of a body: parameters, and what blocks around it have declared before it.
fn locals_at<'t>(tokens: &[Token<'t>], open: usize, at: usize) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::new();
    if let Some(head) = parameters(tokens, open) {
        found.extend(head.split(|t| t.text == ",").filter_map(|p| declared(p).into_iter().next_back()));
    }
    let mut start = open + 1;
    let mut i = start;
    while i < at {
        match tokens[i].text {
            // A block that is closed before the place has its variables to itself; one that is not begins anew.
            "{" => match closing(tokens, i).filter(|&end| end < at) {
                Some(end) => i = end,
                None => start = i + 1,
            },
            "(" if start <= i && solid_before(tokens, i).is_some_and(|b| tokens[b].text == "for") => start = i + 1,
            ";" => {
                found.extend(declared(&tokens[start..i]));
                start = i + 1;
            }
            "}" => start = i + 1,
            _ => {}
        }
        i += 1;
    }
    found
}

/// The parameters of the function whose body opens here.
fn parameters<'a, 't>(tokens: &'a [Token<'t>], open: usize) -> Option<&'a [Token<'t>]> {
    let last = solid_before(tokens, open).filter(|&l| tokens[l].text == ")")?;
    let mut depth = 0usize;
    for i in (0..=last).rev() {
        match tokens[i].text {
            ")" => depth += 1,
            "(" => {
                depth -= 1;
                if depth == 0 {
                    return Some(&tokens[i + 1..last]);
                }
            }
            _ => {}
        }
    }
    None
}

/// The names that a declaration without its semicolon declares as local variables; none where it is something else.
fn declared<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let mut out = Vec::new();
    let mut words = 0;
    let mut at = 0;
    while let Some(i) = solid(tokens, at) {
        let text = tokens[i].text;
        let next = solid(tokens, i + 1).map_or(";", |n| tokens[n].text);
        at = i + 1;
        match tokens[i].kind {
            Kind::Word if NO_TYPE.contains(&text) => return Vec::new(),
            Kind::Word if words > 0 && matches!(next, ";" | "=" | "," | "[") => {
                out.push(text);
                // The next name comes after a comma outside of all brackets.
                match end_of_declarator(tokens, at) {
                    Some(comma) => at = comma + 1,
                    None => return out,
                }
            }
            Kind::Word => words += 1,
            Kind::Sign if text == "*" => {}
            // `struct s { ... } x` and `enum`.
            Kind::Sign if text == "{" => at = closing(tokens, i).map_or(tokens.len(), |end| end + 1),
            _ => return out,
        }
    }
    out
}

fn end_of_declarator(tokens: &[Token<'_>], from: usize) -> Option<usize> {
    let mut at = from;
    while at < tokens.len() {
        match tokens[at].text {
            "," => return Some(at),
            "(" | "[" | "{" => at = closing(tokens, at)?,
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(text: &str) -> String {
        in_c(text).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_statement_becomes_a_block() {
        let text = dense("int main() {\n__CPROVER_ASYNC_1:\n f();\n g(); }");
        assert_eq!(text, "int main() { __blitz_label_1: { __blitz_start_block(^{ f(); }); } g(); }");
    }

    #[test]
    fn local_variables_are_copied() {
        let text = dense("void g(int n) { int a = 0, b[2]; p = &a; __CPROVER_ASYNC_1: f(n, &a, b, c, d.n); }");
        assert!(text.contains("struct __blitz_local_n { __typeof__(n) v; } __blitz_of_n;"), "{text}");
        assert!(text.contains("struct __blitz_local_n __blitz_own_n = __blitz_of_n;"), "{text}");
        assert!(text.contains("f(__blitz_own_n.v, &__blitz_own_a.v, __blitz_own_b.v, c, d.n);"), "{text}");
    }

    #[test]
    fn variables_of_closed_blocks_and_statics_are_not_local() {
        let text = dense("void g(void) { { int x; } static int y; z = x * y; __CPROVER_ASYNC_2: f(x, y, z); }");
        assert!(text.contains("^{ f(x, y, z); }"), "{text}");
    }

    #[test]
    fn what_leaves_the_statement_stays() {
        let text = "void g(void) { __CPROVER_ASYNC_1: ({ goto out; }); out: ; }";
        assert_eq!(in_c(text), text);
    }
}
