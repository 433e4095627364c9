//! S-expressions: the surface of SMT-LIB, one command at a time, in a flat arena (no recursion to build or drop).

use super::error::ParseError;
use std::ops::Range;

/// An s-expression in a `Tree`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Id(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtomKind {
    /// A symbol; the text of a quoted one is without its bars.
    Symbol,
    Keyword,
    Numeral,
    Decimal,
    /// `#b...` or `#x...`.
    Literal,
    /// The text is without its quotes; doubled quotes are as they stand.
    String,
}

#[derive(Clone, Debug)]
enum Item {
    Atom(AtomKind, Range<usize>),
    /// A range of `links`.
    List(Range<u32>),
}

/// What an s-expression is.
#[derive(Clone, Copy, Debug)]
pub(super) enum View<'t> {
    Atom(AtomKind, &'t str),
    List(&'t [Id]),
}

/// The s-expressions of one command.
#[derive(Default)]
pub(super) struct Tree {
    items: Vec<(Item, Range<usize>)>,
    links: Vec<Id>,
}

impl Tree {
    pub fn view<'t>(&'t self, text: &'t str, id: Id) -> View<'t> {
        match &self.items[id.0 as usize].0 {
            Item::Atom(kind, range) => View::Atom(*kind, &text[range.clone()]),
            Item::List(range) => View::List(&self.links[range.start as usize..range.end as usize]),
        }
    }

    /// Where it stands in the text.
    pub fn place(&self, id: Id) -> Range<usize> {
        self.items[id.0 as usize].1.clone()
    }

    fn add(&mut self, item: Item, place: Range<usize>) -> Id {
        self.items.push((item, place));
        Id(self.items.len() as u32 - 1)
    }
}

enum Token {
    Open,
    Close,
    Atom(AtomKind, Range<usize>),
}

/// Reads the next s-expression from `position`; none at the end of the text.
pub(super) fn read(text: &str, position: &mut usize) -> Result<Option<(Tree, Id)>, ParseError> {
    let mut tree = Tree::default();
    let mut open: Vec<(usize, Vec<Id>)> = Vec::new();
    loop {
        let Some((token, place)) = token(text, position)? else {
            return match open.last() {
                None => Ok(None),
                Some((start, _)) => Err(ParseError::at(text, *start, "this parenthesis is never closed")),
            };
        };
        let done = match token {
            Token::Open => {
                open.push((place.start, Vec::new()));
                continue;
            }
            Token::Close => {
                let Some((start, children)) = open.pop() else {
                    return Err(ParseError::at(text, place.start, "this parenthesis was never opened"));
                };
                let first = tree.links.len() as u32;
                tree.links.extend(children);
                let last = tree.links.len() as u32;
                tree.add(Item::List(first..last), start..place.end)
            }
            Token::Atom(kind, range) => tree.add(Item::Atom(kind, range), place),
        };
        match open.last_mut() {
            Some((_, children)) => children.push(done),
            None => return Ok(Some((tree, done))),
        }
    }
}

fn token(text: &str, position: &mut usize) -> Result<Option<(Token, Range<usize>)>, ParseError> {
    skip_space(text, position);
    let bytes = text.as_bytes();
    let start = *position;
    let Some(&first) = bytes.get(start) else {
        return Ok(None);
    };
    let (token, end) = match first {
        b'(' => (Token::Open, start + 1),
        b')' => (Token::Close, start + 1),
        b'|' => quoted(text, start)?,
        b'"' => string(text, start)?,
        _ => plain(text, start)?,
    };
    *position = end;
    Ok(Some((token, start..end)))
}

fn skip_space(text: &str, position: &mut usize) {
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(*position) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => *position += 1,
            b';' => {
                while bytes.get(*position).is_some_and(|&b| b != b'\n') {
                    *position += 1;
                }
            }
            _ => break,
        }
    }
}

fn quoted(text: &str, start: usize) -> Result<(Token, usize), ParseError> {
    match text[start + 1..].find('|') {
        Some(length) => {
            let end = start + 1 + length;
            Ok((Token::Atom(AtomKind::Symbol, start + 1..end), end + 1))
        }
        None => Err(ParseError::at(text, start, "this quoted symbol never ends")),
    }
}

fn string(text: &str, start: usize) -> Result<(Token, usize), ParseError> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' {
            if bytes.get(at + 1) == Some(&b'"') {
                at += 1;
            } else {
                return Ok((Token::Atom(AtomKind::String, start + 1..at), at + 1));
            }
        }
        at += 1;
    }
    Err(ParseError::at(text, start, "this string never ends"))
}

fn plain(text: &str, start: usize) -> Result<(Token, usize), ParseError> {
    let stops = |b: &u8| b" \t\r\n();\"|".contains(b);
    let length = text.as_bytes()[start..].iter().position(stops).unwrap_or(text.len() - start);
    let end = start + length;
    let word = &text[start..end];
    let kind = if word.starts_with(':') {
        AtomKind::Keyword
    } else if word.starts_with("#b") || word.starts_with("#x") {
        AtomKind::Literal
    } else if word.starts_with(|c: char| c.is_ascii_digit()) {
        number_kind(text, start, word)?
    } else if word.chars().all(is_symbol_char) {
        AtomKind::Symbol
    } else {
        return Err(ParseError::at(text, start, format!("`{word}` is no symbol")));
    };
    Ok((Token::Atom(kind, start..end), end))
}

fn number_kind(text: &str, start: usize, word: &str) -> Result<AtomKind, ParseError> {
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    match word.split_once('.') {
        None if digits(word) => Ok(AtomKind::Numeral),
        Some((whole, fraction)) if digits(whole) && digits(fraction) => Ok(AtomKind::Decimal),
        _ => Err(ParseError::at(text, start, format!("`{word}` is no number"))),
    }
}

/// Whether a character may stand in a symbol without bars.
pub(super) fn is_symbol_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c)
}
