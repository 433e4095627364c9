//! Conditions of contracts as C: what `__CPROVER_old`, `__CPROVER_return_value` and the predicates about memory become.

use super::super::tokens::{Kind, Token, closing, joined, parts, solid, split};
use super::predicates::Predicates;

/// What a condition is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    Assumed,
    Asserted,
    /// Asserted behind the call, so that what is fresh was made by it.
    AssertedBehind,
}

/// Values from before the call or the loop that conditions mention: each is kept in a variable. Also the predicates that they may call.
pub struct History<'p> {
    prefix: String,
    kept: Vec<String>,
    predicates: &'p Predicates,
}

impl<'p> History<'p> {
    pub fn new(prefix: &str, predicates: &'p Predicates) -> Self {
        Self { prefix: prefix.to_owned(), kept: Vec::new(), predicates }
    }

    fn variable(&mut self, expression: &str) -> String {
        let known = self.kept.iter().position(|k| k == expression);
        let number = known.unwrap_or_else(|| {
            self.kept.push(expression.to_owned());
            self.kept.len() - 1
        });
        format!("{}{number}", self.prefix)
    }

    /// The declarations that keep the values; of memory that is not there none is kept.
    pub fn declarations(&self) -> String {
        let one = |(n, text): (usize, &String)| {
            let name = format!("{}{n}", self.prefix);
            match reached(text) {
                None => format!("__auto_type {name} = ({text}); "),
                Some(there) => format!(
                    "__typeof__(({{ {text}; }})) {name}; if ({there}) {name} = ({text}); \
                     else __blitz_input_bytes((void *)&{name}, sizeof {name}, \"what is not there\"); "
                ),
            }
        };
        self.kept.iter().enumerate().map(one).collect()
    }
}

/// The condition under which the memory that an expression goes through is there; none for what goes through none.
fn reached(text: &str) -> Option<String> {
    let tokens = split(text);
    let first = solid(&tokens, 0)?;
    let plain = tokens
        .iter()
        .all(|t| t.kind != Kind::Sign || matches!(t.text, "->" | "." | "*" | "[" | "]" | "(" | ")" | "+" | "-"));
    let through = tokens.iter().any(|t| matches!(t.text, "->" | "*" | "["));
    let is_place = tokens[first].text == "*" || parts(&tokens, "+").len() == 1 && parts(&tokens, "-").len() == 1;
    if !plain || !through || !is_place || tokens.iter().enumerate().any(|(i, t)| is_call(&tokens, i, t)) {
        return None;
    }
    let mut out = String::new();
    for i in (0..tokens.len()).filter(|&i| tokens[i].text == "->") {
        let before = joined(&tokens[..i]);
        let balanced = before.matches('(').count() == before.matches(')').count();
        let bare = before.trim_start().trim_start_matches(['*', '(', ' ']);
        let pointer = if balanced { before.trim().trim_start_matches('*') } else { bare };
        out.push_str(&format!("__blitz_readable(({pointer}), sizeof *({pointer})) && "));
    }
    Some(format!("{out}__blitz_readable(&({text}), sizeof({text}))"))
}

fn is_call(tokens: &[Token<'_>], i: usize, token: &Token<'_>) -> bool {
    token.kind == Kind::Word && solid(tokens, i + 1).is_some_and(|o| tokens[o].text == "(")
}

/// The C for a condition.
pub fn in_c(tokens: &[Token<'_>], as_what: Use, history: &mut History<'_>) -> String {
    let mut out = String::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = tokens[at];
        if token.kind == Kind::Word
            && let Some((text, end)) = predicate(tokens, at, as_what, history)
        {
            out.push_str(&text);
            at = end;
            continue;
        }
        match token {
            Token { kind: Kind::Blank, .. } => out.push(' '),
            Token { text, .. } => out.push_str(text),
        }
        at += 1;
    }
    out
}

/// What a word with its arguments becomes, and where the text goes on.
fn predicate(tokens: &[Token<'_>], at: usize, as_what: Use, history: &mut History<'_>) -> Option<(String, usize)> {
    let word = tokens[at].text;
    if word == "__CPROVER_return_value" {
        return Some(("__blitz_result".to_owned(), at + 1));
    }
    if !word.starts_with("__CPROVER_") {
        let predicates = history.predicates;
        return predicates.call(tokens, at, as_what, history);
    }
    let open = solid(tokens, at + 1).filter(|&o| tokens[o].text == "(")?;
    let close = closing(tokens, open)?;
    let inside = &tokens[open + 1..close];
    let arguments: Vec<String> =
        parts(inside, ",").into_iter().map(|a| in_c(a, as_what, history).trim().to_owned()).collect();
    let text = match (word, arguments.as_slice()) {
        ("__CPROVER_old" | "__CPROVER_loop_entry", [_]) => history.variable(joined(inside).trim()),
        ("__CPROVER_is_fresh", [p, size]) => fresh(p, size, as_what),
        ("__CPROVER_pointer_equals", [p, q]) if as_what == Use::Assumed => format!("((({p}) = ({q})), 1)"),
        ("__CPROVER_pointer_equals", [p, q]) => format!("(({p}) == ({q}))"),
        ("__CPROVER_pointer_in_range_dfcc", [low, p, high]) if as_what == Use::Assumed => {
            format!("__blitz_contract_make_in_range(({low}), (void *)&({p}), ({high}))")
        }
        ("__CPROVER_pointer_in_range_dfcc", [low, p, high]) => {
            format!("__blitz_contract_in_range(({low}), ({p}), ({high}))")
        }
        ("__CPROVER_is_freeable" | "__CPROVER_freeable", [p]) => format!("__blitz_contract_freeable({p})"),
        ("__CPROVER_was_freed" | "__CPROVER_is_freed", [p]) => {
            let kept = history.variable(&format!("(void *)({p})"));
            format!("(!__blitz_is_live({kept}))")
        }
        ("__CPROVER_obeys_contract", _) => refused("__CPROVER_obeys_contract"),
        _ => return None,
    };
    Some((text, close + 1))
}

/// What is not there ends the path, with its name.
pub fn refused(what: &str) -> String {
    format!("({{ __blitz_unsupported(\"{what} in a contract\"); 0; }})")
}

fn fresh(p: &str, size: &str, as_what: Use) -> String {
    let newer = u8::from(as_what == Use::AssertedBehind);
    match as_what {
        // A cast is no place that could be set.
        Use::Assumed => format!("__blitz_contract_make_fresh((void *)&({}), ({size}))", without_cast(p)),
        Use::Asserted | Use::AssertedBehind => format!("__blitz_contract_is_fresh(({p}), ({size}), {newer})"),
    }
}

/// `(void *)p` without its cast.
fn without_cast(text: &str) -> String {
    let tokens = split(text);
    let Some(open) = solid(&tokens, 0).filter(|&o| tokens[o].text == "(") else { return text.to_owned() };
    let Some(close) = closing(&tokens, open) else { return text.to_owned() };
    let stars = tokens[open + 1..close].iter().any(|t| t.text == "*");
    let words = tokens[open + 1..close].iter().all(|t| t.kind != Kind::Sign || t.text == "*");
    match solid(&tokens, close + 1) {
        Some(next) if stars && words && tokens[next].kind == Kind::Word => joined(&tokens[next..]),
        _ => text.to_owned(),
    }
}

/// A text as the inside of a string literal of C, on one line and not too long.
pub fn quoted(tokens: &[Token<'_>]) -> String {
    const LONGEST: usize = 90;
    let words: Vec<String> =
        tokens.iter().map(|t| if t.kind == Kind::Blank { " ".to_owned() } else { t.text.to_owned() }).collect();
    let line = words.concat().split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace("__CPROVER_", "");
    let mut shown: String = line.chars().take(LONGEST).collect();
    if shown.len() < line.len() {
        shown.push_str(" ...");
    }
    shown.replace('\\', "\\\\").replace('"', "\\\"")
}
