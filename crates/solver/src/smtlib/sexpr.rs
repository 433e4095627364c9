//! S-expressions as solvers print them.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sexpr {
    Atom(String),
    Text(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(a) => Some(a),
            Sexpr::Text(_) | Sexpr::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::List(items) => Some(items),
            Sexpr::Atom(_) | Sexpr::Text(_) => None,
        }
    }
}

impl fmt::Display for Sexpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sexpr::Atom(a) => f.write_str(a),
            Sexpr::Text(t) => write!(f, "{t:?}"),
            Sexpr::List(items) => {
                f.write_str("(")?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// The first complete expression of a text and how many bytes it takes; `None` if more text is needed. An error is
/// the place of what can't be part of one.
pub fn parse_first(text: &str) -> Result<Option<(Sexpr, usize)>, usize> {
    let bytes = text.as_bytes();
    let mut open: Vec<Vec<Sexpr>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (done, next) = match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => (None, at + 1),
            b';' => match text[at..].find('\n') {
                Some(end) => (None, at + end + 1),
                None => return Ok(None),
            },
            b'(' => {
                open.push(Vec::new());
                (None, at + 1)
            }
            b')' => match open.pop() {
                Some(items) => (Some(Sexpr::List(items)), at + 1),
                None => return Err(at),
            },
            b'"' => match string_end(text, at) {
                Some(end) => (Some(Sexpr::Text(text[at + 1..end].replace("\"\"", "\""))), end + 1),
                None => return Ok(None),
            },
            b'|' => match text[at + 1..].find('|') {
                Some(end) => (Some(Sexpr::Atom(text[at + 1..at + 1 + end].to_owned())), at + end + 2),
                None => return Ok(None),
            },
            _ => {
                let end = text[at..].find(|c: char| c.is_whitespace() || "()\";|".contains(c));
                match end {
                    Some(end) => (Some(Sexpr::Atom(text[at..at + end].to_owned())), at + end),
                    None => return Ok(None),
                }
            }
        };
        at = next;
        if let Some(expr) = done {
            match open.last_mut() {
                Some(items) => items.push(expr),
                None => return Ok(Some((expr, at))),
            }
        }
    }
    Ok(None)
}

fn string_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while at < bytes.len() {
        if bytes[at] == b'"' {
            // A doubled quote is part of the text; whether one follows is only known with another byte.
            match bytes.get(at + 1) {
                Some(b'"') => at += 1,
                Some(_) => return Some(at),
                None => return None,
            }
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_expressions_are_cut_off() {
        let (e, used) = parse_first(" sat\n((x #b01))").unwrap().unwrap();
        assert_eq!((e, used), (Sexpr::Atom("sat".into()), 4));
        let (e, _) = parse_first("(error \"a \"\"b\"\" c\") ").unwrap().unwrap();
        assert_eq!(e, Sexpr::List(vec![Sexpr::Atom("error".into()), Sexpr::Text("a \"b\" c".into())]));
        let (e, _) = parse_first("((|a b| (_ bv3 4)))").unwrap().unwrap();
        assert_eq!(e.to_string(), "((a b (_ bv3 4)))");
    }

    #[test]
    fn more_text_is_asked_for() {
        for text in ["", "sat", "(a (b)", "(a \"b", "; comment", "|a"] {
            assert_eq!(parse_first(text), Ok(None), "{text}");
        }
        assert!(parse_first(") x").is_err());
    }
}
